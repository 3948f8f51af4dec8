// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/timing/resident_warps.h"

namespace ridge::gpu::simt {

ResidentWarps::ResidentWarps(const SmSetup& setup, std::uint32_t sm)
    : m_lastOp(static_cast<std::uint32_t>(setup.kernel->ops.size() - 1)), m_log(setup, sm),
      m_notesAll(setup.watchSms != 0)
{
    const auto cores = static_cast<std::uint32_t>(setup.chip->subCores);
    const std::uint32_t slots = (static_cast<std::uint32_t>(setup.chip->maxWarps) + cores - 1) / cores;
    m_cores.resize(cores);
    m_slots.resize(std::size_t{cores} * slots);
    for (std::uint32_t at = 0; at < cores; ++at) {
        m_cores[at].first = at * slots;
        m_cores[at].end = (at + 1) * slots;
        m_cores[at].queue.assign(static_cast<std::size_t>(setup.chip->memoryQueue), 0);
        m_cores[at].codeLines.assign(
            std::max<std::size_t>(static_cast<std::size_t>(setup.chip->l0Instructions) / kCodeLine, 1), kNoLine);
    }
}

const WarpSlot* ResidentWarps::firstActive() const
{
    const auto found = std::find_if(m_slots.begin(), m_slots.end(), [](const WarpSlot& warp) { return warp.active; });
    return found == m_slots.end() ? nullptr : &*found;
}

void ResidentWarps::chargeCycles(WarpSlot& warp)
{
    const std::uint64_t cycles = m_now - warp.since;
    const auto reason = static_cast<std::size_t>(warp.reason);
    m_sums.tally.stalls[reason] += cycles;
    const std::uint32_t op = opOf(warp);
    m_ops[op].stalls[reason] += cycles;
    // Not being chosen and waiting a fixed time follow from what was issued.
    const bool follows = warp.reason == Stall::NotSelected || warp.reason == Stall::Wait;
    if (m_log.isOn() && (!follows || m_notesAll))
        note(TimingEvent::Kind::Stall, slotOf(warp), op,
             static_cast<std::uint32_t>(reason) << 24 |
                 static_cast<std::uint32_t>(std::min<std::uint64_t>(cycles, 0xffffff)));
    warp.since = m_now;
}

void ResidentWarps::wake(WarpSlot& warp)
{
    if (warp.readyAt <= m_now)
        return;
    wakeAt(warp, warp.readyAt == kNever ? m_now : warp.readyAt);
}

void ResidentWarps::wakeAt(WarpSlot& warp, std::uint64_t cycle)
{
    warp.readyAt = cycle;
    const std::uint32_t slot = slotOf(warp);
    for (SubCore& core : m_cores) {
        if (core.has(slot))
            core.nextReady = std::min(core.nextReady, cycle);
    }
}

void ResidentWarps::settle()
{
    for (WarpSlot& warp : m_slots) {
        if (warp.active)
            charge(warp, warp.reason);
    }
}

} // namespace ridge::gpu::simt
