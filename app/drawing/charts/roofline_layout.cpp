// SPDX-License-Identifier: GPL-3.0-or-later
// Where lines, ridge points and names of a roofline stand.
#include "app/drawing/charts/chart_text.h"
#include "app/drawing/charts/plot_paint.h"
#include "app/drawing/charts/roofline_plot.h"

#include <QTransform>

namespace ridge::app {
namespace {

constexpr double kDot = 11;

QString tr(const char* text)
{
    return QCoreApplication::translate("ridge::app::Roofline", text);
}

/// A text's box along a line: `t` px from its start, above or below it.
QPolygonF alongLine(QPointF from, double angle, double t, bool above, QSizeF size, QPointF* baseline)
{
    QTransform turn;
    turn.translate(from.x(), from.y());
    turn.rotate(-angle);
    const double top = above ? -size.height() - 2 : 3;
    const QRectF box(t, top, size.width(), size.height());
    *baseline = turn.map(QPointF(t, top));
    return turn.map(QPolygonF(box));
}

/// Whether two convex shapes overlap: no side of either separates them.
bool overlap(const QPolygonF& a, const QPolygonF& b)
{
    for (const QPolygonF* shape : {&a, &b})
        for (qsizetype i = 0; i + 1 < shape->size(); ++i) {
            const QPointF side = (*shape)[i + 1] - (*shape)[i], normal(-side.y(), side.x());
            double lowA = 1e18, highA = -1e18, lowB = 1e18, highB = -1e18;
            for (const QPointF& p : a) {
                lowA = std::min(lowA, QPointF::dotProduct(p, normal));
                highA = std::max(highA, QPointF::dotProduct(p, normal));
            }
            for (const QPointF& p : b) {
                lowB = std::min(lowB, QPointF::dotProduct(p, normal));
                highB = std::max(highB, QPointF::dotProduct(p, normal));
            }
            if (highA <= lowB || highB <= lowA)
                return false;
        }
    return true;
}

bool touches(const QPolygonF& box, const std::vector<QRectF>& rects, const std::vector<QPolygonF>& boxes)
{
    return std::any_of(rects.begin(), rects.end(), [&](const QRectF& rect) { return overlap(box, QPolygonF(rect)); }) ||
           std::any_of(boxes.begin(), boxes.end(), [&](const QPolygonF& other) { return overlap(box, other); });
}

/// A turned box as a row of small upright ones, so that labels may stand beside it.
void appendCover(std::vector<QRectF>& rects, const QPolygonF& box)
{
    const double height = QLineF(box[0], box[3]).length();
    for (int part = 0; part <= 12; ++part) {
        const QPointF a = box[0] + (box[1] - box[0]) * (part / 12.0);
        const QPointF b = box[3] + (box[2] - box[3]) * (part / 12.0);
        rects.emplace_back((a + b) / 2 - QPointF(height, height) / 2, QSizeF(height, height));
    }
}

/// "datasheet" or "SIM": what a line is, as short as the badges of the program say it.
QString shortOrigin(bool datasheet, Provenance provenance)
{
    const std::string_view label = shortLabel(provenance);
    return datasheet ? tr("datasheet") : QString::fromLatin1(label.data(), static_cast<qsizetype>(label.size()));
}

bool holds(const QRectF& plot, const QPolygonF& box)
{
    return std::all_of(box.begin(), box.end(), [&](QPointF p) { return plot.contains(p); });
}

} // namespace

QMarginsF RooflinePlot::margins(const Theme& theme, QSizeF available) const
{
    const double key = theme.lineHeight(TextStyle::Caption);
    const double rows = m_data.kernels.empty() ? 0 : available.width() < theme.scaled(420) ? 2 : 1;
    return {0, rows * key + (rows > 0 ? space::s : 0), space::m, 0};
}

std::optional<QPointF> RooflinePlot::dot(const PlotFrame& frame, PlotCursor at) const
{
    const RooflineKernel& kernel = m_data.kernels[static_cast<std::size_t>(at.group)];
    const double intensity = kernel.intensity[static_cast<std::size_t>(at.point)].second;
    if (!frame.x.accepts(intensity) || !frame.y.accepts(kernel.flopsPerSecond))
        return std::nullopt;
    return frame.place(intensity, kernel.flopsPerSecond);
}

std::optional<QRectF> RooflinePlot::outline(const PlotFrame& frame, PlotCursor at) const
{
    const auto centre = dot(frame, at);
    if (!centre)
        return std::nullopt;
    return QRectF(*centre - QPointF(kDot, kDot), QSizeF(2 * kDot, 2 * kDot));
}

/// A bandwidth roof ends at the highest ceiling of its own kind, at any highest one, or at the edge.
double RooflinePlot::roofEnd(const PlotFrame& frame, const RooflineRoof& roof) const
{
    double own = 0, any = 0;
    for (const RooflineCeiling& ceiling : m_data.ceilings) {
        any = std::max(any, ceiling.flopsPerSecond);
        if (ceiling.datasheet == roof.datasheet)
            own = std::max(own, ceiling.flopsPerSecond);
    }
    const double top = own > 0 ? own : any;
    return top > 0 ? top / roof.bytesPerSecond : frame.x.max;
}

/// A ceiling begins where the fastest roof of its kind (or any) reaches it.
double RooflinePlot::ceilingStart(const PlotFrame& frame, const RooflineCeiling& ceiling) const
{
    double own = 0, any = 0;
    for (const RooflineRoof& roof : m_data.roofs) {
        any = std::max(any, roof.bytesPerSecond);
        if (roof.datasheet == ceiling.datasheet)
            own = std::max(own, roof.bytesPerSecond);
    }
    const double fastest = own > 0 ? own : any;
    return fastest > 0 ? ceiling.flopsPerSecond / fastest : frame.x.min;
}

std::vector<PlotCurve> RooflinePlot::curves(const PlotFrame& frame) const
{
    const Theme& theme = frame.theme;
    std::vector<PlotCurve> curves;
    const auto add = [&](double x1, double y1, double x2, double y2, bool datasheet) {
        QPen pen(theme.color(datasheet ? Role::BorderStrong : Role::Text), datasheet ? 1 : 2);
        pen.setCapStyle(Qt::FlatCap);
        if (datasheet)
            pen.setDashPattern({6, 4});
        curves.push_back({pen, {{x1, y1}, {x2, y2}}});
    };
    for (const bool datasheet : {true, false}) { // solid lines lie on top
        for (const RooflineRoof& roof : m_data.roofs) {
            // Cut to the plot here: vector pictures know no clipping.
            const double start = std::max(frame.x.min, frame.y.min / roof.bytesPerSecond);
            const double end = std::min({roofEnd(frame, roof), frame.x.max, frame.y.max / roof.bytesPerSecond});
            if (roof.datasheet == datasheet && frame.x.accepts(roof.bytesPerSecond) && end > start)
                add(start, start * roof.bytesPerSecond, end, end * roof.bytesPerSecond, datasheet);
        }
        for (const RooflineCeiling& ceiling : m_data.ceilings) {
            const double start = std::max(ceilingStart(frame, ceiling), frame.x.min);
            const bool inside = ceiling.flopsPerSecond >= frame.y.min && ceiling.flopsPerSecond <= frame.y.max;
            if (ceiling.datasheet == datasheet && inside && start < frame.x.max)
                add(start, ceiling.flopsPerSecond, frame.x.max, ceiling.flopsPerSecond, datasheet);
        }
    }
    return curves;
}

std::vector<std::pair<QPointF, QPointF>> RooflinePlot::segments(const PlotFrame& frame) const
{
    std::vector<std::pair<QPointF, QPointF>> lines;
    for (const PlotCurve& curve : curves(frame))
        lines.emplace_back(frame.place(curve.points[0].x(), curve.points[0].y()),
                           frame.place(curve.points[1].x(), curve.points[1].y()));
    return lines;
}

/// From rung to rung of a ladder, between the dots of the level that is farthest out.
std::vector<std::pair<QPointF, QPointF>> RooflinePlot::ladderSteps(const PlotFrame& frame) const
{
    std::vector<std::pair<QPointF, QPointF>> steps;
    std::map<QString, QPointF> last;
    for (std::size_t i = 0; i < m_data.kernels.size(); ++i) {
        const RooflineKernel& kernel = m_data.kernels[i];
        if (kernel.ladder.isEmpty() || kernel.intensity.empty())
            continue;
        const auto outer = std::max_element(kernel.intensity.begin(), kernel.intensity.end(),
                                            [](const auto& a, const auto& b) { return a.first < b.first; });
        const auto at = dot(frame, {static_cast<int>(i), static_cast<int>(outer - kernel.intensity.begin())});
        if (!at)
            continue;
        if (const auto before = last.find(kernel.ladder); before != last.end())
            steps.emplace_back(before->second, *at);
        last[kernel.ladder] = *at;
    }
    return steps;
}

std::vector<QRectF> RooflinePlot::marks(const PlotFrame& frame) const
{
    std::vector<QRectF> rects;
    for (int group = 0; group < static_cast<int>(m_data.kernels.size()); ++group)
        for (int point = 0; point < groups()[static_cast<std::size_t>(group)]; ++point)
            if (const auto at = dot(frame, {group, point}))
                rects.emplace_back(*at - QPointF(kDot, kDot) * 0.6, QSizeF(kDot, kDot) * 1.2);
    return rects;
}

void RooflinePlot::layout(const PlotFrame& frame)
{
    m_lineLabels.clear();
    m_ridges.clear();
    m_names.clear();
    m_unplaced.clear();
    std::vector<QRectF> taken = marks(frame);
    findRidges(frame, taken);
    layoutLineLabels(frame, taken);
    for (const LineLabel& label : m_lineLabels)
        appendCover(taken, label.box);
    layoutNames(frame, taken);
    layoutRidges(frame, taken);
    layoutUnplaced(frame, std::move(taken));
}

/// Ridge points of device memory, one for each ceiling of the same kind.
void RooflinePlot::findRidges(const PlotFrame& frame, std::vector<QRectF>& taken)
{
    for (const bool datasheet : {false, true}) // measured ones choose their label's place first
        for (const RooflineRoof& roof : m_data.roofs)
            for (const RooflineCeiling& ceiling : m_data.ceilings) {
                if (roof.level != MemoryLevel::Hbm || roof.datasheet != datasheet || ceiling.datasheet != datasheet)
                    continue;
                const double value = ridgeOf(roof, ceiling);
                if (!frame.x.accepts(value) || !frame.y.accepts(ceiling.flopsPerSecond))
                    continue;
                const QPointF at = frame.place(value, ceiling.flopsPerSecond);
                if (!frame.plot.adjusted(-1, -1, 1, 1).contains(at))
                    continue;
                m_ridges.push_back(
                    {at, value, datasheet, tr("ridge %1").arg(quantity(value, QStringLiteral("FLOP/B"))), {}});
                taken.emplace_back(at - QPointF(5, 5), QSizeF(10, 10));
            }
}

void RooflinePlot::layoutRidges(const PlotFrame& frame, std::vector<QRectF>& taken)
{
    std::vector<LabelWish> wishes;
    const double height = frame.theme.lineHeight(TextStyle::Caption);
    // Ridge points that nearly coincide would have two labels at one place: the first, measured one keeps its own.
    std::vector<std::size_t> told;
    for (std::size_t i = 0; i < m_ridges.size(); ++i)
        if (std::none_of(told.begin(), told.end(), [&](std::size_t other) {
                return QLineF(m_ridges[other].at, m_ridges[i].at).length() < 2 * height;
            }))
            told.push_back(i);
    for (const std::size_t i : told)
        wishes.push_back({m_ridges[i].at,
                          QSizeF(std::ceil(textWidth(frame.theme, TextStyle::Caption, m_ridges[i].name)) + 2, height),
                          9});
    const auto placed = placeLabels(wishes, frame.plot, taken, segments(frame));
    for (std::size_t i = 0; i < placed.size(); ++i) {
        m_ridges[told[i]].label = placed[i].rect;
        m_ridges[told[i]].far = placed[i].far;
        if (!placed[i].rect.isNull())
            taken.push_back(placed[i].rect);
    }
}

void RooflinePlot::layoutLineLabels(const PlotFrame& frame, const std::vector<QRectF>& taken)
{
    const double height = frame.theme.lineHeight(TextStyle::Caption);
    std::vector<QPolygonF> boxes;
    const auto lines = curves(frame);
    const auto place = [&](QPointF from, QPointF to, const QString& text, bool datasheet) {
        const QPointF d = to - from;
        const double length = std::hypot(d.x(), d.y());
        const double angle = -std::atan2(d.y(), d.x()) * 180 / std::numbers::pi;
        const QSizeF size(std::ceil(textWidth(frame.theme, TextStyle::Caption, text)) + 2, height);
        LineLabel best{text, {}, angle, {}, datasheet, {}};
        double bestCost = 1e9;
        for (double t = 8; t + size.width() + 8 <= length; t += 12)
            for (const bool above : {true, false}) {
                QPointF baseline;
                const QPolygonF box = alongLine(from, angle, t, above, size, &baseline);
                if (!holds(frame.plot, box) || touches(box, taken, boxes))
                    continue;
                // Datasheet lines lie above measured ones: their words go up, the others' down. Diagonals are named at
                // their lower end, ceilings at the right.
                double cost = (above == datasheet ? 0 : 30) + (angle > 1 ? t : length - t) * 0.05;
                bool cut = false; // a solid line through the words; a dashed one may stop at their edge
                for (const PlotCurve& curve : lines) {
                    const QPolygonF line({frame.place(curve.points[0].x(), curve.points[0].y()),
                                          frame.place(curve.points[1].x(), curve.points[1].y())});
                    const bool through = overlap(box, line);
                    const bool solid = curve.pen.style() == Qt::SolidLine;
                    cut = cut || (through && solid);
                    cost += through ? 20 : 0;
                }
                if (cut)
                    continue;
                if (cost < bestCost) {
                    bestCost = cost;
                    best.at = baseline;
                    best.box = box;
                }
            }
        if (bestCost >= 1e9)
            return m_unplaced.push_back({from, to, text, datasheet});
        boxes.push_back(best.box);
        m_lineLabels.push_back(std::move(best));
    };
    for (const bool datasheet : {false, true}) {
        for (const RooflineRoof& roof : m_data.roofs) {
            const double end = std::min(roofEnd(frame, roof), frame.x.max);
            if (roof.datasheet != datasheet || !frame.x.accepts(roof.bytesPerSecond))
                continue;
            // From where the roof enters the plot.
            const double start = std::max(frame.x.min, frame.y.min / roof.bytesPerSecond);
            if (end <= start)
                continue;
            place(frame.place(start, start * roof.bytesPerSecond), frame.place(end, end * roof.bytesPerSecond),
                  QStringLiteral("%1 %2 · %3")
                      .arg(levelName(roof.level), quantity(roof.bytesPerSecond, QStringLiteral("B/s")),
                           shortOrigin(roof.datasheet, roof.provenance)),
                  datasheet);
        }
        for (const RooflineCeiling& ceiling : m_data.ceilings) {
            const double start = std::max(ceilingStart(frame, ceiling), frame.x.min);
            if (ceiling.datasheet == datasheet && frame.y.accepts(ceiling.flopsPerSecond) && start < frame.x.max)
                place(frame.place(start, ceiling.flopsPerSecond), frame.place(frame.x.max, ceiling.flopsPerSecond),
                      QStringLiteral("%1 %2 · %3")
                          .arg(ceiling.name, quantity(ceiling.flopsPerSecond, QStringLiteral("FLOP/s")),
                               shortOrigin(ceiling.datasheet, ceiling.provenance)),
                      datasheet);
        }
    }
}

/// What finds no room along its line stands level and close beside it, or is left to cursor and table; so is a
/// datasheet line beside its measured one.
void RooflinePlot::layoutUnplaced(const PlotFrame& frame, std::vector<QRectF> taken)
{
    const double height = frame.theme.lineHeight(TextStyle::Caption);
    const auto roofs = segments(frame), steps = ladderSteps(frame);
    auto lines = roofs;
    lines.insert(lines.end(), steps.begin(), steps.end());
    const bool measured =
        std::any_of(m_data.roofs.begin(), m_data.roofs.end(), [](const RooflineRoof& roof) { return !roof.datasheet; });
    for (const Unplaced& label : m_unplaced) {
        if (label.datasheet && measured)
            continue;
        const QSizeF size(std::ceil(textWidth(frame.theme, TextStyle::Caption, label.text)) + 2, height);
        LineLabel best;
        for (const double part : {0.3, 0.35, 0.4, 0.5, 0.2, 0.25, 0.6, 0.1, 0.75, 0.9}) {
            const QPointF anchor = label.from + (label.to - label.from) * part;
            const PlacedLabel placed = placeLabels({{anchor, size, 6}}, frame.plot, taken, lines).front();
            const auto cut = [&](const auto& line) { return crosses(placed.rect, line.first, line.second); };
            if (placed.rect.isNull() || placed.far || std::any_of(roofs.begin(), roofs.end(), cut))
                continue;
            const bool clear = std::none_of(steps.begin(), steps.end(), cut);
            if (!best.anchor || clear)
                best = {label.text, placed.rect.topLeft(), 0, QPolygonF(placed.rect), label.datasheet, anchor};
            if (clear)
                break;
        }
        if (!best.anchor)
            continue;
        taken.push_back(best.box.boundingRect());
        m_lineLabels.push_back(std::move(best));
    }
}

void RooflinePlot::layoutNames(const PlotFrame& frame, std::vector<QRectF>& taken)
{
    std::vector<LabelWish> wishes;
    std::vector<std::size_t> whose;
    const double height = frame.theme.lineHeight(TextStyle::ChartLabel);
    for (std::size_t i = 0; i < m_data.kernels.size(); ++i) {
        std::optional<QPointF> anchor;
        for (int point = 0; point < static_cast<int>(m_data.kernels[i].intensity.size()); ++point)
            if (const auto at = dot(frame, {static_cast<int>(i), point});
                at && frame.plot.contains(*at) && (!anchor || at->x() > anchor->x()))
                anchor = at;
        if (!anchor)
            continue;
        const double width = std::min(textWidth(frame.theme, TextStyle::ChartLabel, m_data.kernels[i].name) + 2,
                                      frame.plot.width() * 0.4);
        wishes.push_back({*anchor, QSizeF(std::ceil(width), height), 9});
        whose.push_back(i);
    }
    m_names.assign(m_data.kernels.size(), {});
    auto lines = segments(frame);
    const auto steps = ladderSteps(frame);
    lines.insert(lines.end(), steps.begin(), steps.end());
    const auto placed = placeLabels(wishes, frame.plot, taken, lines);
    for (std::size_t i = 0; i < placed.size(); ++i) {
        m_names[whose[i]] = placed[i];
        if (!placed[i].rect.isNull())
            taken.push_back(placed[i].rect);
    }
}

} // namespace ridge::app
