// SPDX-License-Identifier: GPL-3.0-or-later
#include "imports/lines.h"
#include "imports/readers.h"

#include "base/units.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace ridge::imports {

namespace {

constexpr const char* kHow = "Keep the whole output of all_reduce_perf (or another of nccl-tests), heads included";

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

std::optional<Heads> headsOf(std::string_view line)
{
    std::string_view text = withoutRankTag(line);
    if (!text.starts_with('#'))
        return std::nullopt;
    text.remove_prefix(1);
    const auto words = wordsOf(text);
    const auto time = std::find(words.begin(), words.end(), "time");
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
    double algbw = 0, busbw = 0; ///< of the last row, out of place
    std::optional<std::pair<double, int>> average;
};

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

    void finish()
    {
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
        for (std::size_t i = 0; i < m_runs.size(); ++i)
            checkFactor(m_runs[i], nameOf(i));
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
            if (head == "time" && i > 0)
                ++place;
            const auto value = numberIn(words[m_heads->before + i]);
            if (!value)
                continue; // "N/A" where the tool did not check
            const bool wrong = head.starts_with('#') || head == "error";
            if (wrong) {
                m_wrong += head.starts_with('#') && *value > 0;
                continue;
            }
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
        if ((words.size() > 1 && words.front() == "nThread") && !m_runs.back().rows.empty())
            m_runs.emplace_back();
        if (text.find("Avg bus bandwidth") != std::string_view::npos && !words.empty()) {
            if (const auto value = numberIn(words.back()))
                m_runs.back().average = {*value, number};
        } else if (const std::size_t at = text.find("test concluded:"); at != std::string_view::npos) {
            m_runs.back().test = trimmed(text.substr(at + 15));
        } else if (words.size() > 2 && words.front() == "Rank") {
            // "Rank 0 Group 0 Pid 374 on HOST device 3 [0x54] NVIDIA A100": the host's name is nobody's business.
            if (!m_runs.back().rows.empty())
                m_runs.emplace_back();
            ++m_runs.back().ranks;
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
                figures.add(figure, value, figure.starts_with("time") ? "us" : "GB/s", of, row.line);
        }
        if (run.average)
            figures.add("average busbw", run.average->first, "GB/s", name, run.average->second);
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

} // namespace

bool looksLikeNcclTests(std::string_view bytes)
{
    const auto lines = linesOf(bytes);
    return std::any_of(lines.begin(), lines.end(), [](const Line& line) { return headsOf(line.text).has_value(); });
}

Result<Imported> readNcclTests(std::string_view bytes, const std::string& name)
{
    Imported imported;
    imported.kind = "benchmark report";
    {
        Reader reader(name, imported);
        for (const Line& line : linesOf(bytes))
            if (auto taken = reader.take(line); !taken)
                return taken.error();
        if (reader.rows() == 0)
            return badImport(name, 0, "There is no row of figures under the heads", kHow);
        reader.finish();
    }
    return imported;
}

} // namespace ridge::imports
