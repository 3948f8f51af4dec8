// SPDX-License-Identifier: GPL-3.0-or-later
// Every kind of live block as a picture: as the lesson opens, and after its prediction and its sweep.
#include "reader_support.h"
#include "tests/golden/golden.h"

#include "app/drawing/charts/sweep_chart.h"
#include "app/drawing/scenes/scene_view.h"
#include "app/lesson/reader/prose_view.h"
#include "app/runs/overlays/overlay_bar.h"
#include "tests/app/window/readable.h"

#include <QSet>

using namespace ridge;
using namespace ridge::app;
using test::Bench;

class TestBlockPictures : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void pictures_data()
    {
        QTest::addColumn<QString>("theme");
        for (const char* theme : {"light", "dark"})
            QTest::newRow(theme) << QString::fromLatin1(theme);
    }
    void pictures()
    {
        if (const QString why = golden::whyNotComparable(); !why.isEmpty())
            QSKIP(qPrintable(why));
        QFETCH(QString, theme);
        Bench bench;
        QVERIFY(bench.app().theme().load(theme).ok());
        bench.loadCatalogue();
        bench.openPage(QSize(900, 900));
        QStringList wrong;
        const auto check = [&](const QString& name, QWidget& widget) {
            if (QWidget* focused = QApplication::focusWidget())
                focused->clearFocus(); // a focus ring is no part of the picture
            const QString found = golden::checkView(QStringLiteral("block_%1_%2").arg(name, theme), widget);
            if (!found.isEmpty())
                wrong << found;
        };
        check(QStringLiteral("predict_open"), *bench.block("guess"));
        check(QStringLiteral("sweep_waits"), *bench.block("curve"));
        check(QStringLiteral("scene_empty"), *bench.block("lanes"));
        QVERIFY(bench.commitAndRun());
        QVERIFY(bench.click("guess", "reason:each"));
        auto* explains = bench.part("guess", "reasonExplains");
        QTRY_VERIFY(explains->isVisible());
        QVERIFY(bench.runSweep());
        const auto* chart = bench.block("curve")->findChild<SweepChart*>();
        QTRY_VERIFY(!chart->data().series.empty() && chart->data().series.front().points.size() == 6);
        QTRY_COMPARE(bench.block("lanes")->findChild<SceneView*>()->frames().size(), std::size_t(6));
        QTRY_VERIFY(!bench.block("lanes")->findChild<SceneView*>()->frames().back().title.isEmpty());
        // What rests on all runs of the lesson is told again after the last of them, so later than its chart.
        const auto* claim = bench.block("note")->findChild<ProseView*>(QStringLiteral("claim"));
        QTRY_VERIFY(claim->markdownText().find("touches 32 sectors/request") != std::string::npos);
        // Buttons have other words now, and their widths a turn later.
        const auto laidOut = [&bench] {
            bool hidden = false; // what is recorded is of experiments that this worker does not have
            for (OverlayBar* bar : bench.page().findChildren<OverlayBar*>()) {
                hidden = hidden || bar->isVisible();
                bar->hide();
            }
            if (hidden)
                return false;
            for (BlockWidget* block : bench.page().findChildren<BlockWidget*>())
                if (block->height() != block->heightForWidth(block->width()) || !cutOff(block).isEmpty())
                    return false;
            return true;
        };
        QTRY_VERIFY(laidOut());
        QStringList kinds;
        for (BlockWidget* block : bench.page().findChildren<BlockWidget*>()) {
            // What ran says when, and how long it took.
            for (const char* timed : {"runStatus", "committed"})
                for (QLabel* label : block->findChildren<QLabel*>(QLatin1String(timed)))
                    label->setText(QStringLiteral("finished"));
            const QString kind = QString::fromStdString(block->block().kind);
            const QString name = kinds.contains(kind) ? kind + QStringLiteral("_2") : kind;
            kinds << kind;
            check(name, *block);
        }
        QCOMPARE(QSet<QString>(kinds.begin(), kinds.end()).size(), 12);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(QLatin1Char('\n'))));
    }
};

QTEST_MAIN(TestBlockPictures)
#include "tst_block_pictures.moc"
