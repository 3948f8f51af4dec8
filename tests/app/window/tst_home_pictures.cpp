// SPDX-License-Identifier: GPL-3.0-or-later
// Home, its cards, a module's page and the list of what was found, as pictures. They draw a small curriculum of their
// own.
#include "shell_fixture.h"

#include "app/lesson/insight/insight_card.h"
#include "app/ui/learner_choices.h"
#include "app/window/home/home_page.h"
#include "app/window/home/path_card.h"
#include "app/window/home/welcome.h"
#include "app/window/learn/module_page.h"
#include "app/window/learn/path_step.h"
#include "app/window/learn/term_list.h"
#include "app/window/search_model.h"
#include "evidence/prediction_outcomes.h"
#include "tests/golden/golden.h"

#include <QListView>
#include <QPushButton>

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
        place.context->setLastEnd(
            LastEnd{s("2026-11-22T05:00:00Z"), s("lesson/1.6"), s("SIGSEGV"),
                    s("/home/ada/.local/share/ridgepoint/reports/ridgepoint-20261122-051203-127.txt")});
        HomePage after(*place.context);
        wrong = check(s("home_after_a_crash"), after, {1000, 320});
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

    void modulePage_data() { pictures_data(); }
    void modulePage()
    {
        if (const QString why = golden::whyNotComparable(); !why.isEmpty())
            QSKIP(qPrintable(why));
        QFETCH(QString, theme);
        QFETCH(double, scale);
        Workplace place(true, Workplace::Lessons::Small);
        QVERIFY(place.theme.load(theme).ok());
        place.store(Workplace::run(2, "s1", "1.1"));
        ModulePage page(*place.context, 1);
        const QString wrong = golden::checkImage(QStringLiteral("module_page_%1_%2x").arg(theme).arg(scale),
                                                 pictureOf(page, place.theme, {900, 1060}, scale));
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
    }

    /// What a listener hears of the small curriculum's module page, and in which order: true without a rasteriser too.
    void moduleSaysWhatItShows()
    {
        Workplace place(true, Workplace::Lessons::Small);
        place.store(Workplace::run(2, "s1", "1.1"));
        ModulePage page(*place.context, 1);
        Json rows = Json::array();
        for (const PathStepRow* row : page.rows())
            rows.push_back(Json{{"name", row->accessibleName().toStdString()},
                                {"state", row->accessibleDescription().toStdString()},
                                {"enabled", row->isEnabled()}});
        Json terms = Json::array();
        for (int i = 0; i < page.terms()->model()->rowCount(); ++i)
            terms.push_back(page.terms()->model()->index(i, 0).data().toString().toStdString());
        const Json all{{"continue", page.continueButton()->accessibleName().toStdString()},
                       {"rows", std::move(rows)},
                       {"terms", std::move(terms)}};
        const QString wrong = golden::checkStructure(s("module_page"), all);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
    }
};

QTEST_MAIN(TestHomePictures)
#include "tst_home_pictures.moc"
