// SPDX-License-Identifier: GPL-3.0-or-later
// A pointer chase: one load after the other, so that time over loads is the latency of what the ring fits into.
#include "host/machine.h"
#include "labs/catalogue.h"
#include "labs/gpu_experiment.h"
#include "labs/harness/buffers.h"
#include "labs/harness/declare.h"
#include "labs/harness/host_time.h"
#include "labs/harness/simulated_time.h"
#include "labs/harness/work.h"
#include "silicon/chip_catalogue.h"

#include <algorithm>
#include <fmt/core.h>
#include <numeric>

namespace ridge::labs {
namespace {

constexpr const char* kKernel = "latency/01_pointer_chase.cu";
constexpr std::uint32_t kThreads = 256; // touch the ring together, more where more warps chase
constexpr const char* kKinds[] = {"ca", "cg", "shared"};
constexpr double kSectorBytes = 32;

struct Setting {
    std::string kind;
    std::uint64_t bytes = 0;
    std::uint64_t stride = 128;
    std::uint64_t loads = 0;
    std::uint64_t chasers = 1;

    std::uint64_t slots() const { return bytes / stride; }
    bool shared() const { return kind == "shared"; }
};

Result<Setting> settingOf(const ParamSet& params)
{
    Setting setting{choice(params, "load"), integer(params, "working_set"), integer(params, "stride"),
                    integer(params, "loads"), integer(params, "chasers")};
    if (setting.stride % 8 != 0)
        return Error{"bad-value", fmt::format("a stride of {} bytes cuts pointers in two", setting.stride),
                     "latency: stride", "set a stride that 8 divides"};
    if (setting.slots() < 2)
        return Error{
            "bad-value",
            fmt::format("a working set of {} bytes has no two slots {} bytes apart", setting.bytes, setting.stride),
            "latency: working_set, stride", fmt::format("set working_set={} or more", 2 * setting.stride)};
    return setting;
}

/// The slots in the order in which the ring visits them, from slot 0.
std::vector<std::uint32_t> orderOf(const std::vector<std::uint32_t>& next)
{
    std::vector<std::uint32_t> order(next.size());
    for (std::size_t i = 1; i < order.size(); ++i)
        order[i] = next[order[i - 1]];
    return order;
}

/// One ring through all slots, each as likely as any other (Sattolo): next[i] comes after i.
Result<std::vector<std::uint32_t>> ringOf(RunContext& context, std::uint64_t slots)
{
    std::vector<std::uint32_t> next(slots);
    std::iota(next.begin(), next.end(), 0u);
    for (std::uint64_t i = slots - 1; i > 0; --i) {
        std::swap(next[i], next[context.rng().next() % i]);
        if (i % 65536 == 0 && context.cancelled())
            return Error{"cancelled", "the run was cancelled", "latency", ""};
    }
    return next;
}

/// Writes to each slot the address of the one after it, chunk by chunk.
Result<void> writeRing(GpuContext& context, const Setting& setting, gpu::DevicePtr ring,
                       const std::vector<std::uint32_t>& next)
{
    const std::uint64_t words = setting.stride / 8;
    return fill<std::uint64_t>(context, ring, setting.slots() * words, [&](std::uint64_t i) {
        return i % words == 0 ? ring.address + next[i / words] * setting.stride : ~std::uint64_t{0};
    });
}

/// `bytes`: what all chasers together bring nearer in the `seconds` of one load, the least that memory moves for each.
void reportLoads(RunContext& context, double seconds, double bytes, double pins, Provenance by)
{
    context.metric("ns_per_load", seconds * 1e9, by);
    context.metric("chase_bandwidth", bytes / seconds / 1e9, by);
    if (pins > 0) {
        context.metric("bytes_to_fill", seconds * pins, by == Provenance::Measured ? Provenance::Modelled : by);
        context.limit("chase_bandwidth", pins / 1e9);
    }
}

/// Where the steps should be. Of a GPU the first level is what is left of the pool when shared memory takes least.
void reportCaches(RunContext& context, const gpu::DeviceInfo& device)
{
    if (const auto catalogue = silicon::shippedCatalogue())
        if (const auto limits = catalogue->limits(device.computeMajor, device.computeMinor)) {
            std::uint32_t shared = limits->unifiedL1Kb;
            for (const std::uint32_t carved : limits->sharedCarveoutsKb)
                shared = std::min(shared, carved);
            if (limits->unifiedL1Kb > shared)
                context.metric("first_cache", 1024.0 * (limits->unifiedL1Kb - shared), Provenance::Modelled);
        }
    if (device.l2Bytes > 0) // 0: the driver did not say
        context.metric("second_cache", static_cast<double>(device.l2Bytes), device.provenance);
}

// ---- description ----------------------------------------------------------------------------------------------------

std::vector<ParamSpec> parameters()
{
    auto set = integerParam("working_set", "Working set", "bytes", 1024, 17179869184.0, 16384, ParamScale::Log2,
                            "What the ring of slots spans. A level of memory that it outgrows shows as a step.");
    set.defaultFor = {{"cpu", std::int64_t{262144}}};
    set.sweepFor = {{"sim", "2048..268435456:log2"}, {"cpu", "2048..268435456:log2"}};
    auto stride = integerParam("stride", "Stride", "bytes", 8, 2097152, 128, ParamScale::Log2,
                               "Distance between slots; 128 is a cache line of a GPU, 4096 and more asks the address "
                               "translation as well.");
    auto load = choiceParam("load", "Load", {std::begin(kKinds), std::end(kKinds)}, "ca",
                            "ca: through all caches. cg: past the first one. shared: shared memory, whose size bounds "
                            "the working set. A processor (cpu) has one kind of load.");
    auto loads =
        integerParam("loads", "Loads", "loads", 64, 1048576, 512, ParamScale::Log2,
                     "Loads that each chaser is timed over, one after the other, once every slot was touched. A "
                     "processor (cpu) takes as many as its clock needs.");
    auto chasers = integerParam("chasers", "Chasing warps", "warps", 1, 32, 1, ParamScale::Log2,
                                "Warps of one SM that follow the ring at once, one load each. A processor (cpu) has "
                                "one.");
    chasers.sweepFor = {{"sim", "1..32:log2"}, {"gpu", "1..32:log2"}};
    return {set, stride, load, loads, chasers};
}

std::vector<MetricSpec> metrics()
{
    std::vector<MetricSpec> specs{
        {"cycles_per_load", "Cycles per load", "cycles",
         "Clocks of the SM between two readings of it, over the loads between them; not for processors."},
        {"ns_per_load", "Latency", "ns",
         "Time of one load that depends on the load before; on a processor of the best sample."},
        {"chase_bandwidth", "Bandwidth of the chase", "GB/s",
         "One sector of 32 bytes (on a processor one line of 64) per latency, times the warps that chase."},
        {"bytes_to_fill", "Bytes in flight to fill the pins", "B",
         "Latency times pin bandwidth (Little's law): what a kernel must have on its way all the time."},
        {"slots", "Slots", "slots", "Length of the ring: working set over stride."},
        {"first_cache", "First cache", "B",
         "L1 of an SM at its largest, from the table of its compute capability; on a processor a core's own first data "
         "cache, as the system tells."},
        {"second_cache", "Second cache", "B",
         "L2, as the driver tells or the chip table; on a processor its second cache, as the system tells."}};
    for (MetricSpec& spec : timeMetrics("the whole launch, touching the ring included (on a processor: one load)"))
        specs.push_back(std::move(spec));
    for (MetricSpec& spec : simulatedMetrics())
        specs.push_back(std::move(spec));
    return specs;
}

class Latency : public GpuExperiment {
public:
    Latency()
    {
        m_info.id = "latency";
        m_info.version = 1;
        m_info.title = "Latency of a load";
        m_info.module = 1;
        m_info.summary = "Chases pointers through a random ring, so that each level of memory shows how long a load "
                         "takes.";
        m_info.parameters = parameters();
        m_info.targets = {"gpu", "sim", "cpu"};
        m_info.metrics = metrics();
        m_info.charts = {
            {"cycles_over_set", "Cycles per load over working set", "working_set", "cycles_per_load", ParamScale::Log2,
             ParamScale::Linear},
            {"ns_over_set", "Latency over working set", "working_set", "ns_per_load", ParamScale::Log2,
             ParamScale::Linear},
            {"ns_over_stride", "Latency over stride", "stride", "ns_per_load", ParamScale::Log2, ParamScale::Linear},
            {"bandwidth_over_chasers", "Bandwidth over chasing warps", "chasers", "chase_bandwidth", ParamScale::Log2,
             ParamScale::Log2}};
        m_info.limits = {{"chase_bandwidth", "nothing waits", "upper",
                          "pin bandwidth; on the target cpu what one core reads of the same lines in order",
                          "pin bandwidth from the chip table or the driver; the core's reads are measured in the same "
                          "run"}};
        m_info.kernels = {kKernel};
        m_info.scenes = launchScenes();
    }
    const ExperimentInfo& info() const override { return m_info; }
    Result<void> runOnDevice(const ParamSet& params, GpuContext& context) const override;
    Result<void> runOnCpu(const ParamSet& params, RunContext& context) const override;

private:
    ExperimentInfo m_info;
};

Result<void> Latency::runOnDevice(const ParamSet& params, GpuContext& context) const
{
    gpu::Device& device = context.device();
    const auto setting = settingOf(params);
    if (!setting)
        return setting.error();
    const auto program = context.kernel(kKernel);
    if (!program)
        return program.error();
    Buffers buffers(device);
    const auto ring = buffers.allocate(setting->slots() * setting->stride, "ring");
    if (!ring)
        return ring.error();
    const std::uint64_t outBytes = 16 * setting->chasers;
    const auto out = buffers.allocate(outBytes, "ends and cycles");
    if (!out)
        return out.error();
    const auto orderBuffer = buffers.allocate(setting->slots() * sizeof(std::uint32_t), "order");
    if (!orderBuffer)
        return orderBuffer.error();
    const auto next = ringOf(context, setting->slots());
    if (!next)
        return next.error();
    if (auto written = writeRing(context, *setting, *ring, *next); !written)
        return written;
    const std::vector<std::uint32_t> order = orderOf(*next);
    if (auto copied = device.copyToDevice(*orderBuffer, std::as_bytes(std::span(order))); !copied)
        return copied;
    if (auto poisoned = poison(context, *out, outBytes); !poisoned)
        return poisoned;
    context.progress(0.3, fmt::format("chasing through {} slots", setting->slots()));

    gpu::Launch launch;
    launch.kernel = "chase_" + setting->kind;
    launch.block = {std::max(kThreads, 32 * static_cast<std::uint32_t>(setting->chasers)), 1, 1};
    launch.dynamicSharedBytes =
        setting->shared() ? static_cast<std::uint32_t>(std::min<std::uint64_t>(setting->bytes, ~0u)) : 0;
    launch.args = {ring->address,
                   setting->stride,
                   *orderBuffer,
                   static_cast<std::uint32_t>(setting->slots()),
                   static_cast<std::uint32_t>(setting->loads),
                   static_cast<std::uint32_t>(setting->chasers),
                   *out,
                   gpu::DevicePtr{out->address + 8 * setting->chasers}};
    const gpu::Sequence sequence{{*program, launch}};
    const auto done = executeOnce(context, sequence);
    if (!done)
        return done.error();
    const gpu::Arm arm{launch.kernel, {sequence}};
    const auto measured = measure(context, *done, std::span(&arm, 1));
    if (!measured)
        return measured.error();

    std::vector<std::uint64_t> got(2 * setting->chasers);
    if (auto copied = device.copyToHost(std::as_writable_bytes(std::span(got)), *out); !copied)
        return copied;
    double clocks = 0;
    std::uint64_t astray = 0;
    for (std::uint64_t i = 0; i < setting->chasers; ++i) {
        const std::uint64_t wanted = order[(i + 1) * setting->loads % setting->slots()];
        astray += got[i] != ring->address + wanted * setting->stride;
        clocks += static_cast<double>(static_cast<std::int64_t>(got[setting->chasers + i]));
    }
    context.check("ends_where_expected", astray == 0,
                  fmt::format("after {} loads {} of {} chases are not where the CPU's are", setting->loads, astray,
                              setting->chasers));
    if (auto checked = buffers.checkGuards(context); !checked)
        return checked;
    context.metric("slots", static_cast<double>(setting->slots()), Provenance::Modelled);
    reportCaches(context, device.info());
    reportSimulated(context, done->heaviest());
    if (measured->empty())
        return {}; // without time a clock reading says nothing
    const Measured& time = measured->front();
    reportTime(context, time);
    const double cycles = clocks / static_cast<double>(setting->chasers * setting->loads);
    if (!(cycles > 0))
        return Error{"bad-timing", "the clock of the SM did not run", device.info().target, "run again"};
    context.metric("cycles_per_load", cycles, time.provenance);
    if (time.clockHz > 0) {
        const bool assumed = time.timing && !time.timing->smClockHz; // the boost clock of the table
        reportLoads(context, cycles / time.clockHz, kSectorBytes * static_cast<double>(setting->chasers),
                    device.info().memoryBytesPerSecond, assumed ? Provenance::Modelled : time.provenance);
    }
    return {};
}

Result<void> Latency::runOnCpu(const ParamSet& params, RunContext& context) const
{
    const auto setting = settingOf(params);
    if (!setting)
        return setting.error();
    host::Team one({host::machine().processors.front()});
    const auto time = host::timeChase(one, setting->bytes, setting->stride, context.rng(), samplingOf(context));
    if (!time)
        return time.error();
    context.check("ends_where_expected", time->around == time->slots,
                  fmt::format("the ring closes after {} of {} slots", time->around, time->slots));
    context.metric("slots", static_cast<double>(time->slots), Provenance::Modelled);
    for (const host::Cache& cache : host::machine().caches)
        if (cache.level <= 2)
            context.metric(cache.level == 1 ? "first_cache" : "second_cache", static_cast<double>(cache.bytes),
                           Provenance::Measured);
    reportHostTime(context, time->timing);
    constexpr double kLineBytes = 64;
    // Whoever shares the caches and the memory can only make a load later: the sample nobody disturbed is the latency.
    reportLoads(context, time->timing.minSeconds, kLineBytes, 0, Provenance::Measured);
    // The same lines in order, each load on its way before the one before is back: no chase through them moves more.
    const auto lines = static_cast<std::uint64_t>(kLineBytes) * time->slots;
    const double moved = kLineBytes / time->timing.minSeconds;
    context.progress(0.8, "the same lines, read in order");
    const auto read = hostReadRoof(context, one, std::min(setting->bytes, lines), moved);
    if (!read)
        return read.error();
    context.limit("chase_bandwidth", *read / 1e9);
    return {};
}

} // namespace

std::unique_ptr<GpuExperiment> makeLatency()
{
    return std::make_unique<Latency>();
}

} // namespace ridge::labs
