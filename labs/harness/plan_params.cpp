// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/harness/plan_params.h"

#include "labs/harness/chip_params.h"
#include "labs/harness/declare.h"
#include "labs/harness/input.h"
#include "labs/harness/model_params.h"
#include "workload/gpu_choice.h"
#include "workload/model_config.h"

#include <fmt/core.h>

#include <algorithm>

namespace ridge::labs {
namespace {

const std::vector<std::string> kOptimizers{"adam", "adam_fp32_grads", "adam_8bit", "sgd"};
const std::vector<std::string> kSoftware{"auto", "megatron_2021", "megatron_core"};

std::size_t placeOf(const std::vector<std::string>& names, const std::string& name)
{
    return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

Result<workload::ModelShape> shapeOf(const ParamSet& params)
{
    if (!given(params, "config"))
        return modelOf(params);
    const auto text = readInput(params, "config", 16u << 20);
    if (!text)
        return text.error();
    auto config = workload::modelFromConfigText(*text, std::get<std::string>(params.at("config")));
    if (!config)
        return config.error();
    config->shape.title = "The model of this config";
    if (auto good = workload::checkModel(config->shape); !good)
        return good.error();
    return std::move(config->shape);
}

} // namespace

std::vector<ParamSpec> jobParams()
{
    std::vector<std::string> ids, titles;
    for (const cluster::PlanSystem& each : cluster::planSystems()) {
        ids.push_back(each.id);
        titles.push_back(each.title);
    }
    ParamSpec system =
        choiceParam("system", "System", ids, "dgx-h100", "The kind of nodes that the cluster is made of.");
    system.choiceTitles = titles;
    return {modelParam("llama-3-70b", "The model that is trained."),
            fileParam("config", "Config", "Configs (*.json)",
                      "A Hugging Face config.json in place of the model; empty: the model."),
            system,
            integerParam("gpus", "GPUs", "GPUs", 1, 1 << 20, 64, ParamScale::Log2, "Of the whole cluster."),
            dtypeParam("Of products. Weights and activations have 16 bits in smaller formats too."),
            integerParam("global_batch", "Batch", "sequences", 1, 1 << 24, 128, ParamScale::Log2,
                         "Sequences of a step, of all replicas together."),
            integerParam("sequence", "Sequence", "tokens", 1, 1 << 24, 4096, ParamScale::Log2, "Tokens of each."),
            choiceParam("optimizer", "Optimizer", kOptimizers, "adam",
                        "Bytes of gradient and state a weight: adam 2 + 12, adam_fp32_grads 4 + 12, adam_8bit 2 + 6, "
                        "sgd 2 + 8."),
            choiceParam(
                "software", "Software", kSoftware, "auto",
                "megatron_2021: scores go through memory and links are waited for. megatron_core: FlashAttention, "
                "and gradients and gathers travel under the arithmetic. auto: the first on A100, else the second.")};
}

Result<cluster::TrainingJob> jobOf(const ParamSet& params)
{
    static const auto catalogue = silicon::shippedCatalogue();
    if (!catalogue)
        return catalogue.error();
    cluster::TrainingJob job;
    auto model = shapeOf(params);
    if (!model)
        return model.error();
    job.model = std::move(*model);
    if (job.model.kind == workload::ModelKind::Convolutional)
        return Error{"bad-plan", job.model.title + " has no layers of attention, which plans are for", "model",
                     "take a transformer"};
    const auto system = cluster::findPlanSystem(choice(params, "system"));
    if (!system)
        return system.error();
    job.system = *system;
    const auto chip = catalogue->find(system->chip);
    if (!chip)
        return chip.error();
    const auto device = workload::deviceOf(*catalogue, *chip, workload::dtypeNamed(choice(params, "dtype")));
    if (!device)
        return device.error();
    job.device = *device;
    job.gpus = static_cast<double>(integer(params, "gpus"));
    job.globalBatch = static_cast<double>(integer(params, "global_batch"));
    job.sequence = static_cast<double>(integer(params, "sequence"));
    job.optimizer = static_cast<workload::Optimizer>(placeOf(kOptimizers, choice(params, "optimizer")));
    const std::size_t software = placeOf(kSoftware, choice(params, "software"));
    job.software = software == 1 || (software == 0 && chip->computeMajor == 8 && chip->computeMinor == 0)
                       ? cluster::Software::Megatron2021
                       : cluster::Software::MegatronCore;
    job.usableMemory = workload::kUsableMemory * job.device.memoryBytes;
    return job;
}

std::string planText(const cluster::TrainingPlan& p)
{
    std::string text = fmt::format("tp {}, pp {}, dp {}", p.tensor, p.pipeline, p.data);
    if (p.context > 1)
        text += fmt::format(", cp {}", p.context);
    if (p.expert > 1)
        text += fmt::format(", ep {}", p.expert);
    if (p.pipeline > 1)
        text += ", " + cluster::scheduleNames()[static_cast<std::size_t>(p.schedule)];
    if (p.interleave > 1)
        text += fmt::format(" in {} pieces", p.interleave);
    const char* again[] = {"", ", scores computed again", ", all computed again"};
    return text + fmt::format(", micro-batches of {}, ZeRO {}{}{}", p.microBatch, p.zero,
                              p.sequenceParallel ? ", sequence parallel" : "",
                              again[static_cast<std::size_t>(p.recompute)]);
}

} // namespace ridge::labs
