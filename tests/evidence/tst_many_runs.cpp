// SPDX-License-Identifier: GPL-3.0-or-later
// Progress of records with very many runs: what is left out of them makes no difference to any check of any lesson.
#include "evidence/evidence.h"
#include "evidence/mastery.h"

#include "base/json.h"
#include "record/sqlite.h"

#include <QTemporaryDir>
#include <QtTest>
#include <random>

using namespace ridge;
using namespace ridge::app;

namespace {

/// Rows that the checks of a lesson may speak of, drawn from a few so that most come more than once.
class Rows {
public:
    Rows(const lessons::Lesson& lesson, unsigned seed) : m_lesson(lesson), m_random(seed)
    {
        for (const lessons::CheckSpec& check : lesson.checks) {
            for (const ParamSet* some : {&check.where, &check.at, &check.over})
                note(*some);
            for (const ParamSet& some : check.order)
                note(some);
            for (const std::string& name : {check.along, check.among})
                if (!name.empty())
                    m_values[name].insert(m_values[name].end(), {std::int64_t{1}, std::int64_t{2}, std::int64_t{64}});
        }
        for (const lessons::Block* block : lesson.blocks()) {
            m_blocks.push_back(block->id);
            if (const auto* predict = std::get_if<lessons::PredictBlock>(&block->body)) {
                note(predict->at);
                m_predicts.push_back(block);
            }
        }
        const lessons::RunsRead read = lessons::runsRead(lesson);
        m_experiments.assign(read.experiments.begin(), read.experiments.end());
        m_experiments.emplace_back("of no check");
        m_metrics.assign(read.metrics.begin(), read.metrics.end());
        m_metrics.emplace_back("read by nobody");
        for (int count = 0; count < 24; ++count)
            m_pool.push_back(draw());
    }

    record::RunRow run()
    {
        record::RunRow row = m_pool[below(m_pool.size())];
        row.predictionId = below(3) == 0 ? std::string() : predictionId;
        if (!predictionId.empty() && below(3) == 0) { // at its point, with a result inside the interval or outside
            row.experiment = m_last.experiment;
            for (const auto& [name, one] : m_last.params)
                row.params[name] = one;
            row.metrics[m_last.metric] = {value(), m_last.unit, Provenance::Simulated};
            row.validity = "valid";
            row.status = "finished";
            row.error.reset();
        }
        row.sweepId = "0190a1b2-0000-7000-8000-00000000000" + std::to_string(below(4));
        return row;
    }
    std::optional<record::PredictionRow> prediction()
    {
        if (m_predicts.empty())
            return std::nullopt;
        const lessons::Block& block = *m_predicts[below(m_predicts.size())];
        const auto& predict = std::get<lessons::PredictBlock>(block.body);
        record::PredictionRow row;
        row.lesson = m_lesson.id;
        row.block = block.id;
        row.experiment = predict.experiment;
        row.metric = predict.metric;
        row.unit = predict.unit;
        row.params = predict.at;
        row.point = value();
        row.low = row.point / 2;
        row.high = row.point * 2;
        m_last = row;
        return row;
    }

    std::string predictionId; ///< that the next runs are made for

private:
    std::size_t below(std::size_t count) { return m_random() % count; }
    double value() { return std::array{1.0, 2.0, 4.0, 4.000001, 32.0}[below(5)]; }
    void note(const ParamSet& some)
    {
        for (const auto& [name, one] : some)
            m_values[name].push_back(one);
    }
    record::RunRow draw()
    {
        record::RunRow row;
        row.lesson = m_lesson.id;
        row.block = below(6) == 0 ? "demonstration:" + m_blocks.front() : m_blocks[below(m_blocks.size())];
        row.experiment = m_experiments[below(m_experiments.size())];
        row.target = below(4) == 0 ? "sim:t4" : "sim:h100-sxm";
        for (const auto& [name, values] : m_values)
            row.params[name] = values[below(values.size())];
        for (const std::string& metric : m_metrics)
            if (!metric.empty() && below(8) != 0)
                row.metrics[metric] = {value(), "GB/s", Provenance::Simulated};
        // The law of a check, so that some of them pass.
        for (const lessons::CheckSpec& check : m_lesson.checks)
            if (check.experiment == row.experiment && !check.formula.empty())
                if (const auto wanted = lessons::evaluateFormula(check.formula, row.params))
                    row.metrics[check.metric] = {*wanted, "GB/s", Provenance::Simulated};
        row.validity = std::array{"valid", "valid", "contended", "noisy"}[below(4)];
        row.status = below(8) == 0 ? "failed" : "finished";
        if (row.status == "failed")
            row.error = Error{"broken", "it broke", "", ""};
        row.fingerprint = Json{{"chip", "h100-sxm"}};
        return row;
    }

    const lessons::Lesson& m_lesson;
    std::minstd_rand m_random;
    std::map<std::string, std::vector<ParamValue>> m_values;
    std::vector<std::string> m_blocks, m_experiments, m_metrics;
    std::vector<const lessons::Block*> m_predicts;
    std::vector<record::RunRow> m_pool;
    record::PredictionRow m_last;
};

QStringList statesOf(const std::vector<lessons::CheckOutcome>& outcomes)
{
    QStringList states;
    for (const lessons::CheckOutcome& outcome : outcomes)
        states << QString::fromStdString(outcome.id) + QLatin1Char('=') + QString::number(int(outcome.state));
    return states;
}

bool allPassed(const std::vector<lessons::CheckOutcome>& outcomes)
{
    return !outcomes.empty() && std::ranges::all_of(outcomes, [](const lessons::CheckOutcome& outcome) {
        return outcome.state == lessons::CheckState::Passed;
    });
}

} // namespace

class TestManyRuns : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase()
    {
        m_curriculum = lessons::loadCurriculum(RIDGE_CURRICULUM).curriculum;
        QVERIFY(!m_curriculum.heads.empty());
    }

    /// Every lesson, over rows drawn at random: the same states, whether all runs are read or those that differ.
    void checksSayTheSame()
    {
        QTemporaryDir home;
        auto store = record::Store::open(home.path().toStdString()).value();
        std::array<std::size_t, 3> states{};
        std::size_t all = 0, kept = 0;
        unsigned seed = 1;
        for (const lessons::Lesson& head : m_curriculum.heads) {
            const auto lesson = lessons::loadLesson(m_curriculum, head.id);
            QVERIFY(lesson.ok());
            Rows rows(*lesson, ++seed);
            for (int count = 0; count < 90; ++count) {
                store->append(rows.run());
                if (count % 30 == 10)
                    if (auto prediction = rows.prediction())
                        rows.predictionId = store->append(std::move(*prediction)).result().value();
            }
            store->flush();
            lessons::Evidence evidence = *evidenceFromStore(*store, head.id);
            const std::vector<lessons::CheckOutcome> wanted = lessons::evaluateChecks(*lesson, evidence);
            QCOMPARE(*hasCountingRun(*store, head.id), !evidence.runs.empty());
            const auto few = runsForChecks(*store, *lesson, evidence.predictions);
            QVERIFY2(few.ok(), few.ok() ? "" : toText(few.error()).c_str());
            all += evidence.runs.size();
            kept += few->size();
            evidence.runs = *few;
            const std::vector<lessons::CheckOutcome> found = lessons::evaluateChecks(*lesson, evidence);
            QCOMPARE(statesOf(found), statesOf(wanted));
            for (const lessons::CheckOutcome& outcome : wanted)
                ++states[static_cast<std::size_t>(outcome.state)];
            evidence.runs.clear();
            QVERIFY(!allPassed(wanted) || lessons::mayPass(*lesson, evidence));
        }
        // Otherwise the comparison would say little.
        QVERIFY2(std::ranges::all_of(states, [](std::size_t count) { return count > 0; }),
                 qPrintable(
                     QStringLiteral("%1 missing, %2 failed, %3 passed").arg(states[0]).arg(states[1]).arg(states[2])));
        QVERIFY2(kept < all, "nothing was left out");
        resultsAreThoseOfTheViews(*store);
        // The page of all lessons says what each lesson's own evidence says.
        const auto standing = standings(*store, m_curriculum);
        QVERIFY(standing.ok());
        QCOMPARE(standing->size(), m_curriculum.heads.size());
        for (const LessonStanding& one : *standing) {
            const auto evidence = evidenceFromStore(*store, one.id);
            const auto lesson = lessons::loadLesson(m_curriculum, one.id);
            QCOMPARE(one.ran, !evidence->runs.empty());
            QCOMPARE(one.predicted, !evidence->predictions.empty());
            QCOMPARE(one.passed, allPassed(lessons::evaluateChecks(*lesson, *evidence)));
        }
    }

    /// What asks nothing of a run is enough to know that a lesson is not passed.
    void openQuestionsDecideWithoutRuns()
    {
        for (const lessons::Lesson& head : m_curriculum.heads) {
            const auto lesson = lessons::loadLesson(m_curriculum, head.id);
            QVERIFY(lesson.ok());
            const bool asks = std::ranges::any_of(lesson->checks, [](const lessons::CheckSpec& check) {
                return check.kind == "answered" || check.kind == "shipped" || check.kind == "predicted";
            });
            QCOMPARE(lessons::mayPass(*lesson, {}), !asks);
        }
    }

    /// Runs that repeat a point are one, and the first after a prediction stays beside the newest.
    void repeatedRunsAreOne()
    {
        QTemporaryDir home;
        auto store = record::Store::open(home.path().toStdString()).value();
        const lessons::Lesson* head = m_curriculum.head("2.4");
        QVERIFY(head != nullptr);
        const auto lesson = lessons::loadLesson(m_curriculum, "2.4");
        Rows rows(*lesson, 7);
        record::RunRow row = rows.run();
        row.experiment = "coalescing";
        row.block = "sweep";
        row.validity = "valid";
        row.status = "finished";
        row.error.reset();
        for (int count = 0; count < 50; ++count)
            store->append(row);
        store->append(*rows.prediction());
        for (int count = 0; count < 50; ++count)
            store->append(row);
        store->flush();
        const auto evidence = evidenceFromStore(*store, "2.4");
        const auto few = runsForChecks(*store, *lesson, evidence->predictions);
        QCOMPARE(evidence->runs.size(), std::size_t{100});
        QCOMPARE(few->size(), std::size_t{2});
        QVERIFY(few->front().seq == evidence->runs.front().seq);
        QVERIFY(few->back().seq == evidence->predictions.front().seq + 1);
    }

private:
    /// The queries that the store asks give the rows of the views.
    static void resultsAreThoseOfTheViews(const record::Store& store)
    {
        auto database = record::Connection::open(store.folder() / "ridgepoint.db", record::Connection::Mode::ReadOnly,
                                                 "the test's own");
        QVERIFY(database.ok());
        const auto rowsOf = [&](const QString& sql) {
            QStringList rows;
            auto query = (*database)->query(sql);
            while (query && query->next())
                rows << query->value(0).toString() + QLatin1Char(' ') + query->value(1).toString();
            return rows;
        };
        QStringList results, due;
        const auto found = store.predictionResults();
        QVERIFY2(found.ok(), found.ok() ? "" : toText(found.error()).c_str());
        const auto reviews = store.dueReviews("9999-12-31T00:00:00.000Z");
        QVERIFY2(reviews.ok(), reviews.ok() ? "" : toText(reviews.error()).c_str());
        for (const record::PredictionResult& result : *found)
            results << QString::fromStdString(result.predictionId + " " + result.runId);
        for (const record::DueReview& review : *reviews)
            due << QString::fromStdString(review.predictionId + " " + review.dueAt);
        QVERIFY(!results.empty() && !due.empty());
        QCOMPARE(results, rowsOf(QStringLiteral("SELECT prediction_id, run_id FROM prediction_result"
                                                " ORDER BY run_at DESC, prediction_id DESC")));
        QCOMPARE(due, rowsOf(QStringLiteral("SELECT prediction_id, due_at FROM due_review"
                                            " ORDER BY due_at, prediction_id")));
    }

    lessons::Curriculum m_curriculum;
};

QTEST_GUILESS_MAIN(TestManyRuns)
#include "tst_many_runs.moc"
