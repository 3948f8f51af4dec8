// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "classroom/assignment.h"

#include <QString>

namespace ridge::app {

/// The first half of a key in groups of four, to be read out and compared: "4F2A 91C0 …" (64 bits of an Ed25519 key's
/// 256; a file with another key fails its signature, this only tells two teachers apart).
QString keyFingerprint(const std::string& key);

/// "8 March 2027, 18:00" in this computer's time; empty for an empty or unreadable time.
QString timeText(const std::string& iso);
/// "Due 8 March 2027, 18:00", "No deadline", "Was due …" when it has passed at `now` (ISO 8601 UTC).
QString deadlineText(const classroom::Assignment& assignment, const std::string& now);

QString stepTitle(const std::string& step);   ///< "Predicted"
QString stepOutcome(const std::string& step); ///< "How far your predictions were off": what a policy is about
/// "at once", "from 8 March 2027, 18:00 on", "not shown".
QString whenText(const classroom::Assignment& assignment, const std::string& step);
/// Whether the policy keeps anything back.
bool keepsBack(const classroom::Assignment& assignment);

} // namespace ridge::app
