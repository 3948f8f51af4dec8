// SPDX-License-Identifier: GPL-3.0-or-later
//
// A histogram for each warp; of a value, which is below 256, the low byte is read.
//
// Launch    --grid min(ceil(n/4096),132) --block 256 --smem 8*bins*4

extern "C" __global__ void histogram(unsigned int n, unsigned int bins, const unsigned int* value, unsigned int* counts)
{
    extern __shared__ unsigned int counters[]; // one for each warp
    unsigned int* own = counters + threadIdx.x / 32 * bins;
    for (unsigned int b = threadIdx.x; b < 8 * bins; b += 256)
        counters[b] = 0;
    __syncthreads();
    const unsigned char* low = reinterpret_cast<const unsigned char*>(value); // a value is below 256
    for (unsigned int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256)
        atomicAdd(&own[low[4 * (size_t)i]], 1u);
    __syncthreads();
    for (unsigned int b = threadIdx.x; b < bins; b += 256) {
        unsigned int c = 0;
        for (int w = 0; w < 8; ++w)
            c += counters[w * bins + b];
        if (c)
            atomicAdd(&counts[b], c);
    }
}
