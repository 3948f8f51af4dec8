// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/seed.h"
#include "memory/allocator.h"
#include "memory/allocator_cases.h"

#include <QtTest>

#include <map>

using namespace ridge;
using namespace ridge::memory;

namespace {

CachingAllocator make(std::uint64_t mib, bool expandable = false, std::uint64_t maxSplitMib = 0)
{
    AllocatorSettings settings;
    settings.capacity = mib * kMiB;
    settings.expandable = expandable;
    if (maxSplitMib > 0)
        settings.maxSplit = maxSplitMib * kMiB;
    return CachingAllocator(settings);
}

/// Blocks of all segments, by address: nothing overlaps, sums are those that the allocator tells.
std::string wrongWith(const CachingAllocator& allocator)
{
    std::uint64_t allocated = 0, active = 0, reserved = 0, end = 0;
    for (const AllocatorSegment& segment : allocator.segments()) {
        if (segment.address < end)
            return "segments overlap";
        std::uint64_t at = segment.address;
        bool freeBefore = false;
        for (const AllocatorBlock& block : segment.blocks) {
            using State = AllocatorBlock::State;
            if (block.address != at || block.bytes == 0)
                return "blocks do not touch";
            at += block.bytes;
            const bool free = block.state == State::Free;
            if (free && freeBefore)
                return "two free neighbours";
            freeBefore = free;
            allocated += block.state == State::Allocated ? block.bytes : 0;
            active += block.state == State::Allocated || block.state == State::PendingFree ? block.bytes : 0;
            reserved += block.state == State::Unmapped ? 0 : block.bytes;
            if (block.state == State::Allocated && block.requested > block.bytes)
                return "a block is smaller than asked for";
        }
        end = at;
        if (at != segment.address + segment.bytes)
            return "blocks do not fill their segment";
    }
    if (allocated != allocator.allocated() || active != allocator.active() || reserved != allocator.reserved())
        return "sums differ";
    return {};
}

} // namespace

class TestAllocator : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void sizesAreRounded()
    {
        QCOMPARE(roundedSize(1), std::uint64_t{512});
        QCOMPARE(roundedSize(512), std::uint64_t{512});
        QCOMPARE(roundedSize(513), std::uint64_t{1024});
        // PyTorch's own example: 1,200 with 4 divisions lies between 1,024 and 2,048, in steps of 256.
        QCOMPARE(roundedSize(1200, 4), std::uint64_t{1536}); // not more than 4 x 512: rounded to 512
        QCOMPARE(roundedSize(1200 * 1024, 4), std::uint64_t{1280 * 1024});
        QCOMPARE(roundedSize(1024 * 1024, 4), std::uint64_t{1024 * 1024});
    }

    void segmentsBySize()
    {
        QCOMPARE(segmentSize(512), 2 * kMiB);
        QCOMPARE(segmentSize(kMiB), 2 * kMiB);
        QCOMPARE(segmentSize(kMiB + 512), 20 * kMiB);
        QCOMPARE(segmentSize(10 * kMiB - 512), 20 * kMiB);
        QCOMPARE(segmentSize(10 * kMiB), 10 * kMiB);
        QCOMPARE(segmentSize(11 * kMiB), 12 * kMiB);
    }

    void twoFreeSegmentsServeNoLargerBlock()
    {
        // 24 MiB are free, in two segments of 12: a block of 24 needs them back at the driver first.
        auto allocator = make(30);
        QVERIFY(!allocator.allocate(1, 12 * kMiB) && !allocator.allocate(2, 12 * kMiB));
        QVERIFY(allocator.free(1) && allocator.free(2));
        QCOMPARE(allocator.reserved(), 24 * kMiB);
        QVERIFY(!allocator.allocate(3, 24 * kMiB));
        QCOMPARE(allocator.flushes(), std::uint64_t{1});
        QCOMPARE(allocator.reserved(), 24 * kMiB);
        // With something in each of them they stay, and it fails although 22 MiB are unallocated.
        auto pinned = make(30);
        QVERIFY(!pinned.allocate(1, 12 * kMiB) && !pinned.allocate(2, 12 * kMiB));
        pinned.free(1);
        pinned.free(2);
        QVERIFY(!pinned.allocate(3, 2 * kMiB) && !pinned.allocate(4, 11 * kMiB)); // 11: a rest of 1 MiB is not cut
        pinned.free(4);
        QVERIFY(!pinned.allocate(5, 11 * kMiB - 512)); // leaves 1 MiB and 512 bytes, which are
        const auto failed = pinned.allocate(6, 12 * kMiB);
        QVERIFY(failed.has_value());
        QCOMPARE(failed->deviceFree, 6 * kMiB);
        QCOMPARE(failed->unallocated, 24 * kMiB - 2 * kMiB - 11 * kMiB + 512);
        QCOMPARE(failed->largest, 10 * kMiB);
        QVERIFY(toText(*failed, 30 * kMiB).find("10.00 MiB") != std::string::npos);
    }

    void bestFitTakesTheSmallestThenTheLowest()
    {
        auto allocator = make(1000);
        for (std::uint64_t id = 1; id <= 3; ++id)
            QVERIFY(!allocator.allocate(id, id == 2 ? 30 * kMiB : 40 * kMiB));
        const auto a = *allocator.addressOf(1), b = *allocator.addressOf(2);
        for (std::uint64_t id = 1; id <= 3; ++id)
            allocator.free(id);
        QVERIFY(!allocator.allocate(4, 25 * kMiB) && !allocator.allocate(5, 31 * kMiB));
        QCOMPARE(*allocator.addressOf(4), b);
        QCOMPARE(*allocator.addressOf(5), a);
        QCOMPARE(allocator.driverCalls(), std::uint64_t{3});
    }

    void streamsDoNotShare()
    {
        auto allocator = make(100);
        QVERIFY(!allocator.allocate(1, 12 * kMiB, 0));
        allocator.free(1);
        QVERIFY(!allocator.allocate(2, 12 * kMiB, 1));
        QCOMPARE(allocator.reserved(), 24 * kMiB);
    }

    void whatWaitsIsActive()
    {
        auto allocator = make(100);
        QVERIFY(!allocator.allocate(1, 12 * kMiB));
        QVERIFY(allocator.requestFree(1));
        QVERIFY(!allocator.requestFree(1));
        QCOMPARE(allocator.allocated(), std::uint64_t{0});
        QCOMPARE(allocator.active(), 12 * kMiB);
        QVERIFY(!allocator.allocate(2, 12 * kMiB));
        QCOMPARE(allocator.reserved(), 24 * kMiB); // the first is not free yet
        QVERIFY(allocator.completeFree(1));
        QVERIFY(!allocator.completeFree(1));
        QVERIFY(!allocator.allocate(3, 12 * kMiB));
        QCOMPARE(allocator.reserved(), 24 * kMiB);
    }

    void oversizedBlocksAreNotCut()
    {
        auto free = make(1000), limited = make(1000, false, 64);
        for (CachingAllocator* each : {&free, &limited}) {
            QVERIFY(!each->allocate(1, 100 * kMiB));
            each->free(1);
            QVERIFY(!each->allocate(2, 30 * kMiB));
        }
        QCOMPARE(free.reserved(), 100 * kMiB);
        QCOMPARE(limited.reserved(), 130 * kMiB);
        QVERIFY(!limited.allocate(3, 90 * kMiB)); // within 20 MiB: taken whole
        QCOMPARE(limited.reserved(), 130 * kMiB);
        QCOMPARE(limited.allocated(), 130 * kMiB);
        limited.free(3);
        QVERIFY(!limited.allocate(4, 70 * kMiB)); // not within 20 MiB
        QCOMPARE(limited.reserved(), 200 * kMiB);
        // Short of memory, the one oversized block goes back before anything else does.
        auto tight = make(170, false, 64);
        QVERIFY(!tight.allocate(1, 100 * kMiB) && !tight.allocate(2, 30 * kMiB));
        tight.free(1);
        tight.free(2);
        QVERIFY(!tight.allocate(3, 130 * kMiB));
        QCOMPARE(tight.flushes(), std::uint64_t{0} + 1); // no block of 130 or more: all of them went back
        QCOMPARE(tight.reserved(), 130 * kMiB);
    }

    void expandableSegmentsGrow()
    {
        auto allocator = make(1000, true);
        for (std::uint64_t id = 1; id <= 6; ++id)
            QVERIFY(!allocator.allocate(id, 12 * kMiB));
        QCOMPARE(allocator.reserved(), 80 * kMiB); // 72 in pieces of 20
        for (std::uint64_t id = 1; id <= 6; ++id)
            allocator.free(id);
        QVERIFY(!allocator.allocate(7, 75 * kMiB));
        QCOMPARE(allocator.reserved(), 80 * kMiB); // what six segments of 12 would not do
        QVERIFY(!allocator.allocate(8, 25 * kMiB));
        QCOMPARE(allocator.reserved(), 100 * kMiB); // the free 5 at the end count
        QCOMPARE(*allocator.addressOf(8), *allocator.addressOf(7) + 75 * kMiB);
        allocator.free(7);
        allocator.emptyCache(); // 75 free: three whole pieces of 20 go back
        QCOMPARE(allocator.reserved(), 40 * kMiB);
        QCOMPARE(wrongWith(allocator), std::string());
        QVERIFY(!allocator.allocate(9, 70 * kMiB));
        QCOMPARE(allocator.reserved(), 100 * kMiB); // mapped again, around what is free there
        QCOMPARE(wrongWith(allocator), std::string());
    }

    /// Whatever a program does: blocks fill their segments, nothing overlaps, sums hold, all can be given back.
    void randomProgramsKeepOrder()
    {
        for (std::uint64_t seed = 0; seed < 60; ++seed) {
            Rng rng(seed);
            auto allocator = make(300 + seed * 7, seed % 3 == 0, seed % 4 == 1 ? 32 : 0);
            std::map<std::uint64_t, bool> live; // name, waits
            for (std::uint64_t turn = 1; turn <= 400; ++turn) {
                const auto what = rng.next() % 100;
                if (what < 50) {
                    const auto size = (std::uint64_t{1} << (5 + rng.next() % 22)) + rng.next() % 5000;
                    const auto reserved = allocator.reserved();
                    if (!allocator.allocate(turn, size, static_cast<std::uint32_t>(rng.next() % 2)))
                        live[turn] = false;
                    else
                        QVERIFY(allocator.reserved() <= std::max(reserved, (300 + seed * 7) * kMiB));
                } else if (!live.empty() && what < 98) {
                    auto each = live.begin();
                    std::advance(each, static_cast<std::ptrdiff_t>(rng.next() % live.size()));
                    if (!each->second && what < 60) {
                        QVERIFY(allocator.requestFree(each->first));
                        each->second = true;
                    } else {
                        if (!each->second)
                            QVERIFY(allocator.requestFree(each->first));
                        QVERIFY(allocator.completeFree(each->first));
                        live.erase(each);
                    }
                } else if (what >= 98) {
                    allocator.emptyCache();
                }
                const std::string wrong = wrongWith(allocator);
                QVERIFY2(wrong.empty(),
                         (wrong + " at turn " + std::to_string(turn) + " of seed " + std::to_string(seed)).c_str());
            }
            for (const auto& [id, waits] : live) {
                if (!waits)
                    allocator.requestFree(id);
                allocator.completeFree(id);
            }
            allocator.emptyCache();
            QCOMPARE(allocator.reserved(), std::uint64_t{0});
            QVERIFY(allocator.segments().empty());
        }
    }

    void casesRunOutForTheirReason()
    {
        const auto run = [](MemoryCase which, bool expandable, bool recompute) {
            StepModel model;
            model.steps = stepsOfCase(which);
            model.recompute = recompute;
            AllocatorSettings settings;
            settings.capacity = memoryOfCase(which);
            settings.expandable = expandable;
            const auto history = makeHistory(which, model);
            return *play(*history, settings);
        };
        QVERIFY(!run(MemoryCase::Healthy, false, false).failure);
        // Fragmentation: a third of the memory is free, and the pieces do not do; the peak would fit.
        const auto pieces = run(MemoryCase::Fragmentation, false, false);
        QVERIFY(pieces.failure.has_value());
        const auto free = pieces.failure->deviceFree + pieces.failure->unallocated;
        QVERIFY(free > pieces.failure->tried);
        QVERIFY(static_cast<double>(free) > 0.32 * static_cast<double>(memoryOfCase(MemoryCase::Fragmentation)));
        const auto grown = run(MemoryCase::Fragmentation, true, false);
        QVERIFY(!grown.failure && grown.peak < memoryOfCase(MemoryCase::Fragmentation));
        // One long batch: other segments do not help, recomputation does.
        QVERIFY(run(MemoryCase::ActivationPeak, false, false).failure);
        QVERIFY(run(MemoryCase::ActivationPeak, true, false).failure);
        QVERIFY(!run(MemoryCase::ActivationPeak, false, true).failure);
        // A leak grows step by step, whatever the segments are; what it holds at the end are activations of steps gone
        // by.
        const auto leak = run(MemoryCase::Leak, true, false);
        QVERIFY(leak.failure && leak.failureEvent > run(MemoryCase::Leak, false, false).failureEvent);
        const auto cache = run(MemoryCase::KvGrowth, false, false);
        QVERIFY(cache.failure.has_value());
        QCOMPARE(cache.peakByCategory.size(), std::size_t{6});
        QVERIFY(cache.peakByCategory[5] > 100 * kMiB);
    }

    /// Weights 2, gradients 2 and Adam's 12 bytes a parameter at the peak of a step, as everywhere else in the lab.
    void bytesOfAStepByHand()
    {
        StepModel model;
        model.layers = 2;
        model.hidden = 512;
        model.vocabulary = 1024;
        model.batch = 1;
        model.sequence = 4; // activations hardly count
        model.steps = 3;
        AllocatorSettings exact;
        exact.expandable = true; // cuts off every rest
        const auto run = play(*makeHistory(MemoryCase::Healthy, model), exact);
        const double h = 512, weights = 2 * (12 * h * h + 4 * h) + 1024 * h;
        QCOMPARE(run->peakByCategory[0], static_cast<std::uint64_t>(2 * weights));
        QCOMPARE(run->peakByCategory[1], static_cast<std::uint64_t>(2 * weights));
        QCOMPARE(run->peakByCategory[2], static_cast<std::uint64_t>(12 * weights));
    }

    void activationsOfALayerByHand()
    {
        StepModel model;
        model.layers = 6;
        model.hidden = 1024;
        model.vocabulary = 512;
        model.batch = 2;
        model.sequence = 256;
        model.steps = 1;
        // Each layer keeps 16 widths of 16 bits: norm, 3, attention, sum, norm, 4, 4 and its output; the embedding one.
        const double bytes = 2.0 * 2 * 256 * 1024, logits = 2 * 2 * 256 * 512;
        AllocatorSettings exact;
        exact.expandable = true; // cuts off every rest
        const auto run = play(*makeHistory(MemoryCase::Healthy, model), exact);
        std::uint64_t most = 0;
        for (const AllocatorSample& sample : run->samples)
            most = std::max(most, sample.byCategory[3]);
        QCOMPARE(most, static_cast<std::uint64_t>(6 * 16 * bytes + bytes + 3 * logits + 512));
    }

    void aHistoryMayBeginInTheMiddle()
    {
        AllocatorHistory history;
        history.categories = {"all"};
        AllocatorSegment segment;
        segment.address = 0x7f0000000000;
        segment.bytes = 20 * kMiB;
        segment.blocks = {{segment.address, 4 * kMiB, 4 * kMiB, 1, AllocatorBlock::State::Allocated, 0},
                          {segment.address + 4 * kMiB, 16 * kMiB, 0, 0, AllocatorBlock::State::Free, 0}};
        history.begin = {segment};
        AllocatorEvent event;
        event.id = 2;
        event.bytes = 8 * kMiB;
        event.recordedAddress = segment.address + 4 * kMiB;
        event.recordedReserved = 20 * kMiB;
        history.events = {event};
        const auto run = play(history, {});
        QVERIFY(run.ok());
        QCOMPARE(run->peak, 12 * kMiB);
        QCOMPARE(run->sameAddress, std::uint64_t{1});
        QCOMPARE(run->sameReserved, std::uint64_t{1});
        history.begin.front().blocks.back().bytes -= 1;
        QCOMPARE(play(history, {}).error().code, std::string("bad-segment"));
    }

    void nothingBreaksOnBadEvents()
    {
        auto allocator = make(100);
        QVERIFY(!allocator.allocate(1, 0));
        QCOMPARE(allocator.reserved(), std::uint64_t{0});
        QVERIFY(!allocator.free(1));
        const auto failed = allocator.allocate(2, ~std::uint64_t{0});
        QVERIFY(failed.has_value());
        QCOMPARE(failed->deviceFree, 100 * kMiB);
        QVERIFY(!allocator.allocate(3, 1000) && !allocator.allocate(3, 1000)); // the name is in use: passed over
        QCOMPARE(allocator.allocated(), std::uint64_t{1024});
        auto growing = make(100, true);
        QVERIFY(growing.allocate(2, ~std::uint64_t{0}).has_value());
    }

    void badSettings()
    {
        AllocatorSettings settings;
        settings.maxSplit = 20 * kMiB;
        QCOMPARE(play({}, settings).error().place, std::string("max_split"));
        settings = {};
        settings.divisions = 3;
        QCOMPARE(play({}, settings).error().place, std::string("divisions"));
        QVERIFY(!makeHistory(MemoryCase::Healthy, {.layers = 0}));
        QVERIFY(!makeHistory(MemoryCase::KvGrowth, {.layers = 1000, .steps = 1000000}));
        QVERIFY(!makeHistory(MemoryCase::Healthy, {.vocabulary = 4000000, .batch = 1000000, .sequence = 1000000}));
    }
};

QTEST_GUILESS_MAIN(TestAllocator)
#include "tst_allocator.moc"
