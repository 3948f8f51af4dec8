// SPDX-License-Identifier: GPL-3.0-or-later
// The view around a scene, on a platform without OpenGL.
#include "app/drawing/scenes/scene_view.h"
#include "launches.h"
#include "traces.h"

#include <QAbstractItemModelTester>
#include <QtTest>
#include <QtWidgets>

using namespace ridge;
using namespace ridge::app;
using namespace ridge::app::testing;

class SceneViewTest : public QObject {
    Q_OBJECT
    Theme m_theme;

    static std::vector<SceneFrame> strides()
    {
        std::vector<SceneFrame> frames;
        for (int stride = 1; stride <= 128; stride *= 2)
            frames.push_back(globalFrame(static_cast<std::uint64_t>(stride)));
        return frames;
    }
    static QWidget* canvasOf(SceneView& view) { return view.findChild<QWidget*>(QStringLiteral("sceneCanvas")); }
    void showFocused(SceneView& view)
    {
        view.setFrames(strides());
        view.resize(760, 640);
        view.show();
        QVERIFY(QTest::qWaitForWindowActive(&view));
        view.setFocus();
        QTRY_VERIFY(canvasOf(view)->hasFocus());
    }

private Q_SLOTS:
    void initTestCase()
    {
        qputenv("RIDGE_GRAPHICS", "painter");
        QVERIFY(m_theme.load(QStringLiteral("light")).ok());
    }

    void withoutOpenGlItDrawsAndSaysWhy()
    {
        SceneView view(m_theme, makeLanesSectorsScene());
        QCOMPARE(view.hostName(), QStringLiteral("painter"));
        QVERIFY(!view.graphicsProblem().isEmpty());
        view.setFrames(strides());
        view.resize(760, 640);
        const QImage picture = view.grab().toImage();
        int blue = 0;
        for (int y = 0; y < picture.height(); ++y)
            for (int x = 0; x < picture.width(); ++x)
                blue += picture.pixelColor(x, y) == m_theme.color(Role::Series1) ? 1 : 0;
        QVERIFY2(blue > 10000, "stride 1 fills a whole line with used bytes");
    }

    void keysScrubStepAndSelect()
    {
        SceneView view(m_theme, makeLanesSectorsScene());
        showFocused(view);
        QWidget* canvas = canvasOf(view);
        QSignalSpy changed(&view, &SceneView::stateChanged);
        QTest::keyClick(canvas, Qt::Key_Period);
        QTest::keyClick(canvas, Qt::Key_Period);
        QCOMPARE(view.state().frame, 2U);
        QTest::keyClick(canvas, Qt::Key_Comma);
        QCOMPARE(view.state().frame, 1U);
        QTest::keyClick(canvas, Qt::Key_Period, Qt::ShiftModifier);
        QCOMPARE(view.state().frame, 7U);
        QTest::keyClick(canvas, Qt::Key_Less, Qt::ShiftModifier);
        QCOMPARE(view.state().frame, 0U);
        QTest::keyClick(canvas, Qt::Key_Right);
        QTest::keyClick(canvas, Qt::Key_Right);
        QCOMPARE(view.state().lane, 1);
        QTest::keyClick(canvas, Qt::Key_End);
        QTest::keyClick(canvas, Qt::Key_Right);
        QCOMPARE(view.state().lane, 31);
        QTest::keyClick(canvas, Qt::Key_Left);
        QCOMPARE(view.state().lane, 30);
        QTest::keyClick(canvas, Qt::Key_Return);
        QVERIFY(canvas->property("announcement").toString().startsWith(QStringLiteral("lane 30: in + 120 B")));
        QTest::keyClick(canvas, Qt::Key_Escape);
        QCOMPARE(view.state().lane, -1);
        QTest::keyClick(canvas, Qt::Key_BracketRight);
        QCOMPARE(view.state().request, 1U);
        QTest::keyClick(canvas, Qt::Key_BracketRight);
        QCOMPARE(view.state().request, 1U);
        QTest::keyClick(canvas, Qt::Key_F7, Qt::ShiftModifier);
        QCOMPARE(view.state().progress, 0.75);
        QCOMPARE(changed.count(), 12);
    }

    void stepsRunOnIntoRequestsAndFrames()
    {
        SceneView view(m_theme, makeLanesSectorsScene());
        view.setFrames({globalFrame(1), globalFrame(2)});
        SceneState start;
        start.progress = 0;
        view.setState(start);
        int steps = 0;
        SceneState before;
        do {
            before = view.state();
            view.stepService(1);
            ++steps;
        } while (before.frame != view.state().frame || before.request != view.state().request ||
                 before.progress != view.state().progress);
        // 4 + 4 sectors at stride 1, 8 + 8 at stride 2, three beginnings between them and one last try that stays.
        QCOMPARE(steps, 4 + 4 + 8 + 8 + 3 + 1);
        QCOMPARE(view.state().frame, 1U);
        QCOMPARE(view.state().request, 1U);
        for (int back = 0; back < 4 + 4 + 8 + 8 + 3; ++back)
            view.stepService(-1);
        QCOMPARE(view.state().frame, 0U);
        QCOMPARE(view.state().progress, 0.0);
    }

    void playStopsAtTheEnd()
    {
        SceneView view(m_theme, makeLanesSectorsScene());
        SceneFrame frame = globalFrame(1);
        frame.trace.requests.resize(1);
        view.setFrames({frame});
        view.setSpeed(100);
        view.play(true);
        QVERIFY(view.playing());
        QCOMPARE(view.state().progress, 0.0);
        QTRY_VERIFY(!view.playing());
        QCOMPARE(view.state().progress, 1.0);
        view.setFrames({});
        view.play(true);
        QVERIFY(!view.playing());
    }

    void appendedFramesKeepTheSelection()
    {
        SceneView view(m_theme, makeLanesSectorsScene());
        for (const SceneFrame& frame : strides())
            view.appendFrame(frame);
        QCOMPARE(view.state().frame, 0U);
        view.stepFrame(3);
        view.appendFrame(globalFrame(256));
        QCOMPARE(view.state().frame, 3U);
        QVERIFY(view.summary().startsWith(QStringLiteral("stride = 8")));
    }

    void nonsenseStatesAreClamped()
    {
        SceneView view(m_theme, makeLanesSectorsScene());
        view.setFrames(strides());
        view.setState({99, 99, 99, 7});
        QCOMPARE(view.state().frame, 7U);
        QCOMPARE(view.state().request, 1U);
        QCOMPARE(view.state().lane, 31);
        QCOMPARE(view.state().progress, 1.0);
        view.setFrames({});
        QCOMPARE(view.state().frame, 0U);
        view.stepFrame(1);
        view.stepRequest(1);
        view.stepService(1);
    }

    void sliderAndPickerDriveTheScene()
    {
        SceneView view(m_theme, makeLanesSectorsScene());
        view.setFrames(strides());
        QSlider* scrub = nullptr;
        for (QSlider* slider : view.findChildren<QSlider*>())
            if (slider->accessibleName() == QLatin1String("Frame"))
                scrub = slider;
        QVERIFY(scrub);
        QCOMPARE(scrub->maximum(), 7);
        scrub->setValue(5);
        QCOMPARE(view.state().frame, 5U);
        view.stepFrame(-1);
        QCOMPARE(scrub->value(), 4);
        auto* request = view.findChild<QSpinBox*>();
        request->setValue(2);
        QCOMPARE(view.state().request, 1U);
    }

    void clickOnALaneSelectsIt()
    {
        SceneView view(m_theme, makeLanesSectorsScene());
        showFocused(view);
        QWidget* canvas = canvasOf(view);
        const SceneDrawing drawing = view.drawing();
        const auto lane = std::find_if(drawing.items.begin(), drawing.items.end(),
                                       [](const SceneItem& item) { return item.id == QLatin1String("lane.9"); });
        QVERIFY(lane != drawing.items.end());
        QTest::mouseClick(canvas, Qt::LeftButton, {}, lane->rect.center().toPoint());
        QCOMPARE(view.state().lane, 9);
    }

    void tableTwin()
    {
        SceneView view(m_theme, makeSharedBanksScene());
        QAbstractItemModelTester tester(view.table(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        view.setFrames({sharedFrame(4), sharedFrame(32)});
        QCOMPARE(view.table()->rowCount(), 32);
        QCOMPARE(view.table()->headerData(4, Qt::Horizontal).toString(), QStringLiteral("Wavefront"));
        QCOMPARE(view.table()->index(31, 4).data().toString(), QStringLiteral("4"));
        view.stepFrame(1);
        QCOMPARE(view.table()->index(31, 4).data().toString(), QStringLiteral("32"));
        view.show();
        view.showTable(true);
        QVERIFY(view.tableShown());
        QVERIFY(view.findChild<QTableView*>()->isVisible());
    }

    /// Wheel, keys and buttons over a time axis.
    void cameraFollowsWheelAndKeys()
    {
        SceneView view(m_theme, makeSmTimelineScene());
        view.setFrames({launchFrame()});
        view.resize(900, 700);
        view.show();
        QVERIFY(QTest::qWaitForWindowActive(&view));
        view.setFocus();
        QWidget* canvas = canvasOf(view);
        QTRY_VERIFY(canvas->hasFocus());
        const QRectF plot = view.drawing().plot;
        QVERIFY(plot.width() > 300);
        const auto wheel = [&](QPointF at, int turn, Qt::KeyboardModifiers keys = {}) {
            QWheelEvent event(at, canvas->mapToGlobal(at), {}, {0, turn}, Qt::NoButton, keys, Qt::NoScrollPhase, false);
            QApplication::sendEvent(canvas, &event);
            return event.isAccepted();
        };
        QVERIFY(wheel({plot.left() + plot.width() / 4, plot.center().y()}, 240));
        QVERIFY(view.state().to - view.state().from < 0.7);
        QVERIFY(view.state().from > 0 && view.state().from < 0.25 && view.state().to > 0.25);
        const double from = view.state().from;
        QVERIFY(wheel(plot.center(), -120, Qt::ShiftModifier));
        QVERIFY(view.state().from > from);
        const SceneState before = view.state();
        wheel({5, 5}, 240); // outside the axis the page scrolls
        QVERIFY(view.state() == before);
        QTest::keyClick(canvas, Qt::Key_Home);
        QCOMPARE(view.state().to - view.state().from, 1.0);
        QTest::keyClick(canvas, Qt::Key_Plus);
        QVERIFY(view.state().to - view.state().from < 0.7);
        QTest::keyClick(canvas, Qt::Key_Minus);
        QCOMPARE(view.state().to - view.state().from, 1.0);
        QTest::keyClick(canvas, Qt::Key_Plus, Qt::ControlModifier); // text size, not the camera
        QCOMPARE(view.state().to - view.state().from, 1.0);
        QTest::keyClick(canvas, Qt::Key_Plus);
        const double there = view.state().from;
        QTest::mousePress(canvas, Qt::LeftButton, {}, plot.center().toPoint());
        QTest::mouseMove(canvas, plot.center().toPoint() + QPoint(int(plot.width() / 5), 0));
        QTest::mouseRelease(canvas, Qt::LeftButton, {}, plot.center().toPoint() + QPoint(int(plot.width() / 5), 0));
        QVERIFY(view.state().from < there);
    }

    void keysWalkWarpsAndStates()
    {
        SceneView view(m_theme, makeSmTimelineScene());
        view.setFrames({launchFrame()});
        view.resize(900, 700);
        view.show();
        QVERIFY(QTest::qWaitForWindowActive(&view));
        view.setFocus();
        QWidget* canvas = canvasOf(view);
        QTRY_VERIFY(canvas->hasFocus());
        QTest::keyClick(canvas, Qt::Key_BracketRight);
        QCOMPARE(view.state().request, 1U);
        QTest::keyClick(canvas, Qt::Key_BracketLeft);
        QCOMPARE(view.state().request, 0U);
        SceneState start;
        start.progress = 0;
        view.setState(start);
        QTest::keyClick(canvas, Qt::Key_Period);
        QTest::keyClick(canvas, Qt::Key_Period);
        QTest::keyClick(canvas, Qt::Key_Return);
        QVERIFY2(canvas->property("announcement").toString().contains(QStringLiteral("LDG.E.32 (line 3), issued")),
                 qPrintable(canvas->property("announcement").toString()));
        const double early = view.state().progress;
        QTest::keyClick(canvas, Qt::Key_Period, Qt::ShiftModifier); // 100 on: the last state of this warp
        QVERIFY(view.state().progress > early);
        QTest::keyClick(canvas, Qt::Key_Comma, Qt::ShiftModifier);
        QVERIFY(view.state().progress < early);
        view.setSpeed(100);
        view.play(true);
        QTRY_VERIFY(!view.playing()); // to the end of the warp's life
        QVERIFY(view.state().progress > early);
    }

    void pickerOffersWhatTheFramesSupport()
    {
        SceneView view(m_theme, makeLanesSectorsScene());
        view.offerScenes(sceneIds());
        auto* picker = view.findChild<QComboBox*>();
        view.setFrames({globalFrame(8)});
        view.show();
        QVERIFY(!picker->isVisible()); // one scene is no choice
        SceneFrame more;
        more.payloads.merge(launchFrame().payloads);
        view.mergeFrame(0, more);
        QVERIFY(picker->isVisible());
        QStringList ids;
        for (int at = 0; at < picker->count(); ++at)
            ids << picker->itemData(at).toString();
        QCOMPARE(ids, (QStringList{QStringLiteral("lanes_sectors"), QStringLiteral("sm_timeline"),
                                   QStringLiteral("memory_hierarchy"), QStringLiteral("occupancy"),
                                   QStringLiteral("divergence")}));
        QSignalSpy changed(&view, &SceneView::sceneChanged);
        picker->setCurrentIndex(2);
        Q_EMIT picker->activated(2);
        QCOMPARE(view.sceneId(), QStringLiteral("memory_hierarchy"));
        QCOMPARE(changed.count(), 1);
        QVERIFY(view.summary().contains(QStringLiteral("HBM")));
        QCOMPARE(view.table()->rowCount(), 7);
        QCOMPARE(picker->currentData().toString(), QStringLiteral("memory_hierarchy"));
        view.chooseScene(QStringLiteral("warp_core"));
        QCOMPARE(view.sceneId(), QStringLiteral("memory_hierarchy"));
    }

    void everyFocusableWidgetHasAName()
    {
        SceneView view(m_theme, makeLanesSectorsScene());
        view.setFrames(strides());
        int named = 0;
        for (const QWidget* widget : view.findChildren<QWidget*>()) {
            if (widget->focusPolicy() == Qt::NoFocus ||
                qobject_cast<const QAbstractScrollArea*>(widget->parentWidget()) ||
                qobject_cast<const QAbstractSpinBox*>(widget->parentWidget()) ||
                qobject_cast<const QTableView*>(widget->parentWidget()))
                continue;
            QVERIFY2(!widget->accessibleName().isEmpty(), widget->metaObject()->className());
            ++named;
        }
        QVERIFY(named >= 8);
        QCOMPARE(canvasOf(view)->accessibleDescription(), view.summary());
        QCOMPARE(QAccessible::queryAccessibleInterface(canvasOf(view))->role(), QAccessible::Graphic);
    }

    void largeTextMakesTheSceneTaller()
    {
        SceneView view(m_theme, makeLanesSectorsScene());
        view.setFrames(strides());
        const int before = view.sizeHint().height();
        m_theme.setTextScale(2);
        QVERIFY(view.sizeHint().height() > before + 100);
        m_theme.setTextScale(1);
    }
};

QTEST_MAIN(SceneViewTest)
#include "tst_scene_view.moc"
