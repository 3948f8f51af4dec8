#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Timing files of unmeasured chips are what tools/derive-chip-timing makes, and its rule does what docs/chip-timing.md says."""
import importlib.machinery
import importlib.util
import json
import pathlib
import shutil
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
LOADER = importlib.machinery.SourceFileLoader("derive", str(ROOT / "tools/derive-chip-timing"))
derive = importlib.util.module_from_spec(importlib.util.spec_from_loader("derive", LOADER))
LOADER.exec_module(derive)
COUNTS_ONLY = {"b200", "gb200", "orin-nano-8", "agx-orin-64", "thor-t5000"}


class DerivedChips(unittest.TestCase):
    def setUp(self):
        self.chips, self.limits = derive.catalogue()
        self.files = derive.own_files()

    def value(self, chip, base, field):
        return derive.derive(self.chips, self.limits, self.files, chip, base)["values"][field]["value"]

    def test_files_are_what_the_tool_makes(self):
        self.assertEqual(derive.differing(), [])
        texts, without = derive.made()
        self.assertEqual(set(without), COUNTS_ONLY)
        self.assertEqual(set(texts) | set(self.files) | COUNTS_ONLY, set(self.chips))

    def test_what_is_changed_by_hand_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            shutil.copytree(ROOT / "assets/chips", root / "assets/chips")
            file = root / derive.FOLDER / "rtx3080.json"
            file.write_text(file.read_text(encoding="utf-8").replace('"value": 68', '"value": 70'), encoding="utf-8")
            self.assertEqual(derive.differing(root), ["rtx3080"])
            file.unlink()
            self.assertEqual(derive.differing(root), ["rtx3080"])
            # The sibling changed, its relatives did not.
            derive.write(root)
            self.assertEqual(derive.differing(root), [])
            t4 = root / derive.FOLDER / "t4.json"
            t4.write_text(t4.read_text(encoding="utf-8").replace('"l2.bytes_per_cycle": {"value": 1024', '"l2.bytes_per_cycle": {"value": 512'),
                          encoding="utf-8")
            self.assertEqual(derive.differing(root), ["rtx2060-laptop", "rtx2080ti"])

    def test_siblings(self):
        for chip, base in {"rtx4080": "rtx4090", "rtx4070-laptop": "rtx4090", "l4": "l40s", "a10g": "a40", "rtx3080": "a40",
                           "h100-pcie": "h100-sxm", "h200-nvl": "h200-sxm", "rtx2080ti": "t4", "rtx5070": "rtx5090",
                           "a100-sxm-40": "a100-sxm-80"}.items():
            self.assertEqual(derive.sibling(self.chips, self.files, chip), base, chip)
        for chip in COUNTS_ONLY:
            with self.assertRaises(derive.Unfit):
                derive.sibling(self.chips, self.files, chip)

    def test_values(self):
        self.assertEqual(self.value("rtx4080", "rtx4090", "sms"), 76)
        self.assertEqual(self.value("rtx4080", "rtx4090", "dram.channels"), 16)  # 24 x 256 / 384 bits
        self.assertEqual(self.value("rtx4080", "rtx4090", "l2.slices"), 32)
        self.assertEqual(self.value("rtx4080", "rtx4090", "l2.kb"), 65536)
        self.assertEqual(self.value("rtx4080", "rtx4090", "l2.bytes_per_cycle"), 1139)  # 1708 x 32 / 48
        self.assertEqual(self.value("rtx4080", "rtx4090", "dram.cycles"), 564)  # 285 + 281 x 2505 / 2520
        self.assertEqual(self.value("rtx3080", "a40", "sm.mma_f32_factor"), 2)  # GeForce from a data-centre chip
        self.assertEqual(self.value("rtx3080", "a40", "lanes.mma_tf32"), 4)
        self.assertEqual(self.value("h100-pcie", "h100-sxm", "cluster.gpcs"), 7)
        with self.assertRaises(derive.Unfit):  # channels of HBM are other ones
            self.value("a100-sxm-80", "a40", "sms")

    def test_every_value_says_where_it_is_from(self):
        for chip, text in derive.made()[0].items():
            file = json.loads(text)
            self.assertEqual(file["derived_from"], file["inherits"])
            for field, entry in file["values"].items():
                self.assertTrue(entry["note"] and set(entry["source"]) <= set(file["sources"]), f"{chip}, {field}")
                self.assertIn(entry["confidence"], ("derived", "verified", "recalled"))

    def test_limits_are_those_of_the_measured_files(self):
        for chip, file in self.files.items():
            values = derive.resolved(self.files, chip)
            for field, (name, per) in derive.LIMITS.items():
                told = self.limits[self.chips[chip]["compute_capability"]][name]["value"]
                self.assertEqual(values[field]["value"], told if per == 1 else told / per, f"{chip}, {field}")


if __name__ == "__main__":
    unittest.main()
