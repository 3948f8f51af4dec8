// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/host_model.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <map>
#include <optional>

namespace ridge::gpu {

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr double kRoom = 1e-9; // of shares that are sums of fractions

/// One operation on its way.
struct Flight {
    double readyAt = kNever; ///< handed over, and what comes before it in its stream has ended
    double setup = 0;        ///< seconds of fixed work left
    double stretched = 0;    ///< seconds of work left that other work slows …
    double fixed = 0;        ///< … and that nothing slows
    bool running = false, done = false;

    double left(double rate) const { return setup + fixed + stretched / rate; }
    void advance(double seconds, double rate)
    {
        for (double* part : {&setup, &fixed}) {
            const double taken = std::min(*part, seconds);
            *part -= taken;
            seconds -= taken;
        }
        stretched = std::max(0.0, stretched - seconds * rate);
    }
};

bool isCopy(ModelKind kind)
{
    return kind == ModelKind::CopyIn || kind == ModelKind::CopyOut;
}

class Course {
public:
    Course(const std::vector<ModelOperation>& operations, const HostModel& model, bool asGraph, bool gated)
        : m_operations(operations), m_model(model), m_asGraph(asGraph), m_gated(gated), m_flights(operations.size())
    {
        const std::size_t n = operations.size();
        for (auto* times : {&m_times.begin, &m_times.end, &m_times.called, &m_times.returned})
            times->assign(n, 0.0);
    }

    ModelTimes run()
    {
        if (m_asGraph)
            launchGraph();
        for (;;) {
            handOver();
            while (startWhatCan())
                handOver();
            const double next = nextTime();
            if (next == kNever)
                break;
            advanceTo(next);
        }
        m_times.enqueueSeconds = m_hostAt;
        for (const double end : m_times.end)
            m_times.lastEnd = std::max(m_times.lastEnd, end);
        return m_times;
    }

private:
    void enqueue(std::size_t index, double at)
    {
        const ModelOperation& operation = m_operations[index];
        Flight& flight = m_flights[index];
        flight.readyAt = at;
        flight.stretched = operation.seconds * operation.rateLimited;
        flight.fixed = operation.seconds - flight.stretched;
        flight.setup = isCopy(operation.kind) ? m_model.copySeconds : 0;
        m_streams[operation.stream].push_back(index);
    }

    void launchGraph()
    {
        const auto nodes = static_cast<double>(m_operations.size());
        m_hostAt = m_model.graphLaunchSeconds + nodes * m_model.graphNodeSeconds;
        const double at = std::max(m_hostAt, m_model.startSeconds);
        for (std::size_t i = 0; i < m_operations.size(); ++i)
            enqueue(i, at);
        m_next = m_operations.size();
    }

    /// One CPU thread calls one after the other; copies of pageable memory keep it until they are done.
    void handOver()
    {
        while (m_next < m_operations.size() && !m_blocked && m_hostAt <= m_now) {
            const ModelOperation& operation = m_operations[m_next];
            const bool call = operation.kind != ModelKind::Record && operation.kind != ModelKind::Wait;
            m_times.called[m_next] = m_hostAt;
            const double ready = m_hostAt + (call ? m_model.startSeconds : 0);
            m_hostAt += call ? m_model.callSeconds : 0;
            m_times.returned[m_next] = m_hostAt;
            enqueue(m_next, m_gated ? kNever : ready);
            if (operation.hostWaits)
                m_blocked = m_next;
            ++m_next;
        }
        if (m_gated && m_next == m_operations.size() && !m_opened && m_hostAt <= m_now) {
            m_opened = true;
            for (Flight& flight : m_flights)
                flight.readyAt = std::min(flight.readyAt, m_now);
        }
    }

    bool fits(const ModelOperation& operation) const
    {
        double sms = 0;
        for (const std::size_t index : m_running) {
            const ModelOperation& other = m_operations[index];
            if (isCopy(operation.kind) && other.kind == operation.kind)
                return false; // one copy engine a direction
            sms += other.smShare;
        }
        return operation.kind != ModelKind::Kernel || sms == 0 || sms + operation.smShare <= 1 + kRoom;
    }

    bool startWhatCan()
    {
        std::vector<std::size_t> heads;
        for (auto& [stream, queue] : m_streams)
            if (!queue.empty() && !m_flights[queue.front()].running && m_flights[queue.front()].readyAt <= m_now)
                heads.push_back(queue.front());
        std::sort(heads.begin(), heads.end()); // the hardware takes them as they were handed over
        bool some = false;
        for (const std::size_t index : heads) {
            const ModelOperation& operation = m_operations[index];
            if (operation.kind == ModelKind::Wait && !m_recorded.contains(operation.event))
                continue;
            if (!fits(operation))
                continue;
            m_times.begin[index] = m_now;
            if (operation.kind == ModelKind::Wait || operation.kind == ModelKind::Record) {
                if (operation.kind == ModelKind::Record)
                    m_recorded[operation.event] = m_now;
                finish(index);
            } else {
                m_flights[index].running = true;
                m_running.push_back(index);
            }
            some = true;
        }
        return some;
    }

    void finish(std::size_t index)
    {
        const ModelOperation& operation = m_operations[index];
        m_flights[index].done = true;
        m_times.end[index] = m_now;
        auto& queue = m_streams[operation.stream];
        queue.pop_front();
        if (operation.kind == ModelKind::Kernel)
            m_kernelEnd[operation.stream] = m_now;
        if (m_blocked == index) {
            m_blocked.reset();
            m_times.returned[index] = m_hostAt = std::max(m_hostAt, m_now);
        }
        gapBefore(operation.stream);
    }

    /// A kernel after a kernel of its stream begins a gap later.
    void gapBefore(std::uint32_t stream)
    {
        const auto& queue = m_streams[stream];
        const auto last = m_kernelEnd.find(stream);
        if (queue.empty() || last == m_kernelEnd.end() || m_operations[queue.front()].kind != ModelKind::Kernel)
            return;
        Flight& flight = m_flights[queue.front()];
        if (flight.readyAt != kNever)
            flight.readyAt = std::max(flight.readyAt,
                                      last->second + (m_asGraph ? m_model.graphGapSeconds : m_model.streamGapSeconds));
    }

    double rate(std::size_t index) const
    {
        const ModelOperation& operation = m_operations[index];
        bool otherWay = false;
        double dram = 0, touched = 0;
        for (const std::size_t running : m_running) {
            const ModelOperation& other = m_operations[running];
            otherWay = otherWay || (isCopy(other.kind) && other.kind != operation.kind);
            dram += other.dramShare;
            touched += other.smTouched;
        }
        if (isCopy(operation.kind))
            return otherWay ? m_model.duplexShare : 1;
        const double memory = dram > 1 && operation.dramShare > 0 ? 1 / dram : 1;
        return touched > 1 && operation.smTouched > 0 ? std::min(memory, 1 / touched) : memory;
    }

    double nextTime() const
    {
        double next = kNever;
        if (m_next < m_operations.size() && !m_blocked)
            next = std::min(next, m_hostAt);
        if (m_gated && !m_opened && m_next == m_operations.size())
            next = std::min(next, m_hostAt);
        for (const auto& [stream, queue] : m_streams)
            if (!queue.empty() && m_flights[queue.front()].readyAt > m_now)
                next = std::min(next, m_flights[queue.front()].readyAt);
        for (const std::size_t index : m_running)
            next = std::min(next, m_now + m_flights[index].left(rate(index)));
        return next;
    }

    void advanceTo(double next)
    {
        std::vector<std::size_t> ended;
        for (const std::size_t index : m_running) {
            const double speed = rate(index);
            const bool ends = m_now + m_flights[index].left(speed) <= next;
            m_flights[index].advance(next - m_now, speed);
            if (ends)
                ended.push_back(index);
        }
        m_now = next;
        for (const std::size_t index : ended) {
            std::erase(m_running, index);
            finish(index);
        }
    }

    const std::vector<ModelOperation>& m_operations;
    const HostModel& m_model;
    bool m_asGraph, m_gated;
    std::vector<Flight> m_flights;
    ModelTimes m_times;
    double m_now = 0, m_hostAt = 0;
    std::size_t m_next = 0;
    std::optional<std::size_t> m_blocked;
    bool m_opened = false;
    std::map<std::uint32_t, std::deque<std::size_t>> m_streams;
    std::map<std::uint32_t, double> m_recorded, m_kernelEnd;
    std::vector<std::size_t> m_running;
};

} // namespace

double pcieBytesPerSecond(int generation, int lanes)
{
    constexpr std::array<double, 5> kTransfers{2.5e9, 5e9, 8e9, 16e9, 32e9};
    if (generation < 1 || generation > static_cast<int>(kTransfers.size()) || lanes < 1)
        return 0;
    const double code = generation <= 2 ? 8.0 / 10 : 128.0 / 130;
    return kTransfers[static_cast<std::size_t>(generation - 1)] * code / 8 * lanes;
}

ModelTimes modelTimes(const std::vector<ModelOperation>& operations, const HostModel& model, bool asGraph, bool gated)
{
    return Course(operations, model, asGraph, gated).run();
}

} // namespace ridge::gpu
