// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/class/dashboard/class_dashboard.h"

#include "app/class/dashboard/chart_views.h"
#include "app/class/dashboard/class_texts.h"
#include "app/class/dashboard/explanations_view.h"
#include "app/class/dashboard/prediction_plot.h"
#include "app/class/dashboard/predictions_view.h"
#include "app/class/dashboard/projector.h"
#include "app/class/dashboard/statement_list.h"
#include "app/class/dashboard/steps_matrix.h"
#include "app/ui/panels.h"

#include <QTabBar>
#include <QTabWidget>
#include <QVBoxLayout>
#include <algorithm>

namespace ridge::app {
namespace {

constexpr std::size_t kTop = 3;    ///< misconceptions that a class talks about in what is left of a lesson
constexpr std::size_t kNamed = 12; ///< names in a line; the matrix has them all

/// A list as a page of its own, as far from the tabs as the other pages.
QWidget* framed(QWidget* list, const QString& name)
{
    auto* view = new QWidget;
    view->setAccessibleName(name);
    auto* column = new QVBoxLayout(view);
    column->setContentsMargins(0, space::m, 0, 0);
    column->setSpacing(space::s);
    column->addWidget(list, 1);
    return view;
}

} // namespace

struct ClassDashboard::Private {
    ClassDashboard* q;
    AppContext& context;
    Theme large{nullptr, Theme::Scope::Detached};
    bool projector = false;
    classroom::ClassReport report; ///< as it was handed over
    classroom::ClassReport shown;  ///< with its texts as words
    QStringList titles;            ///< of the lessons
    std::vector<StuckGroup> stuckAt;

    QLabel* overview = nullptr;
    QTabWidget* tabs = nullptr;
    StepsMatrix* matrix = nullptr; ///< null on a projector
    StatementList* stuck = nullptr;
    PredictionsView* predictions = nullptr;
    StatementList* misconceptions = nullptr;
    ExplanationsView* explanations = nullptr; ///< null on a projector
    QPushButton* more = nullptr;              ///< on a projector: all misconceptions
    MachinesView* machines = nullptr;
    WorkView* work = nullptr;

    Private(ClassDashboard* owner, AppContext& c) : q(owner), context(c) {}
    Theme& theme() { return projector ? large : context.theme(); }
    void enlarge();
    void build();
    QWidget* makeMisconceptions();
    void fill();
    void fillStuck();
    void fillMisconceptions();
    QString names(const StuckGroup& group) const;
};

/// The projector's theme follows that of the program.
void ClassDashboard::Private::enlarge()
{
    if (const auto followed = followTheme(large, context.theme(), true); !followed)
        Q_EMIT context.notice(QString::fromStdString(toText(followed.error())), true);
    dressControls(*q, theme(), projector);
}

void ClassDashboard::Private::build()
{
    const QString tab = tabs ? tabs->currentWidget()->objectName() : QString();
    const int question = predictions ? predictions->question() : -1;
    HandCounts counted = predictions ? predictions->counted() : HandCounts{};
    delete overview;
    delete tabs;
    enlarge();
    Theme& t = theme();
    auto* column = static_cast<QVBoxLayout*>(q->layout());
    overview = makeText(t, {}, TextStyle::Body, QStringLiteral("muted"));
    column->addWidget(overview);
    tabs = new QTabWidget(q);
    column->addWidget(tabs, 1); // before there is anything in it: what joins is styled anew
    tabs->setAccessibleName(tr("Views of the class"));
    tabs->setDocumentMode(true);
    tabs->tabBar()->setDrawBase(false);
    tabs->tabBar()->setAccessibleName(tr("Views of the class"));
    const auto add = [&](QWidget* view, const char* name, const QString& title) {
        view->setObjectName(QLatin1String(name));
        tabs->addTab(view, title);
    };
    matrix = nullptr;
    if (!projector) {
        matrix = new StepsMatrix(t);
        QObject::connect(matrix, &StepsMatrix::lessonRequested, q, &ClassDashboard::lessonRequested);
        add(matrix, "learners", tr("Learners"));
    }
    stuck = new StatementList(t, tr("Where the class is stuck"));
    add(framed(stuck, tr("Stuck")), "stuck", tr("Stuck"));
    predictions = new PredictionsView(t);
    add(predictions, "predictions", tr("Predictions"));
    add(makeMisconceptions(), "misconceptions", tr("Misconceptions"));
    explanations = nullptr;
    if (!projector) { // own words tell who wrote them
        explanations = new ExplanationsView(t);
        add(explanations, "explanations", tr("Explanations"));
    }
    machines = new MachinesView(t);
    add(machines, "machines", tr("Machines"));
    work = new WorkView(t);
    add(work, "distribution", tr("Distribution"));

    QObject::connect(stuck, &QListView::activated, q, [this](const QModelIndex& index) {
        if (!matrix)
            return;
        const StuckGroup& group = stuckAt[static_cast<std::size_t>(index.row())];
        std::vector<classroom::Person> learners;
        for (const classroom::StuckLearner& one : group.learners)
            learners.push_back(one.who);
        tabs->setCurrentWidget(matrix);
        matrix->showOnly(learners, stuckText(group, lessonName(context.curriculum(), group.lesson)));
    });
    for (StatementList* list : {misconceptions, machines->outliers()})
        QObject::connect(list, &QListView::activated, q, [this, list](const QModelIndex& index) {
            Q_EMIT q->lessonRequested(list->statements()->statement(index.row()).lesson);
        });
    predictions->setCounted(std::move(counted));
    fill();
    predictions->setQuestion(question);
    if (QWidget* before = tab.isEmpty() ? nullptr : tabs->findChild<QWidget*>(tab))
        tabs->setCurrentWidget(before);
}

QWidget* ClassDashboard::Private::makeMisconceptions()
{
    misconceptions = new StatementList(theme(), tr("Misconceptions, most frequent first"));
    QWidget* view = framed(misconceptions, tr("Misconceptions"));
    auto* column = static_cast<QVBoxLayout*>(view->layout());
    more = makeButton(tr("Show all"), tr("Shows every misconception in place of the most frequent ones"));
    more->setCheckable(true);
    column->addWidget(more, 0, Qt::AlignLeft);
    QObject::connect(more, &QPushButton::toggled, view, [this] { fillMisconceptions(); });
    return view;
}

void ClassDashboard::Private::fill()
{
    overview->setText(overviewText(shown));
    if (matrix)
        matrix->setReport(shown, titles);
    fillStuck();
    predictions->setHistograms(shown.histograms);
    fillMisconceptions();
    if (explanations) {
        explanations->setReport(shown, titles);
        tabs->setTabVisible(tabs->indexOf(explanations), !shown.explanations.empty());
    }
    machines->setReport(shown, titles, !projector);
    work->setReport(shown);
}

QString ClassDashboard::Private::names(const StuckGroup& group) const
{
    QStringList list;
    for (const classroom::StuckLearner& one : group.learners)
        if (static_cast<std::size_t>(list.size()) < kNamed)
            list << isolated(personName(one.who));
    QString text = list.join(QStringLiteral(", "));
    if (group.learners.size() > kNamed)
        text += tr(" and %1 more").arg(group.learners.size() - kNamed);
    return text;
}

void ClassDashboard::Private::fillStuck()
{
    stuckAt = stuckGroups(shown);
    std::vector<Statement> statements;
    for (const StuckGroup& group : stuckAt)
        statements.push_back({static_cast<int>(group.learners.size()), static_cast<int>(shown.learners.size()),
                              stuckText(group, lessonName(context.curriculum(), group.lesson)),
                              projector ? QString() : names(group), QString::fromStdString(group.lesson)});
    stuck->setStatements(std::move(statements), shown.learners.empty()
                                                    ? tr("Here stands where learners are stuck, once they hand in.")
                                                    : tr("Everybody who handed in has done every step."));
}

void ClassDashboard::Private::fillMisconceptions()
{
    const std::size_t all = shown.misconceptions.size();
    const bool few = projector && all > kTop;
    more->setVisible(few);
    std::vector<Statement> statements;
    for (const classroom::MisconceptionCount& one : shown.misconceptions) {
        if (few && !more->isChecked() && statements.size() == kTop)
            break;
        const QString says = QString::fromStdString(one.says.empty() ? one.id : one.says);
        const QString lesson = lessonName(context.curriculum(), one.lesson);
        const QString asked = QString::fromStdString(one.question);
        statements.push_back({one.learners, static_cast<int>(shown.learners.size()), says,
                              asked.isEmpty() ? lesson : tr("%1: “%2”").arg(lesson, asked),
                              QString::fromStdString(one.lesson)});
    }
    misconceptions->setStatements(std::move(statements),
                                  tr("No answer or prediction shows one of the misconceptions that the lessons know."));
}

ClassDashboard::ClassDashboard(AppContext& context, QWidget* parent)
    : QWidget(parent), d(std::make_unique<Private>(this, context))
{
    setAccessibleName(tr("Dashboard of the class"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(space::s);
    connect(&context.theme(), &Theme::changed, this, [this] { d->enlarge(); });
    d->build();
}

ClassDashboard::~ClassDashboard()
{
    delete d->tabs; // its views hold the theme that goes with d
    d->tabs = nullptr;
    delete d->overview;
    d->overview = nullptr;
}

void ClassDashboard::setReport(classroom::ClassReport report)
{
    d->report = std::move(report);
    d->shown = withPlainTexts(d->report, d->context.curriculum());
    d->titles.clear();
    for (const std::string& lesson : d->report.lessons)
        d->titles << lessonName(d->context.curriculum(), lesson);
    d->fill();
}

const classroom::ClassReport& ClassDashboard::report() const
{
    return d->report;
}

void ClassDashboard::setProjector(bool on)
{
    if (on == d->projector)
        return;
    d->projector = on;
    d->build();
}

bool ClassDashboard::projector() const
{
    return d->projector;
}

QList<QWidget*> ClassDashboard::panes() const
{
    return {d->tabs->tabBar(), d->tabs->currentWidget()};
}

} // namespace ridge::app

#include "moc_class_dashboard.cpp"
