// SPDX-License-Identifier: GPL-3.0-or-later
// STREAM on a GPU: bandwidth is bytes in flight over latency, as far as the pins go.
#include "labs/1-gpu-architecture/stream_info.h"
#include "labs/catalogue.h"
#include "labs/harness/buffers.h"
#include "labs/harness/declare.h"
#include "labs/harness/simulated_time.h"
#include "labs/harness/work.h"
#include "silicon/catalogue.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>

namespace ridge::labs {
namespace {

constexpr std::uint32_t kBlockThreads = 256;
constexpr std::uint32_t kPersistentThreads = 1024; // of an SM, with one input
constexpr float kScalar = 3;
constexpr std::uint32_t kSaltB = 0x51ED270B;

template<std::size_t N>
std::size_t chosen(const ParamSet& params, const char* name, const char* const (&choices)[N])
{
    const auto& text = std::get<std::string>(params.at(name));
    return static_cast<std::size_t>(std::find(std::begin(choices), std::end(choices), text) - std::begin(choices));
}

struct Setting {
    StreamOp op = StreamOp::Copy;
    StreamGrid grid = StreamGrid::Element;
    std::uint64_t width = 16; ///< bytes a thread loads from each input before it waits
    std::uint64_t n = 0;      ///< floats of an array

    std::uint64_t bytes() const { return n * sizeof(float); }
    bool readsA() const { return op != StreamOp::Write; }
    bool readsB() const { return op == StreamOp::Add || op == StreamOp::Triad || op == StreamOp::Dot; }
    bool sums() const { return op == StreamOp::Read || op == StreamOp::Dot; }
    std::uint64_t inputs() const { return (readsA() ? 1 : 0) + (readsB() ? 1 : 0); }
    std::uint64_t bytesRead() const { return inputs() * bytes(); }
    std::uint64_t bytesWritten() const { return sums() ? 0 : bytes(); }
    std::uint64_t bytesMoved() const { return bytesRead() + bytesWritten(); }
    std::uint64_t tileFloats() const { return kBlockThreads * width / sizeof(float); }
    std::uint64_t tiles() const { return (n + tileFloats() - 1) / tileFloats(); }
    std::string kernel() const { return fmt::format("{}_{}", kStreamOps[static_cast<std::size_t>(op)], width); }
    const char* source() const { return kStreamKernels[static_cast<std::size_t>(grid)]; }
};

Setting settingOf(const ParamSet& params)
{
    return {static_cast<StreamOp>(chosen(params, "operation", kStreamOps)),
            static_cast<StreamGrid>(chosen(params, "grid", kStreamGrids)), integer(params, "bytes_per_thread"),
            integer(params, "bytes") / sizeof(float)};
}

// ---- the launch -----------------------------------------------------------------------------------------------------

/// Threads that one SM holds, as far as its warp slots go; where the chip is unknown, what all since 7.0 have.
std::uint32_t threadSlots(const gpu::DeviceInfo& info)
{
    constexpr std::uint32_t kEveryChip = 1024;
    const auto catalogue = silicon::shippedCatalogue();
    if (!catalogue)
        return kEveryChip;
    const auto limits = catalogue->limits(info.computeMajor, info.computeMinor);
    return limits && limits->maxThreadsPerSm > 0 ? limits->maxThreadsPerSm : kEveryChip;
}

/// Threads that a looping kernel is given for each SM.
std::uint64_t threadsPerSm(const Setting& setting, std::uint32_t slots)
{
    const std::uint64_t inputs = std::max<std::uint64_t>(1, setting.inputs());
    if (setting.grid == StreamGrid::Persistent)
        return kPersistentThreads / inputs;
    // More than 32 bytes of data a thread and its addresses do not fit into 65536 registers / 2048 threads.
    return setting.grid == StreamGrid::GridStride && setting.width * inputs > 32 ? std::min(slots, 1024u) : slots;
}

std::uint64_t blocksOf(const Setting& setting, const gpu::DeviceInfo& info, std::uint32_t slots)
{
    if (setting.grid == StreamGrid::Element)
        return setting.tiles();
    const std::uint64_t perSm = std::max<std::uint64_t>(1, threadsPerSm(setting, slots) / kBlockThreads);
    return std::min(setting.tiles(), perSm * std::max(1u, info.smCount));
}

/// The one formula of bytes in flight.
double bytesInFlight(const Setting& setting, const gpu::DeviceInfo& info, std::uint32_t slots)
{
    const double resident = static_cast<double>(threadsPerSm(setting, slots));
    const double launched = static_cast<double>(blocksOf(setting, info, slots) * kBlockThreads) /
                            static_cast<double>(std::max(1u, info.smCount));
    const std::uint64_t arrays = std::max<std::uint64_t>(1, setting.inputs());
    return std::min(resident, launched) * static_cast<double>(setting.width * arrays);
}

/// Arrays of one pass; b only where it is read. c holds what is written, or one sum a block.
struct Arrays {
    gpu::DevicePtr a, b, c;
};

std::uint64_t outputBytes(const Setting& setting, std::uint64_t blocks)
{
    return setting.sums() ? blocks * 4 : setting.bytes();
}

gpu::Launch launchOf(const Setting& setting, std::uint64_t blocks, const Arrays& arrays)
{
    gpu::Launch launch;
    launch.kernel = setting.kernel();
    launch.grid = {static_cast<std::uint32_t>(blocks), 1, 1};
    launch.block = {kBlockThreads, 1, 1};
    launch.args = {arrays.a, arrays.b, arrays.c, setting.n, kScalar};
    return launch;
}

Error tooLarge(const Setting& setting, const gpu::DeviceInfo& info, const Error& why)
{
    std::uint64_t fitting = 1024;
    const std::uint64_t arrays = setting.inputs() + 1;
    while (info.globalBytes > 0 && fitting * 2 * arrays <= info.globalBytes * 9 / 10 && fitting < setting.bytes() / 2)
        fitting *= 2;
    return {"out-of-memory",
            fmt::format("{} arrays of {} MB do not fit: {}", arrays, setting.bytes() / 1'000'000, why.message),
            "stream: bytes", fmt::format("set bytes={} or fewer", fitting)};
}

Result<Arrays> allocate(const Setting& setting, Buffers& buffers, std::uint64_t blocks, const gpu::DeviceInfo& info)
{
    Arrays arrays;
    const auto take = [&](gpu::DevicePtr& to, std::uint64_t bytes, const char* label) -> Result<void> {
        auto got = buffers.allocate(bytes, label);
        if (!got)
            return got.error().code == "out-of-memory" ? tooLarge(setting, info, got.error()) : got.error();
        to = *got;
        return {};
    };
    if (auto got = take(arrays.c, outputBytes(setting, blocks), "c"); !got)
        return got.error();
    // An array that is not read has no memory of its own; its address only has to be aligned.
    arrays.a = arrays.b = arrays.c;
    if (setting.readsA())
        if (auto got = take(arrays.a, setting.bytes(), "a"); !got)
            return got.error();
    if (setting.readsB())
        if (auto got = take(arrays.b, setting.bytes(), "b"); !got)
            return got.error();
    return arrays;
}

Result<void> fillInputs(RunContext& context, const Setting& setting, const Arrays& arrays, std::uint32_t salt)
{
    if (setting.readsA())
        if (auto filled = fill<float>(context, arrays.a, setting.n, [&](auto i) { return uniform(i, salt); }); !filled)
            return filled;
    if (setting.readsB())
        return fill<float>(context, arrays.b, setting.n, [&](auto i) { return uniform(i, salt ^ kSaltB); });
    return {};
}

// ---- correctness ----------------------------------------------------------------------------------------------------

float expected(StreamOp op, float a, float b)
{
    switch (op) {
    case StreamOp::Copy:
        return a;
    case StreamOp::Scale:
        return kScalar * a;
    case StreamOp::Add:
        return a + b;
    case StreamOp::Triad:
        return std::fma(kScalar, b, a);
    default:
        return kScalar;
    }
}

Result<void> checkArray(RunContext& context, const Setting& setting, const Arrays& arrays, std::uint32_t salt)
{
    Comparison comparison;
    auto read = readBack<float>(context, arrays.c, setting.n, [&](std::uint64_t i, float got) {
        const float wanted = expected(setting.op, uniform(i, salt), uniform(i, salt ^ kSaltB));
        comparison.see(i, got == wanted, got, wanted);
    });
    if (!read)
        return read;
    comparison.report(context, "bit for bit");
    return {};
}

/// The sum of the words of a, modulo 2^32: exact.
Result<void> checkRead(RunContext& context, const Setting& setting, const Arrays& arrays, std::uint32_t salt,
                       std::uint64_t blocks)
{
    std::uint32_t got = 0, wanted = 0;
    auto read = readBack<std::uint32_t>(context, arrays.c, blocks, [&](auto, std::uint32_t part) { got += part; });
    if (!read)
        return read;
    for (std::uint64_t i = 0; i < setting.n; ++i)
        wanted += std::bit_cast<std::uint32_t>(uniform(i, salt));
    context.check("matches_reference", got == wanted,
                  fmt::format("the words of a sum up to {:#010x}, the CPU's to {:#010x}", got, wanted));
    return {};
}

/// The blocks' sums, added up in double precision, against double precision throughout.
Result<void> checkDot(RunContext& context, const Setting& setting, const Arrays& arrays, std::uint32_t salt,
                      std::uint64_t blocks)
{
    double got = 0, wanted = 0, magnitude = 0;
    auto read = readBack<float>(context, arrays.c, blocks, [&](auto, float part) { got += double{part}; });
    if (!read)
        return read;
    for (std::uint64_t i = 0; i < setting.n; ++i) {
        const double product = double{uniform(i, salt)} * double{uniform(i, salt ^ kSaltB)};
        wanted += product;
        magnitude += std::fabs(product);
    }
    const double tolerance =
        std::log2(static_cast<double>(std::max<std::uint64_t>(2, setting.n))) * 0x1p-24 * magnitude;
    const double difference = std::fabs(got - wanted);
    context.check(
        "matches_reference", !!(difference <= tolerance),
        fmt::format("{:.9g}, the CPU's {:.9g} in double precision; they may differ by {:.3g}", got, wanted, tolerance));
    return {};
}

Result<void> checkResult(RunContext& context, const Setting& setting, const Arrays& arrays, std::uint32_t salt,
                         std::uint64_t blocks)
{
    if (setting.op == StreamOp::Read)
        return checkRead(context, setting, arrays, salt, blocks);
    if (setting.op == StreamOp::Dot)
        return checkDot(context, setting, arrays, salt, blocks);
    return checkArray(context, setting, arrays, salt);
}

// ---- results --------------------------------------------------------------------------------------------------------

/// The pins' bound in GB/s; 0: none. `settled`: pass after pass over rotating arrays, so that all that is written
/// reaches memory in the end. A single launch may leave in the L2 cache what that holds.
double bandwidthBound(const Setting& setting, const gpu::DeviceInfo& info, bool settled)
{
    const std::uint64_t kept = settled ? 0 : std::min(info.l2Bytes, setting.bytesWritten());
    const std::uint64_t crossing = setting.bytesMoved() - kept;
    if (crossing == 0)
        return 0;
    return info.memoryBytesPerSecond / 1e9 * static_cast<double>(setting.bytesMoved()) / static_cast<double>(crossing);
}

void report(RunContext& context, const Setting& setting, const Measured& measured, bool resident)
{
    const gpu::DeviceInfo& info = context.device().info();
    const auto moved = static_cast<double>(setting.bytesMoved());
    const double bandwidth = moved / measured.seconds;
    context.metric("bandwidth", bandwidth / 1e9, measured.provenance);
    if (info.memoryBytesPerSecond > 0)
        context.metric("pin_share", 100 * bandwidth / info.memoryBytesPerSecond, measured.provenance);
    if (measured.clockHz > 0 && info.smCount > 0)
        context.metric("bandwidth_per_sm", bandwidth / measured.clockHz / info.smCount, measured.provenance);
    if (measured.timing && measured.timing->watts)
        context.metric("energy_per_bit", *measured.timing->watts / (8 * bandwidth) * 1e12, measured.provenance);
    if (resident)
        return; // the pins bound nothing that a cache holds
    if (const double bound = bandwidthBound(setting, info, measured.provenance == Provenance::Measured); bound > 0)
        context.limit("bandwidth", bound);
}

class Stream : public Experiment {
public:
    Stream() { m_info = streamInfo(); }
    const ExperimentInfo& info() const override { return m_info; }
    std::vector<std::string> kernels(const ParamSet& params, const gpu::DeviceInfo&) const override
    {
        return {settingOf(params).source()};
    }
    Result<void> run(const ParamSet& params, RunContext& context) const override;

private:
    ExperimentInfo m_info;
};

Result<void> Stream::run(const ParamSet& params, RunContext& context) const
{
    gpu::Device& device = context.device();
    const gpu::DeviceInfo& info = device.info();
    const Setting setting = settingOf(params);
    const auto program = context.kernel(setting.source());
    if (!program)
        return program.error();
    const std::uint32_t slots = threadSlots(info);
    const std::uint64_t blocks = blocksOf(setting, info, slots);

    Buffers buffers(device);
    const auto first = allocate(setting, buffers, blocks, info);
    if (!first)
        return first.error();
    const std::uint32_t salt = context.rng().nextU32();
    if (auto filled = fillInputs(context, setting, *first, salt); !filled)
        return filled;
    if (auto poisoned = poison(context, first->c, outputBytes(setting, blocks)); !poisoned)
        return poisoned;
    context.progress(0.3, "running " + setting.kernel());
    const gpu::Sequence sequence{{*program, launchOf(setting, blocks, *first)}};
    const auto done = executeOnce(context, sequence);
    if (!done)
        return done.error();
    if (auto checked = checkResult(context, setting, *first, salt, blocks); !checked)
        return checked;
    if (auto checked = buffers.checkGuards(context); !checked)
        return checked;

    gpu::Arm arm{setting.kernel(), {sequence}};
    const std::uint64_t allocated = setting.bytesRead() + outputBytes(setting, blocks);
    const std::uint64_t sets = setsToRotate(info, setting.bytesMoved(), allocated);
    while (arm.sets.size() < sets) {
        const auto next = allocate(setting, buffers, blocks, info);
        if (!next)
            break; // another program holds the memory: fewer sets, and the verdict says so
        if (auto filled = fillInputs(context, setting, *next, salt); !filled)
            return filled;
        arm.sets.push_back({{*program, launchOf(setting, blocks, *next)}});
    }
    context.progress(0.6, "timing " + setting.kernel());
    const auto measured = measure(context, *done, std::span(&arm, 1));
    if (!measured)
        return measured.error();
    context.metric("bytes_moved", static_cast<double>(setting.bytesMoved()), Provenance::Modelled);
    context.metric("bytes_in_flight", bytesInFlight(setting, info, slots), Provenance::Modelled);
    reportSimulated(context, done->heaviest());
    if (measured->empty())
        return {};
    const Measured& time = measured->front();
    const bool resident = time.timing && arm.sets.size() * setting.bytesMoved() < 2 * info.l2Bytes;
    if (resident && time.timing->validity == "valid")
        context.validity("resident in L2");
    reportTime(context, time);
    report(context, setting, time, resident);
    return {};
}

} // namespace

std::unique_ptr<Experiment> makeStream()
{
    return std::make_unique<Stream>();
}

} // namespace ridge::labs
