// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/class/live/live_panel.h"
#include "app/class/teaching/class_values.h"
#include "app/class/teaching/open_table.h"
#include "classroom/class_folder.h"
#include "classroom/regrade.h"

#include <QTemporaryDir>

namespace ridge::app {

/// What a job may ask while it runs, from its own thread.
struct JobHooks {
    std::function<void(int done, int all)> progress;
    std::function<bool()> stopped;
};

/// The one owner of the class that is open. Lives in the thread of ClassDesk; every call reads or writes files and a
/// database and takes as long as that takes. Values come out, nothing else does.
class ClassBench {
public:
    ClassBench(std::filesystem::path home, std::filesystem::path samples, lessons::Curriculum curriculum);
    ~ClassBench();

    Result<std::vector<ClassHead>> heads();
    /// Opened anew, so that what the command line did meanwhile is seen.
    Result<ClassState> state(const ClassRequest& request);
    /// Without names, for a projector.
    Result<classroom::ClassReport> nameless(const ClassRequest& request);
    /// Makes the assignment and writes its file to `out`. Errors: those of makeAssignment and of writing.
    Result<classroom::MadeAssignment> make(const classroom::NewAssignment& wanted, const std::filesystem::path& out);
    /// Files and folders, one after the other. Error "read-only" for the sample.
    Result<Collected> collect(const ClassRequest& request, const std::vector<std::filesystem::path>& places,
                              const JobHooks& hooks);
    /// Takes refused files off the list, each by its name or digest. Error "read-only" for the sample.
    Result<int> dismiss(const ClassRequest& request, const std::vector<std::string>& files);
    /// Whether work that could not be run again counts, as the assignment's teacher says. Gives how many were decided.
    /// Error "read-only" for the sample.
    Result<int> decide(const ClassRequest& request, const std::vector<OpenChoice>& choices);
    /// What was handed in under `learner` is the member's. Error "read-only" for the sample.
    Result<classroom::Person> join(const ClassRequest& request, const std::string& learner, const std::string& whom);
    Result<classroom::RegradeReport> regrade(const ClassRequest& request, const JobHooks& hooks);
    /// `format` is "moodle" or "canvas".
    Result<void> writeGrades(const ClassRequest& request, const std::string& format, const std::filesystem::path& file);
    /// Into a folder of the assignment's name below the class's own, over what was there.
    Result<FeedbackPages> writeFeedback(const ClassRequest& request);
    Result<RosterText> readRoster(const std::filesystem::path& file);
    Result<RosterText> takeRoster(const ClassRequest& request, const std::filesystem::path& file);
    /// What the live view needs.
    Result<LiveClass> live(const ClassRequest& request);
    /// The `.ridgeclass` once more.
    Result<void> writeAssignment(const ClassRequest& request, const std::filesystem::path& file);

private:
    Result<classroom::OpenClass*> open(const ClassRequest& request, bool anew = false);
    Result<std::vector<HandIn>> handIns(classroom::OpenClass& open, const classroom::ClassReport& report);

    std::filesystem::path m_home, m_samples;
    lessons::Curriculum m_curriculum;
    std::optional<classroom::OpenClass> m_open;
    std::string m_slug; ///< of m_open; empty: the sample
    bool m_sample = false;
    QTemporaryDir m_scratch; ///< of the sample, gone with the program
};

} // namespace ridge::app
