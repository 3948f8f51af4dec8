// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/kernel_task.h"

namespace ridge {

/// How hard tasks are, easy first.
inline constexpr int kTaskLevels = 5;
/// "one element a thread", …; level: 1 … kTaskLevels.
std::string_view taskLevelText(int level);

/// What a task's file says beside what a grading needs: its place among all tasks, and what a learner is told.
struct TaskCourse {
    int number = 0, level = 1;      ///< from 1 without gaps; easy first
    std::string picture;            ///< a drawing in characters of one width, with line ends
    std::vector<std::string> hints; ///< each tells more than the one before
    std::string explanation;        ///< shown to a learner who has solved the task
};

/// How the numbers of one buffer are drawn, where not as is usual.
struct TaskBounds {
    std::string below;           ///< whole numbers: what all of them are below, a formula; empty: their full range
    std::optional<int> exponent; ///< floats: wide data go from 2^-this to 2^this; none: as far as is usual
};

/// Errors: "bad-task" naming the place and what is legal there.
Result<TaskCourse> taskCourseFromJson(const Json& json);
/// Those that there are, by the parameter's name. Errors: "bad-task".
Result<std::map<std::string, TaskBounds>> taskBoundsFromJson(const Json& json);

/// Of a task that ships. Errors: those above, "no-data", "bad-json".
Result<TaskCourse> taskCourse(const KernelTask& task);
Result<std::map<std::string, TaskBounds>> taskBounds(const KernelTask& task);
/// All tasks, easy first. Errors: those of shippedTasks and taskCourse.
Result<std::vector<std::pair<KernelTask, TaskCourse>>> tasksInOrder();
/// The other way to solve it, with what it does differently in its head. Errors: those of readFile.
Result<std::string> secondSolution(const KernelTask& task);

} // namespace ridge
