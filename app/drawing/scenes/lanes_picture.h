// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/drawing/scenes/scene_builder.h"
#include "base/lane_trace.h"

namespace ridge::app {

/// "ACT 17 on bank 3": a span by its label, else by its state.
QString spanName(const LaneTrace& trace, std::uint32_t span);
/// "activate from 10 to 24 ns, 14 ns long; request 7": the rest of it.
QString spanTold(const LaneIndex& index, std::uint32_t span);

/// Draws a lane trace: head, axis, lanes with their counters, arrows, answer, legend. Lanes are one raster of a cell a
/// pixel: spans below a pixel are merged, and a picture costs the same whatever the length of the trace.
class LanesPicture {
public:
    LanesPicture(const LaneIndex& index, const SceneState& state, SceneBuilder& builder)
        : m_index(index), m_trace(index.trace()), m_state(state), m_b(builder)
    {
    }
    double draw();
    /// Height of all but the lanes, and of the lanes where every name is readable.
    static double around(const LaneIndex& index, double width, double textScale);
    static double lanesHeight(const LaneIndex& index, double textScale);
    static constexpr double kNear = 3; ///< px: how far beside a span a click still means it

private:
    void head();
    void layOut();
    void axis();
    void lanes();
    void lane(std::uint32_t lane);
    void row(std::size_t row, double top, double height);
    void spanWords(std::size_t row, double top, double height);
    void instants(std::uint32_t lane, double top, double height);
    void counter(std::size_t counter, double top, double height);
    void marks();
    void arrow(const LaneArrow& arrow, bool chosen);
    void arrows();
    void cursor();
    void answer();
    void legend();
    double below() const;
    double laneHeight(std::uint32_t lane) const;
    bool headed(std::uint32_t lane) const; ///< it begins a group
    double begin() const { return m_state.from * m_index.end(); }
    double perPixel() const { return (m_state.to - m_state.from) * m_index.end() / m_wide; }
    double xOf(double time) const { return m_left + (time - begin()) / perPixel(); }
    void gutter(double top, double height, const QString& words, Role role);
    void paint(double top, int row, int column, std::uint8_t tone);
    bool words() const; ///< spans have room for a letter, usually
    QString rangeText(std::size_t counter) const;
    std::pair<double, double> placeOf(std::uint32_t span) const; ///< top and height of its row; height 0: not shown

    const LaneIndex& m_index;
    const LaneTrace& m_trace;
    const SceneState& m_state;
    SceneBuilder& m_b;
    double m_y = 0, m_left = 0, m_wide = 1, m_right = 0, m_pitch = 1, m_axisTop = 0;
    std::uint32_t m_first = 0, m_end = 0;                        ///< lanes that are shown
    double m_top = 0, m_bottom = 0;                              ///< of the lanes
    std::vector<std::pair<double, double>> m_places;             ///< of rows
    std::vector<std::pair<std::size_t, std::size_t>> m_counters; ///< of each lane: first and one past the last
    Raster m_raster;
    bool m_crowded = false; ///< too many arrows for a picture
};

} // namespace ridge::app
