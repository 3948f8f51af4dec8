// SPDX-License-Identifier: GPL-3.0-or-later
// Sum of 32-bit integers as the source of its row does it (github.com/pranjalssh/fast.cu, sum.cu, kernel 3), written afresh: blocks
// of 1024 threads, each thread sixteen 16-byte loads a block apart; then shuffles, one atomic a warp and one a block.
constexpr unsigned kThreads = 1024, kLoads = 16;

extern "C" __global__ void sum_int4(const int4* in, int* total, unsigned n)
{
    __shared__ int part;
    const unsigned first = blockIdx.x * kThreads * kLoads + threadIdx.x;
    if (threadIdx.x == 0)
        part = 0;
    int sum = 0;
#pragma unroll
    for (unsigned load = 0; load < kLoads; ++load) {
        if (first + load * kThreads < n) {
            const int4 four = in[first + load * kThreads];
            sum += four.x + four.y + four.z + four.w;
        }
    }
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, offset);
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        atomicAdd(&part, sum);
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd(total, part);
}
