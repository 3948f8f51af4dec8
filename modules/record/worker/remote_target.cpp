// SPDX-License-Identifier: GPL-3.0-or-later
#include "record/worker/remote_target.h"

#include "base/json_read.h"
#include "base/protocol.h"
#include "base/target_kind.h"
#include "record/files/content_files.h"
#include "record/worker/shell_words.h"

#include <QLockFile>
#include <algorithm>

namespace ridge::record {
namespace {

constexpr const char* kCode = "bad-settings";
constexpr int kFormat = 1;
constexpr int kLockMs = 5000;

std::filesystem::path fileOf(const std::filesystem::path& home)
{
    return home / "targets.json";
}

const char* textOf(LauncherWords words)
{
    return words == LauncherWords::OneByOne ? "one by one" : words == LauncherWords::Joined ? "joined" : "unknown";
}

Json toJson(const RemoteTarget& target)
{
    Json json{{"name", target.name}, {"launcher", target.launcher}};
    if (!target.worker.empty())
        json["worker"] = target.worker;
    if (!target.spool.empty())
        json["spool"] = target.spool;
    if (target.words != LauncherWords::Unknown)
        json["words"] = textOf(target.words);
    if (!target.seen->is_null())
        json["seen"] = *target.seen;
    return json;
}

Result<RemoteTarget> targetFrom(const Json& json, const std::string& place)
{
    JsonReader in(json, place, kCode);
    RemoteTarget target;
    target.name = in.text("name");
    target.launcher = in.text("launcher");
    target.worker = in.text("worker", false);
    target.spool = in.text("spool", false);
    const std::string words = in.text("words", false);
    for (const auto known : {LauncherWords::OneByOne, LauncherWords::Joined})
        if (words == textOf(known))
            target.words = known;
    if (!words.empty() && words != textOf(target.words))
        in.fail("\"words\" is \"" + words + "\" and not one of \"one by one\", \"joined\"");
    if (const Json* seen = in.object("seen", false)) {
        JsonReader last(*seen, place + ".seen", kCode);
        last.text("when");
        if (const Json* list = last.array("targets"))
            for (const Json& row : *list) {
                JsonReader one(row, place + ".seen.targets", kCode);
                one.text("id");
                one.text("title");
                if (one.error())
                    return *one.error();
            }
        if (last.error())
            return *last.error();
        target.seen = *seen;
    }
    if (in.error())
        return *in.error();
    if (const auto good = checkTargetName(target.name); !good)
        return Error{kCode, good.error().message, place, good.error().fix};
    const auto split = splitShellWords(QString::fromStdString(target.launcher));
    if (!split || split->isEmpty())
        return Error{kCode, split ? "the launcher is empty" : split.error().message, place,
                     "take the target away and add it again: ridge target remove " + target.name};
    return target;
}

} // namespace

Result<void> checkTargetName(const std::string& name)
{
    const auto letter = [](char c) { return c >= 'a' && c <= 'z'; };
    const bool good =
        !name.empty() && name.size() <= 40 && letter(name.front()) &&
        std::ranges::all_of(name, [&](char c) { return letter(c) || (c >= '0' && c <= '9') || c == '-'; });
    if (!good)
        return Error{"bad-target-name",
                     "\"" + name + "\" cannot be the name of a target: small letters, digits and -, a letter first",
                     "target " + name, "choose a name like lab or gpu01"};
    if (findTargetKind(name) != nullptr)
        return Error{"bad-target-name", "\"" + name + "\" is a kind of target of this machine", "target " + name,
                     "choose another name, like lab"};
    return {};
}

Result<std::vector<RemoteTarget>> readRemoteTargets(const std::filesystem::path& home)
{
    const auto file = fileOf(home);
    std::error_code ignored;
    if (!std::filesystem::exists(file, ignored))
        return std::vector<RemoteTarget>{};
    const auto text = readFile(file);
    if (!text)
        return text.error();
    const auto json = parseJson(*text, file.string());
    const std::string mend = "mend the file, or take it away and add the targets again";
    if (!json)
        return Error{kCode, json.error().message, json.error().place, mend};
    JsonReader in(*json, file.string(), kCode);
    const auto format = in.integer("format");
    const Json* list = in.array("targets");
    if (!in.error() && format != kFormat)
        in.fail("format is " + std::to_string(format) + ", and this program knows format 1");
    if (in.error())
        return Error{kCode, in.error()->message, in.error()->place, mend};
    std::vector<RemoteTarget> targets;
    for (const Json& item : *list) {
        auto target = targetFrom(item, file.string() + ": targets[" + std::to_string(targets.size()) + "]");
        if (!target)
            return Error{kCode, target.error().message, target.error().place,
                         target.error().fix.empty() ? mend : target.error().fix};
        if (std::ranges::find(targets, target->name, &RemoteTarget::name) != targets.end())
            return Error{kCode, "the name " + target->name + " stands there twice", file.string(), mend};
        targets.push_back(std::move(*target));
    }
    return targets;
}

Result<void> changeRemoteTargets(const std::filesystem::path& home,
                                 const std::function<Result<void>(std::vector<RemoteTarget>&)>& change)
{
    if (const auto made = makeFolder(home); !made)
        return made.error();
    QLockFile lock(QString::fromStdString((home / "targets.json.lock").string()));
    if (!lock.tryLock(kLockMs))
        return Error{"cannot-write", "another program is changing the remote targets", fileOf(home).string(),
                     "try again in a moment"};
    auto targets = readRemoteTargets(home);
    if (!targets)
        return targets.error();
    if (const auto changed = change(*targets); !changed)
        return changed.error();
    Json json{{"format", kFormat}, {"targets", Json::array()}};
    for (const RemoteTarget& target : *targets)
        json["targets"].push_back(toJson(target));
    return writeDurably(fileOf(home), json.dump(2) + "\n");
}

std::vector<Json> offeredBy(const RemoteTarget& target)
{
    std::vector<Json> rows;
    if (target.seen->is_null())
        return rows;
    for (Json row : (*target.seen)["targets"]) {
        row["id"] = target.name + ':' + row.value("id", "");
        // The worker over there speaks of its own machine.
        constexpr std::string_view kOwn = " (this machine)";
        std::string title = row.value("title", "");
        if (title.ends_with(kOwn))
            title.resize(title.size() - kOwn.size());
        row["title"] = target.name + ": " + title;
        rows.push_back(std::move(row));
    }
    return rows;
}

Result<RemoteTarget> findRemoteTarget(const std::vector<RemoteTarget>& targets, const std::string& name)
{
    std::string known;
    for (const RemoteTarget& target : targets) {
        if (target.name == name)
            return target;
        known += (known.empty() ? "" : ", ") + target.name;
    }
    return Error{"unknown-target", "there is no remote target " + name, "target " + name,
                 known.empty() ? "add it: ridge target add " + name + " --launcher \"ssh HOST\""
                               : "the remote targets are " + known + "; ridge target add makes more"};
}

} // namespace ridge::record
