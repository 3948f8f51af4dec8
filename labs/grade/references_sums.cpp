// SPDX-License-Identifier: GPL-3.0-or-later
// What kernel tasks must give, on the CPU: sums, counts and what is found along rows.
#include "labs/grade/task_inputs.h"

#include <algorithm>
#include <cmath>

namespace ridge::labs {
namespace {

Results dot(const Inputs& in)
{
    const auto x = in.buffer("x"), y = in.buffer("y");
    long double sum = 0, magnitude = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const long double product = static_cast<long double>(x[i]) * y[i];
        sum += product;
        magnitude += std::abs(product);
    }
    return {{"sum", Expected{{static_cast<double>(sum)}, {static_cast<double>(magnitude)}}}};
}

Results warpsum(const Inputs& in)
{
    constexpr std::size_t kRow = 32;
    const auto x = in.buffer("in");
    Expected out;
    for (std::size_t begin = 0; begin < x.size(); begin += kRow) {
        double sum = 0, magnitude = 0;
        for (std::size_t i = begin; i < begin + kRow; ++i) {
            sum += x[i];
            magnitude += std::abs(x[i]);
        }
        out.values.push_back(sum);
        out.magnitudes.push_back(magnitude);
    }
    return {{"out", std::move(out)}};
}

/// Whole numbers, which have no error to be in proportion to anything.
Expected whole(std::vector<double> values)
{
    std::vector<double> magnitudes = values;
    return {std::move(values), std::move(magnitudes)};
}

Results argmax(const Inputs& in)
{
    const std::size_t rows = in.size("rows"), columns = in.size("columns");
    const auto score = in.buffer("score");
    std::vector<double> best;
    for (std::size_t row = 0; row < rows; ++row) {
        const auto begin = score.begin() + static_cast<std::ptrdiff_t>(row * columns);
        const auto end = begin + static_cast<std::ptrdiff_t>(columns);
        best.push_back(static_cast<double>(std::max_element(begin, end) - begin)); // the first of equals
    }
    return {{"best", whole(std::move(best))}};
}

Results histogram(const Inputs& in)
{
    std::vector<double> counts(in.size("bins"));
    for (const double value : in.buffer("value"))
        counts.at(static_cast<std::size_t>(value)) += 1;
    return {{"counts", whole(std::move(counts))}};
}

Results runningSums(std::vector<double> values, std::size_t length)
{
    for (std::size_t i = 0; i < values.size(); ++i)
        if (i % length != 0)
            values[i] += values[i - 1];
    return {{"out", whole(std::move(values))}};
}

Results scan(const Inputs& in)
{
    constexpr std::size_t kScanned = 256;
    return runningSums(in.buffer("in"), kScanned);
}

Results longscan(const Inputs& in)
{
    return runningSums(in.buffer("in"), in.size("columns"));
}

Results compaction(const Inputs& in)
{
    const std::size_t rows = in.size("rows"), columns = in.size("columns");
    const auto x = in.buffer("in");
    std::vector<double> out(x.size()), kept;
    for (std::size_t row = 0; row < rows; ++row) {
        std::size_t count = 0;
        for (std::size_t i = row * columns; i < (row + 1) * columns; ++i)
            if (x[i] > 0)
                out[row * columns + count++] = x[i];
        kept.push_back(static_cast<double>(count));
    }
    return {{"out", whole(std::move(out))}, {"kept", whole(std::move(kept))}};
}

} // namespace

const References& sumReferences()
{
    static const References all{
        {"dot", dot},   {"warpsum", warpsum},   {"argmax", argmax},        {"histogram", histogram},
        {"scan", scan}, {"longscan", longscan}, {"compaction", compaction}};
    return all;
}

} // namespace ridge::labs
