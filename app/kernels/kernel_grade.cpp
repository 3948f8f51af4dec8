// SPDX-License-Identifier: GPL-3.0-or-later
// The part of the bench that has a kernel graded for a task.
#include "app/kernels/grade_panel.h"
#include "app/kernels/history_panel.h"
#include "app/kernels/kernel_bench.h"
#include "app/kernels/kernel_results.h"
#include "app/kernels/task_shelf.h"
#include "app/runs/table/run_agreement.h"
#include "app/theme/announce.h"
#include "app/ui/panels.h"
#include "base/hash.h"
#include "base/json.h"
#include "classroom/kernel_lesson.h"

#include <QApplication>
#include <QProgressBar>
#include <QTabWidget>

namespace ridge::app {
namespace {

/// Why an assignment does not show the verdict on a task now; empty: it may be shown.
QString heldVerdict(const AppContext& context, const std::string& task)
{
    return task.empty() ? QString() : context.feedback().why(classroom::kernelLesson(task), Outcome::Check);
}

} // namespace

void KernelBench::connectGrading()
{
    // What came of the last grading, or why it is not shown yet.
    const auto showVerdict = [this] {
        const GradedKernel& graded = *m_grading->graded();
        const QString held = heldVerdict(m_context, graded.task.id);
        if (held.isEmpty())
            m_gradePanel->setVerdict(graded, agreementOf(graded, m_grading->otherSide(), whyNoGpu(m_context)));
        else
            m_gradePanel->setHeld(held);
        if (const Json& values = m_grading->values(); held.isEmpty() && values.is_array() && !values.empty())
            m_buffers->setRows(gradedRows(values), gradedNote(values));
        showKept();
    };
    m_gradePanel->setTask(m_draft.task);
    showSolved();
    if (!m_draft.task.empty())
        m_side->setCurrentWidget(m_gradePanel);
    connect(m_gradePanel, &GradePanel::taskChosen, this, [this] {
        m_draft.task = m_gradePanel->task();
        m_draft.best.reset();
        showSolved();
        noteChange();
    });
    connect(m_gradePanel, &GradePanel::gradeWanted, this, [this] { grade(); });
    connect(m_gradePanel, &GradePanel::keepWanted, m_grading, &KernelGrading::keep);
    connect(m_gradePanel, &GradePanel::starterWanted, this, &KernelBench::starterWanted);
    connect(m_gradePanel, &GradePanel::lineWanted, this, [this](int line) {
        m_editor->goToLine(line);
        m_editor->setFocus(Qt::OtherFocusReason);
    });
    connect(m_grading, &KernelGrading::stateChanged, this, &KernelBench::showState);
    connect(m_grading->job(), &KernelJob::progressed, this, [this](double fraction, const QString& message) {
        m_progress->setValue(static_cast<int>(fraction * 1000));
        m_status->setText(asSentence(message));
    });
    connect(m_grading, &KernelGrading::failed, this, [this](const Error& error) {
        if (error.code == "cancelled") {
            m_gradePanel->setMessage(tr("Stopped"), tr("What was cut short is no grading. Nothing of it is kept."));
        } else {
            m_gradePanel->setMessage(tr("Not graded"), QString::fromStdString(toText(error)));
            announce(this, QString::fromStdString(error.message));
        }
        showKept();
    });
    connect(m_grading, &KernelGrading::judged, this, [this, showVerdict] {
        noteBest(*m_grading->graded());
        showVerdict();
        announce(this, m_gradePanel->verdictText());
        if (!isVisible() || !isActiveWindow()) {
            Q_EMIT m_context.notice(tr("Graded: %1").arg(name()), false);
            QApplication::alert(window());
        }
    });
    connect(&m_context.feedback(), &FeedbackWatch::changed, this, [this, showVerdict] {
        if (m_grading->graded() && !m_grading->busy() && m_grading->graded()->task.id == m_draft.task)
            showVerdict();
        showSolved();
    });
    connect(m_grading, &KernelGrading::keptChanged, this, [this] {
        showKept();
        if (m_grading->kept() == KernelGrading::Kept::Yes)
            announce(this, tr("Kept for handing in."));
    });
    connect(m_grading, &KernelGrading::keepFailed, this, [this](const Error& error) {
        m_error->setError(error);
        m_error->show();
    });
    showKept();
}

/// The best that was accepted stands with the draft, so that the shelf knows it although nothing was kept.
void KernelBench::noteBest(const GradedKernel& graded)
{
    const GradePoints now{graded.verdict.points, graded.verdict.outOf};
    if (!graded.verdict.accepted || graded.task.id != m_draft.task ||
        (m_draft.best && m_draft.best->percent() >= now.percent()))
        return;
    m_draft.best = now;
    noteChange();
}

void KernelBench::takeBest(const std::optional<GradePoints>& best)
{
    if (best && (!m_draft.best || best->percent() > m_draft.best->percent()))
        m_draft.best = best;
    showSolved();
}

void KernelBench::showSolved()
{
    if (m_draft.task.empty())
        return;
    if (!heldVerdict(m_context, m_draft.task).isEmpty())
        return m_gradePanel->setSolved(false);
    const auto kept = keptStandings(m_context.store());
    const auto found = kept.find(m_draft.task);
    m_gradePanel->setSolved(m_draft.best || (found != kept.end() && found->second.right));
}

bool KernelBench::canGrade() const
{
    return !running() && m_context.hasCatalogue() && m_context.targetInfo(target()).available &&
           m_gradePanel->chosen() != nullptr && !m_draft.isPtx;
}

void KernelBench::grade(const std::string& secret)
{
    if (!canGrade())
        return;
    m_error->hide();
    m_context.calibration().cancel(); // two of them on one machine would both be wrong
    if (const auto kept = m_history.keep(m_editor->toPlainText().toStdString()); !kept)
        Q_EMIT m_context.notice(QString::fromStdString(toText(kept.error())), true);
    m_versions->setHistory(m_history, m_editor->toPlainText());
    m_progress->setValue(0);
    m_side->setCurrentWidget(m_gradePanel);
    showSide(true);
    m_gradePanel->setMessage(tr("Grading …"), tr("The kernel runs in a process of its own, at sizes and on data that "
                                                 "are drawn now."));
    m_grading->start(*m_gradePanel->chosen(), source(), target().toStdString(), secret.empty() ? newSecret() : secret);
    showKept();
}

void KernelBench::showKept()
{
    const auto& graded = m_grading->graded();
    m_gradePanel->setKept(m_grading->kept(),
                          graded && graded->request.source.text == m_editor->toPlainText().toStdString());
}

void KernelBench::showGradeState()
{
    QString why;
    if (m_draft.isPtx)
        why = tr("A task is written in CUDA C++; this is PTX.");
    else if (m_grading->busy())
        why = tr("Grading. Stop ends it (Shift+F5).");
    else if (running())
        why = tr("Something else of this kernel runs.");
    else if (m_gradePanel->chosen() == nullptr)
        why = tr("Choose the task that this kernel is written for.");
    m_gradePanel->setReady(canGrade(), why);
}

} // namespace ridge::app
