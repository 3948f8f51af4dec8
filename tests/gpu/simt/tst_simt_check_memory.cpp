// SPDX-License-Identifier: GPL-3.0-or-later
// The detectors look where the executor goes, whatever register and displacement make of an address, and never beyond
// their own memory; what they keep stays small.
#include "report_lab.h"

#include "gpu/simt/check/defined_bytes.h"
#include "gpu/simt/check/race_watch.h"

using namespace ridge;
using namespace ridge::gpu;
using namespace ridge::gpu::simt;

namespace {

/// %r6 lies 2048 below zero, and each lane 16 bytes further on than the one before; %rd6 the same in 64 bits.
std::string addressing(const std::string& body)
{
    return handWritten(".shared .align 128 .b8 tile[16384]; .local .align 16 .b8 loc[16384]; mov.u32 %r5, %laneid;"
                       " mad.lo.u32 %r6, %r5, 16, -2048; mov.u32 %r8, 255; mov.u64 %rd8, 255; mov.f32 %f1, 0f3F800000;"
                       " mov.b16 %rs1, 7; mov.u32 %r10, 1; mov.u32 %r11, 2; mov.u32 %r12, 3; mov.u32 %r13, 4;\n" +
                       body);
}

} // namespace

class TestSimtCheckMemory : public QObject {
    Q_OBJECT

    /// How a launch of one warp with a buffer of 4096 bytes ends: "done", or the code of its error.
    static std::string ending(Lab& lab, const std::string& ptx, bool checked)
    {
        if (!lab.load(ptx))
            return "not loaded: " + toText(*lab.problem);
        const DevicePtr buffer = lab.put(std::vector<std::uint32_t>(1024, 5));
        LaunchOptions options;
        options.check = options.checkGlobalRaces = checked;
        return lab.run("k", {1}, {32}, {buffer, buffer, buffer}, 0, options) ? "done" : lab.problem->code;
    }

private Q_SLOTS:
    void wrappedAddresses_data()
    {
        QTest::addColumn<QString>("body");
        QTest::addColumn<QString>("ends");
        const auto row = [](const char* name, const char* body, const char* ends = "done") {
            QTest::newRow(name) << QString::fromLatin1(body) << QString::fromLatin1(ends);
        };
        // 2048 below zero and 8192 above: in the array.
        row("load, shared", "ld.shared.u32 %r7, [%r6+8192];");
        row("byte, shared", "ld.shared.u8 %r7, [%r6+8195];");
        row("vector, shared", "ld.shared.v4.u32 {%r20, %r21, %r22, %r23}, [%r6+8192];");
        row("volatile, shared", "ld.volatile.shared.u32 %r7, [%r6+8192];");
        row("store, shared", "st.shared.u8 [%r6+8192], %r8;");
        row("vector store, shared", "st.shared.v2.u64 [%r6+8192], {%rd8, %rd8};");
        row("volatile store, shared", "st.volatile.shared.u32 [%r6+8192], %r8;");
        row("atomic, shared", "atom.shared.add.u32 %r7, [%r6+8192], %r8;");
        row("wide atomic, shared", "atom.shared.exch.b64 %rd7, [%r6+8192], %rd8;");
        row("reduction, shared", "red.shared.max.u32 [%r6+8192], %r8;");
        row("load, local", "ld.local.u32 %r7, [%r6+8192];");
        row("vector, local", "ld.local.v2.u64 {%rd7, %rd9}, [%r6+8192];");
        row("store, local", "st.local.u32 [%r6+8192], %r8;");
        row("vector store, local", "st.local.v4.u32 [%r6+8192], {%r10, %r11, %r12, %r13};");
        row("rows of a matrix", "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r20, %r21, %r22, %r23}, [%r6+8192];");
        row("copy into shared", "cp.async.ca.shared.global [%r6+8192], [%rd0], 16; cp.async.wait_all;");
        row("fragment", "wmma.load.a.sync.aligned.row.m16n16k16.shared.f16"
                        " {%r20, %r21, %r22, %r23, %r24, %r25, %r26, %r27}, [%r6+8192], %r30;");
        // Past the end, before the start, over the edge and over the wrap: the launch's own error and nothing else.
        row("past the end", "ld.shared.u32 %r7, [%r6+18432];", "out-of-bounds");
        row("past the end, local", "st.local.u32 [%r6+18432], %r8;", "out-of-bounds");
        row("before the start", "ld.shared.u32 %r7, [%r6+1024];", "out-of-bounds");
        row("before the start, local", "st.local.u32 [%r6+1024], %r8;", "out-of-bounds");
        row("atomic before the start", "atom.shared.add.u32 %r7, [%r6], %r8;", "out-of-bounds");
        row("vector over the end", "mov.u32 %r7, -16; ld.shared.v4.u32 {%r20, %r21, %r22, %r23}, [%r7+16392];",
            "misaligned");
        row("vector over the wrap", "mov.u32 %r7, -16; st.shared.v4.u32 [%r7+8], {%r10, %r11, %r12, %r13};",
            "misaligned");
        row("vector below the wrap", "mov.u32 %r7, -32; st.shared.v4.u32 [%r7+16], {%r10, %r11, %r12, %r13};",
            "out-of-bounds");
        row("rows before the start", "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r20}, [%r6+512];", "out-of-bounds");
        row("wide, past 32 bits", "mov.u64 %rd7, 0xfffff800; ld.shared.u32 %r7, [%rd7+8192];", "out-of-bounds");
        row("wide, before zero", "mov.u64 %rd7, -2048; st.local.u32 [%rd7+1024], %r8;", "out-of-bounds");
        row("wide, over zero", "mov.u64 %rd7, -2048; st.local.u32 [%rd7+8192], %r8;");
        row("generic, before zero", "mov.u64 %rd7, -2048; ld.u32 %r7, [%rd7+1024];", "out-of-bounds");
        row("generic, shared", "mov.u64 %rd7, tile; cvta.shared.u64 %rd7, %rd7; add.u64 %rd7, %rd7, -2048;"
                               " st.u32 [%rd7+8192], %r8; ld.u32 %r7, [%rd7+8192];");
        row("generic, shared, before the start",
            "mov.u64 %rd7, tile; cvta.shared.u64 %rd7, %rd7; st.u32 [%rd7+-2048], %r8;", "out-of-bounds");
        row("generic, local", "mov.u64 %rd7, loc; cvta.local.u64 %rd7, %rd7; add.u64 %rd7, %rd7, -2048;"
                              " st.u32 [%rd7+8192], %r8; ld.u32 %r7, [%rd7+8192];");
        row("generic, local, past the end", "mov.u64 %rd7, loc; cvta.local.u64 %rd7, %rd7; st.u64 [%rd7+65536], %rd8;",
            "out-of-bounds");
        row("global, before its start", "ld.global.u32 %r7, [%rd0+-2048];", "out-of-bounds");
        row("barrier object", "mov.u32 %r7, -2048; mbarrier.init.shared.b64 [%r7+8192], %r10;"
                              " mbarrier.arrive.shared.b64 %rd7, [%r7+8192];");
    }
    void wrappedAddresses()
    {
        QFETCH(QString, body);
        QFETCH(QString, ends);
        const std::string ptx = addressing("mov.u32 %r30, 16;" + body.toStdString());
        Lab lab;
        const std::string plain = ending(lab, ptx, false);
        QCOMPARE(QString::fromStdString(plain), ends);
        QCOMPARE(QString::fromStdString(ending(lab, ptx, true)), ends);
        for (const Report& report : lab.reports)
            QVERIFY2(report.code == "uninitialised-read" || report.code == "shared-race" ||
                         report.code == "global-race",
                     told(lab.reports).c_str());
    }

    void whatWasWrittenThroughAWrapIsKnown_data()
    {
        QTest::addColumn<QString>("space");
        QTest::addColumn<bool>("writes");
        for (const char* space : {"shared", "local"})
            for (const bool writes : {true, false})
                QTest::addRow("%s, %s", space, writes ? "written" : "not written") << space << writes;
    }
    /// The same bytes are written through a register below zero and read through one above, and reach global memory.
    void whatWasWrittenThroughAWrapIsKnown()
    {
        QFETCH(QString, space);
        QFETCH(bool, writes);
        const std::string in = space.toStdString();
        Lab lab;
        QVERIFY2(lab.load(addressing((writes ? "st." + in + ".u32 [%r6+8192], %r8;" : std::string()) +
                                     " add.u32 %r7, %r6, 6144; ld." + in +
                                     ".u32 %r9, [%r7+2048];"
                                     " mul.wide.u32 %rd5, %r0, 4;"
                                     " add.u64 %rd5, %rd0, %rd5;"
                                     " st.global.u32 [%rd5], %r9;")),
                 lab.why());
        const DevicePtr out = lab.put(std::vector<std::uint32_t>(1024, 5));
        QVERIFY2(lab.run("k", {1}, {32}, {out, out, out}, 0, watching()), lab.why());
        QCOMPARE(find(lab.reports, "uninitialised-read") == nullptr, writes);
    }

    void whatIsPrintedIsLookedAt_data()
    {
        QTest::addColumn<QString>("format");
        QTest::addColumn<QString>("value");
        QTest::addColumn<QString>("says");
        const auto row = [](const char* format, const char* value, const char* says = "") {
            QTest::newRow(format) << QString::fromLatin1(format) << QString::fromLatin1(value)
                                  << QString::fromLatin1(says);
        };
        row("%d", "st.local.u32 [list], %r10;");
        row("%d%%%u", "st.local.v2.u32 [list], {%r10, %r10};");
        row("%f and %lld", "st.local.u64 [list], %rd5; st.local.u64 [list+8], %rd5;");
        row("%i", "st.local.u32 [list], %r20;", "value 1 of its format, 4 bytes, of which nobody wrote any");
        row("%lld", "st.local.u32 [list], %r10;", "value 1 of its format, 8 bytes, of which nobody wrote 4");
        row("%d %x", "st.local.u32 [list], %r10;", "value 2 of its format, 4 bytes, of which nobody wrote any");
    }

    /// Shared memory that nobody wrote, and conversions that ask for more than was passed.
    void whatIsPrintedIsLookedAt()
    {
        QFETCH(QString, format);
        QFETCH(QString, value);
        QFETCH(QString, says);
        std::string bytes;
        for (const char letter : format.toStdString())
            bytes += std::to_string(int{letter}) + ", ";
        Lab lab;
        QVERIFY2(lab.load(handWritten(
                     ".shared .align 16 .b8 tile[64]; .local .align 8 .b8 list[16]; mov.u32 %r10, 1;"
                     " mov.u64 %rd5, 0; ld.shared.u32 %r20, [tile];\n" +
                         value.toStdString() +
                         "\n{ .param .b64 f; .param .b64 v; .param .b32 r; mov.u64 %rd6, text;"
                         " cvta.global.u64 %rd6, %rd6; mov.u64 %rd7, list; cvta.local.u64 %rd7, %rd7;"
                         " st.param.b64 [f], %rd6; st.param.b64 [v], %rd7; call.uni (r), vprintf, (f, v); }",
                     ".extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 v);\n"
                     ".global .align 1 .b8 text[] = {" +
                         bytes + "0};")),
                 lab.why());
        const DevicePtr out = lab.put(std::vector<std::uint32_t>(64));
        QVERIFY2(lab.run("k", {1}, {32}, {out, out, out}, 0, watching()), lab.why());
        QVERIFY2(lab.reports.size() == (says.isEmpty() ? 0u : 1u), told(lab.reports).c_str());
        if (!says.isEmpty()) {
            const Report& report = lab.reports.front();
            QVERIFY2(report.code == "uninitialised-read" && report.count == 32 &&
                         report.message.find(says.toStdString()) != std::string::npos,
                     told(lab.reports).c_str());
        }
    }

    void definednessIsKeptByTheByte_data()
    {
        QTest::addColumn<QString>("body");
        QTest::addColumn<bool>("silent");
        const auto row = [](const char* name, bool silent, const char* body) {
            QTest::newRow(name) << QString::fromLatin1(body) << silent;
        };
        // %r20: the low half was written; %r30: nothing ever; %r10 is 1. %r21 goes to global memory.
        row("prmt of the low bytes", true, "prmt.b32 %r21, %r20, %r30, 0x1010;");
        row("prmt of a high byte", false, "prmt.b32 %r21, %r20, %r30, 0x3333;");
        row("prmt of one that was never set", false, "prmt.b32 %r21, %r20, %r30, 0x4444;");
        row("prmt of both", true, "prmt.b32 %r21, %r10, %r30, 0x3210;");
        row("prmt of a sign", false, "prmt.b32 %r21, %r20, %r10, 0xbbbb;");
        row("prmt by a selector that nobody set", false, "prmt.b32 %r21, %r10, %r10, %r30;");
        row("and of the low half", true, "and.b32 %r21, %r20, 0xffff;");
        row("and of the high half", false, "and.b32 %r21, %r20, 0xff00ff;");
        row("and with zero", true, "and.b32 %r21, %r30, 0;");
        row("or with ones", true, "or.b32 %r21, %r20, 0xffff0000;");
        row("or with half the ones", false, "or.b32 %r21, %r20, 0xff000000;");
        row("shl past the high half", true, "shl.b32 %r21, %r20, 16;");
        row("shl by less", false, "shl.b32 %r21, %r20, 8;");
        row("shr of the high half", false, "shr.u32 %r21, %r20, 16;");
        row("shr with a sign", false, "shr.s32 %r21, %r20, 31;");
        row("shl by what nobody set", false, "shl.b32 %r21, %r10, %r30;");
        row("shf of two low halves", true, "shf.l.wrap.b32 %r21, %r10, %r20, 16;");
        row("shf with the high half", false, "shf.l.wrap.b32 %r21, %r20, %r10, 16;");
        row("bfe of the low half", true, "bfe.u32 %r21, %r20, 4, 8;");
        row("bfe of both halves", false, "bfe.u32 %r21, %r20, 12, 8;");
        row("bfe with a sign", false, "bfe.s32 %r21, %r20, 12, 8;");
        row("bfi over the high half", true, "bfi.b32 %r21, %r10, %r20, 16, 16;");
        row("bfi over a part of it", false, "bfi.b32 %r21, %r10, %r20, 16, 8;");
        row("lop3 that keeps the low half", true, "lop3.b32 %r21, %r20, 0xffff, %r10, 0xea;"); // (a & b) | c
        row("lop3 that looks at all", false, "lop3.b32 %r21, %r20, 0xffff, %r10, 0x96;");
        row("lop3 of itself", true, "lop3.b32 %r21, %r30, %r10, %r10, 0xaa;"); // c alone
        row("halves apart", true, "mov.b32 {%rs1, %rs2}, %r20; cvt.u32.u16 %r21, %rs1;");
        row("the other half", false, "mov.b32 {%rs1, %rs2}, %r20; cvt.u32.u16 %r21, %rs2;");
        row("halves put together anew", true, "mov.b32 {%rs1, %rs2}, %r20; mov.b32 %r21, {%rs1, %rs1};");
        row("words of 64 bits", true,
            "mov.b64 %rd4, {%r20, %r30}; mov.b64 {%r22, %r23}, %rd4; and.b32 %r21, %r22, 255;");
        row("the other word", false, "mov.b64 %rd4, {%r20, %r30}; mov.b64 {%r22, %r23}, %rd4; mov.b32 %r21, %r23;");
        row("cvt of the low half", true, "cvt.u16.u32 %rs1, %r20; cvt.s32.s16 %r21, %rs1;");
        row("cvt of a byte", true, "cvt.u32.u8 %r21, %r20;");
        row("cvt of what nobody set", false, "cvt.u32.u8 %r21, %r30;");
        row("sum of both halves", false, "add.u32 %r21, %r20, 1;");
        row("low half of a sum", true, "add.u32 %r22, %r20, 1; and.b32 %r21, %r22, 0xffff;");
        row("low half of a product", true, "mad.lo.u32 %r22, %r20, 3, %r10; shl.b32 %r21, %r22, 16;");
        row("high half of a sum", false, "add.u32 %r22, %r20, 1; shr.u32 %r21, %r22, 16;");
        row("choice of the whole one", true, "setp.eq.u32 %p1, %r10, 1; selp.b32 %r21, %r10, %r20, %p1;");
        row("choice of the other", true,
            "setp.eq.u32 %p1, %r10, 2; selp.b32 %r22, %r10, %r20, %p1; and.b32 %r21, %r22, 7;");
        row("comparison", false, "setp.eq.u32 %p1, %r20, 7; mov.b32 %r21, %r10; @%p1 bra L; L:");
        row("shuffle of a low half", true, "shfl.sync.idx.b32 %r22, %r20, 0, 31, -1; and.b32 %r21, %r22, 0xffff;");
        row("shuffle of a high half", false, "shfl.sync.idx.b32 %r22, %r20, 0, 31, -1; shr.u32 %r21, %r22, 16;");
        row("copy of a struct with padding", true, "mov.b32 %r21, %r20;");
        row("through shared memory", true,
            "st.shared.u32 [tile+8], %r20; ld.shared.u16 %rs1, [tile+8]; cvt.u32.u16 %r21, %rs1;");
        row("padding through shared memory", false,
            "st.shared.u32 [tile+8], %r20; ld.shared.u16 %rs1, [tile+10]; cvt.u32.u16 %r21, %rs1;");
        row("a byte of what nobody wrote", false, "ld.shared.u8 %r21, [tile+2];");
        row("packed sum, its low half", true, "add.f16x2 %r22, %r20, %r20; and.b32 %r21, %r22, 0xffff;");
        row("packed sum, its high half", false, "add.f16x2 %r22, %r20, %r20; shr.u32 %r21, %r22, 16;");
        row("one of two packed numbers", true, "cvt.rn.f16x2.f32 %r22, %f9, 0f3F800000; and.b32 %r21, %r22, 0xffff;");
        row("the other packed number", false, "cvt.rn.f16x2.f32 %r22, %f9, 0f3F800000; shr.u32 %r21, %r22, 16;");
    }

    /// The low half of a word of shared memory is written. Only what uses the other half is reported, once.
    void definednessIsKeptByTheByte()
    {
        QFETCH(QString, body);
        QFETCH(bool, silent);
        Lab lab;
        QVERIFY2(lab.load(handWritten(".shared .align 16 .b8 tile[64]; mov.u32 %r10, 1; mov.u16 %rs3, 0x1234;\n"
                                      "st.shared.u16 [tile], %rs3; ld.shared.u32 %r20, [tile];\n" +
                                      body.toStdString() + "\nst.global.u32 [%rd0], %r21;")),
                 lab.why());
        const DevicePtr out = lab.put(std::vector<std::uint32_t>(64));
        QVERIFY2(lab.run("k", {1}, {32}, {out, out, out}, 0, watching()), lab.why());
        std::erase_if(lab.reports, [](const Report& report) { return report.code != "uninitialised-read"; });
        QVERIFY2(lab.reports.size() == (silent ? 0u : 1u), told(lab.reports).c_str());
    }

    /// nvcc keeps places that are counted from the end below zero and adds the rest in the instruction.
    void anHonestTreeFromTheEnd()
    {
        Lab lab;
        QVERIFY2(lab.load(fixture("from_the_end.nvcc.ptx")), lab.why());
        constexpr std::uint32_t count = 1000;
        const DevicePtr x = lab.put(std::vector<float>(count, 2.0f), "x");
        const DevicePtr y = lab.put(std::vector<float>(count, 0.5f), "y");
        const DevicePtr sum = lab.put(std::vector<float>(1), "sum");
        QVERIFY2(lab.run("dot", {4}, {256}, {count, x, y, sum}, 0, watching(true)), lab.why());
        QVERIFY2(lab.reports.empty(), told(lab.reports).c_str());
        QCOMPARE(lab.get<float>(sum, 1).front(), 1000.0f);
    }

    /// A loop of copies that nobody waits for: one on its way for each place, not one for each turn.
    void copiesInALoopTakeNoMemory()
    {
        Lab lab;
        QVERIFY2(lab.load(addressing("mul.lo.u32 %r6, %r0, 4; mov.u32 %r7, 0;\n"
                                     "again: cp.async.ca.shared.global [%r6], [%rd0], 4; cp.async.commit_group;"
                                     " add.u32 %r7, %r7, 1; setp.lt.u32 %p1, %r7, 20000; @%p1 bra again;")),
                 lab.why());
        const DevicePtr in = lab.put(std::vector<std::uint32_t>(64, 1));
        const auto resident = [] {
            QFile file(QStringLiteral("/proc/self/statm"));
            return file.open(QIODevice::ReadOnly) ? file.readAll().split(' ').value(1).toLongLong() * 4096 : 0;
        };
        QVERIFY2(lab.run("k", {1}, {256}, {in, in, in}, 0, watching()), lab.why());
        QVERIFY2(resident() < (qint64{96} << 20),
                 std::to_string(resident()).c_str()); // before the others, which need more; it was 200 MB
    }

    void pairsOfBlocksAndAddressesAreKeptOnce()
    {
        const GlobalMemory memory(1 << 20);
        GlobalRaces races(memory);
        std::array<GlobalRaces::Addresses, 2> used;
        for (std::uint64_t turn = 0; turn < 1'000'000; ++turn) // two blocks that write one flag in turn
            races.synchronise(turn % 2, 4096, used[turn % 2]);
        QCOMPARE(races.meetings(), std::size_t{2});
        QCOMPARE(used[0].size(), std::size_t{1});
    }
    void aWatchThatWouldGrowWithoutEndEnds()
    {
        GlobalMemory memory(1 << 20);
        const std::uint64_t data = *memory.allocate(64, "data");
        GlobalRaces races(memory);
        GlobalRaces::Addresses used;
        races.note({1, 0, 0, 0, MemoryOp::Store}, data, 4, true);
        QVERIFY(races.conflict(1, data, 4, true, {}).has_value());
        for (std::uint64_t address = 0; address < GlobalRaces::kMostMeetings; ++address)
            races.synchronise(2, address * 4, used);
        QCOMPARE(races.meetings(), std::size_t{0});
        QVERIFY(!races.conflict(1, data, 4, true, {}).has_value());
    }
    /// Blocks may have bytes of one word each; who touches another's byte races.
    void blocksAreToldApartByTheByte()
    {
        GlobalMemory memory(1 << 20);
        const std::uint64_t data = *memory.allocate(64, "data");
        GlobalRaces races(memory);
        races.note({1, 0, 0, 0, MemoryOp::Store}, data, 2, true);
        QVERIFY(!races.conflict(1, data + 2, 2, true, {}).has_value());
        QVERIFY(!races.conflict(1, data + 2, 8, false, {}).has_value());
        QVERIFY(races.conflict(1, data + 1, 1, false, {}).has_value());
        QVERIFY(!races.conflict(0, data, 4, true, {}).has_value());
        races.note({2, 0, 0, 1, MemoryOp::Load}, data + 6, 2, false);
        races.note({2, 0, 0, 2, MemoryOp::Load}, data + 7, 1, false);
        races.note({2, 0, 0, 3, MemoryOp::Load}, data + 5, 1, false);
        QVERIFY(races.conflict(1, data + 7, 1, true, {}).has_value()); // the first reader, but not the only one
        QVERIFY(races.conflict(2, data + 6, 1, true, {}).has_value());
        QVERIFY(!races.conflict(1, data + 6, 1, true, {}).has_value());
        QVERIFY(!races.conflict(3, data + 5, 1, true, {}).has_value()); // who read it itself
    }
    /// Nobody gets rid of the watch without a word: a grading takes it for what it is.
    void theEndOfTheWatchIsReported()
    {
        Lab lab;
        QVERIFY2(lab.load(handWritten("mul.wide.u32 %rd5, %r0, 4; add.u64 %rd5, %rd0, %rd5;"
                                      " red.global.add.u32 [%rd5], 1;")),
                 lab.why());
        constexpr std::uint32_t threads = 1024, blocks = GlobalRaces::kMostMeetings / threads;
        const DevicePtr out = lab.put(std::vector<std::uint32_t>(GlobalRaces::kMostMeetings));
        QVERIFY2(lab.run("k", {blocks - 1}, {threads}, {out, out, out}, 0, watching(true)), lab.why());
        QVERIFY2(lab.reports.empty(), told(lab.reports).c_str());
        QVERIFY2(lab.run("k", {blocks}, {threads}, {out, out, out}, 0, watching(true)), lab.why());
        QVERIFY2(lab.reports.size() == 1 && find(lab.reports, "unwatched-blocks") != nullptr,
                 told(lab.reports).c_str());
    }

    /// Addresses that nobody has an entry for any more still order who meets there.
    void warpsThatMeetAtManyAddressesStayOrdered()
    {
        SharedRaces races(2, 64);
        for (std::uint64_t key = 0; key < SharedRaces::kMostKeys + 100; ++key)
            races.synchronise(0, 0, key);
        QVERIFY(races.keys() <= SharedRaces::kMostKeys + 1);
        races.note({1, 0, 0, 0, MemoryOp::Store}, 8, true);
        QVERIFY(races.conflict({2, 1, 0, 0, MemoryOp::Load}, 8, false).has_value());
        races.synchronise(0, 0, SharedRaces::kMostKeys + 50);
        races.synchronise(1, 0, SharedRaces::kMostKeys + 50);
        QVERIFY(!races.conflict({2, 1, 0, 0, MemoryOp::Load}, 8, false).has_value());
    }
    void storesInALoopTakeNoMemory()
    {
        DefinedBytes bytes;
        bytes.allocated(1 << 20, 4096);
        for (std::uint64_t turn = 0; turn < 1'000'000; ++turn)
            bytes.define((1 << 20) + turn % 3 * 64, 4);
        QVERIFY2(bytes.storage(1 << 20) < 65536, std::to_string(bytes.storage(1 << 20)).c_str());
        QVERIFY(bytes.isDefined((1 << 20) + 128, 4) && !bytes.isDefined((1 << 20) + 4, 4));
    }
};

QTEST_APPLESS_MAIN(TestSimtCheckMemory)
#include "tst_simt_check_memory.moc"
