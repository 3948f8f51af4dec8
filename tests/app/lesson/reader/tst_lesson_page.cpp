// SPDX-License-Identifier: GPL-3.0-or-later
// The page as a whole: all twelve kinds, keyboard, names for assistive technology, cards, themes, time to open.
#include "reader_support.h"

#include "app/drawing/scenes/scene_view.h"
#include "app/lesson/reader/lesson_column.h"
#include "app/lesson/reader/page_parts.h"
#include "tests/support/pace.h"

#include <QAbstractSpinBox>
#include <QAccessible>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSlider>
#include <set>

using namespace ridge;
using namespace ridge::app;
using app::test::Bench;

class TestLessonPage : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyKindIsThere();
    void everyFocusableWidgetHasAName();
    void nextAndPreviousBlock();
    void keyboardAlonePredictsAndSweeps();
    void escapeLeavesTheEditor();
    void outlineFollowsAndLeads();
    void checksSayWhatIsMissing();
    void termCardByKeyboard();
    void claimCardHasItsSource();
    void measureHoldsSeventyCharacters();
    void proseIsAsHighAsItsText_data();
    void proseIsAsHighAsItsText();
    void narrowPageHidesTheOutline();
    void lowPageLeavesChecksOutRatherThanCutThem();
    void comesToRestInATallWindow();
    void themeChangesInPlace();
    void wheelOverASliderScrollsThePage();
    void opensQuickly();
    void aSceneIsMadeInATurnOfItsOwn();
    void pictures();
};

void TestLessonPage::everyKindIsThere()
{
    Bench bench;
    bench.openPage();
    std::set<std::string> kinds;
    for (const BlockWidget* block : bench.page().findChildren<BlockWidget*>())
        kinds.insert(block->block().kind);
    const std::set<std::string> wanted{"predict", "run",   "sweep",  "chart",     "scene",    "explore",
                                       "quiz",    "order", "kernel", "challenge", "artifact", "term"};
    QCOMPARE(kinds, wanted);
    QCOMPARE(bench.page().title(), QStringLiteral("2.1 Twelve blocks on one page"));
}

void TestLessonPage::everyFocusableWidgetHasAName()
{
    Bench bench;
    bench.loadCatalogue();
    bench.openPage();
    QVERIFY(bench.commitAndRun());
    QVERIFY(bench.runSweep());
    int seen = 0;
    for (QWidget* widget : bench.page().findChildren<QWidget*>()) {
        if (!widget->isVisible() || !(widget->focusPolicy() & Qt::TabFocus))
            continue;
        // The viewport of a scroll area and the field of a spin box are spoken as the widget they belong to.
        const auto* area = qobject_cast<QAbstractScrollArea*>(widget->parentWidget());
        if ((area && area->viewport() == widget) || qobject_cast<QAbstractSpinBox*>(widget->parentWidget()))
            continue;
        ++seen;
        auto* interface = QAccessible::queryAccessibleInterface(widget);
        const QString name = interface ? interface->text(QAccessible::Name) : QString();
        QVERIFY2(!name.isEmpty(),
                 qPrintable(QStringLiteral("%1 %2 in %3")
                                .arg(QLatin1String(widget->metaObject()->className()), widget->objectName(),
                                     QLatin1String(widget->parentWidget()->metaObject()->className()))));
    }
    QVERIFY(seen > 25);
}

void TestLessonPage::nextAndPreviousBlock()
{
    Bench bench;
    bench.openPage();
    const auto focused = [&] {
        const auto* block = qobject_cast<BlockWidget*>(QApplication::focusWidget());
        return block ? block->blockId() : QString();
    };
    bench.page().nextBlock();
    QCOMPARE(focused(), QStringLiteral("guess"));
    bench.page().previousBlock();
    QCOMPARE(focused(), QStringLiteral("guess")); // there is none before it
    for (int i = 0; i < 30; ++i)
        bench.page().nextBlock();
    QCOMPARE(focused(), QStringLiteral("note"));
    bench.page().previousBlock();
    QCOMPARE(focused(), QStringLiteral("prove"));
    QSignalSpy inView(&bench.page(), &LessonPage::blockInViewChanged);
    bench.page().scrollToBlock(QStringLiteral("guess"));
    QTRY_VERIFY(!inView.isEmpty());
    QCOMPARE(inView.last().first().toString(), QStringLiteral("guess"));
}

void TestLessonPage::keyboardAlonePredictsAndSweeps()
{
    Bench bench;
    bench.loadCatalogue();
    bench.openPage();
    bench.page().focusPrediction(); // what P does
    auto* point = qobject_cast<QLineEdit*>(QApplication::focusWidget());
    QVERIFY(point && point->objectName() == QStringLiteral("point"));
    QTest::keyClicks(point, QStringLiteral("8"));
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
    QCOMPARE(QApplication::focusWidget()->objectName(), QStringLiteral("low"));
    QTest::keyClicks(QApplication::focusWidget(), QStringLiteral("6"));
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Return, Qt::ControlModifier);
    QTRY_VERIFY(bench.part("guess", "factor")->isVisible());
    QVERIFY(bench.waitForIdle());
    QCOMPARE(bench.part<QLabel>("guess", "factor")->text(), QStringLiteral("Right on it"));
    QCOMPARE(bench.store().predictions("2.1")->front().low, 6.0);
    bench.page().scrollToBlock(QStringLiteral("curve"));
    bench.page().commitAndRun(); // what F5 does
    QTRY_COMPARE(bench.store().runs({.lesson = "2.1", .block = "curve"})->size(), 6u);
    QVERIFY(bench.waitForIdle());
}

void TestLessonPage::escapeLeavesTheEditor()
{
    Bench bench;
    bench.openPage();
    auto* edit = bench.part("note", "reflection:0");
    edit->setFocus();
    QTest::keyClick(edit, Qt::Key_Escape);
    QCOMPARE(QApplication::focusWidget(), static_cast<QWidget*>(bench.block("note")));
    edit->setFocus();
    QTest::keyClick(edit, Qt::Key_Tab); // Tab goes on, it is no character of a reflection
    QVERIFY(!edit->hasFocus());
}

void TestLessonPage::outlineFollowsAndLeads()
{
    Bench bench;
    bench.openPage(QSize(1180, 700));
    auto* side = bench.page().findChild<SidePanel*>();
    const auto buttons = side->findChildren<QPushButton*>();
    QCOMPARE(buttons.size(), 7);
    QVERIFY(bench.click(buttons[4]));
    QVERIFY(bench.page().scrollFraction() > 0.3);
    QVERIFY(buttons[4]->isChecked());
    bench.page().setScrollFraction(0);
    QVERIFY(buttons[0]->isChecked());
    QVERIFY(!buttons[4]->isChecked());
}

void TestLessonPage::checksSayWhatIsMissing()
{
    Bench bench;
    bench.loadCatalogue();
    bench.openPage();
    auto* checks = bench.page().findChild<QWidget*>(QStringLiteral("checks"));
    const auto met = [&] { return checks->findChild<QLabel*>(QStringLiteral("checksMet"))->text(); };
    QCOMPARE(met(), QStringLiteral("0 of 4 checks met"));
    QVERIFY(bench.commitAndRun());
    QTRY_COMPARE(met(), QStringLiteral("1 of 4 checks met"));
    QVERIFY(bench.runSweep());
    QTRY_COMPARE(met(), QStringLiteral("2 of 4 checks met"));
}

void TestLessonPage::termCardByKeyboard()
{
    Bench bench;
    bench.openPage();
    ProseView* first = nullptr;
    for (auto* view : bench.page().findChildren<ProseView*>())
        if (!first && view->toPlainText().startsWith(QStringLiteral("A warp asks")))
            first = view;
    QVERIFY(first);
    first->setFocus(Qt::TabFocusReason);
    if (!first->textCursor().hasSelection()) // Tab's own focus may already be on the first link
        QTest::keyClick(first, Qt::Key_Tab);
    auto* card = bench.page().findChild<InfoCard*>();
    QTest::keyClick(first, Qt::Key_F1);
    QVERIFY(card->isVisible());
    const QString firstLink = card->link().toString();
    QVERIFY2(firstLink.startsWith(QStringLiteral("term:")), qPrintable(firstLink));
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Escape);
    QVERIFY(!card->isVisible());
    QCOMPARE(QApplication::focusWidget(), static_cast<QWidget*>(first));
}

void TestLessonPage::claimCardHasItsSource()
{
    Bench bench;
    bench.openPage();
    const auto content = cardFor(bench.app().curriculum(), QUrl(QStringLiteral("claim:t4.read_stride1")));
    QVERIFY(content);
    QCOMPARE(content->title, QStringLiteral("206 GB/s"));
    QVERIFY(content->text.contains(QStringLiteral("GPU Glossary by Modal")));
    QVERIFY(content->facts.join(QLatin1Char(' ')).contains(QStringLiteral("2026-05")));
    QVERIFY(content->facts.contains(QStringLiteral("PUBLISHED")));
    QCOMPARE(content->action, QStringLiteral("lab/coalescing"));
    QVERIFY(!cardFor(bench.app().curriculum(), QUrl(QStringLiteral("claim:nobody"))));
    auto* view = bench.page().findChild<ProseView*>();
    auto* card = bench.page().findChild<InfoCard*>();
    QSignalSpy asked(&bench.app(), &AppContext::openRequested);
    card->open(QUrl(QStringLiteral("claim:t4.read_stride1")), view, QRect(0, 0, 10, 10));
    QVERIFY(card->isVisible());
    QVERIFY(card->geometry().bottom() < bench.page().height());
    QVERIFY(bench.click(card->findChild<QPushButton*>()));
    QCOMPARE(asked.size(), 1);
}

void TestLessonPage::measureHoldsSeventyCharacters()
{
    Bench bench;
    bench.openPage(QSize(1600, 900));
    QString text;
    int width = 0;
    for (auto* view : bench.page().findChildren<ProseView*>()) {
        if (!view->toPlainText().startsWith(QStringLiteral("A warp asks")))
            continue;
        text = view->toPlainText().simplified();
        width = view->viewport()->width();
    }
    const QFontMetricsF metrics(bench.app().theme().font(TextStyle::ReadBody));
    const double characters = width / (metrics.horizontalAdvance(text) / double(text.size()));
    QVERIFY2(characters >= 68 && characters <= 72, qPrintable(QString::number(characters)));
}

void TestLessonPage::proseIsAsHighAsItsText_data()
{
    QTest::addColumn<QSize>("before");
    QTest::addColumn<QSize>("size");
    QTest::newRow("wide") << QSize() << QSize(1600, 900);
    QTest::newRow("beside an outline") << QSize() << QSize(946, 646);
    QTest::newRow("narrow") << QSize() << QSize(640, 600);
    QTest::newRow("made narrower") << QSize(1600, 900) << QSize(700, 640);
    QTest::newRow("made wider") << QSize(700, 640) << QSize(1300, 700);
}

void TestLessonPage::proseIsAsHighAsItsText()
{
    QFETCH(QSize, before);
    QFETCH(QSize, size);
    Bench bench;
    bench.openPage(before.isValid() ? before : size);
    bench.page().resize(size);
    QTest::qWait(50);
    const auto wrong = [&] {
        QStringList list;
        for (auto* view : bench.page().findChildren<ProseView*>())
            if (view->isVisible() && view->height() != int(std::ceil(view->document()->size().height())))
                list += QStringLiteral("%1 for %2 at %3: %4")
                            .arg(view->height())
                            .arg(view->document()->size().height())
                            .arg(view->width())
                            .arg(view->toPlainText().left(20));
        return list;
    };
    QTRY_VERIFY2_WITH_TIMEOUT(wrong().isEmpty(), qPrintable(wrong().join(QLatin1Char('\n'))), 2000);
    auto* column = bench.page().findChild<QScrollArea*>()->widget();
    QWidget* above = nullptr;
    for (QWidget* title : bench.page().findChildren<QWidget*>(QRegularExpression(QStringLiteral("^section:"))))
        if (!above)
            above = title;
    ProseView* first = nullptr;
    for (auto* view : bench.page().findChildren<ProseView*>())
        if (!first && view->toPlainText().startsWith(QStringLiteral("A warp asks")))
            first = view;
    const int gap = first->mapTo(column, QPoint()).y() - above->mapTo(column, QPoint(0, above->height())).y();
    QVERIFY2(gap >= 8 && gap <= 24, qPrintable(QString::number(gap)));
}

void TestLessonPage::narrowPageHidesTheOutline()
{
    Bench bench;
    bench.openPage(QSize(1280, 720));
    auto* side = bench.page().findChild<SidePanel*>();
    QVERIFY(side->isVisible());
    bench.page().resize(760, 720);
    QVERIFY(!side->isVisible());
    auto* scroll = bench.page().findChild<QScrollArea*>();
    QTRY_VERIFY(scroll->widget()->width() <= scroll->viewport()->width()); // nothing is cut off to the right
}

void TestLessonPage::lowPageLeavesChecksOutRatherThanCutThem()
{
    Bench bench;
    bench.openPage(QSize(1280, 900));
    auto* side = bench.page().findChild<SidePanel*>();
    auto* checks = side->findChild<ChecksView*>();
    auto* more = checks->findChild<QLabel*>(QStringLiteral("moreChecks"));
    const auto whole = [&] {
        for (const QLabel* label : checks->findChildren<QLabel*>())
            if (label->isVisible() && label->height() < label->heightForWidth(label->width()))
                return false;
        return side->rect().contains(QRect(checks->mapTo(side, QPoint()), checks->size()));
    };
    QVERIFY(!more->isVisible());
    QVERIFY(whole());
    bench.page().resize(1280, 380);
    QTRY_VERIFY(more->isVisible());
    QTRY_VERIFY(whole());
    QVERIFY2(more->text().contains(QStringLiteral("end of the lesson")), qPrintable(more->text()));
    bench.page().resize(1280, 900);
    QTRY_VERIFY(!more->isVisible());
    QTRY_VERIFY(whole());
}

namespace {

struct LayoutRequests : QObject {
    int seen = 0;
    bool eventFilter(QObject*, QEvent* event) override
    {
        seen += event->type() == QEvent::LayoutRequest ? 1 : 0;
        return false;
    }
};

} // namespace

void TestLessonPage::comesToRestInATallWindow()
{
    constexpr int kQuietTurns = 20, kMostTurns = 2000;
    Bench bench;
    bench.openPage(QSize(946, 900));
    QWidget* column = bench.page().findChild<QScrollArea*>()->widget();
    bench.page().resize(946, column->height() + 400);
    LayoutRequests requests;
    column->installEventFilter(&requests);
    int quiet = 0;
    for (int turn = 0; turn < kMostTurns && quiet < kQuietTurns; ++turn) {
        requests.seen = 0;
        QCoreApplication::processEvents();
        quiet = requests.seen == 0 ? quiet + 1 : 0;
    }
    QCOMPARE(quiet, kQuietTurns);
}

void TestLessonPage::themeChangesInPlace()
{
    Bench bench;
    bench.loadCatalogue();
    bench.openPage();
    QVERIFY(bench.commitAndRun());
    Theme& theme = bench.app().theme();
    const QColor before = bench.page().grab().toImage().pixelColor(60, 500);
    QVERIFY(theme.load(QStringLiteral("dark")).ok());
    QTest::qWait(20);
    const QColor after = bench.page().grab().toImage().pixelColor(60, 500);
    QVERIFY(before.lightnessF() > 0.9);
    QVERIFY(after.lightnessF() < 0.2);
    QVERIFY(bench.part("guess", "factor")->isVisible());
    theme.setTextScale(1.5);
    QTest::qWait(20);
    bench.shoot(QStringLiteral("large"));
    theme.setTextScale(1.0);
    QVERIFY(theme.load(QStringLiteral("light")).ok());
}

void TestLessonPage::wheelOverASliderScrollsThePage()
{
    Bench bench;
    bench.openPage();
    bench.page().scrollToBlock(QStringLiteral("play"));
    auto* slider = bench.part<QSlider>("play", "slider:stride");
    const int value = slider->value();
    const QPointF at = slider->rect().center();
    QWheelEvent event(at, slider->mapToGlobal(at), QPoint(), QPoint(0, -120), Qt::NoButton, Qt::NoModifier,
                      Qt::NoScrollPhase, false);
    QApplication::sendEvent(slider, &event);
    QCOMPARE(slider->value(), value);
}

/// The first scene of a session loads the driver of the graphics: that is not added to what else a turn makes.
void TestLessonPage::aSceneIsMadeInATurnOfItsOwn()
{
    Bench bench;
    LessonPage page(bench.app(), QStringLiteral("2.1"));
    auto* column = page.findChild<LessonColumn*>();
    QVERIFY(column);
    column->setSlice(10000); // all the rest would come in one turn
    int known = int(column->findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly).size()), scenes = 0;
    for (QDeadlineTimer until(10000); scenes < 2 && !until.hasExpired();) {
        QCoreApplication::processEvents(); // one turn, and so one slice of filling at most
        const auto children = column->findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly);
        for (int i = known; i < children.size(); ++i) {
            const auto* block = qobject_cast<BlockWidget*>(children[i]);
            if (!block || !block->findChild<SceneView*>())
                continue;
            ++scenes;
            QVERIFY2(i == known ||
                         (i == known + 1 && children[known]->objectName().startsWith(QLatin1String("section:"))),
                     qPrintable(block->blockId()));
        }
        known = int(children.size());
    }
    QCOMPARE(scenes, 2); // a scene block and one to explore
}

void TestLessonPage::opensQuickly()
{
    Bench bench;
    bench.loadCatalogue();
    bench.openPage(); // fonts and formats are warm afterwards
    QElapsedTimer timer;
    bench.closePage();
    timer.start();
    const ridge::test::PacedClock clock;
    LessonPage page(bench.app(), QStringLiteral("2.1"));
    page.resize(1180, 900);
    page.show();
    QVERIFY(QTest::qWaitForWindowExposed(&page));
    page.grab();
    const qint64 opened = timer.elapsed();
    const double computed = clock.ms();
    qInfo("lesson open and painted: %lld ms, of which the program computed %.0f ms", static_cast<long long>(opened),
          computed);
    QVERIFY2(computed < 300, qPrintable(QString::number(computed))); // the goal is 150 ms
}

void TestLessonPage::pictures()
{
    if (qEnvironmentVariableIsEmpty("RIDGE_SHOTS"))
        QSKIP("RIDGE_SHOTS names a folder for pictures of the page");
    Bench bench;
    const QSize size = qEnvironmentVariableIsSet("RIDGE_SHOT_NARROW") ? QSize(1000, 640) : QSize(1180, 1000);
    for (const char* theme : {"light", "dark"}) {
        QVERIFY(bench.app().theme().load(QLatin1String(theme)).ok());
        const auto all = [&](const QString& stage) {
            auto* bar = bench.page().findChild<QScrollArea*>()->verticalScrollBar();
            int shot = 0;
            for (int y = 0;; y += size.height() - 60, ++shot) {
                bar->setValue(y);
                QTest::qWait(30);
                bench.shoot(
                    QStringLiteral("%1-%2-%3").arg(QLatin1String(theme), stage).arg(shot, 2, 10, QLatin1Char('0')));
                if (bar->value() >= bar->maximum())
                    break;
            }
        };
        bench.loadCatalogue();
        bench.openPage(size);
        if (QLatin1String(theme) == QLatin1String("light"))
            all(QStringLiteral("fresh"));
        if (bench.store().predictions("2.1")->empty()) {
            bench.type(bench.part("guess", "point"), QStringLiteral("20"));
            QVERIFY(bench.commitAndRun());
            QVERIFY(bench.click("guess", "reason:each"));
            QVERIFY(bench.click("once", "runButton"));
            QVERIFY(bench.waitForIdle());
            QVERIFY(bench.runSweep());
            bench.type(bench.part("count", "number"), QStringLiteral("3"));
            QTest::keyClick(bench.part("count", "number"), Qt::Key_Return);
            QVERIFY(bench.click("choose", "choice:0"));
            QVERIFY(bench.click("choose", "checkButton"));
            QTest::qWait(200);
        }
        all(QStringLiteral("done"));
    }
}

QTEST_MAIN(TestLessonPage)
#include "tst_lesson_page.moc"
