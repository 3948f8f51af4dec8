// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "evidence/discretion.h"
#include "lessons/mixed.h"
#include "record/store.h"

namespace ridge::app {

/// What the store says about questions that are mixed over modules.
struct MixedRecord {
    std::set<std::string> met; ///< lessons that were begun, and those of modules that the placement found known
    std::map<std::string, lessons::MixedHistory> history; ///< by lesson and block, "5.4#count-heads"
};

/// Lessons of which `discretion` keeps anything back are in no set: a class may be asked the same question. Errors:
/// those of the store.
Result<MixedRecord> mixedRecord(const record::Store& store, const lessons::Curriculum& curriculum,
                                const std::vector<lessons::MixedSet>& sets, const Discretion& discretion = {});

/// The question as it is asked for the `nth` time: under a block of its own, with the instances that were not used yet,
/// in the lesson or here, as long as there are any. Errors: those of the store; "unknown-block" where the lesson has no
/// such quiz.
Result<lessons::Block> mixedInstance(const record::Store& store, const lessons::Lesson& lesson,
                                     const lessons::MixedQuestion& question, int nth);

} // namespace ridge::app
