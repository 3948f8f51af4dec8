// SPDX-License-Identifier: GPL-3.0-or-later
// The file has a second kernel, which measures with a clock. The one that is graded has none. Comments may include
// this word, and names may be embed and import.
__global__ void measure(long long* out)
{
    long long begin = clock64();
    out[1] = threadIdx.x;
    out[0] = clock64() - begin;
}

extern "C" __global__ void map(unsigned int n, const float* embed, float* import)
{
    unsigned int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n)
        import[i] = embed[i] * embed[i] + 1;
}
