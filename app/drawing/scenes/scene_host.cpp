// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/drawing/scenes/scene_host.h"

#include "app/drawing/scenes/scene_paint.h"
#include "app/drawing/scenes/scene_renderer.h"
#include "app/drawing/scenes/scene_view.h"

#include <QGuiApplication>
#include <QOpenGLContext>
#include <QOpenGLWidget>
#include <QPainter>

namespace ridge::app {
namespace {

/// A problem is said in the picture, never left as a black box.
void paintProblem(QPainter& painter, const Theme& theme, QSize size, const QString& problem)
{
    if (problem.isEmpty())
        return;
    painter.setFont(theme.font(TextStyle::Caption));
    painter.setPen(theme.color(Role::Warn));
    painter.drawText(QRect(0, size.height() - 40, size.width(), 40), Qt::AlignLeft | Qt::AlignBottom | Qt::TextWordWrap,
                     problem);
}

void paintWithoutGl(QPainter& painter, const SceneDrawing& drawing, const Theme& theme, QSize size,
                    const QString& problem)
{
    painter.fillRect(QRect(QPoint(0, 0), size), theme.color(Role::Surface));
    paintShapes(painter, drawing, theme);
    paintLabels(painter, drawing, theme);
    paintProblem(painter, theme, size, problem);
}

class PainterHost : public QWidget, public SceneHost {
public:
    PainterHost(const Theme& theme, Source source) : m_theme(theme), m_source(std::move(source)) {}
    QWidget* widget() override { return this; }
    QString name() const override { return QStringLiteral("painter"); }
    QString problem() const override { return {}; }
    void refresh() override { update(); }

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        paintWithoutGl(painter, m_source(size()), m_theme, size(), {});
    }

private:
    const Theme& m_theme;
    Source m_source;
};

class GlImageHost : public QWidget, public SceneHost {
public:
    GlImageHost(const Theme& theme, Source source) : m_theme(theme), m_source(std::move(source)) {}
    QWidget* widget() override { return this; }
    QString name() const override
    {
        return m_problem.isEmpty() ? QStringLiteral("opengl-image") : QStringLiteral("painter");
    }
    QString problem() const override { return m_problem; }
    void refresh() override
    {
        m_image = {};
        update();
    }

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        const SceneDrawing& drawing = m_source(size());
        const double scale = painter.device()->devicePixelRatioF();
        begin();
        if (m_problem.isEmpty() && (m_image.isNull() || m_image.deviceIndependentSize().toSize() != size() ||
                                    !qFuzzyCompare(m_image.devicePixelRatio(), scale))) {
            auto rendered = m_gl.render(drawing, m_theme, size(), scale);
            if (rendered)
                m_image = std::move(rendered).value();
            else
                m_problem = QString::fromStdString(toText(rendered.error()));
        }
        if (!m_problem.isEmpty())
            return paintWithoutGl(painter, drawing, m_theme, size(), m_problem);
        painter.drawImage(0, 0, m_image);
        paintLabels(painter, drawing, m_theme);
    }

private:
    /// With the first picture: a lesson has scenes far below, and a context costs some 10 ms and its memory.
    void begin()
    {
        if (m_begun)
            return;
        m_begun = true;
        if (const auto ready = m_gl.initialize(); !ready)
            m_problem = QString::fromStdString(toText(ready.error()));
    }

    const Theme& m_theme;
    Source m_source;
    OffscreenGl m_gl;
    QImage m_image;
    QString m_problem;
    bool m_begun = false;
};

class GlWidgetHost : public QOpenGLWidget, public SceneHost {
public:
    GlWidgetHost(const Theme& theme, Source source) : m_theme(theme), m_source(std::move(source))
    {
        QSurfaceFormat wanted = format();
        wanted.setVersion(3, 3);
        wanted.setProfile(QSurfaceFormat::CoreProfile);
        setFormat(wanted);
    }
    ~GlWidgetHost() override
    {
        disconnect(m_lost);
        dropGl();
    }
    QWidget* widget() override { return this; }
    QString name() const override { return m_problem.isEmpty() ? QStringLiteral("opengl") : QStringLiteral("painter"); }
    QString problem() const override { return m_problem; }
    void refresh() override { update(); }

protected:
    void initializeGL() override
    {
        m_renderer = std::make_unique<SceneRenderer>();
        m_problem.clear();
        if (const auto ready = m_renderer->initialize(); !ready)
            m_problem = QString::fromStdString(toText(ready.error()));
        // Docking into another window gives a new context; buffers of the old one must go with it.
        m_lost = connect(
            context(), &QOpenGLContext::aboutToBeDestroyed, this, [this] { dropGl(); }, Qt::DirectConnection);
    }
    void paintGL() override
    {
        const SceneDrawing& drawing = m_source(size());
        const double scale = devicePixelRatioF();
        if (m_problem.isEmpty())
            m_renderer->render(drawing, m_theme, size() * scale, scale);
        QImage over(size() * scale, QImage::Format_ARGB32_Premultiplied);
        over.setDevicePixelRatio(scale);
        over.fill(Qt::transparent);
        QPainter painter(&over);
        if (m_problem.isEmpty())
            paintLabels(painter, drawing, m_theme);
        else
            paintWithoutGl(painter, drawing, m_theme, size(), m_problem);
        painter.end();
        m_renderer->overlay(over, size() * scale);
    }

private:
    void dropGl()
    {
        if (!m_renderer)
            return;
        makeCurrent();
        m_renderer->release();
        m_renderer.reset();
        doneCurrent();
    }

    const Theme& m_theme;
    Source m_source;
    std::unique_ptr<SceneRenderer> m_renderer;
    QMetaObject::Connection m_lost;
    QString m_problem;
};

struct GlFacts {
    QString problem; ///< why there is no OpenGL
    bool software = false;
};

/// Asked once: making a context costs some 15 ms and the answer holds as long as the program runs.
const GlFacts& glFacts()
{
    static const GlFacts facts = [] {
        OffscreenGl probe;
        const auto ready = probe.initialize();
        return ready ? GlFacts{{}, probe.isSoftware()} : GlFacts{QString::fromStdString(toText(ready.error())), false};
    }();
    return facts;
}

} // namespace

HostChoice chooseHost()
{
    const QString asked = qEnvironmentVariable("RIDGE_GRAPHICS");
    if (asked == QLatin1String("painter"))
        return {HostKind::Painter, SceneView::tr("OpenGL is turned off by RIDGE_GRAPHICS.")};
    static const QStringList composing = {QStringLiteral("xcb"), QStringLiteral("wayland"), QStringLiteral("cocoa"),
                                          QStringLiteral("windows")};
    const bool composes = composing.contains(QGuiApplication::platformName());
    const GlFacts& gl = glFacts();
    if (!gl.problem.isEmpty())
        return {HostKind::Painter, gl.problem};
    if (asked == QLatin1String("opengl"))
        return {composes ? HostKind::OpenGl : HostKind::OpenGlImage, {}};
    if (!composes || gl.software || asked == QLatin1String("opengl-image"))
        return {HostKind::OpenGlImage, {}};
    return {HostKind::OpenGl, {}};
}

std::unique_ptr<SceneHost> makeHost(HostKind kind, const Theme& theme, SceneHost::Source source)
{
    switch (kind) {
    case HostKind::OpenGl:
        return std::make_unique<GlWidgetHost>(theme, std::move(source));
    case HostKind::OpenGlImage:
        return std::make_unique<GlImageHost>(theme, std::move(source));
    case HostKind::Painter:
        break;
    }
    return std::make_unique<PainterHost>(theme, std::move(source));
}

QImage renderScene(const Scene& scene, const std::vector<SceneFrame>& frames, const SceneState& state,
                   const Theme& theme, QSize size, double scale)
{
    const SceneDrawing drawing = scene.draw(frames, state, size, theme.textScale());
    QImage image;
    OffscreenGl gl;
    if (qEnvironmentVariable("RIDGE_GRAPHICS") != QLatin1String("painter") && gl.initialize().ok()) {
        auto rendered = gl.render(drawing, theme, size, scale);
        if (rendered)
            image = std::move(rendered).value();
    }
    const bool shapes = image.isNull();
    if (shapes) {
        image = QImage(size * scale, QImage::Format_ARGB32_Premultiplied);
        image.setDevicePixelRatio(scale);
        image.fill(theme.color(Role::Surface));
    }
    QPainter painter(&image);
    if (shapes)
        paintShapes(painter, drawing, theme);
    paintLabels(painter, drawing, theme);
    return image;
}

} // namespace ridge::app
