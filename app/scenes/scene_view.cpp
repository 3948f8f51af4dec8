// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/scenes/scene_view.h"

#include "app/scenes/scene_host.h"
#include "app/scenes/scene_table_model.h"
#include "app/scenes/transport_bar.h"
#include "app/theme/accessible_role.h"
#include "app/theme/announce.h"

#include <QtWidgets>
#include <cmath>

namespace ridge::app {

struct SceneView::Private {
    SceneView* q;
    Theme& theme;
    std::unique_ptr<Scene> scene;
    std::vector<SceneFrame> frames;
    SceneState state;
    SceneDrawing drawn;
    QSizeF drawnSize;
    bool stale = true;
    QString problem;
    QTimer timer;

    std::unique_ptr<SceneHost> host;
    ScrubBar* scrub = nullptr;
    TransportBar* transport = nullptr;
    QStackedWidget* stack = nullptr;
    QTableView* view = nullptr;
    SceneTableModel* model = nullptr;
    QLabel* summary = nullptr;

    Private(SceneView* owner, Theme& t, std::unique_ptr<Scene> s) : q(owner), theme(t), scene(std::move(s)) {}
    void build();
    void buildTable();
    void connectAll();
    const SceneDrawing& drawing(QSizeF size);
    void framesChanged();
    void change(SceneState next);
    void sync();
    SceneState clamped(SceneState s) const;
    int requests(std::size_t frame) const
    {
        return frame < frames.size() ? static_cast<int>(frames[frame].trace.requests.size()) : 0;
    }
    const SceneItem* itemAt(QPointF at);
    bool hostEvent(QEvent* event);
};

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
    layout->addWidget(scrub);
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
    QObject::connect(transport, &TransportBar::tableToggled, q, &SceneView::showTable);
    QObject::connect(&timer, &QTimer::timeout, q, [this] {
        const SceneState before = state;
        q->stepService(1);
        if (before.frame == state.frame && before.request == state.request && before.progress == state.progress)
            q->play(false);
    });
    QObject::connect(&theme, &Theme::changed, q, [this] { framesChanged(); });
}

const SceneDrawing& SceneView::Private::drawing(QSizeF size)
{
    if (stale || size != drawnSize) {
        drawn = scene->draw(frames, state, size, theme.textScale());
        drawnSize = size;
        stale = false;
    }
    return drawn;
}

SceneState SceneView::Private::clamped(SceneState s) const
{
    s.frame = frames.empty() ? 0 : std::min(s.frame, frames.size() - 1);
    s.request = std::min(s.request, static_cast<std::size_t>(std::max(0, requests(s.frame) - 1)));
    s.lane = std::clamp(s.lane, -1, kWarpSize - 1);
    s.progress = std::clamp(s.progress, 0.0, 1.0);
    return s;
}

void SceneView::Private::framesChanged()
{
    QStringList titles;
    for (const SceneFrame& frame : frames)
        titles << frame.title;
    scrub->setFrames(titles);
    state = clamped(state);
    host->widget()->setMinimumHeight(static_cast<int>(std::ceil(scene->preferredHeight(frames, theme.textScale()))));
    q->updateGeometry();
    sync();
}

void SceneView::Private::change(SceneState next)
{
    next = clamped(next);
    if (next.frame == state.frame && next.request == state.request && next.lane == state.lane &&
        next.progress == state.progress)
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
    transport->setRequests(requests(state.frame), static_cast<int>(state.request));
    transport->setRunnable(requests(state.frame) > 0);
    summary->setText(frames.empty() ? QString() : now.summary);
    summary->setVisible(!frames.empty());
    model->setRows(scene->table(frames, state));
    host->widget()->setAccessibleName(
        SceneView::tr("Scene: %1").arg(frames.empty() ? scene->id() : frames[state.frame].title));
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

bool SceneView::Private::hostEvent(QEvent* event)
{
    if (event->type() == QEvent::ToolTip) {
        auto* help = static_cast<QHelpEvent*>(event);
        const SceneItem* item = itemAt(help->pos());
        QToolTip::showText(help->globalPos(), item ? item->text : QString(), host->widget());
        return true;
    }
    if (event->type() == QEvent::MouseButtonPress) {
        const SceneItem* item = itemAt(static_cast<QMouseEvent*>(event)->position());
        if (item && item->id.startsWith(QLatin1String("lane.")))
            q->selectLane(item->id.mid(5).toInt());
    }
    return false;
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
    const std::int64_t last = std::max(0, d->requests(next.frame) - 1);
    next.request =
        static_cast<std::size_t>(std::clamp<std::int64_t>(static_cast<std::int64_t>(next.request) + delta, 0, last));
    next.progress = 1;
    d->change(next);
}

void SceneView::stepService(int delta)
{
    SceneState next = d->state;
    const std::size_t steps = d->scene->steps(d->frames, next);
    if (steps == 0)
        return;
    const auto total = static_cast<double>(steps);
    const double done = std::round(next.progress * total) + delta;
    if (done >= 0 && done <= total) {
        next.progress = done / total;
    } else if (delta > 0 && static_cast<int>(next.request) + 1 < d->requests(next.frame)) {
        ++next.request;
        next.progress = 0;
    } else if (delta > 0 && next.frame + 1 < d->frames.size()) {
        ++next.frame;
        next.request = 0;
        next.progress = 0;
    } else if (delta < 0 && next.request > 0) {
        --next.request;
        next.progress = 1;
    } else if (delta < 0 && next.frame > 0) {
        --next.frame;
        next.request = static_cast<std::size_t>(std::max(0, d->requests(next.frame) - 1));
        next.progress = 1;
    }
    d->change(next);
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

void SceneView::keyPressEvent(QKeyEvent* event)
{
    const int lane = d->state.lane;
    switch (event->key()) {
    case Qt::Key_Left:
        return selectLane(lane < 0 ? kWarpSize - 1 : std::max(0, lane - 1));
    case Qt::Key_Right:
        return selectLane(lane < 0 ? 0 : std::min(kWarpSize - 1, lane + 1));
    case Qt::Key_Home:
        return selectLane(0);
    case Qt::Key_End:
        return selectLane(kWarpSize - 1);
    case Qt::Key_Comma:
        return stepFrame(event->modifiers() & Qt::ShiftModifier ? -10 : -1);
    case Qt::Key_Period:
        return stepFrame(event->modifiers() & Qt::ShiftModifier ? 10 : 1);
    case Qt::Key_Less:
        return stepFrame(-10);
    case Qt::Key_Greater:
        return stepFrame(10);
    case Qt::Key_BracketLeft:
        return stepRequest(-1);
    case Qt::Key_BracketRight:
        return stepRequest(1);
    case Qt::Key_F7:
        play(false);
        return stepService(event->modifiers() & Qt::ShiftModifier ? -1 : 1);
    case Qt::Key_Space:
        return play(!playing());
    case Qt::Key_Return:
    case Qt::Key_Enter: {
        const QString id = QStringLiteral("lane.%1").arg(lane);
        const SceneDrawing now = drawing();
        const auto item =
            std::find_if(now.items.begin(), now.items.end(), [&](const SceneItem& i) { return i.id == id; });
        return announce(d->host->widget(), item == now.items.end() ? now.summary : item->text);
    }
    case Qt::Key_Escape:
        if (lane >= 0)
            return selectLane(-1);
        [[fallthrough]];
    default:
        QWidget::keyPressEvent(event);
    }
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
