# SPDX-License-Identifier: GPL-3.0-or-later
"""Every experiment of the worker's catalogue on a GPU and on the simulation of its chip, and the goals that they allow. See
run.sh. Runs in parts, one for each experiment and goal; a call that is out of time says so, and the next one goes on."""

import argparse
import hashlib
import json
import os
import pathlib
import statistics
import sys
import time

import compare
import goals
import points as choose
import report
from worker_client import WorkerFailed, ask, run_points

SCHEMA = "ridge-experiments/1"
PART_SECONDS = 240  # that one part may take at most
# A part is not begun with less than this left, so that a call keeps to its time.
START_SECONDS = 25
CALL_SECONDS = 285
MODULE_SECONDS = 570  # a module is one call


def arguments():
    parser = argparse.ArgumentParser(prog="run.sh --only experiments", description=__doc__)
    parser.add_argument("--worker", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--parts", default="", help="some of the experiments' ids, goals (all), or a goal's id")
    parser.add_argument("--module", type=int, default=None, help="the experiments of a module and the goals they are held to")
    parser.add_argument("--list", action="store_true", help="name the parts, one a line, and measure nothing")
    parser.add_argument("--target", default=None)
    parser.add_argument("--sim", default=None, help="compare with this simulated chip")
    parser.add_argument("--dry-run", action="store_true", help="the simulator in the GPU's place")
    parser.add_argument("--points", type=int, default=12, help="points of an experiment that are compared, at most")
    parser.add_argument("--timed", type=int, default=8, help="values of the first chart's axis that are timed")
    parser.add_argument("--regime", default="quick", choices=("quick", "burst", "settled"), help="how warm a GPU is timed")
    parser.add_argument("--seconds", type=float, default=None, help="time of this call; what is left is the next one's")
    parser.add_argument("--fresh", action="store_true", help="forget what earlier calls found")
    options = parser.parse_args()
    if options.module is not None and options.parts:
        parser.error("--parts and a module exclude each other")
    if options.seconds is None:
        options.seconds = CALL_SECONDS if options.module is None else MODULE_SECONDS
    return options


class Run:
    """The worker with this call's deadline."""

    def __init__(self, options, target, deadline):
        self.options, self.target, self.deadline = options, target, deadline
        self.part_ends = deadline

    def left(self):
        return self.deadline - time.monotonic()

    def begin_part(self, parts_left):
        """Of a module every part gets its turn: the time that is left is shared, and what one does not need is the others'.
        Returns what this part has."""
        share = self.left()
        if self.options.module is not None:
            share = max(START_SECONDS, share / parts_left)
        self.part_ends = time.monotonic() + share
        return min(share, self.left())

    def points(self, name, target, points, share=1.0):
        left = min(self.left(), self.part_ends - time.monotonic())
        seconds = max(5.0, min(PART_SECONDS, left) * share)
        return run_points(self.options.worker, name, target, points, seconds, self.options.regime)

    def samples(self, name, points):
        """For goals: ({index: sample}, why some are missing, whether for want of time)."""
        run = self.points(name, self.target, points, 0.9)
        late = any(e["code"] in ("time-limit", "hung") for e in run["errors"].values())
        return run["samples"], "; ".join(f"{e['code']}: {e['message']}" for e in run["errors"].values()), late


def varying_metrics(first, again):
    """What is not the same when the same point runs again: it follows from a time, whatever its unit."""
    return sorted(name for name, one in first["metrics"].items()
                  if name not in again["metrics"] or not compare.close(one["value"], again["metrics"][name]["value"]))


def ratios_of(rows):
    found = sorted(row["ratio"] for row in rows if row.get("ratio"))
    return {"points": len(found), "median": statistics.median(found), "least": found[0], "most": found[-1]} if found else None


def drop_unreached(rows, sides):
    """Points that the time did not suffice for say nothing, nor do those that the simulator alone gave up."""
    kept = []
    for index, row in enumerate(rows):
        codes = {where: run["errors"].get(index, {}).get("code") for where, run in sides.items()}
        unreached = any(index not in run["samples"] and (codes[where] is None or codes[where] in ("time-limit", "cancelled"))
                        for where, run in sides.items())
        if unreached or (codes["simulation"] in compare.OF_THE_SIMULATOR and codes["target"] is None):
            continue
        kept.append(row)
    return kept


def compare_experiment(run, experiment, target, sim):
    name, options = experiment["id"], run.options
    grid = choose.small_grid(experiment, "sim", options.points)
    on_sim = run.points(name, sim, grid, 0.35)
    on_target = run.points(name, target, grid, 0.5)
    again = run.points(name, target, grid[:1], 0.5)
    varying = varying_metrics(on_target["samples"][0], again["samples"][0]) \
        if 0 in on_target["samples"] and 0 in again["samples"] else []
    sides = {"target": on_target, "simulation": on_sim}
    rows = drop_unreached(compare.compare_runs(grid, on_target, on_sim, varying), sides)
    if not rows and run.left() > 0 and on_target["started"] is None:
        raise WorkerFailed("; ".join(sorted({error["message"] for error in on_target["errors"].values()})))
    timings, failed = [], []
    if not target.startswith("sim:"):
        time_at = choose.chart_points(experiment, target.split(":")[0], options.timed)
        timed = run.points(name, target, time_at)
        timings = [{"params": time_at[i], "metrics": s["metrics"], "limits": s.get("limits", {}), "validity": s["validity"],
                    "checks": s["checks"]} for i, s in sorted(timed["samples"].items())]
        failed = [f"{time_at[i]}: {e['code']}: {e['message']}" for i, e in timed["errors"].items()
                  if e["code"] not in ("time-limit", "bad-parameters", "out-of-memory")]
        failed += [f"{row['params']}: check {check['name']} failed: {check['detail']}"
                   for row in timings for check in row["checks"] if not check["passed"]]
    started = on_target["started"] or {}
    return {"id": name, "title": experiment["title"], "version": experiment["version"], "target": target, "simulation": sim,
            "fingerprint": started.get("fingerprint"), "provenance": started.get("provenance"), "varying": varying,
            "agrees": all(not row["differences"] for row in rows) and not failed, "points": rows,
            "asked": len(grid), "ratio": ratios_of(rows), "timings": timings, "timing_errors": failed,
            "seconds": {"target": on_target["seconds"], "simulation": on_sim["seconds"]}}


def baseline_of(results):
    """What a GPU measured, for assets/baselines/<chip>.json (assets/schemas/baseline.schema.json): points, metrics with unit,
    limits, validity; nothing simulated."""
    experiments = {}
    for name, one in sorted(results["experiments"].items()):
        rows = []
        for row in one["timings"]:
            metrics = {key: {"value": m["value"], "unit": m["unit"]} for key, m in sorted(row["metrics"].items())
                       if m["provenance"] == "MEASURED"}
            limits = {key: limit for key, limit in sorted(row.get("limits", {}).items()) if key in metrics and limit["value"] > 0}
            if metrics:
                rows.append({"params": row["params"], "validity": row["validity"], "metrics": metrics,
                             **({"limits": limits} if limits else {})})
        if rows:
            experiments[name] = {"version": one["version"], "points": rows}
    fingerprint = next((one["fingerprint"] for one in results["experiments"].values() if one.get("fingerprint")), {})
    return {"schema": "ridge-baseline/1", "chip": results["chip"], "date": results["date"], "regime": results["regime"],
            "fingerprint": {key: value for key, value in fingerprint.items() if key != "kernels"},
            "experiments": experiments, "goals": results["goals"]}


def write(path, text):
    new = path.with_name(path.name + ".new")
    new.write_text(text, encoding="utf-8")
    os.replace(new, path)


def save(out, results):
    out.mkdir(parents=True, exist_ok=True)
    write(out / "experiments.json", json.dumps(results, indent=1) + "\n")
    write(out / "experiments.md", report.experiments_markdown(results))
    if not results["dry_run"]:
        write(out / f"baseline-{results['chip']}.json", json.dumps(baseline_of(results), indent=1) + "\n")


def cut_short(outcome, began_with):
    """The call's end, not the part's own limit, left points out: the next call begins this part anew."""
    missing = outcome.get("asked", 0) > len(outcome.get("points", [])) or outcome.get("out_of_time", False)
    return missing and began_with < PART_SECONDS - 1


def is_done(results, part):
    return any(part in kind and not kind[part].get("again") for kind in (results["goals"], results["experiments"]))


def earlier(out, key):
    """Results of earlier calls with the same worker, target and settings, or None."""
    try:
        results = json.loads((out / "experiments.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return results if results.get("schema") == SCHEMA and results.get("key") == key else None


def parts_of_module(module, experiments):
    """Its goals first: they are what a GPU's time is for."""
    names = [e["id"] for e in experiments if e["module"] == module]
    if not names:
        compare.die(2, f"there is no experiment of module {module} for this target; there are some of the modules "
                       f"{', '.join(str(m) for m in sorted({e['module'] for e in experiments}))}")
    own = [goal.id for goal in goals.GOALS if goal.experiment in names]
    return own + [goal for goal in goals.OF_OTHER_MODULES.get(module, ()) if goal not in own] + names


def wanted_parts(options, experiments):
    if options.module is not None:
        return parts_of_module(options.module, experiments)
    names = [e["id"] for e in experiments]
    every = names + [goal.id for goal in goals.GOALS]
    given = [part.strip() for part in options.parts.split(",") if part.strip()]
    chosen = []
    for part in given:
        if part != "goals" and part not in every:
            compare.die(2, f"there is no part {part}; there are {', '.join(every)} and goals")
        chosen += [goal.id for goal in goals.GOALS] if part == "goals" else [part]
    return chosen or every


def main():
    options = arguments()
    started = time.monotonic()
    try:
        catalogue = ask(options.worker, "describe")["experiments"]
        rows = ask(options.worker, "targets")["targets"]
    except WorkerFailed as error:
        compare.die(2, str(error))
    if options.list:  # no GPU is needed to say what one would be asked
        wanted = (options.target or ("sim" if options.dry_run else "gpu")).split(":")[0]
        print("\n".join(wanted_parts(options, [e for e in catalogue if wanted in e["targets"] and "sim" in e["targets"]])))
        return
    target, sim, note = compare.pick_targets(options, rows)
    run = Run(options, target, started + options.seconds)
    target_class = target.split(":")[0]
    both = [e for e in catalogue if target_class in e["targets"] and "sim" in e["targets"]]
    parts = wanted_parts(options, both)
    with open(options.worker, "rb") as file:
        digest = hashlib.sha256(file.read()).hexdigest()[:16]
    key = f"{digest} {target} {sim} {options.points} {options.timed} {options.regime} {int(options.dry_run)}"
    out = pathlib.Path(options.out)
    results = (None if options.fresh else earlier(out, key)) or {
        "schema": SCHEMA, "key": key, "target": target, "simulation": sim, "chip": sim.split(":")[1], "note": note,
        "dry_run": options.dry_run, "regime": options.regime, "experiments": {}, "goals": {}}
    results["date"] = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())

    known = {e["id"]: e for e in both}
    by_goal = {goal.id: goal for goal in goals.GOALS}
    left_out = []
    to_do = [part for part in parts if not is_done(results, part)]
    for index, part in enumerate(to_do):
        if run.left() < START_SECONDS:
            left_out.append(part)
            continue
        began_with = run.begin_part(len(to_do) - index)
        print(f"{part}: {target}{'' if part in by_goal else ' against ' + sim} …", flush=True)
        try:
            if part in by_goal:
                outcome = goals.measure(by_goal[part], both, target, run.samples)
                results["goals"][part] = outcome
            else:
                outcome = compare_experiment(run, known[part], target, sim)
                results["experiments"][part] = outcome
            outcome["again"] = cut_short(outcome, began_with)
            left_out += [part] if outcome["again"] else []
        except WorkerFailed as error:
            if part in by_goal:
                outcome = results["goals"][part] = {"id": part, "title": by_goal[part].title, "verdict": "not measurable",
                                                    "why": str(error)}
            else:
                outcome = results["experiments"][part] = {
                    "id": part, "title": known[part]["title"], "version": known[part]["version"], "agrees": False,
                    "points": [], "asked": 0, "timings": [], "timing_errors": [str(error)], "seconds": {}}
        save(out, results)
        print("  " + (report.goal_line(outcome) if part in by_goal else report.summary(outcome)), flush=True)
    save(out, results)
    print(f"results: {out / 'experiments.md'}")
    if any(not results["experiments"][part]["agrees"] for part in parts if part in results["experiments"]):
        sys.exit(1)
    if left_out:
        compare.die(4, f"out of time with {len(left_out)} parts left ({', '.join(left_out)}); call it again to go on")


if __name__ == "__main__":
    main()
