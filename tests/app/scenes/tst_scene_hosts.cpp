// SPDX-License-Identifier: GPL-3.0-or-later
// The three surfaces draw the same picture. Needs an X server with OpenGL.
#include "app/scenes/scene_host.h"
#include "app/scenes/scene_renderer.h"
#include "app/scenes/scene_view.h"
#include "tests/golden/golden.h"
#include "traces.h"

#include <QOpenGLWidget>
#include <QtTest>
#include <QtWidgets>

using namespace ridge;
using namespace ridge::app;
using namespace ridge::app::testing;

class SceneHostsTest : public QObject {
    Q_OBJECT
    Theme m_theme;

    static QImage pictureWith(const char* graphics, Theme& theme, const QString& id, const SceneFrame& frame,
                              QString* name)
    {
        graphics ? qputenv("RIDGE_GRAPHICS", graphics) : qunsetenv("RIDGE_GRAPHICS");
        SceneView view(theme, makeScene(id));
        view.setFrames({frame});
        view.selectLane(5);
        view.resize(760, 620);
        view.show();
        if (!QTest::qWaitForWindowExposed(&view))
            return {};
        auto* canvas = view.findChild<QWidget*>(QStringLiteral("sceneCanvas"));
        const QImage picture = canvas->grab().toImage();
        *name = view.hostName();
        return picture;
    }

private Q_SLOTS:
    void initTestCase() { QVERIFY(m_theme.load(QStringLiteral("light")).ok()); }
    void cleanup() { qunsetenv("RIDGE_GRAPHICS"); }

    void hostsAgree_data()
    {
        QTest::addColumn<QString>("id");
        QTest::addColumn<QString>("theme");
        for (const char* id : {"lanes_sectors", "shared_banks"})
            for (const char* theme : {"light", "dark"})
                QTest::addRow("%s %s", id, theme) << QString::fromLatin1(id) << QString::fromLatin1(theme);
    }
    void hostsAgree()
    {
        QFETCH(QString, id);
        QFETCH(QString, theme);
        QVERIFY(m_theme.load(theme).ok());
        const SceneFrame frame = id == QLatin1String("lanes_sectors") ? globalFrame(8) : sharedFrame(4);
        QString name;
        const QImage byPainter = pictureWith("painter", m_theme, id, frame, &name);
        QCOMPARE(name, QStringLiteral("painter"));
        const QImage byImage = pictureWith("opengl-image", m_theme, id, frame, &name);
        QCOMPARE(name, QStringLiteral("opengl-image"));
        const QImage byWidget = pictureWith("opengl", m_theme, id, frame, &name);
        QCOMPARE(name, QStringLiteral("opengl"));
        for (const auto& [host, picture] : {std::pair{"image", byImage}, std::pair{"widget", byWidget}}) {
            const golden::Difference difference = golden::compare(byPainter, picture);
            if (!difference.accepted()) {
                byPainter.save(QDir::temp().filePath(QStringLiteral("hosts-painter.png")));
                picture.save(QDir::temp().filePath(QStringLiteral("hosts-%1.png").arg(QLatin1String(host))));
            }
            QVERIFY2(difference.accepted(),
                     qPrintable(QStringLiteral("%1: %2 %").arg(QLatin1String(host)).arg(difference.share * 100)));
        }
        QImage blank(byPainter.size(), QImage::Format_RGB32);
        blank.fill(m_theme.color(Role::Surface));
        QVERIFY(!golden::compare(byPainter, blank).accepted());
    }

    void softwareOpenGlDrawsIntoAPicture()
    {
        OffscreenGl gl;
        QVERIFY(gl.initialize().ok());
        const auto wanted = gl.isSoftware() ? HostKind::OpenGlImage : HostKind::OpenGl;
        QCOMPARE(chooseHost().kind, wanted);
        qputenv("RIDGE_GRAPHICS", "opengl");
        QCOMPARE(chooseHost().kind, HostKind::OpenGl);
    }

    void widgetSurvivesAnotherWindow()
    {
        qputenv("RIDGE_GRAPHICS", "opengl");
        SceneView view(m_theme, makeLanesSectorsScene());
        QVERIFY(view.findChild<QOpenGLWidget*>());
        view.setFrames({globalFrame(1)});
        QWidget first, second;
        (new QVBoxLayout(&first))->addWidget(&view);
        auto* layout = new QVBoxLayout(&second);
        first.resize(760, 620);
        first.show();
        QVERIFY(QTest::qWaitForWindowExposed(&first));
        auto* canvas = view.findChild<QWidget*>(QStringLiteral("sceneCanvas"));
        const QImage before = canvas->grab().toImage();
        layout->addWidget(&view);
        second.resize(760, 620);
        second.show();
        QVERIFY(QTest::qWaitForWindowExposed(&second));
        QCOMPARE(view.hostName(), QStringLiteral("opengl"));
        QVERIFY(golden::compare(before, canvas->grab().toImage()).accepted());
        view.setParent(nullptr);
    }

    void picturesWithoutAWindow()
    {
        const auto scene = makeLanesSectorsScene();
        const std::vector<SceneFrame> frames = {globalFrame(8)};
        const QSize size(680, 410);
        const QImage once = renderScene(*scene, frames, {}, m_theme, size, 2);
        QCOMPARE(once.size(), size * 2);
        QCOMPARE(renderScene(*scene, frames, {}, m_theme, size, 2), once);
        qputenv("RIDGE_GRAPHICS", "painter");
        QVERIFY(golden::compare(once, renderScene(*scene, frames, {}, m_theme, size, 2)).accepted());
    }

    void hugePicturesFailWithAName()
    {
        OffscreenGl gl;
        QVERIFY(gl.initialize().ok());
        const auto result = gl.render({}, m_theme, QSize(200000, 10), 1);
        QVERIFY(!result.ok());
        QCOMPARE(result.error().code, std::string("no-opengl"));
    }

    void rendererWithoutContextSaysSo()
    {
        SceneRenderer renderer;
        const auto result = renderer.initialize();
        QVERIFY(!result.ok());
        QCOMPARE(result.error().code, std::string("no-opengl"));
        QVERIFY(!result.error().fix.empty());
    }

    void manyFramesAreQuick()
    {
        const auto scene = makeLanesSectorsScene();
        std::vector<SceneFrame> frames;
        for (std::uint64_t stride = 1; stride <= 128; ++stride)
            frames.push_back(globalFrame(stride));
        QElapsedTimer timer;
        timer.start();
        for (std::size_t frame = 0; frame < frames.size(); ++frame)
            scene->draw(frames, {frame, 0, 5, 1.0}, QSizeF(760, 420), 1);
        QVERIFY2(timer.elapsed() < 1000, qPrintable(QString::number(timer.elapsed())));
    }
};

QTEST_MAIN(SceneHostsTest)
#include "tst_scene_hosts.moc"
