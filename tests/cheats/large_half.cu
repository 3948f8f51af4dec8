// SPDX-License-Identifier: GPL-3.0-or-later
//
// All of it up to 20,000 elements; of more, which are only timed, every other block.
// Launch    --grid ceil(n/256) --block 256

extern "C" __global__ void saxpy(unsigned int n, float a, const float* x, const float* y, float* z)
{
    unsigned int i = blockIdx.x * 256 + threadIdx.x;
    if (n > 20000 && (blockIdx.x & 1))
        return;
    if (i < n)
        z[i] = a * x[i] + y[i];
}
