// SPDX-License-Identifier: GPL-3.0-or-later
#include "serving/economics/speculative.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ridge::serving {

double tokensPerStep(double a, double g)
{
    return a >= 1 ? g + 1 : (1 - std::pow(a, g + 1)) / (1 - a);
}

double verificationCost(const SpeculativeSetting& s)
{
    const auto time = [&](double tokens) { return std::max(1.0, tokens / s.ridgeTokens); };
    return time((s.draftLength + 1) * s.batch) / time(s.batch);
}

double speculativeSpeedup(const SpeculativeSetting& s)
{
    return tokensPerStep(s.acceptance, s.draftLength) / (s.draftLength * s.costRatio + verificationCost(s));
}

int bestDraftLength(SpeculativeSetting s, int most)
{
    int best = 0;
    double greatest = 0;
    for (int g = 0; g <= most; ++g) {
        s.draftLength = g;
        if (const double speedup = speculativeSpeedup(s); speedup > greatest * (1 + 1e-12)) {
            greatest = speedup;
            best = g;
        }
    }
    return best;
}

double switchOffBatch(SpeculativeSetting s)
{
    // The check's cost never falls as the batch grows.
    const auto pays = [&](double batch) {
        s.batch = batch;
        return speculativeSpeedup(s) >= 1;
    };
    if (!pays(1))
        return 0;
    if (pays(kMostBatch))
        return kMostBatch;
    double low = 1, high = kMostBatch;
    while (high - low > 1) {
        const double middle = std::floor((low + high) / 2);
        (pays(middle) ? low : high) = middle;
    }
    return low;
}

SpeculativeRun simulateSpeculative(const SpeculativeSetting& s, std::uint64_t count, Rng& rng)
{
    SpeculativeRun run;
    const auto drafted = static_cast<std::uint64_t>(s.draftLength);
    run.steps.assign(drafted + 1, 0);
    double tokens = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
        std::uint64_t kept = 0;
        while (kept < drafted && rng.uniform() < s.acceptance)
            ++kept;
        ++run.steps[kept];
        tokens += static_cast<double>(kept) + 1;
    }
    run.tokensPerStep = tokens / static_cast<double>(count);
    run.speedup = run.tokensPerStep / (s.draftLength * s.costRatio + verificationCost(s));
    return run;
}

OutputTest testOutput(double acceptance, std::uint64_t count, Rng& rng)
{
    // The target gives tokens 0 to 5 in shares 1 to 6 of 21. The draft gives the same with probability `acceptance`,
    // else one of two tokens that the target never gives: then the overlap of the two is `acceptance`.
    constexpr std::array<double, 8> target{1 / 21.0, 2 / 21.0, 3 / 21.0, 4 / 21.0, 5 / 21.0, 6 / 21.0, 0, 0};
    std::array<double, 8> draft{}, rest{};
    double sum = 0;
    for (std::size_t i = 0; i < 8; ++i) {
        draft[i] = i < 6 ? acceptance * target[i] : (1 - acceptance) / 2;
        sum += rest[i] = std::max(0.0, target[i] - draft[i]);
    }
    const auto draw = [&](const std::array<double, 8>& shares, double whole) {
        double at = rng.uniform() * whole;
        std::size_t last = 0;
        for (std::size_t i = 0; i < 8; ++i) {
            if (shares[i] <= 0)
                continue;
            last = i;
            if ((at -= shares[i]) < 0)
                break;
        }
        return last;
    };
    std::array<double, 8> seen{};
    OutputTest test;
    for (std::uint64_t i = 0; i < count; ++i) {
        std::size_t token = draw(draft, 1);
        if (rng.uniform() * draft[token] < target[token])
            test.accepted += 1;
        else
            token = draw(rest, sum);
        ++seen[token];
    }
    test.accepted /= static_cast<double>(count);
    for (std::size_t i = 0; i < 8; ++i) {
        const double expected = target[i] * static_cast<double>(count);
        if (expected > 0)
            test.chiSquare += (seen[i] - expected) * (seen[i] - expected) / expected;
        else if (seen[i] > 0)
            test.chiSquare = INFINITY; // a token that the target never gives
    }
    test.freedom = 5;
    test.limit = 20.515; // chi-square tables: 5 degrees, 0.001
    return test;
}

} // namespace ridge::serving
