// SPDX-License-Identifier: GPL-3.0-or-later
//
// Fills whole blocks, past the end of the result.
// Launch    --grid ceil(n/256) --block 256

extern "C" __global__ void saxpy(unsigned int n, float a, const float* x, const float* y, float* z)
{
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    z[i] = i < n ? a * x[i] + y[i] : 0;
}
