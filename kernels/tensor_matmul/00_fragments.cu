// SPDX-License-Identifier: GPL-3.0-or-later
//
// Tensor matmul, rung 0: asks the machine which lane holds what.
//
// Needs     sm_80
// Shows     the fragments of mma.m16n8k16. One warp loads a 16 x 16 A and a 16 x 8 B whose elements are
//           numbered, and writes down what each lane got. Then it multiplies two matrices with a numbered product.
// Resource  none: nothing here is timed.
// Expect    every element of A, B and C in one lane, once.
// Gain      none.

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800

static __device__ unsigned int half(unsigned int number)
{
    unsigned short bits;
    asm("cvt.rn.f16.u32 %0, %1;" : "=h"(bits) : "r"(number));
    return bits;
}

/// ofA: 32 x 8 numbers (row * 16 + k), in the order of the registers, low half first. ofB: 32 x 4 (column * 16 + k).
/// ofC: 32 x 4 (row * 8 + column).
extern "C" __global__ void __launch_bounds__(32) fragments(unsigned short* ofA, unsigned short* ofB, float* ofC)
{
    __shared__ __align__(16) unsigned short aTile[16 * 16];
    __shared__ __align__(16) unsigned short bTile[8 * 16];
    unsigned int lane = threadIdx.x, g = lane / 4, q = lane % 4, a[4], b[4];
    for (unsigned int i = lane; i < 16 * 16; i += 32)
        aTile[i] = (unsigned short)i;
    for (unsigned int i = lane; i < 8 * 16; i += 32)
        bTile[i] = (unsigned short)i;
    __syncwarp();
    unsigned int fromA = (unsigned int)__cvta_generic_to_shared(aTile + lane % 16 * 16 + lane / 16 * 8);
    unsigned int fromB = (unsigned int)__cvta_generic_to_shared(bTile + lane % 8 * 16 + lane / 8 % 2 * 8);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3])
                 : "r"(fromA));
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];" : "=r"(b[0]), "=r"(b[1]) : "r"(fromB));
    for (int i = 0; i < 4; ++i)
        ((unsigned int*)ofA)[lane * 4 + i] = a[i];
    for (int i = 0; i < 2; ++i)
        ((unsigned int*)ofB)[lane * 2 + i] = b[i];

    // A has 8 * row at k = 0 and 1 at k = 1, B has 1 at k = 0 and its column at k = 1. Both are with the lanes of q =
    // 0.
    float c[4] = {};
    unsigned int left[4] = {q == 0 ? half(8 * g) | half(1) << 16 : 0u, q == 0 ? half(8 * (g + 8)) | half(1) << 16 : 0u,
                            0u, 0u};
    unsigned int right[2] = {q == 0 ? half(1) | half(g) << 16 : 0u, 0u};
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "r"(right[0]), "r"(right[1]));
    for (int i = 0; i < 4; ++i)
        ofC[lane * 4 + i] = c[i];
}

#endif
