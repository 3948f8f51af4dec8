// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/folio/portfolio_document.h"
#include "app/folio/write_portfolio.h"

#include <QFuture>
#include <filesystem>

namespace ridge::app {

/// What a portfolio is made of, read and written beside the event loop: with an own connection to the record.
struct AssembleRequest {
    std::filesystem::path record, data, out; ///< out: empty for a preview
    std::vector<ExperimentInfo> experiments;
    std::map<std::string, std::string> lessonTitles;
    folio::PortfolioOptions options;
    bool pdf = true;
};

struct Assembled {
    std::vector<folio::PrivacyItem> privacy;
    folio::WriteReport written; ///< of an export
};

/// Errors: those of makePortfolio, writePortfolio and Store::openReadOnly.
QFuture<Result<Assembled>> assemble(AssembleRequest request);

} // namespace ridge::app
