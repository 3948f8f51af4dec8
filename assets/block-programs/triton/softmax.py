# SPDX-License-Identifier: GPL-3.0-or-later
# The softmax of softmax.tile as a Triton kernel, and its PTX for an H100. No GPU and no PyTorch is needed:
#     pip install triton==3.9.0 && TRITON_DISABLE_LINE_INFO=1 python3 softmax.py > softmax.sm_90.ptx
# Run it: ridge kernel run softmax.sm_90.ptx --target sim:h100-sxm --grid 4096 --block 128 --smem 16
#             --arg 'in:f32:4096000:rand(7)' --arg out:f32:4096000 --arg i32:1000 --arg u64:0 --arg u64:0
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def softmax(x, y, columns, BLOCK: tl.constexpr):
    first = tl.program_id(0) * columns
    offsets = tl.arange(0, BLOCK)
    inside = offsets < columns
    v = tl.load(x + first + offsets, mask=inside, other=-float("inf"))
    e = tl.exp(v - tl.max(v, 0))
    tl.store(y + first + offsets, e / tl.sum(e, 0), mask=inside)


signature = {"x": "*fp32", "y": "*fp32", "columns": "i32", "BLOCK": "constexpr"}
source = ASTSource(fn=softmax, signature=signature, constexprs={(3,): 1024})
kernel = triton.compile(source, target=GPUTarget("cuda", 90, 32), options={"num_warps": 4})
print(kernel.asm["ptx"].rstrip("\n\0"))
