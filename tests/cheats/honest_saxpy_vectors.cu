// SPDX-License-Identifier: GPL-3.0-or-later
//
// Four elements a thread as one vector, the rest one by one.
// Launch    --grid ceil(n/1024) --block 256

extern "C" __global__ void saxpy(unsigned int n, float a, const float* x, const float* y, float* z)
{
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (4 * i + 3 < n) {
        float4 p = ((const float4*)x)[i], q = ((const float4*)y)[i];
        ((float4*)z)[i] = make_float4(a * p.x + q.x, a * p.y + q.y, a * p.z + q.z, a * p.w + q.w);
        return;
    }
    for (unsigned int rest = 4 * i; rest < n; ++rest)
        z[rest] = a * x[rest] + y[rest];
}
