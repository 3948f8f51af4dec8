// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lesson/reader/find_bar.h"

#include "app/lesson/reader/lesson_column.h"
#include "app/theme/kept_units.h"

#include <QAccessible>
#include <QBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QTimer>
#include <QToolButton>
#include <utility>

namespace ridge::app {

namespace {

QString plainOf(const QLabel& label)
{
    if (label.textFormat() != Qt::RichText && !Qt::mightBeRichText(label.text()))
        return label.text();
    QTextDocument document;
    document.setHtml(label.text());
    return withoutJoiners(document.toPlainText());
}

} // namespace

FindBar::FindBar(Theme& theme, LessonColumn& column, QWidget* parent)
    : QFrame(parent), m_theme(theme), m_column(column), m_field(new QLineEdit(this)), m_count(new QLabel(this)),
      m_previous(new QToolButton(this)), m_next(new QToolButton(this)), m_flash(new PlaceFlash(theme, &column))
{
    setObjectName(QStringLiteral("findBar"));
    setProperty("card", true);
    setAccessibleName(tr("Find in this lesson"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(space::s, space::s, space::s, space::s);
    row->setSpacing(space::xs);
    m_field->setAccessibleName(tr("Find in this lesson"));
    m_field->setPlaceholderText(tr("Find in this lesson"));
    m_field->setClearButtonEnabled(false);
    m_field->installEventFilter(this);
    m_count->setProperty("tone", QStringLiteral("hint"));
    m_count->setAlignment(Qt::AlignCenter);
    const auto button = [&](QToolButton* tool, const QString& text, const QString& name) {
        tool->setText(text);
        tool->setAccessibleName(name);
        tool->setToolTip(name);
        row->addWidget(tool);
        return tool;
    };
    row->addWidget(m_field);
    row->addWidget(m_count);
    button(m_previous, QStringLiteral("↑"), tr("Previous place (Shift+Enter)"));
    button(m_next, QStringLiteral("↓"), tr("Next place (Enter)"));
    auto* shut = button(new QToolButton(this), QStringLiteral("✕"), tr("Close (Esc)"));
    connect(m_field, &QLineEdit::textChanged, this, [this] { search(false); });
    connect(m_previous, &QToolButton::clicked, this, &FindBar::previous);
    connect(m_next, &QToolButton::clicked, this, &FindBar::next);
    connect(shut, &QToolButton::clicked, this, &FindBar::close);
    const auto restyle = [this] {
        m_field->setFixedWidth(m_theme.scaled(200));
        m_count->setFixedWidth(m_theme.scaled(92));
        m_count->setFont(m_theme.font(TextStyle::Caption));
        m_stale = !isVisible();
        search(true); // texts are built anew with the theme
        place();
    };
    restyle();
    connect(&theme, &Theme::changed, this, restyle, Qt::QueuedConnection);
    column.installEventFilter(this);
    hide();
}

void FindBar::place()
{
    adjustSize();
    const int width = std::min(sizeHint().width(), parentWidget()->width() - 2 * space::s);
    resize(width, sizeHint().height());
    move(parentWidget()->width() - width - space::xl, space::s);
}

void FindBar::showEvent(QShowEvent* event)
{
    QFrame::showEvent(event);
    if (std::exchange(m_stale, false))
        QTimer::singleShot(0, this, [this] { search(true); }); // the texts are built anew when they are shown, too
}

void FindBar::open()
{
    for (const QTextEdit* view : m_column.findChildren<QTextEdit*>())
        if (const QTextCursor cursor = view->textCursor(); view->hasFocus() && cursor.hasSelection()) {
            const QString words = cursor.selectedText().simplified();
            if (words.size() <= 80 && !words.contains(QChar::ObjectReplacementCharacter))
                m_field->setText(words);
        }
    (void)m_column.blocks(); // all of it has to be there
    show();
    place();
    raise();
    m_field->selectAll();
    m_field->setFocus(Qt::ShortcutFocusReason);
    search(false);
}

void FindBar::close()
{
    if (!isVisible())
        return;
    hide();
    for (QTextEdit* view : m_column.findChildren<QTextEdit*>())
        setMarks(*view, MarkLayer::Find, {});
    m_matches.clear();
    m_current = -1;
    Q_EMIT closed();
}

void FindBar::search(bool stay)
{
    if (!isVisible())
        return;
    const QString needle = m_field->text().simplified();
    const int before = m_current;
    m_matches.clear();
    m_flat.clear();
    m_current = -1;
    std::vector<std::pair<QPoint, QWidget*>> views;
    for (QWidget* view : m_column.findChildren<QWidget*>())
        if ((qobject_cast<QTextEdit*>(view) || qobject_cast<QLabel*>(view)) && view->isVisibleTo(&m_column))
            views.emplace_back(view->mapTo(&m_column, QPoint(0, 0)), view);
    std::ranges::stable_sort(views, {}, [](const auto& one) { return std::pair(one.first.y(), one.first.x()); });
    for (const auto& [where, view] : views) {
        const auto* text = qobject_cast<QTextEdit*>(view);
        const QString content = text ? m_flat.insert(view, {text->document(), flatText(*text->document())})->text.text
                                     : plainOf(*qobject_cast<QLabel*>(view));
        for (const int at : occurrences(content, needle, Qt::CaseInsensitive))
            m_matches.push_back({view, at, int(needle.size())});
    }
    if (stay)
        m_current = std::min(before, count() - 1);
    else if (!m_matches.empty()) {
        // From where the reader is, on; behind the last one, round to the first.
        const int top = -m_column.y();
        const auto found = std::ranges::find_if(m_matches, [&](const Match& one) { return areaOf(one).top() >= top; });
        m_current = found == m_matches.end() ? 0 : int(found - m_matches.begin());
    }
    mark();
    say();
    if (m_current >= 0 && !stay)
        Q_EMIT shown(areaOf(m_matches[std::size_t(m_current)]));
}

bool FindBar::outdated() const
{
    return std::ranges::any_of(m_matches, [this](const Match& one) {
        const auto* text = qobject_cast<QTextEdit*>(one.view);
        return !one.view || (text && m_flat.constFind(one.view)->document != text->document());
    });
}

void FindBar::step(int by)
{
    if (outdated())
        search(true);
    if (m_matches.empty())
        return;
    m_current = (m_current + by + count()) % count();
    mark();
    say();
    Q_EMIT shown(areaOf(m_matches[std::size_t(m_current)]));
}

QRect FindBar::areaOf(const Match& match) const
{
    if (!match.view)
        return {};
    if (auto* text = qobject_cast<QTextEdit*>(match.view)) {
        QTextCursor end = m_flat.constFind(match.view)->text.cursor(text->document(), match.start, match.length);
        QTextCursor start = end;
        start.setPosition(end.selectionStart());
        const QRect area = text->cursorRect(start) | text->cursorRect(end);
        return {text->viewport()->mapTo(&m_column, area.topLeft()), area.size()};
    }
    return {match.view->mapTo(&m_column, QPoint(0, 0)), match.view->size()};
}

void FindBar::mark()
{
    QHash<QTextEdit*, QList<QTextEdit::ExtraSelection>> marks;
    for (QTextEdit* view : m_column.findChildren<QTextEdit*>())
        marks.insert(view, {});
    const Match* now = m_current >= 0 ? &m_matches[std::size_t(m_current)] : nullptr;
    for (const Match& match : m_matches) {
        auto* view = qobject_cast<QTextEdit*>(match.view);
        if (!view)
            continue;
        QTextEdit::ExtraSelection selection;
        selection.cursor = m_flat.constFind(match.view)->text.cursor(view->document(), match.start, match.length);
        selection.format.setBackground(m_theme.color(&match == now ? Role::Accent : Role::Selection));
        if (&match == now)
            selection.format.setForeground(m_theme.color(Role::OnAccent));
        marks[view] << selection;
    }
    for (auto it = marks.cbegin(); it != marks.cend(); ++it)
        setMarks(*it.key(), MarkLayer::Find, it.value());
    if (now && !qobject_cast<QTextEdit*>(now->view))
        m_flash->flash(areaOf(*now));
}

void FindBar::say()
{
    const bool any = !m_matches.empty();
    m_previous->setEnabled(any);
    m_next->setEnabled(any);
    const QString text = m_field->text().trimmed().isEmpty() ? QString()
                         : any                               ? tr("%1 of %2").arg(m_current + 1).arg(m_matches.size())
                                                             : tr("Nothing");
    if (m_count->text() == text)
        return;
    m_count->setText(text);
    m_count->setAccessibleName(text.isEmpty() ? tr("Number of places") : text);
    QAccessibleEvent event(m_count, QAccessible::NameChanged);
    QAccessible::updateAccessibility(&event);
}

bool FindBar::eventFilter(QObject* watched, QEvent* event)
{
    // Texts outside the picture are built anew some turns after the theme; each asks for another layout.
    if (watched == &m_column && event->type() == QEvent::LayoutRequest && isVisible())
        QTimer::singleShot(0, this, [this] {
            if (isVisible() && outdated())
                search(true);
        });
    if (watched == m_field && event->type() == QEvent::KeyPress) {
        const auto* key = static_cast<QKeyEvent*>(event);
        if (key->key() == Qt::Key_Escape) {
            close();
            return true;
        }
        if (key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter) {
            step(key->modifiers().testFlag(Qt::ShiftModifier) ? -1 : 1);
            return true;
        }
    }
    return QFrame::eventFilter(watched, event);
}

} // namespace ridge::app

#include "moc_find_bar.cpp"
