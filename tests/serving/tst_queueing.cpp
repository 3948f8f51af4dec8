// SPDX-License-Identifier: GPL-3.0-or-later
// Queues with a closed form: what the simulator waits against what theory says.
#include "serving/summary.h"

#include <QtTest>

#include <cmath>

using namespace ridge;
using namespace ridge::serving;

namespace {

constexpr std::size_t kRequests = 600000;

/// One request at a time a replica, a step a token.
ClusterConfig oneAtATime(std::uint32_t servers)
{
    ClusterConfig config;
    config.replica.scheduler = Scheduler::Static;
    config.replica.maxBatch = 1;
    config.replica.blocks = 1 << 20;
    config.replicas = servers;
    config.router = Router::Shared;
    return config;
}

/// Before the one step that a request is.
double meanWait(const ClusterConfig& config, double step, double perToken, const std::vector<Request>& requests)
{
    const auto result = simulate(config, StepCost::constant(step, perToken), requests);
    double wait = 0;
    for (const RequestState& r : result->requests)
        wait += r.done - r.arrival - step - perToken * r.prompt;
    return wait / static_cast<double>(requests.size());
}

double erlangC(std::uint32_t servers, double offered)
{
    double term = 1, sum = 1;
    for (std::uint32_t k = 1; k < servers; ++k) {
        term *= offered / k;
        sum += term;
    }
    const double last = term * offered / servers / (1 - offered / servers);
    return last / (sum + last);
}

} // namespace

class TestQueueing : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void constantService_data();
    void constantService();
    void exponentialService_data();
    void exponentialService();
    void constantArrivalsWaitForNobody();
    void burstsWaitLonger();
    void intervalsByWeight();
};

void TestQueueing::constantService_data()
{
    QTest::addColumn<double>("utilization");
    for (const double u : {0.3, 0.5, 0.7, 0.85})
        QTest::addRow("utilization %.2f", u) << u;
}

/// M/D/1: a request waits u S / (2 (1 - u)) on average (Pollaczek, Khinchine).
void TestQueueing::constantService()
{
    QFETCH(double, utilization);
    const double service = 0.1;
    Workload w;
    w.requests = kRequests;
    w.rate = utilization / service;
    Rng rng(1);
    w.output = 1;
    const double theory = utilization * service / (2 * (1 - utilization));
    const double got = meanWait(oneAtATime(1), service, 0, makeRequests(w, rng));
    QVERIFY2(std::abs(got / theory - 1) < 0.02, qPrintable(QString::fromLatin1("%1 against %2").arg(got).arg(theory)));
}

void TestQueueing::exponentialService_data()
{
    QTest::addColumn<int>("servers");
    QTest::addColumn<double>("utilization");
    for (const int servers : {1, 2, 4, 8})
        for (const double u : {0.5, 0.8})
            QTest::addRow("%d servers, utilization %.1f", servers, u) << servers << u;
}

/// M/M/c: a request waits C(c, a) S / (c - a) on average, with Erlang's C. Prompts are rounded-up exponentials of a
/// mean of 1000 tokens, and a step takes as long as it has tokens.
void TestQueueing::exponentialService()
{
    QFETCH(int, servers);
    QFETCH(double, utilization);
    const double tokens = 1000, perToken = 1e-4, service = tokens * perToken;
    Workload w;
    w.requests = kRequests;
    w.rate = utilization * servers / service;
    w.lengths = Lengths::Exponential;
    w.prompt = tokens;
    Rng rng(2);
    auto requests = makeRequests(w, rng);
    for (Request& r : requests)
        r.output = 1;
    // Of the load that was drawn: a percent more of it is five percent more wait.
    double tokensDrawn = 0;
    for (const Request& r : requests)
        tokensDrawn += r.prompt;
    const double drawn = tokensDrawn * perToken / requests.back().arrival;
    const double meanService = tokensDrawn * perToken / static_cast<double>(requests.size());
    const double theory = erlangC(static_cast<std::uint32_t>(servers), drawn) * meanService / (servers - drawn);
    const double got = meanWait(oneAtATime(static_cast<std::uint32_t>(servers)), 0, perToken, requests);
    QVERIFY2(std::abs(got / theory - 1) < 0.02, qPrintable(QString::fromLatin1("%1 against %2").arg(got).arg(theory)));
}

void TestQueueing::constantArrivalsWaitForNobody()
{
    Workload w;
    w.requests = 1000;
    w.rate = 9;
    w.arrivals = Arrivals::Constant;
    w.output = 1;
    Rng rng(1);
    QVERIFY(std::abs(meanWait(oneAtATime(1), 0.1, 0, makeRequests(w, rng))) < 1e-9);
}

void TestQueueing::burstsWaitLonger()
{
    Workload w;
    w.requests = 100000;
    w.rate = 5;
    w.output = 1;
    double before = 0;
    for (const double cv : {0.5, 1.0, 2.0, 4.0}) {
        w.arrivals = Arrivals::Gamma;
        w.cv = cv;
        Rng rng(1);
        const double wait = meanWait(oneAtATime(1), 0.1, 0, makeRequests(w, rng));
        QVERIFY(wait > before);
        before = wait;
    }
}

/// Weighted percentiles are those of the list in which each value is written out.
void TestQueueing::intervalsByWeight()
{
    Rng rng(9);
    for (int round = 0; round < 200; ++round) {
        std::vector<Interval> intervals;
        std::vector<double> all;
        for (std::uint64_t i = rng.next() % 40; i-- > 0;) {
            const double value = static_cast<double>(rng.next() % 20);
            const std::uint64_t weight = 1 + rng.next() % 9;
            intervals.push_back({value, static_cast<double>(weight)});
            all.insert(all.end(), weight, value);
        }
        const Spread a = spreadOf(intervals), b = spreadOf(all);
        QCOMPARE(a.count, b.count);
        QVERIFY(std::abs(a.mean - b.mean) < 1e-9);
        QVERIFY(std::abs(a.p50 - b.p50) < 1e-9);
        QVERIFY(std::abs(a.p90 - b.p90) < 1e-9);
        QVERIFY(std::abs(a.p99 - b.p99) < 1e-9);
        QCOMPARE(a.most, b.most);
    }
    std::vector<double> four{4, 1, 3, 2}; // as numpy has them
    const Spread s = spreadOf(four);
    QCOMPARE(s.p50, 2.5);
    QVERIFY(std::abs(s.p90 - 3.7) < 1e-12);
    QVERIFY(std::abs(s.p99 - 3.97) < 1e-12);
}

QTEST_APPLESS_MAIN(TestQueueing)
#include "tst_queueing.moc"
