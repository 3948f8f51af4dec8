// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/drawing/scenes/launch_view.h"

namespace ridge::app {

/// "Why is this warp waiting?", in words.
struct WarpAnswer {
    QString who;    ///< "Warp 3 of block 12, SM 0, slot 7"
    QString what;   ///< state, instruction, source line, since when and how long
    QString why;    ///< the instruction it waits for
    QString remedy; ///< what would shorten the wait
    QString text() const;
};

/// At a cycle of the warp's life; outside of it, about its longest wait.
WarpAnswer answerFor(const LaunchView& view, std::size_t track, double cycle);

/// The issues whose results the instruction of interval `at` waits for: the last ones of the warp that hold its
/// counters. Indices of intervals, newest first.
std::vector<std::size_t> producersOf(const LaunchTrace& trace, const WarpTrack& warp, std::size_t at);

/// "LDG.E.32 (line 12)"
QString instructionText(const LaunchTrace& trace, std::uint32_t op);

} // namespace ridge::app
