// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/task_course.h"

#include "base/json_read.h"

#include <algorithm>

namespace ridge {
namespace {

constexpr const char* kCode = "bad-task";
constexpr int kMostExponent = 20;

Result<Json> fileOf(const KernelTask& task)
{
    const std::string path = (task.folder / "task.json").string();
    const auto text = readFile(path);
    if (!text)
        return text.error();
    return parseJson(*text, path);
}

} // namespace

std::string_view taskLevelText(int level)
{
    switch (level) {
    case 1:
        return "one element a thread";
    case 2:
        return "neighbours and shared memory";
    case 3:
        return "threads that work together";
    case 4:
        return "matrices";
    default:
        return "layers of a model";
    }
}

Result<TaskCourse> taskCourseFromJson(const Json& json)
{
    JsonReader in(json, "task", kCode);
    TaskCourse course;
    course.number = static_cast<int>(in.integer("number"));
    course.level = static_cast<int>(in.integer("level"));
    if (course.number < 1 || course.level < 1 || course.level > kTaskLevels)
        in.fail("number counts from 1, and level goes from 1 to " + std::to_string(kTaskLevels));
    for (const std::string& line : in.texts("picture"))
        course.picture += line + "\n";
    course.hints = in.texts("hints");
    course.explanation = in.text("explanation");
    if (in.error())
        return *in.error();
    return course;
}

Result<std::map<std::string, TaskBounds>> taskBoundsFromJson(const Json& json)
{
    std::map<std::string, TaskBounds> bounds;
    const auto list = json.find("parameters");
    if (list == json.end() || !list->is_array())
        return bounds;
    for (const Json& each : *list) {
        if (!each.is_object() || (!each.contains("below") && !each.contains("exponent")))
            continue;
        JsonReader in(each, "parameters", kCode);
        const std::string name = in.text("name"), role = in.text("role");
        const auto type = dataTypeFromText(in.text("type"));
        TaskBounds of;
        of.below = in.text("below", false);
        if (!of.below.empty() && (!type || isFloat(*type) || role != "in"))
            in.fail("below bounds the whole numbers of a buffer that is read");
        if (each.contains("exponent")) {
            of.exponent = static_cast<int>(in.integer("exponent"));
            if (!type || !isFloat(*type) || *of.exponent < 1 || *of.exponent > kMostExponent)
                in.fail("exponent is of floats and goes from 1 to " + std::to_string(kMostExponent));
        }
        if (in.error())
            return *in.error();
        bounds[name] = of;
    }
    return bounds;
}

Result<TaskCourse> taskCourse(const KernelTask& task)
{
    const auto json = fileOf(task);
    return json ? taskCourseFromJson(*json) : Result<TaskCourse>(json.error());
}

Result<std::map<std::string, TaskBounds>> taskBounds(const KernelTask& task)
{
    if (task.folder.empty()) // made by a test, and no file
        return std::map<std::string, TaskBounds>();
    const auto json = fileOf(task);
    return json ? taskBoundsFromJson(*json) : Result<std::map<std::string, TaskBounds>>(json.error());
}

Result<std::vector<std::pair<KernelTask, TaskCourse>>> tasksInOrder()
{
    auto tasks = shippedTasks();
    if (!tasks)
        return tasks.error();
    std::vector<std::pair<KernelTask, TaskCourse>> ordered;
    for (KernelTask& task : *tasks) {
        auto course = taskCourse(task);
        if (!course)
            return course.error();
        ordered.emplace_back(std::move(task), std::move(*course));
    }
    std::ranges::sort(ordered, {}, [](const auto& each) { return each.second.number; });
    return ordered;
}

Result<std::string> secondSolution(const KernelTask& task)
{
    return readFile(task.folder / "second.cu");
}

} // namespace ridge
