// SPDX-License-Identifier: GPL-3.0-or-later
#include "record/rerun.h"

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
        const Settings settings = settingsOf(group);
        if (settings.varied.size() <= 1)
            add(commandFor(*group.front(), settings));
        else
            for (const RunRow* run : group)
                add(commandFor(*run, settingsOf({run})));
    }
    return commands;
}

} // namespace ridge::record
