// SPDX-License-Identifier: GPL-3.0-or-later
// Every view of the dashboard as a picture: both themes, twice the text, and on a projector.
#include "app/charts/plot_chart.h"
#include "app/dashboard/class_dashboard.h"
#include "app/dashboard/predictions_view.h"
#include "app/dashboard/steps_matrix.h"
#include "tests/app/dashboard/class_reports.h"
#include "tests/golden/golden.h"

#include <QPushButton>
#include <QTabWidget>

using namespace ridge;
using namespace ridge::app;

class TestDashboardPictures : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void pictures_data()
    {
        QTest::addColumn<QString>("view");
        QTest::addColumn<QString>("theme");
        QTest::addColumn<int>("textPercent");
        QTest::addColumn<bool>("projector");
        for (const char* view :
             {"learners", "stuck", "predictions", "revealed", "misconceptions", "machines", "distribution"}) {
            const QString name = QString::fromLatin1(view);
            QTest::addRow("%s light", view) << name << QStringLiteral("light") << 100 << false;
            QTest::addRow("%s dark", view) << name << QStringLiteral("dark") << 100 << false;
            QTest::addRow("%s 200", view) << name << QStringLiteral("light") << 200 << false;
            if (name != QLatin1String("learners"))
                QTest::addRow("%s projector", view) << name << QStringLiteral("light") << 100 << true;
        }
        QTest::newRow("hands light") << QStringLiteral("hands") << QStringLiteral("light") << 100 << false;
        QTest::newRow("many light") << QStringLiteral("many") << QStringLiteral("light") << 100 << false;
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
        dashboard->setReport(view == QLatin1String("many") ? classes::report(300, 24) : classes::report(24));
        dashboard->setProjector(projector);
        auto* tabs = dashboard->findChild<QTabWidget*>();
        const bool questions = view == QLatin1String("revealed") || view == QLatin1String("hands");
        const QString tab = questions                       ? QStringLiteral("predictions")
                            : view == QLatin1String("many") ? QStringLiteral("learners")
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
        const QString what = golden::checkImage(name, window.grab().toImage());
        QVERIFY2(what.isEmpty(), qPrintable(what));
    }
};

QTEST_MAIN(TestDashboardPictures)
#include "tst_dashboard_pictures.moc"
