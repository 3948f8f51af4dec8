// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/session/app_context.h"
#include "classroom/assignment.h"

#include <QWidget>

class QVBoxLayout;

namespace ridge::app {

/// The assignments that this learner has accepted, newest first: teacher, deadline, how far each is, and the way in.
/// One that no longer reads says so. GUI thread.
class AssignmentsView : public QWidget {
    Q_OBJECT
public:
    explicit AssignmentsView(AppContext& context, QWidget* parent = nullptr);
    /// Reads RIDGE_HOME/assignments and the store again.
    void refresh();
    int assignments() const { return m_assignments; }

private:
    void addAssignment(const classroom::Assignment& assignment);
    void addEmpty();

    AppContext& m_context;
    QVBoxLayout* m_column;
    int m_assignments = 0;
};

} // namespace ridge::app
