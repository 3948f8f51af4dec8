// SPDX-License-Identifier: GPL-3.0-or-later
// `ridge lesson check`: what each learner meets, and lessons that are wrong themselves; where `ridge lesson run` runs.
#include "base/json.h"
#include "tests/support/process.h"

#include <QDir>
#include <QTemporaryDir>
#include <QtTest>

#include <filesystem>

using namespace ridge;

namespace {

const char* const kSimulator = "sim:h100-sxm";

std::filesystem::path source()
{
    return std::filesystem::path(qgetenv("RIDGE_SOURCE").toStdString());
}

test::Outcome check(const QStringList& arguments, const test::Environment& environment = {})
{
    return test::runProgram(QStringLiteral("ridge"),
                            QStringList{QStringLiteral("lesson"), QStringLiteral("check")} + arguments, environment, {},
                            170000);
}

Json document(const test::Outcome& outcome)
{
    auto json = parseJson(outcome.out.toStdString(), "standard output");
    return json ? *json : Json();
}

QStringList words(const char* line)
{
    return QString::fromUtf8(line).split(QLatin1Char(' '));
}

Json entry(const Json& list, const char* key, const std::string& value)
{
    for (const Json& one : list)
        if (one.at(key) == value)
            return one;
    return Json();
}

/// Data with one lesson, 2.1: the fixture of the reader's tests after an edit.
class Data {
public:
    explicit Data(const std::string& from = {}, const std::string& to = {})
    {
        const std::filesystem::path root = m_folder.path().toStdString();
        const auto copy = std::filesystem::copy_options::recursive;
        std::filesystem::copy(source() / "tests/app/lesson/reader/fixture", root / "curriculum", copy);
        for (const char* folder : {"assets", "kernels"})
            std::filesystem::create_directory_symlink(source() / folder, root / folder);
        const auto lesson = root / "curriculum/2-cuda-programming/01-fixture.md";
        std::string text = readFile(lesson).value();
        const std::size_t at = text.find(from);
        if (at == std::string::npos)
            qFatal("the fixture has no '%s'", from.c_str());
        text.replace(at, from.size(), to);
        if (!writeFile(lesson, text))
            qFatal("cannot write the fixture");
    }
    test::Environment environment() const { return {{QStringLiteral("RIDGE_DATA"), m_folder.path()}}; }

private:
    QTemporaryDir m_folder;
};

} // namespace

class TestRidgeLesson : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void theIdealLearnerPasses_data()
    {
        QTest::addColumn<QString>("target");
        QTest::newRow("simulator") << QString::fromLatin1(kSimulator);
        QTest::newRow("cpu") << QStringLiteral("cpu"); // which none of its experiments knows
    }
    void theIdealLearnerPasses()
    {
        QFETCH(QString, target);
        QTemporaryDir home;
        const auto outcome =
            check(words("2.4 --json --target") + QStringList{target}, {{QStringLiteral("RIDGE_HOME"), home.path()}});
        QVERIFY2(outcome.exitCode == 0, (outcome.err + outcome.out).constData());
        QVERIFY2(outcome.err.isEmpty(), "a progress bar in a pipe");
        QVERIFY2(QDir(home.path()).isEmpty(), "the learner's own record was touched");
        const Json json = document(outcome);
        QCOMPARE(json.at("lesson"), "2.4");
        QCOMPARE(json.at("title"), "Coalescing and bank conflicts");
        QCOMPARE(json.at("learner"), "ideal");
        QCOMPARE(json.at("target").get<std::string>(), target.toStdString());
        QVERIFY(json.at("passed").get<bool>() && json.at("failures").empty());
        const Json sweep = entry(json.at("steps"), "block", "sweep-global");
        QCOMPARE(sweep.at("experiment"), "coalescing");
        QCOMPARE(sweep.at("target"), kSimulator);
        QCOMPARE(sweep.at("provenance"), "SIMULATED");
        QCOMPARE(sweep.at("points").get<int>(), 8);
        QVERIFY(sweep.at("failed_checks").empty() && sweep.at("seconds").get<double>() > 0);
        QCOMPARE(entry(json.at("steps"), "block", "shifted").at("points").get<int>(), 4); // its whole solution
        const Json guess = entry(json.at("predictions"), "block", "guess-sectors");
        QCOMPARE(guess.at("committed").get<double>(), 8.0);
        QCOMPARE(guess.at("result").get<double>(), 8.0);
        QCOMPARE(guess.at("factor").get<double>(), 1.0);
        QCOMPARE(guess.at("unit"), "sectors/request");
        QCOMPARE(guess.at("wrong").size(), std::size_t{3});
        QCOMPARE(entry(guess.at("wrong"), "id", "useful-bytes").at("factor").get<double>(), 2.0);
        QVERIFY(json.at("answers").size() >= std::size_t{7});
        for (const Json& answer : json.at("answers"))
            QVERIFY2(answer.at("correct").is_null() || answer.at("correct").get<bool>(), answer.dump().c_str());
        QCOMPARE(json.at("checks").size(), std::size_t{7});
        for (const Json& one : json.at("checks"))
            QVERIFY2(one.at("state") == "passed", one.dump().c_str());
        QVERIFY(json.at("artifact").at("claim").get<std::string>().find("12.5") != std::string::npos);
    }

    void theWrongLearnerFailsForTheRightReasons_data() { theIdealLearnerPasses_data(); }
    void theWrongLearnerFailsForTheRightReasons()
    {
        QFETCH(QString, target);
        const auto outcome = check(words("2.4 --json --learner wrong --target") + QStringList{target});
        QCOMPARE(outcome.exitCode, 1);
        const Json json = document(outcome);
        QVERIFY(!json.at("passed").get<bool>());
        QVERIFY2(json.at("failures").empty(), "the lesson is in order; the learner is not");
        const auto state = [&](const char* id) { return entry(json.at("checks"), "id", id); };
        // To have run the sweeps and to ship takes no understanding.
        for (const char* id : {"gcd-law", "shipped"})
            QVERIFY2(state(id).at("state") == "passed", state(id).dump().c_str());
        QCOMPARE(state("shifted-start").at("state"), "missing");
        QCOMPARE(state("told-apart").at("state"), "missing");
        for (const char* id : {"predicted-sectors", "drawn-teeth", "found-granule"})
            QCOMPARE(state(id).at("state"), "failed");
        QCOMPARE(state("found-granule").at("detail"),
                 "answered 32 B: Sectors move between L1 and L2. With blocks of that size the clock would go flat "
                 "together with the count.");
        QVERIFY(state("drawn-teeth").at("detail").get<std::string>().find("mean error") != std::string::npos);
        const Json guess = entry(json.at("predictions"), "block", "guess-sectors");
        QCOMPARE(guess.at("committed").get<double>(), 2.0);
        QCOMPARE(guess.at("factor").get<double>(), 4.0);
        QCOMPARE(entry(json.at("answers"), "block", "draw-teeth").at("given"), "a curve of 33 points");
    }

    /// What is computed once for both is what each would have got alone.
    void bothAreOneAfterTheOther()
    {
        const Data data;
        const auto taken = [&](const char* learner) {
            return check(words("2.1 --json --target sim:h100-sxm --learner") +
                             QStringList{QString::fromLatin1(learner)},
                         data.environment());
        };
        const auto timeless = [](Json report) {
            for (Json& step : report.at("steps"))
                step.erase("seconds");
            return report;
        };
        const auto both = taken("both");
        QVERIFY2(both.exitCode == 0, (both.err + both.out).constData());
        const Json reports = document(both);
        QCOMPARE(reports.size(), std::size_t{2});
        for (const char* learner : {"ideal", "wrong"})
            QCOMPARE(timeless(reports.at(learner)).dump(1), timeless(document(taken(learner))).dump(1));
        QVERIFY(reports.at("ideal").at("passed").get<bool>() && !reports.at("wrong").at("passed").get<bool>());

        // Neither may be other than it should: here the wrong prediction is right.
        const Data faulty("    value: 4\n", "    value: 7.5\n");
        QCOMPARE(check(words("2.1 --json --target sim:h100-sxm --learner both"), faulty.environment()).exitCode, 1);
    }

    void aReportForPeople()
    {
        const auto outcome = check(words("2.4 --learner wrong --target cpu"));
        QCOMPARE(outcome.exitCode, 1);
        for (const char* part : {"wrong learner on cpu", "sweep-global   coalescing      sim:h100-sxm  SIMULATED",
                                 "answered 32 B: Sectors move", "not passed"})
            QVERIFY2(outcome.out.contains(part), outcome.out.constData());
        QVERIFY2(outcome.err.isEmpty(), outcome.err.constData());
    }

    /// A lesson whose wrong predictions lead to the right number fails, whoever learns.
    void lessonsCanBeWrong_data()
    {
        QTest::addColumn<QString>("from");
        QTest::addColumn<QString>("to");
        QTest::addColumn<QString>("message");
        QTest::newRow("right by mistake") << QStringLiteral("    value: 4\n") << QStringLiteral("    value: 7.5\n")
                                          << QStringLiteral("leads to the right number: 7.5");
        QTest::newRow("off the slider") << QStringLiteral("min: 1\nmax: 128") << QStringLiteral("min: 10\nmax: 128")
                                        << QStringLiteral("lies outside the slider, which goes from 10 to 128");
        QTest::newRow("no run") << QStringLiteral("at: {stride: 2") << QStringLiteral("at: {stride: 3")
                                << QStringLiteral("no run follows at its point");
        QTest::newRow("in order") << QStringLiteral("minutes: 20") << QStringLiteral("minutes: 21") << QString();
    }
    void lessonsCanBeWrong()
    {
        QFETCH(QString, from);
        QFETCH(QString, to);
        QFETCH(QString, message);
        const Data data(from.toStdString(), to.toStdString());
        for (const char* learner : {"ideal", "wrong"}) {
            const auto outcome =
                check(words("2.1 --json --target sim:h100-sxm --learner") + QStringList{QString::fromLatin1(learner)},
                      data.environment());
            const Json json = document(outcome);
            QVERIFY2(json.is_object(), outcome.err.constData());
            const std::string failures = json.at("failures").dump();
            QVERIFY2(message.isEmpty() ? json.at("failures").empty()
                                       : failures.find(message.toStdString()) != std::string::npos,
                     failures.c_str());
            const bool passes = message.isEmpty() && QLatin1String(learner) == QLatin1String("ideal");
            QCOMPARE(outcome.exitCode, passes ? 0 : 1);
        }
    }

    /// 6.3 names a machine that is not its experiment's default.
    void runsGoToTheLessonsTarget_data()
    {
        QTest::addColumn<QString>("target");
        QTest::addColumn<QString>("ranOn");
        QTest::newRow("none given") << QString() << QStringLiteral("machine:gb200-nvl72");
        QTest::newRow("given") << QStringLiteral("machine:dgx-h200") << QStringLiteral("machine:dgx-h200");
    }
    void runsGoToTheLessonsTarget()
    {
        QFETCH(QString, target);
        QFETCH(QString, ranOn);
        const QTemporaryDir home;
        QStringList arguments = words("lesson run 6.3");
        if (!target.isEmpty())
            arguments << QStringLiteral("--target") << target;
        const auto outcome = test::runProgram(QStringLiteral("ridge"), arguments,
                                              {{QStringLiteral("RIDGE_HOME"), home.path()}}, {}, 170000);
        int blocks = 0; // what it ships needs a challenge's run, which nobody makes here
        for (const QByteArray& line : outcome.out.split('\n'))
            if (line.startsWith("\xe2\x94\x80\xe2\x94\x80 ") && line.contains(" on ")) { // ──
                ++blocks;
                QVERIFY2(line.contains(" on " + ranOn.toUtf8() + ","), line.constData());
            }
        QVERIFY2(blocks == 3, outcome.err.constData());
    }

    void badCommandLines_data()
    {
        QTest::addColumn<QString>("line");
        QTest::addColumn<int>("exit");
        QTest::addColumn<QString>("says");
        QTest::newRow("no lesson") << QString() << 2 << QStringLiteral("lesson is required");
        QTest::newRow("lesson") << QStringLiteral("9.9") << 2 << QStringLiteral("known lessons: ");
        QTest::newRow("learner") << QStringLiteral("2.4 --learner lazy") << 2 << QStringLiteral("ideal,wrong");
        QTest::newRow("target") << QStringLiteral("2.4 --target sim:h100-sx") << 2
                                << QStringLiteral("did you mean sim:h100-sxm");
        QTest::newRow("no such GPU") << QStringLiteral("2.4 --target gpu:77") << 2 << QStringLiteral("gpu:77");
    }
    void badCommandLines()
    {
        QFETCH(QString, line);
        QFETCH(int, exit);
        QFETCH(QString, says);
        const auto outcome = check(line.split(QLatin1Char(' '), Qt::SkipEmptyParts));
        QVERIFY2(outcome.exitCode == exit, (outcome.err + outcome.out).constData());
        QVERIFY2(outcome.err.contains(says.toUtf8()), outcome.err.constData());
        QVERIFY(outcome.out.isEmpty());
    }
};

QTEST_GUILESS_MAIN(TestRidgeLesson)
#include "tst_ridge_lesson.moc"
