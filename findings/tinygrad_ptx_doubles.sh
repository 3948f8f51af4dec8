#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# tinygrad: its PTX for functions of doubles, square roots and quotients among them, is no PTX that ptxas takes.
#
# Packages: tinygrad 0.14.0 with ptxas of nvidia-cuda-nvcc 13.5.37 (PyPI; no GPU is needed). DEV=CUDA:PTX renders PTX without
# a compiler. Doubles get the instructions of floats with another type: ex2.approx.f64, lg2.approx.f64, sin.approx.f64 and
# sqrt.approx.f64 do not exist, and rcp.approx.f64, which every division becomes, exists with .ftz alone (and has 20 good
# bits). ptxas refuses all five; halves and floats compile. The renderer through CUDA C++ (DEV=CUDA) has all of them.
# Ridgepoint: a kernel with such an instruction is refused with its name and line, as ptxas does.
set -euo pipefail
export LC_ALL=C
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv venv
venv/bin/python -m pip install -q --disable-pip-version-check tinygrad==0.14.0 nvidia-cuda-nvcc==13.5.37
cat > ask.py <<'PY'
import os
import pathlib
import re
import subprocess
import sys

os.environ["DEV"] = "NULL"  # nothing is launched
from tinygrad import Tensor, dtypes
from tinygrad.codegen import to_program
from tinygrad.helpers import Target
from tinygrad.renderer.ptx import PTXRenderer
from tinygrad.uop.ops import Ops

ptxas = next(pathlib.Path(sys.prefix).rglob("bin/ptxas"))
renderer = PTXRenderer(Target(device="CUDA", arch="sm_80"))
for name in "exp2", "log2", "sin", "sqrt", "reciprocal":
    for kind in dtypes.half, dtypes.float, dtypes.double:
        calls, _ = getattr(Tensor.empty(64, dtype=kind), name)().contiguous().linear_with_vars()
        text = b"".join(to_program(call.src[0], renderer).src[-1].arg for call in calls.src if call.src[0].op is Ops.SINK)
        pathlib.Path("kernel.ptx").write_bytes(text)
        said = subprocess.run([ptxas, "-arch=sm_80", "kernel.ptx", "-o", "kernel.cubin"], capture_output=True, text=True)
        if said.returncode == 0:
            print(f"{name} {kind.name}: taken")
        else:
            line = int(re.search(r"line (\d+)", said.stderr)[1])
            print(f"{name} {kind.name}: refused,", text.decode().splitlines()[line - 1].split()[0])
PY
venv/bin/python ask.py | tee seen.txt
grep double seen.txt > doubles.txt
cat > expected.txt <<'EOF'
exp2 double: refused, ex2.approx.f64
log2 double: refused, lg2.approx.f64
sin double: refused, sin.approx.f64
sqrt double: refused, sqrt.approx.f64
reciprocal double: refused, rcp.approx.f64
EOF
[ "$(grep -c taken seen.txt)" = 10 ] && cmp -s doubles.txt expected.txt ||
    { echo "CHANGED: what ptxas takes is no longer like this"; exit 1; }
