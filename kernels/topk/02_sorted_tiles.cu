// SPDX-License-Identifier: GPL-3.0-or-later
//
// Top-k, rung 2: sort tiles, keep the best of each.
//
// Changed   a block sorts 2048 keys in shared memory and keeps the first k; the next launch does the same with what is
//           left, until one block is enough.
// Frees     bytes: a key is read once, and a tile leaves k of 2048.
// Costs     66 steps with a barrier each, to bring 2048 pairs into an order of which k are wanted. The larger k, the
//           less falls away: with k = 1024 each launch halves what is left.
// Gain      over rung 1: open until run on a GPU; most with a large k.

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

extern "C" __global__ void topk_sort_keys(const unsigned int* keys, unsigned long long* out, unsigned long long n,
                                          unsigned int k)
{
    __shared__ unsigned long long tile[2048];
    for (unsigned int i = threadIdx.x; i < 2048; i += 256) {
        unsigned long long at = (unsigned long long)blockIdx.x * 2048 + i;
        tile[i] = at < n ? pairOf(keys[at], (unsigned int)at) : 0;
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
