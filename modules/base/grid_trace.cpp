// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/grid_trace.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace ridge {
namespace {

constexpr std::string_view kMagic = "RGRD";
constexpr std::uint32_t kVersion = 1;
constexpr std::uint32_t kLeastCheckpoint = 4096; ///< changes: below that a walk is quicker than a copy is large

std::uint64_t zigzag(std::int64_t value)
{
    return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}
std::int64_t unzigzag(std::uint64_t value)
{
    return static_cast<std::int64_t>(value >> 1) ^ -static_cast<std::int64_t>(value & 1);
}

/// Which parts of a change follow its cell.
constexpr std::uint64_t kHasValue = 1, kHasText = 2, kHasNote = 4;

void writeHead(TraceWriter& out, const GridTrace& t)
{
    out.field(t.title);
    out.field(t.rowTitle);
    out.field(t.columnTitle);
    out.field(t.rows);
    out.field(t.columns);
    writeTexts(out, t.rowNames);
    writeTexts(out, t.columnNames);
    writeTexts(out, t.cellNames);
    out.field(t.square);
    writeStates(out, t.states);
    out.field(t.value.has_value());
    if (t.value) {
        out.field(t.value->name);
        out.field(t.value->unit);
        out.field(t.value->low);
        out.field(t.value->high);
    }
    out.field(t.stepUnit);
    out.field(t.stepsInAll);
    writeTexts(out, t.texts);
}

/// False where the grid makes no sense; then nothing of its size may be made.
bool readHead(TraceReader& in, GridTrace& t)
{
    readText(in, t.title);
    readText(in, t.rowTitle);
    readText(in, t.columnTitle);
    in.field(t.rows);
    in.field(t.columns);
    if (!in.ok() || t.rows == 0 || t.columns == 0 || t.rows > GridTrace::kMostCells ||
        t.columns > GridTrace::kMostCells || t.cells() > GridTrace::kMostCells)
        return false;
    t.rowNames = readTexts(in, t.rows);
    t.columnNames = readTexts(in, t.columns);
    t.cellNames = readTexts(in, t.cells());
    in.field(t.square);
    t.states = readStates(in);
    bool valued = false;
    in.field(valued);
    if (valued) {
        t.value.emplace();
        readText(in, t.value->name);
        readText(in, t.value->unit);
        in.field(t.value->low);
        in.field(t.value->high);
    }
    readText(in, t.stepUnit);
    in.field(t.stepsInAll);
    t.texts = readTexts(in, TraceTexts::kMost);
    const auto fits = [](std::size_t names, std::size_t wanted) { return names == 0 || names == wanted; };
    return in.ok() && fits(t.rowNames.size(), t.rows) && fits(t.columnNames.size(), t.columns) &&
           fits(t.cellNames.size(), t.cells()) && (!t.states.empty() || t.value) && !t.texts.empty() &&
           t.texts.front().empty() && (!t.value || t.value->low <= t.value->high);
}

void writeChange(TraceWriter& out, const GridTrace& t, const GridChange& change, std::uint32_t& cell)
{
    const std::uint64_t parts = (std::bit_cast<std::uint32_t>(change.value) != 0 ? kHasValue : 0) |
                                (change.text != 0 ? kHasText : 0) | (change.note != 0 ? kHasNote : 0);
    out.number(zigzag(std::int64_t{change.cell} - cell) << 3 | parts);
    cell = change.cell;
    if (!t.states.empty())
        out.byte(change.state);
    if (parts & kHasValue) {
        const auto bits = std::bit_cast<std::uint32_t>(change.value);
        for (int at = 0; at < 32; at += 8)
            out.byte(static_cast<std::uint8_t>(bits >> at));
    }
    if (parts & kHasText)
        out.number(change.text);
    if (parts & kHasNote)
        out.number(change.note);
}

bool readChange(TraceReader& in, const GridTrace& t, GridChange& change, std::uint32_t& cell)
{
    const std::uint64_t head = in.number();
    const std::int64_t way = unzigzag(head >> 3);
    const auto cells = static_cast<std::int64_t>(t.cells());
    if (!in.ok() || way <= -cells || way >= cells || cell + way < 0 || cell + way >= cells)
        return false;
    change.cell = cell = static_cast<std::uint32_t>(cell + way);
    if (!t.states.empty()) {
        change.state = in.byte();
        if (change.state >= t.states.size())
            return false;
    }
    if (head & kHasValue) {
        std::uint32_t bits = 0;
        for (unsigned at = 0; at < 32; at += 8)
            bits |= std::uint32_t{in.byte()} << at;
        change.value = std::bit_cast<float>(bits);
        if (bits == 0 || !std::isfinite(change.value))
            return false;
    }
    if (head & kHasText)
        in.field(change.text);
    if (head & kHasNote)
        in.field(change.note);
    return in.ok() && change.text < t.texts.size() && change.note < t.texts.size() &&
           ((head & kHasText) != 0) == (change.text != 0) && ((head & kHasNote) != 0) == (change.note != 0);
}

bool readSteps(TraceReader& in, GridTrace& t)
{
    const std::size_t steps = in.count();
    if (!in.ok() || steps == 0 || steps > GridTrace::kMostSteps || t.stepsInAll < steps)
        return false;
    std::uint64_t at = 0;
    for (std::size_t each = 0; each < steps; ++each) {
        GridStep step;
        std::uint64_t way = 0;
        in.field(way);
        if (way > ~std::uint64_t{0} - at)
            return false;
        step.at = at += way;
        readText(in, step.name);
        readText(in, step.caption);
        const std::size_t count = in.count();
        if (!in.ok() || count > GridTrace::kMostChanges - t.changes.size())
            return false;
        std::uint32_t cell = 0;
        for (std::size_t change = 0; change < count; ++change)
            if (!readChange(in, t, t.changes.emplace_back(), cell))
                return false;
        step.end = static_cast<std::uint32_t>(t.changes.size());
        t.steps.push_back(std::move(step));
    }
    return in.ok() && in.atEnd();
}

} // namespace

std::string encodeGridTrace(const GridTrace& trace)
{
    TraceWriter out;
    writeHead(out, trace);
    out.number(trace.steps.size());
    std::uint64_t at = 0;
    std::uint32_t change = 0;
    for (const GridStep& step : trace.steps) {
        out.number(step.at - at);
        at = step.at;
        out.field(step.name);
        out.field(step.caption);
        out.number(step.end - change);
        for (std::uint32_t cell = 0; change < step.end; ++change)
            writeChange(out, trace, trace.changes[change], cell);
    }
    return frameTrace(kMagic, kVersion, out.take());
}

Result<GridTrace> decodeGridTrace(std::string_view bytes)
{
    if (bytes.size() > GridTrace::kMostBytes)
        return badTrace("the grid trace has " + std::to_string(bytes.size() >> 20) + " MiB; the most is " +
                        std::to_string(GridTrace::kMostBytes >> 20));
    const auto payload = unframeTrace(bytes, kMagic, kVersion);
    if (!payload)
        return payload.error();
    TraceReader in(*payload);
    GridTrace trace;
    if (!readHead(in, trace))
        return badTrace("the grid trace has a head that makes no sense or is too large");
    if (!readSteps(in, trace))
        return badTrace("the grid trace has steps that are cut short, too many, or point nowhere");
    return trace;
}

GridTraceBuilder::GridTraceBuilder(std::string title, std::uint32_t rows, std::uint32_t columns)
{
    m_trace.title = std::move(title);
    m_trace.rows = rows;
    m_trace.columns = columns;
    if (rows == 0 || columns == 0 || m_trace.cells() > GridTrace::kMostCells)
        throw std::logic_error("a grid trace has 1 to " + std::to_string(GridTrace::kMostCells) + " cells");
    m_now.resize(m_trace.cells());
}

GridTraceBuilder& GridTraceBuilder::axes(std::string row, std::string column)
{
    m_trace.rowTitle = std::move(row);
    m_trace.columnTitle = std::move(column);
    return *this;
}

GridTraceBuilder& GridTraceBuilder::rowNames(std::vector<std::string> names)
{
    if (names.size() != m_trace.rows)
        throw std::logic_error("a grid trace wants a name for each of its rows");
    m_trace.rowNames = std::move(names);
    return *this;
}

GridTraceBuilder& GridTraceBuilder::columnNames(std::vector<std::string> names)
{
    if (names.size() != m_trace.columns)
        throw std::logic_error("a grid trace wants a name for each of its columns");
    m_trace.columnNames = std::move(names);
    return *this;
}

GridTraceBuilder& GridTraceBuilder::cellNames(std::vector<std::string> names)
{
    if (names.size() != m_trace.cells())
        throw std::logic_error("a grid trace wants a name for each of its cells");
    m_trace.cellNames = std::move(names);
    return *this;
}

GridTraceBuilder& GridTraceBuilder::stepUnit(std::string unit)
{
    m_trace.stepUnit = std::move(unit);
    return *this;
}

GridTraceBuilder& GridTraceBuilder::square()
{
    m_trace.square = true;
    return *this;
}

GridTraceBuilder& GridTraceBuilder::values(std::string name, std::string unit, double low, double high)
{
    if (!std::isfinite(low) || !std::isfinite(high) || low > high)
        throw std::logic_error("the values of a grid trace want a range: " + name);
    m_trace.value = GridValue{std::move(name), std::move(unit), low, high};
    return *this;
}

std::uint8_t GridTraceBuilder::state(const std::string& name, TraceColor color, const std::string& letter)
{
    return addState(m_trace.states, name, color, letter);
}

void GridTraceBuilder::step(std::string caption, std::string name, std::optional<std::uint64_t> at)
{
    ++m_trace.stepsInAll;
    m_captionBytes += caption.size() + name.size();
    m_full = m_full || m_trace.steps.size() >= GridTrace::kMostSteps || m_captionBytes > TraceTexts::kMostInAll;
    if (m_full)
        return;
    const std::uint64_t before = m_trace.steps.empty() ? 0 : m_trace.steps.back().at;
    const std::uint64_t time = at.value_or(m_trace.steps.empty() ? 0 : before + 1);
    if (time < before)
        throw std::logic_error("the steps of a grid trace run backwards");
    caption.resize(std::min(caption.size(), TraceTexts::kMostBytes));
    name.resize(std::min(name.size(), TraceTexts::kMostBytes));
    m_trace.steps.push_back(
        {time, std::move(name), std::move(caption), static_cast<std::uint32_t>(m_trace.changes.size())});
}

void GridTraceBuilder::set(std::uint32_t row, std::uint32_t column, const Cell& cell)
{
    if (row >= m_trace.rows || column >= m_trace.columns)
        throw std::logic_error("a grid trace has no cell at row " + std::to_string(row) + ", column " +
                               std::to_string(column));
    if (cell.state != 0 && cell.state >= m_trace.states.size())
        throw std::logic_error("a grid trace has no state " + std::to_string(cell.state));
    if (!std::isfinite(cell.value))
        throw std::logic_error("a value of a grid trace is not a number");
    if (m_trace.steps.empty() && !m_full)
        step();
    m_full = m_full || m_trace.changes.size() >= GridTrace::kMostChanges;
    if (m_full)
        return;
    const GridChange change{row * m_trace.columns + column, cell.value, m_texts.add(cell.text), m_texts.add(cell.note),
                            cell.state};
    GridChange& now = m_now[change.cell];
    if (change.note == 0 && now.state == change.state && now.value == change.value && now.text == change.text)
        return;
    now = change;
    m_trace.changes.push_back(change);
    m_trace.steps.back().end = static_cast<std::uint32_t>(m_trace.changes.size());
}

GridTrace GridTraceBuilder::take()
{
    if (m_trace.steps.empty())
        step();
    if (m_trace.states.empty() && !m_trace.value)
        throw std::logic_error("a grid trace wants states or values");
    m_trace.texts = m_texts.take();
    return std::move(m_trace);
}

GridHistory::GridHistory(std::shared_ptr<const GridTrace> trace) : m_trace(std::move(trace))
{
    const std::size_t cells = m_trace->cells();
    GridMoment moment;
    moment.states.assign(cells, 0);
    moment.values.assign(cells, 0);
    moment.last.assign(cells, GridMoment::kNever);
    m_checkpoints.push_back({0, moment});
    const auto all = static_cast<std::uint32_t>(m_trace->changes.size());
    const std::uint32_t each = std::max(static_cast<std::uint32_t>(cells), kLeastCheckpoint);
    for (std::uint32_t at = each; at <= all; at += each) {
        apply(moment, at - each, at);
        m_checkpoints.push_back({at, moment});
    }
    for (const GridStep& step : m_trace->steps)
        m_longestCaption = std::max(m_longestCaption, step.caption.size());
    if (!m_trace->value)
        return;
    m_whole = std::all_of(m_trace->changes.begin(), m_trace->changes.end(),
                          [](const GridChange& change) { return change.value == std::floor(change.value); });
    m_low = m_trace->value->low;
    m_high = m_trace->value->high;
    if (m_low == m_high) {
        for (const GridChange& change : m_trace->changes) {
            m_low = std::min<double>(m_low, change.value);
            m_high = std::max<double>(m_high, change.value);
        }
        if (m_low == m_high)
            m_high = m_low + 1;
    }
}

void GridHistory::apply(GridMoment& moment, std::uint32_t from, std::uint32_t to) const
{
    for (std::uint32_t at = from; at < to; ++at) {
        const GridChange& change = m_trace->changes[at];
        moment.states[change.cell] = change.state;
        moment.values[change.cell] = change.value;
        moment.last[change.cell] = at;
    }
}

GridMoment GridHistory::at(std::size_t step) const
{
    const std::uint32_t end = m_trace->steps[std::min(step, m_trace->steps.size() - 1)].end;
    const auto after = std::upper_bound(m_checkpoints.begin(), m_checkpoints.end(), end,
                                        [](std::uint32_t wanted, const Checkpoint& c) { return wanted < c.changes; });
    GridMoment moment = std::prev(after)->moment;
    apply(moment, std::prev(after)->changes, end);
    return moment;
}

std::size_t GridHistory::stepOf(std::uint32_t change) const
{
    const auto found = std::upper_bound(m_trace->steps.begin(), m_trace->steps.end(), change,
                                        [](std::uint32_t wanted, const GridStep& step) { return wanted < step.end; });
    return static_cast<std::size_t>(found - m_trace->steps.begin());
}

} // namespace ridge
