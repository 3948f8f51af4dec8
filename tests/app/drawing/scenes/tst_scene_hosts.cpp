// SPDX-License-Identifier: GPL-3.0-or-later
// The three surfaces draw the same picture. Needs an X server with OpenGL.
#include "app/drawing/scenes/scene_host.h"
#include "app/drawing/scenes/scene_paint.h"
#include "app/drawing/scenes/scene_renderer.h"
#include "app/drawing/scenes/scene_view.h"
#include "launches.h"
#include "tests/golden/golden.h"
#include "tests/support/pace.h"
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

    static LaunchTrace manyStates()
    {
        LaunchTrace trace = smallLaunch();
        trace.chip.sms = 132;
        trace.chip.warpSlots = 64;
        trace.watchedSms = 4;
        trace.warps.clear();
        trace.blocks.clear();
        std::uint64_t seed = 7;
        const auto random = [&seed](std::uint32_t below) {
            seed = seed * 6364136223846793005ull + 1442695040888963407ull;
            return static_cast<std::uint32_t>(seed >> 33) % below;
        };
        std::uint64_t last = 0;
        for (std::uint32_t sm = 0; sm < 4; ++sm)
            for (std::uint32_t slot = 0; slot < 64; ++slot) {
                WarpTrack track{sm, slot, slot / 8 * 132 + sm, slot % 8, true, {}};
                std::uint32_t cycle = random(50);
                for (int at = 0; at < 4096; ++at) {
                    const bool issue = at % 2 == 0;
                    const std::uint32_t cycles = issue ? 1 : 1 + random(60);
                    track.intervals.push_back({cycle, cycles, random(5), issue ? 0xffffffffu : 0,
                                               static_cast<std::uint8_t>(issue ? 0 : 1 + random(5))});
                    cycle += cycles;
                }
                last = std::max<std::uint64_t>(last, cycle);
                trace.warps.push_back(std::move(track));
            }
        trace.cycles = trace.extrapolation.simulatedCycles = last;
        trace.watchedUntil.assign(4, last);
        const std::size_t buckets = 124, counters = trace.sms.counters.size();
        trace.sms.bucketCycles = last / buckets + 1;
        trace.sms.values.assign(buckets * 132 * counters, 0);
        for (std::size_t cell = 0; cell < buckets * 132; ++cell) {
            std::uint32_t* values = trace.sms.values.data() + cell * counters;
            for (std::size_t at = 2; at < counters; ++at)
                values[1] += values[at] = random(10000);
            values[1] += values[0] = random(3000);
        }
        return trace;
    }

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
        for (const char* id : {"lanes_sectors", "shared_banks", "sm_timeline", "memory_hierarchy", "occupancy"})
            for (const char* theme : {"light", "dark"})
                QTest::addRow("%s %s", id, theme) << QString::fromLatin1(id) << QString::fromLatin1(theme);
    }
    void hostsAgree()
    {
        QFETCH(QString, id);
        QFETCH(QString, theme);
        QVERIFY(m_theme.load(theme).ok());
        const SceneFrame frame = id == QLatin1String("lanes_sectors")  ? globalFrame(8)
                                 : id == QLatin1String("shared_banks") ? sharedFrame(4)
                                                                       : launchFrame();
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

    /// A million warp states: 132 SMs, four of them watched with 64 warp slots each. Every picture moves and magnifies.
    void aMillionStatesPanAndZoom()
    {
        LaunchTrace trace = manyStates();
        QCOMPARE(trace.events(), std::size_t{1} << 20);
        QElapsedTimer timer;
        timer.start();
        const std::string bytes = encodeLaunchTrace(trace);
        const auto encoded = timer.restart();
        auto decoded = decodeLaunchTrace(bytes);
        QVERIFY(decoded.ok());
        SceneFrame frame;
        frame.payloads.put(
            std::make_shared<const LaunchView>(std::make_shared<const LaunchTrace>(std::move(*decoded))));
        const auto opened = timer.restart();
        qInfo("%zu KiB, encoded in %lld ms, decoded and indexed in %lld ms", bytes.size() >> 10,
              static_cast<long long>(encoded), static_cast<long long>(opened));
        const auto scene = makeSmTimelineScene();
        const std::vector<SceneFrame> frames = {frame};
        const QSize size(1200, static_cast<int>(scene->preferredHeight(frames, 1)));
        OffscreenGl gl;
        QVERIFY(gl.initialize().ok());
        std::vector<double> drawing, whole;
        SceneState state;
        for (int picture = 0; picture < 60; ++picture) {
            state = picture < 30 ? zoomed(state, 1.3, 0.4) : panned(state, picture % 2 == 0 ? 0.1 : -0.2);
            state.progress = (state.from + state.to) / 2;
            const double began = test::threadMs();
            const SceneDrawing drawn = scene->draw(frames, state, size, 1);
            drawing.push_back(test::threadMs() - began);
            auto image = gl.render(drawn, m_theme, size, 1);
            QVERIFY(image.ok());
            QPainter painter(&*image);
            paintLabels(painter, drawn, m_theme);
            painter.end();
            whole.push_back(test::threadMs() - began);
        }
        std::sort(drawing.begin(), drawing.end());
        std::sort(whole.begin(), whole.end());
        qInfo("median %.1f ms a picture of 1200 x %d, %.1f ms of it to lay out; slowest %.1f ms", whole[30],
              size.height(), drawing[30], whole.back());
        const double median = whole[30] / test::pace(whole[30]);
        QVERIFY2(median < 100, "30 pictures a second are the goal, where no software draws them");
    }

    void manyFramesAreQuick()
    {
        const auto scene = makeLanesSectorsScene();
        std::vector<SceneFrame> frames;
        for (std::uint64_t stride = 1; stride <= 128; ++stride)
            frames.push_back(globalFrame(stride));
        const test::PacedClock clock;
        for (std::size_t frame = 0; frame < frames.size(); ++frame)
            scene->draw(frames, {frame, 0, 5, 1.0}, QSizeF(760, 420), 1);
        const double took = clock.ms();
        QVERIFY2(took < 1000, qPrintable(QString::number(took)));
    }
};

QTEST_MAIN(SceneHostsTest)
#include "tst_scene_hosts.moc"
