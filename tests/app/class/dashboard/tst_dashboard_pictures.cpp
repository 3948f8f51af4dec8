// SPDX-License-Identifier: GPL-3.0-or-later
// Every view of the dashboard as a picture: both themes, twice the text, and on a projector.
#include "app/class/dashboard/chart_views.h"
#include "app/class/dashboard/class_dashboard.h"
#include "app/class/dashboard/predictions_view.h"
#include "app/class/dashboard/statement_list.h"
#include "app/class/dashboard/steps_matrix.h"
#include "app/drawing/charts/plot_chart.h"
#include "base/json.h"
#include "tests/app/class/dashboard/class_reports.h"
#include "tests/golden/golden.h"

#include <QPushButton>
#include <QTabWidget>

using namespace ridge;
using namespace ridge::app;

namespace {

/// A class that has answered exit questions; own words are not for a projector.
classroom::ClassReport withExplanations()
{
    classroom::ClassReport report = classes::report(24);
    report.explanations = {classes::explanations(report)};
    return report;
}

/// A class with tasks alone: three kernels are alike, two of them to the letter, and one is the solution.
classroom::ClassReport withAlikeKernels()
{
    using How = classroom::AlikeKernels::How;
    classroom::ClassReport report = classes::report(24);
    report.spread.clear();
    report.hardware.clear();
    report.outliers.clear();
    report.alike = {{"kernel-matmul", "Matrix product", How::SameWords, {}, 216},
                    {"kernel-matmul", "Matrix product", How::SameText, {}, 216},
                    {"kernel-saxpy", "saxpy", How::SameSolution, {}, 39}};
    for (std::size_t group = 0; group < report.alike.size(); ++group)
        for (std::size_t i = 0; i < 3 - group; ++i)
            report.alike[group].who.push_back(report.learners[i].who);
    return report;
}

} // namespace

class TestDashboardPictures : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// Who it is about stands there, on a projector only how many; both say what likeness is worth.
    void alikeKernelsAreAMatterToTalkAbout()
    {
        Classroom room;
        ClassDashboard dashboard(*room.context);
        const classroom::ClassReport report = withAlikeKernels();
        dashboard.setReport(report);
        const QString name = QString::fromStdString(report.learners[0].who.name);
        for (const bool projector : {false, true}) {
            dashboard.setProjector(projector); // which makes the views anew
            const StatementModel* list = dashboard.findChild<MachinesView*>()->outliers()->statements();
            QCOMPARE(list->rowCount(), 3);
            for (int row = 0; row < 3; ++row) {
                const Statement& statement = list->statement(row);
                QCOMPARE(statement.text.contains(name), !projector);
                QVERIFY(statement.detail.contains(QStringLiteral("no grade depends on it"), Qt::CaseInsensitive) ||
                        statement.detail.contains(QStringLiteral("No grade depends on this")));
                QCOMPARE(statement.lesson.toStdString(), report.alike[std::size_t(row)].lesson);
            }
            QVERIFY(list->statement(2).detail.contains(QStringLiteral("39 words")));
            QCOMPARE(list->statement(0).text.contains(QStringLiteral("3 learners")), projector);
        }
    }

    void pictures_data()
    {
        QTest::addColumn<QString>("view");
        QTest::addColumn<QString>("theme");
        QTest::addColumn<int>("textPercent");
        QTest::addColumn<bool>("projector");
        for (const char* view : {"learners", "stuck", "predictions", "revealed", "misconceptions", "explanations",
                                 "machines", "distribution"}) {
            const QString name = QString::fromLatin1(view);
            QTest::addRow("%s light", view) << name << QStringLiteral("light") << 100 << false;
            QTest::addRow("%s dark", view) << name << QStringLiteral("dark") << 100 << false;
            QTest::addRow("%s 200", view) << name << QStringLiteral("light") << 200 << false;
            for (const char* theme : {"light", "dark"})
                if (name != QLatin1String("learners") && name != QLatin1String("explanations"))
                    QTest::addRow("%s projector %s", view, theme) << name << QString::fromLatin1(theme) << 100 << true;
        }
        for (const char* theme : {"light", "dark"}) {
            for (const char* view : {"alike", "hands", "many"})
                QTest::addRow("%s %s", view, theme)
                    << QString::fromLatin1(view) << QString::fromLatin1(theme) << 100 << false;
            QTest::addRow("alike projector %s", theme)
                << QStringLiteral("alike") << QString::fromLatin1(theme) << 100 << true;
        }
    }
    void pictures()
    {
        if (const QString why = golden::whyNotComparable(); !why.isEmpty())
            QSKIP(qPrintable(why));
        QFETCH(QString, view);
        QFETCH(QString, theme);
        QFETCH(int, textPercent);
        QFETCH(bool, projector);
        Classroom room;
        QVERIFY(room.theme.load(theme).ok());
        room.theme.setTextScale(textPercent / 100.0);
        QWidget window; // charts and lists stand on the window's ground
        window.resize(1180, 720);
        auto* column = new QVBoxLayout(&window);
        column->setContentsMargins(space::l, space::l, space::l, space::l);
        auto* dashboard = new ClassDashboard(*room.context);
        column->addWidget(dashboard);
        dashboard->setReport(view == QLatin1String("many")           ? classes::report(300, 24)
                             : view == QLatin1String("alike")        ? withAlikeKernels()
                             : view == QLatin1String("explanations") ? withExplanations()
                                                                     : classes::report(24));
        dashboard->setProjector(projector);
        auto* tabs = dashboard->findChild<QTabWidget*>();
        const bool questions = view == QLatin1String("revealed") || view == QLatin1String("hands");
        const QString tab = questions                        ? QStringLiteral("predictions")
                            : view == QLatin1String("many")  ? QStringLiteral("learners")
                            : view == QLatin1String("alike") ? QStringLiteral("machines")
                                                             : view;
        tabs->setCurrentWidget(tabs->findChild<QWidget*>(tab));
        auto* predictions = dashboard->findChild<PredictionsView*>();
        if (view == QLatin1String("revealed"))
            predictions->reveal()->click();
        if (view == QLatin1String("hands"))
            predictions->setHands(true);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        if (auto* matrix = dashboard->findChild<StepsMatrix*>(); matrix && tab == QLatin1String("learners"))
            matrix->table()->setCurrentIndex(matrix->model()->index(3, 2));
        tabs->setFocus(); // a focus ring is no part of the picture
        QCoreApplication::processEvents();
        const QString name = QStringLiteral("class-%1-%2%3%4")
                                 .arg(view, theme, textPercent == 100 ? QString() : QStringLiteral("-200"),
                                      projector ? QStringLiteral("-projector") : QString());
        const QString what =
            textPercent == 100 ? golden::checkView(name, window) : golden::checkImage(name, window.grab().toImage());
        QVERIFY2(what.isEmpty(), qPrintable(what));
        const auto charts = dashboard->findChildren<PlotChart*>();
        const auto chart = std::ranges::find_if(charts, &PlotChart::isVisible);
        if (chart == charts.end() || theme != QLatin1String("light") || textPercent != 100 || projector)
            return;
        const QString other = golden::checkStructure(QStringLiteral("class_") + view, (*chart)->describe());
        QVERIFY2(other.isEmpty(), qPrintable(other));
    }
};

QTEST_MAIN(TestDashboardPictures)
#include "tst_dashboard_pictures.moc"
