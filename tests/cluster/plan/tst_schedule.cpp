// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/plan/pipeline_schedule.h"

#include <QtTest>

#include <cmath>
#include <map>

using namespace ridge;
using namespace ridge::cluster;

namespace {

PipelineSetting setting(PipelineSchedule schedule, std::uint32_t stages, std::uint32_t micro, std::uint32_t chunks,
                        const PieceTime& stage)
{
    PipelineSetting s;
    s.schedule = schedule;
    s.stages = stages;
    s.microBatches = micro;
    s.chunks = chunks;
    s.pieces.assign(std::size_t(stages) * chunks,
                    {stage.forward / chunks, stage.backward / chunks, stage.weights / chunks});
    return s;
}

constexpr PipelineSchedule kAll[] = {PipelineSchedule::GPipe, PipelineSchedule::OneForwardOneBackward,
                                     PipelineSchedule::Interleaved, PipelineSchedule::ZeroBubble,
                                     PipelineSchedule::ZeroBubble2};

} // namespace

class tst_schedule : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void bubbleEqualsItsClosedForm()
    {
        int cases = 0;
        for (const PipelineSchedule schedule : kAll)
            for (const std::uint32_t p : {1u, 2u, 3u, 4u, 8u, 16u})
                for (const std::uint32_t groups : {1u, 2u, 3u, 8u})
                    for (const std::uint32_t v : {1u, 2u, 5u})
                        for (const double w : {1.0, 0.5}) {
                            const std::uint32_t m = groups * p;
                            if (v > 1 && schedule != PipelineSchedule::Interleaved)
                                continue;
                            if (schedule == PipelineSchedule::ZeroBubble2 && m < 2 * p - 1)
                                continue;
                            const PieceTime time{1, 1, w};
                            const auto run = runPipeline(setting(schedule, p, m, v, time), false);
                            QVERIFY(run.ok());
                            const double formula = bubbleClosedForm(schedule, p, m, v, time);
                            QVERIFY2(std::abs(run->bubble - formula) < 1e-9,
                                     qPrintable(QStringLiteral("%1: p %2 m %3 v %4: %5, not %6")
                                                    .arg(int(schedule))
                                                    .arg(p)
                                                    .arg(m)
                                                    .arg(v)
                                                    .arg(run->bubble)
                                                    .arg(formula)));
                            ++cases;
                        }
        QVERIFY(cases > 200);
    }

    void publishedShares() // curriculum 6.5; Qi et al. 2024: a third of 1F1B's bubble, and none
    {
        const PieceTime time{1, 1, 1};
        QCOMPARE(bubbleClosedForm(PipelineSchedule::OneForwardOneBackward, 8, 8, 1, time), 7.0 / 15);
        QCOMPARE(bubbleClosedForm(PipelineSchedule::GPipe, 8, 32, 1, time), 7.0 / 39);
        const auto idle = [&](PipelineSchedule s) {
            const auto run = runPipeline(setting(s, 8, 24, 1, time), false);
            return run->period - run->busy;
        };
        QCOMPARE(idle(PipelineSchedule::OneForwardOneBackward), 21.0);
        QCOMPARE(idle(PipelineSchedule::ZeroBubble), 7.0);
        QCOMPARE(idle(PipelineSchedule::ZeroBubble2), 0.0);
    }

    void memoryOfTheFirstStage()
    {
        const PieceTime time{1, 1, 1};
        for (const PipelineSchedule schedule : kAll) {
            const auto run =
                runPipeline(setting(schedule, 4, 16, schedule == PipelineSchedule::Interleaved ? 3 : 1, time));
            QVERIFY(run.ok());
            const double v = schedule == PipelineSchedule::Interleaved ? 3 : 1;
            QCOMPARE(run->inFlight[0] / v, inFlightClosedForm(schedule, 4, 16, v));
        }
        const auto flush = runPipeline(setting(PipelineSchedule::OneForwardOneBackward, 4, 16, 1, time));
        QCOMPARE(flush->inFlight, (std::vector<std::uint32_t>{4, 3, 2, 1}));
    }

    void everyOperationOnceAndInOrder()
    {
        for (const PipelineSchedule schedule : kAll) {
            const std::uint32_t v = schedule == PipelineSchedule::Interleaved ? 2 : 1, p = 4, m = 8;
            PipelineSetting s = setting(schedule, p, m, v, {2, 3, 1});
            s.send = 0.25;
            const auto run = runPipeline(s);
            QVERIFY(run.ok());
            QCOMPARE(run->ops.size(), std::size_t(p * m * v * (splitsBackward(schedule) ? 3 : 2)));
            std::map<std::array<std::uint32_t, 3>, StageOp> seen; // work, piece, micro-batch
            double stageEnd = 0;
            std::uint32_t stage = 0;
            for (const StageOp& op : run->ops) {
                if (op.stage != stage) {
                    stage = op.stage;
                    stageEnd = 0;
                }
                QVERIFY(op.begin >= stageEnd - 1e-12); // a stage does one thing at a time
                stageEnd = op.end;
                const auto [at, fresh] =
                    seen.insert({{std::uint32_t(op.work), op.chunk * p + op.stage, op.microBatch}, op});
                QVERIFY(fresh);
            }
            for (const auto& [key, op] : seen) {
                const auto& [work, piece, micro] = key;
                if (work == 0 && piece > 0)
                    QVERIFY(op.begin >= seen.at({0, piece - 1, micro}).end + 0.25 - 1e-12);
                if (work == 1)
                    QVERIFY(op.begin >= (piece + 1 == p * v ? seen.at({0, piece, micro}).end
                                                            : seen.at({1, piece + 1, micro}).end + 0.25) -
                                            1e-12);
                if (work == 2)
                    QVERIFY(op.begin >= seen.at({1, piece, micro}).end - 1e-12);
            }
        }
    }

    void unevenStagesWaitForTheSlowest()
    {
        PipelineSetting s = setting(PipelineSchedule::OneForwardOneBackward, 2, 3, 1, {1, 1, 0});
        s.pieces[1] = {2, 2, 0};
        // By hand: stage 1 starts at 1, works 3 x 4 without a gap, and stage 0 ends with a backward pass of 1.
        QCOMPARE(runPipeline(s)->makespan, 14.0);
    }

    void refusesWhatCannotBe()
    {
        PipelineSetting s = setting(PipelineSchedule::Interleaved, 4, 6, 2, {1, 1, 1});
        QCOMPARE(QString::fromStdString(runPipeline(s).error().code), QStringLiteral("bad-schedule"));
        s = setting(PipelineSchedule::GPipe, 4, 8, 1, {1, 1, 1});
        s.pieces.pop_back();
        QVERIFY(!runPipeline(s).ok());
        s = setting(PipelineSchedule::GPipe, 1, 1, 1, {1, 1, 1});
        s.microBatches = 0;
        QVERIFY(!runPipeline(s).ok());
        s.microBatches = 4000000000u;
        QCOMPARE(QString::fromStdString(runPipeline(s).error().code), QStringLiteral("too-large"));
    }
};

QTEST_APPLESS_MAIN(tst_schedule)
#include "tst_schedule.moc"
