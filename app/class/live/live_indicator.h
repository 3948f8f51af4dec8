// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/session/app_context.h"

#include <QToolButton>

namespace ridge::app {

/// In the status line, what goes over the network: nothing ("Offline"), a learner's live notes, a teacher's session,
/// runs on another machine. Its menu says what that is, and ends it.
class LiveIndicator : public QToolButton {
    Q_OBJECT
public:
    explicit LiveIndicator(AppContext& context, QWidget* parent = nullptr);
    bool isLive() const; ///< the learner's switch is on, or a session is open

private:
    void refresh();
    void fill(QMenu* menu);
    QString machine() const; ///< where runs of the chosen target go; empty: they stay here

    AppContext& m_context;
};

} // namespace ridge::app
