// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/theme/theme.h"
#include "base/protocol.h"

#include <QAbstractTableModel>
#include <QWidget>
#include <memory>
#include <optional>

namespace ridge::app {

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
    std::optional<double> result; ///< joins diamond and dot once it is known
};

/// Everything a sweep chart shows; a value, so that equal data give equal pictures.
struct SweepChartData {
    QString title, xTitle, xUnit, yTitle, yUnit;
    ParamScale xScale = ParamScale::Linear, yScale = ParamScale::Linear;
    std::vector<ChartSeries> series;
    QString limitTitle, limitKind; ///< "upper" / "lower", empty: no limit line
    std::vector<ChartPrediction> predictions;
    QString caption; ///< target, n, validity
    /// The range that will be swept, if known: the axis then stands still while points arrive.
    std::optional<double> xMin, xMax;
    /// The same for values: charts side by side share one scale.
    std::optional<double> yMin, yMax;
    QString emptyText; ///< what will appear here; a sentence is made from the titles when it is empty
};

/// Line chart of a metric over a swept parameter (Qt Charts): median dots (filled = MEASURED, open = SIMULATED,
/// dotted = MODELLED), limit line labelled on the line, hollow diamond + whisker for predictions. Fills in live.
/// Has a one-sentence summary and a table twin, keyboard cursor over points.
class SweepChart : public QWidget {
    Q_OBJECT
public:
    explicit SweepChart(Theme& theme, QWidget* parent = nullptr);
    ~SweepChart() override;

    void setData(SweepChartData data);
    const SweepChartData& data() const;
    void setSelectedX(std::optional<double> x); ///< highlights the point a scene shows

    QString summary() const;           ///< one sentence
    QAbstractItemModel* table() const; ///< same numbers, with units and provenance
    Json describe() const;             ///< structural golden: items, texts, values
    QImage renderImage(QSize size, double scale) const;
    QString toCsv() const;
    bool tableShown() const;
    void showTable(bool on);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    void pointSelected(double x);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace ridge::app
