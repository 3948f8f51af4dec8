// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/compile/compile_cost.h"

#include <algorithm>
#include <cmath>

namespace ridge::graphs {

double kernelSeconds(const workload::Device& device, const Graph& graph, const Kernel& kernel)
{
    if (kernel.kind != KernelKind::Matmul)
        return workload::streamTime(device, kernel.bytes());
    const Node& product = graph.nodes[static_cast<std::size_t>(kernel.matmul)];
    const Shape& left = graph.nodes[static_cast<std::size_t>(product.of[0])].shape;
    const Shape& right = graph.nodes[static_cast<std::size_t>(product.of[1])].shape;
    workload::Gemm gemm;
    gemm.k = static_cast<double>(left.back());
    gemm.n = static_cast<double>(right.back());
    const auto rows = static_cast<double>(countOf(left)) / gemm.k;
    gemm.m = right.size() > 2 ? static_cast<double>(left[left.size() - 2]) : rows;
    gemm.count = rows / gemm.m;
    const double beside = std::max(0.0, kernel.bytes() - workload::gemmBytes(device, gemm));
    return workload::gemmTime(device, gemm).seconds + beside / (device.bytesPerSecond * device.matmul.memory);
}

double boundSeconds(const workload::Device& device, const Kernel& kernel)
{
    return std::max(kernel.flops / device.flopsPerSecond, kernel.bytes() / device.bytesPerSecond);
}

StepTimes stepTimes(const Graph& graph, const Schedule& schedule, std::span<const double> kernels,
                    const HostCosts& host)
{
    StepTimes step;
    double cpu = 0, gpu = 0;
    std::size_t next = 0;
    const auto spend = [&](double seconds, int kernel) {
        if (seconds > 0)
            step.spans.push_back({true, cpu, cpu + seconds, kernel, -1});
        cpu += seconds;
        step.hostSeconds += seconds;
    };
    for (std::size_t segment = 0; segment <= graph.stops.size(); ++segment) {
        bool entered = false;
        for (; next < schedule.kernels.size() && schedule.kernels[next].segment == int(segment); ++next) {
            if (!entered)
                spend(host.entry, -1);
            entered = true;
            spend(host.call, int(next));
            const double begin = std::max(cpu, gpu);
            gpu = begin + kernels[next];
            step.kernelSeconds += kernels[next];
            step.spans.push_back({false, begin, gpu, int(next), -1});
        }
        if (segment == graph.stops.size())
            break;
        const double until = std::max(cpu, gpu) + host.read;
        step.spans.push_back({true, cpu, until, -1, int(segment)});
        step.waitSeconds += until - cpu;
        cpu = until;
    }
    step.seconds = std::max(cpu, gpu);
    return step;
}

Compilations compilationsOf(ShapeMode mode, int shapes, int limit)
{
    Compilations made;
    made.compiles = mode == ShapeMode::Marked      ? 1
                    : mode == ShapeMode::Automatic ? std::min(shapes, 2)
                                                   : std::min(shapes, limit);
    made.recompiles = made.compiles - 1;
    made.eagerShapes = mode == ShapeMode::Static ? shapes - made.compiles : 0;
    return made;
}

std::optional<double> breakEvenSteps(double compileSeconds, double eagerStep, double compiledStep)
{
    if (!(compiledStep < eagerStep))
        return std::nullopt;
    return std::ceil(compileSeconds / (eagerStep - compiledStep));
}

} // namespace ridge::graphs
