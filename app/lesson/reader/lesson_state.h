// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/drawing/scenes/scene.h"
#include "app/session/app_context.h"

#include <QPointer>
#include <QTimer>
#include <QUndoStack>
#include <set>

namespace ridge::app {

/// Why something cannot be done now, and what to do about it.
struct Obstacle {
    QString text, fix;
    QString line() const { return fix.isEmpty() ? text : text + QLatin1Char(' ') + fix; }
};

/// A point of a block's latest run or sweep with what a scene needs.
struct BlockFrame {
    ParamSet params;
    SceneFrame scene;
};

/// What a learner has done in one lesson, read once from the store and kept in step with it. Blocks read from it and
/// hand their rows to it; they never talk to each other or to the store. GUI thread, owned by the lesson page.
class LessonState : public QObject {
    Q_OBJECT
public:
    LessonState(AppContext& context, lessons::Lesson lesson, QObject* parent = nullptr);

    AppContext& context() { return m_context; }
    const lessons::Lesson& lesson() const { return m_lesson; }
    /// What was changed in the forms of its blocks, to be taken back.
    QUndoStack& changes() { return m_changes; }

    /// The committed prediction of a predict block; null: none yet. The first one stands, whatever came later.
    const record::PredictionRow* prediction(const std::string& block) const;
    const std::vector<record::PredictionRow>& predictions() const { return m_predictions; }
    std::optional<record::ReasonRow> reason(const std::string& predictionId) const;
    /// Every stored run of the lesson, oldest first.
    const std::vector<record::RunRow>& runs() const { return m_runs; }
    /// Finished runs of one block, oldest first, with those that were demonstrated. Pointers hold until the next run
    /// arrives: read, do not keep.
    std::vector<const record::RunRow*> runsOf(const std::string& block) const;
    /// The runs of a block's newest request.
    std::vector<const record::RunRow*> latestRequest(const std::string& block) const;
    /// Attempts at a quiz or order block, oldest first.
    std::vector<const record::AnswerRow*> answersOf(const std::string& block) const;
    /// In which order this record meets the instances of a block: another for every learner.
    std::uint64_t drawSeed(const std::string& block) const;
    /// Quiz blocks that recall a lesson which this learner has neither begun nor will meet before on the chosen path,
    /// and those that only take the place of one that is shown.
    std::set<std::string> hiddenQuestions() const;
    /// The newest committed prediction of a predict block, at whatever point; null: none yet.
    const record::PredictionRow* newestPrediction(const std::string& block) const;
    /// Whether the record held its result when it was made, so that no check counts it.
    bool wasKnown(const record::PredictionRow& prediction) const;
    /// The point at which a predict block asks next: the authored one, else another that this record holds no result of
    /// and at which it was not asked before. Where none is left, the authored one.
    ParamSet pointToAsk(const lessons::Block& block) const;
    const std::vector<record::ArtifactRow>& artifacts() const { return m_artifacts; } ///< newest first
    const std::vector<record::NoteRow>& notes() const { return m_notes; }             ///< in the margin, oldest first
    /// A check as it may be shown: of one that is held back only its title, and why.
    struct ShownCheck {
        lessons::CheckOutcome outcome;
        QString held; ///< empty: it is shown
    };
    std::vector<ShownCheck> checks() const;
    /// What the record holds of the lesson, read once in a turn of the event loop, whoever asks.
    const lessons::Evidence& evidence() const;
    /// Whether a chart may have the predictions in it: beside results they would be the comparison.
    bool showsPredictions() const { return held(Outcome::Prediction).isEmpty() || !held(Outcome::Result).isEmpty(); }
    /// Whether the answer to a question was right: an exit question's waits for its explanation too.
    QString heldAnswer(const std::string& block) const;
    /// Why an outcome of this lesson is not shown now; empty: it is. While results are held back the runs here have no
    /// metrics and no timelines, so that no block can show them.
    QString held(Outcome outcome) const { return m_context.feedback().why(m_lesson.id, outcome); }

    /// Where the lesson's runs of an experiment go: to the machine that the lesson is about, where it names one that
    /// can run it and the reader chose no other since the lesson was opened; else as everywhere (AppContext::targetOf).
    QString targetOf(std::string_view experiment) const;

    /// Nothing in the way when empty. `after` names the predict block that must be committed first.
    std::optional<Obstacle> storeObstacle() const;
    std::optional<Obstacle> runObstacle(const std::string& experiment, const std::string& after) const;
    /// Whether a block waits for the prediction or the drawn curve of the block `after`; empty: it waits for none.
    bool lacksPrediction(const std::string& after) const;
    /// Whether an instructor shows this lesson: then nothing waits for a prediction, and what runs is stored as a
    /// demonstration.
    bool demonstrates() const;

    using Stored = std::function<void(const Result<std::string>&)>;
    // Each gives a row to the store and calls back once it is durable; `receiver` gone: nobody is called.
    void commit(record::PredictionRow row, QObject* receiver, Stored stored);
    void commit(record::ReasonRow row, QObject* receiver, Stored stored);
    void commit(record::AnswerRow row, QObject* receiver, Stored stored);
    void commit(record::ArtifactRow row, QObject* receiver, Stored stored);
    /// The same for one run's artifact that is no part of the lesson: the lesson's own is still to be shipped.
    void keepResult(record::ArtifactRow row, QObject* receiver, Stored stored);
    /// The artifact that was kept of this run alone; empty: none.
    QString keptOf(const std::string& runId);
    void commit(record::NoteRow row, QObject* receiver, Stored stored);
    void addRun(const record::RunRow& row); ///< already durable
    /// Tells of runs and frames that came since the last picture, without waiting for the next.
    void announceNow();

    const std::vector<BlockFrame>& frames(const std::string& block) const;
    /// A new request of the block begins: its frames go.
    void beginFrames(const std::string& block);
    void addFrame(const std::string& block, std::size_t index, BlockFrame frame);
    /// Loads the traces of the newest stored request; framesChanged follows for each.
    void restoreFrames(const std::string& block);
    /// Traces that are still being decoded; framesSettled follows the last.
    int pendingTraces() const { return m_pendingTraces; }
    /// Parameters that a block's request varies: what a frame is called by.
    std::vector<std::string> axesOf(const std::string& block) const;
    QString pointTitle(const std::string& block, const ParamSet& params) const;

    /// A chart or scene of `block` shows this point now.
    void selectPoint(const std::string& block, const ParamSet& params);

Q_SIGNALS:
    void predictionCommitted(const QString& block);
    void reasonChanged(const QString& predictionId);
    void runsChanged(const QString& block);
    void answersChanged(const QString& block);
    void artifactsChanged();
    void notesChanged();
    void framesChanged(const QString& block);
    void framesSettled();
    void pointSelected(const QString& block, const ridge::ParamSet& params);
    void checksChanged();
    /// Somebody asked for the block of this id: the page goes there.
    void blockWanted(const QString& block);
    /// Catalogue, target or store changed: what blocks may do has to be asked again.
    void abilityChanged();

private:
    struct FrameSet {
        std::vector<BlockFrame> frames;
        std::vector<std::size_t> order; ///< index of each frame in its request
        int generation = 0;
    };
    void reload();
    void feedbackChanged();
    void forgetEvidence() const;
    void forgetEvidenceSoon() const;
    template<class Row>
    void append(Row row, QObject* receiver, Stored stored, std::function<void(const Row&)> keep);
    void placeFrame(const std::string& block, std::size_t index, BlockFrame frame);
    void announceRuns(const std::string& block);
    void announceFrames(const std::string& block);
    /// A lesson that is passed is told to the record once.
    void noteOutcome();

    AppContext& m_context;
    lessons::Lesson m_lesson;
    std::size_t m_choicesBefore; ///< targets that were chosen before the lesson was opened
    QUndoStack m_changes;
    std::vector<record::PredictionRow> m_predictions;
    std::vector<record::ReasonRow> m_reasons;
    std::vector<record::RunRow> m_runs;
    std::vector<record::AnswerRow> m_answers;
    std::vector<record::ArtifactRow> m_artifacts;
    mutable std::optional<lessons::Evidence> m_evidence;
    mutable std::optional<std::vector<lessons::CheckOutcome>> m_outcomes;
    std::optional<std::map<std::string, QString>> m_kept; ///< artifact by run; empty: not looked up yet
    std::vector<record::NoteRow> m_notes;
    std::map<std::string, FrameSet> m_frames;
    int m_pendingTraces = 0;
    QTimer m_checksTimer;
    bool m_outcomeNoted = false;
    /// A sweep brings dozens of rows and traces at once, and every announcement lays out a chart or a scene anew: what
    /// came within one picture of the screen is announced together.
    QTimer m_announceTimer;
    std::set<QString> m_changedRuns, m_changedFrames;
};

} // namespace ridge::app
