#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# transformers keeps the keys and values of the larger Falcons once per query head, not once per group.
#
# Packages: transformers 5.24.0, torch 2.15.0 (PyPI; some 4 GB with what it depends on; no GPU is needed). Falcon-40B and
# 180B ("new_decoder_architecture") have 8 KV heads for 128 or 232 query heads. The model's code copies each KV head to all
# its query heads before it hands them to the cache, so the cache holds 16 (40B) or 29 (180B) times what the architecture
# needs: 1.97 MB a token in bf16 of Falcon-40B, not 123 kB. The older Falcons (7B, one KV head), and Llama with groups, keep
# what they should.
# Ridgepoint: the explorer counts the KV heads of the config (tests/workload/config_counts.jsonl has no bytes for these).
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip install -q torch==2.15.0 transformers==5.24.0 numpy==2.4.6 setuptools==84.2.1
cat > cache.py <<'PY'
import torch
import transformers
from transformers import AutoModelForCausalLM, FalconConfig, LlamaConfig

transformers.logging.set_verbosity_error()
sizes = dict(hidden_size=128, num_hidden_layers=2, num_attention_heads=16, vocab_size=100)
for name, config in (
    ("Llama, 16 heads over 2", LlamaConfig(**sizes, num_key_value_heads=2, intermediate_size=256)),
    ("Falcon, 16 heads over 1", FalconConfig(**sizes)),
    ("Falcon, 16 heads over 2", FalconConfig(**sizes, new_decoder_architecture=True, num_kv_heads=2)),
):
    model = AutoModelForCausalLM.from_config(config).eval()
    with torch.no_grad():
        kept = model(torch.arange(32)[None], use_cache=True).past_key_values.layers[0].keys
    print(f"{name}: the cache of a layer has {kept.shape[1]} heads of {kept.shape[3]}")
PY
seen=$(venv/bin/python cache.py 2> /dev/null)
echo "$seen"
[ "$seen" = "Llama, 16 heads over 2: the cache of a layer has 2 heads of 8
Falcon, 16 heads over 1: the cache of a layer has 1 heads of 8
Falcon, 16 heads over 2: the cache of a layer has 16 heads of 8" ] || { echo "CHANGED: the cache keeps otherwise"; exit 1; }

# Seen on 2026-11-29:
# Llama, 16 heads over 2: the cache of a layer has 2 heads of 8
# Falcon, 16 heads over 1: the cache of a layer has 1 heads of 8
# Falcon, 16 heads over 2: the cache of a layer has 16 heads of 8
