// SPDX-License-Identifier: GPL-3.0-or-later
// Batches against a second implementation of the rules, request by request and step by step, against figures of
// Vidur's schedulers, and against laws of conservation.
#include "base/plain_file.h"
#include "serving/frameworks.h"
#include "serving/summary.h"

#include <QtTest>

#include <algorithm>
#include <cmath>
#include <deque>

using namespace ridge;
using namespace ridge::serving;

namespace {

/// The rules of schedulers vllm and sarathi as they are written down in docs/validation.md, "Serving", with lists and
/// nothing clever; one replica.
class PlainScheduler {
public:
    PlainScheduler(const ReplicaConfig& config, const std::vector<Request>& trace)
        : c(config), m_free(static_cast<long long>(config.blocks))
    {
        for (const Request& r : trace)
            m_jobs.push_back({r.arrival, r.prompt, r.output, 0, 0, -1, -1});
    }

    bool run()
    {
        std::size_t next = 0;
        for (;;) {
            while (next < m_jobs.size() && m_jobs[next].arrival <= now)
                m_waiting.push_back(next++);
            std::vector<std::pair<std::size_t, long long>> batch;
            c.scheduler == Scheduler::Vllm ? vllm(batch) : sarathi(batch);
            if (batch.empty()) {
                if (next == m_jobs.size())
                    return m_waiting.empty() && m_running.empty();
                now = m_jobs[next].arrival;
                continue;
            }
            double seconds = 0.008;
            for (const auto& [job, n] : batch) {
                Job& j = m_jobs[job];
                tokens += n;
                seconds += 40e-6 * static_cast<double>(n);
                if (j.processed < j.prompt)
                    seconds += 1e-9 * static_cast<double>(n * (j.processed + n));
                else
                    seconds += 80e-9 * static_cast<double>(j.processed);
            }
            now += seconds;
            ++batches;
            for (const auto& [job, n] : batch) {
                Job& j = m_jobs[job];
                j.processed += n;
                if (j.processed == j.prompt) {
                    ++j.processed;
                    if (j.first < 0)
                        j.first = now;
                }
                if (j.processed == j.prompt + j.output) {
                    j.done = now;
                    m_free += j.blocks;
                    j.blocks = 0;
                } else {
                    m_running.push_back(job);
                }
            }
        }
    }

    struct Job {
        double arrival;
        long long prompt, output, processed, blocks;
        double first, done;
    };
    std::vector<Job> m_jobs;
    double now = 0;
    long long batches = 0, tokens = 0, restarts = 0;

private:
    long long ceilBlocks(long long n) const { return (n + c.block - 1) / c.block; }
    long long holders() const
    {
        return std::count_if(m_jobs.begin(), m_jobs.end(), [](const Job& j) { return j.blocks > 0; });
    }
    bool admissible(const Job& j) const { return m_free - ceilBlocks(j.prompt) >= static_cast<long long>(c.watermark); }
    void restart(std::size_t job)
    {
        Job& j = m_jobs[job];
        const long long all = j.prompt + j.output;
        m_free += j.blocks;
        j.blocks = 0;
        j.prompt = j.processed;
        j.output = all - j.prompt;
        j.processed = 0;
        ++restarts;
        m_waiting.push_front(job);
    }
    /// A decode of its turn; false where it had to go itself.
    bool place(std::size_t job)
    {
        while (m_free < 1) {
            if (m_running.empty()) {
                restart(job);
                return false;
            }
            const std::size_t victim = m_running.back();
            m_running.pop_back();
            restart(victim);
        }
        Job& j = m_jobs[job];
        if (j.processed > j.blocks * c.block) {
            ++j.blocks;
            --m_free;
        }
        return true;
    }
    void byArrival(std::deque<std::size_t>& list)
    {
        std::stable_sort(list.begin(), list.end(),
                         [&](std::size_t a, std::size_t b) { return m_jobs[a].arrival < m_jobs[b].arrival; });
    }
    void admit(std::size_t job)
    {
        m_jobs[job].blocks = ceilBlocks(m_jobs[job].prompt);
        m_free -= m_jobs[job].blocks;
    }
    void vllm(std::vector<std::pair<std::size_t, long long>>& batch)
    {
        long long longest = 0;
        while (!m_waiting.empty()) {
            const std::size_t job = m_waiting.front();
            const long long most = std::max(longest, m_jobs[job].prompt);
            if (!admissible(m_jobs[job]) ||
                static_cast<long long>(batch.size() + 1) * most > static_cast<long long>(c.maxTokens) ||
                holders() >= c.maxBatch)
                break;
            longest = most;
            m_waiting.pop_front();
            admit(job);
            batch.push_back({job, m_jobs[job].prompt});
        }
        if (!batch.empty())
            return;
        byArrival(m_running);
        while (!m_running.empty()) {
            const std::size_t job = m_running.front();
            m_running.pop_front();
            if (place(job))
                batch.push_back({job, 1});
        }
    }
    void sarathi(std::vector<std::pair<std::size_t, long long>>& batch)
    {
        long long used = 0;
        std::vector<std::size_t> prefills;
        std::deque<std::size_t> skipped;
        while (!m_running.empty()) {
            const std::size_t job = m_running.front();
            m_running.pop_front();
            if (m_jobs[job].processed < m_jobs[job].prompt) {
                prefills.push_back(job);
            } else if (place(job)) {
                batch.push_back({job, 1});
                ++used;
            }
        }
        const auto part = [&](std::size_t job) {
            return std::max(
                0ll, std::min(m_jobs[job].prompt - m_jobs[job].processed, static_cast<long long>(c.chunk) - used));
        };
        for (const std::size_t job : prefills) {
            const long long n = part(job);
            if (n == 0) {
                skipped.push_back(job);
                continue;
            }
            used += n;
            batch.push_back({job, n});
        }
        byArrival(skipped);
        m_running = skipped;
        while (!m_waiting.empty()) {
            const std::size_t job = m_waiting.front();
            if (holders() >= c.maxBatch || !admissible(m_jobs[job]) || part(job) == 0)
                break;
            const long long n = part(job);
            m_waiting.pop_front();
            admit(job);
            used += n;
            batch.push_back({job, n});
        }
    }

    const ReplicaConfig& c;
    long long m_free;
    std::deque<std::size_t> m_waiting, m_running;
};

ClusterConfig oracleConfig(Scheduler scheduler, std::uint64_t blocks, std::uint32_t cap, std::uint32_t tokens)
{
    ClusterConfig config;
    ReplicaConfig& r = config.replica;
    r.scheduler = scheduler;
    r.blocks = blocks;
    r.watermark = blocks / 100;
    r.maxBatch = cap;
    r.maxTokens = r.chunk = tokens;
    r.cutPrompt = true;
    return config;
}

std::vector<Request> randomRequests(Rng& rng, std::size_t count, double rate, double prompt, double output)
{
    Workload w;
    w.requests = count;
    w.rate = rate;
    w.lengths = Lengths::Exponential;
    w.prompt = prompt;
    w.output = output;
    return makeRequests(w, rng);
}

/// Every request finishes once, tokens add up, blocks are free again.
void checkLaws(const ClusterResult& result, std::span<const Request> requests)
{
    QCOMPARE(result.requests.size(), requests.size());
    double work = 0;
    for (std::size_t i = 0; i < requests.size(); ++i) {
        const RequestState& r = result.requests[i];
        QVERIFY(r.done >= r.firstToken);
        QVERIFY(r.firstToken > r.arrival);
        QVERIFY(r.output > 1 || r.done == r.firstToken);
        QCOMPARE(r.processed < 0 ? r.total() : r.processed, r.total());
        work += static_cast<double>(r.total() - 1); // the last token is never fed back
    }
    if (result.restarts == 0)
        QCOMPARE(static_cast<double>(result.tokens + result.cachedTokens), work);
    else
        QVERIFY(static_cast<double>(result.tokens + result.cachedTokens) > work);
    double later = 0, told = 0;
    for (const RequestState& r : result.requests)
        later += r.output - 1;
    for (const Interval& i : result.intervals)
        told += i.weight;
    QCOMPARE(told, later);
}

} // namespace

class TestScheduler : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void vidurRows_data();
    void vidurRows();
    void secondImplementation_data();
    void secondImplementation();
    void byHand();
    void laws_data();
    void laws();
    void closedLoop();
    void disaggregated();
    void replicasAndFailure();
    void failureByHand();
    void autoscalerFollowsTheQueue();
    void busyIsNoQueue();
    void prefixCache();
    void badInput();
};

void TestScheduler::vidurRows_data()
{
    QTest::addColumn<int>("scheduler");
    QTest::addColumn<double>("scale");
    QTest::addColumn<int>("blocks");
    QTest::addColumn<int>("tokens");
    QTest::addColumn<QStringList>("expected");
    using L = QStringList;
    QTest::newRow("vllm") << int(Scheduler::Vllm) << 1.0 << 8000 << 16384
                          << L{QStringLiteral("132.907870"), QStringLiteral("11040"),    QStringLiteral("599720"),
                               QStringLiteral("0"),          QStringLiteral("0.066254"), QStringLiteral("0.266097"),
                               QStringLiteral("3.548590")};
    QTest::newRow("sarathi") << int(Scheduler::Sarathi) << 1.0 << 8000 << 512
                             << L{QStringLiteral("132.892615"), QStringLiteral("11069"),    QStringLiteral("599720"),
                                  QStringLiteral("0"),          QStringLiteral("0.091902"), QStringLiteral("0.377785"),
                                  QStringLiteral("3.375706")};
    QTest::newRow("sarathi, short of blocks")
        << int(Scheduler::Sarathi) << 0.3 << 2000 << 512
        << L{QStringLiteral("86.577075"), QStringLiteral("5934"),      QStringLiteral("642930"),   QStringLiteral("36"),
             QStringLiteral("18.454301"), QStringLiteral("43.900293"), QStringLiteral("22.426176")};
}

/// The first 500 requests of Azure's trace, which is beside the sources where this project is made.
void TestScheduler::vidurRows()
{
    QFETCH(int, scheduler);
    QFETCH(double, scale);
    QFETCH(int, blocks);
    QFETCH(int, tokens);
    QFETCH(QStringList, expected);
    const char* given = std::getenv("RIDGE_AZURE_TRACE");
    const auto text = readFile(given ? given : "/work/shared/data/azure-llm-conv-2023.csv", 64u << 20);
    if (!text)
        QSKIP("no Azure trace here; set RIDGE_AZURE_TRACE to AzureLLMInferenceTrace_conv.csv");
    auto requests = parseTrace(*text, "azure");
    QVERIFY(requests);
    requests->resize(500);
    for (Request& r : *requests)
        r.arrival *= scale;
    auto result =
        simulate(oracleConfig(static_cast<Scheduler>(scheduler), blocks, 128, tokens), StepCost::oracle(), *requests);
    QVERIFY(result);
    if (scheduler == int(Scheduler::Vllm)) { // the first requests, as arrival, prefill done, done
        const auto six = [](double value) { return QString::number(value, 'f', 6); };
        QCOMPARE(six(result->requests[0].firstToken), QString::fromLatin1("0.023100"));
        QCOMPARE(six(result->requests[0].done), QString::fromLatin1("0.370182"));
        QCOMPARE(six(result->requests[1].firstToken), QString::fromLatin1("4.338576"));
        QCOMPARE(six(result->requests[1].done), QString::fromLatin1("5.273164"));
    }
    const Summary s = summarize(*result, {});
    const auto text6 = [](double value) { return QString::number(value, 'f', 6); };
    QCOMPARE((QStringList{text6(result->makespan), QString::number(result->batches), QString::number(result->tokens),
                          QString::number(result->restarts), text6(s.ttft.mean), text6(s.ttft.p99), text6(s.e2e.mean)}),
             expected);
}

void TestScheduler::secondImplementation_data()
{
    QTest::addColumn<int>("seed");
    for (int seed = 0; seed < 60; ++seed)
        QTest::addRow("%d", seed) << seed;
}

void TestScheduler::secondImplementation()
{
    QFETCH(int, seed);
    Rng rng(static_cast<std::uint64_t>(seed) * 7919 + 1);
    const Scheduler scheduler = seed % 2 ? Scheduler::Sarathi : Scheduler::Vllm;
    ClusterConfig config = oracleConfig(scheduler, 150 + rng.next() % 400, 4 + rng.next() % 60, 0);
    config.replica.block = 1u << rng.next() % 6;
    config.replica.blocks = config.replica.blocks * 16 / config.replica.block;
    config.replica.chunk = 16 + rng.next() % 512;
    config.replica.maxTokens = 4096;
    config.replica.watermark = config.replica.blocks / 100;
    auto requests = randomRequests(rng, 300, 0.5 + 20 * rng.uniform(), 60, 40);
    for (Request& r : requests) {
        r.prompt = std::min(r.prompt, 400u);
        r.output = std::min(r.output, 300u);
        if (seed % 3 == 0)
            r.arrival = std::floor(r.arrival); // many at once
    }
    PlainScheduler plain(config.replica, requests);
    QVERIFY(plain.run());
    auto result = simulate(config, StepCost::oracle(), requests);
    QVERIFY2(result.ok(), result.ok() ? "" : toText(result.error()).c_str());
    QCOMPARE(static_cast<long long>(result->batches), plain.batches);
    QCOMPARE(static_cast<long long>(result->tokens), plain.tokens);
    QCOMPARE(static_cast<long long>(result->restarts), plain.restarts);
    for (std::size_t i = 0; i < requests.size(); ++i) {
        QVERIFY(std::abs(result->requests[i].firstToken - plain.m_jobs[i].first) < 1e-9);
        QVERIFY(std::abs(result->requests[i].done - plain.m_jobs[i].done) < 1e-9);
    }
    QCOMPARE(result->blocksLeft, std::uint64_t{0});
}

/// Two requests of two steps each on a machine that takes a second a step.
void TestScheduler::byHand()
{
    const std::vector<Request> two{{0, 10, 3, kNoGroup}, {0.5, 10, 3, kNoGroup}};
    const auto run = [&](Scheduler scheduler) {
        ClusterConfig config = oracleConfig(scheduler, 100, 4, 64);
        config.replica.window = 2;
        return *simulate(config, StepCost::constant(1), two);
    };
    // Prompt 0 to 1, then the other's prompt 1 to 2, then both decode: 3, 4.
    const auto vllm = run(Scheduler::Vllm);
    QCOMPARE(vllm.requests[0].firstToken, 1.0);
    QCOMPARE(vllm.requests[1].firstToken, 2.0);
    QCOMPARE(vllm.requests[0].done, 4.0);
    QCOMPARE(vllm.requests[1].done, 4.0);
    // The first decodes while the other's prompt is processed.
    const auto sarathi = run(Scheduler::Sarathi);
    QCOMPARE(sarathi.requests[1].firstToken, 2.0);
    QCOMPARE(sarathi.requests[0].done, 3.0);
    QCOMPARE(sarathi.requests[1].done, 4.0);
    const auto orca = run(Scheduler::Orca);
    QCOMPARE(orca.requests[0].done, 3.0);
    QCOMPARE(orca.requests[1].done, 4.0);
    // One after the other: 1, 2, 3, then 4, 5, 6.
    const auto statics = run(Scheduler::Static);
    QCOMPARE(statics.requests[0].done, 3.0);
    QCOMPARE(statics.requests[1].firstToken, 4.0);
    QCOMPARE(statics.requests[1].done, 6.0);
    // The batch is not full at 2 s, begins, and has both.
    const auto dynamic = run(Scheduler::Dynamic);
    QCOMPARE(dynamic.requests[0].firstToken, 3.0);
    QCOMPARE(dynamic.requests[1].done, 5.0);
    // Intervals of vllm: 2 s for the first request's second token, then 1 s three times.
    ClusterResult again = vllm;
    const Summary s = summarize(again, {.ttft = 1.2, .tpot = 2});
    QCOMPARE(s.itl.count, std::size_t{4});
    QCOMPARE(s.itl.mean, 1.25);
    QCOMPARE(s.itl.most, 2.0);
    QCOMPARE(s.tpot.mean, 1.25);
    QCOMPARE(s.ttft.p50, 1.25);
    QCOMPARE(s.good, 1.0);
    // Two tokens at once: each client waits for its second of three, 1.5 and 1 s later.
    ClusterResult paired = vllm, whole = vllm;
    const Summary pairs = summarize(paired, {}, 2);
    QCOMPARE(pairs.ttft.p50, 2.5);
    QCOMPARE(pairs.tpot.mean, 0.625);
    const Summary all = summarize(whole, {}, 100);
    QCOMPARE(all.ttft.p50, all.e2e.p50);
    QCOMPARE(all.tpot.mean, 0.0);
}

void TestScheduler::laws_data()
{
    QTest::addColumn<int>("scheduler");
    QTest::addColumn<int>("blocks");
    for (const int scheduler : {0, 1, 2, 3, 4})
        for (const int blocks : {120, 300, 10000})
            QTest::addRow("scheduler %d, %d blocks", scheduler, blocks) << scheduler << blocks;
}

void TestScheduler::laws()
{
    QFETCH(int, scheduler);
    QFETCH(int, blocks);
    for (const bool cut : {false, true})
        for (const bool reserve : {false, true})
            for (const bool drawn : {false, true}) {
                Rng rng(11);
                auto requests = randomRequests(rng, 400, 20, 80, 60);
                for (Request& r : requests) {
                    r.prompt = std::min(r.prompt, 500u);
                    r.output = std::min(r.output, 300u);
                }
                ClusterConfig config = oracleConfig(static_cast<Scheduler>(scheduler), blocks, 32, 2048);
                config.replica.chunk = 96;
                config.replica.cutPrompt = cut;
                config.replica.reserve = reserve;
                config.drawn = drawn;
                auto result = simulate(config, StepCost::oracle(), requests);
                QVERIFY2(result.ok(), result.ok() ? "" : toText(result.error()).c_str());
                if (!cut || scheduler != int(Scheduler::Sarathi))
                    checkLaws(*result, requests);
                QCOMPARE(result->blocksLeft, std::uint64_t{0});
                QVERIFY(result->peakBlocks <= static_cast<std::uint64_t>(blocks));
                if (reserve || scheduler <= int(Scheduler::Orca))
                    QCOMPARE(result->restarts, std::uint64_t{0});
                else if (blocks == 120)
                    QVERIFY(result->restarts > 0);
                if (drawn)
                    QVERIFY(!result->deeds.empty());
            }
}

void TestScheduler::closedLoop()
{
    Rng rng(3);
    Workload w;
    w.requests = 200;
    w.rate = 0;
    w.prompt = 50;
    w.output = 20;
    const auto requests = makeRequests(w, rng);
    ClusterConfig config = oracleConfig(Scheduler::Sarathi, 10000, 64, 512);
    config.clients = 8;
    for (const std::uint32_t replicas : {1u, 2u}) {
        config.replicas = replicas;
        auto result = simulate(config, StepCost::constant(0.01), requests);
        QVERIFY(result);
        checkLaws(*result, requests);
        // Little's law: 8 requests are there at all times but for the end.
        double inside = 0;
        for (const RequestState& r : result->requests)
            inside += r.done - r.arrival;
        QVERIFY(std::abs(inside / result->makespan - 8) < 0.2);
        // Of a step of constant time each request takes 20.
        QCOMPARE(QString::number(result->makespan, 'f', 6), QString::number(200 / 8 * 20 * 0.01, 'f', 6));
    }
}

void TestScheduler::disaggregated()
{
    Rng rng(4);
    const auto requests = randomRequests(rng, 500, 20, 200, 40);
    ClusterConfig config = oracleConfig(Scheduler::Vllm, 5000, 64, 8192);
    config.replicas = 3;
    config.prefillReplicas = 1;
    config.transferLatency = 0.005;
    config.transferPerToken = 1e-6;
    auto result = simulate(config, StepCost::oracle(), requests);
    QVERIFY(result);
    checkLaws(*result, requests);
    QCOMPARE(result->blocksLeft, std::uint64_t{0});
    for (const RequestState& r : result->requests) // the second token is behind the transfer
        if (r.output > 1)
            QVERIFY(r.done - r.firstToken >= 0.005 + 1e-6 * r.prompt);
    // Tokens come evenly: no prompt is between them.
    ClusterConfig together = config;
    together.prefillReplicas = 0;
    auto mixed = simulate(together, StepCost::oracle(), requests);
    QVERIFY(mixed);
    const Spread even = spreadOf(result->intervals), uneven = spreadOf(mixed->intervals);
    QVERIFY(even.p99 < uneven.p99);
}

void TestScheduler::replicasAndFailure()
{
    Rng rng(5);
    const auto requests = randomRequests(rng, 2000, 30, 200, 40);
    for (const Router router : {Router::RoundRobin, Router::LeastLoaded, Router::PrefixAware, Router::Shared}) {
        ClusterConfig config = oracleConfig(Scheduler::Sarathi, 3000, 64, 512);
        config.replicas = 4;
        config.router = router;
        auto whole = simulate(config, StepCost::oracle(), requests);
        QVERIFY(whole);
        checkLaws(*whole, requests);
        config.failAt = 20;
        config.repair = 15;
        auto failed = simulate(config, StepCost::oracle(), requests);
        QVERIFY(failed);
        checkLaws(*failed, requests);
        QVERIFY(failed->restarts > 0);
        QCOMPARE(failed->blocksLeft, std::uint64_t{0});
        QVERIFY(summarize(*failed, {}).e2e.p99 > summarize(*whole, {}).e2e.p99);
    }
}

/// Steps of one second; the prompt gives the first of five tokens, and the replica is lost in its third step.
void TestScheduler::failureByHand()
{
    const std::vector<Request> one{{0, 10, 5, kNoGroup}};
    ClusterConfig config = oracleConfig(Scheduler::Vllm, 100, 4, 64);
    config.router = Router::RoundRobin;
    config.failAt = 2.5;
    config.repair = 10;
    // Nobody else is there: back at 12.5 s, what was said is read again and gives the fourth token, then the fifth.
    auto alone = simulate(config, StepCost::constant(1), one);
    QVERIFY(alone);
    QCOMPARE(alone->requests[0].firstToken, 1.0);
    QCOMPARE(alone->requests[0].done, 14.5);
    QCOMPARE(alone->restarts, std::uint64_t{1});
    QCOMPARE(alone->busy, 5.0);
    // The other replica takes it at once. Both are paid for to the end.
    config.replicas = 2;
    auto spare = simulate(config, StepCost::constant(1), one);
    QVERIFY(spare);
    QCOMPARE(spare->requests[0].done, 4.5);
    QCOMPARE(spare->makespan, 4.5);
    QCOMPARE(spare->up, 9.0);
}

/// A request of one step of one second every 1.25 s: the replica is busy for 0.8 of the time and nobody ever waits.
void TestScheduler::busyIsNoQueue()
{
    std::vector<Request> requests;
    for (int i = 0; i < 80; ++i)
        requests.push_back({1.25 * i, 10, 1, kNoGroup});
    ClusterConfig config = oracleConfig(Scheduler::Vllm, 100, 4, 64);
    config.autoscaler = {ScaleOn::Queue, 2, 0.75, 10, 5};
    auto queue = simulate(config, StepCost::constant(1), requests);
    QVERIFY(queue);
    QCOMPARE(queue->makespan, 99.75);
    QCOMPARE(queue->up, 99.75);
    QCOMPARE(queue->peakReplicas, 1u);
    // The first look, at 10 s, sees 0.8 and starts another one, which then has nothing to do.
    config.autoscaler.on = ScaleOn::Utilization;
    auto busy = simulate(config, StepCost::constant(1), requests);
    QVERIFY(busy);
    QCOMPARE(busy->peakReplicas, 2u);
    QCOMPARE(busy->up, 99.75 + 89.75);
    for (std::size_t i = 0; i < requests.size(); ++i)
        QCOMPARE(busy->requests[i].done, queue->requests[i].done);
    // Above what it sees it does nothing.
    config.autoscaler.target = 0.85;
    auto calm = simulate(config, StepCost::constant(1), requests);
    QVERIFY(calm);
    QCOMPARE(calm->up, 99.75);
}

void TestScheduler::autoscalerFollowsTheQueue()
{
    Rng rng(6);
    const auto requests = randomRequests(rng, 6000, 60, 200, 40);
    ClusterConfig config = oracleConfig(Scheduler::Vllm, 400, 16, 4096);
    auto alone = simulate(config, StepCost::oracle(), requests);
    QVERIFY(alone);
    for (const ScaleOn on : {ScaleOn::Queue, ScaleOn::Ttft}) {
        config.autoscaler = {on, 8, 2, 5, 10};
        auto scaled = simulate(config, StepCost::oracle(), requests);
        QVERIFY(scaled);
        checkLaws(*scaled, requests);
        QVERIFY(scaled->peakReplicas > 1);
        QVERIFY(scaled->makespan < alone->makespan);
        QVERIFY(scaled->up < 8 * scaled->makespan);
        QVERIFY(scaled->up >= scaled->makespan);
    }
}

void TestScheduler::prefixCache()
{
    Rng rng(8);
    Workload w;
    w.requests = 1000;
    w.rate = 8;
    w.prompt = 800;
    w.output = 20;
    w.groups = 10;
    const auto requests = makeRequests(w, rng);
    ClusterConfig config = oracleConfig(Scheduler::Vllm, 4000, 64, 8192);
    auto cold = simulate(config, StepCost::oracle(), requests);
    config.replica.prefixTokens = 640;
    config.replica.groups = 10;
    auto warm = simulate(config, StepCost::oracle(), requests);
    QVERIFY(cold && warm);
    checkLaws(*warm, requests);
    QCOMPARE(warm->blocksLeft, std::uint64_t{10 * 40}); // ten prefixes stay
    QVERIFY(warm->cachedTokens >= 640ull * 950);
    QVERIFY(summarize(*warm, {}).ttft.mean < summarize(*cold, {}).ttft.mean);
    // Fewer blocks than the prefixes need: the oldest go.
    config.replica.blocks = 330;
    auto tight = simulate(config, StepCost::oracle(), requests);
    QVERIFY(tight);
    checkLaws(*tight, requests);
    QVERIFY(tight->cachedTokens < warm->cachedTokens);
    QVERIFY(tight->peakBlocks <= 330);
    // A router that knows who has which prefix finds it more often than one that does not.
    config.replica.blocks = 900;
    config.replicas = 4;
    config.router = Router::RoundRobin;
    auto blind = simulate(config, StepCost::oracle(), requests);
    config.router = Router::PrefixAware;
    auto aware = simulate(config, StepCost::oracle(), requests);
    QVERIFY(blind && aware);
    QVERIFY(aware->cachedTokens > blind->cachedTokens);
}

void TestScheduler::badInput()
{
    const std::vector<Request> one{{0, 1000, 10, kNoGroup}};
    ClusterConfig config = oracleConfig(Scheduler::Vllm, 50, 16, 4096);
    QCOMPARE(simulate(config, StepCost::oracle(), one).error().code, std::string("does-not-fit"));
    config.replica.blocks = 5000;
    config.replica.maxTokens = 999;
    QCOMPARE(simulate(config, StepCost::oracle(), one).error().place, std::string("max_tokens"));
    config.replica.scheduler = Scheduler::Sarathi;
    QVERIFY(simulate(config, StepCost::oracle(), one));
    // A request that fits when it comes and not when it has grown.
    const std::vector<Request> grows{{0, 100, 1000, kNoGroup}};
    config.replica.blocks = 20;
    config.replica.watermark = 0;
    for (const Scheduler s : {Scheduler::Vllm, Scheduler::Sarathi, Scheduler::Orca}) {
        config.replica.scheduler = s;
        QCOMPARE(simulate(config, StepCost::oracle(), grows).error().code, std::string("does-not-fit"));
    }
    // What the fix says is enough, and without a watermark not a block less.
    for (const double share : {0.0, 0.01, 0.3, 0.9})
        for (const std::uint32_t output : {1u, 128u, 125u, 126u, 2000u}) {
            const std::vector<Request> two{{0, 100, output, kNoGroup}, {0, 100, output, kNoGroup}};
            const auto run = [&](std::uint64_t blocks) {
                ClusterConfig c = oracleConfig(Scheduler::Vllm, blocks, 16, 4096);
                c.replica.watermarkShare = share;
                c.replica.watermark = std::uint64_t(share * double(blocks));
                return simulate(c, StepCost::oracle(), two);
            };
            const std::string fix = run(6).error().fix; // the prompt alone needs 7
            QVERIFY2(fix.starts_with("take at least "), fix.c_str());
            const std::uint64_t least = std::stoull(fix.substr(14));
            QVERIFY2(run(least), fix.c_str());
            QVERIFY2(share > 0 || !run(least - 1), fix.c_str());
        }
    QCOMPARE(simulate(config, StepCost::oracle(), {}).error().code, std::string("bad-cluster"));
    config.replicas = 0;
    QCOMPARE(simulate(config, StepCost::oracle(), one).error().place, std::string("replicas"));
    config.replicas = 1;
    config.replica.blocks = 5000;
    config.failAt = 0;
    QCOMPARE(simulate(config, StepCost::oracle(), one).error().place, std::string("fail_at"));
}

QTEST_APPLESS_MAIN(TestScheduler)
#include "tst_scheduler.moc"
