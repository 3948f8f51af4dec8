// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/session/app_context.h"

#include <QToolButton>

namespace ridge::app {

/// In the status line, and only while something goes over the network: the learner's switch is on, or a session is
/// open. Its menu says what, and ends it.
class LiveIndicator : public QToolButton {
    Q_OBJECT
public:
    explicit LiveIndicator(AppContext& context, QWidget* parent = nullptr);

private:
    void refresh();
    void fill(QMenu* menu);

    AppContext& m_context;
};

} // namespace ridge::app
