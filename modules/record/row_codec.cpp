// SPDX-License-Identifier: GPL-3.0-or-later
#include "record/row_codec.h"

#include "base/hash.h"
#include "base/json.h"

#include <QHash>

namespace ridge::record {

namespace {

std::string text(const QSqlQuery& query, const char* column)
{
    return query.value(QLatin1String(column)).toString().toStdString();
}

/// Reads fields of one row and remembers the first that no longer makes sense.
class Reader {
public:
    explicit Reader(const QSqlQuery& query) : m_query(query) {}

    std::string text(const char* column) const { return record::text(m_query, column); }
    double number(const char* column) const { return m_query.value(QLatin1String(column)).toDouble(); }
    std::int64_t integer(const char* column) const { return m_query.value(QLatin1String(column)).toLongLong(); }

    Json json(const char* column)
    {
        const std::string source = text(column);
        if (source.empty())
            return {};
        return keep(column, parseJson(source, place(column)), Json());
    }
    template<class T, class Decode>
    T decoded(const char* column, Decode decode)
    {
        const Json document = json(column);
        if (m_error)
            return T{};
        return keep(column, Result<T>(decode(document)), T{});
    }
    std::vector<std::string> names(const char* column)
    {
        const Json list = json(column);
        std::vector<std::string> all;
        for (const Json& item : list) {
            if (item.is_string())
                all.push_back(item.get<std::string>());
            else
                fail(column, "not a list of names");
        }
        return all;
    }
    Provenance provenance()
    {
        const auto found = provenanceFromText(text("provenance"));
        if (!found)
            fail("provenance", "'" + text("provenance") + "' is not a provenance");
        return found.value_or(Provenance::Simulated);
    }
    void fail(const char* column, const std::string& why)
    {
        if (!m_error)
            m_error = Error{"store-damaged", "A stored row cannot be read: " + why, place(column),
                            "Restore a backup, or merge this store into a new one"};
    }
    template<class Row>
    Result<Row> take(Row row)
    {
        row.id = text("id");
        row.createdAt = text("created_at");
        row.origin = text("origin");
        row.seq = integer("seq");
        if (m_error)
            return *m_error;
        return row;
    }

private:
    std::string place(const char* column) const { return "row " + text("id") + ", column " + column; }
    template<class T>
    T keep(const char* column, Result<T> result, T otherwise)
    {
        if (result)
            return std::move(result).value();
        fail(column, result.error().message);
        return otherwise;
    }

    const QSqlQuery& m_query;
    std::optional<Error> m_error;
};

} // namespace

const QStringList& rowKinds()
{
    static const QStringList kinds{QStringLiteral("prediction"), QStringLiteral("run"),      QStringLiteral("reason"),
                                   QStringLiteral("answer"),     QStringLiteral("artifact"), QStringLiteral("note")};
    return kinds;
}

const QStringList& contentColumns(const QString& kind)
{
    static const QHash<QString, QStringList> all = [] {
        // Taken from the encoders, so that there is one list of columns.
        PredictionRow prediction;
        prediction.experiment = prediction.metric = "x";
        RunRow run;
        run.experiment = run.target = "x";
        run.status = "finished";
        ReasonRow reason;
        reason.predictionId = reason.choice = "x";
        AnswerRow answer;
        answer.lesson = answer.block = "x";
        ArtifactRow artifact;
        artifact.title = "x";
        NoteRow note;
        note.noteId = newUuid7();
        note.lesson = note.quote = "x";
        const auto names = [](const Result<Columns>& columns) {
            QStringList list;
            for (const Column& column : columns.value())
                list << QLatin1String(column.name);
            return list;
        };
        return QHash<QString, QStringList>{{QStringLiteral("prediction"), names(columnsOf(prediction))},
                                           {QStringLiteral("run"), names(columnsOf(run))},
                                           {QStringLiteral("reason"), names(columnsOf(reason))},
                                           {QStringLiteral("answer"), names(columnsOf(answer))},
                                           {QStringLiteral("artifact"), names(columnsOf(artifact))},
                                           {QStringLiteral("note"), names(columnsOf(note))}};
    }();
    return *all.constFind(kind);
}

Result<PredictionRow> predictionFrom(const QSqlQuery& query)
{
    Reader in(query);
    PredictionRow row;
    row.lesson = in.text("lesson");
    row.block = in.text("block");
    row.experiment = in.text("experiment");
    row.metric = in.text("metric");
    row.unit = in.text("unit");
    row.params = in.decoded<ParamSet>("params", [](const Json& json) { return paramSetFromJson(json, "params"); });
    row.point = in.number("point");
    row.low = in.number("low");
    row.high = in.number("high");
    return in.take(std::move(row));
}

Result<RunRow> runFrom(const QSqlQuery& query)
{
    Reader in(query);
    RunRow row;
    row.sweepId = in.text("sweep_id");
    row.lesson = in.text("lesson");
    row.block = in.text("block");
    row.predictionId = in.text("prediction_id");
    row.experiment = in.text("experiment");
    row.version = static_cast<int>(in.integer("version"));
    row.target = in.text("target");
    row.provenance = in.provenance();
    row.seed = query.value(QStringLiteral("seed")).toULongLong();
    row.params = in.decoded<ParamSet>("params", [](const Json& json) { return paramSetFromJson(json, "params"); });
    row.metrics = in.decoded<decltype(row.metrics)>("metrics", metricsFromJson);
    row.limits = in.decoded<decltype(row.limits)>("limits", limitsFromJson);
    row.checks = in.decoded<decltype(row.checks)>("checks", checksFromJson);
    row.validity = in.text("validity");
    row.fingerprint = in.json("fingerprint");
    row.traceSha256 = in.text("trace_sha256");
    row.status = in.text("status");
    if (const Json error = in.json("error"); !error.is_null())
        row.error = errorFromJson(error);
    return in.take(std::move(row));
}

Result<ReasonRow> reasonFrom(const QSqlQuery& query)
{
    Reader in(query);
    ReasonRow row;
    row.predictionId = in.text("prediction_id");
    row.choice = in.text("choice");
    row.text = in.text("text");
    return in.take(std::move(row));
}

Result<AnswerRow> answerFrom(const QSqlQuery& query)
{
    Reader in(query);
    AnswerRow row;
    row.lesson = in.text("lesson");
    row.block = in.text("block");
    row.answer = in.json("answer");
    row.correct = in.integer("correct") != 0;
    return in.take(std::move(row));
}

Result<ArtifactRow> artifactFrom(const QSqlQuery& query)
{
    Reader in(query);
    ArtifactRow row;
    row.lesson = in.text("lesson");
    row.kind = in.text("kind");
    row.title = in.text("title");
    row.question = in.text("question");
    row.claim = in.text("claim");
    row.reflection = in.text("reflection");
    row.level = static_cast<int>(in.integer("level"));
    row.predictionIds = in.names("prediction_ids");
    row.runIds = in.names("run_ids");
    row.charts = in.json("charts");
    for (const Json& file : in.json("code")) {
        if (file.is_object() && file.value("name", Json()).is_string() && file.value("sha256", Json()).is_string())
            row.code.push_back({file["name"].get<std::string>(), file["sha256"].get<std::string>()});
        else
            in.fail("code", "not a list of files");
    }
    row.fingerprint = in.json("fingerprint");
    row.provenance = in.provenance();
    row.trust = in.text("trust");
    return in.take(std::move(row));
}

Result<NoteRow> noteFrom(const QSqlQuery& query)
{
    Reader in(query);
    NoteRow row;
    row.noteId = in.text("note_id");
    row.lesson = in.text("lesson");
    row.section = in.text("section");
    row.block = in.text("block");
    row.quote = in.text("quote");
    row.occurrence = static_cast<int>(in.integer("occurrence"));
    row.text = in.text("text");
    row.removed = in.integer("removed") != 0;
    return in.take(std::move(row));
}

} // namespace ridge::record
