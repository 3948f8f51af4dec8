// SPDX-License-Identifier: GPL-3.0-or-later
//
// Top-k, rung 1: the largest, k times.
//
// Shows     the definition: find the largest, then the largest of what is below it, k times. A launch for each; blocks
//           agree by one atomic each.
// Resource  bytes: all keys are read k times.
// Gain      what the others are held against; open until run on a GPU. For k = 1 it reads each key once.

// Orders by key; where keys are equal the lower index is larger. No pair of a real element is 0.
__device__ unsigned long long pairOf(unsigned int key, unsigned int index)
{
    return (unsigned long long)key << 32 | (0xffffffffu - index);
}

extern "C" __global__ void topk_clear(unsigned long long* out, unsigned int k)
{
    if (threadIdx.x < k)
        out[threadIdx.x] = 0;
}

// Writes out[round]: the largest pair below out[round - 1].
extern "C" __global__ void topk_largest(const unsigned int* keys, unsigned long long* out, unsigned long long n,
                                        unsigned int round)
{
    __shared__ unsigned long long part[256];
    unsigned long long bound = round > 0 ? out[round - 1] : 0;
    unsigned long long best = 0;
    unsigned long long step = (unsigned long long)gridDim.x * 256;
    for (unsigned long long i = (unsigned long long)blockIdx.x * 256 + threadIdx.x; i < n; i += step) {
        unsigned long long pair = pairOf(keys[i], (unsigned int)i);
        if ((round == 0 || pair < bound) && pair > best)
            best = pair;
    }
    part[threadIdx.x] = best;
    for (unsigned int s = 128; s > 0; s /= 2) {
        __syncthreads();
        if (threadIdx.x < s && part[threadIdx.x + s] > part[threadIdx.x])
            part[threadIdx.x] = part[threadIdx.x + s];
    }
    if (threadIdx.x == 0)
        atomicMax(&out[round], part[0]);
}
