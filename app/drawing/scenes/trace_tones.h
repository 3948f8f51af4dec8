// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/drawing/scenes/scene_builder.h"
#include "base/trace_look.h"

namespace ridge::app {

/// What a cell or span is filled with: pale where words stand on it, else full. The first tone of a raster is the
/// ground, so state n has tone n + 1, and a state that is Idle has none.
Raster::Tone toneOf(TraceColor color, bool words);
std::vector<Raster::Tone> tonesOf(const std::vector<TraceState>& states, bool words);

std::vector<SceneBuilder::LetterKey> legendOf(const std::vector<TraceState>& states);

inline QString text(const std::string& words)
{
    return QString::fromStdString(words);
}
/// "1 234.5", "0.25", "1.5e+09"; with the unit after it.
QString numberText(double value, const std::string& unit = {}, int digits = 6);
/// As much of a text as fits, with an ellipsis.
QString cutText(const SceneBuilder& builder, const QString& words, double width, double pixels = 12);

} // namespace ridge::app
