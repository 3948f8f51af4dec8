// SPDX-License-Identifier: GPL-3.0-or-later
// Published throughputs are held by tests/labs/points/plan.json; here are properties and ranking.
#include "cluster/plan/plan_search.h"
#include "silicon/chip_catalogue.h"

#include <QtTest>

#include <cmath>

using namespace ridge;
using namespace ridge::cluster;

namespace {

std::string root()
{
    return qEnvironmentVariable("RIDGE_SOURCE").toStdString();
}

TrainingJob job(const char* model, const char* system, double gpus, double batch, double sequence)
{
    static const auto catalogue = silicon::loadCatalogue(root() + "/assets/chips/gpus.json");
    static const auto models = workload::readModels(root() + "/assets/models");
    TrainingJob j;
    j.model = *workload::findModel(*models, model);
    j.system = *findPlanSystem(system);
    j.device = *workload::deviceOf(*catalogue, *catalogue->find(j.system.chip), workload::Dtype::Bf16);
    j.gpus = gpus;
    j.globalBatch = batch;
    j.sequence = sequence;
    j.usableMemory = 0.9 * j.device.memoryBytes;
    return j;
}

} // namespace

class tst_plan : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void ringFormulas()
    {
        const PlanSystem s = *findPlanSystem("dgx-h100");
        const double bytes = 1e9;
        // 2 (n - 1) / n S / B where the bytes decide (nccl-tests).
        const double time = allReduceSeconds(s, {4, 1}, bytes);
        QVERIFY(std::abs(time / (1.5 * bytes / s.node.usable()) - 1) < 0.02);
        QVERIFY(std::abs(gatherSeconds(s, {4, 1}, bytes) * 2 / time - 1) < 0.01);
        QCOMPARE(allReduceSeconds(s, {1, 1}, bytes), 0.0);
        // A member a node has one port, eight of them the ports of the node.
        QCOMPARE(ringBandwidth(s, {16, 8}), s.net.usable());
        QCOMPARE(ringBandwidth(s, {16, 1}), std::min(s.node.usable(), 8 * s.net.usable()));
        QVERIFY(!findPlanSystem("dgx-h101").ok());
    }

    void closedFormAgreesWithTheSchedule()
    {
        const TrainingJob j = job("llama-3-70b", "dgx-h100", 256, 512, 4096);
        int compared = 0;
        for (const double p : {1., 2., 4., 8., 16.})
            for (const PipelineSchedule schedule :
                 {PipelineSchedule::GPipe, PipelineSchedule::OneForwardOneBackward, PipelineSchedule::Interleaved,
                  PipelineSchedule::ZeroBubble, PipelineSchedule::ZeroBubble2}) {
                TrainingPlan plan;
                plan.tensor = 8;
                plan.pipeline = p;
                plan.data = 256 / 8 / p;
                plan.zero = 1;
                plan.sequenceParallel = true;
                plan.schedule = schedule;
                plan.interleave = schedule == PipelineSchedule::Interleaved && p > 1 ? 5 : 1;
                if (!checkPlan(j, plan))
                    continue;
                const PlanCosts costs = costsOf(j, plan);
                const PlanResult result = evaluatePlan(j, plan, costs);
                const auto run = runPipeline(pipelineOf(j, plan, costs), false);
                QVERIFY(run.ok());
                QVERIFY2(std::abs(run->period / result.pipelineSeconds - 1) < 0.04,
                         qPrintable(QStringLiteral("p %1 schedule %2: %3, not %4")
                                        .arg(p)
                                        .arg(int(schedule))
                                        .arg(run->period)
                                        .arg(result.pipelineSeconds)));
                ++compared;
            }
        QVERIFY(compared >= 20);
    }

    void modelFlopsAreMegatrons() // 72 B s L h^2 (1 + s / 6 h + V / 12 L h), arXiv 2104.04473 without recomputation
    {
        const TrainingJob j = job("gpt-3-175b", "dgx-a100", 64, 64, 2048);
        TrainingPlan plan;
        const double h = 12288, l = 96, s = 2048, v = 51200;
        const double formula = 72 * s * l * h * h * (1 + s / (6 * h) + v / (12 * l * h));
        QVERIFY(std::abs(costsOf(j, plan).modelFlops / formula - 1) < 1e-3);
        plan.recompute = workload::Recompute::Full;
        const double again = 96 * s * l * h * h * (1 + s / (6 * h) + v / (16 * l * h));
        QVERIFY(std::abs(costsOf(j, plan).hardwareFlops / again - 1) < 1e-3);
    }

    void searchFindsWhatBruteForceFinds()
    {
        const TrainingJob j = job("llama-3-8b", "dgx-h100", 16, 64, 4096);
        const SearchResult found = searchPlans(j, {});
        QVERIFY(!found.best.empty());
        for (std::size_t i = 1; i < found.best.size(); ++i)
            QVERIFY(found.best[i - 1].result.stepSeconds <= found.best[i].result.stepSeconds);
        for (const FoundPlan& each : found.best) {
            QVERIFY(checkPlan(j, each.plan).ok());
            QVERIFY(each.result.memory.total() <= j.usableMemory);
        }
        // Every 1F1B plan, written out: none that fits is faster.
        double least = INFINITY;
        for (const double t : {1., 2., 4., 8.})
            for (const double p : {1., 2., 4., 8., 16.})
                for (const double b : {1., 2., 4., 8., 16.})
                    for (int zero = 0; zero < 4; ++zero)
                        for (const bool sequence : {false, true}) {
                            TrainingPlan plan;
                            plan.tensor = t;
                            plan.pipeline = p;
                            plan.data = 16 / t / p;
                            plan.microBatch = b;
                            plan.zero = zero;
                            plan.sequenceParallel = sequence;
                            if (plan.data < 1 || (zero > 0 && plan.data < 2) || !checkPlan(j, plan))
                                continue;
                            const PlanResult r = evaluatePlan(j, plan, costsOf(j, plan));
                            if (r.fits)
                                least = std::min(least, r.stepSeconds);
                        }
        QVERIFY(found.best.front().result.stepSeconds <= least * (1 + 1e-12));
    }

    void tensorParallelAcrossNodesCollapses() // lesson 6.5: pipelines tolerate thin links, layers do not
    {
        const TrainingJob j = job("llama-3-70b", "dgx-h100", 32, 64, 4096);
        TrainingPlan inside, across;
        inside.tensor = 8;
        inside.pipeline = 4;
        across.tensor = 32;
        inside.zero = across.zero = 1;
        inside.sequenceParallel = across.sequenceParallel = true;
        QVERIFY(evaluatePlan(j, across, costsOf(j, across)).stepSeconds >
                1.5 * evaluatePlan(j, inside, costsOf(j, inside)).stepSeconds);
    }

    void
    zeroMovesAndHolds() // of one micro-batch: stages 1 and 2 send what an all-reduce sends, stage 3 half as much again
    {
        const TrainingJob j = job("llama-3-8b", "dgx-h100", 8, 8, 2048);
        double sent[4], held[4];
        for (int zero = 0; zero < 4; ++zero) {
            TrainingPlan plan;
            plan.data = 8;
            plan.zero = zero;
            const PlanResult r = evaluatePlan(j, plan, costsOf(j, plan));
            sent[zero] = r.bytesSent;
            held[zero] = r.memory.terms[0] + r.memory.terms[1] + r.memory.terms[2];
        }
        QCOMPARE(sent[1], sent[0]);
        QCOMPARE(sent[2], sent[0]);
        QCOMPARE(sent[3], 1.5 * sent[0]);
        const double weights = workload::parameters(j.model);
        QCOMPARE(held[0], 16 * weights);
        QCOMPARE(held[1], (4 + 12 / 8.0) * weights);
        QCOMPARE(held[2], (2 + 14 / 8.0) * weights);
        QVERIFY(held[3] < 2.2 * weights && held[3] > 2 * weights);
    }

    void gradientsGoAfterEveryMicroBatch_data()
    {
        QTest::addColumn<int>("zero");
        QTest::addColumn<double>("bytesAWeight"); // of the ring's 7/8, with gradients and weights of 2 bytes each
        QTest::newRow("all-reduce: once") << 0 << 4.0;
        QTest::newRow("stage 1: once, and weights once") << 1 << 4.0;
        QTest::newRow("stage 2: 16 times, and weights once") << 2 << 34.0;
        QTest::newRow("stage 3: 16 times, and weights 32 times") << 3 << 96.0;
    }

    void gradientsGoAfterEveryMicroBatch() // 128 sequences on 8 replicas, one at a time: 16 micro-batches
    {
        QFETCH(int, zero);
        QFETCH(double, bytesAWeight);
        const TrainingJob j = job("llama-3-8b", "dgx-h100", 8, 128, 2048);
        TrainingPlan plan;
        plan.data = 8;
        plan.zero = zero;
        const PlanResult r = evaluatePlan(j, plan, costsOf(j, plan));
        QCOMPARE(r.microBatches, 16.0);
        QCOMPARE(r.bytesSent, 7.0 / 8 * bytesAWeight * workload::parameters(j.model));
        if (zero == 0)
            return; // a switch may add, which takes another time than what stages 1 to 3 do
        TrainingPlan once = plan;
        once.zero = 1; // one reduce-scatter and one gather
        const double both = evaluatePlan(j, once, costsOf(j, once)).dataSecondsAll;
        QVERIFY(std::abs(r.dataSecondsAll / both / (bytesAWeight / 4) - 1) < 1e-9);
    }

    void softwareOf2021WaitsForTheSlowestReplica() // gpt-3-175b with the plan of arXiv 2205.05198, and replicas of it
    {
        TrainingPlan plan;
        plan.tensor = 8;
        plan.pipeline = 8;
        plan.recompute = workload::Recompute::Full;
        const auto run = [&](double replicas) {
            TrainingJob j = job("gpt-3-175b", "dgx-a100", 64 * replicas, 64 * replicas, 2048);
            j.software = Software::Megatron2021;
            plan.data = replicas;
            return evaluatePlan(j, plan, costsOf(j, plan));
        };
        const PlanResult alone = run(1);
        QCOMPARE(alone.lateSeconds, 0.0);
        // The largest of 2, 10 and 1,000 normal numbers: 0.5642, 1.5388 and 3.2414 deviations (Tippett, 1925).
        const double unit = run(2).lateSeconds / 0.5642;
        QVERIFY(unit > 0.03 * alone.pipelineSeconds && unit < 0.045 * alone.pipelineSeconds);
        QVERIFY(std::abs(run(10).lateSeconds / unit / 1.5388 - 1) < 0.01);
        const PlanResult many = run(1000);
        QVERIFY(std::abs(many.lateSeconds / unit / 3.2414 - 1) < 0.01);
        QCOMPARE(many.pipelineSeconds, alone.pipelineSeconds);
        const double parts = many.pipelineSeconds + many.lateSeconds + many.dataSeconds + many.optimizerSeconds;
        QVERIFY(std::abs(parts / many.stepSeconds - 1) < 1e-12);
        TrainingJob core = job("gpt-3-175b", "dgx-a100", 640, 640, 2048);
        plan.data = 10;
        QCOMPARE(evaluatePlan(core, plan, costsOf(core, plan)).lateSeconds, 0.0);
    }

    void softwareOf2021AddsGradientsAndGathersMessages()
    {
        TrainingJob j = job("gpt-3-175b", "dgx-a100", 64, 64, 2048);
        TrainingPlan plan;
        plan.tensor = 8;
        plan.pipeline = 8;
        j.software = Software::Megatron2021;
        const PlanCosts one = costsOf(j, plan);
        plan.microBatch = 4;
        const PlanCosts four = costsOf(j, plan);
        // Products and streams grow with the tokens, but for launches and whole waves; the sum is paid once a
        // micro-batch.
        const double sum = 6 * one.layerParameters / (j.device.bytesPerSecond * j.device.family.memory);
        QVERIFY(4 * one.layerBackward - four.layerBackward > 2.9 * sum);
        // The message of a micro-batch over the links of a node: 7/8 of it come from the others.
        const double message = 2.0 * 2048 * j.model.hidden;
        QVERIFY(one.boundaryGather > 7.0 / 8 * message / j.system.node.bytesPerSecond);
        plan.microBatch = 1;
        plan.sequenceParallel = true;
        QCOMPARE(costsOf(j, plan).boundaryGather, 0.0);
    }

    void gradientsTravelUnderTheBackwardPassWhereAReplicaHasNoStages()
    {
        TrainingJob j = job("megatron-22b", "dgx-a100", 256, 128, 2048);
        j.software = Software::Megatron2021;
        TrainingPlan plan;
        plan.tensor = 8;
        plan.data = 32;
        plan.microBatch = 4;
        const PlanResult alone = evaluatePlan(j, plan, costsOf(j, plan));
        QVERIFY(alone.dataSecondsAll > 0 && alone.dataSeconds < 0.1 * alone.dataSecondsAll);
        plan.zero = 1; // another optimizer, which that software waits for
        const PlanResult shared = evaluatePlan(j, plan, costsOf(j, plan));
        QCOMPARE(shared.dataSeconds, shared.dataSecondsAll);
        plan.zero = 0;
        plan.pipeline = 2;
        plan.data = 16;
        const PlanResult staged = evaluatePlan(j, plan, costsOf(j, plan));
        QCOMPARE(staged.dataSeconds, staged.dataSecondsAll);
    }

    void hostileNumbers()
    {
        const TrainingJob j = job("mixtral-8x7b", "dgx-a100", 48, 96, 4096);
        int right = 0;
        for (const double t : {1., 2., 3., 8.})
            for (const double p : {1., 3., 7., 64.})
                for (const double e : {1., 2., 5., 8.})
                    for (const double b : {1., 5., 96.}) {
                        TrainingPlan plan;
                        plan.tensor = t;
                        plan.pipeline = p;
                        plan.data = std::floor(48 / t / p);
                        plan.expert = e;
                        plan.microBatch = b;
                        if (!checkPlan(j, plan))
                            continue;
                        const PlanResult r = evaluatePlan(j, plan, costsOf(j, plan));
                        QVERIFY(std::isfinite(r.stepSeconds) && r.stepSeconds > 0);
                        QVERIFY(r.mfu > 0 && r.mfu < 1 && r.hfu >= r.mfu);
                        ++right;
                    }
        QVERIFY(right > 5);
    }
};

QTEST_APPLESS_MAIN(tst_plan)
#include "tst_plan.moc"
