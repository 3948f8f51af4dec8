// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/class/teaching/class_view.h"

#include "app/class/assignments/assignment_text.h"
#include "app/class/dashboard/class_dashboard.h"
#include "app/class/live/live_panel.h"
#include "app/class/teaching/class_card.h"
#include "app/class/teaching/class_tables.h"
#include "app/class/teaching/drop_field.h"
#include "app/class/teaching/drop_veil.h"
#include "app/class/teaching/job_bar.h"
#include "app/class/teaching/tally_strip.h"
#include "app/theme/announce.h"
#include "app/ui/flow_layout.h"
#include "app/ui/outcome_bar.h"
#include "app/ui/panels.h"
#include "app/ui/scrolled.h"
#include "classroom/kernel_lesson.h"

#include <QAction>
#include <QBoxLayout>
#include <QClipboard>
#include <QComboBox>
#include <QDropEvent>
#include <QGuiApplication>
#include <QLabel>
#include <QMenu>
#include <QMimeData>
#include <QScrollArea>
#include <QShortcut>
#include <QStackedWidget>
#include <QTabBar>
#include <QTabWidget>
#include <QToolButton>
#include <QTreeView>
#include <algorithm>

namespace ridge::app {
namespace {

enum Tab { Overview, HandIns, Roster, Live, Recheck };
constexpr int kBeside = 1000;

QString text(const std::string& value)
{
    return QString::fromStdString(value);
}

} // namespace

ClassView::ClassView(AppContext& context, ClassDesk& desk, QWidget* parent)
    : QWidget(parent), m_context(context), m_desk(desk), m_job(new JobBar(context.theme(), desk, this)),
      m_banner(new Banner(context.theme())), m_outcome(new OutcomeBar(context.theme())), m_tabs(new QTabWidget),
      m_veil(nullptr)
{
    setAccessibleName(tr("Class"));
    setAcceptDrops(true);
    auto* whole = new QVBoxLayout(this);
    whole->setContentsMargins(0, 0, 0, 0);
    auto* body = new QWidget;
    body->setAccessibleName(tr("Class"));
    m_scroll = scrolled(body, tr("Class"));
    whole->addWidget(m_scroll);
    auto* column = new QVBoxLayout(body);
    column->setContentsMargins(space::l, space::l, space::l, space::l);
    column->setSpacing(space::m);
    column->addWidget(makeHead());
    column->addWidget(m_job);
    column->addWidget(m_banner);
    m_outcome->nextButton()->setObjectName(QStringLiteral("class-outcome"));
    column->addWidget(m_outcome);
    column->addWidget(m_tabs, 1); // before there is anything in it, as everywhere here: what joins is styled anew
    makeTabs();
    m_veil = new DropVeil(context.theme(), this);
    connect(&desk, &ClassDesk::changed, this, &ClassView::look);
    connect(&context.theme(), &Theme::changed, this, &ClassView::arrange);
    m_leave = new QShortcut(Qt::Key_Escape, this);
    m_leave->setContext(Qt::WidgetWithChildrenShortcut);
    connect(m_leave, &QShortcut::activated, this, [this] { setProjector(false); });
    look();
}

ClassView::~ClassView() = default;

QWidget* ClassView::makeHead()
{
    Theme& theme = m_context.theme();
    auto* head = new QWidget;
    head->setAccessibleName(tr("Class and what can be done"));
    m_head = new QBoxLayout(QBoxLayout::LeftToRight, head);
    m_head->setContentsMargins(0, 0, 0, 0);
    m_head->setSpacing(space::l);
    auto* left = new QVBoxLayout;
    left->setSpacing(space::xs);
    auto* line = new QWidget;
    line->setAccessibleName(tr("Class"));
    auto* row = new FlowLayout(line);
    row->setSpacing(space::m);
    m_title = makeLabel(theme, {}, TextStyle::ReadH1);
    row->addWidget(m_title);
    m_assignments = new QComboBox;
    m_assignments->setObjectName(QStringLiteral("class-assignments"));
    m_assignments->setAccessibleName(tr("Assignment"));
    m_assignments->setToolTip(tr("Which assignment of the class is shown"));
    m_assignments->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    connect(m_assignments, &QComboBox::activated, this, [this](int at) {
        Q_EMIT m_context.openRequested(
            QStringLiteral("class/%1/%2").arg(text(m_request.slug), m_assignments->itemData(at).toString()));
    });
    row->addWidget(m_assignments);
    left->addWidget(line);
    m_about = makeText(theme, {}, TextStyle::Body, QStringLiteral("muted"));
    left->addWidget(m_about);
    left->addSpacing(space::xs);
    left->addWidget(makeActions());
    left->addStretch(1);
    m_head->addLayout(left, 1);
    m_tally = new TallyStrip(theme);
    connect(m_tally, &TallyStrip::chosen, this, [this](std::optional<HandIn::State> state) {
        m_tabs->setCurrentIndex(HandIns);
        m_handIns->showOnly(state);
        m_handIns->view()->setFocus();
    });
    m_head->addWidget(m_tally, 0, Qt::AlignTop);
    return head;
}

QWidget* ClassView::makeActions()
{
    m_actions = new QWidget;
    m_actions->setAccessibleName(tr("What can be done with the class"));
    auto* row = new FlowLayout(m_actions);
    const auto add = [&](const char* name, const QString& words, const QString& help, void (ClassView::*act)(),
                         bool primary = false) {
        QPushButton* button = makeButton(words, help, primary);
        button->setObjectName(QLatin1String(name));
        connect(button, &QPushButton::clicked, this, act);
        row->addWidget(button);
        return button;
    };
    m_collect = add("class-collect", tr("Collect…"),
                    tr("Takes in every submission below a folder; again and again adds nothing twice"),
                    &ClassView::chooseFolder, true);
    m_regrade = add("class-regrade", tr("Re-check"), tr("Runs what was handed in again, here, and grades by that"),
                    &ClassView::regrade);
    m_grades =
        add("class-grades", tr("Grades…"), tr("A table that Moodle or Canvas imports"), &ClassView::chooseGrades);
    m_feedback = add("class-feedback", tr("Feedback"), tr("Writes a page for each learner, as the policy allows"),
                     &ClassView::writeFeedback);
    m_project = makeButton(tr("Projector"), tr("Large type, and nobody's name"));
    m_project->setObjectName(QStringLiteral("class-projector"));
    m_project->setCheckable(true);
    connect(m_project, &QPushButton::toggled, this, &ClassView::setProjector);
    m_more = new QToolButton;
    m_more->setObjectName(QStringLiteral("class-more"));
    m_more->setText(tr("More"));
    m_more->setAccessibleName(tr("More for this class"));
    m_more->setToolTip(tr("Further commands for this class"));
    m_more->setProperty("outlined", true);
    m_more->setFocusPolicy(Qt::StrongFocus);
    m_more->setPopupMode(QToolButton::InstantPopup);
    auto* menu = new QMenu(m_more);
    menu->setAccessibleName(tr("More for this class"));
    menu->addAction(tr("Collect single files…"), this, &ClassView::chooseFiles);
    menu->addAction(tr("Read a roster…"), this, &ClassView::chooseRoster);
    menu->addAction(tr("Save the assignment file again…"), this, &ClassView::chooseAssignmentFile);
    menu->addAction(tr("A further assignment"), this,
                    [this] { Q_EMIT m_context.openRequested(QStringLiteral("class/new/") + text(m_request.slug)); });
    // Learners are told to compare the key of their file with this one.
    menu->addSeparator();
    m_key = menu->addAction(QString());
    m_key->setObjectName(QStringLiteral("class-key"));
    m_key->setVisible(false);
    connect(m_key, &QAction::triggered, this, [this] {
        QGuiApplication::clipboard()->setText(m_key->data().toString());
        Q_EMIT m_context.notice(tr("The key %1 is on the clipboard. Who opens the assignment file sees the same one.")
                                    .arg(m_key->data().toString()),
                                false);
    });
    m_more->setMenu(menu);
    row->addWidget(m_more);
    row->addWidget(m_project);
    return m_actions;
}

void ClassView::makeTabs()
{
    m_tabs->setAccessibleName(tr("Class"));
    m_tabs->setDocumentMode(true);
    m_tabs->tabBar()->setDrawBase(false);
    m_tabs->tabBar()->setAccessibleName(tr("Parts of the class"));
    // As buttons side by side: the dashboard has tabs of its own below.
    const auto dress = [this] {
        const Theme& theme = m_context.theme();
        m_tabs->tabBar()->setStyleSheet(
            QStringLiteral("QTabBar::tab { background: %1; border: 1px solid %2; border-radius: 4px; padding: 0 12px; "
                           "margin-right: 4px; min-height: %5px; } QTabBar::tab:selected { background: %3; "
                           "border-color: %4; }")
                .arg(theme.color(Role::Surface).name(), theme.color(Role::Border).name(),
                     theme.color(Role::Selection).name(), theme.color(Role::Accent).name())
                .arg(theme.scaled(26)));
    };
    dress();
    connect(&m_context.theme(), &Theme::changed, m_tabs, dress);
    m_handIns = new HandInTable(m_context.theme());
    m_rosterTab = makeRoster();
    m_live = new LivePanel(m_context);
    m_live->setContentsMargins(0, space::m, 0, 0); // off the tabs, as the others
    m_rechecked = new RegradeTable(m_context.theme());
    // What the room looks at has the page: the heading comes back with the next tab.
    const auto makeRoom = [this] {
        m_head->parentWidget()->setVisible(!m_live->projector() || m_tabs->currentIndex() != Live);
    };
    connect(m_live, &LivePanel::projectorChanged, this, makeRoom);
    connect(m_tabs, &QTabWidget::currentChanged, this, makeRoom);
    makeOverview();
    connect(m_handIns, &HandInTable::dismissAsked, this, &ClassView::dismiss);
    connect(m_handIns, &HandInTable::joinAsked, this, &ClassView::join);
    m_tabs->addTab(m_handIns, tr("Hand-ins"));
    m_tabs->addTab(m_rosterTab, tr("Roster"));
    m_tabs->addTab(m_live, tr("Live"));
    connect(m_rechecked, &RegradeTable::decided, this, &ClassView::decide);
    m_tabs->addTab(m_rechecked, tr("Re-check"));
    m_tabs->setTabVisible(Recheck, false);
}

void ClassView::makeOverview()
{
    m_overview = new QStackedWidget(m_tabs);
    m_tabs->addTab(m_overview, tr("Overview"));
    m_overview->setAccessibleName(tr("Overview"));
    m_overview->setContentsMargins(0, space::m, 0, 0);
    auto* none = new EmptyState(m_context.theme(), tr("Nothing handed in yet"),
                                tr("Give the assignment file to your learners. When their files come back, drop the "
                                   "folder with them anywhere on this page, at any depth and as often as you like."),
                                tr("Choose the folder…"));
    connect(none, &EmptyState::clicked, this, &ClassView::chooseFolder);
    m_overview->addWidget(none);
}

void ClassView::makeDashboard()
{
    m_dashboard = new ClassDashboard(m_context, m_overview);
    connect(m_dashboard, &ClassDashboard::lessonRequested, this, [this](const QString& id) {
        Q_EMIT m_context.openRequested(QString::fromStdString(classroom::pageOfLesson(id.toStdString())));
    });
    m_overview->addWidget(m_dashboard);
}

QWidget* ClassView::makeRoster()
{
    Theme& theme = m_context.theme();
    auto* tab = new QWidget;
    tab->setAccessibleName(tr("Roster"));
    auto* column = new QVBoxLayout(tab);
    column->setContentsMargins(0, space::m, 0, 0);
    column->setSpacing(space::m);
    auto* drop = new DropField(theme, tr("Roster"),
                               tr("Drop a roster here. People who are there already are brought up to date; nobody is "
                                  "taken off."),
                               tr("Choose…"), isTablePath);
    drop->button()->setObjectName(QStringLiteral("class-read-roster"));
    drop->button()->setAccessibleName(tr("Choose a roster"));
    connect(drop, &DropField::dropped, this, [this](const QStringList& paths) { takeRoster(paths.value(0)); });
    connect(drop, &DropField::chooseRequested, this, &ClassView::chooseRoster);
    m_roster = new RosterTable(theme);
    column->addWidget(drop);
    column->addWidget(m_roster, 1);
    return tab;
}

void ClassView::open(const ClassRequest& request, const QString& part)
{
    m_part = part;
    if (request.sample != m_request.sample || request.slug != m_request.slug) {
        m_state.reset();
        m_outcome->hide();
        m_tabs->setCurrentIndex(Overview);
    }
    m_request = request;
    m_banner->hide();
    reload();
}

void ClassView::reload()
{
    const int asked = ++m_asked;
    m_ready = false;
    look();
    m_desk
        .run<ClassState>({}, [request = m_request](ClassBench& bench, const JobHooks&) { return bench.state(request); })
        .then(this, [this, asked](const Result<ClassState>& state) {
            if (asked != m_asked)
                return;
            m_ready = true;
            if (state)
                show(*state);
            else
                fail(state.error());
            look();
            showPart(std::exchange(m_part, {}));
            collect(std::exchange(m_waiting, {}));
        });
}

void ClassView::show(ClassState state)
{
    m_state = std::move(state);
    m_tally->setState(*m_state);
    m_handIns->setChangeable(changeable());
    m_handIns->setHandIns(m_state->handIns, m_state->members);
    m_roster->setMembers(m_state->members);
    m_assignments->clear();
    for (const AssignmentHead& head : m_state->assignments)
        m_assignments->addItem(text(head.title), text(head.id));
    m_assignments->setCurrentIndex(m_assignments->findData(text(m_state->of.assignment)));
    const auto shown = std::ranges::find(m_state->assignments, m_state->of.assignment, &AssignmentHead::id);
    m_key->setVisible(shown != m_state->assignments.end() && !shown->key.empty());
    if (m_key->isVisible()) {
        m_key->setData(keyFingerprint(shown->key));
        m_key->setText(tr("Key of this assignment: %1").arg(keyFingerprint(shown->key)));
    }
    const auto rechecked = m_regrades.find(m_request.slug + '/' + m_state->of.assignment);
    if (rechecked != m_regrades.end())
        m_rechecked->setReport(rechecked->second);
    m_rechecked->setOpen(m_state->report.open, changeable());
    showReport();
    m_desk
        .run<LiveClass>({}, [request = m_state->of](ClassBench& bench, const JobHooks&) { return bench.live(request); })
        .then(this, [this](const Result<LiveClass>& live) {
            m_live->setClass(live && !m_request.sample ? std::optional(*live) : std::nullopt);
        });
}

void ClassView::showPart(const QString& part)
{
    static const QHash<QString, int> tabs{
        {QStringLiteral("hand-ins"), HandIns}, {QStringLiteral("roster"), Roster}, {QStringLiteral("live"), Live}};
    if (const auto tab = tabs.find(part); tab != tabs.end() && m_tabs->isTabVisible(*tab))
        m_tabs->setCurrentIndex(*tab);
    if (part == QLatin1String("projector"))
        setProjector(true);
}

void ClassView::showReport()
{
    if (hasHandIns() && !m_dashboard)
        makeDashboard();
    m_overview->setCurrentIndex(hasHandIns() ? 1 : 0);
    if (!m_dashboard)
        return;
    if (!m_projector) {
        m_dashboard->setReport(m_state->report);
        m_dashboard->setProjector(false);
        return;
    }
    // Names are taken out where the rows are, not hidden here.
    m_desk
        .run<classroom::ClassReport>(
            {}, [request = m_state->of](ClassBench& bench, const JobHooks&) { return bench.nameless(request); })
        .then(this, [this](const Result<classroom::ClassReport>& report) {
            if (!m_projector)
                return;
            if (!report)
                return fail(report.error());
            m_dashboard->setProjector(true);
            m_dashboard->setReport(*report);
        });
}

void ClassView::fail(const Error& error)
{
    m_banner->setError(error);
    m_banner->show();
    announce(this, m_banner->text());
}

void ClassView::tell(const QString& words, const QString& next, std::function<void()> act, bool doubtful)
{
    m_outcome->tell(words, next, std::move(act), doubtful ? OutcomeBar::Tone::Doubtful : OutcomeBar::Tone::Done);
    announce(this, words);
}

QString ClassView::title() const
{
    return m_request.sample ? tr("Sample class") : m_state ? text(m_state->title) : text(m_request.slug);
}

void ClassView::look()
{
    m_title->setText(title());
    m_assignments->setVisible(m_state && m_state->assignments.size() > 1);
    if (const AssignmentHead* shown = m_state ? m_state->shown() : nullptr) {
        QStringList lessons;
        for (const auto& lesson : shown->lessons)
            lessons << text(lesson.first);
        m_about->setText(QStringList{
            text(shown->title), deadlineText(shown->deadline),
            (lessons.size() == 1 ? tr("lesson %1") : tr("lessons %1")).arg(lessons.join(QStringLiteral(", ")))}
                             .join(QStringLiteral(" · ")));
    } else {
        m_about->setText(m_ready ? QString() : tr("Being opened …"));
    }
    const bool idle = !m_desk.working();
    m_collect->setEnabled(changeable() && idle);
    m_regrade->setEnabled(changeable() && idle && hasHandIns());
    m_grades->setEnabled(m_state && idle && hasHandIns());
    m_feedback->setEnabled(m_state && idle && hasHandIns());
    m_more->setEnabled(changeable() && idle);
    m_project->setEnabled(m_projector || hasHandIns());
    m_rosterTab->findChild<DropField*>()->setVisible(!m_request.sample);
    for (QWidget* widget : {m_actions->findChild<QWidget*>(QStringLiteral("class-collect")),
                            static_cast<QWidget*>(m_regrade), static_cast<QWidget*>(m_more)})
        widget->setVisible(!m_request.sample && !m_projector);
    m_grades->setVisible(!m_projector);
    m_feedback->setVisible(!m_projector);
    m_tally->setVisible(!m_projector && m_state);
    m_leave->setEnabled(m_projector);
    m_project->setText(m_projector ? tr("Leave projector mode") : tr("Projector"));
    m_tabs->setTabVisible(HandIns, !m_projector);
    m_tabs->setTabVisible(Roster, !m_projector);
    m_tabs->setTabVisible(Live, !m_request.sample);
    m_tabs->setTabVisible(Recheck, !m_projector && m_state &&
                                       (m_regrades.contains(m_request.slug + '/' + m_state->of.assignment) ||
                                        !m_rechecked->open()->isEmpty()));
    setAcceptDrops(changeable());
    Q_EMIT changed();
}

void ClassView::setProjector(bool on)
{
    if (on == m_projector || (on && !hasHandIns()))
        return;
    m_projector = on;
    m_project->setChecked(on);
    if (on && m_tabs->currentIndex() != Live)
        m_tabs->setCurrentIndex(Overview);
    m_live->setProjector(on);
    m_outcome->hide();
    if (on)
        m_project->setFocus(); // what had it goes out of view
    look();
    if (m_state)
        showReport();
}

QList<QWidget*> ClassView::panes() const
{
    QList<QWidget*> panes{m_actions, m_tabs->tabBar()};
    if (m_tabs->currentIndex() == Overview && hasHandIns())
        return panes + m_dashboard->panes();
    return panes << m_tabs->currentWidget();
}

void ClassView::arrange()
{
    const bool beside = width() >= m_context.theme().scaled(kBeside);
    m_head->setDirection(beside ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
    m_more->setFixedHeight(m_grades->sizeHint().height()); // a tool button is some pixels higher by itself
}

void ClassView::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    arrange();
    m_veil->setGeometry(rect());
}

void ClassView::dragEnterEvent(QDragEnterEvent* event)
{
    const QStringList paths = droppedPaths(*event->mimeData());
    const bool roster = paths.size() == 1 && isTablePath(paths.front());
    if (!changeable() || paths.isEmpty() || (!roster && !std::all_of(paths.begin(), paths.end(), isSubmissionPath)))
        return;
    m_veil->showFor(roster ? tr("Read this roster into %1").arg(title()) : tr("Collect into %1").arg(title()));
    event->acceptProposedAction();
}

void ClassView::dragLeaveEvent(QDragLeaveEvent*)
{
    m_veil->hide();
}

void ClassView::dropEvent(QDropEvent* event)
{
    m_veil->hide();
    event->acceptProposedAction();
    const QStringList paths = droppedPaths(*event->mimeData());
    if (paths.size() == 1 && isTablePath(paths.front()))
        takeRoster(paths.front());
    else
        collect(paths);
}

} // namespace ridge::app

#include "moc_class_view.cpp"
