// SPDX-License-Identifier: GPL-3.0-or-later
#include "record/row_codec.h"

#include "base/hash.h"
#include "base/json.h"
#include "record/sqlite.h"

#include <QDateTime>
#include <QRegularExpression>
#include <algorithm>
#include <cmath>

namespace ridge::record {

namespace {

/// Far above what anybody writes in a margin; a pasted file does not belong there.
constexpr std::size_t kLongestQuote = 16 << 10, kLongestNote = 256 << 10;
/// A label is read in a table's cell.
constexpr std::size_t kLongestLabel = 64;

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
    void oneOf(const char* field, const std::string& value, std::initializer_list<const char*> legal)
    {
        std::string all;
        bool found = false;
        for (const char* one : legal) {
            found = found || value == one;
            all += (all.empty() ? "'" : ", '") + std::string(one) + "'";
        }
        if (!found)
            fail(field, "is '" + value + "'", "It is one of " + all);
        text(field, value);
    }
    /// How far apart two values are, as the larger over the smaller.
    void factor(const char* field, const std::optional<double>& value)
    {
        if (!value)
            return m_columns.push_back({field, QVariant()});
        if (*value < 1)
            fail(field, "is below 1", "Give the larger value over the smaller");
        number(field, *value);
    }
    /// Absent (and so without part in the row's digest) where there is nothing to say.
    void optionalJson(const char* field, const Json& value)
    {
        if (value.empty())
            m_columns.push_back({field, QVariant()});
        else
            json(field, value);
    }
    void optionalDocument(const char* field, const Json& value)
    {
        if (!value.is_null() && !value.is_object())
            fail(field, "is not a JSON object", "Leave it out where there is none");
        optionalJson(field, value);
    }
    void optionalFlag(const char* field, bool value)
    {
        m_columns.push_back({field, value ? QVariant(qlonglong(1)) : QVariant()});
    }
    void bounded(const char* field, const std::string& value, std::size_t most)
    {
        if (value.size() > most)
            fail(field, "is " + std::to_string(value.size()) + " bytes long",
                 "At most " + std::to_string(most) + " fit; keep long texts in a file");
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

constexpr const char* kSections[] = {"method", "result", "bottleneck", "failure_modes", "next_experiment"};

Json filesToJson(const std::vector<ArtifactCode>& files)
{
    Json list = Json::array();
    for (const ArtifactCode& file : files)
        list.push_back({{"name", file.name}, {"sha256", file.sha256}});
    return list;
}

void checkFigures(Builder& builder, const Json& figures)
{
    if (figures.is_null())
        return;
    const auto sound = [](const Json& figure) {
        return figure.is_object() && figure.value("name", Json()).is_string() &&
               figure.value("value", Json()).is_number() && std::isfinite(figure["value"].get<double>()) &&
               figure.value("unit", Json()).is_string() && figure.value("source", Json()).is_string() &&
               (!figure.contains("line") || figure["line"].is_number_integer());
    };
    if (!figures.is_array() || !std::all_of(figures.begin(), figures.end(), sound))
        builder.fail("figures", "are not a list of {name, value, unit, source, line}",
                     "Give each a name, a finite number, a unit and the file it was read from");
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
    b.json("params", ridge::toJson(row.params));
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
    b.json("params", ridge::toJson(row.params));
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
        b.json("error", ridge::toJson(*row.error));
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
    b.json("code", filesToJson(row.code));
    b.document("fingerprint", *row.fingerprint, Json::value_t::object, "object");
    b.text("provenance", std::string(toText(row.provenance)));
    b.text("trust", row.trust);
    if (row.trust != "T0" && row.trust != "T1" && row.trust != "T2" && row.trust != "T3")
        b.fail("trust", "is '" + row.trust + "'", "It is T0, T1, T2 or T3");
    b.optional("artifact_id", row.artifactId == row.id ? std::string() : row.artifactId);
    for (const auto& [name, section] : row.sections)
        if (std::find(std::begin(kSections), std::end(kSections), name) == std::end(kSections))
            b.fail("sections", "hold a '" + name + "'",
                   "They are method, result, bottleneck, failure_modes and next_experiment");
    b.optionalJson("sections", row.sections);
    b.optionalJson("journal_ids", row.journalIds);
    checkFigures(b, *row.figures);
    b.optionalJson("figures", *row.figures);
    b.optionalJson("files", filesToJson(row.files));
    b.optionalFlag("removed", row.removed);
    b.optionalDocument("grading", *row.grading);
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

Result<Columns> columnsOf(const TagRow& row)
{
    Builder b("tag");
    b.oneOf("subject_kind", row.subjectKind, {"run", "sweep", "artifact"});
    b.required("subject_id", row.subjectId);
    if (row.label.empty() || row.label.find_first_of("\n\r\t") != std::string::npos)
        b.fail("label", row.label.empty() ? "is empty" : "is more than one line", "Give a word or a few");
    b.bounded("label", row.label, kLongestLabel);
    b.integer("removed", row.removed ? 1 : 0);
    return b.take();
}

Result<Columns> columnsOf(const JournalRow& row)
{
    Builder b("journal");
    b.required("entry_id", row.entryId);
    b.oneOf("kind", row.kind, {"failure", "decision"});
    b.text("lesson", row.lesson);
    b.required("title", row.title);
    b.bounded("text", row.text, kLongestNote);
    b.json("run_ids", row.runIds);
    b.integer("removed", row.removed ? 1 : 0);
    return b.take();
}

Result<Columns> columnsOf(const ReproductionRow& row)
{
    Json pairs = Json::array();
    Builder b("reproduction");
    for (const ReproductionPair& pair : row.pairs) {
        if (!std::isfinite(pair.before) || !std::isfinite(pair.now) || !std::isfinite(pair.factor.value_or(1)))
            b.fail("pairs", "hold a " + pair.metric + " that is not a finite number", "Leave the pair out");
        pairs.push_back({{"old_run", pair.oldRun},
                         {"new_run", pair.newRun},
                         {"metric", pair.metric},
                         {"unit", pair.unit},
                         {"old", pair.before},
                         {"new", pair.now},
                         {"factor", pair.factor ? Json(*pair.factor) : Json()},
                         {"verdict", pair.verdict}});
    }
    b.required("artifact_id", row.artifactId);
    b.required("target", row.target);
    b.oneOf("verdict", row.verdict, {"reproduced", "within noise", "different hardware", "not reproduced"});
    b.json("pairs", pairs);
    b.oneOf("by", row.by, {"self", "other"});
    b.optionalDocument("grading", *row.grading);
    return b.take();
}

Result<Columns> columnsOf(const OutcomeRow& row)
{
    Builder b("outcome");
    b.required("lesson", row.lesson);
    b.oneOf("state", row.state, {"passed", "failed"});
    b.oneOf("context", row.context, {"lesson", "review"});
    b.factor("factor", row.factor);
    b.document("evidence", *row.evidence, Json::value_t::object, "object");
    return b.take();
}

Result<Columns> columnsOf(const ReviewRow& row)
{
    Builder b("review");
    b.required("of_prediction_id", row.ofPredictionId);
    b.required("prediction_id", row.predictionId);
    b.required("run_id", row.runId);
    b.integer("missed", row.missed ? 1 : 0);
    b.factor("factor", row.factor);
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
