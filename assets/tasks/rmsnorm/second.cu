// SPDX-License-Identifier: GPL-3.0-or-later
//
// The same with a warp for each row, which keeps up to 1,024 columns in registers.
//
// Launch    --grid ceil(rows/4) --block 32,4

extern "C" __global__ void rmsnorm(unsigned int rows, unsigned int columns, const float* x, const float* g, float* y)
{
    unsigned int row = blockIdx.x * 4 + threadIdx.y, lane = threadIdx.x;
    if (row >= rows)
        return;
    const float* from = x + row * columns;
    float* to = y + row * columns;
    float kept[32], sum = 0;
#pragma unroll
    for (unsigned int i = 0; i < 32; ++i) {
        if (32 * i >= columns)
            break;
        kept[i] = 32 * i + lane < columns ? from[32 * i + lane] : 0;
        sum = fmaf(kept[i], kept[i], sum);
    }
    for (unsigned int column = 1024 + lane; column < columns; column += 32)
        sum = fmaf(from[column], from[column], sum);
    for (int distance = 16; distance > 0; distance /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, distance);
    float factor = 1 / sqrtf(sum / columns + 1e-5f);
#pragma unroll
    for (unsigned int i = 0; i < 32; ++i)
        if (32 * i + lane < columns)
            to[32 * i + lane] = kept[i] * factor * g[32 * i + lane];
    for (unsigned int column = 1024 + lane; column < columns; column += 32)
        to[column] = from[column] * factor * g[column];
}
