// SPDX-License-Identifier: GPL-3.0-or-later
#include "record/line_rows.h"

#include "base/json_guard.h"
#include "record/row_codec.h"
#include "record/sqlite.h"

#include <QStringList>

namespace ridge::record {
namespace {

constexpr int kDeepest = 32;

QVariant valueOf(const Json& value)
{
    if (value.is_string())
        return sqlText(value.get_ref<const std::string&>());
    if (value.is_number_integer())
        return static_cast<qlonglong>(value.get<std::int64_t>());
    if (value.is_number())
        return value.get<double>();
    return {};
}

/// JSON in a column that is deeper than anything of ours: whoever walks it would run out of stack.
bool isTooDeep(const Json& value)
{
    if (!value.is_string())
        return false;
    const std::string& text = value.get_ref<const std::string&>();
    return (text.starts_with('{') || text.starts_with('[')) && !checkUntrustedJson(text, kDeepest, {}) &&
           Json::accept(text);
}

class Decoder {
public:
    explicit Decoder(Connection& connection) : m_connection(connection) {}

    Result<void> take(const Json& line, int number, const std::string& place)
    {
        const std::string kind = line.value("kind", std::string());
        m_rows.lineOf[line.value("id", std::string())] = static_cast<std::size_t>(number);
        if (kind == "artifact")
            return keep(line, place, artifactFrom, m_rows.artifacts);
        if (kind == "prediction")
            return keep(line, place, predictionFrom, m_rows.predictions);
        if (kind == "run")
            return keep(line, place, runFrom, m_rows.runs);
        if (kind == "reason")
            return keep(line, place, reasonFrom, m_rows.reasons);
        if (kind == "journal")
            return keep(line, place, journalFrom, m_rows.journal);
        if (kind == "reproduction")
            return keep(line, place, reproductionFrom, m_rows.reproductions);
        return {};
    }
    LineRows rows() { return std::move(m_rows); }

private:
    /// The line as a row of a result set, which is what the store's own readers take.
    template<class Row>
    Result<void> keep(const Json& line, const std::string& place, Result<Row> (*read)(const QSqlQuery&),
                      std::vector<Row>& to)
    {
        const QString kind = QString::fromStdString(line.value("kind", std::string()));
        const Json columns = line.value("columns", Json::object());
        QStringList names{QStringLiteral("id"), QStringLiteral("created_at"), QStringLiteral("origin"),
                          QStringLiteral("seq")};
        QVariantList values;
        for (const QString& name : names)
            values << valueOf(line.value(name.toStdString(), Json()));
        for (const QString& name : contentColumns(kind)) {
            const Json value = columns.is_object() ? columns.value(name.toStdString(), Json()) : Json();
            if (isTooDeep(value))
                return Error{
                    "rows-value", "The JSON in column " + name.toStdString() + " is nested too deep", place, {}};
            names << name;
            values << valueOf(value);
        }
        QStringList selected;
        for (const QString& name : names)
            selected << QStringLiteral("? AS \"%1\"").arg(name);
        auto result = m_connection.query(QStringLiteral("SELECT ") + selected.join(QLatin1String(", ")), values);
        if (!result)
            return result.error();
        if (!result->next())
            return Error{"rows-value", "The row cannot be read", place, {}};
        try {
            auto row = read(*result);
            if (!row)
                return Error{"rows-value", row.error().message, place, {}};
            to.push_back(std::move(*row));
        } catch (const Json::exception& wrong) {
            return Error{"rows-value", wrong.what(), place, {}};
        }
        return {};
    }

    Connection& m_connection;
    LineRows m_rows;
};

} // namespace

Result<LineRows> rowsOfLines(std::string_view text, const std::string& file)
{
    const auto connection = Connection::open(":memory:", Connection::Mode::ReadWrite);
    if (!connection)
        return connection.error();
    Decoder decoder(**connection);
    for (int number = 1; !text.empty(); ++number) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string place = file + ":" + std::to_string(number);
        const auto line = parseUntrustedJson(text.substr(0, end), kDeepest, place);
        if (!line || !line->is_object())
            return Error{"rows-format", "The line is not a row", place, {}};
        if (auto taken = decoder.take(*line, number, place); !taken)
            return taken.error();
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return decoder.rows();
}

} // namespace ridge::record
