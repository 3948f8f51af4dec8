// SPDX-License-Identifier: GPL-3.0-or-later
//
// The same with four results for each thread: a window of registers slides along the input.
//
// Launch    --grid ceil(n/256) --block 64

extern "C" __global__ void convolution(unsigned int n, unsigned int taps, const float* in, const float* w, float* out)
{
    // The elements that thread t begins with lie 4 apart; a gap after every 32 keeps the lanes in different banks.
    __shared__ float piece[256 + 32 + 9], weight[32];
    unsigned int begin = blockIdx.x * 256, count = n + taps - 1;
    for (unsigned int place = threadIdx.x; place < 256 + 32; place += 64)
        piece[place + place / 32] = begin + place < count ? in[begin + place] : 0;
    if (threadIdx.x < taps)
        weight[threadIdx.x] = w[threadIdx.x];
    __syncthreads();
    unsigned int first = 4 * threadIdx.x;
    auto at = [&](unsigned int place) { return piece[place + place / 32]; };
    float a = at(first), b = at(first + 1), c = at(first + 2), sums[4] = {0, 0, 0, 0};
    for (unsigned int j = 0; j < taps; ++j) {
        float d = at(first + j + 3), factor = weight[j];
        sums[0] += factor * a;
        sums[1] += factor * b;
        sums[2] += factor * c;
        sums[3] += factor * d;
        a = b;
        b = c;
        c = d;
    }
    for (unsigned int k = 0; k < 4; ++k)
        if (begin + first + k < n)
            out[begin + first + k] = sums[k];
}
