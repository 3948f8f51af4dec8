// SPDX-License-Identifier: GPL-3.0-or-later
// Traces that cannot be drawn: the scene of their point says why, the others stay as they are.
#include "app/scenes/scene_view.h"
#include "app/session/trace_loader.h"
#include "tests/app/scenes/traces.h"

#include <QtTest>

using namespace ridge;
using namespace ridge::app;

class TestTraceLoader : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void badTracesSayWhyInTheirScene_data()
    {
        const std::string good = encodeTrace(testing::globalFrame(2).trace);
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
        const auto read = decodeTracesAsync(bytes.toStdString()).result();
        QVERIFY(!read.ok());
        Theme theme;
        QVERIFY(theme.load(QStringLiteral("light")).ok());
        SceneView view(theme, makeScene(QStringLiteral("lanes_sectors")));
        view.resize(760, 640);
        SceneFrame bad;
        bad.title = QStringLiteral("stride = 2");
        unreadable(read.error()).addTo(bad);
        view.setFrames({testing::globalFrame(1), bad, testing::globalFrame(4)});
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
        view.mergeFrame(0, testing::globalFrame(2));
        QVERIFY2(!view.summary().contains(QStringLiteral("run it again")), qPrintable(view.summary()));
    }

    void nothingAtAllIsNoTrace()
    {
        const auto read = decodeTracesAsync({}).result();
        if (!read.ok()) {
            QVERIFY(!read.error().fix.empty());
            return;
        }
        QVERIFY(!read->memory && !read->launch && !read->schedule);
    }
};

QTEST_MAIN(TestTraceLoader)
#include "tst_trace_loader.moc"
