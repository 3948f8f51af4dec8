// SPDX-License-Identifier: GPL-3.0-or-later
//
// Reduction, rung 7: enough bytes in flight.
//
// Changed   four 16-byte loads of a thread start before the first is used, into sums of their own.
// Frees     latency. Little's law: bytes in flight = bandwidth x latency. Four blocks on an SM keep 64 KiB in flight, with
//           half of the threads of rung 6 and twice its bytes; NVIDIA's CUB asks for 48 KiB on an SM of an H200.
// Gain      over rung 6: open until run on a GPU; none where 32 KiB already were enough.

struct __align__(16) Int4 { unsigned int x, y, z, w; };
struct __align__(16) Float4 { float x, y, z, w; };

template <class T>
__device__ T warpSum(T v)
{
    for (unsigned int s = 16; s > 0; s /= 2)
        v += __shfl_down_sync(0xffffffffu, v, s);
    return v;
}

template <class T>
__device__ void blockSum(T sum, T* out)
{
    __shared__ T part[8];
    unsigned int t = threadIdx.x;
    sum = warpSum(sum);
    if (t % 32 == 0)
        part[t / 32] = sum;
    __syncthreads();
    if (t < 32) {
        sum = warpSum(t < 8 ? part[t] : T(0));
        if (t == 0)
            out[blockIdx.x] = sum;
    }
}

template <class T, class V>
__device__ T addUp(V v)
{
    return (v.x + v.y) + (v.z + v.w);
}

template <class T, class V>
__device__ void reduceUnrolled(const T* in, T* out, unsigned long long n)
{
    unsigned long long step = (unsigned long long)gridDim.x * 256;
    unsigned long long first = (unsigned long long)blockIdx.x * 256 + threadIdx.x;
    unsigned long long count = n / 4;
    const V* vectors = (const V*)in;
    T sum[4] = {T(0), T(0), T(0), T(0)};
    unsigned long long i = first;
#pragma unroll 1
    for (; i + 3 * step < count; i += 4 * step) {
        V a = vectors[i];
        V b = vectors[i + step];
        V c = vectors[i + 2 * step];
        V d = vectors[i + 3 * step];
        sum[0] += addUp<T>(a);
        sum[1] += addUp<T>(b);
        sum[2] += addUp<T>(c);
        sum[3] += addUp<T>(d);
    }
    // What is left is less than four steps: at most three loads, which need not wait for each other either.
    V zero = {T(0), T(0), T(0), T(0)};
    V a = i < count ? vectors[i] : zero;
    V b = i + step < count ? vectors[i + step] : zero;
    V c = i + 2 * step < count ? vectors[i + 2 * step] : zero;
    sum[0] += addUp<T>(a);
    sum[1] += addUp<T>(b);
    sum[2] += addUp<T>(c);
    unsigned long long last = count * 4 + first;
    if (last < n)
        sum[3] += in[last];
    blockSum((sum[0] + sum[1]) + (sum[2] + sum[3]), out);
}

extern "C" __global__ void reduce_unrolled_i32(const unsigned int* in, unsigned int* out, unsigned long long n)
{
    reduceUnrolled<unsigned int, Int4>(in, out, n);
}

extern "C" __global__ void reduce_unrolled_f32(const float* in, float* out, unsigned long long n)
{
    reduceUnrolled<float, Float4>(in, out, n);
}
