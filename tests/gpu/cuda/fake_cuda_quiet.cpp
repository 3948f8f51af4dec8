// SPDX-License-Identifier: GPL-3.0-or-later
// What brings a device to rest between launches; the calls are written down for the test to read.
#include "fake_settings.h"
#include "fake_timeline.h"

#include <cstring>
#include <string>

using namespace fake;

namespace {

std::string g_calls;

} // namespace

void fake::noteCall(const std::string& call)
{
    g_calls += call + "\n";
}

/// All calls since it was asked last, one a line.
FAKE const char* fakeQuietCalls()
{
    static std::string given;
    given = g_calls;
    g_calls.clear();
    return given.c_str();
}

#ifndef OLD_DRIVER
FAKE int cuCtxSetLimit(int limit, std::size_t value)
{
    g_calls += "limit " + std::to_string(limit) + " " + std::to_string(value) + "\n";
    return static_cast<int>(fakeSetting("RIDGE_FAKE_CUDA", "limit", 0));
}

FAKE int cuCtxResetPersistingL2Cache()
{
    g_calls += "reset\n";
    return static_cast<int>(fakeSetting("RIDGE_FAKE_CUDA", "limit", 0));
}

FAKE int cuMemsetD8Async(std::uint64_t to, unsigned char value, std::size_t bytes, void* at)
{
    g_calls += "fill " + std::to_string(bytes) + "\n";
    std::memset(reinterpret_cast<void*>(to), value, bytes);
    add(streamOf(at), {Item::Kind::Work, 0, static_cast<double>(bytes) / 1e12, 2, nullptr, 0, nullptr, 0});
    return 0;
}
#endif

/// late_us: what is at work on a stream that nobody knows.
FAKE int cuCtxSynchronize()
{
    g_calls += "rest\n";
    for (Stream& stream : streams())
        drain(stream);
    spin(fakeSetting("RIDGE_FAKE_CUDA", "late_us", 0) * 1e-6);
    return 0;
}
