// SPDX-License-Identifier: GPL-3.0-or-later
#include "classroom/sample.h"

#include "base/json.h"
#include "classroom/collect.h"

namespace ridge::classroom {

Result<OpenClass> openSample(const std::filesystem::path& samples, const std::filesystem::path& scratch,
                             const lessons::Curriculum& curriculum)
{
    const auto assignment = readFile(samples / "assignment.ridgeclass");
    if (!assignment)
        return assignment.error();
    auto roster = readFile(samples / "roster.csv");
    if (!roster)
        return roster.error();
    NewAssignment wanted;
    wanted.name = "Sample class";
    wanted.roster = std::move(*roster);
    wanted.rosterPlace = "roster.csv";
    const auto made = adoptAssignment(scratch, wanted, *assignment, "assignment.ridgeclass");
    if (!made)
        return made.error();
    auto open = openClass(made->place);
    if (!open)
        return open.error();
    if (const auto collected = collect(*open, curriculum, samples); !collected)
        return collected.error();
    return open;
}

} // namespace ridge::classroom
