// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/learn/overview.h"

#include "app/home/lesson_progress.h"

#include <QVBoxLayout>

namespace ridge::app {

CurriculumOverview::CurriculumOverview(AppContext& context, QWidget* parent)
    : ColumnScroll(820, tr("Lessons"), parent), m_context(context)
{
    Theme& theme = context.theme();
    column()->addWidget(makeLabel(theme, tr("Learn"), TextStyle::ReadH1));
    const auto& curriculum = context.curriculum();
    column()->addWidget(
        makeText(theme,
                 curriculum.heads.size() == 1
                     ? tr("One lesson is written so far. The others appear here when they are.")
                     : tr("%1 lessons are written. The others appear here when they are.").arg(curriculum.heads.size()),
                 TextStyle::ReadBody, QStringLiteral("muted")));
    for (const lessons::Problem& problem : context.curriculumProblems()) {
        auto* banner = new Banner(theme);
        banner->setMessage(QString::fromStdString(problem.message),
                           QStringLiteral("%1:%2").arg(QString::fromStdString(problem.at.file)).arg(problem.at.line),
                           true);
        banner->show();
        column()->addWidget(banner);
    }
    for (const lessons::ModuleInfo& module : curriculum.modules)
        addModule(module);
    column()->addStretch(1);
}

void CurriculumOverview::addModule(const lessons::ModuleInfo& module)
{
    Theme& theme = m_context.theme();
    const QString title = QString::fromStdString(module.title);
    std::vector<const lessons::Lesson*> written;
    for (const lessons::Lesson& lesson : m_context.curriculum().heads)
        if (lesson.module == module.number)
            written.push_back(&lesson);

    auto* block = new QWidget;
    block->setAccessibleName(tr("Module %1, %2").arg(module.number).arg(title));
    auto* column = new QVBoxLayout(block);
    column->setContentsMargins(0, space::s, 0, 0);
    column->setSpacing(space::xs);
    column->addWidget(makeText(theme, QStringLiteral("%1  %2").arg(module.number).arg(title), TextStyle::ReadH3,
                               written.empty() ? QStringLiteral("hint") : QString()));
    if (!module.promise.empty())
        column->addWidget(makeText(theme, QString::fromStdString(module.promise), TextStyle::Body,
                                   written.empty() ? QStringLiteral("hint") : QStringLiteral("muted")));
    if (written.empty()) {
        column->addWidget(makeText(theme, tr("Not written yet"), TextStyle::Caption, QStringLiteral("hint")));
    } else {
        auto* card = new Card(title);
        card->column()->setContentsMargins(space::s, space::s, space::s, space::s);
        card->column()->setSpacing(0);
        for (const lessons::Lesson* lesson : written) {
            auto* row = new LessonRow(theme, *lesson, lessonProgress(m_context, lesson->id));
            connect(row, &LessonRow::clicked, this,
                    [this, row] { Q_EMIT m_context.openRequested(QStringLiteral("lesson/") + row->lessonId()); });
            m_rows.push_back(row);
            card->column()->addWidget(row);
        }
        column->addSpacing(space::xs);
        column->addWidget(card);
    }
    this->column()->addWidget(block);
}

void CurriculumOverview::refreshProgress()
{
    for (LessonRow* row : m_rows)
        row->setProgress(lessonProgress(m_context, row->lessonId().toStdString()));
}

} // namespace ridge::app
