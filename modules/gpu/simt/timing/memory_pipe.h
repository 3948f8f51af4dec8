// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/timing/chip_timing.h"

#include <algorithm>

namespace ridge::gpu::simt {

/// The memory pipe that the sub-cores of an SM share. Each of its stages takes one access after another; what a stage
/// is asked gives the cycle at which it is through.
class MemoryPipe {
public:
    explicit MemoryPipe(const ChipTiming& chip) : m_acceptCycles(static_cast<std::uint64_t>(chip.mioAcceptCycles)) {}

    /// When the pipe takes an instruction that issues at `now`, or later where it must wait for what it needs.
    std::uint64_t accept(std::uint64_t now, std::uint64_t notBefore)
    {
        const std::uint64_t at = std::max({now + kToPipe, m_free, notBefore});
        m_free = at + m_acceptCycles;
        return at;
    }
    std::uint64_t tags(std::uint64_t from, std::uint64_t cycles)
    {
        return m_tagFree = std::max(from, m_tagFree) + cycles;
    }
    std::uint64_t data(std::uint64_t from, std::uint64_t cycles)
    {
        return m_dataFree = std::max(from, m_dataFree) + cycles;
    }
    /// The data stage as far as shared memory has it.
    std::uint64_t banks(std::uint64_t from, std::uint64_t cycles) { return m_bankFree = data(from, cycles); }
    /// From when on the unit that compares the values of lanes is at work for `cycles`.
    std::uint64_t match(std::uint64_t from, std::uint64_t cycles)
    {
        const std::uint64_t start = std::max(from, m_matchFree);
        m_matchFree = start + cycles;
        return start;
    }
    std::uint64_t banksFree() const { return m_bankFree; }

private:
    static constexpr std::uint64_t kToPipe = 2; ///< cycles from issue

    std::uint64_t m_acceptCycles;
    std::uint64_t m_free = 0;
    std::uint64_t m_tagFree = 0;
    std::uint64_t m_dataFree = 0;
    std::uint64_t m_bankFree = 0;
    std::uint64_t m_matchFree = 0;
};

} // namespace ridge::gpu::simt
