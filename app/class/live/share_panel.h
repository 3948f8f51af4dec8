// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/session/app_context.h"
#include "classroom/assignment.h"

#include <QWidget>

namespace ridge::app {

/// The learner's side of the live view, for one assignment: address and code, what would go along, and the switch.
/// Nothing is sent, and no socket opened, while it is off.
class SharePanel : public QWidget {
    Q_OBJECT
public:
    explicit SharePanel(AppContext& context, QWidget* parent = nullptr);
    ~SharePanel() override;

    void setAssignment(const classroom::Assignment& assignment);

private:
    struct Parts;
    std::unique_ptr<Parts> d;
};

} // namespace ridge::app
