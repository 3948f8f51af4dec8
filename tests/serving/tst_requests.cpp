// SPDX-License-Identifier: GPL-3.0-or-later
#include "serving/frameworks.h"
#include "serving/requests.h"
#include "silicon/chip_catalogue.h"

#include <QtTest>

#include <cmath>

using namespace ridge;
using namespace ridge::serving;

class TestRequests : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void readsSecondsAndDates();
    void refusesWhatIsNoTrace_data();
    void refusesWhatIsNoTrace();
    void meansAndSpreads();
    void lengthsEndWhereTheDataSetDoes();
    void conversationHasTheTracesQuantiles();
    void cacheOfAReplica();
    void stepsGrowWithTheirLoad();
};

void TestRequests::readsSecondsAndDates()
{
    const auto plain = parseTrace("arrival,prompt,output\n0,374,44\n4.25,396,109\n", "t.csv");
    QVERIFY(plain);
    QCOMPARE(*plain, (std::vector<Request>{{0, 374, 44, kNoGroup}, {4.25, 396, 109, kNoGroup}}));
    QCOMPARE(parseTrace("0;1;2\r\n1e1;3;4\r\n", "t.csv")->at(1).arrival, 10.0);
    const auto dates = parseTrace("TIMESTAMP,ContextTokens,GeneratedTokens\n2023-12-31 23:59:59.9000000,1,2\n"
                                  "2024-01-01 00:00:00.1500000,3,4\n2024-03-01T00:00:00,5,6\n",
                                  "t.csv");
    QVERIFY(dates);
    QCOMPARE(dates->at(0).arrival, 0.0);
    QVERIFY(std::abs(dates->at(1).arrival - 0.25) < 1e-9);
    QVERIFY(std::abs(dates->at(2).arrival - (60 * 86400 + 0.1)) < 1e-6); // 2024 has a 29 February
}

void TestRequests::refusesWhatIsNoTrace_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("place");
    QTest::newRow("empty") << QByteArray() << QByteArray("t.csv");
    QTest::newRow("names alone") << QByteArray("a,b,c\n") << QByteArray("t.csv");
    QTest::newRow("two values") << QByteArray("0,1,1\n1,2\n") << QByteArray("t.csv:2");
    QTest::newRow("a word") << QByteArray("0,1,1\nx,2,3\n") << QByteArray("t.csv:2");
    QTest::newRow("no output") << QByteArray("0,1,0\n") << QByteArray("t.csv:1");
    QTest::newRow("half a token") << QByteArray("0,1.5,1\n") << QByteArray("t.csv:1");
    QTest::newRow("too long") << QByteArray("0,1e9,1\n") << QByteArray("t.csv:1");
    QTest::newRow("before the beginning") << QByteArray("-1,1,1\n") << QByteArray("t.csv:1");
    QTest::newRow("not a number") << QByteArray("nan,1,1\n") << QByteArray("t.csv:1");
    QTest::newRow("endless") << QByteArray("0,1,1\ninf,1,1\n") << QByteArray("t.csv:2");
    QTest::newRow("backwards") << QByteArray("2,1,1\n1,1,1\n") << QByteArray("t.csv:2");
    QTest::newRow("month 13") << QByteArray("0,1,1\n2023-13-01 00:00:00,1,1\n") << QByteArray("t.csv:2");
}

void TestRequests::refusesWhatIsNoTrace()
{
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, place);
    const auto got = parseTrace(std::string_view(text.data(), static_cast<std::size_t>(text.size())), "t.csv");
    QVERIFY(!got);
    QCOMPARE(got.error().code, std::string("bad-trace"));
    QCOMPARE(got.error().place, place.toStdString());
    QVERIFY(!got.error().fix.empty());
}

void TestRequests::meansAndSpreads()
{
    Workload w;
    w.requests = 200000;
    w.rate = 4;
    w.prompt = 300;
    w.output = 50;
    for (const auto& [lengths, spread, prompt] : {std::tuple{Lengths::Fixed, 1.0, 300.0},
                                                  {Lengths::Exponential, 1.0, 300.0},
                                                  {Lengths::Uniform, 0.8, 270.0},
                                                  {Lengths::Conversation, 1.0, 300.0}}) {
        w.lengths = lengths;
        w.spread = spread;
        for (const auto& [arrivals, cv] :
             {std::pair{Arrivals::Poisson, 1.0}, {Arrivals::Gamma, 3.0}, {Arrivals::Constant, 0.0}}) {
            w.arrivals = arrivals;
            w.cv = arrivals == Arrivals::Gamma ? cv : 1;
            Rng rng(5);
            const auto requests = makeRequests(w, rng);
            double tokens = 0, squares = 0, before = 0;
            for (const Request& r : requests) {
                tokens += r.prompt;
                QVERIFY(r.arrival >= before);
                squares += (r.arrival - before) * (r.arrival - before);
                before = r.arrival;
            }
            const double n = static_cast<double>(requests.size()), mean = before / n;
            QVERIFY(std::abs(tokens / n / prompt - 1) < 0.01);
            QVERIFY(std::abs(mean * 4 - 1) < 0.02);
            QVERIFY(std::abs(std::sqrt(std::max(0.0, squares / n - mean * mean)) / mean - cv) < 0.05);
        }
    }
}

void TestRequests::lengthsEndWhereTheDataSetDoes() // MLPerf's Llama 2 70B: 290.3 tokens on average, 1,024 at most
{
    Workload w;
    w.requests = 400000;
    w.rate = 0;
    w.lengths = Lengths::Exponential;
    w.prompt = 290;
    w.output = 290.3;
    w.most = 1024;
    Rng rng(5);
    double prompts = 0, outputs = 0, longest = 0, shortest = 1e9;
    for (const Request& r : makeRequests(w, rng)) {
        prompts += r.prompt;
        outputs += r.output;
        longest = std::max<double>(longest, std::max(r.prompt, r.output));
        shortest = std::min<double>(shortest, std::min(r.prompt, r.output));
    }
    const double n = static_cast<double>(w.requests);
    QVERIFY(std::abs(prompts / n / 290 - 1) < 0.01);
    QVERIFY(std::abs(outputs / n / 290.3 - 1) < 0.01);
    QCOMPARE(longest, 1024.0); // 400,000 draws come to both ends
    QCOMPARE(shortest, 1.0);
    w.prompt = w.output = 5000; // a mean that no length may have: as even as it gets
    for (const Request& r : makeRequests(w, rng))
        QVERIFY(r.prompt <= 1024 && r.output <= 1024);
}

void TestRequests::conversationHasTheTracesQuantiles()
{
    Workload w;
    w.requests = 100000;
    w.lengths = Lengths::Conversation;
    w.prompt = w.output = 0;
    Rng rng(6);
    auto requests = makeRequests(w, rng);
    double prompts = 0, outputs = 0;
    for (const Request& r : requests) {
        prompts += r.prompt;
        outputs += r.output;
    }
    QVERIFY(std::abs(prompts / 1e5 / 1154.7 - 1) < 0.02);
    QVERIFY(std::abs(outputs / 1e5 / 211.1 - 1) < 0.02);
    std::sort(requests.begin(), requests.end(), [](const Request& a, const Request& b) { return a.prompt < b.prompt; });
    QVERIFY(std::abs(requests[50000].prompt / 1020.0 - 1) < 0.03);
    QVERIFY(std::abs(requests[90000].prompt / 2734.0 - 1) < 0.04);
    QCOMPARE(conversationOutput(0.99), 601.0);
    QCOMPARE(conversationPrompt(2), 14050.0);
}

void TestRequests::cacheOfAReplica()
{
    workload::ModelShape model;
    model.layers = 40; // OPT 13B: 40 layers, 40 heads of 128
    model.heads = model.kvHeads = 40;
    model.headDim = 128;
    model.hidden = 5120;
    model.ffn = 20480;
    workload::Device device;
    device.memoryBytes = 80e9;
    const double weights = 2 * workload::parameters(model);
    // 819,200 bytes a token: 12 GiB are 15.7 K slots (vLLM's paper, table 1).
    device.memoryBytes = weights + 12.0 * (1ull << 30);
    QCOMPARE(*blocksThatFit(model, device, 1, 1, 2, 16), std::uint64_t{983});
    QCOMPARE(blocksThatFit(model, device, 1, 0.5, 2, 16).error().code, std::string("does-not-fit"));
    QCOMPARE(*blocksThatFit(model, device, 1, 0.5, 2, 16, true), std::uint64_t{491}); // half of what is free
    device.memoryBytes = weights / 4;
    QVERIFY(blocksThatFit(model, device, 4, 0.9, 2, 16).error().fix.find("at least 5 GPUs") != std::string::npos);
    device.memoryBytes = weights / 9.5; // eleven hold it, and 40 heads go evenly on twenty
    QVERIFY(blocksThatFit(model, device, 4, 0.9, 2, 16).error().fix.find("at least 11 GPUs (20 as tp") !=
            std::string::npos);
    // Eight heads on sixteen GPUs are there twice.
    model.kvHeads = 8;
    device.memoryBytes = 80e9;
    const double eight = static_cast<double>(*blocksThatFit(model, device, 8, 1, 2, 1)),
                 sixteen = static_cast<double>(*blocksThatFit(model, device, 16, 1, 2, 1));
    QVERIFY(sixteen < eight * 1.1);
}

void TestRequests::stepsGrowWithTheirLoad()
{
    QCOMPARE(StepCost::oracle().seconds({.prompts = 1, .promptTokens = 374, .promptSquares = 374.0 * 374}),
             0.008 + 374 * 40e-6 + 374 * 374 * 1e-9);
    const std::string source = qEnvironmentVariable("RIDGE_SOURCE").toStdString();
    const auto catalogue = silicon::loadCatalogue(source + "/assets/chips/gpus.json");
    const auto models = workload::readModels(source + "/assets/models");
    QVERIFY(catalogue && models);
    const auto chip = std::find_if(catalogue->chips().begin(), catalogue->chips().end(),
                                   [](const silicon::Chip& c) { return c.id == "h100-sxm"; });
    for (const workload::ModelShape& model : *models) {
        if (model.kind != workload::ModelKind::Decoder)
            continue;
        const auto device = *workload::deviceOf(*catalogue, *chip, workload::Dtype::Bf16);
        for (const auto& [tensor, pipeline] : {std::pair{1.0, 1.0}, {4.0, 1.0}, {1.0, 4.0}}) {
            if (std::fmod(model.heads, tensor) != 0)
                continue;
            const auto cost = StepCost::kernels(model, device, 2, tensor, pipeline, framework("none")->overheads);
            QVERIFY(cost);
            double before = 0;
            for (double batch = 1; batch <= 4096; batch *= 4) {
                const double now = cost->seconds({.decodes = batch, .decodeContext = batch * 500});
                QVERIFY(std::isfinite(now));
                QVERIFY(now >= before * 0.98); // a wave more or less
                before = now;
                QVERIFY(cost->seconds({.decodes = batch, .decodeContext = batch * 5000}) > now || model.window > 0);
            }
            // A prompt in two parts is at least the prompt at once, less its second launch.
            const double whole = cost->seconds({.prompts = 1, .promptTokens = 2048, .promptSquares = 2048.0 * 2048});
            const double first = cost->seconds({.prompts = 1, .promptTokens = 1024, .promptSquares = 1024.0 * 1024});
            const double second = cost->seconds(
                {.prompts = 1, .promptTokens = 1024, .promptSquares = 1024.0 * 1024, .promptPast = 1024.0 * 1024});
            QVERIFY(second > first);
            QVERIFY(first + second > whole);
            QVERIFY(first + second < 2 * whole);
        }
    }
}

QTEST_APPLESS_MAIN(TestRequests)
#include "tst_requests.moc"
