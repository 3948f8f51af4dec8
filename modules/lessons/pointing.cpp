// SPDX-License-Identifier: GPL-3.0-or-later
#include "lessons/pointing.h"

#include <algorithm>

namespace ridge::lessons {
namespace {

bool isNumber(std::string_view text)
{
    return !text.empty() && text.size() <= 9 && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

std::vector<std::string_view> partsOf(std::string_view id)
{
    std::vector<std::string_view> parts;
    while (true) {
        const std::size_t dot = id.find('.');
        parts.push_back(id.substr(0, dot));
        if (dot == std::string_view::npos)
            return parts;
        id.remove_prefix(dot + 1);
    }
}

} // namespace

std::vector<PointedKind> pointedKinds(std::string_view scene)
{
    if (scene == "lanes_sectors")
        return {{"lane", 1}, {"sector", 1}, {"line", 1}};
    if (scene == "shared_banks")
        return {{"lane", 1}, {"bank", 1}, {"cell", 2}};
    if (scene == "divergence")
        return {{"line", 1}};
    if (scene == "sm_timeline")
        return {{"sm", 1}, {"slot", 2}};
    if (scene == "memory_hierarchy")
        return {{"level", 0}};
    if (scene == "occupancy")
        return {{"sm", 1}};
    if (scene == "grid")
        return {{"cell", 1}};
    if (scene == "lanes")
        return {{"track", 1}};
    return {};
}

bool isPointable(std::string_view scene, std::string_view id)
{
    const std::vector<std::string_view> parts = partsOf(id);
    for (const PointedKind& kind : pointedKinds(scene)) {
        if (parts.front() != kind.name)
            continue;
        if (kind.numbers == 0)
            return parts.size() == 2 && !parts.back().empty();
        return parts.size() == static_cast<std::size_t>(kind.numbers) + 1 &&
               std::all_of(parts.begin() + 1, parts.end(), isNumber);
    }
    return false;
}

std::string pointedText(std::string_view id)
{
    std::string text;
    for (const std::string_view part : partsOf(id))
        text += (text.empty() ? "" : text.find(' ') == std::string::npos ? " " : ", ") + std::string(part);
    return text;
}

} // namespace ridge::lessons
