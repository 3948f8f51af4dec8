// SPDX-License-Identifier: GPL-3.0-or-later
// What the checker sees of loads, stores and atomics.
#include "gpu/simt/check/checked_lanes.h"

#include "base/lane_mask.h"
#include "gpu/simt/check/shared_arrays.h"
#include "gpu/simt/run/cluster.h"
#include "gpu/simt/run/memory_access.h"
#include "gpu/simt/run/misc_ops.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace ridge::gpu::simt {

namespace {

std::uint32_t bytesOf(const MemoryDetail& detail)
{
    return std::uint32_t{detail.elementBytes} * detail.count;
}

} // namespace

void Checker::lanesOf(const Warp& warp, const MicroOp& op, std::uint32_t mask, Lanes& lanes) const
{
    const MemoryDetail& detail = m_image.memory[op.detail];
    lanes.mask = mask;
    gatherAddresses(warp, op, detail, lanes.address);
    forLanes(mask, [&](std::uint32_t lane) {
        std::uint64_t address = lanes.address[lane];
        Space space = detail.space;
        if (space == Space::Generic) {
            space = spaceOfGeneric(address);
            address -= windowOf(space);
        }
        lanes.block[lane] = warp.shadow;
        if (space == Space::Shared && address >> kRankShift != 0) {
            const SharedPlace at = placeOfShared(*warp.launch, address);
            const Cluster& cluster = *warp.launch->cluster;
            lanes.block[lane] = at.rank < cluster.size() ? cluster.warps(at.rank).front().shadow : nullptr;
            address = at.offset;
        }
        lanes.address[lane] = address;
        lanes.space[lane] = space;
    });
}

Step Checker::memory(Warp& warp, const MicroOp& op, std::uint32_t pc, std::uint32_t mask)
{
    const MemoryDetail& detail = m_image.memory[op.detail];
    const Plan& plan = m_plans[pc];
    useOf(warp, op.a, mask, pc, "is an address");
    Lanes lanes;
    lanesOf(warp, op, mask, lanes);
    // Before the bytes change: equal values are compared with what is there.
    watchRaces(warp, detail, pc, lanes);
    watchArray(warp, detail, pc, lanes);
    visit(warp, detail, pc, lanes);
    const Step step = plan.run(warp, op, mask);
    if (step != Step::Next)
        return step;
    if (plan.kind == Kind::Load)
        loaded(warp, detail, pc, lanes);
    else
        stored(warp, detail, pc, lanes);
    return step;
}

/// An index that leads out of one array of shared memory into another, which no address tells from a good one.
void Checker::watchArray(const Warp& warp, const MemoryDetail& detail, std::uint32_t pc, const Lanes& lanes)
{
    if (m_plans[pc].variable == kNone)
        return;
    const SharedVariable& array = m_image.sharedVariables[m_plans[pc].variable];
    const std::uint64_t begin = array.bytes != 0 ? array.begin : m_image.dynamicSharedBase;
    const std::uint64_t end = array.bytes != 0 ? begin + array.bytes : std::max(begin, m_sharedBytes);
    forLanes(lanes.mask, [&](std::uint32_t lane) {
        const std::uint64_t address = lanes.address[lane];
        const std::uint64_t past = address + bytesOf(detail);
        if (lanes.space[lane] != Space::Shared || (address >= begin && past <= end) ||
            past > m_sharedBytes) // beyond all of them is a fault of its own
            return;
        m_findings.add("array-overrun", pc, kNone, [&] {
            Report report = reportOf("array-overrun", pc, threadOf(m_blockDim, warp.shadow->id, warp.index, lane));
            report.access = accessOf(*m_state.memory, Space::Shared, detail.op, bytesOf(detail), address);
            report.access->allocation = plainName(array.name);
            report.access->allocationBegin = begin;
            report.access->allocationBytes = end - begin;
            const bool isBefore = address < begin;
            report.access->distance = static_cast<std::int64_t>(isBefore ? address - begin : past - end);
            report.message = whoText(*report.thread) + ' ' + report.access->kind + "s " +
                             std::to_string(bytesOf(detail)) + " bytes that " +
                             (isBefore ? "begin " + std::to_string(begin - address) + " bytes before"
                                       : "end " + std::to_string(past - end) + " bytes past") +
                             " the shared array '" + report.access->allocation + "' (" + std::to_string(end - begin) +
                             " bytes) that it indexes";
            report.lookFor = "An index that leaves its row, a tile that is declared smaller than the block, a halo "
                             "that was left out of the size.";
            return report;
        });
    });
}

/// A value of which one byte is known counts as known: compilers copy a struct in words, with the padding that nobody
/// writes.
bool Checker::isDefined(const Warp& warp, const Lanes& lanes, std::uint32_t lane, std::uint64_t address,
                        std::uint32_t bytes)
{
    const Space space = lanes.space[lane];
    if (!m_watchesMemory && (space == Space::Shared || space == Space::Global))
        return true;
    if (space == Space::Global)
        return m_defined.isDefined(address, bytes);
    const std::span<const std::uint8_t> bits = shadowOf(warp, lanes, lane, address, bytes);
    return bits.empty() || std::all_of(bits.begin(), bits.end(), [](std::uint8_t bit) { return bit != 0; });
}

void Checker::setDefined(const Warp& warp, const Lanes& lanes, std::uint32_t lane, std::uint64_t address,
                         std::uint32_t bytes, bool value)
{
    if (lanes.space[lane] == Space::Global) {
        if (value)
            m_defined.define(address, bytes);
        return;
    }
    const std::span<std::uint8_t> bits = shadowOf(warp, lanes, lane, address, bytes);
    std::fill(bits.begin(), bits.end(), value ? std::uint8_t{1} : std::uint8_t{0});
}

std::span<std::uint8_t> Checker::shadowOf(const Warp& warp, const Lanes& lanes, std::uint32_t lane,
                                          std::uint64_t address, std::uint64_t bytes) const
{
    if (lanes.space[lane] == Space::Local)
        return localShadow(warp, lane, address, bytes);
    if (lanes.space[lane] != Space::Shared || lanes.block[lane] == nullptr)
        return {};
    return part(lanes.block[lane]->shared, address, bytes);
}

std::span<std::uint8_t> Checker::localShadow(const Warp& warp, std::size_t lane, std::uint64_t address,
                                             std::uint64_t bytes) const
{
    const auto own = part(warp.shadow->local[warp.index], lane * m_image.localBytes, m_image.localBytes);
    return part(own, address, bytes);
}

/// Arguments and results of calls that are not inlined are copied between frames in local memory, and what they are
/// worth goes with them; a function of the runtime answers with a value, and what malloc() gives is nobody's yet.
void Checker::passFrame(const Warp& warp, const MicroOp& op, std::uint32_t mask, Kind kind)
{
    const bool isSystem = kind == Kind::System;
    const bool isMalloc = isSystem && m_plans[static_cast<std::size_t>(&op - m_image.ops.data())].run ==
                                          findSystemCall(SystemCall::Malloc);
    const auto plane = isSystem ? static_cast<std::uint32_t>(op.imm) : op.a;
    forLanes(mask, [&](std::uint32_t lane) {
        std::uint64_t frame = 0;
        if (plane != kNone)
            std::memcpy(&frame, warp.file + plane + lane * 8u, 8);
        constexpr std::uint64_t widest = 8; // an answer
        if (isSystem && op.d != kNone) {
            const std::span<std::uint8_t> answer = localShadow(warp, lane, frame + op.d, widest);
            std::fill(answer.begin(), answer.end(), std::uint8_t{1});
        }
        if (isMalloc && op.d != kNone && !localShadow(warp, lane, frame + op.a, widest).empty() &&
            !localShadow(warp, lane, frame + op.d, widest).empty()) {
            const std::byte* const local = warp.local + std::size_t{lane} * m_image.localBytes + frame;
            std::uint64_t bytes = 0, address = 0;
            std::memcpy(&bytes, local + op.a, sizeof bytes);
            std::memcpy(&address, local + op.d, sizeof address);
            if (address != 0) {
                m_defined.allocated(address, bytes);
                warp.shadow->races.forgetMemory(address, bytes);
            }
        }
        if (isSystem)
            return;
        const std::uint64_t callee = frame + static_cast<std::uint64_t>(op.imm) + op.c;
        const std::span<std::uint8_t> mine = localShadow(warp, lane, frame + op.b, op.flags);
        const std::span<std::uint8_t> theirs = localShadow(warp, lane, callee, op.flags);
        // A program without functions to call copies nothing (calls.cpp), and has no stack.
        if (!mine.empty() && !theirs.empty())
            std::memmove(kind == Kind::ToCallee ? theirs.data() : mine.data(),
                         kind == Kind::ToCallee ? mine.data() : theirs.data(), op.flags);
    });
}

/// What a printf shows is decided by its format: each value has all the bytes that its conversion asks for.
void Checker::watchPrint(Warp& warp, const MicroOp& op, std::uint32_t pc, std::uint32_t mask)
{
    forLanes(mask, [&](std::uint32_t lane) {
        const std::vector<PrintedValue> values = printedValues(warp, op, lane);
        for (std::size_t at = 0; at < values.size(); ++at) {
            if (spaceOfGeneric(values[at].address) != Space::Local)
                continue;
            const std::span<std::uint8_t> bits =
                localShadow(warp, lane, values[at].address - kLocalWindow, values[at].bytes);
            const auto lacking = std::count(bits.begin(), bits.end(), std::uint8_t{0});
            if (!bits.empty() && lacking == 0)
                continue;
            m_findings.add("uninitialised-read", pc, kNone, [&] {
                Report report =
                    reportOf("uninitialised-read", pc, threadOf(m_blockDim, warp.shadow->id, warp.index, lane));
                report.message =
                    whoText(*report.thread) + " prints value " + std::to_string(at + 1) + " of its format, " +
                    std::to_string(values[at].bytes) + " bytes, of which " +
                    (lacking == static_cast<std::ptrdiff_t>(bits.size()) ? "nobody wrote any"
                                                                         : "nobody wrote " + std::to_string(lacking));
                report.lookFor = "A variable or an element that was never given a value, or a conversion that asks for "
                                 "more than was passed, as %lld does of an int.";
                return report;
            });
            return;
        }
    });
}

void Checker::loaded(const Warp& warp, const MemoryDetail& detail, std::uint32_t pc, const Lanes& lanes)
{
    for (std::uint32_t at = 0; at < detail.count; ++at) {
        if (detail.data[at] == kNone)
            continue;
        std::uint32_t missing = 0;
        std::array<std::uint32_t, 16> byte{};
        forLanes(lanes.mask, [&](std::uint32_t lane) {
            const std::uint64_t address = lanes.address[lane] + std::uint64_t{at} * detail.elementBytes;
            if (isDefined(warp, lanes, lane, address, detail.elementBytes))
                return;
            missing |= 1u << lane;
            for (std::uint32_t of = 0; of < detail.elementBytes; ++of)
                byte[of] |= isDefined(warp, lanes, lane, address + of, 1) ? 0u : 1u << lane;
        });
        setLacking(warp, detail.data[at], lanes.mask, missing);
        setComputed(warp, detail.data[at], lanes.mask, 0);
        if (missing == 0)
            continue;
        // An extension is worth what its sign is.
        const std::size_t width = m_widths[detail.data[at] / 4];
        for (std::size_t of = 0; of < width && width > 1; ++of)
            setLackingByte(warp, detail.data[at], of, lanes.mask,
                           byte[std::min<std::size_t>(of, detail.elementBytes - 1u)]);
        const auto lane = static_cast<std::uint32_t>(std::countr_zero(missing));
        origin(warp, detail.data[at]) =
            originAt({pc, warp.index, lane, warp.shadow->id, lanes.space[lane], detail.elementBytes,
                      lanes.address[lane] + std::uint64_t{at} * detail.elementBytes});
    }
}

void Checker::stored(const Warp& warp, const MemoryDetail& detail, std::uint32_t pc, const Lanes& lanes)
{
    const bool isAtomic = detail.op == MemoryOp::Atomic;
    std::uint32_t inGlobal = 0;
    forLanes(lanes.mask, [&](std::uint32_t lane) { inGlobal |= lanes.space[lane] == Space::Global ? 1u << lane : 0u; });
    forLanes(inGlobal, [&](std::uint32_t lane) {
        if (!m_defined.isKept(lanes.address[lane]))
            return;
        m_findings.add("input-changed", pc, kNone, [&] {
            Report report = reportOf("input-changed", pc, threadOf(m_blockDim, warp.shadow->id, warp.index, lane));
            report.access = accessOf(*m_state.memory, Space::Global, detail.op, bytesOf(detail), lanes.address[lane]);
            report.message = whoText(*report.thread) + " writes into the input " + report.access->allocation;
            report.lookFor = "An input is for reading: others may read it at the same time, though it be put back.";
            return report;
        });
    });
    if (isAtomic) {
        // The old value goes into the new one and into the result, except of an exchange.
        const bool reads = detail.atomic != AtomicOp::Exch || detail.data[0] != kNone;
        std::uint32_t missing = 0;
        forLanes(lanes.mask, [&](std::uint32_t lane) {
            if (reads && !isDefined(warp, lanes, lane, lanes.address[lane], detail.elementBytes))
                missing |= 1u << lane;
        });
        for (const std::uint32_t operand : detail.operandB)
            if (operand != kNone)
                useOf(warp, operand, lanes.mask, pc, "goes into an atomic");
        if (detail.operandC != kNone)
            useOf(warp, detail.operandC, lanes.mask, pc, "goes into an atomic");
        if (missing != 0) {
            const auto lane = static_cast<std::uint32_t>(std::countr_zero(missing));
            m_findings.add("uninitialised-read", pc, kNone, [&] {
                Report report =
                    reportOf("uninitialised-read", pc, threadOf(m_blockDim, warp.shadow->id, warp.index, lane));
                report.access =
                    accessOf(*m_state.memory, lanes.space[lane], detail.op, detail.elementBytes, lanes.address[lane]);
                report.message = whoText(*report.thread) + " updates " + std::to_string(detail.elementBytes) +
                                 " bytes of " + std::string(toText(lanes.space[lane])) +
                                 " memory atomically that nobody gave a value";
                report.lookFor = "A counter or a sum that was not set to zero before the kernel, or, in shared memory, "
                                 "before the barrier.";
                return report;
            });
        }
        if (detail.data[0] != kNone)
            define(warp, detail.data[0], lanes.mask);
    }
    for (std::uint32_t at = 0; at < (isAtomic ? 1u : detail.count); ++at) {
        std::uint32_t missing = 0;
        if (!isAtomic) {
            useLacking(warp, detail.data[at], lackingToStore(warp, detail.data[at], detail.elementBytes) & inGlobal, pc,
                       "is stored in global memory");
            missing = lacking(warp, detail.data[at]);
        }
        forLanes(lanes.mask, [&](std::uint32_t lane) {
            const std::uint64_t address = lanes.address[lane] + std::uint64_t{at} * detail.elementBytes;
            if ((missing >> lane & 1) == 0)
                return setDefined(warp, lanes, lane, address, detail.elementBytes, true);
            for (std::uint32_t of = 0; of < detail.elementBytes; ++of)
                setDefined(warp, lanes, lane, address + of, 1,
                           (lackingByte(warp, detail.data[at], of) >> lane & 1) == 0);
        });
    }
}

void Checker::watchRaces(const Warp& warp, const MemoryDetail& detail, std::uint32_t pc, const Lanes& lanes)
{
    const std::uint32_t bytes = bytesOf(detail);
    if (m_plans[pc].isVolatileData)
        watchVolatile(warp, detail, pc, lanes);
    forLanes(lanes.mask, [&](std::uint32_t lane) {
        const Space space = lanes.space[lane];
        const std::uint64_t address = lanes.address[lane];
        const bool isShared = space == Space::Shared && lanes.block[lane] == warp.shadow &&
                              !shadowOf(warp, lanes, lane, address, bytes).empty();
        const bool isGlobal = space == Space::Global && m_globalRaces;
        if (!isShared && !isGlobal)
            return;
        if (m_plans[pc].synchronises) {
            if (isGlobal) {
                m_globalRaces->synchronise(warp.shadow->linear, address, warp.shadow->synchronisedBy);
                tellUnwatched(warp, pc, lane);
            }
            // Global flags order the warps of a block as well.
            warp.shadow->races.synchronise(warp.index, lane, isShared ? kSharedWindow + address : address);
            return;
        }
        if (isGlobal && m_state.memory->find(address, bytes) == nullptr)
            return; // a fault in a moment
        watchRace(warp, detail, pc, space, lane, address);
    });
    // Without the watch over blocks, global flags still order warps.
    if (m_plans[pc].synchronises && !m_globalRaces)
        forLanes(lanes.mask, [&](std::uint32_t lane) {
            if (lanes.space[lane] == Space::Global)
                warp.shadow->races.synchronise(warp.index, lane, lanes.address[lane]);
        });
}

/// Volatile makes every access happen; lanes that use each other's values still have to meet.
void Checker::watchVolatile(const Warp& warp, const MemoryDetail& detail, std::uint32_t pc, const Lanes& lanes)
{
    const bool writes = detail.op == MemoryOp::Store;
    forLanes(lanes.mask, [&](std::uint32_t lane) {
        const std::uint64_t address = lanes.address[lane];
        const std::uint32_t bytes = bytesOf(detail);
        if (lanes.space[lane] != Space::Shared || lanes.block[lane] != warp.shadow ||
            shadowOf(warp, lanes, lane, address, bytes).empty())
            return;
        const RaceSide side{pc, warp.index, lane, warp.shadow->linear, detail.op};
        std::optional<RaceSide> other;
        for (std::uint32_t at = 0; at < bytes && !other; ++at)
            other = warp.shadow->races.conflict(side, address + at, writes, true);
        const bool same = writes && rewritesSame(warp, detail, Space::Shared, lane, address);
        if (other && !same)
            reportRace(side, warp, Space::Shared, address, bytes, *other);
        for (std::uint32_t at = 0; at < bytes; ++at)
            warp.shadow->races.note(side, address + at, writes && !(other && same), true);
    });
}

/// Who makes the watch over blocks end must not pass for a kernel without races.
void Checker::tellUnwatched(const Warp& warp, std::uint32_t pc, std::uint32_t lane)
{
    if (!m_globalRaces->hasEnded() || std::exchange(m_hasToldUnwatched, true))
        return;
    m_findings.add("unwatched-blocks", pc, kNone, [&] {
        Report report = reportOf("unwatched-blocks", pc, threadOf(m_blockDim, warp.shadow->id, warp.index, lane));
        report.message = "blocks have met at " + std::to_string(GlobalRaces::kMostMeetings) +
                         " places with atomics and volatile accesses, more than the detectors keep: from here on races "
                         "between blocks are not looked for";
        report.lookFor = "A smaller problem, or fewer addresses that many blocks use as flags and counters.";
        return report;
    });
}

void Checker::watchRace(const Warp& warp, const MemoryDetail& detail, std::uint32_t pc, Space space, std::uint32_t lane,
                        std::uint64_t address)
{
    const bool writes = detail.op != MemoryOp::Load;
    const RaceSide side{pc, warp.index, lane, warp.shadow->linear, detail.op};
    const std::uint32_t bytes = bytesOf(detail);
    if (space == Space::Global)
        return watchGlobal(side, warp, address, bytes, writes && rewritesSame(warp, detail, space, lane, address));
    onTheWay(side, warp, address, bytes);
    std::optional<RaceSide> other;
    for (std::uint32_t at = 0; at < bytes && !other; ++at)
        other = warp.shadow->races.conflict(side, address + at, writes);
    const bool same = writes && rewritesSame(warp, detail, space, lane, address);
    if (other && !same)
        reportRace(side, warp, space, address, bytes, *other);
    for (std::uint32_t at = 0; at < bytes; ++at)
        warp.shadow->races.note(side, address + at, writes && !(other && same));
}

/// `same`: it leaves every byte as it is.
void Checker::watchGlobal(const RaceSide& side, const Warp& warp, std::uint64_t address, std::uint64_t bytes, bool same)
{
    const bool writes = side.op != MemoryOp::Load;
    const std::optional<RaceSide> other =
        m_globalRaces->conflict(side.block, address, bytes, writes, warp.shadow->synchronisedBy);
    if (other && !same)
        reportRace(side, warp, Space::Global, address, static_cast<std::uint32_t>(bytes), *other);
    m_globalRaces->note(side, address, bytes, writes && !(other && same));
    if (m_defined.isKept(address)) // an input: to write to it is a fault of its own
        return;
    SharedRaces& races = warp.shadow->races;
    std::optional<RaceSide> within = races.conflictInMemory(side, address, bytes, writes);
    if (within && !same) {
        within->block = side.block;
        reportRace(side, warp, Space::Global, address, static_cast<std::uint32_t>(bytes), *within);
    }
    races.noteInMemory(side, address, bytes, writes && !(within && same));
}

/// The side in device memory of a copy or of an instruction on matrices. What it writes is not compared with what is
/// there, so that two such writes are no report: blocks that write the same values harm nobody.
void Checker::globalSeen(const Warp& warp, const MicroOp& op, std::size_t lane, std::uint64_t address,
                         std::uint64_t bytes, MemoryOp kind)
{
    if (!m_globalRaces || bytes == 0)
        return;
    const RaceSide side{static_cast<std::uint32_t>(&op - m_image.ops.data()), warp.index,
                        static_cast<std::uint32_t>(lane), warp.shadow->linear, kind};
    const bool writes = kind != MemoryOp::Load;
    const std::optional<RaceSide> other =
        m_globalRaces->conflict(side.block, address, bytes, writes, warp.shadow->synchronisedBy);
    if (other && !(writes && other->op == MemoryOp::Store))
        reportRace(side, warp, Space::Global, address, static_cast<std::uint32_t>(bytes), *other);
    m_globalRaces->note(side, address, bytes, writes);
}

/// Whether the store leaves every byte as it is. Several threads that set one flag harm nobody.
bool Checker::rewritesSame(const Warp& warp, const MemoryDetail& detail, Space space, std::uint32_t lane,
                           std::uint64_t address) const
{
    const std::byte* at = m_state.shared + address;
    if (space == Space::Global) {
        const Allocation* allocation = m_state.memory->find(address, bytesOf(detail));
        if (allocation == nullptr)
            return false;
        at = allocation->host.get() + (address - allocation->begin);
    }
    for (std::uint32_t element = 0; element < detail.count; ++element) {
        const std::byte* value = warp.file + detail.data[element] + std::size_t{lane} * detail.registerBytes;
        if (std::memcmp(at + std::size_t{element} * detail.elementBytes, value, detail.elementBytes) != 0)
            return false;
    }
    return true;
}

void Checker::reportRace(const RaceSide& side, const Warp& warp, Space space, std::uint64_t address,
                         std::uint32_t bytes, const RaceSide& other)
{
    const bool isShared = space == Space::Shared, inBlock = isShared || other.block == side.block;
    const std::uint32_t lane = side.lane;
    m_findings.add(isShared ? "shared-race" : "global-race", side.pc, other.pc, [&] {
        Report report = reportOf(isShared ? "shared-race" : "global-race", side.pc,
                                 threadOf(m_blockDim, warp.shadow->id, warp.index, lane));
        report.access = accessOf(*m_state.memory, space, side.op, bytes, address);
        report.otherPlace = placeOf(m_image, other.pc);
        const char* mine = side.op == MemoryOp::Load ? " reads " : " writes ";
        const char* theirs = other.op == MemoryOp::Load ? " reads" : " writes";
        const std::string line = report.otherPlace->sourceLine != 0
                                     ? "line " + std::to_string(report.otherPlace->sourceLine)
                                     : "PTX line " + std::to_string(report.otherPlace->ptxLine);
        const std::string place = isShared ? "offset " + std::to_string(address) + " of shared memory"
                                           : describeAddress(*m_state.memory, address);
        if (inBlock && other.warp == warp.index) {
            report.other = threadOf(m_blockDim, warp.shadow->id, other.warp, other.lane);
            report.message = "lane " + std::to_string(lane) + " of warp " + std::to_string(warp.index) + mine + place +
                             ", lane " + std::to_string(other.lane) + " of the same warp" + theirs + " it in " + line +
                             ", and the warp does not meet between: its lanes need not run in step" +
                             (m_plans[side.pc].isVolatileData ? ", and volatile does not make them wait" : "");
            report.lookFor = "A missing __syncwarp() between the two lines (or __syncthreads(), where other warps take "
                             "part).";
        } else if (inBlock) {
            report.other = threadOf(m_blockDim, warp.shadow->id, other.warp, other.lane);
            report.message = "warp " + std::to_string(warp.index) + mine + place + ", warp " +
                             std::to_string(other.warp) + theirs + " it in " + line +
                             ", and no barrier lies between: which comes first is chance";
            report.lookFor = "A missing __syncthreads() between the two lines, or two threads that were meant to have "
                             "elements of their own.";
        } else {
            report.message = "block " + std::to_string(warp.shadow->linear) + mine + place + ", block " +
                             std::to_string(other.block) + theirs + " it in " + line +
                             "; nothing orders the two blocks";
            report.lookFor = "Two blocks that were meant to have elements of their own, a sum that needs atomicAdd, or "
                             "work that belongs into a second kernel.";
        }
        return report;
    });
}

} // namespace ridge::gpu::simt
