// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/lesson_texts.h"

#include "lessons/prose.h"
#include "search/plain_text.h"

namespace ridge::app {

namespace {

/// Texts of one block that are open from the start.
struct BlockTexts {
    std::vector<std::string> all;

    void add(const std::string& text)
    {
        if (!text.empty())
            all.push_back(text);
    }
    void operator()(const lessons::PredictBlock& block) { add(block.question); }
    void operator()(const lessons::RunBlock& block) { add(block.caption); }
    void operator()(const lessons::SweepBlock& block) { add(block.caption); }
    void operator()(const lessons::ChartBlock& block) { add(block.caption); }
    void operator()(const lessons::SceneBlock& block)
    {
        add(block.caption);
        add(block.ask);
    }
    void operator()(const lessons::ExploreBlock& block) { add(block.caption); }
    void operator()(const lessons::QuizBlock& block)
    {
        add(block.question);
        for (const lessons::QuizChoice& choice : block.choices)
            add(choice.text);
    }
    void operator()(const lessons::OrderBlock& block) { add(block.question); } // the steps stand in their right order
    void operator()(const lessons::KernelBlock& block)
    {
        add(block.file);
        add(block.caption);
    }
    void operator()(const lessons::ChallengeBlock& block) { add(block.question); }
    void operator()(const lessons::ArtifactBlock& block)
    {
        add(block.title);
        add(block.question);
        for (const std::string& prompt : block.prompts)
            add(prompt);
    }
    void operator()(const lessons::TermBlock& block) { add(block.term); }
    void operator()(const lessons::ExplainBlock& block) { add(block.question); } // the model answer is not open
    void operator()(const lessons::DrawBlock& block) { add(block.question); }
    void operator()(const lessons::WorksheetBlock& block)
    {
        add(block.title);
        for (const lessons::WorksheetGiven& given : block.given)
            add(given.label);
        for (const lessons::WorksheetCell& cell : block.cells)
            add(cell.label);
        add(block.caption);
    }
    void operator()(const lessons::CompareBlock& block) { add(block.caption); }
    void operator()(const lessons::FigureBlock& block)
    {
        add(block.alt);
        add(block.caption);
    }
};

} // namespace

std::vector<LessonText> lessonTexts(const lessons::Lesson& lesson, const lessons::Curriculum& curriculum,
                                    const std::map<std::string, lessons::FormulaAsset>& formulas)
{
    const auto plain = [&](const std::string& text) { return plainText(text, curriculum, formulas); };
    std::vector<LessonText> texts;
    std::string head = plain(lesson.question);
    for (const std::string& objective : lesson.objectives)
        head += "\n" + plain(objective);
    texts.push_back({{}, {}, std::move(head)});
    for (const lessons::Section& section : lesson.sections) {
        int piece = 0;
        for (const lessons::Segment& segment : section.segments) {
            if (const auto* block = std::get_if<lessons::Block>(&segment)) {
                BlockTexts found;
                std::visit([&](const auto& body) { found(body); }, block->body);
                std::string joined;
                for (const std::string& text : found.all)
                    joined += plain(text) + "\n";
                texts.push_back({block->id, section.title, std::move(joined)});
                continue;
            }
            for (const lessons::ProsePiece& prose : lessons::splitFences(std::get<lessons::Prose>(segment).markdown))
                texts.push_back({lessons::pieceAnchor(section.title, piece++), section.title,
                                 prose.code ? prose.text : plain(prose.text)});
        }
    }
    return texts;
}

} // namespace ridge::app
