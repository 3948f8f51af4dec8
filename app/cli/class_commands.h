// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cli/console.h"

#include <cstdint>

namespace ridge::cli {

/// `ridge class VERB`; each verb reads its own.
struct ClassOptions {
    std::string verb;
    std::string name, title, deadline, roster, teacher;
    std::vector<std::string> lessons;
    std::vector<std::string> feedback; ///< "passed=deadline"
    bool unsealed = false;
    std::string from;                  ///< new: an assignment file that exists, for a generated or moved class
    std::string className, assignment; ///< which one; empty: the only class, the newest assignment
    std::string database;              ///< PostgreSQL; empty: as the class was made
    std::string path;                  ///< accept: file; collect: folder; roster: CSV
    std::string out;
    std::string format;             ///< grades: "moodle" or "canvas"
    std::string learnerName;        ///< submit: given only when wanted
    std::string whom, text, lesson; ///< remark; whom: forget and export, too
    bool withoutReasons = false, withoutArtifacts = false, withJournal = false, withNotes = false, withTraces = false;
    std::string kernelTarget; ///< regrade
    bool gpu = false, hideNames = false, yes = false, accept = false, leave = false, json = false;
};

struct GenerateLearnersOptions {
    int learners = 30;
    std::uint64_t seed = 1;
    int odd = 0;
    std::string out;
    std::string assignment; ///< a .ridgeclass; empty: that of the only class, else one is made
    std::vector<std::string> lessons;
    bool json = false;
};

// Each command returns an ExitCode.
int classCommand(const ClassOptions& options);
int classJoin(const ClassOptions& options);
int classForget(const ClassOptions& options);
int classExport(const ClassOptions& options);
int generateLearnersCommand(const GenerateLearnersOptions& options);

} // namespace ridge::cli
