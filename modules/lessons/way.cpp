// SPDX-License-Identifier: GPL-3.0-or-later
#include "lessons/way.h"

#include <algorithm>
#include <functional>
#include <set>

namespace ridge::lessons {
namespace {

bool isFoundation(const Curriculum& curriculum, const std::string& id)
{
    return std::ranges::find(curriculum.foundations, id) != curriculum.foundations.end();
}

void addWithPrerequisites(const Curriculum& curriculum, const std::string& id, bool foundationsToo,
                          std::set<std::string>& seen, std::vector<std::string>& way)
{
    if (!seen.insert(id).second)
        return;
    if (const Lesson* head = curriculum.head(id))
        for (const std::string& needed : head->prerequisites)
            if (foundationsToo || !isFoundation(curriculum, needed))
                addWithPrerequisites(curriculum, needed, foundationsToo, seen, way);
    way.push_back(id);
}

} // namespace

std::vector<std::string> wayOf(const Curriculum& curriculum, const LessonPath& path, Foundations foundations)
{
    std::vector<std::string> way;
    std::set<std::string> seen;
    if (foundations == Foundations::First)
        for (const std::string& id : curriculum.foundations)
            addWithPrerequisites(curriculum, id, true, seen, way);
    for (const std::string& id : path.lessons)
        addWithPrerequisites(curriculum, id, foundations != Foundations::Last, seen, way);
    if (foundations == Foundations::Last)
        std::stable_partition(way.begin(), way.end(),
                              [&](const std::string& id) { return !isFoundation(curriculum, id); });
    return way;
}

std::vector<UnmetPrerequisite> unmetOn(const Curriculum& curriculum, const std::vector<std::string>& way,
                                       bool foundationsKnown)
{
    std::vector<UnmetPrerequisite> unmet;
    std::set<std::string> met;
    for (const std::string& id : way) {
        if (const Lesson* head = curriculum.head(id))
            for (const std::string& needed : head->prerequisites)
                if (!met.contains(needed) && !(foundationsKnown && isFoundation(curriculum, needed)))
                    unmet.push_back({id, needed});
        met.insert(id);
    }
    return unmet;
}

std::vector<std::string> ancestorsOf(const Curriculum& curriculum, const std::string& lesson)
{
    std::set<std::string> found;
    std::vector<std::string> left = {lesson};
    while (!left.empty()) {
        const Lesson* head = curriculum.head(left.back());
        left.pop_back();
        if (head)
            for (const std::string& needed : head->prerequisites)
                if (found.insert(needed).second)
                    left.push_back(needed);
    }
    found.erase(lesson);
    return {found.begin(), found.end()}; // ids in the order of texts are in that of the curriculum
}

std::string circleIn(const Curriculum& curriculum)
{
    std::set<std::string> done;
    std::vector<std::string> trail;
    std::string circle;
    const std::function<bool(const std::string&)> walk = [&](const std::string& id) {
        if (const auto again = std::ranges::find(trail, id); again != trail.end()) {
            for (auto one = again; one != trail.end(); ++one)
                circle += *one + " needs ";
            circle += id;
            return true;
        }
        if (!done.insert(id).second)
            return false;
        trail.push_back(id);
        if (const Lesson* head = curriculum.head(id))
            for (const std::string& needed : head->prerequisites)
                if (walk(needed))
                    return true;
        trail.pop_back();
        return false;
    };
    for (const auto* heads : {&curriculum.heads, &curriculum.capstones})
        for (const Lesson& head : *heads)
            if (walk(head.id))
                return circle;
    return {};
}

} // namespace ridge::lessons
