// SPDX-License-Identifier: GPL-3.0-or-later
//
// Four counters in a word, a byte each: enough where values are spread evenly.
//
// Launch    --grid min(ceil(n/1024),132) --block 256

extern "C" __global__ void histogram(unsigned int n, unsigned int bins, const unsigned int* value, unsigned int* counts)
{
    __shared__ unsigned int own[256];
    unsigned int each = bins < 32 ? 1 : 4; // counters in a word
    own[threadIdx.x] = 0;
    __syncthreads();
    for (unsigned int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256)
        atomicAdd(&own[value[i] / each], 1u << 8 * (value[i] % each));
    __syncthreads();
    if (threadIdx.x < bins) {
        unsigned int count = own[threadIdx.x / each] >> 8 * (threadIdx.x % each);
        atomicAdd(&counts[threadIdx.x], each == 1 ? count : count & 255);
    }
}
