// SPDX-License-Identifier: GPL-3.0-or-later
//
// The same with four numbers for each lane: eight lanes for a row, four rows for a warp.
//
// Launch    --grid ceil(rows/32) --block 256

extern "C" __global__ void warpsum(unsigned int rows, const float* in, float* out)
{
    unsigned int row = blockIdx.x * 32 + threadIdx.x / 8, part = threadIdx.x % 8;
    float sum = 0;
    if (row < rows) {
        float4 four = reinterpret_cast<const float4*>(in)[8 * row + part];
        sum = four.x + four.y + (four.z + four.w);
    }
    for (int distance = 4; distance > 0; distance /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, distance);
    if (part == 0 && row < rows)
        out[row] = sum;
}
