// SPDX-License-Identifier: GPL-3.0-or-later
//
// Top-k, rung 4: put aside what is still open.
//
// Changed   over rung 3: once the first digit is known, one pass writes the keys above it to the result and puts those
//           with that digit aside. The three further digits are counted, and the rest is collected, among these alone.
// Frees     bytes: the keys are read twice; of random keys one in 256 is put aside.
// Costs     room for all keys as pairs: keys that all begin alike (numbers between 1 and 2) are all put aside, and rung
//           3 would have been faster.
// Gain      over rung 3: open until run on a GPU; 2/5 of its bytes with random keys, 2.4 times as many where all keys
//           begin alike, as a pair has eight bytes.

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

// What is known of the k-th largest key so far, and how many have been written.
struct State {
    unsigned int prefix;  // its upper bits
    unsigned int wanted;  // how many of the keys with these upper bits belong to the k largest
    unsigned int written; // pairs in out
    unsigned int kept;    // pairs put aside
    unsigned int equal;   // keys equal to the k-th that were met
};

extern "C" __global__ void topk_begin(State* state, unsigned int* bins, unsigned int k)
{
    bins[threadIdx.x] = 0;
    if (threadIdx.x == 0)
        *state = {0, k, 0, 0, 0};
}

extern "C" __global__ void topk_count_first(const unsigned int* keys, unsigned int* bins, unsigned long long n)
{
    __shared__ unsigned int own[256];
    own[threadIdx.x] = 0;
    __syncthreads();
    unsigned long long step = (unsigned long long)gridDim.x * 256;
    for (unsigned long long i = (unsigned long long)blockIdx.x * 256 + threadIdx.x; i < n; i += step)
        atomicAdd(&own[keys[i] >> 24], 1u);
    __syncthreads();
    if (own[threadIdx.x] != 0)
        atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}

// A place in a list for each lane that has something: one atomic for all of a warp.
__device__ unsigned int placeIn(unsigned int* length, bool has)
{
    unsigned int lanes = __ballot_sync(0xffffffffu, has), lane = threadIdx.x % 32, first = 0;
    if (lane == 0 && lanes != 0)
        first = atomicAdd(length, (unsigned int)__popc(lanes));
    first = __shfl_sync(0xffffffffu, first, 0);
    return first + __popc(lanes & ((1u << lane) - 1));
}

extern "C" __global__ void topk_filter(const unsigned int* keys, State* state, unsigned long long* out,
                                       unsigned long long* aside, unsigned long long n)
{
    unsigned int digit = state->prefix >> 24;
    unsigned long long step = (unsigned long long)gridDim.x * 256;
    for (unsigned long long first = (unsigned long long)blockIdx.x * 256; first < n; first += step) {
        unsigned long long i = first + threadIdx.x;
        unsigned int key = i < n ? keys[i] : 0;
        bool larger = i < n && key >> 24 > digit, open = i < n && key >> 24 == digit;
        unsigned int at = placeIn(&state->written, larger);
        if (larger)
            out[at] = pairOf(key, (unsigned int)i);
        at = placeIn(&state->kept, open);
        if (open)
            aside[at] = pairOf(key, (unsigned int)i);
    }
}

// Counts the digit at `shift` of what was put aside, where the bits above it are those of the prefix.
extern "C" __global__ void topk_count_aside(const unsigned long long* aside, const State* state, unsigned int* bins,
                                            unsigned int shift)
{
    __shared__ unsigned int own[256];
    own[threadIdx.x] = 0;
    __syncthreads();
    unsigned int prefix = state->prefix, n = state->kept;
    for (unsigned int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) {
        unsigned int key = (unsigned int)(aside[i] >> 32);
        if ((key ^ prefix) >> (shift + 8) == 0)
            atomicAdd(&own[key >> shift & 255], 1u);
    }
    __syncthreads();
    if (own[threadIdx.x] != 0)
        atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}

// Finds the digit in which the wanted-th largest key lies, and clears the bins for the next digit.
extern "C" __global__ void topk_choose(State* state, unsigned int* bins, unsigned int shift)
{
    __shared__ unsigned int count[256];
    unsigned int t = threadIdx.x, mine = bins[t];
    bins[t] = 0;
    count[t] = mine;
    for (unsigned int s = 1; s < 256; s *= 2) { // count[t]: keys with this digit or a larger one
        __syncthreads();
        unsigned int more = t + s < 256 ? count[t + s] : 0;
        __syncthreads();
        count[t] += more;
    }
    unsigned int wanted = state->wanted, above = count[t] - mine;
    __syncthreads();
    if (above < wanted && wanted <= above + mine) { // exactly one thread
        state->prefix |= t << shift;
        state->wanted = wanted - above;
    }
}

// Those that are equal to the k-th key fill up what is left of out, from its end.
extern "C" __global__ void topk_collect_aside(const unsigned long long* aside, State* state, unsigned long long* out,
                                              unsigned int k)
{
    unsigned int threshold = state->prefix, equal = state->wanted, n = state->kept;
    for (unsigned int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) {
        unsigned int key = (unsigned int)(aside[i] >> 32);
        if (key > threshold) {
            out[atomicAdd(&state->written, 1u)] = aside[i];
        } else if (key == threshold) {
            unsigned int at = atomicAdd(&state->equal, 1u);
            if (at < equal)
                out[k - 1 - at] = aside[i];
        }
    }
}

// The pairs of out, largest first; one block.
extern "C" __global__ void topk_order(unsigned long long* out, unsigned int k)
{
    __shared__ unsigned long long tile[2048];
    for (unsigned int i = threadIdx.x; i < 2048; i += 256)
        tile[i] = i < k ? out[i] : 0;
    sortTile(tile);
    for (unsigned int i = threadIdx.x; i < k; i += 256)
        out[i] = tile[i];
}
