// SPDX-License-Identifier: GPL-3.0-or-later
#include "lessons/parse.h"

#include "lessons/text.h"

#include <cmath>
#include <set>

namespace ridge::lessons {
namespace {

void keepToThree(const Fields& fields, const std::vector<std::string>& controls)
{
    if (controls.size() > 3)
        fields.problem("controls",
                       "'controls' has " + std::to_string(controls.size()) + " parameters; keep at most three");
}

std::vector<Misconception> parseMisconceptions(const Fields& fields, const YamlPlace& place, const std::string& what)
{
    std::vector<Misconception> list;
    std::set<std::string> seen;
    for (const YAML::Node& node : fields.items("misconceptions", Need::Optional)) {
        const Fields item(node, what + " misconception", place, {"id", "says", "value", "explains"});
        Misconception one{item.text("id"), item.text("says"), item.number("value"), item.text("explains")};
        if (!one.id.empty() && !seen.insert(one.id).second)
            item.problem("id", "id '" + one.id + "' is used twice in this block; rename one");
        list.push_back(std::move(one));
    }
    return list;
}

PredictBlock parsePredict(const Fields& fields, const YamlPlace& place, const std::string& what)
{
    constexpr std::array<std::string_view, 2> scales = {"log", "linear"};
    constexpr std::array<std::string_view, 2> openings = {"predict", "example"};
    PredictBlock block;
    block.question = fields.text("question");
    block.experiment = fields.text("experiment");
    block.metric = fields.text("metric");
    block.unit = fields.text("unit");
    block.at = fields.params("at");
    block.min = fields.number("min");
    block.max = fields.number("max");
    block.logScale = fields.oneOf("scale", scales, "log") != "linear";
    block.first = fields.oneOf("first", openings, "predict");
    block.mechanism = fields.text("mechanism");
    block.misconceptions = parseMisconceptions(fields, place, what);
    if (fields.has("min") && fields.has("max") && block.min >= block.max)
        fields.problem("max", "'max' is not above 'min'; the slider needs a range");
    if (block.logScale && fields.has("min") && block.min <= 0)
        fields.problem("min", "'min' must be above 0 on a log scale; raise it or set 'scale: linear'");
    return block;
}

RunBlock parseRun(const Fields& fields)
{
    RunBlock block;
    block.experiment = fields.text("experiment");
    block.after = fields.text("after");
    block.set = fields.params("set", Need::Optional);
    block.controls = fields.texts("controls", Need::Optional);
    block.caption = fields.text("caption", Need::Optional);
    keepToThree(fields, block.controls);
    return block;
}

SweepBlock parseSweepBlock(const Fields& fields)
{
    SweepBlock block;
    block.experiment = fields.text("experiment");
    block.after = fields.text("after");
    block.set = fields.params("set", Need::Optional);
    block.sweep = fields.texts("sweep");
    block.controls = fields.texts("controls", Need::Optional);
    block.chart = fields.text("chart");
    block.caption = fields.text("caption", Need::Optional);
    keepToThree(fields, block.controls);
    if (block.sweep.size() > 3)
        fields.problem("sweep", "'sweep' has " + std::to_string(block.sweep.size()) + " axes; keep at most three");
    return block;
}

ChartBlock parseChart(const Fields& fields)
{
    return {fields.text("experiment"), fields.text("chart"), fields.text("caption", Need::Optional)};
}

SceneBlock parseScene(const Fields& fields)
{
    return {fields.text("scene"), fields.text("of"), fields.text("caption", Need::Optional), fields.text("ask")};
}

ExploreBlock parseExplore(const Fields& fields)
{
    ExploreBlock block;
    block.model = fields.text("model");
    block.set = fields.params("set", Need::Optional);
    block.controls = fields.texts("controls");
    block.caption = fields.text("caption", Need::Optional);
    keepToThree(fields, block.controls);
    return block;
}

std::vector<QuizChoice> parseChoices(const Fields& fields, const YamlPlace& place)
{
    std::vector<QuizChoice> choices;
    for (const YAML::Node& node : fields.items("choices", Need::Optional)) {
        const Fields item(node, "quiz choice", place, {"text", "correct", "explains"});
        choices.push_back({item.text("text"), item.flag("correct", false), item.text("explains")});
    }
    return choices;
}

OrderBlock parseOrder(const Fields& fields)
{
    OrderBlock block{fields.text("question"), fields.texts("steps"), fields.text("explains")};
    if (fields.has("steps") && block.steps.size() < 3)
        fields.problem("steps", "'steps' needs at least three to be worth ordering");
    if (std::set<std::string>(block.steps.begin(), block.steps.end()).size() != block.steps.size())
        fields.problem("steps", "two steps read the same; their order could not be told");
    return block;
}

KernelBlock parseKernel(const Fields& fields)
{
    KernelBlock block{fields.text("file"), fields.integers("highlight"), fields.text("caption", Need::Optional)};
    if (block.file.starts_with('/') || block.file.find("..") != std::string::npos)
        fields.problem("file", "'file' must stay below kernels/, as coalescing/01_strided_read.cu");
    return block;
}

ChallengeBlock parseChallenge(const Fields& fields)
{
    ChallengeBlock block;
    block.question = fields.text("question");
    block.experiment = fields.text("experiment");
    block.controls = fields.texts("controls");
    block.set = fields.params("set", Need::Optional);
    block.check = fields.text("check");
    block.explains = fields.text("explains");
    block.solution = fields.paramSets("solution");
    keepToThree(fields, block.controls);
    for (const ParamSet& set : block.solution)
        for (const auto& [name, value] : set)
            if (std::find(block.controls.begin(), block.controls.end(), name) == block.controls.end())
                fields.problem("solution",
                               "'solution' changes '" + name + "', which is none of the controls; the reader cannot");
    return block;
}

FigureBlock parseFigure(const Fields& fields)
{
    FigureBlock block{fields.text("file"), fields.text("alt"), fields.text("caption"), fields.text("description")};
    const auto legal = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
    const std::string_view name = std::string_view(block.file).substr(0, block.file.rfind('.'));
    if (!block.file.empty() &&
        (!block.file.ends_with(".svg") || name.empty() || !std::all_of(name.begin(), name.end(), legal)))
        fields.problem("file", "'file' is '" + block.file +
                                   "'; name an SVG in the module's figures/ folder, as four-schedulers.svg");
    return block;
}

ArtifactBlock parseArtifact(const Fields& fields)
{
    ArtifactBlock block;
    block.title = fields.text("title");
    block.kind = fields.text("kind");
    block.level = fields.integer("level");
    block.question = fields.text("question");
    block.claim = fields.text("claim");
    block.requires_ = fields.texts("requires");
    block.prompts = fields.texts("prompts");
    if (fields.has("level") && (block.level < 1 || block.level > 5))
        fields.problem("level", "'level' is " + std::to_string(block.level) + "; the artifact ladder has 1 to 5");
    return block;
}

const std::vector<std::string>& keysOf(const std::string& kind)
{
    static const std::map<std::string, std::vector<std::string>> keys = {
        {"predict",
         {"id", "question", "experiment", "metric", "unit", "at", "min", "max", "scale", "first", "mechanism",
          "misconceptions"}},
        {"run", {"id", "experiment", "after", "set", "controls", "caption"}},
        {"sweep", {"id", "experiment", "after", "set", "sweep", "controls", "chart", "caption"}},
        {"chart", {"id", "experiment", "chart", "caption"}},
        {"scene", {"id", "scene", "of", "caption", "ask"}},
        {"explore", {"id", "model", "set", "controls", "caption"}},
        {"quiz", {"id", "question", "choices", "number", "tolerance", "unit", "explains", "misconceptions", "recalls"}},
        {"order", {"id", "question", "steps", "explains"}},
        {"kernel", {"id", "file", "highlight", "caption"}},
        {"challenge", {"id", "question", "experiment", "controls", "set", "check", "explains", "solution"}},
        {"artifact", {"id", "title", "kind", "level", "question", "claim", "requires", "prompts"}},
        {"term", {"id", "term"}},
        {"figure", {"id", "file", "alt", "caption", "description"}}};
    return keys.at(kind);
}

BlockBody parseBody(const std::string& kind, const Fields& fields, const YamlPlace& place)
{
    const std::string what = kind + " block";
    if (kind == "predict")
        return parsePredict(fields, place, what);
    if (kind == "run")
        return parseRun(fields);
    if (kind == "sweep")
        return parseSweepBlock(fields);
    if (kind == "chart")
        return parseChart(fields);
    if (kind == "scene")
        return parseScene(fields);
    if (kind == "explore")
        return parseExplore(fields);
    if (kind == "quiz")
        return parseQuiz(fields, place, what);
    if (kind == "order")
        return parseOrder(fields);
    if (kind == "kernel")
        return parseKernel(fields);
    if (kind == "challenge")
        return parseChallenge(fields);
    if (kind == "artifact")
        return parseArtifact(fields);
    if (kind == "figure")
        return parseFigure(fields);
    return TermBlock{fields.text("term")};
}

} // namespace

bool isBlockId(std::string_view id)
{
    const auto legal = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_'; };
    return !id.empty() && id[0] >= 'a' && id[0] <= 'z' && std::all_of(id.begin(), id.end(), legal);
}

QuizBlock parseQuiz(const Fields& fields, const YamlPlace& place, const std::string& what)
{
    QuizBlock block;
    block.question = fields.text("question");
    block.choices = parseChoices(fields, place);
    block.number = fields.optionalNumber("number");
    block.tolerance = fields.number("tolerance", Need::Optional, 0);
    block.unit = fields.text("unit", Need::Optional);
    block.explains = fields.text("explains");
    block.misconceptions = parseMisconceptions(fields, place, what);
    const auto right =
        std::count_if(block.choices.begin(), block.choices.end(), [](const QuizChoice& c) { return c.correct; });
    if (fields.has("choices") == fields.has("number"))
        fields.problem("question", "a quiz has either 'choices' or 'number'; give exactly one of them");
    if (fields.has("choices") && block.choices.size() < 2)
        fields.problem("choices", "'choices' needs at least two");
    else if (fields.has("choices") && right != 1)
        fields.problem("choices", std::to_string(right) + " choices are 'correct: true'; mark exactly one");
    if (block.tolerance < 0)
        fields.problem("tolerance", "'tolerance' is negative; give the largest accepted difference");
    block.recalls = fields.text("recalls", Need::Optional);
    if (!block.recalls.empty() && !isLessonId(block.recalls))
        fields.problem("recalls",
                       "'" + block.recalls + "' is no lesson id; write module and number, as \"1.2\", in quotes");
    for (const Misconception& wrong : block.misconceptions)
        if (block.number && std::abs(wrong.value - *block.number) <= block.tolerance)
            fields.problem("misconceptions", "misconception '" + wrong.id + "' has the right answer as its value");
    return block;
}

std::optional<Block> parseBlock(const std::string& kind, const std::string& body, int ordinal, const YamlPlace& place,
                                int fenceLine)
{
    const std::string what = kind + " block";
    if (trimmed(body).empty()) {
        place.problem(fenceLine, what + " is empty; write its keys as YAML between the fences");
        return std::nullopt;
    }
    const std::optional<YAML::Node> node = parseYaml(body, what, place);
    if (!node || !node->IsMap()) {
        if (node)
            place.problem(fenceLine, what + " has no keys; write 'key: value' lines between the fences");
        return std::nullopt;
    }
    const Fields fields(*node, what, place, keysOf(kind));
    Block block;
    block.kind = kind;
    block.at = {place.file, fenceLine};
    block.id = fields.has("id") ? fields.text("id") : kind + "-" + std::to_string(ordinal);
    if (!isBlockId(block.id))
        fields.problem("id",
                       "id '" + block.id + "' is not usable; use lower-case letters, digits and '-', a letter first");
    block.body = parseBody(kind, fields, place);
    return block;
}

} // namespace ridge::lessons
