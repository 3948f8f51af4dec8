// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/check/checker.h"

#include "gpu/simt/check/checked_lanes.h"
#include "gpu/simt/check/polls.h"
#include "gpu/simt/check/shared_arrays.h"
#include "gpu/simt/run/async_ops.h"
#include "gpu/simt/run/misc_ops.h"
#include "gpu/simt/run/ops.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace ridge::gpu::simt {

namespace {

constexpr std::uint64_t kBarrierBytes = 8; ///< of an mbarrier object

Step watched(WarpRegisters& registers, const MicroOp& op, std::uint32_t mask)
{
    Warp& warp = static_cast<Warp&>(registers);
    return warp.launch->check->run(warp, op, mask);
}

bool isSystemCall(OpFunction run)
{
    return std::ranges::any_of(
        std::array{SystemCall::Printf, SystemCall::Malloc, SystemCall::Free, SystemCall::AssertFail},
        [&](SystemCall call) { return findSystemCall(call) == run; });
}

/// Lanes of a vote, a match or a reduction that their own member mask leaves out. Shuffles: checker_shuffle.cpp.
std::uint32_t leftOut(const Warp& warp, const MicroOp& op, std::string_view text, std::uint32_t mask)
{
    std::uint32_t lanes = 0;
    if (!text.starts_with("vote.sync") && !text.starts_with("match.") && !text.starts_with("redux.sync"))
        return lanes;
    const auto* members = reinterpret_cast<const std::uint32_t*>(warp.file + op.imm);
    for (std::uint32_t left = mask; left != 0; left &= left - 1) {
        const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
        lanes |= (members[lane] >> lane & 1) == 0 ? std::uint32_t{1} << lane : 0u;
    }
    return lanes;
}

/// An address that is put together first is another micro-op under the same name, on registers of any width.
bool isOnBarrier(OpFunction run)
{
    return std::ranges::any_of(std::array{AsyncOp::BarrierInit, AsyncOp::BarrierInvalidate, AsyncOp::BarrierArrive,
                                          AsyncOp::BarrierExpect, AsyncOp::BarrierComplete, AsyncOp::BarrierTest},
                               [&](AsyncOp op) { return findAsyncOp(op) == run; });
}

bool says(std::string_view text, std::string_view word)
{
    const auto at = text.find(word);
    return at != std::string_view::npos;
}

/// Bytes of the divisor of div.s32, rem.u64 …; 0 for everything else, floats among it.
std::uint8_t divisorBytes(std::string_view text)
{
    if (!text.starts_with("div.") && !text.starts_with("rem."))
        return 0;
    const auto type = scalarTypeFromText(text.substr(4));
    return type && !isFloat(*type) ? static_cast<std::uint8_t>(sizeOf(*type)) : std::uint8_t{0};
}

std::uint32_t firstLane(std::uint32_t mask)
{
    return static_cast<std::uint32_t>(std::countr_zero(mask));
}

std::string lineText(const ReportPlace& place)
{
    return place.sourceLine != 0 ? "line " + std::to_string(place.sourceLine)
                                 : "PTX line " + std::to_string(place.ptxLine);
}

} // namespace

BlockShadow::BlockShadow(std::size_t warps, const KernelImage& image, std::uint64_t sharedBytes)
    : undefined(warps, std::vector<std::uint32_t>(image.registerBytes / 4)), origin(undefined), shared(sharedBytes),
      local(warps, std::vector<std::uint8_t>(std::size_t{image.localBytes} * kWarpSize)), races(warps, sharedBytes)
{
}

Checker::Checker(const KernelImage& kernel, LaunchState& state, const Dim3& blockDim, std::uint64_t sharedBytes,
                 DefinedBytes& defined, bool globalRaces)
    : m_image(kernel), m_state(state), m_blockDim(blockDim), m_sharedBytes(sharedBytes), m_defined(defined),
      m_origins(1)
{
    if (globalRaces)
        m_globalRaces.emplace(*state.memory);
    // Registers of the program, but for those whose content comes by a way that no instruction names.
    std::vector<bool> isKnown(kernel.registerBytes / 4);
    for (const PlaneFill& fill : kernel.fills)
        isKnown[fill.offset / 4] = true;
    for (const FunctionImage& function : kernel.functions)
        isKnown[function.frame / 4] = true;
    for (const auto& uses : kernel.statements)
        for (const PlaneUse& use : uses)
            if (use.role == PlaneUse::Role::Passed)
                isKnown[use.plane / 4] = true;
    for (const auto& uses : kernel.statements)
        for (const PlaneUse& use : uses)
            if (!isKnown[use.plane / 4]) {
                isKnown[use.plane / 4] = true;
                m_tracked.push_back(use.plane);
            }
    findWidths();
    m_plans.resize(kernel.ops.size());
    const std::vector<std::uint32_t> variables = sharedVariableOf(kernel);
    const std::vector<bool> data = volatileDataOf(kernel);
    for (std::uint32_t pc = 0; pc < kernel.ops.size(); ++pc) {
        plan(pc);
        planBytes(pc);
        m_plans[pc].variable = variables[pc];
        m_plans[pc].isVolatileData = data[pc];
    }
}

void Checker::plan(std::uint32_t pc)
{
    MicroOp& op = m_image.ops[pc];
    Plan& plan = m_plans[pc];
    plan.run = op.run;
    plan.guard = op.guard;
    plan.guardFlip = op.guardFlip;
    if (op.run == nullptr) // a terminator
        return;
    const std::string_view text = m_image.texts[m_image.places[pc].text];
    plan.syncsWarp = says(text, ".sync");
    plan.isMatrix = says(text, "mma.") || text.starts_with("ldmatrix") || text.starts_with("stmatrix");
    plan.divisorBytes = divisorBytes(text);
    const bool isMemory = op.detail < m_image.memory.size() && findMemoryOp(m_image.memory[op.detail]) == op.run;
    if (isWarpOp(op.run)) {
        if (op.run == findWarpOp(WarpOp::Sync) || op.run == findWarpOp(WarpOp::Fence))
            return;
        // Its guard stays the executor's: it knows who waits for whom.
        plan.kind = Kind::Exchange;
        for (const WarpOp shuffle :
             {WarpOp::ShuffleUp, WarpOp::ShuffleDown, WarpOp::ShuffleButterfly, WarpOp::ShuffleIndex}) {
            if (op.run == findWarpOp(shuffle)) {
                plan.kind = Kind::Shuffle;
                plan.shuffle = shuffle;
            }
        }
        plan.guard = m_image.fills.front().offset;
        plan.guardFlip = 0;
        op.run = &watched;
        return;
    }
    if (isMemory) {
        const MemoryDetail& detail = m_image.memory[op.detail];
        plan.kind = detail.op == MemoryOp::Load    ? Kind::Load
                    : detail.op == MemoryOp::Store ? Kind::Store
                                                   : Kind::Atomic;
        plan.synchronises = detail.op == MemoryOp::Atomic || detail.observesOthers || says(text, ".volatile") ||
                            says(text, ".relaxed") || says(text, ".release") || says(text, ".acquire");
    } else if (text.starts_with("mbarrier")) {
        plan.kind = isOnBarrier(op.run) ? Kind::BarrierObject : Kind::Plain;
    } else if (text == "cp.async.commit_group") {
        plan.kind = Kind::CopyCommit;
    } else if (text == "cp.async.wait_group" || text == "cp.async.wait_all") {
        plan.kind = Kind::CopyWait;
    } else if (text.starts_with("cp.async.mbarrier.arrive")) {
        plan.kind = isOnBarrier(op.run) ? Kind::CopyArrive : Kind::Plain;
    } else if (text.starts_with("cp.async.ca.") || text.starts_with("cp.async.cg.")) {
        // The address may be put together first.
        plan.kind = op.run == findAsyncOp(AsyncOp::Copy) ? Kind::UnknownMemory : Kind::Plain;
    } else if (text.starts_with("selp")) {
        plan.kind = Kind::Select;
    } else if (text.starts_with("and.pred") || text.starts_with("or.pred")) {
        plan.kind = text.starts_with("and") ? Kind::Both : Kind::Either;
    } else if (op.run == findFrameCopy(true) || op.run == findFrameCopy(false)) {
        plan.kind = op.run == findFrameCopy(true) ? Kind::ToCallee : Kind::FromCallee;
    } else if (isSystemCall(op.run)) {
        plan.kind = Kind::System;
    } else if (const std::uint32_t statement = m_image.statementOf[pc]; statement != kNone) {
        for (const PlaneUse& use : m_image.statements[statement])
            if (use.role == PlaneUse::Role::Address)
                plan.kind =
                    text.starts_with("ld.param") || text.starts_with("call") ? Kind::Plain : Kind::UnknownMemory;
    }
    op.run = &watched;
    // Lanes whose guard is false must be seen, too: what decides may be undefined.
    op.guard = m_image.fills.front().offset;
    op.guardFlip = 0;
}

void Checker::startBlock(const Dim3& id, std::uint64_t linear, std::vector<Warp>& warps)
{
    std::unique_ptr<BlockShadow>& block = m_blocks[&warps];
    if (!block)
        block = std::make_unique<BlockShadow>(warps.size(), m_image, m_sharedBytes);
    for (Warp& warp : warps)
        warp.shadow = block.get();
    block->id = id;
    block->linear = linear;
    for (auto& planes : block->undefined)
        for (const std::uint32_t plane : m_tracked)
            std::fill_n(planes.begin() + plane / 4, m_widths[plane / 4], ~std::uint32_t{0});
    for (auto& planes : block->origin)
        std::fill(planes.begin(), planes.end(), 0);
    std::fill(block->shared.begin(), block->shared.end(), std::uint8_t{0});
    for (const SharedVariable& variable : m_image.sharedVariables)
        if (variable.isReserved)
            std::fill_n(block->shared.begin() + variable.begin, variable.bytes, std::uint8_t{1});
    for (auto& local : block->local)
        std::fill(local.begin(), local.end(), std::uint8_t{0});
    block->races.startBlock();
    block->synchronisedBy.clear();
    block->threads.assign(warps.size() * kWarpSize, {});
    block->visitors.clear();
    block->bulks.clear();
    block->fillers.clear();
}

Step Checker::run(Warp& warp, const MicroOp& op, std::uint32_t mask)
{
    const auto pc = static_cast<std::uint32_t>(&op - m_image.ops.data());
    const Plan& plan = m_plans[pc];
    if (plan.guard != m_image.fills.front().offset) {
        useOf(warp, plan.guard, mask, pc, "decides whether the instruction runs");
        mask &= *reinterpret_cast<const std::uint32_t*>(warp.file + plan.guard) ^ plan.guardFlip;
    } else {
        mask &= ~plan.guardFlip;
    }
    if (mask == 0)
        return Step::Next;
    if (plan.kind == Kind::Load || plan.kind == Kind::Store || plan.kind == Kind::Atomic)
        return memory(warp, op, pc, mask);
    m_hasSeen = false;
    if (plan.kind == Kind::UnknownMemory && plan.syncsWarp)
        warpSync(warp);
    if (plan.kind == Kind::CopyCommit)
        closeGroup(warp, mask);
    else if (plan.kind == Kind::CopyWait)
        awaitCopies(warp, mask, op.imm);
    else if (plan.kind == Kind::CopyArrive)
        awaitCopies(warp, mask, kAllCopies);
    if (plan.kind == Kind::BarrierObject || plan.kind == Kind::CopyArrive) {
        visitsEnd(warp);
        const auto* address = reinterpret_cast<const std::uint64_t*>(warp.file + op.a);
        for (std::uint32_t left = mask; left != 0; left &= left - 1) {
            const std::uint64_t place = address[firstLane(left)] & kRankOffset;
            std::ranges::fill(part(warp.shadow->shared, place, kBarrierBytes), std::uint8_t{1});
            warp.shadow->races.synchronise(warp.index, firstLane(left), kSharedWindow + place);
        }
    }
    const std::uint32_t zeros = zeroDivisors(warp, op, pc, mask); // before the result may take the place of the divisor
    const bool joins = plan.kind == Kind::Both || plan.kind == Kind::Either;
    if (joins) // before it runs: the result may take the place of a source
        junction(warp, op, mask, plan.kind == Kind::Either);
    ByteResult bytes;
    const bool isByBytes = plan.bytes != ByteForm::None && bytesBefore(warp, op, plan, mask, bytes);
    const std::uint32_t open =
        plan.kind == Kind::Exchange ? leftOut(warp, op, m_image.texts[m_image.places[pc].text], mask) : 0u;
    const Sources sources = plan.kind == Kind::Shuffle ? sourcesOf(warp, op, pc, mask) : Sources{};
    if (plan.kind == Kind::System && plan.run == findSystemCall(SystemCall::Printf))
        watchPrint(warp, op, pc, mask);
    const Step step = plan.run(warp, op, mask);
    if (step != Step::Next || joins)
        return step;
    if (plan.kind == Kind::UnknownMemory && !m_hasSeen)
        m_watchesMemory = false;
    if (plan.syncsWarp)
        warpSync(warp);
    if (plan.kind == Kind::Select)
        select(warp, op, mask);
    else if (plan.kind == Kind::ToCallee || plan.kind == Kind::FromCallee || plan.kind == Kind::System)
        passFrame(warp, op, mask, plan.kind);
    else if (plan.kind == Kind::Shuffle)
        shuffled(warp, op, pc, mask, sources);
    else if (isByBytes)
        bytesAfter(warp, op, plan, mask, bytes);
    else
        propagate(warp, pc, mask);
    leaveOpen(warp, pc, zeros);
    if (open != 0 && m_image.statementOf[pc] != kNone) {
        Origin made;
        made.pc = pc;
        made.warp = warp.index;
        made.lane = made.absent = firstLane(open);
        made.block = warp.shadow->id;
        for (const PlaneUse& use : m_image.statements[m_image.statementOf[pc]]) {
            if (use.role != PlaneUse::Role::Destination)
                continue;
            setLacking(warp, use.plane, open, open);
            origin(warp, use.plane) = originAt(made);
        }
    }
    return step;
}

/// A result is defined where all sources are. What lanes give each other is undefined only where all of it is.
void Checker::propagate(const Warp& warp, std::uint32_t pc, std::uint32_t mask)
{
    const std::uint32_t statement = m_image.statementOf[pc];
    if (statement == kNone)
        return;
    std::uint32_t lanes = 0, from = 0;
    for (const PlaneUse& use : m_image.statements[statement]) {
        if (use.role == PlaneUse::Role::Destination)
            continue;
        const std::uint32_t missing =
            mask & (m_plans[pc].isMatrix ? lackingAll(warp, use.plane, 16) : lacking(warp, use.plane));
        if (missing != 0 && from == 0)
            from = origin(warp, use.plane);
        lanes |= missing;
    }
    if (m_plans[pc].kind == Kind::Exchange && lanes != mask)
        lanes = 0;
    for (const PlaneUse& use : m_image.statements[statement]) {
        if (use.role != PlaneUse::Role::Destination)
            continue;
        setLacking(warp, use.plane, mask, lanes);
        setComputed(warp, use.plane, mask, ~std::uint32_t{0});
        if (lanes != 0)
            origin(warp, use.plane) = from;
    }
}

/// selp: only the value that is chosen matters.
void Checker::select(const Warp& warp, const MicroOp& op, std::uint32_t mask)
{
    const std::uint32_t yes = *reinterpret_cast<const std::uint32_t*>(warp.file + op.c);
    const std::uint32_t c = lacking(warp, op.c) & mask;
    ByteResult made;
    made.whole = c;
    made.origin = origin(warp, c != 0 ? op.c : (lacking(warp, op.a) & yes & mask) != 0 ? op.a : op.b);
    for (std::size_t at = 0; at < made.byte.size(); ++at)
        made.byte[at] = (lackingByte(warp, op.a, at) & yes) | (lackingByte(warp, op.b, at) & ~yes);
    const std::uint32_t *a = computed(warp, op.a), *b = computed(warp, op.b);
    made.computed = (a != nullptr ? *a & yes : 0u) | (b != nullptr ? *b & ~yes : 0u);
    Plan move;
    move.bytes = ByteForm::Move;
    bytesAfter(warp, op, move, mask, made);
}

/// and, or: a source that is known to be `decider` (or's true, and's false) makes the other one matter no more, as in
/// i < n && tile[i] > x that was compiled without a branch.
void Checker::junction(const Warp& warp, const MicroOp& op, std::uint32_t mask, bool decider)
{
    const std::uint32_t wanted = decider ? ~0u : 0u;
    const auto decides = [&](std::uint32_t plane, bool flipped) {
        const std::uint32_t value = *reinterpret_cast<const std::uint32_t*>(warp.file + plane) ^ (flipped ? ~0u : 0u);
        return ~(value ^ wanted) & ~lacking(warp, plane);
    };
    const std::uint32_t known = decides(op.a, (op.flags & 1) != 0) | decides(op.b, (op.flags & 2) != 0);
    const std::uint32_t a = lacking(warp, op.a) & mask & ~known, b = lacking(warp, op.b) & mask & ~known;
    const std::uint32_t from = a != 0 ? origin(warp, op.a) : origin(warp, op.b);
    setLacking(warp, op.d, mask, a | b);
    if ((a | b) != 0)
        origin(warp, op.d) = from;
}

/// An undefined value decides something at `pc`. It counts as defined afterwards: one mistake, one report.
void Checker::useOf(const Warp& warp, std::uint32_t plane, std::uint32_t lanes, std::uint32_t pc, const char* what)
{
    useLacking(warp, plane, lacking(warp, plane) & lanes, pc, what);
}

void Checker::useLacking(const Warp& warp, std::uint32_t plane, std::uint32_t bad, std::uint32_t pc, const char* what)
{
    if (bad == 0)
        return;
    const Origin& from = m_origins[origin(warp, plane)];
    const Dim3& block = warp.shadow->id;
    const bool isRegister = from.pc == kNone;
    const char* const code = from.divides ? "division-by-zero" : "uninitialised-read";
    m_findings.add(code, isRegister ? pc : from.pc, isRegister || from.divides ? kNone : pc, [&] {
        const ReportThread user = threadOf(m_blockDim, block, warp.index, firstLane(bad));
        if (isRegister) {
            Report report = reportOf("uninitialised-read", pc, user);
            report.message = whoText(user) + " uses a variable that was never given a value; it " + what;
            report.lookFor = "A variable that is declared without a value, or set on one path only.";
            return report;
        }
        return usedReport(from, user, pc, what);
    });
    define(warp, plane, bad);
}

Report Checker::reportOf(std::string code, std::uint32_t pc, const ReportThread& thread) const
{
    Report report;
    report.code = std::move(code);
    report.kernel = m_image.name;
    report.place = placeOf(m_image, pc);
    report.thread = thread;
    return report;
}

std::uint32_t Checker::originAt(const Origin& from)
{
    const auto [known, isNew] = m_originOf.try_emplace(from.pc, static_cast<std::uint32_t>(m_origins.size()));
    if (isNew)
        m_origins.push_back(from);
    return known->second;
}

/// Where the undefined value that `user` needs at `pc` came from: a load, a shuffle, or a division by zero.
Report Checker::usedReport(const Origin& from, const ReportThread& user, std::uint32_t pc, const char* what) const
{
    Report report = reportOf(from.divides ? "division-by-zero" : "uninitialised-read", from.pc,
                             threadOf(m_blockDim, from.block, from.warp, from.lane));
    report.otherPlace = placeOf(m_image, pc);
    report.other = user;
    const std::string decides = std::string("; the value ") + what + " in " + lineText(*report.otherPlace);
    if (from.divides) {
        report.message = whoText(*report.thread) +
                         " divides an integer by zero; the result, quotient or remainder, is "
                         "all ones here and left open by C++" +
                         decides;
        report.lookFor = "A divisor that can become 0: a size or a count that is 0 at an edge, a width that was "
                         "rounded down to nothing.";
        return report;
    }
    if (from.absent != kNone) {
        tellAbsent(report, from, decides);
        return report;
    }
    report.access = accessOf(*m_state.memory, from.space, MemoryOp::Load, from.bytes, from.address);
    const std::string bytes = std::to_string(from.bytes) + " bytes ";
    const std::string where = from.space == Space::Global
                                  ? bytes + "at " + describeAddress(*m_state.memory, from.address)
                                  : bytes + "at offset " + std::to_string(from.address) + " of " +
                                        std::string(toText(from.space)) + " memory";
    report.message = whoText(*report.thread) + " reads " + where + ", which nobody wrote" + decides;
    report.lookFor = from.space == Space::Shared
                         ? "Elements that no thread fills: a tile's border, an array larger than the block, a "
                           "load that is skipped at the edge."
                     : from.space == Space::Local
                         ? "A local array that is read before all its elements are set."
                         : "An output that is read as if it were an input, a buffer that was not copied or cleared, "
                           "or a kernel that should have run before.";
    return report;
}

std::uint32_t Checker::zeroDivisors(const Warp& warp, const MicroOp& op, std::uint32_t pc, std::uint32_t mask) const
{
    const std::uint8_t bytes = m_plans[pc].divisorBytes;
    std::uint32_t zero = 0;
    for (std::uint32_t left = bytes != 0 ? mask & ~lacking(warp, op.b) : 0; left != 0; left &= left - 1) {
        const std::uint32_t lane = firstLane(left);
        std::uint64_t value = 0;
        std::memcpy(&value, warp.file + op.b + lane * bytes, bytes);
        zero |= value == 0 ? 1u << lane : 0u;
    }
    return zero;
}

/// The hardware goes on with all ones, and C++ leaves it open: a mistake where something comes of it. Compilers divide
/// before they ask and drop what they did not need.
void Checker::leaveOpen(const Warp& warp, std::uint32_t pc, std::uint32_t lanes)
{
    const std::uint32_t statement = m_image.statementOf[pc];
    if (lanes == 0 || statement == kNone)
        return;
    Origin from;
    from.pc = pc;
    from.warp = warp.index;
    from.lane = firstLane(lanes);
    from.block = warp.shadow->id;
    from.divides = true;
    for (const PlaneUse& use : m_image.statements[statement]) {
        if (use.role != PlaneUse::Role::Destination)
            continue;
        setLacking(warp, use.plane, lanes, lanes);
        origin(warp, use.plane) = originAt(from);
    }
}

void Checker::terminator(Warp& warp, std::uint32_t pc, std::uint32_t mask)
{
    const MicroOp& op = m_image.ops[pc];
    if (op.guard != m_image.fills.front().offset)
        useOf(warp, op.guard, mask, pc, "decides where the thread goes on");
    const std::uint32_t statement = m_image.statementOf[pc];
    if (statement == kNone || m_image.blocks[m_image.places[pc].block].kind == EndKind::Branch)
        return;
    for (const PlaneUse& use : m_image.statements[statement]) {
        if (use.role == PlaneUse::Role::Destination)
            define(warp, use.plane, mask);
        else
            useOf(warp, use.plane, mask, pc, "decides where the thread goes on");
    }
}

void Checker::barrierOpens(std::uint32_t id, const std::vector<std::uint32_t>& arrived, bool counted,
                           const std::vector<Warp>& warps)
{
    const Dim3& block = warps.front().shadow->id;
    std::uint32_t all = 0, waiting = 0;
    std::uint32_t first = kNone, firstWarp = 0, firstLaneOf = 0;
    // Lanes of a warp may wait at different barriers where those are not .aligned (PTX ISA, "barrier").
    const auto isAligned = [&](std::uint32_t pc) {
        const std::string_view text = m_image.texts[m_image.places[pc].text];
        return !text.starts_with("barrier") || text.find(".aligned") != text.npos;
    };
    for (std::size_t at = 0; at < warps.size(); ++at) {
        all |= arrived[at] != 0 ? 1u << at : 0u;
        std::uint32_t own = kNone, ownLane = 0;
        for (const Split& split : warps[at].splits) {
            if (split.state != Split::State::AtBarrier || split.barrier != id)
                continue;
            waiting |= 1u << at;
            const auto lane = firstLane(split.mask);
            const auto differs = [&](std::uint32_t pc) {
                return pc != kNone && pc != split.barrierOp &&
                       (m_image.places[pc].sourceLine == 0 ||
                        m_image.places[pc].sourceLine != m_image.places[split.barrierOp].sourceLine);
            };
            const bool inWarp = differs(own);
            // A barrier with a number is one that roles of warps share, each at a place of its own.
            const bool isWrong = inWarp ? isAligned(own) || isAligned(split.barrierOp) : id == 0 && differs(first);
            if (!counted && isWrong) {
                const std::uint32_t otherPc = inWarp ? own : first;
                m_findings.add(
                    "divergent-barrier", std::min(otherPc, split.barrierOp), std::max(otherPc, split.barrierOp), [&] {
                        Report report = reportOf("divergent-barrier", split.barrierOp,
                                                 threadOf(m_blockDim, block, static_cast<std::uint32_t>(at), lane));
                        report.otherPlace = placeOf(m_image, otherPc);
                        report.other = threadOf(m_blockDim, block, inWarp ? static_cast<std::uint32_t>(at) : firstWarp,
                                                inWarp ? ownLane : firstLaneOf);
                        report.message = whoText(*report.thread) + " waits at the barrier in " +
                                         lineText(report.place) + ", " + whoText(*report.other) +
                                         " at another one in " + lineText(*report.otherPlace) +
                                         (inWarp ? "; both are in one warp" : "; the two let each other go");
                        report.lookFor =
                            "__syncthreads() inside an if or a loop that not all threads of the block take "
                            "the same way: move it out, so that all meet at one place.";
                        return report;
                    });
            }
            own = split.barrierOp;
            ownLane = lane;
            if (first == kNone) {
                first = own;
                firstWarp = static_cast<std::uint32_t>(at);
                firstLaneOf = lane;
            }
        }
    }
    warps.front().shadow->races.barrier(all, waiting);
}

void Checker::clusterBarrierOpens(const std::vector<Warp>& warps)
{
    const std::uint32_t all = warps.size() >= 32 ? ~std::uint32_t{0} : (std::uint32_t{1} << warps.size()) - 1;
    warps.front().shadow->races.barrier(all, all);
    warps.front().shadow->visitors.clear();
}

} // namespace ridge::gpu::simt
