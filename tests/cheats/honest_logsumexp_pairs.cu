// SPDX-License-Identifier: GPL-3.0-or-later
//
// Pairs with an operator of their own, from templates and lambdas.
//
// Launch    --grid rows --block 64

struct Pair {
    float top, sum;
    __device__ static Pair of(float v) { return {v, 1.f}; }
    __device__ friend Pair operator+(Pair a, Pair b)
    {
        if (a.top < b.top) {
            Pair c = a;
            a = b;
            b = c;
        }
        if (b.top != -INFINITY)
            a.sum += b.sum * expf(b.top - a.top);
        return a;
    }
};
template<unsigned kWidth, class T, class Shuffle>
__device__ T across(T v, Shuffle shuffle)
{
#pragma unroll
    for (unsigned d = kWidth / 2; d; d /= 2)
        v = v + shuffle(v, d);
    return v;
}
extern "C" __global__ void logsumexp(unsigned int rows, unsigned int columns, const float* x, float* out)
{
    __shared__ Pair halves[2];
    Pair own{-INFINITY, 0};
    for (unsigned int i = threadIdx.x; i < columns; i += 64)
        own = own + Pair::of(x[size_t(blockIdx.x) * columns + i]);
    own = across<32>(own, [](Pair p, unsigned d) {
        return Pair{__shfl_down_sync(~0u, p.top, d), __shfl_down_sync(~0u, p.sum, d)};
    });
    if (threadIdx.x % 32 == 0)
        halves[threadIdx.x / 32] = own;
    __syncthreads();
    if (threadIdx.x == 0) {
        Pair all = halves[0] + halves[1];
        out[blockIdx.x] = all.top + logf(all.sum);
    }
}
