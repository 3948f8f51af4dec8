// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "record/recorder.h"

#include <QStringList>
#include <set>

namespace ridge::record {

/// A run of an artifact and the run that repeated it.
struct RepeatedRun {
    RunRow before;
    std::optional<RunRow> now; ///< none: there was no result
};

/// The metrics that an artifact speaks of, by experiment. The others are circumstances: what a measured run says of
/// them changes from one time to the next without the artifact being wrong.
using Headline = std::map<std::string, std::set<std::string>>;

/// What the predictions predicted, and what has a physical limit.
Headline headlineOf(const std::vector<PredictionRow>& predictions, std::span<const RepeatedRun> runs);

struct Comparison {
    std::vector<ReproductionPair> pairs;
    /// The worst of the pairs': "reproduced" (the same value), "within noise", "different hardware" (another value, and
    /// the two runs were not on the same hardware), "not reproduced".
    std::string verdict;
    std::vector<std::string> notes; ///< what was not the same: versions, compiler, driver; a run that failed
};

/// How far apart two values of a measured metric may be before they count as different, as a share of the first one:
/// the wider of the two runs' own spread ((metric_p95 − metric_min) ÷ metric, metric_iqr ÷ metric, or that of their
/// time), not below 1 %; 5 % where no run tells its spread. 0 for what is simulated or computed at the same version,
/// else 5 %.
double relativeNoise(const RunRow& before, const RunRow& now, const std::string& metric);

/// True where the fingerprints name the same kind of hardware: model, power limit and size of GPU or processor, chip
/// and timing of a simulator. Two cards of one model are the same hardware.
bool sameHardware(const RunRow& before, const RunRow& now);

/// Pure. Where the hardware is the same and nothing is measured, every metric is compared; else those of the headline
/// (of an experiment without any: all but spreads, clocks and power).
Comparison compareRuns(std::span<const RepeatedRun> runs, const Headline& headline);

/// Whether the conclusion drawn from ratios is the same: within each experiment every headline metric, set against its
/// value in the first run, lies on the same side of 1 (or both within 5 % of it) and differs by less than a factor of
/// 1.5 between then and now. None: there are no two runs to form a ratio of.
std::optional<bool> sameRatios(std::span<const RepeatedRun> runs, const Headline& headline);

/// Runs an artifact's finished runs again, request by request as they were made, each a stored run like any other, or
/// grades a graded kernel again (record/grading_again.h), and appends what came of it. Lives on the thread that made
/// it, never blocks it. Exactly one of `done` and `failed` comes, last. failed: "no-runs" (nothing in
/// the artifact can be run), what keeps the worker from starting a request at all ("target-unavailable",
/// "worker-missing" …), "cancelled", errors of the store; then no verdict is kept.
class Reproducer : public QObject {
    Q_OBJECT
public:
    /// `target` empty: each run on its own.
    Reproducer(Store& store, WorkerOptions worker, const ArtifactRow& artifact, std::string target = {},
               QObject* parent = nullptr);
    ~Reproducer() override;

    void start();
    void cancel();
    bool running() const;
    const std::vector<RepeatedRun>& runs() const; ///< in the artifact's order

Q_SIGNALS:
    void progress(int finishedPoints, int allPoints, const QString& what);
    void done(const ridge::record::ReproductionRow& stored, const QStringList& notes);
    void failed(const ridge::Error& error);

private:
    void next();
    void finish();
    void gradeAgain();
    struct Concluded {
        std::string verdict;
        std::vector<std::string> notes;
    };
    void keep(ReproductionRow row, const Concluded& concluded);
    void fail(const Error& error);
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace ridge::record
