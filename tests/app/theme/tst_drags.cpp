// SPDX-License-Identifier: GPL-3.0-or-later
// What is pulled out of a widget, while the page that holds the widget goes: Qt's own drags run an event loop inside of
// a handler of the widget and then return into it.
#include "app/theme/drags.h"

#include <QApplication>
#include <QDropEvent>
#include <QLabel>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QTest>
#include <QTextBrowser>
#include <QTimer>
#include <QVBoxLayout>
#include <QWindow>

using namespace ridge::app;

namespace {

const QString kText = QStringLiteral("first second third");

class Rows : public QListWidget {
public:
    using QListWidget::QListWidget;

protected:
    void startDrag(Qt::DropActions) override { startRowDrag(*this); }
};

/// Takes what is dropped on it.
class Place : public QWidget {
public:
    Place() { setAcceptDrops(true); }
    QStringList taken;

protected:
    void dragEnterEvent(QDragEnterEvent* event) override { event->acceptProposedAction(); }
    void dropEvent(QDropEvent* event) override
    {
        taken += event->mimeData()->text();
        event->acceptProposedAction();
    }
};

/// A window with a page, which holds what is dragged, above a place to drop it on.
struct Stage {
    QWidget window;
    QWidget* page = new QWidget;
    Place* place = new Place;

    explicit Stage(QWidget* held)
    {
        auto* column = new QVBoxLayout(&window);
        column->addWidget(page);
        column->addWidget(place, 1);
        (new QVBoxLayout(page))->addWidget(held);
        window.resize(500, 400);
        window.show();
    }
    QPoint on(const QWidget* widget, QPoint at) const { return widget->mapTo(&window, at); }
    QPoint onPlace() const { return on(place, place->rect().center()); }
    void press(QPoint at, Qt::KeyboardModifiers modifiers = {})
    {
        QTest::mousePress(window.windowHandle(), Qt::LeftButton, modifiers, at);
    }
    void move(QPoint at) // QTest's has no button down
    {
        QMouseEvent event(QEvent::MouseMove, at, window.mapToGlobal(at), Qt::NoButton, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(window.windowHandle(), &event);
    }
    void release(QPoint at) { QTest::mouseRelease(window.windowHandle(), Qt::LeftButton, {}, at); }
    void pull(QPoint from, QPoint by = {0, 40})
    {
        press(from);
        for (int step = 1; step <= 4; ++step)
            move(from + by * step / 4);
    }
};

bool dragging()
{
    return QApplication::overrideCursor();
}

/// Acts in the loop of the drag once it runs; a drag that starts in a handler does not return before.
void onceDragging(QObject* context, std::function<void()> act)
{
    auto* look = new QTimer(context);
    QObject::connect(look, &QTimer::timeout, look, [look, act = std::move(act)] {
        if (!dragging())
            return;
        look->stop();
        act();
    });
    look->start(5);
}

QWidget* plain(bool readOnly)
{
    auto* view = new QPlainTextEdit(kText);
    view->setReadOnly(readOnly);
    view->selectAll();
    return view;
}

/// Counts the turns of its timers and does nothing in them.
class Scrolling : public QTextBrowser {
public:
    Scrolling() { setText(kText); }
    int turns = 0;

    int turn()
    {
        turns = 0;
        QTimerEvent event(1);
        QCoreApplication::sendEvent(this, &event);
        return turns;
    }

protected:
    void timerEvent(QTimerEvent*) override { ++turns; }
};

QWidget* browser()
{
    auto* view = new QTextBrowser;
    view->setText(kText);
    view->selectAll();
    return view;
}

QWidget* label()
{
    auto* view = new QLabel(kText);
    view->setTextInteractionFlags(Qt::TextSelectableByMouse);
    view->setSelection(0, int(kText.size()));
    return view;
}

QWidget* rows()
{
    auto* list = new Rows;
    list->setDragDropMode(QAbstractItemView::InternalMove);
    for (const QString& each : kText.split(QLatin1Char(' '))) {
        auto* item = new QListWidgetItem(each, list);
        item->setFlags(item->flags() & ~Qt::ItemIsDropEnabled);
    }
    list->setCurrentRow(0);
    return list;
}

/// Where `held` shows its first word.
QPoint firstWord(const QWidget* held)
{
    if (const auto* area = qobject_cast<const QAbstractScrollArea*>(held))
        return area->viewport()->mapTo(held, QPoint(15, 12));
    return {15, held->rect().center().y()};
}

} // namespace

class TestDrags : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { Drags::ofApplication(); }
    void cleanup() { QVERIFY(!dragging()); }

    /// A view scrolls by a timer while text is selected beyond its edge, and Qt would start a drag in it, too.
    void viewsScrollOnlyWhileTextIsSelected()
    {
        auto* view = new Scrolling;
        Stage stage(view);
        const QPoint at = stage.on(view, firstWord(view));
        QCOMPARE(view->turn(), 0); // no button is down: its release went astray
        stage.press(at);
        QCOMPARE(view->turn(), 1); // it may select
        stage.release(at);
        view->selectAll();
        QTest::qWait(QApplication::doubleClickInterval() + 50);
        stage.press(at);
        QCOMPARE(view->turn(), 0); // it may be dragged
        stage.release(at);
        QCOMPARE(view->turn(), 0);
    }

    void thePageGoesMeanwhile_data()
    {
        QTest::addColumn<QWidget*>("held");
        QTest::addColumn<bool>("arrives"); // what is copied; what would be moved stays where it was
        QTest::newRow("plain text") << plain(true) << true;
        QTest::newRow("browser") << browser() << true;
        QTest::newRow("label") << label() << true;
        QTest::newRow("editor") << plain(false) << false;
        QTest::newRow("rows") << rows() << false;
    }
    void thePageGoesMeanwhile()
    {
        QFETCH(QWidget*, held);
        QFETCH(bool, arrives);
        Stage stage(held);
        QVERIFY(QTest::qWaitForWindowExposed(&stage.window));
        bool gone = false;
        onceDragging(&stage.window, [&] {
            delete stage.page;
            gone = true;
            if (dragging())
                stage.move(stage.onPlace());
            stage.release(stage.onPlace());
        });
        stage.pull(stage.on(held, firstWord(held)));
        QTRY_VERIFY(gone);
        QTRY_VERIFY(!dragging());
        QCOMPARE(stage.place->taken, arrives ? QStringList(kText) : QStringList());
    }

    void textIsCopiedAndStaysSelected_data()
    {
        QTest::addColumn<QWidget*>("held");
        QTest::newRow("plain text") << plain(true);
        QTest::newRow("browser") << browser();
        QTest::newRow("label") << label();
    }
    void textIsCopiedAndStaysSelected()
    {
        QFETCH(QWidget*, held);
        Stage stage(held);
        QVERIFY(QTest::qWaitForWindowExposed(&stage.window));
        const auto selected = [&] {
            const auto* words = qobject_cast<QLabel*>(held);
            const auto* text = qobject_cast<QPlainTextEdit*>(held);
            const auto* rich = qobject_cast<QTextEdit*>(held);
            return words ? words->selectedText() : (text ? text->textCursor() : rich->textCursor()).selectedText();
        };
        for (int time = 1; time <= 2; ++time) {
            onceDragging(&stage.window, [&] {
                stage.move(stage.onPlace());
                stage.release(stage.onPlace());
            });
            stage.pull(stage.on(held, firstWord(held)));
            QTRY_COMPARE(stage.place->taken.size(), time);
            QTRY_VERIFY(!dragging());
            QCOMPARE(stage.place->taken.last(), kText);
            QCOMPARE(selected(), kText);
        }
        // A click on what is selected is a click.
        stage.press(stage.on(held, firstWord(held)));
        stage.release(stage.on(held, firstWord(held)));
        QCOMPARE(selected(), QString());
        // And what is pulled over text that is not selected selects it.
        stage.pull(stage.on(held, firstWord(held)), {60, 0});
        QVERIFY(!selected().isEmpty());
        stage.release(stage.on(held, firstWord(held)) + QPoint(60, 0));
        QVERIFY(!selected().isEmpty());
        QCOMPARE(stage.place->taken.size(), 2);
    }

    void aButtonThatIsLetGoAtOnceDragsNothing()
    {
        QWidget* held = plain(true);
        Stage stage(held);
        QVERIFY(QTest::qWaitForWindowExposed(&stage.window));
        stage.pull(stage.on(held, firstWord(held)));
        stage.release(stage.onPlace());
        QTest::qWait(50);
        QVERIFY(!dragging());
        QCOMPARE(stage.place->taken, QStringList());
    }

    void anEditorMovesItsText()
    {
        auto* editor = static_cast<QPlainTextEdit*>(plain(false));
        QTextCursor first = editor->textCursor();
        first.setPosition(0);
        first.setPosition(6, QTextCursor::KeepAnchor);
        editor->setTextCursor(first);
        Stage stage(editor);
        QVERIFY(QTest::qWaitForWindowExposed(&stage.window));
        QTextCursor end(editor->document());
        end.movePosition(QTextCursor::End);
        // To its own end, then out of it.
        const QPoint to = stage.on(editor->viewport(), editor->cursorRect(end).center() + QPoint(30, 0));
        onceDragging(&stage.window, [&] {
            stage.move(to);
            stage.release(to);
        });
        stage.pull(stage.on(editor, firstWord(editor)));
        QTRY_COMPARE(editor->toPlainText(), QStringLiteral("second thirdfirst "));
        QTRY_VERIFY(!dragging());
        editor->undo();
        QCOMPARE(editor->toPlainText(), kText);
        editor->selectAll();
        onceDragging(&stage.window, [&] {
            stage.move(stage.onPlace());
            stage.release(stage.onPlace());
        });
        stage.pull(stage.on(editor, firstWord(editor)));
        QTRY_COMPARE(editor->toPlainText(), QString());
        QCOMPARE(stage.place->taken, QStringList(kText));
    }

    void rowsChangePlaces()
    {
        auto* list = static_cast<QListWidget*>(rows());
        Stage stage(list);
        QVERIFY(QTest::qWaitForWindowExposed(&stage.window));
        const QPoint below =
            stage.on(list->viewport(), list->visualItemRect(list->item(2)).bottomLeft() + QPoint(20, 15));
        onceDragging(&stage.window, [&] {
            stage.move(below);
            stage.release(below);
        });
        stage.pull(stage.on(list->viewport(), list->visualItemRect(list->item(0)).center()), {0, 20});
        QTRY_COMPARE(list->item(2)->text(), QStringLiteral("first"));
        QTRY_VERIFY(!dragging());
        QCOMPARE(list->count(), 3);
        QCOMPARE(list->item(0)->text(), QStringLiteral("second"));
    }
};

int main(int argc, char** argv)
{
    qputenv("QT_QPA_PLATFORM", "minimal"); // on "offscreen" every drag ends at once
    const QApplication application(argc, argv);
    TestDrags test;
    return QTest::qExec(&test, argc, argv);
}

#include "tst_drags.moc"
