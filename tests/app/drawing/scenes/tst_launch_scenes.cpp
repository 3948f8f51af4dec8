// SPDX-License-Identifier: GPL-3.0-or-later
// Scenes over launch traces: what they say against what the trace says, and how they look.
#include "app/drawing/scenes/fragment_shape.h"
#include "app/drawing/scenes/scene_paint.h"
#include "app/drawing/scenes/warp_answer.h"
#include "generic_frames.h"
#include "launches.h"
#include "tests/golden/golden.h"

#include <QtTest>
#include <QtWidgets>
#include <numeric>

using namespace ridge;
using namespace ridge::app;
using namespace ridge::app::testing;

namespace {

const char* const kLaunchScenes[] = {"sm_timeline", "memory_hierarchy", "occupancy", "divergence"};

SceneFrame fragmentFrame(MmaShape shape = MmaShape::M16N8K16Half)
{
    SceneFrame frame;
    frame.payloads.put(std::make_shared<const MmaShape>(shape));
    return frame;
}

SceneFrame frameFor(const QString& id)
{
    if (id == QLatin1String("grid"))
        return gridFrame(ridge::testing::cacheGrid(16, 4, 60));
    if (id == QLatin1String("lanes"))
        return lanesFrame(ridge::testing::dramLanes(8, 40));
    return id == QLatin1String("fragments") ? fragmentFrame() : launchFrame();
}

SceneState stateFor(const QString& id)
{
    SceneState state;
    state.lane = id == QLatin1String("fragments") ? 6 : -1;
    state.progress = id == QLatin1String("sm_timeline") ? 0.25 : id == QLatin1String("lanes") ? 0.4 : 1;
    state.row = id == QLatin1String("grid") ? 18 : -1;
    state.request = id == QLatin1String("lanes") ? 45 : 0;
    return state;
}

SceneDrawing drawn(const Scene& scene, const SceneFrame& frame, const SceneState& state, double textScale = 1,
                   int width = 760)
{
    const std::vector<SceneFrame> frames = {frame};
    return scene.draw(frames, state, QSizeF(width, scene.preferredHeight(frames, textScale)), textScale);
}

std::uint64_t columnSum(const std::vector<QStringList>& rows, int column)
{
    std::uint64_t sum = 0;
    for (std::size_t row = 1; row < rows.size(); ++row)
        sum += rows[row][column].toULongLong();
    return sum;
}

} // namespace

class LaunchScenesTest : public QObject {
    Q_OBJECT

    LaunchTrace m_trace = smallLaunch();
    SceneFrame m_frame = launchFrame();
    const LaunchView& view() const { return *m_frame.payloads.get<LaunchView>(); }

private Q_SLOTS:
    void anyStretchIsTheSumOfItsParts()
    {
        double living = 0;
        for (std::size_t track = 0; track < m_trace.warps.size(); ++track) {
            const GroupCycles whole = view().ofWarp(track, 0, view().cycles());
            GroupCycles parts{};
            for (double at = 0; at < view().cycles(); at += 0.7) {
                const GroupCycles part = view().ofWarp(track, at, std::min(at + 0.7, view().cycles()));
                for (std::size_t group = 0; group < kStateGroups; ++group)
                    parts[group] += part[group];
            }
            for (std::size_t group = 0; group < kStateGroups; ++group)
                QVERIFY(std::abs(parts[group] - whole[group]) < 1e-6);
            for (const double width : {0.3, 1.0, 7.7, 40.0, 1000.0}) { // the same in one walk
                std::vector<GroupCycles> columns(static_cast<std::size_t>(view().cycles() / width) + 3);
                view().addWarp(track, -2, width, columns);
                for (std::size_t at = 0; at < columns.size(); ++at) {
                    const double from = -2 + static_cast<double>(at) * width;
                    const GroupCycles wanted = view().ofWarp(track, from, from + width);
                    for (std::size_t group = 0; group < kStateGroups; ++group)
                        QVERIFY(std::abs(columns[at][group] - wanted[group]) < 1e-6);
                }
            }
            double cycles = 0;
            for (const WarpInterval& interval : m_trace.warps[track].intervals)
                cycles += interval.cycles;
            QVERIFY(std::abs(std::accumulate(whole.begin(), whole.end(), 0.0) - cycles) < 1e-9);
            living += cycles;
        }
        // The two watched SMs hold half of the launch, and the timeline of SMs says the same as their warps.
        QCOMPARE(living * 2, static_cast<double>(m_trace.counters.warpCycles));
        for (std::uint32_t sm = 0; sm < m_trace.watchedSms; ++sm) {
            GroupCycles byWarps{};
            for (std::size_t track = 0; track < m_trace.warps.size(); ++track)
                if (m_trace.warps[track].sm == sm) {
                    const GroupCycles own = view().ofWarp(track, 0, 1e9);
                    for (std::size_t group = 0; group < kLivingGroups; ++group)
                        byWarps[group] += own[group];
                }
            const GroupCycles bySm = view().ofSm(sm, 0, 6.0 * 32);
            for (std::size_t group = 0; group < kLivingGroups; ++group)
                QVERIFY2(std::abs(bySm[group] - byWarps[group]) < 1e-6, qPrintable(QString::number(group)));
        }
    }

    void everyWaitHasALetterAndAWord()
    {
        QSet<QChar> letters;
        for (std::size_t group = 0; group < kStateGroups; ++group) {
            const StateLook look = lookOf(static_cast<StateGroup>(group));
            QVERIFY(!letters.contains(look.letter));
            letters << look.letter;
            QVERIFY(!look.name.isEmpty());
        }
        // The letters and colours that the design fixes.
        QCOMPARE(lookOf(StateGroup::Issued).letter, QLatin1Char('I'));
        QCOMPARE(lookOf(StateGroup::Memory).letter, QLatin1Char('M'));
        QCOMPARE(lookOf(StateGroup::Barrier).letter, QLatin1Char('B'));
        QCOMPARE(lookOf(StateGroup::Done).letter, QLatin1Char('D'));
        QCOMPARE(lookOf(StateGroup::Idle).letter, QLatin1Char('.'));
        QVERIFY(lookOf(StateGroup::Memory).role == Role::Series2 && lookOf(StateGroup::Barrier).role == Role::Series6);
        const SceneDrawing drawing = drawn(*makeSmTimelineScene(), m_frame, {});
        for (const QChar letter : letters)
            QVERIFY(std::any_of(drawing.labels.begin(), drawing.labels.end(),
                                [&](const Label& label) { return label.text == QString(letter); }));
    }

    void whatAWaitIsForIsNeverCut_data()
    {
        QTest::addColumn<int>("width");
        QTest::addColumn<double>("scale");
        for (const int width : {760, 1200})
            for (const double scale : {1.0, 1.25, 1.5, 2.0})
                QTest::addRow("%d px, %.0f %%", width, 100 * scale) << width << scale;
    }
    void whatAWaitIsForIsNeverCut()
    {
        QFETCH(int, width);
        QFETCH(double, scale);
        Theme theme(nullptr, Theme::Scope::Detached);
        theme.setTextScale(scale);
        SceneState state;
        for (const double progress : {0.1, 0.25, 1.0}) {
            state.progress = progress;
            const WarpAnswer told = answerFor(view(), 0, progress * view().cycles());
            const SceneDrawing drawing = drawn(*makeSmTimelineScene(), m_frame, state, scale, width);
            const auto words = std::ranges::find_if(
                drawing.labels, [&](const Label& label) { return label.wrap && label.text.startsWith(told.what); });
            QVERIFY(words != drawing.labels.end());
            const QRectF needed = QFontMetricsF(theme.font(TextStyle::Body))
                                      .boundingRect(QRectF(0, 0, words->rect.width(), 10000),
                                                    Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap, words->text);
            QVERIFY2(needed.height() <= words->rect.height(), qPrintable(words->text));
        }
    }

    void aWaitNamesItsLoad()
    {
        // Warp 0 of SM 0 waits from cycle 7 to 47 to add what it loaded at cycle 6.
        const WarpAnswer answer = answerFor(view(), 0, 20);
        QVERIFY2(answer.what.contains(QStringLiteral("long scoreboard")), qPrintable(answer.what));
        QVERIFY2(answer.what.contains(QStringLiteral("from cycle 7 to 47")), qPrintable(answer.what));
        QVERIFY2(answer.what.contains(QStringLiteral("FADD (line 4)")), qPrintable(answer.what));
        QVERIFY2(answer.why.contains(QStringLiteral("LDG.E.32 (line 3), issued at cycle 6, 14 cycles before")),
                 qPrintable(answer.why));
        QVERIFY2(answer.why.contains(QStringLiteral("float v = in[i];")), qPrintable(answer.why));
        QVERIFY(answer.remedy.contains(QStringLiteral("sectors")));
        QVERIFY(answerFor(view(), 0, 60).remedy.contains(QStringLiteral("others have not")));
        QVERIFY(answerFor(view(), 0, 53.5).what.contains(QStringLiteral("16 of 32 lanes")) ||
                answerFor(view(), 0, 52.5).what.contains(QStringLiteral("16 of 32 lanes")));
        // Outside its life it is about the longest wait.
        QVERIFY(answerFor(view(), 0, 1e6).who.contains(QStringLiteral("longest wait")));
        QVERIFY(answerFor(view(), 0, 1e6).what.contains(QStringLiteral("from cycle 7 to 47")));
    }

    void producersAreTheLastOnesThatHoldTheCounter()
    {
        LaunchTrace trace = smallLaunch();
        WarpTrack& warp = trace.warps[0];
        QCOMPARE(producersOf(trace, warp, 2), std::vector<std::size_t>{1});
        trace.machine[1].waitMask = 0; // waits for nothing: nothing to name
        QVERIFY(producersOf(trace, warp, 2).empty());
        trace.machine[1].waitMask = 2; // a counter that nobody holds
        QVERIFY(producersOf(trace, warp, 2).empty());
    }

    void tablesAgreeWithTheTrace()
    {
        const std::vector<SceneFrame> frames = {m_frame};
        QCOMPARE(columnSum(makeSmTimelineScene()->table(frames, {}), 2), m_trace.counters.warpCycles);
        const auto memory = makeMemoryHierarchyScene()->table(frames, {});
        QCOMPARE(memory.size(), 8U);
        QCOMPARE(memory[1][2].toULongLong(), (m_trace.counters.l1SectorHits + m_trace.counters.l1SectorMisses) * 32);
        QCOMPARE(memory[4][2].toULongLong(), m_trace.counters.l1SectorMisses * 32);
        QCOMPARE(memory[6][2].toULongLong(), m_trace.counters.dramReadBytes);
        QCOMPARE(memory[7][2].toULongLong(), m_trace.counters.dramWriteBytes);
        QCOMPARE(memory[1][5], QStringLiteral("25.0 %"));
        const auto occupancy = makeOccupancyScene()->table(frames, {});
        QCOMPARE(occupancy.size(), std::size_t{m_trace.chip.sms} + 1);
        QCOMPARE(columnSum(occupancy, 1), m_trace.blocksInAll);
        const auto divergence = makeDivergenceScene()->table(frames, {});
        QCOMPARE(divergence.size(), 6U);
        QCOMPARE(columnSum(divergence, 2) * 2, m_trace.counters.instructions); // half of the SMs were watched
        QCOMPARE(divergence[3][4], QStringLiteral("50 %"));
        QCOMPARE(divergence[1][4], QStringLiteral("0 %"));
    }

    void cellsAreProportional()
    {
        const SceneDrawing drawing = drawn(*makeSmTimelineScene(), m_frame, {});
        QCOMPARE(drawing.rasters.size(), 3U);
        const Raster& slots = drawing.rasters[1];
        std::map<int, double> cells;
        for (const std::uint8_t cell : slots.cells)
            cells[cell] += 1;
        GroupCycles cycles{};
        for (std::size_t track = 0; track < m_trace.warps.size(); ++track)
            for (std::size_t group = 0; m_trace.warps[track].sm == 0 && group < kLivingGroups; ++group)
                cycles[group] += view().ofWarp(track, 0, 1e9)[group];
        const double memory = cycles[static_cast<std::size_t>(StateGroup::Memory)];
        const double barrier = cycles[static_cast<std::size_t>(StateGroup::Barrier)];
        QVERIFY(memory > 0 && barrier > 0);
        const double painted =
            cells[static_cast<int>(StateGroup::Memory) + 1] / cells[static_cast<int>(StateGroup::Barrier) + 1];
        QVERIFY2(std::abs(painted / (memory / barrier) - 1) < 0.05, qPrintable(QString::number(painted)));
    }

    void stepsWalkTheStatesOfTheWarp()
    {
        const auto scene = makeSmTimelineScene();
        const std::vector<SceneFrame> frames = {m_frame};
        SceneState state;
        state.progress = 0;
        QStringList seen;
        for (std::size_t step = 0; step < m_trace.warps[0].intervals.size() + 3; ++step) {
            const auto at = view().intervalAt(0, state.progress * view().cycles());
            QVERIFY(at >= 0);
            if (seen.isEmpty() || seen.back() != QString::number(at))
                seen << QString::number(at);
            state = scene->stepped(frames, state, 1);
        }
        QCOMPARE(seen.size(), static_cast<qsizetype>(m_trace.warps[0].intervals.size()));
        for (std::size_t step = 0; step < m_trace.warps[0].intervals.size() + 3; ++step)
            state = scene->stepped(frames, state, -1);
        QCOMPARE(view().intervalAt(0, state.progress * view().cycles()), 0);
        // Zoomed in, the cursor stays in sight.
        state = zoomed(state, 8, 0);
        for (int step = 0; step < 6; ++step) {
            state = scene->stepped(frames, state, 1);
            QVERIFY(state.progress >= state.from && state.progress <= state.to);
        }
    }

    void picksChooseSmSlotAndTime()
    {
        const auto scene = makeSmTimelineScene();
        const std::vector<SceneFrame> frames = {m_frame};
        const SceneDrawing drawing = drawn(*scene, m_frame, {});
        const auto item = [&](const QString& id) {
            return *std::find_if(drawing.items.begin(), drawing.items.end(),
                                 [&](const SceneItem& each) { return each.id == id; });
        };
        const SceneItem slot = item(QStringLiteral("slot.0.2"));
        SceneState state =
            scene->picked(frames, {}, slot, {slot.rect.left() + slot.rect.width() / 4, slot.rect.center().y()});
        QVERIFY(std::abs(state.progress - 0.25) < 0.01);
        QCOMPARE(m_trace.warps[state.request].slot, 2U);
        const SceneItem other = item(QStringLiteral("sm.3"));
        state = scene->picked(frames, state, other, other.rect.center());
        QCOMPARE(state.row, 3);
        const SceneDrawing unwatched = drawn(*scene, m_frame, state);
        QVERIFY(std::any_of(unwatched.labels.begin(), unwatched.labels.end(), [](const Label& label) {
            return label.text.contains(QStringLiteral("SM 3 was not watched"));
        }));
        state = scene->moved(frames, state, 0, -2);
        QCOMPARE(state.row, -1);
        QCOMPARE(m_trace.warps[state.request].sm, 1U);
    }

    void cameraKeepsToTheAxis()
    {
        SceneState state;
        state = zoomed(state, 4, 0.5);
        QCOMPARE(state.from, 0.375);
        QCOMPARE(state.to, 0.625);
        state = panned(state, 100);
        QCOMPARE(state.to, 1.0);
        QCOMPARE(state.from, 0.75);
        state = zoomed(state, 0.01, 0.2);
        QVERIFY(state == fitted(state));
        for (int turn = 0; turn < 200; ++turn)
            state = zoomed(state, 2, 0.3);
        QVERIFY(state.from < state.to);
    }

    void fragmentsFollowThePtxIsa_data()
    {
        QTest::addColumn<int>("shape");
        for (const MmaShape shape : kMmaShapes)
            QTest::newRow(nameOf(shape).data()) << static_cast<int>(shape);
    }
    /// The formulas of the PTX ISA, "Matrix Fragments for mma", as they are printed there.
    void fragmentsFollowThePtxIsa()
    {
        QFETCH(int, shape);
        const auto s = static_cast<MmaShape>(shape);
        for (int lane = 0; lane < 32; ++lane) {
            const int groupID = lane >> 2, threadID = lane % 4;
            const auto a = fragmentOf(s, MmaMatrix::A, lane), b = fragmentOf(s, MmaMatrix::B, lane),
                       c = fragmentOf(s, MmaMatrix::C, lane);
            for (int i = 0; i < static_cast<int>(a.size()); ++i) {
                int row = groupID, col = threadID;
                switch (s) {
                case MmaShape::M16N8K16Half:
                    row = (i < 2 || (i >= 4 && i < 6)) ? groupID : groupID + 8;
                    col = i < 4 ? threadID * 2 + (i & 1) : threadID * 2 + (i & 1) + 8;
                    break;
                case MmaShape::M16N8K8Half:
                    row = i < 2 ? groupID : groupID + 8;
                    col = threadID * 2 + (i & 1);
                    break;
                case MmaShape::M16N8K8Tf32:
                    row = (i == 0 || i == 2) ? groupID : groupID + 8;
                    col = (i == 0 || i == 1) ? threadID : threadID + 4;
                    break;
                case MmaShape::M16N8K4Tf32:
                    row = i == 0 ? groupID : groupID + 8;
                    break;
                case MmaShape::M16N8K16Byte:
                    row = i < 4 ? groupID : groupID + 8;
                    col = threadID * 4 + (i & 3);
                    break;
                case MmaShape::M16N8K32Byte:
                    row = (i < 4 || (i >= 8 && i < 12)) ? groupID : groupID + 8;
                    col = i < 8 ? threadID * 4 + (i & 3) : threadID * 4 + (i & 3) + 16;
                    break;
                case MmaShape::M8N8K4Double:
                    break;
                }
                QCOMPARE(a[static_cast<std::size_t>(i)].row, row);
                QCOMPARE(a[static_cast<std::size_t>(i)].column, col);
            }
            for (int i = 0; i < static_cast<int>(b.size()); ++i) {
                int row = threadID;
                switch (s) {
                case MmaShape::M16N8K16Half:
                    row = i < 2 ? threadID * 2 + (i & 1) : threadID * 2 + (i & 1) + 8;
                    break;
                case MmaShape::M16N8K8Half:
                    row = threadID * 2 + i;
                    break;
                case MmaShape::M16N8K8Tf32:
                    row = i == 0 ? threadID : threadID + 4;
                    break;
                case MmaShape::M16N8K16Byte:
                    row = threadID * 4 + i;
                    break;
                case MmaShape::M16N8K32Byte:
                    row = i < 4 ? threadID * 4 + (i & 3) : threadID * 4 + (i & 3) + 16;
                    break;
                default:
                    break;
                }
                QCOMPARE(b[static_cast<std::size_t>(i)].row, row);
                QCOMPARE(b[static_cast<std::size_t>(i)].column, groupID);
            }
            for (int i = 0; i < static_cast<int>(c.size()); ++i) {
                QCOMPARE(c[static_cast<std::size_t>(i)].row, i < 2 ? groupID : groupID + 8);
                QCOMPARE(c[static_cast<std::size_t>(i)].column, threadID * 2 + (i & 1));
            }
        }
        // Every element has exactly one owner.
        const MmaSize size = sizeOf(s);
        for (const MmaMatrix matrix : {MmaMatrix::A, MmaMatrix::B, MmaMatrix::C}) {
            QSet<int> seen;
            for (int lane = 0; lane < 32; ++lane)
                for (const MmaPlace& place : fragmentOf(s, matrix, lane)) {
                    QVERIFY(place.row < size.rows(matrix) && place.column < size.columns(matrix));
                    seen << place.row * 64 + place.column;
                    QCOMPARE(ownerOf(s, matrix, place).lane, lane);
                }
            QCOMPARE(seen.size(), size.rows(matrix) * size.columns(matrix));
        }
        QCOMPARE(ownerOf(s, MmaMatrix::A, {99, 0}).lane, -1);
    }

    void framesWithoutALaunchSayWhy()
    {
        for (const char* id : kLaunchScenes) {
            const auto scene = makeScene(QLatin1String(id));
            QVERIFY(!scene->supports({}));
            QVERIFY(scene->supports(m_frame));
            QVERIFY(scene->draw({}, {}, {600, 400}, 1).summary.contains(QStringLiteral("once the experiment has run")));
            QVERIFY(
                scene->draw({SceneFrame{}}, {}, {600, 400}, 1).summary.contains(QStringLiteral("A GPU does not tell")));
            QCOMPARE(scene->table({SceneFrame{}}, {}).size(), 1U);
            QCOMPARE(scene->steps({SceneFrame{}}, {}), 0U);
            scene->stepped({}, {}, 1);
            scene->moved({}, {}, 1, 1);
        }
        QVERIFY(!makeFragmentsScene()->supports(m_frame)); // no tensor instruction in it
        LaunchTrace tensor = smallLaunch();
        tensor.machine[2].text = "HMMA.16816.F32";
        QCOMPARE(shapeOf(launchFrame(tensor)), std::optional(MmaShape::M16N8K16Half));
    }

    /// Traces that are valid but odd: nothing watched, no machine code, no timeline, no blocks.
    void poorTracesAreDrawn()
    {
        LaunchTrace poor = smallLaunch();
        poor.warps.clear();
        poor.watchedSms = 0;
        poor.watchedUntil.clear();
        poor.machine.clear();
        LaunchTrace bare = poor;
        bare.sms = {};
        bare.blocks.clear();
        bare.cycles = 0;
        bare.extrapolation = {};
        bare.counters = {};
        for (const LaunchTrace& trace : {poor, bare})
            for (const char* id : kLaunchScenes)
                for (const int width : {300, 760}) {
                    const auto scene = makeScene(QLatin1String(id));
                    SceneState state;
                    state.row = 2;
                    QVERIFY(!drawn(*scene, launchFrame(trace), state, 1, width).summary.isEmpty());
                    scene->table({launchFrame(trace)}, state);
                    scene->stepped({launchFrame(trace)}, state, 1);
                }
    }

    void everythingStaysInside_data()
    {
        QTest::addColumn<double>("textScale");
        QTest::addColumn<int>("width");
        for (const double scale : {0.8, 1.0, 1.5, 2.0})
            for (const int width : {480, 760, 1400})
                QTest::addRow("%g at %d", scale, width) << scale << width;
    }
    void everythingStaysInside()
    {
        QFETCH(double, textScale);
        QFETCH(int, width);
        for (const QString& id : sceneIds().mid(2)) {
            const auto scene = makeScene(id);
            const std::vector<SceneFrame> frames = {frameFor(id)};
            const QSizeF size(width, scene->preferredHeight(frames, textScale));
            const SceneDrawing drawing = scene->draw(frames, stateFor(id), size, textScale);
            QVERIFY2(drawing.size.height() <= size.height() + 1,
                     qPrintable(QStringLiteral("%1: %2 > %3").arg(id).arg(drawing.size.height()).arg(size.height())));
            const QRectF all = QRectF(QPointF(), size).adjusted(-1, -1, 1, 1);
            for (const Quad& quad : drawing.quads)
                QVERIFY2(all.contains(quad.rect), qPrintable(id));
            for (const Raster& raster : drawing.rasters)
                QVERIFY2(all.contains(raster.rect), qPrintable(id));
            for (const SceneItem& item : drawing.items)
                QVERIFY2(all.contains(item.rect), qPrintable(id + QLatin1Char(' ') + item.id));
        }
    }

    void drawingsRepeat()
    {
        for (const QString& id : sceneIds().mid(2)) {
            const auto scene = makeScene(id);
            QVERIFY2(describe(drawn(*scene, frameFor(id), stateFor(id))) ==
                         describe(drawn(*makeScene(id), frameFor(id), stateFor(id))),
                     qPrintable(id));
        }
    }

    void structure_data()
    {
        QTest::addColumn<QString>("id");
        for (const QString& id : sceneIds().mid(2))
            QTest::newRow(qPrintable(id)) << id;
    }
    void structure()
    {
        QFETCH(QString, id);
        const QString wrong = golden::checkStructure(QStringLiteral("launch_") + id,
                                                     describe(drawn(*makeScene(id), frameFor(id), stateFor(id))));
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
    }

    void pictures_data()
    {
        QTest::addColumn<QString>("id");
        QTest::addColumn<QString>("theme");
        QTest::addColumn<double>("scale");
        for (const QString& id : sceneIds().mid(2))
            for (const char* theme : {"light", "dark"})
                for (const int scale : {1, 2})
                    QTest::addRow("%s %s %d", qPrintable(id), theme, scale)
                        << id << QString::fromLatin1(theme) << static_cast<double>(scale);
    }
    void pictures()
    {
        QFETCH(QString, id);
        QFETCH(QString, theme);
        QFETCH(double, scale);
        if (const QString why = golden::whyNotComparable(); !why.isEmpty())
            QSKIP(qPrintable(why));
        Theme colors(nullptr, Theme::Scope::Detached);
        QVERIFY(colors.load(theme).ok());
        const SceneDrawing drawing = drawn(*makeScene(id), frameFor(id), stateFor(id));
        QImage image(QSize(760, qRound(drawing.size.height())) * scale, QImage::Format_ARGB32_Premultiplied);
        image.setDevicePixelRatio(scale);
        image.fill(colors.color(Role::Surface));
        QPainter painter(&image);
        paintShapes(painter, drawing, colors);
        paintLabels(painter, drawing, colors);
        painter.end();
        const QString wrong = golden::checkImage(QStringLiteral("%1_%2_%3x").arg(id, theme).arg(scale), image);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
    }
};

QTEST_MAIN(LaunchScenesTest)
#include "tst_launch_scenes.moc"
