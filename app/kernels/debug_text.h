// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace ridge::app {

class DebugSession;

/// "Why is this warp waiting?", in a sentence.
QString standingSentence(const DebugSession& session);
/// " · in fact(int), 3 calls deep"; nothing in the kernel itself.
QString callText(const DebugSession& session);

} // namespace ridge::app
