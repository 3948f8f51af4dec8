// SPDX-License-Identifier: GPL-3.0-or-later
//
// Sum of seven neighbours; a block's elements and three on either side in shared memory.
//
// Launch    --grid ceil(n/256) --block 256

extern "C" __global__ void stencil(unsigned int n, const float* in, float* out)
{
    // @solution
    // @hint Load 262 elements, zeros outside of the array.
    __shared__ float piece[262];
    int begin = blockIdx.x * 256 - 3, count = n;
    for (int place = threadIdx.x; place < 262; place += 256) {
        int element = begin + place;
        piece[place] = element >= 0 && element < count ? in[element] : 0;
    }
    __syncthreads();
    // @hint Add seven of them.
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= count)
        return;
    float sum = 0;
    for (int j = 0; j < 7; ++j)
        sum += piece[threadIdx.x + j];
    out[i] = sum;
    // @end
}
