// SPDX-License-Identifier: GPL-3.0-or-later
// Experiments that ask a GPU for counters, and what is left of a profiler when its run ends before it: with stand-ins
// for libcuda and ncu.
#include "base/json.h"
#include "tests/gpu/cuda/fake_driver.h"
#include "tests/support/process.h"

#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace ridge;

namespace {

test::Environment fakes(const char* tells, const QString& ncu = QStringLiteral(RIDGE_FAKE_NCU_FILE))
{
    const QString folder = QCoreApplication::applicationDirPath();
    return {{QStringLiteral("RIDGE_LIBCUDA"), folder + QStringLiteral("/fake_cuda.so")},
            {QStringLiteral("RIDGE_LIBNVML"), folder + QStringLiteral("/fake_nvml.so")},
            {QStringLiteral("RIDGE_FAKE_CUDA"), QStringLiteral("kernel_us=20")},
            {QStringLiteral("RIDGE_FAKE_NVML"), QString()},
            {QStringLiteral("RIDGE_COMPILER"), QStringLiteral("shipped")},
            {QStringLiteral("RIDGE_NCU"), ncu},
            {QStringLiteral("RIDGE_FAKE_NCU"), QString::fromLatin1(tells)}};
}

/// `ridge run` of a copy that the stand-in carries out, at two sizes.
test::Outcome ridgeRun(const char* line, const test::Environment& environment)
{
    QStringList words{QStringLiteral("run"), QStringLiteral("stream")};
    words += QString::fromLatin1(line).split(QLatin1Char(' '));
    return test::runProgram(QStringLiteral("ridge"), words, environment);
}

constexpr const char* kOnGpu = "--target gpu:0 --set operation=copy --sweep bytes=65536,131072 --counters";
constexpr const char* kOnePoint = "--target gpu:0 --set operation=copy --set bytes=65536 --counters";

Json documentOf(const test::Outcome& outcome)
{
    const auto json = parseJson(outcome.out.toStdString(), "ridge run");
    return json ? *json : Json::object();
}

/// A process that is no child of ours, from before it can end.
class Watched {
public:
    explicit Watched(int pid) : m_descriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))) {}
    ~Watched()
    {
        if (m_descriptor >= 0)
            ::close(m_descriptor);
    }
    Watched(const Watched&) = delete;
    Watched& operator=(const Watched&) = delete;
    bool known() const { return m_descriptor >= 0; }
    bool endsWithin(int milliseconds) const
    {
        pollfd ended{m_descriptor, POLLIN, 0};
        return ::poll(&ended, 1, milliseconds) == 1;
    }

private:
    int m_descriptor;
};

Json experimentRequest(double seconds)
{
    return Json{{"protocol", 1},     {"experiment", "stream"},
                {"target", "gpu:0"}, {"points", Json::array({Json{{"operation", "copy"}, {"bytes", 65536}}})},
                {"counters", true},  {"limits", Json{{"seconds", seconds}}}};
}

Json kernelRequest(double seconds)
{
    return Json{{"protocol", 1},
                {"kind", "kernel"},
                {"source", Json{{"path", "add.ptx"}, {"text", kPtx}, {"ptx", true}}},
                {"kernel", "add"},
                {"grid", {1, 1, 1}},
                {"block", {128, 1, 1}},
                {"args", {"inout:i32:128:iota", "u32:128", "f32:7"}},
                {"target", "gpu:0"},
                {"functional", true},
                {"counters", true},
                {"limits", Json{{"seconds", seconds}}}};
}

} // namespace

class TestRunCounters : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void countersAreMeasuredMetrics()
    {
        const auto outcome = ridgeRun((QByteArray(kOnGpu) + " --json").constData(), fakes(""));
        QVERIFY2(outcome.exitCode == 0, outcome.err.constData());
        const Json json = documentOf(outcome);
        QCOMPARE(json["samples"].size(), std::size_t{2});
        for (const Json& sample : json["samples"]) {
            QVERIFY(!sample.contains("counters_missing"));
            QCOMPARE(sample["counters_by"].get<std::string>(), std::string(RIDGE_FAKE_NCU_FILE));
            const Json& metrics = sample["metrics"];
            // Both launches of the stand-in's table together: n × 1500 for the metric that is asked for as the n-th.
            QCOMPARE(metrics["global_load_requests"],
                     Json({{"value", 1500.0}, {"unit", "requests"}, {"provenance", "MEASURED"}}));
            QCOMPARE(metrics["global_store_sectors"]["value"].get<double>(), 6000.0);
            QCOMPARE(metrics["dram_read_bytes"]["value"].get<double>(), 24000.0);
            // What the experiment has on a simulator follows from the same counts.
            QCOMPARE(metrics["dram_bytes"], Json({{"value", 49500.0}, {"unit", "B"}, {"provenance", "MEASURED"}}));
            QCOMPARE(metrics["inst_issued"]["value"].get<double>(), 13500.0);
            QCOMPARE(metrics["inst_issued"]["unit"].get<std::string>(), std::string("instructions"));
            QCOMPARE(metrics["l1_hit_rate"]["value"].get<double>(), 100.0 * 12 / (12 + 13));
            QCOMPARE(metrics["l2_hit_rate"]["value"].get<double>(), 100.0 * 14 / (14 + 15));
            // 11 warps for 10 cycles, of the 64 that an SM of this chip has room for.
            QCOMPARE(metrics["achieved_occupancy"]["value"].get<double>(), 100.0 * 11 / 10 / 64);
            // It was timed before, and not below the profiler.
            QCOMPARE(metrics["time"]["provenance"].get<std::string>(), std::string("MEASURED"));
            for (const Json& check : sample["checks"])
                QVERIFY2(check["passed"].get<bool>(), check.dump().c_str());
        }
    }

    void aPersonReadsThem()
    {
        const auto outcome = ridgeRun(kOnGpu, fakes(""));
        QVERIFY2(outcome.exitCode == 0, outcome.err.constData());
        for (const char* words : {"bytes=65536", "dram_write_bytes", "counted by " RIDGE_FAKE_NCU_FILE ", MEASURED"})
            QVERIFY2(outcome.out.contains(words), outcome.out.constData());
    }

    void whatIsMissingIsNamed_data()
    {
        QTest::addColumn<QByteArray>("tells");
        QTest::addColumn<QString>("ncu");
        QTest::addColumn<QByteArray>("code");
        QTest::addColumn<QByteArray>("message");
        QTest::addColumn<QByteArray>("fix");
        const auto row = [](const char* name, const char* tells, const char* ncu, const char* code, const char* message,
                            const char* fix) {
            QTest::newRow(name) << QByteArray(tells) << QString::fromLatin1(ncu) << QByteArray(code)
                                << QByteArray(message) << QByteArray(fix);
        };
        row("absent", "", "/nowhere/ncu", "counters-absent", "there is no ncu", "RIDGE_NCU");
        row("forbidden", "forbidden", RIDGE_FAKE_NCU_FILE, "counters-forbidden", "ERR_NVGPUCTRPERM",
            "NVreg_RestrictProfilingToAdminUsers=0");
        row("no kernel", "nothing", RIDGE_FAKE_NCU_FILE, "counters-failed", "no metrics", "by hand");
        row("hangs", "slow", RIDGE_FAKE_NCU_FILE, "time-limit", "was not done within", "--seconds");
    }
    void whatIsMissingIsNamed()
    {
        QFETCH(QByteArray, tells);
        QFETCH(QString, ncu);
        QFETCH(QByteArray, code);
        QFETCH(QByteArray, message);
        QFETCH(QByteArray, fix);
        // Of a profiler that hangs half of the time that is left is enough.
        const QByteArray line = code == "time-limit"           ? QByteArray(kOnePoint) + " --seconds 30"
                                : code == "counters-forbidden" ? QByteArray(kOnGpu) // once for both points
                                                               : QByteArray(kOnePoint);
        const auto outcome = ridgeRun((line + " --json").constData(), fakes(tells.constData(), ncu));
        QVERIFY2(outcome.exitCode == 0, outcome.err.constData()); // the run itself is whole
        const Json json = documentOf(outcome);
        QCOMPARE(json["samples"].size(), std::size_t{code == "counters-forbidden" ? 2u : 1u});
        for (const Json& sample : json["samples"]) {
            QVERIFY(!sample.contains("counters_by") && !sample["metrics"].contains("dram_bytes"));
            QVERIFY(sample["metrics"].contains("bandwidth"));
            const Json& missing = sample["counters_missing"];
            QCOMPARE(QByteArray::fromStdString(missing["code"].get<std::string>()), code);
            QVERIFY2(QByteArray::fromStdString(missing["message"].get<std::string>()).contains(message),
                     missing.dump().c_str());
            QVERIFY2(QByteArray::fromStdString(missing["fix"].get<std::string>()).contains(fix),
                     missing.dump().c_str());
        }
    }

    void aPersonReadsWhatIsMissing()
    {
        const auto told = ridgeRun(kOnePoint, fakes("forbidden"));
        QVERIFY2(told.exitCode == 0, told.err.constData());
        QVERIFY2(told.out.contains("no counters: this user may not read") &&
                     told.out.contains("NVreg_RestrictProfilingToAdminUsers=0"),
                 told.out.constData());
    }

    void whatIsTimedAsAScheduleCannotBeCounted()
    {
        const auto outcome =
            test::runProgram(QStringLiteral("ridge"),
                             {QStringLiteral("run"), QStringLiteral("launch"), QStringLiteral("--target"),
                              QStringLiteral("gpu:0"), QStringLiteral("--counters"), QStringLiteral("--json")},
                             fakes(""));
        QVERIFY2(outcome.exitCode == 0, outcome.err.constData());
        const Json sample = documentOf(outcome)["samples"][0];
        QCOMPARE(sample["counters_missing"]["code"].get<std::string>(), std::string("counters-failed"));
        QVERIFY(sample["counters_missing"]["message"].get<std::string>().find("timed schedules") != std::string::npos);
    }

    /// A simulator counts anyway: the flag changes no byte.
    void aSimulatorSaysNothingNew()
    {
        const char* line = "--target sim:h100-sxm --set bytes=65536 --json";
        const auto plain = ridgeRun(line, fakes("")),
                   asked = ridgeRun((QByteArray(line) + " --counters").constData(), fakes(""));
        QVERIFY2(plain.exitCode == 0 && asked.exitCode == 0, asked.err.constData());
        QVERIFY(plain.out.contains("dram_bytes"));
        QCOMPARE(documentOf(asked)["samples"], documentOf(plain)["samples"]);
    }

    void nothingIsLeftOfAProfiler_data()
    {
        QTest::addColumn<bool>("kernel");
        QTest::addColumn<int>("signal");
        for (const bool kernel : {false, true}) {
            const QByteArray what = kernel ? "kernel, " : "experiment, ";
            QTest::newRow((what + "cancelled").constData()) << kernel << SIGTERM;
            QTest::newRow((what + "killed").constData()) << kernel << SIGKILL;
            QTest::newRow((what + "out of time").constData()) << kernel << 0;
        }
    }
    /// The stand-in holds a worker that never ends, in a session of its own as a profiler's launcher may.
    void nothingIsLeftOfAProfiler()
    {
        QFETCH(bool, kernel);
        QFETCH(int, signal);
        QTemporaryDir folder;
        const QByteArray fifo = folder.filePath(QStringLiteral("pids")).toUtf8();
        QCOMPARE(::mkfifo(fifo.constData(), 0600), 0);
        test::Environment environment = fakes("held");
        environment.append({QStringLiteral("RIDGE_FAKE_NCU_PIDS"), QString::fromUtf8(fifo)});
        QProcess worker;
        worker.setProcessEnvironment(test::environmentWith(environment));
        worker.start(test::binary(QStringLiteral("ridge-worker")), {QStringLiteral("run")});
        QVERIFY(worker.waitForStarted());
        const double seconds = signal != 0 ? 60 : kernel ? 6 : 12;
        const Json request = kernel ? kernelRequest(seconds) : experimentRequest(seconds);
        worker.write(QByteArray::fromStdString(request.dump() + "\n"));
        worker.waitForBytesWritten();
        worker.closeWriteChannel();

        QFile told(QString::fromUtf8(fifo));
        QVERIFY(told.open(QIODevice::ReadOnly | QIODevice::Unbuffered)); // waits until the stand-in writes
        const QList<QByteArray> pids = told.readAll().trimmed().split(' ');
        QCOMPARE(pids.size(), 2);
        const Watched profiler(pids[0].toInt()), below(pids[1].toInt());
        QVERIFY(profiler.known() && below.known());
        QVERIFY(signal == 0 || !below.endsWithin(0));
        if (signal != 0)
            QCOMPARE(::kill(static_cast<pid_t>(worker.processId()), signal), 0);
        QVERIFY(worker.waitForFinished(60000));
        QVERIFY(profiler.endsWithin(15000));
        QVERIFY(below.endsWithin(15000));
        const QByteArray events = worker.readAllStandardOutput();
        if (signal == SIGTERM)
            QVERIFY2(events.contains("\"cancelled\"") && !events.contains("\"finished\""), events.constData());
        if (signal == 0) // the run is as good as it was without counters
            QVERIFY2(events.contains("\"time-limit\"") && events.contains("\"finished\""),
                     events.right(700).constData());
    }
};

QTEST_GUILESS_MAIN(TestRunCounters)
#include "tst_run_counters.moc"
