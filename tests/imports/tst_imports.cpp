// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/json.h"
#include "imports/importer.h"
#include "imports/pickle.h"

#include <QtTest>

using namespace ridge;
using namespace ridge::imports;

namespace {

std::string contents(const char* name)
{
    auto bytes = readFile(std::filesystem::path(qgetenv("RIDGE_SOURCE").toStdString()) / "tests/imports/data" / name);
    return bytes ? *bytes : std::string();
}

Result<Imported> take(const char* name)
{
    return importFile(contents(name), name);
}

const Figure* figure(const Imported& imported, const std::string& name, const std::string& of = {})
{
    for (const Figure& one : imported.figures)
        if (one.name == name && (of.empty() || one.of == of))
            return &one;
    return nullptr;
}

struct Expected {
    const char *file, *format, *name, *of;
    double value;
    const char* unit;
    int line;
};

} // namespace

class TestImports : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void figures_data()
    {
        const std::string kernel = "sum_shared(const float *, float *, int), launch ";
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("format");
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("of");
        QTest::addColumn<double>("value");
        QTest::addColumn<QString>("unit");
        QTest::addColumn<int>("line");
        const double mib = 1 << 20;
        const Expected all[] = {
            {"ncu.csv", "ncu", "Duration", "sum_shared(const float *, float *, int), launch 0", 211.94e-6, "s", 5},
            {"ncu.csv", "ncu", "Duration", "sum_shared(const float *, float *, int), launch 1", 1205e-6, "s", 9},
            {"ncu.csv", "ncu", "DRAM Throughput", "", 87.25, "%", 6},
            {"ncu_raw.csv", "ncu", "dram__bytes_read.sum", "scale, launch 1", 16.8e6, "B", 4},
            {"ncu_raw.csv", "ncu", "gpu__time_duration.sum", "copy, launch 0", 12.35e-6, "s", 3},
            {"ncu_raw.csv", "ncu", "launch__registers_per_thread", "copy, launch 0", 18, "register/thread", 3},
            {"nsys.csv", "nsys", "avg", "attend<float, 4>(float *, int)", 1e-4, "s", 4},
            {"nsys.csv", "nsys", "instances", "norm", 10, "1", 5},
            {"nsys.csv", "nsys", "total", "[CUDA memcpy Host-to-Device]", 64e6, "B", 9},
            {"all_reduce.log", "nccl-tests", "busbw, out of place", "32 MiB", 251.66e9, "B/s", 14},
            {"all_reduce.log", "nccl-tests", "time, in place", "8 MiB", 81.2e-6, "s", 13},
            {"all_reduce.log", "nccl-tests", "average busbw", "", 203.58e9, "B/s", 16},
            {"llama.csv", "llama-bench", "rate", "llama 8B Q4_K - Medium, pp512", 2000, "tokens/s", 2},
            {"llama.csv", "llama-bench", "time", "llama 8B Q4_K - Medium, tg128 @ d4096", 3.2, "s", 4},
            {"llama.md", "llama-bench", "rate, standard deviation", "llama 8B Q4_K - Medium, tg128", 0.03, "tokens/s",
             4},
            {"llama.jsonl", "llama-bench", "rate", "qwen3 4B Q8_0, tg64", 32, "tokens/s", 2},
            {"vivado.rpt", "fpga-timing", "WNS", "design", -0.5e-9, "s", 12},
            {"vivado.rpt", "fpga-timing", "TNS Failing Endpoints", "design", 3, "1", 12},
            {"vivado.rpt", "fpga-timing", "WPWS", "design", 4.5e-9, "s", 12},
            {"vivado.rpt", "fpga-timing", "max frequency, 1 / (period - WNS)", "design", 1e9 / 10.5, "Hz", 0},
            {"nextpnr.log", "fpga-timing", "max frequency", "clk$SB_IO_IN_$glb_clk", 45.5e6, "Hz", 6},
            {"nextpnr.log", "fpga-timing", "used", "ICESTORM_LC", 1320, "1", 2},
            {"nextpnr.json", "fpga-timing", "constraint", "clk", 100e6, "Hz", 0},
            {"opensta.rpt", "fpga-timing", "slack, max", "acc_q to out_q", -0.04e-9, "s", 11},
            {"opensta.rpt", "fpga-timing", "slack, min", "a to acc_q", 0.21e-9, "s", 18},
            {"quartus.rpt", "fpga-timing", "restricted max frequency", "clk, Slow 1200mV 85C Model", 250e6, "Hz", 6},
            {"memory.pickle", "torch-memory", "reserved", "device 0", 22 * mib, "B", 0},
            {"memory.pickle", "torch-memory", "lost to rounding", "device 0", 1000, "B", 0},
            {"memory.pickle", "torch-memory", "largest free block", "device 0", 6 * mib, "B", 0},
            // 6 of 12 MiB that are free
            {"memory.pickle", "torch-memory", "fragmentation, 1 - largest free block / free", "device 0", 50, "%", 0},
            {"memory.pickle", "torch-memory", "peak allocated in the recorded history", "device 0", 30 * mib, "B", 0},
            {"memory.pickle", "torch-memory", "out of memory", "device 0", 1, "1", 0},
        };
        for (const Expected& one : all)
            QTest::addRow("%s %s %s", one.file, one.name, one.of)
                << one.file << one.format << one.name << one.of << one.value << one.unit << one.line;
    }
    void figures()
    {
        QFETCH(QString, file);
        QFETCH(QString, format);
        QFETCH(QString, name);
        QFETCH(QString, of);
        QFETCH(double, value);
        QFETCH(QString, unit);
        QFETCH(int, line);
        const auto imported = take(file.toUtf8().constData());
        QVERIFY2(imported.ok(), imported.ok() ? "" : toText(imported.error()).c_str());
        QCOMPARE(QString::fromStdString(imported->format), format);
        const Figure* found = figure(*imported, name.toStdString(), of.toStdString());
        QVERIFY(found);
        QVERIFY2(std::abs(found->value - value) <= 1e-9 * std::abs(value), qPrintable(QString::number(found->value)));
        QCOMPARE(QString::fromStdString(found->unit), unit);
        QCOMPARE(found->line, line);
    }

    void tellsWhatIsMissingOrOdd()
    {
        const auto ncu = take("ncu.csv");
        QVERIFY(ncu.ok());
        QCOMPARE(ncu->notes.size(), std::size_t(1)); // dram__bytes_read.sum was n/a
        QCOMPARE(ncu->title, std::string("1 kernel, 2 launches, profiled with Nsight Compute"));
        const auto nccl = take("all_reduce.log");
        QVERIFY(nccl.ok());
        QVERIFY(nccl->notes.empty()); // 1.5 is 2 (4 - 1) / 4
        for (const auto& [key, value] : nccl->machine)
            QVERIFY2(value.find("secret-host") == std::string::npos, key.c_str());
        std::string fewer = contents("all_reduce.log");
        fewer.erase(fewer.find("#  Rank  3"), fewer.find("secret-host:374:401") - fewer.find("#  Rank  3"));
        const auto odd = importFile(fewer, "x.log");
        QVERIFY(odd.ok());
        QCOMPARE(odd->notes.size(), std::size_t(1)); // three ranks do not give 1.5
        std::string wrong = contents("all_reduce.log");
        wrong.replace(wrong.find("157.29      0"), 13, "157.29      7");
        QVERIFY(importFile(wrong, "x.log")->notes.front().find("wrong results") != std::string::npos);
        QCOMPARE(take("vivado.rpt")->title, std::string("Timing report from Vivado: constraints missed"));
    }

    void refusesWhatItCannotRead_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QString>("code");
        QTest::addColumn<QString>("place");
        const QByteArray nccl = QByteArray::fromStdString(contents("all_reduce.log"));
        const QByteArray pickle = QByteArray::fromStdString(contents("memory.pickle"));
        QTest::newRow("empty") << QByteArray(" \n ") << "bad-import"
                               << "f";
        QTest::newRow("anything") << QByteArray("hello world") << "unknown-format"
                                  << "f";
        QTest::newRow("cut row") << nccl.left(nccl.indexOf("157.29")) << "bad-import"
                                 << "f:13";
        QTest::newRow("heads without rows") << nccl.left(nccl.indexOf("     8388608 ")) << "bad-import"
                                            << "f";
        QTest::newRow("open quote") << QByteArray("\"ID\",\"Kernel Name\",\"Metric Name\"\n\"0\",\"k") << "bad-csv"
                                    << "f:2";
        QTest::newRow("nsys, cells missing")
            << QByteArray("Time (%),Total Time (ns),Instances,Name\n1,2,k\n") << "bad-import"
            << "f:2";
        QTest::newRow("llama, broken line")
            << QByteArray("{\"n_prompt\": 1, \"avg_ts\": 2}\n{\"avg_ts\": ") << "bad-json"
            << "f:2:1:12";
        QTest::newRow("cut pickle") << pickle.left(200) << "bad-pickle"
                                    << "f, byte 194";
        QTest::newRow("code in a pickle") << QByteArray("\x80\x04"
                                                        "csegments\nsystem\n(S'x'\ntR.",
                                                        26)
                                          << "bad-pickle"
                                          << "f, byte 3";
    }
    void refusesWhatItCannotRead()
    {
        QFETCH(QByteArray, bytes);
        QFETCH(QString, code);
        QFETCH(QString, place);
        const auto imported = importFile(bytes.toStdString(), "f");
        QVERIFY(!imported.ok());
        QCOMPARE(QString::fromStdString(imported.error().code), code);
        QVERIFY2(imported.error().place.starts_with(place.toStdString()), imported.error().place.c_str());
        QVERIFY(!imported.error().fix.empty());
    }

    void survivesEveryCutAndEveryFlippedByte()
    {
        for (const char* name :
             {"ncu.csv", "ncu_raw.csv", "nsys.csv", "all_reduce.log", "llama.csv", "llama.md", "vivado.rpt",
              "nextpnr.log", "nextpnr.json", "opensta.rpt", "quartus.rpt", "memory.pickle"}) {
            const std::string whole = contents(name);
            QVERIFY(!whole.empty());
            for (std::size_t i = 0; i < whole.size(); i += 3) {
                static_cast<void>(importFile(whole.substr(0, i), name));
                std::string flipped = whole;
                flipped[i] = static_cast<char>(flipped[i] ^ (1 << (i % 8)));
                static_cast<void>(importFile(flipped, name));
            }
        }
    }

    void leavesOutWhatIsTooMuch()
    {
        std::string text = "Time (%),Total Time (ns),Instances,Name\n";
        for (std::size_t i = 0; i < kMostFigures / 3 + 10; ++i)
            text += "1,2,3,k" + std::to_string(i) + "\n";
        const auto imported = importFile(text, "f.csv");
        QVERIFY(imported.ok());
        QCOMPARE(imported->figures.size(), kMostFigures);
        QCOMPARE(imported->notes.size(), std::size_t(1));
    }

    void readsNegativeAndLargeIntegersOfAPickle()
    {
        // What CPython's pickle.dumps gives for [-5, 2**40, -2**40, 1.5, True, None] in protocol 2
        const std::string bytes(
            "\x80\x02]q\x00(J\xfb\xff\xff\xff\x8a\x06\x00\x00\x00\x00\x00\x01\x8a\x06\x00\x00\x00\x00"
            "\x00\xffG?\xf8\x00\x00\x00\x00\x00\x00\x88Ne.",
            40);
        const auto pickle = Pickle::parse(bytes, "p");
        QVERIFY2(pickle.ok(), pickle.ok() ? "" : toText(pickle.error()).c_str());
        const auto& items = pickle->items(pickle->root());
        QCOMPARE(items.size(), std::size_t(6));
        QCOMPARE(pickle->number(items[0]), -5.0);
        QCOMPARE(pickle->number(items[1]), 1099511627776.0);
        QCOMPARE(pickle->number(items[2]), -1099511627776.0);
        QCOMPARE(pickle->number(items[3]), 1.5);
    }
};

QTEST_APPLESS_MAIN(TestImports)
#include "tst_imports.moc"
