#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# torch's FlopCounterMode: torch's own transformer layer counts 0 as soon as it is asked as one serves it.
#
# Package: torch 2.15.0 (PyPI; some 4 GB with what it depends on; no GPU is needed). nn.TransformerEncoderLayer,
# nn.TransformerEncoder and nn.MultiheadAttention take a fused operator where the model is in eval() and gradients are
# off. The counter has no formula for that operator and says nothing: the same layer on the same input counts 1,081,344 in
# training or with gradients on, and 0 without. A Linear counts in both. With torch.backends.mha.set_fastpath_enabled(False)
# the numbers are equal again, and the results agree.
# Ridgepoint: the explorer and lesson 5.4 count from shapes, so a forward pass costs the same with and without gradients.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip install -q torch==2.15.0 numpy==2.4.6 setuptools==84.2.1
cat > fast_path.py <<'PY'
import torch
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

def counted(work):
    with FlopCounterMode(display=False) as counter:
        work()
    return counter.get_total_flops()

torch.manual_seed(0)
tokens = torch.randn(2, 8, 64)
layer = nn.TransformerEncoderLayer(64, 4, 128, dropout=0, batch_first=True)
attention = nn.MultiheadAttention(64, 4, batch_first=True)
linear = nn.Linear(64, 64)
for name, module, run in (("Linear", linear, lambda: linear(tokens)),
                          ("MultiheadAttention", attention,
                           lambda: attention(tokens, tokens, tokens, need_weights=False)[0]),
                          ("TransformerEncoderLayer", layer, lambda: layer(tokens))):
    training = counted(run)
    module.eval()
    with_gradients = counted(run)
    with torch.no_grad():
        fast, result = counted(run), run()
        torch.backends.mha.set_fastpath_enabled(False)
        slow, same = counted(run), torch.allclose(run(), result, atol=1e-5)
        torch.backends.mha.set_fastpath_enabled(True)
    print(f"{name}: train {training}, eval {with_gradients}, eval without gradients {fast}, "
          f"fast path off {slow}, results agree: {same}")
PY
seen=$(venv/bin/python fast_path.py 2> /dev/null)
echo "$seen"
[ "$seen" = "Linear: train 131072, eval 131072, eval without gradients 131072, fast path off 131072, results agree: True
MultiheadAttention: train 557056, eval 557056, eval without gradients 0, fast path off 557056, results agree: True
TransformerEncoderLayer: train 1081344, eval 1081344, eval without gradients 0, fast path off 1081344, results agree: True" ] ||
  { echo "CHANGED: the counter counts otherwise"; exit 1; }

# Seen on 2026-11-29:
# Linear: train 131072, eval 131072, eval without gradients 131072, fast path off 131072, results agree: True
# MultiheadAttention: train 557056, eval 557056, eval without gradients 0, fast path off 557056, results agree: True
# TransformerEncoderLayer: train 1081344, eval 1081344, eval without gradients 0, fast path off 1081344, results agree: True
