// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/classroom/submission.h"
#include "base/hash.h"
#include "bundle/signed.h"
#include "tests/record/row_lines_support.h"

using namespace ridge;
using namespace ridge::classroom;
using namespace ridge::record;
using namespace ridge::test;

namespace {

const std::string kScript =
    "<script>alert(1)</script>[x](javascript:alert(1))<svg onload=alert(2)>'); DROP TABLE run;--";
const std::string kNow = "2099-06-01T12:00:00.000Z"; ///< later than every row of these tests
constexpr const char* kPurpose = "ridgepoint-submission 1";
constexpr const char* kFile = "drop/a.ridgesubmission";

using Entries = std::vector<bundle::Entry>;

bundle::Entry& entryOf(Entries& entries, const std::string& name)
{
    return *std::ranges::find(entries, name, &bundle::Entry::name);
}

} // namespace

class TestClassroomSubmission : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void sealedComesBack();
    void nothingOfTheLearnerStandsOutsideTheSeal();
    void consentDecidesFieldByField();
    void whatWasTakenAwayStaysHere();
    void textsComeThroughUnchanged();
    void sameSeedsGiveTheSameBytes();
    void otherOriginsNeedAWord();
    void nothingDoneIsNothingToHandIn();
    void seals();
    void manifests_data();
    void manifests();
    void entries_data();
    void entries();
    void rowsAreChecked_data();
    void rowsAreChecked();
    void replayIntoAnotherAssignment();
    void signatureByAnotherKey();
    void wrongClocksAreToldAndNotRefused();
    void everyTruncationIsRefused();

private:
    WrittenSubmission submit(const Assignment& assignment, const Consent& consent = {}) const
    {
        return createSubmission(*m_store, assignment, m_identity, {consent, "0.1.0"}).value();
    }
    Result<Submission> read(const std::string& bytes, const std::string& now = kNow) const
    {
        return readSubmission(bytes, kFile, m_keys, {m_open, m_sealed}, now);
    }
    /// An unsealed submission with a change, signed anew by the learner: what somebody who owns the program can make.
    std::string forged(const std::function<void(Entries&)>& change) const
    {
        Entries all = bundle::readArchive(submit(m_open, m_everything).bytes, {}, "x").value();
        change(all);
        return bundle::writeArchive(bundle::withSignature(all, kPurpose, m_identity.key)).value();
    }
    void expectRefused(const std::string& bytes, const QByteArray& code, const QByteArray& says) const
    {
        const auto result = read(bytes);
        QCOMPARE(codeOf(result), code);
        const QByteArray text = QByteArray::fromStdString(toText(result.error()));
        QVERIFY2(text.contains(says), text.constData());
        QVERIFY2(text.contains(kFile), text.constData());
        QVERIFY(!result.error().fix.empty());
    }

    QTemporaryDir m_folder;
    std::unique_ptr<Store> m_store;
    ClassKeys m_keys = classKeysFromSeed(std::string(32, 'k')).value();
    Identity m_identity = identityFromSeed(std::string(32, 'l')).value();
    Assignment m_open, m_sealed;
    Consent m_everything;
    std::string m_traceHash, m_codeHash;
};

void TestClassroomSubmission::initTestCase()
{
    Assignment assignment;
    assignment.title = "Week 3";
    assignment.lessons = {{"2.4", "Coalescing", "# Coalescing", {}}};
    m_open = createAssignment(assignment, m_keys, false)->assignment;
    m_sealed = createAssignment(assignment, m_keys)->assignment;
    m_everything = {"Ada <b>Lovelace</b>", true, true, true, true, true, {}};

    m_store = Store::open(pathOf(m_folder) / "store").value();
    const std::string prediction = durable(m_store->append(somePrediction())).value();
    const std::string run = durable(m_store->append(someRun(8, prediction), "trace bytes")).value();
    m_traceHash = sha256Hex("trace bytes");
    auto elsewhere = someRun();
    elsewhere.lesson = "1.6";
    durable(m_store->append(elsewhere)).value();
    durable(m_store->append(ReasonRow{{}, prediction, "own-sector", kScript, {}, {}, 0})).value();
    durable(m_store->append(AnswerRow{{}, "2.4", "quiz", Json(4), true, {}, {}, 0})).value();
    ArtifactRow artifact;
    artifact.lesson = "2.4";
    artifact.title = kScript;
    artifact.runIds = {run};
    m_codeHash = durable(m_store->putFile("__global__ void k() {}")).value();
    artifact.code = {{"../../k.cu", m_codeHash}};
    durable(m_store->append(artifact)).value();
    NoteRow note;
    note.lesson = "2.4";
    note.quote = "a quote";
    note.text = "first thought";
    note.noteId = durable(m_store->append(note)).value();
    note.text = "second thought";
    durable(m_store->append(note)).value();
    note = {};
    note.lesson = "2.4";
    note.quote = "another quote";
    note.text = "a secret";
    note.noteId = durable(m_store->append(note)).value();
    note.removed = true;
    durable(m_store->append(note)).value();
    JournalRow entry;
    entry.kind = "failure";
    entry.lesson = "2.4";
    entry.title = "It was slow";
    durable(m_store->append(entry)).value();
    m_store->flush();
}

void TestClassroomSubmission::sealedComesBack()
{
    const auto written = submit(m_sealed);
    QCOMPARE(QByteArray::fromStdString(written.fileName),
             QByteArray::fromStdString(m_identity.learner + "-" + m_sealed.id.substr(0, 8) + ".ridgesubmission"));
    const auto read = this->read(written.bytes);
    R_VERIFY(read);
    QVERIFY(read->sealed);
    QVERIFY(read->notices.empty());
    QCOMPARE(read->assignment, m_sealed.id);
    QCOMPARE(read->learner, m_identity.learner);
    QCOMPARE(read->publicKey, m_identity.key.publicKey);
    QCOMPARE(read->appVersion, std::string("0.1.0"));
    QVERIFY(read->lessons == std::vector<std::string>{"2.4"});
    QVERIFY(read->origins == std::vector<std::string>{m_store->origin()});
    QVERIFY(read->name.empty());
    QStringList kinds;
    for (const RowLine& row : read->rows)
        kinds << row.kind;
    QCOMPARE(kinds.join(QLatin1Char(' ')), QStringLiteral("prediction run reason answer artifact"));
    QCOMPARE(read->rows.size(), written.rows);
    // Code goes along, the timeline is named and stays at home.
    QCOMPARE(read->contents.size(), std::size_t(1));
    QCOMPARE(read->contents.at(m_codeHash), std::string("__global__ void k() {}"));
    QCOMPARE(read->files.size(), std::size_t(2));
    for (const SubmittedFile& file : read->files) {
        QCOMPARE(file.included, file.sha256 == m_codeHash);
        QCOMPARE(file.size, file.included ? std::uint64_t(22) : std::uint64_t(11));
    }
    QCOMPARE(this->read(written.bytes)->digest, read->digest);
    QVERIFY(this->read(submit(m_open).bytes)->digest != read->digest);
}

void TestClassroomSubmission::nothingOfTheLearnerStandsOutsideTheSeal()
{
    const auto written = submit(m_sealed, m_everything);
    const Entries outside = bundle::readArchive(written.bytes, {}, "x").value();
    QCOMPARE(outside.size(), std::size_t(2));
    for (const bundle::Entry& entry : outside)
        for (const std::string& word : {m_identity.learner, m_identity.key.publicKey, std::string("Ada"),
                                        m_store->origin(), std::string("coalescing"), m_codeHash})
            QVERIFY2(entry.bytes.find(word) == std::string::npos, word.c_str());
}

void TestClassroomSubmission::consentDecidesFieldByField()
{
    const auto kindsWith = [&](const std::function<void(Consent&)>& change) {
        Consent consent;
        change(consent);
        const auto submission = read(submit(m_open, consent).bytes).value();
        QSet<QString> kinds;
        for (const RowLine& row : submission.rows)
            kinds << row.kind;
        return kinds;
    };
    const auto s = [](const char* text) { return QString::fromLatin1(text); };
    QVERIFY(!kindsWith([](Consent& c) { c.reasons = false; }).contains(s("reason")));
    QVERIFY(!kindsWith([](Consent& c) { c.artifacts = false; }).contains(s("artifact")));
    QVERIFY(!kindsWith([](Consent&) {}).contains(s("note")));
    QVERIFY(kindsWith([](Consent& c) { c.notes = true; }).contains(s("note")));
    QVERIFY(!kindsWith([](Consent&) {}).contains(s("journal")));
    QVERIFY(kindsWith([](Consent& c) { c.journal = true; }).contains(s("journal")));

    const auto all = submit(m_open, m_everything);
    const auto submission = read(all.bytes).value();
    QCOMPARE(submission.name, m_everything.name);
    QVERIFY(submission.consent.traces && submission.consent.notes && submission.consent.journal);
    QCOMPARE(submission.contents.at(m_traceHash), std::string("trace bytes"));
    QVERIFY(all.contains.front().find("Ada") != std::string::npos);

    Consent little;
    little.reasons = little.artifacts = false;
    const auto bare = submit(m_open, little);
    QVERIFY(bare.contains.front().find("not in it") != std::string::npos);
    QVERIFY(read(bare.bytes)->contents.empty());
    const Entries inside = bundle::readArchive(bare.bytes, {}, "x").value();
    for (const bundle::Entry& entry : inside)
        QVERIFY(entry.bytes.find("script") == std::string::npos && entry.bytes.find("Ada") == std::string::npos);
}

void TestClassroomSubmission::whatWasTakenAwayStaysHere()
{
    const Entries inside = bundle::readArchive(submit(m_open, m_everything).bytes, {}, "x").value();
    const std::string rows = bundle::findEntry(inside, "rows.jsonl")->bytes;
    QVERIFY(rows.find("second thought") != std::string::npos);
    QVERIFY(rows.find("first thought") == std::string::npos);
    QVERIFY(rows.find("a secret") == std::string::npos);
    QVERIFY(rows.find("another quote") == std::string::npos);
}

void TestClassroomSubmission::textsComeThroughUnchanged()
{
    const auto submission = read(submit(m_open, m_everything).bytes).value();
    QCOMPARE(submission.name, std::string("Ada <b>Lovelace</b>"));
    int seen = 0;
    for (const RowLine& row : submission.rows)
        for (const Column& column : row.columns)
            if (column.value.toString().toStdString() == kScript)
                ++seen;
    QCOMPARE(seen, 2);
}

void TestClassroomSubmission::sameSeedsGiveTheSameBytes()
{
    SubmissionOptions options{{}, "0.1.0", "2026-05-01T10:00:00.000Z", std::string(32, 's')};
    const auto once = createSubmission(*m_store, m_sealed, m_identity, options).value();
    QCOMPARE(createSubmission(*m_store, m_sealed, m_identity, options)->bytes, once.bytes);
    R_VERIFY(read(once.bytes));
    options.sealSeed.clear();
    QVERIFY(createSubmission(*m_store, m_sealed, m_identity, options)->bytes != once.bytes);
}

void TestClassroomSubmission::otherOriginsNeedAWord()
{
    QTemporaryDir folder;
    auto store = Store::open(pathOf(folder) / "laptop").value();
    store->flush();
    R_VERIFY(store->mergeFrom(m_store->folder()));
    SubmissionOptions options;
    // Rows of another record are left out unless the learner says that it is theirs.
    QCOMPARE(codeOf(createSubmission(*store, m_open, m_identity, options)), QByteArray("submission-empty"));
    options.consent.otherOrigins = {m_store->origin()};
    const auto written = createSubmission(*store, m_open, m_identity, options);
    R_VERIFY(written);
    QCOMPARE(read(written->bytes)->origins.size(), std::size_t(2));
    // An own artifact over somebody else's run cannot be handed in without it.
    ArtifactRow artifact;
    artifact.lesson = "2.4";
    artifact.title = "borrowed";
    artifact.runIds = {store->runs({.lesson = "2.4"})->front().id};
    durable(store->append(artifact)).value();
    options.consent.otherOrigins.clear();
    const auto refused = createSubmission(*store, m_open, m_identity, options);
    QCOMPARE(codeOf(refused), QByteArray("submission-foreign-row"));
    QVERIFY(toText(refused.error()).find(m_store->origin()) != std::string::npos);
}

void TestClassroomSubmission::nothingDoneIsNothingToHandIn()
{
    Assignment other;
    other.title = "Later";
    other.lessons = {{"7.1", "x", "x", {}}};
    other = createAssignment(other, m_keys)->assignment;
    QCOMPARE(codeOf(createSubmission(*m_store, other, m_identity, {})), QByteArray("submission-empty"));
}

void TestClassroomSubmission::seals()
{
    const std::string sealed = submit(m_sealed).bytes;
    const auto other = classKeysFromSeed(std::string(32, 'x')).value();
    const auto wrongKey = readSubmission(sealed, kFile, other, {m_sealed}, kNow);
    QCOMPARE(codeOf(wrongKey), QByteArray("sealed-to-another"));
    QCOMPARE(wrongKey.error().place, std::string(kFile) + ", entry sealed.bin");

    // A seal that says another assignment outside than the submission inside.
    Entries outer = bundle::readArchive(sealed, {}, "x").value();
    Json manifest = Json::parse(entryOf(outer, "manifest.json").bytes);
    manifest["assignment"] = m_open.id;
    entryOf(outer, "manifest.json").bytes = manifest.dump();
    expectRefused(bundle::writeArchive(outer).value(), "submission-other-assignment", "Outside the seal");

    outer = bundle::readArchive(sealed, {}, "x").value();
    entryOf(outer, "sealed.bin").bytes[100] ^= 1;
    expectRefused(bundle::writeArchive(outer).value(), "sealed-to-another", "entry sealed.bin");
    outer = bundle::readArchive(sealed, {}, "x").value();
    outer.push_back({"more", "x"});
    expectRefused(bundle::writeArchive(outer).value(), "bad-submission", "two entries");
    // Nothing, rubbish and a bomb inside the seal.
    const std::string bomb = bundle::writeArchive({{"zeros", std::string(20u << 20, '\0')}}).value();
    for (const std::string& inside : {std::string(), std::string("rubbish"), bomb}) {
        outer = bundle::readArchive(sealed, {}, "x").value();
        entryOf(outer, "sealed.bin").bytes = bundle::seal(inside, m_keys.seal.publicKey).value();
        const auto result = read(bundle::writeArchive(outer).value());
        QCOMPARE(codeOf(result), inside == bomb ? QByteArray("archive-large") : QByteArray("archive-broken"));
        QVERIFY(toText(result.error()).find("inside the seal") != std::string::npos);
    }
    // A seal inside a seal is not opened.
    outer = bundle::readArchive(sealed, {}, "x").value();
    entryOf(outer, "sealed.bin").bytes = bundle::seal(sealed, m_keys.seal.publicKey).value();
    expectRefused(bundle::writeArchive(outer).value(), "bad-submission", "manifest");

    // Unsealed though it should be sealed: readable, and told.
    Assignment unsealing = m_sealed;
    unsealing.sealKey.clear();
    const auto unsealed = read(submit(unsealing).bytes);
    R_VERIFY(unsealed);
    QCOMPARE(unsealed->notices.size(), std::size_t(1));
    QCOMPARE(unsealed->notices[0].code, std::string("submission-unsealed"));
}

void TestClassroomSubmission::manifests_data()
{
    using Change = std::function<void(Json&)>;
    QTest::addColumn<Change>("change");
    QTest::addColumn<QByteArray>("code");
    QTest::addColumn<QByteArray>("says");
    const auto row = [](const char* name, Change change, const char* says, const char* code = "bad-submission") {
        QTest::newRow(name) << change << QByteArray(code) << QByteArray(says);
    };
    row(
        "format", [](Json& m) { m["format"] = "ridgepoint-assignment"; }, "ridgepoint-submission");
    row(
        "later version", [](Json& m) { m["version"] = 9; }, "Update", "submission-newer");
    row(
        "assignment that is no id", [](Json& m) { m["assignment"] = "../x"; }, "assignment");
    row(
        "unknown assignment", [](Json& m) { m["assignment"] = "0190c0de-0000-7000-8000-000000000000"; },
        "not one of this class", "submission-other-assignment");
    row(
        "another's pseudonym", [](Json& m) { m["learner"] = "L-AAAAAAAAAA"; }, "does not belong to the key");
    row(
        "SQL as a pseudonym", [](Json& m) { m["learner"] = "'; DROP--"; }, "does not belong to the key");
    row(
        "another's key",
        [](Json& m) {
            m["public_key"] = identityFromSeed(std::string(32, 'x'))->key.publicKey;
            m["learner"] = identityFromSeed(std::string(32, 'x'))->learner;
        },
        "signature", "signature-wrong");
    row(
        "no key", [](Json& m) { m.erase("public_key"); }, "public_key");
    row(
        "time", [](Json& m) { m["created_at"] = "now"; }, "created_at");
    row(
        "origins", [](Json& m) { m["origins"] = Json::array({"x"}); }, "origins");
    row(
        "no origins", [](Json& m) { m["origins"] = Json::array(); }, "does not name as the learner's",
        "submission-foreign-row");
    row(
        "another learner's origin", [](Json& m) { m["origins"] = {"0190c0de-0000-7000-8000-000000000000"}; },
        "does not name as the learner's", "submission-foreign-row");
    row(
        "very many origins", [](Json& m) { m["origins"] = Json(std::vector<std::string>(1000, "x")); }, "origins");
    row(
        "name without consent", [](Json& m) { m["consent"]["name"] = false; }, "consent");
    row(
        "consent for a name that is not there", [](Json& m) { m.erase("name"); }, "consent");
    row(
        "consent that is no flag", [](Json& m) { m["consent"]["notes"] = "yes"; }, "consent.notes");
    row(
        "no consent", [](Json& m) { m.erase("consent"); }, "consent");
    row(
        "files is an object", [](Json& m) { m["files"] = Json::object(); }, "files");
    row(
        "file out of the folder", [](Json& m) { m["files"][0]["sha256"] = "../../../etc/passwd"; }, "files[].sha256");
    row(
        "negative size", [](Json& m) { m["files"][0]["bytes"] = -1; }, "files[].bytes");
    row(
        "wrong size", [](Json& m) { m["files"][0]["bytes"] = 5; }, "SHA-256 or its size");
    row(
        "wrong hash", [](Json& m) { m["files"][0]["sha256"] = std::string(64, 'a'); }, "missing");
    row(
        "file twice", [](Json& m) { m["files"].push_back(m["files"][0]); }, "twice");
    row(
        "file not named", [](Json& m) { m["files"].erase(0); }, "does not name");
    row(
        "included though it is not there",
        [](Json& m) {
            m["files"].push_back({{"sha256", std::string(64, 'b')}, {"bytes", 1}, {"included", true}});
        },
        "missing");
    row(
        "deep",
        [](Json& m) {
            for (int i = 0; i < 100; ++i)
                m = Json::array({m});
        },
        "nested");
    row(
        "huge", [](Json& m) { m["more"] = std::string(5u << 20, 'x'); }, "bytes");
}

void TestClassroomSubmission::manifests()
{
    QFETCH(std::function<void(Json&)>, change);
    QFETCH(QByteArray, code);
    QFETCH(QByteArray, says);
    const std::string bytes = forged([&](Entries& all) {
        Json manifest = Json::parse(entryOf(all, "manifest.json").bytes);
        change(manifest);
        entryOf(all, "manifest.json").bytes = manifest.dump();
    });
    // A text that packs to nothing is a bomb before it is a manifest.
    expectRefused(bytes, qstrcmp(QTest::currentDataTag(), "huge") == 0 ? QByteArray("archive-large") : code,
                  qstrcmp(QTest::currentDataTag(), "huge") == 0 ? QByteArray("times its size") : says);
}

void TestClassroomSubmission::entries_data()
{
    using Change = std::function<void(Entries&)>;
    QTest::addColumn<Change>("change");
    QTest::addColumn<QByteArray>("code");
    QTest::addColumn<QByteArray>("says");
    const auto row = [](const char* name, Change change, const char* code, const char* says) {
        QTest::newRow(name) << change << QByteArray(code) << QByteArray(says);
    };
    row(
        "no manifest", [](Entries& all) { std::erase_if(all, [](auto& e) { return e.name == "manifest.json"; }); },
        "bad-submission", "entry manifest.json");
    row(
        "no rows", [](Entries& all) { std::erase_if(all, [](auto& e) { return e.name == "rows.jsonl"; }); },
        "bad-submission", "entry rows.jsonl");
    row(
        "more",
        [](Entries& all) {
            all.push_back({"evil.sh", "rm -rf"});
        },
        "bad-submission", "evil.sh");
    row(
        "more files",
        [](Entries& all) {
            all.push_back({"files/" + std::string(64, 'c'), "x"});
        },
        "bad-submission", "does not name");
    row(
        "manifest that is not UTF-8", [](Entries& all) { entryOf(all, "manifest.json").bytes = "{\"a\":\"\xff\"}"; },
        "bad-submission", "manifest.json");
    row(
        "changed file",
        [](Entries& all) {
            for (bundle::Entry& entry : all)
                if (entry.name.starts_with("files/"))
                    entry.bytes += "x";
        },
        "bad-submission", "SHA-256");
}

void TestClassroomSubmission::entries()
{
    QFETCH(std::function<void(Entries&)>, change);
    QFETCH(QByteArray, code);
    QFETCH(QByteArray, says);
    expectRefused(forged(change), code, says);
}

void TestClassroomSubmission::rowsAreChecked_data()
{
    using Change = std::function<void(std::vector<Json>&)>;
    QTest::addColumn<Change>("change");
    QTest::addColumn<QByteArray>("code");
    const auto row = [](const char* name, Change change, const char* code) {
        QTest::newRow(name) << change << QByteArray(code);
    };
    row(
        "wrong digest", [](auto& lines) { lineOf(lines, "answer")["columns"]["correct"] = 0; }, "rows-digest");
    row(
        "unknown kind", [](auto& lines) { lines[0]["kind"] = "grade"; }, "rows-kind");
    row(
        "negative seq",
        [](auto& lines) {
            Json& line = lineOf(lines, "answer");
            line["seq"] = -5;
            redigest(line);
        },
        "rows-value");
    row(
        "another learner's origin",
        [](auto& lines) {
            Json& line = lineOf(lines, "answer");
            line["origin"] = "0190c0de-0000-7000-8000-000000000000";
            redigest(line);
        },
        "submission-foreign-row");
    row(
        "a better answer in the chain",
        [](auto& lines) {
            Json& line = lineOf(lines, "prediction");
            line["columns"]["point"] = 32.0;
            redigest(line);
        },
        "rows-chain");
    row(
        "file that the manifest does not name",
        [](auto& lines) {
            Json& line = lines.back();
            line = lineOf(lines, "run");
            line["id"] = "0190c0de-0000-7000-8000-000000000000";
            line["seq"] = 1000;
            line["columns"]["trace_sha256"] = std::string(64, 'd');
            redigest(line);
        },
        "bad-submission");
}

void TestClassroomSubmission::rowsAreChecked()
{
    QFETCH(std::function<void(std::vector<Json>&)>, change);
    QFETCH(QByteArray, code);
    const std::string bytes = forged([&](Entries& all) {
        auto lines = jsonLines(entryOf(all, "rows.jsonl").bytes);
        change(lines);
        entryOf(all, "rows.jsonl").bytes = textOf(lines);
    });
    expectRefused(bytes, code, "entry ");
}

void TestClassroomSubmission::replayIntoAnotherAssignment()
{
    // The file of one assignment dropped into the folder of another class.
    const auto result = readSubmission(submit(m_open).bytes, kFile, m_keys, {m_sealed}, kNow);
    QCOMPARE(codeOf(result), QByteArray("submission-other-assignment"));
    const auto sealed = readSubmission(submit(m_sealed).bytes, kFile, m_keys, {m_open}, kNow);
    QCOMPARE(codeOf(sealed), QByteArray("submission-other-assignment"));
    // An assignment file is no submission, whoever signed it.
    const auto assignment = createAssignment(m_open, m_keys).value();
    expectRefused(assignment.bytes, "bad-submission", "ridgepoint-submission");
}

void TestClassroomSubmission::signatureByAnotherKey()
{
    Entries all = bundle::readArchive(submit(m_open).bytes, {}, "x").value();
    const auto thief = identityFromSeed(std::string(32, 'x')).value();
    expectRefused(bundle::writeArchive(bundle::withSignature(all, kPurpose, thief.key)).value(), "signature-wrong",
                  "entry signature");
    // A signature for another purpose by the right key.
    expectRefused(bundle::writeArchive(bundle::withSignature(all, "ridgepoint-assignment 1", m_identity.key)).value(),
                  "signature-wrong", "entry signature");
    std::erase_if(all, [](const bundle::Entry& entry) { return entry.name == "signature"; });
    expectRefused(bundle::writeArchive(all).value(), "signature-missing", "entry signature");
    all = bundle::readArchive(submit(m_open).bytes, {}, "x").value();
    for (const char* rubbish : {"", "x", "00", "\xff"}) {
        entryOf(all, "signature").bytes = rubbish;
        expectRefused(bundle::writeArchive(all).value(), "signature-wrong", "entry signature");
    }
    // Somebody may sign another's rows with an own key; whose origin it is, the class's record decides.
    const auto stolen =
        readSubmission(createSubmission(*m_store, m_open, thief, {})->bytes, kFile, m_keys, {m_open}, kNow);
    R_VERIFY(stolen);
    QCOMPARE(stolen->learner, thief.learner);
    QCOMPARE(stolen->origins.front(), m_store->origin());
}

void TestClassroomSubmission::wrongClocksAreToldAndNotRefused()
{
    const auto codes = [](const Result<Submission>& result) {
        QStringList all;
        if (result)
            for (const Error& notice : result->notices)
                all << QString::fromStdString(notice.code);
        return result ? all.join(QLatin1Char(' ')) : QString::fromStdString(result.error().code);
    };
    const std::string bytes = submit(m_open).bytes;
    QCOMPARE(codes(read(bytes)), QString());
    QCOMPARE(codes(read(bytes, "2020-01-01T00:00:00.000Z")), QStringLiteral("rows-future submission-future"));
    SubmissionOptions early;
    early.createdAt = "2020-01-01T00:00:00.000Z";
    const auto dated = createSubmission(*m_store, m_open, m_identity, early).value();
    QCOMPARE(codes(read(dated.bytes)), QStringLiteral("rows-after-submission"));
}

void TestClassroomSubmission::everyTruncationIsRefused()
{
    const std::string bytes = submit(m_sealed).bytes;
    for (std::size_t size = 0; size < bytes.size(); size += 37)
        QVERIFY(!read(bytes.substr(0, size)).ok());
}

QTEST_GUILESS_MAIN(TestClassroomSubmission)
#include "tst_classroom_submission.moc"
