// SPDX-License-Identifier: GPL-3.0-or-later
#include "record/row_codec.h"

#include "base/hash.h"
#include "base/json.h"
#include "record/sqlite.h"

#include <QDateTime>
#include <QRegularExpression>
#include <cmath>

namespace ridge::record {

namespace {

/// Far above what anybody writes in a margin; a pasted file does not belong there.
constexpr std::size_t kLongestQuote = 16 << 10, kLongestNote = 256 << 10;

Error badRow(const std::string& kind, const std::string& field, const std::string& problem, const std::string& fix)
{
    return {"bad-row", "The " + kind + "'s " + field + " " + problem, kind + "." + field, fix};
}

/// Collects columns and remembers the first fault.
class Builder {
public:
    explicit Builder(std::string kind) : m_kind(std::move(kind)) {}

    void fail(const std::string& field, const std::string& problem, const std::string& fix)
    {
        if (!m_error)
            m_error = badRow(m_kind, field, problem, fix);
    }
    void text(const char* field, const std::string& value)
    {
        QString converted = sqlText(value);
        // Bytes that are not UTF-8 would silently come back as something else.
        if (converted.toStdString() != value)
            fail(field, "is not UTF-8 text", "Give it as UTF-8");
        m_columns.push_back({field, std::move(converted)});
    }
    void required(const char* field, const std::string& value)
    {
        if (value.empty())
            fail(field, "is empty", "Fill it in");
        text(field, value);
    }
    void optional(const char* field, const std::string& value)
    {
        if (value.empty())
            m_columns.push_back({field, QVariant()});
        else
            text(field, value);
    }
    void number(const char* field, double value)
    {
        if (!std::isfinite(value))
            fail(field, "is not a finite number", "Give a number");
        m_columns.push_back({field, value});
    }
    void integer(const char* field, std::int64_t value) { m_columns.push_back({field, static_cast<qlonglong>(value)}); }
    void positive(const char* field, std::int64_t value)
    {
        if (value < 1)
            fail(field, "is " + std::to_string(value), "It starts at 1");
        integer(field, value);
    }
    void json(const char* field, const Json& value)
    {
        try {
            m_columns.push_back({field, QString::fromStdString(value.dump())});
        } catch (const Json::exception&) {
            fail(field, "holds text that is not UTF-8", "Give it as UTF-8");
        }
    }
    void document(const char* field, const Json& value, Json::value_t type, const char* typeName)
    {
        if (value.is_null())
            return json(field, Json(type));
        if (value.type() != type)
            fail(field, std::string("is not a JSON ") + typeName, std::string("Give a JSON ") + typeName);
        json(field, value);
    }
    Result<Columns> take()
    {
        if (m_error)
            return *m_error;
        return std::move(m_columns);
    }

private:
    std::string m_kind;
    Columns m_columns;
    std::optional<Error> m_error;
};

void checkFinite(Builder& builder, const ParamSet& params)
{
    for (const auto& [name, value] : params) {
        if (const double* real = std::get_if<double>(&value); real && !std::isfinite(*real))
            builder.fail("params", "hold a " + name + " that is not a finite number", "Give a number");
    }
}

} // namespace

Result<Columns> columnsOf(const PredictionRow& row)
{
    Builder b("prediction");
    b.text("lesson", row.lesson);
    b.text("block", row.block);
    b.required("experiment", row.experiment);
    b.required("metric", row.metric);
    b.text("unit", row.unit);
    checkFinite(b, row.params);
    b.json("params", toJson(row.params));
    b.number("point", row.point);
    b.number("low", row.low);
    b.number("high", row.high);
    if (row.low > row.high)
        b.fail("low", "is above its high", "Swap the two ends of the interval");
    if (row.point < row.low || row.point > row.high)
        b.fail("point", "lies outside its own 80 % interval", "Widen the interval or move the point");
    return b.take();
}

Result<Columns> columnsOf(const RunRow& row)
{
    Builder b("run");
    b.text("sweep_id", row.sweepId);
    b.text("lesson", row.lesson);
    b.text("block", row.block);
    b.optional("prediction_id", row.predictionId);
    b.required("experiment", row.experiment);
    b.positive("version", row.version);
    b.required("target", row.target);
    b.text("provenance", std::string(toText(row.provenance)));
    b.text("seed", std::to_string(row.seed));
    checkFinite(b, row.params);
    b.json("params", toJson(row.params));
    for (const auto& [name, metric] : row.metrics)
        if (!std::isfinite(metric.value))
            b.fail("metrics", "hold a " + name + " that is not a finite number",
                   "Store the run as failed with the reason");
    b.json("metrics", metricsToJson(row.metrics));
    for (const auto& [name, limit] : row.limits)
        if (!std::isfinite(limit.value))
            b.fail("limits", "hold a bound of " + name + " that is not a finite number", "Leave the bound out");
    b.json("limits", limitsToJson(row.limits));
    b.json("checks", checksToJson(row.checks));
    b.text("validity", row.validity);
    b.document("fingerprint", *row.fingerprint, Json::value_t::object, "object");
    b.optional("trace_sha256", row.traceSha256);
    b.text("status", row.status);
    if (row.status != "finished" && row.status != "failed")
        b.fail("status", "is '" + row.status + "'", "It is 'finished' or 'failed'");
    if ((row.status == "failed") != row.error.has_value())
        b.fail("error", row.error ? "is set though the run finished" : "is missing though the run failed",
               "A failed run, and only that, has an error");
    if (row.error)
        b.json("error", toJson(*row.error));
    else
        b.optional("error", {});
    return b.take();
}

Result<Columns> columnsOf(const ReasonRow& row)
{
    Builder b("reason");
    b.required("prediction_id", row.predictionId);
    b.text("choice", row.choice);
    b.text("text", row.text);
    if (row.choice.empty() && row.text.empty())
        b.fail("choice", "and text are both empty", "Give at least one");
    return b.take();
}

Result<Columns> columnsOf(const AnswerRow& row)
{
    Builder b("answer");
    b.required("lesson", row.lesson);
    b.required("block", row.block);
    b.json("answer", *row.answer);
    b.integer("correct", row.correct ? 1 : 0);
    return b.take();
}

Result<Columns> columnsOf(const ArtifactRow& row)
{
    Json code = Json::array();
    for (const ArtifactCode& file : row.code)
        code.push_back({{"name", file.name}, {"sha256", file.sha256}});
    Builder b("artifact");
    b.text("lesson", row.lesson);
    b.text("kind", row.kind);
    b.required("title", row.title);
    b.text("question", row.question);
    b.text("claim", row.claim);
    b.text("reflection", row.reflection);
    b.positive("level", row.level);
    b.json("prediction_ids", row.predictionIds);
    b.json("run_ids", row.runIds);
    b.document("charts", *row.charts, Json::value_t::array, "array");
    b.json("code", code);
    b.document("fingerprint", *row.fingerprint, Json::value_t::object, "object");
    b.text("provenance", std::string(toText(row.provenance)));
    b.text("trust", row.trust);
    if (row.trust != "T0" && row.trust != "T1" && row.trust != "T2" && row.trust != "T3")
        b.fail("trust", "is '" + row.trust + "'", "It is T0, T1, T2 or T3");
    return b.take();
}

Result<Columns> columnsOf(const NoteRow& row)
{
    Builder b("note");
    b.required("note_id", row.noteId);
    b.required("lesson", row.lesson);
    b.text("section", row.section);
    b.text("block", row.block);
    b.required("quote", row.quote);
    if (row.quote.size() > kLongestQuote)
        b.fail("quote", "is " + std::to_string(row.quote.size()) + " bytes long", "Quote the place, not the page");
    if (row.text.size() > kLongestNote)
        b.fail("text", "is " + std::to_string(row.text.size()) + " bytes long", "Keep long texts in a file");
    if (row.occurrence < 0)
        b.fail("occurrence", "is " + std::to_string(row.occurrence), "It counts from 0");
    b.integer("occurrence", row.occurrence);
    b.text("text", row.text);
    b.integer("removed", row.removed ? 1 : 0);
    return b.take();
}

Result<Stamp> givenStamp(const std::string& id, const std::string& createdAt, const std::string& origin,
                         std::int64_t seq)
{
    static const QRegularExpression uuid(
        QStringLiteral("^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"));
    Stamp stamp{sqlText(id), sqlText(createdAt), sqlText(origin), seq, sqlText({})};
    if (!id.empty() && !uuid.match(stamp.id).hasMatch())
        return badRow("row", "id", "'" + id + "' is not a UUID", "Leave it empty, the store makes one");
    if (!origin.empty() && !uuid.match(stamp.origin).hasMatch())
        return badRow("row", "origin", "'" + origin + "' is not a UUID", "Leave it empty for this store's own rows");
    if (!createdAt.empty()) {
        const QDateTime time = QDateTime::fromString(stamp.createdAt, Qt::ISODateWithMs);
        if (!time.isValid())
            return badRow("row", "createdAt", "'" + createdAt + "' is not an ISO 8601 time",
                          "Leave it empty for the time of storing");
        stamp.createdAt = time.toUTC().toString(Qt::ISODateWithMs);
    }
    return stamp;
}

QString rowDigest(const QString& kind, const Stamp& stamp, const Columns& columns)
{
    QByteArray content;
    const auto add = [&content](const QByteArray& name, const QByteArray& value) {
        content += name + '=' + QByteArray::number(value.size()) + ':' + value + '\n';
    };
    add("kind", kind.toUtf8());
    add("id", stamp.id.toUtf8());
    add("created_at", stamp.createdAt.toUtf8());
    add("origin", stamp.origin.toUtf8());
    add("seq", QByteArray::number(static_cast<qlonglong>(stamp.seq)));
    add("previous", stamp.previous.toUtf8());
    for (const Column& column : columns) {
        if (column.value.isNull())
            continue;
        // 17 significant digits bring a double back exactly, whatever database kept it.
        add(column.name, column.value.userType() == QMetaType::Double
                             ? QByteArray::number(column.value.toDouble(), 'g', 17)
                             : column.value.toString().toUtf8());
    }
    return QString::fromStdString(
        sha256Hex(std::string_view(content.constData(), static_cast<std::size_t>(content.size()))));
}

} // namespace ridge::record
