// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/run/wave.h"

#include "gpu/simt/run/aside.h"

#include <algorithm>

namespace ridge::gpu::simt {

namespace {

constexpr unsigned kMostThreads = 16; ///< each takes address space, which a worker has a limit of
constexpr std::size_t kFirstBlocks = 32;
constexpr std::size_t kMostBlocks = 256;
/// Warp instructions of a wave, some ms of one thread: beside less the meetings of threads would be felt.
constexpr std::uint64_t kWork = 200'000;
constexpr std::size_t kLogBytes = 16u << 20;  ///< of all blocks of a wave
constexpr std::int64_t kPollEvery = 20'000;   ///< micro-ops between looks at whether the launch is to be ended
constexpr std::int64_t kFirstMicroOps = 4096; ///< of a block, before it is known what a launch has to do

} // namespace

bool Wave::suits(const LaunchState& state, const LaunchShape& shape)
{
    const KernelImage& image = *state.image;
    return shape.grid.count() > 1 && shape.cluster.count() == 1 && !shape.choices.backwards && state.check == nullptr &&
           state.steps == nullptr && state.options.mostInstructions == 0 && image.functions.empty() &&
           image.allocaBytes == 0 && canRunAside(image);
}

Wave::Wave(LaunchState& state, const LaunchShape& shape, LaunchControl& control, SpareRuns& spare)
    : m_state(state), m_shape(shape), m_control(control), m_spare(spare),
      m_threads(simulationThreads(state.options.timingOptions.threads, kMostThreads)), m_size(kFirstBlocks)
{
    m_workers.resize(m_threads);
    for (Worker& worker : m_workers)
        worker.state = stateAside(state);
}

bool Wave::pays()
{
    if (m_count != 0) {
        m_pays = 2 * m_ahead >= m_state.counters.instExecuted - m_before;
        if (m_ahead < kWork && m_size < kMostBlocks && m_logged < kLogBytes)
            m_size *= 2;
        m_count = m_taken = 0;
    }
    const LaunchOptions& options = m_state.options;
    const bool keepsFirst = m_state.trace.size() < options.traceRequests && !options.traceBlock;
    return m_pays && !keepsFirst;
}

Result<void> Wave::run(std::uint64_t& next)
{
    m_ended = false; // whoever was asked may have wanted more time
    const std::uint64_t left = m_shape.clusters() - next;
    m_count = static_cast<std::size_t>(std::min<std::uint64_t>(m_size, left));
    m_parts.resize(std::max(m_parts.size(), m_count));
    for (std::size_t at = 0; at < m_count; ++at) {
        m_parts[at].block = next++;
        m_parts[at].standing = Standing::Runs;
    }
    for (Worker& worker : m_workers)
        worker.state.options.traceRequests = m_state.options.traceRequests - m_state.trace.size();
    m_before = m_state.counters.instExecuted;
    std::int64_t budget = std::exchange(m_isFirst, false) ? kFirstMicroOps : kMostAside;
    while (count(Standing::Runs) != 0) {
        runSlice(budget, left - m_count);
        if (m_hasNoRoom)
            return m_spare.take().error();
        if (count(Standing::Runs) + count(Standing::Full) != 0)
            settle();
        // Blocks behind one that never ends would run for nothing.
        const auto end = m_parts.begin() + static_cast<std::ptrdiff_t>(m_count);
        const auto open =
            std::find_if(m_parts.begin(), end, [](const Part& part) { return part.standing != Standing::Ended; });
        if (m_ended || (open != end && open->standing == Standing::Stuck)) {
            std::for_each(m_parts.begin(), end, [](Part& part) {
                part.standing = part.standing == Standing::Runs ? Standing::InOrder : part.standing;
            });
        }
        budget = std::min(budget * 8, kMostAside);
    }
    m_ahead = 0;
    m_logged = 0;
    for (std::size_t at = 0; at < m_count; ++at) {
        m_ahead += m_parts[at].counters.instExecuted;
        m_logged += m_parts[at].log.bytes();
    }
    if (count(Standing::Ended) == m_count && allApart()) { // then it does not matter who stores first
        shareOut([](unsigned, Part& part) { part.log.commit(); });
    }
    return {};
}

/// Whether the blocks' stores lie in stretches of memory that do not overlap.
bool Wave::allApart() const
{
    std::vector<std::pair<std::uint64_t, std::uint64_t>> stretches;
    for (std::size_t at = 0; at < m_count; ++at) {
        const StoreLog& log = m_parts[at].log;
        if (!log.empty())
            stretches.emplace_back(log.least(), log.end());
    }
    std::sort(stretches.begin(), stretches.end());
    return std::adjacent_find(stretches.begin(), stretches.end(), [](const auto& one, const auto& next) {
               return next.first < one.second;
           }) == stretches.end();
}

std::size_t Wave::count(Standing standing) const
{
    const auto end = m_parts.begin() + static_cast<std::ptrdiff_t>(m_count);
    return static_cast<std::size_t>(
        std::count_if(m_parts.begin(), end, [standing](const Part& part) { return part.standing == standing; }));
}

/// Every block that runs gets `budget` micro-ops. `left`: blocks that are still to come after this wave.
void Wave::runSlice(std::int64_t budget, std::uint64_t left)
{
    const std::uint64_t toCome = m_ahead / m_count * (left + m_count);
    const std::uint64_t here = budget > kFirstMicroOps ? count(Standing::Runs) * static_cast<std::uint64_t>(budget) : 0;
    const bool isMuch = std::max(toCome, here) >= kWork || m_state.options.timingOptions.threads != 0;
    if (!m_team && m_threads > 1 && isMuch)
        m_team.emplace(m_threads);
    shareOut([&](unsigned worker, Part& part) { work(worker, part, budget); });
}

/// Every part of the wave, on all threads where there are several; neighbours in groups, whose memory is near.
void Wave::shareOut(const std::function<void(unsigned, Part&)>& work)
{
    const std::size_t group = std::max<std::size_t>(m_count / kFirstBlocks, 1);
    m_unclaimed.reset((m_count + group - 1) / group);
    const auto claim = [&](unsigned worker) {
        for (std::size_t at = 0; m_unclaimed.claim(false, at);) {
            const std::size_t end = std::min((at + 1) * group, m_count);
            for (std::size_t part = at * group; part < end; ++part)
                work(worker, m_parts[part]);
        }
    };
    if (m_team)
        m_team->run(claim);
    else
        claim(0);
}

void Wave::work(unsigned number, Part& part, std::int64_t budget)
{
    if (m_ended || m_hasNoRoom || part.standing != Standing::Runs)
        return;
    Worker& worker = m_workers[number];
    if (!part.run && !begin(worker, part))
        return;
    part.standing = advance(worker, part, budget);
    worker.untilPoll -= budget - worker.control.untilPoll;
    if (number != 0 || worker.untilPoll > 0)
        return;
    worker.untilPoll = kPollEvery;
    if ((m_control.stop && m_control.stop()) || m_control.timeIsUp())
        m_ended = true;
}

/// False: this computer has no room for its registers.
bool Wave::begin(Worker& worker, Part& part)
{
    if (!worker.kept) {
        auto made = m_spare.take();
        m_hasNoRoom = m_hasNoRoom || !made;
        if (!made)
            return false;
        worker.kept = std::move(*made);
    }
    part.run = std::move(worker.kept);
    BlockRun& block = *part.run->blocks().front();
    block.bindTo(worker.state, worker.control);
    part.run->start(part.block);
    part.watch.startBlock();
    return true;
}

Wave::Standing Wave::advance(Worker& worker, Part& part, std::int64_t budget)
{
    LaunchState& state = worker.state;
    BlockRun& block = *part.run->blocks().front();
    block.bindTo(state, worker.control);
    state.log = &part.log;
    std::swap(state.counters, part.counters);
    std::swap(state.trace, part.trace);
    worker.control.untilPoll = budget;
    const auto run = [&] {
        while (true) {
            state.changed = false;
            switch (block.round()) {
            case BlockRun::Round::Finished:
                return Standing::Ended;
            case BlockRun::Round::Failed:
                return Standing::Failed;
            case BlockRun::Round::InOrder:
                if (part.log.full())
                    return Standing::Full;
                return worker.control.untilPoll < 0 ? Standing::Runs : Standing::InOrder;
            case BlockRun::Round::Blocked:
                return Standing::InOrder;
            case BlockRun::Round::Spun: // at barriers: looks at what others may write wait for the order
            case BlockRun::Round::Progress:
                if (part.watch.isStuck(block.warps(), state))
                    return Standing::Stuck;
            }
        }
    };
    const Standing standing = run();
    std::swap(state.counters, part.counters);
    std::swap(state.trace, part.trace);
    if (standing == Standing::Failed) {
        part.error = std::exchange(worker.control.error, {});
        part.stop = std::exchange(state.stop, {});
    }
    if (standing == Standing::Ended)
        worker.kept = std::move(part.run);
    return standing;
}

/// Some blocks have a long way to go, or have stored as much as is kept: what the wave has stored so far takes effect.
/// So one that waits, in a loop of plain loads, for what an earlier one stores comes to see it.
void Wave::settle()
{
    for (std::size_t at = 0; at < m_count; ++at) {
        Part& part = m_parts[at];
        part.log.commit();
        part.standing = part.standing == Standing::Full ? Standing::Runs : part.standing;
    }
}

Result<std::unique_ptr<ClusterRun>> Wave::take()
{
    Part& part = m_parts[m_taken++];
    part.log.commit();
    takeOver(m_state, part.counters, part.trace);
    if (part.standing == Standing::Failed) {
        m_state.stop = std::exchange(part.stop, {});
        m_control.error = std::exchange(part.error, {});
        return *m_control.error;
    }
    if (part.standing == Standing::Ended)
        return std::unique_ptr<ClusterRun>{};
    if (!part.run) { // the launch was to be ended before it began
        auto made = m_spare.take();
        if (!made)
            return made.error();
        part.run = std::move(*made);
        part.run->start(part.block);
    }
    part.run->blocks().front()->bindTo(m_state, m_control);
    return std::move(part.run);
}

} // namespace ridge::gpu::simt
