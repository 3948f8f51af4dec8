// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QElapsedTimer>
#include <QMimeData>
#include <QObject>
#include <QPixmap>
#include <QPoint>
#include <QPointer>
#include <functional>
#include <memory>
#include <optional>

class QListWidget;
class QMouseEvent;
class QWidget;

namespace ridge::app {

/// What is pulled out of a widget. With MoveAction among its actions the drag ends when the widget goes, else it goes
/// on.
struct Dragged {
    std::unique_ptr<QMimeData> data;
    QPixmap picture;
    Qt::DropActions actions = Qt::CopyAction;
    std::function<void(Qt::DropAction done, const QObject* target)> dropped; ///< called while the widget is there
};

/// Starts every drag from the event loop. QDrag runs a loop of its own, in which a page may be made anew; a drag that
/// starts in a handler of one of its widgets, as in Qt's views of text and lists, then returns into what is gone. So
/// text that is selected in labels and views of text is dragged from here, too. One for the application, GUI thread.
class Drags : public QObject {
public:
    static Drags& ofApplication();

    /// In the next turn, unless the button is let go before.
    void start(QWidget& source, Dragged dragged);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    struct Selection {
        int anchor = 0, position = 0;
        bool operator==(const Selection&) const = default;
    };
    struct Pressed {
        QPointer<QWidget> widget;
        Selection selection; ///< before the press: Qt keeps it where a drag may start
        QPoint at;
    };
    struct Pending {
        QPointer<QWidget> source;
        Dragged dragged;
    };

    explicit Drags(QObject* application);
    static std::optional<Selection> selectionIn(const QWidget& widget);
    void pressed(QWidget& widget, const QMouseEvent& event);
    bool moved(QWidget& widget, const QMouseEvent& event);
    bool scrollsByItself(const QWidget& widget) const;
    void pullText(QWidget& widget);
    void run();

    std::optional<Pressed> m_pressed;
    std::optional<Pending> m_pending;
    QElapsedTimer m_sinceTwice; ///< a third click selects a paragraph
    QPoint m_twiceAt;
    bool m_running = false;
};

/// The rows that are selected, to another place of the same list: for QListWidget::startDrag.
void startRowDrag(QListWidget& list);

} // namespace ridge::app
