// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace ridge::gpu {

/// A number of the host model and where it comes from. An empty source: nobody has published it, the value is an
/// assumption that an experiment offers as a parameter.
struct HostConstant {
    const char* name;
    double value;
    const char* unit;
    const char* meaning;
    const char* source;
};

// The only place where these numbers stand.
inline constexpr HostConstant kLinkEfficiency{
    "link_efficiency", 52.0 / 63.0, "",
    "share of the link's nominal rate that a large pinned copy reaches: headers of the packets and flow control",
    "52 of 63 GB/s PCIe 5 x16 (Azure, H200); 26 of 31.5 GB/s PCIe 4 x16 (nvbandwidth README) gives the same share"};
inline constexpr HostConstant kDuplexShare{"duplex_share", 18.5 / 26.0, "",
                                           "share of its one-way rate that each direction keeps while both are busy",
                                           "18.5 of 26 GB/s each way, PCIe 4 x16 (nvbandwidth README, Azure)"};
inline constexpr HostConstant kCopySeconds{"copy_latency", 6e-6, "s",
                                           "what a copy takes beside moving its bytes: alpha of T = alpha + V / beta",
                                           "5 to 7 us a cudaMemcpyAsync (DualPath, arXiv 2602.21548, 5.2, 2026-02)"};
inline constexpr HostConstant kStagingRate{
    "staging_rate", 1.0 / (1.0 / 5.5e9 - 1.0 / 11.5e9), "B/s",
    "rate at which one CPU core copies between pageable memory and the driver's pinned buffer",
    "derived from 5-6 GB/s pageable and 11-12 GB/s pinned on one machine (rapidsai/dask-cuda #98, 2019-08-01), the two "
    "stages one after the other"};
inline constexpr HostConstant kManagedShare{"managed_share", 1.0, "",
                                            "rate of a prefetch of managed pages over that of a pinned copy", ""};
inline constexpr HostConstant kWriteCombinedShare{
    "write_combined_share", 1.0, "", "rate of a copy from write-combined memory over that from pinned memory", ""};
inline constexpr HostConstant kCallSeconds{
    "call_time", 65536 / 26e9, "s", "CPU time of one launch or copy call, the floor of the launch rate of one thread",
    "64 kB at 26 GB/s: 2.5 us a kernel launched one by one (RRZE gpu-small-kernels, H200)"};
inline constexpr HostConstant kStartSeconds{"start_latency", 5e-6, "s",
                                            "from a launch call to the start on an idle GPU",
                                            "4-6 us driver path, RTX 5070 Ti (pegainfer)"};
inline constexpr HostConstant kStreamGap{
    "stream_gap", 0.9e-6, "s", "between the end of a kernel and the begin of the next one of its stream",
    "3.8 us a kernel with a body of 2.9 us, V100 (NVIDIA, Getting Started with CUDA Graphs, 2019-09)"};
inline constexpr HostConstant kGraphGap{
    "graph_gap", 0.5e-6, "s", "the same between nodes of a graph",
    "3.4 us a kernel with a body of 2.9 us, V100 (NVIDIA, Getting Started with CUDA Graphs, 2019-09)"};
inline constexpr HostConstant kGraphLaunch{
    "graph_launch", 2.5e-6, "s", "CPU time of launching a graph",
    "CUDA 12.6, straight line (NVIDIA, Constant Time Launch, 2024-09); 2 us before"};
inline constexpr HostConstant kGraphNode{
    "graph_node", 1e-9, "s", "CPU time of launching a graph, for each node",
    "CUDA 12.6, straight line (NVIDIA, Constant Time Launch, 2024-09); 200 ns before"};
inline constexpr HostConstant kWithinEfficiency{"device_copy_efficiency", 4.3 / 4.8, "",
                                                "share of the memory's pin rate that a copy within the device reaches",
                                                "4.3 of 4.8 TB/s on one H200 (project's own, kernels.md head)"};

inline constexpr std::array kHostConstants{&kLinkEfficiency,  &kDuplexShare, &kCopySeconds,        &kStagingRate,
                                           &kManagedShare,    &kCallSeconds, &kWriteCombinedShare, &kStartSeconds,
                                           &kStreamGap,       &kGraphGap,    &kGraphLaunch,        &kGraphNode,
                                           &kWithinEfficiency};

/// The host side of a modelled GPU. Two copy engines, one a direction; calls come from one CPU thread.
struct HostModel {
    double linkEfficiency = kLinkEfficiency.value;
    double duplexShare = kDuplexShare.value;
    double copySeconds = kCopySeconds.value;
    double stagingBytesPerSecond = kStagingRate.value;
    double managedShare = kManagedShare.value;
    double writeCombinedShare = kWriteCombinedShare.value;
    double callSeconds = kCallSeconds.value;
    double startSeconds = kStartSeconds.value;
    double streamGapSeconds = kStreamGap.value;
    double graphGapSeconds = kGraphGap.value;
    double graphLaunchSeconds = kGraphLaunch.value;
    double graphNodeSeconds = kGraphNode.value;
    double withinEfficiency = kWithinEfficiency.value;
};

/// Nominal rate of one direction: lanes × transfers per second × the line code (PCI Express Base Specification: 8b/10b
/// up to generation 2, 128b/130b from 3 to 5). 0 for what does not exist and for later generations.
double pcieBytesPerSecond(int generation, int lanes);

enum class ModelKind : std::uint8_t { CopyIn, CopyOut, CopyWithin, Kernel, Record, Wait };

/// An operation as the model sees it.
struct ModelOperation {
    ModelKind kind = ModelKind::Kernel;
    std::uint32_t stream = 0;
    std::uint32_t event = 0;
    double seconds = 0;     ///< alone on the device, without latency and gaps
    double rateLimited = 0; ///< share of `seconds` that stretches while the other direction is busy
    double smShare = 0;     ///< of the places for blocks on all SMs, 0 … 1
    double smTouched = 0;   ///< share of the SMs that hold a block of it, 0 … 1
    double dramShare = 0;   ///< of the memory's pin rate while it runs
    bool hostWaits = false; ///< the call returns when the copy is done: pageable memory
};

struct ModelTimes {
    std::vector<double> begin, end, called, returned; ///< from the first call on
    double enqueueSeconds = 0;
    double lastEnd = 0;
};

/// Times by a discrete-event model: streams in order, one copy at a time a direction. Kernels are side by side as long
/// as there are places for their blocks. Those that are on the same SMs take turns there, so that together they take no
/// less time than one after the other: kernels that wait for memory most of the time overlap better than that in truth.
/// Copies within the device and kernels are all slowed alike where they ask for more than the memory gives.
/// `operations` must be free of events that are waited for before they are recorded.
ModelTimes modelTimes(const std::vector<ModelOperation>& operations, const HostModel& model, bool asGraph, bool gated);

} // namespace ridge::gpu
