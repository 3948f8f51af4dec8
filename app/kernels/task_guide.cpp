// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/kernels/task_guide.h"

#include "app/lesson/reader/code_view.h"
#include "app/theme/announce.h"
#include "app/ui/panels.h"
#include "base/kernel_verdict.h"
#include "base/units.h"

#include <QVBoxLayout>
#include <algorithm>

namespace ridge::app {
namespace {

QString q(const std::string& text)
{
    return QString::fromStdString(text);
}

QString points(double value)
{
    return q(formatNumber(value));
}

QVBoxLayout* columnOf(QWidget* widget)
{
    auto* column = new QVBoxLayout(widget);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(space::s);
    return column;
}

void empty(QVBoxLayout* column)
{
    while (QLayoutItem* item = column->takeAt(0)) {
        delete item->widget();
        delete item;
    }
}

} // namespace

QString sizesText(const ParamSet& sizes)
{
    QStringList parts;
    for (const auto& [name, value] : sizes)
        parts << QStringLiteral("%1 = %2").arg(q(name), q(toText(value)));
    return parts.join(QStringLiteral(", "));
}

TaskGuide::TaskGuide(Theme& theme, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_hint(makeButton({}, tr("Tells one hint; each tells more than the one before")))
{
    setAccessibleName(tr("What the task asks"));
    QVBoxLayout* column = columnOf(this);
    const auto part = [column](const QString& name) {
        auto* widget = new QWidget;
        widget->setAccessibleName(name);
        column->addWidget(widget);
        return columnOf(widget);
    };
    m_statement = part(tr("What the task asks"));
    m_hints = part(tr("Hints"));
    column->addWidget(m_hint, 0, Qt::AlignLeft);
    m_more = part(tr("Explanation"));
    connect(m_hint, &QPushButton::clicked, this, &TaskGuide::tellNext);
    setTask(nullptr, nullptr);
}

void TaskGuide::add(const QString& text, TextStyle style, const char* tone)
{
    m_statement->addWidget(makeText(m_theme, text, style, QLatin1String(tone)));
}

void TaskGuide::setTask(const KernelTask* task, const TaskCourse* course)
{
    m_task = task;
    m_course = course;
    m_solved = false;
    for (QVBoxLayout* column : {m_statement, m_hints})
        empty(column);
    showExplanation();
    showHintButton();
    if (!task || !course)
        return add(tr("A task asks for one kernel, which is then run on sizes and data that nobody knows before. "
                      "Choose one above: “Begin this task” opens what it begins with, “Grade” judges what stands in "
                      "the editor."),
                   TextStyle::Body, "muted");
    add(q(task->title), TextStyle::Strong);
    add(tr("Task %1 · level %2, %3 · lesson %4")
            .arg(course->number)
            .arg(course->level)
            .arg(q(std::string(taskLevelText(course->level))), q(task->lesson)),
        TextStyle::Caption, "hint");
    add(q(task->about), TextStyle::Body);
    auto* drawing = new CodeView(m_theme, q(course->picture), CodeLanguage::None);
    drawing->setObjectName(QStringLiteral("taskDrawing"));
    drawing->setAccessibleName(tr("Drawing of the task"));
    m_statement->addWidget(drawing);
    add(q(task->signature), TextStyle::Code);
    QStringList sizes;
    for (const ParamSet& each : task->visible)
        sizes << sizesText(each);
    add(tr("Sizes that are checked, besides others: %1.").arg(sizes.join(QStringLiteral("; "))), TextStyle::Body);
    add(tr("The line // Launch at the head of the file says how it is launched, in formulas over the sizes. A kernel "
           "that is right has %1 points; up to %2 are for executed instructions and %3 for time, beside a solution of "
           "ours.")
            .arg(points(kRightPoints), points(kCountPoints), points(kTimePoints)),
        TextStyle::Caption, "hint");
    for (int at = 0; at < hintsTold(); ++at)
        tellHint(at);
}

int TaskGuide::hintsTold() const
{
    const auto found = m_task ? m_told.find(m_task->id) : m_told.end();
    return found == m_told.end() ? 0 : found->second;
}

void TaskGuide::tellHint(int at)
{
    auto* hint = makeText(
        m_theme,
        tr("Hint %1 of %2: %3").arg(at + 1).arg(m_course->hints.size()).arg(q(m_course->hints[std::size_t(at)])));
    hint->setObjectName(QStringLiteral("hint-%1").arg(at + 1));
    m_hints->addWidget(hint);
}

void TaskGuide::tellNext()
{
    const int at = hintsTold();
    if (!m_course || at >= int(m_course->hints.size()))
        return;
    tellHint(at);
    m_told[m_task->id] = at + 1;
    showHintButton();
    QWidget* told = m_hints->itemAt(at)->widget();
    bringIntoView(told);
    announce(this, static_cast<QLabel*>(told)->text());
}

void TaskGuide::showHintButton()
{
    const int all = m_course ? int(m_course->hints.size()) : 0, told = hintsTold();
    m_hint->setVisible(told < all);
    m_hint->setText(told == 0 ? tr("Show a hint") : tr("Show the next hint (%1 of %2)").arg(told + 1).arg(all));
}

void TaskGuide::setSolved(bool solved)
{
    if (solved == m_solved)
        return;
    m_solved = solved;
    showExplanation();
}

void TaskGuide::showExplanation()
{
    empty(m_more);
    m_explanation = nullptr;
    if (!m_course)
        return;
    if (!m_solved) {
        m_more->addWidget(makeText(m_theme,
                                   tr("Once a kernel of yours is accepted, what decides the speed here and two "
                                      "solutions stand below."),
                                   TextStyle::Caption, QStringLiteral("hint")));
        return;
    }
    m_explanation = makeText(m_theme, tr("What decides here"), TextStyle::Strong);
    m_more->addWidget(m_explanation);
    m_more->addWidget(makeText(m_theme, q(m_course->explanation)));
    const auto solution = readFile(m_task->folder / "solution.cu");
    addSolution(tr("one solution"), solution ? solutionText(*solution) : solution);
    addSolution(tr("another solution"), secondSolution(*m_task));
}

void TaskGuide::addSolution(const QString& what, const Result<std::string>& text)
{
    if (!text) {
        m_more->addWidget(
            makeText(m_theme, asSentence(q(toText(text.error()))), TextStyle::Body, QStringLiteral("error")));
        return;
    }
    QPushButton* show = makeButton(tr("Show %1").arg(what), tr("Shows or hides the text of a kernel that is accepted"));
    show->setCheckable(true);
    m_more->addWidget(show, 0, Qt::AlignLeft);
    auto* view = new CodeView(m_theme, q(*text), CodeLanguage::Cuda);
    view->setAccessibleName(what);
    view->hide();
    m_more->addWidget(view);
    connect(show, &QPushButton::toggled, view, [show, view, what](bool shown) {
        view->setVisible(shown);
        show->setText(shown ? tr("Hide %1").arg(what) : tr("Show %1").arg(what));
        if (shown)
            bringIntoView(show);
    });
}

} // namespace ridge::app

#include "moc_task_guide.cpp"
