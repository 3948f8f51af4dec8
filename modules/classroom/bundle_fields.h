// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/json.h"
#include "bundle/archive.h"

#include <string>
#include <vector>

namespace ridge::classroom {

// What the manifests of assignments and submissions have in common.

inline constexpr const char* kManifest = "manifest.json";
inline constexpr int kManifestDepth = 8;

/// Reads a manifest and remembers the first thing that is wrong, with the field's name.
class ManifestReader {
public:
    /// `code` is that of the errors, `place` names file and entry.
    ManifestReader(const Json& json, std::string code, std::string place);

    std::string text(const char* key, std::size_t longest, bool required = true);
    std::string uuid(const char* key);
    std::string time(const char* key, bool required = true);
    /// 64 lower-case hex digits: a key or a SHA-256.
    std::string hex(const char* key, bool required = true);
    std::uint64_t size(const char* key);
    bool flag(const char* key);
    std::vector<std::string> texts(const char* key, std::size_t longest, std::size_t most);
    /// The field when it is an object or an array of that type, else an empty one.
    const Json& object(const char* key, bool required = true);
    const Json& array(const char* key, std::size_t most);
    /// A reader for a part, which fails as this one does.
    ManifestReader part(const Json& json, const std::string& name) const;

    void fail(const std::string& field, const std::string& problem);
    /// Takes over what a part has found.
    void join(const ManifestReader& part);
    const std::optional<Error>& error() const { return m_error; }

private:
    const Json* field(const char* key, bool required);
    const Json* m_json;
    std::string m_code, m_place, m_prefix;
    std::optional<Error> m_error;
};

/// The manifest of an archive. Errors of code `code`: none there, not JSON, not an object, another format.
/// "<newer>" when its version is above `version`.
Result<Json> readManifest(const std::vector<bundle::Entry>& entries, const std::string& format, int version,
                          const std::string& code, const std::string& newer, const std::string& file);

bool isUuid(const std::string& text);
/// ISO 8601, UTC, milliseconds: "2026-01-31T12:00:00.000Z".
bool isTime(const std::string& text);
/// Any ISO 8601 time in that form; empty where it is none.
std::string normalTime(const std::string& text);
std::string timeNow();

} // namespace ridge::classroom
