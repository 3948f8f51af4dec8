#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# jax: "bytes accessed" of a compiled embedding lookup is the whole table, however few rows are read.
#
# Packages: jax 0.10.2, jaxlib 0.10.2 (PyPI; CPU). Eight rows of 4 KiB are 32 KiB, and as much is written. Before it is
# compiled, cost_analysis() says 65,632 bytes, for a table of any length. Of the compiled program it says 204,832,800 for a
# table of 50,000 rows, 3,121 times as much, and for 1,000 rows 4,128,800: the gather stands in a fusion, and all of an
# operand of the fusion counts. The same rows taken by eight dynamic slices are 65,568 bytes compiled. So the arithmetic
# intensity of an embedding, or of a paged cache that is read by its block table, falls with the size of a table nobody
# reads, and the figure of the compiled program, which is taken for the better one, is the worse.
# Ridgepoint: the explorer counts the rows that an embedding reads.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv tools
tools/bin/pip install -q uv==0.13.9
tools/bin/uv venv -q venv
tools/bin/uv pip install -q --python venv/bin/python jax==0.10.2 jaxlib==0.10.2 numpy==2.4.6 scipy==1.17.1 ml_dtypes==0.6.0
cat > lookup.py <<'PY'
import jax
import jax.numpy as jnp

def rows(table, ids):
    return jnp.take(table, ids, axis=0, mode="clip")

def slices(table, ids):
    return jnp.concatenate([jax.lax.dynamic_slice(table, (i, 0), (1, table.shape[1])) for i in ids])

ids = jax.ShapeDtypeStruct((8,), jnp.int32)
for name, lookup in (("take", rows), ("8 slices", slices)):
    for length in (1000, 50000):
        lowered = jax.jit(lookup).lower(jax.ShapeDtypeStruct((length, 1024), jnp.float32), ids)
        before, after = (stage.cost_analysis()["bytes accessed"] for stage in (lowered, lowered.compile()))
        print(f"{name} of {length} rows: {before:.0f} bytes lowered, {after:.0f} compiled; moved: {2 * 8 * 4096}")
PY
seen=$(JAX_PLATFORMS=cpu venv/bin/python lookup.py 2> /dev/null)
echo "$seen"
[ "$seen" = "take of 1000 rows: 65632 bytes lowered, 4128800 compiled; moved: 65536
take of 50000 rows: 65632 bytes lowered, 204832800 compiled; moved: 65536
8 slices of 1000 rows: 131504 bytes lowered, 65568 compiled; moved: 65536
8 slices of 50000 rows: 131504 bytes lowered, 65568 compiled; moved: 65536" ] || { echo "CHANGED: the bytes are counted otherwise"; exit 1; }

# Seen on 2026-11-29:
# take of 1000 rows: 65632 bytes lowered, 4128800 compiled; moved: 65536
# take of 50000 rows: 65632 bytes lowered, 204832800 compiled; moved: 65536
# 8 slices of 1000 rows: 131504 bytes lowered, 65568 compiled; moved: 65536
# 8 slices of 50000 rows: 131504 bytes lowered, 65568 compiled; moved: 65536
