// SPDX-License-Identifier: GPL-3.0-or-later
//
// Histogram, rung 3: bins of its own for each warp.
//
// Changed   the eight warps of a block count in eight copies of the bins, which are added up at the end.
// Frees     waiting between warps for a hot bin. What the lanes of one warp do to each other stays as it was.
// Costs     eight times the shared memory: a window is 1024 bins, clearing and adding up take eight times the work.
// Gain      over rung 2: open until run on a GPU. On chips with fast shared-memory atomics it may be none, or a loss.

// A key outside of the window wraps to a number that is too large, and is left to the blocks of its own window.
static __device__ void count(unsigned int* counts, unsigned int key, unsigned int low, unsigned int window)
{
    if (key - low < window)
        atomicAdd(&counts[key - low], 1u);
}

extern "C" __global__ void histogram_clear(unsigned int* bins, unsigned int count)
{
    unsigned int i = blockIdx.x * 256 + threadIdx.x;
    if (i < count)
        bins[i] = 0;
}

// Block (x, y) counts the keys of window y: bins y * window … (y + 1) * window - 1.
extern "C" __global__ void histogram_per_warp(const unsigned int* keys, unsigned int* bins, unsigned long long n,
                                           unsigned int bin_count, unsigned int window)
{
    extern __shared__ unsigned int counts[];
    unsigned int* mine = &counts[threadIdx.x / 32 * window]; // one copy of the bins for each of eight warps
    unsigned int low = blockIdx.y * window;
    for (unsigned int i = threadIdx.x; i < 8 * window; i += 256)
        counts[i] = 0;
    __syncthreads();
    unsigned long long step = (unsigned long long)gridDim.x * 256;
    unsigned long long first = (unsigned long long)blockIdx.x * 256 + threadIdx.x;
    for (unsigned long long i = first; i < n / 4; i += step) {
        uint4 key = ((const uint4*)keys)[i];
        count(mine, key.x, low, window);
        count(mine, key.y, low, window);
        count(mine, key.z, low, window);
        count(mine, key.w, low, window);
    }
    unsigned long long last = n / 4 * 4 + first;
    if (last < n)
        count(mine, keys[last], low, window);
    __syncthreads();
    for (unsigned int i = threadIdx.x; i < window && low + i < bin_count; i += 256) {
        unsigned int sum = 0;
        for (unsigned int warp = 0; warp < 8; ++warp)
            sum += counts[warp * window + i];
        if (sum != 0)
            atomicAdd(&bins[low + i], sum);
    }
}
