// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/learn/module_page.h"

#include "app/lesson/reader/info_card.h"
#include "app/ui/icons.h"
#include "app/window/learn/path_step.h"
#include "app/window/learn/term_list.h"

#include <QGridLayout>
#include <QScrollBar>
#include <QVBoxLayout>

namespace ridge::app {
namespace {

/// A line of text that opens a page, on one edge with the text around it.
QPushButton* makeLink(const QString& text, const QString& help)
{
    QPushButton* link = makeButton(text, help);
    link->setAccessibleName(text);
    return link;
}

} // namespace

ModulePage::ModulePage(AppContext& context, int number, QWidget* parent)
    : ColumnScroll(820, tr("Module"), parent), m_context(context),
      m_story(moduleStory(context, number).value_or(ModuleStory{})), m_recent(recentLessons()),
      m_card(new InfoCard(context, this))
{
    connect(verticalScrollBar(), &QScrollBar::valueChanged, m_card, &InfoCard::dismiss);
    connect(&context.feedback(), &FeedbackWatch::changed, this, &ModulePage::refresh);
    build();
}

void ModulePage::refresh()
{
    auto story = moduleStory(m_context, m_story.number);
    const QStringList recent = recentLessons();
    if (!story || (story->steps == m_story.steps && story->tasks == m_story.tasks && recent == m_recent))
        return;
    m_story = std::move(*story);
    m_recent = recent;
    const bool hadFocus = m_continue && m_continue->hasFocus();
    const double at = scrollFraction(this);
    m_card->dismiss();
    clear();
    build();
    setScrollFraction(this, at);
    if (hadFocus && m_continue)
        m_continue->setFocus();
}

void ModulePage::build()
{
    m_continue = nullptr;
    m_terms = nullptr;
    m_rows.clear();
    const QString name = tr("Module %1, %2").arg(m_story.number).arg(m_story.title);
    setAccessibleName(name);
    addHead();
    addAbilities();
    addPath();
    addTasks();
    addArtifacts();
    addTerms();
    addBeside();
    column()->addStretch(1);
}

void ModulePage::addHead()
{
    Theme& theme = m_context.theme();
    auto* head = new QWidget;
    head->setAccessibleName(m_story.title);
    auto* column = new QVBoxLayout(head);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(space::xs);
    column->addWidget(makeLabel(theme,
                                tr("Module %1 of %2").arg(m_story.number).arg(m_context.curriculum().modules.size()),
                                TextStyle::Caption, QStringLiteral("hint")));
    column->addWidget(makeText(theme, m_story.title, TextStyle::ReadH1));
    column->addWidget(makeText(theme, m_story.promise, TextStyle::ReadBody, QStringLiteral("muted")));
    this->column()->addWidget(head);

    const int written = m_story.written(), all = m_story.lessons();
    QStringList facts = {written == all ? tr("%1 lessons").arg(all)
                                        : tr("%1 of %2 lessons written").arg(written).arg(all)};
    if (m_story.minutes() > 0)
        facts << tr("about %1").arg(durationText(m_story.minutes()));
    if (written > 0)
        facts << tr("%1 shipped").arg(m_story.shipped());
    auto* row = new QHBoxLayout;
    row->setSpacing(space::l);
    const ModuleStep* next = m_story.next(m_recent);
    const bool done = !next && written > 0;
    if (done) // everything is shipped: it begins again
        next =
            &*std::find_if(m_story.steps.begin(), m_story.steps.end(), [](const ModuleStep& s) { return s.written; });
    if (next) {
        const LessonProgress& progress = next->progress;
        const QString verb = done                                                    ? tr("Read again")
                             : progress.opened || progress.predicted || progress.ran ? tr("Continue")
                                                                                     : tr("Start");
        const QString what = next->capstone ? tr("the capstone") : next->id;
        m_continue = makeButton(QStringLiteral("%1: %2").arg(verb, what), next->title, true);
        m_continue->setAccessibleName(QStringLiteral("%1: %2 %3").arg(verb, next->id, next->title));
        connect(m_continue, &QPushButton::clicked, this,
                [this, page = QStringLiteral("lesson/") + next->id] { Q_EMIT m_context.openRequested(page); });
        row->addWidget(m_continue);
    }
    QLabel* said = makeText(theme, facts.join(QStringLiteral(" · ")), TextStyle::Body, QStringLiteral("hint"));
    row->addWidget(said, 1);
    this->column()->addLayout(row);
}

/// A part of the page with a heading and rows of three: the middle takes what room there is.
QGridLayout* ModulePage::addGrid(const QString& title)
{
    column()->addSpacing(space::s);
    column()->addWidget(makeText(m_context.theme(), title, TextStyle::ReadH3));
    auto* holder = new QWidget;
    holder->setAccessibleName(title);
    auto* grid = new QGridLayout(holder);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(space::m);
    grid->setVerticalSpacing(space::xs);
    grid->setColumnStretch(1, 1);
    column()->addWidget(holder);
    return grid;
}

void ModulePage::addAbilities()
{
    if (m_story.abilities.empty())
        return;
    Theme& theme = m_context.theme();
    QGridLayout* grid = addGrid(tr("What you will be able to do"));
    int row = 0;
    for (const AbilityGroup& group : m_story.abilities) {
        grid->addWidget(makeLabel(theme, group.verb, TextStyle::Strong), row, 0, Qt::AlignTop | Qt::AlignLeft);
        for (const AbilityGroup::Item& item : group.items) {
            QLabel* text = makeText(theme, item.text, TextStyle::Body);
            text->setAccessibleName(QStringLiteral("%1 %2").arg(group.verb, item.text));
            grid->addWidget(text, row, 1, Qt::AlignTop);
            grid->addWidget(
                makeLabel(theme, item.lessons.join(QStringLiteral(", ")), TextStyle::Caption, QStringLiteral("hint")),
                row, 2, Qt::AlignTop | Qt::AlignRight);
            ++row;
        }
        grid->setRowMinimumHeight(row++, space::xs);
    }
}

void ModulePage::addPath()
{
    if (m_story.steps.empty())
        return;
    Theme& theme = m_context.theme();
    column()->addSpacing(space::s);
    column()->addWidget(makeText(theme, tr("The path"), TextStyle::ReadH3));
    auto* card = new Card(tr("The path"));
    card->column()->setContentsMargins(space::s, space::s, space::s, space::s);
    card->column()->setSpacing(0);
    for (std::size_t i = 0; i < m_story.steps.size(); ++i) {
        using Place = PathStepRow::Place;
        const bool first = i == 0, last = i + 1 == m_story.steps.size();
        auto* row = new PathStepRow(theme, m_story.steps[i],
                                    first && last ? Place::Only
                                    : first       ? Place::First
                                    : last        ? Place::Last
                                                  : Place::Middle);
        connect(row, &PathStepRow::clicked, this,
                [this, row] { Q_EMIT m_context.openRequested(QStringLiteral("lesson/") + row->step().id); });
        m_rows.push_back(row);
        card->column()->addWidget(row);
    }
    column()->addWidget(card);
}

void ModulePage::addTasks()
{
    if (m_story.tasks.empty())
        return;
    Theme& theme = m_context.theme();
    QGridLayout* grid = addGrid(tr("Kernels to write"));
    int row = 0;
    QString before;
    for (const ModuleTask& task : m_story.tasks) {
        if (task.lesson != before)
            grid->addWidget(makeLabel(theme, task.lesson, TextStyle::Body, QStringLiteral("hint")), row, 0,
                            Qt::AlignVCenter | Qt::AlignLeft);
        before = task.lesson;
        grid->setRowMinimumHeight(row, theme.scaled(kControlHeight));
        QLabel* title = makeText(theme, QStringLiteral("%1 · %2").arg(task.title, task.state));
        title->setObjectName(QStringLiteral("task-") + task.id);
        grid->addWidget(title, row, 1, Qt::AlignVCenter);
        QPushButton* open = makeLink(tr("Open"), task.title);
        open->setObjectName(QStringLiteral("openTask-") + task.id);
        open->setAccessibleName(tr("Open the task %1").arg(task.title));
        connect(open, &QPushButton::clicked, this,
                [this, page = QStringLiteral("kernel/task/") + task.id] { Q_EMIT m_context.openRequested(page); });
        grid->addWidget(open, row++, 2, Qt::AlignRight);
    }
}

void ModulePage::addArtifacts()
{
    Theme& theme = m_context.theme();
    if (std::none_of(m_story.steps.begin(), m_story.steps.end(),
                     [](const ModuleStep& step) { return !step.artifact.isEmpty(); }))
        return;
    QGridLayout* grid = addGrid(tr("What you will have shipped"));
    const bool buttons = std::any_of(m_story.steps.begin(), m_story.steps.end(),
                                     [](const ModuleStep& step) { return !step.artifactId.isEmpty(); });
    int row = 0;
    for (const ModuleStep& step : m_story.steps) {
        if (step.artifact.isEmpty())
            continue;
        grid->addWidget(
            makeLabel(theme, step.capstone ? tr("Capstone") : step.id, TextStyle::Body, QStringLiteral("hint")), row, 0,
            Qt::AlignVCenter | Qt::AlignLeft);
        if (buttons) // rows with and without one are as high
            grid->setRowMinimumHeight(row, theme.scaled(kControlHeight));
        grid->addWidget(makeText(theme, step.artifact), row, 1, Qt::AlignVCenter);
        if (!step.artifactId.isEmpty()) {
            QPushButton* open = makeLink(tr("Open"), step.artifact);
            open->setAccessibleName(tr("Open the artifact of %1").arg(step.id));
            connect(open, &QPushButton::clicked, this, [this, page = QStringLiteral("artifact/") + step.artifactId] {
                Q_EMIT m_context.openRequested(page);
            });
            grid->addWidget(open, row, 2, Qt::AlignRight);
        }
        ++row;
    }
}

void ModulePage::addTerms()
{
    if (m_story.terms.empty())
        return;
    column()->addSpacing(space::s);
    column()->addWidget(makeText(m_context.theme(), tr("Its terms"), TextStyle::ReadH3));
    m_terms = new TermList(m_context, *m_card, m_story.terms);
    column()->addWidget(m_terms);
}

void ModulePage::addBeside()
{
    column()->addSpacing(space::s);
    column()->addWidget(makeText(m_context.theme(), tr("Beside the lessons"), TextStyle::ReadH3));
    const auto add = [&](const char* page, const QString& name, const QString& help, const QString& about) {
        auto* row = new QHBoxLayout;
        row->setSpacing(space::l);
        QPushButton* link = makeLink(name, help);
        connect(link, &QPushButton::clicked, this,
                [this, page] { Q_EMIT m_context.openRequested(QLatin1String(page)); });
        row->addWidget(link);
        row->addWidget(makeText(m_context.theme(), about, TextStyle::Body, QStringLiteral("muted")), 1);
        column()->addLayout(row);
    };
    add("catalogue", tr("GPU catalogue"), tr("Data sheets of all chips, to compare"),
        tr("Published figures with their sources, up to four chips side by side, and what the roofline predicts for a "
           "kernel."));
    add("explorer", tr("Workload explorer"), tr("Any model, operator by operator"),
        tr("What each operator of a model computes and moves, what bounds it on a chip, and the lesson that explains "
           "it."));
    add("stack", tr("One matmul through the stack"), tr("Y = XW + b from the graph to the die"),
        tr("What becomes of one line of a model on its way from the graph to the die, with a number at every stop."));
}

void ModulePage::resizeEvent(QResizeEvent* event)
{
    ColumnScroll::resizeEvent(event);
    m_card->dismiss();
}

} // namespace ridge::app

#include "moc_module_page.cpp"
