// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/session/desktop/desktop.h"

#include <memory>

namespace ridge::app {

/// The desktop of a Linux session, over its D-Bus: org.freedesktop.Notifications (Desktop Notifications Specification
/// 1.2) and the signal com.canonical.Unity.LauncherEntry.Update, which the docks of Ubuntu, Plasma and others draw.
/// The bus is opened with the first thing to say. Without one, or where nobody listens, nothing happens; nothing waits
/// for an answer.
class SessionDesktop : public Desktop {
    Q_OBJECT
public:
    /// `address` of the bus; empty: none.
    explicit SessionDesktop(const QString& address = sessionBus(), QObject* parent = nullptr);
    ~SessionDesktop() override;

    void notify(const DesktopNotice& notice) override;
    void withdraw() override;
    void setProgress(std::optional<double> fraction) override;

    /// Where this session says that its bus is, if it does: a bus is never started for our sake.
    static QString sessionBus();

private Q_SLOTS:
    void takeAction(uint id, const QString& action);

private:
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace ridge::app
