// SPDX-License-Identifier: GPL-3.0-or-later
#include "classroom/bundle_fields.h"

#include "base/json_guard.h"
#include "bundle/keys.h"
#include "record/clock.h"

#include <QRegularExpression>

namespace ridge::classroom {

namespace {

const char* const kAsWritten = "Ask for the file again, as Ridgepoint wrote it";

const Json& emptyObject()
{
    static const Json empty = Json::object();
    return empty;
}

const Json& emptyArray()
{
    static const Json empty = Json::array();
    return empty;
}

} // namespace

bool isUuid(const std::string& text)
{
    static const QRegularExpression form(
        QStringLiteral("\\A[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\\z"));
    return form.match(QString::fromStdString(text)).hasMatch();
}

std::string normalTime(const std::string& text)
{
    const QDateTime time = QDateTime::fromString(QString::fromStdString(text), Qt::ISODateWithMs);
    const bool fourDigits = time.isValid() && time.toUTC().date().year() >= 1 && time.toUTC().date().year() <= 9999;
    return fourDigits ? time.toUTC().toString(Qt::ISODateWithMs).toStdString() : std::string();
}

bool isTime(const std::string& text)
{
    return !text.empty() && normalTime(text) == text;
}

std::string timeNow()
{
    return record::timeStamp().toStdString();
}

ManifestReader::ManifestReader(const Json& json, std::string code, std::string place)
    : m_json(&json), m_code(std::move(code)), m_place(std::move(place))
{
}

ManifestReader ManifestReader::part(const Json& json, const std::string& name) const
{
    ManifestReader inner(json, m_code, m_place);
    inner.m_prefix = m_prefix + name + ".";
    return inner;
}

void ManifestReader::fail(const std::string& field, const std::string& problem)
{
    if (!m_error)
        m_error = Error{m_code, "The manifest's " + m_prefix + field + " " + problem, m_place, kAsWritten};
}

void ManifestReader::join(const ManifestReader& part)
{
    if (!m_error)
        m_error = part.m_error;
}

const Json* ManifestReader::field(const char* key, bool required)
{
    const auto found = m_json->is_object() ? m_json->find(key) : m_json->end();
    if (!m_json->is_object() || found == m_json->end() || found->is_null()) {
        if (required)
            fail(key, "is missing");
        return nullptr;
    }
    return &*found;
}

std::string ManifestReader::text(const char* key, std::size_t longest, bool required)
{
    const Json* value = field(key, required);
    if (!value)
        return {};
    if (!value->is_string()) {
        fail(key, "is not text");
        return {};
    }
    std::string text = value->get<std::string>();
    if (text.size() > longest)
        fail(key, "is longer than " + std::to_string(longest) + " bytes");
    else if (text.find('\0') != std::string::npos)
        fail(key, "holds a NUL character");
    else if (required && text.empty())
        fail(key, "is empty");
    return text;
}

std::string ManifestReader::uuid(const char* key)
{
    std::string value = text(key, 36);
    if (!value.empty() && !isUuid(value))
        fail(key, "is not a UUID");
    return value;
}

std::string ManifestReader::time(const char* key, bool required)
{
    std::string value = text(key, 40, required);
    if (!value.empty() && !isTime(value))
        fail(key, "is not a time of the form 2026-01-31T12:00:00.000Z");
    return value;
}

std::string ManifestReader::hex(const char* key, bool required)
{
    std::string value = text(key, 64, required);
    if (!value.empty() && !bundle::fromHex(value, 32))
        fail(key, "is not 64 hex digits");
    return value;
}

std::uint64_t ManifestReader::size(const char* key)
{
    const Json* value = field(key, true);
    if (value && !value->is_number_unsigned()) {
        fail(key, "is not a size");
        value = nullptr;
    }
    return value ? value->get<std::uint64_t>() : 0;
}

bool ManifestReader::flag(const char* key)
{
    const Json* value = field(key, true);
    if (value && !value->is_boolean()) {
        fail(key, "is neither true nor false");
        value = nullptr;
    }
    return value && value->get<bool>();
}

std::vector<std::string> ManifestReader::texts(const char* key, std::size_t longest, std::size_t most)
{
    std::vector<std::string> all;
    for (const Json& item : array(key, most)) {
        if (!item.is_string() || item.get_ref<const std::string&>().size() > longest ||
            item.get_ref<const std::string&>().find('\0') != std::string::npos)
            fail(key, "is not a list of short texts");
        else
            all.push_back(item.get<std::string>());
    }
    return all;
}

const Json& ManifestReader::object(const char* key, bool required)
{
    const Json* value = field(key, required);
    if (value && !value->is_object()) {
        fail(key, "is not an object");
        value = nullptr;
    }
    return value ? *value : emptyObject();
}

const Json& ManifestReader::array(const char* key, std::size_t most)
{
    const Json* value = field(key, true);
    if (value && !value->is_array()) {
        fail(key, "is not a list");
        value = nullptr;
    }
    if (value && value->size() > most) {
        fail(key, "has more than " + std::to_string(most) + " items");
        value = nullptr;
    }
    return value ? *value : emptyArray();
}

Result<Json> readManifest(const std::vector<bundle::Entry>& entries, const std::string& format, int version,
                          const std::string& code, const std::string& newer, const std::string& file)
{
    const std::string place = file + ", entry " + kManifest;
    const bundle::Entry* entry = bundle::findEntry(entries, kManifest);
    if (!entry)
        return Error{code, "The archive has no manifest.json: it is not a " + format, place, kAsWritten};
    constexpr std::size_t kLongest = 4u << 20;
    if (entry->bytes.size() > kLongest)
        return Error{code, "The manifest has " + std::to_string(entry->bytes.size()) + " bytes", place, kAsWritten};
    auto json = parseUntrustedJson(entry->bytes, kManifestDepth, place);
    if (!json)
        return Error{code, "The manifest cannot be read: " + json.error().message,
                     json.error().place.empty() ? place : json.error().place, kAsWritten};
    const auto text = [&](const char* key) {
        return json->is_object() && json->contains(key) && (*json)[key].is_string() ? (*json)[key].get<std::string>()
                                                                                    : std::string();
    };
    if (text("format") != format)
        return Error{code, "The manifest does not say that this is a " + format, place, kAsWritten};
    const auto found = json->find("version");
    if (found == json->end() || !found->is_number_unsigned() || *found == 0u)
        return Error{code, "The manifest's version is missing", place, kAsWritten};
    if (found->get<std::uint64_t>() > static_cast<std::uint64_t>(version))
        return Error{newer,
                     "The file was written by a later version of Ridgepoint (format " +
                         std::to_string(found->get<std::uint64_t>()) + ", this program knows " +
                         std::to_string(version) + ")",
                     place, "Update Ridgepoint"};
    return json;
}

} // namespace ridge::classroom
