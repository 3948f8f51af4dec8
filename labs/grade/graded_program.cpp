// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/grade/graded_program.h"

#include "labs/grade/clock_reads.h"
#include "labs/grade/self_contained.h"
#include "labs/kernel/kernel_document.h"
#include "labs/kernel/program_symbols.h"

#include <algorithm>
#include <cstdlib>

namespace ridge::labs {
namespace {

Result<void> checkSignature(const KernelSignature& kernel, const KernelTask& task, const std::string& file)
{
    const auto bytesOf = [](const TaskParameter& parameter) {
        return parameter.isBuffer() ? 8u : sizeOf(parameter.type);
    };
    const bool fits = kernel.parameters.size() == task.parameters.size() &&
                      std::equal(kernel.parameters.begin(), kernel.parameters.end(), task.parameters.begin(),
                                 [&](const KernelParameter& own, const TaskParameter& wanted) {
                                     return own.bytes == bytesOf(wanted);
                                 });
    if (fits)
        return {};
    return Error{"wrong-signature", kernel.plain + " does not have the parameters of the task", file,
                 "declare it as " + task.signature};
}

/// What a driver says of a kernel that broke off, or a launch that it refused, told as a detector would.
std::optional<gpu::Report> asReport(const Error& error)
{
    constexpr std::array<std::string_view, 10> kernels{
        "launch-failed",    "out-of-bounds",  "misaligned",  "time-limit",   "use-after-free",
        "barrier-deadlock", "never-resident", "no-progress", "endless-loop", "bad-launch"};
    if (std::find(kernels.begin(), kernels.end(), error.code) == kernels.end())
        return std::nullopt;
    gpu::Report report;
    report.code = error.code == "bad-launch" ? "launch-limits" : error.code;
    report.message = error.message;
    report.lookFor = error.fix;
    report.fatal = true;
    return report;
}

} // namespace

Result<GradedProgram> GradedProgram::make(std::shared_ptr<gpu::Device> device, const KernelTask& task,
                                          const KernelText& source)
{
    if (auto alone = requireSelfContained(source); !alone)
        return alone.error();
    GradedProgram graded(std::move(device));
    graded.m_source = source;
    auto launch = launchFormulas(source.text, task);
    if (!launch)
        return launch.error();
    graded.m_launch = std::move(*launch);
    ::unsetenv("RIDGE_INCLUDE"); // a person's own headers: the file is graded on machines that have none of them
    const auto program = programOf(source, graded.m_device->info(), false);
    if (!program)
        return program.error();
    const auto kernels = signaturesOf(*program);
    if (!kernels)
        return kernels.error();
    const auto kernel = chooseKernel(*kernels, task.kernel, source.path);
    if (!kernel)
        return kernel.error();
    if (auto fits = checkSignature(*kernel, task, source.path); !fits)
        return fits.error();
    graded.m_entry = kernel->name;
    graded.m_kernel = *kernel;
    auto loaded = graded.m_device->load(*program);
    if (!loaded)
        return loaded.error();
    graded.m_program = std::move(*loaded);
    return graded;
}

Result<void> GradedProgram::reload(std::shared_ptr<gpu::Device> device)
{
    const gpu::Program program = m_program->program();
    m_program.reset(); // a device may not have room for two
    m_device = std::move(device);
    auto loaded = m_device->load(program);
    if (!loaded)
        return loaded.error();
    m_program = std::move(*loaded);
    return {};
}

bool GradedProgram::readsClock() const
{
    return labs::readsClock(program().ptx, m_entry) && !onlyToolkitWaits(m_source);
}

std::vector<gpu::Report> GradedProgram::unfilled() const
{
    std::vector<gpu::Report> reports = unfilledVariables(program(), m_kernel, {});
    for (gpu::Report& report : reports)
        report.lookFor = "No host fills a graded kernel's variables: give it a first value in the file, or take the "
                         "numbers from the kernel's inputs.";
    addSourceText(reports, m_source);
    return reports;
}

Result<gpu::LaunchReport> GradedProgram::launch(const KernelTask& task, const TaskData& data,
                                                const TaskBuffers& buffers, gpu::LaunchOptions options)
{
    gpu::LaunchReport report;
    const auto shape = launchAt(m_launch, data.sizes);
    if (!shape)
        return shape.error();
    const auto dim = [](const std::array<std::uint64_t, 3>& d) {
        return gpu::Dim3{static_cast<std::uint32_t>(d[0]), static_cast<std::uint32_t>(d[1]),
                         static_cast<std::uint32_t>(d[2])};
    };
    // More than a number of 32 bits holds is refused as what it is, not cut down to something legal.
    const std::uint64_t shared = std::min<std::uint64_t>(shape->sharedBytes, 0xffff'ffffu);
    const gpu::Launch launch{m_entry, dim(shape->grid), dim(shape->block), static_cast<std::uint32_t>(shared),
                             buffers.arguments()};
    options.faultsAsReports = true;
    auto done = m_device->launch(*m_program, launch, options);
    if (!done && done.error().code == "no-timing") {
        options.timeAlone = false;
        done = m_device->launch(*m_program, launch, options);
    }
    if (done) {
        report = std::move(*done);
    } else if (auto fault = asReport(done.error())) {
        report.reports.push_back(std::move(*fault));
    } else {
        return done.error();
    }
    for (gpu::Report& found : report.reports)
        found.kernel = task.kernel;
    addSourceText(report.reports, m_source);
    return report;
}

} // namespace ridge::labs
