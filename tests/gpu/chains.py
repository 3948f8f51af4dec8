# SPDX-License-Identifier: GPL-3.0-or-later
"""Chains of dependent instructions: one warp's give an instruction's latency, 32 warps' on one SM its rate.

Each kernel repeats one instruction COPIES times in a loop. Cycles are taken inside the kernel (stopwatch.py) at two numbers of
turns; the difference, over the instructions between, has neither launch nor prologue in it. The same PTX runs on the simulator.
"""

import struct

import stopwatch

COPIES = 32
TURNS = (16, 48)
WARPS = (1, 8, 32)
HEAD = ".version 8.4\n.target sm_90\n.address_size 64\n"

INTEGER = [
    ("add.s32", "add.s32 {a}, {a}, {b};"), ("mul.lo.s32", "mul.lo.s32 {a}, {a}, {b};"),
    ("mad.lo.s32", "mad.lo.s32 {a}, {a}, {b}, {c};"), ("mul.hi.u32", "mul.hi.u32 {a}, {a}, {b};"),
    ("lop3", "lop3.b32 {a}, {a}, {b}, {c}, 0xE8;"), ("shf.l", "shf.l.wrap.b32 {a}, {a}, {b}, {c};"),
    ("min.s32", "min.s32 {a}, {a}, {b}; add.s32 {b}, {b}, {a};"), ("shl", "shl.b32 {a}, {a}, {b};"),
    ("mad.hi.u32", "mad.hi.u32 {a}, {a}, {b}, {c};"), ("cvt u8", "cvt.u32.u8 {a}, {a}; add.u32 {a}, {a}, {b};"), ("shfl.up", "shfl.sync.up.b32 {a}, {a}, 1, 0, -1;"),
    ("prmt", "prmt.b32 {a}, {a}, {b}, {c};"), ("popc", "popc.b32 {a}, {a};"), ("clz", "clz.b32 {a}, {a};"),
    ("bfind", "bfind.u32 {a}, {a};"), ("dp4a", "dp4a.s32.s32 {a}, {a}, {b}, {c};"),
    ("setp selp", "setp.lt.s32 %p1, {a}, {b}; selp.s32 {a}, {b}, {c}, %p1;"), ("div.u32", "div.u32 {a}, {c}, {a};"),
    ("div.s32", "div.s32 {a}, {c}, {a};"), ("shfl", "shfl.sync.idx.b32 {a}, {b}, {a}, 31, -1;"),
    ("vote.ballot", "setp.ne.s32 %p1, {a}, 0; vote.sync.ballot.b32 {a}, %p1, -1;"),
    ("match.any", "match.any.sync.b32 {a}, {a}, -1;"), ("redux", "redux.sync.add.s32 {a}, {a}, -1;"),
    ("bar.warp", "bar.warp.sync -1; add.s32 {a}, {a}, {b};"), ("bar.sync", "bar.sync 0;"),
    ("ld.shared chase", "ld.shared.u32 %r8, [%r8];"), ("atom.shared.add", "atom.shared.add.u32 {a}, [%r7], {a};"),
    ("atom.shared.cas", "atom.shared.cas.b32 {a}, [%r7], {a}, {b};"),
    ("ldmatrix.x4", "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {{%r8, %r9, %r10, %r11}}, [%r8];"),
    ("membar.cta", "membar.cta; add.s32 {a}, {a}, {b};"), ("membar.gl", "membar.gl; add.s32 {a}, {a}, {b};"),
    ("atom.global.add", "atom.global.add.u32 {a}, [%rd6], {a};"), ("shared st ld", "st.shared.u32 [%r7], {a}; bar.warp.sync -1; ld.volatile.shared.u32 {a}, [%r7];"),
    ("cvt f32 s32", "cvt.rn.f32.s32 %f8, {a}; add.f32 %f8, %f8, %f3; mov.b32 {a}, %f8;"), ("cvt s32 f32", "cvt.rn.f32.s32 %f8, {a}; cvt.rni.s32.f32 {a}, %f8;"),
]
WIDE = [
    ("add.s64", "add.s64 {a}, {a}, {b};"), ("mul.lo.s64", "mul.lo.s64 {a}, {a}, {b};"),
    ("mad.wide.u32", "cvt.u32.u64 %r8, {a}; mad.wide.u32 {a}, %r8, %r9, {b};"), ("shl.b64", "shl.b64 {a}, {a}, %r9;"),
    ("ld.global chase", "ld.global.u64 %rd7, [%rd7];"), ("ld.global.cg chase", "ld.global.cg.u64 %rd7, [%rd7];"),
    ("ld.global.nc chase", "ld.global.nc.u64 %rd7, [%rd7];"),
]
SINGLE = [(name, name + " {a}, {a}, {b};") for name in ("add.f32", "mul.f32", "min.f32", "div.full.f32")] + [("div.rn.f32", "div.rn.f32 {a}, {c}, {a};")] + \
    [("fma.rn.f32", "fma.rn.f32 {a}, {a}, {b}, {c};")] + \
    [("rcp.approx.ftz.f32", "rcp.approx.ftz.f32 {a}, {a}; add.f32 {a}, {a}, {b};")] + \
    [(name, name + " {a}, {a};") for name in (
        "rcp.rn.f32", "sqrt.rn.f32", "rsqrt.approx.ftz.f32", "sqrt.approx.ftz.f32", "ex2.approx.ftz.f32",
        "ex2.approx.f32", "lg2.approx.ftz.f32", "sin.approx.ftz.f32", "tanh.approx.f32")] + \
    [("cvt f16 f32", "cvt.rn.f16.f32 %h1, {a}; cvt.f32.f16 {a}, %h1;"), ("cvt f64 f32", "cvt.f64.f32 %d8, {a}; cvt.rn.f32.f64 {a}, %d8;")]
DOUBLE = [("add.f64", "add.f64 {a}, {a}, {b};"), ("fma.rn.f64", "fma.rn.f64 {a}, {a}, {b}, {c};"), ("div.rn.f64", "div.rn.f64 {a}, {c}, {a};")]
HALF = [("fma.rn.f16x2", "fma.rn.f16x2 {a}, {a}, {b}, {c};"), ("add.f16x2", "add.f16x2 {a}, {a}, {b};"),
        ("fma.rn.bf16x2", "fma.rn.bf16x2 {a}, {a}, {b}, {c};"), ("tanh.approx.f16x2", "tanh.approx.f16x2 {a}, {a};"),
        ("ex2.approx.f16x2", "ex2.approx.f16x2 {a}, {a};")]
D4, A4 = "{{%r8, %r9, %r10, %r11}}", "{{%r3, %r4, %r5, %r3}}"
F4 = "{{%f8, %f9, %f10, %f11}}"
TENSOR = [("mma f32 f16 16816", f"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {F4}, {A4}, {{{{%r3, %r4}}}}, {F4};"),
          ("mma f32 bf16 16816", f"mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {F4}, {A4}, {{{{%r3, %r4}}}}, {F4};"),
          ("mma f16 16816", f"mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {{{{%r8, %r9}}}}, {A4}, {{{{%r3, %r4}}}}, {{{{%r8, %r9}}}};"),
          ("mma tf32 1688", f"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {F4}, {A4}, {{{{%r3, %r4}}}}, {F4};"),
          ("mma s8 16832", f"mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {D4}, {A4}, {{{{%r3, %r4}}}}, {D4};"),
          ("mma f32 e4m3 16832", f"mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {F4}, {A4}, {{{{%r3, %r4}}}}, {F4};"),
          ("mma f64 884", "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {{%d8, %d9}}, {{%d3}}, {{%d4}}, {{%d8, %d9}};")]
KINDS = [(INTEGER, "%r"), (WIDE, "%rd"), (SINGLE, "%f"), (DOUBLE, "%d"), (HALF, "%r"), (TENSOR, "%r")]
# 32 warps on one address take long and say nothing else than 8 do.
ONE_ADDRESS = ("atom.", "membar.gl")


def kernel(text, register):
    """Operands differ from lane to lane where ptxas would drop what it knows to change nothing. Registers 3 to 5 hold the operands; 7 addresses of shared and 6 and 7 of global memory that point to themselves."""
    lines = []
    for copy in range(COPIES):
        a, b = (f"{register}3", f"{register}4") if copy % 2 == 0 else (f"{register}4", f"{register}3")
        if "{b}" not in text:
            a = b = f"{register}3"
        lines.append(text.format(a=a, b=b, c=f"{register}5"))
    body = "\n".join(lines)
    return HEAD + f""".visible .entry k(.param .u64 data, .param .u32 turns)
{{
.reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<16>; .reg .b64 %rd<16>; .reg .f32 %f<16>; .reg .f64 %d<16>;
.shared .align 128 .b32 pool[1024];
ld.param.u64 %rd6, [data];
ld.param.u32 %r1, [turns];
cvta.to.global.u64 %rd6, %rd6;
mov.u32 %r0, %tid.x;
shl.b32 %r2, %r0, 2;
mov.u32 %r7, pool;
and.b32 %r8, %r2, 127;
add.u32 %r8, %r8, %r7;
st.shared.u32 [%r8], %r7;
mov.u32 %r8, %r7;
mul.wide.u32 %rd7, %r0, 8;
add.u64 %rd7, %rd7, %rd6;
add.u64 %rd7, %rd7, 1024;
st.global.u64 [%rd7], %rd7;
bar.sync 0;
ld.global.u32 %r3, [%rd6+0]; ld.global.u32 %r4, [%rd6+4]; ld.global.u32 %r5, [%rd6+8]; ld.global.u32 %r9, [%rd6+12];
mov.u32 %r10, %r3; mov.u32 %r11, %r4;
xor.b32 %r3, %r3, %r0;
ld.global.u64 %rd3, [%rd6+16]; ld.global.u64 %rd4, [%rd6+24]; ld.global.u64 %rd5, [%rd6+32];
ld.global.f32 %f3, [%rd6+40]; ld.global.f32 %f4, [%rd6+44]; ld.global.f32 %f5, [%rd6+48];
ld.global.f64 %d3, [%rd6+56]; ld.global.f64 %d4, [%rd6+64]; ld.global.f64 %d5, [%rd6+72];
mov.f32 %f8, %f3; mov.f32 %f9, %f4; mov.f32 %f10, %f3; mov.f32 %f11, %f5; mov.f64 %d8, %d3; mov.f64 %d9, %d4;
LOOP:
{body}
sub.u32 %r1, %r1, 1;
setp.ne.u32 %p0, %r1, 0;
@%p0 bra LOOP;
xor.b32 %r3, %r3, %r4; xor.b32 %r8, %r8, %r9; xor.b32 %r3, %r3, %r8; xor.b32 %r10, %r10, %r11; xor.b32 %r3, %r3, %r10;
xor.b64 %rd3, %rd3, %rd4; xor.b64 %rd3, %rd3, %rd7;
add.f32 %f3, %f3, %f4; add.f32 %f8, %f8, %f9; add.f32 %f3, %f3, %f8; add.f32 %f10, %f10, %f11; add.f32 %f3, %f3, %f10;
add.f64 %d3, %d3, %d4; add.f64 %d8, %d8, %d9; add.f64 %d3, %d3, %d8;
st.global.u32 [%rd6+512], %r3; st.global.u64 [%rd6+520], %rd3; st.global.f32 [%rd6+528], %f3; st.global.f64 [%rd6+536], %d3;
ret;
}}
"""


def data():
    words = struct.pack("<4I3Q4f3d", 0x3C003C01, 0x3C013C03, 0x3C053C00, 12345, 7 << 33, 5, 3, 1.25, 0.75, 0.5, 0.0, 1.25, 0.75, 0.5)
    return words + bytes(16384 - len(words))


def cases():
    """(name, warps, PTX, {turns: point})."""
    for rows, register in KINDS:
        for name, text in rows:
            ptx = kernel(text, register)
            for warps in WARPS:
                if warps == 32 and name.startswith(ONE_ADDRESS):
                    continue
                yield name, warps, ptx, {turns: {"kernel": "k", "grid": [1, 1, 1], "block": [32 * warps, 1, 1], "smem": 0,
                                                 "args": [data(), f"u32:{turns}"]} for turns in TURNS}


def per_instruction(cycles):
    """Cycles of one copy, from the cycles of the whole kernel at both numbers of turns."""
    return (cycles[TURNS[1]] - cycles[TURNS[0]]) / (COPIES * (TURNS[1] - TURNS[0]))


def instrumented(ptx):
    return stopwatch.instrumented(ptx, "k")
