// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/theme/theme.h"
#include "classroom/assignment.h"

#include <QWidget>

class QComboBox;
class QLabel;

namespace ridge::app {

/// "How far predictions were off", for each of classroom::steps(): as a teacher says it.
QString heldBackBy(const std::string& step);

/// When learners see what came of each step.
class FeedbackFields : public QWidget {
    Q_OBJECT
public:
    explicit FeedbackFields(Theme& theme, QWidget* parent = nullptr);
    std::map<std::string, classroom::FeedbackWhen> policy() const; ///< only steps that are not shown at once
    /// Without a deadline nothing can be shown after it.
    void setDeadline(bool there);
    QComboBox* field(const std::string& step) const;

private:
    std::map<std::string, QComboBox*> m_fields;
};

} // namespace ridge::app
