// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "portfolio/privacy.h"
#include "record/store.h"
#include "record/withholding.h"

namespace ridge::folio {

/// rows.jsonl of a portfolio.
struct PortfolioRows {
    std::string text;
    std::size_t rows = 0, redacted = 0; ///< redacted: 0 where the file is as the record wrote it
    std::set<std::string> columns;      ///< that lost something: "run.fingerprint"
};

/// The chosen rows and what they refer to. Where a detail has to go, the whole file is written anew: a stored digest
/// covers what is no longer there, and whoever knows the rest of a row could find a short name by trying. Such a line
/// has "redacted", the list of what was changed in it, and "digest" and "previous" are made over the lines of this file
/// (redactedDigest), so that a line changed, taken out or moved is noticed. What `held`
/// keeps back is taken out the same way. Errors: those of the store.
///
/// `files`: of files that lost details, the SHA-256 before and that of what is given away. The latter takes the place
/// of the former: it can be checked, and a digest of the whole would let a short name be found by trying.
Result<PortfolioRows> portfolioRows(const record::Store& store, const std::vector<std::string>& ids, Redactor& redactor,
                                    const record::Withholding& held,
                                    const std::map<std::string, std::string>& files = {});

/// SHA-256 over the line as JSON without its "digest" field, keys in the order in which they stand, no spaces.
std::string redactedDigest(const Json& line);

} // namespace ridge::folio
