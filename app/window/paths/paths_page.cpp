// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/paths/paths_page.h"

#include "app/ui/choice_pickers.h"
#include "app/ui/facts.h"
#include "app/ui/panels.h"
#include "app/window/home/lesson_progress.h"
#include "app/window/paths/companion_tabs.h"
#include "app/window/paths/prerequisite_graph.h"
#include "evidence/progress.h"
#include "record/clock.h"

#include <QHBoxLayout>
#include <QTabWidget>
#include <QVBoxLayout>
#include <algorithm>

namespace ridge::app {
namespace {

enum Tab { Roles, Graph, Layers, Projects, Book, Labs };

QString qt(const std::string& text)
{
    return QString::fromStdString(text);
}

} // namespace

QStringList PathsPage::parts()
{
    return {QStringLiteral("roles"),    QStringLiteral("prerequisites"), QStringLiteral("stack"),
            QStringLiteral("projects"), QStringLiteral("book"),          QStringLiteral("labs")};
}

PathsPage::PathsPage(AppContext& context, bool explores, QWidget* parent)
    : Page(parent), m_context(context), m_explores(explores), m_tabs(new QTabWidget)
{
    setAccessibleName(tr("Paths"));
    const lessons::LoadedStack stack = lessons::loadStack(context.curriculum());
    const lessons::LoadedCompanions companions = lessons::loadCompanions(context.curriculum());
    m_stack = stack.stack;
    m_companions = companions.companions;
    for (const auto* problems : {&stack.problems, &companions.problems})
        if (!problems->empty() && m_error.isEmpty())
            m_error = tr("%1, line %2: %3")
                          .arg(qt(problems->front().at.file))
                          .arg(problems->front().at.line)
                          .arg(qt(problems->front().message));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    m_tabs->setDocumentMode(true);
    m_tabs->setAccessibleName(tr("Parts of this page"));
    const QStringList names = {tr("Paths and roles"),  tr("What builds on what"), tr("The stack"),
                               tr("Projects to read"), tr("Beside a book"),       tr("Labs elsewhere")};
    for (const QString& name : names) {
        m_scrolls.push_back(new ColumnScroll(860, name));
        m_tabs->addTab(m_scrolls.back(), name);
    }
    layout->addWidget(m_tabs);
    connect(m_tabs, &QTabWidget::currentChanged, this, &PathsPage::fill);
    connect(&context, &AppContext::choicesChanged, this, [this] { fill(m_tabs->currentIndex()); });
}

Result<void> PathsPage::open(const QString& part)
{
    const qsizetype wanted = part.isEmpty() ? m_tabs->currentIndex() : parts().indexOf(part);
    if (wanted < 0)
        return Error{"unknown-page", "The paths have no part " + part.toStdString() + ".", "--open",
                     "Open paths, paths/" + parts().join(QStringLiteral(", paths/")).toStdString()};
    if (m_tabs->currentIndex() == int(wanted))
        fill(int(wanted));
    else
        m_tabs->setCurrentIndex(int(wanted));
    return {};
}

QString PathsPage::part() const
{
    return parts().value(m_tabs->currentIndex());
}

ColumnScroll* PathsPage::shown() const
{
    return m_scrolls[std::size_t(m_tabs->currentIndex())];
}

QList<QWidget*> PathsPage::panes() const
{
    return {m_tabs->tabBar(), shown()};
}

double PathsPage::scrollFraction() const
{
    return ridge::app::scrollFraction(shown());
}

void PathsPage::setScrollFraction(double fraction)
{
    ridge::app::setScrollFraction(shown(), fraction);
}

/// Built anew whenever it comes into view: the record and the choices may have changed.
void PathsPage::fill(int tab)
{
    ColumnScroll* scroll = m_scrolls[std::size_t(tab)];
    const double at = ridge::app::scrollFraction(scroll);
    if (tab == Graph)
        m_graph = nullptr;
    scroll->clear();
    if (!m_error.isEmpty())
        scroll->column()->addWidget(makeText(m_context.theme(), m_error, TextStyle::Body, QStringLiteral("error")));
    switch (Tab(tab)) {
    case Roles:
        fillRoles();
        break;
    case Graph:
        fillGraph();
        break;
    case Layers:
        fillStack();
        break;
    case Projects:
        addProjects(scroll->column(), m_context, m_companions);
        break;
    case Book:
        addChapters(scroll->column(), m_context, m_companions, m_explores);
        break;
    case Labs:
        addLabs(scroll->column(), m_context, m_companions);
        break;
    }
    scroll->column()->addStretch(1);
    ridge::app::setScrollFraction(scroll, at);
}

void PathsPage::fillRoles()
{
    Theme& theme = m_context.theme();
    QVBoxLayout* column = m_scrolls[Roles]->column();
    const lessons::Curriculum& curriculum = m_context.curriculum();
    column->addWidget(
        makeText(theme,
                 tr("A path is an order and never a fence: every lesson counts the same on each, and you can "
                    "change at any time. Choose one sub-layer of the stack to be good at, and know the one "
                    "beside it."),
                 TextStyle::ReadBody, QStringLiteral("muted")));
    LearnerChoices choices = learnerChoices();
    const lessons::LessonPath* own = pathOf(curriculum, choices);
    const CourseProgress progress(m_context);
    for (const lessons::LessonPath& path : curriculum.paths) {
        auto* card = new Card(qt(path.title));
        card->column()->setContentsMargins(space::l, space::m, space::l, space::m);
        card->column()->addWidget(makeText(theme, qt(path.title), TextStyle::ReadH3));
        card->column()->addWidget(makeText(theme, qt(path.about), TextStyle::ReadBody));
        auto* facts = new FactTable(theme, tr("About the path %1").arg(qt(path.title)));
        facts->setNameRoom(150);
        if (const lessons::PathFit* fit = m_stack.fit(path.id)) {
            facts->addRow(tr("Makes you good at"),
                          tr("%1 (%2)").arg(qt(m_stack.partTitle(fit->primary)), qt(fit->primary)));
            facts->addRow(tr("Beside it"), tr("%1 (%2)").arg(qt(m_stack.partTitle(fit->adjacent)), qt(fit->adjacent)));
            facts->addRow(tr("Hardware"), qt(fit->hardware));
        }
        choices.path = qt(path.id);
        const std::vector<std::string> way = lessonsOf(curriculum, choices);
        const auto shipped = std::ranges::count_if(
            way, [&](const std::string& id) { return curriculum.head(id) && progress.of(id).shipped; });
        QStringList ids;
        for (const std::string& id : way)
            ids << qt(id);
        facts->addRow(tr("Lessons"), tr("%1, of which you have shipped %2").arg(way.size()).arg(shipped));
        facts->addRow(tr("In this order"), ids.join(QStringLiteral("  ")));
        card->column()->addWidget(facts);
        auto* row = new QHBoxLayout;
        const bool mine = own && own->id == path.id;
        auto* take = makeButton(mine ? tr("Your path") : tr("Choose this path"), tr("Changes no progress"), !mine);
        take->setObjectName(QStringLiteral("path-") + qt(path.id));
        take->setAccessibleName(mine ? tr("%1 is your path").arg(qt(path.title))
                                     : tr("Choose the path %1").arg(qt(path.title)));
        take->setEnabled(!mine);
        connect(take, &QPushButton::clicked, this, [this, id = qt(path.id)] {
            LearnerChoices chosen = learnerChoices();
            chosen.path = id;
            changeChoices(m_context, chosen);
        });
        row->addWidget(take);
        row->addStretch(1);
        card->column()->addLayout(row);
        column->addWidget(card);
    }
    if (m_stack.roles.empty())
        return;
    column->addSpacing(space::m);
    column->addWidget(makeText(theme, tr("The roles of the AI hardware roadmap"), TextStyle::ReadH3));
    auto* roles = new FactTable(theme, tr("Roles and the paths that lead closest to them"));
    roles->setNameRoom(240);
    for (const lessons::TargetRole& role : m_stack.roles) {
        const lessons::LessonPath* path = curriculum.path(role.path);
        QStringList layers;
        for (const std::string& layer : role.layers)
            layers << qt(layer);
        roles->addRow(qt(role.title),
                      tr("%1: %2").arg(layers.join(QStringLiteral(", ")), path ? qt(path->title) : qt(role.path)),
                      role.lacks.empty() ? QString() : tr("Not here: %1").arg(qt(role.lacks)));
    }
    column->addWidget(roles);
}

void PathsPage::fillGraph()
{
    Theme& theme = m_context.theme();
    QVBoxLayout* column = m_scrolls[Graph]->column();
    column->addWidget(
        makeText(theme,
                 tr("A row is a module. Solid lines lead to what the chosen lesson builds on, dashed ones to what "
                    "builds on it. Lessons with a dotted border are not on your path. Arrows choose, Enter "
                    "opens."),
                 TextStyle::ReadBody, QStringLiteral("muted")));
    m_graph = new PrerequisiteGraph(m_context);
    auto* row = new QHBoxLayout;
    row->addWidget(m_graph);
    row->addStretch(1);
    column->addLayout(row);
    auto* said = makeText(theme, m_graph->sentence(), TextStyle::ReadBody);
    said->setObjectName(QStringLiteral("said"));
    auto* open = makeButton(tr("Open the lesson"), tr("Opens the chosen lesson"), true);
    open->setObjectName(QStringLiteral("openChosen"));
    connect(open, &QPushButton::clicked, this,
            [this] { Q_EMIT m_context.openRequested(QStringLiteral("lesson/") + qt(m_graph->chosen())); });
    connect(m_graph, &PrerequisiteGraph::chosenChanged, said, [this, said] { said->setText(m_graph->sentence()); });
    column->addWidget(said);
    column->addWidget(open, 0, Qt::AlignLeft);
}

void PathsPage::fillStack()
{
    Theme& theme = m_context.theme();
    QVBoxLayout* column = m_scrolls[Layers]->column();
    column->addWidget(
        makeText(theme,
                 tr("From the model to the package. A lesson counts for every layer that it works on; met, solid "
                    "and mastered follow from your predictions and checks."),
                 TextStyle::ReadBody, QStringLiteral("muted")));
    const record::Store* store = m_context.store();
    const auto progress = store ? progressOf(*store, m_context.curriculum(), record::timeStamp().toStdString(),
                                             m_context.feedback().discretion())
                                : Result<Progress>(Progress{});
    if (!progress)
        return column->addWidget(
            makeText(theme, qt(toText(progress.error())), TextStyle::Body, QStringLiteral("error")));
    for (const lessons::StackLayer& layer : m_stack.layers) {
        const auto skill = std::ranges::find(progress->layers, layer.id, &LayerSkill::layer);
        auto* card = new Card(qt(layer.title));
        card->column()->setContentsMargins(space::l, space::m, space::l, space::m);
        card->column()->addWidget(
            makeText(theme, QStringLiteral("%1 · %2").arg(qt(layer.id), qt(layer.title)), TextStyle::ReadH3));
        card->column()->addWidget(makeText(theme, qt(layer.about)));
        QStringList parts;
        for (const auto& [id, title] : layer.parts)
            parts << QStringLiteral("%1 %2").arg(qt(id), qt(title));
        auto* facts = new FactTable(theme, tr("Your progress in %1").arg(qt(layer.title)));
        facts->setNameRoom(120);
        facts->addRow(tr("Sub-layers"), parts.join(QStringLiteral(", ")));
        int lessons = 0;
        for (const lessons::Lesson& head : m_context.curriculum().heads)
            lessons += std::ranges::find(head.layers, layer.id) != head.layers.end();
        if (layer.hosted)
            facts->addRow(tr("Lessons"), skill == progress->layers.end()
                                             ? tr("%1; you have met none yet").arg(lessons)
                                             : tr("%1; %2 met, %3 of them solid, %4 mastered")
                                                   .arg(skill->lessons)
                                                   .arg(skill->met)
                                                   .arg(skill->solid)
                                                   .arg(skill->mastered));
        else
            facts->addRow(tr("Lessons"), tr("None here. See the labs done elsewhere."));
        card->column()->addWidget(facts);
        column->addWidget(card);
    }
}

} // namespace ridge::app

#include "moc_paths_page.cpp"
