// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/kernel_request.h"
#include "labs/grade/task_buffers.h"
#include "labs/kernel/kernel_source.h"

#include <memory>

namespace ridge::labs {

/// A file compiled for a task: the learner's, or the task's solution, on a device that may be its own.
class GradedProgram {
public:
    /// Errors: those of compiling and loading, "kernel-not-found", "wrong-signature", "bad-launch-line",
    /// "not-self-contained".
    static Result<GradedProgram> make(std::shared_ptr<gpu::Device> device, const KernelTask& task,
                                      const KernelText& source);

    /// Launches on these buffers. What the kernel does wrong is a report. Errors: what is no fault of the kernel.
    Result<gpu::LaunchReport> launch(const KernelTask& task, const TaskData& data, const TaskBuffers& buffers,
                                     gpu::LaunchOptions options);
    /// Loads it anew, on this device: its variables have their first values again, and nothing is left of what it had.
    /// Errors: those of Device::load.
    Result<void> reload(std::shared_ptr<gpu::Device> device);
    gpu::Device& device() const { return *m_device; }
    const gpu::Program& program() const { return m_program->program(); }
    /// Whether the kernel, or a function that it can reach, reads a clock or a timer by the learner's own doing.
    bool readsClock() const;
    /// Variables that it reads, that no host fills and that nothing in the file writes, as a detector would tell them.
    std::vector<gpu::Report> unfilled() const;

private:
    explicit GradedProgram(std::shared_ptr<gpu::Device> device) : m_device(std::move(device)) {}

    std::shared_ptr<gpu::Device> m_device;
    KernelText m_source;
    LaunchFormulas m_launch;
    std::string m_entry;
    KernelSignature m_kernel;
    std::unique_ptr<gpu::LoadedProgram> m_program;
};

} // namespace ridge::labs
