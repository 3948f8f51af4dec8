// SPDX-License-Identifier: GPL-3.0-or-later
// What the tests of single forms share: registers with known values, and a launch of a few lines of PTX.
#pragma once

#include "simt_lab.h"

namespace ridge::gpu::simt {

inline constexpr const char* kInputs =
    ".reg .b128 %rq<4>;\nmov.b32 %r4, 0x12345678; mov.b32 %r5, 0x9abcdef0; mov.u32 %r6, 5; mov.f32 %f1, 0f3fc00000;"
    "mov.f32 %f2, 0fc0100000; mov.b32 %r7, 0xc0003e00; mov.b32 %r8, 0x42007e00; mov.b16 %rs2, 0;\n";

inline bool run(Lab& lab, const std::string& body, DevicePtr a, DevicePtr b, std::uint32_t threads = 32,
                std::uint32_t shared = 0)
{
    return lab.load(handWritten(kInputs + body)) && lab.run("k", {1}, {threads}, {a, b, b}, shared);
}

} // namespace ridge::gpu::simt
