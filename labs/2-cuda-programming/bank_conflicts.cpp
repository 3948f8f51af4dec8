// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/access.h"
#include "labs/catalogue.h"
#include "labs/gpu_experiment.h"
#include "labs/harness/buffers.h"
#include "labs/harness/declare.h"
#include "labs/harness/simulated_time.h"

#include <algorithm>
#include <fmt/core.h>

namespace ridge::labs {
namespace {

constexpr const char* kKernel = "bank_conflicts/01_strided_shared.cu";
constexpr std::size_t kTracedLoads = 32; // of block 0; they repeat after the first

struct Setting {
    std::uint32_t stride = 1;
    std::uint32_t wordBytes = 4;
    std::uint32_t iterations = 16;
    std::uint32_t warps = 1;
    std::uint32_t blocks = 1;

    std::uint32_t threadsPerBlock() const { return warps * kWarpSize; }
    std::uint64_t threads() const { return std::uint64_t{blocks} * threadsPerBlock(); }
    /// What the strided reads of a warp span, rounded up to the widest load's alignment.
    std::uint32_t sharedBytes() const { return (((kWarpSize - 1) * stride + 1) * wordBytes + 15) / 16 * 16; }
    std::string kernel() const { return fmt::format("strided_shared_{}", wordBytes); }
};

Setting settingOf(const ParamSet& params, const gpu::DeviceInfo& info)
{
    const auto value = [&](const char* name) { return static_cast<std::uint32_t>(integer(params, name)); };
    return {value("stride"), value("word_bytes"), value("iterations"), value("warps"), std::max(1u, info.smCount)};
}

/// The sum of one thread: `iterations` times the words at its place, weighted as the kernel weights them. Word w of the
/// tile holds w + salt; all arithmetic is modulo 2^32.
std::uint32_t expectedSum(const Setting& setting, std::uint32_t lane, std::uint32_t salt)
{
    const std::uint32_t words = setting.wordBytes / 4;
    std::uint32_t sum = 0;
    for (std::uint32_t part = 0; part < words; ++part)
        sum += (2 * part + 1) * (lane * setting.stride * words + part + salt);
    return sum * setting.iterations;
}

Result<void> checkOutput(GpuContext& context, const Setting& setting, gpu::DevicePtr out, std::uint32_t salt)
{
    std::vector<std::uint32_t> sums(setting.threads());
    if (auto copied = context.device().copyToHost(std::as_writable_bytes(std::span(sums)), out); !copied)
        return copied;
    std::size_t wrong = 0;
    std::string first;
    for (std::size_t i = 0; i < sums.size(); ++i) {
        const auto expected = expectedSum(setting, static_cast<std::uint32_t>(i % kWarpSize), salt);
        if (sums[i] != expected && wrong++ == 0)
            first = fmt::format("first at thread {}: {:#010x} instead of {:#010x}", i, sums[i], expected);
    }
    context.check("matches_reference", wrong == 0,
                  wrong == 0 ? fmt::format("{} sums equal the CPU's", sums.size())
                             : fmt::format("{} sums differ, {}", wrong, first));
    return {};
}

/// What the loads cost in passes through the banks, and how we know.
struct Passes {
    std::uint64_t requests = 0;
    std::uint64_t wavefronts = 0;
    std::uint64_t minimum = 0;
    Provenance provenance = Provenance::Modelled;
};

/// Where the device does not count: the bank rule applied to the addresses that the kernel computes. Every load of the
/// launch has the same ones.
Passes modelled(const Setting& setting)
{
    MemoryRequest request;
    request.space = MemorySpace::Shared;
    request.accessBytes = static_cast<std::uint8_t>(setting.wordBytes);
    request.activeMask = 0xffffffffu;
    for (std::uint32_t lane = 0; lane < kWarpSize; ++lane)
        request.addresses[lane] = std::uint64_t{lane} * setting.stride * setting.wordBytes;
    const gpu::BankService service = gpu::serveBanks(request);
    const std::uint64_t requests = std::uint64_t{setting.blocks} * setting.warps * setting.iterations;
    return {requests, requests * service.wavefronts, requests * service.minimumWavefronts, Provenance::Modelled};
}

std::uint64_t usefulBytes(const Setting& setting)
{
    return setting.threads() * setting.iterations * setting.wordBytes;
}

void reportPasses(RunContext& context, const Setting& setting, const Passes& passes)
{
    const auto ratio = [](std::uint64_t a, std::uint64_t b) { return static_cast<double>(a) / static_cast<double>(b); };
    const auto by = passes.provenance;
    context.metric("conflict_degree", ratio(passes.wavefronts, passes.minimum), by);
    context.metric("wavefronts_per_request", ratio(passes.wavefronts, passes.requests), by);
    context.metric("requests", static_cast<double>(passes.requests), by);
    context.metric("bank_conflicts", static_cast<double>(passes.wavefronts - passes.minimum), by);
    context.metric("load_rate_bound", ratio(usefulBytes(setting), passes.wavefronts), Provenance::Modelled);
    context.limit("conflict_degree", 1);
    context.limit("wavefronts_per_request", ratio(passes.minimum, passes.requests));
}

gpu::Launch launchOf(const Setting& setting, gpu::DevicePtr out, std::uint32_t salt)
{
    gpu::Launch launch;
    launch.kernel = setting.kernel();
    launch.grid = {setting.blocks, 1, 1};
    launch.block = {setting.threadsPerBlock(), 1, 1};
    launch.dynamicSharedBytes = setting.sharedBytes();
    const std::uint32_t zero = 0; // hidden from the compiler, so that it cannot take the load out of the loop
    launch.args = {out, setting.stride, setting.iterations, zero, salt};
    return launch;
}

/// `clockHz` 0: not known, and with it no rate by the clock.
void reportRates(RunContext& context, const Setting& setting, const Passes& passes, double seconds, double clockHz,
                 Provenance provenance)
{
    const double bytesPerSecond = static_cast<double>(usefulBytes(setting)) / seconds;
    context.metric("time", seconds, provenance);
    context.metric("load_bandwidth", bytesPerSecond / 1e9, provenance);
    if (clockHz > 0) {
        context.metric("load_rate", bytesPerSecond / clockHz / setting.blocks, provenance);
        context.limit("load_rate", static_cast<double>(usefulBytes(setting)) / static_cast<double>(passes.wavefronts));
    }
}

Result<void> reportTime(GpuContext& context, const gpu::LoadedProgram& program, const Setting& setting,
                        const gpu::Launch& launch, const Passes& passes)
{
    const auto timing = context.device().time(program, std::span(&launch, 1));
    if (!timing)
        return timing.error();
    if (!timing->has_value())
        return {};
    const auto& info = context.device().info();
    const double seconds = (*timing)->medianSeconds;
    if (!(seconds > 0))
        return Error{"bad-timing", "the device has a clock but gave no time", info.target, "run again"};
    context.validity((*timing)->validity);
    reportRates(context, setting, passes, seconds, info.boostClockHz, Provenance::Measured);
    return {};
}

/// Loads of block 0 only: the stores that fill the tile come first and are not what the lesson is about.
void reportTrace(GpuContext& context, MemoryTrace trace)
{
    std::erase_if(trace.requests, [](const MemoryRequest& request) {
        return request.block != 0 || request.op != MemoryOp::Load || request.space != MemorySpace::Shared;
    });
    trace.requests.resize(std::min(trace.requests.size(), kTracedLoads));
    context.memoryTrace(trace);
}

/// The fill of block 0, 32 words a store (one more for each warp's last), and then the loads that are wanted.
std::size_t requestsToTrace(const Setting& setting)
{
    return setting.sharedBytes() / 4 / kWarpSize + setting.warps + kTracedLoads;
}

// ---- description ----------------------------------------------------------------------------------------------------

std::vector<ParamSpec> parameters()
{
    auto stride = integerParam("stride", "Stride", "words", 1, 128, 1, ParamScale::Linear,
                               "Distance between the words that neighbouring lanes read.");
    auto width = widthParam("word_bytes", "Bytes per lane",
                            "What one lane reads with one instruction; 8 bytes go as two half-warps, 16 as four "
                            "quarter-warps.");
    auto iterations = integerParam("iterations", "Iterations", "", 1, 4096, 16, ParamScale::Log2,
                                   "Loads of each warp; more of them hide what filling the tile costs.");
    iterations.defaultFor = {{"gpu", std::int64_t{4096}}};
    auto warps = integerParam("warps", "Warps per block", "warps", 1, 8, 1, ParamScale::Linear,
                              "Warps that read at the same time on each SM; one block runs on each.");
    warps.defaultFor = {{"gpu", std::int64_t{8}}};
    return {stride, width, iterations, warps};
}

std::vector<MetricSpec> metrics()
{
    return {
        {"conflict_degree", "Conflict degree", "ways",
         "Passes through the banks over the passes the same loads would need without conflicts; 1 is free of them, 32 "
         "the worst."},
        {"wavefronts_per_request", "Wavefronts per request", "wavefronts/request",
         "Passes through the data stage that one warp-wide load takes, on average; 1, 2 or 4 at best for 4, 8 or 16 "
         "bytes a lane."},
        {"requests", "Load requests", "requests", "Warp-wide shared-memory load instructions of the launch."},
        {"bank_conflicts", "Bank conflicts", "wavefronts",
         "Passes beyond the fewest possible, loads only; the stores that fill the tile are not counted."},
        {"load_rate_bound", "Bound on load rate", "B/clk",
         "Useful bytes per clock of one SM if a wavefront leaves every clock; 128 without conflicts."},
        {"time", "Time per launch", "s", "Median time of the whole launch, filling the tile included."},
        {"load_bandwidth", "Shared load bandwidth", "GB/s", "Bytes that lanes loaded over the median time, all SMs."},
        {"load_rate", "Load rate", "B/clk",
         "Bytes that lanes loaded per SM and clock, from the median time and the chip's boost clock; the launch and "
         "the filling of the tile keep it below its bound."},
    };
}

std::vector<ChartSpec> charts()
{
    const auto chart = [](const char* id, const char* title, const char* y) {
        return ChartSpec{id, title, "stride", y, ParamScale::Linear, ParamScale::Linear};
    };
    return {chart("degree_over_stride", "Conflict degree over stride", "conflict_degree"),
            chart("wavefronts_over_stride", "Wavefronts per request over stride", "wavefronts_per_request"),
            chart("bound_over_stride", "Bound on load rate over stride", "load_rate_bound"),
            chart("rate_over_stride", "Load rate over stride", "load_rate")};
}

std::vector<LimitSpec> limits()
{
    const std::string guide = "NVIDIA CUDA C++ Programming Guide, shared memory: 32 banks of 4 bytes, each serves one "
                              "word per clock";
    return {
        {"conflict_degree", "no two lanes in one bank", "lower", "1", guide},
        {"wavefronts_per_request", "32 lanes × word ÷ 128 B", "lower", "32 × bytes per lane ÷ (32 banks × 4 B)", guide},
        {"load_rate", "one wavefront per clock", "upper", "bytes asked for ÷ wavefronts", guide}};
}

class BankConflicts : public GpuExperiment {
public:
    BankConflicts()
    {
        m_info.id = "bank_conflicts";
        m_info.version = 1;
        m_info.title = "Bank conflicts";
        m_info.module = 2;
        m_info.summary = "Reads shared memory with a stride and counts the passes that the 32 banks need to serve it.";
        m_info.parameters = parameters();
        m_info.targets = {"gpu", "sim"};
        m_info.metrics = metrics();
        for (MetricSpec& spec : simulatedMetrics())
            m_info.metrics.push_back(std::move(spec));
        m_info.charts = charts();
        m_info.limits = limits();
        m_info.kernels = {kKernel};
        m_info.scene = "shared_banks";
        m_info.scenes = launchScenes();
    }
    const ExperimentInfo& info() const override { return m_info; }
    Result<void> runOnDevice(const ParamSet& params, GpuContext& context) const override;

private:
    ExperimentInfo m_info;
};

Result<void> BankConflicts::runOnDevice(const ParamSet& params, GpuContext& context) const
{
    gpu::Device& device = context.device();
    const Setting setting = settingOf(params, device.info());
    const auto program = context.kernel(kKernel);
    if (!program)
        return program.error();
    Buffers buffers(device);
    const auto out = buffers.allocate(setting.threads() * 4, "sums");
    if (!out)
        return out.error();
    const std::uint32_t salt = context.rng().nextU32();
    // Poison: sums left there by an earlier launch must not pass for this one's.
    std::vector<std::uint32_t> poison(setting.threads());
    for (std::size_t i = 0; i < poison.size(); ++i)
        poison[i] = ~expectedSum(setting, static_cast<std::uint32_t>(i % kWarpSize), salt);
    if (auto copied = device.copyToDevice(*out, std::as_bytes(std::span(poison))); !copied)
        return copied;

    gpu::LaunchOptions options;
    options.traceRequests = context.wantsTrace() ? requestsToTrace(setting) : 0;
    options.traceGlobal = false;
    options.traceBlock = 0;
    const gpu::Launch launch = launchOf(setting, *out, salt);
    auto report = launchTimed(context, **program, launch, options);
    if (!report)
        return report.error();
    if (auto checked = checkOutput(context, setting, *out, salt); !checked)
        return checked;
    if (auto checked = buffers.checkGuards(context); !checked)
        return checked;
    Passes passes = modelled(setting);
    if (const auto& counters = report->counters)
        passes = {counters->sharedLoadRequests, counters->sharedLoadWavefronts, counters->sharedLoadMinimumWavefronts,
                  device.info().provenance};
    if (passes.requests == 0 || passes.wavefronts == 0 || passes.minimum == 0)
        return Error{"no-loads", fmt::format("kernel {} executed no shared-memory load", setting.kernel()), kKernel,
                     "restore the load in the kernel"};
    reportPasses(context, setting, passes);
    if (report->trace)
        reportTrace(context, std::move(*report->trace));
    context.progress(0.6, "checked against the CPU");
    reportSimulated(context, *report);
    if (report->timing) {
        reportRates(context, setting, passes, report->timing->seconds, report->timing->clockHz, Provenance::Simulated);
        return {};
    }
    return reportTime(context, **program, setting, launch, passes);
}

} // namespace

std::unique_ptr<GpuExperiment> makeBankConflicts()
{
    return std::make_unique<BankConflicts>();
}

} // namespace ridge::labs
