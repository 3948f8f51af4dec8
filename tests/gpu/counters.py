# SPDX-License-Identifier: GPL-3.0-or-later
"""Counters of the simulator: against rules that need no GPU, and against Nsight Compute's where it may read them."""

import csv
import io
import pathlib
import re
import shutil
import subprocess
import sys

# Ours, theirs, exact: the definitions agree (docs/counters.md); else the ratio is reported.
METRICS = [
    ("global_load_requests", "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", True),
    ("global_load_sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", True),
    ("global_store_requests", "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", True),
    ("global_store_sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", True),
    ("shared_load_requests", "smsp__inst_executed_op_shared_ld.sum", True),
    ("shared_load_wavefronts", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", True),
    ("shared_store_wavefronts", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", True),
    ("inst_issued", "smsp__inst_executed.sum", False),
    ("dram_read_bytes", "dram__bytes_read.sum", False),
    ("cycles", "gpc__cycles_elapsed.max", False),
]


def rules(values):
    """Relations that hold for every launch, whatever the kernel; a list of those that do not."""
    wrong = []

    def need(holds, text):
        if not holds:
            wrong.append(text)
    for op in ("load", "store"):
        requests, sectors = values[f"global_{op}_requests"], values[f"global_{op}_sectors"]
        lines, size = values[f"global_{op}_lines"], values[f"global_{op}_bytes"]
        need(requests <= lines <= sectors <= 4 * lines, f"{op}: {requests} requests, {lines} lines, {sectors} sectors")
        need(sectors <= 32 * requests * 2, f"{op}: {sectors} sectors of {requests} requests")
        need(size <= 512 * requests, f"{op}: {size} bytes of {requests} requests")
        waves, least = values[f"shared_{op}_wavefronts"], values[f"shared_{op}_minimum_wavefronts"]
        need(values[f"shared_{op}_requests"] <= least <= waves <= 32 * values[f"shared_{op}_requests"],
             f"shared {op}: {least} of {waves} wavefronts")
    need(values["thread_inst_executed"] <= 32 * values["inst_executed"], "more than 32 threads an instruction")
    return wrong


# Kernels whose traffic follows from the launch alone: name -> point -> {counter: value}. n elements of 4 bytes, all lanes on.
def closed_forms(point):
    """Exact values of some counters, by hand, of kernels whose accesses do not depend on data."""
    scalars = [int(spec.split(":")[1]) for spec in point["args"]
               if not isinstance(spec, bytes) and spec.startswith(("i32:", "u32:", "u64:"))]
    threads = point["grid"][0] * point["block"][0]
    if point["kernel"] == "saxpy":
        n = scalars[0]
        full, rest = divmod(n, 32)
        requests = full + (rest > 0)
        sectors = full * 4 + -(-rest // 8)
        return {"global_load_requests": 2 * requests, "global_load_sectors": 2 * sectors, "global_load_bytes": 8 * n,
                "global_store_requests": requests, "global_store_sectors": sectors, "global_store_bytes": 4 * n}
    if point["kernel"] == "triad4":
        n = scalars[0]
        return {"global_load_requests": 2 * n // 32, "global_load_sectors": 2 * n // 2, "global_store_sectors": n // 2}
    if point["kernel"] == "strided":
        stride, n = scalars
        warps = threads // 32
        return {"global_load_requests": warps, "global_load_sectors": warps * min(32, 4 * stride),
                "global_store_sectors": 4 * warps} if n % (32 * stride) == 0 else {}
    if point["kernel"] == "transpose_naive":
        n = scalars[0]
        return {"global_load_sectors": n * n // 8, "global_store_sectors": n * n, "global_store_requests": n * n // 32}
    if point["kernel"] == "transpose_padded":
        n = scalars[0]
        return {"global_load_sectors": n * n // 8, "global_store_sectors": n * n // 8,
                "shared_load_wavefronts": n * n // 32, "shared_store_wavefronts": n * n // 32}
    if point["kernel"] == "sgemm_tiled":
        n = scalars[0]
        warps = n * n // 32
        return {"global_load_requests": warps * 2 * n // 16, "global_load_sectors": warps * 2 * n // 16 * 4,
                "barriers": warps * 2 * n // 16}
    if point["kernel"] == "scan_block":
        return {"global_load_sectors": threads // 8, "global_store_sectors": threads // 8, "barriers": threads // 32 * 10}
    return {}


def from_ncu(text):
    """[{metric: value}] of each launch, from `ncu --csv --page raw --print-units base`."""
    lines = [line for line in text.split("\n") if line.startswith('"')]
    if not lines:
        return []
    found = []
    for row in csv.DictReader(io.StringIO("\n".join(lines))):
        if not (row.get("ID") or "").strip().isdigit():
            continue  # the row of units
        found.append({name: float(value.replace(",", "")) for name, value in row.items()
                      if name and "__" in name and value and re.fullmatch(r"[\d.,eE+-]+", value)})
    return found


def profile(options):
    """([{metric: value}] by launch, "") or ([], why not)."""
    ncu = shutil.which("ncu")
    if ncu is None:
        return [], "there is no ncu on this machine"
    here = pathlib.Path(__file__).resolve().parent
    command = [ncu, "--csv", "--page", "raw", "--print-units", "base", "--clock-control", "none", "--metrics",
               ",".join(theirs for _, theirs, _ in METRICS), sys.executable, str(here / "simt.py"), "--worker",
               options.worker, "--out", options.out, "--sim", options.sim, "--parts", "", "--launch-all"]
    if options.quick:
        command.append("--quick")
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=400)
    except subprocess.TimeoutExpired:
        return [], "ncu took longer than 400 s"
    launches = from_ncu(done.stdout)
    if not launches:
        words = [line for line in (done.stdout + done.stderr).split("\n") if "ERROR" in line or "==ERR" in line]
        return [], "ncu read nothing: " + (words[0].strip() if words else f"status {done.returncode}")
    return launches, ""


def compare(simulator, points, options, on_gpu):
    """One row a point: rules and closed forms; with a GPU also Nsight Compute's values."""
    from simt import guarded, parallel  # pylint: disable=import-outside-toplevel
    timed = on_gpu or options.profile is not None  # machine instructions and cycles are of use only beside a profiler's

    def ours(one):
        def run():
            document, _ = simulator.run(one[1], one[2], timed)
            values = {name: counter["value"] for name, counter in document["counters"].items()}
            return dict(values, cycles=document["cycles"]) if timed else values
        return guarded(run)
    if options.profile:
        launches, why = from_ncu(pathlib.Path(options.profile).read_text(encoding="utf-8")), ""
    else:
        launches, why = profile(options) if on_gpu else ([], "no GPU")
    rows = []
    for at, ((name, _, point), values) in enumerate(zip(points, parallel(ours, points))):
        if "error" in values:
            rows.append({"id": name, "error": values["error"]})
            continue
        forms = closed_forms(point)
        row = {"id": name, "rules": rules(values), "closed_forms": len(forms), "ncu": {},
               "wrong": [f"{key}: {values[key]}, by hand {value}" for key, value in forms.items() if values[key] != value]}
        if at < len(launches):
            for mine, theirs, exact in METRICS:
                if theirs in launches[at] and values.get(mine) is not None:
                    row["ncu"][mine] = {"ours": values[mine], "theirs": launches[at][theirs], "exact": exact}
            row["wrong"] += [f"{key}: {pair['ours']}, ncu {pair['theirs']:.0f}" for key, pair in row["ncu"].items()
                             if pair["exact"] and pair["ours"] != pair["theirs"]]
        rows.append(row)
    return {"rows": rows, "profiler": why or f"ncu read {len(launches)} launches",
            "agrees": all(not row.get("error") and not row["rules"] and not row["wrong"] for row in rows)}
