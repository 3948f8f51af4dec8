// SPDX-License-Identifier: GPL-3.0-or-later
//
// Rounds to fp16 on the way (CK8).
// Launch    --grid ceil(n/256) --block 256

#include <cuda_fp16.h>

extern "C" __global__ void saxpy(unsigned int n, float a, const float* x, const float* y, float* z)
{
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        z[i] = a * __half2float(__float2half(x[i])) + __half2float(__float2half(y[i]));
}
