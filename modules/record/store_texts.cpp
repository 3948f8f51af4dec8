// SPDX-License-Identifier: GPL-3.0-or-later
// Store's rows as words, for a search index that is kept elsewhere and can be made again at any time.
#include "record/store_private.h"

#include "base/json.h"

#include <QSqlError>
#include <algorithm>
#include <cstring>
#include <optional>

namespace ridge::record {

namespace {

/// Words of a run, in runText's order, for one that holds a separator somewhere: a blank takes its place.
QString selectOddRun()
{
    return QStringLiteral("SELECT CAST(id || %1 || created_at || %1 || replace(lesson, %1, ' ') || %1 ||"
                          " replace(block, %1, ' ') || %1 || replace(experiment, %1, ' ') || %1 ||"
                          " replace(target || ' ' || provenance || ' ' || status || ' ' || validity, %1, ' ') || %1 ||"
                          " coalesce(error, '') || %1 || params AS BLOB) FROM run WHERE rowid = ?")
        .arg(QLatin1String("char(30)"));
}

/// Columns: position, id, lesson, block, title, text, created_at, removed and further texts; of a run what runText
/// reads.
QString selectFor(const QString& kind)
{
    if (kind == QLatin1String("run"))
        // Bytes: Qt Sql makes UTF-16 of text. Few columns: each costs it several pieces of memory, which takes longer
        // than to read the rows. One printf: SQLite copies a text anew with each || and each replace.
        return QStringLiteral("SELECT rowid, CAST(printf('%s\x1e%s\x1e%s\x1e%s\x1e%s\x1e%s %s %s %s\x1e%s\x1e%s', id,"
                              " created_at, lesson, block, experiment, target, provenance, status, validity, error,"
                              " params) AS BLOB), CAST(metrics AS BLOB) FROM run");
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

/// A JSON object as "name=value name=value", where it is {"name":value,…} as the store writes it, without escapes, and
/// every value is a whole number or a text. Nothing for any other text.
std::optional<std::string> plainPairs(std::string_view object)
{
    if (object.size() < 2 || object.front() != '{' || object.back() != '}' ||
        object.find('\\') != std::string_view::npos)
        return std::nullopt;
    std::string out;
    out.reserve(object.size());
    std::string_view rest = object.substr(1, object.size() - 2);
    while (!rest.empty()) {
        const std::size_t end = rest.find('"', 1);
        if (rest.front() != '"' || end == std::string_view::npos || rest.substr(end, 2) != "\":")
            return std::nullopt;
        if (!out.empty())
            out += ' ';
        (out += rest.substr(1, end - 1)) += '=';
        rest.remove_prefix(end + 2);
        std::size_t size = 0;
        if (!rest.empty() && rest.front() == '"') {
            const std::size_t close = rest.find('"', 1);
            if (close == std::string_view::npos)
                return std::nullopt;
            out += rest.substr(1, close - 1);
            size = close + 1;
        } else {
            size = std::min(rest.find(','), rest.size());
            const std::string_view value = rest.substr(0, size);
            const std::string_view digits = value.substr(value.starts_with('-') ? 1 : 0);
            const bool number = !digits.empty() && digits.size() < 19 && (digits == "0" || digits.front() != '0') &&
                                digits.find_first_not_of("0123456789") == std::string_view::npos && value != "-0";
            if (!number)
                return std::nullopt;
            out += value;
        }
        rest.remove_prefix(size);
        if (rest.empty())
            return out;
        if (rest.front() != ',' || rest.size() < 2)
            return std::nullopt;
        rest.remove_prefix(1);
    }
    return out;
}

/// A JSON object as "name=value name=value".
std::string pairs(std::string_view source)
{
    if (auto plain = plainPairs(source))
        return *plain;
    const auto json = parseJson(std::string(source), "params");
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

/// The names of metrics of one run after another. The runs of an experiment have the same names and other numbers, so
/// that it is looked first whether the names of the run before stand where they have to.
class MetricNames {
public:
    const std::string& of(std::string_view object)
    {
        if (fits(object))
            return m_names;
        m_between.clear();
        if (auto plain = plainNames(object)) {
            m_names = std::move(*plain);
            std::string_view rest = std::string_view(m_names).substr(1);
            for (bool more = true; more;) {
                const std::size_t end = rest.find(' ');
                m_between.push_back((m_between.empty() ? "{\"" : ",\"") + std::string(rest.substr(0, end)) + "\":{");
                more = end != std::string_view::npos;
                rest.remove_prefix(more ? end + 1 : 0);
            }
        } else {
            m_names = namesIn(object);
        }
        return m_names;
    }

private:
    bool fits(std::string_view object) const
    {
        if (m_between.empty() || std::memchr(object.data(), '\\', object.size()))
            return false;
        for (const std::string& between : m_between) {
            if (!object.starts_with(between))
                return false;
            object.remove_prefix(between.size());
            // A value that holds a brace, be it in a text or of an object, is left to the others.
            const auto* close = static_cast<const char*>(std::memchr(object.data(), '}', object.size()));
            if (!close || std::memchr(object.data(), '{', std::size_t(close - object.data())))
                return false;
            object.remove_prefix(std::size_t(close - object.data()) + 1);
        }
        return object == "}";
    }

    std::vector<std::string> m_between; ///< what stands in front of each value; empty: no plain object
    std::string m_names;
};

/// The part of `rest` in front of the next separator, which is taken off together with it.
std::string_view part(std::string_view& rest)
{
    const std::size_t end = std::min(rest.find('\x1e'), rest.size());
    const std::string_view found = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    return found;
}

constexpr auto kRunSeparators = 7; ///< between the words of a run

/// Its text: parameters, names of the metrics and what went wrong; their numbers are what the run's page is for.
/// `words`: what selectFor reads of a run.
TextRow runText(const QSqlQuery& row, const QByteArray& words, MetricNames& known)
{
    const QByteArray metrics = row.value(2).toByteArray();
    std::string_view rest{words.constData(), std::size_t(words.size())};
    TextRow text;
    text.position = row.value(0).toLongLong();
    text.id = part(rest);
    text.createdAt = part(rest);
    text.lesson = part(rest);
    text.block = part(rest);
    const std::string_view experiment = part(rest), state = part(rest);
    const std::string failure(part(rest));
    const std::string parameters = pairs(rest);
    text.title.reserve(experiment.size() + 2 + parameters.size());
    text.title = experiment;
    if (!parameters.empty())
        (text.title += "  ") += parameters;
    const std::string& names = known.of({metrics.constData(), std::size_t(metrics.size())});
    text.text.reserve(parameters.size() + 1 + state.size() + names.size());
    ((text.text = parameters) += ' ') += state;
    text.text += names;
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
    MetricNames known;
    std::vector<TextRow> texts;
    texts.reserve(std::size_t(std::clamp(limit, 0, 1000)));
    while (rows->next()) {
        if (interrupted())
            return stoppedReading(d->reader->place());
        if (run) {
            QByteArray words = rows->value(1).toByteArray();
            if (words.count('\x1e') != kRunSeparators) {
                auto odd = d->reader->value(selectOddRun(), {rows->value(0)});
                if (!odd)
                    return odd.error();
                words = odd->toByteArray();
            }
            texts.push_back(runText(*rows, words, known));
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
