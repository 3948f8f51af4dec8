// SPDX-License-Identifier: GPL-3.0-or-later
// Where to begin, in the real window with the real questions: asked, answered, left, gone on with, and what follows.
#include "app/lesson/placement/placement_block.h"
#include "app/lesson/placement/placement_page.h"
#include "app/ui/learner_choices.h"
#include "app/window/home/path_card.h"
#include "app/window/settler.h"
#include "base/json.h"
#include "tests/app/window/shell_fixture.h"
#include "tests/golden/golden.h"

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

QString texts(QWidget* widget)
{
    QString all;
    for (const QLabel* label : widget->findChildren<QLabel*>())
        all += label->text() + QLatin1Char('\n');
    return all;
}

/// Somebody who answers, in a window of their own.
struct Person {
    Workplace place;
    MainWindow* window = nullptr;
    PlacementPage* page = nullptr;

    explicit Person(Workplace::Lessons lessons = Workplace::Lessons::Shipped) : place(true, lessons)
    {
        noteLearnerAsked();
        open();
    }
    void open()
    {
        window = &place.makeWindow();
        if (!window->open(s("placement")).ok())
            qFatal("no page");
        page = qobject_cast<PlacementPage*>(window->page());
    }
    void startAgain()
    {
        place.restart();
        open();
    }
    QPushButton* button(const char* name) const
    {
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete); // what the last view had
        return page->findChild<QPushButton*>(s(name));
    }
    std::string asked() const { return page->question() ? page->question()->block().id : std::string(); }
    double truth() const { return *std::get<lessons::QuizBlock>(page->question()->block().body).number; }
    /// By keyboard: the number, then Enter.
    bool answer(double value)
    {
        auto* number = page->question()->findChild<QLineEdit*>(s("number"));
        QTest::keyClicks(number, QString::number(value, 'g', 15));
        QTest::keyClick(number, Qt::Key_Return);
        return QTest::qWaitFor([this] { return button("next") != nullptr; }, 20000);
    }
    bool answerAndGoOn(double value)
    {
        if (!answer(value))
            return false;
        button("next")->click();
        return true;
    }
    std::vector<record::AnswerRow> rows() const
    {
        place.context->store()->flush();
        return *place.context->store()->answers("placement");
    }
};

} // namespace

class TestPlacementPage : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aRightAnswerBringsTheHarderOneAndAWrongOneTheNextArea()
    {
        Person person;
        QVERIFY(texts(person.page).contains(s("7 to 14")));
        person.button("begin")->click();
        QCOMPARE(person.asked(), std::string("ridge"));
        QVERIFY(!texts(person.page).contains(s("Source"))); // nothing is given away
        QVERIFY(!person.page->can(Page::Command::Commit));
        QVERIFY(person.answer(person.truth()));
        QVERIFY2(texts(person.page).contains(s("Right: 295")), qPrintable(texts(person.page)));
        QVERIFY(texts(person.page).contains(s("Source: Machine Learning Engineering")));
        person.button("next")->click();
        QCOMPARE(person.asked(), std::string("registers"));
        // A mistake that has a name is told by it, and costs the second question of no other area.
        QVERIFY(person.answer(1024));
        QVERIFY2(texts(person.page).contains(s("and you said 1024")), qPrintable(texts(person.page)));
        QVERIFY2(texts(person.page).contains(s("One register more")), qPrintable(texts(person.page)));
        person.button("next")->click();
        QCOMPARE(person.asked(), std::string("sectors"));
        person.button("unknown")->click();
        QTRY_VERIFY(person.button("next"));
        QVERIFY2(texts(person.page).contains(s("It is 20 sectors.")), qPrintable(texts(person.page)));
        person.button("next")->click();
        QCOMPARE(person.asked(), std::string("on-die"));
        const auto rows = person.rows();
        QCOMPARE(rows.size(), std::size_t(3));
        for (const record::AnswerRow& row : rows) {
            QCOMPARE(row.correct, row.block == "ridge");
            QCOMPARE(row.answer->contains("number"), row.block != "sectors");
            QCOMPARE(row.answer->at("attempt"), rows.front().answer->at("attempt"));
        }
    }

    void whatCannotBeReadIsNoAnswer()
    {
        Person person;
        person.button("begin")->click();
        auto* number = person.page->question()->findChild<QLineEdit*>(s("number"));
        QTest::keyClicks(number, s("three apples"));
        QVERIFY(person.page->can(Page::Command::Commit));
        person.page->perform(Page::Command::Commit);
        QVERIFY(!person.page->findChild<QLabel*>(s("verdict"))->text().isEmpty());
        QVERIFY(person.rows().empty());
        number->clear();
        QVERIFY(person.answer(295));
        QCOMPARE(person.rows().size(), std::size_t(1));
    }

    void leftAtAnyTimeAndGoneOnWith()
    {
        Person person;
        person.button("begin")->click();
        QVERIFY(person.answerAndGoOn(1)); // wrong
        person.button("enough")->click();
        QVERIFY2(texts(person.page).contains(s("1 answered, 0 right")), qPrintable(texts(person.page)));
        QVERIFY(texts(person.page).contains(s("Begin with 1.1")));
        // Another start of the program asks what was not asked yet.
        person.startAgain();
        QCOMPARE(person.asked(), std::string("sectors"));
        QVERIFY(person.window->open(s("home")).ok());
        QVERIFY(person.window->open(s("placement")).ok());
        QCOMPARE(person.asked(), std::string("sectors"));
        QVERIFY(!person.window->open(s("placement/x")).ok());
    }

    void somebodyWhoKnowsAllGetsTheFastTrack()
    {
        Person person;
        person.button("begin")->click();
        for (int i = 0; i < 14; ++i) {
            QVERIFY2(person.page->question(), qPrintable(QString::number(i)));
            QVERIFY2(person.answerAndGoOn(person.truth()), qPrintable(texts(person.page)));
        }
        QVERIFY2(texts(person.page).contains(s("14 answered, 14 right")), qPrintable(texts(person.page)));
        QCOMPARE(texts(person.page).count(s("Both were right")), 7);
        auto* fast = person.button("fast:1.capstone");
        QVERIFY(fast);
        const auto& capstones = person.place.context->curriculum().capstones;
        QCOMPARE(person.page->advice().fastTrack.size(), capstones.size()); // every module has its questions
        QVERIFY(person.page->advice().begin.empty());
        // The path follows when it is asked to, never by itself.
        QCOMPARE(learnerChoices().background, Experience::Programmer);
        person.button("foundationsLast")->click();
        QCOMPARE(learnerChoices().background, Experience::Cuda);
        QTRY_VERIFY(!person.button("foundationsLast"));
        person.button("fast:1.capstone")->click();
        QCOMPARE(person.window->currentPage(), s("lesson/1.capstone"));
        // Asked again, the old answers stay in the record and the new ones count.
        QVERIFY(person.window->open(s("placement")).ok());
        person.button("again")->click();
        QCOMPARE(person.asked(), std::string("ridge"));
        QVERIFY(person.answerAndGoOn(1));
        QCOMPARE(person.rows().size(), std::size_t(15));
        person.startAgain();
        QCOMPARE(person.asked(), std::string("sectors"));
    }

    void reachedFromTheFirstScreenFromHomeAndByCommand()
    {
        Workplace place;
        MainWindow& window = place.makeWindow();
        QVERIFY(window.open(s("home")).ok());
        auto* unsure = window.page()->findChild<QPushButton*>(s("placement"));
        QVERIFY(unsure); // in the welcome
        unsure->click();
        QCOMPARE(window.currentPage(), s("placement"));
        QVERIFY(window.open(s("home")).ok());
        QTRY_VERIFY(window.page()->findChild<PathStrip*>()); // the welcome is gone
        window.page()->findChild<QPushButton*>(s("placement"))->click();
        QCOMPARE(window.currentPage(), s("placement"));
        QVERIFY(window.open(s("home")).ok());
        place.actions->find(s("go.placement"))->trigger();
        QCOMPARE(window.currentPage(), s("placement"));
    }

    void withoutQuestionsNothingLeadsToThem()
    {
        Person person(Workplace::Lessons::Small);
        QVERIFY(texts(person.page).contains(s("There are no questions")));
        QVERIFY(person.window->open(s("home")).ok());
        QVERIFY(!person.window->page()->findChild<QPushButton*>(s("placement")));
    }

    void pictures_data()
    {
        QTest::addColumn<QString>("view");
        QTest::addColumn<QString>("theme");
        QTest::addColumn<int>("textPercent");
        for (const char* view : {"question", "result"}) {
            for (const char* theme : {"light", "dark"})
                QTest::addRow("%s %s", view, theme) << s(view) << s(theme) << 100;
            QTest::addRow("%s 200", view) << s(view) << s("light") << 200;
        }
    }
    void pictures()
    {
        if (const QString why = golden::whyNotComparable(); !why.isEmpty())
            QSKIP(qPrintable(why));
        QFETCH(QString, view);
        QFETCH(QString, theme);
        QFETCH(int, textPercent);
        Person person;
        QVERIFY(person.place.theme.load(theme));
        person.place.theme.setTextScale(textPercent / 100.0);
        person.button("begin")->click();
        QVERIFY(person.answerAndGoOn(person.truth()));
        QVERIFY(person.answer(1024));
        if (view == QLatin1String("result")) {
            person.button("next")->click();
            person.button("enough")->click();
        }
        if (QWidget* focus = QApplication::focusWidget()) // its ring is no part of the picture
            focus->clearFocus();
        Settler settler(*person.window, false, 20000);
        QSignalSpy settled(&settler, &Settler::settled);
        settler.start();
        QVERIFY(settled.wait(60000));
        const QString name = s("placement-%1-%2").arg(view, theme);
        const QString what = textPercent == 100 ? golden::checkView(name, *person.page)
                                                : golden::checkImage(name + s("-200"), person.page->grab().toImage());
        person.place.theme.setTextScale(1);
        QVERIFY2(what.isEmpty(), qPrintable(what));
    }
};

QTEST_MAIN(TestPlacementPage)
#include "tst_placement_page.moc"
