// SPDX-License-Identifier: GPL-3.0-or-later
// The dashboard of a class: what it shows, what it hides, and that nobody's name breaks it.
#include "app/class/dashboard/chart_views.h"
#include "app/class/dashboard/class_dashboard.h"
#include "app/class/dashboard/class_texts.h"
#include "app/class/dashboard/explanations_view.h"
#include "app/class/dashboard/prediction_plot.h"
#include "app/class/dashboard/predictions_view.h"
#include "app/class/dashboard/statement_list.h"
#include "app/class/dashboard/steps_matrix.h"
#include "app/drawing/charts/chart_canvas.h"
#include "app/drawing/charts/plot_chart.h"
#include "base/json.h"
#include "classroom/sample.h"
#include "tests/app/class/dashboard/class_reports.h"

#include <QAccessible>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTabWidget>

using namespace ridge;
using namespace ridge::app;

namespace {

QString s(const char* text)
{
    return QString::fromUtf8(text);
}

QString tableText(const QAbstractItemModel* table)
{
    QString all;
    for (int row = 0; row < table->rowCount(); ++row)
        for (int column = 0; column < table->columnCount(); ++column)
            all += table->index(row, column).data().toString() + QLatin1Char('\n');
    return all;
}

/// Everything that a widget and what stands in it say: labels, buttons, names, descriptions, models.
QString everyWord(QWidget* widget)
{
    QString all;
    for (QWidget* one : widget->findChildren<QWidget*>() + QList<QWidget*>{widget}) {
        all += one->accessibleName() + QLatin1Char('\n') + one->accessibleDescription() + QLatin1Char('\n') +
               one->toolTip() + QLatin1Char('\n');
        if (const auto* label = qobject_cast<QLabel*>(one))
            all += label->text() + QLatin1Char('\n');
        if (const auto* button = qobject_cast<QAbstractButton*>(one))
            all += button->text() + QLatin1Char('\n');
        if (const auto* view = qobject_cast<QAbstractItemView*>(one); view && view->model())
            for (int row = 0; row < view->model()->rowCount(); ++row)
                for (int column = 0; column < view->model()->columnCount(); ++column)
                    for (const int role : {Qt::DisplayRole, Qt::AccessibleTextRole, Qt::ToolTipRole})
                        all += view->model()->index(row, column).data(role).toString() + QLatin1Char('\n');
        if (auto* chart = qobject_cast<PlotChart*>(one))
            all += chart->summary() + tableText(chart->table()) + QString::fromStdString(chart->describe().dump());
    }
    return all;
}

template<class View>
View* viewOf(const ClassDashboard& dashboard)
{
    return dashboard.findChild<View*>();
}

} // namespace

class TestDashboard : public QObject {
    Q_OBJECT
    std::unique_ptr<Classroom> m_room;

private Q_SLOTS:
    void init() { m_room = std::make_unique<Classroom>(); }

    void beforeRevealNothingGivesTheResult()
    {
        PredictionPlot plot(m_room->theme);
        auto histogram = classes::histogram("1.2", "predict-1", "How many?", {0, 1, 2, 5, 3, 1});
        histogram.result = 777.25; // far beyond the slider: an axis that reached there would tell
        histogram.resultLow = 770.5;
        histogram.resultHigh = 790.75;
        histogram.provenance = "MEASURED";
        plot.resize(700, 400);
        plot.setHistogram(histogram);
        const auto told = [&] {
            return everyWord(&plot) + QString::fromStdString(tableJson(plot.chart()->plot()->table()).dump());
        };
        const QImage hidden = plot.grab().toImage();
        for (const char* secret : {"777", "770", "790", "MEASURED", "found"})
            QVERIFY2(!told().contains(s(secret)), secret);
        const double end = plot.chart()->canvas()->frame().x.max;
        QVERIFY2(end < 65, qPrintable(QString::number(end)));
        // The picture is the same whatever the result is.
        auto other = histogram;
        other.result = 3;
        plot.setHistogram(other);
        QCOMPARE(plot.grab().toImage(), hidden);
        other.result.reset();
        plot.setHistogram(other);
        QCOMPARE(plot.grab().toImage(), hidden);

        plot.setHistogram(histogram);
        plot.setRevealed(true);
        for (const char* open : {"777", "770", "790", "MEASURED"})
            QVERIFY2(told().contains(s(open)), open);
        QVERIFY(plot.summary().contains(s("outside the slider")));
        QVERIFY(plot.chart()->canvas()->frame().x.max >= 777.25);
        QVERIFY(plot.grab().toImage() != hidden);
        plot.setRevealed(false);
        QVERIFY(!told().contains(s("777")));
        QCOMPARE(plot.grab().toImage(), hidden);
    }

    void anotherQuestionHidesAndNewCountsDoNot()
    {
        PredictionPlot plot(m_room->theme);
        auto histogram = classes::histogram("1.2", "predict-1", "How many?", {1, 2});
        histogram.result = 4;
        plot.setHistogram(histogram);
        plot.setRevealed(true);
        histogram.bins[0].count = 5;
        plot.setHistogram(histogram);
        QVERIFY(plot.revealed());
        histogram.block = "predict-2";
        plot.setHistogram(histogram);
        QVERIFY(!plot.revealed());
    }

    void aQuestionThatNobodyRanCannotBeRevealed()
    {
        PredictionsView view(m_room->theme);
        view.setHistograms(
            {classes::histogram("1.2", "a", "One?", {1, 0}), classes::histogram("1.2", "b", "Two?", {0, 3})});
        QVERIFY(!view.reveal()->isEnabled());
        QCOMPARE(view.reveal()->text(), s("No result yet"));
        view.setHistograms({});
        QCOMPARE(view.question(), -1);
        QVERIFY(everyWord(&view).contains(s("Nobody has predicted this yet")));
    }

    void revealStaysWithItsQuestionOverANewReport()
    {
        ClassDashboard dashboard(*m_room->context);
        dashboard.setReport(classes::report(12));
        auto* view = viewOf<PredictionsView>(dashboard);
        view->setQuestion(1);
        view->reveal()->click();
        QVERIFY(view->plot()->revealed());
        dashboard.setReport(classes::report(14));
        QCOMPARE(view->question(), 1);
        QVERIFY(view->plot()->revealed());
        view->setQuestion(2);
        QVERIFY(!view->plot()->revealed());
        QVERIFY(!view->reveal()->isChecked());
        // A projector shows the same question, and its result only when it is asked for again.
        dashboard.setProjector(true);
        view = viewOf<PredictionsView>(dashboard);
        QCOMPARE(view->question(), 2);
        QVERIFY(!view->plot()->revealed());
    }

    void handsFeedThePlot()
    {
        PredictionsView view(m_room->theme);
        auto histogram = classes::histogram("1.2", "a", "One?", {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
        auto other = histogram;
        other.block = "b";
        histogram.result = 6;
        view.setHistograms({histogram, other});
        view.setHands(true);
        const auto fields = view.handsPanel()->fields();
        QCOMPARE(fields.size(), qsizetype(6)); // ranges two by two
        for (const QSpinBox* field : fields)
            QVERIFY(!field->accessibleName().isEmpty());
        fields[0]->setValue(4);
        fields[2]->setValue(9);
        QCOMPARE(view.plot()->histogram().learners, 13);
        QVERIFY(view.plot()->summary().contains(s("13 learners")));
        QVERIFY(view.plot()->chart()->plot()->text().title.contains(s("show of hands")));
        QVERIFY(!view.plot()->revealed());
        view.setQuestion(1);
        QCOMPARE(view.plot()->histogram().learners, 0);
        view.setQuestion(0);
        QCOMPARE(view.handsPanel()->fields()[2]->value(), 9);
        view.reveal()->click();
        QVERIFY2(view.plot()->summary().contains(s("9 of 13 predicted")), qPrintable(view.plot()->summary()));
        view.setHands(false);
        QCOMPARE(view.plot()->histogram().learners, 0);
    }

    void aProjectorShowsNobody()
    {
        ClassDashboard dashboard(*m_room->context);
        classroom::ClassReport report = classes::report(20);
        dashboard.setReport(report);
        QVERIFY(everyWord(&dashboard).contains(s("Ada Lovelace")));
        const int before =
            dashboard.font().pixelSize() > 0 ? dashboard.font().pixelSize() : dashboard.font().pointSize();
        dashboard.setProjector(true);
        const QString words = everyWord(&dashboard);
        for (const classroom::LearnerLine& line : report.learners) {
            QVERIFY2(!words.contains(QString::fromStdString(line.who.name)), line.who.name.c_str());
            QVERIFY2(!words.contains(QString::fromStdString(line.who.learner)), line.who.learner.c_str());
        }
        for (const classroom::Person& person : report.missing)
            QVERIFY2(!words.contains(QString::fromStdString(person.name)), person.name.c_str());
        QVERIFY(!viewOf<StepsMatrix>(dashboard));
        QVERIFY(words.contains(s("128-byte lines")));
        const int after =
            dashboard.font().pixelSize() > 0 ? dashboard.font().pixelSize() : dashboard.font().pointSize();
        QVERIFY2(after > before, qPrintable(QStringLiteral("%1 and %2").arg(before).arg(after)));
        // Three misconceptions stand there; the others are a button away.
        auto* view = dashboard.findChild<QTabWidget*>()->findChild<QWidget*>(s("misconceptions"));
        QVERIFY(view);
        auto* list = view->findChild<StatementList*>();
        QCOMPARE(list->statements()->rowCount(), 3);
        view->findChild<QPushButton*>()->click();
        QCOMPARE(list->statements()->rowCount(), 4);
        dashboard.setProjector(false);
        QVERIFY(viewOf<StepsMatrix>(dashboard));
    }

    /// What learners wrote and how they rate it: to the teacher, with names; on a projector to nobody.
    void explanationsAreTheTeachersToRead()
    {
        ClassDashboard dashboard(*m_room->context);
        classroom::ClassReport report = classes::report(20);
        dashboard.setReport(report);
        const auto shown = [&] { // a tab that nobody has written for is away
            auto* tabs = dashboard.findChild<QTabWidget*>();
            return tabs->isTabVisible(tabs->indexOf(viewOf<ExplanationsView>(dashboard)));
        };
        QVERIFY(!shown());
        report.explanations = {classes::explanations(report)};
        report.explanations.front().lines.front().text = "<b>bold</b> Ada says it is the sectors.";
        report.explanations.push_back(
            {"2.1", "explain-2", "Why twice?", "Because.", {{{"L-1", "Zed"}, "It is so.", "no"}}});
        dashboard.setReport(report);
        QVERIFY(shown());
        auto* view = viewOf<ExplanationsView>(dashboard);
        QCOMPARE(view->picker()->count(), 2);
        QVERIFY2(view->picker()->itemText(0).contains(s("Why does a stride of 2 double")),
                 qPrintable(view->picker()->itemText(0)));
        const auto& lines = report.explanations.front().lines;
        QCOMPARE(view->list()->statements()->rowCount(), int(lines.size()));
        for (std::size_t i = 0; i < lines.size(); ++i) {
            const Statement& one = view->list()->statements()->statement(int(i));
            QVERIFY2(one.text.contains(QString::fromStdString(lines[i].text)), qPrintable(one.text));
            QVERIFY2(one.detail.contains(QString::fromStdString(lines[i].who.name)), qPrintable(one.detail));
        }
        QCOMPARE(view->overview(),
                 s("7 wrote. They rate theirs against the model answer: 2 yes, 2 partly, 2 no, 1 not yet."));
        view->picker()->setCurrentIndex(1);
        Q_EMIT view->picker()->activated(1);
        QCOMPARE(view->list()->statements()->rowCount(), 1);
        QVERIFY(view->list()->statements()->statement(0).detail.contains(s("does not say what the model answer says")));
        dashboard.setReport(report); // the question stays
        QCOMPARE(view->picker()->currentIndex(), 1);
        dashboard.setProjector(true);
        QVERIFY(!viewOf<ExplanationsView>(dashboard));
        QVERIFY(!everyWord(&dashboard).contains(s("whole sectors of 32 bytes")));
        dashboard.setProjector(false);
        dashboard.setReport({});
        QCOMPARE(viewOf<ExplanationsView>(dashboard)->list()->statements()->rowCount(), 0);
    }

    void theMatrixTellsAndFilters()
    {
        StepsMatrix matrix(m_room->theme);
        const classroom::ClassReport report = classes::report(30);
        matrix.setReport(report, {s("1.1 One"), s("1.2 Two"), s("2.1 Three")});
        StepsModel* model = matrix.model();
        QCOMPARE(model->rowCount(), 32); // and two who handed in nothing
        QCOMPARE(model->lesson(2), s("1.2"));
        // Names in order, whoever has which points.
        for (int row = 1; row < model->rowCount(); ++row)
            QVERIFY(model->index(row - 1, 0)
                        .data()
                        .toString()
                        .compare(model->index(row, 0).data().toString(), Qt::CaseInsensitive) <= 0);
        int ran = 0;
        for (const auto& line : report.learners)
            ran += line.steps.contains("1.1") && line.steps.at("1.1").ran;
        QCOMPARE(model->count(1, 1), ran);
        QVERIFY(model->headerData(1, Qt::Horizontal, Qt::AccessibleTextRole)
                    .toString()
                    .contains(QStringLiteral("ran %1").arg(ran)));
        // Nobody asks for a prediction or an explanation of a kernel task: there is nothing to be ticked.
        classroom::ClassReport kernels = report;
        kernels.lessons.push_back("kernel-saxpy");
        for (auto& line : kernels.learners)
            line.steps["kernel-saxpy"] = {true, true, false, true, true};
        matrix.setReport(kernels, {s("1.1 One"), s("1.2 Two"), s("2.1 Three"), s("saxpy")});
        QCOMPARE(model->headerData(4, Qt::Horizontal).toString(), s("saxpy"));
        QCOMPARE(model->index(0, 4).data(StepsModel::AbsentRole).toInt(), 0b10001);
        QCOMPARE(model->index(0, 1).data(StepsModel::AbsentRole).toInt(), 0);
        const QString told = model->index(0, 4).data(Qt::AccessibleTextRole).toString();
        QVERIFY2(told.contains(s("saxpy: ran, shipped; open: ")) && !told.contains(s("predicted")), qPrintable(told));
        matrix.setReport(report, {s("1.1 One"), s("1.2 Two"), s("2.1 Three")});
        auto* words = matrix.findChild<QLineEdit*>();
        words->setText(s("zora"));
        QCOMPARE(model->rowCount(), 1);
        QVERIFY(model->index(0, 1).data(Qt::AccessibleTextRole).toString().contains(s("has handed in nothing")));
        words->clear();
        auto* show = matrix.findChild<QComboBox*>();
        show->setCurrentIndex(show->findText(s("Late")));
        QVERIFY(model->rowCount() > 0 && model->rowCount() < 10);
        QVERIFY(model->index(0, model->handedInColumn()).data().toString().contains(s("late")));
        show->setCurrentIndex(0);
        words->setText(s("nobody at all"));
        QCOMPARE(model->rowCount(), 0);
        QVERIFY(matrix.detail().contains(s("No learner fits")));
    }

    void theMatrixGoesByKeyboardAlone()
    {
        StepsMatrix matrix(m_room->theme);
        matrix.setReport(classes::report(40, 30), {});
        matrix.resize(900, 500);
        matrix.show();
        QVERIFY(QTest::qWaitForWindowExposed(&matrix));
        FrozenTable* table = matrix.table();
        table->setFocus();
        table->setCurrentIndex(matrix.model()->index(0, 0));
        for (int i = 0; i < 20; ++i)
            QTest::keyClick(table, Qt::Key_Right);
        QCOMPARE(table->currentIndex().column(), 20);
        QVERIFY(table->horizontalScrollBar()->value() > 0);
        // Going back, no cell hides behind the names.
        for (int i = 0; i < 15; ++i) {
            QTest::keyClick(table, Qt::Key_Left);
            const QRect cell = table->visualRect(table->currentIndex());
            QVERIFY2(cell.left() >= table->frozenWidth(), qPrintable(QString::number(i)));
        }
        QVERIFY2(matrix.detail().contains(s("3.2")), qPrintable(matrix.detail()));
        QSignalSpy asked(&matrix, &StepsMatrix::lessonRequested);
        QTest::keyClick(table, Qt::Key_Return);
        QCOMPARE(asked.size(), 1);
        QCOMPARE(asked[0][0].toString(), s("3.2"));
        QTest::keyClick(table, Qt::Key_PageDown);
        QVERIFY(table->verticalScrollBar()->value() > 0);
        QCOMPARE(table->names()->verticalScrollBar()->value(), table->verticalScrollBar()->value());
        QCOMPARE(table->names()->rowViewportPosition(5), table->rowViewportPosition(5));
    }

    void stuckLeadsToTheLearners()
    {
        ClassDashboard dashboard(*m_room->context);
        dashboard.setReport(classes::report(30));
        auto* tabs = dashboard.findChild<QTabWidget*>();
        auto* page = tabs->findChild<QWidget*>(s("stuck"));
        auto* stuck = page->findChild<StatementList*>();
        QVERIFY(stuck->statements()->rowCount() > 1);
        QVERIFY(stuck->statements()->statement(0).learners >= stuck->statements()->statement(1).learners);
        tabs->setCurrentWidget(page);
        Q_EMIT stuck->activated(stuck->statements()->index(0));
        auto* matrix = viewOf<StepsMatrix>(dashboard);
        QCOMPARE(tabs->currentWidget(), static_cast<QWidget*>(matrix));
        QCOMPARE(matrix->model()->rowCount(), stuck->statements()->statement(0).learners);
        for (QPushButton* button : matrix->findChildren<QPushButton*>())
            if (button->text().contains(s("show everyone")))
                button->click();
        QCOMPARE(matrix->model()->rowCount(), 32);
    }

    void lessonsAreAskedFor()
    {
        ClassDashboard dashboard(*m_room->context);
        dashboard.setReport(classes::report(30));
        QSignalSpy asked(&dashboard, &ClassDashboard::lessonRequested);
        auto* machines = viewOf<MachinesView>(dashboard);
        QCOMPARE(machines->outliers()->statements()->rowCount(), 1);
        Q_EMIT machines->outliers()->activated(machines->outliers()->statements()->index(0));
        QCOMPARE(asked.size(), 1);
        QCOMPARE(asked[0][0].toString(), s("1.2"));
    }

    void oddClasses_data()
    {
        QTest::addColumn<int>("learners");
        for (const int learners : {0, 1, 2, 4, 5})
            QTest::addRow("%d", learners) << learners;
    }
    void oddClasses()
    {
        QFETCH(int, learners);
        ClassDashboard dashboard(*m_room->context);
        dashboard.resize(900, 600);
        dashboard.setReport(classes::report(learners));
        for (const bool projector : {false, true}) {
            dashboard.setProjector(projector);
            auto* tabs = dashboard.findChild<QTabWidget*>();
            for (int tab = 0; tab < tabs->count(); ++tab) {
                tabs->setCurrentIndex(tab);
                QVERIFY(!dashboard.grab().isNull());
            }
            const QString words = everyWord(&dashboard);
            static const QRegularExpression noNumber(s("\\b(nan|inf)\\b"));
            const auto found = noNumber.match(words);
            QVERIFY2(!found.hasMatch(), qPrintable(words.mid(found.capturedStart() - 40, 90)));
            // With so few, a distribution would say who is who.
            auto* work = viewOf<WorkView>(dashboard);
            const bool shown = !work->distribution(WorkAxis::Points)->plot()->empty();
            QCOMPARE(shown, learners >= kLeastAnonymous);
            QCOMPARE(!work->front()->plot()->empty(), learners >= kLeastAnonymous);
            if (learners == 0)
                QVERIFY(words.contains(s("Nobody")));
        }
    }

    void noRunsNoPredictionsNoLessons()
    {
        classroom::ClassReport report = classes::report(8);
        report.histograms.clear();
        report.spread.clear();
        report.hardware.clear();
        report.outliers.clear();
        report.misconceptions.clear();
        report.stuck.clear();
        report.lessons.clear();
        for (auto& line : report.learners) {
            line.steps.clear();
            line.points.clear();
            line.hardware.clear();
        }
        for (auto& one : report.work)
            one = {0, {}, {}};
        ClassDashboard dashboard(*m_room->context);
        dashboard.resize(900, 600);
        dashboard.setReport(report);
        auto* tabs = dashboard.findChild<QTabWidget*>();
        for (int tab = 0; tab < tabs->count(); ++tab) {
            tabs->setCurrentIndex(tab);
            QVERIFY(!dashboard.grab().isNull());
        }
        const QString words = everyWord(&dashboard);
        for (const char* said : {"Nobody has predicted this yet", "as soon as somebody hands in a run",
                                 "No answer or prediction shows", "so that nobody can be told"})
            QVERIFY2(words.contains(s(said)), said);
    }

    void namesAreWordsWhateverIsInThem()
    {
        const QString html = s("<b>Bold</b> & <img src=x onerror=y>");
        const QString hebrew = s("עדה לאבלייס");
        const QString longest = QString(600, QLatin1Char('w'));
        classroom::ClassReport report = classes::report(6);
        report.learners[0].who.name = html.toStdString();
        report.learners[1].who.name = hebrew.toStdString();
        report.learners[2].who.name = longest.toStdString();
        report.learners[3].who.name = "Two\nlines\tand a tab";
        report.learners[4].who = {"L-ABC", ""};
        report.hardware[0].name = html.toStdString();
        report.outliers[0].who = report.learners[0].who;
        report.stuck.assign(1, {report.learners[0].who, "1.1", "passed", "<i>check</i>", "<script>alert(1)</script>"});
        ClassDashboard dashboard(*m_room->context);
        dashboard.resize(1000, 600);
        dashboard.setReport(report);
        dashboard.show();
        QVERIFY(QTest::qWaitForWindowExposed(&dashboard));
        auto* matrix = viewOf<StepsMatrix>(dashboard);
        StepsModel* model = matrix->model();
        QStringList names;
        for (int row = 0; row < model->rowCount(); ++row) {
            names << model->index(row, 0).data().toString();
            // What Qt would read as HTML is escaped before it gets there.
            QVERIFY(!model->index(row, 0).data(Qt::ToolTipRole).toString().contains(s("<img")));
        }
        for (const QString& name : {html, hebrew, longest, s("Two lines and a tab"), s("L-ABC")})
            QVERIFY2(names.contains(name), qPrintable(name.left(40)));
        // Names take a third of the table at most, and every label with words from outside is plain.
        QVERIFY(matrix->table()->frozenWidth() < matrix->table()->width() / 2);
        for (int row = 0; row < model->rowCount(); ++row) {
            matrix->table()->setCurrentIndex(model->index(row, 1));
            for (const QLabel* label : dashboard.findChildren<QLabel*>())
                if (label->text().contains(s("<")))
                    QCOMPARE(label->textFormat(), Qt::PlainText);
        }
        // A name that runs the other way does not turn the sentence around it.
        const int row = static_cast<int>(names.indexOf(hebrew));
        QVERIFY(model->index(row, 1).data(Qt::AccessibleTextRole).toString().startsWith(isolated(hebrew)));
    }

    /// The class that ships with the program, as its teacher finds it.
    void theSampleClass()
    {
        QTemporaryDir scratch;
        const auto data = dataFolder();
        QVERIFY(data.ok());
        AppContext context(m_room->theme, m_room->actions, nullptr, *data);
        auto open =
            classroom::openSample(*data / "assets/samples/class", scratch.path().toStdString(), context.curriculum());
        QVERIFY2(open.ok(), open ? "" : toText(open.error()).c_str());
        const auto report = classroom::report(*open, context.curriculum());
        QVERIFY(report.ok());
        ClassDashboard dashboard(context);
        dashboard.resize(1180, 720);
        dashboard.setReport(*report);
        for (PlotChart* chart : dashboard.findChildren<PlotChart*>())
            QVERIFY2(!chart->plot()->empty(), qPrintable(chart->summary()));
        for (StatementList* list : dashboard.findChildren<StatementList*>())
            for (int row = 0; row < list->statements()->rowCount(); ++row) {
                const Statement& one = list->statements()->statement(row);
                QVERIFY2(!one.text.contains(QLatin1Char('`')) && !one.text.contains(s("{{")), qPrintable(one.text));
                QVERIFY(one.learners <= one.of);
            }
    }

    void outliersAreAMatterToTalkAbout()
    {
        const classroom::Outlier outlier{{"L-1", "Ada"}, "1.2",  "b",  "kernel_time",    "s",
                                         51e-6,          6.4e-6, 7.97, "t4 (simulated)", "SIMULATED"};
        const QString text = outlierText(outlier) + outlierQuestion(outlier, true);
        for (const char* word : {"wrong", "error", "fault", "worst", "cheat"})
            QVERIFY2(!text.contains(s(word), Qt::CaseInsensitive), word);
        for (const char* word : {"51 µs", "6.4 µs", "8.0×", "Ada", "t4 (simulated)", "SIMULATED", "?"})
            QVERIFY2(text.contains(s(word)), qPrintable(text));
        QVERIFY(!outlierQuestion(outlier, false).contains(s("Ada")));
    }

    void everyChartHasItsTableAndWords()
    {
        ClassDashboard dashboard(*m_room->context);
        dashboard.setReport(classes::report(30));
        const auto charts = dashboard.findChildren<PlotChart*>();
        QCOMPARE(charts.size(), qsizetype(6)); // predictions, machines, three axes, the front
        for (PlotChart* chart : charts) {
            QVERIFY(!chart->summary().isEmpty());
            QVERIFY2(chart->table()->rowCount() > 0, qPrintable(chart->summary()));
            QVERIFY(!chart->accessibleName().isEmpty());
            QVERIFY(chart->accessibleDescription() == chart->summary());
        }
        for (const QAbstractItemView* view : dashboard.findChildren<QAbstractItemView*>())
            if (!view->inherits("QHeaderView") && !view->parentWidget()->inherits("QComboBoxPrivateContainer"))
                QVERIFY2(!view->accessibleName().isEmpty(), view->parentWidget()->metaObject()->className());
    }
};

QTEST_MAIN(TestDashboard)
#include "tst_dashboard.moc"
