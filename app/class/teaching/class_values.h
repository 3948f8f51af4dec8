// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "classroom/class_report.h"
#include "classroom/collect.h"

#include <QString>

namespace ridge::app {

/// A class among others, as its card shows it.
struct ClassHead {
    std::string slug, title;
    int assignments = 0;
    std::string newest, deadline; ///< of the newest assignment; the deadline may be empty
    int handedIn = 0, people = 0; ///< of the newest assignment; on the roster
    std::optional<Error> trouble; ///< the class is there and cannot be opened
};

/// Which assignment of which class is meant. An empty assignment is the newest.
struct ClassRequest {
    std::string slug, assignment;
    bool sample = false; ///< the class that ships with the program; nothing about it can be changed
    bool operator==(const ClassRequest&) const = default;
};

/// What came, and what did not, for one assignment: a line for everybody on the roster, everybody who handed in, and
/// every file that could not be taken.
struct HandIn {
    enum class State { InTime, Late, Missing, Odd };
    State state = State::Missing;
    classroom::Person who; ///< of a file that could not be taken: as far as its name tells it
    std::string file, submittedAt;
    std::vector<std::string> hardware;
    std::string note;   ///< why it is odd, or what was noticed about it
    std::string digest; ///< of an odd file; empty: it could not be read at all
    bool checkedAgain = false;
};

struct AssignmentHead {
    std::string id, title, deadline, key;                     ///< `key`: its public key, as learners see it
    std::vector<std::pair<std::string, std::string>> lessons; ///< id and title
    bool operator==(const AssignmentHead&) const = default;
};

/// Everything that the page of a class shows. A value: it comes out of the thread that has the class open.
struct ClassState {
    ClassRequest of; ///< with the assignment's id
    std::string title;
    std::vector<AssignmentHead> assignments; ///< oldest first
    classroom::ClassReport report;
    std::vector<record::MemberRow> members;
    std::vector<HandIn> handIns; ///< by name, odd files last

    const AssignmentHead* shown() const;
    int count(HandIn::State state) const;
};

/// What several collections gave together.
struct Collected {
    classroom::CollectReport report;
    bool stopped = false;
};

struct RosterText {
    std::string text, place;
    int people = 0;
    std::vector<std::string> notes;
};

struct FeedbackPages {
    int count = 0;
    std::filesystem::path folder;
};

/// "Ada Lovelace", or the pseudonym where the roster does not know somebody.
QString shownName(const classroom::Person& person);

} // namespace ridge::app
