// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/class/assignments/assignments_view.h"

#include "app/class/assignments/assigned_lessons.h"
#include "app/class/assignments/assignment_text.h"
#include "app/ui/panels.h"
#include "record/clock.h"

#include <QHBoxLayout>
#include <QVBoxLayout>

namespace ridge::app {
namespace {

QString text(const std::string& value)
{
    return QString::fromStdString(value);
}

} // namespace

AssignmentsView::AssignmentsView(AppContext& context, QWidget* parent)
    : QWidget(parent), m_context(context), m_column(new QVBoxLayout(this))
{
    setAccessibleName(tr("Your assignments"));
    m_column->setContentsMargins(0, 0, 0, 0);
    m_column->setSpacing(space::l);
    connect(&context.feedback(), &FeedbackWatch::changed, this, &AssignmentsView::refresh);
    refresh();
}

void AssignmentsView::refresh()
{
    while (QLayoutItem* item = m_column->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    const auto accepted = classroom::acceptedAssignments(m_context.feedback().home());
    m_assignments = static_cast<int>(accepted.assignments.size());
    for (const Error& problem : accepted.problems) {
        auto* banner = new Banner(m_context.theme());
        banner->setError(problem);
        banner->setClosable(false);
        banner->show();
        m_column->addWidget(banner);
    }
    for (const classroom::Assignment& assignment : accepted.assignments)
        addAssignment(assignment);
    if (accepted.assignments.empty())
        addEmpty();
    m_column->addStretch(1);
}

void AssignmentsView::addAssignment(const classroom::Assignment& assignment)
{
    Theme& theme = m_context.theme();
    const QString title = text(assignment.title);
    const std::string now = record::timeStamp().toStdString();
    auto* card = new Card(title);
    QVBoxLayout* column = card->column();
    if (!assignment.teacher.empty())
        column->addWidget(makeText(theme, text(assignment.teacher), TextStyle::Caption, QStringLiteral("hint")));
    column->addWidget(makeText(theme, title, TextStyle::ReadH3));
    const bool late = !assignment.deadline.empty() && now > assignment.deadline;
    column->addWidget(makeText(theme, deadlineText(assignment, now), TextStyle::Body,
                               late ? QStringLiteral("warn") : QStringLiteral("muted")));
    QStringList ids;
    for (const classroom::AssignedLesson& lesson : assignment.lessons)
        ids << text(lesson.id);
    const auto [done, all] = stepsDone(standingsOf(m_context, assignment));
    column->addWidget(
        makeText(theme, tr("Lessons %1 · %2 of %3 steps done").arg(ids.join(QStringLiteral(", "))).arg(done).arg(all),
                 TextStyle::Body, QStringLiteral("muted")));
    QPushButton* open = makeButton(tr("Open"), tr("Lessons, what you are shown when, and handing in"), true);
    open->setAccessibleName(tr("Open the assignment %1").arg(title));
    open->setObjectName(QStringLiteral("assignment-") + text(assignment.id));
    connect(open, &QPushButton::clicked, this,
            [this, id = text(assignment.id)] { Q_EMIT m_context.openRequested(QStringLiteral("assignment/") + id); });
    column->addWidget(open, 0, Qt::AlignLeft);
    m_column->addWidget(card);
}

void AssignmentsView::addEmpty()
{
    Theme& theme = m_context.theme();
    auto* card = new Card(tr("No assignment yet"));
    card->column()->addWidget(makeText(theme, tr("No assignment yet"), TextStyle::ReadH3));
    card->column()->addWidget(makeText(theme,
                                       tr("Your teacher gives you a .ridgeclass file. Double-click it, drop it on this "
                                          "window, or open it here."),
                                       TextStyle::Body, QStringLiteral("muted")));
    if (QAction* action = m_context.actions().find(QStringLiteral("file.open"))) {
        QPushButton* open = makeButton(tr("Open a file…"), tr("Chooses the .ridgeclass file (Ctrl+O)"));
        open->setObjectName(QStringLiteral("openFile"));
        connect(open, &QPushButton::clicked, action, &QAction::trigger);
        card->column()->addWidget(open, 0, Qt::AlignLeft);
    }
    m_column->addWidget(card);
}

} // namespace ridge::app

#include "moc_assignments_view.cpp"
