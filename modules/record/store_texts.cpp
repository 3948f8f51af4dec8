// SPDX-License-Identifier: GPL-3.0-or-later
// Store's rows as words, for a search index that is kept elsewhere and can be made again at any time.
#include "record/store_private.h"

#include "base/json.h"

#include <QSqlError>
#include <algorithm>
#include <optional>

namespace ridge::record {

namespace {

/// Columns: position, id, lesson, block, title, text (parameters as JSON for a run), created_at, removed.
QString selectFor(const QString& kind)
{
    if (kind == QLatin1String("run"))
        return QStringLiteral("SELECT rowid, id, lesson, block, experiment, params, created_at, 0,"
                              " target || ' ' || provenance || ' ' || status || ' ' || validity,"
                              " coalesce(error, ''), CAST(metrics AS BLOB) FROM run"); // bytes: no way through UTF-16
    if (kind == QLatin1String("artifact"))
        // The claim is the one text that was filled in from results: it stands between two separators.
        return QStringLiteral("SELECT rowid, coalesce(artifact_id, id), lesson, '', title,"
                              " replace(question, char(30), ' ') || char(30) || replace(claim, char(30), ' ') ||"
                              " char(30) || reflection || char(10) || kind, created_at,"
                              " coalesce(removed, 0), coalesce(sections, ''), coalesce(figures, '') FROM artifact");
    if (kind == QLatin1String("journal"))
        return QStringLiteral("SELECT rowid, entry_id, lesson, '', title, kind || char(10) || text, created_at, removed"
                              " FROM journal");
    if (kind == QLatin1String("note"))
        return QStringLiteral("SELECT rowid, note_id, lesson, block, quote, text, created_at, removed FROM note");
    return {};
}

/// A JSON object as "name=value name=value".
std::string pairs(const std::string& source)
{
    const auto json = parseJson(source, "params");
    std::string out;
    if (!json || !json->is_object())
        return out;
    for (const auto& [name, value] : json->items()) {
        if (!out.empty())
            out += ' ';
        out += name + "=" + (value.is_string() ? value.get<std::string>() : value.dump());
    }
    return out;
}

/// The names of {"name":{…},…}, each with a blank in front, where no value is an object that holds another and nothing
/// is escaped: then quotes in front of the brace that ends a value come in pairs. Nothing for any other text.
std::optional<std::string> plainNames(std::string_view object)
{
    if (object.size() < 2 || object.front() != '{' || object.find('\\') != std::string_view::npos)
        return std::nullopt;
    std::string names;
    for (std::size_t at = 1; object[at] == '"';) {
        const std::size_t name = at + 1, end = object.find('"', name);
        if (end == std::string_view::npos || object.substr(end + 1, 2) != ":{")
            return std::nullopt;
        (names += ' ') += object.substr(name, end - name);
        const std::size_t value = end + 3;
        std::size_t close = object.find('}', value);
        while (close != std::string_view::npos && std::count(&object[value], &object[close], '"') % 2 != 0)
            close = object.find('}', close + 1);
        if (close == std::string_view::npos || object.substr(value, close - value).find('{') != std::string_view::npos)
            return std::nullopt;
        if (close + 2 == object.size() && object.back() == '}')
            return names;
        if (close + 2 >= object.size() || object[close + 1] != ',')
            return std::nullopt;
        at = close + 2;
    }
    return std::nullopt;
}

/// The names in an object, each with a blank in front. Two thousand bytes of metrics a run take long to be made a
/// document of for the sake of twenty words. Names with escapes, and what is no object, are left to the parser.
std::string namesIn(const std::string& object)
{
    if (auto plain = plainNames(object))
        return *plain;
    std::string names;
    int depth = 0;
    bool wantsName = false;
    for (std::size_t at = 0; at < object.size(); ++at) {
        const char letter = object[at];
        if (letter == '"') {
            const std::size_t from = at + 1;
            std::size_t end = from;
            while (end < object.size() && object[end] != '"')
                end += object[end] == '\\' ? 2 : 1;
            if (end >= object.size())
                break;
            const std::string_view word(object.data() + from, end - from);
            if (depth == 1 && wantsName) {
                if (word.find('\\') != std::string_view::npos)
                    break;
                (names += ' ') += word;
                wantsName = false;
            }
            at = end;
        } else if (letter == '{' || letter == '[') {
            wantsName = ++depth == 1 && letter == '{';
        } else if (letter == '}' || letter == ']') {
            if (--depth == 0)
                return names;
        } else if (letter == ',' && depth == 1) {
            wantsName = true;
        }
    }
    names.clear();
    const auto json = parseJson(object, "metrics");
    if (json && json->is_object())
        for (const auto& [name, value] : json->items())
            names += " " + name;
    return names;
}

/// Names of the metrics and what went wrong: their numbers are what the run's page is for.
std::string runText(const QSqlQuery& row, const std::string& parameters)
{
    std::string out = parameters + " " + row.value(8).toString().toStdString();
    out += namesIn(row.value(10).toByteArray().toStdString());
    const std::string failure = row.value(9).toString().toStdString();
    if (failure.empty())
        return out;
    const auto error = parseJson(failure, "error");
    if (error && error->is_object())
        out += " " + toText(errorFromJson(*error));
    return out;
}

/// What an artifact says beyond its first four texts: sections, and the names of figures read from files.
std::string artifactText(const QSqlQuery& row)
{
    std::string out;
    const auto sections = parseJson(row.value(8).toString().toStdString(), "sections");
    if (sections && sections->is_object())
        for (const auto& [name, section] : sections->items())
            if (section.is_string())
                out += "\n" + section.get<std::string>();
    const auto figures = parseJson(row.value(9).toString().toStdString(), "figures");
    if (figures && figures->is_array())
        for (const Json& figure : *figures)
            if (figure.is_object() && figure.value("name", Json()).is_string())
                out += "\n" + figure["name"].get<std::string>();
    return out;
}

} // namespace

Result<std::vector<TextRow>> Store::texts(const QString& kind, std::int64_t after, int limit) const
{
    const QString select = selectFor(kind);
    if (select.isEmpty())
        return Error{"bad-row", "There is no text in rows of kind " + kind.toStdString(), "texts",
                     "Kinds are run, artifact, note and journal"};
    auto rows = d->reader->query(select + QStringLiteral(" WHERE rowid > ? ORDER BY rowid LIMIT ?"),
                                 {static_cast<qlonglong>(after), limit});
    if (!rows)
        return rows.error();
    const bool run = kind == QLatin1String("run"), artifact = kind == QLatin1String("artifact");
    std::vector<TextRow> texts;
    while (rows->next()) {
        if (interrupted())
            return stoppedReading(d->reader->place());
        TextRow text;
        text.position = rows->value(0).toLongLong();
        text.id = rows->value(1).toString().toStdString();
        text.lesson = rows->value(2).toString().toStdString();
        text.block = rows->value(3).toString().toStdString();
        text.title = rows->value(4).toString().toStdString();
        text.text = rows->value(5).toString().toStdString();
        text.createdAt = rows->value(6).toString().toStdString();
        text.removed = rows->value(7).toInt() != 0;
        if (run) {
            const std::string parameters = pairs(text.text);
            text.title += parameters.empty() ? std::string() : "  " + parameters;
            text.text = runText(*rows, parameters);
        } else if (artifact) {
            text.text += artifactText(*rows);
        }
        texts.push_back(std::move(text));
    }
    if (rows->lastError().isValid())
        return sqlError(rows->lastError(), d->reader->place());
    return texts;
}

} // namespace ridge::record
