// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "classroom/submission.h"

#include <filesystem>

namespace ridge::app {

/// What a submission is made of; what makes it opens the record for itself.
struct SubmitRequest {
    std::filesystem::path record; ///< store's folder, where the learner's key lies as well
    classroom::Assignment assignment;
    classroom::Consent consent;
    std::filesystem::path out; ///< folder; empty: only looked at
};
struct Submitted {
    classroom::WrittenSubmission written; ///< its bytes are empty once they are in a file
    std::string learner;
    std::filesystem::path file; ///< empty: only looked at
};

/// For Background::run. Errors: those of createSubmission, ownIdentity and writeDurably, "stopped".
Result<Submitted> submit(const SubmitRequest& request);

/// The other computers whose rows of the assigned lessons were merged into this record.
std::vector<std::string> foreignOrigins(const record::Store& store, const classroom::Assignment& assignment);

} // namespace ridge::app
