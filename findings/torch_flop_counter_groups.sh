#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# torch's FlopCounterMode: the backward pass of a grouped convolution counts one product per pair of groups.
#
# Package: torch 2.15.0 (PyPI; some 4 GB with what it depends on; no GPU is needed). The backward pass of a convolution is
# two products of the forward pass's size, so forward and backward are three times the forward pass, however many groups
# there are. The counter says so for one group. With G groups it says 2 + G times: the gradient of the weights is counted
# as if every output channel met every input channel. A training step of a depthwise layer of 64 channels is counted 22
# times too high. The forward pass alone is right. (A change to the counter was proposed in May 2026, pytorch/pytorch
# pull request 183405; the release of this script does not have it.)
# Ridgepoint: the explorer counts three times the forward pass for a training step of a convolution of any groups
# (tests/workload/tst_explorer.cpp).
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip install -q torch==2.15.0 numpy==2.4.6 setuptools==84.2.1
cat > groups.py <<'PY'
import torch
from torch.utils.flop_counter import FlopCounterMode

def counted(work):
    with FlopCounterMode(display=False) as counter:
        work()
    return counter.get_total_flops()

image = torch.randn(2, 64, 32, 32, requires_grad=True)
for groups in (1, 4, 16, 64):
    layer = torch.nn.Conv2d(64, 64, 3, padding=1, groups=groups, bias=False)
    forward = counted(lambda: layer(image))
    by_hand = 2 * (2 * 64 * 32 * 32) * (64 // groups * 3 * 3)
    both = counted(lambda: layer(image).sum().backward())
    print(f"{groups} groups: forward {forward}, by hand {by_hand}, with backward {both / forward:g} times")
PY
seen=$(venv/bin/python groups.py 2> /dev/null)
echo "$seen"
[ "$seen" = "1 groups: forward 150994944, by hand 150994944, with backward 3 times
4 groups: forward 37748736, by hand 37748736, with backward 6 times
16 groups: forward 9437184, by hand 9437184, with backward 18 times
64 groups: forward 2359296, by hand 2359296, with backward 66 times" ] || { echo "CHANGED: the counter counts otherwise"; exit 1; }

# Seen on 2026-11-29:
# 1 groups: forward 150994944, by hand 150994944, with backward 3 times
# 4 groups: forward 37748736, by hand 37748736, with backward 6 times
# 16 groups: forward 9437184, by hand 9437184, with backward 18 times
# 64 groups: forward 2359296, by hand 2359296, with backward 66 times
