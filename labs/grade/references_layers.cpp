// SPDX-License-Identifier: GPL-3.0-or-later
// What kernel tasks must give, on the CPU: layers of a model.
//
// What is no plain sum has a condition: magnitudes are what one relative error of a unit in every intermediate result
// can do to the result, to first order.
#include "labs/grade/task_inputs.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace ridge::labs {
namespace {

constexpr double kEpsilon = 1e-5; ///< what both norms add below the root

/// Results so small that a kernel may take them for 0.
constexpr double kVanishing = 0x1p-100;

Results rmsnorm(const Inputs& in)
{
    const std::size_t columns = in.size("columns");
    const auto x = in.buffer("x"), g = in.buffer("g");
    Expected y;
    for (std::size_t begin = 0; begin < x.size(); begin += columns) {
        double squares = 0;
        for (std::size_t i = begin; i < begin + columns; ++i)
            squares += x[i] * x[i];
        const double factor = 1 / std::sqrt(squares / static_cast<double>(columns) + kEpsilon);
        for (std::size_t i = 0; i < columns; ++i) {
            y.values.push_back(x[begin + i] * factor * g[i]);
            y.magnitudes.push_back(std::abs(y.values.back()));
        }
    }
    return {{"y", std::move(y)}};
}

Results layernorm(const Inputs& in)
{
    const std::size_t columns = in.size("columns");
    const auto x = in.buffer("x"), g = in.buffer("g"), b = in.buffer("b");
    const auto count = static_cast<double>(columns);
    Expected y;
    for (std::size_t begin = 0; begin < x.size(); begin += columns) {
        const std::span row(x.data() + begin, columns);
        double sum = 0, magnitude = 0, squares = 0, moved = 0;
        for (const double value : row) {
            sum += value;
            magnitude += std::abs(value);
        }
        const double mean = sum / count, size = magnitude / count;
        for (const double value : row) {
            squares += (value - mean) * (value - mean);
            moved += std::abs(value - mean) * (std::abs(value) + size); // what errors of value and mean do to squares
        }
        const double variance = squares / count + kEpsilon, factor = 1 / std::sqrt(variance);
        for (std::size_t i = 0; i < columns; ++i) {
            const double apart = row[i] - mean;
            y.values.push_back(apart * factor * g[i] + b[i]);
            y.magnitudes.push_back(std::abs(g[i]) * factor *
                                       (std::abs(row[i]) + size + std::abs(apart) * (1 + moved / count / variance)) +
                                   std::abs(b[i]));
        }
    }
    return {{"y", std::move(y)}};
}

/// Weights exp(s - largest) / sum of scores, each with the relative error that scores with these errors bring.
struct Weights {
    std::vector<double> shares, errors;
    double logarithm = 0; ///< of the sum of exp(s)
};
Weights softmaxOf(std::span<const double> scores, std::span<const double> scoreErrors)
{
    Weights weights;
    const double largest = *std::max_element(scores.begin(), scores.end());
    double sum = 0, spread = 0;
    for (const double score : scores)
        sum += std::exp(score - largest);
    for (std::size_t j = 0; j < scores.size(); ++j) {
        weights.shares.push_back(std::exp(scores[j] - largest) / sum);
        weights.errors.push_back(1 + largest - scores[j] + scoreErrors[j]);
        spread += weights.shares[j] * weights.errors[j];
    }
    for (double& error : weights.errors)
        error += spread;
    weights.logarithm = largest + std::log(sum);
    return weights;
}

Results softmax(const Inputs& in)
{
    const std::size_t columns = in.size("columns");
    const auto x = in.buffer("x");
    const std::vector<double> given(columns); // scores without an error
    Expected y;
    for (std::size_t begin = 0; begin < x.size(); begin += columns) {
        const Weights weights = softmaxOf({x.data() + begin, columns}, given);
        for (std::size_t i = 0; i < columns; ++i) {
            y.values.push_back(weights.shares[i]);
            y.magnitudes.push_back(weights.shares[i] * weights.errors[i] + kVanishing);
        }
    }
    return {{"y", std::move(y)}};
}

Results logsumexp(const Inputs& in)
{
    const std::size_t columns = in.size("columns");
    const auto x = in.buffer("x");
    const std::vector<double> given(columns);
    Expected out;
    for (std::size_t begin = 0; begin < x.size(); begin += columns) {
        const std::span row(x.data() + begin, columns);
        const Weights weights = softmaxOf(row, given);
        double spread = 0;
        for (std::size_t i = 0; i < columns; ++i)
            spread += weights.shares[i] * weights.errors[i];
        out.values.push_back(weights.logarithm);
        out.magnitudes.push_back(std::abs(*std::max_element(row.begin(), row.end())) + std::abs(weights.logarithm) +
                                 spread);
    }
    return {{"out", std::move(out)}};
}

constexpr std::size_t kHead = 32; ///< elements of a query of both attention tasks

/// One head from row `begin` on: query i looks at the keys before `keys(i)`.
template<class Keys>
void attend(const Inputs& in, std::size_t heads, std::size_t n, const Keys& keys, Expected& out)
{
    const auto q = in.buffer("q"), k = in.buffer("k"), v = in.buffer("v");
    for (std::size_t head = 0; head < heads; ++head)
        for (std::size_t i = 0; i < n; ++i) {
            std::vector<double> scores, errors;
            for (std::size_t j = 0; j < keys(i); ++j) {
                double score = 0, magnitude = 0;
                for (std::size_t d = 0; d < kHead; ++d) {
                    const double product = q[(head * n + i) * kHead + d] * k[(head * n + j) * kHead + d];
                    score += product;
                    magnitude += std::abs(product);
                }
                scores.push_back(score / std::sqrt(static_cast<double>(kHead)));
                errors.push_back(magnitude / std::sqrt(static_cast<double>(kHead)));
            }
            const Weights weights = softmaxOf(scores, errors);
            for (std::size_t d = 0; d < kHead; ++d) {
                double sum = 0, magnitude = 0;
                for (std::size_t j = 0; j < scores.size(); ++j) {
                    const double term = weights.shares[j] * v[(head * n + j) * kHead + d];
                    sum += term;
                    magnitude += std::abs(term) * weights.errors[j];
                }
                out.values.push_back(sum);
                out.magnitudes.push_back(magnitude + kVanishing);
            }
        }
}

Results attention(const Inputs& in)
{
    Expected out;
    attend(
        in, 1, in.size("n"), [](std::size_t i) { return i + 1; }, out);
    return {{"out", std::move(out)}};
}

Results flash(const Inputs& in)
{
    const std::size_t n = in.size("n");
    Expected out;
    attend(
        in, in.size("heads"), n, [n](std::size_t) { return n; }, out);
    return {{"out", std::move(out)}};
}

} // namespace

const References& layerReferences()
{
    static const References all{{"rmsnorm", rmsnorm},     {"layernorm", layernorm}, {"softmax", softmax},
                                {"logsumexp", logsumexp}, {"attention", attention}, {"flash", flash}};
    return all;
}

} // namespace ridge::labs
