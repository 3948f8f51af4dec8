// SPDX-License-Identifier: GPL-3.0-or-later
// Part of the stand-in for libcuda, included where FAKE is known: what device 0 is called.
#pragma once

#include <cstring>

FAKE int cuDeviceGetName(char* name, int length, int)
{
    std::strncpy(name, "NVIDIA H200", static_cast<std::size_t>(length));
    return 0;
}

FAKE int cuDeviceGetUuid_v2(unsigned char* uuid, int device)
{
    for (int i = 0; i < 16; ++i)
        uuid[i] = static_cast<unsigned char>(i + device);
    return 0;
}

FAKE int cuDeviceGetPCIBusId(char* id, int length, int)
{
    std::strncpy(id, "0000:01:00.0", static_cast<std::size_t>(length));
    return 0;
}
