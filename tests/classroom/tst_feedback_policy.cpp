// SPDX-License-Identifier: GPL-3.0-or-later
// Which outcome waits for which step, and until when: the table of docs/bundles.md.
#include "classroom/feedback_policy.h"

#include <QtTest>

using namespace ridge;
using namespace ridge::classroom;

namespace {

const std::string kBefore = "2027-03-01T00:00:00.000Z", kDeadline = "2027-03-08T18:00:00.000Z",
                  kAfter = "2027-03-08T18:00:00.001Z";

Assignment assignment(std::map<std::string, FeedbackWhen> feedback, const std::string& title = "Week 1",
                      const std::string& deadline = kDeadline)
{
    Assignment one;
    one.title = title;
    one.deadline = deadline;
    one.lessons = {{"1.1", "One", "text", {}}};
    one.feedback = std::move(feedback);
    return one;
}

/// A lesson with a question in its measurements and one in its exit criteria.
lessons::Lesson lesson()
{
    lessons::Lesson one;
    one.id = "1.1";
    one.sections = {
        {"Measure it", {lessons::Block{"quiz", "middle", {}, lessons::QuizBlock{}}}},
        {std::string(lessons::kSectionTitles.back()), {lessons::Block{"quiz", "exit", {}, lessons::QuizBlock{}}}}};
    return one;
}

lessons::CheckSpec check(const char* kind, const char* block)
{
    lessons::CheckSpec spec;
    spec.kind = kind;
    spec.block = block;
    return spec;
}

std::string stepThatHolds(const FeedbackPolicy& policy, Outcome outcome, const std::string& now = kBefore)
{
    const auto held = policy.held("1.1", outcome, now);
    return held ? held->step : "";
}

} // namespace

class TestFeedbackPolicy : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void outcomesWaitForTheirSteps()
    {
        const std::vector<std::pair<std::string, std::vector<Outcome>>> table{
            {"predicted", {Outcome::Prediction, Outcome::Standing}},
            {"ran", {Outcome::Result, Outcome::Prediction, Outcome::Standing}},
            {"passed", {Outcome::Check, Outcome::Answer, Outcome::Standing}},
            {"shipped", {Outcome::Artifact}},
            {"explained", {Outcome::Explanation}}};
        const std::vector<Outcome> all{Outcome::Result,      Outcome::Prediction, Outcome::Check,   Outcome::Answer,
                                       Outcome::Explanation, Outcome::Standing,   Outcome::Artifact};
        for (const auto& [step, outcomes] : table) {
            const FeedbackPolicy policy({assignment({{step, FeedbackWhen::Deadline}})});
            for (const Outcome outcome : all) {
                const bool waits = std::find(outcomes.begin(), outcomes.end(), outcome) != outcomes.end();
                QCOMPARE(stepThatHolds(policy, outcome), waits ? step : std::string());
                QCOMPARE(stepThatHolds(policy, outcome, kAfter), std::string());
                QVERIFY(!policy.held("1.2", outcome, kBefore)); // a lesson that is not assigned
            }
        }
    }

    /// The claim of a kernel that was kept is its verdict.
    void aKernelsResultIsItsVerdict()
    {
        Assignment one = assignment({{"passed", FeedbackWhen::Deadline}});
        one.lessons = {{"1.1", "One", "text", {}}, {"kernel-saxpy", "SAXPY", "text", {}}};
        const FeedbackPolicy policy({one});
        QVERIFY(policy.held("kernel-saxpy", Outcome::Result, kBefore));
        QVERIFY(policy.held("kernel-saxpy", Outcome::Check, kBefore));
        QVERIFY(!policy.held("kernel-saxpy", Outcome::Artifact, kBefore));
        QVERIFY(!policy.held("kernel-saxpy", Outcome::Result, kAfter));
        QVERIFY(!policy.held("1.1", Outcome::Result, kBefore));
    }

    void checksWaitForWhatTheyTell()
    {
        const lessons::Lesson one = lesson();
        const auto holds = [&](const char* step, const lessons::CheckSpec& spec) {
            return FeedbackPolicy({assignment({{step, FeedbackWhen::Never}})}).held(one, spec, kAfter).has_value();
        };
        for (const auto& spec : {check("metric_formula", ""), check("answered", "middle"), check("answered", "exit"),
                                 check("estimated", "guess")})
            QVERIFY(holds("passed", spec));
        for (const char* step : {"predicted", "passed", "shipped"}) // done is done
            QVERIFY(!holds(step, check("predicted", "guess")) && !holds(step, check("shipped", "")));
        QVERIFY(holds("predicted", check("estimated", "guess")) && holds("ran", check("estimated", "guess")));
        QVERIFY(!holds("predicted", check("metric_formula", "")));
        QVERIFY(holds("explained", check("answered", "exit")));
        QVERIFY(!holds("explained", check("answered", "middle")));
        lessons::CheckSpec several = check("answered", "");
        several.blocks = {"middle", "exit"};
        QVERIFY(holds("explained", several));
        QVERIFY(isExitQuestion(one, "exit") && !isExitQuestion(one, "middle") && !isExitQuestion(one, "gone"));
    }

    void theLongestHoldIsTold()
    {
        const std::string later = "2027-06-01T00:00:00.000Z";
        FeedbackPolicy policy({assignment({{"passed", FeedbackWhen::Deadline}}, "Week 1"),
                               assignment({{"passed", FeedbackWhen::Deadline}}, "Exam", later)});
        QCOMPARE(policy.held("1.1", Outcome::Check, kBefore)->assignment, std::string("Exam"));
        QCOMPARE(policy.held("1.1", Outcome::Check, kAfter)->until, later);
        QVERIFY(!policy.held("1.1", Outcome::Check, "2027-06-01T00:00:00.001Z"));
        QCOMPARE(policy.nextChange(kBefore), kDeadline);
        QCOMPARE(policy.nextChange(kAfter), later);
        QCOMPARE(policy.nextChange("2028-01-01T00:00:00.000Z"), std::string());
        policy = FeedbackPolicy({assignment({{"passed", FeedbackWhen::Deadline}}, "Exam", later),
                                 assignment({{"passed", FeedbackWhen::Never}}, "Trial")});
        QCOMPARE(policy.held("1.1", Outcome::Check, kBefore)->assignment, std::string("Trial"));
        QVERIFY(policy.held("1.1", Outcome::Check, kBefore)->until.empty());
        QCOMPARE(policy.lessons(Outcome::Check, kBefore), std::set<std::string>{"1.1"});
        QVERIFY(policy.lessons(Outcome::Artifact, kBefore).empty());
    }

    void theReasonSaysFromWhenOn()
    {
        QCOMPARE(heldText({"Week 1", "R. Hopper", "passed", kDeadline}),
                 std::string("Week 1 (R. Hopper) shows this from 8 March 2027, 18:00 on."));
        QCOMPARE(heldText({"Week 1", "", "passed", ""}), std::string("Week 1 does not show this."));
    }

    void withoutAssignmentsNobodyIsAsked()
    {
        const app::Discretion discretion = FeedbackPolicy().discretion(kBefore);
        QVERIFY(!discretion.checks && !discretion.predictions && !discretion.explained && !discretion.standing);
        const app::Discretion asked =
            FeedbackPolicy({assignment({{"passed", FeedbackWhen::Deadline}})}).discretion(kBefore);
        QVERIFY(!app::Discretion::reason(asked.checks, "1.1").empty());
        QVERIFY(app::Discretion::reason(asked.predictions, "1.1").empty());
    }

    void aResultIsTakenOutAndNothingElse()
    {
        record::RunRow run;
        run.id = "r";
        run.lesson = "1.1";
        run.validity = "valid";
        run.params = {{"stride", std::int64_t{2}}};
        run.metrics["sectors_per_request"] = {8, "sectors/request", Provenance::Simulated};
        run.checks.push_back({"sum", true, "equal"});
        run.traceSha256 = "abc";
        withholdResult(run);
        QVERIFY(run.metrics.empty() && run.checks.empty() && run.limits.empty() && run.traceSha256.empty());
        QVERIFY(run.id == "r" && run.validity == "valid" && run.params.size() == 1);
    }
};

QTEST_APPLESS_MAIN(TestFeedbackPolicy)
#include "tst_feedback_policy.moc"
