// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/drawing/scenes/lanes_picture.h"

#include "app/drawing/scenes/scene_text.h"
#include "app/drawing/scenes/trace_tones.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>

namespace ridge::app {
namespace {

constexpr double kLeastPitch = 2, kMostPitch = 22; ///< px of a row; the latter at 100 % text
constexpr double kCounterHeight = 32;
constexpr double kHeading = 18;
constexpr double kLetterWidth = 12;
constexpr std::size_t kMostArrows = 160;
constexpr std::size_t kMostSame = 400;
constexpr int kLooks = 8; ///< spans of a pixel among which the longest is sought

QString tr(const char* words)
{
    return QCoreApplication::translate("ridge::app::LanesScene", words);
}

} // namespace

QString spanName(const LaneTrace& trace, std::uint32_t span)
{
    const LaneSpan& own = trace.spans[span];
    const QString label = own.label != 0 ? text(trace.texts[own.label]) : text(trace.states[own.state].name);
    return tr("%1 on %2").arg(label, text(trace.lanes[own.lane].name));
}

QString spanTold(const LaneIndex& index, std::uint32_t span)
{
    const LaneTrace& trace = index.trace();
    const LaneSpan& own = trace.spans[span];
    QString said = tr("%1 from %2 to %3, %4 long")
                       .arg(text(trace.states[own.state].name), numberText(own.begin), numberText(own.end, trace.unit),
                            numberText(own.end - own.begin, trace.unit));
    if (own.id != 0)
        said += tr("; id %1").arg(groupedText(static_cast<double>(own.id)));
    said += QLatin1Char('.');
    const LaneIndex::Row& row = index.rows()[index.rowOf(span)];
    const auto place = std::lower_bound(row.spans.begin(), row.spans.end(), span);
    if (place != row.spans.begin() && place != row.spans.end()) {
        const LaneSpan& before = trace.spans[*std::prev(place)];
        if (own.begin > before.end)
            said += tr(" The lane was free for %1 before it.").arg(numberText(own.begin - before.end, trace.unit));
    }
    QStringList waited, led;
    for (const std::uint32_t at : index.arrowsOf(span)) {
        const LaneArrow& arrow = trace.arrows[at];
        if (arrow.to == span)
            waited << spanName(trace, arrow.from);
        else
            led << spanName(trace, arrow.to);
    }
    if (!waited.isEmpty())
        said += tr(" After %1.").arg(waited.mid(0, 3).join(QStringLiteral(", ")));
    if (!led.isEmpty())
        said += tr(" Before %1.").arg(led.mid(0, 3).join(QStringLiteral(", ")));
    return said;
}

double LanesPicture::draw()
{
    m_y = m_b.top();
    head();
    layOut();
    axis();
    lanes();
    arrows();
    marks();
    cursor();
    answer();
    legend();
    return m_y;
}

double LanesPicture::around(const LaneIndex& index, double width, double textScale)
{
    SceneBuilder builder(QSizeF(width, 0), textScale);
    const double legend = builder.letterKeysHeight(builder.width(), legendOf(index.trace().states));
    return 2 * SceneBuilder::kMargin + 4 * space::s + textScale * (22 + 64 + 18 + 20 + 40) + legend;
}

double LanesPicture::lanesHeight(const LaneIndex& index, double textScale)
{
    double high = 0;
    const auto& lanes = index.trace().lanes;
    for (std::size_t lane = 0; lane < lanes.size(); ++lane)
        high += !lanes[lane].group.empty() && (lane == 0 || lanes[lane - 1].group != lanes[lane].group)
                    ? kHeading * textScale
                    : 0;
    return high + static_cast<double>(index.rows().size()) * 18 * textScale +
           static_cast<double>(index.trace().counters.size()) * kCounterHeight * textScale;
}

double LanesPicture::below() const
{
    return m_b.text(20 + 40) + 3 * space::s + m_b.letterKeysHeight(m_b.width(), legendOf(m_trace.states));
}

void LanesPicture::head()
{
    const double line = m_b.text(22);
    m_b.label(QRectF(m_b.left(), m_y, m_b.width(), line), cutText(m_b, text(m_trace.title), m_b.width(), 14),
              TextStyle::Strong, Role::Text, Qt::AlignLeft | Qt::AlignVCenter);
    m_y += line;
    const double now = m_state.progress * m_index.end();
    std::size_t busy = 0;
    for (std::uint32_t lane = 0; lane < m_trace.lanes.size(); ++lane) {
        bool any = false;
        for (std::size_t row = m_index.firstRow(lane); row < m_index.firstRow(lane + 1); ++row) {
            const std::uint32_t span = m_index.at(m_index.rows()[row], now);
            any = any || (span != LaneTraceBuilder::kNone &&
                          m_trace.states[m_trace.spans[span].state].color != TraceColor::Idle);
        }
        busy += any ? 1 : 0;
    }
    const auto kept = static_cast<double>(m_trace.spans.size());
    m_y = m_b.counters({m_b.left(), m_y}, m_b.width(),
                       {{QStringLiteral("end"), numberText(m_index.end(), m_trace.unit), tr("in all"), 1},
                        {QStringLiteral("spans"), groupedText(kept),
                         m_trace.spansInAll > m_trace.spans.size()
                             ? tr("spans: the first of %1").arg(groupedText(static_cast<double>(m_trace.spansInAll)))
                             : tr("spans on %1 lanes").arg(m_trace.lanes.size()),
                         1},
                        {QStringLiteral("busy"), tr("%1 of %2").arg(busy).arg(m_trace.lanes.size()),
                         tr("lanes are busy at %1").arg(numberText(now, m_trace.unit)), 1.2}}) +
          space::s;
}

bool LanesPicture::headed(std::uint32_t lane) const
{
    const std::string& group = m_trace.lanes[lane].group;
    return !group.empty() && (lane == m_first || m_trace.lanes[lane - 1].group != group);
}

double LanesPicture::laneHeight(std::uint32_t lane) const
{
    const auto rows = static_cast<double>(m_index.firstRow(lane + 1) - m_index.firstRow(lane));
    const auto counters = static_cast<double>(m_counters[lane].second - m_counters[lane].first);
    return rows * m_pitch + counters * m_b.text(kCounterHeight);
}

/// All lanes as high as they fit. Magnified time makes them higher, so that words fit; then those round state.down are
/// shown.
void LanesPicture::layOut()
{
    double names = m_b.textWidth(text(m_trace.unit), 11);
    for (const Lane& lane : m_trace.lanes)
        names = std::max(names, m_b.textWidth(text(lane.name), 11));
    for (const LaneCounter& counter : m_trace.counters)
        names = std::max(names, m_b.textWidth(text(counter.name), 11));
    for (std::size_t each = 0; each < m_trace.counters.size(); ++each)
        names = std::max(names, m_b.textWidth(rangeText(each), 11));
    m_left = std::round(m_b.left() + std::min(names + space::m, m_b.width() * 0.25));
    m_wide = std::max(100.0, std::floor(m_b.left() + m_b.width() - m_left));
    m_right = m_left + m_wide;
    m_counters.assign(m_trace.lanes.size(), {0, 0});
    for (std::size_t at = 0, lane = 0; lane < m_trace.lanes.size(); ++lane) {
        m_counters[lane].first = at;
        while (at < m_trace.counters.size() && m_trace.counters[at].lane == lane)
            ++at;
        m_counters[lane].second = at;
    }
    const double room = m_b.bottom() - below() - m_y - m_b.text(18);
    double fixed = 0;
    for (std::uint32_t lane = 0; lane < m_trace.lanes.size(); ++lane)
        fixed += headed(lane) ? m_b.text(kHeading) : 0;
    fixed += static_cast<double>(m_trace.counters.size()) * m_b.text(kCounterHeight);
    const auto rows = static_cast<double>(m_index.rows().size());
    const double most = m_b.text(kMostPitch);
    const double fit = std::clamp(std::floor((room - fixed) / rows), kLeastPitch, most);
    m_pitch = std::floor(std::clamp(fit / (m_state.to - m_state.from), fit, std::max(fit, m_b.text(16))));
    const auto lanes = static_cast<std::uint32_t>(m_trace.lanes.size());
    const double all = fixed + rows * m_pitch;
    if (all > room) {
        const double share = room / all, from = std::clamp(m_state.down - share / 2, 0.0, 1 - share) * all;
        double at = 0;
        while (m_first + 1 < lanes && at + laneHeight(m_first) <= from + 1e-6)
            at += laneHeight(m_first++);
    }
    double used = 0;
    const auto next = [&](std::uint32_t lane) { return laneHeight(lane) + (headed(lane) ? m_b.text(kHeading) : 0); };
    for (m_end = m_first; m_end < lanes && (m_end == m_first || used + next(m_end) <= room + 1e-6); ++m_end)
        used += next(m_end);
    while (m_first > 0 && used + laneHeight(m_first - 1) + m_b.text(kHeading) <= room) // at the end no gap
        used += laneHeight(--m_first);
}

void LanesPicture::gutter(double top, double height, const QString& words, Role role)
{
    const double wide = m_left - m_b.left() - space::s;
    m_b.label(QRectF(m_b.left(), top, wide, height), cutText(m_b, words, wide, 11), TextStyle::Caption, role,
              Qt::AlignRight | Qt::AlignVCenter);
}

void LanesPicture::axis()
{
    m_axisTop = m_y;
    const double height = m_b.text(16), shown = perPixel() * m_wide;
    gutter(m_y, height, text(m_trace.unit), Role::Text3);
    const double wanted = shown / std::max(2.0, m_wide / m_b.text(100));
    const double power10 = std::floor(std::log10(wanted)), power = std::pow(10, power10);
    const double step = power * (wanted / power > 5 ? 10 : wanted / power > 2 ? 5 : wanted / power > 1 ? 2 : 1);
    for (double tick = std::ceil(begin() / step - 1e-9); tick * step <= begin() + shown; ++tick) {
        const double x = xOf(tick * step);
        m_b.fill(QRectF(std::clamp(std::round(x), m_left, m_right - 1), m_y + height - 3, 1, 5), Role::BorderStrong);
        const QString said = step >= 1 ? groupedText(tick * step)
                                       : QString::number(tick * step, 'f', static_cast<int>(-std::floor(power10)));
        if (x + 4 + m_b.textWidth(said, 11) < m_right)
            m_b.label(QRectF(x + 4, m_y, 120, height), said, TextStyle::Caption, Role::Text3,
                      Qt::AlignLeft | Qt::AlignVCenter);
    }
    m_y += m_b.text(18);
}

void LanesPicture::paint(double top, int row, int column, std::uint8_t tone)
{
    const int y = static_cast<int>(top - m_top) + row;
    if (y >= 0 && y < m_raster.rows && column >= 0 && column < m_raster.columns)
        m_raster.cells[static_cast<std::size_t>(y) * static_cast<std::size_t>(m_raster.columns) +
                       static_cast<std::size_t>(column)] = tone;
}

void LanesPicture::lanes()
{
    m_top = std::ceil(m_y);
    double high = 0;
    for (std::uint32_t lane = m_first; lane < m_end; ++lane)
        high += laneHeight(lane) + (headed(lane) ? m_b.text(kHeading) : 0);
    m_raster.columns = static_cast<int>(m_wide);
    m_raster.rows = std::max(1, static_cast<int>(high));
    m_raster.rect = QRectF(m_left, m_top, m_raster.columns, m_raster.rows);
    m_raster.ground = Role::Surface; // between lanes; a lane's own ground is a tone
    m_raster.tones = tonesOf(m_trace.states, words());
    m_raster.tones.push_back({Role::Surface2, 1});  // an idle lane
    m_raster.tones.push_back({Role::Series1, 0.3}); // below a counter's line
    m_raster.tones.push_back({Role::Series1, 1});   // the line
    m_raster.cells.assign(static_cast<std::size_t>(m_raster.columns) * static_cast<std::size_t>(m_raster.rows), 0);
    m_places.assign(m_index.rows().size(), {0, 0});
    m_y = m_top;
    for (std::uint32_t each = m_first; each < m_end; ++each)
        lane(each);
    m_bottom = m_y;
    m_b.raster(std::move(m_raster));
    m_b.plot(QRectF(m_left, m_axisTop, m_wide, m_bottom - m_axisTop));
}

void LanesPicture::lane(std::uint32_t lane)
{
    if (headed(lane)) {
        const double high = m_b.text(kHeading);
        m_b.label(QRectF(m_b.left(), m_y, m_b.width(), high),
                  cutText(m_b, text(m_trace.lanes[lane].group), m_b.width(), 11), TextStyle::Caption, Role::Text,
                  Qt::AlignLeft | Qt::AlignVCenter);
        m_b.fill(QRectF(m_left, std::round(m_y + high / 2), m_wide, 1), Role::Border);
        m_y += high;
    }
    const std::size_t from = m_index.firstRow(lane), to = m_index.firstRow(lane + 1);
    const double high = (m_pitch > 5 ? m_pitch - 2 : m_pitch > 3 ? m_pitch - 1 : m_pitch);
    const double top = m_y;
    for (std::size_t each = from; each < to; ++each) {
        m_places[each] = {m_y, high};
        row(each, m_y, high);
        m_y += m_pitch;
    }
    const double all = static_cast<double>(to - from) * m_pitch;
    std::uint32_t every = 1;
    for (const std::uint32_t next : {2U, 5U, 10U, 20U, 50U, 100U, 200U, 500U, 1000U})
        every = every * all < m_b.text(14) ? next : every;
    const bool chosen = m_state.row == static_cast<int>(lane) ||
                        (m_state.request < m_trace.spans.size() && m_trace.spans[m_state.request].lane == lane);
    if (lane % every == 0 || all >= m_b.text(14))
        gutter(top, std::max(all, 1.0), text(m_trace.lanes[lane].name), chosen ? Role::Text : Role::Text2);
    if (chosen)
        m_b.fill(QRectF(m_left - 6, top + all / 2 - std::max(5.0, high) / 2, 4, std::max(5.0, high)), Role::Series2, 1,
                 1);
    for (std::size_t each = from; each < to && words(); ++each)
        spanWords(each, m_places[each].first, high);
    instants(lane, top, all);
    for (std::size_t each = m_counters[lane].first; each < m_counters[lane].second; ++each) {
        counter(each, m_y, m_b.text(kCounterHeight));
        m_y += m_b.text(kCounterHeight);
    }
}

/// Each pixel shows the longest of the spans that it holds, so that nothing short is lost in an idle stretch.
void LanesPicture::row(std::size_t row, double top, double height)
{
    const LaneIndex::Row& own = m_index.rows()[row];
    const int columns = static_cast<int>(m_wide), rows = static_cast<int>(height);
    const auto idle = static_cast<std::uint8_t>(m_trace.states.size() + 1);
    std::vector<std::uint8_t> tones(static_cast<std::size_t>(columns), idle);
    const double wide = perPixel();
    for (int x = 0; x < columns; ++x) {
        const double from = begin() + x * wide, to = from + wide;
        std::size_t place = m_index.firstAfter(own, from);
        double best = -1;
        for (int looks = 0; looks < kLooks && place < own.spans.size(); ++looks, ++place) {
            const LaneSpan& span = m_trace.spans[own.spans[place]];
            if (span.begin >= to)
                break;
            const double within = std::min(span.end, to) - std::max(span.begin, from);
            if (within < 0 || within <= best)
                continue;
            best = within;
            const bool ground = m_trace.states[span.state].color == TraceColor::Idle;
            // A pixel of ground parts spans that are wide enough to be seen one by one.
            const bool parts = span.begin >= from && (span.end - span.begin) > 4 * wide;
            tones[static_cast<std::size_t>(x)] = ground || parts ? idle : static_cast<std::uint8_t>(span.state + 1);
        }
    }
    for (int y = 0; y < rows; ++y)
        for (int x = 0; x < columns; ++x)
            paint(top, y, x, tones[static_cast<std::size_t>(x)]);
    m_b.item(QStringLiteral("track.%1").arg(row),
             tr("%1, %2 spans").arg(text(m_trace.lanes[own.lane].name)).arg(own.spans.size()),
             QRectF(m_left, top, m_wide, height));
}

/// Labels where they fit, else the letter of the state.
void LanesPicture::spanWords(std::size_t row, double top, double height)
{
    const LaneIndex::Row& own = m_index.rows()[row];
    const double end = begin() + perPixel() * m_wide;
    for (std::size_t place = m_index.firstAfter(own, begin()); place < own.spans.size();) {
        const LaneSpan& span = m_trace.spans[own.spans[place]];
        if (span.begin >= end)
            break;
        const double left = std::max(m_left, xOf(span.begin)), right = std::min(m_right, xOf(span.end));
        if (right - left >= kLetterWidth) {
            const QString label = text(m_trace.texts[span.label]), letter = text(m_trace.states[span.state].letter);
            const QString said = m_b.textWidth(label, 11) + 4 <= right - left ? label : QString();
            m_b.label(QRectF(left, top, right - left, height), said.isEmpty() ? letter : said, TextStyle::Caption,
                      Role::Text);
        }
        // What is narrower than a letter is passed over a pixel at a time.
        place = std::max(place + 1, m_index.firstAfter(own, std::min(span.end, span.begin + perPixel())));
    }
}

void LanesPicture::instants(std::uint32_t lane, double top, double height)
{
    const auto [first, last] = m_index.instantsOf(lane);
    const auto begins = m_trace.instants.begin();
    const double end = begin() + perPixel() * m_wide;
    auto at = std::lower_bound(begins + static_cast<std::ptrdiff_t>(first), begins + static_cast<std::ptrdiff_t>(last),
                               begin(), [](const LaneInstant& each, double time) { return each.at < time; });
    const auto stop = begins + static_cast<std::ptrdiff_t>(last);
    while (at != stop && at->at <= end) {
        const double x = std::clamp(xOf(at->at), m_left + 1, m_right - 1);
        const Raster::Tone tone = toneOf(m_trace.states[at->state].color, false);
        m_b.fill(QRectF(x - 1, top, 2, height), tone.role, std::max(tone.alpha, 0.6));
        m_b.fill(QRectF(std::clamp(x - 3, m_left, m_right - 6), top, 6, std::min(6.0, height)), tone.role,
                 std::max(tone.alpha, 0.6), 3);
        const auto next = std::upper_bound(at, stop, at->at + 2 * perPixel(),
                                           [](double time, const LaneInstant& each) { return time < each.at; });
        const QString label = text(m_trace.texts[at->label]);
        const double until = next == stop ? m_right : std::min(m_right, xOf(next->at) - 4);
        const LaneIndex::Row& own = m_index.rows()[m_index.firstRow(lane)];
        const std::size_t place = m_index.firstAfter(own, at->at);
        const double room = place < own.spans.size() ? xOf(m_trace.spans[own.spans[place]].begin) : m_right;
        if (m_pitch >= m_b.text(13) && !label.isEmpty() && x + 6 + m_b.textWidth(label, 11) < std::min(until, room))
            m_b.label(QRectF(x + 5, top, until - x - 5, height), label, TextStyle::Caption, Role::Text,
                      Qt::AlignLeft | Qt::AlignVCenter);
        at = next;
    }
}

void LanesPicture::counter(std::size_t counter, double top, double height)
{
    const LaneCounter& own = m_trace.counters[counter];
    const LaneIndex::Extent whole = m_index.whole(counter);
    const double low = whole.least, high = whole.largest > whole.least ? whole.largest : whole.least + 1;
    const int rows = static_cast<int>(height) - 4, columns = static_cast<int>(m_wide);
    const auto line = static_cast<std::uint8_t>(m_trace.states.size() + 3);
    const auto yOf = [&](double value) {
        return std::clamp(static_cast<int>(std::lround((high - value) / (high - low) * (rows - 1))), 0, rows - 1);
    };
    int before = -1;
    for (int x = 0; x < columns; ++x) {
        const LaneIndex::Extent each =
            m_index.extent(counter, begin() + x * perPixel(), begin() + (x + 1) * perPixel());
        if (!each.any)
            continue;
        int upper = yOf(each.largest), lower = yOf(each.least);
        for (int y = lower; y < rows; ++y)
            paint(top + 2, y, x, static_cast<std::uint8_t>(line - 1));
        if (before >= 0) { // steps are joined
            upper = std::min(upper, before);
            lower = std::max(lower, before);
        }
        for (int y = upper; y <= lower; ++y)
            paint(top + 2, y, x, line);
        before = yOf(m_index.extent(counter, begin() + (x + 1) * perPixel(), begin() + (x + 1) * perPixel()).first);
    }
    const double words = m_b.text(15);
    gutter(top, words, text(own.name), Role::Text2);
    gutter(top + words, words, rangeText(counter), Role::Text3);
    m_b.item(QStringLiteral("counter.lane.%1").arg(counter),
             tr("%1 of %2: %3 to %4")
                 .arg(text(own.name), text(m_trace.lanes[own.lane].name), numberText(low, own.unit),
                      numberText(high, own.unit)),
             QRectF(m_left, top, m_wide, height));
}

QString LanesPicture::rangeText(std::size_t counter) const
{
    const LaneIndex::Extent whole = m_index.whole(counter);
    return numberText(whole.least, {}, 3) + QStringLiteral("–") +
           numberText(whole.largest, m_trace.counters[counter].unit, 3);
}

bool LanesPicture::words() const
{
    return m_pitch >= m_b.text(13) && m_index.usualLength() >= kLetterWidth * perPixel();
}

std::pair<double, double> LanesPicture::placeOf(std::uint32_t span) const
{
    return m_places[m_index.rowOf(span)];
}

void LanesPicture::marks()
{
    if (m_state.request >= m_trace.spans.size())
        return;
    const auto chosen = static_cast<std::uint32_t>(m_state.request);
    const auto frame = [&](std::uint32_t span, Role role, double pixels) {
        const auto [top, height] = placeOf(span);
        double left = std::max(m_left, xOf(m_trace.spans[span].begin)),
               right = std::min(m_right, xOf(m_trace.spans[span].end));
        if (height <= 0 || right < m_left || left > m_right || right < left)
            return;
        if (right - left < 3) {
            left = std::clamp((left + right) / 2 - 1.5, m_left, m_right - 3);
            right = left + 3;
        }
        m_b.outline(QRectF(left, top, right - left, height), role, std::min(pixels, height / 2));
    };
    for (const std::uint32_t span : m_index.sameId(m_trace.spans[chosen].id, kMostSame))
        if (span != chosen)
            frame(span, Role::Accent, 1.5);
    frame(chosen, Role::Text, 2);
}

void LanesPicture::arrow(const LaneArrow& arrow, bool chosen)
{
    const auto [fromTop, fromHeight] = placeOf(arrow.from);
    const auto [toTop, toHeight] = placeOf(arrow.to);
    if (fromHeight <= 0 || toHeight <= 0)
        return;
    QPointF from(xOf(m_trace.spans[arrow.from].end), fromTop + fromHeight / 2),
        to(xOf(m_trace.spans[arrow.to].begin), toTop + toHeight / 2);
    if (std::max(from.x(), to.x()) < m_left || std::min(from.x(), to.x()) > m_right)
        return;
    const bool headed = to.x() >= m_left && to.x() <= m_right;
    const QPointF whole = to - from;
    const auto clip = [&](QPointF& end) {
        const double x = std::clamp(end.x(), m_left, m_right);
        if (whole.x() != 0)
            end = {x, end.y() + (x - end.x()) * whole.y() / whole.x()};
    };
    clip(from);
    clip(to);
    const Role role = chosen ? Role::Text : Role::Text2;
    m_b.link(from, to, role, chosen ? 1.6 : 1, chosen ? 1 : 0.8);
    const double length = std::hypot(whole.x(), whole.y());
    if (!headed || length < 6)
        return;
    const QPointF along = whole / length, aside(-along.y(), along.x());
    for (const double side : {-1.0, 1.0})
        m_b.link(to, to - along * 6 + aside * 3 * side, role, chosen ? 1.6 : 1.2, chosen ? 1 : 0.8);
}

void LanesPicture::arrows()
{
    const auto chosen = static_cast<std::uint32_t>(m_state.request);
    const double end = begin() + perPixel() * m_wide;
    for (const std::uint32_t at : m_index.arrowsIn(begin(), end, kMostArrows, m_crowded))
        if (m_trace.arrows[at].from != chosen && m_trace.arrows[at].to != chosen)
            arrow(m_trace.arrows[at], false);
    if (chosen < m_trace.spans.size())
        for (const std::uint32_t at : m_index.arrowsOf(chosen))
            arrow(m_trace.arrows[at], true);
}

void LanesPicture::cursor()
{
    const double x = xOf(m_state.progress * m_index.end());
    if (x >= m_left && x <= m_right)
        m_b.fill(QRectF(std::clamp(std::round(x) - 1, m_left, m_right - 2), m_axisTop + m_b.text(10), 2,
                        m_bottom - m_axisTop - m_b.text(10)),
                 Role::Text);
}

void LanesPicture::answer()
{
    m_y = m_bottom + space::s;
    const double line = m_b.text(20);
    const QRectF all(m_b.left(), m_y, m_b.width(), line + m_b.text(40));
    if (m_state.request < m_trace.spans.size()) {
        const auto span = static_cast<std::uint32_t>(m_state.request);
        const QString who = spanName(m_trace, span), told = spanTold(m_index, span);
        m_b.label(QRectF(all.left(), all.top(), all.width(), line), cutText(m_b, who, all.width(), 14),
                  TextStyle::Strong, Role::Text, Qt::AlignLeft | Qt::AlignVCenter);
        m_b.paragraph(all.adjusted(0, line, 0, 0), cutText(m_b, told, all.width() * 2, 14), TextStyle::Body,
                      Role::Text2);
        m_b.item(QStringLiteral("answer"), who + QStringLiteral(": ") + told, all);
    }
    m_y = all.bottom() + space::s;
}

void LanesPicture::legend()
{
    m_y = m_b.letterKeys({m_b.left(), m_y}, m_b.width(), legendOf(m_trace.states));
    QStringList notes;
    if (m_crowded)
        notes << tr("too many arrows to show: magnify");
    if (m_end - m_first < m_trace.lanes.size())
        notes << tr("%1 of %2 lanes").arg(m_end - m_first).arg(m_trace.lanes.size());
    if (notes.isEmpty())
        return;
    // In the line of the time axis: the legend has no room that is certain.
    const QString said = notes.join(QStringLiteral(" · "));
    m_b.label(QRectF(m_b.left(), m_b.top(), m_b.width(), m_b.text(22)), said, TextStyle::Caption, Role::Text3,
              Qt::AlignRight | Qt::AlignVCenter);
}

} // namespace ridge::app
