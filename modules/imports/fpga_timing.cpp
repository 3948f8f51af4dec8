// SPDX-License-Identifier: GPL-3.0-or-later
#include "imports/fpga_tables.h"
#include "imports/lines.h"
#include "imports/readers.h"

#include "base/json.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

namespace ridge::imports {

namespace {

constexpr const char* kHow = "Make it with report_timing_summary or report_utilization (Vivado), nextpnr --log or "
                             "--report, report_checks (OpenSTA), or take Quartus' .fit.summary or .sta.summary";

/// What stands between `before` and `after`, trimmed; empty where either is missing.
std::string_view between(std::string_view text, std::string_view before, std::string_view after)
{
    const std::size_t begin = text.find(before);
    if (begin == std::string_view::npos)
        return {};
    text.remove_prefix(begin + before.size());
    const std::size_t end = after.empty() ? text.size() : text.find(after);
    return end == std::string_view::npos ? std::string_view() : trimmed(text.substr(0, end));
}

struct Report {
    FigureList figures;
    Imported& imported;
    std::string tool;
    std::string remark;    ///< of the title, before what is missed
    double period = 0;     ///< ns, of the only clock
    double worstSlack = 0; ///< ns
    bool hasSlack = false;
    bool hasSummary = false; ///< Vivado's: the one of the design comes first, those of clocks behind it
    std::size_t clocks = 0;
    std::size_t failing = 0; ///< clocks or paths that miss their time
    std::optional<Error> cut{};
};

/// nextpnr takes 12 MHz where neither --freq nor a constraint says anything.
constexpr double kNextpnrDefaultMhz = 12;

void noteDefaultClock(Report& report, const std::set<std::string>& clocks)
{
    if (clocks.empty())
        return;
    std::string names;
    for (const std::string& clock : clocks)
        names += (names.empty() ? "" : ", ") + clock;
    report.imported.notes.push_back("12 MHz is what nextpnr takes where nobody constrains a clock (" + names +
                                    "): that it passes there says nothing, unless --freq 12 was meant.");
}

/// "Info: Max delay <async> -> posedge clk: 3.20 ns": of paths that no clock bounds at both ends.
struct Delay {
    double nanoseconds = 0;
    int line = 0;
};

std::optional<std::pair<std::string, Delay>> nextpnrDelay(const Line& line)
{
    const std::size_t begin = line.text.find("Max delay "), end = line.text.rfind(": ");
    if (begin == std::string_view::npos || end == std::string_view::npos || end < begin + 10)
        return std::nullopt;
    std::string_view path = line.text.substr(begin + 10, end - begin - 10);
    const std::size_t arrow = path.find("->");
    const auto value = numberIn(between(line.text.substr(end), ": ", "ns"));
    if (arrow == std::string_view::npos || !value)
        return std::nullopt;
    // The tool pads names to columns.
    const auto side = [](std::string_view words) {
        std::string text;
        for (const std::string_view word : wordsOf(words))
            text += (text.empty() ? "" : " ") + std::string(word);
        return text;
    };
    return std::pair(side(path.substr(0, arrow)) + " to " + side(path.substr(arrow + 2)), Delay{*value, line.number});
}

/// nextpnr prints an estimate after placement and the result after routing: the last line of a clock counts.
void readNextpnrLog(const std::vector<Line>& lines, Report& report)
{
    struct Clock {
        double achieved = 0, wanted = 0;
        int line = 0;
    };
    std::map<std::string, Clock> clocks;
    std::map<std::string, std::pair<double, int>> used;
    std::map<std::string, Delay> delays;
    bool routing = false, routed = false, failed = false, noClock = false;
    int lastFigure = 0, lastRouting = 0;
    std::set<std::string> constrained;
    for (const Line& line : lines) {
        if (auto delay = nextpnrDelay(line)) {
            delays[delay->first] = delay->second;
            lastFigure = line.number;
            continue;
        }
        if (line.text.find("Routing") != std::string_view::npos) {
            routing = true;
            lastRouting = line.number;
        }
        // A clock that misses its time is an ERROR, too, of a design that was routed.
        failed = failed || (line.text.starts_with("ERROR:") && line.text.find("Max ") == std::string_view::npos);
        noClock = noClock || line.text.find("No Fmax available") != std::string_view::npos;
        if (line.text.find("onstrain") != std::string_view::npos)
            if (const auto net = between(line.text, "'", "'"); !net.empty())
                constrained.insert(std::string(net));
        if (line.text.find("Max frequency for clock") != std::string_view::npos) {
            const auto clock = between(line.text, "'", "'");
            const auto achieved = numberIn(between(line.text, "': ", "MHz"));
            const auto wanted = numberIn(between(line.text, " at ", "MHz"));
            if (!clock.empty() && achieved) {
                clocks[std::string(clock)] = {*achieved, wanted.value_or(0), line.number};
                lastFigure = line.number;
            }
        } else if (line.text.ends_with('%') && line.text.find('/') != std::string_view::npos) {
            // "Info:  ICESTORM_LC:  1234/ 5280  23%"
            const std::size_t colon = line.text.find(':', line.text.find("Info:") == 0 ? 5 : 0);
            const auto share = wordsOf(line.text);
            if (colon == std::string_view::npos || share.empty())
                continue;
            const auto name = trimmed(line.text.substr(0, colon));
            const auto count = numberIn(between(line.text.substr(colon), ":", "/"));
            if (count)
                used[std::string(name.starts_with("Info:") ? trimmed(name.substr(5)) : name)] = {*count, line.number};
        }
    }
    // Placement gives an estimate, routing the result. What comes before the routing and not again after it is the
    // first of the two.
    routed = lastFigure > lastRouting;
    const bool estimate = lastFigure > 0 && ((routing && !routed) || (failed && !routing));
    const std::string stage = estimate ? ", estimate after placement" : "";
    const std::string placed = std::string("The figures of time are the estimate after placement: ") +
                               (failed ? "routing failed" : "the log ends before routing does") + ".";
    std::set<std::string> byDefault;
    for (const auto& [name, clock] : clocks) {
        report.figures.add("max frequency" + stage, clock.achieved, "MHz", name, clock.line);
        const bool isDefault = clock.wanted == kNextpnrDefaultMhz && !constrained.contains(name) &&
                               !constrained.contains(name.substr(0, name.find('$')));
        if (isDefault)
            byDefault.insert(name);
        if (clock.wanted > 0)
            report.figures.add(isDefault ? "constraint, the tool's default" : "constraint", clock.wanted, "MHz", name,
                               clock.line);
        report.failing += clock.wanted > 0 && clock.achieved < clock.wanted;
    }
    for (const auto& [path, delay] : delays)
        report.figures.add("max delay" + stage, delay.nanoseconds, "ns", path, delay.line);
    if (estimate) {
        report.imported.notes.push_back(placed);
        report.remark = failed ? ": estimate after placement, routing failed" : ": estimate after placement";
    } else if (lastFigure > 0 && !routing) {
        report.imported.notes.push_back("The log has no line of routing: whether its figures are the result or the "
                                        "estimate after placement it does not say.");
    }
    if (noClock || (clocks.empty() && !delays.empty()))
        report.imported.notes.push_back("No path lies between two registers of one clock, so there is no maximum "
                                        "frequency; delays are of paths from and to pins.");
    noteDefaultClock(report, byDefault);
    if (!delays.empty())
        report.tool = "nextpnr";
    for (const auto& [name, count] : used)
        report.figures.add("used", count.first, "1", name, count.second);
    report.clocks += clocks.size();
    if (!clocks.empty())
        report.tool = "nextpnr";
}

/// The paths that limit the clocks: what each takes in all and in its wires, from where it begins to where it ends.
void readNextpnrPaths(const Json& document, Report& report)
{
    const auto paths = document.find("critical_paths");
    if (paths == document.end() || !paths->is_array())
        return;
    const auto text = [](const Json& json, const char* key) {
        const auto found = json.is_object() ? json.find(key) : json.end();
        return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
    };
    for (const Json& path : *paths) {
        if (!path.is_object() || !path.contains("path") || !path["path"].is_array())
            continue;
        double all = 0, wires = 0;
        std::size_t steps = 0;
        std::string last;
        for (const Json& step : path["path"]) {
            if (!step.is_object() || !step.contains("delay") || !step["delay"].is_number())
                continue;
            const double delay = step["delay"].get<double>();
            all += delay;
            wires += text(step, "type") == "routing" ? delay : 0;
            ++steps;
            if (step.contains("to"))
                last = text(step["to"], "cell");
        }
        if (steps == 0)
            continue;
        const std::string of =
            text(path, "from") + " to " + text(path, "to") + (last.empty() ? "" : ", ends at " + last);
        report.figures.add("critical path", all, "ns", of, 0);
        report.figures.add("critical path, wires", wires, "ns", of, 0);
        report.figures.add("critical path, steps", double(steps), "1", of, 0);
    }
}

Result<void> readNextpnrReport(const Json& document, const std::string& name, Report& report)
{
    std::set<std::string> byDefault;
    for (const auto& [clock, fmax] : document["fmax"].items()) {
        if (!fmax.is_object() || !fmax.contains("achieved") || !fmax["achieved"].is_number())
            return badImport(name, 0, "The clock '" + clock + "' has no achieved frequency", kHow);
        const double achieved = fmax["achieved"].get<double>();
        report.figures.add("max frequency", achieved, "MHz", clock, 0);
        if (fmax.contains("constraint") && fmax["constraint"].is_number()) {
            const bool isDefault = fmax["constraint"].get<double>() == kNextpnrDefaultMhz;
            if (isDefault)
                byDefault.insert(clock);
            report.figures.add(isDefault ? "constraint, the tool's default" : "constraint",
                               fmax["constraint"].get<double>(), "MHz", clock, 0);
            report.failing += achieved < fmax["constraint"].get<double>();
        }
        ++report.clocks;
    }
    noteDefaultClock(report, byDefault);
    const auto utilization = document.find("utilization");
    if (utilization != document.end() && utilization->is_object())
        for (const auto& [cell, count] : utilization->items())
            if (count.is_object() && count.contains("used") && count["used"].is_number())
                report.figures.add("used", count["used"].get<double>(), "1", cell, 0);
    readNextpnrPaths(document, report);
    report.tool = "nextpnr";
    return {};
}

void noteUnconstrained(Report& report)
{
    if (!report.remark.empty())
        return;
    report.remark = ": nothing was constrained";
    report.imported.notes.push_back("Nothing was constrained: without a clock (create_clock) no path has a time to "
                                    "meet, so that none fails says nothing.");
}

/// The heads of Vivado's summary stand two lines above its figures; names may hold blanks, so they are taken in order.
void readVivadoSummary(const std::vector<Line>& lines, std::size_t at, const std::string& name, Report& report)
{
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 12> columns = {
        {{"WNS(ns)", "ns"},
         {"TNS(ns)", "ns"},
         {"TNS Failing Endpoints", ""},
         {"TNS Total Endpoints", ""},
         {"WHS(ns)", "ns"},
         {"THS(ns)", "ns"},
         {"THS Failing Endpoints", ""},
         {"THS Total Endpoints", ""},
         {"WPWS(ns)", "ns"},
         {"TPWS(ns)", "ns"},
         {"TPWS Failing Endpoints", ""},
         {"TPWS Total Endpoints", ""}}};
    std::vector<std::pair<std::size_t, std::size_t>> present; // place in the line, column
    for (std::size_t c = 0; c < columns.size(); ++c)
        if (const std::size_t place = lines[at].text.find(columns[c].first); place != std::string_view::npos)
            present.emplace_back(place, c);
    std::sort(present.begin(), present.end());
    const auto words = at + 2 < lines.size() ? wordsOf(lines[at + 2].text) : std::vector<std::string_view>();
    if (words.size() < present.size()) {
        report.cut =
            badImport(name, lines[std::min(at + 2, lines.size() - 1)].number,
                      "the timing summary names " + counted(present.size(), "figure") + " in line " +
                          std::to_string(lines[at].number) + ", and " + std::to_string(words.size()) + " are there",
                      "Take the whole file that report_timing_summary wrote, and import that");
        return;
    }
    for (std::size_t i = 0; i < present.size(); ++i) {
        const auto value = numberIn(words[i]);
        if (!value)
            continue; // "NA" where a kind of path does not exist
        const auto& [head, unit] = columns[present[i].second];
        report.figures.add(std::string(head.substr(0, head.find('('))), *value, unit, "design", lines[at + 2].number);
        if (head == "WNS(ns)") {
            report.worstSlack = *value;
            report.hasSlack = true;
        }
        report.failing += (head == "WNS(ns)" || head == "WHS(ns)") && *value < 0;
    }
    report.tool = "Vivado";
    report.hasSummary = true;
    if (!words.empty() && words.front() == "inf")
        noteUnconstrained(report);
}

/// "clk_100  {0.000 5.000}  10.000  100.000"
void readVivadoClock(const Line& line, Report& report)
{
    const std::size_t open = line.text.find('{'), close = line.text.find('}');
    if (open == std::string_view::npos || close == std::string_view::npos || close < open)
        return;
    const auto name = trimmed(line.text.substr(0, open));
    const auto rest = wordsOf(line.text.substr(close + 1));
    if (name.empty() || rest.size() != 2)
        return;
    const auto period = numberIn(rest[0]), frequency = numberIn(rest[1]);
    if (!period || !frequency)
        return;
    report.figures.add("period", *period, "ns", std::string(name), line.number);
    report.figures.add("frequency", *frequency, "MHz", std::string(name), line.number);
    report.period = *period;
    ++report.clocks;
}

/// OpenSTA's report_checks: a path from Startpoint to slack.
void readPath(const std::vector<Line>& lines, std::size_t& at, Report& report)
{
    std::string start(between(lines[at].text, "Startpoint:", "")), end, type;
    start = start.substr(0, start.find(' '));
    for (++at; at < lines.size(); ++at) {
        const std::string_view text = lines[at].text;
        if (text.starts_with("Startpoint:")) {
            --at;
            return;
        }
        if (text.starts_with("Endpoint:")) {
            end = between(text, "Endpoint:", "");
            end = end.substr(0, end.find(' '));
        } else if (text.starts_with("Path Type:")) {
            type = between(text, "Path Type:", "");
        } else if (text.find("slack (") != std::string_view::npos) {
            for (const std::string_view word : wordsOf(text))
                if (const auto slack = numberIn(word)) {
                    report.figures.add(type.empty() ? "slack" : "slack, " + type, *slack, "ns", start + " to " + end,
                                       lines[at].number);
                    report.failing += *slack < 0;
                    report.tool = "OpenSTA";
                }
            return;
        }
    }
}

/// OpenSTA's report_wns, report_tns and report_worst_slack: "wns -0.04", "worst slack max 0.21".
void readStaSummary(const Line& line, Report& report)
{
    const auto words = wordsOf(line.text);
    const bool worst = words.size() >= 3 && words[0] == "worst" && words[1] == "slack";
    const bool total = words.size() >= 2 && (words[0] == "wns" || words[0] == "tns");
    const auto value = worst || total ? numberIn(words.back()) : std::nullopt;
    if (!value)
        return;
    std::string name(words[0]);
    for (std::size_t i = 1; i + 1 < words.size(); ++i)
        name += ' ' + std::string(words[i]);
    report.figures.add(name, *value, "ns", "design", line.number);
    report.failing += *value < 0;
    report.tool = "OpenSTA";
}

/// Vivado's report_timing: "Slack (VIOLATED) :  -0.321ns  (required time - arrival time)", then source and destination.
void readVivadoPath(const std::vector<Line>& lines, std::size_t at, Report& report)
{
    const auto slack = numberIn(between(lines[at].text, ":", "ns"));
    if (!slack)
        return;
    const int number = lines[at].number;
    std::string source, destination, type;
    for (std::size_t next = at + 1; next < lines.size() && next < at + 12; ++next) {
        const std::string_view text = trimmed(lines[next].text);
        if (text.starts_with("Slack"))
            break;
        const auto word = [&](std::string_view head) {
            const auto words = wordsOf(text.substr(head.size()));
            return words.empty() ? std::string() : std::string(words.front());
        };
        if (text.starts_with("Source:"))
            source = word("Source:");
        else if (text.starts_with("Destination:"))
            destination = word("Destination:");
        else if (text.starts_with("Path Type:"))
            type = word("Path Type:");
    }
    report.figures.add(type.empty() ? "slack" : "slack, " + type, *slack, "ns", source + " to " + destination, number);
    report.failing += *slack < 0;
    if (report.tool.empty())
        report.tool = "Vivado";
}

/// "Slack:                    inf": no constraint covers the path. What it has is its delay.
void readVivadoFreePath(const std::vector<Line>& lines, std::size_t at, Report& report)
{
    std::string source, destination;
    for (std::size_t next = at + 1; next < lines.size() && next < at + 16; ++next) {
        const std::string_view text = trimmed(lines[next].text);
        if (text.starts_with("Slack"))
            break;
        const auto word = [&](std::string_view head) {
            const auto words = wordsOf(text.substr(head.size()));
            return words.empty() ? std::string() : std::string(words.front());
        };
        if (text.starts_with("Source:"))
            source = word("Source:");
        else if (text.starts_with("Destination:"))
            destination = word("Destination:");
        else if (text.starts_with("Data Path Delay:"))
            if (const auto delay = numberIn(between(text, ":", "ns"))) {
                const std::string path = source + " to " + destination;
                report.figures.add("data path delay", *delay, "ns", path, lines[next].number);
                report.imported.notes.push_back("No constraint covers " + path +
                                                ": its slack is infinite, which says nothing.");
            }
    }
    if (report.tool.empty())
        report.tool = "Vivado";
}

/// Quartus: a table with bars of semicolons, a clock a row.
void readQuartus(const std::vector<Line>& lines, std::size_t at, Report& report)
{
    std::string model;
    for (std::size_t up = at; up > 0 && at - up < 4; --up)
        if (const auto cells = tableCells(lines[up - 1].text, ';'); cells.size() == 1)
            model = std::string(cells.front().substr(0, cells.front().find(" Fmax Summary")));
    for (std::size_t row = at + 1; row < lines.size(); ++row) {
        if (lines[row].text.starts_with('+'))
            continue;
        const auto cells = tableCells(lines[row].text, ';');
        if (cells.size() < 3)
            return;
        const std::string of = std::string(cells[2]) + (model.empty() || model == "Fmax Summary" ? "" : ", " + model);
        for (const auto& [cell, name] :
             {std::pair(cells[0], "max frequency"), std::pair(cells[1], "restricted max frequency")})
            if (const auto value = numberIn(cell.substr(0, cell.find("MHz"))))
                report.figures.add(name, *value, "MHz", of, lines[row].number);
        ++report.clocks;
        report.tool = "Quartus";
    }
}

bool isFreeSlack(std::string_view text)
{
    return text.starts_with("Slack:") && trimmed(text.substr(6)) == "inf";
}

/// icetime: "Total path delay: 12.34 ns (81.04 MHz)".
void readIcetime(const Line& line, Report& report)
{
    const auto delay = numberIn(between(line.text, "Total path delay:", "ns"));
    const auto frequency = numberIn(between(line.text, "(", "MHz"));
    if (delay)
        report.figures.add("total path delay", *delay, "ns", "design", line.number);
    if (frequency)
        report.figures.add("max frequency", *frequency, "MHz", "design", line.number);
    report.tool = "icetime";
}

void readText(const std::vector<Line>& lines, const std::string& name, Report& report)
{
    readNextpnrLog(lines, report);
    auto tables = readVendorTables(lines, name, report.figures, report.imported);
    report.tool = tables.tool;
    report.failing += tables.failing;
    report.cut = std::move(tables.cut);
    if (tables.fitFailed)
        report.remark = ": the fit failed";
    bool clockSummary = false;
    for (std::size_t at = 0; at < lines.size(); ++at) {
        const std::string_view text = trimmed(lines[at].text);
        if (text.starts_with("| Device") && text.find(':') != std::string_view::npos)
            report.imported.machine.emplace_back("device", std::string(between(text, ":", "")));
        if (text.starts_with("| Clock Summary"))
            clockSummary = true;
        else if (text.starts_with("| Intra Clock Table"))
            clockSummary = false;
        if (text.starts_with("WNS(ns)") && !report.hasSummary)
            readVivadoSummary(lines, at, name, report);
        else if (clockSummary)
            readVivadoClock(lines[at], report);
        else if (text.starts_with("Startpoint:"))
            readPath(lines, at, report);
        else if (text.starts_with("Slack (") && text.find("required time") != std::string_view::npos)
            readVivadoPath(lines, at, report);
        else if (text.starts_with("Total path delay:"))
            readIcetime(lines[at], report);
        else if (isFreeSlack(text))
            readVivadoFreePath(lines, at, report);
        else if (text.starts_with("There are no user specified timing constraints"))
            noteUnconstrained(report);
        else if (text.starts_with("wns ") || text.starts_with("tns ") || text.starts_with("worst slack "))
            readStaSummary(lines[at], report);
        else if (text.starts_with("; Fmax") && text.find("Restricted Fmax") != std::string_view::npos)
            readQuartus(lines, at, report);
    }
    // With one clock the slack of the worst path says how far it could go.
    if (report.tool == "Vivado" && report.hasSlack && report.clocks == 1 && report.period > report.worstSlack)
        report.figures.add("max frequency, 1 / (period - WNS)", 1e3 / (report.period - report.worstSlack), "MHz",
                           "design", 0);
}

bool isNextpnrReport(std::string_view bytes)
{
    return trimmed(bytes.substr(0, 64)).starts_with('{') && bytes.find("\"fmax\"") != std::string_view::npos;
}

} // namespace

bool looksLikeFpgaTiming(std::string_view bytes)
{
    for (const std::string_view mark : {"Max frequency for clock", "WNS(ns)", "Restricted Fmax", "Total path delay:"})
        if (bytes.find(mark) != std::string_view::npos)
            return true;
    if (bytes.find("Slack (") != std::string_view::npos && bytes.find("required time") != std::string_view::npos)
        return true;
    const auto lines = linesOf(bytes.substr(0, 1 << 20));
    if (std::ranges::any_of(
            lines, [](const Line& line) { return isFreeSlack(trimmed(line.text)) || nextpnrDelay(line).has_value(); }))
        return true;
    const std::string_view start = bytes.substr(0, 4096);
    for (const Line& line : linesOf(start))
        for (const std::string_view mark : {"wns ", "tns ", "worst slack "})
            if (line.text.starts_with(mark) && numberIn(wordsOf(line.text).back()))
                return true;
    return isNextpnrReport(bytes) || looksLikeVendorTables(bytes) ||
           (bytes.find("Startpoint:") != std::string_view::npos && bytes.find("slack (") != std::string_view::npos);
}

Result<Imported> readFpgaTiming(std::string_view bytes, const std::string& name)
{
    Imported imported;
    imported.kind = "timing report";
    {
        Report report{FigureList(imported), imported, {}, {}};
        if (isNextpnrReport(bytes)) {
            auto document = parseJson(bytes, name);
            if (!document)
                return document.error();
            if (!(*document)["fmax"].is_object())
                return badImport(name, 0, "\"fmax\" is not an object of clocks", kHow);
            if (auto read = readNextpnrReport(*document, name, report); !read)
                return read.error();
        } else {
            readText(linesOf(bytes), name, report);
        }
        if (report.cut)
            return *report.cut;
        if (imported.figures.empty())
            return badImport(name, 0, "The report has no figure of time, nor of what the design takes", kHow);
        imported.machine.emplace_back("tool", report.tool);
        const bool timed = std::ranges::any_of(
            imported.figures, [](const Figure& figure) { return figure.unit == "s" || figure.unit == "Hz"; });
        imported.title = (timed ? "Timing report from " : "Report of resources from ") + report.tool + report.remark +
                         (report.failing > 0 ? ": constraints missed" : std::string());
    }
    return imported;
}

} // namespace ridge::imports
