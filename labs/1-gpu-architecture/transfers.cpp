// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/1-gpu-architecture/transfers_nccl.h"
#include "labs/catalogue.h"
#include "labs/gpu_experiment.h"
#include "labs/harness/buffers.h"
#include "labs/harness/declare.h"
#include "labs/harness/run_schedule.h"

#include <cstring>
#include <fmt/core.h>

namespace ridge::labs {
namespace {

constexpr int kRepeats = 20;
constexpr std::uint64_t kChunkWords = 1u << 18;
constexpr std::uint64_t kWholeWords = 16u << 20; // longer buffers are verified at both ends and every so many words …
constexpr std::uint64_t kLongStep = 61;          // … since the CPU reads write-combined memory slowly

/// One direction of a transfer.
struct Way {
    bool in = true;
    std::unique_ptr<gpu::HostMemory> host; // none between GPUs
    std::unique_ptr<gpu::PeerMemory> peer; // where a copy from `device` goes on another GPU
    gpu::DevicePtr device;                 // none for managed memory
    std::uint32_t salt = 0;
    std::size_t operation = 0; // that is timed
};

std::uint64_t wordsIn(std::uint64_t bytes)
{
    return (bytes + 3) / 4;
}

/// Bytes of words [first, first + count) of the pattern, cut at the end of the buffer.
std::vector<std::byte> pattern(std::uint64_t first, std::uint64_t count, std::uint64_t bytes, std::uint32_t salt)
{
    std::vector<std::uint32_t> words(count);
    for (std::uint64_t i = 0; i < count; ++i)
        words[i] = mixed(first + i, salt);
    std::vector<std::byte> out(std::min(count * 4, bytes - first * 4));
    std::memcpy(out.data(), words.data(), out.size());
    return out;
}

/// Calls `each(offset, bytes of the pattern)` for the whole buffer, piece by piece.
template<class Each>
Result<void> forPieces(RunContext& context, std::uint64_t bytes, std::uint32_t salt, Each each)
{
    for (std::uint64_t first = 0; first < wordsIn(bytes); first += kChunkWords) {
        if (context.cancelled())
            return Error{"cancelled", "the run was cancelled", "filling buffers", ""};
        const std::uint64_t count = std::min(kChunkWords, wordsIn(bytes) - first);
        const std::vector<std::byte> piece = pattern(first, count, bytes, salt);
        if (auto done = each(first * 4, std::span(piece)); !done)
            return done;
    }
    return {};
}

Result<void> fillWay(GpuContext& context, Way& way, std::uint64_t bytes)
{
    gpu::Device& device = context.device();
    if (way.peer) {
        const std::vector<std::byte> poisoned(kChunkWords * 4, std::byte{0xff});
        return forPieces(context, bytes, way.salt, [&](std::uint64_t at, std::span<const std::byte> piece) {
            auto done = way.peer->write(std::span(poisoned).first(piece.size()), at);
            return done ? device.copyToDevice({way.device.address + at}, piece) : done;
        });
    }
    const auto host = way.host->bytes();
    const bool managed = way.host->kind() == gpu::HostKind::Managed;
    if (way.in || managed) {
        if (!managed)
            if (auto poisoned = poison(context, way.device, bytes); !poisoned)
                return poisoned;
        return forPieces(context, bytes, way.salt, [&](std::uint64_t at, std::span<const std::byte> piece) {
            std::memcpy(host.data() + at, piece.data(), piece.size());
            return Result<void>();
        });
    }
    std::memset(host.data(), 0xff, host.size());
    return forPieces(context, bytes, way.salt, [&](std::uint64_t at, std::span<const std::byte> piece) {
        return device.copyToDevice({way.device.address + at}, piece);
    });
}

/// What arrived, compared with what was sent.
Result<void> verify(GpuContext& context, const Way& way, std::uint64_t bytes, Comparison& comparison)
{
    const auto see = [&](std::uint64_t at, std::span<const std::byte> got, std::span<const std::byte> wanted) {
        for (std::size_t i = 0; i < wanted.size(); i += 4) {
            const std::size_t part = std::min<std::size_t>(4, wanted.size() - i);
            std::uint32_t a = 0, b = 0;
            std::memcpy(&a, got.data() + i, part);
            std::memcpy(&b, wanted.data() + i, part);
            comparison.see((at + i) / 4, a == b, a, b);
        }
    };
    if (way.peer || (way.in && way.host->kind() != gpu::HostKind::Managed))
        return forPieces(context, bytes, way.salt,
                         [&](std::uint64_t at, std::span<const std::byte> piece) -> Result<void> {
                             std::vector<std::byte> got(piece.size());
                             if (auto read = way.peer ? way.peer->read(got, at)
                                                      : context.device().copyToHost(got, {way.device.address + at});
                                 !read)
                                 return read;
                             see(at, got, piece);
                             return {};
                         });
    const auto host = std::span<const std::byte>(way.host->bytes());
    const std::uint64_t words = wordsIn(bytes);
    for (std::uint64_t i = 0; i < words;) {
        const auto wanted = pattern(i, 1, bytes, way.salt);
        see(i * 4, host.subspan(i * 4, wanted.size()), wanted);
        const bool middle = words > kWholeWords && i > kChunkWords && i + kChunkWords < words;
        i += middle ? kLongStep : 1;
    }
    return {};
}

/// The transfers of all ways at once, each on a stream of its own. Managed memory is first moved to where it starts
/// from; events see to it that no way starts before all are there.
gpu::Schedule scheduleOf(std::vector<Way>& ways, std::uint64_t bytes)
{
    gpu::Schedule schedule;
    const auto add = [&](std::size_t stream, auto what, const char* label) {
        schedule.push_back({static_cast<std::uint32_t>(stream), what, label});
    };
    const bool managed = ways[0].host && ways[0].host->kind() == gpu::HostKind::Managed;
    for (std::size_t i = 0; managed && i < ways.size(); ++i) {
        add(i, gpu::Migrate{{ways[i].host.get(), 0}, bytes, !ways[i].in}, "set up");
        add(i, gpu::RecordEvent{static_cast<std::uint32_t>(i)}, "ready");
    }
    for (std::size_t i = 0; managed && i < ways.size(); ++i)
        for (std::size_t other = 0; other < ways.size(); ++other)
            if (other != i)
                add(i, gpu::WaitEvent{static_cast<std::uint32_t>(other)}, "wait");
    for (std::size_t i = 0; i < ways.size(); ++i) {
        Way& way = ways[i];
        way.operation = schedule.size();
        const gpu::HostPlace host{way.host.get(), 0};
        if (way.peer)
            add(i, gpu::CopyWithin{way.peer->address(), way.device, bytes, way.peer.get()}, "to the other GPU");
        else if (managed)
            add(i, gpu::Migrate{host, bytes, way.in}, way.in ? "in" : "out");
        else if (way.in)
            add(i, gpu::CopyIn{way.device, host, bytes}, "in");
        else
            add(i, gpu::CopyOut{host, way.device, bytes}, "out");
    }
    return schedule;
}

void reportTimes(GpuContext& context, const std::vector<Way>& ways, const gpu::ScheduleReport& report,
                 std::uint64_t bytes)
{
    const auto by = report.provenance;
    double begin = report.operations[ways[0].operation].begin, end = 0, longest = 0, calls = 0;
    for (const Way& way : ways) {
        const gpu::OperationTime& time = report.operations[way.operation];
        begin = std::min(begin, time.begin);
        end = std::max(end, time.end);
        longest = std::max(longest, time.end - time.begin);
        calls += time.returned - time.called;
    }
    const auto moved = static_cast<double>(bytes);
    context.metric("time", end - begin, by);
    context.metric("call_time", calls, by);
    if (!(longest > 0))
        return; // shorter than the resolution of an event
    context.metric("bandwidth", moved / longest / 1e9, by);
    context.metric("bandwidth_sum", moved * static_cast<double>(ways.size()) / (end - begin) / 1e9, by);
    // What lies between two GPUs, NVLink or switches of PCI Express, nobody tells: no limit is drawn there.
    if (const double link = context.device().info().hostLinkBytesPerSecond; link > 0 && !ways[0].peer) {
        context.metric("link_share", 100 * moved / longest / link, by);
        context.limit("bandwidth", link / 1e9);
        context.limit("link_share", 100);
        context.limit("time", moved / link);
    }
}

// ---- description ----------------------------------------------------------------------------------------------------

std::vector<ParamSpec> parameters()
{
    auto bytes = integerParam("bytes", "Size", "bytes", 4, 1u << 30, 1 << 20, ParamScale::Log2,
                              "Bytes that one copy moves in one direction.");
    bytes.defaultFor = {{"gpu", std::int64_t{64} << 20}};
    bytes.sweepFor = {{"sim", "1024..268435456:log2"}};
    auto memory = choiceParam("memory", "Host memory", {"pageable", "pinned", "write-combined", "managed"}, "pinned",
                              "How the host's side is allocated; managed memory is moved by a prefetch.");
    auto direction = choiceParam("direction", "Direction", {"h2d", "d2h", "both", "peer"}, "h2d",
                                 "Host to device, device to host, both at the same time on two streams, or from this "
                                 "GPU to the next one, which needs two of them and no host memory.");
    auto reference =
        referenceParam("nccl", "nccl: with direction=peer, hold the driver's copy against NVIDIA's NCCL, and time its "
                               "all-reduce over the two GPUs; without NCCL the run says so and goes on. Other "
                               "directions have no reference.");
    const auto share = [](const char* name, const char* title, const char* help) {
        return integerParam(name, title, "%", 10, 200, 100, ParamScale::Linear, help);
    };
    return {bytes,
            memory,
            direction,
            reference,
            share("managed_rate", "Model: prefetch rate",
                  "Only for simulated chips: rate of a prefetch over that of a pinned copy. Nobody has published it; "
                  "100 is an assumption."),
            share("write_combined_rate", "Model: write-combined rate",
                  "Only for simulated chips: rate of a copy from write-combined memory over that from pinned memory. "
                  "Nobody has published it for PCI Express; 100 is an assumption.")};
}

std::vector<MetricSpec> metrics()
{
    std::vector<MetricSpec> all = {
        {"time", "Time", "s",
         "From the begin of the first copy to the end of the last, by the device's events. Over size it is the line "
         "T = latency + size / bandwidth."},
        {"bandwidth", "Bandwidth", "GB/s",
         "Bytes of one direction over the time of its copy; of the slower one where both are busy."},
        {"bandwidth_sum", "Bandwidth of both directions", "GB/s", "Bytes of all copies over the whole time."},
        {"link_share", "Share of the link's rate", "%", "Bandwidth over the nominal rate of one direction."},
        {"call_time", "Time of the calls", "s",
         "CPU time until the copy calls return. With pageable memory the CPU carries the bytes itself; otherwise the "
         "call returns long before the copy ends."},
        {"bytes_moved", "Bytes moved", "B", "By all copies of one repeat together."}};
    addNcclMetrics(all);
    return all;
}

std::vector<ChartSpec> charts()
{
    return {
        {"time_over_size", "Time over size", "bytes", "time", ParamScale::Log2, ParamScale::Log2},
        {"bandwidth_over_size", "Bandwidth over size", "bytes", "bandwidth", ParamScale::Log2, ParamScale::Linear},
        {"calls_over_size", "Time of the calls over size", "bytes", "call_time", ParamScale::Log2, ParamScale::Log2}};
}

std::vector<LimitSpec> limits()
{
    const std::string source = "PCI Express Base Specification: transfers per second and 128b/130b line code; "
                               "generation and lanes from the driver or the chip's datasheet. 52 of 63 GB/s is a "
                               "published best for generation 5 x16 (Azure, H200)";
    return {{"bandwidth", "link, one direction", "upper", "lanes × transfers/s × 128/130 ÷ 8", source},
            {"link_share", "link, one direction", "upper", "100 %", source},
            {"time", "size ÷ link rate", "lower", "bytes ÷ (lanes × transfers/s × 128/130 ÷ 8)", source}};
}

class Transfers : public GpuExperiment {
public:
    Transfers()
    {
        m_info.id = "transfers";
        m_info.version = 1;
        m_info.title = "Transfers between host and GPU";
        m_info.module = 1;
        m_info.summary = "Copies between the memory of the host and that of the GPU, and between two GPUs, by size, "
                         "kind of memory and "
                         "direction.";
        m_info.parameters = parameters();
        m_info.targets = {"gpu", "sim"};
        m_info.metrics = metrics();
        m_info.charts = charts();
        m_info.limits = limits();
    }
    const ExperimentInfo& info() const override { return m_info; }
    Result<void> runOnDevice(const ParamSet& params, GpuContext& context) const override;

private:
    ExperimentInfo m_info;
};

/// From this GPU to the next one.
Result<void> addPeerWay(GpuContext& context, std::uint64_t bytes, Buffers& buffers, std::vector<Way>& ways)
{
    auto peer = context.device().allocatePeer(bytes, "transfer to the other GPU");
    if (!peer)
        return peer.error();
    const auto buffer = buffers.allocate(bytes, "transfer out");
    if (!buffer)
        return buffer.error();
    Way& way = ways.emplace_back();
    way.in = false;
    way.salt = context.rng().nextU32();
    way.peer = std::move(*peer);
    way.device = *buffer;
    context.log("to " + way.peer->owner());
    return fillWay(context, way, bytes);
}

Result<void> Transfers::runOnDevice(const ParamSet& params, GpuContext& context) const
{
    const std::uint64_t bytes = integer(params, "bytes");
    const auto kind = gpu::hostKindFromText(choice(params, "memory"));
    if (!kind)
        return kind.error();
    const std::string& direction = choice(params, "direction");
    gpu::Device& device = context.device();
    Buffers buffers(device);
    std::vector<Way> ways;
    if (direction == "peer")
        if (auto made = addPeerWay(context, bytes, buffers, ways); !made)
            return made;
    for (const bool in : {true, false}) {
        if (direction == "peer" || (direction != "both" && in != (direction == "h2d")))
            continue;
        Way& way = ways.emplace_back();
        way.in = in;
        way.salt = context.rng().nextU32();
        const char* label = in ? "transfer in" : "transfer out";
        auto host = device.allocateHost(bytes, *kind, label);
        if (!host)
            return host.error();
        way.host = std::move(*host);
        if (*kind != gpu::HostKind::Managed) {
            const auto buffer = buffers.allocate(bytes, label);
            if (!buffer)
                return buffer.error();
            way.device = *buffer;
        }
        if (auto filled = fillWay(context, way, bytes); !filled)
            return filled;
    }
    gpu::ScheduleOptions options;
    options.repeats = kRepeats;
    options.warmUps = 3; // an idle link runs at a low generation until it is used
    options.model.managedShare = static_cast<double>(integer(params, "managed_rate")) / 100;
    options.model.writeCombinedShare = static_cast<double>(integer(params, "write_combined_rate")) / 100;
    const gpu::Schedule schedule = scheduleOf(ways, bytes);
    const auto report =
        runSchedule(context, schedule, options,
                    fmt::format("{} of {} B{}", direction, bytes,
                                direction == "peer" ? std::string() : ", " + std::string(toText(*kind))));
    if (!report)
        return report.error();
    context.progress(0.7, "copied");
    Comparison comparison;
    for (const Way& way : ways)
        if (auto compared = verify(context, way, bytes, comparison); !compared)
            return compared;
    comparison.report(context, "pattern bit for bit");
    context.metric("bytes_moved", static_cast<double>(bytes * ways.size()), Provenance::Modelled);
    if (report->timed)
        reportTimes(context, ways, *report, bytes);
    if (direction == "peer" && choice(params, "reference") == "nccl") {
        Way& way = ways.front();
        PeerTransfer transfer{way.peer.get(), way.device, bytes, [&] { return fillWay(context, way, bytes); },
                              [&](Comparison& seen) { return verify(context, way, bytes, seen); }};
        if (auto compared = compareWithNccl(context, buffers, transfer); !compared)
            return compared;
    }
    return buffers.checkGuards(context);
}

} // namespace

std::unique_ptr<GpuExperiment> makeTransfers()
{
    return std::make_unique<Transfers>();
}

} // namespace ridge::labs
