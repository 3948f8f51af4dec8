// SPDX-License-Identifier: GPL-3.0-or-later
// Lesson 4.6: softmax in two passes and in one, in the arithmetic of a format.
#include "base/target_choice.h"
#include "labs/4-kernel-optimization/online_softmax_row.h"
#include "labs/catalogue.h"
#include "labs/harness/declare.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>

namespace ridge::labs {
namespace {

constexpr std::uint64_t kColumns = 4; // of the values that are averaged

std::vector<ParamSpec> parameters()
{
    return {choiceParam("format", "Format", {"fp16", "bf16", "fp32", "fp64"}, "fp32",
                        "Every operation is rounded to it, to nearest even; scores and values are given in it."),
            integerParam("n", "Scores", "scores", 1, 65536, 1024, ParamScale::Log2, "Of a row."),
            integerParam("block", "Block", "scores", 1, 65536, 32, ParamScale::Log2,
                         "Scores that are read before the running maximum is looked at again."),
            integerParam("spread", "Spread", "", 0, 10000, 8, ParamScale::Log2,
                         "Scores are drawn uniformly between minus this and this."),
            choiceParam("order", "Order", {"random", "rising", "falling"}, "random",
                        "rising: the maximum grows in every block, and what was summed is scaled down each time; "
                        "falling: never after the first block."),
            choiceParam("sums", "Sums", {"format", "fp32"}, "format",
                        "Format of the two sums; fp32 is what kernels do that read 16-bit numbers. Not below the "
                        "format itself."),
            integerParam("seeds", "Rows", "rows", 1, 256, 32, ParamScale::Log2,
                         "Rows that are drawn, one after the other.")};
}

std::vector<MetricSpec> metrics()
{
    return {
        {"error_online", "Error of one pass", "1",
         "Largest of all rows, against extended precision; values lie within 1. No number counts as infinite, and is "
         "not told."},
        {"error_two_pass", "Error of two passes", "1", "The same where the maximum is known before the first sum."},
        {"error_ratio", "One pass over two", "1", "Of these errors; 1 is as exact."},
        {"rescales", "Rescalings", "1",
         "Of a row: blocks after the first in which the maximum grew; mean of all rows."},
        {"overflows", "Overflows without the maximum", "%",
         "Rows that come out as no number where exponentials are taken of the scores as they are."},
        {"bad_online", "Overflows in one pass", "%", "Rows that come out as no number."},
        {"bad_two_pass", "Overflows in two passes", "%", "Rows that come out as no number."}};
}

class OnlineSoftmax : public Experiment {
public:
    OnlineSoftmax()
    {
        m_info.id = "online_softmax";
        m_info.title = "Softmax in one pass";
        m_info.module = 4;
        m_info.summary =
            "Averages values with softmax weights in two passes over the scores and in one, rounding every "
            "operation to a format, and compares both with extended precision.";
        m_info.parameters = parameters();
        m_info.targets = {kModelTarget};
        m_info.metrics = metrics();
        m_info.charts = {{"errors_over_format",
                          "Errors over format",
                          "format",
                          "error_two_pass",
                          ParamScale::List,
                          ParamScale::Log2,
                          "series",
                          {"error_online"}},
                         {"errors_over_n",
                          "Errors over scores",
                          "n",
                          "error_two_pass",
                          ParamScale::Log2,
                          ParamScale::Log2,
                          "series",
                          {"error_online"}},
                         {"errors_over_block",
                          "Errors over block",
                          "block",
                          "error_two_pass",
                          ParamScale::Log2,
                          ParamScale::Log2,
                          "series",
                          {"error_online"}},
                         {"overflows_over_spread", "Overflows over spread", "spread", "overflows", ParamScale::Log2,
                          ParamScale::Linear}};
        const std::string source = "one rounding an operation, each of at most u (Higham, Accuracy and Stability of "
                                   "Numerical Algorithms, 2002); "
                                   "told where it is below 1";
        m_info.limits = {
            {"error_online", "all roundings against it", "upper",
             "2 k u ÷ (1 − k u) + underflow, k = n + 2 spread + 2 blocks + 4", source},
            {"error_two_pass", "all roundings against it", "upper", "the same with k = n + 2 spread + 4", source}};
    }
    const ExperimentInfo& info() const override { return m_info; }
    Result<void> run(const ParamSet& params, RunContext& context) const override;

private:
    ExperimentInfo m_info;
};

SoftmaxRow drawRow(const ParamSet& params, const RowFormat& format, Rng& rng)
{
    SoftmaxRow row;
    row.columns = kColumns;
    const auto spread = static_cast<double>(integer(params, "spread"));
    for (std::uint64_t i = 0; i < integer(params, "n"); ++i) {
        row.scores.push_back(format.rounded((2 * rng.uniform() - 1) * spread));
        for (std::uint64_t c = 0; c < kColumns; ++c)
            row.values.push_back(format.rounded(2 * rng.uniform() - 1));
    }
    if (choice(params, "order") == "rising")
        std::ranges::sort(row.scores);
    else if (choice(params, "order") == "falling")
        std::ranges::sort(row.scores, std::greater());
    return row;
}

Result<void> OnlineSoftmax::run(const ParamSet& params, RunContext& context) const
{
    const RowFormat format = rowFormatOf(choice(params, "format"));
    const RowFormat sums = choice(params, "sums") == "fp32" && format.unit > kUnitOfFp32 ? rowFormatOf("fp32") : format;
    const std::uint64_t n = integer(params, "n"), block = integer(params, "block"), seeds = integer(params, "seeds");
    double online = 0, twoPass = 0, rescales = 0;
    std::uint64_t plainBad = 0, onlineBad = 0, twoPassBad = 0;
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
        if (context.cancelled())
            return Error{"cancelled", "the run was cancelled", "online_softmax", ""};
        const SoftmaxRow row = drawRow(params, format, context.rng());
        const std::vector<double> exact = exactAverage(row);
        const auto worst = [&](const std::vector<double>& got, double& into, std::uint64_t& bad) {
            bool finite = true;
            for (std::uint64_t c = 0; c < kColumns; ++c) {
                finite = finite && std::isfinite(got[c]);
                if (std::isfinite(got[c]))
                    into = std::max(into, std::abs(got[c] - exact[c]));
            }
            bad += finite ? 0 : 1;
        };
        const RowResult one = onlineAverage(row, block, format, sums);
        double ignored = 0;
        worst(one.average, online, onlineBad);
        worst(averageWith(row, largestScore(row), format, sums), twoPass, twoPassBad);
        worst(averageWith(row, 0, format, sums), ignored, plainBad);
        rescales += static_cast<double>(one.rescales) / static_cast<double>(seeds);
        context.progress(static_cast<double>(seed + 1) / static_cast<double>(seeds), "rows");
    }
    const auto tell = [&](const char* name, double value) { context.metric(name, value, Provenance::Modelled); };
    const auto percent = [&](std::uint64_t rows) {
        return 100 * static_cast<double>(rows) / static_cast<double>(seeds);
    };
    if (onlineBad < seeds)
        tell("error_online", online);
    if (twoPassBad < seeds)
        tell("error_two_pass", twoPass);
    if (onlineBad + twoPassBad == 0 && twoPass > 0)
        tell("error_ratio", online / twoPass);
    tell("rescales", rescales);
    tell("overflows", percent(plainBad));
    tell("bad_online", percent(onlineBad));
    tell("bad_two_pass", percent(twoPassBad));
    const auto spread = static_cast<double>(integer(params, "spread"));
    const auto bound = [&](const char* metric, double operations) {
        const double share = operations * format.unit;
        const double all = 2 * share / (1 - share) + 4 * operations * format.smallest;
        if (share < 1 && all < 1)
            context.limit(metric, all);
    };
    const auto terms = static_cast<double>(n), blocks = std::ceil(terms / static_cast<double>(block));
    bound("error_two_pass", terms + 2 * spread + 4);
    bound("error_online", terms + 2 * spread + 2 * blocks + 4);
    return {};
}

} // namespace

std::unique_ptr<Experiment> makeOnlineSoftmax()
{
    return std::make_unique<OnlineSoftmax>();
}

} // namespace ridge::labs
