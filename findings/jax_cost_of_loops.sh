#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# jax: cost_analysis() counts the body of a loop once, so the cost of a model depends on how its loop is unrolled.
#
# Package: jax 0.10.2 with jaxlib 0.10.2 (PyPI; CPU). Ten products of order 256 in lax.scan have the FLOPs of one, in a
# fori_loop too. The bytes are those of one turn and of what stands around the loop. The very same ten products cost 5
# with unroll=5 and 10 with unroll=10, and the results agree. A transformer whose layers are scanned, as large jax models
# are written, shows the FLOPs of one layer, and an MFU that is made of them is too low by the number of layers.
# Ridgepoint: the explorer multiplies every operator by its launches, whatever loop it stands in.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip install -q jax==0.10.2 jaxlib==0.10.2 numpy==2.4.6 scipy==1.17.1 ml_dtypes==0.6.0
cat > loops.py <<'PY'
import jax
import jax.numpy as jnp

order, turns = 256, 10
one = 2 * order**3
matrix = jnp.full((order, order), 1 / order)

def scanned(unroll):
    def chain(start):
        return jax.lax.scan(lambda held, _: (held @ matrix, None), start, None, length=turns, unroll=unroll)[0]
    return chain

def looped(start):
    return jax.lax.fori_loop(0, turns, lambda _, held: held @ matrix, start)

def products(function):
    return jax.jit(function).lower(matrix).compile().cost_analysis()["flops"] / one

expected = looped(matrix)
for name, function in [(f"scan, unroll={u}", scanned(u)) for u in (1, 5, 10)] + [("fori_loop", looped)]:
    same = bool(jnp.allclose(jax.jit(function)(matrix), expected))
    print(f"{name}: {products(function):.1f} products of {turns}, results agree: {same}")
PY
seen=$(JAX_PLATFORMS=cpu venv/bin/python loops.py 2> /dev/null)
echo "$seen"
[ "$seen" = "scan, unroll=1: 1.0 products of 10, results agree: True
scan, unroll=5: 5.0 products of 10, results agree: True
scan, unroll=10: 10.0 products of 10, results agree: True
fori_loop: 1.0 products of 10, results agree: True" ] || { echo "CHANGED: the cost is counted otherwise"; exit 1; }

# Seen on 2026-11-29:
# scan, unroll=1: 1.0 products of 10, results agree: True
# scan, unroll=5: 5.0 products of 10, results agree: True
# scan, unroll=10: 10.0 products of 10, results agree: True
# fori_loop: 1.0 products of 10, results agree: True
