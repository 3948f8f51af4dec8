// SPDX-License-Identifier: GPL-3.0-or-later
// What forms, charts and checks need to know about the experiment "kv_cache_growth".
#include "labs/5-memory-systems/kv_cache_growth_info.h"

#include "labs/harness/declare.h"
#include "labs/harness/simulated_time.h"
#include "labs/harness/work.h"

#include <fmt/core.h>

namespace ridge::labs {

namespace {

constexpr std::uint32_t kMostGroup = 32; // a warp a query head, and a block has 32

ParamSpec headsParam(std::string name, std::string title, std::int64_t onGpu, std::int64_t elsewhere, std::string help)
{
    auto spec =
        integerParam(std::move(name), std::move(title), "heads", 1, 64, elsewhere, ParamScale::List, std::move(help));
    for (std::int64_t heads = 1; heads <= 64; heads *= 2)
        spec.choices.emplace_back(heads);
    spec.defaultFor = {{"gpu", onGpu}};
    return spec;
}

std::vector<ParamSpec> parameters()
{
    auto kernel =
        choiceParam("kernel", "Kernel", {"per_head", "grouped", "split"}, "per_head",
                    "per_head: a block for each query head; grouped: query heads that share a KV head share a "
                    "block; split: the context in pieces, put together by a second launch.");
    auto queryHeads = headsParam("query_heads", "Query heads", 32, 8, "Heads that ask, each with its own query.");
    auto kvHeads = headsParam("kv_heads", "KV heads", 8, 2,
                              "Heads that are kept in the cache. As many as query heads is multi-head attention (MHA), "
                              "fewer is grouped-query attention (GQA), one is multi-query attention (MQA).");
    auto headDim = integerParam("head_dim", "Head dimension", "elements", 64, 128, 128, ParamScale::List,
                                "Elements of a row of K or V.");
    headDim.choices = {std::int64_t{64}, std::int64_t{128}};
    auto context = integerParam("context", "Context", "tokens", 128, 131072, 512, ParamScale::Log2,
                                "Tokens that each sequence has in the cache.");
    context.defaultFor = {{"gpu", std::int64_t{8192}}};
    context.sweepFor = {{"sim", "128..8192:log2"}};
    auto batch = integerParam("batch", "Batch", "sequences", 1, 256, 1, ParamScale::Log2,
                              "Sequences that are decoded together; each has a cache of its own.");
    batch.defaultFor = {{"gpu", std::int64_t{16}}};
    auto dtype = choiceParam("dtype", "Cache format", {"fp16", "fp32"}, "fp16",
                             "Number format of K, V and q; arithmetic is fp32 in both.");
    auto layers = integerParam("layers", "Layers", "layers", 1, 128, 32, ParamScale::Linear,
                               "Layers of the model: one is executed, the others are reckoned to cost the same.");
    auto pieces = integerParam("pieces", "Pieces", "pieces", 0, 256, 0, ParamScale::Linear,
                               "Into how many pieces the split kernel cuts the context; 0: as many as give eight "
                               "blocks an SM, none shorter than 64 tokens. The other kernels ignore it.");
    return {kernel, queryHeads, kvHeads, headDim, context, batch, dtype, layers, pieces};
}

std::vector<MetricSpec> metrics()
{
    std::vector<MetricSpec> all{
        {"bytes_per_token", "Cache per token", "B",
         "What one more token of one sequence adds to the cache of the whole model: 2 × layers × KV heads × head "
         "dimension × bytes."},
        {"kv_bytes", "K and V of one layer", "B",
         "What attention of one layer must read for the next token of every sequence."},
        {"cache_bytes", "Cache of the model", "B", "K and V of all layers, tokens and sequences."},
        {"memory_share", "Share of device memory", "%",
         "Cache of the model over the device's memory, weights not counted; above 100 % it does not fit."},
        {"longest_context", "Longest context that fits", "tokens",
         "Device memory over cache per token and sequence: beyond it, nothing fits at this batch even without "
         "weights."},
        {"group", "Query heads per KV head", "heads", "1 is MHA; more of them share what is read."},
        {"intensity", "Arithmetic intensity", "FLOP/B",
         "4 operations a query element and token over the bytes of K and V: the group times 2 for fp16. Context and "
         "batch do not change it."},
        {"kv_requested", "K and V asked for", "B",
         "Bytes of K and V that the blocks ask for: every query head its own where they do not share a block."},
        {"blocks", "Blocks", "blocks", "Of the launch that reads K and V; fewer than SMs leave some idle."},
        {"loaded_bytes", "Bytes loaded", "B",
         "All bytes that lanes asked for, all launches together; only where the target counts."}};
    for (MetricSpec& spec : timeMetrics("attention of one layer for one token of every sequence"))
        all.push_back(std::move(spec));
    all.push_back({"kv_bandwidth", "K and V bandwidth", "GB/s",
                   "Bytes of K and V of one layer over the time; compare it with the memory's."});
    all.push_back({"of_limit", "Share of the limit", "%", "Shortest time that memory allows over the time."});
    all.push_back({"tokens_per_second", "Tokens per second, attention alone", "tokens/s",
                   "Batch over layers × time: what all layers' attention would allow if nothing else took time."});
    for (MetricSpec& spec : simulatedMetrics())
        all.push_back(std::move(spec));
    return all;
}

std::vector<ChartSpec> charts()
{
    const auto chart = [](const char* id, const char* title, const char* y, ParamScale yScale) {
        return ChartSpec{id, title, "context", y, ParamScale::Log2, yScale};
    };
    return {chart("time_over_context", "Time over context", "time", ParamScale::Log2),
            chart("bandwidth_over_context", "K and V bandwidth over context", "kv_bandwidth", ParamScale::Linear),
            chart("cache_over_context", "Cache over context", "cache_bytes", ParamScale::Log2),
            chart("tokens_over_context", "Tokens per second over context", "tokens_per_second", ParamScale::Log2),
            chart("memory_over_context", "Share of device memory over context", "memory_share", ParamScale::Log2)};
}

std::vector<LimitSpec> limits()
{
    const std::string pins =
        "each byte of K and V crosses the pins once; pin bandwidth from the chip table or the driver";
    return {{"time", "read K and V once", "lower",
             "2 × KV heads × head dimension × bytes × context × batch ÷ bandwidth", pins},
            {"kv_bandwidth", "memory pins never idle", "upper", "pin bandwidth", pins},
            {"of_limit", "memory pins never idle", "upper", "100 %", pins},
            {"tokens_per_second", "attention alone at pin bandwidth", "upper",
             "batch × bandwidth ÷ (layers × K and V bytes)", pins},
            {"kv_requested", "read K and V once", "lower", "2 × KV heads × head dimension × bytes × context × batch",
             "every byte of the cache takes part in the result"},
            {"cache_bytes", "device memory", "upper", "memory of the device",
             "the driver's figure, or the chip table's; the cache of one layer alone is allocated here"}};
}

} // namespace

const char* decodeKernelFile(const std::string& kernel)
{
    return kernel == "per_head" ? kDecodePerHead : kernel == "grouped" ? kDecodeGrouped : kDecodeSplit;
}

Result<DecodeShape> decodeShapeOf(const ParamSet& params)
{
    const auto value = [&](const char* name) { return static_cast<std::uint32_t>(integer(params, name)); };
    DecodeShape shape;
    shape.queryHeads = value("query_heads");
    shape.kvHeads = value("kv_heads");
    shape.headDim = value("head_dim");
    shape.elementBytes = choice(params, "dtype") == "fp16" ? 2 : 4;
    shape.context = integer(params, "context");
    shape.batch = integer(params, "batch");
    shape.layers = integer(params, "layers");
    if (shape.kvHeads > shape.queryHeads)
        return Error{"bad-parameters",
                     fmt::format("{} KV heads for {} query heads: every KV head serves at least one query head",
                                 shape.kvHeads, shape.queryHeads),
                     "kv_cache_growth: kv_heads", fmt::format("set kv_heads={} or fewer", shape.queryHeads)};
    if (shape.group() > kMostGroup)
        return Error{"bad-parameters",
                     fmt::format("{} query heads share a KV head; these kernels have a warp for each, {} at most",
                                 shape.group(), kMostGroup),
                     "kv_cache_growth: kv_heads",
                     fmt::format("set kv_heads={} or more", shape.queryHeads / kMostGroup)};
    return shape;
}

ExperimentInfo kvCacheGrowthInfo()
{
    ExperimentInfo made;
    made.id = "kv_cache_growth";
    made.version = 1;
    made.title = "KV cache growth";
    made.module = 5;
    made.summary = "Attends to a KV cache for one token and shows what the cache costs in time and memory as it grows.";
    made.parameters = parameters();
    made.targets = {"gpu", "sim"};
    made.metrics = metrics();
    made.charts = charts();
    made.limits = limits();
    made.kernels = {kDecodePerHead, kDecodeGrouped, kDecodeSplit};
    made.scenes = launchScenes();
    return made;
}

} // namespace ridge::labs
