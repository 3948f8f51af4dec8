// SPDX-License-Identifier: GPL-3.0-or-later
// What NCCL writes of itself with NCCL_DEBUG=INFO: ranks, rings, ways between GPUs, what the tuner chose, and who is
// missing. Lines of all ranks may stand mixed in one file, between those of the program and behind prefixes of mpirun
// or srun. Format as NCCL 2.18 to 2.27 print it: the tuner gives numbers and a time up to 2.23, names and channels
// after.
#include "imports/lines.h"
#include "imports/readers.h"

#include "base/units.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

namespace ridge::imports {
namespace {

constexpr const char* kMark = " NCCL INFO ";
constexpr const char* kWarning = " NCCL WARN ";
constexpr const char* kHow = "Run it with NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,ENV,GRAPH,TUNING,COLL";
constexpr std::size_t kMostNamed = 8; ///< ranks or warnings in a note

/// By their numbers in NCCL's nccl_common.h and nccl_tuner.h.
constexpr std::array<std::string_view, 7> kAlgorithms = {"Tree",     "Ring", "CollNetDirect", "CollNetChain", "NVLS",
                                                         "NVLSTree", "PAT"};
constexpr std::array<std::string_view, 3> kProtocols = {"LL", "LL128", "Simple"};

template<std::size_t N>
std::string nameOf(std::string_view word, const std::array<std::string_view, N>& names)
{
    if (const auto number = numberIn(word); number && *number >= 0 && *number < double(N))
        return std::string(names[std::size_t(*number)]);
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; };
    for (const std::string_view name : names)
        if (std::ranges::equal(name, word, {}, lower, lower)) // 2.24 and newer: RING, older drafts: Ring
            return std::string(name);
    return std::string(word);
}

struct Choice { ///< of the tuner, for one collective and size
    std::string collective, algorithm, protocol;
    double bytes = 0;
    auto operator<=>(const Choice&) const = default;
};

struct Chosen {
    int calls = 0, line = 0;
    std::optional<double> microseconds, channels;
};

struct Rank {
    bool complete = false;
    std::map<std::string, double> lastCall; ///< opCount by collective
};

struct Communicator {
    double ranks = 0;
    std::map<int, Rank> seen;
    int line = 0;
};

class LogReader {
public:
    explicit LogReader(std::string_view bytes)
    {
        for (const Line& line : linesOf(bytes))
            take(line);
    }
    Result<Imported> report(const std::string& name);

private:
    void take(const Line& line);
    void takeInfo(const Line& line, std::string_view process, std::string_view text);
    void takeCommunicator(const Line& line, std::string_view process, std::string_view text);
    void takeChoice(const Line& line, std::string_view text, std::size_t arrow);
    void takeCall(std::string_view process, std::string_view text, std::size_t opCount);
    void takeChannel(const Line& line, std::string_view text);
    void noteMissing(Imported& imported) const;
    void noteLate(Imported& imported) const;

    std::string m_version, m_ring;
    std::map<std::string, Communicator> m_communicators;         ///< by commId, else by the process's pointer
    std::map<std::string, std::pair<std::string, int>> m_places; ///< process and pointer: communicator, rank
    std::map<Choice, Chosen> m_choices;
    std::map<std::string, std::pair<int, int>> m_ways; ///< "P2P/CUMEM": connections, first line
    std::map<std::string, std::string> m_settings;
    std::vector<std::string> m_warnings;
    std::size_t m_warned = 0;
    std::optional<std::pair<double, int>> m_channels;
    double m_nodes = 0;
};

/// The word behind `key` and a blank; empty where it is not there.
std::string_view behind(std::string_view text, std::string_view key)
{
    for (std::size_t at = text.find(key); at != std::string_view::npos; at = text.find(key, at + 1)) {
        const bool begins = at == 0 || text[at - 1] == ' ' || text[at - 1] == '[';
        const std::size_t from = at + key.size();
        if (!begins || from >= text.size() || (text[from] != ' ' && text[from] != '='))
            continue;
        const std::string_view rest = trimmed(text.substr(from + 1));
        return rest.substr(0, rest.find_first_of(" ,]"));
    }
    return {};
}

/// `ranks`: those that are named, of `all`.
std::string named(const std::vector<int>& ranks, std::size_t all)
{
    std::string text;
    for (std::size_t i = 0; i < std::min(ranks.size(), kMostNamed); ++i)
        text += (i > 0 ? ", " : "") + std::to_string(ranks[i]);
    return text + (all > kMostNamed ? " and " + std::to_string(all - kMostNamed) + " more" : "");
}

void LogReader::take(const Line& line)
{
    const std::string_view text = line.text;
    if (m_version.empty())
        if (const auto at = text.find("NCCL version "); at != std::string_view::npos)
            m_version = wordsOf(text.substr(at + 13)).empty() ? "" : std::string(wordsOf(text.substr(at + 13)).front());
    if (const auto at = text.find(kWarning); at != std::string_view::npos) {
        if (m_warnings.size() < kMostNamed)
            m_warnings.push_back("line " + std::to_string(line.number) + ": " +
                                 std::string(trimmed(text.substr(at + std::string_view(kWarning).size()))));
        ++m_warned;
        return;
    }
    const auto at = text.find(kMark);
    if (at == std::string_view::npos)
        return;
    // "node-1:397:412 [0]": the thread changes, host and process do not. mpirun and srun write in front of it.
    const auto words = wordsOf(text.substr(0, at));
    std::string_view process = words.size() >= 2 ? words[words.size() - 2] : std::string_view();
    process = process.substr(0, process.rfind(':'));
    takeInfo(line, process, trimmed(text.substr(at + std::string_view(kMark).size())));
}

void LogReader::takeInfo(const Line& line, std::string_view process, std::string_view text)
{
    if (const auto arrow = text.find(" Bytes -> Algo "); arrow != std::string_view::npos)
        return takeChoice(line, text, arrow);
    if (const auto opCount = text.find(": opCount "); opCount != std::string_view::npos)
        return takeCall(process, text, opCount);
    if (text.starts_with("Channel "))
        return takeChannel(line, text);
    if (text.find("comm 0x") != std::string_view::npos)
        return takeCommunicator(line, process, text);
    constexpr std::string_view kSet = " set by environment to ";
    if (const auto set = text.find(kSet); set != std::string_view::npos && text.starts_with("NCCL_")) {
        std::string_view value = trimmed(text.substr(set + kSet.size()));
        value = value.ends_with('.') ? value.substr(0, value.size() - 1) : value;
        m_settings.emplace(text.substr(0, set), value);
    }
}

void LogReader::takeCommunicator(const Line& line, std::string_view process, std::string_view text)
{
    const auto rank = numberIn(behind(text, "rank"));
    auto ranks = numberIn(behind(text, "nranks"));
    if (!ranks)
        ranks = numberIn(behind(text, "nRanks"));
    const auto whole = [](double value) { return value == std::floor(value); };
    if (!rank || !ranks || *rank < 0 || *rank >= *ranks || *ranks > 1e7 || !whole(*rank) || !whole(*ranks))
        return;
    const std::string place = std::string(process) + ' ' + std::string(behind(text, "comm"));
    const std::string_view id = behind(text, "commId");
    const auto known = m_places.find(place);
    const std::string key = !id.empty()               ? std::string(id)
                            : known != m_places.end() ? known->second.first
                                                      : std::string();
    if (key.empty() && known == m_places.end() && text.find("Init COMPLETE") == std::string_view::npos)
        return; // says how ranks lie, before it says which communicator
    Communicator& communicator = m_communicators[key];
    communicator.ranks = std::max(communicator.ranks, *ranks);
    communicator.line = communicator.line == 0 ? line.number : communicator.line;
    Rank& seen = communicator.seen[int(*rank)];
    seen.complete = seen.complete || text.find("Init COMPLETE") != std::string_view::npos;
    m_places[place] = {key, int(*rank)};
    if (const auto nodes = numberIn(behind(text, "nNodes")))
        m_nodes = std::max(m_nodes, *nodes);
}

/// "AllReduce: 36864 Bytes -> Algo 1 proto 2 time 28.6", "… -> Algo RING proto SIMPLE channel{Lo..Hi}={0..3}"
void LogReader::takeChoice(const Line& line, std::string_view text, std::size_t arrow)
{
    const auto before = wordsOf(text.substr(0, arrow));
    const auto bytes = before.empty() ? std::nullopt : numberIn(before.back());
    const std::string_view after = text.substr(arrow + 10); // "Algo …"
    const std::string_view algorithm = behind(after, "Algo"), protocol = behind(after, "proto");
    if (!bytes || *bytes < 0 || algorithm.empty() || protocol.empty())
        return; // cut
    Choice choice;
    choice.collective = before.size() > 1 ? std::string(before.front().substr(0, before.front().find(':'))) : "";
    choice.algorithm = nameOf(algorithm, kAlgorithms);
    choice.protocol = nameOf(protocol, kProtocols);
    choice.bytes = *bytes;
    Chosen& chosen = m_choices[choice];
    ++chosen.calls;
    chosen.line = chosen.line == 0 ? line.number : chosen.line;
    if (const auto time = numberIn(behind(after, "time")); time && *time >= 0)
        chosen.microseconds = *time;
    constexpr std::string_view kChannels = "={";
    const auto at = after.find(kChannels);
    const auto dots = at == std::string_view::npos ? at : after.find("..", at);
    if (dots == std::string_view::npos)
        return;
    const auto low = numberIn(after.substr(at + kChannels.size(), dots - at - kChannels.size()));
    const auto high = numberIn(after.substr(dots + 2, after.find('}', dots) - dots - 2));
    if (low && high && *high >= *low)
        chosen.channels = *high - *low + 1;
}

/// "AllReduce: opCount 1606 sendbuff … comm 0x555e2c6387e0 [nranks=4] …", in base 16
void LogReader::takeCall(std::string_view process, std::string_view text, std::size_t opCount)
{
    const auto place = m_places.find(std::string(process) + ' ' + std::string(behind(text, "comm")));
    const std::string word(behind(text.substr(opCount), "opCount"));
    if (place == m_places.end() || word.empty() || word.size() > 12 ||
        word.find_first_not_of("0123456789abcdef") != std::string::npos)
        return;
    double& last =
        m_communicators[place->second.first].seen[place->second.second].lastCall[std::string(text.substr(0, opCount))];
    last = std::max(last, double(std::stoull(word, nullptr, 16)));
}

/// "Channel 00/24 :    0   1   2   3", "Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM/read"
void LogReader::takeChannel(const Line& line, std::string_view text)
{
    const auto colon = text.find(" : "), via = text.find(" via ");
    if (colon == std::string_view::npos)
        return;
    if (via != std::string_view::npos) {
        // Of "NET/IB/0/GDRDMA" and "P2P/CUMEM/read" what stands behind the second bar is a device or a direction.
        std::string way(wordsOf(text.substr(via + 5)).empty() ? std::string_view()
                                                              : wordsOf(text.substr(via + 5)).front());
        if (const auto bar = way.find('/'); bar != std::string::npos)
            way = way.substr(0, way.find_first_of("/(", bar + 1));
        auto& [count, first] = m_ways[way];
        first = count++ == 0 ? line.number : first;
        return;
    }
    const std::string_view number = wordsOf(text.substr(0, colon)).back();
    const auto bar = number.find('/');
    const auto all = bar == std::string_view::npos ? std::nullopt : numberIn(number.substr(bar + 1));
    if (!all || *all < 1)
        return;
    if (!m_channels || *all > m_channels->first)
        m_channels = {*all, line.number};
    if (m_ring.empty() && numberIn(number.substr(0, bar)) == 0.0)
        for (const std::string_view rank : wordsOf(text.substr(colon + 3)))
            (m_ring += m_ring.empty() ? "" : " ") += rank;
}

/// Ranks that never finished, which is what a job that hangs at its start looks like.
void LogReader::noteMissing(Imported& imported) const
{
    for (const auto& [key, communicator] : m_communicators) {
        std::vector<int> open, absent;
        for (const auto& [rank, seen] : communicator.seen)
            if (!seen.complete)
                open.push_back(rank);
        // A line can claim any number of ranks: no more are looked through than there are lines and names.
        const std::size_t missing = std::size_t(communicator.ranks) - communicator.seen.size();
        for (int rank = 0; absent.size() < std::min(missing, kMostNamed); ++rank)
            if (!communicator.seen.contains(rank))
                absent.push_back(rank);
        const std::string which = " of a communicator of " + counted(std::size_t(communicator.ranks), "rank") +
                                  " (line " + std::to_string(communicator.line) + ")";
        if (!open.empty())
            imported.notes.push_back((open.size() == 1 ? "Rank " : "Ranks ") + named(open, open.size()) + which +
                                     " began and never said Init COMPLETE.");
        if (!absent.empty() && !communicator.seen.empty())
            imported.notes.push_back("No line is of " + std::string(missing == 1 ? "rank " : "ranks ") +
                                     named(absent, missing) + which + ": the log may be of some processes alone.");
    }
}

/// Ranks that have called a collective less often than others, which is what a job that hangs later looks like.
void LogReader::noteLate(Imported& imported) const
{
    for (const auto& [key, communicator] : m_communicators) {
        std::map<std::string, double> most;
        for (const auto& [rank, seen] : communicator.seen)
            for (const auto& [collective, count] : seen.lastCall)
                most[collective] = std::max(most[collective], count);
        for (const auto& [collective, count] : most) {
            std::vector<int> late;
            for (const auto& [rank, seen] : communicator.seen) {
                const auto last = seen.lastCall.find(collective);
                if (last == seen.lastCall.end() || last->second < count)
                    late.push_back(rank);
            }
            if (!late.empty())
                imported.notes.push_back((late.size() == 1 ? "Rank " : "Ranks ") + named(late, late.size()) +
                                         " did not call the last " + collective + " (opCount " +
                                         std::to_string(std::uint64_t(count)) + ") that other ranks called.");
        }
    }
}

Result<Imported> LogReader::report(const std::string& name)
{
    if (m_choices.empty() && m_ways.empty() && !m_channels && m_communicators.empty())
        return badImport(name, 0, "Lines of NCCL are there, and none tells of ranks, rings, ways or choices", kHow);
    Imported imported;
    imported.kind = "log import";
    FigureList figures(imported);
    double ranks = 0;
    std::size_t complete = 0;
    for (const auto& [key, communicator] : m_communicators) {
        ranks = std::max(ranks, communicator.ranks);
        for (const auto& [rank, seen] : communicator.seen)
            complete += seen.complete;
    }
    if (!m_communicators.empty()) {
        const int line = m_communicators.begin()->second.line;
        figures.add("communicators", double(m_communicators.size()), "1", "", line);
        figures.add("ranks that are ready", double(complete), "1", "", line);
    }
    if (m_channels)
        figures.add("channels", m_channels->first, "1", "rings", m_channels->second);
    for (const auto& [way, seen] : m_ways)
        figures.add("connections", seen.first, "1", way, seen.second);
    for (const auto& [choice, chosen] : m_choices) {
        const std::string of = (choice.collective.empty() ? "" : choice.collective + ", ") +
                               formatQuantity(choice.bytes, "bytes") + ", " + choice.algorithm + ", " + choice.protocol;
        figures.add("calls", chosen.calls, "1", of, chosen.line);
        if (chosen.microseconds)
            figures.add("time that the tuner expects", *chosen.microseconds, "us", of, chosen.line);
        if (chosen.channels)
            figures.add("channels", *chosen.channels, "1", of, chosen.line);
    }
    if (!m_version.empty())
        imported.machine.emplace_back("nccl", m_version);
    if (ranks > 0)
        imported.machine.emplace_back("ranks", std::to_string(std::uint64_t(ranks)));
    if (m_nodes > 0)
        imported.machine.emplace_back("nodes", std::to_string(std::uint64_t(m_nodes)));
    if (!m_ring.empty())
        imported.notes.push_back("The first ring is " + m_ring + ".");
    for (const auto& [way, seen] : m_ways)
        if (way.starts_with("SHM"))
            imported.notes.push_back(counted(std::size_t(seen.first), "connection") +
                                     " between GPUs of one machine go through the host's memory (SHM, from line " +
                                     std::to_string(seen.second) +
                                     "): there is no P2P between those GPUs, or it is off.");
    std::string settings;
    for (const auto& [key, value] : m_settings)
        settings += (settings.empty() ? "" : ", ") + key + "=" + value;
    if (!settings.empty())
        imported.notes.push_back("Set by the environment: " + settings + ".");
    noteMissing(imported);
    noteLate(imported);
    if (!m_warnings.empty()) {
        std::string all;
        for (const std::string& warning : m_warnings)
            all += (all.empty() ? "" : "; ") + warning;
        imported.notes.push_back("NCCL warned " + counted(m_warned, "time") + ": " + all + ".");
    }
    imported.title =
        "Log of NCCL" + (m_version.empty() ? "" : " " + m_version) +
        (ranks > 0 ? ", " + counted(std::size_t(ranks), "rank") : "") +
        (m_choices.empty() ? "" : ", " + counted(m_choices.size(), "choice of its tuner", "choices of its tuner"));
    return imported;
}

} // namespace

bool looksLikeNcclLog(std::string_view bytes)
{
    return bytes.find(kMark) != std::string_view::npos;
}

Result<Imported> readNcclLog(std::string_view bytes, const std::string& name)
{
    if (!looksLikeNcclLog(bytes))
        return badImport(name, 0, "No line says NCCL INFO", kHow);
    return LogReader(bytes).report(name);
}

} // namespace ridge::imports
