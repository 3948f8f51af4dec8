// SPDX-License-Identifier: GPL-3.0-or-later
#include "portfolio/row_redaction.h"

#include "base/hash.h"
#include "base/json.h"
#include "record/graded_kernel.h"
#include "record/row_lines.h"

#include <algorithm>

namespace ridge::folio {
namespace {

/// Which table a column's id is of, by the column's name; empty: it holds no id.
std::string idKind(const std::string& kind, const std::string& column)
{
    static const std::map<std::string, std::string> kinds = {
        {"id", ""},
        {"sweep_id", "sweep"},
        {"prediction_id", "prediction"},
        {"of_prediction_id", "prediction"},
        {"run_id", "run"},
        {"artifact_id", "artifact"},
        {"entry_id", "journal"},
        {"note_id", "note"},
        {"subject_id", "subject"},
        {"prediction_ids", "prediction"},
        {"run_ids", "run"},
        {"journal_ids", "journal"},
    };
    const auto found = kinds.find(column);
    if (found == kinds.end())
        return {};
    return found->second.empty() ? kind : found->second;
}

/// A line of rows.jsonl without details. Keeps its shape.
class LineRedaction {
public:
    LineRedaction(Redactor& redactor, const record::Withholding& held, const std::map<std::string, std::string>& files,
                  std::set<std::string>& columns)
        : m_redactor(redactor), m_held(held), m_files(files), m_columns(columns)
    {
    }

    /// `lesson`: that of the row, or of the artifact a reproduction is of.
    Json of(const Json& line, const std::string& lesson)
    {
        m_changed.clear();
        m_kind = line.value("kind", std::string());
        m_reason = record::Withholding::reason(m_held.result, lesson);
        Json out = Json::object();
        for (const auto& [key, value] : line.items()) {
            if (key == "id")
                out[key] = keep(key, value, Json(m_redactor.id(m_kind, value.get<std::string>())));
            else if (key == "created_at")
                out[key] = keep(key, value, Json(m_redactor.time(value.get<std::string>())));
            else if (key == "origin")
                out[key] = keep(key, value, Json(m_redactor.origin(value.get<std::string>())));
            else if (key == "columns")
                out[key] = columns(value);
            else
                out[key] = value;
        }
        return out;
    }
    const std::set<std::string>& changed() const { return m_changed; }

private:
    Json keep(const std::string& name, const Json& before, Json after)
    {
        if (before != after) {
            m_changed.insert(name);
            m_columns.insert(m_kind + "." + name);
        }
        return after;
    }
    Json columns(const Json& columns)
    {
        Json out = Json::object();
        for (const auto& [name, value] : columns.items())
            out[name] =
                keep(name, value, value.is_string() ? withFiles(name, column(name, value.get<std::string>())) : value);
        if (!m_reason.empty())
            withhold(columns, out);
        return out;
    }
    /// Names of files as they are given away.
    Json withFiles(const std::string& name, Json value) const
    {
        if ((name != "code" && name != "files" && name != "grading") || !value.is_string())
            return value;
        std::string text = value.get<std::string>();
        for (const auto& [before, after] : m_files)
            for (std::size_t at = text.find(before); at != std::string::npos; at = text.find(before, at + after.size()))
                text.replace(at, before.size(), after);
        return text;
    }
    /// What record::withhold takes out of rows, in the form in which the record keeps rows.
    void withhold(const Json& before, Json& out)
    {
        const auto put = [&](const char* kind, const char* name, const Json& instead) {
            if (m_kind == kind && before.contains(name) && before[name].is_string() && before[name] != Json(""))
                out[name] = keep(name, before[name], instead);
        };
        put("run", "metrics", Json("{}"));
        put("run", "limits", Json("{}"));
        put("run", "checks", Json("[]"));
        put("run", "trace_sha256", Json());
        put("artifact", "claim", Json(record::heldClaim(m_reason)));
        put("artifact", "grading", Json());
        if (const auto lesson = before.find("lesson");
            lesson != before.end() && lesson->is_string() &&
            lesson->get<std::string>().starts_with(record::kGradedKernelPrefix)) {
            put("artifact", "figures", Json("[]"));
            put("artifact", "sections", Json("{}"));
        }
        put("reproduction", "pairs", Json("[]"));
        put("reproduction", "grading", Json());
    }
    /// Of parameters only words can tell of a person: a file in somebody's folder.
    std::string settings(const std::string& value)
    {
        const auto document = parseJson(value, "params");
        if (!document || !document->is_object())
            return m_redactor.text(value);
        Json out = *document;
        for (auto& item : out)
            if (item.is_string())
                item = m_redactor.setting(item.get_ref<const std::string&>());
        return out == *document ? value : out.dump();
    }
    Json ids(const std::string& kind, const Json& list)
    {
        Json out = Json::array();
        for (const Json& id : list)
            out.push_back(id.is_string() ? Json(m_redactor.id(kind, id.get<std::string>())) : id);
        return out;
    }
    Json column(const std::string& name, const std::string& value)
    {
        if (const std::string kind = idKind(m_kind, name); !kind.empty()) {
            if (!value.starts_with('['))
                return m_redactor.id(kind, value);
            if (const auto list = parseJson(value, name); list && list->is_array())
                return ids(kind, *list).dump();
            return value;
        }
        // Numbers and names of an experiment are not a person's.
        static const std::set<std::string> facts = {"metrics", "limits", "seed", "sha256", "trace_sha256"};
        if (facts.contains(name))
            return value;
        if (name == "params")
            return settings(value);
        if (value.starts_with('{') || value.starts_with('['))
            if (const auto document = parseJson(value, name)) {
                const Json clean = name == "pairs" || name == "evidence" ? withIds(*document) : *document;
                const Json done = m_redactor.json(clean);
                return done == *document ? Json(value) : Json(done.dump());
            }
        return m_redactor.text(value);
    }
    /// Ids of rows deep in a document: of runs that were repeated, of what an outcome rests on.
    Json withIds(const Json& value)
    {
        if (value.is_string()) {
            const std::string& text = value.get_ref<const std::string&>();
            const bool uuid = text.size() == 36 && text[8] == '-' && text[13] == '-' && text[18] == '-';
            return uuid ? Json(m_redactor.id("run", text)) : value;
        }
        if (!value.is_structured())
            return value;
        Json out = value.is_array() ? Json::array() : Json::object();
        for (const auto& [key, item] : value.items()) {
            if (value.is_array())
                out.push_back(withIds(item));
            else
                out[key] = withIds(item);
        }
        return out;
    }

    Redactor& m_redactor;
    const record::Withholding& m_held;
    const std::map<std::string, std::string>& m_files;
    std::set<std::string>& m_columns;
    std::set<std::string> m_changed;
    std::string m_kind, m_reason;
};

std::string columnOf(const Json& line, const char* name)
{
    const auto columns = line.find("columns");
    const Json value = columns != line.end() && columns->is_object() ? columns->value(name, Json()) : Json();
    return value.is_string() ? value.get<std::string>() : std::string();
}

/// Places among the rows of the same record, from 1. The place in the record would tell how much else it holds; the
/// order has to stay, since it shows that a prediction came before its run.
std::vector<std::size_t> ranksOf(const std::vector<Json>& lines)
{
    std::map<std::string, std::vector<std::pair<std::int64_t, std::size_t>>> records;
    for (std::size_t i = 0; i < lines.size(); ++i)
        records[lines[i].value("origin", std::string())].push_back({lines[i].value("seq", std::int64_t(0)), i});
    std::vector<std::size_t> ranks(lines.size());
    for (auto& [origin, places] : records) {
        std::sort(places.begin(), places.end());
        for (std::size_t rank = 0; rank < places.size(); ++rank)
            ranks[places[rank].second] = rank + 1;
    }
    return ranks;
}

} // namespace

std::string redactedDigest(const Json& line)
{
    Json rest = line;
    rest.erase("digest");
    return sha256Hex(rest.dump());
}

Result<PortfolioRows> portfolioRows(const record::Store& store, const std::vector<std::string>& ids, Redactor& redactor,
                                    const record::Withholding& held, const std::map<std::string, std::string>& files)
{
    record::RowSelection selection;
    selection.ids = ids;
    auto text = record::rowLines(store, selection);
    if (!text)
        return text.error();
    PortfolioRows rows;
    LineRedaction redaction(redactor, held, files, rows.columns);
    std::map<std::string, std::string> lessons; // of artifacts
    std::vector<Json> lines;
    std::vector<std::set<std::string>> changed;
    std::size_t touched = 0;
    std::string_view rest = *text;
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        auto line = parseJson(rest.substr(0, end), "rows.jsonl:" + std::to_string(lines.size() + 1));
        if (!line)
            return line.error();
        lines.push_back(std::move(*line));
        if (lines.back()["kind"] == "artifact")
            for (const std::string& id : {columnOf(lines.back(), "artifact_id"), lines.back().value("id", "")})
                lessons[id] = columnOf(lines.back(), "lesson"); // its first version has no other id
        rest = rest.substr(std::min(end + 1, rest.size()));
    }
    for (Json& line : lines) {
        const auto of = lessons.find(columnOf(line, "artifact_id"));
        line = redaction.of(line, line["kind"] == "reproduction" && of != lessons.end() ? of->second
                                                                                        : columnOf(line, "lesson"));
        changed.push_back(redaction.changed());
        touched += redaction.changed().empty() ? 0 : 1;
    }
    rows.rows = lines.size();
    // Digests tell which record a row is of, and the original ones do not hold for changed rows.
    if (touched == 0 && redactor.shows(Detail::Record)) {
        rows.text = std::move(*text);
        return rows;
    }
    rows.redacted = lines.size();
    std::string previous(64, '0');
    const std::vector<std::size_t> ranks = ranksOf(lines);
    for (std::size_t i = 0; i < lines.size(); ++i) {
        Json& line = lines[i];
        line["seq"] = ranks[i];
        line["redacted"] = Json::array();
        for (const std::string& name : changed[i])
            line["redacted"].push_back(name);
        line["previous"] = previous;
        line["digest"] = previous = redactedDigest(line);
        rows.text += line.dump() + "\n";
    }
    return rows;
}

} // namespace ridge::folio
