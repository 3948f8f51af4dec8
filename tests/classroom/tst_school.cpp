// SPDX-License-Identifier: GPL-3.0-or-later
// The record of many learners, the same tests on SQLite and on a PostgreSQL server of our own.
#include "classroom/record/school_codec.h"
#include "tests/classroom/school_support.h"
#include "tests/support/postgres.h"

using namespace ridge;
using namespace ridge::record;
using namespace ridge::test;

class TestSchool : public QObject {
    Q_OBJECT
    std::unique_ptr<PostgresServer> m_server;
    QTemporaryDir m_folder;
    int m_schemas = 0;

    /// A class of its own for each test.
    SchoolPlace fresh(const QString& where)
    {
        const std::string name = "class_" + std::to_string(++m_schemas);
        SchoolPlace place{pathOf(m_folder) / name};
        if (where == QLatin1String("postgresql")) {
            place.database = m_server->address().toStdString();
            place.schema = name;
        }
        return place;
    }

    static void both()
    {
        QTest::addColumn<QString>("where");
        QTest::newRow("sqlite") << QStringLiteral("sqlite");
        QTest::newRow("postgresql") << QStringLiteral("postgresql");
    }

private Q_SLOTS:
    void initTestCase()
    {
        qputenv("PGPASSWORD", PostgresServer::kPassword);
        m_server = std::make_unique<PostgresServer>();
        QVERIFY2(m_server->problem().isEmpty(), qPrintable(m_server->problem()));
    }
    void cleanupTestCase() { m_server.reset(); }

    void rowsComeBackAsTheyWent_data() { both(); }
    void rowsComeBackAsTheyWent()
    {
        QFETCH(QString, where);
        auto school = School::open(fresh(where));
        R_VERIFY(school);
        const Learner learner = someLearner("L-AAAAAAAAAA");
        const auto imported = (*school)->import(learner.submission());
        R_VERIFY(imported);
        QCOMPARE(imported->rows, 5);
        QVERIFY(!imported->known);
        const auto rows = (*school)->rowsOf("L-AAAAAAAAAA", "2.4");
        R_VERIFY(rows);
        QCOMPARE(rows->runs.size(), std::size_t{1});
        QCOMPARE(rows->runs[0].metrics.at("awkward").value, 0.1 + 0.2);
        QCOMPARE(rows->runs[0].metrics.at("awkward").unit, std::string("it's \"quoted\" \\ and ünïcode"));
        QCOMPARE(rows->runs[0].seed, std::uint64_t{18446744073709551615u});
        QCOMPARE(rows->predictions.size(), std::size_t{1});
        QCOMPARE(rows->answers.size(), std::size_t{1});
        QCOMPARE(rows->reasons[0].text, std::string("'); DROP TABLE run; --"));
        QCOMPARE(rows->artifacts[0].runIds, std::vector<std::string>{rows->runs[0].id});
        QVERIFY((*school)->rowsOf("L-BBBBBBBBBB", "2.4")->runs.empty());
        R_VERIFY((*school)->verify());
    }

    void theSameSubmissionTwiceAddsNothing_data() { both(); }
    void theSameSubmissionTwiceAddsNothing()
    {
        QFETCH(QString, where);
        auto school = School::open(fresh(where));
        R_VERIFY(school);
        Learner learner = someLearner("L-AAAAAAAAAA");
        const auto first = (*school)->import(learner.submission());
        R_VERIFY(first);
        const auto again = (*school)->import(learner.submission());
        R_VERIFY(again);
        QVERIFY(again->known);
        QCOMPARE(again->submissionId, first->submissionId);
        // More work on the same record, handed in once more.
        learner.add("prediction", columnsOf(somePrediction()));
        const auto more = (*school)->import(learner.submission("second"));
        R_VERIFY(more);
        QCOMPARE(more->rows, 1);
        QCOMPARE(*(*school)->rowCount(), std::int64_t{6});
        QCOMPARE((*school)->submissions("01890000-0000-7000-8000-000000000001")->size(), std::size_t{1});
        R_VERIFY((*school)->verify());
    }

    void aFailedImportLeavesNothing_data() { both(); }
    void aFailedImportLeavesNothing()
    {
        QFETCH(QString, where);
        auto school = School::open(fresh(where));
        R_VERIFY(school);
        Learner learner = someLearner("L-AAAAAAAAAA");
        RunRow orphan = someRun(8, newUuid7()); // its prediction is nowhere
        learner.add("run", columnsOf(orphan));
        const auto refused = (*school)->import(learner.submission());
        QCOMPARE(codeOf(refused), QByteArray("bad-row"));
        QCOMPARE(*(*school)->rowCount(), std::int64_t{0});
        // And the connection still works.
        R_VERIFY((*school)->import(someLearner("L-BBBBBBBBBB").submission()));
    }

    void rowsOfAnotherLearnerAreRefused_data() { both(); }
    void rowsOfAnotherLearnerAreRefused()
    {
        QFETCH(QString, where);
        auto school = School::open(fresh(where));
        R_VERIFY(school);
        const Learner honest = someLearner("L-AAAAAAAAAA");
        R_VERIFY((*school)->import(honest.submission()));
        SubmissionImport stolen = honest.submission("stolen");
        stolen.submission.learner = "L-BBBBBBBBBB";
        const auto refused = (*school)->import(stolen);
        QCOMPARE(codeOf(refused), QByteArray("submission-other-learner"));
        QVERIFY(refused.error().message.find("L-AAAAAAAAAA") != std::string::npos);
    }

    void aRewrittenRowIsRefused_data() { both(); }
    void aRewrittenRowIsRefused()
    {
        QFETCH(QString, where);
        auto school = School::open(fresh(where));
        R_VERIFY(school);
        Learner learner = someLearner("L-AAAAAAAAAA");
        R_VERIFY((*school)->import(learner.submission()));
        RowLine& row = learner.rows()[3];
        row.columns.back().value = 0; // the answer was right; now it was not
        row.digest = rowDigest(row.kind, row.stamp, row.columns);
        QCOMPARE(codeOf((*school)->import(learner.submission("rewritten"))), QByteArray("submission-rewritten"));
        row.stamp.id = QString::fromStdString(newUuid7()); // another row in its place
        row.digest = rowDigest(row.kind, row.stamp, row.columns);
        QCOMPARE(codeOf((*school)->import(learner.submission("replaced"))), QByteArray("submission-rewritten"));
    }

    void nothingIsChangedOrTakenOut_data() { both(); }
    void nothingIsChangedOrTakenOut()
    {
        QFETCH(QString, where);
        const SchoolPlace place = fresh(where);
        auto school = School::open(place);
        R_VERIFY(school);
        R_VERIFY((*school)->import(someLearner("L-AAAAAAAAAA").submission()));
        auto database = SchoolDatabase::open(place);
        R_VERIFY(database);
        for (const char* table : {"run", "submission", "learner_origin"}) {
            const QString name = QLatin1String(table);
            const QString column =
                name == QLatin1String("learner_origin") ? QStringLiteral("learner") : QStringLiteral("created_at");
            const auto updated = (*database)->exec(QStringLiteral("UPDATE %1 SET %2 = 'x'").arg(name, column));
            QVERIFY2(!updated.ok(), table);
            QVERIFY2(updated.error().message.find("never changed") != std::string::npos,
                     updated.error().message.c_str());
            QVERIFY(!(*database)->exec(QStringLiteral("DELETE FROM %1").arg(name)).ok());
        }
        const auto notJson = (*database)->exec(
            QStringLiteral("INSERT INTO answer (id, created_at, origin, seq, previous, digest, lesson, block, answer,"
                           " correct) VALUES (?, 'now', ?, 9, '', ?, '2.4', 'b', 'no json', 1)"),
            {QString(36, QLatin1Char('i')), QString(36, QLatin1Char('o')), QString(64, QLatin1Char('d'))});
        QCOMPARE(codeOf(notJson), QByteArray("bad-row"));
    }

    void theNewestOfEachCounts_data() { both(); }
    void theNewestOfEachCounts()
    {
        QFETCH(QString, where);
        auto school = School::open(fresh(where));
        R_VERIFY(school);
        MemberRow member;
        member.name = "Ada Lovelace";
        member.email = "ada@example.org";
        member.familyName = "Lovelace";
        member.canvasId = "17";
        R_VERIFY((*school)->append(std::vector<MemberRow>{member}));
        MemberRow stored = (*school)->members()->at(0);
        QVERIFY(stored.learner.empty());
        QCOMPARE(stored.familyName + stored.canvasId, std::string("Lovelace17"));
        stored.learner = "L-AAAAAAAAAA";
        R_VERIFY((*school)->append(std::vector<MemberRow>{stored}));
        QCOMPARE((*school)->members()->size(), std::size_t{1});
        QCOMPARE((*school)->members()->at(0).learner, std::string("L-AAAAAAAAAA"));

        const Learner learner = someLearner("L-AAAAAAAAAA");
        const auto imported = (*school)->import(learner.submission());
        R_VERIFY(imported);
        GradeRow grade;
        grade.assignmentId = learner.submission().submission.assignmentId;
        grade.submissionId = imported->submissionId;
        grade.learner = "L-AAAAAAAAAA";
        grade.lesson = "2.4";
        grade.how = "checks";
        grade.points = 62.5;
        GradeRow better = grade;
        better.how = "re-execution";
        better.points = 100.0 / 3;
        better.steps = Json{{"predicted", true}};
        R_VERIFY((*school)->append(std::vector<GradeRow>{grade}));
        R_VERIFY((*school)->append(std::vector<GradeRow>{better}));
        const auto grades = (*school)->grades(grade.assignmentId);
        R_VERIFY(grades);
        QCOMPARE(grades->size(), std::size_t{1});
        QCOMPARE(grades->at(0).points, 100.0 / 3);
        QVERIFY(grades->at(0).steps->at("predicted").get<bool>());

        AssignmentRow assignment;
        assignment.assignmentId = grade.assignmentId;
        assignment.title = "Week 3";
        assignment.lessons = {"2.4"};
        assignment.fileSha256 = std::string(64, '0');
        R_VERIFY((*school)->append(assignment));
        assignment.deadline = "2027-03-08T00:00:00.000Z";
        R_VERIFY((*school)->append(assignment));
        const auto assignments = (*school)->assignments();
        R_VERIFY(assignments);
        QCOMPARE(assignments->size(), std::size_t{1});
        QCOMPARE(assignments->at(0).deadline, assignment.deadline);
        FeedbackRow words;
        words.assignmentId = grade.assignmentId;
        words.learner = grade.learner;
        words.text = "Read the section on offsets again.";
        R_VERIFY((*school)->append(words));
        QCOMPARE((*school)->feedback(grade.assignmentId)->at(0).text, words.text);
        QCOMPARE((*school)->feedback(grade.assignmentId)->at(0).submissionId, std::string());
        words.text = "It is right now.";
        words.submissionId = imported->submissionId;
        R_VERIFY((*school)->append(words));
        QCOMPARE((*school)->feedback(grade.assignmentId)->size(), std::size_t{1});
        QCOMPARE((*school)->feedback(grade.assignmentId)->at(0).text, words.text);
        QCOMPARE((*school)->feedback(grade.assignmentId)->at(0).submissionId, imported->submissionId);
        words.submissionId = newUuid7(); // a submission that nobody handed in
        QCOMPARE(codeOf((*school)->append(words)), QByteArray("bad-row"));
        R_VERIFY((*school)->verify());
    }

    void openedAgainItIsTheSameClass_data() { both(); }
    void openedAgainItIsTheSameClass()
    {
        QFETCH(QString, where);
        const SchoolPlace place = fresh(where);
        QCOMPARE(codeOf(School::open(place, true)), QByteArray("store-missing"));
        std::string origin;
        {
            auto school = School::open(place);
            R_VERIFY(school);
            origin = (*school)->origin();
            R_VERIFY((*school)->import(someLearner("L-AAAAAAAAAA").submission()));
        }
        auto again = School::open(place, true);
        R_VERIFY(again);
        QCOMPARE((*again)->origin(), origin);
        QCOMPARE(*(*again)->rowCount(), std::int64_t{5});
    }

    /// A class that the first version of the tables has rows in.
    void anOlderClassIsBroughtUpToDate_data() { both(); }
    void anOlderClassIsBroughtUpToDate()
    {
        QFETCH(QString, where);
        const SchoolPlace place = fresh(where);
        const std::vector<Migration> first{schoolMigrations().front()};
        const Stamp stamp{QString::fromStdString(newUuid7()), QStringLiteral("2027-03-01T10:00:00.000Z"),
                          QString::fromStdString(newUuid7()), 1, QStringLiteral("")};
        const Columns columns{{"assignment_id", QStringLiteral("01890000-0000-7000-8000-000000000001")},
                              {"learner", QStringLiteral("L-AAAAAAAAAA")},
                              {"lesson", QStringLiteral("")},
                              {"text", QStringLiteral("Said before the update.")}};
        const QString digest = rowDigest(QStringLiteral("feedback"), stamp, columns);
        {
            auto older = SchoolDatabase::open(place, false, first);
            R_VERIFY(older);
            QVERIFY(!(*older)->exec(QStringLiteral("SELECT submission_id FROM feedback")).ok());
            const RowInsert row = insertOf(QStringLiteral("feedback"), stamp, digest, columns);
            const auto stored = (*older)->insertMissing(QStringLiteral("feedback"), row.names, {row.values});
            R_VERIFY(stored);
            QCOMPARE(*stored, 1);
        }
        auto school = School::open(place);
        R_VERIFY(school);
        const auto words = (*school)->feedback("01890000-0000-7000-8000-000000000001");
        R_VERIFY(words);
        QCOMPARE(words->size(), std::size_t{1});
        QCOMPARE(words->at(0).text, std::string("Said before the update."));
        QVERIFY(words->at(0).submissionId.empty());
        // What is not there has no part in the digest of a row from before.
        FeedbackRow same = words->at(0);
        QCOMPARE(rowDigest(QStringLiteral("feedback"), stamp, columnsOf(same)), digest);
        const auto imported = (*school)->import(someLearner("L-AAAAAAAAAA").submission());
        R_VERIFY(imported);
        same.submissionId = imported->submissionId;
        same.text = "Said after it.";
        R_VERIFY((*school)->append(same));
        QCOMPARE((*school)->feedback(same.assignmentId)->at(0).text, same.text);
        school = Error{};
        QCOMPARE(codeOf(SchoolDatabase::open(place, false, first)), QByteArray("store-newer"));
    }

    /// What somebody decided comes with the grade that follows from it; the newest of a lesson counts.
    void decisionsComeWithTheirGrade_data() { both(); }
    void decisionsComeWithTheirGrade()
    {
        QFETCH(QString, where);
        const SchoolPlace place = fresh(where);
        {
            auto older =
                SchoolDatabase::open(place, false, {schoolMigrations().begin(), schoolMigrations().begin() + 5});
            R_VERIFY(older);
            QVERIFY(!(*older)->exec(QStringLiteral("SELECT accepted FROM decision")).ok());
        }
        auto school = School::open(place);
        R_VERIFY(school);
        const auto imported = (*school)->import(someLearner("L-AAAAAAAAAA").submission());
        R_VERIFY(imported);
        DecisionRow decision;
        decision.assignmentId = "01890000-0000-7000-8000-000000000001";
        decision.submissionId = imported->submissionId;
        decision.learner = "L-AAAAAAAAAA";
        decision.lesson = "2.4";
        decision.decidedBy = "'); DROP TABLE run; --";
        GradeRow grade;
        grade.assignmentId = decision.assignmentId;
        grade.submissionId = decision.submissionId;
        grade.learner = decision.learner;
        grade.lesson = decision.lesson;
        grade.how = "checks";
        grade.points = 0;
        R_VERIFY((*school)->append(decision, grade));
        decision.accepted = true;
        decision.points = grade.points = 87.5;
        R_VERIFY((*school)->append(decision, grade));
        const auto kept = (*school)->decisions(decision.assignmentId);
        R_VERIFY(kept);
        QCOMPARE(kept->size(), std::size_t{1});
        QVERIFY(kept->at(0).accepted && kept->at(0).points == 87.5);
        QCOMPARE(kept->at(0).decidedBy, decision.decidedBy);
        QCOMPARE((*school)->grades(decision.assignmentId)->at(0).points, 87.5);
        // Neither without the other.
        decision.lesson = grade.lesson = "2.5";
        grade.points = 101;
        QCOMPARE(codeOf((*school)->append(decision, grade)), QByteArray("bad-row"));
        decision.decidedBy.clear();
        grade.points = 50;
        QCOMPARE(codeOf((*school)->append(decision, grade)), QByteArray("bad-row"));
        QCOMPARE((*school)->decisions(decision.assignmentId)->size(), std::size_t{1});
        QCOMPARE((*school)->grades(decision.assignmentId)->size(), std::size_t{1});
        fs::create_directories(place.folder); // which a class on a server has as well
        const auto person = (*school)->person("L-AAAAAAAAAA");
        R_VERIFY(person);
        QCOMPARE((**(*school)->everythingOf(*person)).at("decision").size(), std::size_t{2});
        const auto gone = (*school)->forget(*person);
        R_VERIFY(gone);
        QCOMPARE(gone->decisions, 2);
        QVERIFY((*school)->decisions(decision.assignmentId)->empty());
    }

    /// A class from before it kept what it refused.
    void refusedFilesCameWithTheThirdStep_data() { both(); }
    void refusedFilesCameWithTheThirdStep()
    {
        QFETCH(QString, where);
        const SchoolPlace place = fresh(where);
        const std::vector<Migration> before(schoolMigrations().begin(), schoolMigrations().begin() + 2);
        {
            auto older = SchoolDatabase::open(place, false, before);
            R_VERIFY(older);
            QVERIFY(!(*older)->exec(QStringLiteral("SELECT reason FROM refusal")).ok());
        }
        auto school = School::open(place);
        R_VERIFY(school);
        QVERIFY((*school)->refusals()->empty());
        RefusalRow row;
        row.fileDigest = std::string(64, 'a');
        row.fileName = "x.ridgesubmission";
        row.reason = "'); DROP TABLE run; --";
        row.learner = "L-AAAAAAAAAA";
        row.state = "refused";
        RefusalRow unread = row;
        unread.fileDigest.clear();
        R_VERIFY((*school)->append(std::vector<RefusalRow>{row, unread}));
        QCOMPARE((*school)->refusals()->size(), std::size_t{2});
        QCOMPARE((*school)->refusals()->at(0).reason, row.reason);
        row.state = "dismissed";
        R_VERIFY((*school)->append(std::vector<RefusalRow>{row}));
        QCOMPARE((*school)->refusals()->size(), std::size_t{2}); // the newest of each
        QCOMPARE((*school)->refusals()->at(1).state, std::string("dismissed"));
        row.state = "forgotten";
        QCOMPARE(codeOf((*school)->append(std::vector<RefusalRow>{row})), QByteArray("bad-row"));
        R_VERIFY((*school)->verify());
    }

    /// What a bundle costs where every statement is a round trip.
    void aBundleIsFewStatements_data() { both(); }
    void aBundleIsFewStatements()
    {
        QFETCH(QString, where);
        auto school = School::open(fresh(where));
        R_VERIFY(school);
        Learner learner = someLearner("L-AAAAAAAAAA");
        R_VERIFY((*school)->import(learner.submission()));
        Learner other = someLearner("L-BBBBBBBBBB");
        for (int i = 0; i < 200; ++i)
            other.add("run", columnsOf(someRun(1 + i)));
        const int before = (*school)->statements();
        const auto imported = (*school)->import(other.submission());
        R_VERIFY(imported);
        QCOMPARE(imported->rows, 205);
        if (where == QLatin1String("postgresql"))
            QVERIFY2((*school)->statements() - before <= 20,
                     qPrintable(QString::number((*school)->statements() - before)));
        R_VERIFY((*school)->verify());
    }

    /// Many learners in one reading are each as read alone.
    void rowsOfManyAreThoseOfEach_data() { both(); }
    void rowsOfManyAreThoseOfEach()
    {
        QFETCH(QString, where);
        auto school = School::open(fresh(where));
        R_VERIFY(school);
        std::vector<std::string> names;
        for (int i = 0; i < 21; ++i) { // more than one part, and not a whole number of them
            names.push_back("L-" + std::string(10, static_cast<char>('A' + i)));
            Learner learner = someLearner(names.back());
            for (int more = 0; more < i % 4; ++more) {
                RunRow run = someRun(more);
                run.lesson = more % 2 ? "2.4" : "1.1";
                learner.add("run", columnsOf(run));
            }
            R_VERIFY((*school)->import(learner.submission()));
        }
        names.push_back("L-NOBODYATALL");
        const auto all = (*school)->rowsOf(names, std::vector<std::string>{"2.4", "1.1"});
        R_VERIFY(all);
        QCOMPARE(all->size(), names.size() * 2);
        for (const std::string& name : names)
            for (const char* lesson : {"2.4", "1.1"}) {
                const LearnerRows& many = all->at({name, lesson});
                const auto one = (*school)->rowsOf(name, lesson);
                R_VERIFY(one);
                const auto ids = [](const auto& rows) {
                    std::vector<std::string> list;
                    for (const auto& row : rows)
                        list.push_back(row.id);
                    return list;
                };
                QCOMPARE(ids(many.runs), ids(one->runs));
                QCOMPARE(ids(many.predictions), ids(one->predictions));
                QCOMPARE(ids(many.answers), ids(one->answers));
                QCOMPARE(ids(many.reasons), ids(one->reasons));
                QCOMPARE(ids(many.artifacts), ids(one->artifacts));
                for (const RunRow& run : many.runs)
                    QCOMPARE(run.lesson, std::string(lesson));
            }
        QCOMPARE(all->at({names[3], "2.4"}).runs.size(), std::size_t{2});
        QCOMPARE(all->at({names[3], "1.1"}).runs.size(), std::size_t{2});
        QVERIFY(all->at({"L-NOBODYATALL", "2.4"}).runs.empty());
    }

    /// An id that another record's row has is no way to lose a row quietly.
    void anIdOfAnotherRecordIsRefused_data() { both(); }
    void anIdOfAnotherRecordIsRefused()
    {
        QFETCH(QString, where);
        auto school = School::open(fresh(where));
        R_VERIFY(school);
        const Learner honest = someLearner("L-AAAAAAAAAA");
        R_VERIFY((*school)->import(honest.submission()));
        Learner other("L-BBBBBBBBBB");
        Learner copy = honest;
        other.add("prediction", columnsOf(somePrediction()), copy.rows()[0].stamp.id.toStdString());
        QCOMPARE(codeOf((*school)->import(other.submission())), QByteArray("submission-rewritten"));
        QCOMPARE(*(*school)->rowCount(), std::int64_t{5});
        SubmissionImport foreign = honest.submission("foreign");
        foreign.origins = {newUuid7()};
        QCOMPARE(codeOf((*school)->import(foreign)), QByteArray("submission-foreign-row"));
    }

    void twoImportersWorkOneAfterTheOther_data() { both(); }
    void twoImportersWorkOneAfterTheOther()
    {
        QFETCH(QString, where);
        const SchoolPlace place = fresh(where);
        R_VERIFY(School::open(place));
        std::vector<std::thread> threads;
        std::atomic<int> failures{0};
        for (int t = 0; t < 2; ++t)
            threads.emplace_back([&place, &failures, t] {
                auto school = School::open(place);
                if (!school) {
                    ++failures;
                    return;
                }
                for (int i = 0; i < 10; ++i)
                    if (!(*school)->import(
                            someLearner("L-" + std::to_string(t) + "-" + std::to_string(i)).submission()))
                        ++failures;
            });
        for (std::thread& thread : threads)
            thread.join();
        QCOMPARE(failures.load(), 0);
        auto school = School::open(place);
        R_VERIFY(school);
        QCOMPARE((*school)->submissions("01890000-0000-7000-8000-000000000001")->size(), std::size_t{20});
    }

    void aStoreCanReadAClassOnSqlite()
    {
        const SchoolPlace place = fresh(QStringLiteral("sqlite"));
        {
            auto school = School::open(place);
            R_VERIFY(school);
            R_VERIFY((*school)->import(someLearner("L-AAAAAAAAAA").submission()));
        }
        const auto store = Store::openReadOnly(place.folder);
        R_VERIFY(store);
        QCOMPARE((*store)->runs({})->size(), std::size_t{1});
    }

    void addressesAreCheckedAndHoldNoPassword()
    {
        for (const char* address :
             {"postgresql://ridge:secret@127.0.0.1/postgres", "mysql://host/db", "postgresql://host", "nonsense"}) {
            SchoolPlace place{pathOf(m_folder) / "none", address, "class_x"};
            const auto opened = School::open(place);
            QCOMPARE(codeOf(opened), QByteArray("bad-database"));
            QVERIFY(toText(opened.error()).find("secret") == std::string::npos);
        }
        SchoolPlace injected{pathOf(m_folder) / "none", m_server->address().toStdString(), "x; DROP SCHEMA public"};
        QCOMPARE(codeOf(School::open(injected)), QByteArray("bad-database"));
        SchoolPlace closed{pathOf(m_folder) / "none", "postgresql://ridge@127.0.0.1:1/postgres", "class_x"};
        QCOMPARE(codeOf(School::open(closed)), QByteArray("database-unreachable"));
    }
};

QTEST_GUILESS_MAIN(TestSchool)
#include "tst_school.moc"
