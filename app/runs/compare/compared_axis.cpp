// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runs/compare/compared_axis.h"

#include <algorithm>

namespace ridge::app {
namespace {

bool contains(const std::vector<ParamValue>& values, const ParamValue& value)
{
    return std::any_of(values.begin(), values.end(), [&](const ParamValue& each) { return sameValue(each, value); });
}

const ParamSpec* namesOf(std::span<const Pin> pins, std::span<const ExperimentInfo> experiments,
                         const std::string& parameter)
{
    for (const Pin& pin : pins)
        for (const ExperimentInfo& info : experiments)
            if (info.id == pin.runs.front().experiment)
                if (const ParamSpec* spec = info.parameter(parameter); spec && !isNumber(spec->type))
                    return spec;
    return nullptr;
}

std::vector<ParamValue> valuesOf(const Pin& pin, const std::string& parameter)
{
    std::vector<ParamValue> values;
    for (const record::RunRow& run : pin.runs)
        if (const auto value = run.params.find(parameter);
            value != run.params.end() && !contains(values, value->second))
            values.push_back(value->second);
    return values;
}

} // namespace

bool sameValue(const ParamValue& a, const ParamValue& b)
{
    const auto one = asNumber(a), other = asNumber(b);
    return one && other ? *one == *other : a == b;
}

std::optional<double> ComparedAxis::placeOf(const ParamValue& value) const
{
    if (values.empty())
        return asNumber(value);
    for (std::size_t i = 0; i < values.size(); ++i)
        if (sameValue(values[i], value))
            return static_cast<double>(i + 1);
    return std::nullopt;
}

ComparedAxis comparedAxis(std::span<const Pin> pins, std::span<const ExperimentInfo> experiments,
                          const std::string& parameter, const std::string& metric)
{
    ComparedAxis axis;
    const ParamSpec* spec = namesOf(pins, experiments, parameter);
    if (!spec)
        return axis;
    std::vector<ParamValue> present;
    for (const Pin& pin : pins)
        for (const record::RunRow& run : pin.runs)
            if (const auto value = run.params.find(parameter);
                value != run.params.end() && run.metrics.contains(metric) && !contains(present, value->second))
                present.push_back(value->second);
    for (const ParamValue& choice : spec->choices)
        if (contains(present, choice))
            axis.values.push_back(choice);
    for (const ParamValue& other : present) // texts, or of a version that had further choices
        if (!contains(axis.values, other))
            axis.values.push_back(other);
    for (const ParamValue& value : axis.values)
        axis.names << QString::fromStdString(valueText(*spec, value));
    return axis;
}

std::string sweptParameter(std::span<const Pin> pins, std::span<const ParamSpec> parameters,
                           const std::string& preferred)
{
    // How many values one pin has; where none has two, how many all of them have: single runs at different points.
    const auto most = [&](const std::string& parameter, bool together) {
        std::vector<ParamValue> all;
        std::size_t count = 0;
        for (const Pin& pin : pins) {
            if (!together)
                all.clear();
            for (const ParamValue& value : valuesOf(pin, parameter))
                if (!contains(all, value))
                    all.push_back(value);
            count = std::max(count, all.size());
        }
        return count;
    };
    for (const bool together : {false, true}) {
        if (most(preferred, together) > 1)
            return preferred;
        const ParamSpec* found = nullptr;
        std::size_t count = 1;
        for (const ParamSpec& spec : parameters)
            if (const std::size_t values = most(spec.name, together); values > count) {
                found = &spec;
                count = values;
            }
        if (found)
            return found->name;
    }
    return preferred;
}

std::vector<ParamValue> commonPoints(std::span<const Pin> pins, const std::string& parameter)
{
    if (pins.empty())
        return {};
    std::vector<ParamValue> common = valuesOf(pins.front(), parameter);
    for (const Pin& pin : pins.subspan(1)) {
        const std::vector<ParamValue> own = valuesOf(pin, parameter);
        std::erase_if(common, [&](const ParamValue& value) { return !contains(own, value); });
    }
    std::stable_sort(common.begin(), common.end(), [](const ParamValue& a, const ParamValue& b) {
        const auto one = asNumber(a), other = asNumber(b);
        return one && other && *one < *other;
    });
    return common;
}

} // namespace ridge::app
