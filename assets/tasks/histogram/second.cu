// SPDX-License-Identifier: GPL-3.0-or-later
//
// The same with a histogram for each two warps, so that fewer lanes meet in a bin.
//
// Launch    --grid min(ceil(n/1024),132) --block 256

extern "C" __global__ void histogram(unsigned int n, unsigned int bins, const unsigned int* value, unsigned int* counts)
{
    __shared__ unsigned int own[4][257]; // 257: the same bin of two copies lies in different banks
    for (unsigned int i = threadIdx.x; i < 4 * 257; i += 256)
        own[0][i] = 0;
    __syncthreads();
    unsigned int* mine = own[threadIdx.x / 64];
    for (unsigned int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256)
        atomicAdd(mine + value[i], 1u);
    __syncthreads();
    if (threadIdx.x >= bins)
        return;
    unsigned int all = own[0][threadIdx.x] + own[1][threadIdx.x] + own[2][threadIdx.x] + own[3][threadIdx.x];
    if (all > 0)
        atomicAdd(counts + threadIdx.x, all);
}
