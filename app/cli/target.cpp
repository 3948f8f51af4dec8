// SPDX-License-Identifier: GPL-3.0-or-later
// `ridge target`: machines that are reached through a launcher.
#include "cli/commands.h"

#include "base/json.h"
#include "base/paths.h"
#include "record/worker/remote_setup.h"
#include "record/worker/shell_words.h"

#include <algorithm>
#include <cstdio>

namespace ridge::cli {
namespace {

using record::RemoteSetup;
using record::RemoteTarget;

Result<RemoteSetup::Outcome> reach(const RemoteTarget& target, double seconds)
{
    record::WorkerOptions worker{record::defaultWorkerProgram(), {}};
    if (seconds > 0)
        worker.times.connect = seconds;
    return record::setUpRemote(worker, target, [](const QString& line) {
        if (isTerminal(2))
            std::fprintf(stderr, "ridge: %s …\n", line.toUtf8().constData());
    });
}

Result<void> keep(const RemoteTarget& target)
{
    return record::changeRemoteTargets(homeFolder(), [&](std::vector<RemoteTarget>& targets) -> Result<void> {
        const auto same = std::ranges::find(targets, target.name, &RemoteTarget::name);
        if (same == targets.end())
            targets.push_back(target);
        else
            *same = target;
        return {};
    });
}

Json toJson(const RemoteSetup::Outcome& outcome)
{
    return Json{{"name", outcome.target.name},
                {"launcher", outcome.target.launcher},
                {"system", outcome.system},
                {"worker", Json{{"program", outcome.worker.program},
                                {"protocol", outcome.worker.protocol},
                                {"digest", outcome.worker.digest},
                                {"copied", outcome.copied}}},
                {"targets", record::offeredBy(outcome.target)}};
}

void print(const RemoteSetup::Outcome& outcome)
{
    std::printf("%s answers: %s, ridge-worker %s %s\n\n", outcome.target.name.c_str(), outcome.system.c_str(),
                outcome.worker.program.c_str(),
                outcome.copied                  ? "copied there just now"
                : outcome.target.worker.empty() ? "there already"
                                                : ("at " + outcome.target.worker).c_str());
    std::vector<std::vector<std::string>> rows;
    int simulated = 0;
    for (const Json& row : record::offeredBy(outcome.target)) {
        const bool available = row.value("available", false);
        if (row.value("provenance", "") == toText(Provenance::Measured))
            rows.push_back({row.value("id", ""), available ? "yes" : "no",
                            available ? row.value("title", "") : row.value("reason", "")});
        else
            simulated += row.value("provenance", "") == toText(Provenance::Simulated) ? 1 : 0;
    }
    std::printf("%s\nIt simulates %d chips, as this machine does: %s:sim:h100-sxm\n",
                table({"TARGET", "READY", "WHAT IT IS"}, rows).c_str(), simulated, outcome.target.name.c_str());
}

int reachAndKeep(const RemoteTarget& target, const TargetOptions& options)
{
    const auto outcome = reach(target, options.seconds);
    if (!outcome)
        return report(outcome.error());
    if (const auto kept = keep(outcome->target); !kept)
        return report(kept.error());
    if (options.json)
        printJson(toJson(*outcome));
    else
        print(*outcome);
    return Done;
}

int add(const TargetOptions& options)
{
    if (const auto good = record::checkTargetName(options.name); !good)
        return report(good.error());
    const auto words = record::splitShellWords(QString::fromStdString(options.launcher));
    if (!words)
        return report(words.error());
    if (words->isEmpty())
        return report({"bad-launcher", "the launcher is empty", "--launcher", "give one: --launcher \"ssh HOST\""});
    const auto known = record::readRemoteTargets(homeFolder());
    if (!known)
        return report(known.error());
    if (const auto same = std::ranges::find(*known, options.name, &RemoteTarget::name); same != known->end())
        return report({"bad-argument", "there is a remote target " + same->name + " already: " + same->launcher,
                       "target " + same->name, "take it away first: ridge target remove " + same->name});
    RemoteTarget target;
    target.name = options.name;
    target.launcher = options.launcher;
    target.worker = options.worker;
    target.spool = options.spool;
    if (!options.noCheck)
        return reachAndKeep(target, options);
    if (const auto kept = keep(target); !kept)
        return report(kept.error());
    std::printf("%s is kept and was not asked; ridge target check %s does that\n", target.name.c_str(),
                target.name.c_str());
    return Done;
}

int list(bool json)
{
    const auto targets = record::readRemoteTargets(homeFolder());
    if (!targets)
        return report(targets.error());
    Json document{{"targets", Json::array()}};
    std::vector<std::vector<std::string>> rows;
    for (const RemoteTarget& target : *targets) {
        const bool asked = !target.seen->is_null();
        const std::string when = asked ? (*target.seen).value("when", "") : "";
        document["targets"].push_back(Json{{"name", target.name},
                                           {"launcher", target.launcher},
                                           {"asked", asked ? Json(when) : Json(nullptr)},
                                           {"targets", record::offeredBy(target)}});
        std::string ready;
        for (const Json& row : record::offeredBy(target))
            if (row.value("available", false) && row.value("provenance", "") == toText(Provenance::Measured))
                ready += (ready.empty() ? "" : ", ") + row.value("id", "");
        rows.push_back({target.name, target.launcher, asked ? when : "not asked yet", ready});
    }
    if (json)
        printJson(document);
    else if (rows.empty())
        std::printf("There are no remote targets. ridge target add NAME --launcher \"ssh HOST\" makes one.\n");
    else
        std::printf("%s", table({"NAME", "LAUNCHER", "ASKED LAST", "MEASURES ON"}, rows).c_str());
    return Done;
}

} // namespace

int targetCommand(const std::string& verb, const TargetOptions& options)
{
    if (verb == "add")
        return add(options);
    if (verb == "list")
        return list(options.json);
    const auto targets = record::readRemoteTargets(homeFolder());
    if (!targets)
        return report(targets.error());
    const auto found = record::findRemoteTarget(*targets, options.name);
    if (!found)
        return report(found.error());
    if (verb == "check")
        return reachAndKeep(*found, options);
    const auto removed = record::changeRemoteTargets(homeFolder(), [&](std::vector<RemoteTarget>& all) -> Result<void> {
        std::erase_if(all, [&](const RemoteTarget& each) { return each.name == options.name; });
        return {};
    });
    return removed ? Done : report(removed.error());
}

} // namespace ridge::cli
