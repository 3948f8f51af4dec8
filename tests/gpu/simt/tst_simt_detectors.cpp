// SPDX-License-Identifier: GPL-3.0-or-later
// Each mistake is found and named, in the PTX of both compilers, and its twin without the mistake is left alone.
#include "report_lab.h"

#include "gpu/simt/check/defined_bytes.h"
#include "gpu/simt/check/race_watch.h"

using namespace ridge;
using namespace ridge::gpu;
using namespace ridge::gpu::simt;

namespace {

/// Line of the `nth` occurrence of `text` after the definition of `kernel`.
std::uint32_t lineIn(const std::string& kernel, const std::string& text, int nth = 1)
{
    const std::string source = fixture("detectors.cu");
    auto at = source.find(" " + kernel + "(");
    for (int found = 0; found < nth; ++found)
        at = source.find(text, at + 1);
    return at == std::string::npos ? 0
                                   : 1 + static_cast<std::uint32_t>(std::count(
                                             source.begin(), source.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

} // namespace

class TestSimtDetectors : public QObject {
    Q_OBJECT

    static std::vector<const char*> builds() { return {"detectors.nvcc.ptx", "detectors.clang.ptx"}; }

    /// One block over `in` (512 values) and an output that nobody wrote.
    static void run(Lab& lab, const char* kernel, std::uint32_t threads, bool clearOut = false, bool global = false,
                    std::uint32_t blocks = 1)
    {
        std::vector<float> values(512);
        for (std::size_t at = 0; at < values.size(); ++at)
            values[at] = 0.25f * static_cast<float>(at); // all different: equal values are no race
        const DevicePtr in = lab.put(values, "in");
        const DevicePtr out = *lab.device->allocate(2048, "out");
        if (clearOut)
            QVERIFY(lab.device->copyToDevice(out, std::vector<std::byte>(2048)).ok());
        QVERIFY2(lab.run(kernel, {blocks}, {threads}, {in, out}, 0, watching(global)), lab.why());
    }

private Q_SLOTS:
    void races_data()
    {
        QTest::addColumn<QString>("kernel");
        QTest::addColumn<bool>("fires");
        QTest::addColumn<QString>("first");
        QTest::addColumn<QString>("second");
        const auto row = [](const char* kernel, bool fires, const char* first = "", const char* second = "") {
            QTest::newRow(kernel) << kernel << fires << first << second;
        };
        row("race_bad", true, "tile[127 -", "tile[threadIdx.x] =");
        row("race_good", false);
        row("rounds_bad", true, "tile[threadIdx.x] =", "tile[127 -");
        row("rounds_good", false);
        row("flag_good", false);
        row("count_bad", true, "count +=", "count +=");
        row("count_good", false);
    }
    void races()
    {
        QFETCH(QString, kernel);
        QFETCH(bool, fires);
        QFETCH(QString, first);
        QFETCH(QString, second);
        const std::string name = kernel.toStdString();
        for (const char* build : builds()) {
            Lab lab;
            QVERIFY2(lab.load(fixture(build)), lab.why());
            run(lab, name.c_str(), 128);
            const Report* race = find(lab.reports, "shared-race");
            QVERIFY2((race != nullptr) == fires, told(lab.reports).c_str());
            if (!fires) {
                QVERIFY2(lab.reports.empty(), told(lab.reports).c_str());
                continue;
            }
            const std::uint32_t a = lineIn(name, first.toStdString()), b = lineIn(name, second.toStdString());
            const bool named = std::any_of(lab.reports.begin(), lab.reports.end(), [&](const Report& report) {
                return report.code == "shared-race" && report.otherPlace && report.place.sourceLine == a &&
                       report.otherPlace->sourceLine == b && report.thread && report.other &&
                       report.thread->warp != report.other->warp;
            });
            QVERIFY2(named, told(lab.reports).c_str());
            QVERIFY(!race->fatal && race->count >= 1 && race->access && race->access->space == "shared");
            QVERIFY(!race->lookFor.empty());
        }
    }

    void uninitialised_data()
    {
        QTest::addColumn<QString>("kernel");
        QTest::addColumn<bool>("fires");
        QTest::addColumn<QString>("says");
        QTest::newRow("tile's end") << "unfilled_bad" << true << "shared memory, which nobody wrote";
        QTest::newRow("tile filled") << "unfilled_good" << false << "";
        QTest::newRow("read, not used") << "unfilled_unused_good" << false << "";
        QTest::newRow("sum into nothing") << "accumulate_bad" << true << "'out'";
        QTest::newRow("written before read") << "accumulate_good" << false << "";
    }
    void uninitialised()
    {
        QFETCH(QString, kernel);
        QFETCH(bool, fires);
        QFETCH(QString, says);
        for (const char* build : builds()) {
            Lab lab;
            QVERIFY2(lab.load(fixture(build)), lab.why());
            run(lab, kernel.toUtf8().constData(), 128);
            QVERIFY2(lab.reports.empty() != fires, told(lab.reports).c_str());
            if (!fires)
                continue;
            const Report* read = find(lab.reports, "uninitialised-read");
            QVERIFY2(read && QString::fromStdString(read->message).contains(says), told(lab.reports).c_str());
            QVERIFY(read->otherPlace && read->access && read->access->kind == "read");
        }
    }

    void undefinedValuesThatDecide()
    {
        for (const char* build : builds()) {
            Lab lab;
            QVERIFY2(lab.load(fixture(build)), lab.why());
            for (const auto& [kernel, what] :
                 {std::pair("index_bad", "is an address"), std::pair("branch_bad", "where the thread goes on")}) {
                const DevicePtr nothing = *lab.device->allocate(512, "indices");
                const DevicePtr out = lab.put(std::vector<float>(128), "out");
                QVERIFY2(lab.run(kernel, {1}, {128}, {nothing, out}, 0, watching()), lab.why());
                const Report* read = find(lab.reports, "uninitialised-read");
                QVERIFY2(read && read->message.find("'indices'") != std::string::npos, told(lab.reports).c_str());
                const bool decides = read->message.find(what) != std::string::npos ||
                                     read->message.find("whether the instruction runs") != std::string::npos;
                QVERIFY2(decides, told(lab.reports).c_str());
            }
        }
    }

    void registersThatNobodySet()
    {
        Lab lab;
        QVERIFY2(lab.load(handWritten("st.global.u32 [%rd0], %r9;")), lab.why());
        const DevicePtr a = lab.put(std::vector<std::uint32_t>(64), "a");
        QVERIFY2(lab.run("k", {1}, {32}, {a, a, a}, 0, watching()), lab.why());
        QCOMPARE(lab.reports.size(), std::size_t{1});
        QVERIFY(lab.reports[0].message.find("never given a value") != std::string::npos);
        // Given on one path only, and only then used: no report.
        QVERIFY2(lab.load(handWritten("setp.lt.u32 %p1, %r0, 8; @%p1 mov.u32 %r9, 7; @%p1 st.global.u32 [%rd0], %r9;"
                                      "selp.u32 %r10, %r9, 3, %p1; st.global.u32 [%rd0+4], %r10;")),
                 lab.why());
        QVERIFY2(lab.run("k", {1}, {32}, {a, a, a}, 0, watching()), lab.why());
        QVERIFY2(lab.reports.empty(), told(lab.reports).c_str());
        QVERIFY2(lab.load(handWritten("setp.lt.u32 %p1, %r0, 8; @%p1 mov.u32 %r9, 7; st.global.u32 [%rd0], %r9;")),
                 lab.why());
        QVERIFY2(lab.run("k", {1}, {32}, {a, a, a}, 0, watching()), lab.why());
        QVERIFY2(lab.reports.size() == 1 && lab.reports[0].thread->lane == 8, told(lab.reports).c_str());
    }

    void whatTheHostCopiedIsDefined()
    {
        Lab lab;
        QVERIFY2(lab.load(fixture("detectors.nvcc.ptx")), lab.why());
        run(lab, "accumulate_bad", 128, true);
        QVERIFY2(lab.reports.empty(), told(lab.reports).c_str());
        // What a watched kernel wrote is defined for the next one; what nobody watched is not judged.
        const DevicePtr in = lab.put(std::vector<float>(128), "in");
        const DevicePtr out = *lab.device->allocate(512, "out");
        QVERIFY(lab.run("accumulate_good", {1}, {128}, {in, out}, 0, watching()));
        QVERIFY(lab.run("accumulate_bad", {1}, {128}, {in, out}, 0, watching()));
        QVERIFY2(lab.reports.empty(), told(lab.reports).c_str());
        const DevicePtr fresh = *lab.device->allocate(512, "fresh");
        QVERIFY(lab.run("accumulate_good", {1}, {128}, {in, fresh}));
        QVERIFY(lab.run("accumulate_bad", {1}, {128}, {in, fresh}, 0, watching()));
        QVERIFY2(lab.reports.empty(), told(lab.reports).c_str());
    }

    /// Warps with roles of their own meet at a barrier with a number, each at another place, as Triton makes them do.
    void barriersOfRoles()
    {
        const auto reportsOf = [](const std::string& barrier, int parted) {
            Lab lab;
            const std::string part = parted == 32 ? "and.b32 %r3, %r0, 32;" : "and.b32 %r3, %r0, 1;";
            if (!lab.load(handWritten(part + "setp.ne.u32 %p1, %r3, 0;\n@%p1 bra B;\n" + barrier +
                                      "\nbra E;\nB: " + barrier + "\nE:")))
                qFatal("%s", lab.why().constData());
            const DevicePtr none = lab.put(std::vector<std::uint32_t>(1));
            (void)lab.run("k", {1}, {64}, {none, none, none}, 0, watching());
            return lab.reports.size();
        };
        QCOMPARE(reportsOf("barrier.sync 1;", 32), std::size_t{0});
        QCOMPARE(reportsOf("bar.sync 1;", 32), std::size_t{0});
        QVERIFY(reportsOf("bar.sync 0;", 32) > 0);
        QCOMPARE(reportsOf("barrier.sync 1;", 1), std::size_t{0});
        QVERIFY(reportsOf("barrier.sync 0;", 32) > 0);
        QVERIFY(reportsOf("bar.sync 1;", 1) > 0);
    }

    void divergentBarriers()
    {
        for (const char* build : builds()) {
            Lab lab;
            QVERIFY2(lab.load(fixture(build)), lab.why());
            run(lab, "divergent_bad", 64);
            const Report* report = find(lab.reports, "divergent-barrier");
            QVERIFY2(report && report->otherPlace, told(lab.reports).c_str());
            const std::uint32_t first = lineIn("divergent_bad", "__syncthreads", 1);
            const std::uint32_t second = lineIn("divergent_bad", "__syncthreads", 2);
            QCOMPARE(std::minmax(report->place.sourceLine, report->otherPlace->sourceLine), std::minmax(first, second));
            for (const char* kernel : {"divergent_good", "leave_early_good"}) {
                run(lab, kernel, 64);
                QVERIFY2(lab.reports.empty(), told(lab.reports).c_str());
            }
        }
    }

    void producersAndConsumersAreNotDivergent()
    {
        // Two warps meet at a barrier with a count: one arrives, one waits. What the first wrote is ordered.
        Lab lab;
        const std::string body = ".shared .align 4 .b8 s[4]; setp.lt.u32 %p1, %r0, 32; @!%p1 bra C;\n"
                                 "st.shared.u32 [s], %r1; bar.arrive 1, 64; bra E;\n"
                                 "C: bar.sync 1, 64; ld.shared.u32 %r4, [s]; st.global.u32 [%rd0], %r4; E:";
        QVERIFY2(lab.load(handWritten(body)), lab.why());
        const DevicePtr a = lab.put(std::vector<std::uint32_t>(64), "a");
        QVERIFY2(lab.run("k", {1}, {64}, {a, a, a}, 0, watching()), lab.why());
        QVERIFY2(lab.reports.empty(), told(lab.reports).c_str());
    }

    void endlessLoops()
    {
        for (const char* build : builds()) {
            Lab lab;
            QVERIFY2(lab.load(fixture(build)), lab.why());
            const auto cell = [&] { return lab.put(std::vector<std::int32_t>(64)); };
            for (const char* kernel : {"lock_bad", "wait_bad"}) {
                QVERIFY2(lab.run(kernel, {1}, {64}, {cell(), cell()}, 0, watching()), lab.why());
                QVERIFY2(!lab.reports.empty() && lab.reports.back().code == "endless-loop" &&
                             lab.reports.back().fatal && lab.reports.back().place.sourceLine != 0,
                         told(lab.reports).c_str());
            }
            QVERIFY2(lab.run("lock_good", {2}, {64}, {cell(), cell()}, 0, watching()), lab.why());
            QVERIFY2(lab.reports.empty(), told(lab.reports).c_str());
            const DevicePtr in = lab.put(std::vector<float>(64));
            QVERIFY2(lab.run("long_good", {1}, {64}, {in, in}), lab.why());
        }
        // Proved, not guessed: a loop that changes nothing, without a look at memory.
        Lab lab;
        QVERIFY2(lab.load(handWritten("mov.u32 %r4, 1; L: and.b32 %r4, %r4, 1; bra L;")), lab.why());
        const DevicePtr a = lab.put(std::vector<std::uint32_t>(64));
        QVERIFY(!lab.run("k", {3}, {64}, {a, a, a}));
        QCOMPARE(lab.code(), std::string("endless-loop"));
    }

    void blocksThatCannotStart()
    {
        for (const char* build : builds()) {
            Lab lab;
            QVERIFY2(lab.load(fixture(build)), lab.why());
            const auto arrived = [&] { return lab.put(std::vector<std::int32_t>(1), "arrived"); };
            QVERIFY2(lab.run("grid_barrier", {500}, {1024}, {arrived(), std::int32_t{500}}, 0, watching()), lab.why());
            QVERIFY2(!lab.reports.empty() && lab.reports.back().code == "never-resident-block",
                     told(lab.reports).c_str());
            QVERIFY2(lab.run("grid_barrier", {2}, {1024}, {arrived(), std::int32_t{2}}, 0, watching()), lab.why());
            QVERIFY2(lab.reports.empty(), told(lab.reports).c_str());
        }
    }

    void racesBetweenBlocks()
    {
        for (const char* build : builds()) {
            Lab lab;
            QVERIFY2(lab.load(fixture(build)), lab.why());
            run(lab, "blocks_bad", 64, true, true, 4);
            QVERIFY2(find(lab.reports, "global-race"), told(lab.reports).c_str());
            run(lab, "blocks_bad", 64, true, false, 4);
            QVERIFY2(lab.reports.empty(), "only where it is asked for");
            for (const char* kernel : {"blocks_good", "blocks_atomic_good"}) {
                run(lab, kernel, 64, true, true, 4);
                QVERIFY2(lab.reports.empty(), told(lab.reports).c_str());
            }
        }
    }

    void racesInABlockInDeviceMemory_data()
    {
        QTest::addColumn<QString>("body");
        QTest::addColumn<QString>("says"); // empty: no race
        // %rd4: this thread's word, %rd5: its neighbour's in the warp, %rd6: that of the other warp.
        const char* begin = "mul.wide.u32 %rd4, %r0, 4; add.u64 %rd4, %rd0, %rd4; xor.b32 %r3, %r0, 1;"
                            "mul.wide.u32 %rd5, %r3, 4; add.u64 %rd5, %rd0, %rd5; xor.b32 %r3, %r0, 32;"
                            "mul.wide.u32 %rd6, %r3, 4; add.u64 %rd6, %rd0, %rd6; add.u32 %r5, %r0, 1;\n";
        const auto row = [&](const char* name, const char* says, const char* body) {
            QTest::newRow(name) << QString::fromLatin1(begin) + QLatin1String(body) << QString::fromLatin1(says);
        };
        row("lanes", "of the same warp writes it", "st.global.u32 [%rd4], %r5; ld.global.u32 %r6, [%rd5];");
        row("lanes that have met", "",
            "st.global.u32 [%rd4], %r5; bar.warp.sync 0xffffffff; ld.global.u32 %r6, [%rd5];");
        row("warps", "warp 0 writes it",
            "st.global.u32 [%rd4], %r5; bar.warp.sync 0xffffffff; ld.global.u32 %r6, [%rd6];");
        row("warps behind a barrier", "", "st.global.u32 [%rd4], %r5; bar.sync 0; ld.global.u32 %r6, [%rd6];");
        row("a word over what another has read", "reads it", "ld.global.u32 %r6, [%rd6]; st.global.u32 [%rd4], %r5;");
        row("the same value by all", "", "mov.u32 %r6, 7; st.global.u32 [%rd0], %r6; ld.global.u32 %r6, [%rd4+4];");
        row("bytes of one word", "",
            "cvt.u64.u32 %rd7, %r0; add.u64 %rd7, %rd0, %rd7; st.global.u8 [%rd7], %r5; ld.global.u8 %r6, [%rd7];");
        row("by a flag", "",
            "setp.lt.u32 %p1, %r0, 32; @%p1 st.global.u32 [%rd4], %r5; @%p1 red.global.add.u32 [%rd1+512], 1;"
            "@!%p1 atom.global.add.u32 %r6, [%rd1+512], 0; @!%p1 ld.global.u32 %r6, [%rd6];");
    }
    void racesInABlockInDeviceMemory()
    {
        QFETCH(QString, body);
        QFETCH(QString, says);
        Lab lab;
        QVERIFY2(lab.load(handWritten(body.toStdString())), lab.why());
        const DevicePtr data = lab.put(std::vector<std::uint32_t>(256));
        QVERIFY2(lab.run("k", {1}, {64}, {data, data, data}, 0, watching(true)), lab.why());
        const auto isSaid = [&](const Report& report) {
            return report.code == "global-race" && report.message.find(says.toStdString()) != std::string::npos;
        };
        QVERIFY2(says.isEmpty() ? lab.reports.empty() : std::ranges::any_of(lab.reports, isSaid),
                 told(lab.reports).c_str());
        QVERIFY2(lab.run("k", {1}, {64}, {data, data, data}, 0, watching()), lab.why());
        QVERIFY2(lab.reports.empty(), "only where it is asked for");
    }

    void racesOfCopiesAndBytesBetweenBlocks_data()
    {
        QTest::addColumn<QString>("body");
        QTest::addColumn<bool>("fires");
        // %p1: the first of two blocks. %rd4: this lane's word; %p2: lane 0.
        const char* begin = ".shared .align 128 .b8 s[256]; setp.eq.u32 %p1, %r1, 0; mov.u32 %r3, %tid.x;"
                            "setp.eq.u32 %p2, %r3, 0; mul.wide.u32 %rd4, %r3, 4; add.u64 %rd4, %rd0, %rd4;"
                            "st.shared.u32 [s], %r1; and.pred %p3, %p1, %p2; not.pred %p4, %p1;"
                            "and.pred %p5, %p4, %p2; bar.sync 0;\n";
        const auto row = [&](const char* name, bool fires, const char* body) {
            QTest::newRow(name) << QString::fromLatin1(begin) + QLatin1String(body) << fires;
        };
        row("cp.async of another's words", true,
            "@%p1 st.global.u32 [%rd4], %r3; @%p5 cp.async.cg.shared.global [s+16], [%rd0], 16; cp.async.wait_all;");
        row("cp.async of other words", false,
            "@%p1 st.global.u32 [%rd4], %r3; @%p5 cp.async.cg.shared.global [s+16], [%rd0+128], 16;"
            "cp.async.wait_all;");
        row("cp.async that reads half", false,
            "@%p3 st.global.u32 [%rd0+8], %r3; mov.u32 %r5, 8;"
            "@%p5 cp.async.cg.shared.global [s+16], [%rd0], 16, %r5; cp.async.wait_all;");
        row("a bulk store over what another reads", true,
            "@%p1 ld.global.u32 %r6, [%rd4]; @%p5 cp.async.bulk.global.shared::cta.bulk_group [%rd0], [s], 16;"
            "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;");
        row("a bulk store elsewhere", false,
            "@%p1 ld.global.u32 %r6, [%rd4]; @%p5 cp.async.bulk.global.shared::cta.bulk_group [%rd0+128], [s], 16;"
            "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;");
        row("two bulk stores to one place", false,
            "@%p2 cp.async.bulk.global.shared::cta.bulk_group [%rd0], [s], 16; cp.async.bulk.commit_group;"
            "cp.async.bulk.wait_group 0;");
        row("bytes of one word", false,
            "mul.wide.u32 %rd5, %r1, 1; add.u64 %rd5, %rd0, %rd5; @%p2 st.global.u8 [%rd5], %r1;");
        row("one byte", true, "add.u32 %r6, %r1, 1; @%p2 st.global.u8 [%rd0+5], %r6;");
        row("a half over another's word", true,
            "@%p3 st.global.u32 [%rd0], 70000; mov.u16 %rs1, 7; @%p5 st.global.u16 [%rd0+2], %rs1;");
    }
    void racesOfCopiesAndBytesBetweenBlocks()
    {
        QFETCH(QString, body);
        QFETCH(bool, fires);
        std::string text = handWritten(body.toStdString());
        text.replace(text.find("sm_80"), 5, "sm_90");
        Lab lab;
        QVERIFY2(lab.load(text), lab.why());
        const DevicePtr data = lab.put(std::vector<std::uint32_t>(256));
        QVERIFY2(lab.run("k", {2}, {32}, {data, data, data}, 0, watching(true)), lab.why());
        QVERIFY2((find(lab.reports, "global-race") != nullptr) == fires, told(lab.reports).c_str());
        QVERIFY2(lab.reports.size() == (fires ? 1u : 0u), told(lab.reports).c_str());
        QVERIFY2(lab.run("k", {2}, {32}, {data, data, data}, 0, watching()), lab.why());
        QVERIFY2(lab.reports.empty(), "only where it is asked for");
    }

    void addresses_data()
    {
        QTest::addColumn<QString>("body");
        QTest::addColumn<QString>("code");
        QTest::newRow("past the end") << "st.global.u32 [%rd0+256], %r0;"
                                      << "out-of-bounds";
        QTest::newRow("misaligned") << "st.global.u32 [%rd0+2], %r0;"
                                    << "misaligned";
        QTest::newRow("null") << "mov.u64 %rd4, 0; st.global.u32 [%rd4+8], %r0;"
                              << "null-pointer";
        QTest::newRow("host heap") << "mov.u64 %rd4, 0x55d0c0ffee00; ld.global.u32 %r4, [%rd4];"
                                   << "host-pointer";
        QTest::newRow("host stack") << "mov.u64 %rd4, 0x7ffc12345670; ld.u32 %r4, [%rd4];"
                                    << "host-pointer";
        QTest::newRow("freed") << "ld.global.u32 %r4, [%rd1];"
                               << "use-after-free";
        QTest::newRow("trap") << "trap;"
                              << "launch-failed";
    }
    void addresses()
    {
        QFETCH(QString, body);
        QFETCH(QString, code);
        Lab lab;
        QVERIFY2(lab.load(handWritten(body.toStdString())), lab.why());
        const DevicePtr a = lab.put(std::vector<std::uint32_t>(64), "a");
        const DevicePtr gone = lab.put(std::vector<std::uint32_t>(64), "gone");
        QVERIFY(lab.device->free(gone).ok());
        LaunchOptions options;
        options.faultsAsReports = true;
        QVERIFY2(lab.run("k", {1}, {32}, {a, gone, a}, 0, options), lab.why());
        QCOMPARE(lab.reports.size(), std::size_t{1});
        const Report& report = lab.reports.front();
        QCOMPARE(QString::fromStdString(report.code), code);
        QVERIFY(report.fatal && report.thread && report.place.ptxLine != 0 && !report.cuda.empty());
        QVERIFY(!report.lookFor.empty());
        if (code == QLatin1String("out-of-bounds")) {
            QCOMPARE(report.access->allocation, std::string("a"));
            QCOMPARE(report.access->distance, std::int64_t{1});
            QCOMPARE(report.access->allocationBytes, std::uint64_t{256});
        }
        // Without the option the same is an error.
        QVERIFY(!lab.run("k", {1}, {32}, {a, gone, a}));
    }

    void watchingChangesNothing()
    {
        Lab lab;
        QVERIFY2(lab.load(fixture("kernels.nvcc.ptx")), lab.why());
        constexpr std::int32_t n = 64;
        std::vector<float> values(n * n);
        for (std::size_t at = 0; at < values.size(); ++at)
            values[at] = static_cast<float>(at % 13) * 0.25f;
        const DevicePtr a = lab.put(values), b = lab.put(values);
        const auto multiply = [&](const LaunchOptions& options) {
            const DevicePtr c = lab.put(std::vector<float>(n * n));
            const bool ran = lab.run("matmul_tiled", {4, 4}, {16, 16}, {a, b, c, n}, 0, options);
            return ran ? lab.get<float>(c, n * n) : std::vector<float>();
        };
        const auto plain = multiply({});
        const Counters counted = lab.counters;
        const auto watched = multiply(watching(true));
        QVERIFY2(!plain.empty() && plain == watched, lab.why());
        QVERIFY2(lab.reports.empty(), told(lab.reports).c_str());
        QCOMPARE(lab.counters.instExecuted, counted.instExecuted);
        QCOMPARE(lab.counters.threadInstExecuted, counted.threadInstExecuted);
        QCOMPARE(lab.counters.sharedLoadWavefronts, counted.sharedLoadWavefronts);
        QCOMPARE(lab.counters.globalLoadSectors, counted.globalLoadSectors);
        QCOMPARE(lab.counters.divergentBranches, counted.divergentBranches);
    }

    void theLabsOwnKernelsAreClean()
    {
        Lab lab;
        QVERIFY2(lab.load(fixture("kernels.clang.ptx")), lab.why());
        const DevicePtr in = lab.put(std::vector<float>(4096, 1.0f), "in");
        const DevicePtr out = lab.put(std::vector<float>(4096), "out");
        QVERIFY2(lab.run("transpose_tiled", {2, 2}, {32, 32}, {in, out, std::int32_t{64}}, 0, watching(true)),
                 lab.why());
        QVERIFY2(lab.reports.empty(), told(lab.reports).c_str());
    }

    void functionsPassTheirArguments()
    {
        for (const char* build : {"kernels.nvcc.ptx", "kernels.clang.ptx"}) {
            Lab lab;
            QVERIFY2(lab.load(fixture(build)), lab.why());
            const DevicePtr in = lab.put(std::vector<std::int32_t>(64, 7), "in");
            const DevicePtr out = *lab.device->allocate(256, "out");
            QVERIFY2(lab.run("calls", {1}, {64}, {in, out}, 0, watching()), lab.why());
            QVERIFY2(lab.reports.empty(), told(lab.reports).c_str());
        }
    }

    /// i < n && tile[i] > x without a branch: what lies beyond n is read and does not matter.
    void aKnownSideDecidesAJunction_data()
    {
        QTest::addColumn<QString>("join");
        QTest::addColumn<bool>("matters");
        QTest::newRow("and, false known")
            << QStringLiteral("setp.gt.u32 %p1, %r0, 99; and.pred %p3, %p1, %p2;") << false;
        QTest::newRow("and, true known") << QStringLiteral("setp.le.u32 %p1, %r0, 99; and.pred %p3, %p1, %p2;") << true;
        QTest::newRow("and, in place") << QStringLiteral("setp.gt.u32 %p3, %r0, 99; and.pred %p3, %p2, %p3;") << false;
        QTest::newRow("or, true known") << QStringLiteral("setp.le.u32 %p1, %r0, 99; or.pred %p3, %p2, %p1;") << false;
        QTest::newRow("or, false known") << QStringLiteral("setp.gt.u32 %p1, %r0, 99; or.pred %p3, %p2, %p1;") << true;
        QTest::newRow("or, turned") << QStringLiteral("setp.gt.u32 %p1, %r0, 99; or.pred %p3, !%p1, %p2;") << false;
    }
    void aKnownSideDecidesAJunction()
    {
        QFETCH(QString, join);
        QFETCH(bool, matters);
        Lab lab;
        QVERIFY2(lab.load(handWritten("ld.global.u32 %r4, [%rd1]; setp.gt.u32 %p2, %r4, 5;\n" + join.toStdString() +
                                      "\nselp.u32 %r5, 1, 2, %p3; st.global.u32 [%rd0], %r5;")),
                 lab.why());
        const DevicePtr a = lab.put(std::vector<std::uint32_t>(32));
        const DevicePtr nothing = *lab.device->allocate(512, "nothing");
        QVERIFY2(lab.run("k", {1}, {32}, {a, nothing, a}, 0, watching()), lab.why());
        QVERIFY2((find(lab.reports, "uninitialised-read") != nullptr) == matters, told(lab.reports).c_str());
    }

    void integersDividedByZero_data()
    {
        QTest::addColumn<QString>("body");
        QTest::addColumn<int>("lane"); // that does it first; -1: nobody
        const auto row = [](const char* name, const std::string& body, int lane) {
            QTest::newRow(name) << QString::fromStdString(body) << lane;
        };
        const std::string word = "st.global.u32 [%rd0], %r5;", wide = "st.global.u64 [%rd0], %rd5;";
        row("quotient", "sub.u32 %r4, %r0, 5; div.u32 %r5, 7, %r4;" + word, 5);
        row("remainder, 64 bits", "cvt.u64.u32 %rd4, %r0; sub.u64 %rd4, %rd4, 31; rem.s64 %rd5, %rd0, %rd4;" + wide,
            31);
        row("16 bits", "cvt.u16.u32 %rs4, %r0; div.s16 %rs5, 9, %rs4; st.global.u16 [%rd0], %rs5;", 0);
        row("never zero", "or.b32 %r4, %r0, 1; rem.s32 %r5, %r4, %r4;" + word, -1);
        row("guarded", "setp.ne.u32 %p1, %r0, 0; mov.u32 %r5, 0; @%p1 div.u32 %r5, 7, %r0;" + word, -1);
        row("branch around", "setp.eq.u32 %p1, %r0, 0; @%p1 bra E; div.u32 %r5, 7, %r0;" + word + "E:", -1);
        row("not used", "div.u32 %r5, 7, %r0;", -1);
        row("dropped", "setp.ne.u32 %p1, %r0, 0; div.u32 %r4, 7, %r0; selp.u32 %r5, %r4, 1, %p1;" + word, -1);
        row("decides", "div.u32 %r4, 7, %r0; setp.gt.u32 %p1, %r4, 3; @%p1 bra E;" + word + "E:", 0);
        row("counted on", "div.u32 %r4, 7, %r0; add.u32 %r5, %r4, 1;" + word, 0);
        row("float", "cvt.rn.f32.u32 %f4, %r0; div.rn.f32 %f5, %f4, %f4;", -1);
        row("high half only", "mov.b64 %rd4, {%r0, 1}; div.u64 %rd5, %rd0, %rd4;" + wide, -1);
    }
    void integersDividedByZero()
    {
        QFETCH(QString, body);
        QFETCH(int, lane);
        Lab lab;
        QVERIFY2(lab.load(handWritten(body.toStdString())), lab.why());
        const DevicePtr a = lab.put(std::vector<std::uint32_t>(64), "a");
        QVERIFY2(lab.run("k", {1}, {32}, {a, a, a}, 0, watching()), lab.why());
        const Report* report = find(lab.reports, "division-by-zero");
        QVERIFY2((report != nullptr) == (lane >= 0), told(lab.reports).c_str());
        if (report == nullptr)
            return;
        QVERIFY(!report->fatal && report->place.ptxLine != 0 && !report->lookFor.empty());
        QCOMPARE(int(report->thread->lane), lane);
        // Only where it is asked for; the kernel runs on in any case.
        QVERIFY2(lab.run("k", {1}, {32}, {a, a, a}), lab.why());
    }

    /// A lane that hands something on hands on what it did itself, and what its warp did before it last met.
    void aLaneHandsOnItsOwn_data()
    {
        QTest::addColumn<QString>("between");
        QTest::addColumn<QString>("release");
        QTest::addColumn<bool>("fires");
        const char* object = "mbarrier.arrive.shared.b64 %rd9, [gate];";
        const char* atomic = "atom.shared.exch.b32 %r9, [word], 1;";
        const char* flag = "st.volatile.shared.u32 [word], 1;";
        const char* release = "st.release.cta.shared.u32 [word], 1;";
        for (const auto& [name, how] : {std::pair("mbarrier", object), std::pair("atomic", atomic),
                                        std::pair("flag", flag), std::pair("release", release)}) {
            const QString one = QStringLiteral("@!%p5 ") + QLatin1String(how);
            QTest::addRow("%s, one lane", name) << QString() << one << true;
            QTest::addRow("%s, the warp meets", name) << QStringLiteral("bar.warp.sync -1;") << one << false;
            QTest::addRow("%s, every lane", name) << QString() << QString::fromLatin1(how) << false;
        }
    }
    void aLaneHandsOnItsOwn()
    {
        QFETCH(QString, between);
        QFETCH(QString, release);
        QFETCH(bool, fires);
        const bool isObject = release.contains(QLatin1String("mbarrier"));
        const bool isEvery = !release.startsWith(QLatin1Char('@'));
        // Warp 0 fills the tile, then says so; warp 1 waits and reads.
        const std::string body =
            ".shared .align 8 .b8 gate[8]; .shared .align 4 .b8 word[4]; .shared .align 4 .b8 tile[128];\n"
            "mov.u32 %r3, tile; and.b32 %r4, %r0, 31; shl.b32 %r5, %r4, 2; add.u32 %r3, %r3, %r5;\n"
            "setp.ne.u32 %p5, %r0, 0;\n@!%p5 mbarrier.init.shared.b64 [gate], " +
            std::string(isEvery ? "32" : "1") +
            ";\n@!%p5 st.shared.u32 [word], 0;\nbar.sync 0;\n"
            "setp.ge.u32 %p6, %r0, 32;\n@%p6 bra WAIT;\nst.shared.u32 [%r3], %r0;\n" +
            between.toStdString() + "\n" + release.toStdString() + "\nbra END;\nWAIT:\n" +
            (isObject ? "mbarrier.test_wait.parity.shared.b64 %p7, [gate], 0;"
                      : "ld.volatile.shared.u32 %r6, [word]; setp.ne.u32 %p7, %r6, 0;") +
            "\n@!%p7 bra WAIT;\nxor.b32 %r5, %r5, 124; mov.u32 %r3, tile; add.u32 %r3, %r3, %r5;\n"
            "ld.shared.u32 %r7, [%r3];\nmul.wide.u32 %rd3, %r4, 4; add.u64 %rd3, %rd0, %rd3;\n"
            "st.global.u32 [%rd3], %r7;\nEND:";
        Lab lab;
        QVERIFY2(lab.load(handWritten(body)), lab.why());
        const DevicePtr out = lab.put(std::vector<std::uint32_t>(64), "out");
        QVERIFY2(lab.run("k", {1}, {64}, {out, out, out}, 0, watching()), lab.why());
        QCOMPARE(lab.get<std::uint32_t>(out, 32)[3], 28u);
        const Report* race = find(lab.reports, "shared-race");
        QVERIFY2((race != nullptr) == fires, told(lab.reports).c_str());
        QVERIFY(!fires || (race->thread->warp == 1 && race->other->warp == 0 && race->other->lane != 0));
    }

    /// Volatile orders no lanes. A flag that somebody waits for is no such access, nor what it guards.
    void volatileDoesNotMakeLanesWait_data()
    {
        QTest::addColumn<QString>("steps");
        QTest::addColumn<bool>("fires");
        const auto step = [](int distance, const char* after) {
            return QStringLiteral("ld.volatile.shared.u32 %r6, [%r3+%1]; ld.volatile.shared.u32 %r7, [%r3];\n"
                                  "add.u32 %r6, %r6, %r7;\nst.volatile.shared.u32 [%r3], %r6;\n%2\n")
                .arg(QString::number(4 * distance), QLatin1String(after));
        };
        QTest::newRow("a tail") << step(16, "") + step(8, "") << true;
        QTest::newRow("met between") << step(16, "bar.warp.sync -1;") + step(8, "bar.warp.sync -1;") << false;
        QTest::newRow("each its own") << step(0, "") + step(0, "") << false;
        const char* met = "ld.volatile.shared.u32 %r6, [%r3+64]; bar.warp.sync -1;\n"
                          "st.volatile.shared.u32 [%r3], %r6;";
        QTest::newRow("plain, then volatile")
            << QStringLiteral("st.shared.u32 [%r3], %r0;\nld.volatile.shared.u32 %r6, [%r3+4];") << true;
        QTest::newRow("read, met, written") << QString::fromLatin1(met) << false;
        // Lane 0 writes and raises the flag, lane 1 waits for it and reads.
        const char* flag = "setp.eq.u32 %p5, %r0, 0; setp.ne.u32 %p6, %r0, 1;\n@%p5 bra RAISE;\n@%p6 bra NEXT;\n"
                           "POLL: ld.volatile.shared.u32 %r6, [word]; setp.eq.u32 %p7, %r6, 0;\n@%p7 bra POLL;\n"
                           "ld.volatile.shared.u32 %r7, [tile];\nbra NEXT;\nRAISE:\n"
                           "st.volatile.shared.u32 [tile], 7;\nst.volatile.shared.u32 [word], 1;\nNEXT:";
        QTest::newRow("a flag in the warp") << QString::fromLatin1(flag) << false;
    }
    void volatileDoesNotMakeLanesWait()
    {
        QFETCH(QString, steps);
        QFETCH(bool, fires);
        const std::string body = ".shared .align 4 .b8 word[4]; .shared .align 4 .b8 tile[256];\n"
                                 "mov.u32 %r3, tile; shl.b32 %r5, %r0, 2; add.u32 %r3, %r3, %r5;\n"
                                 "st.shared.u32 [%r3], %r0; st.shared.u32 [%r3+128], %r0; setp.ne.u32 %p4, %r0, 0;\n"
                                 "@!%p4 st.shared.u32 [word], 0;\nbar.sync 0;\n" +
                                 steps.toStdString();
        Lab lab;
        QVERIFY2(lab.load(handWritten(body)), lab.why());
        const DevicePtr out = lab.put(std::vector<std::uint32_t>(64), "out");
        QVERIFY2(lab.run("k", {1}, {32}, {out, out, out}, 0, watching()), lab.why());
        const Report* race = find(lab.reports, "shared-race");
        QVERIFY2((race != nullptr) == fires, told(lab.reports).c_str());
        QVERIFY(!fires || race->message.find("volatile") != std::string::npos);
    }

    void atMost64DifferentReports()
    {
        Lab lab;
        std::string many;
        for (int at = 0; at < 100; ++at)
            many += "ld.global.u32 %r4, [%rd1+" + std::to_string(4 * at) + "]; st.global.u32 [%rd0+" +
                    std::to_string(4 * at) + "], %r4;\n";
        QVERIFY2(lab.load(handWritten(many)), lab.why());
        const DevicePtr a = lab.put(std::vector<std::uint32_t>(128));
        const DevicePtr nothing = *lab.device->allocate(512, "nothing");
        QVERIFY2(lab.run("k", {2}, {64}, {a, nothing, a}, 0, watching()), lab.why());
        QCOMPARE(lab.reports.size(), std::size_t{64});
        QCOMPARE(lab.reports.front().count, std::uint64_t{4}); // two blocks of two warps
    }

    void definedBytes()
    {
        DefinedBytes bytes;
        bytes.allocated(1000, 200);
        QVERIFY(bytes.isDefined(0, 4));
        bytes.define(1010, 10);
        bytes.define(1020, 100);
        QVERIFY(!bytes.isDefined(1000, 4) && !bytes.isDefined(1008, 4));
        QVERIFY(bytes.isDefined(1010, 110) && !bytes.isDefined(1010, 111));
        bytes.define(1120, 200); // beyond the end: what is inside
        QVERIFY(bytes.isDefined(1199, 1) && !bytes.isDefined(1009, 1));
        bytes.freed(1000);
        QVERIFY(bytes.isDefined(1000, 4));
    }
};

QTEST_APPLESS_MAIN(TestSimtDetectors)
#include "tst_simt_detectors.moc"
