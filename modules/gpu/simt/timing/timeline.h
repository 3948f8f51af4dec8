// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/timing/sm_state.h"

namespace ridge::gpu::simt {

/// Gathers the always-on timeline: what each SM did in each bucket of cycles. Buckets widen by two when all of them
/// would exceed 64 MB.
class TimelineRecorder {
public:
    /// `fine`: buckets start as narrow as they can be, which costs a little time.
    explicit TimelineRecorder(std::uint32_t sms, bool fine = false);
    /// The next cycle at which add() must be called.
    std::uint64_t nextBoundary() const { return m_boundary; }
    /// What SM `sm` has summed up to nextBoundary().
    void add(std::uint32_t sm, const SmTally& tally);
    void closeBucket();
    const Timeline& timeline() const { return m_timeline; }

private:
    Timeline m_timeline;
    std::vector<std::array<std::uint64_t, Timeline::kCounters>> m_before;
    std::uint64_t m_boundary;
    std::size_t m_bucket = 0; ///< bucket of m_timeline that is open
    std::size_t m_most;
};

} // namespace ridge::gpu::simt
