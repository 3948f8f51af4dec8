// SPDX-License-Identifier: GPL-3.0-or-later
// Lesson 5.4: how long one matrix product or one attention takes.
#include "base/target_choice.h"
#include "labs/catalogue.h"
#include "labs/harness/chip_params.h"
#include "labs/harness/declare.h"
#include "labs/harness/model_params.h"
#include "workload/kernel_time.h"

namespace ridge::labs {
namespace {

const char* kSource = "dense peaks and pin bandwidths of the chip table";

class GemmTimeExperiment : public Experiment {
public:
    GemmTimeExperiment()
    {
        m_info.id = "gemm_time";
        m_info.title = "Time of a matrix product";
        m_info.module = 5;
        m_info.summary = "Predicts the time of C[m,n] = A[m,k] B[k,n] from tiles, waves, bandwidth and launch.";
        const auto size = [](const char* name, const char* title, std::int64_t value, const char* help) {
            return integerParam(name, title, "", 1, 1 << 24, value, ParamScale::Log2, help);
        };
        m_info.parameters = {chipParam("chip", "GPU", "h100-sxm", "The GPU that runs it."),
                             dtypeParam("Of A and B. int4 is of B alone, the weights."),
                             size("m", "m", 4096, "Rows of A and C: tokens."),
                             size("n", "n", 4096, "Columns of B and C."),
                             size("k", "k", 4096, "Columns of A, rows of B."),
                             switchParam("quantize_input", "Quantize A", false,
                                         "1: A is in bf16 and a kernel before quantizes it (fp8 and other formats of "
                                         "8 bits and fewer; int4 has none).")};
        m_info.targets = {kModelTarget};
        m_info.metrics = {{"time", "Time", "s", "Of the kernel, and of the quantization before it."},
                          {"compute_time", "Time of arithmetic", "s", "Of all waves."},
                          {"memory_time", "Time of memory", "s", "Bytes at the bandwidth that kernels reach."},
                          {"bound_time", "Least time", "s", "Roofline; smaller is faster."},
                          {"throughput", "Throughput", "FLOP/s", "2 m n k over time."},
                          {"tile_m", "Tile rows", "1", "Of the tile that is fastest."},
                          {"tile_n", "Tile columns", "1", "Of the tile that is fastest."},
                          {"split", "Parts of k", "1", "Into which k is cut to fill the SMs."},
                          {"waves", "Waves", "1", "Rounds of tiles over the SMs."}};
        m_info.charts = {
            {"time_over_m", "Time over rows", "m", "time", ParamScale::Log2, ParamScale::Log2},
            {"throughput_over_m", "Throughput over rows", "m", "throughput", ParamScale::Log2, ParamScale::Log2},
            {"time_over_chip", "Time over GPU", "chip", "time", ParamScale::List, ParamScale::Log2}};
        m_info.limits = {{"time", "roofline", "lower", "max(2 m n k / peak, bytes / bandwidth)", kSource}};
    }
    const ExperimentInfo& info() const override { return m_info; }
    Result<void> run(const ParamSet& params, RunContext& context) const override
    {
        const auto device = deviceOf(params);
        if (!device)
            return device.error();
        workload::Gemm gemm;
        gemm.m = static_cast<double>(integer(params, "m"));
        gemm.n = static_cast<double>(integer(params, "n"));
        gemm.k = static_cast<double>(integer(params, "k"));
        gemm.quantizeInput = integer(params, "quantize_input") != 0;
        const workload::KernelTime time = workload::gemmTime(*device, gemm);
        const double flops = 2 * gemm.m * gemm.n * gemm.k;
        const double bound =
            std::max(flops / device->flopsPerSecond, workload::gemmBytes(*device, gemm) / device->bytesPerSecond);
        const auto tell = [&](const char* name, double value) { context.metric(name, value, Provenance::Modelled); };
        tell("time", time.seconds);
        tell("compute_time", time.compute);
        tell("memory_time", time.memory);
        tell("bound_time", bound);
        tell("throughput", flops / time.seconds);
        tell("tile_m", time.tileM);
        tell("tile_n", time.tileN);
        tell("split", time.split);
        tell("waves", time.waves);
        context.limit("time", bound);
        return {};
    }

private:
    ExperimentInfo m_info;
};

class AttentionTimeExperiment : public Experiment {
public:
    AttentionTimeExperiment()
    {
        m_info.id = "attention_time";
        m_info.title = "Time of attention";
        m_info.module = 5;
        m_info.summary = "Predicts the time of attention over a cache or over a prompt.";
        m_info.parameters = {
            chipParam("chip", "GPU", "h100-sxm", "The GPU that runs it."),
            dtypeParam("Of the cache; arithmetic is in 16 bits or more."),
            choiceParam("phase", "Phase", {"prefill", "decode"}, "decode",
                        "decode: one new token of every sequence. prefill: a prompt of every sequence."),
            integerParam("query_heads", "Query heads", "", 1, 1024, 32, ParamScale::Log2, "Of the GPU."),
            integerParam("kv_heads", "KV heads", "", 1, 1024, 8, ParamScale::Log2,
                         "A divisor of the query heads, which share them."),
            integerParam("head_dim", "Size of a head", "", 8, 1024, 128, ParamScale::Log2, "Values."),
            integerParam("batch", "Batch", "sequences", 1, 1 << 16, 1, ParamScale::Log2, "Sequences."),
            integerParam("context", "Context", "tokens", 1, 1 << 24, 4096, ParamScale::Log2,
                         "decode: tokens that are cached already. prefill: tokens of the prompt.")};
        m_info.targets = {kModelTarget};
        m_info.metrics = {{"time", "Time", "s", "Of the kernel."},
                          {"bound_time", "Least time", "s", "Roofline; smaller is faster."},
                          {"flops", "Work", "FLOP", "Of scores and weighted values, what the mask hides left out."},
                          {"kv_bytes", "Cache", "bytes", "Keys and values that are read."}};
        m_info.charts = {
            {"time_over_context", "Time over context", "context", "time", ParamScale::Log2, ParamScale::Log2},
            {"time_over_batch", "Time over batch", "batch", "time", ParamScale::Log2, ParamScale::Log2}};
        m_info.limits = {{"time", "roofline", "lower", "max(FLOP / peak, bytes / bandwidth)", kSource}};
    }
    const ExperimentInfo& info() const override { return m_info; }
    Result<void> run(const ParamSet& params, RunContext& context) const override
    {
        const auto device = deviceOf(params);
        if (!device)
            return device.error();
        workload::Attention a;
        a.queryHeads = static_cast<double>(integer(params, "query_heads"));
        a.kvHeads = static_cast<double>(integer(params, "kv_heads"));
        if (integer(params, "query_heads") % integer(params, "kv_heads") != 0)
            return Error{"bad-heads", "the query heads cannot share the KV heads evenly", "kv_heads",
                         "take a number that divides query_heads"};
        a.queryDim = a.valueDim = static_cast<double>(integer(params, "head_dim"));
        a.batch = static_cast<double>(integer(params, "batch"));
        a.kvBytes = workload::weightBytes(device->dtype);
        const double tokens = static_cast<double>(integer(params, "context"));
        const bool decode = choice(params, "phase") == "decode";
        a.context = decode ? tokens : 0;
        a.fresh = decode ? 1 : tokens;
        const workload::KernelTime time =
            decode ? workload::decodeAttentionTime(*device, a) : workload::prefillAttentionTime(*device, a);
        const double flops = workload::attentionFlops(a), bytes = workload::attentionKvBytes(a);
        const double bound = std::max(flops / device->halfFlopsPerSecond, bytes / device->bytesPerSecond);
        const auto tell = [&](const char* name, double value) { context.metric(name, value, Provenance::Modelled); };
        tell("time", time.seconds);
        tell("bound_time", bound);
        tell("flops", flops);
        tell("kv_bytes", bytes);
        context.limit("time", bound);
        return {};
    }

private:
    ExperimentInfo m_info;
};

} // namespace

std::unique_ptr<Experiment> makeGemmTime()
{
    return std::make_unique<GemmTimeExperiment>();
}

std::unique_ptr<Experiment> makeAttentionTime()
{
    return std::make_unique<AttentionTimeExperiment>();
}

} // namespace ridge::labs
