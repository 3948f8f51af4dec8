// SPDX-License-Identifier: GPL-3.0-or-later
#include "lessons/lint_rules.h"

#include "lessons/curriculum_read.h"
#include "lessons/parse.h"
#include "lessons/text.h"

#include "base/json.h"

namespace ridge::lessons {
namespace {

void lintPlace(const LintContext& context, const Lesson& lesson, const ModuleInfo& module)
{
    const std::string name = std::filesystem::path(lesson.at.file).filename().string();
    if (lesson.module != module.number)
        context.problem(lesson.at, "lesson " + lesson.id + " stands in the folder of module " +
                                       std::to_string(module.number) + "; move the file or correct 'module'");
    if (lesson.id.size() == 3 && name.substr(0, 2) != std::string("0") + lesson.id[2])
        context.problem(lesson.at, "lesson " + lesson.id + " is in a file that begins with '" + name.substr(0, 2) +
                                       "'; begin it with '0" + lesson.id[2] + "-'");
}

std::optional<LintLesson> readLesson(const LintContext& context, const std::string& file)
{
    const Result<std::string> raw = readFile(context.curriculum.root / file);
    if (!raw.ok()) {
        context.problem({file, 1}, "the file cannot be read: " + raw.error().message);
        return std::nullopt;
    }
    ParsedLesson parsed = parseLesson(raw.value(), file);
    context.problems.insert(context.problems.end(), parsed.problems.begin(), parsed.problems.end());
    if (!parsed.lesson)
        return std::nullopt;
    return LintLesson{std::move(*parsed.lesson), normalisedText(raw.value())};
}

} // namespace

int lineOf(const std::string& text, int from, std::string_view needle)
{
    const std::vector<std::string_view> lines = splitLines(text);
    for (std::size_t i = static_cast<std::size_t>(std::max(1, from)) - 1; i < lines.size(); ++i)
        if (lines[i].find(needle) != std::string_view::npos)
            return static_cast<int>(i) + 1;
    return from;
}

std::vector<Problem> lint(const Curriculum& curriculum, std::span<const ExperimentInfo> experiments,
                          const std::filesystem::path& dataRoot)
{
    // What could not be loaded is wrong too; heads that failed are not in `curriculum` any more.
    std::vector<Problem> problems = loadCurriculum(curriculum.root).problems;
    LintContext context{curriculum, experiments, dataRoot, {}, problems};
    Result<std::map<std::string, FormulaAsset>> formulas = loadFormulaIndex(dataRoot);
    if (formulas.ok())
        context.formulas = std::move(*formulas);
    else
        context.problem({"assets/formulas/index.json", 1}, formulas.error().message + "; " + formulas.error().fix);

    std::vector<LintLesson> lessons;
    std::vector<Problem> told; // loadCurriculum named these already
    for (const ModuleInfo& module : curriculum.modules)
        for (const std::string& file : lessonFiles(curriculum.root, module, told)) {
            std::optional<LintLesson> lesson = readLesson(context, file);
            if (!lesson)
                continue;
            lintPlace(context, lesson->lesson, module);
            lintProse(context, *lesson);
            lintNumbers(context, lesson->text, file, true);
            lintCatalogue(context, lesson->lesson);
            lintAssets(context, *lesson);
            lessons.push_back(std::move(*lesson));
        }
    lintGlossary(context, lessons);
    lintClaims(context);
    sortProblems(problems);
    return problems;
}

} // namespace ridge::lessons
