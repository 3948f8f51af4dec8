// SPDX-License-Identifier: GPL-3.0-or-later
// Lesson 7.5: what a long context costs, for each way to keep keys and values.
#include "serving/economics/long_context.h"
#include "base/target_choice.h"
#include "labs/catalogue.h"
#include "labs/harness/chip_params.h"
#include "labs/harness/declare.h"
#include "labs/harness/model_params.h"
#include "workload/gpu_choice.h"

#include <fmt/core.h>

#include <algorithm>

namespace ridge::labs {
namespace {

using namespace serving;

class LongContextExperiment : public Experiment {
public:
    LongContextExperiment()
    {
        m_info.id = "long_context";
        m_info.title = "Long contexts";
        m_info.module = 7;
        m_info.summary =
            "Counts the cache of a long context and times its prompt and tokens, for each kind of attention.";
        m_info.parameters = {
            modelParam("llama-3-70b", "The model, whose attention may be put in place of its own."),
            chipParam("chip", "GPU", "h100-sxm", "The GPU that runs it."),
            integerParam("gpus", "GPUs", "GPUs", 1, 64, 4, ParamScale::Log2, "That share every layer."),
            dtypeParam("Of weights and products."),
            integerParam("context", "Context", "tokens", 1, 1 << 24, 131072, ParamScale::Log2, "Of every user."),
            integerParam("batch", "Users", "", 0, 1 << 16, 1, ParamScale::Log2, "Of a step. 0: as many as fit."),
            choiceParam(
                "kv", "Attention", {kvKindNames().begin(), kvKindNames().end()}, "own",
                "own: the model's. mha: a KV head for every query head. gqa: for every eight. mqa: one. window: "
                "every layer looks back a window. mla: 576 values a token and layer, as DeepSeek-V2."),
            integerParam("window", "Window", "tokens", 1, 1 << 24, 4096, ParamScale::Log2, "Of kv window."),
            choiceParam("kv_dtype", "Cache format", {"bf16", "fp8", "int4", "fp32"}, "bf16", "Of keys and values.")};
        m_info.targets = {kModelTarget};
        m_info.metrics = {
            {"kv_bytes_per_token", "Cache of a token", "bytes", "In all layers."},
            {"kv_bytes", "Cache of a user", "bytes", "At this context; layers with a window keep no more than it."},
            {"users", "Users that fit", "1", "Beside the weights in 90 % of the memory of all GPUs."},
            {"ttft", "First token", "s", "The prompt of one user, alone."},
            {"tpot", "Time of a token", "s", "A step with that many users."},
            {"attention_time", "Attention", "s", "Part of that step."},
            {"attention_share", "Share of attention", "1", "Of that step's time."},
            {"kv_share", "Share of the cache", "1", "Of the bytes that a step reads and writes."},
            {"attention_flop_share", "Attention's FLOP", "1", "Share of the prompt's."},
            {"tokens_per_second", "Tokens per second", "tokens/s", "Of all users together."}};
        m_info.limits = {{"tpot", "the cache alone", "lower", "cache of all users / bandwidth of all GPUs",
                          "every step reads the whole cache"}};
        m_info.charts = {
            {"tpot_over_context", "Token over context", "context", "tpot", ParamScale::Log2, ParamScale::Log2},
            {"users_over_context", "Users over context", "context", "users", ParamScale::Log2, ParamScale::Log2},
            {"users_over_kind", "Users over attention", "kv", "users", ParamScale::List, ParamScale::Log2},
            {"kv_over_kind", "Cache over attention", "kv", "kv_bytes", ParamScale::List, ParamScale::Log2},
            {"ttft_over_context", "First token over context", "context", "ttft", ParamScale::Log2, ParamScale::Log2},
            {"rate_over_batch", "Tokens per second over users", "batch", "tokens_per_second", ParamScale::Log2}};
        m_info.drawsNothing = true;
    }
    const ExperimentInfo& info() const override { return m_info; }

    Result<void> run(const ParamSet& params, RunContext& context) const override
    {
        const auto own = modelOf(params);
        if (!own)
            return own.error();
        const auto device = deviceOf(params);
        if (!device)
            return device.error();
        const auto kind = static_cast<KvKind>(
            std::find(kvKindNames().begin(), kvKindNames().end(), choice(params, "kv")) - kvKindNames().begin());
        const auto model = withKv(*own, kind, static_cast<double>(integer(params, "window")));
        if (!model)
            return model.error();
        LongContextSetting s;
        s.context = static_cast<double>(integer(params, "context"));
        s.gpus = static_cast<double>(integer(params, "gpus"));
        s.batch = static_cast<double>(integer(params, "batch"));
        s.kvBytes = workload::weightBytes(workload::dtypeNamed(choice(params, "kv_dtype")));
        s.usableBytes = workload::kUsableMemory * device->memoryBytes * s.gpus;
        const auto result = longContext(*model, *device, s);
        if (!result)
            return result.error();
        const double batch = s.batch > 0 ? s.batch : std::max(1.0, result->users);
        const auto tell = [&](const char* name, double value) { context.metric(name, value, Provenance::Modelled); };
        tell("kv_bytes_per_token", result->kvBytesPerToken);
        tell("kv_bytes", result->kvBytes);
        tell("users", result->users);
        tell("ttft", result->ttft);
        tell("tpot", result->tokenSeconds);
        tell("attention_time", result->attentionSeconds);
        tell("attention_share", result->attentionSeconds / result->tokenSeconds);
        tell("kv_share", result->kvShare);
        tell("attention_flop_share", result->attentionFlopShare);
        tell("tokens_per_second", batch / result->tokenSeconds);
        const double least = batch * result->kvBytes / (s.gpus * device->bytesPerSecond);
        context.limit("tpot", least);
        context.check("no faster than the cache is read", result->tokenSeconds >= least * (1 - 1e-9),
                      fmt::format("{:.4g} s, at least {:.4g} s", result->tokenSeconds, least));
        if (batch > result->users)
            context.log(fmt::format("{:.0f} users do not fit: {:.0f} do", batch, result->users));
        return {};
    }

private:
    ExperimentInfo m_info;
};

} // namespace

std::unique_ptr<Experiment> makeLongContext()
{
    return std::make_unique<LongContextExperiment>();
}

} // namespace ridge::labs
