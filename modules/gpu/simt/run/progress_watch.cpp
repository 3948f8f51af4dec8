// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/run/progress_watch.h"

#include "gpu/simt/run/misc_ops.h"

#include <algorithm>
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

void ProgressWatch::startBlock()
{
    const KernelImage* const image = m_image;
    std::vector<bool> timed = std::move(m_timed);
    *this = {};
    m_image = image;
    m_timed = std::move(timed);
}

std::vector<bool> timedWords(const KernelImage& image)
{
    std::vector<std::uint32_t> found;
    const auto has = [&](std::uint32_t plane) { return std::find(found.begin(), found.end(), plane) != found.end(); };
    for (const MicroOp& op : image.ops)
        if (op.run == findMiscOp(MiscOp::Clock) && !has(op.d))
            found.push_back(op.d);
    if (found.empty())
        return {};
    for (std::size_t before = 0; before != found.size();) {
        before = found.size();
        for (const auto& uses : image.statements) {
            const bool follows = std::any_of(uses.begin(), uses.end(), [&](const PlaneUse& use) {
                return use.role != PlaneUse::Role::Destination && has(use.plane);
            });
            for (const PlaneUse& use : uses)
                if (follows && use.role == PlaneUse::Role::Destination && !has(use.plane))
                    found.push_back(use.plane);
        }
    }
    std::vector<bool> timed(image.registerBytes / sizeof(std::uint64_t) + 1);
    for (const NamedRegister& named : image.registers) {
        if (!has(named.plane))
            continue;
        const std::uint32_t bytes = named.bytes == 0 ? 4 : named.bytes * kWarpSize;
        for (std::uint32_t at = named.plane; at < named.plane + bytes; at += sizeof(std::uint64_t))
            timed[at / sizeof(std::uint64_t)] = true;
    }
    return timed;
}

std::uint64_t ProgressWatch::hashOf(const std::vector<Warp>& warps, std::uint32_t registerBytes,
                                    const std::vector<bool>& leftOut)
{
    std::uint64_t hash = 1;
    for (const Warp& warp : warps) {
        for (const Split& split : warp.splits) {
            hash = mix(hash, std::uint64_t{split.pc} << 32 | split.mask);
            hash = mix(hash, std::uint64_t{split.spins} << 32 | static_cast<std::uint64_t>(split.state) << 8 |
                                 (split.yielded ? 1u : 0u));
        }
        for (std::uint32_t at = 0; at < registerBytes; at += sizeof(std::uint64_t)) {
            if (!leftOut.empty() && leftOut[at / sizeof(std::uint64_t)])
                continue;
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
        m_since = state.counters.instExecuted;
        m_looks = looksOf(state);
        return false;
    }
    if (++m_quiet <= kPatience)
        return false;
    if (m_image != state.image) {
        m_image = state.image;
        m_timed = timedWords(*state.image);
    }
    if (!m_timed.empty() && m_quiet % kTimedRounds != 0)
        return false;
    const std::uint64_t hash = hashOf(warps, state.image->registerBytes);
    if (m_power != 0 && hash == m_hash)
        return true;
    const std::uint64_t calm = m_timed.empty() ? hash : hashOf(warps, state.image->registerBytes, m_timed);
    if (m_power != 0 && calm == m_calmHash && state.counters.instExecuted - m_since > kLongWait &&
        looksOf(state) != m_looks)
        return true;
    if (m_power == 0 || m_quiet >= 2 * m_power) {
        m_power = m_quiet;
        m_hash = hash;
        m_calmHash = calm;
        m_globalLooks = looks(state);
    }
    return false;
}

} // namespace ridge::gpu::simt
