# SPDX-License-Identifier: GPL-3.0-or-later
"""The comparison of the simulator with a GPU: what agrees passes, each way to disagree fails, numbers are right."""

import json
import os
import pathlib
import re
import struct
import subprocess
import tempfile
import types
import unittest

import baselines
import chains
import counters
import cuda_driver
import cycles
import floods
import fragments
import functions
import recording
import simt
import simt_report
import stopwatch
from simulator import Simulator
from worker_client import WorkerFailed

HERE = pathlib.Path(__file__).parent
BIN = pathlib.Path(os.environ["RIDGE_BIN"]) if "RIDGE_BIN" in os.environ else None


def nowhere(ptx, point):
    del ptx, point
    return False


class Twin:
    """A simulator that answers every point with the same bytes for the same point, and one bit else where spoil() says so."""

    def __init__(self, spoil=nowhere):
        self.spoil = spoil

    def run(self, ptx, point, timed=False):
        del timed
        size = max([len(spec) for spec in point["args"] if isinstance(spec, bytes)] + [64])
        answer = (point["kernel"].encode() * size)[:size]
        if self.spoil(ptx, point):
            answer = bytes([answer[0] ^ 1]) + answer[1:]
        at = max([i for i, spec in enumerate(point["args"]) if isinstance(spec, bytes)], default=0)
        return {}, {at: answer}


class Lost(Twin):
    """Fails for one kernel."""

    def run(self, ptx, point, timed=False):
        if self.spoil(ptx, point):
            raise WorkerFailed("the launch failed")
        return super().run(ptx, point, timed)


class Bits(unittest.TestCase):
    def test_equal_passes_and_one_bit_fails(self):
        self.assertTrue(simt.bits_part(Twin(), Twin(), True)["agrees"])
        part = simt.bits_part(Twin(), Twin(lambda _, point: point["kernel"] == "strided_read_8"), True)
        self.assertFalse(part["agrees"])
        bad = [row for row in part["rows"] if row["differs"]]
        self.assertEqual([(row["kernel"], row["differs"]) for row in bad], [("strided_read_8", {"0": 1})])
        self.assertIn("strided-read-8", simt_report.summary("bits", dict(part, seconds=1)))
        self.assertIn("1 bytes differ", simt_report.bits_text(part))

    def test_approximate_functions_of_halves_are_not_judged(self):
        ptx = (".visible .entry k(.param .u64 p)\n{ tanh.approx.f16 %h1, %h1; ret; }\n.entry q()\n{ ret; }\n"
               ".entry s()\n{ ex2.approx.ftz.f32 %f1, %f1; ret; }")
        self.assertIn("approximate", simt.open_bits(ptx, {"kernel": "k"}))
        self.assertEqual(simt.open_bits(ptx, {"kernel": "q"}), "")
        self.assertEqual(simt.open_bits(ptx, {"kernel": "s"}), "")

    def test_parts_of_one_version_add_up(self):
        with tempfile.TemporaryDirectory() as folder:
            results = {"schema": "s", "version": "v", "device": "d", "simulation": "x", "dry_run": False, "parts": {"bits": 1}}
            pathlib.Path(folder, "simt.json").write_text(json.dumps(results), encoding="utf-8")
            self.assertEqual(simt.earlier_parts(folder, results), {"bits": 1})
            self.assertEqual(simt.earlier_parts(folder, dict(results, version="w")), {})
            self.assertEqual(simt.earlier_parts(folder + "/none", results), {})

    def test_the_order_of_atomics_is_not_judged(self):
        kernel = simt.ORDER_DEPENDS[0]
        row = {"id": kernel, "args": [bytes(64)], "kernel": kernel, "grid": [1, 1, 1], "block": [1, 1, 1]}
        real = simt.bit_points
        simt.bit_points = lambda quick: [(kernel, "", row)]
        self.addCleanup(setattr, simt, "bit_points", real)
        part = simt.bits_part(Twin(), Twin(lambda _, point: point["kernel"] == kernel), True)
        self.assertTrue(part["agrees"])
        self.assertTrue(part["rows"][0]["differs"])

    def test_a_launch_newer_than_the_recording_waits(self):
        points = [(name, "", {"id": name, "args": [bytes(4)], "kernel": name, "grid": [1, 1, 1], "block": [1, 1, 1]})
                  for name in ("old", "new")]
        real = simt.bit_points
        simt.bit_points = lambda quick: points
        self.addCleanup(setattr, simt, "bit_points", real)

        def part(waiting):
            target = Lost(lambda _, point: point["kernel"] == "new")
            target.waiting, target.has = waiting, lambda _, point: point["kernel"] == "old"
            found = simt.bits_part(Twin(), target, False)
            return found["agrees"], {row["id"] for row in found["rows"] if "error" in row}
        self.assertEqual(part(set()), (False, {"new"}))
        self.assertEqual(part({"new"}), (True, set()))
        self.assertEqual(part({"new", "old"}), (False, {"old"}))  # has been recorded
        self.assertEqual(part({"new", "gone"}), (False, {"gone"}))

    def test_ptx_for_a_newer_chip_is_left_out(self):
        self.assertEqual([simt.needed_sm(name) for name in ("08_cluster.sm_90.ptx", "04_wgmma.sm_90a.ptx", "01_copy.ptx")],
                         [90, 90, 0])
        ids = lambda: {point["id"] for _, point in simt.shipped_points()[0]}
        self.assertIn("norm-cluster-rms-1200", ids())
        simt.newest_sm = 80
        self.addCleanup(setattr, simt, "newest_sm", 1000)
        self.assertNotIn("norm-cluster-rms-1200", ids())
        self.assertIn("norm-vector-rms-1200", ids())

    def test_a_kernel_that_fails_is_no_agreement(self):
        def second(_, point):
            return point["kernel"] == "strided_read_8"
        for part in (simt.bits_part(Twin(), Lost(second), True), simt.bits_part(Lost(second), Twin(), True)):
            self.assertFalse(part["agrees"])
            self.assertEqual([row["id"] for row in part["rows"] if "error" in row], ["shipped strided-read-8"])

    def test_lengths_count(self):
        self.assertEqual(simt.differing_bytes({0: b"ab"}, {0: b"abc"}), {"0": 1})
        self.assertEqual(simt.differing_bytes({0: b"ab"}, {}), {"0": 2})
        self.assertEqual(simt.differing_bytes({0: b"ab"}, {0: b"ab"}), {})


class Matrices(unittest.TestCase):
    def test_classes(self):
        def one(ours, theirs):
            counts = fragments.classify("f32", struct.pack("<I", ours), struct.pack("<I", theirs))
            self.assertEqual(counts["elements"], 1)
            return next(key for key in ("equal", "nan", "infinity", "one_ulp", "few_ulp", "far") if counts[key])
        self.assertEqual(one(0x3F800000, 0x3F800000), "equal")
        self.assertEqual(one(0x3F800000, 0x3F800001), "one_ulp")
        self.assertEqual(one(0x00000001, 0x80000001), "few_ulp")
        self.assertEqual(one(0x3F800000, 0x40000000), "far")
        self.assertEqual(one(0x7F800000, 0x3F800000), "infinity")
        self.assertEqual(one(0x7FC00000, 0x7FFFFFFF), "nan")
        self.assertEqual(fragments.classify("s32", struct.pack("<i", 1), struct.pack("<i", 2))["far"], 1)
        self.assertEqual(fragments.classify("f16", struct.pack("<2H", 0x3C00, 0x7C00), struct.pack("<2H", 0x3C01, 0)),
                         {"elements": 2, "equal": 0, "nan": 0, "infinity": 1, "one_ulp": 1, "few_ulp": 0, "far": 0})

    def test_every_case_is_made_and_one_difference_fails(self):
        names = [name for name, *_ in fragments.cases(4)]
        self.assertEqual(len(set(names)), len(fragments.MMA) + len(fragments.WGMMA))
        self.assertTrue(simt.mma_part(Twin(), Twin(), True)["agrees"])
        part = simt.mma_part(Twin(), Twin(lambda ptx, _: "e4m3.e5m2" in ptx), True)
        self.assertFalse(part["agrees"])
        self.assertEqual({row["id"] for row in part["rows"] if row["equal"] != row["elements"]},
                         {"mma m16n8k32 f32 e4m3 e5m2 f32"})

    def test_the_same_operands_every_time(self):
        first, second = ([point["args"][0] for *_, point, _, _ in fragments.cases(4)] for _ in range(2))
        self.assertEqual(first, second)


class Functions(unittest.TestCase):
    @staticmethod
    def part(mismatches=0, classes=0, distance=0):
        return {"inputs": 10, "mismatches": mismatches, "classes": classes, "distance": distance, "worst": "0x1",
                "gpu_ulp": 0.5, "exponents": {"127": {"inputs": 10, "mismatches": mismatches, "distance": distance,
                                                       "gpu_ulp": 0.5}}}

    def test_merge(self):
        total = functions.merge([self.part(1, 0, 2), self.part(3, 1, 1)])
        self.assertEqual((total["inputs"], total["mismatches"], total["classes"], total["distance"]), (20, 4, 1, 2))
        self.assertEqual(total["exponents"]["127"]["mismatches"], 4)

    def test_octaves(self):
        sums = [7, 8, 9]
        ours, theirs = (struct.pack("<3Q", *values) for values in (sums, [7, 9, 9]))
        self.assertEqual(functions.differing_octaves(ours, theirs, 100), [101])
        self.assertEqual(functions.differing_octaves(ours, ours, 100), [])

    @unittest.skipUnless(BIN and (BIN / "ridge-worker").exists(), "needs RIDGE_BIN with ridge-worker")
    def test_sums_tell_exchanged_results_apart(self):
        """1/x of [1, 2) and the same with the least bit of every input turned: the same results, at other places."""
        target = Simulator(BIN / "ridge-worker", "sim:h200-sxm")
        point = dict(functions.sums_launch(127), grid=[functions.PARTS, 1, 1])
        right = functions.sums_kernel("rcp.approx.ftz.f32")
        turned = right.replace("mov.b32 %f0, %r0;", "xor.b32 %r6, %r0, 1; mov.b32 %f0, %r6;")
        self.assertNotEqual(right, turned)
        sums = [target.run(ptx, point)[1][0] for ptx in (right, right, turned)]
        self.assertEqual(sums[0], sums[1])
        self.assertEqual(functions.differing_octaves(sums[0], sums[2], 127), [127])

    @unittest.skipUnless(BIN and (BIN / "oracle").exists(), "the oracle is not built")
    def test_what_differs_is_judged(self):
        """A recording has sums alone: there a difference fails. A device that is there is asked for the results."""
        class Liar(Simulator):
            def run(self, ptx, point, timed=False):
                document, files = super().run(ptx, point, timed)
                content = bytearray(files[0])
                content[4 * 5 if len(content) > 4096 else 8] ^= 1  # of octave 97: the sum, and one of the results
                return document, {0: bytes(content)}
        ours = Simulator(BIN / "ridge-worker", "sim:h200-sxm")
        theirs = Liar(BIN / "ridge-worker", "sim:h200-sxm")
        row = simt.octaves_row(ours, theirs, str(BIN / "oracle"), "rcp.approx.ftz.f32", [96])
        self.assertEqual((row["unequal"], row["mismatches"], row["distance"], row["classes"]), ([97], 1, 1, 0))
        self.assertEqual(list(row["exponents"]), ["97"])
        row = simt.octaves_row(ours, theirs, None, "rcp.approx.ftz.f32", [96])
        self.assertEqual((row["unequal"], row["mismatches"]), ([97], 0))

    def test_halves(self):
        same = bytes(1 << 17)
        self.assertEqual(functions.compare_halves("tanh.approx.f16", same, same)["mismatches"], 0)
        other = bytearray(same)
        struct.pack_into("<H", other, 2 * 0x3C00, 1)
        struct.pack_into("<H", other, 2 * 0x3C01, 0x8003)
        struct.pack_into("<H", other, 2 * 0x3C02, 0x7FFF)
        found = functions.compare_halves("tanh.approx.f16", same, bytes(other))
        self.assertEqual((found["mismatches"], found["classes"], found["distance"], found["worst"]), (3, 1, 3, "0x3c01"))
        self.assertEqual(found["exponents"]["15"]["mismatches"], 3)

    @unittest.skipUnless(BIN and (BIN / "oracle").exists(), "the oracle is not built")
    def test_the_oracle_finds_a_wrong_result(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "words")
            path.write_bytes(struct.pack("<3I", 0, 0x3F800000, 0x3F7FFFFE))  # 1 / 1 and 1 / 1.0000001, behind a word
            right = functions.judge(str(BIN / "oracle"), "rcp.approx.f32", str(path), 1, 0x3F800000, 2)
            self.assertEqual((right["inputs"], right["mismatches"]), (2, 0))
            path.write_bytes(struct.pack("<3I", 0, 0x3F800003, 0x7FC00000))
            wrong = functions.judge(str(BIN / "oracle"), "rcp.approx.f32", str(path), 1, 0x3F800000, 2)
            self.assertEqual((wrong["mismatches"], wrong["distance"], wrong["classes"], wrong["worst"]),
                             (2, 3, 1, "0x3f800000"))
            with self.assertRaises(RuntimeError):
                functions.judge(str(BIN / "oracle"), "rcp.approx.f32", str(path), 1, 0, 5)


class Fits(unittest.TestCase):
    def test_fit(self):
        perfect = baselines.fit([1, 2, 4, 8], [1, 2, 4, 8])
        self.assertEqual((perfect["mean"], perfect["spearman"], perfect["right_order"], perfect["pairs"]), (0, 1, 1, 6))
        off = baselines.fit([10, 20, 40, 80], [11, 30, 20, 80])
        self.assertAlmostEqual(off["mean"], (0.1 + 0.5 + 0.5 + 0) / 4)
        self.assertAlmostEqual(off["median"], 0.3)
        self.assertAlmostEqual(off["bias"], (0.1 + 0.5 - 0.5 + 0) / 4)
        self.assertAlmostEqual(off["spearman"], 0.8)
        self.assertAlmostEqual(off["right_order"], 5 / 6)
        self.assertEqual(off["p90"], off["worst"])
        near = baselines.fit([100, 105, 200], [3, 2, 4])
        self.assertEqual(near["pairs"], 2)  # 100 and 105 are too close to tell
        self.assertIsNone(baselines.fit([1], [1]))

    def test_baselines(self):
        chip = {"bandwidth": 1e12, "peaks": {"f32": 1e13}, "clock_hz": 1e9}
        self.assertAlmostEqual(baselines.roofline_cycles({"bytes": 2e6, "flops": 1e6, "unit": "f32"}, chip), 2000)
        self.assertAlmostEqual(baselines.roofline_cycles({"bytes": 0, "flops": 1e8, "unit": "f32"}, chip), 10000)
        self.assertEqual(baselines.issue_cost("FFMA R0, R1, R2"), 0.25)
        self.assertEqual(baselines.issue_cost("MUFU.EX2 R0, R1"), 2)
        self.assertEqual(baselines.issue_cost("HMMA.16816.F32 R0"), 1)
        lines = [{"ptx_line": 5, "inst_issued": 1280}, {"ptx_line": 6, "inst_issued": 0}]
        self.assertAlmostEqual(baselines.throughput_cycles(lines, {5: ["FFMA R0", "MUFU.RCP R1"]}, 10), 640 * 2.25 / 10)

    def test_sets_are_whole(self):
        for name in cycles.SETS:
            chosen = cycles.load_set(name)
            ids = [point["id"] for point in chosen["points"]]
            self.assertEqual(len(ids), len(set(ids)))
            self.assertGreaterEqual(len({point["kernel"] for point in chosen["points"]}), 20)
            for point in chosen["points"]:
                for ptx in (chosen["ptx"], chosen["exact_ptx"]):
                    self.assertIn(f".entry {point['kernel']}(", ptx)
                self.assertGreater(point["bytes"] + point["flops"], 0)
        self.assertFalse({point["kernel"] for point in cycles.load_set("dev")["points"]} &
                         {point["kernel"] for point in cycles.load_set("heldout")["points"]})

    def test_every_point_is_reported(self):
        rows = [{"id": "a", "cycles": 10, "roofline": 5, "throughput": 4, "registers": 8,
                 "measured": {"cold": {"cycles": 20, "whole_cycles": 19}}},
                {"id": "b", "error": "refused"}, {"id": "c", "cycles": 1, "roofline": 1, "throughput": 1, "registers": 8}]
        text = simt_report.cycle_tables("heldout", {"rows": rows, "fit": None})
        self.assertIn("| a | 10 | 5 | 4 | 20 | -50.0 % |", text)
        self.assertIn("| b | fails: refused |", text)
        self.assertIn("| c | 1 | 1 | 1 | not measured |", text)


class Clocks(unittest.TestCase):
    PTX = (".version 8.0\n.target sm_90\n.visible .entry other()\n{ ret; }\n.visible .entry k(\n.param .u64 p\n)\n{\n"
           ".reg .pred %p<2>;\n@%p1 ret;\n@!%p1 ret;\n{ bar.sync 0; }\nret;\n\n}\n.visible .entry last()\n{ ret; }\n")

    def test_only_the_kernel_is_changed(self):
        text = stopwatch.instrumented(self.PTX, "k")
        self.assertIn(".entry other()\n{ ret; }", text)
        self.assertIn(".entry last()\n{ ret; }", text)
        self.assertIn(".param .u64 p,\n.param .u64 ridge_slots", text)
        self.assertEqual(text.count("st.global.v2.u64"), 4)  # once where warps come, three times where they leave
        self.assertEqual(text.count("%clock64"), 4)
        self.assertIn("@!%p1 bra RIDGE_STAY_1", text)
        self.assertIn("@%p1 bra RIDGE_STAY_2", text)
        self.assertIn(".entry other(\n.param .u64 ridge_slots", stopwatch.instrumented(self.PTX, "other"))
        with self.assertRaises(ValueError):
            stopwatch.instrumented(self.PTX, "missing")

    def test_slots(self):
        def note(clock, when, sm):
            return struct.pack("<3Q8x", clock, when, sm)
        content = bytearray(stopwatch.SIZE)
        border = stopwatch.FIRST * stopwatch.WARPS * stopwatch.SLOT
        for at, one in enumerate((note(100, 5000, 3), note(90, 5010, 3), note(50, 5100, 7), note(1, 4990, 9))):
            content[at * stopwatch.SLOT:(at + 1) * stopwatch.SLOT] = one
        for at, one in enumerate((note(2000, 6000, 3), note(2090, 6010, 3), note(1050, 6100, 7))):
            content[border + at * stopwatch.SLOT:border + (at + 1) * stopwatch.SLOT] = one
        # SM 9 gave its last block away before those that are noted; it still says when the kernel began.
        self.assertEqual(stopwatch.read_slots(bytes(content)), {"cycles": 2000, "sms": 2, "nanoseconds": 1110})
        with self.assertRaises(ValueError):
            stopwatch.read_slots(bytes(stopwatch.SIZE))


class Recording(unittest.TestCase):
    """What a GPU answered comes back as it was, whole buffers and those that are known by their hashes."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.small = {"kernel": "k", "grid": [1, 1, 1], "block": [1, 1, 1], "args": [bytes(64), "in:f32:4:ones"]}
        self.large = dict(self.small, args=[bytes(4 * recording.HEAD)])
        recorder = recording.Recorder(self.folder.name, "bits", self)
        recorder.run("ptx", self.small, ())
        recorder.run("ptx", self.large, ())
        recorder.run("broken", self.small, (WorkerFailed,))
        recorder.measured("ptx", self.small, {"cold": {"cycles": 7}})
        recorder.close({"device": "a GPU", "empty_cycles": 1, "empty_event_s": 2, "date": "today"})
        self.target = recording.RecordedTarget(self.folder.name)

    def run(self, *args, **kwargs):  # unittest's, or the target that is recorded
        if not args or not isinstance(args[0], str):
            return super().run(*args, **kwargs)
        if args[0] == "broken":
            raise WorkerFailed("the launch failed")
        return {}, {at: bytes(range(256)) * (len(spec) // 256) + b"x" * (len(spec) % 256) if isinstance(spec, bytes) else b"1" * 16
                    for at, spec in enumerate(args[1]["args"])}

    def test_equal_and_different(self):
        ours = self.run("ptx", self.small)[1]
        self.assertEqual(simt.differing_bytes(ours, self.target.run("ptx", self.small)[1]), {})
        theirs = self.target.run("ptx", self.large)[1]
        ours = self.run("ptx", self.large)[1]
        self.assertEqual(simt.differing_bytes(ours, theirs), {})
        for at in (0, recording.HEAD - 1, recording.HEAD, len(ours[0]) - 1):
            wrong = bytearray(ours[0])
            wrong[at] ^= 1
            self.assertEqual(simt.differing_bytes({0: bytes(wrong)}, theirs), {"0": 1}, at)
            self.assertNotEqual(theirs[0].beside(bytes(wrong)), bytes(wrong))
        self.assertEqual(theirs[0].beside(ours[0]), ours[0])
        self.assertTrue(simt.differing_bytes({0: ours[0][:-1]}, theirs))

    def test_parts_of_different_days(self):
        for part, day in (("cycles", "Tuesday"), ("floods", "Monday")):
            recorder = recording.Recorder(self.folder.name, part, self)
            recorder.measured(part, self.small, {"cycles": 5})
            recorder.close({"device": "a GPU", "empty_cycles": len(day), "empty_event_s": 2, "date": day})
        target = recording.RecordedTarget(self.folder.name)
        self.assertEqual((target.facts["date"], target.empty), ("Tuesday", 7))  # cycles are measured with these
        self.assertEqual({part: facts["date"] for part, facts in target.facts_of.items()},
                         {"bits": "today", "cycles": "Tuesday", "floods": "Monday"})

    def test_what_is_not_there(self):
        with self.assertRaisesRegex(recording.NotRecorded, "not in the recording"):
            self.target.run("ptx", dict(self.small, grid=[2, 1, 1]))
        with self.assertRaisesRegex(recording.NotRecorded, "the launch failed"):
            self.target.run("broken", self.small)
        self.assertEqual(self.target.measure("ptx", self.small), {"cold": {"cycles": 7}})
        with self.assertRaisesRegex(recording.NotRecorded, "cycles"):
            self.target.measure("ptx", self.large)
        with self.assertRaisesRegex(recording.NotRecorded, "no recording"):
            recording.RecordedTarget(self.folder.name + "/none")


class Microbenchmarks(unittest.TestCase):
    def test_chains(self):
        names = {(name, warps) for name, warps, _, _ in chains.cases()}
        self.assertIn(("add.s32", 1), names)
        self.assertNotIn(("membar.gl", 32), names)
        ptx = next(ptx for name, _, ptx, _ in chains.cases() if name == "fma.rn.f32")
        self.assertEqual(ptx.count("fma.rn.f32"), chains.COPIES)
        self.assertEqual(chains.per_instruction({16: 1000, 48: 1000 + 32 * 32 * 4}), 4)

    def test_floods(self):
        cases = {name: rest for name, *rest in floods.cases()}
        accesses, ptx, ring, points = cases["store 32 apart L2, one SM"]
        self.assertEqual((accesses, ring, points[16]["grid"]), (32 * 4 * 32, 8 << 20, [1, 1, 1]))
        self.assertEqual(ptx.count("st.global.u32 [%rd5]"), floods.UNROLL)
        self.assertEqual(floods.a_cycle(4096, {16: 100, 48: 164}), 64)


class Profiler(unittest.TestCase):
    def test_ncu(self):
        text = ('==PROF== x\n"ID","Kernel Name","smsp__inst_executed.sum","dram__bytes_read.sum"\n"","","inst","byte"\n'
                '"0","saxpy","1,234","5.5e+3"\n"1","k","7","n/a"\n')
        self.assertEqual(counters.from_ncu(text), [{"smsp__inst_executed.sum": 1234, "dram__bytes_read.sum": 5500},
                                                   {"smsp__inst_executed.sum": 7}])
        self.assertEqual(counters.from_ncu("==ERROR== ERR_NVGPUCTRPERM\n"), [])

    def test_the_worker_asks_for_the_same(self):
        text = (pathlib.Path(__file__).parents[2] / "labs/kernel/hardware_counters.cpp").read_text(encoding="utf-8")
        pairs = dict(re.findall(r'\{"(\w+)", "(\w+__\w+\.\w+)", "\w+"\}', text))
        self.assertGreater(len(pairs), 10)
        for ours, theirs, _ in counters.METRICS:
            if ours != "cycles":  # elapsed, of the whole launch: the worker has its own clock for that
                self.assertEqual(pairs[ours], theirs)

    def test_rules_and_closed_forms(self):
        names = [f"global_{op}_{what}" for op in ("load", "store") for what in ("requests", "sectors", "lines", "bytes")]
        names += [f"shared_{op}_{what}" for op in ("load", "store") for what in ("requests", "wavefronts", "minimum_wavefronts")]
        values = dict.fromkeys(names + ["inst_executed", "thread_inst_executed"], 0)
        self.assertEqual(counters.rules(values), [])
        self.assertTrue(counters.rules(dict(values, global_load_sectors=4)))
        self.assertTrue(counters.rules(dict(values, thread_inst_executed=33, inst_executed=1)))
        forms = counters.closed_forms({"kernel": "saxpy", "grid": [4, 1, 1], "block": [256, 1, 1],
                                       "args": ["in:f32:1000:zeros", "inout:f32:1000:zeros", "f32:2", "i32:1000"]})
        self.assertEqual((forms["global_load_requests"], forms["global_store_sectors"]), (64, 125))

    def test_a_wrong_counter_is_found(self):
        class Counting:
            def run(self, ptx, point, timed=False):
                del ptx, point, timed
                names = ["inst_executed", "thread_inst_executed"] + [
                    f"{space}_{op}_{what}" for op in ("load", "store") for space, what in (
                        ("global", "requests"), ("global", "sectors"), ("global", "lines"), ("global", "bytes"),
                        ("shared", "requests"), ("shared", "wavefronts"), ("shared", "minimum_wavefronts"))]
                return {"counters": {name: {"value": 0} for name in names}, "cycles": None}, {}
        point = {"kernel": "saxpy", "grid": [4, 1, 1], "block": [256, 1, 1], "args": ["i32:1000"]}
        part = counters.compare(Counting(), [("saxpy", "", point)], types.SimpleNamespace(profile=None), False)
        self.assertFalse(part["agrees"])
        self.assertIn("global_load_requests: 0, by hand 64", part["rows"][0]["wrong"])


class Driver(unittest.TestCase):
    def test_scalars(self):
        self.assertEqual(cuda_driver.scalar_bytes("f32:2.5"), struct.pack("<f", 2.5))
        self.assertEqual(cuda_driver.scalar_bytes("i32:-1"), b"\xff\xff\xff\xff")
        self.assertEqual(cuda_driver.scalar_bytes("u64:0x10"), struct.pack("<Q", 16))
        self.assertEqual(cuda_driver.scalar_bytes("u8:255"), b"\xff")

    def test_no_driver(self):
        with self.assertRaises(cuda_driver.CudaFailed):
            cuda_driver.Gpu("/nowhere/libcuda.so.1")


@unittest.skipUnless(BIN and (BIN / "ridge-worker").exists(), "needs RIDGE_BIN with ridge-worker")
class WholePath(unittest.TestCase):
    def run_script(self, *more):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([HERE / "run.sh", BIN / "ridge-worker", "--only", "simt", *more],
                                  env=dict(os.environ, OUT=folder), capture_output=True, text=True, check=False, timeout=3000)
            path = pathlib.Path(folder, "simt.json")
            return done, json.loads(path.read_text(encoding="utf-8")) if path.exists() else None

    def test_simulator_against_itself(self):
        parts = os.environ.get("RIDGE_SIMT_PARTS", "mma,cycles") + (",functions" if (BIN / "oracle").exists() else "")
        done, results = self.run_script("--dry-run", "--quick", "--parts", parts)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(set(results["parts"]), set(parts.split(",")))
        self.assertTrue(all(part["agrees"] for part in results["parts"].values()))
        self.assertTrue(all(not row["differs"] for row in results["parts"].get("bits", {"rows": []})["rows"]))
        self.assertTrue(all(row["cycles"] > 0 for one in results["parts"]["cycles"]["sets"].values() for row in one["rows"]))

    def test_cannot_start(self):
        self.assertEqual(self.run_script("--dry-run", "--parts", "bits,magic")[0].returncode, 2)
        self.assertEqual(self.run_script("--dry-run", "--parts", "functions", "--oracle", "/nowhere/oracle")[0].returncode, 2)


if __name__ == "__main__":
    unittest.main()
