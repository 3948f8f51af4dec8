// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/check/findings.h"

namespace ridge::gpu::simt {

namespace {

/// Below this nothing is ever mapped: the address is a null pointer and an index.
constexpr std::uint64_t kNullPage = 65536;
/// Heap, libraries and stack of a 64-bit process on Linux lie above; device allocations here lie below.
constexpr std::uint64_t kHostBegin = 0x5000'0000'0000u;
constexpr std::uint64_t kHostEnd = 0x8000'0000'0000u;

std::string triple(const std::array<std::uint32_t, 3>& d)
{
    return "(" + std::to_string(d[0]) + ", " + std::to_string(d[1]) + ", " + std::to_string(d[2]) + ")";
}

struct Kind {
    const char* code;
    const char* cuda;
    const char* lookFor; ///< null: the error's own
};

Kind addressKind(const LaunchState& state)
{
    const Fault& fault = state.stop->fault;
    const bool isGlobal = fault.space == Space::Global || fault.space == Space::Const;
    // A generic host pointer may have been taken for the window of shared or local memory.
    const std::uint64_t window = fault.space == Space::Shared  ? kSharedWindow
                                 : fault.space == Space::Local ? kLocalWindow
                                                               : 0;
    const std::uint64_t raw = fault.address + window;
    const bool farInWindow = !isGlobal && fault.address > 0xffff'ffffu;
    if ((isGlobal || farInWindow) && raw >= kHostBegin && raw < kHostEnd)
        return {"host-pointer", "cudaErrorIllegalAddress",
                "The address looks like one of the host: pass what cudaMalloc gave, not a pointer to an array of the "
                "CPU."};
    if (!isGlobal)
        return {"out-of-bounds", "cudaErrorIllegalAddress", nullptr};
    if (fault.address < kNullPage)
        return {"null-pointer", "cudaErrorIllegalAddress",
                "The pointer is null: an argument is 0, or an allocation that failed was not checked."};
    const NearestAllocation near = state.memory->nearest(fault.address);
    if (near.allocation != nullptr && near.allocation->freed && near.distance == 0)
        return {"use-after-free", "cudaErrorIllegalAddress",
                "The buffer was freed before the kernel ran: keep it until the last kernel that uses it has ended."};
    return {"out-of-bounds", "cudaErrorIllegalAddress", nullptr};
}

Kind kindOf(const Error& error, const LaunchState& state)
{
    if (error.code == "out-of-bounds" && state.stop && state.stop->pc != kNone)
        return addressKind(state);
    if (error.code == "misaligned")
        return {"misaligned", "cudaErrorMisalignedAddress", nullptr};
    if (error.code == "exited-block")
        return {"exited-block", "cudaErrorIllegalAddress", nullptr};
    if (error.code == "barrier-deadlock")
        return {"barrier-deadlock", "", nullptr};
    if (error.code == "endless-loop" || error.code == "no-progress")
        return {"endless-loop", "", nullptr};
    if (error.code == "never-resident")
        return {"never-resident-block", "", nullptr};
    if (error.code == "time-limit")
        return {"time-limit", "cudaErrorLaunchTimeout", nullptr};
    if (error.code == "instruction-limit" || error.code == "cycle-limit")
        return {error.code == "cycle-limit" ? "cycle-limit" : "instruction-limit", "", nullptr};
    return {"launch-failed", "cudaErrorLaunchFailure", nullptr};
}

} // namespace

ReportPlace placeOf(const KernelImage& image, std::uint32_t pc)
{
    if (pc == kNone)
        return {};
    const OpPlace& place = image.places[pc];
    return {place.sourceLine, place.ptxLine, image.texts[place.text], {}};
}

ReportThread threadOf(const Dim3& d, const Dim3& block, std::uint32_t warp, std::uint32_t lane)
{
    const std::uint32_t thread = warp * kWarpSize + lane;
    return {{block.x, block.y, block.z}, {thread % d.x, thread / d.x % d.y, thread / d.x / d.y}, warp, lane};
}

std::string whoText(const ReportThread& thread)
{
    return "thread " + triple(thread.thread) + " of block " + triple(thread.block);
}

ReportAccess accessOf(const GlobalMemory& memory, Space space, MemoryOp op, std::uint32_t bytes, std::uint64_t address)
{
    ReportAccess access;
    access.space = toText(space);
    access.kind = op == MemoryOp::Load ? "read" : op == MemoryOp::Store ? "write" : "update";
    access.bytes = bytes;
    access.address = address;
    if (space != Space::Global && space != Space::Const)
        return access;
    const NearestAllocation near = memory.nearest(address);
    if (near.allocation == nullptr)
        return access;
    access.allocation = near.allocation->label;
    access.allocationBegin = near.allocation->begin;
    access.allocationBytes = near.allocation->bytes;
    access.distance =
        near.before ? -static_cast<std::int64_t>(near.distance) : static_cast<std::int64_t>(near.distance);
    access.freed = near.allocation->freed;
    return access;
}

Report fatalReport(const Error& error, const LaunchState& state, const Dim3& blockDim)
{
    const Kind kind = kindOf(error, state);
    Report report;
    report.code = kind.code;
    report.cuda = kind.cuda;
    report.fatal = true;
    report.message = error.message;
    report.lookFor = kind.lookFor != nullptr ? kind.lookFor : error.fix;
    report.kernel = state.image->name;
    if (!state.stop)
        return report;
    const StopSite& site = *state.stop;
    report.place = placeOf(*state.image, site.pc);
    if (site.lane != kNone)
        report.thread = threadOf(blockDim, site.block, site.warp, site.lane);
    if (error.code == "out-of-bounds" || error.code == "misaligned")
        report.access = accessOf(*state.memory, site.fault.space, site.fault.op, site.fault.bytes, site.fault.address);
    return report;
}

} // namespace ridge::gpu::simt
