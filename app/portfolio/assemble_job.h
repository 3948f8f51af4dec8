// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "portfolio/portfolio_document.h"
#include "portfolio/write_portfolio.h"

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

/// For Background::run: may take a while, and gives up before it begins to write. Errors: those of makePortfolio,
/// writePortfolio and Store::openReadOnly, "stopped".
Result<Assembled> assemble(const AssembleRequest& request);

} // namespace ridge::app
