// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/run/executor.h"

namespace ridge::gpu::simt {

namespace {

constexpr int kPatientRounds = 64; ///< in which every warp of a block waits while memory still changes
/// Turns of all living blocks in which nothing changed in memory, before their states are compared.
constexpr int kIdleRounds = 64;
/// Turns without a change in memory after which one more block starts although somebody may still be computing.
constexpr int kQuietRounds = 64;

} // namespace

Executor::Executor(LaunchState& state, const LaunchShape& shape, LaunchControl& control, std::uint64_t first)
    : m_state(state), m_shape(shape), m_control(control), m_spare(state, shape, control), m_next(first)
{
}

Result<void> runBlocks(LaunchState& state, const LaunchShape& shape, LaunchControl& control, std::uint64_t first)
{
    return Executor(state, shape, control, first).run();
}

/// The next cluster in order, at its start or where it has run to ahead of its turn; null: it has ended there.
Result<std::unique_ptr<ClusterRun>> Executor::takeNext(bool& ranAhead)
{
    ranAhead = m_wave && !m_wave->empty();
    if (ranAhead)
        return m_wave->take();
    auto made = m_spare.take();
    if (made)
        (*made)->start(placed(m_next++));
    return made;
}

/// The cluster that starts as the `next`th. Backwards only among those that are resident together: to wait for one
/// with a lower number, which has started long ago, is legal.
std::uint64_t Executor::placed(std::uint64_t next) const
{
    if (!m_shape.choices.backwards)
        return next;
    const std::uint64_t together = std::max<std::uint64_t>(m_shape.residentBlocks / m_shape.cluster.count(), 1);
    const std::uint64_t first = next - next % together;
    return first + std::min(first + together, m_shape.clusters()) - 1 - next;
}

Result<void> Executor::run()
{
    if (Wave::suits(m_state, m_shape)) {
        m_spare.clearAtStart(readUnwritten(*m_state.image));
        auto first = m_spare.take(); // sizes what all of them share
        if (!first)
            return first.error();
        m_spare.give(std::move(*first));
        m_wave.emplace(m_state, m_shape, m_control, m_spare);
    }
    while (anyLeft()) {
        if (m_wave && m_wave->empty() && m_wave->pays()) {
            if (auto ahead = m_wave->run(m_next); !ahead)
                return ahead;
        }
        bool ranAhead = false;
        auto next = takeNext(ranAhead);
        if (!next)
            return next.error();
        if (!*next)
            continue;
        if (auto ended = runToEnd(std::move(*next), ranAhead); !ended)
            return ended;
    }
    return {};
}

Result<void> Executor::runToEnd(std::unique_ptr<ClusterRun> run, bool ranAhead)
{
    m_watch.startBlock();
    int patience = kPatientRounds;
    while (true) {
        m_state.changed = false;
        const BlockRun::Round round = run->round();
        m_state.changed = std::exchange(ranAhead, false) || m_state.changed; // a part of the round lies before it
        if (round == BlockRun::Round::Failed)
            return *m_control.error;
        if (round == BlockRun::Round::Finished) {
            m_spare.give(std::move(run));
            return {};
        }
        const BlockRun* alone = run->alone();
        const bool stuck =
            round == BlockRun::Round::Progress && alone != nullptr && m_watch.isStuck(alone->warps(), m_state);
        if (stuck && (m_shape.clusters() == 1 || !m_watch.looksAtGlobal(m_state)))
            return alone->endlessError();
        patience = round == BlockRun::Round::Spun ? patience - 1 : kPatientRounds;
        if (stuck || (round == BlockRun::Round::Spun && (!m_state.changed || patience == 0)))
            return runTogether(std::move(run));
    }
}

/// A cluster waits for another: from here on all living ones take turns, and one more starts whenever they all wait.
Result<void> Executor::runTogether(std::unique_ptr<ClusterRun> first)
{
    std::vector<std::unique_ptr<ClusterRun>> alive;
    alive.push_back(std::move(first));
    int idle = 0, quiet = 0;
    while (!alive.empty()) {
        bool waiting = true;
        m_state.changed = false;
        for (std::size_t at = 0; at < alive.size();) {
            const BlockRun::Round round = alive[at]->round();
            if (round == BlockRun::Round::Failed)
                return *m_control.error;
            waiting = waiting && round == BlockRun::Round::Spun;
            if (round == BlockRun::Round::Finished) {
                m_spare.give(std::move(alive[at]));
                alive.erase(alive.begin() + static_cast<std::ptrdiff_t>(at));
            } else {
                ++at;
            }
        }
        idle = waiting && !m_state.changed ? idle + 1 : 0;
        quiet = m_state.changed ? 0 : quiet + 1;
        if (idle == 0) {
            m_idleSince = m_state.counters.instExecuted;
            m_looks = looksOf(m_state);
            m_tests = m_state.barrierTests;
        }
        if ((waiting || quiet > kQuietRounds) && anyLeft() &&
            alive.size() < std::max<std::uint64_t>(m_shape.residentBlocks / m_shape.cluster.count(), 1)) {
            bool ranAhead = false;
            auto next = takeNext(ranAhead);
            if (!next)
                return next.error();
            if (*next)
                alive.push_back(std::move(*next));
            idle = quiet = 0;
        }
        if (idle > kIdleRounds && cameBack(alive, idle))
            return stuckError(alive);
    }
    return {};
}

/// Whether all that live have the registers and positions that they had some turns ago (Brent's algorithm): only then
/// is it proven that they wait for ever. A loop that counts how often it has looked goes on. Where clocks are read, see
/// ProgressWatch.
bool Executor::cameBack(const std::vector<std::unique_ptr<ClusterRun>>& alive, int idle)
{
    if (!m_timed)
        m_timed = timedWords(*m_state.image);
    if (!m_timed->empty() && static_cast<std::uint64_t>(idle) % kTimedRounds != 0)
        return false;
    std::uint64_t states = 0, calm = 0;
    for (const auto& cluster : alive) {
        for (const auto& block : cluster->blocks()) {
            const std::uint32_t bytes = m_state.image->registerBytes;
            states = states * 31 + ProgressWatch::hashOf(block->warps(), bytes);
            if (!m_timed->empty())
                calm = calm * 31 + ProgressWatch::hashOf(block->warps(), bytes, *m_timed);
        }
    }
    const bool known = m_statesAt > 0 && m_statesAt < idle;
    if (known && states == m_states)
        return true;
    if (known && !m_timed->empty() && calm == m_calm && looksOf(m_state) != m_looks &&
        m_state.counters.instExecuted - m_idleSince > kLongWait)
        return true;
    if (!known || idle >= 2 * m_statesAt) {
        m_states = states;
        m_calm = calm;
        m_statesAt = idle;
    }
    return false;
}

Error Executor::stuckError(const std::vector<std::unique_ptr<ClusterRun>>& alive) const
{
    const BlockRun& living = alive.front()->living();
    m_state.stop = living.site();
    if (anyLeft())
        return {"never-resident",
                "block " +
                    std::to_string(m_wave && !m_wave->empty() ? m_wave->next()
                                                              : blockOfCluster(m_shape, placed(m_next), 0)) +
                    " can never start: the chip holds " + std::to_string(m_shape.residentBlocks) + " blocks of '" +
                    m_state.image->name + "' at a time, and all of them wait in loops that nothing ends, among them " +
                    living.name(),
                "launch of " + m_state.image->name,
                "A block may only wait for blocks that are resident: launch at most " +
                    std::to_string(m_shape.residentBlocks) +
                    " blocks, or let waiting follow the order of a ticket "
                    "that blocks draw when they start."};
    const std::string all = "all " + std::to_string(alive.size()) +
                            (m_shape.cluster.count() > 1 ? " clusters of '" : " blocks of '") + m_state.image->name +
                            "' that have not ended wait in loops that nothing ends, among them " + living.name();
    const std::string place = "launch of " + m_state.image->name;
    if (m_state.barrierTests == m_tests)
        return {"no-progress", all, place,
                "Look for a lock that is never released or a flag that is never set, and for a missing "
                "__threadfence()."};
    const BarrierLook& look = m_state.barrierLook;
    return {"no-progress",
            all + "; the mbarrier at offset " + std::to_string(look.offset) + " of shared memory misses " +
                std::to_string(look.arrivals) + (look.arrivals == 1 ? " arrival and " : " arrivals and ") +
                std::to_string(look.bytes) + " bytes",
            place,
            "Hold the count that the mbarrier was initialised with against the threads that arrive, and the bytes of "
            "expect_tx against those that the copies bring."};
}

} // namespace ridge::gpu::simt
