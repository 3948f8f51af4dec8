#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# numba-cuda-mlir: a dynamic shared array lies on the static ones, and print shows whole numbers of 32 bits two at a time.
#
# Packages: numba-cuda-mlir 0.6.0, beside it numba-cuda 0.30.4, both with CUDA 13.5 (PyPI; some 2 GB; no GPU is needed, but
# compile_ptx() and compile_cubin() ask the driver for one even where cc= is given, so the script answers for it).
# cuda.shared.array(0, int32), whose size comes from the launch, becomes a variable of one byte of the kernel's own instead of
# an .extern one: the machine code has it at 0 and a static array of 64 numbers at 8, so that its third number is the first
# of the other. numba-cuda, which the package is meant to replace, has .extern .shared, behind all static arrays.
# print() of an int32 writes "%lld" into the format and four bytes into the list: a value and its neighbour are shown as one
# number, and the last one is what lies behind.
# Ridgepoint: --check reports both, as array-overrun and as an uninitialised-read of the printed value.
set -euo pipefail
export LC_ALL=C
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
cat > kernels.py <<'PY'
def both(x, out):
    sized = cuda.shared.array(0, types.int32)
    fixed = cuda.shared.array(64, types.int32)
    i = cuda.threadIdx.x
    fixed[i] = x[i]
    sized[i] = -1
    cuda.syncthreads()
    out[i] = fixed[63 - i] + sized[63 - i]

def show(x):
    print(x[0], x[1])
PY
cat > mlir.py <<'PY'
import pathlib
import re
import subprocess
import sys

import numba_cuda_mlir.tools
numba_cuda_mlir.tools.get_gpu_compute_capability = lambda kind=tuple: kind((8, 0))
from numba_cuda_mlir import cuda, types
exec(pathlib.Path("kernels.py").read_text())
one = types.int32[::1]

def first(made):
    return made[0] if isinstance(made, tuple) else made

text = first(cuda.compile_ptx(both, (one, one), cc=(8, 0)))
print("PTX:", "; ".join(re.findall(r"\.(?:extern )?\.?shared \.align \d+ \.b8 [^;]+", text)))
pathlib.Path("both.cubin").write_bytes(first(cuda.compile_cubin(both, (one, one), cc=(8, 0))))
nvdisasm = next(pathlib.Path(sys.prefix).rglob("bin/nvdisasm"))
code = subprocess.run([nvdisasm, "-c", "both.cubin"], check=True, capture_output=True, text=True).stdout
print("machine code:", "; ".join(re.findall(r"STS \[[^]]*\]", code)))
text = first(cuda.compile_ptx(show, (one,), cc=(8, 0)))
letters = re.search(r"printfFormat_0\[\d+\] = \{([^}]*)\}", text)[1]
print("print:", repr(bytes(map(int, letters.split(","))).decode()), *re.findall(r"st\.local\.\S+", text))
PY
cat > classic.py <<'PY'
import pathlib
import re

from numba import cuda, types
exec(pathlib.Path("kernels.py").read_text())
text, _ = cuda.compile_ptx(both, (types.int32[::1], types.int32[::1]), device=False, cc=(8, 0))
print("PTX:", "; ".join(re.findall(r"\.(?:extern )?\.?shared \.align \d+ \.b8 [^;]+", text)))
PY
ask() # name, script, packages
{
    python3 -m venv "$1"
    "$1/bin/python" -m pip install -q --disable-pip-version-check "${@:3}"
    env -u CUDA_HOME -u CUDA_PATH "$1/bin/python" "$2" | sed "s/^/$1, /" | tee -a seen.txt
}
ask numba-cuda-mlir mlir.py "numba-cuda-mlir[cu13]==0.6.0" cuda-toolkit==13.5.0 nvidia-nvvm==13.5.37 nvidia-cuda-nvdisasm==13.5.37 numpy==2.4.6
ask numba-cuda classic.py numba==0.68.1 "numba-cuda[cu13]==0.30.4" nvidia-nvvm==13.5.37
cat > expected.txt <<'EOF'
numba-cuda-mlir, PTX: .shared .align 8 .b8 static_shared_memory_0[256]; .shared .align 16 .b8 __dynamic_shmem__0
numba-cuda-mlir, machine code: STS [R11.X4+0x8]; STS [R0]
numba-cuda-mlir, print: '%lld %lld\n' st.local.u32 st.local.u32
numba-cuda, PTX: .extern .shared .align 4 .b8 _cudapy_smem_1[]; .shared .align 4 .b8 _cudapy_smem_2[256]
EOF
cmp -s seen.txt expected.txt || { echo "CHANGED: arrays, addresses or formats are no longer like this"; exit 1; }
