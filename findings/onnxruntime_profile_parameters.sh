#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# onnxruntime's profile: "parameter_size" is 0 for the weights that are read most, those of MatMul and Gemm.
#
# Packages: onnxruntime 1.32.0, onnx 1.23.2, numpy 2.4.6 (PyPI; CPU). Each node's event in a profile says how many bytes its
# activations, parameters and outputs have. A kernel that packs its weights when the session is made lets the originals go,
# and the profile counts what is left: a product with 512 KiB of weights has a parameter_size of 0, and the shape of the
# weights is gone from input_type_shape as well. The bias of an Add and the table of a Gather stay, so a sum over the file looks
# plausible: 104,448 of 759,808 bytes here. With session.disable_prepacking = 1 all of them are there, but then other kernels
# are timed. Whoever divides FLOPs by these bytes gets the intensity of a product without weights.
# Ridgepoint: it takes bytes from the model's shapes and reads no profile of onnxruntime.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv tools
tools/bin/pip install -q uv==0.13.9
tools/bin/uv venv -q venv
tools/bin/uv pip install -q --python venv/bin/python onnxruntime==1.32.0 onnx==1.23.2 numpy==2.4.6
cat > profile.py <<'PY'
import json

import numpy as np
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

shapes = {"table": (100, 256), "w": (256, 512), "bias": (512,), "w2": (512, 64)}
weights = [numpy_helper.from_array(np.ones(shape, np.float32), name) for name, shape in shapes.items()]
nodes = [helper.make_node("Gather", ["table", "ids"], ["x"], "Gather"),
         helper.make_node("MatMul", ["x", "w"], ["m"], "MatMul"),
         helper.make_node("Add", ["m", "bias"], ["a"], "Add"),
         helper.make_node("Gemm", ["a", "w2"], ["y"], "Gemm")]
given = [helper.make_tensor_value_info("ids", TensorProto.INT64, ["n"])]
made = [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", 64])]
model = helper.make_model(helper.make_graph(nodes, "g", given, made, weights), ir_version=10,
                          opset_imports=[helper.make_opsetid("", 21)]).SerializeToString()
owner = {"Gather": "table", "MatMul": "w", "Add": "bias", "Gemm": "w2"}
for packing in ("on", "off"):
    options = onnxruntime.SessionOptions()
    options.enable_profiling = True
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.add_session_config_entry("session.disable_prepacking", "0" if packing == "on" else "1")
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    session.run(None, {"ids": np.arange(8)})
    said = total = 0
    for event in json.load(open(session.end_profiling())):
        name = event["name"].removesuffix("_kernel_time")
        if name in owner:
            held, seen = 4 * int(np.prod(shapes[owner[name]])), int(event["args"]["parameter_size"])
            print(f"prepacking {packing}: {name} has {held} bytes of weights, parameter_size {seen}, "
                  f"inputs with a shape: {len(event['args']['input_type_shape'])}")
            said, total = said + seen, total + held
    print(f"prepacking {packing}: together {total} bytes, by the profile {said}")
PY
seen=$(venv/bin/python profile.py)
echo "$seen"
[ "$seen" = "prepacking on: Gather has 102400 bytes of weights, parameter_size 102400, inputs with a shape: 2
prepacking on: MatMul has 524288 bytes of weights, parameter_size 0, inputs with a shape: 1
prepacking on: Add has 2048 bytes of weights, parameter_size 2048, inputs with a shape: 2
prepacking on: Gemm has 131072 bytes of weights, parameter_size 0, inputs with a shape: 1
prepacking on: together 759808 bytes, by the profile 104448
prepacking off: Gather has 102400 bytes of weights, parameter_size 102400, inputs with a shape: 2
prepacking off: MatMul has 524288 bytes of weights, parameter_size 524288, inputs with a shape: 2
prepacking off: Add has 2048 bytes of weights, parameter_size 2048, inputs with a shape: 2
prepacking off: Gemm has 131072 bytes of weights, parameter_size 131072, inputs with a shape: 2
prepacking off: together 759808 bytes, by the profile 759808" ] || { echo "CHANGED: the profile says otherwise"; exit 1; }

# Seen on 2026-11-29:
# prepacking on: Gather has 102400 bytes of weights, parameter_size 102400, inputs with a shape: 2
# prepacking on: MatMul has 524288 bytes of weights, parameter_size 0, inputs with a shape: 1
# prepacking on: Add has 2048 bytes of weights, parameter_size 2048, inputs with a shape: 2
# prepacking on: Gemm has 131072 bytes of weights, parameter_size 0, inputs with a shape: 1
# prepacking on: together 759808 bytes, by the profile 104448
# prepacking off: Gather has 102400 bytes of weights, parameter_size 102400, inputs with a shape: 2
# prepacking off: MatMul has 524288 bytes of weights, parameter_size 524288, inputs with a shape: 2
# prepacking off: Add has 2048 bytes of weights, parameter_size 2048, inputs with a shape: 2
# prepacking off: Gemm has 131072 bytes of weights, parameter_size 131072, inputs with a shape: 2
# prepacking off: together 759808 bytes, by the profile 759808
