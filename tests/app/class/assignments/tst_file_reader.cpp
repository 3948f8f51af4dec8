// SPDX-License-Identifier: GPL-3.0-or-later
// Large files that come to the window: read beside it, shown or offered when they are there, given up by Esc.
#include "visit.h"

#include "app/portfolio/artifact_view.h"
#include "app/portfolio/figures_table.h"
#include "app/session/background.h"
#include "app/ui/outcome_bar.h"
#include "app/window/file_bar.h"
#include "app/window/opened_files.h"
#include "tests/support/heartbeat.h"

#include <QPlainTextEdit>

using namespace ridge;
using namespace ridge::app;

namespace {

constexpr int kWaitMs = 60000;
/// What one turn of the event loop may compute. Opening a page has twice that, as in tst_journey_lesson, for a slower
/// processor: the one of 20,000 figures is the longest there is.
constexpr double kMostMs = 100, kMostOpeningMs = 200;

/// What ncu prints of many launches: some 35 MB, more figures than are taken.
std::string largeProfile()
{
    std::string text =
        "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\",\"Stream\",\"Block "
        "Size\",\"Grid Size\",\"Device\",\"CC\",\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n";
    for (int launch = 0; text.size() < std::size_t(35) << 20; ++launch)
        text +=
            "\"" + std::to_string(launch) +
            "\",\"4711\",\"reduce\",\"127.0.0.1\",\"sum_shared(const float *, float *, int)\",\"1\",\"7\",\"(256, 1, "
            "1)\",\"(4096, 1, 1)\",\"0\",\"8.9\",\"GPU Speed Of Light Throughput\",\"Duration\",\"us\",\"" +
            std::to_string(200 + launch % 13) + ".5\"\n";
    return text;
}

} // namespace

class TestFileReader : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { m_profile = largeProfile(); }
    void aLargeLogIsReadBesideTheWindow();
    void aLargeFileThatIsNoneSaysSo_data();
    void aLargeFileThatIsNoneSaysSo();
    void whoLeftThePageIsNotTakenBack();
    void escGivesItUp();
    void theWindowMayGoMeanwhile();
    void severalFilesComeInTheirOrder();

private:
    std::string m_profile;
};

void TestFileReader::aLargeLogIsReadBesideTheWindow()
{
    Visit visit;
    const QString file = visit.file(m_profile, "profile.csv");
    MainWindow& window = visit.open();
    QVERIFY(window.open(s("portfolio")).ok()); // made once, and not by the import
    test::Heartbeat heart;
    visit.drop({file});
    QTRY_VERIFY_WITH_TIMEOUT(window.files().bar()->isVisible(), kWaitMs);
    QVERIFY2(window.files().bar()->text().contains(s("profile.csv")), qPrintable(window.files().bar()->text()));
    QTRY_VERIFY_WITH_TIMEOUT(window.currentPage().startsWith(s("artifact/")), kWaitMs);
    // The page is laid out in turns of its own, and its first paint is one as well.
    QTRY_VERIFY_WITH_TIMEOUT(window.page()->findChild<FiguresModel*>(), kWaitMs);
    QTest::qWait(50);
    qInfo("longest turn: %d ms, of which it computed %.0f ms", heart.worst(), heart.worstBusy());
    QVERIFY2(heart.worstBusy() < kMostOpeningMs, qPrintable(QString::number(heart.worstBusy())));
    QVERIFY(!window.files().bar()->isVisible());

    const auto artifacts = visit.place.context->store()->artifacts();
    QCOMPARE(artifacts->size(), 1u);
    QCOMPARE(artifacts->front().figures->size(), imports::kMostFigures);
    QCOMPARE(*visit.place.context->store()->file(artifacts->front().files.front().sha256), m_profile);
    auto* figures = window.page()->findChild<FiguresModel*>();
    QVERIFY(figures);
    QCOMPARE(figures->rowCount(), int(imports::kMostFigures));
    QCOMPARE(figures->index(1, FiguresModel::Source).data().toString(), s("profile.csv, line 3"));
    // Its beginning is enough on a page.
    QString shown; // the page has other fields for text, which are empty
    for (const auto* text : window.page()->findChildren<QPlainTextEdit*>())
        shown += text->toPlainText();
    QVERIFY(shown.size() > 1024 && shown.size() <= 64 * 1024);
    QVERIFY(m_profile.starts_with(shown.toStdString()));
    QTRY_VERIFY2_WITH_TIMEOUT(wordsOf(window.page()).contains(s("The beginning of")),
                              qPrintable(wordsOf(window.page())), kWaitMs);
    // Another artifact takes the page. The old table goes in a later turn and may be asked until then: a change of
    // theme does.
    auto* view = window.page()->findChild<ArtifactView*>();
    QVERIFY(view);
    view->setArtifact(view->bundle());
    for (int row = 0; row < figures->rowCount(); ++row)
        QCOMPARE(figures->index(row, FiguresModel::Source).data().toString(), s("profile.csv, line %1").arg(row + 2));
}

void TestFileReader::aLargeFileThatIsNoneSaysSo_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("said");
    QTest::newRow("nothing known") << s("notes.txt") << s("This is no file that Ridgepoint opens");
    QTest::newRow("broken runs") << s("runs.json") << s("runs.json");
    QTest::newRow("profile cut off") << s("profile.csv") << s("profile.csv");
}

void TestFileReader::aLargeFileThatIsNoneSaysSo()
{
    QFETCH(QString, name);
    QFETCH(QString, said);
    Visit visit;
    std::string bytes;
    if (name == s("runs.json")) {
        bytes = "{\"runs\": [";
        while (bytes.size() < std::size_t(30) << 20)
            bytes += "{\"experiment\": \"coalescing\", \"metrics\": {\"a\": {\"value\": 1}}},\n";
    } else if (name == s("profile.csv")) {
        bytes = m_profile.substr(0, m_profile.size() - 1000) + "\n\"open quote, and nothing after it";
    } else {
        bytes.assign(std::size_t(35) << 20, 'n');
    }
    const QString file = visit.file(bytes, qPrintable(name));
    MainWindow& window = visit.open();
    test::Heartbeat heart;
    visit.drop({file});
    QTRY_VERIFY_WITH_TIMEOUT(window.files().banner().isVisible() || window.currentPage() != s("home"), kWaitMs);
    QVERIFY2(heart.worstBusy() < kMostMs, qPrintable(QString::number(heart.worstBusy())));
    QVERIFY2(visit.banner().contains(said), qPrintable(visit.banner()));
    QVERIFY(visit.place.context->store()->artifacts()->empty());
    QCOMPARE(window.currentPage(), s("home"));
}

void TestFileReader::whoLeftThePageIsNotTakenBack()
{
    Visit visit;
    const QString file = visit.file(m_profile, "profile.csv");
    MainWindow& window = visit.open();
    visit.drop({file});
    QVERIFY(window.open(s("runs")).ok());
    QTRY_VERIFY_WITH_TIMEOUT(window.files().outcome()->isVisible(), kWaitMs);
    QCOMPARE(window.currentPage(), s("runs"));
    QVERIFY(window.files().outcome()->text().contains(s("profile.csv")));
    QVERIFY(visit.click("file-show"));
    QVERIFY(window.currentPage().startsWith(s("artifact/")));
    QVERIFY(!window.files().outcome()->isVisible());
}

void TestFileReader::escGivesItUp()
{
    Visit visit;
    const QString file = visit.file(m_profile, "profile.csv");
    MainWindow& window = visit.open();
    visit.drop({file, visit.file(m_profile, "second.csv")});
    QTest::keyClick(&window, Qt::Key_Escape);
    QVERIFY(!window.files().bar()->isVisible());
    Background::of(*visit.place.context).wait();
    QCoreApplication::processEvents();
    visit.place.context->store()->flush();
    QVERIFY(visit.place.context->store()->artifacts()->empty());
    QCOMPARE(window.currentPage(), s("home"));
    QVERIFY(visit.banner().isEmpty());
    // It was given up, not broken: it can be taken again.
    visit.drop({qEnvironmentVariable("RIDGE_SOURCE") + s("/tests/imports/data/ncu.csv")});
    QTRY_VERIFY(window.currentPage().startsWith(s("artifact/")));
}

void TestFileReader::theWindowMayGoMeanwhile()
{
    Visit visit;
    const QString file = visit.file(m_profile, "profile.csv");
    visit.open();
    visit.drop({file});
    visit.place.window.reset();
    Background::of(*visit.place.context).wait();
    QCoreApplication::processEvents();
    visit.place.context->store()->flush();
    QVERIFY(visit.place.context->store()->artifacts()->empty());
}

void TestFileReader::severalFilesComeInTheirOrder()
{
    Visit visit;
    const QString data = qEnvironmentVariable("RIDGE_SOURCE") + s("/tests/imports/data/");
    MainWindow& window = visit.open();
    QStringList places;
    connect(&window, &MainWindow::pageShown, this, [&places](const QString& place) { places << place; });
    visit.drop({data + s("ncu.csv"), visit.file("no log", "odd.txt"), data + s("llama.csv")});
    QTRY_COMPARE(places.size(), 2);
    QVERIFY2(visit.banner().contains(s("odd.txt")), qPrintable(visit.banner())); // the others came all the same
    const auto artifacts = visit.place.context->store()->artifacts();            // newest first
    QCOMPARE(artifacts->size(), 2u);
    QCOMPARE(artifacts->front().files.front().name, std::string("llama.csv"));
    QCOMPARE(window.currentPage(), s("artifact/") + QString::fromStdString(artifacts->front().artifactId));
}

QTEST_MAIN(TestFileReader)
#include "tst_file_reader.moc"
