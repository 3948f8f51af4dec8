// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <optional>

namespace ridge::app {

/// What is said to somebody who looks at another window.
struct DesktopNotice {
    QString title, text;
    QString page; ///< opened when the notice is chosen: "lab/coalescing"
};

/// What the desktop around the window can show of it. GUI thread.
class Desktop : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    /// Takes the place of the notice before it: the newest is the one that counts.
    virtual void notify(const DesktopNotice& notice) = 0;
    /// The last notice is dealt with.
    virtual void withdraw() = 0;
    /// 0 to 1 on the entry in the taskbar; nothing takes it away.
    virtual void setProgress(std::optional<double> fraction) = 0;

Q_SIGNALS:
    /// A notice was chosen; `page` as it was given.
    void chosen(const QString& page);
};

} // namespace ridge::app
