// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cli/lesson_steps.h"

#include <QTemporaryDir>
#include <memory>

namespace ridge::cli {

/// The requests of lessons that are being tried out. What is computed (sim:, model) comes out the same whoever asks:
/// such a request is executed once, in a store of its own, and everybody who makes it gets rows of their own with what
/// it gave. A request that measures anything, if only the processor beside a simulated chip, is executed each time.
class StepRuns {
public:
    /// Errors: "cannot-write" (no folder for temporary files), those of a new store.
    static Result<std::unique_ptr<StepRuns>> open(const std::vector<ExperimentInfo>& catalogue);

    /// Whether requests on this target are computed, but for what an experiment measures beside.
    static bool isComputed(const std::string& target);
    /// Whether a request is executed once for all who make it, as far as is known: false where runs of the experiment
    /// on this target have measured something.
    bool shares(const std::string& experiment, const std::string& target) const;

    /// As runStep, with the rows in `store`.
    Result<JobResult> run(const LessonStep& step, const std::string& target, const record::RunContextIds& ids,
                          record::Store& store);
    /// The metrics of a request's first sample with the parameters `at`, without a trace in anybody's record. Measured,
    /// too, it is executed once. Error, beside those of runStep: "no-sample".
    Result<std::map<std::string, MetricValue>> rehearse(const LessonStep& step, const std::string& target,
                                                        const ParamSet& at);
    /// Whether a request's points on `target` include one with the parameters `at`.
    bool reaches(const LessonStep& step, const std::string& target, const ParamSet& at) const;

    const std::vector<ExperimentInfo>& catalogue() const { return m_catalogue; }

private:
    explicit StepRuns(const std::vector<ExperimentInfo>& catalogue) : m_catalogue(catalogue) {}
    Result<const JobResult*> shared(const LessonStep& step, const std::string& target);

    const std::vector<ExperimentInfo>& m_catalogue;
    QTemporaryDir m_home;
    std::unique_ptr<record::Store> m_store;
    std::map<std::string, JobResult> m_done;                   ///< computed
    std::set<std::pair<std::string, std::string>> m_measuring; ///< experiment and target: see shares()
    std::map<std::string, JobResult> m_rehearsed;              ///< measured
};

} // namespace ridge::cli
