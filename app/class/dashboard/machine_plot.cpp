// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/class/dashboard/machine_plot.h"

#include "app/class/dashboard/class_texts.h"
#include "app/drawing/charts/chart_text.h"
#include "app/drawing/charts/plot_paint.h"
#include "app/drawing/charts/series_marker.h"
#include "base/json.h"

#include <QCoreApplication>
#include <QPainter>
#include <algorithm>
#include <cmath>

namespace ridge::app {
namespace {

constexpr double kMark = 9, kGap = 3;                ///< px at 100 %: a mark, and from it to the next below
constexpr double kLowestRow = 44, kHighestRow = 120; ///< px at 100 %
constexpr double kSame = 1.005;                      ///< ratios nearer to each other are one result, rounded

QString tr(const char* text)
{
    return QCoreApplication::translate("ridge::app::Machines", text);
}

QString times(double ratio)
{
    return QString::number(ratio, 'g', 3) + QStringLiteral("×");
}

Provenance provenanceOf(const std::string& text)
{
    for (const Provenance one : {Provenance::Measured, Provenance::Modelled, Provenance::Recorded})
        if (text == toText(one))
            return one;
    return Provenance::Simulated;
}

} // namespace

MachineData machineData(const classroom::ClassReport& report, const std::string& lesson)
{
    MachineData data;
    std::map<std::pair<std::string, std::string>, int> points;
    std::map<std::string, std::size_t> rows;
    const auto rowOf = [&](const std::string& name) -> MachineRow& {
        const auto [place, fresh] = rows.try_emplace(name, data.rows.size());
        if (fresh)
            data.rows.push_back({QString::fromStdString(name).simplified(), 0, {}});
        return data.rows[place->second];
    };
    for (const classroom::HardwareCount& one : report.hardware)
        rowOf(one.name).learners = one.learners;
    std::map<int, std::pair<double, double>> extent;
    for (const classroom::HardwareSpread& one : report.spread) {
        if (!lesson.empty() && one.lesson != lesson)
            continue;
        const double scale = one.classMedian;
        if (!(scale > 0) || !(one.low > 0) || !(one.median > 0) || !std::isfinite(one.high / scale)) {
            ++data.leftOut;
            continue;
        }
        const auto [place, fresh] = points.try_emplace({one.lesson, one.block}, static_cast<int>(data.points.size()));
        if (fresh)
            data.points << QString::fromStdString(one.lesson) + QLatin1Char(' ') + metricWords(one.metric);
        const int point = place->second;
        MachineRow& row = rowOf(one.hardware.empty() ? one.target : one.hardware);
        row.learners = std::max(row.learners, one.learners);
        row.marks.push_back({point, one.median / scale, one.low / scale, one.high / scale, one.median,
                             QString::fromStdString(one.unit), provenanceOf(one.provenance), one.learners});
        auto& [low, high] = extent.try_emplace(point, one.low / scale, one.high / scale).first->second;
        low = std::min(low, one.low / scale);
        high = std::max(high, one.high / scale);
    }
    data.agreeing = static_cast<int>(
        std::ranges::count_if(extent, [](const auto& one) { return one.second.second <= one.second.first * kSame; }));
    data.title = tr("What each machine found, over the class's median");
    data.emptyText = tr("Results stand here by machine as soon as somebody hands in a run.");
    data.caption = tr("1× is the median of the class at the same point, whiskers reach from a machine's lowest to its "
                      "highest result. Further right is slower for a time and faster for a rate.");
    if (data.agreeing > 0)
        data.caption = tr("At %1 of %2 points all machines found the same. %3")
                           .arg(data.agreeing)
                           .arg(data.points.size())
                           .arg(data.caption);
    std::vector<Provenance> all;
    for (const MachineRow& row : data.rows)
        for (const MachineMark& mark : row.marks)
            all.push_back(mark.provenance);
    data.caption = captioned(data.caption, markedProvenances(all));
    return data;
}

PlotText MachinePlot::text() const
{
    return {m_data.title, empty() ? QString() : m_data.caption, m_data.emptyText};
}

bool MachinePlot::empty() const
{
    return std::ranges::all_of(m_data.rows, [](const MachineRow& row) { return row.marks.empty(); });
}

QString MachinePlot::summary() const
{
    if (empty())
        return m_data.emptyText;
    const MachineMark* low = nullptr;
    const MachineMark* high = nullptr;
    const MachineRow* lowRow = nullptr;
    const MachineRow* highRow = nullptr;
    for (const MachineRow& row : m_data.rows)
        for (const MachineMark& mark : row.marks) {
            if (!low || mark.ratio < low->ratio) {
                low = &mark;
                lowRow = &row;
            }
            if (!high || mark.ratio > high->ratio) {
                high = &mark;
                highRow = &row;
            }
        }
    QString text = tr("%1 machines at %2 points").arg(m_data.rows.size()).arg(m_data.points.size());
    if (m_data.agreeing > 0)
        text += tr("; at %1 of them all found the same").arg(m_data.agreeing);
    if (high->ratio > low->ratio * kSame)
        text += tr("; from %1 of the class's median (%2, %3) to %4 (%5, %6)")
                    .arg(times(low->ratio), isolated(lowRow->name), m_data.points[low->point], times(high->ratio),
                         isolated(highRow->name), m_data.points[high->point]);
    if (m_data.leftOut > 0)
        text += tr("; %1 results of zero have no ratio").arg(m_data.leftOut);
    return text + QLatin1Char('.');
}

ChartTable MachinePlot::table() const
{
    ChartTable table;
    table.kind = QStringLiteral("machines");
    table.title = m_data.title;
    table.caption = m_data.caption;
    table.summary = summary();
    table.columns = {{QStringLiteral("machine"), tr("Machine"), {}, false},
                     {QStringLiteral("learners"), tr("Learners"), {}},
                     {QStringLiteral("point"), tr("Point"), {}, false},
                     {QStringLiteral("result"), tr("Result"), {}},
                     {QStringLiteral("unit"), tr("Unit"), {}, false},
                     {QStringLiteral("ratio"), tr("Over the class"), {}},
                     {QStringLiteral("low"), tr("Lowest"), {}},
                     {QStringLiteral("high"), tr("Highest"), {}},
                     {QStringLiteral("provenance"), tr("Provenance"), {}, false}};
    const ChartCell none;
    for (const MachineRow& row : m_data.rows) {
        if (row.marks.empty())
            table.rows.push_back(
                {row.name, static_cast<double>(row.learners), none, none, none, none, none, none, none});
        for (const MachineMark& mark : row.marks)
            table.rows.push_back({row.name, static_cast<double>(mark.learners), m_data.points[mark.point], mark.value,
                                  mark.unit, mark.ratio, mark.low, mark.high, provenanceText(mark.provenance)});
    }
    return table;
}

PlotAxes MachinePlot::axes() const
{
    PlotAxes axes;
    if (empty()) {
        axes.x.shown = axes.y.shown = axes.x.grid = axes.y.grid = false;
        return axes;
    }
    double low = 1, high = 1;
    for (const MachineRow& row : m_data.rows)
        for (const MachineMark& mark : row.marks) {
            low = std::min(low, mark.low);
            high = std::max(high, mark.high);
        }
    // Whole octaves around 1, one at least on either side, so that equal machines stand in the middle.
    const double down = std::max(1.0, std::ceil(-std::log2(low) - 1e-9)),
                 up = std::max(1.0, std::ceil(std::log2(high)));
    axes.x.scale.log = true;
    axes.x.scale.min = std::exp2(-down - 0.25);
    axes.x.scale.max = std::exp2(up + 0.25);
    const double step = std::max(1.0, std::ceil((up + down) / 12));
    for (double octave = -step * std::floor(down / step); octave <= up + 1e-9; octave += step)
        axes.x.ticks.push_back({std::exp2(octave), octave < 0 ? QStringLiteral("1/%1×").arg(std::exp2(-octave))
                                                              : QStringLiteral("%1×").arg(std::exp2(octave))});
    axes.x.title = tr("over the class's median at the same point");
    axes.x.zoom = true;
    axes.y.title = tr("learners · machine");
    const auto count = static_cast<double>(m_data.rows.size());
    axes.y.scale.min = -0.5;
    axes.y.scale.max = count - 0.5;
    for (std::size_t i = 0; i < m_data.rows.size(); ++i)
        axes.y.ticks.push_back({count - 1 - static_cast<double>(i),
                                tr("%1 · %2").arg(m_data.rows[i].learners).arg(isolated(m_data.rows[i].name))});
    return axes;
}

std::size_t MachinePlot::mostMarks() const
{
    std::size_t most = 0;
    for (const MachineRow& row : m_data.rows)
        most = std::max(most, row.marks.size());
    return most;
}

double MachinePlot::keyHeight(const Theme& theme, double width) const
{
    if (!shapes() || empty())
        return 0;
    std::vector<KeyEntry> entries;
    for (qsizetype i = 0; i < m_data.points.size(); ++i)
        entries.push_back({m_data.points[i], theme.series(static_cast<int>(i)), static_cast<int>(i)});
    return paintKey(nullptr, theme, QRectF(0, 0, width, 1e4), entries) + space::s;
}

QMarginsF MachinePlot::margins(const Theme& theme, QSizeF available) const
{
    return {0, keyHeight(theme, available.width()), space::m, 0};
}

double MachinePlot::heightFor(const Theme& theme, double width) const
{
    if (empty())
        return 0;
    const double inner = width - 2 * space::m;
    const double row = std::clamp((static_cast<double>(mostMarks()) + 2) * (kMark + kGap), kLowestRow, kHighestRow);
    return theme.scaled(row) * static_cast<double>(m_data.rows.size()) + theme.scaled(kControlHeight) +
           theme.lineHeight(TextStyle::ChartTick) + 3 * theme.lineHeight(TextStyle::ChartLabel) +
           keyHeight(theme, inner) + textHeight(theme, TextStyle::Caption, m_data.caption, inner) + 4 * space::s;
}

void MachinePlot::layout(const PlotFrame& frame)
{
    m_places.clear();
    const double pitch = frame.plot.height() / std::max<double>(1, static_cast<double>(m_data.rows.size()));
    const double size = frame.theme.scaled(kMark), lane = frame.theme.scaled(kMark + kGap);
    const double room = std::max(0.0, pitch / 2 - size / 2 - 2);
    struct Taken {
        double left, right, y;
    };
    for (std::size_t i = 0; i < m_data.rows.size(); ++i) {
        const double middle = frame.placeY(static_cast<double>(m_data.rows.size() - 1 - i));
        std::vector<QPointF>& places = m_places.emplace_back();
        std::vector<Taken> row;
        for (const MachineMark& mark : m_data.rows[i].marks) {
            const double x = frame.placeX(mark.ratio);
            Taken want{std::min(x - size / 2, frame.placeX(mark.low)) - 2,
                       std::max(x + size / 2, frame.placeX(mark.high)) + 2, middle};
            // Up, down, further up … until nothing lies below it; where the row is full, marks lie on each other.
            const auto taken = [&] {
                return std::ranges::any_of(row, [&](const Taken& other) {
                    return other.left < want.right && want.left < other.right &&
                           std::abs(other.y - want.y) < lane - 0.5;
                });
            };
            for (int step = 1; taken() && (step + 1) / 2 * lane <= room; ++step)
                want.y = middle + (step % 2 == 1 ? -1 : 1) * ((step + 1) / 2) * lane;
            row.push_back(want);
            places.emplace_back(x, want.y);
        }
    }
}

void MachinePlot::paint(QPainter& painter, const PlotFrame& frame, PlotCursor) const
{
    if (empty())
        return;
    const Theme& theme = frame.theme;
    if (shapes()) {
        std::vector<KeyEntry> entries;
        for (qsizetype i = 0; i < m_data.points.size(); ++i)
            entries.push_back({m_data.points[i], theme.series(static_cast<int>(i)), static_cast<int>(i)});
        const double height = keyHeight(theme, frame.all.width() - 2 * space::m);
        paintKey(
            &painter, theme,
            QRectF(frame.all.left() + space::m, frame.plot.top() - height, frame.all.width() - 2 * space::m, height),
            entries);
    }
    const double one = snapped(frame.placeX(1));
    if (frame.plot.left() <= one && one <= frame.plot.right()) {
        painter.setPen(QPen(theme.color(Role::BorderStrong), 2));
        painter.drawLine(QPointF(one, frame.plot.top()), QPointF(one, frame.plot.bottom()));
    }
    const double size = theme.scaled(kMark);
    painter.setClipRect(frame.plot.adjusted(-size, 0, size, 0));
    for (std::size_t i = 0; i < m_data.rows.size(); ++i)
        for (std::size_t k = 0; k < m_data.rows[i].marks.size(); ++k) {
            const MachineMark& mark = m_data.rows[i].marks[k];
            const QPointF at = m_places[i][k];
            const int shape = shapes() ? mark.point : 0;
            const QColor color = theme.series(shape);
            if (mark.high > mark.low * kSame) {
                painter.setPen(QPen(color, 1.5));
                painter.drawLine(QPointF(frame.placeX(mark.low), at.y()), QPointF(frame.placeX(mark.high), at.y()));
                for (const double end : {mark.low, mark.high})
                    painter.drawLine(QPointF(frame.placeX(end), at.y() - 3), QPointF(frame.placeX(end), at.y() + 3));
            }
            paintSeriesMarker(painter, at, size, color, shape, mark.provenance);
        }
}

std::vector<int> MachinePlot::groups() const
{
    std::vector<int> groups;
    for (const MachineRow& row : m_data.rows)
        groups.push_back(static_cast<int>(row.marks.size()));
    return groups;
}

std::optional<QRectF> MachinePlot::outline(const PlotFrame& frame, PlotCursor at) const
{
    const double size = frame.theme.scaled(kMark);
    const QPointF place = m_places[static_cast<std::size_t>(at.group)][static_cast<std::size_t>(at.point)];
    return QRectF(place.x() - size / 2, place.y() - size / 2, size, size);
}

QString MachinePlot::pointText(PlotCursor at) const
{
    const MachineRow& row = m_data.rows[static_cast<std::size_t>(at.group)];
    const MachineMark& mark = row.marks[static_cast<std::size_t>(at.point)];
    return tr("%1, %2: %3, %4 of the class's median, %5, %6 learners")
        .arg(isolated(row.name), m_data.points[mark.point], quantity(mark.value, mark.unit), times(mark.ratio),
             provenanceText(mark.provenance))
        .arg(mark.learners);
}

Json MachinePlot::describe() const
{
    Json rows = Json::array();
    for (const MachineRow& row : m_data.rows)
        rows.push_back({{"name", row.name.toStdString()}, {"marks", row.marks.size()}});
    return {{"rows", rows}, {"agreeing", m_data.agreeing}};
}

} // namespace ridge::app
