# SPDX-License-Identifier: GPL-3.0-or-later
"""Every mma and wgmma: random and special fragments through one instruction, register by register."""

import random
import struct

HEAD = ".version 8.4\n.target sm_90a\n.address_size 64\n"

# (shape, types d a b c, registers of a lane for d, a, b, c, bits of an element of a and b)
MMA = [
    ("m16n8k8", "f16 f16 f16 f16", 2, 2, 1, 2), ("m16n8k8", "f32 f16 f16 f32", 4, 2, 1, 4),
    ("m16n8k16", "f16 f16 f16 f16", 2, 4, 2, 2), ("m16n8k16", "f32 f16 f16 f32", 4, 4, 2, 4),
    ("m16n8k8", "f32 bf16 bf16 f32", 4, 2, 1, 4), ("m16n8k16", "f32 bf16 bf16 f32", 4, 4, 2, 4),
    ("m16n8k4", "f32 tf32 tf32 f32", 4, 2, 1, 4), ("m16n8k8", "f32 tf32 tf32 f32", 4, 4, 2, 4),
    ("m16n8k32", "f32 e4m3 e4m3 f32", 4, 4, 2, 4), ("m16n8k32", "f32 e5m2 e5m2 f32", 4, 4, 2, 4),
    ("m16n8k32", "f32 e4m3 e5m2 f32", 4, 4, 2, 4), ("m8n8k16", "s32 s8 s8 s32", 2, 1, 1, 2),
    ("m16n8k16", "s32 s8 u8 s32", 4, 2, 1, 4), ("m16n8k32", "s32 u8 s8 s32", 4, 4, 2, 4),
    ("m16n8k32", "s32 s8 s8 s32", 4, 4, 2, 4), ("m8n8k32", "s32 s4 s4 s32", 2, 1, 1, 2),
    ("m16n8k64", "s32 u4 s4 s32", 4, 4, 2, 4), ("m16n8k256", "s32 b1 b1 s32", 4, 4, 2, 4),
    ("m8n8k4", "f64 f64 f64 f64", 4, 2, 2, 4), ("m16n8k8", "f64 f64 f64 f64", 8, 8, 4, 8),
]
# (k, types d a b): m64n8; one descriptor each for A (64 rows) and B (8 columns), both with k the long side.
WGMMA = [(16, "f32 f16 f16"), (16, "f16 f16 f16"), (16, "f32 bf16 bf16"), (8, "f32 tf32 tf32"), (32, "f32 e4m3 e4m3"),
         (32, "f32 e5m2 e5m2"), (32, "s32 s8 s8"), (32, "s32 u8 u8")]
BITS = {"f16": 16, "bf16": 16, "tf32": 32, "f32": 32, "f64": 64, "e4m3": 8, "e5m2": 8, "s8": 8, "u8": 8, "s4": 4, "u4": 4,
        "b1": 1, "s32": 32}
# Zero, the least and the largest denormal and normal, one, infinity, NaN; each also with the sign.
SPECIAL = {"f16": (0, 1, 0x3FF, 0x400, 0x3C00, 0x3C01, 0x7BFF, 0x7C00, 0x7E00),
           "bf16": (0, 1, 0x7F, 0x80, 0x3F80, 0x3F81, 0x7F7F, 0x7F80, 0x7FC0),
           "tf32": (0, 0x2000, 0x7FE000, 0x800000, 0x3F800000, 0x3F802000, 0x7F7FE000, 0x7F800000, 0x7FC00000),
           "f32": (0, 1, 0x7FFFFF, 0x800000, 0x3F800000, 0x4B800000, 0x7F7FFFFF, 0x7F800000, 0x7FC00000),
           "f64": (0, 1, (1 << 52) - 1, 1 << 52, 0x3FF << 52, 0x7FE << 52, 0x7FF << 52, 0x7FF8 << 48),
           "e4m3": (0, 1, 7, 8, 0x38, 0x7E, 0x7F), "e5m2": (0, 1, 3, 4, 0x3C, 0x7B, 0x7C, 0x7E)}
NARROW = {"f16": (10, 15), "bf16": (7, 127), "tf32": (23, 127), "f32": (23, 127), "f64": (52, 1023), "e4m3": (3, 7),
          "e5m2": (2, 15)}  # fraction bits, bias


def name_of(shape, types):
    return f"{shape} {types}"


def mma_kernel(shape, types, counts):
    d, a, b, c = types.split()
    nd, na, nb, nc = counts
    tail = ".and.popc" if a == "b1" else ""
    wide = d == "f64"
    words = {"a": na, "b": nb, "c": nc}
    text = [".visible .entry k(.param .u64 pa, .param .u64 pb, .param .u64 pc, .param .u64 pd)\n{",
            ".reg .b32 %a<8>; .reg .b32 %b<8>; .reg .b32 %c<8>; .reg .b32 %d<8>; .reg .b32 %r<8>; .reg .b64 %rd<12>;",
            ".reg .f64 %fa<8>; .reg .f64 %fb<8>; .reg .f64 %fc<8>; .reg .f64 %fd<8>;",
            "mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ntid.x; mov.u32 %r2, %tid.x; mad.lo.u32 %r0, %r0, %r1, %r2;"]
    for at, (name, count) in enumerate({**words, "d": nd}.items()):
        text.append(f"ld.param.u64 %rd{at}, [p{name}]; mul.wide.u32 %rd{at + 4}, %r0, {4 * count}; "
                    f"add.u64 %rd{at}, %rd{at}, %rd{at + 4};")
    for at, (name, count) in enumerate(words.items()):
        for i in range(count // 2 if wide else count):
            text.append(f"ld.global.f64 %f{name}{i}, [%rd{at}+{8 * i}];" if wide else
                        f"ld.global.b32 %{name}{i}, [%rd{at}+{4 * i}];")

    def group(name, count):
        return "{" + ", ".join((f"%f{name}{i}" if wide else f"%{name}{i}") for i in range(count // 2 if wide else count)) + "}"
    text.append(f"mma.sync.aligned.{shape}.row.col.{d}.{a}.{b}.{c}{tail} {group('d', nd)}, {group('a', na)}, "
                f"{group('b', nb)}, {group('c', nc)};")
    for i in range(nd // 2 if wide else nd):
        text.append(f"st.global.f64 [%rd3+{8 * i}], %fd{i};" if wide else f"st.global.b32 [%rd3+{4 * i}], %d{i};")
    return HEAD + "\n".join(text) + "\nret;\n}\n"


def wgmma_kernel(k, types):
    """A block of 128 threads: A 64 x k and B 8 x k, 2 KiB and 256 bytes, core matrices of 8 rows of 16 bytes, no swizzle."""
    d, a, b = types.split()
    count = 2 if d == "f16" else 4
    imm = "1, 1" if d != "s32" else ""
    turn = ", 0, 0" if BITS[a] == 16 else ""
    registers = "{" + ", ".join(f"%d{i}" for i in range(count)) + "}"
    text = [".visible .entry k(.param .u64 pa, .param .u64 pb, .param .u64 pc, .param .u64 pd)\n{",
            ".shared .align 128 .b8 pool[2304]; .reg .b32 %d<8>; .reg .b32 %r<16>; .reg .b64 %rd<16>; .reg .pred %p<4>;",
            "mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r2, pool;",
            "ld.param.u64 %rd0, [pa]; ld.param.u64 %rd1, [pb]; ld.param.u64 %rd2, [pc]; ld.param.u64 %rd3, [pd];",
            "mul.wide.u32 %rd4, %r1, 2048; add.u64 %rd0, %rd0, %rd4; mul.wide.u32 %rd4, %r1, 256; add.u64 %rd1, %rd1, %rd4;",
            "mul.wide.u32 %rd5, %r0, 16; add.u64 %rd0, %rd0, %rd5; add.u64 %rd1, %rd1, %rd5;",
            "shl.b32 %r3, %r0, 4; add.u32 %r3, %r3, %r2; setp.lt.u32 %p0, %r0, 16;",
            "ld.global.v4.b32 {%r4,%r5,%r6,%r7}, [%rd0]; st.shared.v4.b32 [%r3], {%r4,%r5,%r6,%r7};",
            "@%p0 ld.global.v4.b32 {%r4,%r5,%r6,%r7}, [%rd1]; @%p0 st.shared.v4.b32 [%r3+2048], {%r4,%r5,%r6,%r7};",
            "fence.proxy.async; bar.sync 0;",
            # Descriptors: address, LBO and SBO in units of 16 bytes at bits 0, 16 and 32. A: 1024 between halves of k, 128
            # between groups of eight rows; B: 128 between halves of k.
            "shr.u32 %r8, %r2, 4; cvt.u64.u32 %rd6, %r8; add.u64 %rd7, %rd6, 128;",
            f"or.b64 %rd6, %rd6, {(64 << 16) | (8 << 32)}; or.b64 %rd7, %rd7, {(8 << 16) | (8 << 32)};",
            f"mad.lo.u32 %r9, %r1, 128, %r0; mul.wide.u32 %rd8, %r9, {4 * count}; add.u64 %rd2, %rd2, %rd8; "
            "add.u64 %rd3, %rd3, %rd8;"]
    text += [f"ld.global.b32 %d{i}, [%rd2+{4 * i}];" for i in range(count)]
    text.append("wgmma.fence.sync.aligned;")
    text.append(f"wgmma.mma_async.sync.aligned.m64n8k{k}.{d}.{a}.{b} {registers}, %rd6, %rd7, 1"
                + (f", {imm}" if imm else "") + f"{turn};")
    text.append("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;")
    text += [f"st.global.b32 [%rd3+{4 * i}], %d{i};" for i in range(count)]
    return HEAD + "\n".join(text) + "\nret;\n}\n"


def element(source, kind, mode):
    """Bits of one element. Modes: any bits; special values; ordinary sizes, whose sums are rounded; sizes far apart."""
    width = BITS[kind]
    if kind not in SPECIAL or mode == 0:
        return source.getrandbits(width)
    sign = source.getrandbits(1) << (width - 1)
    if mode == 1:
        return source.choice(SPECIAL[kind]) | sign
    fraction, bias = NARROW[kind]
    most = (1 << (width - 1 - fraction)) - 2
    spread = 2 if mode == 2 else min(bias - 1, 14)
    exponent = max(0, min(most, bias + source.randint(-spread, spread)))
    return sign | exponent << fraction | source.getrandbits(fraction)


def packed(source, kind, total_bytes, mode):
    """A buffer of elements, little-endian, low bits first."""
    width = BITS[kind]
    if width < 8 or kind not in SPECIAL:
        return source.randbytes(total_bytes)
    code = {8: "B", 16: "H", 32: "I", 64: "Q"}[width]
    count = total_bytes * 8 // width
    return struct.pack(f"<{count}{code}", *(element(source, kind, mode) for _ in range(count)))


MODES = ("any bits", "special values", "ordinary sizes", "sizes far apart")


def cases(warps):
    """(name, PTX, point, type of the result, mode); `warps` warps (four to a block), or blocks of wgmma."""
    for shape, types, nd, na, nb, nc in MMA:
        d, a, b, c = types.split()
        for mode in range(len(MODES) if a in SPECIAL else 1):
            source = random.Random(f"{shape} {types} {mode}")
            buffers = [packed(source, kind, warps * 32 * 4 * count, mode) for kind, count in ((a, na), (b, nb), (c, nc))]
            point = {"kernel": "k", "grid": [warps // 4, 1, 1], "block": [128, 1, 1], "smem": 0,
                     "args": buffers + [bytes(warps * 32 * 4 * nd)]}
            yield f"mma {name_of(shape, types)}", mma_kernel(shape, types, (nd, na, nb, nc)), point, d, mode
    for k, types in WGMMA:
        d, a, b = types.split()
        for mode in range(len(MODES) if a in SPECIAL else 1):
            source = random.Random(f"wgmma {k} {types} {mode}")
            blocks = max(1, warps // 4)
            count = 2 if d == "f16" else 4
            buffers = [packed(source, a, blocks * 2048, mode), packed(source, b, blocks * 256, mode),
                       packed(source, d, blocks * 128 * 4 * count, mode)]
            point = {"kernel": "k", "grid": [blocks, 1, 1], "block": [128, 1, 1], "smem": 0,
                     "args": buffers + [bytes(blocks * 128 * 4 * count)]}
            yield f"wgmma m64n8k{k} {types}", wgmma_kernel(k, types), point, d, mode


def classify(kind, ours, theirs):
    """Elements of two results: {elements, equal, nan, infinity, one_ulp, few_ulp, far}."""
    width = BITS[kind]
    code = {16: "H", 32: "I", 64: "Q"}[width]
    counts = dict.fromkeys(("elements", "equal", "nan", "infinity", "one_ulp", "few_ulp", "far"), 0)
    counts["elements"] = len(ours) * 8 // width
    if ours == theirs:
        counts["equal"] = counts["elements"]
        return counts
    sign = 1 << (width - 1)
    fraction, _ = NARROW.get(kind, (0, 0))
    infinity = (sign - 1) >> fraction << fraction
    for a, b in zip(struct.unpack(f"<{counts['elements']}{code}", ours), struct.unpack(f"<{counts['elements']}{code}", theirs)):
        if a == b:
            counts["equal"] += 1
        elif kind not in NARROW:
            counts["far"] += 1
        elif (a & sign - 1) > infinity or (b & sign - 1) > infinity:
            counts["nan"] += 1
        elif (a & sign - 1) == infinity or (b & sign - 1) == infinity:
            counts["infinity"] += 1
        else:
            distance = abs((-(a & sign - 1) if a & sign else a) - (-(b & sign - 1) if b & sign else b))
            counts["one_ulp" if distance <= 1 else "few_ulp" if distance <= 16 else "far"] += 1
    return counts
