// SPDX-License-Identifier: GPL-3.0-or-later
#include "lessons/parse.h"

#include "base/target_kind.h"
#include "lessons/text.h"

namespace ridge::lessons {

bool isLessonId(std::string_view id)
{
    return id.size() == 3 && id[0] >= '1' && id[0] <= '7' && id[1] == '.' && id[2] >= '1' && id[2] <= '9';
}

namespace {

bool isCapstoneId(std::string_view id)
{
    return id.size() > 1 && id[0] >= '1' && id[0] <= '7' && id.substr(1) == ".capstone";
}

void checkHeadValues(const Lesson& lesson, const Fields& fields)
{
    const bool capstone = lesson.kind == LessonKind::Capstone;
    if (capstone && !lesson.id.empty() && !isCapstoneId(lesson.id))
        fields.problem("id", "'id' is '" + lesson.id + "'; a capstone is called after its module, \"1.capstone\"");
    else if (!capstone && !lesson.id.empty() && !isLessonId(lesson.id))
        fields.problem("id", "'id' is '" + lesson.id + "'; write module and number, as \"2.4\", in quotes");
    if (lesson.module != 0 && !lesson.id.empty() && lesson.id[0] - '0' != lesson.module)
        fields.problem("module", "'module' is " + std::to_string(lesson.module) + " but the id is '" + lesson.id +
                                     "'; make them agree");
    if (fields.has("minutes") && (lesson.minutes < 1 || lesson.minutes > 30))
        fields.problem("minutes", "'minutes' is " + std::to_string(lesson.minutes) + "; a lesson takes 1 to 30");
    const std::vector<std::string> layers = {"L1", "L2", "L3", "L4", "L5", "L6", "L7", "L8"};
    for (const std::string& layer : lesson.layers)
        if (std::find(layers.begin(), layers.end(), layer) == layers.end())
            fields.problem("layers", "layer '" + layer + "' does not exist; the stack has L1 to L8");
    for (const std::string& id : lesson.prerequisites)
        if (!isLessonId(id))
            fields.problem("prerequisites", "'" + id + "' is no lesson id; write them as \"2.2\", in quotes");
}

} // namespace

std::optional<FrontMatter> cutFrontMatter(const std::string& text, const std::string& file,
                                          std::vector<Problem>& problems)
{
    const std::vector<std::string_view> lines = splitLines(text);
    if (lines.empty() || trimmed(lines[0]) != "---") {
        problems.push_back({{file, 1}, "no front matter; begin the file with a line '---', then id, title, module …"});
        return std::nullopt;
    }
    FrontMatter front;
    std::size_t offset = lines[0].size() + 1;
    for (std::size_t i = 1; i < lines.size(); ++i) {
        const std::size_t next = offset + lines[i].size() + 1;
        if (lines[i].starts_with("---") && trimmed(lines[i]) == "---") {
            front.bodyOffset = std::min(next, text.size());
            front.bodyLine = static_cast<int>(i) + 2;
            return front;
        }
        front.yaml.append(lines[i]).append("\n");
        offset = next;
    }
    problems.push_back({{file, 1}, "the front matter is never closed; end it with a line '---'"});
    return std::nullopt;
}

/// A lesson is about what everybody has.
void checkTarget(const std::string& target, const Fields& fields)
{
    const auto parsed = parseTarget(target);
    if (!parsed)
        return fields.problem("target", "'target' is wrong: " + parsed.error().message + "; " + parsed.error().fix);
    if (parsed->remote.empty() && parsed->kind->inLessons)
        return;
    std::string forms;
    for (const TargetKind& kind : targetKinds())
        if (kind.inLessons)
            forms.append(forms.empty() ? "" : " or a ").append(kind.title).append(", as ").append(kind.example);
    fields.problem("target", "'target' is '" + target + "', which not everybody has; name a " + forms);
}

bool parseHead(const std::string& yaml, const std::string& file, Lesson& lesson, std::vector<Problem>& problems)
{
    const YamlPlace place{file, 2, &problems};
    const std::optional<YAML::Node> node = parseYaml(yaml, "front matter", place);
    if (!node)
        return false;
    const Fields fields(*node, "front matter", place,
                        {"id", "kind", "title", "module", "minutes", "question", "objectives", "prerequisites",
                         "layers", "roles", "target", "exit_criteria", "checks"});
    constexpr std::array<std::string_view, 2> kinds = {"lesson", "capstone"};
    lesson.at = {file, 1};
    lesson.kind = fields.oneOf("kind", kinds, "lesson") == "capstone" ? LessonKind::Capstone : LessonKind::Lesson;
    lesson.id = fields.text("id");
    lesson.title = fields.text("title");
    lesson.module = fields.integer("module");
    lesson.minutes = fields.integer("minutes");
    lesson.question = fields.text("question");
    lesson.objectives = fields.texts("objectives");
    lesson.prerequisites = fields.texts("prerequisites", Need::Optional);
    lesson.layers = fields.texts("layers");
    lesson.roles = fields.texts("roles", Need::Optional);
    lesson.target = fields.text("target", Need::Optional);
    if (!lesson.target.empty())
        checkTarget(lesson.target, fields);
    lesson.exitCriteria = fields.texts("exit_criteria", Need::Optional);
    for (const YAML::Node& item : fields.items("checks"))
        lesson.checks.push_back(parseCheck(item, place));
    checkHeadValues(lesson, fields);
    return !lesson.id.empty() && !lesson.title.empty();
}

} // namespace ridge::lessons
