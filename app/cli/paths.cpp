// SPDX-License-Identifier: GPL-3.0-or-later
// `ridge paths` and `ridge companion`.
#include "cli/commands.h"

#include "base/json.h"
#include "base/paths.h"
#include "base/units.h"
#include "lessons/companions.h"
#include "lessons/stack.h"
#include "lessons/text.h"
#include "lessons/way.h"

#include <cstdio>

namespace ridge::cli {
namespace {

constexpr double kBytesFp32 = 4;

std::string joined(const std::vector<std::string>& texts, const char* between = " ")
{
    std::string all;
    for (const std::string& text : texts)
        all += (all.empty() ? "" : between) + text;
    return all;
}

/// What is wrong with the files is for `ridge lint`; here it only must not pass unseen.
bool told(const std::vector<lessons::Problem>& problems)
{
    for (const lessons::Problem& problem : problems)
        std::fprintf(stderr, "ridge: %s:%d: %s\n", problem.at.file.c_str(), problem.at.line, problem.message.c_str());
    return !problems.empty();
}

Json pathJson(const lessons::Curriculum& curriculum, const lessons::Stack& stack, const lessons::LessonPath& path)
{
    const lessons::PathFit* fit = stack.fit(path.id);
    return Json{{"id", path.id},
                {"title", path.title},
                {"about", path.about},
                {"primary", fit ? Json(fit->primary) : Json()},
                {"adjacent", fit ? Json(fit->adjacent) : Json()},
                {"hardware", fit ? Json(fit->hardware) : Json()},
                {"lessons", lessons::wayOf(curriculum, path, lessons::Foundations::AsNeeded)}};
}

void printPath(const lessons::Curriculum& curriculum, const lessons::Stack& stack, const lessons::LessonPath& path)
{
    std::printf("%s: %s\n", path.title.c_str(), path.about.c_str());
    if (const lessons::PathFit* fit = stack.fit(path.id))
        std::printf("good at   %s %s\nbeside    %s %s\nhardware  %s\n", fit->primary.c_str(),
                    stack.partTitle(fit->primary).c_str(), fit->adjacent.c_str(),
                    stack.partTitle(fit->adjacent).c_str(), fit->hardware.c_str());
    std::vector<std::vector<std::string>> rows;
    for (const std::string& id : lessons::wayOf(curriculum, path, lessons::Foundations::AsNeeded)) {
        const lessons::Lesson* head = curriculum.head(id);
        rows.push_back({id, curriculum.titleOf(id), head ? joined(head->prerequisites) : std::string()});
    }
    std::printf("\n%s", table({"LESSON", "TITLE", "BUILDS ON"}, rows).c_str());
}

Json linksJson(const std::vector<lessons::LessonLink>& links)
{
    Json list = Json::array();
    for (const lessons::LessonLink& link : links)
        list.push_back(Json{{"lesson", link.lesson}, {"why", link.why}});
    return list;
}

std::vector<std::string> lessonIds(const std::vector<lessons::LessonLink>& links)
{
    std::vector<std::string> ids;
    for (const lessons::LessonLink& link : links)
        ids.push_back(link.lesson);
    return ids;
}

void printLinks(const lessons::Curriculum& curriculum, const std::vector<lessons::LessonLink>& links)
{
    for (const lessons::LessonLink& link : links)
        std::printf("  %s %s: %s\n", link.lesson.c_str(), curriculum.titleOf(link.lesson).c_str(), link.why.c_str());
}

Json companionsJson(const lessons::Companions& all)
{
    Json document{{"book", all.book},
                  {"book_url", all.bookUrl},
                  {"projects", Json::array()},
                  {"chapters", Json::array()},
                  {"labs", Json::array()}};
    for (const lessons::ReferenceProject& one : all.projects)
        document["projects"].push_back(Json{{"id", one.id},
                                            {"title", one.title},
                                            {"url", one.url},
                                            {"question", one.question},
                                            {"look", one.look},
                                            {"lessons", linksJson(one.lessons)}});
    for (const lessons::BookChapter& one : all.chapters) {
        Json work = Json::array();
        for (const lessons::MatrixWork& product : one.work)
            work.push_back(Json{{"title", product.title},
                                {"flop", product.flop()},
                                {"bytes_fp32", product.bytes(kBytesFp32)},
                                {"intensity_fp32", product.intensity(kBytesFp32)}});
        document["chapters"].push_back(Json{{"id", one.id},
                                            {"title", one.title},
                                            {"url", one.url},
                                            {"workload", one.workload},
                                            {"work", std::move(work)},
                                            {"costs", one.costs},
                                            {"models", one.models},
                                            {"lessons", linksJson(one.lessons)}});
    }
    for (const lessons::OutsideLab& one : all.labs)
        document["labs"].push_back(Json{
            {"id", one.id},
            {"title", one.title},
            {"tools", one.tools},
            {"layer", one.layer},
            {"why", one.why},
            {"steps", one.steps},
            {"bring", one.bring},
            {"format", one.format},
            {"artifact",
             Json{{"kind", one.kind}, {"title", one.artifact}, {"question", one.question}, {"sections", one.sections}}},
            {"lessons", linksJson(one.lessons)}});
    return document;
}

void printChapter(const lessons::Curriculum& curriculum, const lessons::BookChapter& chapter)
{
    std::printf("%s\n%s\n", chapter.title.c_str(), chapter.url.c_str());
    if (!chapter.work.empty()) {
        std::vector<std::vector<std::string>> rows;
        for (const lessons::MatrixWork& work : chapter.work)
            rows.push_back({work.title, formatQuantity(work.flop(), "FLOP"),
                            formatQuantity(work.bytes(kBytesFp32), "B"),
                            formatQuantity(work.intensity(kBytesFp32), "FLOP/B")});
        std::printf("\n%s\n\n%s\n", chapter.workload.c_str(),
                    table({"PRODUCT", "WORK", "BYTES IN FP32", "INTENSITY"}, rows).c_str());
    }
    std::printf("%s\n", chapter.costs.c_str());
    printLinks(curriculum, chapter.lessons);
}

void printProject(const lessons::Curriculum& curriculum, const lessons::ReferenceProject& project)
{
    std::printf("%s\n%s\n%s\n%s\n", project.title.c_str(), project.url.c_str(), project.question.c_str(),
                project.look.c_str());
    printLinks(curriculum, project.lessons);
}

void printLab(const lessons::Curriculum& curriculum, const lessons::OutsideLab& lab)
{
    std::printf("%s (%s)\n%s\n", lab.title.c_str(), lab.tools.c_str(), lab.why.c_str());
    for (std::size_t i = 0; i < lab.steps.size(); ++i)
        std::printf("%zu. %s\n", i + 1, lab.steps[i].c_str());
    std::printf("bring back: %s%s\nship: %s, %s\n", lab.bring.c_str(),
                lab.format.empty() ? "" : (" (ridge import --format " + lab.format + ")").c_str(), lab.artifact.c_str(),
                lab.kind.c_str());
    printLinks(curriculum, lab.lessons);
}

void printAll(const lessons::Companions& all)
{
    std::vector<std::vector<std::string>> rows;
    for (const lessons::BookChapter& one : all.chapters)
        rows.push_back({one.id, "chapter", one.title, joined(lessonIds(one.lessons))});
    for (const lessons::ReferenceProject& one : all.projects)
        rows.push_back({one.id, "project", one.question, joined(lessonIds(one.lessons))});
    for (const lessons::OutsideLab& one : all.labs)
        rows.push_back({one.id, "lab", one.title, joined(lessonIds(one.lessons))});
    std::printf("Beside %s (%s), code to read, and labs done elsewhere. `ridge companion ID` tells more.\n\n%s",
                all.book.c_str(), all.bookUrl.c_str(), table({"ID", "KIND", "TITLE", "LESSONS"}, rows).c_str());
}

} // namespace

int pathsCommand(const std::string& id, bool json)
{
    const auto data = dataFolder();
    if (!data)
        return report(data.error());
    const auto loaded = lessons::loadCurriculum(*data / "curriculum");
    const lessons::LoadedStack stack = lessons::loadStack(loaded.curriculum);
    const int status = told(loaded.problems) || told(stack.problems) ? Failed : Done;
    if (!id.empty()) {
        const lessons::LessonPath* path = loaded.curriculum.path(id);
        if (!path) {
            std::vector<std::string> known;
            for (const lessons::LessonPath& one : loaded.curriculum.paths)
                known.push_back(one.id);
            return report({"unknown-path", "there is no path '" + id + "'" + lessons::didYouMean(id, known), "",
                           "`ridge paths` lists them"});
        }
        json ? printJson(pathJson(loaded.curriculum, stack.stack, *path))
             : printPath(loaded.curriculum, stack.stack, *path);
        return status;
    }
    Json list = Json::array();
    std::vector<std::vector<std::string>> rows;
    for (const lessons::LessonPath& path : loaded.curriculum.paths) {
        list.push_back(pathJson(loaded.curriculum, stack.stack, path));
        const lessons::PathFit* fit = stack.stack.fit(path.id);
        rows.push_back(
            {path.id, path.title, fit ? fit->primary : "", fit ? fit->adjacent : "",
             std::to_string(lessons::wayOf(loaded.curriculum, path, lessons::Foundations::AsNeeded).size())});
    }
    if (json)
        printJson(list);
    else
        std::printf("%s", table({"PATH", "TITLE", "GOOD AT", "BESIDE", "LESSONS"}, rows).c_str());
    return status;
}

int companionCommand(const std::string& id, bool json)
{
    const auto data = dataFolder();
    if (!data)
        return report(data.error());
    const auto curriculum = lessons::loadCurriculum(*data / "curriculum");
    const lessons::LoadedCompanions loaded = lessons::loadCompanions(curriculum.curriculum);
    const lessons::Companions& all = loaded.companions;
    const int status = told(loaded.problems) ? Failed : Done;
    if (json && id.empty()) {
        printJson(companionsJson(all));
        return status;
    }
    if (id.empty()) {
        printAll(all);
        return status;
    }
    lessons::Companions one{all.book, all.bookUrl, {}, {}, {}};
    const auto pick = [&](const auto& from, auto& into) {
        for (const auto& entry : from)
            if (entry.id == id)
                into.push_back(entry);
    };
    pick(all.chapters, one.chapters);
    pick(all.projects, one.projects);
    pick(all.labs, one.labs);
    if (one.chapters.empty() && one.projects.empty() && one.labs.empty())
        return report(
            {"unknown-companion", "there is nothing called '" + id + "'", "", "`ridge companion` lists what there is"});
    if (json)
        printJson(companionsJson(one));
    for (const auto& chapter : one.chapters)
        if (!json)
            printChapter(curriculum.curriculum, chapter);
    for (const auto& project : one.projects)
        if (!json)
            printProject(curriculum.curriculum, project);
    for (const auto& lab : one.labs)
        if (!json)
            printLab(curriculum.curriculum, lab);
    return status;
}

} // namespace ridge::cli
