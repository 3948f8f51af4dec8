// SPDX-License-Identifier: GPL-3.0-or-later
// ridge: Ridgepoint's command line. Headless; the same worker, store and lessons as the program.
#include "cli/commands.h"

#include <CLI/CLI.hpp>
#include <QCoreApplication>

using namespace ridge::cli;

namespace {

constexpr const char* kFooter =
    "Exit status: 0 done · 1 it ran and failed (experiment, check, lint) · 2 wrong command line or file ·\n"
    "             3 worker, target or compiler not there · 4 trouble with the store · 130 cancelled\n"
    "Environment: RIDGE_HOME store folder · RIDGE_DATA lessons, kernels and assets · RIDGE_CACHE compiled kernels ·\n"
    "             RIDGE_WORKER worker program · RIDGE_COMPILER auto|nvrtc|nvcc|clang|shipped · RIDGE_NVRTC library";

void addRun(CLI::App& app, RunOptions& options)
{
    auto* run = app.add_subcommand("run", "Run an experiment at one point or over a sweep");
    run->add_option("experiment", options.experiment, "Experiment id (see ridge describe)")->required();
    run->add_option("--target", options.target,
                    "gpu:0 or sim:<chip>; default: gpu:0 if there is one, else sim:h100-sxm");
    run->add_option("--set", options.set, "Fix a parameter: stride=4 (repeatable)");
    run->add_option("--sweep", options.sweep,
                    "Sweep a parameter: stride=1..128:log2, 1..33, 0..64:8 or 1,2,5 (up to 3)");
    run->add_option("--seed", options.seed, "Seed of the input data")->capture_default_str();
    run->add_option("--seconds", options.seconds, "Time limit of the whole request (default 120)")
        ->check(CLI::NonNegativeNumber);
    run->add_option("--memory-mib", options.memoryMiB, "Memory limit of the worker (default 4096)")
        ->check(CLI::NonNegativeNumber);
    run->add_flag("--json", options.json, "Print one JSON document");
    run->add_flag("--save", options.save, "Keep the runs in the store");
}

} // namespace

int main(int argc, char** argv)
{
    QCoreApplication qt(argc, argv);
    QCoreApplication::setApplicationName(QStringLiteral("ridge"));

    CLI::App app("Ridgepoint: a learning lab for AI hardware, on the command line", "ridge");
    app.require_subcommand(1);
    app.footer(kFooter);
    app.set_version_flag("--version", RIDGE_VERSION);

    bool json = false;
    auto* targets = app.add_subcommand("targets", "What can execute experiments here, and which compilers there are");
    targets->add_flag("--json", json, "Print one JSON document");
    std::string experiment;
    auto* describe = app.add_subcommand("describe", "Experiments with parameters, metrics, charts and limits");
    describe->add_option("experiment", experiment, "Only this one");
    describe->add_flag("--json", json, "Print one JSON document");
    RunOptions run;
    addRun(app, run);
    auto* lessons = app.add_subcommand("lessons", "The lessons that are there");
    lessons->add_flag("--json", json, "Print one JSON document");
    std::string folder;
    auto* lint = app.add_subcommand("lint", "Check lessons, claims and glossary");
    lint->add_option("curriculum", folder, "Curriculum folder or one lesson file; default: the one that is shipped");
    lint->add_flag("--json", json, "Print one JSON document");
    auto* lesson = app.add_subcommand("lesson", "Work with one lesson");
    lesson->require_subcommand(1);
    LessonRunOptions lessonRun;
    auto* lessonRunCmd =
        lesson->add_subcommand("run", "Run a lesson's experiments, evaluate its checks, ship its artifact");
    lessonRunCmd->add_option("lesson", lessonRun.lesson, "Lesson id, for example 2.4")->required();
    lessonRunCmd->add_option("--target", lessonRun.target, "As for ridge run");
    lessonRunCmd->add_option("--out", lessonRun.out, "Export the artifact into this folder");
    auto* artifacts = app.add_subcommand("artifacts", "What was shipped");
    artifacts->add_flag("--json", json, "Print one JSON document");
    std::string artifact, out;
    auto* exportCmd = app.add_subcommand("export", "Write artifacts as folders that a stranger can check and re-run");
    exportCmd->add_option("artifact", artifact, "Artifact id; default: all");
    exportCmd->add_option("--out", out, "Folder to write into")->required();
    std::string other;
    auto* merge = app.add_subcommand("merge", "Add the rows and files of another store to this one");
    merge->add_option("folder", other, "The other store's folder")->required();
    auto* doctor = app.add_subcommand("doctor", "What works here, what does not, and what mends it");
    doctor->add_flag("--json", json, "Print one JSON document");

    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? Done : Usage;
    }
    if (targets->parsed())
        return targetsCommand(json);
    if (describe->parsed())
        return describeCommand(experiment, json);
    if (lessons->parsed())
        return lessonsCommand(json);
    if (lint->parsed())
        return lintCommand(folder, json);
    if (lessonRunCmd->parsed())
        return lessonRunCommand(lessonRun);
    if (artifacts->parsed())
        return artifactsCommand(json);
    if (exportCmd->parsed())
        return exportCommand(artifact, out);
    if (merge->parsed())
        return mergeCommand(other);
    if (doctor->parsed())
        return doctorCommand(json);
    return runCommand(run);
}
