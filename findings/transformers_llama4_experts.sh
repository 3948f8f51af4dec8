#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# transformers computes all experts of Llama 4 for every token, and weighs those that were not chosen with 0.
#
# Packages: transformers 5.24.0, torch 2.15.0 (PyPI; some 4 GB with what it depends on; no GPU is needed). Llama 4 sends a
# token to one of 16 (Scout) or 128 (Maverick) experts. The model's code repeats the tokens for each expert, multiplies
# those of the others by a sigmoid of minus infinity, which is 0, and runs one product over all of it. So its FLOPs, time
# and activations grow with the experts that there are: 16 experts cost five times what two do in the sizes below, where
# Mixtral's code costs the same but for its router. A benchmark of Llama 4 through transformers measures this, not the
# architecture.
# Ridgepoint: the explorer counts the experts that a token uses (num_experts_per_tok).
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip install -q torch==2.15.0 transformers==5.24.0 numpy==2.4.6 setuptools==84.2.1
cat > experts.py <<'PY'
import torch
import transformers
from torch.utils.flop_counter import FlopCounterMode
from transformers import AutoModelForCausalLM, Llama4TextConfig, MixtralConfig

transformers.logging.set_verbosity_error()
sizes = dict(hidden_size=128, num_hidden_layers=2, num_attention_heads=16, num_key_value_heads=2, head_dim=8,
             intermediate_size=256, vocab_size=100, num_experts_per_tok=1)

def counted(config):
    torch.manual_seed(0)
    model = AutoModelForCausalLM.from_config(config, experts_implementation="eager").eval()
    with torch.no_grad(), FlopCounterMode(display=False) as counter:
        model(torch.arange(32)[None])
    return counter.get_total_flops()

for experts in (2, 4, 16):
    llama = counted(Llama4TextConfig(**sizes, intermediate_size_mlp=256, num_local_experts=experts))
    mixtral = counted(MixtralConfig(**sizes, num_local_experts=experts))
    print(f"{experts} experts, one of them a token: Llama 4 {llama} FLOP, Mixtral {mixtral}")
PY
seen=$(venv/bin/python experts.py 2> /dev/null)
echo "$seen"
[ "$seen" = "2 experts, one of them a token: Llama 4 44367872 FLOP, Mixtral 19202048
4 experts, one of them a token: Llama 4 69566464 FLOP, Mixtral 19234816
16 experts, one of them a token: Llama 4 220758016 FLOP, Mixtral 19431424" ] || { echo "CHANGED: the experts are computed otherwise"; exit 1; }

# Seen on 2026-11-29:
# 2 experts, one of them a token: Llama 4 44367872 FLOP, Mixtral 19202048
# 4 experts, one of them a token: Llama 4 69566464 FLOP, Mixtral 19234816
# 16 experts, one of them a token: Llama 4 220758016 FLOP, Mixtral 19431424
