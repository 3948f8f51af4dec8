// SPDX-License-Identifier: GPL-3.0-or-later
// `ridge store check`, `backup`, `merge` and `restore`.
#include "cli/commands.h"

#include "base/json.h"
#include "base/paths.h"
#include "base/units.h"
#include "record/backups.h"
#include "record/restore.h"
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

/// Says which files did not come along. False: all did.
bool reportLost(const record::MergeReport& merged)
{
    if (merged.misnamedFiles > 0)
        std::fprintf(stderr, "Left out: file rows of that store that are no SHA-256 and that no row names: %d\n",
                     merged.misnamedFiles);
    if (merged.lost.empty())
        return merged.misnamedFiles > 0;
    std::size_t rows = 0;
    for (const record::LostFile& file : merged.lost)
        rows += file.rows.size();
    std::fprintf(
        stderr,
        "Files that neither store has: %zu; rows that name them: %zu. The rows were taken, the files are noted "
        "as lost. Merge a store that has them to fill them in:\n",
        merged.lost.size(), rows);
    for (const record::LostFile& file : merged.lost)
        std::fprintf(stderr, "  %s\n", textOf(file).c_str());
    return true;
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
    if (audit.lostFiles > 0)
        std::printf("  %d %s noted as lost: the rows that name them are whole, their files are not there\n",
                    audit.lostFiles, audit.lostFiles == 1 ? "file is" : "files are");
    if (audit.unknownFiles > 0)
        std::printf("  %d files that no row names: left by a program that was stopped while it wrote; harmless\n",
                    audit.unknownFiles);
    if (audit.faults.empty())
        std::printf("  integrity, references, digests, chain and files: sound\n");
}

} // namespace

int storeCheckCommand(bool json, bool mend)
{
    if (mend) {
        const auto writable = record::Store::open(homeFolder());
        if (!writable)
            return report(writable.error());
        const auto noted = (*writable)->noteLostFiles();
        if (!noted)
            return report(noted.error());
        for (const record::LostFile& file : *noted)
            std::fprintf(stderr, "noted as lost: %s\n", textOf(file).c_str());
    }
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
                      {"lost_files", audit->lostFiles},
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
    std::filesystem::path named = backup;
    std::error_code code;
    // A backup may be named without its folder.
    if (!backup.empty() && !std::filesystem::exists(named, code))
        if (auto among = homeFolder() / record::kBackupFolder / backup; std::filesystem::exists(among, code))
            named = std::move(among);
    const auto done = record::restoreRecord(homeFolder(), named);
    if (!done)
        return report(done.error());
    const std::string newest = done->holds.newestAt.toStdString();
    if (json) {
        Json lacks;
        if (done->lacks)
            lacks = Json{{"rows", done->lacks->total},
                         {"by_kind", done->lacks->byKind},
                         {"newest_row_at", done->lacks->newestAt.toStdString()}};
        print(Json{{"backup", done->backup.string()},
                   {"rows", done->holds.rows},
                   {"newest_row_at", newest},
                   {"moved_to", done->aside.string()},
                   {"lacks", lacks}});
        return Done;
    }
    std::printf("%s is in place: %lld %s%s\nThe database before it lies in %s\n", done->backup.c_str(),
                static_cast<long long>(done->holds.rows), done->holds.rows == 1 ? "row" : "rows",
                newest.empty() ? "" : (", the newest of " + newest).c_str(), done->aside.c_str());
    if (!done->lacks)
        std::printf("What that database had cannot be told: it cannot be read.\n");
    else if (done->lacks->total > 0)
        std::printf("It has %s that this backup lacks. To add those that can still be read: ridge merge %s\n",
                    textOf(*done->lacks).c_str(), done->aside.c_str());
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
    Json lost = Json::array();
    for (const record::LostFile& file : merged->lost)
        lost.push_back({{"file", file.name}, {"fault", errorJson(file.fault)}, {"rows", file.rows}});
    if (json) {
        print(Json{{"folder", folder},
                   {"added", added},
                   {"already", merged->already},
                   {"lost_files", lost},
                   {"misnamed_files", merged->misnamedFiles}});
    } else {
        std::printf("%s; %d rows were here already\n", text.empty() ? "added nothing" : text.c_str(), merged->already);
    }
    return reportLost(*merged) ? Failed : Done;
}

} // namespace ridge::cli
