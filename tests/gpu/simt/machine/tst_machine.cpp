// SPDX-License-Identifier: GPL-3.0-or-later
// Lowering to machine instructions: what each pass must find, and that stalls and counters protect every register.
#include "gpu/simt/machine/listing.h"
#include "gpu/simt/ptx/predicate.h"
#include "machine_lab.h"
#include "tests/support/pace.h"

#include <QtTest>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

using namespace ridge;
using namespace ridge::gpu::simt;

namespace {

constexpr std::string_view kHead = ".version 8.0\n.target sm_70\n.address_size 64\n";

std::string readFile(const char* name)
{
    std::ifstream file(std::filesystem::path(RIDGE_MACHINE_FIXTURES) / name);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

std::vector<KernelImage> lowered(const std::string& ptx)
{
    auto module = parsePtx(ptx);
    if (!module) {
        qWarning("%s", module.error().message.c_str());
        return {};
    }
    predicateBranches(*module);
    VariableAddresses addresses;
    std::uint64_t next = 4096;
    for (const Variable& variable : module->variables) {
        if (variable.space != Space::Shared)
            addresses[variable.name] = std::exchange(next, next + 4096);
    }
    auto images = lowerModule(*module, addresses);
    if (!images) {
        qWarning("%s", images.error().message.c_str());
        return {};
    }
    return std::move(images->kernels);
}

MachineKernel machineOf(const KernelImage& image, int capability = 80)
{
    auto made = lowerToMachine(image, capability, defaultScheduleLatencies());
    return made ? std::move(*made) : MachineKernel{};
}

/// A kernel with one 64-bit parameter `p`, its global address in %rd1, %tid.x in %r1.
MachineKernel ofBody(const std::string& body, int capability = 80)
{
    std::ostringstream text;
    text << kHead << ".visible .entry k(.param .u64 p, .param .u32 n, .param .f32 x)\n{\n"
         << ".reg .pred %p<9>; .reg .b32 %r<32>; .reg .f32 %f<32>; .reg .b64 %rd<32>; "
         << ".reg .f64 %fd<16>; .shared .align 16 .b8 s[1024];\n"
         << "ld.param.u64 %rd0, [p]; cvta.to.global.u64 %rd1, %rd0; mov.u32 %r1, %tid.x;\n"
         << "ld.param.u32 %r2, [n]; ld.param.f32 %f1, [x];\n"
         << body << "\nret;\n}\n";
    const auto images = lowered(text.str());
    return images.empty() ? MachineKernel{} : machineOf(images.front(), capability);
}

/// How often each instruction occurs, by the first word of its mnemonic.
std::map<std::string, int> histogram(const MachineKernel& kernel)
{
    std::map<std::string, int> counts;
    for (const MachineOp& op : kernel.ops) {
        const std::string& name = kernel.mnemonics[op.mnemonic];
        ++counts[name.substr(0, name.find('.'))];
    }
    return counts;
}

bool overlaps(const RegisterRange& a, const RegisterRange& b)
{
    return a.count != 0 && b.count != 0 && a.first < b.first + b.count && b.first < a.first + a.count;
}

/// Every read of a register follows its writer by enough stalls, or by a wait for the writer's counter.
QString unprotectedRead(const MachineKernel& kernel, const ScheduleLatencies& latencies)
{
    for (const MachineBlock& block : kernel.blocks) {
        for (std::uint32_t writer = block.first; writer < block.end; ++writer) {
            const MachineOp& from = kernel.ops[writer];
            if (from.destination.count == 0)
                continue;
            int cycles = from.stall;
            bool waited = false;
            for (std::uint32_t at = writer + 1; at < block.end; ++at) {
                const MachineOp& op = kernel.ops[at];
                waited = waited || (from.writeCounter != kNoCounter && (op.waitMask >> from.writeCounter & 1u) != 0);
                const bool reads = std::any_of(op.sources.begin(), op.sources.end(), [&](const RegisterRange& range) {
                    return overlaps(range, from.destination);
                });
                const bool fixed = isFixedLatency(from.latency);
                const int needed = std::min<int>(latencies.cycles[static_cast<std::size_t>(from.latency)], 15);
                if (reads && (fixed ? cycles < needed : !waited))
                    return QString::fromStdString(kernel.mnemonics[from.mnemonic] + " -> " +
                                                  kernel.mnemonics[op.mnemonic]);
                if (overlaps(op.destination, from.destination))
                    break;
                cycles += op.stall;
            }
        }
    }
    return {};
}

} // namespace

class TestMachine : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void vectorAddHasTheInstructionsOfPtxas()
    {
        const auto images = lowered(readFile("stream.ptx"));
        QVERIFY(!images.empty());
        const auto add = std::find_if(images.begin(), images.end(), [](const auto& i) { return i.name == "vec_add"; });
        QVERIFY(add != images.end());
        const MachineKernel kernel = machineOf(*add);
        // nvdisasm of ptxas 13.0, sm_80: 2 S2R, IMAD, ISETP, 3 IMAD.WIDE, 2 LDG, STG, FADD, ULDC, 2 MOV, 2 EXIT.
        QCOMPARE(kernel.staticInstructions, 16u);
        auto counts = histogram(kernel);
        QCOMPARE(counts["LDG"], 2);
        QCOMPARE(counts["STG"], 1);
        QCOMPARE(counts["FADD"], 1);
        QCOMPARE(counts["S2R"], 2);
        QCOMPARE(count(kernel, "IMAD.WIDE"), 3);
    }

    void blocksBelongToThoseOfTheImage()
    {
        for (const char* file : {"stream.ptx", "reduce.ptx", "matrix.ptx"}) {
            const auto images = lowered(readFile(file));
            QVERIFY(!images.empty());
            for (const KernelImage& image : images) {
                const MachineKernel kernel = machineOf(image);
                QCOMPARE(kernel.blocks.size(), image.blocks.size());
                std::uint32_t at = 0;
                for (std::size_t block = 0; block < kernel.blocks.size(); ++block) {
                    QCOMPARE(kernel.blocks[block].first, at);
                    at = kernel.blocks[block].end;
                    for (std::uint32_t op = kernel.blocks[block].first; op < at; ++op) {
                        const std::uint32_t microOp = kernel.ops[op].microOp;
                        if (microOp != kNoMicroOp)
                            QCOMPARE(image.places[microOp].block, std::uint32_t(block));
                        QVERIFY(kernel.ops[op].covers < image.ops.size());
                        QVERIFY(kernel.ops[op].stall >= 1);
                    }
                }
                QCOMPARE(std::size_t(at), kernel.ops.size());
            }
        }
    }

    void everyReadIsProtected_data()
    {
        QTest::addColumn<int>("capability");
        for (const int capability : {70, 75, 80, 86, 89, 90, 100, 120})
            QTest::newRow(qPrintable(QString::number(capability))) << capability;
    }

    void everyReadIsProtected()
    {
        QFETCH(int, capability);
        for (const char* file : {"stream.ptx", "reduce.ptx", "matrix.ptx"}) {
            for (const KernelImage& image : lowered(readFile(file))) {
                const QString problem = unprotectedRead(machineOf(image, capability), defaultScheduleLatencies());
                QVERIFY2(problem.isEmpty(),
                         qPrintable(QString::fromStdString(image.name).append(QLatin1Char(32)).append(problem)));
            }
        }
    }

    void parametersAreOperands()
    {
        const MachineKernel kernel = ofBody("add.s32 %r3, %r1, %r2; st.shared.u32 [s], %r3;");
        auto counts = histogram(kernel);
        QCOMPARE(counts["IADD3"], 1);
        QCOMPARE(counts["LDC"], 0);
        QCOMPARE(counts["STS"], 1);
        // From compute capability 9.0 on a constant is loaded first.
        QCOMPARE(histogram(ofBody("add.s32 %r3, %r1, %r2; st.shared.u32 [s], %r3;", 90))["ULDC"], 1);
    }

    void bytesOfOneWarpNeedAUnit()
    {
        const std::string body = "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%f2, %f3, %f4, %f5},"
                                 "{%r1, %r2, %r1, %r2}, {%r2, %r1}, {%f1, %f1, %f1, %f1};"
                                 "st.shared.v4.f32 [s], {%f2, %f3, %f4, %f5};";
        for (const int capability : {89, 120}) {
            auto counts = histogram(ofBody(body, capability));
            QCOMPARE(counts["QMMA"], 1);
            QCOMPARE(counts["HMMA"] + counts["F2FP"], 0);
        }
        for (const int capability : {90, 100}) {
            auto counts = histogram(ofBody(body, capability));
            QCOMPARE(counts["QMMA"], 0);
            QCOMPARE(counts["HMMA"], 2);
            QCOMPARE(counts["F2FP"], 12);
        }
    }

    void addressesFuse()
    {
        const MachineKernel kernel = ofBody("mul.wide.s32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2;"
                                            "ld.global.f32 %f2, [%rd3+16]; st.shared.f32 [s], %f2;");
        QCOMPARE(count(kernel, "IMAD.WIDE"), 1);
        QCOMPARE(histogram(kernel)["IADD3"], 0);
        const MachineKernel shifted = ofBody("cvt.s64.s32 %rd2, %r1; shl.b64 %rd3, %rd2, 2; add.s64 %rd4, %rd1, %rd3;"
                                             "ld.global.f32 %f2, [%rd4]; st.shared.f32 [s], %f2;");
        QCOMPARE(count(shifted, "LEA"), 1);
        QCOMPARE(count(shifted, "LEA.HI.X.SX32"), 1);
        QCOMPARE(histogram(shifted)["SHF"], 0);
    }

    void constantOffsetsGoIntoTheInstruction()
    {
        const MachineKernel kernel =
            ofBody("mul.wide.s32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2; add.s64 %rd4, %rd3, 128;"
                   "ld.global.f32 %f2, [%rd3]; ld.global.f32 %f3, [%rd4]; add.f32 %f4, %f2, %f3;"
                   "st.shared.f32 [s], %f4;");
        QCOMPARE(histogram(kernel)["IADD3"], 0);
        QCOMPARE(histogram(kernel)["LDG"], 2);
    }

    void logicOfThreeInputsIsOneInstruction()
    {
        const MachineKernel kernel = ofBody("shr.u32 %r3, %r1, 3; not.b32 %r4, %r3; and.b32 %r5, %r1, %r2;"
                                            "or.b32 %r6, %r5, %r4; st.shared.u32 [s], %r6;");
        QCOMPARE(histogram(kernel)["LOP3"], 1);
    }

    void sumsOfThreeAndShiftedSums()
    {
        QCOMPARE(histogram(ofBody("add.s32 %r3, %r1, %r2; add.s32 %r4, %r3, %r1; st.shared.u32 [s], %r4;"))["IADD3"],
                 1);
        QCOMPARE(histogram(ofBody("shl.b32 %r3, %r1, 3; add.s32 %r4, %r3, %r2; st.shared.u32 [s], %r4;"))["LEA"], 1);
        QCOMPARE(histogram(ofBody("mul.lo.s32 %r3, %r1, 12; add.s32 %r4, %r3, %r1; st.shared.u32 [s], %r4;"))["IMAD"],
                 2); // the other moves the stack pointer
    }

    void comparisonsCombine()
    {
        const MachineKernel kernel =
            ofBody("setp.lt.s32 %p1, %r1, %r2; setp.gt.s32 %p2, %r1, 3; and.pred %p3, %p1, %p2;"
                   "selp.f32 %f2, %f1, 0f00000000, %p3; st.shared.f32 [s], %f2;");
        QCOMPARE(histogram(kernel)["ISETP"], 2);
        QCOMPARE(histogram(kernel)["PLOP3"], 0);
        QCOMPARE(histogram(kernel)["FSEL"], 1);
    }

    void doublesAndLongsSplit()
    {
        QCOMPARE(count(ofBody("ld.global.u64 %rd2, [%rd1]; ld.global.u64 %rd3, [%rd1+8]; add.s64 %rd4, %rd2, %rd3;"
                              "st.shared.u64 [s], %rd4;"),
                       "IADD3.X"),
                 1);
        QCOMPARE(count(ofBody("ld.global.u64 %rd2, [%rd1]; setp.lt.s64 %p1, %rd2, %rd0; selp.u32 %r3, 1, 2, %p1;"
                              "st.shared.u32 [s], %r3;"),
                       "ISETP.AND.EX"),
                 1);
    }

    void divisionsAreSequences()
    {
        // Lengths counted in ptxas' output; see expand_integer.cpp and expand_float.cpp.
        const auto empty = ofBody("st.shared.u32 [s], %r1;").ops.size();
        QCOMPARE(ofBody("div.s32 %r3, %r1, %r2; st.shared.u32 [s], %r3;").ops.size() - empty, 24u);
        QCOMPARE(ofBody("rem.u32 %r3, %r1, %r2; st.shared.u32 [s], %r3;").ops.size() - empty, 17u);
        const MachineKernel real = ofBody("cvt.rn.f32.u32 %f2, %r1; div.rn.f32 %f3, %f2, %f1; st.shared.f32 [s], %f3;");
        QCOMPARE(histogram(real)["FCHK"], 1);
        QCOMPARE(histogram(real)["FFMA"], 5);
        QVERIFY(real.staticInstructions > real.ops.size() + 90); // the slow path is in the program but not run
    }

    void sharedAddressesThatDifferByAConstantShareABase()
    {
        // As a front end leaves them in unrolled turns: the same index computed anew, 64-bit arithmetic around it.
        std::string body = "mov.u64 %rd2, s;";
        const auto name = [](const char* kind, int number) { return kind + std::to_string(number); };
        for (int turn = 0; turn < 4; ++turn) {
            const std::string shifted = name("%r", 10 + 3 * turn), masked = name("%r", 11 + 3 * turn);
            const std::string index = name("%r", 12 + 3 * turn), value = name("%f", 2 + turn);
            const std::string wide = name("%rd", 10 + 2 * turn), address = name("%rd", 11 + 2 * turn);
            body += "shl.b32 " + shifted + ", %r1, 2; and.b32 " + masked + ", " + shifted + ", 124; or.b32 " + index +
                    ", " + masked + ", " + std::to_string(128 * turn) + "; mul.wide.s32 " + wide + ", " + index +
                    ", 2; add.s64 " + address + ", %rd2, " + wide + "; ld.shared.f32 " + value + ", [" + address +
                    "]; add.f32 %f1, %f1, " + value + ";";
        }
        const MachineKernel kernel = ofBody(body + "st.global.f32 [%rd1], %f1;");
        QCOMPARE(count(kernel, "LDS"), 4);
        QCOMPARE(count(kernel, "LOP3.LUT"), 1);
        QCOMPARE(count(kernel, "IMAD.WIDE"), 0);
    }

    void eachLoadHasACounterOfItsOwnWhileThereAreAny()
    {
        const auto countersOf = [](int loads, bool together) {
            std::string body;
            for (int at = 0; at < loads; ++at)
                body += "ld.global.f32 %f" + std::to_string(2 + at) + ", [%rd1+" + std::to_string(512 * at) + "];";
            for (int at = 0; at < loads; at += together ? 2 : 1)
                body += "add.f32 %f" + std::to_string(16 + at) + ", %f" + std::to_string(2 + at) + ", %f" +
                        (together ? std::to_string(3 + at) : std::string("1")) + ";";
            for (int at = 0; at < loads; at += together ? 2 : 1)
                body += "st.global.f32 [%rd1+" + std::to_string(512 * at) + "], %f" + std::to_string(16 + at) + ";";
            const MachineKernel kernel = ofBody(body);
            std::set<int> counters;
            for (const MachineOp& op : kernel.ops)
                if (kernel.mnemonics[op.mnemonic].starts_with("LDG"))
                    counters.insert(op.writeCounter);
            return counters.size();
        };
        QCOMPARE(countersOf(5, false), std::size_t{5});
        QCOMPARE(countersOf(6, true), std::size_t{3}); // two that one addition waits for share
        QVERIFY(countersOf(12, false) <= 6);
    }

    void wordsOfSharedMemoryLoadTogether()
    {
        const std::string body = "shl.b32 %r3, %r1, 4; mov.u32 %r4, s; add.s32 %r5, %r4, %r3;"
                                 "ld.shared.f32 %f2, [%r5]; ld.shared.f32 %f3, [%r5+4]; ld.shared.f32 %f4, [%r5+8];"
                                 "ld.shared.f32 %f5, [%r5+12]; add.f32 %f6, %f2, %f3; add.f32 %f7, %f4, %f5;"
                                 "add.f32 %f8, %f6, %f7; st.global.f32 [%rd1], %f8;";
        QCOMPARE(count(ofBody(body), "LDS.128"), 1);
        std::string unaligned = body;
        unaligned.replace(unaligned.find("4; mov"), 1, "2");
        QCOMPARE(count(ofBody(unaligned), "LDS.128"), 0);
    }

    void shortBodiesHaveNoBranch()
    {
        const MachineKernel kernel =
            ofBody("setp.ge.s32 %p1, %r1, %r2; mov.f32 %f2, 0f00000000; @%p1 bra over;"
                   "ld.global.f32 %f2, [%rd1]; over: add.f32 %f3, %f2, %f1; st.shared.f32 [s], %f3;");
        QCOMPARE(histogram(kernel)["BRA"], 0);
        QCOMPARE(histogram(kernel)["BSSY"], 0);
    }

    void unreadHalvesVanish()
    {
        // Only the low word of the shifted value is stored.
        const MachineKernel kernel = ofBody("ld.global.u64 %rd2, [%rd1]; shr.u64 %rd3, %rd2, 9; cvt.u32.u64 %r3, %rd3;"
                                            "st.shared.u32 [s], %r3;");
        QCOMPARE(histogram(kernel)["SHF"], 1);
    }

    void listingShowsWhatBecameOfEachLine()
    {
        const auto images = lowered(readFile("stream.ptx"));
        const MachineKernel kernel = machineOf(images.front());
        const auto lines = listLines(images.front(), kernel);
        std::size_t shown = 0;
        bool load = false;
        for (const ListedLine& line : lines) {
            shown += line.machine.size();
            if (line.ptx == "ld.global.f32")
                load = load || (line.machine.size() == 1 && line.machine[0].rfind("LDG.E R", 0) == 0);
            if (line.ptx == "cvta.to.global.u64")
                QVERIFY(line.machine.empty());
        }
        QVERIFY(load);
        QCOMPARE(shown, kernel.ops.size());
        QVERIFY(listingText(images.front(), kernel).find("IMAD.WIDE") != std::string::npos);
        const ResourceUse use = resourceUse(images.front(), kernel, 80);
        QCOMPARE(use.constantBytes, 0x160u + images.front().paramBytes);
        QCOMPARE(use.registers, kernel.registers);
    }

    void launchBoundsLimitRegisters()
    {
        std::string ptx = readFile("matrix.ptx");
        const auto images = lowered(ptx);
        for (KernelImage image : images) {
            if (image.name != "sgemm_reg8")
                continue;
            image.requiredThreads = {1024, 1, 1};
            const MachineKernel kernel = machineOf(image);
            QVERIFY(kernel.registers <= 64);
            QVERIFY(kernel.spillBytes > 0);
            return;
        }
        QFAIL("sgemm_reg8 is missing");
    }

    void maxnregForcesSpillsThatAreLoadsAndStores()
    {
        std::string ptx = readFile("matrix.ptx");
        const std::size_t name = ptx.find(".entry sgemm_reg4(");
        QVERIFY(name != std::string::npos);
        const std::size_t body = ptx.find('{', name);
        ptx.insert(body, ".maxnreg 40\n");
        for (const KernelImage& image : lowered(ptx)) {
            if (image.name != "sgemm_reg4")
                continue;
            const MachineKernel kernel = machineOf(image);
            QVERIFY(kernel.registers <= 40);
            QVERIFY(histogram(kernel)["LDL"] > 0 && histogram(kernel)["STL"] > 0);
            QVERIFY(kernel.spillBytes >= 4);
            const QString problem = unprotectedRead(kernel, defaultScheduleLatencies());
            QVERIFY2(problem.isEmpty(), qPrintable(problem));
            return;
        }
        QFAIL("sgemm_reg4 is missing");
    }

    /// No more than ptxas 13.0 moves for sm_80 (`-v`): 324 words stored, 316 loaded. What registers do not lie side by
    /// side for is no reason to move more values.
    void aBoundMovesNoMoreThanItHasTo()
    {
        std::string ptx = readFile("matrix.ptx");
        const std::size_t name = ptx.find(".entry sgemm_reg8(");
        QVERIFY(name != std::string::npos);
        ptx.insert(ptx.find('{', name), ".maxnreg 64\n");
        for (const KernelImage& image : lowered(ptx)) {
            if (image.name != "sgemm_reg8")
                continue;
            const MachineKernel kernel = machineOf(image);
            QVERIFY(kernel.registers <= 64);
            auto words = histogram(kernel);
            QVERIFY2(words["LDL"] > 0 && words["LDL"] <= 316, qPrintable(QString::number(words["LDL"])));
            QVERIFY2(words["STL"] > 0 && words["STL"] <= 324, qPrintable(QString::number(words["STL"])));
            const QString problem = unprotectedRead(kernel, defaultScheduleLatencies());
            QVERIFY2(problem.isEmpty(), qPrintable(problem));
            return;
        }
        QFAIL("sgemm_reg8 is missing");
    }

    void loweringIsFastEnough()
    {
        // The issue asks for load and decode of the largest kernel in 20 ms; lowering takes 7.5 of them.
        const auto images = lowered(readFile("matrix.ptx"));
        const auto largest = std::max_element(images.begin(), images.end(),
                                              [](const auto& a, const auto& b) { return a.ops.size() < b.ops.size(); });
        QVERIFY(largest->ops.size() > 500);
        double best = std::numeric_limits<double>::max();
        for (int round = 0; round < 5; ++round) {
            const double start = test::threadMs();
            QVERIFY(!machineOf(*largest).ops.empty());
            best = std::min(best, test::threadMs() - start);
        }
        best /= test::pace(best);
        QVERIFY2(best < 15, qPrintable(QString::number(best)));
    }

    void oldCapabilitiesAreRefused()
    {
        const auto images = lowered(readFile("stream.ptx"));
        const auto refused = lowerToMachine(images.front(), 61, defaultScheduleLatencies());
        QVERIFY(!refused);
        QCOMPARE(refused.error().code, std::string("unsupported-capability"));
    }
};

QTEST_GUILESS_MAIN(TestMachine)
#include "tst_machine.moc"
