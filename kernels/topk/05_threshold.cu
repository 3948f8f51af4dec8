// SPDX-License-Identifier: GPL-3.0-or-later
//
// Top-k, rung 5: a threshold that rises.
//
// Changed   a block walks over many keys and keeps its k largest in shared memory. A key that is not above the smallest
//           of them is dropped after one comparison; the others wait in a list, and when it is full, list and best are
//           sorted and the threshold rises. What the blocks kept is merged as in rung 2.
// Frees     bytes: every key is read once, and almost none is written. With random keys few are sorted: after m keys
//           the next one is among the k best with chance k / m.
// Costs     two barriers for every 1024 keys, and input that rises is all sorted.
// Gain      over rung 4: open until run on a GPU; half of its bytes with random keys.

// Orders by key; where keys are equal the lower index is larger. No pair of a real element is 0.
__device__ unsigned long long pairOf(unsigned int key, unsigned int index)
{
    return (unsigned long long)key << 32 | (0xffffffffu - index);
}

// Largest first; `tile` holds 2048 pairs, and 256 threads sort them in 66 steps (bitonic).
__device__ void sortTile(unsigned long long* tile)
{
    for (unsigned int size = 2; size <= 2048; size *= 2)
        for (unsigned int stride = size / 2; stride > 0; stride /= 2) {
            __syncthreads();
            for (unsigned int c = threadIdx.x; c < 1024; c += 256) {
                unsigned int low = 2 * c - (c & (stride - 1)), high = low + stride;
                unsigned long long a = tile[low], b = tile[high];
                if ((a < b) == ((low & size) == 0)) {
                    tile[low] = b;
                    tile[high] = a;
                }
            }
        }
    __syncthreads();
}

extern "C" __global__ void topk_threshold(const unsigned int* keys, unsigned long long* out, unsigned long long n,
                                          unsigned int k)
{
    __shared__ unsigned long long tile[2048]; // the k best, largest first, and the list behind them
    __shared__ unsigned int waiting;
    for (unsigned int i = threadIdx.x; i < 2048; i += 256)
        tile[i] = 0;
    if (threadIdx.x == 0)
        waiting = 0;
    __syncthreads();
    unsigned long long lowest = 0; // of the k best
    unsigned long long vectors = (n + 3) / 4, step = (unsigned long long)gridDim.x * 256;
    uint4 next = make_uint4(0, 0, 0, 0);
    unsigned long long at = (unsigned long long)blockIdx.x * 256 + threadIdx.x;
    if (4 * at + 3 < n)
        next = ((const uint4*)keys)[at];
    for (unsigned long long first = (unsigned long long)blockIdx.x * 256; first < vectors; first += step, at += step) {
        unsigned int key[4] = {next.x, next.y, next.z, next.w};
        if (4 * (at + step) + 3 < n) // under way while these are looked at
            next = ((const uint4*)keys)[at + step];
#pragma unroll
        for (unsigned int e = 0; e < 4; ++e) {
            unsigned long long i = 4 * at + e;
            if (i >= n)
                continue;
            if (4 * at + 3 >= n) // the last keys, which fill no vector
                key[e] = keys[i];
            unsigned long long pair = pairOf(key[e], (unsigned int)i);
            if (pair > lowest)
                tile[k + atomicAdd(&waiting, 1u)] = pair;
        }
        __syncthreads();
        bool full = waiting + k > 1024; // the next 1024 might not fit
        __syncthreads();
        if (!full)
            continue;
        sortTile(tile);
        lowest = tile[k - 1];
        for (unsigned int i = k + threadIdx.x; i < 2048; i += 256)
            tile[i] = 0;
        if (threadIdx.x == 0)
            waiting = 0;
        __syncthreads();
    }
    sortTile(tile);
    for (unsigned int i = threadIdx.x; i < k; i += 256)
        out[(unsigned long long)blockIdx.x * k + i] = tile[i];
}

// The k largest of each 2048 pairs, largest first; zeros where there are not so many.
extern "C" __global__ void topk_sort_pairs(const unsigned long long* in, unsigned long long* out, unsigned long long n,
                                           unsigned int k)
{
    __shared__ unsigned long long tile[2048];
    for (unsigned int i = threadIdx.x; i < 2048; i += 256) {
        unsigned long long at = (unsigned long long)blockIdx.x * 2048 + i;
        tile[i] = at < n ? in[at] : 0;
    }
    sortTile(tile);
    for (unsigned int i = threadIdx.x; i < k; i += 256)
        out[(unsigned long long)blockIdx.x * k + i] = tile[i];
}
