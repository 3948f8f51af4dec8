// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/experiment_info.h"
#include "portfolio/picture.h"
#include "record/rows.h"

#include <optional>
#include <span>

namespace ridge::folio {

struct FigurePoint {
    double x = 0, y = 0;
    std::optional<double> limit;
    std::optional<double> low = {}, high = {}; ///< of a band
    std::string name = {};                     ///< stands beside it where there is room
    std::optional<Provenance> provenance = {}; ///< where it is not that of the series
};

struct FigureSeries {
    std::string name;
    Provenance provenance = Provenance::Simulated;
    std::vector<FigurePoint> points; ///< by x
    bool joined = true, dots = true; ///< a line through the points; a mark on each
};

/// The numbers of a figure as text, units in the head: its table twin.
struct FigureTable {
    std::vector<std::string> head;
    std::vector<std::vector<std::string>> rows;
};

struct FigurePrediction {
    double x = 0, point = 0, low = 0, high = 0;
    std::optional<double> result;
};

/// A chart of runs, of the kind that its experiment declares (kChartKinds): a metric over a parameter or over named
/// choices as a curve, a stacked cost bar, a ladder of bars, a distribution with its percentiles, several metrics in
/// one picture, a Pareto front, runs under a roofline, a band.
struct SweepFigure {
    std::string title, caption, xTitle, xUnit, yTitle, yUnit;
    bool xLog = false, yLog = false;
    std::vector<std::string> xNames; ///< what stands at x = 1, 2 …; empty: x is a number
    std::vector<FigureSeries> series;
    std::string limitTitle;
    std::vector<FigurePrediction> predictions;
    std::string origin; ///< targets, number of runs, verdicts
    std::string kind = "curve";
    std::vector<FigurePoint> guide = {}; ///< the roof
    std::string guideName = {};
    std::vector<FigurePoint> marks = {};  ///< places worth their names: percentiles
    std::optional<double> reference = {}; ///< ladder: what the vendor's library reaches
    std::string referenceName = {};
    std::string summary = {}; ///< sentence of a kind with words of its own; empty: told from the series
    FigureTable numbers = {}; ///< table of such a kind; no head: told from the series
};

/// A prediction beside its result, on one axis.
struct RevealFigure {
    std::string title; ///< what was predicted, at which parameters
    double point = 0, low = 0, high = 0;
    std::string unit;
    std::optional<double> result;
    Provenance provenance = Provenance::Simulated;
    std::string held = {}; ///< why there is no result although there may have been a run; empty: none was held back
};

/// "stride 8, element size 4 B": the settings in the words of the experiment; by name where it is not known.
std::string settingText(const ParamSet& params, const ExperimentInfo* info);

/// The chart `id` of an experiment over these runs, oldest first, of the kind that it declares; as a curve, runs that
/// differ in more than its x become a series each. Failed runs and those without the metrics are left out. No value
/// where nothing is left to draw.
std::optional<SweepFigure> sweepOf(std::span<const record::RunRow> runs,
                                   std::span<const record::PredictionRow> predictions, const ExperimentInfo& info,
                                   const std::string& id);

/// `width` in px: letters keep their size, so a chart in a narrow column is drawn narrow.
Picture draw(const SweepFigure& figure, double width = 720);
Picture draw(const RevealFigure& figure, double width = 720);
FigureTable tableOf(const SweepFigure& figure);

/// "Predicted 16 sectors/request, result 32 sectors/request (simulated): 2 times as much." and its like.
std::string sentenceOf(const RevealFigure& figure);
std::string sentenceOf(const SweepFigure& figure);

/// Result over prediction as a factor of at least 1; none where the two have no ratio.
std::optional<double> factorOf(const RevealFigure& figure);

} // namespace ridge::folio
