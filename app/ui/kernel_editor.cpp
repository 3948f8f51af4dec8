// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/kernel_editor.h"

#include "app/theme/color_science.h"

#include <QHelpEvent>
#include <QPainter>
#include <QTextBlock>
#include <QToolTip>
#include <cmath>

namespace ridge::app {
namespace {

constexpr int kIndent = 4;

class Gutter : public QWidget {
public:
    explicit Gutter(KernelEditor* editor) : QWidget(editor), m_editor(editor)
    {
        setFocusPolicy(Qt::NoFocus);
        setAccessibleName(KernelEditor::tr("Line numbers"));
    }

protected:
    void paintEvent(QPaintEvent* event) override { m_editor->paintGutter(event); }
    void mousePressEvent(QMouseEvent* event) override { m_editor->gutterPressed(event->position().toPoint().y()); }
    bool event(QEvent* event) override
    {
        if (event->type() == QEvent::ToolTip) {
            auto* help = static_cast<QHelpEvent*>(event);
            QToolTip::showText(help->globalPos(), m_editor->gutterTip(help->pos().y()), this);
            return true;
        }
        return QWidget::event(event);
    }

private:
    KernelEditor* m_editor;
};

QString indentOf(const QString& line)
{
    int end = 0;
    while (end < line.size() && line[end].isSpace())
        ++end;
    return line.left(end);
}

QChar partnerOf(QChar bracket)
{
    static const QString pairs = QStringLiteral("()[]{}");
    const auto at = pairs.indexOf(bracket);
    return at < 0 ? QChar() : pairs[at % 2 == 0 ? at + 1 : at - 1];
}

/// Which characters of a line are code: not in a comment or a text.
std::vector<bool> codeOf(const QTextBlock& block, CodeLanguage language)
{
    CodeState state = block.previous().userState() < 0 ? CodeState::Plain : CodeState(block.previous().userState());
    std::vector<bool> code(std::size_t(block.text().size()), true);
    for (const CodeToken& token : tokenize(block.text(), language, state))
        if (token.role == Role::SyntaxComment || token.role == Role::SyntaxString)
            std::fill_n(code.begin() + token.start, token.length, false);
    return code;
}

} // namespace

int matchingBracket(const QTextDocument& document, int at, CodeLanguage language)
{
    QTextBlock block = document.findBlock(at);
    if (!block.isValid())
        return -1;
    int column = at - block.position();
    const QChar bracket = document.characterAt(at), partner = partnerOf(bracket);
    auto code = codeOf(block, language);
    if (partner.isNull() || column >= int(code.size()) || !code[std::size_t(column)])
        return -1;
    const int step = QStringLiteral("([{").contains(bracket) ? 1 : -1;
    int depth = 0;
    while (block.isValid()) {
        const QString text = block.text();
        for (; column >= 0 && column < text.size(); column += step) {
            if (!code[std::size_t(column)])
                continue;
            depth += text[column] == bracket ? 1 : text[column] == partner ? -1 : 0;
            if (depth == 0)
                return block.position() + column;
        }
        block = step > 0 ? block.next() : block.previous();
        code = block.isValid() ? codeOf(block, language) : std::vector<bool>();
        column = step > 0 ? 0 : int(code.size()) - 1;
    }
    return -1;
}

KernelEditor::KernelEditor(Theme& theme, QWidget* parent)
    : QPlainTextEdit(parent), m_theme(theme), m_gutter(new Gutter(this))
{
    setAccessibleName(tr("Kernel source"));
    setLineWrapMode(QPlainTextEdit::NoWrap);
    setUndoRedoEnabled(true);
    setLanguage(CodeLanguage::Cuda);
    connect(this, &QPlainTextEdit::blockCountChanged, this, &KernelEditor::placeGutter);
    connect(this, &QPlainTextEdit::updateRequest, this, [this](const QRect& area, int dy) {
        if (dy != 0)
            m_gutter->scroll(0, dy);
        else
            m_gutter->update(0, area.y(), m_gutter->width(), area.height());
    });
    connect(this, &QPlainTextEdit::cursorPositionChanged, this, &KernelEditor::markAll);
    connect(document(), &QTextDocument::contentsChange, this, [this](int from, int removed, int added) {
        if (m_heat.empty() || (removed == 0 && added == 0))
            return;
        // Numbers belong to lines as they ran: a changed line has none, those below keep theirs where lines came or
        // went.
        const int line = document()->findBlock(from).blockNumber() + 1;
        const int shift = blockCount() - m_lines;
        std::map<int, double> kept;
        for (const auto& [at, value] : m_heat)
            if (at < line)
                kept[at] = value;
            else if (at > line + std::max(0, -shift))
                kept[at + shift] = value;
        m_heat = std::move(kept);
        m_lines = blockCount();
        m_gutter->update();
    });
    connect(&theme, &Theme::changed, this, &KernelEditor::restyle);
    restyle();
}

void KernelEditor::setLanguage(CodeLanguage language)
{
    delete m_highlighter;
    m_highlighter = new CodeHighlighter(document(), m_theme, language);
}

void KernelEditor::restyle()
{
    const QFont code = m_theme.font(TextStyle::Code);
    setFont(code);
    document()->setDefaultFont(code);
    setTabStopDistance(kIndent * QFontMetricsF(code).horizontalAdvance(QLatin1Char(' ')));
    // An own sheet keeps the font that the application's would take away.
    setStyleSheet(QStringLiteral("QPlainTextEdit { background: %1; border: none; border-radius: 0; padding: 0; }")
                      .arg(m_theme.color(Role::CodeBackground).name()));
    m_highlighter->rehighlight();
    placeGutter();
    markAll();
}

KernelEditor::Columns KernelEditor::columns() const
{
    const QFontMetrics numbers(m_theme.font(TextStyle::Caption));
    Columns columns;
    columns.mark = m_theme.scaled(18);
    columns.number = numbers.horizontalAdvance(
                         QString(std::max<qsizetype>(3, QString::number(blockCount()).size()), QLatin1Char('0'))) +
                     space::s;
    if (!m_heat.empty())
        columns.heat = numbers.horizontalAdvance(QStringLiteral("88.8M")) + space::l;
    return columns;
}

int KernelEditor::gutterWidth() const
{
    return columns().all();
}

void KernelEditor::placeGutter()
{
    setViewportMargins(gutterWidth() + space::xs, 0, 0, 0);
    const QRect inside = contentsRect();
    m_gutter->setGeometry(inside.left(), inside.top(), gutterWidth(), inside.height());
    m_gutter->update();
}

void KernelEditor::resizeEvent(QResizeEvent* event)
{
    QPlainTextEdit::resizeEvent(event);
    placeGutter();
}

void KernelEditor::setNotes(std::vector<SourceNote> notes)
{
    m_notes = std::move(notes);
    markAll();
    m_gutter->update();
}

void KernelEditor::setHeat(const std::vector<HeatLine>& lines, HeatMetric metric)
{
    m_heat.clear();
    m_metric = metric;
    m_most = 0;
    for (const HeatLine& line : lines)
        if (const auto value = line.value(metric)) {
            m_heat[line.line] = *value;
            m_most = std::max(m_most, *value);
        }
    m_lines = blockCount();
    placeGutter();
}

QString KernelEditor::heatText(int line) const
{
    const auto found = m_heat.find(line);
    return found == m_heat.end() ? QString() : shortNumber(found->second);
}

void KernelEditor::setPosition(int line)
{
    if (line == m_position)
        return; // most steps stay on their line
    m_position = line;
    if (line > 0) {
        goToLine(line);
        centerCursor();
    }
    markAll();
    m_gutter->update();
}

void KernelEditor::setBreakpoints(const std::map<int, QString>& lines)
{
    m_breakpoints = lines;
    m_gutter->update();
}

void KernelEditor::goToLine(int line, int column)
{
    const QTextBlock block = document()->findBlockByNumber(line - 1);
    if (!block.isValid())
        return;
    QTextCursor cursor(block);
    cursor.setPosition(block.position() + std::clamp(column - 1, 0, std::max(0, block.length() - 1)));
    setTextCursor(cursor);
    ensureCursorVisible();
}

int KernelEditor::currentLine() const
{
    return textCursor().blockNumber() + 1;
}

void KernelEditor::setFound(const QList<QTextCursor>& places)
{
    m_found = places;
    markAll();
}

QList<QTextEdit::ExtraSelection> KernelEditor::bracketMarks() const
{
    QList<QTextEdit::ExtraSelection> marks;
    const int here = textCursor().position();
    for (const int at : {here, here - 1}) {
        if (at < 0 || partnerOf(document()->characterAt(at)).isNull())
            continue;
        const int other = matchingBracket(*document(), at, CodeLanguage::Cuda);
        if (other < 0)
            continue;
        for (const int place : {at, other}) {
            QTextEdit::ExtraSelection mark;
            mark.cursor = QTextCursor(document());
            mark.cursor.setPosition(place);
            mark.cursor.movePosition(QTextCursor::NextCharacter, QTextCursor::KeepAnchor);
            mark.format.setBackground(m_theme.color(Role::Selection));
            mark.format.setFontUnderline(true);
            marks << mark;
        }
        break;
    }
    return marks;
}

void KernelEditor::markAll()
{
    QList<QTextEdit::ExtraSelection> marks;
    const auto wholeLine = [&](int line, const QColor& color) {
        const QTextBlock block = document()->findBlockByNumber(line - 1);
        if (!block.isValid())
            return;
        QTextEdit::ExtraSelection mark;
        mark.cursor = QTextCursor(block);
        mark.format.setBackground(color);
        mark.format.setProperty(QTextFormat::FullWidthSelection, true);
        marks << mark;
    };
    wholeLine(currentLine(), blend(m_theme.color(Role::CodeBackground), m_theme.color(Role::Accent), 0.06));
    if (m_position > 0)
        wholeLine(m_position, m_theme.color(Role::Selection));
    for (const SourceNote& note : m_notes) {
        const QTextBlock block = document()->findBlockByNumber(note.line - 1);
        if (note.line <= 0 || !block.isValid())
            continue;
        QTextEdit::ExtraSelection mark;
        mark.cursor = QTextCursor(block);
        const QString text = block.text();
        const int first = int(indentOf(text).size());
        const bool exact = note.column > 0 && note.column <= text.size();
        mark.cursor.setPosition(block.position() + (exact ? note.column - 1 : first));
        if (exact)
            mark.cursor.movePosition(QTextCursor::EndOfWord, QTextCursor::KeepAnchor);
        if (!mark.cursor.hasSelection())
            mark.cursor.movePosition(QTextCursor::EndOfBlock, QTextCursor::KeepAnchor);
        mark.format.setUnderlineStyle(QTextCharFormat::WaveUnderline);
        mark.format.setUnderlineColor(m_theme.color(note.kind == SourceNote::Kind::Warning ? Role::Warn : Role::Error));
        marks << mark;
    }
    for (const QTextCursor& place : m_found) {
        QTextEdit::ExtraSelection mark;
        mark.cursor = place;
        mark.format.setBackground(m_theme.color(Role::Heat2));
        marks << mark;
    }
    setExtraSelections(marks + bracketMarks());
}

int KernelEditor::lineAt(int y) const
{
    return cursorForPosition({0, y}).blockNumber() + 1;
}

void KernelEditor::gutterPressed(int y)
{
    Q_EMIT breakpointToggled(lineAt(y));
}

QString KernelEditor::gutterTip(int y) const
{
    const int line = lineAt(y);
    QStringList said;
    for (const SourceNote& note : m_notes)
        if (note.line == line)
            said << note.title + QStringLiteral(": ") + note.text;
    if (const auto found = m_heat.find(line); found != m_heat.end())
        said << QStringLiteral("%1: %2").arg(heatTitle(m_metric), QString::number(found->second, 'g', 10));
    if (const auto found = m_breakpoints.find(line); found != m_breakpoints.end())
        said << (found->second.isEmpty() ? tr("Breakpoint") : tr("Breakpoint where %1").arg(found->second));
    return said.join(QLatin1Char('\n'));
}

void KernelEditor::paintGutter(QPaintEvent* event)
{
    QPainter painter(m_gutter);
    painter.fillRect(event->rect(), m_theme.color(Role::Surface2));
    painter.setFont(m_theme.font(TextStyle::Caption));
    painter.setRenderHint(QPainter::Antialiasing);
    const Columns columns = this->columns();
    const Role heats[] = {Role::Heat1, Role::Heat2, Role::Heat3, Role::Heat4, Role::Heat5};
    for (QTextBlock block = firstVisibleBlock(); block.isValid(); block = block.next()) {
        const QRectF area = blockBoundingGeometry(block).translated(contentOffset());
        if (area.top() > event->rect().bottom())
            break;
        const int line = block.blockNumber() + 1;
        const QRectF row(0, area.top(), m_gutter->width(), area.height());
        const auto note = std::ranges::find_if(m_notes, [&](const SourceNote& one) { return one.line == line; });
        const QRectF mark(space::xs, row.center().y() - 5, 10, 10);
        if (m_breakpoints.contains(line)) {
            painter.setPen(Qt::NoPen);
            painter.setBrush(m_theme.color(Role::Error));
            painter.drawEllipse(mark);
            if (!m_breakpoints.at(line).isEmpty()) { // a condition: the disc has a hole
                painter.setBrush(m_theme.color(Role::Surface2));
                painter.drawEllipse(mark.adjusted(3, 3, -3, -3));
            }
        } else if (note != m_notes.end()) {
            painter.setPen(m_theme.color(note->kind == SourceNote::Kind::Warning ? Role::Warn : Role::Error));
            painter.drawText(QRectF(0, row.top(), columns.mark, row.height()), Qt::AlignCenter,
                             note->kind == SourceNote::Kind::Warning ? QStringLiteral("!") : QStringLiteral("✗"));
        }
        if (line == m_position) {
            painter.setPen(m_theme.color(Role::Accent));
            painter.drawText(QRectF(0, row.top(), columns.mark, row.height()), Qt::AlignRight | Qt::AlignVCenter,
                             QStringLiteral("▶"));
        }
        painter.setPen(m_theme.color(line == currentLine() ? Role::Text : Role::Text3));
        painter.drawText(QRectF(columns.mark, row.top(), columns.number - space::xs, row.height()),
                         Qt::AlignRight | Qt::AlignVCenter, QString::number(line));
        const auto heat = m_heat.find(line);
        if (columns.heat == 0 || heat == m_heat.end())
            continue;
        // Five steps of the share of the hottest line; the number beside them says the same without colour.
        const double share = m_most > 0 ? heat->second / m_most : 0;
        const int step = std::clamp(int(share * 5), 0, 4);
        const QRectF cell(columns.mark + columns.number + 2, row.top() + 1, columns.heat - 4, row.height() - 2);
        const QColor ground = heat->second > 0 ? m_theme.color(heats[step]) : m_theme.color(Role::Surface2);
        painter.fillRect(cell, ground);
        const QColor dark = m_theme.color(Role::InkDark), light = m_theme.color(Role::InkLight);
        painter.setPen(heat->second <= 0                                            ? m_theme.color(Role::Text2)
                       : contrastRatio(dark, ground) > contrastRatio(light, ground) ? dark
                                                                                    : light);
        painter.drawText(cell.adjusted(0, 0, -space::xs, 0), Qt::AlignRight | Qt::AlignVCenter,
                         shortNumber(heat->second));
    }
    painter.setPen(m_theme.color(Role::Border));
    painter.drawLine(m_gutter->width() - 1, event->rect().top(), m_gutter->width() - 1, event->rect().bottom());
}

void KernelEditor::indentLines(bool further)
{
    QTextCursor cursor = textCursor();
    const int first = document()->findBlock(cursor.selectionStart()).blockNumber();
    int last = document()->findBlock(cursor.selectionEnd()).blockNumber();
    if (cursor.hasSelection() && last > first &&
        document()->findBlockByNumber(last).position() == cursor.selectionEnd())
        --last;
    cursor.beginEditBlock();
    for (int number = first; number <= last; ++number) {
        const QTextBlock block = document()->findBlockByNumber(number);
        QTextCursor at(block);
        if (further) {
            at.insertText(QString(kIndent, QLatin1Char(' ')));
            continue;
        }
        const int blanks = std::min<int>(kIndent, int(indentOf(block.text()).size()));
        at.movePosition(QTextCursor::NextCharacter, QTextCursor::KeepAnchor, blanks);
        at.removeSelectedText();
    }
    cursor.endEditBlock();
}

/// A new line begins where the one above does, a level further behind an opening brace.
void KernelEditor::breakLine()
{
    QTextCursor cursor = textCursor();
    const QString before = cursor.block().text().left(cursor.positionInBlock());
    QString indent = indentOf(before);
    if (before.trimmed().endsWith(QLatin1Char('{')))
        indent += QString(kIndent, QLatin1Char(' '));
    cursor.insertText(QLatin1Char('\n') + indent);
    setTextCursor(cursor);
    ensureCursorVisible();
}

void KernelEditor::keyPressEvent(QKeyEvent* event)
{
    const bool plain = event->modifiers() == Qt::NoModifier || event->modifiers() == Qt::KeypadModifier;
    switch (event->key()) {
    case Qt::Key_Escape:
        Q_EMIT left();
        return;
    case Qt::Key_Tab:
        if (textCursor().hasSelection()) {
            indentLines(true);
        } else {
            const int column = textCursor().positionInBlock();
            insertPlainText(QString(kIndent - column % kIndent, QLatin1Char(' ')));
        }
        return;
    case Qt::Key_Backtab:
        indentLines(false);
        return;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (plain) {
            breakLine();
            return;
        }
        break;
    case Qt::Key_BraceRight: {
        // A closing brace on a line of its own goes back a level.
        const QTextCursor cursor = textCursor();
        const QString before = cursor.block().text().left(cursor.positionInBlock());
        if (!before.isEmpty() && before.trimmed().isEmpty())
            indentLines(false);
        break;
    }
    default:
        break;
    }
    QPlainTextEdit::keyPressEvent(event);
}

bool KernelEditor::event(QEvent* event)
{
    if (event->type() == QEvent::ToolTip) {
        auto* help = static_cast<QHelpEvent*>(event);
        const QString tip = gutterTip(viewport()->mapFrom(this, help->pos()).y());
        if (!tip.isEmpty())
            QToolTip::showText(help->globalPos(), tip, this);
        return true;
    }
    return QPlainTextEdit::event(event);
}

} // namespace ridge::app

#include "moc_kernel_editor.cpp"
