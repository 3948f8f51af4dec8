// SPDX-License-Identifier: GPL-3.0-or-later
// Traces that cannot be drawn: the scene of their point says why, the others stay as they are.
#include "app/drawing/scenes/launch_view.h"
#include "app/drawing/scenes/scene_view.h"
#include "app/drawing/scenes/trace_kinds.h"
#include "app/drawing/scenes/trace_loader.h"
#include "base/schedule_trace.h"
#include "tests/app/drawing/scenes/traces.h"
#include "tests/support/generic_traces.h"
#include "tests/support/small_launch.h"

#include <QtTest>

using namespace ridge;
using namespace ridge::app;

class TestTraceLoader : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void badTracesSayWhyInTheirScene_data()
    {
        const std::string good = encodeTrace(app::testing::globalFrame(2).trace);
        std::string newer = good, huge(64u << 20, '\0');
        newer[4] = 9;
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QString>("said");
        const auto row = [](const char* name, const std::string& bytes, const char* said) {
            QTest::newRow(name) << QByteArray::fromStdString(bytes) << QString::fromUtf8(said);
        };
        row("cut short", good.substr(0, good.size() / 2), "cannot be drawn");
        row("of one byte", good.substr(0, 1), "cannot be drawn");
        row("newer", newer, "open it with a newer Ridgepoint");
        row("huge and of nothing", huge, "cannot be drawn");
        row("followed by something else", good + "more", "cannot be drawn");
    }
    void badTracesSayWhyInTheirScene()
    {
        QFETCH(QByteArray, bytes);
        QFETCH(QString, said);
        const auto read = decodeTracesAsync(bytes.toStdString(), {}).result();
        QVERIFY(!read.ok());
        Theme theme;
        QVERIFY(theme.load(QStringLiteral("light")).ok());
        SceneView view(theme, makeScene(QStringLiteral("lanes_sectors")));
        view.resize(760, 640);
        SceneFrame bad;
        bad.title = QStringLiteral("stride = 2");
        unreadable(read.error()).addTo(bad);
        view.setFrames({app::testing::globalFrame(1), bad, app::testing::globalFrame(4)});
        const QString before = view.summary();
        view.stepFrame(1);
        QVERIFY2(view.summary().contains(said), qPrintable(view.summary()));
        QVERIFY(view.summary().contains(QStringLiteral("The run and its numbers are kept.")));
        QVERIFY(!view.drawing().labels.empty()); // in the picture, too
        view.stepFrame(1);
        QVERIFY(view.summary().contains(QStringLiteral("sectors")));
        view.stepFrame(-2);
        QCOMPARE(view.summary(), before);
    }

    /// One of a point's traces may be damaged and another be whole.
    void aWholeTraceBesideADamagedOneIsDrawn()
    {
        Theme theme;
        QVERIFY(theme.load(QStringLiteral("light")).ok());
        SceneView view(theme, makeScene(QStringLiteral("lanes_sectors")));
        view.resize(760, 640);
        SceneFrame bad;
        unreadable(Error{"bad-trace", "the trace is cut short", "trace", "run it again"}).addTo(bad);
        view.setFrames({bad});
        QVERIFY(view.summary().contains(QStringLiteral("run it again")));
        view.mergeFrame(0, app::testing::globalFrame(2));
        QVERIFY2(!view.summary().contains(QStringLiteral("run it again")), qPrintable(view.summary()));
    }

    /// A stored file with several; each ends where scenes look for it.
    void everyKindHasItsPlace()
    {
        const LaunchTrace launch = ridge::testing::smallLaunch();
        ScheduleTrace schedule;
        schedule.title = "one";
        const std::string bytes = encodeTrace(app::testing::globalFrame(2).trace) + encodeLaunchTrace(launch) +
                                  encodeScheduleTrace(schedule) + encodeGridTrace(ridge::testing::cacheGrid(4, 2, 9)) +
                                  encodeLaneTrace(ridge::testing::dramLanes(2, 3));
        const auto read = decodeForScenes(bytes, {});
        QVERIFY2(read.ok(), read.ok() ? "" : toText(read.error()).c_str());
        QVERIFY(read->problem.isEmpty());
        SceneFrame frame;
        read->addTo(frame);
        QVERIFY(!frame.trace.requests.empty());
        QVERIFY(frame.payloads.get<LaunchView>() && frame.payloads.get<GridHistory>() &&
                frame.payloads.get<LaneIndex>());
        QCOMPARE(read->payloads.shared<ScheduleTrace>()->title, std::string("one"));
        for (const char* id : {"lanes_sectors", "sm_timeline", "grid", "lanes"})
            QVERIFY2(makeScene(QLatin1String(id))->supports(frame), id);
        for (const TraceKind& kind : traceKinds()) {
            QVERIFY(kindOfName(kind.name) == &kind && kindOfMagic(kind.magic) == &kind);
            QVERIFY(kind.magic.size() == 4 && kind.magic.front() == 'R'); // what splitTraces() wants
            QVERIFY(!kind.decode("rubbish").ok());
        }
        QVERIFY(!kindOfName("weather") && !kindOfMagic("RXYZ"));
    }

    /// A worker of a later version: its kind, the run and what to do are said, and nothing else is lost.
    void anUnknownKindSaysWhatToDo_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QByteArray>("kind");
        QTest::addColumn<QString>("named");
        QTest::newRow("sent") << QByteArray("no matter what") << QByteArray("weather") << QStringLiteral("“weather”");
        QTest::newRow("stored") << QByteArray::fromStdString(frameTrace("RXYZ", 3, "later")) << QByteArray()
                                << QStringLiteral("“RXYZ”");
    }
    void anUnknownKindSaysWhatToDo()
    {
        QFETCH(QByteArray, bytes);
        QFETCH(QByteArray, kind);
        QFETCH(QString, named);
        const TraceOrigin origin{kind.toStdString(), QStringLiteral("cache_walk on model")};
        const auto read = decodeTracesAsync(bytes.toStdString(), origin).result();
        QVERIFY(read.ok());
        for (const QString& part : {named, QStringLiteral("cache_walk on model"), QStringLiteral("update Ridgepoint"),
                                    QStringLiteral("The numbers of the run are whole.")})
            QVERIFY2(read->problem.contains(part), qPrintable(read->problem));
        Theme theme;
        QVERIFY(theme.load(QStringLiteral("light")).ok());
        SceneView view(theme, makeScene(QStringLiteral("grid")));
        view.resize(760, 640);
        SceneFrame frame;
        read->addTo(frame);
        view.setFrames({frame});
        QVERIFY2(view.summary().contains(named), qPrintable(view.summary()));
    }

    void whatIsKnownBesideItIsDrawn()
    {
        const auto read =
            decodeForScenes(frameTrace("RXYZ", 3, "later") + encodeTrace(app::testing::globalFrame(2).trace), {});
        QVERIFY(read.ok());
        QVERIFY(read->problem.contains(QStringLiteral("“RXYZ”")));
        SceneFrame frame;
        read->addTo(frame);
        Theme theme;
        QVERIFY(theme.load(QStringLiteral("light")).ok());
        SceneView view(theme, makeScene(QStringLiteral("lanes_sectors")));
        view.resize(760, 640);
        view.setFrames({frame});
        QVERIFY2(view.summary().contains(QStringLiteral("sectors")), qPrintable(view.summary()));
    }

    void nothingAtAllIsNoTrace()
    {
        const auto read = decodeTracesAsync({}, {}).result();
        if (!read.ok()) {
            QVERIFY(!read.error().fix.empty());
            return;
        }
        SceneFrame frame;
        read->addTo(frame);
        QVERIFY(frame.trace.requests.empty() && !anySceneSupports(frame));
    }
};

QTEST_MAIN(TestTraceLoader)
#include "tst_trace_loader.moc"
