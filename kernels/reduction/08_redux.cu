// SPDX-License-Identifier: GPL-3.0-or-later
//
// Reduction, rung 8: redux.sync.
//
// Changed   one instruction adds an integer of all 32 lanes, where rung 7 needs five shuffles and five adds. Its mask
//           names the lanes that take part, 0xffffffff for a full warp; 0xff, as in a well-known example, adds eight.
// Frees     instructions of the tree. It runs once for each resident block: what it frees was no longer the bottleneck.
// Needs     sm_80
// Limits    integers alone: there is no redux for the sum of floats.
// Gain      over rung 7: open until run on a GPU; nothing is expected for long inputs. A lesson in where not to look.

struct __align__(16) Int4 { unsigned int x, y, z, w; };

static __device__ unsigned int warpSum(unsigned int v)
{
#if __CUDA_ARCH__ >= 800
    return __reduce_add_sync(0xffffffffu, v); // in every lane
#else
    __trap(); // Ridgepoint refuses to launch this rung on PTX for older chips
    return v;
#endif
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
__device__ void reduceRedux(const T* in, T* out, unsigned long long n)
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

extern "C" __global__ void reduce_redux_i32(const unsigned int* in, unsigned int* out, unsigned long long n)
{
    reduceRedux<unsigned int, Int4>(in, out, n);
}
