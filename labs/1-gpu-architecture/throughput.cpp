// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/1-gpu-architecture/throughput_info.h"
#include "labs/catalogue.h"
#include "labs/gpu_experiment.h"
#include "labs/harness/buffers.h"
#include "labs/harness/declare.h"
#include "labs/harness/half_bits.h"
#include "labs/harness/pipe_rates.h"
#include "labs/harness/simulated_time.h"
#include "labs/harness/warp_spans.h"
#include "labs/harness/work.h"
#include "silicon/chip_catalogue.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <fmt/core.h>

namespace ridge::labs {
namespace {

constexpr std::uint64_t kChains = 8; // words of output a thread, whatever the number of chains
constexpr std::uint64_t kWarpsPerBlock = 32;

// ---- what the chains compute ----------------------------------------------------------------------------------------

float asFloat(std::uint64_t bits)
{
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
}
std::uint64_t bitsOf(float value)
{
    return std::bit_cast<std::uint32_t>(value);
}

/// The operation: its instruction on the CPU, from one 64-bit word of state to the next, with two constants.
struct Chain {
    const char* name;
    Operation operation;
    const char* file;
    double work; ///< operations of a warp instruction; 0: see productWork()
    bool isFloat;
    int capability; ///< 10 × major + minor, the oldest that has it
    std::uint64_t a, c;
    std::uint64_t (*start)(std::uint64_t index);
    std::uint64_t (*step)(std::uint64_t x, std::uint64_t a, std::uint64_t c);
};

std::uint64_t floatStart(std::uint64_t index)
{
    return bitsOf((static_cast<float>(index * 37 % 256) - 128) / 128);
}

const Chain kOperations[] = {
    {"fma_fp32", Operation::FmaFp32, kChainsKernel, 64, true, 70, bitsOf(-1.9f), 0, floatStart,
     [](std::uint64_t x, std::uint64_t a, std::uint64_t) {
         return bitsOf(std::fma(asFloat(x), asFloat(x), asFloat(a)));
     }},
    {"fma_fp64", Operation::FmaFp64, kChainsKernel, 64, true, 70, std::bit_cast<std::uint64_t>(-1.9), 0,
     [](std::uint64_t index) {
         return std::bit_cast<std::uint64_t>((static_cast<double>(index * 37 % 256) - 128) / 128);
     },
     [](std::uint64_t x, std::uint64_t a, std::uint64_t) {
         const auto value = std::bit_cast<double>(x);
         return std::bit_cast<std::uint64_t>(std::fma(value, value, std::bit_cast<double>(a)));
     }},
    {"fma_half2", Operation::FmaHalf2, kChainsKernel, 128, true, 70, 0xbf9abf9a, 0, // -1.9 twice
     [](std::uint64_t index) {
         const auto half = [](std::uint64_t i) {
             return std::uint64_t{toHalf((static_cast<double>(i % 256) - 128) / 128)};
         };
         return half(index * 37) << 16 | half(index * 91 + 5);
     },
     [](std::uint64_t x, std::uint64_t a, std::uint64_t) {
         return std::uint64_t{squarePlus(static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(a))};
     }},
    {"imad", Operation::Imad, kChainsKernel, 64, false, 70, 1664525, 1013904223,
     [](std::uint64_t index) { return index * 2654435761u & 0xffffffff; },
     [](std::uint64_t x, std::uint64_t a, std::uint64_t c) { return (x * a + c) & 0xffffffff; }},
    {"mufu_rcp", Operation::Mufu, kChainsKernel, 32, true, 70, 0, 0,
     [](std::uint64_t index) { return bitsOf(1.25f + static_cast<float>(index) / 256); },
     [](std::uint64_t x, std::uint64_t, std::uint64_t) { return bitsOf(1 / asFloat(x)); }},
    {"mufu_ex2", Operation::Mufu, kChainsKernel, 32, true, 70, 0, 0, floatStart,
     [](std::uint64_t x, std::uint64_t, std::uint64_t) { return bitsOf(std::exp2(-asFloat(x))); }},
    {"convert", Operation::Convert, kChainsKernel, 32, false, 70, 0, 0,
     [](std::uint64_t index) { return index * 2654435761u & 0x7fffffff; },
     [](std::uint64_t x, std::uint64_t, std::uint64_t) {
         return bitsOf(static_cast<float>(static_cast<std::int32_t>(x)));
     }},
    {"shuffle", Operation::Shuffle, kChainsKernel, 32, false, 70, 0, 0,
     [](std::uint64_t index) { return index * 2654435761u & 0xffffffff; }, nullptr},
    {"shared_load", Operation::SharedLoad, kChainsKernel, 32, false, 70, 0, 0,
     [](std::uint64_t index) { return 128 * (index % 256 / 32) + 4 * (index % 32); },
     [](std::uint64_t x, std::uint64_t, std::uint64_t) { return 128 * ((5 * (x / 128) + 1) % 16) + x % 128; }},
    {"mma_fp16", Operation::MmaFp16, kTensorKernel, 0, true, 70, 0, 0, nullptr, nullptr},
    {"mma_bf16", Operation::MmaBf16, kTensorKernel, 0, true, 80, 0, 0, nullptr, nullptr},
    {"mma_tf32", Operation::MmaTf32, kTensorKernel, 0, true, 80, 0, 0, nullptr, nullptr},
    {"mma_int8", Operation::MmaInt8, kTensorKernel, 0, false, 75, 0, 0, nullptr, nullptr},
};

/// m, n and k of a warp instruction in a program compiled for `arch`: what 02_tensor_chains.cu chooses. Volta's m8n8k4
/// multiplies four pairs of tiles.
struct Shape {
    double m = 16, n = 8, k = 16, tiles = 1;
    double work() const { return 2 * m * n * k * tiles; }
};
Shape shapeOf(Operation operation, int arch)
{
    switch (operation) {
    case Operation::MmaTf32:
        return {16, 8, 8, 1};
    case Operation::MmaInt8:
        return arch >= 80 ? Shape{16, 8, 32, 1} : Shape{8, 8, 16, 1};
    default:
        return arch >= 80 ? Shape{16, 8, 16, 1} : arch >= 75 ? Shape{16, 8, 8, 1} : Shape{8, 8, 4, 4};
    }
}

struct Setting {
    const Chain* chain = nullptr;
    std::uint64_t ilp = 1, warps = 1, turns = 1, sms = 1;
    int arch = 0; ///< that the program was compiled for

    bool tensor() const { return chain->start == nullptr; }
    std::uint64_t blocksPerSm() const { return (warps + kWarpsPerBlock - 1) / kWarpsPerBlock; }
    std::uint64_t allWarps() const { return warps * sms; }
    std::uint64_t threads() const { return 32 * allWarps(); }
    /// Of one chain, with the one that is not timed.
    std::uint64_t steps() const { return turns * kTurnInstructions / ilp + 1; }
    std::uint64_t instructionsPerWarp() const { return turns * kTurnInstructions; }
    double work() const { return tensor() ? shapeOf(chain->operation, arch).work() : chain->work; }
    double operations() const { return work() * static_cast<double>(instructionsPerWarp() * allWarps()); }
    std::string kernel() const { return fmt::format("{}_{}", chain->name, ilp); }
};

Setting settingOf(const ParamSet& params, const gpu::DeviceInfo& info)
{
    Setting setting;
    const auto& name = choice(params, "operation");
    setting.chain = std::find_if(std::begin(kOperations), std::end(kOperations),
                                 [&](const Chain& chain) { return name == chain.name; });
    setting.ilp = integer(params, "ilp");
    setting.warps = integer(params, "warps");
    setting.turns = integer(params, "turns");
    const std::uint64_t all = std::max(1u, info.smCount), wanted = integer(params, "sms");
    setting.sms = wanted == 0 ? all : std::min(wanted, all);
    return setting;
}

Result<void> refuse(const Setting& setting, const gpu::DeviceInfo& info)
{
    const int capability = 10 * info.computeMajor + info.computeMinor;
    if (capability < setting.chain->capability)
        return Error{"unsupported-operation",
                     fmt::format("{} needs compute capability {}.{}, {} has {}.{}", setting.chain->name,
                                 setting.chain->capability / 10, setting.chain->capability % 10, info.name,
                                 info.computeMajor, info.computeMinor),
                     "throughput: operation", "set operation=mma_fp16 or choose a newer chip"};
    std::uint64_t most = 64;
    if (const auto catalogue = silicon::shippedCatalogue())
        if (const auto limits = catalogue->limits(info.computeMajor, info.computeMinor))
            most = limits->maxWarpsPerSm;
    if (setting.tensor())
        most = std::min(most, kWarpsPerBlock); // their accumulators fill the registers of one block an SM
    if (setting.warps > most)
        return Error{"bad-launch",
                     fmt::format("an SM of {} holds {} warps of {}, not {}", info.name, most, setting.chain->name,
                                 setting.warps),
                     "throughput: warps", fmt::format("set warps={} or fewer", most)};
    return {};
}

/// "sm_75" -> 75.
int archOf(const gpu::LoadedProgram& program)
{
    const std::string& text = program.program().arch;
    int arch = 0;
    const std::size_t digits = text.find_first_of("0123456789");
    if (digits != text.npos)
        std::from_chars(text.data() + digits, text.data() + text.size(), arch);
    return arch;
}

// ---- correctness ----------------------------------------------------------------------------------------------------

/// 32 starts for each of 8 chains, then the two constants, each for every lane.
std::vector<std::uint64_t> startsOf(const Chain& chain)
{
    std::vector<std::uint64_t> words;
    for (std::uint64_t i = 0; i < 32 * kChains; ++i)
        words.push_back(chain.start(i));
    for (std::uint64_t lane = 0; lane < 32; ++lane)
        words.push_back(chain.operation == Operation::Shuffle ? (lane + 1) % 32 : chain.a);
    words.insert(words.end(), 32, chain.c);
    return words;
}

/// Where the chains of a warp end; [chain × 32 + lane]. Empty when cancelled.
std::vector<std::uint64_t> endsOf(RunContext& context, const Setting& setting)
{
    const Chain& chain = *setting.chain;
    std::vector<std::uint64_t> ends;
    for (std::uint64_t i = 0; i < 32 * setting.ilp; ++i) {
        if (context.cancelled())
            return {};
        if (chain.operation == Operation::Shuffle) {
            ends.push_back(chain.start(i / 32 * 32 + (i + setting.steps()) % 32));
            continue;
        }
        std::uint64_t x = chain.start(i);
        // 2^-x is at its fixed point after 200 steps; 1/x alternates.
        std::uint64_t steps = setting.steps();
        if (chain.operation == Operation::Mufu)
            steps = std::min<std::uint64_t>(steps, 200 + steps % 2);
        for (std::uint64_t step = 0; step < steps; ++step)
            x = chain.step(x, chain.a, chain.c);
        ends.push_back(chain.operation == Operation::FmaFp64 ? (x ^ x >> 32) & 0xffffffff : x);
    }
    return ends;
}

/// Relative error that the approximate functions may have made (PTX ISA: rcp.approx one ulp, ex2.approx.ftz 2^-22; the
/// steps of the latter shrink what was wrong before to less than half).
double toleranceOf(const Setting& setting)
{
    if (setting.chain->operation != Operation::Mufu)
        return 0;
    return std::string_view(setting.chain->name) == "mufu_ex2" ? 1e-6 : static_cast<double>(setting.steps()) * 0x1p-23;
}

/// The weighted sum of one accumulator over the chains, for register `r` of a lane.
std::uint32_t productEnd(const Setting& setting, std::uint64_t lane, std::uint64_t r)
{
    const Shape shape = shapeOf(setting.chain->operation, setting.arch);
    const bool volta = shape.tiles > 1;
    const std::uint64_t row = lane / 4 + 8 * (r / 2), column = 2 * (lane % 4) + r % 2;
    const std::int64_t a = volta ? 1 : 1 + static_cast<std::int64_t>((row + row / 8) % 2);
    const std::int64_t b = volta || column % 2 == 0 ? 1 : -1;
    const std::int64_t grown = static_cast<std::int64_t>(setting.steps()) * static_cast<std::int64_t>(shape.k) * a * b;
    std::uint32_t sum = 0;
    for (std::uint64_t k = 0; k < setting.ilp; ++k)
        sum = sum * 31 + static_cast<std::uint32_t>(static_cast<std::int64_t>(k) + grown);
    return sum;
}

/// Registers of an accumulator's tile.
std::uint64_t tileRegisters(const Setting& setting)
{
    const Shape shape = shapeOf(setting.chain->operation, setting.arch);
    return static_cast<std::uint64_t>(shape.m * shape.n * shape.tiles / 32);
}

Result<void> checkOutput(GpuContext& context, const Setting& setting, gpu::DevicePtr out)
{
    Comparison comparison;
    const double tolerance = toleranceOf(setting);
    std::vector<std::uint64_t> ends;
    if (!setting.tensor()) {
        ends = endsOf(context, setting);
        if (ends.empty())
            return Error{"cancelled", "the run was cancelled", "throughput", ""};
    }
    const std::uint64_t used = setting.tensor() ? tileRegisters(setting) : setting.ilp;
    const auto see = [&](std::uint64_t i, std::uint32_t got) {
        const std::uint64_t word = i % kChains, lane = i / kChains % 32;
        if (word >= used)
            return;
        if (setting.tensor()) {
            const std::uint32_t wanted = productEnd(setting, lane, word);
            comparison.see(i, got == wanted, got, wanted);
        } else if (tolerance > 0) {
            const float wanted = asFloat(ends[32 * word + lane]), value = asFloat(got);
            comparison.see(i, std::fabs(value - wanted) <= tolerance * wanted, value, wanted);
        } else {
            const auto wanted = static_cast<std::uint32_t>(ends[32 * word + lane]);
            comparison.see(i, got == wanted, got, wanted);
        }
    };
    if (auto read = readBack<std::uint32_t>(context, out, setting.threads() * kChains, see); !read)
        return read;
    comparison.report(context, tolerance > 0 ? fmt::format("within {:.2g} of it", tolerance) : "bit for bit");
    return {};
}

// ---- time -----------------------------------------------------------------------------------------------------------

/// Medians over the SMs.
struct Pace {
    double cyclesPerInstruction = 0; ///< of a scheduler that has a warp
    double instructionsPerClock = 0; ///< of an SM
    double cyclesPerStep = 0;        ///< of a chain
    double activeWarps = 0;
};

Result<Pace> paceOf(GpuContext& context, const Setting& setting, gpu::DevicePtr spans)
{
    const auto sms = readSpans(context, spans, setting.allWarps());
    if (!sms)
        return sms.error();
    const auto each = static_cast<double>(setting.instructionsPerWarp());
    const auto issued = [&](const SmSpan& sm) { return each * static_cast<double>(sm.warps); };
    Pace pace;
    pace.cyclesPerInstruction = medianOf(*sms, [&](const SmSpan& sm) {
        return sm.cycles() * std::min(4.0, static_cast<double>(sm.warps)) / issued(sm);
    });
    pace.instructionsPerClock = medianOf(*sms, [&](const SmSpan& sm) { return issued(sm) / sm.cycles(); });
    pace.cyclesPerStep = medianOf(*sms, [&](const SmSpan& sm) {
        return static_cast<double>(sm.busy) / issued(sm) * static_cast<double>(setting.ilp);
    });
    pace.activeWarps = medianOf(*sms, [](const SmSpan& sm) { return sm.activeWarps(); });
    return pace;
}

void reportPace(GpuContext& context, const Setting& setting, const Pace& pace)
{
    const gpu::DeviceInfo& info = context.device().info();
    const auto by = info.provenance;
    context.metric("cycles_per_instruction", pace.cyclesPerInstruction, by);
    context.metric("cycles_per_step", pace.cyclesPerStep, by);
    context.metric("op_rate", pace.instructionsPerClock * setting.work(), by);
    context.metric("active_warps", pace.activeWarps, by);
    context.metric("instructions", static_cast<double>(setting.instructionsPerWarp() * setting.allWarps()),
                   Provenance::Modelled);
    if (setting.chain->isFloat)
        context.metric("flop", setting.operations(), Provenance::Modelled);
    const auto most = instructionsPerClock(info, setting.chain->operation, setting.work());
    if (!most) {
        context.limit("cycles_per_instruction", 1);
        return;
    }
    // Shuffles and shared memory have one pipe an SM, which a single scheduler may fill.
    const bool shared =
        setting.chain->operation == Operation::Shuffle || setting.chain->operation == Operation::SharedLoad;
    const double schedulers = shared ? std::min(4.0, static_cast<double>(setting.warps)) : 4;
    context.limit("cycles_per_instruction", std::max(1.0, schedulers / *most));
    context.limit("op_rate", *most * setting.work());
    context.metric("peak_share", 100 * pace.instructionsPerClock / *most, by);
    context.limit("peak_share", 100);
}

class Throughput : public GpuExperiment {
public:
    Throughput() { m_info = throughputInfo(); }
    const ExperimentInfo& info() const override { return m_info; }
    std::vector<std::string> kernels(const ParamSet& params, const gpu::DeviceInfo& info) const override
    {
        return {settingOf(params, info).chain->file};
    }
    Result<void> runOnDevice(const ParamSet& params, GpuContext& context) const override;

private:
    ExperimentInfo m_info;
};

gpu::Launch launchOf(const Setting& setting, gpu::DevicePtr start, gpu::DevicePtr out, gpu::DevicePtr spans)
{
    gpu::Launch launch;
    launch.kernel = setting.kernel();
    launch.grid = {static_cast<std::uint32_t>(setting.blocksPerSm() * setting.sms), 1, 1};
    launch.block = {static_cast<std::uint32_t>(32 * setting.warps / setting.blocksPerSm()), 1, 1};
    const auto turns = static_cast<std::uint32_t>(setting.turns);
    if (setting.tensor())
        launch.args = {out, spans, turns, std::uint32_t{setting.arch >= 75 ? 2u : 1u}};
    else
        launch.args = {start, out, spans, turns};
    return launch;
}

Result<void> Throughput::runOnDevice(const ParamSet& params, GpuContext& context) const
{
    gpu::Device& device = context.device();
    Setting setting = settingOf(params, device.info());
    if (auto fits = refuse(setting, device.info()); !fits)
        return fits;
    const auto program = context.kernel(setting.chain->file);
    if (!program)
        return program.error();
    setting.arch = archOf(**program);
    if (setting.arch < setting.chain->capability)
        return Error{"no-kernel",
                     fmt::format("{} is not in the PTX at hand, which is for sm_{}", setting.chain->name, setting.arch),
                     setting.chain->file, "install a CUDA compiler (`ridge compilers` tells which are there)"};

    Buffers buffers(device);
    const std::vector<std::uint64_t> starts =
        setting.tensor() ? std::vector<std::uint64_t>(1) : startsOf(*setting.chain);
    const std::uint64_t outBytes = setting.threads() * kChains * 4, spanBytes = setting.allWarps() * sizeof(WarpSpan);
    const auto start = buffers.allocate(starts.size() * 8, "start");
    const auto out = start ? buffers.allocate(outBytes, "out") : start;
    const auto spans = out ? buffers.allocate(spanBytes, "spans") : out;
    if (!spans)
        return spans.error();
    if (auto copied = device.copyToDevice(*start, std::as_bytes(std::span(starts))); !copied)
        return copied;
    for (const auto& [to, bytes] : {std::pair{*out, outBytes}, std::pair{*spans, spanBytes}})
        if (auto poisoned = poison(context, to, bytes); !poisoned)
            return poisoned;

    const gpu::Sequence sequence{{*program, launchOf(setting, *start, *out, *spans)}};
    const auto done = executeOnce(context, sequence);
    if (!done)
        return done.error();
    if (auto checked = checkOutput(context, setting, *out); !checked)
        return checked;
    if (auto guards = buffers.checkGuards(context); !guards)
        return guards;
    context.progress(0.6, "checked against the CPU");
    gpu::Arm arm{setting.kernel(), {sequence}};
    const auto measured = measure(context, *done, std::span(&arm, 1));
    if (!measured)
        return measured.error();
    const auto pace = paceOf(context, setting, *spans); // of the last launch: on a GPU one at the clock of those timed
    if (!pace)
        return pace.error();
    reportPace(context, setting, *pace);
    reportSimulated(context, done->heaviest());
    if (measured->empty())
        return {};
    const Measured& time = measured->front();
    reportTime(context, time);
    context.metric("throughput", setting.operations() / time.seconds / 1e9, time.provenance);
    const double all = std::max(1u, device.info().smCount), used = static_cast<double>(setting.sms);
    if (time.clockHz > 0)
        context.metric("gpu_rate", pace->instructionsPerClock * setting.work() * all * time.clockHz / 1e9,
                       Provenance::Modelled);
    const auto peak = peakPerSecond(device.info(), setting.chain->operation, time.clockHz);
    if (peak && *peak > 0) {
        context.metric("peak", *peak / 1e9, Provenance::Modelled);
        context.limit("gpu_rate", *peak / 1e9);
        context.limit("throughput", *peak / 1e9 * used / all);
    }
    return {};
}

} // namespace

std::unique_ptr<GpuExperiment> makeThroughput()
{
    return std::make_unique<Throughput>();
}

} // namespace ridge::labs
