// SPDX-License-Identifier: GPL-3.0-or-later
// Loads, stores and atomics: addresses, bounds, counting, tracing and the bytes themselves.
#include "gpu/simt/run/atomics.h"
#include "gpu/simt/run/ops.h"
#include "gpu/simt/run/record.h"
#include "gpu/simt/run/state.h"

#include <cstring>

namespace ridge::gpu::simt {

namespace {

constexpr std::uint32_t kFull = ~std::uint32_t{0};

/// One access on its way: where each lane's bytes are on the host.
struct Access {
    LaneAddresses lanes;
    Space space = Space::Global;            ///< never Generic
    std::byte* first = nullptr;             ///< regular: host address of lane 0
    std::array<std::byte*, kWarpSize> host; ///< otherwise, of active lanes
};

template<class F>
void forMask(std::uint32_t mask, F f)
{
    for (; mask != 0; mask &= mask - 1)
        f(static_cast<std::size_t>(std::countr_zero(mask)));
}

Step fail(Warp& warp, const Access& access, MemoryOp op, Fault::Kind kind, std::size_t lane, std::uint64_t limit)
{
    warp.launch->fault = {
        kind, access.space, op, access.lanes.bytes, static_cast<std::uint32_t>(lane), access.lanes.address[lane],
        limit};
    return Step::Fault;
}

void gatherAddresses(Warp& warp, const MicroOp& op, const MemoryDetail& detail, LaneAddresses& lanes)
{
    const auto offset = static_cast<std::uint64_t>(op.imm);
    if (detail.wideAddress) {
        const auto* from = reinterpret_cast<const std::uint64_t*>(warp.file + op.a);
        for (std::size_t lane = 0; lane < kWarpSize; ++lane)
            lanes.address[lane] = from[lane] + offset;
    } else {
        const auto* from = reinterpret_cast<const std::uint32_t*>(warp.file + op.a);
        for (std::size_t lane = 0; lane < kWarpSize; ++lane)
            lanes.address[lane] = from[lane] + offset;
    }
}

void countAndTrace(Warp& warp, const MicroOp& op, const Access& access, MemoryOp kind)
{
    LaunchState& launch = *warp.launch;
    Counters& c = launch.counters;
    const LaneAddresses& lanes = access.lanes;
    const bool isGlobal = access.space == Space::Global;
    if (kind != MemoryOp::Atomic && isGlobal) {
        const bool isLoad = kind == MemoryOp::Load;
        (isLoad ? c.globalLoadRequests : c.globalStoreRequests) += 1;
        (isLoad ? c.globalLoadSectors : c.globalStoreSectors) += countGranules(lanes, 5);
        (isLoad ? c.globalLoadLines : c.globalStoreLines) += countGranules(lanes, 7);
        (isLoad ? c.globalLoadBytes : c.globalStoreBytes) += std::uint64_t{laneCount(lanes.mask)} * lanes.bytes;
    } else if (kind != MemoryOp::Atomic) {
        const bool isLoad = kind == MemoryOp::Load;
        const BankCount banks = countBanks(lanes);
        (isLoad ? c.sharedLoadRequests : c.sharedStoreRequests) += 1;
        (isLoad ? c.sharedLoadWavefronts : c.sharedStoreWavefronts) += banks.wavefronts;
        (isLoad ? c.sharedLoadMinimumWavefronts : c.sharedStoreMinimumWavefronts) += banks.minimum;
    }
    const bool wanted = isGlobal ? launch.options.traceGlobal : launch.options.traceShared;
    if (!wanted || launch.trace.size() >= launch.options.traceRequests)
        return;
    const auto at = static_cast<std::size_t>(&op - launch.image->ops.data());
    MemoryRequest request;
    request.space = isGlobal ? MemorySpace::Global : MemorySpace::Shared;
    request.op = kind;
    request.accessBytes = static_cast<std::uint8_t>(lanes.bytes);
    request.activeMask = lanes.mask;
    request.block = launch.blockIndex;
    request.warp = warp.index;
    request.ptxLine = launch.image->places[at].ptxLine;
    request.sourceLine = launch.image->places[at].sourceLine;
    forMask(lanes.mask, [&](std::size_t lane) { request.addresses[lane] = lanes.address[lane]; });
    launch.trace.push_back(request);
}

/// Host addresses in one contiguous range that starts at device address `begin`.
void placeInRange(Access& access, std::byte* host, std::uint64_t begin)
{
    if (access.lanes.regular) {
        access.first = host + (access.lanes.address[0] - begin);
        return;
    }
    forMask(access.lanes.mask,
            [&](std::size_t lane) { access.host[lane] = host + (access.lanes.address[lane] - begin); });
}

Step resolveGlobal(Warp& warp, const MicroOp& op, Access& access, MemoryOp kind)
{
    LaneAddresses& lanes = access.lanes;
    AllocationView& view = warp.launch->views[op.detail];
    if (lanes.least < view.begin || lanes.greatest + lanes.bytes > view.end || lanes.greatest >= kLocalWindow) {
        const Allocation* found = warp.launch->memory->find(lanes.least, lanes.bytes);
        if (found != nullptr)
            view = {found->begin, found->end(), found->host.get()};
        if (found == nullptr || lanes.greatest > found->end() - lanes.bytes) {
            // Lanes in several allocations, or astray: look at each.
            lanes.regular = false;
            std::size_t bad = kWarpSize;
            forMask(lanes.mask, [&](std::size_t lane) {
                const Allocation* own = warp.launch->memory->find(lanes.address[lane], lanes.bytes);
                if (own == nullptr)
                    bad = std::min(bad, lane);
                else
                    access.host[lane] = own->host.get() + (lanes.address[lane] - own->begin);
            });
            return bad == kWarpSize ? Step::Next : fail(warp, access, kind, Fault::Kind::OutOfBounds, bad, 0);
        }
    }
    placeInRange(access, view.host, view.begin);
    return Step::Next;
}

/// Shared memory and parameters: one range that starts at 0.
Step resolveFlat(Warp& warp, Access& access, std::byte* host, std::uint64_t bytes, MemoryOp kind)
{
    LaneAddresses& lanes = access.lanes;
    if (lanes.greatest > bytes || lanes.bytes > bytes - lanes.greatest) {
        std::size_t bad = kWarpSize;
        forMask(lanes.mask, [&](std::size_t lane) {
            if (lanes.address[lane] > bytes || lanes.bytes > bytes - lanes.address[lane])
                bad = std::min(bad, lane);
        });
        return fail(warp, access, kind, Fault::Kind::OutOfBounds, bad, bytes);
    }
    placeInRange(access, host, 0);
    return Step::Next;
}

Step resolveLocal(Warp& warp, Access& access, MemoryOp kind)
{
    LaneAddresses& lanes = access.lanes;
    const std::uint64_t bytes = warp.launch->image->localBytes;
    lanes.regular = false;
    std::size_t bad = kWarpSize;
    forMask(lanes.mask, [&](std::size_t lane) {
        if (lanes.address[lane] > bytes || lanes.bytes > bytes - lanes.address[lane])
            bad = std::min(bad, lane);
        else
            access.host[lane] = warp.local + lane * bytes + lanes.address[lane];
    });
    return bad == kWarpSize ? Step::Next : fail(warp, access, kind, Fault::Kind::OutOfBounds, bad, bytes);
}

Space spaceOfGeneric(std::uint64_t address)
{
    if (address >= kSharedWindow && address < kSharedWindow + kWindowBytes)
        return Space::Shared;
    return address >= kLocalWindow && address < kSharedWindow ? Space::Local : Space::Global;
}

/// Checks and places one access whose lanes all lie in one space, counts it and traces it.
Step resolve(Warp& warp, const MicroOp& op, Access& access, MemoryOp kind)
{
    LaneAddresses& lanes = access.lanes;
    analyse(lanes);
    std::uint64_t low = 0;
    if (lanes.regular)
        low = lanes.address[0] | static_cast<std::uint64_t>(lanes.stride | lanes.rowStride);
    else
        forMask(lanes.mask, [&](std::size_t lane) { low |= lanes.address[lane]; });
    if ((low & (lanes.bytes - 1)) != 0) {
        std::size_t bad = kWarpSize;
        forMask(lanes.mask, [&](std::size_t lane) {
            if ((lanes.address[lane] & (lanes.bytes - 1)) != 0)
                bad = std::min(bad, lane);
        });
        return fail(warp, access, kind, Fault::Kind::Misaligned, bad, 0);
    }
    LaunchState& launch = *warp.launch;
    Step step = Step::Next;
    if (access.space == Space::Global || access.space == Space::Const)
        step = resolveGlobal(warp, op, access, kind);
    else if (access.space == Space::Shared)
        step = resolveFlat(warp, access, launch.shared, launch.sharedBytes, kind);
    else if (access.space == Space::Param)
        step = resolveFlat(warp, access, launch.params, launch.paramBytes, kind);
    else
        step = resolveLocal(warp, access, kind);
    if (step == Step::Next && (access.space == Space::Global || access.space == Space::Shared))
        countAndTrace(warp, op, access, kind);
    if (step == Step::Next && launch.stream != nullptr)
        recordAccess(warp, op, access.space, kind, access.lanes);
    return step;
}

/// Runs `act(access)` once, or for generic addresses once for each space that lanes point into.
template<class Act>
Step withAccess(WarpRegisters& registers, const MicroOp& op, std::uint32_t mask, Act act)
{
    Warp& warp = static_cast<Warp&>(registers);
    const MemoryDetail& detail = warp.launch->image->memory[op.detail];
    warp.launch->observed = warp.launch->observed || detail.observesOthers;
    Access access;
    access.lanes.bytes = std::uint32_t{detail.elementBytes} * detail.count;
    gatherAddresses(warp, op, detail, access.lanes);
    std::uint32_t left = mask;
    while (left != 0) {
        access.lanes.mask = left;
        access.space = detail.space;
        if (detail.space == Space::Generic) {
            access.space = spaceOfGeneric(access.lanes.address[static_cast<std::size_t>(std::countr_zero(left))]);
            const std::uint64_t window = access.space == Space::Shared  ? kSharedWindow
                                         : access.space == Space::Local ? kLocalWindow
                                                                        : 0;
            forMask(left, [&](std::size_t lane) {
                if (spaceOfGeneric(access.lanes.address[lane]) != access.space)
                    access.lanes.mask &= ~(1u << lane);
                else
                    access.lanes.address[lane] -= window;
            });
        }
        left &= ~access.lanes.mask;
        const Step step = resolve(warp, op, access, detail.op);
        if (step != Step::Next)
            return step;
        act(warp, detail, access);
    }
    return Step::Next;
}

template<class E, class R, bool Signed>
R widen(const std::byte* from)
{
    E value;
    std::memcpy(&value, from, sizeof value);
    if constexpr (Signed && sizeof(R) > sizeof(E))
        return static_cast<R>(static_cast<std::make_signed_t<R>>(static_cast<std::make_signed_t<E>>(value)));
    else
        return static_cast<R>(value);
}

/// Rows have 32, 16 or 8 elements: the first two are copies of fixed size.
template<class E>
void copyRow(void* to, const void* from, std::uint32_t lanes)
{
    if (lanes == 32)
        std::memcpy(to, from, 32 * sizeof(E));
    else if (lanes == 16)
        std::memcpy(to, from, 16 * sizeof(E));
    else
        std::memcpy(to, from, 8 * sizeof(E));
}

template<class E, class R, bool Signed>
void loadElement(R* to, const Access& access, std::size_t skip)
{
    const LaneAddresses& lanes = access.lanes;
    if (!lanes.regular) {
        forMask(lanes.mask, [&](std::size_t lane) { to[lane] = widen<E, R, Signed>(access.host[lane] + skip); });
        return;
    }
    const std::byte* row = access.first + skip;
    for (std::uint32_t start = 0; start < kWarpSize; start += lanes.rowLanes, to += lanes.rowLanes) {
        if (sizeof(E) == sizeof(R) && lanes.stride == sizeof(E)) {
            copyRow<E>(to, row, lanes.rowLanes);
        } else if (lanes.stride == 0) {
            std::fill_n(to, lanes.rowLanes, widen<E, R, Signed>(row));
        } else {
            const std::byte* from = row;
            for (std::uint32_t lane = 0; lane < lanes.rowLanes; ++lane, from += lanes.stride)
                to[lane] = widen<E, R, Signed>(from);
        }
        row += lanes.rowStride;
    }
}

template<class E, class R, bool Signed>
Step load(WarpRegisters& registers, const MicroOp& op, std::uint32_t mask)
{
    return withAccess(registers, op, mask, [](Warp& warp, const MemoryDetail& detail, const Access& access) {
        for (std::size_t at = 0; at < detail.count; ++at) {
            if (detail.data[at] != kNone)
                loadElement<E, R, Signed>(reinterpret_cast<R*>(warp.file + detail.data[at]), access, at * sizeof(E));
        }
    });
}

template<class E, class R>
void storeElement(const R* from, const Access& access, std::size_t skip)
{
    const LaneAddresses& lanes = access.lanes;
    const auto put = [&](std::byte* to, std::size_t lane) {
        const E value = static_cast<E>(from[lane]);
        std::memcpy(to + skip, &value, sizeof value);
    };
    if (!lanes.regular) {
        forMask(lanes.mask, [&](std::size_t lane) { put(access.host[lane], lane); });
        return;
    }
    std::byte* row = access.first;
    for (std::uint32_t start = 0; start < kWarpSize; start += lanes.rowLanes, row += lanes.rowStride) {
        if (sizeof(E) == sizeof(R) && lanes.stride == sizeof(E)) {
            copyRow<E>(row + skip, from + start, lanes.rowLanes);
            continue;
        }
        std::byte* to = row;
        for (std::uint32_t lane = 0; lane < lanes.rowLanes; ++lane, to += lanes.stride)
            put(to, start + lane);
    }
}

template<class E, class R>
Step store(WarpRegisters& registers, const MicroOp& op, std::uint32_t mask)
{
    return withAccess(registers, op, mask, [](Warp& warp, const MemoryDetail& detail, const Access& access) {
        warp.launch->changed = true;
        for (std::size_t at = 0; at < detail.count; ++at)
            storeElement<E, R>(reinterpret_cast<const R*>(warp.file + detail.data[at]), access, at * sizeof(E));
    });
}

std::byte* hostOf(const Access& access, std::size_t lane)
{
    const LaneAddresses& lanes = access.lanes;
    if (!lanes.regular)
        return access.host[lane];
    const auto inRow = static_cast<std::ptrdiff_t>(lane % lanes.rowLanes);
    const auto row = static_cast<std::ptrdiff_t>(lane / lanes.rowLanes);
    return access.first + inRow * lanes.stride + row * lanes.rowStride;
}

template<class U>
Step atomic(WarpRegisters& registers, const MicroOp& op, std::uint32_t mask)
{
    return withAccess(registers, op, mask, [](Warp& warp, const MemoryDetail& detail, const Access& access) {
        const auto* b = reinterpret_cast<const U*>(warp.file + detail.operandB);
        const U* c = detail.operandC == kNone ? b : reinterpret_cast<const U*>(warp.file + detail.operandC);
        // Copies, because the result may be one of the operands. Lanes take effect in ascending order.
        std::array<U, kWarpSize> before{};
        forMask(access.lanes.mask, [&](std::size_t lane) {
            std::byte* at = hostOf(access, lane);
            U value;
            std::memcpy(&value, at, sizeof value);
            before[lane] = value;
            value = applyAtomic<U>(detail, access.space, value, b[lane], c[lane]);
            warp.launch->changed = warp.launch->changed || value != before[lane];
            std::memcpy(at, &value, sizeof value);
        });
        if (detail.data[0] == kNone)
            return;
        U* to = reinterpret_cast<U*>(warp.file + detail.data[0]);
        forMask(access.lanes.mask, [&](std::size_t lane) { to[lane] = before[lane]; });
    });
}

template<class E, class R>
OpFunction loadOrStore(const MemoryDetail& detail)
{
    if (detail.op == MemoryOp::Store)
        return &store<E, R>;
    return isSigned(detail.type) ? &load<E, R, true> : &load<E, R, false>;
}

template<class E>
OpFunction forRegister(const MemoryDetail& detail)
{
    if (detail.registerBytes == 8)
        return loadOrStore<E, std::uint64_t>(detail);
    if constexpr (sizeof(E) <= 4) {
        if (detail.registerBytes == 4)
            return loadOrStore<E, std::uint32_t>(detail);
    }
    if constexpr (sizeof(E) <= 2) {
        if (detail.registerBytes == 2)
            return loadOrStore<E, std::uint16_t>(detail);
    }
    return nullptr;
}

} // namespace

OpFunction findMemoryOp(const MemoryDetail& detail)
{
    if (detail.op == MemoryOp::Atomic) {
        if (!isAtomicSupported(detail.atomic, detail.type))
            return nullptr;
        return detail.elementBytes == 4 ? &atomic<std::uint32_t> : &atomic<std::uint64_t>;
    }
    switch (detail.elementBytes) {
    case 1:
        return forRegister<std::uint8_t>(detail);
    case 2:
        return forRegister<std::uint16_t>(detail);
    case 4:
        return forRegister<std::uint32_t>(detail);
    case 8:
        return forRegister<std::uint64_t>(detail);
    default:
        return nullptr;
    }
}

} // namespace ridge::gpu::simt
