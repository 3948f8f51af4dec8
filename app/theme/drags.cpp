// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/theme/drags.h"

#include <QApplication>
#include <QDrag>
#include <QLabel>
#include <QListWidget>
#include <QMouseEvent>
#include <QPlainTextEdit>
#include <QTextEdit>
#include <utility>

namespace ridge::app {
namespace {

/// Qt's views of text have what is needed here for their heirs alone.
struct PlainAccess : QPlainTextEdit {
    using QPlainTextEdit::createMimeDataFromSelection;
};
struct RichAccess : QTextEdit {
    using QTextEdit::createMimeDataFromSelection;
};
struct WidgetAccess : QWidget {
    using QWidget::mousePressEvent;
};

/// The view whose viewport `widget` is.
template<class View>
View* viewOf(const QWidget& widget)
{
    auto* view = qobject_cast<View*>(widget.parentWidget());
    return view && view->viewport() == &widget ? view : nullptr;
}

/// Qt has seen a press on selected text and would start a drag of its own with the next move. A press of another button
/// makes it forget that and does nothing else; it goes to `view` alone, and to no place where there is something.
void forgetPress(QWidget& view)
{
    const QPointF nowhere(-30000, -30000);
    QMouseEvent press(QEvent::MouseButtonPress, nowhere, view.mapToGlobal(nowhere), Qt::RightButton,
                      Qt::LeftButton | Qt::RightButton, Qt::NoModifier);
    (view.*(&WidgetAccess::mousePressEvent))(&press);
}

/// Text that is moved to another place goes from this one.
template<class View>
Dragged draggedFrom(View& view, QMimeData* data, const QWidget& source)
{
    Dragged dragged{std::unique_ptr<QMimeData>(data), {}, Qt::CopyAction, {}};
    if (view.textInteractionFlags().testFlag(Qt::TextEditable)) {
        dragged.actions |= Qt::MoveAction;
        dragged.dropped = [taken = view.textCursor(), source = &source](Qt::DropAction done,
                                                                        const QObject* target) mutable {
            if (done == Qt::MoveAction && target != source)
                taken.removeSelectedText();
        };
    }
    return dragged;
}

} // namespace

Drags::Drags(QObject* application) : QObject(application)
{
    application->installEventFilter(this);
}

Drags& Drags::ofApplication()
{
    static QPointer<Drags> drags; // goes with its application, and a test may make another
    if (!drags)
        drags = new Drags(QCoreApplication::instance());
    return *drags;
}

void Drags::start(QWidget& source, Dragged dragged)
{
    m_pressed.reset();
    if (m_running || !dragged.data)
        return;
    m_pending = Pending{&source, std::move(dragged)};
    QMetaObject::invokeMethod(this, &Drags::run, Qt::QueuedConnection);
}

void Drags::run()
{
    auto pending = std::exchange(m_pending, std::nullopt);
    if (!pending || !pending->source || m_running)
        return;
    Dragged& dragged = pending->dragged;
    const bool moves = dragged.actions.testFlag(Qt::MoveAction);
    const QPointer<QDrag> drag(new QDrag(moves ? static_cast<QObject*>(pending->source) : this));
    drag->setParent(this); // Qt works with it until the drop
    drag->setMimeData(dragged.data.release());
    drag->setPixmap(dragged.picture);
    if (moves)
        connect(pending->source, &QObject::destroyed, drag, [] { QDrag::cancel(); });
    m_running = true;
    const Qt::DropAction done = drag->exec(dragged.actions, moves ? Qt::MoveAction : Qt::CopyAction);
    m_running = false;
    if (pending->source && dragged.dropped)
        dragged.dropped(done, drag ? drag->target() : nullptr);
}

std::optional<Drags::Selection> Drags::selectionIn(const QWidget& widget)
{
    const auto of = [](const QTextCursor& cursor) {
        return cursor.hasSelection() ? std::optional(Selection{cursor.anchor(), cursor.position()}) : std::nullopt;
    };
    if (const auto* label = qobject_cast<const QLabel*>(&widget); label && label->hasSelectedText())
        return Selection{label->selectionStart(), label->selectionStart() + int(label->selectedText().size())};
    if (const auto* plain = viewOf<QPlainTextEdit>(widget))
        return of(plain->textCursor());
    if (const auto* rich = viewOf<QTextEdit>(widget))
        return of(rich->textCursor());
    return {};
}

bool Drags::eventFilter(QObject* watched, QEvent* event)
{
    if (!watched->isWidgetType())
        return false;
    auto& widget = static_cast<QWidget&>(*watched);
    switch (event->type()) {
    case QEvent::MouseButtonPress:
        pressed(widget, static_cast<QMouseEvent&>(*event));
        break;
    case QEvent::MouseButtonDblClick:
        m_pressed.reset();
        m_sinceTwice.start();
        m_twiceAt = static_cast<QMouseEvent*>(event)->globalPosition().toPoint();
        break;
    case QEvent::MouseMove:
        return moved(widget, static_cast<QMouseEvent&>(*event));
    case QEvent::MouseButtonRelease:
        m_pressed.reset();
        m_pending.reset();
        break;
    case QEvent::Timer:
        return scrollsByItself(widget);
    default:
        break;
    }
    return false;
}

/// A view of text scrolls by a timer while a selection is pulled beyond its edge, and takes each turn of it for a move.
/// Where its release went astray the timer still runs, and would start the drag of the next press.
bool Drags::scrollsByItself(const QWidget& widget) const
{
    if (!qobject_cast<const QTextEdit*>(&widget) && !qobject_cast<const QPlainTextEdit*>(&widget))
        return false;
    const bool pulls = QGuiApplication::mouseButtons().testFlag(Qt::LeftButton);
    return !pulls || (m_pressed && m_pressed->widget && m_pressed->widget->parentWidget() == &widget);
}

void Drags::pressed(QWidget& widget, const QMouseEvent& event)
{
    if (m_pressed && m_pressed->widget && widget.isAncestorOf(m_pressed->widget))
        return; // the same press, which nobody took
    m_pressed.reset();
    const QPoint at = event.globalPosition().toPoint();
    const bool third = m_sinceTwice.isValid() && m_sinceTwice.elapsed() < QApplication::doubleClickInterval() &&
                       (at - m_twiceAt).manhattanLength() < QApplication::startDragDistance();
    if (event.button() != Qt::LeftButton || event.modifiers() == Qt::ShiftModifier || third)
        return;
    if (const auto selection = selectionIn(widget))
        m_pressed = {&widget, *selection, at};
}

bool Drags::moved(QWidget& widget, const QMouseEvent& event)
{
    if (m_pending)
        return true; // it is about to start
    if (!m_pressed || m_pressed->widget != &widget)
        return false;
    if (!event.buttons().testFlag(Qt::LeftButton) || selectionIn(widget) != m_pressed->selection) {
        m_pressed.reset();
        return false;
    }
    if ((event.globalPosition().toPoint() - m_pressed->at).manhattanLength() <= QApplication::startDragDistance())
        return true; // Qt counts in the view's coordinates and would be a pixel early
    pullText(widget);
    return true;
}

void Drags::pullText(QWidget& widget)
{
    if (auto* label = qobject_cast<QLabel*>(&widget)) {
        auto data = std::make_unique<QMimeData>();
        data->setText(label->selectedText().replace(QChar::ParagraphSeparator, QLatin1Char('\n')));
        start(widget, {std::move(data), {}, Qt::CopyAction, {}});
        forgetPress(*label);
    } else if (auto* plain = viewOf<QPlainTextEdit>(widget)) {
        start(widget, draggedFrom(*plain, (plain->*(&PlainAccess::createMimeDataFromSelection))(), widget));
        forgetPress(*plain);
    } else if (auto* rich = viewOf<QTextEdit>(widget)) {
        start(widget, draggedFrom(*rich, (rich->*(&RichAccess::createMimeDataFromSelection))(), widget));
        forgetPress(*rich);
    }
}

void startRowDrag(QListWidget& list)
{
    const QList<QListWidgetItem*> rows = list.selectedItems();
    if (rows.isEmpty())
        return;
    QRect area;
    for (const QListWidgetItem* row : rows)
        area |= list.visualItemRect(row);
    Drags::ofApplication().start(
        list, {std::unique_ptr<QMimeData>(list.model()->mimeData(list.selectionModel()->selectedIndexes())),
               list.viewport()->grab(area & list.viewport()->rect()),
               Qt::MoveAction,
               {}});
}

} // namespace ridge::app
