// SPDX-License-Identifier: GPL-3.0-or-later
// Short bodies of `if` under a predicate: which lose their branch, and that what they compute stays the same.
#include "result_lab.h"

#include "gpu/simt/lower/lower_module.h"
#include "gpu/simt/machine/lower_machine.h"
#include "gpu/simt/ptx/predicate.h"
#include "gpu/simt/ptx/unroll.h"

using namespace ridge;
using namespace ridge::gpu;
using namespace ridge::gpu::simt;

namespace {

/// How many branches the kernel has afterwards.
int branches(const std::string& body, bool unrolls = false)
{
    const std::string text = handWritten(body);
    auto module = parsePtx(text);
    if (!module)
        return -1;
    predicateBranches(*module);
    if (unrolls)
        unrollLoops(*module);
    int found = 0;
    for (const Statement& statement : module->function("k")->body)
        if (const auto* instruction = std::get_if<Instruction>(&statement))
            found += instruction->opcode == "bra" ? 1 : 0;
    return found;
}

std::string times(int count, const std::string& instruction)
{
    std::string text;
    for (int at = 0; at < count; ++at)
        text += instruction + "\n";
    return text;
}

const std::string kEnd = "\nmul.wide.u32 %rd4, %r0, 4; add.s64 %rd5, %rd0, %rd4; st.global.u32 [%rd5], %r6;";

/// Half of the lanes skip `then`.
std::string ifThen(const std::string& then, const std::string& behind = {})
{
    return "mov.u32 %r6, %r0; and.b32 %r5, %r0, 1; setp.eq.u32 %p1, %r5, 0;\n@%p1 bra J;\n" + then + "\nJ:\n" + behind +
           kEnd;
}

std::string ifElse(const std::string& then, const std::string& otherwise)
{
    return "mov.u32 %r6, %r0; and.b32 %r5, %r0, 1; setp.eq.u32 %p1, %r5, 0;\n@%p1 bra E;\n" + then +
           "\nbra.uni J;\nE:\n" + otherwise + "\nJ:" + kEnd;
}

const std::string kStep = "mad.lo.u32 %r6, %r6, 1664525, 1013904223;";
const std::string kLoad = "ld.global.u32 %r7, [%rd1]; xor.b32 %r6, %r6, %r7;";

/// Registers a thread, and machine instructions, on sm_80.
std::pair<std::uint32_t, std::size_t> machineOf(const std::string& body)
{
    const std::string text = handWritten(body);
    auto module = parsePtx(text);
    if (!module)
        return {};
    predicateBranches(*module);
    const auto lowered = lowerModule(*module, {});
    if (!lowered || lowered->kernels.empty())
        return {};
    auto machine = lowerToMachine(lowered->kernels.front(), 80, defaultScheduleLatencies());
    return machine ? std::pair{machine->registers, machine->ops.size()} : std::pair<std::uint32_t, std::size_t>{};
}

} // namespace

class TestSimtPredicate : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// As ptxas 13.0 does for sm_75 to sm_120.
    void eightInstructionsAreShort()
    {
        QCOMPARE(branches(ifThen(times(8, kStep))), 0);
        QCOMPARE(branches(ifThen(times(9, kStep))), 1);
        QCOMPARE(branches(ifElse(times(7, kStep), times(8, kStep))), 0); // and the jump over the `else`
        QCOMPARE(branches(ifElse(times(8, kStep), times(8, kStep))), 2);
        QCOMPARE(branches(ifElse(times(7, kStep), times(9, kStep))), 2);
        QCOMPARE(branches(ifElse("", times(8, kStep))), 0);
    }

    void loadsMakeTwentyShort()
    {
        QCOMPARE(branches(ifThen(times(10, kLoad))), 0);
        QCOMPARE(branches(ifThen(times(10, kLoad) + kStep)), 1);
        QCOMPARE(branches(ifThen(kLoad + times(18, kStep))), 0);
        QCOMPARE(branches(ifThen(kLoad + times(19, kStep))), 1);
        const std::string shared = "ld.shared.u32 %r7, [%r5]; xor.b32 %r6, %r6, %r7;";
        QCOMPARE(branches(ifThen(times(4, shared))), 0);
        QCOMPARE(branches(ifThen(times(5, shared))), 1);
    }

    /// A product that an address takes along is no instruction of its own: 4 in each of these groups.
    void addressesAreMadeOnTheWay()
    {
        std::string body;
        for (int at = 0; at < 5; ++at) {
            const std::string k = std::to_string(at);
            body += "mad.lo.u32 %r" + std::to_string(10 + at) + ", %r0, 3, %r1; mul.wide.u32 %rd" +
                    std::to_string(10 + at) + ", %r" + std::to_string(10 + at) + ", 4; add.s64 %rd" +
                    std::to_string(20 + at) + ", %rd1, %rd" + std::to_string(10 + at) + "; ld.global.u32 %r7, [%rd" +
                    std::to_string(20 + at) + "]; xor.b32 %r6, %r6, %r7;\n";
        }
        QCOMPARE(branches(ifThen(body)), 0);
        QCOMPARE(branches(ifThen(body + kStep)), 1);
    }

    void whatPtxasKeepsBehindABranch_data()
    {
        QTest::addColumn<QString>("instruction");
        for (const char* text :
             {"atom.global.add.u32 %r6, [%rd1], 1;", "red.global.add.u32 [%rd1], 1;",
              "shfl.sync.bfly.b32 %r6, %r6, 1, 31, -1;", "vote.sync.ballot.b32 %r6, %p2, -1;", "membar.gl;",
              "div.u32 %r6, %r6, %r5;", "div.rn.f32 %f1, %f1, %f2;", "sqrt.rn.f32 %f1, %f2;", "bar.sync 0;",
              "mov.u32 %r6, %clock;", "@%p2 add.u32 %r6, %r6, 1;", "setp.eq.u32 %p1, %r6, 7;", "exit;"})
            QTest::newRow(text) << QString(QLatin1String(text));
    }
    void whatPtxasKeepsBehindABranch()
    {
        QFETCH(QString, instruction);
        QCOMPARE(branches(ifThen(instruction.toStdString())), 1);
    }

    void aJumpOverAJumpIsOne()
    {
        const std::string head = "mov.u32 %r6, %r0; and.b32 %r5, %r0, 1; setp.eq.u32 %p1, %r5, 0;\n";
        const std::string diamond = head + "@%p1 bra A;\nbra.uni B;\nA:\n" + times(3, kStep) + "bra.uni J;\nB:\n" +
                                    times(2, kStep) + "J:" + kEnd; // as NVRTC 13.0 writes an if with an else
        QCOMPARE(branches(diamond), 0);
        const std::string large = head + "@%p1 bra A;\nbra.uni B;\nA:\n" + times(30, kStep) + "B:" + kEnd;
        QCOMPARE(branches(large), 1);
        std::string plain = head + "@!%p1 bra B;\n" + times(30, kStep) + "B:" + kEnd;
        QCOMPARE(resultOf(large), resultOf(plain));
        QCOMPARE(resultOf(large).size(), std::size_t{64});
    }

    /// Where a kernel ends behind the body, lanes without work leave.
    void lanesWithNothingLeftToDoLeave()
    {
        QCOMPARE(branches("setp.eq.u32 %p1, %r0, 0;\n@%p1 bra J;\nst.global.u32 [%rd0], %r0;\nJ:"), 1);
    }

    void aLabelThatOthersUseStays()
    {
        const std::string body = "mov.u32 %r6, %r0; setp.eq.u32 %p1, %r0, 0; setp.eq.u32 %p2, %r0, 1;\n@%p2 bra J;\n" +
                                 times(20, kStep) + "@%p1 bra J;\n" + times(3, kStep) + "J:" + kEnd;
        QCOMPARE(branches(body), 1);
        QCOMPARE(resultOf(body).size(), std::size_t{64});
    }

    void resultsStayTheSame_data()
    {
        QTest::addColumn<QString>("body");
        const auto row = [](const char* name, const std::string& body) {
            QTest::newRow(name) << QString::fromStdString(body);
        };
        row("then", ifThen(times(5, kStep)));
        row("load", ifThen("and.b32 %r7, %r0, 15; mul.wide.u32 %rd6, %r7, 4; add.s64 %rd7, %rd1, %rd6;"
                           "ld.global.u32 %r8, [%rd7]; mad.lo.u32 %r6, %r8, %r6, 5;"));
        row("else", ifElse(times(3, kStep), "xor.b32 %r6, %r6, 77; shl.b32 %r6, %r6, 3;"));
        row("as NVRTC writes it", "mov.u32 %r6, %r0; and.b32 %r5, %r0, 1; setp.eq.u32 %p1, %r5, 0;\n@%p1 bra A;\n"
                                  "bra.uni B;\nA:\n" +
                                      times(3, kStep) + "bra.uni J;\nB:\nxor.b32 %r6, %r6, 5;\nJ:" + kEnd);
        row("only else", ifElse("", "xor.b32 %r6, %r6, 77;"));
        row("one register for two values",
            ifElse("mov.u32 %r7, 5; add.u32 %r6, %r6, %r7;", "mov.u32 %r7, 9; mul.lo.u32 %r6, %r6, %r7;"));
        row("written again behind it",
            ifThen("add.u32 %r7, %r0, 3; add.u32 %r6, %r7, %r6;", "mov.u32 %r7, 8; add.u32 %r6, %r6, %r7;"));
        row("the old value is read behind it",
            "mov.u32 %r7, 11;\n" + ifThen("add.u32 %r7, %r0, 3; add.u32 %r6, %r7, %r6;", "add.u32 %r6, %r6, %r7;"));
        row("a store", ifThen("mul.wide.u32 %rd6, %r0, 4; add.s64 %rd7, %rd2, %rd6; st.global.u32 [%rd7], 99;",
                              "mul.wide.u32 %rd8, %r0, 4; add.s64 %rd9, %rd2, %rd8; ld.global.u32 %r8, [%rd9];"
                              "add.u32 %r6, %r6, %r8;"));
        row("a predicate of its own", ifThen("setp.gt.u32 %p2, %r0, 20; selp.u32 %r6, 4, 7, %p2;"));
        const std::string loop =
            "mov.u32 %r9, TURNS; mov.u32 %r6, 1;\nL: and.b32 %r10, %r6, 3; add.u32 %r10, %r10, %r9;"
            "and.b32 %r10, %r10, 15; mul.wide.u32 %rd6, %r10, 4; add.s64 %rd7, %rd1, %rd6;"
            "and.b32 %r11, %r6, 1; setp.eq.u32 %p1, %r11, 0;\n@%p1 bra J;\n"
            "ld.global.u32 %r12, [%rd7]; add.u32 %r6, %r6, %r12; mov.u32 %r13, %r12;\nJ:"
            "mad.lo.u32 %r6, %r6, 5, %r0;\nadd.u32 %r9, %r9, 1; setp.lt.u32 %p3, %r9, LAST;\n@%p3 bra L;\n";
        const auto turns = [&](const std::string& first, const std::string& last, const std::string& behind) {
            std::string text = loop;
            text.replace(text.find("TURNS"), 5, first);
            text.replace(text.find("LAST"), 4, last);
            return text + behind + kEnd;
        };
        row("in a loop of seven turns", turns("0", "7", ""));
        row("in a loop that the launch counts", turns("%r1", "%r2", ""));
        row("whose last value is read behind it", "mov.u32 %r13, 0;" + turns("%r1", "%r2", "add.u32 %r6, %r6, %r13;"));
    }
    void resultsStayTheSame()
    {
        QFETCH(QString, body);
        const std::string made = body.toStdString();
        std::string kept = made; // a guard in the body keeps the branch
        for (std::size_t at = kept.find("bra A;") == std::string::npos ? kept.find("@%p1 bra ") : std::string::npos;
             at != std::string::npos; at = kept.find("@%p1 bra ", at + 1))
            kept.insert(kept.find('\n', at) + 1, "@%p9 add.u32 %r39, %r39, 1;\n");
        for (const char* label : {"\nA:", "\nB:"})
            if (const std::size_t at = kept.find(label); at != std::string::npos)
                kept.insert(at + 3, "@%p9 add.u32 %r39, %r39, 1;\n");
        for (std::size_t at = kept.find("\nE:"); at != std::string::npos; at = kept.find("\nE:", at + 1))
            kept.insert(at + 3, "@%p9 add.u32 %r39, %r39, 1;\n");
        kept = "setp.eq.u32 %p9, %r0, 999; mov.u32 %r39, 0;\n" + kept;
        QVERIFY(branches(kept) > 0);
        QVERIFY(branches(made) < branches(kept));
        const auto wanted = resultOf(kept);
        QCOMPARE(wanted.size(), std::size_t{64});
        QCOMPARE(resultOf(made), wanted);
    }

    /// ptxas unrolls such loops by four; the branch kept them as they were.
    void loopsAroundThemAreUnrolled()
    {
        const std::string loop =
            "mov.u32 %r9, %r1; mov.u32 %r6, 1;\nL: ld.global.u32 %r12, [%rd1]; setp.eq.u32 %p1, %r12, 0;\n"
            "@%p1 bra J;\nadd.u32 %r6, %r6, %r12;\nJ: add.u32 %r9, %r9, 1; setp.lt.u32 %p3, %r9, %r2;\n"
            "@%p3 bra L;\n" +
            kEnd;
        QCOMPARE(branches(loop), 1);
        QCOMPARE(branches(loop, true), 6);
    }

    /// Addresses and loads under a predicate are as cheap as without: the product goes into the sum, no register holds
    /// what nobody reads.
    void valuesOfOneBodyAreFreeOfTheirGuard()
    {
        const auto body = [](const std::string& guard) {
            return "and.b32 %r5, %r0, 1; setp.eq.u32 %p1, %r5, 0; mov.u32 %r6, 0;\n" + guard +
                   "mul.wide.u32 %rd6, %r0, 4; " + guard + "add.s64 %rd7, %rd1, %rd6; " + guard +
                   "ld.global.u32 %r8, [%rd7]; " + guard + "mad.lo.u32 %r6, %r8, %r0, 5;\n" + kEnd;
        };
        const auto free = machineOf(body("")), guarded = machineOf(body("@%p1 "));
        QVERIFY(free.first != 0);
        QCOMPARE(guarded.first, free.first + 2); // the predicate, and what the other lanes hold
        QVERIFY2(guarded.second <= free.second + 3, qPrintable(QString::number(guarded.second)));
    }
};

QTEST_APPLESS_MAIN(TestSimtPredicate)
#include "tst_simt_predicate.moc"
