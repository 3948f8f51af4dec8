// SPDX-License-Identifier: GPL-3.0-or-later
#include "kill_rounds.h"

#include "record_support.h"

#include "base/hash.h"
#include "record/backups.h"
#include "record/restore.h"
#include "record/schema.h"

#include <QElapsedTimer>
#include <QProcess>
#include <QRandomGenerator>
#include <set>
#include <sstream>

namespace ridge::test {

using namespace record;

namespace {

constexpr int kRows = 150;          ///< of a store that is merged, migrated or exported
constexpr int kRoundsOfAStore = 15; ///< a store that grows is begun anew then
constexpr qint64 kMostWait = 60000;

enum class Kind { Run, Ship, Merge, Migrate, Export, Backup, Restore };
constexpr int kKinds = 7;
constexpr const char* kNames[kKinds] = {"run", "ship", "merge", "migrate", "export", "backup", "restore"};
constexpr const char* kVerbs[kKinds] = {"append", "ship", "merge", "migrate", "export", "backup", "restore"};

struct Fault {
    std::string what;
};

template<class T>
T must(Result<T> result, const char* doing)
{
    if (!result)
        throw Fault{std::string(doing) + ": " + toText(result.error())};
    return std::move(result).value();
}

void mustHold(const Result<void>& result, const char* doing)
{
    if (!result)
        throw Fault{std::string(doing) + ": " + toText(result.error())};
}

/// A store with runs, some with traces, and an artifact of the last twenty.
void fill(const fs::path& folder)
{
    const auto store = must(Store::open(folder), "open");
    std::vector<std::string> ids;
    for (int i = 0; i < kRows; ++i)
        ids.push_back(must(durable(store->append(someRun(i), i % 4 == 0 ? "trace " + std::to_string(i) : "")), "run"));
    ArtifactRow artifact;
    artifact.lesson = "2.4";
    artifact.kind = "profile";
    artifact.title = "Sectors";
    artifact.runIds.assign(ids.end() - 20, ids.end());
    artifact.fingerprint = Json{{"chip", "h100-sxm"}};
    must(durable(store->append(artifact)), "artifact");
}

/// The same rows in the form of the first version.
void fillOld(const fs::path& folder, const fs::path& present)
{
    fs::create_directories(folder);
    fs::copy(present / "files", folder / "files", fs::copy_options::recursive);
    const auto old = must(Connection::open(folder / kDatabaseName, Connection::Mode::ReadWrite), "open");
    mustHold(applyMigration(*old, migrations().front()), "first version");
    mustHold(old->exec(QStringLiteral("ATTACH DATABASE ? AS present"),
                       {QString::fromStdString((present / kDatabaseName).string())}),
             "attach");
    for (const char* table : {"meta", "file", "prediction", "run"})
        mustHold(old->exec(QStringLiteral("INSERT INTO main.%1 SELECT * FROM present.%1").arg(QLatin1String(table))),
                 table);
}

/// Lines that a program prints until it is killed after `microseconds`.
std::vector<std::string> linesUntilKilled(const QString& child, const QStringList& arguments, qint64 microseconds)
{
    QProcess process;
    process.start(child, arguments);
    if (!process.waitForStarted())
        throw Fault{"the child does not start"};
    QElapsedTimer clock;
    clock.start();
    while (process.state() == QProcess::Running) {
        const qint64 left = microseconds - clock.nsecsElapsed() / 1000;
        if (left <= 0)
            break;
        process.waitForReadyRead(int(std::max<qint64>(1, left / 1000)));
    }
    process.kill();
    process.waitForFinished();
    std::vector<std::string> lines;
    while (process.canReadLine()) // a half line is something that was not reported
        lines.push_back(process.readLine().trimmed().toStdString());
    for (const std::string& line : lines)
        if (line.starts_with("error"))
            throw Fault{line};
    return lines;
}

std::set<std::string> idsFrom(Connection& connection)
{
    auto rows = must(connection.query(QStringLiteral("SELECT id FROM entry")), "reading rows");
    std::set<std::string> ids;
    while (rows.next())
        ids.insert(rows.value(0).toString().toStdString());
    return ids;
}

/// Of a database without its files.
std::set<std::string> rowsOf(const fs::path& folder)
{
    return idsFrom(*must(Connection::open(folder / kDatabaseName, Connection::Mode::ReadOnly), "reading"));
}

/// Ids of all rows, after everything about the store was found to be in order.
std::set<std::string> soundRows(const fs::path& folder)
{
    {
        const auto store = must(Store::open(folder), "opening after the kill");
        mustHold(store->verify(), "checking after the kill");
    }
    const auto connection = must(Connection::open(folder / kDatabaseName, Connection::Mode::ReadOnly), "reading");
    const auto ids = idsFrom(*connection);
    const auto gaps = must(
        connection->value(QStringLiteral("SELECT COUNT(*) FROM (SELECT origin FROM entry GROUP BY origin"
                                         " HAVING COUNT(*) <> MAX(seq) OR COUNT(DISTINCT seq) <> MAX(seq)) AS gaps")),
        "reading seq");
    if (gaps.toInt() != 0)
        throw Fault{"a number of the sequence is missing or was given twice"};
    return ids;
}

void mustHave(const std::set<std::string>& stored, const std::set<std::string>& reported)
{
    for (const std::string& id : reported)
        if (!stored.contains(id))
            throw Fault{"row " + id + " was reported and is gone"};
}

/// An export that was reported is whole; one that has its sums is, too.
void checkExports(const fs::path& out, const std::vector<std::string>& reported)
{
    const std::set<std::string> finished(reported.begin(), reported.end());
    std::error_code none;
    for (const auto& folder : fs::directory_iterator(out, none)) {
        const fs::path sums = folder.path() / "SHA256SUMS";
        if (!fs::exists(sums)) {
            if (finished.contains(folder.path().filename().string()))
                throw Fault{"an export that was reported is not whole"};
            continue;
        }
        std::istringstream lines(bytesOf(sums));
        for (std::string line; std::getline(lines, line);)
            if (line.size() > 66 && sha256Hex(bytesOf(folder.path() / line.substr(66))) != line.substr(0, 64) &&
                finished.contains(folder.path().filename().string()))
                throw Fault{"a file of an export is not what its sums say: " + line.substr(66)};
    }
}

class Rounds {
public:
    Rounds(unsigned seed, QString child) : m_random(seed), m_child(std::move(child))
    {
        fill(at("present"));
        fillOld(at("old"), at("present"));
        m_present = soundRows(at("present"));
        fs::copy(at("old"), at("old-now"), fs::copy_options::recursive);
        m_old = soundRows(at("old-now"));
    }

    void kill(Kind kind, KillReport& report)
    {
        const auto lines = [&] {
            switch (kind) {
            case Kind::Run:
            case Kind::Ship:
                return killGrowing(kind);
            case Kind::Merge:
                return killMerge();
            case Kind::Migrate:
                return killMigration();
            case Kind::Export:
                return killExport();
            case Kind::Backup:
                return killBackup();
            case Kind::Restore:
                return killRestore();
            }
            return std::vector<std::string>();
        }();
        ++report.kills[kNames[int(kind)]];
        report.early += lines.empty() ? 1 : 0;
        report.reported += int(lines.size());
    }

private:
    fs::path at(const char* name) const { return pathOf(m_folder) / name; }
    fs::path fresh(const char* name, const fs::path& from) const
    {
        fs::remove_all(at(name));
        fs::copy(from, at(name), fs::copy_options::recursive);
        return at(name);
    }
    QStringList call(Kind kind, const fs::path& folder, const fs::path& other = {}) const
    {
        QStringList arguments{QLatin1String(kVerbs[int(kind)]), QString::fromStdString(folder.string())};
        if (!other.empty())
            arguments << QString::fromStdString(other.string());
        return arguments;
    }
    /// A moment within what the work takes from start to end, and somewhat after it; `work` is done once to know.
    template<class Work>
    qint64 moment(Kind kind, Work work)
    {
        qint64& whole = m_whole[int(kind)];
        if (whole == 0) {
            QElapsedTimer clock;
            clock.start();
            work();
            whole = std::max<qint64>(clock.nsecsElapsed() / 1000, 1000);
        }
        return m_random.bounded(int(whole + whole / 8));
    }

    std::vector<std::string> killGrowing(Kind kind)
    {
        Growing& store = m_growing[int(kind)];
        if (store.rounds++ % kRoundsOfAStore == 0) {
            fs::remove_all(at(kNames[int(kind)]));
            store.reported.clear();
        }
        const fs::path folder = at(kNames[int(kind)]);
        // Starting and opening, then some dozens of commits.
        const qint64 when = moment(kind, [&] {
            QProcess process;
            process.start(m_child, call(kind, at("first")));
            for (int lines = 0; lines < 40 && process.waitForReadyRead(int(kMostWait));)
                while (process.canReadLine() && ++lines)
                    process.readLine();
            process.kill();
            process.waitForFinished();
        });
        auto lines = linesUntilKilled(m_child, call(kind, folder), when);
        store.reported.insert(lines.begin(), lines.end());
        mustHave(soundRows(folder), store.reported);
        return lines;
    }

    std::vector<std::string> killMerge()
    {
        const fs::path folder = at("merged");
        const auto prepare = [&] {
            fs::remove_all(folder);
            const auto store = must(Store::open(folder), "open");
            return must(durable(store->append(someRun())), "run");
        };
        const qint64 when = moment(Kind::Merge, [&] {
            prepare();
            linesUntilKilled(m_child, call(Kind::Merge, folder, at("present")), kMostWait * 1000);
        });
        const std::string own = prepare();
        const auto lines = linesUntilKilled(m_child, call(Kind::Merge, folder, at("present")), when);
        const auto stored = soundRows(folder);
        mustHave(stored, {own});
        if (!lines.empty())
            mustHave(stored, m_present);
        if (stored.size() != 1 && stored.size() != 1 + m_present.size())
            throw Fault{"half of a merge is there"};
        return lines;
    }

    std::vector<std::string> killMigration()
    {
        const qint64 when = moment(Kind::Migrate, [&] {
            linesUntilKilled(m_child, call(Kind::Migrate, fresh("migrated", at("old"))), kMostWait * 1000);
        });
        const auto lines = linesUntilKilled(m_child, call(Kind::Migrate, fresh("migrated", at("old"))), when);
        if (soundRows(at("migrated")) != m_old)
            throw Fault{"rows are not the same after the step to today's form"};
        return lines;
    }

    std::vector<std::string> killExport()
    {
        fs::remove_all(at("out"));
        const qint64 when = moment(Kind::Export, [&] {
            QProcess process;
            process.start(m_child, call(Kind::Export, at("present"), at("out")));
            for (int lines = 0; lines < 4 && process.waitForReadyRead(int(kMostWait));)
                while (process.canReadLine() && ++lines)
                    process.readLine();
            process.kill();
            process.waitForFinished();
            fs::remove_all(at("out"));
        });
        const auto lines = linesUntilKilled(m_child, call(Kind::Export, at("present"), at("out")), when);
        if (soundRows(at("present")) != m_present)
            throw Fault{"an export has changed the store"};
        checkExports(at("out"), lines);
        return lines;
    }

    std::vector<std::string> killBackup()
    {
        const fs::path folder = fresh("backed-up", at("present"));
        fs::remove_all(folder / kBackupFolder);
        const qint64 when = moment(Kind::Backup, [&] {
            QProcess process;
            process.start(m_child, call(Kind::Backup, fresh("first", at("present"))));
            for (int lines = 0; lines < 3 && process.waitForReadyRead(int(kMostWait));)
                while (process.canReadLine() && ++lines)
                    process.readLine();
            process.kill();
            process.waitForFinished();
        });
        const auto lines = linesUntilKilled(m_child, call(Kind::Backup, folder), when);
        if (soundRows(folder) != m_present)
            throw Fault{"a backup has changed the store"};
        for (const std::string& file : lines)
            if (!fs::exists(file))
                throw Fault{"a backup that was reported is not there"};
        std::error_code none;
        for (const auto& file : fs::directory_iterator(folder / kBackupFolder, none)) {
            if (file.path().extension() != ".db")
                throw Fault{"what a killed backup has left stays: " + file.path().filename().string()};
            const auto copy = must(Connection::open(file.path(), Connection::Mode::ReadOnly), "opening a backup");
            mustHold(quickCheck(*copy), "checking a backup");
            if (must(holdingOf(*copy), "reading a backup").rows != qint64(m_present.size()))
                throw Fault{"a backup is not whole"};
        }
        return lines;
    }

    /// In turn of a record that is sound and has a row more than the backup, and of a damaged one.
    std::vector<std::string> killRestore()
    {
        const fs::path folder = at("restored");
        fs::path backup;
        std::string newer;
        const auto prepare = [&] {
            fresh("restored", at("present"));
            const auto store = must(Store::open(folder), "open");
            backup = must(store->backup("by hand"), "backup");
            newer = must(durable(store->append(someRun())), "run");
        };
        const qint64 when = moment(Kind::Restore, [&] {
            prepare();
            linesUntilKilled(m_child, call(Kind::Restore, folder, backup), kMostWait * 1000);
        });
        prepare();
        const bool damaged = m_restores++ % 2 == 1;
        const std::string wreck(30000, 'x');
        if (damaged)
            writeBytes(folder / kDatabaseName, wreck);
        const auto lines = linesUntilKilled(m_child, call(Kind::Restore, folder, backup), when);
        if (!damaged) {
            const auto stored = soundRows(folder);
            mustHave(stored, m_present);
            if (!stored.contains(newer))
                mustHave(rowsOf(onlyFolderIn(folder / "damaged")), {newer});
            else if (!lines.empty())
                throw Fault{"a restored backup is not in place"};
            return lines;
        }
        if (const auto opened = Store::open(folder); !opened) {
            if (opened.error().code != "store-damaged" || bytesOf(folder / kDatabaseName) != wreck)
                throw Fault{"neither the old database nor the new one is there: " + toText(opened.error())};
            must(restoreRecord(folder), "restoring again");
        } else if (bytesOf(onlyFolderIn(folder / "damaged") / kDatabaseName) != wreck) {
            throw Fault{"the damaged database was not kept"};
        }
        if (soundRows(folder) != m_present)
            throw Fault{"the backup's rows are not there"};
        return lines;
    }

    static fs::path onlyFolderIn(const fs::path& folder)
    {
        std::error_code none;
        for (const auto& one : fs::directory_iterator(folder, none))
            return one.path();
        throw Fault{"nothing was put aside"};
    }

    struct Growing {
        int rounds = 0;
        std::set<std::string> reported;
    };
    QTemporaryDir m_folder;
    QRandomGenerator m_random;
    QString m_child;
    std::map<int, qint64> m_whole; ///< microseconds, by kind
    std::map<int, Growing> m_growing;
    std::set<std::string> m_present, m_old;
    int m_restores = 0;
};

} // namespace

KillReport killStores(int rounds, unsigned seed, const QString& child, const std::function<void(int)>& done)
{
    KillReport report;
    int round = 0;
    try {
        Rounds all(seed, child);
        for (; round < rounds; ++round) {
            all.kill(Kind(round % kKinds), report);
            if (done)
                done(round + 1);
        }
    } catch (const Fault& fault) {
        report.fault = "round " + std::to_string(round) + " (" + kNames[round % kKinds] + "): " + fault.what;
    }
    return report;
}

} // namespace ridge::test
