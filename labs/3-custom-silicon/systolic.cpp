// SPDX-License-Identifier: GPL-3.0-or-later
// Lesson 3.1: a product on a systolic array, in a closed form and as SCALE-Sim has it, with every PE's value.
#include "accelerator/eyeriss.h"
#include "accelerator/scalesim_files.h"
#include "accelerator/systolic_values.h"
#include "base/grid_trace.h"
#include "base/target_choice.h"
#include "labs/catalogue.h"
#include "labs/harness/declare.h"
#include "labs/harness/input.h"

#include <fmt/core.h>

namespace ridge::labs {
namespace {

using namespace accelerator;

constexpr std::uint32_t kDrawnSide = 32;           // rows and columns of a picture: a cell's number is read
constexpr std::uint64_t kDrawnSteps = 1000;        // as many as one steps through
constexpr std::uint64_t kSteppedWork = 1ull << 29; // PEs x cycles that are stepped to check a point
constexpr std::uint64_t kOperandSeed = 1;

std::vector<ParamSpec> parameters()
{
    const auto size = [](const char* name, const char* title, std::int64_t value, const char* help) {
        return integerParam(name, title, "", 0, Gemm::kMostSide, value, ParamScale::Log2, help);
    };
    auto bandwidth = integerParam("bandwidth", "DRAM", "words/cycle", 0, 1 << 20, 10, ParamScale::Log2,
                                  "Words that DRAM moves a cycle. SCALE-Sim: of each operand, and only where run is "
                                  "user. Calibrated: of all together; 0 has no limit.");
    return {
        integerParam("rows", "Rows", "PEs", 0, 1 << 20, 32, ParamScale::Log2, "Of the array."),
        integerParam("cols", "Columns", "PEs", 0, 1 << 20, 32, ParamScale::Log2, "Of the array."),
        choiceParam(
            "dataflow", "Dataflow", {"os", "ws", "is", "rs"}, "ws",
            "What stays in a PE: output sums (os), weights (ws), inputs (is), or filter rows as in Eyeriss (rs, "
            "calibrated only)."),
        size("m", "m", 64, "C[m,n] = A[m,k] B[k,n]: rows of A."),
        size("n", "n", 64, "Columns of B."),
        size("k", "k", 64, "Columns of A."),
        size("in_h", "Input height", 0,
             "Of a convolution, padding included; above 0 the layer is one, and m, n, k do not count."),
        size("in_w", "Input width", 0, "Of a convolution; 0 takes in_h."),
        size("kernel_h", "Filter height", 1, "Of a convolution."),
        size("kernel_w", "Filter width", 0, "Of a convolution; 0 takes kernel_h."),
        size("channels", "Channels", 1, "Of a convolution's input."),
        size("filters", "Filters", 1, "Of a convolution: channels of its output."),
        size("stride", "Stride", 1, "Of a convolution, both ways."),
        choiceParam(
            "mode", "Mode", {"scalesim", "calibrated"}, "scalesim",
            "scalesim: what SCALE-Sim 3.0.0 prints. calibrated: weights are loaded behind the fold before, sums stay "
            "in accumulators, DRAM works beside the array."),
        choiceParam(
            "run", "Run", {"calc", "user"}, "calc",
            "Of SCALE-Sim's InterfaceBandwidth. calc: DRAM never holds the array up; user: it moves `bandwidth`."),
        integerParam("sram_kb", "Buffers", "KiB", 0, 1 << 22, 64, ParamScale::Log2,
                     "Each of three; half of one is being filled. rs: the global buffer has two of them."),
        bandwidth,
        integerParam("word", "Word", "bytes", 1, 8, 1, ParamScale::List, "Of all operands. SCALE-Sim itself has 1."),
        integerParam("launch", "Launch", "cycles", 0, 1 << 24, 0, ParamScale::Linear,
                     "Cycles before anything moves; calibrated only."),
        fileParam("topology", "Topology", "SCALE-Sim topologies (*.csv)",
                  "A SCALE-Sim topology in place of the layer above: its layers one after the other, figures summed."),
        textParam("layer", "Layer", "Name or number, from 1, of the topology's layer to run alone; empty: all."),
        fileParam("config", "Configuration", "SCALE-Sim configurations (*.cfg)",
                  "A SCALE-Sim configuration in place of array, dataflow, run, buffers and bandwidth above."),
    };
}

std::vector<MetricSpec> metrics()
{
    return {
        {"cycles", "Cycles", "cycles",
         "Until the last result, stalls included. SCALE-Sim's is the last cycle's number, one less."},
        {"stall_cycles", "Stalls", "cycles", "Of them the array waits for DRAM."},
        {"utilization", "Utilisation", "1", "Multiplications over PEs x cycles."},
        {"padding_share", "Padding", "1", "Share of PE-cycles lost to folds that do not fill the array."},
        {"fill_share", "Filling", "1", "Share lost while operands enter and results leave."},
        {"stall_share", "Waiting", "1", "Share lost to DRAM."},
        {"folds", "Folds", "folds", "Pieces of the product that run one after the other."},
        {"macs", "Multiplications", "1", "Of the layer."},
        {"sram_reads_a", "Reads of A", "words", "From its buffer into the array."},
        {"sram_reads_b", "Reads of B", "words", "From its buffer into the array."},
        {"sram_writes", "Writes", "words",
         "Results and partial sums that leave the array. SCALE-Sim counts rows + columns more for each fold of os."},
        {"dram_reads_a", "DRAM reads of A", "words", "Into its buffer."},
        {"dram_reads_b", "DRAM reads of B", "words", "Into its buffer."},
        {"dram_writes", "DRAM writes", "words", "SCALE-Sim writes every partial sum and never reads one back."},
        {"active_pes", "Active PEs", "PEs", "Of a full fold; of rs those that its sets cover."}};
}

struct Layer {
    std::string name;
    Conv conv;
    bool product = false; ///< given as m, n, k
    std::uint64_t times = 1;
};

struct Setting {
    ScaleSimSetup setup;
    bool rowStationary = false, calibrated = false;
    std::uint64_t launch = 0;
    double words = 10;
};

Result<std::vector<Layer>> layersOf(const ParamSet& params)
{
    const auto value = [&](const char* name) { return integer(params, name); };
    if (given(params, "topology")) {
        const auto text = readInput(params, "topology", 16u << 20);
        if (!text)
            return text.error();
        const std::string place = std::get<std::string>(params.at("topology"));
        auto parsed = parseTopology(*text, place);
        if (!parsed)
            return parsed.error();
        const std::string wanted = std::get<std::string>(params.at("layer"));
        std::vector<Layer> layers;
        for (std::size_t i = 0; i < parsed->size(); ++i) {
            const TopologyLayer& layer = (*parsed)[i];
            if (wanted.empty() || wanted == layer.name || wanted == std::to_string(i + 1))
                layers.push_back({layer.name, layer.conv, false, layer.times});
        }
        if (layers.empty())
            return Error{"unknown-layer", "the topology has no layer \"" + wanted + "\"", place,
                         fmt::format("give a name of its first column, or 1 to {}", parsed->size())};
        return layers;
    }
    if (value("in_h") == 0) {
        const Gemm gemm{value("m"), value("n"), value("k")};
        if (auto good = checkGemm(gemm); !good)
            return good.error();
        return std::vector<Layer>{{"product", convOf(gemm), true, 1}};
    }
    const auto number = [&](const char* name) { return static_cast<std::uint32_t>(value(name)); };
    Conv conv{number("in_h"),     number("in_w"),    number("kernel_h"), number("kernel_w"),
              number("channels"), number("filters"), number("stride"),   number("stride")};
    conv.inW = conv.inW == 0 ? conv.inH : conv.inW;
    conv.kernelW = conv.kernelW == 0 ? conv.kernelH : conv.kernelW;
    if (auto good = checkConv(conv); !good)
        return good.error();
    if (auto good = checkGemm(gemmOf(conv)); !good)
        return good.error();
    return std::vector<Layer>{{"convolution", conv, false, 1}};
}

Result<Setting> settingOf(const ParamSet& params)
{
    Setting setting;
    setting.calibrated = choice(params, "mode") == "calibrated";
    setting.launch = integer(params, "launch");
    ScaleSimSetup& setup = setting.setup;
    if (given(params, "config")) {
        const auto text = readInput(params, "config", 1u << 20);
        if (!text)
            return text.error();
        const auto parsed = parseScaleSimConfig(*text, std::get<std::string>(params.at("config")));
        if (!parsed)
            return parsed.error();
        setup = *parsed;
        setting.words = setup.writeWords;
        setup.word = static_cast<std::uint32_t>(integer(params, "word"));
        return setting;
    }
    setup.array = {static_cast<std::uint32_t>(integer(params, "rows")),
                   static_cast<std::uint32_t>(integer(params, "cols"))};
    if (auto good = checkArray(setup.array); !good)
        return good.error();
    setting.rowStationary = choice(params, "dataflow") == "rs";
    if (setting.rowStationary && !setting.calibrated)
        return Error{"bad-value", "SCALE-Sim has no row-stationary dataflow", "parameters dataflow, mode",
                     "set mode=calibrated, or another dataflow"};
    if (!setting.rowStationary)
        setup.dataflow = *dataflowNamed(choice(params, "dataflow"));
    for (auto& bytes : setup.bufferBytes)
        bytes = integer(params, "sram_kb") * 1024;
    setup.user = choice(params, "run") == "user";
    setup.word = static_cast<std::uint32_t>(integer(params, "word"));
    const auto bandwidth = static_cast<std::uint32_t>(integer(params, "bandwidth"));
    setup.readWords[0] = setup.readWords[1] = setup.writeWords = bandwidth;
    setting.words = bandwidth;
    return setting;
}

/// Figures of a layer, in the metrics' words.
struct Figures {
    std::uint64_t cycles = 0, stalls = 0, folds = 0, macs = 0, streamed = 0, active = 0;
    SramCounts sram;
    std::uint64_t dramA = 0, dramB = 0, dramWrites = 0;

    void add(const Figures& other, std::uint64_t times)
    {
        cycles += other.cycles * times;
        stalls += other.stalls * times;
        folds += other.folds * times;
        macs += other.macs * times;
        streamed += other.streamed * times;
        active = std::max(active, other.active);
        sram.a += other.sram.a * times;
        sram.b += other.sram.b * times;
        sram.writes += other.sram.writes * times;
        dramA += other.dramA * times;
        dramB += other.dramB * times;
        dramWrites += other.dramWrites * times;
    }
};

Result<Figures> rowStationary(const Setting& setting, const Layer& layer)
{
    RowStationaryArray machine;
    machine.array = setting.setup.array;
    machine.word = setting.setup.word;
    machine.bufferBytes = 2 * setting.setup.bufferBytes[0];
    const auto run = runRowStationary(machine, {layer.conv, 1, 0, 0, 1, 0, 0});
    if (!run)
        return run.error();
    Figures figures;
    const Gemm gemm = gemmOf(layer.conv);
    figures.macs = gemm.macs();
    figures.folds = run->mapping.passes;
    figures.active = run->mapping.activeElements;
    figures.streamed = std::min(run->cycles, (figures.macs + figures.active - 1) / figures.active);
    figures.sram = {run->inputWords, run->filterWords, run->sumWrites};
    const double word = machine.word;
    figures.dramA = static_cast<std::uint64_t>(run->dramInputBytes / word);
    figures.dramB = static_cast<std::uint64_t>(run->dramFilterBytes / word);
    figures.dramWrites = static_cast<std::uint64_t>(run->dramWriteBytes / word);
    const double transfer = setting.words > 0 ? run->dramBytes() / word / setting.words : 0;
    const auto needed = static_cast<std::uint64_t>(transfer);
    figures.stalls = setting.launch + (needed > run->cycles ? needed - run->cycles : 0);
    figures.cycles = run->cycles + figures.stalls;
    return figures;
}

Result<Figures> figuresOf(const Setting& setting, const Layer& layer, const RunContext& context)
{
    if (setting.rowStationary)
        return rowStationary(setting, layer);
    const ScaleSimSetup& setup = setting.setup;
    const Gemm gemm = gemmOf(layer.conv);
    if (auto good = checkGemm(gemm); !good)
        return good.error();
    const Folding folding = foldingOf(setup.array, setup.dataflow, gemm);
    Figures figures;
    figures.macs = gemm.macs();
    figures.folds = folding.folds();
    figures.streamed = folding.folds() * folding.stream;
    figures.active = std::min<std::uint64_t>(setup.array.rows, folding.rows) *
                     std::min<std::uint64_t>(setup.array.cols, folding.cols);
    if (setting.calibrated) {
        RealArray real;
        real.dramWordsPerCycle = setting.words;
        for (int i = 0; i < 3; ++i)
            real.bufferWords[i] = setup.bufferBytes[i] / setup.word;
        real.launchCycles = setting.launch;
        const RealRun run = runReal(setup.array, setup.dataflow, gemm, real);
        figures.cycles = run.cycles;
        figures.stalls = run.stalls;
        figures.sram = run.sram;
        figures.dramA = run.dramA;
        figures.dramB = run.dramB;
        figures.dramWrites = run.dramWrites;
        return figures;
    }
    const auto run = scaleSim(setup, layer.conv, [&] { return !context.cancelled(); });
    if (!run)
        return run.error();
    figures.cycles = run->cycles;
    figures.stalls = run->stalls;
    figures.sram = run->sram;
    figures.dramA = run->dramA;
    figures.dramB = run->dramB;
    figures.dramWrites = run->dramWrites;
    return figures;
}

/// Cycles of a small array, each PE's sum as a ramp and its multiplication as a colour.
void draw(RunContext& context, const Setting& setting, const Layer& layer, Operands operands)
{
    const Array& array = setting.setup.array;
    auto view = ArrayView::make(array, setting.setup.dataflow, std::move(operands));
    if (!view)
        return;
    const char* stays = setting.setup.dataflow == Dataflow::OutputStationary   ? "output sums stay"
                        : setting.setup.dataflow == Dataflow::WeightStationary ? "weights stay"
                                                                               : "inputs stay";
    GridTraceBuilder grid(fmt::format("{} x {} PEs, {}: {}", array.rows, array.cols, stays, layer.name), array.rows,
                          array.cols);
    grid.axes("row", "column").stepUnit("cycle").square();
    const auto idle = grid.state("no operand", TraceColor::Idle);
    const auto loaded = grid.state("holds an operand, waits", TraceColor::Series2);
    const auto active = grid.state("multiplies", TraceColor::Series1);
    grid.values("sum", "");
    ArrayMoment moment;
    const std::uint64_t steps = std::min(view->cycles(), kDrawnSteps);
    for (std::uint64_t cycle = 0; cycle < steps && !context.cancelled() && !grid.full(); ++cycle) {
        view->at(cycle, moment);
        grid.step(fmt::format("fold {} of {}, cycle {} of {}: {} of {} PEs multiply", moment.fold + 1,
                              view->folding().folds(), moment.inFold + 1, view->folding().perFold, moment.activeCount,
                              array.elements()));
        for (std::uint32_t r = 0; r < array.rows; ++r)
            for (std::uint32_t c = 0; c < array.cols; ++c) {
                const std::size_t at = std::size_t{r} * array.cols + c;
                const bool works = moment.active[at] != 0;
                const std::string note =
                    works ? fmt::format("{} x {} added, sum {}", moment.moving[at], moment.held[at], moment.sum[at])
                          : std::string();
                grid.set(r, c,
                         {.state = works                  ? active
                                   : moment.held[at] != 0 ? loaded
                                                          : idle,
                          .value = static_cast<float>(moment.sum[at]),
                          .note = note});
            }
    }
    context.trace(GridTrace::kKind, encodeGridTrace(grid.take()));
}

/// Steps the layer with values, where it is small enough, and draws it.
Result<void> stepAndDraw(RunContext& context, const Setting& setting, const Layer& layer)
{
    const Array& array = setting.setup.array;
    const Gemm gemm = gemmOf(layer.conv);
    const Folding folding = foldingOf(array, setting.setup.dataflow, gemm);
    if (folding.cycles() > kSteppedWork / array.elements() || gemm.macs() > kSteppedWork ||
        gemm.m * gemm.k + gemm.k * gemm.n > 1u << 24)
        return {};
    Operands operands = randomOperands(gemm, kOperandSeed);
    auto engine = ArrayEngine::make(array, setting.setup.dataflow, operands);
    if (!engine)
        return engine.error();
    while (!engine->done() && !context.cancelled())
        engine->step(1 << 12);
    if (!engine->done())
        return {};
    context.check("product", engine->product() == plainProduct(operands),
                  fmt::format("{} sums of {} products from the stepped array, bit by bit against plain loops",
                              gemm.m * gemm.n, gemm.k));
    context.check("cycles", engine->cycle() == folding.cycles(),
                  fmt::format("{} cycles stepped, {} folds of {} in closed form", engine->cycle(), folding.folds(),
                              folding.perFold));
    if (context.wantsTrace() && array.rows <= kDrawnSide && array.cols <= kDrawnSide)
        draw(context, setting, layer, std::move(operands));
    return {};
}

class SystolicExperiment : public Experiment {
public:
    SystolicExperiment()
    {
        m_info.id = "systolic";
        m_info.title = "A layer on a systolic array";
        m_info.module = 3;
        m_info.summary =
            "Lays a product or a convolution on an array of PEs and counts cycles, buffer and DRAM accesses.";
        m_info.parameters = parameters();
        m_info.targets = {kModelTarget};
        m_info.metrics = metrics();
        m_info.charts = {
            {"utilization_over_m", "Utilisation over m", "m", "utilization", ParamScale::Log2},
            {"utilization_over_rows", "Utilisation over rows", "rows", "utilization", ParamScale::Log2},
            {"cycles_over_bandwidth", "Cycles over DRAM bandwidth", "bandwidth", "cycles", ParamScale::Log2},
            {"cycles_over_dataflow", "Cycles of the dataflows", "dataflow", "cycles", ParamScale::List}};
        m_info.limits = {{"utilization", "every PE, every cycle", "upper", "1", "a PE multiplies once a cycle"}};
        m_info.scene = "grid";
        m_info.drawsNothing = true; // its operands have a seed of their own
    }
    const ExperimentInfo& info() const override { return m_info; }
    Result<void> run(const ParamSet& params, RunContext& context) const override;

private:
    ExperimentInfo m_info;
};

Result<void> SystolicExperiment::run(const ParamSet& params, RunContext& context) const
{
    const auto setting = settingOf(params);
    if (!setting)
        return setting.error();
    const auto layers = layersOf(params);
    if (!layers)
        return layers.error();
    Figures all;
    for (std::size_t i = 0; i < layers->size(); ++i) {
        const Layer& layer = (*layers)[i];
        const auto figures = figuresOf(*setting, layer, context);
        if (!figures)
            return layers->size() == 1 ? figures.error()
                                       : Error{figures.error().code, layer.name + ": " + figures.error().message,
                                               figures.error().place, figures.error().fix};
        all.add(*figures, layer.times);
        if (layers->size() > 1)
            context.log(fmt::format("{}: {} cycles, {} of them stalled", layer.name, figures->cycles, figures->stalls));
        context.progress(static_cast<double>(i + 1) / static_cast<double>(layers->size()), "running layers");
    }
    const double area = static_cast<double>(setting->setup.array.elements());
    const double cycles = static_cast<double>(std::max<std::uint64_t>(all.cycles, 1));
    const double useful = static_cast<double>(all.macs) / area;
    const auto tell = [&](const char* name, auto value) {
        context.metric(name, static_cast<double>(value), Provenance::Modelled);
    };
    tell("cycles", all.cycles);
    tell("stall_cycles", all.stalls);
    tell("utilization", useful / cycles);
    const double streamed = static_cast<double>(all.streamed);
    tell("padding_share", (streamed - useful) / cycles);
    tell("fill_share", (cycles - static_cast<double>(all.stalls) - streamed) / cycles);
    tell("stall_share", static_cast<double>(all.stalls) / cycles);
    tell("folds", all.folds);
    tell("macs", all.macs);
    tell("sram_reads_a", all.sram.a);
    tell("sram_reads_b", all.sram.b);
    tell("sram_writes", all.sram.writes);
    tell("dram_reads_a", all.dramA);
    tell("dram_reads_b", all.dramB);
    tell("dram_writes", all.dramWrites);
    tell("active_pes", all.active);
    context.limit("utilization", 1);
    if (layers->size() == 1 && !setting->rowStationary)
        return stepAndDraw(context, *setting, layers->front());
    return {};
}

} // namespace

std::unique_ptr<Experiment> makeSystolic()
{
    return std::make_unique<SystolicExperiment>();
}

} // namespace ridge::labs
