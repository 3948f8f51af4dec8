// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lesson/reader/prose_document.h"

#include "app/lesson/reader/inline_html.h"
#include "app/theme/kept_units.h"
#include "base/units.h"
#include "lessons/inline.h"

#include <QAbstractTextDocumentLayout>
#include <QTextCursor>
#include <QTextDocument>
#include <QTextEdit>
#include <QTextList>
#include <QTextTable>
#include <QUrl>

namespace ridge::app {

namespace {

TextStyle bodyStyle(ProseLook look)
{
    return look == ProseLook::Card ? TextStyle::Body : TextStyle::ReadBody;
}

QFont bodyFont(const Theme& theme, ProseLook look)
{
    QFont font = theme.font(bodyStyle(look));
    if (look == ProseLook::Question)
        font.setWeight(QFont::DemiBold);
    return font;
}

QString escaped(const QString& text)
{
    QString out;
    for (const QChar c : text) {
        if (QStringLiteral("\\`*_[]<>~|").contains(c))
            out += QLatin1Char('\\');
        out += c;
    }
    return out;
}

QString claimText(const lessons::Curriculum& curriculum, const std::string& key)
{
    const auto* claim = curriculum.claim(key);
    if (!claim)
        return QStringLiteral("[%1]").arg(QString::fromStdString(key));
    return shownClaim(*claim);
}

/// Markdown that QTextDocument understands: claims as links, formulas as images that are replaced afterwards.
QString toQtMarkdown(const std::string& markdown, const lessons::Curriculum& curriculum,
                     std::vector<lessons::InlineFormula>& formulas)
{
    QString out;
    for (const auto& piece : lessons::splitInline(markdown)) {
        if (const auto* text = std::get_if<lessons::InlineText>(&piece)) {
            out += QString::fromStdString(text->markdown);
        } else if (const auto* claim = std::get_if<lessons::InlineClaim>(&piece)) {
            out += QStringLiteral("[%1](claim:%2)")
                       .arg(escaped(claimText(curriculum, claim->key)),
                            QString::fromLatin1(QUrl::toPercentEncoding(QString::fromStdString(claim->key))));
        } else {
            formulas.push_back(std::get<lessons::InlineFormula>(piece));
            out += QStringLiteral("![f](formula:%1)").arg(formulas.size() - 1);
        }
    }
    return out;
}

/// Walks over what the import made and sets it again in the theme's tokens.
class Styler {
public:
    Styler(QTextDocument& document, FormulaObject& formulas, ProseLook look, const ProseSources& sources,
           const std::vector<lessons::InlineFormula>& inlineFormulas)
        : m_document(document), m_formulas(formulas), m_look(look), m_sources(sources), m_inline(inlineFormulas)
    {
    }

    void run()
    {
        QTextCursor edit(&m_document);
        edit.beginEditBlock();
        styleTables();
        for (QTextBlock block = m_document.begin(); block.isValid(); block = block.next())
            styleBlock(block);
        edit.endEditBlock();
    }

private:
    struct Piece {
        int position = 0, length = 0;
        QTextCharFormat format;
        QString text;
    };

    int px(double value) const { return m_sources.theme.scaled(value); }
    QColor color(Role role) const { return m_sources.theme.color(role); }

    void styleBlock(QTextBlock block)
    {
        const QTextBlockFormat old = block.blockFormat();
        const int level = old.headingLevel();
        const bool code =
            old.hasProperty(QTextFormat::BlockCodeLanguage) || old.hasProperty(QTextFormat::BlockCodeFence);
        std::vector<Piece> pieces;
        for (auto it = block.begin(); !it.atEnd(); ++it) {
            const QTextFragment fragment = it.fragment();
            pieces.push_back({fragment.position(), fragment.length(), fragment.charFormat(), fragment.text()});
        }
        const bool display = pieces.size() == 1 && isFormula(pieces[0]);
        setBlockFormat(block, level, code, display);
        const TextStyle heading = level <= 1 ? TextStyle::ReadH1 : level == 2 ? TextStyle::ReadH2 : TextStyle::ReadH3;
        const QFont font = code        ? m_sources.theme.font(TextStyle::Code)
                           : level > 0 ? m_sources.theme.font(heading)
                                       : bodyFont(m_sources.theme, m_look);
        for (const Piece& piece : pieces) {
            QTextCursor cursor(&m_document);
            cursor.setPosition(piece.position);
            cursor.setPosition(piece.position + piece.length, QTextCursor::KeepAnchor);
            if (isFormula(piece))
                placeFormula(cursor, piece, font, display);
            else if (piece.format.isImageFormat())
                placeWords(cursor, piece, font, level > 0);
            else
                cursor.setCharFormat(charFormat(piece, font, level > 0));
        }
        if (!code)
            keepUnits(block, pieces);
    }

    /// No line ends between a number and its unit, nor behind the slash of one. Code is shown as it is.
    void keepUnits(const QTextBlock& block, const std::vector<Piece>& pieces)
    {
        const int start = block.position();
        const auto inCode = [&](const UnitJoint& joint) {
            return std::ranges::any_of(pieces, [&](const Piece& piece) {
                return piece.format.fontFixedPitch() && start + joint.position >= piece.position &&
                       start + joint.position < piece.position + piece.length;
            });
        };
        const std::vector<UnitJoint> joints = unitJoints(block.text());
        for (auto joint = joints.rbegin(); joint != joints.rend(); ++joint) { // positions before stay what they are
            if (inCode(*joint))
                continue;
            QTextCursor cursor(&m_document);
            cursor.setPosition(start + joint->position + 1);
            const QTextCharFormat format = cursor.charFormat();
            if (joint->isBlank)
                cursor.setPosition(start + joint->position, QTextCursor::KeepAnchor);
            cursor.insertText(joint->isBlank ? kNoBreakSpace : kWordJoiner, format);
        }
    }

    void setBlockFormat(QTextBlock block, int level, bool code, bool display)
    {
        QTextBlockFormat format = block.blockFormat();
        const bool table = QTextCursor(block).currentTable() != nullptr;
        const bool list = block.textList() != nullptr;
        const bool reading = m_look == ProseLook::Reading;
        const bool first = block == m_document.begin();
        const bool last = !block.next().isValid();
        double above = 0, below = table ? 0 : list ? 6 : reading ? 16 : 8;
        if (level > 0) {
            above = first ? 0 : 24;
            below = 8;
        }
        if (code) {
            format.setBackground(color(Role::CodeBackground));
            format.setLeftMargin(px(space::m));
            below = block.next().blockFormat().hasProperty(QTextFormat::BlockCodeFence) ? 0 : below;
        }
        if (const int quote = format.intProperty(QTextFormat::BlockQuoteLevel); quote > 0)
            format.setLeftMargin(px(20) * quote);
        if (list && !block.next().textList() && !last)
            below = reading ? 16 : 8;
        format.setTopMargin(px(above));
        format.setBottomMargin(last ? 0 : px(below));
        const TextStyle style = code         ? TextStyle::Code
                                : level == 1 ? TextStyle::ReadH1
                                : level == 2 ? TextStyle::ReadH2
                                : level > 2  ? TextStyle::ReadH3
                                             : bodyStyle(m_look);
        if (display)
            format.setLeftMargin(px(space::xl));
        else
            format.setLineHeight(m_sources.theme.lineHeight(style), QTextBlockFormat::FixedHeight);
        QTextCursor(block).setBlockFormat(format);
    }

    static bool isFormula(const Piece& piece)
    {
        return piece.format.isImageFormat() &&
               piece.format.toImageFormat().name().startsWith(QLatin1String("formula:"));
    }

    /// A picture that the text names by itself could be any file of this computer: its words stand there instead.
    void placeWords(QTextCursor& cursor, const Piece& piece, const QFont& font, bool heading)
    {
        const QTextImageFormat image = piece.format.toImageFormat();
        const QString alt = image.stringProperty(QTextFormat::ImageAltText);
        Piece words = piece;
        words.format = QTextCharFormat();
        cursor.insertText(QStringLiteral("[%1]").arg(alt.isEmpty() ? image.name() : alt),
                          charFormat(words, font, heading));
    }

    void placeFormula(QTextCursor& cursor, const Piece& piece, const QFont& font, bool display)
    {
        const std::size_t index = piece.format.toImageFormat().name().mid(8).toULongLong();
        if (index >= m_inline.size())
            return cursor.removeSelectedText();
        const auto& formula = m_inline[index];
        cursor.insertText(QString(QChar::ObjectReplacementCharacter),
                          m_formulas.format(formula.asset, QString::fromStdString(formula.tex), font, display));
    }

    QTextCharFormat charFormat(const Piece& piece, const QFont& base, bool heading) const
    {
        const QTextCharFormat& old = piece.format;
        QTextCharFormat format;
        QFont font = base;
        const bool bold = old.fontWeight() > QFont::Normal && !heading;
        font.setItalic(old.fontItalic());
        font.setStrikeOut(old.fontStrikeOut());
        if (bold)
            font.setWeight(QFont::DemiBold);
        if (old.fontFixedPitch() && base.fixedPitch() == false) {
            font = m_sources.theme.font(TextStyle::Code);
            font.setPointSizeF(base.pointSizeF() * 0.88);
            format.setBackground(color(Role::CodeBackground));
        }
        format.setFont(font);
        format.setForeground(color(Role::Text));
        format.setVerticalAlignment(old.verticalAlignment());
        QString target = old.isAnchor() ? old.anchorHref() : QString();
        if (target.isEmpty() && bold && m_sources.curriculum.term(piece.text.toStdString()))
            target = QStringLiteral("term:") + piece.text;
        if (!target.isEmpty())
            makeLink(format, target);
        return format;
    }

    void makeLink(QTextCharFormat& format, const QString& target) const
    {
        format.setAnchor(true);
        format.setAnchorHref(target);
        const bool card = target.startsWith(QLatin1String("claim:")) || target.startsWith(QLatin1String("term:"));
        format.setUnderlineStyle(card ? QTextCharFormat::DotLine : QTextCharFormat::SingleUnderline);
        format.setUnderlineColor(color(card ? Role::Accent : Role::Link));
        if (!card)
            format.setForeground(color(Role::Link));
    }

    void styleTables()
    {
        for (QTextFrame* frame : m_document.rootFrame()->childFrames()) {
            auto* table = qobject_cast<QTextTable*>(frame);
            if (!table)
                continue;
            QTextTableFormat format = table->format();
            format.setBorder(0);
            format.setCellPadding(0);
            format.setCellSpacing(0);
            format.setBorderCollapse(true);
            format.setTopMargin(px(space::xs));
            format.setBottomMargin(px(space::l));
            table->setFormat(format);
            for (int column = 0; column < table->columns() && table->rows() > 1; ++column)
                alignHeader(table->cellAt(0, column), table->cellAt(1, column));
            for (int row = 0; row < table->rows(); ++row)
                for (int column = 0; column < table->columns(); ++column)
                    styleCell(table->cellAt(row, column), row == 0, column == 0);
        }
    }

    /// The import aligns the cells of a column but not its heading.
    void alignHeader(const QTextTableCell& header, const QTextTableCell& below) const
    {
        QTextCursor cursor = header.firstCursorPosition();
        QTextBlockFormat format = cursor.blockFormat();
        format.setAlignment(below.firstCursorPosition().blockFormat().alignment());
        cursor.setBlockFormat(format);
    }

    void styleCell(QTextTableCell cell, bool header, bool first) const
    {
        QTextTableCellFormat format = cell.format().toTableCellFormat();
        format.setTopPadding(px(6));
        format.setBottomPadding(px(6));
        format.setLeftPadding(first ? px(space::xs) : px(space::l));
        format.setRightPadding(px(space::l));
        format.setBottomBorder(1);
        format.setBottomBorderStyle(QTextFrameFormat::BorderStyle_Solid);
        format.setBottomBorderBrush(color(header ? Role::BorderStrong : Role::Border));
        cell.setFormat(format);
    }

    QTextDocument& m_document;
    FormulaObject& m_formulas;
    ProseLook m_look;
    const ProseSources& m_sources;
    const std::vector<lessons::InlineFormula>& m_inline;
};

} // namespace

void buildProse(QTextDocument& document, FormulaObject& formulas, const std::string& markdown, ProseLook look,
                const ProseSources& sources)
{
    std::vector<lessons::InlineFormula> inlineFormulas;
    const QString text = toQtMarkdown(markdown, sources.curriculum, inlineFormulas);
    document.setUndoRedoEnabled(false);
    document.setDocumentMargin(0);
    document.setIndentWidth(sources.theme.scaled(24));
    document.setDefaultFont(bodyFont(sources.theme, look));
    document.setMarkdown(text, QTextDocument::MarkdownDialectGitHub);
    Styler(document, formulas, look, sources, inlineFormulas).run();
}

void showProse(QTextEdit& view, QTextDocument& document, FormulaObject& formulas)
{
    document.setLayoutEnabled(false);
    document.documentLayout()->registerHandler(FormulaObject::kType, &formulas);
    view.setDocument(&document);
    document.setLayoutEnabled(true);
}

int textMeasure(const Theme& theme)
{
    constexpr double kMeasure = 71.5; // characters
    // The mean over a font's characters would count its rare wide ones too.
    static const QString prose = QStringLiteral(
        "Your kernel reads four bytes a thread and the memory moves thirty-two. Most of what you pay for is "
        "thrown away, and no profiler will call it an error.");
    const QFontMetricsF metrics(theme.font(TextStyle::ReadBody));
    return int(std::ceil(kMeasure * metrics.horizontalAdvance(prose) / double(prose.size())));
}

QString spokenText(const QTextDocument& document)
{
    QString out;
    for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
        for (auto it = block.begin(); !it.atEnd(); ++it) {
            const QTextFragment fragment = it.fragment();
            if (fragment.charFormat().objectType() == FormulaObject::kType)
                out += FormulaObject::spoken(fragment.charFormat());
            else
                out += fragment.text();
        }
        out += QLatin1Char('\n');
    }
    return withoutJoiners(out).trimmed();
}

} // namespace ridge::app
