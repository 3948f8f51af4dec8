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
    /// The same, and also of a widget that is shown outside the picture, which nobody sees either until it is scrolled
    /// to: what takes long, so that all of a long page is not done in one turn.
    void whenInTurn(QWidget* widget, std::function<void()> then);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void restyle(int most);
    int take(QWidget* widget); ///< how much was done, in widgets

    struct Then {
        QPointer<QWidget> widget;
        std::function<void()> act;
        int cost; ///< in widgets
    };

    /// Parents before their children. What is seen comes first, then what is outside the picture of a shown page.
    std::deque<QPointer<QWidget>> m_left;
    QSet<const QObject*> m_waiting; ///< the same, as far as they were not shown meanwhile
    QHash<const QObject*, QList<Then>> m_then;
    QTimer m_turn;
    QSet<const QObject*> m_outside; ///< of those that wait: what is shown, but not in the picture
};

} // namespace ridge::app
