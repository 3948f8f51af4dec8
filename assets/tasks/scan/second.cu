// SPDX-License-Identifier: GPL-3.0-or-later
//
// The same without shuffles: eight steps over shared memory, each in two halves with a barrier.
//
// Launch    --grid ceil(n/256) --block 256

extern "C" __global__ void scan(unsigned int n, const unsigned int* in, unsigned int* out)
{
    __shared__ unsigned int sums[256];
    unsigned int t = threadIdx.x, i = blockIdx.x * 256 + t;
    unsigned int mine = i < n ? in[i] : 0;
    sums[t] = mine;
    __syncthreads();
#pragma unroll
    for (unsigned int distance = 1; distance < 256; distance *= 2) {
        if (t >= distance)
            mine += sums[t - distance];
        __syncthreads();
        sums[t] = mine;
        __syncthreads();
    }
    if (i < n)
        out[i] = mine;
}
