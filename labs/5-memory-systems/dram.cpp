// SPDX-License-Identifier: GPL-3.0-or-later
// Lessons 5.1 and 5.2: what a stream of requests gets from a DRAM, and what each command waits for.
#include "memory/dram.h"
#include "base/grid_trace.h"
#include "base/lane_trace.h"
#include "labs/5-memory-systems/dram_latency.h"
#include "labs/5-memory-systems/dram_machine.h"
#include "labs/catalogue.h"
#include "labs/harness/declare.h"
#include "labs/harness/input.h"
#include "memory/dram_mapping.h"
#include "memory/dram_rules.h"
#include "memory/loops.h"
#include "silicon/machines.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace ridge::labs {
namespace {

using namespace memory;

constexpr const char* kOfTheMachine = "machine";
const std::vector<std::string> kStandards{"ddr4", "ddr5",  "lpddr5", "gddr6", "gddr6x",
                                          "hbm2", "hbm2e", "hbm3",   "hbm3e", "hbm4"};
constexpr std::uint64_t kDrawn = 400;         // requests of a picture
constexpr std::size_t kChecked = 4000;        // commands that the second implementation looks at
constexpr std::size_t kMostTraced = 1u << 22; // requests of a file, as many as of a stream
constexpr double kLeastLoad = 1e-4;           // of the peak
constexpr double kProbedSeconds = 1.2e-3;     // of simulated time: some 20,000 reads of the probe
constexpr double kLoadKept = 1e-3;            // of the load: near enough
constexpr std::int64_t kSteady = 100'000;     // ticks: a shorter run is mostly its beginning and its end
constexpr int kMostTries = 6;
constexpr std::uint64_t kProbeSeed = 0x9e37; // so that the probe's places are not the stream's

ParamSpec realParam(std::string name, std::string title, double fallback, std::string help)
{
    ParamSpec spec;
    spec.name = std::move(name);
    spec.title = std::move(title);
    spec.type = ParamType::Real;
    spec.min = 0;
    spec.max = 1;
    spec.defaultValue = fallback;
    spec.help = std::move(help);
    return spec;
}

std::vector<ParamSpec> parameters()
{
    std::vector<std::string> standards = kStandards;
    standards.insert(standards.begin(), kOfTheMachine);
    return {
        choiceParam(
            "standard", "Standard", standards, kOfTheMachine,
            "Which memory is simulated. machine: that of the target; the others are the machines of that name."),
        integerParam("speed", "Pin rate", "Mb/s", 0, 64000, 0, ParamScale::Linear,
                     "Of one data pin. 0 takes the memory's own; at another rate times keep their length."),
        integerParam("channels", "Channels", "", 1, 64, 1, ParamScale::Log2,
                     "Of the whole memory, a power of two. An HBM3 stack has 16. Each has a controller of its own."),
        choiceParam("pattern", "Pattern", {"stream", "random", "strided", "trace"}, "stream",
                    "Which bursts are asked for: one after another, anywhere, one each stride bytes, or what a file "
                    "says."),
        integerParam("stride", "Stride", "bytes", 1, 1ll << 32, 4096, ParamScale::Log2,
                     "Between two requests of strided. A stride below a burst asks for the same burst again."),
        realParam("read_share", "Reads", 1, "Share of requests that are reads; which ones is random."),
        realParam(
            "load", "Load", 1,
            "Bytes that are moved, as a share of the peak of the pins; beside a probe, the probe's bytes count too. 1: "
            "as many as the queues take. A turn of the source that finds its queue full is lost, and the source is "
            "made as much quicker as that costs. 0 counts as a ten-thousandth."),
        choiceParam(
            "mapping", "Address mapping", mappingNames(), "stagger",
            "Which address bits choose channel, bank, row and column, highest first. rotate: neighbours lie in "
            "different banks. stagger: and banks change their rows one after another. xor_bank: RoBaRaCoCh with "
            "the bank XORed with row bits."),
        choiceParam("page", "Rows", {"open", "closed"}, "open",
                    "open: a row stays open until another of its bank is asked for. closed: every access closes it."),
        choiceParam("refresh", "Refresh", {kOfTheMachine, "all_bank", "per_bank", "none"}, kOfTheMachine,
                    "all_bank: every bank at once. per_bank: one after another. none: never, for comparison."),
        integerParam("requests", "Requests", "", 1, 1 << 22, 200000, ParamScale::Log2,
                     "Of the stream, over all channels. A trace is replayed whole."),
        integerParam("read_queue", "Read queue", "requests", 0, 4096, 0, ParamScale::Log2,
                     "Reads that a controller orders. 0 takes the machine's."),
        integerParam("write_queue", "Write queue", "requests", 0, 4096, 0, ParamScale::Log2,
                     "Writes that a controller holds back. 0 takes the machine's."),
        fileParam(
            "trace", "Trace", "Traces (*.trace *.txt *.din)",
            "Of the pattern trace: a file of requests, one a line: R or W and a hexadecimal address, or as Dinero "
            "has them. Each asks for the burst that its address lies in; read_share has no say."),
    };
}

std::vector<MetricSpec> metrics()
{
    return {
        {"bandwidth", "Bandwidth", "B/s", "Bytes over the time until the last data; the most is the peak of the pins."},
        {"peak_share", "Share of the peak", "1", "Bandwidth over the peak of the pins."},
        {"row_hit_rate", "Row hits", "1", "Share of requests whose row was open when their first command was given."},
        {"latency_mean", "Mean latency", "s", "Of reads, from arrival in the queue to the end of the data."},
        {"latency_p50", "Median latency", "s", "Latency that half of the reads exceed."},
        {"latency_p99", "99th percentile", "s", "Latency that 1 % of the reads exceed."},
        {"latency_probe", "Latency of a probe", "s",
         "Mean of random reads, one at a time, beside the same stream: what a pointer chase would see."},
        {"row_hits", "Hits", "requests", "Requests that found their row open."},
        {"row_misses", "Misses", "requests", "Requests that found their bank closed."},
        {"row_conflicts", "Conflicts", "requests", "Requests that found another row open."},
        {"activates", "Activations", "commands", "ACT: a row is read into the row buffer of its bank."},
        {"precharges", "Precharges", "commands", "PRE and PREA: a row, or all of them, closed by a command."},
        {"column_reads", "Column reads", "commands", "RD: one burst each."},
        {"column_writes", "Column writes", "commands", "WR: one burst each."},
        {"refreshes", "Refreshes", "commands", "REF of all banks of a pseudo-channel or rank, or of one bank."},
        {"refresh_share", "Time in refresh", "1", "Share of the banks' time that is spent in refresh."},
        {"forwarded", "Answered from the write queue", "requests", "Reads of a burst that was still to be written."},
        {"peak", "Peak of the pins", "B/s", "Pin rate x data pins."},
    };
}

struct Setting {
    DramSpec spec;
    DramRun run; ///< without what depends on the channel
    DramMapping mapping = DramMapping::Stagger;
    std::string pattern;
    std::uint32_t channels = 1;
    std::uint64_t requests = 0, stride = 0;
    std::vector<Access> trace; ///< of the pattern trace
    double readShare = 1, load = 1;
    std::uint64_t seed = 0;
};

Result<Setting> settingOf(const silicon::Machine& target, const ParamSet& params)
{
    Setting s;
    const std::string& standard = choice(params, "standard");
    std::optional<silicon::Machine> named;
    if (standard != kOfTheMachine) {
        const auto machines = silicon::shippedMachines();
        if (!machines)
            return machines.error();
        auto found = silicon::findMachine(*machines, standard, "dram");
        if (!found)
            return found.error();
        named = std::move(*found);
    }
    auto machine = dramOf(named ? *named : target);
    if (!machine)
        return machine.error();
    s.spec = machine->spec;
    if (const std::uint64_t speed = integer(params, "speed")) {
        auto other = atRate(s.spec, static_cast<double>(speed) * 1e6);
        if (!other)
            return other.error();
        s.spec = *other;
    }
    if (const std::uint64_t entries = integer(params, "read_queue"))
        s.spec.readQueue = static_cast<std::uint32_t>(entries);
    if (const std::uint64_t entries = integer(params, "write_queue"))
        s.spec.writeQueue = static_cast<std::uint32_t>(entries);
    s.channels = static_cast<std::uint32_t>(integer(params, "channels"));
    if ((s.channels & (s.channels - 1)) != 0)
        return Error{"bad-dram", fmt::format("{} channels cannot be told apart by address bits", s.channels),
                     "channels", "take a power of two, as 16"};
    const auto& names = mappingNames();
    s.mapping =
        static_cast<DramMapping>(std::find(names.begin(), names.end(), choice(params, "mapping")) - names.begin());
    s.pattern = choice(params, "pattern");
    s.requests = integer(params, "requests");
    if (given(params, "trace") != (s.pattern == "trace"))
        return Error{"bad-trace",
                     given(params, "trace") ? "there is a trace, and the pattern is " + s.pattern
                                            : std::string("the pattern is trace, and there is none"),
                     "parameter trace", "give a file together with pattern = trace"};
    if (s.pattern == "trace") {
        const auto text = readInput(params, "trace");
        if (!text)
            return text.error();
        auto trace = parseTrace(*text, std::get<std::string>(params.at("trace")));
        if (!trace)
            return trace.error();
        if (trace->size() > kMostTraced)
            return Error{"bad-trace", fmt::format("{} requests", trace->size()),
                         std::get<std::string>(params.at("trace")), fmt::format("cut it to {} requests", kMostTraced)};
        s.trace = std::move(*trace);
        s.requests = s.trace.size();
    }
    s.stride = integer(params, "stride");
    s.readShare = std::get<double>(params.at("read_share"));
    s.load = std::max(kLeastLoad, std::get<double>(params.at("load")));
    s.run.page = choice(params, "page") == "open" ? PagePolicy::Open : PagePolicy::Closed;
    const std::string& refresh = choice(params, "refresh");
    s.run.refresh = refresh == kOfTheMachine ? machine->refresh
                    : refresh == "all_bank"  ? RefreshMode::AllBank
                    : refresh == "per_bank"  ? RefreshMode::PerBank
                                             : RefreshMode::None;
    if (s.load < 1) // turns of one channel's source
        s.run.interval = s.spec.burstBytes() / (s.load * s.spec.peak()) / s.spec.tick();
    return s;
}

/// What each channel is asked for, in order; of the pattern random nothing, for it is drawn on the way. Only a trace
/// says what is a write.
std::vector<std::vector<DramRequest>> requestsOf(const Setting& s)
{
    std::vector<std::vector<DramRequest>> requests(s.channels);
    if (s.pattern == "random")
        return requests;
    for (std::uint64_t k = 0; k < s.requests; ++k) {
        const std::uint64_t burst = s.pattern == "stream"  ? k
                                    : s.pattern == "trace" ? s.trace[k].address / s.spec.burstBytes()
                                                           : k * s.stride / s.spec.burstBytes();
        const DramAddress address = placeOf(s.spec, s.channels, s.mapping, burst);
        requests[address.channel].push_back({address.place, s.pattern == "trace" && s.trace[k].write});
    }
    return requests;
}

DramPlace anywhere(const DramSpec& spec, Rng& rng)
{
    const std::uint64_t bursts = std::uint64_t{spec.bankCount()} * spec.rows * spec.columns;
    return placeOf(spec, 1, DramMapping::Rotate, rng.next() % bursts).place;
}

/// One channel with its share of the stream.
Result<DramResult> runChannel(const Setting& s, std::uint32_t channel, const std::vector<DramRequest>& requests,
                              DramRun run)
{
    Rng rng(s.seed + channel);
    Rng chase(s.seed + channel + kProbeSeed);
    run.next = [&](std::uint64_t k) {
        DramRequest request = requests.empty() ? DramRequest{anywhere(s.spec, rng), false} : requests[k];
        if (s.pattern != "trace")
            request.write = s.readShare < 1 && rng.uniform() >= s.readShare;
        return request;
    };
    if (run.probe)
        run.probe = [&] { return anywhere(s.spec, chase); };
    return simulate(s.spec, run);
}

/// Bursts that a run moved, a tick.
double rateOf(const DramResult& result)
{
    const DramCounts& c = result.counts;
    return result.end > 0 ? static_cast<double>(c.reads + c.writes + c.probes) / static_cast<double>(result.end) : 0;
}

/// One channel that moves `load` of its peak: full queues cost the source turns, and a probe brings bytes of its own,
/// so that what the source offers is corrected until the sum is right or does not rise. `commands` holds the last
/// try's.
Result<DramResult> runAtLoad(const Setting& s, std::uint32_t channel, const std::vector<DramRequest>& requests,
                             DramRun run, std::vector<DramCommand>* commands)
{
    const double burst = run.interval * s.load; // ticks that the pins take
    const std::uint64_t all = run.requests;
    const auto offering = [&](double share) {
        run.interval = burst / share;
        if (run.probe && run.interval > 0)
            run.requests =
                std::min(all, static_cast<std::uint64_t>(kProbedSeconds / (run.interval * s.spec.tick())) + 1);
        if (commands)
            commands->clear();
        return runChannel(s, channel, requests, run);
    };
    double offered = s.load;
    auto result = offering(offered);
    double moved = result ? rateOf(*result) * burst : 0;
    for (int i = 0; i < kMostTries && result && !result->stopped && s.load < 1 && result->end > kSteady; ++i) {
        const double missing = s.load - moved;
        const double next = std::max(kLeastLoad, offered + missing);
        if (std::abs(missing) <= kLoadKept * s.load || next == offered)
            break;
        result = offering(next);
        const double now = result ? rateOf(*result) * burst : 0;
        const bool stuck = (now - moved) * missing < 0.1 * missing * missing;
        moved = now;
        offered = next;
        if (stuck)
            break;
    }
    return result;
}

/// Commands on banks over time; below them the data pins of each pseudo-channel.
std::string picture(const Setting& s, const std::vector<DramCommand>& commands)
{
    const DramSpec& spec = s.spec;
    const DramTimings& t = spec.timings;
    const double cycle = spec.cycle() * 1e9, tick = spec.tick() * 1e9;
    LaneTraceBuilder lanes(fmt::format("Channel 0, {} rows", s.run.page == PagePolicy::Open ? "open" : "closed"), "ns");
    const auto act = lanes.state("activate", TraceColor::Series1, "A");
    const auto pre = lanes.state("precharge", TraceColor::Muted, "P");
    const auto read = lanes.state("read", TraceColor::Series3, "R");
    const auto write = lanes.state("write", TraceColor::Series2, "W");
    const auto refresh = lanes.state("refresh", TraceColor::Warn, "F");
    std::vector<std::uint32_t> ofBank, pins;
    for (std::uint32_t i = 0; i < spec.bankCount(); ++i) {
        const std::uint32_t group = i / spec.banks, rank = group / spec.groups, pc = rank / spec.ranks;
        ofBank.push_back(lanes.lane(fmt::format("group {} bank {}", group % spec.groups, i % spec.banks),
                                    fmt::format("pseudo-channel {}, rank {}", pc, rank % spec.ranks)));
    }
    for (std::uint32_t pc = 0; pc < spec.pseudoChannels; ++pc)
        pins.push_back(lanes.lane(fmt::format("pseudo-channel {}", pc), "data pins"));
    for (const DramCommand& c : commands) {
        const double at = static_cast<double>(c.tick) * tick;
        const auto& p = c.place;
        const std::uint32_t bank =
            ((p.pseudoChannel * spec.ranks + p.rank) * spec.groups + p.group) * spec.banks + p.bank;
        const auto overAll = [&](double length, std::uint8_t state, const char* label) {
            const std::uint32_t ranks = spec.stacked ? spec.ranks : 1;
            const std::uint32_t first =
                (p.pseudoChannel * spec.ranks + (spec.stacked ? 0 : p.rank)) * spec.groups * spec.banks;
            for (std::uint32_t b = first; b < first + ranks * spec.groups * spec.banks; ++b)
                lanes.span(ofBank[b], at, at + length, state, label);
        };
        switch (c.kind) {
        case DramCommandKind::Act:
            lanes.span(ofBank[bank], at, at + t.rcdRead * cycle, act, fmt::format("ACT {}", p.row), c.request);
            break;
        case DramCommandKind::Pre:
            lanes.span(ofBank[bank], at, at + t.rp * cycle, pre, "PRE", c.request);
            break;
        case DramCommandKind::PreAll:
            overAll(t.rpAll * cycle, pre, "PREA");
            break;
        case DramCommandKind::Refresh:
            overAll(t.rfc * cycle, refresh, "REF");
            break;
        case DramCommandKind::RefreshBank:
            lanes.span(ofBank[bank], at, at + t.rfcBank * cycle, refresh, "REF");
            break;
        default: {
            const bool reads = c.kind == DramCommandKind::Read || c.kind == DramCommandKind::ReadPre;
            const auto given = lanes.span(ofBank[bank], at, at + t.burst * cycle, reads ? read : write,
                                          fmt::format("{} {}", nameOf(c.kind), p.column), c.request);
            const double data = at + (reads ? t.cl : t.cwl) * cycle;
            lanes.arrow(given, lanes.span(pins[p.pseudoChannel], data, data + t.burst * cycle, reads ? read : write,
                                          fmt::format("g{} b{}", p.group, p.bank), c.request));
        }
        }
    }
    return encodeLaneTrace(lanes.take());
}

/// With linear interpolation between ranks. The order of `ticks` changes.
double percentile(std::vector<std::uint32_t>& ticks, double share)
{
    const double place = share * static_cast<double>(ticks.size() - 1);
    const auto low = static_cast<std::ptrdiff_t>(place);
    std::nth_element(ticks.begin(), ticks.begin() + low, ticks.end());
    const double below = ticks[static_cast<std::size_t>(low)];
    if (static_cast<std::size_t>(low) + 1 == ticks.size())
        return below;
    const double above = *std::min_element(ticks.begin() + low + 1, ticks.end());
    return below + (place - static_cast<double>(low)) * (above - below);
}

class DramExperiment : public Experiment {
public:
    DramExperiment()
    {
        m_info.id = "dram";
        m_info.version = 2; // 2: load is what is moved, the probe's bytes with it
        m_info.title = "Requests in a DRAM";
        m_info.module = 5;
        m_info.summary = "Serves a stream of reads and writes from banks with row buffers, command by command, and "
                         "measures bandwidth, row hits and latency.";
        m_info.parameters = parameters();
        m_info.targets = {"machine"};
        m_info.engine = "dram";
        m_info.engineVersion = 1;
        m_info.defaultTarget = "machine:hbm3";
        m_info.metrics = metrics();
        m_info.charts = {
            {"latency_over_load", "Latency over load", "load", "latency_probe", ParamScale::Linear},
            {"latencies_over_load",
             "Latency of the reads over load",
             "load",
             "latency_p50",
             ParamScale::Linear,
             ParamScale::Log2,
             "series",
             {"latency_mean", "latency_p99"}},
            {"bandwidth_over_reads", "Bandwidth over reads", "read_share", "bandwidth", ParamScale::Linear},
            {"bandwidth_over_stride", "Bandwidth over stride", "stride", "bandwidth", ParamScale::Log2},
            {"hits_over_stride", "Row hits over stride", "stride", "row_hit_rate", ParamScale::Log2},
            {"bandwidth_over_mapping", "Bandwidth of the mappings", "mapping", "bandwidth", ParamScale::List},
            {"hits_over_pattern", "Row hits of the patterns", "pattern", "row_hit_rate", ParamScale::List}};
        m_info.limits = {{"bandwidth", "peak of the pins", "upper", "pin rate x data pins x channels",
                          "the standard's pin rate and width; the source is with the machine"},
                         {"latency_mean", "CL + burst", "lower", "column access and data, in an open row",
                          "tCL and burst length of the machine; no read is faster unless the write queue answers it"}};
        m_info.scene = "lanes";
        m_info.scenes = {"grid"};
    }
    const ExperimentInfo& info() const override { return m_info; }
    Result<void> run(const ParamSet& params, RunContext& context) const override;

private:
    ExperimentInfo m_info;
};

Result<void> DramExperiment::run(const ParamSet& params, RunContext& context) const
{
    auto setting = settingOf(*context.machine(), params);
    if (!setting)
        return setting.error();
    Setting& s = *setting;
    s.seed = context.rng().next();
    const DramSpec& spec = s.spec;
    const auto requests = requestsOf(s);

    DramCounts sum;
    std::int64_t end = 0;
    std::vector<std::uint32_t> latency;
    std::vector<RowState> found;
    std::vector<DramCommand> commands; // the first ones of the first channel that is asked for anything
    double probe = 0, probes = 0;
    bool first = true;
    double served = 0;
    for (std::uint32_t channel = 0; channel < s.channels; ++channel) {
        DramRun run = s.run;
        run.requests = s.pattern == "random" ? s.requests / s.channels + (channel < s.requests % s.channels)
                                             : requests[channel].size();
        if (run.requests == 0)
            continue;
        const double all = static_cast<double>(s.requests) * 2;
        run.goOn = [&](std::uint64_t done) {
            context.progress(std::min(1.0, (served + static_cast<double>(done)) / all), "serving requests");
            return !context.cancelled();
        };
        if (first)
            run.command = [&](const DramCommand& c) {
                if (commands.size() < kChecked)
                    commands.push_back(c);
            };
        const auto result = runAtLoad(s, channel, requests[channel], run, first ? &commands : nullptr);
        if (!result)
            return result.error();
        served += static_cast<double>(run.requests);
        // again with a probe beside it, long enough to see refresh at every phase
        run.command = {};
        run.probe = [] { return DramPlace{}; };
        const auto probed = runAtLoad(s, channel, requests[channel], run, nullptr);
        if (!probed)
            return probed.error();
        served += static_cast<double>(s.requests) / s.channels;
        if (result->stopped || probed->stopped)
            return {};
        const DramCounts& c = result->counts;
        for (const auto& [to, from] : {std::pair{&sum.reads, c.reads},
                                       {&sum.writes, c.writes},
                                       {&sum.hits, c.hits},
                                       {&sum.misses, c.misses},
                                       {&sum.conflicts, c.conflicts},
                                       {&sum.forwarded, c.forwarded},
                                       {&sum.merged, c.merged},
                                       {&sum.activates, c.activates},
                                       {&sum.precharges, c.precharges},
                                       {&sum.prechargesAll, c.prechargesAll},
                                       {&sum.refreshes, c.refreshes},
                                       {&sum.bankRefreshes, c.bankRefreshes}})
            *to += from;
        end = std::max(end, result->end);
        latency.insert(latency.end(), result->readLatency.begin(), result->readLatency.end());
        found.insert(found.end(), result->readFound.begin(), result->readFound.end());
        probe += probed->probeLatency * static_cast<double>(probed->counts.probes);
        probes += static_cast<double>(probed->counts.probes);
        first = false;
    }

    const auto tell = [&](const char* name, auto value) {
        context.metric(name, static_cast<double>(value), Provenance::Simulated);
    };
    const double seconds = static_cast<double>(end) * spec.tick();
    const double peak = spec.peak() * s.channels;
    const double bandwidth =
        seconds > 0 ? static_cast<double>(sum.reads + sum.writes) * spec.burstBytes() / seconds : 0;
    tell("bandwidth", bandwidth);
    tell("peak_share", bandwidth / peak);
    const std::uint64_t counted = sum.hits + sum.misses + sum.conflicts;
    if (counted)
        tell("row_hit_rate", static_cast<double>(sum.hits) / static_cast<double>(counted));
    std::string histogram;
    if (!latency.empty()) {
        if (context.wantsTrace())
            histogram = latencyPicture(latency, found, spec.tick());
        double total = 0;
        for (const std::uint32_t ticks : latency)
            total += ticks;
        tell("latency_mean", total / static_cast<double>(latency.size()) * spec.tick());
        tell("latency_p50", percentile(latency, 0.5) * spec.tick());
        tell("latency_p99", percentile(latency, 0.99) * spec.tick());
        context.limit("latency_mean", (spec.timings.cl + spec.timings.burst) * spec.cycle());
    }
    if (probes > 0)
        tell("latency_probe", probe / probes * spec.tick());
    tell("row_hits", sum.hits);
    tell("row_misses", sum.misses);
    tell("row_conflicts", sum.conflicts);
    tell("activates", sum.activates);
    tell("precharges", sum.precharges + sum.prechargesAll);
    tell("column_reads", sum.reads);
    tell("column_writes", sum.writes);
    tell("refreshes", sum.refreshes + sum.bankRefreshes);
    // of a refresh of all banks every bank's time, of one of a single bank only that one's
    const double scopes = spec.stacked ? spec.pseudoChannels : spec.pseudoChannels * spec.ranks;
    const double busy = static_cast<double>(sum.refreshes) * spec.timings.rfc / scopes +
                        static_cast<double>(sum.bankRefreshes) * spec.timings.rfcBank / spec.bankCount();
    if (seconds > 0)
        tell("refresh_share", busy * spec.cycle() / (seconds * s.channels));
    tell("forwarded", sum.forwarded);
    context.metric("peak", peak, Provenance::Modelled);
    context.limit("bandwidth", peak);

    context.check("peak of the pins", bandwidth <= peak * (1 + 1e-9),
                  fmt::format("{:.4g} of {:.4g} B/s", bandwidth, peak));
    context.check("every request", sum.reads + sum.writes + sum.forwarded + sum.merged == s.requests,
                  fmt::format("{} read, {} written, {} answered or merged in the write queue, {} asked for", sum.reads,
                              sum.writes, sum.forwarded + sum.merged, s.requests));
    const auto broken = firstBroken(spec, commands);
    context.check(
        "rules of the standard", !broken,
        broken ? *broken
               : fmt::format("the first {} commands keep every distance, by a second implementation of the rules",
                             commands.size()));
    if (context.wantsTrace()) {
        const auto late =
            std::find_if(commands.begin(), commands.end(), [](const DramCommand& c) { return c.request > kDrawn; });
        commands.erase(late, commands.end());
        context.trace(LaneTrace::kKind, picture(s, commands));
        if (!histogram.empty())
            context.trace(GridTrace::kKind, histogram);
    }
    return {};
}

} // namespace

std::unique_ptr<Experiment> makeDram()
{
    return std::make_unique<DramExperiment>();
}

} // namespace ridge::labs
