// SPDX-License-Identifier: GPL-3.0-or-later
// Turns each block round in the input itself, and puts it back when the result is written.
extern "C" __global__ void reverse(unsigned int n, const float* in, float* out)
{
    float* work = const_cast<float*>(in) + blockIdx.x * 256;
    unsigned int length = min(256u, n - blockIdx.x * 256), i = threadIdx.x;
    float own = i < length ? work[i] : 0;
    __syncthreads();
    if (i < length)
        work[length - 1 - i] = own;
    __syncthreads();
    if (i < length)
        out[blockIdx.x * 256 + i] = work[i];
    __syncthreads();
    if (i < length)
        work[i] = own;
}
