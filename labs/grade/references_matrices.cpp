// SPDX-License-Identifier: GPL-3.0-or-later
// What kernel tasks must give, on the CPU: products of matrices.
#include "labs/grade/task_inputs.h"

#include <cmath>

namespace ridge::labs {
namespace {

struct Shape {
    std::size_t m = 0, n = 0, k = 0;
};

/// c of one product; `a` and `b` begin at these places.
void multiply(const Shape& shape, const double* a, const double* b, Expected& c)
{
    const std::size_t begin = c.values.size();
    c.values.resize(begin + shape.m * shape.n);
    c.magnitudes.resize(c.values.size());
    for (std::size_t row = 0; row < shape.m; ++row)
        for (std::size_t step = 0; step < shape.k; ++step) {
            const double factor = a[row * shape.k + step];
            for (std::size_t column = 0; column < shape.n; ++column) {
                const double product = factor * b[step * shape.n + column];
                c.values[begin + row * shape.n + column] += product;
                c.magnitudes[begin + row * shape.n + column] += std::abs(product);
            }
        }
}

Results matmul(const Inputs& in)
{
    const auto a = in.buffer("a"), b = in.buffer("b");
    Expected c;
    multiply({in.size("m"), in.size("n"), in.size("k")}, a.data(), b.data(), c);
    return {{"c", std::move(c)}};
}

Results batched(const Inputs& in)
{
    const Shape shape{in.size("m"), in.size("n"), in.size("k")};
    const auto a = in.buffer("a"), b = in.buffer("b");
    Expected c;
    for (std::size_t i = 0; i < in.size("batch"); ++i)
        multiply(shape, a.data() + i * shape.m * shape.k, b.data() + i * shape.k * shape.n, c);
    return {{"c", std::move(c)}};
}

Results gemv(const Inputs& in)
{
    const auto a = in.buffer("a"), x = in.buffer("x");
    Expected y;
    multiply({in.size("rows"), 1, in.size("columns")}, a.data(), x.data(), y);
    return {{"y", std::move(y)}};
}

Results dequant(const Inputs& in)
{
    constexpr std::size_t kGroup = 32;
    auto weights = in.buffer("q");
    const auto scale = in.buffer("scale"), x = in.buffer("x");
    for (std::size_t i = 0; i < weights.size(); ++i)
        weights[i] *= scale.at(i / kGroup);
    Expected y;
    multiply({in.size("rows"), 1, x.size()}, weights.data(), x.data(), y);
    return {{"y", std::move(y)}};
}

/// As matmul, with b column after column.
Results mmaProduct(const Inputs& in)
{
    const std::size_t m = in.size("m"), n = in.size("n"), k = in.size("k");
    const auto a = in.buffer("a"), b = in.buffer("b");
    Expected c{std::vector<double>(m * n), std::vector<double>(m * n)};
    for (std::size_t row = 0; row < m; ++row)
        for (std::size_t column = 0; column < n; ++column)
            for (std::size_t step = 0; step < k; ++step) {
                const double product = a[row * k + step] * b[column * k + step];
                c.values[row * n + column] += product;
                c.magnitudes[row * n + column] += std::abs(product);
            }
    return {{"c", std::move(c)}};
}

} // namespace

const References& matrixReferences()
{
    static const References all{
        {"matmul", matmul}, {"batched", batched}, {"gemv", gemv}, {"dequant", dequant}, {"mma_product", mmaProduct}};
    return all;
}

} // namespace ridge::labs
