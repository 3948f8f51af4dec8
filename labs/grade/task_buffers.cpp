// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/grade/task_buffers.h"

#include <algorithm>
#include <cstring>

namespace ridge::labs {
namespace {

/// Further than one block of the usual sizes writes past an end, and a multiple of every alignment.
constexpr std::uint64_t kGuardBytes = 4096;
constexpr std::byte kGuard{0xb7};
constexpr std::byte kScrub{0xd3};

gpu::KernelArg scalarArgument(DataType type, const std::vector<std::byte>& bytes)
{
    const auto as = [&](auto value) -> gpu::KernelArg {
        std::memcpy(&value, bytes.data(), sizeof value);
        return value;
    };
    switch (type) {
    case DataType::F64:
        return as(double{});
    case DataType::F32:
        return as(float{});
    case DataType::I8:
        return as(std::int8_t{});
    case DataType::U8:
        return as(std::uint8_t{});
    case DataType::I16:
        return as(std::int16_t{});
    case DataType::F16:
    case DataType::BF16:
    case DataType::U16:
        return as(std::uint16_t{});
    case DataType::I32:
        return as(std::int32_t{});
    case DataType::U32:
        return as(std::uint32_t{});
    case DataType::I64:
        return as(std::int64_t{});
    case DataType::U64:
        return as(std::uint64_t{});
    }
    return as(std::uint32_t{});
}

bool isAll(std::span<const std::byte> bytes, std::byte value)
{
    return std::all_of(bytes.begin(), bytes.end(), [&](std::byte b) { return b == value; });
}

} // namespace

TaskBuffers::TaskBuffers(TaskBuffers&& other) noexcept
    : m_device(other.m_device), m_task(other.m_task), m_data(other.m_data), m_buffers(std::move(other.m_buffers)),
      m_arguments(std::move(other.m_arguments))
{
    other.m_buffers.clear();
}

TaskBuffers::~TaskBuffers()
{
    // A device that a kernel has brought down refuses; then nothing runs on it any more.
    for (const Buffer& buffer : m_buffers) {
        const std::vector<std::byte> scrub(buffer.bytes + 2 * buffer.guard, kScrub);
        static_cast<void>(m_device->copyToDevice(buffer.begin, scrub));
        static_cast<void>(m_device->free(buffer.begin));
    }
}

Result<TaskBuffers> TaskBuffers::make(gpu::Device& device, const KernelTask& task, const TaskData& data)
{
    TaskBuffers buffers(device, task, data);
    for (std::size_t i = 0; i < task.parameters.size(); ++i) {
        if (!task.parameters[i].isBuffer())
            buffers.m_arguments.push_back(scalarArgument(task.parameters[i].type, data.values[i]));
        else if (auto added = buffers.add(i); !added)
            return added.error();
    }
    return buffers;
}

Result<void> TaskBuffers::add(std::size_t parameter)
{
    const std::vector<std::byte>& bytes = m_data->values[parameter];
    Buffer buffer{parameter, {}, m_device->info().checksBounds ? 0 : kGuardBytes, bytes.size()};
    const auto begin = m_device->allocate(buffer.bytes + 2 * buffer.guard, m_task->parameters[parameter].name);
    if (!begin)
        return begin.error();
    buffer.begin = *begin;
    m_buffers.push_back(buffer);
    std::vector<std::byte> whole(buffer.bytes + 2 * buffer.guard, kGuard);
    std::copy(bytes.begin(), bytes.end(), whole.begin() + static_cast<std::ptrdiff_t>(buffer.guard));
    if (auto copied = m_device->copyToDevice(buffer.begin, whole); !copied)
        return copied;
    m_arguments.push_back(gpu::DevicePtr{buffer.begin.address + buffer.guard});
    return {};
}

std::vector<std::pair<gpu::DevicePtr, std::uint64_t>> TaskBuffers::inputs() const
{
    std::vector<std::pair<gpu::DevicePtr, std::uint64_t>> all;
    for (const Buffer& buffer : m_buffers)
        if (m_task->parameters[buffer.parameter].role == TaskParameter::Role::In)
            all.emplace_back(gpu::DevicePtr{buffer.begin.address + buffer.guard}, buffer.bytes);
    return all;
}

Result<TaskBuffers::Found> TaskBuffers::read() const
{
    Found found;
    for (const Buffer& buffer : m_buffers) {
        std::vector<std::byte> whole(buffer.bytes + 2 * buffer.guard);
        if (auto copied = m_device->copyToHost(whole, buffer.begin); !copied)
            return copied.error();
        const std::span<const std::byte> all(whole);
        found.pastEnd =
            found.pastEnd || !isAll(all.first(buffer.guard), kGuard) || !isAll(all.last(buffer.guard), kGuard);
        const auto data = all.subspan(buffer.guard, buffer.bytes);
        const TaskParameter& parameter = m_task->parameters[buffer.parameter];
        if (parameter.role == TaskParameter::Role::Out)
            found.outputs[parameter.name] = {data.begin(), data.end()};
        else if (!std::equal(data.begin(), data.end(), m_data->values[buffer.parameter].begin()))
            found.inputsChanged.push_back(parameter.name);
    }
    return found;
}

} // namespace ridge::labs
