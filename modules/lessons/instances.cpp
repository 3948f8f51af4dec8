// SPDX-License-Identifier: GPL-3.0-or-later
#include "lessons/instances.h"

#include "lessons/placeholders.h"
#include "lessons/text.h"

#include "base/formula.h"
#include "base/units.h"

#include <algorithm>
#include <numeric>

namespace ridge::lessons {
namespace {

const QuizBlock& variantOf(const QuizBlock& quiz, int variant)
{
    const bool there = variant > 0 && static_cast<std::size_t>(variant) <= quiz.again.size();
    return there ? quiz.again[static_cast<std::size_t>(variant) - 1] : quiz;
}

std::uint64_t mixed(std::uint64_t x)
{
    x += 0x9e3779b97f4a7c15ULL; // splitmix64
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
}

std::optional<std::string> replacement(std::string_view inside, const ParamSet& values)
{
    if (inside.starts_with('=')) {
        const Result<double> value = ridge::evaluateFormula(inside.substr(1), values);
        return value.ok() ? std::optional(formatNumber(*value)) : std::nullopt;
    }
    const auto found = values.find(std::string(inside));
    if (found == values.end())
        return std::nullopt;
    const std::optional<double> number = asNumber(found->second);
    return number ? formatNumber(*number) : toText(found->second);
}

/// Every `{{…}}` with what stands between, in order; `take` gives the text in its place, or nothing to leave it.
template<class Take>
std::string throughBraces(std::string_view text, Take take)
{
    std::string out;
    std::size_t at = 0;
    while (at < text.size()) {
        const std::size_t open = text.find("{{", at);
        const std::size_t close = open == std::string_view::npos ? open : text.find("}}", open + 2);
        if (close == std::string_view::npos)
            break;
        out.append(text.substr(at, open - at));
        const std::string_view inside = trimmed(text.substr(open + 2, close - open - 2));
        const std::optional<std::string> put = take(inside);
        out.append(put ? *put : std::string(text.substr(open, close + 2 - open)));
        at = close + 2;
    }
    out.append(text.substr(std::min(at, text.size())));
    return out;
}

void fill(std::string& text, const ParamSet& values)
{
    text = filledText(text, values);
}

bool fill(Misconception& wrong, const ParamSet& values)
{
    fill(wrong.says, values);
    fill(wrong.explains, values);
    if (wrong.formula.empty())
        return false;
    if (const Result<double> value = ridge::evaluateFormula(wrong.formula, values); value.ok()) {
        wrong.value = *value;
        wrong.formula.clear();
    }
    return true;
}

QuizInstance instanceOf(const EvidenceAnswer& answer)
{
    return {answer.given.variant, answer.given.vars};
}

std::vector<const EvidenceAnswer*> inOrder(std::vector<const EvidenceAnswer*> answers)
{
    std::stable_sort(answers.begin(), answers.end(), [](const auto* a, const auto* b) { return a->seq < b->seq; });
    return answers;
}

/// The newest answer to an instance; null: it was not used.
const EvidenceAnswer* lastUse(const QuizInstance& instance, const std::vector<const EvidenceAnswer*>& answers)
{
    const EvidenceAnswer* last = nullptr;
    for (const EvidenceAnswer* answer : answers)
        if (instanceOf(*answer) == instance && (!last || answer->seq >= last->seq))
            last = answer;
    return last;
}

bool longAgo(const EvidenceAnswer& last, std::int64_t time)
{
    return time > 0 && last.time > 0 && time - last.time >= kCountsAgainAfter;
}

/// What tells whether two instances have the same answer.
std::string rightAnswerOf(const QuizBlock& quiz, const QuizInstance& instance)
{
    const QuizBlock one = filled(quiz, instance);
    if (one.number)
        return formatNumber(*one.number);
    const auto right = std::find_if(one.choices.begin(), one.choices.end(), [](const auto& c) { return c.correct; });
    return std::to_string(right - one.choices.begin());
}

} // namespace

std::vector<QuizInstance> instancesOf(const QuizBlock& quiz)
{
    std::vector<QuizInstance> list;
    for (int variant = 0; variant <= static_cast<int>(quiz.again.size()); ++variant) {
        const QuizBlock& one = variantOf(quiz, variant);
        for (const ParamSet& vars : one.vars)
            list.push_back({variant, vars});
        if (one.vars.empty())
            list.push_back({variant, {}});
    }
    return list;
}

std::string filledText(std::string_view text, const ParamSet& values)
{
    return throughBraces(text, [&](std::string_view inside) { return replacement(inside, values); });
}

std::vector<std::string> unfilledIn(std::string_view text, const ParamSet& values)
{
    std::vector<std::string> left;
    (void)throughBraces(text, [&](std::string_view inside) -> std::optional<std::string> {
        const bool formula = inside.starts_with('=');
        if ((formula || inside.find(':') == std::string_view::npos) && !replacement(inside, values))
            left.push_back("{{" + std::string(inside) + "}}");
        return std::nullopt;
    });
    return left;
}

QuizBlock filled(const QuizBlock& quiz, const QuizInstance& instance)
{
    QuizBlock one = variantOf(quiz, instance.variant);
    one.recalls = quiz.recalls;
    one.instead = quiz.instead;
    one.again.clear();
    one.vars.clear();
    const ParamSet& values = instance.vars;
    fill(one.question, values);
    fill(one.explains, values);
    for (Misconception& wrong : one.misconceptions)
        fill(wrong, values);
    for (QuizChoice& choice : one.choices) {
        fill(choice.text, values);
        fill(choice.explains, values);
    }
    if (!one.formula.empty())
        if (const Result<double> value = ridge::evaluateFormula(one.formula, values); value.ok()) {
            one.number = *value;
            one.formula.clear();
        }
    if (one.number && one.tolerancePercent > 0) {
        one.tolerance = std::max(one.tolerance, std::abs(*one.number) * one.tolerancePercent / 100);
        one.tolerancePercent = 0;
    }
    if (!one.answer.empty())
        if (const Result<double> value = ridge::evaluateFormula(one.answer, values); value.ok()) {
            for (std::size_t i = 0; i < one.choices.size(); ++i)
                one.choices[i].correct = *value == static_cast<double>(i + 1);
            one.answer.clear();
        }
    // In this instance a wrong idea may lead to the right number: then nobody can be told from it.
    std::erase_if(one.misconceptions, [&](const Misconception& wrong) {
        return one.number && std::abs(wrong.value - *one.number) <= one.tolerance + 1e-9 * std::abs(*one.number);
    });
    return one;
}

PredictBlock filled(const PredictBlock& predict, const ParamSet& point)
{
    PredictBlock one = predict;
    for (const auto& [name, value] : point)
        one.at[name] = value;
    one.vary.clear();
    const bool authored = matches(one.at, predict.at);
    std::string now;
    for (const auto& [name, value] : one.at)
        if (const auto was = predict.at.find(name);
            (was == predict.at.end() || !matches({{name, value}}, {{name, was->second}})) &&
            predict.question.find("{{" + name + "}}") == std::string::npos)
            now += (now.empty() ? " Now at " : ", ") + name + " = " + toText(value);
    fill(one.question, one.at);
    if (!now.empty())
        one.question += now + ".";
    fill(one.mechanism, one.at);
    std::vector<Misconception> wrongs;
    for (Misconception wrong : one.misconceptions)
        if (fill(wrong, one.at) || authored)
            wrongs.push_back(std::move(wrong));
    one.misconceptions = std::move(wrongs);
    return one;
}

std::vector<std::size_t> drawOrder(std::size_t count, std::uint64_t seed)
{
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (seed == 0)
        return order;
    for (std::size_t i = count; i > 1; --i) {
        seed = mixed(seed);
        std::swap(order[i - 1], order[static_cast<std::size_t>(seed % i)]);
    }
    return order;
}

std::uint64_t drawSeed(std::string_view recordId, std::string_view lesson, std::string_view block)
{
    if (recordId.empty())
        return 0;
    std::uint64_t hash = 0xcbf29ce484222325ULL; // FNV-1a
    for (const std::string_view part : {recordId, lesson, block}) {
        for (const char c : part)
            hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
        hash = (hash ^ 0xffU) * 0x100000001b3ULL;
    }
    return mixed(hash) | 1;
}

QuizInstance nextInstance(const QuizBlock& quiz, const std::vector<const EvidenceAnswer*>& answers, std::uint64_t seed)
{
    const std::vector<QuizInstance> all = instancesOf(quiz);
    const std::vector<const EvidenceAnswer*> ordered = inOrder(answers);
    const std::string before = ordered.empty() ? "" : rightAnswerOf(quiz, instanceOf(*ordered.back()));
    const QuizInstance* unused = nullptr;
    const QuizInstance* oldest = nullptr;
    std::int64_t oldestSeq = 0;
    for (const std::size_t i : drawOrder(all.size(), seed)) {
        const EvidenceAnswer* used = lastUse(all[i], ordered);
        if (!used && (ordered.empty() || rightAnswerOf(quiz, all[i]) != before))
            return all[i];
        if (!used && !unused)
            unused = &all[i];
        if (used && (!oldest || used->seq < oldestSeq)) {
            oldest = &all[i];
            oldestSeq = used->seq;
        }
    }
    return unused ? *unused : *oldest;
}

QuizStanding quizStanding(const QuizBlock& quiz, const std::vector<const EvidenceAnswer*>& answers, std::uint64_t seed)
{
    QuizStanding standing;
    const std::vector<const EvidenceAnswer*> ordered = inOrder(answers);
    for (const EvidenceAnswer* answer : ordered)
        standing.attempts += answer->given.shown ? 0 : 1;
    if (ordered.empty()) {
        standing.instance = nextInstance(quiz, {}, seed);
        return standing;
    }
    standing.first = ordered.front()->correct;
    const EvidenceAnswer& last = *ordered.back();
    standing.instance = instanceOf(last);
    standing.last = &last;
    standing.state = last.correct ? QuizState::Solved : last.given.shown ? QuizState::Shown : QuizState::Wrong;
    return standing;
}

bool wouldCount(const QuizInstance& instance, const std::vector<const EvidenceAnswer*>& answers, std::int64_t time)
{
    const EvidenceAnswer* last = lastUse(instance, answers);
    return !last || longAgo(*last, time);
}

bool answeredRight(const QuizBlock& quiz, const std::vector<const EvidenceAnswer*>& answers)
{
    std::vector<const EvidenceAnswer*> before;
    int inARow = 0;
    for (const EvidenceAnswer* answer : inOrder(answers)) {
        if (!answer->given.hasInstance && answer->correct)
            return true;
        const bool counts = wouldCount(instanceOf(*answer), before, answer->time);
        if (!answer->correct) {
            inARow = 0;
        } else if (counts) {
            ++inARow;
            const bool choices = !variantOf(quiz, answer->given.variant).choices.empty();
            if (!choices || before.empty() || inARow > 1)
                return true;
        }
        before.push_back(answer);
    }
    return false;
}

} // namespace ridge::lessons
