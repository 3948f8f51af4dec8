# SPDX-License-Identifier: GPL-3.0-or-later
"""run.sh --only experiments: against a made-up worker, and the real one on the simulator against itself."""

import json
import os
import pathlib
import stat
import subprocess
import tempfile
import unittest

import compare
import experiments
import goals
import points
import report
import test_compare
from worker_client import ask

HERE = pathlib.Path(__file__).parent
BIN = pathlib.Path(os.environ["RIDGE_BIN"]) if "RIDGE_BIN" in os.environ else None
# The worker of test_compare.py with a time, a share that follows from it, and a modelled number that knows the chip.
WORKER = test_compare.WORKER.replace('''        if gpu:
            metrics["speed"]''', '''        import time
        metrics["time"] = {"value": 2e-3 if gpu else 3e-3, "unit": "s", "provenance": "MEASURED" if gpu else "SIMULATED"}
        metrics["share"] = {"value": time.perf_counter() if gpu else 1.0, "unit": "%", "provenance": "MODELLED" if gpu else "SIMULATED"}
        metrics["memory"] = {"value": 141 if gpu else 144, "unit": "GB", "provenance": "MODELLED"}
        if fault == "refuse" and stride == 4 or fault == "sim-memory" and not gpu and stride == 4:
            say(event="failed", error={"code": "bad-parameters" if fault == "refuse" else "out-of-memory", "message": "no",
                                       "place": "", "fix": ""}); sys.exit(1)
        if gpu:
            metrics["speed"]''')


class RunScript(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.worker = pathlib.Path(self.folder.name, "worker")
        self.write_worker(WORKER)

    def write_worker(self, text):
        self.worker.write_text(text, encoding="utf-8")
        self.worker.chmod(self.worker.stat().st_mode | stat.S_IXUSR)

    def run_script(self, fault, *more, only="experiments"):
        environment = dict(os.environ, FAKE=fault, OUT=self.folder.name + "/out")
        return subprocess.run([HERE / "run.sh", self.worker, "--only", only, *more], env=environment,
                              capture_output=True, text=True, check=False, timeout=1200)

    def file(self, name):
        return pathlib.Path(self.folder.name, "out", name).read_text(encoding="utf-8")

    def test_agreement(self):
        done = self.run_script("")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        one = json.loads(self.file("experiments.json"))["experiments"]["coal"]
        self.assertTrue(one["agrees"])
        self.assertEqual(one["varying"], ["share"])
        self.assertAlmostEqual(one["ratio"]["median"], 1.5)
        self.assertTrue(all(row["compared"] == ["sectors"] for row in one["points"]))
        baseline = json.loads(self.file("baseline-h200-sxm.json"))
        self.assertEqual((baseline["schema"], baseline["chip"], baseline["fingerprint"]),
                         ("ridge-baseline/1", "h200-sxm", {"x": 1}))
        for point in baseline["experiments"]["coal"]["points"]:
            self.assertEqual(set(point["metrics"]), {"time", "speed"})
            self.assertEqual(point["params"]["n"], 65536)
        try:
            import jsonschema
        except ImportError:
            jsonschema = None
        if jsonschema:
            schema = json.loads((HERE.parent.parent / "assets/schemas/baseline.schema.json").read_text(encoding="utf-8"))
            jsonschema.Draft202012Validator(schema).validate(baseline)
        self.assertIn("| coal | yes |", self.file("experiments.md"))
        self.assertIn("there is no experiment stream", self.file("experiments.md"))

    def test_each_way_to_disagree(self):
        for fault, words in {"count": "sectors: 33", "check": "check ok failed", "oom": "out-of-memory",
                             "crash": "status 11", "garbage": "not an event"}.items():
            with self.subTest(fault):
                done = self.run_script(fault, "--fresh")
                self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
                self.assertIn(words, done.stdout)

    def test_what_both_refuse_and_what_the_simulator_cannot(self):
        done = self.run_script("refuse")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("both refuse: bad-parameters", self.file("experiments.md"))
        done = self.run_script("sim-memory", "--fresh")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("1 not reached", done.stdout)

    def test_a_later_call_goes_on(self):
        self.assertEqual(self.run_script("", "--seconds", "1").returncode, 4)
        self.assertEqual(json.loads(self.file("experiments.json"))["experiments"], {})
        self.assertEqual(self.run_script("", "--parts", "coal").returncode, 0)
        done = self.run_script("")
        self.assertNotIn("coal:", done.stdout)
        self.assertIn("K10:", done.stdout)
        self.assertNotIn(":", self.run_script("").stdout.replace("results:", ""))
        self.write_worker(WORKER + "\n# another\n")
        self.assertIn("coal:", self.run_script("").stdout)

    def test_cannot_start(self):
        self.assertEqual(self.run_script("no-gpu").returncode, 3)
        self.assertEqual(self.run_script("", "--parts", "coal,magic").returncode, 2)
        done = self.run_script("no-gpu", "--dry-run")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertFalse(pathlib.Path(self.folder.name, "out", "baseline-h100-sxm.json").exists())

    def test_a_module_is_a_group(self):
        done = self.run_script("", only="module2")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        results = json.loads(self.file("experiments.json"))
        self.assertEqual((list(results["experiments"]), results["goals"]), (["coal"], {}))
        self.assertEqual(self.run_script("no-gpu", "--list", only="module2").stdout, "coal\n")
        none = self.run_script("", only="module4")
        self.assertEqual(none.returncode, 2)
        self.assertIn("some of the modules 2", none.stderr)
        both = self.run_script("", "--parts", "coal", only="module2")
        self.assertEqual(both.returncode, 2)
        self.assertIn("exclude each other", both.stderr)

    @unittest.skipUnless(BIN and (BIN / "ridge-worker").exists(), "needs RIDGE_BIN with ridge-worker")
    def test_module_4_names_its_parts(self):
        self.worker = BIN / "ridge-worker"
        for more in ((), ("--dry-run",)):
            done = self.run_script("", "--list", *more, only="module4")
            self.assertEqual(done.returncode, 0, done.stderr)
            parts = done.stdout.split()
            named = done.stdout.splitlines()
            self.assertTrue({"matmul", "tensor_matmul", "hopper_matmul", "attention", "softmax", "norm", "fusion",
                             "kernel_chain"} <= set(parts), parts)
            self.assertTrue({"K1", "K2", "K3", "K4", "K5", "K7", "K8", "K9", "K1 wgmma", "K2 wgmma", "K3 wgmma", "K4 wgmma", "K12 RMSNorm", "K13"}
                            <= set(named), named)
            self.assertLess(named.index("K3"), named.index("matmul"))
            self.assertEqual(len(named), len(set(named)))
            self.assertNotIn("coalescing", named)  # of module 2

    @unittest.skipUnless(BIN and (BIN / "ridge-worker").exists(), "needs RIDGE_BIN with ridge-worker")
    def test_the_simulator_against_itself(self):
        self.worker = BIN / "ridge-worker"
        done = self.run_script("", "--dry-run", "--points", "2", "--parts", "coalescing,bank_conflicts,K17")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        results = json.loads(self.file("experiments.json"))
        self.assertEqual(set(results["experiments"]), {"coalescing", "bank_conflicts"})
        for one in results["experiments"].values():
            self.assertEqual((len(one["points"]), one["ratio"]["median"], one["varying"]), (2, 1.0, []))
            self.assertIn("matches_reference", one["points"][0]["checks"])
        self.assertIn("not judged", results["goals"]["K17"]["verdict"])


class Goals(unittest.TestCase):
    CATALOGUE = [{"id": "stream", "targets": ["gpu", "sim"], "parameters": [
        {"name": "operation", "type": "choice", "choices": ["copy", "triad"], "default": "copy"},
        {"name": "width", "type": "int", "range": [4, 64], "scale": "log2", "default": 4},
        {"name": "bytes", "type": "int", "range": [1, 1 << 32], "scale": "log2", "default": 1024,
         "default_for": {"gpu": 1 << 20}}]}]

    def goal(self, **changes):
        return goals.Goal(**dict({"id": "K0", "title": "t", "floor": 0.5, "target": 0.9, "experiment": "stream",
                                  "metric": "bandwidth", "params": {"operation": "copy", "bytes": 1 << 30, "width": [4, 16]},
                                  "against": 100.0}, **changes))

    def measure(self, goal, value=95.0, passed=True, provenance="MEASURED", validity="valid", target="gpu:0"):
        asked = []

        def run(name, given):
            asked.append((name, given))
            return {i: {"metrics": {"bandwidth": {"value": value if p["width"] == 16 else value / 2, "provenance": provenance}},
                        "limits": {"bandwidth": {"value": 200.0}}, "validity": validity,
                        "checks": [{"name": "c", "passed": passed, "detail": ""}]} for i, p in enumerate(given)}, "", False
        return goals.measure(goal, self.CATALOGUE, target, run), asked

    def test_sizes_that_go_together(self):
        row, asked = self.measure(self.goal(params={"operation": "copy", "width": [4, 16]}, ratio=False, mean_over="width",
                                            tied=("bytes",)))
        self.assertEqual([(p["width"], p["bytes"]) for _, given in asked for p in given], [(4, 4), (16, 16)])
        self.assertAlmostEqual(row["value"], 95.0 / 2 ** 0.5)
        # Each goal names what its experiment has, and a mean is over a parameter that is varied.
        for goal in goals.GOALS:
            self.assertEqual(bool(goal.mean_over), isinstance(goal.params.get(goal.mean_over), list), goal.id)
            self.assertTrue(goal.mean_over or not goal.tied, goal.id)

    def test_the_best_point_counts(self):
        row, asked = self.measure(self.goal())
        self.assertEqual((row["verdict"], row["result"], row["params"]["width"]), ("target", 0.95, 16))
        self.assertEqual([p["width"] for p in asked[0][1]], [4, 16])
        self.assertEqual(self.measure(self.goal(), value=60)[0]["verdict"], "floor")
        self.assertEqual(self.measure(self.goal(), value=40)[0]["verdict"], "missed")
        self.assertAlmostEqual(self.measure(self.goal(against="limit"))[0]["result"], 95 / 200)
        slow = self.goal(best="min", ratio=False, floor=1.5, target=1.0)
        self.assertEqual(self.measure(slow, value=2.4)[0]["verdict"], "floor")  # 1.2 is the better of both

    def test_what_spoils_a_verdict(self):
        self.assertEqual(self.measure(self.goal(), passed=False)[0]["verdict"], "wrong results")
        self.assertEqual(self.measure(self.goal(), provenance="SIMULATED")[0]["verdict"], "not judged: simulated")
        self.assertEqual(self.measure(self.goal(), validity="throttled")[0]["verdict"], "target (throttled)")
        self.assertIn("no experiment", self.measure(self.goal(experiment="magic"))[0]["why"])
        vendor = self.goal(metric="driver_share")
        self.assertIn("a simulator has no", self.measure(vendor, target="sim:t4")[0]["why"])
        self.assertIn("ridge doctor", self.measure(vendor)[0]["why"])
        self.assertIn("metric", self.measure(self.goal(metric="magic"))[0]["why"])
        self.assertIn("CUDA toolkit 13", self.measure(self.goal(metric="cub_share"), target="sim:t4")[0]["why"])
        row, _ = self.measure(self.goal(params={"operation": "copy", "width": 16, "magic": 1}))
        self.assertEqual((row["verdict"], row["said"]), ("target", ["stream has no parameter magic"]))

    def test_dry_runs_stay_small(self):
        _, asked = self.measure(self.goal(), target="sim:h100-sxm")
        self.assertEqual(asked[0][1], [{"operation": "copy", "width": 4, "bytes": 1024}])
        # Sizes stay small; what is asked for in words is asked for.
        words = {"name": "against", "type": "choice", "choices": ["none", "cub"], "default": "none", "default_for": {"gpu": "cub"}}
        catalogue = [dict(self.CATALOGUE[0], parameters=self.CATALOGUE[0]["parameters"] + [words])]
        points, _ = goals.points_of(self.goal(params={"bytes": 1 << 30, "against": "cub"}), catalogue[0], "sim", True)
        self.assertEqual((points[0]["bytes"], points[0]["against"]), (1024, "cub"))

    def over_widths(self, values, best="max"):
        """A goal over the geometric mean of widths, each with the better of two operations; `values` by (operation, width)."""
        goal = self.goal(metric="driver_share", ratio=False, unit="%", floor=80, target=97, mean_over="width", best=best,
                         params={"operation": ["copy", "triad"], "width": [4, 16, 64]})

        def run(_, given):
            found = {}
            for i, point in enumerate(given):
                value = values.get((point["operation"], point["width"]))
                if value is not None:
                    metrics = {"driver_share": {"value": value, "provenance": "MEASURED"},
                               "driver_share_iqr": {"value": value / 100, "provenance": "MEASURED"},
                               "driver_share_pairs": {"value": point["width"], "provenance": "MEASURED"}}
                    found[i] = {"metrics": metrics, "validity": "valid" if value < 150 else "throttled", "checks": []}
            return found, "out-of-memory: no", False
        return goals.measure(goal, self.CATALOGUE, "gpu:0", run)

    def test_a_geometric_mean_takes_the_best_of_each(self):
        row = self.over_widths({("copy", 4): 50, ("triad", 4): 64, ("copy", 16): 100, ("triad", 64): 160, ("copy", 64): 10})
        self.assertAlmostEqual(row["result"], (64 * 100 * 160) ** (1 / 3))
        self.assertEqual(row["each"], {"4": 64, "16": 100, "64": 160})
        self.assertEqual([p["operation"] for p in row["params"]], ["triad", "copy", "triad"])
        self.assertEqual((row["verdict"], row["validity"]), ("target (throttled)", "throttled"))
        self.assertEqual((row["iqr"], row["pairs"]), (1.6, 64))  # of the widest
        self.assertIn("100.79", report.goal_line(row))
        self.assertIn("(1.6 IQR of 64 pairs)", report.goal_line(row))
        self.assertIn("| 1.6 (64) |", report.goals_table({"K0": row}))

    def test_a_mean_with_a_gap_is_none(self):
        row = self.over_widths({("copy", 4): 50, ("triad", 64): 160})
        self.assertEqual(row["verdict"], "not measurable")
        self.assertIn("width = [16]", row["why"])
        self.assertIn("out-of-memory", row["why"])
        self.assertNotIn("result", row)

    @unittest.skipUnless(BIN and (BIN / "ridge-worker").exists(), "needs RIDGE_BIN with ridge-worker")
    def test_goals_fit_the_catalogue(self):
        catalogue = {e["id"]: e for e in ask(BIN / "ridge-worker", "describe")["experiments"]}
        for goal in goals.GOALS:
            experiment = catalogue[goal.experiment]
            self.assertEqual(goals.points_of(goal, experiment, "gpu", False)[1], [], goal.id)
            self.assertIn(goal.metric, [metric["name"] for metric in experiment["metrics"]], goal.id)
            names = [metric["name"] for metric in experiment["metrics"]]
            if goal.metric in goals.PAIRED:  # the worker takes turns with the other, and tells the spread of the pairs
                self.assertFalse(goal.ratio, goal.id)
                self.assertTrue({goal.metric + "_iqr", goal.metric + "_pairs"} <= set(names), goal.id)
            if goal.mean_over:
                self.assertGreater(len(goal.params[goal.mean_over]), 1, goal.id)
            if goal.against == "limit":
                self.assertIn(goal.metric, [limit["metric"] for limit in experiment["limits"]], goal.id)
            for name, values in goal.params.items():
                parameter = next(p for p in experiment["parameters"] if p["name"] == name)
                for value in values if isinstance(values, list) else [values]:
                    self.assertTrue(goals.legal(parameter, value), f"{goal.id}: {name}={value}")

    def test_every_goal_is_whole(self):
        for goal in goals.GOALS:
            self.assertTrue(goal.ratio is False or goal.against is not None, goal.id)
            self.assertTrue(goal.floor <= goal.target if goal.best == "max" else goal.floor >= goal.target, goal.id)


class Rules(unittest.TestCase):
    def test_a_part_that_was_cut_short_runs_again(self):
        whole, cut = {"asked": 2, "points": [1, 2]}, {"asked": 2, "points": [1]}
        self.assertFalse(experiments.cut_short(whole, 30))
        self.assertTrue(experiments.cut_short(cut, 30))
        self.assertFalse(experiments.cut_short(cut, experiments.PART_SECONDS))  # it had all the time that a part gets
        late = {"id": "K0", "verdict": "target", "out_of_time": True}  # the best of those that were reached
        self.assertTrue(experiments.cut_short(late, 30))
        self.assertFalse(experiments.cut_short(late, experiments.PART_SECONDS))
        self.assertFalse(experiments.cut_short(dict(late, out_of_time=False), 30))
        results = {"goals": {"K0": dict(late, again=True), "K1": dict(late, again=False)}, "experiments": {"coal": {}}}
        self.assertEqual([experiments.is_done(results, part) for part in ("K0", "K1", "coal", "other")], [False, True, True, False])

    def test_a_module_shares_its_time(self):
        options = type("Options", (), {"module": 4})
        run = experiments.Run(options, "gpu:0", experiments.time.monotonic() + 1000)
        self.assertAlmostEqual(run.begin_part(10), 100, delta=50)
        self.assertAlmostEqual(run.begin_part(100), experiments.START_SECONDS, delta=1)  # less is of no use
        options.module = None
        self.assertAlmostEqual(run.begin_part(10), 1000, delta=500)  # no sharing: each call goes as far as it comes
        self.assertLess(experiments.MODULE_SECONDS, 600)

    def test_grid(self):
        experiment = {"parameters": [{"name": name, "type": "int", "range": [1, 64], "scale": "log2", "default": 8}
                                     for name in "abcdef"]}
        grid = points.small_grid(experiment, "sim", 12)
        self.assertEqual((len(grid), grid[0]), (12, dict.fromkeys("abcdef", 8)))
        self.assertGreaterEqual(len({name for point in grid[1:] for name in point if point[name] != 8}), 5)
        self.assertEqual(len(points.small_grid(experiment, "sim", 1)), 1)
        experiment["parameters"].append({"name": "file", "type": "text", "default": ""})  # has neither range nor choices
        self.assertEqual({point["file"] for point in points.small_grid(experiment, "sim", 12)}, {""})

    def test_refusals(self):
        bad, crashed = {"errors": {0: {"code": "bad-parameters"}}}, {"errors": {0: {"code": "crashed"}}}
        self.assertEqual(compare.refused_alike(0, {"a": bad, "b": bad}), "bad-parameters")
        self.assertIsNone(compare.refused_alike(0, {"a": crashed, "b": crashed}))
        self.assertIsNone(compare.refused_alike(0, {"a": bad, "b": {"errors": {}}}))

    def test_times(self):
        sample = lambda time, validity="valid": {"metrics": {"time": {"value": time}}, "validity": validity}
        self.assertEqual(compare.time_ratio(sample(2.0), sample(3.0)), 1.5)
        self.assertIsNone(compare.time_ratio(sample(2.0, "throttled"), sample(3.0)))
        self.assertIsNone(compare.time_ratio({"metrics": {}, "validity": "valid"}, sample(3.0)))
        self.assertIsNone(experiments.ratios_of([{"ratio": None}]))


if __name__ == "__main__":
    unittest.main()
