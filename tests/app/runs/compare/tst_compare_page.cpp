// SPDX-License-Identifier: GPL-3.0-or-later
// Pinning and comparing in the real window, with runs of the real worker.
#include "tests/app/window/shell_fixture.h"

#include "app/runs/compare/compare_page.h"
#include "app/runs/compare/pin_sources.h"
#include "app/runs/compare/pin_strip.h"
#include "app/runs/table/runs_page.h"
#include "app/ui/elided_label.h"
#include "app/ui/panels.h"
#include "app/window/opened_files.h"
#include "tests/golden/golden.h"

#include <QCheckBox>
#include <QDropEvent>
#include <QMimeData>
#include <QProcess>
#include <QTabWidget>
#include <QTreeView>

using namespace ridge;
using namespace ridge::app;

namespace {

/// A sweep of twelve strides on one chip; slower chips take longer.
void storeSweep(Workplace& place, const std::string& sweep, const std::string& chip, double factor)
{
    for (int stride = 1; stride <= 128; stride *= 2) {
        record::RunRow row = Workplace::run(stride, sweep);
        row.target = "sim:" + chip;
        row.metrics["cycles"] = {factor * (900 + 60.0 * std::min(stride, 8)), "cycles", Provenance::Simulated};
        row.limits["sectors_per_request"] = {4, "lower"};
        row.fingerprint = Json{{"cpu", "AMD EPYC"}, {"target", {{"simulator", "simt"}, {"chip", chip}}}};
        place.store(row);
    }
}

ComparePage* comparePage(Workplace& place)
{
    return qobject_cast<ComparePage*>(place.window->page());
}

void trigger(Workplace& place, const char* action)
{
    place.actions->find(QLatin1String(action))->trigger();
}

} // namespace

class TestComparePage : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void pinnedRunsAreComparedAndKept();
    void resultsOfAnotherMachineComeFromItsFile();
    void aDroppedFileThatIsNoneSaysSo();
    void aNarrowCardElidesItsName();
    void lookAsDrawn_data();
    void lookAsDrawn();
};

void TestComparePage::pinnedRunsAreComparedAndKept()
{
    Workplace place;
    QVERIFY(place.loadCatalogue());
    storeSweep(place, "one", "h100-sxm", 1);
    storeSweep(place, "two", "t4", 3);
    place.makeWindow();
    QVERIFY(!place.actions->find(QStringLiteral("run.pin"))->isEnabled()); // Home has no runs
    QVERIFY(place.window->open(QStringLiteral("runs")).ok());
    auto* runs = qobject_cast<RunsPage*>(place.window->page());
    QTRY_VERIFY(runs->ready());
    // The runs of one sweep are chosen together when they are grouped.
    runs->model()->setGrouped(true);
    auto* view = runs->findChild<QTreeView*>();
    view->selectionModel()->select(runs->model()->index(0, 0),
                                   QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    QTRY_VERIFY(place.actions->find(QStringLiteral("run.pin"))->isEnabled());
    QTest::keyClick(place.window.get(), Qt::Key_D, Qt::ControlModifier);
    QCOMPARE(place.context->pins().pins().size(), 1U);
    QCOMPARE(place.context->pins().pins().front().runs.size(), 8U);
    view->selectionModel()->select(runs->model()->index(1, 0),
                                   QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    trigger(place, "run.pin");
    QCOMPARE(place.context->pins().pins().size(), 2U);

    QTest::keyClick(place.window.get(), Qt::Key_C, Qt::ControlModifier | Qt::ShiftModifier);
    ComparePage* page = comparePage(place);
    QVERIFY(page);
    QCOMPARE(page->chart()->data().series.size(), 2U);
    QCOMPARE(page->smallCharts().size(), 2);
    QVERIFY(page->model()->comparison().summary.contains(QStringLiteral("the machine")));
    // The table says the same as the runs.
    bool found = false;
    for (const ComparedRow& row : page->model()->comparison().rows)
        if (row.name == QLatin1String("Cycles")) {
            found = true;
            const double ratio = *row.cells[1].value / *row.cells[0].value;
            QVERIFY(qFuzzyCompare(ratio, 3.0) || qFuzzyCompare(ratio, 1.0 / 3.0));
            QVERIFY(row.differs);
        }
    QVERIFY(found);
    auto* only = page->findChildren<QCheckBox*>().last();
    const int all = page->model()->rowCount();
    only->setChecked(true);
    QVERIFY(page->model()->rowCount() < all);

    const QString file = place.home() + QStringLiteral("/c.md");
    QVERIFY(page->exportTo(file).ok());
    QFile markdown(file);
    QVERIFY(markdown.open(QIODevice::ReadOnly));
    const QString text = QString::fromUtf8(markdown.readAll());
    QVERIFY(text.contains(QStringLiteral("| --- | --- | --- |")));
    QVERIFY(text.contains(QStringLiteral("sim:t4")) && text.contains(QStringLiteral("sim:h100-sxm")));
    QVERIFY(page->exportTo(place.home() + QStringLiteral("/c.csv")).ok());
    QVERIFY(page->exportTo(place.home() + QStringLiteral("/c.png")).ok());
    QVERIFY(page->exportTo(place.home() + QStringLiteral("/c.json")).ok());
    QVERIFY(!page->exportTo(QStringLiteral("/nowhere/c.md")).ok());

    place.restart();
    QVERIFY(place.loadCatalogue());
    place.makeWindow();
    place.window->restoreSession();
    QTRY_COMPARE(place.context->pins().pins().size(), 2U);
    QCOMPARE(place.window->currentPage(), QStringLiteral("compare"));
    QCOMPARE(comparePage(place)->chart()->data().series.size(), 2U);
    place.context->pins().clear();
    QVERIFY(!comparePage(place)->can(Page::Command::Export));
}

void TestComparePage::resultsOfAnotherMachineComeFromItsFile()
{
    Workplace place;
    QVERIFY(place.loadCatalogue());
    storeSweep(place, "one", "h100-sxm", 1);
    // What another machine prints, and what the program exports itself.
    QProcess ridge;
    ridge.start(qEnvironmentVariable("RIDGE_BIN") + QStringLiteral("/ridge"),
                {QStringLiteral("run"), QStringLiteral("coalescing"), QStringLiteral("--target"),
                 QStringLiteral("sim:t4"), QStringLiteral("--sweep"), QStringLiteral("stride=1..8:log2"),
                 QStringLiteral("--json")});
    QVERIFY(ridge.waitForFinished(60000));
    QCOMPARE(ridge.exitCode(), 0);
    const QString path = place.home() + QStringLiteral("/other machine.json");
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write(ridge.readAllStandardOutput()) > 0);
    file.close();

    place.makeWindow();
    QVERIFY(place.window->open(QStringLiteral("compare/sweep:one,file:") + path).ok());
    ComparePage* page = comparePage(place);
    QCOMPARE(place.context->pins().pins().size(), 2U);
    const Pin& other = place.context->pins().pins()[1];
    QVERIFY(other.fromFile());
    QCOMPARE(other.runs.size(), 4U);
    QVERIFY2(other.name.contains(QStringLiteral("stride 1 … 8")), qPrintable(other.name));
    QVERIFY(originLine(other).contains(QStringLiteral("from a file")));
    QVERIFY(page->exportTo(place.home() + QStringLiteral("/back.json")).ok());
    place.context->pins().clear();
    QVERIFY(page->addFile(place.home() + QStringLiteral("/back.json")).ok());
    QCOMPARE(place.context->pins().pins().front().runs.size(), 12U);
    QVERIFY(!place.window->open(QStringLiteral("compare/sweep:gone")).ok());
}

void TestComparePage::aDroppedFileThatIsNoneSaysSo()
{
    Workplace place;
    QVERIFY(place.loadCatalogue());
    place.makeWindow();
    const QString path = place.home() + QStringLiteral("/broken.json");
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write("{\"runs\": 3}") > 0);
    file.close();
    QMimeData mime;
    mime.setUrls({QUrl::fromLocalFile(path)});
    QDragEnterEvent enter(QPoint(10, 10), Qt::CopyAction, &mime, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(place.window.get(), &enter);
    QVERIFY(enter.isAccepted());
    QDropEvent drop(QPointF(10, 10), Qt::CopyAction, &mime, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(place.window.get(), &drop);
    Banner* banner = &place.window->files().banner();
    QTRY_VERIFY(banner->isVisible());
    QVERIFY2(banner->text().contains(QStringLiteral("broken.json")), qPrintable(banner->text()));
    QVERIFY(place.context->pins().pins().empty());

    QMimeData words; // no file: nothing that could be opened
    words.setText(QStringLiteral("a selection"));
    QDragEnterEvent other(QPoint(10, 10), Qt::CopyAction, &words, Qt::LeftButton, Qt::NoModifier);
    other.ignore();
    QCoreApplication::sendEvent(place.window.get(), &other);
    QVERIFY(!other.isAccepted());
}

void TestComparePage::aNarrowCardElidesItsName()
{
    Workplace place;
    QVERIFY(place.loadCatalogue());
    storeSweep(place, "one", "h100-sxm", 1);
    place.makeWindow();
    QVERIFY(place.window->open(QStringLiteral("runs")).ok());
    auto* runs = qobject_cast<RunsPage*>(place.window->page());
    QTRY_VERIFY(runs->ready());
    runs->findChild<QTreeView*>()->selectAll();
    QTRY_VERIFY(place.actions->find(QStringLiteral("run.pin"))->isEnabled());
    trigger(place, "run.pin");
    PinStrip strip(*place.context);
    strip.show();
    const QString name = place.context->pins().pins().front().name;
    const auto labels = strip.firstCard()->findChildren<QLabel*>();
    const auto found = std::find_if(labels.begin(), labels.end(), [&](QLabel* one) { return one->text() == name; });
    QVERIFY(found != labels.end());
    auto* label = dynamic_cast<ElidedLabel*>(*found);
    QVERIFY(label);
    strip.resize(220, 120);
    QTRY_VERIFY2(label->shown().endsWith(QChar(0x2026)), qPrintable(label->shown()));
    QVERIFY(label->fontMetrics().horizontalAdvance(label->shown()) <= label->width());
    QCOMPARE(label->toolTip(), name);
    QCOMPARE(label->accessibleName(), name);
    strip.resize(900, 120);
    QTRY_COMPARE(label->shown(), name);
}

void TestComparePage::lookAsDrawn_data()
{
    QTest::addColumn<QString>("theme");
    QTest::addColumn<int>("tab");
    for (const char* theme : {"light", "dark"})
        for (int tab = 0; tab < 3; ++tab)
            QTest::addRow("%s_%d", theme, tab) << QString::fromLatin1(theme) << tab;
}

void TestComparePage::lookAsDrawn()
{
    if (const QString why = golden::whyNotComparable(); !why.isEmpty())
        QSKIP(qPrintable(why));
    QFETCH(QString, theme);
    QFETCH(int, tab);
    Workplace place;
    QVERIFY(place.theme.load(theme).ok());
    QVERIFY(place.loadCatalogue());
    storeSweep(place, "one", "h100-sxm", 1);
    storeSweep(place, "two", "t4", 3);
    storeSweep(place, "three", "rtx4090", 1.4);
    place.makeWindow();
    place.window->resize(1280, 800);
    QVERIFY(place.window->open(QStringLiteral("compare/sweep:one,sweep:two,sweep:three")).ok());
    comparePage(place)->tabs()->setCurrentIndex(tab);
    QTest::qWait(0);
    const QString wrong = golden::checkView(QStringLiteral("compare_%1_%2").arg(theme).arg(tab), *comparePage(place));
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
}

QTEST_MAIN(TestComparePage)
#include "tst_compare_page.moc"
