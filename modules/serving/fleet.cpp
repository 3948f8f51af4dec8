// SPDX-License-Identifier: GPL-3.0-or-later
#include "serving/fleet.h"

#include <algorithm>
#include <deque>
#include <queue>

namespace ridge::serving {
namespace {

Error bad(const std::string& message, const char* place, const std::string& fix)
{
    return {"bad-cluster", message, place, fix};
}

Result<void> check(const ClusterConfig& c, std::span<const Request> requests)
{
    const ReplicaConfig& r = c.replica;
    if (requests.empty())
        return bad("there is no request", "requests", "give at least one");
    if (c.replicas < 1 || c.replicas > 4096)
        return bad("there are " + std::to_string(c.replicas) + " replicas", "replicas", "take 1 to 4096");
    if (c.prefillReplicas > 0 && c.prefillReplicas >= c.replicas)
        return bad("all replicas do prompts and none the tokens after them", "prefill_replicas",
                   "take fewer than there are replicas");
    if (r.block < 1 || r.blocks < 1)
        return bad("the cache has no block", "blocks", "take at least one of at least one token");
    if (r.blocks > (std::uint64_t{1} << 40))
        return bad("the cache has more than 2^40 blocks", "blocks", "take fewer");
    if (r.maxBatch < 1 || r.chunk < 1)
        return bad("a step may have no request or no token", "max_batch", "take 1 or more");
    if (c.autoscaler.on != ScaleOn::Nothing && (c.prefillReplicas > 0 || !(c.autoscaler.every > 0)))
        return bad("the autoscaler cannot work so", "autoscale",
                   "take a scheduler other than disaggregated and a time above 0 between its looks");
    return {};
}

enum class EventKind : std::uint8_t { Arrival, Failure, Repair, Look, Started };
struct Event {
    double at;
    std::uint64_t order; ///< of those at the same time
    EventKind kind;
    std::uint32_t subject; ///< request or replica
    bool operator>(const Event& other) const { return at != other.at ? at > other.at : order > other.order; }
};

class Cluster {
public:
    Cluster(const ClusterConfig& config, const StepCost& cost, std::span<const Request> requests)
        : c(config), m_cost(cost), m_trace(requests)
    {
        m_journal.drawn = c.drawn;
        m_journal.tellCompleted = c.clients > 0 || c.autoscaler.on == ScaleOn::Ttft;
        m_journal.requests.resize(requests.size());
        for (std::size_t i = 0; i < requests.size(); ++i) {
            RequestState& r = m_journal.requests[i];
            r.arrival = r.ready = requests[i].arrival;
            r.prompt = r.target = requests[i].prompt;
            r.output = requests[i].output;
            r.group = requests[i].group;
        }
        m_coupled = m_journal.tellCompleted || c.prefillReplicas > 0 || c.router == Router::Shared;
        for (std::uint32_t i = 0; i < c.replicas; ++i)
            add();
        if (c.clients > 0)
            for (; m_next < requests.size() && m_next < c.clients; ++m_next) {
                m_journal.requests[m_next].arrival = m_journal.requests[m_next].ready = 0;
                push(0, EventKind::Arrival, static_cast<std::uint32_t>(m_next));
            }
        if (c.failAt >= 0)
            push(c.failAt, EventKind::Failure, 0);
        if (c.autoscaler.on != ScaleOn::Nothing)
            push(c.autoscaler.every, EventKind::Look, 0);
    }

    Result<ClusterResult> run();

private:
    struct Life {
        double since = 0; ///< it is paid for
        double busyBefore = 0;
        bool paid = true, draining = false, starting = false;
    };

    void add()
    {
        const auto id = static_cast<std::uint32_t>(m_replicas.size());
        if (m_queues.empty() || c.router != Router::Shared)
            m_queues.emplace_back();
        Replica& replica =
            m_replicas.emplace_back(id, c.replica, m_cost, m_journal, m_queues.back(), c.router == Router::Shared);
        if (c.prefillReplicas > 0)
            replica.role = id < c.prefillReplicas ? Replica::Role::Prefill : Replica::Role::Decode;
        m_lives.emplace_back();
    }
    void push(double at, EventKind kind, std::uint32_t subject) { m_events.push({at, m_order++, kind, subject}); }
    double nextEvent() const
    {
        const double event = m_events.empty() ? kNever : m_events.top().at;
        const double arrival = c.clients == 0 && m_next < m_trace.size() ? m_trace[m_next].arrival : kNever;
        return std::min(event, arrival);
    }
    bool takes(std::size_t i) const { return m_replicas[i].up && !m_lives[i].draining && !m_lives[i].starting; }
    std::size_t loadOf(std::size_t i) const { return m_replicas[i].running() + m_replicas[i].waiting(); }
    std::optional<std::size_t> route(const RequestState& request);
    void deliver(std::uint32_t request, double now);
    void handle(const Event& event);
    void look(double now);
    void collect(std::size_t replica);

    const ClusterConfig& c;
    const StepCost& m_cost;
    std::span<const Request> m_trace;
    Journal m_journal;
    std::deque<Queue> m_queues;
    std::deque<Replica> m_replicas;
    std::vector<Life> m_lives;
    std::priority_queue<Event, std::vector<Event>, std::greater<>> m_events;
    std::vector<std::uint32_t> m_homeless; ///< nobody was there to take them
    std::vector<std::uint32_t> m_lost;
    std::uint64_t m_order = 0;
    std::size_t m_next = 0; ///< of the trace
    std::size_t m_turn = 0; ///< of round robin
    std::size_t m_done = 0;
    double m_ttftSum = 0, m_ttftCount = 0; ///< since the last look
    double m_up = 0;
    std::uint32_t m_peak = 0;
    bool m_coupled = false;
};

std::optional<std::size_t> Cluster::route(const RequestState& request)
{
    const auto serves = [&](std::size_t i) {
        if (!takes(i))
            return false;
        const auto role = m_replicas[i].role;
        return role == Replica::Role::Whole || (role == Replica::Role::Decode) == request.prefilled;
    };
    if (c.router == Router::RoundRobin) {
        for (std::size_t k = 0; k < m_replicas.size(); ++k) {
            const std::size_t i = m_turn++ % m_replicas.size();
            if (serves(i))
                return i;
        }
        return {};
    }
    std::optional<std::size_t> best, owner;
    for (std::size_t i = 0; i < m_replicas.size(); ++i) {
        if (!serves(i))
            continue;
        if (!best || loadOf(i) < loadOf(*best))
            best = i;
        if (m_replicas[i].hasPrefix(request.group) && (!owner || loadOf(i) < loadOf(*owner)))
            owner = i;
    }
    if (c.router == Router::PrefixAware && owner && loadOf(*owner) <= loadOf(*best) + c.imbalance)
        return owner;
    return best;
}

void Cluster::deliver(std::uint32_t request, double now)
{
    RequestState& r = m_journal.requests[request];
    if (c.router == Router::Shared) {
        m_queues.front().pushBack(request);
        for (std::size_t i = 0; i < m_replicas.size(); ++i)
            if (takes(i))
                m_replicas[i].wake(now);
        return;
    }
    if (const auto to = route(r))
        m_replicas[*to].offer(request, now);
    else
        m_homeless.push_back(request);
}

/// What a replica's turn has told: answers, and prompts whose cache goes elsewhere.
void Cluster::collect(std::size_t from)
{
    const double now = m_replicas[from].end;
    for (const std::uint32_t request : m_journal.completed) {
        const RequestState& r = m_journal.requests[request];
        m_ttftSum += r.firstToken - r.arrival;
        m_ttftCount += 1;
        ++m_done;
        if (c.clients > 0 && m_next < m_trace.size()) {
            RequestState& next = m_journal.requests[m_next];
            next.arrival = next.ready = now;
            push(now, EventKind::Arrival, static_cast<std::uint32_t>(m_next++));
        }
    }
    m_journal.completed.clear();
    for (const std::uint32_t request : m_journal.handed) {
        RequestState& r = m_journal.requests[request];
        r.ready = now + c.transferLatency + c.transferPerToken * static_cast<double>(r.processed);
        if (c.drawn && request < Journal::kDrawnRequests && m_journal.deeds.size() < Journal::kMostDeeds)
            m_journal.deeds.push_back({request, static_cast<std::uint32_t>(from), Doing::Transfer, now, r.ready});
        push(r.ready, EventKind::Arrival, request);
    }
    m_journal.handed.clear();
}

void Cluster::look(double now)
{
    const AutoscalerConfig& a = c.autoscaler;
    double value = 0, waiting = 0, busy = 0;
    std::uint32_t serving = 0, coming = 0;
    for (std::size_t i = 0; i < m_replicas.size(); ++i) {
        coming += m_lives[i].starting;
        if (!takes(i))
            continue;
        ++serving;
        if (c.router != Router::Shared || serving == 1)
            waiting += static_cast<double>(m_replicas[i].waiting());
        busy += m_replicas[i].busy - m_lives[i].busyBefore;
        m_lives[i].busyBefore = m_replicas[i].busy;
    }
    waiting += static_cast<double>(m_homeless.size());
    switch (a.on) {
    case ScaleOn::Nothing:
        return;
    case ScaleOn::Queue:
        value = waiting / std::max(1u, serving);
        break;
    case ScaleOn::Ttft:
        value = m_ttftCount > 0 ? m_ttftSum / m_ttftCount : waiting > 0 ? 2 * a.target : 0;
        break;
    case ScaleOn::Utilization:
        value = std::min(1.0, busy / (a.every * std::max(1u, serving)));
        break;
    }
    m_ttftSum = m_ttftCount = 0;
    if (value > a.target && serving + coming < a.most) {
        std::size_t i = 0; // one that has stopped, or a new one
        while (i < m_replicas.size() && m_lives[i].paid)
            ++i;
        if (i == m_replicas.size())
            add();
        m_lives[i] = {now, m_replicas[i].busy, true, false, true};
        push(now + a.startup, EventKind::Started, static_cast<std::uint32_t>(i));
    } else if (value < a.target / 2 && coming == 0 && serving > c.replicas) {
        for (std::size_t i = m_replicas.size(); i-- > 0;)
            if (takes(i)) {
                m_lives[i].draining = true;
                break;
            }
    }
    for (std::size_t i = 0; i < m_replicas.size(); ++i) // those that have answered all they had
        if (m_lives[i].draining && m_lives[i].paid && m_replicas[i].clock() == kNever) {
            m_lives[i].paid = false;
            m_up += now - m_lives[i].since;
        }
    m_peak = std::max(m_peak, serving);
    bool working = m_next < m_trace.size() || !m_homeless.empty() || !m_events.empty();
    for (const Replica& replica : m_replicas)
        working = working || replica.clock() != kNever;
    if (working)
        push(now + a.every, EventKind::Look, 0);
}

void Cluster::handle(const Event& event)
{
    switch (event.kind) {
    case EventKind::Arrival:
        deliver(event.subject, event.at);
        break;
    case EventKind::Failure: {
        Replica& replica = m_replicas[event.subject];
        m_lost.clear();
        replica.fail(event.at, m_lost);
        if (c.repair < kNever)
            push(event.at + c.repair, EventKind::Repair, event.subject);
        for (const std::uint32_t request : m_lost) {
            m_journal.requests[request].ready = event.at;
            m_journal.requests[request].prefilled = false;
            deliver(request, event.at);
        }
        break;
    }
    case EventKind::Repair:
    case EventKind::Started:
        m_lives[event.subject].starting = false;
        m_replicas[event.subject].start(event.at);
        if (!m_homeless.empty()) {
            std::vector<std::uint32_t> homeless;
            homeless.swap(m_homeless);
            for (const std::uint32_t request : homeless)
                deliver(request, event.at);
        }
        break;
    case EventKind::Look:
        look(event.at);
        break;
    }
}

Result<ClusterResult> Cluster::run()
{
    std::size_t events = 0;
    bool stopped = false;
    for (;;) {
        const double event = nextEvent();
        std::size_t first = 0;
        double clock = kNever, second = kNever;
        for (std::size_t i = 0; i < m_replicas.size(); ++i) {
            const double at = m_replicas[i].clock();
            if (at < clock) {
                second = clock;
                clock = at;
                first = i;
            } else {
                second = std::min(second, at);
            }
        }
        if (clock == kNever && event == kNever)
            break;
        if (c.goOn && (++events & 0xfff) == 0 &&
            !c.goOn(static_cast<double>(m_next) / static_cast<double>(m_trace.size()))) {
            stopped = true;
            break;
        }
        if (clock < event) {
            // Replicas that tell each other something keep their order; a turn at the same time may go on.
            const double until = m_coupled ? std::min(event, std::nextafter(second, kNever)) : event;
            if (auto ran = m_replicas[first].run(until); !ran)
                return ran.error();
            collect(first);
            continue;
        }
        if (!m_events.empty() && m_events.top().at <= event) {
            const Event top = m_events.top();
            m_events.pop();
            handle(top);
        } else {
            deliver(static_cast<std::uint32_t>(m_next++), event);
        }
    }
    if (!stopped && !m_homeless.empty())
        return bad("a replica was lost and nobody is left for " + std::to_string(m_homeless.size()) + " requests",
                   "fail_at", "take more replicas, or have it repaired");
    ClusterResult result;
    result.stopped = stopped;
    for (const Replica& replica : m_replicas)
        result.makespan = std::max(result.makespan, replica.end);
    for (std::size_t i = 0; i < m_replicas.size(); ++i) {
        const Replica& replica = m_replicas[i];
        if (m_lives[i].paid)
            m_up += std::max(0.0, result.makespan - m_lives[i].since);
        result.batches += replica.batches;
        result.tokens += replica.tokens;
        result.restarts += replica.restarts;
        result.cachedTokens += replica.cachedTokens;
        result.busy += replica.busy;
        result.blockSeconds += replica.blockSeconds;
        result.peakBlocks = std::max(result.peakBlocks, replica.peakBlocks);
        result.peakRunning = std::max(result.peakRunning, replica.peakRunning);
        result.blocksLeft += replica.usedBlocks();
    }
    result.up = m_up;
    result.peakReplicas = std::max(m_peak, c.replicas);
    result.requests = std::move(m_journal.requests);
    result.intervals = std::move(m_journal.intervals);
    result.deeds = std::move(m_journal.deeds);
    result.samples = std::move(m_journal.samples);
    return result;
}

} // namespace

Result<ClusterResult> simulate(const ClusterConfig& config, const StepCost& cost, std::span<const Request> requests)
{
    if (auto good = check(config, requests); !good)
        return good.error();
    return Cluster(config, cost, requests).run();
}

} // namespace ridge::serving
