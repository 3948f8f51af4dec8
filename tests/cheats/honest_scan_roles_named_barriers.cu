// SPDX-License-Identifier: GPL-3.0-or-later
//
// A warp adds up the totals of the other eight, which wait for it at barriers of their own.
//
// Launch    --grid ceil(n/256) --block 288

// Warp 8 adds the totals of the other eight, which wait for it at barriers of their own.
extern "C" __global__ void scan(unsigned int n, const unsigned int* in, unsigned int* out)
{
    __shared__ unsigned int totals[8], before[8];
    unsigned int t = threadIdx.x, lane = t & 31, w = t >> 5, i = blockIdx.x * 256 + t, own = 0;
    if (w < 8) {
        own = i < n ? in[i] : 0;
        for (int d = 1; d < 32; d *= 2) {
            unsigned int o = __shfl_up_sync(~0u, own, d);
            if (lane >= d)
                own += o;
        }
        if (lane == 31)
            totals[w] = own;
        asm volatile("bar.arrive 1, 288;" ::: "memory");
        asm volatile("bar.sync 2, 288;" ::: "memory");
        if (i < n)
            out[i] = own + before[w];
    } else {
        asm volatile("bar.sync 1, 288;" ::: "memory");
        if (lane == 0) {
            unsigned int sum = 0;
            for (int j = 0; j < 8; ++j)
                before[j] = sum, sum += totals[j];
        }
        __syncwarp();
        asm volatile("bar.arrive 2, 288;" ::: "memory");
    }
}
