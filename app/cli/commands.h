// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cli/console.h"

#include "base/protocol.h"

namespace ridge::cli {

struct RunOptions {
    std::string experiment;
    std::string target; ///< empty: gpu:0 when there is one, else sim:h100-sxm
    std::vector<std::string> set;
    std::vector<std::string> sweep;
    std::string points; ///< a file whose rows are the points; in place of set and sweep
    std::uint64_t seed = 1;
    double seconds = 0;
    std::int64_t memoryMiB = 0;
    Regime regime = Regime::Quick;
    bool counters = false;
    bool json = false;
    bool save = false;
    bool resume = false; ///< go on with a stopped sweep; keeps the runs too
};

struct ModelOptions {
    std::string model; ///< a config.json, .yaml or .onnx, or the id of a shipped one
    std::string phase; ///< empty: decode, or prefill where the model keeps nothing
    std::uint32_t batch = 1;
    std::uint32_t context = 0; ///< 0: 1024, or as many as the model has positions for
    std::uint32_t source = 0;  ///< 0: as many as context, or a whole recording
    std::string dtype = "bf16";
    bool eager = false;
    bool json = false;
};

struct LessonRunOptions {
    std::string lesson;
    std::string target;
    std::string out; ///< folder for the exported artifact
    bool json = false;
};

struct LessonCheckOptions {
    std::string lesson;
    std::string target;
    std::string learner = "ideal"; ///< "wrong", "cheat", "both" (ideal, wrong) or "all"
    bool json = false;
    std::string keep; ///< folder of a record that the ideal learner's rows are added to; empty: thrown away
};

struct KernelRunOptions {
    std::string file;
    std::string kernel; ///< empty: the only one of the file
    std::string grid = "1";
    std::string block;   ///< empty: what the sidecar says
    std::string cluster; ///< empty: what the kernel says
    std::string sidecar; ///< JSON of the compiler; empty: that beside the PTX, if there is one; "none": none
    bool nonPortableCluster = false;
    std::optional<std::uint64_t> smem;
    std::vector<std::string> args;    ///< as parseKernelArgument() reads them
    std::vector<std::string> symbols; ///< NAME=SPEC: what variables of the program hold before the launch
    std::vector<std::string> includes;
    std::string target;
    bool exact = false;
    bool functional = false;
    bool check = false;
    bool checkGlobal = false;
    bool counters = false;
    std::uint64_t steps = 0; ///< 0: none are shown
    std::uint64_t stepsBlock = 0;
    std::uint64_t mostInstructions = 0; ///< 0: any number
    std::uint64_t mostCycles = 0;
    std::string estimate; ///< "never", "auto", "always" or "time"; empty: RIDGE_ESTIMATE
    bool pause = false;   ///< ask where a budget or the time is spent; on a terminal that is asked in any case
    double seconds = 0;
    std::int64_t memoryMiB = 0;
    bool json = false;
};

struct KernelCompileOptions {
    std::string file;
    std::string arch = "sm_80";
    std::string show = "ptx"; ///< "ptx", "registers", "lines" or "sass"
    std::vector<std::string> includes;
    bool exact = false;
    bool json = false;
};

struct KernelGradeOptions {
    std::string file;
    std::string task;
    std::string target;
    std::optional<std::uint64_t> seed; ///< none: from the system's random numbers
    bool save = false;                 ///< keep it in the store, for a submission
    double seconds = 0;
    std::int64_t memoryMiB = 0;
    bool json = false;
};

struct PortfolioOptions {
    std::string style = "job"; ///< or "handin", "notebook"
    std::string out, title, intro, author, contact, course;
    std::vector<std::string> artifacts, show;
    bool noPdf = false;
    bool preview = false;
    bool json = false;
};

struct ImportFileOptions {
    std::string file;
    std::string format; ///< empty: found out
    std::string title, question, lesson;
    bool json = false;
};

struct LoadOptions {
    std::string url;
    double rate = 0;          ///< requests a second
    std::size_t requests = 0; ///< 0: 100, or all of a trace
    std::uint32_t prompt = 256, output = 64;
    bool chat = false;
    std::string model; ///< empty: the first that the server names
    std::uint64_t seed = 1;
    double timeout = 120, stall = 30;
    std::size_t limit = 512;
    bool noUsage = false, ignoreEos = false;
    std::string trace, requestsOut, against;
    bool json = false;
};

// Each command returns an ExitCode.
int targetsCommand(bool json);
int describeCommand(const std::string& experiment, bool json);
struct CalibrateOptions {
    std::string target; ///< as for `ridge run`
    bool show = false;  ///< what is stored, without running anything
    bool json = false;
};

int runCommand(const RunOptions& options);
/// Where RunOptions::points is given.
int runPointsCommand(const RunOptions& options);
int calibrateCommand(const CalibrateOptions& options);
int kernelRunCommand(const KernelRunOptions& options);
int kernelCompileCommand(const KernelCompileOptions& options);
/// Exit code 0 where the kernel is accepted, 1 where it is rejected.
int kernelGradeCommand(const KernelGradeOptions& options);
int kernelTaskListCommand(bool json);
int kernelTaskShowCommand(const std::string& id, int hints, bool json); ///< hints: how many of them are told
/// The explanation and two solutions; refused before one of the learner's was accepted, unless `anyway`.
int kernelTaskExplainCommand(const std::string& id, bool anyway);
int kernelTaskStartCommand(const std::string& id, const std::string& out); ///< out empty: TASK.cu
int lessonsCommand(bool json);
int lintCommand(const std::string& folder, bool grain, bool json);
int lessonRunCommand(const LessonRunOptions& options);
int lessonCheckCommand(const LessonCheckOptions& options);
int artifactsCommand(bool json);
int exportCommand(const std::string& artifact, const std::string& out);
int portfolioCommand(const PortfolioOptions& options);
int verifyCommand(const std::string& folder, bool json);
int importCommand(const ImportFileOptions& options);
/// `format`: "table", "json" or "csv".
int progressCommand(const std::string& format);
/// The ways through the lessons, or one of them.
int pathsCommand(const std::string& id, bool json);
/// A book's chapters with what they cost, code to read and labs done elsewhere, or one of them.
int companionCommand(const std::string& id, bool json);
int storeCheckCommand(bool json, bool mend);
int storeBackupCommand(bool json);
int storeRestoreCommand(const std::string& backup, bool json); ///< empty: the best one
int mergeCommand(const std::string& folder, bool json);
/// `target` empty: each run on its own.
int reproduceCommand(const std::string& artifactId, const std::string& target, bool json);
/// What a model costs: a file, or the id of a shipped one.
int modelCommand(const ModelOptions& options);
/// What other machines gave; `id` empty: all. Failed where a file cannot be read or does not fit the experiments.
int baselinesCommand(const std::string& id, bool json);
/// Sends requests to a server that somebody runs, and says what it gave (docs/load.md).
int loadCommand(const LoadOptions& options);
int searchCommand(const std::string& text, bool json);
int doctorCommand(bool json);
/// What is kept about the person at this computer (docs/privacy.md).
int dataShowCommand(bool json);
int dataExportCommand(const std::string& folder, bool json);
int dataDeleteCommand(bool yes, bool json);
/// Before anything else: goes on with a deletion that was cut short. Nothing where there was none.
int finishDeleting();

/// Remote targets (docs/remote.md).
struct TargetOptions {
    std::string name;
    std::string launcher; ///< as a shell would be given it
    std::string worker;   ///< a ridge-worker over there; empty: ours is copied
    std::string spool;    ///< of Slurm: a folder that all nodes share
    double seconds = 0;   ///< how long to wait for the other end; 0: as runs do
    bool noCheck = false, json = false;
};
/// `verb`: "add", "list", "remove" or "check".
int targetCommand(const std::string& verb, const TargetOptions& options);

/// The worker's catalogue. Errors as record::queryWorker.
Result<std::vector<ExperimentInfo>> loadCatalogue();

/// Settings as "stride=4", each of a parameter that `info` declares. Errors: those of splitAssignment, parseValue and
/// completeParams.
Result<ParamSet> readSettings(const ExperimentInfo& info, const std::vector<std::string>& assignments);

/// The worker's `targets` document. Errors as record::queryWorker.
Result<Json> queryTargets();

/// `wanted`, or the best target of this machine when it is empty.
Result<std::string> chooseTarget(const std::string& wanted);
/// The same for what executes CUDA: a processor is measured, too, and runs no kernel.
Result<std::string> chooseKernelTarget(const std::string& wanted);

} // namespace ridge::cli
