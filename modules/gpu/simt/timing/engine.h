// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/run/executor.h"
#include "gpu/simt/run/thread_team.h"
#include "gpu/simt/timing/aside_memory.h"
#include "gpu/simt/timing/extrapolate.h"
#include "gpu/simt/timing/residency.h"
#include "gpu/simt/timing/sm.h"
#include "gpu/simt/timing/timeline.h"

#include <functional>

namespace ridge::gpu::simt {

/// Runs one launch on the model of a chip: blocks go to SMs in order, SMs run epochs of 64 cycles side by side, memory
/// answers between epochs. Same bits, cycles and events for any number of host threads.
class TimingEngine {
public:
    TimingEngine(LaunchState& state, const LaunchShape& shape, const MachineKernel& machine, const ChipTiming& chip,
                 const TimingOptions& options, LaunchControl& control);

    /// Runs every block, functionally at least. Errors: those of Executor::run, "bad-launch" where a block does not
    /// fit an SM with its registers.
    Result<TimingReport> run();
    /// Runs the first `clusters` of the launch and no others. The report is that of a launch of so many.
    Result<TimingReport> runPart(std::uint64_t clusters);

    /// Whether the blocks that have ended say enough: cycles of their ends, what memory had done by then, and machine
    /// instructions issued so far.
    using IsEnough =
        std::function<bool(const std::vector<std::uint64_t>&, const std::vector<MemorySample>&, std::uint64_t)>;
    /// Runs the launch until that is so, and then what is left but for whole waves. The report as runPart()'s.
    Result<TimingReport> runWaves(IsEnough isEnough);
    std::uint64_t residentClusters() const; ///< a wave
    /// As far as other blocks were still waiting to begin, where runWaves() has left some out.
    std::vector<std::uint64_t> completions() const { return {m_completions.begin(), steadyEnd(m_completions)}; }
    std::vector<MemorySample> memorySamples() const { return {m_memorySamples.begin(), steadyEnd(m_memorySamples)}; }

    /// Before a run: when warps go back by the branch at micro-op `branch` is noted for each SM (Sm::turnTally).
    void watchTurns(std::uint32_t branch);
    const Sms& sms() const { return m_sms; }

    MemorySample memorySample() const;
    /// Of the blocks that have ended: warp instructions of the one with the fewest, and with the most.
    std::pair<std::uint64_t, std::uint64_t> executedByBlocks() const { return {m_leastExecuted, m_mostExecuted}; }

private:
    struct Routed {
        L2Request request;
        std::uint32_t sm = 0;
    };

    void lookAtWaves();
    std::uint64_t issued() const;
    template<typename T>
    typename std::vector<T>::const_iterator steadyEnd(const std::vector<T>& all) const
    {
        return all.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(m_steadyEnds, all.size()));
    }

    Error tooLarge() const;
    Result<void> simulate();
    Result<void> prepareBlocks();
    void dispatch();
    void dispatchClusters();
    void startBlock(std::uint32_t sm, std::uint64_t block, const std::shared_ptr<Cluster>& cluster, std::uint32_t rank);
    void deliverSignals();
    bool clusterStuck();
    Result<void> serialPhase();
    void prepareAsides();
    void refillAside(unsigned worker);
    bool takeOver(std::size_t sm);
    bool waitsForOrder(std::size_t sm) const;
    bool refillSms();
    bool runSms();
    void smPhase(unsigned worker, bool onlyHalted);
    void drain();
    void memoryPhase();
    void serveGroups(unsigned worker);
    std::uint64_t nextEvent() const;
    std::string someWarp() const;
    Error stuckError() const;
    bool poll();
    void drawTimeline();
    Result<void> fits() const;
    TimingReport report(const Steady& steady, double restExecuted) const;

    LaunchState& m_state;
    LaunchShape m_shape;
    const ChipTiming& m_chip;
    TimingOptions m_options;
    LaunchControl& m_control;
    TimedKernel m_kernel;
    PhaseBook m_phases;
    OccupancyTiming m_occupancy;
    SmSetup m_setup;
    Sms m_sms;
    std::vector<std::vector<OpTally>> m_tallies; ///< by worker: of each machine instruction
    MemoryMap m_map;
    std::vector<MemoryGroup> m_groups;
    ThreadTeam m_team;
    TimelineRecorder m_timeline;
    std::vector<std::uint8_t> m_halted;                       ///< SMs that stopped for a clock
    std::vector<std::vector<std::vector<Routed>>> m_routed;   ///< [worker][group]
    std::vector<std::vector<std::vector<L2Reply>>> m_answers; ///< [worker that served][SM]
    bool m_overlaps = false;                                  ///< SMs run while later ones still get their instructions
    bool m_parts = false;                                     ///< first without stores, side by side, then in order
    bool m_fills = false;                                     ///< in this epoch
    std::vector<Aside> m_asides;                              ///< by SM, where refills have two parts
    Claims m_unfilled;                                        ///< SMs that nobody runs aside yet
    Milestone m_ranAside;                                     ///< SMs that have run aside
    Milestone m_refilled;                                     ///< SMs that have all
    Claims m_unclaimed;                                       ///< SMs that nobody runs yet in this phase
    std::vector<std::uint64_t> m_nextReply;                   ///< by worker: the soonest of its m_answers
    std::vector<std::uint64_t> m_lastWrite;                   ///< by worker: when the last store or atomic was done
    std::vector<std::unique_ptr<BlockRun>> m_spare;           ///< as many in all as blocks are ever resident
    std::vector<std::uint64_t> m_completions;                 ///< cycles at which blocks ended
    std::vector<MemorySample> m_memorySamples;                ///< one for each of them
    std::uint64_t m_executedToEnd = 0;                        ///< warp instructions of all of them
    std::uint64_t m_leastExecuted = ~std::uint64_t{0}, m_mostExecuted = 0; ///< of one of them
    IsEnough m_isEnough;
    std::size_t m_nextLook = 0;                              ///< at how many blocks that have ended
    std::size_t m_steadyEnds = ~std::size_t{0};              ///< blocks that had ended when waves were left out
    bool m_isPart = false;                                   ///< nothing is said about blocks that are not run
    std::uint64_t m_nextCluster = 0;                         ///< clusters, mostly of one block
    std::uint64_t m_endCluster = 0;                          ///< those beyond are not simulated in time
    std::unordered_map<std::uint64_t, std::uint32_t> m_smOf; ///< of the blocks of clusters, while they live
    std::uint32_t m_nextGpc = 0;
    std::uint64_t m_epochEnd = kEpoch;
    std::uint32_t m_nextSm = 0;
    std::uint64_t m_residentTotal = 1;
};

} // namespace ridge::gpu::simt
