// SPDX-License-Identifier: GPL-3.0-or-later
#include "lessons/lesson.h"

namespace ridge::lessons {

Lesson::Lesson() = default;
Lesson::Lesson(const Lesson&) = default;
Lesson::Lesson(Lesson&&) noexcept = default;
Lesson& Lesson::operator=(const Lesson&) = default;
Lesson& Lesson::operator=(Lesson&&) noexcept = default;
Lesson::~Lesson() = default;

std::span<const std::string_view> sectionTitles(LessonKind kind)
{
    if (kind == LessonKind::Capstone)
        return kCapstoneTitles;
    return kSectionTitles;
}

std::vector<const Block*> Lesson::blocks() const
{
    std::vector<const Block*> list;
    for (const Section& section : sections)
        for (const Segment& segment : section.segments)
            if (const Block* block = std::get_if<Block>(&segment))
                list.push_back(block);
    return list;
}

const Block* Lesson::block(std::string_view wanted) const
{
    for (const Block* candidate : blocks())
        if (candidate->id == wanted)
            return candidate;
    return nullptr;
}

std::vector<std::string> Lesson::experiments() const
{
    std::vector<std::string> list;
    for (const Block* block : blocks()) {
        const std::string name = std::visit(
            [](const auto& body) -> std::string {
                if constexpr (requires { body.experiment; })
                    return body.experiment;
                else
                    return {};
            },
            block->body);
        if (!name.empty() && std::find(list.begin(), list.end(), name) == list.end())
            list.push_back(name);
    }
    return list;
}

const ArtifactBlock* Lesson::artifact() const
{
    for (const Block* block : blocks())
        if (const auto* body = std::get_if<ArtifactBlock>(&block->body))
            return body;
    return nullptr;
}

} // namespace ridge::lessons
