// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/calibration.h"
#include "record/recorder.h"

namespace ridge::record {

/// What the store knows of a target: for each step of the plan its newest finished run on the machine of the newest of
/// them all, so that figures of two graphics cards that were gpu:0 one after the other do not mix. A run that is not
/// valid counts only where there is no valid one. No figure where nothing was run. Errors: those of the store.
/// `newest`: look at so many runs of each experiment and no further back; 0: at all of them.
Result<MachineCalibration> storedCalibration(const Store& store, const CalibrationPlan& plan, const std::string& target,
                                             int newest = 0);

/// Runs the plan for a target, one experiment after the other, each point a stored run like any other. Lives on the
/// thread that made it, never blocks it. An experiment that fails is left out and told by `skipped`; `done` comes last,
/// once, also after cancel().
class Calibrator : public QObject {
    Q_OBJECT
public:
    Calibrator(Store& store, WorkerOptions worker, const CalibrationPlan& plan, const std::string& target,
               QObject* parent = nullptr);
    ~Calibrator() override;

    void start();
    void cancel();
    bool running() const;

Q_SIGNALS:
    void progress(int finishedPoints, int allPoints, const QString& what);
    void skipped(const QString& experiment, const ridge::Error& why);
    void done();

private:
    void next();
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace ridge::record
