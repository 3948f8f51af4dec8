// SPDX-License-Identifier: GPL-3.0-or-later
#include "lessons/learner.h"

#include "base/units.h"

#include <cmath>

namespace ridge::lessons {
namespace {

/// Nearer than this a wrong prediction cannot be told from a right one by the run.
constexpr double kTooNear = 1.15;
constexpr double kInterval = 0.1;

bool sweepsAlong(const SweepBlock& block, const std::string& parameter)
{
    return std::any_of(block.sweep.begin(), block.sweep.end(),
                       [&](const std::string& axis) { return axis.starts_with(parameter + "="); });
}

/// Whether the runs of the block are among those that the check looks at.
bool serves(const SweepBlock& block, const CheckSpec& check)
{
    return block.experiment == check.experiment && sweepsAlong(block, check.along) &&
           std::all_of(check.where.begin(), check.where.end(), [&](const auto& wanted) {
               const auto set = block.set.find(wanted.first);
               return set == block.set.end() || set->second == wanted.second;
           });
}

} // namespace

Commitment commitmentOf(const PredictBlock& block, Learner learner, double result)
{
    double point = std::clamp(result, block.min, block.max);
    if (learner == Learner::Wrong)
        point = !block.misconceptions.empty()             ? block.misconceptions.front().value
                : result - block.min > block.max - result ? block.min
                                                          : block.max;
    const double half = kInterval * std::abs(point);
    return {point, point - half, point + half};
}

AnswerGiven answerOf(const Block& block, Learner learner)
{
    const bool right = learner == Learner::Ideal;
    AnswerGiven given;
    if (const auto* quiz = std::get_if<QuizBlock>(&block.body)) {
        if (quiz->number) {
            const double beside = *quiz->number + quiz->tolerance + std::max(1.0, std::abs(*quiz->number));
            given.number = right                          ? *quiz->number
                           : quiz->misconceptions.empty() ? beside
                                                          : quiz->misconceptions.front().value;
            return given;
        }
        const auto choice = std::find_if(quiz->choices.begin(), quiz->choices.end(),
                                         [&](const QuizChoice& one) { return one.correct == right; });
        given.choice = static_cast<int>(choice - quiz->choices.begin());
    } else if (const auto* order = std::get_if<OrderBlock>(&block.body)) {
        for (int step = 0; step < static_cast<int>(order->steps.size()); ++step)
            given.order.push_back(step);
        if (!right)
            std::reverse(given.order.begin(), given.order.end());
    }
    return given;
}

std::vector<ParamSet> attemptsAt(const ChallengeBlock& block, Learner learner)
{
    if (learner == Learner::Wrong)
        return {block.set};
    std::vector<ParamSet> attempts;
    for (ParamSet attempt : block.solution) {
        attempt.insert(block.set.begin(), block.set.end());
        attempts.push_back(std::move(attempt));
    }
    return attempts;
}

int timesToRun(const Lesson& lesson, const SweepBlock& block)
{
    int times = 1;
    for (const CheckSpec& check : lesson.checks) {
        if (check.kind != "crossing" || !serves(block, check))
            continue;
        int blocks = 0;
        for (const Block* other : lesson.blocks())
            if (const auto* sweep = std::get_if<SweepBlock>(&other->body); sweep && serves(*sweep, check))
                ++blocks;
        times = std::max(times, (check.repeats + blocks - 1) / std::max(1, blocks));
    }
    return times;
}

bool wantsAnotherSweep(const Lesson& lesson, const SweepBlock& block, const Evidence& evidence)
{
    const std::vector<CheckOutcome> outcomes = evaluateChecks(lesson, evidence);
    return std::any_of(lesson.checks.begin(), lesson.checks.end(), [&](const CheckSpec& check) {
        return check.kind == "crossing" && serves(block, check) &&
               std::any_of(outcomes.begin(), outcomes.end(), [&](const CheckOutcome& outcome) {
                   return outcome.id == check.id && outcome.state == CheckState::Failed;
               });
    });
}

std::vector<WrongPrediction> compareWrong(const PredictBlock& block, double result)
{
    std::vector<WrongPrediction> list;
    for (const Misconception& wrong : block.misconceptions) {
        const double factor = scorePrediction(wrong.value, wrong.value, wrong.value, result).factor;
        list.push_back({&wrong, factor, std::isnan(factor) ? wrong.value == result : factor <= kTooNear});
    }
    return list;
}

std::vector<std::string> flawsOf(const Block& block, double result, Provenance provenance)
{
    const auto& predict = std::get<PredictBlock>(block.body);
    const std::string name = "predict '" + block.id + "': ";
    std::vector<std::string> flaws;
    for (const WrongPrediction& wrong : compareWrong(predict, result))
        if (wrong.tooNear && provenance != Provenance::Measured)
            flaws.push_back(name + "misconception '" + wrong.misconception->id +
                            "' leads to the right number: " + formatQuantity(wrong.misconception->value, predict.unit) +
                            ", the run gave " + formatQuantity(result, predict.unit));
    const double slack = 1e-9 * std::abs(result);
    const auto end = [&](double value) { // the unit stands beside the result
        return takesPrefix(predict.unit) ? formatQuantity(value, predict.unit) : formatNumber(value);
    };
    if (result < predict.min - slack || result > predict.max + slack)
        flaws.push_back(name + "the result " + formatQuantity(result, predict.unit) +
                        " lies outside the slider, which goes from " + end(predict.min) + " to " + end(predict.max));
    return flaws;
}

} // namespace ridge::lessons
