// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/task_course.h"

#include "base/json_read.h"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>

namespace ridge {
namespace {

constexpr const char* kCode = "bad-task";
constexpr int kMostExponent = 20;

namespace fs = std::filesystem;

/// What a task's file says beside what a grading needs, read once: a grading asks for it with every data that it draws.
struct TaskFile {
    fs::file_time_type changed;
    Result<TaskCourse> course;
    Result<std::map<std::string, TaskBounds>> bounds;
};

/// Of the file as it is now: one that was written since is read again. Errors: "no-data", "bad-json"; they are not
/// kept.
Result<std::shared_ptr<const TaskFile>> fileOf(const KernelTask& task)
{
    static std::mutex guard;
    static std::map<std::string, std::shared_ptr<const TaskFile>> known;
    const std::string path = (task.folder / "task.json").string();
    std::error_code missing;
    const auto changed = fs::last_write_time(path, missing);
    const std::lock_guard hold(guard);
    if (const auto found = known.find(path); !missing && found != known.end() && found->second->changed == changed)
        return found->second;
    const auto text = readFile(path);
    if (!text)
        return text.error();
    const auto json = parseJson(*text, path);
    if (!json)
        return json.error();
    auto file =
        std::make_shared<const TaskFile>(TaskFile{changed, taskCourseFromJson(*json), taskBoundsFromJson(*json)});
    known[path] = file;
    return file;
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
    const auto file = fileOf(task);
    return file ? (*file)->course : Result<TaskCourse>(file.error());
}

Result<std::map<std::string, TaskBounds>> taskBounds(const KernelTask& task)
{
    if (task.folder.empty()) // made by a test, and no file
        return std::map<std::string, TaskBounds>();
    const auto file = fileOf(task);
    return file ? (*file)->bounds : Result<std::map<std::string, TaskBounds>>(file.error());
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
