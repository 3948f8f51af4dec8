// SPDX-License-Identifier: GPL-3.0-or-later
#include "classroom/traces_of_person.h"
#include "submission_support.h"

using namespace ridge;
using namespace ridge::test;

class TestClassroomSubmission : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void sealedComesBack();
    void nothingOfTheLearnerStandsOutsideTheSeal();
    void consentDecidesFieldByField();
    void thePreviewNamesAllThatIsInIt();
    void whatWasTakenAwayStaysHere();
    void textsComeThroughUnchanged();
    void sameSeedsGiveTheSameBytes();
    void otherOriginsNeedAWord();
    void nothingDoneIsNothingToHandIn();
    void wrongClocksAreToldAndNotRefused();

private:
    const ClassOfOne m_class;
};

void TestClassroomSubmission::sealedComesBack()
{
    const auto written = m_class.submit(m_class.sealed);
    QCOMPARE(
        QByteArray::fromStdString(written.fileName),
        QByteArray::fromStdString(m_class.learner.learner + "-" + m_class.sealed.id.substr(28) + ".ridgesubmission"));
    // Two assignments of one minute: neither file takes the other's place in a folder.
    QVERIFY(m_class.submit(m_class.open).fileName != written.fileName);
    const auto read = m_class.read(written.bytes);
    R_VERIFY(read);
    QVERIFY(read->sealed);
    QVERIFY(read->notices.empty());
    QCOMPARE(read->assignment, m_class.sealed.id);
    QCOMPARE(read->learner, m_class.learner.learner);
    QCOMPARE(read->publicKey, m_class.learner.key.publicKey);
    QCOMPARE(read->appVersion, std::string("0.1.0"));
    QVERIFY(read->lessons == std::vector<std::string>{"2.4"});
    QVERIFY(read->origins == std::vector<std::string>{m_class.store->origin()});
    QVERIFY(read->name.empty());
    QStringList kinds;
    for (const RowLine& row : read->rows)
        kinds << row.kind;
    QCOMPARE(kinds.join(QLatin1Char(' ')), QStringLiteral("prediction run reason answer artifact"));
    QCOMPARE(read->rows.size(), written.rows);
    // Code goes along, the timeline is named and stays at home.
    QCOMPARE(read->contents.size(), std::size_t(1));
    QCOMPARE(read->contents.at(m_class.codeHash), std::string("__global__ void k() {}"));
    QCOMPARE(read->files.size(), std::size_t(2));
    for (const SubmittedFile& file : read->files) {
        QCOMPARE(file.included, file.sha256 == m_class.codeHash);
        QCOMPARE(file.size, file.included ? std::uint64_t(22) : std::uint64_t(11));
    }
    QCOMPARE(m_class.read(written.bytes)->digest, read->digest);
    QVERIFY(m_class.read(m_class.submit(m_class.open).bytes)->digest != read->digest);
}

void TestClassroomSubmission::nothingOfTheLearnerStandsOutsideTheSeal()
{
    const auto written = m_class.submit(m_class.sealed, m_class.everything);
    const std::vector<bundle::Entry> outside = bundle::readArchive(written.bytes, {}, "x").value();
    QCOMPARE(outside.size(), std::size_t(2));
    for (const bundle::Entry& entry : outside)
        for (const std::string& word : {m_class.learner.learner, m_class.learner.key.publicKey, std::string("Ada"),
                                        m_class.store->origin(), std::string("coalescing"), m_class.codeHash})
            QVERIFY2(entry.bytes.find(word) == std::string::npos, word.c_str());
}

void TestClassroomSubmission::consentDecidesFieldByField()
{
    const auto kindsWith = [&](const std::function<void(Consent&)>& change) {
        Consent consent;
        change(consent);
        const auto submission = m_class.read(m_class.submit(m_class.open, consent).bytes).value();
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

    const auto all = m_class.submit(m_class.open, m_class.everything);
    const auto submission = m_class.read(all.bytes).value();
    QCOMPARE(submission.name, m_class.everything.name);
    QVERIFY(submission.consent.traces && submission.consent.notes && submission.consent.journal);
    QCOMPARE(submission.contents.at(m_class.traceHash), std::string("trace bytes"));
    QVERIFY(all.contains.front().find("Ada") != std::string::npos);

    Consent little;
    little.reasons = little.artifacts = false;
    const auto bare = m_class.submit(m_class.open, little);
    QVERIFY(bare.contains.front().find("not in it") != std::string::npos);
    QVERIFY(m_class.read(bare.bytes)->contents.empty());
    const std::vector<bundle::Entry> inside = bundle::readArchive(bare.bytes, {}, "x").value();
    for (const bundle::Entry& entry : inside)
        QVERIFY(entry.bytes.find("script") == std::string::npos && entry.bytes.find("Ada") == std::string::npos);
}

void TestClassroomSubmission::thePreviewNamesAllThatIsInIt()
{
    const auto all = m_class.submit(m_class.open, m_class.everything);
    std::string told;
    for (const std::string& line : all.contains)
        told += line + '\n';
    const auto submission = m_class.read(all.bytes).value();
    for (const RowLine& row : submission.rows)
        QVERIFY2(told.find(row.kind.toStdString()) != std::string::npos, qPrintable(row.kind));
    QVERIFY(told.find("same in every class") != std::string::npos);

    const Tells tells{"/home/ada.l", "ada.l", "enigma"};
    const std::string rows =
        "{\"text\":\"see /home/ada.l/x\"}\n{\"text\":\"enigmatic\"}\n{\"text\":\"ADA.L was here\"}\n";
    const auto found = traceSentences(tells, rows, {{"sum", "// by ada.l"}});
    QCOMPARE(found.size(), std::size_t{2});
    QVERIFY2(found[0].find("(/home/ada.l) stands in 1 row:") != std::string::npos, found[0].c_str());
    QVERIFY2(found[1].find("(ada.l) stands in 2 rows and 1 file:") != std::string::npos, found[1].c_str());
    QVERIFY(traceSentences({}, rows, {}).empty());
    QVERIFY(traceSentences(tells, {}, {}).empty());
}

void TestClassroomSubmission::whatWasTakenAwayStaysHere()
{
    const std::vector<bundle::Entry> inside =
        bundle::readArchive(m_class.submit(m_class.open, m_class.everything).bytes, {}, "x").value();
    const std::string rows = bundle::findEntry(inside, "rows.jsonl")->bytes;
    QVERIFY(rows.find("second thought") != std::string::npos);
    QVERIFY(rows.find("first thought") == std::string::npos);
    QVERIFY(rows.find("a secret") == std::string::npos);
    QVERIFY(rows.find("another quote") == std::string::npos);
}

void TestClassroomSubmission::textsComeThroughUnchanged()
{
    const auto submission = m_class.read(m_class.submit(m_class.open, m_class.everything).bytes).value();
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
    const auto once = createSubmission(*m_class.store, m_class.sealed, m_class.learner, options).value();
    QCOMPARE(createSubmission(*m_class.store, m_class.sealed, m_class.learner, options)->bytes, once.bytes);
    R_VERIFY(m_class.read(once.bytes));
    options.sealSeed.clear();
    QVERIFY(createSubmission(*m_class.store, m_class.sealed, m_class.learner, options)->bytes != once.bytes);
}

void TestClassroomSubmission::otherOriginsNeedAWord()
{
    QTemporaryDir folder;
    auto store = Store::open(pathOf(folder) / "laptop").value();
    store->flush();
    R_VERIFY(store->mergeFrom(m_class.store->folder()));
    SubmissionOptions options;
    // Rows of another record are left out unless the learner says that it is theirs.
    QCOMPARE(codeOf(createSubmission(*store, m_class.open, m_class.learner, options)), QByteArray("submission-empty"));
    options.consent.otherOrigins = {m_class.store->origin()};
    const auto written = createSubmission(*store, m_class.open, m_class.learner, options);
    R_VERIFY(written);
    QCOMPARE(m_class.read(written->bytes)->origins.size(), std::size_t(2));
    // An own artifact over somebody else's run cannot be handed in without it.
    ArtifactRow artifact;
    artifact.lesson = "2.4";
    artifact.title = "borrowed";
    artifact.runIds = {store->runs({.lesson = "2.4"})->front().id};
    durable(store->append(artifact)).value();
    options.consent.otherOrigins.clear();
    const auto refused = createSubmission(*store, m_class.open, m_class.learner, options);
    QCOMPARE(codeOf(refused), QByteArray("submission-foreign-row"));
    QVERIFY(toText(refused.error()).find(m_class.store->origin()) != std::string::npos);
}

void TestClassroomSubmission::nothingDoneIsNothingToHandIn()
{
    Assignment other;
    other.title = "Later";
    other.lessons = {{"7.1", "x", "x", {}}};
    other = createAssignment(other, m_class.keys)->assignment;
    QCOMPARE(codeOf(createSubmission(*m_class.store, other, m_class.learner, {})), QByteArray("submission-empty"));
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
    const std::string bytes = m_class.submit(m_class.open).bytes;
    QCOMPARE(codes(m_class.read(bytes)), QString());
    QCOMPARE(codes(m_class.read(bytes, "2020-01-01T00:00:00.000Z")), QStringLiteral("rows-future submission-future"));
    SubmissionOptions early;
    early.createdAt = "2020-01-01T00:00:00.000Z";
    const auto dated = createSubmission(*m_class.store, m_class.open, m_class.learner, early).value();
    QCOMPARE(codes(m_class.read(dated.bytes)), QStringLiteral("rows-after-submission"));
}

QTEST_GUILESS_MAIN(TestClassroomSubmission)
#include "tst_classroom_submission.moc"
