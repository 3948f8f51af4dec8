// SPDX-License-Identifier: GPL-3.0-or-later
#include "record_support.h"

#include "base/hash.h"
#include "record/files/content_files.h"
#include "record/sqlite.h"

#include <QSignalSpy>
#include <QSqlQuery>
#include <cmath>

using namespace ridge;
using namespace ridge::record;
using namespace ridge::test;

class TestStore : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        auto opened = Store::open(path());
        R_VERIFY(opened);
        m_store = std::move(*opened);
    }
    void cleanup()
    {
        m_store.reset();
        m_folder.reset();
    }

    void rowsComeBackAsTheyWere();
    void artifactsKeepTheirParts();
    void storeSurvivesReopening();
    void badRowsAreRefused_data();
    void badRowsAreRefused();
    void badRowsDoNotSpoilTheirNeighbours();
    void rowsCannotBeChangedByAnybody();
    void seqGrowsByOneAcrossKinds();
    void onlyPredictedRunsAreEligible();
    void latestRunOfEachBlock();
    void filters();
    void filesAreCheckedOnReading();
    void traceMustBeTheNamedOne();
    void signalsComeOnTheOwnersThread();
    void callbackGetsTheStoredRow();
    void readerStoreSeesNewRowsAndWritesNothing();
    void tamperingIsFoundByVerify();
    void burstIsCommittedTogether();

private:
    fs::path path() const { return pathOf(*m_folder); }
    std::string put(const PredictionRow& row) { return durable(m_store->append(row)).value(); }
    std::string put(const RunRow& row) { return durable(m_store->append(row)).value(); }
    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<Store> m_store;
};

void TestStore::rowsComeBackAsTheyWere()
{
    const std::string prediction = put(somePrediction());
    const RunRow given = someRun(8, prediction);
    const std::string trace("\0RTRC\xff binary", 13);
    const auto id = durable(m_store->append(given, trace));
    R_VERIFY(id);
    RunRow failed = someRun(16);
    failed.status = "failed";
    failed.error = Error{"worker-crashed", "It died", "here", "Again"};
    failed.metrics.clear();
    R_VERIFY(durable(m_store->append(failed)));
    R_VERIFY(durable(m_store->append(ReasonRow{{}, prediction, "one-sector", "I thought caches merge", {}, {}, 0})));
    R_VERIFY(durable(m_store->append(AnswerRow{{}, "2.4", "quiz-1", Json{{"picked", {1, 2}}}, true, {}, {}, 0})));

    const auto runs = m_store->runs({});
    R_VERIFY(runs);
    QCOMPARE(runs.value().size(), 2u);
    const RunRow& newest = runs.value()[0];
    QCOMPARE(newest.error->code, std::string("worker-crashed"));
    QCOMPARE(newest.error->fix, std::string("Again"));
    const RunRow& run = runs.value()[1];
    QCOMPARE(run.id, *id);
    QCOMPARE(run.predictionId, prediction);
    QCOMPARE(run.seed, given.seed);
    QVERIFY(run.params == given.params);
    QVERIFY(run.metrics == given.metrics);
    QVERIFY(run.limits == given.limits);
    QVERIFY(run.checks == given.checks);
    QVERIFY(run.fingerprint == given.fingerprint);
    QCOMPARE(run.version, 3);
    QCOMPARE(run.origin, m_store->origin());
    QVERIFY(!run.error);
    QCOMPARE(run.traceSha256, sha256Hex(trace));
    QCOMPARE(m_store->file(run.traceSha256).value(), trace);
    QVERIFY(QDateTime::fromString(QString::fromStdString(run.createdAt), Qt::ISODateWithMs).isValid());

    const auto predictions = m_store->predictions("2.4");
    R_VERIFY(predictions);
    QCOMPARE(predictions.value().at(0).high, 32.0);
    QVERIFY(predictions.value().at(0).params == somePrediction().params);
    QVERIFY(m_store->predictions("2.5").value().empty());
    QCOMPARE(m_store->reasons(prediction).value().at(0).text, std::string("I thought caches merge"));
    QCOMPARE(m_store->answers("2.4").value().at(0).answer->at("picked")[1], Json(2));
    QVERIFY(m_store->answers("2.4").value().at(0).correct);
    R_VERIFY(m_store->verify());
}

void TestStore::artifactsKeepTheirParts()
{
    const std::string prediction = put(somePrediction());
    const std::string first = put(someRun(1, prediction)), second = put(someRun(2, prediction));
    const auto code = durable(m_store->putFile("__global__ void k() {}"));
    R_VERIFY(code);
    ArtifactRow row;
    row.lesson = "2.4";
    row.kind = "report";
    row.title = "Strides";
    row.reflection = "Two lines\nof it";
    row.predictionIds = {prediction};
    row.runIds = {second, first};
    row.charts = Json::array({{{"experiment", "coalescing"}, {"chart", "sectors"}, {"caption", "c"}}});
    row.code = {{"01_naive.cu", *code}};
    R_VERIFY(durable(m_store->append(row)));

    const auto back = m_store->artifacts("2.4");
    R_VERIFY(back);
    const ArtifactRow& artifact = back.value().at(0);
    QVERIFY(artifact.runIds == row.runIds);
    QVERIFY(artifact.predictionIds == row.predictionIds);
    QCOMPARE(artifact.code.at(0).sha256, *code);
    QVERIFY(artifact.charts == row.charts);
    QCOMPARE(artifact.reflection, row.reflection);

    row.runIds = {first, "01890000-0000-7000-8000-000000000000"};
    const auto dangling = durable(m_store->append(row));
    QCOMPARE(codeOf(dangling), QByteArray("bad-row"));
    QVERIFY(dangling.error().message.find("01890000") != std::string::npos);
    QCOMPARE(m_store->artifacts().value().size(), 1u);
}

void TestStore::storeSurvivesReopening()
{
    const std::string origin = m_store->origin();
    const std::string id = put(somePrediction());
    m_store.reset();
    QVERIFY(!fs::exists(path() / "ridgepoint.db-wal")); // folded in, so that copying the one file is a copy
    auto opened = Store::open(path());
    R_VERIFY(opened);
    m_store = std::move(*opened);
    QCOMPARE(m_store->origin(), origin);
    QCOMPARE(m_store->predictions({}).value().at(0).id, id);
    const std::string next = put(somePrediction());
    QCOMPARE(m_store->predictions({}).value().at(0).id, next);
    QCOMPARE(m_store->predictions({}).value().at(0).seq, 2);
}

void TestStore::badRowsAreRefused_data()
{
    QTest::addColumn<std::function<QFuture<Result<std::string>>(Store&)>>("write");
    QTest::addColumn<std::string>("named");
    using Write = std::function<QFuture<Result<std::string>>(Store&)>;
    const auto prediction = [](auto change) {
        return Write([change](Store& store) {
            PredictionRow row = somePrediction();
            change(row);
            return store.append(row);
        });
    };
    const auto run = [](auto change) {
        return Write([change](Store& store) {
            RunRow row = someRun();
            change(row);
            return store.append(row);
        });
    };
    using P = PredictionRow;
    using R = RunRow;
    const auto add = [](const char* name, Write write, const char* named) {
        QTest::newRow(name) << std::move(write) << std::string(named);
    };
    add("no experiment", prediction([](P& row) { row.experiment.clear(); }), "experiment");
    add("low above high", prediction([](P& row) { std::swap(row.low, row.high); }), "low");
    add("point outside", prediction([](P& row) { row.point = 33; }), "interval");
    add("not a number", prediction([](P& row) { row.high = std::nan(""); }), "high");
    add("not UTF-8", prediction([](P& row) { row.lesson = "\xff\xfe"; }), "lesson");
    add("not UTF-8 in JSON", prediction([](P& row) { row.params["x"] = std::string("\xff"); }), "params");
    add("id", prediction([](P& row) { row.id = "7"; }), "id");
    add("time", prediction([](P& row) { row.createdAt = "yesterday"; }), "time");
    add("own seq", prediction([](P& row) { row.seq = 5; }), "seq");
    add("run without experiment", run([](R& row) { row.experiment.clear(); }), "experiment");
    add("run without target", run([](R& row) { row.target.clear(); }), "target");
    add("status", run([](R& row) { row.status = "perhaps"; }), "perhaps");
    add("failed without reason", run([](R& row) { row.status = "failed"; }), "error");
    add("finished with reason", run([](R& row) { row.error = Error{"x", "y", {}, {}}; }), "error");
    add("infinite metric", run([](R& row) { row.metrics["m"].value = INFINITY; }), "metrics");
    add("fingerprint", run([](R& row) { row.fingerprint = Json(3); }), "fingerprint");
    add("version", run([](R& row) { row.version = 0; }), "version");
    add("unknown prediction", run([](R& row) { row.predictionId = "01890000-0000-7000-8000-000000000000"; }),
        "01890000");
    add("unknown trace", run([](R& row) { row.traceSha256 = std::string(64, 'a'); }), "trace_sha256");
    add(
        "empty reason",
        [](Store& store) {
            return store.append(ReasonRow{{}, "p", {}, {}, {}, {}, 0});
        },
        "choice");
    add(
        "answer of nothing", [](Store& store) { return store.append(AnswerRow{}); }, "lesson");
    add(
        "artifact without title", [](Store& store) { return store.append(ArtifactRow{}); }, "title");
}

void TestStore::badRowsAreRefused()
{
    QFETCH(std::function<QFuture<Result<std::string>>(Store&)>, write);
    QFETCH(std::string, named);
    const auto answer = durable(write(*m_store));
    QCOMPARE(codeOf(answer), QByteArray("bad-row"));
    const std::string text = toText(answer.error());
    QVERIFY2(text.find(named) != std::string::npos, text.c_str());
    QVERIFY(!answer.error().fix.empty());
    // The store goes on, and the refused row took no number.
    put(somePrediction());
    QCOMPARE(m_store->predictions({}).value().at(0).seq, 1);
}

void TestStore::badRowsDoNotSpoilTheirNeighbours()
{
    RunRow bad = someRun();
    bad.predictionId = "01890000-0000-7000-8000-000000000000";
    std::vector<QFuture<Result<std::string>>> futures;
    for (int i = 0; i < 100; ++i)
        futures.push_back(m_store->append(i % 10 == 3 ? bad : someRun(i)));
    for (int i = 0; i < 100; ++i)
        QCOMPARE(durable(futures[static_cast<std::size_t>(i)]).ok(), i % 10 != 3);
    QCOMPARE(m_store->runs({}).value().size(), 90u);
    QCOMPARE(m_store->runs({}).value().at(0).seq, 90);
    R_VERIFY(m_store->verify());
}

void TestStore::rowsCannotBeChangedByAnybody()
{
    const std::string id = put(somePrediction());
    auto outside = Connection::open(path() / "ridgepoint.db", Connection::Mode::ReadWrite);
    R_VERIFY(outside);
    for (const char* sql :
         {"UPDATE prediction SET point = 1", "DELETE FROM prediction", "DELETE FROM meta",
          "UPDATE schema_version SET version = 7", "INSERT OR REPLACE INTO meta VALUES ('origin', 'x')"}) {
        const auto changed = (*outside)->exec(QLatin1String(sql));
        QVERIFY2(!changed.ok(), sql);
        QVERIFY2(changed.error().message.find("never changed") != std::string::npos, sql);
    }
    QCOMPARE(m_store->predictions({}).value().at(0).point, 16.0);
}

void TestStore::seqGrowsByOneAcrossKinds()
{
    const std::string prediction = put(somePrediction());
    put(someRun(1, prediction));
    R_VERIFY(durable(m_store->append(AnswerRow{{}, "2.4", "q", Json(1), false, {}, {}, 0})));
    PredictionRow foreign = somePrediction();
    foreign.origin = "01890000-0000-7000-8000-000000000001";
    foreign.seq = 99;
    put(foreign);
    put(someRun(2, prediction));
    const auto runs = m_store->runs({}).value();
    QCOMPARE(m_store->predictions({}).value().back().seq, 1);
    QCOMPARE(runs.at(1).seq, 2);
    QCOMPARE(m_store->answers("2.4").value().at(0).seq, 3);
    QCOMPARE(runs.at(0).seq, 4);
}

void TestStore::onlyPredictedRunsAreEligible()
{
    const std::string prediction = put(somePrediction());
    const std::string good = put(someRun(1, prediction));
    put(someRun(2));
    RunRow throttled = someRun(3, prediction);
    throttled.validity = "throttled";
    put(throttled);
    RunRow failed = someRun(4, prediction);
    failed.status = "failed";
    failed.error = Error{"x", "y", {}, {}};
    put(failed);
    PredictionRow later = somePrediction();
    later.origin = "01890000-0000-7000-8000-000000000001";
    later.seq = 50;
    RunRow before = someRun(5, put(later));
    before.origin = later.origin;
    before.seq = 49; // stored by that other machine before its prediction
    put(before);
    const auto eligible = m_store->runs({.eligible = true});
    R_VERIFY(eligible);
    QCOMPARE(eligible.value().size(), 1u);
    QCOMPARE(eligible.value()[0].id, good);
}

void TestStore::latestRunOfEachBlock()
{
    put(someRun(1));
    const std::string newest = put(someRun(2));
    RunRow other = someRun(3);
    other.block = "run-other";
    const std::string otherBlock = put(other);
    const auto latest = m_store->runs({.latest = true}).value();
    QCOMPARE(latest.size(), 2u);
    QCOMPARE(latest[0].id, otherBlock);
    QCOMPARE(latest[1].id, newest);

    // A failed run is no newest result, and a block with nothing else has none; a filter on what runs are ranked by
    // finds the same rows as the view.
    RunRow failed = someRun(4);
    failed.status = "failed";
    failed.error = Error{"out-of-memory", "No memory", "gpu:0", {}};
    put(failed);
    failed.lesson = "1.1";
    put(failed);
    other.lesson = "7.4";
    const std::string otherLesson = put(other);
    QCOMPARE(m_store->runs({.latest = true}).value().size(), 3u);
    QCOMPARE(m_store->runs({.lesson = "1.1", .latest = true}).value().size(), 0u);
    QCOMPARE(m_store->runs({.lesson = "7.4", .latest = true}).value().at(0).id, otherLesson);
    QCOMPARE(m_store->runs({.lesson = "2.4", .latest = true}).value().size(), 2u);
    QCOMPARE(m_store->runs({.experiment = other.experiment, .latest = true}).value().size(), 3u);
}

void TestStore::filters()
{
    RunRow other = someRun(1);
    other.experiment = "bank_conflicts";
    other.sweepId = "s2";
    other.target = "gpu:0";
    const std::string second = put(other);
    const std::string third = put(someRun(2)), fourth = put(someRun(3));
    QCOMPARE(m_store->runs({.experiment = "bank_conflicts"}).value().size(), 1u);
    QCOMPARE(m_store->runs({.sweepId = "s2"}).value().at(0).id, second);
    QCOMPARE(m_store->runs({.target = "gpu:0"}).value().at(0).id, second);
    QCOMPARE(m_store->runs({.lesson = "9.9"}).value().size(), 0u);
    QCOMPARE(m_store->runs({.ids = {third, second}}).value().size(), 2u);
    QCOMPARE(m_store->runs({.limit = 1}).value().at(0).id, fourth);
    QCOMPARE(m_store->runs({.experiment = "'; DROP TABLE run; --"}).value().size(), 0u);
}

void TestStore::filesAreCheckedOnReading()
{
    const std::string content(100000, 'x');
    const std::string sha = durable(m_store->putFile(content)).value();
    QCOMPARE(sha, sha256Hex(content));
    QCOMPARE(durable(m_store->putFile(content)).value(), sha);
    const fs::path file = path() / "files" / sha.substr(0, 2) / sha.substr(2);
    QVERIFY(fs::exists(file));

    const auto head = contentFiles(path()).head(sha, 10);
    QCOMPARE(head->bytes, std::string(10, 'x'));
    QCOMPARE(head->size, std::uintmax_t(content.size()));
    QCOMPARE(contentFiles(path()).head(sha, content.size())->bytes, content);

    writeBytes(file, std::string(100000, 'y'));
    QCOMPARE(codeOf(m_store->file(sha)), QByteArray("file-damaged"));
    QCOMPARE(codeOf(contentFiles(path()).head(sha, content.size())), QByteArray("file-damaged"));
    QCOMPARE(m_store->file(sha).error().place, file.string());
    QCOMPARE(codeOf(m_store->verify()), QByteArray("file-damaged"));
    QCOMPARE(durable(m_store->putFile(content)).value(), sha); // storing it again mends it
    R_VERIFY(m_store->verify());
    fs::remove(file);
    QCOMPARE(codeOf(m_store->file(sha)), QByteArray("file-missing"));
    QCOMPARE(codeOf(contentFiles(path()).head(sha, 1)), QByteArray("file-missing"));
    QCOMPARE(codeOf(m_store->file("../../etc/passwd")), QByteArray("bad-name"));
    QCOMPARE(durable(m_store->putFile({})).value(), sha256Hex(""));
    QCOMPARE(m_store->file(sha256Hex("")).value(), std::string());
}

void TestStore::traceMustBeTheNamedOne()
{
    RunRow row = someRun();
    row.traceSha256 = std::string(64, '0');
    QCOMPARE(codeOf(durable(m_store->append(row, "trace"))), QByteArray("bad-row"));
    row.traceSha256 = sha256Hex("trace");
    R_VERIFY(durable(m_store->append(row, "trace")));
}

void TestStore::signalsComeOnTheOwnersThread()
{
    QSignalSpy changed(m_store.get(), &Store::changed), failed(m_store.get(), &Store::writeFailed);
    QThread* seen = nullptr;
    connect(
        m_store.get(), &Store::changed, this, [&] { seen = QThread::currentThread(); }, Qt::DirectConnection);
    put(somePrediction());
    QTRY_COMPARE(changed.count(), 1);
    QCOMPARE(changed[0][0].toString(), QStringLiteral("prediction"));
    QCOMPARE(seen, thread());
    RunRow bad = someRun();
    bad.predictionId = "01890000-0000-7000-8000-000000000000";
    m_store->append(bad);
    QTRY_COMPARE(failed.count(), 1);
    QVERIFY(failed[0][0].toString().contains(QLatin1String("01890000")));
    QCOMPARE(changed.count(), 1);
}

void TestStore::callbackGetsTheStoredRow()
{
    std::optional<Result<RunRow>> told;
    m_store->append(someRun(), "trace", this, [&](const Result<RunRow>& row) { told = row; });
    QTRY_VERIFY(told);
    R_VERIFY(*told);
    const RunRow back = m_store->runs({}).value().at(0);
    QCOMPARE(told->value().id, back.id);
    QCOMPARE(told->value().seq, back.seq);
    QCOMPARE(told->value().createdAt, back.createdAt);
    QCOMPARE(told->value().traceSha256, back.traceSha256);

    told.reset();
    RunRow bad = someRun();
    bad.target.clear();
    m_store->append(bad, {}, this, [&](const Result<RunRow>& row) { told = row; });
    QVERIFY(!told); // never from inside the call
    QTRY_VERIFY(told);
    QCOMPARE(codeOf(*told), QByteArray("bad-row"));

    // A context that is gone is not called, and the row is stored all the same.
    auto context = std::make_unique<QObject>();
    bool called = false;
    m_store->append(someRun(2), {}, context.get(), [&](const Result<RunRow>&) { called = true; });
    context.reset();
    m_store->flush();
    QSignalSpy changed(m_store.get(), &Store::changed);
    QTRY_COMPARE(changed.count(), 1);
    QVERIFY(!called);
    QCOMPARE(m_store->runs({}).value().size(), 2u);
}

void TestStore::readerStoreSeesNewRowsAndWritesNothing()
{
    auto reader = Store::openReadOnly(path());
    R_VERIFY(reader);
    QVERIFY((*reader)->readOnly());
    QCOMPARE((*reader)->origin(), m_store->origin());
    QCOMPARE((*reader)->runs({}).value().size(), 0u);
    put(someRun());
    QCOMPARE((*reader)->runs({}).value().size(), 1u);
    QCOMPARE(codeOf(durable((*reader)->append(someRun()))), QByteArray("store-readonly"));
    QCOMPARE(codeOf(durable((*reader)->putFile("x"))), QByteArray("store-readonly"));
    QCOMPARE(codeOf((*reader)->backup("x")), QByteArray("store-readonly"));
    QCOMPARE(codeOf((*reader)->mergeFrom(path())), QByteArray("store-readonly"));
    R_VERIFY((*reader)->verify());
    QCOMPARE(codeOf(Store::openReadOnly(path() / "nowhere")), QByteArray("store-missing"));
}

void TestStore::tamperingIsFoundByVerify()
{
    put(somePrediction());
    put(somePrediction("2.5"));
    put(somePrediction());
    R_VERIFY(m_store->verify());
    {
        auto outside = Connection::open(path() / "ridgepoint.db", Connection::Mode::ReadWrite);
        R_VERIFY(outside);
        R_VERIFY((*outside)->exec(QStringLiteral("DROP TRIGGER prediction_no_update")));
        R_VERIFY((*outside)->exec(QStringLiteral("UPDATE prediction SET point = 20 WHERE seq = 3")));
    }
    const auto changed = m_store->verify();
    QCOMPARE(codeOf(changed), QByteArray("store-damaged"));
    QVERIFY(changed.error().message.find("changed after it was stored") != std::string::npos);
    {
        auto outside = Connection::open(path() / "ridgepoint.db", Connection::Mode::ReadWrite);
        R_VERIFY((*outside)->exec(QStringLiteral("UPDATE prediction SET point = 16 WHERE seq = 3")));
        R_VERIFY(m_store->verify());
        R_VERIFY((*outside)->exec(QStringLiteral("DROP TRIGGER prediction_no_delete")));
        R_VERIFY((*outside)->exec(QStringLiteral("DELETE FROM prediction WHERE seq = 2")));
    }
    const auto gone = m_store->verify();
    QCOMPARE(codeOf(gone), QByteArray("store-damaged"));
    QVERIFY(gone.error().message.find("is gone") != std::string::npos);
}

void TestStore::burstIsCommittedTogether()
{
    constexpr int kRows = 3000, kTogether = 512;
    QSignalSpy changed(m_store.get(), &Store::changed); // once a commit
    auto other = Connection::open(path() / "ridgepoint.db", Connection::Mode::ReadWrite);
    R_VERIFY((*other)->exec(QStringLiteral("BEGIN IMMEDIATE"))); // nothing can be committed meanwhile
    for (int i = 0; i < kRows; ++i)
        m_store->append(someRun(i));
    QVERIFY(m_store->pendingWrites() > 0);
    R_VERIFY((*other)->exec(QStringLiteral("ROLLBACK")));
    m_store->flush();
    QCOMPARE(m_store->pendingWrites(), 0);
    QTRY_VERIFY(!changed.isEmpty());
    QTest::qWait(0);
    // What the writer took before the others were there, and then as many as it takes at most.
    QVERIFY2(changed.count() <= 2 + kRows / kTogether, QByteArray::number(changed.count()).constData());
    QCOMPARE(m_store->runs({.limit = 1}).value().at(0).seq, kRows);
}

QTEST_GUILESS_MAIN(TestStore)
#include "tst_store.moc"
