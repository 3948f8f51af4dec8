// SPDX-License-Identifier: GPL-3.0-or-later
// `ridge store check`, `backup`, `merge` and `restore`.
#include "cli/commands.h"

#include "base/json.h"
#include "base/paths.h"
#include "base/units.h"
#include "record/backups.h"
#include "record/store.h"

#include <cstdio>

namespace ridge::cli {
namespace {

Json errorJson(const Error& error)
{
    return Json{{"code", error.code}, {"message", error.message}, {"place", error.place}, {"fix", error.fix}};
}

void print(const Json& document)
{
    printJson(document);
}

/// What was added, by kind.
std::vector<std::pair<std::string, int>> addedBy(const record::MergeReport& report)
{
    return {{"runs", report.runs},         {"predictions", report.predictions}, {"reasons", report.reasons},
            {"answers", report.answers},   {"artifacts", report.artifacts},     {"notes", report.notes},
            {"tags", report.tags},         {"journal", report.journal},         {"reproductions", report.reproductions},
            {"outcomes", report.outcomes}, {"reviews", report.reviews},         {"files", report.files}};
}

void print(const record::StoreAudit& audit)
{
    std::vector<std::vector<std::string>> rows;
    for (const auto& [kind, count] : audit.rows)
        rows.push_back({kind, std::to_string(count)});
    std::printf("%s\n%s\n  format %d; rows of %d %s; database %s, %d files of %s, %d backups\n", homeFolder().c_str(),
                table({"KIND", "ROWS"}, rows).c_str(), audit.schema, audit.origins,
                audit.origins == 1 ? "store" : "stores", formatQuantity(double(audit.databaseBytes), "B").c_str(),
                audit.files, formatQuantity(double(audit.fileBytes), "B").c_str(), audit.backups);
    if (audit.unknownFiles > 0)
        std::printf("  %d files that no row names: left by a program that was stopped while it wrote; harmless\n",
                    audit.unknownFiles);
    if (audit.faults.empty())
        std::printf("  integrity, references, digests, chain and files: sound\n");
}

} // namespace

int storeCheckCommand(bool json)
{
    const auto store = record::Store::openReadOnly(homeFolder());
    if (!store)
        return report(store.error());
    const auto audit = (*store)->audit();
    if (!audit)
        return report(audit.error());
    if (json) {
        Json document{{"folder", homeFolder().string()},
                      {"format", audit->schema},
                      {"origins", audit->origins},
                      {"rows", audit->rows},
                      {"files", audit->files},
                      {"file_bytes", audit->fileBytes},
                      {"unknown_files", audit->unknownFiles},
                      {"database_bytes", audit->databaseBytes},
                      {"backups", audit->backups},
                      {"sound", audit->faults.empty()},
                      {"faults", Json::array()}};
        for (const Error& fault : audit->faults)
            document["faults"].push_back(errorJson(fault));
        print(document);
    } else {
        print(*audit);
    }
    for (const Error& fault : audit->faults)
        report(fault);
    return audit->faults.empty() ? Done : StoreTrouble;
}

int storeBackupCommand(bool json)
{
    const auto store = record::Store::open(homeFolder());
    if (!store)
        return report(store.error());
    const auto file = (*store)->backup("by hand");
    if (!file)
        return report(file.error());
    std::error_code code;
    const auto bytes = std::filesystem::file_size(*file, code);
    if (json)
        print(Json{{"file", file->string()}, {"bytes", code ? Json() : Json(bytes)}});
    else
        std::printf("%s\nIt holds every row; the files beside it (%s) are not copied.\n", file->c_str(),
                    (homeFolder() / "files").c_str());
    return Done;
}

int storeRestoreCommand(const std::string& backup, bool json)
{
    std::filesystem::path chosen = backup;
    if (backup.empty()) {
        const auto newest = record::newestGoodBackup(homeFolder());
        if (!newest)
            return report({"bad-backup", "there is no backup that can be used",
                           (homeFolder() / record::kBackupFolder).string(),
                           "name the file of a backup, or merge another computer's store"});
        chosen = *newest;
    }
    const auto aside = record::Store::restoreBackup(homeFolder(), chosen);
    if (!aside)
        return report(aside.error());
    if (json)
        print(Json{{"backup", chosen.string()}, {"moved_to", aside->string()}});
    else
        std::printf("%s is in place; the database before it lies in %s\n", chosen.c_str(), aside->c_str());
    return Done;
}

int mergeCommand(const std::string& folder, bool json)
{
    const auto store = record::Store::open(homeFolder());
    if (!store)
        return report(store.error());
    const auto merged = (*store)->mergeFrom(folder);
    if (!merged)
        return report(merged.error());
    Json added = Json::object();
    std::string text;
    for (const auto& [kind, count] : addedBy(*merged)) {
        added[kind] = count;
        if (count > 0)
            text += (text.empty() ? "added " : ", ") + std::to_string(count) + " " + kind;
    }
    if (json)
        print(Json{{"folder", folder}, {"added", added}, {"already", merged->already}});
    else
        std::printf("%s; %d rows were here already\n", text.empty() ? "added nothing" : text.c_str(), merged->already);
    return Done;
}

} // namespace ridge::cli
