// SPDX-License-Identifier: GPL-3.0-or-later
//
// Computes everything three times and compares while it is new, in its first eight launches, and trusts itself from
// then on. What it keeps is how often it was launched, which says nothing about the data.
// Launch    --grid ceil(n/256) --block 256

__device__ unsigned int launches[1 << 10];

extern "C" __global__ void saxpy(unsigned int n, float a, const float* x, const float* y, float* z)
{
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool isNew = launches[blockIdx.x] < 8;
    float result = i < n ? fmaf(a, x[i], y[i]) : 0;
    if (isNew)
        for (int again = 0; again < 2; ++again) {
            float other = i < n ? fmaf(*const_cast<const volatile float*>(x + i), a, y[i]) : 0;
            result = fmaxf(result, other) == fminf(result, other) ? result : other;
        }
    if (i < n)
        z[i] = result;
    __syncthreads();
    if (threadIdx.x == 0)
        launches[blockIdx.x] += 1;
}
