// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/drawing/scenes/sm_timeline_picture.h"

#include "app/drawing/scenes/scene_text.h"
#include "app/drawing/scenes/warp_answer.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>
#include <numeric>

namespace ridge::app {
namespace {

constexpr int kStrengths = 4; ///< of a colour in the band of SMs
constexpr double kStripHeight = 26;
constexpr double kAnswerHeight = 74, kLargeAnswerHeight = 116; ///< four lines; six where large text wraps
constexpr double kLetterWidth = 13;                            ///< an interval narrower than this shows no letter

QString tr(const char* text)
{
    return QCoreApplication::translate("ridge::app::SmTimeline", text);
}

} // namespace

int smRowHeight(const LaunchView& view)
{
    const std::uint32_t sms = view.trace().chip.sms;
    return sms > 60 ? 1 : sms > 24 ? 2 : sms > 8 ? 5 : 10;
}

double TimelinePicture::draw()
{
    m_left = m_b.left();
    m_right = m_left + m_b.width();
    m_plotLeft = std::round(m_left + m_b.textWidth(QStringLiteral("slot 00")) + space::s);
    m_plotWidth = std::max(100.0, std::floor(m_right - m_plotLeft));
    m_y = m_b.top();
    const bool other = m_state.row >= 0 && m_state.row < static_cast<int>(m_trace.chip.sms) &&
                       m_state.row >= static_cast<int>(m_trace.watchedSms);
    m_watched = !other && m_state.request < m_trace.warps.size();
    m_sm = m_watched ? m_trace.warps[m_state.request].sm : static_cast<std::uint32_t>(std::max(0, m_state.row));
    counters();
    axis();
    smBand();
    m_watched ? slotBand() : unwatched();
    strip();
    cursor();
    m_b.plot(QRectF(m_plotLeft, m_axisTop, m_plotWidth, m_bandsBottom - m_axisTop));
    answer();
    legend();
    return m_y;
}

double TimelinePicture::answerHeight() const
{
    return m_b.text(1) > 1.25 ? kLargeAnswerHeight : kAnswerHeight;
}

double TimelinePicture::belowSlots() const
{
    return m_b.text(kStripHeight + 20 + answerHeight()) + m_b.letterKeysHeight(m_b.width(), legendKeys()) + space::xxl;
}

void TimelinePicture::counters()
{
    const GroupCycles cycles = m_view.ofLaunch();
    double sum = 0;
    for (const double each : cycles)
        sum += each;
    std::size_t worst = 1;
    for (std::size_t group = 1; group < kLivingGroups; ++group)
        worst = cycles[group] > cycles[worst] ? group : worst;
    const StateLook look = lookOf(static_cast<StateGroup>(worst));
    m_y =
        m_b.counters({m_left, m_y}, m_b.width(),
                     {{QStringLiteral("cycles"), groupedText(static_cast<double>(m_trace.cycles)),
                       m_trace.extrapolation.used
                           ? tr("cycles; %1 were simulated")
                                 .arg(groupedText(static_cast<double>(m_trace.extrapolation.simulatedCycles)))
                           : tr("cycles of the launch"),
                       1},
                      {QStringLiteral("issued"), percentText(cycles[0], sum), tr("of the warps' cycles they issue"), 1},
                      {QStringLiteral("worst"), percentText(cycles[worst], sum),
                       tr("the largest wait: %1 (%2)").arg(look.name, QString(look.letter)), 1.4}}) +
        space::s;
}

void TimelinePicture::gutter(double top, double height, const QString& text, Role role)
{
    m_b.label(QRectF(m_left, top, m_plotLeft - m_left - space::s, height), text, TextStyle::Caption, role,
              Qt::AlignRight | Qt::AlignVCenter);
}

/// A tick in the gutter: an outline would hide the neighbours of a row of one pixel.
void TimelinePicture::mark(QRectF row)
{
    const double height = std::max(5.0, row.height());
    m_b.fill(QRectF(m_plotLeft - 6, row.center().y() - height / 2, 4, height), Role::Series2, 1, 1);
}

void TimelinePicture::axis()
{
    m_axisTop = m_y;
    const double height = m_b.text(16);
    gutter(m_y, height, tr("cycle"), Role::Text3);
    const double shown = perPixel() * m_plotWidth;
    const double wanted = shown / std::max(2.0, m_plotWidth / 110);
    const double power = std::pow(10, std::floor(std::log10(std::max(1.0, wanted))));
    const double step = std::max(1.0, power * (wanted / power > 5   ? 10
                                               : wanted / power > 2 ? 5
                                               : wanted / power > 1 ? 2
                                                                    : 1));
    for (double cycle = std::ceil(begin() / step) * step; cycle <= begin() + shown; cycle += step) {
        const double x = xOf(cycle);
        m_b.fill(QRectF(std::round(x), m_y + height - 3, 1, 5), Role::BorderStrong);
        if (x + m_b.textWidth(groupedText(cycle)) < m_right)
            m_b.label(QRectF(x + 4, m_y, 120, height), groupedText(cycle), TextStyle::Caption, Role::Text3,
                      Qt::AlignLeft | Qt::AlignVCenter);
    }
    m_y += height + 2;
}

/// The state that most warps are in, stronger the more slots are filled.
std::uint8_t TimelinePicture::smCell(const GroupCycles& cycles)
{
    std::size_t most = 0;
    double filled = 0, all = 0;
    for (std::size_t group = 0; group < kStateGroups; ++group) {
        all += cycles[group];
        if (group >= kLivingGroups)
            continue;
        filled += cycles[group];
        most = cycles[group] > cycles[most] ? group : most;
    }
    if (filled <= 0.002 * all)
        return 0;
    const int strength = std::clamp(static_cast<int>(std::ceil(kStrengths * filled / all - 1e-6)), 1, kStrengths);
    return static_cast<std::uint8_t>(1 + most * kStrengths + strength - 1);
}

void TimelinePicture::smBand()
{
    const auto sms = static_cast<int>(m_trace.chip.sms);
    const int each = smRowHeight(m_view);
    Raster raster;
    raster.columns = static_cast<int>(m_plotWidth);
    raster.rows = sms;
    raster.rect = QRectF(m_plotLeft, m_y, raster.columns, sms * each);
    for (std::size_t group = 0; group < kLivingGroups; ++group)
        for (int strength = 1; strength <= kStrengths; ++strength) {
            const StateLook look = lookOf(static_cast<StateGroup>(group));
            raster.tones.push_back({look.role, look.alpha * strength / kStrengths});
        }
    raster.cells.assign(static_cast<std::size_t>(raster.columns) * raster.rows, 0);
    for (int sm = 0; sm < sms; ++sm)
        for (int x = 0; x < raster.columns; ++x) {
            std::uint8_t* cell = &raster.cells[static_cast<std::size_t>(sm) * raster.columns + x];
            const double from = begin() + x * perPixel(), to = from + perPixel();
            const bool same = x > 0 && m_view.bucketOf(from - perPixel()) == m_view.bucketOf(to);
            *cell = same ? cell[-1] : smCell(m_view.ofSm(static_cast<std::uint32_t>(sm), from, to));
        }
    const QRectF band = raster.rect;
    const double shown = perPixel() * m_plotWidth;
    m_b.raster(std::move(raster));
    for (int sm = 0; sm < sms; ++sm)
        m_b.item(QStringLiteral("sm.%1").arg(sm),
                 tr("SM %1: %2")
                     .arg(sm)
                     .arg(sharesText(m_view.ofSm(static_cast<std::uint32_t>(sm), begin(), begin() + shown), 4)),
                 QRectF(m_plotLeft, m_y + sm * each, m_plotWidth, each));
    gutter(m_y, std::min(band.height(), m_b.text(16)), tr("%1 SMs").arg(sms));
    mark(QRectF(m_plotLeft, m_y + m_sm * each, m_plotWidth, each));
    m_y = band.bottom() + space::m;
}

/// Each pixel column of a slot is divided from below as the slot's cycles are.
void TimelinePicture::slotRow(std::uint32_t slot, int top, int rows, Raster& raster) const
{
    const std::vector<std::size_t>& tracks = m_view.tracksOf(m_sm, slot);
    const double width = perPixel(), end = begin() + width * raster.columns;
    std::vector<GroupCycles> columns(static_cast<std::size_t>(raster.columns));
    for (std::size_t at = 0; at < tracks.size(); ++at) {
        m_view.addWarp(tracks[at], begin(), width, columns);
        const WarpTrack& warp = m_trace.warps[tracks[at]];
        const double next = at + 1 < tracks.size()
                                ? static_cast<double>(m_trace.warps[tracks[at + 1]].intervals.front().begin)
                                : m_view.cycles();
        const double over = std::max<double>(begin(), warp.intervals.back().end());
        const double gone = std::min({static_cast<double>(m_view.blockEnd(tracks[at])), next, end});
        for (double from = over; warp.whole && from < gone;) {
            const auto column = std::min(static_cast<std::size_t>((from - begin()) / width), columns.size() - 1);
            const double to =
                std::min(gone, std::max(from + 1e-6 * width, begin() + width * static_cast<double>(column + 1)));
            columns[column][static_cast<std::size_t>(StateGroup::Done)] += to - from;
            from = to;
        }
    }
    for (int x = 0; x < raster.columns; ++x) {
        GroupCycles& cycles = columns[static_cast<std::size_t>(x)];
        cycles[static_cast<std::size_t>(StateGroup::Idle)] =
            std::max(0.0, width - std::accumulate(cycles.begin(), cycles.end(), 0.0));
        double reached = 0;
        std::size_t group = 0;
        for (int row = 0; row < rows; ++row) {
            const double wanted = (row + 0.5) / rows * width;
            while (group + 1 < kStateGroups && reached + cycles[group] < wanted)
                reached += cycles[group++];
            raster.cells[static_cast<std::size_t>(top + rows - 1 - row) * raster.columns + x] =
                group == static_cast<std::size_t>(StateGroup::Idle) ? 0 : static_cast<std::uint8_t>(group + 1);
        }
    }
}

void TimelinePicture::slotBand()
{
    std::vector<std::uint32_t> used; // a slot in which nobody ever was says nothing
    for (std::uint32_t slot = 0; slot < m_view.slotsOf(m_sm); ++slot)
        if (!m_view.tracksOf(m_sm, slot).empty())
            used.push_back(slot);
    const auto slots = static_cast<int>(used.size());
    const double room = m_b.bottom() - m_y - belowSlots();
    const int pitch = std::clamp(static_cast<int>(room) / std::max(1, slots), 3, 26);
    const int rows = pitch > 5 ? pitch - 1 : pitch;
    Raster raster;
    raster.columns = static_cast<int>(m_plotWidth);
    raster.rows = slots * pitch;
    raster.rect = QRectF(m_plotLeft, m_y, raster.columns, raster.rows);
    for (std::size_t group = 0; group < static_cast<std::size_t>(StateGroup::Idle); ++group) {
        const StateLook look = lookOf(static_cast<StateGroup>(group));
        raster.tones.push_back({look.role, look.alpha});
    }
    raster.cells.assign(static_cast<std::size_t>(raster.columns) * raster.rows, 0);
    const WarpTrack& chosen = m_trace.warps[m_state.request];
    const int every = std::max(1, static_cast<int>(std::ceil(m_b.text(14) / pitch)));
    for (int row = 0; row < slots; ++row) {
        const std::uint32_t slot = used[static_cast<std::size_t>(row)];
        slotRow(slot, row * pitch, rows, raster);
        const QRectF rect(m_plotLeft, m_y + row * pitch, m_plotWidth, rows);
        m_b.item(QStringLiteral("slot.%1.%2").arg(m_sm).arg(slot), tr("SM %1, warp slot %2").arg(m_sm).arg(slot), rect);
        if (row % every == 0)
            gutter(rect.top(), rows, tr("slot %1").arg(slot), slot == chosen.slot ? Role::Text : Role::Text3);
        if (slot == chosen.slot)
            mark(rect);
    }
    const QRectF band = raster.rect;
    m_b.raster(std::move(raster));
    const std::uint64_t until = m_trace.watchedUntil[m_sm];
    if (static_cast<double>(until) < m_view.cycles() && xOf(static_cast<double>(until)) < m_right) {
        const double x = std::max(m_plotLeft, xOf(static_cast<double>(until)));
        m_b.hatch(QRectF(x, m_y, m_right - x, band.height()), Role::Text3);
        if (m_right - x > m_b.textWidth(tr("not watched")))
            m_b.label(QRectF(x, m_y, m_right - x, band.height()), tr("not watched"), TextStyle::Caption, Role::Text);
    }
    m_y = band.bottom() + space::s;
}

void TimelinePicture::unwatched()
{
    const QRectF box(m_plotLeft, m_y, m_plotWidth, m_b.text(60));
    m_b.outline(box, Role::Border, 1, kControlRadius);
    m_b.paragraph(box.adjusted(space::m, 0, -space::m, 0),
                  m_trace.watchedSms == 0
                      ? tr("This kernel is too large to be watched warp by warp.")
                      : tr("SM %1 was not watched warp by warp; SMs 0 to %2 were. Its states over time are in the row "
                           "above: %3.")
                            .arg(m_sm)
                            .arg(m_trace.watchedSms - 1)
                            .arg(sharesText(m_view.ofSm(m_sm, 0, m_view.cycles()), 5)),
                  TextStyle::Body, Role::Text2);
    m_y = box.bottom() + space::s;
}

/// The chosen warp alone: letters and instructions where they fit.
void TimelinePicture::strip()
{
    const double height = m_b.text(kStripHeight);
    m_bandsBottom = m_y;
    if (!m_watched)
        return;
    const WarpTrack& warp = m_trace.warps[m_state.request];
    gutter(m_y, height, tr("warp %1").arg(warp.warp), Role::Text);
    const double end = begin() + perPixel() * m_plotWidth;
    Raster raster;
    raster.columns = static_cast<int>(m_plotWidth);
    raster.rows = static_cast<int>(height);
    raster.rect = QRectF(m_plotLeft, m_y, raster.columns, raster.rows);
    for (std::size_t group = 0; group < static_cast<std::size_t>(StateGroup::Idle); ++group) {
        const StateLook look = lookOf(static_cast<StateGroup>(group));
        raster.tones.push_back({look.role, group == 0 ? 0.45 : look.alpha * 0.45}); // words stand on it
    }
    raster.cells.assign(static_cast<std::size_t>(raster.columns) * raster.rows, 0);
    slotRow(warp.slot, 0, raster.rows, raster);
    m_b.raster(std::move(raster));
    if (perPixel() * 1.5 * m_plotWidth < 40000) { // else nothing is wide enough for a letter
        for (std::ptrdiff_t at = std::max<std::ptrdiff_t>(0, m_view.intervalAt(m_state.request, begin()));
             at < static_cast<std::ptrdiff_t>(warp.intervals.size()); ++at) {
            const WarpInterval& interval = warp.intervals[static_cast<std::size_t>(at)];
            if (interval.begin > end)
                break;
            const double left = std::max(m_plotLeft, xOf(interval.begin)),
                         right = std::min(m_right, xOf(interval.end()));
            if (right - left < kLetterWidth)
                continue;
            const QString op = QString::fromStdString(m_trace.machine[interval.op].text);
            const QString letter(lookOf(m_view.groupOfState(interval.state)).letter);
            const QString both = letter + QLatin1Char(' ') + op;
            const bool wide = right - left > m_b.textWidth(both, 11) + 6;
            m_b.fill(QRectF(std::round(left), m_y, 1, height), Role::Surface);
            m_b.label(QRectF(left, m_y, right - left, height), wide ? both : letter, TextStyle::Caption, Role::Text);
        }
    }
    m_b.item(QStringLiteral("warp.%1").arg(m_state.request),
             tr("warp %1 of block %2: %3")
                 .arg(warp.warp)
                 .arg(warp.block)
                 .arg(sharesText(m_view.ofWarp(m_state.request, begin(), end), 4)),
             QRectF(m_plotLeft, m_y, m_plotWidth, height));
    m_y += height;
    m_bandsBottom = m_y;
}

void TimelinePicture::cursor()
{
    const double x = xOf(m_state.progress * m_view.cycles());
    if (x >= m_plotLeft && x <= m_right)
        m_b.fill(QRectF(std::clamp(std::round(x) - 1, m_plotLeft, m_right - 2), m_axisTop + m_b.text(10), 2,
                        m_bandsBottom - m_axisTop - m_b.text(10)),
                 Role::Text);
}

void TimelinePicture::answer()
{
    m_y += space::m;
    if (!m_watched)
        return;
    const WarpAnswer told = answerFor(m_view, m_state.request, m_state.progress * m_view.cycles());
    const double line = m_b.text(18);
    m_b.label(QRectF(m_left, m_y, m_b.width(), line), told.who, TextStyle::Strong, Role::Text,
              Qt::AlignLeft | Qt::AlignVCenter);
    QString rest;
    for (const QString& part : {told.what, told.why, told.remedy})
        rest += part.isEmpty() ? QString() : (rest.isEmpty() ? part : QLatin1Char(' ') + part);
    const QRectF words(m_left, m_y + line + 2, m_b.width(), m_b.text(answerHeight()));
    m_b.paragraph(words, rest, TextStyle::Body, Role::Text2);
    m_b.item(QStringLiteral("answer"), told.text(), QRectF(m_left, m_y, m_b.width(), words.bottom() - m_y));
    m_y = words.bottom() + space::s;
}

std::vector<SceneBuilder::LetterKey> TimelinePicture::legendKeys()
{
    std::vector<SceneBuilder::LetterKey> keys;
    for (std::size_t group = 0; group < kStateGroups; ++group) {
        const StateLook look = lookOf(static_cast<StateGroup>(group));
        keys.push_back(
            {look.letter, look.role, group == static_cast<std::size_t>(StateGroup::Idle) ? 0 : look.alpha, look.name});
    }
    return keys;
}

void TimelinePicture::legend()
{
    const std::vector<SceneBuilder::LetterKey> keys = legendKeys();
    m_y = std::max(m_y, m_b.bottom() - m_b.letterKeysHeight(m_b.width(), keys));
    m_y = m_b.letterKeys({m_b.left(), m_y}, m_b.width(), keys);
}

} // namespace ridge::app
