// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/drawing/charts/rows_plot.h"
#include "lessons/lesson.h"
#include "record/baselines.h"

namespace ridge::app {

/// A machine of a compare block with what it gave at the point.
struct ComparedMachine {
    QString name;    ///< "Simulator, sim:h100-sxm"
    QString source;  ///< where the number comes from
    QString differs; ///< "Loads: 512 here, 65536 there"; empty: the same setting as far as it is known
    std::optional<double> value;
    Provenance provenance = Provenance::Simulated;
    QString reason; ///< where there is no value: why, and what to do
};

/// What goes into a comparison.
struct ComparedInput {
    const ExperimentInfo& experiment;
    const lessons::CompareBlock& block;
    std::string simulator;                   ///< its target
    std::vector<const record::RunRow*> runs; ///< finished ones of the lesson, oldest first
    const record::BaselineLibrary& baselines;
};

/// Simulator, recorded machines, own: the newest run at the point on the simulator, each baseline with the point, the
/// newest run at the point on any other target.
std::vector<ComparedMachine> comparedRows(const ComparedInput& input);

/// Bars from zero and a table with provenance and source; `unit` is the metric's.
RowsData comparedPlot(const std::vector<ComparedMachine>& rows, const QString& title, const QString& metricTitle,
                      const QString& unit, const QString& caption);

} // namespace ridge::app
