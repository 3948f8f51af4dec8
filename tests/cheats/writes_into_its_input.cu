// SPDX-License-Identifier: GPL-3.0-or-later
//
// Leaves a note in its input for the next launch (KernelBench#82).
// Launch    --grid ceil(n/256) --block 256

extern "C" __global__ void saxpy(unsigned int n, float a, float* x, const float* y, float* z)
{
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    z[i] = a * x[i] + y[i];
    x[i] = 0;
}
