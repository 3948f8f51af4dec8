// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/gpu_choice.h"
#include "base/target_choice.h"
#include "labs/catalogue.h"
#include "labs/harness/chip_params.h"
#include "labs/harness/declare.h"

namespace ridge::labs {
namespace {

std::vector<ParamSpec> parameters()
{
    std::vector<std::string> ids;
    std::string help;
    for (const workload::Workload& each : workload::workloads()) {
        ids.push_back(each.id);
        help += (help.empty() ? "" : "; ") + each.id + ": " + each.title;
    }
    ParamSpec price;
    price.name = "price";
    price.title = "Price of a GPU-hour";
    price.type = ParamType::Real;
    price.unit = "";
    price.min = 0.01;
    price.max = 1000;
    price.scale = ParamScale::Log2;
    price.defaultValue = 1.0;
    price.help = "What you pay for one GPU and hour, in any currency: the cost comes in the same.";
    ParamSpec reached = price;
    reached.name = "reached";
    reached.title = "Share that your software reaches";
    reached.unit = "%";
    reached.min = 5;
    reached.max = 100;
    reached.defaultValue = 100.0;
    reached.help = "Of the dense peak and of the memory bandwidth; 100 is the datasheet. Links are left as they are.";
    ParamSpec work = choiceParam("workload", "Workload", ids, "serve_8b_b1", help + ".");
    for (const workload::Workload& each : workload::workloads())
        work.choiceTitles.push_back(each.title);
    return {work,
            chipParam("chip", "GPU", "h100-sxm", "The GPU, of which as many are taken as the workload needs to fit."),
            price, reached};
}

std::vector<MetricSpec> metrics()
{
    return {
        {"gpus", "GPUs needed", "GPUs", "The fewest whose memory holds weights and data; at most 8, one server."},
        {"fits", "Fits on one GPU", "1", "1 where a single GPU is enough, else 0."},
        {"tokens_per_second", "Tokens per second", "tokens/s",
         "Of all those GPUs together; at reached = 100 the most that the datasheet allows. None where 8 are too few."},
        {"step_time", "Time of a step", "s", "One decode step of all sequences, or one optimizer step."},
        {"cost_per_million_tokens", "Cost of a million tokens", "units of currency",
         "Price × GPUs over the tokens of an hour, in millions, in the currency of the price."},
        {"bound", "What a step waits for", "1", "0 memory, 1 arithmetic, 2 the link between the GPUs."}};
}

class Choice : public Experiment {
public:
    Choice()
    {
        m_info.id = "gpu_choice";
        m_info.version = 2; // 2: a decode step does not read the input embedding
        m_info.title = "Choosing a GPU";
        m_info.module = 1;
        m_info.summary =
            "Predicts from a datasheet how many GPUs a workload needs, how fast they are and what a token costs.";
        m_info.parameters = parameters();
        m_info.targets = {kModelTarget};
        m_info.metrics = metrics();
        m_info.charts = {{"tokens_over_chip", "Tokens per second over GPU", "chip", "tokens_per_second",
                          ParamScale::List, ParamScale::Log2},
                         {"cost_over_chip", "Cost of a million tokens over GPU", "chip", "cost_per_million_tokens",
                          ParamScale::List, ParamScale::Log2}};
        m_info.limits = {{"tokens_per_second", "links without cost", "upper",
                          "tokens of a step ÷ max(operations ÷ peak, bytes ÷ bandwidth)",
                          "roofline with the chip table's dense peaks and pin bandwidths"}};
    }
    const ExperimentInfo& info() const override { return m_info; }
    Result<void> run(const ParamSet& params, RunContext& context) const override;

private:
    ExperimentInfo m_info;
};

Result<void> Choice::run(const ParamSet& params, RunContext& context) const
{
    const auto catalogue = silicon::shippedCatalogue();
    if (!catalogue)
        return catalogue.error();
    const auto chip = chipOf(*catalogue, params, "chip");
    if (!chip)
        return chip.error();
    const workload::Workload* work = workload::workload(choice(params, "workload"));
    const auto tell = [&](const char* name, double value) { context.metric(name, value, Provenance::Modelled); };
    const auto bound = workload::chooseGpus(*catalogue, *chip, *work);
    if (!bound) {
        // A chip that cannot do it is an answer, and a sweep over chips goes on past it.
        context.log(toText(bound.error()));
        tell("fits", 0);
        return {};
    }
    const workload::GpuChoice chosen =
        workload::atShare(*bound, work->task, std::get<double>(params.at("reached")) / 100);
    tell("gpus", chosen.gpus);
    tell("fits", chosen.gpus == 1 ? 1 : 0);
    tell("tokens_per_second", chosen.tokensPerSecond);
    tell("step_time", chosen.stepSeconds);
    tell("cost_per_million_tokens", workload::costPerMillionTokens(chosen, std::get<double>(params.at("price"))));
    tell("bound", static_cast<double>(chosen.bound));
    context.limit("tokens_per_second", bound->tokensPerStep / std::max(bound->computeSeconds, bound->memorySeconds));
    return {};
}

} // namespace

std::unique_ptr<Experiment> makeGpuChoice()
{
    return std::make_unique<Choice>();
}

} // namespace ridge::labs
