// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/access.h"
#include "labs/2-cuda-programming/coalescing_info.h"
#include "labs/catalogue.h"
#include "labs/gpu_experiment.h"
#include "labs/harness/declare.h"
#include "labs/harness/simulated_time.h"
#include "labs/harness/work.h"

#include <algorithm>
#include <fmt/core.h>

namespace ridge::labs {
namespace {

constexpr std::uint32_t kBlockThreads = 256;
constexpr std::uint64_t kSectorBytes = 32;
constexpr std::size_t kChunkBytes = 1u << 20; // of host memory at a time, whatever the size of the buffers
constexpr std::size_t kTracedRequests = 64;   // the loads and stores of block 0, with room to spare

struct Setting {
    std::uint64_t stride = 1;
    std::uint64_t elementBytes = 4;
    std::uint64_t offset = 0;
    std::uint64_t laneXor = 0;
    std::uint64_t elements = 0;

    /// The element of the input that thread i reads.
    std::uint64_t source(std::uint64_t i) const { return (i ^ laneXor) * stride + offset; }
    /// One past the last element that any thread of the last warp may read, its lanes shuffled.
    std::uint64_t inputElements() const { return ((elements + 31) / 32 * 32 - 1) * stride + offset + 1; }
    std::uint64_t inputBytes() const { return inputElements() * elementBytes; }
    std::uint64_t outputBytes() const { return elements * elementBytes; }
    std::uint64_t bytes() const { return inputBytes() + outputBytes(); }
    std::string kernel() const { return fmt::format("strided_read_{}", elementBytes); }
};

Setting settingOf(const ParamSet& params)
{
    return {integer(params, "stride"), integer(params, "element_bytes"), integer(params, "offset"),
            integer(params, "lane_xor"), integer(params, "elements")};
}

/// What the input holds: word w of 4 bytes is an odd multiple of w + salt, so that any two of 2^32 words differ and
/// one that was fetched from the wrong place shows.
std::uint32_t inputWord(std::uint64_t word, std::uint32_t salt)
{
    return (static_cast<std::uint32_t>(word) + salt) * 0x9E3779B1u;
}

Error cancelled()
{
    return {"cancelled", "the run was cancelled", "coalescing", ""};
}

// ---- memory ---------------------------------------------------------------------------------------------------------

/// Input and output buffers that are handed back with their owner.
class InOutBuffers {
public:
    explicit InOutBuffers(gpu::Device& device) : m_device(device) {}
    InOutBuffers(const InOutBuffers&) = delete;
    InOutBuffers& operator=(const InOutBuffers&) = delete;
    ~InOutBuffers()
    {
        for (const auto ptr : m_all)
            (void)m_device.free(ptr); // nothing can be done about a failure here, and the device goes next
    }
    struct Pair {
        gpu::DevicePtr in;
        gpu::DevicePtr out;
    };
    Result<Pair> allocate(const Setting& setting)
    {
        auto in = m_device.allocate(setting.inputBytes(), "in");
        if (!in)
            return in.error();
        m_all.push_back(*in);
        auto out = m_device.allocate(setting.outputBytes(), "out");
        if (!out)
            return out.error();
        m_all.push_back(*out);
        return Pair{*in, *out};
    }

private:
    gpu::Device& m_device;
    std::vector<gpu::DevicePtr> m_all;
};

/// Refuses a setting that the device cannot hold, with one that it can: tried out, since only the device knows what is
/// free.
Error tooLarge(gpu::Device& device, const Setting& setting, const std::string& why)
{
    const auto fits = [&](const Setting& smaller) {
        const std::uint64_t all = device.info().globalBytes;
        return (all == 0 || smaller.bytes() <= all) && InOutBuffers(device).allocate(smaller).ok();
    };
    Setting fitting = setting;
    while (!fits(fitting) && fitting.elements > kMinElements)
        fitting.elements = std::max(fitting.elements / 2, kMinElements);
    while (!fits(fitting) && fitting.stride > 1)
        fitting.stride /= 2;
    const std::string fix = fitting.stride == setting.stride
                                ? fmt::format("set elements={} or fewer", fitting.elements)
                                : fmt::format("set elements={} and stride={}", fitting.elements, fitting.stride);
    return {"out-of-memory",
            fmt::format("stride={} with elements={} of {} bytes needs {} MB: {}", setting.stride, setting.elements,
                        setting.elementBytes, setting.bytes() / 1'000'000, why),
            "coalescing: elements, stride", fix};
}

/// Writes `bytes` to each of `to`, chunk by chunk; `word` gives the 4-byte word at an index.
template<class Word>
Result<void> fill(GpuContext& context, std::span<const gpu::DevicePtr> to, std::uint64_t bytes, Word word)
{
    if (to.empty())
        return {};
    std::vector<std::uint32_t> chunk(std::min<std::uint64_t>(bytes, kChunkBytes) / 4);
    for (std::uint64_t done = 0; done < bytes; done += chunk.size() * 4) {
        if (context.cancelled())
            return cancelled();
        const std::uint64_t words = std::min<std::uint64_t>(chunk.size(), (bytes - done) / 4);
        for (std::uint64_t w = 0; w < words; ++w)
            chunk[w] = word(done / 4 + w);
        const auto data = std::as_bytes(std::span(chunk.data(), words));
        for (const auto ptr : to)
            if (auto copied = context.device().copyToDevice({ptr.address + done}, data); !copied)
                return copied;
    }
    return {};
}

// ---- correctness ----------------------------------------------------------------------------------------------------

/// Compares every word of the output with what the CPU says thread i must have read.
Result<void> checkOutput(GpuContext& context, const Setting& setting, gpu::DevicePtr out, std::uint32_t salt)
{
    const std::uint64_t wordsPerElement = setting.elementBytes / 4;
    std::vector<std::uint32_t> chunk(std::min<std::uint64_t>(setting.outputBytes(), kChunkBytes) / 4);
    std::uint64_t wrong = 0;
    std::string first;
    for (std::uint64_t done = 0; done < setting.outputBytes(); done += chunk.size() * 4) {
        if (context.cancelled())
            return cancelled();
        const std::uint64_t words = std::min<std::uint64_t>(chunk.size(), (setting.outputBytes() - done) / 4);
        const auto data = std::as_writable_bytes(std::span(chunk.data(), words));
        if (auto copied = context.device().copyToHost(data, {out.address + done}); !copied)
            return copied;
        for (std::uint64_t w = 0; w < words; ++w) {
            const std::uint64_t i = (done / 4 + w) / wordsPerElement;
            const std::uint64_t part = (done / 4 + w) % wordsPerElement;
            const auto expected = inputWord(setting.source(i) * wordsPerElement + part, salt);
            if (chunk[w] == expected)
                continue;
            if (wrong++ == 0)
                first = fmt::format("first at element {}: {:#010x} instead of {:#010x}", i, chunk[w], expected);
        }
    }
    context.check("matches_reference", wrong == 0,
                  wrong == 0 ? fmt::format("{} elements equal the CPU's bit for bit", setting.elements)
                             : fmt::format("{} words differ, {}", wrong, first));
    return {};
}

// ---- traffic --------------------------------------------------------------------------------------------------------

/// What the launch moved, and how we know.
struct Traffic {
    std::uint64_t requests = 0; ///< loads
    std::uint64_t sectors = 0;  ///< of loads
    std::uint64_t lines = 0;    ///< of loads
    std::uint64_t loadBytes = 0;
    std::uint64_t storeSectors = 0;
    std::uint64_t storeBytes = 0;
    Provenance provenance = Provenance::Modelled;

    std::uint64_t useful() const { return loadBytes + storeBytes; }
    std::uint64_t moved() const { return (sectors + storeSectors) * kSectorBytes; }
};

Traffic counted(const gpu::Counters& counters, Provenance provenance)
{
    return {counters.globalLoadRequests,
            counters.globalLoadSectors,
            counters.globalLoadLines,
            counters.globalLoadBytes,
            counters.globalStoreSectors,
            counters.globalStoreBytes,
            provenance};
}

/// The addresses of one warp, load or store.
MemoryRequest requestOf(const Setting& setting, const InOutBuffers::Pair& buffers, std::uint64_t warp, MemoryOp op)
{
    MemoryRequest request;
    request.op = op;
    request.accessBytes = static_cast<std::uint8_t>(setting.elementBytes);
    for (std::uint64_t lane = 0; lane < kWarpSize; ++lane) {
        const std::uint64_t i = warp * kWarpSize + lane;
        if (i >= setting.elements)
            break;
        request.activeMask |= 1u << lane;
        request.addresses[lane] = op == MemoryOp::Load ? buffers.in.address + setting.source(i) * setting.elementBytes
                                                       : buffers.out.address + i * setting.elementBytes;
    }
    return request;
}

/// Where the device does not count: the sector rule applied to the addresses that the kernel computes. From one full
/// warp to the next every address moves by 32 × stride × element, a multiple of the 128-byte line, so that all full
/// warps cost the same.
Traffic modelled(const Setting& setting, const InOutBuffers::Pair& buffers)
{
    Traffic traffic;
    const auto add = [&](std::uint64_t warp, std::uint64_t times) {
        const auto load = requestOf(setting, buffers, warp, MemoryOp::Load);
        const auto store = requestOf(setting, buffers, warp, MemoryOp::Store);
        traffic.requests += times;
        traffic.sectors += times * gpu::touchedGranules(load, kSectorBytes).size();
        traffic.lines += times * gpu::touchedGranules(load, 128).size();
        traffic.storeSectors += times * gpu::touchedGranules(store, kSectorBytes).size();
    };
    const std::uint64_t fullWarps = setting.elements / kWarpSize;
    add(0, fullWarps);
    if (setting.elements % kWarpSize != 0)
        add(fullWarps, 1);
    traffic.loadBytes = traffic.storeBytes = setting.outputBytes();
    return traffic;
}

/// Bytes that must cross the memory pins at least once: every distinct sector of the launch. Fewer than the requests
/// moved where two warps share a sector and a cache keeps it between them.
double compulsoryBytes(const Setting& setting)
{
    const std::uint64_t step = setting.stride * setting.elementBytes;
    const std::uint64_t full = setting.elements / kWarpSize * kWarpSize;
    const std::uint64_t first = setting.offset * setting.elementBytes;
    const std::uint64_t last = first + (full - 1) * step + setting.elementBytes - 1;
    const std::uint64_t sectors = step >= kSectorBytes ? full : last / kSectorBytes - first / kSectorBytes + 1;
    return static_cast<double>(sectors * kSectorBytes + setting.outputBytes());
}

void reportTraffic(RunContext& context, const Setting& setting, const Traffic& traffic)
{
    const auto ratio = [](std::uint64_t a, std::uint64_t b) { return static_cast<double>(a) / static_cast<double>(b); };
    const auto by = traffic.provenance;
    context.metric("sectors_per_request", ratio(traffic.sectors, traffic.requests), by);
    context.metric("lines_per_request", ratio(traffic.lines, traffic.requests), by);
    context.metric("load_efficiency", 100 * ratio(traffic.loadBytes, traffic.sectors * kSectorBytes), by);
    context.metric("requests", static_cast<double>(traffic.requests), by);
    context.metric("sectors", static_cast<double>(traffic.sectors), by);
    context.metric("bytes_moved", static_cast<double>(traffic.moved()), by);
    context.metric("bytes_useful", static_cast<double>(traffic.useful()), by);
    // Per request, so that a last warp with few lanes is counted for what it asks.
    context.limit("sectors_per_request", ratio(setting.outputBytes(), traffic.requests * kSectorBytes));
    context.limit("load_efficiency", 100);
}

/// GB/s of useful bytes if the pins were never idle; 0 where the device does not know its bandwidth.
double bandwidthBound(GpuContext& context, const Setting& setting)
{
    const double pins = context.device().info().memoryBytesPerSecond;
    return pins * 2.0 * static_cast<double>(setting.outputBytes()) / compulsoryBytes(setting) / 1e9;
}

// ---- time -----------------------------------------------------------------------------------------------------------

gpu::Launch launchOf(const Setting& setting, const InOutBuffers::Pair& buffers)
{
    gpu::Launch launch;
    launch.kernel = setting.kernel();
    launch.grid = {static_cast<std::uint32_t>((setting.elements + kBlockThreads - 1) / kBlockThreads), 1, 1};
    launch.block = {kBlockThreads, 1, 1};
    launch.args = {buffers.in,     buffers.out,    setting.elements,
                   setting.stride, setting.offset, static_cast<std::uint32_t>(setting.laneXor)};
    return launch;
}

/// Launches on further buffer sets, filled like the first, until `launches` holds `sets` or memory is at its end.
Result<void> addSets(GpuContext& context, const Setting& setting, InOutBuffers& buffers, std::uint32_t salt,
                     std::uint64_t sets, std::vector<gpu::Launch>& launches)
{
    std::vector<gpu::DevicePtr> inputs;
    while (launches.size() < sets) {
        const auto set = buffers.allocate(setting);
        if (!set)
            break; // another program holds the memory: fewer sets, and the verdict says so
        inputs.push_back(set->in);
        launches.push_back(launchOf(setting, *set));
    }
    return fill(context, inputs, setting.inputBytes(), [&](auto w) { return inputWord(w, salt); });
}

void reportRates(GpuContext& context, const Setting& setting, const Traffic& traffic, double seconds,
                 Provenance provenance)
{
    context.metric("time", seconds, provenance);
    context.metric("useful_bandwidth", static_cast<double>(traffic.useful()) / seconds / 1e9, provenance);
    // A measured time over modelled bytes is no more than modelled.
    const auto movedBy = traffic.provenance == provenance ? provenance : Provenance::Modelled;
    context.metric("moved_bandwidth", static_cast<double>(traffic.moved()) / seconds / 1e9, movedBy);
    if (const double bound = bandwidthBound(context, setting); bound > 0)
        context.limit("useful_bandwidth", bound);
}

/// Times the launch where the target has a clock; says nothing where it has none.
Result<void> reportTime(GpuContext& context, const gpu::LoadedProgram& program, const Setting& setting,
                        InOutBuffers& buffers, const InOutBuffers::Pair& firstSet, const Traffic& traffic,
                        std::uint32_t salt)
{
    std::vector<gpu::Launch> launches{launchOf(setting, firstSet)};
    auto timing = context.device().time(program, launches);
    if (!timing)
        return timing.error();
    if (!timing->has_value())
        return {};
    context.progress(0.6, "timing " + setting.kernel());
    const auto& info = context.device().info();
    const auto touched = static_cast<std::uint64_t>(compulsoryBytes(setting));
    if (const std::uint64_t sets = setsToRotate(info, touched, setting.bytes()); sets > 1) {
        // One set fits into the cache: that time only warmed up the chip.
        if (auto added = addSets(context, setting, buffers, salt, sets, launches); !added)
            return added;
        timing = context.device().time(program, launches);
        if (!timing)
            return timing.error();
    }
    if (!timing->has_value() || !((*timing)->medianSeconds > 0))
        return Error{"bad-timing", "the device has a clock but gave no time", info.target, "run again"};

    const double seconds = (*timing)->medianSeconds;
    const bool cached =
        static_cast<double>(launches.size()) * compulsoryBytes(setting) < 2 * static_cast<double>(info.l2Bytes);
    context.validity((*timing)->validity == "valid" && cached ? "resident in L2" : (*timing)->validity);
    reportRates(context, setting, traffic, seconds, Provenance::Measured);
    return {};
}

// ---- trace ----------------------------------------------------------------------------------------------------------

void reportTrace(GpuContext& context, MemoryTrace trace)
{
    std::erase_if(trace.requests, [](const MemoryRequest& request) {
        return request.block != 0 || request.op != MemoryOp::Load || request.space != MemorySpace::Global;
    });
    context.memoryTrace(trace);
}

class Coalescing : public GpuExperiment {
public:
    Coalescing() { m_info = coalescingInfo(); }
    const ExperimentInfo& info() const override { return m_info; }
    Result<void> runOnDevice(const ParamSet& params, GpuContext& context) const override;

private:
    ExperimentInfo m_info;
};

Result<void> Coalescing::runOnDevice(const ParamSet& params, GpuContext& context) const
{
    const Setting setting = settingOf(params);
    gpu::Device& device = context.device();
    if (const auto available = device.info().globalBytes; available > 0 && setting.bytes() > available)
        return tooLarge(device, setting, fmt::format("the device has {} MB", available / 1'000'000));
    const auto program = context.kernel(kCoalescingKernel);
    if (!program)
        return program.error();

    InOutBuffers buffers(device);
    const auto set = buffers.allocate(setting);
    if (!set && set.error().code == "out-of-memory")
        return tooLarge(device, setting, set.error().message);
    if (!set)
        return set.error();
    const std::uint32_t salt = context.rng().nextU32();
    const gpu::DevicePtr in[] = {set->in}, out[] = {set->out};
    if (auto filled = fill(context, in, setting.inputBytes(), [&](auto w) { return inputWord(w, salt); }); !filled)
        return filled;
    // Poison: a result left there by an earlier launch must not pass for this one's.
    if (auto filled = fill(context, out, setting.outputBytes(), [&](auto w) { return ~inputWord(w, salt); }); !filled)
        return filled;
    context.progress(0.3, "running " + setting.kernel());

    gpu::LaunchOptions options;
    options.traceRequests = context.wantsTrace() ? kTracedRequests : 0;
    options.traceShared = false;
    options.traceBlock = 0;
    auto report = launchTimed(context, **program, launchOf(setting, *set), options);
    if (!report)
        return report.error();
    if (auto checked = checkOutput(context, setting, set->out, salt); !checked)
        return checked;
    const Traffic traffic =
        report->counters ? counted(*report->counters, device.info().provenance) : modelled(setting, *set);
    if (traffic.requests == 0 || traffic.sectors == 0)
        return Error{"no-loads", fmt::format("kernel {} executed no global load", setting.kernel()), kCoalescingKernel,
                     "restore the load in the kernel"};
    reportTraffic(context, setting, traffic);
    if (const double bound = bandwidthBound(context, setting); bound > 0)
        context.metric("useful_bandwidth_bound", bound, Provenance::Modelled);
    if (report->trace)
        reportTrace(context, std::move(*report->trace));
    reportSimulated(context, *report);
    if (report->timing) {
        reportRates(context, setting, traffic, report->timing->seconds, Provenance::Simulated);
        return {};
    }
    return reportTime(context, **program, setting, buffers, *set, traffic, salt);
}

} // namespace

std::unique_ptr<GpuExperiment> makeCoalescing()
{
    return std::make_unique<Coalescing>();
}

} // namespace ridge::labs
