// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/5-memory-systems/kv_cache_growth_info.h"
#include "labs/5-memory-systems/kv_decode_reference.h"
#include "labs/catalogue.h"
#include "labs/gpu_experiment.h"
#include "labs/harness/buffers.h"
#include "labs/harness/declare.h"
#include "labs/harness/simulated_time.h"
#include "labs/harness/work.h"

#include <cmath>
#include <fmt/core.h>

namespace ridge::labs {
namespace {

constexpr std::uint64_t kShortestPiece = 64;         // tokens; a tile of the kernel is 16 to 64
constexpr std::uint64_t kBlocksAnSm = 8;             // of the split kernel: some load while others compute
constexpr std::uint64_t kCheckedElements = 1u << 25; // of K, about: a longer cache is checked in some heads only
constexpr std::uint64_t kFewestChecked = 4;

struct Setting {
    DecodeShape shape;
    std::string kernel;
    std::uint32_t pieces = 1;
    std::uint32_t pieceTokens = 1;

    std::string kernelName() const
    {
        return fmt::format("decode_{}_fp{}_{}", kernel, 8 * shape.elementBytes, shape.headDim);
    }
    std::uint64_t rows() const { return shape.batch * shape.queryHeads; }
    bool split() const { return kernel == "split"; }
    std::uint64_t partialElements() const { return split() ? rows() * pieces * shape.headDim : 0; }
    std::uint64_t scaleElements() const { return split() ? rows() * pieces * 2 : 0; }
    std::uint64_t blocks() const { return kernel == "per_head" ? rows() : shape.batch * shape.kvHeads * pieces; }
    /// Bytes of K and V that blocks ask for.
    std::uint64_t requestedBytes() const { return shape.layerBytes() * (kernel == "per_head" ? shape.group() : 1); }
    std::uint64_t bytes() const
    {
        return shape.layerBytes() + shape.queryElements() * (shape.elementBytes + 4) +
               4 * (partialElements() + scaleElements());
    }
};

Result<Setting> settingOf(const ParamSet& params, const gpu::DeviceInfo& info)
{
    const auto shape = decodeShapeOf(params);
    if (!shape)
        return shape.error();
    Setting setting{*shape, choice(params, "kernel")};
    if (setting.split()) {
        const std::uint64_t most = std::max<std::uint64_t>(1, shape->context / kShortestPiece);
        std::uint64_t wanted = integer(params, "pieces");
        if (wanted == 0)
            wanted = std::max<std::uint64_t>(1, kBlocksAnSm * info.smCount / (shape->batch * shape->kvHeads));
        wanted = std::min(wanted, most);
        const std::uint64_t tokens = (shape->context + wanted - 1) / wanted;
        setting.pieceTokens =
            static_cast<std::uint32_t>((tokens + kShortestPiece - 1) / kShortestPiece * kShortestPiece);
        setting.pieces = static_cast<std::uint32_t>((shape->context + setting.pieceTokens - 1) / setting.pieceTokens);
    }
    return setting;
}

struct Set {
    gpu::DevicePtr k, v, q, out, partial, scales;
};

Result<Set> allocate(Buffers& buffers, const Setting& setting)
{
    Set set;
    const std::uint64_t cache = setting.shape.layerBytes() / 2;
    const std::uint64_t queries = setting.shape.queryElements();
    const auto take = [&](gpu::DevicePtr& to, std::uint64_t bytes, const char* label) -> Result<void> {
        if (bytes == 0)
            return {};
        auto got = buffers.allocate(bytes, label);
        if (!got)
            return got.error();
        to = *got;
        return {};
    };
    for (auto& taken :
         {take(set.k, cache, "K"), take(set.v, cache, "V"), take(set.q, queries * setting.shape.elementBytes, "q"),
          take(set.out, queries * 4, "out"), take(set.partial, setting.partialElements() * 4, "partial sums"),
          take(set.scales, setting.scaleElements() * 4, "scales")})
        if (!taken)
            return taken.error();
    return set;
}

Result<void> fillTensor(GpuContext& context, const Setting& setting, const DecodeData& data, DecodeData::Tensor tensor,
                        gpu::DevicePtr to, std::uint64_t elements)
{
    if (setting.shape.elementBytes == 2)
        return fill<std::uint16_t>(context, to, elements, [&](std::uint64_t i) { return data.half(tensor, i); });
    return fill<float>(context, to, elements,
                       [&](std::uint64_t i) { return static_cast<float>(data.value(tensor, i)); });
}

Result<void> fillSet(GpuContext& context, const Setting& setting, const DecodeData& data, const Set& set)
{
    const std::uint64_t cache = setting.shape.layerBytes() / 2 / setting.shape.elementBytes;
    using Tensor = DecodeData::Tensor;
    if (auto filled = fillTensor(context, setting, data, Tensor::K, set.k, cache); !filled)
        return filled;
    if (auto filled = fillTensor(context, setting, data, Tensor::V, set.v, cache); !filled)
        return filled;
    if (auto filled = fillTensor(context, setting, data, Tensor::Q, set.q, setting.shape.queryElements()); !filled)
        return filled;
    for (const auto& [to, bytes] :
         {std::pair{set.out, setting.shape.queryElements() * 4}, std::pair{set.partial, setting.partialElements() * 4},
          std::pair{set.scales, setting.scaleElements() * 4}})
        if (bytes > 0)
            if (auto poisoned = poison(context, to, bytes); !poisoned)
                return poisoned;
    return {};
}

gpu::Sequence sequenceOf(const Setting& setting, const gpu::LoadedProgram& program, const Set& set)
{
    const DecodeShape& shape = setting.shape;
    const auto batch = static_cast<std::uint32_t>(shape.batch);
    const auto context = static_cast<std::uint32_t>(shape.context);
    const auto scale = static_cast<float>(std::log2(std::exp(1.0)) / std::sqrt(static_cast<double>(shape.headDim)));
    gpu::Launch launch;
    launch.kernel = setting.kernelName();
    launch.block = {32 * std::max(4u, shape.group()), 1, 1};
    if (setting.kernel == "per_head") {
        launch.grid = {shape.queryHeads, batch, 1};
        launch.block = {128, 1, 1};
        launch.args = {set.k, set.v, set.q, set.out, context, shape.kvHeads, scale};
        return {{&program, launch}};
    }
    if (!setting.split()) {
        launch.grid = {shape.kvHeads, batch, 1};
        launch.args = {set.k, set.v, set.q, set.out, context, shape.group(), scale};
        return {{&program, launch}};
    }
    launch.grid = {setting.pieces, shape.kvHeads, batch};
    launch.args = {set.k, set.v, set.q, set.partial, set.scales, context, shape.group(), setting.pieceTokens, scale};
    gpu::Launch combine;
    combine.kernel = fmt::format("decode_combine_{}", shape.headDim);
    combine.grid = {shape.queryHeads, batch, 1};
    combine.block = {4 * shape.headDim, 1, 1};
    combine.args = {set.partial, set.scales, set.out, setting.pieces};
    return {{&program, launch}, {&program, combine}};
}

/// Every output must be a number; of a long cache only some heads are worked out, the first and the last among them.
Result<void> checkOutput(GpuContext& context, const Setting& setting, const DecodeData& data, gpu::DevicePtr out)
{
    const DecodeShape& shape = setting.shape;
    const std::uint64_t all = setting.rows();
    const std::uint64_t wanted =
        std::max(kFewestChecked, kCheckedElements / std::max<std::uint64_t>(1, shape.context * shape.headDim));
    const std::uint64_t checked = std::min(all, wanted);
    std::vector<float> row(shape.headDim);
    std::uint64_t next = 0, nans = 0;
    DecodeCheck check(shape, data);
    const auto seen = readBack<float>(context, out, shape.queryElements(), [&](std::uint64_t i, float value) {
        nans += std::isnan(value) ? 1 : 0;
        row[i % shape.headDim] = value;
        const std::uint64_t head = i / shape.headDim;
        if (i % shape.headDim + 1 < shape.headDim || context.cancelled())
            return;
        if (head == (checked > 1 ? next * (all - 1) / (checked - 1) : 0)) {
            check.see(head / shape.queryHeads, static_cast<std::uint32_t>(head % shape.queryHeads), row);
            ++next;
        }
    });
    if (!seen)
        return seen;
    if (context.cancelled())
        return Error{"cancelled", "the run was cancelled", "kv_cache_growth", ""};
    context.check("matches_reference", nans == 0 && check.passed(),
                  nans == 0 ? check.text() : fmt::format("{} outputs are no numbers; {}", nans, check.text()));
    return {};
}

// ---- numbers --------------------------------------------------------------------------------------------------------

void reportSizes(GpuContext& context, const Setting& setting)
{
    const DecodeShape& shape = setting.shape;
    const auto tell = [&](const char* name, double value) { context.metric(name, value, Provenance::Modelled); };
    const auto number = [](std::uint64_t value) { return static_cast<double>(value); };
    tell("bytes_per_token", number(shape.bytesPerToken()));
    tell("kv_bytes", number(shape.layerBytes()));
    tell("cache_bytes", number(shape.cacheBytes()));
    tell("group", shape.group());
    tell("intensity", number(shape.flops()) / number(shape.layerBytes()));
    tell("kv_requested", number(setting.requestedBytes()));
    context.limit("kv_requested", number(shape.layerBytes()));
    tell("blocks", number(setting.blocks()));
    if (const std::uint64_t memory = context.device().info().globalBytes; memory > 0) {
        tell("memory_share", 100 * number(shape.cacheBytes()) / number(memory));
        tell("longest_context", number(memory / (shape.bytesPerToken() * shape.batch)));
        context.limit("cache_bytes", number(memory));
    }
}

/// `cached`: the caches were found in L2, and the pins limit nothing.
void reportRates(GpuContext& context, const Setting& setting, const Measured& measured, bool cached)
{
    const DecodeShape& shape = setting.shape;
    const auto bytes = static_cast<double>(shape.layerBytes());
    const auto perSecond = [&](double seconds) {
        return static_cast<double>(shape.batch) / (static_cast<double>(shape.layers) * seconds);
    };
    reportTime(context, measured);
    context.metric("kv_bandwidth", bytes / measured.seconds / 1e9, measured.provenance);
    context.metric("tokens_per_second", perSecond(measured.seconds), Provenance::Modelled);
    if (const double pins = context.device().info().memoryBytesPerSecond; pins > 0 && !cached) {
        context.metric("of_limit", 100 * bytes / pins / measured.seconds, measured.provenance);
        context.limit("time", bytes / pins);
        context.limit("kv_bandwidth", pins / 1e9);
        context.limit("of_limit", 100);
        context.limit("tokens_per_second", perSecond(bytes / pins));
    }
}

Error tooLarge(const Setting& setting, const std::string& why)
{
    return {"out-of-memory",
            fmt::format("one layer's cache of {} tokens and {} sequences needs {} MB: {}", setting.shape.context,
                        setting.shape.batch, setting.bytes() / 1'000'000, why),
            "kv_cache_growth: context, batch", "set a shorter context or a smaller batch"};
}

class KvCacheGrowth : public GpuExperiment {
public:
    KvCacheGrowth() : m_info(kvCacheGrowthInfo()) {}
    const ExperimentInfo& info() const override { return m_info; }
    std::vector<std::string> kernels(const ParamSet& params, const gpu::DeviceInfo&) const override
    {
        return {decodeKernelFile(choice(params, "kernel"))};
    }
    Result<void> runOnDevice(const ParamSet& params, GpuContext& context) const override;

private:
    ExperimentInfo m_info;
};

Result<void> KvCacheGrowth::runOnDevice(const ParamSet& params, GpuContext& context) const
{
    gpu::Device& device = context.device();
    const auto setting = settingOf(params, device.info());
    if (!setting)
        return setting.error();
    if (const auto memory = device.info().globalBytes; memory > 0 && setting->bytes() > memory)
        return tooLarge(*setting, fmt::format("the device has {} MB", memory / 1'000'000));
    const auto program = context.kernel(decodeKernelFile(setting->kernel));
    if (!program)
        return program.error();
    Buffers buffers(device);
    std::vector<Set> sets;
    auto first = allocate(buffers, *setting);
    if (!first)
        return first.error().code == "out-of-memory" ? tooLarge(*setting, first.error().message) : first.error();
    sets.push_back(*first);
    const DecodeData data(setting->shape, context.rng().nextU32());
    if (auto filled = fillSet(context, *setting, data, sets.front()); !filled)
        return filled;
    reportSizes(context, *setting);
    context.progress(0.3, "running " + setting->kernelName());

    const gpu::Sequence sequence = sequenceOf(*setting, **program, sets.front());
    const auto done = executeOnce(context, sequence);
    if (!done)
        return done.error();
    if (auto checked = checkOutput(context, *setting, data, sets.front().out); !checked)
        return checked;
    if (auto checked = buffers.checkGuards(context); !checked)
        return checked;
    if (const auto counters = done->counters())
        context.metric("loaded_bytes", static_cast<double>(counters->globalLoadBytes), device.info().provenance);
    reportSimulated(context, done->heaviest());

    gpu::Arm arm{setting->kernelName(), {sequence}};
    const std::uint64_t wanted = setsToRotate(device.info(), setting->shape.layerBytes(), setting->bytes());
    while (arm.sets.size() < wanted) {
        const auto more = allocate(buffers, *setting);
        if (!more)
            break; // another program holds the memory
        sets.push_back(*more);
        if (auto filled = fillSet(context, *setting, data, *more); !filled)
            return filled;
        arm.sets.push_back(sequenceOf(*setting, **program, *more));
    }
    context.progress(0.7, "timing " + setting->kernelName());
    const auto measured = measure(context, *done, std::span(&arm, 1));
    if (!measured)
        return measured.error();
    if (measured->empty())
        return {};
    const Measured& time = measured->front();
    const bool cached = time.timing && sets.size() * setting->shape.layerBytes() < 2 * device.info().l2Bytes;
    if (cached && time.timing->validity == "valid")
        context.validity("resident in L2");
    reportRates(context, *setting, time, cached);
    return {};
}

} // namespace

std::unique_ptr<GpuExperiment> makeKvCacheGrowth()
{
    return std::make_unique<KvCacheGrowth>();
}

} // namespace ridge::labs
