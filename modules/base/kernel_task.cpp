// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/kernel_task.h"

#include "base/formula.h"
#include "base/hash.h"
#include "base/json_read.h"
#include "base/number_text.h"
#include "base/paths.h"
#include "base/task_course.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstring>
#include <sstream>

namespace ridge {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCode = "bad-task";
constexpr const char* kSchema = "kernel-task/1";

std::optional<TaskParameter::Role> roleFromText(const std::string& text)
{
    using Role = TaskParameter::Role;
    const std::map<std::string, Role> roles{
        {"size", Role::Size}, {"scalar", Role::Scalar}, {"in", Role::In}, {"out", Role::Out}};
    const auto found = roles.find(text);
    return found == roles.end() ? std::nullopt : std::optional(found->second);
}

TaskParameter parameterFromJson(const Json& json, const std::string& place, JsonReader& outer)
{
    JsonReader in(json, place, kCode);
    TaskParameter parameter;
    parameter.name = in.text("name");
    const auto role = roleFromText(in.text("role"));
    if (!role)
        in.fail("role is size, scalar, in or out");
    parameter.role = role.value_or(TaskParameter::Role::Size);
    const auto type = dataTypeFromText(in.text("type"));
    if (!type)
        in.fail("type is one of f64 f32 f16 bf16 i8 u8 i16 u16 i32 u32 i64 u64");
    parameter.type = type.value_or(DataType::U32);
    parameter.count = in.text("count", parameter.isBuffer());
    const std::string start = in.text("start", false);
    if (!start.empty() && start != "zeros")
        in.fail("start is \"zeros\" or left out");
    parameter.startsAtZero = start == "zeros";
    if (in.error())
        outer.fail(place + ": " + in.error()->message);
    return parameter;
}

LaunchFormulas launchFromJson(const Json& json, JsonReader& outer)
{
    JsonReader in(json, "launch", kCode);
    LaunchFormulas launch{in.texts("grid"), in.texts("block"), in.text("shared", false)};
    if (launch.shared.empty())
        launch.shared = "0";
    if (launch.grid.empty() || launch.grid.size() > 3 || launch.block.empty() || launch.block.size() > 3)
        in.fail("grid and block have one to three formulas");
    if (in.error())
        outer.fail("launch: " + in.error()->message);
    return launch;
}

ParamSet sizesFromJson(const Json& json, const std::string& place, JsonReader& outer)
{
    auto sizes = paramSetFromJson(json, place);
    if (!sizes) {
        outer.fail(place + ": " + sizes.error().message);
        return {};
    }
    return *sizes;
}

std::map<std::string, DrawnSize> drawnFromJson(const Json& json, const std::string& place, JsonReader& outer)
{
    std::map<std::string, DrawnSize> drawn;
    for (const auto& [name, range] : json.items()) {
        JsonReader in(range, place + "." + name, kCode);
        const DrawnSize size{in.integer("from"), in.integer("to"), in.integer("step", false, 1)};
        if (size.from < 1 || size.to < size.from || size.step < 1)
            in.fail("a drawn size goes from 1 or more to no less, in steps of 1 or more");
        if (in.error())
            outer.fail(in.error()->message);
        drawn[name] = size;
    }
    return drawn;
}

/// Every formula can be computed and every size of the signature has a value, at each set of sizes there is.
std::optional<Error> sizesProblem(const KernelTask& task)
{
    std::vector<std::pair<std::string, ParamSet>> sets;
    for (const ParamSet& sizes : task.visible)
        sets.emplace_back("visible", sizes);
    for (const auto& [name, sizes] : task.timed)
        sets.emplace_back("timed." + name, sizes);
    for (const auto& drawn : task.hidden) {
        ParamSet sizes;
        for (const auto& [name, size] : drawn)
            sizes[name] = size.from;
        sets.emplace_back("hidden", std::move(sizes));
    }
    std::vector<std::string> formulas{task.roundings, task.bytesRead, task.bytesWritten, task.flops};
    for (const TaskParameter& parameter : task.parameters)
        if (parameter.isBuffer())
            formulas.push_back(parameter.count);
    for (const auto& [place, sizes] : sets) {
        for (const std::string& name : task.sizeNames())
            if (!sizes.contains(name))
                return Error{kCode, "there is no " + name, place, "give every size of the signature"};
        for (const std::string& formula : formulas)
            if (const auto value = wholeAt(formula, sizes); !value)
                return Error{kCode, value.error().message, place + ", " + value.error().place, ""};
        if (const auto launch = launchAt(task.launch, sizes); !launch)
            return Error{kCode, launch.error().message, place + ", " + launch.error().place, ""};
    }
    return std::nullopt;
}

std::vector<std::string> linesOf(const std::string& text)
{
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
        if (!line.empty() && line.back() == '\r')
            line.pop_back();
        lines.push_back(std::move(line));
    }
    return lines;
}

std::string_view trimmed(std::string_view text)
{
    const auto begin = text.find_first_not_of(" \t");
    if (begin == std::string_view::npos)
        return {};
    return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

/// Splits "max(a, b), c" at the commas that stand in no parentheses.
std::vector<std::string> splitDimensions(std::string_view text)
{
    std::vector<std::string> parts(1);
    int depth = 0;
    for (const char c : text) {
        depth += c == '(' ? 1 : c == ')' ? -1 : 0;
        if (c == ',' && depth == 0)
            parts.emplace_back();
        else
            parts.back() += c;
    }
    for (std::string& part : parts)
        part = std::string(trimmed(part));
    return parts;
}

Error badLaunchLine(const std::string& what)
{
    return {"bad-launch-line", what, "the line // Launch of the file's head",
            "write // Launch --grid F --block F [--smem F], F being formulas over the task's sizes"};
}

constexpr std::string_view kBegin = "// @solution", kEnd = "// @end", kHint = "// @hint";

/// Walks over a solution's lines; `starter` leaves out what is marked.
Result<std::string> withoutMarkers(const std::string& solution, bool starter)
{
    std::string out;
    bool inside = false;
    int number = 0;
    const auto fail = [&](const std::string& what) {
        return Error{"bad-markers", what, "line " + std::to_string(number),
                     "write // @solution, what the learner is to find, and // @end on lines of their own"};
    };
    for (const std::string& line : linesOf(solution)) {
        ++number;
        const std::string_view text = trimmed(line);
        if (text == kBegin || text == kEnd) {
            if (inside == (text == kBegin))
                return fail(inside ? "a marked part begins inside another" : "a marked part ends that never began");
            inside = text == kBegin;
            continue;
        }
        if (text.starts_with(kHint)) {
            if (!inside)
                return fail("a hint stands outside every marked part");
            if (starter)
                out += line.substr(0, line.find('/')) + "// " + std::string(trimmed(text.substr(kHint.size()))) + "\n";
            continue;
        }
        if (!inside || !starter)
            out += line + "\n";
    }
    if (inside)
        return fail("a marked part has no // @end");
    return out;
}

/// What the line of a comment says behind the word Launch; empty: it is none with options.
std::string_view launchOptions(std::string_view line)
{
    constexpr std::size_t letters = 6;
    std::string_view text = trimmed(line);
    if (!text.starts_with("//") && !text.starts_with("/*"))
        return {};
    text.remove_prefix(std::min(text.find_first_not_of("/*! \t"), text.size()));
    text = text.substr(0, text.find("*/"));
    const bool isLaunch = text.starts_with("Launch") || text.starts_with("launch");
    if (!isLaunch || text.size() == letters || std::isalnum(static_cast<unsigned char>(text[letters])) != 0)
        return {};
    const std::size_t options = text.find("--");
    return options == std::string_view::npos ? std::string_view() : trimmed(text.substr(options));
}

} // namespace

const TaskParameter* KernelTask::find(std::string_view name) const
{
    const auto found =
        std::find_if(parameters.begin(), parameters.end(), [&](const auto& p) { return p.name == name; });
    return found == parameters.end() ? nullptr : &*found;
}

std::vector<std::string> KernelTask::sizeNames() const
{
    std::vector<std::string> names;
    for (const TaskParameter& parameter : parameters)
        if (parameter.role == TaskParameter::Role::Size)
            names.push_back(parameter.name);
    return names;
}

Result<KernelTask> kernelTaskFromJson(const Json& json)
{
    JsonReader in(json, "task", kCode);
    if (in.text("schema") != kSchema)
        in.fail(std::string("the schema must be ") + kSchema);
    KernelTask task;
    task.id = in.text("id");
    task.title = in.text("title");
    task.lesson = in.text("lesson", false);
    task.about = in.text("about");
    task.kernel = in.text("kernel");
    task.signature = in.text("signature");
    if (const Json* list = in.array("parameters"))
        for (std::size_t i = 0; i < list->size(); ++i)
            task.parameters.push_back(parameterFromJson(list->at(i), "parameters[" + std::to_string(i) + "]", in));
    if (const Json* launch = in.object("launch"))
        task.launch = launchFromJson(*launch, in);
    if (const Json* list = in.array("visible"))
        for (const Json& sizes : *list)
            task.visible.push_back(sizesFromJson(sizes, "visible", in));
    if (const Json* list = in.array("hidden"))
        for (const Json& drawn : *list)
            task.hidden.push_back(drawnFromJson(drawn, "hidden", in));
    if (const Json* timed = in.object("timed"))
        for (const auto& [name, sizes] : timed->items())
            task.timed[name] = sizesFromJson(sizes, "timed." + name, in);
    task.reference = in.text("reference");
    task.roundings = in.text("roundings");
    task.bytesRead = in.text("bytes_read");
    task.bytesWritten = in.text("bytes_written");
    task.flops = in.text("flops");
    if (!in.error() && (task.visible.size() < 2 || task.hidden.empty() || task.timed.empty()))
        in.fail("a task has two visible cases or more, a hidden one and a timed one");
    if (in.error())
        return *in.error();
    if (auto problem = sizesProblem(task))
        return *problem;
    return task;
}

Result<KernelTask> shippedTask(const std::string& id)
{
    const auto data = dataFolder();
    if (!data)
        return data.error();
    std::vector<std::string> known;
    std::error_code code;
    for (const auto& entry : fs::directory_iterator(*data / "assets" / "tasks", code))
        if (entry.is_directory())
            known.push_back(entry.path().filename().string());
    std::sort(known.begin(), known.end());
    if (std::find(known.begin(), known.end(), id) == known.end())
        return Error{"unknown-task", "there is no task '" + id + "'" + didYouMean(id, known), "--task",
                     "ridge kernel task list shows them"};
    const fs::path folder = *data / "assets" / "tasks" / id;
    const auto text = readFile(folder / "task.json");
    if (!text)
        return text.error();
    const auto json = parseJson(*text, (folder / "task.json").string());
    if (!json)
        return json.error();
    auto task = kernelTaskFromJson(*json);
    if (!task) {
        Error error = task.error();
        error.place = (folder / "task.json").string() + ", " + error.place;
        return error;
    }
    if (task->id != id)
        return Error{kCode, "the file calls itself '" + task->id + "'", (folder / "task.json").string(),
                     "let id be the name of its folder"};
    task->folder = folder;
    return task;
}

Result<std::vector<KernelTask>> shippedTasks()
{
    const auto data = dataFolder();
    if (!data)
        return data.error();
    std::vector<KernelTask> tasks;
    std::error_code code;
    for (const auto& entry : fs::directory_iterator(*data / "assets" / "tasks", code)) {
        if (!entry.is_directory())
            continue;
        auto task = shippedTask(entry.path().filename().string());
        if (!task)
            return task.error();
        tasks.push_back(std::move(*task));
    }
    std::sort(tasks.begin(), tasks.end(),
              [](const auto& a, const auto& b) { return std::tie(a.lesson, a.id) < std::tie(b.lesson, b.id); });
    return tasks;
}

Result<std::uint64_t> wholeAt(const std::string& formula, const ParamSet& sizes)
{
    const auto value = evaluateFormula(formula, sizes);
    if (!value)
        return value.error();
    if (*value < 0 || *value != std::floor(*value) || *value > 9e15)
        return Error{"bad-formula", "it comes out as " + shortText(*value) + ", not as a whole number",
                     "formula '" + formula + "'", "use ceil() or floor() around divisions"};
    return static_cast<std::uint64_t>(*value);
}

Result<LaunchFormulas> launchFormulas(const std::string& source, const KernelTask& task)
{
    for (const std::string& line : linesOf(source)) {
        const std::string_view text = launchOptions(line);
        if (text.empty())
            continue;
        LaunchFormulas launch = task.launch;
        for (std::size_t at = text.find("--"); at != std::string_view::npos;) {
            const std::size_t next = text.find(" --", at);
            const std::string_view option = text.substr(at, next == std::string_view::npos ? next : next - at);
            const std::size_t blank = option.find(' ');
            const std::string_view name = option.substr(0, blank);
            const auto values = splitDimensions(blank == std::string_view::npos ? "" : option.substr(blank));
            if (name == "--grid" || name == "--block") {
                if (values.size() > 3 || values.front().empty())
                    return badLaunchLine("'" + std::string(option) + "' has no one to three formulas");
                (name == "--grid" ? launch.grid : launch.block) = values;
            } else if (name == "--smem") {
                launch.shared = values.front();
            } else {
                return badLaunchLine("'" + std::string(name) + "' is no option of a graded launch");
            }
            at = next == std::string_view::npos ? next : next + 1;
        }
        return launch;
    }
    return task.launch;
}

Result<TaskLaunch> launchAt(const LaunchFormulas& formulas, const ParamSet& sizes)
{
    TaskLaunch launch;
    const auto fill = [&](const std::vector<std::string>& from, std::array<std::uint64_t, 3>& to) -> Result<void> {
        for (std::size_t axis = 0; axis < from.size() && axis < to.size(); ++axis) {
            const auto value = wholeAt(from[axis], sizes);
            if (!value)
                return value.error();
            if (*value == 0 || *value > 0xffffffffu)
                return badLaunchLine("'" + from[axis] + "' comes out as " + std::to_string(*value));
            to[axis] = *value;
        }
        return {};
    };
    if (auto grid = fill(formulas.grid, launch.grid); !grid)
        return grid.error();
    if (auto block = fill(formulas.block, launch.block); !block)
        return block.error();
    const auto shared = wholeAt(formulas.shared, sizes);
    if (!shared)
        return shared.error();
    launch.sharedBytes = *shared;
    return launch;
}

Result<std::vector<std::string>> publicArguments(const KernelTask& task, const ParamSet& sizes)
{
    using Role = TaskParameter::Role;
    const auto bounds = taskBounds(task);
    if (!bounds)
        return bounds.error();
    std::vector<std::string> arguments;
    std::uint64_t seed = 0;
    for (const TaskParameter& parameter : task.parameters) {
        const std::string type(toText(parameter.type));
        std::string count;
        if (parameter.isBuffer()) {
            const auto elements = wholeAt(parameter.count, sizes);
            if (!elements)
                return elements.error();
            count = ":" + std::to_string(*elements);
        }
        if (parameter.role == Role::Size) {
            arguments.push_back(type + ":" + toText(sizes.at(parameter.name)));
        } else if (parameter.role == Role::Out) {
            arguments.push_back("out:" + type + count);
        } else if (parameter.role == Role::In) {
            // Whole numbers that are places in something: 0 is one everywhere.
            const auto bound = bounds->find(parameter.name);
            const bool places = bound != bounds->end() && !bound->second.below.empty();
            ++seed;
            arguments.push_back("in:" + type + count + (places ? ":zeros" : ":rand(" + std::to_string(seed) + ")"));
        } else {
            KernelArgument one;
            one.type = parameter.type;
            one.count = 1;
            one.fill = KernelArgument::Fill::Rand;
            one.seed = ++seed;
            const auto bytes = fillElements(one, 0, 1);
            float value = 0; // rand() of a type of 32 bits or fewer is a float exactly
            if (parameter.type == DataType::F32)
                std::memcpy(&value, bytes.data(), sizeof value);
            std::ostringstream text;
            text.precision(9);
            text << type << ':' << value;
            arguments.push_back(text.str());
        }
    }
    return arguments;
}

std::uint64_t secretNumber(const std::string& secret, const std::string& what)
{
    const std::string digest = sha256Hex(secret + '\n' + what);
    std::uint64_t value = 0;
    std::from_chars(digest.data(), digest.data() + 16, value, 16);
    return value;
}

std::vector<GradeCase> gradeCases(const KernelTask& task, const std::string& targetClass, const std::string& secret)
{
    std::vector<GradeCase> cases;
    for (const ParamSet& sizes : task.visible)
        cases.push_back({sizes, false, false});
    for (std::size_t i = 0; i < task.hidden.size(); ++i) {
        GradeCase drawn{{}, true, false};
        for (const auto& [name, size] : task.hidden[i]) {
            const auto steps = static_cast<std::uint64_t>((size.to - size.from) / size.step) + 1;
            const auto step = secretNumber(secret, "size " + std::to_string(i) + " " + name) % steps;
            drawn.sizes[name] = size.from + static_cast<std::int64_t>(step) * size.step;
        }
        cases.push_back(std::move(drawn));
    }
    const auto timed = task.timed.find(targetClass);
    cases.push_back({timed == task.timed.end() ? task.timed.begin()->second : timed->second, false, true});
    return cases;
}

Result<std::string> starterOf(const std::string& solution)
{
    return withoutMarkers(solution, true);
}

Result<std::string> solutionText(const std::string& solution)
{
    return withoutMarkers(solution, false);
}

} // namespace ridge
