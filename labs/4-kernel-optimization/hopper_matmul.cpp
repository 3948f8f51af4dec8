// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/swizzled_tiles.h"
#include "labs/4-kernel-optimization/hopper_matmul_info.h"
#include "labs/catalogue.h"
#include "labs/harness/buffers.h"
#include "labs/harness/declare.h"
#include "labs/harness/ladder_experiment.h"
#include "labs/harness/lost_bits.h"
#include "labs/harness/pipe_rates.h"
#include "labs/harness/small_formats.h"
#include "labs/harness/vendor_arm.h"

#include <cmath>
#include <cstring>
#include <fmt/core.h>
#include <limits>

namespace ridge::labs {
namespace {

constexpr std::uint64_t kReferenceWork = 1ull << 27; // multiply-adds in FP64 at most, but for four rows and a column
constexpr std::uint64_t kFewestRows = 4;
constexpr double kBound = 1e-6; ///< of the sum of the products' magnitudes, beside the rounding at the end
constexpr std::uint64_t kRowsPerOutlier = 16;
constexpr double kOutlier = 4096;          ///< 2^16 times the others; 10^5 is published of language models (Sun 2024)
constexpr double kBesideOutliers = 0x1p-4; ///< of the other elements of A
constexpr std::uint16_t kPoison = 0xFFFF;  ///< what poison() leaves: a NaN, and the padding of C to the end

/// Both factors as they are drawn, and as the device holds them: divided by their scales and rounded, with zeros in the
/// padding.
class Factors {
public:
    Factors(const HopperMatmulShape& shape, std::uint32_t salt)
        : m_shape(shape), m_bytes(shape.factorBytes()), m_pitch(shape.pitchOfFactors()),
          m_values(1u << (8 * m_bytes)), m_a{salt, shape.m}, m_b{salt + 0x51ED270Bu, shape.n},
          m_outlier(mixed(0, salt) % shape.k)
    {
        const SmallFormat& format = shape.fp8() ? kE4m3 : shape.bf16 ? kBf16 : kFp16;
        for (std::uint32_t bits = 0; bits < m_values.size(); ++bits)
            m_values[bits] = static_cast<float>(valueOf(format, bits));
        for (const bool ofB : {false, true}) {
            Matrix& to = matrix(ofB);
            findScales(to, ofB);
            to.bytes.resize(to.rows * m_pitch * m_bytes);
            for (std::uint64_t row = 0; row < to.rows; ++row)
                for (std::uint64_t at = 0; at < shape.k; ++at) {
                    const double value = drawn(ofB, row, at) / scale(ofB, row, at);
                    const auto bits = static_cast<std::uint16_t>(roundTo(format, value));
                    std::memcpy(&to.bytes[(row * m_pitch + at) * m_bytes], &bits, m_bytes); // little-endian
                }
        }
    }
    std::span<const std::byte> bytes(bool ofB) const { return matrix(ofB).bytes; }
    std::span<const float> scales(bool ofB) const { return matrix(ofB).scales; }
    /// The value that the kernel multiplies; the factor is this times the scale.
    double held(bool ofB, std::uint64_t row, std::uint64_t at) const
    {
        std::uint16_t bits = 0;
        std::memcpy(&bits, &matrix(ofB).bytes[(row * m_pitch + at) * m_bytes], m_bytes);
        return double{m_values[bits]};
    }
    double scale(bool ofB, std::uint64_t row, std::uint64_t at) const
    {
        return m_shape.scales == HopperScales::None ? 1 : double{matrix(ofB).scales[indexOfScale(ofB, row, at)]};
    }
    /// Before scales and rounding.
    double drawn(bool ofB, std::uint64_t row, std::uint64_t at) const
    {
        const Matrix& of = matrix(ofB);
        const std::uint64_t i = row * m_shape.k + at;
        switch (m_shape.data) {
        case HopperData::Integers: { // blocks of unlike size, so that a scale of the wrong block shows
            const bool alike = m_shape.scales != HopperScales::Block;
            const std::uint32_t power = alike ? 0 : mixed(indexOfScale(ofB, row, at), ~of.salt) % 3;
            return std::ldexp(static_cast<double>(mixed(i, of.salt) % 5) - 2, static_cast<int>(power));
        }
        case HopperData::Positive:
            return std::fabs(double{uniform(i, of.salt)});
        case HopperData::Outliers: {
            const double value = double{uniform(i, of.salt)};
            const bool outlier = row % kRowsPerOutlier == 0 && at == m_outlier;
            return ofB ? value : outlier ? std::copysign(kOutlier, value) : value * kBesideOutliers;
        }
        case HopperData::Uniform:
            break;
        }
        return double{uniform(i, of.salt)};
    }

private:
    struct Matrix {
        std::uint32_t salt;
        std::uint64_t rows;
        std::vector<std::byte> bytes = {};
        std::vector<float> scales = {};
    };
    const Matrix& matrix(bool ofB) const { return ofB ? m_b : m_a; }
    Matrix& matrix(bool ofB) { return ofB ? m_b : m_a; }
    std::uint64_t indexOfScale(bool ofB, std::uint64_t row, std::uint64_t at) const
    {
        if (m_shape.scales != HopperScales::Block)
            return 0;
        return at / m_shape.kBlock * m_shape.pitchOfScales(ofB) + row / m_shape.rowsOfScale(ofB);
    }
    /// The largest magnitude of each block over the largest number of e4m3. What no block stands behind is NaN: it must
    /// not be read.
    void findScales(Matrix& of, bool ofB)
    {
        std::vector<double> largest(m_shape.scalesHeld(ofB), -1);
        for (std::uint64_t row = 0; !largest.empty() && row < of.rows; ++row)
            for (std::uint64_t at = 0; at < m_shape.k; ++at) {
                double& sofar = largest[indexOfScale(ofB, row, at)];
                sofar = std::max(sofar, std::fabs(drawn(ofB, row, at)));
            }
        for (const double one : largest) {
            const double exact = one / kE4m3.largest();
            int above = 0;
            if (std::frexp(exact, &above) == 0.5)
                --above;
            const double found = m_shape.data == HopperData::Integers ? std::ldexp(1, above) : exact;
            of.scales.push_back(one < 0 ? std::numeric_limits<float>::quiet_NaN()
                                        : static_cast<float>(one > 0 ? found : 1));
        }
    }

    const HopperMatmulShape m_shape;
    const std::uint64_t m_bytes, m_pitch;
    std::vector<float> m_values;
    Matrix m_a, m_b;
    const std::uint64_t m_outlier; // column of A
};

struct Set {
    gpu::DevicePtr a, b, c;
    gpu::DevicePtr scalesOfA = {}, scalesOfB = {}; ///< null without scales
};

std::uint64_t bytesOfC(const HopperMatmulShape& shape)
{
    return 2 * shape.m * shape.pitchOfResult();
}

Result<Set> fillSet(GpuContext& context, const HopperMatmulShape& shape, const Factors& factors, Buffers& buffers)
{
    Set set;
    const auto copy = [&](gpu::DevicePtr& to, std::span<const std::byte> bytes, const char* label) -> Result<void> {
        const auto made = buffers.allocate(bytes.size(), label);
        if (!made)
            return made.error();
        to = *made;
        return context.device().copyToDevice(to, bytes);
    };
    for (const bool ofB : {false, true}) {
        if (auto copied = copy(ofB ? set.b : set.a, factors.bytes(ofB), ofB ? "B" : "A"); !copied)
            return copied.error();
        if (shape.scales == HopperScales::None)
            continue;
        const auto scales = std::as_bytes(factors.scales(ofB));
        if (auto copied = copy(ofB ? set.scalesOfB : set.scalesOfA, scales, ofB ? "scales of B" : "scales of A");
            !copied)
            return copied.error();
    }
    const auto made = buffers.allocate(bytesOfC(shape), "C");
    if (!made)
        return made.error();
    set.c = *made;
    if (auto poisoned = poison(context, set.c, bytesOfC(shape)); !poisoned)
        return poisoned.error();
    return set;
}

Result<gpu::Sequence> sequenceOf(gpu::Device& device, const HopperMatmulShape& shape, const gpu::LoadedProgram* program,
                                 const Set& set)
{
    const auto word = [](std::uint64_t value) { return static_cast<std::uint32_t>(value); };
    const auto map = [&](gpu::DevicePtr matrix, std::uint64_t rows, std::uint32_t boxRows) { // of a factor
        const std::uint64_t bytes = shape.factorBytes();
        return gpu::swizzledMap(
            device, {matrix, word(bytes), shape.k, rows, bytes * shape.pitchOfFactors(), word(shape.depth()), boxRows});
    };
    const auto a = map(set.a, shape.m, word(shape.kTileRows));
    if (!a)
        return a.error();
    const auto b = map(set.b, shape.n, shape.boxRowsOfB());
    if (!b)
        return b.error();
    gpu::Launch launch;
    launch.kernel = shape.kernel();
    launch.grid = shape.grid(device.info().smCount);
    launch.block = {shape.threads(), 1, 1};
    launch.dynamicSharedBytes = shape.sharedBytes();
    launch.args = {*a, *b, set.c, word(shape.m), word(shape.n), word(shape.k)};
    if (shape.storesByMap()) {
        const auto c = gpu::swizzledMap(device, {set.c, 2, shape.n, shape.m, 2 * shape.pitchOfResult(), 64, 64});
        if (!c)
            return c.error();
        launch.args[2] = *c;
        if (shape.fp8())
            launch.args.insert(launch.args.begin() + 3, {set.scalesOfA, set.scalesOfB});
    } else {
        launch.args.emplace_back(word(shape.pitchOfResult()));
    }
    return gpu::Sequence{{program, launch}};
}

// ---- correctness ----------------------------------------------------------------------------------------------------

class Judge {
public:
    Judge(GpuContext& context, const HopperMatmulShape& shape, const Factors& factors)
        : m_context(context), m_shape(shape), m_factors(factors)
    {
    }
    Result<void> judge(gpu::DevicePtr c)
    {
        const std::uint64_t pitch = m_shape.pitchOfResult();
        m_got.resize(m_shape.m * pitch);
        auto read = readBack<std::uint16_t>(m_context, c, m_got.size(), [&](std::uint64_t i, std::uint16_t bits) {
            m_got[i] = bits;
            if (i % pitch >= m_shape.n)
                padding += bits == kPoison ? 0 : 1;
            else
                notNumbers += std::isfinite(valueOf(format(), bits)) ? 0 : 1;
        });
        if (!read)
            return read;
        const std::uint64_t rows = std::min(m_shape.m, std::max(kFewestRows, kReferenceWork / (m_shape.n * m_shape.k)));
        for (std::uint64_t i = 0; i < rows; ++i) {
            if (m_context.cancelled())
                return Error{"cancelled", "the run was cancelled", "comparing with FP64", ""};
            const std::uint64_t row = rows == 1 ? 0 : i * (m_shape.m - 1) / (rows - 1);
            for (std::uint64_t column = 0; column < m_shape.n; ++column)
                see(row, column);
            if (m_shape.fp8())
                holdAgainstDrawn(row);
        }
        for (std::uint64_t row = 0; row < m_shape.m && rows < m_shape.m; ++row)
            see(row, m_shape.n - 1); // the last column of the ragged tile
        return {};
    }
    std::string how() const
    {
        return integers()      ? "bit for bit"
               : m_shape.fp8() ? "with FP64, within the rounding and what 13 fraction bits cut off"
                               : "with FP64, within the rounding and 1e-6 of the sum of magnitudes";
    }
    /// Root mean square and largest error in % of the root mean square of the result.
    double rmsError() const { return m_squares > 0 ? 100 * std::sqrt(m_offSquares / m_squares) : 0; }
    double largestError() const
    {
        return m_squares > 0 ? 100 * m_largestOff / std::sqrt(m_squares / static_cast<double>(m_seen)) : 0;
    }

    /// The same against the factors as they were drawn, of each row by itself: an outlier would hide all other rows.
    double drawnError() const
    {
        return m_drawnRows > 0 ? 100 * std::sqrt(m_drawnShares / static_cast<double>(m_drawnRows)) : 0;
    }

    Comparison comparison;
    double largestShare = 0;
    std::uint64_t notNumbers = 0, padding = 0;

private:
    const SmallFormat& format() const { return m_shape.bf16 ? kBf16 : kFp16; }
    bool integers() const { return m_shape.data == HopperData::Integers; }
    void see(std::uint64_t row, std::uint64_t column)
    {
        double wanted = 0, magnitude = 0, lost = 0, scale = 1;
        m_magnitudes.resize(m_shape.k);
        for (std::uint64_t at = 0; at < m_shape.k; ++at) {
            if (at % m_shape.kBlock == 0)
                scale = m_factors.scale(false, row, at) * m_factors.scale(true, column, at);
            const double product = scale * m_factors.held(false, row, at) * m_factors.held(true, column, at);
            wanted += product;
            m_magnitudes[at] = std::fabs(product);
            magnitude += m_magnitudes[at];
        }
        const std::uint64_t block = m_shape.twoLevel ? m_shape.kBlock : m_shape.k; // that the tensor cores sum alone
        for (std::uint64_t first = 0; m_shape.fp8() && first < m_shape.k; first += block)
            lost += lostByFp8(std::span(m_magnitudes).subspan(first, std::min(block, m_shape.k - first)));
        const std::uint64_t i = row * m_shape.pitchOfResult() + column;
        const double got = valueOf(format(), m_got[i]);
        const double off = std::fabs(got - wanted);
        m_offSquares += off * off;
        m_squares += wanted * wanted;
        m_largestOff = std::max(m_largestOff, off);
        ++m_seen;
        if (integers()) { // every partial sum is below 2^24, so FP32 holds it whatever the order
            const double rounded = valueOf(format(), roundTo(format(), wanted));
            comparison.see(row * m_shape.n + column, got == rounded, got, rounded);
            return;
        }
        const double steps = m_shape.data == HopperData::Positive ? static_cast<double>(ceilDiv(m_shape.k, 16)) : 0;
        // Of FP32, which cuts positive sums one way. The product of two scales is rounded, and what it multiplies.
        const double scaled =
            m_shape.scales == HopperScales::None ? 0 : 2 + static_cast<double>(ceilDiv(m_shape.k, block));
        const double sum = (kBound + steps * 0x1p-22 + scaled * 0x1p-24) * magnitude + lost;
        const double bound = sum + std::ldexp(std::fabs(wanted) + sum, -format().fractionBits - 1) + 0x1p-25;
        comparison.see(row * m_shape.n + column, off <= bound, got, wanted);
        largestShare = std::max(largestShare, off / bound);
    }

    void holdAgainstDrawn(std::uint64_t row)
    {
        std::vector<double> ofA(m_shape.k);
        for (std::uint64_t at = 0; at < m_shape.k; ++at)
            ofA[at] = m_factors.drawn(false, row, at);
        double off = 0, all = 0;
        for (std::uint64_t column = 0; column < m_shape.n; ++column) {
            double wanted = 0;
            for (std::uint64_t at = 0; at < m_shape.k; ++at)
                wanted += ofA[at] * m_factors.drawn(true, column, at);
            const double difference = valueOf(format(), m_got[row * m_shape.pitchOfResult() + column]) - wanted;
            off += difference * difference;
            all += wanted * wanted;
        }
        if (!(all > 0))
            return;
        m_drawnShares += off / all;
        ++m_drawnRows;
    }

    GpuContext& m_context;
    const HopperMatmulShape& m_shape;
    const Factors& m_factors;
    std::vector<std::uint16_t> m_got;
    std::vector<double> m_magnitudes; // of the products of one element
    double m_offSquares = 0, m_squares = 0, m_largestOff = 0;
    double m_drawnShares = 0; // of each row: squares of errors over squares of results
    std::uint64_t m_seen = 0, m_drawnRows = 0;
};

// ---- cuBLAS ---------------------------------------------------------------------------------------------------------

/// The vendor's product on the same buffers.
Result<void> findCublas(VendorArm& cublas, GpuContext& context, const HopperMatmulShape& shape, const Factors& factors,
                        const Set& set)
{
    if (shape.scales != HopperScales::None) {
        context.log("without cuBLAS: it is not asked to apply scales here; set scales=none");
        return {};
    }
    if (shape.padded()) {
        context.log(fmt::format("without cuBLAS: its product here takes rows without padding; set n to a multiple of 8 "
                                "and k to one of {}",
                                16 / shape.factorBytes()));
        return {};
    }
    const auto format = shape.bf16 ? gpu::MatrixFormat::Bf16 : gpu::MatrixFormat::Fp16;
    const auto factor = shape.fp8() ? gpu::MatrixFormat::E4m3 : format;
    HopperMatmulShape theirs = shape; // how a library sums eight bits is its own affair: the tensor cores alone may
    theirs.twoLevel = false;
    const auto wipe = [&] { return poison(context, set.c, bytesOfC(shape)); };
    const auto judge = [&](const std::string& check, const std::string& who) -> Result<bool> {
        Judge found(context, theirs, factors);
        if (auto judged = found.judge(set.c); !judged)
            return judged.error();
        found.comparison.report(context, found.how(), check.c_str(), who);
        return found.comparison.passed();
    };
    return cublas.find(context, gpu::MatrixProduct{factor, format, shape.m, shape.n, shape.k, set.a, set.b, set.c},
                       {set.a, set.b, set.c}, {wipe, judge});
}

// ---- numbers --------------------------------------------------------------------------------------------------------

void reportCounts(GpuContext& context, const HopperMatmulShape& shape, const Execution& done)
{
    const double products = shape.products();
    context.metric("flop", shape.flop(), Provenance::Modelled);
    context.metric("tiles", static_cast<double>(shape.tiles()), Provenance::Modelled);
    context.metric("wgmma_instructions", products, Provenance::Modelled);
    context.metric("tile_use", 100 * shape.flop() / (shape.productFlop() * products), Provenance::Modelled);
    if (shape.fp8())
        context.metric("scale_bytes", static_cast<double>(shape.scaleBytes()), Provenance::Modelled);
    const auto counters = done.counters();
    if (!counters)
        return;
    const auto by = context.device().info().provenance;
    if (shape.fp8()) // lanes read nothing else in global memory
        context.metric("scale_traffic", 32.0 * static_cast<double>(counters->globalLoadSectors), by);
    context.metric("copied_bytes", static_cast<double>(counters->bulkLoadBytes), by);
    context.metric("bulk_copies", static_cast<double>(counters->bulkCopies), by);
    if (const auto read = static_cast<double>(counters->wgmmaSharedBytes); read > 0) // a GPU does not count it
        context.check("wgmma_counted", read == products * shape.productBytes(),
                      fmt::format("wgmma read {:.0f} bytes of operands; {:.0f} instructions read {:.0f}", read,
                                  products, products * shape.productBytes()));
}

void reportRate(GpuContext& context, const HopperMatmulShape& shape, const Measured& time)
{
    const gpu::DeviceInfo& info = context.device().info();
    const double rate = shape.flop() / time.seconds;
    context.metric("rate", rate / 1e12, time.provenance);
    const auto dense = peakPerSecond(info,
                                     shape.fp8()  ? Operation::MmaInt8 // e4m3 has the rate of int8 on Hopper
                                     : shape.bf16 ? Operation::MmaBf16
                                                  : Operation::MmaFp16,
                                     time.clockHz);
    if (!dense)
        return;
    context.metric("peak_share", 100 * rate / *dense, time.provenance);
    context.limit("peak_share", 100);
    context.limit("rate", *dense / 1e12);
    const double bound = pinBound(info, shape.bytes().read, shape.bytes().written, !time.timing);
    context.limit("time", std::max(shape.flop() / *dense, bound > 0 ? shape.bytes().all() / bound : 0));
}

Result<void> refuse(const HopperMatmulShape& shape, const gpu::DeviceInfo& info)
{
    if (shape.scales == HopperScales::Block && !shape.twoLevel)
        return Error{
            "bad-parameters",
            "accumulate=tensor leaves all of k to the tensor cores, which cannot change the scale in the middle "
            "of a sum",
            "hopper_matmul: scales=block", "choose accumulate=two_level, or scales=tensor"};
    if (info.computeMajor == 9 && info.computeMinor == 0)
        return {};
    return Error{"needs-other-chip",
                 fmt::format("{} has compute capability {}.{}; wgmma is an instruction of 9.0 alone", info.name,
                             info.computeMajor, info.computeMinor),
                 "hopper_matmul", "run it on sim:h100-sxm, or run tensor_matmul here"};
}

// ---- the experiment -------------------------------------------------------------------------------------------------

class HopperMatmul : public LadderExperiment {
public:
    HopperMatmul() : m_info(hopperMatmulInfo()) {}
    const ExperimentInfo& info() const override { return m_info; }
    std::vector<std::string> kernels(const ParamSet& params, const gpu::DeviceInfo& info) const override
    {
        const HopperMatmulShape shape = hopperMatmulShapeOf(params);
        if (!refuse(shape, info))
            return {}; // the run refuses with the reason
        return {hopperMatmulRungs()[shape.rung].file};
    }

private:
    Result<std::unique_ptr<LadderPoint>> open(const ParamSet& params, GpuContext& context) const override;
    ExperimentInfo m_info;
};

class HopperMatmulPoint : public LadderPoint {
public:
    HopperMatmulPoint(GpuContext& given, const HopperMatmulShape& shape, std::uint32_t salt, bool wantsCublas,
                      const gpu::LoadedProgram* program)
        : LadderPoint(given), m_shape(shape), m_factors(shape, salt), m_wantsCublas(wantsCublas), m_program(program)
    {
        arm = hopperMatmulRungs()[shape.rung].name;
        checkedShare = 0.6;
    }
    Result<gpu::Sequence> makeSet(Buffers& buffers) override
    {
        const auto set = fillSet(context, m_shape, m_factors, buffers);
        if (!set)
            return set.error();
        if (!m_checked)
            m_checked = *set;
        m_cublas.addSet({set->a, set->b, set->c});
        return sequenceOf(context.device(), m_shape, m_program, *set);
    }
    Result<void> prepare(Buffers&) override
    {
        if (!m_wantsCublas)
            return {};
        if (auto found = findCublas(m_cublas, context, m_shape, m_factors, *m_checked); !found)
            return found;
        return poison(context, m_checked->c, bytesOfC(m_shape));
    }
    Result<void> check() override
    {
        Judge judge(context, m_shape, m_factors);
        if (auto judged = judge.judge(m_checked->c); !judged)
            return judged;
        judge.comparison.report(context, judge.how());
        context.check("all_finite", judge.notNumbers == 0,
                      fmt::format("{} elements are no finite number", judge.notNumbers));
        context.check("padding_untouched", judge.padding == 0,
                      fmt::format("{} elements behind the rows of C were written", judge.padding));
        const auto by = context.device().info().provenance;
        context.metric("error_share", 100 * judge.largestShare, by);
        context.metric("error_rms", judge.rmsError(), by);
        context.metric("error_largest", judge.largestError(), by);
        if (m_shape.fp8())
            context.metric("error_drawn", judge.drawnError(), by);
        return {};
    }
    void report(const Execution& done) override { reportCounts(context, m_shape, done); }
    UsefulBytes bytes() const override { return m_shape.bytes(); }
    std::uint64_t touchedBytes() const override { return static_cast<std::uint64_t>(m_shape.bytes().all()); }
    std::uint64_t heldBytes() const override { return m_shape.heldBytes(); }
    std::vector<gpu::Arm> references() override { return m_cublas.arms(); }
    void reportTimes(const std::vector<Measured>& measured) override
    {
        reportRate(context, m_shape, measured.front());
        if (measured.size() > 1)
            reportShare(context, "cublas_share", measured.front(), measured[1]);
    }

private:
    const HopperMatmulShape m_shape;
    const Factors m_factors;
    const bool m_wantsCublas;
    const gpu::LoadedProgram* const m_program;
    VendorArm m_cublas{"cublas"};
    std::optional<Set> m_checked;
};

Result<std::unique_ptr<LadderPoint>> HopperMatmul::open(const ParamSet& params, GpuContext& context) const
{
    const HopperMatmulShape shape = hopperMatmulShapeOf(params);
    if (auto runs = refuse(shape, context.device().info()); !runs)
        return runs.error();
    const std::uint32_t salt = context.rng().nextU32();
    const auto program = context.kernel(hopperMatmulRungs()[shape.rung].file);
    if (!program)
        return program.error();
    return std::unique_ptr<LadderPoint>(
        std::make_unique<HopperMatmulPoint>(context, shape, salt, choice(params, "reference") == "cublas", *program));
}

} // namespace

std::unique_ptr<GpuExperiment> makeHopperMatmul()
{
    return std::make_unique<HopperMatmul>();
}

} // namespace ridge::labs
