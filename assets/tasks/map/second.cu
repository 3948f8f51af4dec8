// SPDX-License-Identifier: GPL-3.0-or-later
//
// The same with a fixed number of threads: each walks over the array in steps as long as the whole grid.
//
// Launch    --grid min(ceil(n/256),528) --block 256

extern "C" __global__ void map(unsigned int n, const float* x, float* y)
{
    unsigned int threads = gridDim.x * blockDim.x;
    for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) {
        float value = x[i];
        y[i] = fmaf(value, value, 1.0f);
    }
}
