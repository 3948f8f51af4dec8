// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "lessons/lesson_evidence.h"

namespace ridge::lessons {

/// Internal: one function for each kind of check, and what they share. docs/authoring.md says when each is passed.
struct Verdict {
    CheckState state = CheckState::Missing;
    std::string detail;
};

/// "stride = 4, offset = 1"
std::string pointText(const ParamSet& params);
/// "1 point", "3 points"
std::string countText(std::size_t count, const std::string& thing);
/// Equal but for what arithmetic in doubles loses.
bool same(double a, double b);

ParamSet only(const ParamSet& params, const std::vector<std::string>& names);
ParamSet without(ParamSet params, const std::vector<std::string>& names);

/// The runs that a check speaks of: of its experiment, with its metric, matching its `where`, of its `block` where it
/// names one; oldest first.
std::vector<const EvidenceRun*> runsOf(const CheckSpec& check, const Evidence& evidence);
double metricOf(const EvidenceRun& run, const CheckSpec& check);
/// The same with the unit of the run's metric, "32 µs".
std::string metricTextOf(const EvidenceRun& run, const CheckSpec& check);
/// The unit of the check's metric by its newest run; empty where there is none.
std::string unitOf(const CheckSpec& check, const Evidence& evidence);

Verdict checkFormula(const CheckSpec& check, const Evidence& evidence);
Verdict checkRatio(const CheckSpec& check, const Evidence& evidence);
Verdict checkBound(const CheckSpec& check, const Evidence& evidence);
Verdict checkOrder(const CheckSpec& check, const Evidence& evidence);
Verdict checkCount(const CheckSpec& check, const Evidence& evidence);
Verdict checkPlateaus(const CheckSpec& check, const Evidence& evidence);
Verdict checkLinearFit(const CheckSpec& check, const Evidence& evidence);
Verdict checkCrossing(const CheckSpec& check, const Evidence& evidence);
Verdict checkKnee(const CheckSpec& check, const Evidence& evidence);
Verdict checkStep(const CheckSpec& check, const Evidence& evidence);
Verdict checkWinners(const CheckSpec& check, const Evidence& evidence);
Verdict checkConstraint(const CheckSpec& check, const Evidence& evidence);
Verdict checkGraded(const CheckSpec& check, const Evidence& evidence);
Verdict checkImported(const CheckSpec& check, const Evidence& evidence);

} // namespace ridge::lessons
