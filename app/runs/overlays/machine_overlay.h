// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/drawing/charts/sweep_chart.h"
#include "base/experiment_info.h"
#include "record/baselines.h"

#include <QStringList>

namespace ridge::app {

/// Pure functions that set what other machines gave beside a chart of this one's runs.

/// A machine that has points for what a chart shows.
struct MachineOverlay {
    const record::Baseline* baseline = nullptr;
    std::vector<const record::BaselinePoint*> points; ///< that are drawn; at least one
    QStringList differs; ///< "Loads: 512 here, 65536 there": parameters beside the axis that are not those of the runs
    QStringList notes;   ///< of the points, each once
};

/// Machines with values of chart.y over chart.x, in the library's order. A point with a choice (operation, number
/// format) that none of the runs made is another measurement and left out; so is one of several values of a number that
/// was swept there and not here. Other numbers are told as `differs`.
std::vector<MachineOverlay> overlaysFor(const record::BaselineLibrary& library, const ExperimentInfo& info,
                                        const ChartSpec& chart, std::span<const record::RunRow* const> runs);

/// Machines with a point of the very setting of `run`, and with one of its metrics at least; each has that one point.
/// Parameters that were not told there count as equal.
std::vector<MachineOverlay> overlaysAt(const record::BaselineLibrary& library, const ExperimentInfo& info,
                                       const record::RunRow& run);

/// A metric of a recorded point beside the run's own.
struct BesideMetric {
    QString title, recorded; ///< "L2 cache", "50 MiB"
    QString own;             ///< "here 60 MiB"; empty where the run has none
};
/// In the order of the experiment's metrics.
std::vector<BesideMetric> besideOwn(const ExperimentInfo& info, const record::RunRow& point, const record::RunRow& own);

/// Adds its points as series of provenance RECORDED; caption and origin then name the machine.
void addOverlay(SweepChartData& data, const ExperimentInfo& info, const ChartSpec& chart,
                const MachineOverlay& overlay);

/// Every point as percent of the physical limit that it came with (a limit from below counts the other way round), so
/// that machines of different size stand on one scale. Points without a limit are left out; the caption counts them.
SweepChartData ofOwnRoofline(SweepChartData data);
/// Whether any point came with a limit, so that the former has something to show.
bool hasLimits(const SweepChartData& data);

/// "Published by others: …" or "Measured there with Ridgepoint: …", with where it stands and its date.
QString sourceText(const record::Baseline& baseline);
/// The fingerprint in one line.
QString machineText(const record::Baseline& baseline);

} // namespace ridge::app
