// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/drawing/scenes/scene.h"
#include "app/drawing/scenes/warp_state_look.h"
#include "base/launch_trace.h"

#include <span>

namespace ridge::app {

/// A launch trace with what makes any stretch of it answer at once, however long: running sums by state group, so that
/// a pixel column costs two look-ups whether it covers one cycle or a million. Payload of a SceneFrame.
class LaunchView {
public:
    explicit LaunchView(std::shared_ptr<const LaunchTrace> trace);

    const LaunchTrace& trace() const { return *m_trace; }
    double cycles() const { return m_cycles; } ///< of the time axis: what was simulated

    /// Cycles of a warp in [begin, end) by group; outside its life nothing.
    GroupCycles ofWarp(std::size_t track, double begin, double end) const;
    /// Adds a warp's cycles to `columns` stretches of equal length from `begin` on, in one walk over its states; what
    /// lies within a stretch that holds many of them is looked up.
    void addWarp(std::size_t track, double begin, double perColumn, std::span<GroupCycles> columns) const;
    /// Warp-cycles of an SM in [begin, end) by group; empty slots are Idle.
    GroupCycles ofSm(std::uint32_t sm, double begin, double end) const;
    /// Two stretches within one bucket of the timeline have the same shares.
    std::size_t bucketOf(double cycle) const;
    /// Warp-cycles of the whole launch by group.
    GroupCycles ofLaunch() const;

    /// Tracks of a warp slot, by begin; empty where the SM was not watched or the slot stayed empty.
    const std::vector<std::size_t>& tracksOf(std::uint32_t sm, std::uint32_t slot) const;
    /// One past the highest slot of the SM that held a warp.
    std::uint32_t slotsOf(std::uint32_t sm) const;
    /// When the block of a track ended, 0: not known.
    std::uint64_t blockEnd(std::size_t track) const { return m_blockEnd[track]; }
    /// The interval of a track that holds a cycle; −1 outside its life.
    std::ptrdiff_t intervalAt(std::size_t track, double cycle) const;
    StateGroup groupOfState(std::uint8_t state) const { return m_groups[state]; }

    /// What the watched warps issued of one source line (or PTX line), by lane and over time.
    struct LineUse {
        std::uint32_t sourceLine = 0, ptxLine = 0;
        QString text;
        std::uint64_t issues = 0;
        std::array<std::uint64_t, kWarpSize> lanes{};   ///< issues in which each lane took part
        std::vector<std::uint32_t> binIssues, binLanes; ///< kBins stretches of the time axis
        std::uint64_t lanesInAll() const;
        double idleShare() const; ///< of the lanes of its issues
    };
    static constexpr std::size_t kBins = 256;
    const std::vector<LineUse>& lines() const { return m_lines; } ///< those issued at least once, in the trace's order

private:
    void gatherLines();
    using Living = std::array<double, kLivingGroups>;
    Living sumTo(std::size_t track, double cycle) const;
    Living smSumTo(std::uint32_t sm, double cycle) const;

    std::shared_ptr<const LaunchTrace> m_trace;
    double m_cycles = 1;
    std::vector<StateGroup> m_groups;               ///< of each state
    std::vector<std::vector<Living>> m_checkpoints; ///< [track][interval / kStride]: sums before it
    std::vector<Living> m_buckets;                  ///< [sm][bucket]: sums before it, one bucket more than there are
    std::vector<std::uint64_t> m_blockEnd;          ///< of each track's block
    std::vector<LineUse> m_lines;
    std::map<std::uint64_t, std::vector<std::size_t>> m_slots; ///< by SM and slot
};

/// The view of a frame's launch; null: the frame has none.
const LaunchView* shownLaunch(const std::vector<SceneFrame>& frames, const SceneState& state);
/// What a scene over launches says where there is none: nothing has run yet, or the target keeps no such trace.
QString noLaunchText(const std::vector<SceneFrame>& frames, const SceneState& state);

} // namespace ridge::app
