// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/class/live/live_panel.h"

#include "app/class/dashboard/projector.h"
#include "app/class/live/live_panel_parts.h"
#include "app/class/live/live_session.h"
#include "app/class/live/live_texts.h"
#include "app/class/live/text_table.h"
#include "app/ui/panels.h"
#include "app/ui/still_scroll.h"

#include <QCheckBox>
#include <QDeadlineTimer>
#include <QSplitter>
#include <QStackedLayout>
#include <QTimer>
#include <QTreeView>

namespace ridge::app {
namespace {

constexpr int kMinuteMs = 15000; ///< until "4 min" is looked at again
constexpr int kSideBySide = 900; ///< px at 100 %
constexpr int kWhereHeight = 220, kRevealHeight = 380;
constexpr int kProjectedHeight = 420; ///< of a histogram in large type: all of it is seen beside address and code

QString text(const std::string& value)
{
    return QString::fromStdString(value);
}

} // namespace

Result<LiveClass> liveClassOf(classroom::OpenClass& open, const std::string& assignment)
{
    const auto found = open.assignment(assignment);
    if (!found)
        return found.error();
    const auto members = open.school->members();
    if (!members)
        return members.error();
    LiveClass live{open.place.title, **found, open.keys, {}};
    for (const record::MemberRow& member : *members)
        if (!member.learner.empty())
            live.names[member.learner] = member.name;
    return live;
}

struct LivePanel::Parts {
    Parts(LivePanel& panel, AppContext& context);

    void showState();
    void showBoard();
    void toggle();
    void follow();
    void enlarge();
    void fit();        ///< side by side where there is room, one above the other where there is not
    bool ours() const; ///< the session is that of the class in view

    LivePanel& panel;
    AppContext& context;
    LiveSession& session;
    Theme stage; ///< of what the room looks at: larger on a projector
    QScrollArea* scroll;
    Card* whereCard;
    QLabel* heading;
    QBoxLayout *head, *controls; ///< address and code, and what is done with the session: below, on a projector beside
    std::optional<LiveClass> live;
    std::optional<Error> refused;
    bool projector = false, stretched = false; ///< stretched: the histogram has most of the room
    QLabel *about, *state, *refusals, *whereTitle;
    QPushButton* button;
    QCheckBox* large;
    PlaceCard* place;
    QSplitter* split;
    TextTable* where;
    QTreeView* whereView;
    RevealCard* reveal;
    QTimer* minute;
};

LivePanel::Parts::Parts(LivePanel& owner, AppContext& made)
    : panel(owner), context(made), session(LiveSession::of(made)), stage(nullptr, Theme::Scope::Detached),
      scroll(new StillScroll), whereCard(new Card(LivePanel::tr("Where the class is"))),
      heading(makeLabel(made.theme(), LivePanel::tr("Live view"), TextStyle::ReadH3)),
      head(new QBoxLayout(QBoxLayout::TopToBottom)), controls(new QBoxLayout(QBoxLayout::LeftToRight)),
      about(makeText(made.theme(), {})), state(makeText(made.theme(), {}, TextStyle::Body, QStringLiteral("muted"))),
      refusals(makeText(made.theme(), {}, TextStyle::Caption, QStringLiteral("hint"))),
      button(makeButton({}, {}, true)), large(new QCheckBox(LivePanel::tr("Projector"))),
      place(new PlaceCard(made.theme())), split(new QSplitter(Qt::Horizontal)), where(new TextTable({}, &owner)),
      minute(new QTimer(&owner))
{
    Theme& theme = context.theme();
    follow(); // before anything takes its type from it
    whereTitle = makeLabel(stage, {}, TextStyle::Strong);
    whereView = makeTextTable(stage, where, tr("Where the class is"));
    reveal = new RevealCard(context, stage);
    auto* outer = new QVBoxLayout(&panel);
    outer->setContentsMargins(0, 0, 0, 0);
    scroll->setAccessibleName(tr("Live view"));
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setFocusPolicy(Qt::NoFocus);
    outer->addWidget(scroll);
    auto* inner = new QWidget;
    inner->setAccessibleName(tr("Live view"));
    scroll->setWidget(inner);
    auto* column = new QVBoxLayout(inner);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(space::m);

    auto* card = new Card(tr("Live session"));
    card->column()->addWidget(heading);
    card->column()->addWidget(about);
    button->setObjectName(QStringLiteral("live-session"));
    large->setAccessibleName(tr("Projector: large type, no names"));
    large->setToolTip(tr("Large type, no names and no list of learners"));
    controls->addWidget(button);
    controls->addWidget(large);
    controls->addWidget(state, 1);
    head->setSpacing(space::s);
    head->addWidget(place, 1);
    head->addLayout(controls);
    card->column()->addLayout(head);
    card->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
    column->addWidget(card);

    split->setAccessibleName(tr("What the class does"));
    split->setChildrenCollapsible(false);
    whereCard->column()->addWidget(whereTitle);
    whereCard->column()->addWidget(whereView, 1);
    whereCard->column()->addWidget(refusals);
    split->addWidget(whereCard);
    split->addWidget(reveal);
    split->setSizes({460, 600}); // shares of what there is
    // A chart likes to be high; what scrolls is only as high as it must be.
    split->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Ignored);
    split->setStretchFactor(0, 4);
    split->setStretchFactor(1, 5);
    column->addWidget(split, 1);
    column->addStretch(0);
    for (QLabel* label : {about, state})
        label->setTextFormat(Qt::PlainText); // titles are whatever somebody wrote

    QObject::connect(button, &QPushButton::clicked, &panel, [this] { toggle(); });
    QObject::connect(large, &QCheckBox::toggled, &panel, [this](bool on) { panel.setProjector(on); });
    QObject::connect(&session, &LiveSession::changed, &panel, [this] { showState(); });
    QObject::connect(&session, &LiveSession::told, &panel, [this] { showBoard(); });
    QObject::connect(&theme, &Theme::changed, &panel, [this] { enlarge(); });
    minute->setInterval(kMinuteMs);
    QObject::connect(minute, &QTimer::timeout, &panel, [this] { showBoard(); });
}

void LivePanel::Parts::follow()
{
    if (const auto followed = followTheme(stage, context.theme(), projector); !followed)
        Q_EMIT context.notice(text(toText(followed.error())), true);
}

void LivePanel::Parts::enlarge()
{
    follow();
    dressControls(*split, stage, projector);
    Q_EMIT stage.changed(); // a sheet gives labels back the type that they had before it
    fit();
}

void LivePanel::Parts::fit()
{
    const Theme& theme = context.theme();
    const bool wide = panel.width() >= theme.scaled(kSideBySide);
    split->setOrientation(wide ? Qt::Horizontal : Qt::Vertical);
    const int least = theme.scaled(projector ? kProjectedHeight : kRevealHeight);
    whereCard->setMinimumHeight(theme.scaled(kWhereHeight));
    reveal->setMinimumHeight(least);
    split->setMinimumHeight(wide ? least : least + whereCard->minimumHeight() + split->handleWidth());
    const bool beside = projector && wide;
    reveal->setCompact(beside);
    if (beside != stretched) {
        stretched = beside;
        const QList<int> shares = beside ? QList<int>{430, 730} : QList<int>{460, 600};
        split->setStretchFactor(0, beside ? 1 : 4);
        split->setStretchFactor(1, beside ? 3 : 5);
        split->setSizes(shares);
    }
    heading->setVisible(!beside);
    head->setDirection(beside ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
    controls->setDirection(beside ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
}

bool LivePanel::Parts::ours() const
{
    return live && session.about().assignment.id == live->assignment.id;
}

void LivePanel::Parts::toggle()
{
    refused.reset();
    if (session.isOpen()) {
        session.end();
    } else if (live) {
        if (auto opened = session.open(*live, reveal->questions()); !opened)
            refused = opened.error();
    }
    showState();
}

void LivePanel::Parts::showState()
{
    const bool open = session.isOpen();
    const bool sealed = live && !live->assignment.sealKey.empty();
    button->setText(open ? tr("End the session") : tr("Open a session"));
    button->setToolTip(open ? tr("Tells every learner's program to stop sharing; nothing listens any more")
                            : tr("This computer listens for learners of this class until you end it"));
    button->setAccessibleName(open ? tr("End the session: live view") : tr("Open a session: live view"));
    button->setEnabled(open || sealed);
    about->setVisible(!open);
    about->setText(
        !live ? tr("There is no class yet. Make one, then its learners can show you live where they are.")
              : tr("Learners of %1 who switch it on let you see, over the local network, at which step of each lesson "
                   "they are and what they predicted. They type the address and the code that stand here while a "
                   "session is open. Before you open one nothing listens on this computer, and nothing is sent to "
                   "learners but a note that a message has arrived.")
                    .arg(text(live->assignment.title)));
    place->setVisible(open);
    place->show(session.places(), session.code(), projector);
    large->setChecked(projector);
    large->setVisible(open);
    QString words;
    if (refused)
        words = asSentence(text(refused->message)) + QLatin1Char(' ') + asSentence(text(refused->fix));
    else if (open && !ours())
        words = tr("This session is that of %1.").arg(text(session.about().assignment.title));
    else if (live && !sealed)
        words = tr("This assignment was made without a key to seal messages to, so learners cannot share it live.");
    else if (open && session.places().empty())
        words = tr("This computer is in no network. Learners on it can join at 127.0.0.1:%1.").arg(session.port());
    state->setText(words);
    setTone(state, refused ? QStringLiteral("error") : QStringLiteral("muted"));
    showBoard();
}

void LivePanel::Parts::showBoard()
{
    const live::BoardView none;
    const live::BoardView& view = ours() ? session.view() : none;
    const bool any = ours() && (session.isOpen() || !view.learners.empty());
    split->setVisible(any);
    if (any && session.isOpen())
        minute->start();
    else
        minute->stop();
    const int all = static_cast<int>(view.learners.size());
    if (projector) {
        where->setTitles({tr("Lesson"), tr("Step"), tr("Learners")});
        where->setRows(countRows(view, session.about().assignment.lessons));
        whereTitle->setText(all == 1 ? tr("One learner") : tr("%1 learners").arg(all));
    } else {
        where->setTitles({tr("Learner"), tr("Step"), tr("For"), tr("Lesson"), tr("Link")});
        where->setRows(
            whereRows(view, live ? live->names : session.about().names, QDeadlineTimer::current().deadline()));
        whereTitle->setText(
            all == 0
                ? tr("Nobody has joined yet")
                : tr("%1 here of %2, longest at one step first").arg(session.isOpen() ? session.here() : 0).arg(all));
    }
    whereView->setAccessibleDescription(whereTitle->text());
    const QString refusedWords = projector ? QString() : refusalWords(view.refusals);
    refusals->setText(refusedWords);
    refusals->setVisible(!refusedWords.isEmpty());
    reveal->showBoard(view);
}

LivePanel::LivePanel(AppContext& context, QWidget* parent) : QWidget(parent), d(std::make_unique<Parts>(*this, context))
{
    setAccessibleName(tr("Live view"));
    d->showState();
}

LivePanel::~LivePanel() = default;

void LivePanel::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    d->fit();
}

void LivePanel::setClass(std::optional<LiveClass> live)
{
    d->live = std::move(live);
    d->refused.reset();
    d->reveal->setAssignment(d->live ? d->live->assignment : classroom::Assignment{});
    d->showState();
}

void LivePanel::setProjector(bool on)
{
    if (d->projector == on)
        return;
    d->projector = on;
    d->enlarge();
    d->showState();
    Q_EMIT projectorChanged(on);
}

bool LivePanel::projector() const
{
    return d->projector;
}

} // namespace ridge::app

#include "moc_live_panel.cpp"
