// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/session/app_context.h"
#include "classroom/live/live_sender.h"

class QTimer;

namespace ridge::app {

/// The learner's switch. There is one for the program, which views find by the context that owns it, so that it stays
/// on when its page is left and goes off at the end of the program. While it is off there is no socket. GUI thread.
class LiveShare : public QObject {
    Q_OBJECT
public:
    static LiveShare& of(AppContext& context);

    /// Errors: "live-address", "live-code", "live-unsealed", those of ownIdentity; nothing is opened then.
    Result<void> start(const classroom::Assignment& assignment, const std::string& place, const std::string& code);
    void stop();

    bool isOn() const { return m_sender.isOn(); }
    /// Id of the assignment that is shared; empty while it is off.
    std::string assignment() const { return isOn() ? m_assignment.id : std::string(); }
    const std::string& teacher() const { return m_assignment.teacher; }
    /// What start() was given last, for fields that are made anew.
    const std::string& typedPlace() const { return m_typedPlace; }
    const std::string& typedCode() const { return m_typedCode; }
    const live::LiveSender& sender() const { return m_sender; }
    /// What the class will know the learner by; empty where the key cannot be read.
    QString pseudonym() const;
    /// What would be told about an assignment now. Reads the store.
    std::vector<live::Note> preview(const classroom::Assignment& assignment) const;

Q_SIGNALS:
    void changed();

private:
    explicit LiveShare(AppContext& context);
    void refresh();

    AppContext& m_context;
    live::LiveSender m_sender;
    classroom::Assignment m_assignment;
    std::vector<lessons::Lesson> m_lessons;
    std::string m_typedPlace, m_typedCode;
    QTimer* m_soon;
};

} // namespace ridge::app
