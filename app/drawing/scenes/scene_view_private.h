// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/drawing/scenes/scene_host.h"
#include "app/drawing/scenes/scene_table_model.h"
#include "app/drawing/scenes/scene_view.h"
#include "app/drawing/scenes/transport_bar.h"

#include <QTimer>
#include <optional>

class QComboBox;
class QLabel;
class QMouseEvent;
class QStackedWidget;
class QTableView;
class QWheelEvent;

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
    struct {
        int width = 0;
        double textScale = 0;
        double height = 0;
    } room; ///< that fitHeight() found, and for which width and text size
    QString problem;
    QTimer timer;

    std::unique_ptr<SceneHost> host;
    ScrubBar* scrub = nullptr;
    TransportBar* transport = nullptr;
    QStackedWidget* stack = nullptr;
    QTableView* view = nullptr;
    SceneTableModel* model = nullptr;
    QLabel* summary = nullptr;
    QComboBox* picker = nullptr;
    QStringList offered;
    std::optional<QPointF> pressed; ///< where a drag over the time axis began …
    SceneState pressedState;        ///< … and what was shown then
    bool scrubbing = false;         ///< the pointer drags a "scrub" item

    Private(SceneView* owner, Theme& t, std::unique_ptr<Scene> s) : q(owner), theme(t), scene(std::move(s)) {}
    void build();
    void buildTable();
    void connectAll();
    const SceneDrawing& drawing(QSizeF size);
    void framesChanged();
    void setHeight();
    void change(SceneState next);
    void sync();
    SceneState clamped(SceneState s) const;
    std::size_t tracks(const SceneState& s) const { return scene->tracks(frames, s).count; }
    const SceneItem* itemAt(QPointF at);
    bool hostEvent(QEvent* event);
    bool pointerEvent(QMouseEvent* event);
    bool wheelEvent(QWheelEvent* event);
    void fillPicker();
    void zoom(double factor);
    void scrubTime(int steps);
};

} // namespace ridge::app
