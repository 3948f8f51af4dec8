#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# torch.compile: the counter of graph breaks leaves out an `if` on a tensor.
#
# Package: torch 2.15.0 (PyPI; some 4 GB with what it depends on; no GPU is needed). Three functions break into two graphs
# each: one has an `if` on a sum, one prints, one calls .item(). torch._dynamo.explain reports one break for all three.
# torch._dynamo.utils.counters["graph_break"], which many scripts and logs read, is empty for the `if` and counts 1 for
# each of the others. A script that looks for breaks there finds none in a model with a data-dependent branch.
# Ridgepoint: lesson 4.8 counts graphs, not this counter; the experiment `graph_compile` counts a branch as a break.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip install -q torch==2.15.0 numpy==2.4.6 setuptools==84.2.1
cat > breaks.py <<'PY'
import torch
from torch._dynamo.utils import counters

def branch(x):
    y = x * 2
    return y + 1 if y.sum() > 0 else y - 1

def printed(x):
    y = x * 2
    print(end="")
    return y + 1

def item(x):
    y = x * 2
    return y * y.sum().item()

x = torch.ones(8)
for function in (branch, printed, item):
    torch._dynamo.reset()
    counters.clear()
    graphs = []
    def keep(module, inputs):
        graphs.append(module)
        return module.forward
    torch.compile(function, backend=keep)(x)
    counted = sum(counters["graph_break"].values())
    told = torch._dynamo.explain(function)(x)
    print(f"{function.__name__}: {len(graphs)} graphs, explain {told.graph_break_count} break, counter {counted}")
PY
seen=$(venv/bin/python breaks.py 2> /dev/null)
echo "$seen"
[ "$seen" = "branch: 2 graphs, explain 1 break, counter 0
printed: 2 graphs, explain 1 break, counter 1
item: 2 graphs, explain 1 break, counter 1" ] || { echo "CHANGED: the counter counts otherwise"; exit 1; }

# Seen on 2026-11-28:
# branch: 2 graphs, explain 1 break, counter 0
# printed: 2 graphs, explain 1 break, counter 1
# item: 2 graphs, explain 1 break, counter 1
