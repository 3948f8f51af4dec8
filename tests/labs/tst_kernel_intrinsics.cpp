// SPDX-License-Identifier: GPL-3.0-or-later
// Functions of clang's own headers that once differed from CUDA's without a word, or were not there: conversions that
// round once, unsigned dot products, words of halves and bytes, matrices of small elements. Held against closed forms,
// and against NVIDIA's headers where they are here.
#include "own_kernel.h"

#include <QtTest>

using namespace ridge;
using namespace ridge::test;

namespace {

const char* const kRounding = R"(
#include <cuda_bf16.h>
#include <cuda_fp16.h>
__global__ void k(const int*, float* out) {
    const double past = 1.0 / (1ll << 40);
    out[0] = __half2float(__double2half(1.0 + 1.0 / 2048 + past));
    out[1] = __half2float(__half(1.0 + 3.0 / 2048 - past));
    out[2] = __bfloat162float(__double2bfloat16(1.0 + 1.0 / 256 + past));
    out[3] = __bfloat162float(__nv_bfloat16(-1.0 - 3.0 / 256 + past));
    out[4] = __bfloat162float(__int2bfloat16_rn((1 << 30) + (1 << 22) + 1));
    out[5] = __bfloat162float(__uint2bfloat16_rn((3u << 30) + (1u << 23) + 1));
    out[6] = __bfloat162float(__ll2bfloat16_rn(-(1ll << 54) - (1ll << 46) - 1));
    out[7] = __bfloat162float(__ull2bfloat16_rn((1ull << 63) + (1ull << 55) + 1));
    out[8] = __bfloat162float(__ll2bfloat16_ru((1ll << 54) + 1));
    out[9] = __bfloat162float(__ll2bfloat16_rd(-(1ll << 54) - 1));
    out[10] = __bfloat162float(__int2bfloat16_rz((1 << 30) + (1 << 23) - 1));
    out[11] = __int2float_rz(0x7fffffff);
    out[12] = __uint2float_rz(0xffffffffu);
    const __nv_bfloat16 a(0.75f), b(-0.5f);
    out[13] = __bfloat162float(__hmul_rn(a, b));
    out[14] = __bfloat162float(__hadd_sat(a, a));
    out[15] = __bfloat162float(__hfma_relu(a, b, b));
}
)";

const char* const kWords = R"(
#include <cuda_fp16.h>
__global__ void k(const int* in, float* values) {
    unsigned* out = (unsigned*)values + 24 * threadIdx.x;
    const unsigned a = in[threadIdx.x], b = in[64 + threadIdx.x], c = in[128 + threadIdx.x];
    const uchar4 x = make_uchar4(a, a >> 8, a >> 16, a >> 24), y = make_uchar4(b, b >> 8, b >> 16, b >> 24);
    const ushort2 h = make_ushort2(a, a >> 16);
    out[0] = __dp2a_lo(a, b, c);
    out[1] = __dp2a_hi(a, b, c);
    out[2] = __dp2a_lo((int)a, (int)b, (int)c);
    out[3] = __dp2a_hi(h, y, c);
    out[4] = __dp4a(x, y, c);
    out[5] = __dp2a_lo(make_short2(a, a >> 16), make_char4(b, b >> 8, b >> 16, b >> 24), (int)c);
    out[6] = __vabsss2(a) ^ __vnegss4(b);
    out[7] = __vabsss4(0x8000ff80u) ^ __vnegss2(0x80000001u);
    out[8] = __vsetges2(a, b) + 2 * __vsetleu2(a, b);
    out[9] = __vsetgeu4(a, b) + 2 * __vsetles4(a, b);
    bool high, low;
    out[10] = __vibmax_s16x2(a, b, &high, &low);
    out[11] = high + 2 * low;
    out[12] = __vibmin_u16x2(a, b, &high, &low);
    out[13] = high + 2 * low;
    out[14] = __vimin3_s16x2_relu(a, b, c);
    out[15] = __hadd((int)a, (int)b);
    const __half2 p = __floats2half2_rn((float)(a & 3), __uint_as_float(0x7fc00000u)), q = __float2half2_rn(1.0f);
    out[16] = __hequ2_mask(p, q);
    out[17] = __hneu2_mask(p, q) + __hbneu2(p, q) + 2 * __hbequ2(p, q);
    out[18] = __low2float(__hequ2(p, q)) + 2 * __high2float(__hneu2(p, q));
    out[19] = __vadd2(a, b);
    out[20] = __vmaxs2(a, b) ^ __vminu2(a, b);
    int local = a;
    out[21] = (int*)__cvta_local_to_generic(__cvta_generic_to_local(&local)) == &local;
}
)";

const char* const kMatrices = R"(
#include <mma.h>
using namespace nvcuda::wmma;
__global__ void k(const int* in, float* values) {
    int* out = (int*)values;
    fragment<matrix_a, 8, 32, 16, signed char, row_major> a;
    fragment<matrix_b, 8, 32, 16, signed char, col_major> b;
    fragment<accumulator, 8, 32, 16, int> c;
    fill_fragment(c, 0x7fffff00);
    load_matrix_sync(a, (const signed char*)in, 16);
    load_matrix_sync(b, (const signed char*)in + 128, 16);
    mma_sync(c, a, b, c, true);
    store_matrix_sync(out, c, 32, mem_row_major);
    fragment<matrix_a, 8, 8, 32, experimental::precision::s4, row_major> small;
    fragment<matrix_b, 8, 8, 32, experimental::precision::s4, col_major> other;
    fragment<accumulator, 8, 8, 32, int> sums;
    fill_fragment(sums, 5);
    load_matrix_sync(small, in, 32);
    load_matrix_sync(other, in + 32, 32);
    mma_sync(sums, small, other, sums);
    store_matrix_sync(out + 256, sums, 8, mem_row_major);
    fragment<matrix_a, 8, 8, 128, experimental::precision::b1, row_major> bits;
    fragment<matrix_b, 8, 8, 128, experimental::precision::b1, col_major> more;
    fragment<accumulator, 8, 8, 128, int> counts;
    fill_fragment(counts, 0);
    load_matrix_sync(bits, in, 128);
    load_matrix_sync(more, in + 32, 128);
    bmma_sync(counts, bits, more, counts);
    store_matrix_sync(out + 320, counts, 8, mem_row_major);
    bmma_sync(counts, bits, more, counts, experimental::bmmaBitOpAND);
    store_matrix_sync(out + 384, counts, 8, mem_row_major);
}
)";

std::int32_t wordOf(float value)
{
    return static_cast<std::int32_t>(bitsOf(value));
}

/// What the runs are given: rand(5), as docs/kernels.md defines it.
std::vector<std::uint32_t> inputs()
{
    std::vector<std::uint32_t> words(512);
    for (std::size_t at = 0; at < words.size(); ++at) {
        std::uint64_t z = 5 + (at + 1) * 0x9e3779b97f4a7c15ull;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
        words[at] = static_cast<std::uint32_t>((z ^ (z >> 31)) >> 32);
    }
    return words;
}

} // namespace

class TestKernelIntrinsics : public QObject {
    Q_OBJECT

    static void compare(const char* source, std::uint64_t threads, std::uint64_t count, Answer& own)
    {
        own = run("clang", source, threads, count);
        QVERIFY2(own.why.empty(), own.why.c_str());
        QCOMPARE(own.codes, std::string());
        QCOMPARE(own.out.size(), std::size_t(count));
        if (!has("nvrtc"))
            return;
        const Answer theirs = run("nvrtc", source, threads, count);
        if (theirs.out.empty() && theirs.why.find("cannot open source file") != std::string::npos)
            return; // NVRTC without the toolkit's headers
        QVERIFY2(theirs.why.empty(), theirs.why.c_str());
        for (std::size_t at = 0; at < count; ++at)
            QVERIFY2(bitsOf(own.out[at]) == bitsOf(theirs.out[at]),
                     qPrintable(QStringLiteral("value %1: %2, not %3")
                                    .arg(at)
                                    .arg(bitsOf(own.out[at]), 0, 16)
                                    .arg(bitsOf(theirs.out[at]), 0, 16)));
    }

private Q_SLOTS:
    void initTestCase()
    {
        if (!has("clang"))
            QSKIP("no clang here");
    }

    void conversionsRoundOnce()
    {
        Answer got;
        compare(kRounding, 1, 16, got);
        const std::vector<float> expected{1.0f + 0x1p-10f,
                                          1.0f + 0x1p-10f,
                                          1.0f + 0x1p-7f,
                                          -1.0f - 0x1p-7f,
                                          0x1p30f + 0x1p23f,
                                          0x1.8p31f + 0x1p24f,
                                          -0x1p54f - 0x1p47f,
                                          0x1p63f + 0x1p56f,
                                          0x1p54f + 0x1p47f,
                                          -0x1p54f - 0x1p47f,
                                          0x1p30f,
                                          2147483520.0f,
                                          4294967040.0f,
                                          -0.375f,
                                          1.0f,
                                          0.0f};
        QCOMPARE(got.out, expected);
    }

    void wordsOfBytesAndHalves()
    {
        Answer got;
        compare(kWords, 64, 64 * 24, got);
        const auto in = inputs();
        for (std::size_t thread = 0; thread < 64; ++thread) {
            const std::uint32_t a = in[thread], b = in[64 + thread], c = in[128 + thread];
            const auto word = [&](std::size_t at) { return bitsOf(got.out[24 * thread + at]); };
            const auto byte = [](std::uint32_t value, unsigned at) { return value >> (8 * at) & 255; };
            const std::uint32_t low = a & 0xffff, high = a >> 16;
            QCOMPARE(word(0), low * byte(b, 0) + high * byte(b, 1) + c);
            QCOMPARE(word(1), low * byte(b, 2) + high * byte(b, 3) + c);
            QCOMPARE(word(3), word(1));
            QCOMPARE(word(4), byte(a, 0) * byte(b, 0) + byte(a, 1) * byte(b, 1) + byte(a, 2) * byte(b, 2) +
                                  byte(a, 3) * byte(b, 3) + c);
            QCOMPARE(word(7), 0x7f00017fu ^ 0x7fffffffu);
            QCOMPARE(word(15), static_cast<std::uint32_t>(
                                   (std::int64_t{static_cast<std::int32_t>(a)} + static_cast<std::int32_t>(b)) >> 1));
            QCOMPARE(word(19), ((a + b) & 0xffff) | ((a & 0xffff0000u) + (b & 0xffff0000u)));
            QCOMPARE(word(21), 1u);
        }
    }

    void matricesOfSmallElements()
    {
        Answer got;
        compare(kMatrices, 32, 448, got);
        const auto in = inputs();
        std::vector<std::int8_t> bytes(2048);
        std::memcpy(bytes.data(), in.data(), bytes.size());
        const auto four = [&](std::size_t at) {
            const int value = static_cast<int>(in[at / 8] >> (4 * (at % 8)) & 15);
            return value < 8 ? value : value - 16;
        };
        bool clamped = false;
        for (std::size_t row = 0; row < 8; ++row) {
            for (std::size_t column = 0; column < 32; ++column) {
                std::int64_t sum = 0x7fffff00;
                for (std::size_t k = 0; k < 16; ++k)
                    sum += bytes[16 * row + k] * bytes[128 + 16 * column + k];
                clamped = clamped || sum > INT32_MAX;
                QCOMPARE(wordOf(got.out[32 * row + column]),
                         static_cast<std::int32_t>(std::min<std::int64_t>(sum, INT32_MAX)));
            }
            for (std::size_t column = 0; column < 8; ++column) {
                int sum = 5, differ = 0, both = 0;
                for (std::size_t k = 0; k < 32; ++k)
                    sum += four(32 * row + k) * four(256 + 32 * column + k);
                for (std::size_t k = 0; k < 4; ++k) {
                    differ += std::popcount(in[4 * row + k] ^ in[32 + 4 * column + k]);
                    both += std::popcount(in[4 * row + k] & in[32 + 4 * column + k]);
                }
                QCOMPARE(wordOf(got.out[256 + 8 * row + column]), sum);
                QCOMPARE(wordOf(got.out[320 + 8 * row + column]), differ);
                QCOMPARE(wordOf(got.out[384 + 8 * row + column]), differ + both);
            }
        }
        QVERIFY(clamped);
    }
};

QTEST_GUILESS_MAIN(TestKernelIntrinsics)
#include "tst_kernel_intrinsics.moc"
