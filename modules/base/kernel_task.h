// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/kernel_argument.h"
#include "base/parameters.h"

#include <filesystem>

namespace ridge {

/// One parameter of a task's kernel, in the order of the signature.
struct TaskParameter {
    enum class Role : std::uint8_t {
        Size,   ///< a whole number that the task calls by this name
        Scalar, ///< a value of the data, drawn like the elements of a buffer
        In,     ///< a buffer that the kernel reads and must leave as it is
        Out,    ///< a buffer that holds the results afterwards
    };
    std::string name;
    Role role = Role::Size;
    DataType type = DataType::U32;
    std::string count;         ///< buffers: elements, a formula over the sizes
    bool startsAtZero = false; ///< Out: zeros before the launch, for sums; else a pattern that no result has

    bool isBuffer() const { return role == Role::In || role == Role::Out; }
};

/// A launch whose numbers are formulas over the sizes.
struct LaunchFormulas {
    std::vector<std::string> grid{"1"}, block{"1"}; ///< one to three, x first
    std::string shared = "0";                       ///< bytes of dynamic shared memory
};

struct TaskLaunch {
    std::array<std::uint64_t, 3> grid{1, 1, 1}, block{1, 1, 1};
    std::uint64_t sharedBytes = 0;
};

/// A size that is drawn: from, from + step … to.
struct DrawnSize {
    std::int64_t from = 1, to = 1, step = 1;
};

/// A kernel that a learner writes and that is graded: assets/tasks/<id>/task.json (docs/authoring.md). Beside it lie
/// solution.cu, starter.cu (made from it) and decoy.cu, which computes with too few bits and must be rejected.
struct KernelTask {
    std::string id, title, lesson; ///< lesson: "2.8"; the curriculum's, whether it is written yet or not
    std::string about;             ///< what is to be computed, for the learner
    std::string kernel;            ///< name of the __global__ function
    std::string signature;         ///< as C++ says it
    std::vector<TaskParameter> parameters;
    LaunchFormulas launch;                                ///< where the learner's file says nothing
    std::vector<ParamSet> visible;                        ///< sizes that everybody may know
    std::vector<std::map<std::string, DrawnSize>> hidden; ///< one case each, drawn from the secret
    std::map<std::string, ParamSet> timed;                ///< by target class ("sim", "gpu")
    std::string reference;                                ///< which function of labs/grade computes it on the CPU
    std::string roundings; ///< roundings on the way to one result, a formula; "0": results are exact
    std::string bytesRead, bytesWritten, flops; ///< least that any kernel moves and computes, formulas
    std::filesystem::path folder;

    const TaskParameter* find(std::string_view name) const;
    std::vector<std::string> sizeNames() const;
};

/// Errors: "bad-task" naming the place and what is legal there.
Result<KernelTask> kernelTaskFromJson(const Json& json);
/// The task of that name below the data folder. Errors: "unknown-task" with those there are, "bad-task", "no-data".
Result<KernelTask> shippedTask(const std::string& id);
/// All of them, by id. Errors: "bad-task", "no-data".
Result<std::vector<KernelTask>> shippedTasks();

/// A formula of the task at given sizes: a whole number from 0. Errors: "bad-formula", "unknown-name".
Result<std::uint64_t> wholeAt(const std::string& formula, const ParamSet& sizes);

/// How the kernel is to be launched: the source's first line "// Launch --grid F[,F[,F]] --block F[,F[,F]] [--smem F]",
/// with formulas over the task's sizes; where there is none, as the task says. Errors: "bad-launch-line".
Result<LaunchFormulas> launchFormulas(const std::string& source, const KernelTask& task);
/// Errors: those of wholeAt; "bad-launch-line" where a dimension comes out as 0.
Result<TaskLaunch> launchAt(const LaunchFormulas& formulas, const ParamSet& sizes);

/// The arguments of `ridge kernel run` for data that anybody can have: rand(1), rand(2) … for the first, second … drawn
/// parameter, and outputs as `out:`. Errors: those of wholeAt.
Result<std::vector<std::string>> publicArguments(const KernelTask& task, const ParamSet& sizes);

/// One set of sizes that a grading runs.
struct GradeCase {
    ParamSet sizes;
    bool hidden = false;
    bool timed = false;
    bool operator==(const GradeCase&) const = default;
};

/// The cases of a grading, the visible ones first, the timed one last. What is hidden follows from the secret alone.
std::vector<GradeCase> gradeCases(const KernelTask& task, const std::string& targetClass, const std::string& secret);

/// A number that nobody can tell without the secret: the first 64 bits of a SHA-256 over it and `what`.
std::uint64_t secretNumber(const std::string& secret, const std::string& what);

/// What a learner begins with: the solution without what stands between the markers "// @solution" and "// @end"; of
/// that, lines "// @hint text" stay as comments. Errors: "bad-markers" with the line.
Result<std::string> starterOf(const std::string& solution);
/// The solution as it is shown: without its markers. Errors: "bad-markers".
Result<std::string> solutionText(const std::string& solution);

} // namespace ridge
