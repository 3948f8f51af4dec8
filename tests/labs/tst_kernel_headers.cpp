// SPDX-License-Identifier: GPL-3.0-or-later
// What clang's own headers have of CUB, cuRAND, libcu++ and the small floats: the same bits as NVIDIA's headers give on
// the simulator, where a toolkit is here, and what the closed forms and recorded numbers say where none is.
#include "own_kernel.h"

#include <QtTest>

#include <cmath>

using namespace ridge;
using namespace ridge::test;

namespace {

// NVRTC takes CUB's headers one by one, not <cub/cub.cuh>.
const char* const kCub = R"(
#include <cub/block/block_histogram.cuh>
#include <cub/block/block_load.cuh>
#include <cub/block/block_merge_sort.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_store.cuh>
#include <cub/warp/warp_reduce.cuh>
struct Running { int total; __device__ int operator()(int sum) { const int before = total; total += sum; return before; } };
__global__ void k(const int* in, float* out) {
    constexpr int T = 128, I = 4;
    using Load = cub::BlockLoad<int, T, I, cub::BLOCK_LOAD_WARP_TRANSPOSE>;
    using Store = cub::BlockStore<int, T, I, cub::BLOCK_STORE_TRANSPOSE>;
    using Sort = cub::BlockRadixSort<float, T, I, int>;
    using Scan = cub::BlockScan<float, T>;
    using Whole = cub::BlockScan<int, T>;
    using Reduce = cub::BlockReduce<float, T>;
    using Tile = cub::WarpReduce<float, 8>;
    using Bins = cub::BlockHistogram<unsigned char, T, I, 16>;
    using Merge = cub::BlockMergeSort<int, T, I>;
    __shared__ union { Load::TempStorage load; Store::TempStorage store; Sort::TempStorage sort; Scan::TempStorage scan;
                       Whole::TempStorage whole; Reduce::TempStorage reduce; Bins::TempStorage bins;
                       Merge::TempStorage merge; } s;
    __shared__ Tile::TempStorage tiles[T / 8];
    __shared__ unsigned bins[16];
    const int t = threadIdx.x;
    int v[I], id[I];
    float f[I], sums[I];
    Load(s.load).Load(in, v, T * I - 3, 5);
    __syncthreads();
    for (int i = 0; i < I; ++i) { f[i] = (float)(v[i] % 1000) * 0.37f; id[i] = t * I + i; }
    const float total = Reduce(s.reduce).Sum(f);
    __syncthreads();
    const float some = Reduce(s.reduce).Reduce(f[0], [](float a, float b) { return a < b ? b : a; }, 50);
    __syncthreads();
    Scan(s.scan).InclusiveSum(f, sums);
    __syncthreads();
    Running running{7};
    int prefix;
    Whole(s.whole).ExclusiveSum(v[1] & 15, prefix, running);
    __syncthreads();
    const float head = Tile(tiles[t / 8]).HeadSegmentedSum(f[2], t % 5 == 0);
    const float part = Tile(tiles[t / 8]).Sum(f[3], 5);
    unsigned char bytes[I];
    for (int i = 0; i < I; ++i) bytes[i] = v[i] & 15;
    Bins(s.bins).Histogram(bytes, bins);
    __syncthreads();
    if (t == 0) { out[0] = total; out[1] = some; }
    if (t < 16) out[2 + t] = bins[t];
    for (int i = 0; i < I; ++i) out[18 + t * I + i] = sums[i];
    out[530 + t] = prefix;
    out[658 + t] = t % 8 == 0 || t % 5 == 0 ? head : 0;
    out[786 + t] = t % 8 == 0 ? part : 0;
    Sort(s.sort).SortDescending(f, id);
    for (int i = 0; i < I; ++i) { out[914 + t * I + i] = f[i]; out[1426 + t * I + i] = id[i]; }
    __syncthreads();
    Merge(s.merge).Sort(v, [](int a, int b) { return a < b; });
    __syncthreads();
    Store(s.store).Store((int*)out + 1938, v);
}
)";

const char* const kRandom = R"(
#include <curand_kernel.h>
__global__ void k(const int*, float* out) {
    const int i = threadIdx.x;
    unsigned* whole = (unsigned*)out;
    curandState x;
    curand_init(0x123456789abcdefull, (1ull << (i % 40)) + 77777ull * i, (1ull << (i % 37)) + i, &x);
    curandStatePhilox4_32_10_t p;
    curand_init(1234ull, (1ull << (i % 50)) + 3 * i, (1ull << ((i + 10) % 60)) + i, &p);
    whole[8 * i] = curand(&x);
    whole[8 * i + 1] = curand(&p);
    out[8 * i + 2] = curand_uniform(&x);
    out[8 * i + 3] = curand_uniform4(&p).z;
    skipahead(100ull, &x);
    skipahead(5ull, &p);
    skipahead_sequence(3ull, &p);
    const double two[2] = {curand_uniform_double(&x), curand_uniform2_double(&p).y};
    out[8 * i + 4] = __double2loint(two[0]) & 0xffffff;
    out[8 * i + 5] = __double2loint(two[1]) & 0xffffff;
    whole[8 * i + 6] = curand4(&p).w;
    whole[8 * i + 7] = curand(&x) ^ curand(&p);
}
)";

const char* const kMrg = R"(
#include <curand_kernel.h>
__global__ void k(const int*, float* out) {
    const int i = threadIdx.x;
    unsigned* whole = (unsigned*)out;
    curandStateMRG32k3a m;
    curand_init(i == 0 ? 0ull : 0x9e3779b97f4a7c15ull * i, (1ull << (i % 51)) + 12345ull * i, (1ull << (i % 61)) + i, &m);
    whole[8 * i] = curand(&m);
    out[8 * i + 1] = curand_uniform(&m);
    whole[8 * i + 2] = __double2loint(curand_uniform_double(&m)) & 0xffffff;
    skipahead(1000003ull * i, &m);
    whole[8 * i + 3] = curand(&m);
    skipahead_subsequence(77ull, &m);
    whole[8 * i + 4] = curand(&m);
    skipahead_sequence(1ull << (i % 64), &m);
    whole[8 * i + 5] = curand(&m);
    out[8 * i + 6] = fabsf(curand_normal(&m)) < 7;
    out[8 * i + 7] = fabs(curand_normal_double(&m)) < 7;
}
)";

const char* const kStack = R"(
#ifdef __CUDACC_RTC__
__device__ __forceinline__ void* alloca(size_t n) // NVRTC has none, nvcc's has this instruction
{ void* p; asm volatile("alloca.u64 %0, %1, 16; cvta.local.u64 %0, %0;" : "=&l"(p) : "l"(n) : "memory"); return p; }
#endif
__device__ int sum(const int* in, int n) {
    int* own = (int*)alloca(n * sizeof(int));
    for (int j = 0; j < n; ++j) own[n - 1 - j] = in[j % 32] + j;
    int s = 0;
    for (int j = 0; j < n; ++j) s = s * 31 + own[j];
    return s;
}
__device__ __noinline__ int deep(int d, const int* in) {
    int* own = (int*)alloca(4 * (d + 1));
    for (int j = 0; j <= d; ++j) own[j] = in[j] + d;
    int s = d > 0 ? deep(d - 1, in) : 0;
    for (int j = 0; j <= d; ++j) s += own[j] * (j + 1);
    return s;
}
__global__ void k(const int* in, float* out) {
    const int i = threadIdx.x;
    const int s = sum(in, i + 1) ^ sum(in, i + 2) ^ sum(in, i + 3);
    out[2 * i] = s & 0xffffff;
    out[2 * i + 1] = deep(i % 9, in) & 0xffffff;
}
)";

const char* const kMatch = R"(
__global__ void k(const int* in, float* out) {
    const int i = threadIdx.x, s = in[i] * 7 % 5 - 2;
    int all, none;
    out[2 * i] = (__match_any_sync(~0u, in[i] % 3 == 0) ^ __match_any_sync(~0u, (short)s)) % 65521;
    const unsigned a = __match_all_sync(~0u, (char)(i / 32), &all), b = __match_all_sync(~0u, i > 3, &none);
    out[2 * i + 1] = a % 65521 + (b != 0) + 4 * none + 8 * all;
}
)";

const char* const kSmall = R"(
#include <cuda_fp8.h>
__global__ void k(const int* in, float* out) {
    const int i = threadIdx.x;
    const float v = __int_as_float(in[i]);
    out[8 * i] = __nv_fp8_e4m3(v).__x;
    out[8 * i + 1] = __nv_fp8_e5m2(v).__x;
    out[8 * i + 2] = (float)__nv_cvt_float_to_fp8(v, __NV_NOSAT, __NV_E5M2);
    __nv_fp8_e4m3 e; e.__x = i; __nv_fp8_e5m2 m; m.__x = i;
    const float a = float(e), b = float(m);
    out[8 * i + 3] = a == a ? a : -1.0f;
    out[8 * i + 4] = b == b ? b : -2.0f;
    const half h = __float2half_rz(v);
    out[8 * i + 5] = __half2int_rd(h) + __half2int_ru(h) + __hne(h, h) + 2 * __hltu(h, h);
    const __nv_bfloat16 c = __float2bfloat16_ru(v), d = __float2bfloat16_rd(v);
    out[8 * i + 6] = (float)(c > d) + 2 * (float)__hgt2_mask(__halves2bfloat162(c, d), __halves2bfloat162(d, c));
    out[8 * i + 7] = __fns(in[i], i & 31, i % 7 - 3) % 64 + __uhadd(in[i], i) % 1024 + __vimax3_s16x2(in[i], i, -i) % 1024;
}
)";

const char* const kBarriers = R"(
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>
namespace cg = cooperative_groups;
__global__ void k(const int* in, float* out) {
    using barrier = cuda::barrier<cuda::thread_scope_block>;
    __shared__ barrier bar;
    __shared__ alignas(16) int tile[2][128];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> stages;
    auto block = cg::this_thread_block();
    const int t = threadIdx.x;
    if (t == 0) init(&bar, 128);
    block.sync();
    float sum = 0;
    for (int i = 0; i < 3; ++i) {
        cuda::memcpy_async(block, tile[0], in + 128 * i, cuda::aligned_size_t<16>(512), bar);
        barrier::arrival_token token = bar.arrive();
        bar.wait(std::move(token));
        sum = 2 * sum + tile[0][127 - t] % 100;
        bar.arrive_and_wait();
    }
    auto pipe = cuda::make_pipeline(block, &stages);
    for (int i = 0, fetched = 0; i < 3; ++i) {
        for (; fetched < 3 && fetched < i + 2; ++fetched) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, tile[fetched % 2], in + 128 * fetched, 512, pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        sum = 2 * sum + tile[i % 2][(5 * t + 1) % 128] % 100;
        pipe.consumer_release();
    }
    out[t] = sum;
    block.sync(); // others may still read what is filled now
    auto own = cuda::make_pipeline();
    for (int i = 0; i < 2; ++i) {
        own.producer_acquire();
        cuda::memcpy_async(&tile[i][t], in + 128 * i + t, sizeof(int), own);
        own.producer_commit();
    }
    cuda::pipeline_consumer_wait_prior<1>(own);
    out[128 + t] = tile[0][t];
    own.consumer_wait();
    own.consumer_wait();
    out[256 + t] = tile[1][t];
}
)";

} // namespace

class TestKernelHeaders : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        if (!has("clang"))
            QSKIP("no clang here");
    }

    /// Both headers' kernels run on the same simulator: every bit, and no detector has a word to say.
    void sameBitsAsNvidiasHeaders_data()
    {
        QTest::addColumn<QString>("source");
        QTest::addColumn<int>("threads");
        QTest::addColumn<int>("count");
        QTest::newRow("cub") << QString::fromUtf8(kCub) << 128 << 2450;
        QTest::newRow("curand") << QString::fromUtf8(kRandom) << 64 << 512;
        QTest::newRow("mrg32k3a") << QString::fromUtf8(kMrg) << 64 << 512;
        QTest::newRow("match of short types") << QString::fromUtf8(kMatch) << 64 << 128;
        QTest::newRow("alloca") << QString::fromUtf8(kStack) << 64 << 128;
        QTest::newRow("small floats") << QString::fromUtf8(kSmall) << 256 << 2048;
        QTest::newRow("barriers and pipelines") << QString::fromUtf8(kBarriers) << 128 << 384;
    }
    void sameBitsAsNvidiasHeaders()
    {
        QFETCH(QString, source);
        QFETCH(int, threads);
        QFETCH(int, count);
        const auto lanes = static_cast<std::uint64_t>(threads), values = static_cast<std::uint64_t>(count);
        const Answer own = run("clang", source.toStdString(), lanes, values);
        QVERIFY2(own.why.empty(), own.why.c_str());
        QCOMPARE(own.codes, std::string());
        QCOMPARE(own.out.size(), std::size_t(values));
        if (!has("nvrtc"))
            QSKIP("no NVRTC here to compare with");
        const Answer theirs = run("nvrtc", source.toStdString(), lanes, values);
        if (theirs.out.empty() && theirs.why.find("cannot open source file") != std::string::npos)
            QSKIP("NVRTC is here without the headers");
        QVERIFY2(theirs.why.empty(), theirs.why.c_str());
        for (std::size_t at = 0; at < own.out.size(); ++at)
            QVERIFY2(bitsOf(own.out[at]) == bitsOf(theirs.out[at]),
                     qPrintable(QStringLiteral("value %1: %2, not %3").arg(at).arg(own.out[at]).arg(theirs.out[at])));
    }

    /// Philox of a zero counter and a zero key as its authors publish it (Random123's kat_vectors); XORWOW as NVIDIA's
    /// header of toolkit 13.0 gives it on this simulator; MRG32k3a's first number as L'Ecuyer's RngStreams gives it,
    /// 0.127011122046577 (divided by the prime plus 1, cuRAND's by the prime).
    void randomNumbersOnRecord()
    {
        const Answer got = run("clang", R"(
#include <curand_kernel.h>
__global__ void k(const int*, float* out) {
    unsigned* whole = (unsigned*)out;
    curandStatePhilox4_32_10_t p;
    curand_init(0, 0, 0, &p);
    for (int i = 0; i < 4; ++i) whole[i] = curand(&p);
    curandState x;
    curand_init(1234, 0, 0, &x);
    whole[4] = curand(&x);
    curand_init(1234, 5, 10, &x);
    whole[5] = curand(&x);
    out[6] = curand_uniform(&x);
    curandStateMRG32k3a m;
    curand_init(0, 0, 0, &m);
    out[7] = curand_uniform(&m);
    whole[8] = curand(&m);
}
)",
                               1, 9);
        const std::vector<std::uint32_t> expected{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8, 0x253d5e15,
                                                  0x45ebfbe1, 0x3e2470ad, 0x3e020f34, 0x518b05c4};
        QCOMPARE(got.out.size(), expected.size());
        for (std::size_t at = 0; at < expected.size(); ++at)
            QCOMPARE(bitsOf(got.out[at]), expected[at]);
    }

    void cubSortsAndCounts()
    {
        const Answer got = run("clang", kCub, 128, 2450, "iota");
        QCOMPARE(got.out.size(), std::size_t{2450});
        const auto value = [](std::size_t at) { return at < 509 ? at : 5; }; // three stand for what lies past the end
        QCOMPARE(got.out[1], static_cast<float>(196) * 0.37f);               // the largest of threads 0 … 49
        for (std::size_t bin = 0; bin < 16; ++bin) {
            std::size_t count = 0;
            for (std::size_t at = 0; at < 512; ++at)
                count += value(at) % 16 == bin ? 1 : 0;
            QCOMPARE(got.out[2 + bin], static_cast<float>(count));
        }
        std::size_t before = 7;
        for (std::size_t thread = 0; thread < 128; ++thread) {
            QCOMPARE(got.out[530 + thread], static_cast<float>(before));
            before += value(4 * thread + 1) % 16;
        }
        QVERIFY(std::is_sorted(got.out.begin() + 914, got.out.begin() + 1426, std::greater<>()));
        std::vector<std::uint32_t> sorted;
        for (std::size_t at = 1938; at < 2450; ++at)
            sorted.push_back(bitsOf(got.out[at]));
        QVERIFY(std::is_sorted(sorted.begin(), sorted.end()));
        QCOMPARE(sorted.back(), 508u);
    }

    void erfcIsExactInItsTail()
    {
        const Answer got =
            run("clang",
                "__global__ void k(const int* in, float* out) { const float x = in[threadIdx.x] * 0.03f;"
                " out[threadIdx.x] = erfcf(x); out[256 + threadIdx.x] = erfinvf(x * 0.13f);"
                " out[512 + threadIdx.x] = sinpif(x); out[768 + threadIdx.x] = sinpif(in[threadIdx.x]); }",
                256, 1024, "iota");
        QCOMPARE(got.out.size(), std::size_t{1024});
        for (std::size_t at = 0; at < 256; ++at) {
            const double x = static_cast<float>(at) * 0.03f;
            QVERIFY2(std::fabs(got.out[at] / std::erfc(x) - 1) < 2e-7, qPrintable(QString::number(x)));
            const double y = got.out[256 + at];
            QVERIFY2(std::fabs(std::erf(y) - static_cast<float>(x) * 0.13f) < 1e-7, qPrintable(QString::number(x)));
            QVERIFY2(std::fabs(got.out[512 + at] - std::sin(M_PI * std::fmod(x, 2.0))) < 2e-7,
                     qPrintable(QString::number(x)));
            QCOMPARE(got.out[768 + at], 0.0f);
        }
    }

    /// One percent sign before a special register, as nvcc takes it; two, and operands, stay what they are.
    void specialRegistersWithOnePercentSign()
    {
        const Answer got = run("clang", R"(
__global__ void k(const int*, float* out) {
    unsigned lane, other, below;
    asm("mov.u32 %0, %laneid;" : "=r"(lane));
    asm volatile("{ .reg .u32 t; mov.u32 t, %%laneid; add.u32 %0, t, %1; }" : "=r"(other) : "r"(lane));
    asm("mov.u32 %0, %lanemask_lt;\n\t"
        "popc.b32 %0, %0;" : "=r"(below));
    out[threadIdx.x] = lane + 100 * other + 10000 * below;
}
)",
                               32, 32);
        QCOMPARE(got.out.size(), std::size_t{32});
        for (std::size_t at = 0; at < 32; ++at)
            QCOMPARE(got.out[at], static_cast<float>(at + 200 * at + 10000 * at));
    }

    void piecesOfTheLibrary()
    {
        const Answer got = run("clang", R"(
#include <cuComplex.h>
#include <cuda/functional>
#include <cuda/std/bit>
#include <cuda/std/complex>
#include <cuda/std/optional>
#include <cuda/std/span>
__device__ cuda::std::optional<int> half(int v) { if (v & 1) return cuda::std::nullopt; return v / 2; }
__managed__ int shared = 3;
__global__ void k(const int*, float* out) {
    const int t = threadIdx.x;
    const cuda::std::span<float> all(out, 32);
    cuda::std::complex<float> z(t, 1);
    z *= z;
    const cuComplex w = cuCmulf(make_cuComplex(t, 1), make_cuComplex(2, 3));
    all[t] = half(t).value_or(-1) + 100 * cuda::std::bit_width((unsigned)t) + z.real() + z.imag() + cuCrealf(w) +
             cuda::maximum<>{}(t, 7) + shared;
}
)",
                               32, 32);
        QCOMPARE(got.out.size(), std::size_t{32});
        for (int t = 0; t < 32; ++t) {
            int width = 0;
            for (int left = t; left != 0; left /= 2)
                ++width;
            const int sum =
                ((t & 1) != 0 ? -1 : t / 2) + 100 * width + t * t - 1 + 2 * t + 2 * t - 3 + std::max(t, 7) + 3;
            QCOMPARE(got.out[static_cast<std::size_t>(t)], static_cast<float>(sum));
        }
    }

    void whatIsMissingIsNamed_data()
    {
        QTest::addColumn<QString>("source");
        QTest::addColumn<QString>("says");
        QTest::newRow("header") << QStringLiteral("#include <cufft.hpp>\n__global__ void k(const int*, float*) {}")
                                << QStringLiteral("own headers, and this one is not among them");
        QTest::newRow("part of one") << QStringLiteral("#include <cub/cub.cuh>\n__global__ void k(const int*, float*) "
                                                       "{ cub::BlockTopK<int> x; }")
                                     << QStringLiteral("have a part of this one");
        QTest::newRow("generator") << QStringLiteral(
                                          "#include <curand_kernel.h>\n__global__ void k(const int*, float*) "
                                          "{ curandStateMtgp32 s; }")
                                   << QStringLiteral("have a part of this one");
        QTest::newRow("launch") << QStringLiteral("__global__ void c() {}\n__global__ void k(const int*, float*) "
                                                  "{ c<<<1, 1>>>(); }")
                                << QStringLiteral("dynamic parallelism, line 2");
        QTest::newRow("texture") << QStringLiteral(
                                        "__global__ void k(const int*, float* out) { cudaTextureObject_t t = 1;"
                                        " out[0] = tex2D<float>(t, 0.5f, 1.0f); }")
                                 << QStringLiteral("textures and surfaces are not simulated");
    }
    void whatIsMissingIsNamed()
    {
        QFETCH(QString, source);
        QFETCH(QString, says);
        const Answer got = run("clang", source.toStdString(), 32, 32);
        QVERIFY2((got.why + " " + got.fix).find(says.toStdString()) != std::string::npos,
                 (got.why + " " + got.fix).c_str());
    }
};

QTEST_GUILESS_MAIN(TestKernelHeaders)
#include "tst_kernel_headers.moc"
