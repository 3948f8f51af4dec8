// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "classroom/class_report.h"
#include "classroom/live/message.h"

#include <map>

namespace ridge::live {

/// What a session is about, from the teacher's own copies: a note about anything else is not kept.
struct SessionPlan {
    classroom::Assignment assignment;
    classroom::ClassKeys keys;
    std::string code; ///< as newCode gives it
    struct Question {
        std::string lesson, block, unit;
        bool operator==(const Question&) const = default;
    };
    std::vector<Question> questions; ///< the predict blocks of the assigned lessons
    int mostLearners = 1000;
};

/// A learner as the teacher sees one.
struct LiveLearner {
    std::string learner;      ///< pseudonym
    std::string lesson;       ///< where they worked last
    std::string step;         ///< the first that is not done there; empty: all are
    std::int64_t sinceMs = 0; ///< when this step was first seen, by the teacher's clock
    bool connected = false;
    std::map<std::string, StepNote> lessons;
    std::map<std::pair<std::string, std::string>, PredictionNote> predictions; ///< by lesson and block
};

/// What arrived that was no message of a learner of this session.
struct Refusals {
    std::uint64_t garbage = 0; ///< did not open, or said nothing that is a message
    std::uint64_t forged = 0;  ///< not signed by the key it names
    std::uint64_t behind = 0;  ///< replayed, or overtaken
    std::uint64_t wrongCode = 0, otherAssignment = 0, full = 0;
    std::uint64_t unknown = 0;     ///< about a lesson or block that was not assigned
    std::uint64_t connections = 0; ///< closed because they said nothing that reads
    bool operator==(const Refusals&) const = default;
};

/// All that a session holds. Values only: made in the session's thread, looked at in another.
struct BoardView {
    std::vector<LiveLearner> learners; ///< longest on a step first
    Refusals refusals;
    int connections = 0;
};

/// The memory of a session, bounded by learners times lessons and questions. Pure: time comes in, no socket.
class Board {
public:
    explicit Board(SessionPlan plan);

    const SessionPlan& plan() const { return m_plan; }
    /// Takes a message that readFrame has opened, or says why not.
    Ack take(const Message& message, std::int64_t nowMs);
    void setConnected(const std::string& publicKey, bool connected);
    Refusals& refusals() { return m_refusals; }
    int learners() const { return static_cast<int>(m_learners.size()); }
    BoardView view() const;

private:
    struct Entry {
        LiveLearner seen;
        std::uint64_t counter = 0;
    };
    bool keep(Entry& entry, const Note& note, std::int64_t nowMs) const;

    SessionPlan m_plan;
    std::map<std::string, Entry> m_learners; ///< by public key
    Refusals m_refusals;
};

/// The first step that is not done; empty where all are. A step that is kept back is passed over.
std::string stepOf(const StepNote& note);

} // namespace ridge::live
