// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/seed.h"
#include "memory/dram.h"
#include "memory/dram_mapping.h"
#include "memory/dram_rules.h"

#include <QtTest>

#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <tuple>

using namespace ridge;
using namespace ridge::memory;

namespace {

/// DDR4-2400R, x8 chips of 8 Gb; Ramulator 2.1 c5b1c3a, python/ramulator/dram/ddr4.py, as all three here.
DramSpec ddr4()
{
    DramSpec s;
    s.pinRate = 2.4e9;
    s.pins = 64;
    s.halfTicks = 1;
    s.twoBuses = s.stacked = false;
    s.ddr = true;
    s.turnaround = 2;
    s.actTicks = s.preTicks = s.columnTicks = 1;
    s.pseudoChannels = s.ranks = 1;
    s.rows = 1 << 16;
    s.columns = 128;
    s.readQueue = s.writeQueue = 32;
    s.timings = {.burst = 4,
                 .cl = 16,
                 .cwl = 12,
                 .rcdRead = 16,
                 .rcdWrite = 16,
                 .rp = 16,
                 .rpAll = 16,
                 .ras = 39,
                 .rc = 55,
                 .writeRecovery = 18,
                 .rtp = 9,
                 .ccdShort = 4,
                 .ccdLong = 6,
                 .ccdShortWrite = 4,
                 .ccdLongWrite = 6,
                 .ccdRank = 6,
                 .rankSwitch = 2,
                 .rrdShort = 4,
                 .rrdLong = 6,
                 .faw = 26,
                 .wtrShort = 3,
                 .wtrLong = 9,
                 .readToWrite = 10,
                 .ppd = 0,
                 .rfc = 433,
                 .rfcBank = 433,
                 .refi = 9364,
                 .refiBank = 586,
                 .rrefd = 4};
    return s;
}

DramSpec hbm2()
{
    DramSpec s;
    s.pinRate = 2e9;
    s.pins = 64;
    s.prefetch = 4;
    s.halfTicks = 1;
    s.actTicks = 2;
    s.preTicks = s.columnTicks = 1;
    s.ranks = 1;
    s.rows = 1 << 14;
    s.readQueue = s.writeQueue = 64;
    s.turnaround = 2;
    s.timings = {.burst = 2,
                 .cl = 14,
                 .cwl = 5,
                 .rcdRead = 14,
                 .rcdWrite = 12,
                 .rp = 14,
                 .rpAll = 14,
                 .ras = 34,
                 .rc = 48,
                 .writeRecovery = 16,
                 .rtp = 5,
                 .ccdRank = 2,
                 .rrdShort = 4,
                 .rrdLong = 4,
                 .faw = 15,
                 .wtrShort = 6,
                 .wtrLong = 8,
                 .readToWrite = 13,
                 .ppd = 0,
                 .rfc = 160,
                 .rfcBank = 160,
                 .refi = 3900,
                 .refiBank = 122,
                 .rrefd = 8};
    return s;
}

DramSpec hbm3() // HBM3 6400, 8 Gb dies, 8 high: the defaults
{
    return {};
}

DramSpec twoRanks()
{
    DramSpec s = ddr4();
    s.ranks = 2;
    return s;
}

DramRun plain(std::uint64_t requests, std::function<DramRequest(std::uint64_t)> next)
{
    DramRun run;
    run.requests = requests;
    run.next = std::move(next);
    run.refresh = RefreshMode::None;
    return run;
}

DramPlace anywhere(const DramSpec& spec, Rng& rng)
{
    const std::uint64_t bursts = std::uint64_t{spec.bankCount()} * spec.rows * spec.columns;
    return placeOf(spec, 1, DramMapping::Rotate, rng.next() % bursts).place;
}

double bandwidthOf(const DramSpec& spec, const DramResult& result)
{
    const auto& c = result.counts;
    return static_cast<double>(c.reads + c.writes + c.probes) * spec.burstBytes() /
           (static_cast<double>(result.end) * spec.tick());
}

std::vector<DramCommand> commandsOf(const DramSpec& spec, DramRun run)
{
    std::vector<DramCommand> commands;
    run.command = [&](const DramCommand& c) { commands.push_back(c); };
    const auto result = simulate(spec, run);
    return result.ok() ? commands : std::vector<DramCommand>{};
}

/// Reads and writes that meet every rule: hits, conflicts, both directions, bursts of rows and far jumps.
DramRun mixed(const DramSpec& spec, std::uint64_t requests, std::uint64_t seed, double readShare)
{
    auto rng = std::make_shared<Rng>(seed);
    DramRun run;
    run.requests = requests;
    run.next = [&spec, rng, readShare](std::uint64_t k) {
        DramRequest request;
        request.place = rng->uniform() < 0.5 ? placeOf(spec, 1, DramMapping::Stagger, k).place : anywhere(spec, *rng);
        if (rng->uniform() < 0.3) { // crowd into a few banks
            request.place.bank = 0;
            request.place.row %= 4;
        }
        request.write = rng->uniform() >= readShare;
        return request;
    };
    return run;
}

/// Stream, and probe where wanted, of Ramulator's latency-throughput test.
DramResult streamed(const DramSpec& spec, double readShare, double interval, bool probe, std::uint64_t requests)
{
    Rng kinds(7), chase(9);
    DramRun run;
    run.requests = requests;
    run.interval = interval;
    run.next = [&](std::uint64_t k) {
        return DramRequest{placeOf(spec, 1, DramMapping::Stagger, k).place, kinds.uniform() >= readShare};
    };
    if (probe)
        run.probe = [&] { return anywhere(spec, chase); };
    return *simulate(spec, run);
}

} // namespace

class TestDram : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void oneReadFromAClosedBank_data();
    void oneReadFromAClosedBank();
    void aConflictCostsAPrechargeMore();
    void rowsThatFollowOneAnother();
    void aRowAnAccess();
    void fourActivatesAWindow();
    void closedRowsNeverHit();
    void refreshTakesItsShare();
    void banksAreRefreshedInTurn();
    void writesWaitAndAreDrained();
    void readsOfWhatIsToBeWritten();
    void lostTurns();
    void everyRuleIsKept_data();
    void everyRuleIsKept();
    void theRulesFindWhatBreaksThem_data();
    void theRulesFindWhatBreaksThem();
    void theRulesFindRowsThatAreNotOpen();
    void everyBurstHasAPlaceOfItsOwn_data();
    void everyBurstHasAPlaceOfItsOwn();
    void mappingsByHand();
    void otherRates();
    void badMemories_data();
    void badMemories();
    void stopsWhenAsked();
    void bandwidthOfRamulator_data();
    void bandwidthOfRamulator();
    void latencyOfRamulator_data();
    void latencyOfRamulator();
};

void TestDram::oneReadFromAClosedBank_data()
{
    QTest::addColumn<int>("memory");
    QTest::addColumn<int>("cycles");
    QTest::newRow("DDR4: tRCD + tCL + burst") << 0 << 16 + 16 + 4;
    QTest::newRow("HBM2: an ACT takes a cycle longer than a RD") << 1 << 14 + 14 + 2 + 1;
    QTest::newRow("HBM3: half a cycle longer, and a RD begins with a whole one") << 2 << 31 + 20 + 2 + 1;
}

void TestDram::oneReadFromAClosedBank()
{
    QFETCH(int, memory);
    QFETCH(int, cycles);
    const DramSpec spec = memory == 0 ? ddr4() : memory == 1 ? hbm2() : hbm3();
    const auto result = simulate(spec, plain(1, [](std::uint64_t) { return DramRequest{{0, 0, 1, 2, 3, 4}, false}; }));
    QVERIFY(result.ok());
    QCOMPARE(result->readLatency.size(), std::size_t{1});
    QCOMPARE(int(result->readLatency[0]), cycles * int(spec.halfTicks));
    QCOMPARE(result->counts.misses, 1u);
}

void TestDram::aConflictCostsAPrechargeMore()
{
    const DramSpec spec = ddr4();
    DramRun run = plain(9, [](std::uint64_t k) { return DramRequest{{0, 0, 0, 0, std::uint32_t(k), 0}, false}; });
    run.interval = 1000; // each alone
    const auto result = simulate(spec, run);
    QCOMPARE(result->counts.conflicts, 8u);
    QCOMPARE(result->readLatency.front(), 36u);
    QCOMPARE(result->readLatency.back(), 16u + 36u);
    run.next = [](std::uint64_t k) { return DramRequest{{0, 0, 0, 0, 5, std::uint32_t(k)}, false}; };
    const auto hits = simulate(spec, run);
    QCOMPARE(hits->counts.hits, 8u);
    QCOMPARE(hits->readLatency.back(), 16u + 4u);
}

void TestDram::rowsThatFollowOneAnother()
{
    // one miss a row of 128 bursts
    const DramSpec spec = ddr4();
    constexpr std::uint64_t kRows = 200;
    DramRun run = plain(kRows * spec.columns, [&](std::uint64_t k) {
        return DramRequest{placeOf(spec, 1, DramMapping::RoBaRaCoCh, k).place, false};
    });
    const auto result = simulate(spec, run);
    QCOMPARE(result->counts.hits, kRows * (spec.columns - 1));
    QCOMPARE(result->counts.misses, 16u); // banks that were never used
    QCOMPARE(result->counts.conflicts, kRows - 16);
    run.refresh = RefreshMode::AllBank; // closes the rows that are being read: at most all banks once each time
    const auto refreshed = simulate(spec, run);
    const auto& c = refreshed->counts;
    QVERIFY(c.refreshes > 5);
    QVERIFY(c.hits < kRows * (spec.columns - 1));
    QVERIFY(c.hits >= kRows * (spec.columns - 1) - c.refreshes * 2); // one row is read, the next may be open already
}

void TestDram::aRowAnAccess()
{
    // ACT, RD, PRE, ACT … of one bank: tRC each
    const DramSpec spec = ddr4();
    constexpr std::uint64_t kCount = 1000;
    const auto result = simulate(spec, plain(kCount, [](std::uint64_t k) {
                                     return DramRequest{{0, 0, 0, 0, std::uint32_t(k), 0}, false};
                                 }));
    QCOMPARE(result->counts.hits, 0u);
    QCOMPARE(result->end, std::int64_t((kCount - 1) * spec.timings.rc + 16 + 16 + 4));
}

void TestDram::fourActivatesAWindow()
{
    // another bank and another row each time: four rows in tFAW, 26 cycles, where tRRD_S alone would allow 6.5
    const DramSpec spec = ddr4();
    constexpr std::uint64_t kCount = 4000;
    DramRun run = plain(kCount, [&](std::uint64_t k) {
        DramRequest request{placeOf(spec, 1, DramMapping::Rotate, k).place, false};
        request.place.row = std::uint32_t(k / 16);
        request.place.column = 0;
        return request;
    });
    run.page = PagePolicy::Closed;
    const auto result = simulate(spec, run);
    const double cycles = double(result->end);
    const double windows = kCount / 4.0;
    QVERIFY2(std::abs(cycles / (windows * spec.timings.faw) - 1) < 0.01, qPrintable(QString::number(cycles / windows)));
}

void TestDram::closedRowsNeverHit()
{
    const DramSpec spec = ddr4();
    DramRun run = plain(3000, [&](std::uint64_t k) {
        return DramRequest{placeOf(spec, 1, DramMapping::RoBaRaCoCh, k).place, k % 3 == 0};
    });
    run.page = PagePolicy::Closed;
    const auto result = simulate(spec, run);
    QCOMPARE(result->counts.hits, 0u);
    QCOMPARE(result->counts.misses, 3000u);
    QCOMPARE(result->counts.precharges, 0u);
    QCOMPARE(result->counts.activates, 3000u);
}

void TestDram::refreshTakesItsShare()
{
    // peak (1 - (tRTP + tRP + tRFC + tRCD) / tREFI) is 1.2 % high for HBM3 and 0.6 % for HBM2 (Ramulator's own runs)
    for (const auto& [spec, error] : {std::pair{hbm3(), 0.012}, {hbm2(), 0.006}}) {
        const DramTimings& t = spec.timings;
        const double formula = spec.peak() * (1 - double(t.rtp + t.rp + t.rfc + t.rcdRead) / t.refi);
        const double achieved = bandwidthOf(spec, streamed(spec, 1, 0, false, 100000));
        QVERIFY2(std::abs(formula / achieved - 1 - error) < 0.004, qPrintable(QString::number(formula / achieved - 1)));
        QVERIFY(achieved < spec.peak() * (1 - double(t.rfc) / t.refi));
    }
}

void TestDram::banksAreRefreshedInTurn()
{
    const DramSpec spec = hbm3();
    DramRun run = plain(40000, [&](std::uint64_t k) {
        return DramRequest{placeOf(spec, 1, DramMapping::Stagger, k).place, false};
    });
    run.refresh = RefreshMode::PerBank;
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>, int> times;
    run.command = [&](const DramCommand& c) {
        QVERIFY(c.kind != DramCommandKind::Refresh);
        if (c.kind == DramCommandKind::RefreshBank)
            ++times[{c.place.pseudoChannel, c.place.rank, c.place.group, c.place.bank}];
    };
    const auto result = simulate(spec, run);
    QCOMPARE(times.size(), std::size_t{64}); // none is left out
    const double turns = double(result->end) / (2.0 * spec.timings.refiBank);
    QVERIFY(std::abs(double(result->counts.bankRefreshes) - 2 * turns) <= 4); // in both pseudo-channels
    run.command = {};
    run.refresh = RefreshMode::AllBank;
    QVERIFY(result->end < simulate(spec, run)->end); // the other banks go on
}

void TestDram::writesWaitAndAreDrained()
{
    // Reads go first until the write queue is four fifths full; then writes go in one go until one fifth is left.
    const DramSpec spec = ddr4();
    DramRun run = plain(4000, [&](std::uint64_t k) {
        return DramRequest{placeOf(spec, 1, DramMapping::Stagger, k).place, k % 2 == 0};
    });
    int turns = 0, columns = 0;
    bool writes = false;
    run.command = [&](const DramCommand& c) {
        if (c.kind != DramCommandKind::Read && c.kind != DramCommandKind::Write)
            return;
        ++columns;
        turns += (c.kind == DramCommandKind::Write) != writes;
        writes = c.kind == DramCommandKind::Write;
    };
    const auto result = simulate(spec, run);
    QCOMPARE(columns, 4000);
    QCOMPARE(result->counts.writes, 2000u);
    const double run1 = 2000.0 / (turns / 2.0); // writes in a row: from 26 of 32 to 6, and what comes meanwhile
    QVERIFY2(run1 > 18 && run1 < 60, qPrintable(QString::number(run1)));
}

void TestDram::readsOfWhatIsToBeWritten()
{
    const DramSpec spec = ddr4();
    // a write, a read of the same burst, one of its neighbour, a write to it again
    DramRun run = plain(4, [](std::uint64_t k) {
        return DramRequest{{0, 0, 0, 0, 7, k == 2 ? 1u : 0u}, k == 0 || k == 3};
    });
    const auto result = simulate(spec, run);
    QCOMPARE(result->counts.forwarded, 1u);
    QCOMPARE(result->counts.merged, 1u);
    QCOMPARE(result->counts.reads, 1u);
    QCOMPARE(result->counts.writes, 1u);
}

void TestDram::lostTurns()
{
    // Offered: one burst in 8 cycles, half of the peak. While memory is refreshed the queue of 32 fills in 256 cycles,
    // and turns of the remaining time are lost.
    const DramSpec spec = ddr4();
    DramRun run = plain(20000, [&](std::uint64_t k) {
        return DramRequest{placeOf(spec, 1, DramMapping::Stagger, k).place, false};
    });
    run.interval = 8;
    QVERIFY(std::abs(bandwidthOf(spec, *simulate(spec, run)) / (spec.peak() / 2) - 1) < 0.001);
    run.refresh = RefreshMode::AllBank;
    const double kept = bandwidthOf(spec, *simulate(spec, run)) / (spec.peak() / 2);
    const double lost = double(spec.timings.rfc + spec.timings.rp - 256) / spec.timings.refi;
    QVERIFY2(std::abs(1 - kept - lost) < 0.006, qPrintable(QString::number(1 - kept)));
}

void TestDram::everyRuleIsKept_data()
{
    QTest::addColumn<int>("memory");
    QTest::addColumn<bool>("closed");
    QTest::addColumn<int>("refresh");
    QTest::addColumn<double>("reads");
    const char* names[] = {"DDR4", "DDR4 of two ranks", "HBM2", "HBM3"};
    for (int memory = 0; memory < 4; ++memory)
        for (const bool closed : {false, true})
            for (int refresh = 0; refresh < 3; ++refresh)
                for (const double reads : {1.0, 0.6, 0.0})
                    QTest::addRow("%s, %s, refresh %d, %g reads", names[memory], closed ? "closed" : "open", refresh,
                                  reads)
                        << memory << closed << refresh << reads;
}

void TestDram::everyRuleIsKept()
{
    QFETCH(int, memory);
    QFETCH(bool, closed);
    QFETCH(int, refresh);
    QFETCH(double, reads);
    const DramSpec spec = memory == 0 ? ddr4() : memory == 1 ? twoRanks() : memory == 2 ? hbm2() : hbm3();
    DramRun run = mixed(spec, 4000, std::uint64_t(memory), reads);
    run.page = closed ? PagePolicy::Closed : PagePolicy::Open;
    run.refresh = static_cast<RefreshMode>(refresh);
    const auto commands = commandsOf(spec, run);
    QVERIFY(commands.size() > 4000);
    const auto broken = firstBroken(spec, commands);
    QVERIFY2(!broken, broken ? broken->c_str() : "");
}

void TestDram::theRulesFindWhatBreaksThem_data()
{
    // A controller that believes in one shorter timing is caught by the rules of the true one.
    QTest::addColumn<int>("which");
    int which = 0;
    for (const char* name :
         {"tRCD of reads", "tRCD of writes", "tRP", "tRAS", "tRC", "tWR", "tRTP", "tCCD_L", "tCCD_L of writes",
          "tRRD_S", "tRRD_L", "tFAW", "tWTR_S", "tWTR_L", "tRTW", "tRFC", "tPPD", "tCCD_R", "tRP of all banks"})
        QTest::newRow(name) << which++;
}

void TestDram::theRulesFindWhatBreaksThem()
{
    QFETCH(int, which);
    DramSpec truth = hbm3();
    truth.timings.ppd = 6;      // else the wires are slower
    truth.timings.rrdShort = 8; // else tFAW and tRRD_L hide it
    truth.timings.rrdLong = 12;
    truth.timings.faw = 40;
    truth.timings.ras = 50; // tRC is a rule of its own where it is more than tRAS + tRP
    truth.timings.rc = 90;
    truth.timings.refi = 2000;
    std::uint32_t DramTimings::*const members[] = {
        &DramTimings::rcdRead,      &DramTimings::rcdWrite,      &DramTimings::rp,          &DramTimings::ras,
        &DramTimings::rc,           &DramTimings::writeRecovery, &DramTimings::rtp,         &DramTimings::ccdLong,
        &DramTimings::ccdLongWrite, &DramTimings::rrdShort,      &DramTimings::rrdLong,     &DramTimings::faw,
        &DramTimings::wtrShort,     &DramTimings::wtrLong,       &DramTimings::readToWrite, &DramTimings::rfc,
        &DramTimings::ppd,          &DramTimings::ccdRank,       &DramTimings::rpAll};
    QVERIFY(!firstBroken(truth, commandsOf(truth, mixed(truth, 8000, 3, 0.6))));
    DramSpec belief = truth;
    belief.timings.*members[which] -= 1;
    const auto commands = commandsOf(belief, mixed(belief, 8000, 3, 0.6));
    QVERIFY(firstBroken(truth, commands).has_value());
}

void TestDram::theRulesFindRowsThatAreNotOpen()
{
    const DramSpec spec = ddr4();
    using enum DramCommandKind;
    const DramPlace place{0, 0, 1, 1, 5, 0};
    DramPlace other = place;
    other.row = 6;
    QVERIFY(!firstBroken(spec, std::vector<DramCommand>{{0, Act, place, 1}, {16, Read, place, 1}}));
    QVERIFY(firstBroken(spec, std::vector<DramCommand>{{0, Act, place, 1}, {15, Read, place, 1}}));
    QVERIFY(firstBroken(spec, std::vector<DramCommand>{{0, Act, place, 1}, {16, Read, other, 1}}));
    QVERIFY(firstBroken(spec, std::vector<DramCommand>{{16, Read, place, 1}}));
    QVERIFY(firstBroken(spec, std::vector<DramCommand>{{0, Act, place, 1}, {200, Act, other, 2}}));
    QVERIFY(firstBroken(spec, std::vector<DramCommand>{{0, Act, place, 1}, {200, Refresh, {}, 0}}));
    QVERIFY(firstBroken(spec, std::vector<DramCommand>{{0, Pre, place, 1}}));
    QVERIFY(firstBroken(spec, std::vector<DramCommand>{{9, Act, place, 1}, {0, Act, other, 1}}));
    const auto said = firstBroken(spec, std::vector<DramCommand>{{0, Act, place, 1}, {15, Read, place, 1}});
    QCOMPARE(*said, std::string("RD at 15 comes 15 ticks after ACT at 0, tRCD asks for 16"));
}

void TestDram::everyBurstHasAPlaceOfItsOwn_data()
{
    QTest::addColumn<int>("mapping");
    for (std::size_t i = 0; i < mappingNames().size(); ++i)
        QTest::newRow(mappingNames()[i].c_str()) << int(i);
}

void TestDram::everyBurstHasAPlaceOfItsOwn()
{
    QFETCH(int, mapping);
    DramSpec spec = hbm3();
    spec.rows = 16;
    constexpr std::uint32_t kChannels = 4;
    const std::uint64_t bursts = std::uint64_t{kChannels} * spec.bankCount() * spec.rows * spec.columns;
    std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t,
                        std::uint32_t>>
        seen;
    for (std::uint64_t burst = 0; burst < bursts; ++burst) {
        const auto [channel, p] = placeOf(spec, kChannels, static_cast<DramMapping>(mapping), burst);
        QVERIFY(channel < kChannels && p.pseudoChannel < spec.pseudoChannels && p.rank < spec.ranks &&
                p.group < spec.groups && p.bank < spec.banks && p.row < spec.rows && p.column < spec.columns);
        seen.insert({channel, p.pseudoChannel, p.rank, p.group, p.bank, p.row, p.column});
    }
    QCOMPARE(seen.size(), std::size_t(bursts));
}

void TestDram::mappingsByHand()
{
    const DramSpec spec = hbm3();
    QCOMPARE(placeOf(spec, 1, DramMapping::RoBaRaCoCh, 33).place, (DramPlace{1, 0, 0, 0, 0, 1}));
    QCOMPARE(placeOf(spec, 2, DramMapping::RoBaRaCoCh, 33).channel, 1u);
    QCOMPARE(placeOf(spec, 2, DramMapping::ChRaBaRoCo, 33), (DramAddress{0, {0, 0, 0, 0, 1, 1}}));
    QCOMPARE(placeOf(spec, 1, DramMapping::Rotate, 2).place, (DramPlace{0, 0, 1, 0, 0, 0}));
    QCOMPARE(placeOf(spec, 1, DramMapping::Rotate, 64).place, (DramPlace{0, 0, 0, 0, 0, 1}));
    QCOMPARE(placeOf(spec, 1, DramMapping::Stagger, 2).place, (DramPlace{0, 0, 1, 0, 0, 1}));
    // the second row of the same bank: XORed into the next group
    QCOMPARE(placeOf(spec, 1, DramMapping::XorBank, 64 * 32).place, (DramPlace{0, 0, 1, 0, 1, 0}));
}

void TestDram::otherRates()
{
    // DDR4-3200AA (22-22-22) from DDR4-2400R (16-16-16): Ramulator's presets of both
    const auto faster = atRate(ddr4(), 3.2e9);
    QVERIFY(faster.ok());
    const DramTimings& t = faster->timings;
    QCOMPARE(t.cl, 22u);
    QCOMPARE(t.rcdRead, 22u);
    QCOMPARE(t.ras, 52u);
    QCOMPARE(t.rc, 74u);
    QCOMPARE(t.cwl, 16u);
    QCOMPARE(t.burst, 4u);
    QCOMPARE(t.ccdShort, 4u);
    QCOMPARE(t.ccdLong, 8u);
    QCOMPARE(t.rrdShort, 4u);
    QCOMPARE(t.rrdLong, 8u);
    QCOMPARE(t.wtrLong, 12u);
    QCOMPARE(t.readToWrite, 22u + 4 + 2 - 16);
    QCOMPARE(faster->peak(), 25.6e9);
    QCOMPARE(atRate(ddr4(), 2.4e9)->timings.rc, 55u);
    for (const double rate : {0.0, 0.5e9, 5e9, -1.0, std::nan("")})
        QCOMPARE(atRate(ddr4(), rate).error().code, std::string("bad-dram"));
}

void TestDram::badMemories_data()
{
    QTest::addColumn<int>("which");
    for (int i = 0; i < 7; ++i)
        QTest::addRow("%d", i) << i;
}

void TestDram::badMemories()
{
    QFETCH(int, which);
    DramSpec spec = hbm3();
    switch (which) {
    case 0:
        spec.banks = 3;
        break;
    case 1:
        spec.readQueue = 0;
        break;
    case 2:
        spec.halfTicks = 3;
        break;
    case 3:
        spec.pinRate = std::nan("");
        break;
    case 4:
        spec.timings.refi = spec.timings.rfc;
        break;
    case 5:
        spec.timings.rc = 1u << 31;
        break;
    default:
        spec.pins = 0;
    }
    const auto result = simulate(spec, plain(1, [](std::uint64_t) { return DramRequest{}; }));
    QVERIFY(!result.ok());
    QCOMPARE(result.error().code, std::string("bad-dram"));
    QVERIFY(!result.error().fix.empty());
}

void TestDram::stopsWhenAsked()
{
    const DramSpec spec = ddr4();
    DramRun run = plain(1u << 20, [&](std::uint64_t k) {
        return DramRequest{placeOf(spec, 1, DramMapping::Stagger, k).place, false};
    });
    run.goOn = [](std::uint64_t done) { return done < 1000; };
    const auto result = simulate(spec, run);
    QVERIFY(result->stopped);
    QVERIFY(result->counts.reads < 1u << 17);
}

// What Ramulator 2.1 (c5b1c3a) gave for one channel, refresh on, its own latency-throughput tests.

void TestDram::bandwidthOfRamulator_data()
{
    QTest::addColumn<bool>("third");
    QTest::addColumn<double>("reads");
    QTest::addColumn<double>("gigabytes");
    for (const auto& [third, reads, gigabytes] : {std::tuple{true, 1.0, 46.70},
                                                  {true, 0.67, 35.17},
                                                  {true, 0.5, 30.12},
                                                  {true, 0.0, 46.73},
                                                  {false, 1.0, 30.23},
                                                  {false, 0.67, 25.07},
                                                  {false, 0.5, 23.23},
                                                  {false, 0.0, 30.17}})
        QTest::addRow("HBM%d, %g", third ? 3 : 2, reads) << third << reads << gigabytes;
}

void TestDram::bandwidthOfRamulator()
{
    QFETCH(bool, third);
    QFETCH(double, reads);
    QFETCH(double, gigabytes);
    const DramSpec spec = third ? hbm3() : hbm2();
    const DramResult result = streamed(spec, reads, 0, false, 200000);
    const double error = bandwidthOf(spec, result) / 1e9 / gigabytes - 1;
    QVERIFY2(std::abs(error) < 0.005, qPrintable(QString::number(error)));
    if (reads < 1)
        return;
    // row hits, misses and conflicts of 200,000 requests
    const std::uint64_t wanted[2][3] = {{192056, 1723, 6220}, {191550, 2216, 6233}};
    const std::uint64_t found[3] = {result.counts.hits, result.counts.misses, result.counts.conflicts};
    for (int i = 0; i < 3; ++i)
        QVERIFY2(std::abs(double(found[i]) / double(wanted[third][i]) - 1) < 0.04,
                 qPrintable(QString::number(found[i])));
}

void TestDram::latencyOfRamulator_data()
{
    QTest::addColumn<bool>("third");
    QTest::addColumn<double>("turn"); // "nop": turns of its front end, sixteen a tick, two between requests
    QTest::addColumn<double>("gigabytes");
    QTest::addColumn<double>("nanoseconds");
    for (const auto& [turn, gigabytes, ns] : {std::tuple{1., 46.65, 159.4},
                                              {19., 41.24, 63.7},
                                              {22., 35.9, 59.8},
                                              {26., 30.67, 57.9},
                                              {36., 22.6, 56.9},
                                              {48., 17.41, 56.2},
                                              {60., 14.22, 56.0},
                                              {100., 8.77, 55.7},
                                              {200., 4.68, 54.8},
                                              {4000., 0.9, 45.9}})
        QTest::addRow("HBM3, %g", turn) << true << turn << gigabytes << ns;
    for (const auto& [turn, gigabytes, ns] : {std::tuple{1., 30.21, 105.3},
                                              {10., 25.38, 53.7},
                                              {13., 19.8, 52.0},
                                              {16., 16.34, 51.4},
                                              {19., 13.93, 50.3},
                                              {24., 11.28, 50.1},
                                              {36., 7.76, 49.5},
                                              {60., 4.92, 48.8},
                                              {200., 1.96, 47.2},
                                              {40000., 0.75, 42.8}})
        QTest::addRow("HBM2, %g", turn) << false << turn << gigabytes << ns;
}

void TestDram::latencyOfRamulator()
{
    QFETCH(bool, third);
    QFETCH(double, turn);
    QFETCH(double, gigabytes);
    QFETCH(double, nanoseconds);
    const DramSpec spec = third ? hbm3() : hbm2();
    const double interval = turn == 1 ? 0 : turn / 8;
    const auto requests = interval > 0 ? std::uint64_t(2e6 / interval) + 1 : 600000;
    const DramResult result = streamed(spec, 1, interval, true, requests);
    const double latency = result.probeLatency * spec.tick() * 1e9;
    QVERIFY2(std::abs(latency / nanoseconds - 1) < 0.035, qPrintable(QString::number(latency)));
    // two digits are printed of the last rows
    const double achieved = bandwidthOf(spec, result) / 1e9;
    QVERIFY2(std::abs(achieved - gigabytes) < 0.005 * gigabytes + 0.02, qPrintable(QString::number(achieved)));
}

QTEST_GUILESS_MAIN(TestDram)
#include "tst_dram.moc"
