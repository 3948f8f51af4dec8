// SPDX-License-Identifier: GPL-3.0-or-later
#include "record/trust.h"

#include "base/target_kind.h"
#include "record/grading_again.h"
#include "record/reproduce.h"

#include <algorithm>

namespace ridge::record {

namespace {

Result<std::vector<RunRow>> runsOf(const Store& store, const std::vector<std::string>& ids)
{
    if (ids.empty())
        return std::vector<RunRow>{};
    RunFilter filter;
    filter.ids = ids;
    return store.runs(filter);
}

/// What an artifact stands on.
struct Evidence {
    std::vector<RunRow> runs; ///< the finished ones, in the artifact's order
    std::vector<PredictionRow> predictions;
    std::set<std::string> origins; ///< whose they and the artifact are
};

Result<Evidence> evidenceOf(const Store& store, const ArtifactRow& artifact, const std::vector<RunRow>& rows)
{
    Evidence evidence;
    evidence.origins.insert(artifact.origin);
    for (const std::string& id : artifact.runIds)
        for (const RunRow& row : rows)
            if (row.id == id && row.status == "finished")
                evidence.runs.push_back(row);
    for (const RunRow& run : evidence.runs)
        evidence.origins.insert(run.origin);
    auto predictions = store.predictionsById(artifact.predictionIds);
    if (!predictions)
        return predictions.error();
    evidence.predictions = std::move(*predictions);
    return evidence;
}

/// The sentence when the artifact does not even reach T1.
std::optional<std::string> whyNotT1(const Store& store, const ArtifactRow& artifact, const Evidence& evidence,
                                    std::size_t found)
{
    const std::set<std::string> wanted(artifact.runIds.begin(), artifact.runIds.end());
    if (wanted.empty())
        return "No run stands behind it: its numbers were typed in or read from a file.";
    if (found < wanted.size())
        return std::to_string(wanted.size() - found) + " of its " + std::to_string(wanted.size()) +
               " runs are not in this record.";
    if (evidence.runs.empty())
        return "None of its runs finished.";
    for (const RunRow& run : evidence.runs)
        if (run.provenance == Provenance::Recorded)
            return "Its numbers were recorded elsewhere, not by a run of this program.";
    const std::pair<QString, std::vector<std::string>> parts[] = {
        {QStringLiteral("artifact"), {artifact.id}},
        {QStringLiteral("prediction"), artifact.predictionIds},
        {QStringLiteral("run"), artifact.runIds}};
    for (const auto& [kind, ids] : parts)
        if (auto sound = store.verifyRows(kind, ids); !sound)
            return sound.error().message + ".";
    return {};
}

/// The artifact's runs beside those of a reproduction; empty unless it covers all of them with runs of its own.
Result<std::vector<RepeatedRun>> repeatedRuns(const Store& store, const Evidence& evidence, const ReproductionRow& row)
{
    std::map<std::string, std::string> newOf;
    std::vector<std::string> ids;
    for (const ReproductionPair& pair : row.pairs)
        if (!pair.newRun.empty() && newOf.emplace(pair.oldRun, pair.newRun).second)
            ids.push_back(pair.newRun);
    auto rows = runsOf(store, ids);
    if (!rows)
        return rows.error();
    if (!store.verifyRows(QStringLiteral("run"), ids))
        return std::vector<RepeatedRun>{};
    std::vector<RepeatedRun> repeated;
    for (const RunRow& before : evidence.runs) {
        const auto named = newOf.find(before.id);
        const auto now =
            named == newOf.end()
                ? rows->end()
                : std::find_if(rows->begin(), rows->end(), [&](const RunRow& one) { return one.id == named->second; });
        const bool fits = now != rows->end() && now->origin == row.origin && now->experiment == before.experiment &&
                          now->params == before.params;
        if (!fits)
            return std::vector<RepeatedRun>{};
        repeated.push_back({before, *now});
    }
    return repeated;
}

bool allMeasured(const std::vector<RepeatedRun>& runs)
{
    return std::all_of(runs.begin(), runs.end(), [](const RepeatedRun& run) {
        return run.now && run.now->provenance == Provenance::Measured && measuresKernels(run.now->target);
    });
}

std::string runWord(std::size_t count)
{
    return std::to_string(count) + (count == 1 ? " run" : " runs");
}

Result<Trust> raisedBy(const Store& store, const Evidence& evidence, const ReproductionRow& row)
{
    Trust none;
    if (evidence.origins.contains(row.origin) || !store.verifyRows(QStringLiteral("reproduction"), {row.id}))
        return none;
    auto runs = repeatedRuns(store, evidence, row);
    if (!runs)
        return runs.error();
    if (runs->empty())
        return none;
    const Headline headline = headlineOf(evidence.predictions, *runs);
    const std::string verdict = compareRuns(*runs, headline).verdict;
    const std::string when = row.createdAt.substr(0, 10);
    if (verdict == "reproduced" || verdict == "within noise")
        return Trust{TrustLevel::T2, "Somebody else, or a second machine, ran it again on " + row.target + " on " +
                                         when + ": " + verdict + "."};
    if (verdict == "different hardware" && allMeasured(*runs) && sameRatios(*runs, headline).value_or(false))
        return Trust{TrustLevel::T3, "Somebody else ran it again on another GPU (" + row.target + ") on " + when +
                                         ", and the ratios between its runs say the same."};
    return none;
}

/// What a reproduction of a graded kernel raises its trust to, from what was seen then and now; T0: to nothing.
Result<Trust> gradedAgainRaises(const Store& store, const ArtifactRow& artifact, const ReproductionRow& row)
{
    const auto again = row.grading->is_null() ? Result<GradedAgain>(Error{}) : gradedAgainFromJson(*row.grading);
    if (!again || !store.verifyRows(QStringLiteral("reproduction"), {row.id}))
        return Trust{};
    const auto comparison = compareGradings(artifact, *again);
    if (!comparison)
        return comparison.error();
    const std::string& verdict = comparison->verdict;
    const bool agrees = verdict == "reproduced" || verdict == "within noise";
    const std::string when = row.createdAt.substr(0, 10);
    if (row.origin == artifact.origin)
        return agrees ? Trust{TrustLevel::T1, "Graded again by this program on " + row.target + " on " + when + ": " +
                                                  verdict + ". Nobody else has graded it again yet."}
                      : Trust{};
    if (agrees)
        return Trust{TrustLevel::T2, "Somebody else, or a second machine, graded it again on " + row.target + " on " +
                                         when + ": " + verdict + "."};
    if (verdict == "different hardware" && sameGradedRatio(artifact, *again).value_or(false))
        return Trust{TrustLevel::T3, "Somebody else graded it again on another GPU (" + row.target + ") on " + when +
                                         ", and its time beside the reference's says the same."};
    return Trust{};
}

Result<Trust> trustOfGraded(const Store& store, const ArtifactRow& artifact)
{
    if (auto sound = store.verifyRows(QStringLiteral("artifact"), {artifact.id}); !sound)
        return Trust{TrustLevel::T0, sound.error().message + "."};
    Trust best{TrustLevel::T1, "Graded by this program, and the row is as it was stored. Nobody else has graded it "
                               "again yet."};
    if (const auto why = whyNotItsGrading(artifact)) {
        best = {TrustLevel::T0, "Its figures are not those of its grading: " + *why + "."};
        if (!why->empty())
            return best;
        best.why = "Its figures are of a grading of which nothing was kept: grade the kernel again, with Reproduce.";
    }
    const auto reproductions = store.reproductions(artifact.artifactId.empty() ? artifact.id : artifact.artifactId);
    if (!reproductions)
        return reproductions.error();
    for (const ReproductionRow& row : *reproductions) {
        auto raised = gradedAgainRaises(store, artifact, row);
        if (!raised)
            return raised.error();
        if (raised->level > best.level)
            best = std::move(*raised);
    }
    return best;
}

} // namespace

std::string_view toText(TrustLevel level)
{
    constexpr std::string_view names[] = {"T0", "T1", "T2", "T3"};
    return names[std::size_t(level)];
}

std::string whyFirstHand(const std::vector<RunRow>& runs)
{
    const Provenance first = runs.front().provenance;
    const bool alike =
        std::all_of(runs.begin(), runs.end(), [&](const RunRow& run) { return run.provenance == first; });
    const char* how = !alike                           ? "made"
                      : first == Provenance::Measured  ? "measured"
                      : first == Provenance::Simulated ? "simulated"
                                                       : "computed";
    return (runs.size() == 1 ? "Its run was " : "Its " + runWord(runs.size()) + " were ") + how +
           " by this program, and the rows are as they were stored. Nobody else has run them again yet.";
}

Result<Trust> trustOf(const Store& store, const ArtifactRow& artifact)
{
    if (isGradedKernel(artifact))
        return trustOfGraded(store, artifact);
    const auto rows = runsOf(store, artifact.runIds);
    if (!rows)
        return rows.error();
    const auto evidence = evidenceOf(store, artifact, *rows);
    if (!evidence)
        return evidence.error();
    if (const auto why = whyNotT1(store, artifact, *evidence, rows->size()))
        return Trust{TrustLevel::T0, *why};
    Trust best{TrustLevel::T1, whyFirstHand(evidence->runs)};
    const auto reproductions = store.reproductions(artifact.artifactId.empty() ? artifact.id : artifact.artifactId);
    if (!reproductions)
        return reproductions.error();
    for (const ReproductionRow& row : *reproductions) {
        auto raised = raisedBy(store, *evidence, row);
        if (!raised)
            return raised.error();
        if (raised->level > best.level)
            best = std::move(*raised);
    }
    return best;
}

} // namespace ridge::record
