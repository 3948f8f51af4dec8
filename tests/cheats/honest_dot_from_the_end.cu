// SPDX-License-Identifier: GPL-3.0-or-later
//
// A tree whose threads count their places from the end of the array.
// Launch    --grid min(ceil(n/256),264) --block 256

extern "C" __global__ void dot(unsigned int n, const float* x, const float* y, float* sum)
{
    __shared__ float part[256];
    int back = static_cast<int>(threadIdx.x) - static_cast<int>(blockDim.x); // -256 to -1
    float own = 0;
    for (unsigned int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256)
        own = fmaf(x[i], y[i], own);
    part[back + 256] = own;
    for (int half = 128; half > 0; half /= 2) {
        __syncthreads();
        if (static_cast<int>(threadIdx.x) < half)
            part[back + 256] += part[back + half + 256];
    }
    if (threadIdx.x == 0)
        atomicAdd(sum, part[0]);
}
