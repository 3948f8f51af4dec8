// SPDX-License-Identifier: GPL-3.0-or-later
// The copy engine and wgmma with the clock running: bytes, waiting, and the time that operands take.
#include "timing_lab.h"

#include "gpu/simt/image/tensor_map.h"

using namespace ridge;
using namespace ridge::gpu;
using namespace ridge::gpu::simt;

namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

std::string hopper(const std::string& body)
{
    std::string text = handWritten(body, ".extern .shared .align 128 .b8 d[];");
    text.replace(text.find("sm_80"), 5, "sm_90");
    return text;
}

/// Copies `bytes` for each block, `times` times one after another, each awaited; block b starts at b * bytes * times.
std::string fetch(u32 bytes, int times, bool awaited = true)
{
    std::string body = ".shared .align 8 .b64 bar; mov.u32 %r10, d; setp.eq.u32 "
                       "%p1, %r9, 0; @%p1 mbarrier.init.shared.b64 [bar], 1; bar.sync 0; mov.u32 %r11, %ctaid.x;"
                       "mul.wide.u32 %rd4, %r11, " +
                       std::to_string(bytes * u32(times)) + "; add.u64 %rd4, %rd4, %rd0;\n";
    body = "mov.u32 %r9, %tid.x;" + body;
    for (int at = 0; at < times; ++at) {
        const std::string n = std::to_string(at);
        body += "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], " + std::to_string(bytes) +
                "; @%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r10], [%rd4], " +
                std::to_string(bytes) + ", [bar];\n";
        if (awaited)
            body += "L" + n + ": mbarrier.try_wait.parity.shared.b64 %p2, [bar], " + std::to_string(at % 2) +
                    "; @!%p2 bra L" + n + ";\n";
        body += "add.u64 %rd4, %rd4, " + std::to_string(bytes) + ";";
    }
    return body + "ld.shared.u32 %r12, [%r10]; mul.wide.u32 %rd5, %r0, 4; add.u64 %rd5, %rd5, %rd1;"
                  "st.global.u32 [%rd5], %r12;";
}

/// `times` products of m64nNk16 in a row, A in registers or in shared memory; `end` stands behind them.
std::string products(int n, int times, bool fromRegisters,
                     const std::string& end = "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;")
{
    std::string d = "{";
    for (int at = 0; at < n / 2; ++at)
        d += (at == 0 ? "%g" : ", %g") + std::to_string(at);
    d += "}";
    const std::string one = "wgmma.mma_async.sync.aligned.m64n" + std::to_string(n) + "k16.f32.f16.f16 " + d + ", " +
                            (fromRegisters ? "{%r9,%r9,%r9,%r9}" : "%rd5") + ", %rd6, 1, 1, 1, " +
                            (fromRegisters ? "0" : "0, 0") + ";\n";
    std::string clear = ".reg .f32 %g<" + std::to_string(n / 2) + ">;";
    std::string keep;
    for (int at = 0; at < n / 2; ++at) {
        clear += "mov.f32 %g" + std::to_string(at) + ", 0f00000000;";
        keep += "add.f32 %f1, %f1, %g" + std::to_string(at) + ";";
    }
    return "mov.u32 %r10, d; mov.b32 %r9, 0; mov.f32 %f1, 0f00000000;"
           "shr.u32 %r15, %r10, 4; cvt.u64.u32 %rd4, %r15; or.b64 %rd5, %rd4, 0x0000000800400000;"
           "add.u64 %rd6, %rd4, 128; or.b64 %rd6, %rd6, 0x0000000800080000;" +
           clear + "wgmma.fence.sync.aligned;" + repeated(one, times) + end + keep +
           "mul.wide.u32 %rd7, %r0, 4; add.u64 %rd7, %rd7, %rd1; st.global.f32 [%rd7], %f1;";
}

} // namespace

class TestTimingAsync : public QObject {
    Q_OBJECT

    static bool time(TimedLab& lab, const std::string& ptx, u32 blocks, u32 threads, u32 shared, std::size_t bytes)
    {
        const DevicePtr in = lab.put(std::vector<u32>(bytes / 4, 1));
        const DevicePtr out = lab.put(std::vector<u32>(std::size_t{blocks} * threads));
        return lab.load(hopper(ptx)) && lab.time("k", {blocks}, {threads}, {in, out, out}, shared);
    }

    static double perProduct(int n, bool fromRegisters)
    {
        std::array<u64, 2> cycles{};
        for (const int at : {0, 1}) {
            TimedLab lab(shippedChip("h100-sxm"));
            if (!time(lab, products(n, at == 0 ? 8 : 40, fromRegisters), 1, 128, 16384, 64))
                qWarning("%s", lab.why().constData());
            cycles[std::size_t(at)] = lab.timing.cycles;
        }
        return double(cycles[1] - cycles[0]) / 32;
    }

private Q_SLOTS:
    void copiesMoveBytes()
    {
        TimedLab lab(shippedChip("h100-sxm"));
        QVERIFY2(time(lab, fetch(16384, 4), 2, 32, 16384, 2 * 4 * 16384), lab.why());
        QCOMPARE(lab.counters.bulkLoadBytes, u64{2 * 4 * 16384});
        // Every line came from memory once; the rest is the output.
        QVERIFY2(lab.timing.counters.dramReadBytes >= 2 * 4 * 16384 &&
                     lab.timing.counters.dramReadBytes < 2 * 4 * 16384 + 1024,
                 std::to_string(lab.timing.counters.dramReadBytes).c_str());
        QVERIFY(lab.timing.counters.l2Requests >= 2 * 4 * 128);
        QVERIFY(lab.timing.counters.l1SectorMisses < 64); // they pass by the L1
    }

    void waitingTakesTheTimeOfTheCopy()
    {
        const ChipTiming chip = shippedChip("h100-sxm");
        // 128 bytes at a time from memory: a latency each.
        std::array<u64, 2> cycles{};
        for (const int at : {0, 1}) {
            TimedLab lab(chip);
            QVERIFY2(time(lab, fetch(128, at == 0 ? 4 : 20), 1, 32, 16384, 1 << 16), lab.why());
            cycles[std::size_t(at)] = lab.timing.cycles;
        }
        const double each = double(cycles[1] - cycles[0]) / 16;
        const double least = chip.dramCycles + chip.latency[std::size_t(LatencyClass::BulkCopy)] - chip.l2HitCycles;
        QVERIFY2(each > least && each < least + 150, std::to_string(each).c_str());
        // One SM takes in so many bytes a cycle.
        for (const int at : {0, 1}) {
            TimedLab lab(chip);
            QVERIFY2(time(lab, fetch(32768, at == 0 ? 4 : 12, false), 1, 32, 32768, 12 * 32768), lab.why());
            cycles[std::size_t(at)] = lab.timing.cycles;
        }
        // Not awaited, they cost an issue slot each.
        QVERIFY2(cycles[1] - cycles[0] < 1000, std::to_string(cycles[1] - cycles[0]).c_str());
        for (const int at : {0, 1}) {
            TimedLab lab(chip);
            QVERIFY2(time(lab, fetch(32768, at == 0 ? 4 : 12), 1, 32, 32768, 12 * 32768), lab.why());
            cycles[std::size_t(at)] = lab.timing.cycles;
        }
        // The last of many lines has come from the other partition's memory.
        const double last = least + (chip.l2FarCycles - chip.l2HitCycles) / 2;
        const double rate = 8.0 * 32768 / (double(cycles[1] - cycles[0]) - 8 * last);
        QVERIFY2(std::abs(rate - chip.fillBytesPerCycle) < 0.15 * chip.fillBytesPerCycle, std::to_string(rate).c_str());
    }

    void allSmsReachTheBandwidthOfMemory()
    {
        const ChipTiming chip = shippedChip("h100-sxm");
        TimedLab lab(chip);
        const u32 blocks = 528;
        QVERIFY2(time(lab, fetch(32768, 2), blocks, 32, 32768, std::size_t{blocks} * 2 * 32768), lab.why());
        const double rate = double(lab.timing.counters.dramReadBytes) / double(lab.timing.cycles);
        QVERIFY2(rate < chip.dramBytesPerCycle() * 1.01 && rate > 0.7 * chip.dramBytesPerCycle(),
                 std::to_string(rate / chip.dramBytesPerCycle()).c_str());
    }

    void boxesAndStores()
    {
        TimedLab lab(shippedChip("h100-sxm"));
        std::vector<u32> in(64 * 64);
        const DevicePtr tensor = lab.put(in);
        TensorMap map;
        map.address = tensor.address;
        map.rank = 2;
        map.size = {64, 64, 1, 1, 1};
        map.stride = {256, 0, 0, 0};
        map.box = {16, 32, 1, 1, 1};
        const auto bytes = encodeTensorMap(map);
        QVERIFY(bytes.ok());
        const DevicePtr at = lab.put(std::vector<std::byte>(bytes->begin(), bytes->end()));
        const DevicePtr out = lab.put(std::vector<u32>(512));
        QVERIFY2(lab.load(hopper(".shared .align 128 .b8 s[2048]; .shared .align 8 .b64 bar; mbarrier.init.shared.b64 "
                                 "[bar], 1; mbarrier.arrive.expect_tx.shared.b64 _, [bar], 2048;"
                                 "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
                                 "[s], [%rd0, {16, 8}], [bar];\nL: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0; "
                                 "@!%p2 bra L; fence.proxy.async;"
                                 "cp.async.bulk.global.shared::cta.bulk_group [%rd1], [s], 2048;"
                                 "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;")),
                 lab.why());
        QVERIFY2(lab.time("k", {1}, {1}, {at, out, out}), lab.why());
        QCOMPARE(lab.counters.bulkLoadBytes, u64{2048});
        QCOMPARE(lab.counters.bulkStoreBytes, u64{2048});
        QVERIFY(lab.timing.cycles > 1200); // there and back
        // 32 rows of 64 B in lines of their own, 16 whole lines on the way back.
        QVERIFY(lab.timing.counters.l2Requests >= 48 && lab.timing.counters.l2Requests < 64);
    }

    /// n / 2 cycles from n = 64 on; below, A's 2 KB from shared memory take longer than the product.
    void productsTakeTheirShape()
    {
        const std::vector<std::array<int, 2>> fromShared{{256, 128}, {128, 64}, {64, 32}};
        for (const auto& [n, cycles] : fromShared) {
            const double each = perProduct(n, false);
            QVERIFY2(std::abs(each - cycles) <= 2, (std::to_string(n) + ": " + std::to_string(each)).c_str());
        }
        QVERIFY(std::abs(perProduct(256, true) - 128) <= 2);
        TimedLab lab(shippedChip("h100-sxm"));
        QVERIFY2(time(lab, products(64, 10, false), 1, 128, 16384, 64), lab.why());
        QCOMPARE(lab.counters.wgmmaSharedBytes, u64{10 * (64 * 32 + 64 * 32)});
        QVERIFY(lab.timing.counters.sharedWavefronts >= 10 * 32);
        // The same cycles and counts without the products, where time alone is asked for.
        const TimingReport whole = lab.timing;
        lab.options.timingOptions.estimate = Estimate::Always;
        lab.options.timingOptions.timeOnly = true;
        QVERIFY2(time(lab, products(64, 10, false), 1, 128, 16384, 64), lab.why());
        QVERIFY(lab.timing.extrapolation.resultsLeftOut);
        QCOMPARE(lab.timing.cycles, whole.cycles);
        QCOMPARE(lab.timing.hash, whole.hash);
        QCOMPARE(lab.counters.wgmmaSharedBytes, u64{10 * (64 * 32 + 64 * 32)});
    }

    /// wait_group holds the warp until all groups but so many are done: a group of one product takes 128 cycles.
    void warpsWaitForGroupsOfProducts()
    {
        std::array<u32, 3> waited{};
        for (u32 left = 0; left < waited.size(); ++left) {
            std::string body = products(256, 1, false, "wgmma.commit_group.sync.aligned;\n");
            const std::size_t first = body.find("wgmma.mma_async"), last = body.find("commit_group");
            const std::string one = body.substr(first, body.find('\n', last) - first);
            const std::string more = one + one + "wgmma.wait_group.sync.aligned " + std::to_string(left) +
                                     "; mov.u32 %r12, %clock; sub.u32 %r12, %r12, %r11;";
            body.insert(body.find('\n', last) + 1, more);
            body.insert(first, "mov.u32 %r11, %clock;");
            body += "st.global.u32 [%rd2], %r12;";
            TimedLab lab(shippedChip("h100-sxm"));
            const DevicePtr in = lab.put(std::vector<u32>(16)), out = lab.put(std::vector<u32>(256));
            const DevicePtr took = lab.put(std::vector<u32>(1));
            QVERIFY2(lab.load(hopper(body)) && lab.time("k", {1}, {128}, {in, out, took}, 16384), lab.why());
            waited[left] = lab.get<u32>(took, 1)[0];
        }
        const auto apart = [&](u32 least, u32 most) { return double(waited[least]) - double(waited[most]); };
        const std::string all =
            std::to_string(waited[0]) + " " + std::to_string(waited[1]) + " " + std::to_string(waited[2]);
        QVERIFY2(waited[0] >= 3 * 128 && waited[0] < 3 * 128 + 40, all.c_str());
        QVERIFY2(std::abs(apart(0, 1) - 128) < 16, all.c_str());
        QVERIFY2(apart(1, 2) >= 0 && apart(1, 2) < 16, all.c_str()); // the unit takes one when the last is done
    }

    /// A turn at the tensor cores is handed on behind its products, as the program says.
    void barriersStayBehindProducts()
    {
        TimedLab lab(shippedChip("h100-sxm"));
        lab.options.timingOptions.eventCapacity = 1 << 12;
        QVERIFY2(time(lab,
                      products(64, 4, false,
                               "wgmma.commit_group.sync.aligned; bar.arrive 1, 256; "
                               "wgmma.wait_group.sync.aligned 0;"),
                      1, 128, 16384, 64),
                 lab.why());
        std::string order;
        for (const MachineLine& line : lab.timing.machine) {
            for (const auto& [name, letter] :
                 {std::pair{"HGMMA", 'p'}, std::pair{"BAR.ARV", 'b'}, std::pair{"WARPGROUP.DEPBAR", 'w'}})
                order += line.text.starts_with(name) ? std::string(1, letter) : "";
        }
        QCOMPARE(QString::fromStdString(order), QStringLiteral("ppppwbw"));
    }
};

QTEST_APPLESS_MAIN(TestTimingAsync)
#include "tst_timing_async.moc"
