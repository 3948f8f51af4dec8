// SPDX-License-Identifier: GPL-3.0-or-later
//
// The same with two tiles of c for each warp, which share the fragments of a.
//
// Launch    --grid ceil(n/16),ceil(m/16) --block 32

#include <cuda_fp16.h>

extern "C" __global__ void mma_product(unsigned int m, unsigned int n, unsigned int k, const __half* a, const __half* b,
                                       float* c)
{
    unsigned int group = threadIdx.x >> 2, quad = threadIdx.x & 3, top = blockIdx.y * 16, left = blockIdx.x * 16;
    const unsigned short *A = reinterpret_cast<const unsigned short*>(a),
                         *B = reinterpret_cast<const unsigned short*>(b);
    auto two = [k](const unsigned short* from, unsigned int row, unsigned int rows, unsigned int step) -> unsigned int {
        if (row >= rows || step >= k)
            return 0;
        from += row * k + step;
        return step + 1 < k ? from[0] | static_cast<unsigned int>(from[1]) << 16 : from[0];
    };
    float sums[2][4] = {};
    for (unsigned int begin = 0; begin < k; begin += 16) {
        unsigned int at = begin + 2 * quad;
        unsigned int a0 = two(A, top + group, m, at), a1 = two(A, top + group + 8, m, at);
        unsigned int a2 = two(A, top + group, m, at + 8), a3 = two(A, top + group + 8, m, at + 8);
        for (unsigned int tile = 0; tile < 2; ++tile) {
            unsigned int b0 = two(B, left + 8 * tile + group, n, at), b1 = two(B, left + 8 * tile + group, n, at + 8);
            asm volatile(
                "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                "{%0, %1, %2, %3};"
                : "+f"(sums[tile][0]), "+f"(sums[tile][1]), "+f"(sums[tile][2]), "+f"(sums[tile][3])
                : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
        }
    }
    for (unsigned int i = 0; i < 8; ++i) {
        unsigned int row = top + group + (i & 2) * 4, column = left + 8 * (i >> 2) + 2 * quad + (i & 1);
        if (row < m && column < n)
            c[row * n + column] = sums[i >> 2][i & 3];
    }
}
