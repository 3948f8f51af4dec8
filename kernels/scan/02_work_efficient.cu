// SPDX-License-Identifier: GPL-3.0-or-later
//
// Scan, rung 2: a work-efficient scan in a block (Blelloch), three passes.
//
// Changed   a block adds its 512 elements up in a tree and hands the sums of what lies to the left down the same tree:
//           2n additions instead of n log2 n.
// Frees     additions and half of the blocks.
// Costs     18 steps with a barrier each instead of 8, in which ever fewer threads work, and bank conflicts: partners lie
//           powers of two apart. Fewer operations need not be less time.
// Gain      over rung 1: open until run on a GPU. It stays as the textbook's answer.

extern "C" __global__ void scan_work_efficient(const unsigned int* in, unsigned int* out, unsigned int* totals,
                                               unsigned long long n, unsigned int exclusive)
{
    __shared__ unsigned int part[512];
    unsigned int t = threadIdx.x;
    unsigned long long i = (unsigned long long)blockIdx.x * 512 + t;
    unsigned int a = i < n ? in[i] : 0;
    unsigned int b = i + 256 < n ? in[i + 256] : 0;
    part[t] = a;
    part[t + 256] = b;
    for (unsigned int s = 1; s < 512; s *= 2) { // up: element 2s(k+1) - 1 holds the sum of its 2s elements
        __syncthreads();
        unsigned int right = 2 * s * (t + 1) - 1;
        if (right < 512)
            part[right] += part[right - s];
    }
    __syncthreads();
    if (t == 0) {
        totals[blockIdx.x] = part[511];
        part[511] = 0;
    }
    for (unsigned int s = 256; s > 0; s /= 2) { // down: the left half gets what its parent has, the right half adds
        __syncthreads();
        unsigned int right = 2 * s * (t + 1) - 1;
        if (right < 512) {
            unsigned int left = part[right - s];
            part[right - s] = part[right];
            part[right] += left;
        }
    }
    __syncthreads();
    if (i < n)
        out[i] = part[t] + (exclusive ? 0 : a);
    if (i + 256 < n)
        out[i + 256] = part[t + 256] + (exclusive ? 0 : b);
}

// Third pass: every element of tile b gets the sum of all tiles before it.
extern "C" __global__ void scan_add_offsets(unsigned int* out, const unsigned int* offsets, unsigned long long n,
                                            unsigned int tile)
{
    unsigned long long i = (unsigned long long)blockIdx.x * 256 + threadIdx.x;
    if (i < n)
        out[i] += offsets[i / tile];
}
