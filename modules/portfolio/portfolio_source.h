// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "portfolio/portfolio_document.h"

#include <functional>

namespace ridge::folio {

/// What a portfolio's pages are made from: a learner's record, or the rows of a portfolio that is checked. Everything
/// that is read once for all artifacts is a map.
struct PortfolioSource {
    std::map<std::string, record::PredictionRow> predictions;
    std::map<std::string, record::JournalRow> journal;                         ///< by entryId
    std::map<std::string, std::vector<record::ReproductionRow>> reproductions; ///< by artifactId
    std::function<Result<std::vector<record::RunRow>>(const std::vector<std::string>& ids)> runs;
    std::function<Result<std::optional<record::ReasonRow>>(const std::string& predictionId)> reason;
    std::function<Result<std::vector<record::NoteRow>>(const std::string& lesson)> notes;
    std::function<Result<std::string>(const std::string& sha256)> file;
    /// Level and why; trustMeaning() says the rest.
    std::function<Result<TrustPart>(const record::ArtifactRow&)> trust;
    /// The place of a row among the others. The order in which rows are told must follow from rows.jsonl alone, where
    /// times may be months and ids numbers: it is that of its lines.
    using Place = std::pair<std::string, std::int64_t>;
    std::function<Place(const std::string& id, const std::string& origin, std::int64_t seq)> place;
};

Result<PortfolioSource> sourceOf(const record::Store& store);

/// What every part of a document is made with.
struct PortfolioMaker {
    const PortfolioSource& source;
    std::span<const ExperimentInfo> experiments;
    LessonTitle lessonTitle;
    Redactor& redactor;
    const record::Withholding& held;
    std::set<std::string> slugs = {};
    std::set<std::string> notedLessons = {}; ///< whose margin an artifact has told by now
    std::vector<std::string> reasonIds = {}; ///< rows of what predictions had assumed
    /// Files of artifacts that lost details: the SHA-256 before, and of what is given away.
    std::map<std::string, std::string> changedFiles = {};
};

/// One artifact; in the order in which they are to appear.
Result<ArtifactPart> artifactPartOf(PortfolioMaker& maker, record::ArtifactRow row);

JournalPart journalPartOf(Redactor& redactor, const record::JournalRow& entry);
/// Entries that belong to no artifact, by their place.
std::vector<const record::JournalRow*> journalBeside(const PortfolioSource& source, const std::set<std::string>& told);

std::string trustMeaning(std::string_view level);

} // namespace ridge::folio
