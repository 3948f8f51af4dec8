// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/drawing/charts/plot_chart.h"
#include "base/protocol.h"

#include <memory>
#include <optional>

namespace ridge::app {

class SweepPlot;

/// One series of a sweep chart.
struct ChartSeries {
    QString name;
    Provenance provenance = Provenance::Simulated;
    struct Point {
        double x = 0, y = 0;
        std::optional<double> limit;
    };
    std::vector<Point> points;
};

/// A committed prediction drawn into the chart.
struct ChartPrediction {
    double x = 0, point = 0, low = 0, high = 0;
    std::optional<double> result;                 ///< joins diamond and dot once it is known
    Provenance provenance = Provenance::Measured; ///< of the result
    int series = -1;                              ///< the one it was made for; -1: none of those that are drawn
};

/// Everything a sweep chart shows; a value, so that equal data give equal pictures.
struct SweepChartData {
    QString title, xTitle, xUnit, yTitle, yUnit;
    ParamScale xScale = ParamScale::Linear, yScale = ParamScale::Linear;
    std::vector<ChartSeries> series;
    QString limitTitle, limitKind; ///< "upper" / "lower", empty: no limit line
    std::vector<ChartPrediction> predictions;
    QString caption;    ///< target, n, validity
    ChartOrigin origin; ///< the same for files, and the machine
    /// The range that will be swept, if known: the axis then stands still while points arrive.
    std::optional<double> xMin, xMax;
    /// The same for values: charts side by side share one scale.
    std::optional<double> yMin, yMax;
    QString emptyText;    ///< what will appear here; a sentence is made from the titles when it is empty
    QStringList xNames{}; ///< what stands at x = 1, 2 …; empty: x is a number
};

/// Line chart of a metric over a swept parameter (Qt Charts): median dots (filled = MEASURED, open = SIMULATED,
/// dotted = MODELLED), limit line labelled on the line, hollow diamond + whisker for predictions. Fills in live.
/// Has a one-sentence summary and a table twin, keyboard cursor over points.
class SweepChart : public PlotChart {
    Q_OBJECT
public:
    explicit SweepChart(Theme& theme, QWidget* parent = nullptr);

    void setData(SweepChartData data);
    const SweepChartData& data() const { return m_data; } ///< the same object through every setData
    void setSelectedX(std::optional<double> x);           ///< highlights the point a scene shows

    Json describe() const; ///< structural golden: items, texts, values
    QImage renderImage(QSize size, double scale) const;
    QString toCsv() const;

Q_SIGNALS:
    void pointSelected(double x);

private:
    Theme& m_theme;
    SweepChartData m_data;
    std::shared_ptr<SweepPlot> m_sweep;
    std::optional<double> m_selectedX;
};

} // namespace ridge::app
