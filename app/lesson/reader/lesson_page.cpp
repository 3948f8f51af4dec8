// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lesson/reader/lesson_page.h"

#include "app/lesson/reader/block_widget.h"
#include "app/lesson/reader/error_card.h"
#include "app/lesson/reader/lesson_column.h"
#include "app/lesson/reader/lesson_places.h"
#include "app/lesson/reader/page_parts.h"
#include "app/lesson/reader/prose_view.h"
#include "app/theme/restyler.h"
#include "app/ui/still_scroll.h"

#include <QApplication>
#include <QKeyEvent>
#include <QLabel>
#include <QScrollBar>
#include <QSettings>
#include <QTimer>
#include <cmath>

namespace ridge::app {

namespace {

constexpr int kSidePanelWidth = 232, kBlockTop = 24;

QString scrollKey(const QString& lesson)
{
    return QStringLiteral("reader/scroll/") + lesson;
}

} // namespace

struct LessonPage::Private {
    LessonPage* q;
    AppContext& app;
    QString id;
    std::unique_ptr<LessonState> state;
    std::unique_ptr<FormulaLibrary> formulas;
    std::unique_ptr<InfoCard> card;
    QScrollArea* scroll = nullptr;
    LessonColumn* column = nullptr;
    SidePanel* side = nullptr;
    std::unique_ptr<LessonPlaces> places;
    QString wantedPlace;
    ErrorCard* failure = nullptr; ///< in place of the lesson
    std::optional<double> wantedScroll;
    QPointer<QWidget> kept; ///< the part at the top of the picture, while texts take the look of a new theme one by one
    double keptFrom = 0;    ///< where in it the picture begins, as a part of its height
    bool moving = false;    ///< the program scrolls, not the person
    QTimer saveScroll;
    QString inView;
    bool restored = false, ready = false;

    Private(LessonPage* page, AppContext& context, QString lesson) : q(page), app(context), id(std::move(lesson)) {}
    void build();
    void showFailure(const Error& error);
    void restore();
    void settle();
    void layOut();
    void applyScroll();
    void keepPlace();
    void letPlaceGo();
    void scrolled();
    void placeSide();
    int currentBlock() const;
    BlockWidget* focusedBlock() const;
    BlockWidget* blockToActivate() const;
    void goTo(int index);
    int topOf(const QWidget* widget) const { return widget->mapTo(column, QPoint(0, 0)).y(); }
};

LessonPage::LessonPage(AppContext& context, const QString& lessonId, QWidget* parent)
    : QWidget(parent), d(std::make_unique<Private>(this, context, lessonId))
{
    setObjectName(QStringLiteral("lessonPage"));
    setAccessibleName(tr("Lesson %1").arg(lessonId));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    auto lesson = lessons::loadLesson(context.curriculum(), lessonId.toStdString());
    if (!lesson) {
        d->showFailure(lesson.error());
        return;
    }
    d->state = std::make_unique<LessonState>(context, std::move(*lesson), this);
    connect(&d->state->changes(), &QUndoStack::indexChanged, this, &LessonPage::changesChanged);
    d->formulas = std::make_unique<FormulaLibrary>(context.theme(), context.dataFolder());
    d->card = std::make_unique<InfoCard>(context, this);
    d->build();
}

QUndoStack* LessonPage::changes() const
{
    return d->state ? &d->state->changes() : nullptr;
}

LessonPage::~LessonPage()
{
    if (d->state)
        d->state->changes().disconnect(this); // it tells of its own end
    if (d->saveScroll.isActive())
        QSettings().setValue(scrollKey(d->id), scrollFraction());
    d->places.reset();
    // Blocks use the state, the formulas and the card: they go before those.
    delete d->scroll;
}

void LessonPage::Private::showFailure(const Error& error)
{
    auto* holder = new QWidget(q);
    auto* layout = new QVBoxLayout(holder);
    layout->setContentsMargins(space::xxxl, space::xxxl, space::xxxl, space::xxxl);
    layout->setSpacing(space::l);
    layout->addWidget(
        new ThemedLabel(app.theme(), tr("Lesson %1 cannot be shown").arg(id), TextStyle::ReadH2, "", holder));
    failure = new ErrorCard(app.theme(), holder);
    failure->showError(error, false);
    failure->setMaximumWidth(app.theme().scaled(640));
    layout->addWidget(failure);
    layout->addStretch();
    q->layout()->addWidget(holder);
    ready = true;
}

void LessonPage::Private::build()
{
    const ReaderContext context{app, *state, *formulas, *card};
    scroll = new StillScroll(q);
    scroll->setFrameStyle(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    // With a bar that comes and goes the area asks for the height at two widths in turn. The column sets its margins to
    // each of them, which is a new layout, and that asks again: beside a lesson shorter than the window it never ended.
    scroll->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOn);
    scroll->setFocusPolicy(Qt::StrongFocus);
    scroll->setAccessibleName(q->title());
    column = new LessonColumn(context);
    scroll->setWidget(column);
    column->fill();
    scroll->verticalScrollBar()->setSingleStep(app.theme().lineHeight(TextStyle::ReadBody) * 2);
    q->layout()->addWidget(scroll);
    places = std::make_unique<LessonPlaces>(context, *column, *scroll, q);
    // On the viewport and not beside it: the scroll bar stays at the window's edge, the wheel scrolls the lesson.
    side = new SidePanel(context, scroll->viewport());
    QObject::connect(&app.theme(), &Theme::changed, q, [this] {
        keepPlace();
        placeSide();
    });
    scroll->viewport()->installEventFilter(q);
    saveScroll.setSingleShot(true);
    saveScroll.setInterval(400);
    QObject::connect(&saveScroll, &QTimer::timeout, q,
                     [this] { QSettings().setValue(scrollKey(id), q->scrollFraction()); });
    QObject::connect(side, &SidePanel::sectionChosen, q, [this](int section) {
        wantedScroll.reset();
        QWidget* title = column->sectionTitle(section);
        layOut();
        scroll->verticalScrollBar()->setValue(topOf(title) - kBlockTop);
        column->sectionTitle(section)->setFocus();
    });
    QObject::connect(scroll->verticalScrollBar(), &QScrollBar::valueChanged, q, [this] { scrolled(); });
    QObject::connect(scroll->verticalScrollBar(), &QScrollBar::rangeChanged, q, [this] { applyScroll(); });
    QObject::connect(state.get(), &LessonState::framesSettled, q, [this] { settle(); });
    QObject::connect(state.get(), &LessonState::blockWanted, q, &LessonPage::scrollToBlock);
    wantedScroll = QSettings().value(scrollKey(id), 0.0).toDouble();
}

QString LessonPage::lessonId() const
{
    return d->id;
}

QString LessonPage::title() const
{
    return d->state ? QString::fromStdString(d->state->lesson().id + " " + d->state->lesson().title)
                    : tr("Lesson %1").arg(d->id);
}

bool LessonPage::ready() const
{
    return d->ready;
}

void LessonPage::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    if (d->restored || !d->state)
        return;
    d->restored = true;
    // After the first paint: reading can begin while traces are still on their way.
    QTimer::singleShot(0, this, [this] {
        if (d->column->isFilled())
            d->restore();
        else
            connect(
                d->column, &LessonColumn::filled, this, [this] { d->restore(); }, Qt::SingleShotConnection);
    });
}

void LessonPage::Private::restore()
{
    applyScroll();
    for (BlockWidget* block : column->blocks())
        block->restore();
    if (state->pendingTraces() == 0)
        settle();
}

void LessonPage::Private::settle()
{
    if (ready)
        return;
    // One more turn of the loop, so that what the last trace changed is laid out.
    QTimer::singleShot(0, q, [this] {
        layOut();
        applyScroll();
        wantedScroll.reset();
        scrolled();
        ready = true;
        if (!wantedPlace.isEmpty())
            q->openPlace(std::exchange(wantedPlace, {}));
        Q_EMIT q->readyChanged();
    });
}

/// Parts that came in this turn of the loop have no place yet. A new height of one may change that of what holds it.
void LessonPage::Private::layOut()
{
    for (int before = -1; before != column->height();) {
        before = column->height();
        QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
    }
}

void LessonPage::Private::applyScroll()
{
    if (wantedScroll && column->isFilled()) { // before that, nobody knows how long the lesson is
        scroll->verticalScrollBar()->setValue(int(*wantedScroll * scroll->verticalScrollBar()->maximum() + 0.5));
    } else if (kept) {
        moving = true;
        scroll->verticalScrollBar()->setValue(topOf(kept) + int(std::lround(keptFrom * kept->height())));
        moving = false;
    }
}

/// Texts above the picture get their new height some turns later: what is read stays where it is.
void LessonPage::Private::keepPlace()
{
    const int top = scroll->verticalScrollBar()->value();
    if (!ready || !q->isVisible() || wantedScroll || kept || top <= 0)
        return;
    for (QWidget* part : column->findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly))
        if ((qobject_cast<ProseView*>(part) || qobject_cast<BlockWidget*>(part) || qobject_cast<QLabel*>(part)) &&
            part->isVisible() && part->y() + part->height() > top && (!kept || part->y() < kept->y()))
            kept = part;
    if (!kept)
        return;
    keptFrom = double(top - kept->y()) / std::max(1, kept->height());
    letPlaceGo();
}

void LessonPage::Private::letPlaceGo()
{
    QTimer::singleShot(100, q, [this] {
        if (kept && Restyler::of(app.theme()).busy())
            return letPlaceGo();
        kept = nullptr;
    });
}

double LessonPage::scrollFraction() const
{
    if (!d->scroll)
        return 0;
    const QScrollBar* bar = d->scroll->verticalScrollBar();
    return bar->maximum() > 0 ? double(bar->value()) / bar->maximum() : 0;
}

void LessonPage::setScrollFraction(double fraction)
{
    if (!d->scroll)
        return;
    d->wantedScroll = std::clamp(fraction, 0.0, 1.0);
    d->applyScroll();
    if (d->ready)
        d->wantedScroll.reset();
}

void LessonPage::Private::scrolled()
{
    if (!moving)
        kept = nullptr;
    if (restored && ready)
        saveScroll.start();
    card->dismiss();
    const int middle = scroll->verticalScrollBar()->value() + scroll->viewport()->height() * 2 / 5;
    int section = 0;
    for (int i = 0; i < column->sectionCount(); ++i)
        if (topOf(column->sectionTitle(i)) <= middle)
            section = i;
    side->setCurrent(section);
    QString now;
    for (const BlockWidget* block : column->shownBlocks())
        if (topOf(block) <= middle)
            now = block->blockId();
    if (now == inView)
        return;
    inView = now;
    Q_EMIT q->blockInViewChanged(now);
}

void LessonPage::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    if (!d->column || d->kept) // a larger text makes what stands beside the page wider, too
        return;
    // A new width sets every line anew: stay at the place that was being read.
    if (d->ready && event->oldSize().isValid() && event->oldSize().width() != width()) {
        d->wantedScroll = scrollFraction();
        QTimer::singleShot(0, this, [this] {
            d->applyScroll();
            d->wantedScroll.reset();
        });
    }
}

BlockWidget* LessonPage::Private::focusedBlock() const
{
    for (QWidget* widget = QApplication::focusWidget(); widget && widget != q; widget = widget->parentWidget())
        if (auto* block = qobject_cast<BlockWidget*>(widget))
            return block;
    return nullptr;
}

bool LessonPage::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::Resize && d->side) {
        d->placeSide();
        d->places->relayout();
    }
    return QWidget::eventFilter(watched, event);
}

void LessonPage::Private::placeSide()
{
    const QRect room = scroll->viewport()->rect();
    const int wanted = app.theme().scaled(kSidePanelWidth);
    const bool fits = room.width() >= column->preferredWidth() + wanted + space::xl;
    side->setGeometry(room.right() + 1 - wanted, 0, wanted, room.height());
    side->setVisible(fits);
    side->raise();
    column->setReserved(fits ? wanted : 0);
}

/// Index of the block under focus, else of the last one whose top has been scrolled to; −1 above the first.
int LessonPage::Private::currentBlock() const
{
    const auto& blocks = column->blocks();
    const auto focused = std::ranges::find(blocks, focusedBlock());
    if (focused != blocks.end())
        return int(focused - blocks.begin());
    int index = -1;
    for (std::size_t i = 0; i < blocks.size(); ++i)
        if (topOf(blocks[i]) <= scroll->verticalScrollBar()->value() + kBlockTop)
            index = int(i);
    return index;
}

void LessonPage::Private::goTo(int index)
{
    const auto& blocks = column->blocks();
    if (index < 0 || index >= int(blocks.size()))
        return;
    wantedScroll.reset();
    layOut();
    BlockWidget* block = blocks[std::size_t(index)];
    scroll->verticalScrollBar()->setValue(topOf(block) - kBlockTop);
    block->setFocus(Qt::ShortcutFocusReason);
}

void LessonPage::nextBlock()
{
    if (d->column)
        d->goTo(d->currentBlock() + 1);
}

void LessonPage::previousBlock()
{
    if (d->column)
        d->goTo(d->currentBlock() - 1);
}

void LessonPage::scrollToBlock(const QString& blockId)
{
    if (!d->column)
        return;
    const auto& blocks = d->column->blocks();
    for (std::size_t i = 0; i < blocks.size(); ++i)
        if (blocks[i]->blockId() == blockId)
            d->goTo(int(i));
}

void LessonPage::openPlace(const QString& anchor)
{
    if (!d->ready) {
        d->wantedPlace = anchor;
        return;
    }
    if (!d->places)
        return;
    d->wantedScroll.reset();
    d->layOut();
    if (!d->places->open(anchor))
        Q_EMIT d->app.notice(tr("That place is no longer in the lesson."), true);
}

LessonPlaces* LessonPage::places() const
{
    return d->places.get();
}

QWidget* LessonPage::blockWidget(const QString& blockId) const
{
    if (d->column)
        for (BlockWidget* block : d->column->blocks())
            if (block->blockId() == blockId)
                return block;
    return nullptr;
}

void LessonPage::focusPrediction()
{
    if (!d->column)
        return;
    // The next prediction that is not yet committed, from where the reader is; else the first such one.
    const auto& blocks = d->column->blocks();
    const int from = std::max(0, d->currentBlock());
    for (int step = 0; step < int(blocks.size()); ++step) {
        const int index = (from + step) % int(blocks.size());
        BlockWidget* block = blocks[std::size_t(index)];
        if (block->block().kind != "predict" || d->state->prediction(block->block().id))
            continue;
        d->goTo(index);
        block->focusInput();
        return;
    }
}

BlockWidget* LessonPage::Private::blockToActivate() const
{
    if (BlockWidget* block = focusedBlock())
        return block;
    const int top = scroll->verticalScrollBar()->value(), bottom = top + scroll->viewport()->height();
    for (BlockWidget* block : column->blocks()) {
        const bool runs = block->block().kind == "predict" || block->block().kind == "run" ||
                          block->block().kind == "sweep" || block->block().kind == "challenge" ||
                          block->block().kind == "rtl";
        const int middle = topOf(block) + block->height() / 2;
        if (runs && block->canActivate() && middle >= top && middle <= bottom)
            return block;
    }
    return nullptr;
}

void LessonPage::commitAndRun()
{
    BlockWidget* block = d->column ? d->blockToActivate() : nullptr;
    if (block && block->canActivate())
        block->activate();
    else if (block) // a key that does nothing without a word would look broken
        Q_EMIT d->app.notice(tr("There is nothing to run or to commit in this part of the lesson now."), false);
}

QString LessonPage::focusedBlock() const
{
    const BlockWidget* block = d->column ? d->focusedBlock() : nullptr;
    return block ? block->blockId() : QString();
}

void LessonPage::cancelRuns()
{
    if (d->column)
        for (BlockWidget* block : d->column->shownBlocks())
            if (block->runningJobs() > 0)
                block->cancel();
}

int LessonPage::runningJobs() const
{
    int jobs = 0;
    if (d->column)
        for (const BlockWidget* block : d->column->shownBlocks())
            jobs += block->runningJobs();
    return jobs;
}

void LessonPage::shipArtifact()
{
    if (!d->column)
        return;
    const auto& blocks = d->column->blocks();
    const auto found = std::ranges::find_if(blocks, [](BlockWidget* one) { return one->block().kind == "artifact"; });
    if (found == blocks.end())
        return;
    if (!(*found)->canActivate())
        d->goTo(int(found - blocks.begin())); // it says there what is still missing
    (*found)->activate();
}

void LessonPage::keyPressEvent(QKeyEvent* event)
{
    if (!d->scroll)
        return QWidget::keyPressEvent(event);
    QScrollBar* bar = d->scroll->verticalScrollBar();
    if (event->key() == Qt::Key_Space)
        bar->triggerAction(event->modifiers().testFlag(Qt::ShiftModifier) ? QScrollBar::SliderPageStepSub
                                                                          : QScrollBar::SliderPageStepAdd);
    else if (event->key() == Qt::Key_Home)
        bar->triggerAction(QScrollBar::SliderToMinimum);
    else if (event->key() == Qt::Key_End)
        bar->triggerAction(QScrollBar::SliderToMaximum);
    else
        QWidget::keyPressEvent(event);
}

} // namespace ridge::app

#include "moc_lesson_page.cpp"
