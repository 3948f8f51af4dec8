// SPDX-License-Identifier: GPL-3.0-or-later
// What a simulated launch tells.
#include "gpu/simt/timing/chip_file.h"
#include "gpu/simt/timing/engine.h"

#include <algorithm>
#include <map>
#include <set>

namespace ridge::gpu {

std::string_view toText(Stall stall)
{
    static constexpr std::array<std::string_view, kStalls> names{
        "selected",    "not_selected",       "wait",    "long_scoreboard", "short_scoreboard", "mio_throttle",
        "lg_throttle", "math_pipe_throttle", "barrier", "membar",          "branch_resolving", "no_instruction",
        "imc_miss",    "dispatch_stall",     "drain",   "sleeping",        "tex_throttle",     "gmma",
    };
    return names[static_cast<std::size_t>(stall)];
}

namespace simt {

namespace {

void add(TimingCounters& to, const TimingCounters& from)
{
    to.instIssued += from.instIssued;
    to.activeCycles += from.activeCycles;
    to.l1Requests += from.l1Requests;
    to.l1TagWavefronts += from.l1TagWavefronts;
    to.l1DataWavefronts += from.l1DataWavefronts;
    to.l1SectorHits += from.l1SectorHits;
    to.l1SectorMisses += from.l1SectorMisses;
    to.sharedWavefronts += from.sharedWavefronts;
    to.registerConflicts += from.registerConflicts;
    for (std::size_t at = 0; at < to.pipeInstructions.size(); ++at)
        to.pipeInstructions[at] += from.pipeInstructions[at];
}

std::uint64_t sumOf(const StallCycles& stalls)
{
    std::uint64_t sum = 0;
    for (const std::uint64_t cycles : stalls)
        sum += cycles;
    return sum;
}

/// FNV-1a over 64-bit words.
struct Hash {
    std::uint64_t value = 0xcbf29ce484222325u;
    void add(std::uint64_t word)
    {
        for (int byte = 0; byte < 8; ++byte) {
            value = (value ^ (word & 0xff)) * 0x100000001b3u;
            word >>= 8;
        }
    }
};

std::uint64_t hashOf(const TimingReport& report)
{
    Hash hash;
    hash.add(report.cycles);
    for (const std::uint64_t cycles : report.stalls)
        hash.add(cycles);
    const TimingCounters& c = report.counters;
    for (const std::uint64_t value :
         {c.instIssued, c.activeCycles, c.warpCycles, c.l1Requests, c.l1TagWavefronts, c.l1DataWavefronts,
          c.l1SectorHits, c.l1SectorMisses, c.l2Requests, c.l2SectorHits, c.l2SectorMisses, c.dramReadBytes,
          c.dramWriteBytes, c.sharedWavefronts, c.registerConflicts})
        hash.add(value);
    for (const SmTiming& sm : report.sms)
        hash.add(sm.cycles ^ sm.instructions << 32);
    for (const TimingEvent& event : report.events) {
        hash.add(std::uint64_t{event.cycle} << 32 | std::uint64_t{event.sm} << 16 | std::uint64_t{event.slot} << 8 |
                 static_cast<std::uint64_t>(event.kind));
        hash.add(std::uint64_t{event.op} << 32 | event.payload);
    }
    return hash.value;
}

const OpPlace* placeOf(const TimedKernel& kernel, const TimedOp& op)
{
    const std::uint32_t at = op.covers != kNoMicroOp ? op.covers : op.microOp;
    return at < kernel.image->places.size() ? &kernel.image->places[at] : nullptr;
}

std::vector<LineTiming> linesOf(const TimedKernel& kernel, const std::vector<std::vector<OpTally>>& tallies)
{
    std::map<std::pair<std::uint32_t, std::uint32_t>, LineTiming> lines;
    std::vector<LineTiming*> lineOf;
    const OpPlace* last = nullptr;
    for (const TimedOp& op : kernel.ops) {
        const OpPlace* place = placeOf(kernel, op);
        last = place != nullptr ? place : last;
        const std::uint32_t source = last != nullptr ? last->sourceLine : 0;
        const std::uint32_t ptx = last != nullptr ? last->ptxLine : 0;
        LineTiming& line = lines[{source, source != 0 ? 0 : ptx}];
        line.sourceLine = source;
        line.ptxLine = line.ptxLine == 0 ? ptx : std::min(line.ptxLine, ptx);
        lineOf.push_back(&line);
    }
    for (const std::vector<OpTally>& ofThread : tallies) {
        for (std::size_t at = 0; at < lineOf.size(); ++at) {
            LineTiming& line = *lineOf[at];
            const OpTally& tally = ofThread[at];
            line.instructions += tally.issued;
            line.sectors += tally.sectors;
            line.requests += tally.requests;
            line.requestSectors += tally.requestSectors;
            line.sharedWavefronts += tally.sharedWavefronts;
            line.sharedMinimumWavefronts += tally.sharedLeast;
            for (std::size_t stall = 0; stall < kStalls; ++stall)
                line.stalls[stall] += tally.stalls[stall];
        }
    }
    std::vector<LineTiming> out;
    for (auto& [key, line] : lines)
        out.push_back(line);
    return out;
}

std::vector<TimingEvent> eventsOf(const Sms& sms)
{
    std::vector<TimingEvent> all;
    for (const Sm& sm : sms) {
        const auto& events = sm.events();
        const auto start = static_cast<std::ptrdiff_t>(sm.eventStart());
        all.insert(all.end(), events.begin() + start, events.end());
        all.insert(all.end(), events.begin(), events.begin() + start);
    }
    std::stable_sort(all.begin(), all.end(), [](const TimingEvent& a, const TimingEvent& b) {
        return a.cycle != b.cycle ? a.cycle < b.cycle : a.sm < b.sm;
    });
    return all;
}

/// The assumptions that this kernel rests on, and the word for the weakest of its values.
void judge(const ChipTiming& chip, const MachineKernel& machine, bool clustered, TimingReport& report)
{
    std::set<std::string> used;
    for (const MachineOp& op : machine.ops) {
        used.insert("latency." + std::string(chipName(op.latency)));
        used.insert("lanes." + std::string(chipName(op.latency)));
    }
    static const std::vector<std::string> order{"verified", "derived", "fitted", "recalled", "partial", "assumption"};
    std::size_t weakest = 0;
    for (const auto& [path, origin] : chip.origins) {
        const bool byClass = path.rfind("latency.", 0) == 0 || path.rfind("lanes.", 0) == 0;
        if ((byClass && used.count(path) == 0) || (!clustered && path.rfind("cluster.", 0) == 0))
            continue;
        const auto rank =
            static_cast<std::size_t>(std::find(order.begin(), order.end(), origin.confidence) - order.begin());
        weakest = std::max(weakest, std::min(rank, order.size() - 1));
        if (origin.confidence == "assumption")
            report.assumptions.push_back(path);
    }
    report.confidence = order[weakest];
}

} // namespace

TimingReport TimingEngine::report(const Steady& steady, double restExecuted) const
{
    TimingReport out;
    out.chip = m_chip.id;
    out.clockHz = m_chip.clockMhz * 1e6;
    out.occupancy = m_occupancy;
    out.occupancy.warpSlots = static_cast<std::uint32_t>(m_chip.maxWarps);
    for (const Sm& sm : m_sms) {
        const SmTally& tally = sm.tally();
        out.cycles = std::max(out.cycles, tally.lastCycle);
        for (std::size_t at = 0; at < kStalls; ++at)
            out.stalls[at] += tally.stalls[at];
        add(out.counters, tally.counters);
        out.blocks.insert(out.blocks.end(), sm.spans().begin(), sm.spans().end());
        out.sms.push_back({tally.lastCycle, tally.blocks, tally.counters.instIssued, sumOf(tally.stalls)});
        out.counters.warpCycles += sumOf(tally.stalls);
    }
    for (const std::uint64_t cycle : m_lastWrite)
        out.cycles = std::max(out.cycles, cycle);
    for (const MemoryGroup& group : m_groups) {
        const L2Counters& l2 = group.counters();
        out.counters.l2Requests += l2.requests;
        out.counters.l2SectorHits += l2.sectorHits;
        out.counters.l2SectorMisses += l2.sectorMisses;
        out.counters.dramReadBytes += l2.readBytes;
        out.counters.dramWriteBytes += l2.writeBytes;
    }
    if (out.counters.activeCycles != 0)
        out.occupancy.achieved = static_cast<double>(out.counters.warpCycles) /
                                 static_cast<double>(out.counters.activeCycles) / m_chip.maxWarps;
    if (m_shape.grid.count() < m_residentTotal)
        out.occupancy.limiter = "grid";
    out.lines = linesOf(m_kernel, m_tallies);
    out.events = eventsOf(m_sms);
    for (std::size_t at = 0; at < m_kernel.ops.size(); ++at) {
        const OpPlace* place = placeOf(m_kernel, m_kernel.ops[at]);
        MachineLine line;
        line.text = m_kernel.machine->mnemonics[m_kernel.machine->ops[at].mnemonic];
        line.ptxLine = place != nullptr ? place->ptxLine : 0;
        line.sourceLine = place != nullptr ? place->sourceLine : 0;
        line.waitMask = m_kernel.ops[at].waitMask;
        line.writeCounter = m_kernel.ops[at].writeCounter;
        line.readCounter = m_kernel.ops[at].readCounter;
        out.machine.push_back(std::move(line));
    }
    out.timeline = m_timeline.timeline();
    out.extrapolation.blocks = m_shape.grid.count();
    const std::uint64_t simulated = m_endCluster * m_shape.cluster.count();
    out.extrapolation.simulatedBlocks = simulated;
    out.extrapolation.simulatedCycles = out.cycles;
    if (simulated < m_shape.grid.count() && !m_isPart) {
        const auto rest = static_cast<double>(m_shape.grid.count() - simulated);
        out.extrapolation.used = true;
        const auto l2Lines = static_cast<std::uint64_t>(m_chip.l2Kb * 1024 / 128);
        const Rest left{rest, restExecuted};
        const double cycles = restCycles(steady, m_memorySamples, {m_chip.dramBytesPerCycle(), l2Lines}, left);
        out.extrapolation.cyclesPerBlock = cycles / rest;
        out.cycles += static_cast<std::uint64_t>(cycles);
        out.extrapolation.relativeError = restDoubt(steady, m_memorySamples, left) / static_cast<double>(out.cycles);
    }
    out.seconds = static_cast<double>(out.cycles) / out.clockHz;
    judge(m_chip, *m_kernel.machine, m_shape.cluster.count() > 1, out);
    out.hash = hashOf(out);
    return out;
}

} // namespace simt
} // namespace ridge::gpu
