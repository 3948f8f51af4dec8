# SPDX-License-Identifier: GPL-3.0-or-later
"""Clocks written into a kernel's PTX, so that its own time is known without that of its launch.

The kernel gets one more parameter: for each SM four 64-bit words, the least clock64 and globaltimer at which a warp came and
the largest at which one left. One lane of each warp writes; nothing stays in registers between.
"""

import re
import statistics
import struct

WORDS = 4  # of an SM: first clock, last clock, first time, last time
START = b"\xff" * 8 + b"\0" * 8 + b"\xff" * 8 + b"\0" * 8

REGISTERS = (".reg .pred %ridge_p; .reg .b32 %ridge_r<4>; .reg .b64 %ridge_d<4>;\n")
PLACE = ("activemask.b32 %ridge_r0;\nneg.s32 %ridge_r1, %ridge_r0;\nand.b32 %ridge_r1, %ridge_r1, %ridge_r0;\n"
         "mov.u32 %ridge_r2, %lanemask_eq;\nsetp.ne.u32 %ridge_p, %ridge_r1, %ridge_r2;\n@%ridge_p bra RIDGE_PAST_{n};\n"
         "ld.param.u64 %ridge_d0, [ridge_slots];\nmov.u32 %ridge_r3, %smid;\n"
         "mad.wide.u32 %ridge_d1, %ridge_r3, 32, %ridge_d0;\nmov.u64 %ridge_d2, %clock64;\n"
         "mov.u64 %ridge_d3, %globaltimer;\n"
         "red.global.{op}.u64 [%ridge_d1+{first}], %ridge_d2;\nred.global.{op}.u64 [%ridge_d1+{second}], %ridge_d3;\n"
         "RIDGE_PAST_{n}:\n")


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
        code = PLACE.format(n=number, op="max", first=8, second=24)
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
    lines.insert(first, REGISTERS + PLACE.format(n=0, op="min", first=0, second=16))
    parameters = ptx[:close].rstrip()
    comma = "" if parameters.endswith("(") else ","
    return f"{parameters}{comma}\n.param .u64 ridge_slots\n{ptx[close:begin]}{chr(10).join(lines)}{ptx[end:]}"


def read_slots(content):
    """Of the SMs that took part: {cycles: longest of one SM, nanoseconds: from the first warp to the last, hertz, sms}."""
    used = []
    for at in range(0, len(content), 8 * WORDS):
        first, last, begin, end = struct.unpack_from("<4Q", content, at)
        if last != 0 and first <= last:
            used.append((last - first, begin, end))
    if not used:
        raise ValueError("no SM wrote its clocks")
    rates = [cycles / (end - begin) * 1e9 for cycles, begin, end in used if end - begin >= 1000]
    return {"cycles": max(row[0] for row in used), "sms": len(used),
            "nanoseconds": max(row[2] for row in used) - min(row[1] for row in used),
            "hertz": statistics.median(rates) if rates else None}
