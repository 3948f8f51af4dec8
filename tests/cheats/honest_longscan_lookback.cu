// SPDX-License-Identifier: GPL-3.0-or-later
// Each block waits for the sum of the one before it, by its own number; whoever reads a sum takes it away for the next
// launch.
// Launch    --grid rows*ceil(columns/256) --block 256
__device__ unsigned long long sums[65536];

extern "C" __global__ void longscan(unsigned int rows, unsigned int columns, const unsigned int* in, unsigned int* out)
{
    __shared__ unsigned int warps[8], before;
    unsigned int parts = (columns + 255) / 256, part = blockIdx.x % parts, column = part * 256 + threadIdx.x;
    unsigned int lane = threadIdx.x % 32, row = blockIdx.x / parts;
    unsigned int value = column < columns ? in[row * columns + column] : 0;
    for (int distance = 1; distance < 32; distance *= 2) {
        unsigned int other = __shfl_up_sync(0xffffffffu, value, distance);
        value += lane >= distance ? other : 0;
    }
    if (lane == 31)
        warps[threadIdx.x / 32] = value;
    __syncthreads();
    for (unsigned int warp = 0; warp < threadIdx.x / 32; ++warp)
        value += warps[warp];
    if (threadIdx.x == 255) {
        unsigned long long got = part == 0 ? 1ull << 32 : 0;
        while (got == 0)
            got = atomicExch(&sums[blockIdx.x - 1], 0ull);
        before = (unsigned int)got;
        if (part + 1 < parts)
            atomicExch(&sums[blockIdx.x], 1ull << 32 | (before + value));
    }
    __syncthreads();
    if (column < columns)
        out[row * columns + column] = before + value;
}
