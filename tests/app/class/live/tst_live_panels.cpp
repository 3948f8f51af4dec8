// SPDX-License-Identifier: GPL-3.0-or-later
// The two panels of the live view and the indicator, with a session and learners on this computer.
#include "live_place.h"

#include "app/class/dashboard/prediction_plot.h"
#include "app/class/live/live_indicator.h"
#include "app/class/live/live_panel_parts.h"
#include "app/class/live/live_texts.h"
#include "app/class/live/text_table.h"
#include "app/drawing/charts/plot_chart.h"
#include "tests/golden/golden.h"

#include <QAbstractItemView>
#include <QAccessible>
#include <QCheckBox>
#include <QComboBox>
#include <QDeadlineTimer>
#include <QFontInfo>
#include <QHeaderView>
#include <QMenu>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTreeView>
#include <QVBoxLayout>

using namespace ridge;
using namespace ridge::app;

namespace {

QString s(const char* text)
{
    return QString::fromUtf8(text);
}

/// Everything that can be read or heard of what is visible.
QString everyWord(QWidget* root)
{
    QString all;
    for (QWidget* one : root->findChildren<QWidget*>() + QList<QWidget*>{root}) {
        if (!one->isVisibleTo(root))
            continue;
        all += one->accessibleName() + s("\n") + one->accessibleDescription() + s("\n") + one->toolTip() + s("\n");
        if (const auto* label = qobject_cast<QLabel*>(one))
            all += label->text() + s("\n");
        if (const auto* button = qobject_cast<QAbstractButton*>(one))
            all += button->text() + s("\n");
        if (const auto* view = qobject_cast<QAbstractItemView*>(one); view && view->model())
            for (int row = 0; row < view->model()->rowCount(); ++row)
                for (int column = 0; column < view->model()->columnCount(); ++column)
                    all += view->model()->index(row, column).data().toString() + s("\n");
    }
    return all;
}

/// Both sides in one window.
struct Room {
    LivePlace place;
    QWidget window;
    LivePanel* teacher;
    SharePanel* learner;
    LiveIndicator* indicator;

    Room()
    {
        auto* column = new QVBoxLayout(&window);
        teacher = new LivePanel(*place.context);
        learner = new SharePanel(*place.context);
        indicator = new LiveIndicator(*place.context);
        for (QWidget* one : QList<QWidget*>{teacher, learner, indicator})
            column->addWidget(one);
        teacher->setClass(place.live);
        learner->setAssignment(place.live.assignment);
        window.resize(1100, 1300);
        window.show();
    }
    LiveSession& session() { return LiveSession::of(*place.context); }
    LiveShare& share() { return LiveShare::of(*place.context); }
    QPushButton* open() { return teacher->findChild<QPushButton*>(s("live-session")); }
    QPushButton* shareButton() { return learner->findChild<QPushButton*>(s("share-live")); }
    void type(const QString& address, const QString& code)
    {
        const QList<QLineEdit*> fields = learner->findChildren<QLineEdit*>();
        fields[0]->setText(address);
        fields[1]->setText(code);
    }
    QString here() { return s("127.0.0.1:%1").arg(session().port()); }
    QStringList where()
    {
        QStringList lines;
        for (const QStringList& row : teacher->findChild<TextTable*>()->rows())
            lines << row.join(s(" | "));
        return lines;
    }
};

} // namespace

class TestLivePanels : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void fromSwitchToSwitch()
    {
        Room room;
        QVERIFY(!room.indicator->isLive());
        QVERIFY(!room.session().isOpen() && !room.share().isOn());
        QVERIFY(everyWord(room.learner).contains(s("R. Hopper")));
        QVERIFY(everyWord(room.learner).contains(room.share().pseudonym()));

        QTest::keyClick(room.open(), Qt::Key_Space);
        QVERIFY(room.session().isOpen());
        QVERIFY(room.indicator->isLive());
        QVERIFY(everyWord(room.teacher).contains(QString::fromStdString(room.session().code())));
        QVERIFY(everyWord(room.teacher).contains(s("Nobody has joined yet")));

        room.type(room.here(), QString::fromStdString(room.session().code()).toLower());
        QTest::keyClick(room.learner->findChildren<QLineEdit*>().last(), Qt::Key_Return);
        QVERIFY(room.share().isOn());
        QTRY_COMPARE(room.where().size(), 1);
        QVERIFY2(room.where().first().startsWith(room.share().pseudonym() + s(" | Predicting | just now | 1.1")),
                 qPrintable(room.where().first()));
        QTRY_VERIFY(everyWord(room.learner).contains(s("On. Your teacher's computer answers.")));
        QTRY_COMPARE(room.indicator->text(), s("Live: shared · Live: 1 here"));

        // What is stored goes along by itself.
        room.place.store(LivePlace::prediction("1.1", 8));
        auto* plot = room.teacher->findChild<PredictionPlot*>();
        QTRY_COMPARE(plot->histogram().learners, 1);
        QTRY_VERIFY(room.where().first().contains(s("Running")));
        QTRY_VERIFY(everyWord(room.learner).contains(s("Lesson 1.1: predicted")));
        QVERIFY(everyWord(room.learner).contains(s("received")));

        room.open()->click();
        QTRY_VERIFY(!room.share().isOn());
        QVERIFY(!room.indicator->isLive());
        QTRY_VERIFY(everyWord(room.learner).contains(s("Your teacher has ended the session")));
        QVERIFY(everyWord(room.learner).contains(s("not sent")));
        QVERIFY(room.where().first().endsWith(s("no link"))); // what was seen stays to be spoken about
    }

    void theSwitchStaysOnWhenItsPageGoes()
    {
        Room room;
        room.open()->click();
        room.type(room.here(), QString::fromStdString(room.session().code()));
        room.shareButton()->click();
        QTRY_COMPARE(room.where().size(), 1);
        delete room.learner;
        QVERIFY(room.share().isOn() && room.indicator->isLive());
        SharePanel again(*room.place.context);
        again.setAssignment(room.place.live.assignment);
        QCOMPARE(again.findChildren<QLineEdit*>().first()->text(), room.here());
        QCOMPARE(again.findChild<QPushButton*>(s("share-live"))->text(), s("Stop sharing"));
        // The indicator stops it, too.
        QMenu* menu = room.indicator->menu();
        Q_EMIT menu->aboutToShow();
        QStringList entries;
        for (QAction* action : menu->actions()) {
            entries << action->text();
            if (action->text() == s("Stop sharing"))
                action->trigger();
        }
        QVERIFY2(!room.share().isOn(), qPrintable(entries.join(s(", "))));
        QTRY_VERIFY(room.where().first().endsWith(s("no link")));
    }

    void leavingTheProgramEndsBoth()
    {
        live::LiveSender elsewhere;
        auto room = std::make_unique<Room>();
        room->open()->click();
        elsewhere.setNotes({live::StepNote{"1.1", {}, false, true}});
        QVERIFY(elsewhere
                    .start({{"127.0.0.1", room->session().port()},
                            live::readCode(room->session().code()).value(),
                            room->place.live.assignment,
                            LivePlace::learner(1)})
                    .ok());
        QTRY_COMPARE(elsewhere.taken().size(), std::size_t{1});
        room.reset(); // as at the end of main
        QTRY_COMPARE(elsewhere.trouble().code, std::string("live-ended"));
        QVERIFY(!elsewhere.isOn());
    }

    void whatIsTypedWrongIsSaid()
    {
        Room room;
        for (const auto& [address, code, says] :
             {std::tuple("teacher.local", "K7QM-3XRP", "not the address"),
              std::tuple("10.0.0.7", "K7QM", "eight letters"), std::tuple("", "", "not the address")}) {
            room.type(s(address), s(code));
            room.shareButton()->click();
            QVERIFY2(everyWord(room.learner).contains(s(says)), says);
            QVERIFY(!room.share().isOn() && !room.indicator->isLive());
        }
    }

    void aWrongCodeIsSaid()
    {
        Room room;
        room.open()->click();
        room.type(room.here(), room.session().code() == "0000-0000" ? s("11111111") : s("00000000"));
        room.shareButton()->click();
        QTRY_VERIFY(everyWord(room.learner).contains(s("The code is not that of the session")));
        QVERIFY(!room.share().isOn());
        QTRY_VERIFY(everyWord(room.teacher).contains(s("1 with another code")));
        QVERIFY(room.where().isEmpty());
        // What the status line said of it does not stand there once the code is right.
        QSignalSpy said(room.place.context.get(), &AppContext::notice);
        room.type(room.here(), QString::fromStdString(room.session().code()));
        room.shareButton()->click();
        QTRY_VERIFY(room.share().isOn());
        QCOMPARE(said.size(), 1);
        QVERIFY(!said.front().at(1).toBool() && said.front().at(0).toString().contains(room.here()));
        QTRY_COMPARE(room.where().size(), 1);
    }

    void withoutASealThereIsNoLiveView()
    {
        Room room;
        room.place.live.assignment.sealKey.clear();
        room.teacher->setClass(room.place.live);
        room.learner->setAssignment(room.place.live.assignment);
        QVERIFY(!room.open()->isEnabled() && !room.shareButton()->isEnabled());
        QVERIFY(everyWord(room.teacher).contains(s("without a key to seal")));
        room.teacher->setClass(std::nullopt);
        QVERIFY(!room.open()->isEnabled());
        QVERIFY(everyWord(room.teacher).contains(s("There is no class yet")));
    }

    void nobodyIsNamedOnAProjector()
    {
        Room room;
        room.place.live.names[room.share().pseudonym().toStdString()] = "Ada Lovelace";
        room.teacher->setClass(room.place.live);
        room.open()->click();
        room.type(room.here(), QString::fromStdString(room.session().code()));
        room.shareButton()->click();
        QTRY_COMPARE(room.where().size(), 1);
        QVERIFY(everyWord(room.teacher).contains(s("Ada Lovelace")));
        const auto typeOf = [&] {
            auto* list = room.teacher->findChild<QTreeView*>();
            return QList<int>{QFontInfo(list->font()).pixelSize(), QFontInfo(list->header()->font()).pixelSize(),
                              QFontInfo(room.teacher->findChild<QComboBox*>()->font()).pixelSize()};
        };
        const QList<int> before = typeOf();
        room.teacher->setProjector(true);
        for (int i = 0; i < before.size(); ++i)
            QVERIFY2(typeOf()[i] > 1.4 * before[i], qPrintable(QString::number(i)));
        QVERIFY(room.teacher->findChild<QCheckBox*>()->isChecked());
        const QString words = everyWord(room.teacher);
        QVERIFY(!words.contains(s("Ada")) && !words.contains(room.share().pseudonym()));
        QCOMPARE(room.where(), QStringList{s("1.1 | Predicting | 1")});
        room.teacher->setProjector(false);
        QCOMPARE(typeOf(), before);
        QVERIFY(everyWord(room.teacher).contains(s("Ada Lovelace")));
    }

    void theResultIsTheTeachersOwnAndOnlyWhenRevealed()
    {
        Room room;
        auto* plot = room.teacher->findChild<PredictionPlot*>();
        auto* reveal = room.teacher->findChild<QPushButton*>(s("reveal"));
        room.open()->click();
        QVERIFY(!reveal->isEnabled());
        QVERIFY(everyWord(room.teacher).contains(s("There is no run of yours")));
        room.place.store(LivePlace::run("1.1"));
        QTRY_VERIFY(reveal->isEnabled());
        room.type(room.here(), QString::fromStdString(room.session().code()));
        room.place.store(LivePlace::prediction("1.1", 16));
        room.shareButton()->click();
        QTRY_COMPARE(plot->histogram().learners, 1);
        QVERIFY(!plot->summary().contains(s("Your own run")));
        QTest::keyClick(reveal, Qt::Key_Space);
        QVERIFY2(plot->summary().contains(s("Your own run found 8 sectors/request (SIMULATED)")),
                 qPrintable(plot->summary()));
        QVERIFY(plot->revealed());
        // Another question hides it again.
        room.teacher->findChild<QComboBox*>()->setCurrentIndex(1);
        QVERIFY(!plot->revealed() && !reveal->isChecked());
    }

    void everythingHasANameAndTheKeyboardReachesIt()
    {
        Room room;
        room.open()->click();
        room.type(room.here(), QString::fromStdString(room.session().code()));
        room.shareButton()->click();
        QTRY_COMPARE(room.where().size(), 1);
        for (QWidget* one : room.window.findChildren<QWidget*>()) {
            const bool control = one->focusPolicy() & Qt::TabFocus;
            const QAccessibleInterface* spoken = QAccessible::queryAccessibleInterface(one);
            const bool viewport = one->parentWidget()->inherits("QAbstractScrollArea"); // never reported
            if (control && one->isVisible() && spoken && !viewport)
                QVERIFY2(!spoken->text(QAccessible::Name).isEmpty(), one->metaObject()->className());
        }
        QSet<QWidget*> reached;
        QWidget* at = room.open();
        at->setFocus();
        for (int i = 0; i < 60; ++i) {
            reached << at;
            QTest::keyClick(at, Qt::Key_Tab);
            at = QApplication::focusWidget();
            QVERIFY(at);
        }
        for (QWidget* wanted : QList<QWidget*>{room.open(), room.shareButton(), room.teacher->findChild<QCheckBox*>(),
                                               room.teacher->findChild<QComboBox*>(), room.indicator})
            QVERIFY2(reached.contains(wanted), wanted->metaObject()->className());
    }

    void words()
    {
        QCOMPARE(sinceWords(59000), s("just now"));
        QCOMPARE(sinceWords(4 * 60000), s("4 min"));
        QCOMPARE(sinceWords(70 * 60000), s("1 h 10 min"));
        QCOMPARE(stepWords({}), s("Done"));
        QVERIFY(refusalWords({}).isEmpty());
        live::StepNote step{"1.1", {true, false, false, false, false}, true, true};
        const auto rows = sharedRows({step}, {}, true);
        QCOMPARE(rows, (QList<QStringList>{{s("on its way"), s("Lesson 1.1: predicted; checks are not told")}}));
        const auto said = [](double point, double low, double high, const char* unit) {
            return sharedRows({live::PredictionNote{"1.1", "guess", unit, point, low, high}}, {}, false).first().last();
        };
        QCOMPARE(said(8, 4, 16, "ways"), s("Lesson 1.1, prediction: 8 ways (4 to 16)"));
        QVERIFY2(said(2e6, 9e5, 3e6, "B/s").contains(s("(900 kB/s to 3 MB/s)")),
                 qPrintable(said(2e6, 9e5, 3e6, "B/s")));
        live::BoardView view;
        for (const char* at : {"ran", "predicted", "ran", ""}) {
            live::LiveLearner one;
            one.lesson = "1.1";
            one.step = at;
            view.learners.push_back(one);
        }
        QCOMPARE(countRows(view, {{"1.1", {}, {}, {}}}), (QList<QStringList>{{s("1.1"), s("Predicting"), s("1")},
                                                                             {s("1.1"), s("Running"), s("2")},
                                                                             {s("1.1"), s("Done"), s("1")}}));
    }

    void pictures_data()
    {
        QTest::addColumn<QString>("view");
        QTest::addColumn<QString>("theme");
        QTest::addColumn<int>("percent");
        for (const char* view : {"closed", "open", "projector", "share", "narrow", "indicator"})
            for (const char* theme : {"light", "dark"})
                QTest::addRow("%s %s", view, theme) << s(view) << s(theme) << 100;
        QTest::addRow("open 200") << s("open") << s("light") << 200;
        QTest::addRow("share 200") << s("share") << s("light") << 200;
    }
    void pictures()
    {
        if (const QString why = golden::whyNotComparable(); !why.isEmpty())
            QSKIP(qPrintable(why));
        QFETCH(QString, view);
        QFETCH(QString, theme);
        QFETCH(int, percent);
        LivePlace place;
        QVERIFY(place.theme.load(theme).ok());
        place.theme.setTextScale(percent / 100.0);
        std::vector<std::unique_ptr<live::LiveSender>> senders;
        QWidget window;
        auto* column = new QVBoxLayout(&window);
        column->setContentsMargins(space::l, space::l, space::l, space::l);
        const bool large = percent > 100;
        window.resize(1180, view == s("share") ? (large ? 800 : 460) : large ? 1800 : 720);
        if (view == s("indicator")) {
            window.resize(360, 60);
            QVERIFY(LiveSession::of(*place.context).open(place.live, {{"1.1", "guess", "sectors/request"}}).ok());
            const LiveSession& session = LiveSession::of(*place.context);
            QVERIFY(LiveShare::of(*place.context)
                        .start(place.live.assignment, "127.0.0.1:" + std::to_string(session.port()), session.code())
                        .ok());
            auto* indicator = new LiveIndicator(*place.context);
            column->addWidget(indicator, 0, Qt::AlignLeft);
            QTRY_COMPARE(indicator->text(), s("Live: shared · Live: 1 here"));
        } else if (view == s("share") || view == s("narrow")) {
            if (view == s("narrow")) // the column of the assignment's page
                window.resize(400, 560);
            place.store(LivePlace::prediction("1.1", 8));
            place.store(LivePlace::run("1.1"));
            auto* panel = new SharePanel(*place.context);
            panel->setAssignment(place.live.assignment);
            // The key, and so the pseudonym, is another one each time.
            for (QLabel* label : panel->findChildren<QLabel*>())
                label->setText(label->text().replace(LiveShare::of(*place.context).pseudonym(), s("L-6AANDMSAHZ")));
            column->addWidget(panel);
        } else {
            place.store(LivePlace::run("1.1"));
            const char* const names[] = {"Ada Lovelace", "Barbara Liskov", "Chen Okafor", "Dana Ritchie"};
            for (int i = 0; i < 4; ++i)
                place.live.names[LivePlace::learner(i).learner] = names[i];
            auto* panel = new LivePanel(*place.context);
            panel->setClass(place.live);
            column->addWidget(panel);
            if (view != s("closed")) {
                panel->findChild<QPushButton*>(s("live-session"))->click();
                const LiveSession& session = LiveSession::of(*place.context);
                const double guesses[] = {8, 8, 16, 4, 8, 32};
                for (int i = 0; i < 6; ++i) {
                    senders.push_back(std::make_unique<live::LiveSender>());
                    senders.back()->setNotes({live::StepNote{"1.1", {true, i > 2, i > 4, i > 4, i > 4}, false, true},
                                              live::PredictionNote{"1.1", "guess", "sectors/request", guesses[i],
                                                                   guesses[i] / 2, guesses[i] * 2}});
                    QVERIFY(senders.back()
                                ->start({{"127.0.0.1", session.port()},
                                         live::readCode(session.code()).value(),
                                         place.live.assignment,
                                         LivePlace::learner(i)})
                                .ok());
                    QTRY_COMPARE(senders.back()->taken().size(), std::size_t{2});
                    // The list is in the order of arrival, to the millisecond.
                    const qint64 arrived = QDeadlineTimer::current().deadline();
                    QTRY_VERIFY(QDeadlineTimer::current().deadline() > arrived + 1);
                }
                QTRY_COMPARE(panel->findChild<PredictionPlot*>()->histogram().learners, 6);
                panel->setProjector(view == s("projector"));
                if (view == s("projector"))
                    panel->findChild<QPushButton*>(s("reveal"))->click();
                // Where the session is, is another place each time.
                panel->findChild<PlaceCard*>()->show({"192.168.1.20:50505", "10.8.0.3:50505"}, "K7QM-3XRP",
                                                     view == s("projector"));
                for (QLabel* label : panel->findChildren<QLabel*>())
                    if (label->text().startsWith(s("This computer is in no network")))
                        label->clear();
            }
        }
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        if (QWidget* focus = QApplication::focusWidget())
            focus->clearFocus();    // a focus ring is no part of the picture
        for (int i = 0; i < 5; ++i) // lists lay themselves out in several turns
            QCoreApplication::processEvents();
        if (view == s("projector")) { // most of what the room looks at is the plot, and nothing beside it is cut off
            const auto* plot = window.findChild<PredictionPlot*>();
            QVERIFY2(plot->width() > window.width() * 0.55 && plot->height() > window.height() * 0.6,
                     qPrintable(s("%1 × %2").arg(plot->width()).arg(plot->height())));
            const auto* counts = window.findChild<QTreeView*>();
            QCOMPARE(counts->horizontalScrollBar()->maximum(), 0);
        }
        const QString name = s("live-%1-%2%3").arg(view, theme, percent == 100 ? QString() : s("-200"));
        const QString what =
            percent == 100 ? golden::checkView(name, window) : golden::checkImage(name, window.grab().toImage());
        QVERIFY2(what.isEmpty(), qPrintable(what));
    }
};

QTEST_MAIN(TestLivePanels)
#include "tst_live_panels.moc"
