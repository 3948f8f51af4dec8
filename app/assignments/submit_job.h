// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/classroom/submission.h"

#include <QFuture>

namespace ridge::app {

/// What a submission is made of; the thread that makes it opens the record for itself.
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

/// On the thread pool. Errors: those of createSubmission, ownIdentity and writeDurably.
QFuture<Result<Submitted>> submit(SubmitRequest request);

/// The other computers whose rows of the assigned lessons were merged into this record.
std::vector<std::string> foreignOrigins(const record::Store& store, const classroom::Assignment& assignment);

} // namespace ridge::app
