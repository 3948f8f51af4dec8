// SPDX-License-Identifier: GPL-3.0-or-later
// A program that writes is killed with -9 at random moments: every row it has reported as durable is there.
#include "kill_rounds.h"
#include "record_support.h"

#include <QProcess>
#include <QRandomGenerator>
#include <set>

using namespace ridge;
using namespace ridge::record;
using namespace ridge::test;

class TestStoreKill : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyReportedRowIsThere();
    void everythingThatWritesMayBeKilled();
};

void TestStoreKill::everyReportedRowIsThere()
{
    const QTemporaryDir folder;
    const fs::path path = pathOf(folder);
    QRandomGenerator random(20240607);
    std::set<std::string> reported;
    for (int round = 0; round < 30; ++round) {
        QProcess child;
        child.start(QCoreApplication::applicationDirPath() + QStringLiteral("/record-child"),
                    {QStringLiteral("append"), folder.path()});
        // Some rounds end while the store is being opened, most in the middle of commits.
        const int rows = round % 6 == 0 ? 0 : random.bounded(1, 60);
        int seen = 0;
        QVERIFY(child.waitForStarted());
        while (seen < rows) {
            QVERIFY2(child.waitForReadyRead(60000), child.readAllStandardError().constData());
            while (child.canReadLine()) {
                reported.insert(child.readLine().trimmed().toStdString());
                ++seen;
            }
        }
        child.kill();
        QVERIFY(child.waitForFinished());
        while (child.canReadLine()) // a half line is a row that was not reported
            reported.insert(child.readLine().trimmed().toStdString());

        auto store = Store::open(path);
        R_VERIFY(store);
        R_VERIFY((*store)->verify());
        const auto runs = (*store)->runs({}).value();
        std::set<std::string> stored;
        for (std::size_t i = 0; i < runs.size(); ++i) {
            stored.insert(runs[i].id);
            QCOMPARE(runs[i].seq, static_cast<std::int64_t>(runs.size() - i)); // no gap, no number twice
        }
        for (const std::string& id : reported)
            QVERIFY2(stored.contains(id), id.c_str());
    }
    QVERIFY(reported.size() > 300);
}

/// A few of what `kill-store 1000` does (docs/validation.md has its result).
void TestStoreKill::everythingThatWritesMayBeKilled()
{
    const KillReport report =
        killStores(21, 7, QCoreApplication::applicationDirPath() + QStringLiteral("/record-child"));
    QVERIFY2(report.fault.empty(), report.fault.c_str());
    QCOMPARE(report.kills.size(), 7u);
    for (const auto& [kind, kills] : report.kills)
        QCOMPARE(kills, 3);
    QVERIFY(report.reported > 0);
}

QTEST_GUILESS_MAIN(TestStoreKill)
#include "tst_store_kill.moc"
