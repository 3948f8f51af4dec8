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
    const std::byte* rows = nullptr;        ///< what a store writes, lanes.bytes for each lane; null: not known yet
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

/// The address that a register and a displacement name, for whoever asks: executor, detectors and recorder. One of 32
/// bits wraps around: compilers start below an array and add the rest in the instruction.
template<class Register>
constexpr std::uint64_t effectiveAddress(Register base, std::int64_t displacement)
{
    return static_cast<Register>(base + static_cast<Register>(displacement));
}

inline void gatherAddresses(const Warp& warp, const MicroOp& op, const MemoryDetail& detail,
                            std::array<std::uint64_t, kWarpSize>& addresses)
{
    const auto gather = [&](const auto* from) {
        for (std::size_t lane = 0; lane < kWarpSize; ++lane)
            addresses[lane] = effectiveAddress(from[lane], op.imm);
    };
    if (detail.wideAddress)
        gather(reinterpret_cast<const std::uint64_t*>(warp.file + op.a));
    else
        gather(reinterpret_cast<const std::uint32_t*>(warp.file + op.a));
}

inline Space spaceOfGeneric(std::uint64_t address)
{
    if (address >= kSharedWindow && address < kSharedWindow + kWindowBytes)
        return Space::Shared;
    if (address >= kParamWindow && address < kLocalWindow)
        return Space::Param;
    return address >= kLocalWindow && address < kSharedWindow ? Space::Local : Space::Global;
}

/// Where the generic address space shows a space.
constexpr std::uint64_t windowOf(Space space)
{
    return space == Space::Shared  ? kSharedWindow
           : space == Space::Local ? kLocalWindow
           : space == Space::Param ? kParamWindow
                                   : 0;
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
    gatherAddresses(warp, op, detail, access.lanes.address);
    std::uint32_t left = mask;
    while (left != 0) {
        access.lanes.mask = left;
        access.space = detail.space;
        if (detail.space == Space::Generic) {
            access.space = spaceOfGeneric(access.lanes.address[static_cast<std::size_t>(std::countr_zero(left))]);
            const std::uint64_t window = windowOf(access.space);
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
