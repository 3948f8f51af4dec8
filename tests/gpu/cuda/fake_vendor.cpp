// SPDX-License-Identifier: GPL-3.0-or-later
// A stand-in for cuBLAS, cuBLASLt, cuDNN, NCCL and CUPTI in one. $RIDGE_FAKE_VENDOR: major, minor, patch, nccl, cupti
// (versions), fails (what every call returns).
#include "fake_settings.h"

#include <cstdint>

namespace {

int setting(const char* key, double fallback)
{
    return static_cast<int>(fakeSetting("RIDGE_FAKE_VENDOR", key, fallback));
}

int property(int type, int* value)
{
    *value = type == 0 ? setting("major", 13) : type == 1 ? setting("minor", 0) : setting("patch", 2);
    return setting("fails", 0);
}

} // namespace

#define FAKE extern "C" __attribute__((visibility("default")))

FAKE int cublasGetProperty(int type, int* value)
{
    return property(type, value);
}

FAKE int cublasLtGetProperty(int type, int* value)
{
    return property(type, value);
}

FAKE int cudnnGetProperty(int type, int* value)
{
    return property(type, value);
}

FAKE int ncclGetVersion(int* version)
{
    *version = setting("nccl", 22703);
    return setting("fails", 0);
}

FAKE int cuptiGetVersion(std::uint32_t* version)
{
    *version = static_cast<std::uint32_t>(setting("cupti", 28));
    return setting("fails", 0);
}
