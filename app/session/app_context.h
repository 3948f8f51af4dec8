// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/session/actions.h"
#include "app/session/calibration_run.h"
#include "app/session/feedback_watch.h"
#include "app/session/pin_board.h"
#include "app/session/remote_hosts.h"
#include "app/session/run_mark.h"
#include "app/theme/theme.h"
#include "lessons/curriculum.h"
#include "lessons/lesson_evidence.h"
#include "record/baselines.h"
#include "record/recorder.h"
#include "record/store.h"

#include <QObject>
#include <functional>
#include <memory>

class QWidget;

namespace ridge::app {

/// What every page is given: references to the things that exist once. Made in main, outlives all pages; GUI thread.
class AppContext : public QObject {
    Q_OBJECT
public:
    AppContext(Theme& theme, ActionRegistry& actions, std::unique_ptr<record::Store> store, std::filesystem::path data,
               QObject* parent = nullptr);

    Theme& theme() { return m_theme; }
    ActionRegistry& actions() { return m_actions; }
    /// Runs put aside to be compared.
    PinBoard& pins() { return m_pins; }
    const PinBoard& pins() const { return m_pins; }
    /// What the targets reach; finds it out in the background where nobody knows.
    CalibrationRun& calibration() { return *m_calibration; }
    /// Machines that a launcher reaches.
    RemoteHosts& remotes() { return *m_remotes; }
    const RemoteHosts& remotes() const { return *m_remotes; }
    /// What accepted assignments keep back of a learner's outcomes, and until when.
    FeedbackWatch& feedback() { return *m_feedback; }
    const FeedbackWatch& feedback() const { return *m_feedback; }
    /// Null when the store could not be opened; storeError() says why and pages stay readable.
    record::Store* store() { return m_store.get(); }
    const std::optional<Error>& storeError() const { return m_storeError; }
    void setStoreError(Error error) { m_storeError = std::move(error); }
    /// How the program's last run ended, if it did not end by itself; nothing once somebody has read it.
    const std::optional<LastEnd>& lastEnd() const { return m_lastEnd; }
    void setLastEnd(std::optional<LastEnd> end) { m_lastEnd = std::move(end); }
    const lessons::Curriculum& curriculum() const { return m_curriculum; }
    /// What is wrong with lessons, claims or glossary; the rest of the curriculum is there all the same.
    const std::vector<lessons::Problem>& curriculumProblems() const { return m_curriculumProblems; }
    const std::filesystem::path& dataFolder() const { return m_data; }
    /// What other machines gave (assets/baselines); read when it is first asked for. Points that do not fit the
    /// catalogue are among its problems.
    const record::BaselineLibrary& baselines() const;

    /// Asks ridge-worker for its catalogue and targets, asynchronously; catalogueReady follows.
    void loadCatalogue();
    bool hasCatalogue() const { return !m_experiments.empty(); }
    /// Why there is no catalogue; absent while it is being asked for and once it is there.
    const std::optional<Error>& catalogueError() const { return m_catalogueError; }
    const std::vector<ExperimentInfo>& experiments() const { return m_experiments; }
    const ExperimentInfo* experiment(std::string_view id) const;
    const Json& targets() const { return *m_targets; } ///< document of `ridge-worker targets`

    /// The target that runs use: chosen by the learner, else gpu:0 when available, else sim:h100-sxm.
    QString target() const { return m_target; }
    /// Of a machine: only the experiments of its engine run there from now on, target() stays.
    void setTarget(const QString& target);
    /// target(), or the machine on which the experiments of its engine run.
    bool isChosen(const QString& id) const;
    /// Where runs of an experiment go: the machine chosen last among those of its engine, target(), or what is taken
    /// instead where it cannot run there (base's targetFor).
    QString targetOf(std::string_view experiment) const;
    /// Every target that was chosen since the program started, oldest first.
    const std::vector<QString>& choices() const { return m_choices; }
    /// What the worker says about one target, or what a remote one said when it was asked last; an unlisted one is not
    /// available and says so.
    struct Target {
        QString id, title, reason, fix;
        bool available = false;
    };
    Target targetInfo(const QString& id) const;
    /// Kind of a target: "gpu" of "gpu:0" and of "lab:gpu:0".
    static std::string targetClass(const QString& id);

    /// A kernel of the learner's own that is written in a lesson: for a task, or a copy of a shipped file.
    struct KernelWish {
        std::string task;                ///< id of a kernel task; empty: `file`
        std::string file;                ///< below kernels/
        std::function<void()> kept = {}; ///< called when a grade was put into the record
    };
    using KernelEditorMaker = std::function<QWidget*(const KernelWish& wish, QWidget* parent)>;
    /// How such a kernel is edited in a page; the room of kernels knows it, and stands above that of lessons.
    void setKernelEditor(KernelEditorMaker maker) { m_kernelEditor = std::move(maker); }
    /// Empty: this window has none.
    const KernelEditorMaker& kernelEditor() const { return m_kernelEditor; }

    /// What the learner did in a lesson, for its checks.
    lessons::Evidence evidence(const std::string& lessonId) const;
    lessons::Evidence evidence(const lessons::Lesson& lesson) const; ///< for its checks

Q_SIGNALS:
    void catalogueReady();
    void catalogueFailed(const ridge::Error& error);
    void targetChanged();
    /// The remote targets or what is known of them are other ones.
    void remotesChanged();
    /// What the learner said about goal, background and time is another one (app/ui/learner_choices.h).
    void choicesChanged();
    /// A destination or page asks to be shown: "home", "learn", "module/1", "lesson/2.4", "catalogue", "lab",
    /// "lab/coalescing", "runs", "portfolio", "artifact/<id>", "assignment/<id>".
    void openRequested(const QString& page);
    /// One line for the status bar; errors stay until the next one.
    void notice(const QString& text, bool isError);

private:
    Target remoteTargetInfo(const std::string& remote, Target target) const;
    void takeCatalogue(const Json& document);
    void takeTargets(const Json& document);
    void failCatalogue(const Error& error);
    void chooseTarget();

    Theme& m_theme;
    ActionRegistry& m_actions;
    PinBoard m_pins;
    std::unique_ptr<record::Store> m_store;
    std::unique_ptr<CalibrationRun> m_calibration;
    std::unique_ptr<RemoteHosts> m_remotes;
    std::unique_ptr<FeedbackWatch> m_feedback;
    std::optional<Error> m_storeError;
    std::optional<LastEnd> m_lastEnd;
    std::filesystem::path m_data;
    lessons::Curriculum m_curriculum;
    std::vector<lessons::Problem> m_curriculumProblems;
    mutable std::optional<record::BaselineLibrary> m_baselines;
    std::optional<Error> m_catalogueError;
    std::vector<ExperimentInfo> m_pendingExperiments;
    int m_openQueries = 0;
    std::vector<ExperimentInfo> m_experiments;
    JsonValue m_targets;
    KernelEditorMaker m_kernelEditor;
    QString m_target;
    QStringList m_machines;        ///< chosen ones, the last first
    bool m_machineIsNewer = false; ///< chosen after m_target
    std::vector<QString> m_choices;
};

} // namespace ridge::app
