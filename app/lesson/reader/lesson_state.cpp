// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lesson/reader/lesson_state.h"

#include "app/drawing/scenes/trace_loader.h"
#include "app/session/demonstration_mode.h"
#include "app/ui/learner_choices.h"
#include "base/target_choice.h"
#include "base/target_kind.h"
#include "evidence/demonstration.h"
#include "evidence/evidence.h"
#include "evidence/mastery.h"
#include "evidence/review.h"
#include "lessons/instances.h"
#include "lessons/recall.h"
#include "record/worker/when_done.h"

namespace ridge::app {

using namespace record;

LessonState::LessonState(AppContext& context, lessons::Lesson lesson, QObject* parent)
    : QObject(parent), m_context(context), m_lesson(std::move(lesson)), m_choicesBefore(context.choices().size())
{
    m_checksTimer.setSingleShot(true);
    m_checksTimer.setInterval(30);
    connect(&m_checksTimer, &QTimer::timeout, this, [this] {
        Q_EMIT checksChanged();
        noteOutcome();
    });
    m_announceTimer.setSingleShot(true);
    m_announceTimer.setInterval(kPictureMs);
    connect(&m_announceTimer, &QTimer::timeout, this, &LessonState::announceNow);
    const auto changed = [this] { m_checksTimer.start(); };
    connect(this, &LessonState::predictionCommitted, this, changed);
    connect(this, &LessonState::runsChanged, this, changed);
    connect(this, &LessonState::answersChanged, this, changed);
    connect(this, &LessonState::artifactsChanged, this, changed);
    connect(this, &LessonState::predictionCommitted, this, &LessonState::abilityChanged);
    connect(&context, &AppContext::catalogueReady, this, &LessonState::abilityChanged);
    connect(&context, &AppContext::catalogueFailed, this, &LessonState::abilityChanged);
    connect(&context, &AppContext::targetChanged, this, &LessonState::abilityChanged);
    connect(&context.feedback(), &FeedbackWatch::changed, this, &LessonState::feedbackChanged);
    connect(&DemonstrationMode::of(context), &DemonstrationMode::changed, this, &LessonState::abilityChanged);
    reload();
}

void LessonState::noteOutcome()
{
    Store* store = m_context.store();
    if (m_outcomeNoted || m_artifacts.empty() || !store || store->readOnly())
        return;
    const auto owed = outcomeOwed(*store, m_lesson);
    if (!owed || !*owed)
        return;
    m_outcomeNoted = true;
    (void)store->append(**owed);
}

void LessonState::reload()
{
    Store* store = m_context.store();
    if (!store)
        return;
    const auto bySeq = [](auto& rows) { std::ranges::sort(rows, {}, [](const auto& row) { return row.seq; }); };
    const auto take = [this](auto result, auto& rows) {
        if (result)
            rows = std::move(*result);
        else
            Q_EMIT m_context.notice(QString::fromStdString(toText(result.error())), true);
    };
    take(store->runs({.lesson = m_lesson.id}), m_runs);
    m_context.feedback().withhold(m_runs);
    take(store->predictions(m_lesson.id), m_predictions);
    take(store->answers(m_lesson.id), m_answers);
    take(store->artifacts(m_lesson.id), m_artifacts);
    take(store->notes(m_lesson.id), m_notes);
    bySeq(m_runs);
    bySeq(m_predictions);
    bySeq(m_answers);
    for (const auto& prediction : m_predictions) {
        auto reasons = store->reasons(prediction.id);
        if (reasons)
            m_reasons.insert(m_reasons.end(), reasons->begin(), reasons->end());
    }
    bySeq(m_reasons);
}

const PredictionRow* LessonState::prediction(const std::string& block) const
{
    const auto found = std::ranges::find(m_predictions, block, &PredictionRow::block);
    return found == m_predictions.end() ? nullptr : &*found;
}

const PredictionRow* LessonState::newestPrediction(const std::string& block) const
{
    const auto found = std::ranges::find(m_predictions.rbegin(), m_predictions.rend(), block, &PredictionRow::block);
    return found == m_predictions.rend() ? nullptr : &*found;
}

std::uint64_t LessonState::drawSeed(const std::string& block) const
{
    const Store* store = m_context.store();
    return store ? lessons::drawSeed(store->origin(), m_lesson.id, block) : 0;
}

std::set<std::string> LessonState::hiddenQuestions() const
{
    const Store* store = m_context.store();
    std::set<std::string> begun;
    for (const lessons::Block* block : m_lesson.blocks())
        if (const auto* quiz = std::get_if<lessons::QuizBlock>(&block->body); quiz && !quiz->recalls.empty() && store) {
            const auto predictions = store->predictions(quiz->recalls);
            const auto answers = store->answers(quiz->recalls);
            if ((predictions && !predictions->empty()) || (answers && !answers->empty()))
                begun.insert(quiz->recalls);
        }
    const lessons::Curriculum& curriculum = m_context.curriculum();
    std::set<std::string> hidden = lessons::hiddenQuestions(
        m_lesson, lessons::metBefore(m_lesson.id, lessonsOf(curriculum, learnerChoices()), begun, curriculum));
    // What was answered stays, whatever path is chosen now.
    for (const AnswerRow& row : m_answers)
        hidden.erase(row.block);
    return hidden;
}

bool LessonState::wasKnown(const PredictionRow& prediction) const
{
    const Store* store = m_context.store();
    if (!store)
        return false;
    lessons::Evidence evidence = evidenceFromRows({}, {prediction}, {}, 0);
    return markKnown(evidence, *store, {prediction}, m_lesson) && evidence.predictions.front().known;
}

ParamSet LessonState::pointToAsk(const lessons::Block& block) const
{
    const auto& predict = std::get<lessons::PredictBlock>(block.body);
    const Store* store = m_context.store();
    const ExperimentInfo* info = m_context.experiment(predict.experiment);
    if (!store || !info)
        return predict.at;
    std::vector<ParamSet> asked;
    for (const PredictionRow& row : m_predictions)
        if (row.block == block.id)
            asked.push_back(row.params);
    const auto point = nextPoint(*store, m_lesson, block, *info, AppContext::targetClass(targetOf(predict.experiment)),
                                 asked, drawSeed(block.id));
    return point ? *point : predict.at;
}

std::optional<ReasonRow> LessonState::reason(const std::string& predictionId) const
{
    std::optional<ReasonRow> newest;
    for (const auto& row : m_reasons)
        if (row.predictionId == predictionId)
            newest = row;
    return newest;
}

std::vector<const RunRow*> LessonState::runsOf(const std::string& block) const
{
    std::vector<const RunRow*> rows;
    for (const auto& row : m_runs)
        if (row.status == "finished" && lessonBlockOf(row) == block)
            rows.push_back(&row);
    return rows;
}

std::vector<const RunRow*> LessonState::latestRequest(const std::string& block) const
{
    auto rows = runsOf(block);
    if (rows.empty())
        return rows;
    const std::string sweep = rows.back()->sweepId;
    std::erase_if(rows, [&](const RunRow* row) { return row->sweepId != sweep; });
    return rows;
}

std::vector<const AnswerRow*> LessonState::answersOf(const std::string& block) const
{
    std::vector<const AnswerRow*> rows;
    for (const auto& row : m_answers)
        if (row.block == block)
            rows.push_back(&row);
    return rows;
}

std::vector<LessonState::ShownCheck> LessonState::checks() const
{
    const bool values = held(Outcome::Result).isEmpty();
    std::vector<ShownCheck> shown;
    if (!m_outcomes) {
        m_outcomes = lessons::evaluateChecks(m_lesson, m_context.evidence(m_lesson));
        forgetEvidenceSoon();
    }
    std::vector<lessons::CheckOutcome> outcomes = *m_outcomes;
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
        ShownCheck one{std::move(outcomes[i]), m_context.feedback().why(m_lesson, m_lesson.checks[i])};
        if (!one.held.isEmpty())
            one.outcome.state = lessons::CheckState::Missing;
        if (!one.held.isEmpty() || !values)
            one.outcome.detail.clear(); // it names what was found
        shown.push_back(std::move(one));
    }
    return shown;
}

const lessons::Evidence& LessonState::evidence() const
{
    if (!m_evidence) {
        m_evidence = m_context.evidence(m_lesson.id);
        forgetEvidenceSoon();
    }
    return *m_evidence;
}

void LessonState::forgetEvidence() const
{
    m_evidence.reset();
    m_outcomes.reset();
}

/// Rows also come from elsewhere: nothing that was read stays beyond this turn.
void LessonState::forgetEvidenceSoon() const
{
    QMetaObject::invokeMethod(
        const_cast<LessonState*>(this), [this] { forgetEvidence(); }, Qt::QueuedConnection);
}

QString LessonState::heldAnswer(const std::string& block) const
{
    if (const QString why = held(Outcome::Answer); !why.isEmpty())
        return why;
    return classroom::isExitQuestion(m_lesson, block) ? held(Outcome::Explanation) : QString();
}

void LessonState::feedbackChanged()
{
    forgetEvidence();
    m_reasons.clear();
    reload();
    for (auto& [block, set] : m_frames) {
        set.frames.clear();
        set.order.clear();
        ++set.generation;
        Q_EMIT framesChanged(QString::fromStdString(block));
    }
    for (const lessons::Block* block : m_lesson.blocks()) {
        if (m_frames.contains(block->id))
            restoreFrames(block->id);
        Q_EMIT runsChanged(QString::fromStdString(block->id));
        Q_EMIT answersChanged(QString::fromStdString(block->id));
    }
    Q_EMIT artifactsChanged();
    Q_EMIT abilityChanged();
}

QString LessonState::targetOf(std::string_view experiment) const
{
    const ExperimentInfo* info = m_context.experiment(experiment);
    // The chip that a lesson is about replaces the usual one, which nobody has chosen, and no other.
    const bool unchosen =
        simulatesKernels(m_lesson.target) && m_context.target() == QString::fromUtf8(kDefaultSimulator);
    if (!info || (machineOfTarget(m_lesson.target).empty() && !unchosen) || !canRun(*info, m_lesson.target))
        return m_context.targetOf(experiment);
    const std::vector<QString>& choices = m_context.choices();
    for (std::size_t i = m_choicesBefore; i < choices.size(); ++i)
        if (canRun(*info, choices[i].toStdString()))
            return m_context.targetOf(experiment);
    return QString::fromStdString(m_lesson.target);
}

std::optional<Obstacle> LessonState::storeObstacle() const
{
    const Store* store = m_context.store();
    if (!store) {
        const auto& error = m_context.storeError();
        return Obstacle{error ? QString::fromStdString(error->message) : tr("Your record is not open."),
                        error ? QString::fromStdString(error->fix) : QString()};
    }
    if (store->readOnly())
        return Obstacle{tr("Your record is open for reading only."),
                        tr("Close the other Ridgepoint that is writing to it.")};
    return std::nullopt;
}

std::optional<Obstacle> LessonState::runObstacle(const std::string& experiment, const std::string& after) const
{
    if (auto obstacle = storeObstacle())
        return obstacle;
    if (const auto& error = m_context.catalogueError())
        return Obstacle{QString::fromStdString(error->message), QString::fromStdString(error->fix)};
    if (!m_context.hasCatalogue())
        return Obstacle{tr("Asking the worker what it can run…"), {}};
    const ExperimentInfo* info = m_context.experiment(experiment);
    const QString name = QString::fromStdString(experiment);
    if (!info)
        return Obstacle{tr("The worker does not offer the experiment “%1”.").arg(name),
                        tr("Build ridge-worker and ridgepoint from the same source.")};
    const AppContext::Target target = m_context.targetInfo(targetOf(experiment));
    if (!target.available)
        return Obstacle{tr("%1 cannot run now: %2").arg(target.title, target.reason), target.fix};
    if (lacksPrediction(after) && !demonstrates())
        return Obstacle{tr("Commit the prediction first."), {}};
    return std::nullopt;
}

bool LessonState::lacksPrediction(const std::string& after) const
{
    return !after.empty() && !prediction(after) && answersOf(after).empty();
}

bool LessonState::demonstrates() const
{
    return DemonstrationMode::of(m_context).holdsFor(m_lesson.id);
}

template<class Row>
void LessonState::append(Row row, QObject* receiver, Stored stored, std::function<void(const Row&)> keep)
{
    if (const auto obstacle = storeObstacle()) {
        stored(Error{"no-store", obstacle->text.toStdString(), "", obstacle->fix.toStdString()});
        return;
    }
    row.lesson = m_lesson.id;
    record::whenDone(
        m_context.store()->append(row), this,
        [this, row, stored, keep, guard = QPointer<QObject>(receiver)](const Result<std::string>& id) mutable {
            if (id) {
                row.id = *id;
                forgetEvidence();
                keep(row);
            }
            if (guard)
                stored(id);
        });
}

void LessonState::commit(PredictionRow row, QObject* receiver, Stored stored)
{
    append<PredictionRow>(std::move(row), receiver, std::move(stored), [this](const PredictionRow& kept) {
        // The store has given it its time and number: read it back rather than guess them.
        if (auto rows = m_context.store()->predictions(m_lesson.id)) {
            m_predictions = std::move(*rows);
            std::ranges::sort(m_predictions, {}, &PredictionRow::seq);
        }
        Q_EMIT predictionCommitted(QString::fromStdString(kept.block));
    });
}

void LessonState::commit(NoteRow row, QObject* receiver, Stored stored)
{
    append<NoteRow>(std::move(row), receiver, std::move(stored), [this](const NoteRow&) {
        if (auto rows = m_context.store()->notes(m_lesson.id))
            m_notes = std::move(*rows);
        Q_EMIT notesChanged();
    });
}

void LessonState::commit(ReasonRow row, QObject* receiver, Stored stored)
{
    if (const auto obstacle = storeObstacle())
        return stored(Error{"no-store", obstacle->text.toStdString(), "", obstacle->fix.toStdString()});
    record::whenDone(m_context.store()->append(row), this,
                     [this, row, stored, guard = QPointer<QObject>(receiver)](const Result<std::string>& id) mutable {
                         if (id) {
                             row.id = *id;
                             m_reasons.push_back(row);
                             Q_EMIT reasonChanged(QString::fromStdString(row.predictionId));
                         }
                         if (guard)
                             stored(id);
                     });
}

void LessonState::commit(AnswerRow row, QObject* receiver, Stored stored)
{
    append<AnswerRow>(std::move(row), receiver, std::move(stored), [this](const AnswerRow& kept) {
        m_answers.push_back(kept);
        Q_EMIT answersChanged(QString::fromStdString(kept.block));
    });
}

void LessonState::commit(ArtifactRow row, QObject* receiver, Stored stored)
{
    append<ArtifactRow>(std::move(row), receiver, std::move(stored), [this](const ArtifactRow&) {
        if (auto rows = m_context.store()->artifacts(m_lesson.id))
            m_artifacts = std::move(*rows);
        Q_EMIT artifactsChanged();
    });
}

QString LessonState::keptOf(const std::string& runId)
{
    if (!m_kept) {
        m_kept.emplace();
        if (record::Store* store = m_context.store())
            if (const auto rows = store->artifacts())
                for (const ArtifactRow& row : *rows)
                    if (row.lesson.empty() && row.runIds.size() == 1)
                        m_kept->try_emplace(row.runIds.front(), QString::fromStdString(row.id));
    }
    const auto found = m_kept->find(runId);
    return found == m_kept->end() ? QString() : found->second;
}

void LessonState::keepResult(ArtifactRow row, QObject* receiver, Stored stored)
{
    if (const auto obstacle = storeObstacle())
        return stored(Error{"no-store", obstacle->text.toStdString(), "", obstacle->fix.toStdString()});
    row.lesson.clear(); // no substitute for the one that the lesson asks for
    const std::string run = row.runIds.front();
    record::whenDone(m_context.store()->append(std::move(row)), this,
                     [this, run, stored, guard = QPointer<QObject>(receiver)](const Result<std::string>& id) {
                         if (id && m_kept)
                             (*m_kept)[run] = QString::fromStdString(*id);
                         if (guard)
                             stored(id);
                     });
}

void LessonState::addRun(const RunRow& row)
{
    forgetEvidence();
    m_runs.push_back(row);
    m_context.feedback().withhold(m_runs.back());
    announceRuns(lessonBlockOf(row));
}

void LessonState::announceRuns(const std::string& block)
{
    m_changedRuns.insert(QString::fromStdString(block));
    if (!m_announceTimer.isActive())
        m_announceTimer.start();
}

void LessonState::announceFrames(const std::string& block)
{
    m_changedFrames.insert(QString::fromStdString(block));
    if (!m_announceTimer.isActive())
        m_announceTimer.start();
}

void LessonState::announceNow()
{
    m_announceTimer.stop();
    for (const QString& block : std::exchange(m_changedFrames, {}))
        Q_EMIT framesChanged(block);
    for (const QString& block : std::exchange(m_changedRuns, {}))
        Q_EMIT runsChanged(block);
}

} // namespace ridge::app

#include "moc_lesson_state.cpp"
