# SPDX-License-Identifier: GPL-3.0-or-later
"""Kernel cycles: simulated from PTX alone, by two dumb baselines, and measured on a GPU where there is one."""

import concurrent.futures
import hashlib
import json
import os
import pathlib
import statistics
import struct

import baselines
import stopwatch
from worker_client import WorkerFailed

FOLDER = pathlib.Path(__file__).parent / "simt" / "cycles"
EXACT = ("dev", "heldout", "styles")  # whose results are compared, too
SETS = EXACT + ("blind",)  # some of the blind set add floats in whichever order
TIMED = ("sizes",) + SETS  # sizes: streams that chip files may follow
PEAKS = {"f32": "fp32", "f64": "fp64", "f16": "fp16", "int8": "int8"}
REPEATS = 9
EMPTY = {"kernel": "empty", "grid": [132, 1, 1], "block": [32, 1, 1], "smem": 0, "args": []}
READ = {"kernel": "read", "grid": [1056, 1, 1], "block": [256, 1, 1], "smem": 0}
READ_PTX = """.version 7.8
.target sm_90
.address_size 64
.visible .entry read(.param .u64 data, .param .u64 bytes)
{
.reg .pred %p; .reg .b32 %r<12>; .reg .b64 %rd<8>;
ld.param.u64 %rd0, [data]; ld.param.u64 %rd1, [bytes];
mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ntid.x; mov.u32 %r2, %tid.x; mad.lo.u32 %r0, %r0, %r1, %r2; mul.wide.u32 %rd2, %r0, 16;
mov.u32 %r3, %nctaid.x; mul.lo.u32 %r3, %r3, %r1; mul.wide.u32 %rd3, %r3, 16; mov.u32 %r8, 0;
LOOP:
setp.ge.u64 %p, %rd2, %rd1; @%p bra DONE;
add.u64 %rd4, %rd0, %rd2; ld.global.v4.u32 {%r4, %r5, %r6, %r7}, [%rd4];
add.u32 %r8, %r8, %r4; add.u64 %rd2, %rd2, %rd3; bra LOOP;
DONE:
setp.ne.u32 %p, %r8, 12345; @%p bra END; st.global.u32 [%rd0], %r8;
END:
ret;
}
"""
EMPTY_PTX = ".version 7.8\n.target sm_90\n.address_size 64\n.visible .entry empty()\n{\nret;\n}\n"


def load_set(name):
    folder = FOLDER / name
    text = (folder / "manifest.json").read_text(encoding="utf-8")
    chosen = json.loads(text)
    for key in ("ptx", "exact_ptx"):
        chosen[key] = (folder / chosen[key]).read_text(encoding="utf-8")
    chosen["sha256"] = hashlib.sha256((text + chosen["ptx"] + chosen["exact_ptx"]).encode()).hexdigest()
    return chosen


def chip_facts(data, chip):
    """What the baselines know of a chip, from its catalogue row and its timing file."""
    rows = json.loads(pathlib.Path(data, "assets/chips/gpus.json").read_text(encoding="utf-8"))
    row = next(row for row in rows["chips"] if row["id"] == chip)
    peaks = {unit: row["peaks"][name]["value"] * 1e12 for unit, name in PEAKS.items() if name in row["peaks"]}
    # Data-centre parts compute f64 at half the rate of f32.
    peaks.setdefault("f64", peaks["f32"] / (2 if row["class"] == "datacenter" else 64))
    return {"id": chip, "sm": round(float(row["compute_capability"]) * 10), "peaks": peaks, "bandwidth": row["memory_bandwidth"]["value"] * 1e9, "sms": row["units"]["value"],
            "clock_hz": row["boost_clock_mhz"]["value"] * 1e6}


def watched_run(simulator, ptx, point):
    """(PTX, document, {argument: bytes}, what the stopwatch says) of a point run with the clocks in its PTX, as the GPU runs it."""
    text = stopwatch.instrumented(ptx, point["kernel"])
    slots = len(point["args"])
    point = dict(point, args=point["args"] + [f"inout:u8:{stopwatch.SIZE}:zeros"])
    document, files = simulator.run(text, point, timed=True)
    if document["cycles"] is None:
        raise WorkerFailed(document["untimed"] or "no cycles")
    return text, document, files, stopwatch.read_slots(files.pop(slots))


def simulate_set(simulator, chosen, chip, empty=0, workers=None):
    """One row a point: {id, cycles, roofline, throughput, registers, instructions, extrapolated} or {id, error}.

    Both sides run the same PTX, with the stopwatch in it: what it adds to a short kernel is then in both (ptxas gives some
    kernels other registers for it). `empty`: cycles that are taken off, those that the GPU's stopwatch says of an empty kernel."""
    plain = simulator.machine_code(chosen["ptx"])
    _, alone, _, span = watched_run(simulator, EMPTY_PTX, EMPTY)
    around = alone["cycles"] - span["cycles"]  # before the first note and behind the last

    def one(point):
        try:
            text, document, _, slots = watched_run(simulator, chosen["ptx"], point)
            lines = simulator.machine_code(text)[point["kernel"]]["lines"]
        except WorkerFailed as error:
            return {"id": point["id"], "error": str(error)}
        extrapolated = document["timing"]["extrapolation"]["used"]  # the last blocks were not timed then
        return {"id": point["id"], "cycles": (document["cycles"] - around if extrapolated else slots["cycles"]) - empty,
                "roofline": baselines.roofline_cycles(point, dict(chip, clock_hz=document["timing"]["clock_hz"])),
                "throughput": baselines.throughput_cycles(document["per_line"], lines, chip["sms"]),
                "registers": plain[point["kernel"]]["registers"], "instructions":
                document["counters"]["inst_issued"]["value"], "extrapolated": extrapolated}

    with concurrent.futures.ThreadPoolExecutor(workers or os.cpu_count() or 1) as pool:
        return list(pool.map(one, chosen["points"]))


class Watch:
    """Measures points on a GPU: in the kernel, by its own clocks, with the L2 cold and warm; and between events."""

    def __init__(self, target):
        self.target = target
        self.gpu = target.gpu
        self.slots = self.gpu.allocate(stopwatch.SIZE)
        self.flush_bytes = 4 * max(self.gpu.facts["l2_bytes"], 64 << 20)
        self.flush = self.gpu.allocate(self.flush_bytes)
        self.gpu.fill(self.flush, 0, self.flush_bytes)
        self.gpu.allocated = []  # what is held until the end
        self.empty = self.span(EMPTY_PTX, EMPTY, [], [], cold=False)["cycles"]
        function = self.gpu.function(EMPTY_PTX, "empty")
        self.empty_event = self.batch(function, EMPTY, [])

    def batch(self, function, point, parameters, count=20):
        """Seconds of one launch in a graph of `count`, so that the host's calls are not in the time."""
        graph = self.gpu.graph(lambda stream: [self.gpu.launch(function, point, parameters, stream) for _ in range(count)])
        return statistics.median(self.gpu.graph_seconds(graph) / count for _ in range(6))

    def span(self, ptx, point, parameters, buffers, cold):
        """The median of single launches, each with its buffers as at first."""
        function = self.gpu.function(stopwatch.instrumented(ptx, point["kernel"]), point["kernel"])
        pristine = [(address, self.gpu.put(content), len(content)) for address, content in buffers]
        runs = []
        for turn in range(REPEATS + 2):
            for address, source, size in pristine:
                self.gpu.copy(address, source, size)
            self.gpu.fill(self.slots, 0, stopwatch.SIZE)
            if cold:
                # Read, not written: lines that must be written back first would cost the kernel DRAM traffic of its own.
                self.gpu.launch(self.gpu.function(READ_PTX, "read"), READ, [self.flush, struct.pack("<Q", self.flush_bytes)])
            self.gpu.wait()
            self.gpu.launch(function, point, parameters + [self.slots])
            self.gpu.wait()
            if turn >= 2:
                runs.append(stopwatch.read_slots(self.gpu.read(self.slots, stopwatch.SIZE)))
        spans = sorted(run["cycles"] for run in runs)
        whole = statistics.median(run["nanoseconds"] for run in runs) * 1e-6 * self.gpu.facts["clock_khz"]
        return {"cycles": statistics.median(spans), "whole_cycles": whole, "sms": runs[0]["sms"],
                "iqr": spans[3 * len(spans) // 4] - spans[len(spans) // 4]}

    def measure(self, ptx, point):
        """{cold, warm: {cycles, whole_cycles, iqr, sms}, event_cycles, registers}. cycles: of the busiest SM, by its own clock,
        without those of an empty kernel; whole_cycles: from the first warp to the last by globaltimer, at the highest clock."""
        try:
            parameters, buffers = self.target.bind(point)
            held = list(buffers.values())
            row = {}
            for name, cold in (("cold", True), ("warm", False)):
                row[name] = self.span(ptx, point, parameters, held, cold)
                row[name]["cycles"] -= self.empty
            row["registers"] = self.gpu.registers(ptx, point["kernel"])
            if not any(spec.startswith("inout") and "rand" in spec for spec in point["args"]) and not point.get("once"):
                seconds = self.batch(self.gpu.function(ptx, point["kernel"]), point, parameters) - self.empty_event
                row["event_cycles"] = seconds * self.gpu.facts["clock_khz"] * 1e3
            return row
        finally:
            self.gpu.free_all()


def summary(rows, truths):
    """Fits of the three guesses against measured cycles by id; None where nothing was measured."""
    both = [(row, truths[row["id"]]) for row in rows if "cycles" in row and row["id"] in truths]
    return {name: baselines.fit([truth for _, truth in both], [row[name] for row, _ in both])
            for name in ("cycles", "roofline", "throughput")}
