// SPDX-License-Identifier: GPL-3.0-or-later
// What nvcc makes of the CUDA headers: vector loads, math functions, votes, half precision, tiles of several warps.
#include "simt_lab.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace ridge;
using namespace ridge::gpu;
using namespace ridge::gpu::simt;

class TestSimtLibrary : public QObject {
    Q_OBJECT

    Lab m_lab;

private Q_SLOTS:
    void init()
    {
        m_lab = Lab();
        QVERIFY2(m_lab.load(fixture("nvcc_only.nvcc.ptx")), m_lab.why());
    }

    void vectorLoads()
    {
        std::vector<float> in(128);
        for (std::size_t i = 0; i < in.size(); ++i)
            in[i] = static_cast<float>(i);
        const DevicePtr out = m_lab.put(std::vector<float>(128));
        QVERIFY2(m_lab.run("copy4", {1}, {32}, {m_lab.put(in), out}, 0, {10}), m_lab.why());
        QCOMPARE(m_lab.get<float>(out, 128), in);
        QCOMPARE(m_lab.counters.globalLoadRequests, 1u);
        QCOMPARE(m_lab.counters.globalLoadSectors, 16u);
        QCOMPARE(m_lab.counters.globalLoadLines, 4u);
        QCOMPARE(m_lab.counters.globalLoadBytes, 512u);
        QCOMPARE(m_lab.trace.requests.size(), 2u);
        QCOMPARE(int(m_lab.trace.requests[0].accessBytes), 16);
    }

    void mathFunctions()
    {
        std::vector<float> in;
        for (int i = -40; i < 40; ++i)
            in.push_back(static_cast<float>(i) * 0.37f + 0.05f);
        in.push_back(1e6f); // the slow path of sinf, with local memory
        const std::size_t n = in.size();
        const DevicePtr out = m_lab.put(std::vector<float>(n * 8));
        QVERIFY2(m_lab.run("special", {1}, {128}, {m_lab.put(in), out, std::int32_t(n)}), m_lab.why());
        const auto got = m_lab.get<float>(out, n * 8);
        for (std::size_t i = 0; i < n; ++i) {
            const double v = in[i];
            const double onePlus = std::fabs(in[i]) + 1.0f; // rounded as the kernel rounds it
            const std::array<double, 8> expected{std::exp(v),
                                                 std::log(onePlus),
                                                 std::sin(v),
                                                 std::sqrt(std::fabs(v)),
                                                 1 / v,
                                                 std::tanh(v),
                                                 1 / std::sqrt(onePlus),
                                                 std::floor(v) + std::nearbyint(std::sin(v) * 1000)};
            for (std::size_t f = 0; f < 8; ++f) {
                const double x = got[i * 8 + f];
                const double e = static_cast<float>(expected[f]);
                const bool close = x == e || std::fabs(x - e) <= 4e-7 * std::max(1e-3, std::fabs(e));
                QVERIFY2(close,
                         qPrintable(QStringLiteral("function %1 of %2: %3, expected %4").arg(f).arg(v).arg(x).arg(e)));
            }
        }
    }

    void votesAndMatches()
    {
        std::vector<std::int32_t> in(64);
        for (std::size_t i = 0; i < 64; ++i)
            in[i] = static_cast<std::int32_t>(i % 8);
        in[40] = -1;
        const DevicePtr out = m_lab.put(std::vector<std::uint32_t>(256));
        QVERIFY2(m_lab.run("votes", {1}, {64}, {m_lab.put(in), out}), m_lab.why());
        const auto got = m_lab.get<std::uint32_t>(out, 256);
        for (std::size_t i = 0; i < 64; ++i) {
            std::uint32_t ballot = 0;
            std::uint32_t same = 0;
            std::int32_t sum = 0;
            for (std::size_t other = i / 32 * 32; other < i / 32 * 32 + 32; ++other) {
                ballot |= in[other] > 3 ? 1u << (other % 32) : 0u;
                same |= in[other] == in[i] ? 1u << (other % 32) : 0u;
                sum += in[other];
            }
            QCOMPARE(got[i * 4], ballot);
            QCOMPARE(got[i * 4 + 1], same);
            QCOMPARE(got[i * 4 + 2], static_cast<std::uint32_t>(sum));
            // 32 of 64 threads exceed 3; lane 40 of the second warp, once 0, is negative.
            QCOMPARE(got[i * 4 + 3], i < 32 ? 132u : 32u);
        }
    }

    /// Sums over 64 threads, the largest of 128 and running sums, in order and watched.
    void tilesOfSeveralWarps()
    {
        std::vector<int> in(256), expected(768);
        for (std::size_t i = 0; i < in.size(); ++i)
            in[i] = static_cast<int>(i * 37 % 101) - 20;
        for (std::size_t i = 0; i < in.size(); ++i) {
            const auto two = in.begin() + static_cast<std::ptrdiff_t>(i / 64 * 64);
            const auto four = in.begin() + static_cast<std::ptrdiff_t>(i / 128 * 128);
            expected[i] = std::accumulate(two, two + 64, 0);
            expected[256 + i] = *std::max_element(four, four + 128);
            expected[512 + i] = std::accumulate(two, in.begin() + static_cast<std::ptrdiff_t>(i + 1), 0);
        }
        for (const bool watched : {false, true}) {
            const DevicePtr out = m_lab.put(std::vector<int>(expected.size()));
            LaunchOptions options;
            options.check = watched;
            QVERIFY2(m_lab.run("wide_tiles", {2}, {256}, {m_lab.put(in), out}, 0, options), m_lab.why());
            QCOMPARE(m_lab.get<int>(out, expected.size()), expected);
            QVERIFY(m_lab.reports.empty());
        }
    }

    void halfPrecision()
    {
        std::vector<float> in{1.0f, 0.5f, 3.0f, -2.25f, 100.0f, 0.1f, 60000.0f, 0.0f};
        in.resize(32, 1.5f);
        const DevicePtr out = m_lab.put(std::vector<float>(32));
        QVERIFY2(m_lab.run("halves", {1}, {32}, {m_lab.put(in), out}), m_lab.why());
        const auto got = m_lab.get<float>(out, 32);
        QCOMPARE(got[0], 2.0f + 0.75f);
        QCOMPARE(got[3], (2.25f * 2.25f - 2.25f) + (1.125f * 1.125f - 1.125f));
        QVERIFY(std::isinf(got[6]));
        QCOMPARE(got[7], 0.0f);
        QVERIFY(std::fabs(got[5] - (0.01f + 0.1f + 0.0025f + 0.05f)) < 2e-4f);
    }
};

QTEST_APPLESS_MAIN(TestSimtLibrary)
#include "tst_simt_library.moc"
