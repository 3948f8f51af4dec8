// SPDX-License-Identifier: GPL-3.0-or-later
// What kernel tasks must give, on the CPU: maps, copies, neighbours.
#include "labs/grade/task_inputs.h"

#include <algorithm>
#include <cmath>

namespace ridge::labs {
namespace {

/// What is only moved or chosen has no term but itself.
Expected exact(std::vector<double> values)
{
    Expected expected{std::move(values), {}};
    for (const double value : expected.values)
        expected.magnitudes.push_back(std::abs(value));
    return expected;
}

Results map(const Inputs& in)
{
    Expected y;
    for (const double x : in.buffer("x")) {
        y.values.push_back(x * x + 1);
        y.magnitudes.push_back(x * x + 1);
    }
    return {{"y", std::move(y)}};
}

Results saxpy(const Inputs& in)
{
    const double a = in.scalar("a");
    const auto x = in.buffer("x"), y = in.buffer("y");
    Expected z;
    for (std::size_t i = 0; i < x.size(); ++i) {
        z.values.push_back(a * x[i] + y[i]);
        z.magnitudes.push_back(std::abs(a * x[i]) + std::abs(y[i]));
    }
    return {{"z", std::move(z)}};
}

Results checker(const Inputs& in)
{
    const std::size_t columns = in.size("columns");
    auto values = in.buffer("in");
    for (std::size_t at = 0; at < values.size(); ++at)
        if ((at / columns + at % columns) % 2 == 1)
            values[at] = -values[at];
    return {{"out", exact(std::move(values))}};
}

Results outer(const Inputs& in)
{
    const auto a = in.buffer("a"), b = in.buffer("b");
    Expected out;
    for (const double down : a)
        for (const double across : b) {
            out.values.push_back(down + across);
            out.magnitudes.push_back(std::abs(down) + std::abs(across));
        }
    return {{"out", std::move(out)}};
}

Results gather(const Inputs& in)
{
    const std::size_t width = in.size("width");
    const auto ids = in.buffer("ids"), table = in.buffer("table");
    std::vector<double> out;
    for (const double id : ids)
        for (std::size_t i = 0; i < width; ++i)
            out.push_back(table.at(static_cast<std::size_t>(id) * width + i));
    return {{"out", exact(std::move(out))}};
}

constexpr std::size_t kPiece = 256; ///< as long as the tasks' pieces are

Results reverse(const Inputs& in)
{
    auto values = in.buffer("in");
    for (std::size_t begin = 0; begin < values.size(); begin += kPiece)
        std::reverse(values.begin() + static_cast<std::ptrdiff_t>(begin),
                     values.begin() + static_cast<std::ptrdiff_t>(std::min(begin + kPiece, values.size())));
    return {{"out", exact(std::move(values))}};
}

Results stencil(const Inputs& in)
{
    constexpr std::size_t kReach = 3;
    const auto x = in.buffer("in");
    Expected out;
    for (std::size_t i = 0; i < x.size(); ++i) {
        double sum = 0, magnitude = 0;
        for (std::size_t j = i < kReach ? 0 : i - kReach; j < std::min(i + kReach + 1, x.size()); ++j) {
            sum += x[j];
            magnitude += std::abs(x[j]);
        }
        out.values.push_back(sum);
        out.magnitudes.push_back(magnitude);
    }
    return {{"out", std::move(out)}};
}

Results pooling(const Inputs& in)
{
    const std::size_t rows = in.size("rows"), columns = in.size("columns");
    const auto from = in.buffer("in");
    std::vector<double> out;
    for (std::size_t row = 0; row < rows; row += 2)
        for (std::size_t column = 0; column < columns; column += 2) {
            double largest = from[row * columns + column];
            for (std::size_t y = row; y < std::min(row + 2, rows); ++y)
                for (std::size_t x = column; x < std::min(column + 2, columns); ++x)
                    largest = std::max(largest, from[y * columns + x]);
            out.push_back(largest);
        }
    return {{"out", exact(std::move(out))}};
}

Results transpose(const Inputs& in)
{
    const std::size_t rows = in.size("rows"), columns = in.size("columns");
    const auto from = in.buffer("in");
    std::vector<double> to;
    for (std::size_t column = 0; column < columns; ++column)
        for (std::size_t row = 0; row < rows; ++row)
            to.push_back(from[row * columns + column]);
    return {{"out", exact(std::move(to))}};
}

Results convolution(const Inputs& in)
{
    const auto x = in.buffer("in"), w = in.buffer("w");
    Expected out;
    for (std::size_t i = 0; i + w.size() <= x.size(); ++i) {
        double sum = 0, magnitude = 0;
        for (std::size_t j = 0; j < w.size(); ++j) {
            sum += w[j] * x[i + j];
            magnitude += std::abs(w[j] * x[i + j]);
        }
        out.values.push_back(sum);
        out.magnitudes.push_back(magnitude);
    }
    return {{"out", std::move(out)}};
}

Results rope(const Inputs& in)
{
    const auto x = in.buffer("x"), cosine = in.buffer("cosine"), sine = in.buffer("sine");
    Expected y;
    const auto add = [&y](double first, double second) {
        y.values.push_back(first + second);
        y.magnitudes.push_back(std::abs(first) + std::abs(second));
    };
    for (std::size_t i = 0; i < cosine.size(); ++i) {
        add(x[2 * i] * cosine[i], -x[2 * i + 1] * sine[i]);
        add(x[2 * i] * sine[i], x[2 * i + 1] * cosine[i]);
    }
    return {{"y", std::move(y)}};
}

/// Groups of 32 with the smallest power of two that makes the largest of them 127 or less.
Results quantize(const Inputs& in)
{
    constexpr std::size_t kGroup = 32;
    constexpr double kMost = 127;
    const auto x = in.buffer("x");
    std::vector<double> q, exponents;
    for (std::size_t begin = 0; begin < x.size(); begin += kGroup) {
        double largest = 0;
        for (std::size_t i = begin; i < begin + kGroup; ++i)
            largest = std::max(largest, std::abs(x[i]));
        int exponent = 0;
        if (largest > 0) {
            exponent = std::ilogb(largest) - 7;
            while (largest > std::ldexp(kMost, exponent))
                ++exponent;
        }
        for (std::size_t i = begin; i < begin + kGroup; ++i)
            q.push_back(std::nearbyint(std::ldexp(x[i], -exponent)));
        exponents.push_back(exponent);
    }
    return {{"q", exact(std::move(q))}, {"exponent", exact(std::move(exponents))}};
}

} // namespace

const References& moveReferences()
{
    static const References all{{"map", map},
                                {"saxpy", saxpy},
                                {"checker", checker},
                                {"outer", outer},
                                {"gather", gather},
                                {"reverse", reverse},
                                {"stencil", stencil},
                                {"pooling", pooling},
                                {"transpose", transpose},
                                {"convolution", convolution},
                                {"rope", rope},
                                {"quantize", quantize}};
    return all;
}

} // namespace ridge::labs
