// SPDX-License-Identifier: GPL-3.0-or-later
// Store's rows as words, for a search index that is kept elsewhere and can be made again at any time.
#include "record/store_private.h"

#include "base/json.h"

#include <QSqlError>
#include <algorithm>
#include <optional>
#include <unordered_map>

namespace ridge::record {

namespace {

/// Columns: position, id, lesson, block, title, text, created_at, removed and further texts; of a run what runText
/// reads.
QString selectFor(const QString& kind)
{
    if (kind == QLatin1String("run"))
        // Bytes: Qt Sql makes UTF-16 of text, which takes as long as to read the rows.
        return QStringLiteral("SELECT rowid, CAST(id AS BLOB), CAST(lesson AS BLOB), CAST(block AS BLOB),"
                              " CAST(experiment AS BLOB), CAST(params AS BLOB), CAST(created_at AS BLOB),"
                              " CAST(target || ' ' || provenance || ' ' || status || ' ' || validity AS BLOB),"
                              " CAST(error AS BLOB), CAST(metrics AS BLOB) FROM run");
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
std::string namesIn(std::string_view object)
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
    const auto json = parseJson(std::string(object), "metrics");
    if (json && json->is_object())
        for (const auto& [name, value] : json->items())
            names += " " + name;
    return names;
}

/// A sweep has thousands of runs with few parameters each: a text is taken apart once.
class ParameterTexts {
public:
    const std::string& of(const std::string& source)
    {
        if (m_known.size() > kMost)
            m_known.clear();
        const auto [at, fresh] = m_known.try_emplace(source);
        if (fresh)
            at->second = pairs(source);
        return at->second;
    }

private:
    static constexpr std::size_t kMost = 4096;
    std::unordered_map<std::string, std::string> m_known;
};

std::string bytes(const QSqlQuery& row, int column)
{
    return row.value(column).toByteArray().toStdString();
}

/// Its text: parameters, names of the metrics and what went wrong; their numbers are what the run's page is for.
TextRow runText(const QSqlQuery& row, ParameterTexts& known)
{
    TextRow text;
    text.position = row.value(0).toLongLong();
    text.id = bytes(row, 1);
    text.lesson = bytes(row, 2);
    text.block = bytes(row, 3);
    text.title = bytes(row, 4);
    text.createdAt = bytes(row, 6);
    const std::string& parameters = known.of(bytes(row, 5));
    if (!parameters.empty())
        (text.title += "  ") += parameters;
    const QByteArray metrics = row.value(9).toByteArray();
    text.text = parameters + " " + bytes(row, 7) + namesIn({metrics.constData(), std::size_t(metrics.size())});
    const std::string failure = bytes(row, 8);
    if (failure.empty())
        return text;
    const auto error = parseJson(failure, "error");
    if (error && error->is_object())
        text.text += " " + toText(errorFromJson(*error));
    return text;
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
    ParameterTexts known;
    std::vector<TextRow> texts;
    while (rows->next()) {
        if (interrupted())
            return stoppedReading(d->reader->place());
        if (run) {
            texts.push_back(runText(*rows, known));
            continue;
        }
        TextRow text;
        text.position = rows->value(0).toLongLong();
        text.id = rows->value(1).toString().toStdString();
        text.lesson = rows->value(2).toString().toStdString();
        text.block = rows->value(3).toString().toStdString();
        text.title = rows->value(4).toString().toStdString();
        text.text = rows->value(5).toString().toStdString();
        text.createdAt = rows->value(6).toString().toStdString();
        text.removed = rows->value(7).toInt() != 0;
        if (artifact)
            text.text += artifactText(*rows);
        texts.push_back(std::move(text));
    }
    if (rows->lastError().isValid())
        return sqlError(rows->lastError(), d->reader->place());
    return texts;
}

} // namespace ridge::record
