#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# transformers ties the output matrix of T5 v1.1 to its embedding although the config says that it is not tied.
#
# Packages: transformers 5.24.0, torch 2.15.0 (PyPI; some 4 GB with what it depends on; no GPU is needed). T5 v1.1, Flan-T5
# and mT5 have an output matrix of their own, and their config.json says "tie_word_embeddings": false. The class of the
# config (that of UMT5 as well) sets it to true, whatever the file says. So a model that is made of the config alone, as
# parameter counters on the meta device make it, has one table too few: 222.9 M weights of T5 v1.1 base, not 247.6 M. Loaded
# from weights the model has both, and its config still says that they are one.
# Ridgepoint: `ridge model` counts what the file says (modelsOfSeveralPartsAreThePublishedOnes in
# tests/workload/tst_model.cpp).
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip install -q torch==2.15.0 transformers==5.24.0 numpy==2.4.6 setuptools==84.2.1
cat > tied.py <<'PY'
import json
import torch
import transformers
from safetensors.torch import load_file, save_file
from transformers import AutoModelForSeq2SeqLM, T5Config

transformers.logging.set_verbosity_error()
gated = dict(feed_forward_proj="gated-gelu", tie_word_embeddings=False)

def weights(model):
    return sum(each.numel() for each in model.parameters())

with torch.device("meta"):
    base = AutoModelForSeq2SeqLM.from_config(
        T5Config(d_model=768, d_ff=2048, num_layers=12, num_heads=12, **gated))
print(f"T5 v1.1 base of its config: tied is {base.config.tie_word_embeddings}, {weights(base)} weights")

small = AutoModelForSeq2SeqLM.from_config(
    T5Config(d_model=64, d_kv=16, d_ff=128, num_layers=2, num_heads=4, vocab_size=1000, **gated))
small.save_pretrained("saved")
tensors = load_file("saved/model.safetensors")
tensors["lm_head.weight"] = torch.randn(1000, 64)  # as the weights of T5 v1.1 have it
save_file(tensors, "saved/model.safetensors", metadata={"format": "pt"})
config = json.load(open("saved/config.json"))
json.dump({**config, "tie_word_embeddings": False}, open("saved/config.json", "w"))
loaded = AutoModelForSeq2SeqLM.from_pretrained("saved")
print(f"a small one of its config: {weights(small)} weights; loaded with an output matrix: {weights(loaded)}, "
      f"tied is {loaded.config.tie_word_embeddings}")
PY
seen=$(venv/bin/python tied.py 2> /dev/null)
echo "$seen"
[ "$seen" = "T5 v1.1 base of its config: tied is True, 222903552 weights
a small one of its config: 261632 weights; loaded with an output matrix: 325632, tied is True" ] || { echo "CHANGED: the config is read otherwise"; exit 1; }

# Seen on 2026-11-29:
# T5 v1.1 base of its config: tied is True, 222903552 weights
# a small one of its config: 261632 weights; loaded with an output matrix: 325632, tied is True
