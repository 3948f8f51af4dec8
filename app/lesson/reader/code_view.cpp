// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lesson/reader/code_view.h"

#include "app/theme/restyler.h"

#include <QAbstractTextDocumentLayout>
#include <QApplication>
#include <QClipboard>
#include <QPainter>
#include <QScrollBar>
#include <QTextBlock>
#include <QToolButton>
#include <QWheelEvent>

namespace ridge::app {

namespace {

class Gutter : public QWidget {
public:
    explicit Gutter(CodeView* view) : QWidget(view), m_view(view) { setFocusPolicy(Qt::NoFocus); }

protected:
    void paintEvent(QPaintEvent* event) override
    {
        QPainter painter(this);
        m_view->paintGutter(painter, event->rect());
    }

private:
    CodeView* m_view;
};

QString withoutLastBreaks(QString text)
{
    while (text.endsWith(QLatin1Char('\n')))
        text.chop(1);
    return text;
}

} // namespace

CodeView::CodeView(Theme& theme, const QString& code, CodeLanguage language, QWidget* parent)
    : QTextEdit(parent), m_theme(theme), m_gutter(new Gutter(this))
{
    setReadOnly(true);
    setTabChangesFocus(true);
    setFrameStyle(QFrame::NoFrame);
    setLineWrapMode(QTextEdit::NoWrap);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(tr("Code"));
    setPlainText(withoutLastBreaks(code));
    m_highlighter = new CodeHighlighter(document(), theme, language);
    auto* copy = new QToolButton(this);
    copy->setText(tr("Copy"));
    copy->setToolTip(tr("Copy this code"));
    copy->setAccessibleName(tr("Copy this code"));
    copy->setFocusPolicy(Qt::NoFocus); // Ctrl+A, Ctrl+C do it from the keyboard
    copy->hide();
    connect(copy, &QToolButton::clicked, this, [this] { QApplication::clipboard()->setText(toPlainText()); });
    m_copy = copy;
    followTheme(theme, this, [this] { restyle(); });
    restyle();
}

void CodeView::restyle()
{
    setFont(m_theme.font(TextStyle::Code));
    setStyleSheet(QStringLiteral("QTextEdit { background: %1; border: 1px solid %2; border-radius: %3px; padding: 0; }")
                      .arg(m_theme.color(Role::CodeBackground).name(), m_theme.color(Role::Border).name())
                      .arg(kControlRadius));
    setTabStopDistance(4 * QFontMetricsF(font()).horizontalAdvance(QLatin1Char(' ')));
    document()->setDocumentMargin(0);
    document()->setDefaultFont(font());
    QTextCursor all(document());
    all.select(QTextCursor::Document);
    QTextBlockFormat lines;
    lines.setLineHeight(m_theme.lineHeight(TextStyle::Code), QTextBlockFormat::FixedHeight);
    all.mergeBlockFormat(lines);
    m_highlighter->rehighlight();
    setMarkedLines(m_marked);
    placeParts();
    updateGeometry();
}

int CodeView::gutterWidth() const
{
    if (!m_numbers)
        return 0;
    const QFontMetrics metrics(m_theme.font(TextStyle::Caption));
    return metrics.horizontalAdvance(QStringLiteral("000")) + space::l;
}

void CodeView::setLineNumbers(bool shown)
{
    m_numbers = shown;
    placeParts();
}

void CodeView::setCode(const QString& code, int firstLine)
{
    setPlainText(withoutLastBreaks(code));
    m_first = firstLine;
    restyle();
}

void CodeView::setMarkedLines(const std::vector<int>& lines)
{
    m_marked = lines;
    QList<QTextEdit::ExtraSelection> marks;
    for (const int line : lines) {
        const QTextBlock block = document()->findBlockByNumber(line - m_first);
        if (!block.isValid())
            continue;
        QTextEdit::ExtraSelection mark;
        mark.cursor = QTextCursor(block);
        mark.format.setBackground(m_theme.color(Role::Selection));
        mark.format.setProperty(QTextFormat::FullWidthSelection, true);
        marks.append(mark);
    }
    setExtraSelections(marks);
    QStringList numbers;
    for (const int line : lines)
        numbers += QString::number(line);
    if (!numbers.isEmpty())
        setAccessibleDescription(tr("Marked lines: %1").arg(numbers.join(QStringLiteral(", "))));
}

int CodeView::contentHeight() const
{
    int height = document()->blockCount() * m_theme.lineHeight(TextStyle::Code) + 2 * space::m + 2;
    if (horizontalScrollBar()->maximum() > 0)
        height += horizontalScrollBar()->sizeHint().height();
    return height;
}

QSize CodeView::sizeHint() const
{
    return {400, contentHeight()};
}
QSize CodeView::minimumSizeHint() const
{
    return {120, contentHeight()};
}

void CodeView::placeParts()
{
    const int gutter = gutterWidth();
    setViewportMargins(gutter > 0 ? gutter + space::s : space::l, space::m, space::m, space::m);
    m_gutter->setVisible(gutter > 0);
    m_gutter->setGeometry(0, space::m, gutter, height() - 2 * space::m);
    m_copy->adjustSize();
    m_copy->move(width() - m_copy->width() - space::xs, space::xs);
}

void CodeView::resizeEvent(QResizeEvent* event)
{
    QTextEdit::resizeEvent(event);
    placeParts();
    updateGeometry();
}

void CodeView::paintGutter(QPainter& painter, const QRect& area)
{
    painter.setFont(m_theme.font(TextStyle::Caption));
    for (QTextBlock block = document()->begin(); block.isValid(); block = block.next()) {
        const QRectF geometry = document()->documentLayout()->blockBoundingRect(block);
        if (geometry.top() > area.bottom())
            break;
        const int line = block.blockNumber() + m_first;
        const bool marked = std::ranges::find(m_marked, line) != m_marked.end();
        const double height = m_theme.lineHeight(TextStyle::Code);
        const QRectF row(0, geometry.top(), m_gutter->width(), height);
        if (marked)
            painter.fillRect(QRectF(1, row.top() + 0.2 * height, 3, height), m_theme.color(Role::Accent));
        painter.setPen(m_theme.color(marked ? Role::Text : Role::Text3));
        // A fixed line height puts the text's baseline at four fifths of it.
        const QString number = QString::number(line);
        const double x = row.right() - space::xs - painter.fontMetrics().horizontalAdvance(number);
        painter.drawText(QPointF(x, row.top() + 0.8 * height), number);
    }
}

void CodeView::wheelEvent(QWheelEvent* event)
{
    if (std::abs(event->angleDelta().x()) > std::abs(event->angleDelta().y()))
        QTextEdit::wheelEvent(event);
    else
        event->ignore();
}

void CodeView::keyPressEvent(QKeyEvent* event)
{
    // The page scrolls; the code has nothing above or below itself.
    if (event->key() == Qt::Key_PageUp || event->key() == Qt::Key_PageDown || event->key() == Qt::Key_Escape)
        event->ignore();
    else
        QTextEdit::keyPressEvent(event);
}

void CodeView::enterEvent(QEnterEvent* event)
{
    QTextEdit::enterEvent(event);
    m_copy->show();
    m_copy->raise();
}

void CodeView::leaveEvent(QEvent* event)
{
    QTextEdit::leaveEvent(event);
    m_copy->hide();
}

} // namespace ridge::app

#include "moc_code_view.cpp"
