// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "click_watch.h"
#include "tests/app/window/shell_fixture.h"
#include "tests/support/pace.h"

#include <QAbstractButton>
#include <QAbstractScrollArea>
#include <QAbstractSlider>
#include <QAbstractSpinBox>
#include <QComboBox>
#include <QDeadlineTimer>
#include <QDir>
#include <QEventLoop>
#include <QFileDialog>
#include <QLineEdit>
#include <QMenu>
#include <QPointer>
#include <QRandomGenerator>
#include <QTabBar>
#include <QThread>
#include <QTimer>
#include <QWheelEvent>
#include <QWindow>

namespace ridge::app::clicking {

/// A hand without a head. Acts in the event loop, one thing a turn, also in the loops of menus and dialogs.
class Clicker : public QObject {
public:
    Clicker(Workplace& place, quint32 seed, int seconds)
        : m_place(place), m_random(seed), m_end(QDeadlineTimer(seconds * 1000LL))
    {
        QCoreApplication::instance()->installEventFilter(this);
        m_place.actions->find(s("file.quit"))->setEnabled(false);
    }
    void run()
    {
        m_clock.start();
        m_busy = ridge::test::threadMs();
        next();
        m_loop.exec();
    }

    struct Stall {
        qint64 ms = 0;
        double busyMs = 0;
        QString during;
    };
    /// The longest first.
    const std::vector<Stall>& stalls() const { return m_stalls; }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override
    {
        if (event->type() == QEvent::Close && watched == m_place.window.get() && !m_restarting) {
            event->ignore();
            return true;
        }
        if (event->type() == QEvent::Show)
            if (auto* dialog = qobject_cast<QFileDialog*>(watched))
                QTimer::singleShot(0, dialog, [this, dialog] { answer(dialog); });
        return false;
    }

private:
    int below(int bound) { return m_random.bounded(bound); }
    bool oneIn(int n) { return below(n) == 0; }
    template<class List>
    auto anyOf(const List& list)
    {
        return list[decltype(list.size())(below(int(list.size())))];
    }

    void next()
    {
        // Asked for before the action: that may run an event loop of its own, in which it goes on.
        const int pause = oneIn(40) ? 50 + below(250) : 0;
        m_planned += pause;
        QTimer::singleShot(pause, this, &Clicker::act);
    }

    /// Since the last mark the event loop stood still for as long as the clock says.
    void mark()
    {
        const double busy = ridge::test::threadMs();
        const qint64 took = m_clock.restart() - std::exchange(m_planned, 0);
        if (m_stalls.size() < kStalls || took > m_stalls.back().ms) {
            m_stalls.push_back({took, busy - m_busy, m_last});
            std::ranges::stable_sort(m_stalls, std::greater<>(), &Stall::ms);
            if (m_stalls.size() > kStalls)
                m_stalls.pop_back();
        }
        m_busy = busy;
    }

    void say(const QString& action)
    {
        m_last = action;
        keep(action);
    }

    void act()
    {
        // An action that only looks at what is due goes on first; one that waits in a loop of its own, as a menu does,
        // gets the next action there. Otherwise one would stand on the other until the stack is full.
        const int level = QThread::currentThread()->loopLevel();
        if (m_depth > 0 && level == m_level) {
            QTimer::singleShot(1, this, &Clicker::act);
            return;
        }
        mark();
        if (m_restarting)
            return;
        QWidget* const over =
            QApplication::activePopupWidget() ? QApplication::activePopupWidget() : QApplication::activeModalWidget();
        if (m_end.hasExpired()) {
            if (!over && m_depth == 0)
                return m_loop.quit();
            next();
            if (over) {
                say(s("close ") + nameOf(over));
                over->close();
            }
            return mark();
        }
        next();
        const int around = std::exchange(m_level, level);
        ++m_depth;
        // A box that asked on behalf of a file dialog may have been answered just now, and is on the stack until its
        // loop ends: nobody can close the dialog before that.
        if (qobject_cast<QFileDialog*>(over) && level > 1)
            keep(s("wait"));
        else if (over)
            inside(over);
        else
            onWindow();
        --m_depth;
        m_level = around;
        mark();
    }

    QString nameOf(const QWidget* widget) const
    {
        if (!widget)
            return s("nothing");
        QString name = QString::fromLatin1(widget->metaObject()->className());
        const auto* button = qobject_cast<const QAbstractButton*>(widget);
        const QString text = button && !button->text().isEmpty() ? button->text()
                             : !widget->objectName().isEmpty()   ? widget->objectName()
                                                                 : widget->accessibleName();
        name.remove(s("ridge::app::"));
        return text.isEmpty() ? name : name + s(" '") + text.left(40) + s("'");
    }

    /// Where a session would be opened that other computers can reach.
    static bool forbidden(const QWidget* widget)
    {
        for (; widget; widget = widget->parentWidget()) {
            const QByteArray name = widget->metaObject()->className();
            if (name.endsWith("LivePanel") || name.endsWith("SharePanel"))
                return true;
        }
        return false;
    }

    /// A file dialog is answered with a file or folder of the sandbox, or not at all.
    void answer(QFileDialog* dialog)
    {
        if (oneIn(2)) {
            dialog->reject();
            return;
        }
        say(s("accept ") + dialog->windowTitle());
        const QStringList names = QDir().entryList(QDir::Files | QDir::Dirs | QDir::NoDotAndDotDot);
        dialog->setDirectory(QDir::currentPath());
        if (!names.isEmpty())
            dialog->selectFile(anyOf(names));
        const QPointer<QFileDialog> alive(dialog);
        static_cast<QDialog*>(dialog)->accept();
        if (alive)
            QTimer::singleShot(0, alive, &QDialog::reject); // it was not content
    }

    void mouse(QWidget* widget, QPoint at, Qt::MouseButton button = Qt::LeftButton, bool twice = false,
               std::optional<QPoint> dragTo = {})
    {
        const QPointer<QWindow> window(widget->window()->windowHandle());
        if (!window)
            return;
        const QPoint from = widget->mapTo(widget->window(), at);
        const QPoint to = dragTo ? widget->mapTo(widget->window(), *dragTo) : from;
        const auto modifiers = oneIn(12)   ? Qt::KeyboardModifiers(Qt::ShiftModifier)
                               : oneIn(12) ? Qt::KeyboardModifiers(Qt::ControlModifier)
                                           : Qt::KeyboardModifiers();
        QTest::mouseMove(window, from);
        if (window)
            QTest::mousePress(window, button, modifiers, from);
        for (int i = 1; dragTo && window && i <= 4; ++i) {
            QMouseEvent move(QEvent::MouseMove, from + (to - from) * i / 4,
                             window->mapToGlobal(from + (to - from) * i / 4), Qt::NoButton, button, modifiers);
            QCoreApplication::sendEvent(window, &move);
        }
        if (dragTo && oneIn(2))
            QCoreApplication::sendPostedEvents(nullptr, QEvent::MetaCall); // a drag starts, if it is one
        if (window)
            QTest::mouseRelease(window, button, modifiers, to);
        if (twice && window)
            QTest::mouseDClick(window, button, modifiers, from);
    }

    QPoint pointIn(const QRect& area)
    {
        return {area.left() + below(std::max(1, area.width())), area.top() + below(std::max(1, area.height()))};
    }

    /// What one can operate and sees.
    QList<QWidget*> controls(QWidget* root)
    {
        QList<QWidget*> all;
        for (QWidget* each : root->findChildren<QWidget*>()) {
            const bool useful = qobject_cast<QAbstractButton*>(each) || qobject_cast<QComboBox*>(each) ||
                                qobject_cast<QLineEdit*>(each) || qobject_cast<QTabBar*>(each) ||
                                qobject_cast<QAbstractSlider*>(each) || qobject_cast<QAbstractSpinBox*>(each) ||
                                qobject_cast<QAbstractScrollArea*>(each) || each->focusPolicy() != Qt::NoFocus;
            if (useful && each->isVisible() && each->isEnabled() && each->window() == root->window() &&
                !each->visibleRegion().isEmpty() && !forbidden(each))
                all << each;
        }
        return all;
    }

    QString someText()
    {
        static const QStringList texts = {s("6.7"),
                                          s("-5"),
                                          s("1e9"),
                                          s("0"),
                                          s("32"),
                                          s("stride"),
                                          s("1..128:log2"),
                                          s("ünï ☃"),
                                          s("a b c d "),
                                          s("<b>x"),
                                          s("GB"),
                                          s("3 TFLOP/s"),
                                          s("warp == 3"),
                                          s("int i = 0;"),
                                          s("}"),
                                          s("delete"),
                                          QString(300, QLatin1Char('x'))};
        return anyOf(texts);
    }

    void key(int code, Qt::KeyboardModifiers modifiers = {}, const QString& text = {})
    {
        if (forbidden(QApplication::focusWidget()))
            QApplication::focusWidget()->clearFocus();
        QWidget* over =
            QApplication::activePopupWidget() ? QApplication::activePopupWidget() : QApplication::activeModalWidget();
        QWidget* to = over ? over : m_place.window.get();
        press(to, code, modifiers, text);
    }

    /// As QTest does it, which keeps no eye on the window: a shortcut may open a menu, and whatever is clicked in its
    /// event loop may close the window that has the key still to come.
    static void press(QWidget* to, int code, Qt::KeyboardModifiers modifiers, const QString& text)
    {
        const QPointer<QWindow> window(to->window()->windowHandle());
        if (!window || qt_sendShortcutOverrideEvent(window, 0, code, modifiers, text))
            return;
        if (window)
            qt_handleKeyEvent(window, QEvent::KeyPress, code, modifiers, text);
        if (window)
            qt_handleKeyEvent(window, QEvent::KeyRelease, code, modifiers, text);
    }

    void type(const QString& text)
    {
        for (const QChar each : text.left(40)) {
            QWidget* focus = QApplication::focusWidget();
            if (!focus || forbidden(focus))
                return;
            const QChar letter = each.unicode() < 128 ? each : QLatin1Char('?');
            press(focus, letter.toUpper().unicode(), {}, letter);
        }
    }

    void somethingKeyed()
    {
        static const QStringList keys = s("Tab Tab Shift+Tab Return Return Space Esc Esc Down Down Up Left Right "
                                          "PgDown PgUp Home End Del Backspace J K P T "
                                          "+ - ? F1 F2 F3 F5 F6 F9 F10 F11 Menu Ctrl+A Ctrl+C Ctrl+V Ctrl+X Ctrl+Z "
                                          "Ctrl+Return Ctrl+K Ctrl+F Ctrl+D Ctrl++ "
                                          "Ctrl+- Alt+Left Alt+Right Alt+Down")
                                            .split(QLatin1Char(' '));
        const QString chosen = anyOf(keys);
        say(s("key ") + chosen);
        const QKeyCombination pressed = QKeySequence(chosen)[0];
        const bool letter = pressed.key() < 128 && pressed.keyboardModifiers() == Qt::NoModifier;
        key(pressed.key(), pressed.keyboardModifiers(),
            letter ? QString(QChar(int(pressed.key()))).toLower() : QString());
    }

    /// In a menu, a list that has dropped down, or a dialog.
    void inside(QWidget* over)
    {
        if (oneIn(4)) {
            say(s("Esc in ") + nameOf(over));
            return key(Qt::Key_Escape);
        }
        if (auto* menu = qobject_cast<QMenu*>(over)) {
            QList<QAction*> choices;
            for (QAction* each : menu->actions())
                if (each->isVisible() && each->isEnabled() && !each->isSeparator())
                    choices << each;
            if (choices.isEmpty()) {
                menu->close();
                return;
            }
            QAction* chosen = anyOf(choices);
            say(s("menu ") + chosen->text());
            return mouse(menu, menu->actionGeometry(chosen).center());
        }
        if (qobject_cast<QFileDialog*>(over)) {
            say(s("close ") + nameOf(over));
            over->close();
            return;
        }
        if (oneIn(4))
            return somethingKeyed();
        click(over);
    }

    void click(QWidget* root)
    {
        const QList<QWidget*> all = controls(root);
        QWidget* widget = all.isEmpty() ? root : anyOf(all);
        QPoint at = pointIn(widget->visibleRegion().boundingRect());
        if (oneIn(3)) { // anywhere
            const QPoint anywhere = pointIn(root->rect());
            QWidget* there = root->childAt(anywhere);
            if (there && !forbidden(there)) {
                widget = there;
                at = there->mapFrom(root, anywhere);
            }
        }
        const int how = below(20);
        say(s(how == 0   ? "right click "
              : how == 1 ? "double click "
              : how == 2 ? "drag "
              : how == 3 ? "wheel "
                         : "click ") +
            nameOf(widget) + s(" in ") + nameOf(root) + s(" at %1, %2").arg(at.x()).arg(at.y()));
        if (how == 3) {
            const QPointer<QWindow> window(widget->window()->windowHandle());
            if (!window)
                return;
            const QPoint place = widget->mapTo(widget->window(), at);
            QWheelEvent wheel(place, window->mapToGlobal(place), {}, QPoint(0, oneIn(2) ? 120 : -360), Qt::NoButton,
                              oneIn(6) ? Qt::ControlModifier : Qt::NoModifier, Qt::NoScrollPhase, false);
            QCoreApplication::sendEvent(window, &wheel);
            return;
        }
        mouse(widget, at, how == 0 ? Qt::RightButton : Qt::LeftButton, how == 1,
              how == 2 ? std::optional(pointIn(widget->rect())) : std::nullopt);
    }

    Result<std::vector<record::RunRow>> newestRuns() const
    {
        record::RunFilter newest;
        newest.limit = 20;
        return m_place.context->store()->runs(newest);
    }

    QString somePage()
    {
        const lessons::Curriculum& curriculum = m_place.context->curriculum();
        QStringList pages;
        for (const char* page : {"home", "learn", "lab", "kernel", "runs", "compare", "portfolio", "assemble", "review",
                                 "insight", "placement", "data", "doctor", "class", "catalogue", "portfolio/journal"})
            pages << s(page);
        switch (below(4)) {
        case 0:
            return s("lesson/") + QString::fromStdString(anyOf(curriculum.heads).id);
        case 1:
            if (!m_place.context->experiments().empty())
                return s("lab/") + QString::fromStdString(anyOf(m_place.context->experiments()).id);
            break;
        case 2:
            if (oneIn(3))
                return s("module/%1").arg(1 + below(int(curriculum.modules.size())));
            if (const auto runs = newestRuns(); oneIn(2) && runs && !runs->empty())
                return s("runs/") + QString::fromStdString(anyOf(*runs).id);
            if (const auto artifacts = m_place.context->store()->artifacts(); artifacts && !artifacts->empty())
                return (oneIn(3) ? s("portfolio/edit/") : s("artifact/")) +
                       QString::fromStdString(anyOf(*artifacts).artifactId);
            break;
        default:
            break;
        }
        return anyOf(pages);
    }

    void onWindow()
    {
        MainWindow& window = *m_place.window;
        const int what = below(1000);
        if (what < 520)
            return click(&window);
        if (what < 680)
            return somethingKeyed();
        if (what < 740) {
            const QString text = someText();
            say(s("type ") + text.left(20));
            return type(text);
        }
        if (what < 850) {
            const QString page = somePage();
            say(s("open ") + page);
            (void)window.open(page);
            return;
        }
        if (what < 915) {
            const auto& specs = m_place.actions->specs();
            const QString id = anyOf(specs).id;
            say(s("command ") + id);
            if (id != s("file.quit"))
                m_place.actions->find(id)->trigger();
            return;
        }
        if (what < 950) {
            static const QStringList looks = {
                s("view.theme.dark"),   s("view.theme.light"),    s("view.theme.contrast"),   s("view.larger"),
                s("view.smaller"),      s("view.normalText"),     s("window.layout.present"), s("window.layout.read"),
                s("window.layout.lab"), s("window.layout.debug"), s("window.reset")};
            const QString look = anyOf(looks);
            say(s("look ") + look);
            return m_place.actions->find(look)->trigger();
        }
        if (what < 975) {
            const QSize size(720 + below(1200), 480 + below(720));
            say(s("resize %1x%2").arg(size.width()).arg(size.height()));
            return window.resize(size);
        }
        if (what < 998) {
            say(s("note"));
            if (!window.currentPage().startsWith(s("lesson/")))
                (void)window.open(s("lesson/") + QString::fromStdString(anyOf(m_place.context->curriculum().heads).id));
            window.page()->perform(Page::Command::Note);
            return;
        }
        if (m_depth > 1) // something of the window is still on the stack
            return;
        say(s("close and open the window"));
        m_restarting = true;
        m_place.restart();
        m_place.makeWindow().restoreSession();
        m_place.context->loadCatalogue();
        m_place.actions->find(s("file.quit"))->setEnabled(false);
        m_restarting = false;
        next(); // the turn that was asked for may have come meanwhile
    }

    static constexpr std::size_t kStalls = 12;
    Workplace& m_place;
    QRandomGenerator m_random;
    QDeadlineTimer m_end;
    QEventLoop m_loop;
    QElapsedTimer m_clock;
    double m_busy = 0;
    qint64 m_planned = 0;
    int m_depth = 0, m_level = 0; ///< actions under way; loops of the thread when the innermost began
    bool m_restarting = false;
    QString m_last;
    std::vector<Stall> m_stalls;
};

} // namespace ridge::app::clicking
