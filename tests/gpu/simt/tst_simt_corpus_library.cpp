// SPDX-License-Identifier: GPL-3.0-or-later
// Kernels as libraries write them: calls, atomics, warp functions, integers of 128 bits, groups, heap, assertions.
#include "corpus_lab.h"

using namespace ridge;
using namespace ridge::gpu;
using namespace ridge::gpu::simt;

class TestSimtCorpusLibrary : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void calls_data() { variants(); }
    void calls()
    {
        Lab lab;
        QVERIFY2(load(lab, "library"), lab.why());
        const DevicePtr out = lab.put(std::vector<int>(64));
        QVERIFY2(lab.run("recursion", {1}, {64}, {out}), lab.why());
        auto got = lab.get<int>(out, 64);
        const std::array<int, 12> fibonacci{0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89};
        for (std::size_t i = 0; i < 64; ++i)
            QCOMPARE(got[i], fibonacci[i % 12]);

        std::vector<int> which(64);
        for (std::size_t i = 0; i < 64; ++i)
            which[i] = static_cast<int>(i % 3);
        QVERIFY2(lab.run("function_pointers", {1}, {64}, {lab.put(which), out}), lab.why());
        got = lab.get<int>(out, 64);
        for (int i = 0; i < 64; ++i)
            QCOMPARE(got[static_cast<std::size_t>(i)], i % 3 == 0 ? i + 7 : i % 3 == 1 ? i - 7 : i * 7);

        const DevicePtr areas = lab.put(std::vector<float>(32));
        QVERIFY2(lab.run("virtual_calls", {1}, {32}, {areas}), lab.why());
        const auto area = lab.get<float>(areas, 32);
        for (std::size_t i = 0; i < 32; ++i) {
            const auto t = static_cast<float>(i);
            QCOMPARE(area[i], i % 2 != 0 ? (t + 1) * (t + 1) : 3 * (t + 2) * (t + 2));
        }
    }

    void atomicsOfLibraries_data() { variants(); }
    void atomicsOfLibraries()
    {
        Lab lab;
        QVERIFY2(load(lab, "library"), lab.why());
        const DevicePtr i = lab.put(std::vector<int>{0, 0, 0, 0, -1, 0, 0, 0, 0, 0});
        const DevicePtr u = lab.put(std::vector<u32>{0, 0, 99});
        const DevicePtr l = lab.put(std::vector<u64>(3));
        const DevicePtr f = lab.put(std::vector<float>(1));
        const DevicePtr d = lab.put(std::vector<double>(1));
        const DevicePtr h = lab.put(std::vector<u16>(2));
        QVERIFY2(lab.run("atomics", {1}, {64}, {i, u, l, f, d, h}), lab.why());
        QCOMPARE(lab.get<int>(i, 10), (std::vector<int>{2016, -2016, -63, 63, 0, -1, 0, 5, 9, 64}));
        QCOMPARE(lab.get<u32>(u, 3), (std::vector<u32>{64 % 11, (11 - 64 % 11) % 11, 3}));
        QCOMPARE(lab.get<u64>(l, 3), (std::vector<u64>{2016, u64{63} << 33, u64{1} << 40}));
        QCOMPARE(lab.get<float>(f, 1)[0], 32.0f);
        QCOMPARE(lab.get<double>(d, 1)[0], 16.0);
        QCOMPARE(lab.get<u16>(h, 2), (std::vector<u16>{halfNearest(64), halfNearest(128)}));
    }

    void warpFunctions_data() { variants(); }
    void warpFunctions()
    {
        Lab lab;
        QVERIFY2(load(lab, "library"), lab.why());
        std::vector<int> in(32);
        for (int i = 0; i < 32; ++i)
            in[static_cast<std::size_t>(i)] = i / 4 * 3 + 1;
        const DevicePtr out = lab.put(std::vector<u32>(32 * 12));
        const DevicePtr wide = lab.put(std::vector<double>(32));
        QVERIFY2(lab.run("warp_functions", {1}, {32}, {lab.put(in), out, wide}), lab.why());
        const auto got = lab.get<u32>(out, 32 * 12);
        const auto doubles = lab.get<double>(wide, 32);
        u32 ors = 0;
        for (const int v : in)
            ors |= static_cast<u32>(v);
        for (u32 t = 0; t < 32; ++t) {
            const auto v = static_cast<u32>(in[t]);
            const u32* o = &got[t * 12];
            QCOMPARE(o[0], static_cast<u32>(std::accumulate(in.begin(), in.end(), 0)));
            QCOMPARE(o[1], 1u);
            QCOMPARE(o[2], ors);
            QCOMPARE(o[3], 0xfu << t / 4 * 4);
            QCOMPARE(o[4], 0u); // all lanes agree: -1 + 1
            QCOMPARE(o[5], static_cast<u32>(in[t % 16 < 2 ? t : t - 2]));
            QCOMPARE(o[6], ~0u);
            QCOMPARE(o[7], 1u);
            QCOMPARE(o[8], static_cast<u32>(in[t ^ 1]));
            QCOMPARE(o[9], t << 7 | v >> 25);
            QCOMPARE(o[10], v | t << 16);
            u32 reversed = 0;
            for (int bit = 0; bit < 32; ++bit)
                reversed |= (v >> bit & 1) << (31 - bit);
            const u32 distance = v > t ? v - t : t - v;
            QCOMPARE(o[11], reversed + static_cast<u32>(std::countl_zero(v)) + static_cast<u32>(std::popcount(v)) +
                                static_cast<u32>(std::countr_zero(v) + 1) + distance + 1);
            QCOMPARE(doubles[t], double(in[t < 31 ? t + 1 : t]));
        }
    }

    void wideIntegers_data() { variants(); }
    void wideIntegers()
    {
        __extension__ typedef __int128 Wide;
        Lab lab;
        QVERIFY2(load(lab, "library"), lab.why());
        std::vector<std::int64_t> in(32);
        for (std::size_t i = 0; i < 32; ++i)
            in[i] = static_cast<std::int64_t>(i + 1) * 0x123456789ab * (i % 2 != 0 ? -1 : 1);
        const DevicePtr out = lab.put(std::vector<std::int64_t>(32 * 8));
        QVERIFY2(lab.run("wide_integers", {1}, {32}, {lab.put(in), out}), lab.why());
        const auto got = lab.get<std::int64_t>(out, 32 * 8);
        for (std::size_t i = 0; i < 32; ++i) {
            const std::int64_t v = in[i];
            const auto u = static_cast<u64>(v);
            const Wide square = static_cast<Wide>(v) * v;
            u64 reversed = 0;
            for (int bit = 0; bit < 64; ++bit)
                reversed |= (u >> bit & 1) << (63 - bit);
            const std::array<std::int64_t, 8> expected{
                v / 7,
                v % 13,
                static_cast<std::int64_t>(u / 11),
                std::popcount(u) + std::countl_zero(u) + std::countr_zero(u) + 1,
                static_cast<std::int64_t>(reversed),
                static_cast<std::int64_t>(square >> 64),
                static_cast<std::int64_t>(square >> 70),
                qstrcmp(QTest::currentDataTag(), "clang") == 0 ? v : static_cast<std::int64_t>(square / 1000003)};
            for (std::size_t k = 0; k < 8; ++k)
                QCOMPARE(got[i * 8 + k], expected[k]);
        }
    }

    void groupsHeapAndAssertions_data() { variants(); }
    void groupsHeapAndAssertions()
    {
        Lab lab;
        QVERIFY2(load(lab, "library"), lab.why());
        std::vector<int> in(64);
        std::iota(in.begin(), in.end(), 1);
        const DevicePtr out = lab.put(std::vector<int>(64));
        QVERIFY2(lab.run("groups", {1}, {64}, {lab.put(in), out}), lab.why());
        QCOMPARE(lab.get<int>(out, 2), (std::vector<int>{528, 1552}));
        QVERIFY2(lab.run("heap", {1}, {32}, {std::int32_t{10}, out}), lab.why());
        for (int i = 0; i < 32; ++i)
            QCOMPARE(lab.get<int>(out, 32)[static_cast<std::size_t>(i)], 45 * i);
        QVERIFY2(lab.run("checked", {1}, {32}, {lab.put(in), out}), lab.why());
        in[5] = -1;
        QVERIFY(!lab.run("checked", {1}, {32}, {lab.put(in), out}));
        QCOMPARE(lab.code(), std::string("assertion-failed"));
        QVERIFY2(lab.why().contains("in[threadIdx.x] >= 0") && lab.why().contains("lane 5"), lab.why());
        if (lab.run("grid_sum", {4}, {32}, {lab.put(std::vector<int>(128)), lab.put(std::vector<int>(128))})) {
            const DevicePtr values = lab.put(std::vector<int>(128));
            const DevicePtr sums = lab.put(std::vector<int>(128));
            QVERIFY2(lab.run("grid_sum", {4}, {32}, {values, sums}), lab.why()); // the barrier serves again
            QCOMPARE(lab.get<int>(sums, 128), std::vector<int>(128, 6));
        } else {
            QCOMPARE(lab.code(), std::string("kernel-not-found")); // clang's file
        }
        const auto x = uniform(32, 18);
        const DevicePtr hinted = lab.put(std::vector<float>(96));
        QVERIFY2(lab.run("hints", {1}, {32}, {lab.put(x), hinted}), lab.why());
        const auto got = lab.get<float>(hinted, 96);
        for (std::size_t i = 0; i < 32; ++i) {
            QCOMPARE(got[i], x[i] + x[i] + x[i] + x[i]);
            QCOMPARE(got[64 + i], x[i]);
        }
    }
};

QTEST_APPLESS_MAIN(TestSimtCorpusLibrary)
#include "tst_simt_corpus_library.moc"
