// SPDX-License-Identifier: GPL-3.0-or-later
// Figures of lessons: colours of the theme, aspect, words for a screen reader, and what stands there without a drawing.
#include "reader_support.h"

#include "app/lesson/reader/error_card.h"
#include "app/lesson/reader/figure_view.h"
#include "app/lesson/reader/prose_view.h"
#include "base/json.h"
#include "tests/golden/golden.h"

#include <QAccessible>
#include <QToolButton>

using namespace ridge;
using namespace ridge::app;
using test::Bench;

namespace {

const QString kDescription = QStringLiteral(
    "A rounded frame holds four equal boxes side by side, the sub-partitions, each with its name in the middle. Below "
    "them a wide box with a border of another colour runs under all four. It is the L1 cache and shared memory.");

/// An SM as lessons draw it: four sub-partitions over shared memory.
QByteArray drawing()
{
    QByteArray svg = R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 240">
<rect x="10" y="10" width="700" height="220" rx="12" fill="{surface2}" stroke="{borderStrong}" stroke-width="2"/>
<text x="30" y="42" font-family="Inter" font-size="18" font-weight="600" fill="{text}">SM</text>
)";
    for (int i = 0; i < 4; ++i)
        svg += QStringLiteral("<rect x=\"%1\" y=\"60\" width=\"150\" height=\"90\" rx=\"6\" fill=\"{surface}\" "
                              "stroke=\"{series1}\" stroke-width=\"2\"/><text x=\"%2\" y=\"110\" font-family=\"Inter\" "
                              "font-size=\"15\" fill=\"{text2}\">sub-partition</text>")
                   .arg(30 + i * 170)
                   .arg(52 + i * 170)
                   .toUtf8();
    return svg +
           R"(<rect x="30" y="170" width="660" height="40" rx="6" fill="{surface}" stroke="{series2}" stroke-width="2"/>
<text x="46" y="196" font-family="JetBrains Mono" font-size="15" fill="{text}">L1 and shared memory</text></svg>)";
}

/// The fixture's lesson with one more block at the end of its second section, and the drawing it names where `svg` is
/// not empty.
void addFigure(Bench& bench, const QByteArray& svg)
{
    const auto text = readFile(bench.lessonFile());
    QVERIFY(text.ok());
    QString lesson = QString::fromStdString(*text);
    const QString block =
        QStringLiteral("```figure\nid: drawn\nfile: sm.svg\nalt: Four sub-partitions over shared "
                       "memory.\ndescription: %1\ncaption: One SM holds four sub-partitions.\n```\n\n")
            .arg(kDescription);
    lesson.replace(QStringLiteral("## Build it"), block + QStringLiteral("## Build it"));
    QVERIFY(writeFile(bench.lessonFile(), lesson.toStdString()).ok());
    if (svg.isEmpty())
        return;
    const auto folder = bench.lessonFile().parent_path() / "figures";
    std::filesystem::create_directories(folder);
    QVERIFY(writeFile(folder / "sm.svg", svg.toStdString()).ok());
}

} // namespace

class TestFigure : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void rolesBecomeColours();
    void unknownRoleNamesTheNearest();
    void keepsItsAspectAndFollowsTheTheme();
    void brokenDrawingSaysSo();
    void standsInALesson();
    void describedInWordsAtAKey();
    void missingFileIsSaidInPlace();
    void pictures_data();
    void pictures();
};

void TestFigure::rolesBecomeColours()
{
    Theme theme;
    for (const QString& name : Theme::names()) {
        QVERIFY(theme.load(name).ok());
        const auto svg = themedSvg("<a fill=\"{accent}\" b=\"{series8}{text}\"/>", theme, "x.svg");
        QVERIFY(svg.ok());
        const QByteArray wanted = "<a fill=\"" + theme.color(Role::Accent).name().toLatin1() + "\" b=\"" +
                                  theme.series(7).name().toLatin1() + theme.color(Role::Text).name().toLatin1() +
                                  "\"/>";
        QCOMPARE(*svg, wanted);
        for (const Role role : Theme::roles()) {
            const auto one = themedSvg("{" + Theme::key(role).toLatin1() + "}", theme, "x.svg");
            QVERIFY(one.ok());
            QCOMPARE(*one, theme.color(role).name().toLatin1());
        }
    }
    QCOMPARE(*themedSvg("<svg/>", theme, "x.svg"), QByteArray("<svg/>"));
}

void TestFigure::unknownRoleNamesTheNearest()
{
    Theme theme;
    QVERIFY(theme.load(QStringLiteral("light")).ok());
    const auto svg = themedSvg("<a fill=\"{surfaces}\"/>", theme, "1/figures/sm.svg");
    QVERIFY(!svg.ok());
    QCOMPARE(svg.error().code, std::string("unknown-role"));
    QCOMPARE(svg.error().place, std::string("1/figures/sm.svg"));
    QVERIFY2(svg.error().fix.find("surface") != std::string::npos, svg.error().fix.c_str());
    QVERIFY(!themedSvg("<a fill=\"{accent\"/>", theme, "x.svg").ok());
}

void TestFigure::keepsItsAspectAndFollowsTheTheme()
{
    Theme theme;
    QVERIFY(theme.load(QStringLiteral("light")).ok());
    FigureView view(theme, drawing(), "sm.svg", QStringLiteral("An SM."));
    QVERIFY(!view.error());
    QCOMPARE(view.heightForWidth(720), 240);
    QCOMPARE(view.heightForWidth(360), 120);
    QAccessibleInterface* face = QAccessible::queryAccessibleInterface(&view);
    QCOMPARE(face->role(), QAccessible::Graphic);
    QCOMPARE(face->text(QAccessible::Description), QStringLiteral("An SM."));
    view.resize(720, 240);
    for (const QString& name : Theme::names()) {
        QVERIFY(theme.load(name).ok());
        const QImage image = view.grab().toImage();
        QCOMPARE(image.pixelColor(600, 30), theme.color(Role::Surface2)); // at once, without being made anew
    }
}

void TestFigure::brokenDrawingSaysSo()
{
    Theme theme;
    QVERIFY(theme.load(QStringLiteral("light")).ok());
    for (const char* broken : {"", "no xml", "<svg xmlns=\"http://www.w3.org/2000/svg\""}) {
        FigureView view(theme, broken, "sm.svg", {});
        QVERIFY2(view.error(), broken);
        QCOMPARE(view.error()->code, std::string("bad-figure"));
    }
}

void TestFigure::standsInALesson()
{
    Bench bench;
    addFigure(bench, drawing());
    bench.start();
    bench.openPage();
    BlockWidget* block = bench.block("drawn");
    auto* view = block->findChild<FigureView*>();
    QVERIFY(view && !view->error());
    QCOMPARE(view->height(), view->heightForWidth(view->width()));
    QVERIFY(view->width() >= block->width() - 2 * kTextInset - 2);
    QVERIFY(block->findChild<QWidget*>(QStringLiteral("caption")));
    QVERIFY(block->accessibleDescription().contains(QStringLiteral("sub-partitions")));
    QVERIFY(!block->findChild<ErrorCard*>());
}

void TestFigure::describedInWordsAtAKey()
{
    Bench bench;
    addFigure(bench, drawing());
    bench.start();
    bench.openPage();
    BlockWidget* block = bench.block("drawn");
    auto* describe = block->findChild<QToolButton*>(QStringLiteral("describe"));
    auto* words = block->findChild<ProseView*>(QStringLiteral("description"));
    QVERIFY(describe && words);
    QVERIFY(!words->isVisibleTo(block)); // only on demand
    QVERIFY(describe->focusPolicy() & Qt::TabFocus);
    const int before = block->heightForWidth(block->width());
    describe->setFocus();
    QTest::keyClick(describe, Qt::Key_Space);
    QVERIFY(words->isVisibleTo(block));
    QVERIFY(words->hasFocus()); // what a screen reader then reads is all of it
    QAccessibleInterface* face = QAccessible::queryAccessibleInterface(words);
    QCOMPARE(face->text(QAccessible::Description), kDescription);
    QTRY_VERIFY(block->heightForWidth(block->width()) > before); // in the flow, over nothing
    QTest::keyClick(words, Qt::Key_Escape);
    QVERIFY(!words->isVisibleTo(block));
    QVERIFY(describe->hasFocus());
}

void TestFigure::missingFileIsSaidInPlace()
{
    for (const bool broken : {false, true}) {
        Bench bench;
        addFigure(bench, broken ? QByteArray("<svg viewBox=\"0 0 720 10\"><a fill=\"{acent}\"/></svg>") : QByteArray());
        bench.start();
        bench.openPage();
        BlockWidget* block = bench.block("drawn");
        auto* card = block->findChild<ErrorCard*>();
        QVERIFY(card && card->isVisibleTo(block));
        QVERIFY2(card->accessibleName().contains(QStringLiteral("sm.svg")), qPrintable(card->accessibleName()));
        QVERIFY(!block->findChild<FigureView*>());
        // What it would show is still there to be read.
        bool told = false;
        for (const QLabel* label : block->findChildren<QLabel*>())
            told = told || label->text().contains(QStringLiteral("Four sub-partitions"));
        QVERIFY(told);
    }
}

void TestFigure::pictures_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<double>("scale");
    for (const char* name : {"light", "dark"})
        for (const double scale : {1.0, 2.0})
            QTest::addRow("%s %.0fx", name, scale) << QString::fromLatin1(name) << scale;
}

void TestFigure::pictures()
{
    if (const QString why = golden::whyNotComparable(); !why.isEmpty())
        QSKIP(qPrintable(why));
    QFETCH(QString, name);
    QFETCH(double, scale);
    Theme theme;
    QVERIFY(theme.load(name).ok());
    FigureView view(theme, drawing(), "sm.svg", {});
    view.resize(720, 240);
    QImage image(QSize(720, 240) * scale, QImage::Format_ARGB32_Premultiplied);
    image.setDevicePixelRatio(scale);
    image.fill(theme.color(Role::Surface));
    view.render(&image, {}, {}, QWidget::DrawChildren);
    const QString wrong = golden::checkImage(QStringLiteral("figure_%1_%2x").arg(name).arg(scale), image);
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
}

QTEST_MAIN(TestFigure)
#include "tst_figure.moc"
