// SPDX-License-Identifier: GPL-3.0-or-later
// What Store::open finds on real disks: older, newer, locked, read-only, on a network share.
#include "record_support.h"

#include "record/backups.h"
#include "record/open_options.h"
#include "record/store_private.h"

#include <fcntl.h>
#include <set>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace ridge;
using namespace ridge::record;
using namespace ridge::test;

namespace {

/// Being root, permissions mean nothing; so the test is somebody else for a while.
class AsNobody {
public:
    AsNobody() : m_root(::geteuid() == 0 && ::seteuid(65534) == 0) {}
    ~AsNobody()
    {
        if (m_root && ::seteuid(0) != 0)
            std::abort();
    }

private:
    bool m_root;
};

std::vector<Migration> withNextStep(const QStringList& statements)
{
    std::vector<Migration> steps = migrations();
    steps.push_back({steps.back().version + 1, statements});
    return steps;
}

const QStringList kAddNote{QStringLiteral("ALTER TABLE run ADD COLUMN note TEXT"),
                           QStringLiteral("CREATE TABLE bookmark (id TEXT PRIMARY KEY NOT NULL) STRICT")};

OpenOptions optionsWith(const std::vector<Migration>& steps)
{
    OpenOptions options;
    options.migrations = steps;
    return options;
}

} // namespace

class TestStoreOpen : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        ::chmod(pathOf(*m_folder).c_str(), 0755);
        m_path = pathOf(*m_folder) / "store";
    }
    void secondWriterIsRefused();
    void lockOfAProgramThatDiedMakingItIsDropped();
    void laterVersionIsLeftAlone();
    void olderStoreIsMigratedAfterABackup();
    void failedMigrationLeavesTheStoreAsItWas();
    void olderStoreIsReadThroughACopy();
    void readOnlyFolder();
    void readOnlyDatabaseFile();
    void readOnlyFolderWithALogIsStillRead();
    void folderThatIsAFile();
    void networkShareWorksAndSaysSo();
    void smallStoreOpensAtOnce();
    void hourlyBackupsAreMadeWhenSomethingChanged();
    void backupsAreThinnedByAge();

private:
    std::string makeStore(int runs = 3);
    std::unique_ptr<QTemporaryDir> m_folder;
    fs::path m_path;
};

std::string TestStoreOpen::makeStore(int runs)
{
    auto store = Store::open(m_path).value();
    const std::string id = durable(store->append(somePrediction())).value();
    for (int i = 0; i < runs; ++i)
        store->append(someRun(i, id), i == 0 ? "trace" : "");
    return id;
}

void TestStoreOpen::secondWriterIsRefused()
{
    auto first = Store::open(m_path);
    R_VERIFY(first);
    const auto second = Store::open(m_path);
    QCOMPARE(codeOf(second), QByteArray("store-locked"));
    QVERIFY(second.error().message.find(std::to_string(::getpid())) != std::string::npos);
    QCOMPARE(codeOf(Store::restoreBackup(m_path, m_path / "x.db")), QByteArray("store-locked"));
    R_VERIFY(Store::openReadOnly(m_path));
    first.value().reset();
    R_VERIFY(Store::open(m_path));
}

void TestStoreOpen::lockOfAProgramThatDiedMakingItIsDropped()
{
    makeStore();
    const fs::path file = m_path / "ridgepoint.lock";
    std::ofstream(file).close(); // killed after it made the file, before it wrote its name
    {
        auto store = Store::open(m_path);
        R_VERIFY(store);
        QVERIFY(!Store::open(m_path).ok());
    }
    // One that is alive and has not come to writing holds the file.
    const int held = ::open(file.c_str(), O_RDWR | O_CREAT, 0644);
    QVERIFY(held >= 0 && ::flock(held, LOCK_EX | LOCK_NB) == 0);
    const auto refused = Store::open(m_path);
    QVERIFY(!refused && refused.error().code == "store-locked");
    ::close(held);
}

void TestStoreOpen::laterVersionIsLeftAlone()
{
    makeStore();
    {
        auto connection = Connection::open(m_path / kDatabaseName, Connection::Mode::ReadWrite);
        R_VERIFY((*connection)->exec(QStringLiteral("INSERT INTO schema_version VALUES (99, 'later')")));
        R_VERIFY((*connection)->exec(QStringLiteral("PRAGMA wal_checkpoint(TRUNCATE)")));
    }
    const std::string before = bytesOf(m_path / kDatabaseName);
    for (const auto& opened : {Store::open(m_path), Store::openReadOnly(m_path)}) {
        QCOMPARE(codeOf(opened), QByteArray("store-newer"));
        QVERIFY(opened.error().message.find("99") != std::string::npos);
        QCOMPARE(opened.error().place, (m_path / kDatabaseName).string());
    }
    QVERIFY(bytesOf(m_path / kDatabaseName) == before);
}

void TestStoreOpen::olderStoreIsMigratedAfterABackup()
{
    makeStore(5);
    auto opened = Store::open(m_path, optionsWith(withNextStep(kAddNote)));
    R_VERIFY(opened);
    QCOMPARE((*opened)->runs({}).value().size(), 5u);
    R_VERIFY((*opened)->verify()); // digests of old rows do not change with a new column
    R_VERIFY(durable((*opened)->append(someRun(9))));

    const auto backups = listBackups(m_path);
    const auto saved = std::find_if(backups.begin(), backups.end(), [](const BackupFile& backup) {
        return backup.why == QStringLiteral("before-schema-%1").arg(migrations().back().version + 1);
    });
    QVERIFY(saved != backups.end());
    auto old = Connection::open(saved->path, Connection::Mode::ReadOnly);
    R_VERIFY(old);
    QCOMPARE(schemaVersion(**old).value(), migrations().back().version);
    QCOMPARE((*old)->value(QStringLiteral("SELECT COUNT(*) FROM run")).value().toInt(), 5);
    opened.value().reset();
    QCOMPARE(codeOf(Store::open(m_path)), QByteArray("store-newer")); // there is no way back
}

void TestStoreOpen::failedMigrationLeavesTheStoreAsItWas()
{
    makeStore();
    QStringList broken = kAddNote;
    broken << QStringLiteral("CREATE TABLE run (id TEXT) STRICT");
    const auto opened = Store::open(m_path, optionsWith(withNextStep(broken)));
    QVERIFY(!opened.ok());
    QVERIFY(opened.error().message.find("run") != std::string::npos);
    auto again = Store::open(m_path);
    R_VERIFY(again);
    QCOMPARE((*again)->runs({}).value().size(), 3u);
    auto look = Connection::open(m_path / kDatabaseName, Connection::Mode::ReadOnly);
    QCOMPARE(
        (*look)->value(QStringLiteral("SELECT COUNT(*) FROM sqlite_schema WHERE name = 'bookmark'")).value().toInt(),
        0);
}

void TestStoreOpen::olderStoreIsReadThroughACopy()
{
    makeStore();
    const std::string before = bytesOf(m_path / kDatabaseName);
    {
        auto opened = openForReading(m_path, optionsWith(withNextStep(kAddNote)));
        R_VERIFY(opened);
        QVERIFY(opened->snapshot != nullptr);
        QCOMPARE(opened->connection->value(QStringLiteral("SELECT COUNT(note IS NULL) FROM run")).value().toInt(), 3);
    }
    QVERIFY(bytesOf(m_path / kDatabaseName) == before);
}

void TestStoreOpen::readOnlyFolder()
{
    makeStore();
    R_VERIFY(Store::openReadOnly(m_path)); // loads Qt's driver while files can still be read
    for (const auto& entry : fs::recursive_directory_iterator(m_path))
        ::chmod(entry.path().c_str(), entry.is_directory() ? 0555 : 0444);
    ::chmod(m_path.c_str(), 0555);
    ::chmod(pathOf(*m_folder).c_str(), 0555);
    const auto before = contentOf(m_path);
    {
        const AsNobody nobody;
        const auto opened = Store::open(m_path);
        QCOMPARE(codeOf(opened), QByteArray("store-readonly"));
        QVERIFY(opened.error().place.find(m_path.string()) == 0);
        QVERIFY(!opened.error().fix.empty());
        QCOMPARE(codeOf(Store::open(pathOf(*m_folder) / "new" / "deep")), QByteArray("store-readonly"));
        auto reader = Store::openReadOnly(m_path);
        R_VERIFY(reader);
        QCOMPARE((*reader)->runs({}).value().size(), 3u);
    }
    ::chmod(pathOf(*m_folder).c_str(), 0755);
    ::chmod(m_path.c_str(), 0755);
    QVERIFY(contentOf(m_path) == before);
}

void TestStoreOpen::readOnlyDatabaseFile()
{
    makeStore();
    ::chmod(m_path.c_str(), 0777);
    ::chmod((m_path / kDatabaseName).c_str(), 0444);
    const AsNobody nobody;
    QCOMPARE(codeOf(Store::open(m_path)), QByteArray("store-readonly"));
}

void TestStoreOpen::readOnlyFolderWithALogIsStillRead()
{
    const fs::path copy = pathOf(*m_folder) / "copy";
    fs::create_directory(copy);
    {
        auto store = Store::open(m_path).value();
        R_VERIFY(durable(store->append(someRun(1))));
        for (const char* name : {"ridgepoint.db", "ridgepoint.db-wal"})
            fs::copy_file(m_path / name, copy / name);
    }
    QVERIFY(fs::file_size(copy / "ridgepoint.db-wal") > 0);
    ::chmod(copy.c_str(), 0555);
    const AsNobody nobody;
    auto reader = Store::openReadOnly(copy);
    R_VERIFY(reader);
    QCOMPARE((*reader)->runs({}).value().size(), 1u); // it was only in the log
}

void TestStoreOpen::folderThatIsAFile()
{
    writeBytes(m_path, "not a folder");
    QCOMPARE(codeOf(Store::open(m_path)), QByteArray("store-readonly"));
    QCOMPARE(bytesOf(m_path), std::string("not a folder"));
}

void TestStoreOpen::networkShareWorksAndSaysSo()
{
    makeStore();
    OpenOptions options;
    options.fileSystem = QStringLiteral("nfs4");
    auto store = Store::open(m_path, options);
    R_VERIFY(store);
    QVERIFY((*store)->notice().has_value());
    QCOMPARE((*store)->notice()->code, std::string("store-network"));
    QVERIFY((*store)->notice()->message.find("nfs4") != std::string::npos);
    R_VERIFY(durable((*store)->append(someRun(7))));
    QVERIFY(!fs::exists(m_path / "ridgepoint.db-wal")); // a log needs memory that computers do not share
    const auto second = Store::open(m_path, options);
    QCOMPARE(codeOf(second), QByteArray("store-locked"));
    QVERIFY(second.error().fix.find("ridgepoint.lock") != std::string::npos);
    store.value().reset();
    auto local = Store::open(m_path);
    R_VERIFY(local);
    QVERIFY(!(*local)->notice().has_value());
    QCOMPARE((*local)->runs({}).value().size(), 4u);
}

void TestStoreOpen::smallStoreOpensAtOnce()
{
    makeStore(1000);
    qint64 best = 1'000'000'000;
    for (int i = 0; i < 5; ++i) {
        QElapsedTimer clock;
        clock.start();
        auto connection = Connection::open(m_path / kDatabaseName, Connection::Mode::ReadOnly);
        R_VERIFY(connection);
        R_VERIFY(quickCheck(**connection));
        best = std::min(best, clock.nsecsElapsed());
    }
    QVERIFY2(best < 50'000'000ll * sanitizerFactor(), QByteArray::number(best).constData());
}

void TestStoreOpen::hourlyBackupsAreMadeWhenSomethingChanged()
{
    const auto hourly = [&] {
        const auto all = listBackups(m_path);
        return std::count_if(all.begin(), all.end(),
                             [](const auto& backup) { return backup.why == QLatin1String("hourly"); });
    };
    makeStore();
    QCOMPARE(hourly(), 0);
    OpenOptions options;
    options.backupEvery = std::chrono::milliseconds(0);
    {
        auto store = Store::open(m_path, options).value();
        store->flush();
        R_VERIFY(durable(store->append(someRun(50))));
    }
    const auto first = hourly();
    QVERIFY(first >= 1);
    auto newest = Connection::open(listBackups(m_path).front().path, Connection::Mode::ReadOnly);
    QCOMPARE((*newest)->value(QStringLiteral("SELECT COUNT(*) FROM run")).value().toInt(), 4);
    // Within the hour nothing more is made, neither now nor on the next start.
    {
        auto store = Store::open(m_path).value();
        R_VERIFY(durable(store->append(someRun(51))));
    }
    QCOMPARE(hourly(), first);
}

void TestStoreOpen::backupsAreThinnedByAge()
{
    const QDateTime now(QDate(2026, 6, 17), QTime(12, 0), Qt::UTC);
    std::vector<BackupFile> all;
    for (int hour = 0; hour < 24 * 200; ++hour) // 200 days, newest first
        all.push_back({"b" + std::to_string(hour), now.addSecs(-3600ll * hour), QStringLiteral("hourly")});
    all.push_back({"migration", now.addDays(-150), QStringLiteral("before-schema-2")});
    std::set<fs::path> gone;
    for (const BackupFile& backup : superfluousBackups(all, now))
        gone.insert(backup.path);
    int day = 0, week = 0, months = 0, older = 0;
    for (const BackupFile& backup : all) {
        if (gone.contains(backup.path))
            continue;
        const qint64 days = backup.time.secsTo(now) / 86400;
        (days < 1 ? day : days < 8 ? week : days < 62 ? months : older) += 1;
    }
    QCOMPARE(day, 24);
    QVERIFY2(week >= 7 && week <= 8, QByteArray::number(week).constData());
    QVERIFY2(months >= 8 && months <= 10, QByteArray::number(months).constData());
    QVERIFY2(older >= 5 && older <= 7, QByteArray::number(older).constData());
    QVERIFY(!gone.contains("migration"));
    QVERIFY(!gone.contains("b0"));
}

QTEST_GUILESS_MAIN(TestStoreOpen)
#include "tst_store_open.moc"
