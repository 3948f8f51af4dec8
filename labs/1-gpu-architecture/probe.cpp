// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/catalogue.h"
#include "labs/gpu_experiment.h"
#include "labs/harness/buffers.h"
#include "labs/harness/ladder.h"
#include "labs/harness/work.h"
#include "silicon/chip_catalogue.h"

#include <cstring>
#include <fmt/core.h>

namespace ridge::labs {
namespace {

using Words = std::vector<std::uint32_t>;

constexpr std::uint64_t kColumns = 16, kRows = 16; // of the matrix that TMA reads
constexpr std::uint32_t kFp8Sum = 0x42900000;      // 72 in FP32

Words counted(std::size_t count)
{
    Words words(count);
    for (std::size_t i = 0; i < count; ++i)
        words[i] = mixed(i, 1);
    return words;
}

/// A feature, the capability from which on it is there, and a kernel that would not give its result without it.
struct Feature {
    const char* metric;
    const char* title;
    const char* file;
    const char* kernel;
    int capability;
    Words in;     ///< nothing: the kernel takes none
    Words wanted; ///< what it writes
};

std::vector<Feature> features()
{
    Feature copy{"async_copy", "Asynchronous copies", "probe/01_async_copy.cu", "probe_async_copy", 80, counted(128),
                 Words(128)};
    for (std::size_t i = 0; i < copy.wanted.size(); ++i)
        copy.wanted[i] = copy.in[i ^ 4];
    Feature clusters{"clusters", "Thread block clusters", "probe/02_cluster.cu", "probe_cluster", 90, {}, Words(64)};
    for (std::uint32_t i = 0; i < 64; ++i)
        clusters.wanted[i] = 32 * (1 - i / 32) + i % 32 + 7;
    Feature tma{"tma", "Tensor memory accelerator", "probe/03_tma.cu", "probe_tma",
                90,    counted(kColumns * kRows),   Words(64)};
    for (std::size_t i = 0; i < 64; ++i)
        tma.wanted[i] = tma.in[(4 + i / 8) * kColumns + 8 + i % 8];
    return {copy, clusters, tma, {"fp8", "FP8", "probe/04_fp8.cu", "probe_fp8", 89, {}, Words(128, kFp8Sum)}};
}

int capabilityOf(const gpu::DeviceInfo& info)
{
    return 10 * info.computeMajor + info.computeMinor;
}

/// Whether the kernel gave what only the feature can give.
Result<bool> works(GpuContext& context, const Feature& feature)
{
    gpu::Device& device = context.device();
    const auto program = context.kernel(feature.file);
    if (!program)
        return program.error();
    Buffers buffers(device);
    std::vector<gpu::KernelArg> arguments;
    if (!feature.in.empty()) {
        const auto in = buffers.allocate(4 * feature.in.size(), "in");
        if (!in)
            return in.error();
        if (auto copied = device.copyToDevice(*in, std::as_bytes(std::span(feature.in))); !copied)
            return copied.error();
        arguments.emplace_back(*in);
        if (std::strcmp(feature.metric, "tma") == 0) {
            const auto map = device.tensorMap({*in, 4, kColumns, kRows, 4 * kColumns, 8, 8});
            if (!map)
                return map.error();
            arguments.front() = *map;
        }
    }
    const std::uint64_t bytes = 4 * feature.wanted.size();
    const auto out = buffers.allocate(bytes, "out");
    if (!out)
        return out.error();
    if (auto poisoned = poison(context, *out, bytes); !poisoned)
        return poisoned.error();
    arguments.emplace_back(*out);
    const bool cluster = std::strcmp(feature.metric, "clusters") == 0;
    gpu::Step launch = step(*program, feature.kernel, cluster ? 2 : 1, 32, std::move(arguments));
    if (cluster)
        launch.launch.cluster = {2, 1, 1};
    if (auto launched = device.launch(*program.value(), launch.launch, {}); !launched)
        return launched.error();
    Words got(feature.wanted.size());
    if (auto read = device.copyToHost(std::as_writable_bytes(std::span(got)), *out); !read)
        return read.error();
    return got == feature.wanted;
}

std::vector<MetricSpec> metrics()
{
    std::vector<MetricSpec> list{
        {"compute_capability", "Compute capability", "version", "Major and minor number: 9.0 is Hopper's."},
        {"sms", "Multiprocessors", "SMs", "As the driver tells, or the chip table."},
        {"l2_bytes", "L2 cache", "B", "As the driver tells, or the chip table."},
        {"memory_bytes", "Device memory", "B", "As the driver tells, or the chip table."},
        {"shared_per_sm", "Shared memory of an SM", "B",
         "What the blocks of an SM share, at most; from the table of its compute capability."},
        {"registers_per_sm", "Registers of an SM", "registers",
         "Of 32 bits; from the table of its compute capability."}};
    for (const Feature& feature : features())
        list.push_back({feature.metric, feature.title, "1",
                        fmt::format("1 where a kernel that uses it gave the right result; 0 below compute capability "
                                    "{}.{}, which has none.",
                                    feature.capability / 10, feature.capability % 10)});
    return list;
}

class Probe : public GpuExperiment {
public:
    Probe()
    {
        m_info.id = "probe";
        m_info.version = 1;
        m_info.title = "What a GPU is and can";
        m_info.module = 1;
        m_info.summary = "Asks a GPU for its sizes and tries four features with a kernel each.";
        m_info.targets = {"gpu", "sim"};
        m_info.drawsNothing = true; // its kernels compute on fixed values
        m_info.metrics = metrics();
        m_info.limits = {{"async_copy", "there or not", "upper", "1", "a feature cannot be there more than once"}};
        for (const Feature& feature : features())
            m_info.kernels.emplace_back(feature.file);
    }
    const ExperimentInfo& info() const override { return m_info; }
    std::vector<std::string> kernels(const ParamSet&, const gpu::DeviceInfo& device) const override
    {
        std::vector<std::string> needed;
        for (const Feature& feature : features())
            if (capabilityOf(device) >= feature.capability)
                needed.emplace_back(feature.file);
        return needed;
    }
    Result<void> runOnDevice(const ParamSet& params, GpuContext& context) const override;

private:
    ExperimentInfo m_info;
};

Result<void> Probe::runOnDevice(const ParamSet&, GpuContext& context) const
{
    const gpu::DeviceInfo& device = context.device().info();
    const auto tell = [&](const char* name, double value) {
        if (value > 0) // 0: the driver did not say
            context.metric(name, value, device.provenance);
    };
    tell("compute_capability", device.computeMajor + device.computeMinor / 10.0);
    tell("sms", device.smCount);
    tell("l2_bytes", static_cast<double>(device.l2Bytes));
    tell("memory_bytes", static_cast<double>(device.globalBytes));
    if (const auto catalogue = silicon::shippedCatalogue())
        if (const auto limits = catalogue->limits(device.computeMajor, device.computeMinor)) {
            context.metric("shared_per_sm", limits->sharedBytesPerSm, Provenance::Modelled);
            context.metric("registers_per_sm", limits->registersPerSm, Provenance::Modelled);
        }
    for (const Feature& feature : features()) {
        if (context.cancelled())
            return Error{"cancelled", "the run was cancelled", "probe", ""};
        bool there = false;
        if (capabilityOf(device) >= feature.capability) {
            const auto worked = works(context, feature);
            if (!worked)
                return worked.error();
            there = *worked;
            context.check(fmt::format("{}_works", feature.metric), there,
                          fmt::format("{} wrote {}what it should", feature.kernel, there ? "" : "not "));
        }
        context.metric(feature.metric, there ? 1 : 0, device.provenance);
    }
    context.limit("async_copy", 1);
    return {};
}

} // namespace

std::unique_ptr<GpuExperiment> makeProbe()
{
    return std::make_unique<Probe>();
}

} // namespace ridge::labs
