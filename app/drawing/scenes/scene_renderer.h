// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/drawing/scenes/scene.h"

#include <QImage>
#include <memory>

class QOffscreenSurface;
class QOpenGLContext;

namespace ridge::app {

/// The only owner of OpenGL code: shapes of a drawing as instanced quads in OpenGL 3.3 core, edges smoothed in the
/// shader, so no multisampling is needed. All calls with the context current.
class SceneRenderer {
public:
    SceneRenderer();
    ~SceneRenderer();

    /// Errors: "no-opengl" (no 3.3 core functions), "bad-shader" (with the driver's log).
    Result<void> initialize();
    void render(const SceneDrawing& drawing, const Theme& theme, QSize pixels, double scale);
    /// Lays a picture over the whole viewport. Text comes this way: QPainter on a core-profile context draws none.
    void overlay(const QImage& picture, QSize pixels);
    void release();

private:
    void rasters(const SceneDrawing& drawing, const Theme& theme, QSize pixels, double scale);

    struct Private;
    std::unique_ptr<Private> d;
};

/// A context with a surface of its own, for pictures without a window.
class OffscreenGl {
public:
    OffscreenGl();
    ~OffscreenGl();

    /// Errors: "no-opengl", "bad-shader".
    Result<void> initialize();
    Result<QImage> render(const SceneDrawing& drawing, const Theme& theme, QSize size, double scale);
    /// True where the processor draws (llvmpipe, softpipe, swrast, SwiftShader). Valid after initialize().
    bool isSoftware() const { return m_software; }

private:
    std::unique_ptr<QOffscreenSurface> m_surface;
    std::unique_ptr<QOpenGLContext> m_context;
    SceneRenderer m_renderer;
    bool m_ready = false;
    bool m_software = false;
};

} // namespace ridge::app
