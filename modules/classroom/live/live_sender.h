// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "classroom/live/message.h"
#include "classroom/live/place.h"

#include <QObject>
#include <memory>

namespace ridge::live {

/// How a learner's end waits, in milliseconds.
struct SenderPace {
    int connectMs = 10000;
    int ackMs = 20000;                  ///< without an acknowledgement the link counts as dropped
    int heartbeatMs = 30000;            ///< after which the newest step is said again
    int firstPauseMs = 1000;            ///< before the first new try; doubles with each,
    int longestPauseMs = 30000;         ///< up to this
    int giveUpMs = 10 * 60 * 1000;      ///< without an acknowledgement: the session is taken to be over
    int longestMs = 4 * 60 * 60 * 1000; ///< of one sharing, whatever happens
};

/// The learner's end of the live view. Between stop and start it has no socket. It reads acknowledgements of the one
/// fixed form that the class's key has signed, and nothing else that comes. Lives by the event loop of its thread.
class LiveSender : public QObject {
    Q_OBJECT
public:
    enum class State {
        Off,
        Connecting, ///< or waiting for the first acknowledgement
        Sharing,
        Waiting, ///< for the next try, after the link dropped
    };
    Q_ENUM(State)

    struct Session {
        SessionPlace place;
        std::string code;
        classroom::Assignment assignment;
        classroom::Identity identity;
    };

    explicit LiveSender(const SenderPace& pace = {}, QObject* parent = nullptr);
    ~LiveSender() override;

    /// Errors: "live-unsealed" (the assignment has no key to seal to): nothing is opened then.
    Result<void> start(const Session& session);
    void stop();
    /// All there is to tell now; what the session does not know yet is sent, in this order.
    void setNotes(std::vector<Note> notes);

    State state() const;
    bool isOn() const { return state() != State::Off; }
    /// What the session has acknowledged.
    std::vector<Note> taken() const;
    /// Why there is no link at the moment; empty message while there is one.
    Error trouble() const;
    /// Until the next try, in Waiting; else 0.
    int pauseMs() const;

Q_SIGNALS:
    void changed();
    /// It went off by itself. Codes: "live-ended" (the teacher ended the session), "live-wrong-code",
    /// "live-other-assignment", "live-full", "live-gave-up", "live-long" (longestMs).
    void ended(const ridge::Error& why);

private:
    struct Private;
    void connectNow();
    void lose(const Error& why);
    void end(const Error& why);
    void pump();
    void read();
    bool send(const Note& note);
    bool take(const Ack& ack);
    void setState(State state);
    std::unique_ptr<Private> d;
};

} // namespace ridge::live
