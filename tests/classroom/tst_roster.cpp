// SPDX-License-Identifier: GPL-3.0-or-later
// Rosters as people have them, and grades as Moodle and Canvas take them.
#include "base/csv.h"
#include "classroom/collect.h"
#include "classroom/grade.h"
#include "classroom/roster.h"
#include "tests/record/record_support.h"

using namespace ridge;
using namespace ridge::classroom;
using namespace ridge::test;

namespace {

record::MemberRow member(const char* name, const char* email = "", const char* learner = "")
{
    record::MemberRow row;
    row.name = name;
    row.email = email;
    row.learner = learner;
    return row;
}

} // namespace

class TestRoster : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void plainRosterIsRead()
    {
        const auto roster = parseRoster("Name,Email,Student number,Section,Learner\r\n"
                                        "Ada Lovelace,ada@example.org,0017,A,L-ABCDEFGHIJ\r\n"
                                        "\"Turing, Alan\",alan@example.org,18,B,\r\n",
                                        "roster.csv");
        R_VERIFY(roster);
        QCOMPARE(roster->members.size(), std::size_t{2});
        QCOMPARE(roster->members[0].studentNumber, std::string("0017"));
        QCOMPARE(roster->members[0].learner, std::string("L-ABCDEFGHIJ"));
        QCOMPARE(roster->members[1].name, std::string("Alan Turing"));
        QCOMPARE(roster->members[1].section, std::string("B"));
        QVERIFY(roster->notes.empty());
    }

    void whatSpreadsheetsDoIsUnderstood()
    {
        // A byte order mark, semicolons, a quoted separator, a doubled quote, a blank line, Moodle's column names.
        const auto roster = parseRoster("\xef\xbb\xbf"
                                        "First name;Last name;ID number;Email address\n"
                                        "\"Grace \"\"Amazing\"\"\";Hopper;7;grace@example.org\n\n"
                                        "Jean;\"Bartik; Jennings\";8;jean@example.org\n",
                                        "roster.csv");
        R_VERIFY(roster);
        QCOMPARE(roster->members.size(), std::size_t{2});
        QCOMPARE(roster->members[0].name, std::string("Grace \"Amazing\" Hopper"));
        QCOMPARE(roster->members[1].name, std::string("Jean Bartik; Jennings"));
        QCOMPARE(roster->members[1].studentNumber, std::string("8"));
    }

    void aCanvasExportIsARoster()
    {
        const auto roster = parseRoster("Student,ID,SIS User ID,SIS Login ID,Section,Quiz 1 (23)\n"
                                        "    Points Possible,,,,,10.00\n"
                                        "\"Lovelace, Ada\",11,S17,ada,XC 101,8.00\n"
                                        "\"Student, Test\",99,,abc,XC 101,\n",
                                        "canvas.csv");
        R_VERIFY(roster);
        QCOMPARE(roster->members.size(), std::size_t{1});
        QCOMPARE(roster->members[0].name, std::string("Ada Lovelace"));
        QCOMPARE(roster->members[0].studentNumber, std::string("S17"));
        QCOMPARE(roster->members[0].login, std::string("ada"));
    }

    void doublesAreLeftOutAndTold()
    {
        const auto roster = parseRoster("Name,Email\nAda,ada@example.org\nAda Again,ADA@example.org\n,x@example.org\n"
                                        "Two Fields,a,b\nBob,\nBob,\n",
                                        "roster.csv");
        R_VERIFY(roster);
        QCOMPARE(roster->members.size(), std::size_t{3}); // two people may both be called Bob
        QCOMPARE(roster->notes.size(), std::size_t{3});
        QVERIFY(roster->notes[0].starts_with("line 3: "));
        QVERIFY(roster->notes[1].starts_with("line 4: no name"));
        QVERIFY(roster->notes[2].starts_with("line 5: "));
    }

    void badRostersAreRefusedWithTheLine()
    {
        for (const char* text : {"", "Email,Number\na@example.org,1\n", "Name\n", "Name\n\"open", "Name\n\xff\xfe\n"})
            QCOMPARE(codeOf(parseRoster(text, "roster.csv")), QByteArray("bad-csv"));
        QVERIFY(parseRoster("Email\nx\n", "roster.csv").error().place == "roster.csv:1");
    }

    void peopleAreFoundByWhatIsTheirs()
    {
        const std::vector<record::MemberRow> members = {member("Ada Lovelace", "ada@example.org", "L-A"),
                                                        member("Bob Two", "bob@example.org"), member("Bob Two"),
                                                        member("Cem Şahin")};
        QCOMPARE(memberOf(members, "L-A", {}), &members[0]);
        QCOMPARE(memberOf(members, "L-B", {"", "BOB@example.org", ""}), &members[1]);
        // Whoever claims the address of somebody who is matched already gets nothing.
        QVERIFY(memberOf(members, "L-B", {"", "ada@example.org", ""}) == nullptr);
        QVERIFY(memberOf(members, "L-B", {}) == nullptr);
        QVERIFY(memberByName(members, "Bob Two", "x.ridgesubmission") == nullptr); // two of one name
        QCOMPARE(memberByName(members, "cem şahin", "x.ridgesubmission"), &members[3]);
        QCOMPARE(memberByName(members, "", "Cem Şahin_123_assignsubmission_file_/L-C.ridgesubmission"), &members[3]);
        QCOMPARE(memberByName(members, "", "şahincem_55_77_L-C.ridgesubmission"), &members[3]);
        QVERIFY(memberByName(members, "Ada Lovelace", "x.ridgesubmission") == nullptr); // has a learner
    }

    void gradesHaveTheColumnsThatPlatformsImport()
    {
        record::MemberRow ada = member("Ada King Lovelace", "ada@example.org");
        ada.studentNumber = "0017";
        ada.login = "ada";
        ada.section = "A";
        const std::vector<GradeLine> lines = {{ada, 200.0 / 3, "Well predicted, \"mostly\"."},
                                              {member("=HYPERLINK(1)"), std::nullopt, ""}};
        QCOMPARE(moodleGrades("Week 3", lines),
                 std::string("First name,Last name,ID number,Email address,Week 3 (Real),Week 3 (Feedback)\r\n"
                             "Ada King,Lovelace,0017,ada@example.org,66.67,\"Well predicted, \"\"mostly\"\".\"\r\n"
                             "'=HYPERLINK(1),,,,-,\r\n"));
        QCOMPARE(canvasGrades("Week 3", lines), std::string("Student,ID,SIS User ID,SIS Login ID,Section,Week 3\r\n"
                                                            "    Points Possible,,,,,100\r\n"
                                                            "\"Lovelace, Ada King\",,0017,ada,A,66.67\r\n"
                                                            "'=HYPERLINK(1),,,,,\r\n"));
    }

    void gradesReadAsARosterGiveTheSamePeople()
    {
        const std::vector<GradeLine> lines = {{member("Ada Lovelace", "ada@example.org"), 100.0, "ok"},
                                              {member("Ünal Öz", "u@example.org"), 12.5, ""}};
        for (const std::string& file : {moodleGrades("Week, 3", lines), canvasGrades("Week, 3", lines)}) {
            const auto roster = parseRoster(file, "grades.csv");
            R_VERIFY(roster);
            QCOMPARE(roster->members.size(), std::size_t{2});
            QCOMPARE(roster->members[0].name, std::string("Ada Lovelace"));
            QCOMPARE(roster->members[1].name, std::string("Ünal Öz"));
            const auto rows = parseCsv(file, "grades.csv");
            R_VERIFY(rows);
            for (const CsvRow& row : *rows)
                QCOMPARE(row.cells.size(), std::size_t{6});
        }
    }

    void namesAndCanvasNumbersComeBackAsTheyWere()
    {
        const std::string canvas = "Student,ID,SIS User ID,SIS Login ID,Section,Quiz 1 (23)\n"
                                   "    Points Possible,,,,,10.00\n"
                                   "\"de la Cruz, María José\",101,,mjc,A,\n"
                                   "Sukarno,102,,,A,\n"
                                   "Twice,102,,,A,\n";
        const auto fromCanvas = parseRoster(canvas, "canvas.csv");
        R_VERIFY(fromCanvas);
        QCOMPARE(fromCanvas->members.size(), std::size_t{2});
        QCOMPARE(fromCanvas->members[0].name, std::string("María José de la Cruz"));
        QCOMPARE(fromCanvas->members[0].studentNumber, std::string());
        QCOMPARE(fromCanvas->notes.size(), std::size_t{1});
        const std::string graded =
            canvasGrades("W", {{fromCanvas->members[0], 50.0, ""}, {fromCanvas->members[1], 60.0, ""}});
        QVERIFY(graded.find("\"de la Cruz, María José\",101,,mjc,A,50\r\n") != std::string::npos);
        QVERIFY(graded.find("Sukarno,102,,,A,60\r\n") != std::string::npos);

        // Whoever may not see SIS ids: ID is still Canvas's and no student number.
        const auto few = parseRoster("Student,ID,Section\n    Points Possible,,\n\"Öz, Ünal\",7,A\n", "canvas.csv");
        R_VERIFY(few);
        QCOMPARE(few->members[0].canvasId, std::string("7"));
        QCOMPARE(few->members[0].studentNumber, std::string());
        const auto own = parseRoster("Student,ID\nÜnal Öz,7\n", "own.csv");
        R_VERIFY(own);
        QCOMPARE(own->members[0].canvasId, std::string());
        QCOMPARE(own->members[0].studentNumber, std::string("7"));

        const auto moodle = parseRoster("First name,Surname,ID number,Email address\n"
                                        "Ludwig,van der Berg,2,l@example.org\n,Sukarno,3,s@example.org\n",
                                        "moodle.csv");
        R_VERIFY(moodle);
        const std::string back =
            moodleGrades("W", {{moodle->members[0], 50.0, ""}, {moodle->members[1], std::nullopt, ""}});
        QVERIFY(back.find("Ludwig,van der Berg,2,l@example.org,50,\r\n") != std::string::npos);
        QVERIFY(back.find(",Sukarno,3,s@example.org,-,\r\n") != std::string::npos);
    }

    void numbersHaveAPointAndNoTail()
    {
        QCOMPARE(gradeText(0), std::string("0"));
        QCOMPARE(gradeText(100), std::string("100"));
        QCOMPARE(gradeText(87.5), std::string("87.5"));
        QCOMPARE(gradeText(66.666), std::string("66.67"));
    }

    void ratiosAreGradedAsCs149Does()
    {
        QCOMPARE(ratioCredit(1), 1.0);
        QCOMPARE(ratioCredit(1.2), 1.0);
        QCOMPARE(ratioCredit(2.4), 0.5);
        QCOMPARE(ratioCredit(10), 0.12);
        QCOMPARE(ratioCredit(10.1), 0.0);
        QCOMPARE(ratioCredit(-1), 0.0);
        QCOMPARE(ratioCredit(std::nan("")), 0.0);
    }

    /// A measured run that misses a bound is worth what is left of it; a simulated one passes or fails.
    void measuredRunsAreGradedByTheirDistance()
    {
        lessons::Lesson lesson;
        lesson.id = "9.9";
        lessons::CheckSpec check;
        check.id = "fast";
        check.kind = "metric_bound";
        check.experiment = "stream";
        check.metric = "bandwidth";
        check.min = 100;
        lesson.checks = {check};
        const auto pointsAt = [&](double value, Provenance provenance) {
            record::RunRow run = someRun();
            run.experiment = "stream";
            run.metrics = {{"bandwidth", {value, "GB/s", provenance}}};
            record::LearnerRows rows;
            rows.runs = {run};
            return gradeLesson(lesson, rows).points;
        };
        QCOMPARE(pointsAt(100, Provenance::Measured), 100.0);
        QCOMPARE(pointsAt(90, Provenance::Measured), 100.0); // within 1.2
        QVERIFY(std::abs(pointsAt(50, Provenance::Measured) - 60) < 0.01);
        QCOMPARE(pointsAt(5, Provenance::Measured), 0.0);
        QCOMPARE(pointsAt(100, Provenance::Simulated), 100.0);
        QCOMPARE(pointsAt(90, Provenance::Simulated), 0.0);
    }

    void aGradeComesBackAsItWent()
    {
        LessonGrade grade;
        grade.lesson = "2.4";
        grade.points = 37.5;
        grade.steps = {true, false, true, false, true};
        grade.checks = {{"gcd", "The law", lessons::CheckState::Failed, "at stride 3 …", 0.25}};
        Finding finding;
        finding.kind = "prediction";
        finding.block = "guess";
        finding.point = 0.1 + 0.2;
        finding.result = 32;
        finding.misconception = "lanes";
        finding.hardware = "t4 (simulated)";
        grade.findings = {finding};
        const LessonGrade back = gradeOf(toRow(grade));
        QCOMPARE(back.points, grade.points);
        QVERIFY(back.steps == grade.steps);
        QCOMPARE(back.checks[0].credit, 0.25);
        QVERIFY(back.checks[0].state == lessons::CheckState::Failed);
        QCOMPARE(back.findings[0].point, 0.1 + 0.2);
        QCOMPARE(*back.findings[0].result, 32.0);
        QCOMPARE(back.findings[0].misconception, std::string("lanes"));
        QCOMPARE(back.findings[0].hardware, std::string("t4 (simulated)"));
    }
};

QTEST_GUILESS_MAIN(TestRoster)
#include "tst_roster.moc"
