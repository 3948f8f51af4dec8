// SPDX-License-Identifier: GPL-3.0-or-later
// Lesson 6.8: what part of a long job is useful work, for a way to save it.
#include "cluster/failure/failures.h"
#include "base/lane_trace.h"
#include "base/target_choice.h"
#include "cluster/failure/interruptions.h"
#include "labs/catalogue.h"
#include "labs/harness/declare.h"
#include "labs/harness/model_params.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace ridge::labs {
namespace {

using namespace cluster;

constexpr std::size_t kDrawn = 4000; // stretches of a picture

std::vector<ParamSpec> parameters()
{
    const auto real = [](const char* name, const char* title, const char* unit, double most, double usual,
                         const char* help) { return amountParam(name, title, unit, most, usual, help); };
    ParamSpec shape = real("shape", "Weibull shape", "", 20, 1,
                           "Of times between failures. 1: exponential. Below 1 failures come in bunches.");
    shape.min = 0.2;
    ParamSpec spares = integerParam("spares", "Hot spares", "nodes", -1, 1 << 20, -1, ParamScale::Linear,
                                    "Nodes that wait to step in; where none is left the job waits for a repair. -1: "
                                    "always enough.");
    return {
        integerParam("gpus", "GPUs", "GPUs", 1, 1 << 24, 16384, ParamScale::Log2, "Of the job."),
        integerParam("node_gpus", "GPUs of a node", "GPUs", 1, 1024, 8, ParamScale::Log2, "Of one node."),
        real("mtbf", "Time between failures", "s", 1e12, 0,
             "Of the whole job, on average. 0: from failure_rate and gpus."),
        real("failure_rate", "Failures", "", 1e6, 3.8,
             "A thousand days of one node. 3.8: Llama 3. 6.5 and 2.34: two clusters of Meta."),
        real("save", "Checkpoint", "s", 1e7, 60, "One writer saves everything in this time."),
        real("interval", "Between checkpoints", "s", 1e9, 0, "Of work. 0: the best one."),
        choiceParam(
            "mode", "Saving", {saveModeNames().begin(), saveModeNames().end()}, "sync",
            "sync: the job waits. async: it waits for a copy, which is written while it works. memory: the copy "
            "in other nodes' memory is enough. sharded: every replica writes its share. hsdp: the other "
            "replicas go on, and nothing is thrown away."),
        real("stall", "Stall", "s", 1e6, 600, "From a failure until the job works again, with a node at hand."),
        real("copy", "Copy", "s", 1e6, 5, "async and memory: the job waits for it at every checkpoint."),
        integerParam("replicas", "Replicas", "", 1, 1 << 20, 16, ParamScale::Log2, "Of sharded and hsdp."),
        real("rejoin", "Rejoin", "s", 1e7, 600,
             "hsdp: from the end of the stall until the failed replica works again."),
        spares,
        real("repair", "Repair", "s", 1e8, 86400, "Of a node, which is a spare after that."),
        shape,
        real("duration", "Length", "s", 1e10, kLlama3Days * 86400, "Of the job."),
        integerParam("runs", "Jobs", "", 1, 100000, 50, ParamScale::Log2, "Simulated ones; the metrics are of all."),
        switchParam("find_optimum", "Find the optimum", false,
                    "1: simulated_optimum too, from 40 further jobs with 100,000 failures each.")};
}

std::vector<MetricSpec> metrics()
{
    return {{"goodput", "Goodput", "1", "Useful work over the time, the mean of all jobs."},
            {"goodput_p5", "Goodput, 5th percentile", "1", "Of the jobs."},
            {"goodput_p95", "Goodput, 95th percentile", "1", "Of the jobs."},
            {"closed_form", "Closed form", "1", "Of exponential times and enough nodes."},
            {"mtbf", "Time between failures", "s", "Of the whole job."},
            {"optimum", "Best interval", "s", "Of the closed form."},
            {"daly", "Daly's interval", "s", "His formula of higher order."},
            {"young", "Young's interval", "s", "sqrt(2 x pause x MTBF)."},
            {"simulated_optimum", "Best simulated interval", "s", "If it was asked for."},
            {"interval", "Interval", "s", "That was taken."},
            {"pause", "Pause", "s", "That the job waits for a checkpoint in this mode."},
            {"failures", "Failures", "1", "Of a job, on average."},
            {"saving", "Saving", "1", "Share of the time."},
            {"lost", "Thrown away", "1", "Work after the last checkpoint, as a share of the time."},
            {"stalled", "Stalled", "1", "Share of the time."},
            {"waiting", "Waiting for a node", "1", "Share of the time, where spares run out."},
            {"missing", "Replicas away", "1", "hsdp: work that absent replicas did not do, as a share."}};
}

class FailuresExperiment : public Experiment {
public:
    FailuresExperiment()
    {
        m_info.id = "failures";
        m_info.title = "Failures and checkpoints";
        m_info.module = 6;
        m_info.summary = "Simulates a long job failure by failure and counts what part of its time is useful.";
        m_info.parameters = parameters();
        m_info.targets = {kModelTarget};
        m_info.metrics = metrics();
        m_info.limits = {{"goodput", "no cost of saving", "upper", "e^-(stall / MTBF)",
                          "a stall follows every failure, and a failure in it begins it anew"}};
        m_info.charts = {{"goodput_over_interval", "Goodput over interval", "interval", "goodput", ParamScale::Log2},
                         {"goodput_over_gpus", "Goodput over GPUs", "gpus", "goodput", ParamScale::Log2},
                         {"goodput_over_mode", "Goodput over mode", "mode", "goodput", ParamScale::List},
                         {"goodput_over_stall", "Goodput over stall", "stall", "goodput"},
                         {"waiting_over_spares", "Waiting over spares", "spares", "waiting"},
                         {"optimum_over_save", "Best interval over checkpoint", "save", "optimum", ParamScale::Log2,
                          ParamScale::Log2}};
        m_info.scene = "lanes";
    }
    const ExperimentInfo& info() const override { return m_info; }
    Result<void> run(const ParamSet& params, RunContext& context) const override;

private:
    ExperimentInfo m_info;
};

void draw(const FailureRun& run, Rng& rng, RunContext& context)
{
    LaneTraceBuilder lanes("The first of the jobs", "h");
    const std::uint32_t job = lanes.lane("job"), failures = lanes.lane("failures");
    const std::uint8_t states[] = {lanes.state("work", TraceColor::Good), lanes.state("save", TraceColor::Series1),
                                   lanes.state("thrown away", TraceColor::Bad),
                                   lanes.state("stall", TraceColor::Warn, "!"),
                                   lanes.state("wait for a node", TraceColor::Series5, "n")};
    const std::uint8_t failed = lanes.state("failure", TraceColor::Bad, "x");
    for (const JobSpan& span : run.spans)
        lanes.span(job, span.begin / 3600, span.end / 3600, states[static_cast<std::size_t>(span.state)]);
    const double end = run.spans.empty() ? 0 : run.spans.back().end;
    for (const double at : run.failureTimes) {
        if (at > end)
            break;
        double place = rng.uniform() * kUnexpected; // a cause as often as Llama 3 had it
        std::string_view cause;
        for (const Interruption& each : llama3Interruptions()) {
            cause = each.title;
            if ((place -= each.count) < 0)
                break;
        }
        lanes.instant(failures, at / 3600, failed, cause);
    }
    context.trace(LaneTrace::kKind, encodeLaneTrace(lanes.take()));
}

Result<void> FailuresExperiment::run(const ParamSet& params, RunContext& context) const
{
    const auto real = [&](const char* name) { return std::get<double>(params.at(name)); };
    FailureSetting s;
    s.mode = static_cast<SaveMode>(std::find(saveModeNames().begin(), saveModeNames().end(), choice(params, "mode")) -
                                   saveModeNames().begin());
    s.mtbf = real("mtbf");
    if (s.mtbf <= 0)
        s.mtbf = jobMtbf(static_cast<double>(integer(params, "gpus")),
                         static_cast<double>(integer(params, "node_gpus")), real("failure_rate"));
    s.shape = real("shape");
    s.duration = real("duration");
    s.save = real("save");
    s.stall = real("stall");
    s.copy = real("copy");
    s.replicas = static_cast<double>(integer(params, "replicas"));
    s.rejoin = real("rejoin");
    s.spares = static_cast<double>(std::get<std::int64_t>(params.at("spares")));
    s.repair = real("repair");
    const CheckpointCost cost = costOf(s);
    s.interval = real("interval");
    if (s.interval <= 0 && std::isfinite(s.mtbf)) {
        s.interval = bestInterval(cost);
        if (s.mode == SaveMode::Async)
            s.interval = std::max(s.interval, s.save - s.copy);
    }
    if (auto good = checkFailures(s); !good)
        return good.error();
    const std::uint64_t runs = integer(params, "runs");
    if (static_cast<double>(runs) * s.duration / s.mtbf > kMostFailures)
        return Error{"too-large",
                     fmt::format("{} jobs with {:.3g} failures each are too many", runs, s.duration / s.mtbf), "runs",
                     fmt::format("take at most {:.0f}", std::max(1.0, kMostFailures * s.mtbf / s.duration))};

    std::vector<double> goodputs;
    FailureRun sum, first;
    for (std::uint64_t i = 0; i < runs && !context.cancelled(); ++i) {
        FailureRun run = runFailures(s, context.rng(), i == 0 && context.wantsTrace() ? kDrawn : 0);
        goodputs.push_back(run.goodput);
        sum.useful += run.useful;
        sum.saving += run.saving;
        sum.lost += run.lost;
        sum.stalled += run.stalled;
        sum.waiting += run.waiting;
        sum.missing += run.missing;
        sum.failures += run.failures;
        if (i == 0)
            first = std::move(run);
    }
    if (goodputs.empty())
        return {};
    const double all = s.duration * static_cast<double>(goodputs.size());
    std::sort(goodputs.begin(), goodputs.end());
    const auto percentile = [&](double share) { // by linear interpolation
        const double place = share * static_cast<double>(goodputs.size() - 1);
        const auto low = static_cast<std::size_t>(place);
        const std::size_t high = std::min(low + 1, goodputs.size() - 1);
        return goodputs[low] + (place - static_cast<double>(low)) * (goodputs[high] - goodputs[low]);
    };
    const bool closes = s.mode != SaveMode::Hsdp && s.spares < 0;
    const double closed = closes ? usefulShare(cost, s.interval) : 0;
    const auto simulated = [&](const char* name, double value) { context.metric(name, value, Provenance::Simulated); };
    const auto modelled = [&](const char* name, double value) { context.metric(name, value, Provenance::Modelled); };
    simulated("goodput", sum.useful / all);
    simulated("goodput_p5", percentile(0.05));
    simulated("goodput_p95", percentile(0.95));
    if (closes)
        modelled("closed_form", closed);
    modelled("mtbf", s.mtbf);
    if (s.mode != SaveMode::Hsdp) {
        modelled("optimum", bestInterval(cost));
        modelled("daly", dalyInterval(cost));
        modelled("young", youngInterval(cost));
        modelled("interval", s.interval);
        modelled("pause", cost.pause);
        if (integer(params, "find_optimum") != 0)
            simulated("simulated_optimum", simulatedOptimum(s, 1e5, context.rng()));
    }
    simulated("failures", static_cast<double>(sum.failures) / static_cast<double>(goodputs.size()));
    simulated("saving", sum.saving / all);
    simulated("lost", sum.lost / all);
    simulated("stalled", sum.stalled / all);
    simulated("waiting", sum.waiting / all);
    simulated("missing", sum.missing / all);
    context.limit("goodput", std::exp(-s.stall / s.mtbf));
    const double parts = (sum.useful + sum.saving + sum.lost + sum.stalled + sum.waiting + sum.missing) / all;
    context.check("every second is counted", std::abs(parts - 1) < 1e-6,
                  fmt::format("the shares add up to {:.9f}", parts));
    // Five standard errors of the failures, or of the intervals that came through where those are fewer, and the end of
    // the job, at which nothing is thrown away.
    const double seen = static_cast<double>(sum.failures), through = 1 + closed * all / s.interval;
    if (closes && s.shape == 1 && seen >= 1000)
        context.check("closed form",
                      std::abs(sum.useful / all - closed) <
                          5 * closed / std::sqrt(std::min(seen, through)) + 2 * s.mtbf / s.duration,
                      fmt::format("{:.5f} simulated, {:.5f} by the formula", sum.useful / all, closed));
    if (context.wantsTrace())
        draw(first, context.rng(), context);
    return {};
}

} // namespace

std::unique_ptr<Experiment> makeFailures()
{
    return std::make_unique<FailuresExperiment>();
}

} // namespace ridge::labs
