// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/kernels/bench_job.h"
#include "app/kernels/kernel_history.h"
#include "app/kernels/kernel_shelf.h"
#include "app/session/draft_file.h"
#include "app/ui/kernel_editor.h"

#include <QTimer>
#include <QWidget>

class QComboBox;
class QLabel;
class QProgressBar;
class QPushButton;
class QSplitter;
class QTabWidget;
class QToolButton;

namespace ridge::app {

class Banner;
class DebugPanel;
class GradePanel;
class HistoryPanel;
struct GradedKernel;
class KernelGrading;
class KernelResults;
class LaunchForm;
class NumberTable;
class ProblemList;
class PtxPanel;
class ReplaceBar;
class TargetBox;

/// One kernel: its source, how it is launched, what its runs gave. Saves every change, compiles in the background once
/// typing stops, keeps a version with every run.
class KernelBench : public QWidget {
    Q_OBJECT
public:
    /// Horizontal: source beside results; vertical: above them, for a narrow column.
    KernelBench(AppContext& context, KernelDraft draft, QWidget* parent = nullptr,
                Qt::Orientation layout = Qt::Horizontal);
    ~KernelBench() override;

    QString name() const { return QString::fromStdString(m_draft.name); }
    KernelEditor* editor() const { return m_editor; }
    ReplaceBar* findBar() const { return m_find; }
    LaunchForm* form() const { return m_form; }
    ProblemList* problems() const { return m_problems; }
    KernelResults* results() const { return m_results; }
    HistoryPanel* historyPanel() const { return m_versions; }
    QTabWidget* side() const { return m_side; }
    NumberTable* lineTable() const { return m_lines; }
    PtxPanel* ptx() const { return m_ptx; }
    KernelJob* runJob() const { return m_run; }
    KernelJob* compileJob() const { return m_compile; }
    const KernelHistory& history() const { return m_history; }
    QList<QWidget*> panes() const;

    bool canRun() const;
    void run();  ///< or lets a run that stands still go on
    void stop(); ///< a run that stands still ends there, with what it has to tell; others as cancel()
    void cancel();
    bool running() const;
    /// Runs it as its task wants and judges it; sizes and data follow from `secret`, a new one where it is empty.
    bool canGrade() const;
    void grade(const std::string& secret = {});
    GradePanel* gradePanel() const { return m_gradePanel; }
    KernelGrading* grading() const { return m_grading; }
    /// Runs once more and records every step of block 0; on a simulated chip.
    bool canRecord() const;
    void record();
    /// Whether the compiler that takes the text gives names of variables.
    bool namesVariables() const;
    /// Launch and results: hidden, what is below the code has the whole width.
    void showSide(bool shown);
    DebugPanel* debugger() const { return m_debugger; }
    KernelJob* recordJob() const { return m_recorder; }
    bool canGoToHottest() const;
    void goToHottest();
    void setMetric(HeatMetric metric);
    HeatMetric heatMetric() const;
    void keepVersion(const QString& name);
    void compileNow();
    QString target() const;

Q_SIGNALS:
    void changed(); ///< what can be done is another
    void shelfWanted();
    void starterWanted(const QString& task);

protected:
    /// One kernel may be open here and in a lesson. Only one of them is seen at a time: who goes writes the draft down,
    /// who comes reads what was written meanwhile.
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    QWidget* makeHeader();
    QWidget* makeSource();
    QWidget* makeSide();
    void connectEditor();
    void connectJobs();
    void connectDebugger(); ///< kernel_debug.cpp
    void connectGrading();  ///< kernel_grade.cpp
    void showKept();
    void showSolved();
    void noteBest(const GradedKernel& graded);
    void takeBest(const std::optional<GradePoints>& best); ///< of another bench with the same kernel
    void showGradeState();
    void showWhetherRecorded();
    bool isRecordedText();
    void recordAs(bool named);
    void tellReports(); ///< of the last run, where it was of the text that is recorded
    void fillTargets();
    void noteChange();
    void textChanged();
    void takeCompiled(const Json& document);
    void takeErrors(const Error& error);
    void takeRun(const Json& document);
    void showNotes();
    void showHeat();
    void showState();
    void restoreVersion(const QString& id);
    void replaceText(const QString& text); ///< one step of undo, not a document without a past
    KernelText source() const;
    std::string arch() const;
    Result<KernelRunRequest> request() const;

    AppContext& m_context;
    KernelDraft m_draft;
    std::unique_ptr<DraftFile> m_file;
    KernelHistory m_history;
    KernelJob* m_compile;
    KernelJob* m_run;
    KernelJob* m_recorder;
    KernelGrading* m_grading;
    QTimer m_soon; ///< compiles once typing stops
    KernelEditor* m_editor = nullptr;
    ReplaceBar* m_find = nullptr;
    LaunchForm* m_form = nullptr;
    ProblemList* m_problems = nullptr;
    DebugPanel* m_debugger = nullptr;
    QTabWidget* m_below = nullptr; ///< problems, debugger, buffers
    QSplitter* m_sourceSplit = nullptr;
    KernelResults* m_results = nullptr;
    NumberTable *m_counters = nullptr, *m_stalls = nullptr, *m_lines = nullptr, *m_buffers = nullptr;
    PtxPanel* m_ptx = nullptr;
    HistoryPanel* m_versions = nullptr;
    GradePanel* m_gradePanel = nullptr;
    QTabWidget* m_side = nullptr;
    QToolButton* m_sideShown = nullptr;
    TargetBox* m_targets = nullptr;
    QComboBox* m_metrics = nullptr;
    QPushButton *m_start = nullptr, *m_stop = nullptr;
    QLabel* m_status = nullptr;
    QProgressBar* m_progress = nullptr;
    Banner* m_error = nullptr;
    std::vector<SourceNote> m_compileNotes, m_runNotes;
    std::vector<HeatLine> m_heat;
    QString m_compileState, m_compiler; ///< the last one that took the text: "nvrtc"
    std::string m_ranText, m_ranVersion, m_recordedText;
    std::string m_reportedText; ///< of the run that m_runNotes are of
    std::vector<std::string> m_ranArgs;
    int m_lineCount = 1, m_comparedRevision = -1;
    bool m_isRecordedText = false, m_recordsNames = false, m_foldsSide = true;
    bool m_loading = true;
};

} // namespace ridge::app
