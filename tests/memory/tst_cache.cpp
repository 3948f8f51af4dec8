// SPDX-License-Identifier: GPL-3.0-or-later
#include "memory/cache.h"
#include "memory/loops_native.h"

#include <QtTest>

using namespace ridge;
using namespace ridge::memory;

namespace {

CacheShape shapeOf(std::uint64_t bytes, std::uint32_t line, std::uint32_t ways, Replacement policy = Replacement::Lru)
{
    CacheShape shape;
    shape.bytes = bytes;
    shape.line = line;
    shape.ways = ways;
    shape.replacement = policy;
    return shape;
}

/// One line of 16 bytes a letter: "abca" reads lines 0, 1, 2, 0.
Cache replay(const CacheShape& shape, const std::string& letters)
{
    Cache cache = *Cache::make(shape);
    for (const char letter : letters)
        cache.access(static_cast<std::uint64_t>(letter - 'a') * shape.line, false);
    return cache;
}

CacheCounts countsOf(const CacheShape& shape, const LoopSpec& loop)
{
    Cache cache = *Cache::make(shape);
    forEachAccess(loop, [&](const Access& access) {
        cache.access(access.address, access.write, loop.element);
        return true;
    });
    return cache.counts();
}

LoopSpec loopOf(Loop loop, std::uint32_t n, std::uint32_t tile = 32)
{
    LoopSpec spec;
    spec.loop = loop;
    spec.n = n;
    spec.tile = tile;
    return spec;
}

std::vector<std::uint64_t> randomTrace(std::uint64_t seed, std::size_t count, std::uint64_t lines)
{
    Rng rng(seed);
    std::vector<std::uint64_t> trace;
    for (std::size_t i = 0; i < count; ++i) // near addresses more often, as programs have it
        trace.push_back((rng.next() % lines >> rng.next() % 6) * 16);
    return trace;
}

} // namespace

class TestCache : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void directMappedByHand();
    void fifoHasBeladysAnomaly();
    void plruByHand();
    void srripKeepsWhatIsUsedAgain();
    void biggerLruCachesHoldWhatSmallerOnesHold();
    void stackDistancesAreFullyAssociativeCaches();
    void kindsOfMisses();
    void sectorsAreFetchedOneByOne();
    void storesByHand();
    void stacksByHand();
    void inclusionReachesUpwards();
    void loopsCountTheirAccesses_data();
    void loopsCountTheirAccesses();
    void streamsInClosedForm();
    void transposesInClosedForm();
    void productsInClosedForm();
    void loopsRunAsTheyAreWritten_data();
    void loopsRunAsTheyAreWritten();
    void badShapes_data();
    void badShapes();
    void traces();
    void badTraces_data();
    void badTraces();
};

void TestCache::directMappedByHand()
{
    const Cache cache = replay(shapeOf(64, 16, 1), "abcdeae");
    QCOMPARE(cache.counts().misses, 7u); // a and e share set 0 and take turns
    QCOMPARE(cache.counts().evictions, 3u);
    QCOMPARE(cache.lineAt(0, 0), std::uint64_t{64});
    QCOMPARE(cache.lineAt(1, 0), std::uint64_t{16});
    QCOMPARE(replay(shapeOf(64, 16, 2), "abcdeae").counts().hits,
             1u); // a, c and e share two ways: only e stays
    QCOMPARE(replay(shapeOf(64, 16, 4), "abcdaaaa").counts().hits, 4u);
}

void TestCache::fifoHasBeladysAnomaly()
{
    // Belady, Nelson, Shedler 1969: 9 misses with three lines, 10 with four.
    const std::string pages = "abcdabeabcde";
    QCOMPARE(replay(shapeOf(48, 16, 3, Replacement::Fifo), pages).counts().misses, 9u);
    QCOMPARE(replay(shapeOf(64, 16, 4, Replacement::Fifo), pages).counts().misses, 10u);
    QCOMPARE(replay(shapeOf(48, 16, 3), pages).counts().misses, 10u);
    QCOMPARE(replay(shapeOf(64, 16, 4), pages).counts().misses, 8u);
}

void TestCache::plruByHand()
{
    // a b c d fill ways 0 to 3; the bits then point at way 0. Using a turns both
    // of its bits away: the next victim lies in the right half, where c was used
    // before d.
    const CacheShape shape = shapeOf(64, 16, 4, Replacement::TreePlru);
    const Cache cache = replay(shape, "abcdae");
    QVERIFY(!cache.holds(2 * 16)); // c went
    QVERIFY(cache.holds(0) && cache.holds(16) && cache.holds(48) && cache.holds(64));
    // LRU would have let b go.
    QVERIFY(!replay(shapeOf(64, 16, 4), "abcdae").holds(16));
}

void TestCache::srripKeepsWhatIsUsedAgain()
{
    // a and b are used twice; a scan of c to h then passes through without taking
    // them away, which LRU does not manage.
    const std::string scan = "ababcdefghab";
    const Cache srrip = replay(shapeOf(64, 16, 4, Replacement::Srrip), scan);
    const Cache lru = replay(shapeOf(64, 16, 4), scan);
    QCOMPARE(lru.counts().hits, 2u);
    QCOMPARE(srrip.counts().hits, 4u);
}

void TestCache::biggerLruCachesHoldWhatSmallerOnesHold()
{
    for (const std::uint64_t seed : {1u, 2u, 3u}) {
        std::vector<Cache> caches;
        for (std::uint32_t ways = 1; ways <= 8; ++ways) // the same 16 sets, more ways
            caches.push_back(*Cache::make(shapeOf(std::uint64_t{16} * 16 * ways, 16, ways)));
        for (const std::uint64_t address : randomTrace(seed, 20'000, 1024)) {
            bool hit = false;
            for (Cache& cache : caches) {
                const bool now = cache.access(address, false).outcome == Outcome::Hit;
                QVERIFY2(now || !hit, "a larger LRU cache missed what a smaller one had");
                hit = now;
            }
        }
        for (std::size_t i = 1; i < caches.size(); ++i)
            QVERIFY(caches[i].counts().misses < caches[i - 1].counts().misses);
    }
}

void TestCache::stackDistancesAreFullyAssociativeCaches()
{
    const auto trace = randomTrace(7, 200'000, 4096); // more than 65,536 accesses: times move together
    StackDistances distances(16);
    for (const std::uint64_t address : trace)
        distances.access(address);
    for (const std::uint32_t lines : {1u, 3u, 16u, 100u, 1024u}) {
        Cache cache = *Cache::make(shapeOf(std::uint64_t{16} * lines, 16, lines));
        for (const std::uint64_t address : trace)
            cache.access(address, false);
        QCOMPARE(distances.missesOf(lines), cache.counts().misses);
    }
    StackDistances few(16);
    QCOMPARE(few.access(0), StackDistances::kFirst);
    QCOMPARE(few.access(0), std::uint64_t{0});
    QCOMPARE(few.access(16), StackDistances::kFirst);
    QCOMPARE(few.access(32), StackDistances::kFirst);
    QCOMPARE(few.access(4), std::uint64_t{2}); // lines 1 and 2 in between
}

void TestCache::kindsOfMisses()
{
    // Two lines that share a set of a direct-mapped cache of four: two first
    // touches, the rest by conflict.
    Cache cache = *Cache::make(shapeOf(64, 16, 1));
    StackDistances distances(16);
    for (int i = 0; i < 10; ++i)
        for (const std::uint64_t address : {0u, 64u}) {
            cache.access(address, false);
            distances.access(address);
        }
    const MissKinds kinds = missKinds(cache, distances);
    QCOMPARE(kinds.compulsory, 2u);
    QCOMPARE(kinds.capacity, 0u);
    QCOMPARE(kinds.conflict, 18);
}

void TestCache::sectorsAreFetchedOneByOne()
{
    CacheShape shape = shapeOf(1024, 128, 4);
    shape.sectors = 4;
    Cache cache = *Cache::make(shape);
    QCOMPARE(cache.access(0, false).outcome, Outcome::Miss);
    QCOMPARE(cache.access(28, false).outcome, Outcome::Hit);
    QCOMPARE(cache.access(32, false).outcome, Outcome::SectorMiss);
    QCOMPARE(cache.counts().bytesIn, 64u);
    QCOMPARE(cache.counts().sectorMisses, 1u);
    cache.access(96, true);
    for (std::uint64_t line = 1; line <= 4; ++line) // five lines of one set of four ways
        cache.access(line * 256, false);
    QCOMPARE(cache.counts().evictions, 1u);
    QCOMPARE(cache.counts().bytesOut,
             32u); // of the line only the sector that was stored to
}

void TestCache::storesByHand()
{
    CacheShape shape = shapeOf(64, 16, 1);
    Cache back = *Cache::make(shape);
    back.access(0, true);
    back.access(4, true);
    QCOMPARE(back.counts().bytesIn, 16u);
    QCOMPARE(back.counts().bytesOut, 0u);
    QVERIFY(back.access(64, false).wroteBack);
    QCOMPARE(back.counts().bytesOut, 16u);
    shape.write = WritePolicy::WriteThrough;
    Cache through = *Cache::make(shape);
    QCOMPARE(through.access(0, true).outcome, Outcome::Miss);
    QVERIFY(!through.holds(0));
    through.access(0, false);
    through.access(4, true);
    QCOMPARE(through.counts().bytesOut, 8u);
    QCOMPARE(through.counts().bytesIn, 16u);
    QCOMPARE(through.counts().writebacks, 0u);
}

void TestCache::stacksByHand()
{
    const std::vector<CacheShape> shapes{shapeOf(32, 16, 2), shapeOf(64, 16, 4)};
    CacheStack stack = *CacheStack::make(shapes, Inclusion::NonInclusive);
    std::vector<std::size_t> levels;
    for (const std::uint64_t line : {0u, 1u, 2u, 0u, 3u, 4u, 0u})
        levels.push_back(stack.access(line * 16, false));
    // L1 has two lines, L2 four: 0 is in L2 when it comes back, and again after 3
    // and 4 took line 1's place.
    QCOMPARE(levels, (std::vector<std::size_t>{2, 2, 2, 1, 2, 2, 1}));
    QCOMPARE(stack.levels()[1].counts().accesses(), std::uint64_t{7});
    // A stored line goes down when it leaves.
    CacheStack dirty = *CacheStack::make(shapes, Inclusion::NonInclusive);
    dirty.access(0, true);
    dirty.access(16, false);
    dirty.access(32, false);
    QCOMPARE(dirty.levels()[0].counts().writebacks, 1u);
    QCOMPARE(dirty.levels()[1].counts().writes, 1u);
    QCOMPARE(dirty.levels()[1].counts().bytesIn, 48u);
}

void TestCache::inclusionReachesUpwards()
{
    // L2 is direct-mapped with two lines: lines 0 and 2 share a place there, so
    // L1 must let 0 go with it.
    const std::vector<CacheShape> shapes{shapeOf(64, 16, 4), shapeOf(32, 16, 1)};
    CacheStack loose = *CacheStack::make(shapes, Inclusion::NonInclusive);
    CacheStack strict = *CacheStack::make(shapes, Inclusion::Inclusive);
    for (CacheStack* stack : {&loose, &strict})
        for (const std::uint64_t line : {0u, 2u})
            stack->access(line * 16, false);
    QCOMPARE(loose.access(0, false), std::size_t{0});
    QCOMPARE(strict.access(0, false), std::size_t{2});
}

void TestCache::loopsCountTheirAccesses_data()
{
    QTest::addColumn<int>("loop");
    for (std::size_t i = 0; i < loopNames().size(); ++i)
        QTest::newRow(loopNames()[i].c_str()) << static_cast<int>(i);
}

void TestCache::loopsCountTheirAccesses()
{
    QFETCH(int, loop);
    LoopSpec spec = loopOf(static_cast<Loop>(loop), 37, 10);
    QCOMPARE(loopNamed(loopNames()[static_cast<std::size_t>(loop)]), spec.loop);
    QVERIFY(!loopCode(spec.loop).empty());
    std::uint64_t seen = 0;
    std::uint64_t stores = 0;
    forEachBlock(spec, [&](std::span<const Access> block) {
        seen += block.size();
        for (const Access& access : block)
            stores += access.write ? 1 : 0;
        return true;
    });
    QCOMPARE(seen, accessCount(spec));
    std::uint64_t taken = 0;
    forEachAccess(spec, [&](const Access&) { return ++taken < 20; });
    QCOMPARE(taken, std::uint64_t{20});
    if (spec.loop >= Loop::TransposeRows && spec.loop <= Loop::TransposeTiled)
        QCOMPARE(stores, std::uint64_t{37 * 37});
}

void TestCache::streamsInClosedForm()
{
    // 8 elements a line of 64 bytes: an eighth of the accesses misses, as long as
    // three lines fit a set.
    const LoopSpec loop = loopOf(Loop::Stream, 4096);
    QCOMPARE(countsOf(shapeOf(4096, 64, 4), loop).misses, std::uint64_t{3 * 4096 / 8});
    QCOMPARE(countsOf(shapeOf(1 << 20, 64, 16), loop).misses, std::uint64_t{3 * 4096 / 8}); // size does not help
    // The arrays begin at multiples of 4096, so that with one or two ways the
    // three lines take each other's place.
    QCOMPARE(countsOf(shapeOf(4096, 64, 1), loop).misses, std::uint64_t{3 * 4096});
    QCOMPARE(countsOf(shapeOf(4096, 64, 2), loop).misses, std::uint64_t{3 * 4096});
    LoopSpec strided = loopOf(Loop::Strided, 4096);
    strided.stride = 8;
    QCOMPARE(countsOf(shapeOf(4096, 64, 8), strided).misses, std::uint64_t{4096}); // 512 lines, 64 of them fit
    QCOMPARE(countsOf(shapeOf(32768, 64, 8), strided).misses, std::uint64_t{512});
}

void TestCache::transposesInClosedForm()
{
    const std::uint64_t n = 64, cells = n * n;
    // Fully associative with room for a column of lines: first touches alone.
    const CacheShape wide = shapeOf(64 * 128, 64, 128), narrow = shapeOf(64 * 32, 64, 32);
    QCOMPARE(countsOf(wide, loopOf(Loop::TransposeRows, n)).misses, 2 * cells / 8);
    QCOMPARE(countsOf(wide, loopOf(Loop::TransposeColumns, n)).misses, 2 * cells / 8);
    // Without it the side that walks down its columns misses each time.
    QCOMPARE(countsOf(narrow, loopOf(Loop::TransposeRows, n)).misses, cells + cells / 8);
    QCOMPARE(countsOf(narrow, loopOf(Loop::TransposeColumns, n)).misses, cells + cells / 8);
    // Tiles of 8 x 8 need 16 lines.
    QCOMPARE(countsOf(narrow, loopOf(Loop::TransposeTiled, n, 8)).misses, 2 * cells / 8);
    // A power of two as the row's length puts a column into few sets; 8 elements
    // of padding spread it.
    LoopSpec padded = loopOf(Loop::TransposeTiled, 512, 8);
    const CacheShape real = shapeOf(4096, 64, 4);
    const std::uint64_t crowded = countsOf(real, padded).misses;
    padded.pad = 8;
    QVERIFY(countsOf(real, padded).misses * 3 < crowded);
}

void TestCache::productsInClosedForm()
{
    const std::uint64_t n = 64, cube = n * n * n, square = n * n;
    const CacheShape tiny = shapeOf(64 * 16, 64, 16); // 16 lines: a column of 64 does not stay
    // The innermost loop of ijk walks a's row (an eighth) and b's column (all); c
    // is far away at both ends of it.
    QCOMPARE(countsOf(tiny, loopOf(Loop::MatmulIjk, n)).misses, cube / 8 + cube + square + square / 8);
    // jki walks two columns; c[i][j] is stored at once where it was loaded.
    QCOMPARE(countsOf(tiny, loopOf(Loop::MatmulJki, n)).misses, 2 * cube + square);
    // ikj walks two rows of 8 lines; 16 lines hold b's and a part of c's, so that
    // no more than an eighth each misses.
    const CacheCounts ikj = countsOf(tiny, loopOf(Loop::MatmulIkj, n));
    QVERIFY(ikj.misses <= 2 * cube / 8 + square);
    QVERIFY(ikj.misses >= cube / 8);
    // Where everything fits: first touches of three matrices.
    for (const Loop loop : {Loop::MatmulIjk, Loop::MatmulKji, Loop::MatmulTiled})
        QCOMPARE(countsOf(shapeOf(1 << 20, 64, 16), loopOf(loop, n)).misses, 3 * square / 8);
}

void TestCache::loopsRunAsTheyAreWritten_data()
{
    QTest::addColumn<QString>("loop");
    for (const std::string& name : loopNames())
        QTest::newRow(name.c_str()) << QString::fromStdString(name);
}

/// On this processor: every loop gives what it must, for sizes that tiles do not divide, and twice over.
void TestCache::loopsRunAsTheyAreWritten()
{
    QFETCH(QString, loop);
    for (const std::uint32_t element : {4u, 8u})
        for (const std::uint32_t n : {1u, 7u, 33u, 64u}) {
            LoopSpec spec = loopOf(*loopNamed(loop.toStdString()), n, 8);
            spec.element = element;
            spec.stride = 5;
            spec.pad = n % 3;
            spec.seed = 11;
            auto made = NativeLoop::make(spec);
            QVERIFY(made.ok());
            QVERIFY(made->right());
            made->pass();
            QVERIFY(made->right());
        }
}

void TestCache::badShapes_data()
{
    QTest::addColumn<quint64>("bytes");
    QTest::addColumn<quint32>("line");
    QTest::addColumn<quint32>("ways");
    QTest::addColumn<quint32>("sectors");
    QTest::addColumn<QString>("says");
    QTest::newRow("line 0") << quint64{1024} << 0u << 1u << 1u << "a line of 0 bytes";
    QTest::newRow("line 48") << quint64{1024} << 48u << 1u << 1u << "a line of 48 bytes";
    QTest::newRow("no way") << quint64{1024} << 64u << 0u << 1u << "0 ways";
    QTest::newRow("half a set") << quint64{1000} << 64u << 4u << 1u << "no whole number of sets";
    QTest::newRow("nothing") << quint64{0} << 64u << 4u << 1u << "no whole number of sets";
    QTest::newRow("three sectors") << quint64{1024} << 64u << 4u << 3u << "3 sectors do not fit";
    QTest::newRow("sectors of 2 bytes") << quint64{1024} << 64u << 4u << 32u << "32 sectors do not fit";
    QTest::newRow("huge") << (quint64{1} << 40) << 64u << 4u << 1u << "too large to simulate";
}

void TestCache::badShapes()
{
    QFETCH(quint64, bytes);
    QFETCH(quint32, line);
    QFETCH(quint32, ways);
    QFETCH(quint32, sectors);
    QFETCH(QString, says);
    CacheShape shape = shapeOf(bytes, line, ways);
    shape.sectors = sectors;
    const auto cache = Cache::make(shape);
    QVERIFY(!cache.ok());
    QVERIFY2(QString::fromStdString(cache.error().message).contains(says), cache.error().message.c_str());
    QVERIFY(!cache.error().fix.empty());
    QVERIFY(!Cache::make(shapeOf(3 * 64, 64, 3, Replacement::TreePlru)).ok());
}

void TestCache::traces()
{
    const auto trace = parseTrace("# a trace\nR 0x1F40\nW 8\n\n  0 ff\r\n1 10 4\n2 400000\n", "t.txt");
    QVERIFY(trace.ok());
    QCOMPARE(trace->size(), std::size_t{4});
    QCOMPARE((*trace)[0].address, std::uint64_t{0x1f40});
    QVERIFY((*trace)[1].write && !(*trace)[2].write && (*trace)[3].write);
}

void TestCache::badTraces_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("place");
    QTest::newRow("empty") << QByteArray() << "t.txt";
    QTest::newRow("comments") << QByteArray("# nothing\n") << "t.txt";
    QTest::newRow("no address") << QByteArray("R 1\nR\n") << "t.txt:2";
    QTest::newRow("no kind") << QByteArray("0x1f40\n") << "t.txt:1";
    QTest::newRow("no number") << QByteArray("R zz\n") << "t.txt:1";
    QTest::newRow("65 bits") << QByteArray("R 1ffffffffffffffff\n") << "t.txt:1";
}

void TestCache::badTraces()
{
    QFETCH(QByteArray, text);
    QFETCH(QString, place);
    const auto trace = parseTrace(text.toStdString(), "t.txt");
    QVERIFY(!trace.ok());
    QCOMPARE(QString::fromStdString(trace.error().place), place);
    QVERIFY(trace.error().fix.find("R or W") != std::string::npos);
}

QTEST_APPLESS_MAIN(TestCache)
#include "tst_cache.moc"
