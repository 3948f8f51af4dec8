// SPDX-License-Identifier: GPL-3.0-or-later
// What forms, charts and checks need to know about the experiment "attention".
#include "labs/4-kernel-optimization/attention_info.h"

#include "labs/harness/declare.h"
#include "labs/harness/pipe_rates.h"
#include "labs/harness/simulated_time.h"

#include <fmt/core.h>

namespace ridge::labs {
namespace {

std::vector<ParamSpec> parameters()
{
    auto n = integerParam("n", "Tokens", "tokens", 1, 16384, 256, ParamScale::Log2,
                          "Queries, and keys; need not be a multiple of a tile.");
    n.defaultFor = {{"gpu", std::int64_t{4096}}};
    n.sweepFor = {{"sim", "64..512:log2"}};
    auto heads =
        integerParam("heads", "Heads", "heads", 1, 1024, 8, ParamScale::Log2,
                     "Of queries, of all sequences together; each has a K and V of its own, or shares them (group).");
    heads.defaultFor = {{"gpu", std::int64_t{32}}};
    auto headDim = integerParam("head_dim", "Head dimension", "elements", 64, 128, 64, ParamScale::List,
                                "Elements of a row of Q, K or V.");
    headDim.choices = {std::int64_t{64}, std::int64_t{128}};
    auto group = integerParam("group", "Heads a key head", "heads", 1, 1024, 1, ParamScale::Log2,
                              "Query heads that share a head of K and V: 1 multi-head, more grouped-query, all of a "
                              "sequence multi-query attention; from the rung async on.");
    return {
        rungParam(attentionRungs(), "tiled"),
        n,
        heads,
        headDim,
        group,
        choiceParam("mask", "Mask", {"full", "causal", "strict"}, "full",
                    "full: every query sees every key; causal: itself and what is before it; strict: what is "
                    "before it, so that the first one sees nothing and its result is zeros."),
        choiceParam("dtype", "Format", {"fp16", "fp32"}, "fp16",
                    "Of Q, K and V, and of scores and weights where they are stored; sums and the result are fp32."),
        choiceParam("input", "Input", {"uniform", "large", "equal", "nan"}, "uniform",
                    "uniform: scores within a few units; large: with scores of some hundreds, whose exponentials no "
                    "format holds; equal: all scores alike; nan: one key of the first head is no number, and so "
                    "must be the results of those who see it, and no others."),
        referenceParam("cudnn", "cudnn: hold the rung against the attention of NVIDIA's cuDNN 9, the fastest of the "
                                "engines that its heuristics name, full or causal, of fp16; where it is missing or "
                                "refuses, the run says so and goes on. Simulated chips have none.")};
}

std::vector<MetricSpec> metrics()
{
    const MetricSpec own[] = {
        {"launches", "Launches", "launches", "Kernels that the rung starts; simulated times have no cost of a launch."},
        {"extra_bytes", "Extra memory", "B", "Allocated for scores and weights, beside Q, K, V and the result."},
        {"peak_bytes", "Memory", "B", "All that is allocated at the same time: Q, K, V, the result and the extra."},
        {"device_bytes", "Device traffic by count", "B",
         "Each launch reads what it is given once and writes what it makes once; what no cache can save while a launch "
         "finds the caches cold."},
        {"device_read", "Device reads by count", "B", "The part of it that is read."},
        {"dram_read", "Device memory read", "B",
         "Bytes that came from device memory in all launches, each of which finds the caches cold; simulated."},
        {"dram_written", "Device memory written", "B",
         "Bytes that went to device memory in all launches; what stays in L2 at the end of one is not among them; "
         "simulated."},
        {"lane_bytes", "Bytes that lanes move", "B",
         "What lanes, and tensor copies for them, load and store in global memory, from whichever cache it comes: "
         "counted on a simulator, else "
         "reckoned."},
        {"flops", "Operations", "FLOP",
         "All arithmetic that the rung executes: a multiply-add is two, a comparison, an exponential or a division "
         "one."},
        {"softmax_flops", "Operations of the softmax", "FLOP", "Those that belong to neither of the two products."},
        {"exponentials", "Exponentials", "1", "Among them, the ones that the special-function units make."},
        {"rate", "Rate", "FLOP/s",
         "4 × head dimension for each pair of a query and a key that it sees, over the time. Masked pairs do not "
         "count."},
        {"of_limit", "Share of the rate's limit", "%", "The rate over its limit."},
        {"max_error", "Largest error", "1",
         "Of the results that were worked out in double precision; elements of V lie within 1."},
        {"plain_error", "Error of plain low precision", "1",
         "The same of an attention on the CPU that stores scores, weights and result in the format of Q, K and V."}};
    auto all = ladderMetrics(own, "Bytes of Q, K and V, read once, and of the result, written once,", "the attention");
    all.push_back({"cudnn_rate", "Rate of cuDNN", "FLOP/s",
                   "Of NVIDIA's cuDNN on the same Q, K and V, counting the same pairs, and in turns with the rung. Its "
                   "result has 16 bits."});
    all.push_back({"cudnn_share", "Share of cuDNN's rate", "%", "Rate over that of cuDNN."});
    addPairMetrics(all, "cudnn_share", "Share of cuDNN's rate");
    return all;
}

std::vector<ChartSpec> charts()
{
    const auto curve = [](const char* id, const char* title, const char* y) {
        return ChartSpec{id, title, "n", y, ParamScale::Log2, ParamScale::Log2};
    };
    const auto bars = [](const char* id, const char* title, const char* y) {
        return ChartSpec{id, title, "rung", y, ParamScale::List, ParamScale::Linear, "ladder"};
    };
    return {curve("memory_over_n", "Memory over tokens", "peak_bytes"),
            curve("extra_over_n", "Extra memory over tokens", "extra_bytes"),
            curve("read_over_n", "Device memory read over tokens", "dram_read"),
            curve("traffic_over_n", "Device traffic by count over tokens", "device_bytes"),
            curve("lanes_over_n", "Bytes that lanes move over tokens", "lane_bytes"),
            curve("time_over_n", "Time over tokens", "time"),
            curve("rate_over_n", "Rate over tokens", "rate"),
            bars("time_by_rung", "Time by rung", "time"),
            bars("read_by_rung", "Device memory read by rung", "dram_read"),
            bars("lanes_by_rung", "Bytes that lanes move by rung", "lane_bytes"),
            bars("flops_by_rung", "Operations by rung", "flops"),
            bars("error_by_rung", "Largest error by rung", "max_error")};
}

std::vector<LimitSpec> limits()
{
    auto all = bandwidthLimits("heads × n × head dimension × ((1 + 2 ÷ group) × bytes of the format + 4)");
    all.push_back({"dram_read", "each launch reads its input once", "lower",
                   "Q, K and V, and what an earlier launch stored of scores and weights",
                   "every number takes part in the result, and caches are cold at each launch"});
    all.push_back({"lane_bytes", "read once, write once", "lower", "Q, K, V and the result",
                   "every number takes part in the result"});
    all.push_back(
        {"rate", "the first of three to saturate", "upper",
         "useful FLOP ÷ the longest of: FLOP ÷ peak (fp32, of mma fp16 on tensor cores), bytes ÷ pin bandwidth, "
         "an exponential a pair ÷ 16 a clock and SM",
         pipeRateSource()});
    all.push_back({"of_limit", "the first of three to saturate", "upper", "100", pipeRateSource()});
    all.push_back({"max_error", "FlashAttention's rule", "upper",
                   "2 × plain error + 2 × |ref + 0.3 − 0.3 − ref| in the format + 1e-6",
                   "tests of github.com/Dao-AILab/flash-attention; ref in double precision"});
    return all;
}

} // namespace

std::vector<std::string> attentionFiles(std::size_t rung)
{
    const std::string own = attentionRungs()[rung].file;
    if (rung == kAttentionFused || rung == kAttentionThreeMma) // scores, or softmax, of the first rung
        return {own, attentionRungs()[kAttentionThree].file};
    return {own};
}

Error attentionTooLarge(const AttentionShape& shape, const std::string& why)
{
    return {"out-of-memory",
            fmt::format("{} heads of {} tokens need {} MB, of which {} MB are scores and weights: {}", shape.heads,
                        shape.n, shape.peakBytes() / 1'000'000, shape.extraBytes() / 1'000'000, why),
            "attention: n, heads, rung", "set fewer tokens or heads, or rung=tiled, which stores no scores"};
}

Result<AttentionShape> attentionShapeOf(const ParamSet& params, const gpu::DeviceInfo& info)
{
    AttentionShape shape;
    shape.rung = rungOf(attentionRungs(), params);
    shape.heads = integer(params, "heads");
    shape.n = integer(params, "n");
    shape.headDim = static_cast<std::uint32_t>(integer(params, "head_dim"));
    shape.elementBytes = choice(params, "dtype") == "fp16" ? 2 : 4;
    const std::string& mask = choice(params, "mask");
    shape.reach = mask == "full" ? static_cast<std::uint32_t>(shape.n) : mask == "causal" ? 1 : 0;
    const char* rung = attentionRungs()[shape.rung].name;
    shape.group = integer(params, "group");
    if (shape.heads % shape.group != 0)
        return Error{"bad-parameters",
                     fmt::format("{} heads are no multiple of {} that share a head of keys", shape.heads, shape.group),
                     "attention: group", "set group to a divisor of heads"};
    if (shape.group > 1 && !shape.sharesKeys())
        return Error{"bad-parameters", fmt::format("in the rung \"{}\" each head has keys of its own", rung),
                     "attention: group", "set group=1, or rung=async"};
    if (shape.usesMma() && shape.elementBytes != 2)
        return Error{"bad-parameters", fmt::format("the rung \"{}\" multiplies fp16 alone", rung), "attention: dtype",
                     "set dtype=fp16, or rung=tiled"};
    if (shape.usesTensorMaps() && info.computeMajor != 9)
        return Error{
            info.computeMajor < 9 ? "needs-newer-chip" : "needs-other-chip",
            fmt::format("the rung \"{}\" is made of wgmma, which compute capability 9.0 alone has; {} has {}.{}", rung,
                        info.name, info.computeMajor, info.computeMinor),
            "attention: rung",
            fmt::format("choose rung={}, or run it on sim:h100-sxm", info.computeMajor < 8 ? "tiled" : "async")};
    if (shape.usesMma() && info.computeMajor < 8)
        return Error{"needs-newer-chip",
                     fmt::format("the rung \"{}\" needs compute capability 8.0; {} has {}.{}", rung, info.name,
                                 info.computeMajor, info.computeMinor),
                     "attention: rung", "choose rung=tiled, or run it on sim:a100-sxm-80"};
    if (info.globalBytes > 0 && shape.peakBytes() > info.globalBytes)
        return attentionTooLarge(shape, fmt::format("the device has {} MB", info.globalBytes / 1'000'000));
    return shape;
}

ExperimentInfo attentionInfo()
{
    ExperimentInfo made;
    made.id = "attention";
    made.version = 1;
    made.title = "Attention";
    made.module = 4;
    made.summary = "Computes softmax(Q K^T / sqrt(d)) V with three kernels, two and one, and counts memory, bytes, "
                   "operations and errors.";
    made.parameters = parameters();
    made.targets = {"gpu", "sim"};
    made.metrics = metrics();
    made.charts = charts();
    made.limits = limits();
    made.kernels = filesOf(attentionRungs());
    made.scenes = launchScenes();
    return made;
}

} // namespace ridge::labs
