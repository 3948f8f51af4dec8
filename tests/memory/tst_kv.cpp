// SPDX-License-Identifier: GPL-3.0-or-later
#include "memory/kv.h"

#include <QtTest>

#include <map>
#include <set>

using namespace ridge;
using namespace ridge::memory;

namespace {

KvGroups oneGroup()
{
    return kvGroups(32, 0, 0);
}

KvPlan paged(std::uint32_t blocks, std::uint32_t block = 16)
{
    KvPlan plan;
    plan.groups = oneGroup();
    plan.blocks = blocks;
    plan.block = block;
    plan.nullBlock = false;
    plan.stepSeconds = 1;
    return plan;
}

KvPlan ranges(KvPolicy policy, std::uint32_t slots, KvReserve reserve = KvReserve::Longest)
{
    KvPlan plan = paged(0);
    plan.policy = policy;
    plan.reserve = reserve;
    plan.slots = slots;
    return plan;
}

KvRequest request(std::uint32_t prompt, std::uint32_t output, double arrival = 0)
{
    KvRequest made;
    made.prompt = prompt;
    made.output = output;
    made.arrival = arrival;
    return made;
}

std::vector<std::uint64_t> namesOf(std::uint64_t salt, std::size_t count)
{
    std::vector<std::uint64_t> names;
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint32_t token[] = {static_cast<std::uint32_t>(salt)};
        names.push_back(prefixName(i == 0 ? 0 : names.back(), token));
    }
    return names;
}

} // namespace

class TestKv : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// vLLM 0.33: two requests of two full blocks and a part of one, freed one after the other.
    void theFreeQueueHasThreeZones()
    {
        for (const bool caching : {true, false}) {
            PagedKv kv(12, 16, oneGroup(), caching, true);
            const auto a = kv.add(), b = kv.add();
            QVERIFY(kv.grow(a, 40) && kv.grow(b, 40));
            kv.name(a, namesOf(1, 2));
            kv.name(b, namesOf(2, 2));
            kv.release(a);
            kv.release(b);
            using Queue = std::vector<std::uint32_t>;
            QCOMPARE(kv.pool().queue(),
                     caching ? (Queue{6, 3, 7, 8, 9, 10, 11, 2, 1, 5, 4}) : (Queue{6, 5, 4, 3, 2, 1, 7, 8, 9, 10, 11}));
        }
    }

    void theNullBlockIsSetAside()
    {
        QCOMPARE(KvBlockPool(100, true).free(), 99u);
        QCOMPARE(KvBlockPool(100, false).free(), 100u);
    }

    void namesAreForgottenWhenABlockIsTaken()
    {
        KvBlockPool pool(3, false);
        const std::uint32_t a = pool.take(), b = pool.take();
        pool.name(a, 7);
        pool.name(b, 7); // computed twice: both stay
        QCOMPARE(pool.find(7), a);
        const std::uint32_t both[] = {a, b};
        pool.give(both);
        QCOMPARE(pool.find(7), a);
        QCOMPARE(pool.take(), 2u); // never used
        QCOMPARE(pool.take(), a);
        QCOMPARE(pool.find(7), b);
        pool.hold(b); // found: it leaves the queue with its name
        QCOMPARE(pool.free(), 0u);
        QCOMPARE(pool.take(), KvBlockPool::kNone);
        QCOMPARE(pool.find(7), b);
    }

    /// vLLM 0.33: prompt 512, window 64, a full and a window group.
    void windowsLetGoOneStepLater()
    {
        KvGroups groups = kvGroups(2, 1, 64);
        QCOMPARE(groups.count(), 2u);
        PagedKv whole(200, 16, groups, false, true);
        const auto s = whole.add();
        QVERIFY(whole.grow(s, 512));
        QCOMPARE(whole.pool().used(), 64u);
        QVERIFY(whole.grow(s, 513));
        QCOMPARE(whole.pool().used(), 38u);
        PagedKv chunked(200, 16, groups, false, true);
        const auto c = chunked.add();
        std::vector<std::uint32_t> used;
        for (const std::uint64_t tokens : {128, 256, 384, 512, 513}) {
            QVERIFY(chunked.grow(c, tokens));
            used.push_back(chunked.pool().used());
        }
        QCOMPARE(used, (std::vector<std::uint32_t>{16, 28, 36, 44, 38}));
        chunked.release(c);
        QCOMPARE(chunked.pool().used(), 0u);
        QCOMPARE(chunked.stored(), std::uint64_t{0});
    }

    /// vLLM 0.33: blocks of 1 GiB with pages of 8 KiB.
    void groupsOfLayers_data()
    {
        QTest::addColumn<unsigned>("full");
        QTest::addColumn<unsigned>("windowed");
        QTest::addColumn<unsigned>("groups");
        QTest::addColumn<unsigned>("padded");
        QTest::addColumn<unsigned>("blocks");
        QTest::newRow("30 full") << 30u << 0u << 1u << 0u << 4369u;
        QTest::newRow("10 + 52") << 10u << 52u << 7u << 8u << 13107u;
        QTest::newRow("8 + 40") << 8u << 40u << 6u << 0u << 16384u;
        QTest::newRow("4 + 22") << 4u << 22u << 7u << 2u << 32768u;
        QTest::newRow("12 + 12") << 12u << 12u << 2u << 0u << 10922u;
        QTest::newRow("13 + 12") << 13u << 12u << 2u << 1u << 10082u;
        QTest::newRow("20 + 30") << 20u << 30u << 3u << 10u << 6553u;
        QTest::newRow("1 + 31") << 1u << 31u << 32u << 0u << 131072u;
    }
    void groupsOfLayers()
    {
        QFETCH(unsigned, full);
        QFETCH(unsigned, windowed);
        const KvGroups groups = kvGroups(full + windowed, windowed, 1024);
        QTEST(groups.count(), "groups");
        QTEST(groups.padded, "padded");
        QTEST((1u << 30) / (8192u * groups.size), "blocks");
    }

    /// The same, 62 layers with 10 full, window 1,024, 2,048 tokens a batch, 16 GiB.
    void sequencesThatRunTogether()
    {
        const KvGroups hybrid = kvGroups(62, 52, 1024), whole = kvGroups(62, 0, 0);
        const double memory = 16.0 * (1 << 30), page = 8192;
        const auto fit = [&](const KvGroups& groups, std::uint64_t tokens) {
            return std::floor(memory / (page * groups.size)) / kvBlocksOfSequence(groups, 16, tokens, 2048);
        };
        for (const auto& [tokens, ours, theirs] :
             {std::tuple{4096, 116.6, 132.1}, {32768, 52.8, 16.5}, {131072, 20.7, 4.1}}) {
            QVERIFY(std::abs(fit(hybrid, tokens) - ours) < 0.05);
            QVERIFY(std::abs(fit(whole, tokens) - theirs) < 0.05);
        }
    }

    void prefixesAreFoundUpToTheLastToken()
    {
        PagedKv kv(100, 16, oneGroup(), true, true);
        const auto names = namesOf(3, 4);
        const auto a = kv.add();
        QVERIFY(kv.grow(a, 64));
        kv.name(a, names);
        // Of 64 tokens 48 are found: the last is computed, and with it its block, which both keep.
        const auto b = kv.add();
        QCOMPARE(kv.findPrefix(b, std::span(names).first(63 / 16)), std::uint64_t{48});
        QVERIFY(kv.grow(b, 64));
        QCOMPARE(kv.pool().used(), 5u);
        QCOMPARE(kv.stored(), std::uint64_t{80});
        kv.release(a);
        QCOMPARE(kv.pool().used(), 4u);
        kv.release(b);
        QCOMPARE(kv.stored(), std::uint64_t{0});
        const auto c = kv.add();
        QCOMPARE(kv.findPrefix(c, names), std::uint64_t{64}); // kept until it is needed
        QCOMPARE(kv.stored(), std::uint64_t{64});
    }

    void writersCopyWhatOthersRead()
    {
        PagedKv kv(100, 16, oneGroup(), false, false);
        const auto a = kv.add();
        QVERIFY(kv.grow(a, 40));
        const auto b = kv.fork(a, 40), c = kv.fork(a, 40);
        QCOMPARE(kv.pool().used(), 3u);
        QVERIFY(kv.grow(a, 41) && kv.grow(b, 41) && kv.grow(c, 41));
        QCOMPARE(kv.copies(), std::uint64_t{2}); // the last one owns the block alone
        QCOMPARE(kv.pool().used(), 5u);
        QCOMPARE(kv.stored(), std::uint64_t{32 + 3 * 9});
        QCOMPARE(kv.table(a)[0], kv.table(b)[0]);
        QVERIFY(kv.table(a)[2] != kv.table(b)[2] && kv.table(b)[2] != kv.table(c)[2]);
    }

    /// Against maps and sets: every block has as many holders as tables that name it, all others are free.
    void randomSequencesKeepTheirBlocks()
    {
        for (std::uint64_t seed = 0; seed < 40; ++seed) {
            Rng rng(seed);
            const auto block = static_cast<std::uint32_t>(1 + rng.next() % 9);
            const bool windowed = seed % 2 == 1;
            const KvGroups groups = windowed ? kvGroups(6, 4, 13) : oneGroup();
            PagedKv kv(60, block, groups, !windowed, seed % 3 == 0);
            std::map<PagedKv::Sequence, std::vector<std::uint64_t>> live;
            for (int turn = 0; turn < 600; ++turn) {
                const auto what = rng.next() % 4;
                if (live.empty() || what == 0) {
                    const auto names = namesOf(rng.next() % 3, 40);
                    const auto s = kv.add();
                    kv.findPrefix(s, std::span(names).first(rng.next() % 4));
                    live[s] = names;
                    continue;
                }
                auto each = live.begin();
                std::advance(each, static_cast<std::ptrdiff_t>(rng.next() % live.size()));
                if (what == 1) {
                    kv.release(each->first);
                    live.erase(each);
                } else if (what == 2 && kv.tokens(each->first) > 0 && !windowed) {
                    const std::uint64_t tokens = 1 + rng.next() % kv.tokens(each->first);
                    // A name says what is in a block up to its end, so a partial one goes to a copy before it is named.
                    const auto names = each->second;
                    live[kv.fork(each->first, tokens)] = names;
                } else {
                    const std::uint32_t before = kv.pool().free();
                    const std::uint64_t tokens = kv.tokens(each->first) + 1 + rng.next() % (2 * block);
                    if (kv.grow(each->first, tokens))
                        QCOMPARE(kv.tokens(each->first), tokens);
                    else
                        QVERIFY(windowed || kv.pool().free() == before);
                    kv.name(each->first, each->second);
                }
                std::map<std::uint32_t, std::uint32_t> holders;
                for (const auto& [s, names] : live)
                    for (std::size_t group = 0; group < groups.count(); ++group)
                        for (const std::uint32_t held : kv.table(s, group))
                            if (held != PagedKv::kLeft)
                                ++holders[held];
                QCOMPARE(kv.pool().used(), static_cast<std::uint32_t>(holders.size()));
                for (const auto& [held, count] : holders)
                    QCOMPARE(kv.pool().holders(held), count);
                const auto queue = kv.pool().queue();
                QCOMPARE(queue.size(), std::size_t{kv.pool().free()});
                for (const std::uint32_t free : queue)
                    QVERIFY(!holders.contains(free));
                QVERIFY(kv.stored() <= std::uint64_t{kv.pool().used()} * block);
            }
            for (const auto& [s, names] : live)
                kv.release(s);
            QCOMPARE(kv.pool().free(), kv.pool().usable());
            QCOMPARE(kv.stored(), std::uint64_t{0});
        }
    }

    void buddiesByHand()
    {
        Buddies buddies(16);
        QCOMPARE(buddies.take(3), 0u); // 4 of them
        QCOMPARE(buddies.take(5), 8u);
        QCOMPARE(buddies.take(1), 4u);
        QCOMPARE(buddies.free(), 3u);
        QCOMPARE(buddies.largest(), 2u);
        QCOMPARE(buddies.take(3), kNowhere); // three are free, in pieces of 1 and 2
        buddies.give(0, 3);
        QCOMPARE(buddies.largest(), 4u);
        buddies.give(4, 1);
        QCOMPARE(buddies.largest(), 8u);
        buddies.give(8, 5);
        QCOMPARE(buddies.largest(), 16u);
        QCOMPARE(Buddies(12).largest(), 8u);
        QCOMPARE(Buddies(16).take(17), kNowhere);
    }

    void firstFitByHand()
    {
        FirstFit fit(10);
        QCOMPARE(fit.take(4), 0u);
        QCOMPARE(fit.take(3), 4u);
        QCOMPARE(fit.take(3), 7u);
        QCOMPARE(fit.take(1), kNowhere);
        fit.give(0, 4);
        fit.give(7, 3);
        QCOMPARE(fit.free(), 7u);
        QCOMPARE(fit.take(5), kNowhere); // seven are free, in pieces of 4 and 3
        QCOMPARE(fit.take(2), 0u);
        fit.give(4, 3);
        QCOMPARE(fit.largest(), 8u);
        fit.give(0, 2);
        QCOMPARE(fit.largest(), 10u);
    }

    void rangesNeverOverlap()
    {
        for (std::uint64_t seed = 0; seed < 40; ++seed) {
            Rng rng(seed);
            const auto slots = static_cast<std::uint32_t>(1 + rng.next() % 300);
            FirstFit fit(slots);
            Buddies buddies(slots);
            std::vector<std::pair<std::uint32_t, std::uint32_t>> fits, halves;
            std::vector<bool> inFit(slots), inBuddies(slots);
            const auto mark = [&](std::vector<bool>& map, std::uint32_t at, std::uint32_t size, bool on) {
                for (std::uint32_t i = at; i < at + size; ++i) {
                    if (i >= slots || map[i] == on)
                        return false;
                    map[i] = on;
                }
                return true;
            };
            for (int turn = 0; turn < 400; ++turn) {
                const auto size = static_cast<std::uint32_t>(1 + rng.next() % 40);
                if (rng.next() % 2 == 0) {
                    const auto largest = fit.largest();
                    const auto at = fit.take(size);
                    QCOMPARE(at != kNowhere, size <= largest);
                    if (at != kNowhere) {
                        QVERIFY(mark(inFit, at, size, true));
                        fits.emplace_back(at, size);
                    }
                    const auto most = buddies.largest();
                    const auto half = buddies.take(size);
                    QCOMPARE(half != kNowhere, Buddies::rounded(size) <= most);
                    if (half != kNowhere) {
                        QVERIFY(mark(inBuddies, half, Buddies::rounded(size), true));
                        QCOMPARE(half % Buddies::rounded(size), 0u);
                        halves.emplace_back(half, size);
                    }
                } else {
                    for (auto* list : {&fits, &halves})
                        if (!list->empty()) {
                            std::swap((*list)[rng.next() % list->size()], list->back());
                            const auto [at, taken] = list->back();
                            list->pop_back();
                            if (list == &fits) {
                                fit.give(at, taken);
                                QVERIFY(mark(inFit, at, taken, false));
                            } else {
                                buddies.give(at, taken);
                                QVERIFY(mark(inBuddies, at, Buddies::rounded(taken), false));
                            }
                        }
                }
            }
            for (const auto& [at, size] : fits)
                fit.give(at, size);
            for (const auto& [at, size] : halves)
                buddies.give(at, size);
            QCOMPARE(fit.largest(), slots);
            QCOMPARE(buddies.free(), slots);
            QCOMPARE(buddies.largest(), std::bit_floor(slots));
        }
    }

    /// Prompt 60 and answer 20: the last token is never stored, so 79 tokens in five blocks.
    void oneRequestByHand()
    {
        const KvRequest one[] = {request(60, 20)};
        const auto result = runRequests(paged(100), one);
        QVERIFY(result.ok());
        QCOMPARE(result->fullest.held(), 80.0);
        QCOMPARE(result->fullest.stored, 79.0);
        QCOMPARE(result->fullest.internal, 1.0);
        QCOMPARE(result->steps, std::uint64_t{20});
        QCOMPARE(result->finished, std::uint64_t{1});
        QVERIFY(result->empty);
        const auto longest = runRequests(ranges(KvPolicy::Contiguous, 4096), one);
        QCOMPARE(longest->fullest.held(), 2048.0);
        QCOMPARE(longest->fullest.internal, 2048.0 - 79);
        const auto pow2 = runRequests(ranges(KvPolicy::Contiguous, 4096, KvReserve::Pow2), one);
        QCOMPARE(pow2->fullest.held(), 60.0 + 32);
        const auto buddy = runRequests(ranges(KvPolicy::Buddy, 4096, KvReserve::Exact), one);
        QCOMPARE(buddy->fullest.held(), 128.0); // 79 rounded up
        QCOMPARE(buddy->fullest.stored, 79.0);
    }

    void theLatestIsPreempted()
    {
        // Six blocks of 4: two requests of 8 + 9 need (8 + 8) / 4 = 4 each at their end.
        const KvRequest two[] = {request(8, 9), request(8, 9)};
        auto plan = paged(6, 4);
        std::vector<std::string> events;
        KvWatch watch;
        watch.see = [&](const KvMoment& moment) {
            if (!moment.event.empty())
                events.push_back(std::to_string(moment.step) + ": " + moment.event);
            return true;
        };
        const auto result = runRequests(plan, two, watch);
        QCOMPARE(result->preemptions, std::uint64_t{1});
        // Both hold three blocks from step 1 on; the first finds no fourth at its 13th token, in step 5.
        QCOMPARE(events,
                 (std::vector<std::string>{"0: request 0 admitted, request 1 admitted", "5: request 1 preempted",
                                           "9: request 0 finished, request 1 admitted"}));
        QCOMPARE(result->recomputed, std::uint64_t{8 + 5});
        QCOMPARE(result->finished, std::uint64_t{2});
        QVERIFY(result->empty);
        plan.preemption = KvPreemption::Swap;
        plan.swapBlocks = 10;
        const auto swapped = runRequests(plan, two);
        QCOMPARE(swapped->swapped, std::uint64_t{3});
        QCOMPARE(swapped->recomputed, std::uint64_t{0});
        plan.swapBlocks = 2; // too small: it is computed again
        QCOMPARE(runRequests(plan, two)->recomputed, std::uint64_t{8 + 5});
    }

    void preemptedWorkIsFoundAgain()
    {
        const KvRequest two[] = {request(8, 9), request(8, 9)};
        auto plan = paged(6, 4);
        plan.caching = true;
        const auto result = runRequests(plan, two);
        QCOMPARE(result->preemptions, std::uint64_t{1});
        QVERIFY(result->recomputed < 13);
        QVERIFY(result->empty);
    }

    void commonPromptsAreKeptOnce()
    {
        std::vector<KvRequest> requests(10, request(48, 5));
        for (KvRequest& each : requests)
            each.shared = 40;
        auto plan = paged(100);
        QCOMPARE(runRequests(plan, requests)->fullest.held(), 10.0 * 64);
        plan.caching = true;
        const auto result = runRequests(plan, requests);
        // Two whole blocks of the 40 tokens are common; the third and fourth are each request's own.
        QCOMPARE(result->fullest.held(), (2 + 10 * 2) * 16.0);
        QCOMPARE(result->hits, std::uint64_t{9 * 32});
        for (KvRequest& each : requests)
            each.group = static_cast<std::uint32_t>(&each - requests.data()) % 2;
        QCOMPARE(runRequests(plan, requests)->fullest.held(), (2 * 2 + 10 * 2) * 16.0);
    }

    void samplesShareTheirPrompt()
    {
        const KvRequest one[] = {request(40, 10)};
        auto plan = paged(100);
        plan.samples = 4;
        const auto result = runRequests(plan, one);
        QCOMPARE(result->copies, std::uint64_t{3});
        // Two blocks of the prompt, and each output's 8 + 9 tokens in two further ones.
        QCOMPARE(result->fullest.held(), (2 + 4 * 2) * 16.0);
        QCOMPARE(result->fullest.stored, 32.0 + 4 * 17);
        auto whole = ranges(KvPolicy::Contiguous, 4096, KvReserve::Exact);
        whole.samples = 4;
        QCOMPARE(runRequests(whole, one)->fullest.held(), 4.0 * 49);
        QVERIFY(result->empty);
    }

    void whatNeverFitsIsRefused()
    {
        const KvRequest requests[] = {request(100, 1), request(10, 5), request(3000, 1)};
        const auto result = runRequests(paged(5), requests); // 80 tokens
        QCOMPARE(result->refused, std::uint64_t{2});
        QCOMPARE(result->finished, std::uint64_t{1});
    }

    /// Whatever arrives: memory is the sum of its parts, all requests end, a sequence wastes less than a block.
    void memoryIsConserved()
    {
        for (std::uint64_t seed = 0; seed < 60; ++seed) {
            Rng rng(seed);
            RequestMix mix;
            mix.count = 60;
            mix.rate = seed % 2 ? 0.4 : 0;
            mix.prompt = 20;
            mix.output = 30;
            mix.longest = 200;
            mix.shared = seed % 3 ? 0 : 24;
            const auto requests = makeRequests(mix, rng);
            for (const KvPolicy policy : {KvPolicy::Paged, KvPolicy::Contiguous, KvPolicy::Buddy}) {
                KvPlan plan = policy == KvPolicy::Paged ? paged(70, 8) : ranges(policy, 600, KvReserve(seed % 3));
                plan.longest = 200;
                plan.samples = seed % 5 == 4 ? 3 : 1;
                plan.caching = policy == KvPolicy::Paged && seed % 4 == 0;
                plan.preemption = KvPreemption(seed % 2);
                plan.swapBlocks = 30;
                const auto result = runRequests(plan, requests);
                QVERIFY(result.ok());
                const double all = policy == KvPolicy::Paged ? 70 * 8 : 600;
                if (result->finished == 0)
                    continue; // none of them fits, as of three samples that reserve 200 tokens each
                const double sum = result->mean.held() + result->mean.free + result->mean.external;
                QVERIFY2(std::abs(sum - all) < 1e-6,
                         qPrintable(QStringLiteral("%1: %2 of %3").arg(int(policy)).arg(sum).arg(all)));
                QVERIFY(result->fullest.internal >= 0 && result->fullest.reserved >= 0);
                QCOMPARE(result->finished + result->refused, std::uint64_t{60});
                QVERIFY(result->empty);
                if (policy == KvPolicy::Paged)
                    QVERIFY(result->worstSequence < 8);
            }
        }
    }

    /// PagedAttention (Kwon et al. 2023), figure 2: token states take 20.4, 26.8, 38.2 and 96.3 % of the memory.
    /// Lengths with ShareGPT's means (161 and 338 tokens), OPT-13B with 12 GiB: the order and the distance come out.
    void utilisationOfThePaper()
    {
        Rng rng(1);
        RequestMix mix;
        mix.count = 1500;
        const auto requests = makeRequests(mix, rng);
        const auto stored = [&](const KvPlan& plan) {
            const auto result = runRequests(plan, requests);
            return result->mean.stored / (result->mean.held() + result->mean.external + result->mean.free);
        };
        const auto range = [&](KvReserve reserve) { return stored(ranges(KvPolicy::Buddy, 15728, reserve)); };
        const double longest = range(KvReserve::Longest), pow2 = range(KvReserve::Pow2),
                     exact = range(KvReserve::Exact);
        const double blocks = stored(paged(983));
        qInfo("token states %.1f %.1f %.1f %.1f %%", 100 * longest, 100 * pow2, 100 * exact, 100 * blocks);
        QVERIFY(longest < pow2 && pow2 < exact && exact < blocks);
        QVERIFY(longest < 0.25 && blocks > 0.85);
    }

    void tracesAreRead()
    {
        const auto read = parseRequests("prompt,arrival,output,note\r\n10,0.5,3,a\r\n20,1.5,4,b\r\n", "t.csv");
        QVERIFY(read.ok());
        QCOMPARE(read->size(), std::size_t{2});
        QCOMPARE((*read)[1].prompt, 20u);
        QCOMPARE((*read)[1].arrival, 1.5);
    }
    void badTraces_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("place");
        QTest::newRow("empty") << QByteArray() << QByteArray("t.csv");
        QTest::newRow("no column") << QByteArray("arrival,prompt\n1,2\n") << QByteArray("t.csv:1");
        QTest::newRow("twice") << QByteArray("arrival,prompt,output,prompt\n") << QByteArray("t.csv:1");
        QTest::newRow("no request") << QByteArray("arrival,prompt,output\n") << QByteArray("t.csv");
        QTest::newRow("no number") << QByteArray("arrival,prompt,output\n0,x,2\n") << QByteArray("t.csv:2");
        QTest::newRow("missing cell") << QByteArray("arrival,prompt,output\n0,2\n") << QByteArray("t.csv:2");
        QTest::newRow("negative") << QByteArray("arrival,prompt,output\n0,-2,2\n") << QByteArray("t.csv:2");
        QTest::newRow("nan") << QByteArray("arrival,prompt,output\nnan,2,2\n") << QByteArray("t.csv:2");
        QTest::newRow("half a token") << QByteArray("arrival,prompt,output\n0,2.5,2\n") << QByteArray("t.csv:2");
        QTest::newRow("huge") << QByteArray("arrival,prompt,output\n0,1e12,2\n") << QByteArray("t.csv:2");
        QTest::newRow("no prompt") << QByteArray("arrival,prompt,output\n0,0,2\n") << QByteArray("t.csv:2");
        QTest::newRow("backwards") << QByteArray("arrival,prompt,output\n5,1,2\n4,1,2\n") << QByteArray("t.csv:3");
    }
    void badTraces()
    {
        QFETCH(QByteArray, text);
        const auto read = parseRequests(text.toStdString(), "t.csv");
        QVERIFY(!read);
        QCOMPARE(read.error().code, std::string("bad-trace"));
        QTEST(QByteArray::fromStdString(read.error().place), "place");
        QVERIFY(!read.error().fix.empty());
    }
    void badPlans()
    {
        const KvRequest one[] = {request(10, 2)};
        auto plan = paged(0);
        QCOMPARE(runRequests(plan, one).error().place, std::string("kv_memory"));
        plan = paged(10, 0);
        QCOMPARE(runRequests(plan, one).error().place, std::string("block"));
        plan = paged(10);
        plan.groups = kvGroups(6, 4, 32);
        plan.caching = true;
        QCOMPARE(runRequests(plan, one).error().place, std::string("prefix_caching"));
        QCOMPARE(runRequests(ranges(KvPolicy::Buddy, 0), one).error().place, std::string("kv_memory"));
        const KvRequest late[] = {request(10, 2, 1e300)};
        QCOMPARE(runRequests(paged(10), late).error().place, std::string("trace"));
        QCOMPARE(runRequests(paged(10), {}).error().place, std::string("trace"));
    }
};

QTEST_GUILESS_MAIN(TestKv)
#include "tst_kv.moc"
