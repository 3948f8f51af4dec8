// SPDX-License-Identifier: GPL-3.0-or-later
// Two GPUs of the stand-in for libcuda, how many blocks fit on an SM, and what other stand-ins ask this one for.
// $RIDGE_FAKE_CUDA: nopeer=1 (no way between the GPUs), peer_gbs, resident (blocks, in place of an H200's rule).
#include "fake_contexts.h"
#include "fake_settings.h"
#include "fake_timeline.h"

#include <algorithm>
#include <cstring>

using namespace fake;

#ifndef OLD_DRIVER
FAKE int cuDeviceCanAccessPeer(int* can, int from, int to)
{
    *can = from != to && fakeSetting("RIDGE_FAKE_CUDA", "nopeer", 0) == 0 ? 1 : 0;
    return 0;
}

FAKE int cuCtxEnablePeerAccess(Context* to, unsigned flags)
{
    if (to == currentContext() || flags != 0 || fakeSetting("RIDGE_FAKE_CUDA", "nopeer", 0) != 0)
        return 217;
    return reachable().insert({currentContext(), to}).second ? 0 : 704;
}

FAKE int cuCtxDisablePeerAccess(Context* to)
{
    return reachable().erase({currentContext(), to}) > 0 ? 0 : 705;
}

/// Stricter than the driver, which would go through the host: without access it fails, and so it does where a pointer
/// does not belong to its context.
FAKE int cuMemcpyPeerAsync(std::uint64_t to, Context* toContext, std::uint64_t from, Context* fromContext,
                           std::size_t bytes, void* at)
{
    if (ownerOf(to, bytes) != toContext || ownerOf(from, bytes) != fromContext || toContext == fromContext ||
        !reachable().contains({fromContext, toContext}))
        return 1;
    std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes);
    const double seconds = static_cast<double>(bytes) / (fakeSetting("RIDGE_FAKE_CUDA", "peer_gbs", 200) * 1e9);
    add(streamOf(at), {Item::Kind::Work, 0, seconds, 2, nullptr, 0, nullptr, 0});
    return 0;
}

/// The rule of compute capability 9.0 for 32 registers a thread and no static shared memory.
FAKE int cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, void*, int threads, std::size_t dynamicShared)
{
    const int warps = (threads + 31) / 32;
    const auto shared = static_cast<int>(233472 / ((dynamicShared + 1024 + 127) / 128 * 128));
    const int rule = std::min({64 / warps, 32, 65536 / (32 * 32 * warps), shared});
    *blocks = static_cast<int>(fakeSetting("RIDGE_FAKE_CUDA", "resident", rule));
    return 0;
}

#endif

/// Asked by stand-ins of libraries above the driver: work of so many seconds on a stream …
FAKE void fakeWork(void* stream, double seconds)
{
    add(streamOf(stream), {Item::Kind::Work, 0, seconds, 2, nullptr, 0, nullptr, 0});
}

/// … whether memory or a stream is a device's …
FAKE bool fakeOwnedBy(int device, const void* memory, std::size_t bytes)
{
    return ownerOf(reinterpret_cast<std::uint64_t>(memory), bytes) == contextOf(device);
}

FAKE bool fakeStreamOn(int device, void* stream)
{
    const auto it = streamOwners().find(stream);
    return it != streamOwners().end() && it->second == contextOf(device);
}

/// … and whether memory is the current device's.
FAKE bool fakeOwns(const void* memory, std::size_t bytes)
{
    return ownerOf(reinterpret_cast<std::uint64_t>(memory), bytes) == currentContext();
}
