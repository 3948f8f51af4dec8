// SPDX-License-Identifier: GPL-3.0-or-later
// The PTX front end: what it refuses and how, damaged texts, and the layout of control flow.
#include "simt_lab.h"

#include "gpu/simt/image/layout.h"
#include "gpu/simt/ptx/module.h"

#include <random>

using namespace ridge;
using namespace ridge::gpu;
using namespace ridge::gpu::simt;

namespace {

Error errorOf(const std::string& ptx)
{
    Lab lab;
    return lab.load(ptx) ? Error{} : *lab.problem;
}

std::string withHead(std::string_view rest)
{
    std::string text = ".version 8.0\n.target sm_80\n.address_size 64\n";
    text.append(rest);
    return text;
}

} // namespace

class TestSimtPtx : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void syntaxErrorsHaveLineAndColumn_data()
    {
        QTest::addColumn<QByteArray>("body");
        QTest::addColumn<QByteArray>("place");
        QTest::newRow("undeclared") << QByteArray("\n  mov.u32 %r4, %nothing;") << QByteArray("line 11, column 16");
        QTest::newRow("semicolon") << QByteArray("\n  mov.u32 %r4, 5\n  ret;") << QByteArray("line 12, column 3");
        QTest::newRow("bad number") << QByteArray("\nmov.u32 %r4, 0xZZ;") << QByteArray("line 11, column 14");
        QTest::newRow("width") << QByteArray("\nadd.s32 %r4, %rd5, 1;") << QByteArray("line 11, column 14");
        QTest::newRow("label") << QByteArray("\nbra NOWHERE;") << QByteArray("line 11, column 5");
        QTest::newRow("twice") << QByteArray("\n.reg .b32 %x;\n.reg .b32 %x;") << QByteArray("line 12, column 11");
        QTest::newRow("operands") << QByteArray("\nadd.s32 %r4, %r5;") << QByteArray("line 11, column 1");
        QTest::newRow("character") << QByteArray("\n`") << QByteArray("line 11, column 1");
        QTest::newRow("comment") << QByteArray("\n/* never closed") << QByteArray("line 11, column 1");
    }

    void syntaxErrorsHaveLineAndColumn()
    {
        QFETCH(QByteArray, body);
        QFETCH(QByteArray, place);
        const Error error = errorOf(handWritten(body.toStdString()));
        QCOMPARE(error.code, std::string("bad-ptx"));
        QVERIFY2(error.place.find(place.toStdString()) != std::string::npos, toText(error).c_str());
        QVERIFY(!error.message.empty());
    }

    /// The kernel's own file is the one that is no header, whatever its number; what a header has stands at the line
    /// that called it, or at none; line 0 is the compiler's own.
    void linesAreThoseOfTheKernelsFile()
    {
        const auto module =
            parsePtx(handWritten("\n.loc 1 5 3\nmov.u32 %r4, 1;\n.loc 2 9 3\nmov.u32 %r5, 1;\n.loc 2 0 3\n"
                                 "mov.u32 %r6, 1;\n.loc 1 6 3, function_name f, inlined_at 2 9 3\n"
                                 "mov.u32 %r7, 1;\n.loc 1 7 3\nmov.u32 %r8, 1;") +
                     ".file 1 \"/x/helper.cuh\"\n.file 2 \"/x\" \"main.cu\"\n");
        QVERIFY2(module.ok(), module.ok() ? "" : toText(module.error()).c_str());
        std::vector<std::uint32_t> lines;
        for (const Statement& statement : module->functions.front().body)
            if (const auto* instruction = std::get_if<Instruction>(&statement);
                instruction != nullptr && instruction->operands.size() == 2 && instruction->opcode == "mov")
                lines.push_back(instruction->sourceLine);
        lines.erase(lines.begin(), lines.end() - 5);
        QCOMPARE(lines, (std::vector<std::uint32_t>{0, 9, 9, 9, 0}));
    }

    /// What ptxas takes and few programs write: see ptx/declarations.h. Results are those of ptxas's machine code.
    void rareDeclarations_data()
    {
        QTest::addColumn<QByteArray>("outside");
        QTest::addColumn<QByteArray>("body");
        QTest::addColumn<QVector<unsigned>>("expected");
        const QByteArray none;
        const auto row = [&](const char* name, const char* body, QVector<unsigned> expected,
                             const QByteArray& outside) {
            QTest::newRow(name) << outside << QByteArray(body) << expected;
        };
        row("range beside a register",
            ".reg .b32 a; .reg .b32 a<2>; mov.u32 a, 7; add.u32 a0, a, 1; add.u32 a1, a0, a;\n"
            "st.global.u32 [%rd0], a; st.global.u32 [%rd0+4], a0; st.global.u32 [%rd0+8], a1;",
            {7, 8, 15}, none);
        row("register beside a range",
            ".reg .f32 a<2>; .reg .b32 a; mov.f32 a1, 0f3F800000; mov.u32 a, 9;\n"
            "st.global.f32 [%rd0], a1; st.global.u32 [%rd0+4], a;",
            {0x3f800000, 9}, none);
        row("in a scope of its own",
            ".reg .b32 a<2>; mov.u32 a1, 3; { .reg .b32 a; mov.u32 a, a1; mov.u32 a0, a; }\n"
            "st.global.u32 [%rd0], a0;",
            {3}, none);
        row("register plus constant",
            "mov.u32 %r4, 40; mov.u32 %r5, %r4+2; st.global.u32 [%rd0], %r5;\n"
            "mul.lo.s32 %r6, %r4+2, 3; st.global.u32 [%rd0+4], %r6;\n"
            "mad.lo.s32 %r6, %r4+-1, %r5+1+1, %r4+3; st.global.u32 [%rd0+8], %r6;\n"
            "st.global.u32 [%rd0+12], %r4+2;",
            {42, 126, 39 * 44 + 43, 42}, none);
        row("narrow and wide registers plus constants",
            "mov.u16 %rs1, 65535; cvt.u32.u16 %r4, %rs1+3; st.global.u32 [%rd0], %r4;\n"
            "mov.u32 %r5, 5; mul.wide.u32 %rd4, %r5+2, 3; mov.u64 %rd5, %rd4+1; st.global.u32 [%rd0+4], %rd5;",
            {2, 22}, none);
        row("vector",
            ".reg .v2 .u32 two; .reg .u32 sum; mov.u32 two.x, 1; mov.u32 two.y, 5; add.u32 sum, two.x, two.y;\n"
            "mov.u32 two.x, two.y; mov.u32 two.y, sum; st.global.v2.u32 [%rd0], two;\n"
            ".reg .v4 .f32 q; mov.f32 q.a, 0f40000000; mov.f32 q.r, q.w; st.global.f32 [%rd0+8], q.x;",
            {5, 6, 0x40000000}, none);
        row("range of vectors",
            ".reg .v2 .u32 t<3>; mov.u32 t0.x, 4; mov.u32 t2.y, t0.x; mov.u32 t2.x, 2;\n"
            "mov.b64 %rd4, t2; st.global.u64 [%rd0], %rd4;",
            {2, 4}, none);
        row("bytes",
            ".reg .u8 low, other<2>; mov.u32 %r4, 0x1234; cvt.u8.u32 low, %r4; st.global.u8 [%rd0], low;\n"
            "ld.global.u8 other1, [%rd0]; cvt.u32.u8 %r5, other1; st.global.u32 [%rd0+4], %r5;",
            {0x34, 0x34}, none);
        row("variables of a function",
            ".global .u32 seven = 7; .const .u32 five[2] = {4, 5}; .global .u64 at = seven;\n"
            "ld.global.u32 %r4, [seven]; ld.const.u32 %r5, [five+4]; add.u32 %r4, %r4, %r5;\n"
            "st.global.u32 [%rd0], %r4; ld.global.u64 %rd4, [at]; ld.global.u32 %r4, [%rd4];\n"
            "st.global.u32 [%rd0+4], %r4; mov.u64 %rd5, five; ld.u32 %r4, [%rd5];\n"
            "st.global.u32 [%rd0+8], %r4;",
            {12, 7, 4}, none);
        row("one name in several scopes",
            "{ .global .u32 v = 1; ld.global.u32 %r4, [v]; } { .global .u32 v = 2; ld.global.u32 %r5, [v]; }\n"
            "ld.global.u32 %r6, [v]; st.global.u32 [%rd0], %r4; st.global.u32 [%rd0+4], %r5; st.global.u32 [%rd0+8], "
            "%r6;",
            {1, 2, 3}, ".global .u32 v = 3;");
    }

    void rareDeclarations()
    {
        QFETCH(QByteArray, outside);
        QFETCH(QByteArray, body);
        QFETCH(QVector<unsigned>, expected);
        Lab lab;
        // In the zero byte of a string some compilers end their PTX.
        QVERIFY2(lab.load(handWritten(body.toStdString(), outside.toStdString()) + std::string(2, '\0')), lab.why());
        const DevicePtr out = lab.put(std::vector<std::uint32_t>(8));
        QVERIFY2(lab.run("k", {1}, {1}, {out, out, out}), lab.why());
        const auto got = lab.get<std::uint32_t>(out, std::size_t(expected.size()));
        QCOMPARE(got, std::vector<std::uint32_t>(expected.begin(), expected.end()));
    }

    /// cvt.pack, by the PTX ISA: both words cut to the range of the narrow type, a above b, c moved up. One
    /// instruction.
    void wordsArePackedWithSaturation()
    {
        Lab lab;
        QVERIFY2(lab.load(handWritten("mov.u32 %r4, 70000; mov.u32 %r5, -5; mov.u32 %r6, -300; mov.u32 %r7, 300;\n"
                                      "cvt.pack.sat.u16.s32 %r8, %r4, %r5; st.global.u32 [%rd0], %r8;\n"
                                      "cvt.pack.sat.s16.s32 %r8, %r6, %r4; st.global.u32 [%rd0+4], %r8;\n"
                                      "mov.u32 %r9, 7; cvt.pack.sat.s8.s32.b32 %r9, %r6, %r7, %r9;\n"
                                      "st.global.u32 [%rd0+8], %r9;\n"
                                      "cvt.pack.sat.u8.s32.b32 %r7, %r7, 9, 0xabcd; st.global.u32 [%rd0+12], %r7;\n"
                                      "cvt.pack.sat.u4.s32.b32 %r8, 20, 3, 5; st.global.u32 [%rd0+16], %r8;\n"
                                      "cvt.pack.sat.s2.s32.b32 %r8, -9, 9, 1; st.global.u32 [%rd0+20], %r8;")),
                 lab.why());
        const DevicePtr out = lab.put(std::vector<std::uint32_t>(6));
        QVERIFY2(lab.run("k", {1}, {1}, {out, out, out}), lab.why());
        QCOMPARE(lab.get<std::uint32_t>(out, 6),
                 (std::vector<std::uint32_t>{0xffff0000, 0xfed47fff, 0x0007807f, 0xabcdff09, 0x5f3, 0x19}));
        // 7 of the frame around it, 5 moves, 6 stores, 6 packs and the end.
        QCOMPARE(lab.counters.instExecuted, std::uint64_t{7 + 5 + 6 + 6 + 1});
        for (const char* wrong : {"cvt.pack.sat.u16.u32 %r4, %r5, %r6;", "cvt.pack.sat.s8.s32 %r4, %r5, %r6;",
                                  "cvt.pack.sat.u16.s32.b32 %r4, %r5, %r6, %r7;", "cvt.pack.u16.s32 %r4, %r5, %r6;"})
            QCOMPARE(errorOf(handWritten(wrong)).code, std::string("unsupported-instruction"));
    }

    void whatPtxasRefusesOfThem()
    {
        for (const auto& [body, says] : std::vector<std::pair<std::string, std::string>>{
                 {".reg .b32 a<2>; .reg .b32 a<3>;", "declared twice"},
                 {".reg .b32 a; .reg .b32 a<2>; .reg .b32 a1;", "'a1' is declared twice"},
                 {"add.f32 %f1, %f2+2, %f3;", "integer register"},
                 {"mov.u32 %r4+2, %r5;", "a result is a register alone"},
                 {"selp.b32 %r4, %r5, %r6, %p1+1;", "integer register"},
                 {"mov.u32 %r4, %r5[0];", "an index stands behind the name of an array"},
                 {".shared .u32 one; ld.shared.u32 %r4, one[0];", "an index stands behind the name of an array"},
                 {".shared .u32 t[4]; add.u32 %r4, t[1], 1;", "mov, cvta, ld, ldu and st alone"},
                 {".shared .u32 t[4]; red.shared.add.u32 t[1], 1;", "mov, cvta, ld, ldu and st alone"},
                 {".shared .u32 t[4]; ld.shared.u32 %r4, [t[1]];", "outside [ ]"},
                 {".reg .v2 .pred two;", "no predicates"},
                 {".reg .v4 .b64 wide;", "at most 128 bits"},
                 {".reg .v2 .u32 two; mov.u32 two.z, 1;", "no .z"},
                 {".global .u32 v = 1; .global .u32 v = 2;", "declared twice"},
                 {"mov.u32 %r4, 1;\\0mov.u32 %r5, 1;", "0x00"}}) {
            std::string text = body;
            if (const auto zero = text.find("\\0"); zero != std::string::npos)
                text.replace(zero, 2, 1, '\0');
            const Error error = errorOf(handWritten(text));
            QVERIFY2(error.code == "bad-ptx" && error.message.find(says) != std::string::npos,
                     (body + ": " + toText(error)).c_str());
        }
    }

    void unsupportedInstructionsAreListedTogether()
    {
        const Error error =
            errorOf(handWritten("bra L; L: mma.sp.commit_group;\n.loc 1 77 3\nvabsdiff.f32.u32.u32 %r4, %r5, "
                                "%r6;\nmov.u32 %r4, 1;\nadd.sat.u32 %r4, %r4, %r5;\n"
                                "mov.u64 %rd4, %pm0_64;"));
        QCOMPARE(error.code, std::string("unsupported-instruction"));
        for (const char* part : {"4 instructions", "mma.sp.commit_group in kernel k, PTX line 10",
                                 "vabsdiff.f32.u32.u32 in kernel k, PTX line 12, source line 77", "add.sat.u32",
                                 "%pm0_64 counts what only hardware has"})
            QVERIFY2(error.message.find(part) != std::string::npos, error.message.c_str());
    }

    void nothingIsANoOp()
    {
        for (const char* text :
             {"mma.sync.aligned.m16n8k16.row.row.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r4,%r5,%r6,%r7}, {%r8,%r9}, "
              "{%f1,%f2,%f3,%f4};",
              "mma.sync.aligned.m16n8k8.row.col.f32.e4m3.e4m3.f32 {%f1,%f2,%f3,%f4}, {%r4,%r5}, {%r8}, "
              "{%f1,%f2,%f3,%f4};",
              "ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%r4,%r5}, [%r5];",
              "cp.async.cg.shared.global [%r4], [%rd0], 4;", "call.uni printf, (%r4);", "shfl.up.b32 %r4, %r5, 1, 0;",
              "mul.sat.f32x2 %rd4, %rd5, %rd6;", "add.ftz.bf16 %rs1, %rs2, %rs3;",
              "atom.global.min.f32 %f1, [%rd0], %f2;", "tex.1d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [%rd0, {%r4}];",
              "cvt.rna.f32.f32 %f1, %f2;",
              "cp.async.bulk.tensor.3d.shared::cluster.global.im2col::w.mbarrier::complete_tx::bytes [%r4], "
              "[%rd0, {%r4, %r5, %r6}], [%r5], {%rs1, %rs2};",
              "tcgen05.wait::ld.sync.aligned;", "vote.ballot.b32 %r4, %p1;", "max.relu.u32 %r4, %r5, %r6;"}) {
            const Error error = errorOf(handWritten(text));
            QVERIFY2(error.code == "unsupported-instruction", (std::string(text) + ": " + toText(error)).c_str());
        }
    }

    void onlyTheKernelThatNeedsItIsRefused()
    {
        Lab lab;
        QVERIFY2(lab.load(withHead(".visible .entry good() { ret; }\n"
                                   ".visible .entry bad() {\n .reg .b32 %r<4>;\n add.sat.u32 %r0, %r1, %r2;\n"
                                   " shfl.up.b32 %r0, %r1, 1, 0;\n ret; }")),
                 lab.why());
        QVERIFY2(lab.run("good", {1}, {32}, {}), lab.why());
        QVERIFY(!lab.run("bad", {1}, {32}, {}));
        QCOMPARE(lab.code(), std::string("unsupported-instruction"));
        for (const char* part : {"2 instructions of kernel bad", "add.sat.u32", "PTX line 7", "shfl.up.b32"})
            QVERIFY2(lab.why().contains(part), lab.why());
        QVERIFY(!lab.run("none", {1}, {32}, {}));
        QVERIFY2(lab.why().contains("good, bad (not supported)"), lab.why());
    }

    void manyKernelsStandInTheOrderOfTheModule()
    {
        const auto moduleOf = [](std::string_view wrong, std::string_view in) {
            std::string text = withHead("");
            for (int kernel = 0; kernel < 40; ++kernel) {
                const std::string name = "k" + std::to_string(kernel);
                text += ".visible .entry " + name + "() {\n .reg .b32 %r<4>;\n";
                for (int line = 0; line < 60; ++line)
                    text += " add.u32 %r1, %r2, %r3;\n";
                text += in.find(" " + name + " ") != in.npos ? std::string(wrong) + "\n ret; }\n" : " ret; }\n";
            }
            return text;
        };
        for (const char* threads : {"1", "4"}) {
            qputenv("RIDGE_SIM_THREADS", threads);
            Lab lab;
            QVERIFY2(lab.load(moduleOf(" add.sat.u32 %r1, %r2, %r3;", " k7 k30 ")), lab.why());
            QVERIFY(lab.run("k29", {1}, {32}, {}));
            QCOMPARE(lab.counters.instExecuted, std::uint64_t{61});
            QVERIFY(!lab.run("none", {1}, {32}, {}));
            QVERIFY2(lab.why().contains("k0, k1, k2, k3, k4, k5, k6, k8, k9, k10"), lab.why());
            QVERIFY2(lab.why().contains("k38, k39, k30 (not supported), k7 (not supported)"), lab.why());
            // Of several mistakes the one that the reader meets first: line 3 + 9 * 63 + 63 of k9.
            const Error error = errorOf(moduleOf(" add.u32 %r1, %r2, %nothing;", " k9 k31 "));
            QVERIFY2(error.place.find("PTX line 633,") != std::string::npos, toText(error).c_str());
        }
        qunsetenv("RIDGE_SIM_THREADS");
    }

    void recursionWithoutEndIsStopped()
    {
        Lab lab;
        QVERIFY2(
            lab.load(withHead(".func f();\n.func f() { call.uni f; ret; }\n.visible .entry k() { call.uni f; ret; }")),
            lab.why());
        QVERIFY(!lab.run("k", {1}, {32}, {}));
        QCOMPARE(lab.code(), std::string("stack-overflow"));
    }

    void versionsAndTargets()
    {
        QCOMPARE(errorOf(".version 12.0\n.target sm_80\n").code, std::string("unsupported-ptx"));
        QCOMPARE(errorOf(".version 8.0\n.target gfx90\n").code, std::string("unsupported-ptx"));
        QCOMPARE(errorOf(".version 8.0\n.target sm_999\n").code, std::string("unsupported-ptx"));
        QCOMPARE(errorOf(".version 8.0\n.target sm_80\n.address_size 32\n").code, std::string("unsupported-ptx"));
        const Error newer = errorOf(".version 8.0\n.target sm_120\n.address_size 64\n.entry k() { ret; }");
        QCOMPARE(newer.code, std::string("unsupported-ptx"));
        QVERIFY(newer.message.find("9.0") != std::string::npos);
        QCOMPARE(errorOf("hello").code, std::string("bad-ptx"));
        QCOMPARE(errorOf("").code, std::string("bad-ptx"));
        QCOMPARE(errorOf(withHead(".visible .entry k() { ret; }")).code, std::string());
    }

    void damagedTextsNeverCrash()
    {
        DeviceOptions options;
        options.launchSeconds = 0.05;
        options.memoryBytes = 64u << 20;
        const std::string whole = fixture("kernels.nvcc.ptx");
        const std::string clang = fixture("kernels.clang.ptx");
        QVERIFY(!whole.empty() && !clang.empty());
        std::mt19937 random(12);
        int refused = 0;
        for (int round = 0; round < 400; ++round) {
            std::string text = round % 2 == 0 ? whole : clang;
            if (round % 5 == 0)
                text.resize(random() % text.size());
            for (unsigned edit = 0; edit < 1 + random() % 4 && !text.empty(); ++edit) {
                const std::size_t at = random() % text.size();
                const std::size_t from = random() % text.size();
                const std::size_t length = std::min<std::size_t>(random() % 40, text.size() - std::max(at, from));
                switch (random() % 4) {
                case 0:
                    text[at] = static_cast<char>(random());
                    break;
                case 1:
                    text.erase(at, length);
                    break;
                case 2:
                    text.replace(at, length, text, from, length);
                    break;
                default:
                    text.insert(at, "{[(<,;:!@%-.0x");
                    break;
                }
            }
            Lab lab(options);
            if (!lab.load(text)) {
                ++refused;
                QVERIFY(lab.problem->code == "bad-ptx" || lab.problem->code == "unsupported-ptx" ||
                        lab.problem->code == "unsupported-instruction" || lab.problem->code == "out-of-memory");
                QVERIFY(!lab.problem->message.empty());
                continue;
            }
            const DevicePtr a = lab.put(std::vector<float>(1024));
            for (const char* kernel : {"vecadd", "matmul_tiled", "reduce_sum", "spin_lock"})
                lab.run(kernel, {1}, {64}, {a, a, a, std::int32_t{16}}); // any answer will do
        }
        QVERIFY(refused > 100);
    }

    void deepNestingIsRefused()
    {
        std::string open(5000, '{');
        QCOMPARE(errorOf(handWritten(open)).code, std::string("bad-ptx"));
        QCOMPARE(errorOf(handWritten(open + std::string(5000, '}'))).code, std::string("bad-ptx"));
        QCOMPARE(errorOf(handWritten("mov.u32 %r4, " + std::string(5000, '(') + ";")).code, std::string("bad-ptx"));
        QCOMPARE(errorOf(withHead(".global .b8 x[9999999999999];")).code, std::string("bad-ptx"));
        QCOMPARE(errorOf(withHead(".global .b8 x[999999999999];")).code, std::string("out-of-memory"));
    }

    void layoutKeepsForwardEdgesAscending()
    {
        std::mt19937 random(13);
        for (int round = 0; round < 300; ++round) {
            // A random structured graph, its blocks then shuffled: loops nest, every branch has a join.
            const std::uint32_t n = 3 + random() % 12;
            FlowGraph graph(n);
            for (std::uint32_t at = 0; at + 1 < n; ++at) {
                graph[at].push_back(at + 1);
                if (random() % 2 != 0)
                    graph[at].push_back(at + 1 + random() % (n - at - 1));
            }
            std::vector<std::uint32_t> name(n);
            for (std::uint32_t at = 0; at < n; ++at)
                name[at] = at;
            std::shuffle(name.begin() + 1, name.end(), random);
            FlowGraph renamed(n);
            for (std::uint32_t at = 0; at < n; ++at)
                for (const std::uint32_t to : graph[at])
                    renamed[name[at]].push_back(name[to]);
            const auto order = layoutBlocks(renamed);
            QCOMPARE(order.size(), std::size_t(n));
            std::vector<std::size_t> position(n);
            for (std::size_t at = 0; at < order.size(); ++at)
                position[order[at]] = at;
            QCOMPARE(position[0], std::size_t(0));
            const auto meeting = postDominators(renamed);
            for (std::uint32_t at = 0; at < n; ++at) {
                for (const std::uint32_t to : renamed[at])
                    QVERIFY(position[at] < position[to]); // no cycles here
                QVERIFY(meeting[at] == n || position[meeting[at]] > position[at]);
            }
            QCOMPARE(meeting[name[n - 1]], n);
        }
    }

    void layoutKeepsLoopsTogether()
    {
        // 0 -> 1 (header) -> 2 -> 4 | 3;  3 (cold, last in the text would be 5) -> 1; 4 -> end
        const FlowGraph graph{{1}, {2, 4}, {5, 3}, {1}, {}, {3}};
        const auto order = layoutBlocks(graph);
        QCOMPARE(order, (std::vector<std::uint32_t>{0, 1, 2, 5, 3, 4}));
        QCOMPARE(postDominators(graph), (std::vector<std::uint32_t>{1, 4, 3, 1, 6, 3}));
    }

    void lineTableFollowsInlining()
    {
        const std::string text = fixture("kernels.nvcc.ptx");
        const auto module = parsePtx(text);
        QVERIFY(module.ok());
        const Function* reduce = module->function("reduce_sum");
        QVERIFY(reduce != nullptr);
        bool seen = false;
        for (const Statement& statement : reduce->body) {
            const auto* instruction = std::get_if<Instruction>(&statement);
            if (instruction == nullptr || instruction->opcode != "shfl")
                continue;
            seen = true;
            QCOMPARE(instruction->sourceLine, 41u); // the call in kernels.cu, not the line of NVIDIA's header
        }
        QVERIFY(seen);
    }
};

QTEST_APPLESS_MAIN(TestSimtPtx)
#include "tst_simt_ptx.moc"
