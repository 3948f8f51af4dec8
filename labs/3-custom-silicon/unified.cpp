// SPDX-License-Identifier: GPL-3.0-or-later
// Lesson 3.7: data that a CPU wrote, read by an accelerator: copied, in place or page by page; and a model that fits
// one memory and not the other.
#include "accelerator/unified.h"
#include "base/lane_trace.h"
#include "labs/catalogue.h"
#include "labs/harness/declare.h"
#include "labs/harness/model_params.h"
#include "labs/harness/silicon_rows.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <tuple>

namespace ridge::labs {
namespace {

using namespace accelerator;

class UnifiedExperiment : public Experiment {
public:
    UnifiedExperiment()
    {
        m_info.id = "unified";
        m_info.title = "One memory or two";
        m_info.module = 3;
        m_info.summary = "Compares copies, zero-copy and managed pages, and finds the model at which capacity beats "
                         "bandwidth.";
        m_info.parameters = {
            amountParam("data_gb", "Data", "GB", 1e5, 1, "That the CPU has written, 10^9 B."),
            amountParam("passes", "Passes", "", 1e6, 1, "Times that the accelerator reads all of it."),
            amountParam("results_gb", "Results", "GB", 1e5, 0, "That go back."),
            amountParam("weights_gb", "Weights", "GB", 1e5, 40, "Of a model that decodes; each token reads all."),
            amountParam("cache_gb", "Cache", "GB", 1e5, 0, "That each token reads as well."),
            amountParam("card_gb", "Card", "GB", 1e5, 24, "Memory of a card to hold the machine against."),
            amountParam("card_gbs", "Card, bandwidth", "GB/s", 1e5, 1008, "Of its memory."),
            amountParam("card_link_gbs", "Card, link", "GB/s", 1e5, 25, "One way, to the CPU's memory."),
            amountParam("page_kb", "Page", "KiB", 1e6, 64, "That a fault brings."),
            amountParam("fault_us", "Fault", "us", 1e6, 20, "Of faults that are served together. An example."),
            integerParam("faults_together", "Faults together", "", 1, 4096, 32, ParamScale::Log2, "An example.")};
        m_info.targets = {"machine"};
        m_info.engine = "unified";
        m_info.engineVersion = 1;
        m_info.defaultTarget = "machine:apple-m2-ultra";
        m_info.metrics = {
            {"copy_time", "Copy", "s", "There, read, back. None where it does not fit."},
            {"zero_copy_time", "Zero-copy", "s", "Read where it is."},
            {"managed_time", "Managed", "s", "Pages come when they are first read."},
            {"faults", "Pages moved", "1", "Of managed memory."},
            {"best", "Fastest", "1", "0 copy, 1 zero-copy, 2 managed."},
            {"fits", "Fits", "1", "1: the data fit the machine's memory."},
            {"model_fits", "Model fits", "1", "1: weights and cache fit the machine's memory."},
            {"tokens_per_s", "Tokens a second", "1/s", "Of the machine, at full bandwidth. None: it cannot hold them."},
            {"card_tokens_per_s", "Card", "1/s", "What does not fit comes over the link for each token."},
            {"ratio", "Machine over card", "1", "Of the tokens a second."},
            {"crossover_gb", "Crossover", "GB",
             "Model from which on the machine is faster than the card. None: never."}};
        m_info.charts = {
            {"tokens_over_weights",
             "Tokens over weights",
             "weights_gb",
             "tokens_per_s",
             ParamScale::Log2,
             ParamScale::Log2,
             "series",
             {"card_tokens_per_s"}},
            {"time_over_passes",
             "Time over passes",
             "passes",
             "copy_time",
             ParamScale::Log2,
             ParamScale::Log2,
             "series",
             {"zero_copy_time", "managed_time"}},
            {"managed_over_data", "Managed over data", "data_gb", "managed_time", ParamScale::Log2, ParamScale::Log2}};
        m_info.limits = {{"tokens_per_s", "bandwidth", "upper", "bandwidth / bytes", "each token reads all weights"}};
        m_info.scene = "lanes";
        m_info.drawsNothing = true;
    }
    const ExperimentInfo& info() const override { return m_info; }

    Result<void> run(const ParamSet& params, RunContext& context) const override
    {
        const auto real = [&](const char* name) { return std::get<double>(params.at(name)); };
        MachineReader values(*context.machine());
        MemorySystem system;
        system.capacity = values.number("memory", "B") * values.numberOr("usable", "1", 1);
        system.bytesPerS = values.number("bandwidth", "B/s");
        system.linkBytesPerS = values.numberOr("link_bandwidth", "B/s", 0);
        system.hostBytesPerS = values.numberOr("host_bandwidth", "B/s", 0);
        if (values.error())
            return *values.error();
        system.pageBytes = std::max(1.0, real("page_kb")) * 1024;
        system.faultSeconds = real("fault_us") * 1e-6;
        system.faultsTogether = double(integer(params, "faults_together"));
        MemorySystem card = system;
        card.capacity = real("card_gb") * 1e9;
        card.bytesPerS = real("card_gbs") * 1e9;
        card.linkBytesPerS = real("card_link_gbs") * 1e9;
        card.hostBytesPerS = 0;
        if (!(card.bytesPerS > 0) || !(card.linkBytesPerS > 0))
            return Error{"bad-value", "the card has no bandwidth", "parameters card_gbs, card_link_gbs",
                         "give more than 0"};
        const SharedUse use{real("data_gb") * 1e9, real("passes"), real("results_gb") * 1e9};
        const auto tell = [&](const char* name, double value) { context.metric(name, value, Provenance::Modelled); };
        SharedCost costs[3];
        int best = -1;
        const char* names[] = {"copy_time", "zero_copy_time", "managed_time"};
        for (int how = 0; how < 3; ++how) {
            const auto cost = shareMemory(system, static_cast<Sharing>(how), use);
            if (!cost)
                return cost.error();
            costs[how] = *cost;
            if (!(cost->time > 0))
                continue;
            tell(names[how], cost->time);
            if (best < 0 || cost->time < costs[best].time)
                best = how;
        }
        tell("faults", costs[2].faultCount);
        tell("fits", use.bytes + use.results <= system.capacity);
        if (best >= 0)
            tell("best", best);
        const double weights = real("weights_gb") * 1e9, cache = real("cache_gb") * 1e9;
        if (weights + cache > 0) {
            const DecodeCost here = decodeToken(system, weights, cache), there = decodeToken(card, weights, cache);
            tell("model_fits", here.fits);
            tell("card_tokens_per_s", 1 / there.seconds);
            if (here.possible) {
                tell("tokens_per_s", 1 / here.seconds);
                tell("ratio", there.seconds / here.seconds);
                context.limit("tokens_per_s", system.bytesPerS / (weights + cache));
            } else
                context.log("the model is larger than this memory, and there is no other");
        }
        if (system.unified()) {
            const double at = crossoverBytes(card, system);
            if (at >= 0)
                tell("crossover_gb", at / 1e9);
            if (at > 0) {
                const double a = decodeToken(card, at, 0).seconds, b = decodeToken(system, at, 0).seconds;
                context.check("crossover", std::abs(a - b) <= 1e-9 * b,
                              fmt::format("{:.6g} GB: {:.6g} s on the card, {:.6g} s here", at / 1e9, a, b));
            }
        }
        if (context.wantsTrace())
            draw(context, costs);
        return {};
    }

private:
    static void draw(RunContext& context, const SharedCost (&costs)[3])
    {
        LaneTraceBuilder lanes("The same data, three ways", "ms");
        const auto move = lanes.state("moves", TraceColor::Series1), fault = lanes.state("faults", TraceColor::Warn),
                   read = lanes.state("reads", TraceColor::Series2);
        const char* names[] = {"copy", "zero-copy", "managed, summed up"};
        for (int how = 0; how < 3; ++how) {
            const auto lane = lanes.lane(names[how]);
            double at = 0;
            for (const auto& [length, state, word] : {std::tuple{costs[how].faults, fault, "faults"},
                                                      {costs[how].move, move, "move"},
                                                      {costs[how].read, read, "read"}})
                if (costs[how].time > 0 && length > 0) {
                    lanes.span(lane, at * 1e3, (at + length) * 1e3, state, word);
                    at += length;
                }
        }
        context.trace(LaneTrace::kKind, encodeLaneTrace(lanes.take()));
    }

    ExperimentInfo m_info;
};

} // namespace

std::unique_ptr<Experiment> makeUnified()
{
    return std::make_unique<UnifiedExperiment>();
}

} // namespace ridge::labs
