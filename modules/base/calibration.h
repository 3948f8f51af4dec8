// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/protocol.h"

namespace ridge {

/// One figure of a machine: the point of an experiment that gives it, and which metric of the result it is.
struct CalibrationStep {
    std::string quantity; ///< "copy_bandwidth", unique in a plan
    std::string title;    ///< "Copy bandwidth of device memory"
    std::string roof; ///< what it is in a roofline: "l1", "l2", "dram", or "fp32", "fp16 tensor" …; empty: nothing
    std::string experiment;
    ParamSet set; ///< what of the point is fixed; the rest are the experiment's defaults
    std::string metric;
};

/// What is run to know a machine, by target class ("gpu", "sim", "cpu"). A plan is data: assets/calibration.json.
class CalibrationPlan {
public:
    /// Errors: "bad-calibration" naming the place.
    static Result<CalibrationPlan> fromJson(const Json& json);
    /// assets/calibration.json of the data folder.
    static Result<CalibrationPlan> shipped();

    /// Empty for a class that nothing is planned for.
    const std::vector<CalibrationStep>& steps(const std::string& target) const;
    /// One request for each point, in the order of the plan: what a chip cannot do costs no other figure. Two figures
    /// may be two metrics of one point.
    std::vector<RunRequest> requests(const std::string& target) const;
    const std::map<std::string, std::vector<CalibrationStep>>& byClass() const { return m_steps; }

private:
    std::map<std::string, std::vector<CalibrationStep>> m_steps;
};

/// Whether a run of these (complete) parameters is the one of the step.
bool isRunOf(const CalibrationStep& step, const std::string& experiment, const ParamSet& params);

/// "gpu" of "gpu:0" and of "lab:gpu:0".
std::string targetClassOf(const std::string& target);

/// A figure and the run that it was read from.
struct CalibrationFigure {
    CalibrationStep step;
    MetricValue value;
    std::string validity, run, createdAt;
};

/// "3.18 TB/s". Operations that are the ceiling of a roofline are floating-point ones and called so.
std::string figureText(const CalibrationFigure& figure);

/// The figures that are known of one machine, in the order of the plan.
struct MachineCalibration {
    std::string target;
    JsonValue fingerprint; ///< of the newest run
    std::vector<CalibrationFigure> figures;

    const CalibrationFigure* find(std::string_view quantity) const;
};

/// {"target": …, "fingerprint": …, "figures": [{"quantity", "title", "value", "unit", "provenance", "validity", "run",
/// "created_at"}]}
Json toJson(const MachineCalibration& calibration);

} // namespace ridge
