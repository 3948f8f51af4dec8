// SPDX-License-Identifier: GPL-3.0-or-later
#include "imports/lines.h"
#include "imports/readers.h"

#include "base/json.h"
#include "base/units.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <set>

namespace ridge::imports {

namespace {

constexpr const char* kHow = "Keep the whole output of all_reduce_perf (or another of nccl-tests), heads included";

constexpr const char* kHowJson = "Make it with all_reduce_perf -J result.json (or another of nccl-tests)";

/// Where the figures of a row stand, taken from the line of heads: versions differ in what stands before them.
struct Heads {
    std::size_t before = 0; ///< words up to the first "time"
    std::vector<std::string> names;
    std::vector<std::size_t> kinds; ///< words that say of what: type and redop
};

/// What launchers put in front of each line: "0: " (srun --label), "[1,0]<stdout>:" (mpirun --tag-output).
std::string_view withoutRankTag(std::string_view text)
{
    text = trimmed(text);
    const std::size_t colon = text.find(':');
    if (colon == 0 || colon == std::string_view::npos)
        return text;
    const std::string_view tag = text.substr(0, colon);
    const bool srun = tag.find_first_not_of("0123456789") == std::string_view::npos;
    const bool mpirun = tag.starts_with('[') && (tag.ends_with("]<stdout>") || tag.ends_with("]<stderr>"));
    return srun || mpirun ? trimmed(text.substr(colon + 1)) : text;
}

bool isTime(std::string_view head)
{
    return head == "time" || head == "cputime";
}

/// -I 1 adds the shortest, the longest and the 99th percentile of the iterations and how far they vary.
const char* unitOf(std::string_view figure)
{
    const std::string_view head = figure.substr(0, figure.find(','));
    if (isTime(head) || (head.starts_with("i_") && !head.ends_with('%')))
        return "us";
    return head.ends_with('%') ? "%" : "GB/s";
}

std::optional<Heads> headsOf(std::string_view line)
{
    std::string_view text = withoutRankTag(line);
    if (!text.starts_with('#'))
        return std::nullopt;
    text.remove_prefix(1);
    const auto words = wordsOf(text);
    // -C 1 reports the time of the processor in place of the collective's.
    const auto time = std::ranges::find_if(words, isTime);
    if (words.empty() || words.front() != "size" || time == words.end() ||
        std::find(time, words.end(), "busbw") == words.end())
        return std::nullopt;
    Heads heads;
    heads.before = static_cast<std::size_t>(time - words.begin());
    for (auto word = time; word != words.end(); ++word)
        heads.names.emplace_back(*word);
    for (std::size_t i = 0; i < heads.before; ++i)
        if (words[i] == "type" || words[i] == "redop")
            heads.kinds.push_back(i);
    return heads;
}

/// Bus bandwidth over algorithm bandwidth on n ranks (nccl-tests, doc/PERFORMANCE.md); none for what it does not name.
std::optional<double> busFactor(std::string_view test, double n)
{
    if (test == "all_reduce_perf")
        return 2 * (n - 1) / n;
    if (test == "all_gather_perf" || test == "reduce_scatter_perf" || test == "alltoall_perf")
        return (n - 1) / n;
    if (test == "broadcast_perf" || test == "reduce_perf" || test == "sendrecv_perf")
        return 1.0;
    return std::nullopt;
}

struct Row {
    std::string size, kind; ///< "8 MiB", "float sum"
    int line = 0;
    std::vector<std::pair<std::string, double>> values; ///< "time, in place"
};

/// One program's output. A log may hold several, one after the other.
struct Run {
    std::string test;
    int ranks = 0;
    std::vector<Row> rows;
    double algbw = 0, busbw = 0;                  ///< of the last row, out of place
    std::vector<std::pair<double, int>> averages; ///< one; of several programs that wrote at once one of each
    std::map<std::string, std::size_t> ofRank;    ///< how often each rank is listed before the first row
    std::size_t programs = 1;
};

/// The mean bus bandwidth of a run, as nccl-tests sums it up.
double meanBusbw(const Run& run)
{
    double sum = 0;
    std::size_t count = 0;
    for (const Row& row : run.rows)
        for (const auto& [figure, value] : row.values)
            if (figure.starts_with("busbw")) {
                sum += value;
                ++count;
            }
    return count == 0 ? 0 : sum / static_cast<double>(count);
}

/// Several programs that wrote into one log at once (one mpirun a node, say): their rows stand mixed, and a row does
/// not say whose it is. In the order in which they come the n-th row of a size is taken as the n-th program's; their
/// own averages have to bear that out. Nothing: they do not.
std::optional<std::vector<Run>> partPrograms(const Run& mixed)
{
    std::vector<Run> parts(mixed.programs);
    std::map<std::string, std::size_t> seen;
    for (const Row& row : mixed.rows) {
        const std::size_t at = seen[row.size + " " + row.kind]++;
        if (at >= parts.size())
            return std::nullopt;
        Run& run = parts[at];
        run.rows.push_back(row);
        for (const auto& [figure, value] : row.values) {
            if (figure == "algbw, out of place")
                run.algbw = value;
            if (figure == "busbw, out of place")
                run.busbw = value;
        }
    }
    if (mixed.averages.size() != parts.size() || mixed.ranks % static_cast<int>(parts.size()) != 0)
        return std::nullopt;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const double average = mixed.averages[i].first;
        if (parts[i].rows.size() != parts.front().rows.size() ||
            std::abs(meanBusbw(parts[i]) - average) > 0.002 * std::abs(average))
            return std::nullopt;
        parts[i].test = mixed.test;
        parts[i].ranks = mixed.ranks / static_cast<int>(parts.size());
        parts[i].averages = {mixed.averages[i]};
    }
    return parts;
}

class Reader {
public:
    Reader(const std::string& name, Imported& imported) : m_name(name), m_imported(imported), m_runs(1) {}

    Result<void> take(const Line& line)
    {
        const std::string_view text = withoutRankTag(line.text);
        if (auto heads = headsOf(text)) {
            m_heads = std::move(heads);
            return {};
        }
        if (text.starts_with('#')) {
            takeRemark(text, line.number);
            return {};
        }
        if (!m_heads || text.empty() || text.front() < '0' || text.front() > '9')
            return {}; // NCCL's own log lines stand between the rows
        return takeRow(text, line.number);
    }

    Result<void> finish()
    {
        std::vector<Run> runs;
        for (Run& run : m_runs) {
            if (run.programs == 1) {
                runs.push_back(std::move(run));
                continue;
            }
            const std::size_t programs = run.programs;
            auto parts = partPrograms(run);
            if (!parts)
                return badImport(m_name, run.rows.empty() ? 0 : run.rows.front().line,
                                 "Rank 0 is listed " + std::to_string(programs) +
                                     " times before the first row: as many programs wrote into this file at once, and "
                                     "their rows cannot be told apart",
                                 "Run one after the other, or give each a file of its own");
            std::ranges::move(*parts, std::back_inserter(runs));
            m_imported.notes.push_back(
                "Output of " + std::to_string(programs) +
                " programs that wrote at once stands mixed here. Its rows were told apart by their order, which the "
                "averages at the end bear out.");
        }
        m_runs = std::move(runs);
        std::set<int> ranks;
        std::size_t rows = 0;
        {
            FigureList figures(m_imported);
            for (std::size_t i = 0; i < m_runs.size(); ++i) {
                addFigures(figures, m_runs[i], nameOf(i));
                ranks.insert(m_runs[i].ranks);
                rows += m_runs[i].rows.size();
            }
        }
        const bool same = ranks.size() == 1 && *ranks.begin() > 0;
        if (same)
            m_imported.machine.emplace_back("ranks", std::to_string(*ranks.begin()));
        for (const std::string& gpu : m_gpus)
            m_imported.machine.emplace_back("gpu", gpu);
        if (m_wrong > 0)
            m_imported.notes.push_back(
                counted(m_wrong, "row") +
                " with wrong results: figures of a collective that computes wrongly mean nothing.");
        const std::string& test = m_runs.front().test;
        m_imported.title = counted(rows, "message size") + " of " +
                           (m_runs.size() > 1 ? std::to_string(m_runs.size()) + " runs of nccl-tests"
                                              : (test.empty() ? "a collective" : test)) +
                           (same ? " on " + counted(static_cast<std::size_t>(*ranks.begin()), "rank") : std::string());
        if (m_leftOut > 0)
            m_imported.notes.push_back(counted(m_leftOut, "further row") + " of the file left out.");
        for (std::size_t i = 0; i < m_runs.size(); ++i) {
            checkFactor(m_runs[i], nameOf(i));
            if (m_runs[i].averages.empty() && !m_runs[i].rows.empty())
                m_imported.notes.push_back((nameOf(i).empty() ? "" : nameOf(i) + ": ") +
                                           "The average that nccl-tests writes last is not there: the log was cut off, "
                                           "or the program was ended. The rows before count.");
        }
        return {};
    }
    std::size_t rows() const
    {
        std::size_t all = 0;
        for (const Run& run : m_runs)
            all += run.rows.size();
        return all;
    }

private:
    /// Empty where there is one run only.
    std::string nameOf(std::size_t index) const
    {
        if (m_runs.size() == 1)
            return {};
        const std::string& test = m_runs[index].test;
        const auto alike =
            std::count_if(m_runs.begin(), m_runs.end(), [&](const Run& one) { return one.test == test; });
        const std::string number = "run " + std::to_string(index + 1);
        return test.empty() ? number : alike > 1 ? test + ", " + number : test;
    }

    /// The next program's output begins, once the one before has given rows.
    void beginRun()
    {
        if (!m_runs.back().rows.empty())
            m_runs.emplace_back();
    }

    Result<void> takeRow(std::string_view text, int number)
    {
        const auto words = wordsOf(text);
        if (words.size() < m_heads->before + m_heads->names.size())
            return badImport(m_name, number,
                             "The row has " + counted(words.size(), "word") + ", the heads ask for " +
                                 std::to_string(m_heads->before + m_heads->names.size()),
                             kHow);
        const auto size = numberIn(words.front());
        if (!size)
            return badImport(m_name, number, "The row does not begin with a size in bytes", kHow);
        Run& run = m_runs.back();
        Row row{formatQuantity(*size, "bytes"), {}, number, {}};
        for (const std::size_t kind : m_heads->kinds)
            row.kind += (row.kind.empty() ? "" : " ") + std::string(words[kind]);
        std::size_t place = 0;
        for (std::size_t i = 0; i < m_heads->names.size(); ++i) {
            const std::string& head = m_heads->names[i];
            if (isTime(head) && i > 0)
                ++place;
            if (head == "timestamp")
                continue;
            const std::string_view word = words[m_heads->before + i];
            const auto value = numberIn(word);
            if (head.starts_with('#') || head == "error") { // "N/A" where the tool did not check
                m_wrong += value && head.starts_with('#') && *value > 0;
                continue;
            }
            if (!value || *value < 0)
                return badImport(m_name, number,
                                 "\"" + std::string(word) + "\" in the column " + head + " is no number from 0 on",
                                 kHow);
            row.values.emplace_back(head + (place == 0 ? ", out of place" : ", in place"), *value);
            if (place == 0 && head == "algbw")
                run.algbw = *value;
            if (place == 0 && head == "busbw")
                run.busbw = *value;
        }
        if (rows() < kMostFigures)
            run.rows.push_back(std::move(row));
        else
            ++m_leftOut;
        return {};
    }

    void takeRemark(std::string_view text, int number)
    {
        const auto words = wordsOf(text.substr(1));
        // The first line of a program's output, and what it says before its first row.
        if (words.size() > 1 && words.front() == "nThread")
            beginRun();
        if (text.find("Avg bus bandwidth") != std::string_view::npos && !words.empty()) {
            if (const auto value = numberIn(words.back()))
                m_runs.back().averages.emplace_back(*value, number);
        } else if (const std::size_t at = text.find("test concluded:"); at != std::string_view::npos) {
            m_runs.back().test = trimmed(text.substr(at + 15));
        } else if (const std::size_t begun = text.find("test starting:"); begun != std::string_view::npos) {
            // A log that was cut off has no other line with the name.
            beginRun();
            m_runs.back().test = trimmed(text.substr(begun + 14));
        } else if (words.size() > 2 && words.front() == "Rank") {
            // "Rank 0 Group 0 Pid 374 on HOST device 3 [0x54] NVIDIA A100": the host's name is nobody's business.
            beginRun();
            ++m_runs.back().ranks;
            const auto group = std::ranges::find(words, std::string_view("Group"));
            const std::string rank =
                std::string(words[1]) +
                (group != words.end() && group + 1 != words.end() ? " " + std::string(group[1]) : std::string());
            m_runs.back().programs = std::max(m_runs.back().programs, ++m_runs.back().ofRank[rank]);
            if (const std::size_t bracket = text.find("] "); bracket != std::string_view::npos)
                m_gpus.insert(std::string(trimmed(text.substr(bracket + 2))));
        }
    }

    static void addFigures(FigureList& figures, const Run& run, const std::string& name)
    {
        std::set<std::string> kinds;
        for (const Row& row : run.rows)
            kinds.insert(row.kind);
        for (const Row& row : run.rows) {
            std::string of = (name.empty() ? "" : name + ", ") + row.size;
            if (kinds.size() > 1) // a size alone does not say which of them it is
                of += ", " + row.kind;
            for (const auto& [figure, value] : row.values)
                figures.add(figure, value, unitOf(figure), of, row.line);
        }
        for (const auto& [average, line] : run.averages)
            figures.add("average busbw", average, "GB/s", name, line);
    }

    void checkFactor(const Run& run, const std::string& name)
    {
        const auto factor = run.ranks > 1 ? busFactor(run.test, run.ranks) : std::nullopt;
        if (!factor || run.algbw < 1 || std::abs(run.busbw / run.algbw / *factor - 1) < 0.02)
            return;
        m_imported.notes.push_back("busbw ÷ algbw of the last row" + (name.empty() ? "" : " of " + name) + " is " +
                                   formatNumber(run.busbw / run.algbw) + ", " + run.test + " on " +
                                   std::to_string(run.ranks) + " ranks gives " + formatNumber(*factor) +
                                   ": the file may list other ranks than took part.");
    }

    const std::string& m_name;
    Imported& m_imported;
    std::optional<Heads> m_heads;
    std::set<std::string> m_gpus;
    std::vector<Run> m_runs;
    std::size_t m_wrong = 0, m_leftOut = 0;
};

/// What -J writes. Its strings of hosts and of the environment are left where they are.
bool isJsonReport(std::string_view bytes)
{
    const std::string_view start = trimmed(bytes.substr(0, 256 << 10));
    return start.starts_with('{') && start.find("\"nccl_version\"") != std::string_view::npos &&
           start.find("\"results\"") != std::string_view::npos;
}

Result<void> readJsonReport(std::string_view bytes, const std::string& name, Imported& imported)
{
    const auto document = parseJson(bytes, name);
    if (!document)
        return document.error();
    const auto results = document->find("results");
    if (results == document->end() || !results->is_array())
        return badImport(name, 0, "\"results\" is not a list of message sizes", kHowJson);
    static constexpr std::array<std::array<const char*, 3>, 10> kFigures = {{{"time", "time", "us"},
                                                                             {"cpu_time", "cputime", "us"},
                                                                             {"alg_bw", "algbw", "GB/s"},
                                                                             {"bus_bw", "busbw", "GB/s"},
                                                                             {"min_us", "i_min", "us"},
                                                                             {"max_us", "i_max", "us"},
                                                                             {"avg_us", "i_avg", "us"},
                                                                             {"p50_us", "i_p50", "us"},
                                                                             {"p99_us", "i_p99", "us"},
                                                                             {"cv_pct", "i_cv%", "%"}}};
    FigureList figures(imported);
    std::set<std::string> kinds, gpus;
    std::size_t wrong = 0, rows = 0;
    const auto word = [](const Json& object, const char* key) {
        const auto found = object.find(key);
        return found != object.end() && found->is_string() ? std::string(trimmed(found->get<std::string>()))
                                                           : std::string();
    };
    const auto kindOf = [&](const Json& row) { return word(row, "type") + " " + word(row, "redop"); };
    for (const Json& row : *results)
        if (row.is_object())
            kinds.insert(kindOf(row));
    std::string test;
    for (const Json& row : *results) {
        if (!row.is_object() || !row.contains("size") || !row["size"].is_number())
            return badImport(name, 0, "An entry of \"results\" has no size", kHowJson);
        ++rows;
        if (test.empty())
            test = word(row, "experiment_name");
        std::string of = formatQuantity(row["size"].get<double>(), "bytes");
        if (kinds.size() > 1)
            of += ", " + kindOf(row);
        for (const auto& [key, place] :
             {std::pair("out_of_place", ", out of place"), std::pair("in_place", ", in place")}) {
            const auto found = row.find(key);
            if (found == row.end() || !found->is_object())
                continue;
            const auto add = [&](const Json& from) {
                for (const auto& [field, figure, unit] : kFigures)
                    if (const auto value = from.find(field); value != from.end() && value->is_number())
                        figures.add(std::string(figure) + place, value->get<double>(), unit, of, 0);
            };
            add(*found);
            if (const auto each = row.find(std::string(key) + "_per_iter"); each != row.end() && each->is_object())
                add(*each);
            const auto count = found->find("nwrong");
            wrong += count != found->end() && count->is_number() && count->get<double>() > 0;
        }
    }
    if (rows == 0)
        return badImport(name, 0, "\"results\" is empty", kHowJson);
    if (const auto average = document->find("average_bus_bandwidth");
        average != document->end() && average->is_object() && average->contains("bandwidth") &&
        (*average)["bandwidth"].is_number())
        figures.add("average busbw", (*average)["bandwidth"].get<double>(), "GB/s", {}, 0);
    std::size_t ranks = 0;
    const auto config = document->find("config");
    const Json* devices = document->contains("devices") ? &(*document)["devices"]
                          : config != document->end() && config->is_object() && config->contains("devices")
                              ? &(*config)["devices"]
                              : nullptr;
    if (devices != nullptr && devices->is_array())
        for (const Json& device : *devices)
            if (device.is_object()) {
                ++ranks;
                if (std::string gpu = word(device, "device_info"); !gpu.empty())
                    gpus.insert(std::move(gpu));
            }
    if (ranks > 0)
        imported.machine.emplace_back("ranks", std::to_string(ranks));
    for (const std::string& gpu : gpus)
        imported.machine.emplace_back("gpu", gpu);
    if (wrong > 0)
        imported.notes.push_back(counted(wrong, "row") +
                                 " with wrong results: figures of a collective that computes wrongly mean nothing.");
    imported.title = counted(rows, "message size") + " of " + (test.empty() ? "a collective" : test) +
                     (ranks > 0 ? " on " + counted(ranks, "rank") : std::string());
    return {};
}

} // namespace

bool looksLikeNcclTests(std::string_view bytes)
{
    if (isJsonReport(bytes))
        return true;
    const auto lines = linesOf(bytes);
    return std::any_of(lines.begin(), lines.end(), [](const Line& line) { return headsOf(line.text).has_value(); });
}

Result<Imported> readNcclTests(std::string_view bytes, const std::string& name)
{
    Imported imported;
    imported.kind = "benchmark report";
    if (isJsonReport(bytes)) {
        if (auto read = readJsonReport(bytes, name, imported); !read)
            return read.error();
    } else {
        Reader reader(name, imported);
        for (const Line& line : linesOf(bytes))
            if (auto taken = reader.take(line); !taken)
                return taken.error();
        if (reader.rows() == 0)
            return badImport(name, 0, "There is no row of figures under the heads", kHow);
        if (auto finished = reader.finish(); !finished)
            return finished.error();
    }
    return imported;
}

} // namespace ridge::imports
