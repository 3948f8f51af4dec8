#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# NVRTC addresses shared memory with 64-bit registers in CUDA 13.0 and with 32-bit ones from 13.1 on.
#
# Packages: nvidia-cuda-nvrtc 13.0.88, 13.1.115, 13.5.37 (PyPI). One kernel, compute_90, no options. Of 13.0 each load and
# store reads [%rd9], of 13.1 and later [%r12], as nvcc has done all along. With 32 bits the sum of a negative index and an
# offset wraps around zero: such addresses occur in the PTX of one release of NVRTC and cannot occur in that of the one
# before, from the same source. A tool that reads PTX and was tested with one of the two has seen half of what there is.
# Ridgepoint: effectiveAddress() in modules/gpu/simt/run/memory_access.h serves executor and detectors with both widths.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv venv
cat > k.cu <<'CU'
extern "C" __global__ void fromTheEnd(float* out)
{
    __shared__ float part[256];
    int back = (int)threadIdx.x - (int)blockDim.x;
    part[back + 256] = out[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = part[255 - threadIdx.x] + part[back + 256];
}
CU
cat > ask.py <<'PY'
import ctypes, sys
rtc = ctypes.CDLL(sys.argv[1])
program, size, option = ctypes.c_void_p(), ctypes.c_size_t(), (ctypes.c_char_p * 1)(f"--gpu-architecture={sys.argv[2]}".encode())
assert rtc.nvrtcCreateProgram(ctypes.byref(program), open("k.cu", "rb").read(), b"k.cu", 0, None, None) == 0
assert rtc.nvrtcCompileProgram(program, 1, option) == 0
assert rtc.nvrtcGetPTXSize(program, ctypes.byref(size)) == 0
text = ctypes.create_string_buffer(size.value)
assert rtc.nvrtcGetPTX(program, text) == 0
print(text.value.decode())
PY
fault=0
for version in 13.0.88 13.1.115 13.5.37; do
    venv/bin/pip install -q --no-deps --target "$version" nvidia-cuda-nvrtc=="$version"
    venv/bin/python ask.py "$version/nvidia/cu13/lib/libnvrtc.so.13" compute_90 > out.ptx
    narrow=$(grep -cE '(ld|st)\.shared.*\[%r[0-9]+' out.ptx || true)
    wide=$(grep -cE '(ld|st)\.shared.*\[%rd[0-9]+' out.ptx || true)
    echo "NVRTC $version: $narrow accesses of shared memory with 32-bit addresses, $wide with 64-bit ones"
    case $version in
        13.0.*) [ "$wide" -eq 3 ] && [ "$narrow" -eq 0 ] || fault=1 ;;
        *) [ "$narrow" -eq 3 ] && [ "$wide" -eq 0 ] || fault=1 ;;
    esac
done
[ $fault = 0 ] || { echo "CHANGED: the releases no longer differ like this"; exit 1; }

# Seen on 2026-11-28:
# NVRTC 13.0.88: 0 accesses of shared memory with 32-bit addresses, 3 with 64-bit ones
# NVRTC 13.1.115: 3 accesses of shared memory with 32-bit addresses, 0 with 64-bit ones
# NVRTC 13.5.37: 3 accesses of shared memory with 32-bit addresses, 0 with 64-bit ones
