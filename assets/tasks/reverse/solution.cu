// SPDX-License-Identifier: GPL-3.0-or-later
//
// Each piece of 256 elements turned round, through shared memory.
//
// Launch    --grid ceil(n/256) --block 256

extern "C" __global__ void reverse(unsigned int n, const float* in, float* out)
{
    // @solution
    // @hint How long is the piece of this block?
    __shared__ float piece[256];
    unsigned int begin = blockIdx.x * 256, length = min(256u, n - begin), t = threadIdx.x;
    // @hint Fill shared memory, wait for all of the block, then write.
    if (t < length)
        piece[t] = in[begin + t];
    __syncthreads();
    if (t < length)
        out[begin + t] = piece[length - 1 - t];
    // @end
}
