// SPDX-License-Identifier: GPL-3.0-or-later
#include "imports/fpga_tables.h"

#include <algorithm>
#include <fmt/core.h>
#include <set>

namespace ridge::imports {

namespace {

constexpr const char* kAgain = "Take the whole file that the tool wrote, and import that";
constexpr std::string_view kFitStatus = "Fitter Status";

/// "Slice LUTs*" has a footnote.
std::string plainName(std::string_view name)
{
    while (name.ends_with('*'))
        name.remove_suffix(1);
    return std::string(trimmed(name));
}

/// "| Site Type | Used | … |": where its columns are; the cells of each row in their order.
struct Heads {
    std::vector<std::string_view> cells;
    std::optional<std::size_t> at(std::string_view head) const
    {
        const auto found = std::ranges::find(cells, head);
        return found == cells.end() ? std::nullopt : std::optional(std::size_t(found - cells.begin()));
    }
};

std::size_t indentOf(std::string_view line)
{
    const std::size_t bar = line.find('|');
    const std::size_t first = bar == std::string_view::npos ? bar : line.find_first_not_of(' ', bar + 1);
    return first == std::string_view::npos ? 0 : first - bar;
}

class Tables {
public:
    Tables(const std::vector<Line>& lines, const std::string& name, FigureList& figures, Imported& imported)
        : m_lines(lines), m_name(name), m_figures(figures), m_imported(imported)
    {
    }

    VendorTables read()
    {
        for (std::size_t at = 0; at < m_lines.size() && !m_found.cut; ++at) {
            const std::string_view text = trimmed(m_lines[at].text);
            if (text.starts_with('|')) {
                const Heads heads{tableCells(text, '|')};
                if (heads.at("Site Type") && heads.at("Used"))
                    use(at, heads);
                else if (heads.at("Ref Name") && heads.at("Used"))
                    primitives(at, heads);
                else if (heads.cells.size() > 2 && heads.cells[0] == "Instance" && heads.cells[1] == "Module")
                    hierarchy(at, heads);
                else
                    stateOf(text);
            } else if (text.starts_with(';')) {
                quartusRow(at);
            } else if (text.starts_with("Type") && text.find(':') != std::string_view::npos) {
                slackOf(at);
            } else if (const std::size_t colon = text.find(" : "); colon != std::string_view::npos) {
                fitLine(trimmed(text.substr(0, colon)), trimmed(text.substr(colon + 3)), m_lines[at].number);
            }
        }
        return std::move(m_found);
    }

private:
    void cutAt(int line, const std::string& what) { m_found.cut = badImport(m_name, line, what, kAgain); }

    /// Rows below the head in line `at` up to the line that closes the table. `each` gets the cells and the line.
    template<typename Each>
    void rows(std::size_t& at, const Heads& heads, const char* table, Each&& each)
    {
        const int head = m_lines[at].number;
        bool ruled = false;
        std::size_t count = 0;
        for (++at; at < m_lines.size(); ++at) {
            const std::string_view text = trimmed(m_lines[at].text);
            if (text.starts_with('+')) {
                if (ruled)
                    return;
                ruled = true;
                continue;
            }
            if (!text.starts_with('|'))
                break;
            const auto cells = tableCells(text, '|');
            if (cells.size() != heads.cells.size())
                return cutAt(m_lines[at].number, fmt::format("{} has {} columns (line {}), and this row has {}", table,
                                                             heads.cells.size(), head, cells.size()));
            each(cells, m_lines[at]);
            ++count;
        }
        cutAt(at < m_lines.size() ? m_lines[at].number : m_lines.back().number,
              fmt::format("{} that begins in line {} is not closed: {}", table, head,
                          count == 0 ? std::string("no row of it is there")
                                     : fmt::format("it ends after {}", counted(count, "row"))));
    }

    void use(std::size_t& at, const Heads& heads)
    {
        m_found.tool = "Vivado";
        const auto site = *heads.at("Site Type"), used = *heads.at("Used");
        const auto available = heads.at("Available");
        std::vector<std::pair<std::size_t, std::string>> above; // indent, name
        rows(at, heads, "the table of use", [&](const auto& cells, const Line& line) {
            std::string name = plainName(cells[site]);
            const std::size_t indent = indentOf(line.text);
            while (!above.empty() && above.back().first >= indent)
                above.pop_back();
            // "using O5 output only" stands below several.
            const bool needsOwner = !name.empty() && name[0] >= 'a' && name[0] <= 'z' && !above.empty();
            const std::string whole = needsOwner ? above.back().second + ", " + name : name;
            above.emplace_back(indent, whole);
            const auto count = numberIn(cells[used]);
            // "LUT as Logic" stands in the table of logic and in that of slices.
            if (!count || name.empty() || !m_seen.insert(whole).second)
                return;
            m_figures.add("used", *count, "1", whole, line.number);
            if (const auto there = available ? numberIn(cells[*available]) : std::nullopt)
                m_figures.add("available", *there, "1", whole, line.number);
        });
    }

    void primitives(std::size_t& at, const Heads& heads)
    {
        m_found.tool = "Vivado";
        const auto name = *heads.at("Ref Name"), used = *heads.at("Used");
        rows(at, heads, "the table of primitives", [&](const auto& cells, const Line& line) {
            if (const auto count = numberIn(cells[used]))
                m_figures.add("used, primitive", *count, "1", plainName(cells[name]), line.number);
        });
    }

    void hierarchy(std::size_t& at, const Heads& heads)
    {
        m_found.tool = "Vivado";
        rows(at, heads, "the table of instances", [&](const auto& cells, const Line& line) {
            for (std::size_t c = 2; c < cells.size(); ++c)
                if (const auto count = numberIn(cells[c]))
                    m_figures.add("used, " + std::string(heads.cells[c]), *count, "1", std::string(cells[0]),
                                  line.number);
        });
    }

    /// The lines at the top of a report of Vivado.
    void stateOf(std::string_view text)
    {
        const auto value = [&](std::string_view head) -> std::string {
            if (!text.starts_with(head))
                return {};
            const std::size_t colon = text.find(':');
            return colon == std::string_view::npos ? std::string() : std::string(trimmed(text.substr(colon + 1)));
        };
        if (const auto version = value("| Tool Version"); !version.empty())
            tell("tool version", version);
        else if (const auto design = value("| Design  "); !design.empty())
            tell("design", design);
        else if (const auto state = value("| Design State"); !state.empty()) {
            tell("design state", state);
            if (state.starts_with("Synthesized") || state.starts_with("Optimized"))
                m_imported.notes.push_back("The report is of a design that was not placed yet (" + state +
                                           "): placing and routing change time and use.");
        }
    }

    void tell(const char* key, const std::string& value)
    {
        if (m_told.insert(key).second)
            m_imported.machine.emplace_back(key, value);
    }

    /// A row of Quartus' tables with bars of semicolons: "; Total registers ; 350 ;" below "; Fitter Summary ;", a
    /// clock with its slack below "; Slow 1100mV 85C Model Setup Summary ;".
    void quartusRow(std::size_t at)
    {
        const auto cells = tableCells(trimmed(m_lines[at].text), ';');
        if (cells.size() == 1) {
            m_title = std::string(cells[0]);
            return;
        }
        if (m_title == "Fitter Summary" && cells.size() == 2)
            return fitLine(cells[0], cells[1], m_lines[at].number);
        constexpr std::string_view end = " Summary";
        if (!m_title.ends_with(end) || cells.size() != 3 || m_title.find(" Model ") == std::string::npos)
            return;
        if (const auto slack = numberIn(cells[1])) {
            m_found.tool = "Quartus";
            const std::string of = std::string(cells[0]) + ", " + m_title.substr(0, m_title.size() - end.size());
            m_figures.add("slack", *slack, "ns", of, m_lines[at].number);
            m_found.failing += *slack < 0;
            if (const auto total = numberIn(cells[2]))
                m_figures.add("TNS", *total, "ns", of, m_lines[at].number);
        }
    }

    /// "Total pins : 92 / 224 ( 41 % )"
    void fitLine(std::string_view key, std::string_view value, int line)
    {
        if (key == kFitStatus) {
            m_found.tool = "Quartus";
            m_lastFit = line;
            if (!value.starts_with("Successful")) {
                m_found.fitFailed = true;
                m_imported.notes.push_back("The fitter did not end well: " + std::string(value) + ".");
            }
            return;
        }
        if (m_lastFit == 0 || line != m_lastFit + 1)
            return;
        m_lastFit = line;
        if (key.starts_with("Quartus"))
            return tell("tool version", std::string(value));
        if (key == "Device")
            return tell("device", std::string(value));
        if (key == "Top-level Entity Name")
            return tell("design", std::string(value));
        const std::size_t slash = value.find('/'), share = value.find('(');
        const auto count = numberIn(trimmed(value.substr(0, std::min({slash, share, value.size()}))));
        if (!count)
            return; // "Timing Models : Final"
        const std::string of(key.starts_with("Total ") ? key.substr(6) : key);
        m_figures.add("used", *count, "1", of, line);
        if (slash == std::string_view::npos)
            return;
        const auto rest = value.substr(slash + 1);
        if (const auto there = numberIn(trimmed(rest.substr(0, rest.find('(')))))
            m_figures.add("available", *there, "1", of, line);
    }

    /// "Type  : Slow 1100mV 85C Model Setup 'clk'", "Slack : 0.212", "TNS   : 0.000"
    void slackOf(std::size_t& at)
    {
        const std::string_view text = trimmed(m_lines[at].text);
        const std::string_view type = trimmed(text.substr(text.find(':') + 1));
        const std::size_t quote = type.find('\'');
        if (quote == std::string_view::npos || type.find(" Model ") == std::string_view::npos)
            return;
        m_found.tool = "Quartus";
        const std::string clock(type.substr(quote + 1, type.rfind('\'') - quote - 1));
        const std::string of = clock + ", " + std::string(trimmed(type.substr(0, quote)));
        const auto value = [&](std::size_t line, std::string_view head) -> std::optional<double> {
            if (line >= m_lines.size() || !trimmed(m_lines[line].text).starts_with(head))
                return std::nullopt;
            const std::string_view words = m_lines[line].text;
            const std::size_t colon = words.find(':');
            return colon == std::string_view::npos ? std::nullopt : numberIn(trimmed(words.substr(colon + 1)));
        };
        const auto slack = value(at + 1, "Slack");
        const auto total = value(at + 2, "TNS");
        if (!slack || !total) {
            const int line = slack ? m_lines[std::min(at + 1, m_lines.size() - 1)].number : m_lines[at].number;
            return cutAt(line, fmt::format("the summary of {} has no {} behind it", of, slack ? "TNS" : "slack"));
        }
        m_figures.add("slack", *slack, "ns", of, m_lines[at + 1].number);
        m_figures.add("TNS", *total, "ns", of, m_lines[at + 2].number);
        m_found.failing += *slack < 0;
        at += 2;
    }

    const std::vector<Line>& m_lines;
    const std::string& m_name;
    FigureList& m_figures;
    Imported& m_imported;
    VendorTables m_found;
    std::set<std::string> m_seen, m_told;
    std::string m_title; ///< of Quartus' table
    int m_lastFit = 0;   ///< line of the fit summary that was read last
};

} // namespace

bool looksLikeVendorTables(std::string_view bytes)
{
    const auto has = [&](std::string_view mark) { return bytes.find(mark) != std::string_view::npos; };
    return (has("Utilization Design Information") && has("Vivado")) ||
           (has("| ") && has(" Site Type ") && has(" Used ")) || has("Fitter Status") ||
           (has("Timing Analyzer Summary") && has(" Model ")) || (has("Slack :") && has("TNS   :") && has(" Model "));
}

VendorTables readVendorTables(const std::vector<Line>& lines, const std::string& name, FigureList& figures,
                              Imported& imported)
{
    return Tables(lines, name, figures, imported).read();
}

} // namespace ridge::imports
