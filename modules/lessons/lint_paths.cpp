// SPDX-License-Identifier: GPL-3.0-or-later
// Paths, layers and roles, and what belongs to lessons from outside: every id is a lesson, everything that a lesson
// builds on comes before it.
#include "lessons/companions.h"
#include "lessons/instances.h"
#include "lessons/lint_rules.h"
#include "lessons/mixed.h"
#include "lessons/stack.h"
#include "lessons/text.h"
#include "lessons/way.h"

#include <algorithm>

namespace ridge::lessons {
namespace {

std::vector<std::string> lessonIds(const Curriculum& curriculum)
{
    std::vector<std::string> ids;
    for (const PlannedLesson& planned : curriculum.planned)
        ids.push_back(planned.id);
    return ids;
}

void lintPart(const LintContext& context, const Stack& stack, const SourceSpan& at, const std::string& what,
              const std::string& id)
{
    if (!stack.layers.empty() && !stack.hasPart(id))
        context.problem(at, what + " '" + id + "' is no sub-layer of stack.yaml; write one, as L2c");
}

void lintFits(const LintContext& context, const Stack& stack)
{
    for (const PathFit& fit : stack.fits) {
        const std::string name = "path '" + fit.path + "': ";
        if (!context.curriculum.path(fit.path))
            context.problem(fit.at, name + "paths.yaml has no such path");
        lintPart(context, stack, fit.at, name + "'primary'", fit.primary);
        lintPart(context, stack, fit.at, name + "'adjacent'", fit.adjacent);
        if (fit.primary == fit.adjacent)
            context.problem(fit.at, name + "'primary' and 'adjacent' are the same; name the one beside it");
    }
    if (!stack.fits.empty())
        for (const LessonPath& path : context.curriculum.paths)
            if (!stack.fit(path.id))
                context.problem({"stack.yaml", 1}, "path '" + path.id + "' of paths.yaml is not among 'paths'");
}

void lintPath(const LintContext& context, const LessonPath& path)
{
    for (const Foundations where : {Foundations::First, Foundations::AsNeeded, Foundations::Last})
        for (const auto& [lesson, needs] :
             unmetOn(context.curriculum, wayOf(context.curriculum, path, where), where == Foundations::Last))
            context.problem({"paths.yaml", 1}, "path '" + path.id + "': lesson " + lesson + " comes before " + needs +
                                                   ", which it builds on");
}

void lintHead(const LintContext& context, const Stack& stack, const Lesson& head, const std::vector<std::string>& known)
{
    const std::string name = "lesson " + head.id + ": ";
    for (const std::string& needed : head.prerequisites)
        if (std::ranges::find(known, needed) == known.end())
            context.problem(head.at,
                            name + "it builds on '" + needed + "', which is no lesson" + didYouMean(needed, known));
    for (const std::string& layer : head.layers)
        if (const StackLayer* found = stack.layer(layer); found && !found->hosted)
            context.problem(head.at, name + "layer " + layer + " is " + found->title +
                                         ", which no lesson here works on; name the layer that it works on");
    for (const std::string& role : head.roles)
        if (const auto& all = stack.audiences; !all.empty() && std::ranges::find(all, role) == all.end())
            context.problem(head.at,
                            name + "'" + role + "' is not among 'audiences' of stack.yaml" + didYouMean(role, all));
}

void lintLinks(const LintContext& context, const SourceSpan& at, const std::string& name,
               const std::vector<LessonLink>& links, const std::vector<std::string>& known)
{
    if (links.empty())
        context.problem(at, name + "it belongs to no lesson; name one at least");
    for (const LessonLink& link : links)
        if (!context.curriculum.head(link.lesson))
            context.problem(at, name + "'" + link.lesson + "' is no lesson that is written" +
                                    didYouMean(link.lesson, known));
}

void lintWords(const LintContext& context, const SourceSpan& at, const std::string& text)
{
    std::vector<Problem> found;
    lintNumbers({context.curriculum, context.experiments, context.dataRoot, {}, found}, text, at.file, false);
    for (const Problem& problem : found)
        context.problem(at, problem.message);
}

void lintModels(const LintContext& context, const BookChapter& chapter, const std::string& name)
{
    const std::filesystem::path assets = context.dataRoot / "assets";
    std::error_code ignored;
    if (!std::filesystem::exists(assets / "networks", ignored))
        return; // data of somebody who has only the large models
    for (const std::string& model : chapter.models)
        if (!std::filesystem::exists(assets / "models" / (model + ".json"), ignored) &&
            !std::filesystem::exists(assets / "networks" / (model + ".yaml"), ignored))
            context.problem(chapter.at, name + "there is no model '" + model + "' in assets/models or assets/networks");
}

template<class Entry>
void lintIds(const LintContext& context, const std::vector<Entry>& entries, const char* what)
{
    std::set<std::string> seen;
    for (const Entry& entry : entries)
        if (!seen.insert(entry.id).second)
            context.problem(entry.at, std::string(what) + " '" + entry.id + "' is given twice; rename one");
}

void lintCompanions(const LintContext& context, const Stack& stack, const std::vector<std::string>& known)
{
    const LoadedCompanions loaded = loadCompanions(context.curriculum);
    context.problems.insert(context.problems.end(), loaded.problems.begin(), loaded.problems.end());
    lintIds(context, loaded.companions.projects, "project");
    lintIds(context, loaded.companions.chapters, "chapter");
    lintIds(context, loaded.companions.labs, "lab");
    for (const ReferenceProject& project : loaded.companions.projects) {
        lintLinks(context, project.at, "project '" + project.id + "': ", project.lessons, known);
        lintWords(context, project.at, project.question + "\n" + project.look);
    }
    for (const BookChapter& chapter : loaded.companions.chapters) {
        const std::string name = "chapter '" + chapter.id + "': ";
        lintLinks(context, chapter.at, name, chapter.lessons, known);
        lintModels(context, chapter, name);
        lintWords(context, chapter.at, chapter.workload + "\n" + chapter.costs);
        if (!chapter.work.empty() && chapter.workload.empty())
            context.problem(chapter.at, name + "'work' has sizes and 'workload' does not say of what");
    }
    for (const OutsideLab& lab : loaded.companions.labs) {
        lintLinks(context, lab.at, "lab '" + lab.id + "': ", lab.lessons, known);
        lintPart(context, stack, lab.at, "lab '" + lab.id + "': 'layer'", lab.layer);
        std::string words = lab.why + "\n" + lab.bring;
        for (const std::string& step : lab.steps)
            words += "\n" + step;
        lintWords(context, lab.at, words);
    }
}

/// A mixed question is a quiz of a lesson that has other numbers for the next time.
void lintMixedQuestion(const LintContext& context, const MixedQuestion& question,
                       std::map<std::string, std::optional<Lesson>>& read)
{
    const std::string name = "question " + question.lesson + "#" + question.block + ": ";
    if (!context.curriculum.head(question.lesson))
        return context.problem(question.at, name + "'" + question.lesson + "' is no lesson that is written");
    if (!context.curriculum.head(question.asks))
        return context.problem(question.at, name + "'asks' names '" + question.asks + "', which is no lesson");
    const auto [lesson, fresh] = read.try_emplace(question.lesson);
    if (fresh)
        if (auto loaded = loadLesson(context.curriculum, question.lesson); loaded.ok())
            lesson->second = std::move(*loaded);
    if (!lesson->second)
        return; // what is wrong with it is told there
    const Block* block = lesson->second->block(question.block);
    const auto* quiz = block ? std::get_if<QuizBlock>(&block->body) : nullptr;
    if (!quiz)
        return context.problem(question.at, name + "the lesson has no such quiz");
    if (instancesOf(*quiz).size() < 3)
        context.problem(question.at, name + "it has fewer than three instances; give it 'vars' or 'again'");
    if (const std::string& about = quiz->recalls.empty() ? question.lesson : quiz->recalls; about != question.asks)
        context.problem(question.at, name + "the quiz is about lesson " + about + "; write asks: \"" + about + "\"");
}

void lintMixed(const LintContext& context)
{
    const LoadedMixed loaded = loadMixed(context.curriculum);
    context.problems.insert(context.problems.end(), loaded.problems.begin(), loaded.problems.end());
    lintIds(context, loaded.sets, "set");
    std::map<std::string, std::optional<Lesson>> read;
    for (const MixedSet& set : loaded.sets) {
        std::set<char> modules;
        std::set<std::string> seen;
        for (const MixedQuestion& question : set.questions) {
            lintMixedQuestion(context, question, read);
            if (!question.asks.empty())
                modules.insert(question.asks[0]);
            if (!seen.insert(question.lesson + "#" + question.block).second)
                context.problem(question.at, "question " + question.lesson + "#" + question.block +
                                                 " stands twice in set '" + set.id + "'");
        }
        if (modules.size() < 3)
            context.problem(set.at, "set '" + set.id + "' is about " + std::to_string(modules.size()) +
                                        " modules; mix three at least");
    }
}

} // namespace

void lintPaths(const LintContext& context)
{
    const Curriculum& curriculum = context.curriculum;
    const LoadedStack loaded = loadStack(curriculum);
    context.problems.insert(context.problems.end(), loaded.problems.begin(), loaded.problems.end());
    const Stack& stack = loaded.stack;
    const std::vector<std::string> known = lessonIds(curriculum);
    for (const auto* heads : {&curriculum.heads, &curriculum.capstones})
        for (const Lesson& head : *heads)
            lintHead(context, stack, head, known);
    if (const std::string circle = circleIn(curriculum); !circle.empty())
        return context.problem({"paths.yaml", 1}, "prerequisites go in a circle: " + circle); // no way exists
    for (const LessonPath& path : curriculum.paths)
        lintPath(context, path);
    lintFits(context, stack);
    for (const TargetRole& role : stack.roles) {
        const std::string name = "role '" + role.title + "': ";
        if (!curriculum.path(role.path))
            context.problem(role.at, name + "there is no path '" + role.path + "'");
        bool taught = true;
        for (const std::string& id : role.layers) {
            const StackLayer* layer = stack.layer(id);
            if (!layer)
                context.problem(role.at, name + "there is no layer '" + id + "'");
            else
                taught = taught && layer->hosted;
        }
        if (!taught && role.lacks.empty())
            context.problem(role.at,
                            name + "it works on a layer that is not hosted here; say in 'lacks' what it misses");
    }
    lintCompanions(context, stack, known);
    lintMixed(context);
}

} // namespace ridge::lessons
