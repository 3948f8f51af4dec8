// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/home/home_page.h"

#include "app/lesson/insight/insight_card.h"
#include "app/portfolio/artifact_card.h"
#include "app/ui/panels.h"
#include "app/window/home/hardware_card.h"
#include "app/window/home/lesson_progress.h"
#include "app/window/home/path_card.h"
#include "app/window/home/welcome.h"
#include "record/clock.h"

#include <QDir>
#include <QGridLayout>
#include <QPainter>
#include <QPushButton>
#include <QVBoxLayout>

namespace ridge::app {
namespace {

constexpr int kRefreshMs = 100; ///< rows of a sweep come in bursts
constexpr int kShownPredictions = 24;
constexpr qint64 kReviewMs = 10 * 60 * 1000; ///< how late a due review may show up

/// The progress mark at rest in a card.
class ProgressMark : public QWidget {
public:
    ProgressMark(Theme& theme, const LessonProgress& progress) : m_theme(theme), m_progress(progress)
    {
        setFixedSize(theme.scaled(64), theme.scaled(16));
        setAccessibleName(progressText(progress));
        connect(&theme, &Theme::changed, this, [this] { update(); });
    }

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        paintProgress(painter, QRectF(rect()).adjusted(1, 0, -1, 0), m_theme, m_progress, Role::Surface);
    }

private:
    Theme& m_theme;
    LessonProgress m_progress;
};

} // namespace

HomePage::HomePage(AppContext& context, QWidget* parent)
    : Page(parent), m_context(context), m_scroll(new ColumnScroll(960, tr("Home"))),
      m_hardware(new HardwareCard(context))
{
    setAccessibleName(tr("Home"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_scroll);
    connect(&context, &AppContext::catalogueReady, this, &Page::readyChanged);
    connect(&context, &AppContext::catalogueFailed, this, &Page::readyChanged);
    connect(&context, &AppContext::catalogueReady, this, [this] {
        const QString target = m_context.target();
        m_context.calibration().considerBackground(target, m_context.targetInfo(target).available);
    });
    if (record::Store* store = context.store())
        connect(store, &record::Store::changed, this, [this] {
            m_stale = true;
            if (isVisible() && !m_refresh.isActive())
                m_refresh.start(kRefreshMs);
        });
    const auto again = [this] {
        m_stale = true;
        if (isVisible() && !m_refresh.isActive())
            m_refresh.start(kRefreshMs);
    };
    connect(&context, &AppContext::choicesChanged, this, again);
    connect(&context.feedback(), &FeedbackWatch::changed, this, again);
    m_refresh.setSingleShot(true);
    connect(&m_refresh, &QTimer::timeout, this, [this] {
        if (m_stale && isVisible())
            rebuild();
    });
    rebuild();
}

bool HomePage::firstRun() const
{
    if (!recentLessons().isEmpty())
        return false;
    const record::Store* store = m_context.store();
    if (!store)
        return true;
    record::RunFilter one;
    one.limit = 1;
    const auto runs = store->runs(one);
    return !runs || runs->empty();
}

Result<void> HomePage::open(const QString&)
{
    // A lesson may have been opened since, or a review have become due; all else is announced.
    if (recentLessons() != m_recent || m_built.hasExpired(kReviewMs))
        m_stale = true;
    rebuild();
    return {};
}

void HomePage::rebuild()
{
    if (!m_stale)
        return;
    m_stale = false;
    m_recent = recentLessons();
    m_built.start();
    const bool hadFocus = m_continue && m_continue->hasFocus();
    m_hardware->setParent(nullptr);
    m_scroll->clear();
    m_continue = nullptr;
    m_lower = nullptr;
    if (m_context.lastEnd())
        m_scroll->column()->addWidget(makeLastEnd());
    if (firstRun() && !learnerWasAsked()) {
        auto* welcome = new WelcomeCard(m_context);
        connect(welcome, &WelcomeCard::done, this, [this] {
            m_stale = true; // Home is another page from now on
            if (isVisible())
                m_refresh.start(0);
        });
        m_continue = welcome->startButton();
        m_scroll->column()->addWidget(welcome);
        m_scroll->column()->addWidget(m_hardware);
    } else {
        m_scroll->column()->addWidget(makeContinue());
        if (!m_context.curriculum().paths.empty())
            m_scroll->column()->addWidget(new PathCard(m_context, m_scroll->column()->parentWidget()));
        auto* holder = new QWidget;
        holder->setAccessibleName(tr("Calibration, last artifact and this machine"));
        m_lower = new QGridLayout(holder);
        m_lower->setContentsMargins(0, 0, 0, 0);
        m_lower->setSpacing(space::l);
        m_artifact = makeLastArtifact();
        m_insight = makeInsight();
        arrange();
        m_scroll->column()->addWidget(holder);
    }
    m_hardware->show();
    m_scroll->column()->addStretch(1);
    if (hadFocus && m_continue)
        m_continue->setFocus();
}

/// That the program fell over is told once, with what it means for the learner's work.
QWidget* HomePage::makeLastEnd()
{
    LastEnd end = *m_context.lastEnd();
    end.place.replace(QLatin1Char('/'), QLatin1Char(' ')); // "lesson 1.6"
    QStringList told;
    if (!end.cause.isEmpty() && !end.place.isEmpty())
        told << tr("It was stopped by %1 while %2 was open.").arg(end.cause, end.place);
    else if (!end.cause.isEmpty())
        told << tr("It was stopped by %1.").arg(end.cause);
    else if (!end.place.isEmpty())
        told << tr("It was killed, or the machine went down, while %1 was open.").arg(end.place);
    told << tr("All that was committed is in your record, and drafts are where they were.");
    if (!end.report.isEmpty())
        told << tr("What happened stands in %1; nobody else gets it.").arg(QDir::toNativeSeparators(end.report));
    auto* banner = new Banner(m_context.theme());
    banner->setObjectName(QStringLiteral("lastEnd"));
    banner->setMessage(tr("Ridgepoint ended unexpectedly last time."), told.join(QLatin1Char(' ')), true);
    banner->show();
    connect(banner, &Banner::closed, this, [this] {
        m_context.setLastEnd({});
        m_stale = true;
        m_refresh.start(0);
    });
    return banner;
}

QWidget* HomePage::makeContinue()
{
    Theme& theme = m_context.theme();
    const lessons::Lesson* lesson = nextLesson(m_context);
    auto* card = new Card(tr("Continue"));
    QVBoxLayout* column = card->column();
    column->setContentsMargins(space::xl, space::xl, space::xl, space::xl);
    if (!lesson) {
        column->addWidget(makeText(theme, tr("No lesson was found"), TextStyle::ReadH2));
        column->addWidget(makeText(theme, tr("The folder curriculum/ has no lesson that can be read. The Lab works "
                                             "all the same.")));
        m_continue = makeButton(tr("Go to the Lab"), tr("Opens the free bench"), true);
        connect(m_continue, &QPushButton::clicked, this,
                [this] { Q_EMIT m_context.openRequested(QStringLiteral("lab")); });
        column->addWidget(m_continue);
        return card;
    }
    const QString id = QString::fromStdString(lesson->id);
    const QString title = QString::fromStdString(lesson->title);
    const LessonProgress progress = CourseProgress(m_context).of(lesson->id);
    const QString verb = progress.shipped                                        ? tr("Read again")
                         : progress.opened || progress.predicted || progress.ran ? tr("Continue")
                                                                                 : tr("Start");
    column->addWidget(makeLabel(theme,
                                progress.shipped ? tr("Every lesson of this version is shipped") : tr("Continue"),
                                TextStyle::Caption, QStringLiteral("hint")));
    column->addWidget(makeText(theme,
                               id.endsWith(QLatin1String(".capstone")) ? tr("Capstone: %1").arg(title)
                                                                       : QStringLiteral("%1  %2").arg(id, title),
                               TextStyle::ReadH2));
    if (!lesson->question.empty())
        column->addWidget(
            makeText(theme, QString::fromStdString(lesson->question), TextStyle::ReadBody, QStringLiteral("muted")));
    column->addSpacing(space::s);
    auto* row = new QHBoxLayout;
    row->setSpacing(space::l);
    m_continue = makeButton(verb, title, true);
    m_continue->setAccessibleName(QStringLiteral("%1: %2 %3").arg(verb, id, title));
    connect(m_continue, &QPushButton::clicked, this,
            [this, id] { Q_EMIT m_context.openRequested(QStringLiteral("lesson/") + id); });
    row->addWidget(m_continue);
    row->addWidget(new ProgressMark(theme, progress));
    row->addWidget(makeLabel(theme, tr("%1 · about %2 minutes").arg(progressText(progress)).arg(lesson->minutes),
                             TextStyle::Body, QStringLiteral("hint")));
    row->addStretch(1);
    column->addLayout(row);
    return card;
}

QWidget* HomePage::makeInsight()
{
    const record::Store* store = m_context.store();
    const auto outcomes = store ? predictionOutcomes(*store, kShownPredictions)
                                : Result<std::vector<PredictionOutcome>>(std::vector<PredictionOutcome>{});
    if (!outcomes)
        return nullptr;
    const Discretion discretion = m_context.feedback().discretion();
    std::vector<PredictionOutcome> shown;
    for (const PredictionOutcome& outcome : *outcomes)
        if (Discretion::reason(discretion.predictions, outcome.lesson).empty())
            shown.push_back(outcome);
    if (shown.empty())
        return nullptr;
    const std::string now = record::timeStamp().toStdString();
    const auto due = reviewSession(*store, m_context.curriculum(), now, discretion);
    const ReviewSession session = due ? *due : ReviewSession{};
    // Looked up only where it is said.
    const auto next = session.tasks.empty() ? nextReviews(*store, m_context.curriculum(), now, discretion)
                                            : Result<std::optional<NextReviews>>(std::optional<NextReviews>());
    return new InsightCard(m_context, shown, session, next ? *next : std::optional<NextReviews>());
}

QWidget* HomePage::makeLastArtifact()
{
    const record::Store* store = m_context.store();
    if (!store)
        return nullptr;
    const auto artifacts = store->artifacts();
    if (!artifacts || artifacts->empty())
        return nullptr;
    auto bundle = loadArtifact(*store, artifacts->front().id);
    if (bundle)
        withhold(m_context.feedback(), *bundle);
    const record::ArtifactRow& last = bundle ? bundle->row : artifacts->front();
    auto* holder = new QWidget;
    holder->setAccessibleName(tr("Last artifact"));
    auto* column = new QVBoxLayout(holder);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(space::s);
    auto* card =
        new ArtifactCard(m_context.theme(), last, bundle ? markOf(*bundle) : std::optional<ArtifactCard::Mark>());
    card->setHeading(tr("Last artifact"));
    connect(card, &ArtifactCard::clicked, this,
            [this, card] { Q_EMIT m_context.openRequested(QStringLiteral("artifact/") + card->artifactId()); });
    column->addWidget(card);
    column->addStretch(1);
    return holder;
}

void HomePage::arrange()
{
    if (!m_lower)
        return;
    // Side by side where both have room to be read: the machine, which is long, beside what is the learner's own.
    const bool wide = width() >= m_context.theme().scaled(860) && (m_artifact || m_insight);
    int row = 0;
    for (QWidget* own : {m_insight, m_artifact})
        if (own)
            m_lower->addWidget(own, row++, 0, Qt::AlignTop);
    m_lower->addWidget(m_hardware, wide ? 0 : row, wide ? 1 : 0, wide ? std::max(1, row + 1) : 1, 1, Qt::AlignTop);
    m_lower->setRowStretch(row, wide ? 1 : 0);
    m_lower->setColumnStretch(0, m_insight || !wide ? 1 : 0); // an artifact's card has a width of its own
    m_lower->setColumnStretch(1, wide ? 1 : 0);
}

void HomePage::resizeEvent(QResizeEvent* event)
{
    Page::resizeEvent(event);
    arrange();
}

QList<QWidget*> HomePage::panes() const
{
    return m_continue ? QList<QWidget*>{m_continue, m_hardware} : QList<QWidget*>();
}

} // namespace ridge::app

#include "moc_home_page.cpp"
