// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/kernel_task.h"
#include "base/protocol.h"

namespace ridge {

/// A kernel of the learner's own, with where it came from. The text travels with the request, so that what is compiled
/// is what was read.
struct KernelText {
    std::string path; ///< as the learner named it, in messages and in the line table
    std::string text; ///< CUDA C++, or PTX when `isPtx`
    bool isPtx = false;
};

/// Runs one kernel once ("kernel" of docs/protocol.md).
struct KernelRunRequest {
    KernelText source;
    std::string kernel; ///< name, plain or mangled; empty where the file has only one
    std::array<std::uint64_t, 3> grid{1, 1, 1};
    std::array<std::uint64_t, 3> block{1, 1, 1};
    std::array<std::uint64_t, 3> cluster{0, 0, 0}; ///< blocks of a cluster; 0: what the kernel says
    bool nonPortableCluster = false;               ///< more than 8 of them
    std::uint64_t dynamicSharedBytes = 0;
    std::vector<std::string> args; ///< SPECs, as parseKernelArgument() reads them
    std::string target;
    bool exact = false;           ///< compile without fusing products and sums
    bool functional = false;      ///< no timing model
    bool check = false;           ///< the detectors that cost time
    bool checkGlobal = false;     ///< races between blocks in global memory, too
    bool counters = false;        ///< have a GPU count, too; a simulator always does
    std::uint64_t steps = 0;      ///< most steps of one block to write down (base/step_trace.h); 0: none
    std::uint64_t stepsBlock = 0; ///< that block, by linear index
    RunLimits limits;
    std::uint64_t mostInstructions = 0; ///< warp instructions that the launch may execute on a simulator; 0: any number
    std::uint64_t mostCycles = 0;       ///< simulated cycles that it may take; 0: any number
    bool pausable = false;              ///< where a budget or the time is spent the worker asks (PausedEvent)
};

/// Compiles a file ("kernel-compile" of docs/protocol.md).
struct KernelCompileRequest {
    KernelText source;
    std::string arch; ///< "sm_80"
    bool exact = false;
    RunLimits limits;
};

/// Grades a kernel that a learner wrote for a task ("kernel-grade" of docs/protocol.md). The worker runs it and tells
/// what it saw (GradeFacts); the verdict is made by whoever asked.
struct KernelGradeRequest {
    KernelText source;
    std::string task;
    std::string target;
    std::string secret; ///< what the data of every launch are drawn from
    std::vector<GradeCase> cases;
    int rounds = 2;   ///< timed launches, each on buffers and data of its own
    RunLimits limits; ///< one launch may take a tenth of the seconds
};

using KernelRequest = std::variant<KernelRunRequest, KernelCompileRequest, KernelGradeRequest>;

/// A grading as the program asks for it: cases and data from the secret, as many timed launches as the target needs.
KernelGradeRequest gradeRequest(const KernelTask& task, KernelText source, std::string target, std::string secret);

/// True where the document is one of the requests of this file rather than one for an experiment.
bool isKernelRequest(const Json& json);

Json toJson(const KernelRequest& request);
/// Errors: "bad-protocol".
Result<KernelRequest> kernelRequestFromJson(const Json& json);

/// "sm_80", "sm_90a", "compute_80", "80" or "8.0": 10 × major + minor. Errors: "bad-argument".
Result<int> smFromText(std::string_view text);

/// "8", "8,4" or "8,4,2" of --grid, --block or --cluster (`name`); missing ones are 1. Errors: "bad-argument".
Result<std::array<std::uint64_t, 3>> dimensionsFromText(std::string_view text, const std::string& name);

} // namespace ridge
