#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""tools/kernel-readme --check: it passes on this tree, and finds what it is there to find on a copy that is spoiled."""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def check(root):
    done = subprocess.run([sys.executable, ROOT / "tools/kernel-readme", "--check", "--root", root], capture_output=True, text=True)
    return done.returncode, done.stdout


class KernelReadme(unittest.TestCase):
    def spoiled(self, change):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            shutil.copytree(ROOT / "kernels" / "reduction", root / "kernels" / "reduction")
            change(root / "kernels" / "reduction")
            return check(root)

    def test_this_tree_is_complete(self):
        self.assertEqual(check(ROOT), (0, "every ladder's table and heads are complete\n"))

    def test_there_are_ladders_to_check(self):
        for family in ("reduction", "transpose"):
            self.assertTrue((ROOT / "kernels" / family / "README.md").exists(), family)

    def test_a_rung_that_is_not_listed(self):
        status, said = self.spoiled(lambda ladder: shutil.copy(ladder / "09_last_block.cu", ladder / "10_new.cu"))
        self.assertEqual(status, 1)
        self.assertIn("does not list 10_new.cu", said)
        self.assertIn("rung 10", said)  # its head still says 9

    def test_a_rung_that_is_gone(self):
        status, said = self.spoiled(lambda ladder: (ladder / "05_shuffle.cu").unlink())
        self.assertEqual(status, 1)
        self.assertIn("lists 05_shuffle.cu, which is not there", said)

    def test_a_head_without_its_gain(self):
        def change(ladder):
            path = ladder / "04_first_add.cu"
            path.write_text(path.read_text(encoding="utf-8").replace("// Gain ", "// Game "), encoding="utf-8")
        status, said = self.spoiled(change)
        self.assertEqual(status, 1)
        self.assertIn("04_first_add.cu: the head does not tell the gain", said)

    def test_a_table_without_marks(self):
        status, said = self.spoiled(lambda ladder: (ladder / "README.md").write_text("# Reduction\n", encoding="utf-8"))
        self.assertEqual(status, 1)
        self.assertIn("no table", said)


if __name__ == "__main__":
    unittest.main()
