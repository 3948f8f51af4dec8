// SPDX-License-Identifier: GPL-3.0-or-later
#include "lessons/curriculum_read.h"

#include "lessons/text.h"
#include "lessons/yaml_fields.h"

#include "base/json.h"
#include "base/units.h"

#include <set>

namespace ridge::lessons {
namespace {

constexpr std::string_view kCapstoneFile = "capstone.md";

bool isDate(std::string_view text)
{
    constexpr std::string_view pattern = "dddd-dd-dd";
    const bool month = text.size() == 7 && text[4] == '-';
    if (text.size() != pattern.size() && !month)
        return false;
    for (std::size_t i = 0; i < text.size(); ++i)
        if (pattern[i] == 'd' ? !(text[i] >= '0' && text[i] <= '9') : text[i] != '-')
            return false;
    return true;
}

bool isClaimKey(std::string_view key)
{
    const auto legal = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.'; };
    return std::all_of(key.begin(), key.end(), legal) && key.find('.') != std::string_view::npos &&
           !key.starts_with('.') && !key.ends_with('.');
}

Claim parseClaim(const std::string& key, const YAML::Node& node, const YamlPlace& place)
{
    constexpr std::array<std::string_view, 4> kinds = {"published", "modelled", "simulated", "measured"};
    const Fields fields(node, "claim '" + key + "'", place,
                        {"value", "unit", "text", "source", "url", "date", "provenance", "experiment", "at"});
    Claim claim;
    claim.key = key;
    claim.value = fields.number("value");
    claim.unit = fields.text("unit");
    claim.text = fields.text("text", Need::Optional);
    claim.source = fields.text("source");
    claim.url = fields.text("url", Need::Optional);
    claim.date = fields.text("date");
    claim.provenance = fields.oneOf("provenance", kinds, {});
    claim.experiment = fields.text("experiment", Need::Optional);
    claim.at = fields.params("at", Need::Optional);
    if (!claim.date.empty() && !isDate(claim.date))
        fields.problem("date", "'date' is '" + claim.date + "'; write 2025-07-10 or 2025-07");
    if (!claim.url.empty() && !claim.url.starts_with("https://") && !claim.url.starts_with("http://"))
        fields.problem("url", "'url' does not begin with https://");
    if (claim.text.empty())
        claim.text = formatQuantity(claim.value, claim.unit);
    return claim;
}

} // namespace

std::optional<YAML::Node> readYaml(const std::filesystem::path& root, const std::string& name, YamlPlace& place)
{
    place.file = name;
    const Result<std::string> raw = readFile(root / name);
    if (!raw.ok()) {
        place.problem(1, "cannot be read: " + raw.error().message);
        return std::nullopt;
    }
    if (raw.value().size() > (4u << 20)) {
        place.problem(1, "is larger than 4 MiB; split it");
        return std::nullopt;
    }
    const std::string text = normalisedText(raw.value());
    if (const std::optional<std::size_t> bad = firstBadByte(text)) {
        place.problem(lineOfOffset(text, *bad), "a byte here is not UTF-8 text; save the file as UTF-8");
        return std::nullopt;
    }
    return parseYaml(text, name, place);
}

std::vector<ModuleInfo> readModules(const std::filesystem::path& root, std::vector<Problem>& problems)
{
    std::vector<ModuleInfo> modules;
    YamlPlace place{"curriculum.yaml", 1, &problems};
    const std::optional<YAML::Node> node = readYaml(root, "curriculum.yaml", place);
    if (!node)
        return modules;
    const Fields file(*node, "curriculum.yaml", place, {"modules"});
    std::set<int> numbers;
    for (const YAML::Node& item : file.items("modules")) {
        const Fields fields(item, "module", place, {"number", "title", "folder", "promise"});
        ModuleInfo module{fields.integer("number"), fields.text("title"), fields.text("folder"),
                          fields.text("promise")};
        if (!numbers.insert(module.number).second)
            fields.problem("number", "module " + std::to_string(module.number) + " is given twice; renumber one");
        if (module.folder.find_first_of("/\\") != std::string::npos || module.folder.starts_with('.'))
            fields.problem("folder", "'folder' must be one folder beside this file");
        else if (!module.folder.empty())
            modules.push_back(std::move(module));
    }
    return modules;
}

std::vector<std::string> splitFiles(const std::filesystem::path& root, const std::string& name)
{
    std::vector<std::string> files;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(root / name, error))
        if (entry.path().extension() == ".yaml" && !entry.path().filename().string().starts_with('.'))
            files.push_back(name + "/" + entry.path().filename().string());
    std::sort(files.begin(), files.end());
    // The single file comes first, and is one of its own to miss only where there are no others.
    const std::string single = name + ".yaml";
    if (files.empty() || std::filesystem::exists(root / single, error))
        files.insert(files.begin(), single);
    return files;
}

namespace {

/// "claims/1-gpu-architecture.yaml:12", for what is given twice.
std::string placeText(const SourceSpan& at)
{
    return at.file + ":" + std::to_string(at.line);
}

void readClaimFile(const std::filesystem::path& root, const std::string& file, std::map<std::string, Claim>& claims,
                   std::map<std::string, SourceSpan>& places, std::vector<Problem>& problems)
{
    YamlPlace place{file, 1, &problems};
    const std::optional<YAML::Node> node = readYaml(root, file, place);
    if (!node || node->IsNull())
        return;
    if (!node->IsMap()) {
        place.problem(1, file + " is no mapping; write 'key:' and its fields below it");
        return;
    }
    for (const auto& entry : *node) {
        const std::string key = entry.first.IsScalar() ? entry.first.Scalar() : std::string();
        const int line = place.lineOf(entry.first);
        if (!isClaimKey(key)) {
            place.problem(line, "'" + key + "' is no claim key; write chip.metric in lower case, as t4.read_stride1");
            continue;
        }
        if (const auto [first, fresh] = places.emplace(key, SourceSpan{file, line}); !fresh) {
            place.problem(line,
                          "claim '" + key + "' is given twice, first at " + placeText(first->second) + "; keep one");
            continue;
        }
        YamlPlace here = place;
        if (!entry.second.IsMap())
            here.firstLine = line; // an empty value has no line of its own
        claims.emplace(key, parseClaim(key, entry.second, entry.second.IsMap() ? place : here));
    }
}

/// The card of a term, and where each of its forms stands first.
struct FormOwner {
    std::string term;
    SourceSpan at;
};

void readTermFile(const std::filesystem::path& root, const std::string& file, std::vector<Term>& terms,
                  std::map<std::string, FormOwner>& owners, std::vector<Problem>& problems)
{
    YamlPlace place{file, 1, &problems};
    const std::optional<YAML::Node> node = readYaml(root, file, place);
    if (!node || node->IsNull())
        return;
    if (!node->IsSequence()) {
        place.problem(1, file + " is no list; begin each term with '- name:'");
        return;
    }
    for (const YAML::Node& item : *node) {
        const Fields fields(item, "term", place, {"name", "also", "text", "lesson"});
        Term term{fields.text("name"),
                  fields.texts("also", Need::Optional),
                  fields.text("text"),
                  fields.text("lesson"),
                  {file, fields.line("name")}};
        const int words = countWords(term.text);
        if (words > 60)
            fields.problem("text",
                           "the card of '" + term.name + "' has " + std::to_string(words) + " words; keep it to 60");
        std::vector<std::string> forms = term.also;
        forms.push_back(term.name);
        for (const std::string& form : forms)
            if (const auto [owner, fresh] = owners.emplace(lowered(form), FormOwner{term.name, term.at}); !fresh)
                fields.problem("name", "'" + form + "' already names the term '" + owner->second.term + "' at " +
                                           placeText(owner->second.at) + "; each term has one card");
        if (!term.name.empty())
            terms.push_back(std::move(term));
    }
}

} // namespace

std::map<std::string, Claim> readClaims(const std::filesystem::path& root, std::vector<Problem>& problems)
{
    std::map<std::string, Claim> claims;
    std::map<std::string, SourceSpan> places;
    for (const std::string& file : splitFiles(root, "claims"))
        readClaimFile(root, file, claims, places, problems);
    return claims;
}

std::map<std::string, SourceSpan> claimPlaces(const std::filesystem::path& root)
{
    std::map<std::string, Claim> claims;
    std::map<std::string, SourceSpan> places;
    std::vector<Problem> ignored;
    for (const std::string& file : splitFiles(root, "claims"))
        readClaimFile(root, file, claims, places, ignored);
    return places;
}

std::vector<Term> readGlossary(const std::filesystem::path& root, std::vector<Problem>& problems)
{
    std::vector<Term> terms;
    std::map<std::string, FormOwner> owners;
    for (const std::string& file : splitFiles(root, "glossary"))
        readTermFile(root, file, terms, owners, problems);
    return terms;
}

void readPaths(Curriculum& curriculum, std::vector<Problem>& problems)
{
    for (const Lesson& head : curriculum.heads)
        curriculum.planned.push_back({head.id, head.title});
    std::error_code error;
    if (!std::filesystem::exists(curriculum.root / "paths.yaml", error))
        return;
    YamlPlace place{"paths.yaml", 1, &problems};
    const std::optional<YAML::Node> node = readYaml(curriculum.root, "paths.yaml", place);
    if (!node)
        return;
    const Fields file(*node, "paths.yaml", place, {"paths", "foundations", "lessons"});
    std::vector<PlannedLesson> planned;
    std::set<std::string> known;
    for (const YAML::Node& item : file.items("lessons")) {
        const Fields fields(item, "lesson", place, {"id", "title"});
        PlannedLesson lesson{fields.text("id"), fields.text("title")};
        if (known.insert(lesson.id).second)
            planned.push_back(std::move(lesson));
        else
            fields.problem("id", "lesson '" + lesson.id + "' is listed twice; keep one");
    }
    for (const Lesson& head : curriculum.heads)
        if (!known.contains(head.id))
            place.problem(file.line("lessons"), "lesson " + head.id + " is written and not listed; add it");
    // Entries are lessons, or modules that stand for theirs.
    const auto spellOut = [&](const Fields& fields, const std::string& key) {
        std::vector<std::string> ids;
        for (const std::string& entry : fields.texts(key)) {
            const std::size_t before = ids.size();
            for (const PlannedLesson& lesson : planned)
                if ((lesson.id == entry || lesson.id.starts_with(entry + ".")) &&
                    std::find(ids.begin(), ids.end(), lesson.id) == ids.end())
                    ids.push_back(lesson.id);
            if (ids.size() == before)
                fields.problem(key, "'" + entry +
                                        "' adds nothing: it is no module or lesson listed below 'lessons', "
                                        "or stands there already");
        }
        return ids;
    };
    curriculum.foundations = spellOut(file, "foundations");
    std::set<std::string> names;
    for (const YAML::Node& item : file.items("paths")) {
        const Fields fields(item, "path", place, {"id", "title", "about", "order"});
        LessonPath path{fields.text("id"), fields.text("title"), fields.text("about"), spellOut(fields, "order")};
        if (!names.insert(path.id).second)
            fields.problem("id", "path '" + path.id + "' is given twice; rename one");
        else if (!path.id.empty() && !path.lessons.empty())
            curriculum.paths.push_back(std::move(path));
    }
    if (!planned.empty())
        curriculum.planned = std::move(planned);
}

std::optional<std::string> capstoneFile(const std::filesystem::path& root, const ModuleInfo& module)
{
    std::error_code error;
    const std::string file = module.folder + "/" + std::string(kCapstoneFile);
    return std::filesystem::exists(root / file, error) ? std::optional(file) : std::nullopt;
}

std::vector<std::string> lessonFiles(const std::filesystem::path& root, const ModuleInfo& module,
                                     std::vector<Problem>& problems)
{
    std::vector<std::string> files;
    std::error_code error;
    const std::filesystem::path folder = root / module.folder;
    if (!std::filesystem::is_directory(folder, error))
        return files; // a module whose lessons are not written yet
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
        const std::string name = entry.path().filename().string();
        if (entry.path().extension() != ".md" || name == kCapstoneFile)
            continue;
        const bool named = name.size() > 6 && std::isdigit(static_cast<unsigned char>(name[0])) &&
                           std::isdigit(static_cast<unsigned char>(name[1])) && name[2] == '-';
        if (named)
            files.push_back(module.folder + "/" + name);
        else
            problems.push_back(
                {{module.folder + "/" + name, 1}, "the file name is not NN-slug.md, as 04-coalescing.md; rename it"});
    }
    if (error)
        problems.push_back({{module.folder, 1}, "the folder cannot be listed: " + error.message()});
    std::sort(files.begin(), files.end());
    return files;
}

} // namespace ridge::lessons
