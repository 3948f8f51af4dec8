// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/lesson/reader/formula_library.h"
#include "app/lesson/reader/info_card.h"
#include "app/lesson/reader/lesson_state.h"

namespace ridge::app {

/// What every part of a lesson page is given. Owned by the page, outlives its parts.
struct ReaderContext {
    AppContext& app;
    LessonState& state;
    FormulaLibrary& formulas;
    InfoCard& card;

    Theme& theme() const { return app.theme(); }
};

/// Inner margin of a block's card; the text of the page is set in by as much, so that both stand on one edge.
inline constexpr int kTextInset = 24;

} // namespace ridge::app
