// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/4-kernel-optimization/async_copy_info.h"
#include "labs/catalogue.h"
#include "labs/gpu_experiment.h"
#include "labs/harness/buffers.h"
#include "labs/harness/declare.h"
#include "labs/harness/simulated_time.h"
#include "labs/harness/work.h"
#include "silicon/chip_catalogue.h"

#include <fmt/core.h>

namespace ridge::labs {
namespace {

struct Set {
    gpu::DevicePtr in, out;
};

/// A word of the matrix: any two differ, and none is the zero that fills up tiles.
std::uint32_t wordAt(std::uint64_t index, std::uint32_t salt)
{
    return mixed(index, salt) | 1u;
}

/// What each word of the output must be: its element of the matrix, or zero outside. Quick where words come in order.
class Expected {
public:
    Expected(const PackShape& shape, std::uint32_t salt) : m_shape(shape), m_salt(salt) {}
    std::uint32_t operator()(std::uint64_t index)
    {
        if (index - m_first >= m_shape.tileWords()) {
            const std::uint64_t tile = index / m_shape.tileWords();
            m_first = tile * m_shape.tileWords();
            m_row = tile / m_shape.tilesAcross() * m_shape.tileRows();
            m_column = tile % m_shape.tilesAcross() * kTileColumns;
        }
        const std::uint64_t at = index - m_first;
        const std::uint64_t row = m_row + at / kTileColumns, column = m_column + at % kTileColumns;
        return row < m_shape.rows && column < m_shape.columns ? wordAt(row * m_shape.columns + column, m_salt) : 0;
    }

private:
    const PackShape& m_shape;
    std::uint32_t m_salt;
    std::uint64_t m_first = 0, m_row = 0, m_column = 0;
};

Result<Set> allocate(Buffers& buffers, const PackShape& shape)
{
    const auto in = buffers.allocate(shape.inBytes(), "matrix");
    if (!in)
        return in.error();
    const auto out = buffers.allocate(shape.outBytes(), "tiles");
    if (!out)
        return out.error();
    return Set{*in, *out};
}

Result<void> fillSet(GpuContext& context, const PackShape& shape, const Set& set, std::uint32_t salt)
{
    auto filled = fill<std::uint32_t>(context, set.in, shape.rows * shape.columns,
                                      [&](std::uint64_t i) { return wordAt(i, salt); });
    return filled ? poison(context, set.out, shape.outBytes()) : filled;
}

Result<gpu::Sequence> sequenceOf(gpu::Device& device, const PackShape& shape, const gpu::LoadedProgram& program,
                                 const Set& set)
{
    const auto word = [](std::uint64_t value) { return static_cast<std::uint32_t>(value); };
    gpu::Launch launch;
    launch.kernel = "pack_" + shape.kernel;
    launch.grid = {shape.blocks(device.info().smCount), 1, 1};
    launch.block = {shape.kernel == "tensor" ? 32u : 128u, 1, 1};
    launch.dynamicSharedBytes = word(shape.sharedBytes());
    if (shape.kernel == "tensor") {
        const auto map = device.tensorMap(
            {set.in, 4, shape.columns, shape.rows, shape.columns * 4, kTileColumns, word(shape.tileRows())});
        if (!map)
            return map.error();
        launch.args = {*map, set.out, word(shape.rows), word(shape.columns), word(shape.tileRows()), shape.stages};
        return gpu::Sequence{{&program, launch}};
    }
    launch.args = {set.in, set.out, word(shape.rows), word(shape.columns / 4), word(shape.tileRows())};
    if (shape.kernel != "registers")
        launch.args.emplace_back(shape.stages);
    return gpu::Sequence{{&program, launch}};
}

/// Whether the stages of all blocks of an SM lie in its shared memory at once: what does not fit runs one after the
/// other, and the bytes under way are not what the parameters say.
Result<void> checkShared(const PackShape& shape, const gpu::DeviceInfo& info)
{
    const auto catalogue = silicon::shippedCatalogue();
    const auto limits = catalogue ? catalogue->limits(info.computeMajor, info.computeMinor) : catalogue.error();
    if (!limits)
        return {}; // an unknown chip: the launch itself will tell
    // Each block takes 1 KiB for the system from compute capability 8.0 on, and the barriers of its stages.
    const std::uint64_t block =
        std::min<std::uint64_t>(limits->sharedBytesPerBlockOptin, limits->sharedBytesPerSm / shape.blocksPerSm - 1024) -
        128;
    if (shape.sharedBytes() <= block)
        return {};
    return Error{
        "bad-parameters",
        fmt::format("{} stages of {} bytes for each of {} blocks do not fit the {} bytes of shared memory of an "
                    "SM of {}",
                    shape.stages, shape.tileBytes, shape.blocksPerSm, limits->sharedBytesPerSm, info.name),
        "async_copy: stages, tile_bytes, blocks_per_sm",
        fmt::format("set stages={} or fewer, or smaller tiles", std::max<std::uint64_t>(1, block / shape.tileBytes))};
}

Result<void> checkOutput(GpuContext& context, const PackShape& shape, gpu::DevicePtr out, std::uint32_t salt)
{
    Comparison comparison;
    Expected expected(shape, salt);
    auto seen = readBack<std::uint32_t>(context, out, shape.outBytes() / 4, [&](std::uint64_t i, std::uint32_t got) {
        const std::uint32_t wanted = expected(i);
        comparison.see(i, got == wanted, got, wanted);
    });
    if (seen)
        comparison.report(context, "bit for bit, zeros outside the matrix among them");
    return seen;
}

// ---- numbers --------------------------------------------------------------------------------------------------------

void reportShape(RunContext& context, const PackShape& shape)
{
    const auto tell = [&](const char* name, std::uint64_t value) {
        context.metric(name, static_cast<double>(value), Provenance::Modelled);
    };
    tell("bytes_moved", shape.movedBytes());
    tell("bytes_in_flight", shape.bytesInFlight());
    tell("tiles", shape.tiles());
    tell("load_instructions", shape.loadInstructionsPerTile());
}

void reportCounters(GpuContext& context, const PackShape& shape, const gpu::LaunchReport& report)
{
    if (report.counters) {
        const auto by = context.device().info().provenance;
        const auto kib = static_cast<double>(shape.movedBytes()) / 1024;
        context.metric("instructions_per_kib", static_cast<double>(report.counters->instExecuted) / kib, by);
        context.metric("bulk_copies", static_cast<double>(report.counters->bulkCopies), by);
    }
    if (report.timing)
        context.metric("registers", report.timing->occupancy.registersPerThread, Provenance::Simulated);
    reportSimulated(context, report);
}

/// `cached`: the buffers were found in L2, and the pins limit nothing.
void reportRates(GpuContext& context, const PackShape& shape, const Measured& measured, bool cached)
{
    const gpu::DeviceInfo& info = context.device().info();
    const auto bytes = static_cast<double>(shape.movedBytes());
    reportTime(context, measured);
    context.metric("bandwidth", bytes / measured.seconds / 1e9, measured.provenance);
    if (!(info.memoryBytesPerSecond > 0) || cached)
        return;
    // L2 keeps what one launch wrote last; of many launches in turn each writes back what another left there.
    const double kept = measured.timing ? 0 : static_cast<double>(std::min(shape.outBytes(), info.l2Bytes));
    const double shortest = (bytes - kept) / info.memoryBytesPerSecond;
    context.metric("of_limit", 100 * shortest / measured.seconds, measured.provenance);
    context.limit("time", shortest);
    context.limit("bandwidth", bytes / shortest / 1e9);
    context.limit("of_limit", 100);
}

Error tooLarge(const PackShape& shape, const std::string& why)
{
    return {"out-of-memory",
            fmt::format("matrix and tiles need {} MB: {}", (shape.inBytes() + shape.outBytes()) / 1'000'000, why),
            "async_copy: bytes", fmt::format("set bytes={} or fewer", shape.inBytes() / 2)};
}

class AsyncCopy : public GpuExperiment {
public:
    AsyncCopy() : m_info(asyncCopyInfo()) {}
    const ExperimentInfo& info() const override { return m_info; }
    std::vector<std::string> kernels(const ParamSet& params, const gpu::DeviceInfo& info) const override
    {
        const std::string kernel = choice(params, "kernel");
        if (!packKernelRuns(kernel, info))
            return {}; // the run refuses with the reason
        return {packKernelFile(kernel)};
    }
    Result<void> runOnDevice(const ParamSet& params, GpuContext& context) const override;

private:
    ExperimentInfo m_info;
};

Result<void> AsyncCopy::runOnDevice(const ParamSet& params, GpuContext& context) const
{
    gpu::Device& device = context.device();
    const auto shape = packShapeOf(params);
    if (!shape)
        return shape.error();
    if (auto runs = packKernelRuns(shape->kernel, device.info()); !runs)
        return runs;
    if (auto fits = checkShared(*shape, device.info()); !fits)
        return fits;
    const auto program = context.kernel(packKernelFile(shape->kernel));
    if (!program)
        return program.error();
    Buffers buffers(device);
    const auto first = allocate(buffers, *shape);
    if (!first)
        return first.error().code == "out-of-memory" ? tooLarge(*shape, first.error().message) : first.error();
    const std::uint32_t salt = context.rng().nextU32();
    if (auto filled = fillSet(context, *shape, *first, salt); !filled)
        return filled;
    const auto sequence = sequenceOf(device, *shape, **program, *first);
    if (!sequence)
        return sequence.error();
    context.progress(0.3, "running pack_" + shape->kernel);
    const auto done = executeOnce(context, *sequence);
    if (!done)
        return done.error();
    if (auto checked = checkOutput(context, *shape, first->out, salt); !checked)
        return checked;
    if (auto checked = buffers.checkGuards(context); !checked)
        return checked;
    reportShape(context, *shape);
    reportCounters(context, *shape, done->heaviest());

    gpu::Arm arm{"pack_" + shape->kernel, {*sequence}};
    const std::uint64_t held = shape->inBytes() + shape->outBytes();
    const std::uint64_t wanted = setsToRotate(device.info(), shape->movedBytes(), held);
    while (arm.sets.size() < wanted) {
        const auto more = allocate(buffers, *shape);
        if (!more)
            break; // another program holds the memory
        if (auto filled = fillSet(context, *shape, *more, salt); !filled)
            return filled;
        auto next = sequenceOf(device, *shape, **program, *more);
        if (!next)
            return next.error();
        arm.sets.push_back(std::move(*next));
    }
    context.progress(0.7, "timing pack_" + shape->kernel);
    const auto measured = measure(context, *done, std::span(&arm, 1));
    if (!measured)
        return measured.error();
    if (measured->empty())
        return {};
    const Measured& time = measured->front();
    const bool cached = time.timing && arm.sets.size() * shape->movedBytes() < 2 * device.info().l2Bytes;
    if (cached && time.timing->validity == "valid")
        context.validity("resident in L2");
    reportRates(context, *shape, time, cached);
    return {};
}

} // namespace

std::unique_ptr<GpuExperiment> makeAsyncCopy()
{
    return std::make_unique<AsyncCopy>();
}

} // namespace ridge::labs
