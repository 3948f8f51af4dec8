// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "classroom/collect.h"
#include "classroom/kernel_likeness.h"

namespace ridge::classroom {

/// Kernels that are alike: a matter to talk about, and no proof of anything. No grade depends on it (control CK12).
struct AlikeKernels {
    enum class How {
        SameText,     ///< the same bytes
        SameWords,    ///< but for comments, white space, braces and names of their own
        SameSolution, ///< the same words as the solution that ships
        NearWords,    ///< much the same code, statements moved or split
        NearSolution, ///< the same of the solution that ships
    };
    std::string lesson, title;
    How how = How::SameText;
    std::vector<Person> who; ///< in the order of their names; one person may be like the solution
    int ownWords = 0;        ///< beyond what the task begins with; below kFewWords likeness says little
    double nearness = 1;     ///< of two that are near: the least by which any of them came into the group
};

const char*
toText(AlikeKernels::How how); ///< "same-text", "same-words", "same-solution", "near-words", "near-solution"
/// What they are: "the same text", "the same but for names …".
const char* inWords(AlikeKernels::How how);

struct HandedInShape {
    Person who;
    KernelShape shape;
};
/// The groups of one task, those with most people first. What has nothing of its own is like nothing. Where some of a
/// group share their text too, they stand once more by themselves. Kernels that are near each other (kNear) make one
/// group of whoever is near to somebody in it; those near the solution are a group of their own and not compared with
/// each other, since what is published anybody may have from there.
std::vector<AlikeKernels> alikeKernels(const std::string& lesson, const std::string& title,
                                       const std::vector<HandedInShape>& kernels);

Json toJson(const AlikeKernels& alike);

} // namespace ridge::classroom
