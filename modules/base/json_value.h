// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>

namespace ridge {

/// Keeps the order in which fields were written, so that documents read the way they were declared.
using Json = nlohmann::ordered_json;

/// A JSON document as a member of a value type, with the semantics of a value. It exists so that headers which only
/// carry a document do not make every file that includes them compile the JSON library: that cost a third of a build.
class JsonValue {
public:
    JsonValue(); ///< null
    JsonValue(const Json& value);
    JsonValue(Json&& value);
    JsonValue(const JsonValue& other);
    JsonValue(JsonValue&& other) noexcept;
    JsonValue& operator=(const JsonValue& other);
    JsonValue& operator=(JsonValue&& other) noexcept;
    ~JsonValue();

    const Json& operator*() const;
    Json& operator*();
    const Json* operator->() const { return &**this; }
    Json* operator->() { return &**this; }
    bool operator==(const JsonValue& other) const;

private:
    std::unique_ptr<Json> m_value; ///< null: a moved-from or never written document, which reads as JSON null
};

} // namespace ridge
