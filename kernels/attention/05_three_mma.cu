// SPDX-License-Identifier: GPL-3.0-or-later
//
// Attention, rung 5: three kernels again, on tensor cores.
//
// Needs     sm_80
// Changed   both products are mma.sync of 16 x 8 x 16 in fp16 with fp32 sums; scores and weights lie in device memory as in
//           rung 1, and its softmax stands between. (Rung 4: one multiply-add a lane, nothing stored.)
// Resource  the FP32 lanes: 4096 operations an instruction.
// Expect    products that take almost no time, and three launches whose bytes now are the time. Whatever is faster in rung 6 is
//           not the arithmetic.
// Gain      over rung 1: open until run on a GPU.
//
// Layouts as in rung 1, fp16 alone.

static __device__ unsigned int pack(float first, float second)
{
    unsigned int both;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(second), "f"(first));
    return both;
}

static __device__ void multiply(float* d, const unsigned int* a, unsigned int b0, unsigned int b1)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

/// Two 8 x 8 blocks of 16 rows, turned over, and the two beside them.
static __device__ void turned(unsigned int (&b)[4], const unsigned short* row)
{
    unsigned int at = (unsigned int)__cvta_generic_to_shared(row);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(b[0]), "=r"(b[1]), "=r"(b[2]), "=r"(b[3]) : "r"(at) : "memory");
}

/// Stages 64 rows of D numbers; what lies past `there` is 0.
template <int D>
__device__ void stage(unsigned short* tile, const unsigned short* from, unsigned int there)
{
    for (unsigned int at = threadIdx.x; at < 64 * D / 8; at += 128) {
        unsigned int row = at / (D / 8), column = at % (D / 8) * 8;
        uint4 x = row < there ? *(const uint4*)(from + 8 * at) : uint4{0, 0, 0, 0};
        *(uint4*)(tile + row * (D + 8) + column) = x;
    }
}

/// A warp multiplies 16 rows of `left` with a step of 16 columns: the registers that mma.sync wants.
static __device__ void leftOf(unsigned int (&a)[4], const unsigned short* tile, int pitch, int step)
{
    unsigned int row = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4, column = 16 * step + threadIdx.x % 4 * 2;
    for (int x = 0; x < 4; ++x)
        a[x] = *(const unsigned int*)(tile + (row + x % 2 * 8) * pitch + column + x / 2 * 8);
}

/// 64 queries x 64 keys a block of four warps.
template <int D>
__device__ void scores(const unsigned short* q, const unsigned short* k, unsigned short* s, unsigned int n, unsigned int pitch,
                       unsigned int reach, float scaleLog2)
{
    constexpr int kPitch = D + 8; // rows lie apart in the banks
    __shared__ __align__(16) unsigned short queries[64 * kPitch], keys[64 * kPitch];
    unsigned int firstKey = 64 * blockIdx.x, firstQuery = 64 * blockIdx.y, g = threadIdx.x % 32 / 4, c = threadIdx.x % 4;
    unsigned long long head = (unsigned long long)blockIdx.z * n;
    stage<D>(queries, q + (head + firstQuery) * D, n - firstQuery);
    stage<D>(keys, k + (head + firstKey) * D, n - firstKey);
    __syncthreads();
    float score[8][4] = {};
#pragma unroll
    for (int step = 0; step < D / 16; ++step) {
        unsigned int left[4];
        leftOf(left, queries, kPitch, step);
#pragma unroll
        for (int j = 0; j < 8; ++j) {
            const unsigned short* key = keys + (8 * j + g) * kPitch + 16 * step + 2 * c;
            multiply(score[j], left, *(const unsigned int*)key, *(const unsigned int*)(key + 8));
        }
    }
    for (int h = 0; h < 2; ++h) {
        unsigned int query = firstQuery + threadIdx.x / 32 * 16 + g + 8 * h, seen = min(n, query + reach);
        for (int j = 0; j < 8; ++j) {
            unsigned int key = firstKey + 8 * j + 2 * c;
            float none = __int_as_float(0xff800000), x = score[j][2 * h] * scaleLog2, y = score[j][2 * h + 1] * scaleLog2;
            if (query < n && key < pitch)
                *(unsigned int*)(s + (head + query) * pitch + key) = pack(key < seen ? x : none, key + 1 < seen ? y : none);
        }
    }
}

/// 64 queries a block of four warps, a warp 16 of them.
template <int D>
__device__ void product(const unsigned short* p, const unsigned short* v, float* out, unsigned int n, unsigned int pitch)
{
    constexpr int kWeightPitch = 64 + 8;
    __shared__ __align__(16) unsigned short weights[64 * kWeightPitch], values[64 * (D + 8)];
    unsigned int first = 64 * blockIdx.x, g = threadIdx.x % 32 / 4, c = threadIdx.x % 4, lane = threadIdx.x % 32;
    unsigned long long head = (unsigned long long)blockIdx.y * n;
    float sum[D / 8][4] = {};
    for (unsigned int base = 0; base < n; base += 64) {
        __syncthreads(); // the tiles before are used up
        for (unsigned int at = threadIdx.x; at < 64 * 8; at += 128) {
            unsigned int row = at / 8, column = at % 8 * 8;
            uint4 x = {0, 0, 0, 0};
            if (first + row < n && base + column < pitch)
                x = *(const uint4*)(p + (head + first + row) * pitch + base + column);
            *(uint4*)(weights + row * kWeightPitch + column) = x;
        }
        stage<D>(values, v + (head + base) * D, n - base);
        __syncthreads();
#pragma unroll
        for (int step = 0; step < 4; ++step) {
            unsigned int left[4], right[4];
            leftOf(left, weights, kWeightPitch, step);
#pragma unroll
            for (int j = 0; j < D / 8; j += 2) {
                turned(right, values + (16 * step + lane % 16) * (D + 8) + 8 * j + lane / 16 * 8);
                multiply(sum[j], left, right[0], right[1]);
                multiply(sum[j + 1], left, right[2], right[3]);
            }
        }
    }
    for (int h = 0; h < 2; ++h) {
        unsigned int row = first + threadIdx.x / 32 * 16 + g + 8 * h;
        for (int j = 0; j < D / 8; ++j)
            if (row < n)
                *(float2*)(out + (head + row) * D + 8 * j + 2 * c) = make_float2(sum[j][2 * h], sum[j][2 * h + 1]);
    }
}

#define RIDGE_ATTENTION(D)                                                                                             \
    extern "C" __global__ void __launch_bounds__(128)                                                                  \
        attention_scores_mma_fp16_##D(const unsigned short* q, const unsigned short* k, unsigned short* s,             \
                                      unsigned int n, unsigned int pitch, unsigned int reach, float scale_log2)        \
    {                                                                                                                  \
        scores<D>(q, k, s, n, pitch, reach, scale_log2);                                                               \
    }                                                                                                                  \
    extern "C" __global__ void __launch_bounds__(128)                                                                  \
        attention_product_mma_fp16_##D(const unsigned short* p, const unsigned short* v, float* out, unsigned int n,   \
                                       unsigned int pitch)                                                             \
    {                                                                                                                  \
        product<D>(p, v, out, n, pitch);                                                                               \
    }

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
RIDGE_ATTENTION(64)
RIDGE_ATTENTION(128)
#endif
