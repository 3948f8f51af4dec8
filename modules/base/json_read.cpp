// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/json_read.h"

#include <cmath>

namespace ridge {

JsonReader::JsonReader(const Json& json, std::string place, std::string code)
    : m_json(json), m_place(std::move(place)), m_code(std::move(code))
{
    if (!json.is_object())
        fail("expected an object");
}

void JsonReader::fail(const std::string& message)
{
    if (!m_error)
        m_error = Error{m_code, message, m_place, ""};
}

const Json* JsonReader::any(const char* key, bool required)
{
    if (!m_json.is_object())
        return nullptr;
    const auto it = m_json.find(key);
    if (it == m_json.end()) {
        if (required)
            fail(std::string("the field \"") + key + "\" is missing");
        return nullptr;
    }
    return &*it;
}

const Json* JsonReader::field(const char* key, bool required, const char* expected)
{
    const Json* value = any(key, required);
    if (!value)
        return nullptr;
    const std::string_view want = expected;
    const bool matches = (want == "text" && value->is_string()) || (want == "number" && value->is_number()) ||
                         (want == "true or false" && value->is_boolean()) || (want == "list" && value->is_array()) ||
                         (want == "object" && value->is_object());
    if (!matches) {
        fail(std::string("the field \"") + key + "\" must be a " + expected);
        return nullptr;
    }
    return value;
}

std::string JsonReader::text(const char* key, bool required)
{
    const Json* value = field(key, required, "text");
    return value ? value->get<std::string>() : std::string();
}

double JsonReader::number(const char* key, bool required, double otherwise)
{
    const Json* value = field(key, required, "number");
    return value ? value->get<double>() : otherwise;
}

std::int64_t JsonReader::integer(const char* key, bool required, std::int64_t otherwise)
{
    const Json* value = field(key, required, "number");
    if (!value)
        return otherwise;
    if (value->is_number_integer())
        return value->get<std::int64_t>();
    const double number = value->get<double>();
    if (std::abs(number) < 9.0e15 && number == std::floor(number))
        return static_cast<std::int64_t>(number);
    fail(std::string("the field \"") + key + "\" must be a whole number");
    return otherwise;
}

bool JsonReader::boolean(const char* key, bool required, bool otherwise)
{
    const Json* value = field(key, required, "true or false");
    return value ? value->get<bool>() : otherwise;
}

const Json* JsonReader::array(const char* key, bool required)
{
    return field(key, required, "list");
}

const Json* JsonReader::object(const char* key, bool required)
{
    return field(key, required, "object");
}

std::vector<std::string> JsonReader::texts(const char* key, bool required)
{
    std::vector<std::string> out;
    const Json* list = array(key, required);
    if (!list)
        return out;
    for (const Json& item : *list) {
        if (!item.is_string()) {
            fail(std::string("the list \"") + key + "\" must hold only text");
            return {};
        }
        out.push_back(item.get<std::string>());
    }
    return out;
}

} // namespace ridge
