// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdlib>
#include <dlfcn.h>

/// What stand-ins of libraries above the driver ask the stand-in for libcuda, which the program has loaded.
namespace fake {

template<class Function>
inline Function ofDriver(const char* symbol)
{
    void* driver = dlopen(std::getenv("RIDGE_LIBCUDA"), RTLD_NOW | RTLD_NOLOAD);
    return reinterpret_cast<Function>(dlsym(driver, symbol));
}

/// Whether memory is the current device's.
inline bool owns(const void* memory, std::size_t bytes)
{
    return ofDriver<bool (*)(const void*, std::size_t)>("fakeOwns")(memory, bytes);
}

/// Whether memory is that device's.
inline bool ownedBy(int device, const void* memory, std::size_t bytes)
{
    return ofDriver<bool (*)(int, const void*, std::size_t)>("fakeOwnedBy")(device, memory, bytes);
}

/// Whether a stream was made on that device.
inline bool streamOn(int device, void* stream)
{
    return ofDriver<bool (*)(int, void*)>("fakeStreamOn")(device, stream);
}

inline void takeTime(void* stream, double microseconds)
{
    ofDriver<void (*)(void*, double)>("fakeWork")(stream, microseconds * 1e-6);
}

} // namespace fake
