# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs every experiment on a target and on the simulation of its chip and compares what both say. See run.sh."""

import argparse
import json
import os
import sys
import time

import points as choose
import report
from worker_client import WorkerFailed, ask, run_points

# A quantity of these units depends on how fast the target is; everything else must agree.
RATE_ENDINGS = ("/s",)
RATE_UNITS = ("s", "ms", "us", "ns", "Hz", "W", "J")
TOLERANCE = 1e-9


def arguments():
    parser = argparse.ArgumentParser(prog="run.sh", description=__doc__)
    parser.add_argument("--worker", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--only", action="append", default=[], metavar="NAME")
    parser.add_argument("--target", default=None)
    parser.add_argument("--sim", default=None, help="compare with this simulated chip")
    parser.add_argument("--dry-run", action="store_true", help="use a simulated chip as the target")
    parser.add_argument("--seconds", type=float, default=540, help="time for everything")
    parser.add_argument("--points", type=int, default=6, help="values for each parameter")
    return parser.parse_args()


def die(status, message):
    print(f"run.sh: {message}", file=sys.stderr)
    sys.exit(status)


def pick_targets(options, rows):
    """(target, simulated reference, note)."""
    known = {row["id"]: row for row in rows}
    target = options.target or ("sim:h100-sxm" if options.dry_run else "gpu:0")
    row = known.get(target)
    if row is None:
        die(2, f"the worker knows no target {target}")
    if not row["available"]:
        die(3, f"{target} cannot be used: {row['reason']}. {row['fix']}")
    if target.startswith("sim:"):
        if not options.dry_run:
            die(2, f"{target} is a simulation: add --dry-run")
        return target, options.sim or target, "dry run: a simulator against itself"
    if options.sim:
        return target, options.sim, ""
    if row["chip"]:
        return target, "sim:" + row["chip"], ""
    return target, "sim:h100-sxm", f"{row['title']} is not in the chip table; compared with another chip"


def is_rate(unit):
    return unit in RATE_UNITS or unit.endswith(RATE_ENDINGS)


def close(a, b):
    return abs(a - b) <= TOLERANCE * max(1.0, abs(a), abs(b))


def compare_sample(on_target, on_sim, varying=()):
    """Differences between two samples of one point, and the names that were compared. Not compared: what follows from a
    time (by its unit, because it was measured, or `varying`: not the same when run again), and what both sides only
    model, where the facts of the chip may differ (memory that the driver keeps, say)."""
    differences = []
    compared = []
    for name, theirs in on_sim["metrics"].items():
        ours = on_target["metrics"].get(name)
        if ours is None or name in varying or is_rate(theirs["unit"]) or ours["provenance"] == "MEASURED":
            continue
        if ours["provenance"] == theirs["provenance"] == "MODELLED" and not close(ours["value"], theirs["value"]):
            continue
        compared.append(name)
        if ours["unit"] != theirs["unit"] or not close(ours["value"], theirs["value"]):
            differences.append(f"{name}: {ours['value']} {ours['unit']} on the target ({ours['provenance']}), "
                               f"{theirs['value']} {theirs['unit']} simulated")
    for where, sample in (("target", on_target), ("simulation", on_sim)):
        for check in sample["checks"]:
            if not check["passed"]:
                differences.append(f"check {check['name']} failed on the {where}: {check['detail']}")
    return differences, compared


# The simulator may give up where a GPU does not; it is alone, too.
OF_THE_SIMULATOR = ("out-of-memory", "time-limit", "cancelled", "hung", "no-peer")


def refused_alike(index, sides):
    """Both sides refuse the point for the same reason: they agree."""
    codes = [run["errors"][index]["code"] if index in run["errors"] else None for run in sides.values()]
    return codes[0] if codes[0] == codes[1] and codes[0] not in ("crashed", "hung", "time-limit") else None


def compare_runs(points, on_target, on_sim, varying=()):
    """One row for each point."""
    rows = []
    for index, params in enumerate(points):
        row = {"params": params, "compared": [], "differences": []}
        sides = {"target": on_target, "simulation": on_sim}
        if refused := refused_alike(index, sides):
            rows.append(dict(row, refused=refused))
            continue
        for where, run in sides.items():
            if index in run["errors"]:
                error = run["errors"][index]
                row["differences"].append(f"{where}: {error['code']}: {error['message']}")
            elif index not in run["samples"]:
                row["differences"].append(f"{where}: not reached")
        if not row["differences"]:
            ours, theirs = on_target["samples"][index], on_sim["samples"][index]
            row["differences"], row["compared"] = compare_sample(ours, theirs, varying)
            row["ratio"] = time_ratio(ours, theirs)
            row["target"] = ours["metrics"]
            row["simulation"] = theirs["metrics"]
            row["checks"] = [check["name"] for check in ours["checks"]]
            row["validity"] = ours["validity"]
            if not row["checks"] and not row["compared"]:
                row["differences"].append("nothing to compare: the experiment gives neither checks nor counters")
        rows.append(row)
    return rows


def time_ratio(ours, theirs):
    """Simulated over measured time; None where either says nothing or the measurement is spoilt."""
    times = [sample["metrics"].get("time") for sample in (ours, theirs)]
    if None in times or ours["validity"] != "valid" or not times[0]["value"] > 0:
        return None
    return times[1]["value"] / times[0]["value"]


def run_experiment(options, experiment, target, sim, deadline):
    """Comparison at sizes that the simulator bears, then timings at the target's own size."""
    name = experiment["id"]
    share = max(10.0, min(150.0, deadline - time.monotonic()))
    compare_at = choose.sweep_points(experiment, "sim", options.points)
    on_target = run_points(options.worker, name, target, compare_at, share)
    on_sim = run_points(options.worker, name, sim, compare_at, share)
    rows = compare_runs(compare_at, on_target, on_sim)

    target_class = target.split(":")[0]
    time_at = choose.chart_points(experiment, target_class, 2 * options.points)
    timed = run_points(options.worker, name, target, time_at, max(10.0, min(150.0, deadline - time.monotonic())))
    timings = [{"params": time_at[i], "metrics": s["metrics"], "limits": s.get("limits", {}),
                "validity": s["validity"]} for i, s in sorted(timed["samples"].items())]
    failed_timings = [f"{time_at[i]}: {e['code']}: {e['message']}" for i, e in timed["errors"].items()]
    started = on_target["started"] or {}
    return {"id": name, "title": experiment["title"], "version": experiment["version"], "target": target,
            "simulation": sim, "fingerprint": started.get("fingerprint"), "provenance": started.get("provenance"),
            "agrees": all(not row["differences"] for row in rows) and not failed_timings,
            "points": rows, "timings": timings, "timing_errors": failed_timings,
            "seconds": {"target": on_target["seconds"], "simulation": on_sim["seconds"], "timing": timed["seconds"]}}


def load_results(path):
    try:
        with open(path, encoding="utf-8") as file:
            results = json.load(file)
        return results if results.get("schema") == "ridge-gpu-results/1" else None
    except (OSError, ValueError):
        return None


def save(folder, results):
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, "results.json")
    with open(path + ".new", "w", encoding="utf-8") as file:
        json.dump(results, file, indent=1)
        file.write("\n")
    os.replace(path + ".new", path)
    with open(os.path.join(folder, "results.md"), "w", encoding="utf-8") as file:
        file.write(report.markdown(results))


def main():
    options = arguments()
    deadline = time.monotonic() + options.seconds
    try:
        experiments = ask(options.worker, "describe")["experiments"]
        rows = ask(options.worker, "targets")["targets"]
    except WorkerFailed as error:
        die(2, str(error))
    target, sim, note = pick_targets(options, rows)
    target_class = target.split(":")[0]
    known = [e["id"] for e in experiments]
    for name in options.only:
        if name not in known:
            die(2, f"there is no experiment {name}; the worker has {', '.join(known)}")
    wanted = [e for e in experiments if (not options.only or e["id"] in options.only)
              and target_class in e["targets"] and "sim" in e["targets"]]
    if not wanted:
        die(2, f"no experiment runs on {target_class} and on the simulator")

    results = (load_results(os.path.join(options.out, "results.json")) if options.only else None) or {
        "schema": "ridge-gpu-results/1", "experiments": {}}
    results.update({"target": target, "simulation": sim, "note": note, "dry_run": options.dry_run,
                    "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())})
    left_out = []
    for experiment in wanted:
        if time.monotonic() > deadline - 5:
            left_out.append(experiment["id"])
            continue
        print(f"{experiment['id']}: {target} against {sim} …", flush=True)
        try:
            outcome = run_experiment(options, experiment, target, sim, deadline)
        except WorkerFailed as error:
            outcome = {"id": experiment["id"], "title": experiment["title"], "agrees": False, "points": [],
                       "timings": [], "timing_errors": [str(error)], "seconds": {}}
        results["experiments"][experiment["id"]] = outcome
        save(options.out, results)
        print("  " + report.summary(outcome), flush=True)
    print(f"results: {os.path.join(options.out, 'results.md')}")
    if any(not results["experiments"][e["id"]]["agrees"] for e in wanted if e["id"] not in left_out):
        sys.exit(1)
    if left_out:
        die(4, "out of time; go on with: run.sh " + " ".join(f"--only {name}" for name in left_out))


if __name__ == "__main__":
    main()
