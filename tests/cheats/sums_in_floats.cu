// SPDX-License-Identifier: GPL-3.0-or-later
//
// Whole sums in floats, which hold them up to 2^24.
//
// Launch    --grid rows --block 32

extern "C" __global__ void longscan(unsigned int rows, unsigned int columns, const unsigned int* in, unsigned int* out)
{
    float carried = 0;
    in += blockIdx.x * columns;
    out += blockIdx.x * columns;
    for (unsigned int begin = 0; begin < columns; begin += 32) {
        unsigned int i = begin + threadIdx.x;
        float own = i < columns ? static_cast<float>(in[i]) : 0.0f;
        for (int distance = 1; distance < 32; distance *= 2) {
            float before = __shfl_up_sync(0xffffffffu, own, distance);
            if (threadIdx.x >= distance)
                own += before;
        }
        own += carried;
        if (i < columns)
            out[i] = static_cast<unsigned int>(own);
        carried = __shfl_sync(0xffffffffu, own, 31);
    }
}
