// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/class/assignments/assignment_page.h"

#include "app/class/assignments/assigned_lessons.h"
#include "app/class/assignments/assignment_text.h"
#include "app/class/assignments/submit_panel.h"
#include "app/class/live/share_panel.h"
#include "app/theme/announce.h"
#include "app/ui/facts.h"
#include "app/ui/flow_layout.h"
#include "base/json.h"
#include "record/clock.h"

#include <QFileInfo>
#include <QGridLayout>
#include <QUrl>
#include <QVBoxLayout>

namespace ridge::app {
namespace {

constexpr int kPageWidth = 1040;
constexpr int kWide = 940; ///< px at 100 % from which there are two columns
const QString kFile = QStringLiteral("file:");

QString text(const std::string& value)
{
    return QString::fromStdString(value);
}

std::string now()
{
    return record::timeStamp().toStdString();
}

/// The key that an assignment with this id, or another one by this teacher, was accepted with.
bool knownKey(const FeedbackWatch& feedback, const classroom::Assignment& assignment)
{
    return std::ranges::any_of(feedback.policy().assignments(),
                               [&](const classroom::Assignment& each) { return each.signKey == assignment.signKey; });
}

} // namespace

QString previewPlace(const QString& path)
{
    return QStringLiteral("assignment/") + kFile +
           QString::fromLatin1(QUrl::toPercentEncoding(QFileInfo(path).absoluteFilePath()));
}

QString pathOfPreview(const QString& part)
{
    return part.startsWith(kFile) ? QUrl::fromPercentEncoding(part.mid(kFile.size()).toLatin1()) : QString();
}

AssignmentPage::AssignmentPage(AppContext& context, QWidget* parent)
    : Page(parent), m_context(context), m_scroll(new ColumnScroll(kPageWidth, tr("Assignment"), this)),
      m_banner(new Banner(context.theme()))
{
    setAccessibleName(tr("Assignment"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_banner);
    layout->addWidget(m_scroll);
    m_scroll->column()->setSpacing(space::l);
    connect(m_banner, &Banner::closed, m_banner, &QWidget::hide);
    connect(&context.theme(), &Theme::changed, this, &AssignmentPage::arrange);
    connect(&context.feedback(), &FeedbackWatch::changed, this, [this] {
        if (m_assignment && m_path.isEmpty())
            (void)open(m_part); // a later edition, or a deadline that has passed
    });
    if (record::Store* store = context.store()) {
        m_again.setSingleShot(true);
        m_again.setInterval(kRefreshMs);
        connect(&m_again, &QTimer::timeout, this, &AssignmentPage::refreshLessons);
        connect(store, &record::Store::changed, &m_again, qOverload<>(&QTimer::start));
    }
}

Result<void> AssignmentPage::open(const QString& part)
{
    const QString path = pathOfPreview(part);
    if (!path.isEmpty()) {
        auto bytes = classroom::readBundle(path.toStdString());
        if (!bytes)
            return bytes.error();
        auto assignment = classroom::readAssignment(*bytes, path.toStdString());
        if (!assignment)
            return assignment.error();
        m_bytes = std::move(*bytes);
        m_assignment = std::move(*assignment);
        m_path = path;
        m_part = part;
        showPreview();
        return {};
    }
    auto assignment = classroom::acceptedAssignment(m_context.feedback().home(), part.toStdString());
    if (!assignment)
        return assignment.error();
    m_assignment = std::move(*assignment);
    m_bytes.clear();
    m_path.clear();
    m_part = part;
    showAssignment();
    return {};
}

QString AssignmentPage::title() const
{
    return m_assignment ? text(m_assignment->title) : tr("Assignment");
}

bool AssignmentPage::ready() const
{
    return !m_submit || m_submit->ready();
}

void AssignmentPage::begin()
{
    m_banner->hide();
    m_accept = nullptr;
    m_submit = nullptr;
    m_lessons = nullptr;
    m_halves = nullptr;
    m_left = m_right = nullptr;
    m_scroll->clear();
}

void AssignmentPage::addHead(const QString& caption)
{
    Theme& theme = m_context.theme();
    QVBoxLayout* column = m_scroll->column();
    auto* head = new QWidget;
    head->setAccessibleName(title());
    auto* lines = new QVBoxLayout(head);
    lines->setContentsMargins(0, 0, 0, 0);
    lines->setSpacing(space::xs);
    lines->addWidget(makeText(theme, caption, TextStyle::Caption, QStringLiteral("hint")));
    lines->addWidget(makeText(theme, title(), TextStyle::ReadH1));
    const bool late = !m_assignment->deadline.empty() && now() > m_assignment->deadline;
    QLabel* due = makeText(theme, deadlineText(*m_assignment, now()), TextStyle::ReadBody,
                           late ? QStringLiteral("warn") : QStringLiteral("muted"));
    due->setObjectName(QStringLiteral("deadline"));
    lines->addWidget(due);
    column->addWidget(head);
}

QWidget* AssignmentPage::makePolicy() const
{
    Theme& theme = m_context.theme();
    auto* card = new Card(tr("What you are shown"));
    card->column()->addWidget(makeLabel(theme, tr("What you are shown"), TextStyle::ReadH3));
    if (!keepsBack(*m_assignment)) {
        card->column()->addWidget(makeText(theme, tr("Everything that comes of your work is shown at once.")));
        return card;
    }
    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(space::l);
    grid->setVerticalSpacing(space::s);
    grid->setColumnStretch(0, 3);
    grid->setColumnStretch(1, 2);
    int row = 0;
    for (const std::string& step : classroom::steps()) {
        const QString outcome = stepOutcome(step), when = whenText(*m_assignment, step);
        QLabel* shown = makeText(theme, when);
        shown->setAccessibleName(QStringLiteral("%1: %2").arg(outcome, when));
        grid->addWidget(makeText(theme, outcome, TextStyle::Body, QStringLiteral("muted")), row, 0, Qt::AlignTop);
        grid->addWidget(shown, row++, 1, Qt::AlignTop);
    }
    card->column()->addLayout(grid);
    card->column()->addWidget(makeText(theme,
                                       tr("Whatever you do is stored at once, as always. Your teacher chose when you "
                                          "see what came of it; the same holds in every place of this program."),
                                       TextStyle::Caption, QStringLiteral("hint")));
    return card;
}

void AssignmentPage::showPreview()
{
    begin();
    Theme& theme = m_context.theme();
    const std::string& teacher = m_assignment->teacher;
    addHead(teacher.empty() ? tr("New assignment") : tr("New assignment by %1").arg(text(teacher)));
    auto* lessons = new Card(tr("Lessons"));
    const auto count = m_assignment->lessons.size();
    lessons->column()->addWidget(
        makeLabel(theme, count == 1 ? tr("1 lesson") : tr("%1 lessons").arg(count), TextStyle::ReadH3));
    lessons->column()->addWidget(new AssignedLessons(m_context, standingsOf(m_context, *m_assignment), false));

    auto* from = new Card(tr("Who made it"));
    from->column()->addWidget(makeLabel(theme, tr("Who made it"), TextStyle::ReadH3));
    auto* facts = new FactTable(theme, tr("Who made it"));
    facts->addRow(tr("Teacher"), teacher.empty() ? tr("no name given") : text(teacher));
    facts->addRow(tr("Key"), keyFingerprint(m_assignment->signKey));
    facts->addRow(tr("Made"), timeText(m_assignment->createdAt));
    facts->addRow(tr("File"), QFileInfo(m_path).fileName());
    from->column()->addWidget(facts);
    QLabel* trust =
        makeText(theme,
                 knownKey(m_context.feedback(), *m_assignment)
                     ? tr("The signature is right, and it is the key of an assignment that you accepted before.")
                     : tr("The signature is right: nobody has changed the file since. You see this key for the first "
                          "time; compare "
                          "it with what your teacher shows. From now on this assignment is taken from this key alone."),
                 TextStyle::Body, QStringLiteral("muted"));
    trust->setObjectName(QStringLiteral("trust"));
    from->column()->addWidget(trust);

    auto* bar = new QWidget;
    bar->setAccessibleName(tr("Accept the assignment"));
    auto* row = new FlowLayout(bar);
    m_accept = makeButton(tr("Accept"), tr("Puts the assignment beside your own; nothing is sent anywhere"), true);
    m_accept->setObjectName(QStringLiteral("accept"));
    auto* away = makeButton(tr("Not now"), tr("Goes back; the file stays as it is"));
    row->addWidget(m_accept);
    row->addWidget(away);
    connect(m_accept, &QPushButton::clicked, this, &AssignmentPage::accept, Qt::QueuedConnection);
    connect(away, &QPushButton::clicked, this, [this] { Q_EMIT m_context.openRequested(QStringLiteral("home")); });
    m_scroll->column()->addWidget(bar);
    addHalves({lessons, makePolicy()}, {from});
    m_scroll->column()->addStretch(1);
    Q_EMIT titleChanged();
}

void AssignmentPage::accept()
{
    auto accepted = classroom::acceptAssignment(m_context.feedback().home(), m_bytes, m_path.toStdString());
    if (!accepted) {
        m_banner->setError(accepted.error());
        m_banner->show();
        announce(m_banner, m_banner->text());
        return;
    }
    // Made now, so that the pseudonym can be told to the teacher; a folder that refuses it says so when handing in.
    (void)classroom::ownIdentity(m_context.feedback().home());
    const QString id = text(accepted->id);
    m_path.clear();
    m_part = id;
    m_context.feedback().reload();
    Q_EMIT m_context.notice(tr("Accepted: %1").arg(text(accepted->title)), false);
    Q_EMIT m_context.openRequested(QStringLiteral("assignment/") + id);
}

void AssignmentPage::showAssignment()
{
    begin();
    addHead(m_assignment->teacher.empty() ? tr("Assignment") : tr("Assignment by %1").arg(text(m_assignment->teacher)));
    m_lessons = new Card(tr("Lessons"));
    refreshLessons();
    m_submit = new SubmitPanel(m_context, *m_assignment);
    connect(m_submit, &SubmitPanel::settled, this, &Page::readyChanged);
    auto* from = new Card(tr("Who made it"));
    from->column()->addWidget(makeLabel(m_context.theme(), tr("Who made it"), TextStyle::ReadH3));
    auto* facts = new FactTable(m_context.theme(), tr("Who made it"));
    if (!m_assignment->teacher.empty())
        facts->addRow(tr("Teacher"), text(m_assignment->teacher));
    facts->addRow(tr("Key"), keyFingerprint(m_assignment->signKey));
    if (const auto identity = classroom::ownIdentity(m_context.feedback().home()))
        facts->addRow(tr("You are"), text(identity->learner), {}, nullptr,
                      tr("The pseudonym by which your teacher knows you, made from a key on this computer"));
    from->column()->addWidget(facts);
    auto* share = new SharePanel(m_context);
    share->setAssignment(*m_assignment);
    addHalves({m_lessons, makePolicy(), from}, {m_submit, share});
    m_scroll->column()->addStretch(1);
    Q_EMIT titleChanged();
}

void AssignmentPage::refreshLessons()
{
    if (!m_lessons || !m_assignment)
        return;
    auto standings = standingsOf(m_context, *m_assignment);
    if (m_lessons->column()->count() > 0 && standings == m_standings)
        return;
    m_standings = std::move(standings);
    Theme& theme = m_context.theme();
    QWidget* const focus = focusWidget();
    const QString focused = focus && m_lessons->isAncestorOf(focus) ? focus->objectName() : QString();
    while (QLayoutItem* item = m_lessons->column()->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    const auto [done, all] = stepsDone(m_standings);
    m_lessons->column()->addWidget(makeLabel(theme, tr("Lessons"), TextStyle::ReadH3));
    QLabel* steps =
        makeText(theme, tr("%1 of %2 steps done").arg(done).arg(all), TextStyle::Body, QStringLiteral("muted"));
    steps->setObjectName(QStringLiteral("steps"));
    m_lessons->column()->addWidget(steps);
    auto* lessons = new AssignedLessons(m_context, m_standings, true);
    m_lessons->column()->addWidget(lessons);
    QStringList reasons;
    // This page's own rule stands below in full; of another assignment's one has to be told whose it is.
    if (!classroom::mayShow(*m_assignment, "passed", now()))
        reasons << tr("Passed: %1.").arg(whenText(*m_assignment, "passed"));
    else
        for (const AssignedStanding& one : m_standings)
            if (!one.passedHeld.isEmpty() && !reasons.contains(one.passedHeld))
                reasons << one.passedHeld;
    for (const QString& reason : reasons)
        m_lessons->column()->addWidget(makeText(theme, reason, TextStyle::Caption, QStringLiteral("hint")));
    lessons->show(); // at once, so that it can have the focus
    if (!focused.isEmpty())
        if (auto* button = m_lessons->findChild<QPushButton*>(focused))
            button->setFocus();
}

void AssignmentPage::addHalves(const QList<QWidget*>& left, const QList<QWidget*>& right)
{
    auto* holder = new QWidget;
    holder->setAccessibleName(title());
    m_halves = new QGridLayout(holder);
    m_halves->setContentsMargins(0, 0, 0, 0);
    m_halves->setSpacing(space::l);
    const auto columnOf = [](const QList<QWidget*>& widgets) {
        auto* side = new QWidget;
        auto* column = new QVBoxLayout(side);
        column->setContentsMargins(0, 0, 0, 0);
        column->setSpacing(space::l);
        for (QWidget* widget : widgets)
            column->addWidget(widget);
        column->addStretch(1);
        return side;
    };
    m_left = columnOf(left);
    m_right = columnOf(right);
    arrange();
    m_scroll->column()->addWidget(holder);
}

void AssignmentPage::arrange()
{
    if (!m_halves)
        return;
    const bool wide = width() >= m_context.theme().scaled(kWide);
    m_halves->addWidget(m_left, 0, 0);
    m_halves->addWidget(m_right, wide ? 0 : 1, wide ? 1 : 0);
    m_halves->setColumnStretch(0, 3);
    m_halves->setColumnStretch(1, wide ? 2 : 0);
}

void AssignmentPage::resizeEvent(QResizeEvent* event)
{
    Page::resizeEvent(event);
    arrange();
}

double AssignmentPage::scrollFraction() const
{
    return ridge::app::scrollFraction(m_scroll);
}

void AssignmentPage::setScrollFraction(double fraction)
{
    ridge::app::setScrollFraction(m_scroll, fraction);
}

QList<QWidget*> AssignmentPage::panes() const
{
    if (m_accept)
        return {m_accept, m_scroll};
    return m_lessons ? QList<QWidget*>{m_lessons, m_submit} : QList<QWidget*>{m_scroll};
}

} // namespace ridge::app

#include "moc_assignment_page.cpp"
