// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/grade/task_reference.h"

#include "labs/harness/small_formats.h"

#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <limits>

namespace ridge::labs {
namespace {

constexpr double kLambda = 8;

std::uint64_t bitsAt(const std::vector<std::byte>& bytes, unsigned size, std::size_t at)
{
    std::uint64_t bits = 0;
    std::memcpy(&bits, bytes.data() + at * size, size);
    return bits;
}

double valueAt(DataType type, const std::vector<std::byte>& bytes, std::size_t at)
{
    const std::uint64_t bits = bitsAt(bytes, sizeOf(type), at);
    const auto low = static_cast<std::uint32_t>(bits);
    switch (type) {
    case DataType::F64: {
        double value = 0;
        std::memcpy(&value, &bits, sizeof value);
        return value;
    }
    case DataType::F32: {
        float value = 0;
        std::memcpy(&value, &low, sizeof value);
        return value;
    }
    case DataType::F16:
        return valueOf(kFp16, low);
    case DataType::BF16:
        return valueOf(kBf16, low);
    case DataType::I8:
        return static_cast<std::int8_t>(bits);
    case DataType::U8:
    case DataType::U16:
    case DataType::U32:
    case DataType::U64:
        return static_cast<double>(bits);
    case DataType::I16:
        return static_cast<std::int16_t>(bits);
    case DataType::I32:
        return static_cast<std::int32_t>(bits);
    case DataType::I64:
        return static_cast<double>(static_cast<std::int64_t>(bits));
    }
    return 0;
}

/// The inputs of a task by name, as doubles.
class Inputs {
public:
    Inputs(const KernelTask& task, const TaskData& data) : m_task(task), m_data(data) {}

    std::vector<double> buffer(const char* name) const
    {
        const auto [parameter, bytes] = find(name);
        std::vector<double> values(bytes->size() / sizeOf(parameter->type));
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = valueAt(parameter->type, *bytes, i);
        return values;
    }
    double scalar(const char* name) const { return buffer(name).at(0); }
    std::size_t size(const char* name) const { return static_cast<std::size_t>(scalar(name)); }

private:
    std::pair<const TaskParameter*, const std::vector<std::byte>*> find(const char* name) const
    {
        for (std::size_t i = 0; i < m_task.parameters.size(); ++i)
            if (m_task.parameters[i].name == name)
                return {&m_task.parameters[i], &m_data.values[i]};
        throw std::out_of_range(std::string("the task has no parameter ") + name);
    }
    const KernelTask& m_task;
    const TaskData& m_data;
};

using Results = std::map<std::string, Expected>;

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

Results transpose(const Inputs& in)
{
    const std::size_t rows = in.size("rows"), columns = in.size("columns");
    const auto from = in.buffer("in");
    Expected to;
    for (std::size_t column = 0; column < columns; ++column)
        for (std::size_t row = 0; row < rows; ++row)
            to.values.push_back(from[row * columns + column]);
    for (const double value : to.values)
        to.magnitudes.push_back(std::abs(value));
    return {{"out", std::move(to)}};
}

Results matmul(const Inputs& in)
{
    const std::size_t m = in.size("m"), n = in.size("n"), k = in.size("k");
    const auto a = in.buffer("a"), b = in.buffer("b");
    Expected c{std::vector<double>(m * n), std::vector<double>(m * n)};
    for (std::size_t row = 0; row < m; ++row)
        for (std::size_t step = 0; step < k; ++step) {
            const double factor = a[row * k + step];
            for (std::size_t column = 0; column < n; ++column) {
                const double product = factor * b[step * n + column];
                c.values[row * n + column] += product;
                c.magnitudes[row * n + column] += std::abs(product);
            }
        }
    return {{"c", std::move(c)}};
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

const std::map<std::string, Results (*)(const Inputs&)>& references()
{
    static const std::map<std::string, Results (*)(const Inputs&)> all{
        {"saxpy", saxpy}, {"dot", dot}, {"transpose", transpose}, {"matmul", matmul}, {"mma_product", mmaProduct}};
    return all;
}

} // namespace

Result<std::map<std::string, Expected>> expectedResults(const KernelTask& task, const TaskData& data)
{
    const auto found = references().find(task.reference);
    if (found == references().end())
        return Error{"bad-task", "there is no reference '" + task.reference + "'", "task " + task.id,
                     "write it in labs/grade/task_reference.cpp"};
    try {
        return found->second(Inputs(task, data));
    } catch (const std::out_of_range& missing) {
        return Error{"bad-task", missing.what(), "task " + task.id, "call it as the reference does"};
    }
}

double allowedError(DataType type, std::uint64_t roundings)
{
    if (roundings == 0 || !isFloat(type))
        return 0;
    const std::map<DataType, double> units{
        {DataType::F64, 0x1p-53}, {DataType::F32, 0x1p-24}, {DataType::F16, 0x1p-11}, {DataType::BF16, 0x1p-8}};
    const double u = units.at(type), n = static_cast<double>(roundings);
    const double certain = n * u < 1 ? n * u / (1 - n * u) : std::numeric_limits<double>::infinity();
    return std::min(certain, kLambda * std::sqrt(n) * u);
}

Compared compare(const TaskParameter& output, std::uint64_t roundings, const Expected& expected,
                 const std::vector<std::byte>& before, const std::vector<std::byte>& found)
{
    const unsigned size = sizeOf(output.type);
    const double allowed = allowedError(output.type, roundings);
    Compared result;
    result.elements = expected.values.size();
    for (std::size_t i = 0; i < expected.values.size(); ++i) {
        const double got = valueAt(output.type, found, i);
        const double error = std::abs(got - expected.values[i]);
        // Not (error > allowed): a NaN is larger than nothing.
        if (std::isfinite(got) && error <= allowed * expected.magnitudes[i])
            continue;
        const bool untouched = !output.startsAtZero && bitsAt(found, size, i) == bitsAt(before, size, i);
        ++result.wrong;
        result.unwritten += untouched ? 1 : 0;
        const double relative = error / expected.magnitudes[i];
        result.worstRelative = std::max(result.worstRelative,
                                        std::isfinite(relative) ? relative : std::numeric_limits<double>::infinity());
        if (result.wrong == 1)
            result.example = untouched
                                 ? fmt::format("{}[{}] was never written", output.name, i)
                                 : fmt::format("{}[{}] is {:.9g}, not {:.9g}; the error may be {:.2g}", output.name, i,
                                               got, expected.values[i], allowed * expected.magnitudes[i]);
    }
    return result;
}

} // namespace ridge::labs
