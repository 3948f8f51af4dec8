// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/step_trace.h"

#include "base/trace_bytes.h"

#include <bit>

namespace ridge {
namespace {

constexpr std::string_view kMagic = "RSTP";
constexpr std::uint32_t kVersion = 4; // 3 knew no calls, 2 which registers are not recorded, 1 no grid and long words
constexpr std::uint32_t kWarpLanes = 32;

template<class Stream, class... Fields>
void all(Stream& stream, Fields&... fields)
{
    (stream.field(fields), ...);
}

void put(TraceWriter& out, const LaneWords& values)
{
    out.byte(static_cast<std::uint8_t>(values.kind));
    out.field(values.first);
}

void get(TraceReader& in, LaneWords& values)
{
    const std::uint8_t kind = in.byte();
    if (kind > static_cast<std::uint8_t>(LaneWords::Kind::WideList))
        in.fail();
    values.kind = static_cast<LaneWords::Kind>(kind);
    in.field(values.first);
}

std::size_t wordsOf(const LaneWords& values, std::uint32_t mask)
{
    const auto lanes = static_cast<std::size_t>(std::popcount(mask));
    return values.kind == LaneWords::Kind::Uniform  ? 2
           : values.kind == LaneWords::Kind::Affine ? 4
           : values.kind == LaneWords::Kind::List   ? lanes
                                                    : 2 * lanes;
}

// Far above what the simulator sends: a kernel has at most 2^20 instructions, a chip at most 256 KiB of shared memory.
constexpr std::size_t kMostInstructions = std::size_t{1} << 20, kMostRegisters = std::size_t{1} << 16,
                      kMostBuffers = std::size_t{1} << 16, kMostSharedBytes = std::size_t{1} << 20;

std::size_t atMost(TraceReader& in, std::size_t most)
{
    const std::size_t count = in.count();
    if (count <= most)
        return count;
    in.fail();
    return 0;
}

bool inRange(const StepTrace& trace, const LaneWords& values, std::uint32_t mask)
{
    return values.first <= trace.words.size() && wordsOf(values, mask) <= trace.words.size() - values.first;
}

/// No lane returns from what it was not called into, or is in more calls than a thread's stack holds.
bool callsFit(const StepTrace& trace)
{
    std::vector<std::vector<std::uint32_t>> stacks(std::size_t{trace.warps()} * kWarpLanes); // depths before each call
    std::vector<std::uint32_t> depths(stacks.size(), 0);
    for (const TracedStep& step : trace.steps) {
        const StepInstruction& code = trace.code[step.instruction];
        if (code.flow == StepInstruction::Flow::Plain)
            continue;
        for (std::uint32_t lanes = step.executed; lanes != 0; lanes &= lanes - 1) {
            const std::size_t lane =
                std::size_t{step.warp} * kWarpLanes + static_cast<std::size_t>(std::countr_zero(lanes));
            std::vector<std::uint32_t>& stack = stacks[lane];
            if (code.flow == StepInstruction::Flow::Return) {
                if (stack.empty())
                    return false;
                depths[lane] = stack.back();
                stack.pop_back();
            } else {
                stack.push_back(depths[lane]);
                depths[lane] += code.inlined + 1u;
                if (stack.size() > StepTrace::kMostCalls || depths[lane] > StepTrace::kMostDepth)
                    return false;
            }
        }
    }
    return true;
}

/// Every index points to something, so that readers need not ask.
bool holdsTogether(const StepTrace& trace)
{
    const std::uint64_t threads =
        std::uint64_t{trace.blockDim[0]} * trace.blockDim[1] * std::uint64_t{trace.blockDim[2]};
    if (threads == 0 || threads > 1024 || trace.sharedBytes > kMostSharedBytes)
        return false;
    for (const StepInstruction& each : trace.code)
        if (each.function >= trace.functions.size())
            return false;
    for (const StepWrite& write : trace.writes)
        if (write.reg >= trace.registers.size())
            return false;
    std::uint32_t write = 0;
    std::size_t sharedWords = 0;
    for (std::size_t at = 0; at < trace.steps.size(); ++at) {
        const TracedStep& step = trace.steps[at];
        if (step.warp >= trace.warps() || step.instruction >= trace.code.size() || step.firstWrite < write ||
            step.firstWrite > trace.writes.size() || (step.executed & ~step.active) != 0)
            return false;
        write = step.firstWrite;
        if (step.access != TracedStep::kNoStep) {
            if (step.access >= trace.accesses.size())
                return false;
            const StepAccess& access = trace.accesses[step.access];
            if (!inRange(trace, access.addresses, step.executed))
                return false;
            for (const LaneWords& after : access.after)
                if (!inRange(trace, after, step.executed))
                    return false;
            sharedWords += access.after.size() * static_cast<std::size_t>(std::popcount(step.executed));
        }
    }
    for (std::size_t at = 0; at < trace.steps.size(); ++at)
        for (std::uint32_t each = trace.steps[at].firstWrite; each < trace.endWrite(at); ++each)
            if (!inRange(trace, trace.writes[each].values, trace.steps[at].executed))
                return false;
    return sharedWords <= StepTrace::kMostSharedWords && callsFit(trace);
}

void putAccess(TraceWriter& out, const StepAccess& access)
{
    out.byte(static_cast<std::uint8_t>(access.space));
    out.byte(static_cast<std::uint8_t>(access.kind));
    out.byte(access.bytes);
    all(out, access.passes, access.least);
    put(out, access.addresses);
    out.number(access.after.size());
    for (const LaneWords& after : access.after)
        put(out, after);
}

void getAccess(TraceReader& in, StepAccess& access)
{
    const std::uint8_t space = in.byte(), kind = in.byte();
    if (space > 2 || kind > 2)
        in.fail();
    access.space = static_cast<StepAccess::Space>(space);
    access.kind = static_cast<StepAccess::Kind>(kind);
    access.bytes = in.byte();
    all(in, access.passes, access.least);
    get(in, access.addresses);
    access.after.resize(std::min<std::size_t>(in.count(), 8));
    for (LaneWords& after : access.after)
        get(in, after);
}

} // namespace

std::uint64_t StepTrace::word(const LaneWords& values, std::uint32_t mask, std::uint32_t lane) const
{
    const auto wide = [this](std::size_t at) { return words[at] | std::uint64_t{words[at + 1]} << 32; };
    if (values.kind == LaneWords::Kind::Uniform)
        return wide(values.first);
    if (values.kind == LaneWords::Kind::Affine)
        return wide(values.first) + lane * wide(values.first + 2);
    const std::uint32_t below = lane % kWarpLanes == 0 ? 0 : mask & ((1u << lane % kWarpLanes) - 1);
    const auto place = static_cast<std::size_t>(std::popcount(below));
    return values.kind == LaneWords::Kind::List ? words[values.first + place] : wide(values.first + 2 * place);
}

std::string encodeStepTrace(const StepTrace& trace)
{
    TraceWriter out;
    all(out, trace.kernel, trace.block[0], trace.block[1], trace.block[2], trace.blockDim[0], trace.blockDim[1],
        trace.blockDim[2], trace.gridDim[0], trace.gridDim[1], trace.gridDim[2], trace.sharedBytes, trace.isCut);
    out.number(trace.code.size());
    for (const StepInstruction& each : trace.code) {
        all(out, each.text, each.ptxLine, each.sourceLine, each.isBarrier, each.inlined, each.function);
        out.byte(static_cast<std::uint8_t>(each.flow));
    }
    out.number(trace.functions.size());
    for (const std::string& each : trace.functions)
        out.field(each);
    out.number(trace.registers.size());
    for (const StepRegister& each : trace.registers) {
        out.field(each.name);
        out.byte(each.bytes);
        all(out, each.isFloat);
    }
    out.number(trace.buffers.size());
    for (const TraceBuffer& each : trace.buffers)
        all(out, each.name, each.address, each.bytes);
    out.number(trace.steps.size());
    for (const TracedStep& step : trace.steps) {
        all(out, step.warp, step.instruction, step.active, step.executed, step.live, step.firstWrite);
        out.number(step.access == TracedStep::kNoStep ? 0 : std::uint64_t{step.access} + 1);
    }
    out.number(trace.writes.size());
    for (const StepWrite& write : trace.writes) {
        out.field(write.reg);
        put(out, write.values);
    }
    out.number(trace.accesses.size());
    for (const StepAccess& access : trace.accesses)
        putAccess(out, access);
    out.number(trace.words.size());
    for (const std::uint32_t word : trace.words)
        out.field(word);
    return frameTrace(kMagic, kVersion, out.take());
}

Result<StepTrace> decodeStepTrace(std::string_view bytes)
{
    if (bytes.size() > StepTrace::kMostBytes)
        return badTrace("the trace is larger than any that a worker sends");
    const auto payload = unframeTrace(bytes, kMagic, kVersion);
    if (!payload)
        return payload.error();
    if (static_cast<std::uint32_t>(bytes[4]) != kVersion)
        return Error{"bad-trace", "the steps were recorded by an older ridge-worker, which tells no calls", "trace",
                     "record them again, with the ridge-worker of this version"};
    TraceReader in(*payload);
    StepTrace trace;
    all(in, trace.kernel, trace.block[0], trace.block[1], trace.block[2], trace.blockDim[0], trace.blockDim[1],
        trace.blockDim[2], trace.gridDim[0], trace.gridDim[1], trace.gridDim[2], trace.sharedBytes, trace.isCut);
    trace.code.resize(atMost(in, kMostInstructions));
    for (StepInstruction& each : trace.code) {
        all(in, each.text, each.ptxLine, each.sourceLine, each.isBarrier, each.inlined, each.function);
        const std::uint8_t flow = in.byte();
        if (flow > static_cast<std::uint8_t>(StepInstruction::Flow::Return))
            in.fail();
        each.flow = static_cast<StepInstruction::Flow>(flow);
    }
    trace.functions.resize(atMost(in, kMostInstructions));
    for (std::string& each : trace.functions)
        in.field(each);
    trace.registers.resize(atMost(in, kMostRegisters));
    for (StepRegister& each : trace.registers) {
        in.field(each.name);
        each.bytes = in.byte();
        all(in, each.isFloat);
    }
    trace.buffers.resize(atMost(in, kMostBuffers));
    for (TraceBuffer& each : trace.buffers)
        all(in, each.name, each.address, each.bytes);
    trace.steps.resize(atMost(in, StepTrace::kMostSteps));
    for (TracedStep& step : trace.steps) {
        all(in, step.warp, step.instruction, step.active, step.executed, step.live, step.firstWrite);
        const std::uint64_t access = in.number();
        step.access =
            access == 0 || access > TracedStep::kNoStep ? TracedStep::kNoStep : static_cast<std::uint32_t>(access - 1);
    }
    trace.writes.resize(atMost(in, StepTrace::kMostWrites));
    for (StepWrite& write : trace.writes) {
        in.field(write.reg);
        get(in, write.values);
    }
    trace.accesses.resize(atMost(in, StepTrace::kMostSteps));
    for (StepAccess& access : trace.accesses)
        getAccess(in, access);
    trace.words.resize(atMost(in, StepTrace::kMostWords));
    for (std::uint32_t& word : trace.words)
        in.field(word);
    if (!in.ok() || !in.atEnd() || !holdsTogether(trace))
        return badTrace("the trace does not hold what it says");
    return trace;
}

} // namespace ridge
