// SPDX-License-Identifier: GPL-3.0-or-later
// Home, its cards and the list of what was found, as pictures. They draw a small curriculum of their own.
#include "shell_fixture.h"

#include "app/evidence/prediction_outcomes.h"
#include "app/home/home_page.h"
#include "app/home/insight_card.h"
#include "app/home/learner_choices.h"
#include "app/home/path_card.h"
#include "app/home/welcome.h"
#include "app/shell/search_model.h"
#include "tests/golden/golden.h"

#include <QListView>

using namespace ridge;
using namespace ridge::app;

namespace {

QString s(const char* text)
{
    return QString::fromUtf8(text);
}

PredictionOutcome outcome(int day, double point, double low, double high, double result)
{
    PredictionOutcome one;
    one.predictionId = "p" + std::to_string(day);
    one.lesson = "2.4";
    one.block = "predict-stride-2";
    one.at = QDateTime(QDate(2026, 1, day), QTime(12, 0), Qt::UTC);
    one.score = lessons::scorePrediction(point, low, high, result);
    return one;
}

QImage pictureOf(QWidget& widget, Theme& theme, QSize size, double scale)
{
    QWidget sheet;
    sheet.setFixedSize(size);
    QPalette palette = sheet.palette();
    palette.setColor(QPalette::Window, theme.color(Role::Window));
    sheet.setPalette(palette);
    sheet.setAutoFillBackground(true);
    sheet.setFocusPolicy(Qt::StrongFocus);
    widget.setParent(&sheet);
    widget.setGeometry(QRect({}, size).adjusted(8, 8, -8, -8));
    sheet.show();
    (void)QTest::qWaitForWindowExposed(&sheet);
    sheet.setFocus(); // a focus ring is no part of the picture
    QImage image(size * scale, QImage::Format_ARGB32_Premultiplied);
    image.setDevicePixelRatio(scale);
    sheet.render(&image);
    widget.setParent(nullptr);
    return image;
}

} // namespace

class TestHomePictures : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void pictures_data()
    {
        QTest::addColumn<QString>("theme");
        QTest::addColumn<double>("scale");
        for (const char* theme : {"light", "dark"})
            for (const double scale : {1.0, 2.0})
                QTest::addRow("%s %.0fx", theme, scale) << s(theme) << scale;
    }
    void pictures()
    {
        if (const QString why = golden::whyNotComparable(); !why.isEmpty())
            QSKIP(qPrintable(why));
        QFETCH(QString, theme);
        QFETCH(double, scale);
        Workplace place(true, Workplace::Lessons::Small);
        QVERIFY2(place.context->curriculumProblems().empty(), "the small curriculum has problems");
        QVERIFY(place.theme.load(theme).ok());
        const QString end = QStringLiteral("_%1_%2x").arg(theme).arg(scale);
        const auto check = [&](const QString& name, QWidget& widget, QSize size) {
            return golden::checkImage(name + end, pictureOf(widget, place.theme, size, scale));
        };
        WelcomeCard welcome(*place.context);
        QString wrong = check(s("welcome"), welcome, {900, 460});
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
        PathCard path(*place.context);
        wrong = check(s("path_card"), path, {900, 220});
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
        noteLearnerAsked();
        place.store(Workplace::run(2, "s1", "1.1"));
        HomePage home(*place.context);
        wrong = check(s("home"), home, {1000, 620});
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
        std::vector<PredictionOutcome> outcomes;
        for (int day = 1; day <= 9; ++day)
            outcomes.push_back(outcome(day, 8.0 * (day % 4 + 1), 5.0 * (day % 4 + 1), 12.0 * (day % 4 + 1), 8));
        InsightCard insight(*place.context, outcomes, ReviewSession{{ReviewTask{"p2", "2.4", "guess-sectors"}}, false});
        wrong = check(s("insight_card"), insight, {460, 220});
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
        SearchModel model;
        SearchAnswer answer;
        const SearchQuery query = parseQuery(s("bank conf"));
        for (int i = 0; i < app::kSearchKinds - 1; ++i) {
            SearchHit hit;
            hit.kind = SearchKind(i);
            const QString title = s("Coalescing and bank conflicts");
            const QString body = s("Lanes that meet in one bank wait for each other: a bank conflict costs a pass for "
                                   "each further word, and the degree is the largest number of words in one bank.");
            hit.title = {title, findMatches(title, query)};
            hit.text = makeSnippet(body, query, 160);
            hit.place = hit.kind == SearchKind::Lesson ? s("2.4  Mental model") : s("2.4");
            answer.hits.push_back(hit);
        }
        answer.hits[std::size_t(SearchKind::Artifact)].place = s("2020-01-02T03:04:05.000Z 2.4");
        model.setAnswer(answer);
        QListView list;
        list.setModel(&model);
        list.setItemDelegate(new SearchDelegate(place.theme, &list));
        list.setCurrentIndex(model.index(0));
        wrong = check(s("search_list"), list, {700, 260});
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
    }
};

QTEST_MAIN(TestHomePictures)
#include "tst_home_pictures.moc"
