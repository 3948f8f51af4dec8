// SPDX-License-Identifier: GPL-3.0-or-later
#include "lessons/learner.h"

#include "lessons/controls.h"
#include "lessons/pointing.h"

#include "base/target_choice.h"
#include "base/target_kind.h"
#include "base/units.h"

#include <cmath>
#include <set>

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

/// A thing of the scene that is not right to point at: of the kind that is asked for, with the lowest number that is
/// free.
std::string otherThing(const SceneBlock& scene)
{
    const std::string& right = scene.answer.front();
    const std::string stem = right.substr(0, right.rfind('.') + 1);
    for (std::size_t number = 0; number <= scene.answer.size(); ++number)
        if (std::string other = stem + std::to_string(number);
            std::ranges::find(scene.answer, other) == scene.answer.end())
            return other;
    return stem;
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

AnswerGiven answerOf(const Block& block, Learner learner, const QuizInstance& instance)
{
    const bool right = learner == Learner::Ideal;
    AnswerGiven given;
    if (const auto* authored = std::get_if<QuizBlock>(&block.body)) {
        const QuizBlock quiz = filled(*authored, instance);
        given.hasInstance = true;
        given.variant = instance.variant;
        given.vars = instance.vars;
        if (quiz.number) {
            const double beside = *quiz.number + quiz.tolerance + std::max(1.0, std::abs(*quiz.number));
            given.number = right                         ? *quiz.number
                           : quiz.misconceptions.empty() ? beside
                                                         : quiz.misconceptions.front().value;
            return given;
        }
        const auto choice = std::find_if(quiz.choices.begin(), quiz.choices.end(),
                                         [&](const QuizChoice& one) { return one.correct == right; });
        given.choice = static_cast<int>(choice - quiz.choices.begin());
    } else if (const auto* order = std::get_if<OrderBlock>(&block.body)) {
        for (int step = 0; step < static_cast<int>(order->steps.size()); ++step)
            given.order.push_back(step);
        if (!right)
            std::reverse(given.order.begin(), given.order.end());
    } else if (const auto* explain = std::get_if<ExplainBlock>(&block.body)) {
        given.text = right ? explain->model : "I cannot say why it is so.";
        given.rating = right ? "yes" : "no";
    } else if (const auto* scene = std::get_if<SceneBlock>(&block.body); scene && !scene->answer.empty()) {
        given.item = right ? scene->answer.front() : otherThing(*scene);
    }
    return given;
}

AnswerGiven answerOf(const Block& block, Learner learner)
{
    const auto* quiz = std::get_if<QuizBlock>(&block.body);
    AnswerGiven given = answerOf(block, learner, quiz ? instancesOf(*quiz).front() : QuizInstance{});
    if (quiz && quiz->vars.empty() && quiz->again.empty())
        given.hasInstance = false;
    return given;
}

Result<std::vector<AnswerGiven>> fillingsOf(const WorksheetBlock& block, Learner learner, const GivenLookup& lookup)
{
    const auto solved = solveSheet(block, 0, lookup);
    if (!solved)
        return solved.error();
    std::vector<AnswerGiven> rows;
    const auto start = [&](int instance) {
        AnswerGiven row;
        row.instance = instance;
        row.hasInstance = true;
        row.vars = varsOf(block, instance);
        return row;
    };
    /// The numbers `given` to the instance, cell by cell: the next cell opens when the last one is right.
    const auto fill = [&](int instance, const std::map<std::string, double>& right, const auto& given) {
        AnswerGiven row = start(instance);
        for (const WorksheetCell& cell : block.cells) {
            row.cell = cell.name;
            row.number = given(cell);
            if (isCellRight(cell, right.at(cell.name), *row.number))
                row.cells[cell.name] = *row.number;
            rows.push_back(row);
            if (!row.cells.contains(cell.name))
                break;
        }
    };
    const auto known = [&](const WorksheetCell& cell) { return solved->at(cell.name); };
    const auto beside = [&](const WorksheetCell& cell) { return 2 * solved->at(cell.name) + 1; };
    if (learner == Learner::Ideal) {
        fill(0, *solved, known);
        return rows;
    }
    fill(0, *solved, beside);
    if (learner == Learner::Wrong)
        return rows;
    AnswerGiven shown = start(0);
    shown.shown = true;
    rows.push_back(std::move(shown));
    fill(0, *solved, known);
    if (instancesOf(block) > 1)
        if (const auto other = solveSheet(block, 1, lookup); other)
            fill(1, *other, known);
    return rows;
}

AnswerGiven curveOf(const DrawBlock& block, Learner learner, std::vector<std::pair<double, double>> results)
{
    AnswerGiven given;
    const double middle = block.logScale ? std::sqrt(block.min * block.max) : (block.min + block.max) / 2;
    for (auto& [x, y] : results)
        y = learner != Learner::Wrong ? std::clamp(y, block.min, block.max) : middle;
    given.curve = std::move(results);
    return given;
}

std::vector<ParamSet> attemptsAt(const ChallengeBlock& block, Learner learner)
{
    if (learner != Learner::Ideal)
        return {block.set};
    std::vector<ParamSet> attempts;
    for (ParamSet attempt : block.solution) {
        attempt.insert(block.set.begin(), block.set.end());
        attempts.push_back(std::move(attempt));
    }
    return attempts;
}

std::vector<ChallengeTry> triesOf(const ChallengeBlock& block)
{
    std::vector<ChallengeTry> tries;
    for (const ParamSet& point : block.solution) {
        ChallengeTry one{point, {}};
        for (const std::string& control : block.controls)
            if (auto moved = takesSeveral(control) ? one.set.extract(controlName(control)) : ParamSet::node_type())
                one.several[moved.key()] = {std::move(moved.mapped())};
        const auto same = std::ranges::find(tries, one.set, &ChallengeTry::set);
        if (one.several.empty() || same == tries.end()) {
            tries.push_back(std::move(one));
            continue;
        }
        for (auto& [name, values] : one.several)
            if (std::ranges::find(same->several[name], values.front()) == same->several[name].end())
                same->several[name].push_back(std::move(values.front()));
    }
    return tries;
}

int clicksOf(const Lesson& lesson)
{
    static const std::set<std::string> kOne = {"predict", "draw", "run", "artifact", "compare"};
    int clicks = 0;
    for (const Block* block : lesson.blocks()) {
        if (const auto* sweep = std::get_if<SweepBlock>(&block->body))
            clicks += timesToRun(lesson, *sweep);
        else if (const auto* challenge = std::get_if<ChallengeBlock>(&block->body))
            clicks += static_cast<int>(triesOf(*challenge).size());
        else
            clicks += kOne.contains(block->kind);
    }
    return clicks;
}

std::string simulatorOf(const Lesson& lesson, const CompareBlock& block)
{
    if (!block.simulator.empty())
        return block.simulator;
    const TargetKind* kind = kindOf(lesson.target);
    return kind && !kind->onHardware ? lesson.target : kDefaultSimulator;
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
