// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "lessons/lesson.h"
#include "lessons/yaml_fields.h"

namespace ridge::lessons {

/// Internal steps of reading a lesson. Each adds what it finds wrong to `problems` and goes on.

/// The text between the two '---' lines, and where the body begins.
struct FrontMatter {
    std::string yaml;
    std::size_t bodyOffset = 0; ///< of the first byte after the closing line
    int bodyLine = 1;
};
std::optional<FrontMatter> cutFrontMatter(const std::string& text, const std::string& file,
                                          std::vector<Problem>& problems);

/// Module and number, "2.4".
bool isLessonId(std::string_view id);

/// What may be the id of a block: lower-case letters, digits, '-' and '_', a letter first.
bool isBlockId(std::string_view id);

/// The keys of a quiz; `what` names the thing in messages.
QuizBlock parseQuiz(const Fields& fields, const YamlPlace& place, const std::string& what);

// The bodies of blocks in worked_blocks.h.
DrawBlock parseDraw(const Fields& fields);
WorksheetBlock parseWorksheet(const Fields& fields, const YamlPlace& place);
CompareBlock parseCompare(const Fields& fields);

CheckSpec parseCheck(const YAML::Node& node, const YamlPlace& place);

/// False when there is nothing by which the lesson could be shown (no id or no title).
bool parseHead(const std::string& yaml, const std::string& file, Lesson& lesson, std::vector<Problem>& problems);

/// One live block from the YAML inside its fence. No value when the body is no mapping.
std::optional<Block> parseBlock(const std::string& kind, const std::string& body, int ordinal, const YamlPlace& place,
                                int fenceLine);

/// Rules that need the whole lesson: sections, references, PR1 (predict before run), presence of what a lesson must
/// have.
void checkStructure(const Lesson& lesson, std::vector<Problem>& problems);

/// Footnotes as raised numbers with their notes below (docs/authoring.md).
void resolveFootnotes(Lesson& lesson, std::vector<Problem>& problems);

/// By file and line, duplicates removed.
void sortProblems(std::vector<Problem>& problems);

} // namespace ridge::lessons
