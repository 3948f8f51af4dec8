// SPDX-License-Identifier: GPL-3.0-or-later
// Lesson 3.3: one program on a chip whose schedule is fixed and on one with caches, and how many chips a model takes.
#include "accelerator/groq.h"
#include "base/lane_trace.h"
#include "labs/catalogue.h"
#include "labs/harness/declare.h"
#include "labs/harness/model_params.h"
#include "labs/harness/silicon_rows.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

namespace ridge::labs {
namespace {

using namespace accelerator;

class StaticScheduleExperiment : public Experiment {
public:
    StaticScheduleExperiment()
    {
        m_info.id = "static_schedule";
        m_info.title = "A static schedule against caches";
        m_info.module = 3;
        m_info.summary = "Runs one program with a fixed schedule and with caches and an arbiter, and counts chips.";
        m_info.parameters = {
            choiceParam("memory", "Memory", {"static", "caches"}, "static", "Of the run that `latency` tells."),
            integerParam("layers", "Layers", "", 1, 64, 8, ParamScale::Linear, "Of the program."),
            integerParam("planes", "Planes", "", 1, 4, 4, ParamScale::List, "Products of a layer side by side."),
            integerParam("vectors", "Vectors", "", 1, 4096, 32, ParamScale::Log2, "Rows of each product."),
            integerParam("streams", "Streams", "", 1, 64, 32, ParamScale::Log2,
                         "Each way. Fewer: results wait for one."),
            integerParam("runs", "Runs", "", 1, 100000, 1000, ParamScale::Log2, "Of which the latencies are told."),
            amountParam("hit_rate", "Hit rate", "", 1, 0.95, "Of the caches."),
            integerParam("miss_cycles", "Miss", "cycles", 0, 100000, 200, ParamScale::Log2, "On top of a read's own."),
            integerParam("hit_cycles", "Hit", "cycles", 0, 1000, 4, ParamScale::Linear, "On top of a read's own."),
            integerParam("sharers", "Sharers", "", 0, 16, 3, ParamScale::Linear, "Others that may want the port."),
            amountParam("load", "Load", "", 1, 0.3, "Probability that a sharer wants the port when a read does."),
            amountParam("weights", "Weights", "10^9", 1e6, 70, "Of the model that is spread over chips."),
            integerParam("bits", "Bits", "", 1, 32, 16, ParamScale::List, "Of a weight."),
            amountParam("sram_mb", "SRAM", "MB", 1e6, 0, "Of a chip, 10^6 B; 0 takes the machine's."),
            integerParam("stage_chips", "Chips of a stage", "", 1, 1024, 1, ParamScale::Log2,
                         "That work on a token at the same time."),
            amountParam("hops", "Hops", "", 1e6, 0, "Links that a token's results cross one after the other."),
            amountParam("hop_ns", "Hop", "ns", 1e6, 0, "Time of one.")};
        m_info.targets = {"machine"};
        m_info.engine = "accelerator";
        m_info.engineVersion = 1;
        m_info.defaultTarget = "machine:groq-lpu";
        m_info.metrics = {{"latency", "Latency", "cycles", "Of the first run, on the memory that is chosen."},
                          {"static_cycles", "Static", "cycles", "Of the schedule; the same in each run."},
                          {"static_variance", "Static, variance", "cycles^2", "Over all runs."},
                          {"cache_mean", "Caches, mean", "cycles", "Over all runs."},
                          {"cache_variance", "Caches, variance", "cycles^2", "Over all runs."},
                          {"cache_p50", "Caches, median", "cycles", "Over all runs."},
                          {"cache_p99", "Caches, 99th percentile", "cycles", "Over all runs."},
                          {"cache_max", "Caches, slowest", "cycles", "Over all runs."},
                          {"slower", "Caches over static", "1", "99th percentile over the schedule."},
                          {"chips", "Chips", "chips", "That hold the weights."},
                          {"weight_bytes", "Weights", "B", "Of the model."},
                          {"sram_time", "SRAM read once", "s", "A chip's whole memory at its published rate."},
                          {"token_time", "Token", "s", "Every weight installed once, and hops."},
                          {"tokens_per_s", "Tokens a second", "1/s", "Of one sequence."},
                          {"ridge", "Ridge", "FLOP/B", "Operations in 16 bits over bytes of SRAM, a second each."}};
        m_info.charts = {{"latency_cdf", "Latency", "memory", "latency", ParamScale::List, ParamScale::Linear, "cdf"},
                         {"chips_over_weights", "Chips over weights", "weights", "chips"},
                         {"p99_over_hit_rate", "99th percentile over hit rate", "hit_rate", "cache_p99"}};
        m_info.limits = {{"cache_p99", "static schedule", "lower", "no wait at all", "the same program and units"}};
        m_info.scene = "lanes";
    }
    const ExperimentInfo& info() const override { return m_info; }

    Result<void> run(const ParamSet& params, RunContext& context) const override
    {
        auto chip = lpuChipOf(*context.machine());
        if (!chip)
            return chip.error();
        const auto number = [&](const char* name) { return static_cast<std::uint32_t>(integer(params, name)); };
        const auto real = [&](const char* name) { return std::get<double>(params.at(name)); };
        const auto ops = lpuNetwork(number("layers"), number("planes"), number("vectors"));
        const auto schedule = scheduleLpu(ops, number("streams"));
        if (!schedule)
            return schedule.error();
        const SharedMemory memory{real("hit_rate"), number("hit_cycles"), number("miss_cycles"), number("sharers"),
                                  real("load")};
        const std::uint64_t runs = integer(params, "runs");
        // The static machine runs as often, on the same simulator without caches and sharers; where streams are short,
        // its schedule is what the program says.
        double mean = 0, square = 0, stillMean = 0, stillSquare = 0;
        std::vector<std::uint64_t> latencies, begins;
        for (std::uint64_t r = 0; r < runs && !context.cancelled(); ++r) {
            latencies.push_back(runLpu(ops, &memory, &context.rng(), r == 0 ? &begins : nullptr));
            const double d = double(latencies.back()) - mean;
            mean += d / double(r + 1);
            square += d * (double(latencies.back()) - mean);
            const double still = double(std::max(schedule->cycles, runLpu(ops, nullptr, nullptr)));
            const double e = still - stillMean;
            stillMean += e / double(r + 1);
            stillSquare += e * (still - stillMean);
        }
        if (latencies.empty())
            return {};
        const auto first = latencies.front();
        std::sort(latencies.begin(), latencies.end());
        const auto at = [&](double share) {
            return double(latencies[static_cast<std::size_t>(share * double(latencies.size() - 1))]);
        };
        const auto tell = [&](const char* name, double value) { context.metric(name, value, Provenance::Simulated); };
        tell("latency", choice(params, "memory") == "static" ? double(schedule->cycles) : double(first));
        tell("static_cycles", double(schedule->cycles));
        tell("static_variance", stillSquare / double(runs));
        tell("cache_mean", mean);
        tell("cache_variance", square / double(runs));
        tell("cache_p50", at(0.5));
        tell("cache_p99", at(0.99));
        tell("cache_max", double(latencies.back()));
        tell("slower", at(0.99) / double(schedule->cycles));
        const double bytes = real("weights") * 1e9 * double(number("bits")) / 8;
        tell("weight_bytes", bytes);
        tell("sram_time", chip->sramBytes / chip->sramBytesPerS);
        tell("ridge", 2 * chip->peak() / 4 / chip->sramBytesPerS);
        if (const double given = real("sram_mb"); given > 0)
            chip->sramBytes = given * 1e6;
        tell("chips", lpuChips(*chip, bytes));
        const double token = lpuTokenSeconds(*chip, bytes, number("stage_chips"), real("hops"), real("hop_ns") * 1e-9);
        tell("token_time", token);
        if (token > 0)
            tell("tokens_per_s", 1 / token);
        context.limit("cache_p99", double(runLpu(ops, nullptr, nullptr)));
        const std::string wrong = checkLpu(ops, *schedule);
        context.check("schedule", wrong.empty(),
                      wrong.empty()
                          ? fmt::format("{} ops: inputs are there, no unit and no stream is used twice", ops.size())
                          : wrong);
        if (context.wantsTrace())
            draw(context, ops, *schedule, begins);
        return {};
    }

private:
    static void draw(RunContext& context, const std::vector<LpuOp>& ops, const LpuSchedule& schedule,
                     const std::vector<std::uint64_t>& begins)
    {
        LaneTraceBuilder lanes("One program, placed and cached", "cycles");
        const auto read = lanes.state("reads", TraceColor::Series1),
                   multiply = lanes.state("multiplies", TraceColor::Series2),
                   add = lanes.state("adds", TraceColor::Series3), write = lanes.state("writes", TraceColor::Series4);
        for (const bool cached : {false, true}) {
            std::map<std::uint32_t, std::uint32_t> places;
            for (const LpuOp& op : ops)
                places.emplace(op.place, 0);
            for (auto& [place, lane] : places)
                lane = lanes.lane(place == 0 || place == LpuChip::kPlaces - 1
                                      ? fmt::format("MXM {}", place == 0 ? "west" : "east")
                                  : place == LpuChip::kVector ? std::string("VXM")
                                                              : fmt::format("MEM {}", place),
                                  cached ? "caches, first run" : "static");
            std::vector<std::uint32_t> spans;
            for (std::size_t i = 0; i < ops.size(); ++i) {
                const std::uint64_t begin = cached ? begins[i] : schedule.ops[i].begin;
                const bool mxm = ops[i].place == 0 || ops[i].place == LpuChip::kPlaces - 1;
                spans.push_back(lanes.span(places[ops[i].place], double(begin), double(begin + ops[i].vectors),
                                           mxm                                ? multiply
                                           : ops[i].place == LpuChip::kVector ? add
                                           : ops[i].memory                    ? read
                                                                              : write,
                                           ops[i].name));
                for (const std::uint32_t input : ops[i].inputs)
                    lanes.arrow(spans[input], spans[i]);
            }
        }
        context.trace(LaneTrace::kKind, encodeLaneTrace(lanes.take()));
    }

    ExperimentInfo m_info;
};

} // namespace

std::unique_ptr<Experiment> makeStaticSchedule()
{
    return std::make_unique<StaticScheduleExperiment>();
}

} // namespace ridge::labs
