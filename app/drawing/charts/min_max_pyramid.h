// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace ridge::app {

/// Lowest and highest of a run of samples.
struct MinMax {
    float low = 0, high = 0; ///< low > high: only samples that are not numbers
    std::size_t first = 0, count = 0;
    bool any() const { return low <= high; }
};

/// Samples in the order in which they came, with the extremes of ever longer blocks kept up to date: appending costs
/// the same however much is there, and a picture reads at most two blocks a pixel column. NaN and infinities are kept
/// as gaps. Samples are floats: a trace of 10⁹ would not be drawn more finely in doubles.
class MinMaxPyramid {
public:
    void append(std::span<const float> samples);
    std::size_t size() const { return m_samples.size(); }
    float sample(std::size_t index) const { return m_samples[index]; }
    /// Extremes of everything.
    MinMax all() const;
    /// The samples [first, last) in at most `columns` consecutive parts of nearly equal length; single samples where
    /// there are no more than that. Exact: the extremes of a part are those of its samples.
    std::vector<MinMax> parts(std::size_t first, std::size_t last, std::size_t columns) const;

    static constexpr std::size_t kBase = 16;  ///< samples in a block of the first level
    static constexpr std::size_t kFactor = 4; ///< blocks of a level in one of the next

private:
    struct Block {
        float low, high;
    };
    MinMax extremes(std::size_t first, std::size_t last) const;

    std::vector<float> m_samples;
    std::vector<std::vector<Block>> m_levels; ///< complete blocks only
};

} // namespace ridge::app
