#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# tinygrad: a variable of the environment named DEVICE_RENDERER, whoever set it and to whatever, takes the device away.
#
# Package: tinygrad 0.14.0 (PyPI; no GPU is needed). Before a device is used, each of its renderers is looked for as
# <DEVICE>_<RENDERER> in the environment, an old way to choose one. The value is read with int(): CPU_LLVM=/usr/lib/llvm-14
# is a ValueError, CPU_LLVM=1 an AssertionError. The choice of a default device drops both, so what a person sees is
# "RuntimeError: no usable devices", without the variable's name. With DEV=CPU the ValueError comes through. CPU_LLVM=0
# changes nothing. A device of one's own has it too: RIDGE with an ArrayRenderer dies of RIDGE_ARRAY=/some/library.so.
# Ridgepoint: labs/tinygrad/ridge_array.py names its library in LIBRIDGE.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip install -q tinygrad==0.14.0
cat > add.py <<'PY'
from tinygrad import Tensor
print((Tensor([1, 2]) + 1).tolist())
PY
export CACHEDB="$work/cache.db"
said() { "$@" venv/bin/python add.py 2>&1 | tail -n 1 || true; }
look() { # what is expected, what was said
    echo "$3: $2"
    [[ $2 == *"$1"* ]] || { echo "that has changed: expected $1"; exit 1; }
}
look "[2, 3]" "$(said env)" "without the variable"
look "[2, 3]" "$(said env CPU_LLVM=0)" "CPU_LLVM=0"
look "no usable devices" "$(said env CPU_LLVM=/usr/lib/llvm-14)" "CPU_LLVM=/usr/lib/llvm-14"
look "no usable devices" "$(said env CPU_LLVM=1)" "CPU_LLVM=1"
look "invalid literal for int() with base 10: '/usr/lib/llvm-14'" "$(said env DEV=CPU CPU_LLVM=/usr/lib/llvm-14)" \
    "DEV=CPU CPU_LLVM=/usr/lib/llvm-14"
