// SPDX-License-Identifier: GPL-3.0-or-later
// Loads, stores and atomics: addresses, bounds, counting, tracing and the bytes themselves.
#include "gpu/simt/run/atomics.h"
#include "gpu/simt/run/cluster.h"
#include "gpu/simt/run/memory_access.h"
#include "gpu/simt/run/ops.h"
#include "gpu/simt/run/record.h"
#include "gpu/simt/run/store_log.h"

#include <cstring>

namespace ridge::gpu::simt {

namespace {

Step fail(Warp& warp, const PlacedAccess& access, MemoryOp op, Fault::Kind kind, std::size_t lane, std::uint64_t limit)
{
    warp.launch->fault = {
        kind, access.space, op, access.lanes.bytes, static_cast<std::uint32_t>(lane), access.lanes.address[lane],
        limit};
    return Step::Fault;
}

void countAndTrace(Warp& warp, const MicroOp& op, const PlacedAccess& access, MemoryOp kind)
{
    LaunchState& launch = *warp.launch;
    Counters& c = launch.counters;
    const LaneAddresses& lanes = access.lanes;
    const bool isGlobal = access.space == Space::Global;
    if (access.isRemote) {
        c.clusterRequests += 1;
        c.clusterBytes += std::uint64_t{laneCount(lanes.mask)} * lanes.bytes;
    } else if (kind != MemoryOp::Atomic && isGlobal) {
        const bool isLoad = kind == MemoryOp::Load;
        (isLoad ? c.globalLoadRequests : c.globalStoreRequests) += 1;
        (isLoad ? c.globalLoadSectors : c.globalStoreSectors) += countGranules(lanes, 5);
        (isLoad ? c.globalLoadLines : c.globalStoreLines) += countGranules(lanes, 7);
        (isLoad ? c.globalLoadBytes : c.globalStoreBytes) += std::uint64_t{laneCount(lanes.mask)} * lanes.bytes;
    } else if (kind == MemoryOp::Atomic) {
        launch.globalAtomics += isGlobal ? 1 : 0;
    } else {
        const bool isLoad = kind == MemoryOp::Load;
        const BankCount banks = countBanks(lanes);
        (isLoad ? c.sharedLoadRequests : c.sharedStoreRequests) += 1;
        (isLoad ? c.sharedLoadWavefronts : c.sharedStoreWavefronts) += banks.wavefronts;
        (isLoad ? c.sharedLoadMinimumWavefronts : c.sharedStoreMinimumWavefronts) += banks.minimum;
    }
    const bool wanted = isGlobal ? launch.options.traceGlobal : launch.options.traceShared;
    if (!wanted || launch.trace.size() >= launch.options.traceRequests ||
        launch.blockIndex != launch.options.traceBlock.value_or(launch.blockIndex))
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
void placeInRange(PlacedAccess& access, std::byte* host, std::uint64_t begin)
{
    if (access.lanes.regular) {
        access.first = host + (access.lanes.address[0] - begin);
        return;
    }
    forMask(access.lanes.mask,
            [&](std::size_t lane) { access.host[lane] = host + (access.lanes.address[lane] - begin); });
}

/// Whether the access may run before those of other blocks that come earlier: atomics may not.
bool canRunAside(const StoreLog& log, PlacedAccess& access, MemoryOp kind)
{
    if (kind == MemoryOp::Load) {
        access.isLogged = log.touches(access.lanes);
        return !access.isLogged || access.throughLog;
    }
    return kind == MemoryOp::Store && access.throughLog && !log.full();
}

Step resolveGlobal(Warp& warp, const MicroOp& op, PlacedAccess& access, MemoryOp kind)
{
    LaneAddresses& lanes = access.lanes;
    if (warp.launch->log != nullptr && !canRunAside(*warp.launch->log, access, kind))
        return leaveToOrder(*warp.launch);
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
                const std::uint32_t bytes = access.wanted != nullptr ? access.wanted[lane] : lanes.bytes;
                const Allocation* own = warp.launch->memory->find(lanes.address[lane], bytes);
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
Step resolveFlat(Warp& warp, PlacedAccess& access, std::byte* host, std::uint64_t bytes, MemoryOp kind)
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

/// Shared memory where an address lies past the block's own: in a cluster it may name a block, the own one included.
Step resolveCluster(Warp& warp, PlacedAccess& access, MemoryOp kind)
{
    LaunchState& launch = *warp.launch;
    LaneAddresses& lanes = access.lanes;
    const std::uint64_t tag = lanes.least >> kRankShift;
    if (tag == lanes.greatest >> kRankShift && tag == launch.rank + kFirstTag) {
        forMask(lanes.mask, [&](std::size_t lane) { lanes.address[lane] &= kRankOffset; });
        lanes.least &= kRankOffset;
        lanes.greatest &= kRankOffset;
        return resolveFlat(warp, access, launch.shared, launch.sharedBytes, kind);
    }
    lanes.regular = false;
    std::size_t bad = kWarpSize;
    Fault::Kind why = Fault::Kind::OutOfBounds;
    std::uint64_t limit = launch.sharedBytes;
    forMask(lanes.mask, [&](std::size_t lane) {
        const SharedPlace at = placeOfShared(launch, lanes.address[lane]);
        if (bad != kWarpSize)
            return;
        if (at.rank >= launch.cluster->size() || at.offset > launch.sharedBytes ||
            lanes.bytes > launch.sharedBytes - at.offset) {
            bad = lane;
            lanes.address[lane] = at.offset;
            return;
        }
        if (launch.cluster->hasExited(at.rank)) {
            bad = lane;
            why = Fault::Kind::ExitedBlock;
            limit = at.rank;
            lanes.address[lane] = at.offset;
            return;
        }
        access.isRemote = access.isRemote || at.rank != launch.rank;
        access.host[lane] = launch.cluster->shared(at.rank) + at.offset;
        lanes.address[lane] = at.offset;
    });
    return bad == kWarpSize ? Step::Next : fail(warp, access, kind, why, bad, limit);
}

Step resolveLocal(Warp& warp, PlacedAccess& access, MemoryOp kind)
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

} // namespace

Step resolve(Warp& warp, const MicroOp& op, PlacedAccess& access, MemoryOp kind)
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
        step = lanes.greatest < std::uint64_t{1} << kRankShift || launch.cluster->size() == 1
                   ? resolveFlat(warp, access, launch.shared, launch.sharedBytes, kind)
                   : resolveCluster(warp, access, kind);
    else if (access.space == Space::Param)
        step = resolveFlat(warp, access, launch.params, launch.paramBytes, kind);
    else
        step = resolveLocal(warp, access, kind);
    if (step == Step::Next && (access.space == Space::Global || access.space == Space::Shared))
        countAndTrace(warp, op, access, kind);
    if (step == Step::Next && launch.stream != nullptr)
        recordAccess(warp, op, access.space, kind, access.lanes);
    if (access.isRemote && step == Step::Next && launch.stream != nullptr)
        launch.stream->accesses.back().isRemote = true;
    return step;
}

namespace {

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
void loadElement(R* to, const PlacedAccess& access, std::size_t skip)
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

/// A load from memory with what is in the log over it, one lane after the other in `bytes`.
void readLogged(const StoreLog& log, const PlacedAccess& access, std::byte* bytes)
{
    const LaneAddresses& lanes = access.lanes;
    const auto read = [&](std::size_t lane, std::size_t count) {
        const std::byte* from = hostOf(access, lane);
        std::memcpy(bytes + lane * lanes.bytes, from, count);
        log.overlay(lanes.address[lane], from, count, bytes + lane * lanes.bytes);
    };
    if (!lanes.regular || lanes.stride != static_cast<std::int64_t>(lanes.bytes)) {
        forMask(lanes.mask, [&](std::size_t lane) { read(lane, lanes.bytes); });
        return;
    }
    for (std::uint32_t start = 0; start < kWarpSize; start += lanes.rowLanes)
        read(start, std::size_t{lanes.rowLanes} * lanes.bytes);
}

template<class E, class R, bool Signed>
void loadLogged(const Warp& warp, const MemoryDetail& detail, const PlacedAccess& access)
{
    std::array<std::byte, kWarpSize * 32> bytes; // of a lane at most 32
    readLogged(*warp.launch->log, access, bytes.data());
    for (std::size_t at = 0; at < detail.count; ++at) {
        if (detail.data[at] == kNone)
            continue;
        R* to = reinterpret_cast<R*>(warp.file + detail.data[at]);
        forMask(access.lanes.mask, [&](std::size_t lane) {
            to[lane] = widen<E, R, Signed>(bytes.data() + lane * access.lanes.bytes + at * sizeof(E));
        });
    }
}

template<class E, class R, bool Signed>
Step load(WarpRegisters& registers, const MicroOp& op, std::uint32_t mask)
{
    return withAccess(registers, op, mask, [](Warp& warp, const MemoryDetail& detail, const PlacedAccess& access) {
        if (access.isLogged)
            return loadLogged<E, R, Signed>(warp, detail, access);
        for (std::size_t at = 0; at < detail.count; ++at) {
            if (detail.data[at] != kNone)
                loadElement<E, R, Signed>(reinterpret_cast<R*>(warp.file + detail.data[at]), access, at * sizeof(E));
        }
    });
}

template<class E, class R>
void storeElement(const R* from, const PlacedAccess& access, std::size_t skip)
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

/// What storeElement does for all elements, into the log. Lanes that meet in one place come in the same order.
template<class E, class R>
void logStore(StoreLog& log, const Warp& warp, const MemoryDetail& detail, const PlacedAccess& access)
{
    const LaneAddresses& lanes = access.lanes;
    log.mark(lanes);
    const auto put = [&](std::byte* to, std::size_t lane) {
        for (std::size_t at = 0; at < detail.count; ++at) {
            const E value = static_cast<E>(reinterpret_cast<const R*>(warp.file + detail.data[at])[lane]);
            std::memcpy(to + at * sizeof(E), &value, sizeof value);
        }
    };
    if (!lanes.regular || lanes.stride != static_cast<std::int64_t>(lanes.bytes)) {
        forMask(lanes.mask, [&](std::size_t lane) { put(log.add(hostOf(access, lane), lanes.bytes), lane); });
        return;
    }
    for (std::uint32_t start = 0; start < kWarpSize; start += lanes.rowLanes) {
        std::byte* to = log.add(hostOf(access, start), std::size_t{lanes.rowLanes} * lanes.bytes);
        if (sizeof(E) == sizeof(R) && detail.count == 1) {
            copyRow<E>(to, reinterpret_cast<const R*>(warp.file + detail.data[0]) + start, lanes.rowLanes);
            continue;
        }
        for (std::uint32_t lane = 0; lane < lanes.rowLanes; ++lane, to += lanes.bytes)
            put(to, start + lane);
    }
}

template<class E, class R>
Step store(WarpRegisters& registers, const MicroOp& op, std::uint32_t mask)
{
    return withAccess(registers, op, mask, [](Warp& warp, const MemoryDetail& detail, const PlacedAccess& access) {
        warp.launch->changed = true;
        if (warp.launch->log != nullptr && access.space == Space::Global)
            return logStore<E, R>(*warp.launch->log, warp, detail, access);
        for (std::size_t at = 0; at < detail.count; ++at)
            storeElement<E, R>(reinterpret_cast<const R*>(warp.file + detail.data[at]), access, at * sizeof(E));
    });
}

template<class U>
Step atomic(WarpRegisters& registers, const MicroOp& op, std::uint32_t mask)
{
    return withAccess(registers, op, mask, [](Warp& warp, const MemoryDetail& detail, const PlacedAccess& access) {
        bool changed = false;
        for (std::size_t element = 0; element < detail.count; ++element) {
            const auto* b = reinterpret_cast<const U*>(warp.file + detail.operandB[element]);
            const U* c = detail.operandC == kNone ? b : reinterpret_cast<const U*>(warp.file + detail.operandC);
            // Copies, because the result may be one of the operands. Lanes take effect in ascending order.
            std::array<U, kWarpSize> before{};
            forMask(access.lanes.mask, [&](std::size_t lane) {
                std::byte* at = hostOf(access, lane) + element * sizeof(U);
                U value;
                std::memcpy(&value, at, sizeof value);
                before[lane] = value;
                value = applyAtomic<U>(detail, access.space, value, b[lane], c[lane]);
                changed = changed || value != before[lane];
                std::memcpy(at, &value, sizeof value);
            });
            if (detail.data[element] == kNone)
                continue;
            U* to = reinterpret_cast<U*>(warp.file + detail.data[element]);
            forMask(access.lanes.mask, [&](std::size_t lane) { to[lane] = before[lane]; });
        }
        warp.launch->changed = warp.launch->changed || changed;
        // atomicAdd(&flag, 0): a look. With the clock, whoever waits is heard again when time has passed in any case.
        if (!changed && detail.data[0] != kNone && warp.launch->stream == nullptr)
            warp.launch->observed = true;
    });
}

template<class E, class R>
OpFunction loadOrStore(const MemoryDetail& detail)
{
    if (detail.op == MemoryOp::Store)
        return &store<E, R>;
    return isSigned(detail.type) ? &load<E, R, true> : &load<E, R, false>;
}

__extension__ typedef unsigned __int128 Wide;

template<class E>
OpFunction forRegister(const MemoryDetail& detail)
{
    if constexpr (sizeof(E) == 16) {
        return detail.registerBytes == 16 ? loadOrStore<E, E>(detail) : nullptr;
    } else {
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
}

} // namespace

OpFunction findMemoryOp(const MemoryDetail& detail)
{
    if (detail.op == MemoryOp::Atomic) {
        if (!isAtomicSupported(detail.atomic, detail.type))
            return nullptr;
        switch (detail.elementBytes) {
        case 2:
            return &atomic<std::uint16_t>;
        case 4:
            return &atomic<std::uint32_t>;
        case 8:
            return &atomic<std::uint64_t>;
        default:
            return &atomic<Wide>;
        }
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
    case 16:
        return forRegister<Wide>(detail);
    default:
        return nullptr;
    }
}

} // namespace ridge::gpu::simt
