#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# tinygrad graphs on the simulated array: a network of digits, products of shapes that fill tiles and shapes that do not,
# and the tests that tinygrad's own package of sources has.
# $1: libridge_array.so. Ends with 77 where tinygrad cannot be installed or there is no clang.
set -euo pipefail
here=$(cd "$(dirname "$0")/../.." && pwd)
command -v clang > /dev/null || { echo "no clang"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python is older than 3.11"; exit 77; }
python3 -m venv "$work/venv" || { echo "no venv"; exit 77; }
timeout 120 "$work/venv/bin/pip" install -q tinygrad==0.14.0 2> "$work/pip" || { cat "$work/pip"; exit 77; }
export LIBRIDGE=$1 CACHEDB="$work/cache.db"
rtl=()
command -v iverilog > /dev/null && rtl=(--rtl "$here/labs/rtl")
"$work/venv/bin/python" "$here/labs/tinygrad/digits_mlp.py" "${rtl[@]}"
cat > "$work/shapes.py" <<'PY'
import random
import sys

sys.path.insert(0, sys.argv[1])
import ridge_array
from tinygrad import Tensor, dtypes

array = ridge_array.array
rng = random.Random(3)
for m, n, k, tiles in ((8, 8, 8, 1), (16, 24, 40, 30), (32, 8, 64, 32), (5, 7, 9, None)):
    a = [[rng.randrange(-128, 128) for _ in range(k)] for _ in range(m)]
    b = [[rng.randrange(-128, 128) for _ in range(n)] for _ in range(k)]
    array.ridge_array_shape(8, 8)
    given = Tensor(a, dtype=dtypes.int8, device="RIDGE").matmul(Tensor(b, dtype=dtypes.int8, device="RIDGE"),
                                                                dtype=dtypes.int32).tolist()
    right = [[sum(p * q for p, q in zip(row, column)) for column in zip(*b)] for row in a]
    assert given == right, (m, n, k)
    assert tiles is None or array.ridge_array_products() == tiles, (m, n, k, array.ridge_array_products())
# What is no product of int8 runs on the processor, with the values of tinygrad's own device.
for make in (lambda t: t.relu().sum(0), lambda t: (t * 3 - 1).maximum(2).reshape(-1)[::-1], lambda t: t.max(1).exp(),
             lambda t: t.softmax(), lambda t: t.pad(((1, 1), (0, 2))).cast(dtypes.int32).T, lambda t: t.argmax(1)):
    data = [[rng.uniform(-2, 2) for _ in range(12)] for _ in range(6)]
    ours, theirs = (make(Tensor(data, device=device)).flatten().tolist() for device in ("RIDGE", "CPU"))
    assert all(abs(p - q) <= 1e-5 * max(1, abs(q)) for p, q in zip(ours, theirs)), (ours, theirs)
print("shapes and operators agree")
PY
"$work/venv/bin/python" "$work/shapes.py" "$here/labs/tinygrad"
# Packages have no tests but the sources': kernels, products, convolutions and a network forwards and backwards.
timeout 120 "$work/venv/bin/pip" download -q --no-deps --no-binary :all: -d "$work" tinygrad==0.14.0 2> "$work/pip" ||
    { cat "$work/pip"; exit 77; }
tar -xzf "$work/tinygrad-0.14.0.tar.gz" -C "$work" tinygrad-0.14.0/test/test_tiny.py
cat > "$work/own.py" <<'PY'
import sys
import unittest

sys.path[:0] = sys.argv[1:3]
import ridge_array

if __name__ == "__main__":  # tinygrad's search starts this file again
    result = unittest.TextTestRunner().run(unittest.defaultTestLoader.loadTestsFromName("test_tiny"))
    passed = result.testsRun - len(result.failures) - len(result.errors) - len(result.skipped)
    print(f"tinygrad's own tests: {passed} passed, {len(result.skipped)} skipped")
    assert result.wasSuccessful() and passed == 19, passed
PY
DEV=RIDGE "$work/venv/bin/python" "$work/own.py" "$here/labs/tinygrad" "$work/tinygrad-0.14.0/test"
