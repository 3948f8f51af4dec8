// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/timing/timed_kernel.h"

#include <algorithm>
#include <cmath>

namespace ridge::gpu::simt {

namespace {

OpKind kindOf(Pipe pipe)
{
    switch (pipe) {
    case Pipe::Lsu:
    case Pipe::Shared:
    case Pipe::Constant:
    case Pipe::Copy:
        return OpKind::Memory;
    case Pipe::Shuffle:
        return OpKind::Mio;
    case Pipe::Barrier:
        return OpKind::Barrier;
    case Pipe::Fence:
        return OpKind::Fence;
    default:
        return OpKind::Compute;
    }
}

Stall reasonOf(LatencyClass latency)
{
    switch (latency) {
    case LatencyClass::GlobalLoad:
    case LatencyClass::GlobalStore:
    case LatencyClass::GlobalAtomic:
    case LatencyClass::LocalLoad:
    case LatencyClass::LocalStore:
    case LatencyClass::AsyncCopy:
    case LatencyClass::BulkCopy:
        return Stall::LongScoreboard;
    case LatencyClass::Wgmma:
        return Stall::Gmma;
    default:
        return Stall::ShortScoreboard;
    }
}

/// Registers lie in banks by their number. Three operands of one bank take a cycle more than the read stage has
/// (Huerta et al., MICRO 2025); an operand that appears twice is read once.
std::uint8_t bankCycles(const MachineOp& op, unsigned banks)
{
    std::vector<std::uint16_t> distinct;
    for (const RegisterRange& range : op.sources) {
        if (range.first != kNoRegister && !range.uniform &&
            std::find(distinct.begin(), distinct.end(), range.first) == distinct.end())
            distinct.push_back(range.first);
    }
    std::vector<unsigned> reads(banks);
    for (const std::uint16_t number : distinct)
        ++reads[number % banks];
    const unsigned most = *std::max_element(reads.begin(), reads.end());
    return static_cast<std::uint8_t>(most > 2 ? most - 2 : 0);
}

} // namespace

ScheduleLatencies scheduleLatencies(const ChipTiming& chip)
{
    ScheduleLatencies latencies;
    for (std::size_t at = 0; at + 1 < kLatencyClasses; ++at) {
        if (isFixedLatency(static_cast<LatencyClass>(at)))
            latencies.cycles[at] = static_cast<std::uint8_t>(std::min(std::lround(chip.latency[at]), 15L));
    }
    return latencies;
}

TimedKernel timeKernel(const KernelImage& image, const MachineKernel& machine, const ChipTiming& chip)
{
    TimedKernel kernel;
    kernel.image = &image;
    kernel.machine = &machine;
    kernel.ops.reserve(machine.ops.size());
    const double lanesPerSubCore = 32.0 * chip.subCores;
    for (const MachineOp& op : machine.ops) {
        TimedOp timed;
        timed.kind = kindOf(op.pipe);
        timed.pipe = op.pipe;
        timed.stall = std::max<std::uint8_t>(op.stall, 1);
        timed.waitMask = op.waitMask;
        timed.writeCounter = op.writeCounter;
        timed.readCounter = op.readCounter;
        timed.reason = reasonOf(op.latency);
        timed.microOp = op.microOp;
        timed.covers = op.covers;
        const auto at = static_cast<std::size_t>(op.latency);
        if (op.latency != LatencyClass::None) {
            timed.latency = static_cast<std::uint32_t>(std::lround(chip.latency[at]));
            const double interval = lanesPerSubCore / chip.lanes[at] * std::max<std::uint8_t>(op.repeat, 1);
            timed.interval = static_cast<std::uint32_t>(std::max(1L, std::lround(interval)));
        }
        if (timed.kind == OpKind::Compute)
            timed.bankCycles = bankCycles(op, static_cast<unsigned>(chip.registerBanks));
        kernel.ops.push_back(timed);
    }
    return kernel;
}

} // namespace ridge::gpu::simt
