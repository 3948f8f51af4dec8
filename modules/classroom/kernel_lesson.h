// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "record/graded_kernel.h"

#include <string>
#include <string_view>

namespace ridge::classroom {

/// A kernel task stands in an assignment as a lesson of its own, "kernel-saxpy" for the task saxpy: it has a text, a
/// digest, steps, points and feedback as every lesson has. A program that does not know the task shows it as a lesson
/// that it does not have.
inline constexpr std::string_view kKernelPrefix = record::kGradedKernelPrefix;
inline bool isKernelLesson(std::string_view lesson)
{
    return lesson.starts_with(kKernelPrefix);
}
inline std::string kernelLesson(const std::string& task)
{
    return std::string(kKernelPrefix) + task;
}
/// Empty where it is none.
inline std::string taskOfLesson(const std::string& lesson)
{
    return isKernelLesson(lesson) ? lesson.substr(kKernelPrefix.size()) : std::string();
}

/// The page of the window where it is worked on: "lesson/2.4", "kernel/task/saxpy".
inline std::string pageOfLesson(const std::string& lesson)
{
    return isKernelLesson(lesson) ? "kernel/task/" + taskOfLesson(lesson) : "lesson/" + lesson;
}

} // namespace ridge::classroom
