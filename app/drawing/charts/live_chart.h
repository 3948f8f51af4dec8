// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/drawing/charts/min_max_pyramid.h"
#include "app/drawing/charts/plot_chart.h"
#include "base/provenance.h"

#include <mutex>

class QTimer;

namespace ridge::app {

/// Samples on their way from a reader's thread to the picture. `push` may be called from any one thread.
class SampleStream {
public:
    void push(std::span<const float> samples);
    std::vector<float> take(); ///< all that came since the last take

private:
    std::mutex m_mutex;
    std::vector<float> m_waiting;
};

/// A quantity sampled at a steady rate.
struct TraceInfo {
    QString title, caption;
    ChartOrigin origin;
    QString valueTitle, unit;
    double secondsPerSample = 1;
    Provenance provenance = Provenance::Measured;
};

/// The curve through the extremes of a trace: at most two points a pixel column, read from the pyramid.
class TracePlot : public Plot {
public:
    TracePlot(TraceInfo info, std::shared_ptr<const MinMaxPyramid> samples)
        : m_info(std::move(info)), m_samples(std::move(samples))
    {
    }
    const std::vector<MinMax>& shown() const { return m_shown; } ///< of the last layout

    PlotText text() const override;
    QString summary() const override;
    /// Extremes of at most 4096 parts: a table of a million rows is read by nobody.
    ChartTable table() const override;
    bool empty() const override;
    PlotAxes axes() const override;
    void layout(const PlotFrame& frame) override;
    std::vector<PlotCurve> curves(const PlotFrame& frame) const override;
    void paint(QPainter& painter, const PlotFrame& frame, PlotCursor shown) const override;
    std::vector<int> groups() const override;
    std::optional<QRectF> outline(const PlotFrame& frame, PlotCursor at) const override;
    QString pointText(PlotCursor at) const override;
    PlotCursor hit(const PlotFrame& frame, QPointF at) const override;

private:
    double timeOf(const MinMax& part) const;

    TraceInfo m_info;
    std::shared_ptr<const MinMaxPyramid> m_samples;
    std::vector<MinMax> m_shown;
};

/// A trace that fills in while it is recorded: takes what has come thirty times a second and shows all of it.
class LiveChart : public PlotChart {
    Q_OBJECT
public:
    LiveChart(Theme& theme, TraceInfo info, std::shared_ptr<SampleStream> stream, QWidget* parent = nullptr);
    const MinMaxPyramid& samples() const { return *m_samples; }

public Q_SLOTS:
    void drain(); ///< takes what waits now; the timer calls it

private:
    std::shared_ptr<SampleStream> m_stream;
    std::shared_ptr<MinMaxPyramid> m_samples;
    QTimer* m_timer;
    int m_untilWords = 0;
};

} // namespace ridge::app
