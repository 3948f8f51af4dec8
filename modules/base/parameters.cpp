// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/parameters.h"

#include "base/experiment_info.h"
#include "base/json_read.h"
#include "base/markup.h"
#include "base/units.h"

#include <charconv>
#include <cmath>

namespace ridge {
namespace {

std::string_view typeText(ParamType type)
{
    switch (type) {
    case ParamType::Integer:
        return "int";
    case ParamType::Real:
        return "real";
    case ParamType::Choice:
        return "choice";
    case ParamType::Text:
        return "text";
    }
    return {};
}

std::string_view scaleText(ParamScale scale)
{
    switch (scale) {
    case ParamScale::Linear:
        return "linear";
    case ParamScale::Log2:
        return "log2";
    case ParamScale::List:
        return "list";
    }
    return {};
}

std::string legalValues(const ParamSpec& spec)
{
    if (spec.type == ParamType::Text)
        return spec.file ? "the path of a file" : "a text of one line, at most 4096 bytes";
    if (!spec.choices.empty()) {
        std::string text = "one of ";
        for (std::size_t i = 0; i < spec.choices.size(); ++i)
            text += (i ? ", " : "") + toText(spec.choices[i]);
        return text;
    }
    return formatNumber(spec.min) + " to " + formatNumber(spec.max) + (spec.unit.empty() ? "" : " " + spec.unit);
}

Error outOfRange(const ParamSpec& spec, const ParamValue& value)
{
    return {"out-of-range", "the value " + toText(value) + " is not legal", "parameter " + spec.name,
            "give " + legalValues(spec)};
}

Error badValue(const ParamSpec& spec, std::string_view text)
{
    const char* what = spec.type == ParamType::Integer ? "a whole number"
                       : spec.type == ParamType::Real  ? "a number"
                       : spec.type == ParamType::Text  ? "a text"
                                                       : "one of its choices";
    return {"bad-value", "\"" + std::string(text) + "\" is not " + what, "parameter " + spec.name,
            "give " + legalValues(spec)};
}

/// A text of one line: it is shown in tables, and a control character could move a terminal's cursor.
Result<ParamValue> checkText(const ParamSpec& spec, const ParamValue& given)
{
    const auto* text = std::get_if<std::string>(&given);
    if (text == nullptr)
        return badValue(spec, toText(given));
    const auto hidden = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
    const auto refused = [&](const std::string& what) {
        return Error{"bad-value", what, "parameter " + spec.name, "give " + legalValues(spec)};
    };
    if (text->size() > kMostParamText)
        return refused("a text of " + std::to_string(text->size()) + " bytes is too long");
    if (std::any_of(text->begin(), text->end(), hidden))
        return refused("the text holds a line end or another control character");
    if (firstNotUtf8(*text))
        return refused("the text is not UTF-8");
    return given;
}

std::optional<double> readNumber(std::string_view text)
{
    // "2^16" is how powers of two are said on a command line.
    if (const auto caret = text.find('^'); caret != std::string_view::npos) {
        const auto base = readNumber(text.substr(0, caret));
        const auto exponent = readNumber(text.substr(caret + 1));
        if (!base || !exponent || std::abs(*exponent) > 1024)
            return std::nullopt;
        return std::pow(*base, *exponent);
    }
    double number = 0;
    const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (ec != std::errc{} || end != text.data() + text.size() || !std::isfinite(number))
        return std::nullopt;
    return number;
}

} // namespace

Json toJson(const ParamValue& value)
{
    return std::visit([](const auto& v) { return Json(v); }, value);
}

Result<ParamValue> paramValueFromJson(const Json& json, const std::string& place)
{
    if (json.is_number_unsigned() && json.get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX))
        return Error{"bad-value", "the number is too large", place, ""};
    if (json.is_number_integer())
        return ParamValue{json.get<std::int64_t>()};
    if (json.is_number())
        return ParamValue{json.get<double>()};
    if (json.is_string())
        return ParamValue{json.get<std::string>()};
    return Error{"bad-value", "a parameter must be a number or text", place, ""};
}

Json toJson(const ParamSet& set)
{
    Json json = Json::object();
    for (const auto& [name, value] : set)
        json[name] = toJson(value);
    return json;
}

Result<ParamSet> paramSetFromJson(const Json& json, const std::string& place)
{
    if (!json.is_object())
        return Error{"bad-value", "expected an object of parameters", place, ""};
    ParamSet set;
    for (const auto& [name, field] : json.items()) {
        auto value = paramValueFromJson(field, place + "." + name);
        if (!value)
            return value.error();
        set.emplace(name, std::move(*value));
    }
    return set;
}

Json toJson(const ParamSpec& spec)
{
    Json json{{"name", spec.name}, {"title", spec.title}, {"type", typeText(spec.type)}, {"unit", spec.unit}};
    if (isNumber(spec.type))
        json["range"] = Json::array({spec.min, spec.max});
    if (spec.file)
        json["file"] = true;
    if (!spec.fileFilter.empty())
        json["file_filter"] = spec.fileFilter;
    json["scale"] = scaleText(spec.scale);
    if (!spec.choices.empty()) {
        json["choices"] = Json::array();
        for (const ParamValue& choice : spec.choices)
            json["choices"].push_back(toJson(choice));
    }
    if (!spec.choiceTitles.empty())
        json["choice_titles"] = spec.choiceTitles;
    json["default"] = toJson(spec.defaultValue);
    if (!spec.defaultFor.empty())
        json["default_for"] = toJson(ParamSet(spec.defaultFor.begin(), spec.defaultFor.end()));
    if (!spec.sweepFor.empty())
        json["sweep_for"] = spec.sweepFor;
    json["help"] = spec.help;
    return json;
}

Result<ParamSpec> paramSpecFromJson(const Json& json)
{
    JsonReader in(json, "parameter");
    ParamSpec spec;
    spec.name = in.text("name");
    spec.title = in.text("title");
    const std::string type = in.text("type");
    for (const ParamType each : {ParamType::Real, ParamType::Choice, ParamType::Text})
        if (type == typeText(each))
            spec.type = each;
    if (type != typeText(spec.type))
        in.fail("unknown parameter type \"" + type + "\"");
    spec.unit = in.text("unit", false);
    if (const Json* range = in.array("range", isNumber(spec.type))) {
        if (range->size() == 2 && (*range)[0].is_number() && (*range)[1].is_number()) {
            spec.min = (*range)[0].get<double>();
            spec.max = (*range)[1].get<double>();
        } else {
            in.fail("the range must be two numbers");
        }
    }
    const std::string scale = in.text("scale");
    spec.scale = scale == "log2" ? ParamScale::Log2 : scale == "list" ? ParamScale::List : ParamScale::Linear;
    if (const Json* choices = in.array("choices", spec.type == ParamType::Choice)) {
        for (const Json& choice : *choices) {
            auto value = paramValueFromJson(choice, "parameter " + spec.name);
            if (!value)
                return value.error();
            spec.choices.push_back(std::move(*value));
        }
    }
    if (const Json* titles = in.array("choice_titles", false)) {
        for (const Json& title : *titles)
            if (title.is_string())
                spec.choiceTitles.push_back(title.get<std::string>());
        if (spec.choiceTitles.size() != spec.choices.size() || titles->size() != spec.choices.size())
            in.fail("choice_titles must hold one text for each choice");
    }
    if (const Json* value = in.any("default")) {
        auto read = paramValueFromJson(*value, "parameter " + spec.name);
        if (!read)
            return read.error();
        spec.defaultValue = std::move(*read);
    }
    if (const Json* values = in.object("default_for", false)) {
        auto read = paramSetFromJson(*values, "parameter " + spec.name);
        if (!read)
            return read.error();
        spec.defaultFor = std::move(*read);
    }
    if (const Json* sweeps = in.object("sweep_for", false))
        for (const auto& [target, range] : sweeps->items()) {
            if (!range.is_string())
                in.fail("sweep_for must hold texts");
            else
                spec.sweepFor[target] = range.get<std::string>();
        }
    spec.help = in.text("help", false);
    spec.file = in.boolean("file", false);
    spec.fileFilter = in.text("file_filter", false);
    if (spec.type == ParamType::Text && !std::holds_alternative<std::string>(spec.defaultValue))
        in.fail("the default of a text must be a text");
    if (in.error())
        return *in.error();
    return spec;
}

std::string toText(const ParamValue& value)
{
    if (const auto* integer = std::get_if<std::int64_t>(&value))
        return std::to_string(*integer);
    if (const auto* real = std::get_if<double>(&value))
        return formatNumber(*real);
    return std::get<std::string>(value);
}

std::string valueText(const ParamSpec& spec, const ParamValue& value)
{
    // A chart has no room for a path, and whoever sees it need not know the folders of this machine.
    if (const auto* path = std::get_if<std::string>(&value); path != nullptr && spec.file)
        return path->substr(path->find_last_of('/') + 1);
    const auto choice = std::find(spec.choices.begin(), spec.choices.end(), value);
    if (const auto at = static_cast<std::size_t>(choice - spec.choices.begin()); at < spec.choiceTitles.size())
        return spec.choiceTitles[at];
    const std::optional<double> number = asNumber(value);
    return number && takesPrefix(spec.unit) ? formatQuantity(*number, spec.unit) : toText(value);
}

bool hasAll(const ParamSet& params, const ParamSet& wanted)
{
    return std::all_of(wanted.begin(), wanted.end(), [&params](const auto& asked) {
        const auto value = params.find(asked.first);
        return value != params.end() && toText(value->second) == toText(asked.second);
    });
}

std::map<std::string, std::string> filesOf(std::span<const ParamSpec> specs, const ParamSet& params)
{
    std::map<std::string, std::string> files;
    for (const ParamSpec& spec : specs) {
        const auto given = spec.file ? params.find(spec.name) : params.end();
        if (given == params.end())
            continue;
        if (const auto* path = std::get_if<std::string>(&given->second); path != nullptr && !path->empty())
            files.emplace(spec.name, *path);
    }
    return files;
}

std::optional<double> asNumber(const ParamValue& value)
{
    if (const auto* integer = std::get_if<std::int64_t>(&value))
        return static_cast<double>(*integer);
    if (const auto* real = std::get_if<double>(&value))
        return *real;
    return std::nullopt;
}

Result<ParamValue> checkValue(const ParamSpec& spec, const ParamValue& given)
{
    if (spec.type == ParamType::Choice) {
        if (!std::holds_alternative<std::string>(given) ||
            std::find(spec.choices.begin(), spec.choices.end(), given) == spec.choices.end())
            return outOfRange(spec, given);
        return given;
    }
    if (spec.type == ParamType::Text)
        return checkText(spec, given);
    const auto number = asNumber(given);
    if (!number || !std::isfinite(*number))
        return badValue(spec, toText(given));
    ParamValue value = given;
    if (spec.type == ParamType::Integer) {
        if (*number != std::floor(*number))
            return badValue(spec, toText(given));
        if (std::abs(*number) > 9.0e15)
            return outOfRange(spec, given);
        value = static_cast<std::int64_t>(*number);
    } else {
        value = *number;
    }
    if (!spec.choices.empty()) {
        const bool listed = std::any_of(spec.choices.begin(), spec.choices.end(),
                                        [&](const ParamValue& choice) { return asNumber(choice) == number; });
        if (!listed)
            return outOfRange(spec, given);
        return value;
    }
    if (*number < spec.min || *number > spec.max)
        return outOfRange(spec, given);
    return value;
}

Result<ParamValue> parseValue(const ParamSpec& spec, std::string_view text)
{
    if (!isNumber(spec.type))
        return checkValue(spec, ParamValue{std::string(text)});
    const auto number = readNumber(text);
    if (!number)
        return badValue(spec, text);
    return checkValue(spec, ParamValue{*number});
}

Result<ParamSet> completeParams(std::span<const ParamSpec> specs, const ParamSet& given, std::string_view targetClass)
{
    ParamSet complete;
    for (const ParamSpec& spec : specs) {
        const auto it = given.find(spec.name);
        if (it == given.end()) {
            const auto other = spec.defaultFor.find(std::string(targetClass));
            complete[spec.name] = other == spec.defaultFor.end() ? spec.defaultValue : other->second;
            continue;
        }
        auto value = checkValue(spec, it->second);
        if (!value)
            return value.error();
        complete[spec.name] = std::move(*value);
    }
    for (const auto& [name, value] : given) {
        if (complete.contains(name))
            continue;
        std::vector<std::string> known;
        std::string list;
        for (const ParamSpec& spec : specs) {
            known.push_back(spec.name);
            list += (list.empty() ? "" : ", ") + spec.name;
        }
        const auto near = nearestNames(name, known);
        return Error{"unknown-parameter", "there is no parameter \"" + name + "\"", "parameter " + name,
                     (near.empty() ? std::string() : "did you mean " + near.front() + "? ") + "Known: " + list};
    }
    return complete;
}

Result<std::pair<std::string, std::string>> splitAssignment(std::string_view text)
{
    const auto equals = text.find('=');
    if (equals == std::string_view::npos || equals == 0 || equals + 1 == text.size())
        return Error{"bad-argument", "\"" + std::string(text) + "\" is not of the form name=value", "",
                     "write for example stride=4"};
    return std::pair{std::string(text.substr(0, equals)), std::string(text.substr(equals + 1))};
}

} // namespace ridge
