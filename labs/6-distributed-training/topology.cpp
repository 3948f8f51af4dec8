// SPDX-License-Identifier: GPL-3.0-or-later
// Lessons 6.1 and 6.2: what a topology lets through between two GPUs, between two halves, and how long traffic takes.
#include "cluster/topology.h"
#include "base/grid_trace.h"
#include "cluster/collective.h"
#include "cluster/links.h"
#include "labs/catalogue.h"
#include "labs/harness/cluster_machine.h"
#include "labs/harness/declare.h"
#include "labs/harness/input.h"
#include "silicon/machines.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace ridge::labs {
namespace {

using namespace cluster;

constexpr std::size_t kMostRanks = 4096;     // of a topology that is asked for bandwidth
constexpr std::size_t kMostPairs = 128;      // ranks whose matrix is drawn and averaged
constexpr std::size_t kMostBisection = 1024; // ranks whose halves are tried
constexpr std::size_t kMostTraffic = 200000; // transfers
constexpr std::uint32_t kMostMoments = 4000; // of the picture of loads

ParamSpec realParam(const char* name, const char* title, const char* unit, double min, double max, double fallback,
                    const char* help)
{
    ParamSpec spec;
    spec.name = name;
    spec.title = title;
    spec.type = ParamType::Real;
    spec.unit = unit;
    spec.min = min;
    spec.max = max;
    spec.scale = ParamScale::Log2;
    spec.defaultValue = fallback;
    spec.help = help;
    return spec;
}

std::vector<ParamSpec> parameters()
{
    return {
        choiceParam("system", "System", clusterSystems(), "machine",
                    "Which topology. machine: that of the target; the others are the machines of that name."),
        fileParam("file", "Topology file", "Topologies (*.json)",
                  "Vertices and links in place of the system; docs/validation.md, Clusters, has the form."),
        integerParam("gpus", "GPUs of a node", "", 0, 16384, 0, ParamScale::Log2,
                     "Of a ring or chain its length, of a fat tree the hosts of a leaf. 0 takes the system's."),
        integerParam("nodes", "Nodes", "", 0, 2048, 0, ParamScale::Log2,
                     "On the network; of a fat tree its leaves. 0 takes the system's."),
        realParam("oversubscription", "Oversubscription", "1", 1, 64, 1,
                  "Ports of a leaf down over ports up: 4 is 4:1. 1 blocks nothing."),
        choiceParam("fabric", "Network", {"rails", "fat_tree"}, "rails",
                    "Between nodes: card i of every node on leaf i, or all cards of a node on one leaf."),
        realParam("link_rate", "Rate of a link", "B/s", 0, 1e13, 0,
                  "One way, of a GPU's link; of a fat tree of a host's port. 0 takes the system's."),
        integerParam("from", "From rank", "", 0, 16383, 0, ParamScale::Linear, "Of pairwise and max_flow."),
        integerParam("to", "To rank", "", 0, 16383, 1, ParamScale::Linear, "Of pairwise and max_flow."),
        choiceParam(
            "traffic", "Traffic", {"all_to_all", "all_reduce", "permutation", "neighbours"}, "all_to_all",
            "What completion times: every rank to every other one at once, a ring all-reduce, every rank to one "
            "other that is drawn, or every rank to the next."),
        integerParam("bytes", "Bytes", "bytes", 1, 1ll << 40, 1 << 26, ParamScale::Log2,
                     "Of each rank, all its messages together."),
        choiceParam("view", "Picture", {"matrix", "loads"}, "matrix",
                    "Bandwidth of every pair, up to 128 ranks; or how full each link is over time."),
    };
}

std::vector<MetricSpec> metrics()
{
    return {
        {"pairwise", "From one to the other", "B/s",
         "What one transfer from rank `from` to rank `to` gets on its path of fewest hops, one way."},
        {"pairwise_min", "Slowest pair", "B/s", "The least of all pairs; none of more than 128 ranks."},
        {"pairwise_max", "Quickest pair", "B/s", "The most of all pairs; none of more than 128 ranks."},
        {"hops", "Hops", "hops", "Links of that path."},
        {"max_flow", "Maximum flow", "B/s",
         "Most that all paths together carry from rank `from` to rank `to`, one way, exactly (Dinic)."},
        {"bisection", "Bisection bandwidth", "B/s",
         "From one half of the ranks to the other, one way, at the worst halving. Data sheets print twice as much."},
        {"bisection_exact", "All halvings tried", "1", "1: up to 12 ranks. 0: halvings by blocks, an upper bound."},
        {"completion", "Completion time", "s",
         "Until the traffic has arrived, at flow level with max-min fair shares."},
        {"ideal", "Without contention", "s", "The busiest rank's bytes over its own links, and the longest path."},
        {"slowdown", "Slow-down", "x", "Completion over the time without contention."},
        {"busiest_link", "Busiest link", "1", "Share of the time that the link with most to carry is full."},
        {"ranks", "Ranks", "1", "GPUs of the topology."},
        {"links", "Links", "1", "One way each."},
    };
}

Result<Topology> topologyOf(const ParamSet& params, const silicon::Machine* machine)
{
    if (given(params, "file")) {
        const auto text = readInput(params, "file", 16u << 20);
        if (!text)
            return text.error();
        return parseTopology(*text, std::get<std::string>(params.at("file")));
    }
    auto system = clusterSystem(params, machine);
    if (!system)
        return system.error();
    TopologyShape& s = system->shape;
    if (const auto gpus = integer(params, "gpus")) {
        s.gpus = static_cast<std::uint32_t>(gpus);
        if (s.nics > s.gpus || s.gpus % s.nics != 0)
            s.nics = s.gpus;
    }
    if (const auto nodes = integer(params, "nodes"))
        s.nodes = static_cast<std::uint32_t>(nodes);
    s.oversubscription = std::get<double>(params.at("oversubscription"));
    s.fabric = choice(params, "fabric") == "rails" ? Fabric::Rails : Fabric::FatTree;
    if (const double rate = std::get<double>(params.at("link_rate")); rate > 0)
        (s.kind == TopologyKind::FatTree ? s.nicRate : s.rate) = rate;
    auto topology = cluster::makeTopology(s);
    if (topology && topology->ranks.size() > kMostRanks)
        return Error{"too-large", fmt::format("{} GPUs", topology->ranks.size()), "parameter nodes",
                     fmt::format("give at most {} GPUs in all; collective folds larger systems", kMostRanks)};
    return topology;
}

/// Every transfer of the traffic on its path; all begin at once, but the steps of the ring.
Result<Transfers> trafficOf(const Topology& t, const std::string& traffic, double bytes, Rng& rng)
{
    const auto n = static_cast<std::uint32_t>(t.ranks.size());
    const std::uint64_t seed = rng.next();
    Router router(t);
    Transfers out;
    std::vector<std::uint32_t> path;
    const auto send = [&](std::uint32_t from, std::uint32_t to, double size) {
        router.path(t.ranks[from], t.ranks[to], std::uint64_t{from} * n + to, seed, path);
        out.add(size, 0, path, {});
    };
    if (traffic == "all_to_all") {
        if (std::uint64_t{n} * n > kMostTraffic)
            return Error{"too-large", fmt::format("{} ranks send to all others", n), "parameter traffic",
                         "take neighbours or permutation, or fewer ranks"};
        for (std::uint32_t i = 0; i < n; ++i)
            for (std::uint32_t j = 1; j < n; ++j)
                send(i, (i + j) % n, bytes / n);
    } else if (traffic == "permutation") {
        std::vector<std::uint32_t> other(n);
        for (std::uint32_t i = 0; i < n; ++i)
            other[i] = i;
        for (std::uint32_t i = n; i > 1; --i) // Sattolo: one cycle, nobody sends to itself
            std::swap(other[i - 1], other[rng.nextU32() % (i - 1)]);
        for (std::uint32_t i = 0; i < n; ++i)
            if (other[i] != i)
                send(i, other[i], bytes);
    } else {
        // Steps of a ring are alike: one of them stands for all.
        for (std::uint32_t i = 0; i < n && n > 1; ++i)
            send(i, (i + 1) % n, traffic == "neighbours" ? bytes : bytes / n);
    }
    return out;
}

std::string nameOf(const Topology& t, const Link& link)
{
    return t.vertices[link.from].name + " to " + t.vertices[link.to].name;
}

/// The matrix of pairs as the first step; then the load of every link, a cell each, whenever rates change.
class Picture {
public:
    explicit Picture(const Topology& t) : m_t(t) {}

    static std::string matrix(const Topology& t, const std::vector<double>& rates)
    {
        const auto n = static_cast<std::uint32_t>(t.ranks.size());
        GridTraceBuilder grid(t.title + ": what one transfer gets, GB/s", n, n);
        grid.axes("from", "to").stepUnit("step").square().values("bandwidth", "GB/s");
        std::vector<std::string> names;
        for (const auto rank : t.ranks)
            names.push_back(t.vertices[rank].name);
        grid.rowNames(names).columnNames(names);
        grid.step("bandwidth of every pair on its path of fewest hops");
        for (std::uint32_t i = 0; i < n; ++i)
            for (std::uint32_t j = 0; j < n; ++j)
                if (i != j)
                    grid.set(i, j, {.value = static_cast<float>(rates[i * n + j] / 1e9)});
        return encodeGridTrace(grid.take());
    }

    FlowOptions options()
    {
        const auto columns = static_cast<std::uint32_t>(std::ceil(std::sqrt(static_cast<double>(m_t.links.size()))));
        m_columns = std::max(1u, columns);
        const std::uint32_t rows = (static_cast<std::uint32_t>(m_t.links.size()) + m_columns - 1) / m_columns;
        m_grid.emplace(m_t.title + ": load of links", rows, m_columns);
        m_grid->axes("row", "link").stepUnit("ns").values("load", "%", 0, 100);
        std::vector<std::string> names;
        for (const Link& link : m_t.links)
            names.push_back(nameOf(m_t, link));
        names.resize(std::size_t{rows} * m_columns);
        m_grid->cellNames(names);
        FlowOptions options;
        options.loads = [this](double at, std::span<const double> loads) {
            if (m_moments++ >= kMostMoments || m_grid->full())
                return;
            std::size_t full = 0;
            for (std::size_t l = 0; l < loads.size(); ++l)
                full += loads[l] > 0.999 * m_t.links[l].rate;
            m_grid->step(fmt::format("{} of {} links are full", full, loads.size()), {},
                         static_cast<std::uint64_t>(at * 1e9));
            for (std::uint32_t l = 0; l < loads.size(); ++l)
                m_grid->set(l / m_columns, l % m_columns,
                            {.value = static_cast<float>(100 * loads[l] / m_t.links[l].rate)});
        };
        return options;
    }
    bool any() const { return m_moments > 0; }
    std::string bytes() { return encodeGridTrace(m_grid->take()); }

private:
    const Topology& m_t;
    std::optional<GridTraceBuilder> m_grid;
    std::uint32_t m_columns = 1, m_moments = 0;
};

class TopologyExperiment : public Experiment {
public:
    TopologyExperiment()
    {
        m_info.id = "topology";
        m_info.title = "Bandwidth of a topology";
        m_info.module = 6;
        m_info.summary =
            "Finds what a network of GPUs lets through: a pair, all paths of a pair, one half to the other, "
            "and traffic whose flows share links.";
        m_info.parameters = parameters();
        m_info.targets = {"machine"};
        m_info.engine = "cluster";
        m_info.engineVersion = 1;
        m_info.defaultTarget = "machine:dgx-h100";
        m_info.metrics = metrics();
        m_info.charts = {
            {"completion_over_blocking", "Completion over oversubscription", "oversubscription", "completion",
             ParamScale::Log2},
            {"slowdown_over_blocking", "Slow-down over oversubscription", "oversubscription", "slowdown",
             ParamScale::Log2},
            {"pairwise_over_to", "Bandwidth to the ranks", "to", "pairwise", ParamScale::Linear},
            {"bisection_over_system", "Bisection of the systems", "system", "bisection", ParamScale::List},
            {"completion_over_traffic", "Completion of the traffics", "traffic", "completion", ParamScale::List},
            {"completion_over_system", "Completion on the systems", "system", "completion", ParamScale::List},
            {"completion_over_gpus", "Completion over GPUs", "gpus", "completion", ParamScale::Log2, ParamScale::Log2},
            {"completion_over_nodes", "Completion over nodes", "nodes", "completion", ParamScale::Log2}};
        m_info.limits = {{"pairwise", "maximum flow", "upper", "all paths together",
                          "Ford, Fulkerson 1956: the least cut between the two"},
                         {"completion", "without contention", "lower", "bytes of the busiest rank over its links",
                          "rates of the machine; no rank sends or receives faster than its own links"}};
        m_info.scene = "grid";
    }
    const ExperimentInfo& info() const override { return m_info; }
    Result<void> run(const ParamSet& params, RunContext& context) const override;

private:
    ExperimentInfo m_info;
};

/// The busiest rank's bytes over the rates of its links, and the longest path.
double idealOf(const Topology& t, const Transfers& transfers)
{
    std::vector<double> out(t.vertices.size(), 0), in(t.vertices.size(), 0), sent(out), got(out);
    for (const Link& link : t.links) {
        out[link.from] += link.rate;
        in[link.to] += link.rate;
    }
    double latency = 0, least = 0;
    for (std::size_t i = 0; i < transfers.size(); ++i) {
        if (transfers.firstLink[i] == transfers.firstLink[i + 1])
            continue;
        double path = 0;
        for (auto l = transfers.firstLink[i]; l < transfers.firstLink[i + 1]; ++l)
            path += t.links[transfers.links[l]].latency;
        latency = std::max(latency, path);
        sent[t.links[transfers.links[transfers.firstLink[i]]].from] += transfers.bytes[i];
        got[t.links[transfers.links[transfers.firstLink[i + 1] - 1]].to] += transfers.bytes[i];
    }
    for (std::size_t v = 0; v < out.size(); ++v) {
        if (sent[v] > 0)
            least = std::max(least, sent[v] / out[v]);
        if (got[v] > 0)
            least = std::max(least, got[v] / in[v]);
    }
    return least + latency;
}

Result<void> TopologyExperiment::run(const ParamSet& params, RunContext& context) const
{
    const auto made = topologyOf(params, context.machine());
    if (!made)
        return made.error();
    const Topology& t = *made;
    const auto n = t.ranks.size();
    const auto from = integer(params, "from"), to = integer(params, "to");
    if (n > 1)
        for (const auto& [name, rank] : {std::pair{"from", from}, {"to", to}})
            if (rank >= n)
                return Error{"out-of-range", fmt::format("there is no rank {} of {}", rank, n),
                             fmt::format("parameter {}", name), fmt::format("give 0 to {}", n - 1)};
    const auto tell = [&](const char* name, double value) { context.metric(name, value, Provenance::Simulated); };
    tell("ranks", static_cast<double>(n));
    tell("links", static_cast<double>(t.links.size()));
    if (n < 2)
        return {};
    Router router(t);
    std::vector<std::uint32_t> path;
    router.path(t.ranks[from], t.ranks[to], from * n + to, 0, path);
    const PathRate pair = pathRate(t, path);
    const double flow = maxFlow(t, t.ranks[from], t.ranks[to]);
    tell("pairwise", pair.rate);
    tell("hops", pair.hops);
    tell("max_flow", flow);
    context.limit("pairwise", flow);
    if (from != to)
        context.check("no path is wider than all", pair.rate <= flow * (1 + 1e-9),
                      fmt::format("{:.4g} of {:.4g} B/s", pair.rate, flow));
    context.progress(0.2, "halving");
    if (n <= kMostBisection) {
        const Bisection cut = bisection(t);
        tell("bisection", cut.rate);
        tell("bisection_exact", cut.exact ? 1 : 0);
    }
    if (context.cancelled())
        return {};
    std::vector<double> rates;
    if (n <= kMostPairs) {
        rates = pairwiseRates(t, 0);
        double least = 1e300, most = 0;
        for (std::size_t i = 0; i < n * n; ++i)
            if (i / n != i % n) {
                least = std::min(least, rates[i]);
                most = std::max(most, rates[i]);
            }
        tell("pairwise_min", least);
        tell("pairwise_max", most);
    }
    context.progress(0.5, "moving bytes");
    const std::string& traffic = choice(params, "traffic");
    const auto transfers = trafficOf(t, traffic, static_cast<double>(integer(params, "bytes")), context.rng());
    if (!transfers)
        return transfers.error();
    Picture picture(t);
    const bool draws = context.wantsTrace() && (choice(params, "view") == "loads" || rates.empty()) &&
                       t.links.size() <= GridTrace::kMostCells;
    FlowOptions options = draws ? picture.options() : FlowOptions{};
    options.goOn = [&] { return !context.cancelled(); };
    const auto times = simulateFlows(t, *transfers, options);
    if (!times)
        return times.error();
    if (times->stopped)
        return {};
    const double steps = traffic == "all_reduce" ? 2.0 * static_cast<double>(n - 1) : 1;
    const double ideal = idealOf(t, *transfers) * steps;
    double busiest = 0;
    for (std::size_t l = 0; l < t.links.size(); ++l)
        busiest = std::max(busiest, times->carried[l] / t.links[l].rate / times->seconds);
    tell("completion", times->seconds * steps);
    tell("ideal", ideal);
    tell("slowdown", times->seconds * steps / ideal);
    tell("busiest_link", busiest);
    context.limit("completion", ideal);
    if (draws && picture.any())
        context.trace(GridTrace::kKind, picture.bytes());
    else if (context.wantsTrace() && !rates.empty())
        context.trace(GridTrace::kKind, Picture::matrix(t, rates));
    return {};
}

} // namespace

std::unique_ptr<Experiment> makeTopology()
{
    return std::make_unique<TopologyExperiment>();
}

} // namespace ridge::labs
