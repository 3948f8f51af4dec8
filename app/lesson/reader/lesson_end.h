// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/lesson/reader/prose_view.h"
#include "app/ui/themed_label.h"

class QPushButton;

namespace ridge::app {

/// The block in which a check can be met: the first that is still open where it names several. Empty: none of the page.
std::string blockOfCheck(const LessonState& state, const lessons::CheckSpec& check);

/// The lesson after this one: the next of the chosen path that is written and not met, before it the module's capstone
/// where this was the module's last lesson on the path. Null: there is none.
const lessons::Lesson* lessonAfter(AppContext& context, const lessons::Lesson& lesson);

/// Where a lesson stands, said where it ends: met, or what is still open and the way there; the artifact; what comes
/// next; the kernel tasks that go with the lesson.
class LessonEnd : public QWidget {
    Q_OBJECT
public:
    enum class Place { Page, Shipped }; ///< below the checks, or in the artifact block, which opens the artifact itself
    LessonEnd(const ReaderContext& context, Place place, QWidget* parent = nullptr);

private:
    void refresh();
    void showOpen(const std::vector<std::pair<QString, std::string>>& open, int kept);
    void showNext(bool met);
    void addTasks();

    ReaderContext m_context;
    Place m_place;
    ThemedLabel* m_headline;
    ThemedLabel* m_open;
    QPushButton* m_go;
    QPushButton* m_next;
    QPushButton* m_artifact;
    std::string m_goTo, m_nextId;
    std::optional<bool> m_wasMet;
};

} // namespace ridge::app
