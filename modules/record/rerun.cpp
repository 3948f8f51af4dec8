// SPDX-License-Identifier: GPL-3.0-or-later
#include "record/rerun.h"

#include "base/json.h"
#include "record/worker/shell_words.h"

#include <set>
#include <tuple>

namespace ridge::record {
namespace {

std::string shellWord(const std::string& text)
{
    return shellQuoted(QString::fromStdString(text)).toStdString();
}

/// Values of one parameter over the runs, each once, in order; a run without it counts as a value of its own.
std::vector<std::string> valuesOf(const std::string& name, const std::vector<const RunRow*>& runs, bool& missing)
{
    std::vector<std::string> values;
    for (const RunRow* run : runs) {
        const auto it = run->params.find(name);
        if (it == run->params.end())
            missing = true;
        else if (const std::string text = toText(it->second);
                 std::find(values.begin(), values.end(), text) == values.end())
            values.push_back(text);
    }
    return values;
}

struct Settings {
    std::vector<std::string> fixed, varied; ///< "name=value", "name=a,b,c"
    std::size_t points = 1;                 ///< of the grid that `varied` spans
    bool missing = false;                   ///< some run has no value where another has one
};

Settings settingsOf(const std::vector<const RunRow*>& runs)
{
    std::set<std::string> names;
    for (const RunRow* run : runs)
        for (const auto& [name, value] : run->params)
            names.insert(name);
    Settings settings;
    for (const std::string& name : names) {
        bool missing = false;
        std::string list;
        const auto values = valuesOf(name, runs, missing);
        for (const std::string& value : values)
            list += (list.empty() ? "" : ",") + value;
        settings.points *= std::max<std::size_t>(1, values.size());
        settings.missing |= missing;
        (values.size() == 1 && !missing ? settings.fixed : settings.varied).push_back(name + '=' + list);
    }
    return settings;
}

std::string commandFor(const RunRow& first, const Settings& settings)
{
    std::string line = "ridge run " + shellWord(first.experiment) + " --target " + shellWord(first.target) +
                       " --seed " + std::to_string(first.seed);
    for (const std::string& setting : settings.fixed)
        line += " --set " + shellWord(setting);
    for (const std::string& setting : settings.varied)
        line += " --sweep " + shellWord(setting);
    return line;
}

/// One line along one axis, or over a grid of which every point was run.
bool isOneCommand(const std::vector<const RunRow*>& runs)
{
    constexpr std::size_t kMostAxes = 3;
    const Settings settings = settingsOf(runs);
    if (settings.varied.size() <= 1)
        return true;
    std::set<std::string> points;
    for (const RunRow* run : runs)
        points.insert(ridge::toJson(run->params).dump());
    return !settings.missing && settings.varied.size() <= kMostAxes && points.size() == settings.points;
}

} // namespace

std::vector<std::string> rerunCommands(std::span<const RunRow> runs)
{
    using Key = std::tuple<std::string, std::string, std::uint64_t>;
    std::vector<Key> order;
    std::map<Key, std::vector<const RunRow*>> groups;
    for (const RunRow& run : runs) {
        const Key key{run.experiment, run.target, run.seed};
        if (!groups.contains(key))
            order.push_back(key);
        groups[key].push_back(&run);
    }
    std::vector<std::string> commands;
    const auto add = [&](std::string command) {
        if (std::find(commands.begin(), commands.end(), command) == commands.end())
            commands.push_back(std::move(command));
    };
    for (const Key& key : order) {
        const auto& group = groups[key];
        if (isOneCommand(group)) {
            add(commandFor(*group.front(), settingsOf(group)));
            continue;
        }
        std::vector<std::vector<const RunRow*>> requests; // in the order in which they were made
        std::map<std::string, std::size_t> known;
        for (const RunRow* run : group) {
            const auto [at, fresh] = known.try_emplace(run->sweepId.empty() ? run->id : run->sweepId, requests.size());
            if (fresh)
                requests.emplace_back();
            requests[at->second].push_back(run);
        }
        // Points that were run one by one are one command where they make one: a challenge is taken in many steps.
        std::vector<std::vector<const RunRow*>> joined;
        const auto join = [&](const RunRow* run) {
            const auto fits = [&](std::vector<const RunRow*> together) {
                together.push_back(run);
                return !settingsOf(together).missing && isOneCommand(together);
            };
            const auto at = std::ranges::find_if(joined, fits);
            if (at != joined.end())
                at->push_back(run);
            else
                joined.push_back({run});
        };
        for (const auto& request : requests)
            if (request.size() > 1 && isOneCommand(request))
                add(commandFor(*request.front(), settingsOf(request)));
            else
                std::ranges::for_each(request, join);
        for (const auto& request : joined)
            add(commandFor(*request.front(), settingsOf(request)));
    }
    return commands;
}

} // namespace ridge::record
