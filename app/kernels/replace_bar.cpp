// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/kernels/replace_bar.h"

#include "app/ui/flow_layout.h"
#include "app/ui/kernel_editor.h"

#include <QCheckBox>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>

namespace ridge::app {

ReplaceBar::ReplaceBar(Theme& theme, KernelEditor& editor, QWidget* parent)
    : QFrame(parent), m_editor(editor), m_field(new QLineEdit), m_replacement(new QLineEdit),
      m_case(new QCheckBox(tr("Match case"))), m_count(new QLabel)
{
    setAccessibleName(tr("Find and replace"));
    auto* row = new FlowLayout(this);
    row->setSpacing(space::s);
    row->setContentsMargins(space::s, space::xs, space::s, space::xs);
    for (const auto& [field, name] : {std::pair(m_field, tr("Find")), std::pair(m_replacement, tr("Replace with"))}) {
        field->setAccessibleName(name);
        field->setPlaceholderText(name);
        field->installEventFilter(this);
        row->addWidget(field);
    }
    m_case->setToolTip(tr("Capital and small letters differ"));
    m_count->setAccessibleName(tr("Number of places"));
    m_count->setProperty("tone", QStringLiteral("hint"));
    row->addWidget(m_count);
    const auto button = [&](const QString& text, const QString& help, auto action) {
        auto* tool = new QToolButton;
        tool->setText(text);
        tool->setToolTip(help);
        tool->setAccessibleName(help);
        connect(tool, &QToolButton::clicked, this, action);
        row->addWidget(tool);
    };
    button(QStringLiteral("↑"), tr("Previous place (Shift+Enter)"), [this] { previous(); });
    button(QStringLiteral("↓"), tr("Next place (Enter)"), [this] { next(); });
    button(tr("Replace"), tr("Replace this place"), [this] { replace(); });
    button(tr("Replace all"), tr("Replace every place"), [this] { replaceAll(); });
    row->addWidget(m_case);
    button(QStringLiteral("✕"), tr("Close (Esc)"), [this] { close(); });
    connect(m_field, &QLineEdit::textChanged, this, [this] {
        search();
        if (current() < 0)
            step(1);
    });
    connect(m_case, &QCheckBox::toggled, this, &ReplaceBar::search);
    connect(&editor, &QPlainTextEdit::textChanged, this, [this] {
        if (isVisible())
            search();
    });
    const auto restyle = [this, &theme] {
        m_field->setFixedWidth(theme.scaled(170));
        m_replacement->setFixedWidth(theme.scaled(170));
        m_count->setFixedWidth(theme.scaled(84));
    };
    restyle();
    connect(&theme, &Theme::changed, this, restyle);
    hide();
}

void ReplaceBar::open()
{
    const QString selected = m_editor.textCursor().selectedText();
    if (!selected.isEmpty() && !selected.contains(QChar::ParagraphSeparator))
        m_field->setText(selected);
    show();
    m_field->selectAll();
    m_field->setFocus(Qt::ShortcutFocusReason);
    search();
}

void ReplaceBar::close()
{
    hide();
    m_places.clear();
    m_editor.setFound({});
    m_editor.setFocus(Qt::OtherFocusReason);
}

void ReplaceBar::search()
{
    m_places.clear();
    const QString words = m_field->text();
    const QTextDocument* document = m_editor.document();
    const auto flags = m_case->isChecked() ? QTextDocument::FindCaseSensitively : QTextDocument::FindFlags();
    if (!words.isEmpty())
        for (QTextCursor at = document->find(words, 0, flags); !at.isNull(); at = document->find(words, at, flags))
            m_places << at;
    m_editor.setFound(m_places);
    say();
}

int ReplaceBar::current() const
{
    const QTextCursor cursor = m_editor.textCursor();
    for (int at = 0; at < count(); ++at)
        if (m_places[at].selectionStart() == cursor.selectionStart() &&
            m_places[at].selectionEnd() == cursor.selectionEnd())
            return at;
    return -1;
}

void ReplaceBar::step(int by)
{
    if (m_places.isEmpty())
        return say();
    int to = current();
    if (to >= 0) {
        to = (to + by + count()) % count();
    } else {
        // From the cursor on; behind the last one, round to the first.
        const int here = m_editor.textCursor().selectionStart();
        to = 0;
        while (to < count() && m_places[to].selectionStart() < here)
            ++to;
        to = by > 0 ? to % count() : (to - 1 + count()) % count();
    }
    m_editor.setTextCursor(m_places[to]);
    m_editor.ensureCursorVisible();
    say();
}

void ReplaceBar::replace()
{
    if (current() < 0)
        return step(1);
    QTextCursor cursor = m_editor.textCursor();
    cursor.insertText(m_replacement->text());
    m_editor.setTextCursor(cursor);
    step(1);
}

int ReplaceBar::replaceAll()
{
    const QList<QTextCursor> places = m_places;
    if (places.isEmpty())
        return 0;
    QTextCursor edit(m_editor.document());
    edit.beginEditBlock();
    for (auto at = places.crbegin(); at != places.crend(); ++at) {
        edit.setPosition(at->selectionStart());
        edit.setPosition(at->selectionEnd(), QTextCursor::KeepAnchor);
        edit.insertText(m_replacement->text());
    }
    edit.endEditBlock();
    return int(places.size());
}

void ReplaceBar::say()
{
    const int at = current();
    m_count->setText(m_field->text().isEmpty() ? QString()
                     : m_places.isEmpty()      ? tr("Nothing")
                     : at < 0                  ? tr("%1 places").arg(count())
                                               : tr("%1 of %2").arg(at + 1).arg(count()));
}

bool ReplaceBar::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::KeyPress) {
        const auto* key = static_cast<QKeyEvent*>(event);
        if (key->key() == Qt::Key_Escape) {
            close();
            return true;
        }
        if (key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter) {
            if (watched == m_replacement)
                replace();
            else
                step(key->modifiers().testFlag(Qt::ShiftModifier) ? -1 : 1);
            return true;
        }
    }
    return QFrame::eventFilter(watched, event);
}

} // namespace ridge::app

#include "moc_replace_bar.cpp"
