// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/kernels/bench_job.h"
#include "base/json_value.h"
#include "base/kernel_verdict.h"

#include <map>
#include <optional>

namespace ridge::app {

/// A kernel that was graded, with the text that it had then.
struct GradedKernel {
    KernelTask task;
    KernelGradeRequest request; ///< its source is the text
    GradeFacts facts;
    GradeVerdict verdict;
};

/// Grades one kernel after the other: a worker process runs it, the verdict is made here, and on request both are kept
/// in the learner's record, from where a submission takes them. GUI thread; nothing here waits.
class KernelGrading : public QObject {
    Q_OBJECT
public:
    explicit KernelGrading(AppContext& context, QObject* parent = nullptr);

    /// Sizes and data follow from `secret`; nobody can tell them who does not know it.
    void start(const KernelTask& task, KernelText source, const std::string& target, const std::string& secret);
    void cancel() { m_job->cancel(); }
    bool busy() const { return m_job->busy(); }
    KernelJob* job() const { return m_job; }
    /// The last one that came to its end.
    const std::optional<GradedKernel>& graded() const { return m_graded; }
    /// What it left in the outputs beside what was expected ("values" of docs/kernels.md); null before the first.
    const Json& values() const { return *m_values; }
    /// The last one of the same text and task on the other kind of target, a GPU for a simulated chip; null: none since
    /// the kernel was opened.
    const GradedKernel* otherSide() const;

    enum class Kept { No, Writing, Yes };
    Kept kept() const { return m_kept; }
    /// Keeps the last one as an artifact of the task, in the order of calls; once.
    void keep();

Q_SIGNALS:
    void stateChanged();
    void judged();                          ///< graded() is another
    void failed(const ridge::Error& error); ///< no verdict; "cancelled" where it was stopped
    void keptChanged();
    void keepFailed(const ridge::Error& error);

private:
    void judgeAnswer();

    AppContext& m_context;
    KernelJob* m_job;
    KernelTask m_task;
    KernelGradeRequest m_request;
    std::optional<Result<GradeFacts>> m_answer; ///< of a run that has not ended yet
    std::optional<GradedKernel> m_graded;
    std::map<Provenance, GradedKernel> m_sides; ///< the last of each kind
    JsonValue m_values;
    Kept m_kept = Kept::No;
};

} // namespace ridge::app
