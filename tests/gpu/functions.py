# SPDX-License-Identifier: GPL-3.0-or-later
"""The approximate functions over all their inputs. GPU and simulator run the same kernel, which makes one sum of the results of
each sign and exponent, so that what a GPU answers to all 2^32 inputs is 4 KiB a function and can be kept. Where a sum differs
and the GPU is there, the results themselves are fetched and judged by `oracle --against`. Of the 16-bit forms all 2^16 are kept."""

import concurrent.futures
import json
import os
import pathlib
import struct
import subprocess
import tempfile

SINGLES = ("rcp", "sqrt", "rsqrt", "ex2", "lg2", "sin", "cos", "tanh")
# tanh has no .ftz; of the 16-bit forms these exist (PTX ISA, "Half Precision Floating Point Instructions").
FORMS = [f"{name}.approx{ftz}.f32" for name in SINGLES for ftz in ("", ".ftz") if (name, ftz) != ("tanh", ".ftz")]
# Of doubles the unit sees the upper word alone and gives the upper word.
DOUBLES = ("rcp.approx.ftz.f64", "rsqrt.approx.ftz.f64")
# By a divisor within seven octaves of the dividend, all its other bits drawn from the dividend's.
QUOTIENTS = ("div.approx.f32", "div.approx.ftz.f32", "div.full.f32", "div.full.ftz.f32")
SUMMED = FORMS + [*DOUBLES, *QUOTIENTS]
HALVES = ("ex2.approx.f16", "ex2.approx.ftz.bf16", "tanh.approx.f16", "tanh.approx.bf16")
BLOCK = 256
OCTAVE = 1 << 23  # inputs of one sign and exponent
OCTAVES = 512
AT_ONCE = 32  # octaves of a launch
FIRSTS = range(0, OCTAVES, AT_ONCE)
PARTS = 64  # blocks that share an octave

HEAD = ".version 7.8\n.target sm_90\n.address_size 64\n"
# The sum takes in where a result stands: two that are exchanged change it.
SUMS = """.visible .entry k(.param .u64 out, .param .u32 first)
{{
.reg .pred %p; .reg .b32 %r<8>; .reg .b64 %rd<4>; .reg .f32 %f<2>; .reg .f64 %d<2>;
ld.param.u64 %rd0, [out]; ld.param.u32 %r0, [first];
mov.u32 %r1, %ctaid.x; mov.u32 %r2, %tid.x; mad.lo.u32 %r1, %r1, {block}, %r2;
mov.u32 %r2, %ctaid.y; mul.wide.u32 %rd1, %r2, 8; add.u64 %rd0, %rd0, %rd1;
add.u32 %r0, %r0, %r2; shl.b32 %r0, %r0, 23; or.b32 %r0, %r0, %r1; mov.u32 %r3, 0; mov.u32 %r7, 0; mov.u64 %rd2, 0;
LOOP:
{body}
mad.lo.u32 %r5, %r4, 0x9E3779B1, %r0; shf.l.wrap.b32 %r6, %r5, %r5, 15; xor.b32 %r6, %r6, %r4;
mad.wide.u32 %rd2, %r6, 0x85EBCA77, %rd2;
add.u32 %r0, %r0, {step}; add.u32 %r3, %r3, {step}; setp.lt.u32 %p, %r3, {octave}; @%p bra LOOP;
red.global.add.u64 [%rd0], %rd2;
ret;
}}
"""
SINGLE = "mov.b32 %f0, %r0; {form} %f1, %f0; mov.b32 %r4, %f1;"
DOUBLE = "mov.b64 %d0, {{%r7, %r0}}; {form} %d1, %d0; mov.b64 {{%r6, %r4}}, %d1;"
QUOTIENT = ("mad.lo.u32 %r5, %r0, 0x9E3779B1, 0x7F4A7C15; shr.u32 %r6, %r5, 15; xor.b32 %r5, %r5, %r6; mul.lo.u32 %r5, %r5, 0x85EBCA77;\n"
            "shr.u32 %r6, %r5, 13; xor.b32 %r5, %r5, %r6; and.b32 %r6, %r5, 15; shl.b32 %r6, %r6, 23; add.u32 %r6, %r6, %r0;\n"
            "sub.u32 %r6, %r6, 0x03800000; xor.b32 %r6, %r6, %r5; and.b32 %r6, %r6, 0x7F800000; and.b32 %r4, %r5, 0x7F800000;\n"
            "xor.b32 %r6, %r6, %r4; and.b32 %r5, %r5, 0x807FFFFF; or.b32 %r5, %r5, %r6;\n"
            "mov.b32 %f0, %r0; mov.b32 %f1, %r5; {form} %f1, %f0, %f1; mov.b32 %r4, %f1;")
WORDS = (".visible .entry k(.param .u64 out, .param .u32 first)\n{{\n.reg .b32 %r<8>; .reg .b64 %rd<4>; .reg .f32 %f<2>; .reg .f64 %d<2>;\n"
         "ld.param.u64 %rd0, [out]; ld.param.u32 %r3, [first];\n"
         "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r5, %tid.x; mad.lo.u32 %r1, %r1, %r2, %r5;\n"
         "add.u32 %r0, %r3, %r1; mov.u32 %r7, 0; {body}\n"
         "mul.wide.u32 %rd1, %r1, 4; add.u64 %rd0, %rd0, %rd1; st.global.u32 [%rd0], %r4; ret;\n}}\n")
HALF = (".visible .entry k(.param .u64 out, .param .u32 first)\n{{\n.reg .b32 %r<8>; .reg .b64 %rd<4>; .reg .b16 %h<2>;\n"
        "ld.param.u64 %rd0, [out]; ld.param.u32 %r4, [first];\n"
        "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mad.lo.u32 %r1, %r1, %r2, %r3;\n"
        "add.u32 %r4, %r4, %r1; cvt.u16.u32 %h0, %r4; {form} %h1, %h0;\n"
        "mul.wide.u32 %rd1, %r1, 2; add.u64 %rd0, %rd0, %rd1; st.global.b16 [%rd0], %h1; ret;\n}}\n")


def body_of(form):
    return (DOUBLE if form in DOUBLES else QUOTIENT if form in QUOTIENTS else SINGLE).format(form=form)


def sums_kernel(form):
    return HEAD + SUMS.format(body=body_of(form), block=BLOCK, step=PARTS * BLOCK, octave=OCTAVE)


def words_kernel(form):
    return HEAD + WORDS.format(body=body_of(form))


def half_kernel(form):
    return HEAD + HALF.format(form=form)


def sums_launch(first):
    """Sums of AT_ONCE octaves from number `first` on (sign and exponent as they stand in an input's upper nine bits)."""
    return {"kernel": "k", "grid": [PARTS, AT_ONCE, 1], "block": [BLOCK, 1, 1], "smem": 0,
            "args": [bytes(8 * AT_ONCE), f"u32:{first}"]}


def launch_of(count, out, first=0):
    return {"kernel": "k", "grid": [count // BLOCK, 1, 1], "block": [BLOCK, 1, 1], "smem": 0, "args": [out, f"u32:{first}"]}


def half_launches():
    """Both signs: a recording keeps the first 64 KiB of a buffer."""
    return [launch_of(1 << 15, bytes(1 << 16), first) for first in (0, 1 << 15)]


def differing_octaves(ours, theirs, first):
    """Numbers of the octaves whose sums are not the same, of two results of sums_kernel."""
    pairs = zip(struct.unpack(f"<{len(ours) // 8}Q", ours), struct.unpack(f"<{len(theirs) // 8}Q", theirs))
    return [first + at for at, (a, b) in enumerate(pairs) if a != b]


def judge(oracle, form, path, skip, first, count):
    """What `oracle --against` says of `count` results in a file, of the inputs from `first` on."""
    done = subprocess.run([oracle, "--against", path, "--only", form, "--skip", str(skip), "--first", str(first),
                           "--count", str(count)], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1) or not done.stdout:
        raise RuntimeError(f"oracle --against {form}: {done.stderr.strip() or done.returncode}")
    return json.loads(done.stdout)


def merge(parts):
    """Sums of all parts; exponents hold {inputs, mismatches, distance, gpu_ulp}."""
    total = {"inputs": 0, "mismatches": 0, "classes": 0, "distance": 0, "worst": None, "gpu_ulp": 0.0, "exponents": {}}
    for part in parts:
        for key in ("inputs", "mismatches", "classes"):
            total[key] += part[key]
        total["gpu_ulp"] = max(total["gpu_ulp"], part["gpu_ulp"])
        if part["distance"] > total["distance"]:
            total["distance"], total["worst"] = part["distance"], part["worst"]
        for exponent, row in part["exponents"].items():
            sums = total["exponents"].setdefault(exponent, {"inputs": 0, "mismatches": 0, "distance": 0, "gpu_ulp": 0.0})
            sums["inputs"] += row["inputs"]
            sums["mismatches"] += row["mismatches"]
            sums["distance"] = max(sums["distance"], row["distance"])
            sums["gpu_ulp"] = max(sums["gpu_ulp"], row["gpu_ulp"])
    return total


def room_for(size):
    """A folder with that many free bytes, in memory if possible."""
    for folder in ("/dev/shm", tempfile.gettempdir()):
        if os.path.isdir(folder):
            facts = os.statvfs(folder)
            if facts.f_bavail * facts.f_frsize > size + (64 << 20):
                return folder
    raise RuntimeError(f"neither /dev/shm nor {tempfile.gettempdir()} has {size >> 20} MiB left")


def judge_octaves(target, oracle, form, octaves, workers=None):
    """What `oracle --against` says of whole octaves as `target` computes them (a GPU, or the simulator)."""
    workers = workers or os.cpu_count() or 1
    share = OCTAVE // workers
    parts = []
    with tempfile.NamedTemporaryFile(dir=room_for(4 * OCTAVE)) as file, concurrent.futures.ThreadPoolExecutor(workers) as pool:
        for octave in octaves:
            _, files = target.run(words_kernel(form), launch_of(OCTAVE, bytes(4 * OCTAVE), octave * OCTAVE))
            pathlib.Path(file.name).write_bytes(files[0])
            jobs = [pool.submit(judge, oracle, form, file.name, at * share, octave * OCTAVE + at * share,
                                OCTAVE - at * share if at == workers - 1 else share) for at in range(workers)]
            parts += [job.result() for job in jobs]
    return merge(parts)


def ordered(bits, width):
    """A float's bits as an integer that grows with its value; both zeros are 0."""
    sign = 1 << (width - 1)
    return -(bits & sign - 1) if bits & sign else bits


def compare_halves(form, ours, theirs):
    """Two results of half_kernel over all inputs, as bytes."""
    infinity = 0x7C00 if ".f16" in form else 0x7F80
    shift = 10 if ".f16" in form else 7
    part = {"inputs": len(ours) // 2, "mismatches": 0, "classes": 0, "distance": 0, "worst": None, "gpu_ulp": 0.0,
            "exponents": {}}
    for at, (a, b) in enumerate(zip(struct.unpack(f"<{len(ours) // 2}H", ours),
                                    struct.unpack(f"<{len(theirs) // 2}H", theirs))):
        row = part["exponents"].setdefault(str((at & 0x7FFF) >> shift),
                                           {"inputs": 0, "mismatches": 0, "distance": 0, "gpu_ulp": 0.0})
        row["inputs"] += 1
        if a == b:
            continue
        part["mismatches"] += 1
        row["mismatches"] += 1
        if (a & 0x7FFF) > infinity or (b & 0x7FFF) > infinity:
            part["classes"] += ((a & 0x7FFF) > infinity) != ((b & 0x7FFF) > infinity)
            continue
        distance = abs(ordered(a, 16) - ordered(b, 16))
        row["distance"] = max(row["distance"], distance)
        if distance > part["distance"]:
            part["distance"], part["worst"] = distance, f"0x{at:04x}"
    return part
