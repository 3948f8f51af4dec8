// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/run/state.h"

namespace ridge::gpu::simt {

/// One access on its way: where each lane's bytes are on the host.
struct PlacedAccess {
    LaneAddresses lanes;
    Space space = Space::Global;            ///< never Generic
    std::byte* first = nullptr;             ///< regular: host address of lane 0
    std::array<std::byte*, kWarpSize> host; ///< otherwise, of active lanes
    const std::uint32_t* wanted = nullptr;  ///< bytes of each lane where those are fewer than lanes.bytes
    bool isRemote = false;                  ///< some lanes are in the shared memory of another block
    bool throughLog = false; ///< a load or store whose caller looks into LaunchState::log, or puts it there
    bool isLogged = false;   ///< a load of what is in the log, all or part of it
};

template<class F>
void forMask(std::uint32_t mask, F f)
{
    for (; mask != 0; mask &= mask - 1)
        f(static_cast<std::size_t>(std::countr_zero(mask)));
}

/// Checks bounds and alignment of one access whose lanes all lie in one space, finds their bytes on the host, counts,
/// traces and records it. Step::Fault: LaunchState::fault says what is wrong.
Step resolve(Warp& warp, const MicroOp& op, PlacedAccess& access, MemoryOp kind);

inline void gatherAddresses(Warp& warp, const MicroOp& op, const MemoryDetail& detail, LaneAddresses& lanes)
{
    const auto offset = static_cast<std::uint64_t>(op.imm);
    if (detail.wideAddress) {
        const auto* from = reinterpret_cast<const std::uint64_t*>(warp.file + op.a);
        for (std::size_t lane = 0; lane < kWarpSize; ++lane)
            lanes.address[lane] = from[lane] + offset;
    } else {
        // A 32-bit address wraps around: compilers start below an array and add the rest in the register.
        const auto* from = reinterpret_cast<const std::uint32_t*>(warp.file + op.a);
        const auto low = static_cast<std::uint32_t>(offset);
        for (std::size_t lane = 0; lane < kWarpSize; ++lane)
            lanes.address[lane] = from[lane] + low;
    }
}

inline Space spaceOfGeneric(std::uint64_t address)
{
    if (address >= kSharedWindow && address < kSharedWindow + kWindowBytes)
        return Space::Shared;
    if (address >= kParamWindow && address < kLocalWindow)
        return Space::Param;
    return address >= kLocalWindow && address < kSharedWindow ? Space::Local : Space::Global;
}

/// Runs `act(access)` once, or for generic addresses once for each space that lanes point into.
template<class Act>
Step withAccess(WarpRegisters& registers, const MicroOp& op, std::uint32_t mask, Act act)
{
    Warp& warp = static_cast<Warp&>(registers);
    const MemoryDetail& detail = warp.launch->image->memory[op.detail];
    warp.launch->observed = warp.launch->observed || detail.observesOthers;
    PlacedAccess access;
    access.lanes.bytes = std::uint32_t{detail.elementBytes} * detail.count;
    access.throughLog = true;
    gatherAddresses(warp, op, detail, access.lanes);
    std::uint32_t left = mask;
    while (left != 0) {
        access.lanes.mask = left;
        access.space = detail.space;
        if (detail.space == Space::Generic) {
            access.space = spaceOfGeneric(access.lanes.address[static_cast<std::size_t>(std::countr_zero(left))]);
            const std::uint64_t window = access.space == Space::Shared  ? kSharedWindow
                                         : access.space == Space::Local ? kLocalWindow
                                         : access.space == Space::Param ? kParamWindow
                                                                        : 0;
            forMask(left, [&](std::size_t lane) {
                if (spaceOfGeneric(access.lanes.address[lane]) != access.space)
                    access.lanes.mask &= ~(1u << lane);
                else
                    access.lanes.address[lane] -= window;
            });
        }
        left &= ~access.lanes.mask;
        if (warp.launch->log != nullptr && (left != 0 || (access.space == Space::Global && detail.observesOthers)))
            return leaveToOrder(*warp.launch); // before the lanes of one space have had their effect
        access.isRemote = access.isLogged = false;
        const Step step = resolve(warp, op, access, detail.op);
        if (step != Step::Next)
            return step;
        act(warp, detail, access);
    }
    return Step::Next;
}

inline std::byte* hostOf(const PlacedAccess& access, std::size_t lane)
{
    const LaneAddresses& lanes = access.lanes;
    if (!lanes.regular)
        return access.host[lane];
    const auto inRow = static_cast<std::ptrdiff_t>(lane % lanes.rowLanes);
    const auto row = static_cast<std::ptrdiff_t>(lane / lanes.rowLanes);
    return access.first + inRow * lanes.stride + row * lanes.rowStride;
}

} // namespace ridge::gpu::simt
