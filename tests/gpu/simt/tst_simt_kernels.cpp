// SPDX-License-Identifier: GPL-3.0-or-later
// Whole kernels, compiled by nvcc and by clang, against the host and against closed forms.
#include "simt_lab.h"

#include "base/hash.h"

#include <cmath>
#include <numeric>
#include <random>

using namespace ridge;
using namespace ridge::gpu;
using namespace ridge::gpu::simt;

namespace {

std::vector<float> randomFloats(std::size_t count, unsigned seed)
{
    std::mt19937 random(seed);
    std::vector<float> values(count);
    for (float& v : values)
        v = static_cast<float>(static_cast<int>(random() % 2001) - 1000) / 64.0f;
    return values;
}

void bothCompilers()
{
    QTest::addColumn<QByteArray>("ptx");
    QTest::newRow("nvcc") << QByteArray("kernels.nvcc.ptx");
    QTest::newRow("clang") << QByteArray("kernels.clang.ptx");
}

} // namespace

class TestSimtKernels : public QObject {
    Q_OBJECT

    Lab m_lab;

private Q_SLOTS:
    void init()
    {
        m_lab = Lab();
        QFETCH_GLOBAL(QByteArray, ptx);
        QVERIFY2(m_lab.load(fixture(ptx.constData())), m_lab.why());
    }
    void initTestCase_data() { bothCompilers(); }

    void vectorAdd()
    {
        const std::size_t n = 1000; // the last block is partial
        const auto a = randomFloats(n, 1);
        const auto b = randomFloats(n, 2);
        const DevicePtr c = m_lab.put(std::vector<float>(n));
        QVERIFY2(m_lab.run("vecadd", {8}, {128}, {m_lab.put(a), m_lab.put(b), c, std::int32_t(n)}), m_lab.why());
        const auto got = m_lab.get<float>(c, n);
        for (std::size_t i = 0; i < n; ++i)
            QCOMPARE(got[i], a[i] + b[i]);
        const Counters& k = m_lab.counters;
        QCOMPARE(k.globalLoadRequests, 2u * 32); // 1000 threads in 32 warps, two loads each
        QCOMPARE(k.globalStoreRequests, 32u);
        QCOMPARE(k.globalLoadBytes, 2u * 4000);
        QCOMPARE(k.globalLoadSectors, 2u * 125); // 4000 bytes in sectors of 32
        QCOMPARE(k.globalStoreLines, 32u);
        QCOMPARE(k.divergentBranches, 1u); // the warp of threads 992 to 1023
        QCOMPARE(k.barriers, 0u);
    }

    void stridedReadCountsSectors()
    {
        const DevicePtr out = m_lab.put(std::vector<float>(256));
        const DevicePtr in = m_lab.put(randomFloats(256 * 128, 3));
        for (std::int32_t stride = 1; stride <= 128; ++stride) {
            QVERIFY2(m_lab.run("strided", {2}, {128}, {in, out, stride}), m_lab.why());
            const std::uint64_t requests = m_lab.counters.globalLoadRequests;
            QCOMPARE(requests, 8u);
            // The closed form, exact where a warp's first address stays on a sector boundary: 32 * stride * 4 bytes.
            QCOMPARE(m_lab.counters.globalLoadSectors, requests * static_cast<unsigned>(std::min(32, 4 * stride)));
        }
    }

    void transposes()
    {
        const std::size_t n = 64;
        const auto in = randomFloats(n * n, 4);
        const DevicePtr from = m_lab.put(in);
        for (const char* kernel : {"transpose_naive", "transpose_tiled"}) {
            const DevicePtr to = m_lab.put(std::vector<float>(n * n));
            QVERIFY2(m_lab.run(kernel, {2, 2}, {32, 32}, {from, to, std::int32_t(n)}), m_lab.why());
            const auto got = m_lab.get<float>(to, n * n);
            for (std::size_t y = 0; y < n; ++y)
                for (std::size_t x = 0; x < n; ++x)
                    QCOMPARE(got[x * n + y], in[y * n + x]);
            const bool tiled = kernel[10] == 't';
            const std::uint64_t perRequest = m_lab.counters.globalStoreSectors / m_lab.counters.globalStoreRequests;
            QCOMPARE(perRequest, tiled ? 4u : 32u);
            QCOMPARE(m_lab.counters.sharedLoadWavefronts, m_lab.counters.sharedLoadMinimumWavefronts);
            QCOMPARE(m_lab.counters.barriers, tiled ? 4u * 32 : 0u);
        }
    }

    void reductionWithShuffles()
    {
        const std::size_t n = 500;
        std::vector<float> in(n);
        std::iota(in.begin(), in.end(), 1.0f);
        const DevicePtr out = m_lab.put(std::vector<float>(2));
        QVERIFY2(m_lab.run("reduce_sum", {2}, {256}, {m_lab.put(in), out, std::int32_t(n)}), m_lab.why());
        const auto got = m_lab.get<float>(out, 2);
        QCOMPARE(got[0] + got[1], 500.0f * 501 / 2);
    }

    void divergentLoopsMeetAgain()
    {
        std::vector<std::int32_t> in(64);
        std::iota(in.begin(), in.end(), 1);
        const DevicePtr out = m_lab.put(std::vector<std::int32_t>(64));
        QVERIFY2(m_lab.run("divergent", {1}, {64}, {m_lab.put(in), out}), m_lab.why());
        const auto got = m_lab.get<std::int32_t>(out, 64);
        for (int i = 0; i < 64; ++i) {
            int steps = 0;
            for (int v = i + 1; v != 1; ++steps)
                v = v % 2 != 0 ? 3 * v + 1 : v / 2;
            QCOMPARE(got[static_cast<std::size_t>(i)], steps);
        }
        // Lanes that are done wait for the longest: one store for each of the two warps.
        QCOMPARE(m_lab.counters.globalStoreRequests, 2u);
    }

    void spinLockWithinAWarpEnds()
    {
        const DevicePtr lock = m_lab.put(std::vector<std::int32_t>{0});
        const DevicePtr counter = m_lab.put(std::vector<std::int32_t>{0});
        QVERIFY2(m_lab.run("spin_lock", {3}, {64}, {lock, counter}), m_lab.why());
        QCOMPARE(m_lab.get<std::int32_t>(counter, 1)[0], 3 * 64);
        QCOMPARE(m_lab.get<std::int32_t>(lock, 1)[0], 0);
    }

    void histogramByAtomics()
    {
        std::mt19937 random(5);
        std::vector<std::uint8_t> in(1000);
        std::vector<std::int32_t> expected(256);
        for (auto& v : in) {
            v = static_cast<std::uint8_t>(random() % 40);
            ++expected[v];
        }
        const DevicePtr bins = m_lab.put(std::vector<std::int32_t>(256));
        QVERIFY2(m_lab.run("histogram", {4}, {256}, {m_lab.put(in), bins, std::int32_t{1000}}), m_lab.why());
        QCOMPARE(m_lab.get<std::int32_t>(bins, 256), expected);
    }

    void matrixProducts()
    {
        const std::size_t n = 48;
        const auto a = randomFloats(n * n, 6);
        const auto b = randomFloats(n * n, 7);
        for (const char* kernel : {"matmul", "matmul_tiled"}) {
            const DevicePtr c = m_lab.put(std::vector<float>(n * n));
            QVERIFY2(m_lab.run(kernel, {3, 3}, {16, 16}, {m_lab.put(a), m_lab.put(b), c, std::int32_t(n)}),
                     m_lab.why());
            const auto got = m_lab.get<float>(c, n * n);
            for (std::size_t y = 0; y < n; ++y) {
                for (std::size_t x = 0; x < n; ++x) {
                    float sum = 0;
                    for (std::size_t k = 0; k < n; ++k)
                        sum = std::fma(a[y * n + k], b[k * n + x], sum);
                    QCOMPARE(got[y * n + x], sum);
                }
            }
        }
    }

    void fusedLoopIsFused()
    {
        const DevicePtr out = m_lab.put(std::vector<float>(64));
        QVERIFY2(m_lab.run("fma_loop", {1}, {64}, {out, std::int32_t{257}}), m_lab.why());
        const auto got = m_lab.get<float>(out, 64);
        for (std::size_t i = 0; i < got.size(); ++i) {
            float v = static_cast<float>(i) * 0.5f;
            for (int k = 0; k < 257; ++k)
                v = std::fma(v, 0.999f, 1.25f);
            QCOMPARE(got[i], v);
        }
    }

    void longArithmetic()
    {
        std::mt19937_64 random(8);
        const std::size_t n = 256;
        std::vector<std::int64_t> a(n);
        std::vector<std::int64_t> b(n);
        for (std::size_t i = 0; i < n; ++i) {
            a[i] = static_cast<std::int64_t>(random() >> (i % 50));
            b[i] = static_cast<std::int64_t>(random() >> (i % 61)) * (i % 3 == 0 ? -1 : 1);
        }
        a[0] = INT64_MIN;
        b[1] = 0;
        const DevicePtr out = m_lab.put(std::vector<std::int64_t>(n * 8));
        QVERIFY2(m_lab.run("long_math", {2}, {128}, {m_lab.put(a), m_lab.put(b), out, std::int32_t(n)}), m_lab.why());
        const auto got = m_lab.get<std::int64_t>(out, n * 8);
        for (std::size_t i = 0; i < n; ++i) {
            const auto x = a[i];
            const auto y = b[i];
            const auto ux = static_cast<std::uint64_t>(x);
            const auto uy = static_cast<std::uint64_t>(y);
            QCOMPARE(got[i * 8], static_cast<std::int64_t>(ux * uy + (ux ^ uy)));
            if (y != -1)
                QCOMPARE(got[i * 8 + 1], y != 0 ? x / y : 0);
            QCOMPARE(got[i * 8 + 2], y != 0 ? static_cast<std::int64_t>(ux % uy) : 0);
            QCOMPARE(got[i * 8 + 3], static_cast<std::int64_t>(ux << (y & 63)) | (x >> (uy & 31)));
            QCOMPARE(got[i * 8 + 4], std::min(x, y));
            QCOMPARE(got[i * 8 + 5], ux > uy ? 1 : 0);
            if (std::abs(static_cast<double>(x)) < 9.2e18)
                QCOMPARE(got[i * 8 + 6], static_cast<std::int64_t>(static_cast<double>(x)));
            const auto product =
                static_cast<std::uint64_t>(static_cast<std::int16_t>(x) * static_cast<std::uint8_t>(y));
            QCOMPARE(got[i * 8 + 7], static_cast<std::int64_t>(product - (ux & ~uy)));
        }
    }

    void bankConflictsAreGcd()
    {
        const DevicePtr out = m_lab.put(std::vector<float>(32));
        std::uint64_t fixed = 0;
        for (std::int32_t stride = 1; stride <= 33; ++stride) {
            QVERIFY2(m_lab.run("bank_stride", {1}, {32}, {out, stride}), m_lab.why());
            QCOMPARE(m_lab.get<float>(out, 32)[3], 3.0f * static_cast<float>(stride));
            QCOMPARE(m_lab.counters.sharedLoadRequests, 1u);
            QCOMPARE(m_lab.counters.sharedLoadWavefronts, static_cast<std::uint64_t>(std::gcd(stride, 32)));
            QCOMPARE(m_lab.counters.sharedLoadMinimumWavefronts, 1u);
            fixed += m_lab.counters.sharedStoreWavefronts - m_lab.counters.sharedStoreMinimumWavefronts;
        }
        QCOMPARE(fixed, 0u);
    }

    void calledFunctions()
    {
        std::vector<std::int32_t> in(32);
        std::iota(in.begin(), in.end(), 0);
        const DevicePtr out = m_lab.put(std::vector<std::int32_t>(32));
        QVERIFY2(m_lab.run("calls", {1}, {32}, {m_lab.put(in), out}), m_lab.why());
        for (int i = 0; i < 32; ++i) {
            int v = i;
            for (int k = 0; k < 3; ++k)
                v = v % 2 != 0 ? 3 * v + 1 : v / 2;
            QCOMPARE(m_lab.get<std::int32_t>(out, 32)[static_cast<std::size_t>(i)], v);
        }
    }

    void switches()
    {
        std::vector<std::int32_t> in(32);
        std::iota(in.begin(), in.end(), -2);
        const DevicePtr out = m_lab.put(std::vector<std::int32_t>(32));
        QVERIFY2(m_lab.run("switched", {1}, {32}, {m_lab.put(in), out}), m_lab.why());
        const std::vector<std::int32_t> cases{1000, 1000, 11, 12, 2 ^ 0x55, -97, 128, 25, -6, 1000};
        const auto got = m_lab.get<std::int32_t>(out, 32);
        for (std::size_t i = 0; i < 32; ++i)
            QCOMPARE(got[i], i < cases.size() ? cases[i] : 1000);
    }

    void constantsAndVariables()
    {
        const DevicePtr out = m_lab.put(std::vector<float>(32));
        QVERIFY2(m_lab.run("constants", {1}, {32}, {out}), m_lab.why());
        const std::array<float, 4> table{0.25f, -1.5f, 3.0f, 8.0f};
        const auto got = m_lab.get<float>(out, 32);
        for (unsigned i = 0; i < 32; ++i)
            QCOMPARE(got[i], table[(i + (i & 3)) & 3] + static_cast<float>(i & 3) + 5.0f);
    }

    void sameInputSameBits()
    {
        std::string first;
        for (int round = 0; round < 2; ++round) {
            Lab lab;
            QFETCH_GLOBAL(QByteArray, ptx);
            QVERIFY2(lab.load(fixture(ptx.constData())), lab.why());
            const DevicePtr counter = lab.put(std::vector<std::int32_t>{0});
            QVERIFY2(lab.run("spin_lock", {2}, {96}, {lab.put(std::vector<std::int32_t>{0}), counter}, 0, {500}),
                     lab.why());
            const auto spin = lab.counters;
            std::string bytes = encodeTrace(lab.trace);
            const DevicePtr c = lab.put(std::vector<float>(48 * 48));
            QVERIFY2(
                lab.run("matmul_tiled", {3, 3}, {16, 16},
                        {lab.put(randomFloats(48 * 48, 9)), lab.put(randomFloats(48 * 48, 10)), c, std::int32_t{48}}, 0,
                        {1000}),
                lab.why());
            bytes += encodeTrace(lab.trace);
            for (const Counters& k : {spin, lab.counters}) {
                for (const std::uint64_t v : {k.instExecuted, k.threadInstExecuted, k.globalLoadSectors,
                                              k.sharedLoadWavefronts, k.divergentBranches})
                    bytes += std::to_string(v) + ",";
            }
            const auto result = lab.get<float>(c, 48 * 48);
            bytes.append(reinterpret_cast<const char*>(result.data()), result.size() * sizeof(float));
            const std::string hash = sha256Hex(bytes);
            if (round == 0)
                first = hash;
            QCOMPARE(hash, first);
        }
    }
};

QTEST_APPLESS_MAIN(TestSimtKernels)
#include "tst_simt_kernels.moc"
