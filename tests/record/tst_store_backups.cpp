// SPDX-License-Identifier: GPL-3.0-or-later
// Backups are told by what they hold: a clock that was wrong once, an older name or another record beside them mislead
// nobody, and what only one of them holds stays.
#include "record_support.h"

#include "record/backups.h"
#include "record/open_options.h"
#include "record/restore.h"

#include <set>

using namespace ridge;
using namespace ridge::record;
using namespace ridge::test;

namespace {

QDateTime utc(const char* text)
{
    return QDateTime::fromString(QLatin1String(text), Qt::ISODate).toUTC();
}

/// A name as programs gave it before backups were numbered.
std::string oldName(const char* stamp, const char* why = "hourly")
{
    return std::string("ridgepoint-") + stamp + "Z-" + why + ".db";
}

qint64 rowsIn(const fs::path& file)
{
    return holdingOf(file).value().rows;
}

} // namespace

class TestStoreBackups : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_path = pathOf(*m_folder) / "store";
    }
    void oneDatedInTheFutureStopsNone_data();
    void oneDatedInTheFutureStopsNone();
    void whatIsHeldAlreadyIsNotCopiedAgain();
    void numbersGiveTheOrderWhateverTheClockSays();
    void theOneThatHoldsMostIsTaken();
    void folderThatIsNotThereHoldsNoRecord();
    void anotherRecordIsNotTaken();
    void olderOneTakesNoSoundRecordsPlace();
    void laterOneTakesAnOlderRecordsPlace();
    void namedOneIsPutInPlaceAndSaysWhatItLacks();
    void thinningKeepsWhatOnlyOneHolds();
    void thoseOfTheFutureAreThinnedToo();
    void whatAKilledBackupLeavesIsRemoved();
    void killedRestoreIsFinishedOrForgotten();
    void twoRestoresInOneMillisecondKeepBoth();

private:
    fs::path database() const { return m_path / kDatabaseName; }
    fs::path backups() const { return m_path / kBackupFolder; }
    /// Without what a store does by itself when it is opened.
    void quietly(const std::function<void(Store&)>& work);
    void append(int runs);
    /// A backup of what there is now, under this name.
    fs::path backupAs(const std::string& name);
    void damage() const { writeBytes(database(), std::string(5000, 'x')); }
    std::unique_ptr<QTemporaryDir> m_folder;
    fs::path m_path;
};

void TestStoreBackups::quietly(const std::function<void(Store&)>& work)
{
    std::set<fs::path> before;
    for (const auto& file : listBackups(m_path))
        before.insert(file.path);
    {
        const auto store = Store::open(m_path).value();
        work(*store);
    }
    for (const auto& file : listBackups(m_path))
        if (file.why == QLatin1String("hourly") && !before.contains(file.path))
            fs::remove(file.path);
}

void TestStoreBackups::append(int runs)
{
    quietly([&](Store& store) {
        for (int i = 0; i < runs; ++i)
            durable(store.append(someRun(i))).value();
    });
}

fs::path TestStoreBackups::backupAs(const std::string& name)
{
    fs::path made;
    quietly([&](Store& store) { made = store.backup("by the test").value(); });
    fs::rename(made, backups() / name);
    return backups() / name;
}

void TestStoreBackups::oneDatedInTheFutureStopsNone_data()
{
    QTest::addColumn<QString>("name");
    QTest::newRow("of a program without numbers") << QStringLiteral("ridgepoint-20991231T235959000Z-hourly.db");
    QTest::newRow("numbered") << QStringLiteral("ridgepoint-000001-20991231T235959000Z-hourly.db");
}

void TestStoreBackups::oneDatedInTheFutureStopsNone()
{
    QFETCH(QString, name);
    append(3);
    backupAs(name.toStdString());
    append(1);
    QCOMPARE(listBackups(m_path).size(), 1u);
    Store::open(m_path).value()->flush();
    const auto after = listBackups(m_path);
    QCOMPARE(after.size(), 2u);
    QCOMPARE(after.front().why, QStringLiteral("hourly"));
    QCOMPARE(rowsIn(after.front().path), 4);
}

void TestStoreBackups::whatIsHeldAlreadyIsNotCopiedAgain()
{
    append(2);
    const fs::path made = backupAs(oldName("20991231T235959000", "by-the-test"));
    for (int i = 0; i < 3; ++i)
        Store::open(m_path).value()->flush();
    QCOMPARE(listBackups(m_path).size(), 1u);
    auto present = Connection::open(database(), Connection::Mode::ReadOnly).value();
    const auto hour = std::chrono::hours(1);
    QVERIFY(!backupIsDue(*present, m_path, hour, utc("2026-11-03T12:00:00Z")));
    fs::remove(made);
    QVERIFY(backupIsDue(*present, m_path, hour, utc("2026-11-03T12:00:00Z")));
    present.reset();
    // An empty record needs none.
    const fs::path empty = pathOf(*m_folder) / "empty";
    Store::open(empty).value();
    auto nothing = Connection::open(empty / kDatabaseName, Connection::Mode::ReadOnly).value();
    QVERIFY(!backupIsDue(*nothing, empty, hour, utc("2026-11-03T12:00:00Z")));
}

void TestStoreBackups::numbersGiveTheOrderWhateverTheClockSays()
{
    append(1);
    backupAs("ridgepoint-000007-20991231T235959000Z-hourly.db");
    const auto next = Store::open(m_path).value()->backup("by the test").value();
    const auto all = listBackups(m_path);
    QCOMPARE(all.size(), 2u);
    QCOMPARE(all.front().path, next);
    QCOMPARE(all.front().number, 8);
    QVERIFY(all.front().time < all.at(1).time);
}

void TestStoreBackups::theOneThatHoldsMostIsTaken()
{
    append(2);
    backupAs(oldName("20350101T100000000"));
    append(8);
    const fs::path most = backupAs(oldName("20261103T120000000"));
    append(1);
    damage();
    const auto opened = Store::open(m_path);
    QCOMPARE(codeOf(opened), QByteArray("store-damaged"));
    QVERIFY2(opened.error().message.find(most.string()) != std::string::npos, opened.error().message.c_str());
    QVERIFY2(opened.error().message.find("10 rows") != std::string::npos, opened.error().message.c_str());
    QVERIFY2(opened.error().fix.find("ridge store restore") != std::string::npos, opened.error().fix.c_str());
    const auto done = restoreRecord(m_path);
    R_VERIFY(done);
    QCOMPARE(done->backup, most);
    QCOMPARE(done->holds.rows, 10);
    QVERIFY(!done->holds.newestAt.isEmpty());
    QVERIFY(!done->lacks.has_value()); // nobody can read what is in a damaged one
    QCOMPARE(Store::open(m_path).value()->runs({}).value().size(), 10u);
}

void TestStoreBackups::folderThatIsNotThereHoldsNoRecord()
{
    const auto done = restoreRecord(m_path / "elsewhere");
    QCOMPARE(codeOf(done), QByteArray("store-missing"));
    QVERIFY(!fs::exists(m_path / "elsewhere"));
}

void TestStoreBackups::anotherRecordIsNotTaken()
{
    append(3);
    const fs::path own = backupAs("ridgepoint-000005-20261103T120000000Z-hourly.db");
    const fs::path mine = m_path;
    m_path = pathOf(*m_folder) / "other";
    append(50);
    const fs::path foreign = backupAs(oldName("20261104T120000000"));
    m_path = mine;
    fs::copy_file(foreign, backups() / foreign.filename());
    append(1);
    QCOMPARE(bestBackup(m_path)->file.path, own); // by the present record
    damage();
    QCOMPARE(bestBackup(m_path)->file.path, own); // by the backup that was made last
    fs::remove(own);
    QCOMPARE(bestBackup(m_path)->file.path, backups() / foreign.filename()); // better than none
}

void TestStoreBackups::olderOneTakesNoSoundRecordsPlace()
{
    append(2);
    const fs::path old = backupAs(oldName("20350101T100000000"));
    append(9);
    const std::string before = bytesOf(database());
    const auto done = restoreRecord(m_path);
    QCOMPARE(codeOf(done), QByteArray("older-backup"));
    QVERIFY2(done.error().message.find("9 rows (run 9;") != std::string::npos, done.error().message.c_str());
    QVERIFY2(done.error().fix.find(old.filename().string()) != std::string::npos, done.error().fix.c_str());
    QVERIFY(bytesOf(database()) == before);
    QVERIFY(!fs::exists(m_path / "damaged"));
    // A row that was changed is damage; then the backup is what there is, and what it lacks is told.
    {
        auto connection = Connection::open(database(), Connection::Mode::ReadWrite).value();
        R_VERIFY(connection->exec(QStringLiteral("DROP TRIGGER run_no_update")));
        R_VERIFY(connection->exec(QStringLiteral("UPDATE run SET lesson = '9.9' WHERE seq = 1")));
    }
    const auto mended = restoreRecord(m_path);
    R_VERIFY(mended);
    QCOMPARE(mended->holds.rows, 2);
    QVERIFY(mended->lacks.has_value());
    QCOMPARE(mended->lacks->total, 9);
}

void TestStoreBackups::laterOneTakesAnOlderRecordsPlace()
{
    append(2);
    const fs::path first = backupAs(oldName("20261101T100000000"));
    append(5);
    const fs::path second = backupAs(oldName("20261102T100000000"));
    R_VERIFY(restoreRecord(m_path, first)); // a mistake
    QCOMPARE(rowsIn(database()), 2);
    const auto back = restoreRecord(m_path);
    R_VERIFY(back);
    QCOMPARE(rowsIn(back->backup), 7);
    QCOMPARE(back->lacks->total, 0);
    QCOMPARE(rowsIn(database()), 7);
    Q_UNUSED(second);
}

void TestStoreBackups::namedOneIsPutInPlaceAndSaysWhatItLacks()
{
    append(2);
    const fs::path old = backupAs(oldName("20261101T100000000"));
    append(3);
    const auto done = restoreRecord(m_path, old);
    R_VERIFY(done);
    QCOMPARE(done->lacks->total, 3);
    QCOMPARE(done->lacks->byKind.at("run"), 3);
    QVERIFY(!done->lacks->newestAt.isEmpty());
    QCOMPARE(rowsIn(done->aside / kDatabaseName), 5);
    // Nothing is lost: what was put aside can be merged.
    append(1);
    auto store = Store::open(m_path).value();
    const auto merged = store->mergeFrom(done->aside);
    R_VERIFY(merged);
    QCOMPARE(merged->runs, 3);
    R_VERIFY(store->verify());
    std::vector<std::string> ids;
    const auto runs = store->runs({}).value();
    for (const RunRow& run : runs)
        ids.push_back(run.id);
    QCOMPARE(ids.size(), 6u);
    R_VERIFY(store->verifyRows(QStringLiteral("run"), ids)); // two rows of one number are two branches, no loss
}

void TestStoreBackups::thinningKeepsWhatOnlyOneHolds()
{
    append(2);
    const fs::path begin = backupAs(oldName("20261101T080000000"));
    append(5);
    const fs::path lost = backupAs(oldName("20261101T100000000"));
    R_VERIFY(restoreRecord(m_path, begin));
    append(1);
    const fs::path later = backupAs(oldName("20261101T110000000"));
    const fs::path last = backupAs(oldName("20261101T120000000"));
    thinBackups(m_path, utc("2026-11-05T12:00:00Z"));
    QVERIFY(!fs::exists(begin)); // the last of that day holds all of it
    QVERIFY(!fs::exists(later));
    QVERIFY(fs::exists(lost)); // five rows are nowhere else
    QVERIFY(fs::exists(last));
}

void TestStoreBackups::thoseOfTheFutureAreThinnedToo()
{
    append(2);
    std::vector<fs::path> made;
    for (const char* stamp : {"20350101T080000000", "20350101T090000000", "20350101T100000000", "20350102T080000000"})
        made.push_back(backupAs(oldName(stamp)));
    thinBackups(m_path, utc("2026-11-05T12:00:00Z"));
    QVERIFY(!fs::exists(made[0]));
    QVERIFY(!fs::exists(made[1]));
    QVERIFY(fs::exists(made[2]));
    QVERIFY(fs::exists(made[3]));
}

void TestStoreBackups::whatAKilledBackupLeavesIsRemoved()
{
    append(2);
    fs::create_directories(backups());
    const std::string name = "ridgepoint-20261101T080000000Z-hourly.db";
    for (const char* suffix : {".partial", ".partial-journal", ".partial-wal"})
        writeBytes(backups() / (name + suffix), "half of it");
    writeBytes(backups() / "mine.partial", "what somebody keeps here");
    R_VERIFY(Store::openReadOnly(m_path));
    QVERIFY(fs::exists(backups() / (name + ".partial"))); // a program may be writing it
    Store::open(m_path).value();
    for (const char* suffix : {".partial", ".partial-journal", ".partial-wal"})
        QVERIFY(!fs::exists(backups() / (name + suffix)));
    QVERIFY(fs::exists(backups() / "mine.partial"));
}

void TestStoreBackups::killedRestoreIsFinishedOrForgotten()
{
    append(4);
    const fs::path backup = backupAs(oldName("20261101T100000000"));
    const fs::path fresh = m_path / "ridgepoint.db.restored";
    // Killed after the old database was taken away; its log is still there.
    fs::copy_file(backup, fresh);
    fs::remove(database());
    writeBytes(m_path / kLogName, "the log of another database");
    QCOMPARE(Store::open(m_path).value()->runs({}).value().size(), 4u);
    QVERIFY(!fs::exists(fresh));
    // Killed before: what is there stays, with what was appended since.
    append(1);
    fs::copy_file(backup, fresh);
    fs::create_directories(m_path / "damaged" / "x");
    fs::create_hard_link(database(), m_path / "damaged" / "x" / kDatabaseName);
    QCOMPARE(Store::open(m_path).value()->runs({}).value().size(), 5u);
    QVERIFY(!fs::exists(fresh));
    QVERIFY(!fs::exists(m_path / "damaged" / "x" / kDatabaseName)); // else two names of one database in use
}

void TestStoreBackups::twoRestoresInOneMillisecondKeepBoth()
{
    append(1);
    const fs::path backup = backupAs(oldName("20261101T100000000"));
    std::set<fs::path> folders;
    for (int i = 0; i < 20; ++i) {
        const auto aside = Store::restoreBackup(m_path, backup);
        R_VERIFY(aside);
        folders.insert(*aside);
        QVERIFY(fs::exists(*aside / kDatabaseName));
    }
    QCOMPARE(folders.size(), 20u);
}

QTEST_GUILESS_MAIN(TestStoreBackups)
#include "tst_store_backups.moc"
