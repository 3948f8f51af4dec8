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
    /// A list of {name, sha256}.
    std::vector<ArtifactCode> files(const char* column)
    {
        std::vector<ArtifactCode> all;
        for (const Json& file : json(column)) {
            if (file.is_object() && file.value("name", Json()).is_string() && file.value("sha256", Json()).is_string())
                all.push_back({file["name"].get<std::string>(), file["sha256"].get<std::string>()});
            else
                fail(column, "not a list of files");
        }
        return all;
    }
    std::optional<double> maybeNumber(const char* column) const
    {
        const QVariant value = m_query.value(QLatin1String(column));
        return value.isNull() ? std::nullopt : std::optional<double>(value.toDouble());
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

Result<ReproductionPair> pairFromJson(const Json& json)
{
    try {
        ReproductionPair pair;
        pair.oldRun = json.at("old_run").get<std::string>();
        pair.newRun = json.at("new_run").get<std::string>();
        pair.metric = json.at("metric").get<std::string>();
        pair.unit = json.at("unit").get<std::string>();
        pair.before = json.at("old").get<double>();
        pair.now = json.at("new").get<double>();
        if (const Json& factor = json.at("factor"); !factor.is_null())
            pair.factor = factor.get<double>();
        pair.verdict = json.at("verdict").get<std::string>();
        return pair;
    } catch (const Json::exception& wrong) {
        return Error{"bad-row", std::string("not a list of pairs: ") + wrong.what(), "reproduction.pairs", {}};
    }
}

} // namespace

const QStringList& rowKinds()
{
    static const QStringList kinds{
        QStringLiteral("prediction"),   QStringLiteral("run"),     QStringLiteral("reason"), QStringLiteral("answer"),
        QStringLiteral("artifact"),     QStringLiteral("note"),    QStringLiteral("tag"),    QStringLiteral("journal"),
        QStringLiteral("reproduction"), QStringLiteral("outcome"), QStringLiteral("review")};
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
        TagRow tag;
        tag.subjectKind = "run";
        tag.subjectId = tag.label = "x";
        JournalRow journal;
        journal.entryId = newUuid7();
        journal.kind = "failure";
        journal.title = "x";
        ReproductionRow reproduction;
        reproduction.artifactId = reproduction.target = "x";
        reproduction.verdict = "reproduced";
        reproduction.by = "self";
        OutcomeRow outcome;
        outcome.lesson = "x";
        outcome.state = "passed";
        outcome.context = "lesson";
        ReviewRow review;
        review.ofPredictionId = review.predictionId = review.runId = "x";
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
                                           {QStringLiteral("note"), names(columnsOf(note))},
                                           {QStringLiteral("tag"), names(columnsOf(tag))},
                                           {QStringLiteral("journal"), names(columnsOf(journal))},
                                           {QStringLiteral("reproduction"), names(columnsOf(reproduction))},
                                           {QStringLiteral("outcome"), names(columnsOf(outcome))},
                                           {QStringLiteral("review"), names(columnsOf(review))}};
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
    row.code = in.files("code");
    row.fingerprint = in.json("fingerprint");
    row.provenance = in.provenance();
    row.trust = in.text("trust");
    row.artifactId = in.text("artifact_id");
    if (row.artifactId.empty())
        row.artifactId = in.text("id");
    const Json sections = in.json("sections");
    for (const auto& [name, section] : sections.items()) {
        if (section.is_string())
            row.sections[name] = section.get<std::string>();
        else
            in.fail("sections", "not an object of texts");
    }
    row.journalIds = in.names("journal_ids");
    row.figures = in.json("figures");
    row.files = in.files("files");
    row.removed = in.integer("removed") != 0;
    row.grading = in.json("grading");
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

Result<TagRow> tagFrom(const QSqlQuery& query)
{
    Reader in(query);
    TagRow row;
    row.subjectKind = in.text("subject_kind");
    row.subjectId = in.text("subject_id");
    row.label = in.text("label");
    row.removed = in.integer("removed") != 0;
    return in.take(std::move(row));
}

Result<JournalRow> journalFrom(const QSqlQuery& query)
{
    Reader in(query);
    JournalRow row;
    row.entryId = in.text("entry_id");
    row.kind = in.text("kind");
    row.lesson = in.text("lesson");
    row.title = in.text("title");
    row.text = in.text("text");
    row.runIds = in.names("run_ids");
    row.removed = in.integer("removed") != 0;
    return in.take(std::move(row));
}

Result<ReproductionRow> reproductionFrom(const QSqlQuery& query)
{
    Reader in(query);
    ReproductionRow row;
    row.artifactId = in.text("artifact_id");
    row.target = in.text("target");
    row.verdict = in.text("verdict");
    row.by = in.text("by");
    row.grading = in.json("grading");
    for (const Json& item : in.json("pairs")) {
        auto pair = pairFromJson(item);
        if (pair)
            row.pairs.push_back(std::move(*pair));
        else
            in.fail("pairs", pair.error().message);
    }
    return in.take(std::move(row));
}

Result<OutcomeRow> outcomeFrom(const QSqlQuery& query)
{
    Reader in(query);
    OutcomeRow row;
    row.lesson = in.text("lesson");
    row.state = in.text("state");
    row.context = in.text("context");
    row.factor = in.maybeNumber("factor");
    row.evidence = in.json("evidence");
    return in.take(std::move(row));
}

Result<ReviewRow> reviewFrom(const QSqlQuery& query)
{
    Reader in(query);
    ReviewRow row;
    row.ofPredictionId = in.text("of_prediction_id");
    row.predictionId = in.text("prediction_id");
    row.runId = in.text("run_id");
    row.missed = in.integer("missed") != 0;
    row.factor = in.maybeNumber("factor");
    return in.take(std::move(row));
}

QString insertInto(const QString& table, const QStringList& names)
{
    const QStringList marks(names.size(), QStringLiteral("?"));
    return QStringLiteral("INSERT INTO %1 (%2) VALUES (%3)")
        .arg(table, names.join(QLatin1String(", ")), marks.join(QLatin1String(", ")));
}

RowInsert insertOf(const QString& kind, const Stamp& stamp, const QString& digest, const Columns& columns)
{
    QStringList names{QStringLiteral("id"),  QStringLiteral("created_at"), QStringLiteral("origin"),
                      QStringLiteral("seq"), QStringLiteral("previous"),   QStringLiteral("digest")};
    QVariantList values{stamp.id,       stamp.createdAt, stamp.origin, static_cast<qlonglong>(stamp.seq),
                        stamp.previous, digest};
    for (const Column& column : columns) {
        names << QLatin1String(column.name);
        values << column.value;
    }
    return {insertInto(kind, names), names, std::move(values)};
}

} // namespace ridge::record
