// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/catalogue.h"
#include "labs/gpu_experiment.h"
#include "labs/harness/buffers.h"
#include "labs/harness/declare.h"
#include "labs/harness/ladder_experiment.h"
#include "labs/harness/simulated_time.h"

#include <fmt/core.h>

namespace ridge::labs {
namespace {

constexpr Rung kRungs[] = {
    {"copy", "the ceiling", "transpose/01_copy.cu"},
    {"naive_read", "naive, reads in order", "transpose/02_naive_read.cu"},
    {"naive_write", "naive, writes in order", "transpose/03_naive_write.cu"},
    {"tile", "tile in shared memory", "transpose/04_tile.cu"},
    {"padded", "one column of padding", "transpose/05_padded.cu"},
    {"swizzle", "XOR swizzle instead of padding", "transpose/06_swizzle.cu"},
    {"diagonal", "diagonal order of blocks", "transpose/07_diagonal.cu"},
    {"vector", "16 bytes a lane on both sides", "transpose/08_vector.cu"},
};
constexpr std::size_t kCopy = 0, kVector = 7;
constexpr std::uint32_t kThreads = 256;
constexpr std::uint64_t kCopyBlockBytes = 4 * 16 * kThreads;

struct Setting {
    std::size_t rung = 0;
    std::uint64_t width = 0;
    std::uint64_t height = 0;
    std::uint64_t elementBytes = 4;
    std::uint32_t salt = 0;

    std::uint64_t elements() const { return width * height; }
    std::uint64_t matrixBytes() const { return elements() * elementBytes; }
    /// Read once and written once: the owner of the formula.
    UsefulBytes bytes() const { return {static_cast<double>(matrixBytes()), static_cast<double>(matrixBytes())}; }
    std::string kernel(std::size_t of) const { return fmt::format("transpose_{}_{}", kRungs[of].name, elementBytes); }
    std::uint64_t blocks(std::size_t of) const
    {
        if (of == kCopy)
            return ceilDiv(matrixBytes(), kCopyBlockBytes);
        const std::uint64_t columns = of == kVector ? 128 / elementBytes : 32;
        return ceilDiv(width, columns) * ceilDiv(height, of == kVector ? 128 : 32);
    }
    /// Where the element at `i` of the output comes from.
    std::uint64_t source(std::uint64_t i) const { return rung == kCopy ? i : i % height * width + i / height; }
    /// What the input holds at `i`; the narrow types keep the lowest bits.
    std::uint64_t value(std::uint64_t i) const { return i << 32 | mixed(i, salt); }
};

Setting settingOf(const ParamSet& params, RunContext& context)
{
    return {rungOf(kRungs, params), integer(params, "width"), integer(params, "height"),
            integer(params, "element_bytes"), context.rng().nextU32()};
}

// ---- work -----------------------------------------------------------------------------------------------------------

/// Calls `with(T())`, T as wide as an element.
template<class With>
auto forWidth(std::uint64_t bytes, With with)
{
    return bytes == 1   ? with(std::uint8_t())
           : bytes == 2 ? with(std::uint16_t())
           : bytes == 4 ? with(std::uint32_t())
                        : with(std::uint64_t());
}

struct Set {
    gpu::DevicePtr in, out;
};

Result<Set> makeSet(GpuContext& context, const Setting& setting, Buffers& buffers)
{
    const auto in = buffers.allocate(setting.matrixBytes(), "in");
    if (!in)
        return in.error();
    const auto out = buffers.allocate(setting.matrixBytes(), "out");
    if (!out)
        return out.error();
    const auto filled = forWidth(setting.elementBytes, [&](auto zero) {
        using T = decltype(zero);
        return fill<T>(context, *in, setting.elements(), [&](auto i) { return static_cast<T>(setting.value(i)); });
    });
    if (!filled)
        return filled.error();
    return Set{*in, *out};
}

gpu::Sequence sequenceOf(const Setting& setting, std::size_t rung, const gpu::LoadedProgram* program, const Set& set)
{
    return {
        step(program, setting.kernel(rung), setting.blocks(rung), kThreads,
             {set.in, set.out, static_cast<std::uint32_t>(setting.width), static_cast<std::uint32_t>(setting.height)})};
}

Result<void> checkOutput(GpuContext& context, const Setting& setting, gpu::DevicePtr out)
{
    Comparison comparison;
    const auto read = forWidth(setting.elementBytes, [&](auto zero) {
        using T = decltype(zero);
        return readBack<T>(context, out, setting.elements(), [&](std::uint64_t i, T got) {
            const auto wanted = static_cast<T>(setting.value(setting.source(i)));
            comparison.see(i, got == wanted, got, wanted);
        });
    });
    if (!read)
        return read;
    comparison.report(context, "bit for bit");
    return {};
}

void reportAccesses(GpuContext& context, const gpu::Counters& counters)
{
    const auto by = context.device().info().provenance;
    const auto ratio = [&](const char* name, std::uint64_t part, std::uint64_t of) {
        if (of > 0)
            context.metric(name, static_cast<double>(part) / static_cast<double>(of), by);
    };
    ratio("load_sectors_per_request", counters.globalLoadSectors, counters.globalLoadRequests);
    ratio("store_sectors_per_request", counters.globalStoreSectors, counters.globalStoreRequests);
    const SharedPasses passes = sharedPasses(counters);
    context.metric("bank_conflicts", passes.conflicts(), by);
    ratio("conflict_degree", passes.taken, passes.fewest);
}

// ---- description ----------------------------------------------------------------------------------------------------

std::vector<ParamSpec> parameters()
{
    const auto side = [](const char* name, const char* title, const char* help) {
        auto spec = integerParam(name, title, "elements", 32, 32768, 1024, ParamScale::Log2, help);
        spec.defaultFor = {{"gpu", std::int64_t{16384}}};
        spec.sweepFor = {{"sim", "32..2048:log2"}};
        return spec;
    };
    auto bytes = integerParam("element_bytes", "Bytes per element", "bytes", 1, 8, 4, ParamScale::List,
                              "Width of an element; narrow ones fill fewer bytes of a warp's request.");
    bytes.choices = {std::int64_t{1}, std::int64_t{2}, std::int64_t{4}, std::int64_t{8}};
    return {rungParam(kRungs, "padded"),
            side("width", "Width", "Columns of the input; need not be a multiple of a tile."),
            side("height", "Height", "Rows of the input; need not be a multiple of a tile."), bytes};
}

std::vector<MetricSpec> metrics()
{
    const MetricSpec own[] = {
        {"share_of_copy", "Share of the copy", "%",
         "Time of the copy over the time of the rung, both timed in turn; 100 is as fast as a copy of the same bytes."},
        {"load_sectors_per_request", "Sectors per load", "sectors/request",
         "32-byte sectors that a warp-wide global load touches; 4 for 4-byte elements in order."},
        {"store_sectors_per_request", "Sectors per store", "sectors/request",
         "32-byte sectors that a warp-wide global store touches; 4 for 4-byte elements in order."},
        {"bank_conflicts", "Bank conflicts", "wavefronts",
         "Passes through shared memory beyond the fewest possible, loads and stores."},
        {"conflict_degree", "Conflict degree", "ways",
         "Passes through shared memory over the fewest possible; 1 is free of conflicts."}};
    auto all = ladderMetrics(own, "Bytes of the matrix, read once and written once,", "the transpose");
    addPairMetrics(all, "share_of_copy", "Share of the copy");
    return all;
}

class Transpose : public LadderExperiment {
public:
    Transpose()
    {
        m_info.id = "transpose";
        m_info.version = 1;
        m_info.title = "Transpose";
        m_info.module = 4;
        m_info.summary = "Transposes a matrix with seven kernels and compares each with a copy of the same bytes.";
        m_info.parameters = parameters();
        m_info.targets = {"gpu", "sim"};
        m_info.metrics = metrics();
        for (const char* x : {"width", "height", "element_bytes"}) {
            const std::string title = x == std::string("element_bytes") ? "bytes per element" : x;
            m_info.charts.push_back({fmt::format("share_over_{}", x), "Share of the copy over " + title, x,
                                     "share_of_copy", ParamScale::Log2, ParamScale::Linear});
            m_info.charts.push_back({fmt::format("bandwidth_over_{}", x), "Bandwidth over " + title, x, "bandwidth",
                                     ParamScale::Log2, ParamScale::Linear});
        }
        m_info.charts.push_back({"share_by_rung", "Share of the copy by rung", "rung", "share_of_copy",
                                 ParamScale::List, ParamScale::Linear, "ladder"});
        m_info.limits = bandwidthLimits("2 × width × height × bytes per element");
        m_info.kernels = filesOf(kRungs);
        m_info.scenes = launchScenes();
    }
    const ExperimentInfo& info() const override { return m_info; }
    std::vector<std::string> kernels(const ParamSet& params, const gpu::DeviceInfo&) const override
    {
        return {kRungs[rungOf(kRungs, params)].file, kRungs[kCopy].file};
    }

private:
    Result<std::unique_ptr<LadderPoint>> open(const ParamSet& params, GpuContext& context) const override;
    ExperimentInfo m_info;
};

class TransposePoint : public LadderPoint {
public:
    TransposePoint(GpuContext& given, const Setting& setting, const gpu::LoadedProgram* program,
                   const gpu::LoadedProgram* copy)
        : LadderPoint(given), m_setting(setting), m_program(program), m_copyProgram(copy)
    {
        arm = kRungs[setting.rung].name;
        checkedShare = 0.6;
    }
    Result<gpu::Sequence> makeSet(Buffers& buffers) override
    {
        const auto set = labs::makeSet(context, m_setting, buffers);
        if (!set)
            return set.error();
        if (!m_checked)
            m_checked = *set;
        m_copy.sets.push_back(sequenceOf(m_setting, kCopy, m_copyProgram, *set));
        return sequenceOf(m_setting, m_setting.rung, m_program, *set);
    }
    Result<void> prepare(Buffers&) override
    {
        const auto copied = executeReference(context, m_copy.sets[0]);
        if (!copied)
            return copied.error();
        m_simulatedCopy = *copied;
        context.progress(0.3, "copied");
        return poison(context, m_checked->out, m_setting.matrixBytes());
    }
    Result<void> check() override { return checkOutput(context, m_setting, m_checked->out); }
    void report(const Execution& done) override
    {
        if (const auto counters = done.counters())
            reportAccesses(context, *counters);
    }
    UsefulBytes bytes() const override { return m_setting.bytes(); }
    std::uint64_t touchedBytes() const override { return 2 * m_setting.matrixBytes(); }
    std::vector<gpu::Arm> references() override
    {
        return m_simulatedCopy ? std::vector<gpu::Arm>() : std::vector<gpu::Arm>{m_copy};
    }
    void reportTimes(const std::vector<Measured>& measured) override
    {
        reportShare(context, "share_of_copy", measured.front(), referenceTime(m_simulatedCopy, measured));
    }

private:
    const Setting m_setting;
    const gpu::LoadedProgram* const m_program;
    const gpu::LoadedProgram* const m_copyProgram;
    gpu::Arm m_copy{"copy", {}};
    std::optional<Set> m_checked;
    std::optional<double> m_simulatedCopy;
};

Result<std::unique_ptr<LadderPoint>> Transpose::open(const ParamSet& params, GpuContext& context) const
{
    const Setting setting = settingOf(params, context);
    const auto program = context.kernel(kRungs[setting.rung].file);
    if (!program)
        return program.error();
    const auto copyProgram = context.kernel(kRungs[kCopy].file);
    if (!copyProgram)
        return copyProgram.error();
    return std::unique_ptr<LadderPoint>(std::make_unique<TransposePoint>(context, setting, *program, *copyProgram));
}

} // namespace

std::unique_ptr<GpuExperiment> makeTranspose()
{
    return std::make_unique<Transpose>();
}

} // namespace ridge::labs
