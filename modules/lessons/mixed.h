// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "lessons/curriculum.h"

#include <set>

namespace ridge::lessons {

/// A quiz of a lesson that is asked again, with other numbers, beside those of other modules.
struct MixedQuestion {
    std::string lesson, block;
    std::string asks; ///< the lesson whose matter it is: `lesson`, or the one that the quiz recalls
    SourceSpan at = {};
};

/// Questions of several modules that ask for the same kind of judgement.
struct MixedSet {
    std::string id, title, about;
    std::vector<MixedQuestion> questions;
    SourceSpan at = {};
};

/// mixed.yaml; empty and without problems where a curriculum has none.
struct LoadedMixed {
    std::vector<MixedSet> sets;
    std::vector<Problem> problems;
};
LoadedMixed loadMixed(const Curriculum& curriculum);

/// Where the answers to the `nth` asking (from 1) of a question are kept: beside the lesson's own block, so that no
/// check and no page of the lesson takes them for its own.
std::string mixedBlock(const std::string& block, int nth);
/// The block that it is an asking of; empty: it is none.
std::string askedIn(const std::string& mixedBlock);

/// How often and when a question was asked before; `last` grows with time, 0: never.
struct MixedHistory {
    std::int64_t last = 0;
    bool missed = false; ///< the first answer of the last asking was wrong, or its solution was shown
    int times = 0;
};

/// At most `count` questions of a set whose matter was met. First those never asked, then those answered wrongly last
/// time, then those asked longest ago, each group in an order drawn by the seed and spread over the modules; neighbours
/// are of different modules where that can be done. `history` is by lesson and block, "5.4#count-heads".
std::vector<MixedQuestion> drawMixed(const MixedSet& set, const std::set<std::string>& met,
                                     const std::map<std::string, MixedHistory>& history, std::size_t count,
                                     std::uint64_t seed);
/// The questions of a set whose matter was met, and of how many modules that is.
struct MixedOffer {
    std::size_t questions = 0, modules = 0;
};
MixedOffer offerOf(const MixedSet& set, const std::set<std::string>& met);

} // namespace ridge::lessons
