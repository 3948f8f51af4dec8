// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "classroom/feedback_policy.h"
#include "record/withholding.h"

namespace ridge::classroom {

/// What exports and searches ask, as of `now` (ISO 8601 UTC). Value: it can be handed to a thread.
record::Withholding withholdingOf(const FeedbackPolicy& policy, const std::string& now);

} // namespace ridge::classroom
