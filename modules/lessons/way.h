// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "lessons/curriculum.h"

namespace ridge::lessons {

/// Where the foundations stand for a learner: in front for somebody new to GPUs, last for somebody who has written
/// CUDA, else as anything that a lesson builds on, before the lesson that needs them.
enum class Foundations { First, AsNeeded, Last };

/// The lessons of a path in the order in which they are read, each after what it builds on, which is added where the
/// path does not name it. With Foundations::Last what somebody knows already is not added. Ids, also of lessons that
/// are not written.
std::vector<std::string> wayOf(const Curriculum& curriculum, const LessonPath& path, Foundations foundations);

/// A lesson that comes before something it builds on.
struct UnmetPrerequisite {
    std::string lesson, needs;
};
/// Of a way; foundations count as met where `known` says so.
std::vector<UnmetPrerequisite> unmetOn(const Curriculum& curriculum, const std::vector<std::string>& way,
                                       bool foundationsKnown);

/// Everything that a lesson builds on, directly or not, in the order of the curriculum.
std::vector<std::string> ancestorsOf(const Curriculum& curriculum, const std::string& lesson);

/// Lessons that need each other: "2.1 needs 2.2 needs 2.1"; empty: there are none.
std::string circleIn(const Curriculum& curriculum);

} // namespace ridge::lessons
