#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Two libraries' peaks of one GPU: Lightning's and torchtitan's MFU of one run differ by up to four.
#
# Packages: lightning-fabric 2.6.6, torchtitan 0.3.0, torch 2.15.0 (PyPI; some 4 GB with what they depend on; no GPU is
# needed: the name that a driver would print is given). Both divide by a peak they look up by name. For an L40S Lightning
# takes the row of the L4 (121; NVIDIA's data sheet has 362 dense TFLOPS of BF16), for its test for "l4" comes first;
# torchtitan's row of 362 is never found, for it looks for "l40s" in a name with capitals, and 312 of the A100 is taken.
# Of the RTX A6000 Lightning has 38.7, the rate without tensor cores, and torchtitan 154.85, with them: an MFU of 40 % here
# is 160 % there. Of an RTX 4090 it has 82.6, half the rate of its tensor cores. The H100 NVL has 1,978.8, twice what the
# SXM card has. "NVIDIA H200" is not found at all, for the test is for "sxm1" or "nvl1".
# (Known in part: Lightning-AI/pytorch-lightning issue 21677 and pull request 21743 are about the sparse rates of Hopper,
# pytorch/torchtitan pull request 4299 about the L40S; neither is in these releases, the newest of 2026-11.)
# Ridgepoint: assets/chips/gpus.json has dense rates, each with its source, and null where none could be verified.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv tools
tools/bin/pip install -q uv==0.13.9
tools/bin/uv venv -q venv
tools/bin/uv pip install -q --python venv/bin/python lightning-fabric==2.6.6 torch==2.15.0 numpy==2.4.6 setuptools==84.2.1
tools/bin/uv pip install -q --no-deps --python venv/bin/python torchtitan==0.3.0
cat > peaks.py <<'PY'
import logging
import warnings
from unittest import mock

warnings.simplefilter("ignore")
import torch
from lightning_fabric.utilities.throughput import get_available_flops
from torchtitan.tools.utils import get_peak_flops

logging.disable()
for name in ("NVIDIA H100 80GB HBM3", "NVIDIA H100 NVL", "NVIDIA H200", "NVIDIA L40S", "NVIDIA RTX A6000", "NVIDIA GeForce RTX 4090"):
    with mock.patch("torch.cuda.get_device_name", return_value=name), mock.patch("subprocess.run", side_effect=FileNotFoundError):
        one, other = get_available_flops(torch.device("cuda", 0), torch.bfloat16), get_peak_flops(name)
    print(f"{name}: Lightning {one / 1e12 if one else None}, torchtitan {other / 1e12} TFLOPS of bf16")
PY
seen=$(venv/bin/python peaks.py 2> /dev/null)
echo "$seen"
[ "$seen" = "NVIDIA H100 80GB HBM3: Lightning 989.4, torchtitan 989.0 TFLOPS of bf16
NVIDIA H100 NVL: Lightning 1978.8, torchtitan 835.0 TFLOPS of bf16
NVIDIA H200: Lightning None, torchtitan 989.0 TFLOPS of bf16
NVIDIA L40S: Lightning 121.0, torchtitan 312.0 TFLOPS of bf16
NVIDIA RTX A6000: Lightning 38.7, torchtitan 154.85 TFLOPS of bf16
NVIDIA GeForce RTX 4090: Lightning 82.6, torchtitan 312.0 TFLOPS of bf16" ] || { echo "CHANGED: the peaks are others"; exit 1; }

# Seen on 2026-11-29:
# NVIDIA H100 80GB HBM3: Lightning 989.4, torchtitan 989.0 TFLOPS of bf16
# NVIDIA H100 NVL: Lightning 1978.8, torchtitan 835.0 TFLOPS of bf16
# NVIDIA H200: Lightning None, torchtitan 989.0 TFLOPS of bf16
# NVIDIA L40S: Lightning 121.0, torchtitan 312.0 TFLOPS of bf16
# NVIDIA RTX A6000: Lightning 38.7, torchtitan 154.85 TFLOPS of bf16
# NVIDIA GeForce RTX 4090: Lightning 82.6, torchtitan 312.0 TFLOPS of bf16
