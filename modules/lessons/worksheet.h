// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "lessons/curriculum.h"
#include "lessons/lesson_evidence.h"

#include <functional>

namespace ridge::lessons {

/// What `from` of a given row leads to, in the row's unit; no value: it is not there yet (a run that was not made).
using GivenLookup = std::function<std::optional<double>(const std::string& from)>;

/// Looks up `claim:key`, `chip:…` and `baseline:…` in the curriculum and `run:block.metric@…` in the newest run of that
/// block, as the claim of an artifact does. Both must outlive it.
GivenLookup givenLookup(const Curriculum& curriculum, const Evidence& evidence);

/// Which numbers a worksheet can be asked with: 0 … instances − 1. At least one.
int instancesOf(const WorksheetBlock& sheet);

/// The values of `vars` in an instance; instances repeat after the last.
ParamSet varsOf(const WorksheetBlock& sheet, int instance);

/// `{{batch}}` and `{{= 2 * batch}}` with the values of the instance. Other braces stay.
std::string withVars(const std::string& text, const WorksheetBlock& sheet, int instance);

/// Every number of a worksheet by name: vars, given rows and cells. Errors: "not-run" (names the given row that has no
/// value yet), "bad-formula", "unknown-name", "not-finite" (names the cell).
Result<std::map<std::string, double>> solveSheet(const WorksheetBlock& sheet, int instance, const GivenLookup& lookup);

/// Within the cell's relative tolerance; of a right value of 0 only 0 is right.
bool isCellRight(const WorksheetCell& cell, double right, double given);

/// How far the reader has got, from the stored answers of the block (oldest first).
struct SheetProgress {
    int instance = 0;
    std::map<std::string, double> right; ///< cells that are filled rightly in this instance
    bool shown = false;                  ///< the solution of this instance was asked for
    bool done = false;                   ///< all cells of some instance were filled rightly, without that
    int wrong = 0;                       ///< wrong attempts in this instance
};
SheetProgress sheetProgress(const WorksheetBlock& sheet, const std::vector<AnswerGiven>& answers);

/// The sheet as a table (CSV, RFC 4180): row, label, value, unit, and where the value comes from. Cells that the reader
/// has not filled have no value.
std::string sheetCsv(const WorksheetBlock& sheet, const SheetProgress& progress, const GivenLookup& lookup);

} // namespace ridge::lessons
