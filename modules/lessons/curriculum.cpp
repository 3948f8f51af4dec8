// SPDX-License-Identifier: GPL-3.0-or-later
#include "lessons/curriculum.h"

#include "lessons/curriculum_read.h"
#include "lessons/numbers.h"
#include "lessons/parse.h"
#include "lessons/text.h"

#include "base/json.h"
#include "base/paths.h"
#include "base/plain_file.h"

namespace ridge::lessons {
namespace {

constexpr std::size_t kMaxHead = 64u << 10;

/// Reads little further than the end of the front matter: a start with 56 lessons touches 56 small pieces.
Result<std::string> readHead(const std::filesystem::path& path)
{
    constexpr std::size_t kPiece = 4096;
    auto file = PlainFile::open(path);
    if (!file)
        return file.error();
    std::string bytes, head;
    bool ended = false;
    int rules = 0;
    for (std::size_t at = 0; rules < 2 && head.size() < kMaxHead;) {
        const std::size_t end = bytes.find('\n', at);
        if (end == std::string::npos && !ended && bytes.size() < 2 * kMaxHead) {
            const std::size_t before = bytes.size();
            bytes.resize(before + kPiece);
            const auto got = file->read(bytes.data() + before, kPiece);
            if (!got)
                return got.error();
            bytes.resize(before + *got);
            ended = *got == 0;
            continue;
        }
        if (at >= bytes.size())
            break;
        const std::string line = bytes.substr(at, end == std::string::npos ? end : end - at);
        const bool first = at == 0;
        at += line.size() + 1;
        head.append(line).append("\n");
        if (trimmed(normalisedText(line)) == "---")
            ++rules;
        if (first && rules == 0)
            break;
    }
    return head;
}

std::optional<Lesson> parseHeadOf(const std::filesystem::path& root, const std::string& file,
                                  std::vector<Problem>& problems)
{
    const Result<std::string> head = readHead(root / file);
    if (!head) {
        problems.push_back({{file, 1}, head.error().message + "; " + head.error().fix});
        return std::nullopt;
    }
    const std::string text = normalisedText(*head);
    if (const std::optional<std::size_t> bad = firstBadByte(text)) {
        problems.push_back({{file, lineOfOffset(text, *bad)}, "a byte here is not UTF-8 text; save the file as UTF-8"});
        return std::nullopt;
    }
    const std::optional<FrontMatter> front = cutFrontMatter(text, file, problems);
    Lesson lesson;
    if (!front || !parseHead(front->yaml, file, lesson, problems))
        return std::nullopt;
    return lesson;
}

void addHead(Curriculum& curriculum, std::optional<Lesson> head, LessonKind place, std::vector<Problem>& problems)
{
    if (!head)
        return;
    if (head->kind != place)
        return problems.push_back({{head->at.file, 1},
                                   place == LessonKind::Capstone
                                       ? "capstone.md is no capstone; give it 'kind: capstone' or name it NN-slug.md"
                                       : "a capstone stands in capstone.md; rename the file or drop 'kind: capstone'"});
    if (const Lesson* twin = curriculum.head(head->id))
        return problems.push_back(
            {{head->at.file, 1}, "lesson " + head->id + " is already in " + twin->at.file + "; renumber one"});
    (place == LessonKind::Capstone ? curriculum.capstones : curriculum.heads).push_back(std::move(*head));
}

} // namespace

const Claim* Curriculum::claim(std::string_view key) const
{
    if (isTableKey(key)) {
        if (!tables)
            return nullptr;
        const Result<const Claim*> number = tables->find(key);
        return number.ok() ? *number : nullptr;
    }
    const auto found = claims.find(std::string(key));
    return found == claims.end() ? nullptr : &found->second;
}

const Term* Curriculum::term(std::string_view name) const
{
    const std::string wanted = lowered(trimmed(name));
    for (const Term& term : terms) {
        const bool other = std::any_of(term.also.begin(), term.also.end(),
                                       [&](const std::string& form) { return lowered(form) == wanted; });
        if (lowered(term.name) == wanted || other)
            return &term;
    }
    return nullptr;
}

const LessonPath* Curriculum::path(std::string_view id) const
{
    const auto found = std::ranges::find(paths, id, &LessonPath::id);
    return found == paths.end() ? nullptr : &*found;
}

const Lesson* Curriculum::head(std::string_view id) const
{
    for (const std::vector<Lesson>* list : {&heads, &capstones})
        if (const auto found = std::ranges::find(*list, id, &Lesson::id); found != list->end())
            return &*found;
    return nullptr;
}

const Lesson* Curriculum::capstone(int module) const
{
    const auto found = std::ranges::find(capstones, module, &Lesson::module);
    return found == capstones.end() ? nullptr : &*found;
}

std::string Curriculum::titleOf(std::string_view lessonId) const
{
    if (const Lesson* written = head(lessonId))
        return written->title;
    const auto found = std::ranges::find(planned, lessonId, &PlannedLesson::id);
    return found == planned.end() ? std::string(lessonId) : found->title;
}

LoadedCurriculum loadCurriculum(const std::filesystem::path& root)
{
    LoadedCurriculum loaded;
    Curriculum& curriculum = loaded.curriculum;
    curriculum.root = root;
    curriculum.modules = readModules(root, loaded.problems);
    curriculum.claims = readClaims(root, loaded.problems);
    std::error_code missing;
    if (std::filesystem::path assets = root.parent_path() / "assets";
        std::filesystem::exists(assets / "chips", missing))
        curriculum.tables = std::make_shared<const NumberTables>(std::move(assets));
    else if (const auto data = dataFolder(); data.ok())
        curriculum.tables = std::make_shared<const NumberTables>(*data / "assets");
    curriculum.terms = readGlossary(root, loaded.problems);
    for (const ModuleInfo& module : curriculum.modules) {
        for (const std::string& file : lessonFiles(root, module, loaded.problems))
            addHead(curriculum, parseHeadOf(root, file, loaded.problems), LessonKind::Lesson, loaded.problems);
        if (const std::optional<std::string> file = capstoneFile(root, module))
            addHead(curriculum, parseHeadOf(root, *file, loaded.problems), LessonKind::Capstone, loaded.problems);
    }
    readPaths(curriculum, loaded.problems);
    sortProblems(loaded.problems);
    return loaded;
}

Result<Lesson> loadLesson(const Curriculum& curriculum, std::string_view id)
{
    const Lesson* head = curriculum.head(id);
    if (!head) {
        std::string known;
        for (const std::vector<Lesson>* list : {&curriculum.heads, &curriculum.capstones})
            for (const Lesson& lesson : *list)
                known += (known.empty() ? "" : ", ") + lesson.id;
        return Error{"unknown-lesson", "there is no lesson '" + std::string(id) + "'", "",
                     known.empty() ? "no lesson was found below " + curriculum.root.string()
                                   : "known lessons: " + known};
    }
    const Result<std::string> text = readFile(curriculum.root / head->at.file);
    if (!text.ok())
        return text.error();
    ParsedLesson parsed = parseLesson(text.value(), head->at.file);
    if (!parsed.problems.empty() || !parsed.lesson) {
        const Problem first =
            parsed.problems.empty() ? Problem{{head->at.file, 1}, "no lesson in this file"} : parsed.problems.front();
        return Error{"bad-lesson", first.message, first.at.file + ":" + std::to_string(first.at.line),
                     "'ridge lint' lists everything that is wrong with it"};
    }
    if (const auto resolved = resolveNumbers(*parsed.lesson, curriculum); !resolved.ok())
        return resolved.error();
    return std::move(*parsed.lesson);
}

} // namespace ridge::lessons
