// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lesson/reader/prose_view.h"

#include "app/theme/kept_units.h"
#include "app/theme/restyler.h"

#include <QAbstractTextDocumentLayout>
#include <QDesktopServices>
#include <QKeyEvent>
#include <QMimeData>
#include <QPainter>
#include <QTextDocumentFragment>
#include <QTimer>
#include <QWheelEvent>

namespace ridge::app {

namespace {

bool hasLinks(const QTextDocument& document)
{
    for (QTextBlock block = document.begin(); block.isValid(); block = block.next())
        for (auto it = block.begin(); !it.atEnd(); ++it)
            if (it.fragment().charFormat().isAnchor())
                return true;
    return false;
}

} // namespace

ProseView::ProseView(const ReaderContext& context, std::string markdown, ProseLook look, QWidget* parent)
    : QTextBrowser(parent), m_context(context), m_markdown(std::move(markdown)), m_look(look),
      m_formulas(new FormulaObject(context.formulas, context.theme(), this))
{
    setFrameStyle(QFrame::NoFrame);
    setOpenLinks(false);
    // With this mode the text is laid out when we say so, and not at every size that a layout tries on.
    setLineWrapMode(QTextEdit::FixedPixelWidth);
    setLineWrapColumnOrWidth(textMeasure(context.theme()));
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    viewport()->setAutoFillBackground(false);
    setTabChangesFocus(true);
    QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    connect(this, &QTextBrowser::anchorClicked, this, &ProseView::followLink);
    connect(this, &QTextBrowser::highlighted, this, [this](const QUrl& link) {
        m_highlighted = link;
        m_context.card.hover(cardFor(m_context.app.curriculum(), link) ? link : QUrl(), this, linkRect());
    });
    connect(&context.theme(), &Theme::changed, this, &ProseView::followTheme);
    rebuild();
}

void ProseView::setMarkdownText(std::string markdown)
{
    if (markdown == m_markdown)
        return;
    m_markdown = std::move(markdown);
    rebuild();
}

void ProseView::followTheme()
{
    m_stale = true;
    // Lessons that were left are kept with all their texts, and most of them are not seen again. Of the one that is
    // shown, what is outside the picture has time.
    if (isVisible())
        Restyler::of(m_context.theme()).whenInTurn(this, [this] {
            if (m_stale && isVisible())
                rebuild();
        });
}

void ProseView::showEvent(QShowEvent* event)
{
    QTextBrowser::showEvent(event);
    if (m_stale)
        rebuild();
}

void ProseView::rebuild()
{
    m_stale = false;
    // Built without a layout, so that its many small edits are not laid out one by one.
    auto* fresh = new QTextDocument(this);
    // Else its layout begins with one at the width that the longest line has.
    fresh->setTextWidth(lineWrapColumnOrWidth());
    const ProseSources sources{m_context.theme(), m_context.formulas, m_context.app.curriculum()};
    buildProse(*fresh, *m_formulas, m_markdown, m_look, sources);
    const QPointer<QTextDocument> old = document();
    // The view keeps the cursors of its marks, and looks at them when it is given others: they may not outlive their
    // document. Whoever marked a place marks it anew in the new one.
    setExtraSelections({});
    showProse(*this, *fresh, *m_formulas); // takes its own first document away itself
    if (old)
        delete old;
    const QString spoken = spokenText(*fresh);
    setAccessibleName(spoken.isEmpty()     ? tr("Nothing is written here yet")
                      : spoken.size() > 80 ? spoken.left(79) + QChar(0x2026)
                                           : spoken);
    setAccessibleDescription(spoken);
    // Text without links is nothing to stop at with Tab.
    setFocusPolicy(hasLinks(*fresh) ? Qt::StrongFocus : Qt::ClickFocus);
    m_heights.clear();
    m_gaps.clear();
    m_margins.clear();
    updateGeometry();
}

QRect ProseView::paragraphRect(const QTextCursor& cursor) const
{
    const QTextBlock block = document()->findBlock(cursor.selectionStart());
    QRectF area = document()->documentLayout()->blockBoundingRect(block);
    // The layout reports the natural height of fixed-height lines.
    if (block.blockFormat().lineHeightType() == QTextBlockFormat::FixedHeight && block.layout()->lineCount() > 0)
        area.setHeight(block.layout()->lineCount() * block.blockFormat().lineHeight());
    return area.toAlignedRect();
}

QTextCursor ProseView::paragraphAt(int y) const
{
    QTextCursor found(document()->begin());
    for (QTextBlock block = document()->begin(); block.isValid(); block = block.next())
        if (!block.text().trimmed().isEmpty() && paragraphRect(QTextCursor(block)).top() <= y)
            found = QTextCursor(block);
    return found;
}

void ProseView::setGaps(const std::map<int, int>& gaps)
{
    if (gaps == m_gaps)
        return;
    const auto setMargin = [this](int number, double margin) {
        const QTextBlock block = document()->findBlockByNumber(number);
        QTextBlockFormat format = block.blockFormat();
        format.setBottomMargin(margin);
        QTextCursor(block).setBlockFormat(format);
    };
    for (const auto& [number, margin] : m_margins)
        setMargin(number, margin);
    m_margins.clear();
    for (const auto& [number, gap] : gaps) {
        const QTextBlock block = document()->findBlockByNumber(number);
        if (!block.next().isValid())
            continue; // below the last paragraph the view itself is higher
        m_margins[number] = block.blockFormat().bottomMargin();
        setMargin(number, m_margins[number] + gap);
    }
    m_gaps = gaps;
    m_heights.clear();
    updateGeometry();
}

int ProseView::heightForWidth(int width) const
{
    if (const auto known = m_heights.constFind(width); known != m_heights.constEnd())
        return *known;
    // Words of the theme before are not laid out once more: about as high as so many letters of the new size are.
    if (const auto before = m_heights.constFind(lineWrapColumnOrWidth()); m_stale && before != m_heights.constEnd()) {
        const TextStyle style = m_look == ProseLook::Card ? TextStyle::Body : TextStyle::ReadBody;
        const double grown =
            double(m_context.theme().font(style).pixelSize()) / std::max(1, document()->defaultFont().pixelSize());
        return int(std::ceil(*before * grown * grown * lineWrapColumnOrWidth() / std::max(1, width)));
    }
    auto* self = const_cast<ProseView*>(this); // the size of a text is known only by laying it out
    if (lineWrapColumnOrWidth() != width)
        self->setLineWrapColumnOrWidth(width);
    const auto tail = m_gaps.find(document()->blockCount() - 1);
    const int height = int(std::ceil(document()->size().height())) + (tail == m_gaps.end() ? 0 : tail->second);
    m_heights.insert(width, height);
    return height;
}

QSize ProseView::sizeHint() const
{
    const int wide = lineWrapColumnOrWidth();
    return {wide, heightForWidth(wide)};
}

QSize ProseView::minimumSizeHint() const
{
    return {80, 16};
}

void ProseView::resizeEvent(QResizeEvent* event)
{
    QTextBrowser::resizeEvent(event);
    if (!m_stale && lineWrapColumnOrWidth() != viewport()->width())
        setLineWrapColumnOrWidth(viewport()->width());
}

void ProseView::paintEvent(QPaintEvent* event)
{
    if (m_stale) // somebody scrolled here before its turn came
        QTimer::singleShot(0, this, [this] {
            if (m_stale && isVisible())
                rebuild();
        });
    // A layout that asked for the height at another width and then left the size alone sends no resize.
    else if (lineWrapColumnOrWidth() != viewport()->width())
        setLineWrapColumnOrWidth(viewport()->width());
    QTextBrowser::paintEvent(event);
    QPainter painter(viewport());
    for (QTextBlock block = document()->begin(); block.isValid(); block = block.next()) {
        const int level = block.blockFormat().intProperty(QTextFormat::BlockQuoteLevel);
        if (level <= 0)
            continue;
        // The layout reports the natural height of fixed-height lines, so the box is counted in lines.
        QRectF area = document()->documentLayout()->blockBoundingRect(block);
        area.setHeight(block.layout()->lineCount() * block.blockFormat().lineHeight());
        if (block.next().isValid() && block.next().blockFormat().intProperty(QTextFormat::BlockQuoteLevel) > 0)
            area.setHeight(area.height() + block.blockFormat().bottomMargin());
        painter.fillRect(QRectF(0, area.top(), 3, area.height()), m_context.theme().color(Role::BorderStrong));
    }
}

void ProseView::wheelEvent(QWheelEvent* event)
{
    event->ignore();
}

bool ProseView::event(QEvent* event)
{
    // The type is the theme's. QTextEdit would set all of the text in the application's and lay it out, for nothing.
    if (event->type() == QEvent::FontChange || event->type() == QEvent::ApplicationFontChange)
        return true;
    // On a term or claim, F1 explains that one; anywhere else it is the window's command.
    if (event->type() == QEvent::ShortcutOverride && static_cast<QKeyEvent*>(event)->key() == Qt::Key_F1 &&
        cardFor(m_context.app.curriculum(), focusedLink())) {
        event->accept();
        return true;
    }
    return QTextBrowser::event(event);
}

void ProseView::keyPressEvent(QKeyEvent* event)
{
    switch (event->key()) {
    case Qt::Key_F1:
        if (cardFor(m_context.app.curriculum(), focusedLink()))
            return m_context.card.open(focusedLink(), this, linkRect());
        break;
    case Qt::Key_Escape:
        if (m_context.card.isVisible())
            return m_context.card.dismiss();
        break;
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_Tab:
    case Qt::Key_Backtab:
        return QTextBrowser::keyPressEvent(event);
    default:
        if (event->matches(QKeySequence::Copy) || event->matches(QKeySequence::SelectAll))
            return QTextBrowser::keyPressEvent(event);
    }
    event->ignore(); // the page scrolls, not one paragraph of it
}

void ProseView::leaveEvent(QEvent* event)
{
    QTextBrowser::leaveEvent(event);
    m_context.card.hover({}, this, {});
}

QMimeData* ProseView::createMimeDataFromSelection() const
{
    auto* copied = QTextBrowser::createMimeDataFromSelection();
    const QTextCursor selection = textCursor();
    QString text = withoutJoiners(selection.selection().toPlainText());
    // What is pasted elsewhere should read, so each formula is copied as its spoken form.
    for (int at = selection.selectionStart(); at < selection.selectionEnd(); ++at) {
        if (document()->characterAt(at) != QChar::ObjectReplacementCharacter)
            continue;
        QTextCursor one(document());
        one.setPosition(at + 1);
        const auto found = text.indexOf(QChar::ObjectReplacementCharacter);
        if (found >= 0)
            text.replace(found, 1, FormulaObject::spoken(one.charFormat()));
    }
    copied->setText(text);
    return copied;
}

void ProseView::followLink(const QUrl& link)
{
    if (cardFor(m_context.app.curriculum(), link))
        return m_context.card.open(link, this, linkRect());
    if (link.scheme() == QLatin1String("lesson"))
        Q_EMIT m_context.app.openRequested(QStringLiteral("lesson/") + link.path());
    else if (link.scheme() == QLatin1String("lab"))
        Q_EMIT m_context.app.openRequested(QStringLiteral("lab/") + link.path());
    else if (link.scheme() == QLatin1String("parity"))
        Q_EMIT m_context.app.openRequested(QStringLiteral("parity/") + link.path());
    else if (link.scheme().startsWith(QLatin1String("http")))
        QDesktopServices::openUrl(link);
}

/// The link that Tab has reached is the selection; else the one under the pointer.
QUrl ProseView::focusedLink() const
{
    const QString anchor = textCursor().hasSelection() ? textCursor().charFormat().anchorHref() : QString();
    return anchor.isEmpty() ? m_highlighted : QUrl(anchor);
}

QRect ProseView::linkRect() const
{
    if (textCursor().hasSelection() && !textCursor().charFormat().anchorHref().isEmpty())
        return cursorRect();
    const QPoint pointer = viewport()->mapFromGlobal(QCursor::pos());
    if (viewport()->rect().contains(pointer))
        return QRect(pointer - QPoint(0, 10), QSize(1, 20));
    return cursorRect();
}

} // namespace ridge::app

#include "moc_prose_view.cpp"
