// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/drawing/charts/label_place.h"
#include "app/drawing/charts/plot.h"
#include "silicon/kernel_profile.h"

namespace ridge::app {

/// The roof of one chip at one number format, from its data sheet.
struct ChipRoof {
    QString name;
    double flopsPerSecond = 0, bytesPerSecond = 0;
    QString source;
    double ridge() const { return flopsPerSecond / bytesPerSecond; }
};

struct ChipRooflineData {
    QString title, caption, format; ///< format: "BF16 tensor, dense"
    std::vector<ChipRoof> roofs;
    QStringList missing;             ///< chips whose roof cannot be drawn, each with why
    std::optional<double> intensity; ///< of the kernel that is asked about, FLOP/byte
    QString kernel;
};

/// The roofs of `ids` at the format of `kernel`, and where the kernel stands. A chip without that format or without a
/// figure for it is named in `missing`.
ChipRooflineData chipRooflines(const silicon::Catalogue& catalogue, const QStringList& ids,
                               const silicon::KernelProfile& kernel);
QString roofFormatName(silicon::Precision precision); ///< "BF16 tensor, dense"

/// Roofs of several chips over one pair of axes: a curve a chip with its name at its end, its ridge point marked and
/// told. Everything comes from data sheets, so every curve is MODELLED.
class ChipRooflinePlot : public Plot {
public:
    explicit ChipRooflinePlot(ChipRooflineData data) : m_data(std::move(data)) {}
    const ChipRooflineData& data() const { return m_data; }

    PlotText text() const override;
    QString summary() const override;
    ChartTable table() const override;
    bool empty() const override { return m_data.roofs.empty(); }
    PlotAxes axes() const override;
    Json describe() const override;
    QMarginsF margins(const Theme& theme, QSizeF available) const override;
    void layout(const PlotFrame& frame) override;
    std::vector<PlotCurve> curves(const PlotFrame& frame) const override;
    void paintUnder(QPainter& painter, const PlotFrame& frame) const override;
    void paint(QPainter& painter, const PlotFrame& frame, PlotCursor shown) const override;
    std::vector<int> groups() const override;
    std::optional<QRectF> outline(const PlotFrame& frame, PlotCursor at) const override;
    QString pointText(PlotCursor at) const override;

private:
    double bound(const ChipRoof& roof, double intensity) const;

    ChipRooflineData m_data;
    std::vector<QRectF> m_names;       ///< at the right of the axes, one a roof
    std::vector<PlacedLabel> m_ridges; ///< one a roof
};

} // namespace ridge::app
