// SPDX-License-Identifier: GPL-3.0-or-later
//
// Work in block 0; the others return.
// Launch    --grid ceil(n/256) --block 256

extern "C" __global__ void saxpy(unsigned int n, float a, const float* x, const float* y, float* z)
{
    if (blockIdx.x == 0 && threadIdx.x < n)
        z[threadIdx.x] = a * x[threadIdx.x] + y[threadIdx.x];
}
