// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/kernels/grade_panel.h"

#include "app/kernels/grade_explained.h"
#include "app/kernels/task_guide.h"
#include "app/ui/elided_box.h"
#include "app/ui/facts.h"
#include "app/ui/flow_layout.h"
#include "app/ui/panels.h"
#include "base/grade_words.h"
#include "base/ratio_credit.h"
#include "base/units.h"

#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

namespace ridge::app {
namespace {

QString q(const std::string& text)
{
    return QString::fromStdString(text);
}

QString tenths(double value)
{
    return q(formatNumber(std::round(10 * value) / 10));
}

void empty(QLayout* layout)
{
    while (QLayoutItem* item = layout->takeAt(0)) {
        if (QLayout* inner = item->layout())
            empty(inner);
        else if (item->widget())
            delete item->widget();
        delete item;
    }
}

QVBoxLayout* columnIn(QWidget* widget)
{
    auto* column = new QVBoxLayout(widget);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(space::s);
    return column;
}

/// What came of one case over all of its launches.
QString caseResult(const GradeFacts& facts, std::size_t at)
{
    int launches = 0;
    const LaunchFacts* bad = nullptr;
    for (const LaunchFacts& launch : facts.launches) {
        if (launch.at != at)
            continue;
        ++launches;
        if (!bad && (!launch.right() || !launch.reports.empty() || !launch.inputsChanged.empty() || launch.pastEnd))
            bad = &launch;
    }
    if (launches == 0)
        return GradePanel::tr("– not run");
    if (!bad)
        return launches == 1 ? GradePanel::tr("✓ right") : GradePanel::tr("✓ right, %1 launches").arg(launches);

    if (bad->wrong > 0)
        return GradePanel::tr("✗ %1 of %2 results wrong").arg(bad->wrong).arg(bad->elements);
    return GradePanel::tr("✗ stopped or refused");
}

} // namespace

GradePanel::GradePanel(Theme& theme, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_picker(new ElidedBox), m_scroll(new ColumnScroll(900, tr("Task and grade"))),
      m_outcome(new QWidget), m_outcomeColumn(columnIn(m_outcome)), m_guide(new TaskGuide(theme))
{
    setAccessibleName(tr("Grade"));
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->addWidget(m_scroll);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAsNeeded);
    m_scroll->widget()->layout()->setContentsMargins(space::m, space::m, space::m, space::m);
    QVBoxLayout* column = m_scroll->column();
    column->setSpacing(space::s);

    if (auto tasks = tasksInOrder())
        m_tasks = std::move(*tasks);
    m_picker->setAccessibleName(tr("Task"));
    m_picker->setToolTip(tr("The task that this kernel is written for"));
    m_picker->addItem(tr("No task"), QString());
    for (const auto& [task, course] : m_tasks)
        m_picker->addItem(QStringLiteral("%1. %2").arg(course.number).arg(q(task.title)), q(task.id));
    m_grade = makeButton(tr("Grade"), tr("Runs the kernel as its task wants and judges it (Ctrl+Shift+F5)"), true);
    m_keep = makeButton(tr("Keep for handing in"),
                        tr("Keeps this text with its grade in your record; a submission takes the newest one along"));
    m_starter = makeButton(tr("Begin this task"), tr("Opens a new kernel with what the task begins with"));
    auto* bar = new QWidget;
    bar->setAccessibleName(tr("Task"));
    auto* row = new FlowLayout(bar);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(space::s);
    for (QWidget* each : std::initializer_list<QWidget*>{m_picker, m_grade, m_keep, m_starter})
        row->addWidget(each);
    column->addWidget(bar);
    m_state = makeText(theme, {}, TextStyle::Caption, QStringLiteral("muted"));
    m_keptText = makeText(theme, {}, TextStyle::Caption, QStringLiteral("muted"));
    column->addWidget(m_state);
    column->addWidget(m_keptText);
    m_outcome->setAccessibleName(tr("Verdict"));
    column->addWidget(m_outcome);
    column->addWidget(m_guide);
    column->addStretch(1);
    connect(m_picker, &QComboBox::activated, this, [this] {
        clearOutcome();
        showTask();
        Q_EMIT taskChosen();
    });
    connect(m_grade, &QPushButton::clicked, this, &GradePanel::gradeWanted);
    connect(m_keep, &QPushButton::clicked, this, &GradePanel::keepWanted);
    connect(m_starter, &QPushButton::clicked, this, [this] { Q_EMIT starterWanted(q(task())); });
    showTask();
    setKept(KernelGrading::Kept::No, false);
}

void GradePanel::setTask(const std::string& id)
{
    m_begun = id;
    m_picker->setCurrentIndex(std::max(0, m_picker->findData(q(id))));
    showTask();
}

std::string GradePanel::task() const
{
    return m_picker->currentData().toString().toStdString();
}

const KernelTask* GradePanel::chosen() const
{
    const auto found = std::ranges::find(m_tasks, task(), [](const auto& each) { return each.first.id; });
    return found == m_tasks.end() ? nullptr : &found->first;
}

void GradePanel::showTask()
{
    const KernelTask* const task = chosen();
    m_starter->setVisible(task != nullptr && task->id != m_begun);
    const auto found = std::ranges::find(m_tasks, task, [](const auto& each) { return &each.first; });
    m_guide->setTask(task, task ? &found->second : nullptr);
}

void GradePanel::setSolved(bool solved)
{
    m_guide->setSolved(solved);
}

void GradePanel::offerExplanation()
{
    QPushButton* why = makeButton(tr("What decides here"), tr("Goes to the explanation and two solutions below"));
    connect(why, &QPushButton::clicked, this, [this] {
        if (m_guide->explanation())
            showOutcome(m_guide->explanation(), this);
    });
    m_outcomeColumn->addWidget(why, 0, Qt::AlignLeft);
}

void GradePanel::clearOutcome()
{
    m_said.clear();
    empty(m_outcomeColumn);
}

void GradePanel::setMessage(const QString& title, const QString& text)
{
    clearOutcome();
    m_outcomeColumn->addWidget(makeText(m_theme, title, TextStyle::Strong));
    if (!text.isEmpty())
        m_outcomeColumn->addWidget(makeText(m_theme, text, TextStyle::Body, QStringLiteral("muted")));
    m_outcomeColumn->addSpacing(space::m);
}

void GradePanel::setHeld(const QString& why)
{
    setMessage(tr("Graded"), tr("%1 Until then you can change the kernel, grade it again and keep it.").arg(why));
    m_said = tr("Graded. %1").arg(why);
}

void GradePanel::setVerdict(const GradedKernel& graded, const std::optional<KernelAgreement>& agreement)
{
    clearOutcome();
    const GradeVerdict& verdict = graded.verdict;
    if (verdict.accepted) {
        m_said = tr("Accepted: %1 of %2 points on %3.")
                     .arg(tenths(verdict.points), tenths(verdict.outOf), q(graded.facts.target));
        if (!verdict.timeNotGraded.empty())
            m_said += QLatin1Char(' ') + asSentence(tr("Time is not graded: %1").arg(q(verdict.timeNotGraded)));
        showPoints(graded);
        showExplained(graded);
        if (const KernelTask* task = chosen(); task && task->id == graded.task.id) {
            setSolved(true);
            offerExplanation();
        }
    } else {
        m_said = tr("Rejected on %1.").arg(q(graded.facts.target));
        m_outcomeColumn->addWidget(
            makeText(m_theme, QStringLiteral("✗ ") + m_said, TextStyle::Strong, QStringLiteral("error")));
        showReasons(verdict);
    }
    showSizes(graded);
    if (agreement) {
        const bool agree = agreement->state == KernelAgreement::State::Agree;
        m_outcomeColumn->addSpacing(space::s);
        m_outcomeColumn->addWidget(makeText(m_theme, tr("Do they agree?"), TextStyle::Strong));
        auto* said = makeText(m_theme, (agree ? QStringLiteral("= ") : QStringLiteral("≠ ")) + agreement->sentence,
                              TextStyle::Body, agree ? QString() : QStringLiteral("warn"));
        said->setObjectName(QStringLiteral("agreement"));
        m_outcomeColumn->addWidget(said);
    }
    m_outcomeColumn->addSpacing(space::m);
}

void GradePanel::showPoints(const GradedKernel& graded)
{
    const GradeVerdict& verdict = graded.verdict;
    m_outcomeColumn->addWidget(makeText(m_theme, tr("✓ Accepted"), TextStyle::Strong, QStringLiteral("ok")));
    const auto badge = [&] {
        auto* made = new ProvenanceBadge(m_theme);
        made->setProvenance(graded.facts.provenance);
        return made;
    };
    auto* row = new QHBoxLayout;
    row->setSpacing(space::s);
    QLabel* points = makeLabel(m_theme, tenths(verdict.points), TextStyle::MetricBig);
    points->setAccessibleName(m_said);
    row->addWidget(points, 0, Qt::AlignBaseline);
    row->addWidget(makeText(m_theme, tr("of %1 points on %2").arg(tenths(verdict.outOf), q(graded.facts.target)),
                            TextStyle::Body, QStringLiteral("muted")),
                   1, Qt::AlignBaseline);
    row->addWidget(badge(), 0, Qt::AlignVCenter);
    m_outcomeColumn->addLayout(row);
    auto* facts = new FactTable(m_theme, tr("Points"));
    const auto of = [](double earned, double all) { return tr("%1 of %2").arg(tenths(earned), tenths(all)); };
    facts->addRow(tr("It is right"), of(kRightPoints, kRightPoints));
    const auto share = [&](const QString& what, const std::optional<double>& ratio, double all) {
        if (ratio)
            facts->addRow(what, of(all * ratioCredit(*ratio), all),
                          tr("%1 × our solution’s").arg(q(formatNumber(std::round(100 * *ratio) / 100))), badge());
        else
            facts->addRow(what, tr("not known on this target"));
    };
    share(tr("Executed instructions"), verdict.instructionRatio, kCountPoints);
    if (verdict.timeNotGraded.empty())
        share(tr("Time"), verdict.timeRatio, verdict.instructionRatio ? kTimePoints : 100 - kRightPoints);
    else
        facts->addRow(tr("Time"), tr("not graded"), q(verdict.timeNotGraded));
    m_outcomeColumn->addWidget(facts);
    QStringList notes{tr("All points up to %1 times our solution’s, then in proportion, none beyond %2 times.")
                          .arg(q(formatNumber(kFullCredit)), q(formatNumber(kNoCredit)))};
    if (verdict.floorSeconds > 0)
        notes << tr("No kernel is faster than %1 here (%2).")
                     .arg(q(formatQuantity(verdict.floorSeconds, "s")), q(verdict.roof.source));
    for (const std::string& note : verdict.notes)
        notes << asSentence(q(note));
    m_outcomeColumn->addWidget(
        makeText(m_theme, notes.join(QLatin1Char(' ')), TextStyle::Caption, QStringLiteral("hint")));
}

void GradePanel::showExplained(const GradedKernel& graded)
{
    const auto said = explainGrade(graded);
    if (!said)
        return;
    m_outcomeColumn->addWidget(makeText(m_theme, tr("What holds it back"), TextStyle::Strong));
    for (const QString& sentence : {said->limit, said->ours, said->change})
        if (!sentence.isEmpty())
            m_outcomeColumn->addWidget(makeText(m_theme, sentence));
}

void GradePanel::showReasons(const GradeVerdict& verdict)
{
    for (const GradeReason& reason : verdict.reasons) {
        const QString title = q(reasonWords(reason.id).title);
        auto* card = new Card(title);
        card->setObjectName(QStringLiteral("reason-") + q(reason.id));
        card->column()->addWidget(makeText(m_theme, asSentence(title), TextStyle::Strong));
        card->column()->addWidget(makeText(m_theme, asSentence(q(reason.text))));
        if (!reason.advice.empty())
            card->column()->addWidget(makeText(m_theme, tr("What to do: %1").arg(q(reason.advice)), TextStyle::Body,
                                               QStringLiteral("muted")));
        if (reason.line > 0) {
            QPushButton* go = makeButton(tr("Go to line %1").arg(reason.line), tr("Puts the cursor into that line"));
            connect(go, &QPushButton::clicked, this, [this, line = reason.line] { Q_EMIT lineWanted(line); });
            card->column()->addWidget(go, 0, Qt::AlignLeft);
        }
        m_outcomeColumn->addWidget(card);
    }
}

void GradePanel::showSizes(const GradedKernel& graded)
{
    m_outcomeColumn->addSpacing(space::s);
    m_outcomeColumn->addWidget(makeText(m_theme, tr("Sizes"), TextStyle::Strong));
    auto* facts = new FactTable(m_theme, tr("Sizes and what came of them"));
    for (std::size_t at = 0; at < graded.facts.cases.size(); ++at) {
        const GradeCase& each = graded.facts.cases[at];
        const QString kind = each.timed    ? tr("the one that is timed")
                             : each.hidden ? tr("drawn for this grading")
                                           : tr("of the task");
        facts->addRow(sizesText(each.sizes), caseResult(graded.facts, at), kind);
    }
    m_outcomeColumn->addWidget(facts);
}

void GradePanel::setReady(bool ready, const QString& why)
{
    m_grade->setEnabled(ready);
    m_state->setText(why);
    m_state->setVisible(!why.isEmpty());
}

void GradePanel::setKept(KernelGrading::Kept kept, bool sameText)
{
    using Kept = KernelGrading::Kept;
    const bool judged = !m_said.isEmpty();
    m_keep->setVisible(judged);
    m_keep->setEnabled(judged && kept == Kept::No);
    QString said;
    if (judged && kept == Kept::Yes)
        said = tr("Kept. A submission for an assignment with this task takes it along.");
    else if (judged && !sameText)
        said = tr("The text is another one than was graded; what is kept is the one that was graded.");
    m_keptText->setText(said);
    m_keptText->setVisible(!said.isEmpty());
}

} // namespace ridge::app

#include "moc_grade_panel.cpp"
