// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/steps/step_recorder.h"

#include "base/lane_mask.h"
#include "gpu/simt/run/cluster.h"
#include "gpu/simt/run/memory_access.h"
#include "gpu/simt/run/ops.h"
#include "gpu/simt/run/traffic.h"

#include <algorithm>
#include <cstring>
#include <cxxabi.h>

namespace ridge::gpu::simt {

namespace {

/// What one instruction can add at most: an atomic of 32 bytes a lane with its addresses and a vector of registers.
constexpr std::size_t kMostOfStep = 16;

Step recorded(WarpRegisters& registers, const MicroOp& op, std::uint32_t mask)
{
    Warp& warp = static_cast<Warp&>(registers);
    return warp.launch->steps->run(warp, op, mask);
}

/// bar.warp.sync: the executor lets go whoever waits there, hence a function that it can tell from the others.
Step recordedWarpBarrier(WarpRegisters& registers, const MicroOp& op, std::uint32_t mask)
{
    return recorded(registers, op, mask);
}

std::vector<std::string_view> linesOf(std::string_view text)
{
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        while (!line.empty() && (line.front() == ' ' || line.front() == '\t'))
            line.remove_prefix(1);
        while (!line.empty() && (line.back() == ' ' || line.back() == '\r' || line.back() == ';'))
            line.remove_suffix(1);
        lines.push_back(line);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

std::string oneSpace(std::string_view line)
{
    std::string text;
    for (const char c : line)
        if (c == '\t' || c == ' ') {
            if (!text.empty() && text.back() != ' ')
                text += ' ';
        } else {
            text += c;
        }
    return text;
}

/// "fact(int)" of "_Z4facti"; a name that is none of C++ stays.
std::string nameOf(const std::string& symbol)
{
    int status = 0;
    const std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status),
                                                      std::free);
    return status == 0 ? text.get() : symbol;
}

} // namespace

StepRecorder::StepRecorder(const KernelImage& kernel, const LaunchState& state, std::string_view ptx,
                           const Dim3& blockDim, std::uint32_t sharedBytes, std::uint32_t block, std::size_t limit)
    : m_image(kernel), m_lines(linesOf(ptx)), m_plans(kernel.ops.size()), m_block(block),
      m_limit(std::min(limit, StepTrace::kMostSteps))
{
    m_trace.kernel = kernel.name;
    for (const std::string& name : kernel.functionNames)
        m_trace.functions.push_back(nameOf(name));
    m_trace.blockDim = {blockDim.x, blockDim.y, blockDim.z};
    m_trace.sharedBytes = sharedBytes;
    m_open.resize(m_trace.warps());
    for (std::uint32_t pc = 0; pc < m_image.ops.size(); ++pc)
        plan(pc);
    nameRegisters();
    for (const Allocation& allocation : state.memory->allocations())
        if (!allocation.freed)
            m_trace.buffers.push_back({allocation.label, allocation.begin, allocation.bytes});
}

void StepRecorder::plan(std::uint32_t pc)
{
    MicroOp& op = m_image.ops[pc];
    Plan& plan = m_plans[pc];
    plan.run = op.run;
    plan.guard = op.guard;
    plan.guardFlip = op.guardFlip;
    const std::uint32_t record = m_image.recordOf[pc];
    if (op.run == nullptr || record == kNone) // a terminator, or what no instruction stands for
        return;
    const auto sameAs = [&](std::uint32_t other) {
        return m_image.recordOf[other] == record && m_image.places[other].block == m_image.places[pc].block &&
               m_image.ops[other].run != nullptr;
    };
    plan.opens = pc == 0 || !sameAs(pc - 1);
    plan.closes = pc + 1 == m_image.ops.size() || !sameAs(pc + 1);
    plan.isMemory = op.detail < m_image.memory.size() && findMemoryOp(m_image.memory[op.detail]) == op.run;
    const bool isExchange = isWarpOp(op.run);
    op.run = plan.run == findWarpOp(WarpOp::Sync) ? &recordedWarpBarrier : &recorded;
    if (isExchange) { // its guard stays the executor's: it knows who waits for whom
        plan.guard = m_image.fills.front().offset;
        plan.guardFlip = 0;
        return;
    }
    // An instruction whose guard is false everywhere is a step, too.
    op.guard = m_image.fills.front().offset;
    op.guardFlip = 0;
}

void StepRecorder::nameRegisters()
{
    // A function that is inlined at several places has the same registers at each of them.
    std::map<std::string_view, std::uint32_t> known;
    for (const NamedRegister& each : m_image.registers) {
        const auto [at, isNew] = known.try_emplace(each.name, static_cast<std::uint32_t>(m_trace.registers.size()));
        if (isNew)
            m_trace.registers.push_back({each.name, each.bytes, each.isFloat});
        m_registerOf.emplace(each.plane, at->second);
    }
}

bool StepRecorder::isFull() const
{
    return m_trace.steps.size() >= m_limit ||
           m_trace.words.size() + kMostOfStep * 2 * kWarpSize > StepTrace::kMostWords ||
           m_trace.writes.size() + kWarpSize > StepTrace::kMostWrites ||
           m_sharedWords + kMostOfStep * kWarpSize > StepTrace::kMostSharedWords;
}

bool StepRecorder::records(const Warp& warp) const
{
    return warp.launch->blockIndex == m_block && !m_trace.isCut;
}

/// A function may end without a ret. That it returns is a step all the same: without it nobody would know.
bool StepRecorder::isReturnUnwritten(std::uint32_t pc) const
{
    const BasicBlock& block = m_image.blocks[m_image.places[pc].block];
    return m_image.recordOf[pc] == kNone && block.kind == EndKind::Return && block.end == pc;
}

/// The branch that takes those past the body who do not call.
bool StepRecorder::isInlinedCall(std::uint32_t pc) const
{
    const OpPlace& place = m_image.places[pc];
    const BasicBlock& block = m_image.blocks[place.block];
    return block.kind == EndKind::Branch && block.end == pc && m_image.texts[place.text].starts_with("call");
}

/// One for all micro-ops of an instruction.
std::uint32_t StepRecorder::keyOf(std::uint32_t pc) const
{
    return m_image.recordOf[pc] != kNone ? m_image.recordOf[pc]
                                         : static_cast<std::uint32_t>(m_image.records.size()) + pc;
}

std::uint32_t StepRecorder::instructionOf(std::uint32_t pc, Half half)
{
    const auto [at, isNew] =
        m_instructionOf.try_emplace({keyOf(pc), half}, static_cast<std::uint32_t>(m_trace.code.size()));
    if (isNew) {
        const OpPlace& place = m_image.places[pc];
        StepInstruction made;
        made.ptxLine = place.ptxLine;
        made.sourceLine = place.sourceLine;
        made.text = place.ptxLine >= 1 && place.ptxLine <= m_lines.size() ? oneSpace(m_lines[place.ptxLine - 1])
                                                                          : m_image.texts[place.text];
        const BasicBlock& block = m_image.blocks[place.block];
        made.isBarrier = half == Half::Itself && block.kind == EndKind::Barrier && block.end == pc;
        made.function = place.function;
        made.inlined = static_cast<std::uint16_t>(place.inlined);
        if (block.end == pc && block.kind == EndKind::Call)
            made.flow = StepInstruction::Flow::Call;
        if (block.end == pc && block.kind == EndKind::Return)
            made.flow = StepInstruction::Flow::Return;
        if (half == Half::Result)
            made.text += "  // result";
        if (isReturnUnwritten(pc))
            made.text = "ret  // at the end of the function";
        m_trace.code.push_back(std::move(made));
    }
    return at->second;
}

void StepRecorder::begin(const Warp& warp, std::uint32_t pc)
{
    Open& open = m_open[warp.index];
    open = {};
    open.is = true;
    open.step.warp = static_cast<std::uint16_t>(warp.index);
    open.step.instruction = instructionOf(pc, Half::Itself);
    open.step.active = warp.active;
    open.step.live = warp.live;
}

/// The step and what it wrote.
void StepRecorder::end(const Warp& warp, std::uint32_t pc)
{
    Open& open = m_open[warp.index];
    open.is = false;
    open.step.firstWrite = static_cast<std::uint32_t>(m_trace.writes.size());
    if (open.access && open.step.executed != 0) {
        after(warp, open.step.executed);
        open.step.access = static_cast<std::uint32_t>(m_trace.accesses.size());
        m_trace.accesses.push_back(std::move(*open.access));
    }
    const std::uint32_t statement = m_image.statementOf[pc];
    const PtxRecord& record = m_image.records[m_image.recordOf[pc]];
    const bool isCopyOfCall = m_image.texts[m_image.places[pc].text].starts_with("call");
    if (isCopyOfCall && record.operandCount > 0)
        write(warp, m_image.operands[record.firstOperand].plane, open.step.executed);
    else if (statement != kNone)
        for (const PlaneUse& use : m_image.statements[statement])
            if (use.role == PlaneUse::Role::Destination)
                write(warp, use.plane, open.step.executed);
    m_trace.steps.push_back(open.step);
    m_trace.isCut = isFull();
}

void StepRecorder::write(const Warp& warp, std::uint32_t plane, std::uint32_t mask)
{
    const auto at = m_registerOf.find(plane);
    if (at == m_registerOf.end() || mask == 0)
        return;
    const std::uint8_t bytes = m_trace.registers[at->second].bytes;
    std::array<std::uint64_t, kWarpSize> values{};
    if (bytes == 0) {
        std::uint32_t bits = 0;
        std::memcpy(&bits, warp.file + plane, 4);
        forLanes(mask, [&](std::uint32_t lane) { values[lane] = bits >> lane & 1; });
    } else {
        forLanes(mask, [&](std::uint32_t lane) {
            std::memcpy(&values[lane], warp.file + plane + std::size_t{lane} * bytes, bytes);
        });
    }
    m_trace.writes.push_back({at->second, keep(values, mask)});
}

LaneWords StepRecorder::keep(const std::array<std::uint64_t, kWarpSize>& values, std::uint32_t mask)
{
    LaneWords made;
    std::vector<std::uint32_t>& words = m_trace.words;
    made.first = static_cast<std::uint32_t>(words.size());
    const auto wide = [&words](std::uint64_t value) {
        words.push_back(static_cast<std::uint32_t>(value));
        words.push_back(static_cast<std::uint32_t>(value >> 32));
    };
    const auto low = static_cast<std::uint32_t>(std::countr_zero(mask));
    const std::uint32_t rest = mask & (mask - 1);
    std::uint64_t stride = 0;
    if (rest != 0) {
        const auto second = static_cast<std::uint32_t>(std::countr_zero(rest));
        const auto difference = static_cast<std::int64_t>(values[second] - values[low]);
        stride = static_cast<std::uint64_t>(difference / static_cast<std::int64_t>(second - low));
    }
    const std::uint64_t base = values[low] - low * stride;
    bool isAffine = true;
    forLanes(mask, [&](std::uint32_t lane) { isAffine = isAffine && values[lane] == base + lane * stride; });
    std::uint64_t bits = 0;
    forLanes(mask, [&](std::uint32_t lane) { bits |= values[lane]; });
    if (isAffine && stride == 0) {
        wide(base);
    } else if (isAffine) {
        made.kind = LaneWords::Kind::Affine;
        wide(base);
        wide(stride);
    } else if (bits >> 32 == 0) {
        made.kind = LaneWords::Kind::List;
        forLanes(mask, [&](std::uint32_t lane) { words.push_back(static_cast<std::uint32_t>(values[lane])); });
    } else {
        made.kind = LaneWords::Kind::WideList;
        forLanes(mask, [&](std::uint32_t lane) { wide(values[lane]); });
    }
    return made;
}

/// The addresses of a load, store or atomic, before it may overwrite the register that holds them.
void StepRecorder::before(const Warp& warp, const MicroOp& op, std::uint32_t mask)
{
    const MemoryDetail& detail = m_image.memory[op.detail];
    Space space = detail.space;
    LaneAddresses lanes;
    lanes.mask = mask;
    lanes.bytes = std::uint32_t{detail.elementBytes} * detail.count;
    gatherAddresses(warp, op, detail, lanes.address);
    bool isPlain = true;
    forLanes(mask, [&](std::uint32_t lane) {
        std::uint64_t address = lanes.address[lane];
        if (detail.space == Space::Generic) {
            const Space here = spaceOfGeneric(address);
            isPlain = isPlain && (space == Space::Generic || space == here);
            space = here;
            address -= windowOf(here);
        }
        if (space == Space::Shared && address >> kRankShift != 0) {
            const SharedPlace at = placeOfShared(*warp.launch, address);
            isPlain = isPlain && at.rank == warp.launch->rank;
            address = at.offset;
        }
        lanes.address[lane] = address;
    });
    const bool isKnown = space == Space::Global || space == Space::Shared || space == Space::Local;
    if (!isPlain || !isKnown || lanes.bytes > 32)
        return; // lanes that go different ways have no one picture
    StepAccess access;
    access.space = space == Space::Shared  ? StepAccess::Space::Shared
                   : space == Space::Local ? StepAccess::Space::Local
                                           : StepAccess::Space::Global;
    access.kind = detail.op == MemoryOp::Load    ? StepAccess::Kind::Load
                  : detail.op == MemoryOp::Store ? StepAccess::Kind::Store
                                                 : StepAccess::Kind::Atomic;
    access.bytes = static_cast<std::uint8_t>(lanes.bytes);
    bool aligned = true; // a misaligned access faults; it has no traffic
    forLanes(mask, [&](std::uint32_t lane) { aligned = aligned && lanes.address[lane] % lanes.bytes == 0; });
    if (aligned && space != Space::Local) {
        analyse(lanes);
        if (space == Space::Shared) {
            const BankCount banks = countBanks(lanes);
            access.passes = static_cast<std::uint16_t>(banks.wavefronts);
            access.least = static_cast<std::uint16_t>(banks.minimum);
        } else {
            constexpr unsigned kSectorShift = 5;
            access.passes = static_cast<std::uint16_t>(countGranules(lanes, kSectorShift));
            access.least = static_cast<std::uint16_t>((laneCount(mask) * lanes.bytes + 31) / 32);
        }
    }
    access.addresses = keep(lanes.address, mask);
    m_open[warp.index].access = std::move(access);
}

/// What shared memory holds after a store or an atomic.
void StepRecorder::after(const Warp& warp, std::uint32_t mask)
{
    StepAccess& access = *m_open[warp.index].access;
    if (access.space != StepAccess::Space::Shared || access.kind == StepAccess::Kind::Load)
        return;
    for (std::uint32_t part = 0; part < access.bytes; part += 4) {
        std::array<std::uint64_t, kWarpSize> values{};
        forLanes(mask, [&](std::uint32_t lane) {
            const std::uint64_t at = m_trace.word(access.addresses, mask, lane) + part;
            const std::uint64_t bytes = std::min<std::uint64_t>(4, access.bytes - part);
            if (at + bytes <= warp.launch->sharedBytes)
                std::memcpy(&values[lane], warp.launch->shared + at, bytes);
        });
        access.after.push_back(keep(values, mask));
        m_sharedWords += laneCount(mask);
    }
}

Step StepRecorder::run(Warp& warp, const MicroOp& op, std::uint32_t mask)
{
    const auto pc = static_cast<std::uint32_t>(&op - m_image.ops.data());
    const Plan& plan = m_plans[pc];
    mask &= *reinterpret_cast<const std::uint32_t*>(warp.file + plan.guard) ^ plan.guardFlip;
    const bool keeps = records(warp);
    if (keeps && plan.opens)
        begin(warp, pc);
    Open& open = m_open[warp.index];
    if (keeps && open.is && plan.isMemory && mask != 0)
        before(warp, op, mask);
    const Step step = mask == 0 ? Step::Next : plan.run(warp, op, mask);
    if (!keeps || !open.is)
        return step;
    open.step.executed |= mask;
    if (step == Step::Fault) { // the last thing to be seen is the instruction that went wrong
        open.is = false;
        open.step.firstWrite = static_cast<std::uint32_t>(m_trace.writes.size());
        if (open.access) {
            open.step.access = static_cast<std::uint32_t>(m_trace.accesses.size());
            m_trace.accesses.push_back(std::move(*open.access));
        }
        m_trace.steps.push_back(open.step);
    } else if (step != Step::Next) {
        open.is = false; // it waits for other lanes and comes again
    } else if (plan.closes) {
        end(warp, pc);
    }
    return step;
}

void StepRecorder::terminator(const Warp& warp, std::uint32_t pc, std::uint32_t mask)
{
    if (!records(warp) || (m_image.recordOf[pc] == kNone && !isReturnUnwritten(pc)))
        return;
    const Plan& plan = m_plans[pc];
    begin(warp, pc);
    Open& open = m_open[warp.index];
    open.is = false;
    open.step.active = mask;
    const std::uint32_t guard = *reinterpret_cast<const std::uint32_t*>(warp.file + plan.guard) ^ plan.guardFlip;
    open.step.executed = mask & (isInlinedCall(pc) ? ~guard : guard);
    open.step.firstWrite = static_cast<std::uint32_t>(m_trace.writes.size());
    m_trace.steps.push_back(open.step);
    m_trace.isCut = isFull();
}

void StepRecorder::stepOf(const Warp& warp, std::uint32_t pc, std::uint32_t mask, Half half)
{
    if (!records(warp) || m_image.recordOf[pc] == kNone)
        return;
    TracedStep step;
    step.warp = static_cast<std::uint16_t>(warp.index);
    step.instruction = instructionOf(pc, half);
    step.active = step.executed = mask;
    step.live = warp.live;
    step.firstWrite = static_cast<std::uint32_t>(m_trace.writes.size());
    if (const std::uint32_t statement = m_image.statementOf[pc]; half == Half::Result && statement != kNone)
        for (const PlaneUse& use : m_image.statements[statement])
            if (use.role == PlaneUse::Role::Destination)
                write(warp, use.plane, mask);
    m_trace.steps.push_back(step);
    m_trace.isCut = isFull();
}

void StepRecorder::warpBarrierOpens(const Warp& warp, std::uint32_t pc, std::uint32_t mask)
{
    stepOf(warp, pc, mask, Half::Itself);
}

void StepRecorder::barrierResult(const Warp& warp, std::uint32_t pc, std::uint32_t mask)
{
    stepOf(warp, pc, mask, Half::Result);
}

OpFunction StepRecorder::warpBarrier() const
{
    return &recordedWarpBarrier;
}

StepTrace StepRecorder::take()
{
    return std::move(m_trace);
}

} // namespace ridge::gpu::simt
