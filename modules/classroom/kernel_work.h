// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/kernel_request.h"
#include "base/kernel_verdict.h"
#include "classroom/assignment.h"
#include "classroom/grade.h"
#include "classroom/kernel_lesson.h"
#include "lessons/lesson.h"
#include "record/files/content_files.h"
#include "record/store.h"

#include <functional>

namespace ridge::classroom {

/// What an assignment says of it. Errors: those of shippedTask.
Result<AssignedLesson> assignedKernel(const std::string& lesson);
/// The instructor's own copy: no blocks and no checks, since gradeKernelWork decides. Errors: those of shippedTask.
Result<lessons::Lesson> ownKernelLesson(const std::string& lesson);

/// record::calibratedRoof from the store in a folder, beside whoever has it open.
std::optional<GradeRoof> calibratedRoof(const std::filesystem::path& home, const GradeFacts& facts);

/// The row of a graded kernel, a further version where the task was graded before; its code is named by its SHA-256
/// and not stored yet. Errors: those of the store.
Result<record::ArtifactRow> kernelArtifact(const record::Store& store, const KernelTask& task,
                                           const KernelGradeRequest& request, const GradeFacts& facts,
                                           const GradeVerdict& verdict);
/// A graded kernel as the record keeps it: an artifact of the task's lesson with the code, what its grading found as
/// figures, the grading itself, so that it can be repeated, and the machine. Graded again it is a further version.
/// Blocks until it is durable. Gives the artifact's id. Errors: those of the store.
Result<std::string> keepKernel(record::Store& store, const KernelTask& task, const KernelGradeRequest& request,
                               const GradeFacts& facts, const GradeVerdict& verdict);

/// What a learner has of a task's lesson.
struct HandedInKernel {
    std::string sha256, fileName; ///< of the code
    std::string target;           ///< on which it was graded
    double points = 0;            ///< as the learner's own grading gave them, of 100
    double outOf = 100; ///< what it could give at most: less on a chip without a clock, where nothing is for time
};
/// The newest; none where nothing was handed in.
std::optional<HandedInKernel> handedInKernel(const record::LearnerRows& rows);

/// What that kernel is compared with others by, as kernel_likeness.h has it; null where none was handed in or its code
/// is not among `files`.
Json shapeOfHandedIn(const std::string& lesson, const record::LearnerRows& rows, const record::ContentFiles& files);

/// As handed in, or, with `again`, as it came out on the instructor's machine with the learner's own hidden sizes and
/// data. Without the latter the points are those that the learner's program gave. They are points of 100 whatever was
/// graded: time that nobody took earns none.
LessonGrade gradeKernelWork(const std::string& lesson, const record::LearnerRows& rows,
                            const std::optional<GradeVerdict>& again = {});
/// Where it could not be run again here, for this reason: nothing counts.
LessonGrade gradeKernelNotRun(const std::string& lesson, const record::LearnerRows& rows, const std::string& why);

/// Runs a grading and gives its facts.
using ExecuteKernel = std::function<Result<GradeFacts>(const KernelGradeRequest& request)>;
/// With the worker beside this program. Blocks on an event loop of the calling thread. Errors: those of the worker.
ExecuteKernel workerGrader();

} // namespace ridge::classroom
