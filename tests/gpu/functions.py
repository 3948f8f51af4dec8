# SPDX-License-Identifier: GPL-3.0-or-later
"""The approximate functions: all 2^32 f32 inputs, all 2^16 of the 16-bit forms, on a GPU against the simulator's own."""

import concurrent.futures
import json
import mmap
import os
import pathlib
import struct
import subprocess
import tempfile

SINGLES = ("rcp", "sqrt", "rsqrt", "ex2", "lg2", "sin", "cos", "tanh")
# tanh has no .ftz; of the 16-bit forms these exist (PTX ISA, "Half Precision Floating Point Instructions").
FORMS = [f"{name}.approx{ftz}.f32" for name in SINGLES for ftz in ("", ".ftz") if (name, ftz) != ("tanh", ".ftz")]
HALVES = ("ex2.approx.f16", "ex2.approx.ftz.bf16", "tanh.approx.f16", "tanh.approx.bf16")
BLOCK = 256

HEAD = ".version 7.8\n.target sm_90\n.address_size 64\n"
SINGLE = (".visible .entry k(.param .u64 out, .param .u32 first)\n{{\n.reg .b32 %r<8>; .reg .b64 %rd<4>; .reg .f32 %f<2>;\n"
          "ld.param.u64 %rd0, [out]; ld.param.u32 %r0, [first];\n"
          "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mad.lo.u32 %r1, %r1, %r2, %r3;\n"
          "add.u32 %r4, %r0, %r1; mov.b32 %f0, %r4; {form} %f1, %f0;\n"
          "mul.wide.u32 %rd1, %r1, 4; add.u64 %rd0, %rd0, %rd1; st.global.f32 [%rd0], %f1; ret;\n}}\n")
HALF = (".visible .entry k(.param .u64 out)\n{{\n.reg .b32 %r<8>; .reg .b64 %rd<4>; .reg .b16 %h<2>;\n"
        "ld.param.u64 %rd0, [out];\n"
        "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mad.lo.u32 %r1, %r1, %r2, %r3;\n"
        "cvt.u16.u32 %h0, %r1; {form} %h1, %h0;\n"
        "mul.wide.u32 %rd1, %r1, 2; add.u64 %rd0, %rd0, %rd1; st.global.b16 [%rd0], %h1; ret;\n}}\n")


def single_kernel(form):
    return HEAD + SINGLE.format(form=form)


def half_kernel(form):
    return HEAD + HALF.format(form=form)


def launch_of(count, out, first=None):
    args = [out] + ([] if first is None else [f"u32:{first}"])
    return {"kernel": "k", "grid": [count // BLOCK, 1, 1], "block": [BLOCK, 1, 1], "smem": 0, "args": args}


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


def all_inputs(gpu, oracle, form, chunk=1 << 28, workers=None):
    """A form over all 2^32 inputs on a cuda_driver.Gpu, in chunks that pass through shared memory."""
    workers = workers or os.cpu_count() or 1
    ptx = single_kernel(form)
    function = gpu.function(ptx, "k")
    address = gpu.allocate(4 * chunk)
    folder = room_for(4 * chunk)
    parts = []
    try:
        with tempfile.NamedTemporaryFile(dir=folder) as file, concurrent.futures.ThreadPoolExecutor(workers) as pool:
            file.truncate(4 * chunk)
            with mmap.mmap(file.fileno(), 4 * chunk) as view:
                for first in range(0, 1 << 32, chunk):
                    gpu.launch(function, launch_of(chunk, ""), [address, struct.pack("<I", first)])
                    gpu.wait()
                    gpu.read_into(view, address, 4 * chunk)
                    share = chunk // workers
                    jobs = [pool.submit(judge, oracle, form, file.name, at * share, first + at * share,
                                        chunk - at * share if at == workers - 1 else share) for at in range(workers)]
                    parts += [job.result() for job in jobs]
    finally:
        gpu.free_all()
    return merge(parts)


def some_inputs(target, oracle, form, firsts, count=1 << 12):
    """The same for a few windows of inputs, through anything that runs a point: the dry run."""
    parts = []
    with tempfile.TemporaryDirectory() as folder:
        for first in firsts:
            _, files = target.run(single_kernel(form), launch_of(count, bytes(4 * count), first))
            path = pathlib.Path(folder, "results")
            path.write_bytes(files[0])
            parts.append(judge(oracle, form, str(path), 0, first, count))
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
