// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/drawing/charts/sweep_chart.h"
#include "record/rows.h"

namespace ridge::app {

/// A chart made of stored runs: pure functions, so that a lesson, the Runs page and an artifact show the same picture.
struct ChartRequest {
    const ExperimentInfo& experiment;
    const ChartSpec& chart;
    std::vector<const record::RunRow*> runs; ///< oldest first; the newest counts where two have the same x
    std::vector<const record::PredictionRow*> predictions;
    std::size_t maxSeries = 4;
};

/// One series for each target and each setting of the other parameters, the newest `maxSeries` of them.
SweepChartData makeChartData(const ChartRequest& request);

/// The chart of that id, else the first; null where the experiment has none.
const ChartSpec* chartOf(const ExperimentInfo& experiment, const std::string& id);

/// Puts a plot that is no curve into its chart, as high as it needs; hides the chart where there is none.
void showOther(PlotChart* chart, std::shared_ptr<Plot> plot, const Theme& theme, bool shown);

/// "12.4 GB/s" with the unit written once.
QString metricText(const MetricValue& metric);

} // namespace ridge::app
