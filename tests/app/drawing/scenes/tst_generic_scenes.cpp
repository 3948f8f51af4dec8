// SPDX-License-Identifier: GPL-3.0-or-later
// The two scenes that serve every engine: what they say against the trace, what keys and pointer do, how large traces
// look. Pictures and structure of small ones are in tst_launch_scenes.
#include "app/drawing/scenes/scene_paint.h"
#include "app/drawing/scenes/scene_view.h"
#include "generic_frames.h"

#include <QtTest>
#include <QtWidgets>

using namespace ridge;
using namespace ridge::app;
using namespace ridge::app::testing;
using ridge::testing::batchLanes;
using ridge::testing::cacheGrid;
using ridge::testing::dramLanes;
using ridge::testing::systolicGrid;

namespace {

SceneDrawing drawn(const Scene& scene, const SceneFrame& frame, const SceneState& state, double textScale = 1,
                   int width = 760)
{
    const std::vector<SceneFrame> frames = {frame};
    return scene.draw(frames, state, QSizeF(width, scene.preferredHeight(frames, textScale)), textScale);
}

const SceneItem* itemOf(const SceneDrawing& drawing, const QString& id)
{
    for (const SceneItem& item : drawing.items)
        if (item.id == id)
            return &item;
    return nullptr;
}

/// 1024 × 1024, of which one cell after the other changes.
GridTrace largeGrid()
{
    GridTraceBuilder grid("Wafer, 1024 × 1024 cores", 1024, 1024);
    grid.stepUnit("cycle");
    grid.state("idle", TraceColor::Idle);
    const auto busy = grid.state("busy", TraceColor::Series1), waits = grid.state("waiting", TraceColor::Warn);
    for (std::uint32_t step = 0; step < 64; ++step) {
        grid.step();
        for (std::uint32_t at = 0; at < 4096; ++at) {
            const std::uint32_t row = (step * 64 + at / 64) % 1024, column = (step * 97 + at % 64 * 5) % 1024;
            grid.set(row, column, {.state = at % 5 == 0 ? waits : busy});
        }
    }
    return grid.take();
}

/// Many spans, each far below a pixel, with one that is not.
LaneTrace longLanes(std::uint32_t spans)
{
    LaneTraceBuilder lanes("A long run", "cycles");
    const auto busy = lanes.state("busy", TraceColor::Series1), late = lanes.state("late", TraceColor::Bad);
    for (int each = 0; each < 4; ++each) {
        const auto lane = lanes.lane("unit " + std::to_string(each), each < 2 ? "front" : "back");
        for (std::uint32_t at = 0; at < spans / 4; ++at)
            lanes.span(lane, at * 10.0, at * 10.0 + 5, at == 1000 ? late : busy, {}, at + 1);
    }
    return lanes.take();
}

} // namespace

class GenericScenesTest : public QObject {
    Q_OBJECT

    const std::vector<SceneFrame> m_grid = {gridFrame(cacheGrid())};
    const std::vector<SceneFrame> m_lanes = {lanesFrame(dramLanes())};
    const GridHistory& history() const { return *m_grid[0].payloads.get<GridHistory>(); }
    const LaneIndex& index() const { return *m_lanes[0].payloads.get<LaneIndex>(); }

private Q_SLOTS:
    void eachSupportsItsOwn()
    {
        const auto grid = makeScene(QStringLiteral("grid")), lanes = makeScene(QStringLiteral("lanes"));
        QVERIFY(grid->supports(m_grid[0]) && !grid->supports(m_lanes[0]));
        QVERIFY(lanes->supports(m_lanes[0]) && !lanes->supports(m_grid[0]));
        QVERIFY(anySceneSupports(m_grid[0]) && anySceneSupports(m_lanes[0]) && !anySceneSupports(SceneFrame{}));
        for (const auto* scene : {grid.get(), lanes.get()}) {
            QVERIFY(!scene->draw({}, {}, QSizeF(700, 300), 1).summary.isEmpty());
            QVERIFY(!scene->draw({SceneFrame{}}, {}, QSizeF(700, 300), 1).summary.isEmpty());
            QCOMPARE(scene->table({}, {}).size(), std::size_t{1});
            QCOMPARE(scene->steps({}, {}), std::size_t{0});
        }
    }

    void aCellTellsWhatItIsAndWhy()
    {
        const auto scene = makeGridScene();
        const GridTrace& trace = history().trace();
        SceneState state;
        state.progress = 0.5;
        const std::size_t step = static_cast<std::size_t>(std::lround(0.5 * (trace.steps.size() - 1.0)));
        const GridChange& change = trace.changes[trace.firstChange(step)];
        state.row = static_cast<int>(change.cell);
        const SceneDrawing drawing = drawn(*scene, m_grid[0], state);
        const SceneItem* answer = itemOf(drawing, QStringLiteral("answer"));
        QVERIFY(answer);
        for (const std::string& part :
             {"set " + std::to_string(change.cell % 64), "way " + std::to_string(change.cell / 64),
              trace.states[change.state].name, trace.texts[change.text], trace.texts[change.note],
              "access " + std::to_string(step)})
            QVERIFY2(answer->text.contains(QString::fromStdString(part)), qPrintable(answer->text));
        QVERIFY(drawing.summary.contains(QString::fromStdString(trace.steps[step].caption)));
        // The pointer is told the same, over the one item of a large map as well.
        const SceneItem* cell = itemOf(drawing, QStringLiteral("cell.%1").arg(change.cell));
        QVERIFY(cell);
        QCOMPARE(scene->told(m_grid, state, *cell, cell->rect.center()), answer->text);
        const std::vector<SceneFrame> large = {gridFrame(largeGrid())};
        const SceneDrawing wafer = drawn(*scene, large[0], state);
        const SceneItem* map = nullptr;
        for (const SceneItem& item : wafer.items)
            map = item.id.startsWith(QLatin1String("grid.")) ? &item : map;
        QVERIFY(map);
        QVERIFY(scene->told(large, state, *map, map->rect.topLeft() + QPointF(0.1, 0.1))
                    .startsWith(QStringLiteral("column 0, row 0: ")));
        QCOMPARE(scene->picked(large, state, *map, map->rect.topLeft() + QPointF(0.1, 0.1)).row, 0);
    }

    void theTableOfAGridIsTheGrid()
    {
        const auto scene = makeGridScene();
        for (const double progress : {0.0, 0.3, 1.0}) {
            SceneState state;
            state.progress = progress;
            const auto rows = scene->table(m_grid, state);
            QCOMPARE(rows.size(), history().trace().cells() + 1);
            const GridMoment now = history().at(static_cast<std::size_t>(std::lround(progress * 499)));
            for (std::uint32_t cell = 0; cell < now.states.size(); ++cell)
                QVERIFY(rows[cell + 1][2].startsWith(
                    QString::fromStdString(history().trace().states[now.states[cell]].name)));
        }
        const std::vector<SceneFrame> large = {gridFrame(largeGrid())}; // of a large grid what the step changed
        QCOMPARE(scene->table(large, {}).size(), std::size_t{1026});
        QVERIFY(scene->table(large, {}).back()[2].contains(QStringLiteral("more")));
    }

    void stepsOfAGridGoThroughAll()
    {
        const auto scene = makeGridScene();
        SceneState state;
        state.progress = 0;
        QCOMPARE(scene->steps(m_grid, state), std::size_t{500});
        int steps = 0;
        for (SceneState next = scene->stepped(m_grid, state, 1); !(next == state);
             next = scene->stepped(m_grid, state, 1), ++steps)
            state = next;
        QCOMPARE(steps, 499);
        QCOMPARE(state.progress, 1.0);
        state = scene->stepped(m_grid, state, -1000);
        QCOMPARE(state.progress, 0.0);
        // The strip of time goes there at once, in both directions.
        const SceneDrawing drawing = drawn(*scene, m_grid[0], state);
        const SceneItem scrub = *itemOf(drawing, QStringLiteral("scrub"));
        QVERIFY(scene->picked(m_grid, state, scrub, scrub.rect.center()).progress > 0.49);
        QCOMPARE(scene->picked(m_grid, state, scrub, scrub.rect.topLeft()).progress, 0.0);
    }

    void arrowsChooseCells()
    {
        const auto scene = makeGridScene();
        SceneState state = scene->moved(m_grid, {}, 1, 0); // the first chooses what the step changed
        QCOMPARE(state.row, static_cast<int>(history().trace().changes.back().cell));
        state.row = 0;
        state = scene->moved(m_grid, state, 1, 0);
        QCOMPARE(state.row, 1);
        state = scene->moved(m_grid, state, 0, 1);
        QCOMPARE(state.row, 65);
        for (int turn = 0; turn < 100; ++turn)
            state = scene->moved(m_grid, state, 1, 1);
        QCOMPARE(state.row, 511);
        // Magnified, the map follows.
        state = scene->moved(m_grid, zoomed(state, 8, 0), -1, 0);
        const SceneDrawing drawing = drawn(*scene, m_grid[0], state);
        QVERIFY(itemOf(drawing, QStringLiteral("cell.510")));
        QVERIFY(!itemOf(drawing, QStringLiteral("cell.0")));
    }

    /// A pixel of a map with more cells than pixels shows the last that changed, so that none is lost.
    void aChangeIsSeenInTheLargestGrid()
    {
        GridTraceBuilder grid("wafer", 1024, 1024);
        grid.state("idle", TraceColor::Idle);
        const auto busy = grid.state("busy", TraceColor::Series1);
        grid.set(517, 333, {.state = busy});
        const SceneDrawing drawing = drawn(*makeGridScene(), gridFrame(grid.take()), {});
        QVERIFY(drawing.rasters[0].columns < 1024);
        QCOMPARE(std::count(drawing.rasters[0].cells.begin(), drawing.rasters[0].cells.end(), 2), 1);
        QVERIFY(drawing.quads.size() < 100);
    }

    void labelsDoNotOverlap_data()
    {
        QTest::addColumn<int>("which");
        QTest::addColumn<int>("width");
        QTest::addColumn<double>("textScale");
        for (int which = 0; which < 4; ++which)
            for (const int width : {480, 760, 1400})
                for (const double scale : {1.0, 1.5})
                    QTest::addRow("%d at %d, %g", which, width, scale) << which << width << scale;
    }
    /// Captions of axes and gutters: one beside the other.
    void labelsDoNotOverlap()
    {
        QFETCH(int, which);
        QFETCH(int, width);
        QFETCH(double, textScale);
        const SceneFrame frame = which == 0   ? m_grid[0]
                                 : which == 1 ? gridFrame(systolicGrid(64, 16))
                                 : which == 2 ? m_lanes[0]
                                              : lanesFrame(batchLanes());
        const auto scene = which < 2 ? makeGridScene() : makeLanesScene();
        const SceneDrawing drawing = drawn(*scene, frame, {}, textScale, width);
        std::vector<QRectF> taken;
        for (const Label& label : drawing.labels) {
            if (label.style != TextStyle::Caption || label.wrap)
                continue;
            const double wide = static_cast<double>(label.text.size()) * 5.2 * textScale, high = 9 * textScale;
            QRectF box(label.rect.left(), label.rect.center().y() - high / 2, wide, high);
            if (label.align & Qt::AlignRight)
                box.moveRight(label.rect.right());
            else if (label.align & Qt::AlignHCenter)
                box.moveLeft(label.rect.center().x() - wide / 2);
            for (const QRectF& other : taken)
                QVERIFY2(!other.intersects(box), qPrintable(label.text));
            taken.push_back(box);
        }
        QVERIFY(taken.size() > 4);
    }

    void aSpanTellsWhatItWaitedFor()
    {
        const auto scene = makeLanesScene();
        const LaneTrace& trace = index().trace();
        const LaneArrow& arrow = trace.arrows[10];
        SceneState state;
        state.request = arrow.to;
        const SceneDrawing drawing = drawn(*scene, m_lanes[0], state);
        const SceneItem* answer = itemOf(drawing, QStringLiteral("answer"));
        QVERIFY(answer);
        QVERIFY2(answer->text.contains(QStringLiteral("After ")), qPrintable(answer->text));
        const std::string lane = trace.lanes[trace.spans[arrow.to].lane].name;
        QVERIFY2(answer->text.contains(QStringLiteral("on ") + QString::fromStdString(lane)), qPrintable(answer->text));
    }

    void stepsGoFromBeginToBegin()
    {
        const auto scene = makeLanesScene();
        SceneState state;
        state.progress = 0;
        state.request = index().byBegin().front();
        double before = -1;
        std::size_t steps = 0;
        for (SceneState next = state;; next = scene->stepped(m_lanes, state, 1), ++steps) {
            if (steps > 0 && next == state)
                break;
            state = next;
            const double begin = index().trace().spans[state.request].begin;
            QVERIFY(begin >= before);
            before = begin;
        }
        QCOMPARE(steps, index().trace().spans.size());
        state = scene->stepped(m_lanes, state, -1);
        QVERIFY(index().trace().spans[state.request].begin <= before);
        state = zoomed(fitted(state), 50, 0);
        state = scene->stepped(m_lanes, state, 1);
        QVERIFY(state.progress >= state.from && state.progress <= state.to); // the view follows
    }

    void picksChooseLaneSpanAndTime()
    {
        const auto scene = makeLanesScene();
        const SceneDrawing drawing = drawn(*scene, m_lanes[0], {});
        const std::uint32_t span = index().byBegin()[40];
        const LaneSpan& own = index().trace().spans[span];
        const SceneItem track = *itemOf(drawing, QStringLiteral("track.%1").arg(index().rowOf(span)));
        const QPointF at(track.rect.left() + (own.begin + own.end) / 2 / index().end() * track.rect.width(),
                         track.rect.center().y());
        const SceneState state = scene->picked(m_lanes, {}, track, at);
        QCOMPARE(state.request, std::size_t{span});
        QCOMPARE(state.row, static_cast<int>(own.lane));
        QVERIFY(std::abs(state.progress * index().end() - (own.begin + own.end) / 2) < 1e-6 * index().end());
        QVERIFY(
            scene->told(m_lanes, {}, track, at).contains(QString::fromStdString(index().trace().lanes[own.lane].name)));
        QCOMPARE(scene->moved(m_lanes, state, 0, 1).row, static_cast<int>(own.lane) + 1);
        QVERIFY(scene->moved(m_lanes, zoomed(state, 4, 0.5), 1, 0).from > zoomed(state, 4, 0.5).from);
    }

    void theTableOfLanesIsTheSpans()
    {
        const auto rows = makeLanesScene()->table(m_lanes, {});
        QCOMPARE(rows.size(), index().trace().spans.size() + 1);
        const std::vector<SceneFrame> all = {lanesFrame(longLanes(40'000))};
        QCOMPARE(makeLanesScene()->table(all, {}).size(), std::size_t{2002});
        SceneState state;
        state.to = 0.001;
        QVERIFY(makeLanesScene()->table(all, state).size() < 60); // of what is shown
    }

    void spansBelowAPixelAreMerged()
    {
        const auto scene = makeLanesScene();
        const SceneFrame frame = lanesFrame(longLanes(400'000));
        const SceneDrawing all = drawn(*scene, frame, {});
        QVERIFY(all.quads.size() < 100 && all.labels.size() < 100);
        QCOMPARE(all.rasters.size(), std::size_t{1});
        // 100 000 spans of equal length in 700 pixels: every pixel is busy.
        const Raster& raster = all.rasters[0];
        const auto middle = raster.cells.begin() + static_cast<std::ptrdiff_t>(raster.columns) * 24;
        QVERIFY(std::all_of(middle, middle + raster.columns, [](std::uint8_t cell) { return cell == 1; }));
        SceneState state;
        state.from = 0.00999;
        state.to = 0.01003;
        const SceneDrawing near = drawn(*scene, frame, state);
        QVERIFY(std::count(near.rasters[0].cells.begin(), near.rasters[0].cells.end(), 2) > 0); // the late one
    }

    void keysReachTheScenes()
    {
        Theme theme;
        QVERIFY(theme.load(QStringLiteral("light")).ok());
        SceneView view(theme, makeGridScene());
        view.resize(760, 640);
        view.setFrames(m_grid);
        view.show();
        const auto press = [&](int key) { QTest::keyClick(&view, static_cast<Qt::Key>(key)); };
        press(Qt::Key_Comma);
        QVERIFY(view.state().progress < 1);
        press(Qt::Key_Right);
        QVERIFY(view.state().row >= 0);
        press(Qt::Key_Plus);
        QVERIFY(view.state().to - view.state().from < 1);
        press(Qt::Key_Home);
        QCOMPARE(view.state().to - view.state().from, 1.0);
        press(Qt::Key_Escape);
        QCOMPARE(view.state().row, -1);
        QCOMPARE(view.table()->rowCount(), 512);
        QVERIFY(!view.summary().isEmpty());
        QCOMPARE(view.accessibleDescription(), view.drawing().summary);
    }

    void theStripIsDragged()
    {
        Theme theme;
        QVERIFY(theme.load(QStringLiteral("light")).ok());
        SceneView view(theme, makeGridScene());
        view.resize(760, 640);
        view.setFrames(m_grid);
        view.show();
        auto* canvas = view.findChild<QWidget*>(QStringLiteral("sceneCanvas"));
        const SceneDrawing drawing = view.drawing();
        const QRectF scrub = itemOf(drawing, QStringLiteral("scrub"))->rect;
        QTest::mousePress(canvas, Qt::LeftButton, {}, QPointF(scrub.center()).toPoint());
        QVERIFY(std::abs(view.state().progress - 0.5) < 0.02);
        const QPointF to(scrub.left() + scrub.width() / 4, scrub.top() - 40); // beside it, too
        QMouseEvent move(QEvent::MouseMove, to, canvas->mapToGlobal(to), Qt::NoButton, Qt::LeftButton, {});
        QCoreApplication::sendEvent(canvas, &move);
        QVERIFY(std::abs(view.state().progress - 0.25) < 0.02);
        QTest::mouseRelease(canvas, Qt::LeftButton, {}, to.toPoint());
        QMouseEvent after(QEvent::MouseMove, scrub.center(), canvas->mapToGlobal(scrub.center()), Qt::NoButton,
                          Qt::NoButton, {});
        QCoreApplication::sendEvent(canvas, &after);
        QVERIFY(std::abs(view.state().progress - 0.25) < 0.02);
    }

    void largeTracesAreDrawn_data()
    {
        QTest::addColumn<int>("which");
        QTest::addColumn<double>("zoom");
        for (int which = 0; which < 6; ++which)
            for (const double zoom : {1.0, 5.0, 12.0})
                QTest::addRow("%d at %g", which, zoom) << which << zoom;
    }
    /// All of it inside the picture, at any magnification. RIDGE_SCENE_PICTURES names a folder to look at them.
    void largeTracesAreDrawn()
    {
        QFETCH(int, which);
        QFETCH(double, zoom);
        const SceneFrame frame = which == 0   ? m_grid[0]
                                 : which == 1 ? gridFrame(systolicGrid())
                                 : which == 2 ? m_lanes[0]
                                 : which == 3 ? lanesFrame(batchLanes())
                                 : which == 4 ? gridFrame(largeGrid())
                                              : lanesFrame(longLanes(40'000));
        const bool grid = frame.payloads.get<GridHistory>() != nullptr;
        const auto scene = grid ? makeGridScene() : makeLanesScene();
        SceneState state;
        state.progress = 0.62;
        state.row = grid ? static_cast<int>(frame.payloads.get<GridHistory>()->trace().columns * 2 + 40) : -1;
        state.request = grid ? 0 : 150;
        state = zoomed(state, zoom, 0.6);
        const SceneDrawing drawing = drawn(*scene, frame, state);
        const QRectF all = QRectF(QPointF(), drawing.size).adjusted(-1, -1, 1, 1);
        for (const Quad& quad : drawing.quads)
            QVERIFY(all.contains(quad.rect));
        for (const Link& link : drawing.links)
            QVERIFY(all.contains(link.from) && all.contains(link.to));
        for (const Raster& raster : drawing.rasters)
            QVERIFY(all.contains(raster.rect));
        const QString folder = qEnvironmentVariable("RIDGE_SCENE_PICTURES");
        if (folder.isEmpty())
            return;
        for (const char* theme : {"light", "dark"}) {
            Theme colors(nullptr, Theme::Scope::Detached);
            QVERIFY(colors.load(QLatin1String(theme)).ok());
            QImage image(drawing.size.toSize(), QImage::Format_ARGB32_Premultiplied);
            image.fill(colors.color(Role::Surface));
            QPainter painter(&image);
            paintShapes(painter, drawing, colors);
            paintLabels(painter, drawing, colors);
            painter.end();
            QVERIFY(image.save(
                QStringLiteral("%1/%2_%3_%4.png").arg(folder).arg(which).arg(zoom).arg(QLatin1String(theme))));
        }
    }
};

QTEST_MAIN(GenericScenesTest)
#include "tst_generic_scenes.moc"
