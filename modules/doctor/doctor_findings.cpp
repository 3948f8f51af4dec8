// SPDX-License-Identifier: GPL-3.0-or-later
#include "doctor/doctor_findings.h"

#include "base/hash.h"
#include "base/json.h"
#include "base/paths.h"
#include "base/target_kind.h"
#include "lessons/curriculum.h"
#include "record/backups.h"
#include "record/store.h"
#include "record/worker/worker_run.h"

#include <algorithm>
#include <unistd.h>

namespace ridge::doctor {
namespace {

Finding from(const std::string& part, const Error& error, Health health = Health::Broken)
{
    return {part, health, (error.place.empty() ? "" : error.place + ": ") + error.message, error.fix};
}

/// A file is made and taken away again: a mount or a quota refuses what permissions grant.
bool canBeWritten(const std::filesystem::path& folder)
{
    const auto probe = folder / (".ridge-" + newUuid7());
    if (!writeFile(probe, ""))
        return false;
    std::error_code ec;
    return std::filesystem::remove(probe, ec) && !ec;
}

/// Nothing where the record cannot be read: that is said elsewhere.
std::vector<Finding> checkBackups()
{
    constexpr qint64 kDay = 24 * 3600;
    const auto home = homeFolder();
    std::error_code ec;
    if (!std::filesystem::is_regular_file(home / record::kDatabaseName, ec))
        return {};
    const auto held = record::holdingOf(home / record::kDatabaseName);
    if (!held || held->rows == 0)
        return {};
    const QDateTime now = QDateTime::currentDateTimeUtc();
    const auto all = record::listBackups(home);
    const auto ahead = std::ranges::count_if(all, [&](const auto& backup) { return backup.time > now; });
    const auto best = record::bestBackup(home);
    const qint64 lacks = held->rows - (best ? std::min(best->holds.rows, held->rows) : 0);
    std::vector<Finding> findings;
    if (ahead > 0)
        findings.push_back({"backups", Health::Warning,
                            std::to_string(ahead) + (ahead == 1 ? " backup is" : " backups are") +
                                " dated in the future: the clock was ahead then, or it is behind now",
                            "set the clock; backups go on all the same, and are told apart by what they hold"});
    const auto newestRow = QDateTime::fromString(held->newestAt, Qt::ISODateWithMs);
    const bool noneForLong = best ? lacks > 0 && best->file.time.secsTo(now) > 7 * kDay
                                  : newestRow.isValid() && newestRow.secsTo(now) > kDay;
    if (noneForLong)
        findings.push_back({"backups", Health::Warning,
                            best ? "the best is of " + best->file.time.date().toString(Qt::ISODate).toStdString() +
                                       " and lacks " + std::to_string(lacks) + " of " + std::to_string(held->rows) +
                                       " rows"
                                 : "there is none of " + std::to_string(held->rows) + " rows",
                            "ridge store backup"});
    if (findings.empty())
        findings.push_back(
            {"backups", Health::Good,
             std::to_string(all.size()) + (best ? ", the best holds " + std::to_string(best->holds.rows) + " of " +
                                                      std::to_string(held->rows) + " rows"
                                                : std::string(": one is made at the next start")),
             ""});
    return findings;
}

Finding checkHome()
{
    const auto home = homeFolder();
    std::error_code ec;
    if (!std::filesystem::exists(home / "ridgepoint.db", ec)) {
        // A folder that is not there yet is fine as long as it can be made.
        auto existing = home;
        while (!std::filesystem::exists(existing, ec) && existing.has_relative_path())
            existing = existing.parent_path();
        if (!canBeWritten(existing))
            return {"store", Health::Broken, existing.string() + " is not writable",
                    "point RIDGE_HOME at a folder where you may write"};
        return {"store", Health::Good, home.string() + " (made at first use)", ""};
    }
    const auto store = record::Store::openReadOnly(home);
    if (!store)
        return from("store", store.error());
    if (const auto verified = (*store)->verify(); !verified)
        return from("store", verified.error());
    if (!canBeWritten(home) || ::access((home / record::kDatabaseName).c_str(), W_OK) != 0)
        return {"store", Health::Broken, home.string() + " can be read, but not written: nothing that you do is kept",
                "make the folder and what is in it writable for you, or point RIDGE_HOME at another folder"};
    return {"store", Health::Good, home.string() + ", integrity ok", ""};
}

Finding checkLessons()
{
    const auto data = dataFolder();
    if (!data)
        return from("lessons", data.error());
    const auto loaded = lessons::loadCurriculum(*data / "curriculum");
    if (!loaded.problems.empty()) {
        const lessons::Problem& first = loaded.problems.front();
        return {"lessons", Health::Broken, first.at.file + ":" + std::to_string(first.at.line) + ": " + first.message,
                "see ridge lint"};
    }
    return {"lessons", Health::Good, std::to_string(loaded.curriculum.heads.size()) + " in " + data->string(), ""};
}

Finding counterFinding(const std::string& target, const std::string& counters, const std::string& fix)
{
    const char* said = counters == "allowed" ? "the driver lets this user read them"
                       : counters == "forbidden"
                           ? "the driver keeps them for administrators"
                           : "the driver does not say who may read them; a run with counters shows";
    return {"counters " + target, counters == "forbidden" ? Health::Missing : Health::Good, said, fix};
}

std::vector<Finding> checkWorker()
{
    const auto document = record::queryWorker({record::defaultWorkerProgram(), {}}, QStringLiteral("targets"));
    if (!document)
        return {from("worker", document.error())};
    std::vector<Finding> findings = {
        {"worker", Health::Good, record::defaultWorkerProgram().toStdString() + " answers", ""}};
    std::map<const TargetKind*, int> shipped; ///< those that are counted and not listed one by one
    for (const Json& target : document->at("targets")) {
        const std::string id = target.value("id", "");
        const bool there = target.value("available", false);
        const TargetKind* kind = kindOf(id);
        if (there && kind != nullptr && kind->isShipped()) {
            ++shipped[kind];
            continue;
        }
        findings.push_back({"target " + id, there ? Health::Good : Health::Missing,
                            there ? target.value("title", "") : target.value("reason", ""), target.value("fix", "")});
        if (const auto gpu = target.find("gpu"); gpu != target.end() && gpu->is_object())
            if (const std::string counters = gpu->value("counters", ""); !counters.empty())
                findings.push_back(counterFinding(id, counters, gpu->value("counters_fix", "")));
    }
    for (const TargetKind& kind : targetKinds())
        if (kind.isShipped())
            findings.push_back(
                {"targets " + std::string(kind.id) + ":*", shipped[&kind] > 0 ? Health::Good : Health::Broken,
                 std::to_string(shipped[&kind]) + " " + std::string(shipped[&kind] == 1 ? kind.title : kind.plural),
                 ""});
    bool compiler = false;
    for (const Json& item : document->at("compilers")) {
        const bool there = item.value("available", false);
        compiler = compiler || there;
        findings.push_back({"compiler " + item.value("id", ""), there ? Health::Good : Health::Missing,
                            item.value("version", "") + " " + item.value("detail", ""), ""});
    }
    if (!compiler)
        findings.push_back({"compilers", Health::Broken, "none, and no shipped PTX", "run ./run.sh again"});
    return findings;
}

/// NVIDIA's libraries, which nothing needs. One that brings the worker down when it is loaded says so here alone.
std::vector<Finding> checkVendorLibraries()
{
    const auto document = record::queryWorker({record::defaultWorkerProgram(), {}}, QStringLiteral("libraries"));
    if (!document)
        return {{"libraries", Health::Missing, toText(document.error()), ""}};
    std::vector<Finding> findings;
    for (const Json& library : document->at("libraries")) {
        const bool there = library.value("available", false);
        findings.push_back({"library " + library.value("id", ""), there ? Health::Good : Health::Missing,
                            library.value("title", "") + " " +
                                (there ? library.value("version", "") + ", " + library.value("path", "")
                                       : library.value("reason", "")),
                            library.value("fix", "")});
    }
    return findings;
}

/// A cell of a Markdown table.
std::string cell(const std::string& text)
{
    std::string safe;
    for (const char letter : text)
        safe += letter == '|' ? "\\|" : letter == '\n' ? " " : std::string(1, letter);
    return safe;
}

} // namespace

std::string_view toText(Health health)
{
    switch (health) {
    case Health::Good:
        return "ok";
    case Health::Warning:
        return "warning";
    case Health::Missing:
        return "absent";
    case Health::Broken:
        return "broken";
    }
    return "";
}

std::vector<Finding> examine()
{
    std::vector<Finding> findings = {checkHome()};
    for (Finding& finding : checkBackups())
        findings.push_back(std::move(finding));
    findings.push_back(checkLessons());
    for (auto* check : {checkWorker, checkVendorLibraries})
        for (Finding& finding : check())
            findings.push_back(std::move(finding));
    return findings;
}

bool allWorks(std::span<const Finding> findings)
{
    return std::none_of(findings.begin(), findings.end(),
                        [](const Finding& finding) { return finding.health == Health::Broken; });
}

Json toJson(std::span<const Finding> findings)
{
    Json list = Json::array();
    for (const Finding& finding : findings)
        list.push_back(Json{{"part", finding.part},
                            {"health", toText(finding.health)},
                            {"detail", finding.detail},
                            {"fix", finding.fix}});
    return Json{{"findings", list}, {"ok", allWorks(findings)}};
}

std::string reportText(std::span<const Finding> findings)
{
    std::string report = "| Part | State | Detail | Fix |\n|---|---|---|---|\n";
    for (const Finding& finding : findings)
        report += "| " + cell(finding.part) + " | " + std::string(toText(finding.health)) + " | " +
                  cell(finding.detail) + " | " + cell(finding.fix) + " |\n";
    return report;
}

} // namespace ridge::doctor
