// SPDX-License-Identifier: GPL-3.0-or-later
// STREAM on a GPU: bandwidth is bytes in flight over latency, as far as the pins go.
#include "labs/1-gpu-architecture/stream_setting.h"
#include "labs/catalogue.h"
#include "labs/gpu_experiment.h"
#include "labs/harness/simulated_time.h"
#include "labs/harness/vendor_arm.h"
#include "labs/harness/work.h"
#include "silicon/chip_catalogue.h"

namespace ridge::labs {
namespace {

constexpr std::uint32_t kPersistentThreads = 1024; // of an SM, with one input

using Setting = StreamSetting;

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
    const std::uint64_t perSm = std::max<std::uint64_t>(1, threadsPerSm(setting, slots) / kStreamBlockThreads);
    return std::min(setting.tiles(), perSm * std::max(1u, info.smCount));
}

/// The one formula of bytes in flight.
double bytesInFlight(const Setting& setting, const gpu::DeviceInfo& info, std::uint32_t slots)
{
    const double resident = static_cast<double>(threadsPerSm(setting, slots));
    const double launched = static_cast<double>(blocksOf(setting, info, slots) * kStreamBlockThreads) /
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
    launch.block = {kStreamBlockThreads, 1, 1};
    launch.args = {arrays.a, arrays.b, arrays.c, setting.n, kStreamScalar};
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

Result<void> fillInputs(GpuContext& context, const Setting& setting, const Arrays& arrays, std::uint32_t salt)
{
    if (setting.readsA())
        if (auto filled = fill<float>(context, arrays.a, setting.n, [&](auto i) { return streamA(i, salt); }); !filled)
            return filled;
    if (setting.readsB())
        return fill<float>(context, arrays.b, setting.n, [&](auto i) { return streamB(i, salt); });
    return {};
}

// ---- correctness ----------------------------------------------------------------------------------------------------

Result<void> checkArray(GpuContext& context, const Setting& setting, const Arrays& arrays, std::uint32_t salt)
{
    Comparison comparison;
    auto read = readBack<float>(context, arrays.c, setting.n, [&](std::uint64_t i, float got) {
        const float wanted = streamExpected(setting.op, streamA(i, salt), streamB(i, salt));
        comparison.see(i, got == wanted, got, wanted);
    });
    if (!read)
        return read;
    comparison.report(context, "bit for bit");
    return {};
}

/// Of the blocks' sums: words in whole numbers, products in double precision.
Result<void> checkSums(GpuContext& context, const Setting& setting, const Arrays& arrays, std::uint32_t salt,
                       std::uint64_t blocks)
{
    std::uint32_t words = 0;
    double products = 0;
    auto read = readBack<std::uint32_t>(context, arrays.c, blocks, [&](auto, std::uint32_t part) {
        words += part;
        products += double{std::bit_cast<float>(part)};
    });
    if (!read)
        return read;
    if (setting.op == StreamOp::Read)
        checkStreamRead(context, setting, words, salt);
    else
        checkStreamDot(context, setting, products, salt);
    return {};
}

/// The driver's own copy where the operation is one and the device has it; else null. Checked before it is timed.
Result<std::unique_ptr<gpu::LoadedProgram>> driverCopy(GpuContext& context, const Setting& setting,
                                                       const Arrays& arrays, std::uint32_t salt)
{
    if (setting.op != StreamOp::Copy)
        return std::unique_ptr<gpu::LoadedProgram>();
    auto way = vendorWay(context, gpu::DeviceCopy{setting.bytes()});
    if (!way || *way == nullptr)
        return way;
    if (auto poisoned = poison(context, arrays.c, setting.bytes()); !poisoned)
        return poisoned.error();
    const gpu::Step once = vendorStep(**way, {arrays.c, arrays.a});
    if (auto ran = context.device().launch(**way, once.launch, {}); !ran)
        return ran.error();
    std::uint64_t wrong = 0;
    auto read = readBack<float>(context, arrays.c, setting.n,
                                [&](std::uint64_t i, float got) { wrong += got == streamA(i, salt) ? 0 : 1; });
    if (!read)
        return read.error();
    context.check(
        "driver_copies", wrong == 0,
        fmt::format("{}: {} of {} elements, bit for bit", (*way)->program().name, setting.n - wrong, setting.n));
    if (wrong > 0)
        way->reset();
    return way;
}

// ---- results --------------------------------------------------------------------------------------------------------

void report(GpuContext& context, const Setting& setting, const Measured& measured, bool resident)
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
    const auto read = static_cast<double>(setting.bytesRead()), written = static_cast<double>(setting.bytesWritten());
    if (const double bound = pinBound(info, read, written, !measured.timing); bound > 0)
        context.limit("bandwidth", bound / 1e9);
}

class Stream : public GpuExperiment {
public:
    Stream() { m_info = streamInfo(); }
    const ExperimentInfo& info() const override { return m_info; }
    std::vector<std::string> kernels(const ParamSet& params, const gpu::DeviceInfo&) const override
    {
        return {streamSettingOf(params).source()};
    }
    Result<void> runOnDevice(const ParamSet& params, GpuContext& context) const override;
    Result<void> runOnCpu(const ParamSet& params, RunContext& context) const override
    {
        return runStreamOnCpu(params, context);
    }

private:
    ExperimentInfo m_info;
};

Result<void> Stream::runOnDevice(const ParamSet& params, GpuContext& context) const
{
    gpu::Device& device = context.device();
    const gpu::DeviceInfo& info = device.info();
    const Setting setting = streamSettingOf(params);
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
    if (auto checked = setting.sums() ? checkSums(context, setting, *first, salt, blocks)
                                      : checkArray(context, setting, *first, salt);
        !checked)
        return checked;
    if (auto checked = buffers.checkGuards(context); !checked)
        return checked;

    const auto reference = driverCopy(context, setting, *first, salt);
    if (!reference)
        return reference.error();
    gpu::Arm arm{setting.kernel(), {sequence}}, driver{"driver", {}};
    if (*reference)
        driver.sets.push_back({vendorStep(**reference, {first->c, first->a})});
    const std::uint64_t allocated = setting.bytesRead() + outputBytes(setting, blocks);
    const std::uint64_t sets = setsToRotate(info, setting.bytesMoved(), allocated);
    while (arm.sets.size() < sets) {
        const auto next = allocate(setting, buffers, blocks, info);
        if (!next)
            break; // another program holds the memory: fewer sets, and the verdict says so
        if (auto filled = fillInputs(context, setting, *next, salt); !filled)
            return filled;
        arm.sets.push_back({{*program, launchOf(setting, blocks, *next)}});
        if (*reference)
            driver.sets.push_back({vendorStep(**reference, {next->c, next->a})});
    }
    context.progress(0.6, "timing " + setting.kernel());
    std::vector<gpu::Arm> arms{arm};
    if (*reference)
        arms.push_back(driver);
    const auto measured = measure(context, *done, arms);
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
    if (measured->size() > 1) {
        const Measured& theirs = measured->back();
        context.metric("driver_bandwidth", static_cast<double>(setting.bytesMoved()) / theirs.seconds / 1e9,
                       theirs.provenance);
        reportShare(context, "driver_share", time, theirs);
    }
    return {};
}

} // namespace

std::unique_ptr<GpuExperiment> makeStream()
{
    return std::make_unique<Stream>();
}

} // namespace ridge::labs
