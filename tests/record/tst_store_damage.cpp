// SPDX-License-Identifier: GPL-3.0-or-later
// Damaged databases, and the way back.
#include "record_support.h"

#include "record/backups.h"
#include "record/restore.h"

using namespace ridge;
using namespace ridge::record;
using namespace ridge::test;

class TestStoreDamage : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_path = pathOf(*m_folder);
    }
    void damageIsNamedAndMended_data();
    void damageIsNamedAndMended();
    void onlyAGoodBackupIsNamed();
    void withoutABackupItSaysSo();
    void foreignDatabaseIsNotTouched();
    void flippedByteInARowIsFoundByVerify();
    void badBackupIsRefused();
    void startedButNeverFilledIsNotDamage();
    void emptyDatabaseIsReadAsWhatWritingBeginsWith();
    void emptyDatabaseBesideWhatWasStoredIsALoss_data();
    void emptyDatabaseBesideWhatWasStoredIsALoss();
    void damagedHeaderNamesTheWayBack_data();
    void damagedHeaderNamesTheWayBack();

private:
    fs::path database() const { return m_path / kDatabaseName; }
    fs::path fill(int runs);
    std::unique_ptr<QTemporaryDir> m_folder;
    fs::path m_path;
};

fs::path TestStoreDamage::fill(int runs)
{
    auto store = Store::open(m_path).value();
    for (int i = 0; i < runs; ++i)
        store->append(someRun(i));
    return store->backup("by the test").value();
}

void TestStoreDamage::damageIsNamedAndMended_data()
{
    using Damage = std::function<void(const fs::path&)>;
    QTest::addColumn<Damage>("damage");
    const auto edit = [](auto change) {
        return Damage([change](const fs::path& file) {
            std::string bytes = bytesOf(file);
            change(bytes);
            writeBytes(file, bytes);
        });
    };
    QTest::newRow("cut to half") << edit([](std::string& bytes) { bytes.resize(bytes.size() / 2); });
    QTest::newRow("cut to 50 bytes") << edit([](std::string& bytes) { bytes.resize(50); });
    QTest::newRow("cut to 5 bytes") << edit([](std::string& bytes) { bytes.resize(5); });
    QTest::newRow("emptied") << edit([](std::string& bytes) { bytes.clear(); });
    QTest::newRow("gone") << Damage([](const fs::path& file) { fs::remove(file); });
    QTest::newRow("garbage header") << edit([](std::string& bytes) { std::fill_n(bytes.begin(), 100, '\x5a'); });
    QTest::newRow("all garbage") << edit([](std::string& bytes) { std::fill(bytes.begin(), bytes.end(), '\x5a'); });
    QTest::newRow("flipped in every page") << edit([](std::string& bytes) {
        for (std::size_t page = 4096; page < bytes.size(); page += 4096)
            for (std::size_t i = 0; i < 8; ++i)
                bytes[page + i] = static_cast<char>(bytes[page + i] ^ 0x55);
    });
    QTest::newRow("flipped in one page") << edit(
        [](std::string& bytes) { bytes[4096 * 30] = static_cast<char>(bytes[4096 * 30] ^ 0x7f); });
    QTest::newRow("zeroed page") << edit(
        [](std::string& bytes) { std::fill_n(bytes.begin() + 4096 * 20, 4096, '\0'); });
}

void TestStoreDamage::damageIsNamedAndMended()
{
    QFETCH(std::function<void(const fs::path&)>, damage);
    const fs::path backup = fill(200);
    damage(database());
    const bool exists = fs::exists(database());
    const std::string wreck = bytesOf(database());

    for (int i = 0; i < 2; ++i) {
        const auto opened = i == 0 ? Store::open(m_path) : Store::openReadOnly(m_path);
        QCOMPARE(codeOf(opened), QByteArray("store-damaged"));
        QCOMPARE(opened.error().place, database().string());
        QVERIFY2(opened.error().message.find(backup.string()) != std::string::npos, opened.error().message.c_str());
        QVERIFY(!opened.error().fix.empty());
    }
    QCOMPARE(fs::exists(database()), exists);
    QVERIFY(bytesOf(database()) == wreck);

    const auto aside = Store::restoreBackup(m_path, backup);
    R_VERIFY(aside);
    if (exists)
        QVERIFY(bytesOf(*aside / kDatabaseName) == wreck);
    auto mended = Store::open(m_path);
    R_VERIFY(mended);
    QCOMPARE((*mended)->runs({}).value().size(), 200u);
    R_VERIFY((*mended)->verify());
    R_VERIFY(durable((*mended)->append(someRun(1000))));
    QCOMPARE((*mended)->runs({.limit = 1}).value().at(0).seq, 201);
}

void TestStoreDamage::onlyAGoodBackupIsNamed()
{
    const fs::path good = fill(50);
    const fs::path bad = fill(50);
    QVERIFY(good != bad);
    writeBytes(bad, bytesOf(bad).substr(0, 5000));
    writeBytes(database(), std::string(5000, 'x'));
    const auto opened = Store::open(m_path);
    QCOMPARE(codeOf(opened), QByteArray("store-damaged"));
    QVERIFY(opened.error().message.find(good.string()) != std::string::npos);
    QVERIFY(opened.error().message.find(bad.string()) == std::string::npos);
}

void TestStoreDamage::withoutABackupItSaysSo()
{
    writeBytes(database(), std::string(5000, 'x'));
    const auto opened = Store::open(m_path);
    QCOMPARE(codeOf(opened), QByteArray("store-damaged"));
    QVERIFY(opened.error().message.find("no usable backup") != std::string::npos);
    QVERIFY(!opened.error().fix.empty());
}

void TestStoreDamage::foreignDatabaseIsNotTouched()
{
    {
        auto other = Connection::open(database(), Connection::Mode::ReadWrite);
        R_VERIFY(other);
        R_VERIFY((*other)->exec(QStringLiteral("CREATE TABLE recipes (name TEXT)")));
    }
    const std::string before = bytesOf(database());
    const auto opened = Store::open(m_path);
    QCOMPARE(codeOf(opened), QByteArray("store-damaged"));
    QVERIFY(opened.error().message.find("not made by Ridgepoint") != std::string::npos);
    QVERIFY(bytesOf(database()) == before);
}

void TestStoreDamage::flippedByteInARowIsFoundByVerify()
{
    fill(20);
    std::string bytes = bytesOf(database());
    const std::size_t at = bytes.find("sectors/request");
    QVERIFY(at != std::string::npos);
    bytes[at] = 'S'; // still valid for SQLite, which keeps no checksums
    writeBytes(database(), bytes);
    auto opened = Store::open(m_path);
    R_VERIFY(opened);
    QCOMPARE(codeOf((*opened)->verify()), QByteArray("store-damaged"));
}

void TestStoreDamage::badBackupIsRefused()
{
    fill(5);
    const fs::path bad = m_path / "bad.db";
    writeBytes(bad, "nonsense that is long enough to be looked at");
    const std::string before = bytesOf(database());
    QCOMPARE(codeOf(Store::restoreBackup(m_path, bad)), QByteArray("bad-backup"));
    QCOMPARE(codeOf(Store::restoreBackup(m_path, m_path / "absent.db")), QByteArray("bad-backup"));
    QVERIFY(bytesOf(database()) == before);
    R_VERIFY(Store::open(m_path));
}

void TestStoreDamage::startedButNeverFilledIsNotDamage()
{
    // What a program leaves that was killed while it made its first store.
    writeBytes(database(), {});
    auto opened = Store::open(m_path);
    R_VERIFY(opened);
    R_VERIFY(durable((*opened)->append(someRun(1))));
}

void TestStoreDamage::emptyDatabaseIsReadAsWhatWritingBeginsWith()
{
    writeBytes(database(), {});
    auto reader = Store::openReadOnly(m_path);
    R_VERIFY(reader);
    QCOMPARE((*reader)->runs({}).value().size(), 0u);
    R_VERIFY((*reader)->verify());
    QVERIFY((*reader)->audit().value().faults.empty());
    QCOMPARE(fs::file_size(database()), 0u); // reading changes nothing
}

void TestStoreDamage::emptyDatabaseBesideWhatWasStoredIsALoss_data()
{
    QTest::addColumn<QString>("beside");
    QTest::newRow("files") << QStringLiteral("files/ab/cdef");
    QTest::newRow("a log") << QString::fromLatin1(kLogName);
}

void TestStoreDamage::emptyDatabaseBesideWhatWasStoredIsALoss()
{
    QFETCH(QString, beside);
    writeBytes(database(), {});
    const fs::path file = m_path / beside.toStdString();
    fs::create_directories(file.parent_path());
    writeBytes(file, "something");
    QCOMPARE(codeOf(Store::open(m_path)), QByteArray("store-damaged"));
    QCOMPARE(codeOf(Store::openReadOnly(m_path)), QByteArray("store-damaged"));
    QVERIFY(fs::exists(file));
}

void TestStoreDamage::damagedHeaderNamesTheWayBack_data()
{
    QTest::addColumn<int>("at");
    QTest::newRow("write version") << 18;
    QTest::newRow("read version") << 19;
    QTest::newRow("schema format") << 47;
}

void TestStoreDamage::damagedHeaderNamesTheWayBack()
{
    QFETCH(int, at);
    fill(5);
    std::string bytes = bytesOf(database());
    bytes[std::size_t(at)] = '\x63';
    writeBytes(database(), bytes);
    for (int i = 0; i < 2; ++i) {
        const auto opened = i == 0 ? Store::open(m_path) : Store::openReadOnly(m_path);
        QCOMPARE(codeOf(opened), QByteArray("store-damaged"));
        QVERIFY2(opened.error().fix.find("ridge store restore") != std::string::npos, opened.error().fix.c_str());
    }
    R_VERIFY(restoreRecord(m_path));
    QCOMPARE(Store::open(m_path).value()->runs({}).value().size(), 5u);
}

QTEST_GUILESS_MAIN(TestStoreDamage)
#include "tst_store_damage.moc"
