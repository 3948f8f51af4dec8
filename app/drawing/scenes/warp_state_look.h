// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/theme/theme.h"

#include <QString>
#include <array>
#include <string>

namespace ridge::app {

/// Warp states as scenes show them: Nsight Compute's, those together that a reader need not tell apart at first sight.
enum class StateGroup : std::uint8_t {
    Issued,
    Memory,
    Shared,
    Barrier,
    Pipe,
    Fetch,
    Wait,
    Ready,
    Other,
    Done, ///< the warp has ended, its block has not
    Idle  ///< nobody in the slot
};
inline constexpr std::size_t kStateGroups = static_cast<std::size_t>(StateGroup::Idle) + 1;
inline constexpr std::size_t kLivingGroups = static_cast<std::size_t>(StateGroup::Done);

/// Cycles (or warp-cycles) by group.
using GroupCycles = std::array<double, kStateGroups>;

struct StateLook {
    QChar letter; ///< always shown with the colour
    Role role;
    double alpha;
    QString name;
};
StateLook lookOf(StateGroup group);
/// Of "long_scoreboard" and the like, or of a counter of the timeline.
StateGroup groupOf(const std::string& state);
/// "long scoreboard" for "long_scoreboard".
QString stateText(const std::string& state);
/// What would make a wait of this kind shorter: one or two sentences.
QString stateAdvice(const std::string& state);
/// "memory 61 %, issued 20 %", the largest first, `most` of them; shares of their sum.
QString sharesText(const GroupCycles& cycles, int most);

} // namespace ridge::app
