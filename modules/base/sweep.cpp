// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/experiment_info.h"
#include "base/parameters.h"
#include "base/units.h"

#include <cmath>

namespace ridge {
namespace {

constexpr std::size_t kMaxValues = 4096;
constexpr std::size_t kMaxPoints = 65536;

Error badSweep(std::string_view text, const std::string& why)
{
    return {"bad-sweep", why, "sweep " + std::string(text),
            "write name=a..b:log2 (doubling), name=a..b (step 1), name=a..b:step or name=a,b,c"};
}

Result<std::vector<ParamValue>> listValues(const ParamSpec& spec, std::string_view list, std::string_view text)
{
    std::vector<ParamValue> values;
    std::size_t start = 0;
    while (start <= list.size()) {
        const std::size_t comma = std::min(list.find(',', start), list.size());
        auto value = parseValue(spec, list.substr(start, comma - start));
        if (!value)
            return value.error();
        values.push_back(std::move(*value));
        if (values.size() > kMaxValues)
            return badSweep(text, "more than 4096 values");
        start = comma + 1;
    }
    return values;
}

Result<std::vector<ParamValue>> rangeValues(const ParamSpec& spec, std::string_view first, std::string_view last,
                                            std::string_view stepText, std::string_view text)
{
    auto a = parseValue(spec, first);
    if (!a)
        return a.error();
    auto b = parseValue(spec, last);
    if (!b)
        return b.error();
    const double from = asNumber(*a).value_or(0);
    const double to = asNumber(*b).value_or(0);
    if (to < from)
        return badSweep(text, "the range ends before it begins");
    const bool doubling = stepText == "log2";
    double step = 1;
    if (doubling) {
        if (from <= 0)
            return badSweep(text, "a log2 sweep must begin above zero");
    } else if (!stepText.empty()) {
        ParamSpec stepSpec;
        stepSpec.name = spec.name;
        stepSpec.type = ParamType::Real;
        stepSpec.min = -1e300;
        stepSpec.max = 1e300;
        auto parsed = parseValue(stepSpec, stepText);
        if (!parsed || asNumber(*parsed).value_or(0) <= 0)
            return badSweep(text, "the step must be log2 or a number above zero");
        step = *asNumber(*parsed);
    }
    std::vector<ParamValue> values;
    for (std::size_t i = 0;; ++i) {
        const double x = doubling ? from * std::pow(2.0, static_cast<double>(i)) : from + step * static_cast<double>(i);
        if (x > to * (1 + 1e-12) + (to == 0 ? 1e-12 : 0))
            break;
        if (values.size() == kMaxValues)
            return badSweep(text, "more than 4096 values");
        // A list-scaled parameter has gaps; a range over it means its legal values in the range.
        if (!spec.choices.empty() && !checkValue(spec, ParamValue{x}))
            continue;
        auto value = checkValue(spec, ParamValue{x});
        if (!value)
            return value.error();
        values.push_back(std::move(*value));
    }
    return values;
}

} // namespace

Result<SweepAxis> parseSweep(std::span<const ParamSpec> specs, std::string_view text)
{
    auto parts = splitAssignment(text);
    if (!parts)
        return badSweep(text, "not of the form name=values");
    // Not a structured binding: clang before 16 cannot capture one.
    const std::string& name = parts->first;
    const std::string& range = parts->second;
    const auto spec = std::find_if(specs.begin(), specs.end(), [&](const ParamSpec& s) { return s.name == name; });
    if (spec == specs.end()) {
        std::vector<std::string> known;
        for (const ParamSpec& s : specs)
            known.push_back(s.name);
        const auto near = nearestNames(name, known);
        return Error{"unknown-parameter", "there is no parameter \"" + name + "\"", "sweep " + std::string(text),
                     near.empty() ? "" : "did you mean " + near.front() + "?"};
    }
    const auto dots = range.find("..");
    // A path may hold "..": a text is swept as a list alone.
    if (dots == std::string::npos || spec->type == ParamType::Text) {
        auto values = listValues(*spec, range, text);
        if (!values)
            return values.error();
        return SweepAxis{name, std::move(*values)};
    }
    if (spec->type == ParamType::Choice)
        return badSweep(text, "a choice has no range");
    const auto colon = range.find(':', dots);
    const auto last = range.substr(dots + 2, colon == std::string::npos ? std::string::npos : colon - dots - 2);
    const auto step = colon == std::string::npos ? std::string() : range.substr(colon + 1);
    if (colon != std::string::npos && step.empty())
        return badSweep(text, "nothing follows the colon");
    auto values = rangeValues(*spec, std::string_view(range).substr(0, dots), last, step, text);
    if (!values)
        return values.error();
    if (values->empty())
        return badSweep(text, "the range holds no legal value");
    return SweepAxis{name, std::move(*values)};
}

Result<std::vector<ParamSet>> expandSweep(const ParamSet& fixed, std::span<const SweepAxis> axes)
{
    if (axes.size() > 3)
        return Error{"bad-sweep", "a sweep has at most three parameters", "", "fix the others with --set"};
    std::size_t total = 1;
    for (std::size_t i = 0; i < axes.size(); ++i) {
        if (fixed.contains(axes[i].name))
            return Error{"bad-sweep", "\"" + axes[i].name + "\" is both fixed and swept", "sweep", "give it once"};
        for (std::size_t j = 0; j < i; ++j)
            if (axes[j].name == axes[i].name)
                return Error{"bad-sweep", "\"" + axes[i].name + "\" is swept twice", "sweep", "give it once"};
        total *= axes[i].values.size();
        if (total > kMaxPoints)
            return Error{"bad-sweep", "the sweep has more than 65536 points", "sweep", "take fewer values"};
    }
    std::vector<ParamSet> points = {fixed};
    for (const SweepAxis& axis : axes) {
        std::vector<ParamSet> next;
        next.reserve(points.size() * axis.values.size());
        for (const ParamSet& point : points) {
            for (const ParamValue& value : axis.values) {
                next.push_back(point);
                next.back()[axis.name] = value;
            }
        }
        points = std::move(next);
    }
    return points;
}

} // namespace ridge
