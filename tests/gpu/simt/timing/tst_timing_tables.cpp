// SPDX-License-Identifier: GPL-3.0-or-later
// What the clock looks up for every request, against plain models of the same: divisions, tags of a cache, the order of
// replies, phases.
#include "gpu/simt/timing/divisor.h"
#include "gpu/simt/timing/sm_ports.h"
#include "gpu/simt/timing/sm_state.h"

#include <QtTest>

#include <map>
#include <random>
#include <unordered_map>

using namespace ridge::gpu::simt;

namespace {

/// The tags of one cache, searched from end to end.
struct PlainCache {
    struct Line {
        std::uint64_t tag = 0, used = 0;
        bool isPending = false;
    };
    std::uint32_t sets, ways;
    std::vector<std::vector<Line>> lines = std::vector<std::vector<Line>>(sets);
    std::uint64_t clock = 0;

    std::size_t setOf(std::uint64_t tag) const
    {
        const std::uint64_t round = tag / sets;
        return (tag + (round ^ round >> 7 ^ round >> 15)) % sets;
    }
    Line* find(std::uint64_t tag)
    {
        for (Line& line : lines[setOf(tag)]) {
            if (line.tag == tag)
                return &line;
        }
        return nullptr;
    }
    /// The line that leaves; `kNone` where there was room, `kFull` where all are waited for.
    static constexpr std::uint64_t kNone = ~std::uint64_t{0}, kFull = kNone - 1;
    std::uint64_t allocate(std::uint64_t tag)
    {
        std::vector<Line>& set = lines[setOf(tag)];
        if (set.size() < ways) {
            set.push_back({tag, ++clock, false});
            return kNone;
        }
        Line* oldest = nullptr;
        for (Line& line : set) {
            if (!line.isPending && (oldest == nullptr || line.used < oldest->used))
                oldest = &line;
        }
        if (oldest == nullptr)
            return kFull;
        const std::uint64_t left = oldest->tag;
        *oldest = {tag, ++clock, false};
        return left;
    }
};

} // namespace

class TestTimingTables : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void dividesAsTheProcessorDoes()
    {
        std::mt19937_64 random(1);
        std::vector<std::uint32_t> divisors{1, 2, 3, 5, 7, 64, 96, 641, 65535, 65536, 0x7fffffff, 0x80000000, ~0u};
        for (int at = 0; at < 200; ++at)
            divisors.push_back(static_cast<std::uint32_t>(random() >> (32 + random() % 32)) | 1);
        constexpr std::uint64_t kMost = ~std::uint64_t{0} >> 1;
        for (const std::uint32_t by : divisors) {
            const Divisor divide(by);
            std::vector<std::uint64_t> numbers{0, 1, by - 1, by, by + std::uint64_t{1}, kMost, kMost - 1};
            for (const std::uint64_t times : {std::uint64_t{3}, kMost / by / 2, kMost / by}) // where quotients change
                numbers.insert(numbers.end(), {times * by - 1, times * by, std::min(times * by + 1, kMost)});
            for (int at = 0; at < 200; ++at)
                numbers.push_back(random() >> (1 + random() % 63));
            for (const std::uint64_t number : numbers) {
                QCOMPARE(divide(number).quotient, number / by);
                QCOMPARE(divide(number).rest, number % by);
            }
        }
    }

    void evictsTheLeastRecentlyUsedLineThatNobodyWaitsFor()
    {
        constexpr std::uint32_t kWays = 4, kSets = 7;
        SectorCache cache(kSets * kWays, kWays);
        PlainCache plain{kSets, kWays};
        std::mt19937_64 random(2);
        int full = 0, evicted = 0;
        for (int step = 0; step < 20000; ++step) {
            const std::uint64_t tag = random() % 80 + 1'000'000'000'000;
            std::uint32_t at = cache.find(tag);
            PlainCache::Line* const line = plain.find(tag);
            QCOMPARE(at != kNoLine, line != nullptr);
            if (line != nullptr) {
                cache.touch(at);
                line->used = ++plain.clock;
                line->isPending = random() % 2 == 0;
                cache.line(at).pending = line->isPending ? 1 : 0;
                continue;
            }
            SectorCache::Line left;
            at = cache.allocate(tag, &left);
            const std::uint64_t expected = plain.allocate(tag);
            QCOMPARE(at == kNoLine, expected == PlainCache::kFull);
            full += at == kNoLine ? 1 : 0;
            if (at == kNoLine)
                continue;
            QCOMPARE(left.tag, expected);
            evicted += expected != PlainCache::kNone ? 1 : 0;
        }
        QVERIFY(full > 100 && evicted > 100);
    }

    void takesRepliesInTheOrderOfTheirCycles()
    {
        const ChipTiming chip;
        L2Port port(chip);
        std::mt19937_64 random(3);
        std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint32_t> waiting; // by cycle and order
        std::uint64_t now = 0;
        std::uint32_t order = 0;
        for (int epoch = 0; epoch < 2000; ++epoch) {
            for (std::uint64_t count = random() % 12; count > 0; --count) {
                L2Reply reply;
                reply.cycle = now + random() % 300;
                reply.order = order++;
                reply.transaction = static_cast<std::uint32_t>(random());
                waiting[{reply.cycle, reply.order}] = reply.transaction;
                port.deliver(reply);
            }
            now += 64;
            while (!waiting.empty() && waiting.begin()->first.first < now) {
                QCOMPARE(port.nextReply(), waiting.begin()->first.first);
                const L2Reply reply = port.takeReply();
                QCOMPARE(std::pair(reply.cycle, reply.order), waiting.begin()->first);
                QCOMPARE(reply.transaction, waiting.begin()->second);
                waiting.erase(waiting.begin());
            }
            QCOMPARE(port.nextReply(), waiting.empty() ? ~std::uint64_t{0} : waiting.begin()->first.first);
        }
    }

    void keepsPhasesByTheirNumber()
    {
        PhaseStates states;
        std::unordered_map<std::uint32_t, std::uint32_t> signals;
        std::mt19937_64 random(4);
        QVERIFY(states.find(5) == nullptr);
        for (int round = 0; round < 3; ++round) {
            for (int step = 0; step < 3000; ++step) {
                const auto phase = static_cast<std::uint32_t>(random() % 900 * 132);
                const PhaseState* const found = states.find(phase);
                QCOMPARE(found != nullptr ? found->signals : 0, signals.count(phase) != 0 ? signals[phase] : 0);
                if (random() % 2 == 0) {
                    ++states[phase].signals;
                    ++signals[phase];
                }
            }
            states.clear();
            signals.clear();
        }
        QVERIFY(states.find(0) == nullptr);
    }
};

QTEST_APPLESS_MAIN(TestTimingTables)
#include "tst_timing_tables.moc"
