// SPDX-License-Identifier: GPL-3.0-or-later
// J4: a portfolio for a job application, through the real window: within six clicks and one an artifact with the mouse,
// and with the keyboard alone. Typing and moving are free.
#include "tests/app/window/shell_fixture.h"
#include "tests/golden/golden.h"

#include "app/portfolio/assemble_list.h"
#include "app/portfolio/assemble_page.h"
#include "app/portfolio/assemble_sample.h"
#include "app/theme/color_science.h"
#include "portfolio/verify.h"

#include <QAbstractButton>
#include <QCheckBox>
#include <QDesktopServices>
#include <QElapsedTimer>
#include <QLineEdit>
#include <QPlainTextEdit>

using namespace ridge;
using namespace ridge::app;

namespace {

constexpr int kBudget = 6;
constexpr int kExportMs = 60000;

QString s(const char* text)
{
    return QString::fromUtf8(text);
}

/// Takes what would go to the desktop.
class Desktop : public QObject {
    Q_OBJECT
public:
    Desktop() { QDesktopServices::setUrlHandler(s("file"), this, "show"); }
    ~Desktop() override { QDesktopServices::unsetUrlHandler(s("file")); }
    QStringList shown;

public Q_SLOTS:
    void show(const QUrl& url) { shown << url.toLocalFile(); }
};

class Visit {
public:
    Visit()
    {
        for (int i = 0; i < 3; ++i)
            place.storeArtifact();
        window = &place.makeWindow();
        window->resize(1440, 1000);
        (void)QTest::qWaitForWindowExposed(window);
        QApplication::setActiveWindow(window);
        if (!place.loadCatalogue())
            qFatal("no catalogue");
    }
    QAbstractButton* button(const QString& name) const
    {
        for (QAbstractButton* each : window->findChildren<QAbstractButton*>(name))
            if (each->isVisible())
                return each;
        return nullptr;
    }
    bool click(const QString& name)
    {
        QAbstractButton* found = button(name);
        if (!found || !found->isEnabled())
            return false;
        ++clicks;
        QTest::mouseClick(found, Qt::LeftButton);
        return true;
    }
    QWidget* focus() const
    {
        QWidget* has = QApplication::focusWidget();
        return has ? has : window;
    }
    void command(Qt::Key key, Qt::KeyboardModifiers modifiers = Qt::NoModifier)
    {
        ++clicks;
        QTest::keyClick(focus(), key, modifiers);
    }
    bool tabTo(const QString& name)
    {
        for (int steps = 0; steps < 300; ++steps) {
            if (focus()->objectName() == name)
                return true;
            QTest::keyClick(focus(), Qt::Key_Tab);
        }
        return false;
    }
    AssemblePage* page() const { return qobject_cast<AssemblePage*>(window->page()); }
    QString target() const { return place.home() + s("/out/portfolio"); }

    Workplace place;
    MainWindow* window;
    int clicks = 0;
};

} // namespace

class TestJourneyPortfolio : public QObject {
    Q_OBJECT

    static void checkExport(const QString& folder, std::size_t artifacts)
    {
        for (const char* name : {"index.html", "portfolio.pdf", "manifest.json", "SHA256SUMS", "rows.jsonl"})
            QVERIFY2(QFile::exists(folder + QLatin1Char('/') + s(name)), name);
        const auto report = folio::verifyPortfolio(folder.toStdString(), *dataFolder());
        QVERIFY(report.ok());
        QVERIFY2(report->ok(), report->findings.empty() ? "" : toText(report->findings.front()).c_str());
        QCOMPARE(report->artifacts, artifacts);
    }

private Q_SLOTS:
    void withTheMouse()
    {
        Desktop desktop;
        Visit visit;
        ++visit.clicks; // the destination in the rail
        QVERIFY(visit.window->open(s("portfolio")).ok());
        QVERIFY(visit.click(s("template-job")));
        QTRY_VERIFY(visit.page());
        auto* list = visit.page()->findChild<AssembleList*>();
        QCOMPARE(list->count(), 3);
        QVERIFY(!visit.button(s("portfolio-export"))->isEnabled()); // nothing is ticked
        int ticked = 0;
        for (int row = 0; row < 2; ++row, ++ticked) {
            const QRect area = list->visualItemRect(list->item(row));
            ++visit.clicks;
            QTest::mouseClick(list->viewport(), Qt::LeftButton, {}, QPoint(area.left() + 12, area.center().y()));
        }
        QCOMPARE(list->chosen().size(), std::size_t{2});
        visit.page()->findChild<QPlainTextEdit*>(s("portfolio-intro"))->setPlainText(s("One\nTwo\nThree"));
        visit.page()->findChild<QLineEdit*>(s("portfolio-folder"))->setText(visit.target());
        QVERIFY(visit.click(s("portfolio-preview")));
        QTRY_COMPARE_WITH_TIMEOUT(desktop.shown.size(), 1, kExportMs);
        QVERIFY(QFile::exists(desktop.shown.front()));
        QSignalSpy exported(visit.page(), &AssemblePage::exported);
        // The event loop goes on while it works.
        qint64 longest = 0;
        QElapsedTimer beat;
        QTimer heart;
        connect(&heart, &QTimer::timeout, &heart, [&] { longest = std::max(longest, beat.restart()); });
        beat.start();
        heart.start(5);
        QVERIFY(visit.click(s("portfolio-export")));
        QTRY_COMPARE_WITH_TIMEOUT(exported.count(), 1, kExportMs);
        heart.stop();
        QVERIFY2(longest < 1500, qPrintable(QString::number(longest)));
        QVERIFY(visit.click(s("portfolio-open")));
        QCOMPARE(desktop.shown.back(), visit.target());
        QVERIFY2(visit.clicks <= kBudget + ticked, qPrintable(QString::number(visit.clicks)));
        checkExport(visit.target(), 2);
    }

    void withTheKeyboardAlone()
    {
        Desktop desktop;
        Visit visit;
        visit.command(Qt::Key_5, Qt::ControlModifier);
        QTRY_COMPARE(visit.window->currentPage(), s("portfolio"));
        QVERIFY(visit.tabTo(s("template-job")));
        visit.command(Qt::Key_Space);
        QTRY_VERIFY(visit.page());
        auto* list = visit.page()->findChild<AssembleList*>();
        QTRY_VERIFY(list->hasFocus());
        QTest::keyClick(visit.focus(), Qt::Key_Home);
        visit.command(Qt::Key_Space);
        QTest::keyClick(visit.focus(), Qt::Key_Down);
        visit.command(Qt::Key_Space);
        const auto before = list->chosen();
        QCOMPARE(before.size(), std::size_t{2});
        QTest::keyClick(visit.focus(), Qt::Key_Up, Qt::AltModifier);
        QCOMPARE(list->chosen(), (std::vector<std::string>{before[1], before[0]}));
        QVERIFY(visit.tabTo(s("portfolio-title")));
        QTest::keyClicks(visit.focus(), s("Two counts"));
        QVERIFY(visit.tabTo(s("portfolio-intro")));
        QTest::keyClicks(visit.focus(), s("Counted, not guessed."));
        QVERIFY(visit.tabTo(s("portfolio-folder")));
        QTest::keyClick(visit.focus(), Qt::Key_A, Qt::ControlModifier);
        QTest::keyClicks(visit.focus(), visit.target());
        QVERIFY(visit.tabTo(s("portfolio-export")));
        QSignalSpy exported(visit.page(), &AssemblePage::exported);
        visit.command(Qt::Key_Space);
        QTRY_COMPARE_WITH_TIMEOUT(exported.count(), 1, kExportMs);
        QTRY_COMPARE(visit.focus()->objectName(), s("portfolio-open"));
        visit.command(Qt::Key_Space);
        QTRY_COMPARE(desktop.shown.size(), 1);
        QVERIFY2(visit.clicks <= kBudget + 2, qPrintable(QString::number(visit.clicks)));
        checkExport(visit.target(), 2);
        QFile page(visit.target() + s("/index.html"));
        QVERIFY(page.open(QIODevice::ReadOnly));
        const QByteArray html = page.readAll();
        QVERIFY(html.contains("<h1>Two counts</h1>"));
        QVERIFY(html.contains("Counted, not guessed."));
    }

    void privacyIsAskedForAndShown()
    {
        Visit visit;
        QVERIFY(visit.window->open(s("assemble/handin")).ok());
        auto* list = visit.page()->findChild<AssembleList*>();
        auto* times = visit.page()->findChild<QCheckBox*>(s("show-times"));
        auto* name = visit.page()->findChild<QCheckBox*>(s("show-name"));
        QVERIFY(times && name && !times->isChecked() && !name->isChecked());
        list->item(0)->setCheckState(Qt::Checked);
        const auto says = [&](const QString& words) {
            for (QLabel* label : visit.page()->findChildren<QLabel*>())
                if (label->text().contains(words))
                    return true;
            return false;
        };
        QTRY_VERIFY_WITH_TIMEOUT(says(s("Left out: ")), kExportMs);
        times->click();
        QTRY_VERIFY_WITH_TIMEOUT(says(s("Added: ")), kExportMs);
        QTest::keyClicks(visit.page()->findChild<QLineEdit*>(s("portfolio-author")), s("Ada"));
        QVERIFY(name->isChecked());
    }

    void aFolderThatIsInUseIsNamed()
    {
        Visit visit;
        QVERIFY(visit.window->open(s("assemble/job")).ok());
        visit.page()->findChild<AssembleList*>()->item(0)->setCheckState(Qt::Checked);
        visit.page()->findChild<QLineEdit*>(s("portfolio-folder"))->setText(visit.place.home()); // has the record in it
        QVERIFY(visit.click(s("portfolio-export")));
        QTRY_VERIFY_WITH_TIMEOUT(!visit.page()->exporting(), kExportMs);
        QVERIFY(visit.page()->lastExport().empty());
        QVERIFY(!visit.button(s("portfolio-open"))->isEnabled());
    }

    void theSampleIsShownAndCanBeHidden()
    {
        Workplace place;
        MainWindow& window = place.makeWindow();
        QVERIFY(window.open(s("portfolio")).ok());
        auto* see = window.findChild<QAbstractButton*>(s("portfolio-sample"));
        QVERIFY(see && see->isVisible());
        QTest::mouseClick(see, Qt::LeftButton);
        QTRY_COMPARE(window.currentPage(), s("assemble/sample"));
        int charts = 0;
        for (QWidget* each : window.page()->findChildren<QWidget*>())
            charts += each->accessibleName().contains(s(" over "));
        QVERIFY(charts > 0);
        AssembleSample::setHidden(true);
        QVERIFY(window.open(s("portfolio")).ok());
        QVERIFY(!see->isVisible());
    }

    void pictures_data()
    {
        QTest::addColumn<QString>("theme");
        QTest::newRow("light") << s("light");
        QTest::newRow("dark") << s("dark");
    }

    void pictures()
    {
        QFETCH(QString, theme);
        if (const QString why = golden::whyNotComparable(); !why.isEmpty())
            QSKIP(qPrintable(why));
        Visit visit;
        QVERIFY(visit.place.theme.load(theme).ok());
        for (const char* page : {"job", "sample"}) {
            QVERIFY(visit.window->open(s("assemble/") + s(page)).ok());
            if (auto* folder = visit.page()->findChild<QLineEdit*>(s("portfolio-folder")))
                folder->setText(s("/media/stick/portfolio-2026-11"));
            visit.page()->setFocus();
            QImage image(visit.page()->size(), QImage::Format_ARGB32_Premultiplied);
            QTest::qWait(0);
            visit.page()->render(&image);
            if (const auto* list = visit.page()->findChild<AssembleList*>();
                list && list->isVisible() && list->count() > 1) {
                // The box of an artifact that is not ticked has an edge that stands out from the list.
                const QPoint corner = list->viewport()->mapTo(visit.page(), QPoint());
                const QRect row = list->visualItemRect(list->item(1)).translated(corner);
                const QColor surface = visit.place.theme.color(Role::Surface);
                int found = 0;
                for (int y = row.top(); y <= row.bottom(); ++y)
                    for (int x = row.left(); x < row.left() + 20; ++x)
                        found += contrastRatio(image.pixelColor(x, y), surface) > 2;
                QVERIFY2(found > 20, qPrintable(QString::number(found)));
            }
            const QString wrong = golden::checkView(s("assemble_") + s(page) + QLatin1Char('_') + theme, *visit.page());
            QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
        }
    }
};

QTEST_MAIN(TestJourneyPortfolio)
#include "tst_journey_portfolio.moc"
