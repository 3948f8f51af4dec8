// SPDX-License-Identifier: GPL-3.0-or-later
// `ridge generate learners`.
#include "cli/class_commands.h"
#include "cli/commands.h"

#include "base/json.h"
#include "base/paths.h"
#include "classroom/generate.h"

#include <cstdio>

namespace ridge::cli {
namespace {

using namespace classroom;

/// The assignment to answer: a file, the newest of the only class, or one that is made into `out`.
Result<Assignment> assignmentFor(const GenerateLearnersOptions& options, const lessons::Curriculum& curriculum)
{
    if (!options.assignment.empty()) {
        const auto bytes = readBundle(options.assignment);
        if (!bytes)
            return bytes.error();
        return readAssignment(*bytes, options.assignment);
    }
    if (options.lessons.empty() && classes(homeFolder()).size() == 1) {
        const auto open = openClass(classes(homeFolder()).front(), true);
        if (!open)
            return open.error();
        const auto newest = open->assignment({});
        if (!newest)
            return newest.error();
        return **newest;
    }
    auto written = generatedAssignment(
        curriculum, options.lessons.empty() ? std::vector<std::string>{"2.4"} : options.lessons, options.seed);
    if (!written)
        return written.error();
    std::error_code ec;
    std::filesystem::create_directories(options.out, ec);
    if (auto kept = writeFile(std::filesystem::path(options.out) / "assignment.ridgeclass", written->bytes); !kept)
        return kept.error();
    return std::move(written->assignment);
}

} // namespace

int generateLearnersCommand(const GenerateLearnersOptions& options)
{
    const auto data = dataFolder();
    if (!data)
        return report(data.error());
    const auto curriculum = lessons::loadCurriculum(*data / "curriculum").curriculum;
    const auto catalogue = loadCatalogue();
    if (!catalogue)
        return report(catalogue.error());
    const auto assignment = assignmentFor(options, curriculum);
    if (!assignment)
        return report(assignment.error());
    ProgressBar bar(!options.json);
    GenerateOptions how;
    how.learners = options.learners;
    how.seed = options.seed;
    how.odd = options.odd;
    how.progress = [&](int done, int all) {
        bar.show(static_cast<double>(done) / all, "generating");
        return true;
    };
    const auto made = generateLearners(*assignment, curriculum, *catalogue, workerExecutor(), how, options.out);
    bar.clear();
    if (!made)
        return report(made.error());
    if (options.json)
        printJson(Json{{"files", made->files},
                       {"rows", made->rows},
                       {"late", made->late},
                       {"absent", made->absent},
                       {"damaged", made->damaged},
                       {"executed", made->executed},
                       {"roster", made->roster.string()}});
    else
        std::printf("%d submissions with %zu rows in %s; %d late, %d on the roster without one, %d damaged\n",
                    made->files, made->rows, options.out.c_str(), made->late, made->absent, made->damaged);
    return Done;
}

} // namespace ridge::cli
