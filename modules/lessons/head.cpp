// SPDX-License-Identifier: GPL-3.0-or-later
#include "lessons/parse.h"

#include "lessons/text.h"

namespace ridge::lessons {
namespace {

bool isLessonId(std::string_view id)
{
    return id.size() == 3 && id[0] >= '1' && id[0] <= '7' && id[1] == '.' && id[2] >= '1' && id[2] <= '9';
}

const std::vector<std::string>& keysOfCheck(std::string_view kind)
{
    static const std::map<std::string, std::vector<std::string>, std::less<>> keys = {
        {"metric_formula", {"id", "title", "kind", "experiment", "metric", "formula", "tolerance", "points", "where"}},
        {"metric_ratio", {"id", "title", "kind", "experiment", "metric", "at", "over", "min", "max"}},
        {"predicted", {"id", "title", "kind", "block"}},
        {"answered", {"id", "title", "kind", "block"}},
        {"shipped", {"id", "title", "kind"}}};
    static const std::vector<std::string> common = {"id", "title", "kind"};
    const auto found = keys.find(kind);
    return found == keys.end() ? common : found->second;
}

CheckSpec parseCheck(const YAML::Node& node, const YamlPlace& place)
{
    constexpr std::array<std::string_view, 5> kinds = {"metric_formula", "metric_ratio", "predicted", "answered",
                                                       "shipped"};
    CheckSpec check;
    const std::string kind = node.IsMap() && node["kind"] && node["kind"].IsScalar() ? node["kind"].Scalar() : "";
    const std::string name =
        node.IsMap() && node["id"] && node["id"].IsScalar() ? " '" + node["id"].Scalar() + "'" : "";
    const Fields fields(node, "check" + name, place, keysOfCheck(kind));
    check.span = {place.file, fields.line()};
    check.id = fields.text("id");
    check.title = fields.text("title");
    check.kind = fields.oneOf("kind", kinds, {});
    if (check.kind == "metric_formula" || check.kind == "metric_ratio") {
        check.experiment = fields.text("experiment");
        check.metric = fields.text("metric");
    }
    if (check.kind == "metric_formula") {
        check.formula = fields.text("formula");
        check.tolerance = fields.number("tolerance", Need::Optional, 0);
        check.points = fields.integer("points", Need::Optional, 1);
        check.where = fields.params("where", Need::Optional);
        if (check.points < 1)
            fields.problem("points", "'points' is below 1; ask for at least one");
        if (check.tolerance < 0)
            fields.problem("tolerance", "'tolerance' is negative; it is a relative error, as 0.05");
    } else if (check.kind == "metric_ratio") {
        check.at = fields.params("at");
        check.over = fields.params("over");
        check.min = fields.optionalNumber("min");
        check.max = fields.optionalNumber("max");
        if (!check.min && !check.max)
            fields.problem("kind", "a metric_ratio needs 'min', 'max' or both");
    } else if (check.kind == "predicted" || check.kind == "answered") {
        check.block = fields.text("block");
    }
    return check;
}

void checkHeadValues(const Lesson& lesson, const Fields& fields)
{
    if (!lesson.id.empty() && !isLessonId(lesson.id))
        fields.problem("id", "'id' is '" + lesson.id + "'; write module and number, as \"2.4\", in quotes");
    if (lesson.module != 0 && !lesson.id.empty() && lesson.id[0] - '0' != lesson.module)
        fields.problem("module", "'module' is " + std::to_string(lesson.module) + " but the id is '" + lesson.id +
                                     "'; make them agree");
    if (fields.has("minutes") && (lesson.minutes < 1 || lesson.minutes > 25))
        fields.problem("minutes", "'minutes' is " + std::to_string(lesson.minutes) + "; a lesson takes 1 to 25");
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

bool parseHead(const std::string& yaml, const std::string& file, Lesson& lesson, std::vector<Problem>& problems)
{
    const YamlPlace place{file, 2, &problems};
    const std::optional<YAML::Node> node = parseYaml(yaml, "front matter", place);
    if (!node)
        return false;
    const Fields fields(*node, "front matter", place,
                        {"id", "title", "module", "minutes", "question", "objectives", "prerequisites", "layers",
                         "roles", "exit_criteria", "checks"});
    lesson.at = {file, 1};
    lesson.id = fields.text("id");
    lesson.title = fields.text("title");
    lesson.module = fields.integer("module");
    lesson.minutes = fields.integer("minutes");
    lesson.question = fields.text("question");
    lesson.objectives = fields.texts("objectives");
    lesson.prerequisites = fields.texts("prerequisites", Need::Optional);
    lesson.layers = fields.texts("layers");
    lesson.roles = fields.texts("roles", Need::Optional);
    lesson.exitCriteria = fields.texts("exit_criteria");
    for (const YAML::Node& item : fields.items("checks"))
        lesson.checks.push_back(parseCheck(item, place));
    checkHeadValues(lesson, fields);
    return !lesson.id.empty() && !lesson.title.empty();
}

} // namespace ridge::lessons
