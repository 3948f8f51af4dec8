# SPDX-License-Identifier: GPL-3.0-or-later
"""run.sh against a made-up worker: what agrees passes, and each way to disagree fails."""

import json
import os
import pathlib
import stat
import subprocess
import tempfile
import unittest

import points
from worker_client import WorkerFailed, events_of

HERE = pathlib.Path(__file__).parent

# FAKE selects the fault; it shows on gpu:0 only.
WORKER = r'''#!/usr/bin/env python3
import json, os, sys
fault = os.environ.get("FAKE", "")
if sys.argv[1] == "describe":
    print(json.dumps({"protocol": 1, "experiments": [{"id": "coal", "version": 1, "title": "Coalescing", "module": 2,
      "parameters": [{"name": "stride", "type": "int", "range": [1, 8], "scale": "log2", "default": 1},
                     {"name": "n", "type": "int", "range": [1, 1000000], "scale": "log2", "default": 4096,
                      "default_for": {"gpu": 65536}}],
      "targets": ["gpu", "sim"], "metrics": [], "limits": [],
      "charts": [{"id": "c", "title": "", "x": "stride", "y": "sectors", "x_scale": "log2", "y_scale": "linear"}]}]}))
elif sys.argv[1] == "targets":
    gpu = {"id": "gpu:0", "title": "G", "available": fault != "no-gpu", "reason": "no driver", "fix": "install it",
           "chip": "h200-sxm"}
    sim = [{"id": "sim:" + c, "title": c, "available": True, "reason": "", "fix": "", "chip": c}
           for c in ("h100-sxm", "h200-sxm")]
    print(json.dumps({"targets": [gpu] + sim}))
else:
    request = json.load(sys.stdin)
    gpu = request["target"] == "gpu:0"
    say = lambda **event: print(json.dumps(event), flush=True)
    if fault == "garbage" and gpu:
        print("hello"); sys.exit(0)
    say(event="started", provenance="MEASURED" if gpu else "SIMULATED", fingerprint={"x": 1})
    for i, point in enumerate(request["points"]):
        stride = point["stride"]
        if fault == "crash" and gpu and stride == 4:
            os._exit(11)
        if fault == "oom" and gpu and stride == 4:
            say(event="failed", error={"code": "out-of-memory", "message": "full", "place": "", "fix": ""}); sys.exit(1)
        sectors = min(32, 4 * stride) + (1 if fault == "count" and gpu and stride == 8 else 0)
        metrics = {"sectors": {"value": sectors, "unit": "sectors/request", "provenance": "SIMULATED"}}
        if gpu:
            metrics["speed"] = {"value": 1000.0 / stride, "unit": "GB/s", "provenance": "MEASURED"}
        passed = not (fault == "check" and gpu and stride == 2)
        say(event="sample", index=i, params=point, metrics=metrics, limits={}, validity="valid",
            checks=[] if fault == "nothing" else [{"name": "ok", "passed": passed, "detail": "d"}])
        if fault == "trace":
            say(event="trace", index=i, kind="memory", bytes=5); sys.stdout.write("\n{\"x\n"); sys.stdout.flush()
    say(event="finished", validity="valid", seconds=0.1)
'''


class RunScript(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.worker = pathlib.Path(self.folder.name, "worker")
        self.worker.write_text(WORKER, encoding="utf-8")
        self.worker.chmod(self.worker.stat().st_mode | stat.S_IXUSR)

    def run_script(self, fault, *more, worker=None):
        environment = dict(os.environ, FAKE=fault, OUT=self.folder.name + "/out")
        return subprocess.run([HERE / "run.sh", worker or self.worker, *more], env=environment, capture_output=True,
                              text=True, check=False, timeout=1200)

    def results(self):
        return json.loads(pathlib.Path(self.folder.name, "out/results.json").read_text(encoding="utf-8"))

    def test_agreement(self):
        done = self.run_script("")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        outcome = self.results()["experiments"]["coal"]
        self.assertEqual(outcome["simulation"], "sim:h200-sxm")
        strides = [row["params"]["stride"] for row in outcome["points"] if row["params"]["n"] == 4096]
        self.assertEqual(strides, [1, 2, 3, 4, 8])
        self.assertTrue(all(row["params"]["n"] <= 4096 for row in outcome["points"]))
        self.assertIn(1, [row["params"]["n"] for row in outcome["points"]])
        self.assertTrue(all(row["compared"] == ["sectors"] for row in outcome["points"]))
        self.assertTrue(all(row["params"]["n"] == 65536 for row in outcome["timings"]))
        text = pathlib.Path(self.folder.name, "out/results.md").read_text(encoding="utf-8")
        self.assertIn("| 8 | 4096 | 32 / 32 | ok | agree |", text)
        self.assertIn("speed [GB/s]", text)

    def test_each_way_to_disagree(self):
        for fault, words in {"count": "sectors: 33", "check": "check ok failed", "oom": "out-of-memory",
                             "crash": "status 11", "garbage": "not an event"}.items():
            with self.subTest(fault):
                done = self.run_script(fault)
                self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
                self.assertIn(words, done.stdout)

    def test_points_behind_a_failed_one_still_run(self):
        self.run_script("oom")
        rows = self.results()["experiments"]["coal"]["points"]
        self.assertEqual([row["params"]["stride"] for row in rows if row["differences"]], [4])
        self.assertEqual(rows[4]["params"]["stride"], 8)

    def test_traces_are_skipped(self):
        self.assertEqual(self.run_script("trace").returncode, 0)

    def test_cannot_start(self):
        self.assertEqual(self.run_script("", worker="/nowhere/worker").returncode, 2)
        self.assertEqual(self.run_script("", worker="/bin/true").returncode, 2)
        self.assertEqual(self.run_script("", "--only", "nothing").returncode, 2)
        self.assertEqual(self.run_script("", "--target", "sim:h100-sxm").returncode, 2)
        done = self.run_script("no-gpu")
        self.assertEqual(done.returncode, 3)
        self.assertIn("install it", done.stderr)

    def test_out_of_time(self):
        done = self.run_script("", "--seconds", "1")
        self.assertEqual(done.returncode, 4)
        self.assertIn("--only coal", done.stderr)

    def test_dry_run_and_resume(self):
        done = self.run_script("no-gpu", "--dry-run", "--target", "sim:h100-sxm")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        results = self.results()
        self.assertTrue(results["dry_run"])
        results["experiments"]["other"] = dict(results["experiments"]["coal"], id="other")
        pathlib.Path(self.folder.name, "out/results.json").write_text(json.dumps(results), encoding="utf-8")
        self.run_script("", "--only", "coal")
        self.assertEqual(set(self.results()["experiments"]), {"coal", "other"})
        self.run_script("")
        self.assertEqual(set(self.results()["experiments"]), {"coal"})


class Points(unittest.TestCase):
    def test_values(self):
        log = {"type": "int", "range": [1, 128], "scale": "log2"}
        self.assertEqual(points.values_of(log, 8), [1, 2, 3, 4, 8, 16, 32, 33, 64, 128])
        self.assertEqual(points.values_of(log, 3)[0], 1)
        self.assertEqual(points.values_of(log, 3)[-1], 128)
        zero = {"type": "int", "range": [0, 31], "scale": "linear"}
        self.assertEqual(points.values_of(zero, 3), [0, 2, 3, 4, 15, 16, 31])
        real = {"type": "real", "range": [0, 1], "scale": "linear"}
        self.assertEqual(points.values_of(real, 3), [0.0, 0.5, 1.0])
        self.assertEqual(points.values_of({"type": "choice", "choices": ["a", "b"]}, 6), ["a", "b"])

    def test_stream(self):
        stream = b'{"event": "trace", "bytes": 3}\nab\n{"event": "finished"}\n{"cut'
        self.assertEqual([e["event"] for e in events_of(stream)], ["trace", "finished"])
        with self.assertRaises(WorkerFailed):
            events_of(b"noise\n")


if __name__ == "__main__":
    unittest.main()
