// SPDX-License-Identifier: GPL-3.0-or-later
// The page of what works here: each part with its state, what mends it, and the way to the clipboard.
#include "app/ui/panels.h"
#include "app/window/help/doctor_page.h"
#include "app/window/settler.h"
#include "tests/app/window/shell_fixture.h"
#include "tests/golden/golden.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QLabel>
#include <QPushButton>

using namespace ridge;
using namespace ridge::app;
using doctor::Finding;
using doctor::Health;

namespace {

QString s(const char* text)
{
    return QString::fromUtf8(text);
}

struct Visit {
    Workplace place;
    DoctorPage* page = nullptr;

    bool open()
    {
        MainWindow& window = place.makeWindow();
        if (!window.open(s("doctor")).ok())
            return false;
        page = window.findChild<DoctorPage*>();
        return page && QTest::qWaitFor([this] { return page->ready(); }, 60000);
    }
    QString words() const
    {
        QString all;
        for (const QLabel* label : page->findChildren<QLabel*>())
            all += label->text() + u'\n';
        return all;
    }
    const Finding* finding(const char* part) const
    {
        const auto found = std::ranges::find(page->findings(), std::string(part), &Finding::part);
        return found == page->findings().end() ? nullptr : &*found;
    }
};

/// As a machine without a GPU says it; the same on every machine.
std::vector<Finding> laptop()
{
    return {{"store", Health::Good, "/home/ada/.local/share/ridgepoint, integrity ok", ""},
            {"lessons", Health::Good, "9 in /usr/share/ridgepoint", ""},
            {"worker", Health::Broken, "ridge-worker does not answer", "Install the package again."},
            {"target gpu:0", Health::Missing, "there is no usable NVIDIA driver",
             "Install driver 580 or newer: sudo apt install nvidia-driver"},
            {"target cpu", Health::Good, "AMD EPYC (this machine)", ""},
            {"library cublas", Health::Missing, "cuBLAS libcublas.so: not found", ""}};
}

} // namespace

class TestDoctorPage : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void whatPermitsCountersStandsHere()
    {
        Workplace place;
        const auto findings = [&](const char* counters) {
            const QString path = place.home() + s("/worker-that-says");
            QFile script(path);
            if (!script.open(QIODevice::WriteOnly))
                qFatal("%s cannot be written", qPrintable(path));
            script.write(R"(#!/bin/sh
if [ "$1" = libraries ]; then echo '{"libraries":[]}'; exit; fi
echo '{"targets":[{"id":"gpu:0","title":"A GPU","available":true,"gpu":{)" +
                         QByteArray(counters) + R"(}},{"id":"sim:h100-sxm","available":true}],"compilers":[]}'
)");
            script.close();
            script.setPermissions(QFile::ReadOwner | QFile::ExeOwner);
            qputenv("RIDGE_WORKER", path.toLocal8Bit());
            std::vector<Finding> found = doctor::examine();
            std::erase_if(found, [](const Finding& one) { return one.part != "counters gpu:0"; });
            return found;
        };
        const auto forbidden = findings(R"("counters":"forbidden","counters_fix":"write this there")");
        QCOMPARE(forbidden.size(), std::size_t{1});
        QVERIFY(forbidden[0].health == Health::Missing); // times are measured all the same
        QCOMPARE(forbidden[0].fix, std::string("write this there"));
        const auto allowed = findings(R"("counters":"allowed")");
        QVERIFY(allowed.size() == 1 && allowed[0].health == Health::Good && allowed[0].fix.empty());
        QCOMPARE(findings(R"("counters":"unknown")").size(), std::size_t{1});
        QVERIFY(findings("").empty()); // an older worker tells nothing
    }

    void itSaysWhatRidgeDoctorSays()
    {
        Visit visit;
        QVERIFY(visit.open());
        QVERIFY(visit.finding("store") && visit.finding("worker") && visit.finding("target gpu:0"));
        QVERIFY(visit.finding("worker")->health == Health::Good);
        const QString words = visit.words();
        for (const Finding& finding : visit.page->findings())
            QVERIFY2(words.contains(QString::fromStdString(finding.part)), finding.part.c_str());
        QVERIFY(words.contains(s("Everything that has to work works")) || words.contains(s("Everything works")));
    }

    void whatIsBrokenComesFirstWithItsFix()
    {
        Visit visit;
        QVERIFY(visit.open());
        visit.page->show(laptop());
        QVERIFY(visit.words().contains(s("Something that has to work does not")));
        const auto groups = [&] {
            QStringList names;
            for (const Card* card : visit.page->findChildren<Card*>())
                if (card->isVisible())
                    names << card->accessibleName();
            return names;
        };
        QTRY_COMPARE(groups(), QStringList({s("Needs mending"), s("Absent"), s("Works")}));
        QVERIFY(visit.words().contains(s("Fix: Install the package again.")));
        auto* fix = visit.page->findChild<QPushButton*>(s("fix:target gpu:0"));
        QVERIFY(fix && fix->accessibleName().contains(s("target gpu:0")));
        QVERIFY(!visit.page->findChild<QPushButton*>(s("fix:library cublas"))); // nothing to copy
        fix->setFocus();
        QTest::keyClick(fix, Qt::Key_Space);
        QCOMPARE(QGuiApplication::clipboard()->text(),
                 s("Install driver 580 or newer: sudo apt install nvidia-driver"));
        QTest::mouseClick(visit.page->findChild<QPushButton*>(s("copyReport")), Qt::LeftButton);
        const QString report = QGuiApplication::clipboard()->text();
        QCOMPARE(report.split(u'\n', Qt::SkipEmptyParts).size(), 8);
        QVERIFY2(report.contains(s("| worker | broken | ridge-worker does not answer | Install the package again. |")),
                 qPrintable(report));
    }

    void aWorkerThatIsGoneIsSaidAndLookedForAgain()
    {
        Visit visit;
        const QByteArray worker = qgetenv("RIDGE_WORKER");
        qputenv("RIDGE_WORKER", "/nowhere/ridge-worker");
        const bool opened = visit.open();
        qputenv("RIDGE_WORKER", worker);
        QVERIFY(opened);
        QVERIFY(visit.finding("worker")->health == Health::Broken);
        QVERIFY(!visit.finding("worker")->fix.empty());
        QTest::mouseClick(visit.page->findChild<QPushButton*>(s("again")), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(visit.finding("worker")->health == Health::Good, 60000);
    }

    void itStandsInTheHelpMenu()
    {
        Visit visit;
        MainWindow& window = visit.place.makeWindow();
        visit.place.actions->find(s("help.doctor"))->trigger();
        QCOMPARE(window.currentPage(), s("doctor"));
        QVERIFY(!window.open(s("doctor/heart")).ok());
    }

    void lookAsDrawn_data()
    {
        QTest::addColumn<QString>("theme");
        QTest::addColumn<double>("scale");
        QTest::newRow("light") << s("light") << 1.0;
        QTest::newRow("dark") << s("dark") << 1.0;
        QTest::newRow("light_200") << s("light") << 2.0;
    }
    void lookAsDrawn()
    {
        if (const QString why = golden::whyNotComparable(); !why.isEmpty())
            QSKIP(qPrintable(why));
        QFETCH(QString, theme);
        QFETCH(double, scale);
        Visit visit;
        QVERIFY(visit.place.theme.load(theme).ok());
        visit.place.theme.setTextScale(scale);
        QVERIFY(visit.open());
        visit.place.window->resize(1280, 720);
        visit.page->show(laptop());
        Settler settler(*visit.place.window, false, 20000);
        QSignalSpy settled(&settler, &Settler::settled);
        settler.start();
        QVERIFY(settled.wait(60000));
        const QString name = s("doctor_") + QString::fromLatin1(QTest::currentDataTag());
        const QString wrong = golden::checkView(name, *visit.page);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
    }
};

QTEST_MAIN(TestDoctorPage)
#include "tst_doctor_page.moc"
