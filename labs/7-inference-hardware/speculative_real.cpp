// SPDX-License-Identifier: GPL-3.0-or-later
// Lesson 7.6: a real draft and a real target. What is accepted, and that the output stays.
#include "base/target_choice.h"
#include "labs/catalogue.h"
#include "labs/harness/declare.h"
#include "labs/harness/small_models.h"
#include "transformer/speculation.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>

namespace ridge::labs {
namespace {

constexpr const char* kSmallModel = "model"; ///< the draft that is a smaller transformer

using namespace transformer;

constexpr std::size_t kPrompt = 32; // bytes of held-out text
constexpr std::size_t kMostRounds = 20000;
constexpr double kUnlikely = 1e-4; // a chance below it fails the check

std::vector<ParamSpec> parameters()
{
    return {
        choiceParam("draft", "Draft", {kSmallModel, "text", "target"}, kSmallModel,
                    "model: our smaller one, a nineteenth of the weights. text: what followed the same bytes in the "
                    "text so far and in text that the models were trained on. target: the model itself, of which "
                    "everything is accepted."),
        integerParam("draft_length", "Draft length", "tokens", 1, 16, 4, ParamScale::Linear,
                     "Proposed before the target looks."),
        integerParam("temperature", "Temperature", "%", 0, 200, 0, ParamScale::Linear,
                     "0: always the likeliest byte. 100: as the model says."),
        integerParam("prompts", "Prompts", "", 1, 200, 16, ParamScale::Log2, "Places of the held-out text."),
        integerParam("tokens", "Tokens", "tokens", 2, 96, 64, ParamScale::Log2, "Generated after each prompt of 32."),
        integerParam("rounds", "Rounds", "", 0, static_cast<double>(kMostRounds), 1000, ParamScale::Log2,
                     "With a temperature: how often the first two bytes are drawn again for the test of their "
                     "distribution. 0: no test.")};
}

std::vector<MetricSpec> metrics()
{
    return {{"acceptance", "Accepted", "1", "Of the proposed tokens that the target judged."},
            {"overlap", "Overlap", "1",
             "What the distributions of draft and target share, on average: what theory calls the acceptance."},
            {"tokens_per_step", "Tokens a step", "tokens", "For each run of the target after the prompt."},
            {"tokens_per_step_formula", "Tokens a step, formula", "tokens",
             "(1 - a^(g + 1)) / (1 - a) with the acceptance, as if each token's were independent."},
            {"target_runs", "Runs of the target", "1", "All prompts together."},
            {"draft_runs", "Runs of the draft", "1", "All prompts together."},
            {"cost_ratio", "Cost of a draft's run", "1", "Over one of the target, by weights that are read."},
            {"speedup", "Speed-up by weights read", "1",
             "Tokens a step over 1 + draft length x cost ratio: where reading weights takes the time."},
            {"chi_square", "Chi-square", "1", "Of the second byte over many rounds against its exact distribution."},
            {"chance", "Chance of it", "1", "Of a value as large where the distribution is right."},
            {"measured_speedup", "Measured speed-up", "1",
             "Time of the target alone over time with the draft, here, where arithmetic takes the time."},
            {"tokens_per_second", "Tokens a second", "1/s", "With the draft."}};
}

class SpeculativeReal : public Experiment {
public:
    SpeculativeReal()
    {
        m_info.id = "speculative_real";
        m_info.title = "Speculative decoding with real models";
        m_info.module = 7;
        m_info.summary = "Generates text with a draft and a target of our own, and holds it against the target alone.";
        m_info.parameters = parameters();
        m_info.targets = {kModelTarget, "cpu"};
        m_info.metrics = metrics();
        m_info.charts = {{"tokens_over_length", "Tokens a step over draft length", "draft_length", "tokens_per_step"},
                         {"speedup_over_length", "Speed-up over draft length", "draft_length", "speedup"},
                         {"acceptance_over_temperature", "Acceptance over temperature", "temperature", "acceptance"}};
        m_info.limits = {{"tokens_per_step", "everything accepted", "upper", "draft length + 1",
                          "each run of the target adds one token of its own (Leviathan et al. 2023)"}};
    }
    const ExperimentInfo& info() const override { return m_info; }
    Result<void> run(const ParamSet& params, RunContext& context) const override;

private:
    ExperimentInfo m_info;
};

struct Setting {
    Model target, small;
    std::vector<Token> text, known;
    std::string draft;
    double temperature = 0;
    std::size_t length = 0, prompts = 0, tokens = 0;

    SpeculativeOptions options() const { return {length, temperature}; }
    std::unique_ptr<Draft> makeDraft() const
    {
        if (draft == "text")
            return makeTextDraft(target.shape.vocabulary, known, 6);
        return makeModelDraft(draft == kSmallModel ? small : target);
    }
    std::span<const Token> prompt(std::size_t number) const
    {
        const std::size_t apart = (text.size() - kPrompt) / prompts;
        return std::span(text).subspan(number * apart, kPrompt);
    }
    /// Weights that a run of the draft reads for one that the target reads.
    double costRatio() const
    {
        if (draft == "text")
            return 0;
        return draft == "target" ? 1 : static_cast<double>(small.weights()) / static_cast<double>(target.weights());
    }
};

Result<Setting> settingOf(const ParamSet& params)
{
    auto target = smallModel("small"), small = smallModel("draft");
    for (const auto* each : {&target, &small})
        if (!*each)
            return each->error();
    auto text = heldOutText(*target), known = calibrationText(*target);
    for (const auto* each : {&text, &known})
        if (!*each)
            return each->error();
    return Setting{std::move(*target),
                   std::move(*small),
                   std::move(*text),
                   std::move(*known),
                   choice(params, "draft"),
                   static_cast<double>(integer(params, "temperature")) / 100,
                   integer(params, "draft_length"),
                   integer(params, "prompts"),
                   integer(params, "tokens")};
}

/// The second byte after a prompt, drawn many times, against its distribution over all first bytes.
Result<ChiSquare> testOf(const Setting& setting, std::size_t rounds, RunContext& context)
{
    Decoder target(setting.target);
    const std::size_t vocabulary = target.vocabulary();
    std::span<const Token> prompt;
    std::vector<double> first;
    double least = 2;
    for (std::size_t i = 0; i < setting.prompts; ++i) { // where the model is least sure, so that there is much to test
        target.rewind(0);
        const auto logits = target.run(setting.prompt(i));
        if (!logits)
            return logits.error();
        auto p = probabilities(logits->last(vocabulary), setting.temperature);
        if (const double most = *std::max_element(p.begin(), p.end()); most < least) {
            least = most;
            prompt = setting.prompt(i);
            first = std::move(p);
        }
    }
    target.rewind(0);
    if (auto read = target.run(prompt); !read)
        return read.error();
    std::vector<double> wanted(vocabulary, 0.0);
    for (std::size_t token = 0; token < vocabulary; ++token) {
        const Token one = static_cast<Token>(token);
        target.rewind(prompt.size());
        const auto after = target.run({&one, 1});
        if (!after)
            return after.error();
        const auto second = probabilities(*after, setting.temperature);
        for (std::size_t i = 0; i < vocabulary; ++i)
            wanted[i] += first[token] * second[i];
    }
    const auto draft = setting.makeDraft();
    std::vector<std::uint64_t> counts(vocabulary);
    for (std::size_t round = 0; round < rounds; ++round) {
        if (context.cancelled())
            return Error{"cancelled", "the run was cancelled", "testing the distribution", ""};
        const auto out = generateSpeculatively(target, *draft, prompt, 3, setting.options(), context.rng());
        if (!out)
            return out.error();
        ++counts[out->tokens[1]];
        if (round % 100 == 0)
            context.progress(0.5 + 0.5 * static_cast<double>(round) / static_cast<double>(rounds), "testing");
    }
    return chiSquare(counts, wanted);
}

double secondsSince(std::chrono::steady_clock::time_point start)
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

Result<void> SpeculativeReal::run(const ParamSet& params, RunContext& context) const
{
    const auto setting = settingOf(params);
    if (!setting)
        return setting.error();
    Decoder target(setting->target);
    const auto draft = setting->makeDraft();
    Generated all;
    std::size_t same = 0, generated = 0;
    double alone = 0, together = 0;
    std::string text;
    for (std::size_t i = 0; i < setting->prompts; ++i) {
        if (context.cancelled())
            return Error{"cancelled", "the run was cancelled", "generating", ""};
        context.progress(0.5 * static_cast<double>(i) / static_cast<double>(setting->prompts), "generating");
        auto start = std::chrono::steady_clock::now();
        const auto plain = generate(target, setting->prompt(i), setting->tokens, setting->temperature, context.rng());
        alone += secondsSince(start);
        start = std::chrono::steady_clock::now();
        const auto fast = generateSpeculatively(target, *draft, setting->prompt(i), setting->tokens, setting->options(),
                                                context.rng());
        together += secondsSince(start);
        for (const auto* each : {&plain, &fast})
            if (!*each)
                return each->error();
        same += plain->tokens == fast->tokens;
        generated += fast->tokens.size();
        all.targetRuns += fast->targetRuns;
        all.draftRuns += fast->draftRuns;
        all.proposed += fast->proposed;
        all.accepted += fast->accepted;
        all.overlap += fast->overlap;
        if (i == 0)
            text = textOf(setting->target, setting->prompt(0)) + "|" + textOf(setting->target, fast->tokens);
    }
    context.log("the first prompt and what followed: " + text);
    const auto tell = [&](const char* name, double value) { context.metric(name, value, Provenance::Modelled); };
    const auto proposed = static_cast<double>(all.proposed);
    const double acceptance = proposed > 0 ? static_cast<double>(all.accepted) / proposed : 0;
    // The first token of each prompt is of the run that reads it.
    const double perStep = static_cast<double>(generated - setting->prompts) /
                           static_cast<double>(std::max<std::uint64_t>(1, all.targetRuns));
    tell("acceptance", acceptance);
    tell("overlap", proposed > 0 ? all.overlap / proposed : 0);
    tell("tokens_per_step", perStep);
    tell("tokens_per_step_formula", expectedTokens(acceptance, setting->length));
    tell("target_runs", static_cast<double>(all.targetRuns));
    tell("draft_runs", static_cast<double>(all.draftRuns));
    tell("cost_ratio", setting->costRatio());
    tell("speedup", perStep / (1 + static_cast<double>(setting->length) * setting->costRatio()));
    context.limit("tokens_per_step", static_cast<double>(setting->length) + 1);
    if (setting->temperature == 0)
        context.check(
            "same output", same == setting->prompts,
            fmt::format("{} of {} texts are those of the target alone, token for token", same, setting->prompts));
    if (context.target().kind->provenance == Provenance::Measured) {
        context.metric("measured_speedup", alone / together, Provenance::Measured);
        context.metric("tokens_per_second", static_cast<double>(generated) / together, Provenance::Measured);
    }
    if (const std::size_t rounds = integer(params, "rounds"); setting->temperature > 0 && rounds > 0) {
        const auto test = testOf(*setting, rounds, context);
        if (!test)
            return test.error();
        tell("chi_square", test->statistic);
        tell("chance", test->chance);
        context.check("same distribution", test->chance > kUnlikely,
                      fmt::format("chi-square {:.1f} with {} degrees of freedom: a chance of {:.3g}", test->statistic,
                                  test->freedom, test->chance));
    }
    return {};
}

} // namespace

std::unique_ptr<Experiment> makeSpeculativeReal()
{
    return std::make_unique<SpeculativeReal>();
}

} // namespace ridge::labs
