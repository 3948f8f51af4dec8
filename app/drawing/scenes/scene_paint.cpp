// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/drawing/scenes/scene_paint.h"

#include <QImage>
#include <QPainter>
#include <QPainterPath>
#include <cmath>
#include <numbers>

namespace ridge::app {
namespace {

QColor colorOf(const Theme& theme, Role role, double alpha)
{
    QColor color = theme.color(role);
    color.setAlphaF(static_cast<float>(alpha));
    return color;
}

void paintHatch(QPainter& painter, const Quad& quad, const QColor& color)
{
    painter.save();
    QPainterPath clip;
    clip.addRoundedRect(quad.rect, quad.radius, quad.radius);
    painter.setClipPath(clip, Qt::IntersectClip);
    painter.setPen(Qt::NoPen);
    painter.setBrush(color);
    // Polygons rather than lines: a thin pen is never drawn thinner than a pixel.
    const double half = kHatchWidth * std::numbers::sqrt2 / 2; // along x
    // Lines x + y = k · period · √2: anchored to the scene, so that neighbours join without a seam.
    const double step = kHatchPeriod * std::numbers::sqrt2;
    const double first = std::floor((quad.rect.left() + quad.rect.top()) / step) * step;
    for (double sum = first; sum <= quad.rect.right() + quad.rect.bottom() + step; sum += step) {
        const double top = quad.rect.top(), bottom = quad.rect.bottom();
        painter.drawPolygon(QPolygonF({{sum - top - half, top},
                                       {sum - top + half, top},
                                       {sum - bottom + half, bottom},
                                       {sum - bottom - half, bottom}}));
    }
    painter.restore();
}

} // namespace

void paintLabels(QPainter& painter, const SceneDrawing& drawing, const Theme& theme)
{
    painter.setRenderHint(QPainter::TextAntialiasing);
    for (const Label& label : drawing.labels) {
        painter.setFont(theme.font(label.style));
        painter.setPen(theme.color(label.role));
        painter.drawText(label.rect, static_cast<int>(label.align) | (label.wrap ? Qt::TextWordWrap : Qt::TextDontClip),
                         label.text);
    }
}

QImage rasterImage(const Raster& raster, const Theme& theme)
{
    const QColor ground = theme.color(raster.ground);
    std::vector<QRgb> palette{ground.rgb()};
    for (const Raster::Tone& tone : raster.tones) {
        const QColor color = theme.color(tone.role);
        const auto mixed = [&](int over, int under) { return qRound(under + tone.alpha * (over - under)); };
        QColor shown = ground;
        shown.setRed(mixed(color.red(), ground.red()));
        shown.setGreen(mixed(color.green(), ground.green()));
        shown.setBlue(mixed(color.blue(), ground.blue()));
        palette.push_back(shown.rgb());
    }
    QImage image(raster.columns, raster.rows, QImage::Format_ARGB32);
    for (int y = 0; y < raster.rows; ++y) {
        auto* line = reinterpret_cast<QRgb*>(image.scanLine(y));
        const std::uint8_t* cells = raster.cells.data() + static_cast<std::size_t>(y) * raster.columns;
        for (int x = 0; x < raster.columns; ++x)
            line[x] = palette[cells[x]];
    }
    return image;
}

void paintShapes(QPainter& painter, const SceneDrawing& drawing, const Theme& theme)
{
    painter.setRenderHint(QPainter::SmoothPixmapTransform, false);
    for (const Raster& raster : drawing.rasters)
        painter.drawImage(raster.rect, rasterImage(raster, theme));
    painter.setRenderHint(QPainter::Antialiasing);
    for (const Link& link : drawing.links) {
        painter.setPen(QPen(colorOf(theme, link.role, link.alpha), link.width, Qt::SolidLine, Qt::FlatCap));
        painter.drawLine(link.from, link.to);
    }
    for (const Quad& quad : drawing.quads) {
        const QColor color = colorOf(theme, quad.role, quad.alpha);
        if (quad.hatch) {
            paintHatch(painter, quad, color);
        } else if (quad.border > 0) {
            const double inset = quad.border / 2;
            const double radius = std::max(0.0, quad.radius - inset);
            painter.setPen(QPen(color, quad.border, Qt::SolidLine, Qt::FlatCap, Qt::MiterJoin));
            painter.setBrush(Qt::NoBrush);
            painter.drawRoundedRect(quad.rect.adjusted(inset, inset, -inset, -inset), radius, radius);
        } else {
            painter.setPen(Qt::NoPen);
            painter.setBrush(color);
            painter.drawRoundedRect(quad.rect, quad.radius, quad.radius);
        }
    }
}

} // namespace ridge::app
