#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Numba: one atomic addition, and what becomes of it depends on the capability and on the NVVM beside it.
#
# Packages: numba 0.68.1, numba-cuda 0.30.4 with nvidia-cuda-nvcc-cu12 12.9.86 (NVVM of CUDA 12.9) and with nvidia-nvvm
# 13.5.37 (PyPI). cuda.atomic.add on one element of an array, compiled to PTX without a GPU. For 9.0 it is atom.global.add
# for whole numbers and floats, with either, and .gpu is the scope of an atom that names none. For 10.0 and 12.0 the NVVM of CUDA 12.9 refuses the float (ERROR_INVALID_IR,
# without a word about the atomic), and that of 13.5 writes atom.relaxed.gpu for the float and atom.relaxed.sys for the
# whole number: the same line of Python has the scope of the whole system on Blackwell and that of the device before it.
# Ridgepoint: docs/kernels.md names both; a simulated device is alone in its system, so .sys and .gpu are one there.
set -euo pipefail
export LC_ALL=C
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
cat > ask.py <<'PY'
import re
from numba import cuda, types

def add(x, out):
    cuda.atomic.add(out, 0, x[0])

for capability in (9, 0), (10, 0), (12, 0):
    for kind in types.int32, types.float32:
        try:
            text, _ = cuda.compile_ptx(add, (kind[::1], kind[::1]), device=False, cc=capability)
            seen = " ".join(re.findall(r"atom\.\S+", text))
        except Exception as error:
            seen = str(error)
        print("%d.%d %s: %s" % (*capability, kind, seen))
PY
fault=0
ask() # name, what is expected, packages
{
    python3 -m venv "$1"
    "$1/bin/python" -m pip install -q --disable-pip-version-check "${@:3}"
    env -u CUDA_HOME -u CUDA_PATH "$1/bin/python" ask.py > "$1.txt"
    sed "s/^/$1, /" "$1.txt"
    [ "$(sed 's/.*: //' "$1.txt" | sort | uniq -c | awk '{printf "%s %s;", $1, $2}')" = "$2" ] || fault=1
}
ask "CUDA 12.9" "2 ERROR_INVALID_IR;1 atom.global.add.f32;3 atom.global.add.u32;" \
    numba==0.68.1 "numba-cuda[cu12]==0.30.4" nvidia-cuda-nvcc-cu12==12.9.86
ask "CUDA 13.5" "1 atom.global.add.f32;1 atom.global.add.u32;2 atom.relaxed.gpu.global.add.f32;2 atom.relaxed.sys.global.add.u32;" \
    numba==0.68.1 "numba-cuda[cu13]==0.30.4" nvidia-nvvm==13.5.37
[ $fault = 0 ] || { echo "CHANGED: scopes or the refusal are no longer like this"; exit 1; }

# Seen on 2026-11-29:
# CUDA 12.9, 9.0 int32: atom.global.add.u32
# CUDA 12.9, 9.0 float32: atom.global.add.f32
# CUDA 12.9, 10.0 int32: atom.global.add.u32
# CUDA 12.9, 10.0 float32: ERROR_INVALID_IR (6)
# CUDA 12.9, 12.0 int32: atom.global.add.u32
# CUDA 12.9, 12.0 float32: ERROR_INVALID_IR (6)
# CUDA 13.5, 9.0 int32: atom.global.add.u32
# CUDA 13.5, 9.0 float32: atom.global.add.f32
# CUDA 13.5, 10.0 int32: atom.relaxed.sys.global.add.u32
# CUDA 13.5, 10.0 float32: atom.relaxed.gpu.global.add.f32
# CUDA 13.5, 12.0 int32: atom.relaxed.sys.global.add.u32
# CUDA 13.5, 12.0 float32: atom.relaxed.gpu.global.add.f32
