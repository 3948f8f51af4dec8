// SPDX-License-Identifier: GPL-3.0-or-later
//
// The same with eight bytes for each lane, and four lanes for a group.
//
// Launch    --grid ceil(rows/4) --block 32,4

extern "C" __global__ void dequant(unsigned int rows, unsigned int groups, const signed char* q, const float* scale,
                                   const float* x, float* y)
{
    unsigned int row = blockIdx.x * 4 + threadIdx.y;
    if (row >= rows)
        return;
    const uint2* bytes = reinterpret_cast<const uint2*>(q) + row * groups * 4;
    const float4* factors = reinterpret_cast<const float4*>(x);
    float total = 0;
    for (unsigned int at = threadIdx.x; at < 4 * groups; at += 32) {
        uint2 eight = bytes[at];
        float4 low = factors[2 * at], high = factors[2 * at + 1];
        auto byteOf = [](unsigned int word, int place) {
            return static_cast<float>(static_cast<signed char>(word >> 8 * place));
        };
        float own = byteOf(eight.x, 0) * low.x;
        own = fmaf(byteOf(eight.x, 1), low.y, own);
        own = fmaf(byteOf(eight.x, 2), low.z, own);
        own = fmaf(byteOf(eight.x, 3), low.w, own);
        own = fmaf(byteOf(eight.y, 0), high.x, own);
        own = fmaf(byteOf(eight.y, 1), high.y, own);
        own = fmaf(byteOf(eight.y, 2), high.z, own);
        own = fmaf(byteOf(eight.y, 3), high.w, own);
        total = fmaf(scale[row * groups + at / 4], own, total);
    }
    for (int distance = 1; distance < 32; distance *= 2)
        total += __shfl_xor_sync(0xffffffffu, total, distance);
    if (threadIdx.x == 0)
        y[row] = total;
}
