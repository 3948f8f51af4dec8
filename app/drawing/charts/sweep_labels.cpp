// SPDX-License-Identifier: GPL-3.0-or-later
// The bounds of a sweep's series, and where the words inside the picture stand: never on a mark or on each other.
#include "app/drawing/charts/sweep_labels.h"

#include "app/drawing/charts/chart_text.h"
#include "app/drawing/charts/label_place.h"
#include "app/drawing/charts/plot_paint.h"

#include <cmath>
#include <map>

namespace ridge::app {
namespace {

constexpr double kMarkSpacing = 7;
constexpr std::size_t kManyPoints = 500; ///< of a series: its line is enough to stay clear of
constexpr double kCrossed = 8, kCovered = 1000;

QRectF square(QPointF centre, double size)
{
    return QRectF(centre - QPointF(size, size) / 2, QSizeF(size, size));
}

bool same(double a, double b)
{
    return std::abs(a - b) <= 1e-6 * std::max(std::abs(a), std::abs(b));
}

/// Whether both say the same wherever both say something, and do so at one place at least.
bool agree(const std::map<double, double>& a, const std::map<double, double>& b)
{
    bool shared = false;
    for (const auto& [x, y] : a) {
        const auto other = b.find(x);
        if (other == b.end())
            continue;
        shared = true;
        if (!same(other->second, y))
            return false;
    }
    return shared;
}

bool isConstant(const std::map<double, double>& bound)
{
    return std::all_of(bound.begin(), bound.end(),
                       [&](const auto& at) { return same(at.second, bound.begin()->second); });
}

} // namespace

bool hasMarks(const ChartSeries& series, const PlotFrame& frame)
{
    return series.points.size() * kMarkSpacing <= std::max(1.0, frame.plot.width());
}

QColor SweepPlot::colorOf(const PlotFrame& frame, int series, Role otherwise) const
{
    return series >= 0 && m_data.series.size() > 1 ? frame.theme.series(series) : frame.theme.color(otherwise);
}

bool SweepPlot::isAbove(const PlotFrame& frame, const ChartPrediction& prediction) const
{
    return !frame.zoomed && frame.y.fraction(prediction.point) > 1;
}

QPointF SweepPlot::placeOf(const PlotFrame& frame, const ChartPrediction& prediction) const
{
    if (!isAbove(frame, prediction))
        return frame.place(prediction.x, prediction.point);
    return {frame.placeX(prediction.x), frame.plot.top() + kDiamondSize};
}

QString SweepPlot::predictionLabel(const PlotFrame& frame, const ChartPrediction& prediction) const
{
    QString text = SweepChart::tr("predicted %1").arg(quantity(prediction.point, m_data.yUnit));
    if (prediction.series >= 0 && m_data.series.size() > 1)
        text = SweepChart::tr("%1, %2").arg(text, m_data.series[static_cast<std::size_t>(prediction.series)].name);
    return isAbove(frame, prediction) ? SweepChart::tr("%1, above this axis").arg(text) : text;
}

/// Each series has its own bound; those that say the same are one line.
std::vector<SweepPlot::LimitLine> SweepPlot::limitLines(const PlotFrame& frame) const
{
    struct Bound {
        std::map<double, double> at;
        int series = 0, count = 1;
    };
    std::vector<Bound> bounds;
    for (std::size_t i = 0; i < m_data.series.size(); ++i) {
        Bound own{{}, static_cast<int>(i), 1};
        for (const ChartSeries::Point& p : m_data.series[i].points)
            if (p.limit && frame.x.accepts(p.x) && frame.y.accepts(*p.limit))
                own.at[p.x] = *p.limit;
        if (own.at.empty())
            continue;
        const auto known = std::find_if(bounds.begin(), bounds.end(), [&](const Bound& one) {
            return agree(one.at, own.at) ||
                   (isConstant(one.at) && isConstant(own.at) && same(one.at.begin()->second, own.at.begin()->second));
        });
        if (known == bounds.end()) {
            bounds.push_back(std::move(own));
            continue;
        }
        ++known->count;
        known->at.merge(own.at);
    }
    std::vector<LimitLine> lines;
    for (const Bound& bound : bounds) {
        LimitLine line;
        if (bounds.size() > 1)
            line.series = bound.series;
        for (const auto& [x, y] : bound.at)
            line.line.append(frame.place(x, y));
        // A constant bound holds over the whole axis; along names only where all have it.
        line.constant = isConstant(bound.at) && (m_data.xNames.isEmpty() || bounds.size() == 1);
        if (line.constant)
            line.line = QPolygonF(
                {QPointF(frame.plot.left(), line.line[0].y()), QPointF(frame.plot.right(), line.line[0].y())});
        line.name = bounds.size() > 1 && bound.count == 1 &&
                            !m_data.series[static_cast<std::size_t>(bound.series)].name.isEmpty()
                        ? SweepChart::tr("%1, %2").arg(limitText(m_data),
                                                       m_data.series[static_cast<std::size_t>(bound.series)].name)
                        : limitText(m_data);
        lines.push_back(std::move(line));
    }
    return lines;
}

SweepPlot::Crowd SweepPlot::crowd(const PlotFrame& frame) const
{
    Crowd crowd;
    for (const ChartSeries& series : m_data.series) {
        std::optional<QPointF> last;
        for (const ChartSeries::Point& p : series.points) {
            if (!frame.x.accepts(p.x) || !frame.y.accepts(p.y))
                continue;
            const QPointF at = frame.place(p.x, p.y);
            if (series.points.size() < kManyPoints && hasMarks(series, frame))
                crowd.marks.push_back(square(at, kMarkSize + 2));
            if (last && m_data.xNames.isEmpty())
                crowd.lines.emplace_back(*last, at);
            last = at;
        }
    }
    for (const ChartPrediction& p : m_data.predictions) {
        if (!frame.x.accepts(p.x) || !frame.y.accepts(p.point))
            continue;
        const QPointF centre = placeOf(frame, p);
        const double top = std::max(frame.placeY(p.high), frame.plot.top());
        const double bottom = frame.y.accepts(p.low) ? frame.placeY(p.low) : frame.plot.bottom();
        crowd.marks.push_back(square(centre, kDiamondSize));
        crowd.marks.emplace_back(centre.x() - 6, std::min(top, bottom), 12, std::abs(bottom - top));
        if (p.result && frame.y.accepts(*p.result)) {
            crowd.marks.push_back(square(frame.place(p.x, *p.result), kMarkSize + 2));
            crowd.lines.emplace_back(centre, frame.place(p.x, *p.result));
        }
    }
    for (const LimitLine& limit : m_limits)
        for (qsizetype i = 1; i < limit.line.size(); ++i)
            if (m_data.xNames.isEmpty() || limit.constant)
                crowd.lines.emplace_back(limit.line[i - 1], limit.line[i]);
    return crowd;
}

/// The place along its line, above or below it, that hides nothing; null where there is none.
QRectF SweepPlot::limitLabelRect(const PlotFrame& frame, const LimitLine& limit, QSizeF text, const Crowd& crowd) const
{
    const QRectF plot = frame.plot;
    QRectF best;
    double bestCost = kCovered;
    for (int step = 0; step <= 24; ++step) {
        const double left = plot.left() + space::s + (plot.width() - text.width() - 2 * space::s) * step / 24.0;
        // Over its width a rising line needs more room than at one place.
        double high = 1e9, low = -1e9;
        for (const double x : {left, left + text.width() / 2, left + text.width()}) {
            double y = limit.line.first().y();
            for (qsizetype i = 1; i < limit.line.size(); ++i)
                if (x >= limit.line[i - 1].x())
                    y = limit.line[i - 1].y() +
                        (limit.line[i].y() - limit.line[i - 1].y()) *
                            std::clamp((x - limit.line[i - 1].x()) /
                                           std::max(1.0, limit.line[i].x() - limit.line[i - 1].x()),
                                       0.0, 1.0);
            high = std::min(high, y);
            low = std::max(low, y);
        }
        for (const double top : {high - text.height() - 3, low + 3}) {
            const QRectF rect(QPointF(left, top), text), room = rect.adjusted(-3, -1, 3, 1);
            if (!plot.contains(rect))
                continue;
            double cost = step * 0.1;
            for (const QRectF& mark : crowd.marks)
                cost += room.intersects(mark) ? kCovered : 0;
            for (const auto& [from, to] : crowd.lines)
                cost += crosses(rect, from, to) ? kCrossed : 0;
            if (cost < bestCost) {
                bestCost = cost;
                best = rect;
            }
        }
    }
    return best;
}

std::vector<std::pair<QString, QRectF>> SweepPlot::placedLabels() const
{
    std::vector<std::pair<QString, QRectF>> all;
    for (const Label& label : m_labels)
        all.emplace_back(label.text, label.rect);
    return all;
}

void SweepPlot::placeLabels(const PlotFrame& frame)
{
    m_labels.clear();
    Crowd around = crowd(frame);
    const QFontMetricsF metrics(frame.theme.font(TextStyle::Caption));
    const double height = frame.theme.lineHeight(TextStyle::Caption), most = frame.plot.width() - 2 * space::s;
    const auto sized = [&](QString& text) {
        text = metrics.elidedText(text, Qt::ElideRight, most);
        return QSizeF(std::ceil(metrics.horizontalAdvance(text)) + 4, height);
    };
    std::vector<Label> labels;
    std::vector<LabelWish> wishes;
    for (const ChartPrediction& p : m_data.predictions) {
        if (!frame.x.accepts(p.x) || !frame.y.accepts(p.point))
            continue;
        const QPointF centre = placeOf(frame, p);
        if (frame.zoomed && !frame.plot.contains(centre))
            continue;
        Label label{{}, predictionLabel(frame, p), p.series};
        wishes.push_back({centre, sized(label.text), kDiamondSize / 2 + 4});
        labels.push_back(std::move(label));
    }
    const auto placed = app::placeLabels(wishes, frame.plot, around.marks, around.lines);
    for (std::size_t i = 0; i < labels.size(); ++i)
        if (!placed[i].rect.isNull()) {
            labels[i].rect = placed[i].rect;
            around.marks.push_back(placed[i].rect);
            m_labels.push_back(std::move(labels[i]));
        }
    if (m_data.limitTitle.isEmpty())
        return;
    for (const LimitLine& limit : m_limits) {
        Label label{{}, limit.name, limit.series};
        label.rect = limitLabelRect(frame, limit, sized(label.text), around);
        if (label.rect.isNull())
            continue;
        around.marks.push_back(label.rect);
        m_labels.push_back(std::move(label));
    }
}

} // namespace ridge::app
