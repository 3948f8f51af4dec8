// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/kernels/task_shelf.h"

#include "app/lesson/reader/code_view.h"
#include "app/ui/filter_bar.h"
#include "app/ui/flow_layout.h"
#include "app/ui/panels.h"
#include "app/ui/row_table.h"
#include "app/ui/scrolled.h"
#include "base/units.h"
#include "classroom/kernel_lesson.h"

#include <QComboBox>
#include <QHeaderView>
#include <QLineEdit>
#include <QTableWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

namespace ridge::app {
namespace {

using State = TaskStanding::State;

constexpr int kCardFrom = 860; ///< px at 100 % from which there is room for the drawing beside the list

QString q(const std::string& text)
{
    return QString::fromStdString(text);
}

QString levelWords(int level)
{
    return QStringLiteral("%1. %2").arg(level).arg(q(std::string(taskLevelText(level))));
}

QString numbered(const KernelTask& task, const TaskCourse& course)
{
    return QStringLiteral("%1. %2").arg(course.number).arg(q(task.title));
}

} // namespace

QString standingWords(const TaskStanding& standing)
{
    switch (standing.state) {
    case State::Untried:
        return TaskShelf::tr("untried");
    case State::Tried:
        return TaskShelf::tr("tried");
    case State::Accepted:
        break;
    }
    const QString percent = q(formatNumber(std::round(standing.percent)));
    return standing.kept ? TaskShelf::tr("✓ accepted, %1 %").arg(percent)
                         : TaskShelf::tr("✓ accepted, %1 %, not kept").arg(percent);
}

std::map<std::string, record::KernelStanding> keptStandings(const record::Store* store, const std::string& task)
{
    return store ? record::bestStandings(*store, task) : std::map<std::string, record::KernelStanding>();
}

std::map<std::string, TaskStanding> taskStandings(const std::map<std::string, record::KernelStanding>& kept,
                                                  const std::vector<ShelfEntry>& own)
{
    std::map<std::string, TaskStanding> standings;
    for (const auto& [task, standing] : kept)
        standings[task] = standing.right ? TaskStanding{State::Accepted, standing.percent, true}
                                         : TaskStanding{State::Tried, 0, true};
    for (const ShelfEntry& entry : own) {
        if (entry.task.empty())
            continue;
        TaskStanding& standing = standings[entry.task];
        if (entry.best && entry.best->percent() > standing.percent)
            standing = {State::Accepted, entry.best->percent(), false};
        else if (standing.state == State::Untried)
            standing.state = State::Tried;
    }
    return standings;
}

std::map<std::string, TaskStanding> taskStandings(AppContext& context, const std::vector<ShelfEntry>& own)
{
    auto standings = taskStandings(keptStandings(context.store()), own);
    for (auto& [task, standing] : standings)
        if (!context.feedback().mayShow(classroom::kernelLesson(task), Outcome::Check))
            standing = {State::Tried, 0, standing.kept};
    return standings;
}

TaskShelf::TaskShelf(AppContext& context, QWidget* parent)
    : QWidget(parent), m_context(context),
      m_filter(new FilterBar(context.theme(), tr("Filter tasks"), tr("Filter by title, text or lesson"), this)),
      m_levels(m_filter->addPicker(tr("Level"), tr("All levels"))),
      m_states(m_filter->addPicker(tr("State"), tr("All states"))), m_table(new QTableWidget(0, 4, this))
{
    setAccessibleName(tr("Tasks that are graded"));
    if (auto tasks = tasksInOrder())
        m_tasks = std::move(*tasks);
    else
        Q_EMIT context.notice(asSentence(q(toText(tasks.error()))), true);
    std::vector<std::pair<QString, QString>> levels;
    for (int level = 1; level <= kTaskLevels; ++level)
        levels.emplace_back(levelWords(level), QString::number(level));
    m_filter->fill(m_levels, levels);
    m_filter->fill(m_states, {{tr("untried"), QString::number(int(State::Untried))},
                              {tr("tried"), QString::number(int(State::Tried))},
                              {tr("accepted"), QString::number(int(State::Accepted))}});
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, space::s, 0, 0);
    column->setSpacing(space::s);
    column->addWidget(m_filter);
    auto* row = new QHBoxLayout;
    row->setSpacing(space::m);
    column->addLayout(row, 1);
    m_table->setAccessibleName(tr("Tasks; Enter opens one"));
    m_table->setHorizontalHeaderLabels({tr("Task"), tr("Level"), tr("Lesson"), tr("State")});
    makeRowTable(context.theme(), m_table);
    m_table->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    row->addWidget(m_table, 3);
    m_card = makeCard();
    row->addWidget(m_card, 2);
    connect(m_filter, &FilterBar::changed, this, &TaskShelf::fill);
    connect(m_table, &QTableWidget::currentItemChanged, this, &TaskShelf::showChosen);
    connect(m_table, &QTableWidget::itemActivated, this, [this] { Q_EMIT taskWanted(chosen()); });
    connect(&context.theme(), &Theme::changed, this, &TaskShelf::fitCard);
    fitCard();
    fill();
}

QWidget* TaskShelf::makeCard()
{
    Theme& theme = m_context.theme();
    auto* card = new Card(tr("The chosen task"));
    auto* body = new QWidget;
    body->setAccessibleName(tr("The chosen task"));
    auto* column = new QVBoxLayout(body);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(space::s);
    m_title = makeText(theme, {}, TextStyle::Strong);
    m_state = makeText(theme, {}, TextStyle::Caption, QStringLiteral("hint"));
    m_about = makeText(theme, {});
    m_drawing = new CodeView(theme, {}, CodeLanguage::None);
    m_drawing->setAccessibleName(tr("Drawing of the task"));
    m_begin = makeButton(tr("Begin"), tr("Opens the kernel for this task, with what it begins with (Enter)"), true);
    m_lesson = makeButton({}, tr("Opens the lesson that this task goes with"));
    auto* bar = new QWidget;
    bar->setAccessibleName(tr("The chosen task"));
    auto* buttons = new FlowLayout(bar);
    buttons->setContentsMargins(0, 0, 0, 0);
    buttons->setSpacing(space::s);
    buttons->addWidget(m_begin);
    buttons->addWidget(m_lesson);
    for (QWidget* each : std::initializer_list<QWidget*>{m_title, m_state, bar, m_drawing, m_about})
        column->addWidget(each);
    column->addStretch(1);
    card->column()->addWidget(scrolled(body, tr("The chosen task")));
    connect(m_begin, &QPushButton::clicked, this, [this] { Q_EMIT taskWanted(chosen()); });
    connect(m_lesson, &QPushButton::clicked, this, [this] {
        Q_EMIT m_context.openRequested(QStringLiteral("lesson/") + m_lesson->property("lesson").toString());
    });
    return card;
}

void TaskShelf::refresh(const std::vector<ShelfEntry>& own)
{
    m_standings = taskStandings(m_context, own);
    fill();
}

const TaskStanding& TaskShelf::standingOf(const std::string& task) const
{
    static const TaskStanding untried;
    const auto found = m_standings.find(task);
    return found == m_standings.end() ? untried : found->second;
}

void TaskShelf::fill()
{
    const QString kept = chosen(), words = m_filter->text()->text().trimmed();
    const QString level = m_levels->currentData().toString(), state = m_states->currentData().toString();
    int shown = 0, choose = 0;
    {
        const QSignalBlocker quiet(m_table);
        m_table->setRowCount(int(m_tasks.size()));
        for (const auto& [task, course] : m_tasks) {
            const TaskStanding& standing = standingOf(task.id);
            const QString all = QStringList{q(task.id), q(task.title), q(task.about), q(task.lesson)}.join(u' ');
            if ((!level.isEmpty() && level.toInt() != course.level) ||
                (!state.isEmpty() && state.toInt() != int(standing.state)) || !all.contains(words, Qt::CaseInsensitive))
                continue;
            const QStringList cells{numbered(task, course), QString::number(course.level), q(task.lesson),
                                    standingWords(standing)};
            for (int column = 0; column < cells.size(); ++column) {
                auto* item = new QTableWidgetItem(cells[column]);
                item->setData(Qt::UserRole, q(task.id));
                if (column == 0)
                    item->setToolTip(q(task.about));
                if (column == 1) {
                    item->setToolTip(levelWords(course.level));
                    item->setData(Qt::AccessibleTextRole, tr("level %1").arg(levelWords(course.level)));
                }
                m_table->setItem(shown, column, item);
            }
            if (q(task.id) == kept)
                choose = shown;
            ++shown;
        }
        m_table->setRowCount(shown);
        if (shown > 0)
            m_table->setCurrentCell(choose, 0);
    }
    const auto accepted = std::ranges::count(m_tasks, State::Accepted,
                                             [this](const auto& each) { return standingOf(each.first.id).state; });
    m_filter->setCount(shown == int(m_tasks.size()) ? tr("%1 of %2 accepted").arg(accepted).arg(m_tasks.size())
                                                    : tr("%1 of %2 shown").arg(shown).arg(m_tasks.size()));
    showChosen();
}

QString TaskShelf::chosen() const
{
    const QTableWidgetItem* item = m_table->item(m_table->currentRow(), 0);
    return item ? item->data(Qt::UserRole).toString() : QString();
}

void TaskShelf::showChosen()
{
    const auto found =
        std::ranges::find(m_tasks, chosen().toStdString(), [](const auto& each) { return each.first.id; });
    const bool any = found != m_tasks.end();
    for (QWidget* each : std::initializer_list<QWidget*>{m_state, m_about, m_drawing, m_begin})
        each->setVisible(any);
    m_lesson->setVisible(any && m_context.curriculum().head(found->first.lesson));
    if (!any)
        return m_title->setText(tr("No task is like this. Clear the filter to see all of them."));
    const auto& [task, course] = *found;
    const TaskStanding& standing = standingOf(task.id);
    m_title->setText(numbered(task, course));
    m_state->setText(tr("Level %1, %2 · %3")
                         .arg(course.level)
                         .arg(q(std::string(taskLevelText(course.level))), standingWords(standing)));
    m_about->setText(q(task.about));
    m_drawing->setCode(q(course.picture));
    m_begin->setText(standing.state == State::Untried ? tr("Begin") : tr("Go on"));
    m_lesson->setText(tr("Lesson %1").arg(q(task.lesson)));
    m_lesson->setProperty("lesson", q(task.lesson));
}

/// Some rows are seen however little room there is; the page scrolls then.
void TaskShelf::fitCard()
{
    m_table->setMinimumHeight(5 * m_context.theme().scaled(kControlHeight));
    m_card->setVisible(width() >= m_context.theme().scaled(kCardFrom));
}

void TaskShelf::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    fitCard();
}

} // namespace ridge::app

#include "moc_task_shelf.cpp"
