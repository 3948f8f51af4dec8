// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/1-gpu-architecture/tensor_cores_info.h"
#include "labs/1-gpu-architecture/tensor_cores_numbers.h"
#include "labs/catalogue.h"
#include "labs/gpu_experiment.h"
#include "labs/harness/buffers.h"
#include "labs/harness/declare.h"
#include "labs/harness/ladder.h"
#include "labs/harness/simulated_time.h"
#include "labs/harness/vendor_arm.h"
#include "labs/harness/work.h"
#include "silicon/roofline.h"

#include <cmath>
#include <fmt/core.h>

namespace ridge::labs {
namespace {

constexpr std::uint64_t kTile = 64;
constexpr std::uint64_t kReferenceWork = 1ull << 28; // multiply-adds in FP64 at most: fewer rows of larger matrices
constexpr std::uint64_t kEmulated = 4096;            // elements

struct Setting {
    const MatrixPrecision* precision = nullptr;
    MatrixInputs inputs;
    int capability = 0;

    std::uint64_t n() const { return inputs.n; }
    double flop() const { return 2.0 * static_cast<double>(n()) * static_cast<double>(n()) * static_cast<double>(n()); }
    /// Hopper's tensor cores give their rate to wgmma alone; consumer Blackwell, which came later, has none.
    const char* kernel() const
    {
        if (!precision->tensor())
            return kCudaCoresKernel;
        if (capability == 90)
            return kWgmmaKernel;
        return precision->peak == silicon::Precision::Fp8 ? kMmaFp8Kernel : kMmaSyncKernel;
    }
};

Setting settingOf(const ParamSet& params, const gpu::DeviceInfo& info)
{
    Setting setting;
    setting.precision = &matrixPrecision(choice(params, "precision"));
    const std::string& data = choice(params, "data");
    setting.inputs.data = data == "uniform" ? MatrixData::Uniform
                          : data == "large" ? MatrixData::Large
                                            : MatrixData::Cancel;
    setting.inputs.n = integer(params, "n");
    setting.inputs.value = std::get<double>(params.at("value"));
    setting.capability = 10 * info.computeMajor + info.computeMinor;
    return setting;
}

Result<void> refuse(const Setting& setting, const gpu::DeviceInfo& info)
{
    if (setting.n() % kTile != 0)
        return Error{"bad-value", fmt::format("matrices of order {} do not fall into tiles of 64", setting.n()),
                     "tensor_cores: n", "set n to a multiple of 64"};
    if (setting.capability < setting.precision->capability)
        return Error{"unsupported-precision",
                     fmt::format("{} has compute capability {}.{}; {} on tensor cores needs {}.{} here", info.name,
                                 info.computeMajor, info.computeMinor, setting.precision->name,
                                 setting.precision->capability / 10, setting.precision->capability % 10),
                     "tensor_cores: precision",
                     setting.precision->capability > 80
                         ? "set precision=fp16, or choose an Ada or Hopper GPU: sim:l40s, sim:h100-sxm"
                         : "set precision=fp32, or choose an Ampere GPU or a newer one: sim:a100-sxm-80, sim:h100-sxm"};
    if (setting.precision->peak == silicon::Precision::Fp8 && info.computeMajor == 10)
        return Error{"unsupported-precision",
                     fmt::format("{} multiplies fp8 with tcgen05 alone, which this version does not use", info.name),
                     "tensor_cores: precision", "set precision=fp16, or choose an Ada or Hopper GPU"};
    return {};
}

// ---- results --------------------------------------------------------------------------------------------------------

struct Findings {
    std::uint64_t infinities = 0, notNumbers = 0;
    double largest = -1; ///< of the finite ones
    double maxError = -1, meanError = 0;
    std::uint64_t compared = 0, outside = 0, emulated = 0, equal = 0;
};

/// Relative to the sum of the products' magnitudes: what rounding of both factors, of every sum and of the result may
/// make of an element, with the rules of tensor cores, which cut off (a unit, not half of one).
double toleranceOf(const Setting& setting)
{
    const double factor = setting.precision->tensor() ? std::ldexp(1, -setting.precision->in.fractionBits - 1) : 0;
    const double sum = static_cast<double>(setting.n()) * 0x1p-22;
    const double stored = std::ldexp(1, -setting.precision->out.fractionBits - 1);
    return 2 * factor + factor * factor + sum + stored;
}

void compareRow(const Setting& setting, std::uint64_t row, const std::vector<double>& bs,
                std::span<const std::uint32_t> got, Findings& found)
{
    const std::uint64_t n = setting.n();
    const SmallFormat& in = setting.precision->in;
    const SmallFormat& out = setting.precision->out;
    const bool eight = setting.precision->peak == silicon::Precision::Fp8;
    std::vector<double> as(n), magnitudes(n);
    bool clipped = false;
    for (std::uint64_t k = 0; k < n; ++k) {
        as[k] = setting.inputs.a(row, k);
        clipped = clipped || std::fabs(as[k]) > in.largest();
    }
    for (std::uint64_t column = 0; column < n; ++column) {
        const double* b = bs.data() + column * n;
        double wanted = 0, magnitude = 0;
        for (std::uint64_t k = 0; k < n; ++k) {
            wanted += as[k] * b[k];
            magnitudes[k] = std::fabs(as[k] * b[k]);
            magnitude += magnitudes[k];
        }
        const double value = valueOf(out, got[column]);
        // Past the format's end only an infinity is right; near it either is.
        const double slack = toleranceOf(setting) * magnitude + (eight ? lostByFp8(magnitudes) : 0);
        const bool infinite = std::isinf(value) && value * wanted > 0;
        const bool right = std::isinf(value) ? infinite && (clipped || std::fabs(wanted) + slack > out.largest())
                                             : std::fabs(value - wanted) <= slack || (clipped && !std::isnan(value));
        found.outside += right ? 0 : 1;
        ++found.compared;
        if (!std::isfinite(value) || wanted == 0)
            continue;
        const double error = std::fabs(value - wanted) / std::fabs(wanted);
        found.maxError = std::max(found.maxError, error);
        found.meanError += error;
    }
}

/// Rows spread over the matrix, as many as the CPU can afford, against FP64.
Result<void> compareRows(RunContext& context, const Setting& setting, const std::vector<std::uint32_t>& results,
                         Findings& found)
{
    const std::uint64_t n = setting.n();
    std::uint64_t finite = 0;
    std::vector<double> bs(n * n);
    for (std::uint64_t column = 0; column < n; ++column)
        for (std::uint64_t k = 0; k < n; ++k)
            bs[column * n + k] = setting.inputs.b(k, column);
    const std::uint64_t rows = std::clamp<std::uint64_t>(kReferenceWork / (n * n), 1, n);
    for (std::uint64_t i = 0; i < rows; ++i) {
        if (context.cancelled())
            return Error{"cancelled", "the run was cancelled", "comparing with FP64", ""};
        const std::uint64_t row = i * n / rows;
        compareRow(setting, row, bs, std::span(results).subspan(row * n, n), found);
    }
    for (std::uint64_t i = 0; i < rows * n; ++i)
        finite += std::isfinite(valueOf(setting.precision->out, results[i / n * n / rows * n + i % n])) ? 1 : 0;
    found.meanError = finite > 0 ? found.meanError / static_cast<double>(finite) : 0;
    return {};
}

Result<Findings> judge(RunContext& context, const Setting& setting, const std::vector<std::uint32_t>& results)
{
    const std::uint64_t n = setting.n();
    Findings found;
    for (const std::uint32_t bits : results) {
        const double value = valueOf(setting.precision->out, bits);
        found.infinities += std::isinf(value) ? 1 : 0;
        found.notNumbers += std::isnan(value) ? 1 : 0;
        if (std::isfinite(value))
            found.largest = std::max(found.largest, std::fabs(value));
    }
    if (auto compared = compareRows(context, setting, results, found); !compared)
        return compared.error();
    found.emulated = std::min<std::uint64_t>(kEmulated, std::max<std::uint64_t>(64, (1u << 22) / n));
    for (std::uint64_t i = 0; i < found.emulated; ++i) {
        if (i % 64 == 0 && context.cancelled())
            return Error{"cancelled", "the run was cancelled", "emulating tensor cores", ""};
        const std::uint64_t at = mixed(i, setting.inputs.salt) % (n * n);
        found.equal +=
            emulated(setting.inputs, *setting.precision, setting.capability, at / n, at % n) == results[at] ? 1 : 0;
    }
    return found;
}

std::string insideText(const Setting& setting, const Findings& found)
{
    return fmt::format("{} of {} elements are within {:.2g} of the sum of magnitudes{}, or past the format's end",
                       found.compared - found.outside, found.compared, toleranceOf(setting),
                       setting.precision->peak == silicon::Precision::Fp8 ? " and what 13 fraction bits cut off" : "");
}

void reportFindings(GpuContext& context, const Setting& setting, const Findings& found)
{
    const Provenance by = context.device().info().provenance;
    context.check("matches_reference", found.outside == 0, insideText(setting, found));
    context.check("no_nan", found.notNumbers == 0, fmt::format("{} results are not numbers", found.notNumbers));
    context.metric("infinities", static_cast<double>(found.infinities), by);
    if (found.largest >= 0)
        context.metric("max_output", found.largest, by);
    if (found.maxError >= 0) {
        context.metric("max_rel_error", found.maxError, by);
        context.metric("mean_rel_error", found.meanError, by);
    }
    context.metric("emulation_share", 100.0 * static_cast<double>(found.equal) / static_cast<double>(found.emulated),
                   by);
    context.metric("flop", setting.flop(), Provenance::Modelled);
}

/// Dense FLOP/s: as published for a chip of the table; 0 where nobody knows.
double peakOf(const gpu::DeviceInfo& info, silicon::Precision precision)
{
    const auto catalogue = silicon::shippedCatalogue();
    if (!catalogue)
        return 0;
    const auto chip = catalogue->find(info.chip);
    if (!chip)
        return 0;
    const auto lines = silicon::roofline(*catalogue, *chip, precision);
    return lines ? lines->flopsPerSecond : 0;
}

void reportRate(GpuContext& context, const Setting& setting, const Measured& time)
{
    reportTime(context, time);
    const double rate = setting.flop() / time.seconds;
    context.metric("rate", rate / 1e12, time.provenance);
    const double peak = peakOf(context.device().info(), setting.precision->peak);
    if (!(peak > 0))
        return;
    context.metric("peak", peak / 1e12, Provenance::Modelled);
    context.metric("peak_share", 100 * rate / peak, time.provenance);
    context.limit("rate", peak / 1e12);
    context.limit("peak_share", 100);
    context.limit("time", setting.flop() / peak);
}

void reportReference(RunContext& context, const Setting& setting, const Measured& own, const Measured& reference)
{
    context.metric("reference_rate", setting.flop() / reference.seconds / 1e12, reference.provenance);
    reportShare(context, "reference_share", own, reference);
}

class TensorCores : public GpuExperiment {
public:
    TensorCores() { m_info = tensorCoresInfo(); }
    const ExperimentInfo& info() const override { return m_info; }
    std::vector<std::string> kernels(const ParamSet& params, const gpu::DeviceInfo& info) const override
    {
        const Setting setting = settingOf(params, info);
        return refuse(setting, info) ? std::vector<std::string>{setting.kernel()} : std::vector<std::string>();
    }
    Result<void> runOnDevice(const ParamSet& params, GpuContext& context) const override;

private:
    ExperimentInfo m_info;
};

struct Matrices {
    gpu::DevicePtr a, b, c;

    std::vector<gpu::KernelArg> all() const { return {a, b, c}; }
};

/// Rounded once, for as many sets of buffers as take turns.
struct Factors {
    std::vector<std::byte> a, b;
};

Result<Matrices> upload(GpuContext& context, Buffers& buffers, const Setting& setting, const Factors& factors)
{
    Matrices matrices;
    for (const bool second : {false, true}) {
        const std::vector<std::byte>& bytes = second ? factors.b : factors.a;
        const auto buffer = buffers.allocate(bytes.size(), second ? "B" : "A");
        if (!buffer)
            return buffer.error();
        if (auto copied = context.device().copyToDevice(*buffer, bytes); !copied)
            return copied.error();
        (second ? matrices.b : matrices.a) = *buffer;
    }
    const std::uint64_t size = setting.n() * setting.n() * setting.precision->outBytes();
    const auto buffer = buffers.allocate(size, "C");
    if (!buffer)
        return buffer.error();
    matrices.c = *buffer;
    if (auto poisoned = poison(context, *buffer, size); !poisoned)
        return poisoned.error();
    return matrices;
}

Result<std::vector<std::uint32_t>> download(GpuContext& context, const Setting& setting, gpu::DevicePtr from)
{
    std::vector<std::uint32_t> results(setting.n() * setting.n());
    const auto keep = [&](std::uint64_t i, auto bits) { results[i] = bits; };
    auto read = setting.precision->outBytes() == 2 ? readBack<std::uint16_t>(context, from, results.size(), keep)
                                                   : readBack<std::uint32_t>(context, from, results.size(), keep);
    if (!read)
        return read.error();
    return results;
}

gpu::MatrixFormat formatOf(const SmallFormat& format)
{
    return format.bits() <= 8          ? gpu::MatrixFormat::E4m3
           : format.exponentBits == 5  ? gpu::MatrixFormat::Fp16
           : format.fractionBits == 7  ? gpu::MatrixFormat::Bf16
           : format.fractionBits == 10 ? gpu::MatrixFormat::Tf32
                                       : gpu::MatrixFormat::Fp32;
}

/// The vendor's way to the same product, where there is one that gives what the CPU gives.
Result<void> findReference(VendorArm& vendor, GpuContext& context, const Setting& setting, const Matrices& matrices)
{
    const std::uint64_t n = setting.n();
    const auto wipe = [&] { return poison(context, matrices.c, n * n * setting.precision->outBytes()); };
    const auto judge = [&](const std::string& check, const std::string& who) -> Result<bool> {
        const auto results = download(context, setting, matrices.c);
        if (!results)
            return results.error();
        Findings found;
        if (auto compared = compareRows(context, setting, *results, found); !compared)
            return compared.error();
        context.check(check, found.outside == 0, who + ": " + insideText(setting, found));
        return found.outside == 0;
    };
    return vendor.find(context,
                       gpu::MatrixProduct{formatOf(setting.precision->in), formatOf(setting.precision->out), n, n, n,
                                          matrices.a, matrices.b, matrices.c},
                       matrices.all(), {wipe, judge});
}

Result<void> TensorCores::runOnDevice(const ParamSet& params, GpuContext& context) const
{
    gpu::Device& device = context.device();
    Setting setting = settingOf(params, device.info());
    if (auto may = refuse(setting, device.info()); !may)
        return may;
    setting.inputs.salt = context.rng().nextU32();
    const auto program = context.kernel(setting.kernel());
    if (!program)
        return program.error();
    Buffers buffers(device);
    const Factors factors{encoded(setting.inputs, false, *setting.precision),
                          encoded(setting.inputs, true, *setting.precision)};
    const auto matrices = upload(context, buffers, setting, factors);
    if (!matrices)
        return matrices.error();
    const auto workOn = [&](const Matrices& set) {
        std::vector<gpu::KernelArg> args = set.all();
        args.emplace_back(static_cast<std::uint32_t>(setting.n()));
        gpu::Step made = step(*program, fmt::format("multiply_{}", setting.precision->name), setting.n() / kTile,
                              setting.precision->tensor() ? 128 : 256, std::move(args));
        made.launch.grid.y = made.launch.grid.x;
        return made;
    };
    const gpu::Step work = workOn(*matrices);
    context.progress(0.3, "multiplying in " + std::string(setting.precision->name));
    const auto done = executeOnce(context, {work});
    if (!done)
        return done.error();
    const auto results = download(context, setting, matrices->c);
    if (!results)
        return results.error();
    if (auto guards = buffers.checkGuards(context); !guards)
        return guards;
    context.progress(0.6, "comparing with FP64");
    const auto found = judge(context, setting, *results);
    if (!found)
        return found.error();
    reportFindings(context, setting, *found);
    VendorArm vendor("vendor");
    if (auto tried = findReference(vendor, context, setting, *matrices); !tried)
        return tried;
    gpu::Arm own{work.launch.kernel, {{work}}};
    const std::uint64_t touched = factors.a.size() + factors.b.size() + results->size() * setting.precision->outBytes();
    const auto further = [&]() -> Result<gpu::Sequence> {
        const auto other = upload(context, buffers, setting, factors);
        if (!other)
            return other.error();
        vendor.addSet(other->all());
        return gpu::Sequence{workOn(*other)};
    };
    if (auto rotated = rotate(own, setsToRotate(device.info(), touched, touched), further); !rotated)
        return rotated;
    std::vector<gpu::Arm> arms{own};
    if (vendor)
        arms.push_back(vendor.arm());
    const auto measured = measure(context, *done, arms);
    if (!measured)
        return measured.error();
    reportSimulated(context, done->heaviest());
    if (measured->empty())
        return {};
    const Measured& time = measured->front();
    if (time.timing && time.timing->validity == "valid" && own.sets.size() * touched < 2 * device.info().l2Bytes)
        context.validity("resident in L2");
    reportRate(context, setting, time);
    if (measured->size() > 1)
        reportReference(context, setting, time, measured->back());
    return {};
}

} // namespace

std::unique_ptr<GpuExperiment> makeTensorCores()
{
    return std::make_unique<TensorCores>();
}

} // namespace ridge::labs
