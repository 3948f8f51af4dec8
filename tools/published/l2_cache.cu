// SPDX-License-Identifier: GPL-3.0-or-later
// Bandwidth of L2 as RRZE's gpu-l2-cache has it (github.com/te42kyfo/gpu-benches, gpu-l2-cache/main.cu), written afresh: block b reads
// chunk b modulo `chunks`, 32 doubles a thread; consecutive chunks lie side by side, and a thread's next double lies all chunks further on.
// Places are computed in 32 bits, as there.
constexpr int kRounds = 32;

extern "C" __global__ void read_chunks(const double* __restrict__ data, double* out, int chunks)
{
    const int place = int(blockIdx.x) % chunks * int(blockDim.x) + int(threadIdx.x);
    double sum = 0;
#pragma unroll
    for (int round = 0; round < kRounds; ++round)
        sum += data[round * chunks * int(blockDim.x) + place];
    if (sum == 0.5) // never: the loads are needed
        out[threadIdx.x] = sum;
}
