// SPDX-License-Identifier: GPL-3.0-or-later
// The view around a scene, on a platform without OpenGL.
#include "app/scenes/scene_view.h"
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
