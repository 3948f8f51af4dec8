// SPDX-License-Identifier: GPL-3.0-or-later
// The check by edges replaces pictures of the dark theme and at 2×. It must find what those pictures would have found.
#include "variants.h"

#include <QPainter>
#include <QtTest>

using namespace ridge::golden;

namespace {

constexpr QRect kLabel(60, 60, 160, 20);

struct Look {
    QColor ground, text, label;
    int scale = 1;
    QPoint shift;
};

/// Lines of text, a frame and one label in a colour of its own.
QImage picture(const Look& look)
{
    QImage image(QSize(400, 240) * look.scale, QImage::Format_RGB32);
    image.fill(look.ground);
    QPainter painter(&image);
    painter.scale(look.scale, look.scale);
    QFont font(QStringLiteral("Inter"));
    font.setPixelSize(14);
    painter.setFont(font);
    painter.setPen(look.text);
    painter.drawRect(10, 10, 380, 220);
    for (int row = 0; row < 4; ++row)
        painter.drawText(20, 110 + 30 * row, QStringLiteral("A warp reads 32 words of 4 bytes"));
    painter.setPen(look.label);
    painter.drawText(kLabel.translated(look.shift), QStringLiteral("sectors a request"));
    return image;
}

const Look kLight{Qt::white, QColor(30, 30, 30), QColor(20, 60, 160), 1, {}};
const Look kDark{QColor(24, 26, 30), QColor(230, 230, 230), QColor(150, 180, 255), 1, {}};

} // namespace

class TestGoldenVariants : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void names();
    void aGoodDarkThemeAndAGoodScaleAreAccepted();
    void whatIsWrongIsFound_data();
    void whatIsWrongIsFound();
};

void TestGoldenVariants::names()
{
    QVERIFY(isVariant(QStringLiteral("home_dark")) && isVariant(QStringLiteral("home_light_2x")));
    QVERIFY(!isVariant(QStringLiteral("home_light")) && !isVariant(QStringLiteral("home_light_1x")));
    QVERIFY(!isVariant(QStringLiteral("home_dark_200"))); // text twice as large has a layout of its own
    QCOMPARE(keptPicture(QStringLiteral("review-dark_2x")), QStringLiteral("review-light"));
    QCOMPARE(keptPicture(QStringLiteral("grid_dark_1x")), QStringLiteral("grid_light_1x"));
}

void TestGoldenVariants::aGoodDarkThemeAndAGoodScaleAreAccepted()
{
    const QImage kept = picture(kLight);
    QVERIFY(fitOf(kept, kept, false).accepted());
    QVERIFY(fitOf(kept, picture(kDark), false).accepted());
    Look twice = kLight;
    twice.scale = 2;
    QVERIFY(fitOf(kept, picture(twice), true).accepted());
    twice = kDark;
    twice.scale = 2;
    QVERIFY(fitOf(kept, picture(twice), true).accepted());
}

void TestGoldenVariants::whatIsWrongIsFound_data()
{
    QTest::addColumn<QColor>("ground");
    QTest::addColumn<QColor>("text");
    QTest::addColumn<QColor>("label");
    QTest::addColumn<QPoint>("shift");
    QTest::addColumn<int>("scale");
    const QColor ground(24, 26, 30), text(230, 230, 230), label(150, 180, 255);
    QTest::newRow("a label of the light theme on the dark ground")
        << ground << text << QColor(20, 24, 34) << QPoint() << 1;
    QTest::newRow("no label") << ground << text << ground << QPoint() << 1;
    QTest::newRow("a label somewhere else") << ground << text << label << QPoint(0, -30) << 1;
    QTest::newRow("dark text on dark") << ground << QColor(30, 30, 30) << label << QPoint() << 1;
    QTest::newRow("another size") << ground << text << label << QPoint() << 3;
    QTest::newRow("no label at 2x") << ground << text << ground << QPoint() << 2;
}

void TestGoldenVariants::whatIsWrongIsFound()
{
    QFETCH(QColor, ground);
    QFETCH(QColor, text);
    QFETCH(QColor, label);
    QFETCH(QPoint, shift);
    QFETCH(int, scale);
    QVERIFY(!fitOf(picture(kLight), picture({ground, text, label, scale, shift}), scale != 1).accepted());
}

QTEST_MAIN(TestGoldenVariants)
#include "tst_golden_variants.moc"
