// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/flow.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <queue>

namespace ridge::cluster {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

/// Who waits for whom, the other way round.
struct Waiting {
    std::vector<std::uint32_t> first, next, left; ///< left: how many each still waits for

    explicit Waiting(const Transfers& t) : first(t.size() + 1, 0), left(t.size())
    {
        for (std::size_t i = 0; i < t.size(); ++i)
            left[i] = t.firstAfter[i + 1] - t.firstAfter[i];
        for (const auto before : t.after)
            ++first[before + 1];
        for (std::size_t i = 1; i < first.size(); ++i)
            first[i] += first[i - 1];
        next.resize(t.after.size());
        auto place = first;
        for (std::uint32_t i = 0; i < t.size(); ++i)
            for (auto a = t.firstAfter[i]; a < t.firstAfter[i + 1]; ++a)
                next[place[t.after[a]]++] = i;
    }
};

struct Event {
    double at;
    std::uint32_t transfer;
    bool operator>(const Event& other) const { return at != other.at ? at > other.at : transfer > other.transfer; }
};
using Events = std::priority_queue<Event, std::vector<Event>, std::greater<>>;

Error circle()
{
    return Error{"bad-transfers", "transfers wait for each other in a circle", "transfers",
                 "let each wait for earlier ones alone"};
}

/// Progressive filling over arrays that are kept from call to call.
class Filling {
public:
    Filling(const Topology& topology, const Transfers& transfers)
        : m_topology(topology), m_transfers(transfers), m_left(topology.links.size()),
          m_count(topology.links.size(), 0), m_first(topology.links.size() + 1, 0)
    {
    }
    void run(std::span<const std::uint32_t> active, std::vector<double>& rates)
    {
        std::vector<std::uint32_t>& used = m_used;
        used.clear();
        for (const auto i : active)
            for (auto l = m_transfers.firstLink[i]; l < m_transfers.firstLink[i + 1]; ++l)
                if (m_count[m_transfers.links[l]]++ == 0)
                    used.push_back(m_transfers.links[l]);
        std::uint32_t sum = 0;
        for (const auto link : used) {
            m_left[link] = m_topology.links[link].rate;
            m_first[link] = sum;
            sum += m_count[link];
        }
        m_of.resize(sum);
        for (std::uint32_t k = 0; k < active.size(); ++k) {
            rates[k] = -1;
            const auto i = active[k];
            if (m_transfers.firstLink[i] == m_transfers.firstLink[i + 1])
                rates[k] = kNever;
            for (auto l = m_transfers.firstLink[i]; l < m_transfers.firstLink[i + 1]; ++l)
                m_of[m_first[m_transfers.links[l]]++] = k;
        }
        // m_first is now one past each link's list; its length is m_count before any of them is fixed.
        m_length.resize(used.size());
        m_heap.clear();
        for (std::uint32_t u = 0; u < used.size(); ++u) {
            m_length[u] = m_count[used[u]];
            m_heap.push_back({m_left[used[u]] / m_count[used[u]], u});
        }
        const auto later = [](const Share& a, const Share& b) { return a.rate > b.rate; };
        std::make_heap(m_heap.begin(), m_heap.end(), later);
        while (!m_heap.empty()) {
            std::pop_heap(m_heap.begin(), m_heap.end(), later);
            const Share share = m_heap.back();
            m_heap.pop_back();
            const auto link = used[share.link];
            if (m_count[link] == 0)
                continue;
            const double now = m_left[link] / m_count[link];
            if (now > share.rate * (1 + 1e-12)) { // it grew since: others of its transfers were fixed lower
                m_heap.push_back({now, share.link});
                std::push_heap(m_heap.begin(), m_heap.end(), later);
                continue;
            }
            for (auto e = m_first[link] - m_length[share.link]; e < m_first[link]; ++e) {
                const auto k = m_of[e];
                if (rates[k] >= 0)
                    continue;
                rates[k] = now;
                const auto i = active[k];
                for (auto l = m_transfers.firstLink[i]; l < m_transfers.firstLink[i + 1]; ++l) {
                    const auto other = m_transfers.links[l];
                    m_left[other] = std::max(0.0, m_left[other] - now);
                    --m_count[other];
                }
            }
        }
    }

private:
    struct Share {
        double rate;
        std::uint32_t link;
    };
    const Topology& m_topology;
    const Transfers& m_transfers;
    std::vector<double> m_left;
    std::vector<std::uint32_t> m_count, m_first, m_of, m_used, m_length;
    std::vector<Share> m_heap;
};

} // namespace

void Transfers::add(double size, double delaySeconds, std::span<const std::uint32_t> path,
                    std::span<const std::uint32_t> waitsFor)
{
    bytes.push_back(size);
    delay.push_back(delaySeconds);
    links.insert(links.end(), path.begin(), path.end());
    firstLink.push_back(static_cast<std::uint32_t>(links.size()));
    after.insert(after.end(), waitsFor.begin(), waitsFor.end());
    firstAfter.push_back(static_cast<std::uint32_t>(after.size()));
}

std::vector<double> maxMinRates(const Topology& topology, const Transfers& transfers,
                                std::span<const std::uint32_t> active)
{
    std::vector<double> rates(active.size());
    Filling(topology, transfers).run(active, rates);
    return rates;
}

Result<TransferTimes> simulateFlows(const Topology& topology, const Transfers& t, const FlowOptions& options)
{
    TransferTimes times;
    times.begin.assign(t.size(), 0);
    times.end.assign(t.size(), 0);
    times.carried.assign(topology.links.size(), 0);
    Waiting waiting(t);
    Events begins, arrivals;
    for (std::uint32_t i = 0; i < t.size(); ++i)
        if (waiting.left[i] == 0)
            begins.push({t.delay[i], i});
    std::vector<std::uint32_t> active;
    std::vector<double> left, rates; // of the active ones
    std::vector<double> latency(t.size(), 0), loads;
    for (std::uint32_t i = 0; i < t.size(); ++i)
        for (auto l = t.firstLink[i]; l < t.firstLink[i + 1]; ++l) {
            latency[i] += topology.links[t.links[l]].latency;
            times.carried[t.links[l]] += t.bytes[i];
        }
    Filling filling(topology, t);
    double now = 0;
    std::size_t arrived = 0;
    std::uint32_t rounds = 0;
    while (true) {
        double next = kNever;
        for (std::size_t k = 0; k < active.size(); ++k)
            next = std::min(next, now + left[k] / rates[k]);
        if (!begins.empty())
            next = std::min(next, begins.top().at);
        if (!arrivals.empty())
            next = std::min(next, arrivals.top().at);
        if (next == kNever)
            break;
        if (options.goOn && ++rounds % 64 == 0 && !options.goOn()) {
            times.stopped = true;
            return times;
        }
        // What happens within a billionth of now happens now: rounding does not make one event into many.
        const double until = next + std::max(next, 1e-9) * 1e-9;
        const double passed = next - now;
        bool changed = false;
        std::size_t kept = 0;
        for (std::size_t k = 0; k < active.size(); ++k) {
            const bool ends = now + left[k] / rates[k] <= until;
            const auto i = active[k];
            if (ends) {
                arrivals.push({next + latency[i], i});
                changed = true;
                continue;
            }
            left[kept] = std::max(0.0, left[k] - rates[k] * passed);
            rates[kept] = rates[k];
            active[kept++] = i;
        }
        active.resize(kept);
        left.resize(kept);
        rates.resize(kept);
        now = next;
        while (!arrivals.empty() && arrivals.top().at <= until) {
            const auto i = arrivals.top().transfer;
            times.end[i] = arrivals.top().at;
            times.seconds = std::max(times.seconds, times.end[i]);
            arrivals.pop();
            ++arrived;
            for (auto e = waiting.first[i]; e < waiting.first[i + 1]; ++e)
                if (const auto j = waiting.next[e]; --waiting.left[j] == 0)
                    begins.push({times.end[i] + t.delay[j], j});
        }
        while (!begins.empty() && begins.top().at <= until) {
            const auto i = begins.top().transfer;
            times.begin[i] = begins.top().at;
            begins.pop();
            if (t.bytes[i] <= 0 || t.firstLink[i] == t.firstLink[i + 1]) {
                arrivals.push({std::max(now, times.begin[i]) + latency[i], i});
                continue;
            }
            active.push_back(i);
            left.push_back(t.bytes[i]);
            rates.push_back(0);
            changed = true;
        }
        if (!changed)
            continue;
        filling.run(active, rates);
        if (options.loads) {
            loads.assign(topology.links.size(), 0);
            for (std::size_t k = 0; k < active.size(); ++k)
                for (auto l = t.firstLink[active[k]]; l < t.firstLink[active[k] + 1]; ++l)
                    loads[t.links[l]] += rates[k];
            options.loads(now, loads);
        }
    }
    if (arrived != t.size())
        return circle();
    return times;
}

namespace {

/// One event of the packet level: a packet arrives at the end of its hop-th link, or a link becomes free.
struct PacketEvent {
    double at;
    std::uint64_t order; ///< of events at the same time: as they were made
    std::uint32_t transfer, hop;
    double bytes;
    bool free; ///< `transfer` is the link
    bool operator>(const PacketEvent& other) const { return at != other.at ? at > other.at : order > other.order; }
};

struct Queued {
    std::uint32_t transfer, hop;
    double bytes;
    std::uint32_t count;
};

/// The packets that wait for a link: transfers in turns.
struct LinkQueue {
    std::deque<Queued> turns; ///< the next one first
    bool busy = false;
};

class PacketRun {
public:
    PacketRun(const Topology& topology, const Transfers& t, const PacketOptions& options)
        : m_topology(topology), m_t(t), m_options(options), m_waiting(t), m_queues(topology.links.size()),
          m_sent(t.size(), 0), m_arrived(t.size(), 0)
    {
        m_times.begin.assign(t.size(), 0);
        m_times.end.assign(t.size(), 0);
        m_times.carried.assign(topology.links.size(), 0);
    }
    Result<TransferTimes> run()
    {
        for (std::uint32_t i = 0; i < m_t.size(); ++i)
            if (m_waiting.left[i] == 0)
                begin(i, m_t.delay[i]);
        std::uint64_t rounds = 0;
        while (!m_events.empty()) {
            if (m_options.goOn && ++rounds % 4096 == 0 && !m_options.goOn()) {
                m_times.stopped = true;
                return m_times;
            }
            const PacketEvent event = m_events.top();
            m_events.pop();
            if (event.free)
                serve(event.transfer, event.at);
            else
                arrive(event);
        }
        return m_done == m_t.size() ? Result<TransferTimes>(std::move(m_times)) : Result<TransferTimes>(circle());
    }

private:
    /// So many that the path never runs dry, and some more that wait in queues.
    std::uint32_t windowOf(std::uint32_t i) const
    {
        double least = kNever, latency = 0;
        for (auto l = m_t.firstLink[i]; l < m_t.firstLink[i + 1]; ++l) {
            least = std::min(least, m_topology.links[m_t.links[l]].rate);
            latency += m_topology.links[m_t.links[l]].latency;
        }
        const double flying = std::min(1e6, std::ceil(least * latency / m_options.packet));
        return m_options.window + hops(i) + static_cast<std::uint32_t>(flying);
    }
    std::uint32_t hops(std::uint32_t i) const { return m_t.firstLink[i + 1] - m_t.firstLink[i]; }
    void begin(std::uint32_t i, double at)
    {
        m_times.begin[i] = at;
        // Hop 0 has no wire before it: the event says that the transfer may send.
        m_events.push({at, m_order++, i, 0, -1, false});
    }
    void send(std::uint32_t i, double at, std::uint32_t packets)
    {
        for (; packets > 0 && m_sent[i] < m_t.bytes[i]; --packets) {
            const double size = std::min(m_options.packet, m_t.bytes[i] - m_sent[i]);
            m_sent[i] += size;
            enqueue(i, 0, size, at);
        }
    }
    void enqueue(std::uint32_t i, std::uint32_t hop, double bytes, double at)
    {
        const auto link = m_t.links[m_t.firstLink[i] + hop];
        LinkQueue& queue = m_queues[link];
        bool found = false;
        for (Queued& each : queue.turns)
            if (each.transfer == i && each.hop == hop && each.bytes == bytes) {
                ++each.count;
                found = true;
                break;
            }
        if (!found)
            queue.turns.push_back({i, hop, bytes, 1});
        if (!queue.busy)
            serve(link, at);
    }
    void serve(std::uint32_t link, double at)
    {
        LinkQueue& queue = m_queues[link];
        queue.busy = !queue.turns.empty();
        if (!queue.busy)
            return;
        Queued turn = queue.turns.front();
        queue.turns.pop_front();
        const double end = at + turn.bytes / m_topology.links[link].rate;
        m_events.push({end, m_order++, link, 0, 0, true});
        m_events.push(
            {end + m_topology.links[link].latency, m_order++, turn.transfer, turn.hop + 1, turn.bytes, false});
        m_times.carried[link] += turn.bytes;
        if (--turn.count > 0)
            queue.turns.push_back(turn);
    }
    void arrive(const PacketEvent& event)
    {
        const auto i = event.transfer;
        if (event.bytes < 0) {
            if (hops(i) == 0 || m_t.bytes[i] <= 0) {
                double latency = 0;
                for (auto l = m_t.firstLink[i]; l < m_t.firstLink[i + 1]; ++l)
                    latency += m_topology.links[m_t.links[l]].latency;
                return finish(i, event.at + latency);
            }
            return send(i, event.at, windowOf(i));
        }
        if (event.hop < hops(i))
            return enqueue(i, event.hop, event.bytes, event.at);
        m_arrived[i] += event.bytes;
        if (m_arrived[i] >= m_t.bytes[i])
            return finish(i, event.at);
        send(i, event.at, 1);
    }
    void finish(std::uint32_t i, double at)
    {
        ++m_done;
        m_times.end[i] = at;
        m_times.seconds = std::max(m_times.seconds, at);
        for (auto e = m_waiting.first[i]; e < m_waiting.first[i + 1]; ++e)
            if (const auto j = m_waiting.next[e]; --m_waiting.left[j] == 0)
                begin(j, at + m_t.delay[j]);
    }

    const Topology& m_topology;
    const Transfers& m_t;
    const PacketOptions& m_options;
    Waiting m_waiting;
    std::vector<LinkQueue> m_queues;
    std::vector<double> m_sent, m_arrived;
    std::priority_queue<PacketEvent, std::vector<PacketEvent>, std::greater<>> m_events;
    std::uint64_t m_order = 0;
    std::size_t m_done = 0;
    TransferTimes m_times;
};

} // namespace

Result<TransferTimes> simulatePackets(const Topology& topology, const Transfers& transfers,
                                      const PacketOptions& options)
{
    double packets = 0;
    for (std::size_t i = 0; i < transfers.size(); ++i)
        packets +=
            std::ceil(transfers.bytes[i] / options.packet) * (transfers.firstLink[i + 1] - transfers.firstLink[i] + 1);
    if (!(packets <= static_cast<double>(options.most)))
        return Error{"too-many-packets", std::to_string(packets) + " packets times hops", "packet",
                     "take fewer bytes or ranks, larger packets, or the flow level"};
    return PacketRun(topology, transfers, options).run();
}

} // namespace ridge::cluster
