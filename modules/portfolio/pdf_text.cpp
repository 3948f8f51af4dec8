// SPDX-License-Identifier: GPL-3.0-or-later
#include "portfolio/pdf_text.h"

#include "portfolio/html_markup.h"
#include "portfolio/pdf.h"
#include "portfolio/pdf_rows.h"

#include <QAbstractTextDocumentLayout>
#include <QPaintDevice>
#include <QPainter>
#include <QTextCursor>
#include <QTextDocument>
#include <QTextTable>
#include <variant>

namespace ridge::folio {
namespace {

constexpr int kPicture = QTextFormat::UserObject + 1;
constexpr int kPictureIndex = QTextFormat::UserProperty + 1;

/// Rows of a table from which on it is drawn rather than laid out as text; a page holds some fifty.
constexpr std::size_t kLongTable = 200;
/// Of a page's height what a drawn table may fill: the line that it is in needs the rest.
constexpr double kPageShare = 0.97;

QString s(const std::string& text)
{
    return QString::fromStdString(text);
}

/// Charts and pieces of long tables in the flow of the text; owned by the document.
class Pictures : public QObject, public QTextObjectInterface {
    Q_OBJECT
    Q_INTERFACES(QTextObjectInterface)
public:
    Pictures(const Style& style, double unit, QObject* parent) : QObject(parent), m_style(style), m_unit(unit) {}
    int add(Picture picture) { return keep(std::move(picture)); }
    int add(std::shared_ptr<const RowTable> table, const RowBand& band) { return keep(Rows{std::move(table), band}); }
    QSizeF intrinsicSize(QTextDocument*, int, const QTextFormat& format) override
    {
        if (const Rows* rows = std::get_if<Rows>(&at(format)))
            return {rows->table->width, rows->band.height};
        const Picture& picture = std::get<Picture>(at(format));
        return QSizeF(picture.width, picture.height) * scale(picture);
    }
    void drawObject(QPainter* painter, const QRectF& rect, QTextDocument*, int, const QTextFormat& format) override
    {
        // What begins the next page is handed out with this one as well. Its letters would be cut off to the eye, and
        // found twice by whoever searches.
        if (painter->hasClipping() && !painter->clipBoundingRect().adjusted(0, 1, 0, -1).intersects(rect))
            return;
        if (const Rows* rows = std::get_if<Rows>(&at(format)))
            return paintBand(*painter, rect, *rows->table, rows->band);
        const Picture& picture = std::get<Picture>(at(format));
        painter->save();
        painter->translate(rect.topLeft());
        painter->scale(scale(picture), scale(picture));
        paint(*painter, picture, m_style);
        painter->restore();
    }

private:
    struct Rows {
        std::shared_ptr<const RowTable> table;
        RowBand band;
    };
    using Item = std::variant<Picture, Rows>;

    int keep(Item item)
    {
        m_items.push_back(std::move(item));
        return static_cast<int>(m_items.size()) - 1;
    }
    const Item& at(const QTextFormat& format) const
    {
        return m_items[static_cast<std::size_t>(format.intProperty(kPictureIndex))];
    }
    /// A little smaller than on the screen: letters of 12 px become those of the text.
    double scale(const Picture& picture) const { return m_unit * 0.8 * std::min(1.0, 800 / picture.width); }

    const Style& m_style;
    double m_unit;
    std::vector<Item> m_items;
};

/// Writes blocks at the end of a document, which is laid out once, when the writer is gone.
class Writer {
public:
    Writer(QTextDocument& text, const Style& style, const QPaintDevice& device, double unit)
        : m_cursor(&text), m_style(style), m_device(device), m_page(text.pageSize()), m_unit(unit),
          m_pictures(new Pictures(style, unit, &text))
    {
        text.documentLayout()->registerHandler(kPicture, m_pictures);
        // Without it every word that is put in lays out what follows: time with the square of a table's rows.
        m_cursor.beginEditBlock();
    }
    ~Writer() { m_cursor.endEditBlock(); }
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;

    void heading(const std::string& words, int level, bool newPage = false)
    {
        QTextBlockFormat block = blockFormat(level == 1 ? 0 : level == 2 ? 14 : 10, level == 1 ? 6 : 4);
        block.setHeadingLevel(level);
        block.setPageBreakPolicy(newPage ? QTextFormat::PageBreak_AlwaysBefore : QTextFormat::PageBreak_Auto);
        begin(block, charFormat(level == 1 ? 18 : level == 2 ? 12.5 : 10.5, "text", QFont::DemiBold));
        if (level == 2)
            m_heading = m_cursor.position();
        m_cursor.insertText(s(words));
    }
    /// Of the newest heading of level 2, where an artifact begins.
    int headingPosition() const { return m_heading; }
    void paragraph(const std::string& words, const char* role = "text", double size = 9.5, bool strong = false)
    {
        if (words.empty())
            return;
        begin(blockFormat(0, 5), charFormat(size, role, strong ? QFont::DemiBold : QFont::Normal));
        m_cursor.insertText(s(words));
    }
    /// What a learner wrote: its paragraphs and items as plain lines.
    void prose(const std::string& markdown)
    {
        std::size_t from = 0;
        while (from <= markdown.size()) {
            const std::size_t end = std::min(markdown.find("\n\n", from), markdown.size());
            std::string part = markdown.substr(from, end - from);
            const bool list = part.find("\n- ") != std::string::npos || part.starts_with("- ");
            if (list) {
                std::size_t line = 0;
                while (line <= part.size()) {
                    const std::size_t stop = std::min(part.find('\n', line), part.size());
                    paragraph("•  " +
                              plainText(part.substr(line + (part.compare(line, 2, "- ") == 0 ? 2 : 0), stop - line)));
                    line = stop + 1;
                }
            } else {
                paragraph(plainText(part));
            }
            from = end + 2;
        }
    }
    void code(const std::vector<std::string>& lines)
    {
        QTextBlockFormat block = blockFormat(0, 6);
        block.setBackground(color("codeBackground"));
        QTextCharFormat format = charFormat(7, "text", QFont::Normal);
        format.setFontFamilies({QStringLiteral("JetBrains Mono"), QStringLiteral("monospace")});
        begin(block, format);
        for (std::size_t i = 0; i < lines.size(); ++i)
            m_cursor.insertText((i ? QString(QChar::LineSeparator) : QString()) + s(lines[i]));
    }
    void picture(Picture picture) { item(m_pictures->add(std::move(picture)), blockFormat(4, 4)); }
    void table(const std::vector<std::string>& head, const std::vector<std::vector<std::string>>& rows)
    {
        if (rows.size() >= kLongTable && !head.empty() && longTable(head, rows))
            return;
        QTextTableFormat format;
        format.setBorder(0.5);
        format.setBorderBrush(color("border"));
        format.setBorderCollapse(true);
        format.setCellPadding(3);
        format.setTopMargin(4);
        format.setBottomMargin(8);
        format.setHeaderRowCount(head.empty() ? 0 : 1);
        format.setWidth(QTextLength(QTextLength::PercentageLength, 100));
        const int first = head.empty() ? 0 : 1;
        const int columns = static_cast<int>(head.empty() ? rows.front().size() : head.size());
        begin(blockFormat(0, 0), charFormat(8.5, "text", QFont::Normal));
        QTextTable* made = m_cursor.insertTable(static_cast<int>(rows.size()) + first, columns, format);
        for (int column = 0; first && column < columns; ++column)
            made->cellAt(0, column).firstCursorPosition().insertText(s(head[static_cast<std::size_t>(column)]),
                                                                     charFormat(8.5, "text", QFont::DemiBold));
        for (std::size_t row = 0; row < rows.size(); ++row)
            for (int column = 0; column < columns && column < static_cast<int>(rows[row].size()); ++column)
                made->cellAt(static_cast<int>(row) + first, column)
                    .firstCursorPosition()
                    .insertText(s(rows[row][static_cast<std::size_t>(column)]),
                                charFormat(8.5, column == 0 && head.empty() ? "text2" : "text", QFont::Normal));
        m_cursor.movePosition(QTextCursor::End);
        m_first = true; // the block behind a table is there already
    }
    void facts(const std::vector<std::pair<std::string, std::string>>& list)
    {
        std::vector<std::vector<std::string>> rows;
        for (const auto& [name, value] : list)
            rows.push_back({name, value});
        if (!rows.empty())
            table({}, rows);
    }

private:
    /// One character in the place of a picture or a piece of a table.
    void item(int index, QTextBlockFormat block)
    {
        QTextCharFormat format;
        format.setObjectType(kPicture);
        format.setProperty(kPictureIndex, index);
        block.setLineHeight(0, QTextBlockFormat::SingleHeight); // a share of a chart's height would be a gap
        begin(block, charFormat(9.5, "text", QFont::Normal));
        m_cursor.insertText(QString(QChar::ObjectReplacementCharacter), format);
    }
    /// Whether the table could be drawn: a page or less a piece, each with the head.
    bool longTable(const std::vector<std::string>& head, const std::vector<std::vector<std::string>>& rows)
    {
        auto table = std::make_shared<RowTable>();
        for (const std::string& cell : head)
            table->head << s(cell);
        for (const std::vector<std::string>& row : rows) {
            QStringList cells;
            for (const std::string& cell : row)
                cells << s(cell);
            cells.resize(table->head.size());
            table->rows.push_back(std::move(cells));
        }
        table->font = charFormat(8.5, "text", QFont::Normal).font();
        table->headFont = charFormat(8.5, "text", QFont::DemiBold).font();
        table->text = color("text");
        table->line = color("border");
        table->width = m_page.width() - 2 * m_unit;
        table->padding = 3 * m_unit;
        table->thin = 0.5 * m_unit;
        const auto bands = layOut(*table, m_device, m_page.height() * kPageShare);
        if (!bands)
            return false;
        for (const RowBand& band : *bands)
            item(m_pictures->add(table, band), blockFormat(0, 0));
        return true;
    }
    void begin(const QTextBlockFormat& block, const QTextCharFormat& format)
    {
        if (m_first) {
            m_cursor.setBlockFormat(block);
            m_cursor.setCharFormat(format);
            m_cursor.setBlockCharFormat(format);
        } else {
            m_cursor.insertBlock(block, format);
        }
        m_first = false;
    }
    QTextBlockFormat blockFormat(double above, double below) const
    {
        QTextBlockFormat format;
        format.setTopMargin(above);
        format.setBottomMargin(below);
        format.setLineHeight(125, QTextBlockFormat::ProportionalHeight);
        return format;
    }
    QTextCharFormat charFormat(double points, const char* role, int weight) const
    {
        QTextCharFormat format;
        format.setFontFamilies({QStringLiteral("Inter"), QStringLiteral("Helvetica"), QStringLiteral("Arial")});
        format.setFontPointSize(points);
        format.setFontWeight(weight);
        format.setForeground(color(role));
        return format;
    }
    QColor color(const char* role) const { return QColor(s(m_style.light.at(role))); }

    QTextCursor m_cursor;
    const Style& m_style;
    const QPaintDevice& m_device;
    QSizeF m_page;
    double m_unit;
    Pictures* m_pictures;
    bool m_first = true;
    int m_heading = 0;
};

std::string badgeLine(const ArtifactPart& part)
{
    std::string line = part.origin.empty() ? std::string(toText(part.provenance)) : part.origin;
    if (!part.trust.level.empty())
        line += " · trust " + part.trust.level;
    if (!part.kind.empty())
        line += " · " + part.kind;
    return line + " · level " + std::to_string(part.level);
}

void lead(Writer& out, const ArtifactPart& part)
{
    out.heading(part.name, 2);
    out.paragraph(plainText(part.claim), "text", 11);
    if (!part.predictions.empty())
        out.paragraph(part.predictions.front().figure.title + ": " + sentenceOf(part.predictions.front().figure),
                      "text2");
    if (!part.figures.empty())
        out.picture(draw(part.figures.front().figure));
    else if (!part.predictions.empty())
        out.picture(draw(part.predictions.front().figure));
    out.paragraph(badgeLine(part), "text2", 8.5);
    out.facts({{"Machine", part.machine}});
    if (!part.commands.empty())
        out.code({part.commands.front()});
}

void full(Writer& out, const ArtifactPart& part)
{
    out.heading(part.name, 2, true);
    out.paragraph(plainText(part.claim), "text", 11);
    out.paragraph((part.lesson.empty() ? "" : "Lesson " + part.lesson + " · ") + badgeLine(part), "text2", 8.5);
    const auto section = [&out](const std::string& title, const std::string& text) {
        if (text.empty())
            return;
        out.heading(title, 3);
        out.prose(text);
    };
    const auto own = [&part](const char* name) {
        const auto found = part.sections.find(name);
        return found == part.sections.end() ? std::string() : found->second;
    };
    section("Question", part.question);
    if (!part.predictions.empty())
        out.heading("Prediction and result", 3);
    for (const PredictionPart& prediction : part.predictions) {
        out.paragraph(prediction.figure.title, "text", 9.5, true);
        out.picture(draw(prediction.figure));
        out.paragraph(sentenceOf(prediction.figure), "text2");
    }
    if (!part.heldCharts.empty())
        out.paragraph(part.heldCharts);
    for (const FigurePart& figure : part.figures) {
        out.picture(draw(figure.figure));
        out.paragraph((figure.figure.caption.empty() ? "" : plainText(figure.figure.caption) + " ") +
                          figure.figure.origin,
                      "text2", 8.5);
    }
    if (!part.imported.empty()) {
        std::vector<std::vector<std::string>> rows;
        for (const ImportedPart& figure : part.imported)
            rows.push_back({figure.name, figure.value, figure.source});
        out.table({"Figure", "Value", part.graded ? "Found by" : "Read from"}, rows);
    }
    section("Method", own("method"));
    section("Result", own("result"));
    section("Bottleneck", own("bottleneck"));
    section("Where it fails", own("failure_modes"));
    out.heading("Machine", 3);
    out.paragraph(part.machine);
    out.heading("Trust", 3);
    out.paragraph((part.trust.level.empty() ? "" : part.trust.level + ". ") + part.trust.meaning +
                  (part.trust.why.empty() ? "" : " " + part.trust.why));
    for (const std::string& line : part.reproductions)
        out.paragraph(line);
    if (!part.commands.empty()) { // behind the words: a page of two lines of them alone would look like a slip
        out.heading("Run it again", 3);
        out.code(part.commands);
    }
    for (const JournalPart& entry : part.journal) {
        out.heading((entry.kind == "failure" ? "Failure: " : "Decision: ") + entry.title, 3);
        out.prose(entry.text);
    }
    if (!part.notes.empty())
        out.heading("Notes in the margin", 3);
    for (const NotePart& note : part.notes) {
        out.paragraph("“" + note.quote + "”");
        out.prose(note.text);
    }
    section("Reflection", part.reflection);
    section("Next experiment", own("next_experiment"));
}

void list(Writer& out, const PortfolioDocument& document, const std::vector<int>& pages)
{
    if (document.style == Template::Job)
        out.heading("All artifacts", 2, isLongList(document.artifacts.size()));
    std::vector<std::string> head = {"Artifact", "Lesson", "Kind", "Numbers", "Trust"};
    const bool numbered = isLongList(document.artifacts.size());
    if (numbered)
        head.push_back("Page");
    for (const ModuleParts& module : byModule(document.artifacts, 0)) {
        if (!module.title.empty())
            out.heading(module.title, 3);
        std::vector<std::vector<std::string>> rows;
        for (const std::size_t i : module.parts) {
            const ArtifactPart& part = document.artifacts[i];
            rows.push_back({part.name, part.lesson, part.kind, std::string(toText(part.provenance)),
                            part.trust.level.empty() ? "later" : part.trust.level});
            if (numbered)
                rows.back().push_back(std::to_string(pages[i]));
        }
        out.table(head, rows);
    }
}

/// The page on which each artifact begins.
std::vector<int> fill(QTextDocument& text, const PortfolioDocument& document, const Style& style, QPaintDevice& device,
                      double unit, const std::vector<int>& pages)
{
    text.documentLayout()->setPaintDevice(&device);
    text.setDocumentMargin(0);
    text.setUndoRedoEnabled(false);
    std::vector<int> begins;
    {
        Writer out(text, style, device, unit);
        out.heading(document.title, 1);
        std::string who;
        for (const std::string& word : {document.author, document.contact, document.course, document.made})
            if (!word.empty())
                who += (who.empty() ? "" : " · ") + word;
        out.paragraph(who, "text2");
        out.prose(document.intro);
        if (document.style == Template::Job && !document.artifacts.empty())
            lead(out, document.artifacts.front());
        if (document.artifacts.size() > 1 || document.style != Template::Job)
            list(out, document, pages);
        for (const ArtifactPart& part : document.artifacts) {
            full(out, part);
            begins.push_back(out.headingPosition());
        }
        if (!document.journal.empty())
            out.heading("Failures and decisions beside the artifacts", 2, true);
        for (const JournalPart& entry : document.journal) {
            out.heading((entry.kind == "failure" ? "Failure: " : "Decision: ") + entry.title, 3);
            out.prose(entry.text);
        }
    }
    for (int& at : begins)
        at = 1 + static_cast<int>((text.documentLayout()->blockBoundingRect(text.findBlock(at)).top() + unit) /
                                  text.pageSize().height());
    return begins;
}

} // namespace

void fillDocument(QTextDocument& text, const PortfolioDocument& document, const Style& style, QPaintDevice& device,
                  double unit)
{
    std::vector<int> pages(document.artifacts.size(), 0);
    if (isLongList(document.artifacts.size())) { // a list of its own says where each artifact is
        pages = fill(text, document, style, device, unit, pages);
        text.clear();
    }
    fill(text, document, style, device, unit, pages);
}

} // namespace ridge::folio

#include "pdf_text.moc"
