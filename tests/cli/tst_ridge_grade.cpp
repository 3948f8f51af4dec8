// SPDX-License-Identifier: GPL-3.0-or-later
// `ridge kernel grade` and `ridge kernel task` as a learner types them, with the worker as a process of its own.
#include "base/json.h"
#include "tests/support/process.h"

#include <QDirIterator>
#include <QTemporaryDir>
#include <QtTest>

using namespace ridge;

namespace {

QString source(const char* name)
{
    return qEnvironmentVariable("RIDGE_SOURCE") + QLatin1Char('/') + QLatin1String(name);
}

Json document(const test::Outcome& outcome)
{
    auto json = parseJson(outcome.out.toStdString(), "standard output");
    return json ? *json : Json();
}

} // namespace

class TestRidgeGrade : public QObject {
    Q_OBJECT
    QTemporaryDir m_folder;

    test::Outcome kernel(const QStringList& arguments)
    {
        return test::runProgram(QStringLiteral("ridge"), QStringList{QStringLiteral("kernel")} + arguments,
                                {{QStringLiteral("RIDGE_HOME"), m_folder.filePath(QStringLiteral("home"))}});
    }
    test::Outcome grade(const QString& file, const QString& task, const QStringList& more = {})
    {
        return kernel(QStringList{QStringLiteral("grade"), file, QStringLiteral("--task"), task,
                                  QStringLiteral("--target"), QStringLiteral("sim:l40s")} +
                      more);
    }

private Q_SLOTS:
    void tasksAreListedAndShown()
    {
        const auto list = kernel({QStringLiteral("task"), QStringLiteral("list"), QStringLiteral("--json")});
        QCOMPARE(list.exitCode, 0);
        const Json tasks = document(list).at("tasks");
        QVERIFY(tasks.size() >= 30);
        for (std::size_t at = 0; at < tasks.size(); ++at) {
            QCOMPARE(tasks[at].at("number"), int(at) + 1); // easy first
            QVERIFY(tasks[at].at("standing").is_null());
        }
        QCOMPARE(tasks[0].at("id"), "map");
        const auto words = kernel({QStringLiteral("task"), QStringLiteral("list")});
        QVERIFY(words.out.contains("1. one element a thread") && words.out.contains("not begun"));
        const auto shown = kernel({QStringLiteral("task"), QStringLiteral("show"), QStringLiteral("dot")});
        QCOMPARE(shown.exitCode, 0);
        QVERIFY(shown.out.contains("ridge kernel run dot.cu --kernel dot"));
        QVERIFY(shown.out.contains("12. Dot product") && shown.out.contains("one atomic for each block"));
        QVERIFY(!shown.out.contains("Hint 1") && shown.out.contains("--hints 1 tells the next"));
        const auto hinted = kernel({QStringLiteral("task"), QStringLiteral("show"), QStringLiteral("dot"),
                                    QStringLiteral("--hints"), QStringLiteral("2")});
        QVERIFY(hinted.out.contains("Hint 2 of 3") && !hinted.out.contains("Hint 3"));
        const auto unknown = kernel({QStringLiteral("task"), QStringLiteral("show"), QStringLiteral("dott")});
        QCOMPARE(unknown.exitCode, 2);
        QVERIFY(unknown.err.contains("did you mean 'dot'"));
    }

    void whatIsShownCanBeTriedOut()
    {
        const auto shown = document(kernel(
            {QStringLiteral("task"), QStringLiteral("show"), QStringLiteral("saxpy"), QStringLiteral("--json")}));
        QStringList words = QProcess::splitCommand(
            QString::fromStdString(shown.at("try").get<std::string>()).replace(QLatin1Char('\''), QLatin1Char('"')));
        words = words.mid(2); // without "ridge kernel"
        words[1] = source("assets/tasks/saxpy/solution.cu");
        const auto ran = kernel(words + QStringList{QStringLiteral("--functional"), QStringLiteral("--json"),
                                                    QStringLiteral("--target"), QStringLiteral("sim:l40s")});
        QVERIFY2(ran.exitCode == 0, ran.err.constData());
        QVERIFY(document(ran).at("reports").empty());
    }

    /// As the guides have it: without a GPU the default simulated chip, and never the processor, which is measured too.
    void withoutATargetItRunsSomewhere()
    {
        const auto shown = document(kernel(
            {QStringLiteral("task"), QStringLiteral("show"), QStringLiteral("saxpy"), QStringLiteral("--json")}));
        QStringList words = QProcess::splitCommand(
            QString::fromStdString(shown.at("try").get<std::string>()).replace(QLatin1Char('\''), QLatin1Char('"')));
        words = words.mid(2);
        words[1] = source("assets/tasks/saxpy/solution.cu");
        const auto ran = kernel(words + QStringList{QStringLiteral("--json")});
        QVERIFY2(ran.exitCode == 0, ran.err.constData());
        const auto graded = kernel({QStringLiteral("grade"), source("assets/tasks/saxpy/solution.cu"),
                                    QStringLiteral("--task"), QStringLiteral("saxpy"), QStringLiteral("--json")});
        QVERIFY2(graded.exitCode == 0, graded.err.constData());
        QVERIFY(document(graded).at("target").get<std::string>().find("cpu") == std::string::npos);
        QCOMPARE(document(graded).at("target"), document(ran).at("target"));
    }

    void whatOneBeginsWithIsNotOverwritten()
    {
        const QString file = m_folder.filePath(QStringLiteral("mine.cu"));
        const QStringList start{QStringLiteral("task"), QStringLiteral("start"), QStringLiteral("saxpy"),
                                QStringLiteral("--out"), file};
        QCOMPARE(kernel(start).exitCode, 0);
        QVERIFY(QFile::exists(file));
        QVERIFY(kernel(start).exitCode != 0);
        QCOMPARE(grade(file, QStringLiteral("saxpy")).exitCode, 1);
    }

    /// "Which checks passed" kept back until the deadline: the verdict of a kernel is one.
    void anAssignmentKeepsTheVerdictBack()
    {
        QTemporaryDir folder;
        const auto as = [&](const char* who, const QStringList& arguments) {
            return test::runProgram(QStringLiteral("ridge"), arguments,
                                    {{QStringLiteral("RIDGE_HOME"), folder.filePath(QString::fromLatin1(who))}});
        };
        const auto words = [](const char* line) { return QString::fromLatin1(line).split(QLatin1Char(' ')); };
        const QString file = folder.filePath(QStringLiteral("w1.ridgeclass"));
        const auto made = as("teacher", words("class new Autumn --lessons kernel-saxpy --deadline 2098-03-08T18:00Z "
                                              "--feedback passed=deadline --out") +
                                            QStringList{file});
        QVERIFY2(made.exitCode == 0, made.err.constData());
        QCOMPARE(as("learner", words("class accept") + QStringList{file}).exitCode, 0);
        for (const char* kernel : {"solution.cu", "starter.cu"}) {
            const QStringList command = words("kernel grade --task saxpy --target sim:l40s --save") +
                                        QStringList{source("assets/tasks/saxpy/") + QString::fromLatin1(kernel)};
            const auto graded = as("learner", command);
            QVERIFY2(graded.exitCode == 0, graded.err.constData());
            QVERIFY2(graded.out.startsWith("saxpy graded and kept. ") && graded.out.contains("Autumn") &&
                         !graded.out.contains("accepted") && !graded.out.contains("points"),
                     graded.out.constData());
            const Json json = document(as("learner", command + QStringList{QStringLiteral("--json")}));
            QVERIFY(json.at("verdict").is_null() && json.contains("held") && !json.contains("launches"));
        }
        const auto list = as("learner", words("kernel task list"));
        QVERIFY2(!list.out.contains("accepted"), list.out.constData());
        const auto kept = as("learner", words("artifacts"));
        QVERIFY2(kept.exitCode == 0 && !kept.out.contains("points"), kept.out.constData());
        // Nor does a folder that goes elsewhere.
        const auto exported =
            as("learner", words("export --out") + QStringList{folder.filePath(QStringLiteral("out"))});
        QVERIFY2(exported.exitCode == 0, exported.err.constData());
        int files = 0;
        for (QDirIterator each(folder.filePath(QStringLiteral("out")), QDir::Files, QDirIterator::Subdirectories);
             each.hasNext(); ++files) {
            QFile one(each.next());
            QVERIFY(one.open(QIODevice::ReadOnly));
            const QByteArray bytes = one.readAll();
            QVERIFY2(!bytes.contains("Accepted") && !bytes.contains("Rejected") && !bytes.contains("points"),
                     qPrintable(one.fileName()));
        }
        QVERIFY(files > 2);
    }

    /// The answer is for who has one.
    void explainedOnceSolved()
    {
        const QStringList explain{QStringLiteral("task"), QStringLiteral("explain"), QStringLiteral("outer")};
        const auto early = kernel(explain);
        QCOMPARE(early.exitCode, 1);
        QVERIFY2(early.err.contains("no kernel of yours was accepted for outer"), early.err.constData());
        const auto anyway = kernel(explain + QStringList{QStringLiteral("--anyway")});
        QCOMPARE(anyway.exitCode, 0);
        QVERIFY(anyway.out.contains("a[row] + along") && !anyway.out.contains("@solution"));
        const auto rejected =
            grade(source("assets/tasks/outer/starter.cu"), QStringLiteral("outer"), {QStringLiteral("--save")});
        QCOMPARE(rejected.exitCode, 1);
        QCOMPARE(kernel(explain).exitCode, 1);
        const auto stateOf = [this](const char* task) {
            const Json list =
                document(kernel({QStringLiteral("task"), QStringLiteral("list"), QStringLiteral("--json")}));
            for (const Json& each : list.at("tasks"))
                if (each.at("id") == task)
                    return each.at("standing");
            return Json("there is no such task");
        };
        QCOMPARE(stateOf("outer").at("right"), false);
        const auto solved =
            grade(source("assets/tasks/outer/second.cu"), QStringLiteral("outer"), {QStringLiteral("--save")});
        QVERIFY2(solved.exitCode == 0, solved.err.constData());
        QVERIFY(solved.out.contains("A bias that is added to a layer's result is this kernel."));
        QCOMPARE(kernel(explain).exitCode, 0);
        QCOMPARE(stateOf("outer").at("right"), true);
        QVERIFY(stateOf("outer").at("percent").get<double>() > 50);
        QVERIFY(kernel({QStringLiteral("task"), QStringLiteral("list")}).out.contains("accepted, "));
    }

    void acceptedAndKept()
    {
        const auto outcome = grade(source("assets/tasks/saxpy/solution.cu"), QStringLiteral("saxpy"),
                                   {QStringLiteral("--save"), QStringLiteral("--json")});
        QVERIFY2(outcome.exitCode == 0, outcome.err.constData());
        const Json json = document(outcome);
        QCOMPARE(json.at("verdict").at("accepted"), true);
        QCOMPARE(json.at("verdict").at("points"), 100);
        QCOMPARE(json.at("provenance"), "SIMULATED");
        QVERIFY(!json.contains("secret")); // what hidden data were drawn from leaves no trace
        const auto artifacts =
            test::runProgram(QStringLiteral("ridge"), {QStringLiteral("artifacts"), QStringLiteral("--json")},
                             {{QStringLiteral("RIDGE_HOME"), m_folder.filePath(QStringLiteral("home"))}});
        QVERIFY2(artifacts.out.contains("kernel-saxpy"), artifacts.out.constData());
    }

    /// `ridge reproduce` does for a graded kernel what it does for runs.
    void keptItCanBeReproduced()
    {
        const auto kept = grade(source("assets/tasks/transpose/solution.cu"), QStringLiteral("transpose"),
                                {QStringLiteral("--save")});
        QVERIFY2(kept.exitCode == 0, kept.err.constData());
        const test::Environment home{{QStringLiteral("RIDGE_HOME"), m_folder.filePath(QStringLiteral("home"))}};
        const auto ridge = [&](const QStringList& words) {
            return test::runProgram(QStringLiteral("ridge"), words, home);
        };
        const Json listed = document(ridge({QStringLiteral("artifacts"), QStringLiteral("--json")}));
        QString id;
        for (const Json& artifact : listed)
            if (artifact.at("lesson") == "kernel-transpose")
                id = QString::fromStdString(artifact.at("id").get<std::string>());
        const auto again = ridge({QStringLiteral("reproduce"), id});
        QVERIFY2(again.exitCode == 0, again.err.constData());
        QVERIFY2(again.out.contains("graded again on sim:l40s"), again.out.constData());
        QVERIFY(again.out.contains("8 of 8 values are the same") && again.out.contains("verdict: reproduced"));
        const auto elsewhere = ridge({QStringLiteral("reproduce"), id, QStringLiteral("--target"),
                                      QStringLiteral("sim:t4"), QStringLiteral("--json")});
        QCOMPARE(elsewhere.exitCode, 0);
        const Json told = document(elsewhere);
        QCOMPARE(told.at("verdict"), "different hardware");
        QCOMPARE(told.at("trust").at("level"), "T1");
        QCOMPARE(told.at("pairs").at(0).at("old_run"), "the same cases");
    }

    /// How slow a kernel is nobody knows there: it has no points for it, and is told where it would.
    void aChipWithoutAClockSaysSo()
    {
        const QStringList slow{QStringLiteral("grade"),   source("tests/cheats/one_warp_dot.cu"),
                               QStringLiteral("--task"),  QStringLiteral("dot"),
                               QStringLiteral("--seed"),  QStringLiteral("11"),
                               QStringLiteral("--target")};
        const auto outcome = kernel(slow + QStringList{QStringLiteral("sim:agx-orin-64")});
        QVERIFY2(outcome.exitCode == 0, outcome.err.constData());
        QVERIFY2(outcome.out.contains("accepted, 60 of 60 points"), outcome.out.constData());
        QVERIFY(outcome.out.contains("time not graded: sim:agx-orin-64 has no clock; grade on sim:rtx3050-laptop"));
        const auto json =
            document(kernel(slow + QStringList{QStringLiteral("sim:agx-orin-64"), QStringLiteral("--json")}))
                .at("verdict");
        QCOMPARE(json.at("points"), 60);
        QCOMPARE(json.at("out_of"), 60);
        QVERIFY(json.at("time_not_graded").get<std::string>().find("sim:rtx3050-laptop") != std::string::npos);
        const auto timed =
            document(kernel(slow + QStringList{QStringLiteral("sim:rtx4090"), QStringLiteral("--json")})).at("verdict");
        QCOMPARE(timed.at("out_of"), 100);
        QVERIFY(timed.at("points") <= 60 && timed.at("time_not_graded").is_null());
    }

    void rejectedWithItsReason()
    {
        const auto outcome = grade(source("tests/cheats/visible_sizes_only.cu"), QStringLiteral("saxpy"));
        QCOMPARE(outcome.exitCode, 1);
        QVERIFY2(outcome.out.contains("visible-sizes-only"), outcome.out.constData());
        QVERIFY(!outcome.out.contains("accepted"));
    }

    /// What a kernel prints cannot pass for an event of the worker.
    void printedEventsForgeNothing()
    {
        const auto outcome =
            grade(source("tests/cheats/forges_the_results.cu"), QStringLiteral("saxpy"), {QStringLiteral("--json")});
        QCOMPARE(outcome.exitCode, 1);
        QCOMPARE(document(outcome).at("verdict").at("reasons").at(0).at("id"), "prints");
    }

    void aSeedRepeatsAndNoneDoesNot()
    {
        const QString file = source("assets/tasks/dot/solution.cu");
        const auto run = [&](const QStringList& more) {
            return document(grade(file, QStringLiteral("dot"), more + QStringList{QStringLiteral("--json")}));
        };
        const QStringList five{QStringLiteral("--seed"), QStringLiteral("5")};
        const Json first = run(five), again = run(five), other = run({}), another = run({});
        QCOMPARE(first.at("cases").dump(), again.at("cases").dump());
        QCOMPARE(first.at("launches").dump(), again.at("launches").dump());
        QVERIFY(other.at("cases") != another.at("cases"));
        QCOMPARE(grade(file, QStringLiteral("dot"), {QStringLiteral("--seed"), QStringLiteral("-1")}).exitCode, 2);
    }

    void otherTargetsSaySo()
    {
        const auto cpu =
            kernel({QStringLiteral("grade"), source("assets/tasks/dot/solution.cu"), QStringLiteral("--task"),
                    QStringLiteral("dot"), QStringLiteral("--target"), QStringLiteral("cpu")});
        QCOMPARE(cpu.exitCode, 2);
        QVERIFY(cpu.err.contains("CUDA kernels"));
        QCOMPARE(grade(source("assets/tasks/dot/solution.cu"), QStringLiteral("saxpy")).exitCode == 0, false);
    }
};

QTEST_GUILESS_MAIN(TestRidgeGrade)
#include "tst_ridge_grade.moc"
