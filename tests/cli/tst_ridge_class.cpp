// SPDX-License-Identifier: GPL-3.0-or-later
// A class on the command line: the instructor's home and a learner's, and files between them.
#include "base/json.h"
#include "tests/support/process.h"

#include <QDir>
#include <QTemporaryDir>
#include <QtTest>
#include <fstream>
#include <sys/stat.h>

using namespace ridge;

namespace {

struct Person {
    QTemporaryDir home;
    QString work; ///< where commands are run and files are left

    test::Outcome operator()(const QStringList& arguments) const
    {
        return test::runProgram(
            QStringLiteral("ridge"), arguments,
            {{QStringLiteral("RIDGE_HOME"), home.path()}, {QStringLiteral("RIDGE_SIM_THREADS"), QStringLiteral("1")}},
            {}, 240000);
    }
    Json json(const QStringList& arguments) const
    {
        const auto outcome = (*this)(arguments);
        auto document = parseJson(outcome.out.toStdString(), "ridge");
        return document ? *document : Json{{"failed", outcome.err.toStdString()}};
    }
};

QStringList words(const char* line)
{
    return QString::fromUtf8(line).split(QLatin1Char(' '));
}

} // namespace

class TestRidgeClass : public QObject {
    Q_OBJECT
    QTemporaryDir m_share;
    QString shared(const char* name) const { return m_share.filePath(QString::fromUtf8(name)); }
    static QByteArray fileText(const QString& name)
    {
        QFile file(name);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }

private Q_SLOTS:
    /// From a new class to grades, with one learner who has no GPU and everything sealed.
    void anAssignmentGoesOutAndAGradeComesBack()
    {
        Person teacher, learner;
        QFile roster(shared("roster.csv"));
        QVERIFY(roster.open(QIODevice::WriteOnly));
        roster.write("Name,Email\nAda Lovelace,ada@example.org\nNobody Yet,nobody@example.org\n");
        roster.close();
        const Json made =
            teacher.json(words("class new Spring --lessons 2.4 --title Week-1 --teacher Prof --json --roster") +
                         QStringList{shared("roster.csv"), QStringLiteral("--out"), shared("w1.ridgeclass")});
        QVERIFY2(made.contains("assignment_id"), made.dump().c_str());

        QVERIFY(learner(words("class submit")).exitCode != 0); // nothing accepted yet
        const auto accepted = learner({QStringLiteral("class"), QStringLiteral("accept"), shared("w1.ridgeclass")});
        QVERIFY2(accepted.exitCode == 0, accepted.err.constData());
        QVERIFY(accepted.out.contains("Week-1"));
        const auto lesson = learner(words("lesson run 2.4 --target sim:t4"));
        QVERIFY2(lesson.exitCode == 0, lesson.err.constData());
        const Json submitted =
            learner.json(words("class submit --json --name") +
                         QStringList{QStringLiteral("Ada Lovelace"), QStringLiteral("--out"), shared("in")});
        QVERIFY2(submitted.value("rows", 0) > 10, submitted.dump().c_str());

        const Json collected =
            teacher.json({QStringLiteral("class"), QStringLiteral("collect"), shared("in"), QStringLiteral("--json")});
        QVERIFY2(collected.value("merged", 0) == 1, collected.dump().c_str());
        QCOMPARE(collected["class"].get<std::string>(), std::string("Spring"));
        QCOMPARE(collected["assignment"].get<std::string>(), std::string("Week-1"));
        QVERIFY(collected["odd"].empty());
        QVERIFY(collected["late"].empty());
        QCOMPARE(collected["missing"].size(), std::size_t{1});
        QCOMPARE(collected["missing"][0]["name"].get<std::string>(), std::string("Nobody Yet"));
        QVERIFY(collected["rows"].get<int>() > 10);
        QVERIFY(collected["seconds"].get<double>() > 0);

        const Json graded = teacher.json(words("class regrade --json"));
        QVERIFY2(graded.value("runs", 0) > 10, graded.dump().c_str());
        QCOMPARE(graded["same"], graded["runs"]);
        QVERIFY(graded["trouble"].empty());

        // A worker that runs nothing: what it cannot repeat counts nothing until somebody decides.
        QVERIFY(QDir(teacher.home.filePath(QStringLiteral("classes/spring/runs"))).removeRecursively());
        const test::Environment idle{{QStringLiteral("RIDGE_HOME"), teacher.home.path()},
                                     {QStringLiteral("RIDGE_WORKER"), QStringLiteral("/bin/false")}};
        const auto blind = [&] { return test::runProgram(QStringLiteral("ridge"), words("class regrade"), idle); };
        const auto undecided = blind();
        QCOMPARE(undecided.exitCode, 1);
        QVERIFY2(undecided.out.contains("\nopen     Ada Lovelace, lesson 2.4, "), undecided.out.constData());
        QVERIFY(undecided.out.contains("ridge class decide WHO"));
        QVERIFY(teacher(words("class report")).out.contains("\nopen     Ada Lovelace"));
        QCOMPARE(teacher(words("class decide ada@example.org")).exitCode, 2);
        QCOMPARE(teacher(words("class decide ada@example.org --accept --leave")).exitCode, 2);
        const auto left = teacher(words("class decide ada@example.org --leave"));
        QVERIFY2(left.exitCode == 0 && left.out.contains("(Prof)"), left.err.constData());
        QCOMPARE(blind().exitCode, 0);
        const Json decided = teacher.json(words("class report --json"))["open"][0];
        QCOMPARE(decided["decision"].get<std::string>(), std::string("left"));
        QCOMPARE(decided["decided_by"].get<std::string>(), std::string("Prof"));
        QCOMPARE(teacher(words("class decide ada@example.org --lesson 2.4 --accept --by Hopper")).exitCode, 0);
        QVERIFY(teacher(words("class report")).out.contains("(Hopper)"));
        QCOMPARE(teacher(words("class regrade")).exitCode, 0);
        QCOMPARE(teacher(words("class decide ada@example.org --accept")).exitCode, 2); // nothing is open any more

        const Json told = teacher.json(words("class report --json"));
        QVERIFY2(told.contains("learners"), told.dump().c_str());
        QCOMPARE(told["learners"].size(), std::size_t{1});
        const Json& line = told["learners"][0];
        QCOMPARE(line["name"].get<std::string>(), std::string("Ada Lovelace"));
        QVERIFY(line["steps"]["2.4"]["ran"].get<bool>());
        QVERIFY(line["steps"]["2.4"]["shipped"].get<bool>());
        QVERIFY(!line["steps"]["2.4"]["predicted"].get<bool>()); // `ridge lesson run` commits no prediction
        QVERIFY(line["grade"].get<double>() > 0);
        for (const char* key : {"stuck", "histograms", "misconceptions", "hardware", "outliers", "spread", "missing"})
            QVERIFY2(told[key].is_array(), key);

        for (const char* format : {"moodle", "canvas"}) {
            const auto grades =
                teacher(words("class grades --format") +
                        QStringList{QString::fromUtf8(format), QStringLiteral("--out"), shared("grades.csv")});
            QVERIFY2(grades.exitCode == 0, grades.err.constData());
            QVERIFY(fileText(shared("grades.csv")).contains("Lovelace"));
            QVERIFY(fileText(shared("grades.csv")).contains("Week-1"));
        }
        QFile remark(shared("remark.txt"));
        QVERIFY(remark.open(QIODevice::WriteOnly));
        remark.write("Look at <offsets> again.\nThe rest is sound.\n");
        remark.close();
        const auto said =
            teacher(words("class remark ada@example.org --lesson 2.4 --file") + QStringList{remark.fileName()});
        QVERIFY2(said.exitCode == 0, said.err.constData());
        QVERIFY(said.out.contains("Ada Lovelace"));
        QCOMPARE(teacher({QStringLiteral("class"), QStringLiteral("remark"), QStringLiteral("Ada Lovelace"),
                          QStringLiteral("Well done")})
                     .exitCode,
                 0);
        for (const char* wrong : {"class remark Nobody hello", "class remark nobody@example.org hello",
                                  "class remark ada@example.org hello --lesson 9.9"})
            QVERIFY2(teacher(words(wrong)).exitCode != 0, wrong);
        QCOMPARE(teacher(words("class feedback --out") + QStringList{shared("pages")}).exitCode, 0);
        const QByteArray page = fileText(shared("pages/Ada Lovelace.html"));
        QVERIFY(page.contains("<p>Look at &lt;offsets&gt; again.</p>\n<p>The rest is sound.</p>"));
        QVERIFY(page.contains("Well done"));
        QVERIFY(teacher(words("class grades --format moodle")).out.contains("Look at <offsets> again. The rest"));
        QVERIFY(fileText(shared("pages/Ada Lovelace.html")).contains("of 100 points"));

        // All of it once more for herself, then out of the class.
        const QStringList forget = words("class forget ada@example.org");
        QVERIFY(teacher(words("class forget nobody@else.org")).exitCode != 0);
        QCOMPARE(teacher(words("class export ada@example.org --out") + QStringList{shared("ada")}).exitCode, 0);
        QVERIFY(fileText(shared("ada/learner.json")).contains("Well done"));
        const auto preview = teacher(forget);
        QVERIFY(preview.out.contains("Nothing was changed") && preview.out.contains(".ridgesubmission"));
        QCOMPARE(teacher.json(words("class report --json"))["learners"].size(), std::size_t{1});
        const Json gone = teacher.json(forget + words("--yes --json"));
        QVERIFY2(gone.value("submissions", 0) == 1 && gone.value("rows", 0) > 10, gone.dump().c_str());
        QVERIFY(teacher(forget).exitCode != 0);
        QVERIFY(teacher.json(words("class report --json"))["learners"].empty());
    }

    /// What the teacher keeps back, commands keep back too; with the policy taken away they tell it.
    void outcomesWaitOnTheCommandLine()
    {
        Person teacher, learner;
        QVERIFY(!teacher(words("class new Quiet --lessons 1.8 --title Week-9 --deadline 2098-03-08T18:00Z --feedback "
                               "passed=deadline --feedback ran=never --out") +
                         QStringList{shared("w9.ridgeclass")})
                     .exitCode);
        const auto before = learner(words("lesson run 1.8 --target model"));
        QVERIFY2(before.exitCode == 0 || before.exitCode == 1, before.err.constData());
        const auto marks = [](const QByteArray& out) {
            return out.count("  ✓ ") + out.count("  ✗ ") + out.count("  · ");
        };
        QVERIFY2(marks(before.out) > 0, before.out.constData());
        const Json open = learner.json(words("progress --json"));
        for (const Json& lesson : open["lessons"])
            QVERIFY(!lesson["passed"].is_null());

        const auto accepted = learner({QStringLiteral("class"), QStringLiteral("accept"), shared("w9.ridgeclass")});
        QVERIFY2(accepted.out.contains("passed: shown after the deadline"), accepted.out.constData());
        const auto after = learner(words("lesson run 1.8 --target model"));
        QVERIFY2(marks(after.out) == 1, after.out.constData());
        QVERIFY(after.out.contains("stored. Week-9 does not show this."));
        QVERIFY(after.out.contains("Week-9 shows this from"));
        QCOMPARE(after.exitCode, 0); // a failed check would be a word about it
        const Json progress = learner.json(words("progress --json"));
        for (const Json& lesson : progress["lessons"]) {
            const bool held = lesson["id"] == "1.8";
            QCOMPARE(lesson["passed"].is_null(), held);
            QCOMPARE(lesson["mastery"].is_null(), held);
            QVERIFY(lesson["ran"].is_boolean());
        }
        QVERIFY(learner(words("progress")).out.contains("later: Week-9"));

        // Exported folders, portfolios and searches keep to it as well.
        const Json shipped = learner.json(words("artifacts --json"));
        QVERIFY(!shipped.empty() && shipped[0]["claim"].is_null());
        const auto exported = learner(words("export --out") + QStringList{shared("held")});
        QVERIFY2(exported.exitCode == 0, exported.err.constData());
        const QString folder = QString::fromUtf8(exported.out).section(QLatin1Char('\n'), 0, 0);
        QVERIFY(fileText(folder + QStringLiteral("/README.md")).contains("Week-9 does not show this."));
        const Json artifact = parseJson(fileText(folder + QStringLiteral("/artifact.json")).toStdString(), "a").value();
        for (const Json& run : artifact["runs"])
            QVERIFY(run["metrics"].empty());
        const auto folio =
            learner(words("export portfolio --template job --no-pdf --out") + QStringList{shared("folio")});
        QVERIFY2(folio.exitCode == 0, folio.err.constData());
        QVERIFY(fileText(shared("folio/index.html")).contains("Week-9 does not show this."));
        QCOMPARE(learner({QStringLiteral("verify"), shared("folio")}).exitCode, 0);
        const Json found = learner.json(words("search --json") +
                                        QStringList{QString::fromStdString(shipped[0]["title"].get<std::string>())});
        bool said = false;
        for (const Json& hit : found["hits"])
            if (hit["kind"] == "artifact")
                said = said || hit["snippet"]["text"].get<std::string>().find("Week-9") != std::string::npos;
        QVERIFY2(said, found.dump().c_str());
    }

    void aGeneratedClassIsCollected()
    {
        Person teacher;
        const Json made =
            teacher.json(words("generate learners 4 --seed 5 --odd 1 --json --out") + QStringList{shared("gen")});
        QVERIFY2(made.value("files", 0) == 4, made.dump().c_str());
        const auto adopted = teacher(
            words("class new Generated --from") +
            QStringList{shared("gen/assignment.ridgeclass"), QStringLiteral("--roster"), shared("gen/roster.csv")});
        QVERIFY2(adopted.exitCode == 0, adopted.err.constData());
        const Json collected =
            teacher.json({QStringLiteral("class"), QStringLiteral("collect"), shared("gen"), QStringLiteral("--json")});
        QVERIFY2(collected.value("merged", 0) == 3, collected.dump().c_str());
        QCOMPARE(collected["odd"].size(), std::size_t{1});
        QCOMPARE(collected["missing"].size(), std::size_t{2}); // the damaged one, and one who handed in nothing
        const Json listed = teacher.json(words("class report --json"));
        QCOMPARE(listed["refused"].size(), std::size_t{1});
        QCOMPARE(listed["refused"][0]["reason"], collected["odd"][0]["reason"]);
        QCOMPARE(listed["refused"][0]["sha256"].get<std::string>().size(), std::size_t{64});
        const QString file = QString::fromStdString(listed["refused"][0]["file"].get<std::string>());
        QVERIFY(teacher(words("class report")).out.contains("refused  " + file.toUtf8()));
        QVERIFY(teacher(words("class dismiss nothing")).exitCode != 0);
        QCOMPARE(teacher({QStringLiteral("class"), QStringLiteral("dismiss"), file}).exitCode, 0);
        QVERIFY(teacher.json(words("class report --json"))["refused"].empty());
        // Answers to the class's own assignment, sealed to its key or not as that says.
        const Json more =
            teacher.json(words("generate learners 2 --seed 6 --json --out") + QStringList{shared("more")});
        QVERIFY2(more.value("files", 0) == 2, more.dump().c_str());
        QVERIFY(!QFile::exists(shared("more/assignment.ridgeclass")));
        const Json again = teacher.json(
            {QStringLiteral("class"), QStringLiteral("collect"), shared("more"), QStringLiteral("--json")});
        QVERIFY2(again.value("merged", 0) == 2, again.dump().c_str());
        const Json hidden = teacher.json(words("class report --hide-names --json"));
        QVERIFY(hidden["learners"][0]["name"].get<std::string>().starts_with("Learner "));
        QVERIFY(!hidden["learners"][0].contains("learner"));
    }

    /// Names of strangers' files: what is no UTF-8 or moves a cursor comes into no document and onto no terminal.
    void namesOfStrangersDoNoHarm()
    {
        Person teacher;
        QVERIFY(QDir(m_share.path()).mkpath(QStringLiteral("names")));
        const Json made =
            teacher.json(words("generate learners 1 --seed 8 --json --out") + QStringList{shared("names")});
        QVERIFY2(made.value("files", 0) == 1, made.dump().c_str());
        const QString good = QDir(shared("names")).entryList({QStringLiteral("*.ridgesubmission")}).value(0);
        QVERIFY(QFile::rename(shared("names/") + good, shared("names/GOOD.RIDGESUBMISSION"))); // as old media have it
        for (const char* name : {"\xff\xfe.ridgesubmission", "a\n\x1b[31mb\xe2\x80\xae.ridgesubmission"}) {
            std::ofstream file(shared("names").toStdString() + '/' + name);
            file << "no submission";
            QVERIFY(file.good());
        }
        QFile roster(shared("names.csv"));
        QVERIFY(roster.open(QIODevice::WriteOnly));
        roster.write("Name;Email\r\n\"Two\nLines\";two@example.org\r\n\x1b[31mRed;red@example.org\r\n");
        roster.close();
        QCOMPARE(teacher(words("class new Names --from") + QStringList{shared("names/assignment.ridgeclass"),
                                                                       QStringLiteral("--roster"), roster.fileName()})
                     .exitCode,
                 0);
        const QStringList collect{QStringLiteral("class"), QStringLiteral("collect"), shared("names")};
        const Json collected = teacher.json(collect + words("--json"));
        QCOMPARE(collected.value("merged", 0), 1);
        QCOMPARE(collected["odd"].size(), std::size_t{2});
        QCOMPARE(teacher.json(collect + words("--json"))["odd"].size(), std::size_t{2});
        const Json listed = teacher.json(words("class report --json"));
        QCOMPARE(listed["refused"].size(), std::size_t{2}); // told twice, listed once
        for (const QByteArray& shown : {teacher(collect).out, teacher(words("class report")).out}) {
            QVERIFY(!shown.contains('\x1b') && !shown.contains("\xe2\x80\xae"));
            QVERIFY(!QString::fromUtf8(shown).toUtf8().isEmpty() && QString::fromUtf8(shown).toUtf8() == shown);
        }
        QVERIFY(teacher(collect).out.contains("Two Lines"));
    }

    void aClassIsCalledWhatItIsCalled()
    {
        Person teacher;
        const auto make = [&](const char* name, const char* title) {
            return teacher({QStringLiteral("class"), QStringLiteral("new"), QString::fromUtf8(name),
                            QStringLiteral("--lessons"), QStringLiteral("2.4,2.4"), QStringLiteral("--title"),
                            QString::fromUtf8(title), QStringLiteral("--out"), shared("named.ridgeclass")});
        };
        const auto folders = [&] {
            return QDir(teacher.home.filePath(QStringLiteral("classes"))).entryList(QDir::Dirs | QDir::NoDotAndDotDot);
        };
        QCOMPARE(make("日本語", "第一週").exitCode, 0);
        QCOMPARE(make("Группа 7", "1").exitCode, 0);
        QCOMPARE(make("Класс 7", "1").exitCode, 0); // another one, though the same is left of it
        QCOMPARE(make("Été 2027", "1").exitCode, 0);
        QCOMPARE(make("été  2027", "2").exitCode, 0); // the same one
        QCOMPARE(make("C++", "1").exitCode, 0);
        QCOMPARE(folders().size(), 5);
        QVERIFY(folders().contains(QStringLiteral("ete-2027")));
        const auto taken = make("C#", "1");
        QCOMPARE(taken.exitCode, 2);
        QVERIFY2(taken.err.contains("'C++'"), taken.err.constData());
        // What cannot be made leaves nothing behind.
        QCOMPARE(make("Long", QByteArray(301, 'x').constData()).exitCode, 2);
        QFile empty(shared("empty.csv"));
        QVERIFY(empty.open(QIODevice::WriteOnly));
        const auto nobody = teacher(words("class new Nobody --lessons 2.4 --roster") + QStringList{empty.fileName()});
        QCOMPARE(nobody.exitCode, 2);
        QVERIFY2(nobody.err.contains("empty"), nobody.err.constData());
        QCOMPARE(folders().size(), 5);
        // Where its file cannot be written no class is made that lacks it.
        for (const QString& out : {QStringLiteral("/nowhere/x.ridgeclass"), m_share.path()}) {
            const auto lost = teacher(words("class new Lost --lessons 2.4 --out") + QStringList{out});
            QCOMPARE(lost.exitCode, 2);
            QVERIFY2(lost.err.contains(out.toUtf8()), lost.err.constData());
            QCOMPARE(folders().size(), 5);
        }
        const auto found = teacher({QStringLiteral("class"), QStringLiteral("report"), QStringLiteral("--class"),
                                    QStringLiteral("日本語"), QStringLiteral("--json")});
        QCOMPARE(found.exitCode, 0);
    }

    /// Exit status as `ridge --help` has it: 2 is a wrong command line or file, 4 trouble with the record.
    void whatIsWrongIsSaid()
    {
        Person teacher;
        for (const char* line :
             {"class report", "class collect /nowhere", "class new !!! --lessons 2.4", "class new A",
              "class new A --lessons 99.9", "class new A --lessons 2.4 --deadline tomorrow",
              "class new A --lessons 2.4 --feedback passed=sometimes",
              "class new A --lessons 2.4 --feedback passed=deadline", "class accept /nowhere",
              "class accept /etc/passwd", "class grades --format excel", "generate learners 0 --out /tmp/x",
              "generate learners 1 --seed -1 --out /tmp/x",
              "generate learners 1 --seed 18446744073709551616 --out /tmp/x", "class dismiss nothing",
              "class new A --lessons 2.4 --database postgresql://u:p@127.0.0.1/db", "run coalescing --seed -1"}) {
            const auto outcome = teacher(words(line));
            QVERIFY2(outcome.exitCode == 2 && !outcome.crashed, line);
            QVERIFY2(!outcome.err.isEmpty() || !outcome.out.isEmpty(), line);
        }
        // A pipe has no end, and what is far too long is not read to find out: its own size is told.
        const QByteArray pipe = shared("pipe").toUtf8();
        QCOMPARE(::mkfifo(pipe.constData(), 0600), 0);
        QFile large(shared("large.ridgeclass"));
        QVERIFY(large.open(QIODevice::WriteOnly) && large.resize((qint64(300) << 20) + 1));
        for (const QString& file : {QString::fromUtf8(pipe), QStringLiteral("/dev/zero"), large.fileName()}) {
            const auto outcome = teacher({QStringLiteral("class"), QStringLiteral("accept"), file});
            QVERIFY2(outcome.ended && outcome.exitCode == 2, outcome.err.constData());
            if (file == large.fileName())
                QVERIFY2(outcome.err.contains("has 314572801 bytes, and at most 128 MiB"), outcome.err.constData());
        }
        const auto secret = teacher(words("class new A --lessons 2.4 --database postgresql://u:secret@127.0.0.1/db"));
        QVERIFY(secret.exitCode != 0);
        QVERIFY(!secret.err.contains("secret"));
    }
};

QTEST_GUILESS_MAIN(TestRidgeClass)
#include "tst_ridge_class.moc"
