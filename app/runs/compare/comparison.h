// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/drawing/charts/sweep_chart.h"
#include "app/runs/compare/compared_axis.h"

namespace ridge::app {

/// Pure functions that set pinned runs side by side.

/// One thing that pins have in common or differ in.
struct ComparedRow {
    enum class Group { Result, Parameters, Code, Machine };
    struct Cell {
        QString text;                ///< with unit; empty: it has none
        std::optional<double> value; ///< of a metric
        QString change;              ///< against the first pin: "×1.35", "+2"; empty: equal, or it cannot be said
    };
    Group group = Group::Result;
    QString name, help;
    std::vector<Cell> cells; ///< one a pin
    bool differs = false;
};

struct Comparison {
    std::vector<ComparedRow> rows; ///< results first, then parameters, code, machine
    QString summary;               ///< one sentence: what differs
};

/// At which point of a sweep results are compared. Without a parameter: the median over all points.
struct ComparedPoint {
    std::string parameter;
    ParamValue value;
};

/// Every metric, parameter, kernel and fact of the machine of all pins. A metric of several runs is their median, and
/// says of how many. The sentence tells of `metric` where that differs, else of the first result that does.
Comparison compare(std::span<const Pin> pins, std::span<const ExperimentInfo> experiments,
                   const std::optional<ComparedPoint>& at, const std::string& metric = {});

/// Metrics and parameters that at least one pin has, in the order its experiment declares them.
struct Comparable {
    std::vector<MetricSpec> metrics;
    std::vector<ParamSpec> parameters;
};
Comparable comparable(std::span<const Pin> pins, std::span<const ExperimentInfo> experiments);

/// One chart with a series a pin. With `ofLimit` values are percent of the physical limit of their run (a limit from
/// below counts the other way round), so that machines of different size stand on one scale. Pins without the metric
/// are named in the caption.
SweepChartData overlayChart(std::span<const Pin> pins, std::span<const ExperimentInfo> experiments,
                            const ChartSpec& chart, bool ofLimit);

/// One chart a pin, all on the same axes; along a choice stand the values that at least one pin has.
std::vector<SweepChartData> chartsSideBySide(std::span<const Pin> pins, std::span<const ExperimentInfo> experiments,
                                             const ChartSpec& chart, bool ofLimit);

/// Where the numbers of a pin come from, in one line: "H100 SXM5 80GB (simulated) · nvrtc 13.0 · 2026-11-21".
QString originLine(const Pin& pin);

} // namespace ridge::app
