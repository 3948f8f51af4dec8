// SPDX-License-Identifier: GPL-3.0-or-later
//
// Histogram, rung 2: bins of its own for each block.
//
// Changed   a block counts in shared memory and adds its counts to the bins in global memory once, at its end.
// Frees     the L2 atomics: one for each block and bin that it met, instead of one for each key.
// Costs     a lane whose bin another lane of the warp wants too must wait its turn; more bins than a window of shared memory
//           holds (8192 here) mean that all keys are read once for each window.
// Gain      over rung 1: open until run on a GPU; large for few bins and for hot bins, negative for very many bins.

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
extern "C" __global__ void histogram_shared(const unsigned int* keys, unsigned int* bins, unsigned long long n,
                                         unsigned int bin_count, unsigned int window)
{
    extern __shared__ unsigned int counts[];
    unsigned int low = blockIdx.y * window;
    for (unsigned int i = threadIdx.x; i < window; i += 256)
        counts[i] = 0;
    __syncthreads();
    unsigned long long step = (unsigned long long)gridDim.x * 256;
    unsigned long long first = (unsigned long long)blockIdx.x * 256 + threadIdx.x;
    for (unsigned long long i = first; i < n / 4; i += step) {
        uint4 key = ((const uint4*)keys)[i];
        count(counts, key.x, low, window);
        count(counts, key.y, low, window);
        count(counts, key.z, low, window);
        count(counts, key.w, low, window);
    }
    unsigned long long last = n / 4 * 4 + first;
    if (last < n)
        count(counts, keys[last], low, window);
    __syncthreads();
    for (unsigned int i = threadIdx.x; i < window && low + i < bin_count; i += 256) {
        unsigned int sum = counts[i];
        if (sum != 0)
            atomicAdd(&bins[low + i], sum);
    }
}
