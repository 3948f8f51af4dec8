// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/main_class.h"

#include <CLI/CLI.hpp>
#include <charconv>

using ridge::cli::ClassOptions;

namespace {

CLI::App* addVerb(CLI::App& parent, ClassOptions& options, const char* verb, const char* help)
{
    auto* command = parent.add_subcommand(verb, help);
    command->callback([&options, verb] { options.verb = verb; });
    return command;
}

void addPlace(CLI::App* command, ClassOptions& options, bool assignment)
{
    command->add_option("--class", options.className, "Class; may be left out where there is one");
    command->add_option("--database", options.database,
                        "PostgreSQL: postgresql://user@host/database (password from PGPASSWORD or ~/.pgpass)");
    if (assignment)
        command->add_option("--assignment", options.assignment, "Title or beginning of its id; default: the newest");
}

void addInstructors(CLI::App& parent, ClassOptions& options)
{
    auto* make = addVerb(parent, options, "new", "Make a class, or a further assignment of one, and its .ridgeclass");
    make->add_option("name", options.name, "Name of the class: \"Spring 2027\"")->required();
    make->add_option("--lessons", options.lessons, "Lessons: 1.1,1.2")->delimiter(',');
    make->add_option("--title", options.title, "Title of the assignment; default: the class's name");
    make->add_option("--deadline", options.deadline, "ISO 8601: 2027-03-08T18:00Z");
    make->add_option("--roster", options.roster, "CSV with names, and emails or numbers");
    make->add_option("--teacher", options.teacher, "Your name, as learners see it");
    make->add_option("--feedback", options.feedback,
                     "When learners see what came of a step: predicted|ran|passed|shipped|explained=now|deadline|never "
                     "(repeatable; default: now)");
    make->add_flag("--unsealed", options.unsealed, "Submissions can be read by whoever has the file");
    make->add_option("--from", options.from, "Take in this .ridgeclass instead of making one");
    make->add_option("--database", options.database, "Keep the rows on PostgreSQL: postgresql://user@host/database");
    make->add_option("--out", options.out, "Where to write the .ridgeclass; default: here, named after the assignment");
    make->add_flag("--json", options.json, "Print one JSON document");

    auto* roster = addVerb(parent, options, "roster", "Read a roster into a class; people who are there are updated");
    roster->add_option("file", options.path, "CSV")->required();
    addPlace(roster, options, false);
    auto* collect = addVerb(parent, options, "collect", "Take in every submission below a folder");
    collect->add_option("folder", options.path, "Folder with .ridgesubmission files")->required();
    addPlace(collect, options, false);
    collect->add_flag("--json", options.json, "Print one JSON document");
    auto* dismiss = addVerb(parent, options, "dismiss", "Take a refused file off the list of the report");
    dismiss->add_option("file", options.path, "Its name, or the beginning of its SHA-256")->required();
    addPlace(dismiss, options, false);
    auto* regrade = addVerb(parent, options, "regrade", "Run what was handed in again, with your own checks");
    addPlace(regrade, options, true);
    regrade->add_flag("--gpu", options.gpu, "Run measured rows again on this machine's GPU");
    regrade->add_option("--kernels-on", options.kernelTarget,
                        "Grade all kernels of tasks on this target, sim:rtx4090; default: where each learner did");
    regrade->add_flag("--json", options.json, "Print one JSON document");
    auto* report = addVerb(parent, options, "report", "Who did what, who is stuck, what was predicted and believed");
    addPlace(report, options, true);
    report->add_flag("--hide-names", options.hideNames, "For a projector");
    report->add_flag("--json", options.json, "Print one JSON document");
    auto* remark = addVerb(parent, options, "remark", "Say something to somebody about what was handed in");
    remark->add_option("who", options.whom, "Learner id; or name, email or number of the roster")->required();
    auto* words = remark->add_option("text", options.text, "Your words; \"\" takes back what you said");
    auto* file = remark->add_option("--file", options.path, "Read your words from a file");
    words->excludes(file);
    remark->add_option("--lesson", options.lesson, "About one lesson; default: about the whole");
    addPlace(remark, options, true);
    auto* join = addVerb(parent, options, "join", "Say whose work a learner id is");
    join->add_option("learner", options.text, "The id that something was handed in under")->required();
    join->add_option("who", options.whom, "Name, email, number or login of the roster")->required();
    addPlace(join, options, false);
    auto* decide = addVerb(parent, options, "decide", "Say whether work that could not be run again counts");
    decide->add_option("who", options.whom, "Learner id; or name, email or number of the roster")->required();
    decide->add_option("--lesson", options.lesson, "Which lesson; may be left out where one is open");
    auto* verdict = decide->add_option_group("decision");
    verdict->add_flag("--accept", options.accept, "It counts as it was handed in");
    verdict->add_flag("--leave", options.leave, "It counts nothing");
    verdict->require_option(1);
    decide->add_option("--by", options.teacher, "Who decides; default: the teacher of the assignment");
    addPlace(decide, options, true);
    auto* forget = addVerb(parent, options, "forget", "Take one person out of a class: rows, files, roster line");
    forget->add_option("who", options.whom, "Learner id; or name, email or number of the roster")->required();
    forget->add_flag("--yes", options.yes, "Do it; without it, what would go is printed");
    forget->add_flag("--json", options.json, "Print one JSON document");
    addPlace(forget, options, false);
    auto* keep = addVerb(parent, options, "export", "Write all that a class holds about one person into a folder");
    keep->add_option("who", options.whom, "As for forget")->required();
    keep->add_option("--out", options.out, "Folder, new or empty")->required();
    addPlace(keep, options, false);
    auto* grades = addVerb(parent, options, "grades", "Grades as a file that Moodle or Canvas imports");
    grades->add_option("--format", options.format, "moodle or canvas")
        ->required()
        ->check(CLI::IsMember({"moodle", "canvas"}));
    grades->add_option("--out", options.out, "File; default: print");
    addPlace(grades, options, true);
    auto* feedback = addVerb(parent, options, "feedback", "One HTML page a learner, as far as the policy allows");
    feedback->add_option("--out", options.out, "Folder")->required();
    addPlace(feedback, options, true);
}

void addLearners(CLI::App& parent, ClassOptions& options)
{
    auto* accept = addVerb(parent, options, "accept", "Take on an assignment (learner)");
    accept->add_option("file", options.path, "The .ridgeclass")->required();
    auto* submit = addVerb(parent, options, "submit", "Write what you did for an assignment into one file (learner)");
    submit->add_option("--assignment", options.assignment, "Id; may be left out where you accepted one");
    submit->add_option("--out", options.out, "Folder; default: here");
    submit->add_option("--name", options.learnerName, "Your name, if you want it in the file");
    submit->add_flag("--without-reasons", options.withoutReasons, "Leave out why you predicted what you did");
    submit->add_flag("--without-artifacts", options.withoutArtifacts, "Leave out artifacts and their code");
    submit->add_flag("--with-journal", options.withJournal, "Put in failures and decisions");
    submit->add_flag("--with-notes", options.withNotes, "Put in notes in the margin");
    submit->add_flag("--with-traces", options.withTraces, "Put in timelines of runs (large)");
    submit->add_flag("--json", options.json, "Print one JSON document");
}

} // namespace

std::string seedProblem(const std::string& text)
{
    std::uint64_t seed = 0;
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, seed);
    return read.ec == std::errc() && read.ptr == end
               ? std::string()
               : "'" + text + "' is no whole number from 0 to 18446744073709551615";
}

std::string wholeProblem(const std::string& text)
{
    const bool isWhole = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
    if (isWhole && text.size() > 1 && text.front() == '0')
        return "'" + text + "' begins with 0: write the decimal number without it";
    return isWhole ? std::string() : "'" + text + "' is not a whole number from 0";
}

std::string countProblem(const std::string& text)
{
    const std::string problem = wholeProblem(text);
    return problem.empty() && text == "0" ? "0 is none: give a whole number from 1" : problem;
}

std::string presentProblem(const std::string& text)
{
    return text.empty() ? "it is empty: give a value, or leave the option out" : std::string();
}

std::string secondsProblem(const std::string& text)
{
    double value = -1;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    constexpr double kMost = 1e7; // four months
    const bool isTime = code == std::errc() && end == text.data() + text.size() && value >= 0 && value <= kMost;
    return isTime ? std::string() : "'" + text + "' is not a number of seconds from 0 to 10000000";
}

CLI::App* addClass(CLI::App& app, ClassOptions& options)
{
    auto* command = app.add_subcommand("class", "A class: assignments, submissions, grades; works without a network");
    command->require_subcommand(1);
    addInstructors(*command, options);
    addLearners(*command, options);
    return command;
}

CLI::App* addGenerate(CLI::App& app, ridge::cli::GenerateLearnersOptions& options)
{
    auto* command = app.add_subcommand("generate", "Make things up, for tests and demonstrations");
    command->require_subcommand(1);
    auto* learners = command->add_subcommand("learners", "Submissions of a class that nobody sat in, from a seed");
    learners->add_option("count", options.learners, "How many")->required()->check(CLI::Range(1, 100000));
    learners->add_option("--seed", options.seed, "The same seed gives the same bytes")
        ->capture_default_str()
        ->check(seedProblem);
    learners->add_option("--out", options.out, "Folder for the submissions and roster.csv")->required();
    learners->add_option("--class", options.assignment,
                         "The .ridgeclass they answer; default: the newest of your only class, else one is made");
    learners->add_option("--lessons", options.lessons, "Lessons of an assignment that is made (default 2.4)")
        ->delimiter(',');
    learners->add_option("--odd", options.odd, "Damage so many of the files")->check(CLI::NonNegativeNumber);
    learners->add_flag("--json", options.json, "Print one JSON document");
    return command;
}
