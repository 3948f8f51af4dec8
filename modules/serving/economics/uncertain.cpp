// SPDX-License-Identifier: GPL-3.0-or-later
#include "serving/economics/uncertain.h"

#include <algorithm>
#include <cmath>

namespace ridge::serving {

double percentileOf(std::span<const double> sorted, double share)
{
    if (sorted.empty())
        return 0;
    const double place = share * static_cast<double>(sorted.size() - 1);
    const auto low = static_cast<std::size_t>(place);
    const std::size_t high = std::min(low + 1, sorted.size() - 1);
    return sorted[low] + (place - static_cast<double>(low)) * (sorted[high] - sorted[low]);
}

std::uint64_t callsBeforeDraws(std::span<const UncertainInput> inputs)
{
    std::uint64_t calls = 1;
    for (const UncertainInput& each : inputs)
        calls += each.spread > 0 ? 2 : 0;
    return calls;
}

UncertainResult explore(std::span<const UncertainInput> inputs, const Formula& formula, std::uint64_t samples, Rng& rng)
{
    UncertainResult out;
    std::vector<double> at;
    for (const UncertainInput& each : inputs)
        at.push_back(each.value);
    out.middle = formula(at);
    const auto bounded = [](const UncertainInput& input, double value) {
        return input.most > 0 ? std::min(value, input.most) : value;
    };
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const UncertainInput& input = inputs[i];
        if (input.spread <= 0)
            continue;
        Swing swing{input.name, 0, 0};
        at[i] = bounded(input, input.value * (1 - input.spread));
        swing.low = formula(at);
        at[i] = bounded(input, input.value * (1 + input.spread));
        swing.high = formula(at);
        at[i] = input.value;
        out.swings.push_back(swing);
    }
    std::stable_sort(out.swings.begin(), out.swings.end(),
                     [](const Swing& a, const Swing& b) { return a.width() > b.width(); });
    std::vector<double> drawn;
    drawn.reserve(samples);
    for (std::uint64_t n = 0; n < std::max<std::uint64_t>(samples, 1); ++n) {
        for (std::size_t i = 0; i < inputs.size(); ++i) // the sum of two even draws is a triangle
            at[i] =
                inputs[i].spread > 0
                    ? bounded(inputs[i], inputs[i].value * (1 + inputs[i].spread * (rng.uniform() + rng.uniform() - 1)))
                    : inputs[i].value;
        drawn.push_back(formula(at));
        out.mean += drawn.back();
    }
    out.mean /= static_cast<double>(drawn.size());
    std::sort(drawn.begin(), drawn.end());
    out.p5 = percentileOf(drawn, 0.05);
    out.p50 = percentileOf(drawn, 0.5);
    out.p95 = percentileOf(drawn, 0.95);
    return out;
}

} // namespace ridge::serving
