// SPDX-License-Identifier: GPL-3.0-or-later
// What a roofline looks like over its lines.
#include "app/drawing/charts/chart_text.h"
#include "app/drawing/charts/plot_paint.h"
#include "app/drawing/charts/roofline_plot.h"
#include "app/drawing/charts/series_marker.h"

namespace ridge::app {
namespace {

constexpr double kDot = 11;

QString tr(const char* text)
{
    return QCoreApplication::translate("ridge::app::Roofline", text);
}

/// Shapes of paintSeriesMarker: circle for device memory, square for L2, triangle for L1.
int shapeOf(MemoryLevel level)
{
    return level == MemoryLevel::Hbm ? 0 : level == MemoryLevel::L2 ? 1 : 2;
}

void paintArrow(QPainter& painter, QPointF from, QPointF to)
{
    const QPointF d = to - from;
    const double length = std::hypot(d.x(), d.y());
    if (length < 2.6 * kDot)
        return;
    const QPointF unit = d / length, side(-unit.y(), unit.x());
    const QPointF start = from + unit * (kDot * 0.8), end = to - unit * (kDot * 0.9);
    painter.drawLine(start, end - unit * 5);
    painter.drawPolygon(QPolygonF({end, end - unit * 8 + side * 3.5, end - unit * 8 - side * 3.5}));
}

} // namespace

void RooflinePlot::paint(QPainter& painter, const PlotFrame& frame, PlotCursor shown) const
{
    if (empty())
        return;
    std::vector<KeyEntry> key;
    const QColor ink = frame.theme.color(Role::Text2);
    for (const MemoryLevel level : {MemoryLevel::L1, MemoryLevel::L2, MemoryLevel::Hbm})
        if (std::any_of(m_data.kernels.begin(), m_data.kernels.end(), [&](const RooflineKernel& kernel) {
                return std::any_of(kernel.intensity.begin(), kernel.intensity.end(),
                                   [&](const auto& one) { return one.first == level; });
            }))
            key.push_back({tr("%1 bytes").arg(levelName(level)), ink, shapeOf(level), Provenance::Measured});
    for (const Provenance provenance :
         {Provenance::Measured, Provenance::Simulated, Provenance::Modelled, Provenance::Recorded})
        if (std::any_of(m_data.kernels.begin(), m_data.kernels.end(),
                        [&](const RooflineKernel& kernel) { return kernel.provenance == provenance; }))
            key.push_back({(provenance == Provenance::Simulated  ? tr("open: %1")
                            : provenance == Provenance::Modelled ? tr("dotted: %1")
                                                                 : tr("filled: %1"))
                               .arg(provenanceText(provenance)),
                           ink, 0, provenance});
    const double height = margins(frame.theme, frame.all.size()).top();
    paintKey(&painter, frame.theme, QRectF(frame.plot.left(), frame.plot.top() - height, frame.plot.width(), height),
             key);

    painter.save();
    painter.setClipRect(frame.plot.adjusted(-1, -1, 1, 1));
    paintLadders(painter, frame);
    paintLabels(painter, frame);
    paintHeadroom(painter, frame, shown);
    paintKernels(painter, frame);
    painter.restore();
}

void RooflinePlot::paintLabels(QPainter& painter, const PlotFrame& frame) const
{
    const Theme& theme = frame.theme;
    const double height = theme.lineHeight(TextStyle::Caption);
    for (const LineLabel& label : m_lineLabels) {
        if (label.anchor) {
            const QRectF box = label.box.boundingRect();
            painter.setPen(QPen(theme.color(Role::BorderStrong), 1));
            painter.drawLine(*label.anchor, QPointF(std::clamp(label.anchor->x(), box.left(), box.right()),
                                                    std::clamp(label.anchor->y(), box.top(), box.bottom())));
        }
        painter.save();
        painter.translate(label.at);
        painter.rotate(-label.angle);
        painter.setFont(theme.font(TextStyle::Caption));
        painter.setPen(theme.color(label.datasheet ? Role::Text3 : Role::Text));
        const QRectF box(0, 0, textWidth(theme, TextStyle::Caption, label.text) + 2, height);
        painter.fillRect(box.adjusted(-2, 1, 2, -1), theme.color(Role::Surface));
        painter.drawText(box, Qt::AlignLeft | Qt::AlignVCenter, label.text);
        painter.restore();
    }
    for (const Ridge& ridge : m_ridges) {
        const QColor color = theme.color(ridge.datasheet ? Role::BorderStrong : Role::Text);
        painter.setPen(QPen(color, ridge.datasheet ? 1 : 2));
        painter.setBrush(theme.color(Role::Surface));
        painter.drawEllipse(ridge.at, 3.5, 3.5);
        if (ridge.far) {
            painter.setPen(QPen(theme.color(Role::BorderStrong), 1));
            painter.drawLine(ridge.at, QPointF(std::clamp(ridge.at.x(), ridge.label.left(), ridge.label.right()),
                                               std::clamp(ridge.at.y(), ridge.label.top(), ridge.label.bottom())));
        }
        painter.setFont(theme.font(TextStyle::Caption));
        painter.setPen(theme.color(ridge.datasheet ? Role::Text3 : Role::Text));
        if (!ridge.label.isNull())
            paintOnGround(painter, ridge.label, Qt::AlignCenter, ridge.name);
    }
}

void RooflinePlot::paintKernels(QPainter& painter, const PlotFrame& frame) const
{
    const Theme& theme = frame.theme;
    for (std::size_t i = 0; i < m_data.kernels.size(); ++i) {
        const RooflineKernel& kernel = m_data.kernels[i];
        const QColor color = theme.series(static_cast<int>(i));
        std::optional<QPointF> last;
        QPointF rightmost;
        for (int point = 0; point < static_cast<int>(kernel.intensity.size()); ++point) {
            const auto at = dot(frame, {static_cast<int>(i), point});
            if (at && last) {
                painter.setPen(QPen(color, 1.5));
                painter.drawLine(*last, *at);
            }
            if (at && (!last || at->x() > rightmost.x()))
                rightmost = *at;
            last = at ? at : last;
        }
        const QRectF label = i < m_names.size() ? m_names[i].rect : QRectF();
        if (!label.isNull() && m_names[i].far) {
            painter.setPen(QPen(theme.color(Role::BorderStrong), 1));
            const QPointF near(std::clamp(rightmost.x(), label.left(), label.right()),
                               std::clamp(rightmost.y(), label.top(), label.bottom()));
            painter.drawLine(rightmost, near);
        }
        for (int point = 0; point < static_cast<int>(kernel.intensity.size()); ++point)
            if (const auto at = dot(frame, {static_cast<int>(i), point}))
                paintSeriesMarker(painter, *at, kDot, color,
                                  shapeOf(kernel.intensity[static_cast<std::size_t>(point)].first), kernel.provenance);
        if (label.isNull())
            continue;
        painter.setFont(theme.font(TextStyle::ChartLabel));
        painter.setPen(theme.color(Role::Text));
        const double room = label.width() + 0.5;
        const bool fits = textWidth(theme, TextStyle::ChartLabel, kernel.name) <= room;
        paintOnGround(painter, label, Qt::AlignLeft | Qt::AlignVCenter,
                      fits ? kernel.name : QFontMetricsF(painter.font()).elidedText(kernel.name, Qt::ElideRight, room));
    }
}

void RooflinePlot::paintLadders(QPainter& painter, const PlotFrame& frame) const
{
    painter.setPen(QPen(frame.theme.color(Role::Text3), 1.2));
    painter.setBrush(frame.theme.color(Role::Text3));
    for (const auto& [from, to] : ladderSteps(frame))
        paintArrow(painter, from, to);
}

void RooflinePlot::paintHeadroom(QPainter& painter, const PlotFrame& frame, PlotCursor shown) const
{
    if (!shown.valid())
        return;
    const auto from = dot(frame, shown);
    const RooflineKernel& kernel = m_data.kernels[static_cast<std::size_t>(shown.group)];
    const auto& [level, intensity] = kernel.intensity[static_cast<std::size_t>(shown.point)];
    const auto roof = roofAbove(m_data, level, intensity);
    if (!from || !roof || *roof <= kernel.flopsPerSecond)
        return;
    const double top = frame.placeY(*roof);
    painter.setPen(QPen(frame.theme.color(Role::Link), 1.5));
    painter.drawLine(*from, QPointF(from->x(), top));
    painter.drawLine(QPointF(from->x() - 5, top), QPointF(from->x() + 5, top));
    painter.setFont(frame.theme.font(TextStyle::ChartLabel));
    painter.setPen(frame.theme.color(Role::Text));
    const QString text = tr("%1×").arg(QString::number(*roof / kernel.flopsPerSecond, 'g', 3));
    const double width = textWidth(frame.theme, TextStyle::ChartLabel, text) + 4;
    const double height = frame.theme.lineHeight(TextStyle::ChartLabel);
    if (from->y() - top > height + kDot)
        paintOnGround(painter, QRectF(from->x() - width - 6, (from->y() + top - height) / 2, width, height),
                      Qt::AlignCenter, text);
}

} // namespace ridge::app
