// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/session/app_context.h"

#include <QTreeWidget>

namespace ridge::app {

/// The lessons of the chosen path, in its order, beside the page that is read; without paths, the modules. What is not
/// written yet stays visible and cannot be chosen.
class LessonOutline : public QTreeWidget {
    Q_OBJECT
public:
    explicit LessonOutline(AppContext& context, QWidget* parent = nullptr);
    void setCurrentLesson(const QString& lessonId);
    void refreshProgress();

Q_SIGNALS:
    void chosen(const QString& page); ///< "learn", "module/<number>" or "lesson/<id>"

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void fill();
    void addPart(const QString& title, const std::vector<std::string>& ids);
    void choose(QTreeWidgetItem* item);

    AppContext& m_context;
    QHash<QString, QTreeWidgetItem*> m_items;
    QTreeWidgetItem* m_module = nullptr; ///< leads to the module of the lesson that is read
};

} // namespace ridge::app
