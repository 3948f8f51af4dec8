// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/protocol.h"

#include <functional>
#include <map>
#include <set>

namespace ridge::record {

/// Makes one stream of events out of those of the tasks of an array job, each of which runs some points of a request.
/// Points arrive in the order in which they are done; each with its traces, and with a `started` before it where it
/// comes from another machine than the point before.
class SlurmMerge {
public:
    /// `tasks[t]` are the points of task t, as indices into the request's.
    SlurmMerge(RunRequest request, std::vector<std::vector<std::size_t>> tasks);

    /// Bytes that a task wrote.
    void feed(std::size_t task, std::string_view bytes);
    /// A task is over; `error` where it did not say so itself.
    void ended(std::size_t task, const Error& error);
    bool over() const { return m_open.empty(); }

    /// The encoded events so far, taken away. When all tasks are over the last event is among them.
    std::string take() { return std::exchange(m_out, {}); }
    std::size_t waiting() const { return m_out.size(); }
    /// Points that failed since the last call.
    std::vector<std::pair<std::size_t, Error>> takeFailures() { return std::exchange(m_newFailures, {}); }

private:
    struct Task {
        std::vector<std::size_t> points;
        std::set<std::size_t> done; ///< by index in the request
        EventReader reader;
        std::optional<StartedEvent> started;
        std::optional<SampleEvent> held; ///< waits for its traces
        std::vector<TraceEvent> traces;
        bool finished = false;
        std::optional<Error> error;
    };
    struct Tally {
        std::size_t passed = 0, seen = 0;
        std::string firstFailure;
    };

    void take(Task& task, Event&& event);
    void release(Task& task);
    void emitEvent(const Event& event) { m_out += encodeEvent(event); }
    void failPoint(std::size_t index, const Error& error);
    void conclude();

    RunRequest m_request;
    std::vector<Task> m_tasks;
    std::set<std::size_t> m_open;
    std::string m_out;
    JsonValue m_fingerprint; ///< of the last `started` that was sent
    bool m_greeted = false;
    std::size_t m_done = 0;
    std::string m_validity = "valid";
    double m_seconds = 0;
    std::vector<std::string> m_checkOrder;
    std::map<std::string, Tally> m_checks;
    std::map<std::size_t, Error> m_failures;
    std::vector<std::pair<std::size_t, Error>> m_newFailures;
};

} // namespace ridge::record
