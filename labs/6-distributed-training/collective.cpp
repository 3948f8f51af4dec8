// SPDX-License-Identifier: GPL-3.0-or-later
// Lessons 6.3 and 6.4: how long a collective takes, by NCCL's constants, by flows, packets or messages on a topology,
// or over processes of Open MPI on this machine.
#include "cluster/collective.h"
#include "base/lane_trace.h"
#include "base/median.h"
#include "cluster/collective_fold.h"
#include "cluster/links.h"
#include "cluster/links_messages.h"
#include "labs/catalogue.h"
#include "labs/harness/cluster_machine.h"
#include "labs/harness/declare.h"
#include "labs/harness/input.h"
#include "labs/harness/mpi_run.h"
#include "silicon/machines.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace ridge::labs {
namespace {

using namespace cluster;

constexpr std::uint32_t kVerified = 64; // ranks whose sums are checked
constexpr std::size_t kVerifiedTransfers = 1u << 16;
constexpr std::size_t kMostFlow = 1u << 18;         // transfers that flows are simulated for
constexpr std::uint64_t kMostMpiBytes = 1ull << 30; // of all ranks
constexpr std::uint32_t kMostMpiRanks = 64;
constexpr std::size_t kMostLanes = 256;

ParamSpec realParam(const char* name, const char* title, const char* unit, double max, double fallback,
                    const char* help)
{
    ParamSpec spec;
    spec.name = name;
    spec.title = title;
    spec.type = ParamType::Real;
    spec.unit = unit;
    spec.max = max;
    spec.defaultValue = fallback;
    spec.help = help;
    return spec;
}

std::vector<ParamSpec> parameters()
{
    std::vector<std::string> algorithms = algorithmNames(), protocols = protocolNames();
    algorithms.insert(algorithms.begin(), "auto");
    protocols.insert(protocols.begin(), "auto");
    auto ranks = integerParam("ranks", "Ranks", "", 0, 1 << 20, 0, ParamScale::Log2,
                              "GPUs that take part, of all nodes together. 0: all of the system.");
    ranks.defaultFor = {{"mpi", std::int64_t{4}}};
    auto bytes = integerParam("bytes", "Bytes", "bytes", 0, 1ll << 44, 1 << 26, ParamScale::Log2,
                              "As nccl-tests counts them: the whole vector that a rank sends or ends up with.");
    bytes.sweepFor = {{"machine", "1024..1073741824:log2"}, {"mpi", "1024..16777216:log2"}};
    bytes.defaultFor = {{"mpi", std::int64_t{1 << 20}}};
    return {
        choiceParam("system", "System", clusterSystems(), "machine",
                    "Where. machine: that of the target; the others are the machines of that name."),
        fileParam("file", "Topology file", "Topologies (*.json)",
                  "Vertices and links in place of the system, for the models flow, packet and messages."),
        choiceParam("operation", "Operation", operationNames(), "all_reduce", "What all ranks do together."),
        choiceParam(
            "algorithm", "Algorithm", algorithms, "auto",
            "auto: the quickest of those that the model knows, as a tuner chooses. nvls: the switch adds. direct: "
            "every rank to every other one."),
        choiceParam("protocol", "Protocol", protocols, "auto",
                    "Of NCCL: ll has a flag beside every 4 bytes, ll128 in every 128, simple waits for whole chunks."),
        choiceParam("dtype", "Data type", {"fp32", "fp16", "bf16", "fp64", "fp8", "int8", "int4"}, "bf16",
                    "A switch adds fp32, fp16 and bf16; a sum of other types takes a ring or tree."),
        ranks,
        integerParam("nodes", "Nodes", "", 0, 1 << 16, 0, ParamScale::Log2,
                     "That the ranks are spread over evenly. 0: as few as hold them."),
        bytes,
        choiceParam("model", "Model", {"auto", "nccl", "flow", "packet", "messages", "folded"}, "auto",
                    "nccl: constants of measured systems. flow: fluids that share links. packet: its check, for small "
                    "cases. messages: queues in whole ns, as ASTRA-sim. folded: one node for all. auto: nccl where the "
                    "system has its constants, else flow, else folded."),
        integerParam("pieces", "Pieces", "", 1, 65536, 64, ParamScale::Log2,
                     "That trees, a broadcast and a switch's sum are cut into, one after another."),
        integerParam("rings", "Rings", "", 1, 64, 1, ParamScale::Log2,
                     "Of the model folded: rings at once, each through other network cards."),
        realParam("overhead", "Overhead of a step", "s", 1, 0,
                  "Before each transfer, beside the latency of links: alpha of the closed form."),
        integerParam("chunks", "Chunks", "", 1, 1024, 4, ParamScale::Log2,
                     "Of the model messages: parts of the data that a rank treats one after another."),
        integerParam("endpoint", "Endpoint delay", "ns", 0, 1000000, 10, ParamScale::Linear,
                     "Of the model messages: before each message."),
        realParam("memory_rate", "Memory rate", "B/s", 1e15, 1.6e12,
                  "Of the model messages: what is added is read twice and written once. 0: at once."),
        choiceParam("forwarding", "Forwarding", {"store", "uncongested"}, "store",
                    "Of the model messages: switches store messages whole and queues form, or neither."),
        integerParam("repeats", "Repeats", "", 1, 1000, 10, ParamScale::Log2,
                     "Of the target mpi, after one to warm up."),
        choiceParam("fault", "Fault", {"none", "killed", "absent"}, "none",
                    "Of the target mpi: the last rank is killed half way through, or stops taking part."),
        integerParam("limit", "Time limit", "s", 1, 300, 60, ParamScale::Log2,
                     "Of the target mpi: then every rank is ended."),
    };
}

std::vector<MetricSpec> metrics()
{
    return {
        {"time", "Time", "s", "From the first rank's begin to the last one's end; of mpi the median of the repeats."},
        {"algbw", "Algorithm bandwidth", "B/s", "Bytes over time."},
        {"busbw", "Bus bandwidth", "B/s",
         "algbw x 2 (n - 1) / n of an all-reduce, x (n - 1) / n of gather, scatter and all-to-all, as nccl-tests."},
        {"line_rate", "Line rate", "B/s",
         "Of a GPU's link one way; with several nodes what the cards of a node carry for a ring, of a GPU for "
         "alltoall."},
        {"line_rate_share", "Share of the line rate", "1",
         "busbw over the line rate; above 1 where a switch adds, for busbw counts what a ring would send."},
        {"steps", "Steps", "steps", "Transfers one after another."},
        {"closed_form", "Closed form", "s", "alpha-beta time of the same algorithm without contention."},
        {"contention", "Over the closed form", "x", "Time over the closed form; 1 where no link is shared."},
        {"algorithm_used", "Algorithm", "1",
         "0 ring, 1 tree, 2 double tree, 3 halving-doubling, 4 hierarchical, 5 nvls, 6 "
         "direct."},
        {"protocol_used", "Protocol", "1", "0 ll, 1 ll128, 2 simple; of the model nccl."},
        {"messages", "Messages", "messages", "Of the model messages."},
        {"vendor_time", "Open MPI's own", "s", "MPI_Allreduce on the same data, median."},
        {"other_bits", "Elements with other bits", "elements",
         "In which MPI_Allreduce differs from this algorithm: floating-point sums depend on their order."},
        {"wrong", "Wrong elements", "elements", "Other bits than the same additions give in one process."},
    };
}

struct Setting {
    CollectiveShape shape;
    std::optional<Algorithm> algorithm;
    std::optional<Protocol> protocol;
    std::optional<ClusterMachine> machine;
    std::string model;
    double bytes = 0, overhead = 0;
};

template<class T>
std::optional<T> chosen(const ParamSet& params, const char* name, const std::vector<std::string>& names)
{
    const auto found = std::find(names.begin(), names.end(), choice(params, name));
    return found == names.end() ? std::nullopt : std::optional<T>(static_cast<T>(found - names.begin()));
}

class CollectiveExperiment : public Experiment {
public:
    CollectiveExperiment()
    {
        m_info.id = "collective";
        m_info.title = "Time of a collective";
        m_info.module = 6;
        m_info.summary =
            "Times what all GPUs do together, step by step on a topology, by constants of measured systems, or "
            "for real over processes of Open MPI.";
        m_info.parameters = parameters();
        m_info.targets = {"machine", "mpi"};
        m_info.engine = "cluster";
        m_info.engineVersion = 1;
        m_info.defaultTarget = "machine:dgx-h100";
        m_info.metrics = metrics();
        m_info.charts = {
            {"busbw_over_bytes", "Bus bandwidth over size", "bytes", "busbw", ParamScale::Log2},
            {"time_over_bytes", "Time over size", "bytes", "time", ParamScale::Log2, ParamScale::Log2},
            {"time_over_ranks", "Time over ranks", "ranks", "time", ParamScale::Log2},
            {"time_over_algorithm", "Time of the algorithms", "algorithm", "time", ParamScale::List},
            {"protocol_over_bytes", "Protocol over size", "bytes", "protocol_used", ParamScale::Log2},
            {"share_over_nodes", "Share of the line rate over nodes", "nodes", "line_rate_share", ParamScale::Log2}};
        m_info.limits = {{"time", "line rate", "lower", "bytes each GPU must send over its rate",
                          "Chan et al. 2007: an all-reduce without help of a switch sends 2 (n - 1) / n of the data"}};
        m_info.scene = "lanes";
    }
    const ExperimentInfo& info() const override { return m_info; }
    Result<void> run(const ParamSet& params, RunContext& context) const override;

private:
    ExperimentInfo m_info;
};

void tellBandwidth(RunContext& context, const Setting& s, double seconds, Provenance how)
{
    context.metric("time", seconds, how);
    if (!(seconds > 0))
        return;
    const double factor = busFactor(s.shape.operation, s.shape.ranks);
    context.metric("algbw", s.bytes / seconds, how);
    context.metric("busbw", s.bytes / seconds * factor, how);
    if (!s.machine)
        return;
    const TopologyShape& t = s.machine->shape;
    double line = t.kind == TopologyKind::FatTree ? t.nicRate : t.rate;
    if (s.shape.nodes > 1 && t.kind == TopologyKind::Switch)
        line =
            std::min(line, s.shape.operation == Operation::AllToAll ? t.nicRate * t.nics / t.gpus : t.nicRate * t.nics);
    context.metric("line_rate", line, Provenance::Modelled);
    context.metric("line_rate_share", s.bytes / seconds * factor / line, how);
    if (s.shape.algorithm != Algorithm::InNetwork && s.shape.operation != Operation::Broadcast &&
        t.kind == TopologyKind::Switch && s.shape.nodes == 1)
        context.limit("time", s.bytes * factor / t.rate);
}

/// The spans of every rank's sends.
std::string picture(const Setting& s, const Schedule& schedule, const TransferTimes& times)
{
    LaneTraceBuilder lanes(fmt::format("{} {}, {} ranks", algorithmNames()[static_cast<std::size_t>(s.shape.algorithm)],
                                       operationNames()[static_cast<std::size_t>(s.shape.operation)], s.shape.ranks),
                           "us");
    const auto adds = lanes.state("adds", TraceColor::Series1, "+");
    const auto copies = lanes.state("copies", TraceColor::Series3, "c");
    std::vector<std::uint32_t> of;
    for (std::uint32_t r = 0; r <= s.shape.ranks && r < kMostLanes; ++r)
        if (r < s.shape.ranks || s.shape.algorithm == Algorithm::InNetwork)
            of.push_back(lanes.lane(r < s.shape.ranks ? fmt::format("rank {}", r) : "switch", "sends"));
    std::vector<std::uint32_t> got(of.size(), LaneTraceBuilder::kNone);
    for (std::uint32_t step = 0; step < schedule.steps() && !lanes.full(); ++step)
        for (auto k = schedule.firstOfStep[step]; k < schedule.firstOfStep[step + 1]; ++k) {
            const Transfer& t = schedule.transfers[k];
            if (t.from >= of.size())
                continue;
            const auto span = lanes.span(of[t.from], times.begin[k] * 1e6, times.end[k] * 1e6, t.adds ? adds : copies,
                                         fmt::format("block {} to {}", t.first, t.to), t.first + 1);
            if (got[t.from] != LaneTraceBuilder::kNone)
                lanes.arrow(got[t.from], span);
            if (t.to < of.size())
                got[t.to] = span;
        }
    return encodeLaneTrace(lanes.take());
}

/// What each algorithm and protocol would take: the tuner's table.
std::string tunerPicture(const std::vector<NcclChoice>& choices)
{
    LaneTraceBuilder lanes("What each algorithm and protocol takes", "us");
    const auto best = lanes.state("quickest", TraceColor::Good, "q");
    const auto other = lanes.state("slower", TraceColor::Muted, "s");
    for (const NcclChoice& each : choices)
        lanes.span(lanes.lane(algorithmNames()[static_cast<std::size_t>(each.algorithm)] + " " +
                              protocolNames()[static_cast<std::size_t>(each.protocol)]),
                   0, each.seconds * 1e6, &each == choices.data() ? best : other,
                   fmt::format("{:.1f} us, {} steps", each.seconds * 1e6, each.steps));
    return encodeLaneTrace(lanes.take());
}

Result<void> runNccl(const Setting& s, const std::string& dtype, RunContext& context)
{
    NcclCall call;
    call.operation = s.shape.operation;
    call.ranks = s.shape.ranks;
    call.nodes = s.shape.nodes;
    call.bytes = s.bytes;
    call.switchAdds = dtype == "fp32" || dtype == "fp16" || dtype == "bf16";
    const auto all = ncclChoices(*s.machine->nccl, call);
    if (!all)
        return all.error();
    std::vector<NcclChoice> left;
    for (const NcclChoice& each : *all)
        if ((!s.algorithm || each.algorithm == *s.algorithm) && (!s.protocol || each.protocol == *s.protocol))
            left.push_back(each);
    if (left.empty())
        return Error{
            "bad-collective",
            "NCCL has no such algorithm and protocol for this operation, these ranks and this data type here",
            "parameters algorithm, protocol",
            s.algorithm == Algorithm::InNetwork
                ? "a switch adds fp32, fp16 and bf16 alone, of 5 GPUs or more, with NVLink 4 or 5; or take auto"
                : "take auto, or --set model=flow"};
    Setting used = s;
    used.shape.algorithm = left.front().algorithm;
    tellBandwidth(context, used, left.front().seconds, Provenance::Modelled);
    const auto tell = [&](const char* name, double value) { context.metric(name, value, Provenance::Modelled); };
    tell("steps", static_cast<double>(left.front().steps));
    tell("algorithm_used", static_cast<double>(left.front().algorithm));
    tell("protocol_used", static_cast<double>(left.front().protocol));
    if (context.wantsTrace())
        context.trace(LaneTrace::kKind, tunerPicture(left));
    return {};
}

Result<void> runFolded(const Setting& s, std::uint32_t rings, RunContext& context)
{
    if (!s.machine || s.machine->shape.kind != TopologyKind::Switch)
        return Error{"bad-collective", "only nodes with a switch of their own are folded", "parameter model",
                     "take model=flow, or a system as dgx-h100"};
    const TopologyShape& t = s.machine->shape;
    FoldedCluster c;
    c.gpus = s.shape.ranks / s.shape.nodes;
    c.nodes = s.shape.nodes;
    c.nics = c.gpus % std::max(1u, std::min(t.nics, c.gpus)) == 0 ? std::max(1u, std::min(t.nics, c.gpus)) : 1;
    c.rate = t.rate;
    c.latency = t.latency;
    c.nicRate = t.nicRate;
    c.netLatency = t.netLatency;
    c.overhead = s.overhead;
    const auto time = foldedTime(c, s.shape.operation, s.shape.algorithm, s.bytes, rings);
    if (!time)
        return time.error();
    tellBandwidth(context, s, time->seconds, Provenance::Simulated);
    context.metric("steps", static_cast<double>(time->steps), Provenance::Simulated);
    context.metric("algorithm_used", static_cast<double>(s.shape.algorithm), Provenance::Simulated);
    return {};
}

Result<void> runOnTopology(const Setting& s, const ParamSet& params, RunContext& context)
{
    Result<Topology> topology = [&]() -> Result<Topology> {
        if (given(params, "file")) {
            const auto text = readInput(params, "file", 16u << 20);
            if (!text)
                return text.error();
            return parseTopology(*text, std::get<std::string>(params.at("file")));
        }
        TopologyShape shape = s.machine->shape;
        const bool grows =
            shape.kind == TopologyKind::Switch || shape.kind == TopologyKind::Ring || shape.kind == TopologyKind::Chain;
        if (grows) {
            shape.nodes = s.shape.nodes;
            shape.gpus = s.shape.ranks / s.shape.nodes;
            if (shape.nics > shape.gpus || shape.gpus % shape.nics != 0)
                shape.nics = shape.gpus;
        }
        return cluster::makeTopology(shape);
    }();
    if (!topology)
        return topology.error();
    const auto schedule = makeSchedule(s.shape);
    if (!schedule)
        return schedule.error();
    if (s.model != "messages" && schedule->transfers.size() > kMostFlow)
        return Error{"too-large", fmt::format("{} transfers at {} level", schedule->transfers.size(), s.model),
                     "parameter ranks",
                     fmt::format("{} is the most; take fewer ranks or pieces, or model=folded", kMostFlow)};
    if (s.shape.ranks <= kVerified && schedule->transfers.size() <= kVerifiedTransfers) {
        const auto right = verifySchedule(*schedule, 4, context.rng().next());
        context.check("sums", right.ok(),
                      right ? "every element of every rank is right, in whole numbers" : toText(right.error()));
    } else
        context.rng().next();
    context.progress(0.2, "moving blocks");
    const auto tell = [&](const char* name, double value) { context.metric(name, value, Provenance::Simulated); };
    tell("steps", static_cast<double>(s.shape.algorithm == Algorithm::Ring && s.shape.operation != Operation::Broadcast
                                          ? schedule->steps()
                                          : stepsOf(s.shape)));
    tell("algorithm_used", static_cast<double>(s.shape.algorithm));
    if (s.model == "messages") {
        MessageCosts costs;
        costs.chunks = static_cast<std::uint32_t>(integer(params, "chunks"));
        costs.endpoint = integer(params, "endpoint");
        costs.memoryRate = std::get<double>(params.at("memory_rate")) / 1e9;
        costs.congestion = choice(params, "forwarding") == "store";
        const auto times = simulateMessages(*topology, *schedule, s.bytes, costs);
        if (!times)
            return times.error();
        tellBandwidth(context, s, static_cast<double>(times->nanoseconds) * 1e-9, Provenance::Simulated);
        tell("messages", static_cast<double>(times->messages));
        return {};
    }
    CollectiveOptions options;
    options.bytes = s.bytes;
    options.overhead = s.overhead;
    options.seed = context.rng().next();
    options.packets = s.model == "packet";
    options.packet = std::max(4096.0, s.bytes / 65536);
    options.flow.goOn = [&] { return !context.cancelled(); };
    const auto timed = timeSchedule(*topology, *schedule, options);
    if (!timed)
        return timed.error();
    if (timed->times.stopped)
        return {};
    tellBandwidth(context, s, timed->times.seconds, Provenance::Simulated);
    // The first transfer's path stands for all of them.
    std::vector<std::uint32_t> path(timed->transfers.links.begin(),
                                    timed->transfers.links.begin() +
                                        (timed->transfers.size() ? timed->transfers.firstLink[1] : 0));
    const PathRate first = pathRate(*topology, path);
    if (first.rate > 0) {
        AlphaBeta costs{s.overhead + first.latency, first.rate, 0, 0, 0};
        if (s.shape.algorithm == Algorithm::Hierarchical && s.shape.nodes > 1 && s.machine) {
            costs.betaBetween = s.machine->shape.nicRate;
            costs.alphaBetween = s.overhead + 2 * s.machine->shape.netLatency;
        }
        const double closed = closedForm(s.shape, s.bytes, costs);
        context.metric("closed_form", closed, Provenance::Modelled);
        if (closed > 0)
            tell("contention", timed->times.seconds / closed);
    }
    if (context.wantsTrace())
        context.trace(LaneTrace::kKind, picture(s, *schedule, timed->times));
    return {};
}

Result<void> runReal(const ParamSet& params, RunContext& context)
{
    Setting s;
    s.shape.operation = *chosen<Operation>(params, "operation", operationNames());
    const auto algorithm = chosen<Algorithm>(params, "algorithm", algorithmNames());
    s.shape.algorithm = algorithm.value_or(Algorithm::Ring);
    s.shape.ranks = static_cast<std::uint32_t>(integer(params, "ranks"));
    s.shape.nodes = std::max<std::uint32_t>(1, static_cast<std::uint32_t>(integer(params, "nodes")));
    s.shape.pieces = static_cast<std::uint32_t>(integer(params, "pieces"));
    const std::uint64_t bytes = integer(params, "bytes");
    if (s.shape.operation != Operation::AllReduce || s.shape.algorithm == Algorithm::InNetwork)
        return Error{"bad-collective", "processes run an all-reduce, and no switch adds for them",
                     "parameters operation, algorithm",
                     "take all_reduce with ring, tree, double_tree, halving_doubling or hierarchical"};
    if (s.shape.ranks < 1 || s.shape.ranks > kMostMpiRanks || bytes * s.shape.ranks > kMostMpiBytes)
        return Error{"too-large", fmt::format("{} ranks of {} bytes", s.shape.ranks, bytes), "parameters ranks, bytes",
                     fmt::format("give 1 to {} ranks and at most 1 GiB in all", kMostMpiRanks)};
    const auto schedule = makeSchedule(s.shape);
    if (!schedule)
        return schedule.error();
    MpiJob job;
    job.shape = s.shape;
    job.elements = bytes / sizeof(float);
    job.repeats = static_cast<std::uint32_t>(integer(params, "repeats"));
    job.seed = context.rng().next() >> 1;
    job.fault = choice(params, "fault");
    context.progress(0, "starting ranks");
    const auto ran = runMpi(job, static_cast<double>(integer(params, "limit")), [&] { return context.cancelled(); });
    if (!ran)
        return ran.error();
    s.bytes = static_cast<double>(job.elements * sizeof(float));
    tellBandwidth(context, s, medianOf(ran->seconds), Provenance::Measured);
    context.metric("vendor_time", medianOf(ran->vendorSeconds), Provenance::Measured);
    context.metric("steps", static_cast<double>(schedule->steps()), Provenance::Measured);
    context.metric("algorithm_used", static_cast<double>(s.shape.algorithm), Provenance::Measured);
    context.metric("other_bits", static_cast<double>(ran->otherBits), Provenance::Measured);
    context.metric("wrong", static_cast<double>(ran->wrong), Provenance::Measured);
    context.check("sums", ran->wrong == 0 && ran->same,
                  fmt::format("{} of {} elements have other bits than the same additions in one process; all ranks {}",
                              ran->wrong, job.elements, ran->same ? "agree" : "do not agree"));
    return {};
}

Result<void> CollectiveExperiment::run(const ParamSet& params, RunContext& context) const
{
    if (context.machine() == nullptr)
        return runReal(params, context);
    Setting s;
    s.bytes = static_cast<double>(integer(params, "bytes"));
    s.overhead = std::get<double>(params.at("overhead"));
    s.model = choice(params, "model");
    s.algorithm = chosen<Algorithm>(params, "algorithm", algorithmNames());
    s.protocol = chosen<Protocol>(params, "protocol", protocolNames());
    s.shape.operation = *chosen<Operation>(params, "operation", operationNames());
    s.shape.pieces = static_cast<std::uint32_t>(integer(params, "pieces"));
    auto machine = clusterSystem(params, context.machine());
    if (!machine)
        return machine.error();
    s.machine = std::move(*machine);
    TopologyShape& t = s.machine->shape;
    std::uint64_t ofNode = t.gpus;
    if (t.kind == TopologyKind::Torus)
        ofNode = std::uint64_t{t.dims[0]} * t.dims[1] * t.dims[2];
    if (t.kind == TopologyKind::Dragonfly)
        ofNode = (std::uint64_t{t.dims[0]} * t.dims[2] + 1) * t.dims[0] * t.dims[1];
    if (t.kind == TopologyKind::FatTree)
        ofNode *= t.nodes;
    std::uint64_t ranks = integer(params, "ranks"), nodes = integer(params, "nodes");
    const bool file = given(params, "file");
    if (ranks == 0) {
        if (file)
            return Error{"bad-value", "the ranks of a file must be said", "parameter ranks", "give their number"};
        ranks = ofNode * std::max<std::uint64_t>(1, nodes);
    }
    const bool one = file || t.kind != TopologyKind::Switch || !s.machine->network; // no nodes that could be more
    if (nodes == 0)
        nodes = one && s.algorithm != Algorithm::Hierarchical ? 1 : (ranks + ofNode - 1) / ofNode;
    if (ranks % nodes != 0)
        return Error{"bad-collective", fmt::format("{} ranks on {} nodes", ranks, nodes), "parameters ranks, nodes",
                     "give ranks that the nodes divide"};
    if (!file && t.kind == TopologyKind::Switch && s.machine->network && ranks / nodes > ofNode)
        return Error{"bad-collective", fmt::format("{} ranks a node on nodes of {} GPUs", ranks / nodes, ofNode),
                     "parameters ranks, nodes", fmt::format("give {} nodes or more", (ranks + ofNode - 1) / ofNode)};
    s.shape.ranks = static_cast<std::uint32_t>(ranks);
    s.shape.nodes = static_cast<std::uint32_t>(nodes);

    const bool known = !s.algorithm || *s.algorithm == Algorithm::Ring || *s.algorithm == Algorithm::Tree ||
                       *s.algorithm == Algorithm::InNetwork || *s.algorithm == Algorithm::Direct;
    if (s.model == "nccl" && !s.machine->nccl)
        return Error{"bad-collective", "NCCL's constants are not known for " + s.machine->id, "parameter model",
                     "take model=flow, or a system as dgx-h100"};
    if ((s.model == "auto" || s.model == "nccl") && s.machine->nccl && known && !file)
        return runNccl(s, choice(params, "dtype"), context);
    if (s.model == "nccl")
        return Error{"bad-collective", "NCCL has no such algorithm", "parameter algorithm",
                     "take auto, ring, tree, nvls or direct, or model=flow"};
    s.shape.algorithm =
        s.algorithm.value_or(s.shape.operation == Operation::AllToAll ? Algorithm::Direct : Algorithm::Ring);
    if (s.model == "folded")
        return runFolded(s, static_cast<std::uint32_t>(integer(params, "rings")), context);
    if (s.model == "auto")
        s.model = "flow";
    if (s.model == "flow" && t.kind == TopologyKind::Switch && !file && ranks > 512 && s.shape.nodes > 1)
        return runFolded(s, static_cast<std::uint32_t>(integer(params, "rings")), context);
    return runOnTopology(s, params, context);
}

} // namespace

std::unique_ptr<Experiment> makeCollective()
{
    return std::make_unique<CollectiveExperiment>();
}

} // namespace ridge::labs
