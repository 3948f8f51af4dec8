// SPDX-License-Identifier: GPL-3.0-or-later
#include "portfolio/portfolio_source.h"

#include "record/trust.h"

#include <algorithm>

namespace ridge::folio {
namespace {

PortfolioSource::Place placeInRecord(const std::string&, const std::string& origin, std::int64_t seq)
{
    return {origin, seq};
}

} // namespace

Result<PortfolioSource> sourceOf(const record::Store& store)
{
    PortfolioSource source;
    auto predictions = store.predictions({});
    if (!predictions)
        return predictions.error();
    for (record::PredictionRow& row : *predictions)
        source.predictions[row.id] = std::move(row);
    auto journal = store.journal({});
    if (!journal)
        return journal.error();
    for (record::JournalRow& row : *journal)
        source.journal[row.entryId] = std::move(row);
    auto reproductions = store.reproductions({});
    if (!reproductions)
        return reproductions.error();
    std::ranges::stable_sort(*reproductions, {}, [](const record::ReproductionRow& row) {
        return placeInRecord(row.id, row.origin, row.seq);
    });
    for (record::ReproductionRow& row : *reproductions)
        source.reproductions[row.artifactId].push_back(std::move(row));
    source.place = placeInRecord;
    source.runs = [&store](const std::vector<std::string>& ids) {
        record::RunFilter filter;
        filter.ids = ids;
        return store.runs(filter);
    };
    source.reason = [&store](const std::string& predictionId) -> Result<std::optional<record::ReasonRow>> {
        const auto reasons = store.reasons(predictionId);
        if (!reasons)
            return reasons.error();
        return reasons->empty() ? std::optional<record::ReasonRow>() : reasons->front();
    };
    source.notes = [&store](const std::string& lesson) { return store.notes(lesson); };
    source.file = [&store](const std::string& sha256) { return store.file(sha256); };
    source.trust = [&store](const record::ArtifactRow& row) -> Result<TrustPart> {
        const auto trust = record::trustOf(store, row);
        if (!trust)
            return trust.error();
        return TrustPart{std::string(record::toText(trust->level)), {}, trust->why};
    };
    return source;
}

std::vector<const record::JournalRow*> journalBeside(const PortfolioSource& source, const std::set<std::string>& told)
{
    std::vector<const record::JournalRow*> beside;
    for (const auto& [id, entry] : source.journal)
        if (!told.contains(id))
            beside.push_back(&entry);
    std::ranges::stable_sort(beside, {}, [&source](const record::JournalRow* entry) {
        return source.place(entry->id, entry->origin, entry->seq);
    });
    return beside;
}

std::string trustMeaning(std::string_view level)
{
    return level == "T0" ? "No run or grading stands behind the numbers."
           : level == "T1"
               ? "Run or graded by the author; every number comes from what was stored then. Nobody else has repeated "
                 "it yet."
           : level == "T2" ? "Repeated by somebody else, with the same result or within noise."
                           : "Repeated by somebody else on another GPU, with the same conclusion.";
}

} // namespace ridge::folio
