// SPDX-License-Identifier: GPL-3.0-or-later
//
// STREAM, rung 3: persistent blocks that fetch ahead.
//
// Changed   the loads of the next tile are issued before the values of this one are used, so that some are always on
//           their way; half the threads of rung 2 or fewer.
// Resource  registers, twice as many for the tile, instead of resident threads.
// Expect    1024 threads (512 with two inputs) of 64 bytes keep 64 KiB of each SM in flight. CUB's tuning asks for
//           48 KiB on H200.
// Gain      over rung 2, and over cudaMemcpy from device to device: open until run on a GPU.

constexpr unsigned int kThreads = 256;
enum Operation { Copy, Scale, Add, Triad, Read, Write, Dot };

template <int Op> struct Reads {
    static constexpr bool a = Op != Write, b = Op == Add || Op == Triad || Op == Dot;
};

template <int Op> __device__ float result(float a, float b, float s)
{
    return Op == Copy ? a : Op == Scale ? s * a : Op == Add ? a + b : Op == Triad ? __fmaf_rn(s, b, a) : s;
}
template <int Op> __device__ float2 result(float2 a, float2 b, float s)
{
    return make_float2(result<Op>(a.x, b.x, s), result<Op>(a.y, b.y, s));
}
template <int Op> __device__ float4 result(float4 a, float4 b, float s)
{
    return make_float4(result<Op>(a.x, b.x, s), result<Op>(a.y, b.y, s), result<Op>(a.z, b.z, s),
                       result<Op>(a.w, b.w, s));
}

// What a thread of read or dot has gathered.
struct Sum {
    unsigned int words;
    float products;
    __device__ void take(float a, float b)
    {
        words += __float_as_uint(a);
        products = __fmaf_rn(a, b, products);
    }
    __device__ void take(float2 a, float2 b) { take(a.x, b.x), take(a.y, b.y); }
    __device__ void take(float4 a, float4 b) { take(a.x, b.x), take(a.y, b.y), take(a.z, b.z), take(a.w, b.w); }
};

// The block's sum, into the block's place.
template <class T> __device__ void writeSum(T sum, T* out)
{
    __shared__ T ofWarp[kThreads / 32];
    for (int distance = 16; distance > 0; distance /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, distance);
    if (threadIdx.x % 32 == 0)
        ofWarp[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (unsigned int warp = 1; warp < kThreads / 32; ++warp)
            sum += ofWarp[warp];
        out[blockIdx.x] = sum;
    }
}

// The last tile, where the array ends within it: float by float.
template <int Op>
__device__ void ragged(const float* a, const float* b, float* c, unsigned long long from, unsigned long long n, float s,
                       Sum& sum)
{
    for (unsigned long long i = from + threadIdx.x; i < n; i += kThreads) {
        float x = Reads<Op>::a ? a[i] : 0.0f, y = Reads<Op>::b ? b[i] : 0.0f;
        if (Op == Read || Op == Dot)
            sum.take(x, y);
        else
            c[i] = result<Op>(x, y, s);
    }
}

// What a thread holds of a tile.
template <class V, int N> struct Held {
    V x[N], y[N];
};

template <int Op, class V, int N>
__device__ void fetch(const float* a, const float* b, unsigned long long from, Held<V, N>& held)
{
    const V* va = (const V*)(a + from) + threadIdx.x;
    const V* vb = (const V*)(b + from) + threadIdx.x;
#pragma unroll
    for (int k = 0; k < N; ++k) {
        if (Reads<Op>::a)
            held.x[k] = va[k * kThreads];
        if (Reads<Op>::b)
            held.y[k] = vb[k * kThreads];
    }
}

template <int Op, class V, int N>
__device__ void use(float* c, unsigned long long from, const Held<V, N>& held, float s, Sum& sum)
{
    V* vc = (V*)(c + from) + threadIdx.x;
#pragma unroll
    for (int k = 0; k < N; ++k)
        if (Op == Read || Op == Dot)
            sum.take(held.x[k], held.y[k]);
        else
            vc[k * kThreads] = result<Op>(held.x[k], held.y[k], s);
}

template <int Op, class V, int N>
__device__ void stream(const float* a, const float* b, float* c, unsigned long long n, float s)
{
    constexpr unsigned long long tile = kThreads * N * sizeof(V) / sizeof(float);
    const unsigned long long step = gridDim.x * tile;
    unsigned long long from = blockIdx.x * tile;
    Sum sum = {0, 0.0f};
    Held<V, N> now = {}, next = {};
    if (from + tile <= n)
        fetch<Op>(a, b, from, now);
    while (from + step + tile <= n) {
        fetch<Op>(a, b, from + step, next);
        use<Op>(c, from, now, s, sum);
        now = next;
        from += step;
    }
    if (from + tile <= n) {
        use<Op>(c, from, now, s, sum);
        from += step;
    }
    if (from < n)
        ragged<Op>(a, b, c, from, n, s, sum);
    if (Op == Read)
        writeSum(sum.words, (unsigned int*)c);
    if (Op == Dot)
        writeSum(sum.products, c);
}

#define STREAM(name, op, bytes, V, N)                                                                                  \
    extern "C" __global__ void __launch_bounds__(kThreads)                                                             \
        name##_##bytes(const float* a, const float* b, float* c, unsigned long long n, float s)                        \
    {                                                                                                                  \
        stream<op, V, N>(a, b, c, n, s);                                                                               \
    }
#define WIDTHS(name, op)                                                                                               \
    STREAM(name, op, 4, float, 1)                                                                                      \
    STREAM(name, op, 8, float2, 1)                                                                                     \
    STREAM(name, op, 16, float4, 1)                                                                                    \
    STREAM(name, op, 32, float4, 2)                                                                                    \
    STREAM(name, op, 64, float4, 4)

WIDTHS(copy, Copy)
WIDTHS(scale, Scale)
WIDTHS(add, Add)
WIDTHS(triad, Triad)
WIDTHS(read, Read)
WIDTHS(write, Write)
WIDTHS(dot, Dot)
