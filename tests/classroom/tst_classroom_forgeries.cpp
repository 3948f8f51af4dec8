// SPDX-License-Identifier: GPL-3.0-or-later
#include "submission_support.h"

using namespace ridge;
using namespace ridge::test;

namespace {

constexpr const char* kPurpose = "ridgepoint-submission 1";

using Entries = std::vector<bundle::Entry>;

bundle::Entry& entryOf(Entries& entries, const std::string& name)
{
    return *std::ranges::find(entries, name, &bundle::Entry::name);
}

} // namespace

class TestClassroomForgeries : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void seals();
    void manifests_data();
    void manifests();
    void entries_data();
    void entries();
    void rowsAreChecked_data();
    void rowsAreChecked();
    void replayIntoAnotherAssignment();
    void signatureByAnotherKey();
    void everyTruncationIsRefused();

private:
    /// An unsealed submission with a change, signed anew by the learner: what somebody who owns the program can make.
    std::string forged(const std::function<void(Entries&)>& change) const
    {
        Entries all = bundle::readArchive(m_class.submit(m_class.open, m_class.everything).bytes, {}, "x").value();
        change(all);
        return bundle::writeArchive(bundle::withSignature(all, kPurpose, m_class.learner.key)).value();
    }
    void expectRefused(const std::string& bytes, const QByteArray& code, const QByteArray& says) const
    {
        const auto result = m_class.read(bytes);
        QCOMPARE(codeOf(result), code);
        const QByteArray text = QByteArray::fromStdString(toText(result.error()));
        QVERIFY2(text.contains(says), text.constData());
        QVERIFY2(text.contains(kFile), text.constData());
        QVERIFY(!result.error().fix.empty());
    }

    const ClassOfOne m_class;
};

void TestClassroomForgeries::seals()
{
    const std::string sealed = m_class.submit(m_class.sealed).bytes;
    const auto other = classKeysFromSeed(std::string(32, 'x')).value();
    const auto wrongKey = readSubmission(sealed, kFile, other, {m_class.sealed}, kNow);
    QCOMPARE(codeOf(wrongKey), QByteArray("sealed-to-another"));
    QCOMPARE(wrongKey.error().place, std::string(kFile) + ", entry sealed.bin");

    // A seal that says another assignment outside than the submission inside.
    Entries outer = bundle::readArchive(sealed, {}, "x").value();
    Json manifest = Json::parse(entryOf(outer, "manifest.json").bytes);
    manifest["assignment"] = m_class.open.id;
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
        entryOf(outer, "sealed.bin").bytes = bundle::seal(inside, m_class.keys.seal.publicKey).value();
        const auto result = m_class.read(bundle::writeArchive(outer).value());
        QCOMPARE(codeOf(result), inside == bomb ? QByteArray("archive-large") : QByteArray("archive-broken"));
        QVERIFY(toText(result.error()).find("inside the seal") != std::string::npos);
    }
    // A seal inside a seal is not opened.
    outer = bundle::readArchive(sealed, {}, "x").value();
    entryOf(outer, "sealed.bin").bytes = bundle::seal(sealed, m_class.keys.seal.publicKey).value();
    expectRefused(bundle::writeArchive(outer).value(), "bad-submission", "manifest");

    // Unsealed though it should be sealed: readable, and told.
    Assignment unsealing = m_class.sealed;
    unsealing.sealKey.clear();
    const auto unsealed = m_class.read(m_class.submit(unsealing).bytes);
    R_VERIFY(unsealed);
    QCOMPARE(unsealed->notices.size(), std::size_t(1));
    QCOMPARE(unsealed->notices[0].code, std::string("submission-unsealed"));
}

void TestClassroomForgeries::manifests_data()
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

void TestClassroomForgeries::manifests()
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

void TestClassroomForgeries::entries_data()
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

void TestClassroomForgeries::entries()
{
    QFETCH(std::function<void(Entries&)>, change);
    QFETCH(QByteArray, code);
    QFETCH(QByteArray, says);
    expectRefused(forged(change), code, says);
}

void TestClassroomForgeries::rowsAreChecked_data()
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

void TestClassroomForgeries::rowsAreChecked()
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

void TestClassroomForgeries::replayIntoAnotherAssignment()
{
    // The file of one assignment dropped into the folder of another class.
    const auto result = readSubmission(m_class.submit(m_class.open).bytes, kFile, m_class.keys, {m_class.sealed}, kNow);
    QCOMPARE(codeOf(result), QByteArray("submission-other-assignment"));
    const auto sealed = readSubmission(m_class.submit(m_class.sealed).bytes, kFile, m_class.keys, {m_class.open}, kNow);
    QCOMPARE(codeOf(sealed), QByteArray("submission-other-assignment"));
    // An assignment file is no submission, whoever signed it.
    const auto assignment = createAssignment(m_class.open, m_class.keys).value();
    expectRefused(assignment.bytes, "bad-submission", "ridgepoint-submission");
}

void TestClassroomForgeries::signatureByAnotherKey()
{
    Entries all = bundle::readArchive(m_class.submit(m_class.open).bytes, {}, "x").value();
    const auto thief = identityFromSeed(std::string(32, 'x')).value();
    expectRefused(bundle::writeArchive(bundle::withSignature(all, kPurpose, thief.key)).value(), "signature-wrong",
                  "entry signature");
    // A signature for another purpose by the right key.
    expectRefused(
        bundle::writeArchive(bundle::withSignature(all, "ridgepoint-assignment 1", m_class.learner.key)).value(),
        "signature-wrong", "entry signature");
    std::erase_if(all, [](const bundle::Entry& entry) { return entry.name == "signature"; });
    expectRefused(bundle::writeArchive(all).value(), "signature-missing", "entry signature");
    all = bundle::readArchive(m_class.submit(m_class.open).bytes, {}, "x").value();
    for (const char* rubbish : {"", "x", "00", "\xff"}) {
        entryOf(all, "signature").bytes = rubbish;
        expectRefused(bundle::writeArchive(all).value(), "signature-wrong", "entry signature");
    }
    // Somebody may sign another's rows with an own key; whose origin it is, the class's record decides.
    const auto stolen = readSubmission(createSubmission(*m_class.store, m_class.open, thief, {})->bytes, kFile,
                                       m_class.keys, {m_class.open}, kNow);
    R_VERIFY(stolen);
    QCOMPARE(stolen->learner, thief.learner);
    QCOMPARE(stolen->origins.front(), m_class.store->origin());
}

void TestClassroomForgeries::everyTruncationIsRefused()
{
    const std::string bytes = m_class.submit(m_class.sealed).bytes;
    for (std::size_t size = 0; size < bytes.size(); size += 37)
        QVERIFY(!m_class.read(bytes.substr(0, size)).ok());
}

QTEST_GUILESS_MAIN(TestClassroomForgeries)
#include "tst_classroom_forgeries.moc"
