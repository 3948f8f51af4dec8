// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/json_value.h"

#include <nlohmann/json.hpp>

namespace ridge {

JsonValue::JsonValue() = default;
JsonValue::JsonValue(const Json& value) : m_value(std::make_unique<Json>(value)) {}
JsonValue::JsonValue(Json&& value) : m_value(std::make_unique<Json>(std::move(value))) {}
JsonValue::JsonValue(const JsonValue& other) : m_value(other.m_value ? std::make_unique<Json>(*other.m_value) : nullptr)
{
}
JsonValue::JsonValue(JsonValue&& other) noexcept = default;
JsonValue& JsonValue::operator=(JsonValue&& other) noexcept = default;
JsonValue::~JsonValue() = default;

JsonValue& JsonValue::operator=(const JsonValue& other)
{
    if (this != &other)
        m_value = other.m_value ? std::make_unique<Json>(*other.m_value) : nullptr;
    return *this;
}

const Json& JsonValue::operator*() const
{
    static const Json null;
    return m_value ? *m_value : null;
}

Json& JsonValue::operator*()
{
    if (!m_value)
        m_value = std::make_unique<Json>();
    return *m_value;
}

bool JsonValue::operator==(const JsonValue& other) const
{
    return **this == *other;
}

} // namespace ridge
