// SPDX-License-Identifier: GPL-3.0-or-later
// Scenes as pure functions: the numbers they show, against closed forms, and how they look.
#include "app/drawing/scenes/scene.h"
#include "app/drawing/scenes/scene_paint.h"
#include "gpu/access.h"
#include "tests/golden/golden.h"
#include "traces.h"

#include <QtTest>
#include <QtWidgets>
#include <numeric>

using namespace ridge;
using namespace ridge::app;
using namespace ridge::app::testing;

namespace {

const QSizeF kSize(680, 410);

QString itemText(const SceneDrawing& drawing, const QString& id)
{
    for (const SceneItem& item : drawing.items)
        if (item.id == id)
            return item.text;
    return {};
}

SceneDrawing drawn(const Scene& scene, const SceneFrame& frame, SceneState state = {}, double textScale = 1)
{
    const std::vector<SceneFrame> frames = {frame};
    return scene.draw(frames, state, QSizeF(680, scene.preferredHeight(frames, textScale)), textScale);
}

int count(const SceneDrawing& drawing, const QString& prefix, const QString& text)
{
    return static_cast<int>(std::count_if(drawing.items.begin(), drawing.items.end(), [&](const SceneItem& item) {
        return item.id.startsWith(prefix) && item.text == text;
    }));
}

QImage painted(const Scene& scene, const SceneFrame& frame, const SceneState& state, const Theme& theme, double scale)
{
    const SceneDrawing drawing = drawn(scene, frame, state, theme.textScale());
    QImage image(drawing.size.toSize().expandedTo(QSize(680, 1)) * scale, QImage::Format_ARGB32_Premultiplied);
    image.setDevicePixelRatio(scale);
    image.fill(theme.color(Role::Surface));
    QPainter painter(&image);
    paintShapes(painter, drawing, theme);
    paintLabels(painter, drawing, theme);
    return image;
}

} // namespace

class ScenesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void makeSceneKnowsItsNames()
    {
        QCOMPARE(makeScene(QStringLiteral("lanes_sectors"))->id(), QStringLiteral("lanes_sectors"));
        QCOMPARE(makeScene(QStringLiteral("shared_banks"))->id(), QStringLiteral("shared_banks"));
        QVERIFY(!makeScene(QStringLiteral("warp_core")));
    }

    void sectorsAndLines_data()
    {
        QTest::addColumn<int>("stride");
        QTest::addColumn<int>("bytes");
        QTest::addColumn<int>("offset");
        QTest::addColumn<int>("sectors");
        QTest::addColumn<int>("lines");
        QTest::addColumn<QString>("useful");
        for (int stride = 1; stride <= 128; stride *= 2)
            QTest::addRow("stride %d", stride)
                << stride << 4 << 0 << std::min(32, 4 * stride) << std::min(32, stride)
                << QStringLiteral("%1 % of the bytes").arg(std::max(12.5, 100.0 / stride));
        QTest::newRow("misaligned") << 1 << 4 << 1 << 5 << 2 << QStringLiteral("80 % of the bytes");
        QTest::newRow("16 bytes") << 1 << 16 << 0 << 16 << 4 << QStringLiteral("100 % of the bytes");
        QTest::newRow("one byte") << 1 << 1 << 0 << 1 << 1 << QStringLiteral("100 % of the bytes");
        QTest::newRow("all the same") << 0 << 4 << 0 << 1 << 1 << QStringLiteral("12.5 % of the bytes");
    }
    void sectorsAndLines()
    {
        QFETCH(int, sectors);
        QFETCH(int, lines);
        QFETCH(QString, useful);
        QFETCH(int, stride);
        QFETCH(int, bytes);
        QFETCH(int, offset);
        const auto scene = makeLanesSectorsScene();
        const SceneDrawing drawing =
            drawn(*scene, globalFrame(static_cast<std::uint64_t>(stride), static_cast<std::uint8_t>(bytes),
                                      static_cast<std::uint64_t>(offset)));
        QCOMPARE(itemText(drawing, QStringLiteral("counter.sectors")),
                 QStringLiteral("%1 sectors for this request").arg(sectors));
        QCOMPARE(itemText(drawing, QStringLiteral("counter.lines")), QStringLiteral("%1 lines touched").arg(lines));
        QVERIFY2(itemText(drawing, QStringLiteral("counter.useful")).startsWith(useful.section(QLatin1Char(' '), 0, 0)),
                 qPrintable(itemText(drawing, QStringLiteral("counter.useful"))));
        // What is drawn is what is counted.
        QCOMPARE(count(drawing, QStringLiteral("sector."), QStringLiteral("fetched")), sectors);
        QCOMPARE(count(drawing, QStringLiteral("sector."), QStringLiteral("not fetched")), 4 * lines - sectors);
        QVERIFY2(drawing.summary.contains(QString::number(sectors)), qPrintable(drawing.summary));
    }

    void usedAndWastedAreasAreTrue_data()
    {
        QTest::addColumn<int>("stride");
        for (const int stride : {1, 2, 4, 8})
            QTest::addRow("stride %d", stride) << stride;
    }
    void usedAndWastedAreasAreTrue()
    {
        QFETCH(int, stride);
        const auto scene = makeLanesSectorsScene();
        const SceneDrawing drawing = drawn(*scene, globalFrame(static_cast<std::uint64_t>(stride)));
        QRectF row;
        for (const SceneItem& item : drawing.items)
            if (item.id.startsWith(QLatin1String("line.")))
                row = row.united(item.rect);
        double used = 0, hatched = 0;
        for (const Quad& quad : drawing.quads) {
            if (!row.adjusted(-1, -1, 1, 1).contains(quad.rect))
                continue;
            used += quad.role == Role::Series1 ? quad.rect.width() : 0;
            hatched += quad.hatch ? quad.rect.width() : 0;
        }
        QVERIFY(hatched > 0.95 * row.width()); // every sector of these strides is fetched
        // A pixel of air at each lane's left edge is all that used bytes may lose.
        QVERIFY2(std::abs(used / hatched - 1.0 / stride) < 0.06, qPrintable(QString::number(used / hatched)));
    }

    void progressServesSectorBySector()
    {
        const auto scene = makeLanesSectorsScene();
        const std::vector<SceneFrame> frames = {globalFrame(8)};
        SceneState state;
        QCOMPARE(scene->steps(frames, state), 32U);
        for (const int served : {0, 1, 13, 32}) {
            state.progress = served / 32.0;
            const SceneDrawing drawing = drawn(*scene, frames[0], state);
            QCOMPARE(count(drawing, QStringLiteral("sector."), QStringLiteral("fetched")), served);
            QCOMPARE(count(drawing, QStringLiteral("sector."), QStringLiteral("waiting")), 32 - served);
        }
    }

    void laneSaysItsAddress()
    {
        const auto scene = makeLanesSectorsScene();
        const SceneDrawing drawing = drawn(*scene, globalFrame(8, 4, 0, 0x0000ffffU));
        QCOMPARE(itemText(drawing, QStringLiteral("lane.5")), QStringLiteral("lane 5: in + 160 B, line 1, sector 1"));
        QCOMPARE(itemText(drawing, QStringLiteral("lane.20")), QStringLiteral("lane 20: inactive"));
        QVERIFY(drawing.summary.startsWith(QStringLiteral("stride = 8: 16 lanes")));
    }

    void addressesOutsideBuffersStayRaw()
    {
        SceneFrame frame = globalFrame(1);
        frame.trace.buffers.clear();
        QVERIFY(itemText(drawn(*makeLanesSectorsScene(), frame), QStringLiteral("lane.1"))
                    .contains(QLatin1String("0x10004")));
    }

    void wavefrontsAreGcd()
    {
        const auto scene = makeSharedBanksScene();
        for (int stride = 1; stride <= 33; ++stride) {
            const int conflict = std::gcd(stride, 32);
            const SceneFrame frame = sharedFrame(static_cast<std::uint64_t>(stride));
            const SceneDrawing drawing = drawn(*scene, frame);
            QVERIFY(itemText(drawing, QStringLiteral("counter.wavefronts"))
                        .startsWith(QStringLiteral("%1 wavefront").arg(conflict)));
            QVERIFY(itemText(drawing, QStringLiteral("counter.busiest"))
                        .startsWith(QStringLiteral("%1-way").arg(conflict)));
            // One cell for each word, stacked as deep as the conflict.
            int cells = 0;
            double deepest = 0, top = 1e9;
            for (const SceneItem& item : drawing.items)
                if (item.id.startsWith(QLatin1String("cell."))) {
                    ++cells;
                    top = std::min(top, item.rect.top());
                    deepest = std::max(deepest, item.rect.bottom());
                }
            QCOMPARE(cells, 32);
            const double one = itemRect(drawing, QStringLiteral("cell.1.0")).height() + 2;
            QCOMPARE(qRound((deepest - top + 2) / one), conflict);
        }
    }

    void broadcastIsOneCell()
    {
        const SceneDrawing drawing = drawn(*makeSharedBanksScene(), sharedFrame(0));
        QVERIFY(itemText(drawing, QStringLiteral("cell.1.0")).contains(QStringLiteral("lanes 0, 1, 2")));
        QVERIFY(itemText(drawing, QStringLiteral("cell.1.1")).isEmpty());
        QVERIFY(itemText(drawing, QStringLiteral("counter.busiest")).contains(QStringLiteral("shared")));
    }

    void wideAccessesAreServedInPhases()
    {
        const auto scene = makeSharedBanksScene();
        for (const auto& [bytes, phases] : {std::pair{4, 1}, std::pair{8, 2}, std::pair{16, 4}}) {
            const SceneDrawing drawing = drawn(*scene, sharedFrame(1, static_cast<std::uint8_t>(bytes)));
            QVERIFY(itemText(drawing, QStringLiteral("counter.wavefronts")).startsWith(QString::number(phases)));
            QVERIFY(itemText(drawing, QStringLiteral("counter.minimum")).startsWith(QString::number(phases)));
            QVERIFY(drawing.summary.contains(QStringLiteral("no conflict")));
            int cells = 0;
            for (const SceneItem& item : drawing.items)
                cells += item.id.startsWith(QLatin1String("cell.")) ? 1 : 0;
            QCOMPARE(cells, 32 * phases);
        }
    }

    void tablesAgreeWithTheRules()
    {
        const std::vector<SceneFrame> global = {globalFrame(3, 4, 5)};
        const auto rows = makeLanesSectorsScene()->table(global, {});
        QCOMPARE(rows.size(), 33U);
        QSet<QString> sectors;
        for (std::size_t i = 1; i < rows.size(); ++i)
            sectors << rows[i][4];
        QCOMPARE(static_cast<std::size_t>(sectors.size()),
                 gpu::touchedGranules(global[0].trace.requests[0], 32).size());
        const std::vector<SceneFrame> shared = {sharedFrame(4)};
        const auto banks = makeSharedBanksScene()->table(shared, {});
        const gpu::BankService service = gpu::serveBanks(shared[0].trace.requests[0]);
        for (int lane = 0; lane < kWarpSize; ++lane) {
            QCOMPARE(banks[static_cast<std::size_t>(lane) + 1][3], QString::number(lane * 4 % 32));
            QCOMPARE(banks[static_cast<std::size_t>(lane) + 1][4].toInt(),
                     service.wavefrontOfLane[static_cast<std::size_t>(lane)] + 1);
        }
    }

    void emptyScenesSayWhatWillAppear()
    {
        for (const char* id : {"lanes_sectors", "shared_banks"}) {
            const auto scene = makeScene(QLatin1String(id));
            const SceneDrawing nothing = scene->draw({}, {}, kSize, 1);
            QVERIFY(nothing.summary.contains(QStringLiteral("once the experiment has run")));
            SceneFrame hollow;
            QVERIFY(!scene->draw({hollow}, {}, kSize, 1).summary.isEmpty());
            QCOMPARE(scene->steps({hollow}, {}), 0U);
            QCOMPARE(scene->table({hollow}, {}).size(), 1U);
            SceneState beyond;
            beyond.frame = 7;
            beyond.request = 9;
            QVERIFY(!scene->draw({globalFrame(1)}, beyond, kSize, 1).summary.isEmpty());
            SceneFrame idle = globalFrame(1, 4, 0, 0);
            QVERIFY(!scene->draw({idle}, {}, kSize, 1).summary.isEmpty());
        }
    }

    void everythingStaysInside_data()
    {
        QTest::addColumn<double>("textScale");
        QTest::addColumn<int>("width");
        for (const double scale : {0.8, 1.0, 1.5, 2.0})
            for (const int width : {420, 680, 1200})
                QTest::addRow("%g at %d", scale, width) << scale << width;
    }
    void everythingStaysInside()
    {
        QFETCH(double, textScale);
        QFETCH(int, width);
        const std::vector<SceneFrame> global = {globalFrame(1), globalFrame(8), globalFrame(128), globalFrame(1, 4, 1)};
        const std::vector<SceneFrame> shared = {sharedFrame(1), sharedFrame(32), sharedFrame(4, 8), sharedFrame(1, 16)};
        for (const auto& [id, frames] : {std::pair{"lanes_sectors", global}, std::pair{"shared_banks", shared}}) {
            const auto scene = makeScene(QLatin1String(id));
            const QSizeF size(width, scene->preferredHeight(frames, textScale));
            for (std::size_t frame = 0; frame < frames.size(); ++frame) {
                SceneState state;
                state.frame = frame;
                state.lane = 31;
                const SceneDrawing drawing = scene->draw(frames, state, size, textScale);
                QVERIFY2(drawing.size.height() <= size.height() + 1, qPrintable(QStringLiteral("%1 frame %2: %3 > %4")
                                                                                    .arg(QLatin1String(id))
                                                                                    .arg(frame)
                                                                                    .arg(drawing.size.height())
                                                                                    .arg(size.height())));
                for (const Quad& quad : drawing.quads)
                    QVERIFY(QRectF(QPointF(), size).adjusted(-1, -1, 1, 1).contains(quad.rect));
                for (const SceneItem& item : drawing.items)
                    QVERIFY2(QRectF(QPointF(), size).adjusted(-1, -1, 1, 1).contains(item.rect), qPrintable(item.id));
            }
        }
    }

    void structure_data()
    {
        QTest::addColumn<QString>("id");
        QTest::addColumn<int>("stride");
        QTest::addColumn<int>("bytes");
        for (const int stride : {1, 8, 32})
            QTest::addRow("sectors %d", stride) << QStringLiteral("lanes_sectors") << stride << 4;
        for (const int stride : {1, 4})
            QTest::addRow("banks %d", stride) << QStringLiteral("shared_banks") << stride << 4;
        QTest::newRow("banks wide") << QStringLiteral("shared_banks") << 1 << 8;
    }
    void structure()
    {
        QFETCH(QString, id);
        QFETCH(int, stride);
        QFETCH(int, bytes);
        const auto wide = static_cast<std::uint8_t>(bytes);
        const auto step = static_cast<std::uint64_t>(stride);
        SceneState state;
        state.lane = 5;
        const SceneFrame frame =
            id == QLatin1String("lanes_sectors") ? globalFrame(step, wide) : sharedFrame(step, wide);
        const QString name = QStringLiteral("%1_stride%2_%3B").arg(id).arg(stride).arg(bytes);
        const QString wrong = golden::checkStructure(name, describe(drawn(*makeScene(id), frame, state)));
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
    }

    void pictures_data()
    {
        QTest::addColumn<QString>("id");
        QTest::addColumn<QString>("theme");
        QTest::addColumn<double>("scale");
        for (const char* id : {"lanes_sectors", "shared_banks"})
            for (const char* theme : {"light", "dark"})
                for (const int scale : {1, 2})
                    QTest::addRow("%s %s %d", id, theme, scale)
                        << QString::fromLatin1(id) << QString::fromLatin1(theme) << static_cast<double>(scale);
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
        SceneState state;
        state.lane = 5;
        const SceneFrame frame = id == QLatin1String("lanes_sectors") ? globalFrame(8) : sharedFrame(4);
        const QString wrong = golden::checkImage(QStringLiteral("%1_%2_%3x").arg(id, theme).arg(scale),
                                                 painted(*makeScene(id), frame, state, colors, scale));
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
    }

private:
    static QRectF itemRect(const SceneDrawing& drawing, const QString& id)
    {
        for (const SceneItem& item : drawing.items)
            if (item.id == id)
                return item.rect;
        return {};
    }
};

QTEST_MAIN(ScenesTest)
#include "tst_scenes.moc"
