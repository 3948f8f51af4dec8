// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "portfolio/portfolio_document.h"
#include "portfolio/style.h"

#include <functional>

namespace ridge::folio {

struct WriteOptions {
    bool pdf = true; ///< needs a QGuiApplication
    /// Told now and then what is being made, and how much of all is done, from 0 to 1.
    std::function<void(double share, const char* what)> progress = {};
};

struct WriteReport {
    std::filesystem::path folder;
    std::size_t files = 0, bytes = 0, artifacts = 0, rows = 0, redactedRows = 0;
};

/// The whole portfolio in a folder that does not exist yet or is empty. It is made beside it under another name and
/// renamed when it is complete: who looks sees nothing or all of it, whenever the program ends. May run in a thread of
/// its own. Errors: "cannot-write" (names the path), "cannot-read" and "bad-theme" of the assets in `data`.
Result<WriteReport> writePortfolio(const PortfolioDocument& document, const std::filesystem::path& data,
                                   const std::filesystem::path& folder, const WriteOptions& options = {});

} // namespace ridge::folio
