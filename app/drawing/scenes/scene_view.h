// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/drawing/scenes/scene.h"

#include <QAbstractItemModel>
#include <QWidget>
#include <memory>

namespace ridge::app {

/// Shows one scene with its transport bar (step, step back, scrub over frames, play 1–100 steps/s, request picker),
/// table twin and summary. Draws with OpenGL 3.3: through QOpenGLWidget where the platform allows, else through a
/// framebuffer object into an image, else (no OpenGL at all) by QPainter, and says so.
class SceneView : public QWidget {
    Q_OBJECT
public:
    SceneView(Theme& theme, std::unique_ptr<Scene> scene, QWidget* parent = nullptr);
    ~SceneView() override;

    void setFrames(std::vector<SceneFrame> frames);
    void appendFrame(SceneFrame frame); ///< a sweep filling in; keeps the selected frame
    /// A further trace of a frame that is there already.
    void mergeFrame(std::size_t at, const SceneFrame& more);
    const std::vector<SceneFrame>& frames() const;
    const SceneState& state() const;
    void setState(const SceneState& state);
    SceneDrawing drawing() const;
    /// What can be pointed at in the picture as it is: id as a lesson calls it, and what it is told as.
    std::vector<std::pair<QString, QString>> pointable() const;
    QString hostName() const; ///< "opengl", "opengl-image" or "painter"

    void stepFrame(int delta);
    void stepRequest(int delta);
    void stepService(int delta); ///< one sector, wavefront or state; runs on into the next track and frame
    void selectLane(int lane);   ///< −1: none
    /// Scenes to choose among; those that no frame has anything for are left out. One or none: no picker.
    void offerScenes(const QStringList& ids);
    void chooseScene(const QString& id);
    QString sceneId() const;
    void play(bool on);
    bool playing() const;
    void setSpeed(int stepsPerSecond); ///< 1..100
    bool tableShown() const;
    void showTable(bool on);
    QString summary() const;
    QAbstractItemModel* table() const;
    /// Makes the picture as high as its frames need at the width that it has; never lower again at one width and text
    /// size, so that the page stands still under a moving slider.
    void fitHeight();
    QString graphicsProblem() const; ///< why OpenGL is not used, empty where it is

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void keyPressEvent(QKeyEvent* event) override;

Q_SIGNALS:
    void stateChanged(const ridge::app::SceneState& state);
    void sceneChanged(const QString& id);
    void pointed(const QString& id); ///< an item was clicked: Scene::pointedId

private:
    void tell();

    struct Private;
    std::unique_ptr<Private> d;
};

/// Renders without a window: FBO when OpenGL is there, else QPainter. For screenshots, artifacts and goldens.
QImage renderScene(const Scene& scene, const std::vector<SceneFrame>& frames, const SceneState& state,
                   const Theme& theme, QSize size, double scale);

} // namespace ridge::app
