// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/trace_look.h"

#include <memory>
#include <optional>

// A grid over time: sets and ways of a cache, banks of a DRAM, processing elements of an array, dies of a wafer.
// The scene "grid" draws it, steps through it and tells of every cell what last changed it. An engine writes:
//
//     GridTraceBuilder grid("L1, 32 KiB", 8, 64);        // rows, columns; the longer side along the bottom reads best
//     grid.axes("way", "set").stepUnit("access");
//     grid.state("empty", TraceColor::Idle);             // the first state is the one that all cells begin in
//     const auto clean = grid.state("clean", TraceColor::Series1);
//     const auto dirty = grid.state("dirty", TraceColor::Series2);
//     for (const Access& access : accesses) {
//         grid.step("read 0x1f40: set 5, miss, evicts way 2");
//         grid.set(way, set, {.state = clean, .text = "0x7d", .note = "filled by the read of 0x1f40"});
//     }
//     context.trace(GridTrace::kKind, encodeGridTrace(grid.take()));
//
// and ExperimentInfo::scene = "grid". Numbers in place of states: grid.values("partial sum", "", -1, 1) and
// grid.set(row, column, {.value = 0.25F}). Only what changes is stored.

namespace ridge {

/// A number that every cell has, from 0 on until it is set.
struct GridValue {
    std::string name, unit;   ///< "partial sum", "°C"
    double low = 0, high = 0; ///< of the ramp; both 0: the least and the largest that the trace has
    bool operator==(const GridValue&) const = default;
};

/// What a cell is from a step on, whole: a change replaces all of it.
struct GridChange {
    std::uint32_t cell = 0; ///< row × columns + column
    float value = 0;
    std::uint32_t text = 0; ///< index into GridTrace::texts: what stands in the cell ("0x7d")
    std::uint32_t note = 0; ///< and why it changed ("filled by the read of 0x1f40")
    std::uint8_t state = 0;
    bool operator==(const GridChange&) const = default;
};

struct GridStep {
    std::uint64_t at = 0;  ///< in GridTrace::stepUnit; never less than the step before
    std::string name;      ///< "layer 3, tile 2"; empty: unit and number
    std::string caption;   ///< what happens, a sentence
    std::uint32_t end = 0; ///< one past its last change; its first is the end of the step before
    bool operator==(const GridStep&) const = default;
};

/// Cells by row, then column. Layout in docs/protocol.md.
struct GridTrace {
    static constexpr const char* kKind = "grid";
    static constexpr std::size_t kMostBytes = 96u << 20; ///< a larger one is refused
    static constexpr std::size_t kMostCells = 1u << 20;  ///< 1024 × 1024
    static constexpr std::size_t kMostSteps = 1u << 18;
    static constexpr std::size_t kMostChanges = 1u << 22;

    std::string title;                                    ///< "L1, 32 KiB, 8 ways"
    std::string rowTitle = "row", columnTitle = "column"; ///< "way", "set"
    std::uint32_t rows = 0, columns = 0;
    std::vector<std::string> rowNames, columnNames; ///< one each, or empty: numbers from 0
    std::vector<std::string> cellNames;             ///< "die 14", one a cell, or empty
    bool square = false;                            ///< cells are drawn square: an array, a wafer
    std::vector<TraceState> states;                 ///< all cells begin in the first; empty: there are values alone
    std::optional<GridValue> value;
    std::string stepUnit = "step"; ///< "access", "cycle", "ns"
    std::uint64_t stepsInAll = 0;  ///< of the engine; more than `steps` has: the trace holds the first ones
    std::vector<std::string> texts;
    std::vector<GridStep> steps; ///< at least one
    std::vector<GridChange> changes;
    bool operator==(const GridTrace&) const = default;

    std::size_t cells() const { return std::size_t{rows} * columns; }
    std::uint32_t firstChange(std::size_t step) const { return step == 0 ? 0 : steps[step - 1].end; }
};

std::string encodeGridTrace(const GridTrace& trace);

/// Errors: "bad-trace" (not one, cut short, damaged, larger than the bounds above, what points nowhere),
/// "newer-trace".
Result<GridTrace> decodeGridTrace(std::string_view bytes);

/// Makes a trace step by step. Calls that make no sense (a cell outside of the grid, a state that nobody declared)
/// throw std::logic_error: they are mistakes of the engine. Steps beyond the bounds are counted and not kept.
class GridTraceBuilder {
public:
    GridTraceBuilder(std::string title, std::uint32_t rows, std::uint32_t columns);

    /// What a row is and what a column is: "way", "set".
    GridTraceBuilder& axes(std::string row, std::string column);
    GridTraceBuilder& rowNames(std::vector<std::string> names);
    GridTraceBuilder& columnNames(std::vector<std::string> names);
    GridTraceBuilder& cellNames(std::vector<std::string> names);
    GridTraceBuilder& stepUnit(std::string unit);
    GridTraceBuilder& square();
    GridTraceBuilder& values(std::string name, std::string unit, double low = 0, double high = 0);
    /// Its number, for Cell::state. `letter` stands in cells; the default is the first of the name, none of Idle.
    std::uint8_t state(const std::string& name, TraceColor color, const std::string& letter = {});

    /// Begins the next step; `at` is its time where steps are not one unit each.
    void step(std::string caption = {}, std::string name = {}, std::optional<std::uint64_t> at = {});
    struct Cell {
        std::uint8_t state = 0;
        float value = 0;
        std::string_view text = {}, note = {};
    };
    /// What the cell is from this step on. Without a step before it, the first one begins. A cell that is so already
    /// costs nothing, unless a note says what happened to it.
    void set(std::uint32_t row, std::uint32_t column, const Cell& cell);
    /// Whether a bound is reached: an engine may stop tracing.
    bool full() const { return m_full; }
    GridTrace take();

private:
    GridTrace m_trace;
    TraceTexts m_texts;
    std::vector<GridChange> m_now;
    std::size_t m_captionBytes = 0;
    bool m_full = false;
};

/// All cells after a step.
struct GridMoment {
    static constexpr std::uint32_t kNever = 0xffffffff;
    std::vector<std::uint8_t> states;
    std::vector<float> values;
    std::vector<std::uint32_t> last; ///< index of the change that made the cell what it is, kNever: none yet
};

/// A trace with copies of all cells in between, so that any step costs a copy and at most as many changes as cells.
class GridHistory {
public:
    explicit GridHistory(std::shared_ptr<const GridTrace> trace);
    const GridTrace& trace() const { return *m_trace; }
    GridMoment at(std::size_t step) const;
    std::size_t stepOf(std::uint32_t change) const;
    double low() const { return m_low; } ///< of the ramp
    double high() const { return m_high; }
    bool whole() const { return m_whole; }                          ///< all values are whole numbers
    std::size_t longestCaption() const { return m_longestCaption; } ///< bytes

private:
    void apply(GridMoment& moment, std::uint32_t from, std::uint32_t to) const;

    std::shared_ptr<const GridTrace> m_trace;
    struct Checkpoint {
        std::uint32_t changes = 0; ///< that are in it
        GridMoment moment;
    };
    std::vector<Checkpoint> m_checkpoints;
    double m_low = 0, m_high = 1;
    bool m_whole = true;
    std::size_t m_longestCaption = 0;
};

} // namespace ridge
