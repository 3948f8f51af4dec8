// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/csv.h"

#include <array>

namespace ridge {

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// Walks once over the text; a record ends at a line end outside quotes.
class Reader {
public:
    Reader(std::string_view text, const std::string& file, char separator)
        : m_text(text), m_file(file), m_separator(separator)
    {
        if (m_text.starts_with(kByteOrderMark))
            m_text.remove_prefix(kByteOrderMark.size());
    }

    Result<std::vector<CsvRow>> rows()
    {
        std::vector<CsvRow> all;
        while (m_at < m_text.size()) {
            CsvRow row{m_line, {}};
            bool more = true;
            while (more) {
                std::string cell;
                const bool quoted = m_at < m_text.size() && m_text[m_at] == '"';
                if (auto read = quoted ? quotedCell(cell) : plainCell(cell); !read)
                    return read.error();
                row.cells.push_back(std::move(cell));
                more = m_at < m_text.size() && m_text[m_at] == m_separator;
                if (more)
                    ++m_at;
            }
            endLine();
            if (row.cells.size() > 1 || !row.cells.front().empty())
                all.push_back(std::move(row));
        }
        return all;
    }

private:
    static bool endsLine(char c) { return c == '\n' || c == '\r'; }

    Error bad(int line, const std::string& what, const std::string& fix) const
    {
        return {"bad-csv", what, m_file + ":" + std::to_string(line), fix};
    }

    Result<void> plainCell(std::string& cell)
    {
        const std::size_t begin = m_at;
        while (m_at < m_text.size() && m_text[m_at] != m_separator && !endsLine(m_text[m_at]))
            ++m_at;
        cell = m_text.substr(begin, m_at - begin);
        return {};
    }

    Result<void> quotedCell(std::string& cell)
    {
        const int opened = m_line;
        for (++m_at; m_at < m_text.size(); ++m_at) {
            const char c = m_text[m_at];
            if (c == '\n')
                ++m_line;
            if (c != '"') {
                cell.push_back(c);
                continue;
            }
            if (m_at + 1 < m_text.size() && m_text[m_at + 1] == '"') {
                cell.push_back('"');
                ++m_at;
                continue;
            }
            ++m_at;
            if (m_at < m_text.size() && m_text[m_at] != m_separator && !endsLine(m_text[m_at]))
                return bad(m_line, "Text goes on behind the closing quote of a cell",
                           "Write a quote inside a quoted cell twice");
            return {};
        }
        return bad(opened, "A quote is opened and never closed", "Close it, or write a quote inside a cell twice");
    }

    void endLine()
    {
        if (m_at >= m_text.size())
            return;
        if (m_text[m_at] == '\r' && m_at + 1 < m_text.size() && m_text[m_at + 1] == '\n')
            ++m_at;
        ++m_at;
        ++m_line;
    }

    std::string_view m_text;
    const std::string& m_file;
    char m_separator;
    std::size_t m_at = 0;
    int m_line = 1;
};

} // namespace

Result<std::vector<CsvRow>> parseCsv(std::string_view text, const std::string& file, char separator)
{
    return Reader(text, file, separator).rows();
}

char csvSeparator(std::string_view text)
{
    constexpr std::array<char, 3> known = {',', ';', '\t'};
    std::array<int, 3> seen{};
    bool quoted = false;
    for (const char c : text) {
        if (c == '"')
            quoted = !quoted;
        if (quoted)
            continue;
        if (c == '\n' || c == '\r')
            break;
        for (std::size_t i = 0; i < known.size(); ++i)
            seen[i] += c == known[i];
    }
    std::size_t best = 0;
    for (std::size_t i = 1; i < known.size(); ++i)
        if (seen[i] > seen[best])
            best = i;
    return known[best];
}

std::string csvCell(std::string_view text, char separator)
{
    const char special[] = {'"', '\n', '\r', separator};
    if (text.find_first_of(std::string_view(special, sizeof special)) == std::string_view::npos)
        return std::string(text);
    std::string cell = "\"";
    for (const char c : text)
        cell += c == '"' ? std::string("\"\"") : std::string(1, c);
    return cell + '"';
}

std::string csvLine(const std::vector<std::string>& cells, char separator)
{
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i)
        line += (i > 0 ? std::string(1, separator) : std::string()) + csvCell(cells[i], separator);
    return line + "\r\n";
}

std::string csvText(std::string_view text)
{
    const bool computes = !text.empty() && std::string_view("=+-@\t\r").find(text.front()) != std::string_view::npos;
    return (computes ? "'" : "") + std::string(text);
}

} // namespace ridge
