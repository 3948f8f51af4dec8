// SPDX-License-Identifier: GPL-3.0-or-later
// alloca, stacksave and stackrestore: what each thread takes is its own, and goes back when the function returns.
#include "simt_lab.h"

using namespace ridge;
using namespace ridge::gpu;
using namespace ridge::gpu::simt;

namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

/// Takes %r10 words at %rd10, writes i * 10 + thread to each and leaves their sum, each times its place, in %r11.
const char* const kFill =
    "mul.wide.u32 %rd11, %r10, 4; alloca.u64 %rd10, %rd11, 16; mov.u32 %r12, 0; mov.u32 %r11, 0;\n"
    "W: setp.ge.u32 %p1, %r12, %r10; @%p1 bra D; mad.lo.u32 %r13, %r12, 10, %r0;"
    "mul.wide.u32 %rd12, %r12, 4; add.u64 %rd12, %rd12, %rd10; st.local.u32 [%rd12], %r13;"
    "add.u32 %r12, %r12, 1; bra W;\n"
    "D: setp.eq.u32 %p1, %r12, 0; @%p1 bra E; sub.u32 %r12, %r12, 1; mul.wide.u32 %rd12, %r12, 4;"
    "add.u64 %rd12, %rd12, %rd10; cvta.local.u64 %rd12, %rd12; ld.u32 %r13, [%rd12];"
    "mad.lo.u32 %r11, %r13, %r12, %r11; bra D;\nE:\n";
const char* const kStore = "mul.wide.u32 %rd12, %r0, 4; add.u64 %rd12, %rd12, %rd1; st.global.u32 [%rd12], %r11;";

u32 filled(u32 words, u32 thread)
{
    u32 sum = 0;
    for (u32 at = 0; at < words; ++at)
        sum += (at * 10 + thread) * at;
    return sum;
}

/// f(n): words of its own hold n * 100 + i while f(n - 1) runs; the sum of all of them.
const char* const kRecursive = R"(
.func (.param .b32 r) f(.param .b32 n)
{
    .reg .b32 %r<10>; .reg .b64 %rd<8>; .reg .pred %p<4>;
    ld.param.u32 %r0, [n];
    add.u32 %r1, %r0, 1;
    mul.wide.u32 %rd0, %r1, 4;
    alloca.u64 %rd1, %rd0, 32;
    mov.u32 %r2, 0;
W:  mad.lo.u32 %r3, %r0, 100, %r2;
    mul.wide.u32 %rd2, %r2, 4;
    add.u64 %rd2, %rd2, %rd1;
    st.local.u32 [%rd2], %r3;
    add.u32 %r2, %r2, 1;
    setp.le.u32 %p0, %r2, %r0;
    @%p0 bra W;
    mov.u32 %r4, 0;
    setp.eq.u32 %p1, %r0, 0;
    @%p1 bra S;
    sub.u32 %r5, %r0, 1;
    { .param .b32 in; .param .b32 out; st.param.b32 [in], %r5; call (out), f, (in); ld.param.b32 %r4, [out]; }
S:  sub.u32 %r2, %r2, 1;
    mul.wide.u32 %rd2, %r2, 4;
    add.u64 %rd2, %rd2, %rd1;
    ld.local.u32 %r3, [%rd2];
    add.u32 %r4, %r4, %r3;
    setp.ne.u32 %p2, %r2, 0;
    @%p2 bra S;
    st.param.b32 [r], %r4;
    ret;
}
)";

u32 recursive(u32 n)
{
    u32 sum = n == 0 ? 0 : recursive(n - 1);
    for (u32 at = 0; at <= n; ++at)
        sum += n * 100 + at;
    return sum;
}

/// Takes and writes 1 KiB, inlined where it is called.
const char* const kKilobyte = ".func g() { .reg .b64 %rd<3>; mov.u64 %rd0, 1024; alloca.u64 %rd1, %rd0;"
                              " st.local.u64 [%rd1+1016], %rd0; ret; }\n";

} // namespace

class TestSimtStack : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyThreadHasItsOwn()
    {
        Lab lab;
        const std::string body = std::string("and.b32 %r10, %r0, 63; add.u32 %r10, %r10, 1;") + kFill + kStore;
        QVERIFY2(lab.load(handWritten(body)), lab.why());
        const DevicePtr out = lab.put(std::vector<u32>(512));
        // Blocks follow each other on the same registers: the stack must begin anew.
        QVERIFY2(lab.run("k", {4}, {128}, {out, out, out}), lab.why());
        const auto got = lab.get<u32>(out, 512);
        for (u32 thread = 0; thread < 512; ++thread)
            QCOMPARE(got[thread], filled(thread % 64 + 1, thread));
    }

    void whatIsLeftTakenGoesWithTheBlock()
    {
        Lab lab;
        QVERIFY2(lab.load(handWritten(std::string("mov.u32 %r10, 3000;") + kFill + kStore)), lab.why());
        const DevicePtr out = lab.put(std::vector<u32>(64 * 32));
        QVERIFY2(lab.run("k", {64}, {32}, {out, out, out}), lab.why());
        QCOMPARE(lab.get<u32>(out, 64 * 32)[2047], filled(3000, 2047));
    }

    void alignedAndApart()
    {
        Lab lab;
        QVERIFY2(lab.load(handWritten("mov.u64 %rd4, 5; alloca.u64 %rd5, %rd4; alloca.u64 %rd6, %rd4, 64;"
                                      "mov.u32 %r10, 24; alloca.u32 %r11, %r10, 256; stacksave.u32 %r12; "
                                      "cvt.u64.u32 %rd7, %r11; cvt.u64.u32 %rd8, %r12;"
                                      "st.global.u64 [%rd1], %rd5; st.global.u64 [%rd1+8], %rd6;"
                                      "st.global.u64 [%rd1+16], %rd7; st.global.u64 [%rd1+24], %rd8;")),
                 lab.why());
        const DevicePtr out = lab.put(std::vector<u64>(4));
        QVERIFY2(lab.run("k", {1}, {1}, {out, out, out}), lab.why());
        const auto got = lab.get<u64>(out, 4);
        QCOMPARE(got[0] % 8, 0u);
        QCOMPARE(got[1] % 64, 0u);
        QCOMPARE(got[2] % 256, 0u);
        QVERIFY(got[1] + 5 <= got[0] && got[2] + 24 <= got[1]);
        QCOMPARE(got[3], got[2]);
    }

    void restoringGivesBack()
    {
        const std::string loop =
            "mov.u32 %r5, 0; mov.u64 %rd4, 4096;\nL: SAVE alloca.u64 %rd5, %rd4; "
            "st.local.u32 [%rd5+4092], %r5; RESTORE add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 100; "
            "@%p1 bra L;\n st.global.u32 [%rd1], %r5;";
        const auto with = [&](const char* save, const char* restore) {
            return handWritten(QString::fromStdString(loop)
                                   .replace(QLatin1String("SAVE"), QLatin1String(save))
                                   .replace(QLatin1String("RESTORE"), QLatin1String(restore))
                                   .toStdString());
        };
        Lab lab;
        const DevicePtr out = lab.put(std::vector<u32>(1));
        QVERIFY2(lab.load(with("stacksave.u64 %rd6;", "stackrestore.u64 %rd6;")), lab.why());
        QVERIFY2(lab.run("k", {1}, {32}, {out, out, out}), lab.why());
        QCOMPARE(lab.get<u32>(out, 1)[0], 100u);
        QVERIFY2(lab.load(with("", "")), lab.why());
        QVERIFY(!lab.run("k", {1}, {32}, {out, out, out}));
        QCOMPARE(lab.code(), std::string("stack-overflow"));
        QVERIFY2(lab.why().contains("4096 bytes; of the 16384 that a thread has 0 are left"), lab.why());
        QVERIFY2(lab.load(with("", "mov.u64 %rd6, 8; stackrestore.u64 %rd6;")), lab.why());
        QVERIFY(!lab.run("k", {1}, {32}, {out, out, out}));
        QCOMPARE(lab.code(), std::string("launch-failed"));
        QVERIFY2(lab.why().contains("sets its stack to 0x8"), lab.why());
    }

    void aFunctionGivesBackWhenItReturns()
    {
        Lab lab;
        QVERIFY2(lab.load(handWritten("mov.u32 %r5, 0;\nL: { call g, (); }\n add.u32 %r5, %r5, 1; "
                                      "setp.lt.u32 %p1, %r5, 100; @%p1 bra L;\n st.global.u32 [%rd1], %r5;",
                                      kKilobyte)),
                 lab.why());
        const DevicePtr out = lab.put(std::vector<u32>(1));
        QVERIFY2(lab.run("k", {1}, {64}, {out, out, out}), lab.why());
        QCOMPARE(lab.get<u32>(out, 1)[0], 100u);
    }

    void everyActivationHasItsOwn()
    {
        Lab lab;
        QVERIFY2(lab.load(handWritten("and.b32 %r5, %r0, 15; mov.u32 %r6, 0;\nL: { .param .b32 in; .param .b32 out; "
                                      "st.param.b32 [in], %r5; call (out), f, (in); ld.param.b32 %r11, [out]; }\n"
                                      "add.u32 %r6, %r6, 1; setp.lt.u32 %p1, %r6, 20; @%p1 bra L;\n" +
                                          std::string(kStore),
                                      kRecursive)),
                 lab.why());
        const DevicePtr out = lab.put(std::vector<u32>(64));
        QVERIFY2(lab.run("k", {1}, {64}, {out, out, out}), lab.why());
        const auto got = lab.get<u32>(out, 64);
        for (u32 thread = 0; thread < 64; ++thread)
            QCOMPARE(got[thread], recursive(thread % 16));
    }

    void badAlignmentsAreRefused()
    {
        for (const char* text : {"alloca.u64 %rd4, %rd5, 24;", "alloca.u64 %rd4, %rd5, 16777216;",
                                 "alloca.u64 %rd4, %rd5, %rd6;", "alloca.u64 %rd4;"}) {
            Lab lab;
            QVERIFY2(!lab.load(handWritten(text)) && lab.code() == "bad-ptx", lab.why());
        }
    }
};

QTEST_APPLESS_MAIN(TestSimtStack)
#include "tst_simt_stack.moc"
