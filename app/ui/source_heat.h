// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/json_value.h"

#include <QString>
#include <map>
#include <optional>
#include <vector>

namespace ridge::app {

/// What the gutter says about each line of a kernel.
enum class HeatMetric { Instructions, SectorsPerRequest, BankConflicts, StallCycles };
inline constexpr int kHeatMetrics = 4;

QString heatTitle(HeatMetric metric); ///< "Instructions issued"
QString heatHelp(HeatMetric metric);  ///< one sentence: what it counts

/// One source line of a run. Values of metrics that the line has nothing for are absent.
struct HeatLine {
    int line = 0; ///< of the source; of the PTX where that is the source
    QString text; ///< the source line, without its indent
    std::optional<double> values[kHeatMetrics];
    QString mainStall; ///< what it waited for most: "long_scoreboard"
    std::optional<double> value(HeatMetric metric) const { return values[static_cast<int>(metric)]; }
};

/// The lines of a run, ascending; empty where the run had no clock. `document` as docs/kernels.md has it. The numbers
/// are SIMULATED: counted on the machine instructions that the simulator timed.
std::vector<HeatLine> heatOf(const Json& document);

/// The line with the greatest value; 0 where none has one above zero.
int hottestLine(const std::vector<HeatLine>& lines, HeatMetric metric);

/// In few characters: "4", "3.4", "512", "10.2k", "373k", "1.2M".
QString shortNumber(double value);

} // namespace ridge::app
