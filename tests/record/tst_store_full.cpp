// SPDX-License-Identifier: GPL-3.0-or-later
// The disk runs full at every possible moment; no committed row is lost and the store goes on afterwards.
#include "full_disk.h"
#include "record_support.h"

#include "base/hash.h"

#include <QSignalSpy>

using namespace ridge;
using namespace ridge::record;
using namespace ridge::test;

class TestStoreFull : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }
    void cleanup() { freeDisk(); }
    void rowsFailAndCommittedOnesStay_data();
    void rowsFailAndCommittedOnesStay();
    void largeTraceFailsAloneAndRowsGoOn();
    void openingOnAFullDisk();
    void backupOnAFullDisk();

private:
    std::unique_ptr<QTemporaryDir> m_folder;
};

void TestStoreFull::rowsFailAndCommittedOnesStay_data()
{
    QTest::addColumn<int>("bytesLeft");
    for (int left : {0, 1, 100, 4096, 5000, 8240, 12400, 20000, 41000, 100001})
        QTest::addRow("%d bytes", left) << left;
}

void TestStoreFull::rowsFailAndCommittedOnesStay()
{
    QFETCH(int, bytesLeft);
    const fs::path path = pathOf(*m_folder);
    auto store = Store::open(path).value();
    std::vector<std::string> committed;
    for (int i = 0; i < 20; ++i)
        committed.push_back(durable(store->append(someRun(i))).value());
    QSignalSpy notices(store.get(), &Store::writeFailed);

    fillDisk(m_folder->path().toStdString(), bytesLeft);
    int failed = 0;
    for (int i = 0; i < 40; ++i) {
        const auto answer =
            durable(store->append(someRun(100 + i), i % 7 == 0 ? std::string(3000, char('a' + i % 26)) : ""));
        if (answer.ok()) {
            committed.push_back(*answer);
            continue;
        }
        ++failed;
        QCOMPARE(codeOf(answer), QByteArray("disk-full"));
        QVERIFY(!answer.error().fix.empty());
        QVERIFY(answer.error().place.find(path.string()) == 0);
    }
    QVERIFY(failed > 0);
    QVERIFY(refusedWrites() > 0);
    QCOMPARE(store->runs({}).value().size(), committed.size()); // reading goes on
    QTRY_COMPARE(notices.count(), failed);
    QVERIFY(notices[0][0].toString().contains(QLatin1String("Free space")));

    freeDisk();
    committed.push_back(durable(store->append(someRun(999))).value());
    R_VERIFY(store->verify());
    store.reset();
    auto again = Store::open(path);
    R_VERIFY(again);
    R_VERIFY((*again)->verify());
    const auto rows = (*again)->runs({}).value();
    QCOMPARE(rows.size(), committed.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        QCOMPARE(rows[i].id, committed[rows.size() - 1 - i]);
        QCOMPARE(rows[i].seq, static_cast<std::int64_t>(rows.size() - i)); // a refused row takes no number
    }
}

void TestStoreFull::largeTraceFailsAloneAndRowsGoOn()
{
    const fs::path path = pathOf(*m_folder);
    auto store = Store::open(path).value();
    R_VERIFY(durable(store->append(someRun(1))));
    fillDisk(m_folder->path().toStdString(), 400000);
    const std::string large(1 << 20, 't');
    std::vector<QFuture<Result<std::string>>> futures;
    for (int i = 0; i < 10; ++i)
        futures.push_back(store->append(someRun(i), i == 4 ? large : std::string()));
    int failed = 0;
    for (auto& future : futures) {
        const auto answer = durable(future);
        failed += answer.ok() ? 0 : 1;
        if (answer.ok())
            continue;
        QCOMPARE(codeOf(answer), QByteArray("disk-full"));
        QVERIFY2(answer.error().message.find("Unknown error") == std::string::npos, answer.error().message.c_str());
    }
    // The trace may have eaten what was left; what matters is that nothing is half there.
    QVERIFY(failed >= 1);
    freeDisk();
    QCOMPARE(static_cast<int>(store->runs({}).value().size()), 11 - failed);
    QCOMPARE(codeOf(store->file(sha256Hex(large))), QByteArray("file-missing"));
    R_VERIFY(durable(store->append(someRun(4), large)));
    R_VERIFY(store->verify());
}

void TestStoreFull::openingOnAFullDisk()
{
    const fs::path path = pathOf(*m_folder) / "store";
    fillDisk(m_folder->path().toStdString(), 0);
    QCOMPARE(codeOf(Store::open(path)), QByteArray("disk-full"));
    for (int left = 500; left < 300000; left += 9000) {
        fillDisk(m_folder->path().toStdString(), left);
        const auto opened = Store::open(path);
        if (opened.ok())
            break;
        QCOMPARE(codeOf(opened), QByteArray("disk-full"));
    }
    freeDisk();
    auto store = Store::open(path); // what was begun is finished
    R_VERIFY(store);
    R_VERIFY(durable((*store)->append(someRun(1))));
    store.value().reset();
    fillDisk(m_folder->path().toStdString(), 0);
    auto reader = Store::openReadOnly(path);
    freeDisk();
    R_VERIFY(reader);
    QCOMPARE((*reader)->runs({}).value().size(), 1u);
}

void TestStoreFull::backupOnAFullDisk()
{
    const fs::path path = pathOf(*m_folder);
    auto store = Store::open(path).value();
    R_VERIFY(durable(store->append(someRun(1))));
    fillDisk(m_folder->path().toStdString(), 10000);
    QCOMPARE(codeOf(store->backup("x")), QByteArray("disk-full"));
    freeDisk();
    QVERIFY(!fs::exists(path / "backups") || fs::is_empty(path / "backups")); // no half backup that looks like one
    R_VERIFY(store->backup("x"));
}

QTEST_GUILESS_MAIN(TestStoreFull)
#include "tst_store_full.moc"
