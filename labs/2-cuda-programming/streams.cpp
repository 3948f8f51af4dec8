// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/catalogue.h"
#include "labs/gpu_experiment.h"
#include "labs/harness/buffers.h"
#include "labs/harness/declare.h"
#include "labs/harness/run_schedule.h"

#include <algorithm>
#include <cstring>
#include <fmt/core.h>

namespace ridge::labs {
namespace {

constexpr const char* kKernel = "streams/01_chunk_work.cu";
constexpr int kRepeats = 10;
constexpr std::uint32_t kThreads = 256;
constexpr std::uint32_t kFactor = 1664525, kAddend = 1013904223; // of the kernel

struct Setting {
    std::uint64_t elements = 1;
    std::uint64_t chunks = 1;
    std::uint64_t streams = 1;
    std::uint32_t rounds = 1;

    std::uint64_t begin(std::uint64_t chunk) const { return elements * chunk / chunks; }
    std::uint64_t count(std::uint64_t chunk) const { return begin(chunk + 1) - begin(chunk); }
};

/// The kernel's rounds as one step: value × factor + addend, modulo 2^32.
struct Composed {
    std::uint32_t factor = 1, addend = 0;
    explicit Composed(std::uint32_t rounds)
    {
        for (std::uint32_t i = 0; i < rounds; ++i) {
            factor *= kFactor;
            addend = addend * kFactor + kAddend;
        }
    }
    std::uint32_t operator()(std::uint32_t value) const { return value * factor + addend; }
};

struct Data {
    std::unique_ptr<gpu::HostMemory> in, out;
    gpu::DevicePtr deviceIn, deviceOut;
};

/// Copy in, compute, copy out of every chunk; chunk i on stream i modulo streams, chunk after chunk.
gpu::Schedule pipeline(const Setting& setting, const gpu::LoadedProgram& program, const Data& data)
{
    gpu::Schedule schedule;
    for (std::uint64_t chunk = 0; chunk < setting.chunks; ++chunk) {
        const auto stream = static_cast<std::uint32_t>(chunk % setting.streams);
        const std::uint64_t at = setting.begin(chunk) * 4, count = setting.count(chunk);
        const gpu::DevicePtr in{data.deviceIn.address + at}, out{data.deviceOut.address + at};
        gpu::Step step{&program, {}};
        step.launch.kernel = "chunk_work";
        step.launch.grid = {static_cast<std::uint32_t>((count + kThreads - 1) / kThreads), 1, 1};
        step.launch.block = {kThreads, 1, 1};
        step.launch.args = {in, out, static_cast<std::uint32_t>(count), setting.rounds};
        schedule.push_back({stream, gpu::CopyIn{in, {data.in.get(), at}, count * 4}, fmt::format("in {}", chunk)});
        schedule.push_back({stream, std::move(step), fmt::format("work {}", chunk)});
        schedule.push_back({stream, gpu::CopyOut{{data.out.get(), at}, out, count * 4}, fmt::format("out {}", chunk)});
    }
    return schedule;
}

/// `whole`: everything in one piece, the stages one after the other. Each is then at its most efficient, so that no
/// pipeline is shorter than the longest of them.
void reportTimes(RunContext& context, const gpu::ScheduleReport& whole, const gpu::ScheduleReport& piped)
{
    const auto by = piped.provenance;
    const double in = secondsOf(whole, 0), work = secondsOf(whole, 1), out = secondsOf(whole, 2);
    const double sum = in + work + out, longest = std::max({in, work, out});
    context.metric("time", piped.deviceSeconds, by);
    context.metric("wall_time", piped.wallSeconds, by);
    context.metric("call_time", piped.enqueueSeconds, by);
    context.metric("copy_in_time", in, by);
    context.metric("compute_time", work, by);
    context.metric("copy_out_time", out, by);
    context.metric("stages_sum", sum, by);
    context.metric("longest_stage", longest, by);
    context.metric("over_longest", piped.deviceSeconds / longest, by);
    context.metric("gain", whole.deviceSeconds / piped.deviceSeconds, by);
    if (sum > longest)
        context.metric("overlap", 100 * (sum - piped.deviceSeconds) / (sum - longest), by);
    context.limit("time", longest);
    context.limit("over_longest", 1);
    context.limit("overlap", 100);
}

// ---- description ----------------------------------------------------------------------------------------------------

std::vector<ParamSpec> parameters()
{
    auto chunks = integerParam("chunks", "Chunks", "chunks", 1, 64, 4, ParamScale::Log2,
                               "Parts of the data that go through the pipeline one after the other.");
    auto streams = integerParam("streams", "Streams", "streams", 1, 8, 4, ParamScale::Linear,
                                "Chunk i runs on stream i modulo streams.");
    auto memory = choiceParam("memory", "Host memory", {"pinned", "pageable"}, "pinned",
                              "Pageable memory keeps the CPU in every copy call, so that nothing overlaps.");
    auto elements = integerParam("elements", "Elements", "elements", 4096, 1 << 28, 1 << 20, ParamScale::Log2,
                                 "Words of 4 bytes that are copied in, worked on and copied out.");
    elements.defaultFor = {{"gpu", std::int64_t{1} << 24}};
    auto rounds = integerParam("rounds", "Work per element", "rounds", 1, 65536, 128, ParamScale::Log2,
                               "Multiply-adds of the kernel: more of them make the compute stage longer.");
    rounds.defaultFor = {{"gpu", std::int64_t{1024}}};
    return {chunks, streams, memory, elements, rounds};
}

std::vector<MetricSpec> metrics()
{
    return {
        {"time", "Total time", "s", "From the first copy in to the end of the last copy out."},
        {"wall_time", "Wall time", "s", "From the first call until the CPU knows that all is done."},
        {"call_time", "Time of the calls", "s", "CPU time until the last call has returned."},
        {"copy_in_time", "Copy in", "s", "All data in one piece, alone on the device."},
        {"compute_time", "Kernel", "s", "All data in one piece, alone on the device."},
        {"copy_out_time", "Copy out", "s", "All data in one piece, alone on the device."},
        {"stages_sum", "Sum of the stages", "s", "Copy in, kernel and copy out: the time without any overlap."},
        {"longest_stage", "Longest stage", "s", "What the total time can come down to."},
        {"over_longest", "Total over longest stage", "1", "1 is a perfect pipeline."},
        {"gain", "Gain", "1", "Time of one piece on one stream over total time."},
        {"overlap", "Overlap", "%",
         "How much of what can be hidden is hidden: 0 where the total is the sum of the stages, 100 where it is the "
         "longest one; below 0 where gaps and waiting add to the sum."},
    };
}

std::vector<ChartSpec> charts()
{
    return {
        {"time_over_chunks", "Total time over chunks", "chunks", "time", ParamScale::Log2, ParamScale::Linear},
        {"over_longest_over_chunks", "Total over longest stage, over chunks", "chunks", "over_longest",
         ParamScale::Log2, ParamScale::Linear},
        {"time_over_streams", "Total time over streams", "streams", "time", ParamScale::Linear, ParamScale::Linear},
        {"overlap_over_streams", "Overlap over streams", "streams", "overlap", ParamScale::Linear, ParamScale::Linear}};
}

std::vector<LimitSpec> limits()
{
    const std::string source =
        "each stage has one engine: a copy engine for each direction and the SMs (CUDA "
        "Programming Guide, asynchronous concurrent execution); stages in one piece, measured alone";
    return {{"time", "longest stage", "lower", "max(copy in, kernel, copy out), of all data in one piece", source},
            {"over_longest", "longest stage", "lower", "1", source},
            {"overlap", "longest stage", "upper", "100 %", source}};
}

class Streams : public GpuExperiment {
public:
    Streams()
    {
        m_info.id = "streams";
        m_info.version = 1;
        m_info.title = "Streams and overlap";
        m_info.module = 2;
        m_info.summary =
            "Sends chunks through copy in, kernel and copy out on several streams, and tells what overlaps.";
        m_info.parameters = parameters();
        m_info.targets = {"gpu", "sim"};
        m_info.metrics = metrics();
        m_info.charts = charts();
        m_info.limits = limits();
        m_info.kernels = {kKernel};
    }
    const ExperimentInfo& info() const override { return m_info; }
    Result<void> runOnDevice(const ParamSet& params, GpuContext& context) const override;

private:
    ExperimentInfo m_info;
};

std::uint32_t wordOf(std::span<const std::byte> bytes, std::uint64_t index)
{
    std::uint32_t word = 0;
    std::memcpy(&word, bytes.data() + index * 4, 4);
    return word;
}

/// Both schedules are checked: that of one piece, and the pipeline.
Result<gpu::ScheduleReport> execute(GpuContext& context, const Setting& setting, const gpu::LoadedProgram& program,
                                    Data& data, Comparison& comparison)
{
    const std::uint64_t bytes = setting.elements * 4;
    std::memset(data.out->bytes().data(), 0xff, bytes);
    if (auto poisoned = poison(context, data.deviceOut, bytes); !poisoned)
        return poisoned.error();
    gpu::ScheduleOptions options;
    options.repeats = kRepeats;
    const auto report = runSchedule(
        context, pipeline(setting, program, data), options,
        fmt::format("chunks: {}, streams: {}, {} memory", setting.chunks, setting.streams, toText(data.in->kind())));
    if (!report)
        return report;
    const Composed work(setting.rounds);
    for (std::uint64_t i = 0; i < setting.elements; ++i) {
        const std::uint32_t got = wordOf(data.out->bytes(), i), wanted = work(wordOf(data.in->bytes(), i));
        comparison.see(i, got == wanted, got, wanted);
    }
    return report;
}

Result<void> Streams::runOnDevice(const ParamSet& params, GpuContext& context) const
{
    const Setting setting{integer(params, "elements"), integer(params, "chunks"), integer(params, "streams"),
                          static_cast<std::uint32_t>(integer(params, "rounds"))};
    const auto kind = gpu::hostKindFromText(choice(params, "memory"));
    if (!kind)
        return kind.error();
    const auto program = context.kernel(kKernel);
    if (!program)
        return program.error();
    gpu::Device& device = context.device();
    Buffers buffers(device);
    Data data;
    for (auto& [memory, label] : {std::pair{&data.in, "in"}, std::pair{&data.out, "out"}}) {
        auto host = device.allocateHost(setting.elements * 4, *kind, label);
        if (!host)
            return host.error();
        *memory = std::move(*host);
    }
    for (auto& [memory, label] : {std::pair{&data.deviceIn, "in"}, std::pair{&data.deviceOut, "out"}}) {
        const auto buffer = buffers.allocate(setting.elements * 4, label);
        if (!buffer)
            return buffer.error();
        *memory = *buffer;
    }
    const std::uint32_t salt = context.rng().nextU32();
    for (std::uint64_t i = 0; i < setting.elements; ++i) {
        const std::uint32_t word = mixed(i, salt);
        std::memcpy(data.in->bytes().data() + i * 4, &word, 4);
    }
    Comparison comparison;
    Setting onePiece = setting;
    onePiece.chunks = onePiece.streams = 1;
    const auto whole = execute(context, onePiece, **program, data, comparison);
    if (!whole)
        return whole.error();
    context.progress(0.5, "one piece");
    const auto piped = execute(context, setting, **program, data, comparison);
    if (!piped)
        return piped.error();
    comparison.report(context, "bit for bit");
    if (auto guarded = buffers.checkGuards(context); !guarded)
        return guarded;
    if (piped->timed && whole->timed)
        reportTimes(context, *whole, *piped);
    return {};
}

} // namespace

std::unique_ptr<GpuExperiment> makeStreams()
{
    return std::make_unique<Streams>();
}

} // namespace ridge::labs
