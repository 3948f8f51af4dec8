// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/collective_fold.h"

#include <algorithm>
#include <limits>

namespace ridge::cluster {
namespace {

/// One node whose network loops back. Links by kind, one a GPU or card.
struct Quotient {
    Topology topology;
    std::vector<std::uint32_t> out, in;       ///< GPU to switch, switch to GPU
    std::vector<std::uint32_t> netOut, netIn; ///< card to network, network to card
};

Quotient quotientOf(const FoldedCluster& c)
{
    Quotient q;
    Topology& t = q.topology;
    for (std::uint32_t i = 0; i < c.gpus; ++i)
        t.ranks.push_back(t.add(VertexKind::Gpu, {}));
    const auto fabric = t.add(VertexKind::Switch, {}), network = t.add(VertexKind::Switch, {});
    const auto link = [&](std::uint32_t from, std::uint32_t to, double rate, double latency) {
        t.links.push_back({from, to, rate, latency});
        return static_cast<std::uint32_t>(t.links.size() - 1);
    };
    for (std::uint32_t i = 0; i < c.gpus; ++i) {
        q.out.push_back(link(i, fabric, c.rate, c.latency));
        q.in.push_back(link(fabric, i, c.rate, c.latency));
    }
    for (std::uint32_t j = 0; j < c.nics; ++j) {
        const auto nic = t.add(VertexKind::Nic, {});
        q.netOut.push_back(link(nic, network, c.nicRate, c.netLatency));
        q.netIn.push_back(link(network, nic, c.nicRate, c.netLatency));
    }
    return q;
}

/// The flows of one step; all begin together, and the step ends when the slowest has arrived.
class Step {
public:
    Step(const FoldedCluster& c, const Quotient& q) : m_c(c), m_q(q) {}
    void inside(std::uint32_t from, std::uint32_t to, double bytes)
    {
        const std::uint32_t path[] = {m_q.out[from], m_q.in[to]};
        m_flows.add(bytes, m_c.overhead, path, {});
    }
    void between(std::uint32_t from, std::uint32_t to, double bytes)
    {
        const auto nic = [&](std::uint32_t gpu) { return gpu * m_c.nics / m_c.gpus; };
        const std::uint32_t path[] = {m_q.netOut[nic(from)], m_q.netIn[nic(to)]};
        m_flows.add(bytes, m_c.overhead, path, {});
    }
    Result<double> run(FoldedTime& into) const
    {
        const auto times = simulateFlows(m_q.topology, m_flows);
        if (!times)
            return times.error();
        const auto load = [&](const std::vector<std::uint32_t>& links) {
            double most = 0;
            for (const auto l : links)
                most = std::max(most, times->carried[l] / m_q.topology.links[l].rate / times->seconds);
            return most;
        };
        if (times->seconds > 0) {
            into.gpuLoad = std::max({into.gpuLoad, load(m_q.out), load(m_q.in)});
            into.nicLoad = std::max({into.nicLoad, load(m_q.netOut), load(m_q.netIn)});
        }
        return times->seconds;
    }

private:
    const FoldedCluster& m_c;
    const Quotient& m_q;
    Transfers m_flows;
};

} // namespace

Result<FoldedTime> foldedTime(const FoldedCluster& c, Operation operation, Algorithm algorithm, double bytes,
                              std::uint32_t rings)
{
    if (c.gpus < 1 || c.gpus > 4096 || c.nodes < 1 || c.nodes > 1u << 20 || c.nics < 1 || c.gpus % c.nics != 0)
        return Error{"bad-collective",
                     "nodes of " + std::to_string(c.gpus) + " GPUs and " + std::to_string(c.nics) +
                         " network cards cannot be folded",
                     "gpus, nics", "give 1 to 4096 GPUs and a number of cards that divides them"};
    if (rings < 1 || c.nics % rings != 0)
        return Error{"bad-collective", std::to_string(rings) + " rings on " + std::to_string(c.nics) + " cards",
                     "rings", "give a number that divides the cards"};
    if (!canDo(algorithm, operation) || operation == Operation::Broadcast ||
        (algorithm != Algorithm::Ring && algorithm != Algorithm::Hierarchical && algorithm != Algorithm::Direct))
        return Error{"bad-collective", algorithmNames()[static_cast<std::size_t>(algorithm)] + " is not folded",
                     "algorithm", "take ring, hierarchical or direct"};
    const Quotient q = quotientOf(c);
    const double n = static_cast<double>(c.gpus) * c.nodes;
    const std::uint64_t both = operation == Operation::AllReduce ? 2 : 1;
    FoldedTime result;
    const auto run = [&](const Step& step, std::uint64_t times) -> Result<void> {
        const auto seconds = step.run(result);
        if (!seconds)
            return seconds.error();
        result.seconds += *seconds * static_cast<double>(times);
        result.steps += times;
        return {};
    };
    if (n <= 1)
        return result;
    if (algorithm == Algorithm::Ring) {
        Step step(c, q);
        for (std::uint32_t ring = 0; ring < rings; ++ring) {
            const std::uint32_t turn = ring * c.gpus / rings; // where it enters the node
            for (std::uint32_t i = 0; i < c.gpus; ++i) {
                const std::uint32_t from = (i + turn) % c.gpus, to = (i + 1 + turn) % c.gpus;
                if (i + 1 < c.gpus || c.nodes == 1)
                    step.inside(from, to, bytes / n / rings);
                else
                    step.between(from, to, bytes / n / rings);
            }
        }
        auto ran = run(step, both * (static_cast<std::uint64_t>(n) - 1));
        return ran ? Result<FoldedTime>(result) : Result<FoldedTime>(ran.error());
    }
    if (algorithm == Algorithm::Hierarchical) {
        Step inner(c, q), outer(c, q);
        for (std::uint32_t i = 0; i < c.gpus; ++i) {
            if (c.gpus > 1)
                inner.inside(i, (i + 1) % c.gpus, bytes / c.gpus);
            if (c.nodes > 1)
                outer.between(i, i, bytes / n);
        }
        if (auto ran = run(inner, both * (c.gpus - 1)); !ran)
            return ran.error();
        if (auto ran = run(outer, both * (c.nodes - 1)); !ran)
            return ran.error();
        return result;
    }
    Step step(c, q); // every rank to all others at once
    for (std::uint32_t i = 0; i < c.gpus; ++i) {
        for (std::uint32_t j = 0; j < c.gpus; ++j) {
            if (i != j)
                step.inside(i, j, bytes / n);
            if (c.nodes > 1)
                step.between(i, j, bytes / n * (c.nodes - 1));
        }
    }
    auto ran = run(step, 1);
    return ran ? Result<FoldedTime>(result) : Result<FoldedTime>(ran.error());
}

} // namespace ridge::cluster
