// SPDX-License-Identifier: GPL-3.0-or-later
#include "record/withholding.h"

#include "record/graded_kernel.h"

namespace ridge::record {

void withholdResult(RunRow& run)
{
    run.metrics.clear();
    run.limits.clear();
    run.checks.clear();
    run.traceSha256.clear();
}

void withholdResults(const Withholding& held, std::vector<RunRow>& runs)
{
    for (RunRow& run : runs)
        if (!Withholding::reason(held.result, run.lesson).empty())
            withholdResult(run);
}

std::string heldClaim(const std::string& reason)
{
    return "The claim is stored. " + reason;
}

HeldParts heldParts(const Withholding& held, const std::string& lesson)
{
    return {Withholding::reason(held.result, lesson), Withholding::reason(held.prediction, lesson),
            Withholding::reason(held.artifact, lesson)};
}

HeldParts withhold(const Withholding& held, ArtifactRow& artifact, std::vector<RunRow>& runs,
                   std::vector<ReproductionRow>& reproductions)
{
    withholdResults(held, runs);
    HeldParts parts = heldParts(held, artifact.lesson);
    if (parts.result.empty())
        return parts;
    if (!artifact.claim.empty())
        artifact.claim = heldClaim(parts.result);
    if (artifact.lesson.starts_with(kGradedKernelPrefix)) { // points, reasons and facts are the verdict
        artifact.figures = Json::array();
        artifact.sections.erase("result");
        artifact.grading = {};
    }
    for (ReproductionRow& reproduction : reproductions) {
        reproduction.pairs.clear();
        reproduction.grading = {};
    }
    return parts;
}

} // namespace ridge::record
