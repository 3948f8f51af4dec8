// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/timing/memory_system.h"

#include <algorithm>
#include <bit>

namespace ridge::gpu::simt {

/// The port of an SM to L2, so many bytes wide each way: what it asks, in the order in which that leaves, and the
/// answers that are under way.
class L2Port {
public:
    explicit L2Port(const ChipTiming& chip)
        : m_sendWidth(static_cast<std::uint64_t>(chip.sendBytesPerCycle)),
          m_fillWidth(static_cast<std::uint64_t>(chip.fillBytesPerCycle))
    {
    }

    /// `bytes` go out from request.cycle on; gives when they are out.
    std::uint64_t send(L2Request request, std::uint32_t bytes)
    {
        const std::uint64_t start = std::max(request.cycle * m_sendWidth, m_sendFree);
        m_sendFree = start + bytes;
        request.bytes = static_cast<std::uint16_t>(bytes);
        request.cycle = (start + m_sendWidth - 1) / m_sendWidth;
        ask(request);
        return request.cycle;
    }
    /// A request at its own time.
    void ask(L2Request request)
    {
        request.order = m_order++;
        // The copy engine asks ahead of time: what others ask sooner goes in front.
        auto at = m_requests.end();
        while (at != m_requests.begin() && std::prev(at)->cycle > request.cycle)
            --at;
        m_requests.insert(at, request);
    }
    std::uint64_t sentAt() const { return m_sendFree / m_sendWidth; } ///< when all is out
    std::vector<L2Request>& requests() { return m_requests; }
    const std::vector<L2Request>& requests() const { return m_requests; }

    void deliver(const L2Reply& reply)
    {
        m_fresh.push_back(reply);
        m_nextReply = std::min(m_nextReply, reply.cycle);
    }
    std::uint64_t nextReply() const { return m_nextReply; }
    /// The earliest; there must be one.
    L2Reply takeReply()
    {
        if (!m_fresh.empty())
            sortIn();
        const L2Reply reply = m_inbox[m_taken++];
        m_nextReply = m_taken < m_inbox.size() ? m_inbox[m_taken].cycle : kNoReply;
        return reply;
    }
    /// When the data of a reply are in.
    std::uint64_t receive(const L2Reply& reply)
    {
        const std::uint64_t done = reply.cycle + 1;
        if (reply.kind != L2Request::Kind::Read)
            return done;
        m_fillFree = std::max(reply.cycle * m_fillWidth, m_fillFree) +
                     static_cast<std::uint64_t>(std::popcount(reply.sectors)) * kSectorBytes;
        return std::max(done, (m_fillFree + m_fillWidth - 1) / m_fillWidth);
    }

private:
    static constexpr std::uint64_t kNoReply = ~std::uint64_t{0};
    static bool isSooner(const L2Reply& a, const L2Reply& b)
    {
        return a.cycle != b.cycle ? a.cycle < b.cycle : a.order < b.order;
    }

    /// Replies come many at a time, most of them for later than those that are there.
    void sortIn()
    {
        std::sort(m_fresh.begin(), m_fresh.end(), isSooner);
        m_inbox.erase(m_inbox.begin(), m_inbox.begin() + static_cast<std::ptrdiff_t>(m_taken));
        m_taken = 0;
        std::size_t before = m_inbox.size();
        m_inbox.resize(before + m_fresh.size());
        for (std::size_t at = m_inbox.size(); !m_fresh.empty();) {
            const bool isFresh = before == 0 || isSooner(m_inbox[before - 1], m_fresh.back());
            m_inbox[--at] = isFresh ? m_fresh.back() : m_inbox[--before];
            if (isFresh)
                m_fresh.pop_back();
        }
    }

    std::uint64_t m_sendWidth;
    std::uint64_t m_fillWidth;
    std::uint64_t m_sendFree = 0; ///< in bytes
    std::uint64_t m_fillFree = 0; ///< in bytes
    std::uint32_t m_order = 0;
    std::vector<L2Request> m_requests;
    std::vector<L2Reply> m_inbox; ///< earliest first, of which so many are taken
    std::size_t m_taken = 0;
    std::vector<L2Reply> m_fresh; ///< not sorted in yet
    std::uint64_t m_nextReply = kNoReply;
};

/// The port to the shared memory of other SMs of a cluster, there and back.
class ClusterPort {
public:
    explicit ClusterPort(const ChipTiming& chip)
        : m_width(static_cast<std::uint64_t>(chip.clusterBytesPerCycle)),
          m_cycles(static_cast<std::uint64_t>(chip.clusterCycles))
    {
    }

    /// When the data of an access that the pipe takes at `accepted` are back.
    std::uint64_t access(std::uint64_t bytes, std::uint64_t accepted)
    {
        m_free = std::max((accepted + 1) * m_width, m_free) + bytes;
        return m_free / m_width + m_cycles;
    }

private:
    std::uint64_t m_width;
    std::uint64_t m_cycles;
    std::uint64_t m_free = 0; ///< in bytes
};

} // namespace ridge::gpu::simt
