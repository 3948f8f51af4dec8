// SPDX-License-Identifier: GPL-3.0-or-later
// The two learners by whom lessons are tried out.
#include "lesson_support.h"

#include "lessons/answers.h"
#include "lessons/controls.h"
#include "lessons/curriculum.h"
#include "lessons/learner.h"
#include "lessons/numbers.h"

#include <cmath>

using namespace ridge;
using namespace ridge::lessons;
using namespace ridge::lessons::test;

namespace {

Lesson small()
{
    return parseLesson(read(sourceRoot() / "tests" / "lessons" / "small.md"), "2-cuda-programming/01-small.md")
        .lesson.value();
}

} // namespace

class LessonLearnerTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void commitments()
    {
        const Lesson lesson = small();
        PredictBlock predict = std::get<PredictBlock>(lesson.block("guess")->body);
        const Commitment ideal = commitmentOf(predict, Learner::Ideal, 8);
        QCOMPARE(ideal.point, 8.0);
        QVERIFY(ideal.low < 8 && ideal.high > 8);
        QCOMPARE(commitmentOf(predict, Learner::Ideal, 1e6).point, predict.max); // no further than the slider goes
        QCOMPARE(commitmentOf(predict, Learner::Wrong, 8).point, 2.0);           // the first misconception
        predict.misconceptions.clear();
        QCOMPARE(commitmentOf(predict, Learner::Wrong, 8).point, predict.max);
        QCOMPARE(commitmentOf(predict, Learner::Wrong, 120).point, predict.min);
    }

    void answers()
    {
        const Lesson lesson = small();
        for (const char* id : {"count", "quiz-2", "order-1"}) {
            const Block& block = *lesson.block(id);
            const AnswerGiven right = answerOf(block, Learner::Ideal), wrong = answerOf(block, Learner::Wrong);
            QVERIFY2(isRight(block, right), id);
            QVERIFY2(!isRight(block, wrong), id);
            QVERIFY2(!answerText(block, right).empty() && !answerText(block, wrong).empty(), id);
            // A wrong order is told nothing: what explains it is the solution.
            QCOMPARE(explanationOf(block, wrong).empty(), std::string(id) == "order-1");
            QVERIFY2(!isRight(block, {}), id);
        }
        QCOMPARE(answerText(*lesson.block("count"), answerOf(*lesson.block("count"), Learner::Wrong)),
                 std::string("3 sectors"));
        QCOMPARE(explanationOf(*lesson.block("quiz-2"), {.choice = 0}), std::string("No."));
        QCOMPARE(answerText(*lesson.block("order-1"), answerOf(*lesson.block("order-1"), Learner::Wrong)),
                 std::string("the steps 3, 2, 1"));
        // What nobody offered is no answer; a number that nobody foresaw is a wrong one, and stays outside a tolerance.
        QVERIFY(!isRight(*lesson.block("quiz-2"), {.choice = 9}));
        QVERIFY(answerText(*lesson.block("quiz-2"), {.choice = -1}).empty());
        QVERIFY(!isRight(*lesson.block("order-1"), {.order = {0, 1}}));
        Block open = *lesson.block("count");
        auto& quiz = std::get<QuizBlock>(open.body);
        quiz.misconceptions.clear();
        quiz.tolerance = 50;
        QVERIFY(!isRight(open, answerOf(open, Learner::Wrong)));
        QVERIFY(isRight(open, {.number = 12 + 50.0}));
        QVERIFY(!isRight(*lesson.block("guess"), {.number = 8.0}));
    }

    void attempts()
    {
        const Lesson lesson = small();
        const auto& challenge = std::get<ChallengeBlock>(lesson.block("challenge-1")->body);
        const auto ideal = attemptsAt(challenge, Learner::Ideal), wrong = attemptsAt(challenge, Learner::Wrong);
        QCOMPARE(ideal.size(), std::size_t{4});
        QCOMPARE(ideal[2], (ParamSet{{"stride", std::int64_t{4}}, {"element_bytes", std::int64_t{4}}}));
        QCOMPARE(wrong, std::vector<ParamSet>{challenge.set});
    }

    void oneTryRunsSeveralValues()
    {
        Lesson lesson = small();
        auto* block = const_cast<Block*>(lesson.block("challenge-1"));
        auto& challenge = std::get<ChallengeBlock>(block->body);
        const int alone = clicksOf(lesson);
        QCOMPARE(triesOf(challenge).size(), std::size_t{4});
        challenge.controls = {"stride=1"};
        const auto together = triesOf(challenge);
        QCOMPARE(together.size(), std::size_t{1});
        QVERIFY(together[0].set.empty());
        const std::vector<ParamValue> strides{std::int64_t{1}, std::int64_t{2}, std::int64_t{4}, std::int64_t{8}};
        QCOMPARE(together[0].several.at("stride"), strides);
        QCOMPARE(clicksOf(lesson), alone - 3);
        // What runs is the same as one at a time.
        QCOMPARE(attemptsAt(challenge, Learner::Ideal).size(), std::size_t{4});
        // Another value of a control that takes one is another try.
        challenge.controls = {"stride=1", "element_bytes"};
        challenge.solution[3]["element_bytes"] = std::int64_t{8};
        QCOMPARE(triesOf(challenge).size(), std::size_t{2});
    }

    /// Journey J2: twelve clicks, beside typing and answers.
    void tooManyClicksAreTold()
    {
        Curriculum curriculum;
        curriculum.tables = std::make_shared<const NumberTables>(sourceRoot() / "assets");
        Lesson lesson = small();
        auto& challenge = std::get<ChallengeBlock>(const_cast<Block*>(lesson.block("challenge-1"))->body);
        const auto told = [&] {
            return std::ranges::any_of(lintGrain(lesson, curriculum), [](const Problem& problem) {
                return problem.message.find("clicks beside typing and answers; keep to 12") != std::string::npos;
            });
        };
        QVERIFY(!told());
        challenge.solution.clear();
        for (std::int64_t stride = 1; stride <= 13; ++stride)
            challenge.solution.push_back({{"stride", stride}});
        QVERIFY(told());
        challenge.controls = {"stride=1"};
        QVERIFY(!told());
    }

    void sweepsAreRepeatedWhereACheckAsks()
    {
        Lesson lesson = small();
        const auto times = [&] { return timesToRun(lesson, std::get<SweepBlock>(lesson.block("curve")->body)); };
        QCOMPARE(times(), 1);
        CheckSpec crossing;
        crossing.kind = "crossing";
        crossing.experiment = "coalescing";
        crossing.along = "stride";
        crossing.repeats = 3;
        lesson.checks.push_back(crossing);
        QCOMPARE(times(), 3);
        lesson.checks.back().along = "strid";
        QCOMPARE(times(), 1);
        lesson.checks.back().along = "stride";
        lesson.checks.back().experiment = "bank_conflicts";
        QCOMPARE(times(), 1);
        // Two blocks that draw the same sweep share the repeats.
        lesson.checks.back().experiment = "coalescing";
        Block twin = *lesson.block("curve");
        twin.id = "again";
        lesson.sections.back().segments.push_back(twin);
        QCOMPARE(times(), 2);
        lesson.checks.back().repeats = 2;
        QCOMPARE(times(), 1);
    }

    void aSweepIsRunOnceMoreWhileItsCrossingsLieApart()
    {
        Lesson lesson = small();
        CheckSpec crossing;
        crossing.id = "crossing";
        crossing.kind = "crossing";
        crossing.experiment = "coalescing";
        crossing.metric = "m";
        crossing.along = "stride";
        crossing.level = 1;
        crossing.repeats = 2;
        crossing.within = 2;
        lesson.checks.push_back(crossing);
        const auto& sweep = std::get<SweepBlock>(lesson.block("curve")->body);
        Evidence evidence;
        const auto cross = [&](const char* id, std::int64_t at) {
            for (const std::int64_t stride : {at, 2 * at}) {
                EvidenceRun run;
                run.id = id + std::to_string(stride);
                run.sweep = id;
                run.experiment = "coalescing";
                run.target = "sim:h100-sxm";
                run.params = {{"stride", stride}};
                run.metrics.insert({"m", {.value = stride == at ? 0.5 : 2.0, .provenance = Provenance::Measured}});
                run.seq = static_cast<std::int64_t>(evidence.runs.size()) + 1;
                evidence.runs.push_back(std::move(run));
            }
            return wantsAnotherSweep(lesson, sweep, evidence);
        };
        QVERIFY(!wantsAnotherSweep(lesson, sweep, evidence)); // how often is timesToRun's to say
        QVERIFY(!cross("a", 1));
        QVERIFY(cross("b", 16));
        QVERIFY(!cross("c", 16));
    }

    void flaws()
    {
        const Lesson lesson = small();
        const Block& block = *lesson.block("guess"); // 2, 4 and 32 on a slider from 1 to 128
        QVERIFY(flawsOf(block, 8, Provenance::Simulated).empty());
        QCOMPARE(flawsOf(block, 32, Provenance::Simulated).size(), std::size_t{1});
        QVERIFY(flawsOf(block, 32, Provenance::Simulated)[0].find(
                    "predict 'guess': misconception 'each' leads to the right number: 32") == 0);
        QCOMPARE(flawsOf(block, 32 * 1.14, Provenance::Simulated).size(), std::size_t{1});
        QVERIFY(flawsOf(block, 32 * 1.16, Provenance::Simulated).empty());
        QVERIFY(flawsOf(block, 32, Provenance::Measured).empty()); // this machine's number, by accident
        QCOMPARE(flawsOf(block, 200, Provenance::Measured).size(), std::size_t{1});
        QVERIFY(flawsOf(block, 200, Provenance::Simulated)[0].find(
                    "lies outside the slider, which goes from 1 to 128") != std::string::npos);
        QCOMPARE(flawsOf(block, 0, Provenance::Simulated).size(), std::size_t{1});
        Block zero = block;
        auto& predict = std::get<PredictBlock>(zero.body);
        predict.min = 0;
        predict.misconceptions[0].value = 0;
        QCOMPARE(flawsOf(zero, 0, Provenance::Simulated).size(), std::size_t{1}); // no factor: equal is what counts
        QVERIFY(std::isnan(compareWrong(predict, 0)[0].factor));
        QVERIFY(flawsOf(zero, 9, Provenance::Simulated).empty());
    }
};

QTEST_GUILESS_MAIN(LessonLearnerTest)
#include "tst_lesson_learner.moc"
