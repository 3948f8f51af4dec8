// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/timing/timeline.h"

#include <algorithm>

namespace ridge::gpu::simt {

namespace {

constexpr std::uint64_t kFirstWidth = 4 * kEpoch;
constexpr std::size_t kMostBytes = std::size_t{64} << 20;

std::array<std::uint64_t, Timeline::kCounters> countersOf(const SmTally& tally)
{
    const TimingCounters& c = tally.counters;
    const auto stall = [&](Stall kind) { return tally.stalls[static_cast<std::size_t>(kind)]; };
    std::uint64_t resident = 0;
    for (const std::uint64_t cycles : tally.stalls)
        resident += cycles;
    return {c.instIssued,
            resident,
            stall(Stall::LongScoreboard),
            stall(Stall::ShortScoreboard),
            stall(Stall::Barrier),
            stall(Stall::MioThrottle),
            stall(Stall::LgThrottle),
            stall(Stall::MathPipeThrottle),
            stall(Stall::Wait),
            stall(Stall::NotSelected),
            stall(Stall::NoInstruction) + stall(Stall::BranchResolving),
            c.l1SectorHits,
            c.l1SectorMisses,
            c.l1TagWavefronts,
            c.l1DataWavefronts,
            c.sharedWavefronts};
}

} // namespace

TimelineRecorder::TimelineRecorder(std::uint32_t sms, bool fine)
    : m_before(sms), m_boundary(fine ? kEpoch : kFirstWidth)
{
    m_timeline.bucketCycles = m_boundary;
    m_timeline.sms = sms;
    m_timeline.names = {"inst_issued",
                        "warp_cycles",
                        "long_scoreboard",
                        "short_scoreboard",
                        "barrier",
                        "mio_throttle",
                        "lg_throttle",
                        "math_pipe_throttle",
                        "wait",
                        "not_selected",
                        "no_instruction",
                        "l1_sector_hits",
                        "l1_sector_misses",
                        "l1_tag",
                        "l1_data_wavefronts",
                        "shared_wavefronts"};
    const std::size_t bucketBytes = std::size_t{sms} * Timeline::kCounters * sizeof(std::uint32_t);
    m_most = std::max<std::size_t>(kMostBytes / bucketBytes, 2);
}

void TimelineRecorder::add(std::uint32_t sm, const SmTally& tally)
{
    const std::size_t stride = std::size_t{m_timeline.sms} * Timeline::kCounters;
    m_timeline.values.resize((m_bucket + 1) * stride, 0);
    const auto now = countersOf(tally);
    for (std::size_t at = 0; at < Timeline::kCounters; ++at)
        m_timeline.values[m_bucket * stride + sm * Timeline::kCounters + at] +=
            static_cast<std::uint32_t>(now[at] - m_before[sm][at]);
    m_before[sm] = now;
}

void TimelineRecorder::closeBucket()
{
    const std::size_t stride = std::size_t{m_timeline.sms} * Timeline::kCounters;
    m_timeline.values.resize((m_bucket + 1) * stride, 0);
    ++m_bucket;
    if (m_bucket >= m_most) {
        for (std::size_t bucket = 0; bucket < m_bucket; ++bucket) {
            for (std::size_t at = 0; at < stride; ++at) {
                const std::uint32_t value = m_timeline.values[bucket * stride + at];
                std::uint32_t& to = m_timeline.values[bucket / 2 * stride + at];
                to = bucket % 2 == 0 ? value : to + value;
            }
        }
        m_timeline.bucketCycles *= 2;
        m_bucket /= 2; // an odd one at the end stays open
        m_timeline.values.resize((m_bucket + 1) * stride, 0);
        if (m_most % 2 == 0)
            std::fill(m_timeline.values.begin() + static_cast<std::ptrdiff_t>(m_bucket * stride),
                      m_timeline.values.end(), 0);
    }
    m_boundary = (m_bucket + 1) * m_timeline.bucketCycles;
}

} // namespace ridge::gpu::simt
