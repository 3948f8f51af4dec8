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
            {"vivado_use.rpt", "fpga-timing", "used", "Slice LUTs", 3326, "1", 20},
            {"vivado_use.rpt", "fpga-timing", "available", "DSPs", 240, "1", 46},
            {"vivado_use.rpt", "fpga-timing", "used", "LUT as Logic, using O6 output only", 2401, "1", 37},
            {"vivado_use.rpt", "fpga-timing", "used, primitive", "FDRE", 672, "1", 56},
            {"quartus_fit.summary", "fpga-timing", "used", "Logic utilization (in ALMs)", 1874, "1", 8},
            {"quartus_fit.summary", "fpga-timing", "available", "DSP Blocks", 66, "1", 12},
            {"quartus_sta.summary", "fpga-timing", "slack", "clk, Slow 1100mV 85C Model Setup", -0.412e-9, "s", 6},
            {"quartus_sta.summary", "fpga-timing", "TNS", "clk, Slow 1100mV 85C Model Setup", -3.7e-9, "s", 7},
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
        const std::string whole = contents("all_reduce.log");
        const auto cut = importFile(whole.substr(0, whole.find("    33554432")), "x.log"); // between two rows
        QVERIFY(cut.ok());
        QCOMPARE(cut->notes.size(), std::size_t(1));
        QVERIFY(cut->notes.front().starts_with("The average that nccl-tests writes last is not there"));
        std::string fewer = contents("all_reduce.log");
        fewer.erase(fewer.find("#  Rank  3"), fewer.find("secret-host:374:401") - fewer.find("#  Rank  3"));
        const auto odd = importFile(fewer, "x.log");
        QVERIFY(odd.ok());
        QCOMPARE(odd->notes.size(), std::size_t(1)); // three ranks do not give 1.5
        std::string wrong = contents("all_reduce.log");
        wrong.replace(wrong.find("157.29      0"), 13, "157.29      7");
        QVERIFY(importFile(wrong, "x.log")->notes.front().find("wrong results") != std::string::npos);
        QCOMPARE(take("vivado.rpt")->title, std::string("Timing report from Vivado: constraints missed"));
        const auto use = take("vivado_use.rpt");
        QCOMPARE(use->title, std::string("Report of resources from Vivado"));
        QCOMPARE(use->notes.size(), std::size_t(1)); // it is of a netlist that was not placed
        QVERIFY(use->notes.front().find("Synthesized") != std::string::npos);
        const auto tells = [](const Imported& imported, const char* key, const char* what) {
            return std::ranges::any_of(imported.machine, [&](const auto& pair) {
                return pair.first == key && pair.second.find(what) != std::string::npos;
            });
        };
        QVERIFY(tells(*use, "tool version", "2023.2") && tells(*use, "device", "xc7a100t"));
        QVERIFY(!tells(*use, "host", "secret"));
        const auto fit = take("quartus_fit.summary");
        QCOMPARE(fit->title, std::string("Report of resources from Quartus"));
        QVERIFY(tells(*fit, "tool version", "22.1std.2") && tells(*fit, "device", "5CEBA4F23C7"));
        QCOMPARE(take("quartus_sta.summary")->title, std::string("Timing report from Quartus: constraints missed"));
        const auto failed = importFile("Fitter Status : Failed - x\nTotal registers : 12\n", "f");
        QCOMPARE(failed->title, std::string("Report of resources from Quartus: the fit failed"));
    }

    /// Files as people reported them (tests/imports/data/cases), each with the figures that are right.
    void readsWhatPeopleBring()
    {
        const auto value = [](const Result<Imported>& imported, const char* name, const char* of) {
            const Figure* found = imported.ok() ? figure(*imported, name, of) : nullptr;
            return found ? found->value : -1.0;
        };
        const auto noted = [](const Result<Imported>& imported, const char* words) {
            return imported.ok() && std::ranges::any_of(imported->notes, [&](const std::string& note) {
                       return note.find(words) != std::string::npos;
                   });
        };
        const auto two = take("cases/nccl_two_programs.log");
        QVERIFY2(two.ok(), two.ok() ? "" : toText(two.error()).c_str());
        QCOMPARE(two->title, std::string("4 message sizes of 2 runs of nccl-tests on 8 ranks"));
        QCOMPARE(value(two, "busbw, out of place", "run 1, 2 GiB"), 469.76e9);
        QCOMPARE(value(two, "busbw, out of place", "run 2, 2 GiB"), 458.31e9);
        QVERIFY(noted(two, "2 programs that wrote at once"));
        std::string mixed = contents("cases/nccl_two_programs.log");
        mixed.replace(mixed.find("# Avg bus bandwidth    : 469.76"), 31, "# Avg bus bandwidth    : 460.00");
        const auto refused = importFile(mixed, "f"); // which row is whose nobody can tell
        QVERIFY(!refused.ok() && refused.error().message.find("Rank 0 is listed 2 times") != std::string::npos);

        QVERIFY(take("cases/nccl_started.log")->title.starts_with("2 message sizes of all_gather_perf on 4 ranks"));

        const auto progress = take("cases/llama_progress.log");
        QVERIFY(progress.ok() && progress->title.starts_with("3 tests"));
        QCOMPARE(value(progress, "rate", "demo 7B Q4_0, pp512 @ d4096"), 500.0);
        std::string cut = contents("cases/llama_progress.log");
        cut.erase(cut.find("llama-bench: benchmark 3/3"));
        QVERIFY(noted(importFile(cut, "f"), "was to run 3 tests, the file has 2"));
        const auto names = take("cases/llama_same_names.md");
        QCOMPARE(value(names, "rate", "demo 7B Q4_0, pp512, ngl 0, fa 0"), 100.0);
        QCOMPARE(value(names, "rate", "demo 7B Q4_0, pp512, ngl 99, fa 1"), 1200.0);
        const auto lines = take("cases/llama_same_names.jsonl");
        QCOMPARE(value(lines, "rate", "demo 7B Q4_0, pp512, ngl 0, fa 0"), 100.0);
        QCOMPARE(value(lines, "rate", "demo 7B Q4_0, pp512, ngl 99, fa 1"), 1000.0);
        const auto sql = take("cases/llama.sql");
        QCOMPARE(value(sql, "rate", "demo 7B Q4_0, pp512"), 1000.0);
        QCOMPARE(value(sql, "time", "demo 7B Q4_0, tg128"), 1.28);

        const auto column = take("cases/nsys_column.txt");
        QCOMPARE(value(column, "total time", "scale(float *, int)"), 7e-3);
        QCOMPARE(value(column, "instances", "void add<float>(T1 *, T1 *, int)"), 10.0);

        const auto runs = take("cases/ncu_two_runs.csv");
        QCOMPARE(runs->title, std::string("1 kernel, 2 launches, profiled with Nsight Compute"));
        QCOMPARE(value(runs, "Duration", "scale(float *, int), run 1, launch 0"), 12.5e-6);
        QCOMPARE(value(runs, "Duration", "scale(float *, int), run 2, launch 0"), 99e-6);
        const auto lakhs = take("cases/ncu_en_in.csv");
        QCOMPARE(value(lakhs, "Elapsed Cycles", "scale(float *, int), launch 0"), 1234567.0);
        QVERIFY(lakhs->notes.empty());
        const auto german = take("cases/ncu_de_whole.csv");
        QVERIFY(!german.ok() && german.error().place == "cases/ncu_de_whole.csv:2");
        QVERIFY(german.error().message.find("45.678") != std::string::npos);
        QVERIFY(german.error().fix.find("LC_ALL=C") != std::string::npos);

        const auto free = take("cases/vivado_slack_inf.rpt");
        QCOMPARE(value(free, "data path delay", "go to done"), 0.25e-9);
        QVERIFY(noted(free, "No constraint covers go to done"));
        const auto unconstrained = take("cases/vivado_unconstrained.rpt");
        QCOMPARE(unconstrained->title, std::string("Timing report from Vivado: nothing was constrained"));
        QVERIFY(noted(unconstrained, "Nothing was constrained"));

        const auto placed = take("cases/nextpnr_placed_only.log");
        QVERIFY(placed->title.find("estimate after placement, routing failed") != std::string::npos);
        const char* clock = "clk$SB_IO_IN_$glb_clk";
        QCOMPARE(value(placed, "max frequency, estimate after placement", clock), 48.2e6);
        QCOMPARE(value(placed, "constraint, the tool's default", clock), 12e6);
        QVERIFY(noted(placed, "12 MHz is what nextpnr takes"));
    }

    /// NCCL_DEBUG=INFO up to 2.23: numbers and the time that the tuner expects; two ranks in one file, behind srun's
    /// marks.
    void logsOfNcclUpTo223()
    {
        const std::string log =
            "0: step 1\n"
            "0: n0:10:10 [0] NCCL INFO NCCL_ALGO set by environment to Ring.\n"
            "0: NCCL version 2.21.5+cuda12.4\n"
            "0: n0:10:11 [0] NCCL INFO ncclCommInitRank comm 0xa1 rank 0 nranks 4 cudaDev 0 nvmlDev 0 "
            "busId 1b000 commId 0x77 - Init START\n"
            "1: n0:12:13 [1] NCCL INFO ncclCommInitRank comm 0xa1 rank 1 nranks 4 cudaDev 1 nvmlDev 1 "
            "busId 43000 commId 0x77 - Init START\n"
            "2: n1:10:14 [0] NCCL INFO ncclCommInitRank comm 0xc3 rank 2 nranks 4 cudaDev 0 nvmlDev 0 "
            "busId 1b000 commId 0x77 - Init START\n"
            "0: n0:10:11 [0] NCCL INFO comm 0xa1 rank 0 nRanks 4 nNodes 2 localRanks 2 localRank 0 MNNVL 0\n"
            "0: n0:10:11 [0] NCCL INFO Channel 00/02 :    0   1   2   3\n"
            "0: n0:10:11 [0] NCCL INFO Channel 01/02 :    0   3   2   1\n"
            "0: n0:10:11 [0] NCCL INFO Trees [0] 1/-1/-1->0->-1 [1] 1/-1/-1->0->-1\n"
            "0: n0:10:11 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM/read\n"
            "1: n0:12:13 [1] NCCL INFO Channel 00/0 : 1[1] -> 0[0] via SHM/direct/direct\n"
            "1: n0:12:13 [1] NCCL INFO Channel 00/0 : 1[1] -> 2[0] [send] via NET/IB/0/GDRDMA\n"
            "0: n0:10:11 [0] NCCL INFO comm 0xa1 rank 0 nranks 4 cudaDev 0 nvmlDev 0 busId 1b000 commId "
            "0x77 - Init COMPLETE\n"
            "1: n0:12:13 [1] NCCL INFO comm 0xa1 rank 1 nranks 4 cudaDev 1 nvmlDev 1 busId 43000 commId "
            "0x77 - Init COMPLETE\n"
            "0: n0:10:10 [0] NCCL INFO AllReduce: opCount f sendbuff 0x1 recvbuff 0x2 count 9 datatype 7 op "
            "0 root 0 comm 0xa1 [nranks=4] stream 0x3\n"
            "1: n0:12:12 [1] NCCL INFO AllReduce: opCount 10 sendbuff 0x1 recvbuff 0x2 count 9 datatype 7 "
            "op 0 root 0 comm 0xa1 [nranks=4] stream 0x3\n"
            "0: n0:10:10 [0] NCCL INFO AllReduce: 37748736 Bytes -> Algo 1 proto 2 time 2860.208008\n"
            "0: n0:10:10 [0] NCCL INFO AllReduce: 37748736 Bytes -> Algo 1 proto 2 time 2860.208008\n"
            "0: n0:10:10 [0] NCCL INFO 1024 Bytes -> Algo 0 proto 0 time 9.5\n"
            "1: n0:12:12 [1] NCCL WARN NET/IB : Got completion with error 12\n"
            "0: n0:10:10 [0] NCCL INFO AllReduce: 8 Bytes -> Al";
        const auto read = importFile(log, "job.log");
        QVERIFY2(read.ok(), read.ok() ? "" : toText(read.error()).c_str());
        QCOMPARE(read->format, std::string("nccl-log"));
        QCOMPARE(read->kind, std::string("log import"));
        QCOMPARE(read->title, std::string("Log of NCCL 2.21.5+cuda12.4, 4 ranks, 2 choices of its tuner"));
        const auto value = [&](const char* name, const char* of) {
            const Figure* found = figure(*read, name, of);
            return found ? found->value : -1;
        };
        QCOMPARE(value("calls", "AllReduce, 36 MiB, Ring, Simple"), 2.0);
        QCOMPARE(value("time that the tuner expects", "AllReduce, 36 MiB, Ring, Simple"), 2860.208008e-6);
        QCOMPARE(value("calls", "1024 B, Tree, LL"), 1.0);
        QCOMPARE(value("channels", "rings"), 2.0);
        QCOMPARE(value("connections", "P2P/CUMEM"), 1.0);
        QCOMPARE(value("connections", "SHM/direct"), 1.0);
        QCOMPARE(value("connections", "NET/IB"), 1.0);
        QCOMPARE(value("communicators", ""), 1.0);
        QCOMPARE(value("ranks that are ready", ""), 2.0);
        const std::vector<std::string> wanted = {
            "The first ring is 0 1 2 3.",
            "1 connection between GPUs of one machine go through the host's memory (SHM, from line 12): there is no "
            "P2P "
            "between those GPUs, or it is off.",
            "Set by the environment: NCCL_ALGO=Ring.",
            "Rank 2 of a communicator of 4 ranks (line 4) began and never said Init COMPLETE.",
            "No line is of rank 3 of a communicator of 4 ranks (line 4): the log may be of some processes alone.",
            "Ranks 0, 2 did not call the last AllReduce (opCount 16) that other ranks called.",
            "NCCL warned 1 time: line 21: NET/IB : Got completion with error 12."};
        QCOMPARE(read->notes, wanted);
        const std::vector<std::pair<std::string, std::string>> machine = {
            {"nccl", "2.21.5+cuda12.4"}, {"ranks", "4"}, {"nodes", "2"}};
        QCOMPARE(read->machine, machine);
    }

    /// From 2.24 on names, and the channels that a collective takes. A table of nccl-tests between the lines goes
    /// first.
    void logsOfNcclSince224()
    {
        const std::string lines =
            "h:1:1 [0] NCCL INFO comm 0xb rank 0 nranks 1 cudaDev 0 busId 170 - Init COMPLETE\n"
            "h:1:1 [0] NCCL INFO Broadcast: 1048576 Bytes -> Algo RING proto SIMPLE channel{Lo..Hi}={0..3}\n"
            "h:1:1 [0] NCCL INFO AllReduce: 268435456 Bytes -> Algo NVLS proto Simple channel{Lo..Hi}={0..15}\n"
            "h:1:1 [0] NCCL INFO AllReduce: 8 Bytes -> Algo NEWER proto LL channel{Lo..Hi}={3..0}\n";
        const auto read = importFile(lines, "job.log");
        QVERIFY2(read.ok(), read.ok() ? "" : toText(read.error()).c_str());
        const Figure* few = figure(*read, "channels", "Broadcast, 1 MiB, Ring, Simple");
        QVERIFY(few && few->value == 4 && few->line == 2 && few->unit == "1");
        const Figure* many = figure(*read, "channels", "AllReduce, 256 MiB, NVLS, Simple");
        QVERIFY(many && many->value == 16);
        QVERIFY(figure(*read, "calls", "AllReduce, 8 B, NEWER, LL"));
        QVERIFY(!figure(*read, "channels", "AllReduce, 8 B, NEWER, LL"));
        QVERIFY(read->notes.empty());
        const auto both = importFile(lines + contents("all_reduce.log"), "f");
        QVERIFY2(both.ok(), both.ok() ? "" : toText(both.error()).c_str());
        QCOMPARE(both->format, std::string("nccl-tests"));
        const auto nothing = importFile("h:1:1 [0] NCCL INFO Bootstrap : Using eth0\n", "f");
        QVERIFY(!nothing.ok());
        QCOMPARE(nothing.error().code, std::string("bad-import"));
        QVERIFY(nothing.error().fix.find("NCCL_DEBUG_SUBSYS") != std::string::npos);
        for (std::size_t cut = 0; cut < lines.size(); ++cut) {
            const auto part = importFile(lines.substr(0, cut), "f");
            QVERIFY(part.ok() || !part.error().fix.empty());
        }
        const auto hostile = importFile("a NCCL INFO comm 0x1 rank 0 nranks 9999999999 - Init START\n"
                                        " NCCL INFO comm 0x1 rank -1 nranks 2 - Init COMPLETE\n"
                                        " NCCL INFO Channel /0 : \n NCCL INFO Channel  via \n",
                                        "f");
        QVERIFY(!hostile.ok());
        // Ranks that are claimed cost nothing: at 200 times ten million of them this takes no longer.
        std::string claims;
        for (int i = 0; i < 200; ++i)
            claims += "h:1:1 [0] NCCL INFO comm 0x" + std::to_string(i) + " rank 0 nranks 9999999 commId 0x" +
                      std::to_string(1000 + i) + " - Init COMPLETE\nh:1:1 [0] NCCL INFO comm 0x" + std::to_string(i) +
                      " rank 1 nranks 2 commId 0x" + std::to_string(1000 + i) + " - Init COMPLETE\n";
        const auto claimed = importFile(claims, "f");
        QVERIFY2(claimed.ok(), claimed.ok() ? "" : toText(claimed.error()).c_str());
        QCOMPARE(claimed->notes.size(), std::size_t{200});
        QVERIFY2(
            claimed->notes.front().starts_with("No line is of ranks 2, 3, 4, 5, 6, 7, 8, 9 and 9999989 more of a "),
            claimed->notes.front().c_str());
    }

    void readsFurtherForms()
    {
        // nccl-tests -I 1 -C 1: percentiles of the iterations are times and shares, not bandwidths.
        const std::string head =
            "#       size         count      type   redop    root cputime   algbw   busbw  #wrong   i_min   "
            "i_max   i_p99   i_cv% cputime   algbw   busbw  #wrong   i_min   i_max   i_p99   i_cv% \n";
        const auto each =
            importFile(head + "     1048576        262144     float     sum      -1    50.00   20.97   "
                              "31.46       0   48.00   60.00   59.00    4.50    51.00   20.56   30.84       "
                              "0   49.00   61.00   60.00    4.60\n",
                       "f");
        QVERIFY2(each.ok(), each.ok() ? "" : toText(each.error()).c_str());
        const auto expect = [](const Result<Imported>& imported, const char* name, const char* of, double value,
                               const char* unit) {
            const Figure* found = imported.ok() ? figure(*imported, name, of) : nullptr;
            QVERIFY2(found, imported.ok() ? name : toText(imported.error()).c_str());
            QVERIFY2(std::abs(found->value / value - 1) < 1e-9, qPrintable(QString::number(found->value)));
            QCOMPARE(found->unit, std::string(unit));
        };
        // rccl-tests -Z csv: with MPI its heads lack the column "nodes" that each row has (src/common.cpp, writeFile).
        const auto mpi =
            importFile("numCycle,collective,ranks,rankspernode,gpusperrank,size,type,redop,inplace,time,"
                       "algbw,busbw,#wrong\n"
                       "0,\"AllReduce\",2,16,8,1,1048576,\"float\",\"sum\",0,50.000000,20.971520,39.321600,"
                       "\"0\"\n"
                       "0,\"AllReduce\",2,16,8,1,1048576,\"float\",\"sum\",1,40.000000,26.214400,49.152000,"
                       "\"N/A\"\n",
                       "f");
        QVERIFY2(mpi.ok(), mpi.ok() ? "" : toText(mpi.error()).c_str());
        expect(mpi, "time, out of place", "1 MiB", 50e-6, "s");
        expect(mpi, "busbw, in place", "1 MiB", 49.152e9, "B/s");
        QCOMPARE(mpi->title, std::string("2 rows of rccl-tests, AllReduce on 16 ranks"));
        const std::string alone = "numCycle,collective,gpus,size,type,redop,inplace,time,algbw,busbw,#wrong\n";
        const auto oneBox =
            importFile(alone + "0,\"AllReduce\",8,1048576,\"half\",\"sum\",0,50,20.97152,36.70016,\"3\"\n", "f");
        expect(oneBox, "algbw, out of place", "1 MiB", 20.97152e9, "B/s");
        QCOMPARE(oneBox->title, std::string("1 row of rccl-tests, AllReduce on 8 ranks"));
        QVERIFY(oneBox->notes.size() == 1 && oneBox->notes.front().find("wrong results") != std::string::npos);
        const auto table =
            importFile("[\n{\"numCycle\":0, \"name\":\"AllGather\", \"gpus\":8, \"size\":1048576, \"type\":\"half\", "
                       "\"redop\":\"none\", \"inPlace\":1, \"time\":12.5, \"algBw\":0.32768, \"busBw\":0.28672, "
                       "\"wrong\":\"0\"}\n]\n",
                       "f");
        expect(table, "time, in place", "1 MiB", 12.5e-6, "s");
        const auto broken = importFile(alone + "0,\"AllReduce\",8\n", "f");
        QVERIFY(!broken.ok() && broken.error().place.find("2") != std::string::npos);
        expect(each, "cputime, out of place", "1 MiB", 50e-6, "s");
        expect(each, "i_p99, in place", "1 MiB", 60e-6, "s");
        expect(each, "i_cv%, out of place", "1 MiB", 4.5, "%");
        expect(each, "busbw, in place", "1 MiB", 30.84e9, "B/s");
        const auto json = importFile(
            R"({"version": 1, "args": ["x"], "env": ["HOME=/home/secret"], "nccl_version": 22803, "config": {"ngpus": 2},
                "devices": [{"rank": 0, "hostname": "secret", "device_info": "Example GPU"},
                            {"rank": 1, "hostname": "secret", "device_info": "Example GPU"}],
                "results": [{"size": 1048576, "count": 262144, "type": "float", "redop": "sum", "root": "-1",
                             "out_of_place": {"time": 50.0, "alg_bw": 20.97, "bus_bw": 20.97, "nwrong": 0},
                             "out_of_place_per_iter": {"min_us": 48, "p99_us": 59, "cv_pct": 4.5},
                             "in_place": null, "experiment_name": "all_reduce_perf"}],
                "average_bus_bandwidth": {"bandwidth": 20.97, "okay": true}})",
            "f");
        expect(json, "time, out of place", "1 MiB", 50e-6, "s");
        expect(json, "i_p99, out of place", "1 MiB", 59e-6, "s");
        expect(json, "average busbw", "", 20.97e9, "B/s");
        QCOMPARE(json->title, std::string("1 message size of all_reduce_perf on 2 ranks"));
        for (const auto& [key, told] : json->machine)
            QVERIFY(told.find("secret") == std::string::npos);

        // A design without a path between two registers has delays alone.
        const auto async =
            importFile("Info: Routing complete.\nWarning: No Fmax available; no interior timing paths found "
                       "in design.\nInfo: Max delay <async>          -> <async>: 7.01 ns\n"
                       "Info: Max delay posedge clk       -> <async>: 5.36 ns\n",
                       "f");
        expect(async, "max delay", "<async> to <async>", 7.01e-9, "s");
        expect(async, "max delay", "posedge clk to <async>", 5.36e-9, "s");
        QVERIFY(async->notes.front().starts_with("No path lies between two registers"));
        // One who asked for 12 MHz is not told that nobody did; a clock that misses its time was routed all the same.
        const auto wanted = importFile("Info: constraining clock net 'clk' to 12.00 MHz\nInfo: Routing complete.\n"
                                       "ERROR: Max frequency for clock 'clk$SB_IO_IN': 9.00 MHz (FAIL at 12.00 MHz)\n",
                                       "f");
        expect(wanted, "max frequency", "clk$SB_IO_IN", 9e6, "Hz");
        expect(wanted, "constraint", "clk$SB_IO_IN", 12e6, "Hz");
        QVERIFY(wanted->notes.empty());
        expect(importFile("Total path delay: 12.34 ns (81.04 MHz)\n", "f"), "max frequency", "design", 81.04e6, "Hz");
        expect(
            importFile("| Time (%) | Total Time (ns) | Instances | Name |\n|----|----|----|----|\n| 70.0 | 7,000 | 2 | "
                       "scale |\n",
                       "f"),
            "total time", "scale", 7e-6, "s");
    }

    void readsReportsInJson()
    {
        const auto bench = importFile(
            R"({"devices": [{"id": 0, "name": "Example GPU"}], "benchmarks": [{"name": "copy", "states": [
                {"device": 0, "is_skipped": false, "axis_values": [{"name": "Elements", "type": "int64", "value": "1024"}],
                 "summaries": [{"tag": "nv/cold/time/gpu/mean", "hint": "duration",
                                "data": [{"name": "value", "type": "float64", "value": "1.5e-05"}]},
                               {"tag": "nv/cold/bw/global/utilization", "hint": "percentage",
                                "data": [{"name": "value", "type": "float64", "value": 0.5}]}]},
                {"device": 0, "is_skipped": true, "summaries": []}]}]})",
            "f");
        QVERIFY2(bench.ok(), bench.ok() ? "" : toText(bench.error()).c_str());
        const Figure* mean = figure(*bench, "nv/cold/time/gpu/mean", "copy, Elements 1024");
        QVERIFY(mean && mean->value == 1.5e-5 && mean->unit == "s");
        QCOMPARE(figure(*bench, "nv/cold/bw/global/utilization")->value, 50.0);
        QCOMPARE(bench->title, std::string("1 state of copy with nvbench"));
        QCOMPARE(bench->notes.size(), std::size_t(1));

        const auto trace = importFile(
            R"({"deviceProperties": [{"id": 0, "name": "Example GPU"}], "traceEvents": [
                {"ph": "X", "cat": "kernel", "name": "gemm", "ts": 1, "dur": 10},
                {"ph": "X", "cat": "kernel", "name": "gemm", "ts": 20, "dur": 30},
                {"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy HtoD", "ts": 60, "dur": 5},
                {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "ts": 0, "dur": 100}]})",
            "f");
        QVERIFY2(trace.ok(), trace.ok() ? "" : toText(trace.error()).c_str());
        QCOMPARE(figure(*trace, "total time", "gemm")->value, 40e-6);
        QCOMPARE(figure(*trace, "instances", "gemm")->value, 2.0);
        QCOMPARE(figure(*trace, "maximum", "Memcpy HtoD")->value, 5e-6);
        QVERIFY(!figure(*trace, "total time", "aten::mm"));

        const auto cells =
            importFile(R"({"creator": "Yosys 0.33", "modules": {"\\top": {"num_wires": 9, "num_cells": 12,
                                          "num_cells_by_type": {"SB_LUT4": 8, "SB_DFF": 4}}}})",
                       "f");
        QVERIFY2(cells.ok(), cells.ok() ? "" : toText(cells.error()).c_str());
        QCOMPARE(figure(*cells, "cells, SB_LUT4", "top")->value, 8.0);
        for (const char* broken : {R"({"benchmarks": [], "states": 1, "summaries": 2})",
                                   R"({"traceEvents": 3, "cat": 1})", R"({"modules": [], "num_cells": {}})"})
            QVERIFY2(!importFile(broken, "f").ok(), broken);
    }

    /// What only another program reads is refused by its name, with the command that converts it.
    void saysHowToConvert()
    {
        const auto fix = [](const char* bytes, const char* name) {
            const auto refused = importFile(bytes, name);
            return refused.ok() ? std::string() : refused.error().fix;
        };
        QVERIFY(fix("NVR", "a/x.ncu-rep").find("ncu --import x.ncu-rep --csv") != std::string::npos);
        QVERIFY(fix("x", "x.nsys-rep").find("nsys stats --format csv x.nsys-rep") != std::string::npos);
        QVERIFY(fix("SQLite format 3", "x.sqlite").find("nsys stats --format csv x.sqlite") != std::string::npos);
        QVERIFY(fix("\x1f\x8b", "trace.json.gz").find("gunzip trace.json.gz") != std::string::npos);
        QVERIFY(fix("Start (ns),Duration (ns),Name\n1,2,k\n", "f").find("cuda_gpu_kern_sum") != std::string::npos);
    }

    /// As the tools' other versions, options and surroundings write them.
    void readsVariants_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("of");
        QTest::addColumn<double>("value");
        QTest::addColumn<QString>("unit");
        const auto row = [](const char* what, const std::string& bytes, const char* name, const char* of, double value,
                            const char* unit) {
            QTest::newRow(what) << QByteArray::fromStdString(bytes) << name << of << value << unit;
        };
        const std::string ncu = contents("ncu.csv"), nccl = contents("all_reduce.log");
        const char* launch = "sum_shared(const float *, float *, int), launch 0";
        std::string utf16 = "\xff\xfe";
        for (const char c : ncu)
            utf16 += {c, '\0'};
        row("UTF-16, as PowerShell's > writes", utf16, "Duration", launch, 211.94e-6, "s");
        std::string big = std::string("\xfe\xff\x30\x53\xd8\x3d\xde\x00\0\n", 10);
        for (const char c : ncu)
            big += {'\0', c};
        row("UTF-16 with letters of four bytes in front", big, "Duration", launch, 211.94e-6, "s");
        row("ncu --print-summary",
            "\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Device\",\"CC\",\"Invocations\",\"Section "
            "Name\",\"Metric Name\",\"Metric Unit\",\"Minimum\",\"Maximum\",\"Average\"\n\"1\",\"a\",\"h\",\"k\",\"0\","
            "\"8.9\",\"12\",\"S\",\"Duration\",\"us\",\"210.10\",\"1,215.30\",\"211.94\"\n",
            "Duration, maximum", "k, 12 launches", 1215.3e-6, "s");
        const std::string older =
            "Time(%),Total Time (ns),Instances,Average,Minimum,Maximum,StdDev,Name\n75.0,300000,3,100000.0,9,8,1,k\n";
        row("nsys before 2021.5", older, "time", "k", 75, "%");
        row("nsys before 2021.5, the total's unit", older, "average", "k", 1e-4, "s");
        const auto tagged = [](const std::string& text, const char* tag) {
            std::string all = tag;
            for (const char c : text.substr(0, text.size() - 1)) {
                all += c;
                if (c == '\n')
                    all += tag;
            }
            return all + '\n';
        };
        row("nccl-tests under srun --label", tagged(nccl, " 0: "), "busbw, out of place", "32 MiB", 251.66e9, "B/s");
        row("nccl-tests under mpirun --tag-output", tagged(nccl, "[1,0]<stdout>:"), "time, in place", "8 MiB", 81.2e-6,
            "s");
        const std::string half =
            "    33554432      16777216      half     sum      -1   150.00  223.70  335.54      0   151.00  222.21  "
            "333.32      0\n";
        std::string kinds = nccl;
        kinds.insert(kinds.find("# Out of bounds"), half);
        row("nccl-tests, two types", kinds, "busbw, out of place", "32 MiB, half sum", 335.54e9, "B/s");
        row("nccl-tests, two types, the other", kinds, "busbw, out of place", "32 MiB, float sum", 251.66e9, "B/s");
        std::string gather = nccl;
        gather.replace(gather.rfind("all_reduce_perf"), 15, "all_gather_perf");
        gather.replace(gather.find("251.66"), 6, "125.83");
        row("nccl-tests, two runs in a log", nccl + gather, "busbw, out of place", "all_gather_perf, 32 MiB", 125.83e9,
            "B/s");
        row("nccl-tests, one test twice", nccl + nccl, "average busbw", "all_reduce_perf, run 2", 203.58e9, "B/s");
        std::string json = "ggml_cuda_init: found 1 CUDA devices:\n[\n";
        json += "{\"n_prompt\": 512, \"n_gen\": 0, \"avg_ts\": 2000}\n]\nbuild: 1a2b3c4\n";
        row("llama-bench -o json with the library's remarks", json, "rate", "pp512", 2000, "tokens/s");
        row("Vivado's report_timing",
            "Slack (VIOLATED) :        -0.321ns  (required time - arrival time)\n  Source:                 a_reg/C\n"
            "                            (rising edge)\n  Destination:            b_reg/D\n  Path Type:              "
            "Setup (Max at Slow Process Corner)\n",
            "slack, Setup", "a_reg/C to b_reg/D", -0.321e-9, "s");
        row("Vivado's report_utilization -hierarchical",
            "| Tool Version : Vivado v.2026.1\nUtilization Design Information\n+-------+--------+------------+-----+\n"
            "| Instance | Module | Total LUTs | FFs |\n+-------+--------+------------+-----+\n"
            "| top | (top) | 16115 | 3,080 |\n|   pe_array | pe_array | 2942 | 1123 |\n"
            "+-------+--------+------------+-----+\n",
            "used, FFs", "top", 3080, "1");
        row("Quartus' .fit.rpt",
            "+---+\n; Fitter Summary ;\n+---+---+\n; Fitter Status ; Successful - x ;\n; Device ; 5CEBA4F23C8 ;\n"
            "; Total RAM Blocks ; 4 / 308 ( 1 % ) ;\n+---+---+\n",
            "available", "RAM Blocks", 308, "1");
        row("Quartus' .sta.rpt",
            "; Timing Analyzer Summary ;\n+---+\n; Slow 1100mV 85C Model Setup Summary ;\n+---+\n; Clock ; Slack ; End "
            "Point TNS ;\n+---+\n; clk_74a ; 0.125 ; 0.000 ;\n+---+\n",
            "slack", "clk_74a, Slow 1100mV 85C Model Setup", 0.125e-9, "s");
        row("nextpnr's critical path",
            R"({"critical_paths": [4, {"from": "posedge clk", "to": "posedge clk", "path": [
                {"type": "clk-to-q", "delay": 0.5, "to": {"cell": "a"}}, {"type": "routing", "delay": 2.5, "to": 3},
                {"type": "logic", "delay": 1.0, "to": {"cell": "b"}}, {"delay": "x"}]}], "fmax": {"clk": {"achieved": 250.0}}})",
            "critical path", "posedge clk to posedge clk, ends at b", 4e-9, "s");
        row("OpenSTA's report_wns", "wns -0.04\ntns -1.20\n", "wns", "design", -0.04e-9, "s");
        row("OpenSTA's report_worst_slack", "worst slack max 0.21\n", "worst slack max", "design", 0.21e-9, "s");
    }
    void readsVariants()
    {
        QFETCH(QByteArray, bytes);
        QFETCH(QString, name);
        QFETCH(QString, of);
        QFETCH(double, value);
        QFETCH(QString, unit);
        const auto imported = importFile(bytes.toStdString(), "f");
        QVERIFY2(imported.ok(), imported.ok() ? "" : toText(imported.error()).c_str());
        const Figure* found = figure(*imported, name.toStdString(), of.toStdString());
        QVERIFY(found);
        QVERIFY2(std::abs(found->value - value) <= 1e-9 * std::abs(value), qPrintable(QString::number(found->value)));
        QCOMPARE(QString::fromStdString(found->unit), unit);
        QVERIFY2(imported->notes.size() <= 1, imported->notes.empty() ? "" : imported->notes.back().c_str());
    }

    /// A comma that parts the fraction would make a number a hundred times too large.
    void aDecimalCommaIsNoThousandsComma()
    {
        std::string german = contents("ncu.csv");
        const auto change = [&](const char* from, const char* to) {
            german.replace(german.find(from), std::string_view(from).size(), to);
        };
        change("1,205.00", "1.205,00");
        change("87.25", "87,25");
        const auto refused = importFile(german, "f");
        QVERIFY(!refused.ok());
        QCOMPARE(refused.error().code, std::string("bad-import"));
        QCOMPARE(refused.error().place, std::string("f:6"));
        QVERIFY2(refused.error().fix.find("LC_ALL=C") != std::string::npos, refused.error().fix.c_str());
        for (const char* cell : {"1,20", "12,3456", "1234,567", "1,2,3", ",5", "5,"}) {
            std::string odd = contents("ncu.csv");
            odd.replace(odd.find("211.94"), 6, cell);
            const auto read = importFile(odd, "f");
            if (read.ok()) { // left out and counted with the n/a
                QVERIFY2(figure(*read, "Duration")->value != 211.94e-6, cell);
                QVERIFY2(read->notes.front().starts_with("2 metrics"), read->notes.front().c_str());
            }
        }
    }

    void onlyDevicesThatHoldMemoryAreCounted()
    {
        // pickle.dumps({"segments": [{"device": 0, "total_size": 64, "blocks": []}], "device_traces": [[], []]}, 2)
        const std::string bytes("\x80\x02}q\x00(X\x08\x00\x00\x00segmentsq\x01]q\x02}q\x03(X\x06\x00\x00\x00"
                                "deviceq\x04K\x00X\n\x00\x00\x00total_sizeq\x05K@X\x06\x00\x00\x00"
                                "blocksq\x06]q\x07uaX\r\x00\x00\x00"
                                "device_tracesq\x08]q\t(]q\n]q\x0b"
                                "eu.",
                                113);
        const auto imported = importFile(bytes, "p");
        QVERIFY2(imported.ok(), imported.ok() ? "" : toText(imported.error()).c_str());
        QCOMPARE(imported->title, std::string("Memory of 1 device as PyTorch saw it"));
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
        QByteArray odd = nccl;
        QTest::newRow("a word for a time") << odd.replace("81.20", "8l.20") << "bad-import"
                                           << "f:13";
        odd = nccl;
        QTest::newRow("a bandwidth below zero") << odd.replace("167.77", "-67.77") << "bad-import"
                                                << "f:14";
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
        const QByteArray vivado = QByteArray::fromStdString(contents("vivado.rpt"));
        QTest::newRow("Vivado, summary without figures") << vivado.left(vivado.indexOf("     -0.500")) << "bad-import"
                                                         << "f:11";
        QTest::newRow("Vivado, summary cut in its figures") << vivado.left(vivado.indexOf("4.500")) << "bad-import"
                                                            << "f:12";
        const QByteArray use = QByteArray::fromStdString(contents("vivado_use.rpt"));
        QTest::newRow("Vivado, table of use cut between rows")
            << use.left(use.indexOf("| Slice Registers")) << "bad-import"
            << "f:23";
        QTest::newRow("Vivado, table of use cut in a row") << use.left(use.indexOf("19000")) << "bad-import"
                                                           << "f:22";
        QTest::newRow("Vivado, head of a table alone") << use.left(use.indexOf("| Slice LUTs*")) << "bad-import"
                                                       << "f:19";
        const QByteArray sta = QByteArray::fromStdString(contents("quartus_sta.summary"));
        QTest::newRow("Quartus, slack missing") << sta.left(sta.indexOf("Slack : 0.311")) << "bad-import"
                                                << "f:9";
        QTest::newRow("Quartus, total missing") << sta.left(sta.indexOf("TNS   : 0.000")) << "bad-import"
                                                << "f:10";
        QTest::newRow("Quartus, a fit without figures")
            << QByteArray("Fitter Status : Successful - x\nTiming Models : Final\n") << "bad-import"
            << "f";
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
        for (const char* name : {"ncu.csv", "ncu_raw.csv", "nsys.csv", "all_reduce.log", "llama.csv", "llama.md",
                                 "vivado.rpt", "nextpnr.log", "nextpnr.json", "opensta.rpt", "quartus.rpt",
                                 "vivado_use.rpt", "quartus_fit.summary", "quartus_sta.summary", "memory.pickle"}) {
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
        // What CPython's pickle.dumps gives for [-5, 2**40, -2**40, 1.5, True, None, 2**64 - 1, -2**63] in protocol 2.
        // PyTorch writes 2**64 - 1 as the line of a frame that has none.
        const std::string bytes(
            "\x80\x02]q\x00(J\xfb\xff\xff\xff\x8a\x06\x00\x00\x00\x00\x00\x01\x8a\x06\x00\x00\x00\x00"
            "\x00\xffG?\xf8\x00\x00\x00\x00\x00\x00\x88N"
            "\x8a\x09\xff\xff\xff\xff\xff\xff\xff\xff\x00\x8a\x08\x00\x00\x00\x00\x00\x00\x00\x80"
            "e.",
            61);
        const auto pickle = Pickle::parse(bytes, "p");
        QVERIFY2(pickle.ok(), pickle.ok() ? "" : toText(pickle.error()).c_str());
        const auto& items = pickle->items(pickle->root());
        QCOMPARE(items.size(), std::size_t(8));
        QCOMPARE(pickle->number(items[6]), 18446744073709551616.0); // as a double has it
        QCOMPARE(pickle->number(items[7]), -9223372036854775808.0);
        for (const char* beyond :
             {"\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x00\x01", "\x8a\x09\xff\xff\xff\xff\xff\xff\xff\x7f\xff"})
            QVERIFY(!Pickle::parse(std::string("\x80\x02", 2) + std::string(beyond, 11) + ".", "p").ok());
        QCOMPARE(pickle->number(items[0]), -5.0);
        QCOMPARE(pickle->number(items[1]), 1099511627776.0);
        QCOMPARE(pickle->number(items[2]), -1099511627776.0);
        QCOMPARE(pickle->number(items[3]), 1.5);
    }
};

QTEST_APPLESS_MAIN(TestImports)
#include "tst_imports.moc"
