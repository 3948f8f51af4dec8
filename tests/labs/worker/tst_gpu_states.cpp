// SPDX-License-Identifier: GPL-3.0-or-later
// Every bad state of a GPU as a learner meets it: the real worker's answer, with stand-ins for driver and NVML.
#include "base/json.h"
#include "labs/worker/verdict_advice.h"
#include "tests/support/process.h"

#include <QtTest>

using namespace ridge;

namespace {

QString library(const char* file)
{
    return QCoreApplication::applicationDirPath() + QLatin1Char('/') + QLatin1String(file);
}

struct Answer {
    bool ended = false;
    int exitCode = -1;
    Json error;
    std::string validity, logged;
    Json kernels; ///< of the fingerprint
};

/// One point of `launch` on gpu:0, which needs a kernel, a buffer, launches and a clock.
Answer run(test::Environment more, double seconds = 60)
{
    test::Environment environment{{QStringLiteral("RIDGE_LIBCUDA"), library("fake_cuda.so")},
                                  {QStringLiteral("RIDGE_LIBNVML"), library("fake_nvml.so")},
                                  {QStringLiteral("RIDGE_FAKE_CUDA"), QStringLiteral("kernel_us=200")},
                                  {QStringLiteral("RIDGE_FAKE_NVML"), QString()},
                                  {QStringLiteral("RIDGE_COMPILER"), QStringLiteral("shipped")}};
    environment += more;
    const Json request{{"protocol", 1},
                       {"experiment", "stream"},
                       {"target", "gpu:0"},
                       {"seed", 1},
                       {"points", Json::array({Json{{"operation", "copy"}, {"bytes", 65536}}})},
                       {"regime", "quick"},
                       {"limits", Json{{"seconds", seconds}}}};
    const auto outcome = test::runProgram(QStringLiteral("ridge-worker"), {QStringLiteral("run")}, environment,
                                          QByteArray::fromStdString(request.dump() + "\n"));
    Answer answer;
    answer.ended = outcome.ended;
    answer.exitCode = outcome.exitCode;
    for (const QByteArray& line : outcome.out.split('\n')) {
        const auto event = parseJson(line.toStdString(), "event");
        if (!event)
            continue;
        const std::string kind = (*event).value("event", std::string());
        if (kind == "started")
            answer.kernels = (*event)["fingerprint"].value("kernels", Json::array());
        if (kind == "failed")
            answer.error = (*event)["error"];
        if (kind == "finished")
            answer.validity = (*event)["validity"].get<std::string>();
        if (kind == "log")
            answer.logged += (*event)["message"].get<std::string>() + "\n";
    }
    return answer;
}

} // namespace

class TestGpuStates : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aGpuInOrder()
    {
        const Answer answer = run({});
        QVERIFY2(answer.exitCode == 0, answer.error.dump().c_str());
        QVERIFY(!answer.kernels.empty());
        QVERIFY2(!answer.kernels[0].contains("machine_code"), answer.kernels.dump().c_str()); // shipped PTX has none
    }

    void machineCodeGoesToTheDriver()
    {
        const Answer answer = run({{QStringLiteral("RIDGE_COMPILER"), QStringLiteral("nvrtc")}});
        if (answer.error.is_object() && answer.error.value("code", std::string()) == "no-compiler")
            QSKIP("no NVRTC on this machine");
        QVERIFY2(answer.exitCode == 0, answer.error.dump().c_str());
        QVERIFY(!answer.kernels.empty());
        for (const Json& kernel : answer.kernels)
            QCOMPARE(kernel.value("machine_code", std::string()), std::string("sm_90"));
        // An older driver, which knows the PTX but not this machine code: the run goes on, and says nothing it does not
        // know.
        const Answer older = run({{QStringLiteral("RIDGE_COMPILER"), QStringLiteral("nvrtc")},
                                  {QStringLiteral("RIDGE_FAKE_CUDA"), QStringLiteral("kernel_us=200,cubin=209")}});
        QVERIFY2(older.exitCode == 0, older.error.dump().c_str());
        QVERIFY(!older.kernels.empty());
        for (const Json& kernel : older.kernels)
            QVERIFY2(!kernel.contains("machine_code"), kernel.dump().c_str());
    }

    void statesThatEndARun_data()
    {
        QTest::addColumn<QString>("variable");
        QTest::addColumn<QString>("value");
        QTest::addColumn<QByteArray>("code");
        QTest::addColumn<QByteArray>("message");
        QTest::addColumn<QByteArray>("fix");
        const auto row = [](const char* name, const char* variable, const QString& value, const char* code,
                            const char* message, const char* fix) {
            QTest::newRow(name) << QString::fromLatin1(variable) << value << QByteArray(code) << QByteArray(message)
                                << QByteArray(fix);
        };
        const auto cuda = [](const char* settings) { return QString::fromLatin1(settings); };
        row("no driver", "RIDGE_LIBCUDA", QStringLiteral("/nowhere/libcuda.so.1"), "target-unavailable",
            "no usable NVIDIA driver", "unset that variable");
        row("a driver without entry points", "RIDGE_LIBCUDA", library("fake_nvml.so"), "target-unavailable",
            "no entry point", "install driver 525");
        row("driver older than the toolkit", "RIDGE_FAKE_CUDA", cuda("load=222,driver=11000"), "ptx-too-new",
            "the driver accepts code of CUDA 11.0", "or newer, or point RIDGE_NVRTC at");
        row("asleep", "RIDGE_FAKE_CUDA", cuda("context=999"), "target-unavailable", "CUDA_ERROR_UNKNOWN",
            "after suspend");
        row("busy, exclusive", "RIDGE_FAKE_CUDA", cuda("context=46"), "target-unavailable", "exclusive mode",
            "nvidia-smi -c DEFAULT");
        row("out of memory", "RIDGE_FAKE_CUDA", cuda("alloc=2"), "out-of-memory", "do not fit", "set bytes=");
        row("kernel fault", "RIDGE_FAKE_CUDA", cuda("fault=700"), "out-of-bounds", "kernel 'copy_16'",
            "run it on sim:<chip>");
        row("unplugged", "RIDGE_FAKE_CUDA", cuda("lost=999"), "gpu-lost", "the driver lost the GPU",
            "79: fallen off the bus");
    }

    void statesThatEndARun()
    {
        QFETCH(QString, variable);
        QFETCH(QString, value);
        QFETCH(QByteArray, code);
        QFETCH(QByteArray, message);
        QFETCH(QByteArray, fix);
        const Answer answer = run({{variable, value}});
        QVERIFY(answer.ended);
        QCOMPARE(answer.exitCode, 1);
        QVERIFY2(answer.error.is_object(), "no failed event");
        QCOMPARE(QByteArray::fromStdString(answer.error.value("code", std::string())), code);
        for (const auto& [field, wanted] : {std::pair{"message", message}, {"fix", fix}})
            QVERIFY2(QByteArray::fromStdString(answer.error.value(field, std::string())).contains(wanted),
                     answer.error.dump().c_str());
    }

    /// NVRTC alone, which is not there; by itself the worker goes on to other compilers and to shipped PTX.
    void noNvrtc()
    {
        const test::Environment without{{QStringLiteral("RIDGE_NVRTC"), QStringLiteral("/nowhere/libnvrtc.so")},
                                        {QStringLiteral("RIDGE_COMPILER"), QStringLiteral("nvrtc")}};
        const Answer answer = run(without);
        QCOMPARE(answer.exitCode, 1);
        QCOMPARE(answer.error.value("code", std::string()), std::string("no-compiler"));
        QVERIFY2(!answer.error.value("fix", std::string()).empty(), answer.error.dump().c_str());
        QCOMPARE(run({without[0]}).exitCode, 0);
    }

    /// A kernel that never ends: the launch has its limit, and the watchdog the worker's.
    void aHangEndsTheWorkerNotTheSession()
    {
        const Answer answer = run({{QStringLiteral("RIDGE_FAKE_CUDA"), QStringLiteral("hang=1")}}, 2);
        QVERIFY(answer.ended);
        QCOMPARE(answer.exitCode, 1);
        QCOMPARE(answer.error.value("code", std::string()), std::string("time-limit"));
        QVERIFY2(!answer.error.value("fix", std::string()).empty(), answer.error.dump().c_str());
    }

    /// States that spoil a measurement and do not end it: a verdict, and what helps.
    void statesThatSpoilARun_data()
    {
        QTest::addColumn<QString>("tells");
        QTest::addColumn<QByteArray>("verdict");
        QTest::addColumn<QByteArray>("remedy");
        QTest::newRow("busy, shared") << QStringLiteral("others=2") << QByteArray("contended")
                                      << QByteArray("nvidia-smi lists those");
        QTest::newRow("hot") << QStringLiteral("reasons=32") << QByteArray("throttled")
                             << QByteArray("let the GPU cool");
        QTest::newRow("slow clock") << QStringLiteral("clock=500") << QByteArray("clock low")
                                    << QByteArray("nvidia-smi -q");
    }

    void statesThatSpoilARun()
    {
        QFETCH(QString, tells);
        QFETCH(QByteArray, verdict);
        QFETCH(QByteArray, remedy);
        const Answer answer = run({{QStringLiteral("RIDGE_FAKE_NVML"), tells}});
        QCOMPARE(answer.exitCode, 0);
        QVERIFY2(QByteArray::fromStdString(answer.validity).contains(verdict), answer.validity.c_str());
        QVERIFY2(QByteArray::fromStdString(answer.logged).contains(remedy), answer.logged.c_str());
    }

    /// Of a battery this machine may have none: its verdict is told by tst_cuda_timing, its state by tst_fingerprint.
    void everyVerdictHasItsAdvice()
    {
        const auto advice = labs::adviceOn("on battery, unsteady (half of the samples spread over 9 %)");
        QCOMPARE(advice.size(), std::size_t{2});
        QVERIFY(advice[0].find("plug in the charger") != std::string::npos);
        QVERIFY(advice[1].find("close other programs") != std::string::npos);
        QVERIFY(labs::adviceOn("valid").empty() && labs::adviceOn("resident in L2").empty());
    }
};

QTEST_GUILESS_MAIN(TestGpuStates)
#include "tst_gpu_states.moc"
