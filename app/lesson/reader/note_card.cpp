// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lesson/reader/note_card.h"

#include "base/json.h"

#include <QKeyEvent>
#include <QPainter>
#include <QTextEdit>
#include <QToolButton>
#include <QVBoxLayout>

namespace ridge::app {

namespace {

constexpr int kLeft = 12, kRight = 32, kAbove = 6, kBelow = 8, kShownQuote = 160;
constexpr int kButton = 24; ///< the least that WCAG 2.5.8 asks of a target

QString shortened(const std::string& quote)
{
    const QString text = QString::fromStdString(quote);
    return text.size() > kShownQuote ? text.left(kShownQuote - 1) + QChar(0x2026) : text;
}

} // namespace

NoteCard::NoteCard(Theme& theme, const record::NoteRow& note, const std::filesystem::path& drafts, QWidget* parent)
    : QFrame(parent), m_theme(theme), m_note(note), m_draft(drafts, note.lesson, "note-" + note.noteId),
      m_quote(new ThemedLabel(theme, {}, TextStyle::Caption, "hint", this)), m_field(new QTextEdit(this)),
      m_gone(new ThemedLabel(theme, tr("Note removed"), TextStyle::Caption, "hint", this)),
      m_remove(new QToolButton(this))
{
    setObjectName(QStringLiteral("note:") + QString::fromStdString(note.noteId));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(kLeft, kAbove, kRight, kBelow);
    column->setSpacing(0);
    column->addWidget(m_quote);
    column->addWidget(m_field);
    column->addWidget(m_gone);
    m_field->setAcceptRichText(false);
    m_field->setTabChangesFocus(true);
    m_field->setFrameStyle(QFrame::NoFrame);
    m_field->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_field->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_field->setPlaceholderText(tr("Write a note, or leave it as a highlight"));
    m_field->setStyleSheet(QStringLiteral("QTextEdit { border: none; padding: 0; background: transparent; }"));
    m_field->viewport()->setAutoFillBackground(false);
    m_field->document()->setDocumentMargin(0);
    m_field->installEventFilter(this);
    m_remove->setFocusPolicy(Qt::StrongFocus);
    m_remove->setStyleSheet(QStringLiteral("QToolButton { padding: 0 4px; min-height: 0; min-width: 0; }"));
    const Json draft = m_draft.load();
    const bool drafted = draft.contains("text") && draft["text"].is_string();
    m_field->setPlainText(QString::fromStdString(drafted ? draft["text"].get<std::string>() : note.text));
    connect(m_field, &QTextEdit::textChanged, this, &NoteCard::typed);
    connect(m_remove, &QToolButton::clicked, this, [this] { Q_EMIT removeAsked(!m_removed); });
    const auto restyle = [this] {
        m_field->setFont(m_theme.font(TextStyle::Body));
        m_remove->setFont(m_theme.font(TextStyle::Caption));
        fit();
    };
    restyle();
    connect(&theme, &Theme::changed, this, restyle);
    setRemoved(false);
}

void NoteCard::describe()
{
    const QString quote = shortened(m_note.quote);
    setAccessibleName(tr("Note on “%1”").arg(quote));
    m_field->setAccessibleName(tr("Note on “%1”").arg(quote));
    m_quote->setText(m_orphan ? tr("“%1” — these words are no longer in the lesson").arg(quote) : QString());
    m_quote->setVisible(m_orphan);
    m_remove->setText(m_removed ? tr("Bring back") : QStringLiteral("✕"));
    m_remove->setToolTip(m_removed ? tr("Bring the note back") : tr("Remove this note"));
    m_remove->setAccessibleName(m_removed ? tr("Bring back the note on “%1”").arg(quote)
                                          : tr("Remove the note on “%1”").arg(quote));
    m_field->setVisible(!m_removed);
    m_gone->setVisible(m_removed);
}

void NoteCard::setNote(const record::NoteRow& note)
{
    const bool untouched = m_field->toPlainText().toStdString() == m_note.text;
    m_note = note;
    if (untouched && m_field->toPlainText().toStdString() != note.text)
        m_field->setPlainText(QString::fromStdString(note.text));
    describe();
}

void NoteCard::setRemoved(bool removed)
{
    m_removed = removed;
    describe();
    fit();
}

void NoteCard::setOrphan(bool orphan)
{
    if (m_orphan == orphan)
        return;
    m_orphan = orphan;
    describe();
    fit();
}

void NoteCard::typed()
{
    if (m_field->toPlainText().toStdString() != m_note.text)
        m_draft.keep(Json{{"text", m_field->toPlainText().toStdString()}});
    fit();
}

std::optional<QString> NoteCard::unsaved() const
{
    const QString text = m_field->toPlainText();
    if (m_removed || text == m_asked.value_or(QString::fromStdString(m_note.text)))
        return std::nullopt;
    return text;
}

void NoteCard::leave()
{
    if (const auto text = unsaved()) {
        m_asked = *text;
        Q_EMIT saveAsked(*text);
    }
}

void NoteCard::saved(bool stored)
{
    if (!stored || m_asked == QString::fromStdString(m_note.text))
        m_asked.reset();
    if (stored && m_field->toPlainText().toStdString() == m_note.text)
        m_draft.remove();
}

int NoteCard::heightForWidth(int width) const
{
    const int inner = width - kLeft - kRight;
    if (m_removed)
        return kAbove + kBelow + std::max(kButton, m_gone->sizeHint().height());
    int height = kAbove + kBelow;
    if (m_orphan)
        height += m_quote->heightForWidth(inner) + space::xs;
    QTextDocument* text = m_field->document();
    if (text->textWidth() != inner)
        text->setTextWidth(inner);
    height += std::max(int(std::ceil(text->size().height())), m_theme.lineHeight(TextStyle::Body));
    return height;
}

QSize NoteCard::sizeHint() const
{
    const int width = this->width() > 0 ? this->width() : m_theme.scaled(200);
    return {width, heightForWidth(width)};
}

void NoteCard::placeButton()
{
    const int button = m_removed ? m_remove->sizeHint().width() : kButton;
    m_remove->setGeometry(width() - button - space::xs, space::xs, button, kButton);
    m_remove->raise();
}

void NoteCard::fit()
{
    placeButton();
    updateGeometry();
    Q_EMIT heightChanged();
}

void NoteCard::resizeEvent(QResizeEvent* event)
{
    QFrame::resizeEvent(event);
    m_field->document()->setTextWidth(width() - kLeft - kRight);
    placeButton();
}

void NoteCard::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(m_theme.color(Role::Border));
    painter.setBrush(m_theme.color(Role::Surface2));
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), kControlRadius, kControlRadius);
    painter.fillRect(QRect(0, space::xs, 3, height() - 2 * space::xs),
                     m_theme.color(m_removed ? Role::Border : Role::Warn));
}

bool NoteCard::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_field && event->type() == QEvent::FocusOut)
        leave();
    if (watched == m_field && event->type() == QEvent::KeyPress) {
        const auto* key = static_cast<QKeyEvent*>(event);
        const bool enter = key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter;
        if (key->key() == Qt::Key_Escape || (enter && key->modifiers().testFlag(Qt::ControlModifier))) {
            leave();
            Q_EMIT left();
            return true;
        }
    }
    if (watched == m_field && event->type() == QEvent::Wheel) {
        event->ignore(); // the page scrolls
        return true;
    }
    return QFrame::eventFilter(watched, event);
}

} // namespace ridge::app

#include "moc_note_card.cpp"
