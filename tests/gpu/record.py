# SPDX-License-Identifier: GPL-3.0-or-later
"""Takes down what a GPU answers, without the simulator: time on a GPU is short, and the comparison can be made anywhere later
(`simt.py --recorded FOLDER`). With --prepare FOLDER and no GPU, ptxas compiles every kernel before, so that the driver need not.
See run.sh."""

import argparse
import concurrent.futures
import os
import pathlib
import subprocess
import sys
import time

import chains
import cuda_driver
import cycles
import floods
import fragments
import functions
import recording
import simt
import stopwatch
from simulator import Simulator
from worker_client import WorkerFailed

FAILURES = (WorkerFailed, cuda_driver.CudaFailed, RuntimeError, ValueError, KeyError)
PARTS = ("cycles", "chains", "floods", "mma", "functions", "bits")


def arguments():
    parser = argparse.ArgumentParser(prog="run.sh --only record", description=__doc__)
    parser.add_argument("--worker", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--parts", default=",".join(PARTS), help="some of " + ",".join(PARTS))
    parser.add_argument("--cubins", default=None, help="a folder that --prepare filled")
    parser.add_argument("--prepare", default=None, metavar="FOLDER", help="compile for sm_90 and stop; needs ptxas, no GPU")
    parser.add_argument("--seconds", type=float, default=300, help="no part is begun after this time")
    return parser.parse_args()


def texts():
    """{(PTX, kernel)} that the parts load."""
    found = {(ptx, point["kernel"]) for _, ptx, point in simt.bit_points(False)}
    for name in cycles.TIMED:
        chosen = cycles.load_set(name)
        for point in chosen["points"]:
            kernel = point["kernel"]
            found |= {(chosen["ptx"], kernel), (stopwatch.instrumented(chosen["ptx"], kernel), kernel)}
    found |= {(chains.instrumented(ptx), "k") for _, _, ptx, _ in chains.cases()}
    found |= {(stopwatch.instrumented(ptx, "k"), "k") for _, _, ptx, _, _ in floods.cases()}
    found |= {(ptx, point["kernel"]) for _, ptx, point, _, _ in fragments.cases(4)}
    found |= {(functions.sums_kernel(form), "k") for form in functions.SUMMED}
    return found | {(functions.half_kernel(form), "k") for form in functions.HALVES}


def prepare(folder):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)

    def one(item):
        ptx, kernel = item
        file = folder / cuda_driver.cubin_name(ptx, kernel)
        if file.exists():
            return ""
        source = file.with_suffix(".ptx")
        source.write_text(ptx, encoding="utf-8")
        arch = "sm_90a" if ".target sm_90a" in ptx else "sm_90"
        done = subprocess.run(["ptxas", f"-arch={arch}", "-e", kernel, "-o", str(file), str(source)], capture_output=True, text=True, check=False)
        source.unlink()
        return "" if done.returncode == 0 else f"{kernel}: {(done.stdout + done.stderr).strip()[:300]}"
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        return [words for words in pool.map(one, sorted(texts())) if words]


def function_launches():
    for form in functions.SUMMED:
        for first in functions.FIRSTS:
            yield functions.sums_kernel(form), functions.sums_launch(first)
    for form in functions.HALVES:
        for point in functions.half_launches():
            yield functions.half_kernel(form), point


def chain_cycles(watch, ptx, point, repeats=4):
    """Least cycles between the first warp's arrival and the last one's leave."""
    gpu = watch.gpu
    text = chains.instrumented(ptx)
    try:
        parameters, _ = watch.target.bind(point)
        runs = []
        for _ in range(repeats):
            gpu.fill(watch.slots, 0, stopwatch.SIZE)
            gpu.launch(gpu.function(text, "k"), point, parameters + [watch.slots])
            gpu.wait()
            runs.append(stopwatch.read_slots(gpu.read(watch.slots, stopwatch.SIZE))["cycles"])
        return min(runs)
    finally:
        gpu.free_all()


def record_cycles(recorder, watch):
    for name in cycles.TIMED:
        chosen = cycles.load_set(name)
        for point in chosen["points"]:
            recorder.measured(chosen["ptx"], point, simt.guarded(lambda p=point, c=chosen: watch.measure(c["ptx"], p)))


def record_chains(recorder, watch):
    for _, _, ptx, points in chains.cases():
        for point in points.values():
            recorder.measured(ptx, point, simt.guarded(lambda x=ptx, p=point: {"cycles": chain_cycles(watch, x, p)}))


def record_floods(recorder, watch):
    """The rings are filled on the GPU and read once before, so that they lie where the case says."""
    gpu = watch.gpu
    ring = gpu.allocate(1 << 30)
    gpu.fill(ring, 0, 1 << 30)

    def measured(ptx, point):
        text = stopwatch.instrumented(ptx, "k")
        runs = []
        for turn in range(5):
            gpu.fill(watch.slots, 0, stopwatch.SIZE)
            gpu.launch(gpu.function(text, "k"), point, [ring, cuda_driver.scalar_bytes(point["args"][1]), watch.slots])
            gpu.wait()
            if turn:
                seen = stopwatch.read_slots(gpu.read(watch.slots, stopwatch.SIZE))
                runs.append((seen["nanoseconds"] * 1e-6 * gpu.facts["clock_khz"], seen["cycles"]))
        return {"cycles": min(run[0] for run in runs), "sm_cycles": min(run[1] for run in runs)}
    for _, _, ptx, _, points in floods.cases():
        for point in points.values():
            recorder.measured(ptx, point, simt.guarded(lambda x=ptx, p=point: measured(x, p)))
    gpu.free_all()


def main():
    options = arguments()
    begin = time.monotonic()
    simt.newest_sm = 90
    if options.prepare:
        failed = prepare(options.prepare)
        print("\n".join(failed), file=sys.stderr)
        return 2 if failed else 0
    parts = [part for part in options.parts.split(",") if part]
    if len(parts) > 1:  # a launch that fails takes its process's context with it
        return max(subprocess.run([sys.executable, *sys.argv, "--parts", part], check=False).returncode
                   if time.monotonic() - begin < options.seconds else 4 for part in parts)
    part = parts[0]
    simulator = Simulator(options.worker, "sim:h200-sxm")  # only what buffers hold before a launch
    try:
        gpu = cuda_driver.Gpu(cubins=options.cubins)
    except cuda_driver.CudaFailed as error:
        print(f"run.sh: {error}", file=sys.stderr)
        return 3
    target = cuda_driver.GpuTarget(gpu, simulator.contents)
    recorder = recording.Recorder(options.out, part, target)
    watch = cycles.Watch(target)
    facts = {"device": gpu.name, "facts": gpu.facts, "empty_cycles": watch.empty, "empty_event_s": watch.empty_event,
             "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}

    def launches(found):
        for ptx, point in found:
            recorder.run(ptx, point, FAILURES)
    work = {"cycles": lambda: record_cycles(recorder, watch), "chains": lambda: record_chains(recorder, watch),
            "floods": lambda: record_floods(recorder, watch),
            "mma": lambda: launches((ptx, point) for _, ptx, point, _, _ in fragments.cases(256)),
            "functions": lambda: launches(function_launches()),
            "bits": lambda: launches((ptx, point) for _, ptx, point in simt.bit_points(False))}
    status = 0
    try:
        work[part]()
        print(f"record {part}: {time.monotonic() - begin:.1f} s", flush=True)
    except FAILURES as error:
        print(f"record {part}: {error!r}", flush=True)
        status = 1
    recorder.close(facts)
    return status


if __name__ == "__main__":
    sys.exit(main())
