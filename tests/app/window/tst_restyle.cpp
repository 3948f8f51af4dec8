// SPDX-License-Identifier: GPL-3.0-or-later
// A change of theme or text size with many pages open: no turn of the event loop computes long, and what was hidden
// meanwhile looks as if it had been shown all the time.
#include "shell_fixture.h"

#include "app/lesson/reader/find_bar.h"
#include "app/lesson/reader/lesson_column.h"
#include "app/lesson/reader/lesson_page.h"
#include "app/lesson/reader/lesson_places.h"
#include "app/lesson/reader/prose_view.h"
#include "app/theme/restyler.h"
#include "app/ui/still_scroll.h"
#include "tests/support/heartbeat.h"

#include <QLineEdit>
#include <QPushButton>

using namespace ridge;
using namespace ridge::app;

namespace {

constexpr int kWaitMs = 60000;

QString s(const char* text)
{
    return QString::fromUtf8(text);
}

LessonPage* shownLesson(MainWindow& window)
{
    for (LessonPage* page : window.findChildren<LessonPage*>())
        if (page->isVisible())
            return page;
    return nullptr;
}

/// Windows that were shown beside the main one. A part that is shown before it has its parent is a window for an
/// instant: it flashes, and takes the focus.
class StrayWindows : public QObject {
public:
    StrayWindows() { qApp->installEventFilter(this); }
    QStringList seen;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override
    {
        const auto* widget = qobject_cast<QWidget*>(watched);
        if (event->type() == QEvent::Show && widget && widget->isWindow() && !qobject_cast<const MainWindow*>(widget))
            seen << QLatin1String(widget->metaObject()->className()) + QLatin1Char(' ') + widget->objectName();
        return QObject::eventFilter(watched, event);
    }
};

} // namespace

class TestRestyle : public QObject {
    Q_OBJECT
    std::unique_ptr<Workplace> m_place;

    bool styled() const { return !Restyler::of(m_place->theme).busy(); }

    /// A lesson that has been laid out, with its blocks.
    LessonPage* openLesson()
    {
        MainWindow& window = *m_place->window;
        if (!window.open(s("lesson/2.4")).ok() ||
            !QTest::qWaitFor([&] { return shownLesson(window) && shownLesson(window)->ready(); }, kWaitMs))
            return nullptr;
        (void)shownLesson(window)->findChild<LessonColumn*>()->blocks(); // all of it
        return shownLesson(window);
    }

    /// What the style sheet and the theme give the widgets of a page that are shown.
    static QStringList look(QWidget& page)
    {
        QStringList all;
        for (const QWidget* widget : page.findChildren<QWidget*>()) {
            if (!widget->isVisible() ||
                !(qobject_cast<const QLabel*>(widget) || qobject_cast<const QPushButton*>(widget) ||
                  qobject_cast<const QLineEdit*>(widget)))
                continue;
            all << s("%1 %2 %3 px, at least %4 high")
                       .arg(QLatin1String(widget->metaObject()->className()),
                            widget->palette().color(widget->foregroundRole()).name())
                       .arg(widget->font().pixelSize())
                       .arg(widget->minimumHeight());
        }
        return all;
    }

private Q_SLOTS:
    void init()
    {
        m_place = std::make_unique<Workplace>();
        m_place->storeArtifact();
        QVERIFY(m_place->loadCatalogue());
        m_place->makeWindow();
    }
    void cleanup() { m_place.reset(); }

    void noTurnIsLong()
    {
        MainWindow& window = *m_place->window;
        const StrayWindows stray;
        test::Heartbeat heart;
        for (const char* page : {"home", "learn", "class", "class/new", "portfolio", "catalogue", "lab", "kernel",
                                 "runs", "compare", "data", "class/sample"}) {
            heart.reset();
            QVERIFY2(window.open(s(page)).ok(), page);
            QTRY_VERIFY_WITH_TIMEOUT(window.page()->ready() && !window.busyBehind(), kWaitMs);
            QTest::qWait(50);
            qInfo("%s, first visit: longest turn %d ms, of which it computed %.0f ms", page, heart.worst(),
                  heart.worstBusy());
        }
        QVERIFY(openLesson());
        QVERIFY2(stray.seen.isEmpty(), qPrintable(stray.seen.join(s(", "))));
        const auto widgets = QApplication::allWidgets().size();
        QVERIFY(widgets > 2500);
        double worst = 0;
        for (const char* page : {"lesson/2.4", "portfolio"}) {
            QVERIFY(window.open(s(page)).ok());
            QTest::qWait(200);
            const auto measure = [&](const char* what, const auto& change) {
                heart.reset();
                change();
                QTRY_VERIFY_WITH_TIMEOUT(styled(), kWaitMs);
                QTest::qWait(50);
                qInfo("%s, %s: longest turn %d ms, of which it computed %.0f ms (%lld widgets)", page, what,
                      heart.worst(), heart.worstBusy(), static_cast<long long>(widgets));
                worst = std::max(worst, heart.worstBusy());
            };
            measure("dark", [&] { QVERIFY(m_place->theme.load(s("dark"))); });
            measure("larger text", [&] { m_place->theme.setTextScale(1.2); });
            measure("light", [&] { QVERIFY(m_place->theme.load(s("light"))); });
            measure("text as it was", [&] { m_place->theme.setTextScale(1.0); });
        }
        // The goal is 100 ms; a busy processor computes longer. It was more than 2,000 in one turn.
        QVERIFY2(worst < 400, qPrintable(QString::number(worst)));
    }

    /// A turn ends when it has computed for long, however few widgets those were.
    void aSlowWidgetHasATurnOfItsOwn()
    {
        class Slow : public QWidget {
        public:
            using QWidget::QWidget;
            int styled = 0;

        protected:
            void changeEvent(QEvent* event) override
            {
                QWidget::changeEvent(event);
                if (event->type() != QEvent::StyleChange)
                    return;
                ++styled;
                for (const double until = test::threadMs() + 30; test::threadMs() < until;)
                    continue;
            }
        };
        QWidget around;
        std::vector<Slow*> slow;
        for (int i = 0; i < 8; ++i)
            slow.push_back(new Slow(&around));
        for (Slow* each : slow)
            each->styled = 0;
        const auto done = [&] {
            return std::ranges::count_if(slow, [](const Slow* each) { return each->styled > 0; });
        };
        QVERIFY(m_place->theme.load(s("dark")));
        auto most = done();
        while (!styled()) {
            const auto before = done();
            QCoreApplication::processEvents();
            most = std::max(most, done() - before);
        }
        QCOMPARE(done(), std::ssize(slow));
        QCOMPARE(most, decltype(most){1});
    }

    void whatWasHiddenLooksTheSame_data()
    {
        QTest::addColumn<QString>("page");
        for (const char* page : {"portfolio", "lab", "lesson/2.4"})
            QTest::newRow(page) << s(page);
    }
    void whatWasHiddenLooksTheSame()
    {
        QFETCH(QString, page);
        MainWindow& window = *m_place->window;
        Theme& theme = m_place->theme;
        QVERIFY(openLesson());
        QVERIFY(window.open(page).ok());
        QTRY_VERIFY_WITH_TIMEOUT(window.page()->ready() && !window.busyBehind(), kWaitMs);
        QTest::qWait(100);
        const QStringList light = look(*window.page());
        QVERIFY(theme.load(s("dark")));
        theme.setTextScale(1.2);
        QTRY_VERIFY_WITH_TIMEOUT(styled(), kWaitMs);
        const QStringList wanted = look(*window.page());
        QVERIFY(wanted != light);
        QVERIFY(theme.load(s("light")));
        theme.setTextScale(1.0);
        QTRY_VERIFY_WITH_TIMEOUT(styled(), kWaitMs);
        QCOMPARE(look(*window.page()), light);

        // Now it is hidden meanwhile, and shown before its turn has come.
        QVERIFY(window.open(s("home")).ok());
        QVERIFY(theme.load(s("dark")));
        theme.setTextScale(1.2);
        QVERIFY(!styled());
        QVERIFY(window.open(page).ok());
        QCOMPARE(look(*window.page()), wanted);
        QTRY_VERIFY_WITH_TIMEOUT(styled(), kWaitMs);
        QCOMPARE(look(*window.page()), wanted);
    }

    /// Qt asks the whole page for its height each time a part around it gets its style.
    void aScrollAreaIsLaidOutOncePerChange()
    {
        class Counting : public QWidget {
        public:
            mutable int asked = 0;
            QSize minimumSizeHint() const override
            {
                ++asked;
                return {100, 2000};
            }
        };
        StillScroll area;
        auto* inside = new Counting;
        area.setWidgetResizable(true);
        area.setWidget(inside);
        area.resize(200, 200);
        area.show();
        QVERIFY(QTest::qWaitForWindowExposed(&area));
        QCoreApplication::sendPostedEvents();
        inside->asked = 0;
        for (int i = 0; i < 3; ++i) {
            QEvent change(QEvent::StyleChange);
            QCoreApplication::sendEvent(&area, &change);
        }
        QCOMPARE(inside->asked, 0);
        QCoreApplication::sendPostedEvents();
        QVERIFY(inside->asked > 0);
        QVERIFY(inside->height() >= 2000);
    }

    /// A long lesson takes its new size over several turns: what is in the picture first. What is read stays where it
    /// is, and what was found in a text stays marked in the text that took its place.
    void proseOutsideThePictureHasTime()
    {
        LessonPage* page = openLesson();
        QVERIFY(page);
        auto* column = page->findChild<LessonColumn*>();
        auto* area = page->findChild<StillScroll*>();
        page->setScrollFraction(0.5);
        QTest::qWait(100);
        page->places()->find();
        page->places()->findBar().field()->setText(s("the"));
        const int found = page->places()->findBar().count();
        QVERIFY(found > 1);
        const auto marked = [&] {
            qsizetype all = 0;
            for (const ProseView* view : page->findChildren<ProseView*>())
                all += view->extraSelections().size();
            return all;
        };
        const auto marks = marked();
        QVERIFY(marks > 1);
        QWidget* read = nullptr; // the text at the top of the picture
        for (const LessonColumn::Text& text : column->texts())
            if (const int y = text.view->mapTo(area->viewport(), QPoint(0, 0)).y();
                !read && text.view->isVisible() && y >= 0)
                read = text.view;
        QVERIFY(read);
        const auto top = [&] { return read->mapTo(area->viewport(), QPoint(0, 0)).y(); };
        const int before = top();
        QVERIFY(before < area->viewport()->height());

        std::map<const ProseView*, QPointer<QTextDocument>> old;
        for (const LessonColumn::Text& text : column->texts())
            old[text.view] = text.view->document();
        const QRect picture = area->viewport()->rect();
        std::vector<const ProseView*> seen, outside;
        for (const auto& [view, document] : old)
            if (view->isVisible())
                (picture.intersects({view->mapTo(area->viewport(), QPoint(0, 0)), view->size()}) ? seen : outside)
                    .push_back(view);
        const auto fresh = [&](const auto& views) {
            return std::ranges::count_if(views, [&](const ProseView* view) { return view->document() != old[view]; });
        };
        QVERIFY(outside.size() > 5);
        m_place->theme.setTextScale(1.3);
        QCOMPARE(fresh(seen), std::ssize(seen));
        QVERIFY2(fresh(outside) < std::ssize(outside) / 2, qPrintable(QString::number(fresh(outside))));
        QTRY_VERIFY_WITH_TIMEOUT(styled(), kWaitMs);
        QCOMPARE(fresh(outside), std::ssize(outside));
        QTRY_VERIFY2_WITH_TIMEOUT(std::abs(top() - before) < area->viewport()->height() / 4,
                                  qPrintable(s("from %1 to %2").arg(before).arg(top())), kWaitMs);
        QTRY_COMPARE_WITH_TIMEOUT(page->places()->findBar().count(), found, kWaitMs);
        QTRY_COMPARE_WITH_TIMEOUT(marked(), marks, kWaitMs);
    }

    /// Texts of a lesson that was left are set anew when they are shown; their marks with them.
    void marksOfAHiddenLessonStay()
    {
        MainWindow& window = *m_place->window;
        LessonPage* page = openLesson();
        QVERIFY(page);
        QSignalSpy made(&page->places()->notes(), &NotesLayer::noteMade);
        window.page()->perform(Page::Command::Note);
        QTRY_COMPARE_WITH_TIMEOUT(made.count(), 1, kWaitMs);
        page->places()->find();
        page->places()->findBar().field()->setText(s("the"));
        const int found = page->places()->findBar().count();
        QVERIFY(found > 1);
        const auto marks = [&] {
            qsizetype all = 0;
            for (const ProseView* view : page->findChildren<ProseView*>())
                for (const QTextEdit::ExtraSelection& mark : view->extraSelections())
                    all += mark.cursor.document() == view->document() && mark.cursor.hasSelection();
            return all;
        };
        const auto before = marks();
        QVERIFY(before > 1);

        QVERIFY(window.open(s("portfolio")).ok());
        QVERIFY(m_place->theme.load(s("dark")));
        m_place->theme.setTextScale(1.2);
        QTRY_VERIFY_WITH_TIMEOUT(styled(), kWaitMs);
        QVERIFY(window.open(s("lesson/2.4")).ok());
        QVERIFY(page->isVisible());
        QTRY_COMPARE_WITH_TIMEOUT(marks(), before, kWaitMs);
        QTRY_COMPARE_WITH_TIMEOUT(page->places()->findBar().count(), found, kWaitMs);
        // In the size of now.
        const auto* prose = page->findChild<LessonColumn*>()->texts().front().view;
        QCOMPARE(prose->document()->defaultFont().pixelSize(), m_place->theme.font(TextStyle::ReadBody).pixelSize());
    }
};

QTEST_MAIN(TestRestyle)
#include "tst_restyle.moc"
