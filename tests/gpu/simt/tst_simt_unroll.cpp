// SPDX-License-Identifier: GPL-3.0-or-later
// Loops with a constant number of turns: which are replicated, how far, and that what they compute stays the same.
#include "result_lab.h"

#include "gpu/simt/ptx/unroll.h"

#include <set>

using namespace ridge;
using namespace ridge::gpu;
using namespace ridge::gpu::simt;

namespace {

/// How many instructions with this opcode the kernel has once its loops are unrolled.
int count(const std::string& body, std::string_view opcode)
{
    const std::string text = handWritten(body);
    auto module = parsePtx(text);
    if (!module)
        return -1;
    unrollLoops(*module);
    int found = 0;
    for (const Statement& statement : module->function("k")->body)
        if (const auto* instruction = std::get_if<Instruction>(&statement))
            found += instruction->opcode == opcode ? 1 : 0;
    return found;
}

/// A loop of `turns` turns that multiplies and adds `size` times.
std::string loop(int turns, int size, const std::string& behindLabel = {})
{
    std::string body = "mov.u32 %r5, 0; mov.u32 %r6, %r0;\nL: " + behindLabel + "\n";
    for (int at = 0; at < size; ++at)
        body += "mad.lo.u32 %r6, %r6, 1664525, 1013904223;\n";
    return body + "add.s32 %r5, %r5, 1; setp.lt.s32 %p1, %r5, " + std::to_string(turns) +
           "; @%p1 bra L;\nmul.wide.u32 %rd4, %r0, 4; add.s64 %rd5, %rd0, %rd4; st.global.u32 [%rd5], %r6;";
}

/// The counter starts where only the launch tells.
std::string fromBlockSize(std::string loop)
{
    return loop.replace(loop.find("mov.u32 %r5, 0"), 14, "mov.u32 %r5, %r2");
}

/// The same with and without unrolling; the loop's label is L.
void compare(const std::string& body)
{
    std::string kept = body;
    kept.insert(kept.find("L:") + 2, " .pragma \"nounroll\"; ");
    const auto wanted = resultOf(kept);
    QCOMPARE(wanted.size(), std::size_t{64});
    QCOMPARE(resultOf(body), wanted);
}

} // namespace

class TestSimtUnroll : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void smallLoopsVanish()
    {
        QCOMPARE(count(loop(8, 4), "mad"), 1 + 8 * 4);
        QCOMPARE(count(loop(8, 4), "bra"), 0);
        QCOMPARE(count(loop(1, 4), "mad"), 1 + 4); // nothing to gain, nothing lost
    }

    void largerOnesAreReplicatedByADivisorOfTheirTurns()
    {
        // 64 turns of 44 are more than 800 instructions; 4 is the largest divisor of 64 that stays within 300.
        QCOMPARE(count(loop(64, 41), "mad"), 1 + 4 * 41);
        QCOMPARE(count(loop(64, 41), "bra"), 1);
        QCOMPARE(count(loop(61, 41), "mad"), 1 + 41); // a prime number of turns
        QCOMPARE(count(loop(4, 400), "mad"), 1 + 400);
    }

    /// As ptxas 13.0: four turns, two, then one after the other; six branches instead of one.
    void whatOnlyTheLaunchKnowsIsDoneFourAtATime()
    {
        QCOMPARE(count(fromBlockSize(loop(8, 4)), "mad"), 1 + (4 + 2 + 1) * 4);
        QCOMPARE(count(fromBlockSize(loop(8, 4)), "bra"), 6);
        QCOMPARE(count(fromBlockSize(loop(8, 4)), "setp"), 3 + 3); // of each group: before it, and its last turn's
        QCOMPARE(count(fromBlockSize(loop(8, 18)), "bra"), 6);     // 21 instructions with counter, comparison, branch
        QCOMPARE(count(fromBlockSize(loop(8, 19)), "bra"), 1);
        const auto with = [](int size, const std::string& more) {
            std::string text = fromBlockSize(loop(8, size));
            return text.insert(text.find("add.s32 %r5, %r5, 1"), more);
        };
        QCOMPARE(count(with(40, "ld.global.u32 %r9, [%rd1];"), "bra"), 6); // 40 + 3 + 1, the load twice
        QCOMPARE(count(with(46, "ld.global.u32 %r9, [%rd1];"), "bra"), 1);
        QCOMPARE(count(with(4, "shfl.sync.bfly.b32 %r9, %r6, 1, 31, -1;"), "bra"), 1);
        QCOMPARE(count(with(4, "membar.gl;"), "bra"), 1);
        QCOMPARE(count(with(4, "div.rn.f32 %f1, %f2, %f3;"), "bra"), 1);
        QCOMPARE(count(with(4, "div.approx.f32 %f1, %f2, %f3;"), "bra"), 6);
        QCOMPARE(count(with(1, "ex2.approx.f32 %f1, %f2; ex2.approx.f32 %f1, %f1; ex2.approx.f32 %f1, %f1;"), "bra"),
                 1);
        QCOMPARE(count(with(1, "ex2.approx.ftz.f32 %f1, %f2; ex2.approx.ftz.f32 %f1, %f1;"), "bra"), 6);
    }

    /// An atomic or a barrier keeps a loop that lanes may leave in different turns; not one they leave together, and
    /// not one whose turns are known.
    void whatLanesDoTogetherKeepsALoop()
    {
        const auto from = [](const std::string& start, const std::string& more) {
            std::string text = loop(8, 4);
            text.replace(text.find("mov.u32 %r5, 0"), 14, start);
            return text.insert(text.find("add.s32 %r5, %r5, 1"), more);
        };
        const std::string apart = "mov.u32 %r5, %r0", together = "mov.u32 %r5, %r1", known = "mov.u32 %r5, 0";
        const std::string loaded = "ld.global.u32 %r5, [%rd1]";
        for (const std::string more : {"red.global.add.f32 [%rd1], %f1;", "atom.global.add.u32 %r9, [%rd1], 1;",
                                       "bar.sync 0;", "barrier.sync 0;"}) {
            QCOMPARE(count(from(apart, more), "bra"), 1);
            QCOMPARE(count(from(together, more), "bra"), 6);
            QCOMPARE(count(from(loaded, more), "bra"), 6); // of one address
            QCOMPARE(count(from(known, more), "bra"), 0);
        }
        QCOMPARE(count(from(apart, "st.global.u32 [%rd1], %r6;"), "bra"), 6);
        // The way to a lane's own number may be long, and the bound counts too.
        const std::string more = "red.global.add.u32 [%rd1], 1;";
        QCOMPARE(count(from("add.u32 %r8, %r0, 3; cvt.u64.u32 %rd9, %r8; cvt.u32.u64 %r5, %rd9", more), "bra"), 1);
        QCOMPARE(
            count(from("mul.wide.u32 %rd9, %r0, 4; add.u64 %rd9, %rd9, %rd1; ld.global.u32 %r5, [%rd9]", more), "bra"),
            1);
        QCOMPARE(count(from("mov.u32 %r8, %laneid; shfl.sync.idx.b32 %r5, %r1, 0, 31, -1", more), "bra"), 1);
        std::string bound = from(together, more);
        bound.replace(bound.find("%p1, %r5, 8"), 11, "%p1, %r5, %r0");
        QCOMPARE(count(bound, "bra"), 1);
    }

    /// A clock is another number each time that it is read.
    void clocksAreReadInEveryTurn()
    {
        std::string text = fromBlockSize(loop(8, 1));
        text.insert(text.find("add.s32 %r5, %r5, 1"),
                    "mov.u32 %r7, %clock; add.u32 %r8, %r7, 5; add.u32 %r9, %r8, 1;"
                    "add.u32 %r10, %r7, %r0; xor.b32 %r6, %r6, %r9; xor.b32 %r6, %r6, %r10;");
        QCOMPARE(count(text, "mov"), count(fromBlockSize(loop(8, 1)), "mov") + 7);
        const std::string whole = handWritten(text);
        auto module = parsePtx(whole);
        QVERIFY(module.ok());
        unrollLoops(*module);
        std::set<std::string_view> sums; // of clock and thread number: none stands for another
        for (const Statement& statement : module->function("k")->body)
            if (const auto* instruction = std::get_if<Instruction>(&statement);
                instruction && instruction->opcode == "add")
                for (std::size_t at = 1; at < instruction->operands.size(); ++at) {
                    QVERIFY(!instruction->operands[at].text.starts_with("%clock"));
                    if (instruction->operands[at].text == "%r0")
                        sums.insert(instruction->operands[0].text);
                }
        QVERIFY2(sums.size() >= 5, qPrintable(QString::number(sums.size())));
    }

    void pragmaAndUnknownCountsKeepTheLoop()
    {
        QCOMPARE(count(loop(8, 4, ".pragma \"nounroll\";"), "bra"), 1);
        const std::string unknown = fromBlockSize(loop(8, 4, ".pragma \"nounroll\";"));
        QCOMPARE(count(unknown, "bra"), 1);
        // A second way to the label: the counter may start anywhere.
        QCOMPARE(count("setp.eq.s32 %p2, %r0, 3; @%p2 bra L;" + loop(8, 4), "bra"), 2);
        // A call or a branch out of it.
        std::string leaves = loop(8, 4);
        leaves.insert(leaves.find("add.s32"), "setp.eq.u32 %p3, %r6, 7; @%p3 bra OUT; ");
        QCOMPARE(count(leaves + " OUT:", "bra"), 2);
        // For ever.
        std::string endless = loop(8, 4);
        endless.replace(endless.find("add.s32 %r5, %r5, 1"), 19, "add.s32 %r5, %r5, 0");
        QCOMPARE(count(endless, "bra"), 1);
        // A step that only the launch knows, a bound that moves, a condition that is used once more.
        std::string strides = fromBlockSize(loop(8, 4));
        strides.replace(strides.find("add.s32 %r5, %r5, 1"), 19, "add.s32 %r5, %r5, %r2");
        QCOMPARE(count(strides, "bra"), 1);
        std::string early = fromBlockSize(loop(8, 4)); // the number before the step is compared
        early.replace(early.find("add.s32 %r5, %r5, 1; setp.lt.s32 %p1, %r5, 8;"), 45,
                      "setp.lt.s32 %p1, %r5, 8; add.s32 %r5, %r5, 1;");
        QCOMPARE(count(early, "bra"), 1);
        std::string moves = fromBlockSize(loop(8, 4));
        moves.replace(moves.find("setp.lt.s32 %p1, %r5, 8"), 23, "setp.lt.s32 %p1, %r5, %r6");
        QCOMPARE(count(moves, "bra"), 1);
    }

    /// Every comparison, both directions, bounds up to where numbers wrap around; every lane has a bound of its own.
    void countersComeOutTheSame_data()
    {
        QTest::addColumn<QString>("body");
        struct Type {
            const char* name;
            std::vector<std::uint64_t> starts; ///< small, and near the largest and the smallest
            bool wide;
        };
        const std::vector<Type> types = {
            {"s32", {500, 0x7fff'ffe8, 0x8000'0018}, false},
            {"u32", {500, 0xffff'ffe8, 24}, false},
            {"s64", {500, 0x7fff'ffff'ffff'ffe8, 0x8000'0000'0000'0018}, true},
            {"u64", {500, 0xffff'ffff'ffff'ffe8, 24}, true},
        };
        for (const Type& type : types)
            for (const std::uint64_t start : type.starts)
                for (const char* test : {"lt", "le", "gt", "ge", "ne"})
                    for (const int step : {1, 3, -1, -2}) {
                        const std::string how = test;
                        // Where "or equal" holds for the largest number the loop never ends, copied or not.
                        if (how[1] == 'e' && how[0] != 'n' && start != 500)
                            continue;
                        const bool up = step > 0;
                        if ((how[0] == 'l' && !up) || (how[0] == 'g' && up))
                            continue;
                        const std::string reg = type.wide ? "%rd" : "%r", bits = type.wide ? "64" : "32";
                        const std::string compare =
                            "setp." + how + "." + type.name + " %p1, " + reg + "5, " + reg + "7;";
                        const std::string move =
                            "add.s" + bits + " " + reg + "5, " + reg + "5, " + std::to_string(step) + ";";
                        // Bounds that step `ne` meets, less than 32 turns away; others wrap around and end the loop
                        // at once.
                        std::string body = "rem.u32 %r8, %r0, 32; mul.lo.u32 %r8, %r8, " +
                                           std::to_string(std::abs(step)) + "; add.u32 %r8, %r8, " +
                                           std::to_string(std::abs(step)) + ";" +
                                           (type.wide ? "cvt.u64.u32 %rd8, %r8;" : "") + "mov.u" + bits + " " + reg +
                                           "5, " + std::to_string(start) + "; " + (up ? "add" : "sub") + ".u" + bits +
                                           " " + reg + "7, " + reg + "5, " + reg + "8; mov.u32 %r6, %r0;\nL:\n";
                        body += move + compare + (type.wide ? "cvt.u32.u64 %r9, %rd5;" : "mov.u32 %r9, %r5;") +
                                "mad.lo.u32 %r6, %r6, 31, %r9; @%p1 bra L;\n"
                                "mul.wide.u32 %rd14, %r0, 4; add.s64 %rd15, %rd0, %rd14; st.global.u32 [%rd15], %r6;";
                        QTest::addRow("%s %s step %d from %llx", type.name, test, step,
                                      static_cast<unsigned long long>(start))
                            << QString::fromStdString(body);
                    }
    }

    void countersComeOutTheSame()
    {
        QFETCH(QString, body);
        const int branches = count(body.toStdString(), "bra");
        QVERIFY2(branches > 1, "not unrolled");
        compare(body.toStdString());
    }

    void theSameComesOut_data()
    {
        QTest::addColumn<QString>("body");
        const auto row = [](const char* name, const std::string& body) {
            QTest::newRow(name) << QString::fromStdString(body);
        };
        const std::string store = "mul.wide.u32 %rd4, %r0, 4; add.s64 %rd5, %rd0, %rd4; st.global.u32 [%rd5], %r6;";
        row("wholly", loop(8, 4));
        row("in part", loop(64, 41));
        row("downwards, the counter read", "mov.u32 %r5, 12; mov.u32 %r6, %r0;\nL:\n"
                                           "mad.lo.u32 %r6, %r6, 31, %r5; add.s32 %r5, %r5, -3;"
                                           "setp.ne.s32 %p1, %r5, 0; @%p1 bra L;\nadd.u32 %r6, %r6, %r5;" +
                                               store);
        row("unsigned and 64 bits", "mov.u64 %rd7, 18446744073709551608; mov.u32 %r6, %r0;\nL:\n"
                                    "cvt.u32.u64 %r7, %rd7; xor.b32 %r6, %r6, %r7; add.s64 %rd7, %rd7, 2;"
                                    "setp.lt.s64 %p1, %rd7, 4; @%p1 bra L;\n" +
                                        store);
        row("written under a guard", "mov.u32 %r5, 0; mov.u32 %r6, 1; and.b32 %r8, %r0, 3;\nL:\n"
                                     "setp.eq.u32 %p2, %r8, %r5; @%p2 mov.u32 %r6, %r0; @!%p2 add.u32 %r6, %r6, 5;"
                                     "add.s32 %r5, %r5, 1; setp.ne.s32 %p1, %r5, 6; @%p1 bra L;\n" +
                                         store);
        // The same where only the launch knows the number of turns: sums of what is written under a guard are not one
        // value.
        row("written under a guard, unknown turns",
            "and.b32 %r5, %r0, 7; mov.u32 %r6, 1; mov.u32 %r9, 100;\nL:\n"
            "add.u32 %r10, %r9, 5; add.u32 %r11, %r10, 3; add.u32 %r12, %r9, %r0; add.u32 %r13, %r9, 5;"
            "and.b32 %r8, %r5, 1; setp.eq.u32 %p2, %r8, 0; @%p2 add.u32 %r9, %r9, %r5;"
            "add.u32 %r14, %r10, 7; mad.lo.u32 %r6, %r6, 31, %r11; xor.b32 %r6, %r6, %r12; add.u32 %r6, %r6, %r13;"
            "add.u32 %r6, %r6, %r14; add.s32 %r5, %r5, 1; setp.lt.s32 %p1, %r5, 40; @%p1 bra L;\n" +
                store);
        row("values go round", "mov.u32 %r5, 0; mov.u32 %r6, %r0; mov.u32 %r7, 1;\nL:\n"
                               "mov.u32 %r8, %r6; add.u32 %r6, %r6, %r7; mov.u32 %r7, %r8;"
                               "add.s32 %r5, %r5, 1; setp.ne.s32 %p1, %r5, 9; @%p1 bra L;\nxor.b32 %r6, %r6, %r7;" +
                                   store);
        row("a pointer moves",
            "mov.u32 %r5, 0; mov.u32 %r6, %r0; mov.u64 %rd8, %rd1;\nL:\n"
            "ld.global.v2.u32 {%r9, %r10}, [%rd8]; add.u32 %r6, %r6, %r9; xor.b32 %r6, %r6, %r10;"
            "add.s64 %rd8, %rd8, 8; add.s32 %r5, %r5, 1; setp.ne.s32 %p1, %r5, 8; @!%p1 bra OUT; bra L;\nOUT:" +
                store);
        row("the branch is taken where it does not hold",
            "mov.u32 %r5, 0; mov.u32 %r6, %r0; mov.u64 %rd8, %rd1;\nL:\n"
            "ld.global.u32 %r9, [%rd8]; mad.lo.u32 %r6, %r6, 3, %r9; add.s64 %rd8, %rd8, 4;"
            "add.s32 %r5, %r5, 1; setp.eq.s32 %p1, %r5, 16; @!%p1 bra L;\n" +
                store);
    }

    void theSameComesOut()
    {
        QFETCH(QString, body);
        compare(body.toStdString());
    }
};

QTEST_APPLESS_MAIN(TestSimtUnroll)
#include "tst_simt_unroll.moc"
