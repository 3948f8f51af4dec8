// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "record/rows.h"

#include <QSqlQuery>
#include <QStringList>
#include <QVariant>
#include <vector>

namespace ridge::record {

/// Rows as columns and back. Checking happens here, before a row is handed to the writer, so that what reaches SQLite
/// is well-formed and a refusal can name the field.

struct Column {
    const char* name;
    QVariant value; ///< null for an absent optional
};
using Columns = std::vector<Column>;

/// The columns that the store fills in.
struct Stamp {
    QString id, createdAt, origin;
    std::int64_t seq = 0;
    QString previous; ///< digest of this origin's row before
};

/// "prediction", "run", "reason", "answer", "artifact", "note", "tag", "journal", "reproduction", "outcome", "review":
/// in an order in which no row refers to a later kind.
const QStringList& rowKinds();

/// Names of the content columns of a kind, in the order of columnsOf.
const QStringList& contentColumns(const QString& kind);

/// Content columns. Error "bad-row" names the field, what it holds and what is legal.
Result<Columns> columnsOf(const PredictionRow& row);
Result<Columns> columnsOf(const RunRow& row);
Result<Columns> columnsOf(const ReasonRow& row);
Result<Columns> columnsOf(const AnswerRow& row);
Result<Columns> columnsOf(const ArtifactRow& row);
Result<Columns> columnsOf(const NoteRow& row);
Result<Columns> columnsOf(const TagRow& row);
Result<Columns> columnsOf(const JournalRow& row);
Result<Columns> columnsOf(const ReproductionRow& row);
Result<Columns> columnsOf(const OutcomeRow& row);
Result<Columns> columnsOf(const ReviewRow& row);

/// Id and time of a row as given: either empty or well-formed. Error "bad-row".
Result<Stamp> givenStamp(const std::string& id, const std::string& createdAt, const std::string& origin,
                         std::int64_t seq);

/// Errors: "store-damaged" naming the row whose JSON no longer parses.
Result<PredictionRow> predictionFrom(const QSqlQuery& query);
Result<RunRow> runFrom(const QSqlQuery& query);
Result<ReasonRow> reasonFrom(const QSqlQuery& query);
Result<AnswerRow> answerFrom(const QSqlQuery& query);
Result<ArtifactRow> artifactFrom(const QSqlQuery& query);
Result<NoteRow> noteFrom(const QSqlQuery& query);
Result<TagRow> tagFrom(const QSqlQuery& query);
Result<JournalRow> journalFrom(const QSqlQuery& query);
Result<ReproductionRow> reproductionFrom(const QSqlQuery& query);
Result<OutcomeRow> outcomeFrom(const QSqlQuery& query);
Result<ReviewRow> reviewFrom(const QSqlQuery& query);

/// SHA-256 over the stamp and every column that is not null, by name and length, so that a column added by a later
/// schema does not change the digest of older rows.
QString rowDigest(const QString& kind, const Stamp& stamp, const Columns& columns);

/// "INSERT INTO table (a, b) VALUES (?, ?)".
QString insertInto(const QString& table, const QStringList& names);

/// A stamped row as a database takes it.
struct RowInsert {
    QString sql;
    QStringList names;
    QVariantList values;
};
RowInsert insertOf(const QString& kind, const Stamp& stamp, const QString& digest, const Columns& columns);

} // namespace ridge::record
