// SPDX-License-Identifier: GPL-3.0-or-later
// `ridge kernel grade` and `ridge kernel task`: kernels that learners write for a task.
#include "cli/commands.h"

#include "base/grade_words.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/kernel_verdict.h"
#include "base/paths.h"
#include "base/ratio_credit.h"
#include "base/units.h"
#include "classroom/kernel_work.h"
#include "cli/job.h"
#include "cli/kernel_file.h"

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

Json describe(const KernelTask& task)
{
    Json json{{"id", task.id},         {"title", task.title},         {"lesson", task.lesson},   {"about", task.about},
              {"kernel", task.kernel}, {"signature", task.signature}, {"visible", Json::array()}};
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
    if (options.json) {
        Json document = result->document;
        document["file"] = request.source.path;
        document["source_sha256"] = sha256Hex(request.source.text);
        document["verdict"] = toJson(verdict);
        printJson(document);
    } else {
        print(*task, *facts, verdict);
    }
    return verdict.accepted ? Done : Failed;
}

int kernelTaskListCommand(bool json)
{
    const auto tasks = shippedTasks();
    if (!tasks)
        return report(tasks.error());
    if (json) {
        Json document = Json::array();
        for (const KernelTask& task : *tasks)
            document.push_back(describe(task));
        printJson(Json{{"tasks", std::move(document)}});
        return Done;
    }
    std::vector<std::vector<std::string>> rows;
    for (const KernelTask& task : *tasks)
        rows.push_back({task.id, task.lesson, task.title});
    std::printf("%s", table({"TASK", "LESSON", "TITLE"}, rows).c_str());
    return Done;
}

int kernelTaskShowCommand(const std::string& id, bool json)
{
    const auto task = shippedTask(id);
    if (!task)
        return report(task.error());
    const auto line = tryLine(*task, task->visible.front());
    if (!line)
        return report(line.error());
    if (json) {
        Json document = describe(*task);
        document["try"] = *line;
        printJson(document);
        return Done;
    }
    std::printf("%s\n\n%s\n\n%s\n\nSizes that are checked, besides others:\n", task->title.c_str(), task->about.c_str(),
                task->signature.c_str());
    for (const ParamSet& sizes : task->visible)
        std::printf("  %s\n", sizesText(sizes).c_str());
    std::printf("\nLaunched as the line // Launch of the file's head says. To try it out:\n  %s\n", line->c_str());
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
