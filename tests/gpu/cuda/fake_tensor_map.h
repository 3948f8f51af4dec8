// SPDX-License-Identifier: GPL-3.0-or-later
// Part of the stand-in for libcuda: included where FAKE is known.
#pragma once

#include <cstdint>
#include <cstring>

/// As the driver for two dimensions: 16-byte strides, boxes of at most 256, rows of a box of 16 bytes or a multiple;
/// of 128 bytes at most where the swizzle is that of 128 bytes (3).
/// The map says what it was made of, so that a test can read it.
FAKE int cuTensorMapEncodeTiled(unsigned char* map, int type, unsigned rank, void* address, const std::uint64_t* sizes,
                                const std::uint64_t* strides, const unsigned* box, const unsigned* steps,
                                int interleave, int swizzle, int, int outside)
{
    const unsigned bytes = type == 4 ? 8 : 1u << type;
    if (reinterpret_cast<std::uint64_t>(map) % 64 != 0 || rank != 2 || strides[0] % 16 != 0 ||
        box[0] * bytes % 16 != 0 || box[0] > 256 || box[1] > 256 || steps[0] != 1 || steps[1] != 1 ||
        interleave + outside != 0 || (swizzle != 0 && (swizzle != 3 || box[0] * bytes > 128)))
        return 1;
    const std::uint64_t content[] = {
        reinterpret_cast<std::uint64_t>(address), sizes[0], sizes[1], strides[0], box[0], box[1],
        static_cast<std::uint64_t>(swizzle)};
    std::memcpy(map, content, sizeof content);
    return 0;
}
