// SPDX-License-Identifier: GPL-3.0-or-later
#include "privacy/places.h"

#include "base/json.h"
#include "base/paths.h"
#include "record/backups.h"
#include "record/erase_record.h"
#include "record/row_codec.h"
#include "record/sqlite.h"
#include "record/worker/remote_target.h"

#include <QSettings>
#include <QStandardPaths>
#include <algorithm>
#include <numeric>

namespace ridge::personal {

namespace fs = std::filesystem;

namespace {

/// What stands in the home folder and belongs to somebody else, or to nothing that is kept.
constexpr const char* kClasses = "classes";
constexpr const char* kPassing[] = {"ridgepoint.lock", "erasing"};

void measure(Part& part, const fs::path& path)
{
    std::error_code ec;
    if (!fs::exists(fs::symlink_status(path, ec)))
        return;
    part.paths.push_back(path);
    const auto count = [&](const fs::path& file) {
        ++part.files;
        std::error_code unknown;
        const std::uintmax_t size = fs::file_size(file, unknown);
        part.bytes += unknown ? 0 : size;
    };
    if (fs::is_symlink(path, ec) || !fs::is_directory(path, ec))
        return count(path);
    for (fs::recursive_directory_iterator at(path, ec), end; !ec && at != end; at.increment(ec))
        if (std::error_code unknown; !at->is_directory(unknown) || at->is_symlink(unknown))
            count(at->path());
}

void add(Inventory& all, Part part, const std::vector<fs::path>& paths)
{
    for (const fs::path& path : paths)
        measure(part, path);
    if (!part.paths.empty())
        all.parts.push_back(std::move(part));
}

std::map<std::string, int> rowsOf(const fs::path& home)
{
    std::map<std::string, int> rows;
    std::error_code ec;
    if (!fs::exists(home / record::kDatabaseName, ec))
        return rows;
    auto connection = record::Connection::open(home / record::kDatabaseName, record::Connection::Mode::ReadOnly);
    if (!connection)
        return rows;
    for (const QString& kind : record::rowKinds())
        if (auto count = (*connection)->value(QStringLiteral("SELECT COUNT(*) FROM ") + kind); count)
            if (count->toInt() > 0)
                rows[kind.toStdString()] = count->toInt();
    return rows;
}

void addStaying(Inventory& all, const Places& places, const std::vector<fs::path>& ours)
{
    std::error_code ec;
    std::vector<std::string> others;
    for (const auto& entry : fs::directory_iterator(places.home, ec)) {
        const std::string name = entry.path().filename().string();
        if (name == kClasses) {
            all.stays.push_back({entry.path().string(),
                                 "Classes that you teach: the work of other people, and keys that nobody can make "
                                 "again. Take one person out with ridge class forget, or remove the folder"});
        } else if (std::ranges::find(kPassing, name) == std::end(kPassing) &&
                   std::ranges::find(ours, entry.path()) == ours.end() && entry.path() != places.settings.parent_path())
            others.push_back(name);
    }
    std::sort(others.begin(), others.end());
    for (const std::string& name : others)
        all.stays.push_back({(places.home / name).string(), "Not made by Ridgepoint"});
    // What a link leads to may hold more than what Ridgepoint put there.
    for (const fs::path& path : ours)
        if (fs::is_symlink(path, ec))
            all.stays.push_back({fs::weakly_canonical(path, ec).string(),
                                 path.string() + " is a link to it; the link is deleted, what it leads to is not"});
    if (const auto remotes = record::readRemoteTargets(places.home); remotes)
        for (const record::RemoteTarget& target : *remotes)
            all.stays.push_back({"What runs left on the machine '" + target.name + "'",
                                 "It is another computer; look into .cache/ridgepoint there"});
    all.stays.push_back({"Portfolios, exports and submissions that you saved or handed in",
                         "They lie where you put them, and with whom you gave them to"});
}

} // namespace

Places placesHere()
{
    Places places{homeFolder(), cacheFolder(), {}, {}};
    // As the window keeps it (app/window/settings.cpp), also where no window was made.
    const QSettings settings(QSettings::IniFormat, QSettings::UserScope, QStringLiteral("ridgepoint"),
                             QStringLiteral("ridgepoint"));
    places.settings = qEnvironmentVariableIsSet("RIDGE_HOME") ? places.home / "ridgepoint" / "ridgepoint.ini"
                                                              : fs::path(settings.fileName().toStdString());
    places.preview =
        fs::path(QStandardPaths::writableLocation(QStandardPaths::TempLocation).toStdString()) / "ridgepoint-preview";
    return places;
}

int Inventory::files() const
{
    return std::accumulate(parts.begin(), parts.end(), 0, [](int sum, const Part& part) { return sum + part.files; });
}

std::uintmax_t Inventory::bytes() const
{
    return std::accumulate(parts.begin(), parts.end(), std::uintmax_t(0),
                           [](std::uintmax_t sum, const Part& part) { return sum + part.bytes; });
}

std::string rowsText(const std::map<std::string, int>& rows)
{
    std::string text;
    for (const QString& name : record::rowKinds()) {
        const std::string kind = name.toStdString();
        const auto found = rows.find(kind);
        if (found == rows.end())
            continue;
        text += (text.empty() ? "" : ", ") + std::to_string(found->second) + " " +
                (kind == "journal" ? (found->second == 1 ? "journal entry" : "journal entries")
                                   : kind + (found->second == 1 ? "" : "s"));
    }
    return text;
}

Inventory inventory(const Places& places)
{
    const fs::path& home = places.home;
    const record::StorePaths store = record::storePaths(home);
    const auto withLogs = [](const fs::path& file) {
        std::vector<fs::path> all{file};
        for (const char* suffix : {"-wal", "-shm", "-journal"})
            all.push_back(file.string() + suffix);
        return all;
    };
    Inventory all;
    all.rows = rowsOf(home);
    add(all,
        {"record", "Your record",
         "Predictions, runs, answers, reasons, artifacts, notes, tags and journal, with the files they name"},
        store.record);
    add(all, {"earlier", "Backups", "Copies of the record from earlier, and databases that were damaged"},
        store.earlier);
    add(all, {"drafts", "Drafts", "What you were still typing"}, {home / "drafts"});
    add(all, {"keys", "Your key", "The key by which teachers know your pseudonym; nobody can make it again"},
        {home / "keys"});
    add(all, {"assignments", "Assignments", "Files of the assignments that you accepted"}, {home / "assignments"});
    add(all, {"machines", "Machines", "Names and addresses of the machines that you reach through ssh or Slurm"},
        {home / "targets.json", home / "targets.json.lock"});
    add(all,
        {"settings", "Preferences", "Window, theme, shortcuts, lessons you opened last, what you said of yourself"},
        {places.settings});
    add(all, {"reports", "Reports", "The page that is open, and what was open when the program ended unexpectedly"},
        {home / "session", home / "reports"});
    add(all, {"search", "Search index", "Words of your record, made again from it"}, withLogs(home / "search.db"));
    add(all, {"cache", "Compiled kernels and runs on their way", "Your kernels as PTX, and runs of other machines"},
        {places.cache / "ptx", places.cache / "runs"});
    add(all, {"preview", "Previews", "Portfolios that you looked at before exporting"}, {places.preview});
    std::vector<fs::path> ours;
    for (const Part& part : all.parts)
        ours.insert(ours.end(), part.paths.begin(), part.paths.end());
    addStaying(all, places, ours);
    return all;
}

} // namespace ridge::personal
