// SPDX-License-Identifier: GPL-3.0-or-later
#include "portfolio/json_schema.h"

#include "base/json.h"

#include <QRegularExpression>
#include <cmath>
#include <set>

namespace ridge::folio {
namespace {

constexpr std::size_t kMostFaults = 50;

std::string shortened(const Json& value)
{
    std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
    return text.size() > 60 ? text.substr(0, 57) + "…" : text;
}

bool isType(const Json& value, const std::string& type)
{
    return type == "object"    ? value.is_object()
           : type == "array"   ? value.is_array()
           : type == "string"  ? value.is_string()
           : type == "boolean" ? value.is_boolean()
           : type == "null"    ? value.is_null()
           : type == "number"  ? value.is_number()
           : type == "integer" ? value.is_number_integer() ||
                                     (value.is_number() && std::floor(value.get<double>()) == value.get<double>())
                               : false;
}

std::string step(const std::string& name)
{
    std::string out = "/";
    for (char c : name)
        out += c == '~' ? std::string("~0") : c == '/' ? std::string("~1") : std::string(1, c);
    return out;
}

/// Code points, as the schema counts them.
std::size_t letters(const std::string& text)
{
    std::size_t count = 0;
    for (char c : text)
        count += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    return count;
}

class Checker {
public:
    explicit Checker(const Json& root) : m_root(root) {}

    void check(const Json& value, const Json& schema, const std::string& at)
    {
        if (m_faults.size() >= kMostFaults)
            return;
        for (const auto& [word, rule] : schema.items())
            if (!keyword(word))
                return fault(at, "the schema uses '" + word + "', which is not checked here");
        if (const auto ref = schema.find("$ref"); ref != schema.end()) {
            const std::string target = ref->get<std::string>();
            if (!target.starts_with("#/") || !m_root.contains(Json::json_pointer(target.substr(1))))
                return fault(at, "the schema refers to " + target + ", which it does not have");
            return check(value, m_root[Json::json_pointer(target.substr(1))], at);
        }
        if (!typeFits(value, schema))
            return fault(at, shortened(value) + " is not " + shortened(schema["type"]));
        if (const auto fixed = schema.find("const"); fixed != schema.end() && value != *fixed)
            fault(at, shortened(value) + " has to be " + shortened(*fixed));
        if (const auto list = schema.find("enum");
            list != schema.end() && std::find(list->begin(), list->end(), value) == list->end())
            fault(at, shortened(value) + " is none of " + shortened(*list));
        if (value.is_string())
            text(value.get_ref<const std::string&>(), schema, at);
        if (value.is_number())
            number(value.get<double>(), schema, at);
        if (value.is_array())
            array(value, schema, at);
        if (value.is_object())
            object(value, schema, at);
    }
    std::vector<SchemaFault> take() { return std::move(m_faults); }

private:
    static bool keyword(const std::string& word)
    {
        static const std::set<std::string> known = {"type",     "required",    "properties", "additionalProperties",
                                                    "items",    "enum",        "const",      "pattern",
                                                    "minimum",  "maximum",     "minLength",  "maxLength",
                                                    "minItems", "uniqueItems", "$ref",       "$defs",
                                                    "$schema",  "$id",         "title",      "description"};
        return known.contains(word);
    }
    static bool typeFits(const Json& value, const Json& schema)
    {
        const auto type = schema.find("type");
        if (type == schema.end())
            return true;
        if (type->is_string())
            return isType(value, type->get<std::string>());
        return std::any_of(type->begin(), type->end(),
                           [&value](const Json& one) { return isType(value, one.get<std::string>()); });
    }
    void fault(const std::string& at, const std::string& message) { m_faults.push_back({at, message}); }
    void text(const std::string& value, const Json& schema, const std::string& at)
    {
        if (const auto least = schema.find("minLength");
            least != schema.end() && letters(value) < least->get<std::size_t>())
            fault(at, "the text is empty or too short");
        if (const auto most = schema.find("maxLength");
            most != schema.end() && letters(value) > most->get<std::size_t>())
            fault(at, "the text is longer than " + most->dump() + " letters");
        if (const auto pattern = schema.find("pattern"); pattern != schema.end()) {
            const QRegularExpression expression(QString::fromStdString(pattern->get<std::string>()),
                                                QRegularExpression::DontCaptureOption);
            if (!expression.match(QString::fromStdString(value)).hasMatch())
                fault(at, shortened(value) + " does not look like " + pattern->get<std::string>());
        }
    }
    void number(double value, const Json& schema, const std::string& at)
    {
        if (const auto least = schema.find("minimum"); least != schema.end() && value < least->get<double>())
            fault(at, shortened(value) + " is less than " + least->dump());
        if (const auto most = schema.find("maximum"); most != schema.end() && value > most->get<double>())
            fault(at, shortened(value) + " is more than " + most->dump());
    }
    void array(const Json& value, const Json& schema, const std::string& at)
    {
        if (const auto least = schema.find("minItems");
            least != schema.end() && value.size() < least->get<std::size_t>())
            fault(at, "the list has fewer than " + least->dump() + " entries");
        if (schema.value("uniqueItems", false)) {
            std::set<std::string> seen;
            for (const Json& item : value)
                if (!seen.insert(item.dump()).second)
                    fault(at, shortened(item) + " stands there twice");
        }
        if (const auto items = schema.find("items"); items != schema.end())
            for (std::size_t i = 0; i < value.size(); ++i)
                check(value[i], *items, at + "/" + std::to_string(i));
    }
    void object(const Json& value, const Json& schema, const std::string& at)
    {
        if (const auto required = schema.find("required"); required != schema.end())
            for (const Json& name : *required)
                if (!value.contains(name.get<std::string>()))
                    fault(at, "'" + name.get<std::string>() + "' is missing");
        const auto properties = schema.find("properties");
        for (const auto& [name, item] : value.items()) {
            if (properties != schema.end() && properties->contains(name))
                check(item, (*properties)[name], at + step(name));
            else if (schema.value("additionalProperties", Json(true)) == Json(false))
                fault(at + step(name), "nobody knows the field '" + name + "'");
        }
    }

    const Json& m_root;
    std::vector<SchemaFault> m_faults;
};

/// Walks JSON that is known to be well-formed and stops where the pointer leads.
class Finder {
public:
    Finder(std::string_view text, const std::string& pointer) : m_text(text), m_wanted(pointer) {}
    int line()
    {
        value("");
        if (!m_found)
            return 1;
        return 1 +
               static_cast<int>(std::count(m_text.begin(), m_text.begin() + static_cast<std::ptrdiff_t>(m_at), '\n'));
    }

private:
    void blank()
    {
        while (m_at < m_text.size() && std::string_view(" \t\r\n").find(m_text[m_at]) != std::string_view::npos)
            ++m_at;
    }
    std::string string()
    {
        std::string out;
        for (++m_at; m_at < m_text.size() && m_text[m_at] != '"'; ++m_at) {
            if (m_text[m_at] == '\\')
                out += m_text[m_at++];
            if (m_at < m_text.size())
                out += m_text[m_at];
        }
        ++m_at;
        return out;
    }
    void value(const std::string& at)
    {
        blank();
        if (m_found || m_at >= m_text.size())
            return;
        if (at == m_wanted) {
            m_found = true;
            return;
        }
        const char open = m_text[m_at];
        if (open == '"') {
            string();
        } else if (open == '{' || open == '[') {
            ++m_at;
            for (std::size_t n = 0;; ++n) {
                blank();
                if (m_found || m_at >= m_text.size())
                    return;
                if (m_text[m_at] == '}' || m_text[m_at] == ']') {
                    ++m_at;
                    return;
                }
                if (m_text[m_at] == ',') {
                    ++m_at;
                    blank();
                }
                std::string name = std::to_string(n);
                if (open == '{') {
                    name = string();
                    blank();
                    ++m_at; // the colon
                }
                value(at + step(name));
            }
        } else {
            while (m_at < m_text.size() && std::string_view(",]} \t\r\n").find(m_text[m_at]) == std::string_view::npos)
                ++m_at;
        }
    }

    std::string_view m_text;
    std::string m_wanted;
    std::size_t m_at = 0;
    bool m_found = false;
};

} // namespace

std::vector<SchemaFault> checkSchema(const Json& document, const Json& schema)
{
    Checker checker(schema);
    checker.check(document, schema, "");
    return checker.take();
}

int lineOfPointer(std::string_view text, const std::string& pointer)
{
    return Finder(text, pointer).line();
}

} // namespace ridge::folio
