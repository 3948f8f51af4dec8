// SPDX-License-Identifier: GPL-3.0-or-later
// What follows from rows: results of predictions, what comes back when, how firmly a lesson is known.
#include "record_support.h"

#include "base/json.h"

using namespace ridge;
using namespace ridge::record;
using namespace ridge::test;

namespace {

std::string day(int number, const char* time = "12:00:00.000")
{
    return "2026-03-" + std::string(number < 10 ? "0" : "") + std::to_string(number) + "T" + time + "Z";
}

} // namespace

class TestStoreProgress : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init()
    {
        m_dir = std::make_unique<QTemporaryDir>();
        m_store = Store::open(pathOf(*m_dir) / "store").value();
    }

    void aPredictionsResultIsItsFirstRunAtItsPoint()
    {
        PredictionRow prediction = somePrediction();
        const std::string id = durable(m_store->append(prediction)).value();
        RunRow elsewhere = someRun(16, id); // another point of the same sweep
        R_VERIFY(durable(m_store->append(elsewhere)));
        QCOMPARE(m_store->predictionResults()->size(), std::size_t(0));
        RunRow spoilt = someRun(8, id);
        spoilt.validity = "throttled";
        R_VERIFY(durable(m_store->append(spoilt)));
        QCOMPARE(m_store->predictionResults()->size(), std::size_t(0));
        RunRow first = someRun(8, id);
        first.metrics["sectors_per_request"].value = 8;
        const std::string runId = durable(m_store->append(first)).value();
        RunRow later = someRun(8, id);
        later.metrics["sectors_per_request"].value = 9;
        R_VERIFY(durable(m_store->append(later)));
        const auto results = m_store->predictionResults();
        R_VERIFY(results);
        QCOMPARE(results->size(), std::size_t(1));
        QCOMPARE(results->front().runId, runId);
        QCOMPARE(results->front().value, 8.0);
    }

    void theMarksOfAllLessonsAreWhatEachOneHolds()
    {
        R_VERIFY(m_store->lessonMarks());
        QVERIFY(m_store->lessonMarks()->ran.empty());
        for (const char* lesson : {"1.1", "2.4", "2.4", "7.8", ""}) {
            RunRow run = someRun(8);
            run.lesson = lesson;
            R_VERIFY(durable(m_store->append(run)));
        }
        for (const char* lesson : {"2.4", "3.1"}) {
            PredictionRow prediction = somePrediction();
            prediction.lesson = lesson;
            R_VERIFY(durable(m_store->append(prediction)));
        }
        for (const char* lesson : {"3.1", "5.2"}) {
            ArtifactRow artifact;
            artifact.lesson = lesson;
            artifact.kind = "report";
            artifact.title = "Strides";
            artifact.charts = Json::array();
            const std::string id = durable(m_store->append(artifact)).value();
            if (artifact.lesson == "5.2") { // taken away again
                artifact.artifactId = id;
                artifact.removed = true;
                R_VERIFY(durable(m_store->append(artifact)));
            }
        }
        const auto marks = m_store->lessonMarks();
        R_VERIFY(marks);
        for (const char* lesson : {"1.1", "2.4", "3.1", "5.2", "7.8", "6.1"}) {
            QCOMPARE(marks->predicted.contains(lesson), !m_store->predictions(lesson)->empty());
            RunFilter of;
            of.lesson = lesson;
            QCOMPARE(marks->ran.contains(lesson), !m_store->runs(of)->empty());
            QCOMPARE(marks->shipped.contains(lesson), !m_store->artifacts(lesson)->empty());
        }
        QCOMPARE(marks->shipped, std::set<std::string>{"3.1"});
    }

    void missesComeBackAfterOneThreeAndTenDays()
    {
        const std::string missed = predicted(32, 16, 40, day(1)); // the run gives 8
        predicted(8, 6, 10, day(1));                              // held: never comes back
        QCOMPARE(due(day(2, "11:59:59.000")), 0);
        QCOMPARE(due(day(2)), 1);
        review(missed, false, day(2));
        QCOMPARE(due(day(4)), 0);
        QCOMPARE(due(day(5)), 1); // three days after the hit
        review(missed, true, day(5));
        QCOMPARE(due(day(6)), 1); // a miss begins again
        review(missed, false, day(6));
        review(missed, false, day(9));
        QCOMPARE(due(day(18)), 0);
        QCOMPARE(due(day(19)), 1); // ten days after the second hit
        review(missed, false, day(19));
        QCOMPARE(due("2027-01-01T00:00:00.000Z"), 0); // three in a row: done
    }

    void aReviewThatMissesIsNotAReviewOfItsOwn()
    {
        const std::string missed = predicted(32, 16, 40, day(1));
        review(missed, true, day(2));
        const auto all = m_store->dueReviews("2027-01-01T00:00:00.000Z");
        R_VERIFY(all);
        QCOMPARE(all->size(), std::size_t(1));
        QCOMPARE(all->front().predictionId, missed);
    }

    void levels_data()
    {
        QTest::addColumn<QStringList>("outcomes"); // context state factor day, of a lesson "right/of" first answers
        QTest::addColumn<int>("level");
        const QString met = QStringLiteral("lesson passed 3 1"), solid = QStringLiteral("lesson passed 1.5 1");
        QTest::newRow("only failed reviews") << QStringList{QStringLiteral("review failed 4 1")} << 0;
        QTest::newRow("passed, far off") << QStringList{met} << 1;
        QTest::newRow("passed without prediction") << QStringList{QStringLiteral("lesson passed - 1")} << 1;
        QTest::newRow("passed within two") << QStringList{solid} << 2;
        QTest::newRow("exactly two") << QStringList{QStringLiteral("lesson passed 2 1")} << 2;
        QTest::newRow("again too early") << QStringList{solid, QStringLiteral("review passed 1 3")} << 2;
        QTest::newRow("again after three days") << QStringList{solid, QStringLiteral("review passed 1 4")} << 3;
        QTest::newRow("a step at a time") << QStringList{met, QStringLiteral("review passed 1 4")} << 2;
        QTest::newRow("two steps") << QStringList{met, QStringLiteral("review passed 1 4"),
                                                  QStringLiteral("review passed 1 8")}
                                   << 3;
        QTest::newRow("a miss is a step down")
            << QStringList{solid, QStringLiteral("review passed 1 4"), QStringLiteral("review failed 5 9")} << 2;
        QTest::newRow("never below Met") << QStringList{met, QStringLiteral("review failed 5 4"),
                                                        QStringLiteral("review failed 5 9")}
                                         << 1;
        const QString good = QStringLiteral("lesson passed 1.5 1 "), far = QStringLiteral("lesson passed 3 1 ");
        QTest::newRow("all first answers right") << QStringList{good + QStringLiteral("6/6")} << 2;
        QTest::newRow("seven of ten") << QStringList{good + QStringLiteral("7/10")} << 2;
        QTest::newRow("fewer than seven of ten") << QStringList{good + QStringLiteral("6/9")} << 1;
        QTest::newRow("all first answers wrong") << QStringList{good + QStringLiteral("0/3")} << 1;
        QTest::newRow("no questions") << QStringList{good + QStringLiteral("0/0")} << 2;
        QTest::newRow("answers do not make up for predictions") << QStringList{far + QStringLiteral("9/9")} << 1;
        QTest::newRow("nor for none") << QStringList{QStringLiteral("lesson passed - 1 9/9")} << 1;
        QTest::newRow("a review steps up from there")
            << QStringList{good + QStringLiteral("0/3"), QStringLiteral("review passed 1 4")} << 2;
        QTest::newRow("passed again with better answers")
            << QStringList{good + QStringLiteral("0/3"), QStringLiteral("lesson passed 1.5 2 5/5")} << 2;
        QTest::newRow("no higher than Mastered")
            << QStringList{solid, QStringLiteral("review passed 1 5"), QStringLiteral("review passed 1 9")} << 3;
    }
    void levels()
    {
        QFETCH(QStringList, outcomes);
        QFETCH(int, level);
        for (const QString& text : outcomes) {
            const QStringList words = text.split(QLatin1Char(' '));
            OutcomeRow row;
            row.lesson = "1.2";
            row.context = words[0].toStdString();
            row.state = words[1].toStdString();
            if (words[2] != QLatin1String("-"))
                row.factor = words[2].toDouble();
            row.evidence = Json::object();
            if (words.size() > 4)
                (*row.evidence)["first_answers"] = Json{{"right", words[4].section(QLatin1Char('/'), 0, 0).toInt()},
                                                        {"of", words[4].section(QLatin1Char('/'), 1).toInt()}};
            row.createdAt = day(words[3].toInt());
            R_VERIFY(durable(m_store->append(row)));
        }
        const auto mastery = m_store->mastery();
        R_VERIFY(mastery);
        QCOMPARE(mastery->size(), std::size_t(level > 0 ? 1 : 0));
        if (level > 0) {
            QCOMPARE(static_cast<int>(mastery->front().level), level);
            QCOMPARE(mastery->front().passedAt, day(1));
        }
    }

private:
    /// A prediction and a run at its point that gives 8, both at `when`.
    std::string predicted(double point, double low, double high, const std::string& when)
    {
        PredictionRow prediction = somePrediction();
        prediction.point = point;
        prediction.low = low;
        prediction.high = high;
        prediction.createdAt = when;
        const std::string id = durable(m_store->append(prediction)).value();
        RunRow run = someRun(8, id);
        run.metrics["sectors_per_request"].value = 8;
        run.createdAt = when;
        m_run = durable(m_store->append(run)).value();
        return id;
    }

    void review(const std::string& of, bool missed, const std::string& when)
    {
        ReviewRow row;
        row.ofPredictionId = of;
        row.predictionId = missed ? predicted(32, 16, 40, when) : predicted(8, 6, 10, when);
        row.runId = m_run;
        row.missed = missed;
        row.createdAt = when;
        R_VERIFY(durable(m_store->append(row)));
    }

    int due(const std::string& until)
    {
        const auto rows = m_store->dueReviews(until);
        return rows ? static_cast<int>(rows->size()) : -1;
    }

    std::unique_ptr<QTemporaryDir> m_dir;
    std::unique_ptr<Store> m_store;
    std::string m_run;
};

QTEST_GUILESS_MAIN(TestStoreProgress)
#include "tst_store_progress.moc"
