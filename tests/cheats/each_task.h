// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/task_course.h"

#include <QtTest>
#include <stdexcept>

namespace ridge::test {

inline constexpr const char* kTaskTarget = "sim:h100-sxm";

inline KernelText textOf(const std::filesystem::path& path)
{
    auto text = readFile(path);
    if (!text)
        throw std::runtime_error(toText(text.error()));
    return {path.string(), std::move(*text), false};
}

/// A row for each task of the level $RIDGE_CASE, or of all.
inline void eachTask()
{
    QTest::addColumn<QString>("id");
    const auto tasks = tasksInOrder();
    QVERIFY2(tasks.ok(), tasks ? "" : toText(tasks.error()).c_str());
    int rows = 0;
    for (const auto& [task, course] : *tasks)
        if (qEnvironmentVariableIsEmpty("RIDGE_CASE") || course.level == qEnvironmentVariableIntValue("RIDGE_CASE")) {
            QTest::newRow(task.id.c_str()) << QString::fromStdString(task.id);
            ++rows;
        }
    QVERIFY(rows > 0);
}

inline KernelTask thisTask()
{
    return *shippedTask(QTest::currentDataTag());
}

/// What a kernel's text has around the work of a solution.
inline std::string kernelHead(const KernelTask& task)
{
    return "extern \"C\" __global__ void " + task.kernel + "(";
}

} // namespace ridge::test
