// SPDX-License-Identifier: GPL-3.0-or-later
// Lessons 7.1, 7.2, 7.4 and 7.8: requests in the batches of a serving engine, and what users and owners get.
#include "labs/7-inference-hardware/serving_setting.h"

#include "base/lane_trace.h"
#include "base/target_choice.h"
#include "labs/catalogue.h"
#include "labs/harness/declare.h"
#include "labs/harness/input.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace ridge::labs {
namespace {

using namespace serving;

constexpr std::size_t kDrawnRequests = 60;
constexpr int kRateSteps = 9;         ///< halvings of the rate that scenario server looks for
constexpr double kLeastSeconds = 600; ///< of a run of MLPerf's scenarios

struct Ran {
    ServingSetting setting;
    ClusterResult result;
    Summary summary;
};

Result<Ran> runOnce(ServingSetting setting, RunContext* context)
{
    if (context)
        setting.cluster.goOn = [context](double share) {
            context->progress(share, "serving requests");
            return !context->cancelled();
        };
    auto result = simulate(setting.cluster, *setting.cost, setting.requests);
    if (!result)
        return result.error();
    Ran ran{std::move(setting), std::move(*result), {}};
    if (ran.setting.outside > 0)
        for (RequestState& r : ran.result.requests)
            if (r.done >= 0) { // tokens are late by the same time
                r.firstToken += ran.setting.outside;
                r.done += ran.setting.outside;
            }
    ran.summary = summarize(ran.result, ran.setting.slo, ran.setting.together);
    return ran;
}

bool keepsMlperf(const Ran& ran)
{
    return ran.summary.ttft.p99 <= ran.setting.slo.ttft && ran.summary.tpot.p99 <= ran.setting.slo.tpot;
}

double throughputOf(const Ran& ran)
{
    return ran.summary.outputTokens / ran.result.makespan;
}

/// All requests at once: the most that can be answered.
Result<Ran> flooded(ServingSetting setting, RunContext& context)
{
    for (Request& r : setting.requests)
        r.arrival = 0;
    return runOnce(std::move(setting), &context);
}

double answersASecond(const Ran& ran)
{
    return static_cast<double>(ran.summary.finished) / ran.result.makespan;
}

/// The highest rate at which both objectives are kept, `most` or less: arrivals of one draw, stretched. Nothing: there
/// is none.
Result<std::optional<Ran>> highestRate(const ServingSetting& setting, double most, RunContext& context)
{
    const auto at = [&](double rate) {
        ServingSetting s = setting;
        for (Request& r : s.requests)
            r.arrival *= setting.rate / rate;
        s.rate = rate;
        return runOnce(std::move(s), &context);
    };
    double high = most, low = 0;
    std::optional<Ran> best;
    for (int step = 0; step < kRateSteps && !context.cancelled(); ++step) {
        const double rate = step == 0 ? high : (low + high) / 2;
        auto ran = at(rate);
        if (!ran)
            return ran.error();
        if (keepsMlperf(*ran)) {
            best = std::move(*ran);
            low = rate;
            if (step == 0)
                break;
        } else {
            high = rate;
        }
    }
    return best;
}

/// Lanes are requests by their replica; a counter a replica shows its cache.
std::string picture(const ServingSetting& setting)
{
    ServingSetting few = setting;
    few.requests.resize(std::min(few.requests.size(), std::size_t{Journal::kDrawnRequests}));
    few.cluster.drawn = true;
    const auto result = simulate(few.cluster, *few.cost, few.requests);
    LaneTraceBuilder lanes("Requests in batches", "ms");
    const std::uint8_t states[] = {
        lanes.state("queued", TraceColor::Muted, "Q"), lanes.state("prefill", TraceColor::Series2, "P"),
        lanes.state("decode", TraceColor::Series1, "D"), lanes.state("preempted", TraceColor::Warn, "X"),
        lanes.state("transfer", TraceColor::Series3, "T")};
    const char* labels[] = {"queued", "prefill", "decode", "preempted", "transfer"};
    if (!result)
        return encodeLaneTrace(lanes.take());
    std::map<std::uint32_t, std::vector<Deed>> ofRequest;
    double last = 0;
    for (const Deed& deed : result->deeds) {
        if (deed.request >= kDrawnRequests)
            continue;
        auto& list = ofRequest[deed.request];
        if (!list.empty() && list.back().doing == deed.doing && deed.doing == Doing::Decode &&
            list.back().replica == deed.replica && deed.begin - list.back().end < 1e-12)
            list.back().end = deed.end;
        else
            list.push_back(deed);
        last = std::max(last, deed.end);
    }
    std::map<std::uint32_t, std::uint32_t> counters;
    for (std::uint32_t replica = 0; replica < std::min(few.cluster.replicas, 16u); ++replica) {
        const auto lane = lanes.lane(fmt::format("replica {}", replica), "KV cache");
        counters[replica] = lanes.counter(lane, "blocks in use", "blocks");
        lanes.sample(counters[replica], 0, 0);
    }
    for (const Sample& sample : result->samples)
        if (const auto counter = counters.find(sample.replica); counter != counters.end() && sample.at <= last)
            lanes.sample(counter->second, sample.at * 1e3, sample.blocks);
    for (const auto& [request, deeds] : ofRequest) {
        const auto lane = lanes.lane(fmt::format("request {}", request), "requests");
        for (const Deed& deed : deeds)
            lanes.span(lane, deed.begin * 1e3, deed.end * 1e3, states[static_cast<std::size_t>(deed.doing)],
                       labels[static_cast<std::size_t>(deed.doing)], request + 1);
    }
    return encodeLaneTrace(lanes.take());
}

class ServingExperiment : public Experiment {
public:
    ServingExperiment()
    {
        m_info.id = "serving";
        m_info.title = "Serving requests";
        m_info.version = 2; // 2: cache, sums and requests of TensorRT-LLM
        m_info.module = 7;
        m_info.summary = "Serves requests in the batches of an engine, step by step, and tells latencies, goodput, "
                         "cache, energy and cost.";
        m_info.parameters = servingParameters();
        m_info.targets = {kModelTarget, "machine"};
        m_info.engine = "serving";
        m_info.engineVersion = 2; // 2: MLPerf scenarios
        m_info.defaultTarget = kModelTarget;
        m_info.metrics = servingMetrics();
        m_info.charts = {
            {"ttft_over_rate", "TTFT over rate", "rate", "ttft_p99", ParamScale::Log2, ParamScale::Log2},
            {"tpot_over_rate", "TPOT over rate", "rate", "tpot_p99", ParamScale::Log2, ParamScale::Log2},
            {"itl_over_rate", "Latency between tokens over rate", "rate", "itl_p99", ParamScale::Log2,
             ParamScale::Log2},
            {"throughput_over_rate", "Throughput over rate", "rate", "throughput", ParamScale::Log2, ParamScale::Log2},
            {"goodput_over_rate", "Goodput over rate", "rate", "goodput", ParamScale::Log2},
            {"tpot_over_concurrency", "TPOT over concurrency", "concurrency", "tpot_mean", ParamScale::Log2},
            {"throughput_over_concurrency", "Throughput over concurrency", "concurrency", "throughput",
             ParamScale::Log2, ParamScale::Log2},
            {"itl_over_scheduler", "Latency between tokens of the schedulers", "scheduler", "itl_p99",
             ParamScale::List},
            {"cost_over_rate", "Cost over rate", "rate", "cost_per_million", ParamScale::Log2, ParamScale::Log2},
            {"busy_over_rate", "Busy over rate", "rate", "utilization", ParamScale::Log2},
            {"kept_over_repair", "Within objectives over repair", "repair", "slo_share"},
            {.id = "kept_over_hours",
             .title = "Within objectives over GPU hours",
             .x = "gpu_hours",
             .y = "slo_share",
             .kind = "pareto",
             .leastY = false}};
        m_info.limits = {{"tpot_mean", "weights once from memory", "lower",
                          "bytes of the weights that a token needs / (tp x bandwidth)",
                          "pin bandwidths of the chip table"}};
        m_info.scene = "lanes";
    }
    const ExperimentInfo& info() const override { return m_info; }
    Result<void> run(const ParamSet& params, RunContext& context) const override;

private:
    ExperimentInfo m_info;
};

/// What scenarios that ask for the best try: how GPUs share the model, and how many tokens a step has.
std::vector<ParamSet> settingsToTry(const ParamSet& params)
{
    const std::int64_t gpus = integer(params, "gpus"), tp = integer(params, "tp"), pp = integer(params, "pp");
    const bool share = gpus > 1 && tp == 0 && integer(params, "replicas") == 0;
    const bool chunks = choice(params, "scenario") == "server" && choice(params, "scheduler") == "sarathi" &&
                        integer(params, "chunk") == 0;
    std::vector<ParamSet> sets;
    for (std::int64_t stages = std::max<std::int64_t>(1, pp);; stages *= 2) {
        for (std::int64_t ways = 1;; ways *= 2) {
            if (share && (ways * stages > gpus || gpus % (ways * stages) != 0))
                break;
            for (const std::int64_t chunk : {8192, 4096, 2048, 1024, 512}) {
                ParamSet& set = sets.emplace_back(params);
                set["pp"] = stages;
                if (share)
                    set["tp"] = ways;
                if (!chunks)
                    break;
                set["chunk"] = chunk;
            }
            if (!share)
                break;
        }
        if (!share || pp != 0 || stages * 2 > gpus)
            return sets;
    }
}

/// One setting, or of scenarios that ask for the best the best of several.
Result<Ran> bestRun(const ParamSet& params, RunContext& context)
{
    const std::uint64_t seed = context.rng().next();
    const auto settingOf = [&](const ParamSet& set) {
        Rng rng(seed);
        return servingSetting(set, context.machine(), rng);
    };
    const std::string& scenario = choice(params, "scenario");
    if (!triesSettings(scenario)) {
        auto setting = settingOf(params);
        if (!setting)
            return setting.error();
        return runOnce(std::move(*setting), &context);
    }

    struct Tried {
        ParamSet set;
        double tokens, answers; ///< a second, where all requests come at once: the most that there can be
    };
    std::vector<Tried> tried;
    std::optional<Error> error;
    for (const ParamSet& set : settingsToTry(params)) {
        auto setting = settingOf(set);
        auto flood = setting ? flooded(std::move(*setting), context) : Result<Ran>(setting.error());
        if (context.cancelled() && flood)
            return flood;
        if (flood)
            tried.push_back({set, throughputOf(*flood), answersASecond(*flood)});
        else if (!error)
            error = flood.error();
    }
    if (tried.empty())
        return *error;
    std::stable_sort(tried.begin(), tried.end(), [](const Tried& a, const Tried& b) { return a.tokens > b.tokens; });

    // A run lasts ten minutes or longer.
    const auto longEnough = [&](ParamSet set, double rate) {
        const double wanted = std::ceil(kLeastSeconds * rate), most = kMostRequests;
        if (integer(set, "requests") == 0 && !given(set, "trace"))
            set["requests"] = static_cast<std::int64_t>(std::clamp(wanted, double(kMlperfSamples), most));
        return set;
    };
    if (scenario == "offline") {
        auto setting = settingOf(longEnough(tried.front().set, tried.front().answers));
        if (!setting)
            return setting.error();
        return flooded(std::move(*setting), context);
    }
    std::optional<Ran> best;
    ParamSet bestSet;
    for (const Tried& each : tried) {
        if (context.cancelled() || (best && each.tokens <= throughputOf(*best)))
            break;
        const auto setting = settingOf(each.set);
        if (!setting)
            return setting.error();
        auto found = highestRate(*setting, each.answers, context);
        if (!found)
            return found.error();
        if (*found && (!best || throughputOf(**found) > throughputOf(*best))) {
            best = std::move(**found);
            bestSet = each.set;
        }
    }
    if (!best)
        return Error{"bad-serving", "no rate keeps TTFT of 2 s and TPOT of 0.2 s for 99 % of the requests", "scenario",
                     "take more GPUs, a smaller model or shorter prompts"};
    if (auto setting = settingOf(longEnough(bestSet, best->setting.rate)); setting) {
        const double most = 1.05 * best->setting.rate; // a longer run waits a little longer, or its draw is luckier
        auto found = highestRate(*setting, most, context);
        if (found && *found)
            return std::move(**found);
    }
    return std::move(*best);
}

Result<void> ServingExperiment::run(const ParamSet& params, RunContext& context) const
{
    auto ran = bestRun(params, context);
    if (context.cancelled())
        return {};
    if (!ran)
        return ran.error();
    const ServingSetting& s = ran->setting;
    const ClusterResult& r = ran->result;
    const Summary& u = ran->summary;
    if (r.stopped)
        return {};
    const Provenance by = context.target().kind->provenance; // on "model" all of it is modelled
    const auto tell = [&](const std::string& name, double value) { context.metric(name, value, by); };
    tell("makespan", r.makespan);
    tell("batches", static_cast<double>(r.batches));
    tell("tokens", static_cast<double>(r.tokens));
    tell("restarts", static_cast<double>(r.restarts));
    tell("throughput", u.outputTokens / r.makespan);
    tell("request_rate",
         choice(params, "scenario") == "server" ? s.rate : static_cast<double>(u.finished) / r.makespan);
    tell("goodput", u.good / r.makespan);
    tell("slo_share", u.good / static_cast<double>(u.finished));
    tell("utilization", r.busy / r.up);
    const double blocks = static_cast<double>(s.cluster.replica.blocks);
    tell("kv_mean", r.blockSeconds / (r.busy * blocks));
    tell("kv_peak", static_cast<double>(r.peakBlocks) / blocks);
    tell("kv_blocks", blocks);
    tell("batch_peak", static_cast<double>(r.peakRunning));
    tell("cached_share", static_cast<double>(r.cachedTokens) / u.promptTokens);
    tell("replicas_peak", r.peakReplicas);
    tell("tensor_parallel", s.tensor);
    tell("pipeline_stages", s.gpus / s.tensor);
    tell("step_tokens", s.cluster.replica.chunk);
    const double energy = s.gpus * (r.busy * s.busyWatts + std::max(0.0, r.up - r.busy) * s.idleWatts);
    tell("energy", energy);
    tell("energy_per_token", energy / u.outputTokens);
    const double hours = s.gpus * r.up / 3600;
    tell("gpu_hours", hours);
    tell("cost", hours * s.price);
    tell("cost_per_million", hours * s.price / u.outputTokens * 1e6);
    for (const auto& [name, spread] :
         {std::pair{"ttft", &u.ttft}, {"tpot", &u.tpot}, {"itl", &u.itl}, {"e2e", &u.e2e}}) {
        if (spread->count == 0)
            continue;
        const std::string begin = name;
        tell(begin + "_mean", spread->mean);
        tell(begin + "_p50", spread->p50);
        tell(begin + "_p90", spread->p90);
        tell(begin + "_p95", spread->p95);
        tell(begin + "_p99", spread->p99);
    }
    if (s.singleQueue) { // how long a request takes that is alone
        ServingSetting alone = s;
        alone.requests.resize(1);
        alone.requests[0].arrival = 0;
        const auto one = runOnce(std::move(alone), nullptr);
        if (one) {
            const double service = one->summary.e2e.mean - s.outside, load = s.rate * service;
            tell("wait_mean", u.e2e.mean - s.outside - service);
            if (load < 1)
                context.metric("wait_theory", load * service / (2 * (1 - load)), Provenance::Modelled);
        }
    }
    if (s.leastTpot > 0 && u.tpot.count > 0)
        context.limit("tpot_mean", s.leastTpot);

    double work = 0, later = 0, told = 0;
    for (const RequestState& each : r.requests) {
        work += static_cast<double>(each.total() - 1);
        later += each.output - 1;
    }
    for (const Interval& i : r.intervals)
        told += i.weight;
    const double worked = static_cast<double>(r.tokens + r.cachedTokens);
    context.check("every request", u.finished == s.requests.size(),
                  fmt::format("{} answered, {} asked", u.finished, s.requests.size()));
    // Restarts compute again; where one cuts a prompt in two, the rest of the prompt counts as output.
    const bool again = r.restarts > 0, cut = again && s.cluster.replica.cutPrompt;
    context.check("every token", (again ? worked >= work : worked == work) && (cut ? told >= later : told == later),
                  fmt::format("{:.0f} tokens in steps, {:.0f} in requests; {:.0f} after a first one, {:.0f} asked for",
                              worked, work, told, later));
    const double prefixes = static_cast<double>(s.cluster.replica.prefixTokens / s.cluster.replica.block) *
                            s.cluster.replica.groups * r.peakReplicas;
    context.check(
        "every block", static_cast<double>(r.blocksLeft) <= prefixes,
        fmt::format("{} blocks are in use at the end, cached prefixes have {:.0f} at most", r.blocksLeft, prefixes));
    if (context.wantsTrace())
        context.trace(LaneTrace::kKind, picture(s));
    return {};
}

} // namespace

std::unique_ptr<Experiment> makeServing()
{
    return std::make_unique<ServingExperiment>();
}

} // namespace ridge::labs
