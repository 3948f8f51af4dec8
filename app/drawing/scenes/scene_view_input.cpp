// SPDX-License-Identifier: GPL-3.0-or-later
// Pointer, wheel and keys of a scene: all of them end in pure functions of the scene or the camera.
#include "app/drawing/scenes/scene_keys.h"
#include "app/drawing/scenes/scene_view_private.h"
#include "app/theme/announce.h"

#include <QtWidgets>
#include <cmath>

namespace ridge::app {
namespace {

constexpr int kFarScrub = 100;
constexpr double kZoomStep = 1.5;

} // namespace

bool SceneView::Private::hostEvent(QEvent* event)
{
    if (event->type() == QEvent::ToolTip) {
        auto* help = static_cast<QHelpEvent*>(event);
        const SceneItem* item = itemAt(help->pos());
        QToolTip::showText(help->globalPos(), item ? scene->told(frames, state, *item, help->pos()) : QString(),
                           host->widget());
        return true;
    }
    if (event->type() == QEvent::Wheel)
        return wheelEvent(static_cast<QWheelEvent*>(event));
    if (event->type() == QEvent::MouseButtonPress || event->type() == QEvent::MouseMove ||
        event->type() == QEvent::MouseButtonRelease)
        return pointerEvent(static_cast<QMouseEvent*>(event));
    return false;
}

/// A press picks; a drag over the time axis moves it.
bool SceneView::Private::pointerEvent(QMouseEvent* event)
{
    const QRectF plot = drawing(host->widget()->size()).plot;
    if (event->type() == QEvent::MouseMove && scrubbing) {
        for (const SceneItem& item : drawing(host->widget()->size()).items)
            if (item.id.startsWith(QLatin1String("scrub"))) {
                const SceneItem kept = item;
                change(scene->picked(frames, state, kept, event->position()));
                break;
            }
        return false;
    }
    if (event->type() == QEvent::MouseButtonPress && event->button() == Qt::LeftButton) {
        if (const SceneItem* item = itemAt(event->position())) {
            const SceneItem kept = *item; // the drawing goes with the state
            scrubbing = kept.id.startsWith(QLatin1String("scrub"));
            change(scene->picked(frames, state, kept, event->position()));
            if (!scrubbing)
                Q_EMIT q->pointed(scene->pointedId(frames, state, kept));
        }
        if (plot.contains(event->position())) {
            pressed = event->position();
            pressedState = state;
        }
    } else if (event->type() == QEvent::MouseMove && pressed && !plot.isNull()) {
        const double way = (pressed->x() - event->position().x()) / plot.width();
        const SceneState there = panned(pressedState, way);
        SceneState next = state;
        next.from = there.from;
        next.to = there.to;
        if (scene->planar() && plot.height() > 0) {
            const double up = (pressed->y() - event->position().y()) / plot.height();
            next.down = std::clamp(pressedState.down + up * (next.to - next.from), 0.0, 1.0);
        }
        change(next);
    } else if (event->type() == QEvent::MouseButtonRelease) {
        pressed.reset();
        scrubbing = false;
    }
    return false;
}

/// Over a time axis the wheel magnifies where the pointer stands, sideways or with Shift it moves; elsewhere the page
/// scrolls.
bool SceneView::Private::wheelEvent(QWheelEvent* event)
{
    const QRectF plot = drawing(host->widget()->size()).plot;
    if (!plot.contains(event->position()))
        return false;
    const bool aside = event->modifiers().testFlag(Qt::ShiftModifier) || event->angleDelta().x() != 0;
    const int turn = event->angleDelta().x() != 0 ? event->angleDelta().x() : event->angleDelta().y();
    if (aside) {
        change(panned(state, -turn / 1200.0));
    } else {
        SceneState next =
            zoomed(state, std::pow(1.25, turn / 120.0), (event->position().x() - plot.left()) / plot.width());
        if (scene->planar()) { // what is under the pointer stays there in both directions
            const double before = state.to - state.from, after = next.to - next.from;
            const double top = std::clamp(state.down - before / 2, 0.0, 1 - before);
            const double at = (event->position().y() - plot.top()) / plot.height();
            next.down = std::clamp(top + at * (before - after) + after / 2, 0.0, 1.0);
        }
        change(next);
    }
    event->accept();
    return true;
}

/// Round the time cursor where it is in sight, else round the middle; 0 shows all.
void SceneView::Private::zoom(double factor)
{
    const double at = (state.progress - state.from) / (state.to - state.from);
    change(factor == 0 ? fitted(state) : zoomed(state, factor, at > 0 && at < 1 ? at : 0.5));
}

/// Comma and full stop: steps of the track, or of the frames where the scene has no time axis.
void SceneView::Private::scrubTime(int count)
{
    if (!scene->timed())
        return q->stepFrame(count);
    SceneState next = state;
    for (int at = 0; at < std::abs(count); ++at)
        next = scene->stepped(frames, next, count < 0 ? -1 : 1);
    change(next);
}

void SceneView::Private::fillPicker()
{
    const QSignalBlocker quiet(picker);
    picker->clear();
    for (const QString& id : offered) {
        const auto each = makeScene(id);
        const bool supported =
            id == scene->id() || std::any_of(frames.begin(), frames.end(),
                                             [&](const SceneFrame& frame) { return each && each->supports(frame); });
        if (each && supported)
            picker->addItem(each->title(), id);
    }
    picker->setCurrentIndex(picker->findData(scene->id()));
    picker->setVisible(picker->count() > 1);
}

void SceneView::keyPressEvent(QKeyEvent* event)
{
    const auto move = [this](int dx, int dy) { d->change(d->scene->moved(d->frames, d->state, dx, dy)); };
    switch (sceneAct(event->key(), event->modifiers(), d->scene->timed())) {
    case SceneAct::Left:
        return move(-1, 0);
    case SceneAct::Right:
        return move(1, 0);
    case SceneAct::Up:
        return move(0, -1);
    case SceneAct::Down:
        return move(0, 1);
    case SceneAct::First:
        return move(-kWarpSize, 0);
    case SceneAct::Last:
        return move(kWarpSize, 0);
    case SceneAct::ScrubBack:
        return d->scrubTime(-1);
    case SceneAct::ScrubOn:
        return d->scrubTime(1);
    case SceneAct::ScrubFarBack:
        return d->scrubTime(-kFarScrub);
    case SceneAct::ScrubFarOn:
        return d->scrubTime(kFarScrub);
    case SceneAct::TrackBack:
        return stepRequest(-1);
    case SceneAct::TrackOn:
        return stepRequest(1);
    case SceneAct::FrameBack:
        return stepFrame(-1);
    case SceneAct::FrameOn:
        return stepFrame(1);
    case SceneAct::StepBack:
    case SceneAct::StepOn:
        play(false);
        return stepService(event->modifiers() & Qt::ShiftModifier ? -1 : 1);
    case SceneAct::PlayPause:
        return play(!playing());
    case SceneAct::ZoomIn:
        return d->zoom(kZoomStep);
    case SceneAct::ZoomOut:
        return d->zoom(1 / kZoomStep);
    case SceneAct::ZoomFit:
        return d->zoom(0);
    case SceneAct::Tell:
        return tell();
    case SceneAct::Deselect:
        if (d->state.lane >= 0 || d->state.row >= 0) {
            SceneState next = d->state;
            next.lane = next.row = -1;
            return d->change(next);
        }
        [[fallthrough]];
    case SceneAct::None:
        QWidget::keyPressEvent(event);
    }
}

std::vector<std::pair<QString, QString>> SceneView::pointable() const
{
    std::vector<std::pair<QString, QString>> things;
    for (const SceneItem& item : drawing().items) {
        const QString id = d->scene->pointedId(d->frames, d->state, item);
        if (std::ranges::none_of(things, [&](const auto& thing) { return thing.first == id; }))
            things.emplace_back(id, item.text);
    }
    return things;
}

void SceneView::tell()
{
    const QString lane = QStringLiteral("lane.%1").arg(d->state.lane);
    const SceneDrawing now = drawing();
    for (const QString& id : {lane, QStringLiteral("answer")})
        for (const SceneItem& item : now.items)
            if (item.id == id)
                return announce(d->host->widget(), item.text);
    announce(d->host->widget(), now.summary);
}

} // namespace ridge::app
