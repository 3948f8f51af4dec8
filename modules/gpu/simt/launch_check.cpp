// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/launch_check.h"

#include "gpu/argument_pieces.h"

#include <cstring>

namespace ridge::gpu::simt {

namespace {

/// What cudaGetLastError() says after such a launch stands first (CUDA Runtime API, cudaError_t).
constexpr const char* kConfiguration = "cudaErrorInvalidConfiguration: ";
constexpr const char* kValue = "cudaErrorInvalidValue: ";
constexpr const char* kResources = "cudaErrorLaunchOutOfResources: ";

Error bad(const KernelImage& kernel, const char* cuda, const std::string& message, std::string fix)
{
    return {"bad-launch", cuda + message, "launch of " + kernel.name, std::move(fix)};
}

std::string text(std::uint64_t value)
{
    return std::to_string(value);
}

std::string text(const Dim3& d)
{
    return "(" + text(d.x) + ", " + text(d.y) + ", " + text(d.z) + ")";
}

Result<void> checkAxes(const KernelImage& kernel, std::string_view what, const Dim3& given, const Dim3& most)
{
    const std::array<std::uint32_t, 3> values{given.x, given.y, given.z};
    const std::array<std::uint32_t, 3> limits{most.x, most.y, most.z};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const std::string name = std::string(what) + "." + "xyz"[axis];
        if (values[axis] == 0)
            return bad(kernel, kConfiguration, name + " is 0", "The smallest legal value is 1.");
        if (values[axis] > limits[axis])
            return bad(kernel, kConfiguration,
                       name + " is " + text(values[axis]) + ", the chip allows " + text(limits[axis]),
                       "Use at most " + text(limits[axis]) + ".");
    }
    return {};
}

Result<void> checkThreads(const KernelImage& kernel, const Launch& launch, const ChipLimits& limits)
{
    const std::uint64_t threads = launch.block.count();
    if (threads > limits.maxThreadsPerBlock)
        return bad(kernel, kConfiguration,
                   "a block of " + text(launch.block) + " has " + text(threads) + " threads, the chip allows " +
                       text(limits.maxThreadsPerBlock) + " threads per block",
                   "Use at most " + text(limits.maxThreadsPerBlock) + " threads per block.");
    const std::uint64_t warps = (threads + kWarpSize - 1) / kWarpSize;
    if (warps > limits.warpsPerSm)
        return bad(kernel, kConfiguration,
                   "a block of " + text(warps) + " warps does not fit an SM of " + text(limits.warpsPerSm),
                   "Use at most " + text(std::uint64_t{limits.warpsPerSm} * kWarpSize) + " threads per block.");
    const Dim3 required{kernel.requiredThreads[0], kernel.requiredThreads[1], kernel.requiredThreads[2]};
    if (required.x != 0 && !(required == launch.block))
        return bad(kernel, kConfiguration,
                   "the kernel requires blocks of exactly " + text(required) + ", given " + text(launch.block),
                   "Launch with " + text(required) + ".");
    const Dim3 most{kernel.maximumThreads[0], kernel.maximumThreads[1], kernel.maximumThreads[2]};
    if (most.x != 0 && threads > most.count())
        return bad(kernel, kResources,
                   "the kernel is bounded to " + text(most.count()) + " threads per block, given " + text(threads),
                   "Use at most " + text(most.count()) + " threads per block or change __launch_bounds__.");
    return {};
}

Result<void> checkShared(const KernelImage& kernel, const Launch& launch, const ChipLimits& limits)
{
    if (kernel.staticSharedBytes > limits.sharedBytesPerBlock)
        return bad(kernel, kValue,
                   "the kernel declares " + text(kernel.staticSharedBytes) + " bytes of static shared memory, " +
                       text(limits.sharedBytesPerBlock) + " are allowed",
                   "Declare at most " + text(limits.sharedBytesPerBlock) +
                       " bytes, or use dynamic shared memory for more.");
    const std::uint64_t total = std::uint64_t{kernel.dynamicSharedBase} + launch.dynamicSharedBytes;
    const std::uint32_t most = std::max(limits.sharedBytesPerBlock, limits.sharedBytesPerBlockOptIn);
    if (launch.dynamicSharedBytes == 0 || total <= most)
        return {};
    const std::uint32_t left = most - std::min(most, kernel.dynamicSharedBase);
    return bad(kernel, kValue,
               "the block needs " + text(total) + " bytes of shared memory (" + text(launch.dynamicSharedBytes) +
                   " of them dynamic), the chip allows " + text(most),
               "Use at most " + text(left) + " bytes of dynamic shared memory.");
}

constexpr std::uint64_t kPortableCluster = 8; ///< blocks (CUDA C++ Programming Guide, "Thread Block Clusters")
constexpr std::uint64_t kLargestCluster = 16; ///< with the opt-in, of compute capability 9.0 and 10.0

Result<void> checkCluster(const KernelImage& kernel, const Launch& launch, const ChipLimits& limits)
{
    constexpr const char* kSize = "cudaErrorInvalidClusterSize: ";
    const Dim3 required{kernel.requiredCluster[0], kernel.requiredCluster[1], kernel.requiredCluster[2]};
    const bool given = launch.cluster.x != 0;
    if (given && (launch.cluster.y == 0 || launch.cluster.z == 0))
        return bad(kernel, kSize, "a cluster of " + text(launch.cluster) + " blocks", "The smallest legal value is 1.");
    if (given && required.x != 0 && !(required == launch.cluster))
        return bad(kernel, kSize,
                   "the kernel requires clusters of exactly " + text(required) + ", given " + text(launch.cluster),
                   "Launch with " + text(required) + ", or leave the cluster out.");
    if (!given && required.x == 0 && kernel.explicitCluster)
        return bad(kernel, kSize, "the kernel requires a launch that gives the size of its cluster",
                   "Give the cluster with the launch.");
    const Dim3 cluster = clusterOf(kernel, launch);
    const std::uint64_t blocks = cluster.count();
    if (blocks == 0)
        return bad(kernel, kSize, "a cluster of " + text(cluster) + " blocks", "The smallest legal value is 1.");
    if (blocks == 1)
        return {};
    if (limits.computeMajor != 0 && limits.computeMajor < 9)
        return bad(kernel, kSize,
                   "clusters of " + text(blocks) + " blocks need compute capability 9.0, the chip has " +
                       text(limits.computeMajor) + ".x",
                   "Use a cluster of one block, or a chip from H100 on.");
    const std::uint64_t most = launch.nonPortableCluster ? kLargestCluster : kPortableCluster;
    if (blocks > most)
        return bad(kernel, kSize,
                   "a cluster of " + text(cluster) + " has " + text(blocks) + " blocks, " + text(most) +
                       " are allowed" +
                       (launch.nonPortableCluster ? "" : " without the opt-in to sizes that are not portable"),
                   launch.nonPortableCluster || blocks > kLargestCluster
                       ? "Use at most " + text(most) + "."
                       : "Use at most 8, or allow sizes that are not portable.");
    if (kernel.maximumCluster != 0 && blocks > kernel.maximumCluster)
        return bad(kernel, kSize,
                   "the kernel is bounded to clusters of " + text(kernel.maximumCluster) + " blocks, given " +
                       text(blocks),
                   "Use at most " + text(kernel.maximumCluster) + ", or change .maxclusterrank.");
    const std::array<std::array<std::uint32_t, 2>, 3> axes{
        {{launch.grid.x, cluster.x}, {launch.grid.y, cluster.y}, {launch.grid.z, cluster.z}}};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (axes[axis][0] % axes[axis][1] == 0)
            continue;
        const std::uint32_t rest = axes[axis][0] % axes[axis][1];
        return bad(kernel, kConfiguration,
                   std::string("grid.") + "xyz"[axis] + " is " + text(axes[axis][0]) +
                       ", which is not a multiple of the cluster's " + text(axes[axis][1]),
                   "Use " + text(axes[axis][0] + axes[axis][1] - rest) +
                       " blocks there and let the last ones do nothing.");
    }
    const std::uint64_t perSm = blocksPerSm(kernel, launch, limits);
    if (limits.smsPerCluster * perSm < blocks)
        return bad(kernel, "cudaErrorInvalidClusterSize: ",
                   "a cluster of " + text(blocks) + " blocks can never be resident: it must fit " +
                       text(limits.smsPerCluster) + " SMs that belong together, and each holds " + text(perSm) +
                       (perSm == 1 ? " block of this launch" : " blocks of this launch"),
                   "Use smaller clusters, or blocks that need less shared memory or fewer warps.");
    return {};
}

} // namespace

Result<void> checkLaunch(const KernelImage& kernel, const Launch& launch, const ChipLimits& limits)
{
    if (auto ok = checkAxes(kernel, "block", launch.block, limits.maxBlock); !ok)
        return ok;
    if (auto ok = checkAxes(kernel, "grid", launch.grid, limits.maxGrid); !ok)
        return ok;
    if (auto ok = checkThreads(kernel, launch, limits); !ok)
        return ok;
    if (auto ok = checkShared(kernel, launch, limits); !ok)
        return ok;
    return checkCluster(kernel, launch, limits);
}

Launch inBlocks(const KernelImage& kernel, const Launch& launch)
{
    Launch made = launch;
    if (!kernel.countsClusters)
        return made;
    const auto times = [](std::uint32_t& axis, std::uint64_t blocks) {
        axis = static_cast<std::uint32_t>(std::min<std::uint64_t>(axis * blocks, UINT32_MAX));
    };
    times(made.grid.x, kernel.requiredCluster[0]);
    times(made.grid.y, kernel.requiredCluster[1]);
    times(made.grid.z, kernel.requiredCluster[2]);
    return made;
}

Dim3 clusterOf(const KernelImage& kernel, const Launch& launch)
{
    if (launch.cluster.x != 0)
        return launch.cluster;
    if (kernel.requiredCluster[0] != 0)
        return {kernel.requiredCluster[0], kernel.requiredCluster[1], kernel.requiredCluster[2]};
    return {};
}

std::uint64_t blocksPerSm(const KernelImage& kernel, const Launch& launch, const ChipLimits& limits)
{
    const std::uint64_t warps = (launch.block.count() + kWarpSize - 1) / kWarpSize;
    const std::uint64_t shared = launch.dynamicSharedBytes != 0 ? kernel.dynamicSharedBase + launch.dynamicSharedBytes
                                                                : kernel.staticSharedBytes;
    std::uint64_t blocks = std::min<std::uint64_t>(limits.blocksPerSm, limits.warpsPerSm / warps);
    if (shared != 0)
        blocks = std::min<std::uint64_t>(blocks, limits.sharedBytesPerSm / shared);
    return std::max<std::uint64_t>(blocks, 1);
}

Result<std::vector<std::byte>> packArguments(const KernelImage& kernel, const Launch& launch)
{
    if (launch.args.size() > kernel.params.size()) { // fields of structs
        std::vector<std::size_t> sizes;
        for (const KernelParam& param : kernel.params)
            sizes.push_back(param.bytes);
        if (const auto parameters = parameterBytes(sizes, launch.args)) {
            std::vector<std::byte> block(kernel.paramBytes);
            for (std::size_t at = 0; at < sizes.size(); ++at)
                std::memcpy(block.data() + kernel.params[at].offset, (*parameters)[at].data(), sizes[at]);
            return block;
        }
    }
    if (launch.args.size() != kernel.params.size())
        return bad(kernel, kValue,
                   "the kernel takes " + text(kernel.params.size()) + " arguments, " + text(launch.args.size()) +
                       " were given",
                   "Give " + text(kernel.params.size()) + " arguments.");
    std::vector<std::byte> block(kernel.paramBytes);
    for (std::size_t at = 0; at < launch.args.size(); ++at) {
        const KernelParam& param = kernel.params[at];
        const std::span<const std::byte> argument = bytesOf(launch.args[at]);
        if (argument.size() != param.bytes)
            return bad(kernel, kValue,
                       "argument " + text(at + 1) + " has " + text(argument.size()) + " bytes, the parameter " +
                           param.name + " has " + text(param.bytes),
                       "Give a value of " + text(param.bytes) + " bytes.");
        std::memcpy(block.data() + param.offset, argument.data(), argument.size());
    }
    return block;
}

} // namespace ridge::gpu::simt
