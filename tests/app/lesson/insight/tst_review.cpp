// SPDX-License-Identifier: GPL-3.0-or-later
// Which questions a review asks, at which points, and what it leaves behind.
#include "base/json.h"
#include "base/paths.h"
#include "evidence/evidence.h"
#include "evidence/first_answers.h"
#include "evidence/mastery.h"
#include "evidence/mixed_review.h"
#include "evidence/progress.h"
#include "evidence/review.h"
#include "lessons/instances.h"

#include <QTemporaryDir>
#include <QtTest>
#include <set>

using namespace ridge;
using namespace ridge::app;

namespace {

lessons::Curriculum realCurriculum()
{
    auto loaded = lessons::loadCurriculum(*dataFolder() / "curriculum");
    if (!loaded.problems.empty())
        qFatal("%s", loaded.problems.front().message.c_str());
    return loaded.curriculum;
}

ExperimentInfo strideExperiment()
{
    ExperimentInfo info;
    info.id = "coalescing";
    ParamSpec stride;
    stride.name = "stride";
    stride.title = "Stride";
    stride.min = 1;
    stride.max = 128;
    stride.defaultValue = std::int64_t{1};
    info.parameters = {stride};
    return info;
}

/// A lesson that asks about stride 2 and sweeps 1, 2, 4, 8.
lessons::Lesson smallLesson()
{
    lessons::Lesson lesson;
    lesson.id = "2.4";
    lessons::PredictBlock predict;
    predict.experiment = "coalescing";
    predict.metric = "sectors_per_request";
    predict.unit = "sectors/request";
    predict.at = {{"stride", std::int64_t{2}}};
    lessons::SweepBlock sweep;
    sweep.experiment = "coalescing";
    sweep.sweep = {"stride=1..8:log2"};
    lesson.sections = {
        {"Measure it", {lessons::Block{"predict", "guess", {}, predict}, lessons::Block{"sweep", "all", {}, sweep}}}};
    return lesson;
}

const char* const kNoon = "2026-03-01T12:00:00.000Z";

record::PredictionRow prediction(const std::string& lesson, double point, const std::string& when)
{
    record::PredictionRow row;
    row.lesson = lesson;
    row.block = "guess";
    row.experiment = "coalescing";
    row.metric = "sectors_per_request";
    row.unit = "sectors/request";
    row.params = {{"stride", std::int64_t{2}}};
    row.point = point;
    row.low = point / 1.5;
    row.high = point * 1.5;
    row.createdAt = when;
    return row;
}

record::RunRow run(const std::string& lesson, const std::string& predictionId, double value, const std::string& when)
{
    record::RunRow row;
    row.sweepId = "s";
    row.lesson = lesson;
    row.block = "guess";
    row.predictionId = predictionId;
    row.experiment = "coalescing";
    row.target = "sim:h100-sxm";
    row.params = {{"stride", std::int64_t{2}}, {"offset", std::int64_t{0}}};
    row.metrics["sectors_per_request"] = {value, "sectors/request", Provenance::Simulated};
    row.validity = "valid";
    row.status = "finished";
    row.fingerprint = Json{{"chip", "h100-sxm"}};
    row.createdAt = when;
    return row;
}

} // namespace

class TestReview : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { m_curriculum = realCurriculum(); }
    void init()
    {
        m_dir = std::make_unique<QTemporaryDir>();
        m_store = record::Store::open(m_dir->path().toStdString()).value();
    }

    void neighboursAreOfDifferentModules()
    {
        for (const char* lesson : {"1.2", "1.2", "1.6", "2.4"})
            surprise(lesson);
        const auto session = reviewSession(*m_store, m_curriculum, "2026-03-10T00:00:00.000Z");
        QVERIFY(session.ok());
        QCOMPARE(session->tasks.size(), std::size_t(4));
        QVERIFY(session->mixed);
        for (std::size_t i = 1; i < session->tasks.size(); ++i)
            QVERIFY2(session->tasks[i].lesson != session->tasks[i - 1].lesson, session->tasks[i].lesson.c_str());
        QVERIFY(session->tasks[0].lesson[0] != session->tasks[1].lesson[0]);
    }

    void whatComesNextIsCountedInDays()
    {
        const auto next = [this](const char* now) { return nextReviews(*m_store, m_curriculum, now).value(); };
        QVERIFY(!next("2026-03-01T12:30:00.000Z"));
        // Two surprises of noon on the first day, and one of the day after.
        for (const char* when : {kNoon, kNoon, "2026-03-02T12:00:00.000Z"})
            store(run("1.2", store(prediction("1.2", 32, when)), 8, when));
        const auto early = next("2026-03-01T12:30:00.000Z");
        QVERIFY(early && early->days == 1);
        QCOMPARE(early->count, 2);
        const auto thatDay = next("2026-03-02T11:00:00.000Z");
        QVERIFY(thatDay && thatDay->days == 0);
        QCOMPARE(thatDay->count, 2);
        QVERIFY(!next("2026-03-04T00:00:00.000Z")); // all of them are due
    }

    void aPassedLessonWaitsThreeDays()
    {
        store(run("1.2", store(prediction("1.2", 8, kNoon)), 8, kNoon)); // held
        record::OutcomeRow passed;
        passed.lesson = "1.2";
        passed.state = "passed";
        passed.context = "lesson";
        passed.factor = 1.0;
        passed.evidence = Json::object();
        passed.createdAt = kNoon;
        store(passed);
        const auto next = nextReviews(*m_store, m_curriculum, "2026-03-02T12:30:00.000Z").value();
        QVERIFY(next && next->days == 2);
        QCOMPARE(next->count, 1);
    }

    void oneLessonAloneIsNoMixture()
    {
        surprise("1.2");
        surprise("1.2");
        surprise("9.9"); // of another curriculum
        const auto session = reviewSession(*m_store, m_curriculum, "2026-03-10T00:00:00.000Z");
        QVERIFY(session.ok());
        QCOMPARE(session->tasks.size(), std::size_t(2));
        QVERIFY(!session->mixed);
    }

    void aPassedLessonComesBackAfterThreeDays()
    {
        surprise("2.4");
        store(run("1.2", store(prediction("1.2", 8, kDay1)), 8, kDay1)); // held
        record::OutcomeRow passed;
        passed.lesson = "1.2";
        passed.state = "passed";
        passed.context = "lesson";
        passed.factor = 1.0;
        passed.evidence = Json::object();
        passed.createdAt = kDay1;
        store(passed);
        const auto early = reviewSession(*m_store, m_curriculum, "2026-03-03T00:00:00.000Z");
        QVERIFY(early.ok());
        QCOMPARE(early->tasks.size(), std::size_t(1));
        const auto session = reviewSession(*m_store, m_curriculum, "2026-03-05T00:00:00.000Z");
        QVERIFY(session.ok());
        QCOMPARE(session->tasks.size(), std::size_t(2));
        QVERIFY(session->mixed);
        QVERIFY(!session->tasks[1].surprise);
        QCOMPARE(session->tasks[1].lesson, std::string("1.2"));
    }

    void anotherPointIsOneTheLessonVisits()
    {
        const lessons::Lesson lesson = smallLesson();
        const ExperimentInfo experiment = strideExperiment();
        std::set<std::string> seen;
        for (std::uint64_t seed = 0; seed < 12; ++seed) {
            const auto point = changedInstance(lesson, *lesson.block("guess"), experiment, "sim", {}, seed);
            QVERIFY(point.ok());
            seen.insert(toText(point->at("stride")));
            QCOMPARE(toText(changedInstance(lesson, *lesson.block("guess"), experiment, "sim", {}, seed)->at("stride")),
                     toText(point->at("stride")));
        }
        QCOMPARE(seen, (std::set<std::string>{"1", "4", "8"})); // never the 2 that was asked about
        const std::vector<ParamSet> asked = {{{"stride", std::int64_t{1}}}, {{"stride", std::int64_t{4}}}};
        for (std::uint64_t seed = 0; seed < 4; ++seed)
            QCOMPARE(
                toText(changedInstance(lesson, *lesson.block("guess"), experiment, "sim", asked, seed)->at("stride")),
                std::string("8"));
        lessons::Lesson still = smallLesson();
        still.sections[0].segments.pop_back();
        QCOMPARE(changedInstance(still, *still.block("guess"), experiment, "sim", {}, 1).error().code,
                 std::string("no-other-instance"));
    }

    void aReviewHitsWithinAFactorOfTwo_data()
    {
        QTest::addColumn<double>("point");
        QTest::addColumn<double>("value");
        QTest::addColumn<bool>("missed");
        QTest::newRow("right") << 8.0 << 8.0 << false;
        QTest::newRow("twice") << 16.0 << 8.0 << false;
        QTest::newRow("more than twice") << 16.1 << 8.0 << true;
        QTest::newRow("half") << 4.0 << 8.0 << false;
        QTest::newRow("nothing came") << 4.0 << 0.0 << true;
    }
    void aReviewHitsWithinAFactorOfTwo()
    {
        QFETCH(double, point);
        QFETCH(double, value);
        QFETCH(bool, missed);
        const ReviewTask task{"p", "2.4", "guess", true, 1};
        record::PredictionRow predicted = prediction("2.4", point, kDay1);
        predicted.id = "q";
        const auto alone = reviewResult(task, false, predicted, run("2.4", "q", value, kDay1));
        QVERIFY(alone.ok());
        QCOMPARE(alone->review.missed, missed);
        QVERIFY(!alone->outcome);
        const auto mixed = reviewResult(task, true, predicted, run("2.4", "q", value, kDay1));
        QVERIFY(mixed->outcome.has_value());
        QCOMPARE(mixed->outcome->state, std::string(missed ? "failed" : "passed"));
        record::RunRow elsewhere = run("2.4", "q", value, kDay1);
        elsewhere.params["stride"] = std::int64_t{4};
        QCOMPARE(reviewResult(task, true, predicted, elsewhere).error().code, std::string("bad-review"));
    }

    void laterGuessesDoNotMakeAPassSolid()
    {
        lessons::Evidence evidence;
        const auto add = [&](double point, std::int64_t seq, double value) {
            evidence.predictions.push_back({"guess", point, point, point, seq});
            lessons::EvidenceRun result;
            result.id = std::to_string(seq);
            result.experiment = "coalescing";
            result.block = "guess";
            result.params = {{"stride", std::int64_t{2}}};
            result.metrics["sectors_per_request"] = {value, "sectors/request", Provenance::Simulated};
            result.validity = "valid";
            result.seq = seq + 1;
            evidence.runs.push_back(result);
        };
        QVERIFY(!worstFirstFactor(smallLesson(), evidence));
        add(32, 1, 8);
        add(8, 3, 8);
        QCOMPARE(worstFirstFactor(smallLesson(), evidence).value_or(0), 4.0);
    }

    void firstAnswersCountOnceAnInstance()
    {
        lessons::Lesson lesson = smallLesson();
        lessons::QuizBlock quiz;
        quiz.number = 4;
        quiz.vars = {{{"n", std::int64_t{1}}}, {{"n", std::int64_t{2}}}, {{"n", std::int64_t{3}}}};
        for (const char* id : {"ask", "other"})
            lesson.sections.front().segments.push_back(lessons::Block{"quiz", id, {}, quiz});
        lessons::Evidence evidence;
        std::int64_t seq = 0;
        const auto give = [&](const char* block, std::int64_t n, bool correct, bool shown = false) {
            lessons::AnswerGiven given;
            given.hasInstance = true;
            given.vars = {{"n", n}};
            given.shown = shown;
            evidence.answers.push_back({block, correct, ++seq, given, seq * lessons::kCountsAgainAfter});
        };
        const auto tally = [&] { return firstAnswersOf(lesson, evidence); };
        QVERIFY((tally() == FirstAnswers{0, 0}));
        give("ask", 1, false);
        QVERIFY((tally() == FirstAnswers{1, 0}));
        // Right the second time, and a day later: the first answer stays what it was.
        give("ask", 1, true);
        give("ask", 1, true);
        QVERIFY((tally() == FirstAnswers{1, 0}));
        // Right at first, and wrong when it came back.
        give("ask", 2, true);
        give("ask", 2, false);
        QVERIFY((tally() == FirstAnswers{2, 1}));
        // To have the solution shown is no right answer, and what is copied from it neither.
        give("ask", 3, false, true);
        give("ask", 3, true);
        QVERIFY((tally() == FirstAnswers{3, 1}));
        // The same numbers in another question are another instance; blocks that are no quiz have none.
        give("other", 1, true);
        give("guess", 1, false);
        QVERIFY((tally() == FirstAnswers{4, 2}));
        // Whatever the order in which rows were read.
        std::reverse(evidence.answers.begin(), evidence.answers.end());
        QVERIFY((tally() == FirstAnswers{4, 2}));
        // Rows from before there were instances are answers to one.
        evidence.answers = {{"ask", true, 1, {.number = 4}}, {"ask", false, 2, {.number = 5}}};
        QVERIFY((tally() == FirstAnswers{1, 1}));
    }

    /// Of a lesson that is passed on a near prediction, the first answers decide between Met and Solid.
    void firstAnswersDecideAboutSolid_data()
    {
        QTest::addColumn<QList<bool>>("answers"); // to instances of their own, two answers each: first and second
        QTest::addColumn<int>("right");
        QTest::addColumn<int>("level");
        QTest::newRow("all right") << QList<bool>{true, true, true} << 3 << 2;
        QTest::newRow("right at second") << QList<bool>{false, false, false} << 0 << 1;
        QTest::newRow("two of three") << QList<bool>{true, false, true} << 2 << 1;
        QTest::newRow("three of four") << QList<bool>{true, false, true, true} << 3 << 2;
    }
    void firstAnswersDecideAboutSolid()
    {
        QFETCH(QList<bool>, answers);
        QFETCH(int, right);
        QFETCH(int, level);
        lessons::Lesson lesson = smallLesson();
        lessons::QuizBlock quiz;
        quiz.number = 4;
        for (std::int64_t n = 0; n < answers.size(); ++n)
            quiz.vars.push_back({{"n", n}});
        lesson.sections.front().segments.push_back(lessons::Block{"quiz", "ask", {}, quiz});
        lessons::CheckSpec answered;
        answered.id = "answered";
        answered.kind = "shipped";
        lesson.checks = {answered};
        const auto answer = [&](const std::string& block, std::int64_t n, bool correct) {
            record::AnswerRow row;
            row.lesson = lesson.id;
            row.block = block;
            lessons::AnswerGiven given{.number = correct ? 4 : 5};
            given.hasInstance = true;
            given.vars = {{"n", n}};
            row.answer = toJson(given);
            row.correct = correct;
            store(row);
        };
        for (std::int64_t n = 0; n < answers.size(); ++n) {
            answer("ask", n, answers[n]);
            answer("ask", n, true);
        }
        answer("elsewhere", 0, false); // of no question of this lesson
        const std::string guess = store(prediction(lesson.id, 8, kDay1));
        record::RunRow came = run(lesson.id, guess, 8, kDay1);
        store(came);
        record::ArtifactRow artifact;
        artifact.lesson = lesson.id;
        artifact.kind = "note";
        artifact.title = "T";
        store(artifact);
        const auto owed = outcomeOwed(*m_store, lesson);
        QVERIFY(owed.ok() && owed->has_value());
        QCOMPARE((*owed)->factor.value_or(0), 1.0);
        QCOMPARE((*(*owed)->evidence).at("first_answers"), (Json{{"of", answers.size()}, {"right", right}}));
        store(**owed);
        const auto mastery = m_store->mastery();
        QCOMPARE(mastery->size(), std::size_t(1));
        QCOMPARE(static_cast<int>(mastery->front().level), level);
    }

    void progressOfAnEmptyRecordIsWhole()
    {
        const auto progress = progressOf(*m_store, m_curriculum, kDay1);
        QVERIFY(progress.ok());
        const Json json = progressJson(*progress);
        QCOMPARE(json.at("lessons").size(), m_curriculum.heads.size());
        QVERIFY(json.at("calibration").at("median_factor").is_null());
        QCOMPARE(json.at("reviews_due").get<int>(), 0);
        for (const Json& lesson : json.at("lessons"))
            QCOMPARE(lesson.at("mastery").get<std::string>(), std::string("Not yet"));
        const std::string csv = progressCsv(*progress);
        QCOMPARE(std::ranges::count(csv, '\n'), std::ptrdiff_t(m_curriculum.heads.size() + 1));
    }

    void mixedQuestionsAreOfLessonsThatWereMet()
    {
        const std::vector<lessons::MixedSet> sets = lessons::loadMixed(m_curriculum).sets;
        QVERIFY(!sets.empty());
        QVERIFY(mixedRecord(*m_store, m_curriculum, sets)->met.empty());
        store(prediction("1.6", 3, kDay1));
        record::AnswerRow answer;
        answer.lesson = "5.4";
        answer.block = "count-heads";
        answer.answer = Json{{"number", 1}, {"vars", {{"heads", 64}}}};
        store(answer);
        QCOMPARE(mixedRecord(*m_store, m_curriculum, sets)->met, (std::set<std::string>{"1.6", "5.4"}));
        // What a class keeps back is not asked.
        Discretion discretion;
        discretion.checks = [](const std::string& lesson) { return lesson == "1.6" ? "until Friday" : ""; };
        QCOMPARE(mixedRecord(*m_store, m_curriculum, sets, discretion)->met, (std::set<std::string>{"5.4"}));
        // Answers to a mixed question begin no lesson, and are counted by askings.
        answer.lesson = "7.6";
        answer.block = lessons::mixedBlock("recall-ridge", 1);
        answer.correct = false;
        store(answer);
        answer.correct = true;
        store(answer); // a second try of the same asking
        auto known = mixedRecord(*m_store, m_curriculum, sets);
        QVERIFY(!known->met.contains("7.6"));
        QCOMPARE(known->history.at("7.6#recall-ridge").times, 1);
        QVERIFY(known->history.at("7.6#recall-ridge").missed);
        answer.block = lessons::mixedBlock("recall-ridge", 2);
        store(answer);
        known = mixedRecord(*m_store, m_curriculum, sets);
        QCOMPARE(known->history.at("7.6#recall-ridge").times, 2);
        QVERIFY(!known->history.at("7.6#recall-ridge").missed);
        // A module that the placement found known was met.
        answer.lesson = "placement";
        for (const char* block : {"sectors", "banks"}) {
            answer.block = block;
            store(answer);
        }
        QVERIFY(mixedRecord(*m_store, m_curriculum, sets)->met.contains("2.1"));
    }

    void aMixedQuestionHasNewNumbersEachTime()
    {
        const auto lesson = lessons::loadLesson(m_curriculum, "5.4");
        QVERIFY(lesson.ok());
        const lessons::MixedQuestion question{"5.4", "count-heads", "5.4", {}};
        const auto& authored = std::get<lessons::QuizBlock>(lesson->block("count-heads")->body);
        std::vector<ParamSet> used;
        for (std::size_t time = 1; time <= authored.vars.size(); ++time) {
            const auto block = mixedInstance(*m_store, *lesson, question, int(time));
            QVERIFY(block.ok());
            QCOMPARE(block->id, lessons::mixedBlock("count-heads", int(time)));
            const auto& quiz = std::get<lessons::QuizBlock>(block->body);
            QCOMPARE(quiz.vars.size(), authored.vars.size() - used.size());
            for (const ParamSet& before : used)
                QVERIFY(std::ranges::find(quiz.vars, before) == quiz.vars.end());
            used.push_back(quiz.vars.front());
            lessons::AnswerGiven given;
            given.number = 1;
            given.vars = used.back();
            given.hasInstance = true;
            record::AnswerRow answer;
            answer.lesson = "5.4";
            answer.block = block->id;
            answer.answer = toJson(given);
            store(answer);
        }
        // When all were used they may come again.
        QCOMPARE(std::get<lessons::QuizBlock>(mixedInstance(*m_store, *lesson, question, 99)->body).vars.size(),
                 authored.vars.size());
        QCOMPARE(mixedInstance(*m_store, *lesson, {"5.4", "none", "5.4", {}}, 1).error().code,
                 std::string("unknown-block"));
    }

private:
    static constexpr const char* kDay1 = "2026-03-01T12:00:00.000Z";

    template<class Row>
    std::string store(Row row)
    {
        const auto id = m_store->append(std::move(row)).result();
        if (!id)
            qFatal("%s", toText(id.error()).c_str());
        return *id;
    }
    /// 32 predicted, 8 came.
    void surprise(const std::string& lesson) { store(run(lesson, store(prediction(lesson, 32, kDay1)), 8, kDay1)); }

    lessons::Curriculum m_curriculum;
    std::unique_ptr<QTemporaryDir> m_dir;
    std::unique_ptr<record::Store> m_store;
};

QTEST_GUILESS_MAIN(TestReview)
#include "tst_review.moc"
