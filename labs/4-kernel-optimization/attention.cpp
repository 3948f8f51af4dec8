// SPDX-License-Identifier: GPL-3.0-or-later
// Lesson 4.6: attention with its scores in device memory, and without.
#include "gpu/swizzled_tiles.h"
#include "labs/4-kernel-optimization/attention_info.h"
#include "labs/4-kernel-optimization/attention_reference.h"
#include "labs/catalogue.h"
#include "labs/gpu_experiment.h"
#include "labs/harness/declare.h"
#include "labs/harness/ladder_experiment.h"
#include "labs/harness/pipe_rates.h"
#include "labs/harness/small_formats.h"
#include "labs/harness/vendor_arm.h"

#include <cmath>
#include <fmt/core.h>
#include <numbers>

namespace ridge::labs {
namespace {

struct Set {
    gpu::DevicePtr q, k, v, scores, weights, out;
    std::uint64_t allocated = 0; ///< bytes, Q, K, V and the result among them
};

using Programs = std::vector<const gpu::LoadedProgram*>; // of attentionFiles()

std::uint32_t word(std::uint64_t value)
{
    return static_cast<std::uint32_t>(value);
}

/// Q, K and V as one matrix each, in tiles of 64 numbers of 128 rows: what the tensor copies of Hopper's rungs bring.
Result<std::array<gpu::TensorMapArg, 3>> mapsOf(gpu::Device& device, const AttentionShape& shape, const Set& set)
{
    std::array<gpu::TensorMapArg, 3> maps;
    const gpu::DevicePtr tensors[] = {set.q, set.k, set.v};
    for (std::size_t i = 0; i < maps.size(); ++i) {
        const std::uint64_t rows = (i == 0 ? shape.elements() : shape.keyElements()) / shape.headDim;
        const auto map =
            gpu::swizzledMap(device, {tensors[i], 2, shape.headDim, rows, std::uint64_t{2} * shape.headDim, 64, 128});
        if (!map)
            return map.error();
        maps[i] = *map;
    }
    return maps;
}

Result<gpu::Sequence> sequenceOf(gpu::Device& device, const AttentionShape& shape, const Programs& programs,
                                 const Set& set)
{
    const std::uint32_t n = word(shape.n), pitch = word(shape.pitch());
    const auto scale = static_cast<float>(std::numbers::log2e / std::sqrt(static_cast<double>(shape.headDim)));
    const std::string format = shape.elementBytes == 2 ? "fp16" : "fp32", dim = std::to_string(shape.headDim);
    const auto launch = [&](const gpu::LoadedProgram* program, const std::string& kernel, gpu::Dim3 grid,
                            std::vector<gpu::KernelArg> args, std::uint32_t threads) {
        auto made = step(program, "attention_" + kernel, 1, threads, std::move(args));
        made.launch.grid = grid;
        return made;
    };
    const std::uint32_t tiles = word(ceilDiv(shape.n, 64)), heads = word(shape.heads),
                        threads = shape.usesTensorMaps() ? 384
                                  : shape.usesMma()      ? 128
                                                         : 256;
    const std::string suffix = fmt::format("{}_{}_{}", shape.usesMma() ? "_mma" : "", format, dim);
    if (!shape.storesScores()) {
        auto only = launch(programs[0], fmt::format("{}_{}_{}", attentionRungs()[shape.rung].name, format, dim),
                           {word(ceilDiv(shape.n, shape.queriesABlock())), heads, 1},
                           {set.q, set.k, set.v, set.out, n, shape.reach, scale}, threads);
        if (shape.sharesKeys())
            only.launch.args.emplace_back(word(shape.group));
        if (shape.usesTensorMaps()) {
            const auto maps = mapsOf(device, shape, set);
            if (!maps)
                return maps.error();
            std::copy(maps->begin(), maps->end(), only.launch.args.begin());
        }
        only.launch.dynamicSharedBytes = word(shape.sharedBytes());
        return gpu::Sequence{only};
    }
    const auto* scoresOf = shape.rung == kAttentionFused ? programs[1] : programs[0];
    const auto scores = launch(scoresOf, "scores" + suffix, {tiles, tiles, heads},
                               {set.q, set.k, set.scores, n, pitch, shape.reach, scale}, threads);
    if (shape.rung == kAttentionFused)
        return gpu::Sequence{scores, launch(programs[0], "softmax_product" + suffix, {tiles, heads, 1},
                                            {set.scores, set.v, set.out, n, pitch}, threads)};
    return gpu::Sequence{
        scores,
        launch(programs.back(), "softmax_" + format, {word(ceilDiv(shape.heads * shape.n, 8)), 1, 1},
               {set.scores, set.weights, word(shape.heads * shape.n), pitch}, 256),
        launch(programs[0], "product" + suffix, {tiles, heads, 1}, {set.weights, set.v, set.out, n, pitch}, threads)};
}

// ---- cuDNN ----------------------------------------------------------------------------------------------------------

/// cuDNN's attention on the same Q, K and V; its result is fp16, and has a buffer of its own.
Result<void> findCudnn(VendorArm& cudnn, GpuContext& context, const AttentionShape& shape, const AttentionData& data,
                       const Set& set, gpu::DevicePtr out)
{
    const auto wipe = [&] { return poison(context, out, 2 * shape.elements()); };
    const auto judge = [&](const std::string& check, const std::string& who) -> Result<bool> {
        AttentionCheck found(shape, data);
        const auto seen =
            readBack<std::uint16_t>(context, out, shape.elements(), [&](std::uint64_t i, std::uint16_t bits) {
                if (!context.cancelled())
                    found.see(i, static_cast<float>(valueOf(kFp16, bits)));
            });
        if (!seen)
            return seen.error();
        if (context.cancelled())
            return Error{"cancelled", "the run was cancelled", "attention", ""};
        context.check(check, found.passed(), who + ": " + found.text());
        return found.passed();
    };
    const auto scale = static_cast<float>(1 / std::sqrt(static_cast<double>(shape.headDim)));
    return cudnn.find(context,
                      gpu::Attention{gpu::MatrixFormat::Fp16, shape.reach < shape.n, shape.heads,
                                     shape.heads / shape.group, shape.n, shape.headDim, scale, set.q, set.k, set.v,
                                     out},
                      {set.q, set.k, set.v, out}, {wipe, judge});
}

class Attention : public LadderExperiment {
public:
    Attention() : m_info(attentionInfo()) {}
    const ExperimentInfo& info() const override { return m_info; }
    std::vector<std::string> kernels(const ParamSet& params, const gpu::DeviceInfo& info) const override
    {
        const auto shape = attentionShapeOf(params, info);
        return shape ? attentionFiles(shape->rung) : std::vector<std::string>{}; // the run refuses with the reason
    }

private:
    Result<std::unique_ptr<LadderPoint>> open(const ParamSet& params, GpuContext& context) const override;
    ExperimentInfo m_info;
};

class AttentionPoint : public LadderPoint {
public:
    AttentionPoint(GpuContext& given, const AttentionShape& shape, const std::string& input, std::uint32_t salt,
                   bool wantsCudnn, Programs programs)
        : LadderPoint(given), m_shape(shape), m_data(shape, input, salt), m_wantsCudnn(wantsCudnn),
          m_programs(std::move(programs))
    {
        arm = attentionRungs()[shape.rung].name;
        checkedShare = 0.7;
    }
    Result<gpu::Sequence> makeSet(Buffers& buffers) override;
    Result<void> prepare(Buffers& buffers) override;
    Result<void> check() override;
    void report(const Execution& done) override;
    std::vector<gpu::Arm> references() override { return m_cudnn.arms(); }
    UsefulBytes bytes() const override { return m_shape.bytes(); }
    std::uint64_t touchedBytes() const override { return m_shape.peakBytes(); }
    void reportTimes(const std::vector<Measured>& measured) override;

private:
    Result<void> fillTensor(AttentionData::Tensor tensor, gpu::DevicePtr to);
    void reportTraffic(const Execution& done);

    const AttentionShape m_shape;
    const AttentionData m_data;
    const bool m_wantsCudnn;
    const Programs m_programs;
    VendorArm m_cudnn{"cudnn"};
    std::optional<Set> m_checked;
};

Result<void> AttentionPoint::fillTensor(AttentionData::Tensor tensor, gpu::DevicePtr to)
{
    const std::uint64_t elements = tensor == AttentionData::Tensor::Q ? m_shape.elements() : m_shape.keyElements();
    if (m_shape.elementBytes == 2)
        return fill<std::uint16_t>(context, to, elements, [&](std::uint64_t i) { return m_data.half(tensor, i); });
    return fill<float>(context, to, elements,
                       [&](std::uint64_t i) { return static_cast<float>(m_data.value(tensor, i)); });
}

Result<gpu::Sequence> AttentionPoint::makeSet(Buffers& buffers)
{
    Set set;
    const std::uint64_t queries = m_shape.elements() * m_shape.elementBytes,
                        keys = m_shape.keyElements() * m_shape.elementBytes;
    const std::tuple<gpu::DevicePtr*, std::uint64_t, const char*> wanted[] = {
        {&set.q, queries, "Q"},
        {&set.k, keys, "K"},
        {&set.v, keys, "V"},
        {&set.out, m_shape.outputBytes(), "out"},
        {&set.scores, m_shape.scoreBytes(), "scores"},
        {&set.weights, m_shape.weightBytes(), "weights"}};
    for (const auto& [to, bytes, label] : wanted) {
        if (bytes == 0)
            continue;
        const auto got = buffers.allocate(bytes, label);
        if (!got)
            return got.error().code == "out-of-memory" ? attentionTooLarge(m_shape, got.error().message) : got.error();
        *to = *got;
        set.allocated += bytes;
        // What is read before it is written shows: it is no number.
        if (auto poisoned = to == &set.q || to == &set.k || to == &set.v ? Result<void>() : poison(context, *to, bytes);
            !poisoned)
            return poisoned.error();
    }
    using Tensor = AttentionData::Tensor;
    for (const auto& [to, which] :
         {std::pair{set.q, Tensor::Q}, std::pair{set.k, Tensor::K}, std::pair{set.v, Tensor::V}})
        if (auto filled = fillTensor(which, to); !filled)
            return filled.error();
    if (!m_checked)
        m_checked = set;
    if (m_cudnn) {
        const auto theirs = buffers.allocate(2 * m_shape.elements(), "cuDNN's out");
        if (!theirs)
            return theirs.error();
        m_cudnn.addSet({set.q, set.k, set.v, *theirs});
    }
    return sequenceOf(context.device(), m_shape, m_programs, set);
}

Result<void> AttentionPoint::prepare(Buffers& buffers)
{
    if (!m_wantsCudnn)
        return {};
    if (m_shape.elementBytes != 2) {
        context.log("without cuDNN: its attention takes no fp32; set dtype=fp16");
        return {};
    }
    if (m_shape.reach == 0) {
        context.log("without cuDNN: no mask of its attention leaves a query without a key; set mask=causal");
        return {};
    }
    const auto theirs = buffers.allocate(2 * m_shape.elements(), "cuDNN's out");
    if (!theirs) {
        if (theirs.error().code != "out-of-memory")
            return theirs.error();
        context.log("without a vendor's reference: " + toText(theirs.error()));
        return {};
    }
    return findCudnn(m_cudnn, context, m_shape, m_data, *m_checked, *theirs);
}

Result<void> AttentionPoint::check()
{
    AttentionCheck check(m_shape, m_data);
    const auto seen = readBack<float>(context, m_checked->out, m_shape.elements(), [&](std::uint64_t i, float value) {
        if (!context.cancelled())
            check.see(i, value);
    });
    if (!seen)
        return seen;
    if (context.cancelled())
        return Error{"cancelled", "the run was cancelled", "attention", ""};
    context.check("matches_reference", check.passed(), check.text());
    if (check.rule().rows() == 0) // every query sees the key that is no number
        return {};
    context.metric("max_error", check.rule().worst(), context.device().info().provenance);
    context.metric("plain_error", check.rule().plainWorst(), Provenance::Modelled);
    context.limit("max_error", check.rule().tolerance());
    return {};
}

void AttentionPoint::report(const Execution& done)
{
    const auto tell = [&](const char* name, double value) { context.metric(name, value, Provenance::Modelled); };
    tell("launches", static_cast<double>(done.launches.size()));
    tell("extra_bytes", static_cast<double>(m_checked->allocated - m_shape.inputBytes() - m_shape.outputBytes()));
    tell("peak_bytes", static_cast<double>(m_checked->allocated));
    const UsefulBytes device = m_shape.deviceTraffic();
    tell("device_bytes", device.all());
    tell("device_read", device.read);
    const AttentionWork work = m_shape.work();
    tell("flops", work.all());
    tell("softmax_flops", work.softmax);
    tell("exponentials", work.exponentials);
    reportTraffic(done);
}

void AttentionPoint::reportTraffic(const Execution& done)
{
    const UsefulBytes lanes = m_shape.laneTraffic();
    context.limit("lane_bytes", m_shape.reach > 0 ? m_shape.bytes().all() : m_shape.bytes().written);
    const auto counters = done.counters();
    if (!counters) {
        context.metric("lane_bytes", lanes.all(), Provenance::Modelled);
        return;
    }
    const auto loaded = static_cast<double>(counters->globalLoadBytes + counters->bulkLoadBytes),
               stored = static_cast<double>(counters->globalStoreBytes);
    context.metric("lane_bytes", loaded + stored, context.device().info().provenance);
    context.check(
        "counts_agree", loaded == lanes.read && stored == lanes.written,
        fmt::format(
            "lanes and tensor copies loaded {:.0f} B and stored {:.0f} B; the kernels' loops say {:.0f} and {:.0f}",
            loaded, stored, lanes.read, lanes.written));
    double read = 0, written = 0;
    for (const gpu::LaunchReport& launch : done.launches) {
        if (!launch.timing || launch.timing->extrapolation.used)
            return; // traffic is known of the blocks alone that were simulated in time
        read += static_cast<double>(launch.timing->counters.dramReadBytes);
        written += static_cast<double>(launch.timing->counters.dramWriteBytes);
    }
    context.metric("dram_read", read, Provenance::Simulated);
    context.metric("dram_written", written, Provenance::Simulated);
    if (m_shape.reach > 0) // else nobody sees the last key
        context.limit("dram_read", m_shape.deviceTraffic().read);
}

void AttentionPoint::reportTimes(const std::vector<Measured>& measured)
{
    const Measured& own = measured.front();
    const gpu::DeviceInfo& info = context.device().info();
    const double rate = m_shape.usefulFlops() / own.seconds;
    context.metric("rate", rate, own.provenance);
    if (m_cudnn && measured.size() > 1) {
        context.metric("cudnn_rate", m_shape.usefulFlops() / measured[1].seconds, measured[1].provenance);
        reportShare(context, "cudnn_share", own, measured[1]);
    }
    const auto operation = m_shape.usesMma() ? Operation::MmaFp16 : Operation::FmaFp32;
    const auto peak = peakPerSecond(info, operation, own.clockHz);
    const auto exponentials = peakPerSecond(info, Operation::Mufu, own.clockHz);
    if (!peak || !exponentials || !(*peak > 0) || !(*exponentials > 0) || m_shape.pairs() == 0)
        return;
    const UsefulBytes bytes = m_shape.bytes();
    const double pins = pinBound(info, bytes.read, bytes.written, !own.timing);
    const double seconds =
        std::max({m_shape.usefulFlops() / *peak, static_cast<double>(m_shape.pairs()) / *exponentials,
                  pins > 0 ? bytes.all() / pins : 0});
    context.limit("rate", m_shape.usefulFlops() / seconds);
    context.metric("of_limit", 100 * seconds / own.seconds, own.provenance);
    context.limit("of_limit", 100);
}

Result<std::unique_ptr<LadderPoint>> Attention::open(const ParamSet& params, GpuContext& context) const
{
    const auto shape = attentionShapeOf(params, context.device().info());
    if (!shape)
        return shape.error();
    const std::uint32_t salt = context.rng().nextU32();
    Programs programs;
    for (const std::string& file : attentionFiles(shape->rung)) {
        const auto program = context.kernel(file);
        if (!program)
            return program.error();
        programs.push_back(*program);
    }
    return std::unique_ptr<LadderPoint>(std::make_unique<AttentionPoint>(
        context, *shape, choice(params, "input"), salt, choice(params, "reference") == "cudnn", std::move(programs)));
}

} // namespace

std::unique_ptr<GpuExperiment> makeAttention()
{
    return std::make_unique<Attention>();
}

} // namespace ridge::labs
