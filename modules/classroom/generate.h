// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/experiment_info.h"
#include "classroom/class_folder.h"
#include "classroom/request_executor.h"

namespace ridge::classroom {

/// A class that nobody sat in, for tests and demonstrations. Runs are real runs of the simulator of several chips, each
/// request executed once and shared; who predicted and answered what, how far somebody got and on which chip is drawn
/// from the seed. Every run's fingerprint says "generated".
struct GenerateOptions {
    int learners = 30;
    std::uint64_t seed = 1;
    int odd = 0;                                       ///< so many of the files are damaged
    std::function<bool(int done, int all)> progress{}; ///< learners; false: stop
};

struct GeneratedClass {
    int files = 0, damaged = 0, late = 0, absent = 0; ///< absent: on the roster, without a file
    std::size_t rows = 0;
    int executed = 0; ///< requests to the worker
    std::filesystem::path roster;
};

/// Writes `learners` submissions and roster.csv into a folder that is made where needed: the same bytes for the same
/// seed, assignment, lessons and program. Where the assignment's deadline is over when it is made, some hand in after
/// it. Errors: those of the worker, of loadLesson and of writeSubmission; "cannot-write"; "cancelled".
Result<GeneratedClass> generateLearners(const Assignment& assignment, const lessons::Curriculum& curriculum,
                                        const std::vector<ExperimentInfo>& catalogue, const Execute& execute,
                                        const GenerateOptions& options, const std::filesystem::path& folder);

/// An assignment for a generated class without a class: not sealed, keys and times from the seed, its deadline some
/// hours after its fixed beginning. Errors: those of loadLesson and createAssignment.
Result<WrittenAssignment> generatedAssignment(const lessons::Curriculum& curriculum,
                                              const std::vector<std::string>& lessons, std::uint64_t seed);

} // namespace ridge::classroom
