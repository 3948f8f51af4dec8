// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/theme/theme.h"
#include "lessons/curriculum.h"

#include <QTreeWidget>

namespace ridge::app {

/// Every lesson and capstone that is written, by module, to be ticked; with minutes. Space ticks what is marked.
class LessonPicker : public QTreeWidget {
    Q_OBJECT
public:
    LessonPicker(Theme& theme, const lessons::Curriculum& curriculum, QWidget* parent = nullptr);

    std::vector<std::string> chosen() const; ///< ids, in the order of the curriculum
    int minutes() const;                     ///< of what is ticked
    int lessons() const;
    void untickAll();
    QTreeWidgetItem* itemOf(const std::string& id) const; ///< null for a lesson that is not there

Q_SIGNALS:
    void choiceChanged();

private:
    std::vector<QTreeWidgetItem*> all() const;
};

} // namespace ridge::app
