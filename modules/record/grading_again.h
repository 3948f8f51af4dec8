// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "record/graded_kernel.h"
#include "record/reproduce.h"

namespace ridge::record {

/// Which cases a pair of a graded kernel is about, in place of a run's id.
inline constexpr const char* kSameCases = "the same cases";
inline constexpr const char* kOtherCases = "other cases";

/// A graded kernel's text graded again (ReproductionRow::grading).
struct GradedAgain {
    JsonValue fingerprint;           ///< of the machine on which it was
    std::optional<KeptGrading> same; ///< with the cases and data of the kept one; none where none was kept
    KeptGrading other;               ///< with cases and data that nobody could know before
};
Json toJson(const GradedAgain& again);
/// Errors: "bad-row", "bad-protocol".
Result<GradedAgain> gradedAgainFromJson(const Json& json);

/// Pure but for the task's file. Verdicts as of compareRuns, from what a grading is made of: whether the kernel was
/// accepted and why not, wrong results, points, executed instructions and time. On the same cases a simulated chip of
/// the same version repeats all of them to the last digit; measured times may differ by their noise. Cases drawn anew
/// decide over acceptance alone: a kernel that was accepted and is rejected now, on any cases and any machine, is not
/// reproduced, and neither is an artifact whose text, points or ratios are not those of its own grading. Where no
/// grading was kept, the artifact's figures are compared with the new ones, 5 % apart at most.
/// Errors: those of shippedTask.
Result<Comparison> compareGradings(const ArtifactRow& artifact, const GradedAgain& again);

/// Whether both gradings were measured, and the ratio to the reference's time says the same then and now, as sameRatios
/// has it for runs. None: there is no ratio on one of the sides.
std::optional<bool> sameGradedRatio(const ArtifactRow& artifact, const GradedAgain& again);

/// Why a graded kernel's figures cannot be taken for those of its grading; none where they can. "": no grading was
/// kept.
std::optional<std::string> whyNotItsGrading(const ArtifactRow& artifact);

/// Grades the text of a graded kernel again: with the cases and data of its own grading where that was kept, then with
/// new ones. Lives on the thread that made it, never blocks it. Exactly one of `done` and `failed` comes, last.
class GradingRepeat : public QObject {
    Q_OBJECT
public:
    GradingRepeat(Store& store, WorkerOptions worker, const ArtifactRow& artifact, std::string target,
                  QObject* parent = nullptr);
    ~GradingRepeat() override;

    void start();
    void cancel();
    std::string target() const; ///< on which it is graded

Q_SIGNALS:
    void progress(int finished, int all, const QString& what);
    /// `error`: the kernel could not be graded to its end, which is a result ("compile-failed", the text is not the one
    /// that was kept …); `again` is none then.
    void done(const std::optional<ridge::record::GradedAgain>& again, const std::optional<ridge::Error>& error);
    /// What keeps it from being graded at all: "target-unavailable", "file-missing", "unknown-task", "cancelled" …
    void failed(const ridge::Error& error);

private:
    void next();
    void fail(const Error& error);
    void end(const std::optional<Error>& error);
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace ridge::record
