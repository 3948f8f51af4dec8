// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "classroom/collect.h"

namespace ridge::classroom {

/// Says whose work a pseudonym is: what was handed in under it is that of `whom` from now on, who is on the roster.
/// Where the pseudonym was somebody else's, it is no longer. On the disk when this returns. Errors: "unknown-learner"
/// (nothing was handed in under it), "unknown-person", "several-people", "has-handed-in" (under an id of their own:
/// nobody hands in as two), those of the database.
Result<Person> joinLearner(OpenClass& open, const std::string& learner, const std::string& whom);

} // namespace ridge::classroom
