// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/class/teaching/class_values.h"

#include <algorithm>

namespace ridge::app {

const AssignmentHead* ClassState::shown() const
{
    const auto found = std::find_if(assignments.begin(), assignments.end(),
                                    [this](const AssignmentHead& one) { return one.id == of.assignment; });
    return found == assignments.end() ? nullptr : &*found;
}

int ClassState::count(HandIn::State state) const
{
    return static_cast<int>(
        std::count_if(handIns.begin(), handIns.end(), [state](const HandIn& one) { return one.state == state; }));
}

QString shownName(const classroom::Person& person)
{
    return QString::fromStdString(person.name.empty() ? person.learner : person.name);
}

} // namespace ridge::app
