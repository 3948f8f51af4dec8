// SPDX-License-Identifier: GPL-3.0-or-later
//
// Hopper matrix product, rung 1: wgmma on tiles that TMA brings, by turns.
//
// Needs     sm_90a
// Changed   the first rung. One instruction of four warps multiplies 64 x 128 elements over 16 of k, from shared
//           memory; one instruction of one thread brings a tile there. (`tensor_matmul`: mma.sync, from registers.)
// Resource  instruction issue and registers: no lane loads a factor, and none carries one.
// Expect    products and copies of a block wait for each other; other blocks of the SM fill part of the gaps.
// Gain      over mma.sync: open until run on a GPU.
//
// C = A B^T. A is m x k, B is n x k, C is m x n, all row by row; rows begin at multiples of 16 bytes. The engine writes
// zeros where a tile goes beyond the matrix, so that no edge needs code before the stores.

#if !defined(__CUDA_ARCH__) || defined(__CUDA_ARCH_FEAT_SM90_ALL)

constexpr unsigned int kRows = 128, kColumns = 128, kDepth = 64; // of a tile
constexpr unsigned int kBytesA = kRows * kDepth * 2, kBytesB = kColumns * kDepth * 2;

struct TensorMap { // CUtensorMap: opaque
    alignas(64) unsigned char bytes[128];
};

static __device__ unsigned int sharedAddress(const void* at)
{
    return (unsigned int)__cvta_generic_to_shared(at);
}

static __device__ void waitFor(unsigned int barrier, unsigned int parity)
{
    asm volatile("{ .reg .pred done;\n"
                 "WAIT: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
                 "@!done bra WAIT; }" ::"r"(barrier),
                 "r"(parity)
                 : "memory");
}

static __device__ void initialise(unsigned int barrier, unsigned int arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}

static __device__ void expectBytes(unsigned int barrier, unsigned int bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}

/// A box of a matrix: `k` is the first column of it, `row` the first row. What lies outside is filled with zeros.
static __device__ void load(unsigned int to, const TensorMap* map, unsigned int k, unsigned int row,
                            unsigned int barrier)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], "
                 "[%1, {%2, %3}], [%4];" ::"r"(to),
                 "l"(map), "r"(k), "r"(row), "r"(barrier)
                 : "memory");
}

/// Where wgmma finds a tile with rows of 128 bytes: address, 1024 bytes from eight rows to the next eight, both over
/// 16, and the swizzle of 128 bytes, which the tensor map has as well. The next 16 of k are 32 bytes further.
static __device__ unsigned long long descriptor(unsigned int address)
{
    return (unsigned long long)(address >> 4 & 0x3fff) | 1ull << 16 | (unsigned long long)(1024 / 16) << 32 |
           1ull << 62;
}

static __device__ void beginProducts()
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
static __device__ void endProducts()
{
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
template<int Left>
__device__ void awaitProducts()
{
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(Left) : "memory");
}

// PRODUCT: d += A B^T for 64 rows of A, 128 of B and 16 of k. `type` is that of A and B; both lie k first.
#define FOUR(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define SIXTEEN(i) FOUR(i), FOUR(i + 4), FOUR(i + 8), FOUR(i + 12)
#define PRODUCT(type)                                                                                                  \
    static __device__ void step(float* d, unsigned long long a, unsigned long long b)                                  \
    {                                                                                                                  \
        asm volatile("{ .reg .pred p; setp.ne.b32 p, 1, 0;\n"                                                          \
                     "wgmma.mma_async.sync.aligned.m64n128k16.f32." type "." type " {"                                 \
                     "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, "           \
                     "%19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, "           \
                     "%36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, "           \
                     "%53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"                                           \
                     "}, %64, %65, p, 1, 1, 0, 0; }"                                                                   \
                     : SIXTEEN(0), SIXTEEN(16), SIXTEEN(32), SIXTEEN(48)                                               \
                     : "l"(a), "l"(b));                                                                                \
    }

#define ROUND(type)                                                                                                    \
    static __device__ unsigned int round(float first, float second)                                                    \
    {                                                                                                                  \
        unsigned int both;                                                                                             \
        asm("cvt.rn." type ".f32 %0, %1, %2;" : "=r"(both) : "f"(second), "f"(first));                                 \
        return both;                                                                                                   \
    }

struct Fp16 {
    PRODUCT("f16")
    ROUND("f16x2")
};
struct Bf16 {
    PRODUCT("bf16")
    ROUND("bf16x2")
};

/// The sums of a warp, 16 rows x 128 columns, from the element (row, column) on. A lane has two neighbours in a row.
template<class Op>
__device__ void store(unsigned short* c, unsigned int pitch, unsigned int m, unsigned int n, unsigned int row,
                      unsigned int column, const float* d)
{
    row += threadIdx.x % 32 / 4;
    column += threadIdx.x % 4 * 2;
#pragma unroll
    for (unsigned int half = 0; half < 2; ++half) {
        unsigned short* to = c + (unsigned long long)(row + 8 * half) * pitch + column;
#pragma unroll
        for (unsigned int j = 0; j < 16; ++j) {
            unsigned int both = Op::round(d[4 * j + 2 * half], d[4 * j + 2 * half + 1]), at = column + 8 * j;
            if (row + 8 * half < m && at + 1 < n)
                *(unsigned int*)(to + 8 * j) = both;
            else if (row + 8 * half < m && at < n)
                to[8 * j] = (unsigned short)both;
        }
    }
}

template<class Op>
__device__ void multiply(const TensorMap* a, const TensorMap* b, unsigned short* c, unsigned int m, unsigned int n,
                         unsigned int k, unsigned int pitch)
{
    extern __shared__ __align__(1024) unsigned char tiles[]; // A, B, the barrier
    unsigned int ofA = sharedAddress(tiles), ofB = ofA + kBytesA, full = ofB + kBytesB;
    unsigned int row = blockIdx.y * kRows, column = blockIdx.x * kColumns;
    if (threadIdx.x == 0) {
        initialise(full, 1);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    float upper[64] = {}, lower[64] = {};
    unsigned int parity = 0;
    for (unsigned int at = 0; at < k; at += kDepth, parity ^= 1) {
        if (threadIdx.x == 0) {
            expectBytes(full, kBytesA + kBytesB);
            load(ofA, a, at, row, full);
            load(ofB, b, at, column, full);
        }
        waitFor(full, parity);
        beginProducts();
#pragma unroll
        for (unsigned int step = 0; step < kDepth / 16; ++step) {
            Op::step(upper, descriptor(ofA + 32 * step), descriptor(ofB + 32 * step));
            Op::step(lower, descriptor(ofA + kBytesA / 2 + 32 * step), descriptor(ofB + 32 * step));
        }
        endProducts();
        awaitProducts<0>();
        __syncthreads(); // all four warps are done with the tiles
    }
    row += threadIdx.x / 32 * 16;
    store<Op>(c, pitch, m, n, row, column, upper);
    store<Op>(c, pitch, m, n, row + 64, column, lower);
}

#define KERNEL(type, Op)                                                                                               \
    extern "C" __global__ void __launch_bounds__(128)                                                                  \
        tma_##type(const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap b, unsigned short* c,        \
                   unsigned int m, unsigned int n, unsigned int k, unsigned int pitch)                                 \
    {                                                                                                                  \
        multiply<Op>(&a, &b, c, m, n, k, pitch);                                                                       \
    }

KERNEL(fp16, Fp16)
KERNEL(bf16, Bf16)

#endif
