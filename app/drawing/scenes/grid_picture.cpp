// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/drawing/scenes/grid_picture.h"

#include "app/drawing/scenes/scene_text.h"
#include "app/drawing/scenes/trace_tones.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>

namespace ridge::app {
namespace {

constexpr int kRamp = 60;        ///< tones of a ramp, half of them below zero where it has two sides
constexpr double kMostWide = 72; ///< px of a cell
constexpr double kMostHigh = 26; ///< … at 100 % text
constexpr double kMostSquare = 46;
constexpr double kStripHeight = 22;
constexpr std::size_t kMostItems = 512; ///< cells with an item of their own
constexpr std::size_t kMostMarks = 2048;

QString tr(const char* words)
{
    return QCoreApplication::translate("ridge::app::GridScene", words);
}

} // namespace

QString cellName(const GridTrace& trace, std::uint32_t cell)
{
    const std::uint32_t row = cell / trace.columns, column = cell % trace.columns;
    const auto one = [](const std::string& title, const std::vector<std::string>& names, std::uint32_t at) {
        return names.empty() ? QStringLiteral("%1 %2").arg(text(title)).arg(at) : text(names[at]);
    };
    const QString place = one(trace.columnTitle, trace.columnNames, column) + QStringLiteral(", ") +
                          one(trace.rowTitle, trace.rowNames, row);
    return trace.cellNames.empty() ? place : QStringLiteral("%1 (%2)").arg(text(trace.cellNames[cell]), place);
}

QString stepName(const GridTrace& trace, std::size_t step)
{
    const GridStep& own = trace.steps[step];
    return own.name.empty()
               ? QStringLiteral("%1 %2").arg(text(trace.stepUnit), groupedText(static_cast<double>(own.at)))
               : text(own.name);
}

QString cellContent(const GridTrace& trace, const GridMoment& moment, std::uint32_t cell)
{
    QStringList parts;
    if (!trace.states.empty())
        parts << text(trace.states[moment.states[cell]].name);
    if (moment.last[cell] != GridMoment::kNever && trace.changes[moment.last[cell]].text != 0)
        parts << text(trace.texts[trace.changes[moment.last[cell]].text]);
    if (trace.value)
        parts << numberText(static_cast<double>(moment.values[cell]), trace.value->unit);
    return parts.join(QStringLiteral(", "));
}

QString cellTold(const GridHistory& history, const GridMoment& moment, std::uint32_t cell)
{
    const GridTrace& trace = history.trace();
    const QString head = cellName(trace, cell) + QStringLiteral(": ") + cellContent(trace, moment, cell);
    const std::uint32_t last = moment.last[cell];
    if (last == GridMoment::kNever)
        return head + tr(". Nothing has changed it yet.");
    const QString since = tr(". Last changed at %1").arg(stepName(trace, history.stepOf(last)));
    const std::uint32_t note = trace.changes[last].note;
    return head + since + (note != 0 ? QStringLiteral(": ") + text(trace.texts[note]) : QString()) + QLatin1Char('.');
}

std::size_t shownStep(const GridTrace& trace, const SceneState& state)
{
    const auto last = static_cast<double>(trace.steps.size() - 1);
    return static_cast<std::size_t>(std::clamp(std::round(state.progress * last), 0.0, last));
}

double progressOf(const GridTrace& trace, std::size_t step)
{
    return trace.steps.size() < 2 ? 1 : static_cast<double>(step) / static_cast<double>(trace.steps.size() - 1);
}

GridPicture::GridPicture(const GridHistory& history, const SceneState& state, SceneBuilder& builder)
    : m_history(history), m_trace(history.trace()), m_state(state), m_b(builder), m_step(shownStep(m_trace, state)),
      m_now(history.at(m_step))
{
}

double GridPicture::draw()
{
    m_y = m_b.top();
    head();
    layOut();
    axes();
    map();
    words();
    marks();
    items();
    strip();
    answer();
    legend();
    return m_y;
}

/// One line, two where the longest caption of the trace needs them: the map stands still while it is stepped.
static int captionLines(const GridHistory& history, double width, double textScale)
{
    const std::size_t longest = history.longestCaption();
    if (longest == 0)
        return 0;
    return static_cast<double>(longest) * 14 * 0.56 * textScale > width ? 2 : 1;
}

double GridPicture::around(const GridHistory& history, double width, double textScale)
{
    SceneBuilder builder(QSizeF(width, 0), textScale);
    const double legend = builder.letterKeysHeight(builder.width(), legendOf(history.trace().states));
    return 2 * SceneBuilder::kMargin + space::s * 5 + space::xs + textScale * (22 + 64 + 16) +
           captionLines(history, builder.width(), textScale) * 20 * textScale + kStripHeight +
           textScale * (16 + 20 + 40) + std::max(legend, 18 * textScale);
}

double GridPicture::below() const
{
    const double keys = valued() ? m_b.text(18) : m_b.letterKeysHeight(m_b.width(), legendOf(m_trace.states));
    return 3 * space::s + kStripHeight + m_b.text(16 + 20 + 40) + std::max(keys, m_b.text(18));
}

void GridPicture::head()
{
    const double line = m_b.text(22);
    m_b.label(QRectF(m_b.left(), m_y, m_b.width(), line), cutText(m_b, text(m_trace.title), m_b.width(), 14),
              TextStyle::Strong, Role::Text, Qt::AlignLeft | Qt::AlignVCenter);
    m_y += line;
    const auto steps = static_cast<double>(m_trace.steps.size());
    const QString of = m_trace.stepsInAll > m_trace.steps.size()
                           ? tr("step %1 of the first %2; %3 in all")
                                 .arg(groupedText(static_cast<double>(m_step + 1)), groupedText(steps),
                                      groupedText(static_cast<double>(m_trace.stepsInAll)))
                           : tr("step %1 of %2").arg(groupedText(static_cast<double>(m_step + 1)), groupedText(steps));
    QList<SceneBuilder::Counter> list = {{QStringLiteral("step"), stepName(m_trace, m_step), of, 1.4}};
    if (valued()) {
        const auto [least, largest] = std::minmax_element(m_now.values.begin(), m_now.values.end());
        double sum = 0;
        for (const float value : m_now.values)
            sum += static_cast<double>(value);
        const std::string& unit = m_trace.value->unit;
        const auto one = [&](const char* id, double value, const QString& name) {
            list << SceneBuilder::Counter{QLatin1String(id), numberText(value, unit, 3),
                                          name.arg(text(m_trace.value->name)), 1};
        };
        one("least", static_cast<double>(*least), tr("least %1"));
        one("mean", sum / static_cast<double>(m_now.values.size()), tr("mean %1"));
        one("largest", static_cast<double>(*largest), tr("largest %1"));
    } else {
        std::vector<std::size_t> counts(m_trace.states.size(), 0);
        for (const std::uint8_t state : m_now.states)
            ++counts[state];
        for (std::size_t state = 0; state < counts.size() && list.size() < 4; ++state)
            if (m_trace.states[state].color != TraceColor::Idle)
                list << SceneBuilder::Counter{text(m_trace.states[state].id),
                                              groupedText(static_cast<double>(counts[state])),
                                              text(m_trace.states[state].name), 1};
    }
    double shares = 0;
    for (const SceneBuilder::Counter& counter : list)
        shares += counter.share;
    for (SceneBuilder::Counter& counter : list)
        counter.value = cutText(m_b, counter.value, m_b.width() * counter.share / shares - space::m, 22);
    m_y = m_b.counters({m_b.left(), m_y}, m_b.width(), list) + space::s;
    const int lines = captionLines(m_history, m_b.width(), m_b.text(1));
    const QRectF caption(m_b.left(), m_y, m_b.width(), m_b.text(20) * lines);
    if (const std::string& said = m_trace.steps[m_step].caption; !said.empty()) {
        const QString words = cutText(m_b, text(said), m_b.width() * lines, 14);
        if (lines > 1)
            m_b.paragraph(caption, words, TextStyle::Body, Role::Text);
        else
            m_b.label(caption, words, TextStyle::Body, Role::Text, Qt::AlignLeft | Qt::AlignVCenter);
        m_b.item(QStringLiteral("caption"), text(said), caption);
    }
    m_y = caption.bottom() + space::xs;
}

QString GridPicture::rowName(std::uint32_t row) const
{
    return m_trace.rowNames.empty() ? QStringLiteral("%1 %2").arg(text(m_trace.rowTitle)).arg(row)
                                    : text(m_trace.rowNames[row]);
}

QString GridPicture::columnName(std::uint32_t column) const
{
    return m_trace.columnNames.empty() ? QString::number(column) : text(m_trace.columnNames[column]);
}

/// How large cells are and which are shown. The whole width shows state.from … state.to of the columns; rows follow
/// the columns, round state.down.
void GridPicture::layOut()
{
    double gutter = std::max(m_b.textWidth(text(m_trace.columnTitle), 12), m_b.textWidth(text(m_trace.stepUnit), 12));
    if (m_trace.rowNames.empty())
        gutter = std::max(gutter, m_b.textWidth(rowName(m_trace.rows - 1), 11));
    for (std::size_t row = 0; row < std::min<std::size_t>(m_trace.rowNames.size(), 1024); ++row)
        gutter = std::max(gutter, m_b.textWidth(text(m_trace.rowNames[row]), 11));
    m_plotLeft = std::round(m_b.left() + std::min(gutter + space::m, m_b.width() * 0.28));
    const double room = std::max(20.0, m_b.bottom() - below() - m_y - m_b.text(16) - 2);
    const double wide = std::max(40.0, m_b.left() + m_b.width() - m_plotLeft);
    const double share = m_state.to - m_state.from;
    const auto whole = [](double pitch) { return pitch >= 2 ? std::floor(pitch) : pitch; };
    m_columns = std::clamp(static_cast<std::uint32_t>(std::lround(m_trace.columns * share)), 1U, m_trace.columns);
    if (m_trace.square) {
        const double all = whole(std::min({wide / m_trace.columns, room / m_trace.rows, kMostSquare}));
        const double used = std::max(all * m_trace.columns, std::min(wide, room));
        m_pitchX = m_columns == m_trace.columns ? all : whole(std::min(used / m_columns, kMostSquare));
        m_pitchY = m_pitchX;
    } else {
        const double high = m_b.text(kMostHigh);
        m_pitchX = whole(std::min(wide / m_columns, kMostWide));
        m_pitchY = whole(std::min(high, std::max(room / m_trace.rows, share < 1 ? std::min(m_pitchX, high) : 0.0)));
    }
    m_columns = std::min(m_trace.columns, static_cast<std::uint32_t>(std::max(1.0, wide / m_pitchX + 1e-9)));
    m_rows = std::clamp(static_cast<std::uint32_t>(room / m_pitchY + 1e-9), 1U, m_trace.rows);
    m_column =
        std::min(static_cast<std::uint32_t>(std::lround(m_state.from * m_trace.columns)), m_trace.columns - m_columns);
    const double rowShare = static_cast<double>(m_rows) / m_trace.rows;
    m_row = static_cast<std::uint32_t>(
        std::lround(std::clamp(m_state.down - rowShare / 2, 0.0, 1 - rowShare) * m_trace.rows));
    const double word = valued() ? std::max(m_b.textWidth(valueText(m_history.low()), 11),
                                            m_b.textWidth(valueText(m_history.high()), 11)) +
                                       2
                                 : m_b.text(13);
    m_words = m_pitchX >= word && m_pitchY >= m_b.text(13);
}

QRectF GridPicture::rectOf(std::uint32_t row, std::uint32_t column) const
{
    return {m_map.left() + (column - m_column) * m_pitchX, m_map.top() + (row - m_row) * m_pitchY, m_pitchX, m_pitchY};
}

bool GridPicture::shows(std::uint32_t cell) const
{
    const std::uint32_t row = cell / m_trace.columns, column = cell % m_trace.columns;
    return row >= m_row && row < m_row + m_rows && column >= m_column && column < m_column + m_columns;
}

void GridPicture::axes()
{
    const double line = m_b.text(16);
    const double gutter = m_plotLeft - m_b.left() - space::s;
    m_map = QRectF(m_plotLeft, m_y + line + 2, m_columns * m_pitchX, m_rows * m_pitchY);
    m_b.label(QRectF(m_b.left(), m_y, gutter, line), cutText(m_b, text(m_trace.columnTitle), gutter, 11),
              TextStyle::Caption, Role::Text3, Qt::AlignRight | Qt::AlignVCenter);
    const auto chosen = m_state.row >= 0 && static_cast<std::size_t>(m_state.row) < m_trace.cells()
                            ? static_cast<std::uint32_t>(m_state.row)
                            : GridMoment::kNever;
    const auto everyOf = [](double need, double pitch) {
        std::uint32_t every = 1;
        for (const std::uint32_t next : {2U, 4U, 8U, 16U, 32U, 64U, 128U, 256U, 512U, 1024U})
            if (every * pitch < need)
                every = next;
        return every;
    };
    double widest = 0;
    for (std::uint32_t column = m_column; column < m_column + std::min(m_columns, 1024U); ++column)
        widest = std::max(widest, m_b.textWidth(columnName(column), 11));
    widest = std::min(widest, 96.0);
    for (std::uint32_t column = m_column, every = everyOf(widest + 6, m_pitchX); column < m_column + m_columns;
         ++column) {
        if (column % every != 0)
            continue;
        const double middle = m_map.left() + (column - m_column + 0.5) * m_pitchX;
        const QRectF place(middle - widest / 2 - 2, m_y, widest + 4, line);
        if (place.right() <= m_b.left() + m_b.width() + 8)
            m_b.label(place, cutText(m_b, columnName(column), widest, 11), TextStyle::Caption,
                      chosen != GridMoment::kNever && chosen % m_trace.columns == column ? Role::Text : Role::Text3);
    }
    for (std::uint32_t row = m_row, every = everyOf(m_b.text(17), m_pitchY); row < m_row + m_rows; ++row) {
        if (row % every != 0)
            continue;
        const QRectF cell = rectOf(row, m_column);
        const QRectF place(m_b.left(), std::max(cell.center().y() - line / 2, m_map.top() - 1), gutter, line);
        m_b.label(place, cutText(m_b, rowName(row), gutter, 11), TextStyle::Caption,
                  chosen != GridMoment::kNever && chosen / m_trace.columns == row ? Role::Text : Role::Text3,
                  Qt::AlignRight | Qt::AlignVCenter);
    }
    m_b.plot(m_map);
}

/// Tone of a value: from the ground up, or away from zero to both sides.
std::uint8_t GridPicture::toneFor(std::uint32_t cell) const
{
    if (!valued())
        return m_trace.states[m_now.states[cell]].color == TraceColor::Idle
                   ? std::uint8_t{0}
                   : static_cast<std::uint8_t>(m_now.states[cell] + 1);
    const auto value = static_cast<double>(m_now.values[cell]);
    const double low = m_history.low(), high = m_history.high();
    if (low < 0 && high > 0) {
        const double share = std::clamp(std::abs(value) / std::max(-low, high), 0.0, 1.0);
        const int tone = static_cast<int>(std::ceil(share * (kRamp / 2) - 1e-9));
        return static_cast<std::uint8_t>(tone == 0 ? 0 : value < 0 ? kRamp / 2 + tone : tone);
    }
    return static_cast<std::uint8_t>(std::ceil(std::clamp((value - low) / (high - low), 0.0, 1.0) * kRamp - 1e-9));
}

/// Which cell of a few speaks for a pixel: the one that changed last, of values the largest.
std::uint32_t GridPicture::standsFor(std::uint32_t row, std::uint32_t rowEnd, std::uint32_t column,
                                     std::uint32_t columnEnd) const
{
    std::uint32_t best = row * m_trace.columns + column;
    if (rowEnd - row <= 1 && columnEnd - column <= 1)
        return best;
    for (std::uint32_t y = row; y < rowEnd; ++y)
        for (std::uint32_t x = column; x < columnEnd; ++x) {
            const std::uint32_t cell = y * m_trace.columns + x;
            // kNever is the largest number: one more makes it the least.
            const bool better = valued() ? std::abs(m_now.values[cell]) > std::abs(m_now.values[best])
                                         : m_now.last[cell] + 1 > m_now.last[best] + 1;
            best = better ? cell : best;
        }
    return best;
}

void GridPicture::map()
{
    Raster raster;
    raster.rect = m_map;
    raster.columns = m_pitchX >= 1 ? static_cast<int>(m_columns) : std::max(1, static_cast<int>(m_map.width()));
    raster.rows = m_pitchY >= 1 ? static_cast<int>(m_rows) : std::max(1, static_cast<int>(m_map.height()));
    if (valued()) {
        const bool sides = m_history.low() < 0 && m_history.high() > 0;
        const int steps = sides ? kRamp / 2 : kRamp;
        const double most = m_words ? 0.62 : 1; // numbers stand on it
        for (const Role role : {Role::Series1, Role::Series2})
            for (int step = 1; step <= steps && (sides || role == Role::Series1); ++step)
                raster.tones.push_back({role, most * step / steps});
    } else {
        raster.tones = tonesOf(m_trace.states, m_words);
    }
    raster.cells.resize(static_cast<std::size_t>(raster.columns) * static_cast<std::size_t>(raster.rows));
    const auto edge = [](int at, int of, std::uint32_t count) {
        return static_cast<std::uint32_t>(static_cast<std::uint64_t>(at) * count / static_cast<std::uint64_t>(of));
    };
    for (int y = 0; y < raster.rows; ++y)
        for (int x = 0; x < raster.columns; ++x) {
            const std::uint32_t row = m_row + edge(y, raster.rows, m_rows),
                                column = m_column + edge(x, raster.columns, m_columns);
            const std::uint32_t cell = standsFor(row, m_row + edge(y + 1, raster.rows, m_rows), column,
                                                 m_column + edge(x + 1, raster.columns, m_columns));
            raster.cells[static_cast<std::size_t>(y) * static_cast<std::size_t>(raster.columns) +
                         static_cast<std::size_t>(x)] = toneFor(cell);
        }
    m_b.raster(std::move(raster));
    if (m_pitchX < 5 || m_pitchY < 5) {
        m_b.outline(m_map, Role::Border);
        return;
    }
    for (std::uint32_t column = 0; column <= m_columns; ++column)
        m_b.fill(
            QRectF(m_map.left() + column * m_pitchX - (column == m_columns ? 1 : 0), m_map.top(), 1, m_map.height()),
            Role::Border);
    for (std::uint32_t row = 0; row <= m_rows; ++row)
        m_b.fill(QRectF(m_map.left(), m_map.top() + row * m_pitchY - (row == m_rows ? 1 : 0), m_map.width(), 1),
                 Role::Border);
}

/// As many decimals in every cell: three digits of the largest.
QString GridPicture::valueText(double value) const
{
    const double reach = std::max(std::abs(m_history.low()), std::abs(m_history.high()));
    const int decimals =
        m_history.whole() || reach <= 0 ? 0 : std::clamp(2 - static_cast<int>(std::floor(std::log10(reach))), 0, 6);
    return QString::number(value, 'f', decimals);
}

void GridPicture::words()
{
    if (!m_words)
        return;
    for (std::uint32_t row = m_row; row < m_row + m_rows; ++row)
        for (std::uint32_t column = m_column; column < m_column + m_columns; ++column) {
            const std::uint32_t cell = row * m_trace.columns + column;
            const std::uint32_t last = m_now.last[cell];
            const double room = m_pitchX - 2;
            QString said;
            const auto offer = [&](const QString& words) {
                if (said.isEmpty() && m_b.textWidth(words, 11) <= room)
                    said = words;
            };
            if (last != GridMoment::kNever)
                offer(text(m_trace.texts[m_trace.changes[last].text]));
            if (m_trace.value && (last != GridMoment::kNever || valued()))
                offer(valueText(static_cast<double>(m_now.values[cell])));
            if (!valued())
                offer(text(m_trace.states[m_now.states[cell]].letter));
            m_b.label(rectOf(row, column), said, TextStyle::Caption, Role::Text);
        }
}

/// A frame with a light line inside: seen on every colour.
void GridPicture::changed(QRectF cell)
{
    const bool wide = m_pitchX >= 8 && m_pitchY >= 8;
    m_b.outline(cell, Role::Text, wide ? 1.5 : 1);
    if (wide)
        m_b.outline(cell.adjusted(1.5, 1.5, -1.5, -1.5), Role::Surface, 1.5);
}

void GridPicture::marks()
{
    const bool room = m_pitchX >= 4 && m_pitchY >= 4;
    const std::uint32_t first = m_trace.firstChange(m_step), end = m_trace.steps[m_step].end;
    if (room && end - first <= kMostMarks)
        for (std::uint32_t at = first; at < end; ++at)
            if (const std::uint32_t cell = m_trace.changes[at].cell; shows(cell))
                changed(rectOf(cell / m_trace.columns, cell % m_trace.columns));
    const auto chosen = static_cast<std::uint32_t>(m_state.row);
    if (m_state.row < 0 || chosen >= m_trace.cells() || !shows(chosen))
        return;
    const QRectF cell = rectOf(chosen / m_trace.columns, chosen % m_trace.columns);
    const double tick = 5;
    m_b.fill(QRectF(m_map.left() - tick - 1, cell.center().y() - tick / 2, tick - 1, tick), Role::Series2, 1, 1);
    m_b.fill(QRectF(cell.center().x() - tick / 2, m_map.bottom() + 1, tick, tick - 1), Role::Series2, 1, 1);
    const QRectF frame = room ? cell : cell.adjusted(-3, -3, 3, 3).intersected(m_map);
    m_b.outline(frame, room ? Role::Accent : Role::Text, room ? 3 : 1.5);
    if (m_pitchX >= 8 && m_pitchY >= 8)
        m_b.outline(cell.adjusted(3, 3, -3, -3), Role::Surface, 1);
}

void GridPicture::items()
{
    if (std::size_t{m_rows} * m_columns > kMostItems) {
        m_b.item(QStringLiteral("grid.%1.%2.%3.%4").arg(m_row).arg(m_column).arg(m_rows).arg(m_columns),
                 tr("%1 × %2 cells of %3").arg(m_rows).arg(m_columns).arg(text(m_trace.title)), m_map);
        return;
    }
    for (std::uint32_t row = m_row; row < m_row + m_rows; ++row)
        for (std::uint32_t column = m_column; column < m_column + m_columns; ++column) {
            const std::uint32_t cell = row * m_trace.columns + column;
            m_b.item(QStringLiteral("cell.%1").arg(cell), cellTold(m_history, m_now, cell), rectOf(row, column));
        }
}

/// All steps from left to right, higher where more cells changed. A press or a drag goes there.
void GridPicture::strip()
{
    m_y = m_map.bottom() + space::s;
    const double wide = m_b.left() + m_b.width() - m_plotLeft, gutter = m_plotLeft - m_b.left() - space::s;
    const QRectF bar(m_plotLeft, m_y, wide, kStripHeight);
    m_b.label(QRectF(m_b.left(), m_y, gutter, kStripHeight), cutText(m_b, text(m_trace.stepUnit), gutter, 11),
              TextStyle::Caption, Role::Text3, Qt::AlignRight | Qt::AlignVCenter);
    Raster raster;
    raster.columns = std::max(1, static_cast<int>(std::min(wide, static_cast<double>(m_trace.steps.size()))));
    raster.rows = static_cast<int>(kStripHeight);
    raster.rect = bar;
    raster.tones = {{Role::Text3, 0.45}, {Role::Series1, 0.75}};
    raster.cells.assign(static_cast<std::size_t>(raster.columns) * static_cast<std::size_t>(raster.rows), 0);
    const auto columns = static_cast<std::size_t>(raster.columns), steps = m_trace.steps.size();
    std::vector<double> heights(columns);
    double most = 0, least = 1e300;
    for (std::size_t x = 0; x < columns; ++x) {
        const std::size_t from = x * steps / columns, to = std::max(from + 1, (x + 1) * steps / columns);
        heights[x] =
            static_cast<double>(m_trace.steps[to - 1].end - m_trace.firstChange(from)) / static_cast<double>(to - from);
        most = std::max(most, heights[x]);
        least = std::min(least, heights[x]);
    }
    const double full = most > least ? raster.rows - 4 : raster.rows / 3.0; // all alike say little
    for (std::size_t x = 0; x < columns; ++x) {
        const int high = most > 0 ? static_cast<int>(std::ceil(heights[x] / most * full)) : 0;
        const bool past = x * steps / columns <= m_step;
        for (int y = raster.rows - high; y < raster.rows; ++y)
            raster.cells[static_cast<std::size_t>(y) * columns + x] = past ? 2 : 1;
    }
    m_b.raster(std::move(raster));
    const double share = (static_cast<double>(m_step) + 0.5) / static_cast<double>(steps);
    m_b.fill(QRectF(std::clamp(std::round(bar.left() + share * wide) - 1, bar.left(), bar.right() - 2), bar.top(), 2,
                    bar.height()),
             Role::Text);
    const double line = m_b.text(16);
    const QRectF under(bar.left(), bar.bottom(), wide, line);
    const QString first = groupedText(static_cast<double>(m_trace.steps.front().at)),
                  last = groupedText(static_cast<double>(m_trace.steps.back().at));
    m_b.label(under, first, TextStyle::Caption, Role::Text3, Qt::AlignLeft | Qt::AlignVCenter);
    m_b.label(under, last, TextStyle::Caption, Role::Text3, Qt::AlignRight | Qt::AlignVCenter);
    m_b.label(under, cutText(m_b, tr("cells changed in each step; click or drag to go there"), wide - 120, 12),
              TextStyle::Caption, Role::Text3);
    m_b.item(QStringLiteral("scrub"), tr("%1 steps; shown: %2").arg(steps).arg(stepName(m_trace, m_step)), bar);
    m_y = under.bottom() + space::s;
}

void GridPicture::answer()
{
    const double line = m_b.text(20);
    const QRectF all(m_b.left(), m_y, m_b.width(), line + m_b.text(40));
    const auto chosen = static_cast<std::uint32_t>(m_state.row);
    if (m_state.row >= 0 && chosen < m_trace.cells()) {
        const QString who = cellName(m_trace, chosen);
        m_b.label(QRectF(all.left(), all.top(), all.width(), line), cutText(m_b, who, all.width(), 14),
                  TextStyle::Strong, Role::Text, Qt::AlignLeft | Qt::AlignVCenter);
        const QString told = cellTold(m_history, m_now, chosen);
        m_b.paragraph(all.adjusted(0, line, 0, 0), cutText(m_b, told.mid(who.size() + 2), all.width() * 2, 14),
                      TextStyle::Body, Role::Text2);
        m_b.item(QStringLiteral("answer"), told, all);
    } else {
        m_b.paragraph(all,
                      tr("Choose a cell with the pointer or the arrow keys: what it holds and what changed it "
                         "last stands here."),
                      TextStyle::Body, Role::Text3);
    }
    m_y = all.bottom() + space::s;
}

void GridPicture::ramp()
{
    const double line = m_b.text(18), low = m_history.low(), high = m_history.high();
    const bool sides = low < 0 && high > 0;
    const std::string& unit = m_trace.value->unit;
    const double reach = std::max(-low, high);
    const QString first = numberText(sides ? -reach : low, unit), last = numberText(sides ? reach : high, unit);
    double x = m_b.left();
    const auto words = [&](const QString& said, Role role) {
        const double wide = m_b.textWidth(said) + 4;
        m_b.label(QRectF(x, m_y, wide, line), said, TextStyle::Caption, role, Qt::AlignLeft | Qt::AlignVCenter);
        x += wide + space::s;
    };
    words(text(m_trace.value->name), Role::Text2);
    words(first, Role::Text2);
    Raster raster;
    raster.columns = kRamp;
    raster.rows = 1;
    raster.rect = QRectF(x, m_y + (line - 10) / 2, 3 * kRamp, 10);
    const double most = m_words ? 0.62 : 1;
    for (int at = 0; at < kRamp; ++at) {
        const double place = (at + 0.5) / kRamp, way = sides ? std::abs(place - 0.5) * 2 : place;
        raster.tones.push_back({sides && place < 0.5 ? Role::Series2 : Role::Series1, most * way});
        raster.cells.push_back(static_cast<std::uint8_t>(at + 1));
    }
    m_b.outline(raster.rect.adjusted(-1, -1, 1, 1), Role::Border);
    x = raster.rect.right() + space::s;
    m_b.raster(std::move(raster));
    words(last, Role::Text2);
    if (m_pitchX < 1 || m_pitchY < 1)
        words(tr("a pixel shows the largest of its cells"), Role::Text3);
    m_y += line;
}

void GridPicture::legend()
{
    if (valued())
        return ramp();
    const auto keys = legendOf(m_trace.states);
    m_y = m_b.letterKeys({m_b.left(), m_y}, m_b.width(), keys);
}

} // namespace ridge::app
