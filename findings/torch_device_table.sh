#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# torch's table of devices gives an L4 the memory of an H100, and knows an H100 by no name that a driver prints.
#
# Packages: torch 2.15.0, triton 3.9.0 (PyPI; some 4 GB with what they depend on; no GPU is needed). Inductor's cost
# estimates and its analysis of profiles take peaks from one table, by the device's name. An L4 has 300 GB/s and 121 dense
# TFLOPS of BF16 (242 is with 2:4 sparsity, by NVIDIA's data sheet); the table says 3,350 GB/s, the H100's, and 242 where a
# dense figure is asked for. The H100 is there as "NVIDIA H100"; drivers say "NVIDIA H100 80GB HBM3" or "NVIDIA H100 PCIe",
# and an A100 says "NVIDIA A100-SXM4-80GB": nothing is found. Then get_device_tflops() asks Triton, whose
# get_max_tensorcore_tflops() multiplies by the rate per clock of an A100 whatever the chip: right for the A100, half of it
# for the H100 (494.7 of 989.4 at 132 SMs and 1,830 MHz; the two figures are given to it here, for there is no device).
# Under its own name the H100 has a rate for float8_e8m0fnu, a format of scales, and none for float8_e4m3fn.
# (The H100's missing name is an open pull request, pytorch/pytorch 194276; its own rates were halved by 182023, the L4's not.)
# Ridgepoint: assets/chips/gpus.json has dense rates for each chip and the names drivers print.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv tools
tools/bin/pip install -q uv==0.13.9
tools/bin/uv venv -q venv
tools/bin/uv pip install -q --python venv/bin/python torch==2.15.0 triton==3.9.0 numpy==2.4.6 setuptools==84.2.1
cat > peaks.py <<'PY'
from unittest import mock

import torch
import triton.testing
from torch._inductor.analysis.device_info import datasheet_dram_bw_gbs, datasheet_tops
from triton.runtime import driver

for name in ("NVIDIA L4", "NVIDIA B200", "NVIDIA H100", "NVIDIA H100 80GB HBM3", "NVIDIA H100 PCIe", "NVIDIA A100-SXM4-80GB"):
    rates = [datasheet_tops(kind, device_name=name) for kind in (torch.bfloat16, torch.float8_e4m3fn, torch.float8_e8m0fnu)]
    print(f"{name}: bf16 {rates[0]}, e4m3fn {rates[1]}, e8m0fnu {rates[2]} TFLOPS, {datasheet_dram_bw_gbs(name)} GB/s")


class Device:
    def __init__(self, multiprocessors):
        self.utils = self
        self.multiprocessors = multiprocessors

    def get_device_properties(self, _):
        return {"multiprocessor_count": self.multiprocessors}


for name, capability, multiprocessors, megahertz in (("A100", (8, 0), 108, 1410), ("H100", (9, 0), 132, 1830)):
    driver.set_active(Device(multiprocessors))
    with mock.patch("torch.cuda.get_device_capability", return_value=capability):
        print(f"Triton, {name}: bf16 {triton.testing.get_max_tensorcore_tflops(torch.bfloat16, megahertz * 1000, 1):.1f} TFLOPS")
PY
seen=$(venv/bin/python peaks.py 2> /dev/null)
echo "$seen"
[ "$seen" = "NVIDIA L4: bf16 242.0, e4m3fn None, e8m0fnu 485.0 TFLOPS, 3350 GB/s
NVIDIA B200: bf16 2250.0, e4m3fn 4500.0, e8m0fnu 4500.0 TFLOPS, 7700.0 GB/s
NVIDIA H100: bf16 989.5, e4m3fn None, e8m0fnu 1979.0 TFLOPS, 3350 GB/s
NVIDIA H100 80GB HBM3: bf16 None, e4m3fn None, e8m0fnu None TFLOPS, None GB/s
NVIDIA H100 PCIe: bf16 None, e4m3fn None, e8m0fnu None TFLOPS, None GB/s
NVIDIA A100-SXM4-80GB: bf16 None, e4m3fn None, e8m0fnu None TFLOPS, None GB/s
Triton, A100: bf16 311.9 TFLOPS
Triton, H100: bf16 494.7 TFLOPS" ] || { echo "CHANGED: the peaks are others"; exit 1; }

# Seen on 2026-11-29:
# NVIDIA L4: bf16 242.0, e4m3fn None, e8m0fnu 485.0 TFLOPS, 3350 GB/s
# NVIDIA B200: bf16 2250.0, e4m3fn 4500.0, e8m0fnu 4500.0 TFLOPS, 7700.0 GB/s
# NVIDIA H100: bf16 989.5, e4m3fn None, e8m0fnu 1979.0 TFLOPS, 3350 GB/s
# NVIDIA H100 80GB HBM3: bf16 None, e4m3fn None, e8m0fnu None TFLOPS, None GB/s
# NVIDIA H100 PCIe: bf16 None, e4m3fn None, e8m0fnu None TFLOPS, None GB/s
# NVIDIA A100-SXM4-80GB: bf16 None, e4m3fn None, e8m0fnu None TFLOPS, None GB/s
# Triton, A100: bf16 311.9 TFLOPS
# Triton, H100: bf16 494.7 TFLOPS
