// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/classroom/collect.h"
#include "app/classroom/kernel_likeness.h"

namespace ridge::classroom {

/// Kernels that are alike: a matter to talk about, and no proof of anything. No grade depends on it (control CK12).
struct AlikeKernels {
    enum class How {
        SameText,     ///< the same bytes
        SameWords,    ///< but for comments, white space, braces and names of their own
        SameSolution, ///< the same words as the solution that ships
    };
    std::string lesson, title;
    How how = How::SameText;
    std::vector<Person> who; ///< in the order of their names; one person may be like the solution
    int ownWords = 0;        ///< beyond what the task begins with; below kFewWords likeness says little
};

const char* toText(AlikeKernels::How how); ///< "same-text", "same-words", "same-solution"
/// What they are: "the same text", "the same but for names …".
const char* inWords(AlikeKernels::How how);

struct HandedInShape {
    Person who;
    KernelShape shape;
};
/// The groups of one task, those with most people first. What has nothing of its own is like nothing. Where some of a
/// group share their text too, they stand once more by themselves.
std::vector<AlikeKernels> alikeKernels(const std::string& lesson, const std::string& title,
                                       const std::vector<HandedInShape>& kernels);

Json toJson(const AlikeKernels& alike);

} // namespace ridge::classroom
