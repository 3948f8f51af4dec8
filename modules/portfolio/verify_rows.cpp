// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/json.h"
#include "base/json_guard.h"
#include "portfolio/row_redaction.h"
#include "portfolio/verify.h"
#include "record/row_lines.h"

#include <set>

namespace ridge::folio {
namespace {

constexpr std::size_t kLongestLine = 4u << 20;
constexpr int kDeepest = 32;

/// Ids that a line refers to, with the column that does.
std::vector<std::pair<std::string, std::string>> references(const Json& columns)
{
    std::vector<std::pair<std::string, std::string>> all;
    for (const auto& [name, value] : columns.items()) {
        if (!value.is_string())
            continue;
        const std::string& text = value.get_ref<const std::string&>();
        if (name == "prediction_id" || name == "of_prediction_id" || name == "run_id") {
            if (!text.empty())
                all.push_back({name, text});
        } else if (name == "prediction_ids" || name == "run_ids") {
            const auto list = parseUntrustedJson(text, kDeepest, name);
            if (!list || !list->is_array()) {
                all.push_back({name, "a list"});
                continue;
            }
            for (const Json& id : *list)
                all.push_back({name, id.is_string() ? id.get<std::string>() : id.dump()});
        }
    }
    return all;
}

class RedactedRows {
public:
    explicit RedactedRows(std::vector<Error>& findings) : m_findings(findings) {}

    std::size_t check(std::string_view text)
    {
        if (!text.empty() && !text.ends_with('\n'))
            m_findings.push_back({"rows-format", "The last line is not finished.", "rows.jsonl", kFix});
        while (!text.empty() && m_findings.size() < 50) {
            ++m_line;
            const std::size_t end = std::min(text.find('\n'), text.size());
            line(text.substr(0, end));
            text = text.substr(std::min(end + 1, text.size()));
        }
        return m_line;
    }

private:
    static constexpr const char* kFix = "Ask the author for the portfolio as it was exported.";

    std::string place() const { return "rows.jsonl:" + std::to_string(m_line); }
    void fault(const char* code, const std::string& message) { m_findings.push_back({code, message, place(), kFix}); }

    void line(std::string_view text)
    {
        if (text.size() > kLongestLine)
            return fault("rows-large", "The line has " + std::to_string(text.size()) + " bytes.");
        const auto json = parseUntrustedJson(text, kDeepest, place());
        if (!json)
            return fault("rows-format", json.error().message);
        static const std::vector<std::string> keys = {"kind",     "id",     "created_at", "origin",  "seq",
                                                      "previous", "digest", "columns",    "redacted"};
        if (!json->is_object() || json->size() != keys.size())
            return fault("rows-format", "The line is no row without details.");
        for (const std::string& key : keys) {
            const Json value = json->value(key, Json());
            const bool fits = key == "seq"        ? value.is_number_integer()
                              : key == "columns"  ? value.is_object()
                              : key == "redacted" ? value.is_array()
                                                  : value.is_string();
            if (!fits)
                return fault("rows-format", "The row's " + key + " is missing or of the wrong kind.");
        }
        if ((*json)["digest"] != redactedDigest(*json))
            fault("rows-digest", "The row was changed: its digest is another one.");
        if ((*json)["previous"] != m_previous)
            fault("rows-chain", "A row before this one was changed, taken out or moved.");
        m_previous = (*json)["digest"].get<std::string>();
        if (!m_ids.insert((*json)["id"].get<std::string>()).second)
            fault("rows-double", "The id " + (*json)["id"].get<std::string>() + " stands twice.");
        for (const auto& [column, id] : references((*json)["columns"]))
            if (!m_ids.contains(id))
                fault("rows-reference", column + " names " + id + ", and no row before it has that id.");
    }

    std::vector<Error>& m_findings;
    std::set<std::string> m_ids;
    std::string m_previous = std::string(64, '0');
    std::size_t m_line = 0;
};

} // namespace

std::size_t verifyRows(const std::string& text, bool redacted, std::vector<Error>& findings)
{
    if (redacted)
        return RedactedRows(findings).check(text);
    const auto rows = record::parseRowLines(text);
    if (!rows) {
        findings.push_back(rows.error());
        return 0;
    }
    return rows->size();
}

} // namespace ridge::folio
