// SPDX-License-Identifier: GPL-3.0-or-later
// Colours that can be read and told apart, in every theme that ships.
#include "app/theme/color_science.h"
#include "app/theme/theme.h"

#include <QtTest>

using namespace ridge::app;

class ThemeColors : public QObject {
    Q_OBJECT
    static void eachTheme()
    {
        QTest::addColumn<QString>("name");
        for (const QString& name : Theme::names())
            QTest::newRow(qPrintable(name)) << name;
    }
    static double worstPair(const Theme& theme, Vision vision)
    {
        double worst = 1000;
        for (int a = 0; a < 8; ++a)
            for (int b = a + 1; b < 8; ++b)
                worst = std::min(worst, colorDifference(simulateVision(theme.series(a), vision),
                                                        simulateVision(theme.series(b), vision)));
        return worst;
    }

private Q_SLOTS:
    void contrastOfKnownColors()
    {
        QCOMPARE(contrastRatio(Qt::black, Qt::white), 21.0);
        QCOMPARE(contrastRatio(Qt::white, Qt::white), 1.0);
        // A published pair: #767676 is the lightest grey that passes 4.5 on white.
        QVERIFY(contrastRatio(QColor(0x76, 0x76, 0x76), Qt::white) >= 4.5);
        QVERIFY(contrastRatio(QColor(0x77, 0x77, 0x77), Qt::white) < 4.5);
    }

    void differenceOfKnownColors()
    {
        QCOMPARE(colorDifference(Qt::red, Qt::red), 0.0);
        QVERIFY(qAbs(colorDifference(Qt::black, Qt::white) - 100.0) < 0.01);
        QVERIFY(qAbs(colorDifference(Qt::red, Qt::green) - colorDifference(Qt::green, Qt::red)) < 1e-9);
        // sRGB red against blue: 52.88 by independent calculators.
        QVERIFY2(qAbs(colorDifference(Qt::red, Qt::blue) - 52.88) < 0.05,
                 qPrintable(QString::number(colorDifference(Qt::red, Qt::blue))));
    }

    void textContrast_data() { eachTheme(); }
    void textContrast()
    {
        QFETCH(QString, name);
        Theme theme(nullptr, Theme::Scope::Detached);
        QVERIFY(theme.load(name).ok());
        const QList<std::pair<Role, QList<Role>>> pairs = {
            {Role::Window, {Role::Text, Role::Text2, Role::Text3, Role::Link, Role::Ok, Role::Warn, Role::Error}},
            {Role::Surface, {Role::Text, Role::Text2, Role::Text3, Role::Link, Role::Ok, Role::Warn, Role::Error}},
            {Role::Surface2, {Role::Text, Role::Text2, Role::Text3, Role::Link, Role::Ok, Role::Warn, Role::Error}},
            {Role::PlotBackground, {Role::Text, Role::Text2, Role::Text3}},
            {Role::Selection, {Role::Text, Role::Text2}},
            {Role::Accent, {Role::OnAccent}},
            {Role::CodeBackground,
             {Role::Text, Role::SyntaxKeyword, Role::SyntaxType, Role::SyntaxQualifier, Role::SyntaxString,
              Role::SyntaxNumber, Role::SyntaxPreprocessor, Role::SyntaxComment}},
            {Role::Heat1, {Role::Text}},
            {Role::Heat2, {Role::Text}},
            {Role::Heat3, {Role::Text}},
            {Role::Heat4, {Role::Text}},
            {Role::Heat5, {Role::Text}},
        };
        for (const auto& [ground, texts] : pairs)
            for (const Role text : texts) {
                const double ratio = contrastRatio(theme.color(text), theme.color(ground));
                QVERIFY2(
                    ratio >= 4.5,
                    qPrintable(QStringLiteral("%1 on %2: %3").arg(Theme::key(text), Theme::key(ground)).arg(ratio)));
            }
    }

    void graphicsContrast_data() { eachTheme(); }
    void graphicsContrast()
    {
        QFETCH(QString, name);
        Theme theme(nullptr, Theme::Scope::Detached);
        QVERIFY(theme.load(name).ok());
        for (const Role ground : {Role::PlotBackground, Role::Surface}) {
            for (int i = 0; i < 8; ++i) {
                const double ratio = contrastRatio(theme.series(i), theme.color(ground));
                QVERIFY2(
                    ratio >= 3,
                    qPrintable(QStringLiteral("series %1 on %2: %3").arg(i + 1).arg(Theme::key(ground)).arg(ratio)));
            }
            QVERIFY(contrastRatio(theme.color(Role::BorderStrong), theme.color(ground)) >= 3);
            QVERIFY(contrastRatio(theme.color(Role::Link), theme.color(ground)) >= 3); // focus ring
        }
    }

    void seriesAreToldApart_data() { eachTheme(); }
    void seriesAreToldApart()
    {
        QFETCH(QString, name);
        Theme theme(nullptr, Theme::Scope::Detached);
        QVERIFY(theme.load(name).ok());
        for (const Vision vision : {Vision::Normal, Vision::Protan, Vision::Deutan, Vision::Tritan}) {
            const double worst = worstPair(theme, vision);
            QVERIFY2(worst >= 14, qPrintable(QStringLiteral("vision %1: %2").arg(static_cast<int>(vision)).arg(worst)));
        }
    }

    // The figures that came with the palette, found by another program: an oracle for both formula and file.
    void seriesAreThePublishedOnes()
    {
        Theme theme(nullptr, Theme::Scope::Detached);
        const QHash<QString, QList<double>> published = {{QStringLiteral("light"), {20.8, 15.4, 15.6, 15.1}},
                                                         {QStringLiteral("dark"), {21.1, 15.5, 14.6, 14.1}}};
        for (auto entry = published.begin(); entry != published.end(); ++entry) {
            QVERIFY(theme.load(entry.key()).ok());
            for (int vision = 0; vision < 4; ++vision)
                QVERIFY2(qAbs(worstPair(theme, static_cast<Vision>(vision)) - entry.value()[vision]) < 0.15,
                         qPrintable(QStringLiteral("%1, %2: %3")
                                        .arg(entry.key())
                                        .arg(vision)
                                        .arg(worstPair(theme, static_cast<Vision>(vision)))));
        }
    }

    void colorsLiveInThemesOnly()
    {
        const QString source = QString::fromLocal8Bit(qgetenv("RIDGE_SOURCE"));
        static const QRegularExpression literal(
            QStringLiteral("#[0-9A-Fa-f]{6}(?:[0-9A-Fa-f]{2})?\\b|QColor\\(\\s*\\d|qRgba?\\(|Qt::(?:dark)?(?:red|green|"
                           "blue|cyan|magenta|yellow|gray|white|black)\\b"));
        QStringList found;
        int files = 0;
        for (const char* part : {"app", "modules", "labs"}) {
            QDirIterator each(source + QLatin1Char('/') + QLatin1String(part),
                              {QStringLiteral("*.cpp"), QStringLiteral("*.h"), QStringLiteral("*.qss"),
                               QStringLiteral("*.glsl"), QStringLiteral("*.svg")},
                              QDir::Files, QDirIterator::Subdirectories);
            while (each.hasNext()) {
                QFile file(each.next());
                QVERIFY(file.open(QIODevice::ReadOnly));
                ++files;
                const auto match = literal.match(QString::fromUtf8(file.readAll()));
                // Formulas are rendered in black when a lesson is written; this is the ink that a role replaces.
                if (match.captured() == QLatin1String("#000000") && file.fileName().contains(QLatin1String("/formula")))
                    continue;
                if (match.hasMatch())
                    found << file.fileName() + QStringLiteral(": ") + match.captured();
            }
        }
        QVERIFY(files > 20);
        QVERIFY2(found.isEmpty(), qPrintable(found.join(QLatin1Char('\n'))));
        QVERIFY(literal.match(QStringLiteral("color: \"#A0b1C2\"")).hasMatch());
        QVERIFY(!literal.match(QStringLiteral("#include <x>, issue #1234")).hasMatch());
    }
};

QTEST_GUILESS_MAIN(ThemeColors)
#include "tst_theme_colors.moc"
