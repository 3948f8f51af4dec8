// SPDX-License-Identifier: GPL-3.0-or-later
// `ridge kernel`: the command lines of a learner with a kernel of their own, and everything that can be wrong in them.
// PTX that is checked in, so that no compiler is needed except where one is asked for.
#include "base/json.h"
#include "tests/support/process.h"

#include <QDir>
#include <QTemporaryDir>
#include <QtTest>

using namespace ridge;

namespace {

QString fixture(const char* name)
{
    return qEnvironmentVariable("RIDGE_SOURCE") + QStringLiteral("/tests/gpu/simt/fixtures/") + QLatin1String(name);
}

/// vecadd(a, b, c, n) and matmul(a, b, c, n) of kernels.cu.
QString kernels()
{
    return fixture("kernels.nvcc.ptx");
}

Json document(const test::Outcome& outcome)
{
    auto json = parseJson(outcome.out.toStdString(), "standard output");
    return json ? *json : Json();
}

bool hasCompiler()
{
    const auto outcome =
        test::runProgram(QStringLiteral("ridge"), {QStringLiteral("targets"), QStringLiteral("--json")});
    for (const Json& compiler : document(outcome).value("compilers", Json::array()))
        if (compiler.at("id") != "shipped" && compiler.at("available") == true)
            return true;
    return false;
}

QStringList words(const char* line)
{
    return QString::fromUtf8(line).split(QLatin1Char(' '), Qt::SkipEmptyParts);
}

} // namespace

class TestRidgeKernel : public QObject {
    Q_OBJECT
    QTemporaryDir m_folder;

    test::Outcome ridgeKernel(QStringList arguments, const test::Environment& environment = {})
    {
        arguments.prepend(QStringLiteral("kernel"));
        return test::runProgram(QStringLiteral("ridge"), arguments, environment);
    }

    test::Outcome run(const QString& file, const char* rest)
    {
        return ridgeKernel(QStringList{QStringLiteral("run"), file} + words(rest));
    }

    QString path(const char* name) const { return m_folder.filePath(QLatin1String(name)); }

    QString write(const char* name, const QByteArray& bytes)
    {
        QFile file(path(name));
        if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size())
            qFatal("cannot write a file of the test");
        return file.fileName();
    }

    template<class T>
    std::vector<T> read(const QString& name)
    {
        QFile file(name);
        if (!file.open(QIODevice::ReadOnly))
            return {};
        const QByteArray bytes = file.readAll();
        std::vector<T> values(static_cast<std::size_t>(bytes.size()) / sizeof(T));
        memcpy(values.data(), bytes.constData(), values.size() * sizeof(T));
        return values;
    }

private Q_SLOTS:
    void initTestCase() { QVERIFY(m_folder.isValid()); }

    void jsonIsTheContract()
    {
        const QByteArray line =
            "--kernel vecadd --grid 4 --block 256 --arg in:f32:1000:iota --arg in:f32:1000:ones --arg "
            "out:f32:1000>" +
            path("sum.bin").toUtf8() + " --arg i32:1000 --target sim:h100-sxm --functional --json";
        const auto outcome = run(kernels(), line.constData());
        QVERIFY2(outcome.exitCode == 0, outcome.err.constData());
        QVERIFY2(outcome.err.isEmpty(), "a progress bar in a pipe");
        const Json json = document(outcome);
        for (const char* key : {"kernel", "target", "provenance", "compiler", "cycles", "time_s", "occupancy",
                                "counters", "stalls", "per_line", "reports", "mode", "files", "timing", "signature"})
            QVERIFY2(json.contains(key), key);
        QCOMPARE(json.at("kernel"), "vecadd");
        QCOMPARE(json.at("target"), "sim:h100-sxm");
        QCOMPARE(json.at("provenance"), "SIMULATED");
        QVERIFY(json.at("compiler").get<std::string>().starts_with("ptx"));
        QVERIFY(json.at("cycles").is_null() && json.at("time_s").is_null() && json.at("stalls").is_null());
        QVERIFY(json.at("reports").empty());
        const Json& counters = json.at("counters");
        QCOMPARE(counters.at("global_load_requests").at("value").get<int>(), 64);
        QCOMPARE(counters.at("global_load_sectors").at("value").get<int>(), 250);
        QCOMPARE(counters.at("global_load_sectors").at("unit"), "sectors");
        QVERIFY(counters.at("inst_executed").at("value").get<int>() > 0);
        const Json& occupancy = json.at("occupancy");
        QVERIFY(occupancy.at("theoretical").get<double>() == 1.0 && occupancy.at("achieved").is_null());
        QCOMPARE(occupancy.at("blocks_per_sm").get<int>(), 8);
        QCOMPARE(json.at("files").at(0).at("bytes").get<int>(), 4000);
        const auto sum = read<float>(path("sum.bin"));
        QCOMPARE(sum.size(), std::size_t{1000});
        for (std::size_t at = 0; at < sum.size(); ++at)
            QCOMPARE(sum[at], static_cast<float>(at) + 1);
    }

    void printedTextComesBack()
    {
        const QString file = fixture("corpus/lab.nvcc.ptx");
        for (const char* mode : {"", " --functional"}) {
            const QByteArray line = QByteArray("--kernel say --grid 1 --block 32 --arg in:f32:32:iota --target "
                                               "sim:h100-sxm --json") +
                                    mode;
            const Json json = document(run(file, line.constData()));
            QCOMPARE(json.at("printed").get<std::string>(),
                     std::string(
                         "thread 0 has 0.000 and text    42|ff  |z %\nthread 1 has 1.000 and text    42|ff  |z %\n"));
            QVERIFY(!json.at("printed_cut").get<bool>());
        }
    }

    /// What a kernel prints is a stranger's text: it moves no cursor, and a width takes no memory.
    void printedTextDoesNoHarm()
    {
        const QByteArray format = "\x1b[31mred\rover %05d %.3d|%1000000000d";
        QByteArray bytes;
        for (const char c : format)
            bytes += QByteArray::number(static_cast<unsigned char>(c)) + ", ";
        const QString file =
            write("loud.ptx", ".version 7.0\n.target sm_75\n.address_size 64\n"
                              ".extern .func (.param .b32 result) vprintf (.param .b64 text, .param .b64 values);\n"
                              ".global .align 1 .b8 said[" +
                                  QByteArray::number(format.size() + 1) + "] = {" + bytes +
                                  "0};\n"
                                  ".visible .entry loud()\n{\n.local .align 8 .b8 depot[16];\n"
                                  ".reg .b64 %a<5>;\n.reg .b32 %r<3>;\n"
                                  "mov.u64 %a1, depot;\ncvta.local.u64 %a2, %a1;\nmov.u32 %r1, 7;\n"
                                  "st.local.u32 [%a1], %r1;\nst.local.u32 [%a1+4], %r1;\nst.local.u32 [%a1+8], %r1;\n"
                                  "mov.u64 %a3, said;\ncvta.global.u64 %a4, %a3;\n"
                                  "{\n.param .b64 text;\nst.param.b64 [text+0], %a4;\n"
                                  ".param .b64 values;\nst.param.b64 [values+0], %a2;\n.param .b32 result;\n"
                                  "call.uni (result), vprintf, (text, values);\nld.param.b32 %r2, [result+0];\n}\n"
                                  "ret;\n}\n");
        const QByteArray line = "--grid 1 --block 1 --target sim:h100-sxm --functional --memory-mib 1024";
        const auto outcome = run(file, (line + " --json").constData());
        QVERIFY2(outcome.exitCode == 0, outcome.err.constData());
        const std::string begin = "\x1b[31mred\rover 00007 007|";
        QCOMPARE(document(outcome).at("printed").get<std::string>(), begin + std::string(4095, ' '));
        const auto shown = run(file, line.constData());
        QVERIFY2(shown.exitCode == 0, shown.err.constData());
        QVERIFY(!shown.out.contains('\x1b') && !shown.out.contains('\r'));
        QVERIFY(shown.out.contains("\xef\xbf\xbd[31mred\xef\xbf\xbdover 00007 007|"));
    }

    void timeComesWithTheChipFile()
    {
        const Json json = document(run(kernels(), "--kernel vecadd --grid 4 --block 256 --arg in:f32:1000:iota --arg "
                                                  "in:f32:1000:ones --arg out:f32:1000 --arg i32:1000 --target "
                                                  "sim:h100-sxm --check --json"));
        QCOMPARE(json.at("mode"), "timed");
        QVERIFY(json.at("cycles").get<double>() > 100);
        QVERIFY(json.at("time_s").get<double>() > 1e-7);
        QVERIFY(json.at("stalls").is_object() && !json.at("stalls").empty());
        QVERIFY(json.at("per_line").is_array() && !json.at("per_line").empty());
        for (const char* key : {"source_line", "ptx_line", "inst_issued", "stalls"})
            QVERIFY2(json.at("per_line").at(0).contains(key), key);
        QVERIFY(json.at("occupancy").at("achieved").is_number());
        QVERIFY(json.at("timing").at("confidence").is_string());
        QVERIFY(json.at("reports").empty() && json.at("checked") == true);
        // A chip without one is run without a clock, and says so.
        const Json none =
            document(run(kernels(), "--kernel vecadd --grid 1 --block 32 --arg in:f32:32:iota --arg "
                                    "in:f32:32:ones --arg out:f32:32 --arg i32:32 --target sim:agx-orin-64 --json"));
        QVERIFY(none.at("cycles").is_null() && none.at("untimed").is_string());
    }

    void theSameLineGivesTheSameDocument()
    {
        const char* line =
            "--kernel vecadd --grid 8 --block 128 --arg in:f32:1024:rand(5) --arg in:f32:1024:rand(6) --arg "
            "out:f32:1024 --arg i32:1024 --target sim:a100-sxm-80 --json";
        const auto first = run(kernels(), line);
        QVERIFY2(first.exitCode == 0 && !first.out.isEmpty(), first.err.constData());
        QCOMPARE(first.out, run(kernels(), line).out);
    }

    void filesGoInAndOut()
    {
        QByteArray a, b;
        for (int at = 0; at < 64; ++at) {
            const float x = 0.5f * static_cast<float>(at), y = 100;
            a.append(reinterpret_cast<const char*>(&x), 4);
            b.append(reinterpret_cast<const char*>(&y), 4);
        }
        const QString in = write("a.bin", a), other = write("b.bin", b);
        const QString out = path("c.bin");
        const QString arguments =
            QStringLiteral("--kernel vecadd --grid 1 --block 64 --arg in:f32:64:@%1 --arg "
                           "in:f32:64:@%2>%4 --arg inout:f32:64:zeros>%3 --arg i32:64 --target sim:a100-sxm-80 "
                           "--functional")
                .arg(in, other, out, path("b2.bin"));
        const auto outcome = run(kernels(), arguments.toUtf8().constData());
        QVERIFY2(outcome.exitCode == 0, outcome.err.constData());
        QVERIFY(QString::fromUtf8(outcome.out).contains(QStringLiteral("wrote ") + out));
        const auto c = read<float>(out);
        QCOMPARE(c.size(), std::size_t{64});
        QCOMPARE(c[10], 105.0f);
        QCOMPARE(read<float>(path("b2.bin")), std::vector<float>(64, 100.0f));
    }

    void detectorsDecideTheExitStatus_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QByteArray>("line");
        QTest::addColumn<QByteArray>("code");
        const auto row = [](const char* name, const QString& file, const char* line, const char* code) {
            QTest::newRow(name) << file << QByteArray(line) << QByteArray(code);
        };
        const QString detectors = fixture("detectors.nvcc.ptx");
        row("race", detectors, "--kernel race_bad --check --grid 1 --block 128 --arg in:f32:128:iota --arg out:f32:128",
            "shared-race");
        row("no race", detectors,
            "--kernel race_good --check --grid 1 --block 128 --arg in:f32:128:iota --arg out:f32:128", "");
        row("not asked", detectors, "--kernel rounds_bad --grid 1 --block 128 --arg in:f32:512:iota --arg out:f32:128",
            "");
        row("unwritten", detectors,
            "--kernel accumulate_bad --check --grid 1 --block 128 --arg in:f32:128:ones --arg out:f32:128",
            "uninitialised-read");
        row("bounds", kernels(),
            "--kernel vecadd --grid 1 --block 64 --arg in:f32:63:ones --arg in:f32:64:ones --arg out:f32:64 --arg "
            "i32:64",
            "out-of-bounds");
        row("host pointer", kernels(),
            "--kernel vecadd --grid 1 --block 64 --arg u64:0x7ffd00001000 --arg in:f32:64:ones --arg out:f32:64 --arg "
            "i32:64",
            "host-pointer");
        row("null", kernels(),
            "--kernel vecadd --grid 1 --block 64 --arg u64:0 --arg in:f32:64:ones --arg out:f32:64 --arg i32:64",
            "null-pointer");
        row("threads", kernels(),
            "--kernel vecadd --grid 1 --block 2048 --arg in:f32:64:ones --arg in:f32:64:ones --arg out:f32:64 --arg "
            "i32:64",
            "launch-limits");
        row("shared", kernels(),
            "--kernel vecadd --grid 1 --block 64 --smem 999999 --arg in:f32:64:ones --arg in:f32:64:ones --arg "
            "out:f32:64 --arg i32:64",
            "launch-limits");
        row("blocks", detectors,
            "--kernel blocks_bad --check-global --grid 4 --block 64 --arg in:f32:256:iota --arg inout:f32:64:zeros",
            "global-race");
        row("wait", detectors,
            "--kernel wait_bad --grid 1 --block 64 --functional --arg inout:i32:1:zeros --arg out:i32:64",
            "endless-loop");
    }
    void detectorsDecideTheExitStatus()
    {
        QFETCH(QString, file);
        QFETCH(QByteArray, line);
        QFETCH(QByteArray, code);
        const auto outcome = run(file, (line + " --target sim:a100-sxm-80 --json").constData());
        QVERIFY2(outcome.exitCode == (code.isEmpty() ? 0 : 1), outcome.err.constData());
        const Json json = document(outcome);
        const Json& reports = json.at("reports");
        if (code.isEmpty()) {
            QVERIFY2(reports.empty(), reports.dump().c_str());
            return;
        }
        const auto found = std::find_if(reports.begin(), reports.end(),
                                        [&](const Json& report) { return report.at("code") == code.toStdString(); });
        QVERIFY2(found != reports.end(), reports.dump().c_str());
        for (const char* key :
             {"code",        "message",  "look_for",    "cuda",    "fatal",      "kernel", "source_line",
              "source_text", "ptx_line", "instruction", "block",   "thread",     "warp",   "lane",
              "space",       "access",   "bytes",       "address", "allocation", "other",  "count"})
            QVERIFY2(found->contains(key), key);
        QVERIFY(!found->at("look_for").get<std::string>().empty());
        if (code == "launch-limits") {
            QVERIFY(found->at("cuda").get<std::string>().starts_with("cudaError"));
        } else {
            QVERIFY(found->at("ptx_line").is_number() && found->at("warp").is_number() &&
                    found->at("lane").is_number());
        }
        // The same for a person.
        const auto spoken = run(file, (line + " --target sim:a100-sxm-80").constData());
        QCOMPARE(spoken.exitCode, 1);
        QVERIFY(spoken.out.contains(code) && spoken.out.contains("Look for:"));
    }

    void badLines_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QByteArray>("line");
        QTest::addColumn<int>("exit");
        QTest::addColumn<QByteArray>("says");
        const auto row = [](const char* name, const QString& file, const char* line, int exit, const char* says) {
            QTest::newRow(name) << file << QByteArray(line) << exit << QByteArray(says);
        };
        const char* good = "--kernel vecadd --grid 1 --block 32 --arg in:f32:32:ones --arg in:f32:32:ones --arg "
                           "out:f32:32 --arg i32:32";
        const auto with = [&](const char* extra) { return QByteArray(good) + ' ' + extra; };
        row("no file", QStringLiteral("/nonexistent/k.cu"), "--grid 1 --block 1", 2, "/nonexistent/k.cu");
        row("no grid", kernels(), "--kernel vecadd --block 1", 2, "grid");
        row("grid", kernels(), "--kernel vecadd --grid 0 --block 1", 2, "--grid");
        row("cluster", kernels(), with("--cluster 0").constData(), 2, "--cluster");
        row("block", kernels(), "--kernel vecadd --grid 1 --block 1,2,3,4", 2, "more than three");
        row("no kernel", kernels(), "--grid 1 --block 1", 2, "--kernel");
        row("unknown kernel", kernels(), "--kernel vectoradd --grid 1 --block 1", 2, "vecadd");
        row("too few", kernels(), "--kernel vecadd --grid 1 --block 32 --arg i32:3", 2,
            "takes 4 arguments, 1 is given");
        row("spec", kernels(), "--kernel vecadd --grid 1 --block 32 --arg in:f31:32:ones", 2, "f31");
        row("type", kernels(),
            "--kernel vecadd --grid 1 --block 32 --arg in:f32:32:ones --arg in:f32:32:ones --arg out:f32:32 --arg "
            "f32:32",
            2, ".u32");
        row("buffer for a number", kernels(),
            "--kernel vecadd --grid 1 --block 32 --arg in:f32:32:ones --arg in:f32:32:ones --arg out:f32:32 --arg "
            "in:i32:1:ones",
            2, "no pointer");
        row("number for a pointer", kernels(),
            "--kernel vecadd --grid 1 --block 32 --arg i32:3 --arg in:f32:32:ones --arg out:f32:32 --arg i32:32", 2,
            "in:");
        row("missing data", kernels(),
            "--kernel vecadd --grid 1 --block 32 --arg in:f32:32:@/nonexistent.bin --arg in:f32:32:ones --arg "
            "out:f32:32 --arg i32:32",
            2, "/nonexistent.bin");
        row("same file twice", kernels(),
            "--kernel vecadd --grid 1 --block 32 --arg in:f32:32:ones>/tmp/x --arg in:f32:32:ones --arg "
            "out:f32:32>/tmp/x --arg i32:32",
            2, "two buffers");
        row("unwritable", kernels(),
            "--kernel vecadd --functional --grid 1 --block 32 --arg in:f32:32:ones --arg in:f32:32:ones --arg "
            "out:f32:32>/nonexistent/o --arg i32:32",
            2, "/nonexistent/o");
        row("target", kernels(), with("--target sim:h100-sx").constData(), 2, "sim:h100-sxm");
        row("smem", kernels(), with("--smem -4").constData(), 2, "smem");
        row("smem in words", kernels(), with("--smem 4k").constData(), 2,
            "--smem: '4k' is not a whole number from 0\n");
        row("seconds", kernels(), with("--seconds soon").constData(), 2, "'soon' is not a number of seconds");
        row("too big", kernels(),
            "--kernel vecadd --grid 1 --block 32 --arg in:f32:99999999999:ones --arg in:f32:32:ones --arg out:f32:32 "
            "--arg i32:32 --target sim:a100-sxm-80",
            1, "argument 1");
        row("show", kernels(), "", 2, "grid");
    }
    void badLines()
    {
        QFETCH(QString, file);
        QFETCH(QByteArray, line);
        QFETCH(int, exit);
        QFETCH(QByteArray, says);
        if (!line.contains("--target"))
            line += " --target sim:a100-sxm-80";
        const auto outcome = run(file, line.constData());
        QVERIFY2(outcome.exitCode == exit, outcome.err.constData());
        QVERIFY(outcome.out.isEmpty());
        QVERIFY2(outcome.err.contains(says), outcome.err.constData());
    }

    void filesThatAreNoKernels()
    {
        const char* rest = "--grid 1 --block 1 --target sim:a100-sxm-80";
        struct Row {
            QString file;
            QByteArray says;
            int exit;
        };
        const QByteArray cut = [&] {
            QFile file(kernels());
            return file.open(QIODevice::ReadOnly) ? file.readAll().left(2000) : QByteArray();
        }();
        const std::vector<Row> rows{
            {write("a.txt", "x"), "neither .cu nor .ptx", 2},
            {write("empty.ptx", " \n"), "empty", 2},
            {write("cut.ptx", cut), "line", 1},
            {write("noise.ptx", QByteArray("\xff\xfe\x00\x01garbage", 12)), "zero byte", 2},
            {write("noisy.ptx", "\xff\xfe\x01garbage"), "noisy.ptx", 1},
            {write("none.ptx", ".version 8.0\n.target sm_80\n.address_size 64\n"), "no kernel", 2},
            {write("new.ptx", ".version 99.0\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }\n"), "99",
             1},
            {write("chip.ptx", ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k() { ret; }\n"),
             "sm_90", 1},
            {write("op.ptx",
                   ".version 8.0\n.target sm_70\n.address_size 64\n.visible .entry k() { frobnicate.u32 7; ret; }\n"),
             "frobnicate", 1},
            {m_folder.path() + QStringLiteral("/folder.cu"), "folder.cu", 2},
        };
        QVERIFY(QDir(m_folder.path()).mkdir(QStringLiteral("folder.cu")));
        for (const Row& row : rows) {
            const auto outcome = run(row.file, rest);
            QVERIFY2(outcome.exitCode == row.exit, (row.file.toUtf8() + ": " + outcome.err).constData());
            QVERIFY2(outcome.err.contains(row.says), outcome.err.constData());
        }
        const QString file = write("short.bin", "1234567");
        const QByteArray wrong = "--kernel vecadd --grid 1 --block 32 --arg in:f32:32:@" + file.toUtf8() +
                                 " --arg in:f32:32:ones --arg out:f32:32 --arg i32:32 --target sim:a100-sxm-80";
        const auto outcome = run(kernels(), wrong.constData());
        QCOMPARE(outcome.exitCode, 2);
        QVERIFY2(outcome.err.contains("7 bytes") && outcome.err.contains("128"), outcome.err.constData());
    }

    void mangledNamesAreFoundByTheirPlainOnes()
    {
        const QString file = write(
            "names.ptx", ".version 8.0\n.target sm_70\n.address_size 64\n"
                         ".visible .entry _Z5scaleIfEvPT_S0_i(.param .u64 a, .param .f32 b, .param .u32 c) { ret; }\n"
                         ".visible .entry _Z5scaleIdEvPT_S0_i(.param .u64 a, .param .f64 b, .param .u32 c) { ret; }\n"
                         ".visible .entry _ZN2ns4copyEPfPKf(.param .u64 a, .param .u64 b) { ret; }\n");
        const auto ambiguous = run(file, "--kernel scale --grid 1 --block 1 --target sim:a100-sxm-80");
        QCOMPARE(ambiguous.exitCode, 2);
        QVERIFY2(ambiguous.err.contains("scale<float>") && ambiguous.err.contains("scale<double>"),
                 ambiguous.err.constData());
        const Json one =
            document(run(file, "--kernel scale<double> --grid 1 --block 1 --arg inout:f64:2:ones --arg f64:2 --arg "
                               "i32:2 --target sim:a100-sxm-80 --json --functional"));
        QCOMPARE(one.at("entry"), "_Z5scaleIdEvPT_S0_i");
        const auto copy = run(file, "--kernel copy --grid 1 --block 1 --arg out:f32:2 --arg in:f32:2:ones --target "
                                    "sim:a100-sxm-80 --functional");
        QVERIFY2(copy.exitCode == 0, copy.err.constData());
    }

    void compileShows()
    {
        const auto ptx =
            ridgeKernel({QStringLiteral("compile"), kernels(), QStringLiteral("--show"), QStringLiteral("ptx")});
        QCOMPARE(ptx.exitCode, 0);
        QVERIFY(ptx.out.contains(".visible .entry vecadd"));
        const auto registers =
            document(ridgeKernel(QStringList{QStringLiteral("compile"), kernels()} + words("--show registers --json")));
        QVERIFY(registers.at("kernels").size() > 5 && !registers.contains("ptx"));
        for (const Json& kernel : registers.at("kernels")) {
            QVERIFY2(kernel.at("registers").is_number(), kernel.dump().c_str());
            QVERIFY(kernel.at("registers").get<int>() > 0 && kernel.at("registers").get<int>() <= 255);
        }
        const auto lines =
            document(ridgeKernel(QStringList{QStringLiteral("compile"), kernels()} + words("--show lines --json")));
        QVERIFY(!lines.at("lines").empty() && lines.at("lines").at(0).contains("ptx_instructions"));
        const Json& listing = lines.at("kernels").at(0).at("listing");
        std::size_t machine = 0;
        for (const Json& line : listing) {
            QVERIFY(line.at("ptx_line").get<int>() > 0 && !line.at("ptx").get<std::string>().empty());
            machine += line.at("machine").size();
        }
        // Every instruction of the program points back to the PTX it came of; slow paths may add some.
        QVERIFY(machine > 0 && machine <= lines.at("kernels").at(0).at("machine_instructions").get<std::size_t>());
        for (const char* bad : {"--arch fast", "--show machine"})
            QCOMPARE(ridgeKernel(QStringList{QStringLiteral("compile"), kernels()} + words(bad)).exitCode, 2);
    }

    /// With stand-ins for NVIDIA's tools: the worker runs both, and what is printed is theirs, by line.
    void compileShowsSass()
    {
        const auto tool = [&](const char* name, const char* text) {
            const QString file = write(name, QByteArray("#!/bin/sh\n") + text);
            QFile(file).setPermissions(QFile::ReadOwner | QFile::ExeOwner | QFile::WriteOwner);
            return file;
        };
        // ptxas is told the architecture and where to write; it fails where it is not.
        const QString ptxas = tool("ptxas", "case \"$*\" in *-arch=sm_80*--generate-line-info*) : > kernel.cubin;; "
                                            "*) echo no such architecture; exit 3;; esac\n");
        const QString nvdisasm =
            tool("nvdisasm", "cat <<'EOF'\n\t.section .text.vecadd,\"ax\",@progbits\n.text.vecadd:\n"
                             "\t//## File \"/x/vector_add.ptx\", line 7\n"
                             "        /*0000*/  S2R R0, SR_TID.X ;\n"
                             "\t//## File \"/x/other.h\", line 3\n"
                             "        /*0010*/  @P0 EXIT ;\n"
                             "        /*0020*/  BRA `(.L_x_0);\n        /*0030*/  NOP;\nEOF\n");
        const QString file = path("vector_add.ptx");
        QFile::remove(file);
        QVERIFY(QFile::copy(kernels(), file));
        const QStringList compile = QStringList{QStringLiteral("compile"), file} + words("--arch sm_80 --show sass");
        const test::Environment both = {{QStringLiteral("RIDGE_PTXAS"), ptxas},
                                        {QStringLiteral("RIDGE_NVDISASM"), nvdisasm}};
        const auto shown = ridgeKernel(compile, both);
        QVERIFY2(shown.exitCode == 0, shown.err.constData());
        QVERIFY2(shown.out.contains("0000") && shown.out.contains("S2R R0, SR_TID.X"), shown.out.constData());
        QVERIFY(!shown.out.contains("NOP") && shown.out.contains(nvdisasm.toUtf8()));
        const auto json = document(ridgeKernel(compile + QStringList{QStringLiteral("--json")}, both));
        const Json& lines = json.at("sass").at("kernels").at(0).at("lines");
        QCOMPARE(lines.size(), std::size_t{2});
        QCOMPARE(lines.at(0).at("source_line").get<int>(), 7);
        QCOMPARE(lines.at(1).at("address").get<int>(), 16);
        QVERIFY(lines.at(1).at("source_line").is_null()); // a header's
        // Without a tool the reason is said, and nothing else is lost.
        const auto none = ridgeKernel(compile, {both[0], {QStringLiteral("RIDGE_NVDISASM"), QStringLiteral("/none")}});
        QVERIFY2(none.exitCode == 1 || none.exitCode == 2, QByteArray::number(none.exitCode).constData());
        QVERIFY2(none.err.contains("RIDGE_NVDISASM names /none"), none.err.constData());
        const auto other =
            ridgeKernel(QStringList{QStringLiteral("compile"), file} + words("--arch sm_90 --show sass"), both);
        QVERIFY2(other.err.contains("no such architecture"), other.err.constData());
        const auto registers =
            ridgeKernel(QStringList{QStringLiteral("compile"), file} + words("--arch sm_90 --show registers"), both);
        QVERIFY2(registers.exitCode == 0 && registers.out.contains("vecadd"), registers.err.constData());
    }

    void kernelsWithoutFiguresSayWhy()
    {
        const QString file = write("odd.ptx", ".version 8.3\n.target sm_90\n.address_size 64\n"
                                              ".visible .entry odd(.param .u64 p)\n{\n"
                                              "    .reg .b64 %rd<2>;\n    .reg .f32 %f<2>;\n"
                                              "    ld.param.u64 %rd1, [p];\n"
                                              "    multimem.ld_reduce.relaxed.sys.global.add.f32 %f1, [%rd1];\n"
                                              "    ret;\n}\n"
                                              ".visible .entry even()\n{\n    ret;\n}\n");
        for (const char* show : {"registers", "lines"}) {
            const auto told = ridgeKernel({QStringLiteral("compile"), file, QStringLiteral("--arch"),
                                           QStringLiteral("sm_90"), QStringLiteral("--show"), QLatin1String(show)});
            QVERIFY2(told.exitCode == 0 && told.out.contains("odd is not simulated: "), told.out.constData());
            QVERIFY2(told.out.contains("multimem.ld_reduce") && !told.out.contains("even is not"),
                     told.out.constData());
        }
        const Json kernels = document(ridgeKernel({QStringLiteral("compile"), file, QStringLiteral("--arch"),
                                                   QStringLiteral("sm_90"), QStringLiteral("--json")}))
                                 .at("kernels");
        QCOMPARE(kernels.at(0).at("not_simulated").at("code"), "unsupported-instruction");
        QVERIFY(kernels.at(0).at("registers").is_null());
        QVERIFY(!kernels.at(1).contains("not_simulated") && kernels.at(1).at("registers").is_number());
    }

    void sourcesAreCompiled()
    {
        if (!hasCompiler())
            QSKIP("no compiler here");
        const QString file =
            write("mine.cu", "extern \"C\" __global__ void axpy(float a, const float* x, float* y)\n{\n"
                             "    y[threadIdx.x] = a * x[threadIdx.x] + y[threadIdx.x];\n}\n");
        const QByteArray line = "--grid 1 --block 32 --arg f32:3 --arg in:f32:32:iota --arg inout:f32:32:ones>" +
                                path("y.bin").toUtf8() + " --target sim:a100-sxm-80 --json";
        const auto outcome = run(file, line.constData());
        QVERIFY2(outcome.exitCode == 0, outcome.err.constData());
        QCOMPARE(document(outcome).at("kernel"), "axpy");
        const auto newer =
            ridgeKernel({QStringLiteral("compile"), file, QStringLiteral("--arch"), QStringLiteral("sm_121")},
                        {{QStringLiteral("RIDGE_COMPILER"), QStringLiteral("clang")}});
        QVERIFY2(newer.exitCode == 0 && newer.err.contains("does not know sm_121; compiled for sm_"),
                 newer.err.constData());
        const auto none =
            ridgeKernel({QStringLiteral("compile"), file, QStringLiteral("--arch"), QStringLiteral("sm_999")});
        QVERIFY2(none.exitCode == 2 && none.err.contains("'sm_999' is not an architecture"), none.err.constData());
        QCOMPARE(read<float>(path("y.bin")).at(5), 16.0f);
        const auto fused = ridgeKernel({QStringLiteral("compile"), file}).out;
        const auto exact = ridgeKernel({QStringLiteral("compile"), file, QStringLiteral("--exact")}).out;
        QVERIFY(fused.contains("fma.rn.f32") && !exact.contains("fma.rn.f32") && exact.contains("mul.rn.f32"));
        // Reports name the line and quote it.
        const Json json =
            document(run(file, "--grid 1 --block 32 --arg f32:3 --arg in:f32:31:iota --arg inout:f32:32:ones --target "
                               "sim:a100-sxm-80 --json"));
        const Json& report = json.at("reports").at(0);
        QCOMPARE(report.at("source_line").get<int>(), 3);
        QVERIFY(report.at("source_text").get<std::string>().starts_with("y[threadIdx.x] ="));
        const QString broken = write("broken.cu", "extern \"C\" __global__ void k()\n{\n    int x = ;\n}\n");
        const auto refused = run(broken, "--grid 1 --block 1 --target sim:a100-sxm-80");
        QCOMPARE(refused.exitCode, 1);
        QVERIFY2(refused.err.contains("broken.cu") && refused.err.contains("3"), refused.err.constData());
    }
};

QTEST_GUILESS_MAIN(TestRidgeKernel)
#include "tst_ridge_kernel.moc"
