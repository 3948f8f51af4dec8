// SPDX-License-Identifier: GPL-3.0-or-later
// The array in SystemVerilog. Where Icarus Verilog or Yosys is not installed, the message that says so is looked at in
// place of what they would do: no test is skipped.
#include "accelerator/systolic_values.h"
#include "base/grid_trace.h"
#include "base/lane_trace.h"
#include "labs/catalogue.h"
#include "labs/worker/execute.h"
#include "rtl/cells.h"
#include "rtl/fpga.h"
#include "rtl/long_run.h"
#include "rtl/proof.h"
#include "rtl/verdict.h"

#include <QtTest>

using namespace ridge;
using namespace ridge::rtl;

namespace {

/// Puts an environment variable back.
class Set {
public:
    Set(const char* name, const QByteArray& value)
        : m_name(name), m_was(qgetenv(name)), m_had(qEnvironmentVariableIsSet(name))
    {
        qputenv(name, value);
    }
    ~Set()
    {
        if (m_had)
            qputenv(m_name, m_was);
        else
            qunsetenv(m_name);
    }
    Set(const Set&) = delete;
    Set& operator=(const Set&) = delete;

private:
    const char* m_name;
    QByteArray m_was;
    bool m_had;
};

QString text(const std::string& words)
{
    return QString::fromStdString(words);
}

/// Two tiles of random operands on 4 x 4, the second with gaps and holds.
Job smallJob(std::uint32_t rows = 4, std::uint32_t cols = 4)
{
    Job job;
    job.design = *shippedDesign();
    job.array = {rows, cols};
    job.stream = 5;
    job.waveCycles = 200;
    for (std::uint64_t seed = 1; seed <= 2; ++seed) {
        auto operands = accelerator::randomOperands({job.stream, cols, rows}, seed);
        job.tiles.push_back({std::move(operands.b), std::move(operands.a), seed == 2, seed == 2});
    }
    return job;
}

/// True, and the message looked at, where the tool is not there.
bool isMissing(const char* tool, const Error& error)
{
    if (findTool(tool).ok())
        return false;
    QTest::qVerify(error.code == std::string("no-") + tool, "code", qPrintable(text(error.code)), __FILE__, __LINE__);
    QTest::qVerify(error.fix.find(std::string("sudo apt install ") + tool) != std::string::npos, "fix",
                   qPrintable(text(error.fix)), __FILE__, __LINE__);
    return true;
}

/// A module array with the shipped ports and this inside.
std::string moduleWith(const char* inside)
{
    return std::string(R"(module array #(parameter ROWS = 4, COLS = 4) (
    input logic clk, reset, w_valid, output logic w_ready, input logic [8*COLS-1:0] w_data,
    input logic a_valid, output logic a_ready, input logic a_last, input logic [8*ROWS-1:0] a_data,
    output logic out_valid, input logic out_ready, output logic out_last, output logic [32*COLS-1:0] out_data);
)") + inside +
           "\nendmodule\n";
}

struct Outcome {
    std::optional<SampleEvent> sample;
    std::optional<Error> error;
    std::string trace, waves;
};

Outcome runPoint(const char* experiment, const ParamSet& set)
{
    RunRequest request;
    request.experiment = experiment;
    request.target = "model";
    request.points = {set};
    Outcome outcome;
    labs::execute(labs::makeCatalogue(), request,
                  [&](const Event& event) {
                      if (const auto* sample = std::get_if<SampleEvent>(&event))
                          outcome.sample = *sample;
                      if (const auto* failed = std::get_if<FailedEvent>(&event))
                          outcome.error = failed->error;
                      if (const auto* trace = std::get_if<TraceEvent>(&event))
                          (trace->kind == LaneTrace::kKind ? outcome.waves : outcome.trace) = trace->bytes;
                  },
                  {}, {});
    return outcome;
}

} // namespace

class TestRtl : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void withoutTheToolsAMessageSaysWhatToInstall();
    void agreesWithTheEngine_data();
    void agreesWithTheEngine();
    void everyPlantedBugIsFound_data();
    void everyPlantedBugIsFound();
    void whatATestLeavesOutHidesABug();
    void badDesignsAreContained_data();
    void badDesignsAreContained();
    void limitsOfJobs();
    void readsWaveforms();
    void thePictureHasTheRegisters();
    void keepsItsFilesWhereAsked();
    void flipFlopsAreAsInClosedForm();
    void thePeIsProvedOrRefuted();
    void readsPlaceReports();
    void onlyPlainModulesBecomePrograms();
};

void TestRtl::withoutTheToolsAMessageSaysWhatToInstall()
{
    QTemporaryDir empty;
    const Set path("PATH", empty.path().toUtf8());
    const auto run = runBench(smallJob());
    QVERIFY(!run.ok());
    QCOMPARE(text(run.error().code), QStringLiteral("no-iverilog"));
    QVERIFY(text(run.error().fix).contains(QStringLiteral("sudo apt install iverilog")));
    QVERIFY(text(run.error().fix).contains(QStringLiteral("experiment systolic")));
    const auto cells = countCells(*shippedDesign(), {4, 4}, {});
    QVERIFY(!cells.ok());
    QCOMPARE(text(cells.error().code), QStringLiteral("no-yosys"));
    for (const char* experiment : {"rtl_array", "rtl"})
        QCOMPARE(text(runPoint(experiment, {}).error.value_or(Error{}).code), QStringLiteral("no-iverilog"));
    QCOMPARE(text(runPoint("rtl_cells", {}).error.value_or(Error{}).code), QStringLiteral("no-yosys"));
}

void TestRtl::agreesWithTheEngine_data()
{
    QTest::addColumn<int>("rows");
    QTest::addColumn<int>("cols");
    for (const auto& [rows, cols] : {std::pair{2, 2}, {4, 4}, {8, 8}, {16, 16}, {32, 32}, {3, 7}, {7, 3}, {2, 32}})
        QTest::addRow("%d x %d", rows, cols) << rows << cols;
}

void TestRtl::agreesWithTheEngine()
{
    QFETCH(int, rows);
    QFETCH(int, cols);
    const Job job = smallJob(static_cast<std::uint32_t>(rows), static_cast<std::uint32_t>(cols));
    const auto run = runBench(job);
    if (!run && isMissing("iverilog", run.error()))
        return;
    QVERIFY2(run.ok(), qPrintable(run.ok() ? QString() : text(toText(run.error()))));
    QVERIFY(!run->stuck);
    QVERIFY2(run->tool.starts_with("Icarus Verilog 1"), run->tool.c_str());
    const auto verdict = judge(job, *run);
    QVERIFY(verdict.ok());
    QCOMPARE(verdict->results, std::uint64_t(2 * 5 * cols));
    QVERIFY2(verdict->right(), verdict->firstWrong.c_str());
    QCOMPARE(run->wrong, std::uint64_t{0});
    // Each tile alone and both together: 2 R + C + T - 2, whatever the bench makes it wait.
    const auto perTile = std::uint64_t(2 * rows + cols + 5 - 2);
    for (const TileRun& tile : run->tiles)
        QCOMPARE(tile.cycles(), perTile);
    QCOMPARE(verdict->cycles, 2 * perTile);
    QCOMPARE(verdict->expected, 2 * perTile);
    QVERIFY(run->tiles[1].gaps > 0 && run->tiles[1].holds > 0);
    // Each register of the plain tile after each of its cycles; weights from when they arrive.
    QVERIFY2(verdict->registersWrong == 0, verdict->firstRegister.c_str());
    QCOMPARE(verdict->registers,
             std::uint64_t(rows * cols) * 3 * perTile - std::uint64_t(cols) * std::uint64_t(rows * (rows - 1) / 2));
}

void TestRtl::everyPlantedBugIsFound_data()
{
    QTest::addColumn<QByteArray>("bug");
    QTest::addColumn<QByteArray>("how");
    QTest::newRow("unsigned_weight") << QByteArray("unsigned_weight") << QByteArray("results");
    QTest::newRow("narrow_sum") << QByteArray("narrow_sum") << QByteArray("results");
    QTest::newRow("skew") << QByteArray("skew") << QByteArray("results");
    QTest::newRow("ignores_hold") << QByteArray("ignores_hold") << QByteArray("results");
    QTest::newRow("early_weights") << QByteArray("early_weights") << QByteArray("results");
    QTest::newRow("late_weights") << QByteArray("late_weights") << QByteArray("cycles");
    QTest::newRow("no_reset") << QByteArray("no_reset") << QByteArray("stuck");
    QCOMPARE(faults().size(), std::size_t{7}); // each has a row here
}

void TestRtl::everyPlantedBugIsFound()
{
    QFETCH(QByteArray, bug);
    QFETCH(QByteArray, how);
    const Outcome outcome = runPoint("rtl_array", {{"n", std::int64_t{4}}, {"bug", bug.toStdString()}});
    if (outcome.error && isMissing("iverilog", *outcome.error))
        return;
    QVERIFY2(!outcome.error, qPrintable(outcome.error ? text(toText(*outcome.error)) : QString()));
    const auto metric = [&](const char* name) { return outcome.sample->metrics.at(name).value; };
    QCOMPARE(metric("found"), 1.0);
    QCOMPARE(metric("matches"), how == "cycles" ? 1.0 : 0.0);
    QCOMPARE(outcome.sample->metrics.contains("cycles"), how != "stuck");
    if (how == "cycles") // a cycle for each tile but the first
        QCOMPARE(metric("cycles"), metric("cycles_expected") + 11);
    QVERIFY(outcome.sample->checks.empty());
}

/// Each of these is found by a test that the other one leaves out.
void TestRtl::whatATestLeavesOutHidesABug()
{
    const auto found = [](const char* bug, const char* stimuli, bool pressure, int tiles) {
        const Outcome outcome = runPoint("rtl_array", {{"n", std::int64_t{4}},
                                                       {"bug", std::string(bug)},
                                                       {"stimuli", std::string(stimuli)},
                                                       {"pressure", std::int64_t{pressure}},
                                                       {"tiles", std::int64_t{tiles}}});
        if (outcome.error)
            return isMissing("iverilog", *outcome.error) ? -1 : -2;
        return static_cast<int>(outcome.sample->metrics.at("found").value);
    };
    struct Case {
        const char *bug, *stimuli;
        bool pressure;
        int tiles, found;
    };
    for (const Case& each :
         {Case{"unsigned_weight", "positive", true, 4, 0}, Case{"unsigned_weight", "random", false, 1, 1},
          Case{"narrow_sum", "positive", true, 4, 0}, Case{"narrow_sum", "corners", false, 1, 1},
          Case{"ignores_hold", "all", false, 4, 0}, Case{"ignores_hold", "positive", true, 4, 1},
          Case{"early_weights", "all", true, 1, 0}, Case{"early_weights", "random", false, 2, 1}}) {
        const int result = found(each.bug, each.stimuli, each.pressure, each.tiles);
        QVERIFY2(result == -1 || result == each.found, each.bug);
    }
}

void TestRtl::badDesignsAreContained_data()
{
    QTest::addColumn<QByteArray>("design");
    QTest::addColumn<QByteArray>("code");
    QTest::addColumn<QByteArray>("says");
    const auto row = [](const char* name, const std::string& design, const char* code, const char* says) {
        QTest::newRow(name) << QByteArray::fromStdString(design) << QByteArray(code) << QByteArray(says);
    };
    row("does not compile", moduleWith("assign w_ready = ;"), "rtl-compile", "mine.sv:5: syntax error");
    row("is empty", "", "rtl-compile", "array");
    row("has other ports", "module array; endmodule", "rtl-compile", "w_ready");
    row("drives itself", moduleWith("wire y; assign y = clk ? ~y : 1'b0; assign w_ready = y;"), "rtl-time",
        "did not come to an end within 2 s");
    row("loops without an end", moduleWith("int i; initial while (1) i = i + 1;"), "rtl-time", "loop without");
    row("prints without an end", moduleWith(("initial while (1) $display(\"" + std::string(400, 'a') + "\");").c_str()),
        "rtl-output", "printed more than 16 MiB");
    row("never answers", moduleWith("assign w_ready = 0; assign a_ready = 0; assign out_valid = 0;"), "rtl-stuck",
        "took 0 of 8 rows of weights");
    row("answers unknown", moduleWith(""), "rtl-stuck", "stayed x x x");
    row("ends the simulation", moduleWith("initial #20 $finish;"), "rtl-ended", "$finish");
    row("writes a file", moduleWith("int f; initial f = $fopen(\"/tmp/x\", \"w\");"), "rtl-forbidden", "$fopen");
    row("reads a file", moduleWith("logic [7:0] m [0:3]; initial $readmemh(\"/etc/passwd\", m);"), "rtl-forbidden",
        "$readmemh");
    row("writes the waveform elsewhere", moduleWith("initial $dumpfile(\"/tmp/x\");"), "rtl-forbidden", "$dumpfile");
    row("hides its call in a macro",
        "`define OPEN(x) $f``x\n" + moduleWith("int f; initial f = `OPEN(open)(\"/tmp/x\");"), "rtl-forbidden",
        "$fopen");
    row("calls in a continuous assignment", moduleWith("assign out_data = $fopen(\"/tmp/x\");"), "rtl-forbidden",
        "$fopen");
    row("needs too much memory", moduleWith("logic [63:0] m [0:1<<28]; initial m[0] = 1;"), "rtl-crash", "memory");
}

void TestRtl::badDesignsAreContained()
{
    QFETCH(QByteArray, design);
    QFETCH(QByteArray, code);
    QFETCH(QByteArray, says);
    QTemporaryDir folder;
    QFile file(folder.filePath(QStringLiteral("mine.sv")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(design);
    file.close();
    const Outcome outcome = runPoint("rtl_array", {{"n", std::int64_t{4}},
                                                   {"tiles", std::int64_t{2}},
                                                   {"limit_s", std::int64_t{code == "rtl-time" ? 2 : 60}},
                                                   {"design", file.fileName().toStdString()}});
    QVERIFY(outcome.error);
    if (isMissing("iverilog", *outcome.error))
        return;
    const QString whole = text(toText(*outcome.error));
    QVERIFY2(outcome.error->code == code.toStdString(), qPrintable(text(outcome.error->code) + u' ' + whole));
    QVERIFY2(whole.contains(QString::fromUtf8(says)), qPrintable(whole));
    QVERIFY(!outcome.error->fix.empty());
}

void TestRtl::limitsOfJobs()
{
    QCOMPARE(text(Job::check({1, 4}, 1, 1).error().code), QStringLiteral("bad-array"));
    QCOMPARE(text(Job::check({33, 4}, 1, 1).error().code), QStringLiteral("bad-array"));
    QCOMPARE(text(Job::check({4, 4}, 0, 1).error().code), QStringLiteral("bad-layer"));
    QCOMPARE(text(Job::check({4, 4}, std::uint64_t{1} << 62, std::uint64_t{1} << 62).error().code),
             QStringLiteral("too-large"));
    QCOMPARE(text(Job::check({2, 2}, 1, (1 << 19) + 1).error().code), QStringLiteral("too-large"));
    QVERIFY(Job::check({2, 2}, 1, 1 << 19).ok());
}

void TestRtl::readsWaveforms()
{
    const std::string head =
        "$timescale 1ns $end\n$scope module bench $end\n$var int 32 ! now [31:0] $end\n"
        "$scope module dut $end\n$var reg 3 v valid [2:0] $end\n"
        "$scope begin row[1] $end\n$scope begin col[0] $end\n$var wire 8 w w_in [7:0] $end\n"
        "$scope module pe $end\n$var reg 8 w w [7:0] $end\n$var reg 32 s sum [31:0] $end\n$upscope $end\n"
        "$upscope $end\n$upscope $end\n$upscope $end\n$upscope $end\n$enddefinitions $end\n";
    const std::string body =
        "#0\n$dumpvars\nbx w\nbx s\nb0 !\nb0 v\n$end\n#5\nb1 !\nb11111110 w\nb101 v\n#10\n#15\nb10 !\n"
        "b111 s\nb1x w\n#25\nb11 !\nb11111111111111111111111111111111 s\n";
    const Wave wave = readWave(head + body, {2, 2});
    QCOMPARE(wave.signals, std::size_t{3}); // the same register under two names counts once, and `valid`
    QVERIFY(!wave.whole({2, 2}));
    QCOMPARE(wave.cycles.size(), std::size_t{3});
    QCOMPARE(wave.cycles[0].weight[2].value, -2);
    QVERIFY(wave.cycles[0].weight[2].known && !wave.cycles[0].sum[2].known && !wave.cycles[0].weight[0].known);
    QCOMPARE(wave.cycles[0].onItsWay, (std::vector<std::uint8_t>{1, 0, 1}));
    QCOMPARE(wave.cycles[1].sum[2].value, 7);
    QVERIFY(!wave.cycles[1].weight[2].known);
    QCOMPARE(wave.cycles[2].sum[2].value, -1);
    // Cut anywhere it is read to there.
    for (std::size_t end = 0; end < head.size() + body.size(); ++end)
        QVERIFY(readWave((head + body).substr(0, end), {2, 2}).cycles.size() <= 3);
}

void TestRtl::thePictureHasTheRegisters()
{
    const Outcome outcome = runPoint("rtl", {{"rows", std::int64_t{4}},
                                             {"cols", std::int64_t{4}},
                                             {"m", std::int64_t{5}},
                                             {"n", std::int64_t{4}},
                                             {"k", std::int64_t{4}}});
    if (outcome.error && isMissing("iverilog", *outcome.error))
        return;
    QVERIFY2(!outcome.error, qPrintable(outcome.error ? text(toText(*outcome.error)) : QString()));
    QVERIFY(!outcome.trace.empty());
    const auto grid = decodeGridTrace(outcome.trace);
    QVERIFY(grid.ok());
    QCOMPARE(grid->steps.size(), std::size_t{15}); // 2 R + C + T - 2
    // PE 0, 0 begins in cycle 4, the last one ends in the last.
    QCOMPARE(text(grid->steps[3].caption), QStringLiteral("tile 0, cycle 3: 0 of 16 PEs multiply"));
    QCOMPARE(text(grid->steps[4].caption), QStringLiteral("tile 0, cycle 4: 1 of 16 PEs multiply"));
    QCOMPARE(text(grid->steps[14].caption), QStringLiteral("tile 0, cycle 14: 1 of 16 PEs multiply"));
    // The engine's sums, PE by PE, at the wave's middle.
    const auto operands = accelerator::randomOperands({5, 4, 4}, 1);
    auto view = accelerator::ArrayView::make({4, 4}, accelerator::Dataflow::WeightStationary, operands);
    QVERIFY(view.ok());
    accelerator::ArrayMoment moment;
    view->at(8, moment);
    const GridMoment drawn = GridHistory(std::make_shared<const GridTrace>(*grid)).at(8);
    for (std::size_t i = 0; i < 16; ++i)
        QCOMPARE(drawn.values[i], static_cast<float>(moment.sum[i]));
    // The same registers as a waveform: what PE 0, 0 and the last row hold in that cycle.
    const auto waves = decodeLaneTrace(outcome.waves);
    QVERIFY(waves.ok());
    const auto valueOf = [&](const char* name, const char* group) {
        for (const LaneSpan& span : waves->spans)
            if (waves->lanes[span.lane].name == name && waves->lanes[span.lane].group == group && span.begin <= 8 &&
                span.end > 8)
                return text(waves->texts[span.label]);
        return QString();
    };
    QCOMPARE(valueOf("sum", "PE 0, 0"), QString::number(moment.sum[0]));
    QCOMPARE(valueOf("w", "PE 0, 0"), QString::number(moment.held[0]));
    QCOMPARE(valueOf("row[3].col[1].sum", "sums leave"), QString::number(moment.sum[13]));
    QCOMPARE(valueOf("row[2].col[0].a", "activations enter"), QString::number(moment.moving[8]));
    QCOMPARE(waves->lanes.size(), std::size_t{1 + 4 + 3 + 4});
}

void TestRtl::keepsItsFilesWhereAsked()
{
    QTemporaryDir folder;
    const QString kept = folder.filePath(QStringLiteral("kept"));
    const Set keep("RIDGE_RTL_KEEP", kept.toUtf8());
    const auto run = runBench(smallJob());
    QVERIFY(QFile::exists(kept + QStringLiteral("/bench.sv")));
    if (!run && isMissing("iverilog", run.error()))
        return;
    QFile wave(kept + QStringLiteral("/wave.vcd"));
    QVERIFY(wave.open(QIODevice::ReadOnly));
    QVERIFY(wave.readAll().contains("$enddefinitions"));
}

void TestRtl::flipFlopsAreAsInClosedForm()
{
    QCOMPARE(flipFlops({4, 4}), std::uint64_t{1029}); // 768 + 48 + 192 + 14 + 7
    const auto count = countCells(*shippedDesign(), {4, 4}, {});
    if (!count && isMissing("yosys", count.error()))
        return;
    QVERIFY2(count.ok(), qPrintable(count.ok() ? QString() : text(toText(count.error()))));
    QCOMPARE(count->flipFlops, std::uint64_t{1029});
    QVERIFY(count->cells > 10000 && count->ofPe * 16 < count->cells);
    const auto bad = countCells({"mine.sv", "module array; assign x = ; endmodule"}, {4, 4}, {});
    QVERIFY(!bad.ok());
    QCOMPARE(text(bad.error().code), QStringLiteral("rtl-compile"));
    QVERIFY2(text(bad.error().message).contains(QStringLiteral("mine.sv:1")), bad.error().message.c_str());
}

void TestRtl::thePeIsProvedOrRefuted()
{
    // The rule itself under the other name: a proof that takes no time. That of the shipped PE takes 15 s.
    std::string same = macRule()->text;
    same.replace(same.find("module mac_rule"), 15, "module mac");
    const auto proved = proveMac({"same.sv", same}, {});
    if (!proved && isMissing("yosys", proved.error()))
        return;
    QVERIFY2(proved.ok(), qPrintable(proved.ok() ? QString() : text(toText(proved.error()))));
    QVERIFY(proved->proved && proved->example.empty());
    // -1 * 1 is the least that a lost sign gets wrong.
    const auto refuted = proveMac(*withFault(*shippedDesign(), "unsigned_weight"), {});
    QVERIFY2(refuted.ok(), qPrintable(refuted.ok() ? QString() : text(toText(refuted.error()))));
    QVERIFY(!refuted->proved && refuted->depth > 0);
    QVERIFY(std::ranges::any_of(refuted->example, [](const auto& line) { return line[1] == "a_in"; }));
    const auto other = proveMac({"mine.sv", "module mac(input logic clk); endmodule"}, {});
    QVERIFY(!other.ok());
    QCOMPARE(text(other.error().code), QStringLiteral("rtl-compile"));
}

void TestRtl::readsPlaceReports()
{
    const auto placed = readPlaceReport(R"({"critical_paths": [
        {"from": "posedge clk", "to": "posedge clk", "path": [
            {"type": "clk-to-q", "delay": 0.5, "to": {"cell": "a", "loc": [1, 2]}},
            {"type": "routing", "delay": 2.5, "net": "n", "to": {"cell": "b", "loc": [3, 4]}},
            {"type": "logic", "delay": 1.0, "to": {"cell": "b"}}]},
        {"from": "<async>", "to": "posedge clk", "path": [{"type": "routing", "delay": 7.0}]},
        {"from": "posedge clk", "to": "<async>", "path": [{"type": "routing", "delay": 9.0}]}],
        "fmax": {"clk": {"achieved": 250.0, "constraint": 12}},
        "utilization": {"ICESTORM_LC": {"used": 988, "available": 7680}, "SB_IO": {"used": 106, "available": 256}}})");
    QVERIFY(placed.ok());
    QCOMPARE(placed->fmax, 250e6);
    QCOMPARE(placed->logicCells, std::uint64_t{988});
    QCOMPARE(placed->pins, std::uint64_t{106});
    QCOMPARE(placed->path.size(), std::size_t{3});
    QCOMPARE(placed->path[1].x, 3);
    QVERIFY(std::abs(placed->seconds(true) - 2.5e-9) < 1e-15 && std::abs(placed->seconds(false) - 1.5e-9) < 1e-15);
    QVERIFY(std::abs(placed->inputSeconds - 7e-9) < 1e-15);
    for (const char* bad : {"", "{}", "[]", R"({"critical_paths": 3, "fmax": {}, "utilization": {}})"})
        QVERIFY2(!readPlaceReport(bad).ok(), bad);
    // Yosys' own count, as its version 0.23 writes it.
    Placed mapped;
    QVERIFY(
        readMappedCells(R"json({"creator": "Yosys 0.23 (git sha1 7ce5011c24b)", "modules": {"\\array": {"num_cells": 9,
        "num_cells_by_type": {"SB_CARRY": 2, "SB_DFFESR": 3, "SB_DFF": 1, "SB_LUT4": 5}}}})json",
                        mapped));
    QCOMPARE(mapped.yosys, std::string("Yosys 0.23"));
    QCOMPARE(mapped.luts, std::uint64_t{5});
    QCOMPARE(mapped.carries, std::uint64_t{2});
    QCOMPARE(mapped.flipFlops, std::uint64_t{4});
    for (const char* bad : {"", "[]", R"({"modules": 3})"})
        QVERIFY2(!readMappedCells(bad, mapped), bad);
    // Odd types inside are read as nothing.
    const auto odd = readPlaceReport(R"({"critical_paths": [4, {"path": [{"delay": "x", "to": {"loc": ["a", 1]}}]}],
        "fmax": {"clk": 3}, "utilization": []})");
    QVERIFY(odd.ok());
    QCOMPARE(odd->fmax, 0.0);
}

void TestRtl::onlyPlainModulesBecomePrograms()
{
    QCOMPARE(forbiddenWord(shippedDesign()->text), std::string());
    for (const auto& [source, word] : std::initializer_list<std::pair<const char*, const char*>>{
             {"initial $system(\"rm\");", "$system"},
             {"assign x = $c(\"exit(1)\");", "$c"},
             {"`include \"/etc/passwd\"", "`include"},
             {"`define A $c", "`define"},
             {"import \"DPI-C\" function int f();", "import"},
             {"// $c\n/* $c */ wire w; $fopen", "$fopen"},
             {"\"a \\\" $c\" $c", "$c"},
             {"// $c \"\n \"$c\" /* ` */ \\esc$c  $clog2($signed(a))", ""},
             {"/* never closed $c", ""},
             {"\"never closed $c", ""}})
        QCOMPARE(forbiddenWord(source), std::string(word));
    const auto run = runLong({"mine.sv", moduleWith("initial $system(\"x\");")}, {4, 4}, 100, 4, {});
    QCOMPARE(text(run.ok() ? std::string() : run.error().code), QStringLiteral("rtl-forbidden"));
    QCOMPARE(text(runLong(*shippedDesign(), {4, 4}, 0, 4, {}).error().code), QStringLiteral("bad-layer"));
    QCOMPARE(text(runLong(*shippedDesign(), {4, 4}, 1, 1u << 20, {}).error().code), QStringLiteral("too-large"));
    QCOMPARE(text(runLong(*shippedDesign(), {64, 4}, 1, 1, {}).error().code), QStringLiteral("bad-array"));
}

QTEST_GUILESS_MAIN(TestRtl)
#include "tst_rtl.moc"
