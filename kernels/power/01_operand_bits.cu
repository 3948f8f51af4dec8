// SPDX-License-Identifier: GPL-3.0-or-later
//
// Power, rung 1: the same instructions on other bits.
//
// Shows     that what the data hold changes power, and with it the clock and the time of a chip at its power limit.
// Resource  the board's power. A wire costs energy when it changes; zeros change none.
// Expect    zeros and ones take the least, sorted and sparse data less than random ones. Published: a matrix product on
//           an A100 runs at 295 TFLOP/s with zeros and 257 with random numbers (Horace He).
// Gain      zeros over uniform data, in watts: open until run on a GPU.
//
// copy_vectors moves 16 bytes a thread and turn. fma_registers loads 16 numbers a thread and multiplies each with four of
// the others, `turns` times; the sums grow in four independent chains. Neither looks at the values.

extern "C" __global__ void __launch_bounds__(512) copy_vectors(const uint4* in, uint4* out, unsigned long long vectors)
{
    unsigned long long step = (unsigned long long)gridDim.x * blockDim.x;
    for (unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x; i < vectors; i += step)
        out[i] = in[i];
}

extern "C" __global__ void __launch_bounds__(512) fma_registers(const float4* in, float4* out, unsigned int turns)
{
    unsigned long long thread = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
    float v[16];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        float4 got = in[4 * thread + k];
        v[4 * k] = got.x, v[4 * k + 1] = got.y, v[4 * k + 2] = got.z, v[4 * k + 3] = got.w;
    }
    float sum[4] = {0, 0, 0, 0};
#pragma unroll 1
    for (unsigned int turn = 0; turn < turns; ++turn) {
#pragma unroll
        for (int j = 0; j < 16; ++j)
#pragma unroll
            for (int k = 0; k < 4; ++k)
                asm volatile("fma.rn.f32 %0, %1, %2, %0;" : "+f"(sum[k]) : "f"(v[j]), "f"(v[(j + 4 * k + 1) % 16]));
    }
    out[thread] = make_float4(sum[0], sum[1], sum[2], sum[3]);
}
