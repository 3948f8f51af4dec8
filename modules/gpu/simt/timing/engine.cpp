// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/timing/engine.h"

#include "base/number_text.h"

#include <algorithm>

namespace ridge::gpu::simt {

namespace {

constexpr std::size_t kFewRequests = 256; ///< that one thread serves sooner than a team meets

} // namespace

TimingEngine::TimingEngine(LaunchState& state, const LaunchShape& shape, const MachineKernel& machine,
                           const ChipTiming& chip, const TimingOptions& options, LaunchControl& control)
    : m_state(state), m_shape(shape), m_chip(chip), m_options(options), m_control(control),
      m_kernel(timeKernel(*state.image, machine, chip)),
      m_occupancy(
          residency(chip, {static_cast<std::uint32_t>(shape.block.count()), machine.registers, shape.sharedBytes})),
      m_map(chip), m_team(simulationThreads(options.threads, static_cast<unsigned>(chip.sms))),
      m_timeline(static_cast<std::uint32_t>(chip.sms), options.watchSms != 0), m_endCluster(shape.clusters())
{
    const auto sms = static_cast<std::uint32_t>(chip.sms);
    m_setup.chip = &m_chip;
    m_setup.kernel = &m_kernel;
    m_setup.phases = &m_phases;
    m_setup.l1Bytes = m_occupancy.l1Bytes;
    m_setup.firstEvent = options.firstEventCycle;
    m_setup.endEvent = options.endEventCycle;
    m_setup.watchSms = std::min(options.watchSms, sms);
    m_setup.eventCapacity = options.eventCapacity / (m_setup.watchSms != 0 ? m_setup.watchSms : sms);
    m_team.run([&](unsigned worker) { // their caches are megabytes to clear
        if (worker == 0) {
            for (std::uint32_t sm = 0; sm < sms; ++sm)
                m_sms.emplace_back(m_setup, sm);
        }
        if (worker + 1 == m_team.workers()) {
            for (std::uint32_t group = 0; group < m_map.groups(); ++group)
                m_groups.emplace_back(chip, group, m_map.groups());
        }
    });
    m_tallies.assign(m_team.workers(), std::vector<OpTally>(m_kernel.ops.size()));
    m_halted.assign(sms, 0);
    m_lastWrite.assign(m_team.workers(), 0);
    m_nextReply.assign(m_team.workers(), kNever);
    m_routed.assign(m_team.workers(), std::vector<std::vector<Routed>>(m_map.groups()));
    m_answers.assign(m_team.workers(), std::vector<std::vector<L2Reply>>(sms));
    m_overlaps = shape.cluster.count() == 1 &&
                 std::none_of(m_kernel.ops.begin(), m_kernel.ops.end(),
                              [](const TimedOp& op) { return op.kind == OpKind::Phase || op.kind == OpKind::Bulk; });
    m_parts = m_overlaps && state.check == nullptr && state.steps == nullptr && canRunAside(*state.image);
    m_shape.smCount = sms;
    m_residentTotal = std::uint64_t{m_occupancy.blocksPerSm} * sms;
    m_shape.residentBlocks = m_residentTotal;
}

/// A block that no SM can hold, and the largest one that it could.
Error TimingEngine::tooLarge() const
{
    const auto threads = static_cast<std::uint32_t>(m_shape.block.count());
    BlockNeeds needs{threads, m_occupancy.registersPerThread, m_shape.sharedBytes};
    for (needs.threads = threads / 32 * 32; needs.threads > 0; needs.threads -= 32)
        if (residency(m_chip, needs).blocksPerSm > 0)
            break;
    std::string fix = "Use less shared memory.";
    if (needs.threads > 0)
        fix = "Use at most " + std::to_string(needs.threads) + " threads per block, or __launch_bounds__(" +
              std::to_string(threads) + "), so that the compiler keeps the kernel to fewer registers a thread.";
    return {"bad-launch",
            "a block of " + std::to_string(threads) + " threads with " + std::to_string(needs.registersPerThread) +
                " registers and " + std::to_string(m_occupancy.sharedBytesPerBlock) +
                " bytes of shared memory does not fit an SM: " + m_occupancy.limiter,
            "launch of " + m_state.image->name, std::move(fix)};
}

/// Whether SMs can hold what must live at the same time.
Result<void> TimingEngine::fits() const
{
    if (m_occupancy.blocksPerSm == 0)
        return tooLarge();
    const std::uint64_t room = std::uint64_t{largestGpc(m_chip)} * m_occupancy.blocksPerSm;
    if (m_shape.cluster.count() > room)
        return Error{"bad-launch",
                     "a cluster of " + std::to_string(m_shape.cluster.count()) +
                         " blocks can never be resident: the SMs of a GPC hold " + std::to_string(room) +
                         " blocks of this kernel, which has " + std::to_string(m_occupancy.registersPerThread) +
                         " registers a thread (" + m_occupancy.limiter + ")",
                     "launch of " + m_state.image->name, "Use smaller clusters or smaller blocks."};
    return {};
}

void TimingEngine::watchTurns(std::uint32_t branch)
{
    const KernelImage& image = *m_state.image;
    m_setup.turns = {branch + 1, image.blocks[image.places[branch].block].target};
}

Result<TimingReport> TimingEngine::runPart(std::uint64_t clusters)
{
    if (auto fit = fits(); !fit)
        return fit.error();
    m_isPart = true;
    m_options.budget = 0;
    m_endCluster = std::min(clusters, m_shape.clusters());
    m_state.phases = &m_phases;
    const auto done = simulate();
    m_state.phases = nullptr;
    if (!done)
        return done.error();
    return report({}, 0);
}

Result<TimingReport> TimingEngine::runWaves(IsEnough isEnough)
{
    m_isEnough = std::move(isEnough);
    m_nextLook = m_residentTotal;
    return runPart(m_shape.clusters());
}

/// Whether no more waves are needed. What is left out are whole waves, so that the last blocks end as those of the
/// whole grid do.
void TimingEngine::lookAtWaves()
{
    if (!m_isEnough || m_endCluster < m_shape.clusters() || m_completions.size() < m_nextLook)
        return;
    m_nextLook = m_completions.size() + m_residentTotal / 2;
    if (!m_isEnough(m_completions, m_memorySamples, issued()))
        return;
    const std::uint64_t wave = std::max<std::uint64_t>(residentClusters(), 1);
    m_steadyEnds = m_completions.size();
    m_endCluster -= (m_endCluster - m_nextCluster) / wave * wave;
    m_isEnough = nullptr;
}

std::uint64_t TimingEngine::issued() const
{
    std::uint64_t issued = 0;
    for (const Sm& sm : m_sms)
        issued += sm.tally().counters.instIssued;
    return issued;
}

std::uint64_t TimingEngine::residentClusters() const
{
    const std::uint64_t blocks = m_shape.cluster.count();
    if (blocks == 1)
        return m_residentTotal;
    std::uint64_t clusters = 0;
    for (std::uint32_t gpc = 0; gpc < static_cast<std::uint32_t>(m_chip.gpcs); ++gpc) {
        const GpcRange range = gpcRange(m_chip, gpc);
        clusters += std::uint64_t{range.end - range.first} * m_occupancy.blocksPerSm / blocks;
    }
    return clusters;
}

Result<TimingReport> TimingEngine::run()
{
    if (auto fit = fits(); !fit)
        return fit.error();
    m_state.phases = &m_phases;
    const auto done = simulate();
    m_state.phases = nullptr;
    if (!done)
        return done.error();
    const std::uint64_t timed = m_state.counters.instExecuted;
    if (m_endCluster < m_shape.clusters() && m_options.timeOnly) { // as many each as those before (launch_part.h)
        const auto blocks = static_cast<double>((m_shape.clusters() - m_endCluster) * m_shape.cluster.count());
        return report(steadyState(m_completions, m_residentTotal), blocks * static_cast<double>(m_mostExecuted));
    }
    if (m_endCluster < m_shape.clusters()) {
        if (auto rest = runBlocks(m_state, m_shape, m_control, m_endCluster); !rest)
            return rest.error();
    }
    return report(steadyState(m_completions, m_residentTotal),
                  static_cast<double>(m_state.counters.instExecuted - timed));
}

/// Registers and memory of the blocks that are resident first, on all threads: for a short launch that is a good part
/// of the work.
Result<void> TimingEngine::prepareBlocks()
{
    const std::uint64_t blocks = m_shape.clusters() * m_shape.cluster.count();
    m_spare.resize(static_cast<std::size_t>(std::min(blocks, m_residentTotal)));
    const auto make = [this] { return std::make_unique<BlockRun>(m_state, m_shape, m_control); };
    m_spare.front() = make(); // sizes what all of them share
    std::vector<Result<void>> done(m_team.workers());
    m_team.run([&](unsigned worker) {
        for (std::size_t at = worker; at < m_spare.size() && done[worker]; at += m_team.workers()) {
            if (!m_spare[at])
                m_spare[at] = make();
            done[worker] = m_spare[at]->prepare();
        }
    });
    for (const Result<void>& one : done) {
        if (!one)
            return one;
    }
    std::uint32_t number = 0;
    for (auto run = m_spare.rbegin(); run != m_spare.rend(); ++run)
        (*run)->record(number++); // the last is the first to be taken
    return {};
}

Result<void> TimingEngine::simulate()
{
    if (auto prepared = prepareBlocks(); !prepared)
        return prepared;
    if (m_parts)
        prepareAsides();
    while (true) {
        if (auto serial = serialPhase(); !serial)
            return serial;
        if (m_nextCluster == m_endCluster &&
            std::none_of(m_sms.begin(), m_sms.end(), [](const Sm& sm) { return sm.busy(); }))
            break;
        if (!runSms())
            return *m_control.error;
        memoryPhase();
        if (m_epochEnd >= m_timeline.nextBoundary())
            drawTimeline();
        const std::uint64_t next = nextEvent();
        const bool stuck =
            std::any_of(m_sms.begin(), m_sms.end(), [](const Sm& sm) { return sm.busy(); }) &&
            std::none_of(m_sms.begin(), m_sms.end(), [](const Sm& sm) { return sm.wanting() || sm.hasFinished(); });
        if (next == kNever && stuck)
            return stuckError();
        const std::uint64_t skipTo = std::min(next, m_timeline.nextBoundary() - 1) / kEpoch * kEpoch;
        const bool idle = std::none_of(m_sms.begin(), m_sms.end(), [](const Sm& sm) { return sm.wanting(); });
        m_epochEnd = (idle ? std::max(m_epochEnd, skipTo) : m_epochEnd) + kEpoch;
    }
    drain();
    drawTimeline();
    m_team.run([this](unsigned worker) { // hundreds of blocks with their streams
        for (std::size_t at = worker; at < m_spare.size(); at += m_team.workers())
            m_spare[at].reset();
    });
    return {};
}

/// Stores and atomics that still wait in an SM when its last warp has ended: the launch is over when they have arrived.
void TimingEngine::drain()
{
    for (std::size_t at = 0; at < m_sms.size(); ++at) {
        for (const L2Request& request : m_sms[at].requests())
            m_routed[0][m_map.groupOf(request.line)].push_back({request, static_cast<std::uint32_t>(at)});
        m_sms[at].requests().clear();
    }
    memoryPhase();
}

MemorySample TimingEngine::memorySample() const
{
    MemorySample sample;
    sample.executed = m_executedToEnd;
    for (const MemoryGroup& group : m_groups) {
        const L2Counters& l2 = group.counters();
        sample.dramBytes += l2.readBytes + l2.writeBytes;
        sample.dramReadBytes += l2.readBytes;
        sample.heldBytes += l2.heldBytes;
        sample.freshLines += l2.freshLines;
    }
    return sample;
}

/// Between epochs, on one thread and in a fixed order: blocks end and start, warps get instructions.
Result<void> TimingEngine::serialPhase()
{
    const std::uint64_t cycle = m_epochEnd - kEpoch;
    std::vector<std::uint64_t> ended;
    for (Sm& sm : m_sms) {
        for (FinishedBlock& finished : sm.takeFinished()) {
            ended.push_back(finished.cycle);
            const std::uint64_t executed = finished.run->executed();
            m_executedToEnd += executed;
            m_leastExecuted = std::min(m_leastExecuted, executed);
            m_mostExecuted = std::max(m_mostExecuted, executed);
            m_spare.push_back(std::move(finished.run));
        }
    }
    std::sort(ended.begin(), ended.end());
    m_completions.insert(m_completions.end(), ended.begin(), ended.end());
    if (!ended.empty())
        m_memorySamples.resize(m_completions.size(), memorySample());
    if (!poll())
        return *m_control.error;
    if (m_options.budget != 0 && m_endCluster == m_shape.clusters() && m_completions.size() >= 2 * m_residentTotal) {
        if (issued() >= m_options.budget)
            m_endCluster = m_nextCluster;
    }
    lookAtWaves();
    for (Sm& sm : m_sms)
        sm.standAt(cycle);
    dispatch();
    if (m_overlaps)
        return {}; // runSms() does the rest
    if (!refillSms())
        return *m_control.error;
    if (clusterStuck())
        return *m_control.error;
    deliverSignals();
    for (Sm& sm : m_sms)
        sm.recheckPhases();
    return {};
}

void TimingEngine::startBlock(std::uint32_t sm, std::uint64_t block, const std::shared_ptr<Cluster>& cluster,
                              std::uint32_t rank)
{
    std::unique_ptr<BlockRun> run = std::move(m_spare.back());
    m_spare.pop_back();
    if (cluster)
        run->start(block, cluster, rank);
    else
        run->start(block);
    m_sms[sm].startBlock(std::move(run), m_epochEnd - kEpoch);
}

/// One block for each SM with room, breadth first, until no SM has room or no block is left.
void TimingEngine::dispatch()
{
    if (m_shape.cluster.count() > 1)
        return dispatchClusters();
    std::uint32_t without = 0;
    while (m_nextCluster < m_endCluster && without < m_sms.size()) {
        const std::uint32_t sm = m_nextSm;
        m_nextSm = (m_nextSm + 1) % static_cast<std::uint32_t>(m_sms.size());
        if (!m_sms[sm].hasRoom(m_occupancy.warpsPerBlock, m_occupancy.blocksPerSm)) {
            ++without;
            continue;
        }
        without = 0;
        startBlock(sm, m_nextCluster++, nullptr, 0);
    }
}

/// A cluster goes to one GPC, all its blocks at once, each to the SM there that has the fewest.
void TimingEngine::dispatchClusters()
{
    const auto gpcs = static_cast<std::uint32_t>(m_chip.gpcs);
    const auto blocks = static_cast<std::uint32_t>(m_shape.cluster.count());
    std::uint32_t without = 0;
    while (m_nextCluster < m_endCluster && without < gpcs) {
        const GpcRange range = gpcRange(m_chip, m_nextGpc);
        m_nextGpc = (m_nextGpc + 1) % gpcs;
        std::uint32_t room = 0;
        for (std::uint32_t sm = range.first; sm < range.end; ++sm)
            room += m_sms[sm].room(m_occupancy.warpsPerBlock, m_occupancy.blocksPerSm);
        if (room < blocks) {
            ++without;
            continue;
        }
        without = 0;
        const auto cluster = std::make_shared<Cluster>(m_state, m_shape.cluster);
        for (std::uint32_t rank = 0; rank < blocks; ++rank) {
            std::uint32_t chosen = kNoLine;
            for (std::uint32_t sm = range.first; sm < range.end; ++sm) {
                if (m_sms[sm].hasRoom(m_occupancy.warpsPerBlock, m_occupancy.blocksPerSm) &&
                    (chosen == kNoLine || m_sms[sm].liveBlocks() < m_sms[chosen].liveBlocks()))
                    chosen = sm;
            }
            const std::uint64_t block = blockOfCluster(m_shape, m_nextCluster, rank);
            m_smOf[block] = chosen;
            startBlock(chosen, block, cluster, rank);
        }
        ++m_nextCluster;
    }
}

/// Signals between SMs, in the order of SMs: to the block that has the barrier, or to all of the cluster.
void TimingEngine::deliverSignals()
{
    for (Sm& from : m_sms) {
        for (const PhaseSignal& signal : from.takeSignals()) {
            const PhaseBook::Phase& phase = m_phases.phases[signal.phase];
            if (m_shape.cluster.count() == 1) {
                for (Sm& to : m_sms)
                    to.receiveSignal(phase.home, signal);
                continue;
            }
            for (std::uint32_t rank = 0; rank < m_shape.cluster.count(); ++rank) {
                const std::uint64_t block = blockOfCluster(m_shape, clusterOfBlock(m_shape, phase.home), rank);
                if (phase.ofCluster || block == phase.home)
                    m_sms[m_smOf.at(block)].receiveSignal(block, signal);
            }
        }
    }
}

/// A cluster none of whose blocks can run on: LaunchControl::error says why.
bool TimingEngine::clusterStuck()
{
    if (m_shape.cluster.count() == 1)
        return false;
    std::map<const Cluster*, std::vector<const BlockRun*>> waiting;
    for (const Sm& sm : m_sms) {
        for (const BlockRun* block : sm.stuckBlocks())
            waiting[&block->cluster()].push_back(block);
    }
    for (auto& [cluster, blocks] : waiting) {
        std::uint32_t living = 0;
        bool anyCan = false; // one that was let go since its turn
        for (std::uint32_t rank = 0; rank < cluster->size(); ++rank) {
            living += cluster->hasExited(rank) ? 0 : 1;
            for (const Warp& warp : cluster->warps(rank))
                anyCan = anyCan || std::any_of(warp.splits.begin(), warp.splits.end(),
                                               [](const Split& split) { return split.state == Split::State::Ready; });
        }
        if (blocks.size() < living || anyCan)
            continue;
        m_control.error = clusterDeadlock(blocks);
        return true;
    }
    return false;
}

void TimingEngine::memoryPhase()
{
    std::fill(m_nextReply.begin(), m_nextReply.end(), kNever);
    std::size_t total = 0;
    for (const auto& byGroup : m_routed) {
        for (const auto& requests : byGroup)
            total += requests.size();
    }
    if (total == 0)
        return;
    if (total > kFewRequests) {
        m_team.run([this](unsigned worker) { serveGroups(worker); });
        return;
    }
    for (unsigned worker = 0; worker < m_team.workers(); ++worker)
        serveGroups(worker);
}

/// The requests of every group in the order of cycle, SM and order, whoever gathered them.
void TimingEngine::serveGroups(unsigned worker)
{
    const unsigned workers = m_team.workers();
    const auto partitions = static_cast<std::uint32_t>(m_chip.l2Partitions);
    const auto gpcs = static_cast<std::uint32_t>(m_chip.gpcs);
    const auto sms = static_cast<std::uint32_t>(m_sms.size());
    std::vector<Routed> all;
    std::uint64_t nextReply = kNever, lastWrite = m_lastWrite[worker]; // threads' own lie in one line of the cache
    for (std::size_t group = worker; group < m_groups.size(); group += workers) {
        all.clear();
        for (auto& byGroup : m_routed) {
            all.insert(all.end(), byGroup[group].begin(), byGroup[group].end());
            byGroup[group].clear();
        }
        std::sort(all.begin(), all.end(), [](const Routed& a, const Routed& b) {
            if (a.request.cycle != b.request.cycle)
                return a.request.cycle < b.request.cycle;
            return a.sm != b.sm ? a.sm < b.sm : a.request.order < b.request.order;
        });
        for (std::size_t at = 0; at < all.size(); ++at) {
            constexpr std::size_t kAhead = 6;
            if (at + kAhead < all.size()) {
                const Routed& later = all[at + kAhead];
                m_groups[group].prefetch(later.request.line, later.sm * partitions / sms, later.sm * gpcs / sms);
            }
            const Routed& one = all[at];
            const std::uint32_t partition = one.sm * partitions / sms;
            L2Reply reply;
            reply.cycle = m_groups[group].serve(one.request, partition, one.sm * gpcs / sms);
            reply.order = one.request.order;
            reply.transaction = one.request.transaction;
            reply.l1Line = one.request.l1Line;
            reply.sectors = one.request.sectors;
            reply.kind = one.request.kind;
            if (one.request.kind != L2Request::Kind::Read)
                lastWrite = std::max(lastWrite, reply.cycle);
            nextReply = std::min(nextReply, reply.cycle);
            m_answers[worker][one.sm].push_back(reply);
        }
    }
    m_nextReply[worker] = nextReply;
    m_lastWrite[worker] = lastWrite;
}

std::uint64_t TimingEngine::nextEvent() const
{
    std::uint64_t next = kNever;
    for (const Sm& sm : m_sms) {
        if (m_nextCluster < m_endCluster)
            next = std::min(next, sm.nextPlace());
        if (sm.busy())
            next = std::min(next, sm.nextEvent());
        for (const PhaseSignal& signal : sm.waitingSignals())
            next = std::min(next, signal.cycle);
        if (!sm.waitingRequests().empty())
            next = std::min(next, sm.waitingRequests().front().cycle);
    }
    for (const std::uint64_t reply : m_nextReply)
        next = std::min(next, reply);
    return next;
}

/// One warp that is still there.
std::string TimingEngine::someWarp() const
{
    std::string who;
    for (const Sm& sm : m_sms)
        who = who.empty() ? sm.describeWaiting() : who;
    return who;
}

Error TimingEngine::stuckError() const
{
    return {"no-progress", "nothing can happen any more in '" + m_state.image->name + "': " + someWarp(),
            "kernel " + m_state.image->name,
            "This is a fault of the timing model: run functionally, and report the kernel."};
}

bool TimingEngine::poll()
{
    if (m_control.stop && m_control.stop()) {
        m_control.error = Error{"cancelled", "the launch of '" + m_state.image->name + "' was cancelled", {}, {}};
        return false;
    }
    const std::uint64_t reached = m_epochEnd - kEpoch, most = m_state.options.mostCycles;
    const auto end = [&](std::string code, const std::string& why, std::string fix) {
        for (const Sm& sm : m_sms)
            if (!m_state.stop)
                m_state.stop = sm.waitingSite();
        m_control.error = Error{
            std::move(code),
            "the simulation of '" + m_state.image->name + "' " + why + "; still running there: " + someWarp(),
            "kernel " + m_state.image->name, "Look for a loop whose condition never becomes false; " + std::move(fix)};
        return goesOn(m_state, m_control);
    };
    if (most != 0 && reached > most)
        return end("cycle-limit", "passed the " + std::to_string(most) + " cycles that it may take",
                   "to go on beyond this place, allow more cycles.");
    if (!m_control.timeIsUp())
        return true;
    return end("time-limit",
               "took longer than " + shortText(m_control.seconds) + " s and had reached cycle " +
                   std::to_string(reached),
               "else use a smaller problem, a smaller timing budget, or functional execution.");
}

void TimingEngine::drawTimeline()
{
    for (std::uint32_t sm = 0; sm < m_sms.size(); ++sm) {
        m_sms[sm].countInto(m_tallies.front());
        m_sms[sm].settle();
        m_timeline.add(sm, m_sms[sm].tally());
    }
    m_timeline.closeBucket();
}

} // namespace ridge::gpu::simt
