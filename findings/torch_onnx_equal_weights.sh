#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# torch.onnx.export: a model that was never trained loses weights on the way into the file.
#
# Packages: torch 2.15.0, onnx 1.23.2, onnxscript 0.7.2 (PyPI; some 4 GB with what they depend on; no GPU is needed). Both
# exporters write equal tensors once. In a freshly made model all scales of its norms are ones and many biases zeros, so two
# LayerNorms and two Linears of 64 with 8,576 parameters become a file with 8,320. After one random step all differ and all
# are written. Who counts the parameters, the memory or the file size of an exported architecture by an untrained copy gets
# too little; the result of the model is right.
# Ridgepoint: the explorer counts the weights of the file; docs/validation.md, "ONNX graphs", says why they can be fewer than
# the model's.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip install -q torch==2.15.0 numpy==2.4.6 setuptools==84.2.1 onnx==1.23.2 onnxscript==0.7.2
cat > weights.py <<'PY'
import onnx
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.LayerNorm(64), nn.Linear(64, 64), nn.LayerNorm(64), nn.Linear(64, 64)).eval()
for layer in (model[1], model[3]):
    nn.init.zeros_(layer.bias)

def in_file(dynamo):
    torch.onnx.export(model, (torch.randn(2, 64),), "model.onnx", dynamo=dynamo, verbose=False)
    held = onnx.load("model.onnx").graph.initializer
    return sum(torch.Size(each.dims).numel() for each in held if each.data_type == onnx.TensorProto.FLOAT)

def tell(when):
    own = sum(each.numel() for each in model.parameters())
    print(f"{when}: {own} parameters, in the file {in_file(True)}, by TorchScript {in_file(False)}")

tell("new")
with torch.no_grad():
    for each in model.parameters():
        each.add_(torch.randn_like(each) * 0.01)
tell("after a step")
PY
seen=$(venv/bin/python weights.py 2> /dev/null | grep parameters)
echo "$seen"
[ "$seen" = "new: 8576 parameters, in the file 8320, by TorchScript 8320
after a step: 8576 parameters, in the file 8576, by TorchScript 8576" ] || { echo "CHANGED: equal weights are written otherwise"; exit 1; }

# Seen on 2026-11-29:
# new: 8576 parameters, in the file 8320, by TorchScript 8320
# after a step: 8576 parameters, in the file 8576, by TorchScript 8576
