// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/main_kernel.h"

#include "base/step_trace.h"
#include "cli/main_class.h"

#include <CLI/CLI.hpp>

using namespace ridge::cli;

namespace {

void addInclude(CLI::App& command, std::vector<std::string>& folders)
{
    command
        .add_option("--include,-I", folders,
                    "A folder whose headers the file includes; several in their order, those of RIDGE_INCLUDE behind")
        ->allow_extra_args(false);
}

void addKernelRun(CLI::App& parent, KernelRunOptions& options)
{
    auto* run = parent.add_subcommand("run", "Run one kernel once and tell all that is known about it");
    run->add_option("file", options.file, "CUDA C++ (.cu) or PTX (.ptx)")->required();
    run->add_option("--kernel", options.kernel, "Name of the kernel; may be left out where the file has one");
    run->add_option("--grid", options.grid, "Blocks: X, X,Y or X,Y,Z")->required();
    run->add_option("--block", options.block,
                    "Threads of a block: X, X,Y or X,Y,Z; may be left out where a sidecar says it");
    run->add_option("--cluster", options.cluster, "Blocks of a cluster: X, X,Y or X,Y,Z (compute capability 9.0)");
    run->add_flag("--non-portable-cluster", options.nonPortableCluster, "Allow clusters of more than 8 blocks");
    run->add_option("--sidecar", options.sidecar,
                    "Triton's metadata of the kernel: block, shared memory, cluster and scratch memory come from it;\n"
                    "NAME.json beside NAME.ptx is read without it; none: no file");
    run->add_option("--smem", options.smem, "Dynamic shared memory of a block in bytes")->check(wholeProblem);
    // One value each: a SPEC may begin with a dash after its colon, never before it.
    run->add_option(
           "--arg", options.args,
           "An argument, in order: f32:2.5, i32:7, in:TYPE:COUNT:FILL, inout:TYPE:COUNT:FILL, out:TYPE:COUNT;\n"
           "TYPE f64 f32 f16 bf16 i8 u8 i16 u16 i32 u32 i64 u64; FILL zeros, ones, iota, rand(SEED) or\n"
           "@file.bin; a buffer may end in >file.bin, which is written after the run; a parameter by value is\n"
           "struct:{SPEC,SPEC,…}, its fields in order, 4*u32:0 for four of them")
        ->allow_extra_args(false);
    run->add_option("--set-symbol", options.symbols,
                    "NAME=SPEC: what a __constant__ or __device__ variable holds before the launch, as\n"
                    "taps=in:f32:3:@taps.bin, scale=f32:0.5 or pair=struct:{f32:1,i32:2}")
        ->allow_extra_args(false);
    addInclude(*run, options.includes);
    run->add_option("--target", options.target, "As for ridge run")->check(presentProblem);
    run->add_flag("--exact", options.exact, "Compile without fusing products and sums: the same bits everywhere");
    run->add_flag("--functional", options.functional, "No timing model: counters and results only");
    run->add_flag(
        "--check", options.check,
        "Watch for uninitialised reads, races in shared memory, indices that leave a shared array, divergent barriers, "
        "divisions by zero (slower)");
    run->add_flag("--check-global", options.checkGlobal, "--check, and races between blocks in global memory");
    run->add_flag("--counters", options.counters,
                  "On a GPU: count with Nsight Compute (ncu), which may need permission; simulators always count");
    run->add_option("--steps", options.steps,
                    "Show what one block does, instruction by instruction, up to so many steps")
        ->check(wholeProblem)
        ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{ridge::StepTrace::kMostSteps}));
    run->add_option("--steps-block", options.stepsBlock, "The block of --steps, by its linear index (default 0)")
        ->check(wholeProblem);
    run->add_option("--instructions", options.mostInstructions,
                    "On a simulator: warp instructions that the launch may execute (default: any number)")
        ->check(countProblem);
    run->add_option("--cycles", options.mostCycles,
                    "On a simulator, with the clock: cycles that the launch may take (default: any number)")
        ->check(countProblem);
    run->add_option(
           "--estimate", options.estimate,
           "On a simulator of this machine: time a part of a grid of equal blocks and extrapolate, with its error;\n"
           "auto: from 50 million warp instructions on (default), never, always (an error where blocks differ),\n"
           "time: always, and execute nothing for results")
        ->check(CLI::IsMember({"auto", "never", "always", "time"}));
    run->add_flag(
        "--pause", options.pause,
        "On a simulator of this machine: where instructions, cycles or the time are spent, stand still and ask\n"
        "on standard input whether to go on with as much again (y or n); a terminal is asked without it, too");
    run->add_option("--seconds", options.seconds, "Time limit (default 120)")->check(secondsProblem);
    run->add_option("--memory-mib", options.memoryMiB, "Memory limit of the worker (default 4096)")
        ->check(wholeProblem);
    run->add_flag("--json", options.json, "Print one JSON document");
}

void addKernelCompile(CLI::App& parent, KernelCompileOptions& options)
{
    auto* compile = parent.add_subcommand("compile", "Compile a file and show what became of it");
    compile->add_option("file", options.file, "CUDA C++ (.cu) or PTX (.ptx)")->required();
    compile->add_option("--arch", options.arch, "Architecture")->capture_default_str();
    compile->add_option("--show", options.show, "ptx, registers, lines, or sass where ptxas and nvdisasm are installed")
        ->check(CLI::IsMember({"ptx", "registers", "lines", "sass"}))
        ->capture_default_str();
    addInclude(*compile, options.includes);
    compile->add_flag("--exact", options.exact, "As for ridge kernel run");
    compile->add_flag("--json", options.json, "Print one JSON document");
}

void addKernelGrade(CLI::App& parent, KernelLine& line)
{
    auto* grade = parent.add_subcommand("grade", "Grade a kernel that was written for a task");
    grade->add_option("file", line.grade.file, "CUDA C++ (.cu) or PTX (.ptx)")->required();
    grade->add_option("--task", line.grade.task, "The task: ridge kernel task list shows them")->required();
    grade->add_option("--target", line.grade.target, "As for ridge run");
    grade->add_option("--seed", line.seed, "Draw hidden sizes and data from this number; default: from the system")
        ->check(seedProblem);
    grade->add_option("--seconds", line.grade.seconds, "Time limit (default 120); one launch may take a tenth of it")
        ->check(secondsProblem);
    grade->add_option("--memory-mib", line.grade.memoryMiB, "Memory limit of the worker (default 4096)")
        ->check(wholeProblem);
    grade->add_flag("--save", line.grade.save,
                    "Keep kernel and grade in the store; a submission takes the newest along");
    grade->add_flag("--json", line.grade.json, "Print one JSON document");
}

void addKernelTask(CLI::App& parent, KernelLine& line)
{
    auto* task = parent.add_subcommand("task", "Kernels to write");
    task->require_subcommand(1);
    task->add_subcommand("list", "All of them, easy first, with what you have of each")
        ->add_flag("--json", line.json, "Print one JSON document");
    auto* show = task->add_subcommand("show", "What one asks for, and how to try a kernel out");
    show->add_option("task", line.task, "Its name")->required();
    show->add_flag("--json", line.json, "Print one JSON document");
    show->add_option("--hints", line.hints, "Tell so many of its hints, each of which says more than the one before")
        ->check(CLI::Range(0, 9));
    auto* explain = task->add_subcommand("explain", "Why it is done like that, and two ways to write it");
    explain->add_option("task", line.task, "Its name")->required();
    explain->add_flag("--anyway", line.anyway, "Also where no kernel of yours was accepted yet");
    auto* start = task->add_subcommand("start", "Write what to begin with into a file");
    start->add_option("task", line.task, "Its name")->required();
    start->add_option("--out", line.out, "The file; default: TASK.cu");
}

} // namespace

CLI::App* addKernel(CLI::App& app, KernelLine& line)
{
    auto* kernel = app.add_subcommand("kernel", "Bring your own kernel");
    kernel->require_subcommand(1);
    addKernelRun(*kernel, line.run);
    addKernelCompile(*kernel, line.compile);
    addKernelGrade(*kernel, line);
    addKernelTask(*kernel, line);
    return kernel;
}

int runKernel(const CLI::App& kernel, KernelLine& line)
{
    if (kernel.got_subcommand("run"))
        return kernelRunCommand(line.run);
    if (kernel.got_subcommand("compile"))
        return kernelCompileCommand(line.compile);
    if (kernel.got_subcommand("grade")) {
        if (!line.seed.empty())
            line.grade.seed = std::stoull(line.seed);
        return kernelGradeCommand(line.grade);
    }
    const CLI::App* task = kernel.get_subcommand("task");
    if (task->got_subcommand("list"))
        return kernelTaskListCommand(line.json);
    if (task->got_subcommand("show"))
        return kernelTaskShowCommand(line.task, line.hints, line.json);
    if (task->got_subcommand("explain"))
        return kernelTaskExplainCommand(line.task, line.anyway);
    return kernelTaskStartCommand(line.task, line.out);
}
