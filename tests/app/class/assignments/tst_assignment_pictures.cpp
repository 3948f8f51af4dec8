// SPDX-License-Identifier: GPL-3.0-or-later
// The preview and the page of an assignment as they are drawn, in both themes and at 200 %.
#include "visit.h"

#include "tests/golden/golden.h"

#include <QPainter>

using namespace ridge;
using namespace ridge::app;

class TestAssignmentPictures : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void lookAsDrawn_data();
    void lookAsDrawn();
};

void TestAssignmentPictures::lookAsDrawn_data()
{
    QTest::addColumn<QString>("theme");
    QTest::addColumn<double>("scale");
    for (const char* theme : {"light", "dark"})
        for (const double scale : {1.0, 2.0})
            QTest::addRow("%s %.0f", theme, scale) << s(theme) << scale;
}

void TestAssignmentPictures::lookAsDrawn()
{
    if (const QString why = golden::whyNotComparable(); !why.isEmpty())
        QSKIP(qPrintable(why));
    QFETCH(QString, theme);
    QFETCH(double, scale);
    Visit visit;
    QVERIFY(visit.place.theme.load(theme).ok());
    visit.place.theme.setTextScale(scale);
    visit.place.theme.setReducedMotion(true);
    // A learner whose pseudonym is the same in every picture.
    QDir(visit.place.home()).mkpath(s("keys"));
    const std::string bytes =
        visit.teacher.edition({{"passed", FeedbackWhen::Deadline}, {"explained", FeedbackWhen::Never}});
    workOn(visit.place, "1.1");
    const QString path = visit.file(bytes);
    const auto shoot = [&](const char* name, const QString& part) {
        AssignmentPage page(*visit.place.context);
        const QSize size = scale > 1 ? QSize(1200, 1800) : QSize(1180, 800);
        page.resize(size);
        QVERIFY(page.open(part).ok());
        page.show();
        QTRY_VERIFY_WITH_TIMEOUT(page.ready(), 20000);
        for (QLabel* label : page.findChildren<QLabel*>())
            if (label->text().contains(s("L-")))
                label->setText(label->text().replace(QRegularExpression(s("L-[A-Z2-7]{10}")), s("L-ABCDEFGHIJ")));
        // The scroll area hears of a longer list only after the layouts inside it have.
        QWidget* inside = page.findChild<ColumnScroll*>()->widget();
        QTRY_VERIFY(inside->height() >= inside->heightForWidth(inside->width()));
        QCoreApplication::processEvents();
        const QString full = QStringLiteral("%1_%2").arg(s(name), theme);
        const QString wrong =
            scale > 1 ? golden::checkImage(full + s("_200"), page.grab().toImage()) : golden::checkView(full, page);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
    };
    shoot("assignment_preview", previewPlace(path).section(QLatin1Char('/'), 1));
    visit.teacher.give(visit.place, {{"passed", FeedbackWhen::Deadline}, {"explained", FeedbackWhen::Never}});
    shoot("assignment_page", QString::fromStdString(kAssignmentId));
}

QTEST_MAIN(TestAssignmentPictures)
#include "tst_assignment_pictures.moc"
