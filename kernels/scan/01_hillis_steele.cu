// SPDX-License-Identifier: GPL-3.0-or-later
//
// Scan, rung 1: Hillis and Steele in a block, three passes.
//
// Shows     a prefix sum whose every step adds the element 1, 2, 4 … 128 places to the left: 8 steps for 256 elements.
// Resource  adds and shared memory: n log2 n additions where n would do, and a barrier between any two steps.
// Passes    scan each block and write its sum; scan the sums (this kernel again); add them to the blocks. The elements are
//           read twice and written twice: 16 bytes each where 8 are needed.
// Gain      this is the start of the ladder.

extern "C" __global__ void scan_hillis_steele(const unsigned int* in, unsigned int* out, unsigned int* totals,
                                              unsigned long long n, unsigned int exclusive)
{
    __shared__ unsigned int part[2][256]; // a step reads one and writes the other
    unsigned int t = threadIdx.x, from = 0;
    unsigned long long i = (unsigned long long)blockIdx.x * 256 + t;
    unsigned int own = i < n ? in[i] : 0;
    part[0][t] = own;
    __syncthreads();
    for (unsigned int s = 1; s < 256; s *= 2) {
        part[1 - from][t] = part[from][t] + (t >= s ? part[from][t - s] : 0);
        from = 1 - from;
        __syncthreads();
    }
    unsigned int sum = part[from][t];
    if (i < n)
        out[i] = exclusive ? sum - own : sum; // integers wrap, so that this is exact
    if (t == 255)
        totals[blockIdx.x] = sum;
}

// Third pass: every element of tile b gets the sum of all tiles before it.
extern "C" __global__ void scan_add_offsets(unsigned int* out, const unsigned int* offsets, unsigned long long n,
                                            unsigned int tile)
{
    unsigned long long i = (unsigned long long)blockIdx.x * 256 + threadIdx.x;
    if (i < n)
        out[i] += offsets[i / tile];
}
