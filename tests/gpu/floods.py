# SPDX-License-Identifier: GPL-3.0-or-later
"""Floods of one kind of memory access from the whole chip: what the levels of memory bear, in requests of a warp a cycle.

Each warp makes UNROLL accesses a turn; its place moves on by all warps' width, around a ring of `ring` bytes. Cycles are taken
inside the kernel at two numbers of turns (stopwatch.py); the difference has neither launch nor first misses in it. Each case
runs on the whole chip and, with 32 warps, on one SM. Blocks that do nothing tell how fast blocks are handed out.
"""

UNROLL = 4
TURNS = (16, 48)
SHAPES = {"chip": (528, 256), "one SM": (1, 1024)}  # blocks, threads; four blocks on each of an H200's SMs
# Of some cases also parts of the chip: what SMs share on the way to the L2 shows there.
PARTLY = {f"{sms} SMs": (sms, 1024) for sms in (2, 4, 8, 16, 33, 66, 132)}
HEAD = ".version 8.4\n.target sm_90\n.address_size 64\n"
KIB, MIB = 1 << 10, 1 << 20
# (name, instruction with {a} the address and {v} a register of its own, bytes between lanes, ring)
CASES = [
    ("load 4 L1", "ld.global.ca.u32 {v}, [{a}];", 4, 16 * KIB), ("load 32 apart L1", "ld.global.ca.u32 {v}, [{a}];", 32, 16 * KIB),
    ("load 128 apart L1", "ld.global.ca.u32 {v}, [{a}];", 128, 16 * KIB), ("load same L1", "ld.global.ca.u32 {v}, [{a}];", 0, 16 * KIB),
    ("load 4 L2", "ld.global.cg.u32 {v}, [{a}];", 4, 8 * MIB), ("load 16 L2", "ld.global.cg.v4.u32 {{{v}, %r20, %r21, %r22}}, [{a}];", 16, 8 * MIB),
    ("load 32 apart L2", "ld.global.cg.u32 {v}, [{a}];", 32, 8 * MIB), ("load 128 apart L2", "ld.global.cg.u32 {v}, [{a}];", 128, 8 * MIB),
    ("load 4 L2 32M", "ld.global.cg.u32 {v}, [{a}];", 4, 32 * MIB), ("load 16 DRAM", "ld.global.cg.v4.u32 {{{v}, %r20, %r21, %r22}}, [{a}];", 16, 1024 * MIB),
    ("load 32 apart DRAM", "ld.global.cg.u32 {v}, [{a}];", 32, 1024 * MIB), ("load 128 apart DRAM", "ld.global.cg.u32 {v}, [{a}];", 128, 1024 * MIB),
    ("store 4 L2", "st.global.u32 [{a}], {v};", 4, 8 * MIB), ("store 16 L2", "st.global.v4.u32 [{a}], {{{v}, {v}, {v}, {v}}};", 16, 8 * MIB),
    ("store 32 apart L2", "st.global.u32 [{a}], {v};", 32, 8 * MIB), ("store 128 apart L2", "st.global.u32 [{a}], {v};", 128, 8 * MIB),
    ("store 4096 apart L2", "st.global.u32 [{a}], {v};", 4096, 8 * MIB),
    ("store 16 DRAM", "st.global.v4.u32 [{a}], {{{v}, {v}, {v}, {v}}};", 16, 1024 * MIB), ("store 32 apart DRAM", "st.global.u32 [{a}], {v};", 32, 1024 * MIB),
    ("red 4 L2", "red.global.add.u32 [{a}], {v};", 4, 8 * MIB), ("red 32 apart L2", "red.global.add.u32 [{a}], {v};", 32, 8 * MIB),
    ("red 4 in 1 KiB", "red.global.add.u32 [{a}], {v};", 4, KIB), ("red 4 in 128", "red.global.add.u32 [{a}], {v};", 4, 128),
    ("red same in 1 KiB", "red.global.add.u32 [{a}], {v};", 0, KIB), ("red f32 4 L2", "red.global.add.f32 [{a}], %f1;", 4, 8 * MIB),
    ("red u64 8 L2", "red.global.add.u64 [{a}], %rd9;", 8, 8 * MIB), ("red f32 4 in 1 KiB", "red.global.add.f32 [{a}], %f1;", 4, KIB),
    ("atom 4 L2", "atom.global.add.u32 {v}, [{a}], {v};", 4, 8 * MIB), ("atom 32 apart L2", "atom.global.add.u32 {v}, [{a}], {v};", 32, 8 * MIB),
    ("load local", "ld.local.u32 {v}, [%r16];", -1, 4), ("store local", "st.local.u32 [%r16], {v};", -1, 4),
    ("load 4 store 4 L2", "ld.global.cg.u32 {v}, [{a}]; st.global.u32 [{a}+{beyond}], %r1;", 4, 8 * MIB),
    ("load 16 store 16 L2", "ld.global.cg.v4.u32 {{{v}, %r20, %r21, %r22}}, [{a}]; st.global.v4.u32 [{a}+{beyond}], {{%r1, %r1, %r1, %r1}};", 16, 8 * MIB),
    ("load 16 store 16 DRAM", "ld.global.cg.v4.u32 {{{v}, %r20, %r21, %r22}}, [{a}]; st.global.v4.u32 [{a}+{beyond}], {{%r1, %r1, %r1, %r1}};", 16, 512 * MIB),
    ("atom 4 in 1 KiB", "atom.global.add.u32 {v}, [{a}], {v};", 4, KIB), ("atom cas 4 L2", "atom.global.cas.b32 {v}, [{a}], {v}, %r1;", 4, 8 * MIB),
]


SHARED_WAY = ("load 4 L2", "load 16 L2", "load 32 apart L2", "store 16 L2", "load 16 DRAM", "load 16 store 16 L2")
NEXT_LOCAL = "and.b32 %r16, %r17, 252; add.u32 %r17, %r17, 4; add.u32 %r16, %r16, %r18;"
# Blocks that do nothing: threads of each, and two numbers of blocks.
IDLE = (32, 256, 1024)
IDLE_GRIDS = {16: 2112, 48: 8448}


def kernel(text, apart, ring):
    width = 32 * apart if apart > 0 else 128
    lines = []
    for at in range(UNROLL):
        v = f"%r{8 + at}"
        lines += [f"xor.b32 %r{12 + at}, %r{12 + at}, {v};", NEXT_LOCAL if apart < 0 else "add.u64 %rd5, %rd4, %rd0;", text.format(a="%rd5", v=v, beyond=ring),
                  f"add.u64 %rd4, %rd4, %rd3; and.b64 %rd4, %rd4, {ring - 1};"]
    body = "\n".join(lines)
    return HEAD + f""".visible .entry k(.param .u64 data, .param .u32 turns)
{{
.local .align 4 .b32 stack[64];
.reg .pred %p; .reg .b32 %r<24>; .reg .b64 %rd<10>; .reg .f32 %f<2>;
ld.param.u64 %rd0, [data]; ld.param.u32 %r0, [turns];
cvta.to.global.u64 %rd0, %rd0;
mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %nctaid.x;
mad.lo.u32 %r5, %r2, %r3, %r1; shr.u32 %r5, %r5, 5; mul.lo.u32 %r6, %r3, %r4; shr.u32 %r6, %r6, 5; and.b32 %r7, %r1, 31;
mul.wide.u32 %rd4, %r5, {width}; mul.wide.u32 %rd3, %r6, {width}; mul.wide.u32 %rd5, %r7, {max(apart, 0)};
add.u64 %rd4, %rd4, %rd5; and.b64 %rd4, %rd4, {ring - 1};
mov.u32 %r8, %r1; mov.u32 %r9, %r1; mov.u32 %r10, %r1; mov.u32 %r11, %r1; mov.f32 %f1, 0f3F800000; mov.u64 %rd9, 1;
mov.u32 %r12, 0; mov.u32 %r13, 0; mov.u32 %r14, 0; mov.u32 %r15, 0; mov.u32 %r17, %r0; mov.u32 %r18, stack;
LOOP:
{body}
sub.u32 %r0, %r0, 1; setp.ne.u32 %p, %r0, 0; @%p bra LOOP;
xor.b32 %r8, %r8, %r9; xor.b32 %r10, %r10, %r11; xor.b32 %r8, %r8, %r10; xor.b32 %r12, %r12, %r13; xor.b32 %r14, %r14, %r15;
xor.b32 %r8, %r8, %r12; xor.b32 %r8, %r8, %r14; setp.ne.u32 %p, %r8, 0x7FFFFFFF; @%p bra DONE;
st.global.u32 [%rd0], %r8; ld.local.u32 %r9, [%r18]; st.global.u32 [%rd0], %r9;
DONE:
ret;
}}
"""


IDLE_PTX = HEAD + ".visible .entry k(.param .u64 data, .param .u32 turns)\n{\nret;\n}\n"


def cases():
    """(name, accesses of all warps between both numbers of turns, PTX, bytes of the ring, {turns: point})."""
    for where, (grid, block) in (SHAPES | PARTLY).items():
        for name, text, apart, ring in CASES:
            if where in PARTLY and name not in SHARED_WAY:
                continue
            accesses = grid * block // 32 * UNROLL * (TURNS[1] - TURNS[0])
            held = ring * (2 if "{beyond}" in text else 1)
            yield f"{name}, {where}", accesses, kernel(text, apart, ring), held, {
                turns: {"kernel": "k", "grid": [grid, 1, 1], "block": [block, 1, 1], "smem": 0,
                        "args": [f"inout:u32:{held // 4}:zeros", f"u32:{turns}"]} for turns in TURNS}
    for threads in IDLE:
        yield f"blocks of {threads} that do nothing", IDLE_GRIDS[48] - IDLE_GRIDS[16], IDLE_PTX, 128, {
            turns: {"kernel": "k", "grid": [grid, 1, 1], "block": [threads, 1, 1], "smem": 0, "args": ["inout:u32:32:zeros", "u32:1"]}
            for turns, grid in IDLE_GRIDS.items()}


def a_cycle(accesses, cycles):
    """Accesses of a warp (or blocks) a cycle, from the cycles of the kernel at both numbers of turns."""
    return accesses / max(1, cycles[TURNS[1]] - cycles[TURNS[0]])
