// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/drawing/scenes/scene.h"

#include <QWidget>

namespace ridge::app {

enum class HostKind { OpenGl, OpenGlImage, Painter };

struct HostChoice {
    HostKind kind = HostKind::Painter;
    QString problem; ///< why OpenGL is not used, empty where it is
};

/// RIDGE_GRAPHICS = opengl | opengl-image | painter decides where it is set. Else a widget with OpenGL needs both a
/// platform that composes one (on "offscreen" a context can be made and the widget then crashes) and a context that
/// works; the picture through a frame buffer needs only the context. Where the processor plays the GPU the picture is
/// better too: a widget with OpenGL makes Qt send the whole window through it, 40 ms a frame under llvmpipe.
HostChoice chooseHost();

/// The surface on which a drawing appears. Knows no scene: it asks for the drawing of its size.
class SceneHost {
public:
    using Source = std::function<const SceneDrawing&(QSizeF)>;

    virtual ~SceneHost() = default;
    virtual QWidget* widget() = 0;
    virtual QString name() const = 0;
    virtual QString problem() const = 0; ///< shader or context error met later, shown in the picture as well
    virtual void refresh() = 0;
};

std::unique_ptr<SceneHost> makeHost(HostKind kind, const Theme& theme, SceneHost::Source source);

} // namespace ridge::app
