# SPDX-License-Identifier: GPL-3.0-or-later
"""The SIMT simulator against a GPU: bits, counters, cycles, approximate functions, matrix products. See run.sh."""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import time
import zipfile

import counters
import cuda_driver
import cycles
import fragments
import functions
import recording
import simt_report
import stopwatch
from simulator import Simulator
from worker_client import WorkerFailed, ask

PARTS = ("bits", "counters", "functions", "mma", "cycles")
SHIPPED = pathlib.Path(__file__).parent / "simt" / "shipped.json"


def arguments():
    parser = argparse.ArgumentParser(prog="run.sh --only simt", description=__doc__)
    parser.add_argument("--worker", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--oracle", default=None, help="the oracle program; beside the worker if not given")
    parser.add_argument("--parts", default=",".join(PARTS), help="some of " + ",".join(PARTS))
    parser.add_argument("--sim", default="sim:h200-sxm", help="the simulated chip")
    parser.add_argument("--dry-run", action="store_true", help="the simulator in the GPU's place")
    parser.add_argument("--cubins", default=None, help="kernels compiled before (record.py --prepare)")
    parser.add_argument("--recorded", default=None, metavar="FOLDER", help="what record.py took down, in the GPU's place")
    parser.add_argument("--profile", default=None, metavar="FILE", help="what `ncu --csv --page raw` printed of --launch-all")
    parser.add_argument("--quick", action="store_true", help="a few points of every part")
    parser.add_argument("--seconds", type=float, default=570, help="no part is begun after this time")
    parser.add_argument("--launch-all", action="store_true", help=argparse.SUPPRESS)  # what ncu runs
    return parser.parse_args()


def data_folder():
    return pathlib.Path(os.environ.get("RIDGE_DATA") or pathlib.Path(__file__).resolve().parents[2])


newest_sm = 1000  # PTX that names a newer chip is left out; main() puts the chip's own there


def needed_sm(name):
    """90 for 08_cluster.sm_90.ptx; 0 where any chip will do."""
    kind = name.split(".")[-2]
    return int(kind[3:].rstrip("a")) if kind.startswith("sm_") else 0


def shipped_points():
    """([(PTX, point)], kernels without a launch) of what is shipped. The kernels of an experiment need none here: `--only
    experiments` checks their results on both sides."""
    files = json.loads(SHIPPED.read_text(encoding="utf-8"))["files"]
    found, without = [], []
    archive = zipfile.ZipFile(data_folder() / "assets/ptx.zip")
    for name in sorted(archive.namelist()):
        if name.endswith(".sm_70.ptx") or needed_sm(name) > newest_sm:
            continue
        ptx = archive.read(name).decode("utf-8")
        missing = {line.split()[-1].rstrip("(") for line in ptx.split("\n") if ".visible .entry" in line}
        for point in files.get(name, []):
            missing.discard(point["kernel"])
            found.append((ptx, point))
        without += sorted(missing)
    return found, without


def bit_points(quick):
    """[(name, PTX, point)]: shipped kernels and the sets, in exact mode."""
    found = [("shipped " + point["id"], ptx, point) for ptx, point in shipped_points()[0]]
    for name in cycles.EXACT:
        chosen = cycles.load_set(name)
        points = chosen["points"][1:3] if quick else chosen["points"]
        found += [(f"{name} {point['id']}", chosen["exact_ptx"], point) for point in points]
    return found


def parallel(work, items):
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        return list(pool.map(work, items))


def guarded(work):
    """work() or {"error": why not}."""
    try:
        return work()
    except (WorkerFailed, cuda_driver.CudaFailed, recording.NotRecorded, RuntimeError, ValueError, KeyError) as error:
        return {"error": str(error) or repr(error)}


def differing_bytes(ours, theirs):
    """{argument: number of bytes that differ} where any do."""
    found = {}
    for at in sorted(set(ours) | set(theirs)):
        a, b = ours.get(at, b""), theirs.get(at, b"")
        if isinstance(b, recording.Sketch):
            if count := b.differing(a):
                found[str(at)] = count
        elif a != b:
            found[str(at)] = sum(x != y for x, y in zip(a, b)) + abs(len(a) - len(b))
    return found


# Sums of floats by atomics depend on the order of arrival, and so do places handed out by a counter.
ORDER_DEPENDS = ("bins_contended", "compact", "hash_table", "topk_collect", "topk_collect_aside", "topk_filter")


def open_bits(ptx, point):
    """Why this kernel's bits may differ between two right executions, or ""."""
    if point["kernel"] in ORDER_DEPENDS:
        return "the order of atomics is open; not judged"
    if not ptx:
        return ""
    _, begin, end = stopwatch.body_of(ptx, point["kernel"])
    # Those of singles are held to an H200's bits (tst_simt_unit); of the others PTX states bounds alone.
    return "approximate functions; not judged" if re.search(r"\.approx(\.ftz)?\.(f16|bf16|f64)", ptx[begin:end]) else ""


def waiting_row(target, name, ptx, point):
    """The row of a launch that waits for its recording, or None. One that has been recorded may wait no longer."""
    if name not in getattr(target, "waiting", ()):
        return None
    row = {"id": name, "kernel": point["kernel"]}
    if target.has(ptx, point):
        return dict(row, error="is in the recording; take its line out of waiting.txt")
    return dict(row, waits=True, note="newer than the recording; not judged")


def bits_part(simulator, target, quick):
    points = bit_points(quick)
    waiting = [waiting_row(target, *one) for one in points]
    found = {row["id"] for row in waiting if row}
    rows = [row for row in waiting if row]
    if not quick:
        rows += [{"id": name, "kernel": "", "error": "no launch has this name; take its line out of waiting.txt"}
                 for name in sorted(set(getattr(target, "waiting", ())) - found)]
    points = [point for point, row in zip(points, waiting) if not row]
    ours = parallel(lambda one: guarded(lambda: simulator.run(one[1], one[2])[1]), points)
    for (name, ptx, point), mine in zip(points, ours):
        theirs = guarded(lambda p=point, t=ptx: target.run(t, p)[1])
        row = {"id": name, "kernel": point["kernel"]}
        if "error" in mine or "error" in theirs:
            row["error"] = mine.get("error") or theirs["error"]
        else:
            row["bytes"] = sum(map(len, mine.values()))
            row["differs"] = differing_bytes(mine, theirs)
            if why := open_bits(ptx, point):
                row["note"] = why
        rows.append(row)
    bad = [row for row in rows if row.get("error") or (row.get("differs") and "note" not in row)]
    return {"rows": rows, "agrees": not bad}


def mma_part(simulator, target, quick):
    found = list(fragments.cases(8 if quick else 256))
    ours = parallel(lambda one: guarded(lambda: simulator.run(one[1], one[2])[1]), found)
    rows = []
    for (name, ptx, point, kind, mode), mine in zip(found, ours):
        theirs = guarded(lambda p=point, t=ptx: target.run(t, p)[1])
        row = {"id": name, "mode": fragments.MODES[mode]}
        if "error" in mine or "error" in theirs:
            row["error"] = mine.get("error") or theirs["error"]
        else:
            theirs = theirs[3].beside(mine[3]) if isinstance(theirs[3], recording.Sketch) else theirs[3]
            row.update(fragments.classify(kind, mine[3], theirs))
        rows.append(row)
    return {"rows": rows, "agrees": all(row.get("equal") == row.get("elements", -1) for row in rows)}


def octaves_row(simulator, target, oracle, form, firsts):
    """One function by its sums; what differs is judged input by input where both are there to compute it again. The simulator
    runs side by side, the target, which may be a GPU with one context, in turn."""
    def sums(one, first):
        return one.run(functions.sums_kernel(form), functions.sums_launch(first))[1][0]
    ours = parallel(lambda first: sums(simulator, first), firsts)
    unequal = [octave for first, mine in zip(firsts, ours)
               for octave in functions.differing_octaves(mine, sums(target, first), first)]
    row = functions.merge([])
    if unequal and oracle and form in functions.FORMS:
        row = functions.judge_octaves(target, oracle, form, unequal)
    return dict(row, inputs=len(firsts) * functions.AT_ONCE * functions.OCTAVE, octaves=len(firsts) * functions.AT_ONCE, unequal=unequal)


def halves_row(simulator, target, form):
    ours, theirs = (b"".join(one.run(functions.half_kernel(form), point)[1][0] for point in functions.half_launches())
                    for one in (simulator, target))
    return functions.compare_halves(form, ours, theirs)


def functions_part(simulator, target, oracle, quick):
    """`oracle`: the program that judges single results, or None for a recording, which has their sums alone."""
    forms = ["rcp.approx.ftz.f32"] if quick else functions.SUMMED
    firsts = [96] if quick else functions.FIRSTS
    rows = [dict(guarded(lambda f=form: octaves_row(simulator, target, oracle, f, firsts)), id=form) for form in forms]
    rows += [dict(guarded(lambda f=form: halves_row(simulator, target, f)), id=form) for form in functions.HALVES]
    for row in rows:
        if row["id"] in functions.DOUBLES and "error" not in row:
            row["note"] = "PTX states bounds alone; not judged"
    # Of other chips PTX states bounds, not bits: a difference is reported and fails only where one side has a NaN, or where the
    # results themselves cannot be looked at.
    bad = [row for row in rows if "error" in row or row["classes"] or (row.get("unequal") and not row["mismatches"] and "note" not in row)]
    return {"rows": rows, "agrees": not bad,
            "equal": all("error" not in row and row["mismatches"] == 0 and not row.get("unequal") for row in rows)}


def cycles_part(simulator, target, chip, quick, watch):
    """`watch`: what measures a point (cycles.Watch, or a recording), or None for a dry run."""
    result = {"sets": {}, "agrees": True}
    if watch:
        result["empty_cycles"], result["empty_event_s"] = watch.empty, watch.empty_event
    for name in cycles.SETS:
        chosen = cycles.load_set(name)
        if quick:
            chosen["points"] = chosen["points"][1:3]
        rows = guarded(lambda c=chosen: cycles.simulate_set(simulator, c, chip, watch.empty if watch else 0))
        if isinstance(rows, dict):
            return dict(result, agrees=False, error=rows["error"])
        truths = {}
        for row, point in zip(rows, chosen["points"]):
            if watch:
                measured = guarded(lambda p=point, c=chosen: watch.measure(c["ptx"], p))
            else:
                measured = guarded(lambda p=point, c=chosen: dry_measure(target, c["ptx"], p))
            row["measured"] = measured
            if "error" not in measured:
                truths[row["id"]] = measured["cold"]["cycles"]
        bad = [row["id"] for row in rows if "error" in row or "error" in row["measured"]]
        result["agrees"] = result["agrees"] and not bad
        result["sets"][name] = {"sha256": chosen["sha256"], "rows": rows, "fit": cycles.summary(rows, truths)}
    return result


def dry_measure(target, ptx, point):
    """What Watch.measure gives, from the simulator's own clock; the instrumented kernel must compute what the plain one does."""
    document, plain = target.run(ptx, point, timed=True)
    _, _, files, slots = cycles.watched_run(target, ptx, point)
    if point["kernel"] not in ORDER_DEPENDS and differing_bytes(plain, files):
        raise ValueError("the clocks change what the kernel computes")
    if not 0 < slots["cycles"] < 4 * document["cycles"] + 2000:
        raise ValueError(f"the clocks say {slots['cycles']} cycles, the simulator {document['cycles']}")
    return {"cold": {"cycles": slots["cycles"], "whole_cycles": document["cycles"]}}


def profiled_points(options):
    """The points in the order in which ncu saw them: what came after the profile of a recording was not there."""
    later = recording.waiting(pathlib.Path(options.profile).parent) if options.profile else set()
    return [one for one in bit_points(options.quick) if one[0] not in later]


def launch_all(target, quick):
    """What ncu watches: each point once, in the order of bit_points()."""
    for _, ptx, point in bit_points(quick):
        target.run(ptx, point)


def version_of(worker):
    root = pathlib.Path(__file__).resolve().parents[2]
    done = subprocess.run(["git", "-C", str(root), "rev-parse", "--short=12", "HEAD"], capture_output=True, text=True,
                          check=False) if pathlib.Path(root, ".git").exists() else None
    known = os.environ.get("RIDGE_VERSION") or (done.stdout.strip() if done and done.returncode == 0 else "")
    return known or "worker-" + str(int(os.path.getmtime(worker)))


def earlier_parts(folder, results):
    """What an earlier run of the same version left on the same device: parts may be run one by one."""
    try:
        old = json.loads(pathlib.Path(folder, "simt.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    same = all(old.get(key) == results[key] for key in ("schema", "version", "device", "simulation", "dry_run"))
    return old["parts"] if same else {}


def save(folder, results):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "simt.json").write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    (folder / "simt.md").write_text(simt_report.markdown(results), encoding="utf-8")
    sets = results["parts"].get("cycles", {}).get("sets", {})
    if "heldout" in sets and not results["dry_run"]:
        held = {key: results[key] for key in ("schema", "version", "device", "simulation", "date")}
        held.update(sets["heldout"])
        (folder / f"heldout-{results['version']}.json").write_text(json.dumps(held, indent=1) + "\n", encoding="utf-8")


def main():
    global newest_sm
    options = arguments()
    begin = time.monotonic()
    parts = [name for name in options.parts.split(",") if name]
    if unknown := [name for name in parts if name not in PARTS]:
        print(f"run.sh: there is no part {unknown[0]}; parts are {', '.join(PARTS)}", file=sys.stderr)
        return 2
    oracle = options.oracle or str(pathlib.Path(options.worker).parent / "oracle")
    if "functions" in parts and not options.recorded and not os.access(oracle, os.X_OK):
        print(f"run.sh: there is no oracle at {oracle}; build it (cmake --build build/release --target oracle) or leave the"
              " functions out with --parts", file=sys.stderr)
        return 2
    simulator = Simulator(options.worker, options.sim)
    gpu = None
    try:
        watch = None
        if options.recorded:
            target = watch = recording.RecordedTarget(options.recorded)
            device = target.facts["device"] + ", recorded " + target.facts["date"]
        elif options.dry_run:
            target = Simulator(options.worker, options.sim)
            device = options.sim + " in the place of a GPU"
        else:
            gpu = cuda_driver.Gpu(cubins=options.cubins)
            target = cuda_driver.GpuTarget(gpu, simulator.contents)
            device = gpu.name
            watch = cycles.Watch(target) if "cycles" in parts else None
        chip = cycles.chip_facts(data_folder(), options.sim.split(":")[1])
        newest_sm = chip["sm"]
        if options.launch_all:
            launch_all(target, options.quick)
            return 0
        ask(options.worker, "targets")
    except (WorkerFailed, cuda_driver.CudaFailed) as error:
        print(f"run.sh: {error}", file=sys.stderr)
        return 3 if isinstance(error, cuda_driver.CudaFailed) else 2
    results = {"schema": "ridge-simt-results/1", "version": version_of(options.worker), "device": device,
               "facts": gpu.facts if gpu else {}, "simulation": options.sim, "dry_run": options.dry_run,
               "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "parts": {}}
    results["parts"] = earlier_parts(options.out, results)
    work = {"bits": lambda: bits_part(simulator, target, options.quick),
            "counters": lambda: counters.compare(simulator, bit_points(options.quick), options, gpu is not None),
            "functions": lambda: functions_part(simulator, target, None if options.recorded else oracle, options.quick),
            "mma": lambda: mma_part(simulator, target, options.quick),
            "cycles": lambda: cycles_part(simulator, target, chip, options.quick, watch)}
    left = []
    for name in parts:
        if time.monotonic() - begin > options.seconds:
            left.append(name)
            continue
        print(f"simt {name}: {device} against {options.sim} …", flush=True)
        start = time.monotonic()
        part = guarded(work[name])
        part.setdefault("agrees", False)
        part["seconds"] = time.monotonic() - start
        if options.dry_run and name == "functions":
            part["agrees"] = part["agrees"] and part.get("equal", False)
        results["parts"][name] = part
        save(options.out, results)
        print("  " + simt_report.summary(name, part), flush=True)
    print(f"results: {os.path.join(options.out, 'simt.md')}")
    if any(not results["parts"][name]["agrees"] for name in parts if name not in left):
        return 1
    if left:
        print(f"run.sh: out of time; go on with: run.sh --only simt --parts {','.join(left)}", file=sys.stderr)
        return 4
    return 0


if __name__ == "__main__":
    sys.exit(main())
