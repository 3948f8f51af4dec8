// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/json_value.h"
#include "base/result.h"

#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace ridge {

/// Text is a free word, or the path of a file where ParamSpec::file says so; "" is nothing given.
enum class ParamType { Integer, Real, Choice, Text };
enum class ParamScale { Linear, Log2, List };

/// A parameter's value: an integer, a real number, one of the named choices or a text.
using ParamValue = std::variant<std::int64_t, double, std::string>;

/// A fixed setting of parameters, in the order in which the experiment declares them when complete.
using ParamSet = std::map<std::string, ParamValue>;

/// One declared parameter. Forms, flags, sweeps and validation are all made from it.
struct ParamSpec {
    std::string name;  ///< identifier used in JSON and on the command line
    std::string title; ///< what the form shows
    ParamType type = ParamType::Integer;
    std::string unit; ///< "elements", "bytes", "" …
    double min = 0;   ///< inclusive; Integer and Real only
    double max = 0;   ///< inclusive; Integer and Real only
    ParamScale scale = ParamScale::Linear;
    std::vector<ParamValue> choices; ///< Choice: the strings; Integer with scale List: the only legal values
    ParamValue defaultValue;
    std::map<std::string, ParamValue> defaultFor;     ///< target class ("gpu", "sim") -> default where it differs
    std::string help;                                 ///< one sentence
    std::map<std::string, std::string> sweepFor = {}; ///< target class -> sweep worth a look ("2048..65536:log2")
    std::vector<std::string> choiceTitles = {};       ///< what people call the choices, as many; empty: their values
    bool file = false;                                ///< Text only: the path of a file that the run reads
    std::string fileFilter = {};                      ///< of such a file, as a dialog has it: "Traces (*.trace *.txt)"
};

/// Whether values of this type stand on an axis as numbers; choices and texts are names.
constexpr bool isNumber(ParamType type)
{
    return type == ParamType::Integer || type == ParamType::Real;
}

/// Of a text that is given, at most this many bytes: a path, a name, no document.
inline constexpr std::size_t kMostParamText = 4096;

/// One swept parameter with its values in the order in which they run.
struct SweepAxis {
    std::string name;
    std::vector<ParamValue> values;
};

Json toJson(const ParamValue& value);
Result<ParamValue> paramValueFromJson(const Json& json, const std::string& place);
Json toJson(const ParamSet& set);
Result<ParamSet> paramSetFromJson(const Json& json, const std::string& place);
Json toJson(const ParamSpec& spec);
Result<ParamSpec> paramSpecFromJson(const Json& json);

std::string toText(const ParamValue& value);
/// As people read it: a choice by its title, "256 MiB" where the unit takes a prefix, a file by its name without
/// folders, else toText. Commands take toText.
std::string valueText(const ParamSpec& spec, const ParamValue& value);
std::optional<double> asNumber(const ParamValue& value);

/// The files that `params` name: parameter -> path. Those that are not given are left out.
std::map<std::string, std::string> filesOf(std::span<const ParamSpec> specs, const ParamSet& params);

/// Whether `params` have every value of `wanted`; what else they have does not matter.
bool hasAll(const ParamSet& params, const ParamSet& wanted);

/// Reads "4", "2^16", "1.5e3" or a choice as the type that `spec` declares and checks the range.
/// Errors: "bad-value", "out-of-range" (both name the parameter, what was given and what is legal).
Result<ParamValue> parseValue(const ParamSpec& spec, std::string_view text);

/// Checks an already typed value (integers given as 4.0 are accepted). Errors as parseValue.
Result<ParamValue> checkValue(const ParamSpec& spec, const ParamValue& value);

/// Every declared parameter gets its given or default value. `targetClass` is the part of a target before ':'.
/// Errors: "unknown-parameter" (with the known ones), and those of checkValue.
Result<ParamSet> completeParams(std::span<const ParamSpec> specs, const ParamSet& given, std::string_view targetClass);

/// "k=v" -> name and value text. Errors: "bad-argument".
Result<std::pair<std::string, std::string>> splitAssignment(std::string_view text);

/// "stride=1..128:log2" (doubling from the first value), "stride=1..33" (step 1), "stride=0..64:8" (step 8) or
/// "stride=1,2,3". Errors: "bad-sweep", "unknown-parameter", and those of checkValue. At most 4096 values.
Result<SweepAxis> parseSweep(std::span<const ParamSpec> specs, std::string_view text);

/// The product of up to three axes over `fixed`, first axis slowest. Errors: "bad-sweep" (more than three axes, a
/// parameter both fixed and swept or swept twice, more than 65536 points).
Result<std::vector<ParamSet>> expandSweep(const ParamSet& fixed, std::span<const SweepAxis> axes);

} // namespace ridge
