// SPDX-License-Identifier: GPL-3.0-or-later
//
// Top-k, rung 3: find the k-th key, digit by digit.
//
// Changed   nothing is sorted but the k that remain. A histogram of the upper eight bits tells in which digit the k-th
//           largest key lies; the next one counts the next eight bits of the keys that begin so, four times in all.
//           Then its value is known, and one more pass collects what is not smaller.
// Frees     the sorting steps: a key costs a comparison and an atomic in shared memory.
// Costs     the keys are read five times. Among keys equal to the k-th, whichever comes first is taken: the keys that
//           come out are always the same, their indices are not.
// Gain      over rung 2: open until run on a GPU.

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
    unsigned int equal;   // keys equal to the k-th that were met
};

extern "C" __global__ void topk_begin(State* state, unsigned int* bins, unsigned int k)
{
    bins[threadIdx.x] = 0;
    if (threadIdx.x == 0)
        *state = {0, k, 0, 0};
}

// Counts the digit at `shift` of the keys whose bits above it are those of the prefix.
extern "C" __global__ void topk_count(const unsigned int* keys, const State* state, unsigned int* bins,
                                      unsigned long long n, unsigned int shift)
{
    __shared__ unsigned int own[256];
    own[threadIdx.x] = 0;
    __syncthreads();
    unsigned int prefix = state->prefix;
    unsigned long long step = (unsigned long long)gridDim.x * 256;
    for (unsigned long long i = (unsigned long long)blockIdx.x * 256 + threadIdx.x; i < n; i += step) {
        unsigned int key = keys[i];
        if (shift == 24 || (key ^ prefix) >> (shift + 8) == 0)
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

// The prefix is the whole k-th key now: everything above it is wanted, and `wanted` of those that are equal.
extern "C" __global__ void topk_collect(const unsigned int* keys, State* state, unsigned long long* out,
                                        unsigned long long n)
{
    unsigned int threshold = state->prefix, equal = state->wanted;
    unsigned long long step = (unsigned long long)gridDim.x * 256;
    for (unsigned long long i = (unsigned long long)blockIdx.x * 256 + threadIdx.x; i < n; i += step) {
        unsigned int key = keys[i];
        if (key > threshold || (key == threshold && atomicAdd(&state->equal, 1u) < equal))
            out[atomicAdd(&state->written, 1u)] = pairOf(key, (unsigned int)i);
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
