// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/drawing/scenes/launch_view.h"
#include "app/drawing/scenes/scene_builder.h"

namespace ridge::app {

/// px of an SM in the band of all SMs; the band stays about as high whatever the chip.
int smRowHeight(const LaunchView& view);

/// Draws the three bands of the timeline, top to bottom. Bands are dense maps of one cell a pixel: their cost does not
/// grow with the trace.
class TimelinePicture {
public:
    TimelinePicture(const LaunchView& view, const SceneState& state, SceneBuilder& builder)
        : m_view(view), m_trace(view.trace()), m_state(state), m_b(builder)
    {
    }
    double draw();
    std::uint32_t sm() const { return m_sm; }

private:
    void counters();
    void axis();
    void smBand();
    static std::uint8_t smCell(const GroupCycles& cycles);
    void slotBand();
    void slotRow(std::uint32_t slot, int top, int rows, Raster& raster) const;
    void unwatched();
    void strip();
    void cursor();
    void answer();
    void legend();
    /// Strip, answer and legend.
    double belowSlots() const;
    double answerHeight() const; ///< at 100 %
    static std::vector<SceneBuilder::LetterKey> legendKeys();
    double begin() const { return m_state.from * m_view.cycles(); }
    double perPixel() const { return (m_state.to - m_state.from) * m_view.cycles() / m_plotWidth; }
    double xOf(double cycle) const { return m_plotLeft + (cycle - begin()) / perPixel(); }
    void mark(QRectF row);
    void gutter(double top, double height, const QString& text, Role role = Role::Text2);

    const LaunchView& m_view;
    const LaunchTrace& m_trace;
    const SceneState& m_state;
    SceneBuilder& m_b;
    double m_left = 0, m_right = 0, m_plotLeft = 0, m_plotWidth = 1, m_y = 0, m_axisTop = 0, m_bandsBottom = 0;
    std::uint32_t m_sm = 0;
    bool m_watched = true;
};

} // namespace ridge::app
