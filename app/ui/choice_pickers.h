// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/session/app_context.h"
#include "app/ui/learner_choices.h"

#include <QWidget>

class QButtonGroup;
class QComboBox;

namespace ridge::app {

QString backgroundText(Experience background);
QString hoursText(int hoursAWeek);
QString weeksText(int weeks);

/// One question with its answers as buttons of which one is pressed; arrow keys go from one to the next.
class ChoiceGroup : public QWidget {
    Q_OBJECT
public:
    /// `columns`: answers a row.
    ChoiceGroup(Theme& theme, const QString& question, const QStringList& answers, const QStringList& helps,
                int columns, int chosen, QWidget* parent = nullptr);
    int chosen() const;

Q_SIGNALS:
    void changed();

private:
    QButtonGroup* m_group;
};

/// A list of the paths; choosing one saves it and tells everybody who shows paths.
QComboBox* makePathPicker(AppContext& context);

/// Saves and announces, when it is another choice than before.
void changeChoices(AppContext& context, const LearnerChoices& choices);

} // namespace ridge::app
