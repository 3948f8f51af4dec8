// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/drawing/scenes/scene_builder.h"
#include "base/grid_trace.h"

namespace ridge::app {

/// "set 5, way 2", with the cell's own name where it has one.
QString cellName(const GridTrace& trace, std::uint32_t cell);
/// "access 12", or the step's own name.
QString stepName(const GridTrace& trace, std::size_t step);
/// "clean, 0x7d" or "0.25 V": what a cell is at a moment.
QString cellContent(const GridTrace& trace, const GridMoment& moment, std::uint32_t cell);
/// Name, content, and what last changed it: what hover, Enter and the answer say.
QString cellTold(const GridHistory& history, const GridMoment& moment, std::uint32_t cell);
/// Which step a state shows.
std::size_t shownStep(const GridTrace& trace, const SceneState& state);
double progressOf(const GridTrace& trace, std::size_t step);

/// Draws a grid trace at one step: head, map, strip of time, answer, legend. The map is one raster of at most a cell a
/// pixel, so that it costs the same whatever the grid.
class GridPicture {
public:
    GridPicture(const GridHistory& history, const SceneState& state, SceneBuilder& builder);
    double draw();
    /// Height of all but the map, at a width.
    static double around(const GridHistory& history, double width, double textScale);

private:
    double below() const;
    void head();
    void layOut();
    void axes();
    void map();
    std::uint8_t toneFor(std::uint32_t cell) const;
    std::uint32_t standsFor(std::uint32_t row, std::uint32_t rowEnd, std::uint32_t column,
                            std::uint32_t columnEnd) const;
    void words();
    QString valueText(double value) const;
    void changed(QRectF cell);
    void marks();
    void items();
    void strip();
    void answer();
    void legend();
    void ramp();
    bool valued() const { return m_trace.states.empty(); }
    QString rowName(std::uint32_t row) const;
    QString columnName(std::uint32_t column) const;
    QRectF rectOf(std::uint32_t row, std::uint32_t column) const;
    bool shows(std::uint32_t cell) const;

    const GridHistory& m_history;
    const GridTrace& m_trace;
    const SceneState& m_state;
    SceneBuilder& m_b;
    std::size_t m_step;
    GridMoment m_now;
    double m_y = 0, m_plotLeft = 0;
    double m_pitchX = 1, m_pitchY = 1;
    std::uint32_t m_row = 0, m_column = 0, m_rows = 0, m_columns = 0; ///< that are shown
    QRectF m_map;
    bool m_words = false; ///< cells have room for a letter
};

} // namespace ridge::app
