// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/hash.h"
#include "bundle/signed.h"
#include "classroom/assignment.h"
#include "tests/record/record_support.h"

using namespace ridge;
using namespace ridge::classroom;
using namespace ridge::test;

namespace {

const std::string kScript = "</title><script>alert(1)</script><svg onload=alert(2)> '); DROP TABLE run;--";
constexpr const char* kPurpose = "ridgepoint-assignment 1";

ClassKeys someKeys(char seed = 'k')
{
    return classKeysFromSeed(std::string(32, seed)).value();
}

Assignment someAssignment()
{
    Assignment assignment;
    assignment.title = "Week 3: coalescing " + kScript;
    assignment.teacher = "Dr. <b>Grün</b>";
    assignment.deadline = "2026-12-01T23:59:00+01:00";
    assignment.lessons = {{"2.4", "Coalescing", "# Coalescing\n" + kScript, {}},
                          {"1.capstone", "Capstone", "text", {}}};
    assignment.feedback = {{"passed", FeedbackWhen::Deadline}, {"explained", FeedbackWhen::Never}};
    return assignment;
}

/// The entries of a file with a change, signed anew: what the holder of a key can make.
std::string forged(const std::string& bytes, const ClassKeys& keys,
                   const std::function<void(std::vector<bundle::Entry>&)>& change)
{
    auto entries = bundle::readArchive(bytes, {}, "x").value();
    change(entries);
    return bundle::writeArchive(bundle::withSignature(entries, kPurpose, keys.sign)).value();
}

std::string withManifest(const std::string& bytes, const ClassKeys& keys, const std::function<void(Json&)>& change)
{
    return forged(bytes, keys, [&](std::vector<bundle::Entry>& entries) {
        for (bundle::Entry& entry : entries)
            if (entry.name == "manifest.json") {
                Json manifest = Json::parse(entry.bytes);
                change(manifest);
                entry.bytes = manifest.dump();
            }
    });
}

} // namespace

class TestClassroomAssignment : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { m_home = std::make_unique<QTemporaryDir>(); }
    void comesBackAsItWasWritten();
    void refusesWhatItCouldNotRead();
    void forgeries_data();
    void forgeries();
    void changedFilesAreRefused();
    void isAcceptedOnceForATeacher();
    void acceptedAssignmentsAreFound();
    void feedbackWaitsAsThePolicySays();
    void learnersHaveKeysThatOthersCannotRead();
    void pseudonymsComeFromKeys();
    void classKeysAreMadeTogether();
    void hiddenCasesAreStableAndDifferent();

private:
    std::unique_ptr<QTemporaryDir> m_home;
};

void TestClassroomAssignment::comesBackAsItWasWritten()
{
    const auto written = createAssignment(someAssignment(), someKeys());
    R_VERIFY(written);
    const auto read = readAssignment(written->bytes, "week3.ridgeclass");
    R_VERIFY(read);
    QCOMPARE(read->id, written->assignment.id);
    QCOMPARE(read->title, someAssignment().title);
    QCOMPARE(read->teacher, someAssignment().teacher);
    QCOMPARE(read->deadline, std::string("2026-12-01T22:59:00.000Z"));
    QCOMPARE(read->signKey, someKeys().sign.publicKey);
    QCOMPARE(read->sealKey, someKeys().seal.publicKey);
    QCOMPARE(read->lessons.size(), std::size_t(2));
    QCOMPARE(read->lessons[0].text, "# Coalescing\n" + kScript);
    QCOMPARE(read->lessons[0].digest, sha256Hex(read->lessons[0].text));
    QVERIFY(read->feedback == someAssignment().feedback);
    // The same assignment has the same bytes, and no secret stands in them.
    QCOMPARE(createAssignment(written->assignment, someKeys())->bytes, written->bytes);
    const auto entries = bundle::readArchive(written->bytes, {}, "x").value();
    const ClassKeys keys = someKeys();
    for (const bundle::Entry& entry : entries)
        for (const auto* secret : {&keys.sign.seed, &keys.cases, &keys.seal.secret}) {
            const std::string hex = bundle::toHex(secret->bytes());
            QVERIFY(entry.bytes.find(hex) == std::string::npos);
        }
    QVERIFY(readAssignment(createAssignment(someAssignment(), someKeys(), false)->bytes, "x")->sealKey.empty());
}

void TestClassroomAssignment::refusesWhatItCouldNotRead()
{
    const auto code = [](const std::function<void(Assignment&)>& change) {
        Assignment assignment = someAssignment();
        change(assignment);
        return codeOf(createAssignment(assignment, someKeys()));
    };
    QCOMPARE(code([](Assignment&) {}), QByteArray("ok"));
    QCOMPARE(code([](Assignment& a) { a.title.clear(); }), QByteArray("bad-assignment"));
    QCOMPARE(code([](Assignment& a) { a.title = "\xff"; }), QByteArray("bad-assignment"));
    QCOMPARE(code([](Assignment& a) { a.deadline = "soon"; }), QByteArray("bad-assignment"));
    QCOMPARE(code([](Assignment& a) { a.deadline.clear(); }), QByteArray("bad-assignment"));
    QCOMPARE(code([](Assignment& a) { a.lessons.clear(); }), QByteArray("bad-assignment"));
    QCOMPARE(code([](Assignment& a) { a.lessons[1].id = "2.4"; }), QByteArray("bad-assignment"));
    QCOMPARE(code([](Assignment& a) { a.lessons[0].id = "../2.4"; }), QByteArray("bad-assignment"));
    QCOMPARE(code([](Assignment& a) { a.feedback["won"] = FeedbackWhen::Now; }), QByteArray("bad-assignment"));
}

void TestClassroomAssignment::forgeries_data()
{
    using Change = std::function<void(Json&)>;
    QTest::addColumn<Change>("change");
    QTest::addColumn<QByteArray>("code");
    QTest::addColumn<QByteArray>("says");
    const auto row = [](const char* name, Change change, const char* code, const char* says) {
        QTest::newRow(name) << change << QByteArray(code) << QByteArray(says);
    };
    const char* bad = "bad-assignment";
    row(
        "another format", [](Json& m) { m["format"] = "zip"; }, bad, "ridgepoint-assignment");
    row(
        "later version", [](Json& m) { m["version"] = 2; }, "assignment-newer", "Update");
    row(
        "version as text", [](Json& m) { m["version"] = "1"; }, bad, "version");
    row(
        "no version", [](Json& m) { m.erase("version"); }, bad, "version");
    row(
        "path as id", [](Json& m) { m["id"] = "../../../home/x/.bashrc"; }, bad, "id");
    row(
        "SQL as id", [](Json& m) { m["id"] = "1' OR '1'='1"; }, bad, "id");
    row(
        "title is a list", [](Json& m) { m["title"] = Json::array(); }, bad, "title");
    row(
        "huge title", [](Json& m) { m["title"] = std::string(1000, 'x'); }, bad, "title");
    row(
        "NUL in the title", [](Json& m) { m["title"] = std::string("a\0b", 3); }, bad, "NUL");
    row(
        "deadline that is none", [](Json& m) { m["deadline"] = "2026-13-01T00:00:00.000Z"; }, bad, "deadline");
    row(
        "lessons is text", [](Json& m) { m["lessons"] = "2.4"; }, bad, "lessons");
    row(
        "very many lessons", [](Json& m) { m["lessons"] = Json(std::vector<int>(10000, 1)); }, bad, "lessons");
    row(
        "lesson out of the folder", [](Json& m) { m["lessons"][0]["id"] = "../2.4"; }, bad, "lessons[0].id");
    row(
        "lesson with another digest", [](Json& m) { m["lessons"][0]["digest"] = std::string(64, 'a'); }, bad,
        "lessons/2.4.md");
    row(
        "lesson that is not there", [](Json& m) { m["lessons"][0]["id"] = "2.5"; }, bad, "lessons/2.5.md");
    row(
        "entry that nothing names", [](Json& m) { m["lessons"].erase(1); }, bad, "lessons/1.capstone.md");
    row(
        "step that there is not", [](Json& m) { m["policy"]["feedback"]["won"] = "now"; }, bad, "policy.feedback");
    row(
        "time that there is not", [](Json& m) { m["policy"]["feedback"]["ran"] = "later"; }, bad, "policy.feedback");
    row(
        "key that is none", [](Json& m) { m["teacher"]["sign_key"] = "x"; }, bad, "teacher.sign_key");
    row(
        "seal key that is none", [](Json& m) { m["teacher"]["seal_key"] = 1; }, bad, "teacher.seal_key");
    row(
        "another's key", [](Json& m) { m["teacher"]["sign_key"] = someKeys('x').sign.publicKey; }, "signature-wrong",
        "entry signature");
    row(
        "deep",
        [](Json& m) {
            for (int i = 0; i < 50; ++i)
                m = Json::array({m});
        },
        bad, "nested");
    row(
        "not an object", [](Json& m) { m = Json::array(); }, bad, "manifest");
}

void TestClassroomAssignment::forgeries()
{
    QFETCH(std::function<void(Json&)>, change);
    QFETCH(QByteArray, code);
    QFETCH(QByteArray, says);
    const std::string honest = createAssignment(someAssignment(), someKeys())->bytes;
    const std::string bytes = withManifest(honest, someKeys(), change);
    const auto read = readAssignment(bytes, "Downloads/week3.ridgeclass");
    QCOMPARE(codeOf(read), code);
    const QByteArray text = QByteArray::fromStdString(toText(read.error()));
    QVERIFY2(text.contains(says), text.constData());
    QVERIFY2(text.contains("Downloads/week3.ridgeclass, entry "), text.constData());
    QVERIFY(!read.error().fix.empty());
    // And nothing of it reaches the disk.
    QVERIFY(!acceptAssignment(pathOf(*m_home), bytes, "x").ok());
    QVERIFY(contentOf(pathOf(*m_home)).empty());
}

void TestClassroomAssignment::changedFilesAreRefused()
{
    const auto keys = someKeys();
    const std::string honest = createAssignment(someAssignment(), keys)->bytes;
    const auto entries = bundle::readArchive(honest, {}, "x").value();
    const auto codeWithout = [&](const char* name) {
        auto fewer = entries;
        std::erase_if(fewer, [&](const bundle::Entry& entry) { return entry.name == name; });
        return codeOf(readAssignment(bundle::writeArchive(fewer).value(), "x"));
    };
    QCOMPARE(codeWithout("signature"), QByteArray("signature-missing"));
    QCOMPARE(codeWithout("manifest.json"), QByteArray("bad-assignment"));
    QCOMPARE(codeWithout("lessons/2.4.md"), QByteArray("signature-wrong"));
    auto changed = entries;
    for (bundle::Entry& entry : changed)
        if (entry.name == "lessons/2.4.md")
            entry.bytes += "<!-- the answer is 4 -->";
    QCOMPARE(codeOf(readAssignment(bundle::writeArchive(changed).value(), "x")), QByteArray("signature-wrong"));
    // A manifest with a byte order mark, a second object, a name twice.
    for (const char* wrong : {"\xef\xbb\xbf{", "{}{}", "", "{\"format\":1,\"format\":2}", "\xff"}) {
        const auto bytes = forged(honest, keys, [&](std::vector<bundle::Entry>& all) {
            for (bundle::Entry& entry : all)
                if (entry.name == "manifest.json")
                    entry.bytes = wrong;
        });
        QCOMPARE(codeOf(readAssignment(bytes, "x")), QByteArray("bad-assignment"));
    }
}

void TestClassroomAssignment::isAcceptedOnceForATeacher()
{
    const fs::path home = pathOf(*m_home);
    auto written = createAssignment(someAssignment(), someKeys()).value();
    R_VERIFY(acceptAssignment(home, written.bytes, "first"));
    R_VERIFY(acceptAssignment(home, written.bytes, "again"));
    QCOMPARE(acceptedAssignments(home).assignments.size(), std::size_t(1));

    Assignment later = written.assignment;
    later.deadline = "2026-12-24T00:00:00.000Z";
    later.createdAt = "2099-01-01T00:00:00.000Z";
    const auto second = createAssignment(later, someKeys()).value();
    R_VERIFY(acceptAssignment(home, second.bytes, "longer"));
    QCOMPARE(acceptedAssignment(home, {})->deadline, later.deadline);
    QCOMPARE(codeOf(acceptAssignment(home, written.bytes, "first")), QByteArray("assignment-older"));

    const auto impostor = createAssignment(later, someKeys('x')).value();
    const auto refused = acceptAssignment(home, impostor.bytes, "impostor.ridgeclass");
    QCOMPARE(codeOf(refused), QByteArray("assignment-other-teacher"));
    QCOMPARE(refused.error().place, std::string("impostor.ridgeclass"));
    QCOMPARE(acceptedAssignment(home, later.id)->signKey, someKeys().sign.publicKey);
}

void TestClassroomAssignment::acceptedAssignmentsAreFound()
{
    const fs::path home = pathOf(*m_home);
    QVERIFY(acceptedAssignments(home).assignments.empty());
    QCOMPARE(codeOf(acceptedAssignment(home, {})), QByteArray("unknown-assignment"));
    Assignment one = someAssignment(), two = someAssignment();
    one.createdAt = "2026-01-01T00:00:00.000Z";
    two.createdAt = "2026-02-01T00:00:00.000Z";
    const auto first = createAssignment(one, someKeys()).value(), second = createAssignment(two, someKeys()).value();
    R_VERIFY(acceptAssignment(home, first.bytes, "x"));
    R_VERIFY(acceptAssignment(home, second.bytes, "x"));
    writeBytes(home / "assignments" / "damaged.ridgeclass", second.bytes.substr(0, 100));
    const auto all = acceptedAssignments(home);
    QCOMPARE(all.assignments.size(), std::size_t(2));
    QCOMPARE(all.assignments[0].id, second.assignment.id);
    QCOMPARE(all.problems.size(), std::size_t(1));
    QVERIFY(all.problems[0].place.find("damaged.ridgeclass") != std::string::npos);
    QCOMPARE(acceptedAssignment(home, first.assignment.id)->id, first.assignment.id);
    QVERIFY(!acceptedAssignment(home, {}).ok());
    QVERIFY(!acceptedAssignment(home, "../x").ok());
}

void TestClassroomAssignment::feedbackWaitsAsThePolicySays()
{
    const auto assignment = createAssignment(someAssignment(), someKeys())->assignment;
    const std::string before = "2026-12-01T22:58:59.999Z", after = "2026-12-01T22:59:00.000Z";
    QVERIFY(mayShow(assignment, "predicted", before));
    QVERIFY(!mayShow(assignment, "passed", before));
    QVERIFY(mayShow(assignment, "passed", after));
    QVERIFY(!mayShow(assignment, "passed", "2026-12-01T23:30:00+01:00"));
    QVERIFY(mayShow(assignment, "passed", "2026-12-02T00:30:00+01:00"));
    QVERIFY(!mayShow(assignment, "passed", "not a time"));
    QVERIFY(!mayShow(assignment, "explained", "2999-01-01T00:00:00.000Z"));
    // A lesson of two assignments is as silent as the more silent of the two.
    Assignment open = someAssignment();
    open.feedback.clear();
    const std::vector<Assignment> both{open, assignment};
    QVERIFY(!mayShow(both, "2.4", "passed", before));
    QVERIFY(mayShow(both, "2.4", "passed", after));
    QVERIFY(mayShow(both, "1.1", "explained", before));
    QVERIFY(mayShow(std::vector<Assignment>{open}, "2.4", "explained", before));
}

void TestClassroomAssignment::learnersHaveKeysThatOthersCannotRead()
{
    const fs::path home = pathOf(*m_home);
    const auto mine = ownIdentity(home);
    R_VERIFY(mine);
    QCOMPARE(ownIdentity(home)->learner, mine->learner);
    QCOMPARE(ownIdentity(home)->key.publicKey, mine->key.publicKey);
    QCOMPARE(fs::status(home / "keys").permissions(), fs::perms::owner_all);
    const fs::path file = home / "keys" / "learner.key";
    const auto closed = fs::perms::owner_read | fs::perms::owner_write;
    QCOMPARE(fs::status(file).permissions(), closed);
    fs::permissions(file, fs::perms::all);
    R_VERIFY(ownIdentity(home));
    QCOMPARE(fs::status(file).permissions(), closed);
    writeBytes(file, "damaged");
    const auto damaged = ownIdentity(home);
    QCOMPARE(codeOf(damaged), QByteArray("bad-key"));
    QCOMPARE(damaged.error().place, file.string());
    QTemporaryDir other;
    QVERIFY(ownIdentity(pathOf(other))->learner != mine->learner);
}

void TestClassroomAssignment::pseudonymsComeFromKeys()
{
    // SHA-256 of the key of RFC 8032's first test, its first 50 bits in RFC 4648's letters.
    const std::string key = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";
    const std::string digest = sha256Hex(bundle::fromHex(key, 32).value());
    std::string bits;
    for (const char c : digest)
        for (int bit = 3; bit >= 0; --bit)
            bits += (QByteArray(1, c).toInt(nullptr, 16) >> bit & 1) ? '1' : '0';
    std::string expected = "L-";
    for (std::size_t i = 0; i < 50; i += 5)
        expected += "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"[std::stoi(bits.substr(i, 5), nullptr, 2)];
    QCOMPARE(learnerOf(key), expected);
    QCOMPARE(learnerOf(key).size(), std::size_t(12));
    QVERIFY(learnerOf("nothing").empty());
    QCOMPARE(identityFromSeed(std::string(32, 'a'))->learner, identityFromSeed(std::string(32, 'a'))->learner);
    QCOMPARE(codeOf(identityFromSeed("a")), QByteArray("bad-key"));
}

void TestClassroomAssignment::classKeysAreMadeTogether()
{
    const fs::path folder = pathOf(*m_home) / "classes" / "autumn";
    const auto keys = classKeys(folder);
    R_VERIFY(keys);
    QCOMPARE(classKeys(folder)->sign.publicKey, keys->sign.publicKey);
    QCOMPARE(classKeys(folder)->seal.publicKey, keys->seal.publicKey);
    QVERIFY(classKeys(folder)->cases.bytes() == keys->cases.bytes());
    fs::remove(folder / "keys" / "seal.key");
    const auto broken = classKeys(folder);
    QCOMPARE(codeOf(broken), QByteArray("key-missing"));
    QVERIFY(broken.error().place.ends_with("seal.key"));
    QVERIFY(!fs::exists(folder / "keys" / "seal.key"));
}

void TestClassroomAssignment::hiddenCasesAreStableAndDifferent()
{
    const auto keys = someKeys();
    const auto seed = [](const ClassKeys& of, const char* assignment, const char* learner, const char* name) {
        return HiddenCase(of, assignment, learner, name).seed();
    };
    const std::uint64_t mine = seed(keys, "a1", "L-AAAAAAAAAA", "case");
    QCOMPARE(seed(keys, "a1", "L-AAAAAAAAAA", "case"), mine);
    QVERIFY(seed(keys, "a1", "L-BBBBBBBBBB", "case") != mine);
    QVERIFY(seed(keys, "a2", "L-AAAAAAAAAA", "case") != mine);
    QVERIFY(seed(keys, "a1", "L-AAAAAAAAAA", "other") != mine);
    QVERIFY(seed(someKeys('x'), "a1", "L-AAAAAAAAAA", "case") != mine);

    std::map<std::int64_t, int> drawn;
    for (int i = 0; i < 3000; ++i) {
        const auto value = HiddenCase(keys, "a1", "L-" + std::to_string(i), "case").pick("size", -1, 4);
        QVERIFY(value >= -1 && value <= 4);
        ++drawn[value];
    }
    // Six values, 500 each; 5 standard deviations of the binomial are 102.
    QCOMPARE(drawn.size(), std::size_t(6));
    for (const auto& [value, times] : drawn)
        QVERIFY2(std::abs(times - 500) < 102, std::to_string(value).c_str());
    const HiddenCase one(keys, "a1", "L-1", "case");
    QCOMPARE(one.pick("size", 7, 7), std::int64_t(7));
    QVERIFY(one.pick("size", 1, 1 << 30) != one.pick("stride", 1, 1 << 30));
    const auto wide = one.pick("x", std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max());
    QCOMPARE(one.pick("x", std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()), wide);
}

QTEST_GUILESS_MAIN(TestClassroomAssignment)
#include "tst_classroom_assignment.moc"
