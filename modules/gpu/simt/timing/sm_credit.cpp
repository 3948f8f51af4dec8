// SPDX-License-Identifier: GPL-3.0-or-later
// How much an SM may have on the way to L2, and who waits until it may have more.
#include "gpu/simt/timing/sm.h"

namespace ridge::gpu::simt {

/// The sub-core's memory queue, and the bound on what the L1 has in flight.
bool Sm::queueIsFull(SubCore& core, WarpSlot& warp, const TimedOp& op)
{
    const Stall reason = isGlobalOp(op) ? Stall::LgThrottle : Stall::MioThrottle;
    if (const std::uint64_t oldest = core.queue[core.queueNext]; oldest > m_now)
        return !block(warp, reason, oldest);
    return isGlobalOp(op) && !hasCredit(op) && !block(warp, reason, kNever);
}

/// The last stores may wait in the queue; what came before them must be on its way, and not too much of it.
bool Sm::mayStore() const
{
    return m_storeLines < m_setup.chip->storeLines + m_queuedLines;
}

void Sm::queueStore(std::uint32_t lines)
{
    m_queuedLines += lines - m_lastStores[m_nextStore];
    m_lastStores[m_nextStore] = lines;
    m_nextStore = (m_nextStore + 1) % m_lastStores.size();
}

/// Whether L1 may have more in flight. Stores and atomics have a bound of their own: without it all that a kernel
/// stores would wait in the network, and its warps end long before an H200's do.
bool Sm::hasCredit(const TimedOp& op)
{
    const bool none = m_pendingLines >= m_setup.chip->pendingLines;
    const bool noneToStore = op.writesL2 && !mayStore();
    m_starved = m_starved || none;
    m_storesStarved = m_storesStarved || noneToStore;
    return !none && !noneToStore;
}

/// Those that waited for credit look again where there is some.
void Sm::wakeStarved()
{
    const bool more = m_starved && m_pendingLines < m_setup.chip->pendingLines;
    const bool moreToStore = m_storesStarved && mayStore();
    if (more || moreToStore) {
        m_starved = m_starved && !more;
        m_storesStarved = m_storesStarved && !moreToStore;
        for (WarpSlot& warp : m_slots) {
            if (warp.active && warp.reason == Stall::LgThrottle)
                wake(warp);
        }
    }
}

} // namespace ridge::gpu::simt
