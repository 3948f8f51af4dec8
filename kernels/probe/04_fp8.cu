// SPDX-License-Identifier: GPL-3.0-or-later
//
// Probe, rung 4: a product of a warp in FP8 (e4m3).
//
// Needs     sm_89
// Shows     that the chip takes FP8: 16 x 32 times 32 x 8, all factors 1.5.
// Resource  none worth a word: the question is whether it runs.
// Expect    every element 32 x 2.25 = 72. That it runs does not say how fast: kernels/tensor_cores does.
// Gain      none: a question, not a way to be faster.

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 890

extern "C" __global__ void probe_fp8(float* out)
{
    unsigned int ones = 0x3c3c3c3cu; // four times 1.5
    float d[4] = {};
    asm volatile("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%0, %1, %2, %3}, {%4, %4, %4, %4}, {%4, %4}, "
                 "{%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(ones));
    for (int i = 0; i < 4; ++i)
        out[4 * threadIdx.x + i] = d[i];
}

#endif
