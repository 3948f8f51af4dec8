// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/session/app_context.h"

#include <QAbstractButton>

class QPainter;

namespace ridge::app {

/// How far a learner is in a lesson, from stored rows; only `opened` is a preference of this machine.
struct LessonProgress {
    bool opened = false, predicted = false, ran = false, shipped = false;
    bool operator==(const LessonProgress&) const = default;
};

/// The progress in every lesson, read from the record at once: what a list of lessons shows.
class CourseProgress {
public:
    explicit CourseProgress(AppContext& context);
    LessonProgress of(const std::string& lessonId) const;

private:
    QStringList m_recent;
    record::LessonMarks m_marks;
};

QString progressText(const LessonProgress& progress); ///< "Predicted and ran", "Shipped", "Not started"

/// The signature mark as progress: the diamond when predicted, the line and dot when run, the dot in the accent
/// colour when shipped; what is still open stays pale. `ground` is what it stands on: hollow marks show it.
void paintProgress(QPainter& painter, const QRectF& area, const Theme& theme, const LessonProgress& progress,
                   Role ground);

/// Lessons opened on this machine, newest first: what Continue goes by.
QStringList recentLessons();
void noteLessonOpened(const QString& lessonId);

/// The lesson Continue leads to: the last opened one that is not shipped, else the first unshipped one
/// along the chosen path, then in curriculum order, else the last opened. Null when no lesson is written.
const lessons::Lesson* nextLesson(AppContext& context);

/// One lesson in a list: number, title, minutes, mark. A button.
class LessonRow : public QAbstractButton {
    Q_OBJECT
public:
    LessonRow(Theme& theme, const lessons::Lesson& lesson, const LessonProgress& progress, QWidget* parent = nullptr);
    QString lessonId() const { return m_id; }
    void setProgress(const LessonProgress& progress);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent*) override;
    void enterEvent(QEnterEvent*) override { update(); }
    void leaveEvent(QEvent*) override { update(); }

private:
    void describe();

    Theme& m_theme;
    QString m_id;
    int m_minutes;
    LessonProgress m_progress;
};

} // namespace ridge::app
