# SPDX-License-Identifier: GPL-3.0-or-later
"""What each shipped kernel must leave in its output buffer, computed here: kernel -> function of (point, buffers before).

It gives {argument: bytes}, or in place of bytes a function of the buffer afterwards that counts the wrong ones."""

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


def multiplied(point, before):
    """Whole numbers small enough for every sum to be exact, whatever the order."""
    m, n, k = scalars(point)
    a, b = words(before[0], "f"), words(before[1], "f")
    c = [sum(a[row * k + i] * b[i * n + column] for i in range(k)) for row in range(m) for column in range(n)]
    return {2: over(packed(c, "f"), before[2])}


TILES = ([(bm, bn, 8, bm // 16, bn // 16) for bm in (32, 64, 128, 256) for bn in (32, 64, 128, 256)]
         + [(64, 64, 8, 2, 2), (64, 64, 8, 8, 8), (128, 128, 8, 4, 4), (128, 128, 8, 8, 4), (128, 128, 8, 16, 8),
            (64, 64, 16, 4, 4), (64, 64, 32, 4, 4), (128, 128, 16, 8, 8), (128, 128, 32, 8, 8)])
REFERENCES.update({f"matmul_{rung}": multiplied for rung in (
    "naive", "coalesced", "shared_tile", "column_tile", "square_tile", "vector", "padded", "double_buffer",
    *("tiles_" + "_".join(map(str, tile)) for tile in TILES))})


# ---- normalisation ----------------------------------------------------------------------------------------------------
# Every operation is rounded to f32 as the kernel does it, in the kernel's order: one operation of f32 done in double
# precision and rounded once more gives the same bits.

def f32(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


def from_bf16(content):
    return [struct.unpack("<f", struct.pack("<I", bits << 16))[0] for bits in words(content, "H")]


def to_bf16(values):
    bits = [struct.unpack("<I", struct.pack("<f", value))[0] for value in values]
    return packed([(each + 0x7FFF + (each >> 16 & 1)) >> 16 & 0xFFFF for each in bits], "H")


def of_warp(parts, merge, nothing):
    """What lane 0 gets from the 32 lanes of a warp."""
    parts = parts + [nothing] * (32 - len(parts))
    for step in (16, 8, 4, 2, 1):
        parts = [merge(parts[i], parts[i + step]) for i in range(step)]
    return parts[0]


def of_block(parts, merge, nothing):
    warps = [of_warp(parts[first:first + 32], merge, nothing) for first in range(0, len(parts), 32)]
    return of_warp(warps, merge, nothing)


def sum_of(lists, whole):
    """`whole` (of_warp or of_block) of the sums of the threads' own numbers, each in its order."""
    sums = []
    for values in lists:
        total = 0.0
        for value in values:
            total = f32(total + value)
        sums.append(total)
    return whole(sums, lambda a, b: f32(a + b), 0.0)


def merged_moments(a, b):
    count = f32(a[0] + b[0])
    if count == 0:
        return a
    d, share = f32(b[1] - a[1]), f32(b[0] / count)
    return (count, f32(a[1] + f32(d * share)), f32(f32(a[2] + b[2]) + f32(f32(d * d) * f32(a[0] * share))))


def moments_of(values, layer):
    count = mean = squares = 0.0
    for value in values:
        count += 1.0
        if layer:
            d = f32(value - mean)
            mean = f32(mean + f32(d / count))
            squares = f32(squares + f32(d * f32(value - mean)))
        else:
            squares = f32(squares + f32(value * value))
    return count, mean, squares


def normalised(rung, layer):
    def reference(point, before):
        rows, columns = scalars({"args": [spec for spec in point["args"] if not spec.startswith("f32")]})
        epsilon = f32(float(point["args"][-1].split(":")[1]))
        threads = 32 if rung == "warp" else point["block"][0]
        whole = of_warp if rung == "warp" else of_block
        if rung in ("vector", "persistent", "cluster"):
            order = [[i for j in range(t, (columns + 7) // 8, threads) for i in range(8 * j, min(8 * j + 8, columns))]
                     for t in range(threads)]
        else:
            order = [range(t, columns, threads) for t in range(threads)]
        x, weight = from_bf16(before[0]), from_bf16(before[1])
        bias = from_bf16(before[2]) if layer else []
        out = []
        for first in range(0, rows * columns, columns):
            own = [[x[first + i] for i in of_thread] for of_thread in order]
            mean = 0.0
            if rung == "online":
                _, mean, squares = whole([moments_of(values, layer) for values in own], merged_moments, (0.0, 0.0, 0.0))
            else:
                if layer:
                    mean = f32(sum_of(own, whole) / columns)
                squares = sum_of([[f32(f32(value - mean) * f32(value - mean)) for value in values] for values in own], whole)
            scale = f32(1 / f32(f32(f32(squares / columns) + epsilon) ** 0.5))
            for i in range(columns):
                value = f32(f32(f32(x[first + i] - mean) * scale) * weight[i])
                out.append(f32(value + bias[i]) if layer else value)
        at = 3 if layer else 2
        return {at: over(to_bf16(out), before[at])}
    return reference


REFERENCES["norm_copy"] = lambda point, before: {1: over(before[0][:2 * scalars(point)[0]], before[1])}
REFERENCES.update({f"norm_{rung}_{kind}": normalised(rung, kind == "layer") for kind in ("rms", "layer") for rung in (
    "passes", "online", "warp", "registers", "vector", "persistent", "cluster")})


# ---- top-k --------------------------------------------------------------------------------------------------------------
# An expectation may be a function of what the buffer holds afterwards: lists that atomics fill have no order.

def pairs_of(keys):
    return [key << 32 | 0xFFFFFFFF - index for index, key in enumerate(keys)]


def best_of(pairs, k):
    return (sorted(pairs, reverse=True) + [0] * k)[:k]


def in_any_order(first, pairs, before):
    """How many bytes are wrong, if `pairs` stand in some order from place `first` on and nothing else has changed."""
    def wrong(after):
        got, was = words(after, "Q"), words(before, "Q")
        wanted = was[:first] + sorted(pairs) + was[first + len(pairs):]
        got[first:first + len(pairs)] = sorted(got[first:first + len(pairs)])
        return sum(8 for a, b in zip(got, wanted) if a != b)
    return wrong


def topk_clear(point, before):
    return {0: over(bytes(8 * scalars(point)[0]), before[0])}


def topk_largest(point, before):
    n, turn = scalars(point)
    out = words(before[1], "Q")
    below = [pair for pair in pairs_of(words(before[0])[:n]) if turn == 0 or pair < out[turn - 1]]
    out[turn] = max([out[turn], *below])
    return {1: packed(out, "Q")}


def topk_tiles(pairs, k, before):
    out = [pair for first in range(0, len(pairs), 2048) for pair in best_of(pairs[first:first + 2048], k)]
    return {1: over(packed(out, "Q"), before[1])}


def topk_sort_keys(point, before):
    n, k = scalars(point)
    return topk_tiles(pairs_of(words(before[0])[:n]), k, before)


def topk_sort_pairs(point, before):
    n, k = scalars(point)
    return topk_tiles(words(before[0], "Q")[:n], k, before)


def topk_begin(point, before):
    return {0: packed([0, scalars(point)[0]] + [0] * (len(before[0]) // 4 - 2)), 1: bytes(1024)}


def counted_digits(keys, prefix, shift, bins):
    for key in keys:
        if key >> shift + 8 == prefix >> shift + 8:
            bins[key >> shift & 255] += 1
    return packed(bins)


def topk_count(point, before):
    n, shift = scalars(point)
    return {2: counted_digits(words(before[0])[:n], words(before[1])[0], shift, words(before[2]))}


def topk_count_first(point, before):
    return {1: counted_digits(words(before[0])[:scalars(point)[0]], 0, 24, words(before[1]))}


def topk_count_aside(point, before):
    state = words(before[1])
    keys = [pair >> 32 for pair in words(before[0], "Q")[:state[3]]]
    return {2: counted_digits(keys, state[0], scalars(point)[0], words(before[2]))}


def topk_choose(point, before):
    state, bins, above = words(before[0]), words(before[1]), 0
    for digit in range(255, -1, -1):
        if above < state[1] <= above + bins[digit]:
            state[0] |= digit << scalars(point)[0]
            state[1] -= above
            break
        above += bins[digit]
    return {0: packed(state), 1: bytes(1024)}


def topk_collect(point, before):
    """Of a point in which no key is equal to the k-th."""
    state = words(before[1])
    found = [pair for pair in pairs_of(words(before[0])[:scalars(point)[0]]) if pair >> 32 > state[0]]
    first, state[2] = state[2], state[2] + len(found)
    return {1: packed(state), 2: in_any_order(first, found, before[2])}


def topk_filter(point, before):
    state, pairs = words(before[1]), pairs_of(words(before[0])[:scalars(point)[0]])
    digit = state[0] >> 24
    larger, alike = ([p for p in pairs if p >> 56 > digit], [p for p in pairs if p >> 56 == digit])
    expected = {2: in_any_order(state[2], larger, before[2]), 3: in_any_order(state[3], alike, before[3])}
    state[2] += len(larger)
    state[3] += len(alike)
    return {1: packed(state), **expected}


def topk_collect_aside(point, before):
    """Of a point in which no key is equal to the k-th."""
    state = words(before[1])
    found = [pair for pair in words(before[0], "Q")[:state[3]] if pair >> 32 > state[0]]
    first, state[2] = state[2], state[2] + len(found)
    return {1: packed(state), 2: in_any_order(first, found, before[2])}


def topk_order(point, before):
    k = scalars(point)[0]
    return {0: over(packed(best_of(words(before[0], "Q")[:k], k), "Q"), before[0])}


def topk_threshold(point, before):
    n, k = scalars(point)
    blocks, out = point["grid"][0], []
    pairs = pairs_of(words(before[0])[:n])
    for block in range(blocks):
        out += best_of([pair for i, pair in enumerate(pairs) if i // 1024 % blocks == block], k)
    return {1: over(packed(out, "Q"), before[1])}


REFERENCES.update({each.__name__: each for each in (
    topk_clear, topk_largest, topk_sort_keys, topk_sort_pairs, topk_begin, topk_count, topk_count_first, topk_count_aside,
    topk_choose, topk_collect, topk_filter, topk_collect_aside, topk_order, topk_threshold)})
