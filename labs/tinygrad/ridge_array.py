# SPDX-License-Identifier: GPL-3.0-or-later
"""A tinygrad device that multiplies on Ridgepoint's systolic array: DEV=RIDGE after `import ridge_array`.

tinygrad (0.14.0; its interface changes) lowers a graph to C. Products of int8 that sum into int32 become calls of one
8 x 8 x 8 tile, which libridge_array.so steps through cycle by cycle; everything else runs on this processor.
LIBRIDGE names the library if it is not in build/release/lib.
"""
import ctypes
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import types

from tinygrad.codegen.opt.tc import TensorCore
from tinygrad.device import Allocator, Compiled, Compiler, Program
from tinygrad.dtype import AddrSpace, dtypes
from tinygrad.renderer.cstyle import ClangRenderer, wmma_args

# RTLD_GLOBAL: compiled kernels call into it.
path = os.environ.get("LIBRIDGE") or pathlib.Path(__file__).parents[2] / "build/release/lib/libridge_array.so"
array = ctypes.CDLL(str(path), mode=ctypes.RTLD_GLOBAL)
for count in ("products", "cycles", "macs", "bytes"):
    getattr(array, f"ridge_array_{count}").restype = ctypes.c_uint64
array.ridge_array_error.restype = ctypes.c_char_p


class ClangShared(Compiler):
    def compile(self, src):
        with tempfile.NamedTemporaryFile(suffix=".so") as out:
            # Of this processor: without its conversions clang calls ones for half that no library here has.
            subprocess.run(["clang", "-shared", "-O1", "-march=native", "-w", "-fPIC", "-fno-math-errno", "-x", "c", "-",
                            "-o", out.name], input=src.encode(), check=True)
            return pathlib.Path(out.name).read_bytes()


class ArrayRenderer(ClangRenderer):
    has_threads, has_local, has_shared, shared_max = False, False, False, 0
    # Places of a vector of 64, lowest bit first: columns before rows, so that both operands lie row by row.
    # The axes that an operand lacks (n of A, m of B) stand last, where tinygrad sums.
    tensor_cores = [TensorCore(
        dims=(8, 8, 8), threads=1, elements_per_thread=(64, 64, 64), dtype_in=dtypes.int8, dtype_out=dtypes.int32,
        opts=("u0", "u0", "u0", "u1", "u1", "u1"),
        swizzle=(((), ("r0", "r1", "r2", "u3", "u4", "u5"), ("u0", "u1", "u2")),
                 ((), ("u0", "u1", "u2", "r0", "r1", "r2"), ("u3", "u4", "u5"))))]

    def __init__(self, target):
        self.target, self.compiler = target, ClangShared()

    def _render_body(self, function_name, kernel, bufs, uops, pref=None):
        pref = ["int ridge_array_mma(const void*, const void*, const void*, void*);"]
        for name, _, dtype_in, dtype_out, _, _, sizes in wmma_args(uops):
            a, b, c = (self._render_dtype(t, n, AddrSpace.REG) for t, n in zip((dtype_in, dtype_in, dtype_out), sizes))
            pref.append(f"static {c} __{name}({a} a, {b} b, {c} c) {{\n"
                        f"  {c} d; if (ridge_array_mma(&a, &b, &c, &d)) __builtin_trap(); return d; }}")
        return super()._render_body(function_name, kernel, bufs, uops, pref)


class ArrayProgram(Program):
    def __init__(self, dev, obj):
        with tempfile.NamedTemporaryFile(suffix=".so") as file:
            pathlib.Path(file.name).write_bytes(obj.lib)
            self.call = ctypes.CDLL(file.name)[obj.name]

    def __call__(self, *bufs, vals=(), **_):
        begun = time.perf_counter()
        self.call(*bufs, *map(ctypes.c_int64, vals))
        return time.perf_counter() - begun  # tinygrad's search compares kernels by it


class ArrayAllocator(Allocator):
    def _alloc(self, size, options): return (ctypes.c_uint8 * size)()
    def _copyin(self, dest, src): ctypes.memmove(dest, bytes(src), len(src))
    def _copyout(self, dest, src): dest[:] = memoryview(src).cast("B")[:len(dest)]
    def _offset(self, buf, size, offset): return (ctypes.c_uint8 * size).from_buffer(buf, offset)


class RidgeDevice(Compiled):
    def __init__(self, device):
        super().__init__(device, ArrayAllocator(self), [ArrayRenderer], ArrayProgram, arch="x86_64,native")


# tinygrad looks for devices among its own modules.
module = types.ModuleType("tinygrad.runtime.ops_ridge")
module.RidgeDevice = RidgeDevice
sys.modules[module.__name__] = module
