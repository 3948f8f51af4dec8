// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/parameters.h"

namespace ridge::labs {

/// An integer parameter in one expression, in the order in which a form shows it.
inline ParamSpec integerParam(std::string name, std::string title, std::string unit, double min, double max,
                              std::int64_t defaultValue, ParamScale scale, std::string help)
{
    ParamSpec spec;
    spec.name = std::move(name);
    spec.title = std::move(title);
    spec.unit = std::move(unit);
    spec.min = min;
    spec.max = max;
    spec.scale = scale;
    spec.defaultValue = defaultValue;
    spec.help = std::move(help);
    return spec;
}

/// 4, 8 or 16: what one lane can move with one instruction in the kernels of the memory lessons.
inline ParamSpec widthParam(std::string name, std::string title, std::string help)
{
    auto spec = integerParam(std::move(name), std::move(title), "bytes", 4, 16, 4, ParamScale::List, std::move(help));
    spec.choices = {std::int64_t{4}, std::int64_t{8}, std::int64_t{16}};
    return spec;
}

/// One of some words.
inline ParamSpec choiceParam(std::string name, std::string title, const std::vector<std::string>& choices,
                             std::string defaultValue, std::string help)
{
    ParamSpec spec;
    spec.name = std::move(name);
    spec.title = std::move(title);
    spec.type = ParamType::Choice;
    spec.scale = ParamScale::List;
    spec.choices.assign(choices.begin(), choices.end());
    spec.defaultValue = std::move(defaultValue);
    spec.help = std::move(help);
    return spec;
}

/// A free word; "" is nothing given.
inline ParamSpec textParam(std::string name, std::string title, std::string help)
{
    ParamSpec spec;
    spec.name = std::move(name);
    spec.title = std::move(title);
    spec.type = ParamType::Text;
    spec.scale = ParamScale::List;
    spec.defaultValue = std::string();
    spec.help = std::move(help);
    return spec;
}

/// A file that the run reads (labs/harness/input.h). `filter` as a dialog has it: "Traces (*.trace *.txt)".
inline ParamSpec fileParam(std::string name, std::string title, std::string filter, std::string help)
{
    ParamSpec spec = textParam(std::move(name), std::move(title), std::move(help));
    spec.file = true;
    spec.fileFilter = std::move(filter);
    return spec;
}

/// Whether to hold the point against what `vendor` does, a word of the choice; on a GPU that is the default.
inline ParamSpec referenceParam(std::string vendor, std::string help)
{
    auto spec = choiceParam("reference", "Reference", {"none", vendor}, "none", std::move(help));
    spec.defaultFor = {{"gpu", std::move(vendor)}};
    return spec;
}

/// The value of a checked, complete choice.
inline const std::string& choice(const ParamSet& params, const char* name)
{
    return std::get<std::string>(params.at(name));
}

/// The value of a checked, complete integer parameter that is never negative.
inline std::uint64_t integer(const ParamSet& params, const char* name)
{
    return static_cast<std::uint64_t>(std::get<std::int64_t>(params.at(name)));
}

} // namespace ridge::labs
