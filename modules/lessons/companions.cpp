// SPDX-License-Identifier: GPL-3.0-or-later
#include "lessons/companions.h"

#include "lessons/curriculum_read.h"

#include <algorithm>
#include <array>

namespace ridge::lessons {
namespace {

const char* const kFile = "companions.yaml";
constexpr std::array<std::string_view, 5> kSections = {"method", "result", "bottleneck", "failure_modes",
                                                       "next_experiment"};

std::vector<LessonLink> linksOf(const Fields& fields, const YamlPlace& place)
{
    std::vector<LessonLink> links;
    for (const YAML::Node& item : fields.items("lessons")) {
        const Fields link(item, "lesson", place, {"id", "why"});
        links.push_back({link.text("id"), link.text("why")});
    }
    return links;
}

ReferenceProject projectOf(const YAML::Node& item, const YamlPlace& place)
{
    const Fields fields(item, "project", place, {"id", "title", "url", "question", "look", "lessons"});
    return {fields.text("id"),   fields.text("title"),   fields.text("url"),         fields.text("question"),
            fields.text("look"), linksOf(fields, place), {kFile, place.lineOf(item)}};
}

BookChapter chapterOf(const YAML::Node& item, const YamlPlace& place)
{
    const Fields fields(item, "chapter", place,
                        {"id", "title", "url", "workload", "work", "costs", "models", "lessons"});
    BookChapter chapter;
    chapter.id = fields.text("id");
    chapter.title = fields.text("title");
    chapter.url = fields.text("url");
    chapter.workload = fields.text("workload", Need::Optional);
    chapter.costs = fields.text("costs");
    chapter.models = fields.texts("models", Need::Optional);
    chapter.lessons = linksOf(fields, place);
    chapter.at = {kFile, place.lineOf(item)};
    for (const YAML::Node& node : fields.items("work", Need::Optional)) {
        const Fields one(node, "product", place, {"title", "m", "k", "n", "count"});
        MatrixWork work{one.text("title"), one.number("m"), one.number("k"), one.number("n"),
                        one.number("count", Need::Optional, 1)};
        for (const double size : {work.m, work.k, work.n, work.count})
            if (!(size >= 1 && size <= 1e9)) {
                one.problem("m", "a size of '" + work.title + "' is not between 1 and 1,000,000,000");
                break;
            }
        chapter.work.push_back(std::move(work));
    }
    return chapter;
}

OutsideLab labOf(const YAML::Node& item, const YamlPlace& place)
{
    const Fields fields(item, "lab", place,
                        {"id", "title", "tools", "layer", "why", "steps", "bring", "format", "artifact", "lessons"});
    OutsideLab lab;
    lab.id = fields.text("id");
    lab.title = fields.text("title");
    lab.tools = fields.text("tools");
    lab.layer = fields.text("layer");
    lab.why = fields.text("why");
    lab.steps = fields.texts("steps");
    lab.bring = fields.text("bring");
    lab.format = fields.text("format", Need::Optional);
    lab.lessons = linksOf(fields, place);
    lab.at = {kFile, place.lineOf(item)};
    for (const YAML::Node& node : fields.items("artifact")) {
        std::vector<std::string> known = {"kind", "title", "question"};
        known.insert(known.end(), kSections.begin(), kSections.end());
        const Fields artifact(node, "artifact", place, known);
        lab.kind = artifact.text("kind");
        lab.artifact = artifact.text("title");
        lab.question = artifact.text("question");
        for (const std::string_view section : kSections)
            if (artifact.has(std::string(section)))
                lab.sections[std::string(section)] = artifact.text(std::string(section));
    }
    return lab;
}

} // namespace

const OutsideLab* Companions::lab(std::string_view id) const
{
    const auto found = std::ranges::find(labs, id, &OutsideLab::id);
    return found == labs.end() ? nullptr : &*found;
}

LoadedCompanions loadCompanions(const Curriculum& curriculum)
{
    LoadedCompanions loaded;
    std::error_code ignored;
    if (!std::filesystem::exists(curriculum.root / kFile, ignored))
        return loaded;
    YamlPlace place{kFile, 1, &loaded.problems};
    const std::optional<YAML::Node> root = readYaml(curriculum.root, kFile, place);
    if (!root)
        return loaded;
    const Fields fields(*root, kFile, place, {"book", "book_url", "projects", "chapters", "labs"});
    Companions& all = loaded.companions;
    all.book = fields.text("book");
    all.bookUrl = fields.text("book_url");
    for (const YAML::Node& item : fields.items("projects"))
        all.projects.push_back(projectOf(item, place));
    for (const YAML::Node& item : fields.items("chapters"))
        all.chapters.push_back(chapterOf(item, place));
    for (const YAML::Node& item : fields.items("labs"))
        all.labs.push_back(labOf(item, place));
    return loaded;
}

} // namespace ridge::lessons
