// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <vector>

namespace ridge::app {

constexpr QChar kNoBreakSpace(0x00A0), kWordJoiner(0x2060);

/// A place in running text at which no line may end.
struct UnitJoint {
    int position = 0; ///< of the character
    bool isBlank =
        false; ///< it is the blank between number and unit; else a slash in a unit, behind which lines may end
};

/// Where "12 GB/s", "62.9 %" or "4 KiB" would come apart, in order. Blanks are single ones, line breaks of a source
/// too.
std::vector<UnitJoint> unitJoints(const QString& text);

/// The text with those places shut: a no-break space for the blank, a word joiner behind the slash.
QString keptUnits(const QString& text);

/// keptUnits() undone: what is searched, copied or read aloud is the author's text.
QString withoutJoiners(QString text);

} // namespace ridge::app
