// SPDX-License-Identifier: GPL-3.0-or-later
// Lesson 6.8: the published table of what interrupted Llama 3's training, to be added up.
#include "cluster/failure/interruptions.h"
#include "base/target_choice.h"
#include "labs/catalogue.h"
#include "labs/harness/declare.h"

namespace ridge::labs {
namespace {

using namespace cluster;

class InterruptionsExperiment : public Experiment {
public:
    InterruptionsExperiment()
    {
        std::vector<std::string> ids{"all"}, titles{"All together"};
        for (const Interruption& each : llama3Interruptions()) {
            ids.emplace_back(each.id);
            titles.emplace_back(each.title);
        }
        ParamSpec cause = choiceParam("cause", "Cause", ids, "all", "A row of the table, or all of them.");
        cause.choiceTitles = titles;
        m_info.id = "interruptions";
        m_info.title = "What interrupted Llama 3";
        m_info.module = 6;
        m_info.summary = "Shows the published counts of 54 days on 16,384 GPUs beside the shares that were printed.";
        m_info.parameters = {cause};
        m_info.targets = {kModelTarget};
        m_info.metrics = {
            {"count", "Interruptions", "1", "Unexpected ones of this cause, as published."},
            {"share", "Share", "1", "Count over 419."},
            {"printed", "Printed share", "1",
             "As the paper has it, where it is known here; of all: what it puts down to GPUs."},
            {"gpu_share", "Of GPUs", "1", "Counts of the rows that name the GPU or its memory, over 419."},
            {"mtbf", "Time between them", "s", "54 days over the count."},
            {"per_thousand_node_days", "A thousand node-days", "1", "Count over 54 days of 2,048 nodes with 8 GPUs."}};
        m_info.limits = {{"share", "all of them", "upper", "419 / 419", "a row is part of the table"}};
        m_info.charts = {{"count_over_cause", "Interruptions over cause", "cause", "count", ParamScale::List},
                         {"share_over_cause", "Share over cause", "cause", "share", ParamScale::List}};
        m_info.drawsNothing = true;
    }
    const ExperimentInfo& info() const override { return m_info; }

    Result<void> run(const ParamSet& params, RunContext& context) const override
    {
        const std::string& cause = choice(params, "cause");
        double count = 0, ofGpu = 0, printed = 0;
        for (const Interruption& each : llama3Interruptions()) {
            if (cause == "all" || each.id == cause) {
                count += each.count;
                printed = cause == "all" ? kPrintedGpuShare : each.printedShare;
            }
            if (each.ofGpu)
                ofGpu += each.count;
        }
        const auto tell = [&](const char* name, double value) { context.metric(name, value, Provenance::Modelled); };
        tell("count", count);
        tell("share", count / kUnexpected);
        context.limit("share", 1);
        if (printed > 0)
            tell("printed", printed);
        tell("gpu_share", ofGpu / kUnexpected);
        tell("mtbf", kLlama3Days * 86400 / count);
        tell("per_thousand_node_days", count / (kLlama3Days * kLlama3Gpus / 8) * 1000);
        context.log("arXiv 2407.21783, table 5");
        return {};
    }

private:
    ExperimentInfo m_info;
};

} // namespace

std::unique_ptr<Experiment> makeInterruptions()
{
    return std::make_unique<InterruptionsExperiment>();
}

} // namespace ridge::labs
