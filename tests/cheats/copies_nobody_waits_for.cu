// SPDX-License-Identifier: GPL-3.0-or-later
//
// Fills its tile with asynchronous copies and reads it after the barrier, which does not wait for copies.
// Launch    --grid ceil(columns/32),ceil(rows/32) --block 32,8

extern "C" __global__ void transpose(unsigned int rows, unsigned int columns, const float* in, float* out)
{
    __shared__ float tile[32][33];
    unsigned int left = blockIdx.x * 32, top = blockIdx.y * 32, lane = threadIdx.x;
    for (unsigned int row = threadIdx.y; row < 32; row += 8)
        if (left + lane < columns && top + row < rows) {
            unsigned int to = static_cast<unsigned int>(__cvta_generic_to_shared(&tile[row][lane]));
            asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to),
                         "l"(in + (top + row) * columns + left + lane)
                         : "memory");
        }
    asm volatile("cp.async.commit_group;" ::: "memory");
    __syncthreads();
    for (unsigned int row = threadIdx.y; row < 32; row += 8)
        if (top + lane < rows && left + row < columns)
            out[(left + row) * rows + top + lane] = tile[lane][row];
}
