// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/drawing/charts/chart_table.h"
#include "app/drawing/charts/sweep_chart.h"

namespace ridge::app {

/// Names of a parameter's values in the order of its choices; none where they are numbers.
QStringList axisNames(const ExperimentInfo& info, const std::string& parameter);

/// What a chart says in words. Pure functions of its data, shared by picture, table, CSV and screen reader.
QString chartSummary(const SweepChartData& data);
QString chartEmptyText(const SweepChartData& data);
/// "stride = 4", "chip = L40S", "working set = 256 MiB"
QString parameterWords(const ExperimentInfo& info, const std::string& parameter, const ParamValue& value);
QString pointText(const SweepChartData& data, int series, int point);
QString limitText(const SweepChartData& data);
/// "title (unit)", or the title alone for a number without unit.
QString titled(const QString& title, const QString& unit);
QString quantity(double value, const QString& unit);
/// The size and name in which an axis up to `most` is best written: {1e-6, "µs"} for 4.1e-6 and "s"; {1, unit} for
/// units that take no prefix.
std::pair<double, QString> axisUnit(double most, const QString& unit);
/// Rates, times and ratios are read in decades; what is counted, bytes too, in powers of two.
bool isReadInDecades(const QString& unit);
/// A caption with the provenance of what is drawn, for pictures whose marks cannot say it.
QString captioned(const QString& caption, const QString& provenance);
QString provenanceText(Provenance provenance);
/// "SIMULATED", or "MEASURED, SIMULATED" where a chart mixes; each once.
QString provenancesText(const std::vector<Provenance>& all);
/// The same where marks tell it: "filled MEASURED, open SIMULATED" once more than one occurs.
QString markedProvenances(const std::vector<Provenance>& all);
/// First letter in capitals.
QString asStart(const QString& text);
/// A title inside a sentence: "Bytes per SM" as "bytes per SM"; a first word in capitals stays ("FMAs", "L2 hit rate").
QString inSentence(const QString& title);
ChartTable sweepTable(const SweepChartData& data);
Json chartJson(const SweepChartData& data);

} // namespace ridge::app
