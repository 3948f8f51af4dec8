// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/grade/task_reference.h"

#include "labs/grade/task_inputs.h"

#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <limits>

namespace ridge::labs {
namespace {

constexpr double kLambda = 8;

/// Whether so many results that have the bytes of the pattern may have been written: one byte in 256 has them by
/// chance. Where every wrong one has them it is no chance.
bool mayBeChance(unsigned size, std::size_t untouched, std::size_t wrong)
{
    return size == 1 && untouched < wrong && untouched <= 2 + wrong / 16;
}

} // namespace

Result<std::map<std::string, Expected>> expectedResults(const KernelTask& task, const TaskData& data)
{
    const auto found = taskReferences().find(task.reference);
    if (found == taskReferences().end())
        return Error{"bad-task", "there is no reference '" + task.reference + "'", "task " + task.id,
                     "write it in labs/grade/references_*.cpp"};
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

bool isRight(double found, const Expected& expected, std::size_t at, double allowed)
{
    // Not (error > allowed): a NaN is larger than nothing.
    return std::isfinite(found) && std::abs(found - expected.values[at]) <= allowed * expected.magnitudes[at];
}

Compared compare(const TaskParameter& output, std::uint64_t roundings, const Expected& expected,
                 const std::vector<std::byte>& before, const std::vector<std::byte>& found)
{
    const unsigned size = sizeOf(output.type);
    const double allowed = allowedError(output.type, roundings);
    Compared result;
    result.elements = expected.values.size();
    std::optional<std::size_t> firstWritten, firstUntouched;
    for (std::size_t i = 0; i < expected.values.size(); ++i) {
        const double got = valueAt(output.type, found, i);
        if (isRight(got, expected, i, allowed))
            continue;
        const bool untouched = !output.startsAtZero && bitsAt(found, size, i) == bitsAt(before, size, i);
        ++result.wrong;
        result.unwritten += untouched ? 1 : 0;
        std::optional<std::size_t>& first = untouched ? firstUntouched : firstWritten;
        first = first.value_or(i);
        const double relative = std::abs(got - expected.values[i]) / expected.magnitudes[i];
        result.worstRelative = std::max(result.worstRelative,
                                        std::isfinite(relative) ? relative : std::numeric_limits<double>::infinity());
    }
    if (mayBeChance(size, result.unwritten, result.wrong)) {
        result.unwritten = 0;
        firstUntouched.reset();
    }
    if (firstUntouched && firstUntouched < firstWritten.value_or(expected.values.size()))
        result.example = fmt::format("{}[{}] was never written", output.name, *firstUntouched);
    else if (firstWritten)
        result.example = fmt::format("{}[{}] is {:.9g}, not {:.9g}; the error may be {:.2g}", output.name,
                                     *firstWritten, valueAt(output.type, found, *firstWritten),
                                     expected.values[*firstWritten], allowed * expected.magnitudes[*firstWritten]);
    return result;
}

} // namespace ridge::labs
