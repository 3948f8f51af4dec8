// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/catalogue.h"
#include "labs/gpu_experiment.h"
#include "labs/harness/buffers.h"
#include "labs/harness/declare.h"
#include "labs/harness/pipe_rates.h"
#include "labs/harness/simulated_time.h"
#include "labs/harness/work.h"
#include "silicon/chip_catalogue.h"

#include <bit>
#include <cmath>
#include <fmt/core.h>
#include <numbers>

namespace ridge::labs {
namespace {

constexpr const char* kKernel = "power/01_operand_bits.cu";
constexpr std::uint64_t kPeriod = 1048573; // of the data, a prime
constexpr std::uint32_t kBlockThreads = 256;
constexpr std::uint64_t kNumbers = 16;  // of a thread of fma
constexpr std::uint64_t kTurnFmas = 64; // of a thread of fma
constexpr std::uint64_t kCheckedFmas = 1u << 26;

struct Setting {
    std::string fill;
    bool copies = true;
    std::uint64_t numbers = 0; ///< of the input
    std::uint64_t turns = 1;
    std::uint64_t seconds = 0;

    std::uint64_t threads() const { return numbers / kNumbers; } ///< of fma
    std::uint64_t outNumbers() const { return copies ? numbers : 4 * threads(); }
    double bytes() const { return 4.0 * static_cast<double>(numbers + outNumbers()); }
    double flop() const { return copies ? 0 : 2.0 * static_cast<double>(threads() * turns * kTurnFmas); }
};

Setting settingOf(const ParamSet& params)
{
    Setting setting;
    setting.fill = choice(params, "fill");
    setting.copies = choice(params, "work") == "copy";
    setting.numbers = (integer(params, "mebibytes") << 20) / 4;
    setting.turns = integer(params, "turns");
    setting.seconds = integer(params, "seconds");
    return setting;
}

/// The values of one period, as `fill` says; `sorted` has them in ascending order.
std::vector<float> valuesOf(const Setting& setting, std::uint32_t salt)
{
    std::vector<float> values(std::min(kPeriod, setting.numbers));
    for (std::uint64_t i = 0; i < values.size(); ++i) {
        const float number = uniform(i, salt);
        const std::uint32_t chance = mixed(i, salt + 1) % 10;
        if (setting.fill == "zeros")
            values[i] = 0;
        else if (setting.fill == "ones")
            values[i] = 1;
        else if (setting.fill == "normal") // Box and Muller
            values[i] = static_cast<float>(std::sqrt(-2 * std::log((mixed(i, salt + 2) + 1.0) * 0x1p-32)) *
                                           std::cos(std::numbers::pi * static_cast<double>(number)));
        else if (setting.fill == "sparse_50")
            values[i] = chance < 5 ? 0 : number;
        else if (setting.fill == "sparse_90")
            values[i] = chance < 9 ? 0 : number;
        else
            values[i] = number;
    }
    if (setting.fill == "sorted")
        std::sort(values.begin(), values.end());
    return values;
}

/// The number at an index of the whole input. Sorted data stay sorted, others begin again.
class Data {
public:
    Data(const Setting& setting, std::uint32_t salt)
        : m_values(valuesOf(setting, salt)), m_numbers(setting.numbers), m_sorted(setting.fill == "sorted")
    {
    }
    float at(std::uint64_t i) const
    {
        return m_sorted ? m_values[i * m_values.size() / m_numbers] : m_values[i % m_values.size()];
    }

private:
    std::vector<float> m_values;
    std::uint64_t m_numbers;
    bool m_sorted;
};

/// Bits of the input, counted: those that are one, and those that change from each 32 bytes to the next 32, which
/// take the same wires where data go in address order. Both per byte.
struct Bits {
    double set = 0, changed = 0;
};

Bits bitsOf(const Setting& setting, const Data& data)
{
    const std::uint64_t counted = std::min<std::uint64_t>(setting.numbers, 4 * kPeriod);
    std::uint64_t set = 0, changed = 0;
    for (std::uint64_t i = 0; i < counted; ++i) {
        const std::uint64_t at = i * (setting.numbers / counted);
        const auto word = std::bit_cast<std::uint32_t>(data.at(at));
        set += static_cast<std::uint64_t>(std::popcount(word));
        if (at + 8 < setting.numbers)
            changed += static_cast<std::uint64_t>(std::popcount(word ^ std::bit_cast<std::uint32_t>(data.at(at + 8))));
    }
    return {static_cast<double>(set) / (4.0 * static_cast<double>(counted)),
            static_cast<double>(changed) / (4.0 * static_cast<double>(counted))};
}

// ---- correctness ----------------------------------------------------------------------------------------------------

/// Chain k of thread `thread` of fma, on the CPU: every step is one correctly rounded FMA.
float chainEnd(const Setting& setting, const Data& data, std::uint64_t thread, std::uint64_t k)
{
    std::array<float, kNumbers> v{};
    for (std::uint64_t j = 0; j < kNumbers; ++j)
        v[j] = data.at(kNumbers * thread + j);
    float sum = 0;
    for (std::uint64_t turn = 0; turn < setting.turns; ++turn)
        for (std::uint64_t j = 0; j < kNumbers; ++j)
            sum = std::fma(v[j], v[(j + 4 * k + 1) % kNumbers], sum);
    return sum;
}

Result<void> checkOutput(GpuContext& context, const Setting& setting, const Data& data, gpu::DevicePtr out)
{
    Comparison comparison;
    // The CPU follows every n-th thread where all would take it too long.
    const std::uint64_t every =
        std::max<std::uint64_t>(1, setting.copies ? 1 : setting.threads() * setting.turns * kTurnFmas / kCheckedFmas);
    const auto see = [&](std::uint64_t i, std::uint32_t got) {
        if (!setting.copies && i / 4 % every != 0)
            return;
        const auto wanted =
            std::bit_cast<std::uint32_t>(setting.copies ? data.at(i) : chainEnd(setting, data, i / 4, i % 4));
        comparison.see(i, got == wanted, got, wanted);
    };
    if (auto read = readBack<std::uint32_t>(context, out, setting.outNumbers(), see); !read)
        return read;
    comparison.report(context, every == 1 ? "bit for bit" : fmt::format("bit for bit, every {}th thread", every));
    return {};
}

// ---- description ----------------------------------------------------------------------------------------------------

std::vector<ParamSpec> parameters()
{
    auto fill = choiceParam("fill", "Data", {"uniform", "normal", "zeros", "ones", "sparse_50", "sparse_90", "sorted"},
                            "uniform",
                            "What the fp32 numbers are: uniform in [-1, 1), normal, all 0, all 1, uniform with half or "
                            "nine in ten of them 0, or uniform in ascending order.");
    auto work =
        choiceParam("work", "Work", {"copy", "fma"}, "copy", "Copy the data, or multiply and add them in registers.");
    auto size = integerParam("mebibytes", "Data", "MiB", 1, 4096, 2, ParamScale::Log2, "Size of the input.");
    size.defaultFor = {{"gpu", std::int64_t{512}}};
    auto turns = integerParam("turns", "Loop turns", "", 1, 65536, 8, ParamScale::Log2,
                              "Of fma: 64 multiply-adds a thread each.");
    turns.defaultFor = {{"gpu", std::int64_t{256}}};
    auto seconds =
        integerParam("seconds", "Seconds for energy", "s", 0, 60, 3, ParamScale::Linear,
                     "How long a GPU samples time, and works again without a pause for its counter of energy; "
                     "below 2 s there is no energy. A simulator ignores it.");
    return {fill, work, size, turns, seconds};
}

std::vector<MetricSpec> metrics()
{
    std::vector<MetricSpec> list{
        {"bits_set", "Bits that are one", "bit/B",
         "Of each byte of the input, on average; counted by the CPU, exact "
         "up to 16 MiB and from evenly spread samples beyond."},
        {"bits_changed", "Bits that change", "bit/B",
         "Bits of each byte that differ from those 32 bytes further on, which take the same wires in address order; "
         "counted like the bits that are one. A simulator tells these two and no watts: no model of energy is built "
         "in, since no constant for one has a source."},
        {"energy", "Energy per launch", "J",
         "Board and memory, from the GPU's counter of energy over the seconds asked "
         "for, what an idle board takes included."},
        {"energy_per_byte", "Energy per byte", "pJ/B", "Energy over bytes read and written; copy alone."},
        {"energy_per_flop", "Energy per operation", "pJ/FLOP", "Energy over floating-point operations; fma alone."},
        {"bandwidth", "Bandwidth", "GB/s", "Bytes read and written over time."},
        {"rate", "Rate", "GFLOP/s", "Floating-point operations over time; fma alone."},
        {"bytes_useful", "Bytes used", "B", "Read and written by lanes."},
        {"flop", "Floating-point operations", "FLOP", "Two a multiply-add; fma alone."}};
    for (MetricSpec& spec : timeMetrics("one launch"))
        list.push_back(std::move(spec));
    for (MetricSpec& spec : simulatedMetrics())
        list.push_back(std::move(spec));
    return list;
}

class Power : public GpuExperiment {
public:
    Power()
    {
        m_info.id = "power";
        m_info.version = 1;
        m_info.title = "Power and data";
        m_info.module = 4;
        m_info.summary = "Runs the same instructions on zeros, random, sparse and sorted data and reads the energy.";
        m_info.parameters = parameters();
        m_info.targets = {"gpu", "sim"};
        m_info.metrics = metrics();
        const auto chart = [](const char* id, const char* title, const char* x, const char* y) {
            return ChartSpec{id, title, x, y, ParamScale::Log2, ParamScale::Linear};
        };
        m_info.charts = {chart("power_over_turns", "Power over loop turns", "turns", "power"),
                         chart("energy_over_turns", "Energy per operation over loop turns", "turns", "energy_per_flop"),
                         chart("power_over_size", "Power over data", "mebibytes", "power")};
        m_info.limits = {{"power", "board power", "upper", "thermal design power of the board",
                          "chip table, with its sources; a power limit that was lowered by hand is not known here"},
                         {"bandwidth", "pins never idle", "upper",
                          "pin bandwidth; of a cold simulated launch without the written bytes that fit into L2",
                          "chip table or driver"},
                         {"rate", "pipes never idle", "upper", "fp32 peak at the clock that ran", pipeRateSource()}};
        m_info.kernels = {kKernel};
        m_info.scenes = launchScenes();
    }
    const ExperimentInfo& info() const override { return m_info; }
    Result<void> runOnDevice(const ParamSet& params, GpuContext& context) const override;

private:
    ExperimentInfo m_info;
};

void report(GpuContext& context, const Setting& setting, const Measured& time)
{
    const gpu::DeviceInfo& info = context.device().info();
    reportTime(context, time);
    context.metric("bandwidth", setting.bytes() / time.seconds / 1e9, time.provenance);
    const double written = 4.0 * static_cast<double>(setting.outNumbers());
    if (const double bound = pinBound(info, setting.bytes() - written, written, !time.timing); bound > 0)
        context.limit("bandwidth", bound / 1e9);
    if (!setting.copies) {
        context.metric("rate", setting.flop() / time.seconds / 1e9, time.provenance);
        if (const auto peak = peakPerSecond(info, Operation::FmaFp32, time.clockHz); peak && *peak > 0)
            context.limit("rate", *peak / 1e9);
    }
    if (!time.timing)
        return;
    if (const auto catalogue = silicon::shippedCatalogue(); catalogue && time.timing->watts)
        if (const auto chip = catalogue->find(info.chip); chip && chip->tdpWatts.known())
            context.limit("power", *chip->tdpWatts.value);
    if (const auto joules = time.timing->joules) {
        context.metric("energy", *joules, time.provenance);
        if (setting.copies)
            context.metric("energy_per_byte", *joules / setting.bytes() * 1e12, time.provenance);
        else
            context.metric("energy_per_flop", *joules / setting.flop() * 1e12, time.provenance);
    }
}

Result<void> Power::runOnDevice(const ParamSet& params, GpuContext& context) const
{
    gpu::Device& device = context.device();
    const Setting setting = settingOf(params);
    const auto program = context.kernel(kKernel);
    if (!program)
        return program.error();
    const Data data(setting, context.rng().nextU32());
    Buffers buffers(device);
    const auto in = buffers.allocate(4 * setting.numbers, "in");
    const auto out = in ? buffers.allocate(4 * setting.outNumbers(), "out") : in;
    if (!out)
        return out.error();
    if (auto filled = fill<float>(context, *in, setting.numbers, [&](auto i) { return data.at(i); }); !filled)
        return filled;
    if (auto poisoned = poison(context, *out, 4 * setting.outNumbers()); !poisoned)
        return poisoned;
    const std::uint64_t threads = setting.copies ? setting.numbers / 4 : setting.threads();
    const std::uint64_t most = setting.copies ? 8ull * std::max(1u, device.info().smCount) : threads;
    gpu::Launch launch{setting.copies ? "copy_vectors" : "fma_registers",
                       {static_cast<std::uint32_t>(std::min(most, threads / kBlockThreads)), 1, 1},
                       {kBlockThreads, 1, 1},
                       0,
                       {*in, *out}};
    if (setting.copies)
        launch.args.push_back(std::uint64_t{setting.numbers / 4});
    else
        launch.args.push_back(static_cast<std::uint32_t>(setting.turns));
    context.progress(0.3, "running " + launch.kernel);

    const gpu::Sequence sequence{{*program, launch}};
    const auto done = executeOnce(context, sequence);
    if (!done)
        return done.error();
    if (auto checked = checkOutput(context, setting, data, *out); !checked)
        return checked;
    if (auto guards = buffers.checkGuards(context); !guards)
        return guards;
    context.progress(0.5, "checked against the CPU");
    const Bits bits = bitsOf(setting, data);
    context.metric("bits_set", bits.set, Provenance::Modelled);
    context.metric("bits_changed", bits.changed, Provenance::Modelled);
    context.metric("bytes_useful", setting.bytes(), Provenance::Modelled);
    if (!setting.copies)
        context.metric("flop", setting.flop(), Provenance::Modelled);
    const gpu::Arm arm{launch.kernel, {sequence}};
    gpu::TimingRequest request;
    request.budgetSeconds = static_cast<double>(setting.seconds);
    const auto measured = measure(context, *done, std::span(&arm, 1), request);
    if (!measured)
        return measured.error();
    reportSimulated(context, done->heaviest());
    if (!measured->empty())
        report(context, setting, measured->front());
    return {};
}

} // namespace

std::unique_ptr<GpuExperiment> makePower()
{
    return std::make_unique<Power>();
}

} // namespace ridge::labs
