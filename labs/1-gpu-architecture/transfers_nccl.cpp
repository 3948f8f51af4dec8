// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/1-gpu-architecture/transfers_nccl.h"

#include "labs/harness/vendor_arm.h"
#include "labs/harness/work.h"

namespace ridge::labs {
namespace {

constexpr double kGpus = 2; // that take part
constexpr std::uint64_t kChunk = 1u << 18;

/// Errors that say no more than that there is no reference.
Result<void> without(RunContext& context, const Error& why)
{
    if (why.code != "no-reference" && why.code != "out-of-memory")
        return why;
    context.log("without a vendor's reference: " + toText(why));
    return {};
}

/// One way of NCCL's that was tried and found right.
struct Way {
    std::unique_ptr<gpu::LoadedProgram> program; // null: there is none
    gpu::Arm arm;
};

Result<Way> trySend(GpuContext& context, const PeerTransfer& transfer)
{
    Way way;
    auto program = vendorWay(context, gpu::PeerCopy{transfer.bytes, transfer.to, gpu::PeerCopy::By::Nccl});
    if (!program)
        return program.error();
    if (!*program)
        return way;
    if (auto cleared = transfer.clear(); !cleared)
        return cleared.error();
    const gpu::Sequence sequence{vendorStep(**program, {transfer.to->address(), transfer.from})};
    if (auto ran = executeOnce(context, sequence); !ran) {
        auto gone = without(context, ran.error());
        return gone ? Result<Way>(std::move(way)) : Result<Way>(gone.error());
    }
    Comparison comparison;
    if (auto compared = transfer.compare(comparison); !compared)
        return compared.error();
    comparison.report(context, "pattern bit for bit", "nccl_matches_reference", (*program)->program().name);
    if (!comparison.passed())
        return way;
    context.log("reference: " + (*program)->program().name);
    way.program = std::move(*program);
    way.arm = {"nccl", {sequence}};
    return way;
}

// ---- all-reduce -----------------------------------------------------------------------------------------------------

/// Small whole numbers, whose sums are exact.
float addend(std::uint64_t i, std::uint32_t salt)
{
    return static_cast<float>(mixed(i, salt) % 2001) - 1000;
}

struct Sum {
    std::unique_ptr<gpu::PeerMemory> sumThere, addendsThere;
    gpu::DevicePtr sum, addends;
    std::uint64_t elements = 0;
    std::uint32_t salt = 0;
    Way way;
};

Result<void> fillThere(RunContext& context, gpu::PeerMemory& there, std::uint64_t elements, std::uint32_t salt)
{
    std::vector<float> piece;
    for (std::uint64_t first = 0; first < elements; first += kChunk) {
        if (context.cancelled())
            return Error{"cancelled", "the run was cancelled", "filling buffers", ""};
        piece.resize(std::min(kChunk, elements - first));
        for (std::uint64_t i = 0; i < piece.size(); ++i)
            piece[i] = addend(first + i, salt);
        if (auto written = there.write(std::as_bytes(std::span(piece)), first * sizeof(float)); !written)
            return written;
    }
    return {};
}

Result<void> compareSums(GpuContext& context, const Sum& sum, Comparison& comparison)
{
    const auto see = [&](std::uint64_t i, float got) {
        const float wanted = addend(i, sum.salt) + addend(i, sum.salt + 1);
        comparison.see(i, got == wanted, got, wanted);
    };
    if (auto seen = readBack<float>(context, sum.sum, sum.elements, see); !seen)
        return seen;
    std::vector<float> piece;
    for (std::uint64_t first = 0; first < sum.elements; first += kChunk) {
        if (context.cancelled())
            return Error{"cancelled", "the run was cancelled", "comparing", ""};
        piece.resize(std::min(kChunk, sum.elements - first));
        if (auto read = sum.sumThere->read(std::as_writable_bytes(std::span(piece)), first * sizeof(float)); !read)
            return read;
        for (std::uint64_t i = 0; i < piece.size(); ++i)
            see(first + i, piece[i]);
    }
    return {};
}

Result<void> allocateSum(GpuContext& context, Buffers& buffers, Sum& sum)
{
    const std::uint64_t bytes = sum.elements * sizeof(float);
    for (auto* there : {&sum.sumThere, &sum.addendsThere}) {
        auto made = context.device().allocatePeer(bytes, "all-reduce on the other GPU");
        if (!made)
            return made.error();
        *there = std::move(*made);
    }
    for (gpu::DevicePtr* here : {&sum.sum, &sum.addends}) {
        const auto made = buffers.allocate(bytes, "all-reduce");
        if (!made)
            return made.error();
        *here = *made;
    }
    if (auto filled =
            fill<float>(context, sum.addends, sum.elements, [&](std::uint64_t i) { return addend(i, sum.salt); });
        !filled)
        return filled;
    if (auto filled = fillThere(context, *sum.addendsThere, sum.elements, sum.salt + 1); !filled)
        return filled;
    return poison(context, sum.sum, bytes);
}

Result<Sum> trySum(GpuContext& context, Buffers& buffers, std::uint64_t bytes)
{
    Sum sum;
    sum.elements = std::max<std::uint64_t>(1, bytes / sizeof(float));
    sum.salt = context.rng().nextU32();
    if (auto allocated = allocateSum(context, buffers, sum); !allocated) {
        auto gone = without(context, allocated.error());
        return gone ? Result<Sum>(std::move(sum)) : Result<Sum>(gone.error());
    }
    auto program = vendorWay(context, gpu::PeerSum{sum.elements, sum.sumThere.get(), sum.addendsThere.get()});
    if (!program)
        return program.error();
    if (!*program)
        return sum;
    const gpu::Sequence sequence{
        vendorStep(**program, {sum.sum, sum.addends, sum.sumThere->address(), sum.addendsThere->address()})};
    if (auto ran = executeOnce(context, sequence); !ran) {
        auto gone = without(context, ran.error());
        return gone ? Result<Sum>(std::move(sum)) : Result<Sum>(gone.error());
    }
    Comparison comparison;
    if (auto compared = compareSums(context, sum, comparison); !compared)
        return compared.error();
    comparison.report(context, "sums on both GPUs exactly", "allreduce_matches_reference", (*program)->program().name);
    if (comparison.passed()) {
        sum.way.program = std::move(*program);
        sum.way.arm = {"allreduce", {sequence}};
    }
    return sum;
}

} // namespace

void addNcclMetrics(std::vector<MetricSpec>& metrics)
{
    metrics.push_back({"nccl_bandwidth", "Bandwidth of NCCL", "GB/s",
                       "Of NCCL's send and receive between the same two GPUs, in turns with the driver's copy."});
    metrics.push_back({"nccl_share", "Share of NCCL's bandwidth", "%",
                       "Bandwidth of the driver's copy over that of NCCL's send and receive."});
    addPairMetrics(metrics, "nccl_share", "Share of NCCL's bandwidth");
    metrics.push_back({"allreduce_algbw", "All-reduce, size over time", "GB/s",
                       "NCCL's sum of as many bytes of float32 over this GPU and the next one: bytes over time, which "
                       "nccl-tests calls algbw."});
    metrics.push_back({"allreduce_busbw", "All-reduce, bandwidth of the bus", "GB/s",
                       "algbw × 2(n − 1)/n over n = 2 GPUs, which nccl-tests calls busbw: to be held against the rate "
                       "of a link in one direction."});
}

Result<void> compareWithNccl(GpuContext& context, Buffers& buffers, const PeerTransfer& transfer)
{
    const auto send = trySend(context, transfer);
    if (!send)
        return send.error();
    if (!send->program)
        return {};
    const auto own = vendorWay(context, gpu::PeerCopy{transfer.bytes, transfer.to, gpu::PeerCopy::By::Driver});
    if (!own)
        return own.error();
    const auto sum = trySum(context, buffers, transfer.bytes);
    if (!sum)
        return sum.error();
    std::vector<gpu::Arm> arms{{"driver", {{vendorStep(**own, {transfer.to->address(), transfer.from})}}}, send->arm};
    if (sum->way.program)
        arms.push_back(sum->way.arm);
    const auto timings = context.device().timeArms(arms, {});
    if (!timings)
        return without(context, timings.error());
    if (timings->size() != arms.size())
        return {}; // nothing is timed here
    const auto measured = [&](std::size_t arm) {
        return Measured{(*timings)[arm].medianSeconds, Provenance::Measured, 0, (*timings)[arm]};
    };
    const auto bytes = static_cast<double>(transfer.bytes);
    context.metric("nccl_bandwidth", bytes / measured(1).seconds / 1e9, Provenance::Measured);
    reportShare(context, "nccl_share", measured(0), measured(1));
    if (sum->way.program) {
        const double algbw = static_cast<double>(sum->elements * sizeof(float)) / measured(2).seconds / 1e9;
        context.metric("allreduce_algbw", algbw, Provenance::Measured);
        context.metric("allreduce_busbw", algbw * 2 * (kGpus - 1) / kGpus, Provenance::Measured);
    }
    return {};
}

} // namespace ridge::labs
