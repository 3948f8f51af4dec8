// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/session/app_context.h"
#include "classroom/class_report.h"

#include <QWidget>
#include <memory>

namespace ridge::app {

/// Everything that a ClassReport knows, for the person who teaches: learners and steps, where the class is stuck, what
/// it predicted, what it got wrong, on which machines, and how the work is distributed. No ranks: learners stand in the
/// order of their names, distributions carry none. GUI thread; reads no file and no database.
class ClassDashboard : public QWidget {
    Q_OBJECT
public:
    explicit ClassDashboard(AppContext& context, QWidget* parent = nullptr);
    ~ClassDashboard() override;

    /// What was chosen (view, question, what is revealed) stays where the new report still has it.
    void setReport(classroom::ClassReport report);
    const classroom::ClassReport& report() const;

    /// Large type and nobody's name or pseudonym, whatever the report says; the matrix of learners is left out.
    void setProjector(bool on);
    bool projector() const;

    /// Where F6 goes.
    QList<QWidget*> panes() const;

Q_SIGNALS:
    void lessonRequested(const QString& lesson); ///< "1.1"

private:
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace ridge::app
