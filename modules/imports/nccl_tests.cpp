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
};

std::optional<Heads> headsOf(std::string_view line)
{
    std::string_view text = trimmed(line);
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

class Reader {
public:
    Reader(const std::string& name, Imported& imported) : m_name(name), m_figures(imported), m_imported(imported) {}

    Result<void> take(const Line& line)
    {
        const std::string_view text = trimmed(line.text);
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
        if (m_ranks > 0)
            m_imported.machine.emplace_back("ranks", std::to_string(m_ranks));
        for (const std::string& gpu : m_gpus)
            m_imported.machine.emplace_back("gpu", gpu);
        if (m_wrong > 0)
            m_imported.notes.push_back(
                counted(m_wrong, "row") +
                " with wrong results: figures of a collective that computes wrongly mean nothing.");
        m_imported.title = counted(m_rows, "message size") + " of " + (m_test.empty() ? "a collective" : m_test) +
                           (m_ranks > 0 ? " on " + counted(static_cast<std::size_t>(m_ranks), "rank") : std::string());
        checkFactor();
    }
    std::size_t rows() const { return m_rows; }

private:
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
        ++m_rows;
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
            const std::string figure = head + (place == 0 ? ", out of place" : ", in place");
            m_figures.add(figure, *value, head == "time" ? "us" : "GB/s", formatQuantity(*size, "bytes"), number);
            if (place == 0 && head == "algbw")
                m_algbw = *value;
            if (place == 0 && head == "busbw")
                m_busbw = *value;
        }
        return {};
    }

    void takeRemark(std::string_view text, int number)
    {
        const auto words = wordsOf(text.substr(1));
        if (text.find("Avg bus bandwidth") != std::string_view::npos && !words.empty()) {
            if (const auto value = numberIn(words.back()))
                m_figures.add("average busbw", *value, "GB/s", {}, number);
        } else if (const std::size_t at = text.find("test concluded:"); at != std::string_view::npos) {
            m_test = trimmed(text.substr(at + 15));
        } else if (words.size() > 2 && words.front() == "Rank") {
            // "Rank 0 Group 0 Pid 374 on HOST device 3 [0x54] NVIDIA A100": the host's name is nobody's business.
            ++m_ranks;
            if (const std::size_t bracket = text.find("] "); bracket != std::string_view::npos)
                m_gpus.insert(std::string(trimmed(text.substr(bracket + 2))));
        }
    }

    void checkFactor()
    {
        const auto factor = m_ranks > 1 ? busFactor(m_test, m_ranks) : std::nullopt;
        if (!factor || m_algbw < 1 || std::abs(m_busbw / m_algbw / *factor - 1) < 0.02)
            return;
        m_imported.notes.push_back("busbw ÷ algbw of the last row is " + formatNumber(m_busbw / m_algbw) + ", " +
                                   m_test + " on " + std::to_string(m_ranks) + " ranks gives " + formatNumber(*factor) +
                                   ": the file may list other ranks than took part.");
    }

    const std::string& m_name;
    FigureList m_figures;
    Imported& m_imported;
    std::optional<Heads> m_heads;
    std::string m_test;
    std::set<std::string> m_gpus;
    std::size_t m_rows = 0, m_wrong = 0;
    int m_ranks = 0;
    double m_algbw = 0, m_busbw = 0;
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
