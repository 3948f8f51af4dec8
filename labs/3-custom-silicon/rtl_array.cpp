// SPDX-License-Identifier: GPL-3.0-or-later
// Lesson 3.6: a weight-stationary array in SystemVerilog under a testbench, held against the engine in C++.
#include "accelerator/systolic_values.h"
#include "base/grid_trace.h"
#include "base/lane_trace.h"
#include "base/seed.h"
#include "base/target_choice.h"
#include "labs/catalogue.h"
#include "labs/harness/declare.h"
#include "labs/harness/input.h"
#include "labs/harness/model_params.h"
#include "rtl/verdict.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/core.h>

namespace ridge::labs {
namespace {

using namespace accelerator;

constexpr std::uint64_t kDrawnCycles = 1000;
constexpr std::uint64_t kWaveWork = 1u << 19; // PEs x cycles in a waveform: 32 MiB
constexpr std::uint64_t kOperandSeed = 1;
constexpr std::uint64_t kMostDesign = 1u << 20;

ParamSpec designParam()
{
    return fileParam("design", "Design", "SystemVerilog (*.sv *.v)",
                     "Your own module array, with the ports of labs/rtl/array.sv; empty: that one.");
}

ParamSpec secondsParam()
{
    return integerParam("limit_s", "Time limit", "s", 1, 600, 60, ParamScale::Linear,
                        "After which compiler and simulation are stopped.");
}

Result<rtl::Design> designOf(const ParamSet& params)
{
    if (!given(params, "design"))
        return rtl::shippedDesign();
    auto text = readInput(params, "design", kMostDesign);
    if (!text)
        return text.error();
    const std::filesystem::path path = std::get<std::string>(params.at("design"));
    return rtl::Design{path.filename().string(), std::move(*text)};
}

void bound(rtl::Job& job, const ParamSet& params, const RunContext& context)
{
    job.limits.seconds = static_cast<double>(integer(params, "limit_s"));
    job.limits.stop = [&context] { return context.cancelled(); };
    // Gaps and holds double the cycles at most.
    job.waveCycles = std::min({kDrawnCycles, kWaveWork / job.array.elements(), 2 * job.cycles() + 2});
}

/// The registers of the waveform, each PE's sum as a ramp and what it does as a colour.
void draw(RunContext& context, const rtl::Job& job, const rtl::BenchRun& run)
{
    if (!run.wave.whole(job.array) || run.wave.cycles.empty()) {
        context.log("no picture: the design has no registers row[r].col[c].pe.w, a, sum and no valid");
        return;
    }
    const std::uint32_t rows = job.array.rows, cols = job.array.cols;
    GridTraceBuilder grid(fmt::format("{} x {} PEs in SystemVerilog: {}", rows, cols, job.design.name), rows, cols);
    grid.axes("row", "column").stepUnit("cycle").square();
    const auto idle = grid.state("no weight", TraceColor::Idle);
    const auto loaded = grid.state("holds a weight, waits", TraceColor::Series2);
    const auto active = grid.state("multiplies", TraceColor::Series1);
    const auto unknown = grid.state("unknown", TraceColor::Bad, "x");
    grid.values("sum", "");
    for (std::size_t cycle = 0; cycle < run.wave.cycles.size() && !grid.full(); ++cycle) {
        const rtl::WaveMoment& moment = run.wave.cycles[cycle];
        std::size_t tile = 0;
        while (tile < run.tiles.size() && run.tiles[tile].ended <= cycle)
            ++tile;
        if (tile == job.tiles.size())
            break;
        std::size_t busy = 0;
        const auto works = [&](std::uint32_t r, std::uint32_t c) {
            return r + c < moment.onItsWay.size() && moment.onItsWay[r + c] != 0;
        };
        for (std::uint32_t r = 0; r < rows; ++r)
            for (std::uint32_t c = 0; c < cols; ++c)
                busy += works(r, c);
        const std::uint64_t began = tile < run.tiles.size() ? run.tiles[tile].started : 0;
        grid.step(fmt::format("tile {}, cycle {}: {} of {} PEs multiply", tile, cycle >= began ? cycle - began : 0,
                              busy, job.array.elements()));
        for (std::uint32_t r = 0; r < rows; ++r)
            for (std::uint32_t c = 0; c < cols; ++c) {
                const std::size_t at = std::size_t{r} * cols + c;
                const rtl::WaveValue &w = moment.weight[at], &a = moment.activation[at], &sum = moment.sum[at];
                const bool known = w.known && a.known && sum.known;
                std::string note;
                if (works(r, c) && known)
                    note = fmt::format("{} x {} added, sum {}", a.value, w.value, sum.value);
                grid.set(r, c,
                         {.state = !known         ? unknown
                                   : works(r, c)  ? active
                                   : w.value != 0 ? loaded
                                                  : idle,
                          .value = sum.known ? static_cast<float>(sum.value) : 0.0F,
                          .note = note});
            }
    }
    context.trace(GridTrace::kKind, encodeGridTrace(grid.take()));
}

/// The same registers as a waveform: what enters at the left, what stays in the first PE, what leaves below. A stretch
/// in which a register keeps its value is one span.
void drawWaves(RunContext& context, const rtl::Job& job, const rtl::BenchRun& run)
{
    if (!run.wave.whole(job.array) || run.wave.cycles.empty())
        return;
    LaneTraceBuilder lanes("Waveform: " + job.design.name, "cycles");
    const auto some = lanes.state("a value", TraceColor::Series1), none = lanes.state("zero", TraceColor::Idle),
               unknown = lanes.state("unknown", TraceColor::Bad, "x"),
               tile = lanes.state("a tile", TraceColor::Series2);
    const auto& cycles = run.wave.cycles;
    const auto signal = [&](const std::string& name, const std::string& group, auto&& at) {
        const auto lane = lanes.lane(name, group);
        for (std::size_t from = 0; from < cycles.size();) {
            const rtl::WaveValue value = at(cycles[from]);
            std::size_t to = from + 1;
            while (to < cycles.size() && at(cycles[to]).known == value.known && at(cycles[to]).value == value.value)
                ++to;
            lanes.span(lane, double(from), double(to),
                       !value.known       ? unknown
                       : value.value == 0 ? none
                                          : some,
                       value.known ? fmt::format("{}", value.value) : std::string("x"));
            from = to;
        }
    };
    const auto work = lanes.lane("tile", "testbench");
    for (std::size_t i = 0; i < run.tiles.size(); ++i)
        if (run.tiles[i].started < cycles.size() && run.tiles[i].ended > run.tiles[i].started)
            lanes.span(work, double(run.tiles[i].started),
                       double(std::min<std::uint64_t>(run.tiles[i].ended, cycles.size())), tile, fmt::format("{}", i),
                       i + 1);
    const std::uint32_t rows = job.array.rows, cols = job.array.cols;
    for (std::uint32_t r = 0; r < rows; ++r)
        signal(fmt::format("row[{}].col[0].a", r), "activations enter",
               [at = std::size_t{r} * cols](const rtl::WaveMoment& m) { return m.activation[at]; });
    signal("w", "PE 0, 0", [](const rtl::WaveMoment& m) { return m.weight.front(); });
    signal("a", "PE 0, 0", [](const rtl::WaveMoment& m) { return m.activation.front(); });
    signal("sum", "PE 0, 0", [](const rtl::WaveMoment& m) { return m.sum.front(); });
    for (std::uint32_t c = 0; c < cols; ++c)
        signal(fmt::format("row[{}].col[{}].sum", rows - 1, c), "sums leave",
               [at = std::size_t{rows - 1} * cols + c](const rtl::WaveMoment& m) { return m.sum[at]; });
    context.trace(LaneTrace::kKind, encodeLaneTrace(lanes.take()));
}

std::string orElse(const std::string& wrong, std::string right)
{
    return wrong.empty() ? std::move(right) : wrong;
}

/// What must hold of a design in which no bug was planted.
void check(RunContext& context, const rtl::BenchRun& run, const rtl::Verdict& verdict)
{
    std::string unknown;
    if (verdict.unknown > 0)
        unknown =
            fmt::format("; {} results are unknown (x): a register is read before it has a value", verdict.unknown);
    context.check("product", verdict.right(),
                  orElse(verdict.firstWrong,
                         fmt::format("{} results, bit by bit as the engine in C++ has them", verdict.results)) +
                      unknown);
    context.check("testbench", run.wrong == 0,
                  run.wrong == 0 ? "the testbench found nothing"
                                 : fmt::format("the testbench found {} faults, the first: {}", run.wrong,
                                               run.words.empty() ? std::string("not said") : run.words.front()));
    context.check("cycles", verdict.inTime(),
                  fmt::format("{} cycles, {} in closed form", verdict.cycles, verdict.expected));
    if (verdict.registers > 0)
        context.check(
            "registers", verdict.registersWrong == 0,
            orElse(verdict.firstRegister,
                   fmt::format("{} values of weights, activations and sums, cycle by cycle as the engine has them",
                               verdict.registers)));
}

Error stuck(const rtl::Job& job, const rtl::BenchRun& run)
{
    return {"rtl-stuck", run.stuck->sentence(job), job.design.name,
            "look for an answer that waits for another one, or that is unknown (x) because nothing resets it"};
}

/// The operands of a test of the array by itself.
class Stimuli {
public:
    explicit Stimuli(std::uint64_t seed) : m_rng(seed) {}

    rtl::Tile tile(const Array& array, std::uint32_t stream, std::string_view kind)
    {
        rtl::Tile tile;
        tile.weights = values(std::size_t{array.rows} * array.cols, kind);
        tile.activations = values(std::size_t{stream} * array.rows, kind);
        if (kind == "corners") { // the largest sum that there is
            for (std::uint32_t r = 0; r < array.rows; ++r)
                tile.weights[std::size_t{r} * array.cols] = tile.activations[r] = -128;
        }
        return tile;
    }

private:
    std::vector<std::int8_t> values(std::size_t count, std::string_view kind)
    {
        std::vector<std::int8_t> all(count);
        for (std::int8_t& each : all) {
            const std::uint32_t drawn = m_rng.nextU32();
            each = static_cast<std::int8_t>(kind == "positive"  ? drawn % 8
                                            : kind == "corners" ? (drawn % 2 == 0 ? 0x80 : 0x7f)
                                                                : drawn);
        }
        return all;
    }
    Rng m_rng;
};

class RtlArrayExperiment : public Experiment {
public:
    RtlArrayExperiment()
    {
        m_info.id = "rtl_array";
        m_info.title = "An array in SystemVerilog under test";
        m_info.module = 3;
        m_info.summary = "Simulates a systolic array in Icarus Verilog and holds it against the engine, bit by bit.";
        std::vector<std::string> bugs = {"none"};
        std::string titles = "Planted in the design that comes with the program.";
        for (const rtl::Fault& fault : rtl::faults()) {
            bugs.emplace_back(fault.id);
            titles += fmt::format(" {}: {}.", fault.id, fault.title);
        }
        m_info.parameters = {
            integerParam("n", "Side", "PEs", 4, rtl::Job::kMostSide, 8, ParamScale::Log2,
                         "Rows and columns of the array."),
            integerParam("m", "Rows of activations", "", 1, 4096, 16, ParamScale::Log2, "In each tile."),
            integerParam("tiles", "Tiles", "", 1, 256, 12, ParamScale::Log2, "One behind the other."),
            choiceParam("stimuli", "Operands", {"positive", "random", "corners", "all"}, "all",
                        "positive: 0 to 7; random: any; corners: -128 and 127; all: in turns."),
            switchParam("pressure", "Gaps and holds", true,
                        "Whether three of four tiles come with gaps, are held back, or both."),
            choiceParam("bug", "Bug", bugs, "none", titles),
            integerParam("operand_seed", "Seed", "", 0, 1 << 30, kOperandSeed, ParamScale::Linear, "Of the operands."),
            designParam(),
            secondsParam()};
        m_info.targets = {kModelTarget};
        m_info.metrics = {
            {"cycles", "Cycles", "cycles",
             "Of all tiles, without the cycles in which the testbench made the array wait."},
            {"cycles_expected", "Closed form", "cycles", "Tiles x (2 rows + columns + m - 2)."},
            {"matches", "Matches", "1", "1: every result has the engine's bits."},
            {"found", "Found", "1", "1: the testbench found a wrong result, a wrong time or a design that is stuck."},
            {"wrong", "Wrong results", "1", "Unknown and missing ones too."},
            {"unknown", "Unknown results", "1", "Some bit is x."},
            {"results", "Results", "1", "That were compared."},
            {"waits", "Waits", "cycles", "Gaps in the activations and holds of the results."},
            {"registers_wrong", "Wrong registers", "1", "Of weights, activations and sums in the waveform."},
            {"utilization", "Utilisation", "1", "Multiplications over PEs x cycles."}};
        m_info.charts = {{"cycles_over_n", "Cycles over the side", "n", "cycles", ParamScale::Log2, ParamScale::Log2},
                         {"utilization_over_m", "Utilisation over rows", "m", "utilization", ParamScale::Log2},
                         {"found_over_bug", "Which bugs are found", "bug", "found", ParamScale::List}};
        m_info.limits = {{"utilization", "every PE, every cycle", "upper", "1", "a PE multiplies once a cycle"}};
        m_info.scene = "grid";
        m_info.scenes = {"lanes"};
        m_info.drawsNothing = true; // its operands have a seed of their own
    }
    const ExperimentInfo& info() const override { return m_info; }

    Result<void> run(const ParamSet& params, RunContext& context) const override
    {
        auto design = designOf(params);
        if (!design)
            return design.error();
        const std::string& bug = choice(params, "bug");
        const bool planted = bug != "none";
        if (planted && given(params, "design"))
            return Error{"bad-value", "a bug is planted only in the design that comes with the program",
                         "parameters bug, design", "set bug=none, or leave design empty"};
        if (planted)
            design = rtl::withFault(*design, bug);
        if (!design)
            return design.error();
        rtl::Job job;
        job.design = *design;
        const auto side = static_cast<std::uint32_t>(integer(params, "n"));
        job.array = {side, side};
        job.stream = static_cast<std::uint32_t>(integer(params, "m"));
        const std::uint64_t tiles = integer(params, "tiles");
        if (auto good = rtl::Job::check(job.array, tiles, job.stream); !good)
            return good.error();
        constexpr std::array<std::string_view, 3> kStimuli = {"random", "corners", "positive"};
        const std::string& kind = choice(params, "stimuli");
        Stimuli stimuli(integer(params, "operand_seed"));
        for (std::uint64_t i = 0; i < tiles; ++i) {
            job.tiles.push_back(stimuli.tile(job.array, job.stream, kind == "all" ? kStimuli[i % 3] : kind));
            job.tiles.back().gaps = integer(params, "pressure") != 0 && (i & 1) != 0;
            job.tiles.back().holds = integer(params, "pressure") != 0 && (i & 2) != 0;
        }
        bound(job, params, context);
        context.progress(0.1, "simulating the design");
        const auto run = rtl::runBench(job);
        if (!run)
            return run.error();
        if (run->stuck && !planted)
            return stuck(job, *run);
        const auto verdict = rtl::judge(job, *run);
        if (!verdict)
            return verdict.error();
        const auto tell = [&](const char* name, auto value) {
            context.metric(name, static_cast<double>(value), Provenance::Simulated);
        };
        if (!run->stuck) {
            tell("cycles", verdict->cycles);
            tell("utilization", double(tiles * job.stream) / double(std::max<std::uint64_t>(verdict->cycles, 1)));
        }
        context.metric("cycles_expected", double(verdict->expected), Provenance::Modelled);
        tell("matches", verdict->right());
        tell("found", run->stuck || run->wrong > 0 || !verdict->inTime());
        tell("wrong", verdict->wrong);
        tell("unknown", verdict->unknown);
        tell("results", verdict->results);
        std::uint64_t waits = 0;
        for (const rtl::TileRun& tile : run->tiles)
            waits += tile.gaps + tile.holds;
        tell("waits", waits);
        tell("registers_wrong", verdict->registersWrong);
        context.limit("utilization", 1);
        context.log(run->tool);
        for (const std::string& word : run->words)
            context.log(word);
        if (!planted)
            check(context, *run, *verdict);
        else if (run->stuck)
            context.log(run->stuck->sentence(job));
        else if (!verdict->inTime())
            context.log(fmt::format("{} cycles, {} in closed form", verdict->cycles, verdict->expected));
        if (context.wantsTrace()) {
            draw(context, job, *run);
            drawWaves(context, job, *run);
        }
        return {};
    }

private:
    ExperimentInfo m_info;
};

class RtlExperiment : public Experiment {
public:
    RtlExperiment()
    {
        m_info.id = "rtl";
        m_info.title = "A product on an array in SystemVerilog";
        m_info.module = 3;
        m_info.summary =
            "Runs C = A B fold by fold on the array in Icarus Verilog; sums of folds are added outside of it.";
        const auto side = [](const char* name, const char* title) {
            return integerParam(name, title, "PEs", 0, 1 << 20, 8, ParamScale::Log2, "Of the array, 2 to 32.");
        };
        const auto size = [](const char* name, const char* help) {
            return integerParam(name, name, "", 0, Gemm::kMostSide, 16, ParamScale::Log2, help);
        };
        m_info.parameters = {side("rows", "Rows"),
                             side("cols", "Columns"),
                             size("m", "C[m,n] = A[m,k] B[k,n], int8 summed in int32."),
                             size("n", "Columns of B."),
                             size("k", "Columns of A."),
                             designParam(),
                             secondsParam()};
        m_info.targets = {kModelTarget};
        m_info.metrics = {{"cycles", "Cycles", "cycles", "Clock edges from the first weights to the last result."},
                          {"matches", "Matches", "1", "1: the product has the engine's bits."},
                          {"wrong", "Wrong results", "1", "Of all folds."},
                          {"folds", "Folds", "folds", "Pieces of the product that run one after the other."},
                          {"utilization", "Utilisation", "1", "Multiplications over PEs x cycles."}};
        m_info.charts = {{"cycles_over_m", "Cycles over m", "m", "cycles", ParamScale::Log2, ParamScale::Log2},
                         {"cycles_over_rows", "Cycles over rows", "rows", "cycles", ParamScale::Log2}};
        m_info.limits = {{"utilization", "every PE, every cycle", "upper", "1", "a PE multiplies once a cycle"}};
        m_info.scene = "grid";
        m_info.scenes = {"lanes"};
        m_info.drawsNothing = true; // its operands have a seed of their own
    }
    const ExperimentInfo& info() const override { return m_info; }

    Result<void> run(const ParamSet& params, RunContext& context) const override
    {
        rtl::Job job;
        job.array = {static_cast<std::uint32_t>(integer(params, "rows")),
                     static_cast<std::uint32_t>(integer(params, "cols"))};
        const Gemm gemm{integer(params, "m"), integer(params, "n"), integer(params, "k")};
        if (auto good = rtl::Job::check(job.array, 1, 1); !good)
            return good.error();
        if (auto good = checkGemm(gemm); !good)
            return good.error();
        const Folding folding = foldingOf(job.array, Dataflow::WeightStationary, gemm);
        if (auto good = rtl::Job::check(job.array, folding.folds(), gemm.m); !good)
            return good.error();
        const auto design = designOf(params);
        if (!design)
            return design.error();
        job.design = *design;
        job.stream = static_cast<std::uint32_t>(gemm.m);
        const Operands operands = randomOperands(gemm, kOperandSeed);
        for (std::uint64_t fold = 0; fold < folding.folds(); ++fold)
            job.tiles.push_back(tileOf(job, operands, folding, fold));
        bound(job, params, context);
        context.progress(0.1, "simulating the design");
        const auto run = rtl::runBench(job);
        if (!run)
            return run.error();
        if (run->stuck)
            return stuck(job, *run);
        const auto verdict = rtl::judge(job, *run);
        if (!verdict)
            return verdict.error();
        auto engine = ArrayEngine::make(job.array, Dataflow::WeightStationary, operands);
        if (!engine)
            return engine.error();
        engine->step(engine->cycles());
        const bool matches = verdict->right() && summed(job, *run, folding, gemm) == engine->product();
        const auto tell = [&](const char* name, auto value) {
            context.metric(name, static_cast<double>(value), Provenance::Simulated);
        };
        tell("cycles", verdict->cycles);
        tell("matches", matches);
        tell("wrong", verdict->wrong);
        tell("folds", folding.folds());
        tell("utilization", double(gemm.macs()) /
                                (double(job.array.elements()) * double(std::max<std::uint64_t>(verdict->cycles, 1))));
        context.limit("utilization", 1);
        context.log(run->tool);
        for (const std::string& word : run->words)
            context.log(word);
        check(context, *run, *verdict);
        context.check("folds", matches,
                      fmt::format("{} sums over {} folds, bit by bit as the engine in C++ has them", gemm.m * gemm.n,
                                  folding.folds()));
        if (context.wantsTrace()) {
            draw(context, job, *run);
            drawWaves(context, job, *run);
        }
        return {};
    }

private:
    /// In the engine's order: folds of k one after the other, then the next columns.
    static std::pair<std::uint64_t, std::uint64_t> placeOf(const rtl::Job& job, const Folding& folding,
                                                           std::uint64_t fold)
    {
        return {fold % folding.rowFolds * job.array.rows, fold / folding.rowFolds * job.array.cols};
    }

    static rtl::Tile tileOf(const rtl::Job& job, const Operands& operands, const Folding& folding, std::uint64_t fold)
    {
        const auto [k0, n0] = placeOf(job, folding, fold);
        const auto [m, n, k] = operands.gemm;
        const std::uint64_t rows = job.array.rows, cols = job.array.cols;
        rtl::Tile tile;
        tile.weights.assign(rows * cols, 0); // zeros where the fold does not fill the array
        tile.activations.assign(m * rows, 0);
        for (std::uint64_t r = 0; r < std::min(rows, k - k0); ++r) {
            for (std::uint64_t c = 0; c < std::min(cols, n - n0); ++c)
                tile.weights[r * cols + c] = operands.b[(k0 + r) * n + n0 + c];
            for (std::uint64_t i = 0; i < m; ++i)
                tile.activations[i * rows + r] = operands.a[i * k + k0 + r];
        }
        return tile;
    }

    /// The sums of all folds, modulo 2^32.
    static std::vector<std::int32_t> summed(const rtl::Job& job, const rtl::BenchRun& run, const Folding& folding,
                                            const Gemm& gemm)
    {
        std::vector<std::uint32_t> sums(gemm.m * gemm.n);
        for (std::uint64_t fold = 0; fold < run.tiles.size(); ++fold) {
            const std::uint64_t n0 = placeOf(job, folding, fold).second, cols = job.array.cols;
            for (std::uint64_t i = 0; i < gemm.m; ++i)
                for (std::uint64_t c = 0; c < std::min(cols, gemm.n - n0); ++c)
                    sums[i * gemm.n + n0 + c] +=
                        static_cast<std::uint32_t>(run.tiles[fold].results[i * cols + c].value);
        }
        return {sums.begin(), sums.end()};
    }

    ExperimentInfo m_info;
};

} // namespace

std::unique_ptr<Experiment> makeRtlArray()
{
    return std::make_unique<RtlArrayExperiment>();
}

std::unique_ptr<Experiment> makeRtl()
{
    return std::make_unique<RtlExperiment>();
}

} // namespace ridge::labs
