// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "record/rows.h"

#include <span>

namespace ridge::record {

/// The run that answers a prediction: of the same experiment, at the parameters it asked about, started from it if
/// there is one such. Null: it was never run.
const RunRow* answerTo(const PredictionRow& prediction, std::span<const RunRow> runs);

} // namespace ridge::record
