// SPDX-License-Identifier: GPL-3.0-or-later
// `ridge kernel run` with kernels that take too long: time, warp instructions, simulated cycles.
#include "base/json.h"
#include "tests/support/process.h"

#include <QTemporaryDir>
#include <QtTest>

using namespace ridge;

namespace {

/// Counts up to its argument.
constexpr const char* kCount =
    ".version 8.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 most) {\n.reg .b64 %rd<3>;\n"
    ".reg .pred %p<2>;\nld.param.u64 %rd1, [most];\nmov.u64 %rd0, 0;\nL: add.u64 %rd0, %rd0, 1;\n"
    "setp.lt.u64 %p1, %rd0, %rd1;\n@%p1 bra L;\nret;\n}\n";

Json document(const test::Outcome& outcome)
{
    auto json = parseJson(outcome.out.toStdString(), "standard output");
    return json ? *json : Json();
}

} // namespace

class TestRidgeKernelLimits : public QObject {
    Q_OBJECT
    QTemporaryDir m_folder;

    static QStringList arguments(const QString& file, const char* rest)
    {
        return QStringList{QStringLiteral("kernel"), QStringLiteral("run"), file} +
               QString::fromUtf8(rest).split(QLatin1Char(' '), Qt::SkipEmptyParts);
    }
    static test::Outcome run(const QString& file, const char* rest, const QByteArray& input = {})
    {
        return test::runProgram(QStringLiteral("ridge"), arguments(file, rest), {}, input);
    }

    QString write(const char* name, const QByteArray& bytes)
    {
        QFile file(m_folder.filePath(QLatin1String(name)));
        if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size())
            qFatal("cannot write a file of the test");
        return file.fileName();
    }

    static QString kernels()
    {
        return qEnvironmentVariable("RIDGE_SOURCE") + QStringLiteral("/tests/gpu/simt/fixtures/kernels.nvcc.ptx");
    }

private Q_SLOTS:
    void timeLimitIsAReport()
    {
        const QString file =
            write("count.ptx", ".version 8.0\n.target sm_70\n.address_size 64\n.visible .entry k() {\n.reg .b64 "
                               "%rd<2>;\nmov.u64 %rd0, 0;\nL: add.u64 %rd0, %rd0, 1;\nbra L;\n}\n");
        const auto outcome = run(file, "--grid 1 --block 32 --target sim:a100-sxm-80 --functional --seconds 1 --json");
        QCOMPARE(outcome.exitCode, 1);
        // The worker's own limit and the launch's end at the same moment: either may speak first.
        QVERIFY2(outcome.out.contains("time-limit") || outcome.err.contains("limit of 1 s"),
                 (outcome.out + outcome.err).constData());
    }

    void aGridThatTakesTooLongIsEstimated()
    {
        const auto outcome = run(kernels(), "--kernel vecadd --grid 2000000000 --block 32 --arg in:f32:32:ones --arg "
                                            "in:f32:32:ones --arg out:f32:32 --arg i32:32 --target sim:a100-sxm-80 "
                                            "--functional --seconds 2 --json");
        QCOMPARE(outcome.exitCode, 1);
        if (!document(outcome).contains("reports"))
            QSKIP("the worker's own limit spoke first");
        const Json report = document(outcome).at("reports").at(0);
        QCOMPARE(report.at("code"), "time-limit");
        QVERIFY2(report.at("message").get<std::string>().ends_with(" of 2000000000"), report.dump().c_str());
        QVERIFY2(report.at("look_for").get<std::string>().starts_with("All blocks would take about "),
                 report.dump().c_str());
    }

    void aBudgetOfInstructionsIsAReport()
    {
        const QString file = write("count.ptx", kCount);
        const auto stopped = run(file, "--grid 1 --block 32 --arg u64:100000000000 --target sim:a100-sxm-80 "
                                       "--functional --instructions 300000 --json");
        QCOMPARE(stopped.exitCode, 1);
        const Json said = document(stopped);
        const Json& report = said.at("reports").at(0);
        QCOMPARE(report.at("code"), "instruction-limit");
        QVERIFY2(report.at("message").get<std::string>().find("more than the 300000 warp instructions") !=
                     std::string::npos,
                 report.dump().c_str());
        const int line = report.at("ptx_line").get<int>(); // of the loop
        QVERIFY2(line >= 9 && line <= 11, report.dump().c_str());
        const double executed = said.at("counters").at("inst_executed").at("value").get<double>();
        QVERIFY2(executed > 300'000 && executed < 350'000, QByteArray::number(executed).constData());
        const auto done = run(file, "--grid 1 --block 32 --arg u64:90000 --target sim:a100-sxm-80 --functional "
                                    "--instructions 300000 --json");
        QCOMPARE(done.exitCode, 0);
        QVERIFY(document(done).at("counters").at("inst_executed").at("value").get<double>() > 90'000);
    }

    void aBudgetOfCyclesIsAReport()
    {
        const QString file = write("count.ptx", kCount);
        const auto stopped =
            run(file, "--grid 1 --block 32 --arg u64:100000000000 --target sim:a100-sxm-80 --cycles 20000 --json");
        QCOMPARE(stopped.exitCode, 1);
        const Json report = document(stopped).at("reports").at(0);
        QCOMPARE(report.at("code"), "cycle-limit");
        QVERIFY2(report.at("message").get<std::string>().find("passed the 20000 cycles") != std::string::npos,
                 report.dump().c_str());
        const auto done = run(file, "--grid 1 --block 32 --arg u64:100 --target sim:a100-sxm-80 --cycles 20000 --json");
        QCOMPARE(done.exitCode, 0);
        QVERIFY(document(done).at("cycles").get<double>() < 20'000);
    }

    /// --pause: the worker stands still; yes lets it go on to what a run without a budget gives, no and the end of the
    /// input end it there.
    void aBudgetMayPauseInsteadOfEndIt()
    {
        const QString file = write("count.ptx", kCount);
        const auto whole =
            run(file, "--grid 1 --block 32 --arg u64:300000 --target sim:a100-sxm-80 --functional --json");
        const char* const paused = "--grid 1 --block 32 --arg u64:300000 --target sim:a100-sxm-80 --functional "
                                   "--instructions 100000 --pause --json";
        const auto wentOn = run(file, paused, QByteArray("y\nyes\n").repeated(10));
        QCOMPARE(wentOn.exitCode, 0);
        QCOMPARE(document(wentOn), document(whole));
        const double executed = document(whole).at("counters").at("inst_executed").at("value").get<double>();
        QVERIFY(executed > 300'000);
        const int times = static_cast<int>(executed / 100'000);
        const auto asked = wentOn.err.count("Go on with as much again?");
        QVERIFY2(asked == times || asked == times - 1,
                 QByteArray::number(asked).constData()); // it may end before a look
        for (const char* input : {"y\nn\n", "y\n"}) {
            const auto ended = run(file, paused, input);
            QCOMPARE(ended.exitCode, 1);
            QCOMPARE(document(ended).at("reports").at(0).at("code"), "instruction-limit");
            QCOMPARE(ended.err.count("Go on with as much again?"), 2);
        }
        // With the time, too, which does not run meanwhile; and without --pause nobody is asked.
        const auto late = run(file,
                              "--grid 1 --block 32 --arg u64:100000000000 --target sim:a100-sxm-80 --functional "
                              "--seconds 1 --pause --json",
                              "y\nn\n");
        QCOMPARE(late.exitCode, 1);
        QCOMPARE(late.err.count("Go on with as much again?"), 2);
        QCOMPARE(document(late).at("reports").at(0).at("code"), "time-limit");
        const auto plain = run(file,
                               "--grid 1 --block 32 --arg u64:300000 --target sim:a100-sxm-80 --functional "
                               "--instructions 300000 --json",
                               "y\n");
        QCOMPARE(plain.exitCode, 1);
        QVERIFY(!plain.err.contains("Go on"));
    }

    void aPausedRunCanBeCancelled()
    {
        QProcess process;
        process.start(test::binary(QStringLiteral("ridge")),
                      arguments(write("count.ptx", kCount),
                                "--grid 1 --block 32 --arg u64:300000 --target "
                                "sim:a100-sxm-80 --functional --instructions 1000 --pause"));
        QByteArray said;
        QTRY_VERIFY_WITH_TIMEOUT((said += process.readAllStandardError()).contains("Go on"), 30000);
        process.terminate();
        QVERIFY(process.waitForFinished(60000));
        QCOMPARE(process.exitCode(), 130);
    }

    /// Every block counts to `most` and stores the count: one block of the grid is as the other.
    void aPartOfALaunchIsTimedWhereThatIsAskedFor()
    {
        const QString file = write(
            "equal.ptx",
            ".version 8.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u32 most) {\n"
            ".reg .b64 %rd<4>;\n.reg .b32 %r<6>;\n.reg .pred %p<2>;\nld.param.u64 %rd1, [out];\n"
            "ld.param.u32 %r1, [most];\nmov.u32 %r0, 0;\nL: add.u32 %r0, %r0, 1;\nsetp.lt.u32 %p1, %r0, %r1;\n"
            "@%p1 bra L;\nmov.u32 %r2, %ctaid.x;\nmov.u32 %r3, %ntid.x;\nmov.u32 %r4, %tid.x;\n"
            "mad.lo.u32 %r2, %r2, %r3, %r4;\nmul.wide.u32 %rd2, %r2, 4;\nadd.u64 %rd2, %rd1, %rd2;\n"
            "st.global.u32 [%rd2], %r0;\nret;\n}\n");
        const auto ask = [&](const QByteArray& estimate, const QByteArray& out) {
            const QByteArray line = "--grid 64 --block 64 --arg out:u32:4096" + out +
                                    " --arg u32:1000 --target sim:a100-sxm-80 --json --estimate " + estimate;
            return run(file, line.constData());
        };
        const auto whole = ask("never", {}), part = ask("always", {}), time = ask("time", {});
        for (const auto& outcome : {whole, part, time})
            QVERIFY2(outcome.exitCode == 0, (outcome.out + outcome.err).constData());
        const Json all = document(whole), some = document(part), alone = document(time);
        QVERIFY(!all.at("timing").at("extrapolation").at("used").get<bool>());
        const Json& e = some.at("timing").at("extrapolation");
        QVERIFY2(e.at("used").get<bool>() && e.at("whole_counters").get<bool>() &&
                     e.at("turns") > e.at("simulated_turns"),
                 e.dump().c_str());
        const double is = all.at("cycles").get<double>(), said = some.at("cycles").get<double>();
        const double doubt = e.at("relative_error").get<double>();
        QVERIFY2(doubt > 0 && doubt < 0.05 && std::abs(said / is - 1) <= doubt, (part.out).constData());
        QCOMPARE(some.at("buffers").dump(), all.at("buffers").dump()); // results are those of the whole launch
        QVERIFY(alone.at("timing").at("extrapolation").at("results_left_out").get<bool>());
        QCOMPARE(alone.at("cycles"), some.at("cycles"));
        QVERIFY(alone.at("buffers").empty());
        const auto text = run(file, "--grid 64 --block 64 --arg out:u32:4096 --arg u32:1000 --target sim:a100-sxm-80 "
                                    "--estimate time");
        QVERIFY2(text.out.contains("turns of their loop simulated, the rest extrapolated within") &&
                     text.out.contains("results left out"),
                 text.out.constData());
        const QByteArray few =
            "--grid 64 --block 64 --arg out:u32:4096 --arg u32:4 --target sim:a100-sxm-80 --estimate ";
        const auto refused = run(file, (few + "always").constData()), exact = run(file, (few + "time").constData());
        QVERIFY2(refused.exitCode != 0 && refused.err.contains("cannot stand for all of it"), refused.err.constData());
        QVERIFY2(exact.exitCode == 0 && exact.out.contains("results left out") && !exact.out.contains("extrapolated"),
                 (exact.out + exact.err).constData());

        const auto written = ask("time", ">" + m_folder.filePath(QStringLiteral("out.bin")).toUtf8());
        QVERIFY2(written.exitCode != 0 && written.err.contains("no results to write"), written.err.constData());
        const auto functional = run(file, "--grid 64 --block 64 --arg out:u32:4096 --arg u32:1000 --target "
                                          "sim:a100-sxm-80 --functional --estimate always");
        QCOMPARE(functional.exitCode, 2);
        QVERIFY2(functional.err.contains("nothing is estimated"), functional.err.constData());
        QCOMPARE(ask("sometimes", {}).exitCode, 2);
        const auto one = run(file, "--grid 1 --block 64 --arg out:u32:4096 --arg u32:10 --target sim:a100-sxm-80 "
                                   "--estimate always");
        QVERIFY2(one.exitCode != 0 && (one.out + one.err).contains("cannot stand for all of it"),
                 (one.out + one.err).constData());
    }

    void budgetsThatMeanNothingAreRefused()
    {
        const QString file = write("count.ptx", kCount);
        const auto functional =
            run(file, "--grid 1 --block 32 --arg u64:1 --target sim:a100-sxm-80 --functional --cycles 5");
        QCOMPARE(functional.exitCode, 2);
        QVERIFY2(functional.err.contains("--cycles") && functional.err.contains("--functional"),
                 functional.err.constData());
        const auto none = run(file, "--grid 1 --block 32 --arg u64:1 --target sim:a100-sxm-80 --instructions 0");
        QCOMPARE(none.exitCode, 2);
        QVERIFY2(none.err.contains("--instructions"), none.err.constData());
    }
};

QTEST_GUILESS_MAIN(TestRidgeKernelLimits)
#include "tst_ridge_kernel_limits.moc"
