# SPDX-License-Identifier: GPL-3.0-or-later
"""Clocks written into a kernel's PTX, so that its own time is known without that of its launch.

The kernel gets one more parameter. The warps of the first FIRST blocks (the ones that come first) note clock64 and globaltimer
when they come, those of the last LAST blocks when they leave, each in a place of its own: atomics by every warp made kernels
of many warps up to four times slower on an H200. Nothing stays in registers between.
"""

import re
import struct

FIRST, LAST = 132, 528  # blocks; an H200 has 132 SMs, and the last to end is among the last to come unless work is very uneven
WARPS = 32  # of a block, at most
SLOT = 32  # bytes of a note: clock, time, SM, nothing
SIZE = (FIRST + LAST) * WARPS * SLOT

REGISTERS = (".reg .pred %ridge_p; .reg .b32 %ridge_r<4>; .reg .b64 %ridge_d<4>;\n")
COME = "setp.ge.u32 %ridge_p, %ridge_r0, {first};\n@%ridge_p bra RIDGE_PAST_{n};\n"
LEAVE = ("mul.lo.u32 %ridge_r1, %ridge_r1, %ridge_r2;\nmov.u32 %ridge_r2, %nctaid.z;\nmul.lo.u32 %ridge_r1, %ridge_r1, %ridge_r2;\n"
         "sub.u32 %ridge_r0, %ridge_r1, %ridge_r0;\nsub.u32 %ridge_r0, %ridge_r0, 1;\n"
         "setp.ge.u32 %ridge_p, %ridge_r0, {last};\n@%ridge_p bra RIDGE_PAST_{n};\nadd.u32 %ridge_r0, %ridge_r0, {first};\n")
PLACE = ("mov.u64 %ridge_d2, %clock64;\nmov.u64 %ridge_d3, %globaltimer;\n"
         "mov.u32 %ridge_r0, %ctaid.z;\nmov.u32 %ridge_r2, %nctaid.y;\nmov.u32 %ridge_r1, %ctaid.y;\n"
         "mad.lo.u32 %ridge_r0, %ridge_r0, %ridge_r2, %ridge_r1;\nmov.u32 %ridge_r1, %nctaid.x;\nmov.u32 %ridge_r3, %ctaid.x;\n"
         "mad.lo.u32 %ridge_r0, %ridge_r0, %ridge_r1, %ridge_r3;\n{which}"
         "activemask.b32 %ridge_r1;\nneg.s32 %ridge_r2, %ridge_r1;\nand.b32 %ridge_r1, %ridge_r1, %ridge_r2;\n"
         "mov.u32 %ridge_r2, %lanemask_eq;\nsetp.ne.u32 %ridge_p, %ridge_r1, %ridge_r2;\n@%ridge_p bra RIDGE_PAST_{n};\n"
         "mov.u32 %ridge_r1, %tid.z;\nmov.u32 %ridge_r2, %ntid.y;\nmov.u32 %ridge_r3, %tid.y;\n"
         "mad.lo.u32 %ridge_r1, %ridge_r1, %ridge_r2, %ridge_r3;\nmov.u32 %ridge_r2, %ntid.x;\nmov.u32 %ridge_r3, %tid.x;\n"
         "mad.lo.u32 %ridge_r1, %ridge_r1, %ridge_r2, %ridge_r3;\nshr.u32 %ridge_r1, %ridge_r1, 5;\n"
         "mad.lo.u32 %ridge_r0, %ridge_r0, {warps}, %ridge_r1;\nld.param.u64 %ridge_d0, [ridge_slots];\n"
         "mad.wide.u32 %ridge_d0, %ridge_r0, {slot}, %ridge_d0;\nmov.u32 %ridge_r1, %smid;\n"
         "st.global.v2.u64 [%ridge_d0], {{%ridge_d2, %ridge_d3}};\nst.global.u32 [%ridge_d0+16], %ridge_r1;\nRIDGE_PAST_{n}:\n")


def place(number, which):
    """PTX that notes the clocks where a warp comes or leaves."""
    return PLACE.format(n=number, warps=WARPS, slot=SLOT, which=which.format(n=number, first=FIRST, last=LAST))


def body_of(ptx, kernel):
    """(start of the parameter list's end, start of the body behind its brace, end of the body) in `ptx`."""
    head = re.search(r"\.entry\s+" + re.escape(kernel) + r"\s*\(", ptx)
    if head is None:
        raise ValueError(f"the PTX has no entry {kernel}")
    close = ptx.index(")", head.end())
    opening = ptx.index("{", close)
    depth, at = 1, opening + 1
    while depth:
        depth += {"{": 1, "}": -1}.get(ptx[at], 0)
        at += 1
    return close, opening + 1, at - 1


def instrumented(ptx, kernel):
    close, begin, end = body_of(ptx, kernel)
    body = ptx[begin:end]
    number = 0

    def leave(match):
        nonlocal number
        number += 1
        code = place(number, LEAVE)
        guard = match.group(1)
        if not guard:
            return f"{code}ret;"
        turned = guard.replace("@!", "@") if guard.startswith("@!") else guard.replace("@", "@!")
        return f"{turned.strip()} bra RIDGE_STAY_{number};\n{code}ret;\nRIDGE_STAY_{number}:"

    body = re.sub(r"(@!?%\w+\s+)?\bret\s*;", leave, body)
    # Declarations come first in a body; code may follow them at once.
    lines = body.split("\n")
    first = 0
    for at, line in enumerate(lines):
        if re.match(r"\s*\.(reg|shared|local|maxntid|loc|file)\b", line):
            first = at + 1
        elif line.strip() and not line.strip().startswith("//"):
            break  # inline assembly has declarations of its own, in a scope of its own
    lines.insert(first, REGISTERS + place(0, COME))
    parameters = ptx[:close].rstrip()
    comma = "" if parameters.endswith("(") else ","
    return f"{parameters}{comma}\n.param .u64 ridge_slots\n{ptx[close:begin]}{chr(10).join(lines)}{ptx[end:]}"


def read_slots(content):
    """{cycles: longest of one SM by its own clock, nanoseconds: from the first warp to the last, sms: those that took part}."""
    border = FIRST * WARPS * SLOT
    comes, leaves = {}, {}
    begin = end = 0
    for clock, when, sm in struct.iter_unpack("<QQQ8x", content[:border]):
        if when:
            comes[sm] = min(comes.get(sm, clock), clock)
            begin = min(begin or when, when)
    for clock, when, sm in struct.iter_unpack("<QQQ8x", content[border:]):
        if when:
            leaves[sm] = max(leaves.get(sm, 0), clock)
            end = max(end, when)
    both = [leaves[sm] - comes[sm] for sm in comes if leaves.get(sm, 0) >= comes[sm]]
    if not both or end < begin:
        raise ValueError("no SM wrote its clocks")
    return {"cycles": max(both), "sms": len(both), "nanoseconds": end - begin}
