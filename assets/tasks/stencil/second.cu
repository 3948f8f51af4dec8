// SPDX-License-Identifier: GPL-3.0-or-later
//
// The same without shared memory; the cache serves what was read before.
//
// Launch    --grid ceil(n/256) --block 256

extern "C" __global__ void stencil(unsigned int n, const float* in, float* out)
{
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float sum = 0;
#pragma unroll
    for (unsigned int j = 0; j < 7; ++j) {
        unsigned int element = i + j - 3; // wraps round below 0, and is then no element either
        if (element < n)
            sum += in[element];
    }
    out[i] = sum;
}
