// SPDX-License-Identifier: GPL-3.0-or-later
// A kernel request that asks a GPU for counters, over the worker's pipe, with stand-ins for libcuda and ncu.
#include "base/json.h"
#include "base/kernel_request.h"
#include "labs/kernel/hardware_counters.h"
#include "tests/gpu/cuda/fake_driver.h"
#include "tests/support/process.h"

using namespace ridge;

namespace {

test::Environment fakes(const char* tells, const QString& ncu = QStringLiteral(RIDGE_FAKE_NCU_FILE))
{
    const QString folder = QCoreApplication::applicationDirPath();
    return {{QStringLiteral("RIDGE_LIBCUDA"), folder + QStringLiteral("/fake_cuda.so")},
            {QStringLiteral("RIDGE_LIBNVML"), folder + QStringLiteral("/fake_nvml.so")},
            {QStringLiteral("RIDGE_FAKE_CUDA"), QString()},
            {QStringLiteral("RIDGE_FAKE_NVML"), QString()},
            {QStringLiteral("RIDGE_NCU"), ncu},
            {QStringLiteral("RIDGE_FAKE_NCU"), QString::fromLatin1(tells)}};
}

/// The document of the stand-in's kernel "add" with counters asked for.
Json document(const test::Environment& environment, const char* target = "gpu:0", double seconds = 60)
{
    KernelRunRequest request;
    request.source = {"add.ptx", kPtx, true};
    request.kernel = "add";
    request.block = {128, 1, 1};
    request.args = {"inout:i32:128:iota", "u32:128", "f32:7"};
    request.target = target;
    request.counters = request.functional = true;
    request.limits.seconds = seconds;
    const auto outcome = test::runProgram(QStringLiteral("ridge-worker"), {QStringLiteral("run")}, environment,
                                          QByteArray::fromStdString(toJson(KernelRequest(request)).dump() + "\n"));
    for (const QByteArray& line : outcome.out.split('\n')) {
        const auto event = parseJson(line.toStdString(), "event");
        if (event && (*event).value("event", std::string()) == "kernel")
            return (*event)["document"];
    }
    qWarning("%s%s", outcome.out.constData(), outcome.err.constData());
    return Json::object();
}

} // namespace

class TestHardwareCounters : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void countersHaveOurNames()
    {
        const Json json = document(fakes(""));
        QVERIFY(json.contains("counters_by") && !json.contains("counters_missing"));
        const Json& counters = json["counters"];
        QCOMPARE(counters.size(), std::size_t{17});
        QCOMPARE(counters["global_load_requests"], Json({{"value", 1000}, {"unit", "requests"}}));
        QCOMPARE(counters["global_load_sectors"]["value"].get<int>(), 2000);
        QCOMPARE(counters["inst_issued"]["value"].get<int>(), 9000);
        QCOMPARE(counters["dram_write_bytes"], Json({{"value", 17000}, {"unit", "B"}}));
        // Every name is one that the simulator gives, with the same unit.
        const Json simulated = document(fakes(""), "sim:h100-sxm");
        QVERIFY(!simulated.contains("counters_by") && !simulated.contains("counters_missing"));
        for (const auto& [name, counter] : counters.items())
            if (simulated["counters"].contains(name))
                QCOMPARE(simulated["counters"][name]["unit"], counter["unit"]);
        QVERIFY(simulated["counters"].contains("shared_store_wavefronts"));
    }

    void whatIsMissingIsNamed_data()
    {
        QTest::addColumn<QByteArray>("tells");
        QTest::addColumn<QByteArray>("code");
        QTest::addColumn<QByteArray>("message");
        QTest::addColumn<QByteArray>("fix");
        const auto row = [](const char* name, const char* tells, const char* code, const char* message,
                            const char* fix) {
            QTest::newRow(name) << QByteArray(tells) << QByteArray(code) << QByteArray(message) << QByteArray(fix);
        };
        row("forbidden", "forbidden", "counters-forbidden", "ERR_NVGPUCTRPERM",
            "NVreg_RestrictProfilingToAdminUsers=0");
        row("no kernel", "nothing", "counters-failed", "no metrics", "by hand");
        row("crashes", "crash", "counters-failed", "status 139", "by hand");
        row("hangs", "slow", "time-limit", "", "");
    }

    void whatIsMissingIsNamed()
    {
        QFETCH(QByteArray, tells);
        QFETCH(QByteArray, code);
        QFETCH(QByteArray, message);
        QFETCH(QByteArray, fix);
        const Json json = document(fakes(tells.constData()), "gpu:0", code == "time-limit" ? 8 : 60);
        // The run itself is whole.
        QVERIFY(json.contains("counters_missing") && json["reports"].empty() && !json.contains("counters_by"));
        const Json& missing = json["counters_missing"];
        QCOMPARE(QByteArray::fromStdString(missing["code"].get<std::string>()), code);
        QVERIFY2(QByteArray::fromStdString(missing["message"].get<std::string>()).contains(message),
                 missing.dump().c_str());
        QVERIFY2(QByteArray::fromStdString(missing["fix"].get<std::string>()).contains(fix), missing.dump().c_str());
    }

    void withoutNcu()
    {
        const Json json = document(fakes("", QStringLiteral("/nowhere/ncu")));
        QCOMPARE(json["counters_missing"]["code"].get<std::string>(), std::string("counters-absent"));
        QVERIFY(json["counters_missing"]["fix"].get<std::string>().find("RIDGE_NCU") != std::string::npos);
    }

    /// The same by the command line, in a person's words.
    void ridgeSaysIt()
    {
        QTemporaryDir folder;
        QFile file(folder.filePath(QStringLiteral("add.ptx")));
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(kPtx) > 0);
        file.close();
        const QStringList line{QStringLiteral("kernel"),
                               QStringLiteral("run"),
                               file.fileName(),
                               QStringLiteral("--kernel"),
                               QStringLiteral("add"),
                               QStringLiteral("--grid"),
                               QStringLiteral("1"),
                               QStringLiteral("--block"),
                               QStringLiteral("128"),
                               QStringLiteral("--arg"),
                               QStringLiteral("inout:i32:128:iota"),
                               QStringLiteral("--arg"),
                               QStringLiteral("u32:128"),
                               QStringLiteral("--arg"),
                               QStringLiteral("f32:7"),
                               QStringLiteral("--target"),
                               QStringLiteral("gpu:0"),
                               QStringLiteral("--counters")};
        const auto counted = test::runProgram(QStringLiteral("ridge"), line, fakes(""));
        QVERIFY2(counted.exitCode == 0, counted.err.constData());
        QVERIFY2(counted.out.contains("dram_write_bytes") && !counted.out.contains("no counters"),
                 counted.out.constData());
        const auto forbidden = test::runProgram(QStringLiteral("ridge"), line, fakes("forbidden"));
        QVERIFY2(forbidden.exitCode == 0, forbidden.err.constData());
        QVERIFY2(forbidden.out.contains("no counters: this user may not read") &&
                     forbidden.out.contains("NVreg_RestrictProfilingToAdminUsers=0"),
                 forbidden.out.constData());
    }

    void theTableIsRead()
    {
        const auto launches =
            labs::launchesFromNcu("==PROF== \"x\"\n\"ID\",\"Kernel Name\",\"a__b.sum\",\"c__d.sum\"\r\n"
                                  "\"\",\"\",\"byte\",\"inst\"\r\n"
                                  "\"0\",\"f(\"\"q\"\", int)\",\"1,234,567\",\"2.5e3\"\r\n"
                                  "\"1\",\"g\",\"9\",\"n/a\"\r\n");
        QCOMPARE(launches.size(), std::size_t{2});
        QCOMPARE(launches[0], (std::map<std::string, double>{{"a__b.sum", 1234567.0}, {"c__d.sum", 2500.0}}));
        QCOMPARE(launches[1], (std::map<std::string, double>{{"a__b.sum", 9.0}}));
        QVERIFY(labs::launchesFromNcu("==ERROR== ERR_NVGPUCTRPERM\n").empty());
        QVERIFY(labs::launchesFromNcu("\"ID\",\"a__b.sum\"\n\"\",\"byte\"\n").empty());
        QVERIFY(labs::launchesFromNcu("\"\"\n\"\"\n").empty());
    }
};

QTEST_GUILESS_MAIN(TestHardwareCounters)
#include "tst_hardware_counters.moc"
