// SPDX-License-Identifier: GPL-3.0-or-later
#include "transformer/speculation.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ridge::transformer {
namespace {

/// The distribution that tokens are taken from; at temperature 0 all on the likeliest.
std::vector<double> distribution(std::span<const float> logits, double temperature)
{
    if (temperature > 0)
        return probabilities(logits, temperature);
    std::vector<double> one(logits.size(), 0.0);
    one[likeliest(logits)] = 1;
    return one;
}

class ModelDraft : public Draft {
public:
    explicit ModelDraft(const Model& model) : m_decoder(model), m_vocabulary(model.shape.vocabulary) {}
    Result<std::vector<double>> next(std::span<const Token> text, double temperature) override
    {
        const auto both = std::min(text.size() - 1, m_read.size()); // one is read at least
        const auto differ =
            std::mismatch(m_read.begin(), m_read.begin() + static_cast<std::ptrdiff_t>(both), text.begin());
        const auto same = static_cast<std::size_t>(differ.first - m_read.begin());
        m_decoder.rewind(same);
        const auto logits = m_decoder.run(text.subspan(same));
        if (!logits) {
            m_read.resize(std::min(m_read.size(), same));
            return logits.error();
        }
        m_read.assign(text.begin(), text.end());
        return distribution(logits->last(m_vocabulary), temperature);
    }

private:
    Decoder m_decoder;
    std::size_t m_vocabulary;
    std::vector<Token> m_read;
};

class TextDraft : public Draft {
public:
    TextDraft(std::uint32_t vocabulary, std::vector<Token> known, std::size_t length)
        : m_vocabulary(vocabulary), m_known(std::move(known)), m_length(length)
    {
    }
    Result<std::vector<double>> next(std::span<const Token> text, double) override
    {
        std::vector<Token> all = m_known;
        all.insert(all.end(), text.begin(), text.end());
        for (std::size_t length = std::min(m_length, text.size()); length > 0; --length) {
            const auto suffix = all.end() - static_cast<std::ptrdiff_t>(length);
            const auto found = std::find_end(all.begin(), all.end() - 1, suffix, all.end()); // the latest
            if (found == all.end() - 1)
                continue;
            std::vector<double> one(m_vocabulary, 0.0);
            one[*(found + static_cast<std::ptrdiff_t>(length))] = 1;
            return one;
        }
        return std::vector<double>(m_vocabulary, 1.0 / m_vocabulary);
    }

private:
    std::uint32_t m_vocabulary;
    std::vector<Token> m_known;
    std::size_t m_length;
};

/// P(X >= x) of the chi-square distribution: the regularised upper incomplete gamma function Q(k / 2, x / 2).
double chiSquareTail(double x, double freedom)
{
    const double a = freedom / 2, z = x / 2;
    if (z <= 0)
        return 1;
    const double front = std::exp(a * std::log(z) - z - std::lgamma(a));
    if (z < a + 1) { // the series of P
        double term = 1 / a, sum = term;
        for (int n = 1; n < 10000 && term > sum * 1e-16; ++n) {
            term *= z / (a + n);
            sum += term;
        }
        return 1 - front * sum;
    }
    // The continued fraction of Q, from behind: z + 1 - a - 1 (1 - a) / (z + 3 - a - 2 (2 - a) / …
    double fraction = 0;
    for (int n = 1000; n > 0; --n)
        fraction = n * (a - n) / (z + 2 * n + 1 - a + fraction);
    return front / (z + 1 - a + fraction);
}

} // namespace

std::unique_ptr<Draft> makeModelDraft(const Model& model)
{
    return std::make_unique<ModelDraft>(model);
}

std::unique_ptr<Draft> makeTextDraft(std::uint32_t vocabulary, std::vector<Token> known, std::size_t length)
{
    return std::make_unique<TextDraft>(vocabulary, std::move(known), length);
}

Result<Generated> generate(Decoder& target, std::span<const Token> prompt, std::size_t count, double temperature,
                           Rng& rng)
{
    Generated out;
    target.rewind(0);
    auto logits = target.run(prompt);
    while (logits && out.tokens.size() < count) {
        const std::size_t vocabulary = target.vocabulary();
        const auto p = distribution(logits->last(vocabulary), temperature);
        out.tokens.push_back(temperature > 0 ? sample(p, rng) : likeliest(logits->last(vocabulary)));
        if (out.tokens.size() == count)
            break;
        logits = target.run(std::span(out.tokens).last(1));
        ++out.targetRuns;
    }
    if (!logits)
        return logits.error();
    return out;
}

Result<Generated> generateSpeculatively(Decoder& target, Draft& draft, std::span<const Token> prompt, std::size_t count,
                                        const SpeculativeOptions& options, Rng& rng)
{
    Generated out;
    if (count == 0)
        return out;
    const std::size_t vocabulary = target.vocabulary();
    const bool greedy = !(options.temperature > 0);
    const auto take = [&](std::span<const double> p) {
        return greedy ? static_cast<Token>(std::max_element(p.begin(), p.end()) - p.begin()) : sample(p, rng);
    };
    std::vector<Token> text(prompt.begin(), prompt.end());
    target.rewind(0);
    auto logits = target.run(prompt);
    if (!logits)
        return logits.error();
    text.push_back(take(distribution(logits->last(vocabulary), options.temperature)));
    while (text.size() < prompt.size() + count) {
        // The target has read all but the last token.
        const std::size_t start = text.size();
        const std::size_t length = std::min(options.draftLength, prompt.size() + count - start - 1);
        std::vector<std::vector<double>> proposed;
        for (std::size_t i = 0; i < length; ++i) {
            auto q = draft.next(text, options.temperature);
            if (!q)
                return q.error();
            ++out.draftRuns;
            text.push_back(take(*q));
            proposed.push_back(std::move(*q));
        }
        target.rewind(start - 1);
        logits = target.run(std::span(text).subspan(start - 1));
        if (!logits)
            return logits.error();
        ++out.targetRuns;
        std::size_t kept = 0;
        bool refused = false;
        std::vector<double> p;
        for (; kept < length && !refused; ++kept) {
            p = distribution(logits->subspan(kept * vocabulary, vocabulary), options.temperature);
            const std::vector<double>& q = proposed[kept];
            const Token token = text[start + kept];
            ++out.proposed;
            for (std::size_t i = 0; i < vocabulary; ++i)
                out.overlap += std::min(p[i], q[i]);
            if (greedy ? p[token] > 0 : rng.uniform() * q[token] < p[token]) {
                ++out.accepted;
                continue;
            }
            refused = true;
            double sum = 0;
            for (std::size_t i = 0; i < vocabulary; ++i)
                sum += p[i] = std::max(0.0, p[i] - q[i]);
            for (double& rest : p)
                rest /= sum;
            break;
        }
        if (!refused)
            p = distribution(logits->subspan(length * vocabulary, vocabulary), options.temperature);
        text.resize(start + kept);
        text.push_back(take(p));
    }
    out.tokens.assign(text.begin() + static_cast<std::ptrdiff_t>(prompt.size()), text.end());
    return out;
}

double expectedTokens(double acceptance, std::size_t draftLength)
{
    double sum = 0, power = 1;
    for (std::size_t i = 0; i <= draftLength; ++i, power *= acceptance)
        sum += power;
    return sum;
}

double expectedSpeedup(double acceptance, std::size_t draftLength, double costRatio)
{
    return expectedTokens(acceptance, draftLength) / (static_cast<double>(draftLength) * costRatio + 1);
}

ChiSquare chiSquare(std::span<const std::uint64_t> counts, std::span<const double> probabilities)
{
    double all = 0;
    for (const std::uint64_t count : counts)
        all += static_cast<double>(count);
    ChiSquare out;
    double rare = 0, rareExpected = 0;
    std::size_t classes = 0;
    const auto add = [&](double count, double expected) {
        out.statistic += (count - expected) * (count - expected) / expected;
        ++classes;
    };
    for (std::size_t i = 0; i < counts.size(); ++i) {
        const double expected = all * probabilities[i];
        if (expected >= 5) {
            add(static_cast<double>(counts[i]), expected);
        } else {
            rare += static_cast<double>(counts[i]);
            rareExpected += expected;
        }
    }
    if (rareExpected > 0 && (rareExpected >= 1 || rare > 0))
        add(rare, rareExpected);
    else if (rare > 0)
        out.statistic = std::numeric_limits<double>::infinity(); // what cannot be was drawn
    out.freedom = classes > 0 ? classes - 1 : 0;
    if (std::isinf(out.statistic))
        out.chance = 0;
    else if (out.freedom > 0)
        out.chance = chiSquareTail(out.statistic, static_cast<double>(out.freedom));
    return out;
}

} // namespace ridge::transformer
