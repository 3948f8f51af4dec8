// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "lessons/companions.h"
#include "record/rows.h"

namespace ridge::app {

/// The artifact that a lab done elsewhere is shipped as, with its question and what to write below each heading.
record::ArtifactRow draftOf(const lessons::OutsideLab& lab);

} // namespace ridge::app
