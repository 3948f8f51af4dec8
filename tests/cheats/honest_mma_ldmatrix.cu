// SPDX-License-Identifier: GPL-3.0-or-later
//
// Fragments by ldmatrix.
//
// Launch    --grid ceil(n/8),ceil(m/16) --block 32

#include <cuda_fp16.h>
extern "C" __global__ void mma_product(unsigned int m, unsigned int n, unsigned int k, const __half* a, const __half* b,
                                       float* c)
{
    __shared__ alignas(16) __half as[16][24], bs[8][24];
    unsigned int lane = threadIdx.x, top = blockIdx.y * 16, left = blockIdx.x * 8;
    float d[4] = {0, 0, 0, 0};
    const __half zero = __ushort_as_half(0);
    for (unsigned int k0 = 0; k0 < k; k0 += 16) {
        for (unsigned int i = lane; i < 256; i += 32)
            as[i / 16][i % 16] = top + i / 16 < m && k0 + i % 16 < k ? a[(top + i / 16) * k + k0 + i % 16] : zero;
        for (unsigned int i = lane; i < 128; i += 32)
            bs[i / 16][i % 16] = left + i / 16 < n && k0 + i % 16 < k ? b[(left + i / 16) * k + k0 + i % 16] : zero;
        __syncwarp();
        unsigned int fa[4], fb[2];
        unsigned int pa = (unsigned)__cvta_generic_to_shared(&as[lane % 16][lane / 16 * 8]);
        unsigned int pb = (unsigned)__cvta_generic_to_shared(&bs[lane % 8][lane / 8 % 2 * 8]);
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                     : "=r"(fa[0]), "=r"(fa[1]), "=r"(fa[2]), "=r"(fa[3])
                     : "r"(pa)
                     : "memory");
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
                     : "=r"(fb[0]), "=r"(fb[1])
                     : "r"(pb)
                     : "memory");
        asm volatile(
            "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
            : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
            : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[0]), "r"(fb[1]));
        __syncwarp();
    }
    for (int i = 0; i < 4; ++i) {
        unsigned int r = top + lane / 4 + (i / 2) * 8, q = left + lane % 4 * 2 + i % 2;
        if (r < m && q < n)
            c[r * n + q] = d[i];
    }
}
