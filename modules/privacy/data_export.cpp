// SPDX-License-Identifier: GPL-3.0-or-later
#include "privacy/data_export.h"

#include "base/csv.h"
#include "base/hash.h"
#include "base/json.h"
#include "record/artifact_export.h"
#include "record/backups.h"
#include "record/clock.h"
#include "record/files/content_files.h"
#include "record/snapshot.h"

#include <QSqlError>
#include <QSqlRecord>
#include <algorithm>

namespace ridge::personal {

namespace fs = std::filesystem;

namespace {

constexpr const char* kReadme =
    "Everything that Ridgepoint keeps about you on this computer.\n"
    "\n"
    "artifacts/    what you shipped, each a folder with a README to read, its code and its figures\n"
    "tables/       every row of your record as CSV, one file a table: predictions, runs, reasons, answers, artifacts,\n"
    "              notes, tags, journal and what links them. schema.json names each column and its type. A column "
    "that\n"
    "              holds JSON is a text. \"removed\" rows are what you took away, and older versions are there as "
    "well:\n"
    "              nothing in a record is ever changed\n"
    "record/       the same as a store of Ridgepoint's. Take it up again on any computer:\n"
    "                  ridge merge THIS-FOLDER/record\n"
    "drafts/       what you were still typing\n"
    "keys/         the key that makes your pseudonym. Keep it to yourself: who has it can hand in as you. Put it into\n"
    "              the folder keys/ of a new home to stay the same learner\n"
    "assignments/  files of the assignments that you accepted\n"
    "settings/     preferences of the window, as text\n"
    "machines/     the machines that you reach through ssh or Slurm\n"
    "reports/      how the program ended when it ended unexpectedly\n"
    "earlier/      databases that were damaged and put aside\n"
    "SHA256SUMS    check with: sha256sum -c SHA256SUMS\n"
    "\n"
    "What is not there was empty. Left out are backups (older copies of the record), the search index, compiled "
    "kernels\n"
    "and previews: all that is in them is in the rest. Classes that you teach are other people's work and stay where\n"
    "they are. What a teacher shows only after a deadline stands in your record already, and so in here.\n";

/// What is written, with the sums that stand at the end.
class Folder {
public:
    explicit Folder(fs::path root) : m_root(std::move(root)) {}

    Result<void> write(const std::string& name, const std::string& bytes)
    {
        const fs::path file = m_root / name;
        if (auto made = record::makeFolder(file.parent_path()); !made)
            return made;
        if (auto written = writeFile(file, bytes); !written)
            return written;
        note(name, bytes);
        return {};
    }
    /// One that is gone by now is none of it any more.
    Result<void> copy(const fs::path& file, const std::string& name)
    {
        const auto bytes = readFile(file);
        if (bytes)
            return write(name, *bytes);
        std::error_code ec;
        return fs::exists(file, ec) ? Result<void>(bytes.error()) : Result<void>();
    }
    Result<void> copyAll(const fs::path& from, const std::string& below)
    {
        std::error_code ec;
        if (!fs::is_directory(from, ec))
            return fs::exists(from, ec) ? copy(from, below + '/' + from.filename().string()) : Result<void>();
        for (fs::recursive_directory_iterator at(from, ec), end; !ec && at != end; at.increment(ec))
            if (std::error_code no; at->is_regular_file(no))
                if (auto copied = copy(at->path(), below + '/' + at->path().lexically_relative(from).generic_string());
                    !copied)
                    return copied;
        return {};
    }
    /// Files that somebody else has written below it.
    Result<void> take(const std::string& below)
    {
        std::error_code ec;
        for (fs::recursive_directory_iterator at(m_root / below, ec), end; !ec && at != end; at.increment(ec)) {
            if (std::error_code no; !at->is_regular_file(no))
                continue;
            const auto bytes = readFile(at->path());
            if (!bytes)
                return bytes.error();
            note(at->path().lexically_relative(m_root).generic_string(), *bytes);
        }
        return {};
    }
    Result<void> finish()
    {
        std::string lines;
        for (const auto& [name, sum] : m_sums)
            lines += sum + "  " + name + '\n';
        return write("SHA256SUMS", lines);
    }
    const fs::path& root() const { return m_root; }
    int files() const { return static_cast<int>(m_sums.size()); }
    std::uintmax_t bytes() const { return m_bytes; }

private:
    void note(const std::string& name, const std::string& bytes)
    {
        m_sums[name] = sha256Hex(bytes);
        m_bytes += bytes.size();
    }
    fs::path m_root;
    std::map<std::string, std::string> m_sums;
    std::uintmax_t m_bytes = 0;
};

std::string cellOf(const QVariant& value)
{
    if (value.isNull())
        return {};
    if (value.userType() == QMetaType::Double)
        return Json(value.toDouble()).dump(); // as many digits as give the same number back
    return value.toString().toStdString();
}

/// Every table of the database as CSV, and what its columns are.
Result<void> writeTables(record::Connection& database, Folder& out, DataExport& done)
{
    auto names = database.query(QStringLiteral("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE"
                                               " 'sqlite_%' ORDER BY name"));
    if (!names)
        return names.error();
    QStringList tables;
    while (names->next())
        tables << names->value(0).toString();
    Json schema = Json::array();
    for (const QString& table : tables) {
        auto columns = database.query(
            QStringLiteral("SELECT name, type, \"notnull\", pk FROM pragma_table_info(?) ORDER BY cid"), {table});
        if (!columns)
            return columns.error();
        Json described = Json::array();
        std::vector<std::string> heads;
        while (columns->next()) {
            heads.push_back(columns->value(0).toString().toStdString());
            described.push_back({{"name", heads.back()},
                                 {"type", columns->value(1).toString().toStdString()},
                                 {"required", columns->value(2).toBool()},
                                 {"key", columns->value(3).toInt() > 0}});
        }
        auto rows = database.query(QStringLiteral("SELECT * FROM ") + table);
        if (!rows)
            return rows.error();
        std::string csv = csvLine(heads);
        int count = 0;
        for (; rows->next(); ++count) {
            std::vector<std::string> cells;
            for (int i = 0; i < static_cast<int>(heads.size()); ++i)
                cells.push_back(cellOf(rows->value(i)));
            csv += csvLine(cells);
        }
        if (rows->lastError().isValid())
            return record::sqlError(rows->lastError(), database.place());
        const std::string name = table.toStdString();
        done.rows[name] = count;
        schema.push_back(
            {{"table", name}, {"file", "tables/" + name + ".csv"}, {"rows", count}, {"columns", described}});
        if (auto written = out.write("tables/" + name + ".csv", csv); !written)
            return written;
    }
    const Json document{{"format", "ridgepoint-data-schema"},
                        {"version", 1},
                        {"null", "an empty cell of a column that is not required; an empty text looks the same"},
                        {"types", "of SQLite: TEXT is UTF-8, INTEGER has 64 bits, REAL is an IEEE 754 double"},
                        {"tables", schema}};
    return out.write("schema.json", document.dump(1) + '\n');
}

Result<void> writeArtifacts(const fs::path& home, Folder& out, DataExport& done)
{
    const auto store = record::Store::openReadOnly(home);
    if (!store)
        return store.error();
    const auto all = (*store)->artifacts();
    if (!all)
        return all.error();
    for (const record::ArtifactRow& artifact : *all) {
        const std::string name = "artifacts/" + record::exportFolderName(artifact);
        if (auto written = record::exportArtifact(**store, artifact.artifactId, out.root() / name); !written) {
            if (written.error().code == "cannot-write" || written.error().code == "disk-full")
                return written.error();
            done.notices.push_back("The artifact '" + artifact.title + "' could not be laid out for reading (" +
                                   written.error().message + "); its rows are in tables/");
        }
        if (auto taken = out.take(name); !taken)
            return taken;
    }
    return {};
}

/// The record in a form that anybody can read, and as a store. What is damaged is copied as it is.
Result<void> writeRecord(const Places& places, Folder& out, DataExport& done)
{
    std::error_code ec;
    if (!fs::exists(places.home / record::kDatabaseName, ec))
        return {};
    const auto snapshot = record::Snapshot::take(places.home);
    if (!snapshot && (snapshot.error().code == "store-locked" || snapshot.error().code == "disk-full"))
        return snapshot.error();
    if (snapshot) {
        auto database = record::Connection::open((*snapshot)->file(), record::Connection::Mode::ReadOnly, "the record");
        if (!database)
            return database.error();
        if (auto written = writeTables(**database, out, done); !written)
            return written;
        database->reset();
        if (auto copied = out.copy((*snapshot)->file(), std::string("record/") + record::kDatabaseName); !copied)
            return copied;
        if (auto written = writeArtifacts(places.home, out, done); !written)
            return written;
    } else {
        done.notices.push_back("The record cannot be read (" + snapshot.error().message +
                               "). Its database and all backups are in record/ as they are");
        for (const char* suffix : {"", "-wal"})
            if (auto copied = out.copy(places.home / (std::string(record::kDatabaseName) + suffix),
                                       "record/" + (std::string(record::kDatabaseName) + suffix));
                !copied)
                return copied;
        if (auto copied = out.copyAll(places.home / record::kBackupFolder, "record/backups"); !copied)
            return copied;
    }
    return out.copyAll(places.home / "files", "record/files");
}

} // namespace

Result<DataExport> exportData(const Places& places, const fs::path& folder, const std::string& appVersion)
{
    std::error_code ec;
    if (fs::exists(folder, ec) && (!fs::is_directory(folder, ec) || !fs::is_empty(folder, ec)))
        return Error{"cannot-write", "There is something here already", folder.string(),
                     "Name a new or an empty folder"};
    const fs::path inside = fs::weakly_canonical(folder, ec).lexically_relative(fs::weakly_canonical(places.home, ec));
    if (!inside.empty() && *inside.begin() != "..")
        return Error{"cannot-write", "This folder is a part of what would be exported", folder.string(),
                     "Name one outside of " + places.home.string()};
    DataExport done;
    Folder out(folder);
    const fs::path& home = places.home;
    if (auto written = out.write("README.txt", kReadme); !written)
        return written.error();
    if (auto written = writeRecord(places, out, done); !written)
        return written.error();
    for (const auto& [from, below] : {std::pair(home / "drafts", "drafts"),
                                      {home / "keys" / "learner.key", "keys"},
                                      {home / "assignments", "assignments"},
                                      {places.settings, "settings"},
                                      {home / "targets.json", "machines"},
                                      {home / "reports", "reports"},
                                      {home / "damaged", "earlier/damaged"}})
        if (auto copied = out.copyAll(from, below); !copied)
            return copied.error();
    fs::permissions(folder / "keys" / "learner.key", fs::perms::owner_read | fs::perms::owner_write, ec);
    Json rows = Json::object();
    for (const auto& [table, count] : done.rows)
        rows[table] = count;
    const Json manifest{
        {"format", "ridgepoint-data"}, {"version", 1},          {"exported_at", record::timeStamp().toStdString()},
        {"app_version", appVersion},   {"home", home.string()}, {"rows", rows},
        {"notices", done.notices}};
    if (auto written = out.write("manifest.json", manifest.dump(1) + '\n'); !written)
        return written.error();
    if (auto written = out.finish(); !written)
        return written.error();
    done.files = out.files();
    done.bytes = out.bytes();
    return done;
}

} // namespace ridge::personal
