// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/drawing/charts/min_max_pyramid.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ridge::app {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

void take(MinMax& into, float low, float high)
{
    into.low = std::min(into.low, low);
    into.high = std::max(into.high, high);
}

void take(MinMax& into, float sample)
{
    if (std::isfinite(sample))
        take(into, sample, sample);
}

} // namespace

void MinMaxPyramid::append(std::span<const float> samples)
{
    m_samples.insert(m_samples.end(), samples.begin(), samples.end());
    if (m_levels.empty())
        m_levels.emplace_back();
    for (std::size_t done = m_levels[0].size(); (done + 1) * kBase <= m_samples.size(); ++done) {
        MinMax block{kInfinity, -kInfinity, 0, 0};
        for (std::size_t i = done * kBase; i < (done + 1) * kBase; ++i)
            take(block, m_samples[i]);
        m_levels[0].push_back({block.low, block.high});
    }
    for (std::size_t level = 0; m_levels[level].size() >= kFactor; ++level) {
        if (level + 1 == m_levels.size())
            m_levels.emplace_back();
        auto& below = m_levels[level];
        auto& above = m_levels[level + 1];
        for (std::size_t done = above.size(); (done + 1) * kFactor <= below.size(); ++done) {
            MinMax block{kInfinity, -kInfinity, 0, 0};
            for (std::size_t i = done * kFactor; i < (done + 1) * kFactor; ++i)
                take(block, below[i].low, below[i].high);
            above.push_back({block.low, block.high});
        }
    }
}

/// Climbs while whole blocks fit, and down again at the end: a few blocks a level.
MinMax MinMaxPyramid::extremes(std::size_t first, std::size_t last) const
{
    MinMax found{kInfinity, -kInfinity, first, last - first};
    for (std::size_t at = first; at < last;) {
        std::size_t length = 1, level = 0, block = kBase;
        bool whole = false;
        while (level < m_levels.size() && at % block == 0 && at + block <= last &&
               at / block < m_levels[level].size()) {
            whole = true;
            length = block;
            block *= kFactor;
            ++level;
        }
        if (whole) {
            const Block& b = m_levels[level - 1][at / length];
            take(found, b.low, b.high);
        } else {
            take(found, m_samples[at]);
        }
        at += length;
    }
    return found;
}

MinMax MinMaxPyramid::all() const
{
    return extremes(0, m_samples.size());
}

std::vector<MinMax> MinMaxPyramid::parts(std::size_t first, std::size_t last, std::size_t columns) const
{
    last = std::min(last, m_samples.size());
    std::vector<MinMax> found;
    if (first >= last || columns == 0)
        return found;
    const std::size_t count = last - first;
    const std::size_t n = std::min(count, columns);
    found.reserve(n);
    for (std::size_t i = 0; i < n; ++i)
        found.push_back(extremes(first + count * i / n, first + count * (i + 1) / n));
    return found;
}

} // namespace ridge::app
