// SPDX-License-Identifier: GPL-3.0-or-later
#include "full_disk.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <dlfcn.h>
#include <mutex>
#include <unistd.h>

namespace {

std::atomic<bool> g_full{false};
std::mutex g_mutex;
std::string g_folder;
std::int64_t g_left = 0;
int g_refused = 0;

bool concerns(int handle)
{
    char link[64], path[4096];
    std::snprintf(link, sizeof link, "/proc/self/fd/%d", handle);
    const ssize_t length = ::readlink(link, path, sizeof path);
    return length > 0 && std::string_view(path, static_cast<std::size_t>(length)).starts_with(g_folder);
}

/// How many of `count` bytes the disk takes; 0: none, errno is set.
std::size_t granted(int handle, std::size_t count)
{
    if (!g_full)
        return count;
    const std::lock_guard lock(g_mutex);
    if (!concerns(handle))
        return count;
    const auto taken = std::min<std::int64_t>(g_left, static_cast<std::int64_t>(count));
    g_left -= taken;
    if (taken == 0 && count > 0) {
        ++g_refused;
        errno = ENOSPC;
    }
    return static_cast<std::size_t>(taken);
}

template<class Call>
Call real(const char* name)
{
    return reinterpret_cast<Call>(::dlsym(RTLD_NEXT, name));
}

} // namespace

extern "C" {

ssize_t write(int handle, const void* bytes, size_t count)
{
    static const auto next = real<ssize_t (*)(int, const void*, size_t)>("write");
    const std::size_t fits = granted(handle, count);
    return fits == 0 && count > 0 ? -1 : next(handle, bytes, fits);
}

ssize_t pwrite(int handle, const void* bytes, size_t count, off_t at)
{
    static const auto next = real<ssize_t (*)(int, const void*, size_t, off_t)>("pwrite");
    const std::size_t fits = granted(handle, count);
    return fits == 0 && count > 0 ? -1 : next(handle, bytes, fits, at);
}

ssize_t pwrite64(int handle, const void* bytes, size_t count, off64_t at)
{
    static const auto next = real<ssize_t (*)(int, const void*, size_t, off64_t)>("pwrite64");
    const std::size_t fits = granted(handle, count);
    return fits == 0 && count > 0 ? -1 : next(handle, bytes, fits, at);
}
}

namespace ridge::test {

void fillDisk(const std::string& folder, std::int64_t bytesLeft)
{
    const std::lock_guard lock(g_mutex);
    g_folder = folder;
    g_left = bytesLeft;
    g_refused = 0;
    g_full = true;
}

void freeDisk()
{
    g_full = false;
}

int refusedWrites()
{
    const std::lock_guard lock(g_mutex);
    return g_refused;
}

} // namespace ridge::test
