// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/newest_with.h"
#include "base/step_trace.h"

namespace ridge {

/// How many calls deep every lane is at every step. Lanes that run together may be at different depths: in a recursive
/// function they come to the same instruction from different activations.
class StepCalls {
public:
    /// The trace must outlive it.
    explicit StepCalls(const StepTrace& trace);

    /// Depth of the lanes of a warp, apart from calls that were inlined around the instruction at hand.
    using Depths = std::array<std::uint32_t, 32>;
    /// Before the step `at`, which is one of `warp` or of another.
    Depths before(std::size_t at, std::uint16_t warp) const;
    /// Makes of the depths before a step those after it.
    void take(std::size_t at, Depths& depths) const;
    /// Calls around the step `at` in one of its lanes; 0: it stands in the kernel itself.
    std::uint32_t depth(std::size_t at, std::uint32_t lane) const;

private:
    std::uint32_t after(std::size_t event, std::uint32_t lane) const;

    static constexpr std::uint32_t kMixed = 1u << 31;
    const StepTrace* m_trace;
    std::vector<std::uint32_t> m_steps;  ///< those that call or return
    std::vector<std::uint32_t> m_depths; ///< after each of them: of all its lanes; or kMixed and an index of m_mixed
    std::vector<std::array<std::uint16_t, 32>> m_mixed;
    NewestWith m_ofWarp; ///< places in m_steps, with their lanes
};

} // namespace ridge
