// SPDX-License-Identifier: GPL-3.0-or-later
// `ridge data show`, `export` and `delete`: what is kept about the person at this computer.
#include "cli/commands.h"

#include "base/json.h"
#include "base/paths.h"
#include "base/units.h"
#include "privacy/data_export.h"
#include "privacy/erase.h"

#include <cstdio>

namespace ridge::cli {
namespace {

using namespace personal;

std::string size(std::uintmax_t bytes)
{
    return formatQuantity(double(bytes), "B");
}

Json toJson(const Inventory& all)
{
    Json parts = Json::array(), stays = Json::array(), rows = Json::object();
    for (const Part& part : all.parts) {
        Json paths = Json::array();
        for (const std::filesystem::path& path : part.paths)
            paths.push_back(path.string());
        parts.push_back(
            {{"key", part.key}, {"title", part.title}, {"files", part.files}, {"bytes", part.bytes}, {"paths", paths}});
    }
    for (const Staying& one : all.stays)
        stays.push_back({{"what", one.what}, {"why", one.why}});
    for (const auto& [kind, count] : all.rows)
        rows[kind] = count;
    return {{"parts", parts}, {"rows", rows}, {"stays", stays}};
}

void print(const Inventory& all)
{
    std::vector<std::vector<std::string>> rows;
    for (const Part& part : all.parts)
        for (const std::filesystem::path& path : part.paths) {
            const bool first = &path == &part.paths.front();
            rows.push_back({first ? part.title : "", first ? std::to_string(part.files) : "",
                            first ? size(part.bytes) : "", plain(path.string())});
        }
    std::printf("%s", table({"WHAT", "FILES", "SIZE", "WHERE"}, rows).c_str());
    if (!all.rows.empty())
        std::printf("rows of the record: %s\n", rowsText(all.rows).c_str());
}

void printStaying(const Inventory& all)
{
    for (const Staying& one : all.stays)
        std::printf("stays  %s: %s\n", plain(one.what).c_str(), plain(one.why).c_str());
}

} // namespace

int finishDeleting()
{
    if (!erasureOrdered(homeFolder()))
        return Done;
    const auto gone = finishErasure(placesHere());
    if (!gone)
        return report(gone.error());
    std::fprintf(stderr, "ridge: finished deleting what was to be deleted: %s\n",
                 counted(std::size_t(gone->files), "file", "files").c_str());
    return Done;
}

int dataShowCommand(bool json)
{
    const Inventory all = inventory(placesHere());
    if (json) {
        printJson(toJson(all));
        return Done;
    }
    if (all.parts.empty())
        std::printf("Nothing is kept about you.\n");
    else
        print(all);
    return Done;
}

int dataExportCommand(const std::string& folder, bool json)
{
    const auto done = exportData(placesHere(), folder, RIDGE_VERSION);
    if (!done)
        return report(done.error());
    if (json) {
        printJson(Json{{"folder", folder}, {"files", done->files}, {"bytes", done->bytes}, {"notices", done->notices}});
        return Done;
    }
    for (const std::string& notice : done->notices)
        std::printf("%s\n", plain(notice).c_str());
    std::printf("%s, %s in %s; begin with README.txt. It holds your key: keep it to yourself\n",
                counted(std::size_t(done->files), "file", "files").c_str(), size(done->bytes).c_str(), folder.c_str());
    return Done;
}

int dataDeleteCommand(bool yes, bool json)
{
    const Places places = placesHere();
    const Inventory all = inventory(places);
    if (!yes) {
        if (json) {
            printJson(toJson(all));
            return Done;
        }
        if (all.parts.empty()) {
            std::printf("Nothing is kept about you.\n");
            return Done;
        }
        print(all);
        printStaying(all);
        std::printf("\nNothing was deleted. Keep a copy: ridge data export DIR\n"
                    "Then: ridge data delete --yes\n"
                    "All %s, %s go for good; nobody can bring them back. A record goes as a whole: each row holds the "
                    "digest of the one before, so that single rows cannot be taken out.\n",
                    counted(std::size_t(all.files()), "file", "files").c_str(), size(all.bytes()).c_str());
        return Done;
    }
    if (all.parts.empty()) {
        std::printf("Nothing is kept about you.\n");
        return Done;
    }
    const auto gone = eraseNow(places);
    if (!gone)
        return report(gone.error());
    if (json)
        printJson(Json{{"files", gone->files}, {"bytes", gone->bytes}, {"stays", toJson(all)["stays"]}});
    else {
        std::printf("deleted %s, %s\n", counted(std::size_t(gone->files), "file", "files").c_str(),
                    size(gone->bytes).c_str());
        printStaying(all);
    }
    return Done;
}

} // namespace ridge::cli
