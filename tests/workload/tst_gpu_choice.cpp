// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/gpu_choice.h"

#include <QtTest>

#include <cmath>

using namespace ridge;
using namespace ridge::silicon;
using namespace ridge::workload;

class TestGpuChoice : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void keysAndValues();
    void decodeIsBoundByItsWeights();
    void servingByHand();
    void trainingByHand();
    void tensorParallelTakesPowersOfTwo();
    void reasons();
    void cost();
    void threeWinners();
    void everyChipAnswersOrSaysWhy();

private:
    Chip chip(const std::string& id) const { return *m_catalogue.find(id); }
    Result<GpuChoice> choose(const std::string& id, const Workload& what) const
    {
        return chooseGpus(m_catalogue, chip(id), what);
    }
    /// The candidate with the least cost per token.
    std::string winner(const std::string& workload, double ratio) const;
    Catalogue m_catalogue;
};

void TestGpuChoice::initTestCase()
{
    m_catalogue = *shippedCatalogue();
}

void TestGpuChoice::keysAndValues()
{
    // Curriculum 5.5: Llama-3-70B 320 KiB a token, 1.34 GB at 4,096 tokens; 7.5: 42.9 GB at 128K.
    const Decoder& big = workload::workload("long_70b")->model;
    QCOMPARE(big.kvBytesPerToken(), 320.0 * 1024);
    QVERIFY(std::abs(big.kvBytesPerToken() * 4096 / 1e9 - 1.34) < 0.005);
    QVERIFY(std::abs(big.kvBytesPerToken() * 131072 / 1e9 - 42.9) < 0.06);
    QCOMPARE(workload::workload("serve_8b_b1")->model.kvBytesPerToken(), 131072.0);
    QCOMPARE(workload::workload("train_7b")->model.kvBytesPerToken(), 524288.0);
    QVERIFY(!workload::workload("serve_8b"));
}

void TestGpuChoice::decodeIsBoundByItsWeights()
{
    // Curriculum 7.1: 8B BF16 at least 4.8 ms a token on H100, 3.3 on H200. All the weights alone: no context, and the
    // input embedding read with the rest.
    Workload empty = *workload::workload("serve_8b_b1");
    empty.context = 0;
    QCOMPARE(choose("h100-sxm", empty)->stepSeconds, (16'060'522'496 - 2.0 * 128256 * 4096) / 3.35e12);
    empty.model.lookedUp = 0;
    QCOMPARE(choose("h100-sxm", empty)->stepSeconds, 16'060'522'496 / 3.35e12);
    QVERIFY(std::abs(choose("h100-sxm", empty)->stepSeconds - 4.8e-3) < 0.05e-3);
    QVERIFY(std::abs(choose("h200-sxm", empty)->stepSeconds - 3.3e-3) < 0.05e-3);
}

void TestGpuChoice::servingByHand()
{
    const GpuChoice one = *choose("h100-sxm", *workload::workload("serve_8b_b64"));
    const double bytes = 2 * 8'030'261'248.0 + 64.0 * 4096 * 131072;
    QCOMPARE(one.gpus, 1u);
    QCOMPARE(one.memoryBytes, bytes);
    QCOMPARE(one.linkSeconds, 0.0);
    const double moved = bytes - 2.0 * 128256 * 4096; // no step reads the input embedding
    QCOMPARE(one.memorySeconds, moved / 3350e9);
    QCOMPARE(one.flopPerGpu, 64 * (2 * 8'030'261'248.0 + 4.0 * 32 * 4096 * 4096));
    QCOMPARE(one.computeSeconds, one.flopPerGpu / 989.4e12);
    QCOMPARE(one.tokensPerSecond, 64 / one.memorySeconds);
    QVERIFY(one.bound == StepBound::Memory);

    // Two L40S share it: half the bytes each, and 64 all-reduces of 64 × 4096 × 2 bytes over PCIe 4.
    const GpuChoice two = *choose("l40s", *workload::workload("serve_8b_b64"));
    QCOMPARE(two.gpus, 2u);
    QCOMPARE(two.memorySeconds, moved / 2 / 864e9);
    QCOMPARE(two.linkBytesPerGpu, 64.0 * 64 * 4096 * 2);
    QCOMPARE(two.linkSeconds, two.linkBytesPerGpu / 31.5e9);
    QCOMPARE(two.stepSeconds, two.memorySeconds + two.linkSeconds);

    // Software that reaches half of the datasheet takes twice as long, and its links as long as before.
    const GpuChoice half = atShare(two, Task::Serve, 0.5);
    QCOMPARE(half.memorySeconds, 2 * two.memorySeconds);
    QCOMPARE(half.stepSeconds, 2 * two.memorySeconds + two.linkSeconds);
    QCOMPARE(half.tokensPerSecond, 64 / half.stepSeconds);
}

void TestGpuChoice::trainingByHand()
{
    const Workload& train = *workload::workload("train_7b");
    const double parameters = 6'738'415'616;
    // 16 bytes a parameter; 4 × 4096 tokens × 4096 wide × (2 × 32 layers + 34).
    QCOMPARE(memoryPerGpu(train, 1), 16 * parameters + 16384.0 * 4096 * 98);
    QCOMPARE(memoryPerGpu(train, 4), 4 * parameters + 16384.0 * 4096 * 98);
    const GpuChoice h100 = *choose("h100-sxm", train);
    QCOMPARE(h100.gpus, 2u); // 60.5 GB each, 72 usable
    QCOMPARE(h100.flopPerGpu, 16384 * 4 * (2 * parameters + 2.0 * 32 * 4096 * 4096));
    QCOMPARE(h100.linkBytesPerGpu, 6 * parameters / 2);
    QCOMPARE(h100.linkSeconds, 3 * parameters / 450e9);
    QVERIFY(h100.bound == StepBound::Compute);
    QCOMPARE(h100.stepSeconds, h100.computeSeconds);
    QCOMPARE(h100.tokensPerSecond, 2 * 16384 / h100.computeSeconds);
    QCOMPARE(choose("h200-sxm", train)->gpus, 1u);
    QCOMPARE(choose("h200-sxm", train)->linkSeconds, 0.0);
    // A training step hides its links until they are the longest part.
    QCOMPARE(atShare(h100, Task::Train, 0.5).stepSeconds, 2 * h100.computeSeconds);
}

void TestGpuChoice::tensorParallelTakesPowersOfTwo()
{
    // 313 GB over 72 usable would be five.
    const GpuChoice h100 = *choose("h100-sxm", *workload::workload("long_70b"));
    QCOMPARE(h100.gpus, 8u);
    QCOMPARE(choose("b200", *workload::workload("long_70b"))->gpus, 2u);
    QCOMPARE(choose("h200-sxm", *workload::workload("long_70b"))->gpus, 4u);
    // Training needs no such number.
    QCOMPARE(choose("l40s", *workload::workload("train_7b"))->gpus, 3u);
}

void TestGpuChoice::reasons()
{
    const auto code = [&](const char* id, const Workload& what) {
        const Result<GpuChoice> choice = choose(id, what);
        return choice.ok() ? std::string() : choice.error().code;
    };
    QCOMPARE(code("l4", *workload::workload("long_70b")), std::string("does-not-fit"));
    QCOMPARE(code("v100-sxm2-32", *workload::workload("serve_8b_b1")), std::string("no-peak"));
    Workload bad = *workload::workload("serve_8b_b1");
    bad.sequences = 0;
    QCOMPARE(code("h100-sxm", bad), std::string("bad-workload"));
    bad.sequences = 1;
    bad.context = -1;
    QCOMPARE(code("h100-sxm", bad), std::string("bad-workload"));
    Workload untrained = *workload::workload("train_7b");
    untrained.context = 0;
    QCOMPARE(code("h100-sxm", untrained), std::string("bad-workload"));
    Chip alone = chip("l40s");
    alone.pcie.reset();
    alone.gpuLink.reset();
    QCOMPARE(chooseGpus(m_catalogue, alone, *workload::workload("serve_8b_b64")).error().code, std::string("no-link"));
    QVERIFY(chooseGpus(m_catalogue, alone, *workload::workload("serve_8b_b1")).ok());
}

void TestGpuChoice::cost()
{
    // Curriculum 7.4: $/h ÷ (tokens/s × 3600) × 10^6.
    GpuChoice choice;
    choice.gpus = 2;
    choice.tokensPerSecond = 1000;
    QCOMPARE(costPerMillionTokens(choice, 1.8), 1.0);
    QCOMPARE(relativePrice({"b200", 2}, 3), 9.0);
    QCOMPARE(relativePrice({"l40s", 0}, 3), 1.0);
}

std::string TestGpuChoice::winner(const std::string& name, double ratio) const
{
    std::string best;
    double least = std::numeric_limits<double>::infinity();
    for (const Candidate& candidate : candidates()) {
        const Result<GpuChoice> choice = choose(candidate.chip, *workload::workload(name));
        if (!choice.ok())
            continue;
        const double cost = costPerMillionTokens(*choice, relativePrice(candidate, ratio));
        if (cost < least) {
            least = cost;
            best = candidate.chip;
        }
    }
    return best;
}

void TestGpuChoice::threeWinners()
{
    // Lesson 1.8: the order changes with price. By bandwidth B200 : MI300X : L40S = 8.9 : 6.1 : 1, by BF16 rate 6.2
    // : 3.6 : 1.
    for (const Workload& what : workloads()) {
        std::vector<std::string> winners;
        for (double ratio = 0.25; ratio <= 8; ratio *= std::exp2(1.0 / 8))
            if (const std::string best = winner(what.id, ratio); winners.empty() || winners.back() != best)
                winners.push_back(best);
        QVERIFY2((winners == std::vector<std::string>{"b200", "mi300x", "l40s"}), what.id.c_str());
    }
    // And with the workload at one price: training pays for arithmetic, decode for bandwidth.
    QCOMPARE(winner("train_7b", 1.6), std::string("b200"));
    QCOMPARE(winner("serve_8b_b1", 1.6), std::string("mi300x"));
    QCOMPARE(winner("train_7b", 4.5), std::string("l40s"));
    QCOMPARE(winner("serve_8b_b1", 4.5), std::string("mi300x"));
}

void TestGpuChoice::everyChipAnswersOrSaysWhy()
{
    for (const Chip& one : m_catalogue.chips())
        for (const Workload& what : workloads()) {
            const Result<GpuChoice> choice = chooseGpus(m_catalogue, one, what);
            if (!choice.ok()) {
                QVERIFY(!choice.error().message.empty());
                continue;
            }
            QVERIFY2(choice->gpus >= 1 && choice->gpus <= kGpusPerServer, one.id.c_str());
            QVERIFY(std::isfinite(choice->tokensPerSecond) && choice->tokensPerSecond > 0);
            QVERIFY(choice->memoryBytesPerGpu <= kUsableMemory * *one.memoryBytes.value);
        }
}

QTEST_APPLESS_MAIN(TestGpuChoice)
#include "tst_gpu_choice.moc"
