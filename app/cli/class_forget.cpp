// SPDX-License-Identifier: GPL-3.0-or-later
// `ridge class forget`, `export` and `join`: what a class holds about one person, and whose it is.
#include "cli/class_commands.h"

#include "base/json.h"
#include "base/paths.h"
#include "classroom/forget.h"
#include "classroom/join.h"

#include <cstdio>

namespace ridge::cli {
namespace {

using namespace classroom;

struct Found {
    OpenClass open;
    HeldOf held;
};

Result<Found> find(const ClassOptions& options)
{
    const auto place = findClass(homeFolder(), options.className, options.database);
    if (!place)
        return place.error();
    auto open = openClass(*place);
    if (!open)
        return open.error();
    auto held = heldOf(*open, options.whom);
    if (!held)
        return held.error();
    return Found{std::move(*open), std::move(*held)};
}

std::string shown(const record::SchoolPerson& person)
{
    if (person.name.empty())
        return person.learner;
    return plain(person.name) + (person.learner.empty() ? ", who has handed in nothing" : ", " + person.learner);
}

void print(const Found& found)
{
    std::printf("%s, in class %s:\n", shown(found.held.person).c_str(), found.open.place.slug.c_str());
    for (const auto& [table, count] : found.held.rows)
        std::printf("  %-14s %d %s\n", table.c_str(), count, count == 1 ? "row" : "rows");
    if (found.held.files > 0)
        std::printf("  %-14s %d\n", "files", found.held.files);
    for (const std::filesystem::path& page : found.held.pages)
        std::printf("  page of feedback: %s\n", plain(page.string()).c_str());
}

void printWhatStays(const record::SchoolPerson& person)
{
    for (const std::string& file : person.fileNames)
        std::printf("not reached: %s, wherever it was collected from\n", plain(file).c_str());
    std::printf("not reached: copies of the class's folder, grades and pages that were written elsewhere or imported "
                "into a learning platform\n");
}

} // namespace

int classJoin(const ClassOptions& options)
{
    const auto place = findClass(homeFolder(), options.className, options.database);
    if (!place)
        return report(place.error());
    auto open = openClass(*place);
    if (!open)
        return report(open.error());
    const auto who = joinLearner(*open, options.text, options.whom);
    if (!who)
        return report(who.error());
    std::printf("what was handed in under %s is the work of %s\n", plain(who->learner).c_str(),
                plain(who->name).c_str());
    return Done;
}

int classForget(const ClassOptions& options)
{
    auto found = find(options);
    if (!found)
        return report(found.error());
    if (!options.yes && options.json) {
        Json rows = Json::object();
        for (const auto& [table, count] : found->held.rows)
            rows[table] = count;
        printJson(Json{{"learner", found->held.person.learner},
                       {"name", found->held.person.name},
                       {"rows", rows},
                       {"files", found->held.files},
                       {"pages", found->held.pages.size()},
                       {"not_reached", found->held.person.fileNames}});
        return Done;
    }
    if (!options.yes) {
        print(*found);
        printWhatStays(found->held.person);
        std::printf("Nothing was changed. All of this goes for good with --yes; ridge class export keeps a copy. "
                    "Collecting one of the files again brings its rows back.\n");
        return Done;
    }
    const auto gone = forget(found->open, found->held);
    if (!gone)
        return report(gone.error());
    if (options.json) {
        printJson(Json{{"rows", gone->rows},
                       {"submissions", gone->submissions},
                       {"grades", gone->grades},
                       {"decisions", gone->decisions},
                       {"remarks", gone->remarks},
                       {"roster_lines", gone->rosterLines},
                       {"refusals", gone->refusals},
                       {"files", gone->files},
                       {"named_in_remarks_to_others", gone->namedElsewhere},
                       {"not_reached", found->held.person.fileNames}});
        return Done;
    }
    std::printf("forgotten: %s, %s, %s, %s, %s and %s. The class notes that somebody was taken out, when, and these "
                "numbers\n",
                counted(std::size_t(gone->rows), "row of the record", "rows of the record").c_str(),
                counted(std::size_t(gone->submissions), "submission", "submissions").c_str(),
                counted(std::size_t(gone->grades), "grade", "grades").c_str(),
                counted(std::size_t(gone->remarks), "remark", "remarks").c_str(),
                counted(std::size_t(gone->rosterLines), "line of the roster", "lines of the roster").c_str(),
                counted(std::size_t(gone->refusals), "refused file", "refused files").c_str());
    if (gone->namedElsewhere > 0)
        std::printf("stays: %s to others, in which they are named\n",
                    counted(std::size_t(gone->namedElsewhere), "remark", "remarks").c_str());
    printWhatStays(found->held.person);
    return Done;
}

int classExport(const ClassOptions& options)
{
    auto found = find(options);
    if (!found)
        return report(found.error());
    const auto files = exportLearner(found->open, found->held, options.out);
    if (!files)
        return report(files.error());
    std::printf("%s: %d files in %s\n", shown(found->held.person).c_str(), *files, options.out.c_str());
    return Done;
}

} // namespace ridge::cli
