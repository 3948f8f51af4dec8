// SPDX-License-Identifier: GPL-3.0-or-later
#include "record/row_lines.h"

#include "base/json_guard.h"
#include "record/row_rules.h"

#include <QDateTime>
#include <QHash>
#include <QRegularExpression>
#include <QSqlError>
#include <cmath>
#include <limits>
#include <set>

namespace ridge::record {

namespace {

const char* const kAsWritten = "Ask for the file again, as Ridgepoint wrote it";

bool isDigest(const QString& text)
{
    return text.size() == 64 && std::ranges::all_of(text, [](QChar c) {
               return (c >= QLatin1Char('0') && c <= QLatin1Char('9')) ||
                      (c >= QLatin1Char('a') && c <= QLatin1Char('f'));
           });
}

bool isUuid(const QString& text)
{
    static const QRegularExpression form(
        QStringLiteral("\\A[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\\z"));
    return form.match(text).hasMatch();
}

bool isTime(const QString& text)
{
    static const QRegularExpression form(QStringLiteral("\\A\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z\\z"));
    return form.match(text).hasMatch() && QDateTime::fromString(text, Qt::ISODateWithMs).isValid();
}

/// Names of artifact files: {name, sha256} lists.
std::vector<std::string> listedFiles(const QString& json)
{
    std::vector<std::string> all;
    if (const auto list = parseJson(json.toStdString(), {}); list && list->is_array())
        for (const Json& file : *list)
            if (file.is_object() && file.contains("sha256") && file["sha256"].is_string())
                all.push_back(file["sha256"].get<std::string>());
    return all;
}

std::vector<std::string> filesOfRow(const RowLine& row)
{
    std::vector<std::string> all;
    for (const Column& column : row.columns) {
        const std::string_view name = column.name;
        if (column.value.isNull())
            continue;
        if (row.kind == QLatin1String("run") && name == "trace_sha256")
            all.push_back(column.value.toString().toStdString());
        if (row.kind == QLatin1String("artifact") && (name == "code" || name == "files"))
            std::ranges::move(listedFiles(column.value.toString()), std::back_inserter(all));
    }
    return all;
}

/// Reads a row back as the store would and checks it as if it were to be written: what is stored must be readable by
/// every page that shows it.
Result<void> readableRow(const QString& kind, const QSqlQuery& query)
{
    const auto check = [](const auto& row) -> Result<void> {
        if (!row)
            return row.error();
        if (auto columns = columnsOf(*row); !columns)
            return columns.error();
        return {};
    };
    using Check = std::function<Result<void>(const QSqlQuery&)>;
    static const QHash<QString, Check> all{
        {QStringLiteral("prediction"), [check](const QSqlQuery& row) { return check(predictionFrom(row)); }},
        {QStringLiteral("run"), [check](const QSqlQuery& row) { return check(runFrom(row)); }},
        {QStringLiteral("reason"), [check](const QSqlQuery& row) { return check(reasonFrom(row)); }},
        {QStringLiteral("answer"), [check](const QSqlQuery& row) { return check(answerFrom(row)); }},
        {QStringLiteral("artifact"), [check](const QSqlQuery& row) { return check(artifactFrom(row)); }},
        {QStringLiteral("note"), [check](const QSqlQuery& row) { return check(noteFrom(row)); }},
        {QStringLiteral("tag"), [check](const QSqlQuery& row) { return check(tagFrom(row)); }},
        {QStringLiteral("journal"), [check](const QSqlQuery& row) { return check(journalFrom(row)); }},
        {QStringLiteral("reproduction"), [check](const QSqlQuery& row) { return check(reproductionFrom(row)); }},
        {QStringLiteral("outcome"), [check](const QSqlQuery& row) { return check(outcomeFrom(row)); }},
        {QStringLiteral("review"), [check](const QSqlQuery& row) { return check(reviewFrom(row)); }}};
    const auto found = all.constFind(kind);
    if (found == all.cend())
        return Error{"rows-kind", "Nothing reads rows of this kind", kind.toStdString(), kAsWritten};
    try {
        return (*found)(query);
    } catch (const Json::exception& wrong) {
        return Error{"rows-value", wrong.what(), {}, {}};
    }
}

using Rules = QHash<QString, std::vector<ColumnRule>>;

Result<Rules> rulesOf(Connection& tables)
{
    Rules all;
    for (const QString& kind : rowKinds()) {
        auto rules = columnRules(tables, kind);
        if (!rules)
            return rules.error();
        all.insert(kind, std::move(*rules));
    }
    return all;
}

class Parser {
public:
    /// `tables` are empty and inside a transaction.
    Parser(Connection& tables, const Rules& rules, const RowLimits& limits, std::string file)
        : m_limits(limits), m_file(std::move(file)), m_tables(tables), m_rules(rules)
    {
    }

    Result<std::vector<RowLine>> parse(std::string_view text)
    {
        while (!text.empty()) {
            ++m_line;
            const std::size_t end = std::min(text.find('\n'), text.size());
            auto row = parseLine(text.substr(0, end));
            if (!row)
                return row.error();
            m_rows.push_back(std::move(*row));
            text.remove_prefix(std::min(end + 1, text.size()));
        }
        std::ranges::stable_sort(m_rows, {}, [](const RowLine& row) { return rowKinds().indexOf(row.kind); });
        for (const auto& step : {&Parser::checkReferences, &Parser::checkReadable, &Parser::checkPlaces})
            if (auto sound = (this->*step)(); !sound)
                return sound.error();
        return std::move(m_rows);
    }

private:
    std::string place(int line) const { return m_file + ":" + std::to_string(line); }
    std::string place(int line, const QByteArray& column) const
    {
        return place(line) + ", column " + column.toStdString();
    }
    Error wrong(const char* code, const std::string& what, const std::string& fix = kAsWritten) const
    {
        return {code, what, place(m_line), fix};
    }

    Result<RowLine> parseLine(std::string_view text)
    {
        if (m_rows.size() >= m_limits.rows)
            return wrong("rows-large", "It has more than " + std::to_string(m_limits.rows) + " rows",
                         "Ask its sender what the file is");
        if (text.size() > m_limits.lineBytes)
            return wrong("rows-large",
                         "The line has " + std::to_string(text.size()) + " bytes, at most " +
                             std::to_string(m_limits.lineBytes) + " are taken",
                         "Ask its sender what the file is");
        auto json = parseUntrustedJson(text, m_limits.depth, place(m_line));
        if (!json)
            return wrong("rows-format", json.error().message);
        static const std::set<std::string> names{"kind", "id",       "created_at", "origin",
                                                 "seq",  "previous", "digest",     "columns"};
        if (!json->is_object() || json->size() != names.size() ||
            !std::ranges::all_of(json->items(), [](const auto& field) { return names.contains(field.key()); }))
            return wrong("rows-format", "The line is not an object with kind, id, created_at, origin, seq, previous, "
                                        "digest and columns");
        RowLine row;
        row.line = m_line;
        for (const auto& [name, to] :
             std::initializer_list<std::pair<const char*, QString*>>{{"kind", &row.kind},
                                                                     {"id", &row.stamp.id},
                                                                     {"created_at", &row.stamp.createdAt},
                                                                     {"origin", &row.stamp.origin},
                                                                     {"previous", &row.stamp.previous},
                                                                     {"digest", &row.digest}}) {
            const Json& value = (*json)[name];
            if (!value.is_string())
                return wrong("rows-value", std::string(name) + " is not text");
            *to = sqlText(value.get_ref<const std::string&>());
        }
        if (!m_rules.contains(row.kind))
            return wrong("rows-kind",
                         "'" + row.kind.left(40).toStdString() + "' is no kind of row that this version knows",
                         "Update Ridgepoint, or ask for the file again");
        if (auto stamped = checkStamp(row, (*json)["seq"]); !stamped)
            return stamped.error();
        if (auto filled = fillColumns(row, (*json)["columns"]); !filled)
            return filled.error();
        if (rowDigest(row.kind, row.stamp, row.columns) != row.digest)
            return wrong("rows-digest", "The " + row.kind.toStdString() +
                                            " was changed after it was stored: its digest "
                                            "is not that of its content");
        if (auto taken = insert(row); !taken)
            return taken.error();
        return row;
    }

    Result<void> checkStamp(RowLine& row, const Json& seq)
    {
        if (!isUuid(row.stamp.id) || !isUuid(row.stamp.origin))
            return wrong("rows-value", "id or origin is not a UUID");
        if (!isTime(row.stamp.createdAt))
            return wrong("rows-value", "created_at is not a time of the form 2026-01-31T12:00:00.000Z");
        if (!seq.is_number_integer() || seq.get<std::int64_t>() < 1)
            return wrong("rows-value", "seq is not a whole number from 1");
        row.stamp.seq = seq.get<std::int64_t>();
        if (!isDigest(row.digest) || !(row.stamp.previous.isEmpty() || isDigest(row.stamp.previous)))
            return wrong("rows-value", "digest or previous is not a SHA-256");
        return {};
    }

    Result<void> fillColumns(RowLine& row, const Json& columns)
    {
        const auto& rules = *m_rules.constFind(row.kind);
        if (!columns.is_object())
            return wrong("rows-column", "columns is not an object");
        std::size_t known = 0;
        for (const ColumnRule& rule : rules) {
            const auto given = columns.find(rule.name.toStdString());
            known += given != columns.end();
            auto value = valueOf(rule, given == columns.end() ? Json() : *given);
            if (!value)
                return value.error();
            row.columns.push_back({columnName(row.kind, rule.name), *value});
        }
        if (known != columns.size())
            for (const auto& [name, value] : columns.items())
                if (std::ranges::find(rules, QByteArray::fromStdString(name), &ColumnRule::name) == rules.end())
                    return wrong("rows-column",
                                 "A " + row.kind.toStdString() + " has no column '" + name.substr(0, 40) + "'");
        for (const std::string& sha256 : filesOfRow(row))
            if (!isDigest(QString::fromStdString(sha256)))
                return wrong("rows-value", "A file is named by something else than a SHA-256");
        return {};
    }

    Result<QVariant> valueOf(const ColumnRule& rule, const Json& value) const
    {
        const auto refuse = [&](const std::string& what) {
            return Error{"rows-value", what, place(m_line, rule.name), kAsWritten};
        };
        if (value.is_null()) {
            if (rule.nullable)
                return QVariant();
            return Error{"rows-column", "The column is missing", place(m_line, rule.name), kAsWritten};
        }
        switch (rule.type) {
        case ColumnRule::Type::Integer:
            if (!value.is_number_integer() ||
                (value.is_number_unsigned() &&
                 value.get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())))
                return refuse("The value is not a whole number");
            return QVariant(static_cast<qlonglong>(value.get<std::int64_t>()));
        case ColumnRule::Type::Real:
            if (!value.is_number() || !std::isfinite(value.get<double>()))
                return refuse("The value is not a number");
            return QVariant(value.get<double>());
        case ColumnRule::Type::Text:
            break;
        }
        if (!value.is_string())
            return refuse("The value is not text");
        const auto& text = value.get_ref<const std::string&>();
        if (text.find('\0') != std::string::npos)
            return refuse("The text holds a NUL character");
        if (rule.json)
            if (auto sound = checkUntrustedJson(text, m_limits.depth, {}); !sound)
                return refuse("The JSON in this column cannot be read: " + sound.error().message);
        return QVariant(sqlText(text));
    }

    /// Ids are unique across kinds; the rest are the table's own rules.
    Result<void> insert(const RowLine& row)
    {
        const auto [it, fresh] = m_lineOf.insert({row.stamp.id, {row.kind, row.line}});
        if (!fresh)
            return wrong("rows-double", "The id " + row.stamp.id.toStdString() + " was used on line " +
                                            std::to_string(it->second.second) + " already");
        const RowInsert insert = insertOf(row.kind, row.stamp, row.digest, row.columns);
        auto done = m_tables.execPrepared(insert.sql, insert.values);
        if (!done)
            return wrong("rows-value",
                         "The " + row.kind.toStdString() + " breaks a rule of the record: " + done.error().message);
        return {};
    }

    /// One row at each place of an origin's sequence, and each the successor of the one before it where both are here.
    Result<void> checkPlaces()
    {
        std::map<std::pair<QString, std::int64_t>, const RowLine*> places;
        for (const RowLine& row : m_rows) {
            const auto [it, fresh] = places.insert({{row.stamp.origin, row.stamp.seq}, &row});
            if (!fresh)
                return Error{"rows-double",
                             "It has the seq of line " + std::to_string(it->second->line) + " of the same origin",
                             place(row.line), kAsWritten};
        }
        for (auto it = places.cbegin(); it != places.cend(); ++it) {
            const auto next = std::next(it);
            if (next == places.cend() || next->first.first != it->first.first ||
                next->first.second != it->first.second + 1)
                continue;
            if (next->second->stamp.previous != it->second->digest)
                return Error{"rows-chain",
                             "It does not follow the row of line " + std::to_string(it->second->line) +
                                 ", which has the place before it: one of the two was exchanged",
                             place(next->second->line), kAsWritten};
        }
        return {};
    }

    Result<void> checkReferences()
    {
        for (const RowLine& row : m_rows) {
            const auto& rules = *m_rules.constFind(row.kind);
            for (std::size_t i = 0; i < rules.size(); ++i)
                for (const QString& id : referencedIds(row.kind, rules[i], row.columns[i].value)) {
                    const auto found = m_lineOf.find(id);
                    if (found == m_lineOf.end() || found->second.first != referencedKind(row.kind, rules[i]))
                        return Error{"rows-reference",
                                     "It refers to the " + referencedKind(row.kind, rules[i]).toStdString() + " " +
                                         id.left(40).toStdString() + ", which is not in the file",
                                     place(row.line, rules[i].name), kAsWritten};
                }
        }
        return {};
    }

    Result<void> checkReadable()
    {
        for (const QString& kind : rowKinds()) {
            auto rows = m_tables.query(QStringLiteral("SELECT * FROM ") + kind);
            if (!rows)
                return rows.error();
            while (rows->next()) {
                if (auto sound = readableRow(kind, *rows); !sound)
                    return Error{"rows-value", sound.error().message,
                                 place(m_lineOf.at(rows->value(QStringLiteral("id")).toString()).second) +
                                     (sound.error().place.empty() ? "" : ", " + sound.error().place),
                                 kAsWritten};
            }
            if (rows->lastError().isValid())
                return sqlError(rows->lastError(), m_file);
        }
        return {};
    }

    const RowLimits& m_limits;
    std::string m_file;
    int m_line = 0;
    Connection& m_tables;
    const Rules& m_rules;
    std::map<QString, std::pair<QString, int>> m_lineOf; ///< by id: kind and line
    std::vector<RowLine> m_rows;
};

} // namespace

RowLineReader::RowLineReader() = default;
RowLineReader::~RowLineReader() = default;

Result<std::vector<RowLine>> RowLineReader::parse(std::string_view text, const RowLimits& limits,
                                                  const std::string& file)
{
    if (text.size() > limits.totalBytes)
        return Error{"rows-large",
                     "It has " + std::to_string(text.size()) + " bytes, at most " + std::to_string(limits.totalBytes) +
                         " are taken",
                     file, "Ask its sender what the file is"};
    if (!m_tables) {
        auto tables = emptyTables();
        if (!tables)
            return tables.error();
        m_tables = std::move(*tables);
    }
    // The schema does not change while the program runs.
    static const auto rules = rulesOf(*m_tables);
    if (!rules)
        return rules.error();
    if (auto begun = m_tables->exec(QStringLiteral("BEGIN")); !begun)
        return begun.error();
    auto rows = Parser(*m_tables, *rules, limits, file).parse(text);
    if (auto emptied = m_tables->exec(QStringLiteral("ROLLBACK")); !emptied)
        m_tables.reset();
    return rows;
}

Result<std::vector<RowLine>> parseRowLines(std::string_view text, const RowLimits& limits, const std::string& file)
{
    return RowLineReader().parse(text, limits, file);
}

std::vector<std::string> filesOf(const std::vector<RowLine>& rows)
{
    std::set<std::string> all;
    for (const RowLine& row : rows)
        for (std::string& sha256 : filesOfRow(row))
            all.insert(std::move(sha256));
    return {all.begin(), all.end()};
}

} // namespace ridge::record
