// SPDX-License-Identifier: GPL-3.0-or-later
// Store's writes: each row becomes a job of the writer.
#include "record/store_private.h"

#include "base/hash.h"

#include <QPointer>
#include <QPromise>

namespace ridge::record {

namespace {

using Answer = Result<std::string>;

QFuture<Answer> ready(Answer answer)
{
    QPromise<Answer> promise;
    QFuture<Answer> future = promise.future();
    promise.start();
    promise.addResult(std::move(answer));
    promise.finish();
    return future;
}

/// What the transaction found out, for those who wait for it.
struct Outcome {
    Stamp stamp;
    std::string sha256;
    QPromise<Answer> promise;
};

/// Resolves the promise with `value(outcome)` once durable.
template<class Value>
auto resolver(std::shared_ptr<Outcome> outcome, Value value)
{
    return [outcome, value](const std::optional<Error>& error) {
        outcome->promise.addResult(error ? Answer(*error) : Answer(value(*outcome)));
        outcome->promise.finish();
    };
}

QFuture<Answer> submit(Writer& writer, const QString& kind, std::function<Result<void>(WriteContext&, Outcome&)> insert,
                       std::function<std::string(const Outcome&)> value,
                       std::function<void(const std::optional<Error>&, const Outcome&)> deliver = {})
{
    auto outcome = std::make_shared<Outcome>();
    outcome->promise.start();
    QFuture<Answer> future = outcome->promise.future();
    WriteJob job;
    job.kind = kind;
    job.insert = [outcome, insert = std::move(insert)](WriteContext& context) { return insert(context, *outcome); };
    job.resolve = resolver(outcome, std::move(value));
    if (deliver)
        job.deliver = [outcome, deliver = std::move(deliver)](const std::optional<Error>& error) {
            deliver(error, *outcome);
        };
    writer.submit(std::move(job));
    return future;
}

std::string storedId(const Outcome& outcome)
{
    return outcome.stamp.id.toStdString();
}

/// Checks on the caller's thread, inserts on the writer's. `after` may add more rows in the same transaction.
template<class Row>
QFuture<Answer> appendRow(Writer* writer, const std::filesystem::path& folder, const char* kind, const Row& row,
                          std::function<Result<void>(WriteContext&, const Stamp&)> after = {})
{
    if (!writer)
        return ready(readOnlyStore(folder));
    auto columns = columnsOf(row);
    if (!columns)
        return ready(columns.error());
    auto stamp = givenStamp(row.id, row.createdAt, row.origin, row.seq);
    if (!stamp)
        return ready(stamp.error());
    const QString name = QLatin1String(kind);
    return submit(
        *writer, name,
        [name, columns = *columns, given = *stamp, after = std::move(after)](WriteContext& context, Outcome& outcome) {
            outcome.stamp = given;
            auto inserted = context.insertRow(name, outcome.stamp, columns);
            return inserted && after ? after(context, outcome.stamp) : inserted;
        },
        storedId);
}

using RunDelivery = std::function<void(const std::optional<Error>&, const Outcome&)>;

/// Stores the trace first and puts its name into the row.
Result<QFuture<Answer>> submitRun(Writer& writer, const RunRow& row, std::string trace, RunDelivery deliver)
{
    auto columns = columnsOf(row);
    if (!columns)
        return columns.error();
    auto stamp = givenStamp(row.id, row.createdAt, row.origin, row.seq);
    if (!stamp)
        return stamp.error();
    auto insert = [columns = *columns, given = *stamp, named = row.traceSha256,
                   trace = std::move(trace)](WriteContext& context, Outcome& outcome) -> Result<void> {
        Columns complete = columns;
        outcome.sha256 = named;
        if (!trace.empty()) {
            auto sha256 = context.putFile(trace);
            if (!sha256)
                return sha256.error();
            if (!named.empty() && named != *sha256)
                return Error{"bad-row", "The trace is not the one the run names", "run.trace_sha256",
                             "Leave traceSha256 empty"};
            outcome.sha256 = *sha256;
            for (Column& column : complete)
                if (std::string_view(column.name) == "trace_sha256")
                    column.value = QString::fromStdString(*sha256);
        }
        outcome.stamp = given;
        return context.insertRow(QStringLiteral("run"), outcome.stamp, complete);
    };
    return submit(writer, QStringLiteral("run"), std::move(insert), storedId, std::move(deliver));
}

Result<void> insertParts(WriteContext& context, const Stamp& artifact, const ArtifactRow& row)
{
    const auto link = [&](const QString& table, std::size_t position, Columns parts) {
        Columns columns{{"artifact_id", artifact.id}, {"position", static_cast<qlonglong>(position)}};
        columns.insert(columns.end(), parts.begin(), parts.end());
        return context.insertLink(table, columns);
    };
    for (std::size_t i = 0; i < row.predictionIds.size(); ++i) {
        auto done = link(QStringLiteral("artifact_prediction"), i, {{"prediction_id", sqlText(row.predictionIds[i])}});
        if (!done)
            return done;
    }
    for (std::size_t i = 0; i < row.runIds.size(); ++i) {
        if (auto done = link(QStringLiteral("artifact_run"), i, {{"run_id", sqlText(row.runIds[i])}}); !done)
            return done;
    }
    std::vector<ArtifactCode> files = row.code;
    files.insert(files.end(), row.files.begin(), row.files.end());
    for (std::size_t i = 0; i < files.size(); ++i) {
        auto done = link(QStringLiteral("artifact_file"), i,
                         {{"name", sqlText(files[i].name)}, {"sha256", sqlText(files[i].sha256)}});
        if (!done)
            return done;
    }
    return {};
}

} // namespace

QFuture<Answer> Store::append(PredictionRow row)
{
    return appendRow(d->writer.get(), d->folder, "prediction", row);
}

QFuture<Answer> Store::append(ReasonRow row)
{
    return appendRow(d->writer.get(), d->folder, "reason", row);
}

QFuture<Answer> Store::append(AnswerRow row)
{
    return appendRow(d->writer.get(), d->folder, "answer", row);
}

QFuture<Answer> Store::append(ArtifactRow row)
{
    return appendRow(d->writer.get(), d->folder, "artifact", row,
                     [row](WriteContext& context, const Stamp& stamp) { return insertParts(context, stamp, row); });
}

QFuture<Answer> Store::append(NoteRow row)
{
    if (row.noteId.empty()) {
        if (row.id.empty())
            row.id = newUuid7();
        row.noteId = row.id;
    }
    return appendRow(d->writer.get(), d->folder, "note", row);
}

QFuture<Answer> Store::append(TagRow row)
{
    return appendRow(d->writer.get(), d->folder, "tag", row);
}

QFuture<Answer> Store::append(JournalRow row)
{
    if (row.entryId.empty()) {
        if (row.id.empty())
            row.id = newUuid7();
        row.entryId = row.id;
    }
    return appendRow(d->writer.get(), d->folder, "journal", row);
}

QFuture<Answer> Store::append(ReproductionRow row)
{
    return appendRow(d->writer.get(), d->folder, "reproduction", row);
}

QFuture<Answer> Store::append(OutcomeRow row)
{
    return appendRow(d->writer.get(), d->folder, "outcome", row);
}

QFuture<Answer> Store::append(ReviewRow row)
{
    return appendRow(d->writer.get(), d->folder, "review", row);
}

QFuture<Answer> Store::append(RunRow row, std::string traceBytes)
{
    if (!d->writer)
        return ready(readOnlyStore(d->folder));
    auto submitted = submitRun(*d->writer, row, std::move(traceBytes), {});
    return submitted ? *submitted : ready(submitted.error());
}

void Store::append(RunRow row, std::string traceBytes, QObject* context,
                   std::function<void(const Result<RunRow>&)> stored)
{
    const QPointer<QObject> alive(context);
    const auto refuse = [&](const Error& error) {
        QMetaObject::invokeMethod(
            context, [stored, error] { stored(error); }, Qt::QueuedConnection);
    };
    if (!d->writer)
        return refuse(readOnlyStore(d->folder));
    const auto deliver = [alive, stored, row](const std::optional<Error>& error, const Outcome& outcome) {
        if (!alive)
            return;
        if (error)
            return stored(*error);
        RunRow complete = row;
        complete.id = outcome.stamp.id.toStdString();
        complete.createdAt = outcome.stamp.createdAt.toStdString();
        complete.origin = outcome.stamp.origin.toStdString();
        complete.seq = outcome.stamp.seq;
        complete.traceSha256 = outcome.sha256;
        stored(complete);
    };
    if (auto submitted = submitRun(*d->writer, row, std::move(traceBytes), deliver); !submitted)
        refuse(submitted.error());
}

QFuture<Answer> Store::putFile(std::string bytes)
{
    if (!d->writer)
        return ready(readOnlyStore(d->folder));
    return submit(
        *d->writer, {},
        [bytes = std::move(bytes)](WriteContext& context, Outcome& outcome) -> Result<void> {
            auto sha256 = context.putFile(bytes);
            if (!sha256)
                return sha256.error();
            outcome.sha256 = *sha256;
            return {};
        },
        [](const Outcome& outcome) { return outcome.sha256; });
}

void Store::flush()
{
    if (d->writer)
        d->writer->flush();
}

int Store::pendingWrites() const
{
    return d->writer ? d->writer->pending() : 0;
}

} // namespace ridge::record
