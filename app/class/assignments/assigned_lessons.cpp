// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/class/assignments/assigned_lessons.h"

#include "app/class/assignments/assignment_text.h"
#include "app/ui/panels.h"
#include "base/hash.h"
#include "base/json.h"
#include "classroom/kernel_work.h"

#include <QGridLayout>
#include <QPainter>

namespace ridge::app {
namespace {

enum class Mark { Open, Done, Held };

QString markText(Mark mark)
{
    return mark == Mark::Done   ? AssignedLessons::tr("done")
           : mark == Mark::Held ? AssignedLessons::tr("shown later")
                                : AssignedLessons::tr("open");
}

/// Filled: done; ring: open; dash: shown later. Form tells as much as colour.
class StepMark : public QWidget {
public:
    StepMark(Theme& theme, Mark mark, const QString& name) : m_theme(theme), m_mark(mark)
    {
        setFixedSize(theme.scaled(18), theme.scaled(18));
        setAccessibleName(name);
        setToolTip(name);
        connect(&theme, &Theme::changed, this, [this] {
            setFixedSize(m_theme.scaled(18), m_theme.scaled(18));
            update();
        });
    }

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        const QPointF centre = QRectF(rect()).center();
        const double radius = m_theme.scaled(5);
        if (m_mark == Mark::Held) {
            painter.setPen(QPen(m_theme.color(Role::Text3), 2));
            painter.drawLine(centre - QPointF(radius, 0), centre + QPointF(radius, 0));
            return;
        }
        const bool done = m_mark == Mark::Done;
        painter.setPen(QPen(m_theme.color(done ? Role::Accent : Role::BorderStrong), 1.5));
        painter.setBrush(done ? QBrush(m_theme.color(Role::Accent)) : Qt::NoBrush);
        painter.drawEllipse(centre, radius, radius);
    }

private:
    Theme& m_theme;
    Mark m_mark;
};

template<class Rows>
void take(Result<Rows> from, Rows& to)
{
    if (from)
        to = std::move(*from);
}

record::LearnerRows rowsOf(const record::Store& store, const std::string& lesson)
{
    record::LearnerRows rows;
    record::RunFilter filter;
    filter.lesson = lesson;
    take(store.runs(filter), rows.runs);
    take(store.predictions(lesson), rows.predictions);
    take(store.answers(lesson), rows.answers);
    take(store.artifacts(lesson), rows.artifacts);
    for (const record::PredictionRow& prediction : rows.predictions)
        if (const auto reasons = store.reasons(prediction.id))
            rows.reasons.insert(rows.reasons.end(), reasons->begin(), reasons->end());
    return rows;
}

AssignedStanding kernelStanding(AppContext& context, const classroom::AssignedLesson& assigned, AssignedStanding one)
{
    const auto own = classroom::assignedKernel(assigned.id);
    one.kernel = true;
    one.here = own.ok();
    one.sameText = own && sha256Hex(own->text) == assigned.digest;
    if (const record::Store* store = context.store(); store && own)
        one.steps = classroom::gradeKernelWork(assigned.id, rowsOf(*store, assigned.id)).steps;
    return one;
}

std::array<std::pair<const char*, Mark>, 5> marksOf(const AssignedStanding& lesson)
{
    const auto mark = [](bool done) { return done ? Mark::Done : Mark::Open; };
    const classroom::LessonSteps& steps = lesson.steps;
    return {{{"predicted", mark(steps.predicted)},
             {"ran", mark(steps.ran)},
             {"passed", lesson.passedHeld.isEmpty() ? mark(steps.passed) : Mark::Held},
             {"shipped", mark(steps.shipped)},
             {"explained", mark(steps.explained)}}};
}

} // namespace

std::vector<AssignedStanding> standingsOf(AppContext& context, const classroom::Assignment& assignment)
{
    std::vector<AssignedStanding> all;
    for (const classroom::AssignedLesson& assigned : assignment.lessons) {
        AssignedStanding one;
        one.id = assigned.id;
        one.title = QString::fromStdString(assigned.title);
        one.passedHeld = context.feedback().why(assigned.id, Outcome::Check);
        if (classroom::isKernelLesson(assigned.id)) {
            all.push_back(kernelStanding(context, assigned, std::move(one)));
            continue;
        }
        const auto lesson = lessons::loadLesson(context.curriculum(), assigned.id);
        one.here = lesson.ok();
        if (lesson) {
            one.minutes = lesson->minutes;
            const auto text = readFile(context.curriculum().root / lesson->at.file);
            one.sameText = text && sha256Hex(*text) == assigned.digest;
            if (const record::Store* store = context.store())
                one.steps = classroom::gradeLesson(*lesson, rowsOf(*store, assigned.id)).steps;
        }
        all.push_back(std::move(one));
    }
    return all;
}

std::pair<int, int> stepsDone(const std::vector<AssignedStanding>& lessons)
{
    int done = 0, all = 0;
    for (const AssignedStanding& lesson : lessons)
        for (const auto& [step, mark] : marksOf(lesson)) {
            done += mark == Mark::Done;
            ++all;
        }
    return {done, all};
}

AssignedLessons::AssignedLessons(AppContext& context, const std::vector<AssignedStanding>& lessons, bool open,
                                 QWidget* parent)
    : QWidget(parent)
{
    Theme& theme = context.theme();
    setAccessibleName(tr("Lessons"));
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(space::m);
    grid->setVerticalSpacing(space::m);
    grid->setColumnStretch(0, 1);
    int row = 0;
    if (open) {
        int column = 1;
        for (const std::string& step : classroom::steps())
            grid->addWidget(makeLabel(theme, stepTitle(step), TextStyle::Caption, QStringLiteral("hint")), row,
                            column++, Qt::AlignHCenter);
        ++row;
    }
    for (const AssignedStanding& lesson : lessons) {
        const QString name = QStringLiteral("%1  %2").arg(QString::fromStdString(lesson.id), lesson.title);
        auto* words = new QVBoxLayout;
        words->setSpacing(2);
        words->addWidget(makeText(theme, name, TextStyle::Strong));
        const QString odd =
            !lesson.here       ? tr("Not in this version of Ridgepoint: update it to take this lesson.")
            : !lesson.sameText ? tr("Your copy of this lesson is not the one that was assigned; your teacher's counts.")
                               : QString();
        if (lesson.kernel && lesson.here)
            words->addWidget(makeText(theme,
                                      tr("A kernel to write. Open shows what is asked; Grade tells whether it is right "
                                         "and how good, and what you keep there is what you hand in."),
                                      TextStyle::Caption, QStringLiteral("muted")));
        if (!odd.isEmpty()) {
            QLabel* note = makeText(theme, odd, TextStyle::Caption, QStringLiteral("warn"));
            note->setObjectName(QStringLiteral("odd"));
            words->addWidget(note);
        }
        grid->addLayout(words, row, 0);
        if (!open && lesson.here && !lesson.kernel)
            grid->addWidget(
                makeLabel(theme, tr("%1 min").arg(lesson.minutes), TextStyle::Body, QStringLiteral("muted")), row, 1,
                Qt::AlignTop | Qt::AlignRight);
        if (open) {
            QStringList spoken;
            int column = 1;
            for (const auto& [step, mark] : marksOf(lesson)) {
                const QString said = tr("%1: %2").arg(stepTitle(step), markText(mark));
                spoken << said;
                grid->addWidget(new StepMark(theme, mark, tr("Lesson %1, %2").arg(name, said)), row, column++,
                                Qt::AlignCenter);
            }
            QPushButton* go =
                makeButton(tr("Open"), tr("Opens lesson %1. %2").arg(name, spoken.join(QStringLiteral(". "))));
            go->setAccessibleName(tr("Open lesson %1").arg(name));
            go->setObjectName(QStringLiteral("open-") + QString::fromStdString(lesson.id));
            go->setEnabled(lesson.here);
            const QString place = QString::fromStdString(classroom::pageOfLesson(lesson.id));
            connect(go, &QPushButton::clicked, this, [&context, place] { Q_EMIT context.openRequested(place); });
            grid->addWidget(go, row, column, Qt::AlignVCenter);
        }
        ++row;
    }
}

} // namespace ridge::app

#include "moc_assigned_lessons.cpp"
