// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/demonstration_mode.h"

#include "app/session/app_context.h"

#include <algorithm>

namespace ridge::app {

DemonstrationMode::DemonstrationMode(AppContext& context) : QObject(&context), m_context(context)
{
    connect(&context.feedback(), &FeedbackWatch::changed, this, &DemonstrationMode::changed);
}

DemonstrationMode& DemonstrationMode::of(AppContext& context)
{
    if (auto* there = context.findChild<DemonstrationMode*>(QString(), Qt::FindDirectChildrenOnly))
        return *there;
    return *new DemonstrationMode(context);
}

void DemonstrationMode::set(bool on)
{
    if (on == m_on)
        return;
    m_on = on;
    Q_EMIT changed();
}

bool DemonstrationMode::holdsFor(const std::string& lesson) const
{
    const auto& assignments = m_context.feedback().policy().assignments();
    return m_on && std::none_of(assignments.begin(), assignments.end(), [&](const classroom::Assignment& each) {
               return std::any_of(each.lessons.begin(), each.lessons.end(),
                                  [&](const classroom::AssignedLesson& one) { return one.id == lesson; });
           });
}

} // namespace ridge::app

#include "moc_demonstration_mode.cpp"
