// SPDX-License-Identifier: GPL-3.0-or-later
//
// A warp turns 32 x 32 elements without shared memory: in 32 rounds each lane gets from another one the element that it
// is to write.
// Launch    --grid ceil(columns/32),ceil(rows/32) --block 32

extern "C" __global__ void transpose(unsigned int rows, unsigned int columns, const float* in, float* out)
{
    unsigned int left = blockIdx.x * 32, top = blockIdx.y * 32, lane = threadIdx.x;
    float own[32];
#pragma unroll
    for (unsigned int row = 0; row < 32; ++row)
        own[row] = left + lane < columns && top + row < rows ? in[(top + row) * columns + left + lane] : 0;
        // Halves of blocks of 2, 4 ... 32 lanes change places, as in a fast Fourier transform.
#pragma unroll
    for (unsigned int half = 1; half < 32; half *= 2)
#pragma unroll
        for (unsigned int row = 0; row < 32; ++row)
            if (!(row & half)) {
                float give = lane & half ? own[row] : own[row | half];
                float got = __shfl_xor_sync(0xffffffffu, give, half);
                if (lane & half)
                    own[row] = got;
                else
                    own[row | half] = got;
            }
#pragma unroll
    for (unsigned int row = 0; row < 32; ++row)
        if (top + lane < rows && left + row < columns)
            out[(left + row) * rows + top + lane] = own[row];
}
