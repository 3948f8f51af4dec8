// SPDX-License-Identifier: GPL-3.0-or-later
//
// Running sums over shared memory in which one barrier of each step was forgotten.

extern "C" __global__ void scan(unsigned int n, const unsigned int* in, unsigned int* out)
{
    __shared__ unsigned int sums[256];
    unsigned int t = threadIdx.x, i = blockIdx.x * 256 + t;
    sums[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned int distance = 1; distance < 256; distance *= 2) {
        unsigned int before = t >= distance ? sums[t - distance] : 0;
        sums[t] += before;
        __syncthreads();
    }
    if (i < n)
        out[i] = sums[t];
}
