// SPDX-License-Identifier: GPL-3.0-or-later
// The named layouts of the window and what belongs to them.
#include "app/window/layouts.h"
#include "app/window/learn/learn_page.h"
#include "app/window/main_window.h"
#include "app/window/rail.h"
#include "app/window/settings.h"
#include "app/window/status_strip.h"
#include "app/window/window_docks.h"

#include <QActionGroup>
#include <QDockWidget>
#include <QStatusBar>

namespace ridge::app {

void MainWindow::addLayoutActions()
{
    ActionRegistry& actions = m_context.actions();
    auto* group = new QActionGroup(this);
    int number = 0;
    for (const WindowLayout& layout : windowLayouts()) {
        QAction* action = actions.add({QStringLiteral("window.layout.") + layout.id,
                                       tr("Window"),
                                       layout.title,
                                       layout.help,
                                       {QKeySequence(QStringLiteral("Ctrl+Alt+%1").arg(++number))}},
                                      [this, id = layout.id] { setLayoutName(id); });
        action->setCheckable(true);
        group->addAction(action);
    }
    actions.add({QStringLiteral("window.reset"),
                 tr("Window"),
                 tr("R&eset the layout"),
                 tr("Window, text size, outline and docks of this layout as on the first start"),
                 {}},
                [this] { resetLayout(); });
    const auto dock = [&](const char* id, QDockWidget* widget, const QString& text, const QString& help,
                          const char* keys) {
        QAction* action = actions.add({QStringLiteral("window.dock.") + QLatin1String(id),
                                       tr("Window"),
                                       text,
                                       help,
                                       {QKeySequence(QLatin1String(keys))}},
                                      [widget] { widget->setVisible(!widget->isVisible()); });
        action->setCheckable(true);
        connect(widget, &QDockWidget::visibilityChanged, action,
                [widget, action] { action->setChecked(!widget->isHidden()); });
    };
    dock("bench", m_docks->bench(), tr("&Bench"), tr("The experiment of the block in view, beside the page"),
         "Ctrl+Alt+B");
    dock("pins", m_docks->pins(), tr("P&inned runs"), tr("What is pinned, beside the page"), "Ctrl+Alt+P");
    dock("log", m_docks->log(), tr("Lo&g"), tr("What runs said and what went wrong, below the page"), "Ctrl+Alt+L");
}

void MainWindow::setLayoutName(const QString& id)
{
    if (windowLayout(id).id != id || id == m_layout)
        return updateActions();
    keepLayout();
    m_layout = id;
    applyLayout(false);
    if (m_options.remember)
        saveLayout(id);
}

void MainWindow::keepLayout()
{
    if (m_options.remember)
        saveLayoutState(m_layout, m_docks->state());
}

void MainWindow::resetLayout()
{
    if (m_options.remember)
        forgetLayoutState(m_layout);
    m_ownTextScale = 1.0;
    if (m_options.remember)
        saveTextScale(1.0);
    if (!windowLayout(m_layout).chrome) {
        m_layout = windowLayouts().front().id; // out of the presentation, where no menu leads back
    } else {
        setWindowState(Qt::WindowNoState);
        resize(1280, 800);
    }
    applyLayout(true);
}

void MainWindow::applyLayout(bool preset)
{
    const WindowLayout& layout = windowLayout(m_layout);
    m_docks->apply(layout);
    if (const QByteArray state = preset || !m_options.remember ? QByteArray() : savedLayoutState(m_layout);
        !state.isEmpty())
        m_docks->restore(state);
    m_rail->setVisible(layout.chrome);
    statusBar()->setVisible(layout.chrome);
    m_outlineShown = layout.outline;
    if (auto* learn = qobject_cast<LearnPage*>(m_pages.value(QStringLiteral("learn"))))
        learn->setOutlineShown(m_outlineShown);
    m_context.theme().setTextScale(std::clamp(m_ownTextScale * layout.text, 0.8, 2.0));
    setWindowState(layout.chrome ? windowState() & ~Qt::WindowFullScreen : windowState() | Qt::WindowFullScreen);
    updateActions();
}

} // namespace ridge::app
