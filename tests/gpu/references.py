# SPDX-License-Identifier: GPL-3.0-or-later
"""What each shipped kernel must leave in its output buffer, computed here: kernel -> function of (point, buffers before)."""

import struct


def scalars(point):
    return [int(spec.split(":")[1]) for spec in point["args"] if spec.count(":") == 1]


def strided_read(words):
    def reference(point, before):
        elements, stride, offset, lane_xor = scalars(point)
        size = 4 * words
        source = before[0]
        out = bytearray(before[1])
        for i in range(min(elements, point["grid"][0] * point["block"][0])):
            at = ((i ^ lane_xor) * stride + offset) * size
            out[i * size:(i + 1) * size] = source[at:at + size]
        return {1: bytes(out)}
    return reference


def strided_shared(words):
    def reference(point, before):
        stride, iterations, zero, salt = scalars(point)
        sums = []
        for thread in range(point["grid"][0] * point["block"][0]):
            total = 0
            for i in range(iterations):
                first = (thread % 32 * stride + (i & zero)) * words  # word w of the tile holds w + salt
                total += sum((first + part + salt) * factor for part, factor in zip(range(words), (1, 3, 5, 7)))
            sums.append(total & 0xFFFFFFFF)
        return {0: struct.pack(f"<{len(sums)}I", *sums) + before[0][4 * len(sums):]}
    return reference


REFERENCES = {f"strided_read_{4 * words}": strided_read(words) for words in (1, 2, 4)}
REFERENCES.update({f"strided_shared_{4 * words}": strided_shared(words) for words in (1, 2, 4)})
