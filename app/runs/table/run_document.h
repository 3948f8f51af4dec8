// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "record/rows.h"

#include <QString>

namespace ridge::app {

/// Runs out of a JSON file of another machine: what `ridge run --json` prints, what the Lab and the run table export,
/// or a recorded baseline (assets/schemas/baseline.schema.json). What that machine measured is RECORDED here; what a
/// simulator or a model says stays what it is, for it does not depend on the machine. Errors: "cannot-read", "bad-runs"
/// and "bad-baseline" (name file, place and what is missing), "too-large".
Result<std::vector<record::RunRow>> readRunDocument(const QString& path);

/// The same from text; `place` names it in errors.
Result<std::vector<record::RunRow>> parseRunDocument(const std::string& text, const std::string& place);

} // namespace ridge::app
