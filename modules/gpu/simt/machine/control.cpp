// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/machine/draft.h"
#include "gpu/simt/machine/lists.h"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace ridge::gpu::simt {

namespace {

constexpr int kCounters = 6;
constexpr int kMostStall = 15;

/// The registers of one operand, sorted here. Where a vector could not be given neighbours, those that lie behind the
/// first.
RegisterRange rangeOf(std::vector<std::uint16_t>& registers)
{
    RegisterRange range;
    if (registers.empty())
        return range;
    std::sort(registers.begin(), registers.end());
    range.first = registers[0];
    for (range.count = 1; range.count < registers.size(); ++range.count) {
        if (registers[range.count] != registers[0] + range.count)
            break;
    }
    return range;
}

/// Within a block stalls and counters are exact. Between blocks counters are known (each writer keeps its own for
/// good), so a first reader waits for those of all writers of its register, on whatever way it was reached.
class Controller {
public:
    Controller(DraftKernel& kernel, const RegisterAllocation& allocation, const ScheduleLatencies& latencies,
               int computeCapability, MachineKernel& machine)
        : m_kernel(kernel), m_allocation(allocation), m_latencies(latencies), m_capability(computeCapability),
          m_doubleSpacing(doubleSpacing(computeCapability)), m_machine(machine), m_writers(kernel.registers.size(), 0),
          m_next(kernel.registers.size()), m_ready(kernel.registers.size()), m_pending(kernel.registers.size()),
          m_pendingSince(kernel.registers.size())
    {
    }

    void run()
    {
        for (DraftBlock& block : m_kernel.blocks) {
            const auto first = static_cast<std::uint32_t>(m_machine.ops.size());
            for (const Draft& draft : block.drafts)
                m_machine.ops.push_back(convert(draft));
            m_machine.blocks.push_back({first, static_cast<std::uint32_t>(m_machine.ops.size())});
        }
        assignCounters();
        for (std::size_t block = 0; block < m_kernel.blocks.size(); ++block)
            control(block);
        if (!m_gaps.empty())
            fillGaps();
    }

private:
    MachineOp convert(const Draft& draft)
    {
        MachineOp op;
        op.mnemonic = draft.mnemonic;
        op.pipe = draft.pipe;
        op.latency = draft.latency;
        op.repeat = draft.repeat;
        op.part = draft.part;
        op.microOp = draft.microOp;
        op.covers = draft.covers;
        m_group.clear();
        for (const std::uint32_t id : draft.results) {
            if (m_allocation.physical[id] != kNoRegister)
                m_group.push_back(m_allocation.physical[id]);
        }
        op.destination = rangeOf(m_group);
        // Neighbours of one tuple make one operand; what does not fit four operands joins the last.
        std::vector<std::uint16_t>& group = m_group;
        std::size_t groups = 0;
        group.clear();
        for (const std::uint32_t id : draft.sources) {
            const std::uint16_t physical = m_allocation.physical[id];
            if (physical == kNoRegister)
                continue;
            if (!group.empty() && group.back() + 1 != physical && groups + 1 < op.sources.size()) {
                op.sources[groups++] = rangeOf(group);
                group.clear();
            }
            group.push_back(physical);
        }
        if (!group.empty())
            op.sources[groups] = rangeOf(group);
        return op;
    }

    static bool holdsSources(const Draft& draft)
    {
        return !isFixedLatency(draft.latency) &&
               (draft.writesMemory || draft.readsMemory || draft.pipe == Pipe::Shuffle || draft.pipe == Pipe::Tensor);
    }

    void assignCounters()
    {
        std::size_t next = 0;
        for (std::size_t block = 0; block < m_kernel.blocks.size(); ++block) {
            const auto& drafts = m_kernel.blocks[block].drafts;
            std::array<Counter, kCounters> counters;
            m_next.forget(); // earlier writers in a block were waited for by later ones
            std::vector<std::uint32_t> written;
            const std::vector<std::size_t> readers = firstReaders(drafts);
            const std::vector<std::size_t> overwriters = firstOverwriters(drafts);
            for (std::size_t at = 0; at < drafts.size(); ++at) {
                const Draft& draft = drafts[at];
                MachineOp& op = m_machine.ops[m_machine.blocks[block].first + at];
                if (isFixedLatency(draft.latency))
                    continue;
                if (!draft.results.empty()) {
                    op.writeCounter = pick(counters, at, readers[at], draft.latency, drafts.size(), next);
                    for (const std::uint32_t id : draft.results)
                        m_next.set(id, op.writeCounter);
                    written.insert(written.end(), draft.results.begin(), draft.results.end());
                }
                if (!draft.results.empty() && !draft.writesMemory)
                    continue; // who waits for the result knows that the sources were read
                if (holdsSources(draft) && !draft.sources.empty())
                    op.readCounter = pick(counters, at, overwriters[at], LatencyClass::Alu, drafts.size(), next);
            }
            for (const std::uint32_t id : written)
                m_writers[id] |= static_cast<std::uint8_t>(1u << m_next.get(id));
        }
    }

    struct Counter {
        std::size_t waitedFor = 0; ///< the instruction before which it is zero again
        std::size_t usedAt = 0;    ///< by the last one that took it, counted from 1; 0: by none
        LatencyClass latency = LatencyClass::Alu;
    };

    /// Before which instruction of the block each one's results must be there; the block's size: before none.
    std::vector<std::size_t> firstReaders(const std::vector<Draft>& drafts)
    {
        std::vector<std::size_t> readers(drafts.size(), drafts.size());
        m_next.forget(); // who touches a register next
        for (std::size_t at = drafts.size(); at-- > 0;) {
            for (const std::uint32_t id : drafts[at].results)
                readers[at] = std::min<std::size_t>(readers[at], m_next.get(id));
            for (const std::uint32_t id : drafts[at].results)
                m_next.set(id, static_cast<std::uint32_t>(at));
            for (const std::uint32_t id : drafts[at].sources)
                m_next.set(id, static_cast<std::uint32_t>(at));
        }
        return readers;
    }

    /// Before which instruction each one's sources must have been read: values that share a register count as one.
    std::vector<std::size_t> firstOverwriters(const std::vector<Draft>& drafts)
    {
        std::vector<std::size_t> overwriters(drafts.size(), drafts.size());
        std::unordered_map<std::uint16_t, std::size_t> next; // who writes a register next
        for (std::size_t at = drafts.size(); at-- > 0;) {
            for (const std::uint32_t id : drafts[at].sources)
                if (const auto found = next.find(m_allocation.physical[id]); found != next.end())
                    overwriters[at] = std::min(overwriters[at], found->second);
            for (const std::uint32_t id : drafts[at].results)
                if (m_allocation.physical[id] != kNoRegister)
                    next[m_allocation.physical[id]] = at;
        }
        return overwriters;
    }

    /// As ptxas does: what one instruction of the block waits for shares a counter, and so do sources that nothing in
    /// the block overwrites; all else has one of its own while there are any; then the newest of the same kind, since
    /// what is alike comes back in order.
    static std::uint8_t pick(std::array<Counter, kCounters>& counters, std::size_t at, std::size_t reader,
                             LatencyClass latency, std::size_t blockEnd, std::size_t& next)
    {
        const auto isFree = [&](const Counter& counter) { return counter.usedAt == 0 || counter.waitedFor <= at; };
        std::size_t chosen = kCounters;
        const bool isShared = reader < blockEnd || latency == LatencyClass::Alu;
        for (std::size_t one = 0; one < kCounters && isShared; ++one)
            if (!isFree(counters[one]) && counters[one].latency == latency && counters[one].waitedFor == reader)
                chosen = one;
        // In turn, so that blocks that follow one another do not all wait for the first.
        for (std::size_t step = 0; step < kCounters && chosen == kCounters; ++step)
            if (const std::size_t one = (next + step) % kCounters; isFree(counters[one])) {
                chosen = one;
                next = (one + 1) % kCounters;
            }
        if (chosen == kCounters) {
            chosen = 0;
            for (std::size_t one = 1; one < kCounters; ++one) {
                const bool alike = counters[one].latency == latency, was = counters[chosen].latency == latency;
                if (alike != was ? alike : counters[one].usedAt > counters[chosen].usedAt)
                    chosen = one;
            }
        }
        Counter& counter = counters[chosen];
        counter.waitedFor = isFree(counter) ? reader : std::min(counter.waitedFor, reader);
        counter.usedAt = at + 1;
        counter.latency = latency;
        return static_cast<std::uint8_t>(chosen);
    }

    void control(std::size_t block)
    {
        const auto& drafts = m_kernel.blocks[block].drafts;
        const std::uint32_t first = m_machine.blocks[block].first;
        m_ready.forget();                              // fixed latency: which instruction wrote a register
        m_pending.forget();                            // written here last; the counter to wait for, if any
        std::uint8_t open = 0xff;                      // counters that may be non-zero
        std::uint8_t openBefore = 0xff;                // for what earlier blocks began: not waited for in this one
        std::array<std::size_t, kCounters> waitedAt{}; // counted from 1; what was pending then is there since
        std::array<int, kPipes> pipeFree{};            // from this cycle on, as far as this warp keeps it busy
        std::vector<int> issuedAt(drafts.size());
        int cycle = 0;
        int latest = 0;
        // Read counters of those that still read a physical register; the last entry is that of all predicates.
        std::vector<std::uint8_t> held(m_allocation.registers + 1, 0);
        const auto heldOf = [&](std::uint32_t id) -> std::uint8_t& {
            return held[std::min<std::size_t>(m_allocation.physical[id], held.size() - 1)];
        };
        for (std::size_t at = 0; at < drafts.size(); ++at) {
            const Draft& draft = drafts[at];
            MachineOp& op = m_machine.ops[first + at];
            int issue = at == 0 ? 0 : cycle + 1;
            std::uint8_t wait = 0;
            // Who writes a register anew waits for the latency alone.
            const auto need = [&](std::uint32_t id, bool isRead, bool isSource) {
                if (const std::uint32_t writer = m_ready.get(id); writer != Notes::kNoNote) {
                    const Draft& from = drafts[writer];
                    const int latency = latencyOf(from);
                    issue = std::max(issue,
                                     issuedAt[writer] +
                                         (isSource ? resultDistance(from, draft, id, latency, m_capability) : latency));
                }
                const std::uint32_t counter = m_pending.get(id);
                if (counter == Notes::kNoNote)
                    wait |= isRead ? static_cast<std::uint8_t>(m_writers[id] & openBefore) : std::uint8_t{0};
                else if (counter != kNoCounter && waitedAt[counter] <= m_pendingSince[id])
                    wait |= static_cast<std::uint8_t>(1u << counter);
            };
            for (const std::uint32_t id : draft.sources)
                need(id, true, true);
            for (const std::uint32_t id : draft.results) {
                need(id, draft.isGuarded, false); // a masked lane keeps what another block may still be writing
                wait |= static_cast<std::uint8_t>(heldOf(id) & open);
            }
            const auto pipe = static_cast<std::size_t>(op.pipe);
            const bool isFixed = isFixedLatency(draft.latency);
            issue = std::max(issue, pipeFree[pipe]);
            op.waitMask = wait;
            open = static_cast<std::uint8_t>(open & ~wait);
            openBefore = static_cast<std::uint8_t>(openBefore & ~wait);
            for (std::size_t counter = 0; counter < kCounters; ++counter)
                waitedAt[counter] = (wait >> counter & 1) != 0 ? at + 1 : waitedAt[counter];
            if (at > 0)
                m_machine.ops[first + at - 1].stall =
                    static_cast<std::uint8_t>(std::clamp(issue - cycle, 1, kMostStall));
            if (issue - cycle > kMostStall)
                m_gaps.push_back({static_cast<std::uint32_t>(first + at), issue - cycle - kMostStall});
            cycle = issue;
            issuedAt[at] = cycle;
            for (std::size_t other = 0; other < kPipes; ++other)
                pipeFree[other] = std::max(pipeFree[other], cycle + pipeDistance(draft.pipe, static_cast<Pipe>(other)));
            if (op.pipe == Pipe::Fp64)
                pipeFree[pipe] = cycle + m_doubleSpacing;
            for (const std::uint8_t counter : {op.writeCounter, op.readCounter}) {
                if (counter != kNoCounter)
                    open = static_cast<std::uint8_t>(open | (1u << counter));
            }
            if (op.readCounter != kNoCounter) {
                for (const std::uint32_t id : draft.sources)
                    heldOf(id) |= static_cast<std::uint8_t>(1u << op.readCounter);
            }
            for (const std::uint32_t id : draft.results) {
                if (op.writeCounter == kNoCounter && draft.isGuarded)
                    continue;
                m_pending.set(id, op.writeCounter);
                m_pendingSince[id] = at + 1;
            }
            if (isFixed) {
                pipeFree[pipe] = cycle + std::max<int>(1, m_latencies.busy[static_cast<std::size_t>(draft.latency)]);
                for (const std::uint32_t id : draft.results)
                    m_ready.set(id, static_cast<std::uint32_t>(at));
                if (!draft.results.empty())
                    latest = std::max(latest, cycle + latencyOf(draft));
            }
        }
        if (!drafts.empty() && drafts.back().isTerminator)
            latest = std::max(latest, cycle + kNotTaken);
        // The next block knows nothing of cycles: what is under way here is done when it starts.
        if (!drafts.empty())
            m_machine.ops[first + drafts.size() - 1].stall =
                static_cast<std::uint8_t>(std::clamp(latest - cycle, 1, kMostStall));
    }

    int latencyOf(const Draft& draft) const
    {
        return std::max<int>(1, m_latencies.cycles[static_cast<std::size_t>(draft.latency)]);
    }

    /// NOPs for the cycles that no stall count can hold.
    void fillGaps()
    {
        std::vector<MachineOp> ops;
        ops.reserve(m_machine.ops.size() + m_gaps.size() * 4);
        auto gap = m_gaps.begin();
        MachineOp nop;
        nop.mnemonic = mnemonicOf(m_kernel, "NOP");
        for (MachineBlock& block : m_machine.blocks) {
            const auto start = static_cast<std::uint32_t>(ops.size());
            for (std::uint32_t at = block.first; at < block.end; ++at) {
                const MachineOp& op = m_machine.ops[at];
                if (gap != m_gaps.end() && gap->before == at) {
                    nop.covers = op.microOp != kNoMicroOp ? op.microOp : op.covers;
                    for (int left = gap->cycles; left > 0; left -= kMostStall) {
                        nop.stall = static_cast<std::uint8_t>(std::min(left, kMostStall));
                        ops.push_back(nop);
                    }
                    ++gap;
                }
                ops.push_back(op);
            }
            block = {start, static_cast<std::uint32_t>(ops.size())};
        }
        m_machine.ops = std::move(ops);
    }

    struct Gap {
        std::uint32_t before = 0; ///< instruction
        int cycles = 0;           ///< beyond the longest stall
    };

    DraftKernel& m_kernel;
    const RegisterAllocation& m_allocation;
    const ScheduleLatencies& m_latencies;
    const int m_capability;
    const int m_doubleSpacing; ///< see doubleSpacing()
    MachineKernel& m_machine;
    std::vector<std::uint16_t> m_group;      ///< physical registers of the operand that is being made
    std::vector<std::uint8_t> m_writers;     ///< of each register: counters of its variable-latency writers
    Notes m_next, m_ready, m_pending;        ///< of the registers, while one block is looked at
    std::vector<std::size_t> m_pendingSince; ///< where m_pending was noted, counted from 1
    std::vector<Gap> m_gaps;                 ///< in order
};

} // namespace

int doubleSpacing(int computeCapability)
{
    return computeCapability >= 103 ? 64 : 0;
}

void assignControl(DraftKernel& kernel, const RegisterAllocation& allocation, const ScheduleLatencies& latencies,
                   int computeCapability, MachineKernel& machine)
{
    Controller(kernel, allocation, latencies, computeCapability, machine).run();
}

} // namespace ridge::gpu::simt
