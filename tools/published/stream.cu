// SPDX-License-Identifier: GPL-3.0-or-later
// The loops of BabelStream and of RRZE's gpu-stream, written afresh: each after the source that its row names.
constexpr double kScale = 0.4;

__device__ size_t index() { return blockIdx.x * (size_t)blockDim.x + threadIdx.x; }

// BabelStream as the Azure rows ran it (github.com/gitaumark/BabelStream, src/cuda/CUDAStream.cu): loops over a fixed grid,
// eight blocks of 1024 threads an SM, four for dot.
#define FOR_EACH(i) for (int i = blockDim.x * blockIdx.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)

extern "C" __global__ void copy(const double* a, double* c, unsigned n) { FOR_EACH (i) c[i] = a[i]; }
extern "C" __global__ void mul(double* b, const double* c, unsigned n) { FOR_EACH (i) b[i] = kScale * c[i]; }
extern "C" __global__ void add(const double* a, const double* b, double* c, unsigned n) { FOR_EACH (i) c[i] = a[i] + b[i]; }
extern "C" __global__ void triad(double* a, const double* b, const double* c, unsigned n)
{
    FOR_EACH (i)
        a[i] = b[i] + kScale * c[i];
}

extern "C" __global__ void dot(const double* a, const double* b, double* sums, int n)
{
    __shared__ double part[1024];
    double sum = 0;
    FOR_EACH (i)
        sum += a[i] * b[i];
    part[threadIdx.x] = sum;
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half];
    }
    if (threadIdx.x == 0)
        sums[blockIdx.x] = part[0];
}

// gpu-stream: one element a thread. Shared memory, which the launch asks for, leaves room for two blocks an SM.
extern "C" __global__ void fill(double* a, unsigned n)
{
    if (index() < n)
        a[index()] = 0.23;
}
extern "C" __global__ void read(const double* a, double* out, unsigned n)
{
    if (index() >= n)
        return;
    const double value = a[index()];
    if (value == 123.0)
        out[index()] = value;
}
extern "C" __global__ void scale(double* a, const double* b, unsigned n)
{
    if (index() < n)
        a[index()] = 1.2 * b[index()];
}
extern "C" __global__ void triad_checked(double* a, const double* b, const double* c, unsigned n)
{
    if (index() < n)
        a[index()] = 1.2 * b[index()] + c[index()];
}
