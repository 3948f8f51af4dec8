// SPDX-License-Identifier: GPL-3.0-or-later
#include "lessons/explore_models.h"

#include "base/json.h"

namespace ridge::lessons {

namespace {

ParamSpec number(const char* name, const char* title, ParamType type, double min, double max, ParamScale scale,
                 const char* unit, const char* help)
{
    ParamSpec spec;
    spec.name = name;
    spec.title = title;
    spec.type = type;
    spec.min = min;
    spec.max = max;
    spec.scale = scale;
    spec.unit = unit;
    spec.help = help;
    return spec;
}

ParamSpec whole(const char* name, const char* title, double min, double max, std::int64_t preset, ParamScale scale,
                const char* help, const char* unit = "")
{
    ParamSpec spec = number(name, title, ParamType::Integer, min, max, scale, unit, help);
    spec.defaultValue = preset;
    return spec;
}

ParamSpec real(const char* name, const char* title, double min, double max, double preset, ParamScale scale,
               const char* help, const char* unit)
{
    ParamSpec spec = number(name, title, ParamType::Real, min, max, scale, unit, help);
    spec.defaultValue = preset;
    return spec;
}

ParamSpec sizes(const char* name, const char* title, const char* help)
{
    ParamSpec spec = whole(name, title, 4, 16, 4, ParamScale::List, help, "B");
    spec.choices = {std::int64_t{4}, std::int64_t{8}, std::int64_t{16}};
    return spec;
}

/// From min to max in steps.
ParamSpec stepped(const char* name, const char* title, std::int64_t min, std::int64_t max, std::int64_t step,
                  std::int64_t preset, const char* help, const char* unit)
{
    ParamSpec spec = whole(name, title, double(min), double(max), preset, ParamScale::List, help, unit);
    for (std::int64_t value = min; value <= max; value += step)
        spec.choices.push_back(value);
    return spec;
}

ParamSpec choice(const char* name, const char* title, const std::vector<std::string>& choices, const char* preset,
                 const char* help)
{
    ParamSpec spec = number(name, title, ParamType::Choice, 0, 0, ParamScale::List, "", help);
    spec.choices.assign(choices.begin(), choices.end());
    spec.defaultValue = std::string(preset);
    return spec;
}

std::vector<ExploreModelInfo> accessModels()
{
    return {{"warp_access",
             {whole("stride", "Stride (elements)", 1, 128, 1, ParamScale::Linear,
                    "Elements from one lane's address to the next lane's"),
              whole("offset", "Offset (elements)", 0, 31, 0, ParamScale::Linear,
                    "Elements from the start of the buffer to lane 0"),
              sizes("element_bytes", "Element size", "Bytes that one lane loads")}},
            {"bank_access",
             {whole("stride", "Stride (words)", 1, 128, 1, ParamScale::Linear,
                    "Words from one lane's address to the next lane's"),
              sizes("word_bytes", "Word size", "Bytes that one lane reads")}},
            {"mma_fragments",
             {whole("shape", "Shape", 0, 6, 0, ParamScale::Linear,
                    "0: m16n8k16 of 16 bits, 1: m16n8k8 of 16 bits, 2: m16n8k8 tf32, 3: m16n8k4 tf32, 4: m16n8k16 of 8 "
                    "bits, 5: m16n8k32 of 8 bits, 6: m8n8k4 of 64 bits")}}};
}

std::vector<ExploreModelInfo> chipModels(const ChipIds& chips)
{
    const std::vector<std::string> measured = {"v100", "a100", "gh200", "l40"};
    return {{"occupancy",
             {choice("chip", "Chip", chips.withLimits, "h100-sxm", "Whose SM it is"),
              stepped("block_threads", "Threads a block", 32, 1024, 32, 256, "Threads of one block", "threads"),
              whole("registers", "Registers a thread", 16, 255, 32, ParamScale::Linear,
                    "Registers that one thread uses", "registers"),
              stepped("shared_bytes", "Shared memory a block", 0, 233472, 1024, 0,
                      "Shared memory that one block asks for", "B")}},
            {"roofline",
             {choice("chip", "Chip", chips.all, "h100-sxm", "Whose roofs are drawn"),
              choice("precision", "Precision", {"fp32", "tf32", "fp16", "bf16", "fp8"}, "bf16",
                     "Number format of the arithmetic; fp32 uses no tensor core"),
              real("intensity", "Arithmetic intensity", 1.0 / 16, 4096, 8, ParamScale::Log2,
                   "FLOP that the kernel does for each byte it moves to or from memory", "FLOP/B")}},
            {"generations",
             {choice("chip_a", "From", chips.all, "a100-sxm-80", "The chip you have"),
              choice("chip_b", "To", chips.all, "h100-sxm", "The chip you look at"),
              choice("profile", "Kernel", {"gemm_bf16", "gemm_fp32", "decode", "stream", "gemm_fp8"}, "gemm_bf16",
                     "The kernel whose speed-up is predicted")}},
            {"latency",
             {choice("chip_a", "Chip", measured, "v100", "First staircase"),
              choice("chip_b", "And", measured, "l40", "Second staircase"),
              choice("unit", "Unit", {"cycles", "ns"}, "cycles", "Cycles of the chip's own clock, or nanoseconds")}},
            {"transfer",
             {choice("link", "Link", {"pcie3", "pcie4", "pcie5", "nvlink3", "nvlink4", "nvlink5"}, "pcie4",
                     "What the bytes cross, one direction"),
              whole("bytes", "Size", 1024, 1073741824, 1048576, ParamScale::Log2, "Bytes of one copy", "B"),
              whole("latency_us", "Latency", 1, 100, 10, ParamScale::Linear,
                    "What a copy takes beside moving its bytes", "µs")}},
            {"gpu_choice",
             {choice("workload", "Workload", {"train_7b", "serve_8b_b1", "serve_8b_b64", "long_70b"}, "serve_8b_b1",
                     "What has to run"),
              real("price_ratio", "Price step", 0.25, 8, 1, ParamScale::Log2,
                   "How many times dearer an hour is in each class of GPUs than in the class below it", "×"),
              choice("view", "Show", {"performance", "cost"}, "cost", "Tokens a second, or cost of a million tokens")}},
            {"crossover",
             {choice("work", "Work", {"saxpy", "sgemm"}, "saxpy", "y = a x + y over n elements, or C = A B of order n"),
              whole("n", "n", 64, 67108864, 65536, ParamScale::Log2, "Elements of SAXPY, order of SGEMM"),
              choice("copies", "Copies", {"no", "yes"}, "no", "Whether the data is copied to the GPU and back")}}};
}

} // namespace

const ParamSpec* ExploreModelInfo::parameter(std::string_view parameterName) const
{
    for (const ParamSpec& spec : parameters)
        if (spec.name == parameterName)
            return &spec;
    return nullptr;
}

bool ExploreModelInfo::namesChips() const
{
    return name == "occupancy" || name == "roofline" || name == "generations";
}

Result<ChipIds> chipIds(const std::filesystem::path& dataRoot)
{
    const std::filesystem::path file = dataRoot / "assets" / "chips" / "gpus.json";
    const Result<std::string> text = readFile(file);
    if (!text.ok())
        return text.error();
    const Result<Json> table = parseJson(*text, file.string());
    if (!table.ok())
        return table.error();
    const Error bad{"bad-chip-table", "the table of chips has no chips or no limits", file.string(),
                    "restore the file that came with the program"};
    if (!table->is_object() || !table->contains("chips") || !table->at("chips").is_array() ||
        !table->contains("sm_limits") || !table->at("sm_limits").is_object())
        return bad;
    ChipIds ids;
    for (const Json& chip : table->at("chips")) {
        if (!chip.is_object() || !chip.contains("id") || !chip.at("id").is_string())
            return bad;
        ids.all.push_back(chip.at("id").get<std::string>());
        const Json capability = chip.value("compute_capability", Json());
        if (capability.is_string() && table->at("sm_limits").contains(capability.get<std::string>()))
            ids.withLimits.push_back(ids.all.back());
    }
    return ids;
}

std::vector<ExploreModelInfo> exploreModels(const ChipIds& chips)
{
    std::vector<ExploreModelInfo> all = accessModels();
    for (ExploreModelInfo& model : chipModels(chips))
        all.push_back(std::move(model));
    return all;
}

} // namespace ridge::lessons
