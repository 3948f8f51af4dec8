// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/lesson/reader/block_widget.h"
#include "app/lesson/reader/lesson_page.h"
#include "app/window/learn/learn_page.h"
#include "app/window/main_window.h"
#include "base/paths.h"

#include <QtTest>

namespace ridge::app {

inline constexpr int kRunMs = 30000;

/// A program that has never been started before, and a person without a mouse.
class Person {
public:
    explicit Person(const QString& home)
    {
        if (!theme.load(QStringLiteral("light")))
            qFatal("no theme");
        auto store = record::Store::open(home.toStdString());
        if (!store)
            qFatal("%s", toText(store.error()).c_str());
        context = std::make_unique<AppContext>(theme, actions, std::move(*store), *dataFolder());
        window = std::make_unique<MainWindow>(*context, MainWindow::Options{false, true, QStringLiteral("light")});
        context->setTarget(QStringLiteral("sim:h100-sxm"));
        context->loadCatalogue();
        window->resize(1440, 1000);
    }

    /// The window as it was left, active, with the experiments known.
    bool start()
    {
        window->restoreSession();
        window->show();
        if (!QTest::qWaitForWindowExposed(window.get()))
            return false;
        QApplication::setActiveWindow(window.get()); // there is no window manager to do it
        return QTest::qWaitFor([this] { return context->hasCatalogue(); }, kRunMs);
    }
    QWidget* focus() const
    {
        QWidget* has = QApplication::focusWidget();
        return has ? has : window.get();
    }
    /// A key that does something: counted.
    void command(Qt::Key key, Qt::KeyboardModifiers modifiers = Qt::NoModifier)
    {
        ++commands;
        QTest::keyClick(focus(), key, modifiers);
    }
    void move(Qt::Key key, Qt::KeyboardModifiers modifiers = Qt::NoModifier)
    {
        QTest::keyClick(focus(), key, modifiers);
    }
    void type(const QString& text) { QTest::keyClicks(focus(), text); }
    /// Tab until the widget of this name has the focus; false: it cannot be reached.
    bool tabTo(const QString& name, QWidget* within = nullptr)
    {
        for (int steps = 0; steps < 400; ++steps) {
            QWidget* at = focus();
            if (at->objectName() == name && (!within || within->isAncestorOf(at)))
                return true;
            if (qEnvironmentVariableIsSet("RIDGE_SHOW_FOCUS"))
                qInfo("%s '%s' %s", at->metaObject()->className(), qPrintable(at->objectName()),
                      qPrintable(at->accessibleName()));
            QTest::keyClick(at, Qt::Key_Tab);
        }
        return false;
    }
    /// The same by the name that a listener hears.
    bool tabToNamed(const QString& name)
    {
        for (int steps = 0; steps < 400; ++steps) {
            if (focus()->accessibleName() == name)
                return true;
            QTest::keyClick(focus(), Qt::Key_Tab);
        }
        return false;
    }
    LessonPage* lesson() const
    {
        auto* learn = dynamic_cast<LearnPage*>(window->page());
        return learn ? learn->lesson() : nullptr;
    }
    QWidget* block(const char* id) const { return lesson()->blockWidget(QString::fromLatin1(id)); }
    std::size_t runs(const char* blockId) const
    {
        record::RunFilter filter;
        filter.lesson = window->currentPage().section(QLatin1Char('/'), 1).toStdString();
        filter.block = blockId;
        const auto rows = context->store()->runs(filter);
        return rows ? rows->size() : 0;
    }

    Theme theme;
    ActionRegistry actions;
    std::unique_ptr<AppContext> context;
    std::unique_ptr<MainWindow> window;
    int commands = 0;
};

} // namespace ridge::app
