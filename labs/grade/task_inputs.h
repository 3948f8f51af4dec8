// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "labs/grade/task_reference.h"

namespace ridge::labs {

std::uint64_t bitsAt(const std::vector<std::byte>& bytes, unsigned size, std::size_t at);
/// An element of a buffer as a double, which holds numbers of up to 53 bits exactly.
double valueAt(DataType type, const std::vector<std::byte>& bytes, std::size_t at);

/// The inputs of a task by name, as doubles. Throws std::out_of_range where the task has no such parameter.
class Inputs {
public:
    Inputs(const KernelTask& task, const TaskData& data) : m_task(task), m_data(data) {}

    std::vector<double> buffer(const char* name) const;
    double scalar(const char* name) const { return buffer(name).at(0); }
    std::size_t size(const char* name) const { return static_cast<std::size_t>(scalar(name)); }

private:
    const KernelTask& m_task;
    const TaskData& m_data;
};

using Results = std::map<std::string, Expected>;
using References = std::map<std::string, Results (*)(const Inputs&)>;

/// Each a part of all: what moves or maps elements, sums and what is made of them, matrix products, layers of a model.
const References& moveReferences();
const References& sumReferences();
const References& matrixReferences();
const References& layerReferences();
/// All functions that a task can name.
const References& taskReferences();

} // namespace ridge::labs
