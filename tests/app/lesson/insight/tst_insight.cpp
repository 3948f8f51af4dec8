// SPDX-License-Identifier: GPL-3.0-or-later
// A review in the real window with the real worker, and the page of all predictions.
#include "app/lesson/insight/insight_card.h"
#include "app/lesson/insight/insight_page.h"
#include "app/lesson/insight/review_page.h"
#include "app/lesson/reader/blocks/answer_blocks.h"
#include "app/ui/learner_choices.h"
#include "app/window/settler.h"
#include "base/json.h"
#include "record/clock.h"
#include "tests/app/window/shell_fixture.h"
#include "tests/golden/golden.h"

#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QRadioButton>
#include <QTableWidget>

using namespace ridge;
using namespace ridge::app;

namespace {

QString s(const char* text)
{
    return QString::fromUtf8(text);
}

/// Long ago 32 was predicted for a block of 2.4 and 8 came.
void surprise(Workplace& place, const std::string& runAt = "2026-01-02T03:04:05.000Z")
{
    record::PredictionRow prediction;
    prediction.id = "019b7a2c-0000-7000-8000-000000000002"; // the review's other point is drawn from it
    prediction.lesson = "2.4";
    prediction.block = "guess-sectors";
    prediction.experiment = "coalescing";
    prediction.metric = "sectors_per_request";
    prediction.unit = "sectors/request";
    prediction.params = {{"stride", std::int64_t{2}}};
    prediction.point = 32;
    prediction.low = 20;
    prediction.high = 40;
    prediction.createdAt = "2026-01-01T03:04:05.000Z";
    record::RunRow row = Workplace::run(2, "s", "2.4");
    row.block = "guess-sectors";
    row.predictionId = place.store(prediction);
    row.createdAt = runAt;
    place.store(row);
}

QString texts(QWidget* widget)
{
    QString all;
    for (const QLabel* label : widget->findChildren<QLabel*>())
        all += label->text() + QLatin1Char('\n');
    return all;
}

} // namespace

class TestInsight : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aReviewAsksAtAnotherPointAndIsNoted()
    {
        Workplace place;
        surprise(place);
        QVERIFY(place.loadCatalogue());
        MainWindow& window = place.makeWindow();
        QVERIFY(window.open(s("review")).ok());
        auto* page = window.findChild<ReviewPage*>();
        QVERIFY(page);
        QCOMPARE(page->questions(), 1);
        auto* change = page->findChild<QLabel*>(s("change"));
        QVERIFY(change);
        QVERIFY2(change->text().contains(s("in place of 2")), qPrintable(change->text()));
        QVERIFY(page->can(Page::Command::Commit));
        page->perform(Page::Command::Commit); // by keyboard: Ctrl+Enter
        QTRY_VERIFY_WITH_TIMEOUT(page->nextButton() != nullptr, 60000);
        QCOMPARE(page->answered(), 1);
        place.context->store()->flush();
        const auto reviews = place.context->store()->reviews();
        QVERIFY(reviews.ok());
        QCOMPARE(reviews->size(), std::size_t(1));
        // One lesson alone is no mixed set: no step up.
        QCOMPARE(place.context->store()->outcomes()->size(), std::size_t(0));
        // The lesson's own block goes on showing what was predicted there.
        QCOMPARE(place.context->store()->runs({.lesson = "2.4", .block = "guess-sectors"})->size(), std::size_t(1));
        page->nextButton()->click();
        QVERIFY2(texts(page).contains(s("within a factor of two")), qPrintable(texts(page)));
        QVERIFY(window.open(s("home")).ok());
        QVERIFY(window.open(s("review")).ok());
        QTRY_VERIFY(texts(page).contains(s("Nothing is due")));
    }

    void theNextReviewIsAnnounced()
    {
        QCOMPARE(reviewsText(0, {}), s("Nothing is due to be predicted again."));
        QCOMPARE(reviewsText(0, NextReviews{0, 2}), s("2 reviews due later today."));
        QCOMPARE(reviewsText(0, NextReviews{3, 1}), s("1 review due in 3 days."));
        QCOMPARE(reviewsText(2, {}), s("2 predictions are due to be made again."));
        Workplace place;
        noteLearnerAsked();
        QVERIFY(place.loadCatalogue());
        surprise(place, record::timeStamp().toStdString());
        MainWindow& window = place.makeWindow();
        QVERIFY(window.open(s("home")).ok());
        QStringList said;
        for (const QLabel* label : window.findChild<InsightCard*>()->findChildren<QLabel*>())
            said << label->text();
        QVERIFY2(said.contains(s("1 review due tomorrow.")), qPrintable(said.join(u'\n')));
        QVERIFY(!window.findChild<QPushButton*>(s("review")));
    }

    void withoutSurprisesThePageSaysWhatWillStandThere()
    {
        Workplace place;
        MainWindow& window = place.makeWindow();
        QVERIFY(window.open(s("review")).ok());
        QVERIFY(texts(window.findChild<ReviewPage*>()).contains(s("1, 3 and 10 days")));
        QVERIFY(window.open(s("insight")).ok());
        QVERIFY(texts(window.findChild<InsightPage*>()).contains(s("Commit a prediction")));
        QVERIFY(!window.open(s("insight/x")).ok());
        QVERIFY(!window.open(s("review/x")).ok());
        // Nothing was met, so nothing is mixed.
        const auto* set = window.findChild<ReviewPage*>()->findChild<QPushButton*>(s("set-bottleneck"));
        QVERIFY(set && !set->isEnabled());
        QVERIFY(window.open(s("review/bottleneck")).ok());
        QVERIFY(window.findChild<ReviewPage*>()->mixed().empty());
        QTRY_VERIFY(texts(window.findChild<ReviewPage*>()).contains(s("You have begun none of the lessons")));
    }

    void aMixedSetAsksQuestionsOfSeveralModules()
    {
        Workplace place;
        for (const char* lesson : {"1.1", "1.5", "1.6", "3.1", "5.4"}) {
            record::AnswerRow begun;
            begun.lesson = lesson;
            begun.block = "explain";
            begun.answer = Json{{"text", "read"}};
            place.store(begun);
        }
        QVERIFY(place.loadCatalogue());
        MainWindow& window = place.makeWindow();
        QVERIFY(window.open(s("review")).ok());
        auto* page = window.findChild<ReviewPage*>();
        auto* offered = page->findChild<QPushButton*>(s("set-bottleneck"));
        QVERIFY(offered && offered->isEnabled());
        offered->click();
        QTRY_COMPARE(page->part(), s("bottleneck"));
        const std::vector<lessons::MixedQuestion> asked = page->mixed();
        QVERIFY(asked.size() >= 3);
        std::set<char> modules;
        for (const lessons::MixedQuestion& one : asked)
            modules.insert(one.asks[0]);
        QVERIFY(modules.size() >= 2);
        for (std::size_t i = 0; i < asked.size(); ++i) {
            QTRY_VERIFY(page->quiz() != nullptr);
            QVERIFY(!page->nextButton());
            if (auto* number = page->quiz()->findChild<QLineEdit*>())
                number->setText(s("0.0001")); // right nowhere
            else
                page->quiz()->findChild<ChoiceRow*>()->button()->click();
            QVERIFY(page->can(Page::Command::Commit));
            page->perform(Page::Command::Commit);
            QTRY_VERIFY(page->nextButton() != nullptr);
            page->nextButton()->click();
        }
        QVERIFY2(texts(page).contains(s("of %1 right at first").arg(asked.size())), qPrintable(texts(page)));
        // They are kept beside the lessons' own questions.
        const auto kept = place.context->store()->answers(asked.front().lesson);
        QVERIFY(std::ranges::any_of(
            *kept, [&](const record::AnswerRow& row) { return lessons::askedIn(row.block) == asked.front().block; }));
        QVERIFY(window.open(s("review")).ok()); // back to what is due
        QTRY_VERIFY(texts(page).contains(s("Nothing is due")));
        QVERIFY(page->part().isEmpty());
    }

    void predictionsStandInTablesAndFiles()
    {
        Workplace place;
        surprise(place);
        MainWindow& window = place.makeWindow();
        QVERIFY(window.open(s("insight")).ok());
        auto* page = window.findChild<InsightPage*>();
        QVERIFY2(texts(page).contains(s("factor of 4")), qPrintable(texts(page)));
        const auto tables = page->findChildren<QTableWidget*>();
        QCOMPARE(tables.size(), 3);
        for (const QTableWidget* table : tables) {
            QVERIFY(!table->accessibleName().isEmpty());
            QVERIFY(table->rowCount() > 0);
        }
        QCOMPARE(tables[0]->item(0, 1)->text(), s("1"));
        QVERIFY(page->can(Page::Command::Export));
        const QString file = place.home() + s("/progress.json");
        QVERIFY(page->exportTo(file).ok());
        const auto bytes = readFile(file.toStdString());
        QVERIFY(bytes.ok());
        QCOMPARE(parseJson(*bytes, "progress")->at("calibration").at("predictions").get<int>(), 1);
        QVERIFY(!page->exportTo(s("/proc/nowhere/progress.csv")).ok());
    }

    void pictures_data()
    {
        QTest::addColumn<QString>("page");
        QTest::addColumn<QString>("theme");
        QTest::addColumn<int>("textPercent");
        for (const char* page : {"review", "insight"})
            for (const char* theme : {"light", "dark"})
                QTest::addRow("%s %s", page, theme) << s(page) << s(theme) << 100;
        QTest::newRow("insight 200") << s("insight") << s("light") << 200;
    }
    void pictures()
    {
        if (const QString why = golden::whyNotComparable(); !why.isEmpty())
            QSKIP(qPrintable(why));
        QFETCH(QString, page);
        QFETCH(QString, theme);
        QFETCH(int, textPercent);
        // The list of lessons is that of a small curriculum, so that a new lesson changes no picture.
        Workplace place(true,
                        page == QLatin1String("insight") ? Workplace::Lessons::Small : Workplace::Lessons::Shipped);
        surprise(place);
        QVERIFY(place.loadCatalogue());
        MainWindow& window = place.makeWindow();
        QVERIFY(place.theme.load(theme));
        place.theme.setTextScale(textPercent / 100.0);
        QVERIFY(window.open(page).ok());
        auto* shown = page == QLatin1String("review") ? static_cast<QWidget*>(window.findChild<ReviewPage*>())
                                                      : window.findChild<InsightPage*>();
        QVERIFY(shown);
        shown->setFocus(); // a focus ring is no part of the picture
        Settler settler(window, false, 20000);
        QSignalSpy settled(&settler, &Settler::settled);
        settler.start();
        QVERIFY(settled.wait(60000));
        const QString name = s("%1-%2").arg(page, theme);
        const QString what = textPercent == 100 ? golden::checkView(name, *shown)
                                                : golden::checkImage(name + s("-200"), shown->grab().toImage());
        QVERIFY2(what.isEmpty(), qPrintable(what));
    }
};

QTEST_MAIN(TestInsight)
#include "tst_insight.moc"
