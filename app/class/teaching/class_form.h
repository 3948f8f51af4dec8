// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/class/teaching/class_desk.h"
#include "app/session/app_context.h"

#include <QWidget>

class QCheckBox;
class QDateTimeEdit;
class QHBoxLayout;
class QLabel;
class QLineEdit;
class QPushButton;
class QVBoxLayout;

namespace ridge::app {

class Banner;
class ColumnScroll;
class DropField;
class FeedbackFields;
class LessonPicker;

/// A new assignment: for which class, which lessons, until when, what learners are shown and when, who they are. One
/// export makes the class where it is a new one and writes the file that is given out.
class ClassForm : public QWidget {
    Q_OBJECT
public:
    ClassForm(AppContext& context, ClassDesk& desk, QWidget* parent = nullptr);
    /// For another assignment of a class that is there; empty: open which class it is for.
    void startFor(const QString& classTitle);
    classroom::NewAssignment wanted() const;
    /// "week-1.ridgeclass".
    QString fileName() const;
    /// Makes it and writes the file. `made` follows, or the banner says why not.
    void exportTo(const QString& path);
    ColumnScroll* scroll() const { return m_scroll; }
    QList<QWidget*> panes() const;
    LessonPicker* lessons() const { return m_lessons; }

Q_SIGNALS:
    void made(const QString& slug, const QString& assignment, const QString& file);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    QWidget* makeWho();
    QWidget* makeWhat();
    QWidget* makeWhen();
    QWidget* makeFeedback();
    QWidget* makeRoster();
    QWidget* makeFoot();
    void look();
    void chooseFile();
    void chooseRoster();
    void takeRoster(const QStringList& paths);
    void arrange();

    AppContext& m_context;
    ClassDesk& m_desk;
    ColumnScroll* m_scroll;
    Banner* m_banner;
    QLineEdit *m_name, *m_title, *m_teacher;
    QLabel *m_known, *m_count, *m_when, *m_summary, *m_missing;
    LessonPicker* m_lessons;
    QCheckBox* m_hasDeadline;
    QDateTimeEdit* m_deadline;
    FeedbackFields* m_feedback;
    DropField* m_roster;
    QLabel* m_rosterNotes;
    QPushButton* m_export;
    QHBoxLayout* m_halves;
    RosterText m_people;
    bool m_making = false;
};

} // namespace ridge::app
