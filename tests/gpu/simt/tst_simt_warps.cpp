// SPDX-License-Identifier: GPL-3.0-or-later
// Instructions whose effect shows in a whole warp: predicates, carries, shuffles, atomics, spaces, branches, barriers.
#include "simt_lab.h"

#include <bit>
#include <cmath>

using namespace ridge;
using namespace ridge::gpu;
using namespace ridge::gpu::simt;

namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

float f(u64 bits)
{
    return std::bit_cast<float>(static_cast<u32>(bits));
}

u32 u(u64 v)
{
    return static_cast<u32>(v);
}

u64 lop(u64 a, u64 b, u64 c, unsigned table)
{
    u32 r = 0;
    for (int bit = 0; bit < 32; ++bit) {
        const unsigned at = (a >> bit & 1) << 2 | (b >> bit & 1) << 1 | (c >> bit & 1);
        r |= (table >> at & 1) << bit;
    }
    return r;
}

} // namespace

class TestSimtWarps : public QObject {
    Q_OBJECT

    /// Runs `body` with one warp, gives the 32 words it leaves at %rd0.
    static std::vector<u32> words(const std::string& body, std::vector<u32> initial = std::vector<u32>(64))
    {
        Lab lab;
        if (!lab.load(handWritten("mul.wide.u32 %rd10, %r0, 4; add.s64 %rd10, %rd10, %rd0;\n" + body)))
            qWarning("%s", lab.why().constData());
        else {
            const DevicePtr a = lab.put(initial);
            if (lab.run("k", {1}, {32}, {a, a, a}))
                return lab.get<u32>(a, 32);
            qWarning("%s", lab.why().constData());
        }
        return {};
    }

private Q_SLOTS:
    void lop3Tables()
    {
        for (const unsigned table : {0x00u, 0x96u, 0xe8u, 0x1bu, 0xffu}) {
            const auto got = words("mul.lo.u32 %r4, %r0, 0x9E3779B1; mul.lo.u32 %r5, %r0, 77777; not.b32 %r6, %r4;"
                                   "shl.b32 %r6, %r6, 3; lop3.b32 %r7, %r4, %r5, %r6, " +
                                   std::to_string(table) + "; st.global.u32 [%rd10], %r7;");
            QCOMPARE(got.size(), 32u);
            for (u32 i = 0; i < 32; ++i) {
                const u32 a = i * 0x9E3779B1u;
                QCOMPARE(u64{got[i]}, lop(a, i * 77777, u(u64{~a} << 3), table));
            }
        }
    }

    void comparisons()
    {
        struct Row {
            const char* text;
            bool (*holds)(float, float);
        };
        const std::vector<Row> rows{
            {"eq", [](float x, float y) { return x == y; }},
            {"ne", [](float x, float y) { return x < y || x > y; }},
            {"lt", [](float x, float y) { return x < y; }},
            {"ge", [](float x, float y) { return x >= y; }},
            {"equ", [](float x, float y) { return !(x < y) && !(x > y); }},
            {"neu", [](float x, float y) { return !(x == y); }},
            {"gtu", [](float x, float y) { return !(x <= y); }},
            {"num", [](float x, float y) { return !std::isnan(x) && !std::isnan(y); }},
            {"nan", [](float x, float y) { return std::isnan(x) || std::isnan(y); }},
        };
        const std::array<float, 6> values{0.0f, -0.0f, 1.0f, -3.5f, NAN, INFINITY};
        std::vector<u32> initial(64);
        for (std::size_t i = 0; i < 32; ++i) {
            initial[i] = std::bit_cast<u32>(values[i % 6]);
            initial[i + 32] = std::bit_cast<u32>(values[i / 6]);
        }
        for (const Row& row : rows) {
            const auto got =
                words("ld.global.f32 %f1, [%rd10]; ld.global.f32 %f2, [%rd10+128]; setp.gt.u32 %p3, %r0, 7;"
                      "setp." +
                          std::string(row.text) +
                          ".and.f32 %p1|%p2, %f1, %f2, !%p3; selp.u32 %r4, 1, 0, %p1; selp.u32 %r5, 2, 0, "
                          "%p2; or.b32 %r4, %r4, %r5; st.global.u32 [%rd10], %r4;",
                      initial);
            QCOMPARE(got.size(), 32u);
            for (std::size_t i = 0; i < 32; ++i) {
                const bool holds = row.holds(values[i % 6], values[i / 6]);
                QCOMPARE(got[i], i > 7 ? 0u : holds ? 1u : 2u);
            }
        }
    }

    void carriesRunThroughWords()
    {
        const auto got =
            words("mov.u32 %r4, -1; sub.u32 %r5, %r0, 16; add.cc.u32 %r6, %r4, %r5; addc.cc.u32 %r7, %r4, 0;"
                  "addc.u32 %r8, 0, 0; sub.cc.u32 %r9, %r0, 16; subc.u32 %r10, 0, 0;"
                  "shl.b32 %r8, %r8, 8; and.b32 %r10, %r10, 1; or.b32 %r8, %r8, %r10;"
                  "shl.b32 %r11, %r7, 16; or.b32 %r8, %r8, %r11; st.global.u32 [%rd10], %r8;");
        QCOMPARE(got.size(), 32u);
        for (u32 i = 0; i < 32; ++i) {
            const u64 sum = u64{0xffffffffu} + u64{u32{i - 16}};
            const u64 high = u64{0xffffffffu} + (sum >> 32);
            QCOMPARE(got[i], u((high & 0xffffffffu) << 16) | u(high >> 32 << 8) | (i < 16 ? 1u : 0u));
        }
    }

    void shuffles()
    {
        const auto up = words("shfl.sync.up.b32 %r4|%p1, %r0, 3, 0, -1; selp.u32 %r5, 100, 0, %p1;"
                              "add.u32 %r4, %r4, %r5; st.global.u32 [%rd10], %r4;");
        const auto down = words("shfl.sync.down.b32 %r4, %r0, 4, 0x1807, -1; st.global.u32 [%rd10], %r4;");
        const auto idx = words("shfl.sync.idx.b32 %r4, %r0, 5, 0x181f, -1; st.global.u32 [%rd10], %r4;");
        for (u32 i = 0; i < 32; ++i) {
            QCOMPARE(up.at(i), i < 3 ? i : i - 3 + 100);
            QCOMPARE(down.at(i), i % 8 < 4 ? i + 4 : i); // segments of eight
            QCOMPARE(idx.at(i), i / 8 * 8 + 5);
        }
    }

    void atomicsOfEveryKind()
    {
        const auto got = words(
            "setp.eq.u32 %p1, %r0, 0; @%p1 st.global.u32 [%rd0+128], 7;"
            "red.global.max.s32 [%rd0+128], %r0; red.global.inc.u32 [%rd0+132], 9; red.global.xor.b32 [%rd0+136], %r0;"
            "cvt.rn.f32.u32 %f1, %r0; red.global.add.f32 [%rd0+140], %f1; atom.global.add.u32 %r4, [%rd0+144], 2;"
            "atom.global.cas.b32 %r5, [%rd0+148], 0, 5; atom.global.exch.b32 %r6, [%rd0+152], %r0;"
            "ld.global.u32 %r10, [%rd0+128]; ld.global.u32 %r11, [%rd0+132]; ld.global.u32 %r12, [%rd0+136];"
            "ld.global.u32 %r13, [%rd0+140]; ld.global.u32 %r14, [%rd0+148];"
            "st.global.u32 [%rd10], %r4; setp.eq.u32 %p2, %r0, 1; @%p2 st.global.u32 [%rd10], %r5;"
            "setp.eq.u32 %p2, %r0, 2; @%p2 st.global.u32 [%rd10], %r10; setp.eq.u32 %p2, %r0, 3;"
            "@%p2 st.global.u32 [%rd10], %r11; setp.eq.u32 %p2, %r0, 4; @%p2 st.global.u32 [%rd10], %r12;"
            "setp.eq.u32 %p2, %r0, 5; @%p2 st.global.u32 [%rd10], %r13; setp.eq.u32 %p2, %r0, 6;"
            "@%p2 st.global.u32 [%rd10], %r14; setp.eq.u32 %p2, %r0, 7; @%p2 st.global.u32 [%rd10], %r6;");
        QCOMPARE(got.size(), 32u);
        QCOMPARE(got[0], 0u);
        QCOMPARE(got[1], 5u);  // lane 0 swapped, lane 1 saw it
        QCOMPARE(got[2], 31u); // maximum
        QCOMPARE(got[3], 2u);  // 32 increments modulo 10
        QCOMPARE(got[4], 0u);  // 0 ^ 1 ^ … ^ 31
        QCOMPARE(f(got[5]), 496.0f);
        QCOMPARE(got[6], 5u);
        QCOMPARE(got[7], 6u); // what lane 6 left
        QCOMPARE(got[31], 62u);
    }

    void genericAddressesFindTheirSpace()
    {
        const auto got =
            words(".shared .align 8 .b8 s[128]; .local .align 8 .b8 l[8];"
                  "mov.u64 %rd4, s; cvta.shared.u64 %rd5, %rd4; mov.u64 %rd6, l; cvta.local.u64 %rd7, %rd6;"
                  "mul.wide.u32 %rd8, %r0, 4; add.s64 %rd5, %rd5, %rd8;"
                  "setp.lt.u32 %p1, %r0, 16; selp.b64 %rd9, %rd5, %rd7, %p1; add.u32 %r4, %r0, 40;"
                  "st.u32 [%rd9], %r4; ld.u32 %r5, [%rd9]; ld.local.u32 %r6, [l];"
                  "@%p1 ld.shared.u32 %r6, [%rd8]; add.u32 %r5, %r5, %r6; st.u32 [%rd10], %r5;");
        QCOMPARE(got.size(), 32u);
        for (u32 i = 0; i < 32; ++i)
            QCOMPARE(got[i], 2 * (i + 40));
    }

    void branchTables()
    {
        const auto got = words("and.b32 %r4, %r0, 3; T: .branchtargets A, B, C, A; brx.idx %r4, T;\n"
                               "A: mov.u32 %r5, 10; bra E; B: mov.u32 %r5, 20; bra E; C: mov.u32 %r5, 30;\n"
                               "E: st.global.u32 [%rd10], %r5;");
        QCOMPARE(got.size(), 32u);
        const std::array<u32, 4> expected{10, 20, 30, 10};
        for (u32 i = 0; i < 32; ++i)
            QCOMPARE(got[i], expected[i % 4]);
    }

    void coldBlocksAtTheEndStillMeet()
    {
        // The odd lanes run a block that the text places after the loop: they must meet inside the loop again.
        Lab lab;
        QVERIFY2(lab.load(handWritten("mov.u32 %r5, 0; and.b32 %r4, %r0, 1; setp.eq.u32 %p1, %r4, 1;\n"
                                      "LOOP: @%p1 bra COLD; add.u32 %r6, %r6, 1;\n"
                                      "BACK: add.u32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, 10; @%p2 bra LOOP; bra END;\n"
                                      "COLD: add.u32 %r6, %r6, 100; bra BACK;\n"
                                      "END: mul.wide.u32 %rd10, %r0, 4; add.s64 %rd10, %rd10, %rd0;"
                                      "st.global.u32 [%rd10], %r6;")),
                 lab.why());
        const DevicePtr a = lab.put(std::vector<u32>(32));
        QVERIFY2(lab.run("k", {1}, {32}, {a, a, a}), lab.why());
        const auto got = lab.get<u32>(a, 32);
        for (u32 i = 0; i < 32; ++i)
            QCOMPARE(got[i], i % 2 != 0 ? 1000u : 10u);
        QCOMPARE(lab.counters.divergentBranches, 10u);
        QCOMPARE(lab.counters.globalStoreRequests, 1u);
        // Ten rounds: 4 shared instructions, 1 more for the even lanes, 2 more for the odd ones.
        const u64 before = 7 + 3;
        const u64 after = 5;
        QCOMPARE(lab.counters.instExecuted, before + after + 10u * (4 + 1 + 2));
    }

    void barrierReductions()
    {
        Lab lab;
        QVERIFY2(
            lab.load(handWritten("setp.lt.u32 %p1, %r0, 40; bar.red.popc.u32 %r4, 0, %p1; bar.red.and.pred %p2, 0, "
                                 "%p1; bar.red.or.pred %p3, 0, %p1; selp.u32 %r5, 1000, 0, %p2; selp.u32 %r6, 2000, "
                                 "0, %p3; add.u32 %r4, %r4, %r5; add.u32 %r4, %r4, %r6;"
                                 "mul.wide.u32 %rd10, %r0, 4; add.s64 %rd10, %rd10, %rd0; st.global.u32 [%rd10], "
                                 "%r4;")),
            lab.why());
        const DevicePtr a = lab.put(std::vector<u32>(96));
        QVERIFY2(lab.run("k", {1}, {96}, {a, a, a}), lab.why());
        for (const u32 v : lab.get<u32>(a, 96))
            QCOMPARE(v, 2040u);
        QCOMPARE(lab.counters.barriers, 9u);
    }
};

QTEST_APPLESS_MAIN(TestSimtWarps)
#include "tst_simt_warps.moc"
