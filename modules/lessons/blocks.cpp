// SPDX-License-Identifier: GPL-3.0-or-later
#include "lessons/controls.h"
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
        const Fields item(node, what + " misconception", place, {"id", "says", "value", "formula", "explains"});
        Misconception one{item.text("id"), item.text("says"), 0, item.text("explains"),
                          item.text("formula", Need::Optional)};
        if (one.formula.empty())
            one.value = item.number("value");
        else if (item.has("value"))
            item.problem("value", "'value' and 'formula' both say where it leads; keep one");
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
    block.vary = fields.instances("vary");
    block.estimate = fields.text("estimate", Need::Optional);
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
    SceneBlock block;
    block.scene = fields.text("scene");
    block.of = fields.text("of");
    block.caption = fields.text("caption", Need::Optional);
    block.ask = fields.text("ask");
    block.answer = fields.texts("answer", Need::Optional);
    block.at = fields.params("at", Need::Optional);
    block.explains = fields.text("explains", block.answer.empty() ? Need::Optional : Need::Required);
    if (block.answer.empty() && (fields.has("at") || fields.has("explains")))
        fields.problem("answer", "'at' and 'explains' go with 'answer'; name what is to be pointed at, as bank.3");
    return block;
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
    const bool task = fields.has("task");
    KernelBlock block{fields.text("file", task ? Need::Optional : Need::Required), fields.integers("highlight"),
                      fields.text("caption", Need::Optional), fields.text("task", Need::Optional),
                      fields.flag("edit", task)};
    if (task && fields.has("file"))
        fields.problem("file", "'file' stands beside 'task'; a kernel block shows one of them");
    if (task && (fields.has("highlight") || !block.edit))
        fields.problem("task", "a task is written by the reader; drop 'highlight' and 'edit' beside it");
    if (!std::ranges::all_of(block.task, [](char c) {
            return (c >= 'a' && c <= 'z') || c == '_' || c == '-' || (c >= '0' && c <= '9');
        }))
        fields.problem("task", "'task' is '" + block.task + "'; name a folder of assets/tasks/, as transpose");
    if (block.file.starts_with('/') || block.file.find("..") != std::string::npos)
        fields.problem("file", "'file' must stay below kernels/, as coalescing/01_strided_read.cu");
    return block;
}

/// A design to edit and to test: what a kernel block is for SystemVerilog, with a planted bug in place of a task.
KernelBlock parseRtl(const Fields& fields)
{
    KernelBlock block{fields.text("file"), fields.integers("highlight"), fields.text("caption", Need::Optional),
                      fields.text("bug", Need::Optional), true};
    if (block.file.starts_with('/') || block.file.find("..") != std::string::npos)
        fields.problem("file", "'file' must stay below labs/rtl/, as array.sv");
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
    const std::vector<std::string> controls = controlNames(block.controls);
    for (const ParamSet& set : block.solution)
        for (const auto& [name, value] : set)
            if (std::find(controls.begin(), controls.end(), name) == controls.end())
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
          "misconceptions", "vary", "estimate"}},
        {"run", {"id", "experiment", "after", "set", "controls", "caption"}},
        {"sweep", {"id", "experiment", "after", "set", "sweep", "controls", "chart", "caption"}},
        {"chart", {"id", "experiment", "chart", "caption"}},
        {"scene", {"id", "scene", "of", "caption", "ask", "answer", "at", "explains"}},
        {"explore", {"id", "model", "set", "controls", "caption"}},
        {"quiz",
         {"id", "question", "choices", "number", "tolerance", "unit", "explains", "misconceptions", "recalls",
          "instead", "vars", "formula", "tolerance_percent", "answer", "again"}},
        {"order", {"id", "question", "steps", "explains"}},
        {"kernel", {"id", "file", "highlight", "caption", "task", "edit"}},
        {"rtl", {"id", "file", "bug", "highlight", "caption"}},
        {"challenge", {"id", "question", "experiment", "controls", "set", "check", "explains", "solution"}},
        {"artifact", {"id", "title", "kind", "level", "question", "claim", "requires", "prompts"}},
        {"term", {"id", "term"}},
        {"figure", {"id", "file", "alt", "caption", "description"}},
        {"explain", {"id", "question", "model"}},
        {"draw",
         {"id", "question", "experiment", "metric", "unit", "set", "sweep", "min", "max", "scale", "mechanism",
          "again"}},
        {"worksheet", {"id", "title", "vars", "given", "cells", "caption"}},
        {"compare", {"id", "experiment", "after", "metric", "at", "simulator", "recorded", "caption"}}};
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
    if (kind == "rtl")
        return parseRtl(fields);
    if (kind == "challenge")
        return parseChallenge(fields);
    if (kind == "artifact")
        return parseArtifact(fields);
    if (kind == "figure")
        return parseFigure(fields);
    if (kind == "explain")
        return ExplainBlock{fields.text("question"), fields.text("model")};
    if (kind == "draw")
        return parseDraw(fields);
    if (kind == "worksheet")
        return parseWorksheet(fields, place);
    if (kind == "compare")
        return parseCompare(fields);
    return TermBlock{fields.text("term")};
}

} // namespace

bool isBlockId(std::string_view id)
{
    const auto legal = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_'; };
    return !id.empty() && id[0] >= 'a' && id[0] <= 'z' && std::all_of(id.begin(), id.end(), legal);
}

namespace {

/// What is the same for the quiz and for each of its further wordings; `like` gives what such a one leaves out.
QuizBlock parseAsked(const Fields& fields, const YamlPlace& place, const std::string& what, const QuizBlock* like)
{
    QuizBlock block;
    block.question = fields.text("question");
    block.choices = parseChoices(fields, place);
    block.number = fields.optionalNumber("number");
    block.formula = fields.text("formula", Need::Optional);
    block.answer = fields.text("answer", Need::Optional);
    block.vars = fields.instances("vars");
    block.tolerance = fields.number("tolerance", Need::Optional, like ? like->tolerance : 0);
    block.tolerancePercent = fields.number("tolerance_percent", Need::Optional, like ? like->tolerancePercent : 0);
    block.unit = like && !fields.has("unit") ? like->unit : fields.text("unit", Need::Optional);
    block.explains = like && !fields.has("explains") ? like->explains : fields.text("explains");
    block.misconceptions = like && !fields.has("misconceptions") && !fields.has("choices")
                               ? like->misconceptions
                               : parseMisconceptions(fields, place, what);
    const auto right =
        std::count_if(block.choices.begin(), block.choices.end(), [](const QuizChoice& c) { return c.correct; });
    if (int(fields.has("choices")) + int(fields.has("number")) + int(fields.has("formula")) != 1)
        fields.problem("question", "a quiz has either 'choices' or 'number' or a 'formula' for it; give exactly one of "
                                   "them");
    if (fields.has("choices") && block.choices.size() < 2)
        fields.problem("choices", "'choices' needs at least two");
    else if (fields.has("choices") && block.answer.empty() && right != 1)
        fields.problem("choices", std::to_string(right) + " choices are 'correct: true'; mark exactly one");
    if (!block.answer.empty() && (!fields.has("choices") || right > 0))
        fields.problem("answer",
                       "'answer' is the number of the right one among 'choices', in place of 'correct: true'");
    if (block.tolerance < 0 || block.tolerancePercent < 0)
        fields.problem(block.tolerance < 0 ? "tolerance" : "tolerance_percent",
                       "'tolerance' is negative; give the largest accepted difference");
    for (const Misconception& wrong : block.misconceptions)
        if (block.number && block.vars.empty() && wrong.formula.empty() &&
            std::abs(wrong.value - *block.number) <= block.tolerance)
            fields.problem("misconceptions", "misconception '" + wrong.id + "' has the right answer as its value");
    return block;
}

} // namespace

QuizBlock parseQuiz(const Fields& fields, const YamlPlace& place, const std::string& what)
{
    QuizBlock block = parseAsked(fields, place, what, nullptr);
    block.recalls = fields.text("recalls", Need::Optional);
    block.instead = fields.text("instead", Need::Optional);
    if (!block.recalls.empty() && !isLessonId(block.recalls))
        fields.problem("recalls",
                       "'" + block.recalls + "' is no lesson id; write module and number, as \"1.2\", in quotes");
    if (!block.instead.empty() && block.recalls.empty())
        fields.problem("instead", "'instead' is for a question with 'recalls'; drop it");
    for (const YAML::Node& node : fields.items("again", Need::Optional)) {
        const Fields item(node, what + " again", place,
                          {"question", "choices", "number", "formula", "answer", "vars", "tolerance",
                           "tolerance_percent", "unit", "explains", "misconceptions"});
        block.again.push_back(parseAsked(item, place, what + " again", &block));
    }
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
