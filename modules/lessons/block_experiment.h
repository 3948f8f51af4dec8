// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "lessons/lesson.h"

namespace ridge::lessons {

/// The experiment that a block names; empty: it names none.
std::string experimentOf(const Block& block);

} // namespace ridge::lessons
