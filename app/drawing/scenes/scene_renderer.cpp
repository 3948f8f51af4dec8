// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/drawing/scenes/scene_renderer.h"

#include "app/drawing/scenes/scene_paint.h"

#include <QOffscreenSurface>
#include <QOpenGLBuffer>
#include <QOpenGLContext>
#include <QOpenGLFramebufferObject>
#include <QOpenGLFunctions>
#include <QOpenGLFunctions_3_3_Core>
#include <QOpenGLShaderProgram>
#include <QOpenGLTexture>
#include <QOpenGLTextureBlitter>
#include <QOpenGLVersionFunctionsFactory>
#include <QOpenGLVertexArrayObject>
#include <cmath>

namespace ridge::app {
namespace {

const char* const kVertexShader = R"(#version 330 core
layout(location = 0) in vec4 place;   // centre, half size, in scene units
layout(location = 1) in vec4 color;   // straight alpha
layout(location = 2) in vec4 form;    // radius, border, hatch, unused
layout(location = 3) in vec2 axis;    // direction of local x
uniform vec2 extent;                  // scene units shown
uniform float pixel;                  // scene units a pixel
out vec2 local;
out vec2 scene;
flat out vec2 halfSize;
flat out vec4 tint;
flat out vec4 look;
void main()
{
    vec2 corner = vec2((gl_VertexID & 1) * 2 - 1, (gl_VertexID >> 1) * 2 - 1);
    local = corner * (place.zw + vec2(pixel)); // a pixel of margin for the smoothed edge
    scene = place.xy + local.x * axis + local.y * vec2(-axis.y, axis.x);
    halfSize = place.zw;
    tint = color;
    look = form;
    gl_Position = vec4(scene.x / extent.x * 2.0 - 1.0, 1.0 - scene.y / extent.y * 2.0, 0.0, 1.0);
}
)";

const char* const kFragmentShader = R"(#version 330 core
in vec2 local;
in vec2 scene;
flat in vec2 halfSize;
flat in vec4 tint;
flat in vec4 look;
uniform float pixel;
uniform vec2 hatch; // period, width
out vec4 fragment;
float roundedBox(vec2 p, vec2 size, float radius)
{
    vec2 q = abs(p) - size + radius;
    return length(max(q, 0.0)) + min(max(q.x, q.y), 0.0) - radius;
}
float coverage(float distance) { return clamp(0.5 - distance / pixel, 0.0, 1.0); }
void main()
{
    float radius = min(look.x, min(halfSize.x, halfSize.y));
    float cover;
    if (radius <= 0.0) { // exact box filter, so that hairlines keep their weight
        vec2 low = clamp((halfSize + local) / pixel + 0.5, 0.0, 1.0);
        vec2 high = clamp((halfSize - local) / pixel + 0.5, 0.0, 1.0);
        vec2 part = max(low + high - 1.0, 0.0);
        part = min(part, 2.0 * halfSize / pixel);
        cover = part.x * part.y;
    } else {
        cover = coverage(roundedBox(local, halfSize, radius));
    }
    if (look.y > 0.0) {
        vec2 inner = halfSize - look.y;
        cover = max(0.0, cover - coverage(roundedBox(local, inner, max(0.0, radius - look.y))));
    }
    if (look.z > 0.0) {
        float along = (scene.x + scene.y) * 0.70710678;
        float away = abs(along - hatch.x * round(along / hatch.x));
        cover *= coverage(away - hatch.y / 2.0);
    }
    float alpha = tint.a * cover;
    fragment = vec4(tint.rgb * alpha, alpha);
}
)";

struct Instance {
    float place[4];
    float color[4];
    float form[4];
    float axis[2];
};

Instance instance(QPointF centre, double halfWidth, double halfHeight, const QColor& color, double alpha)
{
    const auto f = [](double v) { return static_cast<float>(v); };
    return {{f(centre.x()), f(centre.y()), f(halfWidth), f(halfHeight)},
            {color.redF(), color.greenF(), color.blueF(), f(alpha)},
            {0, 0, 0, 0},
            {1, 0}};
}

std::vector<Instance> instancesOf(const SceneDrawing& drawing, const Theme& theme)
{
    std::vector<Instance> list;
    list.reserve(drawing.links.size() + drawing.quads.size());
    for (const Link& link : drawing.links) {
        const QPointF along = link.to - link.from;
        const double length = std::hypot(along.x(), along.y());
        if (length <= 0)
            continue;
        Instance bar =
            instance((link.from + link.to) / 2, length / 2, link.width / 2, theme.color(link.role), link.alpha);
        bar.axis[0] = static_cast<float>(along.x() / length);
        bar.axis[1] = static_cast<float>(along.y() / length);
        list.push_back(bar);
    }
    for (const Quad& quad : drawing.quads) {
        Instance box = instance(quad.rect.center(), quad.rect.width() / 2, quad.rect.height() / 2,
                                theme.color(quad.role), quad.alpha);
        box.form[0] = static_cast<float>(quad.radius);
        box.form[1] = static_cast<float>(quad.border);
        box.form[2] = quad.hatch ? 1.0F : 0.0F;
        list.push_back(box);
    }
    return list;
}

Error noOpenGl(const std::string& what)
{
    return {"no-opengl", what, "OpenGL 3.3", "scenes are drawn without it; nothing is lost but smoothness"};
}

} // namespace

struct SceneRenderer::Private {
    QOpenGLFunctions_3_3_Core* gl = nullptr;
    QOpenGLShaderProgram program;
    QOpenGLVertexArrayObject array;
    QOpenGLBuffer buffer{QOpenGLBuffer::VertexBuffer};
    QOpenGLTextureBlitter blitter;

    void describeInstances()
    {
        const struct {
            GLuint location;
            GLint count;
            std::size_t offset;
        } fields[] = {{0, 4, offsetof(Instance, place)},
                      {1, 4, offsetof(Instance, color)},
                      {2, 4, offsetof(Instance, form)},
                      {3, 2, offsetof(Instance, axis)}};
        for (const auto& field : fields) {
            gl->glEnableVertexAttribArray(field.location);
            gl->glVertexAttribPointer(field.location, field.count, GL_FLOAT, GL_FALSE, sizeof(Instance),
                                      reinterpret_cast<const void*>(field.offset));
            gl->glVertexAttribDivisor(field.location, 1);
        }
    }
};

SceneRenderer::SceneRenderer() : d(std::make_unique<Private>()) {}

SceneRenderer::~SceneRenderer() = default;

Result<void> SceneRenderer::initialize()
{
    QOpenGLContext* context = QOpenGLContext::currentContext();
    d->gl = context ? QOpenGLVersionFunctionsFactory::get<QOpenGLFunctions_3_3_Core>(context) : nullptr;
    if (!d->gl || !d->gl->initializeOpenGLFunctions())
        return noOpenGl("this machine's OpenGL is older than 3.3");
    if (!d->program.addShaderFromSourceCode(QOpenGLShader::Vertex, kVertexShader) ||
        !d->program.addShaderFromSourceCode(QOpenGLShader::Fragment, kFragmentShader) || !d->program.link())
        return Error{"bad-shader", d->program.log().toStdString(), "scene shader",
                     "report it with the driver's name; scenes are drawn without OpenGL"};
    if (!d->array.create() || !d->buffer.create())
        return noOpenGl("the driver gave no vertex buffer");
    d->array.bind();
    d->buffer.bind();
    d->describeInstances();
    d->buffer.release();
    d->array.release();
    return {};
}

/// Dense maps, each a texture of a texel a cell: below all shapes.
void SceneRenderer::rasters(const SceneDrawing& drawing, const Theme& theme, QSize pixels, double scale)
{
    if (drawing.rasters.empty() || (!d->blitter.isCreated() && !d->blitter.create()))
        return;
    d->gl->glEnable(GL_BLEND);
    d->gl->glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    d->blitter.bind();
    for (const Raster& raster : drawing.rasters) {
        if (raster.columns <= 0 || raster.rows <= 0)
            continue;
        QOpenGLTexture texture(rasterImage(raster, theme), QOpenGLTexture::DontGenerateMipMaps);
        texture.setMinMagFilters(QOpenGLTexture::Nearest, QOpenGLTexture::Nearest);
        const QRectF place(raster.rect.topLeft() * scale, raster.rect.size() * scale);
        d->blitter.blit(texture.textureId(), QOpenGLTextureBlitter::targetTransform(place, QRect(QPoint(), pixels)),
                        QOpenGLTextureBlitter::OriginTopLeft);
    }
    d->blitter.release();
}

void SceneRenderer::render(const SceneDrawing& drawing, const Theme& theme, QSize pixels, double scale)
{
    const std::vector<Instance> instances = instancesOf(drawing, theme);
    const QColor ground = theme.color(Role::Surface);
    QOpenGLFunctions_3_3_Core& gl = *d->gl;
    gl.glViewport(0, 0, pixels.width(), pixels.height());
    gl.glDisable(GL_DEPTH_TEST);
    gl.glDisable(GL_SCISSOR_TEST);
    gl.glDisable(GL_CULL_FACE);
    gl.glClearColor(ground.redF(), ground.greenF(), ground.blueF(), 1);
    gl.glClear(GL_COLOR_BUFFER_BIT);
    rasters(drawing, theme, pixels, scale);
    gl.glEnable(GL_BLEND);
    gl.glBlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    d->program.bind();
    d->program.setUniformValue("extent", QPointF(pixels.width() / scale, pixels.height() / scale));
    d->program.setUniformValue("pixel", static_cast<float>(1.0 / scale));
    d->program.setUniformValue("hatch", QPointF(kHatchPeriod, kHatchWidth));
    d->array.bind();
    d->buffer.bind();
    d->buffer.allocate(instances.data(), static_cast<int>(instances.size() * sizeof(Instance)));
    gl.glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, static_cast<GLsizei>(instances.size()));
    d->buffer.release();
    d->array.release();
    d->program.release();
    gl.glDisable(GL_BLEND);
}

void SceneRenderer::overlay(const QImage& picture, QSize pixels)
{
    QOpenGLFunctions* gl = QOpenGLContext::currentContext()->functions();
    if (!d->blitter.isCreated() && !d->blitter.create())
        return;
    QOpenGLTexture texture(picture, QOpenGLTexture::DontGenerateMipMaps); // straight alpha, whatever the picture had
    gl->glViewport(0, 0, pixels.width(), pixels.height());
    gl->glEnable(GL_BLEND);
    gl->glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    d->blitter.bind();
    d->blitter.blit(texture.textureId(),
                    QOpenGLTextureBlitter::targetTransform(QRectF(QPointF(), pixels), QRect(QPoint(), pixels)),
                    QOpenGLTextureBlitter::OriginTopLeft);
    d->blitter.release();
    gl->glDisable(GL_BLEND);
}

void SceneRenderer::release()
{
    d->blitter.destroy();
    d->array.destroy();
    d->buffer.destroy();
    d->program.removeAllShaders();
}

OffscreenGl::OffscreenGl() = default;

OffscreenGl::~OffscreenGl()
{
    if (m_ready && m_context->makeCurrent(m_surface.get())) {
        m_renderer.release();
        m_context->doneCurrent();
    }
}

Result<void> OffscreenGl::initialize()
{
    QSurfaceFormat format;
    format.setVersion(3, 3);
    format.setProfile(QSurfaceFormat::CoreProfile);
    m_context = std::make_unique<QOpenGLContext>();
    m_context->setFormat(format);
    if (!m_context->create())
        return noOpenGl("no OpenGL context could be made");
    m_surface = std::make_unique<QOffscreenSurface>();
    m_surface->setFormat(m_context->format());
    m_surface->create();
    if (!m_surface->isValid() || !m_context->makeCurrent(m_surface.get()))
        return noOpenGl("no OpenGL surface could be made");
    auto ready = m_renderer.initialize();
    m_ready = ready.ok();
    const auto* name = reinterpret_cast<const char*>(m_context->functions()->glGetString(GL_RENDERER));
    const QByteArray renderer = QByteArray(name).toLower();
    m_software = renderer.contains("llvmpipe") || renderer.contains("softpipe") || renderer.contains("swrast") ||
                 renderer.contains("swiftshader");
    m_context->doneCurrent();
    return ready;
}

Result<QImage> OffscreenGl::render(const SceneDrawing& drawing, const Theme& theme, QSize size, double scale)
{
    if (!m_ready || !m_context->makeCurrent(m_surface.get()))
        return noOpenGl("the OpenGL context is gone");
    const QSize pixels(static_cast<int>(std::lround(size.width() * scale)),
                       static_cast<int>(std::lround(size.height() * scale)));
    QImage image;
    {
        QOpenGLFramebufferObject target(pixels);
        if (target.bind()) {
            m_renderer.render(drawing, theme, pixels, scale);
            image = target.toImage().convertToFormat(QImage::Format_ARGB32_Premultiplied);
            target.release();
        }
    }
    m_context->doneCurrent();
    if (image.isNull())
        return noOpenGl("no frame buffer of " + std::to_string(pixels.width()) + " × " +
                        std::to_string(pixels.height()));
    image.setDevicePixelRatio(scale);
    return image;
}

} // namespace ridge::app
