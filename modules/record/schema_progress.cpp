// SPDX-License-Identifier: GPL-3.0-or-later
// Steps 4 and 7 of the schema: what a learner's rows say about how firmly something is known. Views alone; every one of
// them can be dropped and made again.
#include "record/schema_progress.h"
#include "record/schema.h"

namespace ridge::record {

namespace {

/// The first run that counts at the point a prediction asked about, with the value it gave. Parameters are compared by
/// value, so that the 8 of a prediction is the 8 of a run that has further parameters.
const char* const kPredictionResult =
    "CREATE VIEW prediction_result AS SELECT prediction_id, run_id, value, run_at FROM ("
    "SELECT prediction.id AS prediction_id, eligible_runs.id AS run_id, eligible_runs.created_at AS run_at,"
    " json_extract(eligible_runs.metrics, '$.\"' || prediction.metric || '\".value') AS value,"
    " ROW_NUMBER() OVER (PARTITION BY prediction.id ORDER BY eligible_runs.seq, eligible_runs.id) AS place"
    " FROM prediction JOIN eligible_runs ON eligible_runs.prediction_id = prediction.id"
    " WHERE NOT EXISTS (SELECT 1 FROM json_each(prediction.params) AS wanted"
    " WHERE json_extract(eligible_runs.params, '$.\"' || wanted.key || '\"') IS NOT wanted.value)"
    " AND json_extract(eligible_runs.metrics, '$.\"' || prediction.metric || '\".value') IS NOT NULL) AS ranked"
    " WHERE place = 1";

/// The rows of the view prediction_result, from the predictions on: from the runs on, as SQLite reads the view, every
/// run of the record is looked at. The plus signs leave it the index by prediction alone.
const char* const kPredictionResultRows =
    "SELECT prediction_id, run_id, value, run_at FROM ("
    "SELECT prediction.id AS prediction_id, run.id AS run_id, run.created_at AS run_at,"
    " json_extract(run.metrics, '$.\"' || prediction.metric || '\".value') AS value,"
    " ROW_NUMBER() OVER (PARTITION BY prediction.id ORDER BY run.seq, run.id) AS place"
    " FROM prediction CROSS JOIN run ON run.prediction_id = prediction.id"
    " WHERE run.status = 'finished' AND run.validity = 'valid' AND +run.experiment = prediction.experiment"
    " AND +run.origin = prediction.origin AND +run.seq > prediction.seq"
    " AND NOT EXISTS (SELECT 1 FROM json_each(prediction.params) AS wanted"
    " WHERE json_extract(run.params, '$.\"' || wanted.key || '\"') IS NOT wanted.value)"
    " AND json_extract(run.metrics, '$.\"' || prediction.metric || '\".value') IS NOT NULL) AS ranked"
    " WHERE place = 1";

/// A result outside the 80 % interval comes back 1, 3 and 10 days later (product PR4): counted from the run, later from
/// the last review; a miss begins again, three hits in a row end it. `streak` is the number of hits since the last
/// miss.
const char* const kDueReview =
    "missed AS ("
    "SELECT prediction.id, prediction.lesson, prediction.block, prediction_result.run_at"
    " FROM prediction JOIN prediction_result ON prediction_result.prediction_id = prediction.id"
    " WHERE (prediction_result.value < prediction.low OR prediction_result.value > prediction.high)"
    " AND prediction.lesson <> '' AND prediction.block <> ''"
    " AND prediction.id NOT IN (SELECT prediction_id FROM review)),"
    " counted AS (SELECT missed.*,"
    " (SELECT COUNT(*) FROM review WHERE review.of_prediction_id = missed.id AND review.missed = 0"
    " AND review.created_at > coalesce((SELECT MAX(created_at) FROM review AS fault"
    " WHERE fault.of_prediction_id = missed.id AND fault.missed = 1), '')) AS streak,"
    " coalesce((SELECT MAX(created_at) FROM review WHERE review.of_prediction_id = missed.id), missed.run_at) AS "
    "last_at"
    " FROM missed)"
    " SELECT id AS prediction_id, lesson, block, streak, last_at,"
    " strftime('%Y-%m-%dT%H:%M:%fZ', julianday(last_at) + CASE streak WHEN 0 THEN 1 WHEN 1 THEN 3 ELSE 10 END) AS "
    "due_at"
    " FROM counted WHERE streak < 3";

/// Met (1): passed. Solid (2): passed with every committed prediction within a factor of two. Mastered (3): passed
/// again in a mixed review three days or more after the first pass, a step at a time; a missed review is a step down,
/// never below Met (product section 1.6). Walks the outcomes of a lesson in the order of their time.
const char* const kMastery =
    "CREATE VIEW mastery AS WITH RECURSIVE passed AS ("
    "SELECT lesson, MIN(created_at) AS first_at FROM outcome WHERE context = 'lesson' AND state = 'passed'"
    " GROUP BY lesson),"
    " ordered AS (SELECT outcome.lesson, outcome.state, outcome.context, outcome.factor, outcome.created_at,"
    " julianday(outcome.created_at) - julianday(passed.first_at) AS days,"
    " ROW_NUMBER() OVER (PARTITION BY outcome.lesson ORDER BY outcome.created_at, outcome.seq, outcome.id) AS place"
    " FROM outcome JOIN passed ON passed.lesson = outcome.lesson WHERE outcome.created_at >= passed.first_at),"
    " walk AS (SELECT lesson, place, CASE WHEN factor <= 2 THEN 2 ELSE 1 END AS level, created_at AS since_at, "
    "created_at"
    " FROM ordered WHERE place = 1"
    " UNION ALL SELECT ordered.lesson, ordered.place,"
    " CASE WHEN ordered.context = 'review' AND ordered.state = 'failed' THEN max(1, walk.level - 1)"
    " WHEN ordered.context = 'review' AND ordered.days >= 3 THEN min(3, walk.level + 1)"
    " WHEN ordered.context = 'lesson' AND ordered.state = 'passed' AND ordered.factor <= 2 THEN max(2, walk.level)"
    " ELSE walk.level END,"
    " walk.since_at, ordered.created_at"
    " FROM walk JOIN ordered ON ordered.lesson = walk.lesson AND ordered.place = walk.place + 1)"
    " SELECT walk.lesson, walk.level, walk.since_at AS passed_at, walk.created_at AS last_at FROM walk"
    " WHERE walk.place = (SELECT MAX(place) FROM ordered WHERE ordered.lesson = walk.lesson)";

/// The same, with what the questions of the lesson got at the first attempt (`first_answers` of the outcome's
/// evidence): Solid takes seven of ten right as well. In outcomes of before that counted the predictions decide alone.
const char* const kMasteryWithAnswers =
    "CREATE VIEW mastery AS WITH RECURSIVE passed AS ("
    "SELECT lesson, MIN(created_at) AS first_at FROM outcome WHERE context = 'lesson' AND state = 'passed'"
    " GROUP BY lesson),"
    " ordered AS (SELECT outcome.lesson, outcome.state, outcome.context, outcome.created_at,"
    " outcome.factor <= 2 AND 10 * coalesce(json_extract(outcome.evidence, '$.first_answers.right'), 0)"
    " >= 7 * coalesce(json_extract(outcome.evidence, '$.first_answers.of'), 0) AS firm,"
    " julianday(outcome.created_at) - julianday(passed.first_at) AS days,"
    " ROW_NUMBER() OVER (PARTITION BY outcome.lesson ORDER BY outcome.created_at, outcome.seq, outcome.id) AS place"
    " FROM outcome JOIN passed ON passed.lesson = outcome.lesson WHERE outcome.created_at >= passed.first_at),"
    " walk AS (SELECT lesson, place, CASE WHEN firm THEN 2 ELSE 1 END AS level, created_at AS since_at, created_at"
    " FROM ordered WHERE place = 1"
    " UNION ALL SELECT ordered.lesson, ordered.place,"
    " CASE WHEN ordered.context = 'review' AND ordered.state = 'failed' THEN max(1, walk.level - 1)"
    " WHEN ordered.context = 'review' AND ordered.days >= 3 THEN min(3, walk.level + 1)"
    " WHEN ordered.context = 'lesson' AND ordered.state = 'passed' AND ordered.firm THEN max(2, walk.level)"
    " ELSE walk.level END,"
    " walk.since_at, ordered.created_at"
    " FROM walk JOIN ordered ON ordered.lesson = walk.lesson AND ordered.place = walk.place + 1)"
    " SELECT walk.lesson, walk.level, walk.since_at AS passed_at, walk.created_at AS last_at FROM walk"
    " WHERE walk.place = (SELECT MAX(place) FROM ordered WHERE ordered.lesson = walk.lesson)";

} // namespace

QStringList firstAnswersCount()
{
    return {QStringLiteral("DROP VIEW mastery"), QLatin1String(kMasteryWithAnswers)};
}

QStringList progressViews()
{
    return {QStringLiteral("CREATE INDEX review_by_own_prediction ON review (prediction_id)"),
            QLatin1String(kPredictionResult),
            QStringLiteral("CREATE VIEW due_review AS WITH ") + QLatin1String(kDueReview), QLatin1String(kMastery)};
}

QString predictionResultRows()
{
    return QLatin1String(kPredictionResultRows);
}

QString dueReviewRows()
{
    return QStringLiteral("WITH prediction_result AS (%1), %2").arg(predictionResultRows(), QLatin1String(kDueReview));
}

} // namespace ridge::record
