// SPDX-License-Identifier: GPL-3.0-or-later
#include "worker_support.h"

#include "base/paths.h"

#include <QPointer>

using namespace ridge;
using namespace ridge::record;
using namespace ridge::test;

class TestWorkerQuery : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void cleanup() { qunsetenv("RIDGE_FAKE_QUERY"); }
    void answers();
    void failures_data();
    void failures();
    void withoutBlocking();
    void destroyedBeforeTheAnswer();
    void workerFromTheEnvironment();
};

void TestWorkerQuery::answers()
{
    const auto document = queryWorker(fakeWorker(), QStringLiteral("describe"));
    R_VERIFY(document);
    QCOMPARE(document.value()["verb"], Json("describe"));
    WorkerOptions options = fakeWorker();
    options.launcher = {QStringLiteral("/usr/bin/env")};
    QCOMPARE(queryWorker(options, QStringLiteral("targets")).value()["verb"], Json("targets"));
}

void TestWorkerQuery::failures_data()
{
    QTest::addColumn<QByteArray>("code");
    QTest::newRow("garbage") << QByteArray("bad-protocol");
    QTest::newRow("endless") << QByteArray("bad-protocol");
    QTest::newRow("hang") << QByteArray("worker-hung");
    QTest::newRow("crash") << QByteArray("worker-crashed");
    QTest::newRow("fails") << QByteArray("worker-ended");
    QTest::newRow("missing") << QByteArray("worker-missing");
}

void TestWorkerQuery::failures()
{
    QFETCH(QByteArray, code);
    const QByteArray how = QTest::currentDataTag();
    qputenv("RIDGE_FAKE_QUERY", how);
    WorkerOptions options = fakeWorker();
    if (how == "missing")
        options.program = QStringLiteral("/nowhere/ridge-worker");
    const auto answer = queryWorker(options, QStringLiteral("describe"), how == "hang" ? 200 : 15000);
    QCOMPARE(codeOf(answer), code);
    QVERIFY(answer.error().place.find("describe") != std::string::npos);
    QVERIFY(!answer.error().fix.empty());
}

void TestWorkerQuery::withoutBlocking()
{
    QPointer<WorkerQuery> query = new WorkerQuery(fakeWorker(), QStringLiteral("targets"));
    QSignalSpy answered(query, &WorkerQuery::answered), failed(query, &WorkerQuery::failed);
    query->start();
    QVERIFY(answered.isEmpty());
    QTRY_COMPARE(answered.count(), 1);
    QCOMPARE((*answered[0][0].value<JsonValue>())["verb"], Json("targets"));
    QTRY_VERIFY(!query); // it deletes itself
    QVERIFY(failed.isEmpty());
}

void TestWorkerQuery::destroyedBeforeTheAnswer()
{
    qputenv("RIDGE_FAKE_QUERY", "hang");
    auto query = std::make_unique<WorkerQuery>(fakeWorker(), QStringLiteral("describe"));
    query->start();
    query.reset(); // the worker never answers: were it waited for, this test would not end
}

void TestWorkerQuery::workerFromTheEnvironment()
{
    const QByteArray before = qgetenv("RIDGE_WORKER");
    qputenv("RIDGE_WORKER", "/some/worker");
    QCOMPARE(defaultWorkerProgram(), QStringLiteral("/some/worker"));
    qunsetenv("RIDGE_WORKER");
    QCOMPARE(defaultWorkerProgram(), program("ridge-worker"));
    if (!before.isEmpty())
        qputenv("RIDGE_WORKER", before);
}

QTEST_GUILESS_MAIN(TestWorkerQuery)
#include "tst_worker_query.moc"
