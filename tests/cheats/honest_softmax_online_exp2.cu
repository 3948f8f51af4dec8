// SPDX-License-Identifier: GPL-3.0-or-later
//
// Largest and sum in one pass, by powers of two.
//
// Launch    --grid ceil(rows/4) --block 32,4

extern "C" __global__ void softmax(unsigned int rows, unsigned int columns, const float* x, float* y)
{
    unsigned int row = blockIdx.x * 4 + threadIdx.y, lane = threadIdx.x;
    if (row >= rows)
        return;
    constexpr float kLog2e = 1.4426950408889634f;
    x += row * columns, y += row * columns;
    float m = -INFINITY, s = 0;
    for (unsigned int i = lane; i < columns; i += 32) {
        float v = x[i], higher = fmaxf(m, v);
        s = s * exp2f((m - higher) * kLog2e) + exp2f((v - higher) * kLog2e);
        m = higher;
    }
    for (int d = 16; d; d >>= 1) {
        float om = __shfl_xor_sync(~0u, m, d), os = __shfl_xor_sync(~0u, s, d), higher = fmaxf(m, om);
        s = (m == -INFINITY ? 0.f : s * exp2f((m - higher) * kLog2e)) +
            (om == -INFINITY ? 0.f : os * exp2f((om - higher) * kLog2e));
        m = higher;
    }
    float inverse = __frcp_rn(s);
    for (unsigned int i = lane; i < columns; i += 32)
        y[i] = exp2f((x[i] - m) * kLog2e) * inverse;
}
