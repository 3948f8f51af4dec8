// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHash>
#include <QObject>
#include <QPointer>
#include <QSet>
#include <QTimer>
#include <deque>
#include <functional>

class QApplication;
class QWidget;

namespace ridge::app {

class Theme;

/// Calls `then` after each change of the theme: at once where `widget` is shown, else together with its style, so that
/// it has happened when the widget is shown.
void followTheme(Theme& theme, QWidget* widget, std::function<void()> then);

/// Gives every widget the application's style sheet anew: what is seen at once, the rest a slice a turn of the event
/// loop, and what is shown before its turn when it is shown. QApplication::setStyleSheet does it in one turn, and each
/// widget once for every widget around it (Qt 6.4), which took seconds after a while. GUI thread.
class Restyler : public QObject {
    Q_OBJECT
public:
    explicit Restyler(QObject* parent);
    static Restyler& of(QObject& owner); ///< the one of `owner`, made at the first call

    void setStyleSheet(QApplication& application, const QString& sheet);
    bool busy() const { return !m_left.empty(); } ///< some widgets still look as they did
    /// Now, or once `widget` has its style where nobody sees it.
    void whenStyled(QWidget* widget, std::function<void()> then);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void restyle(int most);
    int take(QWidget* widget); ///< how much was done, in widgets

    struct Then {
        QPointer<QWidget> widget;
        std::function<void()> act;
    };

    std::deque<QPointer<QWidget>> m_left; ///< parents before their children, what is seen before what is not
    QSet<const QObject*> m_waiting;       ///< the same, as far as they were not shown meanwhile
    QHash<const QObject*, QList<Then>> m_then;
    QTimer m_turn;
};

} // namespace ridge::app
