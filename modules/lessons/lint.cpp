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

std::optional<LintLesson> lintText(const LintContext& context, const std::string& raw, const std::string& file)
{
    ParsedLesson parsed = parseLesson(raw, file);
    context.problems.insert(context.problems.end(), parsed.problems.begin(), parsed.problems.end());
    if (!parsed.lesson)
        return std::nullopt;
    LintLesson lesson{std::move(*parsed.lesson), normalisedText(raw)};
    lintProse(context, lesson);
    lintNumbers(context, lesson.text, file, true);
    lintCatalogue(context, lesson.lesson);
    lintAssets(context, lesson);
    lintFigures(context, lesson.lesson);
    lintRecall(context, lesson.lesson);
    lintEvidence(context, lesson.lesson);
    return lesson;
}

void loadFormulas(LintContext& context)
{
    Result<std::map<std::string, FormulaAsset>> formulas = loadFormulaIndex(context.dataRoot);
    if (formulas.ok())
        context.formulas = std::move(*formulas);
    else
        context.problem({"assets/formulas/index.json", 1}, formulas.error().message + "; " + formulas.error().fix);
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
    loadFormulas(context);

    std::vector<LintLesson> lessons;
    std::vector<Problem> told; // loadCurriculum named these already
    for (const ModuleInfo& module : curriculum.modules) {
        std::vector<std::string> files = lessonFiles(curriculum.root, module, told);
        if (std::optional<std::string> capstone = capstoneFile(curriculum.root, module))
            files.push_back(std::move(*capstone));
        for (const std::string& file : files) {
            const Result<std::string> raw = readFile(curriculum.root / file);
            if (!raw.ok())
                continue; // loadCurriculum said so
            std::optional<LintLesson> lesson = lintText(context, raw.value(), file);
            if (!lesson)
                continue;
            lintPlace(context, lesson->lesson, module);
            lessons.push_back(std::move(*lesson));
        }
    }
    lintGlossary(context, lessons);
    lintClaims(context);
    lintPlacement(context);
    lintPaths(context);
    sortProblems(problems);
    return problems;
}

std::vector<Problem> lintFile(const std::string& text, const std::string& file, const Curriculum& curriculum,
                              std::span<const ExperimentInfo> experiments, const std::filesystem::path& dataRoot)
{
    std::vector<Problem> problems;
    LintContext context{curriculum, experiments, dataRoot, {}, problems};
    loadFormulas(context);
    (void)lintText(context, text, file);
    sortProblems(problems);
    return problems;
}

} // namespace ridge::lessons
