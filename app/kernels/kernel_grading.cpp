// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/kernels/kernel_grading.h"

#include "base/json.h"
#include "classroom/kernel_work.h"
#include "record/worker/when_done.h"

#include <QPointer>

namespace ridge::app {

KernelGrading::KernelGrading(AppContext& context, QObject* parent)
    : QObject(parent), m_context(context), m_job(new KernelJob(this))
{
    connect(m_job, &KernelJob::stateChanged, this, &KernelGrading::stateChanged);
    connect(m_job, &KernelJob::answered, this, [this](const JsonValue& document) {
        m_answer = gradeAnswer(*document, m_request.task, m_request.cases);
        m_values = document->value("values", Json());
    });
    connect(m_job, &KernelJob::failed, this, [this](const Error& error) {
        m_answer.reset(); // what was cut short is no grading
        Q_EMIT failed(error);
    });
    connect(m_job, &KernelJob::done, this, &KernelGrading::judgeAnswer);
}

void KernelGrading::start(const KernelTask& task, KernelText source, const std::string& target,
                          const std::string& secret)
{
    m_answer.reset();
    m_task = task;
    m_request = gradeRequest(task, std::move(source), target, secret);
    m_job->start(m_request);
}

void KernelGrading::judgeAnswer()
{
    const auto answer = std::exchange(m_answer, {});
    if (!answer)
        return;
    if (!*answer)
        return failed(answer->error());
    const auto roof =
        m_context.store() ? record::calibratedRoof(*m_context.store(), **answer) : std::optional<GradeRoof>();
    m_graded = GradedKernel{m_task, m_request, **answer, judge(m_task, **answer, roof)};
    m_sides.insert_or_assign(m_graded->facts.provenance, *m_graded);
    m_kept = Kept::No;
    Q_EMIT judged();
}

const GradedKernel* KernelGrading::otherSide() const
{
    for (const auto& [provenance, side] : m_sides)
        if (m_graded && provenance != m_graded->facts.provenance && side.task.id == m_graded->task.id &&
            side.request.source.text == m_graded->request.source.text)
            return &side;
    return nullptr;
}

void KernelGrading::keep()
{
    record::Store* const store = m_context.store();
    if (!m_graded || m_kept != Kept::No)
        return;
    if (!store)
        return keepFailed({"no-store", "the record is not open", "", "Restart the program; the text itself is saved."});
    auto row = classroom::kernelArtifact(*store, m_graded->task, m_graded->request, m_graded->facts, m_graded->verdict);
    if (!row)
        return keepFailed(row.error());
    m_kept = Kept::Writing;
    Q_EMIT keptChanged();
    // The record is written to its end also when the kernel is closed meanwhile; then nobody is told.
    const auto tell = [self = QPointer(this)](const Result<std::string>& kept) {
        if (!self)
            return;
        self->m_kept = kept ? Kept::Yes : Kept::No;
        Q_EMIT self->keptChanged();
        if (!kept)
            Q_EMIT self->keepFailed(kept.error());
    };
    record::whenDone(store->putFile(m_graded->request.source.text), store,
                     [store, tell, row = std::move(*row)](const Result<std::string>& code) mutable {
                         if (!code)
                             return tell(code);
                         record::whenDone(store->append(std::move(row)), store, tell);
                     });
}

} // namespace ridge::app

#include "moc_kernel_grading.cpp"
