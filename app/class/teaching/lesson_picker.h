// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/theme/theme.h"
#include "lessons/curriculum.h"

#include <QTreeWidget>

namespace ridge::app {

/// Every lesson and capstone that is written, by module, and the kernels that can be asked for, to be ticked; lessons
/// with minutes. Space ticks what is marked.
class LessonPicker : public QTreeWidget {
    Q_OBJECT
public:
    LessonPicker(Theme& theme, const lessons::Curriculum& curriculum, QWidget* parent = nullptr);

    std::vector<std::string> chosen() const; ///< ids, in the order of the curriculum, kernels last
    int kernels() const;                     ///< of those chosen
    int minutes() const;                     ///< of the lessons that are ticked; nobody knows how long a kernel takes
    int lessons() const;
    void untickAll();
    QTreeWidgetItem* itemOf(const std::string& id) const; ///< null for a lesson that is not there

Q_SIGNALS:
    void choiceChanged();

private:
    std::vector<QTreeWidgetItem*> all() const;
};

} // namespace ridge::app
