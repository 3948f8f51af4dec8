// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/1-gpu-architecture/roofline_info.h"

#include "host/machine.h"
#include "labs/catalogue.h"
#include "labs/gpu_experiment.h"
#include "labs/harness/buffers.h"
#include "labs/harness/chip_latency.h"
#include "labs/harness/declare.h"
#include "labs/harness/half_bits.h"
#include "labs/harness/host_time.h"
#include "labs/harness/pipe_rates.h"
#include "labs/harness/simulated_time.h"
#include "labs/harness/work.h"

#include <bit>
#include <cmath>
#include <fmt/core.h>

namespace ridge::labs {
namespace {

constexpr std::uint64_t kPerRound = 16;    // elements of a thread
constexpr std::uint64_t kLoopStep = 64;    // operations for 16 elements in a turn of <type>_loop
constexpr std::uint64_t kPeriod = 4093;    // of the input's values, a prime: neighbours in no pattern have the same
constexpr std::uint64_t kFasterLevels = 8; // times the bytes
constexpr std::uint64_t kL2Passes = 16;    // the first of which comes from memory
constexpr std::uint32_t kBlockThreads = 128;
// Of a thread on a processor: inside the first and the second cache of every x86-64 core of the last ten years.
constexpr std::uint64_t kCpuFirstCache = 16 << 10, kCpuSecondCache = 256 << 10;

struct Type {
    const char* name;
    Operation operation;
    std::uint64_t bytes; ///< of an element
    double work;         ///< operations of one multiply-add on it
    bool isFloat;
};
constexpr Type kTypes[] = {{"fp32", Operation::FmaFp32, 4, 2, true},
                           {"fp64", Operation::FmaFp64, 8, 2, true},
                           {"half2", Operation::FmaHalf2, 4, 4, true},
                           {"int32", Operation::Imad, 4, 2, false}};

enum class Level { Hbm, L2, Shared };

struct Setting {
    const Type* type = nullptr;
    Level level = Level::Hbm;
    std::uint64_t per16 = 16; ///< multiply-adds for 16 elements
    std::uint64_t blocks = 1, rounds = 1, passes = 1;

    std::uint64_t threads() const { return blocks * kBlockThreads; }
    std::uint64_t elements() const { return threads() * rounds * kPerRound; } ///< of the input
    std::uint64_t inputBytes() const { return elements() * type->bytes; }
    std::uint64_t turns() const { return per16 / kLoopStep; }
    std::uint32_t sharedBytes() const
    {
        return level == Level::Shared ? static_cast<std::uint32_t>(kBlockThreads * rounds * kPerRound * type->bytes)
                                      : 0;
    }
    std::string kernel() const
    {
        return fmt::format("{}_{}_{}", level == Level::Shared ? "shared" : "global", type->name,
                           per16 < kLoopStep ? std::to_string(per16) : "loop");
    }
};

/// What a launch does and moves at its level: the one place that says so.
double operationsOf(const Setting& setting)
{
    return static_cast<double>(setting.elements() * setting.passes) * static_cast<double>(setting.per16) / kPerRound *
           setting.type->work;
}
double bytesOf(const Setting& setting)
{
    return static_cast<double>(setting.inputBytes() * setting.passes);
}

Setting settingOf(const ParamSet& params, const gpu::DeviceInfo& info)
{
    Setting setting;
    const auto& type = choice(params, "type");
    const auto& level = choice(params, "level");
    setting.type = std::find_if(std::begin(kTypes), std::end(kTypes), [&](const Type& t) { return type == t.name; });
    setting.level = level == "hbm" ? Level::Hbm : level == "l2" ? Level::L2 : Level::Shared;
    setting.per16 = integer(params, "fma_per_16");
    const std::uint64_t sms = std::max(1u, info.smCount), wanted = integer(params, "mebibytes") << 20;
    const std::uint64_t roundBytes = kBlockThreads * kPerRound * setting.type->bytes; // of a block
    setting.blocks = 4 * sms;
    // More bytes from the levels that are faster, fewer where each costs much arithmetic.
    const double perByte =
        static_cast<double>(setting.per16) / kPerRound * setting.type->work / static_cast<double>(setting.type->bytes);
    const auto most = static_cast<std::uint64_t>(static_cast<double>(integer(params, "max_mop")) * 1e6 / perByte);
    const std::uint64_t total = std::min(setting.level == Level::Hbm ? wanted : kFasterLevels * wanted, most);
    std::uint64_t once = total;
    if (setting.level == Level::Shared)
        once = setting.blocks * 8192; // four blocks an SM
    else if (setting.level == Level::L2)
        once = std::min(total / kL2Passes, info.l2Bytes > 0 ? info.l2Bytes / 4 : total);
    setting.rounds = std::max<std::uint64_t>(1, once / (setting.blocks * roundBytes));
    if (setting.level != Level::Hbm)
        setting.passes = std::max<std::uint64_t>(setting.level == Level::L2 ? kL2Passes : 1,
                                                 total / (setting.blocks * setting.rounds * roundBytes));
    return setting;
}

// ---- correctness ----------------------------------------------------------------------------------------------------

constexpr std::uint64_t kImadFactor = 1664525, kImadAddend = 1013904223;

/// The bits of the element at `index`; only index % kPeriod matters.
std::uint64_t elementBits(const Type& type, std::uint64_t index)
{
    const auto i = static_cast<double>(index % kPeriod * 37 % 2048);
    switch (type.operation) {
    case Operation::FmaFp32:
        return std::bit_cast<std::uint32_t>(static_cast<float>((i - 1024) / 1024));
    case Operation::FmaFp64:
        return std::bit_cast<std::uint64_t>((i - 1024) / 1024);
    case Operation::FmaHalf2:
        return std::uint64_t{toHalf((i - 1024) / 1024)} << 16 | toHalf((1023 - i) / 1024);
    default:
        return mixed(index % kPeriod, 1);
    }
}

std::uint64_t constantBits(const Type& type, bool addend)
{
    switch (type.operation) {
    case Operation::FmaFp32:
        return std::bit_cast<std::uint32_t>(-1.9f);
    case Operation::FmaFp64:
        return std::bit_cast<std::uint64_t>(-1.9);
    case Operation::FmaHalf2:
        return 0xbf9abf9a; // -1.9 twice
    default:
        return addend ? kImadAddend : kImadFactor;
    }
}

/// `steps` multiply-adds on the CPU, folded to 32 bits as the kernels fold.
std::uint32_t chained(const Type& type, std::uint64_t bits, std::uint64_t steps)
{
    switch (type.operation) {
    case Operation::FmaFp32: {
        auto x = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
        for (std::uint64_t i = 0; i < steps; ++i)
            x = std::fma(x, x, -1.9f);
        return std::bit_cast<std::uint32_t>(x);
    }
    case Operation::FmaFp64: {
        auto x = std::bit_cast<double>(bits);
        for (std::uint64_t i = 0; i < steps; ++i)
            x = std::fma(x, x, -1.9);
        const auto all = std::bit_cast<std::uint64_t>(x);
        return static_cast<std::uint32_t>(all ^ all >> 32);
    }
    case Operation::FmaHalf2:
        for (std::uint64_t i = 0; i < steps; ++i)
            bits = squarePlus(static_cast<std::uint32_t>(bits), 0xbf9abf9a);
        return static_cast<std::uint32_t>(bits);
    default: {
        auto x = static_cast<std::uint32_t>(bits);
        for (std::uint64_t i = 0; i < steps; ++i)
            x = x * static_cast<std::uint32_t>(kImadFactor) + static_cast<std::uint32_t>(kImadAddend);
        return x;
    }
    }
}

/// The results of all elements there are, with and without their share of the operations.
struct Table {
    std::vector<std::uint32_t> done, left;
};

Table tableOf(const Setting& setting)
{
    Table table;
    for (std::uint64_t i = 0; i < kPeriod; ++i) {
        const std::uint64_t bits = elementBits(*setting.type, i);
        table.done.push_back(chained(*setting.type, bits, std::max<std::uint64_t>(1, setting.per16 / kPerRound)));
        table.left.push_back(chained(*setting.type, bits, 0));
    }
    return table;
}

/// What thread `thread` adds up in one pass, modulo 2^32, if it takes the stretch of its own block.
std::uint32_t passSum(const Setting& setting, const Table& table, std::uint64_t thread)
{
    const std::uint64_t perVector = 16 / setting.type->bytes, vectors = kPerRound / perVector;
    const std::uint64_t apart = setting.per16 < kPerRound ? kPerRound / setting.per16 : 1;
    std::uint32_t sum = 0;
    for (std::uint64_t round = 0; round < setting.rounds; ++round)
        for (std::uint64_t j = 0; j < kPerRound; ++j) {
            const std::uint64_t k = round * vectors + j / perVector; // vector of the thread
            std::uint64_t vector = k * setting.threads() + thread;
            if (setting.level == Level::Shared)
                vector =
                    (thread / kBlockThreads * setting.rounds * vectors + k) * kBlockThreads + thread % kBlockThreads;
            const std::uint64_t element = (vector * perVector + j % perVector) % kPeriod;
            sum += j % apart == 0 ? table.done[element] : table.left[element];
        }
    return sum;
}

/// What the threads add up in all passes.
std::vector<std::uint32_t> expected(const Setting& setting)
{
    const Table table = tableOf(setting);
    std::vector<std::uint32_t> once, all(setting.threads());
    for (std::uint64_t thread = 0; thread < setting.threads(); ++thread)
        once.push_back(passSum(setting, table, thread));
    for (std::uint64_t thread = 0; thread < setting.threads(); ++thread)
        for (std::uint64_t pass = 0; pass < setting.passes; ++pass) {
            const std::uint64_t moved = setting.level == Level::Shared ? 0 : 37 * pass * kBlockThreads;
            all[thread] += once[(thread + moved) % setting.threads()];
        }
    return all;
}

Result<void> fillInput(GpuContext& context, const Setting& setting, gpu::DevicePtr in)
{
    if (setting.type->bytes == 8) {
        std::vector<std::uint64_t> values;
        for (std::uint64_t i = 0; i < kPeriod; ++i)
            values.push_back(elementBits(*setting.type, i));
        return fill<std::uint64_t>(context, in, setting.elements(), [&](auto i) { return values[i % kPeriod]; });
    }
    std::vector<std::uint32_t> values;
    for (std::uint64_t i = 0; i < kPeriod; ++i)
        values.push_back(static_cast<std::uint32_t>(elementBits(*setting.type, i)));
    return fill<std::uint32_t>(context, in, setting.elements(), [&](auto i) { return values[i % kPeriod]; });
}

// ---- reports --------------------------------------------------------------------------------------------------------

/// Bytes a second of the level; 0: not known.
double levelBandwidth(const gpu::DeviceInfo& info, Level level, double clockHz)
{
    switch (level) {
    case Level::Hbm:
        return info.memoryBytesPerSecond;
    case Level::Shared:
        return 128.0 * info.smCount * clockHz;
    default:
        const auto chip = chipLatency(info);
        return chip ? chip->l2BytesPerCycle * clockHz : 0;
    }
}

void report(GpuContext& context, const Setting& setting, const Measured& time, bool counted)
{
    const gpu::DeviceInfo& info = context.device().info();
    const double operations = operationsOf(setting), bytes = bytesOf(setting);
    context.metric("intensity", operations / bytes, Provenance::Modelled);
    if (setting.type->isFloat)
        context.metric("flop", operations, Provenance::Modelled);
    const char* const moved[] = {"dram_bytes", "l2_bytes", "l1_bytes"};
    if (setting.level != Level::Hbm || !counted) // a simulator has counted what came from memory
        context.metric(moved[static_cast<int>(setting.level)], bytes, Provenance::Modelled);
    context.metric("rate", operations / time.seconds / 1e9, time.provenance);
    context.metric("bandwidth", bytes / time.seconds / 1e9, time.provenance);
    const double width = levelBandwidth(info, setting.level, time.clockHz);
    const auto peak = peakPerSecond(info, setting.type->operation, time.clockHz);
    if (width > 0)
        context.limit("bandwidth", width / 1e9);
    if (peak && *peak > 0 && width > 0) {
        const double bound = std::min(*peak, operations / bytes * width);
        context.limit("rate", bound / 1e9);
        context.metric("roof_share", 100 * operations / time.seconds / bound, time.provenance);
        context.metric("ridge", *peak / width, Provenance::Modelled);
    }
}

class Roofline : public GpuExperiment {
public:
    Roofline() { m_info = rooflineInfo(); }
    const ExperimentInfo& info() const override { return m_info; }
    Result<void> runOnDevice(const ParamSet& params, GpuContext& context) const override;
    Result<void> runOnCpu(const ParamSet& params, RunContext& context) const override;

private:
    ExperimentInfo m_info;
};

Result<void> Roofline::runOnDevice(const ParamSet& params, GpuContext& context) const
{
    gpu::Device& device = context.device();
    const Setting setting = settingOf(params, device.info());
    const auto program = context.kernel(kRooflineKernel);
    if (!program)
        return program.error();
    Buffers buffers(device);
    const auto constants = buffers.allocate(32, "constants");
    const auto out = constants ? buffers.allocate(4 * setting.threads(), "out") : constants;
    if (!out)
        return out.error();
    std::array<std::uint64_t, 4> both{constantBits(*setting.type, false), 0, constantBits(*setting.type, true), 0};
    if (auto copied = device.copyToDevice(*constants, std::as_bytes(std::span(both))); !copied)
        return copied;
    if (auto poisoned = poison(context, *out, 4 * setting.threads()); !poisoned)
        return poisoned;
    // What lives in L2 or in shared memory needs no second set.
    const std::uint64_t bytes = setting.inputBytes();
    const std::uint64_t sets = setting.level == Level::Hbm ? setsToRotate(device.info(), bytes, bytes) : 1;
    gpu::Arm arm{setting.kernel(), {}};
    while (arm.sets.size() < sets) {
        const auto in = buffers.allocate(bytes, "in");
        if (!in && arm.sets.empty())
            return in.error();
        if (!in)
            break; // fewer sets
        if (auto filled = fillInput(context, setting, *in); !filled)
            return filled;
        const gpu::Launch launch{setting.kernel(),
                                 {static_cast<std::uint32_t>(setting.blocks), 1, 1},
                                 {kBlockThreads, 1, 1},
                                 setting.sharedBytes(),
                                 {*in, *constants, *out, static_cast<std::uint32_t>(setting.rounds),
                                  static_cast<std::uint32_t>(setting.passes),
                                  static_cast<std::uint32_t>(setting.turns())}};
        arm.sets.push_back({{*program, launch}});
    }
    context.progress(0.3, "running " + setting.kernel());
    const auto done = executeOnce(context, arm.sets.front());
    if (!done)
        return done.error();
    Comparison comparison;
    const auto wanted = expected(setting);
    const auto see = [&](std::uint64_t i, std::uint32_t got) { comparison.see(i, got == wanted[i], got, wanted[i]); };
    if (auto read = readBack<std::uint32_t>(context, *out, setting.threads(), see); !read)
        return read;
    comparison.report(context, "bit for bit");
    if (auto guards = buffers.checkGuards(context); !guards)
        return guards;
    context.progress(0.6, "checked against the CPU");
    const auto measured = measure(context, *done, std::span(&arm, 1));
    if (!measured)
        return measured.error();
    reportSimulated(context, done->heaviest());
    if (measured->empty())
        return {};
    reportTime(context, measured->front());
    report(context, setting, measured->front(), done->heaviest().timing.has_value());
    return {};
}

Result<void> Roofline::runOnCpu(const ParamSet& params, RunContext& context) const
{
    const auto& type = choice(params, "type");
    const auto& level = choice(params, "level");
    if (type != "fp32" && type != "fp64")
        return Error{"bad-value", "a processor is measured with fp32 and fp64, not with " + type, "roofline: type",
                     "set type=fp32, or take a GPU or a simulated one"};
    const auto precision = type == "fp32" ? host::HostPrecision::Fp32 : host::HostPrecision::Fp64;
    const host::Machine machine = host::machine();
    host::Team team(machine.processors);
    const std::uint64_t perThread =
        level == "hbm"
            ? hostMemoryBytes(static_cast<std::uint64_t>(integer(params, "mebibytes")) << 20, machine) / team.size()
        : level == "l2" ? kCpuSecondCache
                        : kCpuFirstCache;
    const auto how = samplingOf(context);
    const auto mix =
        host::timeMix(team, precision, static_cast<unsigned>(integer(params, "fma_per_16")), perThread, how);
    if (!mix)
        return mix.error();
    context.check("matches_reference", mix->resultRight,
                  fmt::format("{} threads have the bits of the recurrence", team.size()));
    const auto bytes = static_cast<double>(mix->bytes);
    const double seconds = mix->timing.medianSeconds;
    context.progress(0.6, "roofs of this processor");
    const auto top = hostRoof(context, "peak of " + type, mix->flops / seconds, [&]() -> Result<HostRoofSample> {
        const auto fma = host::timeFma(team, precision, how);
        if (!fma)
            return fma.error();
        return HostRoofSample{fma->flops / fma->timing.minSeconds, fma->timing.validity == "contended"};
    });
    if (!top)
        return top.error();
    const auto width = hostReadRoof(context, team, perThread, bytes / seconds);
    if (!width)
        return width.error();
    const double bound = std::min(*top, mix->flops / bytes * *width);
    reportHostTime(context, mix->timing);
    context.metric("intensity", mix->flops / bytes, Provenance::Modelled);
    context.metric("flop", mix->flops, Provenance::Modelled);
    context.metric(level == "hbm"  ? "dram_bytes"
                   : level == "l2" ? "l2_bytes"
                                   : "l1_bytes",
                   bytes, Provenance::Modelled);
    context.metric("rate", mix->flops / seconds / 1e9, Provenance::Measured);
    context.metric("bandwidth", bytes / seconds / 1e9, Provenance::Measured);
    context.metric("peak", *top / 1e9, Provenance::Measured);
    context.metric("roof_share", 100 * mix->flops / seconds / bound, Provenance::Measured);
    context.metric("ridge", *top / *width, Provenance::Measured);
    context.limit("rate", bound / 1e9);
    context.limit("bandwidth", *width / 1e9);
    return {};
}

} // namespace

std::unique_ptr<GpuExperiment> makeRoofline()
{
    return std::make_unique<Roofline>();
}

} // namespace ridge::labs
