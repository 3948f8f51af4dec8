// SPDX-License-Identifier: GPL-3.0-or-later
// ridge: Ridgepoint's command line. Headless; the same worker, store and lessons as the program.
#include "base/target_kind.h"
#include "cli/commands.h"
#include "cli/main_class.h"
#include "cli/main_kernel.h"
#include "cli/main_load.h"

#include "base/experiment_info.h"
#include "base/number_text.h"
#include "base/step_trace.h"
#include "portfolio/pdf.h"

#include <CLI/CLI.hpp>
#include <QCoreApplication>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

using namespace ridge::cli;

namespace {

constexpr const char* kFooter =
    "Exit status: 0 done · 1 it ran and failed (experiment, check, lint, detector) · 2 wrong command line or file ·\n"
    "             3 worker, target, compiler or server not there · 4 trouble with the store · 130 cancelled\n"
    "Environment: RIDGE_HOME store folder · RIDGE_DATA lessons, kernels and assets · RIDGE_CACHE compiled kernels ·\n"
    "             RIDGE_WORKER worker program · RIDGE_COMPILER auto|nvrtc|nvcc|clang|shipped · RIDGE_NVRTC library";

/// What people copy first.
void addExamples(CLI::App& app)
{
    static const std::vector<std::pair<std::vector<const char*>, const char*>> kExamples = {
        {{"run"},
         "ridge run coalescing --set stride=8\n  ridge run stream --target sim:t4 --sweep "
         "bytes=1048576..67108864:log2"},
        {{"describe"}, "ridge describe\n  ridge describe coalescing"},
        {{"lesson", "run"}, "ridge lesson run 1.1 --target sim:h100-sxm"},
        {{"import"}, "ridge import profile.csv\n  ridge import all_reduce.log --title \"Our node\""},
        {{"export"}, "ridge export --out artifacts/"},
        {{"verify"}, "ridge verify portfolio/"},
        {{"search"}, "ridge search \"bank conflict\""},
        {{"calibrate"}, "ridge calibrate --target cpu"},
        {{"kernel", "run"},
         "ridge kernel run saxpy.cu --grid 64 --block 256 --arg in:f32:16384:ones --arg out:f32:16384"},
        {{"kernel", "compile"}, "ridge kernel compile saxpy.cu --arch sm_90 --show lines"},
        {{"kernel", "grade"}, "ridge kernel task start saxpy\n  ridge kernel grade saxpy.cu --task saxpy --save"},
        {{"class", "new"}, "ridge class new \"Autumn\" --title \"Week 1\" --lessons 1.1,1.2 --roster roster.csv"},
        {{"class", "collect"}, "ridge class collect ~/Downloads/week-1"},
        {{"class", "grades"}, "ridge class grades --format moodle --out grades.csv"},
    };
    for (const auto& [path, text] : kExamples) {
        CLI::App* command = &app;
        for (const char* name : path)
            command = command->get_subcommand(name);
        command->footer("Examples:\n  " + std::string(text) + "\n\n" + kFooter);
    }
}

void addRun(CLI::App& app, RunOptions& options)
{
    auto* run = app.add_subcommand("run", "Run an experiment at one point, over a sweep or over a table of points");
    run->add_option("experiment", options.experiment, "Experiment id (see ridge describe)")->required();
    run->add_option(
           "--target", options.target,
           "One of: " + ridge::targetForms() +
               ", or NAME:gpu:0 of a remote target; default: gpu:0 if there is one, else what the experiment runs on")
        ->check(presentProblem);
    auto* set = run->add_option("--set", options.set, "Fix a parameter: stride=4 (repeatable)");
    auto* sweep = run->add_option("--sweep", options.sweep,
                                  "Sweep a parameter: stride=1..128:log2, 1..33, 0..64:8 or 1,2,5 (up to 3)");
    auto* points = run->add_option("--points", options.points,
                                   "A CSV file: parameters in the first line, a point a row, an empty cell is the "
                                   "default; a column target chooses "
                                   "the target of its row. A row that cannot be run holds its error, the others run");
    // SCALE-Sim's own way to name its files.
    for (const char* file : {"topology", "config"})
        run->add_option_function<std::string>(
               "--" + std::string(file),
               [&options, file](const std::string& path) { options.set.push_back(std::string(file) + "=" + path); },
               std::string("A SCALE-Sim ") + file + " file: --set " + file + "=FILE (systolic)")
            ->excludes(points);
    points->excludes(set)->excludes(sweep)->check(presentProblem);
    run->add_option("--seed", options.seed, "Seed of the input data")->capture_default_str()->check(seedProblem);
    run->add_option("--seconds", options.seconds, "Time limit of the whole request (default 120)")
        ->check(secondsProblem);
    run->add_option("--memory-mib", options.memoryMiB, "Memory limit of the worker (default 4096)")
        ->check(wholeProblem);
    static const std::map<std::string, ridge::Regime> regimes{
        {"quick", ridge::Regime::Quick}, {"burst", ridge::Regime::Burst}, {"settled", ridge::Regime::Settled}};
    run->add_option("--regime", options.regime, "How warm a GPU is timed: quick, burst (cold) or settled (hot)")
        ->transform(CLI::Validator(
            [](std::string& text) -> std::string {
                const auto found = regimes.find(text);
                if (found == regimes.end())
                    return "there is no regime '" + text + "': give quick, burst or settled";
                text = std::to_string(static_cast<int>(found->second));
                return {};
            },
            "quick|burst|settled"));
    run->add_flag("--counters", options.counters,
                  "Have a GPU count, too, with Nsight Compute after each point; a simulated chip always does");
    run->add_flag("--json", options.json, "Print one JSON document");
    run->add_flag("--save", options.save, "Keep the runs in the store");
    run->add_flag(
           "--resume", options.resume,
           "Go on with the newest such sweep in the store, if it was stopped: only the points that it lacks; saves")
        ->excludes(points);
}

void addExport(CLI::App& parent, PortfolioOptions& options)
{
    auto* portfolio = parent.add_subcommand("portfolio", "Write a portfolio: site, PDF, manifest, data, code and rows");
    portfolio->add_option("--template", options.style, "job, handin or notebook")
        ->check(CLI::IsMember({"job", "handin", "notebook"}))
        ->capture_default_str();
    portfolio->add_option("--out", options.out, "Folder to make; it must not exist or be empty")->required();
    portfolio->add_option("--artifacts", options.artifacts, "Ids in the order in which they are to stand; default: all")
        ->delimiter(',');
    portfolio->add_option("--title", options.title, "Title of the portfolio");
    portfolio->add_option("--intro", options.intro, "A few lines below it");
    portfolio->add_option("--author", options.author, "Your name; it is left out unless you give it");
    portfolio->add_option("--contact", options.contact, "Beside the name");
    portfolio->add_option("--course", options.course, "For a hand-in");
    portfolio
        ->add_option("--show", options.show,
                     "Details that are left out otherwise: times, host, paths, devices, processes, record, notes")
        ->delimiter(',');
    portfolio->add_flag("--no-pdf", options.noPdf, "Without portfolio.pdf");
    portfolio->add_flag("--preview", options.preview, "Tell what each detail would add, and write nothing");
    portfolio->add_flag("--json", options.json, "Print one JSON document");
}

/// A PDF is laid out with fonts, for which Qt wants another kind of application object; only this command pays for it.
bool needsFonts(int argc, char** argv)
{
    return argc > 2 && std::string_view(argv[1]) == "export" && std::string_view(argv[2]) == "portfolio";
}

void addTarget(CLI::App& target, TargetOptions& options)
{
    target.require_subcommand(1);
    auto* add = target.add_subcommand("add", "Add a machine that a launcher reaches, and put the worker there");
    add->add_option("name", options.name, "Small letters, digits and -; runs are then for NAME:gpu:0, NAME:cpu …")
        ->required();
    add->add_option("--launcher", options.launcher, "What stands before a command: \"ssh gpu01\", \"srun -p gpu\"")
        ->required();
    add->add_option("--worker", options.worker, "A ridge-worker that is there already; default: ours is copied");
    add->add_option("--spool", options.spool, "Slurm: a folder that login and compute nodes share; default: the cache");
    add->add_flag("--no-check", options.noCheck, "Keep it without asking it");
    auto* list = target.add_subcommand("list", "The remote targets that are known");
    auto* remove = target.add_subcommand("remove", "Forget a remote target; its runs stay");
    auto* check = target.add_subcommand("check", "Ask a remote target, and copy the worker where it is another one");
    for (auto* one : {remove, check})
        one->add_option("name", options.name, "Name of the target")->required();
    for (auto* one : {add, check})
        one->add_option("--seconds", options.seconds, "How long to wait for its first word (default 30)")
            ->check(CLI::NonNegativeNumber);
    for (auto* one : {add, list, check})
        one->add_flag("--json", options.json, "Print one JSON document");
}

} // namespace

namespace {

int command(int argc, char** argv)
{
    const std::unique_ptr<QCoreApplication> qt = needsFonts(argc, argv)
                                                     ? ridge::folio::headlessApplication(argc, argv)
                                                     : std::make_unique<QCoreApplication>(argc, argv);
    ridge::keepDecimalPoints();
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
    KernelLine kernelLine;
    auto* kernel = addKernel(app, kernelLine);
    auto* lessons = app.add_subcommand("lessons", "The lessons that are there");
    lessons->add_flag("--json", json, "Print one JSON document");
    std::string folder;
    auto* lint = app.add_subcommand("lint", "Check lessons, claims and glossary");
    lint->add_option("curriculum", folder, "Curriculum folder or one lesson file; default: the one that is shipped");
    bool grain = false;
    lint->add_flag("--grain", grain,
                   "Also what a lesson written today must keep to: length, instances, estimates, claims");
    lint->add_flag("--json", json, "Print one JSON document");
    auto* lesson = app.add_subcommand("lesson", "Work with one lesson");
    lesson->require_subcommand(1);
    LessonRunOptions lessonRun;
    auto* lessonRunCmd =
        lesson->add_subcommand("run", "Run a lesson's experiments, evaluate its checks, ship its artifact");
    lessonRunCmd->add_option("lesson", lessonRun.lesson, "Lesson id, for example 2.4")->required();
    lessonRunCmd->add_option("--target", lessonRun.target,
                             "As for ridge run; default: the lesson's own, if it names one");
    lessonRunCmd->add_option("--out", lessonRun.out, "Export the artifact into this folder");
    LessonCheckOptions lessonCheck;
    auto* lessonCheckCmd = lesson->add_subcommand(
        "check", "Take a lesson as a learner would, in a store of its own: can it be passed, and not by guessing?");
    lessonCheckCmd->add_option("lesson", lessonCheck.lesson, "Lesson id, for example 2.4, or 1.capstone")->required();
    lessonCheckCmd->add_option("--target", lessonCheck.target,
                               "As for ridge run; what does not run there runs on model or sim:h100-sxm");
    lessonCheckCmd
        ->add_option("--learner", lessonCheck.learner,
                     "ideal: reasons, must pass; wrong and cheat: must not; both: ideal and wrong; all")
        ->check(CLI::IsMember({"ideal", "wrong", "cheat", "both", "all"}))
        ->capture_default_str();
    lessonCheckCmd
        ->add_option("--keep", lessonCheck.keep,
                     "Add what the ideal learner does to the record in this folder, not to one that is "
                     "thrown away")
        ->excludes("--learner");
    lessonCheckCmd->add_flag("--json", lessonCheck.json, "Print one JSON document");
    auto* artifacts = app.add_subcommand("artifacts", "What was shipped");
    artifacts->add_flag("--json", json, "Print one JSON document");
    std::string artifact, out;
    auto* exportCmd = app.add_subcommand("export", "Write artifacts as folders that a stranger can check and re-run");
    exportCmd->add_option("artifact", artifact, "Artifact id; default: all");
    auto* exportOut = exportCmd->add_option("--out", out, "Folder to write into");
    PortfolioOptions portfolio;
    addExport(*exportCmd, portfolio);
    std::string checked;
    auto* verify = app.add_subcommand("verify", "Check a portfolio: sums, manifest, rows, links, nothing that can run");
    verify->add_option("folder", checked, "The portfolio's folder")->required();
    verify->add_flag("--json", json, "Print one JSON document");
    ImportFileOptions importFile;
    auto* importCmd = app.add_subcommand(
        "import", "Make an artifact of a file that ncu, nsys, nccl-tests, llama-bench, an FPGA tool or PyTorch wrote");
    importCmd->add_option("file", importFile.file, "The file")->required();
    importCmd->add_option("--format", importFile.format,
                          "ncu, nsys, nccl-tests, rccl-tests, llama-bench, fpga-timing …; default: found out");
    importCmd->add_option("--title", importFile.title, "Title of the artifact");
    importCmd->add_option("--question", importFile.question, "The question that the file answers");
    importCmd->add_option("--lesson", importFile.lesson, "Lesson to which it belongs");
    importCmd->add_flag("--json", importFile.json, "Print one JSON document");
    std::string other;
    auto* merge = app.add_subcommand("merge", "Add the rows and files of another store to this one");
    merge->add_option("folder", other, "The other store's folder")->required();
    merge->add_flag("--json", json, "Print one JSON document");
    auto* store = app.add_subcommand("store", "Look after the record in RIDGE_HOME");
    store->require_subcommand(1);
    bool mend = false;
    auto* check =
        store->add_subcommand("check", "Check integrity, references, digests, the chain of rows and every file");
    check->add_flag("--mend", mend, "First note as lost what files are not there; their rows stay, nothing is deleted");
    check->add_flag("--json", json, "Print one JSON document");
    store->add_subcommand("backup", "Write a consistent copy of the database below backups/")
        ->add_flag("--json", json, "Print one JSON document");
    auto* storeMerge = store->add_subcommand("merge", "Add the rows and files of another store to this one");
    storeMerge->add_option("folder", other, "The other store's folder")->required();
    storeMerge->add_flag("--json", json, "Print one JSON document");
    std::string backup;
    auto* restore = store->add_subcommand("restore", "Put a backup in the place of the database, which is kept aside");
    restore->add_option(
        "backup", backup,
        "File of the backup, put in place also where the record is sound and has more; default: the one that holds "
        "most of this record, if the record is damaged or has no more");
    restore->add_flag("--json", json, "Print one JSON document");
    std::string reproduceTarget;
    auto* reproduce = app.add_subcommand(
        "reproduce",
        "Run an artifact's runs, or grade its kernel, again and compare: reproduced, within noise, different "
        "hardware or not reproduced");
    reproduce->add_option("artifact", artifact, "Artifact id (see ridge artifacts)")->required();
    reproduce->add_option("--target", reproduceTarget, "Run them here; default: each run where it ran");
    reproduce->add_flag("--json", json, "Print one JSON document");
    ridge::cli::CalibrateOptions calibrate;
    auto* calibrateCmd =
        app.add_subcommand("calibrate", "Measure what a target reaches: its own roofline; runs are kept");
    calibrateCmd->add_option("--target", calibrate.target, "As for ridge run; cpu, too");
    calibrateCmd->add_flag("--show", calibrate.show, "Print what is known, run nothing");
    calibrateCmd->add_flag("--json", calibrate.json, "Print one JSON document");
    std::string words;
    auto* search = app.add_subcommand("search", "Find words in lessons, terms, runs, notes and artifacts");
    search->add_option("text", words, "What to look for; words may go on (coal finds coalescing)")->required();
    search->add_flag("--json", json, "Print one JSON document");
    auto* data = app.add_subcommand("data", "What is kept about you: look, take it along, delete it");
    data->require_subcommand(1);
    auto* dataShow = data->add_subcommand("show", "What there is, how much of it, and where");
    dataShow->add_flag("--json", json, "Print one JSON document");
    std::string dataFolder;
    auto* dataExport = data->add_subcommand("export", "Write all of it into a folder, readable without Ridgepoint");
    dataExport->add_option("folder", dataFolder, "New or empty")->required();
    dataExport->add_flag("--json", json, "Print one JSON document");
    bool yes = false;
    auto* dataDelete = data->add_subcommand("delete", "Delete all of it");
    dataDelete->add_flag("--yes", yes, "Do it; without it, what would go is printed");
    dataDelete->add_flag("--json", json, "Print one JSON document");
    ClassOptions classOptions;
    auto* classCmd = addClass(app, classOptions);
    GenerateLearnersOptions generate;
    auto* generateCmd = addGenerate(app, generate);
    bool csv = false;
    auto* progress = app.add_subcommand("progress", "How far you are, how firmly lessons are known, what is due again");
    progress->add_flag("--csv", csv, "Print a lesson a line");
    progress->add_flag("--json", json, "Print one JSON document")->excludes("--csv");
    std::string pathId, companionId;
    auto* pathsCmd = app.add_subcommand("paths", "The ways through the lessons, what each makes you good at");
    pathsCmd->add_option("path", pathId, "One of them, with its lessons in order");
    pathsCmd->add_flag("--json", json, "Print one JSON document");
    auto* companionCmd =
        app.add_subcommand("companion", "Chapters of a book with what they cost, code to read, labs done elsewhere");
    companionCmd->add_option("id", companionId, "One chapter, project or lab");
    companionCmd->add_flag("--json", json, "Print one JSON document");
    std::string baseline;
    auto* baselines = app.add_subcommand("baselines", "What other machines gave, with all that is known of them");
    baselines->add_option("id", baseline, "Only this one, with its points");
    baselines->add_flag("--json", json, "Print one JSON document");
    ModelOptions model;
    auto* modelCmd = app.add_subcommand("model", "Parameters, cache, FLOPs and bytes of a model, operator by operator");
    modelCmd->add_option("model", model.model, "A config.json, a network as .yaml, an .onnx, or a shipped model")
        ->required();
    modelCmd->add_option("--phase", model.phase, "decode, prefill or training (default decode, where there is one)")
        ->check(CLI::IsMember({"decode", "prefill", "training"}));
    modelCmd->add_option("--batch", model.batch, "Sequences, or images")
        ->capture_default_str()
        ->check(CLI::Range(1U, 65536U));
    modelCmd
        ->add_option("--context", model.context,
                     "Tokens of a sequence (default 1024, or as many as the model has positions for)")
        ->check(CLI::Range(1U, 16777216U));
    modelCmd
        ->add_option("--source", model.source,
                     "Tokens of the encoder's input, where it has a decoder (default: as many as --context; Whisper: a "
                     "whole recording)")
        ->check(CLI::Range(1U, 16777216U));
    modelCmd->add_option("--dtype", model.dtype, "Precision of the weights: bf16, fp8, int4, …")->capture_default_str();
    modelCmd->add_flag("--eager", model.eager, "A kernel for each operation; without it some are fused");
    modelCmd->add_flag("--json", model.json, "Print one JSON document");
    auto* doctor = app.add_subcommand("doctor", "What works here, what does not, and what mends it");
    doctor->add_flag("--json", json, "Print one JSON document");

    LoadOptions loadOptions;
    auto* load = addLoad(app, loadOptions);

    TargetOptions target;
    auto* targetCmd = app.add_subcommand("target", "Machines that are reached through ssh or Slurm");
    addTarget(*targetCmd, target);

    addExamples(app);
    try {
        app.parse(argc, argv);
        if (exportCmd->parsed() && !exportCmd->got_subcommand("portfolio") && exportOut->empty())
            throw CLI::RequiredError("--out");
    } catch (const CLI::ParseError& error) {
        if (const std::string_view word = argc > 1 ? argv[1] : ""; !word.empty() && !word.starts_with('-')) {
            std::vector<std::string> known;
            for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
                known.push_back(command->get_name());
            if (std::ranges::find(known, word) == known.end()) {
                const auto near = ridge::nearestNames(word, known);
                std::string guess;
                for (const std::string& name : near)
                    guess += (guess.empty() ? "did you mean " : ", ") + name;
                const std::string fix = guess.empty() ? "ridge --help lists them" : guess + "?";
                std::fprintf(stderr, "ridge: there is no command '%s'. %s\n", argv[1], fix.c_str());
                return Usage;
            }
        }
        return app.exit(error) == 0 ? Done : Usage;
    }
    if (const int unfinished = finishDeleting(); unfinished != Done)
        return unfinished;
    if (targets->parsed())
        return targetsCommand(json);
    if (describe->parsed())
        return describeCommand(experiment, json);
    if (kernel->parsed())
        return runKernel(*kernel, kernelLine);
    if (lessons->parsed())
        return lessonsCommand(json);
    if (lint->parsed())
        return lintCommand(folder, grain, json);
    if (lessonRunCmd->parsed())
        return lessonRunCommand(lessonRun);
    if (lessonCheckCmd->parsed())
        return lessonCheckCommand(lessonCheck);
    if (artifacts->parsed())
        return artifactsCommand(json);
    if (exportCmd->got_subcommand("portfolio"))
        return portfolioCommand(portfolio);
    if (exportCmd->parsed())
        return exportCommand(artifact, out);
    if (verify->parsed())
        return verifyCommand(checked, json);
    if (importCmd->parsed())
        return importCommand(importFile);
    if (merge->parsed())
        return mergeCommand(other, json);
    if (store->got_subcommand("check"))
        return storeCheckCommand(json, mend);
    if (store->got_subcommand("backup"))
        return storeBackupCommand(json);
    if (store->got_subcommand("merge"))
        return mergeCommand(other, json);
    if (store->got_subcommand("restore"))
        return storeRestoreCommand(backup, json);
    if (reproduce->parsed())
        return reproduceCommand(artifact, reproduceTarget, json);
    if (calibrateCmd->parsed())
        return calibrateCommand(calibrate);
    if (pathsCmd->parsed())
        return pathsCommand(pathId, json);
    if (companionCmd->parsed())
        return companionCommand(companionId, json);
    if (progress->parsed())
        return progressCommand(json ? "json" : csv ? "csv" : "table");
    if (search->parsed())
        return searchCommand(words, json);
    if (classCmd->parsed())
        return classCommand(classOptions);
    if (generateCmd->parsed())
        return generateLearnersCommand(generate);
    if (dataShow->parsed())
        return dataShowCommand(json);
    if (dataExport->parsed())
        return dataExportCommand(dataFolder, json);
    if (dataDelete->parsed())
        return dataDeleteCommand(yes, json);
    if (baselines->parsed())
        return baselinesCommand(baseline, json);
    if (modelCmd->parsed())
        return modelCommand(model);
    if (doctor->parsed())
        return doctorCommand(json);
    if (load->parsed())
        return loadCommand(loadOptions);
    if (targetCmd->parsed())
        return targetCommand(targetCmd->get_subcommands().front()->get_name(), target);
    return runCommand(run);
}

} // namespace

int main(int argc, char** argv)
{
    try {
        const int code = command(argc, argv);
        // What was printed may still wait to be written, and a full disk shows only then.
        errno = 0;
        const bool isWritten = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
        if (isWritten || code != Done)
            return code;
        std::fprintf(stderr,
                     "ridge: standard output cannot be written%s%s. Check the room on the disk and what reads it.\n",
                     errno != 0 ? ": " : "", errno != 0 ? std::strerror(errno) : "");
        return Failed;
    } catch (const std::exception& error) {
        ridge::cli::tell(std::string("this is a fault of ridge, please report it: ") + error.what());
        return Failed;
    }
}
