// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/lesson_walk.h"

#include "app/evidence/evidence.h"
#include "lessons/placeholders.h"

namespace ridge::cli {
namespace {

class Walk {
public:
    Walk(const lessons::Lesson& lesson, lessons::Learner learner, const std::string& target, StepRuns& runs,
         record::Store& store)
        : m_lesson(lesson), m_learner(learner), m_target(target), m_runs(runs), m_store(store)
    {
    }

    Result<LessonReport> run()
    {
        for (const lessons::Block* block : m_lesson.blocks())
            if (auto done = take(*block); !done)
                return done.error();
        if (auto done = ship(); !done)
            return done.error();
        const auto evidence = app::evidenceFromStore(m_store, m_lesson.id);
        if (!evidence)
            return evidence.error();
        m_report.checks = lessons::evaluateChecks(m_lesson, *evidence);
        compare(*evidence);
        if (const lessons::ArtifactBlock* artifact = m_lesson.artifact())
            for (const auto& missing : lessons::fillTemplate(artifact->claim, *evidence).missing)
                m_report.failures.push_back("the artifact's claim has no run for " + missing.text);
        return std::move(m_report);
    }

private:
    Result<void> take(const lessons::Block& block)
    {
        if (const auto* predict = std::get_if<lessons::PredictBlock>(&block.body))
            return commit(block, *predict);
        if (block.kind == "quiz" || block.kind == "order")
            return answer(block);
        if (const auto* challenge = std::get_if<lessons::ChallengeBlock>(&block.body)) {
            StepReport report;
            for (const ParamSet& set : lessons::attemptsAt(*challenge, m_learner))
                if (auto done = runInto(report, {block.id, challenge->experiment, set, {}}, {}); !done)
                    return done;
            m_report.steps.push_back(std::move(report));
            return {};
        }
        const std::optional<LessonStep> step = stepOf(block);
        if (!step)
            return {};
        const auto* sweep = std::get_if<lessons::SweepBlock>(&block.body);
        const std::string& after = sweep ? sweep->after : std::get<lessons::RunBlock>(block.body).after;
        const auto prediction = m_predictions.find(after);
        StepReport report;
        const int times = sweep ? lessons::timesToRun(m_lesson, *sweep) : 1;
        for (int time = 0; time < times + lessons::kMoreSweeps; ++time) {
            if (time >= times) {
                const auto another = sweep ? wantsAnother(*sweep) : Result<bool>(false);
                if (!another)
                    return another.error();
                if (!*another)
                    break;
            }
            if (auto done = runInto(report, *step, prediction == m_predictions.end() ? "" : prediction->second); !done)
                return done;
        }
        m_report.steps.push_back(std::move(report));
        return {};
    }

    Result<bool> wantsAnother(const lessons::SweepBlock& sweep) const
    {
        const auto evidence = app::evidenceFromStore(m_store, m_lesson.id);
        if (!evidence)
            return evidence.error();
        return lessons::wantsAnotherSweep(m_lesson, sweep, *evidence);
    }

    Result<std::string> targetOf(const std::string& experiment) const
    {
        const auto info = findExperiment(m_runs.catalogue(), experiment);
        if (!info)
            return info.error();
        return targetFor(*info, m_target);
    }

    Result<void> runInto(StepReport& report, const LessonStep& step, const std::string& predictionId)
    {
        const auto target = targetOf(step.experiment);
        if (!target)
            return target.error();
        const auto done = m_runs.run(step, *target, {m_lesson.id, step.block, predictionId}, m_store);
        if (!done) {
            Error error = done.error();
            error.place = "block '" + step.block + "' on " + *target + (error.place.empty() ? "" : ", " + error.place);
            return error;
        }
        report.block = step.block;
        report.experiment = step.experiment;
        report.target = *target;
        report.provenance = toText(done->started.provenance);
        report.validity = done->validity;
        report.points += done->samples.size();
        report.seconds += done->seconds;
        for (const CheckResult& check : done->checks)
            if (!check.passed)
                report.failedChecks.push_back(check.name + ": " + check.detail);
        for (const SampleEvent& sample : done->samples)
            for (const CheckResult& check : sample.checks)
                if (!check.passed)
                    report.failedChecks.push_back(check.name + ": " + check.detail);
        return {};
    }

    /// What the point of a prediction gives. What is computed is told by the first request after it that comes by
    /// there, since that is made anyway; what is measured, by the point alone.
    Result<double> rehearse(const lessons::Block& block, const lessons::PredictBlock& predict)
    {
        const auto target = targetOf(predict.experiment);
        if (!target)
            return target.error();
        LessonStep source{block.id, predict.experiment, predict.at, {}};
        const auto blocks = m_lesson.blocks();
        for (auto other = std::ranges::find(blocks, &block);
             m_runs.shares(predict.experiment, *target) && other != blocks.end(); ++other)
            if (auto step = stepOf(**other);
                step && step->experiment == predict.experiment && m_runs.reaches(*step, *target, predict.at)) {
                source = std::move(*step);
                break;
            }
        const auto metrics = m_runs.rehearse(source, *target, predict.at);
        if (!metrics)
            return metrics.error();
        if (const auto found = metrics->find(predict.metric); found != metrics->end())
            return found->second.value;
        return Error{"bad-lesson", predict.experiment + " gives no " + predict.metric + " on " + *target,
                     "predict '" + block.id + "'", "predict a metric that the experiment has on every target"};
    }

    Result<void> commit(const lessons::Block& block, const lessons::PredictBlock& predict)
    {
        double result = 0; // the wrong learner needs none
        if (m_learner == lessons::Learner::Ideal || predict.misconceptions.empty()) {
            const auto rehearsed = rehearse(block, predict);
            if (!rehearsed)
                return rehearsed.error();
            result = *rehearsed;
        }
        const lessons::Commitment given = lessons::commitmentOf(predict, m_learner, result);
        record::PredictionRow row;
        row.lesson = m_lesson.id;
        row.block = block.id;
        row.experiment = predict.experiment;
        row.metric = predict.metric;
        row.unit = predict.unit;
        row.params = predict.at;
        row.point = given.point;
        row.low = given.low;
        row.high = given.high;
        const auto id = m_store.append(std::move(row)).result();
        if (!id)
            return id.error();
        m_predictions[block.id] = *id;
        m_report.predictions.push_back({&block, given.point, std::nullopt});
        return {};
    }

    Result<void> answer(const lessons::Block& block)
    {
        AnswerReport report{&block, lessons::answerOf(block, m_learner), false};
        report.correct = lessons::isRight(block, report.given);
        record::AnswerRow row;
        row.lesson = m_lesson.id;
        row.block = block.id;
        row.answer = app::toJson(report.given);
        row.correct = report.correct;
        const auto id = m_store.append(std::move(row)).result();
        if (!id)
            return id.error();
        if (report.correct != (m_learner == lessons::Learner::Ideal))
            m_report.failures.push_back(
                block.kind + " '" + block.id + "': the " +
                (report.correct ? "wrong answer is taken for right" : "right answer is refused"));
        m_report.answers.push_back(std::move(report));
        return {};
    }

    Result<void> ship()
    {
        auto artifact = app::composeArtifact(m_store, m_lesson, m_runs.catalogue(), "");
        if (!artifact) {
            if (artifact.error().code != "artifact-incomplete")
                return artifact.error();
            m_report.failures.push_back("the artifact cannot be shipped: " + artifact.error().message);
            return {};
        }
        const auto id = m_store.append(*artifact).result();
        if (!id)
            return id.error();
        m_report.artifact = std::move(*artifact);
        return {};
    }

    /// Every prediction with the run that followed it, and what that says about the authored wrong ones.
    void compare(const lessons::Evidence& evidence)
    {
        for (PredictionReport& report : m_report.predictions) {
            const auto& predict = std::get<lessons::PredictBlock>(report.block->body);
            const lessons::EvidenceRun* run = nullptr;
            for (const lessons::EvidencePrediction& prediction : evidence.predictions)
                if (prediction.block == report.block->id)
                    run = lessons::runAfter(prediction, predict, evidence);
            if (!run || !run->metrics.contains(predict.metric)) {
                m_report.failures.push_back("predict '" + report.block->id + "': no run follows at its point");
                continue;
            }
            const MetricValue& metric = run->metrics.at(predict.metric);
            report.result = metric.value;
            for (std::string& flaw : lessons::flawsOf(*report.block, *report.result, metric.provenance))
                m_report.failures.push_back(std::move(flaw));
        }
    }

    const lessons::Lesson& m_lesson;
    lessons::Learner m_learner;
    const std::string& m_target;
    StepRuns& m_runs;
    record::Store& m_store;
    std::map<std::string, std::string> m_predictions; ///< block -> id
    LessonReport m_report;
};

} // namespace

Result<LessonReport> walkLesson(const lessons::Lesson& lesson, lessons::Learner learner, const std::string& target,
                                StepRuns& runs, record::Store& store)
{
    return Walk(lesson, learner, target, runs, store).run();
}

} // namespace ridge::cli
