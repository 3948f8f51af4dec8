#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# torch's profiler: with_flops counts 0 for a convolution with padding="same", and a product by its first factor alone.
#
# Package: torch 2.15.0 (PyPI; some 4 GB with what it depends on; no GPU is needed). nn.Conv2d(8, 8, 3) of a 16 x 16 image
# with padding=1 and with padding="same" is one layer with one result; the first counts 294,912 FLOPs, the second none. A
# warning says, once a process, that conv2d "requires padding, stride, and dilation values", which it was given; the table of
# results shows no gap. An elementwise product or sum counts the elements of its first operand, not of its result: a column
# times a row of 64 and 256 is 64 FLOPs for 16,384, and a scale of one element in front of a matrix is 1, behind it 16,384.
# The same expression in another order is another cost. (The documentation says that with_flops is for matrix products
# and 2-D convolutions; torch.utils.flop_counter counts both paddings alike.)
# Ridgepoint: the explorer counts from the result's shape; an ONNX graph's auto_pad is resolved first (tests/workload/tst_onnx.cpp).
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv tools
tools/bin/pip install -q uv==0.13.9
tools/bin/uv venv -q venv
tools/bin/uv pip install -q --python venv/bin/python torch==2.15.0 numpy==2.4.6 setuptools==84.2.1
cat > flops.py <<'PY'
import torch
from torch.profiler import ProfilerActivity, profile
from torch.utils.flop_counter import FlopCounterMode


def profiled(work):
    with profile(activities=[ProfilerActivity.CPU], with_flops=True) as seen:
        work()
    return sum(event.flops for event in seen.key_averages() if event.flops)


image, column, row, scale, matrix = (torch.ones(*shape) for shape in ((1, 8, 16, 16), (64, 1), (1, 256), (1,), (64, 256)))
with torch.no_grad():
    layers = {padding: torch.nn.Conv2d(8, 8, 3, padding=padding, bias=False) for padding in (1, "same")}
    layers["same"].load_state_dict(layers[1].state_dict())
    print("results agree:", torch.allclose(layers[1](image), layers["same"](image)))
    for padding, layer in layers.items():
        with FlopCounterMode(display=False) as counter:
            layer(image)
        print(f"padding={padding!r}: profiler {profiled(lambda: layer(image))}, flop_counter {counter.get_total_flops()}")
    for name, work in (("column * row", lambda: column * row), ("scale * matrix", lambda: scale * matrix),
                       ("matrix * scale", lambda: matrix * scale)):
        print(f"{name}: profiler {profiled(work)}, elements of the result {work().numel()}")
PY
seen=$(venv/bin/python flops.py 2> /dev/null | grep -v USDT)
echo "$seen"
[ "$seen" = "results agree: True
padding=1: profiler 294912, flop_counter 294912
padding='same': profiler 0, flop_counter 294912
column * row: profiler 64, elements of the result 16384
scale * matrix: profiler 1, elements of the result 16384
matrix * scale: profiler 16384, elements of the result 16384" ] || { echo "CHANGED: the profiler counts otherwise"; exit 1; }

# Seen on 2026-11-29:
# results agree: True
# padding=1: profiler 294912, flop_counter 294912
# padding='same': profiler 0, flop_counter 294912
# column * row: profiler 64, elements of the result 16384
# scale * matrix: profiler 1, elements of the result 16384
# matrix * scale: profiler 16384, elements of the result 16384
