// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/gpu_choice.h"

#include "base/units.h"
#include "silicon/roofline.h"

#include <array>
#include <cmath>

namespace ridge::workload {

namespace {

// Published configurations; parameter counts follow from them. Llama 3 has an output matrix of its own beside the table
// of 128,256 embeddings.
const Decoder kLlama2_7b{"Llama-2-7B", 6'738'415'616, 32, 4096, 32, 128};
const Decoder kLlama3_8b{"Llama-3-8B", 8'030'261'248, 32, 4096, 8, 128, 128256.0 * 4096};
const Decoder kLlama3_70b{"Llama-3-70B", 70'553'706'496, 80, 8192, 8, 128, 128256.0 * 8192};

std::array<Workload, 4> makeWorkloads()
{
    return {{{"train_7b", "Train 7B", kLlama2_7b, Task::Train, 4, 4096,
              "Adam in mixed precision, 16 bytes a parameter spread over the GPUs, activations recomputed, four "
              "sequences of 4,096 tokens a GPU"},
             {"serve_8b_b1", "Serve 8B, one user", kLlama3_8b, Task::Serve, 1, 4096,
              "Decode in BF16, one sequence that holds 4,096 tokens"},
             {"serve_8b_b64", "Serve 8B, 64 users", kLlama3_8b, Task::Serve, 64, 4096,
              "Decode in BF16, 64 sequences that hold 4,096 tokens each"},
             {"long_70b", "Serve 70B, long context", kLlama3_70b, Task::Serve, 4, 131072,
              "Decode in BF16, four sequences that hold 131,072 tokens each"}}};
}

double tokens(const Workload& workload)
{
    return workload.sequences * workload.context;
}

double kvBytes(const Workload& workload)
{
    return tokens(workload) * workload.model.kvBytesPerToken();
}

/// Of ring collectives: each GPU sends all but its own part.
double ringShare(unsigned gpus)
{
    return double(gpus - 1) / double(gpus);
}

Result<void> check(const Workload& workload)
{
    const Decoder& model = workload.model;
    for (const double value : {model.parameters, model.layers, model.hidden, workload.sequences})
        if (!std::isfinite(value) || value <= 0)
            return Error{"bad-workload", "the workload '" + workload.id + "' has no model or no sequences", workload.id,
                         "give it parameters, layers, width and sequences above 0"};
    if (!std::isfinite(workload.context) || workload.context < 0 ||
        (workload.task == Task::Train && workload.context == 0))
        return Error{"bad-workload", "the workload '" + workload.id + "' has no context", workload.id,
                     "give it the tokens of a sequence"};
    return {};
}

Result<unsigned> gpusToFit(const silicon::Chip& chip, const Workload& workload)
{
    if (!chip.memoryBytes.known())
        return Error{"no-memory", "the memory size of " + chip.name + " is not known", chip.id, "choose another chip"};
    const double usable = kUsableMemory * *chip.memoryBytes.value;
    for (unsigned gpus = 1; gpus <= kGpusPerServer; gpus += workload.task == Task::Serve ? gpus : 1)
        if (memoryPerGpu(workload, gpus) <= usable)
            return gpus;
    return Error{"does-not-fit",
                 "does not fit: " + formatQuantity(memoryPerGpu(workload, kGpusPerServer), "B") + " on each of " +
                     std::to_string(kGpusPerServer) + " GPUs, and " + formatQuantity(usable, "B") + " are usable",
                 chip.id, "choose a chip with more memory"};
}

/// One direction, B/s.
Result<double> linkRate(const silicon::Chip& chip)
{
    for (const std::optional<silicon::Link>& link : {chip.gpuLink, chip.pcie})
        if (link && link->bytesPerSecond.known())
            return *link->bytesPerSecond.value / (link->bothWays ? 2 : 1);
    return Error{"no-link", "the link between GPUs of " + chip.name + " is not known", chip.id, "choose another chip"};
}

} // namespace

std::span<const Workload> workloads()
{
    static const std::array<Workload, 4> all = makeWorkloads();
    return all;
}

const Workload* workload(std::string_view id)
{
    for (const Workload& one : workloads())
        if (one.id == id)
            return &one;
    return nullptr;
}

std::string_view toText(StepBound bound)
{
    switch (bound) {
    case StepBound::Memory:
        return "memory";
    case StepBound::Compute:
        return "compute";
    case StepBound::Link:
        return "link";
    }
    return {};
}

double memoryPerGpu(const Workload& workload, unsigned gpus)
{
    const Decoder& model = workload.model;
    if (workload.task == Task::Serve)
        return (model.weightBytes() + kvBytes(workload)) / gpus;
    return 16 * model.parameters / gpus + tokens(workload) * model.hidden * (2 * model.layers + 34);
}

double stepFlop(const Workload& workload, unsigned gpus)
{
    const Decoder& model = workload.model;
    const double attention = 4 * model.layers * model.hidden * workload.context;
    if (workload.task == Task::Serve)
        return workload.sequences * (2 * model.parameters + attention);
    return gpus * tokens(workload) * 4 * (2 * model.parameters + attention / 2);
}

double stepBytesPerGpu(const Workload& workload, unsigned gpus)
{
    if (workload.task == Task::Serve)
        return memoryPerGpu(workload, gpus) - 2 * workload.model.lookedUp / gpus;
    return workload.model.parameters * (8 + 28.0 / gpus);
}

double linkBytesPerGpu(const Workload& workload, unsigned gpus)
{
    const Decoder& model = workload.model;
    if (workload.task == Task::Serve)
        return 2 * model.layers * workload.sequences * model.hidden * 2 * 2 * ringShare(gpus);
    return 3 * model.weightBytes() * ringShare(gpus);
}

Result<GpuChoice> chooseGpus(const silicon::Catalogue& catalogue, const silicon::Chip& chip, const Workload& workload)
{
    if (const Result<void> legal = check(workload); !legal.ok())
        return legal.error();
    const Result<silicon::Roofline> roof = silicon::roofline(catalogue, chip, silicon::Precision::Bf16);
    if (!roof.ok())
        return roof.error();
    const Result<unsigned> gpus = gpusToFit(chip, workload);
    if (!gpus.ok())
        return gpus.error();

    GpuChoice out;
    out.gpus = *gpus;
    out.memoryBytesPerGpu = memoryPerGpu(workload, out.gpus);
    out.memoryBytes = out.memoryBytesPerGpu * out.gpus;
    out.flopPerGpu = stepFlop(workload, out.gpus) / out.gpus;
    out.bytesPerGpu = stepBytesPerGpu(workload, out.gpus);
    out.linkBytesPerGpu = linkBytesPerGpu(workload, out.gpus);
    out.computeSeconds = out.flopPerGpu / roof->flopsPerSecond;
    out.memorySeconds = out.bytesPerGpu / roof->bytesPerSecond;
    if (out.gpus > 1) {
        const Result<double> rate = linkRate(chip);
        if (!rate.ok())
            return rate.error();
        out.linkSeconds = out.linkBytesPerGpu / *rate;
    }
    out.tokensPerStep = workload.task == Task::Train ? tokens(workload) * out.gpus : workload.sequences;
    return atShare(out, workload.task, 1);
}

GpuChoice atShare(GpuChoice choice, Task task, double share)
{
    choice.computeSeconds /= share;
    choice.memorySeconds /= share;
    const double busy = std::max(choice.computeSeconds, choice.memorySeconds);
    choice.bound = choice.linkSeconds > busy                      ? StepBound::Link
                   : choice.memorySeconds > choice.computeSeconds ? StepBound::Memory
                                                                  : StepBound::Compute;
    choice.stepSeconds = task == Task::Train ? std::max(busy, choice.linkSeconds) : busy + choice.linkSeconds;
    choice.tokensPerSecond = choice.tokensPerStep / choice.stepSeconds;
    return choice;
}

double costPerMillionTokens(const GpuChoice& choice, double pricePerGpuHour)
{
    return pricePerGpuHour * choice.gpus / (choice.tokensPerSecond * 3600) * 1e6;
}

std::span<const Candidate> candidates()
{
    static const std::array<Candidate, 7> all = {
        {{"l4", 0}, {"l40s", 0}, {"a100-sxm-80", 1}, {"h100-sxm", 1}, {"h200-sxm", 1}, {"mi300x", 1}, {"b200", 2}}};
    return all;
}

double relativePrice(const Candidate& candidate, double ratio)
{
    return std::pow(ratio, double(candidate.priceClass));
}

} // namespace ridge::workload
