// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "privacy/places.h"

namespace ridge::personal {

/// Deleting everything of one's own. It is decided first, by a file that outlives the program, and done when nothing
/// has the record open: at once on the command line, after the window has closed in the program. Whoever starts next
/// goes on where a killed one was, before it opens anything; so there is either everything or, soon, nothing. Rows
/// cannot be taken out of a record one by one, for each holds the digest of the one before: it goes as a whole.
/// What is deleted is unlinked, not overwritten: a disk may keep it until it needs the room.

/// Whether it was decided and is not done yet.
bool erasureOrdered(const std::filesystem::path& home);

/// Decides it. Errors: "store-readonly", "disk-full".
Result<void> orderErasure(const std::filesystem::path& home);

struct Erased {
    int files = 0;
    std::uintmax_t bytes = 0;
};

/// Decides it and does it, once nobody else has the record open. Errors: as finishErasure; where the record is open
/// elsewhere, nothing is decided.
Result<Erased> eraseNow(const Places& places);

/// Removes all parts of the inventory, and last what orderErasure wrote. Errors: "store-locked" (a program has the
/// record open), "store-readonly" (names the file); it stays decided.
Result<Erased> finishErasure(const Places& places);

} // namespace ridge::personal
