// SPDX-License-Identifier: GPL-3.0-or-later
#include "record_support.h"

#include "base/hash.h"
#include "record/backups.h"
#include "record/open_options.h"

#include <QSignalSpy>
#include <sys/stat.h>

using namespace ridge;
using namespace ridge::record;
using namespace ridge::test;

namespace {

/// Everything a store says, in an order that does not depend on how it came in.
std::string tellAll(const Store& store)
{
    std::vector<std::string> lines;
    const auto predictions = store.predictions({}).value();
    const auto runs = store.runs({}).value();
    const auto answers = store.answers("2.4").value();
    const auto artifacts = store.artifacts().value();
    for (const PredictionRow& row : predictions)
        lines.push_back("p " + row.id + row.createdAt + row.origin + std::to_string(row.seq) +
                        toJson(row.params).dump());
    for (const RunRow& row : runs)
        lines.push_back("r " + row.id + row.createdAt + row.origin + std::to_string(row.seq) + row.predictionId +
                        toJson(row.params).dump() + metricsToJson(row.metrics).dump() + row.traceSha256);
    for (const AnswerRow& row : answers)
        lines.push_back("a " + row.id + row.answer->dump());
    for (const ArtifactRow& row : artifacts)
        lines.push_back("x " + row.id + row.title + row.runIds.at(0));
    for (const auto& [name, bytes] : contentOf(store.folder() / "files"))
        lines.push_back("f " + name + bytes);
    std::sort(lines.begin(), lines.end());
    std::string all;
    for (const std::string& line : lines)
        all += line + "\n";
    return all;
}

} // namespace

class TestStoreMerge : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }
    void unionOfRowsAndFiles();
    void twiceIsOnce();
    void orderDoesNotMatter();
    void openStoreWithALogIsOnlyRead();
    void olderStoreIsMergedThroughACopy();
    void damagedNewerOrAbsentStoreChangesNothing();
    void changedRowIsRefused();
    void lostFileIsNotedAndFilledInByALaterMerge();
    void whatIsNoFileIsLost_data();
    void whatIsNoFileIsLost();
    void fileRowsThatAreNoNamesStayOut();
    void unsoundReceiverIsMended();
    void predictionOrderSurvives();

private:
    fs::path at(const char* name) const { return pathOf(*m_folder) / name; }
    /// A store with a bit of everything; `mark` makes its content its own.
    void fill(const fs::path& folder, int mark);
    std::unique_ptr<QTemporaryDir> m_folder;
};

void TestStoreMerge::fill(const fs::path& folder, int mark)
{
    auto store = Store::open(folder).value();
    const std::string prediction = durable(store->append(somePrediction())).value();
    std::string run;
    for (int i = 0; i < 10; ++i)
        run = durable(store->append(someRun(mark + i, prediction), "trace " + std::to_string(mark + i / 5))).value();
    store->append(ReasonRow{{}, prediction, "choice", {}, {}, {}, 0});
    store->append(AnswerRow{{}, "2.4", "quiz", Json(mark), true, {}, {}, 0});
    ArtifactRow artifact;
    artifact.title = "Strides " + std::to_string(mark);
    artifact.runIds = {run};
    artifact.predictionIds = {prediction};
    artifact.code = {{"k.cu", durable(store->putFile("the same kernel everywhere")).value()}};
    store->append(artifact);
}

void TestStoreMerge::unionOfRowsAndFiles()
{
    fill(at("a"), 100);
    fill(at("b"), 200);
    auto store = Store::open(at("a")).value();
    QSignalSpy changed(store.get(), &Store::changed);
    const auto report = store->mergeFrom(at("b"));
    R_VERIFY(report);
    QCOMPARE(report->predictions, 1);
    QCOMPARE(report->runs, 10);
    QCOMPARE(report->reasons, 1);
    QCOMPARE(report->answers, 1);
    QCOMPARE(report->artifacts, 1);
    QCOMPARE(report->files, 2); // the kernel was there
    QCOMPARE(report->already, 0);
    QCOMPARE(changed.count(), 5);
    QCOMPARE(store->runs({}).value().size(), 20u);
    QCOMPARE(store->runs({.eligible = true}).value().size(), 20u);
    R_VERIFY(store->verify());
    const std::string next = durable(store->append(someRun(1))).value();
    QCOMPARE(store->runs({.ids = {next}}).value().at(0).seq, 15); // of this store's own, not of all
}

void TestStoreMerge::twiceIsOnce()
{
    fill(at("a"), 100);
    fill(at("b"), 200);
    auto store = Store::open(at("a")).value();
    R_VERIFY(store->mergeFrom(at("b")));
    const std::string once = tellAll(*store);
    const auto again = store->mergeFrom(at("b"));
    R_VERIFY(again);
    QCOMPARE(again->runs + again->predictions + again->reasons + again->answers + again->artifacts + again->files, 0);
    QCOMPARE(again->already, 14);
    const auto self = store->mergeFrom(at("a"));
    R_VERIFY(self);
    QCOMPARE(self->already, 28);
    QVERIFY(tellAll(*store) == once);
}

void TestStoreMerge::orderDoesNotMatter()
{
    for (const char* name : {"a", "b", "c"})
        fill(at(name), name[0] * 100);
    const auto merged = [&](const char* first, const std::vector<const char*>& others) {
        const fs::path folder = at((std::string("into-") + first).c_str());
        fs::copy(at(first), folder, fs::copy_options::recursive);
        auto store = Store::open(folder).value();
        for (const char* other : others)
            store->mergeFrom(at(other)).value();
        store->verify().ok() ? void() : QTest::qFail("not sound", __FILE__, __LINE__);
        return tellAll(*store);
    };
    const std::string abc = merged("a", {"b", "c"});
    QCOMPARE(merged("b", {"c", "a"}), abc);
    QCOMPARE(merged("c", {"a", "b"}), abc);
    QVERIFY(std::count(abc.begin(), abc.end(), '\n') >= 3 * 13 + 7);
}

void TestStoreMerge::openStoreWithALogIsOnlyRead()
{
    fill(at("a"), 100);
    auto other = Store::open(at("b")).value();
    R_VERIFY(durable(other->append(someRun(1))));
    // A machine that was switched off: the rows are only in the log.
    for (const char* name : {"ridgepoint.db", "ridgepoint.db-wal"}) {
        fs::create_directories(at("off"));
        fs::copy_file(at("b") / name, at("off") / name);
    }
    const auto off = contentOf(at("off"));
    const auto live = contentOf(at("b"));
    auto store = Store::open(at("a")).value();
    const auto report = store->mergeFrom(at("off"));
    R_VERIFY(report);
    QCOMPARE(report->runs, 1);
    QVERIFY(contentOf(at("off")) == off);

    const auto same = store->mergeFrom(at("b"));
    R_VERIFY(same);
    QCOMPARE(same->already, 1);
    QVERIFY(contentOf(at("b")) == live);
    R_VERIFY(durable(other->append(someRun(2)))); // and its owner goes on
}

void TestStoreMerge::olderStoreIsMergedThroughACopy()
{
    fill(at("old"), 100);
    const auto before = contentOf(at("old"));
    OpenOptions options;
    options.migrations.push_back(
        {migrations().back().version + 1, {QStringLiteral("ALTER TABLE run ADD COLUMN note TEXT")}});
    auto store = Store::open(at("new"), options).value();
    const auto report = store->mergeFrom(at("old"));
    R_VERIFY(report);
    QCOMPARE(report->runs, 10);
    R_VERIFY(store->verify());
    QVERIFY(contentOf(at("old")) == before);
}

void TestStoreMerge::damagedNewerOrAbsentStoreChangesNothing()
{
    fill(at("a"), 100);
    fill(at("wreck"), 200);
    fill(at("later"), 300);
    std::string bytes = bytesOf(at("wreck") / kDatabaseName);
    std::fill_n(bytes.begin() + 4096 * 3, 4096 * 4, '\x5a');
    writeBytes(at("wreck") / kDatabaseName, bytes);
    {
        auto connection = Connection::open(at("later") / kDatabaseName, Connection::Mode::ReadWrite);
        R_VERIFY((*connection)->exec(QStringLiteral("INSERT INTO schema_version VALUES (99, 'later')")));
    }
    auto store = Store::open(at("a")).value();
    const std::string before = tellAll(*store);
    const auto wreck = store->mergeFrom(at("wreck"));
    QCOMPARE(codeOf(wreck), QByteArray("store-damaged"));
    QCOMPARE(wreck.error().place, (at("wreck") / kDatabaseName).string());
    QCOMPARE(codeOf(store->mergeFrom(at("later"))), QByteArray("store-newer"));
    QCOMPARE(codeOf(store->mergeFrom(at("nowhere"))), QByteArray("store-missing"));
    fs::create_directories(at("garbage"));
    writeBytes(at("garbage") / kDatabaseName,
               "this is text, not a database, and it is long enough to be read as one.....");
    QCOMPARE(codeOf(store->mergeFrom(at("garbage"))), QByteArray("store-damaged"));
    QVERIFY(tellAll(*store) == before);
    QVERIFY(bytesOf(at("wreck") / kDatabaseName) == bytes);
    R_VERIFY(durable(store->append(someRun(1))));
}

void TestStoreMerge::changedRowIsRefused()
{
    fill(at("a"), 100);
    fill(at("b"), 200);
    {
        auto connection = Connection::open(at("b") / kDatabaseName, Connection::Mode::ReadWrite);
        R_VERIFY((*connection)->exec(QStringLiteral("DROP TRIGGER prediction_no_update")));
        R_VERIFY((*connection)->exec(QStringLiteral("UPDATE prediction SET point = 32")));
    }
    auto store = Store::open(at("a")).value();
    const std::string before = tellAll(*store);
    QCOMPARE(codeOf(store->mergeFrom(at("b"))), QByteArray("store-damaged"));
    QVERIFY(tellAll(*store) == before);
}

void TestStoreMerge::lostFileIsNotedAndFilledInByALaterMerge()
{
    fill(at("a"), 100);
    fill(at("b"), 200);
    fs::copy(at("b"), at("whole"), fs::copy_options::recursive);
    const std::string sha = sha256Hex("trace 200"); // of five runs
    QVERIFY(fs::remove(at("b") / "files" / sha.substr(0, 2) / sha.substr(2)));
    auto store = Store::open(at("a")).value();
    const auto first = store->mergeFrom(at("b"));
    R_VERIFY(first);
    QCOMPARE(first->runs, 10); // a row says more than its trace, and later rows hang on it
    QCOMPARE(first->lost.size(), 1u);
    QCOMPARE(first->lost.front().name, sha);
    QCOMPARE(first->lost.front().fault.code, std::string("file-missing"));
    QCOMPARE(first->lost.front().rows.size(), 5u);
    QVERIFY(first->lost.front().rows.front().starts_with("run "));
    R_VERIFY(store->verify()); // what is known to be lost is not looked for
    QCOMPARE(store->audit().value().lostFiles, 1);
    QVERIFY(store->audit().value().faults.empty());
    QCOMPARE(store->mergeFrom(at("b")).value().lost.size(), 1u); // said each time
    const auto second = store->mergeFrom(at("whole"));
    R_VERIFY(second);
    QCOMPARE(second->files, 1);
    QVERIFY(second->lost.empty());
    R_VERIFY(store->verify());
    QCOMPARE(store->audit().value().lostFiles, 0);
    R_VERIFY(store->file(sha));
}

void TestStoreMerge::whatIsNoFileIsLost_data()
{
    using Spoil = std::function<void(const fs::path&)>;
    QTest::addColumn<Spoil>("spoil");
    QTest::newRow("other content") << Spoil([](const fs::path& file) { writeBytes(file, "tracE 200"); });
    QTest::newRow("longer") << Spoil([](const fs::path& file) { writeBytes(file, bytesOf(file) + " and more"); });
    QTest::newRow("a pipe that nobody writes") << Spoil([](const fs::path& file) {
        fs::remove(file);
        QCOMPARE(::mkfifo(file.c_str(), 0600), 0);
    });
    QTest::newRow("a link to what never ends") << Spoil([](const fs::path& file) {
        fs::remove(file);
        fs::create_symlink("/dev/zero", file);
    });
    QTest::newRow("a folder") << Spoil([](const fs::path& file) {
        fs::remove(file);
        fs::create_directory(file);
    });
}

void TestStoreMerge::whatIsNoFileIsLost()
{
    QFETCH(std::function<void(const fs::path&)>, spoil);
    fill(at("a"), 100);
    fill(at("b"), 200);
    const std::string sha = sha256Hex("trace 200");
    spoil(at("b") / "files" / sha.substr(0, 2) / sha.substr(2));
    auto store = Store::open(at("a")).value();
    const auto merged = store->mergeFrom(at("b"));
    R_VERIFY(merged);
    QCOMPARE(merged->lost.size(), 1u);
    QCOMPARE(merged->lost.front().fault.code, std::string("file-damaged"));
    R_VERIFY(store->verify());
    QVERIFY(!fs::exists(at("a") / "files" / sha.substr(0, 2) / sha.substr(2)));
    auto other = Store::openReadOnly(at("b")).value();
    QCOMPARE(codeOf(other->verify()), QByteArray("file-damaged"));
}

void TestStoreMerge::fileRowsThatAreNoNamesStayOut()
{
    fill(at("a"), 100);
    fill(at("b"), 200);
    const QString path = QStringLiteral("../").repeated(18) + QStringLiteral("etc/passwd");
    QCOMPARE(path.size(), 64);
    {
        auto connection = Connection::open(at("b") / kDatabaseName, Connection::Mode::ReadWrite).value();
        R_VERIFY(connection->exec(QStringLiteral("INSERT INTO file VALUES (?, 5)"), {path}));
    }
    {
        auto store = Store::open(at("a")).value();
        const auto merged = store->mergeFrom(at("b"));
        R_VERIFY(merged);
        QCOMPARE(merged->runs, 10);
        QCOMPARE(merged->misnamedFiles, 1);
        QVERIFY(merged->lost.empty());
        R_VERIFY(store->verify());
    }
    // A row that names it was made by no Ridgepoint.
    {
        auto connection = Connection::open(at("b") / kDatabaseName, Connection::Mode::ReadWrite).value();
        R_VERIFY(
            connection->exec(QStringLiteral("INSERT INTO artifact_file SELECT id, 9, 'k', ? FROM artifact"), {path}));
    }
    fill(at("c"), 300);
    auto store = Store::open(at("c")).value();
    const std::string before = tellAll(*store);
    const auto refused = store->mergeFrom(at("b"));
    QCOMPARE(codeOf(refused), QByteArray("store-damaged"));
    QVERIFY2(refused.error().message.find("passwd") != std::string::npos, refused.error().message.c_str());
    QCOMPARE(store->runs({}).value().size(), 10u);
    R_VERIFY(store->verify());
}

void TestStoreMerge::unsoundReceiverIsMended()
{
    fill(at("a"), 100);
    const QString path = QStringLiteral("../").repeated(18) + QStringLiteral("etc/passwd");
    const std::string sha = sha256Hex("trace 100");
    auto store = Store::open(at("a")).value();
    {
        // As merges left it before.
        auto connection = Connection::open(at("a") / kDatabaseName, Connection::Mode::ReadWrite).value();
        R_VERIFY(connection->exec(QStringLiteral("INSERT INTO file VALUES (?, 5)"), {path}));
    }
    QVERIFY(fs::remove(at("a") / "files" / sha.substr(0, 2) / sha.substr(2)));
    const auto before = store->audit().value();
    QCOMPARE(before.faults.size(), 2u);
    for (const Error& fault : before.faults)
        QVERIFY2(fault.fix.find("ridge store check --mend") != std::string::npos, fault.fix.c_str());
    const auto noted = store->noteLostFiles();
    R_VERIFY(noted);
    QCOMPARE(noted->size(), 2u);
    const auto rows = std::ranges::find(*noted, sha, &LostFile::name)->rows;
    QCOMPARE(rows.size(), 5u);
    const auto after = store->audit().value();
    QVERIFY(after.faults.empty());
    QCOMPARE(after.lostFiles, 2);
    R_VERIFY(store->verify());
    QCOMPARE(store->noteLostFiles().value().size(), 0u);
    QCOMPARE(store->runs({}).value().size(), 10u);
    // A further loss is a fault again.
    const std::string next = sha256Hex("trace 101");
    QVERIFY(fs::remove(at("a") / "files" / next.substr(0, 2) / next.substr(2)));
    QCOMPARE(codeOf(store->verify()), QByteArray("file-missing"));
    QCOMPARE(codeOf(Store::openReadOnly(at("a")).value()->noteLostFiles()), QByteArray("store-readonly"));
}

void TestStoreMerge::predictionOrderSurvives()
{
    fill(at("a"), 100);
    fill(at("b"), 200);
    auto store = Store::open(at("b")).value();
    R_VERIFY(store->mergeFrom(at("a")));
    std::map<std::string, std::pair<std::string, std::int64_t>> predictions;
    const auto rows = store->predictions({}).value();
    for (const PredictionRow& row : rows)
        predictions[row.id] = {row.origin, row.seq};
    const auto runs = store->runs({}).value();
    QCOMPARE(runs.size(), 20u);
    for (const RunRow& run : runs) {
        QCOMPARE(predictions.at(run.predictionId).first, run.origin);
        QVERIFY(predictions.at(run.predictionId).second < run.seq);
    }
}

QTEST_GUILESS_MAIN(TestStoreMerge)
#include "tst_store_merge.moc"
