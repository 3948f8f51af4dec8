// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/device.h"
#include "labs/grade/task_data.h"

namespace ridge::labs {

/// A task's data on a device, for one launch. Buffers are new, and what was computed in them is written over before
/// they are given back, so that no later launch can find it there. Where the device does not watch the bounds of
/// buffers itself, each lies between two stretches of a known pattern.
class TaskBuffers {
public:
    /// Errors: those of Device.
    static Result<TaskBuffers> make(gpu::Device& device, const KernelTask& task, const TaskData& data);
    ~TaskBuffers();
    TaskBuffers(TaskBuffers&& other) noexcept;
    TaskBuffers& operator=(TaskBuffers&&) = delete;

    /// Where the inputs lie.
    std::vector<std::pair<gpu::DevicePtr, std::uint64_t>> inputs() const;
    const std::vector<gpu::KernelArg>& arguments() const { return m_arguments; }

    struct Found {
        std::map<std::string, std::vector<std::byte>> outputs;
        std::vector<std::string> inputsChanged;
        bool pastEnd = false;
    };
    /// What the launch left behind. Errors: those of Device.
    Result<Found> read() const;

private:
    struct Buffer {
        std::size_t parameter = 0;
        gpu::DevicePtr begin; ///< of the guard, or of the data
        std::uint64_t guard = 0;
        std::uint64_t bytes = 0;
    };
    TaskBuffers(gpu::Device& device, const KernelTask& task, const TaskData& data)
        : m_device(&device), m_task(&task), m_data(&data)
    {
    }
    Result<void> add(std::size_t parameter);

    gpu::Device* m_device;
    const KernelTask* m_task;
    const TaskData* m_data;
    std::vector<Buffer> m_buffers;
    std::vector<gpu::KernelArg> m_arguments;
};

} // namespace ridge::labs
