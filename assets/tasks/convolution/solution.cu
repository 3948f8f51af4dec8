// SPDX-License-Identifier: GPL-3.0-or-later
//
// Convolution with up to 32 taps; the block's part of the input and the taps in shared memory.
//
// Launch    --grid ceil(n/256) --block 256

extern "C" __global__ void convolution(unsigned int n, unsigned int taps, const float* in, const float* w, float* out)
{
    // @solution
    // @hint What does the block need of the input, and of the taps?
    __shared__ float piece[256 + 31], weight[32];
    unsigned int begin = blockIdx.x * 256, count = n + taps - 1;
    for (unsigned int place = threadIdx.x; place < 256 + taps - 1 && begin + place < count; place += 256)
        piece[place] = in[begin + place];
    if (threadIdx.x < taps)
        weight[threadIdx.x] = w[threadIdx.x];
    __syncthreads();
    // @hint Multiply along the window of this thread.
    unsigned int i = begin + threadIdx.x;
    if (i >= n)
        return;
    float sum = 0;
    for (unsigned int j = 0; j < taps; ++j)
        sum += weight[j] * piece[threadIdx.x + j];
    out[i] = sum;
    // @end
}
