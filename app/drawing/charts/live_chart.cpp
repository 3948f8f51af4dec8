// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/drawing/charts/live_chart.h"

#include "app/drawing/charts/chart_text.h"
#include "app/drawing/charts/series_marker.h"

#include <QCoreApplication>
#include <QTimer>

namespace ridge::app {
namespace {

constexpr int kWordsEvery = 30; ///< pictures between two sentences: nobody can follow thirty a second
constexpr std::size_t kTableRows = 4096;

QString tr(const char* text)
{
    return QCoreApplication::translate("ridge::app::Trace", text);
}

const QString kSeconds = QStringLiteral("s");

} // namespace

void SampleStream::push(std::span<const float> samples)
{
    const std::lock_guard lock(m_mutex);
    m_waiting.insert(m_waiting.end(), samples.begin(), samples.end());
}

std::vector<float> SampleStream::take()
{
    std::vector<float> taken;
    const std::lock_guard lock(m_mutex);
    taken.swap(m_waiting);
    return taken;
}

PlotText TracePlot::text() const
{
    return {m_info.title, captioned(m_info.caption, provenanceText(m_info.provenance)),
            tr("The trace appears here as samples come in.")};
}

bool TracePlot::empty() const
{
    return m_samples->size() == 0 || !m_samples->all().any();
}

QString TracePlot::summary() const
{
    if (empty())
        return text().emptyText;
    const MinMax all = m_samples->all();
    return tr("%1 over time (%2): %3 samples in %4, lowest %5, highest %6, last %7.")
        .arg(asStart(m_info.valueTitle), provenanceText(m_info.provenance))
        .arg(m_samples->size())
        .arg(quantity(static_cast<double>(m_samples->size()) * m_info.secondsPerSample, kSeconds),
             quantity(all.low, m_info.unit), quantity(all.high, m_info.unit),
             quantity(m_samples->sample(m_samples->size() - 1), m_info.unit));
}

ChartTable TracePlot::table() const
{
    ChartTable table;
    table.kind = QStringLiteral("trace");
    table.title = m_info.title;
    table.caption = m_info.caption;
    table.summary = summary();
    table.origin = m_info.origin;
    table.columns = {{QStringLiteral("from"), tr("From"), kSeconds},
                     {QStringLiteral("samples"), tr("Samples"), {}},
                     {QStringLiteral("lowest"), tr("Lowest"), m_info.unit},
                     {QStringLiteral("highest"), tr("Highest"), m_info.unit},
                     {QStringLiteral("provenance"), tr("Provenance"), {}, false}};
    const QString provenance = provenanceText(m_info.provenance);
    for (const MinMax& part : m_samples->parts(0, m_samples->size(), kTableRows))
        table.rows.push_back({static_cast<double>(part.first) * m_info.secondsPerSample,
                              static_cast<double>(part.count), part.any() ? ChartCell(part.low) : ChartCell(),
                              part.any() ? ChartCell(part.high) : ChartCell(), provenance});
    return table;
}

PlotAxes TracePlot::axes() const
{
    PlotAxes axes;
    if (empty()) {
        axes.x.shown = axes.y.shown = axes.x.grid = axes.y.grid = false;
        return axes;
    }
    const MinMax all = m_samples->all();
    axes.x.scale.max = static_cast<double>(m_samples->size()) * m_info.secondsPerSample;
    axes.x.title = titled(tr("time"), kSeconds);
    axes.x.zoom = true;
    axes.y.scale = makeScale(ParamScale::Linear, {all.low, all.high}, true);
    axes.y.title = titled(m_info.valueTitle, m_info.unit);
    return axes;
}

double TracePlot::timeOf(const MinMax& part) const
{
    return (static_cast<double>(part.first) + static_cast<double>(part.count - 1) / 2) * m_info.secondsPerSample;
}

void TracePlot::layout(const PlotFrame& frame)
{
    const auto index = [&](double seconds) {
        return static_cast<std::size_t>(
            std::clamp(seconds / m_info.secondsPerSample, 0.0, static_cast<double>(m_samples->size())));
    };
    // One sample beyond either edge, so that the line runs on to it.
    const std::size_t first = index(frame.x.min), last = index(frame.x.max) + 2;
    m_shown =
        m_samples->parts(first > 0 ? first - 1 : 0, last, static_cast<std::size_t>(std::max(16.0, frame.plot.width())));
}

std::vector<PlotCurve> TracePlot::curves(const PlotFrame& frame) const
{
    PlotCurve curve{seriesPen(frame.theme, 0, m_info.provenance), {}};
    curve.pen.setWidthF(m_shown.size() * 2 > static_cast<std::size_t>(frame.plot.width()) ? 1 : 2);
    curve.points.reserve(static_cast<qsizetype>(m_shown.size()) * 2);
    float last = 0;
    for (const MinMax& part : m_shown) {
        if (!part.any())
            continue;
        // From the nearer extreme to the farther one, so that a steady slope stays a line.
        const bool up = std::abs(part.low - last) <= std::abs(part.high - last);
        curve.points.append({timeOf(part), up ? part.low : part.high});
        if (part.low < part.high)
            curve.points.append({timeOf(part), up ? part.high : part.low});
        last = up ? part.high : part.low;
    }
    return {std::move(curve)};
}

void TracePlot::paint(QPainter&, const PlotFrame&, PlotCursor) const
{
    // The curve is Qt Charts'; single samples need no marks.
}

std::vector<int> TracePlot::groups() const
{
    return {static_cast<int>(m_shown.size())};
}

std::optional<QRectF> TracePlot::outline(const PlotFrame& frame, PlotCursor at) const
{
    const MinMax& part = m_shown[static_cast<std::size_t>(at.point)];
    if (!part.any())
        return std::nullopt;
    const double x = frame.placeX(timeOf(part));
    return QRectF(QPointF(x - 6, frame.placeY(part.high) - 6), QPointF(x + 6, frame.placeY(part.low) + 6));
}

QString TracePlot::pointText(PlotCursor at) const
{
    const MinMax& part = m_shown[static_cast<std::size_t>(at.point)];
    const QString when = quantity(timeOf(part), kSeconds);
    if (!part.any())
        return tr("%1: no number").arg(when);
    if (part.count == 1)
        return tr("%1: %2").arg(when, quantity(part.low, m_info.unit));
    return tr("%1: %2 to %3 in %4 samples")
        .arg(when, quantity(part.low, m_info.unit), quantity(part.high, m_info.unit))
        .arg(part.count);
}

PlotCursor TracePlot::hit(const PlotFrame& frame, QPointF at) const
{
    if (m_shown.empty() || !frame.plot.contains(at))
        return {};
    const double time = frame.x.valueAt((at.x() - frame.plot.left()) / frame.plot.width());
    const auto found = std::lower_bound(m_shown.begin(), m_shown.end(), time,
                                        [&](const MinMax& part, double when) { return timeOf(part) < when; });
    return {0, static_cast<int>(
                   std::min<std::ptrdiff_t>(found - m_shown.begin(), static_cast<std::ptrdiff_t>(m_shown.size()) - 1))};
}

LiveChart::LiveChart(Theme& theme, TraceInfo info, std::shared_ptr<SampleStream> stream, QWidget* parent)
    : PlotChart(theme, parent), m_stream(std::move(stream)), m_samples(std::make_shared<MinMaxPyramid>()),
      m_timer(new QTimer(this))
{
    setPlot(std::make_shared<TracePlot>(std::move(info), m_samples));
    m_timer->setInterval(kPictureMs);
    connect(m_timer, &QTimer::timeout, this, &LiveChart::drain);
    m_timer->start();
}

void LiveChart::drain()
{
    const std::vector<float> came = m_stream->take();
    if (came.empty())
        return;
    m_samples->append(came);
    if (m_untilWords-- > 0)
        return redraw();
    m_untilWords = kWordsEvery;
    refresh();
}

} // namespace ridge::app

#include "moc_live_chart.cpp"
