// SPDX-License-Identifier: GPL-3.0-or-later
//
// Matrix of bytes with scales times vector: a warp for each row, four bytes for each lane.
//
// Launch    --grid ceil(rows/4) --block 32,4

extern "C" __global__ void dequant(unsigned int rows, unsigned int groups, const signed char* q, const float* scale,
                                   const float* x, float* y)
{
    unsigned int row = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
    if (row >= rows)
        return;
    float sum = 0;
    // @solution
    // @hint Eight lanes take a group: the quads of 4 bytes of a row, 32 of them at a time.
    const char4* quads = reinterpret_cast<const char4*>(q + row * groups * 32);
    for (unsigned int quad = lane; quad < 8 * groups; quad += 32) {
        char4 w = quads[quad];
        float4 v = reinterpret_cast<const float4*>(x)[quad];
        // @hint Multiply by the scale once for four.
        sum += scale[row * groups + quad / 8] * (w.x * v.x + w.y * v.y + w.z * v.z + w.w * v.w);
    }
    // @hint The sum of the warp.
    for (int distance = 16; distance > 0; distance /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, distance);
    if (lane == 0)
        y[row] = sum;
    // @end
}
