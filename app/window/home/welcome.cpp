// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/home/welcome.h"

#include "app/ui/icons.h"
#include "lessons/placement.h"

#include <QHBoxLayout>
#include <QVBoxLayout>

namespace ridge::app {

WelcomeCard::WelcomeCard(AppContext& context, QWidget* parent) : Card(tr("Welcome"), parent), m_context(context)
{
    Theme& theme = context.theme();
    column()->setContentsMargins(space::xl, space::xl, space::xl,
                                 space::xl); // its text stands above that of the cards below
    column()->setSpacing(space::m);
    auto* head = new QHBoxLayout;
    head->setSpacing(space::l);
    auto* mark = new QLabel;
    const auto paint = [mark, &theme] {
        mark->setPixmap(iconPixmap(QStringLiteral("ridgepoint"), theme.color(Role::Accent), theme.scaled(40), 2.0));
    };
    paint();
    connect(&theme, &Theme::changed, mark, paint);
    mark->setAccessibleName(tr("Ridgepoint"));
    head->addWidget(mark);
    head->addWidget(makeText(theme, tr("Predict it, run it, keep it"), TextStyle::ReadH1), 1);
    column()->addLayout(head);
    column()->addWidget(makeText(theme,
                                 tr("Each lesson asks for a number before you run anything. You commit to a guess, the "
                                    "experiment answers, and both stay on one axis. It needs no GPU, no account and no "
                                    "network."),
                                 TextStyle::ReadBody, QStringLiteral("muted")));
    const auto& curriculum = context.curriculum();
    const LearnerChoices kept = learnerChoices();
    QStringList titles, abouts;
    int chosen = 0;
    for (const lessons::LessonPath& path : curriculum.paths) {
        if (QString::fromStdString(path.id) == kept.path)
            chosen = int(titles.size());
        titles << QString::fromStdString(path.title);
        abouts << QString::fromStdString(path.about);
    }
    m_goal = new ChoiceGroup(theme, tr("You are, or want to be"), titles, abouts, 4, chosen);
    m_goal->setVisible(!titles.isEmpty());
    QStringList backgrounds;
    for (const Experience one : {Experience::New, Experience::Programmer, Experience::Cuda})
        backgrounds << backgroundText(one);
    m_background = new ChoiceGroup(theme, tr("You bring"), backgrounds,
                                   {tr("The foundations come first, whatever the path"), tr("The path as it is"),
                                    tr("The foundations come last; leave out what you know")},
                                   3, int(kept.background));
    QStringList hours;
    int time = 1;
    for (std::size_t i = 0; i < kHoursAWeek.size(); ++i) {
        hours << hoursText(kHoursAWeek[i]);
        if (kHoursAWeek[i] == kept.hoursAWeek)
            time = int(i);
    }
    m_time = new ChoiceGroup(theme, tr("You have"), hours, {}, 3, time);
    for (ChoiceGroup* group : {m_goal, m_background, m_time}) {
        column()->addSpacing(space::xs);
        column()->addWidget(group);
        connect(group, &ChoiceGroup::changed, this, &WelcomeCard::showStart);
    }
    column()->addSpacing(space::s);
    auto* row = new QHBoxLayout;
    row->setSpacing(space::m);
    m_start = makeButton({}, tr("Keeps these choices and opens the first lesson"), true);
    m_skip = makeButton(tr("Skip"), tr("Goes to Home; the choices can be made there at any time"));
    m_skip->setFlat(true);
    m_leads = makeText(theme, {}, TextStyle::Body, QStringLiteral("hint"));
    row->addWidget(m_start);
    if (lessons::hasPlacement(context.curriculum())) {
        auto* ask = makeButton(tr("Not sure?"), tr("A few predictions tell where to begin; nothing of it is graded"));
        ask->setObjectName(QStringLiteral("placement"));
        ask->setAccessibleName(tr("Not sure? Let a few predictions tell where to begin"));
        connect(ask, &QPushButton::clicked, this, [this] {
            saveLearnerChoices(choices());
            Q_EMIT m_context.choicesChanged();
            Q_EMIT m_context.openRequested(QStringLiteral("placement"));
            Q_EMIT done();
        });
        row->addWidget(ask);
    }
    auto* teach = makeButton(tr("You teach?"), tr("Opens Class: an assignment is a file, and so is what comes back"));
    teach->setObjectName(QStringLiteral("teach"));
    teach->setFlat(true);
    connect(teach, &QPushButton::clicked, this, [this] {
        noteLearnerAsked();
        Q_EMIT m_context.openRequested(QStringLiteral("class"));
        Q_EMIT done();
    });
    row->addWidget(teach);
    row->addWidget(m_skip);
    row->addWidget(m_leads, 1);
    column()->addLayout(row);
    connect(m_start, &QPushButton::clicked, this, [this] {
        saveLearnerChoices(choices());
        const QString lesson = m_lesson;
        Q_EMIT m_context.choicesChanged();
        Q_EMIT m_context.openRequested(lesson.isEmpty() ? QStringLiteral("lab") : QStringLiteral("lesson/") + lesson);
        Q_EMIT done();
    });
    connect(m_skip, &QPushButton::clicked, this, [this] {
        noteLearnerAsked();
        Q_EMIT done();
    });
    m_start->ensurePolished();
    m_skip->ensurePolished();
    showStart();
}

LearnerChoices WelcomeCard::choices() const
{
    LearnerChoices choices;
    const auto& paths = m_context.curriculum().paths;
    if (!paths.empty())
        choices.path = QString::fromStdString(paths[std::size_t(m_goal->chosen())].id);
    choices.background = Experience(m_background->chosen());
    choices.hoursAWeek = kHoursAWeek[std::size_t(m_time->chosen())];
    return choices;
}

void WelcomeCard::showStart()
{
    const auto& curriculum = m_context.curriculum();
    const std::vector<std::string> ids = lessonsOf(curriculum, choices());
    const lessons::Lesson* first = nullptr;
    for (const std::string& id : ids)
        if (!first)
            first = curriculum.head(id);
    if (!first && !curriculum.heads.empty())
        first = &curriculum.heads.front(); // a path none of whose lessons is written yet
    m_lesson = first ? QString::fromStdString(first->id) : QString();
    m_start->setText(first ? tr("Start with lesson %1").arg(m_lesson) : tr("Go to the Lab"));
    m_start->setAccessibleName(
        first ? tr("Start with lesson %1: %2").arg(m_lesson, QString::fromStdString(first->title)) : m_start->text());
    m_start->setMinimumWidth(m_start->sizeHint().width());
    QStringList told;
    if (first)
        told << tr("%1, about %2 minutes").arg(QString::fromStdString(first->title)).arg(first->minutes);
    const auto written = std::size_t(std::ranges::count_if(ids, [&](const auto& id) { return curriculum.head(id); }));
    if (written > 0) {
        const QString weeks = weeksText(weeksFor(written, choices().hoursAWeek));
        told << (written == ids.size()
                     ? tr("%1 lessons in at most %2").arg(written).arg(weeks)
                     : tr("%1 of %2 lessons are in this version, at most %3").arg(written).arg(ids.size()).arg(weeks));
    }
    m_leads->setText(told.join(QStringLiteral(" · ")));
}

} // namespace ridge::app

#include "moc_welcome.cpp"
