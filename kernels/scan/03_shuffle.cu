// SPDX-License-Identifier: GPL-3.0-or-later
//
// Scan, rung 3: warp shuffles and 16-byte loads, three passes.
//
// Changed   a thread adds up four neighbours in registers, a warp scans its 32 sums with five shuffles, and the first warp
//           scans the eight sums of the warps: two barriers for 1024 elements.
// Frees     shared memory, barriers and instructions. What is left are the bytes: elements are still read twice and
//           written twice, 16 bytes each.
// Gain      over rung 2: open until run on a GPU.

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

extern "C" __global__ void scan_shuffle(const unsigned int* in, unsigned int* out, unsigned int* totals,
                                        unsigned long long n, unsigned int exclusive)
{
    __shared__ unsigned int part[8];
    unsigned int t = threadIdx.x;
    unsigned long long i = (unsigned long long)blockIdx.x * 1024 + 4 * t;
    uint4 v = load(in, i, n);
    unsigned int own = v.x + v.y + v.z + v.w;
    unsigned int sum = warpScan(own);
    if (t % 32 == 31)
        part[t / 32] = sum;
    __syncthreads();
    if (t < 32) {
        unsigned int warps = t < 8 ? part[t] : 0;
        unsigned int scanned = warpScan(warps);
        if (t < 8)
            part[t] = scanned - warps; // of the warps to the left
        if (t == 7)
            totals[blockIdx.x] = scanned;
    }
    __syncthreads();
    store(out, i, n, v, part[t / 32] + sum - own, exclusive);
}

// Third pass: every element of tile b gets the sum of all tiles before it.
extern "C" __global__ void scan_add_offsets(unsigned int* out, const unsigned int* offsets, unsigned long long n,
                                            unsigned int tile)
{
    unsigned long long i = (unsigned long long)blockIdx.x * 256 + threadIdx.x;
    if (i < n)
        out[i] += offsets[i / tile];
}
