// SPDX-License-Identifier: GPL-3.0-or-later
//
// Running sums within pieces of 256 whole numbers.
//
// Launch    --grid ceil(n/256) --block 256

extern "C" __global__ void scan(unsigned int n, const unsigned int* in, unsigned int* out)
{
    // @solution
    // @hint Running sums in each warp.
    __shared__ unsigned int total[8];
    unsigned int i = blockIdx.x * 256 + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned int sum = i < n ? in[i] : 0;
    for (unsigned int distance = 1; distance < 32; distance *= 2) {
        unsigned int before = __shfl_up_sync(0xffffffffu, sum, distance);
        if (lane >= distance)
            sum += before;
    }
    // @hint What do the warps before this one come to?
    if (lane == 31)
        total[warp] = sum;
    __syncthreads();
    for (unsigned int other = 0; other < warp; ++other)
        sum += total[other];
    if (i < n)
        out[i] = sum;
    // @end
}
