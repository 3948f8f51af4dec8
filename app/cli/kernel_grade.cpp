// SPDX-License-Identifier: GPL-3.0-or-later
// `ridge kernel grade` and `ridge kernel task`: kernels that learners write for a task.
#include "cli/commands.h"

#include "base/grade_words.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/kernel_verdict.h"
#include "base/paths.h"
#include "base/ratio_credit.h"
#include "base/task_course.h"
#include "base/units.h"
#include "classroom/feedback_policy.h"
#include "classroom/kernel_lesson.h"
#include "classroom/kernel_work.h"
#include "cli/job.h"
#include "cli/kernel_file.h"
#include "record/clock.h"
#include "record/graded_kernel.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>

namespace ridge::cli {
namespace {

namespace fs = std::filesystem;

std::string sizesText(const ParamSet& sizes)
{
    std::string text;
    for (const auto& [name, value] : sizes)
        text += (text.empty() ? "" : ", ") + name + " = " + toText(value);
    return text;
}

std::string timeText(const std::optional<double>& seconds)
{
    return seconds ? formatQuantity(*seconds, "s") : std::string("–");
}

void print(const KernelTask& task, const GradeFacts& facts, const GradeVerdict& verdict)
{
    std::printf("%s on %s (%s), %s, compiled by %s\n\n", task.id.c_str(), facts.target.c_str(), facts.device.c_str(),
                std::string(toText(facts.provenance)).c_str(), facts.compiler.c_str());
    std::vector<std::vector<std::string>> rows;
    for (const LaunchFacts& launch : facts.launches) {
        const GradeCase& c = facts.cases.at(launch.at);
        rows.push_back({sizesText(c.sizes), c.hidden ? "yes" : "", launch.data, std::to_string(launch.elements),
                        std::to_string(launch.wrong), timeText(launch.seconds), timeText(launch.referenceSeconds)});
    }
    std::printf("%s\n", table({"CASE", "HIDDEN", "DATA", "RESULTS", "WRONG", "TIME", "REFERENCE"}, rows).c_str());
    const auto share = [](const char* what, const std::optional<double>& ratio, double points) {
        if (ratio)
            std::printf("  %s: %s x the reference's, worth %s of %s\n", what, formatNumber(*ratio).c_str(),
                        formatNumber(points * ratioCredit(*ratio)).c_str(), formatNumber(points).c_str());
    };
    if (verdict.accepted) {
        std::printf("✓ accepted, %s of %s points\n  right: worth %s\n", formatNumber(verdict.points).c_str(),
                    formatNumber(verdict.outOf).c_str(), formatNumber(kRightPoints).c_str());
        share("instructions", verdict.instructionRatio, kCountPoints);
        share("time", verdict.timeRatio, verdict.instructionRatio ? kTimePoints : 100 - kRightPoints);
    }
    for (const GradeReason& reason : verdict.reasons)
        std::printf("✗ %s: %s\n  %s\n%s", reason.id.c_str(), reasonWords(reason.id).title.c_str(),
                    plain(reason.text).c_str(),
                    reason.advice.empty() ? "" : ("  " + plain(reason.advice) + "\n").c_str());
    if (verdict.floorSeconds > 0)
        std::printf("  no kernel is faster than %s here (%s)\n", formatQuantity(verdict.floorSeconds, "s").c_str(),
                    verdict.roof.source.c_str());
    for (const std::string& note : verdict.notes)
        std::printf("  %s\n", note.c_str());
}

/// Why an assignment does not show the verdict on a task now; empty: it may be told.
std::string heldVerdict(const classroom::FeedbackPolicy& policy, const std::string& task)
{
    const auto held =
        policy.held(classroom::kernelLesson(task), classroom::Outcome::Check, record::timeStamp().toStdString());
    return held ? classroom::heldText(*held) : std::string();
}

using Standings = std::map<std::string, record::KernelStanding>;

/// What the record says of tasks; nothing where there is none yet, and nothing that an assignment keeps back.
Standings standings()
{
    const auto store = record::Store::openReadOnly(homeFolder());
    Standings known = store ? record::bestStandings(**store) : Standings();
    const auto policy = classroom::FeedbackPolicy::ofHome(homeFolder());
    std::erase_if(known, [&](const auto& standing) { return !heldVerdict(policy, standing.first).empty(); });
    return known;
}

Json describe(const KernelTask& task, const TaskCourse& course, const Standings& known)
{
    const auto found = known.find(task.id);
    Json json{{"id", task.id},
              {"number", course.number},
              {"level", course.level},
              {"level_text", std::string(taskLevelText(course.level))},
              {"title", task.title},
              {"lesson", task.lesson},
              {"about", task.about},
              {"picture", course.picture},
              {"hints", course.hints.size()},
              {"kernel", task.kernel},
              {"signature", task.signature},
              {"visible", Json::array()},
              {"standing", found == known.end()
                               ? Json()
                               : Json{{"right", found->second.right}, {"percent", found->second.percent}}}};
    for (const ParamSet& sizes : task.visible)
        json["visible"].push_back(ridge::toJson(sizes));
    return json;
}

/// How the kernel is tried out by hand, on data that a grading never has.
Result<std::string> tryLine(const KernelTask& task, const ParamSet& sizes)
{
    const auto launch = launchAt(task.launch, sizes);
    if (!launch)
        return launch.error();
    const auto arguments = publicArguments(task, sizes);
    if (!arguments)
        return arguments.error();
    const auto dims = [](const std::array<std::uint64_t, 3>& d) {
        return std::to_string(d[0]) + "," + std::to_string(d[1]) + "," + std::to_string(d[2]);
    };
    std::string line = "ridge kernel run " + task.id + ".cu --kernel " + task.kernel + " --grid " + dims(launch->grid) +
                       " --block " + dims(launch->block);
    for (const std::string& argument : *arguments)
        line += " --arg '" + argument + "'";
    return line + " --check";
}

} // namespace

int kernelGradeCommand(const KernelGradeOptions& options)
{
    const auto task = shippedTask(options.task);
    if (!task)
        return report(task.error());
    auto source = readKernelFile(options.file);
    if (!source)
        return report(source.error());
    auto target = chooseKernelTarget(options.target);
    if (!target)
        return report(target.error());
    auto request = gradeRequest(*task, std::move(*source), std::move(*target),
                                options.seed ? "seed " + std::to_string(*options.seed) : newSecret());
    if (options.seconds > 0)
        request.limits.seconds = options.seconds;
    request.limits.memoryMiB = options.memoryMiB;
    const auto result = runKernelJob(request, !options.json);
    if (!result)
        return report(result.error());
    const auto facts = gradeAnswer(result->document, request.task, request.cases);
    if (!facts)
        return report(facts.error());
    const GradeVerdict verdict = judge(*task, *facts, classroom::calibratedRoof(homeFolder(), *facts));
    if (options.save) {
        const auto store = record::Store::open(homeFolder());
        if (!store)
            return report(store.error());
        if (const auto kept = classroom::keepKernel(**store, *task, request, *facts, verdict); !kept)
            return report(kept.error());
    }
    const std::string held = heldVerdict(classroom::FeedbackPolicy::ofHome(homeFolder()), task->id);
    if (!held.empty()) {
        if (options.json)
            printJson(Json{{"file", request.source.path},
                           {"source_sha256", sha256Hex(request.source.text)},
                           {"verdict", nullptr},
                           {"held", held}});
        else
            std::printf("%s graded%s. %s\n", task->id.c_str(), options.save ? " and kept" : "", held.c_str());
        return Done; // another status would be the verdict
    }
    if (options.json) {
        Json document = result->document;
        document["file"] = request.source.path;
        document["source_sha256"] = sha256Hex(request.source.text);
        document["verdict"] = toJson(verdict);
        printJson(document);
    } else {
        print(*task, *facts, verdict);
        if (const auto course = taskCourse(*task); course && verdict.accepted)
            std::printf("\n%s\n\nTwo ways to write it: ridge kernel task explain %s%s\n", course->explanation.c_str(),
                        task->id.c_str(), options.save ? "" : " --anyway");
    }
    return verdict.accepted ? Done : Failed;
}

int kernelTaskListCommand(bool json)
{
    const auto tasks = tasksInOrder();
    if (!tasks)
        return report(tasks.error());
    const Standings known = standings();
    if (json) {
        Json document = Json::array();
        for (const auto& [task, course] : *tasks)
            document.push_back(describe(task, course, known));
        printJson(Json{{"tasks", std::move(document)}});
        return Done;
    }
    std::vector<std::vector<std::string>> rows;
    int level = 0;
    for (const auto& [task, course] : *tasks) {
        if (course.level != level)
            rows.push_back(
                {"", "", "", "", std::to_string(course.level) + ". " + std::string(taskLevelText(course.level))});
        level = course.level;
        rows.push_back({std::to_string(course.number), task.id, task.lesson, record::standingText(known, task.id),
                        "   " + task.title});
    }
    std::printf("%s", table({"NO", "TASK", "LESSON", "STATE", "TITLE"}, rows).c_str());
    return Done;
}

int kernelTaskShowCommand(const std::string& id, int hints, bool json)
{
    const auto task = shippedTask(id);
    if (!task)
        return report(task.error());
    const auto course = taskCourse(*task);
    if (!course)
        return report(course.error());
    const std::size_t told = std::min(static_cast<std::size_t>(std::max(0, hints)), course->hints.size());
    const auto line = tryLine(*task, task->visible.front());
    if (!line)
        return report(line.error());
    if (json) {
        Json document = describe(*task, *course, standings());
        document["try"] = *line;
        document["hints_told"] = Json::array();
        for (std::size_t at = 0; at < told; ++at)
            document["hints_told"].push_back(course->hints[at]);
        printJson(document);
        return Done;
    }
    std::printf("%d. %s (lesson %s; %s)\n\n%s\n\n%s\n%s\n\nSizes that are checked, besides others:\n", course->number,
                task->title.c_str(), task->lesson.c_str(), record::standingText(standings(), task->id).c_str(),
                task->about.c_str(), course->picture.c_str(), task->signature.c_str());
    for (const ParamSet& sizes : task->visible)
        std::printf("  %s\n", sizesText(sizes).c_str());
    std::printf("\nLaunched as the file's line // Launch says. To try it out:\n  %s\n", line->c_str());
    if (told > 0)
        std::printf("\n");
    for (std::size_t at = 0; at < told; ++at)
        std::printf("Hint %zu of %zu: %s\n", at + 1, course->hints.size(), course->hints[at].c_str());
    if (told < course->hints.size())
        std::printf("\n%zu hints more: --hints %zu tells the next\n", course->hints.size() - told, told + 1);
    return Done;
}

int kernelTaskExplainCommand(const std::string& id, bool anyway)
{
    const auto task = shippedTask(id);
    if (!task)
        return report(task.error());
    const auto course = taskCourse(*task);
    if (!course)
        return report(course.error());
    const Standings known = standings();
    const auto found = known.find(id);
    if (!anyway && (found == known.end() || !found->second.right))
        return report({"not-solved", "no kernel of yours was accepted for " + id + " and kept", "task " + id,
                       "solve it first (ridge kernel grade FILE.cu --task " + id +
                           " --save), or say --anyway: then you know the answer"});
    const auto solution = readFile(task->folder / "solution.cu");
    const auto text = solution ? solutionText(*solution) : solution;
    const auto second = secondSolution(*task);
    if (!text || !second)
        return report(!text ? text.error() : second.error());
    std::printf("%s\n\n%s\n\nOne way:\n\n%s\nAnother:\n\n%s", task->title.c_str(), course->explanation.c_str(),
                text->c_str(), second->c_str());
    return Done;
}

int kernelTaskStartCommand(const std::string& id, const std::string& out)
{
    const auto task = shippedTask(id);
    if (!task)
        return report(task.error());
    const auto starter = readFile(task->folder / "starter.cu");
    if (!starter)
        return report(starter.error());
    const fs::path path = out.empty() ? fs::path(task->id + ".cu") : fs::path(out);
    std::error_code code;
    if (fs::exists(path, code))
        return report({"cannot-write", "'" + path.string() + "' is there already", "--out",
                       "name another file, or move that one away"});
    if (auto written = writeFile(path, *starter); !written)
        return report(written.error());
    std::printf("%s\n", path.string().c_str());
    return Done;
}

} // namespace ridge::cli
