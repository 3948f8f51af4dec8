// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/check/progress_watch.h"

#include <cstring>

namespace ridge::gpu::simt {

namespace {

constexpr std::uint64_t kPatience = 4; ///< quiet rounds before states are compared at all

std::uint64_t mix(std::uint64_t hash, std::uint64_t value)
{
    hash = (hash ^ value) * 0x9e3779b97f4a7c15ull;
    return hash ^ (hash >> 29);
}

} // namespace

std::uint64_t ProgressWatch::hashOf(const std::vector<Warp>& warps, std::uint32_t registerBytes)
{
    std::uint64_t hash = 1;
    for (const Warp& warp : warps) {
        for (const Split& split : warp.splits) {
            hash = mix(hash, std::uint64_t{split.pc} << 32 | split.mask);
            hash = mix(hash, std::uint64_t{split.spins} << 32 | static_cast<std::uint64_t>(split.state) << 8 |
                                 (split.yielded ? 1u : 0u));
        }
        for (std::uint32_t at = 0; at < registerBytes; at += sizeof(std::uint64_t)) {
            std::uint64_t word = 0;
            std::memcpy(&word, warp.file + at, sizeof word);
            hash = mix(hash, word);
        }
    }
    return hash;
}

bool ProgressWatch::isStuck(const std::vector<Warp>& warps, const LaunchState& state)
{
    std::uint64_t live = 0;
    for (const Warp& warp : warps)
        live += laneCount(warp.live);
    if (state.changed || state.counters.barriers != m_barriers || live != m_live) {
        m_barriers = state.counters.barriers;
        m_live = live;
        m_quiet = m_power = 0;
        return false;
    }
    if (++m_quiet <= kPatience)
        return false;
    const std::uint64_t hash = hashOf(warps, state.image->registerBytes);
    if (m_power != 0 && hash == m_hash)
        return true;
    if (m_power == 0 || m_quiet >= 2 * m_power) {
        m_power = m_quiet;
        m_hash = hash;
        m_globalLooks = looks(state);
    }
    return false;
}

} // namespace ridge::gpu::simt
