// SPDX-License-Identifier: GPL-3.0-or-later
// The real ridge-worker, driven over its real pipe.
#include "base/json.h"
#include "base/kernel_request.h"
#include "base/launch_trace.h"
#include "base/protocol.h"
#include "base/seedless.h"
#include "tests/support/process.h"

#include <QDir>
#include <QTemporaryDir>
#include <QtTest>
#include <csignal>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace ridge;
using ridge::test::runProgram;

namespace {

RunRequest request(const std::string& experiment, std::vector<ParamSet> points,
                   const std::string& target = "sim:h100-sxm")
{
    RunRequest r;
    r.experiment = experiment;
    r.target = target;
    r.points = std::move(points);
    return r;
}

struct Reply {
    test::Outcome process;
    std::vector<Event> events;
    std::string problem;

    template<class T>
    std::vector<T> all() const
    {
        std::vector<T> out;
        for (const Event& event : events)
            if (const auto* e = std::get_if<T>(&event))
                out.push_back(*e);
        return out;
    }
    Error error() const
    {
        const auto failed = all<FailedEvent>();
        return failed.empty() ? Error{"none", "", "", ""} : failed.front().error;
    }
};

Reply replyFrom(test::Outcome process)
{
    Reply reply;
    reply.process = std::move(process);
    EventReader reader;
    reader.feed(reply.process.out.toStdString());
    for (;;) {
        auto event = reader.next();
        if (!event) {
            reply.problem = toText(event.error());
            break;
        }
        if (!event->has_value()) {
            if (!reader.atBoundary())
                reply.problem = "the stream ends in the middle of an event";
            break;
        }
        reply.events.push_back(std::move(**event));
    }
    return reply;
}

Reply run(const RunRequest& r, const test::Environment& environment = {})
{
    return replyFrom(runProgram(QStringLiteral("ridge-worker"), {QStringLiteral("run")}, environment,
                                QByteArray::fromStdString(toJson(r).dump())));
}

/// A data folder with our own kernels in place of the shipped ones: what a learner's edit is.
class EditedKernels {
public:
    EditedKernels()
    {
        const QDir source(qEnvironmentVariable("RIDGE_SOURCE"));
        QFile::link(source.filePath(QStringLiteral("assets")), m_dir.filePath(QStringLiteral("assets")));
        QFile::link(source.filePath(QStringLiteral("curriculum")), m_dir.filePath(QStringLiteral("curriculum")));
        QDir(m_dir.path()).mkpath(QStringLiteral("kernels/coalescing"));
    }
    void write(const QByteArray& text)
    {
        QFile file(m_dir.filePath(QStringLiteral("kernels/coalescing/01_strided_read.cu")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(text);
    }
    static QByteArray shipped()
    {
        QFile file(qEnvironmentVariable("RIDGE_SOURCE") + QStringLiteral("/kernels/coalescing/01_strided_read.cu"));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    test::Environment environment() const { return {{QStringLiteral("RIDGE_DATA"), m_dir.path()}}; }

private:
    QTemporaryDir m_dir;
};

} // namespace

class TestWorker : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// Re-checking a class runs nothing again for another seed where the fingerprint says that it draws nothing.
    void theFingerprintSaysWhetherASeedMatters()
    {
        const auto rate = [](std::uint64_t seed) {
            RunRequest r = request("roofline", {{{"mebibytes", std::int64_t{1}}, {"max_mop", std::int64_t{1}}}});
            r.seed = seed;
            return run(r);
        };
        const Reply one = rate(1), other = rate(2);
        QCOMPARE(one.all<SampleEvent>().size(), std::size_t{1});
        QCOMPARE((*one.all<StartedEvent>().front().fingerprint)["data"], Json(kSameForEverySeed));
        QVERIFY(one.all<SampleEvent>().front().metrics == other.all<SampleEvent>().front().metrics);
        const Reply draws = run(request("coalescing", {{{"stride", std::int64_t{1}}}}));
        const Json told = *draws.all<StartedEvent>().front().fingerprint;
        QVERIFY(!told.contains("data"));
        // And which program it was, since two of one version need not give the same bits.
        QCOMPARE(told["target"]["build"].get<std::string>().size(), std::size_t{16});
        QCOMPARE(told["target"]["build"], (*one.all<StartedEvent>().front().fingerprint)["target"]["build"]);
    }

    void describeIsTheContract()
    {
        const auto process = runProgram(QStringLiteral("ridge-worker"), {QStringLiteral("describe")});
        QCOMPARE(process.exitCode, 0);
        const auto catalogue = catalogueFromJson(*parseJson(process.out.toStdString(), "describe"));
        QVERIFY2(catalogue.ok(), catalogue.ok() ? "" : toText(catalogue.error()).c_str());
        for (const char* id : {"coalescing", "bank_conflicts"}) {
            const auto info = findExperiment(*catalogue, id);
            QVERIFY(info);
            QVERIFY(!info->limits.empty());
            QVERIFY(!info->charts.empty());
            for (const MetricSpec& metric : info->metrics)
                QVERIFY2(!metric.unit.empty() && !metric.help.empty(), metric.name.c_str());
            for (const ParamSpec& parameter : info->parameters)
                QVERIFY2(!parameter.help.empty() && checkValue(parameter, parameter.defaultValue),
                         parameter.name.c_str());
            for (const ChartSpec& chart : info->charts)
                QVERIFY2(info->parameter(chart.x) && info->metric(chart.y), chart.id.c_str());
            for (const LimitSpec& limit : info->limits)
                QVERIFY2(info->metric(limit.metric), limit.metric.c_str());
        }
    }

    void sweepCountsWhatTheHardwareRuleSays()
    {
        std::vector<ParamSet> points;
        for (std::int64_t stride = 1; stride <= 128; stride *= 2)
            points.push_back({{"stride", stride}});
        const auto reply = run(request("coalescing", points));
        QCOMPARE(reply.problem, std::string());
        QCOMPARE(reply.process.exitCode, 0);
        const auto samples = reply.all<SampleEvent>();
        QCOMPARE(samples.size(), points.size());
        for (const SampleEvent& sample : samples) {
            const double stride = *asNumber(sample.params.at("stride"));
            const MetricValue& sectors = sample.metrics.at("sectors_per_request");
            QCOMPARE(sectors.value, std::min(32.0, 4 * stride));
            QVERIFY(sectors.provenance == Provenance::Simulated);
            QCOMPARE(sample.limits.at("sectors_per_request").kind, std::string("lower"));
            QCOMPARE(sample.limits.at("sectors_per_request").value, 4.0);
            QVERIFY(!sample.checks.empty() && sample.checks.front().passed);
        }
        const auto traces = reply.all<TraceEvent>();
        QCOMPARE(traces.size(), 2 * points.size()); // memory, then launch
        for (std::size_t at = 0; at < traces.size(); ++at) {
            QCOMPARE(traces[at].index, at / 2);
            QCOMPARE(traces[at].kind, std::string(at % 2 == 0 ? "memory" : "launch"));
            const auto memory = decodeTrace(traces[at].bytes);
            const auto launch = decodeLaunchTrace(traces[at].bytes);
            QVERIFY(at % 2 == 0 ? memory.ok() && !memory->requests.empty() : launch.ok() && !launch->warps.empty());
            QVERIFY(traces[at].bytes.size() < 2'000'000);
        }
        const auto started = reply.all<StartedEvent>();
        QCOMPARE(started.size(), std::size_t{1});
        QVERIFY(started.front().fingerprint->contains("kernels"));
        QVERIFY(std::holds_alternative<FinishedEvent>(reply.events.back()));
    }

    void everyWayToPtxGivesTheSameCounts_data()
    {
        QTest::addColumn<QString>("compiler");
        for (const char* way : {"nvrtc", "nvcc", "clang", "shipped"})
            QTest::newRow(way) << QString::fromLatin1(way);
    }
    void everyWayToPtxGivesTheSameCounts()
    {
        QFETCH(QString, compiler);
        const auto targets = runProgram(QStringLiteral("ridge-worker"), {QStringLiteral("targets")});
        const Json compilers = Json::parse(targets.out.toStdString()).at("compilers");
        for (const Json& item : compilers)
            if (item.at("id") == compiler.toStdString() && !item.at("available").get<bool>())
                QSKIP(qPrintable(compiler + QStringLiteral(" is not on this machine")));
        const test::Environment environment = {{QStringLiteral("RIDGE_COMPILER"), compiler}};
        const auto global =
            run(request("coalescing", {{{"stride", std::int64_t{3}}, {"offset", std::int64_t{5}}}}), environment);
        QCOMPARE(global.error().message, std::string());
        QCOMPARE(global.all<StartedEvent>().at(0).fingerprint->at("kernels").at(0).at("compiler"),
                 compiler.toStdString());
        // Lanes 12 B apart from byte 20 on: bytes 20 … 395 of an aligned segment, sectors 0 … 12.
        QCOMPARE(global.all<SampleEvent>().at(0).metrics.at("sectors_per_request").value, 13.0);
        const auto shared = run(request("bank_conflicts", {{{"stride", std::int64_t{24}}}}), environment);
        QCOMPARE(shared.all<SampleEvent>().at(0).metrics.at("conflict_degree").value, 8.0);
    }

    void sameRequestSameBits()
    {
        const auto r = request("coalescing", {{{"stride", std::int64_t{5}}, {"elements", std::int64_t{4096}}}});
        const auto a = run(r), b = run(r);
        QCOMPARE(metricsToJson(a.all<SampleEvent>().at(0).metrics).dump(),
                 metricsToJson(b.all<SampleEvent>().at(0).metrics).dump());
        for (const std::size_t trace : {0, 1})
            QVERIFY(a.all<TraceEvent>().at(trace).bytes == b.all<TraceEvent>().at(trace).bytes);
    }

    void listsMachinesBetweenSimulatorsAndModels()
    {
        const auto asked = runProgram(QStringLiteral("ridge-worker"), {QStringLiteral("targets")});
        const Json rows = Json::parse(asked.out.toStdString()).at("targets");
        QCOMPARE(rows.back().at("id"), Json("model"));
        const auto found =
            std::ranges::find_if(rows, [](const Json& row) { return row.at("id") == "machine:cache-teaching"; });
        QVERIFY(found != rows.end());
        QCOMPARE(found->at("engine"), Json("cache"));
        QCOMPARE(found->at("provenance"), Json("SIMULATED"));
        QVERIFY(found->at("available").get<bool>());
        for (auto after = found; after != rows.end(); ++after)
            QVERIFY(!after->at("id").get<std::string>().starts_with("sim:"));
    }

    /// What a run depends on goes to remote machines and into the digest by which runs are remembered.
    void machinesAreAmongTheFilesOfAWorker()
    {
        const auto asked = runProgram(QStringLiteral("ridge-worker"), {QStringLiteral("version")});
        const Json files = Json::parse(asked.out.toStdString()).at("files");
        QVERIFY(std::ranges::find(files, Json("assets/machines/cache-teaching.json")) != files.end());
    }

    void aFaultyMachineIsToldAndStopsNothingElse()
    {
        const QDir source(qEnvironmentVariable("RIDGE_SOURCE"));
        QTemporaryDir data;
        const QDir made(data.path());
        for (const char* folder : {"curriculum", "kernels"})
            QVERIFY(QFile::link(source.filePath(QLatin1String(folder)), made.filePath(QLatin1String(folder))));
        QVERIFY(made.mkpath(QStringLiteral("assets/machines")));
        for (const QString& each :
             QDir(source.filePath(QStringLiteral("assets"))).entryList(QDir::Dirs | QDir::Files | QDir::NoDotAndDotDot))
            if (each != QLatin1String("machines"))
                QVERIFY(QFile::link(source.filePath(QStringLiteral("assets/") + each),
                                    made.filePath(QStringLiteral("assets/") + each)));
        QFile file(made.filePath(QStringLiteral("assets/machines/bad.json")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(R"({"id": "good"})");
        file.close();
        const test::Environment environment = {{QStringLiteral("RIDGE_DATA"), data.path()}};
        const auto asked = runProgram(QStringLiteral("ridge-worker"), {QStringLiteral("targets")}, environment);
        const Json rows = Json::parse(asked.out.toStdString()).at("targets");
        const auto bad = std::ranges::find_if(
            rows, [](const Json& row) { return row.at("id").get<std::string>().starts_with("machine:"); });
        QVERIFY(bad != rows.end());
        QVERIFY(!bad->at("available").get<bool>());
        const auto reason = bad->at("reason").get<std::string>();
        QVERIFY2(reason.find("bad.json") != std::string::npos, reason.c_str());
        QVERIFY(!bad->at("fix").get<std::string>().empty());
        const auto described = runProgram(QStringLiteral("ridge-worker"), {QStringLiteral("describe")}, environment);
        QCOMPARE(described.exitCode, 0);
    }

    void badRequests_data()
    {
        QTest::addColumn<QByteArray>("input");
        QTest::addColumn<QString>("code");
        QTest::addColumn<int>("exit");
        const auto encoded = [](const RunRequest& r) { return QByteArray::fromStdString(toJson(r).dump()); };
        QTest::newRow("nothing") << QByteArray() << "bad-json" << 2;
        QTest::newRow("garbage") << QByteArray("run it please") << "bad-json" << 2;
        QTest::newRow("not a request") << QByteArray("{}") << "bad-protocol" << 2;
        QTest::newRow("experiment") << encoded(request("coalesing", {{}})) << "unknown-experiment" << 1;
        QTest::newRow("parameter") << encoded(request("coalescing", {{{"strid", std::int64_t{1}}}}))
                                   << "unknown-parameter" << 1;
        QTest::newRow("range") << encoded(request("coalescing", {{{"stride", std::int64_t{129}}}})) << "out-of-range"
                               << 1;
        QTest::newRow("chip") << encoded(request("coalescing", {{}}, "sim:h100")) << "unknown-target" << 1;
        QTest::newRow("class") << encoded(request("coalescing", {{}}, "abacus")) << "unknown-target" << 1;
        QTest::newRow("machine") << encoded(request("coalescing", {{}}, "machine:cache-teaching"))
                                 << "unsupported-target" << 1;
        QTest::newRow("no machine") << encoded(request("coalescing", {{}}, "machine")) << "unknown-target" << 1;
    }
    void badRequests()
    {
        QFETCH(QByteArray, input);
        QFETCH(QString, code);
        QFETCH(int, exit);
        const auto reply = replyFrom(runProgram(QStringLiteral("ridge-worker"), {QStringLiteral("run")}, {}, input));
        QCOMPARE(reply.problem, std::string());
        QCOMPARE(QString::fromStdString(reply.error().code), code);
        QCOMPARE(reply.process.exitCode, exit);
        QVERIFY(!reply.error().place.empty());
    }

    void absentGpuSaysWhyAndWhatToDo()
    {
        const auto reply = run(request("coalescing", {{}}, "gpu:0"),
                               {{QStringLiteral("RIDGE_LIBCUDA"), QStringLiteral("/nonexistent.so")}});
        QCOMPARE(reply.error().code, std::string("target-unavailable"));
        QVERIFY(!reply.error().fix.empty());
    }

    void compileErrorNamesFileAndLine()
    {
        EditedKernels kernels;
        kernels.write("extern \"C\" __global__ void strided_read_4(float* out)\n{\n    out[0] = undeclared;\n}\n");
        const auto reply = run(request("coalescing", {{}}), kernels.environment());
        QCOMPARE(reply.error().code, std::string("compile-failed"));
        QVERIFY2(reply.error().place.find("01_strided_read.cu:3") != std::string::npos, reply.error().place.c_str());
        QVERIFY(reply.error().message.find("undeclared") != std::string::npos);
    }

    void endlessKernelEndsWithItsPlace()
    {
        EditedKernels kernels;
        QByteArray source = EditedKernels::shipped();
        QVERIFY(!source.isEmpty());
        // Every kernel of the file gets a loop that no compiler may remove.
        source.replace("out[i] = ", "while (*(volatile int*)&elements != -1) { }\n        out[i] = ");
        kernels.write(source);
        auto r = request("coalescing", {{{"elements", std::int64_t{1024}}}});
        r.limits.seconds = 1;
        const auto reply = run(r, kernels.environment());
        QCOMPARE(reply.problem, std::string());
        // Nothing changes in this loop, so it is proved endless before its time is up.
        // Where the compiler puts the reads into memory that another block might write, its time runs out.
        const std::string code = reply.error().code;
        QVERIFY2(code == "endless-loop" || code == "no-progress" || code == "time-limit", code.c_str());
        QVERIFY(!reply.error().fix.empty());
    }

    void outOfBoundsKernelNamesLaneAndBuffer()
    {
        EditedKernels kernels;
        QByteArray source = EditedKernels::shipped();
        source.replace("out[i] = ", "out[i + (1ull << 28)] = ");
        kernels.write(source);
        const auto reply = run(request("coalescing", {{}}), kernels.environment());
        QCOMPARE(reply.error().code, std::string("out-of-bounds"));
        const std::string text = toText(reply.error());
        for (const char* part : {"lane", "warp", "block", "out"})
            QVERIFY2(text.find(part) != std::string::npos, text.c_str());
    }

    void terminateCancels()
    {
        auto r = request("coalescing", {});
        for (int i = 0; i < 4000; ++i)
            r.points.push_back({{"stride", std::int64_t{128}}, {"elements", std::int64_t{262144}}});
        QProcess process;
        process.setProcessEnvironment(test::environmentWith({}));
        process.start(test::binary(QStringLiteral("ridge-worker")), {QStringLiteral("run")});
        QVERIFY(process.waitForStarted());
        process.write(QByteArray::fromStdString(toJson(r).dump()));
        process.closeWriteChannel();
        QByteArray out;
        while (!out.contains("\"sample\"")) {
            QVERIFY(process.waitForReadyRead(60000));
            out += process.readAllStandardOutput();
        }
        process.terminate();
        QVERIFY(process.waitForFinished(60000));
        out += process.readAllStandardOutput();
        QVERIFY2(out.count("\"sample\"") < 3000, "the run went on");
        test::Outcome outcome;
        outcome.out = out;
        const auto reply = replyFrom(outcome);
        QCOMPARE(reply.problem, std::string());
        QCOMPARE(reply.error().code, std::string("cancelled"));
        QCOMPARE(process.exitCode(), 1);
    }

    /// What asks for an end while half of the request is on its way is a cancelled run, not broken JSON. The pipe stays
    /// open: only the signal can end the wait.
    void terminateCancelsWhileTheRequestArrives()
    {
        const QByteArray asked = QByteArray::fromStdString(toJson(request("coalescing", {{}})).dump());
        int pipeEnds[2];
        QVERIFY(::pipe(pipeEnds) == 0);
        QProcess process;
        process.setProcessEnvironment(test::environmentWith({}));
        process.setChildProcessModifier([&] {
            ::dup2(pipeEnds[0], STDIN_FILENO);
            ::close(pipeEnds[1]);
        });
        process.start(test::binary(QStringLiteral("ridge-worker")), {QStringLiteral("run")});
        QVERIFY(process.waitForStarted());
        const qint64 half = asked.size() / 2;
        QCOMPARE(qint64(::write(pipeEnds[1], asked.constData(), std::size_t(half))), half);
        // It reads with its handlers in place: once the pipe is empty, it is there.
        const auto isTaken = [&] {
            int left = -1;
            return ::ioctl(pipeEnds[0], FIONREAD, &left) == 0 && left == 0;
        };
        QTRY_VERIFY_WITH_TIMEOUT(isTaken(), 20000);
        process.terminate();
        QVERIFY(process.waitForFinished(60000));
        ::close(pipeEnds[0]);
        ::close(pipeEnds[1]);
        test::Outcome outcome;
        outcome.out = process.readAllStandardOutput();
        const auto reply = replyFrom(outcome);
        QCOMPARE(reply.problem, std::string());
        QCOMPARE(reply.error().code, std::string("cancelled"));
        QCOMPARE(process.exitCode(), 1);
    }

    void memoryLimitIsAMessage()
    {
        auto r = request("coalescing", {{{"stride", std::int64_t{128}}, {"elements", std::int64_t{4194304}}}});
        r.limits.memoryMiB = 300;
        const auto reply = run(r);
        QVERIFY2(!reply.process.crashed, reply.process.err.constData());
        QCOMPARE(reply.error().code, std::string("out-of-memory"));
        QVERIFY(!reply.error().fix.empty());
    }

    /// What a remote machine is given: without one of these files a run there would not be what it is here.
    /// Numbers that no machine has are told, and neither end it nor turn round into other numbers.
    void limitsBeyondReasonAreTold()
    {
        for (const auto& [seconds, mebibytes] : {std::pair(1e300, std::int64_t{0}), {0.0, std::int64_t{1} << 62}}) {
            RunRequest r = request("speedup", {{}}, "model");
            r.limits = {seconds, mebibytes};
            const Reply reply = run(r);
            QVERIFY(!reply.process.crashed);
            QCOMPARE(reply.process.exitCode, 2);
            QVERIFY2(reply.error().message.find("is at most") != std::string::npos, toText(reply.error()).c_str());
        }
    }

    void followSaysWhatItCannotRead_data()
    {
        QTest::addColumn<QString>("offset");
        QTest::addColumn<QString>("seconds");
        QTest::addColumn<QByteArray>("input");
        const QString zero = QStringLiteral("0"), minute = QStringLiteral("60");
        QTest::newRow("offset of words") << QStringLiteral("abc") << minute << QByteArray("2\n{}");
        QTest::newRow("negative offset") << QStringLiteral("-5") << minute << QByteArray("2\n{}");
        QTest::newRow("endless seconds") << zero << QStringLiteral("1e300") << QByteArray("2\n{}");
        QTest::newRow("length of words") << zero << minute << QByteArray("two\n{}");
        QTest::newRow("no length") << zero << minute << QByteArray("0\n");
        QTest::newRow("length beyond reason") << zero << minute << QByteArray("99999999999\n{}");
        QTest::newRow("length without an end") << zero << minute << QByteArray(64, '1');
    }
    void followSaysWhatItCannotRead()
    {
        QFETCH(QString, offset);
        QFETCH(QString, seconds);
        QFETCH(QByteArray, input);
        QTemporaryDir cache;
        const auto outcome = runProgram(QStringLiteral("ridge-worker"),
                                        {QStringLiteral("follow"), QStringLiteral("0123456789"), offset, seconds},
                                        {{QStringLiteral("RIDGE_CACHE"), cache.path()}}, input);
        QCOMPARE(outcome.exitCode, 2);
        QVERIFY2(outcome.out.startsWith("refused ") && outcome.out.contains("bad-protocol"), outcome.out.constData());
    }

    /// A compiler works for as long as this test wants: before the first event there are signs of life alone.
    void aSlowCompilerIsNotSilence()
    {
        QTemporaryDir folder;
        const QString gate = folder.filePath(QStringLiteral("gate")), nvcc = folder.filePath(QStringLiteral("nvcc"));
        QCOMPARE(::mkfifo(gate.toLocal8Bit().constData(), 0600), 0);
        QFile script(nvcc);
        QVERIFY(script.open(QIODevice::WriteOnly));
        script.write("#!/bin/sh\ncase $1 in\n"
                     "--version) echo 'Cuda compilation tools, release 13.0, V13.0.48'; exit;;\n"
                     "--list-gpu-arch) echo compute_90; exit;;\nesac\n"
                     "read word < " +
                     gate.toLocal8Bit() + "\necho \"the gate says $word\" >&2\nexit 1\n");
        script.close();
        script.setPermissions(QFile::ReadOwner | QFile::ExeOwner);
        QProcess process;
        process.setProcessEnvironment(test::environmentWith({{QStringLiteral("RIDGE_COMPILER"), QStringLiteral("nvcc")},
                                                             {QStringLiteral("RIDGE_NVCC"), nvcc},
                                                             {QStringLiteral("RIDGE_CACHE"), folder.path()}}));
        process.start(test::binary(QStringLiteral("ridge-worker")), {QStringLiteral("run")});
        process.write(QByteArray::fromStdString(toJson(request("coalescing", {{}})).dump()));
        process.closeWriteChannel();
        while (!process.canReadLine())
            QVERIFY2(process.waitForReadyRead(60000), process.readAllStandardError().constData());
        QFile open(gate);
        QVERIFY(open.open(QIODevice::WriteOnly));
        open.write("open\n");
        open.close();
        QVERIFY(process.waitForFinished(60000));
        test::Outcome outcome;
        outcome.out = process.readAllStandardOutput();
        const Reply reply = replyFrom(outcome);
        QVERIFY2(reply.problem.empty(), reply.problem.c_str());
        QVERIFY(reply.events.size() >= 2 && reply.all<StartedEvent>().empty());
        QCOMPARE(reply.all<ProgressEvent>().size(), reply.events.size() - 1);
        for (const ProgressEvent& beat : reply.all<ProgressEvent>()) {
            QCOMPARE(beat.message, std::string("preparing"));
            QCOMPARE(beat.fraction, 0.0);
        }
        QVERIFY2(reply.error().message.find("the gate says open") != std::string::npos, reply.error().message.c_str());
    }

    void aNameWithoutAnEndIsTold()
    {
        KernelCompileRequest compile;
        compile.source = {"long.ptx",
                          ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry " +
                              std::string(5 << 20, 'k') + "()\n{\nret;\n}\n",
                          true};
        compile.arch = "sm_75";
        const Reply reply = replyFrom(runProgram(QStringLiteral("ridge-worker"), {QStringLiteral("run")}, {},
                                                 QByteArray::fromStdString(toJson(KernelRequest(compile)).dump())));
        QVERIFY2(reply.problem.empty(), reply.problem.c_str());
        QVERIFY2(reply.error().message.find("a name has 5242880 characters") != std::string::npos,
                 toText(reply.error()).substr(0, 400).c_str());
    }

    void versionNamesWhatRunsRead()
    {
        const auto process = runProgram(QStringLiteral("ridge-worker"), {QStringLiteral("version")});
        QCOMPARE(process.exitCode, 0);
        const auto version = parseJson(process.out.toStdString(), "version");
        QVERIFY(version.ok());
        const auto files = (*version)["files"].get<std::vector<std::string>>();
        for (const char* file : {"assets/references/cub_sum.cu", "assets/tasks/saxpy/solution.cu",
                                 "assets/chips/gpus.json", "kernels/reduction/01_atomic.cu"})
            QVERIFY2(std::ranges::find(files, file) != files.end(), file);
    }

    void usageIsOnStandardError()
    {
        for (const QStringList& wrong :
             {QStringList{QStringLiteral("dance")}, QStringList{QStringLiteral("run"), QStringLiteral("me")},
              QStringList{QStringLiteral("run"), QStringLiteral("-1")}}) {
            const auto process = runProgram(QStringLiteral("ridge-worker"), wrong);
            QCOMPARE(process.exitCode, 2);
            QVERIFY(process.out.isEmpty());
            QVERIFY(process.err.contains("usage"));
        }
    }
};

QTEST_GUILESS_MAIN(TestWorker)
#include "tst_worker.moc"
