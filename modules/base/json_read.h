// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/json.h"

namespace ridge {

/// Reads fields of one JSON object and remembers the first thing that is wrong, so that a decoder can read straight
/// through and ask once at the end.
class JsonReader {
public:
    JsonReader(const Json& json, std::string place, std::string code = "bad-json");

    std::string text(const char* key, bool required = true);
    double number(const char* key, bool required = true, double otherwise = 0);
    std::int64_t integer(const char* key, bool required = true, std::int64_t otherwise = 0);
    bool boolean(const char* key, bool required = true, bool otherwise = false);
    /// The field, or null (and an error when it is required or of another type).
    const Json* array(const char* key, bool required = true);
    const Json* object(const char* key, bool required = true);
    const Json* any(const char* key, bool required = true);
    std::vector<std::string> texts(const char* key, bool required = true);

    void fail(const std::string& message);
    const std::optional<Error>& error() const { return m_error; }

private:
    const Json* field(const char* key, bool required, const char* expected);
    const Json& m_json;
    std::string m_place;
    std::string m_code;
    std::optional<Error> m_error;
};

} // namespace ridge
