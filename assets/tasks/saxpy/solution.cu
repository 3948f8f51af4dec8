// SPDX-License-Identifier: GPL-3.0-or-later
//
// saxpy: z = a x + y, one element for each thread.
//
// Launch    --grid ceil(n/256) --block 256

extern "C" __global__ void saxpy(unsigned int n, float a, const float* x, const float* y, float* z)
{
    // @solution
    // @hint The element of this thread: its place in its block, and the threads of all blocks before.
    // @hint The last block may reach past n.
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        z[i] = a * x[i] + y[i];
    // @end
}
