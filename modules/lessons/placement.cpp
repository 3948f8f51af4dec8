// SPDX-License-Identifier: GPL-3.0-or-later
#include "lessons/placement.h"

#include "lessons/curriculum_read.h"
#include "lessons/parse.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace ridge::lessons {
namespace {

const std::string kFile = "placement.yaml";
constexpr std::size_t kQuestionsAnArea = 2;
constexpr double kNear = 0.03; ///< a misconception worked out in the head comes out rounded

PlacementQuestion parseQuestion(const YAML::Node& node, const YamlPlace& place)
{
    const Fields fields(
        node, "placement question", place,
        {"id", "question", "number", "tolerance", "unit", "explains", "misconceptions", "source", "url"});
    PlacementQuestion question;
    question.block.kind = "quiz";
    question.block.id = fields.text("id");
    question.block.at = {place.file, place.lineOf(node)};
    if (fields.has("number"))
        question.block.body = parseQuiz(fields, place, "placement question");
    else
        question.block.body.emplace<QuizBlock>().number = fields.number("number"); // says that it is missing
    question.source = fields.text("source");
    question.url = fields.text("url", Need::Optional);
    if (!question.block.id.empty() && !isBlockId(question.block.id))
        fields.problem("id", "id '" + question.block.id +
                                 "' is not usable; use lower-case letters, digits and '-', a letter first");
    return question;
}

PlacementArea parseArea(const YAML::Node& node, const YamlPlace& place, const Curriculum& curriculum)
{
    const Fields fields(node, "placement area", place, {"id", "title", "modules", "questions"});
    PlacementArea area;
    area.at = {place.file, place.lineOf(node)};
    area.id = fields.text("id");
    area.title = fields.text("title");
    area.modules = fields.integers("modules");
    for (const int module : area.modules)
        if (std::ranges::find(curriculum.modules, module, &ModuleInfo::number) == curriculum.modules.end())
            fields.problem("modules", "there is no module " + std::to_string(module));
    for (const YAML::Node& question : fields.items("questions"))
        area.questions.push_back(parseQuestion(question, place));
    if (area.modules.empty())
        fields.problem("modules", "the area is about no module; name at least one");
    if (area.questions.size() != kQuestionsAnArea)
        fields.problem("questions", "an area has two questions, an easier one and then a harder one; this has " +
                                        std::to_string(area.questions.size()));
    return area;
}

const PlacementAnswer* answerTo(const PlacementQuestion& question, std::span<const PlacementAnswer> answers)
{
    const auto found = std::ranges::find(answers, question.block.id, &PlacementAnswer::question);
    return found == answers.end() ? nullptr : &*found;
}

/// Of one area; null: nothing is left to ask.
const PlacementQuestion* nextOf(const PlacementArea& area, std::span<const PlacementAnswer> answers)
{
    for (const PlacementQuestion& question : area.questions) {
        const PlacementAnswer* answer = answerTo(question, answers);
        if (!answer)
            return &question;
        if (!answer->right)
            return nullptr;
    }
    return nullptr;
}

} // namespace

const PlacementQuestion* Placement::question(std::string_view id) const
{
    for (const PlacementArea& area : areas)
        for (const PlacementQuestion& question : area.questions)
            if (question.block.id == id)
                return &question;
    return nullptr;
}

const PlacementArea* Placement::areaOf(std::string_view questionId) const
{
    for (const PlacementArea& area : areas)
        for (const PlacementQuestion& question : area.questions)
            if (question.block.id == questionId)
                return &area;
    return nullptr;
}

const PlacementArea* Placement::areaOf(int module) const
{
    const auto found = std::ranges::find_if(areas, [&](const PlacementArea& area) {
        return std::ranges::find(area.modules, module) != area.modules.end();
    });
    return found == areas.end() ? nullptr : &*found;
}

std::size_t Placement::questions() const
{
    std::size_t count = 0;
    for (const PlacementArea& area : areas)
        count += area.questions.size();
    return count;
}

bool hasPlacement(const Curriculum& curriculum)
{
    std::error_code ignored;
    return std::filesystem::exists(curriculum.root / kFile, ignored);
}

LoadedPlacement loadPlacement(const Curriculum& curriculum)
{
    LoadedPlacement loaded;
    if (!hasPlacement(curriculum))
        return loaded;
    YamlPlace place{kFile, 1, &loaded.problems};
    const std::optional<YAML::Node> root = readYaml(curriculum.root, kFile, place);
    if (!root)
        return loaded;
    const Fields fields(*root, kFile, place, {"areas"});
    Placement placement;
    std::set<std::string> ids;
    std::set<int> modules;
    for (const YAML::Node& node : fields.items("areas"))
        placement.areas.push_back(parseArea(node, place, curriculum));
    for (const PlacementArea& area : placement.areas) {
        for (const int module : area.modules)
            if (!modules.insert(module).second)
                place.problem(area.at.line, "module " + std::to_string(module) + " belongs to two areas; keep one");
        for (const PlacementQuestion& question : area.questions)
            if (!question.block.id.empty() && !ids.insert(question.block.id).second)
                place.problem(question.block.at.line, "two questions are called '" + question.block.id + "'");
    }
    if (loaded.problems.empty())
        loaded.placement = std::move(placement);
    return loaded;
}

Lesson placementLesson(const Placement& placement)
{
    Lesson lesson;
    lesson.id = kPlacementLesson;
    lesson.title = "Where to begin";
    lesson.at = {kFile, 1};
    for (const PlacementArea& area : placement.areas) {
        Section section{area.title, {}};
        for (const PlacementQuestion& question : area.questions)
            section.segments.emplace_back(question.block);
        lesson.sections.push_back(std::move(section));
    }
    return lesson;
}

const PlacementQuestion* nextQuestion(const Placement& placement, std::span<const PlacementAnswer> answers)
{
    for (const PlacementArea& area : placement.areas)
        if (const PlacementQuestion* question = nextOf(area, answers))
            return question;
    return nullptr;
}

std::size_t mostLeft(const Placement& placement, std::span<const PlacementAnswer> answers)
{
    std::size_t count = 0;
    for (const PlacementArea& area : placement.areas)
        if (const PlacementQuestion* next = nextOf(area, answers))
            count += area.questions.size() - static_cast<std::size_t>(next - area.questions.data());
    return count;
}

Standing standingOf(const PlacementArea& area, std::span<const PlacementAnswer> answers)
{
    std::size_t right = 0;
    for (const PlacementQuestion& question : area.questions) {
        const PlacementAnswer* answer = answerTo(question, answers);
        if (!answer)
            return right == 0 ? Standing::NotAsked : Standing::Partly;
        if (!answer->right)
            return right == 0 ? Standing::FromTheStart : Standing::Partly;
        ++right;
    }
    return Standing::Known;
}

PlacementAdvice advise(const Curriculum& curriculum, const Placement& placement,
                       std::span<const PlacementAnswer> answers, std::span<const std::string> order)
{
    const auto known = [&](int module) {
        const PlacementArea* area = placement.areaOf(module);
        return area && standingOf(*area, answers) == Standing::Known;
    };
    std::vector<const Lesson*> lessons;
    for (const std::string& id : order)
        if (const Lesson* head = curriculum.head(id))
            lessons.push_back(head);
    for (const Lesson& head : curriculum.heads)
        if (std::ranges::find(order, head.id) == order.end())
            lessons.push_back(&head);
    PlacementAdvice advice;
    const auto first = std::ranges::find_if(lessons, [&](const Lesson* lesson) { return !known(lesson->module); });
    if (first != lessons.end())
        advice.begin = (*first)->id;
    for (const ModuleInfo& module : curriculum.modules)
        if (const Lesson* capstone = curriculum.capstone(module.number); capstone && known(module.number))
            advice.fastTrack.push_back(capstone->id);
    return advice;
}

const Misconception* likelyMisconception(const QuizBlock& quiz, double value)
{
    const Misconception* nearest = nullptr;
    const auto distance = [&](const Misconception& wrong) { return std::abs(wrong.value - value); };
    for (const Misconception& wrong : quiz.misconceptions)
        if (distance(wrong) <= std::max(quiz.tolerance, kNear * std::abs(wrong.value)) &&
            (!nearest || distance(wrong) < distance(*nearest)))
            nearest = &wrong;
    return nearest;
}

} // namespace ridge::lessons
