// SPDX-License-Identifier: GPL-3.0-or-later
// `ridge lessons` and `ridge lint`.
#include "cli/commands.h"

#include "base/json.h"
#include "base/paths.h"
#include "lessons/curriculum.h"

#include <algorithm>
#include <cstdio>

namespace ridge::cli {
namespace {

Json lessonJson(const lessons::Lesson& lesson)
{
    Json checks = Json::array();
    for (const lessons::CheckSpec& check : lesson.checks)
        checks.push_back(Json{{"id", check.id}, {"title", check.title}, {"kind", check.kind}});
    Json artifact;
    if (const lessons::ArtifactBlock* block = lesson.artifact())
        artifact = Json{{"title", block->title}, {"kind", block->kind}, {"level", block->level}};
    return Json{{"id", lesson.id},
                {"title", lesson.title},
                {"module", lesson.module},
                {"minutes", lesson.minutes},
                {"experiments", lesson.experiments()},
                {"checks", checks},
                {"artifact", artifact}};
}

int printProblems(std::size_t lessonCount, const std::vector<lessons::Problem>& problems, bool json)
{
    if (json) {
        Json document{{"lessons", lessonCount}, {"errors", Json::array()}};
        for (const lessons::Problem& problem : problems)
            document["errors"].push_back(
                Json{{"file", problem.at.file}, {"line", problem.at.line}, {"message", problem.message}});
        printJson(document);
    } else {
        for (const lessons::Problem& problem : problems)
            std::fprintf(stderr, "%s:%d: %s\n", problem.at.file.c_str(), problem.at.line, problem.message.c_str());
        std::printf("%zu lesson%s, %zu problem%s\n", lessonCount, lessonCount == 1 ? "" : "s", problems.size(),
                    problems.size() == 1 ? "" : "s");
    }
    return problems.empty() ? Done : Failed;
}

} // namespace

int lessonsCommand(bool json)
{
    const auto data = dataFolder();
    if (!data)
        return report(data.error());
    const auto loaded = lessons::loadCurriculum(*data / "curriculum");
    Json list = Json::array();
    std::vector<std::vector<std::string>> rows;
    int status = Done;
    for (const lessons::Problem& problem : loaded.problems) {
        std::fprintf(stderr, "ridge: %s:%d: %s\n", problem.at.file.c_str(), problem.at.line, problem.message.c_str());
        status = Failed;
    }
    // Each module's capstone behind its lessons.
    std::vector<lessons::Lesson> heads = loaded.curriculum.heads;
    heads.insert(heads.end(), loaded.curriculum.capstones.begin(), loaded.curriculum.capstones.end());
    std::ranges::stable_sort(heads, {}, &lessons::Lesson::module);
    for (const lessons::Lesson& head : heads) {
        const auto lesson = lessons::loadLesson(loaded.curriculum, head.id);
        if (!lesson) {
            status = report(lesson.error());
            continue;
        }
        list.push_back(lessonJson(*lesson));
        std::string experiments;
        for (const std::string& id : lesson->experiments())
            experiments += (experiments.empty() ? "" : ", ") + id;
        rows.push_back({lesson->id, lesson->title, std::to_string(lesson->minutes) + " min", experiments});
    }
    if (json)
        printJson(list);
    else
        std::printf("%s", table({"LESSON", "TITLE", "TIME", "EXPERIMENTS"}, rows).c_str());
    return status;
}

int lintCommand(const std::string& folder, bool grain, bool json)
{
    const auto data = dataFolder();
    if (!data)
        return report(data.error());
    const auto catalogue = loadCatalogue();
    if (!catalogue)
        return report(catalogue.error());
    std::error_code ec;
    std::filesystem::path root = folder.empty() ? *data / "curriculum" : std::filesystem::path(folder);
    if (!std::filesystem::exists(root, ec))
        return report({"cannot-read", "is not there", root.string(), "name a curriculum folder or a lesson file"});
    if (!std::filesystem::is_directory(root, ec)) {
        const auto text = readFile(root);
        if (!text)
            return report(text.error());
        const auto loaded = lessons::loadCurriculum(*data / "curriculum");
        auto problems = lessons::lintFile(*text, root.string(), loaded.curriculum, *catalogue, *data);
        if (const auto parsed = lessons::parseLesson(*text, root.string()); grain && parsed.lesson)
            std::ranges::move(lessons::lintGrain(*parsed.lesson, loaded.curriculum), std::back_inserter(problems));
        return printProblems(1, problems, json);
    }
    const auto loaded = lessons::loadCurriculum(root);
    auto problems = lessons::lint(loaded.curriculum, *catalogue, *data);
    for (const auto* heads : {&loaded.curriculum.heads, &loaded.curriculum.capstones})
        for (const lessons::Lesson& head : *heads)
            if (const auto text = grain ? readFile(root / head.at.file) : Result<std::string>(std::string());
                grain && text)
                if (const auto parsed = lessons::parseLesson(*text, head.at.file); parsed.lesson)
                    std::ranges::move(lessons::lintGrain(*parsed.lesson, loaded.curriculum),
                                      std::back_inserter(problems));
    if (grain)
        std::ranges::move(lessons::lintTwins(loaded.curriculum), std::back_inserter(problems));
    return printProblems(loaded.curriculum.heads.size(), problems, json);
}

} // namespace ridge::cli
