// SPDX-License-Identifier: GPL-3.0-or-later
// What a hand-written kernel leaves in its first buffer: two blocks of a warp each, and a table of sixteen numbers in
// the second.
#pragma once

#include "simt_lab.h"

namespace ridge::gpu::simt {

inline std::vector<std::uint32_t> resultOf(const std::string& body)
{
    Lab lab;
    if (!lab.load(handWritten(body)))
        return {};
    const DevicePtr out = lab.put(std::vector<std::uint32_t>(64));
    const DevicePtr table = lab.put(std::vector<std::uint32_t>{3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3});
    return lab.run("k", {2}, {32}, {out, table, out}) ? lab.get<std::uint32_t>(out, 64) : std::vector<std::uint32_t>{};
}

} // namespace ridge::gpu::simt
