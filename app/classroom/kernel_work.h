// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/classroom/assignment.h"
#include "app/classroom/grade.h"
#include "app/classroom/kernel_lesson.h"
#include "base/kernel_request.h"
#include "base/kernel_verdict.h"
#include "lessons/lesson.h"
#include "record/store.h"

#include <functional>

namespace ridge::classroom {

/// What an assignment says of it. Errors: those of shippedTask.
Result<AssignedLesson> assignedKernel(const std::string& lesson);
/// The instructor's own copy: no blocks and no checks, since gradeKernelWork decides. Errors: those of shippedTask.
Result<lessons::Lesson> ownKernelLesson(const std::string& lesson);

/// A graded kernel as the record keeps it: an artifact of the task's lesson with the code, what its grading found as
/// figures, and the machine. Graded again it is a further version. Blocks until it is durable. Gives the artifact's id.
/// Errors: those of the store.
Result<std::string> keepKernel(record::Store& store, const KernelTask& task, const KernelText& source,
                               const GradeFacts& facts, const GradeVerdict& verdict);

/// What a learner has of a task's lesson.
struct HandedInKernel {
    std::string sha256, fileName; ///< of the code
    std::string target;           ///< on which it was graded
    double points = 0;            ///< as the learner's own grading gave them
};
/// The newest; none where nothing was handed in.
std::optional<HandedInKernel> handedInKernel(const record::LearnerRows& rows);

/// As handed in, or, with `again`, as it came out on the instructor's machine with the learner's own hidden sizes and
/// data. Without the latter the points are those that the learner's program gave.
LessonGrade gradeKernelWork(const std::string& lesson, const record::LearnerRows& rows,
                            const std::optional<GradeVerdict>& again = {});

/// Runs a grading and gives its facts.
using ExecuteKernel = std::function<Result<GradeFacts>(const KernelGradeRequest& request)>;
/// With the worker beside this program. Blocks on an event loop of the calling thread. Errors: those of the worker.
ExecuteKernel workerGrader();

} // namespace ridge::classroom
