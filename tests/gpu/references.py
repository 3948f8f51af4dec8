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


# ---- ladders of memory-bound kernels ----------------------------------------------------------------------------------
# Floats are given small whole numbers: their sums are exact in any order.

def words(content, letter="I"):
    return list(struct.unpack(f"<{len(content) // struct.calcsize(letter)}{letter}", content))


def packed(values, letter="I"):
    return struct.pack(f"<{len(values)}{letter}", *([value & 0xFFFFFFFF for value in values] if letter == "I" else values))


def over(numbers, before):
    """The numbers, and behind them what the buffer held."""
    return numbers + before[len(numbers):]


def reduced(letter, span):
    """A sum for each `span` elements; for each block of a grid-stride loop where it is 0, all in one where it is None."""
    def reference(point, before):
        n, blocks = scalars(point)[0], point["grid"][0]
        values = words(before[0], letter)[:n]
        if span is None:
            sums = [sum(values)]
        elif span:
            sums = [sum(values[first:first + span]) for first in range(0, n, span)]
        else:
            whole = n // 4
            owner = [i // 4 % (256 * blocks) // 256 for i in range(4 * whole)] + [i // 256 for i in range(n - 4 * whole)]
            sums = [0] * blocks
            for at, value in zip(owner, values):
                sums[at] += value
        return {1: over(packed(sums, letter), before[1])}
    return reference


def transposed(size, copies):
    def reference(point, before):
        width, height = scalars(point)
        elements = [before[0][i:i + size] for i in range(0, len(before[0]), size)]
        return {1: before[0] if copies else b"".join(elements[y * width + x] for x in range(width) for y in range(height))}
    return reference


def prefix_sums(values, exclusive):
    out, total = [], 0
    for value in values:
        out.append(total if exclusive else total + value)
        total += value
    return out, total


def scanned_blocks(tile):
    def reference(point, before):
        n, exclusive = scalars(point)
        values, out, totals = words(before[0]), [], []
        for first in range(0, n, tile):
            sums, total = prefix_sums(values[first:first + tile], exclusive)
            out += sums
            totals.append(total)
        return {1: packed(out), 2: over(packed(totals), before[2])}
    return reference


def scan_add_offsets(point, before):
    n, tile = scalars(point)
    offsets = words(before[1])
    return {0: packed([value + offsets[i // tile] for i, value in enumerate(words(before[0])[:n])])}


def scan_tiles(point, before):
    n, exclusive, _ = scalars(point)
    values, offsets, out = words(before[0])[:n], words(before[2]), []
    for tile, first in enumerate(range(0, n, 4096)):
        out += [offsets[tile] + value for value in prefix_sums(values[first:first + 4096], exclusive)[0]]
    return {1: packed(out)}


def scan_clear_states(point, before):
    return {0: over(bytes(8 * scalars(point)[0]), before[0]), 1: over(bytes(4), before[1])}


def scan_look_back(point, before):
    n, exclusive = scalars(point)
    return {1: packed(prefix_sums(words(before[0])[:n], exclusive)[0])}


def histogram_clear(point, before):
    return {0: over(bytes(4 * scalars(point)[0]), before[0])}


def counted(point, before):
    bins = words(before[1])
    for key in words(before[0])[:scalars(point)[0]]:
        if key < len(bins):
            bins[key] += 1
    return {1: packed(bins)}


SPANS = {"atomic": None, "tree_divergent": 256, "sequential": 256, "first_add": 512, "shuffle": 512, "vector_loads": 0,
         "unrolled": 0, "redux": 0, "last_block": None}
REFERENCES["clear_sum"] = lambda point, before: {0: over(bytes(4), before[0])}
REFERENCES.update({f"reduce_{rung}_{kind}": reduced(letter, span) for rung, span in SPANS.items()
                   for kind, letter in (("i32", "I"), ("f32", "f"))})
REFERENCES.update({f"transpose_{rung}_{size}": transposed(size, rung == "copy") for size in (1, 2, 4, 8) for rung in (
    "copy", "naive_read", "naive_write", "tile", "padded", "swizzle", "diagonal", "vector")})
REFERENCES.update({f"scan_{rung}": scanned_blocks(tile) for rung, tile in (
    ("hillis_steele", 256), ("work_efficient", 512), ("shuffle", 1024))})
REFERENCES["scan_reduce_tiles"] = reduced("I", 4096)
REFERENCES.update({each.__name__: each for each in (
    scan_add_offsets, scan_tiles, scan_clear_states, scan_look_back, histogram_clear)})
REFERENCES.update({f"histogram_{rung}": counted for rung in ("global_atomics", "shared", "per_warp")})
