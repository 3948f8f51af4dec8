// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/drawing/scenes/scene_builder.h"
#include "app/drawing/scenes/scene_view_private.h"

#include "app/theme/accessible_role.h"
#include "app/theme/kept_units.h"

#include <QtWidgets>
#include <cmath>

namespace ridge::app {

namespace {

/// Hands pointer events of the host to the view; the host itself knows no scene.
class HostEvents : public QObject {
public:
    HostEvents(QObject* parent, std::function<bool(QEvent*)> handle) : QObject(parent), m_handle(std::move(handle)) {}

protected:
    bool eventFilter(QObject*, QEvent* event) override { return m_handle(event); }

private:
    std::function<bool(QEvent*)> m_handle;
};

} // namespace

void SceneView::Private::build()
{
    const HostChoice choice = chooseHost();
    problem = choice.problem;
    host = makeHost(choice.kind, theme, [this](QSizeF size) -> const SceneDrawing& { return drawing(size); });
    QWidget* canvas = host->widget();
    setAccessibleRole(canvas, QAccessible::Graphic);
    canvas->setFocusPolicy(Qt::StrongFocus);
    canvas->setProperty("innerFocusRing", true);
    canvas->setObjectName(QStringLiteral("sceneCanvas"));
    canvas->installEventFilter(new HostEvents(q, [this](QEvent* event) { return hostEvent(event); }));
    scrub = new ScrubBar(theme);
    transport = new TransportBar(theme);
    stack = new QStackedWidget;
    stack->addWidget(canvas);
    buildTable();
    summary = new QLabel;
    summary->setWordWrap(true);
    summary->setProperty("tone", QStringLiteral("muted"));
    auto* layout = new QVBoxLayout(q);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(space::m);
    picker = new QComboBox;
    picker->setAccessibleName(SceneView::tr("Scene"));
    picker->setToolTip(SceneView::tr("What is drawn of this run"));
    picker->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    picker->view()->setAccessibleName(picker->accessibleName());
    picker->hide();
    auto* top = new QHBoxLayout;
    top->setSpacing(space::m);
    top->addWidget(picker);
    top->addWidget(scrub, 1);
    layout->addLayout(top);
    layout->addWidget(stack, 1);
    layout->addWidget(summary);
    layout->addWidget(transport);
    q->setFocusProxy(canvas);
    connectAll();
}

void SceneView::Private::buildTable()
{
    model = new SceneTableModel(q);
    view = new QTableView;
    view->setModel(model);
    view->verticalHeader()->hide();
    view->setAlternatingRowColors(true);
    view->setSelectionBehavior(QAbstractItemView::SelectRows);
    view->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    view->horizontalHeader()->setStretchLastSection(true);
    view->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    view->setTabKeyNavigation(false);
    stack->addWidget(view);
}

void SceneView::Private::connectAll()
{
    QObject::connect(scrub, &ScrubBar::frameChosen, q,
                     [this](int frame) { q->stepFrame(frame - static_cast<int>(state.frame)); });
    QObject::connect(transport, &TransportBar::stepped, q, [this](int delta) {
        q->play(false);
        q->stepService(delta);
    });
    QObject::connect(transport, &TransportBar::playToggled, q, [this] { q->play(!q->playing()); });
    QObject::connect(transport, &TransportBar::speedChosen, q, &SceneView::setSpeed);
    QObject::connect(transport, &TransportBar::requestChosen, q,
                     [this](int request) { q->stepRequest(request - static_cast<int>(state.request)); });
    QObject::connect(transport, &TransportBar::zoomed, q, [this](double factor) { zoom(factor); });
    QObject::connect(picker, &QComboBox::activated, q, [this] { q->chooseScene(picker->currentData().toString()); });
    QObject::connect(transport, &TransportBar::tableToggled, q, &SceneView::showTable);
    QObject::connect(&timer, &QTimer::timeout, q, [this] {
        const SceneState before = state;
        q->stepService(1);
        if (before == state)
            q->play(false);
    });
    QObject::connect(&theme, &Theme::changed, q, [this] { framesChanged(); });
}

const SceneDrawing& SceneView::Private::drawing(QSizeF size)
{
    if (stale || size != drawnSize) {
        const SceneFrame* const shown = frames.empty() ? nullptr : &frames[state.frame];
        drawn = shown && !shown->problem.isEmpty() && !scene->supports(*shown)
                    ? SceneBuilder(size, theme.textScale()).empty(shown->problem)
                    : scene->draw(frames, state, size, theme.textScale());
        drawnSize = size;
        stale = false;
    }
    return drawn;
}

SceneState SceneView::Private::clamped(SceneState s) const
{
    s.frame = frames.empty() ? 0 : std::min(s.frame, frames.size() - 1);
    s.request = std::min(s.request, std::max<std::size_t>(1, tracks(s)) - 1);
    s.lane = std::clamp(s.lane, -1, kWarpSize - 1);
    s.progress = std::clamp(s.progress, 0.0, 1.0);
    s.from = std::clamp(s.from, 0.0, 1.0);
    s.to = std::clamp(s.to, s.from, 1.0);
    return s.from < s.to ? s : fitted(s);
}

void SceneView::Private::framesChanged()
{
    QStringList titles;
    for (const SceneFrame& frame : frames)
        titles << frame.title;
    scrub->setFrames(titles);
    fillPicker();
    state = clamped(state);
    setHeight();
    sync();
}

void SceneView::Private::setHeight()
{
    const double wanted = std::max(scene->preferredHeight(frames, theme.textScale()), room.height);
    host->widget()->setMinimumHeight(static_cast<int>(std::ceil(wanted)));
    q->updateGeometry();
}

void SceneView::Private::change(SceneState next)
{
    next = clamped(next);
    if (next == state)
        return;
    state = next;
    sync();
    Q_EMIT q->stateChanged(state);
}

void SceneView::Private::sync()
{
    stale = true;
    const SceneDrawing& now = drawing(drawnSize.isEmpty() ? QSizeF(host->widget()->size()) : drawnSize);
    scrub->setFrame(static_cast<int>(state.frame));
    scrub->setVisible(!frames.empty());
    const SceneTracks own = scene->tracks(frames, state);
    transport->setTracks(static_cast<int>(own.count), static_cast<int>(state.request), own.noun);
    transport->setRunnable(!frames.empty() && scene->supports(frames[state.frame]), scene->steps(frames, state) > 0);
    transport->setZoomable(!now.plot.isNull());
    summary->setText(frames.empty() ? QString() : keptUnits(now.summary));
    summary->setVisible(!frames.empty());
    model->setRows(scene->table(frames, state));
    host->widget()->setAccessibleName(
        SceneView::tr("Scene: %1")
            .arg(frames.empty() || frames[state.frame].title.isEmpty() ? scene->title() : frames[state.frame].title));
    host->widget()->setAccessibleDescription(now.summary);
    q->setAccessibleName(host->widget()->accessibleName());
    q->setAccessibleDescription(now.summary);
    view->setAccessibleName(SceneView::tr("Numbers of the scene"));
    view->setAccessibleDescription(now.summary);
    host->refresh();
}

const SceneItem* SceneView::Private::itemAt(QPointF at)
{
    const SceneDrawing& now = drawing(host->widget()->size());
    const auto hit = std::find_if(now.items.rbegin(), now.items.rend(),
                                  [&](const SceneItem& item) { return item.rect.contains(at); });
    return hit == now.items.rend() ? nullptr : &*hit;
}

SceneView::SceneView(Theme& theme, std::unique_ptr<Scene> scene, QWidget* parent)
    : QWidget(parent), d(std::make_unique<Private>(this, theme, std::move(scene)))
{
    d->build();
    setSpeed(5);
    d->framesChanged();
}

SceneView::~SceneView() = default;

void SceneView::setFrames(std::vector<SceneFrame> frames)
{
    play(false);
    d->frames = std::move(frames);
    d->framesChanged();
}

void SceneView::appendFrame(SceneFrame frame)
{
    d->frames.push_back(std::move(frame));
    d->framesChanged();
}

const std::vector<SceneFrame>& SceneView::frames() const
{
    return d->frames;
}

const SceneState& SceneView::state() const
{
    return d->state;
}

void SceneView::setState(const SceneState& state)
{
    d->change(state);
}

SceneDrawing SceneView::drawing() const
{
    return d->drawing(d->host->widget()->size());
}

QString SceneView::hostName() const
{
    return d->host->name();
}

QString SceneView::graphicsProblem() const
{
    return d->host->problem().isEmpty() ? d->problem : d->host->problem();
}

QString SceneView::summary() const
{
    return drawing().summary;
}

QAbstractItemModel* SceneView::table() const
{
    return d->model;
}

void SceneView::stepFrame(int delta)
{
    if (d->frames.empty())
        return;
    SceneState next = d->state;
    const auto last = static_cast<std::int64_t>(d->frames.size()) - 1;
    next.frame =
        static_cast<std::size_t>(std::clamp<std::int64_t>(static_cast<std::int64_t>(next.frame) + delta, 0, last));
    next.progress = 1;
    d->change(next);
}

void SceneView::stepRequest(int delta)
{
    SceneState next = d->state;
    const auto last = static_cast<std::int64_t>(std::max<std::size_t>(1, d->tracks(next))) - 1;
    next.request =
        static_cast<std::size_t>(std::clamp<std::int64_t>(static_cast<std::int64_t>(next.request) + delta, 0, last));
    next.row = -1;
    if (!d->scene->timed())
        next.progress = 1;
    d->change(next);
}

void SceneView::stepService(int delta)
{
    d->change(d->scene->stepped(d->frames, d->state, delta));
}

void SceneView::offerScenes(const QStringList& ids)
{
    d->offered = ids;
    d->fillPicker();
}

QString SceneView::sceneId() const
{
    return d->scene->id();
}

void SceneView::mergeFrame(std::size_t at, const SceneFrame& more)
{
    if (at >= d->frames.size())
        return;
    SceneFrame& frame = d->frames[at];
    if (!more.trace.requests.empty())
        frame.trace = more.trace;
    frame.payloads.merge(more.payloads);
    frame.problem = frame.problem.isEmpty() ? more.problem : frame.problem;
    d->framesChanged();
}

void SceneView::chooseScene(const QString& id)
{
    auto scene = makeScene(id);
    if (!scene || id == d->scene->id())
        return;
    play(false);
    d->scene = std::move(scene);
    SceneState fresh;
    fresh.frame = d->state.frame;
    d->state = fresh;
    d->framesChanged();
    Q_EMIT sceneChanged(id);
}

void SceneView::selectLane(int lane)
{
    SceneState next = d->state;
    next.lane = lane;
    d->change(next);
}

void SceneView::play(bool on)
{
    if (on && d->frames.empty())
        return;
    if (on && !d->timer.isActive() && d->state.progress >= 1) {
        SceneState fresh = d->state;
        fresh.progress = 0; // a finished request plays again
        d->change(fresh);
    }
    on ? d->timer.start() : d->timer.stop();
    d->transport->setPlaying(on);
}

bool SceneView::playing() const
{
    return d->timer.isActive();
}

void SceneView::setSpeed(int stepsPerSecond)
{
    const int speed = std::clamp(stepsPerSecond, 1, 100);
    d->timer.setInterval(1000 / speed);
    d->transport->setSpeed(speed);
}

bool SceneView::tableShown() const
{
    return d->stack->currentWidget() == d->view;
}

void SceneView::showTable(bool on)
{
    const bool hadFocus = d->host->widget()->hasFocus() || d->view->hasFocus();
    d->transport->setTable(on);
    d->stack->setCurrentWidget(on ? static_cast<QWidget*>(d->view) : d->host->widget());
    setFocusProxy(on ? static_cast<QWidget*>(d->view) : d->host->widget());
    if (hadFocus)
        setFocus();
}

void SceneView::fitHeight()
{
    const int width = d->host->widget()->width();
    const double scale = d->theme.textScale();
    if (width != d->room.width || scale != d->room.textScale)
        d->room = {width, scale, 0.0};
    const QSizeF least(width, d->scene->preferredHeight(d->frames, scale));
    const double needed = d->scene->draw(d->frames, d->state, least, scale).size.height();
    if (needed <= std::max(d->room.height, least.height()))
        return;
    d->room.height = needed;
    d->setHeight();
}

QSize SceneView::sizeHint() const
{
    const int bars = d->scrub->sizeHint().height() + d->transport->sizeHint().height() +
                     d->summary->sizeHint().height() + 3 * space::m;
    return {760, d->host->widget()->minimumHeight() + bars};
}

QSize SceneView::minimumSizeHint() const
{
    return {420, sizeHint().height()};
}

} // namespace ridge::app

#include "moc_scene_view.cpp"
