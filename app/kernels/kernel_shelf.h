// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/kernels/launch_settings.h"
#include "base/result.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ridge::app {

/// What a grading came to.
struct GradePoints {
    double points = 0, outOf = 100;
    double percent() const { return outOf > 0 ? 100 * points / outOf : 0; }
};

/// A kernel of the learner's own on disk: `<folder>/drafts/kernels/<name>.json`, which DraftFile writes.
struct KernelDraft {
    std::string name;
    std::string text;
    std::string origin;             ///< the file it was begun from; empty: none
    std::string chosen;             ///< kernel of the file that was launched last
    Json launches = Json::object(); ///< LaunchSettings by kernel
    std::string task;               ///< the kernel task that it is written for; empty: none
    bool isPtx = false;
    std::optional<GradePoints> best; ///< of what was accepted for that task, whether it was kept in the record or not
};

Json toJson(const KernelDraft& draft);
KernelDraft draftFromJson(const Json& json, const std::string& name);

struct ShelfEntry {
    std::string name;
    std::string changedAt; ///< ISO 8601, UTC
    int lines = 0;
    std::string task;                     ///< empty: none
    std::optional<GradePoints> best = {}; ///< as in KernelDraft
};
/// The learner's kernels, the one changed last first.
std::vector<ShelfEntry> kernelsIn(const std::filesystem::path& folder);
bool hasKernel(const std::filesystem::path& folder, const std::string& name);
/// Another name for a kernel, its versions with it. Errors: "bad-name", "name-taken", "cannot-write" (nothing changed).
Result<void> renameKernel(const std::filesystem::path& folder, const std::string& from, const std::string& to);
/// Takes a kernel out of the list. Its text is put aside, its versions stay where they are, and nobody else gets its
/// name. Errors: "cannot-write".
Result<void> removeKernel(const std::filesystem::path& folder, const std::string& name);
/// Errors: "cannot-write".
Result<void> restoreKernel(const std::filesystem::path& folder, const std::string& name);
/// `wanted` made a name that a file can have and that nobody has or had: "vector_add", "vector_add-2".
std::string freeKernelName(const std::filesystem::path& folder, const std::string& wanted);
std::filesystem::path historyFile(const std::filesystem::path& folder, const std::string& name);

/// Something to begin with.
struct KernelExample {
    std::string id;    ///< "vector_add", "transpose/04_tile"
    std::string title; ///< "Vector add"
    std::string about; ///< one sentence
    std::string group; ///< "For learning" or the family of a shipped kernel
    std::filesystem::path file;
    std::string task = {}; ///< of a task that is graded its id; `file` is then what one begins with
};
/// Those of assets/examples, the tasks that are graded, then every file of kernels/, by family.
std::vector<KernelExample> kernelExamples(const std::filesystem::path& data);
/// A draft with the example's text and the launch that its head asks for. Errors: "cannot-read", "too-large" (1 MiB).
Result<KernelDraft> draftOfFile(const std::filesystem::path& file);
/// What a task begins with, and the launch at the first of its sizes on data that anybody can have. Errors: those of
/// shippedTask, "cannot-read", "bad-formula".
Result<KernelDraft> draftOfTask(const std::string& task);
/// Name of the kernel of that task that was changed last; where there is none, one is begun. Errors: those of
/// draftOfTask.
Result<std::string> ownKernelOfTask(const std::filesystem::path& folder, const std::string& task);
/// The same of a copy of a shipped file. Errors: those of draftOfFile.
Result<std::string> ownKernelOfFile(const std::filesystem::path& folder, const std::filesystem::path& file);
/// A kernel with nothing in it but its index and bounds.
KernelDraft blankDraft();

} // namespace ridge::app
