// SPDX-License-Identifier: GPL-3.0-or-later
//
// The same with a grid of fixed size, which walks over the arrays.
//
// Launch    --grid min(ceil(n/256),528) --block 256

extern "C" __global__ void saxpy(unsigned int n, float a, const float* x, const float* y, float* z)
{
    const unsigned int stride = gridDim.x * blockDim.x;
    unsigned int at = threadIdx.x + blockDim.x * blockIdx.x;
    while (at < n) {
        z[at] = fmaf(a, x[at], y[at]);
        at += stride;
    }
}
