// SPDX-License-Identifier: GPL-3.0-or-later
//
// Scan, rung 5: one pass with decoupled look-back (Merrill and Garland).
//
// Changed   a tile publishes its sum as soon as it has it, then looks back over the tiles before it, adding their sums,
//           until it meets one that already knows the sum of everything up to itself.
// Frees     the second reading: elements are read once and written once, 8 bytes each, as in a copy. Nobody waits for all
//           the others; a tile waits for some that started before it.
// Rules     tiles are numbered in the order in which blocks start, by a ticket: a tile only waits for running ones. State
//           and sum share one 8-byte word, so that nobody sees one without the other. Clearing the words is a launch.
// Gain      over rung 4: open until run on a GPU; 3/2 where memory is what takes the time.

static __device__ uint4 load(const unsigned int* in, unsigned long long i, unsigned long long n)
{
    uint4 v = {0, 0, 0, 0};
    if (i + 3 < n)
        return *(const uint4*)&in[i];
    if (i < n)
        v.x = in[i];
    if (i + 1 < n)
        v.y = in[i + 1];
    if (i + 2 < n)
        v.z = in[i + 2];
    return v;
}

// Writes the prefix sums of four elements, `before` being the sum of all that lie to the left of them.
static __device__ void store(unsigned int* out, unsigned long long i, unsigned long long n, uint4 v, unsigned int before,
                             unsigned int exclusive)
{
    uint4 sum = {before + v.x, before + v.x + v.y, before + v.x + v.y + v.z, before + v.x + v.y + v.z + v.w};
    if (exclusive) {
        sum.w = sum.z;
        sum.z = sum.y;
        sum.y = sum.x;
        sum.x = before;
    }
    if (i + 3 < n) {
        *(uint4*)&out[i] = sum;
        return;
    }
    if (i < n)
        out[i] = sum.x;
    if (i + 1 < n)
        out[i + 1] = sum.y;
    if (i + 2 < n)
        out[i + 2] = sum.z;
}

// Lane k gets the sum of lanes 0 … k.
static __device__ unsigned int warpScan(unsigned int v)
{
    unsigned int lane = threadIdx.x % 32;
    for (unsigned int s = 1; s < 32; s *= 2) {
        unsigned int left = __shfl_up_sync(0xffffffffu, v, s);
        if (lane >= s)
            v += left;
    }
    return v;
}

// A word of a tile: its state above, a sum below.
enum : unsigned long long {
    kSumOfTile = 1ull << 32, // the sum of this tile alone
    kSumSoFar = 2ull << 32   // the sum of this tile and all before it
};

extern "C" __global__ void scan_clear_states(unsigned long long* states, unsigned int* ticket, unsigned int tiles)
{
    unsigned int i = blockIdx.x * 256 + threadIdx.x;
    if (i < tiles)
        states[i] = 0;
    if (i == 0)
        *ticket = 0;
}

// The sum of all tiles before `tile`, found by a whole warp, 32 tiles at a time; the same in every lane.
static __device__ unsigned int lookBack(volatile unsigned long long* states, unsigned int tile)
{
    unsigned int before = 0;
    for (int at = (int)tile - 1 - (int)(threadIdx.x % 32);; at -= 32) {
        unsigned long long state;
        do
            state = at >= 0 ? states[at] : kSumSoFar; // before the first tile: a sum of 0
        while (__any_sync(0xffffffffu, state == 0));
        unsigned int know = __ballot_sync(0xffffffffu, state >= kSumSoFar);
        // The nearest tile that knows all is the lowest lane; those beyond it are part of its sum.
        bool counts = know == 0 || threadIdx.x % 32 <= (unsigned int)__ffs((int)know) - 1;
        unsigned int sum = warpScan(counts ? (unsigned int)state : 0);
        before += __shfl_sync(0xffffffffu, sum, 31);
        if (know != 0)
            return before;
    }
}

extern "C" __global__ void scan_look_back(const unsigned int* in, unsigned int* out, unsigned long long* states,
                                          unsigned int* ticket, unsigned long long n, unsigned int exclusive)
{
    __shared__ unsigned int part[32];
    __shared__ unsigned int drawn;
    unsigned int t = threadIdx.x, lane = t % 32, warp = t / 32;
    if (t == 0)
        drawn = atomicAdd(ticket, 1u);
    __syncthreads();
    unsigned int tile = drawn;
    unsigned long long first = (unsigned long long)tile * 4096 + 4 * t;
    uint4 v[4];
    unsigned int left[4];
#pragma unroll
    for (unsigned int r = 0; r < 4; ++r)
        v[r] = load(in, first + 1024 * r, n);
#pragma unroll
    for (unsigned int r = 0; r < 4; ++r) {
        unsigned int own = v[r].x + v[r].y + v[r].z + v[r].w;
        unsigned int sum = warpScan(own);
        left[r] = sum - own;
        if (lane == 31)
            part[8 * r + warp] = sum;
    }
    __syncthreads();
    if (t < 32) {
        unsigned int own = part[t];
        unsigned int sum = warpScan(own);
        unsigned int total = __shfl_sync(0xffffffffu, sum, 31);
        volatile unsigned long long* published = &states[tile];
        if (t == 0)
            *published = (tile == 0 ? kSumSoFar : kSumOfTile) | total;
        unsigned int before = tile == 0 ? 0 : lookBack(states, tile);
        if (t == 0 && tile != 0)
            *published = kSumSoFar | (before + total);
        part[t] = before + sum - own;
    }
    __syncthreads();
#pragma unroll
    for (unsigned int r = 0; r < 4; ++r)
        store(out, first + 1024 * r, n, v[r], part[8 * r + warp] + left[r], exclusive);
}
