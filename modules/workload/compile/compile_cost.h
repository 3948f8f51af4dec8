// SPDX-License-Identifier: GPL-3.0-or-later
// What a step of a graph costs on host and GPU, and when the compiler has paid for itself.
#pragma once

#include "workload/compile/fusion.h"
#include "workload/kernel_time.h"

#include <optional>

namespace ridge::graphs {

/// Time of a kernel by the one kernel-time function: a matmul as a product and, beside it, the bytes of its epilogue;
/// all else as a stream of its bytes.
double kernelSeconds(const workload::Device& device, const Graph& graph, const Kernel& kernel);
/// No kernel is faster: max(FLOP / peak, bytes / pins).
double boundSeconds(const workload::Device& device, const Kernel& kernel);

/// Seconds of the one CPU thread that drives the GPU.
struct HostCosts {
    double call = 0;  ///< a launch
    double entry = 0; ///< to enter a compiled piece: its guards are checked, its arguments handed over
    double read = 0;  ///< to bring a value to the host once the GPU has it
};

struct StepSpan {
    bool host = false;
    double begin = 0, end = 0;
    int kernel = -1; ///< of the schedule; -1: enters a piece, or waits for and reads a value
    int stop = -1;   ///< of the graph, where it waits
};
struct StepTimes {
    double seconds = 0;       ///< until the last kernel has ended, or the host has
    double kernelSeconds = 0; ///< the GPU's work
    double hostSeconds = 0;   ///< calls and entries, without waiting
    double waitSeconds = 0;   ///< of the host, for values
    std::vector<StepSpan> spans;
};
/// One CPU thread calls the kernels in order and waits at each stop until the GPU is done. `kernels` are their times.
StepTimes stepTimes(const Graph& graph, const Schedule& schedule, std::span<const double> kernels,
                    const HostCosts& host);

/// Shapes that change from step to step.
enum class ShapeMode {
    Static,    ///< each shape is compiled for itself
    Automatic, ///< the first is; once a second comes, the size that changed is compiled as a variable
    Marked     ///< it is a variable from the start (mark_dynamic)
};
/// Compilations of one piece of code after which no further ones are made, and new shapes run eager:
/// torch._dynamo.config.recompile_limit.
inline constexpr int kRecompileLimit = 8;

struct Compilations {
    int compiles = 0;    ///< of each piece
    int recompiles = 0;  ///< all but the first
    int eagerShapes = 0; ///< that came after the limit
};
Compilations compilationsOf(ShapeMode mode, int shapes, int limit = kRecompileLimit);

/// Steps after which compiling has paid for itself; nothing where it never does.
std::optional<double> breakEvenSteps(double compileSeconds, double eagerStep, double compiledStep);

} // namespace ridge::graphs
