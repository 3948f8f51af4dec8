// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/json.h"
#include "record/row_lines.h"
#include "record/row_rules.h"
#include "record/store_private.h"

#include <QSet>
#include <QSqlError>

namespace ridge::record {

namespace {

constexpr qsizetype kChunk = 500; ///< ids a statement, far below SQLite's limit of values

QString marks(qsizetype count)
{
    return QStringList(count, QStringLiteral("?")).join(QLatin1String(", "));
}

QVariantList valuesOf(const std::vector<std::string>& texts)
{
    QVariantList values;
    for (const std::string& text : texts)
        values << sqlText(text);
    return values;
}

/// Which rows of a kind belong to lessons; %1 stands for the lessons' marks.
QStringList lessonConditions(const QString& kind)
{
    const QString predictions = QStringLiteral("(SELECT id FROM prediction WHERE lesson IN (%1))");
    const QString artifacts = QStringLiteral("(SELECT coalesce(artifact_id, id) FROM artifact WHERE lesson IN (%1))");
    if (kind == QLatin1String("reason") || kind == QLatin1String("review"))
        return {QStringLiteral("prediction_id IN ") + predictions};
    if (kind == QLatin1String("reproduction"))
        return {QStringLiteral("artifact_id IN ") + artifacts};
    if (kind == QLatin1String("tag"))
        return {QStringLiteral("(subject_kind = 'run' AND subject_id IN (SELECT id FROM run WHERE lesson IN (%1)))"),
                QStringLiteral(
                    "(subject_kind = 'sweep' AND subject_id IN (SELECT sweep_id FROM run WHERE lesson IN (%1)))"),
                QStringLiteral("(subject_kind = 'artifact' AND subject_id IN ") + artifacts + QLatin1Char(')')};
    return {QStringLiteral("lesson IN (%1)")};
}

Json jsonOf(const QVariant& value)
{
    if (value.isNull())
        return {};
    if (value.userType() == QMetaType::Double)
        return value.toDouble();
    if (value.userType() == QMetaType::QString)
        return value.toString().toStdString();
    return static_cast<std::int64_t>(value.toLongLong());
}

/// Where the newest versions of what has versions stand; null: the kind has none.
const char* newestOf(const QString& kind)
{
    static const QHash<QString, const char*> all{{QStringLiteral("artifact"), "latest_artifacts"},
                                                 {QStringLiteral("note"), "latest_notes"},
                                                 {QStringLiteral("tag"), "latest_tags"},
                                                 {QStringLiteral("journal"), "latest_journal"}};
    return all.value(kind, nullptr);
}

class Selector {
public:
    Selector(Connection& connection, const RowSelection& selection) : m_connection(connection), m_selection(selection)
    {
    }

    Result<void> choose()
    {
        for (const QString& kind : rowKinds()) {
            const auto& kinds = m_selection.kinds;
            if (!kinds.empty() && std::ranges::find(kinds, kind.toStdString()) == kinds.end())
                continue;
            if (auto chosen = chooseKind(kind); !chosen)
                return chosen.error();
        }
        // References go to earlier kinds only, so one pass from the last to the first finds all of them.
        for (auto kind = rowKinds().crbegin(); kind != rowKinds().crend(); ++kind)
            if (auto added = addReferenced(*kind); !added)
                return added.error();
        return {};
    }
    Result<std::string> lines()
    {
        std::string all;
        for (const QString& kind : rowKinds()) {
            auto some = linesOf(kind);
            if (!some)
                return some.error();
            all += *some;
        }
        return all;
    }

private:
    Result<void> chooseKind(const QString& kind)
    {
        QStringList conditions;
        QVariantList values;
        const auto oneOf = [&](const QString& column, const std::vector<std::string>& allowed) {
            if (allowed.empty())
                return;
            conditions << QStringLiteral("%1 IN (%2)").arg(column, marks(static_cast<qsizetype>(allowed.size())));
            values += valuesOf(allowed);
        };
        if (!m_selection.lessons.empty()) {
            QStringList either;
            for (const QString& condition : lessonConditions(kind)) {
                either << condition.arg(marks(static_cast<qsizetype>(m_selection.lessons.size())));
                values += valuesOf(m_selection.lessons);
            }
            conditions << QLatin1Char('(') + either.join(QLatin1String(" OR ")) + QLatin1Char(')');
        }
        oneOf(QStringLiteral("origin"), m_selection.origins);
        oneOf(QStringLiteral("id"), m_selection.ids);
        const char* newest = m_selection.newest ? newestOf(kind) : nullptr;
        if (newest)
            conditions << QStringLiteral("coalesce(removed, 0) = 0");
        QString sql = QStringLiteral("SELECT id FROM %1").arg(newest ? QString(QLatin1String(newest)) : kind);
        if (!conditions.isEmpty())
            sql += QStringLiteral(" WHERE ") + conditions.join(QLatin1String(" AND "));
        auto rows = m_connection.query(sql, values);
        if (!rows)
            return rows.error();
        while (rows->next()) {
            if (interrupted())
                return stoppedReading(m_connection.place());
            m_chosen[kind].insert(rows->value(0).toString());
        }
        return finished(*rows);
    }

    Result<void> addReferenced(const QString& kind)
    {
        auto rules = columnRules(m_connection, kind);
        if (!rules)
            return rules.error();
        for (const ColumnRule& rule : *rules) {
            const QString to = referencedKind(kind, rule);
            if (to.isEmpty())
                continue;
            auto done = eachChosen(kind, QString::fromLatin1(rule.name), [&](const QSqlQuery& row) {
                for (const QString& id : referencedIds(kind, rule, row.value(0)))
                    m_chosen[to].insert(id);
            });
            if (!done)
                return done;
        }
        return {};
    }

    Result<std::string> linesOf(const QString& kind)
    {
        const QStringList& columns = contentColumns(kind);
        struct Line {
            QString origin;
            qlonglong seq;
            std::string text;
        };
        std::vector<Line> lines;
        auto done = eachChosen(
            kind, QStringLiteral("id, created_at, origin, seq, previous, digest, ") + columns.join(QLatin1String(", ")),
            [&](const QSqlQuery& row) {
                lines.push_back({row.value(2).toString(), row.value(3).toLongLong(), lineOf(kind, columns, row)});
            });
        if (!done)
            return done.error();
        std::ranges::sort(lines, {}, [](const Line& line) { return std::pair(line.origin, line.seq); });
        std::string all;
        for (const Line& line : lines)
            all += line.text;
        return all;
    }

    static std::string lineOf(const QString& kind, const QStringList& columns, const QSqlQuery& row)
    {
        RowLine line;
        line.kind = kind;
        line.stamp = {row.value(0).toString(), row.value(1).toString(), row.value(2).toString(),
                      row.value(3).toLongLong(), row.value(4).toString()};
        line.digest = row.value(5).toString();
        // A program from before gradings were kept refuses a column that it does not know, also an empty one.
        for (int i = 0; i < columns.size(); ++i)
            if (columns[i] != QLatin1String("grading") || !row.value(6 + i).isNull())
                line.columns.push_back({columnName(kind, columns[i].toLatin1()), row.value(6 + i)});
        return toLine(line);
    }

    template<class Take>
    Result<void> eachChosen(const QString& kind, const QString& columns, Take take)
    {
        const QStringList ids = m_chosen.value(kind).values();
        for (qsizetype from = 0; from < ids.size(); from += kChunk) {
            QVariantList values;
            for (const QString& id : ids.mid(from, kChunk))
                values << id;
            auto rows = m_connection.query(
                QStringLiteral("SELECT %1 FROM %2 WHERE id IN (%3)").arg(columns, kind, marks(values.size())), values);
            if (!rows)
                return rows.error();
            while (rows->next()) {
                if (interrupted())
                    return stoppedReading(m_connection.place());
                take(*rows);
            }
            if (auto sound = finished(*rows); !sound)
                return sound;
        }
        return {};
    }

    Result<void> finished(const QSqlQuery& rows) const
    {
        if (rows.lastError().isValid())
            return sqlError(rows.lastError(), m_connection.place());
        return {};
    }

    Connection& m_connection;
    const RowSelection& m_selection;
    QHash<QString, QSet<QString>> m_chosen;
};

} // namespace

std::string toLine(const RowLine& row)
{
    const auto text = [](const QString& value) { return Json(value.toStdString()); };
    Json content = Json::object();
    for (const Column& column : row.columns)
        content[column.name] = jsonOf(column.value);
    const Json line{
        {"kind", text(row.kind)},           {"id", text(row.stamp.id)}, {"created_at", text(row.stamp.createdAt)},
        {"origin", text(row.stamp.origin)}, {"seq", row.stamp.seq},     {"previous", text(row.stamp.previous)},
        {"digest", text(row.digest)},       {"columns", content}};
    return line.dump() + "\n";
}

Result<std::string> rowLines(const Store& store, const RowSelection& selection)
{
    Selector selector(*store.d->reader, selection);
    if (auto chosen = selector.choose(); !chosen)
        return chosen.error();
    return selector.lines();
}

} // namespace ridge::record
