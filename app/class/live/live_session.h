// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/class/live/live_panel.h"
#include "classroom/live/board.h"
#include "classroom/live/place.h"

#include <QPointer>

class QThread;

namespace ridge::live {
class LiveHost;
}

namespace ridge::app {

/// The teacher's session: listens in a thread of its own, so that whatever arrives the window stays usable. There is
/// one for the program, found by the context that owns it; it ends with the program. GUI thread.
class LiveSession : public QObject {
    Q_OBJECT
public:
    static LiveSession& of(AppContext& context);
    ~LiveSession() override;

    /// On `port`, or any free one where that is taken. Errors: "live-unsealed" (no key that learners could seal to),
    /// "live-open" (there is a session), "live-listen".
    Result<void> open(const LiveClass& live, std::vector<live::SessionPlan::Question> questions,
                      std::uint16_t port = live::kPort);
    void end();

    bool isOpen() const { return m_host != nullptr; }
    const LiveClass& about() const { return m_about; }
    /// As people type it; empty while there is none.
    const std::string& code() const { return m_code; }
    /// As people type them: this computer's addresses with the port.
    const std::vector<std::string>& places() const { return m_places; }
    std::uint16_t port() const { return m_port; }
    /// As it was last told, at most a quarter of a second ago; stays when the session has ended.
    const live::BoardView& view() const { return m_view; }
    int here() const; ///< learners who are connected

Q_SIGNALS:
    void changed(); ///< opened or ended
    void told();    ///< view()

private:
    explicit LiveSession(AppContext& context);

    LiveClass m_about;
    live::BoardView m_view;
    std::string m_code;
    std::vector<std::string> m_places;
    std::uint16_t m_port = 0;
    live::LiveHost* m_host = nullptr; ///< in its thread, which deletes it
    QList<QPointer<QThread>> m_threads;
};

} // namespace ridge::app
