// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/drawing/charts/label_place.h"
#include "app/drawing/charts/plot.h"
#include "base/provenance.h"

#include <QPolygonF>

namespace ridge::app {

/// Memory levels from the core outwards; the shape of a dot says its level.
enum class MemoryLevel { L1, L2, Hbm };
QString levelName(MemoryLevel level); ///< "L1", "L2", "HBM"

/// A bandwidth roof or a compute ceiling. Datasheet lines are dashed, all others solid and say where they come from.
struct RooflineRoof {
    MemoryLevel level = MemoryLevel::Hbm;
    double bytesPerSecond = 0;
    bool datasheet = false;
    Provenance provenance = Provenance::Measured; ///< of a roof that is not the datasheet's
    QString source;                               ///< one line; table and files carry it
};
struct RooflineCeiling {
    QString name; ///< "FP32", "BF16 tensor"
    double flopsPerSecond = 0;
    bool datasheet = false;
    Provenance provenance = Provenance::Measured;
    QString source;
};

/// One kernel: a rate and, for each memory level whose bytes were counted, an intensity.
struct RooflineKernel {
    QString name;
    QString ladder; ///< kernels of one ladder are joined by arrows in the order given; empty: none
    Provenance provenance = Provenance::Measured;
    double flopsPerSecond = 0;
    std::vector<std::pair<MemoryLevel, double>> intensity; ///< FLOP/byte
};

struct RooflineData {
    QString title, caption;
    ChartOrigin origin;
    std::vector<RooflineRoof> roofs;
    std::vector<RooflineCeiling> ceilings;
    std::vector<RooflineKernel> kernels;
    QString emptyText; ///< a sentence is made when it is empty
};

/// Where a roof meets a ceiling: peak ÷ bandwidth, FLOP/byte.
double ridgeOf(const RooflineRoof& roof, const RooflineCeiling& ceiling);

/// What the lines allow at an intensity of a level: min(highest ceiling, intensity × bandwidth). Measured lines count
/// before datasheet ones. No value where the level has no roof and there is no ceiling.
std::optional<double> roofAbove(const RooflineData& data, MemoryLevel level, double intensity);

class RooflinePlot : public Plot {
public:
    explicit RooflinePlot(RooflineData data) : m_data(std::move(data)) {}
    const RooflineData& data() const { return m_data; }

    PlotText text() const override;
    QString summary() const override;
    ChartTable table() const override;
    bool empty() const override;
    PlotAxes axes() const override;
    Json describe() const override;
    QMarginsF margins(const Theme& theme, QSizeF available) const override;
    void layout(const PlotFrame& frame) override;
    std::vector<PlotCurve> curves(const PlotFrame& frame) const override;
    void paint(QPainter& painter, const PlotFrame& frame, PlotCursor shown) const override;
    std::vector<int> groups() const override;
    std::optional<QRectF> outline(const PlotFrame& frame, PlotCursor at) const override;
    QString pointText(PlotCursor at) const override;

private:
    struct LineLabel {
        QString text;
        QPointF at;       ///< left end of the base line
        double angle = 0; ///< degrees, counter-clockwise
        QPolygonF box;
        bool datasheet = false;
        std::optional<QPointF> anchor; ///< a point of the line, for labels that stand beside it
    };
    struct Unplaced {
        QPointF from, to;
        QString text;
        bool datasheet = false;
    };
    struct Ridge {
        QPointF at;
        double value = 0;
        bool datasheet = false;
        QString name;
        QRectF label;
        bool far = false; ///< the label needs a line to its point
    };

    std::optional<QPointF> dot(const PlotFrame& frame, PlotCursor at) const;
    double roofEnd(const PlotFrame& frame, const RooflineRoof& roof) const;
    double ceilingStart(const PlotFrame& frame, const RooflineCeiling& ceiling) const;
    std::vector<QRectF> marks(const PlotFrame& frame) const;
    void findRidges(const PlotFrame& frame, std::vector<QRectF>& taken);
    void layoutRidges(const PlotFrame& frame, std::vector<QRectF>& taken);
    void layoutLineLabels(const PlotFrame& frame, const std::vector<QRectF>& taken);
    void layoutNames(const PlotFrame& frame, std::vector<QRectF>& taken);
    void layoutUnplaced(const PlotFrame& frame, std::vector<QRectF> taken);
    std::vector<std::pair<QPointF, QPointF>> segments(const PlotFrame& frame) const;
    std::vector<std::pair<QPointF, QPointF>> ladderSteps(const PlotFrame& frame) const;
    void paintLabels(QPainter& painter, const PlotFrame& frame) const;
    void paintKernels(QPainter& painter, const PlotFrame& frame) const;
    void paintLadders(QPainter& painter, const PlotFrame& frame) const;
    void paintHeadroom(QPainter& painter, const PlotFrame& frame, PlotCursor shown) const;

    RooflineData m_data;
    std::vector<LineLabel> m_lineLabels;
    std::vector<Unplaced> m_unplaced;
    std::vector<Ridge> m_ridges;
    std::vector<PlacedLabel> m_names; ///< one a kernel
};

} // namespace ridge::app
