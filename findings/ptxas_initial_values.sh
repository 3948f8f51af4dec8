#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# ptxas: what a variable begins with is not always what the PTX ISA says.
#
# Package: nvidia-cuda-nvcc 13.5.37 (PyPI); 13.0.88 does the same. The ISA says that initial values are given "as in C" and
# that the rest of a row that is given in part is zero. ptxas lays all values behind one another: {{1}, {2}} for two rows of
# two is 1, 2, 0, 0. A single literal (0f) for a variable of 64 bits is not widened: its 32 bits are the lower half. In
# constant expressions % takes both sides without their sign (-7 % 3 is 0), and a shift goes by the low six bits of its
# distance (1 << 64 is 1). Ridgepoint: the simulator does all this as ptxas does, for GPUs run what ptxas makes
# (tests/gpu/simt/fixtures/grammar).
set -euo pipefail
export LC_ALL=C
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv v
v/bin/python -m pip install -q --disable-pip-version-check nvidia-cuda-nvcc==13.5.37
ptxas=$(find v -path "*/bin/ptxas" -type f | head -n 1)
cat > words.py <<'PY'
import struct
import sys

file = open(sys.argv[1], "rb").read()
table, = struct.unpack_from("<Q", file, 40)
size, count, names = struct.unpack_from("<HHH", file, 58)
sections = [struct.unpack_from("<IIQQQQIIQQ", file, table + at * size) for at in range(count)]
for section in sections:
    name = file[sections[names][4] + section[0]:].split(b"\0")[0]
    if name == b".nv.constant3":
        data = file[section[4]:section[4] + section[5]]
        print(" ".join(f"{word:x}" for word in struct.unpack(f"<{len(data) // 4}I", data)))
PY
fault=0
ask() # a constant variable, the words that it should have
{
    printf '.version 8.8\n.target sm_90\n.address_size 64\n%s\n.visible .entry k() { ret; }\n' "$1" > k.ptx
    "$ptxas" -arch sm_90 k.ptx -o k.cubin
    local words
    words=$(python3 words.py k.cubin)
    echo "$1 begins with $words"
    [ "$words" = "$2" ] || fault=1
}
ask ".const .u32 v[2][2] = {{1}, {2}};" "1 2 0 0"
ask ".const .f64 v = 0f3FC00000;" "3fc00000 0"
ask ".const .s64 v = -7 % 3;" "0 0"
ask ".const .s64 v = 1 << 64;" "1 0"
[ $fault = 0 ] || { echo "CHANGED: ptxas no longer makes initial values like this"; exit 1; }

# Seen on 2026-11-29:
# .const .u32 v[2][2] = {{1}, {2}}; begins with 1 2 0 0
# .const .f64 v = 0f3FC00000; begins with 3fc00000 0
# .const .s64 v = -7 % 3; begins with 0 0
# .const .s64 v = 1 << 64; begins with 1 0
