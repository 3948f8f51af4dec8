// SPDX-License-Identifier: GPL-3.0-or-later
// The page of one's own data in the real window, and the program that deletes and begins afresh.
#include "app/window/mydata/my_data_page.h"
#include "app/window/settler.h"
#include "privacy/erase.h"
#include "tests/app/window/shell_fixture.h"
#include "tests/golden/golden.h"
#include "tests/support/process.h"

#include <QLabel>
#include <QLineEdit>
#include <QPushButton>

using namespace ridge;
using namespace ridge::app;

namespace {

QString s(const char* text)
{
    return QString::fromUtf8(text);
}

struct Visit {
    Workplace place;
    MyDataPage* page = nullptr;
    QByteArray temporary = qgetenv("TMPDIR");

    ~Visit() { temporary.isEmpty() ? qunsetenv("TMPDIR") : qputenv("TMPDIR", temporary); }

    bool open()
    {
        qputenv("TMPDIR", place.home().toLocal8Bit()); // where previews lie
        place.storeArtifact();
        MainWindow& window = place.makeWindow();
        if (!window.open(s("data")).ok())
            return false;
        page = window.findChild<MyDataPage*>();
        return page && QTest::qWaitFor([this] { return page->ready(); }, 20000);
    }
    template<class Widget>
    Widget* find(const char* name) const
    {
        return page->findChild<Widget*>(s(name));
    }
};

} // namespace

class TestMyData : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void whatThereIsStandsThere()
    {
        Visit visit;
        QVERIFY(visit.open());
        QVERIFY(visit.page->inventory());
        auto* rows = visit.find<QLabel>("rows");
        QVERIFY(rows);
        QVERIFY2(rows->text().contains(s("1 prediction, 3 runs, 1 artifact")), qPrintable(rows->text()));
        QVERIFY(visit.find<QLabel>("stays")->text().contains(s("handed in")));
        QCOMPARE(visit.place.window->currentPage(), s("data"));
        QVERIFY(!visit.place.window->open(s("data/x")).ok());
        // The menu leads here.
        QVERIFY(visit.place.window->open(s("home")).ok());
        visit.place.actions->find(s("file.data"))->trigger();
        QCOMPARE(visit.place.window->currentPage(), s("data"));
    }

    void everythingIsExportedWhileTheRecordIsOpen()
    {
        QTemporaryDir out; // before the visit, whose temporary folder lies in its home
        Visit visit;
        QVERIFY(visit.open());
        QVERIFY(!visit.find<QLabel>("exportFirst")->isHidden());
        QVERIFY(visit.page->can(Page::Command::Export));
        const QString folder = out.filePath(s("mine"));
        visit.page->exportTo(folder);
        QTRY_VERIFY_WITH_TIMEOUT(visit.page->ready(), 30000);
        QVERIFY(QFile::exists(folder + s("/SHA256SUMS")));
        QVERIFY(QFile::exists(folder + s("/tables/run.csv")));
        QVERIFY(visit.find<QLabel>("exportState")->text().contains(s("README.txt")));
        QVERIFY(visit.find<QLabel>("exportFirst")->isHidden());
        // Into what is there already it says no, and the page goes on.
        visit.page->exportTo(folder);
        QTRY_VERIFY_WITH_TIMEOUT(visit.page->ready(), 30000);
        QVERIFY(visit.find<QPushButton>("exportData")->isEnabled());
        QVERIFY(visit.find<QLabel>("exportState")->isHidden());
    }

    /// By keyboard: nothing happens without the words, and one key press is never enough.
    void deletingTakesTheWords()
    {
        Visit visit;
        QVERIFY(visit.open());
        auto* word = visit.find<QLineEdit>("confirmWord");
        auto* button = visit.find<QPushButton>("deleteData");
        QVERIFY(word && button && !button->isEnabled());
        QCOMPARE(visit.page->panes().size(), 2);
        word->setFocus();
        QTest::keyClicks(word, s("delete"));
        QTest::keyClick(word, Qt::Key_Return);
        QVERIFY(!button->isEnabled());
        QVERIFY(!personal::erasureOrdered(homeFolder()));
        QTest::keyClicks(word, s(" everything"));
        QVERIFY(button->isEnabled());
        QTest::keyClick(word, Qt::Key_Return);
        QVERIFY(!personal::erasureOrdered(homeFolder()));
        QSignalSpy ordered(visit.page, &MyDataPage::deletionOrdered);
        QTest::keyClick(button, Qt::Key_Space);
        QCOMPARE(ordered.count(), 1);
        QVERIFY(personal::erasureOrdered(homeFolder()));
        QVERIFY(!visit.place.window->isVisible()); // it has closed; main goes on from here
        // As main does: after all is closed, before anything is opened.
        QVERIFY(!personal::finishErasure(personal::placesHere()).ok());
        visit.place.window.reset();
        visit.place.context.reset();
        const auto gone = personal::finishErasure(personal::placesHere());
        QVERIFY2(gone.ok(), gone.ok() ? "" : toText(gone.error()).c_str());
        QVERIFY(gone->files > 0);
        visit.place.openStore();
        QVERIFY(visit.place.context->store()->artifacts()->empty());
        QVERIFY(visit.place.makeWindow().open(s("home")).ok());
    }

    /// The program itself, started on a home in which it was decided.
    void theNextStartBeginsAfresh()
    {
        Workplace place;
        place.storeArtifact();
        const QString home = place.home();
        place.context.reset();
        QVERIFY(personal::orderErasure(homeFolder()).ok());
        QVERIFY(QDir().mkpath(home + s("/drafts/2.4")));
        const auto shot = test::runProgram(
            s("ridgepoint"), {s("--screenshot"), home + s("/home.png"), s("--open"), s("home")},
            {{s("RIDGE_HOME"), home}, {s("TMPDIR"), home}, {s("QT_QPA_PLATFORM"), s("offscreen")}}, {}, 120000);
        QVERIFY2(shot.exitCode == 0, shot.err.constData());
        QVERIFY(!personal::erasureOrdered(homeFolder()));
        QVERIFY(!QFile::exists(home + s("/drafts")));
        auto store = record::Store::open(homeFolder());
        QVERIFY(store.ok());
        QVERIFY((*store)->artifacts()->empty());
    }

    void pictures_data()
    {
        QTest::addColumn<QString>("theme");
        QTest::newRow("light") << s("light");
        QTest::newRow("dark") << s("dark");
    }
    void pictures()
    {
        if (const QString why = golden::whyNotComparable(); !why.isEmpty())
            QSKIP(qPrintable(why));
        QFETCH(QString, theme);
        Visit visit;
        QVERIFY(visit.open());
        QVERIFY(visit.place.theme.load(theme).ok());
        // Without what differs from run to run: folders of this test and sizes.
        bool isWhole = false; // paths are not shortened: they say what would be deleted
        for (QLabel* label : visit.page->findChildren<QLabel*>()) {
            const QString shown = label->text().remove(QChar(0x200b)); // where a path may break
            isWhole = isWhole || shown.contains(visit.place.home() + s("/ridgepoint.db\n"));
            if (shown.contains(visit.place.home()) || shown.contains(s(" kB")) || shown.contains(s(" KiB")))
                label->setText(QString(shown.size() > 40 ? 40 : 8, QLatin1Char('x')));
        }
        QVERIFY(isWhole);
        visit.page->setFocus(); // a focus ring is no part of the picture
        Settler settler(*visit.place.window, false, 20000);
        QSignalSpy settled(&settler, &Settler::settled);
        settler.start();
        QVERIFY(settled.wait(60000));
        const QString wrong = golden::checkView(s("my-data-") + theme, *visit.page);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
    }
};

QTEST_MAIN(TestMyData)
#include "tst_my_data.moc"
