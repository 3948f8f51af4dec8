// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/runs/lab/lab_results.h"
#include "app/runs/lab/run_queue.h"
#include "app/ui/page.h"
#include "record/resume.h"

#include <QTimer>
#include <QUndoStack>

class QComboBox;
class QLabel;
class QProgressBar;
class QPushButton;
class QVBoxLayout;

namespace ridge::app {

class Banner;
class ColumnScroll;
class ParameterForm;
class ParameterHistory;
class SweepEditor;
class TargetBox;

/// The free bench: any experiment, every parameter, any target, a sweep over up to three parameters.
/// "lab/<experiment id>" chooses one, "lab/<experiment id>/<run id>" with the settings of that run. It comes back as it
/// was left, and offers to finish a sweep that was cut short.
class LabPage : public Page {
    Q_OBJECT
public:
    /// Bench and results stand side by side, or in a dock one above the other.
    explicit LabPage(AppContext& context, Qt::Orientation orientation = Qt::Horizontal, QWidget* parent = nullptr);

    ~LabPage() override;

    Result<void> open(const QString& part) override;
    QString title() const override { return tr("Lab"); }
    QString part() const override { return m_experiment; }
    bool ready() const override;
    int runningJobs() const override;
    void cancelRuns() override;
    bool can(Command command) const override;
    void perform(Command command) override;
    QList<QWidget*> panes() const override;
    std::vector<record::RunRow> runsInView() const override { return m_results->rows(); }
    bool hasRunsInView() const override { return !m_results->rows().empty(); }

    /// What the bench would run now. Errors: bad sweep, no catalogue, target not available.
    Result<RunRequest> request() const;
    /// Chooses the experiment, puts these values into the form and the sweep; does not run.
    void propose(const BenchProposal& proposal);
    LabResults* results() const { return m_results; }
    ParameterForm* form() const { return m_form; }
    SweepEditor* sweep() const { return m_sweep; }
    RunController* controller() const { return m_queue->controller(); }
    RunQueue* queue() const { return m_queue; }

private:
    QWidget* makeBench();
    void connectRun();
    void fillExperiments();
    void remember();
    void restore();
    Result<void> openRun(const std::string& experiment, const std::string& run);
    void sayNothingRun();
    void chooseExperiment(const QString& id);
    QString target() const; ///< of the experiment that is chosen
    void fillTargets();
    void rebuildForm(const ParamSet& wanted = {});
    void updateState();
    void start();
    void lookForUnfinished();
    void resume();
    void showJob();
    void chooseExport();
    QString pointTitle(std::size_t index) const;

    AppContext& m_context;
    RunQueue* m_queue;
    QUndoStack m_changes;
    ParameterHistory* m_history;
    LabResults* m_results;
    ColumnScroll* m_scroll = nullptr;
    QComboBox* m_experiments = nullptr;
    QLabel* m_summary = nullptr;
    TargetBox* m_targets = nullptr;
    QLabel* m_targetNote = nullptr;
    QVBoxLayout* m_formPlace = nullptr;
    ParameterForm* m_form = nullptr;
    SweepEditor* m_sweep = nullptr;
    QPushButton* m_start = nullptr;
    QPushButton* m_resume = nullptr;
    QPushButton* m_stop = nullptr;
    QLabel* m_status = nullptr;
    QProgressBar* m_progress = nullptr;
    Banner* m_error = nullptr;
    QString m_experiment;
    std::optional<BenchProposal> m_proposal;             ///< until the catalogue is there
    std::optional<record::UnfinishedSweep> m_unfinished; ///< what the bench would run now, begun before
    QTimer m_look;
    QByteArray m_remembered;       ///< what the settings have
    bool m_saysUnfinished = false; ///< in place of results
    bool m_restored = false;       ///< it came from there, and nothing was run since
    const bool m_remembers;        ///< the bench of a page keeps what is set; that of a dock follows the lesson
};

} // namespace ridge::app
